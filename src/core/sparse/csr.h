/* What the drivers of sparse matrices share: their arrays, brought to what the forms take. */
#ifndef TNI_SPARSE_CSR_H
#define TNI_SPARSE_CSR_H

#include "backend/backend.h"
#include "core/array/array.h"
#include "forms/sparse.h"

#include <tenorite/sparse.h>

/* A matrix as the forms take it, and the packed arrays that it owns. */
typedef struct tni_csr_held {
    tni_csr csr;
    tn_array *data, *indices, *indptr;
} tni_csr_held;

/* The stream of `count` matrices and an array (or NULL), and whether their indexes are i64. */
tn_status tni_csr_begin(tn_stream **stream, bool *is_wide, int count, const tn_csr *const *matrices,
                        const tn_array *beside);
/* Checks the arrays against the shape and packs them; TN_DTYPE_NONE leaves the dtype. */
tn_status tni_csr_hold(tni_csr_held *held, const tn_csr *a, tn_dtype dtype, bool is_wide,
                       tn_stream *stream);
void tni_csr_release(tni_csr_held *held);

tn_dtype tni_csr_index(bool is_wide);
/* A new array of one axis, and its address. */
tn_status tni_csr_new(tn_array **result, void *address, tn_dtype dtype, int64_t size,
                      tn_stream *stream);
/* The first `count` elements: a view unless that keeps much memory for nothing. */
tn_status tni_csr_shorten(tn_array **result, tn_array *all, int64_t count, tn_stream *stream);
/* The address of an array that is packed. */
tn_status tni_csr_open(void *address, const tn_array *array, tni_access access, tn_stream *stream);
void tni_csr_arrays_release(tn_csr_arrays *arrays);

#endif
