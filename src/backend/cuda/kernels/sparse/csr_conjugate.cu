/* Steps of conjugate gradients, all in one launch: the grid is what runs at the same time, and
 * waits for all its blocks three times a step.
 *
 * The program defines what csr_sums.cuh asks for, of Value float or double, and INVERSE: whether
 * there is a diagonal matrix near the inverse.
 * Invariant: all blocks compute the same sums from the same parts in the same order, so all leave
 * the loop together. The parts are those of the blocks, so the last bits depend on their number.
 * Algorithm: what a piece has of a row that ends later is its carry. The row's own thread adds the
 * carries when it takes the product; until then they are sums of their own, and so are their parts
 * of the product with the direction. */
#define MACROS BLOCK, WIDE, TILE, PER, INVERSE
#include "csr_sums.cuh"
#include "grid.cuh"

/* What is kept between calls, in the order of forms/sparse.h. */
struct Numbers {
    double product, square, factor, done;
};

struct Params {
    const CsrIndex *starts, *indices;
    const Value *values, *inverse;
    Value *x, *residual, *dense, *output, *carries; /* dense: the direction; carries: one a piece */
    Numbers *numbers;
    double *sums; /* three of each block */
    unsigned *arrivals;
    const tn_i64 *cuts;
    tn_i64 rows, columns, count, pieces, dense_row, steps;
    double limit;
    tn_i64 text;
    Bounds bounds;
};

/* The sum of the block's threads, in all of them. */
__device__ __forceinline__ double block_sum(double value) {
    __shared__ double warps[BLOCK / 32];
    for (int by = 16; by > 0; by /= 2) value += shuffle_down(value, by, 32);
    __syncthreads();
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = 0;
    for (int k = 0; k < BLOCK / 32; k++) value += warps[k];
    return value;
}

__device__ __forceinline__ void give(double *sums, double value) {
    value = block_sum(value);
    if (threadIdx.x == 0) sums[blockIdx.x] = value;
}

/* The sum over all blocks of what they gave before the barrier. */
__device__ __forceinline__ double total(const double *sums) {
    double value = 0;
    for (unsigned k = threadIdx.x; k < gridDim.x; k += BLOCK) value += sums[k];
    return block_sum(value);
}

struct Keep {
    const Params &p;
    Value *carry;
    double product;

    __device__ __forceinline__ void operator()(tn_i64 row, Value sum, bool is_whole) {
        *(is_whole ? p.output + row : carry) = sum;
        if (row < p.rows) product += (double)p.dense[row] * (double)sum;
    }
};

/* The next direction. */
__device__ __forceinline__ void turn(const Params &p, double factor) {
    for (tn_i64 k = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; k < p.rows;
         k += (tn_i64)gridDim.x * BLOCK) {
        Value value = p.residual[k];
#if INVERSE
        value *= p.inverse[k];
#endif
        p.dense[k] = (Value)factor * p.dense[k] + value;
    }
}

/* The product of the matrix and the direction, whose product with the direction it returns. */
__device__ __forceinline__ double multiply(const Params &p, Value *products) {
    double product = 0;
    for (tn_i64 at = blockIdx.x; at < p.pieces; at += gridDim.x) {
        const CsrPiece piece(p.cuts, at, p.count);
        Keep keep = {p, p.carries + at, 0};
        csr_sum_piece(p, products, piece, keep);
        product += keep.product;
    }
    return product;
}

/* What the pieces before this one have of its first row, in the first warp's first thread. */
__device__ __forceinline__ Value carried(const Params &p, tn_i64 at, tn_i64 row) {
    Value sum = Value();
    if (threadIdx.x >= 32) return sum;
    for (tn_i64 k = at - 1 - threadIdx.x; k >= 0 && p.cuts[k + 1] == row; k -= 32)
        sum += p.carries[k];
    for (int by = 16; by > 0; by /= 2) sum += shuffle_down(sum, by, 32);
    return sum;
}

/* Steps along the direction; adds the new residual's square to `square`, and its product with what
 * the preconditioner makes of it to `product`. */
__device__ __forceinline__ void advance(const Params &p, double alpha, double &square,
                                        double &product) {
    for (tn_i64 at = blockIdx.x; at < p.pieces; at += gridDim.x) {
        const tn_i64 first = p.cuts[at], last = p.cuts[at + 1];
        const Value carry = first < last ? carried(p, at, first) : Value();
        for (tn_i64 row = first + threadIdx.x; row < last; row += BLOCK) {
            const Value taken = row == first ? p.output[row] + carry : p.output[row];
            const Value rest = p.residual[row] - (Value)alpha * taken;
            p.x[row] += (Value)alpha * p.dense[row];
            p.residual[row] = rest;
            square += (double)rest * (double)rest;
#if INVERSE
            product += (double)rest * (double)(p.inverse[row] * rest);
#endif
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK, PER) KERNEL(const __grid_constant__ Params p) {
    __shared__ Value products[CSR_PRODUCTS];
    double product = p.numbers->product, square = p.numbers->square, factor = p.numbers->factor;
    double *const squares = p.sums + gridDim.x, *const others = squares + gridDim.x;
    tn_i64 done = 0;
    unsigned due = 0;
    for (; done < p.steps && !(sqrt(square) <= p.limit); done++) {
        turn(p, factor);
        grid_wait(p.arrivals, due);
        give(p.sums, multiply(p, products));
        grid_wait(p.arrivals, due);
        const double alpha = product / total(p.sums);
        double own_square = 0, own_product = 0;
        advance(p, alpha, own_square, own_product);
        give(squares, own_square);
#if INVERSE
        give(others, own_product);
#endif
        grid_wait(p.arrivals, due);
        square = total(squares);
        const double before = product;
#if INVERSE
        product = total(others);
#else
        product = square;
#endif
        factor = product / before;
    }
    if (done == 0 || blockIdx.x || threadIdx.x) return;
    p.numbers->product = product;
    p.numbers->square = square;
    p.numbers->factor = factor;
    p.numbers->done += (double)done;
}
