// Around the sweeps: packing of weights, sums over blocks, random points, Adam.

// The thread that begins a list of things to pack: lists follow one another around the ring of all threads, so that each has as much to do.
DEV int ring(int id, int place) { place %= PACKING; return id >= place ? id - place : id + PACKING - place; }

// W and b of a layer in the order in which lanes read them, for the way ahead and for the way back
template <int L> DEV void pack_layer(const real *theta, real *packed, int id) {
  typedef Layer<L> Y;
  const real *w = theta + Y::WEIGHT;
  {
    constexpr int KB = (Y::FAN + 8) / 8, NT = (Y::WIDTH + 7) / 8;
    for (int at = ring(id, Y::FORWARD / RIGHT_NUMBERS); at < KB * NT * 32; at += PACKING) {
      int lane = at % 32, j = at / 32 % NT, k = at / 32 / NT, n = j * 8 + lane / 4;
      real v[2];
      EACH(i, 2) {
        int column = k * 8 + lane % 4 + 4 * i;
        v[i] = n >= Y::WIDTH || column > Y::FAN ? R(0) : column < Y::FAN ? w[n * Y::FAN + column] : Y::BIASED ? theta[Y::BIAS + n] : R(0);
      }
      store_right(packed + Y::FORWARD + at * RIGHT_NUMBERS, v[0], v[1]);
    }
  }
  {
    constexpr int KB = (Y::WIDTH + 7) / 8, NT = (Y::FAN + 7) / 8;
    for (int at = ring(id, Y::REVERSE / RIGHT_NUMBERS); at < KB * NT * 32; at += PACKING) {
      int lane = at % 32, j = at / 32 % NT, k = at / 32 / NT, n = j * 8 + lane / 4;
      real v[2];
      EACH(i, 2) {
        int row = k * 8 + lane % 4 + 4 * i;
        v[i] = n < Y::FAN && row < Y::WIDTH ? w[row * Y::FAN + n] : R(0);
      }
      store_right(packed + Y::REVERSE + at * RIGHT_NUMBERS, v[0], v[1]);
    }
  }
}
// α, β and dβ/d(stored number), from what is trained or fixed
DEV real beta_of_width(real s) { return R(1) / (R(1.41421356237309504880) * fmax(fabs(s), R(1e-6))); }
DEV real slope_of_width(real s) { return -beta_of_width(s) / (s < 0 ? R(-1) : R(1)) / fmax(fabs(s), R(1e-6)); }

// call: steps taken in this call, whether something was not finite, the step that the call began with, then the factors of every step;
// figures: the last loss, the smallest, steps taken, whether something was not finite
#define STEPS_TAKEN 0
#define NOT_FINITE 1
#define FIRST_STEP 2
#define FACTORS 3
DEV void count_step(u64 *call, const double *loss, double *figures) {
  figures[0] = loss[0];
  figures[3] = (double)call[NOT_FINITE];
  if (call[STEPS_TAKEN] == 0) { figures[1] = loss[0]; figures[2] = 0; }
  if (call[NOT_FINITE]) return;
  figures[1] = fmin(figures[1], loss[0]);
  figures[2] = (double)++call[STEPS_TAKEN];
}

// the gradient from the blocks' sums, in a fixed order: g ← λ Σ, or g + λ Σ. A cell is a parameter with its sum of a block, or several.
#define PARTS 16
extern "C" __global__ void __launch_bounds__(32 * PARTS) gather(const real *partial, const double *losses, int blocks, int n_losses, const int4 *cells, real *gradient, double *loss, double lambda, double share, int add, u64 *call) {
  __shared__ real part[PARTS][33];
  int lane = threadIdx.x % 32, k = threadIdx.x / 32, i = blockIdx.x * 32 + lane;
  int4 cell = cells[min(i, PARAMETERS - 1)];
  real sum = 0;
#pragma unroll 8
  for (int b = k; b < blocks; b += PARTS) {
    const real *of = partial + (u64)b * SUMS_OF_BLOCK + cell.x;
    sum += of[0];
    for (int c = 1; c < cell.y; c++) sum += of[c];
  }
  part[k][lane] = sum;
  __syncthreads();
  if (k == 0 && i < PARAMETERS) {
    real all = 0;
    for (int j = 0; j < PARTS; j++) all += part[j][lane];
    all *= (real)lambda;
    if (add) all += gradient[cell.z];
    gradient[cell.z] = all;
    if (call && !isfinite(all)) call[NOT_FINITE] = 1;
  }
  // the loss, by the lanes of another warp
  if (blockIdx.x == 0 && k == 1) {
    double all = 0;
    for (int b = lane; b < n_losses; b += 32) all += losses[b];
    for (int d = 16; d > 0; d /= 2) all += __shfl_xor_sync(0xffffffffu, all, d);
    if (lane == 0) {
      all *= lambda * share;
      if (add) all += loss[0];
      loss[0] = all;
      if (call && !isfinite(all)) call[NOT_FINITE] = 1;
    }
  }
}

// rows of a Jacobian from rows of slots: sums over the points of a group, and over the slots of a parameter; added to what is there where a
// group comes in pieces
extern "C" __global__ void __launch_bounds__(256) gather_rows(const real *slots, const int *table, real *rows, int count, int group, int n_rows, double scale, int add) {
  for (u64 at = (u64)blockIdx.x * 256 + threadIdx.x; at < (u64)n_rows * PARAMETERS; at += (u64)gridDim.x * 256) {
    int row = (int)(at / PARAMETERS), i = (int)(at - (u64)row * PARAMETERS), of = row / count, m = row - of * count;
    int start = table[2 * i], several = table[2 * i + 1];
    real sum = 0;
    for (int p = 0; p < group; p++) for (int c = 0; c < several; c++) sum += slots[((u64)(of * group + p) * count + m) * SLOTS + start + c];
    sum *= (real)scale;
    rows[at] = add ? rows[at] + sum : sum;
  }
}

// rows that are sums over groups of points, and the sum of their squares
extern "C" __global__ void __launch_bounds__(32) group_rows(const real *each, real *rows, double *loss, int count, int group, int n_rows) {
  double squares = 0;
  for (int row = threadIdx.x; row < n_rows; row += 32) {
    int of = row / count, m = row - of * count;
    real sum = 0;
    for (int p = 0; p < group; p++) sum += each[(u64)(of * group + p) * count + m];
    rows[row] = sum;
    squares += (double)sum * (double)sum;
  }
  __shared__ double all[32];
  all[threadIdx.x] = squares;
  __syncthreads();
  if (threadIdx.x == 0) { double sum = 0; for (int i = 0; i < 32; i++) sum += all[i]; loss[0] = sum; }
}

// Uniform points of a box: point i of step `round + counter` from the key of (seed, round, labels), as on the processor.
extern "C" __global__ void __launch_bounds__(256) draw(real *points, int n, u64 seed, u64 round, u32 label0, u32 label1, const double *bounds, const u64 *call) {
  u64 r = round + call[FIRST_STEP] + call[STEPS_TAKEN];
  Words key = philox(Words{{(u32)r, (u32)(r >> 32), label0, label1}}, (u32)seed, (u32)(seed >> 32));
  int pairs = (D + 1) / 2, at = blockIdx.x * 256 + threadIdx.x;
  if (at >= n * pairs) return;
  int i = at / pairs, pair = at - i * pairs;
  Words w = philox(Words{{(u32)i, 0u, (u32)pair, 0u}}, key.v[0], key.v[1]);
  for (int k = 0; k < 2 && 2 * pair + k < D; k++) {
    u64 bits = (u64)w.v[2 * k] << 32 | w.v[2 * k + 1];
    double u = ((double)(bits >> 12) + 0.5) * 2.220446049250313e-16;
    if (pair == 0 && k == 0) { // set apart from held-out points
      double cells = u * 1073741824.0, whole = floor(cells);
      u = (whole + 0.125 + 0.25 * (cells - whole)) * 9.313225746154785e-10;
    }
    const double *q = bounds + 4 * (2 * pair + k); // low, high − low, the least and the largest number between
    points[(u64)i * D + 2 * pair + k] = (real)fmin(fmax(ROUNDED_SUM(q[0], ROUNDED_PRODUCT(u, q[1])), q[2]), q[3]);
  }
}

extern "C" __global__ void __launch_bounds__(256) adam(real *theta, const real *gradient, real *m, real *v, const unsigned char *still, const u64 *call, double beta1, double beta2, double epsilon, double decay) {
  if (call[NOT_FINITE]) return;
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= PARAMETERS) return;
  const double *factors = (const double *)(call + FACTORS) + 2 * call[STEPS_TAKEN];
  real g = still[i] ? R(0) : gradient[i], b1 = (real)beta1, b2 = (real)beta2, rate = (real)factors[0], unbias = (real)factors[1];
  if (decay > 0) g += (real)decay * theta[i];
  m[i] = b1 * m[i] + (R(1) - b1) * g;
  v[i] = b2 * v[i] + (R(1) - b2) * g * g;
  theta[i] = theta[i] - rate * m[i] / (sqrt(v[i] * unbias) + (real)epsilon);
}
