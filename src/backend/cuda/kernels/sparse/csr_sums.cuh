/* The sums of a piece of rows, by a block: of the products of its elements with those of a dense
 * vector, or (no vector) of its elements.
 *
 * The program defines Value, Value csr_multiply(Value, Value), Value csr_add(Value, Value), BLOCK,
 * WIDE, TILE. P are the form's parameters: it has starts, indices, values, dense, dense_row,
 * columns, count, text, bounds. `keep(row, sum, is_whole)` takes a sum once: a whole one of a row
 * that ends here, or what the piece has of a row that ends later.
 * Algorithm: the products go to shared memory, and then a team of threads sums those of a row, or a
 * warp those of a row too long for a team. The order of a sum depends on the structure alone. */
#ifndef CSR_SUMS_CUH
#define CSR_SUMS_CUH

#include "access.cuh"
#include "csr.cuh"

#define CSR_AHEAD 4 /* elements of a thread whose reads are under way at a time */
#define CSR_ROOM (TILE / CSR_LONG + 1)
#define CSR_LONG 32 /* elements of a thread: many times what it has in rows of one length */

/* Where the product of a piece's k-th element lies: rows of as many elements as there are banks of
 * shared memory begin in different ones. */
#define CSR_PLACE(k) ((int)(k) + ((int)(k) >> 5))
#define CSR_PRODUCTS CSR_PLACE(TILE)

/* The products of a thread's elements from `first` on. */
template <typename P>
__device__ __forceinline__ void csr_multiply_some(const P &p, Value *products,
                                                  const CsrPiece &piece, tn_i64 first) {
    const tn_i64 end = piece.end;
    CsrIndex columns[CSR_AHEAD];
    Value values[CSR_AHEAD], dense[CSR_AHEAD];
    bool is_bad = false;
#pragma unroll
    for (int i = 0; i < CSR_AHEAD; i++) {
        const tn_i64 k = first + i * BLOCK;
        columns[i] = k < end ? __ldcs(&p.indices[k]) : (CsrIndex)0;
        values[i] = k < end ? p.values[k] : Value();
    }
#pragma unroll
    for (int i = 0; i < CSR_AHEAD; i++) {
        const bool is_there = columns[i] >= 0 && columns[i] < p.columns;
        dense[i] = is_there ? p.dense[columns[i] * p.dense_row] : Value();
        is_bad |= !is_there && first + i * BLOCK < end;
    }
#pragma unroll
    for (int i = 0; i < CSR_AHEAD; i++)
        if (first + i * BLOCK < end)
            products[CSR_PLACE(first + i * BLOCK - piece.begin)] =
                csr_multiply(values[i], dense[i]);
    if (is_bad) report_structure(p.bounds, p.text);
}

/* Sums a row's part by a team's threads, of which the first has it kept. */
template <typename P, typename Keep>
__device__ __forceinline__ void csr_sum_row(const P &p, const Value *products,
                                            const CsrPiece &piece, Keep &keep, tn_i64 row,
                                            tn_i64 from, tn_i64 to, int lane, int team) {
    Value sum = Value();
    for (tn_i64 k = from + lane; k < to; k += team)
        sum = csr_add(sum, products[CSR_PLACE(k - piece.begin)]);
    for (int by = team / 2; by > 0; by /= 2) sum = csr_add(sum, shuffle_down(sum, by, team));
    if (lane != 0 || row > piece.last) return;
    const bool is_whole = row < piece.last;
    if (is_whole) const CsrRow checked(p.starts, row, p.count, p.bounds, p.text);
    keep(row, sum, is_whole);
}

/* The sums of a piece; rows of more than CSR_LONG elements a thread of the team are put off, so
 * that none waits for them. */
template <typename P, typename Keep>
__device__ __forceinline__ void csr_sum_rows(const P &p, const Value *products,
                                             const CsrPiece &piece, Keep &keep) {
    __shared__ tn_i64 long_rows[CSR_ROOM];
    __shared__ int long_count;
    if (threadIdx.x == 0) long_count = 0;
    __syncthreads();
    const int team = piece.team(BLOCK), lane = threadIdx.x % team;
    for (tn_i64 base = piece.first; base <= piece.last; base += BLOCK / team) {
        const tn_i64 row = base + threadIdx.x / team;
        tn_i64 from = 0, to = 0;
        if (row <= piece.last) piece.part(p.starts, row, from, to);
        const bool is_long = team < 32 && to - from > CSR_LONG * team;
        if (is_long && lane == 0) {
            const int place = atomicAdd(&long_count, 1);
            if (place < CSR_ROOM) long_rows[place] = row; /* broken starts could have more */
        }
        csr_sum_row(p, products, piece, keep, is_long ? piece.last + 1 : row, from,
                    is_long ? from : to, lane, team);
    }
    __syncthreads();
    for (int k = threadIdx.x / 32; k < long_count && k < CSR_ROOM; k += BLOCK / 32) {
        tn_i64 from, to;
        piece.part(p.starts, long_rows[k], from, to);
        csr_sum_row(p, products, piece, keep, long_rows[k], from, to, threadIdx.x % 32, 32);
    }
}

/* All sums of a piece. `products` are CSR_PRODUCTS in shared memory. */
template <typename P, typename Keep>
__device__ __forceinline__ void csr_sum_piece(const P &p, Value *products, const CsrPiece &piece,
                                              Keep &keep) {
    __syncthreads();
    if (p.dense) {
        for (tn_i64 first = piece.begin + threadIdx.x; first < piece.end;
             first += BLOCK * CSR_AHEAD)
            csr_multiply_some(p, products, piece, first);
    } else {
        for (tn_i64 k = piece.begin + threadIdx.x; k < piece.end; k += BLOCK)
            products[CSR_PLACE(k - piece.begin)] = p.values[k];
    }
    __syncthreads();
    csr_sum_rows(p, products, piece, keep);
}

#endif
