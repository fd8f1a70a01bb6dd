/* The launches before a put whose indices may be equal: the first checks them, the last notes which
 * place wins. The program defines IndexType, INDEX_MODE, OWNERS (1 or 2); STEP 0: the only launch,
 * 1 and 2: the first and the second (OWNERS 1). */
#define MACROS BLOCK, INDEX_MODE, OWNERS, STEP
#define WIDE_INDEX 1
#include "bounds.cuh"
#include "owners.cuh"

struct Params {
    const char *indices;
    tn_i64 count, index_stride, axis_size, axis;
    Bounds bounds;
    tn_u64 *owners;
    tn_u64 owner_mask;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
#if STEP == 2
    if (p.bounds.has_failed()) return;
#endif
    for (tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; at < p.count;
         at += (tn_i64)gridDim.x * BLOCK) {
        tn_i64 index = (tn_i64)__ldcs((const IndexType *)(p.indices + at * p.index_stride));
        index = resolve_index(index, p.axis_size, p.axis, p.bounds);
        if (index < 0) continue;
#if STEP == 1
        mark(p.owners, index, at);
#else
#if STEP == 2
        if (is_marked(p.owners, index, at)) continue;
#endif
        own(p.owners, p.owner_mask, index, at);
#endif
    }
}
