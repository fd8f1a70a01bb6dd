/* Places along Hilbert's curve: a thread a point. The program defines BLOCK and AXES. */
#define HEADER "tree.h"
#define MACROS BLOCK, AXES

struct Params {
    const tn_u32 *places;
    tn_i64 *keys;
    tn_i64 count, bits;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 i = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; i < p.count;
         i += gridDim.x * (tn_i64)BLOCK) {
        tn_u32 at[AXES];
#pragma unroll
        for (int k = 0; k < AXES; k++) at[k] = p.places[i * AXES + k];
        tn_i64 key;
        m_hilbert(&key, at, AXES, (int)p.bits, 1);
        p.keys[i] = key;
    }
}
