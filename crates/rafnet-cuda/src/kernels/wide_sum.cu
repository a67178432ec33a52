// The gradient from all partial sums, in a fixed order, and the scales of the next step.

// A scale is kept while it brings the largest number between 2⁸ and 2¹⁴; a new one brings it to 2¹². A number beyond f16, or all of them too
// small, make the step one that was in vain. Numbers are looked at in the order in which they are made: behind one beyond f16, the others say nothing.
DEV bool is_used(int kind, int l) { return kind == OF_H ? l < DEPTH - 1 : l > 0; }
struct Scales { float now[3][DEPTH]; u32 seen[3][DEPTH]; };
DEV bool judge(const Scales &all, State *state, bool writes) {
  bool again = false, over = false;
  for (int i = 0; i < 3 * DEPTH; i++) {
    int kind = i / DEPTH, l = kind == OF_Z ? 3 * DEPTH - 1 - i : i - kind * DEPTH;
    u32 most = all.seen[kind][l];
    float scale = all.now[kind][l], better = scale;
    if (!over && most >= 0x7c00) {
      // beyond f16; where no scale helps, or it is no number, the step stays as it is
      over = true;
      again = most == 0x7c00 && scale > 0x1p-60f;
      better = scale * 0x1p-12f;
    } else if (!over && is_used(kind, l)) {
      int exponent = (int)(most >> 10) - 15;
      if (exponent < 8 || exponent > 13) better = fminf(scale * __uint_as_float((127 + 12 - exponent) << 23), 0x1p60f);
      again |= exponent < -2 && better != scale;
    }
    if (writes) state->next[kind][l] = better;
  }
  return again;
}

#define QUADS (PADDED / 4)
#define OF_WEIGHTS (((DEPTH - 1) * WIDTH * QUADS + 255) / 256)
extern "C" __global__ void __launch_bounds__(256) wide_sum(const float *P, const float *sums, const real *numbers, State *state, u64 *call, real *gradient, double *loss, int groups,
    int slices0, int slices1, int slices, double lambda, double share) {
  __shared__ Scales scales;
  __shared__ float4 part[256];
  __shared__ bool in_vain;
  int t = threadIdx.x;
  if (t < 3 * DEPTH) {
    int kind = t / DEPTH, l = t % DEPTH;
    scales.now[kind][l] = state->now[kind][l];
    scales.seen[kind][l] = state->seen[kind][l];
  }
  // while sums are on their way a thread judges the step
  auto verdict = [&]() {
    __syncthreads();
    if (t == 255) {
      in_vain = judge(scales, state, blockIdx.x == 0);
      if (blockIdx.x == 0) {
        state->again = in_vain;
        if (in_vain && call && call[NOT_FINITE] == 0) call[NOT_FINITE] = IN_VAIN;   // no update, and not counted
      }
    }
    __syncthreads();
    return in_vain;
  };
  double factor = 2 * lambda * share;
  if (blockIdx.x < OF_WEIGHTS) {
    int item = blockIdx.x * 256 + t, k = item % QUADS * 4, j = item / QUADS % WIDTH, l = item / (QUADS * WIDTH);
    bool is_there = l < DEPTH - 1;
    if (!is_there) l = 0;
    const float *from = P + ((u64)l * slices * COLUMNS + j) * PADDED + k;
    float g[4] = {0, 0, 0, 0};
    int count = k < COLUMNS_0 ? slices0 : slices1;
#pragma unroll 8
    for (int s = 0; s < count; s++) {
      float4 v = __ldcg((const float4 *)(from + (u64)s * COLUMNS * PADDED));
      g[0] += v.x; g[1] += v.y; g[2] += v.z; g[3] += v.w;
    }
    bool again = verdict();
    if (!is_there) return;
    float f = (float)(factor / ((double)scales.now[OF_Z][l + 1] * scales.now[OF_H][l]));
    real *to = gradient + WEIGHT_1 + l * EACH_LAYER + j * WIDTH + k;
    bool finite = true;
    EACH(i, 4) if (k + i < WIDTH) {
      g[i] = again ? 0 : g[i] * f;
      to[i] = g[i];
      finite &= isfinite(g[i]) != 0;
    }
    if (call && !finite) call[NOT_FINITE] = 1;
    return;
  }
  // a quarter of 256 columns of a row of the chain's sums: sixteen parts of the groups, then these
  int block = blockIdx.x - OF_WEIGHTS, row = block / RUNS, run = block % RUNS, c = t & 15, q = t >> 4;
  float4 a = make_float4(0, 0, 0, 0);
#pragma unroll 8
  for (int s = groups * q / 16; s < groups * (q + 1) / 16; s++) {
    float4 v = __ldcg((const float4 *)(sums + ((u64)s * SUM_ROWS + row) * COLUMNS + run * 64) + c);
    a.x += v.x; a.y += v.y; a.z += v.z; a.w += v.w;
  }
  part[t] = a;
  bool again = verdict();
  if (t >= 64) return;
  const float *f = (const float *)part;
  int n = run * 64 + t;
  if (row == ROW_LAST) {
    double all = 0;
    EACH(i, 16) all += f[i * 64 + t];
    if (again) all = 0;
    if (n < OUTPUTS) gradient[BIAS_OUT + n] = (real)(all * factor);
    if (n == OUTPUTS) loss[0] = all * lambda * share;
    if (call && n <= OUTPUTS && !isfinite(all)) call[NOT_FINITE] = 1;
    return;
  }
  if (n >= WIDTH) return;
  float g = 0;
  EACH(i, 16) g += f[i * 64 + t];
  // whose number it is, and in which scale
  int layer = row < ROW_IN ? row / SUMS : row < ROW_OUT ? 0 : DEPTH - 1, place;
  if (row >= ROW_OUT) place = WEIGHT_OUT + (row - ROW_OUT) * WIDTH + n;
  else if (row >= ROW_IN) place = WEIGHT_0 + n * FAN_IN + row - ROW_IN;
  else if (row % SUMS == TRAINED) place = (layer == 0 ? BIAS_0 : BIAS_1 + (layer - 1) * EACH_LAYER) + n;
  else {
    float own[NUMBERS];
    EACH(r, NUMBERS) own[r] = numbers[FIRST_NUMBER + (layer * NUMBERS + r) * WIDTH + n];
    g *= Neuron(own, n).factor(row % SUMS);
    place = layer == 0 ? First(own, n).place(row % SUMS) : Neuron(own, n).place(row % SUMS);
    if (place < 0) return;   // a group with fewer trained numbers than others
    if (layer > 0) place += (layer - 1) * EACH_LAYER;
  }
  g = again ? 0 : g * (float)(factor / scales.now[OF_Z][max(layer, 1)]);
  gradient[place] = g;
  if (call && !isfinite(g)) call[NOT_FINITE] = 1;
}

// Adam, unless the step was in vain or something is not finite
extern "C" __global__ void __launch_bounds__(256) wide_step(real *theta, const real *gradient, real *m, real *v, const unsigned char *still, const u64 *call, int n, double beta1, double beta2,
    double epsilon, double decay) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (call[NOT_FINITE] || i >= n) return;
  adam(theta, m, v, still, i, gradient[i], call, beta1, beta2, epsilon, decay);
}
