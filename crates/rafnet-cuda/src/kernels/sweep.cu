// One sweep over points, tile by tile: a block takes POINTS points through all layers and back, with all streams they carry.
//
// The text before this one was generated for the network: S streams, D coordinates, OUTPUTS, LAYERS, Layer<l>, inputs().
// A matrix of a tile has a row for each stream and point, eight points of a stream in a row and their streams behind one another, and PITCH
// numbers a row. Column FAN of a layer's input is 1 in the value's rows and 0 in the others, so that the bias is one more weight.
#define ROWS (S * POINTS)
#define ROW(s, p) (((p) / 8 * S + (s)) * 8 + (p) % 8)
#define GROUPS8 (POINTS / 8)
#define WARPS (THREADS / 32)
#define LAST (LAYERS - 1)
// what a sweep is for
#define EVALUATE 0
#define RESIDUALS 1
#define GRADIENT 2
#define JACOBIAN 3
#define PULLBACK 4
#define SUM_SQUARES 5

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
  real *X, *Z;                          // matrices of the tile: inputs of a layer or their cotangents, z or its cotangents
  real *x;                              // its points: POINTS x D
  real *kept, *stash, *phi;             // what is kept for the way back, in shared memory and in scratch; behind it the network's outputs
  const real *theta, *packed, *numbers;
  real *partial, *rows;                 // where gradients go; rows of a Jacobian
  int warp, lane, g, t;
  int begin, groups, n, residual;       // first point of the tile, how many eights of points it has, all points, which residual's rows
  bool first;                           // whether this block's sums begin with this tile
};

// How a matrix of MT x NT tiles is shared out: every warp takes M x N of them at a time. What a choice costs, in clocks of a multiprocessor
// for each block of the sum: its products, fetching M tiles of the left operand, and N of the right one at the given price.
__device__ constexpr int tasks(int tiles, int each) { return (tiles + each - 1) / each; }
__device__ constexpr int cost(int mt, int nt, int m, int n, int price) {
  int all = tasks(mt, m) * tasks(nt, n), rounds = tasks(all, WARPS);
  return rounds * WARPS * m * n * 7 + all * (m * 8 + n * price);
}
__device__ constexpr int share(int mt, int nt, int price, bool divides, bool of_left) {
  int best = 1 << 30, m = 1, n = 1;
  for (int i = 1; i <= 4 && (mt % i == 0 || !divides); i *= 2) for (int j = 1; i * j <= 8 && j <= nt; j++) {
    int c = cost(mt, nt, i, j, price);
    if (c < best) { best = c; m = i; n = j; }
  }
  return of_left ? m : n;
}

// C = A B: rows of the tile, B packed in the order in which lanes read it; KB blocks of eight in the sum, NT column tiles
template <int KB, int NT> DEV void product(const Tile &b, const real *A, const real *packed, real *C) {
  constexpr int MT = ROWS / 16, M = share(MT, NT, 12, true, true), N = share(MT, NT, 12, true, false), PARTS = tasks(NT, N);
  for (int task = b.warp; task < tasks((b.groups * S + 1) / 2, M) * PARTS; task += WARPS) {
    int m0 = task / PARTS * M, j0 = (task % PARTS) * N;
    real acc[M][N][4];
    EACH(m, M) EACH(j, N) EACH(i, 4) acc[m][j][i] = 0;
    const real *a0 = A + (m0 * 16 + b.g) * PITCH + b.t, *b0 = packed + (j0 * 32 + b.lane) * RIGHT_NUMBERS;
    // B is fetched two blocks of the sum before it is used
    Right even[N], odd[N];
    auto fetch = [&](Right (&r)[N], int k) { EACH(j, N) if (k < KB && j0 + j < NT) r[j] = right(b0 + (k * NT + j) * 32 * RIGHT_NUMBERS); };
    auto add = [&](Right (&r)[N], int k) {
      EACH(m, M) {
        real a[4];
        EACH(i, 4) a[i] = a0[(m * 16 + 8 * (i & 1)) * PITCH + k * 8 + 4 * (i >> 1)];
        Left l = left(a);
        EACH(j, N) if (j0 + j < NT) multiply(acc[m][j], l, r[j]);
      }
      fetch(r, k + 2);
    };
    fetch(even, 0);
    fetch(odd, 1);
    // written out for sums of 73 to 128 (0.389 against 0.410 ms a step at width 100 on an H200); at width 50 registers run short (0.142 against 0.130)
    constexpr int WRITTEN_OUT = KB > 9 && KB <= 16 ? KB : 1;
#pragma unroll WRITTEN_OUT
    for (int k = 0; k + 1 < KB; k += 2) { add(even, k); add(odd, k + 1); }
    if (KB % 2) add(even, KB - 1);
    EACH(m, M) EACH(j, N) if (j0 + j < NT) EACH(i, 4)
      C[((m0 + m) * 16 + b.g + 8 * (i >> 1)) * PITCH + (j0 + j) * 8 + 2 * b.t + (i & 1)] = acc[m][j][i];
  }
}

// the row of a Jacobian that belongs to a point of the tile
DEV real *row_of(const Tile &b, int p) { return b.rows + (u64)((b.begin + p) * COUNT + b.residual) * SLOTS; }

// what a block has of the gradient: a thread has its own places, in the order of the tiles
DEV void put(const Tile &b, int place, real v) { b.partial[place] = b.first ? v : b.partial[place] + v; }

// W̄ = Σ over rows of Z̄ Xᵀ, with the bias as the last column; rows of a Jacobian point by point
template <int L> DEV void weight_gradient(const Tile &b) {
  typedef Layer<L> Y;
#if MODE == JACOBIAN
  for (int at = threadIdx.x; at < Y::WIDTH * (Y::FAN + Y::BIASED); at += THREADS) {
    int i = at / (Y::FAN + Y::BIASED), j = at - i * (Y::FAN + Y::BIASED);
    int place = j < Y::FAN ? Y::WEIGHT + i * Y::FAN + j : Y::BIAS + i;
    for (int p = 0; p < 8 * b.groups && b.begin + p < b.n; p++) {
      real sum = 0;
      for (int s = 0; s < (j < Y::FAN ? S : 1); s++) sum = fma(b.Z[ROW(s, p) * PITCH + i], b.X[ROW(s, p) * PITCH + j], sum);
      row_of(b, p)[place] = sum;
    }
  }
#else
  constexpr int MT = (Y::WIDTH + 15) / 16, NT = (Y::FAN + Y::BIASED + 7) / 8;
  constexpr int M = share(MT, NT, 4, false, true), N = share(MT, NT, 4, false, false), PARTS = tasks(NT, N);
  for (int task = b.warp; task < tasks(MT, M) * PARTS; task += WARPS) {
    int m0 = task / PARTS * M, j0 = (task % PARTS) * N;
    real acc[M][N][4];
    // the sum so far, in the order in which lanes hold it
    real *sum = b.partial + Y::FRAGMENTS + ((m0 * NT + j0) * 32 + b.lane) * 4;
    EACH(m, M) EACH(j, N) EACH(i, 4) acc[m][j][i] = 0;
    if (!b.first) EACH(m, M) EACH(j, N) if (m0 + m < MT && j0 + j < NT) load4(sum + (m * NT + j) * 128, acc[m][j]);
    const real *a0 = b.Z + b.t * PITCH + m0 * 16 + b.g, *b0 = b.X + b.t * PITCH + j0 * 8 + b.g;
#pragma unroll 2
    for (int k = 0; k < b.groups * S; k++) {
      Right r[N];
      EACH(j, N) if (j0 + j < NT) r[j] = right(b0[k * 8 * PITCH + 8 * j], b0[(k * 8 + 4) * PITCH + 8 * j]);
      EACH(m, M) {
        real a[4];
        EACH(i, 4) a[i] = a0[(k * 8 + 4 * (i >> 1)) * PITCH + m * 16 + 8 * (i & 1)];
        Left l = left(a);
        EACH(j, N) if (j0 + j < NT) multiply(acc[m][j], l, r[j]);
      }
    }
    EACH(m, M) EACH(j, N) if (m0 + m < MT && j0 + j < NT) store4(sum + (m * NT + j) * 128, acc[m][j]);
  }
#endif
}

// The neurons of a layer are taken four at a time with eight points: lane = 4 (point) + (neuron). With the column of the bias, and zeros
// up to the next eight, a layer's part of the next one's input has Units<L>::FOURS such fours.
template <int L> struct Units { enum : int { FOURS = (Layer<L>::WIDTH + 8) / 8 * 2 }; };
template <> struct Units<-1> { enum : int { FOURS = 0 }; };
template <int PLACE> DEV real *stashed(const Tile &b, int q, int group) {
  real *begin = PLACE >= SHARED_STASH ? b.kept + (PLACE - SHARED_STASH) : b.stash + PLACE;
  return begin + (q * GROUPS8 + group) * S * 32 + b.lane;
}

#if DIRECT
// The first layer from the coordinates: z and its streams for neuron n at a point. Coordinates are their own first derivatives.
DEV void first(const Tile &b, int n, const real *x, real (&z)[S]) {
  typedef Layer<0> Y;
  const real *w = b.theta + Y::WEIGHT + n * D;
  z[0] = Y::BIASED ? __ldg(b.theta + Y::BIAS + n) : R(0);
  EACH(c, D) z[0] = fma(__ldg(w + c), x[c], z[0]);
  EACH(k, DIRECTIONS) z[1 + k] = __ldg(w + axis(k));
  EACH(s, SECONDS) z[1 + DIRECTIONS + s] = 0;
}
// what its weights and its bias feel
DEV void first_back(const real *x, const real (&bar)[S], real (&own)[D + 1]) {
  EACH(c, D) own[c] = fma(bar[0], x[c], own[c]);
  EACH(k, DIRECTIONS) own[axis(k)] += bar[1 + k];
  own[D] += bar[0];
}
#endif
// coordinate n with its streams
DEV void coordinate(const real *x, int n, real (&in)[S]) {
  in[0] = x[n];
  EACH(k, DIRECTIONS) in[1 + k] = axis(k) == n ? 1 : 0;
  EACH(s, SECONDS) in[1 + DIRECTIONS + s] = 0;
}

// z → h with what is added to it, into X; z is kept for the way back, and h where a later layer adds it.
// On the way back (AGAIN) z is read from where it was kept.
template <int L, bool AGAIN> DEV void activate_at(const Tile &b, int q, int group) {
  typedef Layer<L> Y;
  int n = 4 * q + b.t, row = group * S * 8 + b.g;
  real z[S], h[S];
  if (n < Y::WIDTH) {
    const real *x = b.x + (8 * group + b.g) * D;
    real added[S];
    if (Y::SKIP >= 0) { const real *from = stashed<Y::SKIP_FROM>(b, q, group); EACH(s, S) added[s] = from[32 * s]; }
    if (Y::SKIP == -1 && n < FAN_IN) {
      if (DIRECT) coordinate(x, n, added);
      else { const real *from = stashed<Y::SKIP_FROM>(b, q, group); EACH(s, S) added[s] = from[32 * s]; }
    }
#if DIRECT
    if (L == 0) first(b, n, x, z);
    else
#endif
    {
      real *kept = stashed<Y::STASH_Z>(b, q, group);
      EACH(s, S) z[s] = AGAIN ? kept[32 * s] : b.Z[(row + 8 * s) * PITCH + n];
      if (!AGAIN && GOES_BACK) EACH(s, S) kept[32 * s] = z[s];
    }
    typename Y::Neuron(b.numbers, n).ahead(z, h);
    if (Y::SKIP >= 0 || Y::SKIP == -1 && n < FAN_IN) EACH(s, S) h[s] += added[s];
    if (Y::STASH_H >= 0 && !AGAIN) { real *to = stashed<Y::STASH_H>(b, q, group); EACH(s, S) to[32 * s] = h[s]; }
  } else {
    EACH(s, S) h[s] = n == Y::WIDTH && s == 0 ? 1 : 0;
  }
  EACH(s, S) b.X[(row + 8 * s) * PITCH + n] = h[s];
}
template <int L, bool AGAIN> DEV void activate(const Tile &b) {
  for (int task = b.warp; task < Units<L>::FOURS * b.groups; task += WARPS) activate_at<L, AGAIN>(b, task % Units<L>::FOURS, task / Units<L>::FOURS);
}

#if !DIRECT
// the numbers that enter the first layer, one and zeros behind them
template <bool AGAIN> DEV void enter(const Tile &b) {
  constexpr int TO = (FAN_IN + 8) / 8 * 8;
  for (int p = threadIdx.x; p < 8 * b.groups; p += THREADS) {
    real *to = b.X + ROW(0, p) * PITCH;
    inputs(b.x + p * D, to);
    EACH(s, S) for (int c = FAN_IN; c < TO; c++) to[8 * s * PITCH + c] = c == FAN_IN && s == 0 ? 1 : 0;
  }
  if (STASH_INPUTS >= 0 && !AGAIN) {
    __syncthreads();
    for (int q = b.warp; q < (FAN_IN + 3) / 4; q += WARPS) for (int group = 0; group < b.groups; group++) {
      real *to = stashed<STASH_INPUTS>(b, q, group);
      if (4 * q + b.t < FAN_IN) EACH(s, S) to[32 * s] = b.X[(group * S * 8 + 8 * s + b.g) * PITCH + 4 * q + b.t];
    }
  }
}
#endif

// the sum over the eight points that lanes of one neuron hold
DEV real over_points(real v) {
  v += __shfl_xor_sync(0xffffffffu, v, 4);
  v += __shfl_xor_sync(0xffffffffu, v, 8);
  v += __shfl_xor_sync(0xffffffffu, v, 16);
  return v;
}

// numbers of a neuron whose gradients are sums over points: the activation's own, and where it is computed directly the first layer's weights
template <int L> struct Sums { enum : int { OWN = Layer<L>::TRAINED, ALL = OWN + (DIRECT && L == 0 ? D + 1 : 0), ROOM = ALL > 0 ? ALL : 1 }; };
template <int L> DEV int place_of(const typename Layer<L>::Neuron &neuron, int c) {
  typedef Layer<L> Y;
  if (c < Sums<L>::OWN) return neuron.place(c);
  c -= Sums<L>::OWN;
  return c < D ? Y::WEIGHT + neuron.n * D + c : Y::BIASED ? Y::BIAS + neuron.n : -1;
}

// h̄ in X → z̄ in Z, and what the neuron's own numbers feel
template <int L> DEV void feel_at(const Tile &b, const typename Layer<L>::Neuron &neuron, int q, int group, real (&own)[Sums<L>::ROOM]) {
  typedef Layer<L> Y;
  int n = 4 * q + b.t, row = group * S * 8 + b.g;
  bool is_there = n < Y::WIDTH;
  const real *x = b.x + (8 * group + b.g) * D;
  real z[S], bar[S];
#if DIRECT
  if (L == 0) first(b, neuron.n, x, z);
  else
#endif
  { const real *kept = stashed<Y::STASH_Z>(b, q, group); EACH(s, S) z[s] = kept[32 * s]; }
  EACH(s, S) bar[s] = is_there ? b.X[(row + 8 * s) * PITCH + n] : R(0);
  if (Y::STASH_BAR >= 0 && is_there) { const real *from = stashed<Y::STASH_BAR>(b, q, group); EACH(s, S) bar[s] += from[32 * s]; }
  // for the layer whose h was added here; z of this layer is not needed any more, and makes room
  if (Y::SKIP >= 0 && is_there) { real *to = stashed<Y::SKIP_BAR>(b, q, group); EACH(s, S) to[32 * s] = bar[s]; }
  neuron.back(z, bar, own);
#if DIRECT
  if (L == 0) {
    real weights[D + 1];
    EACH(c, D + 1) weights[c] = own[Sums<L>::ALL - D - 1 + c];
    first_back(x, bar, weights);
    EACH(c, D + 1) own[Sums<L>::ALL - D - 1 + c] = weights[c];
  } else
#endif
  if (is_there) EACH(s, S) b.Z[(row + 8 * s) * PITCH + n] = bar[s];
#if MODE == JACOBIAN
  int p = 8 * group + b.g;
  EACH(c, Sums<L>::ALL) {
    int place = is_there && b.begin + p < b.n ? place_of<L>(neuron, c) : -1;
    if (place >= 0) row_of(b, p)[place] = own[c];
    own[c] = 0;
  }
#endif
}

// Layer L on the way back, and the inputs of that layer once more, from what was kept: one lane reads h̄ and writes h in the same place.
template <int L> DEV void feel(const Tile &b) {
  typedef Layer<L> Y;
  constexpr int OF_THIS = (Y::WIDTH + 3) / 4, OF_BELOW = Units<L - 1>::FOURS, ALL = OF_THIS > OF_BELOW ? OF_THIS : OF_BELOW;
  // where numbers of neurons are trained, a warp takes all groups of a four, one after the other: then it has their sum
  constexpr bool SUMS = Sums<L>::ALL > 0 && MODE != JACOBIAN;
  for (int task = b.warp; task < ALL * (SUMS ? 1 : b.groups); task += WARPS) {
    int q = task % ALL, n = 4 * q + b.t;
    typename Y::Neuron neuron(b.numbers, min(n, Y::WIDTH - 1));
    real own[Sums<L>::ROOM];
    EACH(c, Sums<L>::ROOM) own[c] = 0;
    for (int group = SUMS ? 0 : task / ALL; group < (SUMS ? b.groups : task / ALL + 1); group++) {
      if (q < OF_THIS) feel_at<L>(b, neuron, q, group, own);
      if (L > 0 && q < OF_BELOW) activate_at<(L > 0 ? L - 1 : 0), true>(b, q, group);
    }
    if (SUMS && q < OF_THIS) EACH(c, Sums<L>::ALL) {
      real all = over_points(own[c]);
      int place = n < Y::WIDTH ? place_of<L>(neuron, c) : -1;
      if (b.g == 0 && place >= 0) put(b, place, all);
    }
  }
}

// z = W a for all streams; the bias is the weight of the column of ones
template <int L> DEV void dense(const Tile &b) {
  product<(Layer<L>::FAN + 8) / 8, (Layer<L>::WIDTH + 7) / 8>(b, b.X, b.packed + Layer<L>::FORWARD, b.Z);
}
// h̄ = Wᵀ z̄
template <int L> DEV void dense_back(const Tile &b) {
  product<(Layer<L>::WIDTH + 7) / 8, (Layer<L>::FAN + 7) / 8>(b, b.Z, b.packed + Layer<L>::REVERSE, b.X);
}
