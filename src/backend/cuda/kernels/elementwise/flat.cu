/* Element-wise work on contiguous arguments and scalars: one dimension.
 *
 * The program defines what elements.cuh asks for (every argument INNER_VECTOR), WIDTH elements of a
 * thread and UNROLL such groups in flight. With WIDTH above 1 every argument begins aligned to its
 * vector.
 * Algorithm: a block takes BLOCK x UNROLL groups; all loads of a thread come before its first
 * use. */
#define MACROS BLOCK, WIDTH, UNROLL, WIDE_INDEX, ARGUMENTS
#include "elements.cuh"

struct Params {
    tn_i64 count; /* elements */
    char *data[ARGUMENTS];
    ScalarValue values[ARGUMENTS];
};

/* `valid` of WIDTH elements at `at`. */
__device__ __forceinline__ void do_tail(const Params &p, tn_i64 at, tn_i64 end) {
#pragma unroll 1
    for (; at < end; at++) {
        Element e;
        unsigned chosen = 1;
#define SCALAR(k) e.a##k = *(const Stored##k *)p.values[k].bytes;
#define LOAD(k) e.a##k = ((const Stored##k *)p.data[k])[at];
#define MASK(k) chosen = ((const tn_u8 *)p.data[k])[at] != 0;
#define STORE(k)                                                                                   \
    if (chosen) ((Stored##k *)p.data[k])[at] = e.a##k;
        EACH_SCALAR(SCALAR)
        EACH_INPUT(LOAD)
        EACH_MASK(MASK)
        body(e);
        EACH_OUTPUT(STORE)
#undef SCALAR
#undef LOAD
#undef MASK
#undef STORE
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const tn_i64 step = (tn_i64)BLOCK * UNROLL * WIDTH;
    for (tn_i64 tile = blockIdx.x * step; tile < p.count; tile += gridDim.x * step) {
        const tn_i64 first = tile + threadIdx.x * WIDTH;
        if (tile + step <= p.count) {
            Element e[UNROLL][WIDTH];
            unsigned chosen[UNROLL];
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                tn_i64 at = first + u * (BLOCK * WIDTH);
#define SCALAR(k)                                                                                  \
    _Pragma("unroll") for (int i = 0; i < WIDTH; i++) e[u][i].a##k =                               \
        *(const Stored##k *)p.values[k].bytes;
#define LOAD(k) LOAD_ARGUMENT(k, e[u], WIDTH, (const char *)((const Stored##k *)p.data[k] + at), 0)
                EACH_SCALAR(SCALAR)
                EACH_INPUT(LOAD)
                chosen[u] = 0;
#define MASK(k)                                                                                    \
    {                                                                                              \
        tn_u8 mask[WIDTH];                                                                         \
        load_elements<INNER_##k, tn_u8, WIDTH>(mask, p.data[k] + at, 1);                           \
        _Pragma("unroll") for (int i = 0; i < WIDTH; i++) chosen[u] |= (unsigned)(mask[i] != 0)    \
                                                                       << i;                       \
    }
                EACH_MASK(MASK)
            }
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                tn_i64 at = first + u * (BLOCK * WIDTH);
#pragma unroll
                for (int i = 0; i < WIDTH; i++) body(e[u][i]);
#define STORE(k) STORE_ARGUMENT(k, e[u], WIDTH, (char *)((Stored##k *)p.data[k] + at), 0, chosen[u])
                EACH_OUTPUT(STORE)
            }
#undef SCALAR
#undef LOAD
#undef MASK
#undef STORE
        } else {
#pragma unroll 1
            for (int u = 0; u < UNROLL; u++) {
                tn_i64 at = first + u * (BLOCK * WIDTH);
                do_tail(p, at, at + WIDTH < p.count ? at + WIDTH : p.count);
            }
        }
    }
}
