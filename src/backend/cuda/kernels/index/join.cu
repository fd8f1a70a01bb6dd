/* Rows of a result made of runs of bytes from several arrays.
 *
 * The program defines UNIT_BYTES (1 to 16), which divides every address and run, UNROLL units of a
 * thread, WIDE_INDEX, PARTS: room for so many, which lie with the parameters. */
#define MACROS BLOCK, UNIT_BYTES, UNROLL, WIDE_INDEX, PARTS
#include "access.cuh"

struct Params {
    char *to;
    tn_i64 count;     /* units of all rows */
    tn_i64 row_bytes; /* from one row of the result to the next */
    tn_i64 parts;
    Axis row; /* units of one, of these parts */
    const char *from[PARTS];
    tn_i64 firsts[PARTS], units[PARTS]; /* of a row */
};

typedef Word<UNIT_BYTES>::type Unit;

/* The part that has unit `within` of a row. */
__device__ __forceinline__ int part_of(const Params &p, tn_i64 within) {
    int first = 0, last = (int)p.parts;
    while (last - first > 1) {
        const int middle = (first + last) / 2;
        if (p.firsts[middle] <= within)
            first = middle;
        else
            last = middle;
    }
    return first;
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const tn_i64 step = (tn_i64)BLOCK * UNROLL;
    for (tn_i64 first = blockIdx.x * step + threadIdx.x; first < p.count;
         first += gridDim.x * step) {
        Unit units[UNROLL];
        char *places[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const tn_i64 at = first + u * BLOCK;
            if (at >= p.count) continue;
            const tn_i64 row = divide(p.row, (Index)at), within = at - row * p.row.size;
            const int k = part_of(p, within);
            places[u] = p.to + row * p.row_bytes + within * UNIT_BYTES;
            units[u] = ((const Unit *)p.from[k])[row * p.units[k] + within - p.firsts[k]];
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (first + u * BLOCK < p.count) *(Unit *)places[u] = units[u];
    }
}
