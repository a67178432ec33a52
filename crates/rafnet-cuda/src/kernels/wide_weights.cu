// W̄ of the layers between: P[layer][slice][j][k] = Σ over the slice's points of Z[point][j] H[point][k], three products of parts.
// A block: one layer, 128 rows j, up to 256 columns k, one slice of the points; a warpgroup has 64 rows. Points lie along the rows of shared
// memory, so both operands are read as the chain stored them. Stages of 32 points, 4 KB for each run of 64 columns of a part.
#define W_STAGE 49152
#define W_STAGES 4
#define W_BARS (W_STAGES * W_STAGE)
#define PAIRS_OF_RUNS ((RUNS + 1) / 2)

template <int COUNT_> DEV void sum_points(float (&acc)[COUNT_ / 2], u32 base, int from, int to, int group, bool works, bool lead) {
  u32 full = base + W_BARS, empty = full + 8 * W_STAGES, phase = 0, lost = 0;
  int stage = 0, last = 0;
#pragma unroll 1
  for (int c = from; c < to; c++) {
    lost = bar_wait(full + 8 * stage, phase, lost);
    u32 at = base + stage * W_STAGE;
    u64 ah = rows_of_128(at + group * 4096, 4096), al = rows_of_128(at + 8192 + group * 4096, 4096);
    u64 bh = rows_of_128(at + 16384, 4096), bl = rows_of_128(at + 32768, 4096);
    if (works) {
      mma_fence();
      EACH(k, 2) mma_points(acc, ah + k * 128, bl + k * 128);
      EACH(k, 2) mma_points(acc, al + k * 128, bh + k * 128);
      EACH(k, 2) mma_points(acc, ah + k * 128, bh + k * 128);
      mma_commit();
      mma_wait<1>();
    }
    if (c > from && lead) bar_arrive(empty + 8 * last);
    last = stage;
    if (++stage == W_STAGES) { stage = 0; phase ^= 1; }
  }
  mma_wait<0>();
  all_came(lost);
}

template <int COUNT_> DEV void weights_of(u32 base, float *out, int from, int to, int group, bool works, bool first) {
  int t = threadIdx.x & 127;
  float acc[COUNT_ / 2];
  EACH(i, COUNT_ / 2) acc[i] = 0;
  sum_points<COUNT_>(acc, base, from, to, group, works, (t & 31) == 0);
  if (!works) return;
  out += ((t >> 5) * 16 + ((t & 31) >> 2)) * PADDED + (t & 3) * 2;
  float f = untruncated((to - from) * 6);
  EACH(i, COUNT_ / 8) EACH(down, 2) {
    float2 *at = (float2 *)(out + i * 8 + down * 8 * PADDED);
    float2 v = make_float2(acc[4 * i + 2 * down] * f, acc[4 * i + 2 * down + 1] * f);
    if (!first) { float2 before = *at; v.x += before.x; v.y += before.y; }
    *at = v;
  }
}

extern "C" __global__ void __launch_bounds__(384, 1) wide_weights(const u8 *H, const u8 *Z, float *P, int tiles, int slices0, int slices1, int slices, int first) {
  WIDE_MEMORY(memory);
  u32 base = shared_at(memory), full = base + W_BARS, empty = full + 8 * W_STAGES;
  int group = threadIdx.x >> 7;
  constexpr int UNITS_ = PAIRS_OF_RUNS * (DEPTH - 1);
  // the columns in one part or two, each with as many slices as suit its width
  bool second = blockIdx.x >= UNITS_ * slices0;
  int block = blockIdx.x - (second ? UNITS_ * slices0 : 0), own = second ? slices1 : slices0;
  int rows = block % PAIRS_OF_RUNS, slice = block / PAIRS_OF_RUNS % own, layer = block / PAIRS_OF_RUNS / own;
  int from = (int)((long long)tiles * slice / own) * 2, to = (int)((long long)tiles * (slice + 1) / own) * 2;
  if (threadIdx.x == 0) {
    EACH(i, W_STAGES) { bar_init(full + 8 * i, 1); bar_init(empty + 8 * i, 8); }
    bars_are_ready();
  }
  __syncthreads();
  if (group == 2) {
    FEWER_REGISTERS();
    if (threadIdx.x < 288) {
      // a lane a run: of the rows two runs high, two low; of the columns all high, all low
      int i = threadIdx.x - 256, runs = second ? RUNS - RUNS_0 : RUNS_0;
      bool of_rows = i < 4;
      int part = of_rows ? i >> 1 : (i - 4) >> 2, k = of_rows ? rows * 2 + (i & 1) : (second ? RUNS_0 : 0) + (i & 3);
      bool loads = of_rows ? k < RUNS : i < 12 && (i & 3) < runs;
      u32 bytes = __popc(__ballot_sync(~0u, loads)) * 4096;
      const u8 *src = (of_rows ? Z : H) + (u64)layer * tiles * (RUNS * 16384) + part * (RUNS * 8192) + k * 8192;
      int stage = 0;
      u32 phase = 0, lost = 0;
      for (int c = from; c < to; c++) {
        lost = bar_wait(empty + 8 * stage, phase ^ 1, lost);
        if (i == 0) bar_expect(full + 8 * stage, bytes);
        __syncwarp();
        if (loads) load_bulk(base + stage * W_STAGE + i * 4096, src + (u64)(c >> 1) * (RUNS * 16384) + (c & 1) * 4096, 4096, full + 8 * stage);
        if (++stage == W_STAGES) { stage = 0; phase ^= 1; }
      }
      all_came(lost);
    }
  } else {
    MORE_REGISTERS();
    bool works = rows * 2 + group < RUNS;
    float *out = P + ((u64)(layer * slices + slice) * COLUMNS + (rows * 2 + group) * 64) * PADDED;
    if (second) weights_of<COLUMNS_1>(base, out + COLUMNS_0, from, to, group, works, first);
    else weights_of<COLUMNS_0>(base, out, from, to, group, works, first);
  }
}
