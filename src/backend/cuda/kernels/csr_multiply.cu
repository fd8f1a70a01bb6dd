/* A sparse matrix times a vector, or (no dense operand) the sums of its rows: a block a piece of
 * rows.
 *
 * The program defines Value, Value csr_multiply(Value, Value), Value csr_add(Value, Value), BLOCK,
 * WIDE, TILE.
 * Algorithm: the products of a piece go to shared memory, and then a team of threads sums those of
 * a row, or a warp those of a row too long for a team. What a piece has of a row that ends later is
 * its carry, which csr_carry.cu adds. The order of a sum depends on the structure alone. */
#include "access.cuh"
#include "csr.cuh"

struct Params {
    const CsrIndex *starts, *indices;
    const Value *values, *dense;
    Value *output, *carries; /* carries: one a piece */
    const tn_i64 *cuts;
    tn_i64 columns, count, pieces, dense_row;
    tn_i64 text;
    Bounds bounds;
};

#define AHEAD 4 /* elements of a thread whose reads are under way at a time */
#define ROOM (TILE / LONG + 1)
#define LONG 32 /* elements of a thread: many times what it has in rows of one length */

/* The products of a thread's elements from `first` on. */
__device__ __forceinline__ void multiply(const Params &p, Value *products, const CsrPiece &piece,
                                         tn_i64 first) {
    const tn_i64 end = piece.end;
    CsrIndex columns[AHEAD];
    Value values[AHEAD], dense[AHEAD];
    bool is_bad = false;
#pragma unroll
    for (int i = 0; i < AHEAD; i++) {
        const tn_i64 k = first + i * BLOCK;
        columns[i] = k < end ? p.indices[k] : (CsrIndex)0;
        values[i] = k < end ? p.values[k] : Value();
    }
#pragma unroll
    for (int i = 0; i < AHEAD; i++) {
        const bool is_there = columns[i] >= 0 && columns[i] < p.columns;
        dense[i] = is_there ? p.dense[columns[i] * p.dense_row] : Value();
        is_bad |= !is_there && first + i * BLOCK < end;
    }
#pragma unroll
    for (int i = 0; i < AHEAD; i++)
        if (first + i * BLOCK < end)
            products[first + i * BLOCK - piece.begin] = csr_multiply(values[i], dense[i]);
    if (is_bad) report_structure(p.bounds, p.text);
}

/* Sums a row's part by a team's threads, of which the first stores it. */
__device__ __forceinline__ void sum_row(const Params &p, const Value *products,
                                        const CsrPiece &piece, tn_i64 at, tn_i64 row, tn_i64 from,
                                        tn_i64 to, int lane, int team) {
    Value sum = Value();
    for (tn_i64 k = from + lane; k < to; k += team) sum = csr_add(sum, products[k - piece.begin]);
    for (int by = team / 2; by > 0; by /= 2) sum = csr_add(sum, shuffle_down(sum, by, team));
    if (lane != 0 || row > piece.last) return;
    if (row == piece.last) {
        p.carries[at] = sum;
    } else {
        const CsrRow checked(p.starts, row, p.count, p.bounds, p.text);
        p.output[row] = sum;
    }
}

/* The sums of a piece; rows of more than LONG elements a thread of the team are put off, so that
 * none waits for them. */
__device__ __forceinline__ void sum_rows(const Params &p, const Value *products,
                                         const CsrPiece &piece, tn_i64 at) {
    __shared__ tn_i64 long_rows[ROOM];
    __shared__ int long_count;
    if (threadIdx.x == 0) long_count = 0;
    __syncthreads();
    const int team = piece.team(BLOCK), lane = threadIdx.x % team;
    for (tn_i64 base = piece.first; base <= piece.last; base += BLOCK / team) {
        const tn_i64 row = base + threadIdx.x / team;
        tn_i64 from = 0, to = 0;
        if (row <= piece.last) piece.part(p.starts, row, from, to);
        const bool is_long = team < 32 && to - from > LONG * team;
        if (is_long && lane == 0) {
            const int place = atomicAdd(&long_count, 1);
            if (place < ROOM) long_rows[place] = row; /* broken starts could have more */
        }
        sum_row(p, products, piece, at, is_long ? piece.last + 1 : row, from, is_long ? from : to,
                lane, team);
    }
    __syncthreads();
    for (int k = threadIdx.x / 32; k < long_count && k < ROOM; k += BLOCK / 32) {
        tn_i64 from, to;
        piece.part(p.starts, long_rows[k], from, to);
        sum_row(p, products, piece, at, long_rows[k], from, to, threadIdx.x % 32, 32);
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ Value products[TILE];
    for (tn_i64 at = blockIdx.x; at < p.pieces; at += gridDim.x) {
        const CsrPiece piece(p.cuts, at, p.count);
        __syncthreads();
        if (p.dense) {
            for (tn_i64 first = piece.begin + threadIdx.x; first < piece.end;
                 first += BLOCK * AHEAD)
                multiply(p, products, piece, first);
        } else {
            for (tn_i64 k = piece.begin + threadIdx.x; k < piece.end; k += BLOCK)
                products[k - piece.begin] = p.values[k];
        }
        __syncthreads();
        sum_rows(p, products, piece, at);
    }
}
