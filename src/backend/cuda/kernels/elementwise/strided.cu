/* Element-wise work on any layout: groups of WIDTH elements along the last axis, UNROLL of them a
 * thread.
 *
 * The program defines what elements.cuh asks for, WIDTH (it divides the last axis), UNROLL, NDIM
 * and WIDE_INDEX. The last axis of the shape counts groups. */
#define MACROS BLOCK, WIDTH, UNROLL, NDIM, WIDE_INDEX, ARGUMENTS
#include "elements.cuh"

struct Params {
    tn_i64 count; /* groups */
    char *data[ARGUMENTS];
    ScalarValue values[ARGUMENTS];
    tn_i64 strides[ARGUMENTS]; /* from one element to the next along the last axis */
    Shape<NDIM, ARGUMENTS> shape;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const tn_i64 step = (tn_i64)BLOCK * UNROLL;
    for (tn_i64 first = blockIdx.x * step + threadIdx.x; first < p.count;
         first += gridDim.x * step) {
        Element e[UNROLL][WIDTH];
        tn_i64 offsets[UNROLL][ARGUMENTS];
        unsigned chosen[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            chosen[u] = 0;
            if (first + u * BLOCK >= p.count) continue;
#pragma unroll
            for (int a = 0; a < ARGUMENTS; a++) offsets[u][a] = 0;
            p.shape.walk((Index)(first + u * BLOCK), offsets[u]);
#define SCALAR(k)                                                                                  \
    _Pragma("unroll") for (int i = 0; i < WIDTH; i++) e[u][i].a##k =                               \
        *(const Stored##k *)p.values[k].bytes;
#define LOAD(k) LOAD_ARGUMENT(k, e[u], WIDTH, p.data[k] + offsets[u][k], p.strides[k])
#define MASK(k)                                                                                    \
    {                                                                                              \
        tn_u8 mask[WIDTH];                                                                         \
        load_elements<INNER_##k, tn_u8, WIDTH>(mask, p.data[k] + offsets[u][k], p.strides[k]);     \
        _Pragma("unroll") for (int i = 0; i < WIDTH; i++) chosen[u] |= (unsigned)(mask[i] != 0)    \
                                                                       << i;                       \
    }
            EACH_SCALAR(SCALAR)
            EACH_INPUT(LOAD)
            EACH_MASK(MASK)
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            if (first + u * BLOCK >= p.count) continue;
#pragma unroll
            for (int i = 0; i < WIDTH; i++) body(e[u][i]);
#define STORE(k) STORE_ARGUMENT(k, e[u], WIDTH, p.data[k] + offsets[u][k], p.strides[k], chosen[u])
            EACH_OUTPUT(STORE)
        }
#undef SCALAR
#undef LOAD
#undef MASK
#undef STORE
    }
}
