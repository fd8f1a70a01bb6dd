/* Stacks of matrices as the forms of linear algebra take them: arrays (..., m, n) of their own
 * memory in which each matrix lies by columns, one after the other. What is given out lies by rows
 * (in order C), as NumPy's results do. */
#ifndef TNI_LINALG_STACK_H
#define TNI_LINALG_STACK_H

#include "backend/backend.h"
#include "core/array/array.h"
#include "forms/linalg.h"

/* The axes before the matrices. */
typedef struct tni_stack_shape {
    int ndim;
    int64_t count; /* of matrices */
    int64_t shape[TN_MAX_NDIM];
} tni_stack_shape;

/* f32, f64, c64 or c128: what NumPy gives back for these arrays. TN_ERROR_TYPE for halves. */
tn_status tni_linalg_dtype(tn_dtype *dtype, int count, const tn_array *const *arrays);
tn_dtype tni_linalg_real_dtype(tn_dtype dtype);
tn_dtype tni_linalg_complex_dtype(tn_dtype dtype);

/* TN_ERROR_LINALG unless there are matrices, or (second) square ones, in the last two axes. */
tn_status tni_linalg_check_matrices(const tn_array *a);
tn_status tni_linalg_check_square(const tn_array *a);

/* The text of failures, or NULL where this thread ignores them. */
const char *tni_linalg_failure(const char *text);
/* What became of a call that was queued: waits for it where this thread wants to know at once. */
tn_status tni_linalg_settle(tn_status status, tn_stream *stream);

int64_t tni_rows(const tn_array *a);    /* of the last but one axis */
int64_t tni_columns(const tn_array *a); /* of the last axis */

void tni_stack_shape_of(tni_stack_shape *stack, const tn_array *a, int core_ndim);
/* TN_ERROR_VALUE in NumPy's words if the two do not broadcast; `name` is the function's. */
tn_status tni_stack_shape_merge(tni_stack_shape *stack, const tni_stack_shape *other,
                                const char *name);

/* A stack of undefined contents; vectors (..., n) lie in order C. */
tn_status tni_stack_new(tn_array **result, const tni_stack_shape *stack, tn_dtype dtype, int64_t m,
                        int64_t n, tn_stream *stream);
tn_status tni_stack_new_vectors(tn_array **result, const tni_stack_shape *stack, tn_dtype dtype,
                                int64_t n, tn_stream *stream);
/* A copy of matrices, broadcast to the stack. */
tn_status tni_stack_copy(tn_array **result, const tn_array *a, const tni_stack_shape *stack,
                         tn_dtype dtype, tn_stream *stream);
/* The same by rows: to a form it is the transposes, each by columns. */
tn_status tni_stack_copy_by_rows(tn_array **result, const tn_array *a, const tni_stack_shape *stack,
                                 tn_dtype dtype, tn_stream *stream);
/* A stack as it is given out, by rows: itself where that is no difference, else a copy. */
tn_status tni_stack_give(tn_array **result, const tn_array *made, tn_stream *stream);
/* Identities (ones on the diagonal). */
tn_status tni_stack_new_eye(tn_array **result, const tni_stack_shape *stack, tn_dtype dtype,
                            int64_t m, int64_t n, tn_stream *stream);

/* Makes the elements of a stack by rows below (keeps_upper) or above the diagonals zero. */
tn_status tni_linalg_clear_triangle(const tn_array *a, bool keeps_upper, tn_stream *stream);

/* By rows: first rows and columns of factors, zero below (keeps_upper) or above the diagonal. */
tn_status tni_stack_take_triangle(tn_array **result, const tn_array *factors, int64_t rows,
                                  int64_t columns, bool keeps_upper, tn_stream *stream);

/* Resolves the stream of arrays that must be of one device. */
tn_status tni_linalg_stream(tn_stream **stream, int count, const tn_array *const *arrays);

/* The address of an array of one's own, for the forms: read and written. */
static inline tn_status tni_stack_open(void *address, const tn_array *array, tn_stream *stream) {
    return tni_array_access((void **)address, array, TNI_READ_WRITE, stream);
}

#endif
