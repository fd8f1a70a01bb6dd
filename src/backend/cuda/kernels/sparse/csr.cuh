/* What the kernels of sparse matrices share: indexes, and pieces of rows of about the same work.
 *
 * The program defines WIDE (1: indexes are 64 bits) and, where pieces are used, TILE.
 * A piece has TILE items; the elements of a row and then its end are items, in the order of rows
 * (a merge path). cuts[t] is the number of rows that end before item t * TILE. So a long row has
 * many pieces and many short rows are one.
 * Invariant: whatever the starts are, cuts ascend from 0 to the number of rows, and the elements of
 * a piece are TILE at most and lie among those of the matrix. */
#ifndef CSR_CUH
#define CSR_CUH

#include "bounds.cuh"

#if WIDE
typedef tn_i64 CsrIndex;
#else
typedef int CsrIndex;
#endif

/* Reports a broken structure by the host's text. */
__device__ __forceinline__ void report_structure(const Bounds &bounds, tn_i64 text) {
    report_failure(bounds, TN_FAILURE_STRUCTURE, text);
}

/* The elements of a row; of one that leads out of `count` none, which is reported. */
struct CsrRow {
    tn_i64 begin, end;

    __device__ __forceinline__ CsrRow(const CsrIndex *starts, tn_i64 row, tn_i64 count,
                                      const Bounds &bounds, tn_i64 text) {
        begin = starts[row];
        end = starts[row + 1];
        if (begin < 0 || end < begin || end > count) {
            report_structure(bounds, text);
            begin = end = 0;
        }
    }
};

/* The first place in [first, last) whose index is not less (is_right: greater) than `index`. */
template <typename T>
__device__ __forceinline__ tn_i64 csr_find(const T *indexes, tn_i64 first, tn_i64 last,
                                           tn_i64 index, bool is_right) {
    while (first < last) {
        const tn_i64 middle = first + (last - first) / 2, seen = (tn_i64)indexes[middle];
        if (seen < index || (is_right && seen == index))
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/* The row of an element, or -1 for one that no row has. */
template <typename T>
__device__ __forceinline__ tn_i64 csr_row_of(const T *starts, tn_i64 rows, tn_i64 element) {
    const tn_i64 row = csr_find(starts, 0, rows + 1, element, true) - 1;
    return row < rows ? row : -1;
}

#ifdef TILE
struct CsrPiece {
    tn_i64 first, last; /* rows that end here; row `last` goes on or begins later */
    tn_i64 begin, end;  /* elements */

    __device__ __forceinline__ CsrPiece(const tn_i64 *cuts, tn_i64 piece, tn_i64 count) {
        first = cuts[piece];
        last = cuts[piece + 1];
        begin = inside(piece * TILE - first, count);
        end = inside((piece + 1) * TILE - last, count);
        if (end < begin) end = begin;
    }

    static __device__ __forceinline__ tn_i64 inside(tn_i64 element, tn_i64 count) {
        return element < 0 ? 0 : element > count ? count : element;
    }

    /* What of a row lies here. */
    __device__ __forceinline__ void part(const CsrIndex *starts, tn_i64 row, tn_i64 &from,
                                         tn_i64 &to) const {
        from = starts[row];
        from = from < begin ? begin : from;
        to = end;
        if (row < last) {
            to = starts[row + 1];
            to = to > end ? end : to;
        }
    }

    /* Threads of a row, so that a block of `threads` has work for all of them: a power of two. */
    __device__ __forceinline__ int team(int threads) const {
        int size = 1;
        while (size < 32 && 2 * size * (last - first + 1) <= threads) size *= 2;
        return size;
    }
};
#endif

#endif
