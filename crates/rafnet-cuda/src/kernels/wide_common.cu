// Hopper's own instructions, and what the kernels of a wide step share.
//
// A number of f32 enters a product as two f16 parts, x s = high + low with a power of two s: about 22 bits. A product is three of the tensor
// cores', high low + low high + high high, summed in f32. Scales follow the largest numbers of the step before (see `judge`).
typedef unsigned char u8;
typedef unsigned short u16;

#if EMULATED
#define WIDE_MEMORY(name) u8 *name = emulated_shared
#else
#define WIDE_MEMORY(name) extern __shared__ __align__(1024) u8 name[]
DEV u32 shared_at(const void *p) { return (u32)__cvta_generic_to_shared(p); }
DEV void bar_init(u32 bar, u32 count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(bar), "r"(count)); }
DEV void bars_are_ready() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
DEV void bar_expect(u32 bar, u32 bytes) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(bar), "r"(bytes) : "memory"); }
DEV void bar_arrive(u32 bar) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(bar) : "memory"); }
DEV bool bar_try(u32 bar, u32 parity) {
  u32 done;
  asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
    : "=r"(done) : "r"(bar), "r"(parity) : "memory");
  return done;
}
// Waits are bounded: a lost barrier ends the kernel with an error instead of hanging. A trap beside the products would cost registers, so a
// wait only says whether one was in vain, and `all_came` stands behind them.
#define MOST_TRIES 65536u
#define MORE_REGISTERS() asm volatile("setmaxnreg.inc.sync.aligned.u32 240;")
#define FEWER_REGISTERS() asm volatile("setmaxnreg.dec.sync.aligned.u32 24;")
DEV u32 bar_wait(u32 bar, u32 parity, u32 lost) {
  while (lost < MOST_TRIES && !bar_try(bar, parity)) lost++;
  return lost & MOST_TRIES;
}
DEV void all_came(u32 lost) { if (lost) asm volatile("trap;"); }
DEV void team_sync(int id, int threads) { asm volatile("bar.sync %0, %1;" :: "r"(id), "r"(threads) : "memory"); }
DEV void team_pass(int id, int threads) { asm volatile("bar.arrive %0, %1;" :: "r"(id), "r"(threads) : "memory"); }
DEV void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// whole blocks of memory, there and back; what streams out should leave the second-level cache first, scratch that is read back should stay
DEV void load_bulk(u32 to, const void *from, u32 bytes, u32 bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
    :: "r"(to), "l"(from), "r"(bytes), "r"(bar) : "memory");
}
// a number that is on its way while its thread goes on, until `copied`
DEV void copy_number(u32 to, const float *from) { asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(from) : "memory"); }
DEV void copied() { asm volatile("cp.async.wait_all;" ::: "memory"); }
DEV u64 leaves_first() { u64 p; asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(p)); return p; }
DEV u64 stays() { u64 p; asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(p)); return p; }
DEV void store_bulk(void *to, u32 from, u32 bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;"
    :: "l"(to), "r"(from), "r"(bytes), "l"(leaves_first()) : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
DEV void stored_is_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
DEV void stored() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
DEV void keep(float2 *at, float x, float y, u64 policy) {
  asm volatile("st.global.L2::cache_hint.v2.f32 [%0], {%1, %2}, %3;" :: "l"(at), "f"(x), "f"(y), "l"(policy) : "memory");
}
DEV float2 kept(const float2 *at, u64 policy) {
  float2 v;
  asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v2.f32 {%0, %1}, [%2], %3;" : "=f"(v.x), "=f"(v.y) : "l"(at), "l"(policy));
  return v;
}
DEV void add_pair(float2 *at, float x, float y) { asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" :: "l"(at), "f"(x), "f"(y) : "memory"); }
DEV void store_shared(u32 at, u32 v) { asm volatile("st.shared.b32 [%0], %1;" :: "r"(at), "r"(v) : "memory"); }
DEV void store_shared(u32 at, float v) { asm volatile("st.shared.f32 [%0], %1;" :: "r"(at), "f"(v) : "memory"); }
DEV float load_shared(u32 at) { float v; asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(at) : "memory"); return v; }

DEV void mma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
DEV void mma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int LEFT> DEV void mma_wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(LEFT) : "memory"); }
// x, y → both high parts and both low parts
DEV void split(float x, float y, u32 &high, u32 &low) {
  float f, g;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(high) : "f"(y), "f"(x));
  asm("{\n.reg .b16 a, b;\nmov.b32 {a, b}, %2;\ncvt.f32.f16 %0, a;\ncvt.f32.f16 %1, b;\n}" : "=f"(f), "=f"(g) : "r"(high));
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(low) : "f"(y - g), "f"(x - f));
}
// the larger magnitudes of two pairs of f16; beyond all numbers infinity, beyond that what is no number
DEV u32 larger(u32 most, u32 pair) {
  asm("{\n.reg .b32 a;\nabs.f16x2 a, %1;\nmax.NaN.f16x2 %0, %0, a;\n}" : "+r"(most) : "r"(pair));
  return most;
}
#endif

// An operand in shared memory as rows of 128 bytes, eight of them a swizzled atom: the 16-byte column is XORed with row mod 8.
// Where the sum runs along columns of memory, `lead` is from one run of 64 columns to the next.
DEV u64 rows_of_128(u32 at, u32 lead) { return (u64)((at & 0x3ffff) >> 4) | ((u64)(lead >> 4) << 16) | (64ull << 32) | (1ull << 62); }
// The same as rows of 64 bytes; the 16-byte column is XORed with row / 2 mod 4.
DEV u64 rows_of_64(u32 at) { return (u64)((at & 0x3ffff) >> 4) | (1ull << 16) | (32ull << 32) | (2ull << 62); }

DEV u32 most_of_warp(u32 most) {
  most = max(most & 0xffffu, most >> 16);
  return __reduce_max_sync(~0u, most);
}

// The tensor cores truncate: each instruction shrinks the running sum by 0.72 × 2⁻²⁴ on average, and a sum that grows evenly over n of them
// by n/2 times that. The mean of it is put back with the scale.
DEV float untruncated(float instructions) { return 1 + 0.5f * 4.3e-8f * instructions; }

// What a step knows of its scales: of W, of h and of the cotangents of z, layer by layer.
#define OF_W 0
#define OF_H 1
#define OF_Z 2
struct State {
  float now[3][DEPTH], next[3][DEPTH];   // scales of this step and of the next
  u32 seen[3][DEPTH];                    // the largest scaled number as f16
  u32 packed[DEPTH];                     // the same of W while it is packed
  u32 again;                             // whether the step was in vain
};
