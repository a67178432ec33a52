// W of the layers between in the order in which the chain reads them, for the way ahead (rows are neurons, the sum runs over inputs) and for the
// way back: [low, high][runs of 32 of the sum][rows of 64 bytes, swizzled].
DEV void store_parts(u8 *to, int row, int k, const float (&x)[4], u32 &most) {
  u32 h0, l0, h1, l1;
  split(x[0], x[1], h0, l0);
  split(x[2], x[3], h1, l1);
  most = larger(larger(most, h0), h1);
  u8 *at = to + (k >> 5) * STAGE + row * 64 + ((((k & 31) >> 3) ^ ((row >> 1) & 3)) << 4) + (k & 7) * 2;
  *(uint2 *)at = make_uint2(l0, l1);
  *(uint2 *)(at + PACKED_PART) = make_uint2(h0, h1);
}
#define TILES (PADDED / 32)
// A block a square of 32 weights; each block behind them fills a row of the activations' numbers.
extern "C" __global__ void __launch_bounds__(256) wide_pack(const real *theta, const real *fixed, real *numbers, u8 *packed, State *state,
    u64 *call, const double *loss, double *figures) {
  __shared__ float square[32][33];
  constexpr int SQUARES = (DEPTH - 1) * TILES * TILES;
  if (blockIdx.x >= SQUARES) {
    fill_numbers(theta, fixed, numbers, threadIdx.x, blockIdx.x - SQUARES);
    return;
  }
  if (blockIdx.x == 0 && threadIdx.x < 3 * DEPTH) {
    int kind = threadIdx.x / DEPTH, l = threadIdx.x % DEPTH;
    state->now[kind][l] = state->next[kind][l];
    if (kind != OF_W) state->seen[kind][l] = 0;
    if (threadIdx.x == 0 && call) count_step(call, loss, figures);   // behind a step of a descent
  }
  int layer = blockIdx.x / (TILES * TILES), tile = blockIdx.x % (TILES * TILES);
  int j0 = tile / TILES * 32, k0 = tile % TILES * 32, j = threadIdx.x >> 3, k = (threadIdx.x & 7) * 4;
  const real *w = theta + WEIGHT_1 + layer * EACH_LAYER;
  float scale = state->next[OF_W][layer + 1], x[4], y[4];
  EACH(i, 4) {
    x[i] = j0 + j < WIDTH && k0 + k + i < WIDTH ? w[(j0 + j) * WIDTH + k0 + k + i] * scale : 0;
    square[k + i][j] = x[i];
  }
  u32 most = 0, same = 0;
  u8 *to = packed + (u64)layer * 4 * PACKED_PART;
  store_parts(to, j0 + j, k0 + k, x, most);
  __syncthreads();
  EACH(i, 4) y[i] = square[j][k + i];
  store_parts(to + 2 * PACKED_PART, k0 + j, j0 + k, y, same);
  most = most_of_warp(most);
  if (threadIdx.x % 32 == 0) atomicMax(&state->packed[layer + 1], most);
}
