/* The elements of two matrices by rows, those of a row merged: a thread an element.
 *
 * Rows are sorted without duplicates. Element k of a has place k + j, if j is the place of its
 * index in the same row of b, and element k of b place k + i, if i is the place after its index in
 * a. So each has a place of its own; that of an index which both have is used by a, and the one of
 * b is left out. `flags` are 0 before. The program defines Value, BLOCK, WIDE. */
#define MACROS BLOCK, WIDE
#include "csr.cuh"

struct CsrSide {
    const CsrIndex *starts, *indices;
    const Value *values;
    tn_i64 count;
};

struct Params {
    const CsrIndex *a_starts, *a_indices;
    const Value *a_values;
    tn_i64 a_count;
    const CsrIndex *b_starts, *b_indices;
    const Value *b_values;
    tn_i64 b_count;
    tn_i64 rows, columns;
    CsrIndex *indices;
    Value *x, *y;
    tn_u8 *flags;
    tn_i64 text;
    Bounds bounds;
};

/* Element k of `own`, which lies after the elements of `other` up to `place`. */
__device__ __forceinline__ void put(const Params &p, const CsrSide &own, const CsrSide &other,
                                    bool is_a, tn_i64 k) {
    const tn_i64 row = csr_row_of(own.starts, p.rows, k), index = own.indices[k];
    if (row < 0 || index < 0 || index >= p.columns) {
        report_structure(p.bounds, p.text);
        return;
    }
    const CsrRow beside(other.starts, row, other.count, p.bounds, p.text);
    const tn_i64 place = csr_find(other.indices, beside.begin, beside.end, index, !is_a);
    const tn_i64 same = is_a ? place : place - 1;
    const bool has_both =
        same >= beside.begin && same < beside.end && other.indices[same] == (CsrIndex)index;
    const tn_i64 to = k + place;
    const Value value = own.values[k];
    p.indices[to] = (CsrIndex)index;
    p.flags[to] = is_a || !has_both;
    p.x[to] = is_a ? value : Value();
    p.y[to] = is_a ? has_both ? other.values[same] : Value() : value;
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const CsrSide a = {p.a_starts, p.a_indices, p.a_values, p.a_count};
    const CsrSide b = {p.b_starts, p.b_indices, p.b_values, p.b_count};
    for (tn_i64 at = blockIdx.x * (tn_i64)BLOCK + threadIdx.x; at < a.count + b.count;
         at += (tn_i64)gridDim.x * BLOCK) {
        if (at < a.count)
            put(p, a, b, true, at);
        else
            put(p, b, a, false, at - a.count);
    }
}
