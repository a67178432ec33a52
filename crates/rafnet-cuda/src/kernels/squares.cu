// Around the dense algebra of a Gauss–Newton step. The text depends on no problem: it is compiled once.
typedef unsigned long long u64;
#define EVERY(at, n) (u64 at = (u64)blockIdx.x * 256 + threadIdx.x; at < (n); at += (u64)gridDim.x * 256)

// rows that are sums over groups of points, times a factor; a warp a row
extern "C" __global__ void __launch_bounds__(256) scale_rows(const double *each, double *rows, int count, int group, int n_rows, double scale) {
  int lane = threadIdx.x % 32;
  for (int row = blockIdx.x * 8 + threadIdx.x / 32; row < n_rows; row += gridDim.x * 8) {
    int of = row / count, m = row - of * count;
    double sum = 0;
    for (int p = lane; p < group; p += 32) sum += each[((u64)of * group + p) * count + m];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (lane == 0) rows[row] = scale * sum;
  }
}

// the sum of numbers so far apart, or of their squares, in a fixed order; one block
extern "C" __global__ void __launch_bounds__(256) sum(const double *of, int n, int apart, int squared, double *out) {
  __shared__ double part[256];
  double sum = 0;
  for (int i = threadIdx.x; i < n; i += 256) { double v = of[(u64)i * apart]; sum += squared ? v * v : v; }
  part[threadIdx.x] = sum;
  for (int d = 128; d > 0; d /= 2) {
    __syncthreads();
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
  }
  if (threadIdx.x == 0) out[0] = part[0];
}

// G + λI
extern "C" __global__ void __launch_bounds__(256) damp(const double *gram, double *damped, int n, double lambda) {
  for EVERY(at, (u64)n * n) damped[at] = gram[at] + (at % (n + 1) == 0 ? lambda : 0);
}

// [A; √λ I] or [Aᵀ; √λ I], column by column: `height` rows above n of the unit matrix. A's columns are `apart`.
extern "C" __global__ void __launch_bounds__(256) stack(const double *a, double *stacked, int height, int n, int apart, int transposed, double root) {
  u64 whole = (u64)height + n;
  for EVERY(at, whole * n) {
    u64 column = at / whole, row = at - column * whole;
    stacked[at] = row < height ? (transposed ? a[column + row * apart] : a[row + column * apart]) : row - height == column ? root : 0;
  }
}
