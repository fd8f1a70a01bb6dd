/* What each element's row is (LOOK 1), or what is to be said of a structure (LOOK 0): a block a
 * piece of rows. The program defines BLOCK, WIDE, TILE, LOOK. */
#define MACROS BLOCK, WIDE, TILE, LOOK
#include "csr.cuh"

#define CSR_BAD 1
#define CSR_UNSORTED 2
#define CSR_DUPLICATES 4

struct Params {
    const CsrIndex *starts, *indices;
    const tn_i64 *cuts;
    tn_i64 rows, columns, count, pieces;
    CsrIndex *to; /* LOOK 1: a row an element */
    tn_u64 *flags;
    tn_i64 text;
    Bounds bounds;
};

#if LOOK
/* Every element has a row, or that is reported. */
__device__ __forceinline__ void look(const Params &p, tn_i64 row, tn_i64 from, tn_i64 to, int lane,
                                     int team) {
    if (row == 0 && lane == 0 && (p.starts[0] != 0 || p.starts[p.rows] != p.count))
        report_structure(p.bounds, p.text);
    for (tn_i64 k = from + lane; k < to; k += team) p.to[k] = (CsrIndex)row;
}
#else
__device__ __forceinline__ void look(const Params &p, tn_i64 row, tn_i64 from, tn_i64 to, int lane,
                                     int team) {
    unsigned found = 0;
    if (row >= p.rows) return;
    const tn_i64 begin = p.starts[row], end = p.starts[row + 1];
    if (begin < 0 || end < begin || end > p.count) found = CSR_BAD;
    for (tn_i64 k = from + lane; k < to; k += team) {
        const tn_i64 index = p.indices[k];
        if (index < 0 || index >= p.columns) found |= CSR_BAD;
        if (k <= begin) continue;
        const tn_i64 before = p.indices[k - 1];
        found |= index < before ? CSR_UNSORTED : index == before ? CSR_DUPLICATES : 0;
    }
    if (found & ~(unsigned)*(volatile tn_u64 *)p.flags) atomicOr(p.flags, (tn_u64)found);
}
#endif

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 at = blockIdx.x; at < p.pieces; at += gridDim.x) {
        const CsrPiece piece(p.cuts, at, p.count);
        const int team = piece.team(BLOCK), lane = threadIdx.x % team;
        for (tn_i64 row = piece.first + threadIdx.x / team; row <= piece.last;
             row += BLOCK / team) {
            tn_i64 from, to;
            piece.part(p.starts, row, from, to);
            if (row < p.rows) look(p, row, from, to, lane, team);
        }
    }
}
