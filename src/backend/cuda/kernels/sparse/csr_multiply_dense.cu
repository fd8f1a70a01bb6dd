/* A sparse matrix times the rows of a dense one: a team of LANES threads a piece of rows and
 * LANES * PER columns.
 *
 * The program defines Value, Value csr_multiply(Value, Value), Value csr_add(Value, Value), BLOCK,
 * WIDE, TILE, LANES, PER. A sum runs from left to right within a piece; carries as in
 * csr_multiply.cu, a row of them a piece. */
#define MACROS BLOCK, WIDE, TILE, LANES, PER
#include "csr.cuh"

struct Params {
    const CsrIndex *starts, *indices;
    const Value *values, *dense;
    Value *output, *carries; /* carries[pieces, width] */
    const tn_i64 *cuts;
    tn_i64 columns, count, pieces, dense_row;
    tn_i64 width, chunks; /* of LANES * PER columns */
    tn_i64 text;
    Bounds bounds;
};

/* A sum that goes on over the elements from `from` to before `to`. */
__device__ __forceinline__ void add_row(const Params &p, Value (&sums)[PER], tn_i64 from, tn_i64 to,
                                        tn_i64 first) {
#pragma unroll 2
    for (tn_i64 k = from; k < to; k++) {
        const tn_i64 column = p.indices[k];
        if (column < 0 || column >= p.columns) {
            report_structure(p.bounds, p.text);
            continue;
        }
        const Value value = p.values[k];
        const Value *dense = p.dense + column * p.dense_row;
#pragma unroll
        for (int i = 0; i < PER; i++)
            if (first + i * LANES < p.width)
                sums[i] = csr_add(sums[i], csr_multiply(value, dense[first + i * LANES]));
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 at = (blockIdx.x * (tn_i64)BLOCK + threadIdx.x) / LANES; at < p.pieces * p.chunks;
         at += (tn_i64)gridDim.x * BLOCK / LANES) {
        const tn_i64 number = at / p.chunks;
        const tn_i64 first = at % p.chunks * (LANES * PER) + threadIdx.x % LANES;
        const CsrPiece piece(p.cuts, number, p.count);
        for (tn_i64 row = piece.first; row <= piece.last; row++) {
            Value sums[PER];
#pragma unroll
            for (int i = 0; i < PER; i++) sums[i] = Value();
            tn_i64 from, to;
            piece.part(p.starts, row, from, to);
            add_row(p, sums, from, to, first);
            Value *to_row = p.carries + number * p.width;
            if (row < piece.last) {
                const CsrRow checked(p.starts, row, p.count, p.bounds, p.text);
                to_row = p.output + row * p.width;
            }
#pragma unroll
            for (int i = 0; i < PER; i++)
                if (first + i * LANES < p.width) to_row[first + i * LANES] = sums[i];
        }
    }
}
