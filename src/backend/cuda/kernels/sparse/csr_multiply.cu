/* A sparse matrix times a vector, or (no dense operand) the sums of its rows: a block a piece of
 * rows. The program defines what csr_sums.cuh asks for. What a piece has of a row that ends later
 * is its carry, which csr_carry.cu adds. */
#define MACROS BLOCK, WIDE, TILE
#include "csr_sums.cuh"

struct Params {
    const CsrIndex *starts, *indices;
    const Value *values, *dense;
    Value *output, *carries; /* carries: one a piece */
    const tn_i64 *cuts;
    tn_i64 columns, count, pieces, dense_row;
    tn_i64 text;
    Bounds bounds;
};

struct Keep {
    Value *output, *carry;

    __device__ __forceinline__ void operator()(tn_i64 row, Value sum, bool is_whole) const {
        *(is_whole ? output + row : carry) = sum;
    }
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ Value products[CSR_PRODUCTS];
    for (tn_i64 at = blockIdx.x; at < p.pieces; at += gridDim.x) {
        const CsrPiece piece(p.cuts, at, p.count);
        const Keep keep = {p.output, p.carries + at};
        csr_sum_piece(p, products, piece, keep);
    }
}
