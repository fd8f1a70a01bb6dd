/* to[i] = start + i * step in the arithmetic of the dtype; NumPy's formulas for linspace.
 *
 * The program defines Stored, Part (unsigned of an integer's width; float or double), PARTS (2 for
 * complex numbers, whose parts lie side by side), RANGE_INTEGER 0 or 1, RANGE_LINSPACE 0 or 1, and
 * Stored range_store(Part) for real numbers. Blocks write 16 bytes a thread where `to` is
 * aligned. */
#define MACROS BLOCK, RANGE_LINSPACE, WIDE_INDEX
#include "access.cuh"

union Number {
    tn_u64 u;
    double c[2];
};

struct Params {
    char *to;
    tn_i64 count;
    Number start, step, last;
    double divisor;
    tn_i64 has_last, rounds_down;
};

typedef Vector<Part, PARTS> Element;

__device__ __forceinline__ Part range_part(const Params &p, tn_i64 i, int part) {
#if RANGE_INTEGER
    return (Part)((Part)p.start.u + (Part)((Part)i * (Part)p.step.u));
#elif RANGE_LINSPACE
    double value = p.divisor != 0 ? (double)i / p.divisor * p.step.c[part] + p.start.c[part]
                                  : (double)i * p.step.c[part] + p.start.c[part];
    if (p.has_last && i == p.count - 1) value = p.last.c[part];
    return p.rounds_down ? floor(value) : value;
#else
    return (Part)p.start.c[part] + (Part)i * (Part)p.step.c[part];
#endif
}

#define WIDTH (16 / (int)(sizeof(Stored) * PARTS))

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 first = (blockIdx.x * (tn_i64)BLOCK + threadIdx.x) * WIDTH; first < p.count;
         first += (tn_i64)gridDim.x * BLOCK * WIDTH) {
        Stored values[WIDTH * PARTS];
#pragma unroll
        for (int k = 0; k < WIDTH; k++)
#pragma unroll
            for (int part = 0; part < PARTS; part++)
                values[k * PARTS + part] = range_store(range_part(p, first + k, part));
        Stored *to = (Stored *)p.to + first * PARTS;
        if (first + WIDTH <= p.count && ((tn_u64)p.to & 15) == 0) {
            store_vector<Stored, WIDTH * PARTS>(to, values);
        } else {
#pragma unroll
            for (int k = 0; k < WIDTH * PARTS; k++)
                if (first * PARTS + k < p.count * PARTS) to[k] = values[k];
        }
    }
}
