/* The transposed matrix times a vector, or (no dense operand) the sums of the columns: a block a
 * piece of rows, whose elements are added where their columns say.
 *
 * The program defines Value, Value csr_multiply(Value, Value), void csr_add_to(Value *, Value),
 * which is atomic, BLOCK, WIDE, TILE. `output` is 0 before.
 * Limit: the order of the additions is the machine's, so float sums may differ in the last bits. */
#define MACROS BLOCK, WIDE, TILE
#include "csr.cuh"

struct Params {
    const CsrIndex *starts, *indices;
    const Value *values, *dense;
    Value *output;
    const tn_i64 *cuts;
    tn_i64 rows, columns, count, pieces, dense_row;
    tn_i64 text;
    Bounds bounds;
};

/* Adds element k, which is of a row. */
__device__ __forceinline__ void turn(const Params &p, tn_i64 row, tn_i64 k) {
    const tn_i64 column = p.indices[k];
    if (column < 0 || column >= p.columns) {
        report_structure(p.bounds, p.text);
        return;
    }
    Value value = p.values[k];
    if (p.dense) value = csr_multiply(value, p.dense[row * p.dense_row]);
    csr_add_to(&p.output[column], value);
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 at = blockIdx.x; at < p.pieces; at += gridDim.x) {
        const CsrPiece piece(p.cuts, at, p.count);
        const int team = piece.team(BLOCK), lane = threadIdx.x % team;
        for (tn_i64 row = piece.first + threadIdx.x / team; row <= piece.last;
             row += BLOCK / team) {
            if (row >= p.rows) continue;
            const CsrRow checked(p.starts, row, p.count, p.bounds, p.text);
            tn_i64 from, to;
            piece.part(p.starts, row, from, to);
            for (tn_i64 k = from + lane; k < to; k += team) turn(p, row, k);
        }
    }
}
