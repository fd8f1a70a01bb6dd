/* Elements in another order, and the starts of their lines: a thread takes EACH elements at a time,
 * whose reads are under way together. An element is the first of a line where the one before is of
 * another. The starts of many lines without elements are written by the whole block.
 *
 * The program defines BLOCK, WIDE, UNIT_BYTES, EACH. Without `major` there are no starts;
 * without `minor` or `values` those are left alone. */
#define MACROS BLOCK, WIDE, UNIT_BYTES, EACH
#include "access.cuh"
#include "csr.cuh"

struct Params {
    const tn_i64 *order;
    const CsrIndex *major, *minor;
    const Word<UNIT_BYTES>::type *values;
    tn_i64 lines, count;
    CsrIndex *to_starts, *to_indices;
    Word<UNIT_BYTES>::type *to_values;
    tn_i64 text;
    Bounds bounds;
};

#define TILE_ITEMS (BLOCK * EACH)
#define SHORT_GAP 32

/* The line of the element at a place of the order; a bad one is reported and is some line. */
__device__ __forceinline__ CsrIndex line_of(const Params &p, tn_i64 at, CsrIndex line) {
    if (at >= p.count) return (CsrIndex)p.lines;
    if (line >= 0 && line < p.lines) return line;
    report_structure(p.bounds, p.text);
    return line < 0 ? 0 : (CsrIndex)(p.lines - 1);
}

/* The starts of the lines from `first` up to `last`, whose elements would begin at `start`. */
__device__ __forceinline__ void fill(const Params &p, CsrIndex first, CsrIndex last, tn_i64 start,
                                     int own, int step) {
    for (tn_i64 line = (tn_i64)first + own; line <= last; line += step)
        p.to_starts[line] = (CsrIndex)start;
}

/* The starts of the lines that end before each element of a tile and of its own; of the place after
 * the last element those of all lines that are left. */
__device__ __forceinline__ void write_starts(const Params &p, tn_i64 base,
                                             const CsrIndex (&found)[EACH]) {
    __shared__ CsrIndex lines[TILE_ITEMS + 1]; /* of the element before the tile, and of its own */
    __shared__ int gaps[TILE_ITEMS], count;    /* places before which many lines end */
    if (threadIdx.x == 0) {
        count = 0;
        lines[0] = base == 0 ? -1 : line_of(p, base - 1, p.major[p.order[base - 1]]);
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int place = k * BLOCK + (int)threadIdx.x;
        lines[place + 1] = line_of(p, base + place, found[k]);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int place = k * BLOCK + (int)threadIdx.x;
        if (base + place > p.count) break;
        const CsrIndex before = lines[place], line = lines[place + 1];
        if (line - before <= SHORT_GAP)
            fill(p, before + 1, line, base + place, 0, 1);
        else
            gaps[atomicAdd(&count, 1)] = place;
    }
    __syncthreads();
    for (int k = 0; k < count; k++)
        fill(p, lines[gaps[k]] + 1, lines[gaps[k] + 1], base + gaps[k], threadIdx.x, BLOCK);
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    typedef Word<UNIT_BYTES>::type Unit;
    const tn_i64 step = (tn_i64)gridDim.x * TILE_ITEMS;
    for (tn_i64 base = blockIdx.x * (tn_i64)TILE_ITEMS; base <= p.count; base += step) {
        tn_i64 from[EACH];
        CsrIndex minor[EACH], major[EACH];
        Unit values[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const tn_i64 at = base + k * BLOCK + threadIdx.x;
            from[k] = at < p.count ? __ldcs(&p.order[at]) : -1;
        }
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            if (from[k] < 0) continue;
            if (p.minor) minor[k] = p.minor[from[k]];
            if (p.values) values[k] = p.values[from[k]];
            if (p.major) major[k] = p.major[from[k]];
        }
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const tn_i64 at = base + k * BLOCK + threadIdx.x;
            if (from[k] < 0) continue;
            if (p.minor) p.to_indices[at] = minor[k];
            if (p.values) p.to_values[at] = values[k];
        }
        if (p.major) write_starts(p, base, major);
    }
}
