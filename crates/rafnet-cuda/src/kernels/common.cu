// Shared by all kernels: types, products of small tiles on the tensor cores, basis functions with three derivatives, random numbers.
// `real` is float or double; the text before this one defines REAL_IS_DOUBLE.
typedef unsigned int u32;
typedef unsigned long long u64;
#define DEV __device__ __forceinline__
#if REAL_IS_DOUBLE
typedef double real;
#else
typedef float real;
#endif
#if EMULATED
#define SHARED_MEMORY(name) unsigned char *name = emulated_shared
#else
#define SHARED_MEMORY(name) extern __shared__ __align__(16) unsigned char name[]
#endif
#define EACH(i, n) _Pragma("unroll") for (int i = 0; i < (n); i++)

// four numbers that stand together, at a multiple of four
DEV void load4(const real *from, real (&v)[4]) {
#if REAL_IS_DOUBLE
  double2 a = ((const double2 *)from)[0], b = ((const double2 *)from)[1];
  v[0] = a.x; v[1] = a.y; v[2] = b.x; v[3] = b.y;
#else
  float4 a = *(const float4 *)from;
  v[0] = a.x; v[1] = a.y; v[2] = a.z; v[3] = a.w;
#endif
}
DEV void store4(real *to, const real (&v)[4]) {
#if REAL_IS_DOUBLE
  double2 a, b;
  a.x = v[0]; a.y = v[1]; b.x = v[2]; b.y = v[3];
  ((double2 *)to)[0] = a; ((double2 *)to)[1] = b;
#else
  float4 a;
  a.x = v[0]; a.y = v[1]; a.z = v[2]; a.w = v[3];
  *(float4 *)to = a;
#endif
}

// ---- products --------------------------------------------------------------------------------------------------------------
// D(16x8) += A(16x8) B(8x8), shared out over a warp: lane = 4 g + t holds
//   a[i]: row g + 8 (i & 1), column t + 4 (i >> 1)      b[i]: row t + 4 i, column g      c[i]: row g + 8 (i >> 1), column 2 t + (i & 1)
#if REAL_IS_DOUBLE
struct Left { double v[4]; };
struct Right { double v[2]; };
#define RIGHT_NUMBERS 2
DEV Left left(const double (&a)[4]) { Left l; EACH(i, 4) l.v[i] = a[i]; return l; }
DEV Right right(const double *packed) { double2 p = __ldg((const double2 *)packed); Right r; r.v[0] = p.x; r.v[1] = p.y; return r; }
DEV Right right(double b0, double b1) { Right r; r.v[0] = b0; r.v[1] = b1; return r; }
DEV void store_right(double *packed, double b0, double b1) { packed[0] = b0; packed[1] = b1; }
#if EMULATED
DEV void multiply(double (&c)[4], const Left &a, const Right &b) { emulated_mma(c, a.v, b.v); }
#elif __CUDA_ARCH__ >= 900
DEV void multiply(double (&c)[4], const Left &a, const Right &b) {
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
    : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3]) : "d"(a.v[0]), "d"(a.v[1]), "d"(a.v[2]), "d"(a.v[3]), "d"(b.v[0]), "d"(b.v[1]));
}
#else
DEV void multiply(double (&c)[4], const Left &a, const Right &b) {
  EACH(i, 4) asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
    : "+d"(c[2 * (i & 1)]), "+d"(c[2 * (i & 1) + 1]) : "d"(a.v[i]), "d"(b.v[i >> 1]));
}
#endif
#else
// Three products of TF32 parts: x = big + small to 22 bits, and what is left out is small times small. The sum is in f32.
struct Left { u32 big[4], small[4]; };
struct Right { u32 big[2], small[2]; };
#define RIGHT_NUMBERS 4
#if EMULATED
DEV u32 tf32(float x) { return (__float_as_uint(x) + 0x1000u) & 0xffffe000u; }
#else
DEV u32 tf32(float x) { u32 r; asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x)); return r; }
#endif
DEV void parts(float x, u32 &big, u32 &small) { big = tf32(x); small = tf32(x - __uint_as_float(big)); }
DEV Left left(const float (&a)[4]) { Left l; EACH(i, 4) parts(a[i], l.big[i], l.small[i]); return l; }
DEV Right right(const float *packed) {
  uint4 p = __ldg((const uint4 *)packed);
  Right r; r.big[0] = p.x; r.big[1] = p.y; r.small[0] = p.z; r.small[1] = p.w; return r;
}
DEV Right right(float b0, float b1) { Right r; parts(b0, r.big[0], r.small[0]); parts(b1, r.big[1], r.small[1]); return r; }
DEV void store_right(float *packed, float b0, float b1) {
  Right r = right(b0, b1);
  packed[0] = __uint_as_float(r.big[0]); packed[1] = __uint_as_float(r.big[1]);
  packed[2] = __uint_as_float(r.small[0]); packed[3] = __uint_as_float(r.small[1]);
}
DEV void tf32_multiply(float (&c)[4], const u32 (&a)[4], const u32 (&b)[2]) {
#if EMULATED
  float x[4], y[2];
  EACH(i, 4) x[i] = __uint_as_float(a[i]);
  EACH(i, 2) y[i] = __uint_as_float(b[i]);
  emulated_mma(c, x, y);
#else
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
    : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}
DEV void multiply(float (&c)[4], const Left &a, const Right &b) {
  tf32_multiply(c, a.small, b.big);
  tf32_multiply(c, a.big, b.small);
  tf32_multiply(c, a.big, b.big);
}
#endif

// ---- elementary functions ----------------------------------------------------------------------------------------------------
// Short polynomials after an exact reduction, about one unit in the last place; beyond their range the library's.
#if REAL_IS_DOUBLE
DEV void sine_cosine(double x, double &s, double &c) {
  if (!(fabs(x) < 1e5)) { sincos(x, &s, &c); return; }
  double k = rint(x * 0.63661977236758134308);
  int q = (int)k;
  double r = fma(k, -1.5707963267948966, x);
  r = fma(k, -6.123233995736766e-17, r);
  double z = r * r;
  double a = 1.58962301576546568060e-10;
  a = fma(a, z, -2.50507477628578072866e-08); a = fma(a, z, 2.75573136213857245213e-06);
  a = fma(a, z, -1.98412698295895385996e-04); a = fma(a, z, 8.33333333332211858878e-03);
  a = fma(a, z, -1.66666666666666307295e-01); a = fma(a * z, r, r);
  double b = -1.13585365213876817300e-11;
  b = fma(b, z, 2.08757008419747316778e-09); b = fma(b, z, -2.75573141792967388112e-07);
  b = fma(b, z, 2.48015872888517045348e-05); b = fma(b, z, -1.38888888888730564116e-03);
  b = fma(b, z, 4.16666666666665929218e-02); b = fma(b, z, -0.5); b = fma(b, z, 1.0);
  s = (q & 1) ? b : a; c = (q & 1) ? a : b;
  if (q & 2) s = -s;
  if ((q + 1) & 2) c = -c;
}
// e^x for −745 < x < 709, split so that 2^k does not overflow
DEV double exponential(double x) {
  double k = rint(x * 1.4426950408889634);
  double r = fma(k, -6.93147180369123816490e-01, x);
  r = fma(k, -1.90821492927058770002e-10, r);
  double p = 1.6059043836821613e-10;
  p = fma(p, r, 2.08767569878681e-09); p = fma(p, r, 2.505210838544172e-08); p = fma(p, r, 2.755731922398589e-07);
  p = fma(p, r, 2.7557319223985893e-06); p = fma(p, r, 2.48015873015873e-05); p = fma(p, r, 1.984126984126984e-04);
  p = fma(p, r, 1.388888888888889e-03); p = fma(p, r, 8.333333333333333e-03); p = fma(p, r, 4.1666666666666664e-02);
  p = fma(p, r, 1.6666666666666666e-01); p = fma(p, r, 0.5); p = fma(p, r, 1.0); p = fma(p, r, 1.0);
  return p * __longlong_as_double((long long)((int)k + 1023) << 52);
}
#define TAIL 708.0
#elif QUICK && !EMULATED
// the special-function unit on half a turn: about 5e-7 absolute; the turn is rounded to f32, which shifts x by half of its own last bit
DEV void sine_cosine(float x, float &s, float &c) {
  float k = __fmaf_rn(x, 0.159154943091895f, 12582912.0f) - 12582912.0f, r = __fmaf_rn(k, -6.2831855f, x);
  asm("sin.approx.ftz.f32 %0, %1;" : "=f"(s) : "f"(r));
  asm("cos.approx.ftz.f32 %0, %1;" : "=f"(c) : "f"(r));
}
DEV float exponential(float x) { float e; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(e) : "f"(x * 1.4426950408889634f)); return e; }
#define TAIL 87.0f
#else
DEV void sine_cosine(float x, float &s, float &c) {
  if (!(fabsf(x) < 1e5f)) { sincosf(x, &s, &c); return; }
  // the reduction in double: one multiplication and one fused step leave an argument that is right to the last bit of a float
  double k = rint((double)x * 0.63661977236758134308);
  int q = (int)k;
  float r = (float)fma(k, -1.5707963267948966, (double)x), z = r * r;
  float a = -1.9515295891e-4f;
  a = fmaf(a, z, 8.3321608736e-3f); a = fmaf(a, z, -1.6666654611e-1f); a = fmaf(a * z, r, r);
  float b = 2.443315711809948e-5f;
  b = fmaf(b, z, -1.388731625493765e-3f); b = fmaf(b, z, 4.166664568298827e-2f); b = fmaf(b, z, -0.5f); b = fmaf(b, z, 1.0f);
  s = (q & 1) ? b : a; c = (q & 1) ? a : b;
  if (q & 2) s = -s;
  if ((q + 1) & 2) c = -c;
}
DEV float exponential(float x) { return expf(x); }
#define TAIL 87.0f
#endif

// ---- basis functions: [γ, γ′, γ″, γ‴]; what nobody reads the compiler leaves out ------------------------------------------------
#define R(v) ((real)(v))
DEV void basis_x(real y, real (&g)[4]) { g[0] = y; g[1] = 1; g[2] = 0; g[3] = 0; }
DEV void basis_x2(real y, real (&g)[4]) { g[0] = y * y; g[1] = y + y; g[2] = 2; g[3] = 0; }
DEV void basis_sin(real y, real (&g)[4]) { real s, c; sine_cosine(y, s, c); g[0] = s; g[1] = c; g[2] = -s; g[3] = -c; }
DEV void basis_cos(real y, real (&g)[4]) { real s, c; sine_cosine(y, s, c); g[0] = c; g[1] = -s; g[2] = -c; g[3] = s; }
DEV void basis_gauss(real y, real (&g)[4]) {
#if QUICK
  real q = y * y, e = exponential(-q);
#else
  real q = fmin(R(1e3), y * y), e = q > TAIL ? R(0) : exponential(-q);
  if (y != y) e = y;
#endif
  real ye = y * e;
  g[0] = e; g[1] = R(-2) * ye; g[2] = fma(q, R(4), R(-2)) * e; g[3] = fma(q, R(-8), R(12)) * ye;
}
DEV void basis_relu(real y, real (&g)[4]) { g[0] = y > 0 ? y : (y != y ? y : R(0)); g[1] = y > 0 ? 1 : 0; g[2] = 0; g[3] = 0; }
DEV void basis_relu3(real y, real (&g)[4]) {
  real p = y > 0 ? y : (y != y ? y : R(0));
  g[0] = p * p * p; g[1] = R(3) * p * p; g[2] = R(6) * p; g[3] = y > 0 ? 6 : 0;
}
DEV void basis_tanh(real y, real (&g)[4]) {
  real m = expm1(R(-2) * fabs(y)), e = m + 1, i = R(1) / (m + 2), t = -m * i;
  t = y < 0 ? -t : t;
  real s = R(4) * e * i * i;
  g[0] = t; g[1] = s; g[2] = R(-2) * t * s; g[3] = fma(s, R(-6), R(4)) * s;
}
DEV void basis_root(real y, real (&g)[4]) {
  real h = sqrt(fma(y, y, R(1))), i = R(1) / h, q = i * i, c = q * i;
  g[0] = h; g[1] = y * i; g[2] = c; g[3] = R(-3) * y * c * q;
}
DEV void basis_floor(real y, real (&g)[4]) { g[0] = floor(y); g[1] = 0; g[2] = 0; g[3] = 0; }
DEV void basis_exp2(real y, real (&g)[4]) {
  real p = exp2(y), l = R(0.693147180559945309417);
  g[0] = p; g[1] = p * l; g[2] = g[1] * l; g[3] = g[2] * l;
}
DEV void basis_step(real y, real (&g)[4]) { g[0] = y < 0 ? 0 : 1; g[1] = 0; g[2] = 0; g[3] = 0; }
// of a bump of width s: β, and dβ/ds
DEV real beta_of_width(real s) { return R(1) / (R(1.41421356237309504880) * fmax(fabs(s), R(1e-6))); }
DEV real slope_of_width(real s) { return -beta_of_width(s) / (s < 0 ? R(-1) : R(1)) / fmax(fabs(s), R(1e-6)); }
// a product of two functions by their derivatives
DEV void leibniz(const real (&a)[4], const real (&b)[4], real (&g)[4]) {
  g[0] = a[0] * b[0];
  g[1] = a[1] * b[0] + a[0] * b[1];
  g[2] = a[2] * b[0] + 2 * a[1] * b[1] + a[0] * b[2];
  g[3] = a[3] * b[0] + 3 * (a[2] * b[1] + a[1] * b[2]) + a[0] * b[3];
}
// 1/Q with three derivatives
DEV void one_over(real y, const real *c, real (&i)[4]) {
  real slope = R(2) * c[6] * y + c[5], bend = c[6] + c[6];
  i[0] = R(1) / ((c[6] * y + c[5]) * y + c[4]);
  real q = i[0] * i[0], drop = slope * slope * i[0];
  i[1] = -slope * q; i[2] = (R(2) * drop - bend) * q; i[3] = R(6) * slope * q * i[0] * (bend - drop);
}
DEV void basis_rational(real y, const real *c, real (&g)[4]) {
  real top[4] = {((c[3] * y + c[2]) * y + c[1]) * y + c[0], (R(3) * c[3] * y + R(2) * c[2]) * y + c[1], R(6) * c[3] * y + R(2) * c[2], R(6) * c[3]}, i[4];
  one_over(y, c, i);
  leibniz(top, i, g);
}
// ∂γ/∂c_k with two derivatives: y^k/Q, and −y^k P/Q² for the coefficients of Q
DEV void rational_by(int k, real y, const real *c, real (&g)[4]) {
  real i[4], gamma[4], below[4];
  one_over(y, c, i);
  int power = k < 4 ? k : k - 4;
  real m[4] = {1, 0, 0, 0};
  if (power == 1) { m[0] = y; m[1] = 1; }
  if (power == 2) { m[0] = y * y; m[1] = y + y; m[2] = 2; }
  if (power == 3) { m[0] = y * y * y; m[1] = R(3) * y * y; m[2] = R(6) * y; m[3] = 6; }
  if (k < 4) { leibniz(m, i, g); return; }
  basis_rational(y, c, gamma);
  leibniz(gamma, i, below);
  leibniz(m, below, g);
  EACH(j, 4) g[j] = -g[j];
}

// ---- random numbers: Philox4x32-10 (Salmon, Moraes, Dror and Shaw 2011), the same stream as on the processor ---------------------
struct Words { u32 v[4]; };
DEV Words philox(Words c, u32 k0, u32 k1) {
#pragma unroll
  for (int round = 0; round < 10; round++) {
    u64 first = (u64)0xD2511F53u * c.v[0], second = (u64)0xCD9E8D57u * c.v[2];
    Words n = {{(u32)(second >> 32) ^ c.v[1] ^ k0, (u32)second, (u32)(first >> 32) ^ c.v[3] ^ k1, (u32)first}};
    c = n;
    k0 += 0x9E3779B9u; k1 += 0xBB67AE85u;
  }
  return c;
}

// Numbers 2 pair and 2 pair + 1 of point i in a round, from the key of (seed, round, labels), as on the processor.
DEV void uniform(int i, int pair, Words key, int stream, double *u) {
  Words w = philox(Words{{(u32)i, 0u, (u32)pair, 0u}}, key.v[0], key.v[1]);
  for (int k = 0; k < 2; k++) {
    u64 bits = (u64)w.v[2 * k] << 32 | w.v[2 * k + 1];
    u[k] = ((double)(bits >> 12) + 0.5) * 2.220446049250313e-16;
  }
  if (pair == 0) { // training points, stream 0, are set apart from held-out ones
    double cells = u[0] * 1073741824.0, whole = floor(cells);
    u[0] = (whole + (stream == 0 ? 0.125 : 0.625) + 0.25 * (cells - whole)) * 9.313225746154785e-10;
  }
}
// Two coordinates of a point in a box. Of each coordinate the box has low, high - low, the least and the largest number between.
DEV void draw_in_box(int i, int pair, Words key, int stream, const double *box, real *to) {
  double u[2];
  uniform(i, pair, key, stream, u);
  for (int k = 0; k < 2 && 2 * pair + k < D; k++) {
    const double *q = box + 4 * (2 * pair + k);
    to[k] = (real)fmin(fmax(__dadd_rn(q[0], __dmul_rn(u[k], q[1])), q[2]), q[3]);
  }
}
// A point of a spherical shell: r = R (q + u0 (1 - q))^(1/d) and a direction. The shell has R, q and the centre.
DEV void draw_in_shell(int i, Words key, int stream, const double *shell, real *to) {
#if D == 2 || D == 3
  double u[4], n[3];
  uniform(i, 0, key, stream, u);
  if (D == 3) uniform(i, 1, key, stream, u + 2);
  double part = shell[1] + u[0] * (1.0 - shell[1]), r = shell[0] * (D == 2 ? sqrt(part) : cbrt(part));
  double angle = 6.283185307179586 * u[D - 1], level = D == 2 ? 1.0 : sqrt(4.0 * u[1] * (1.0 - u[1]));
  n[0] = level * cos(angle); n[1] = level * sin(angle); n[2] = 1.0 - 2.0 * u[1];
  EACH(k, D) to[k] = (real)(shell[2 + k] + r * n[k]);
#endif
}

// call: steps taken in this call, whether something was not finite or the step in vain, the step that the call began with, then the factors of every step;
// figures: the last loss, the smallest, steps taken (a whole number), whether something was not finite
#define STEPS_TAKEN 0
#define NOT_FINITE 1
#define FIRST_STEP 2
#define FACTORS 3
#define IN_VAIN 2
DEV void count_step(u64 *call, const double *loss, double *figures) {
  figures[0] = loss[0];
  figures[3] = call[NOT_FINITE] == 1;
  if (call[STEPS_TAKEN] == 0) { figures[1] = loss[0]; ((u64 *)figures)[2] = 0; }
  if (call[NOT_FINITE] == IN_VAIN) { call[NOT_FINITE] = 0; return; }   // to be done again
  if (call[NOT_FINITE]) return;
  figures[1] = fmin(figures[1], loss[0]);
  ((u64 *)figures)[2] = ++call[STEPS_TAKEN];
}
// Adam for parameter i with gradient g, in the step that a call stands at
DEV void adam(real *theta, real *m, real *v, const unsigned char *still, int i, real g, const u64 *call, double beta1, double beta2, double epsilon, double decay) {
  const double *factors = (const double *)(call + FACTORS) + 2 * call[STEPS_TAKEN];
  real b1 = (real)beta1, b2 = (real)beta2, rate = (real)factors[0], unbias = (real)factors[1];
  if (still[i]) g = 0;
  if (decay > 0) g += (real)decay * theta[i];
  m[i] = b1 * m[i] + (R(1) - b1) * g;
  v[i] = b2 * v[i] + (R(1) - b2) * g * g;
  theta[i] = theta[i] - rate * m[i] / (sqrt(v[i] * unbias) + (real)epsilon);
}
