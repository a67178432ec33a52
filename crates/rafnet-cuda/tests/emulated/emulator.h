// Enough of CUDA C++ for a processor to run a kernel: the threads of a block take turns, blocks one after the other.
#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>
using namespace std;
#define EMULATED 1
#define __device__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static
#define __restrict__

struct Dim { unsigned x; };
static Dim threadIdx, blockIdx, gridDim;
static unsigned char *emulated_shared;
struct int4 { int x, y, z, w; };
struct double2 { double x, y; };
struct float4 { float x, y, z, w; };
struct uint4 { unsigned x, y, z, w; };
template <class T> static inline T __ldg(const T *p) { return *p; }
static inline int min(int a, int b) { return a < b ? a : b; }
static inline unsigned __float_as_uint(float x) { unsigned v; memcpy(&v, &x, 4); return v; }
static inline float __uint_as_float(unsigned v) { float x; memcpy(&x, &v, 4); return x; }
static inline double __longlong_as_double(long long v) { double x; memcpy(&x, &v, 8); return x; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __dadd_rn(double a, double b) { return a + b; }
template <class T> static inline void atomicAdd(T *p, T v) { *p += v; }

// ---- threads that take turns ---------------------------------------------------------------------------------------------------
struct Fiber { jmp_buf at; ucontext_t start; bool begun, done; };
static const int MOST = 1024, STACK = 1 << 20;
static Fiber fibers[MOST];
static char *stacks;
static jmp_buf scheduler;
static int running, alive;
static void (*body)(void **);
static void **arguments;
static unsigned arrived, turn, warp_arrived[MOST / 32], warp_turn[MOST / 32];

static void step_aside() {
  int me = running;
  if (!_setjmp(fibers[me].at)) _longjmp(scheduler, 1);
}
static void __syncthreads() {
  unsigned mine = turn;
  if (++arrived == (unsigned)alive) { arrived = 0; turn++; return; }
  while (turn == mine) step_aside();
}
static void sync_warp() {
  int w = running / 32;
  unsigned mine = warp_turn[w];
  if (++warp_arrived[w] == 32) { warp_arrived[w] = 0; warp_turn[w]++; return; }
  while (warp_turn[w] == mine) step_aside();
}
static void __syncwarp() { sync_warp(); }
static double exchanged[MOST][6];
template <class T> static T __shfl_xor_sync(unsigned, T v, int mask) {
  exchanged[running][0] = v;
  sync_warp();
  T other = (T)exchanged[running / 32 * 32 + ((running % 32) ^ mask)][0];
  sync_warp();
  return other;
}
// D(16x8) += A(16x8) B(8x8); lane = 4 g + t: a[i] row g + 8 (i & 1), column t + 4 (i >> 1); b[i] row t + 4 i, column g;
// c[i] row g + 8 (i >> 1), column 2 t + (i & 1)
template <class T> static void emulated_mma(T (&c)[4], const T (&a)[4], const T (&b)[2]) {
  int lane = running % 32, warp = running / 32 * 32, g = lane / 4, t = lane % 4;
  for (int i = 0; i < 4; i++) exchanged[running][i] = a[i];
  for (int i = 0; i < 2; i++) exchanged[running][4 + i] = b[i];
  sync_warp();
  for (int i = 0; i < 4; i++) {
    int row = g + 8 * (i >> 1), column = 2 * t + (i & 1);
    for (int k = 0; k < 8; k++) {
      T x = (T)exchanged[warp + 4 * (row % 8) + k % 4][(row / 8) + 2 * (k / 4)], y = (T)exchanged[warp + 4 * column + k % 4][4 + k / 4];
      c[i] = fma(x, y, c[i]);
    }
  }
  sync_warp();
}
static void entry() {
  body(arguments);
  fibers[running].done = true;
  alive--;
  if (alive > 0 && arrived == (unsigned)alive) { arrived = 0; turn++; }
  _longjmp(scheduler, 1);
}
extern "C" void emulated_launch(void (*kernel)(void **), unsigned blocks, unsigned threads, unsigned shared, void **given) {
  static unsigned room = 0;
  if (!stacks) stacks = (char *)malloc((size_t)MOST * STACK);
  if (shared + 64 > room) { free(emulated_shared); room = shared + 64; emulated_shared = (unsigned char *)aligned_alloc(64, (room + 63) / 64 * 64); }
  body = kernel; arguments = given;
  gridDim.x = blocks;
  for (unsigned block = 0; block < blocks; block++) {
    blockIdx.x = block;
    memset(emulated_shared, 0xff, shared);
    arrived = 0; alive = threads;
    memset(warp_arrived, 0, sizeof warp_arrived);
    for (unsigned i = 0; i < threads; i++) fibers[i].begun = fibers[i].done = false;
    while (alive > 0)
      for (unsigned i = 0; i < threads; i++) {
        Fiber &f = fibers[i];
        if (f.done) continue;
        running = i; threadIdx.x = i;
        if (!_setjmp(scheduler)) {
          if (f.begun) _longjmp(f.at, 1);
          f.begun = true;
          getcontext(&f.start);
          f.start.uc_stack.ss_sp = stacks + (size_t)i * STACK;
          f.start.uc_stack.ss_size = STACK;
          f.start.uc_link = nullptr;
          makecontext(&f.start, entry, 0);
          setcontext(&f.start);
        }
      }
  }
}
