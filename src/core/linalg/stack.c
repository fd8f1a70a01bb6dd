/* What the drivers of linear algebra share: dtypes, checks, and stacks. */
#include "core/linalg/stack.h"

#include <tenorite/create.h>
#include <tenorite/linalg.h>

#include <string.h>

/* --- dtypes --- */

tn_dtype tni_linalg_real_dtype(tn_dtype dtype) {
    return dtype == TN_C64 ? TN_F32 : dtype == TN_C128 ? TN_F64 : dtype;
}

tn_dtype tni_linalg_complex_dtype(tn_dtype dtype) {
    return dtype == TN_F32 ? TN_C64 : dtype == TN_F64 ? TN_C128 : dtype;
}

tn_status tni_linalg_dtype(tn_dtype *dtype, int count, const tn_array *const *arrays) {
    bool is_wide = false, is_complex = false;
    for (int k = 0; k < count; k++) {
        tn_dtype own = (tn_dtype)arrays[k]->dtype;
        if (own == TN_F16 || own == TN_BF16 || tn_dtype_is_stored(own))
            TNI_FAIL(TN_ERROR_TYPE, "array type %s is unsupported in linalg", tn_dtype_name(own));
        is_complex |= tn_dtype_kind(own) == TN_KIND_COMPLEX;
        is_wide |= own != TN_F32 && own != TN_C64;
    }
    *dtype = is_wide ? TN_F64 : TN_F32;
    if (is_complex) *dtype = tni_linalg_complex_dtype(*dtype);
    return TN_OK;
}

/* --- Checks --- */

tn_status tni_linalg_check_matrices(const tn_array *a) {
    if (a->ndim < 2)
        TNI_FAIL(TN_ERROR_LINALG,
                 "%d-dimensional array given. Array must be at least two-dimensional", a->ndim);
    return TN_OK;
}

tn_status tni_linalg_check_square(const tn_array *a) {
    TNI_TRY(tni_linalg_check_matrices(a));
    if (tni_rows(a) != tni_columns(a))
        TNI_FAIL(TN_ERROR_LINALG, "Last 2 dimensions of the array must be square");
    return TN_OK;
}

int64_t tni_rows(const tn_array *a) {
    return tni_shape(a)[a->ndim - 2];
}

int64_t tni_columns(const tn_array *a) {
    return tni_shape(a)[a->ndim - 1];
}

/* --- Failures --- */

static _Thread_local tn_linalg_failures failures;

tn_linalg_failures tn_linalg_set_failures(tn_linalg_failures wanted) {
    tn_linalg_failures before = failures;
    failures = wanted;
    return before;
}

const char *tni_linalg_failure(const char *text) {
    return failures == TN_LINALG_IGNORED ? NULL : text;
}

tn_status tni_linalg_settle(tn_status status, tn_stream *stream) {
    if (status != TN_OK || failures != TN_LINALG_AT_ONCE) return status;
    return tn_stream_synchronize(stream, -1);
}

/* --- Stacks --- */

void tni_stack_shape_of(tni_stack_shape *stack, const tn_array *a, int core_ndim) {
    stack->ndim = a->ndim - core_ndim;
    stack->count = 1;
    for (int k = 0; k < stack->ndim; k++) {
        stack->shape[k] = tni_shape(a)[k];
        stack->count *= stack->shape[k];
    }
}

tn_status tni_stack_shape_merge(tni_stack_shape *stack, const tni_stack_shape *other,
                                const char *name) {
    const int ndims[2] = {stack->ndim, other->ndim};
    const int64_t *const shapes[2] = {stack->shape, other->shape};
    tni_stack_shape merged;
    if (tn_shape_broadcast(&merged.ndim, merged.shape, 2, ndims, shapes)) {
        char texts[2][TNI_SHAPE_TEXT];
        TNI_FAIL(TN_ERROR_VALUE,
                 "%s: operands could not be broadcast together: stacks of shapes %s and %s", name,
                 tni_shape_text(texts[0], ndims[0], shapes[0]),
                 tni_shape_text(texts[1], ndims[1], shapes[1]));
    }
    merged.count = 1;
    for (int k = 0; k < merged.ndim; k++)
        merged.count *= merged.shape[k];
    *stack = merged;
    return TN_OK;
}

/* The shape with the core's axes; false: too many dimensions. */
static int with_core(int64_t shape[TN_MAX_NDIM], const tni_stack_shape *stack, int core_ndim,
                     int64_t m, int64_t n) {
    memcpy(shape, stack->shape, sizeof *shape * (size_t)stack->ndim);
    int ndim = stack->ndim;
    if (core_ndim == 2) shape[ndim++] = m;
    shape[ndim++] = n;
    return ndim;
}

static tn_status check_ndim(const tni_stack_shape *stack, int core_ndim) {
    if (stack->ndim + core_ndim > TN_MAX_NDIM)
        TNI_FAIL(TN_ERROR_VALUE, "the result would have %d dimensions, more than %d",
                 stack->ndim + core_ndim, TN_MAX_NDIM);
    return TN_OK;
}

/* Matrices that lie by rows and by columns alike. */
static bool is_line(int64_t m, int64_t n) {
    return m <= 1 || n <= 1;
}

tn_status tni_stack_new(tn_array **result, const tni_stack_shape *stack, tn_dtype dtype, int64_t m,
                        int64_t n, tn_stream *stream) {
    int64_t shape[TN_MAX_NDIM];
    int order[TN_MAX_NDIM];
    TNI_TRY(check_ndim(stack, 2));
    int ndim = with_core(shape, stack, 2, m, n);
    if (is_line(m, n)) return tn_array_new(result, dtype, ndim, shape, TN_ORDER_C, stream);
    for (int k = 0; k < ndim; k++)
        order[k] = k;
    order[ndim - 2] = ndim - 1;
    order[ndim - 1] = ndim - 2;
    return tni_array_new_ordered(result, dtype, ndim, shape, order, stream);
}

tn_status tni_stack_new_vectors(tn_array **result, const tni_stack_shape *stack, tn_dtype dtype,
                                int64_t n, tn_stream *stream) {
    int64_t shape[TN_MAX_NDIM];
    TNI_TRY(check_ndim(stack, 1));
    int ndim = with_core(shape, stack, 1, 1, n);
    return tn_array_new(result, dtype, ndim, shape, TN_ORDER_C, stream);
}

/* Takes over `made`, which becomes a copy of a. */
static tn_status fill(tn_array **result, tn_array *made, const tn_array *a, tn_stream *stream) {
    return tni_array_deliver(result, made, tn_array_assign(made, a, TN_CASTING_UNSAFE, stream));
}

tn_status tni_stack_copy(tn_array **result, const tn_array *a, const tni_stack_shape *stack,
                         tn_dtype dtype, tn_stream *stream) {
    tn_array *made;
    TNI_TRY(tni_stack_new(&made, stack, dtype, tni_rows(a), tni_columns(a), stream));
    return fill(result, made, a, stream);
}

tn_status tni_stack_copy_by_rows(tn_array **result, const tn_array *a, const tni_stack_shape *stack,
                                 tn_dtype dtype, tn_stream *stream) {
    int64_t shape[TN_MAX_NDIM];
    tn_array *made;
    TNI_TRY(check_ndim(stack, 2));
    int ndim = with_core(shape, stack, 2, tni_rows(a), tni_columns(a));
    TNI_TRY(tn_array_new(&made, dtype, ndim, shape, TN_ORDER_C, stream));
    return fill(result, made, a, stream);
}

tn_status tni_stack_give(tn_array **result, const tn_array *made, tn_stream *stream) {
    tni_stack_shape stack;
    if (is_line(tni_rows(made), tni_columns(made))) {
        *result = tn_array_retain((tn_array *)(uintptr_t)made);
        return TN_OK;
    }
    tni_stack_shape_of(&stack, made, 2);
    return tni_stack_copy_by_rows(result, made, &stack, (tn_dtype)made->dtype, stream);
}

tn_status tni_stack_new_eye(tn_array **result, const tni_stack_shape *stack, tn_dtype dtype,
                            int64_t m, int64_t n, tn_stream *stream) {
    tn_array *one = NULL;
    TNI_TRY(tn_array_new_eye(&one, m, n, 0, dtype, TN_ORDER_C, stream));
    tn_status status = tni_stack_copy(result, one, stack, dtype, stream);
    tn_array_release(one);
    return status;
}

tn_status tni_linalg_clear_triangle(const tn_array *a, bool keeps_upper, tn_stream *stream) {
    /* To the form the rows are columns. */
    tni_triangle call = {.item = tn_dtype_size((tn_dtype)a->dtype), .keeps_upper = !keeps_upper};
    if (a->size == 0) return TN_OK;
    call.m = tni_columns(a);
    call.n = tni_rows(a);
    call.count = a->size / (call.m * call.n);
    TNI_TRY(tni_stack_open(&call.a, a, stream));
    return tni_queue_triangle(&call, stream);
}

tn_status tni_stack_take_triangle(tn_array **result, const tn_array *factors, int64_t rows,
                                  int64_t columns, bool keeps_upper, tn_stream *stream) {
    const tn_index items[3] = {
        {.kind = TN_INDEX_ELLIPSIS},
        {.kind = TN_INDEX_SLICE, .step = 1, .stop = rows, .has_stop = true},
        {.kind = TN_INDEX_SLICE, .step = 1, .stop = columns, .has_stop = true}};
    tni_stack_shape stack;
    tn_array *part = NULL, *made = NULL;
    tn_status status;
    TNI_TRY(tn_array_slice(&part, factors, 3, items));
    tni_stack_shape_of(&stack, part, 2);
    TNI_TRY_OWNING(tni_stack_copy_by_rows(&made, part, &stack, (tn_dtype)part->dtype, stream));
    TNI_TRY_OWNING(tni_linalg_clear_triangle(made, keeps_upper, stream));
    *result = tn_array_retain(made);
cleanup:
    tn_array_release(part);
    tn_array_release(made);
    return status;
}

tn_status tni_linalg_stream(tn_stream **stream, int count, const tn_array *const *arrays) {
    tn_device device;
    TNI_TRY(tni_device_common(&device, count, arrays));
    return tni_stream_resolve(stream, *stream, device);
}
