// Hopper's own instructions for the emulator. Copies and products happen when they are asked for; what stands in shared memory is found by the
// rules of the hardware: descriptors, and 16-byte columns swizzled by the address.
typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned char u8;
struct float2 { float x, y; };
struct uint2 { u32 x, y; };
static float2 make_float2(float x, float y) { return {x, y}; }
static float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
static uint2 make_uint2(u32 x, u32 y) { return {x, y}; }
static uint4 make_uint4(u32 x, u32 y, u32 z, u32 w) { return {x, y, z, w}; }
template <class T> static T __ldcg(const T *p) { return *p; }
static float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static u32 max(u32 a, u32 b) { return a > b ? a : b; }
static int max(int a, int b) { return a > b ? a : b; }
static u32 atomicMax(u32 *p, u32 v) { u32 before = *p; *p = max(before, v); return before; }
static int __popc(u32 v) { return __builtin_popcount(v); }
template <class F> static u32 over_warp(u32 v, F join) {
  exchanged[running][0] = v;
  sync_warp();
  u32 all = (u32)exchanged[running / 32 * 32][0];
  for (int i = 1; i < 32; i++) all = join(all, (u32)exchanged[running / 32 * 32 + i][0]);
  sync_warp();
  return all;
}
static u32 __reduce_max_sync(u32, u32 v) { return over_warp(v, [](u32 a, u32 b) { return a > b ? a : b; }); }
static u32 __ballot_sync(u32, bool v) { return over_warp((u32)v << (running % 32), [](u32 a, u32 b) { return a | b; }); }

static u32 shared_at(const void *p) { return (u32)((const u8 *)p - emulated_shared); }
struct Barrier { u32 phase; short count, left; };   // eight bytes, where it stands; bytes that are still to come elsewhere
static long to_come[1 << 15];
static Barrier *barrier(u32 at) { return (Barrier *)(emulated_shared + at); }
static void barrier_moves(u32 at) {
  Barrier *b = barrier(at);
  if (b->left == 0 && to_come[at / 8] == 0) { b->phase++; b->left = b->count; }
}
static void bar_init(u32 at, u32 count) { *barrier(at) = {0, (short)count, (short)count}; to_come[at / 8] = 0; }
static void bars_are_ready() {}
static void bar_arrive(u32 at) { barrier(at)->left--; barrier_moves(at); }
static void bar_expect(u32 at, u32 bytes) { to_come[at / 8] += bytes; bar_arrive(at); }
static u32 bar_wait(u32 at, u32 parity, u32) { while ((barrier(at)->phase & 1) == parity) step_aside(); return 0; }
static void all_came(u32) {}
static void load_bulk(u32 to, const void *from, u32 bytes, u32 bar) {
  memcpy(emulated_shared + to, from, bytes);
  to_come[bar / 8] -= bytes;
  barrier_moves(bar);
}
static void store_bulk(void *to, u32 from, u32 bytes) { memcpy(to, emulated_shared + from, bytes); }
static void copy_number(u32 to, const float *from) { memcpy(emulated_shared + to, from, 4); }
static void copied() {}
static void stored_is_read() {}
static void stored() {}
static void fence_async() {}
static u64 stays() { return 0; }
static void keep(float2 *at, float x, float y, u64) { *at = {x, y}; }
static float2 kept(const float2 *at, u64) { return *at; }
static void add_pair(float2 *at, float x, float y) { at->x += x; at->y += y; }
static void store_shared(u32 at, u32 v) { memcpy(emulated_shared + at, &v, 4); }
static void store_shared(u32 at, float v) { memcpy(emulated_shared + at, &v, 4); }
static float load_shared(u32 at) { float v; memcpy(&v, emulated_shared + at, 4); return v; }
#define MORE_REGISTERS()
#define FEWER_REGISTERS()

static int team_arrived[16];
static unsigned team_turn[16];
static void team_pass(int id, int threads) { if (++team_arrived[id] == threads) { team_arrived[id] = 0; team_turn[id]++; } }
static void team_sync(int id, int threads) {
  unsigned mine = team_turn[id];
  team_pass(id, threads);
  while (team_turn[id] == mine) step_aside();
}

static u32 half_bits(float x) { _Float16 h = (_Float16)x; unsigned short v; memcpy(&v, &h, 2); return v; }
static float half_value(u32 v) {
  static float *all = nullptr;
  if (!all) {
    all = (float *)malloc(sizeof(float) << 16);
    for (u32 i = 0; i < 65536; i++) { unsigned short w = i; _Float16 h; memcpy(&h, &w, 2); all[i] = (float)h; }
  }
  return all[v & 0xffff];
}
static void split(float x, float y, u32 &high, u32 &low) {
  high = half_bits(x) | half_bits(y) << 16;
  low = half_bits(x - half_value(high)) | half_bits(y - half_value(high >> 16)) << 16;
}
static u32 larger(u32 most, u32 pair) {
  u32 a = pair & 0x7fff7fffu;
  return max(most & 0xffff, a & 0xffff) | max(most >> 16, a >> 16) << 16;
}

static void mma_fence() {}
static void mma_commit() {}
template <int LEFT> static void mma_wait() {}
// one number of an operand: `across` of its rows (or columns), `k` along the sum
static float of_operand(u64 d, int across, int k, bool along_points) {
  u32 at = (u32)(d & 0x3fff) << 4, lead = (u32)(d >> 16 & 0x3fff) << 4, stride = (u32)(d >> 32 & 0x3fff) << 4;
  bool wide = d >> 62 == 1;
  if (along_points) at += across / 64 * lead + k / 8 * stride + k % 8 * 128 + across % 64 * 2;
  else at += across / 8 * stride + across % 8 * (wide ? 128 : 64) + k * 2;
  at ^= (at >> 7 & (wide ? 7 : 3)) << 4;
  unsigned short v;
  memcpy(&v, emulated_shared + at, 2);
  return half_value(v);
}
// D(64 x COLUMNS) += A B over a sum of sixteen; thread 32 w + 4 g + t has rows 16 w + g and 8 more, of each eight columns 2 t and 2 t + 1
template <int COLUMNS, bool sets, bool along_points> static void emulated_wgmma(float (&d)[COLUMNS / 2], u64 a, u64 b) {
  int w = running % 128 / 32, g = running % 32 / 4, t = running % 4;
  float rows[2][16];
  for (int i = 0; i < 2; i++) for (int k = 0; k < 16; k++) rows[i][k] = of_operand(a, 16 * w + g + 8 * i, k, along_points);
  for (int c = 0; c < COLUMNS / 8; c++) for (int j = 0; j < 2; j++) {
    float column[16];
    for (int k = 0; k < 16; k++) column[k] = of_operand(b, 8 * c + 2 * t + j, k, along_points);
    for (int i = 0; i < 2; i++) {
      float sum = sets ? 0 : d[4 * c + 2 * i + j];
      for (int k = 0; k < 16; k++) sum += rows[i][k] * column[k];
      d[4 * c + 2 * i + j] = sum;
    }
  }
  sync_warp();
}
