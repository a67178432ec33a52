// A block takes 64 points (two times 64 where the width is at most 256) through all layers and back.
//
//   operands of 64 points in shared memory: [high, low][runs of 64 columns][64 rows of 128 bytes, swizzled]
//   z of a layer takes the operand's place: of columns 2c, 2c + 1 the first stands where the two high parts were, the second where the low parts were
//
// Two warpgroups compute; a thread of the third streams packed weights through a ring. Where a block has two teams of a warpgroup each, they take
// turns: one's product keeps the tensor cores busy while the other has what comes between products. A wider product's columns belong to both
// warpgroups in halves. Between products a thread has two columns and all rows, so that a neuron's numbers and its gradients stay in registers.
#define TEAM (256 / TEAMS)
#define PART (RUNS * 8192)
#define OPERAND (2 * PART)
#define AT_RING (TEAMS * OPERAND)
#define AT_BARS (AT_RING + STAGES * STAGE)
#define AT_RESIDUALS (AT_BARS + 16 * STAGES)
#define AT_SCRATCH (AT_RESIDUALS + TEAMS * 64 * SLOTS_OF_OUTPUT * 4)
#define AT_SEEN (AT_SCRATCH + TEAMS * SCRATCH_NUMBERS * 4)
#define AT_SCALES (AT_SEEN + 8 * DEPTH)
#define RUNS_OF_K (PADDED / 32)
#define STAGES_OF_PRODUCT (2 * RUNS_OF_K)
#define COLUMNS (RUNS * 64)
#define SUMS (TRAINED + 1)
// residuals that a thread of a team has
#define RESIDUALS_OF_THREAD ((64 * SLOTS_OF_OUTPUT + TEAM - 1) / TEAM)

struct Ring {
  u32 at, full, empty;
  int stage;
  u32 phase, lost;
  DEV void wait(u32 bars) { lost = bar_wait(bars + 8 * stage, phase, lost); }
  DEV void next() { if (++stage == STAGES) { stage = 0; phase ^= 1; } }
  // past what the other team takes
  DEV void skip_product() {
    stage += STAGES_OF_PRODUCT % STAGES;
    phase ^= STAGES_OF_PRODUCT / STAGES & 1;
    if (stage >= STAGES) { stage -= STAGES; phase ^= 1; }
  }
};

// Teams take turns: a team begins when the other has seen its last stage come. Only then do the phases of the barriers say what is meant.
struct Turn {
  int team;
  bool ends;
  DEV void begin() const { if (TEAMS == 2) team_sync(4 + team, 256); }
  DEV void end() const { if (TEAMS == 2 && !ends) team_pass(5 - team, 256); }
};

// acc = operand · weights: high low first, while sums are small, then low high and high high
DEV void product(float (&acc)[SHARE / 2], u32 operand, Ring &ring, bool lead, int half, Turn turn) {
  u64 high = rows_of_128(operand, 16), low = rows_of_128(operand + PART, 16);
  int last = 0;
  turn.begin();
#pragma unroll
  for (int i = 0; i < RUNS_OF_K; i++) {
    ring.wait(ring.full);
    u64 b = rows_of_64(ring.at + ring.stage * STAGE + half * (SHARE * 64)), a = high + (i >> 1) * 512 + (i & 1) * 4;
    mma_fence();
    if (i > 0) mma_add(acc, a, b); else mma_set(acc, a, b);
    mma_add(acc, a + 2, b + 2);
    mma_commit();
    mma_wait<1>();
    if (i > 0 && lead) bar_arrive(ring.empty + 8 * last);
    last = ring.stage;
    ring.next();
  }
#pragma unroll 1
  for (int i = 0; i < RUNS_OF_K; i++) {
    ring.wait(ring.full);
    u64 b = rows_of_64(ring.at + ring.stage * STAGE + half * (SHARE * 64));
    int k = (i >> 1) * 512 + (i & 1) * 4;
    mma_fence();
    mma_add(acc, low + k, b);
    mma_add(acc, low + k + 2, b + 2);
    mma_add(acc, high + k, b);
    mma_add(acc, high + k + 2, b + 2);
    mma_commit();
    mma_wait<1>();
    if (lead) bar_arrive(ring.empty + 8 * last);
    last = ring.stage;
    ring.next();
  }
  turn.end();
  mma_wait<0>();
  if (lead) bar_arrive(ring.empty + 8 * last);
  if (TEAMS == 2) ring.skip_product();
}

// the product into the operand's place, from column FROM on
template <int FROM> DEV void unload(const float (&acc)[SHARE / 2], u32 operand, int t) {
  int g = (t & 31) >> 2;
  u32 at = operand + ((t >> 5) * 16 + g) * 128 + (t & 3) * 4;
  EACH(i, SHARE / 8) {
    const int column = FROM + 8 * i;
    u32 to = at + (column >> 6) * 8192 + ((((column >> 3) & 7) ^ g) << 4);
    store_shared(to, acc[4 * i]);
    store_shared(to + PART, acc[4 * i + 1]);
    store_shared(to + 1024, acc[4 * i + 2]);
    store_shared(to + 1024 + PART, acc[4 * i + 3]);
  }
}

// two neighbouring neurons of a layer
struct Pair {
  float q[2][NUMBERS], bias[2];
  int n[2];
  DEV Pair(const real *numbers, const real *theta, int layer, int column) {
    EACH(i, 2) {
      n[i] = min(column + i, WIDTH - 1);
      EACH(r, NUMBERS) q[i][r] = __ldg(numbers + (layer * NUMBERS + r) * WIDTH + n[i]);
      bias[i] = __ldg(theta + (layer == 0 ? BIAS_0 : BIAS_1 + (layer - 1) * EACH_LAYER) + n[i]);
    }
  }
  DEV float value(int i, float z) const {
    const real in[1] = {z};
    real out[1];
    Neuron(q[i], n[i]).ahead(in, out);
    return out[0];
  }
  // h̄ → z̄, with what it adds to the gradients of this neuron's numbers and bias
  DEV float back(int i, float z, float felt, float (&sum)[SUMS]) const {
    const real in[1] = {z};
    real bar[1] = {felt};
    Neuron(q[i], n[i]).back(in, bar, sum);
    sum[TRAINED] += bar[0];
    return bar[0];
  }
};

// where a thread's two columns are: of row r at ((at ^ ((r & 7) << 4)) + 128 r)
struct Lane {
  u32 at;
  bool is_there;               // whether its warp has a run of columns
  float live[2];               // 1, or 0 for a column beyond the width
};
#define BASE(r) ((lane.at ^ (((r) & 4) << 4)) + (r) * 128)
#define AT_ROW(k) ((at ^ ((k) << 4)) + (k) * 128)
#define BATCH 8
#define FEW (OUTPUTS > 1 ? 4 : 8)

// z → h of a layer between; z is kept for the way back
DEV u32 activate(const Lane &lane, const Pair &pair, float2 *z_kept, float scale_z, float scale_h) {
  u64 policy = stays();
  float s0 = scale_h * lane.live[0], s1 = scale_h * lane.live[1];
  u32 most = 0;
#pragma unroll 1
  for (int r = 0; r < 64; r += BATCH, z_kept += BATCH * (COLUMNS / 2)) {
    u32 at = BASE(r), high[BATCH], low[BATCH];
    float x[BATCH], y[BATCH];
    EACH(k, BATCH) { x[k] = load_shared(AT_ROW(k)); y[k] = load_shared(AT_ROW(k) + PART); }
    EACH(k, BATCH) {
      float a = __fmaf_rn(x[k], scale_z, pair.bias[0]), b = __fmaf_rn(y[k], scale_z, pair.bias[1]);
      keep(z_kept + k * (COLUMNS / 2), a, b, policy);
      split(pair.value(0, a) * s0, pair.value(1, b) * s1, high[k], low[k]);
      most = larger(most, high[k]);
    }
    EACH(k, BATCH) { store_shared(AT_ROW(k), high[k]); store_shared(AT_ROW(k) + PART, low[k]); }
  }
  return most;
}

DEV void ask_for(float2 (&z)[2][BATCH], const float2 *z_kept) {
  u64 policy = stays();
  EACH(k, 2 * BATCH) z[k / BATCH][k % BATCH] = kept(z_kept + k * (COLUMNS / 2), policy);
}
// h̄ → z̄ of a layer between; z was asked for two batches ahead (behind the last row there is spare room to read)
DEV u32 feel(const Lane &lane, const Pair &pair, const float2 *z_kept, float2 (&z)[2][BATCH], float scale, float (&s0)[SUMS], float (&s1)[SUMS]) {
  u64 policy = stays();
  float f0 = scale * lane.live[0], f1 = scale * lane.live[1];
  u32 most = 0;
#pragma unroll 1
  for (int r = 0; r < 64; r += 2 * BATCH, z_kept += 2 * BATCH * (COLUMNS / 2)) EACH(b, 2) {
    u32 at = BASE(r + BATCH * b), high[BATCH], low[BATCH];
    float x[BATCH], y[BATCH];
    EACH(k, BATCH) { x[k] = load_shared(AT_ROW(k)); y[k] = load_shared(AT_ROW(k) + PART); }
    EACH(k, BATCH) {
      split(pair.back(0, z[b][k].x, x[k] * f0, s0), pair.back(1, z[b][k].y, y[k] * f1, s1), high[k], low[k]);
      most = larger(most, high[k]);
    }
    EACH(k, BATCH) z[b][k] = kept(z_kept + ((2 + b) * BATCH + k) * (COLUMNS / 2), policy);
    EACH(k, BATCH) { store_shared(AT_ROW(k), high[k]); store_shared(AT_ROW(k) + PART, low[k]); }
  }
  return most;
}

// sums over the lanes of a warp, 32 of them at once: lane i ends with the i-th
template <int S_> DEV void fold(float (&v)[32], int lane) {
  bool up = lane & S_;
  EACH(i, S_) {
    float mine = up ? v[i + S_] : v[i], other = up ? v[i] : v[i + S_];
    v[i] = mine + __shfl_xor_sync(~0u, other, S_);
  }
}
// Σ w h of the outputs over a warp's columns: to[row · SLOTS_OF_OUTPUT + output]
DEV void put_out(Lane lane, const Pair &pair, const float (&w)[2][OUTPUTS], float scale_z, u32 to, int id) {
#pragma unroll 1
  for (int r = 0; r < 64; r += 32 / SLOTS_OF_OUTPUT) {
    float v[32];
    EACH(j, 32 / SLOTS_OF_OUTPUT) {
      u32 at = (lane.at ^ (((r + j) & 7) << 4)) + (r + j) * 128;
      float a = pair.value(0, __fmaf_rn(load_shared(at), scale_z, pair.bias[0]));
      float b = pair.value(1, __fmaf_rn(load_shared(at + PART), scale_z, pair.bias[1]));
      EACH(o, SLOTS_OF_OUTPUT) v[j * SLOTS_OF_OUTPUT + o] = o < OUTPUTS ? w[0][o < OUTPUTS ? o : 0] * a + w[1][o < OUTPUTS ? o : 0] * b : 0;
    }
    fold<16>(v, id); fold<8>(v, id); fold<4>(v, id); fold<2>(v, id); fold<1>(v, id);
    store_shared(to + (r * SLOTS_OF_OUTPUT + id) * 4, v[0]);
  }
}
// the last layer's z̄ from the residuals: h̄ = Σ r w; the gradient of w is Σ r h
DEV u32 feel_last(const Lane &lane, const Pair &pair, const float (&w)[2][OUTPUTS], u32 residuals, float scale_z, float (&s0)[SUMS], float (&s1)[SUMS], float (&of_w)[2][OUTPUTS]) {
  u32 most = 0;
#pragma unroll 1
  for (int r = 0; r < 64; r += FEW, residuals += FEW * SLOTS_OF_OUTPUT * 4) {
    u32 at = BASE(r), high[FEW], low[FEW];
    float x[FEW], y[FEW], f[FEW][OUTPUTS];
    EACH(k, FEW) {
      x[k] = load_shared(AT_ROW(k)); y[k] = load_shared(AT_ROW(k) + PART);
      EACH(o, OUTPUTS) f[k][o] = load_shared(residuals + (k * SLOTS_OF_OUTPUT + o) * 4);
    }
    EACH(k, FEW) {
      float a = __fmaf_rn(x[k], scale_z, pair.bias[0]), b = __fmaf_rn(y[k], scale_z, pair.bias[1]), p = 0, q = 0;
      float h0 = pair.value(0, a), h1 = pair.value(1, b);
      EACH(o, OUTPUTS) {
        p = __fmaf_rn(f[k][o], w[0][o], p);
        q = __fmaf_rn(f[k][o], w[1][o], q);
        of_w[0][o] = __fmaf_rn(f[k][o], h0, of_w[0][o]);
        of_w[1][o] = __fmaf_rn(f[k][o], h1, of_w[1][o]);
      }
      split(pair.back(0, a, p, s0), pair.back(1, b, q, s1), high[k], low[k]);
      most = larger(most, high[k]);
    }
    EACH(k, FEW) { store_shared(AT_ROW(k), high[k]); store_shared(AT_ROW(k) + PART, low[k]); }
  }
  return most;
}

// a row of this team's sums begins with its first tile; nobody else writes there, so the order is fixed
DEV void put(float *sums, int row, int column, bool first, float v0, float v1) {
  float2 *at = (float2 *)(sums + row * COLUMNS + column);
  if (first) *at = make_float2(v0, v1);
  else add_pair(at, v0, v1);
}

extern "C" __global__ void __launch_bounds__(384, 1) wide_chain(
    const real *points, const real *data, const real *theta, const real *numbers, const u8 *packed,
    u8 *H, u8 *Z,              // operands of the weights' gradient: [layer][64 points][OPERAND], h before each layer and cotangents of its z
    float *z_scratch,          // z of the layers between: of a team [layer][64][COLUMNS]
    float *all_sums,           // of a team [SUM_ROWS][COLUMNS]
    State *state, int n, int begin, int tiles, int first_part) {
  WIDE_MEMORY(memory);
  u32 base = shared_at(memory), bars = base + AT_BARS;
  int group = threadIdx.x >> 7;
  u32 *seen = (u32 *)(memory + AT_SEEN);
  if (threadIdx.x == 0) {
    EACH(i, STAGES) { bar_init(bars + 8 * i, 1); bar_init(bars + 8 * (STAGES + i), 8 / TEAMS); }
    bars_are_ready();
    // the next step finds the place clear in which the largest weight is gathered
    if (blockIdx.x == 0 && first_part) for (int l = 1; l < DEPTH; l++) { state->seen[OF_W][l] = state->packed[l]; state->packed[l] = 0; }
  }
  float *scales = (float *)(memory + AT_SCALES);
  for (int i = threadIdx.x; i < 3 * DEPTH; i += 384) {
    scales[i] = __ldcg(&state->now[0][0] + i);
    if (i < 2 * DEPTH) seen[i] = 0;
  }
  // columns behind the last product's are never written by one, and must be numbers
  if (PADDED < COLUMNS) for (int i = threadIdx.x; i < AT_RING / 16 && group < 2; i += 256) ((uint4 *)memory)[i] = make_uint4(0, 0, 0, 0);
  __syncthreads();
  if (group == 2) {            // the stream of weights: ahead through the layers, and back
    FEWER_REGISTERS();
    if (threadIdx.x == 256) {
      Ring ring{base + AT_RING, bars, bars + 8 * STAGES, 0, 1, 0};
      for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x)
        for (int turn = 0; turn < 2 * (DEPTH - 1) * TEAMS; turn++) {
          int p = turn / TEAMS, which = p < DEPTH - 1 ? 2 * p : 2 * (2 * (DEPTH - 1) - 1 - p) + 1;
          const u8 *from = packed + (u64)which * 2 * PACKED_PART;
          for (int i = 0; i < STAGES_OF_PRODUCT; i++, ring.next()) {
            ring.wait(ring.empty);
            bar_expect(ring.full + 8 * ring.stage, STAGE);
            load_bulk(ring.at + ring.stage * STAGE, from + i * STAGE, STAGE, ring.full + 8 * ring.stage);
          }
        }
      all_came(ring.lost);
    }
  } else {
    MORE_REGISTERS();
    int t = threadIdx.x & 127, team = threadIdx.x / TEAM, u = threadIdx.x % TEAM, half = TEAMS == 1 ? group : 0, id = t & 31, run = u >> 5;
    Ring ring{base + AT_RING, bars, bars + 8 * STAGES, 0, 0, 0};
    if (team == 1) {
      ring.skip_product();
      team_pass(4, 256);
    }
    bool lead = id == 0;
    u32 operand = base + team * OPERAND, residuals = base + AT_RESIDUALS + team * 64 * SLOTS_OF_OUTPUT * 4;
    float *scratch = (float *)(memory + AT_SCRATCH) + team * SCRATCH_NUMBERS;
    u32 scratch_at = shared_at(scratch);
    int column = 2 * u, bar = 1 + team;
    Lane lane{operand + run * 8192 + ((id >> 2) << 4) + (id & 3) * 4, run < RUNS, {column < WIDTH ? 1.0f : 0.0f, column + 1 < WIDTH ? 1.0f : 0.0f}};
    float2 *z_kept = (float2 *)(z_scratch + (u64)(blockIdx.x * TEAMS + team) * (DEPTH - 2) * 64 * COLUMNS + column);
    float *sums = all_sums + (u64)(blockIdx.x * TEAMS + team) * SUM_ROWS * COLUMNS;
    float r1 = 0, r2 = 0;
    u64 of_layer = (u64)tiles * TEAMS * OPERAND;
    auto scale = [&](int kind, int l) { return scales[kind * DEPTH + l]; };
    auto saw = [&](int kind, int l, u32 most) {
      most = most_of_warp(most);
      if (lead) atomicMax(seen + (kind - 1) * DEPTH + l, most);
    };
    auto enter = [&](int from) {   // what the first layer sees of this team's points
#if COORDINATES_ALONE
      EACH(k, D) for (int r = u; r < 64; r += TEAM) copy_number(scratch_at + (r * PITCH + k) * 4, points + (u64)min(from + r, n - 1) * D + k);
#else
      for (int r = u; r < 64; r += TEAM) inputs(points + (u64)min(from + r, n - 1) * D, scratch + r * PITCH);
#endif
    };

    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      bool first = first_part && tile == blockIdx.x;
      int here = tile * TEAMS + team, from = (begin + tile) * (64 * TEAMS) + team * 64;
      u64 at_tile = (u64)here * OPERAND;
      // the first layer, without a product
      Pair pair(numbers + FIRST_NUMBER, theta, 0, column);
      float w[2][FAN_IN], s0 = scale(OF_H, 0) * lane.live[0], s1 = scale(OF_H, 0) * lane.live[1];
      EACH(i, 2) EACH(k, FAN_IN) w[i][k] = __ldg(theta + WEIGHT_0 + pair.n[i] * FAN_IN + k);
      team_sync(bar, TEAM);
      enter(from);
      if (u == 0) stored_is_read();
      copied();
      team_sync(bar, TEAM);
      if (lane.is_there) {
        u32 most = 0;
#pragma unroll 1
        for (int r = 0; r < 64; r += BATCH) {
          u32 at = BASE(r);
          EACH(k, BATCH) {
            float a = pair.bias[0], b = pair.bias[1];
            EACH(i, FAN_IN) { float x = scratch[(r + k) * PITCH + i]; a = __fmaf_rn(w[0][i], x, a); b = __fmaf_rn(w[1][i], x, b); }
            u32 high, low;
            split(pair.value(0, a) * s0, pair.value(1, b) * s1, high, low);
            most = larger(most, high);
            store_shared(AT_ROW(k), high);
            store_shared(AT_ROW(k) + PART, low);
          }
        }
        saw(OF_H, 0, most);
      }
      // ahead
#pragma unroll 1
      for (int l = 1; l < DEPTH; l++) {
        fence_async();
        team_sync(bar, TEAM);
        if (u == 0) store_bulk(H + (l - 1) * of_layer + at_tile, operand, OPERAND);
        float acc[SHARE / 2];
        product(acc, operand, ring, lead, half, Turn{team, false});
        // what is read from afar is asked for before it is needed
        Pair pair(numbers + FIRST_NUMBER, theta, l, column);
        if (u == 0) stored_is_read();
        team_sync(bar, TEAM);
        if (half) unload<SHARE>(acc, operand, t); else unload<0>(acc, operand, t);
        float w[2][OUTPUTS], target[RESIDUALS_OF_THREAD];
        if (l == DEPTH - 1) {
          EACH(i, 2) EACH(o, OUTPUTS) w[i][o] = __ldg(theta + WEIGHT_OUT + o * WIDTH + pair.n[i]) * lane.live[i];
          EACH(e, RESIDUALS_OF_THREAD) {
            int o = u % SLOTS_OF_OUTPUT, point = from + (u + e * TEAM) / SLOTS_OF_OUTPUT;
            target[e] = o < OUTPUTS && point < n ? __ldg(data + (u64)point * OUTPUTS + o) - __ldg(theta + BIAS_OUT + o) : 0;
          }
        }
        team_sync(bar, TEAM);
        float scale_z = untruncated(PADDED / 8) / (scale(OF_H, l - 1) * scale(OF_W, l));
        if (l < DEPTH - 1) {
          if (lane.is_there) saw(OF_H, l, activate(lane, pair, z_kept + (l - 1) * (32 * COLUMNS), scale_z, scale(OF_H, l)));
          continue;
        }
        // the last layer, the outputs and the residuals
        if (lane.is_there) put_out(lane, pair, w, scale_z, scratch_at + run * 64 * SLOTS_OF_OUTPUT * 4, id);
        team_sync(bar, TEAM);
        float scale_r = scale(OF_Z, l);
        EACH(e, RESIDUALS_OF_THREAD) {
          int i = u + e * TEAM;
          float r = 0;
          if (i < 64 * SLOTS_OF_OUTPUT) {
            if (i % SLOTS_OF_OUTPUT < OUTPUTS && from + i / SLOTS_OF_OUTPUT < n) {
              EACH(k, RUNS) r += scratch[k * 64 * SLOTS_OF_OUTPUT + i];
              r -= target[e];
            }
            store_shared(residuals + 4 * i, r * scale_r);
          }
          r1 += r;
          r2 = __fmaf_rn(r, r, r2);
        }
        team_sync(bar, TEAM);
        enter(from);   // again, for the first layer's way back: the outputs' sums stood there
        if (lane.is_there) {
          float s0[SUMS], s1[SUMS], of_w[2][OUTPUTS];
          EACH(c, SUMS) s0[c] = s1[c] = 0;
          EACH(o, OUTPUTS) of_w[0][o] = of_w[1][o] = 0;
          saw(OF_Z, l, feel_last(lane, pair, w, residuals, scale_z, s0, s1, of_w));
          EACH(c, SUMS) put(sums, l * SUMS + c, column, first, s0[c], s1[c]);
          EACH(o, OUTPUTS) put(sums, ROW_OUT + o, column, first, of_w[0][o], of_w[1][o]);
        }
      }
      // back: a product carries the cotangents down a layer
#pragma unroll 1
      for (int l = DEPTH - 1; l > 0; l--) {
        fence_async();
        copied();
        team_sync(bar, TEAM);
        if (u == 0) store_bulk(Z + (l - 1) * of_layer + at_tile, operand, OPERAND);
        float acc[SHARE / 2];
        product(acc, operand, ring, lead, half, Turn{team, team == 1 && l == 1 && tile + gridDim.x >= tiles});
        float2 z[2][BATCH];
        if (l > 1) ask_for(z, z_kept + (l - 2) * (32 * COLUMNS));
        Pair pair(numbers + FIRST_NUMBER, theta, l - 1, column);
        if (u == 0) stored_is_read();
        team_sync(bar, TEAM);
        if (half) unload<SHARE>(acc, operand, t); else unload<0>(acc, operand, t);
        team_sync(bar, TEAM);
        if (!lane.is_there) continue;
        // from the scale of this layer's cotangents to that of the layer below, whose own sums are in it; the first layer's stay
        float change = untruncated(PADDED / 8) / scale(OF_W, l) * (l > 1 ? scale(OF_Z, l - 1) / scale(OF_Z, l) : 1.0f);
        float s0[SUMS], s1[SUMS];
        EACH(c, SUMS) s0[c] = s1[c] = 0;
        if (l > 1) saw(OF_Z, l - 1, feel(lane, pair, z_kept + (l - 2) * (32 * COLUMNS), z, change, s0, s1));
        else {
          float w[2][FAN_IN], g[2][FAN_IN];
          EACH(i, 2) EACH(k, FAN_IN) { w[i][k] = __ldg(theta + WEIGHT_0 + pair.n[i] * FAN_IN + k); g[i][k] = 0; }
#pragma unroll 1
          for (int r = 0; r < 64; r += BATCH) {
            u32 at = BASE(r);
            EACH(k, BATCH) {
              float a = pair.bias[0], b = pair.bias[1], x[FAN_IN];
              EACH(i, FAN_IN) { x[i] = scratch[(r + k) * PITCH + i]; a = __fmaf_rn(w[0][i], x[i], a); b = __fmaf_rn(w[1][i], x[i], b); }
              float da = pair.back(0, a, load_shared(AT_ROW(k)) * change, s0), db = pair.back(1, b, load_shared(AT_ROW(k) + PART) * change, s1);
              EACH(i, FAN_IN) { g[0][i] = __fmaf_rn(da, x[i], g[0][i]); g[1][i] = __fmaf_rn(db, x[i], g[1][i]); }
            }
          }
          EACH(k, FAN_IN) put(sums, ROW_IN + k, column, first, g[0][k], g[1][k]);
        }
        EACH(c, SUMS) put(sums, (l - 1) * SUMS + c, column, first, s0[c], s1[c]);
      }
    }
    // the outputs' biases and the loss: a thread has one output's residuals
    team_sync(bar, TEAM);
    scratch[u] = r1;
    scratch[TEAM + u] = r2;
    team_sync(bar, TEAM);
    if (u <= OUTPUTS) {
      float sum = 0;
      for (int i = 0; i < TEAM; i++) sum += u == OUTPUTS ? scratch[TEAM + i] : i % SLOTS_OF_OUTPUT == u ? scratch[i] : 0;
      float *at = sums + ROW_LAST * COLUMNS + u;
      *at = first_part ? sum : *at + sum;
    }
    if (u == 0) stored();
    all_came(ring.lost);
    // both teams have seen their largest numbers
    team_sync(3, 256);
    if (threadIdx.x < 2 * DEPTH) atomicMax(&state->seen[1][0] + threadIdx.x, seen[threadIdx.x]);
  }
}
