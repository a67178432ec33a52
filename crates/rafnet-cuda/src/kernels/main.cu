// The kernel: `ahead` and `back` are the layers in their order, `respond` what stands around the network; both were generated.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) sweep(
    const real *theta,
    const real *packed, const real *numbers,   // weights in the order of products; numbers of the activations
    const real *points, const real *data, const real *weights, int n,
    const real *shared,                        // numbers that all points share, within their bounds
    const real *given,                         // cotangents of a pullback, or the rows of groups where a row is a sum
    real *out,                                 // values, residuals or rows of a Jacobian
    real *partial, double *losses,             // sums of this block
    real *stash, real *matrices,               // scratch of this block; the tile's matrices where shared memory is too small for them
    double scale,                              // 2 / rows
    u64 seed, u64 round, int label0, int label1, const double *region, int is_shell, const u64 *call) {   // where there are no points: how they are drawn
  SHARED_MEMORY(memory);
  real *begin = IN_SHARED ? (real *)memory : matrices + (u64)blockIdx.x * MATRICES;
  Tile b;
  b.Z = begin; b.X = begin + MATRIX; b.x = begin + 2 * MATRIX; b.kept = b.x + (POINTS * D + 1) / 2 * 2;
  b.stash = stash + (u64)blockIdx.x * STASH; b.phi = b.stash + PHI;
  b.theta = theta; b.packed = packed; b.numbers = numbers;
  b.partial = partial + (u64)blockIdx.x * SUMS_OF_BLOCK; b.rows = out;
  b.warp = threadIdx.x / 32; b.lane = threadIdx.x % 32; b.g = b.lane / 4; b.t = b.lane % 4;
  b.n = n; b.residual = 0;
  for (int at = threadIdx.x; at < 2 * MATRIX; at += THREADS) begin[at] = 0;
  Words key;
  if (!points) {
    u64 r = round + call[FIRST_STEP] + call[STEPS_TAKEN];
    key = philox(Words{{(u32)r, (u32)(r >> 32), (u32)label0, (u32)label1}}, (u32)seed, (u32)(seed >> 32));
  }
  constexpr int SUMMED = MODE == SUM_SQUARES ? COUNT : 1;
  double square[SUMMED];
  EACH(k, SUMMED) square[k] = 0;
  real slopes[SHARED_NUMBERS + 1];
  EACH(k, SHARED_NUMBERS) slopes[k] = 0;
  // every block has as many eights of points as any other, or fewer
  int all = (n + 7) / 8, each = (all + gridDim.x - 1) / gridDim.x, from = blockIdx.x * each, to = min(from + each, all);
  for (int eight = from; eight < to; eight += GROUPS8) {
    b.begin = 8 * eight; b.groups = min(GROUPS8, to - eight); b.first = eight == from;
    // behind the end the last point again, whose share is left out
    if (points) for (int at = threadIdx.x; at < 8 * b.groups * D; at += THREADS) {
      int p = at / D, i = min(b.begin + p, n - 1);
      b.x[at] = points[(u64)i * D + (at - p * D)];
    } else if (is_shell) for (int p = threadIdx.x; p < 8 * b.groups; p += THREADS) draw_in_shell(min(b.begin + p, n - 1), key, label0, region, b.x + p * D);
    else for (int at = threadIdx.x; at < 8 * b.groups * ((D + 1) / 2); at += THREADS) {
      int p = at / ((D + 1) / 2), pair = at % ((D + 1) / 2);
      draw_in_box(min(b.begin + p, n - 1), pair, key, label0, region, b.x + p * D + 2 * pair);
    }
    __syncthreads();
    ahead(b);
#if MODE == JACOBIAN
    for (b.residual = 0; b.residual < COUNT; b.residual++) {
      if (b.residual > 0) { again(b); __syncthreads(); }
#endif
      for (int p = threadIdx.x; p < 8 * b.groups; p += THREADS) respond(b, p, data, weights, shared, given, out, (real)scale, square, slopes);
      __syncthreads();
#if GOES_BACK
      back(b);
      __syncthreads();
#endif
#if MODE == JACOBIAN
    }
#endif
  }
#if MODE == GRADIENT || MODE == SUM_SQUARES
  // what every thread has of the sums of squares and of the shared numbers, in the order of the threads
  double *shares = (double *)begin;
  for (int k = 0; k < SUMMED + (MODE == GRADIENT ? SHARED_NUMBERS : 0); k++) {
    shares[threadIdx.x] = k < SUMMED ? square[min(k, SUMMED - 1)] : (double)slopes[max(k - SUMMED, 0)];
    __syncthreads();
    if (threadIdx.x == 0) {
      double sum = 0;
      for (int i = 0; i < THREADS && i < POINTS; i++) sum += shares[i];
      if (k < SUMMED) losses[blockIdx.x * SUMMED + k] = sum; else b.partial[SHARED_SLOT + k - SUMMED] = (real)sum;
    }
    __syncthreads();
  }
#endif
}
