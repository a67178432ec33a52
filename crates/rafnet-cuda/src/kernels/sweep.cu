// One sweep over points, tile by tile: a block takes POINTS points through all layers and back, with all streams they carry.
//
// The text before this one was generated for the network: S streams, D coordinates, OUTPUTS, LAYERS, Layer<l>, inputs().
// A matrix of a tile has a row for each stream and point, row = stream * POINTS + point, and PITCH numbers a row. Column FAN of a layer's
// input is 1 in the value's rows and 0 in the others, so that the bias is one more weight.
#define ROWS (S * POINTS)
#define GROUPS8 (POINTS / 8)
#define WARPS (THREADS / 32)
#define LAST (LAYERS - 1)
// what a sweep is for
#define EVALUATE 0
#define RESIDUALS 1
#define GRADIENT 2
#define JACOBIAN 3
#define PULLBACK 4
#define GOES_BACK (MODE >= GRADIENT)

// h = σ(z) with its streams, from [σ, σ′, σ″, σ‴] at the value
DEV void streams_ahead(const real (&d)[4], const real (&z)[S], real (&h)[S]) {
  real q[SECONDS + 1];
  quadratics(z, q);
  h[0] = d[0];
  EACH(k, DIRECTIONS) h[1 + k] = d[1] * z[1 + k];
  EACH(s, SECONDS) h[1 + DIRECTIONS + s] = fma(d[1], z[1 + DIRECTIONS + s], d[2] * q[s]);
}
// the sums H₀, H₁, H₂ that every number of the activation feels
DEV void felt(const real (&z)[S], const real (&bar)[S], real (&H)[3]) {
  real q[SECONDS + 1];
  quadratics(z, q);
  H[0] = bar[0]; H[1] = 0; H[2] = 0;
  EACH(k, S - 1) H[1] = fma(bar[1 + k], z[1 + k], H[1]);
  EACH(s, SECONDS) H[2] = fma(bar[1 + DIRECTIONS + s], q[s], H[2]);
}
// h̄ → z̄
DEV void streams_back(const real (&d)[4], const real (&H)[3], const real (&z)[S], real (&bar)[S]) {
  bar[0] = H[0] * d[1] + (S > 1 ? H[1] * d[2] : 0) + (SECONDS > 0 ? H[2] * d[3] : 0);
  EACH(k, DIRECTIONS) bar[1 + k] *= d[1];
  quadratics_back(d[2], z, bar);
  EACH(s, SECONDS) bar[1 + DIRECTIONS + s] *= d[1];
}
// σ += α βᵏ γ⁽ᵏ⁾
DEV void mix(real alpha, real beta, const real (&g)[4], real (&d)[4]) {
  real f = alpha;
  EACH(k, 4) { d[k] = fma(f, g[k], d[k]); f *= beta; }
}
DEV real for_alpha(real beta, const real (&g)[4], const real (&H)[3]) { return S > 1 ? H[0] * g[0] + beta * (H[1] * g[1] + beta * H[2] * g[2]) : H[0] * g[0]; }
DEV real for_beta(real alpha, real beta, real z, const real (&g)[4], const real (&H)[3]) {
  real sum = H[0] * z * g[1], y = beta * z;
  if (S > 1) sum += H[1] * fma(y, g[2], g[1]) + H[2] * beta * fma(y, g[3], 2 * g[2]);
  return alpha * sum;
}

struct Tile {
  real *X, *Z;                          // two matrices of the tile
  real *x;                              // its points: POINTS x D
  real *stash, *phi;                    // what is kept for the way back; behind it the network's outputs
  const real *packed, *numbers;
  real *partial, *rows;                 // where gradients go; rows of a Jacobian
  int warp, lane, g, t;
  int begin, n, residual;               // first point of the tile, all points, which residual's rows
  bool first;                           // whether this block's sums begin with this tile
};

// How a matrix of MT x NT tiles is shared out: every warp takes M x N of them at a time. What a choice costs, in clocks of a multiprocessor
// for each block of the sum: its products, fetching M tiles of the left operand, and N of the right one at the given price.
__device__ constexpr int tasks(int tiles, int each) { return (tiles + each - 1) / each; }
__device__ constexpr int cost(int mt, int nt, int m, int n, int price) {
  int all = tasks(mt, m) * tasks(nt, n), rounds = tasks(all, WARPS);
  return rounds * WARPS * m * n * 7 + all * (m * 8 + n * price);
}
__device__ constexpr int share(int mt, int nt, int price, bool of_left) {
  int best = 1 << 30, m = 1, n = 1;
  for (int i = 1; i <= 4; i *= 2) for (int j = 1; i * j <= 8; j++) {
    if (i > 1 && i > mt || j > nt) continue;
    int c = cost(mt, nt, i, j, price);
    if (c < best) { best = c; m = i; n = j; }
  }
  return of_left ? m : n;
}

// C = A B: rows of the tile, B packed in the order in which lanes read it; KB blocks of eight in the sum, NT column tiles
template <int KB, int NT> DEV void product(const Tile &b, const real *A, const real *packed, real *C) {
  constexpr int MT = ROWS / 16, M = share(MT, NT, 12, true), N = share(MT, NT, 12, false), PARTS = tasks(NT, N);
  for (int task = b.warp; task < tasks(MT, M) * PARTS; task += WARPS) {
    int m0 = task / PARTS * M, j0 = (task % PARTS) * N;
    real acc[M][N][4];
    EACH(m, M) EACH(j, N) EACH(i, 4) acc[m][j][i] = 0;
    const real *a0 = A + (m0 * 16 + b.g) * PITCH + b.t, *b0 = packed + (j0 * 32 + b.lane) * RIGHT_NUMBERS;
#pragma unroll 2
    for (int k = 0; k < KB; k++) {
      Right r[N];
      EACH(j, N) if (j0 + j < NT) r[j] = right(b0 + (k * NT + j) * 32 * RIGHT_NUMBERS);
      EACH(m, M) if (MT % M == 0 || m0 + m < MT) {
        real a[4];
        EACH(i, 4) a[i] = a0[(m * 16 + 8 * (i & 1)) * PITCH + k * 8 + 4 * (i >> 1)];
        Left l = left(a);
        EACH(j, N) if (j0 + j < NT) multiply(acc[m][j], l, r[j]);
      }
    }
    EACH(m, M) if (MT % M == 0 || m0 + m < MT) EACH(j, N) if (j0 + j < NT) EACH(i, 4)
      C[((m0 + m) * 16 + b.g + 8 * (i >> 1)) * PITCH + (j0 + j) * 8 + 2 * b.t + (i & 1)] = acc[m][j][i];
  }
}

// the row of a Jacobian that belongs to a point of the tile
DEV real *row_of(const Tile &b, int p) { return b.rows + (u64)((b.begin + p) * COUNT + b.residual) * SLOTS; }

DEV void put(const Tile &b, int slot, real v) {
  // one thread a slot in this block, in the order of the tiles
  if (b.first) b.partial[slot] = v; else atomicAdd(b.partial + slot, v);
}

// W̄ = Σ over rows of Z̄ Xᵀ, with the bias as the last column; rows of a Jacobian point by point
template <int L> DEV void weight_gradient(const Tile &b) {
  typedef Layer<L> Y;
#if MODE == JACOBIAN
  for (int at = threadIdx.x; at < Y::WIDTH * (Y::FAN + Y::BIASED); at += THREADS) {
    int i = at / (Y::FAN + Y::BIASED), j = at - i * (Y::FAN + Y::BIASED);
    int place = j < Y::FAN ? Y::WEIGHT + i * Y::FAN + j : Y::BIAS + i;
    for (int p = 0; p < POINTS && b.begin + p < b.n; p++) {
      real sum = 0;
      for (int s = 0; s < (j < Y::FAN ? S : 1); s++) sum = fma(b.Z[(s * POINTS + p) * PITCH + i], b.X[(s * POINTS + p) * PITCH + j], sum);
      row_of(b, p)[place] = sum;
    }
  }
#else
  constexpr int MT = (Y::WIDTH + 15) / 16, NT = (Y::FAN + Y::BIASED + 7) / 8;
  constexpr int M = share(MT, NT, 4, true), N = share(MT, NT, 4, false), PARTS = tasks(NT, N);
  for (int task = b.warp; task < tasks(MT, M) * PARTS; task += WARPS) {
    int m0 = task / PARTS * M, j0 = (task % PARTS) * N;
    real acc[M][N][4];
    EACH(m, M) EACH(j, N) EACH(i, 4) acc[m][j][i] = 0;
    const real *a0 = b.Z + b.t * PITCH + m0 * 16 + b.g, *b0 = b.X + b.t * PITCH + j0 * 8 + b.g;
#pragma unroll 2
    for (int k = 0; k < ROWS / 8; k++) {
      Right r[N];
      EACH(j, N) if (j0 + j < NT) r[j] = right(b0[k * 8 * PITCH + 8 * j], b0[(k * 8 + 4) * PITCH + 8 * j]);
      EACH(m, M) if (MT % M == 0 || m0 + m < MT) {
        real a[4];
        EACH(i, 4) a[i] = a0[(k * 8 + 4 * (i >> 1)) * PITCH + m * 16 + 8 * (i & 1)];
        Left l = left(a);
        EACH(j, N) if (j0 + j < NT) multiply(acc[m][j], l, r[j]);
      }
    }
    EACH(m, M) EACH(j, N) EACH(i, 4) {
      int row = (m0 + m) * 16 + b.g + 8 * (i >> 1), column = (j0 + j) * 8 + 2 * b.t + (i & 1);
      if (row < Y::WIDTH && column < Y::FAN) put(b, Y::WEIGHT + row * Y::FAN + column, acc[m][j][i]);
      if (Y::BIASED && row < Y::WIDTH && column == Y::FAN) put(b, Y::BIAS + row, acc[m][j][i]);
    }
  }
#endif
}

// the neurons of a layer are taken four at a time with eight points: lane = 4 (point) + (neuron)
#define UNITS(Y) for (int q = b.warp; q < (Y::WIDTH + 3) / 4; q += WARPS)
DEV real *stashed(const Tile &b, int begin, int q, int group) { return b.stash + begin + (q * GROUPS8 + group) * S * 32 + b.lane; }

// z → h with what is added to it, into X; z is kept for the way back, and h where a later layer adds it.
// On the way back (AGAIN) z is read from where it was kept.
template <int L, bool AGAIN> DEV void activate(const Tile &b) {
  typedef Layer<L> Y;
  UNITS(Y) {
    int n = 4 * q + b.t;
    bool is_there = n < Y::WIDTH;
    typename Y::Neuron neuron(b.numbers, is_there ? n : Y::WIDTH - 1);
    for (int group = 0; group < GROUPS8; group++) {
      int p = 8 * group + b.g;
      real z[S], h[S];
      real *kept = stashed(b, Y::STASH_Z, q, group);
      EACH(s, S) z[s] = AGAIN ? kept[32 * s] : b.Z[(s * POINTS + p) * PITCH + (is_there ? n : 0)];
      if (!AGAIN && GOES_BACK) EACH(s, S) kept[32 * s] = z[s];
      neuron.ahead(z, h);
      if (Y::SKIP >= -1) {
        // h of the layer that is added, or the network's inputs
        if (Y::SKIP >= 0 || n < FAN_IN) { real *from = stashed(b, Y::SKIP_FROM, q, group); EACH(s, S) h[s] += from[32 * s]; }
      }
      if (Y::STASH_H >= 0 && !AGAIN) { real *to = stashed(b, Y::STASH_H, q, group); EACH(s, S) to[32 * s] = h[s]; }
      if (is_there) EACH(s, S) b.X[(s * POINTS + p) * PITCH + n] = h[s];
    }
  }
}

// the column of the bias, and zeros up to the next eight
template <int L> DEV void close_columns(const Tile &b) {
  constexpr int FROM = Layer<L>::FAN, TO = (FROM + 8) / 8 * 8;
  for (int at = threadIdx.x; at < ROWS * (TO - FROM); at += THREADS) {
    int row = at / (TO - FROM), column = at - row * (TO - FROM);
    b.X[row * PITCH + FROM + column] = column == 0 && row < POINTS ? 1 : 0;
  }
}

// the numbers that enter the first layer
template <bool AGAIN> DEV void enter(const Tile &b) {
  for (int p = threadIdx.x; p < POINTS; p += THREADS) inputs(b.x + p * D, b.X + p * PITCH);
  close_columns<0>(b);
  if (STASH_INPUTS >= 0 && !AGAIN) {
    __syncthreads();
    for (int q = b.warp; q < (FAN_IN + 3) / 4; q += WARPS) for (int group = 0; group < GROUPS8; group++) {
      real *to = stashed(b, STASH_INPUTS, q, group);
      if (4 * q + b.t < FAN_IN) EACH(s, S) to[32 * s] = b.X[(s * POINTS + 8 * group + b.g) * PITCH + 4 * q + b.t];
    }
  }
}

// the sum over the eight points that lanes of one neuron hold
DEV real over_points(real v) {
  v += __shfl_xor_sync(0xffffffffu, v, 4);
  v += __shfl_xor_sync(0xffffffffu, v, 8);
  v += __shfl_xor_sync(0xffffffffu, v, 16);
  return v;
}

// h̄ in X → z̄ in Z, and the gradients of the activation's own numbers
template <int L> DEV void feel(const Tile &b) {
  typedef Layer<L> Y;
  UNITS(Y) {
    int n = 4 * q + b.t;
    bool is_there = n < Y::WIDTH;
    typename Y::Neuron neuron(b.numbers, is_there ? n : Y::WIDTH - 1);
    real sum[Y::TRAINED > 0 ? Y::TRAINED : 1];
    EACH(c, Y::TRAINED) sum[c] = 0;
    for (int group = 0; group < GROUPS8; group++) {
      int p = 8 * group + b.g;
      real z[S], bar[S];
      const real *kept = stashed(b, Y::STASH_Z, q, group);
      EACH(s, S) z[s] = kept[32 * s];
      EACH(s, S) bar[s] = b.X[(s * POINTS + p) * PITCH + (is_there ? n : 0)];
      if (Y::STASH_H >= 0) { const real *from = stashed(b, Y::STASH_BAR, q, group); EACH(s, S) bar[s] += from[32 * s]; }
      if (Y::SKIP >= 0) { real *to = stashed(b, Y::SKIP_BAR, q, group); EACH(s, S) to[32 * s] = bar[s]; }
      real own[Y::TRAINED > 0 ? Y::TRAINED : 1];
      EACH(c, Y::TRAINED) own[c] = 0;
      neuron.back(z, bar, own);
#if MODE == JACOBIAN
      EACH(c, Y::TRAINED) {
        int place = is_there && b.begin + p < b.n ? neuron.place(c) : -1;
        if (place >= 0) row_of(b, p)[place] = own[c];
      }
#else
      EACH(c, Y::TRAINED) sum[c] += own[c];
#endif
      if (is_there) EACH(s, S) b.Z[(s * POINTS + p) * PITCH + n] = bar[s];
    }
#if MODE != JACOBIAN
    EACH(c, Y::TRAINED) {
      real all = over_points(sum[c]);
      int place = is_there ? neuron.place(c) : -1;
      if (b.g == 0 && place >= 0) put(b, place, all);
    }
#endif
  }
}


// z = W a for all streams; the bias is the weight of the column of ones
template <int L> DEV void dense(const Tile &b) {
  product<(Layer<L>::FAN + 8) / 8, (Layer<L>::WIDTH + 7) / 8>(b, b.X, b.packed + Layer<L>::FORWARD, b.Z);
}
// ā = Wᵀ z̄
template <int L> DEV void dense_back(const Tile &b) {
  product<(Layer<L>::WIDTH + 7) / 8, (Layer<L>::FAN + 7) / 8>(b, b.Z, b.packed + Layer<L>::REVERSE, b.X);
}
