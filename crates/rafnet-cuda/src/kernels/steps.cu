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
// the sum over the blocks of a cell, in a fixed order, in the threads of the first warp. A cell is a parameter with its sum of a block, or several.
#define PARTS 16
DEV real over_blocks(const real *partial, int blocks, int4 cell, real lambda, int lane, int k) {
  __shared__ real part[PARTS][33];
  real sum = 0;
#pragma unroll 8
  for (int b = k; b < blocks; b += PARTS) {
    const real *of = partial + (u64)b * SUMS_OF_BLOCK + cell.x;
    sum += of[0];
    for (int c = 1; c < cell.y; c++) sum += of[c];
  }
  part[k][lane] = sum;
  __syncthreads();
  real all = 0;
  if (k == 0) for (int j = 0; j < PARTS; j++) all += part[j][lane];
  return all * lambda;
}
// the loss, by the lanes of another warp
DEV void loss_over_blocks(const double *losses, int count, double factor, int add, double *loss, u64 *call, int lane) {
  double all = 0;
  for (int b = lane; b < count; b += 32) all += losses[b];
  for (int d = 16; d > 0; d /= 2) all += __shfl_xor_sync(0xffffffffu, all, d);
  if (lane != 0) return;
  all *= factor;
  if (add) all += loss[0];
  loss[0] = all;
  if (call && !isfinite(all)) call[NOT_FINITE] = 1;
}
// g ← λ Σ, or g + λ Σ
extern "C" __global__ void __launch_bounds__(32 * PARTS) gather(const real *partial, const double *losses, int blocks, int n_losses, const int4 *cells, real *gradient, double *loss, double lambda, double share, int add) {
  int lane = threadIdx.x % 32, k = threadIdx.x / 32, i = blockIdx.x * 32 + lane;
  int4 cell = cells[min(i, PARAMETERS - 1)];
  real g = over_blocks(partial, blocks, cell, (real)lambda, lane, k);
  if (k == 0 && i < PARAMETERS) gradient[cell.z] = add ? gradient[cell.z] + g : g;
  if (blockIdx.x == 0 && k == 1) loss_over_blocks(losses, n_losses, lambda * share, add, loss, 0, lane);
}
// The same for the last term of a step, and Adam with it. What is not finite is noted, and where the parameters and the moments were is kept
// for the case that any number of this step is not: then nothing moves.
extern "C" __global__ void __launch_bounds__(32 * PARTS) gather_and_move(const real *partial, const double *losses, int blocks, int n_losses, const int4 *cells, const real *gradient, double *loss, double lambda, double share, int add, u64 *call, real *theta, real *m, real *v, real *before, const unsigned char *still, double beta1, double beta2, double epsilon, double decay) {
  int lane = threadIdx.x % 32, k = threadIdx.x / 32, i = blockIdx.x * 32 + lane;
  int4 cell = cells[min(i, PARAMETERS - 1)];
  real g = over_blocks(partial, blocks, cell, (real)lambda, lane, k);
  if (blockIdx.x == 0 && k == 1) loss_over_blocks(losses, n_losses, lambda * share, add, loss, call, lane);
  if (k > 0 || i >= PARAMETERS) return;
  i = cell.z;
  if (add) g += gradient[i];
  if (!isfinite(g)) call[NOT_FINITE] = 1;
  before[i] = theta[i]; before[PARAMETERS + i] = m[i]; before[2 * PARAMETERS + i] = v[i];
  adam(theta, m, v, still, i, g, call, beta1, beta2, epsilon, decay);
}
// after a step with numbers that are not finite
DEV void move_back(real *theta, real *m, real *v, const real *before, int id) {
  for (int i = id; i < PARAMETERS; i += PACKING) { theta[i] = before[i]; m[i] = before[PARAMETERS + i]; v[i] = before[2 * PARAMETERS + i]; }
}

// the points and the data of a step, from those of all steps, one step behind the other
extern "C" __global__ void __launch_bounds__(256) choose(const real *all, const u64 *call, real *points, real *data, int n_points, int n_data) {
  u64 each = (u64)n_points + n_data;
  const real *from = all + call[STEPS_TAKEN] * each;
  for (u64 i = (u64)blockIdx.x * 256 + threadIdx.x; i < each; i += (u64)gridDim.x * 256) (i < n_points ? points[i] : data[i - n_points]) = from[i];
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

// what is watched after a step: the blocks' sums of each residual's squares, a warp each
extern "C" __global__ void __launch_bounds__(32) watch(const double *sums, int blocks, const u64 *call, double *to) {
  if (call[NOT_FINITE] || call[STEPS_TAKEN] == 0) return;
  double all = 0;
  for (int b = threadIdx.x; b < blocks; b += 32) all += sums[b * gridDim.x + blockIdx.x];
  for (int d = 16; d > 0; d /= 2) all += __shfl_xor_sync(0xffffffffu, all, d);
  if (threadIdx.x == 0) to[(call[STEPS_TAKEN] - 1) * gridDim.x + blockIdx.x] = all;
}
