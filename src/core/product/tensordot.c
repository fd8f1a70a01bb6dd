/* Products that are a matrix product of reshaped operands, and those that are an element-wise one.
 *
 * tensordot: the summed axes go last in a and first in b, both become matrices (views where strides
 * allow, copies where not), and the matrix product gets the shape of the axes left over. dot and
 * inner are cases of it; vdot is one of flattened operands, or a reduction over all axes of those
 * that can't be flattened without a copy; outer and 0-dimensional operands
 * multiply element by element. */
#include "core/array/array.h"
#include "core/array/shape.h"
#include "core/elementwise/submit.h"
#include "core/product/dot.h"

#include <tenorite/elementwise.h>
#include <tenorite/linalg.h>
#include <tenorite/reduce.h>

#include <string.h>

/* The axes of both operands: summed ones in pairs, and how many are left. */
typedef struct axes {
    int count;
    int a[TN_MAX_NDIM], b[TN_MAX_NDIM];
} axes;

/* --- Checks --- */

/* NumPy's dot takes only a result that it would have made itself. */
static tn_status check_result(const tn_array *out, tn_dtype dtype, int ndim, const int64_t *shape) {
    if (!out) return TN_OK;
    if (!(out->flags & TNI_WRITEABLE)) TNI_FAIL(TN_ERROR_VALUE, "output array is read-only");
    if (out->dtype != dtype || out->ndim != ndim || !(out->flags & TNI_C_CONTIGUOUS))
        TNI_FAIL(TN_ERROR_VALUE,
                 "output array is not acceptable (must have the right datatype, number "
                 "of dimensions, and be a C-Array)");
    if (memcmp(tni_shape(out), shape, sizeof *shape * (size_t)ndim) != 0)
        TNI_FAIL(TN_ERROR_VALUE, "output array has wrong dimensions");
    return TN_OK;
}

static tn_status check_aligned(const tn_array *a, int a_axis, const tn_array *b, int b_axis) {
    int64_t of_a = tni_shape(a)[a_axis], of_b = tni_shape(b)[b_axis];
    char a_text[TNI_SHAPE_TEXT], b_text[TNI_SHAPE_TEXT];
    if (of_a == of_b) return TN_OK;
    return tni_fail(TN_ERROR_VALUE, "shapes %s and %s not aligned: %lld (dim %d) != %lld (dim %d)",
                    tni_shape_text(a_text, a->ndim, tni_shape(a)),
                    tni_shape_text(b_text, b->ndim, tni_shape(b)), (long long)of_a, a_axis,
                    (long long)of_b, b_axis);
}

/* --- The general product --- */

/* A matrix of the left-over axes by the summed ones (`summed_first`: the other way round). The axes
 * that are left and their sizes are appended to `shape`. */
static tn_status make_matrix(tn_array **result, const tn_array *array, int count, const int *summed,
                             bool summed_first, int *ndim, int64_t *shape, tn_stream *stream) {
    int order[TN_MAX_NDIM], left = 0, first_left = summed_first ? count : 0;
    int64_t sizes[2] = {1, 1}; /* of the left-over and of the summed axes */
    uint64_t set = 0;
    for (int k = 0; k < count; k++) {
        set |= UINT64_C(1) << summed[k];
        order[summed_first ? k : array->ndim - count + k] = summed[k];
        sizes[1] *= tni_shape(array)[summed[k]];
    }
    for (int axis = 0; axis < array->ndim; axis++) {
        if (set >> axis & 1) continue;
        order[first_left + left++] = axis;
        sizes[0] *= tni_shape(array)[axis];
        shape[(*ndim)++] = tni_shape(array)[axis];
    }
    tn_array *transposed;
    TNI_TRY(tn_array_transpose(&transposed, array, array->ndim, order));
    const int64_t matrix[2] = {sizes[summed_first], sizes[!summed_first]};
    tn_status status =
        tn_array_reshape(result, transposed, 2, matrix, TN_ORDER_C, TN_COPY_IF_NEEDED, stream);
    tn_array_release(transposed);
    return status;
}

/* Sorts the pairs so that a's axes lie as in memory, which makes a view of it more often. */
static void sort_pairs(axes *pairs, const tn_array *a) {
    const int64_t *strides = tni_strides(a);
    for (int k = 1; k < pairs->count; k++)
        for (int i = k; i > 0 && strides[pairs->a[i]] > strides[pairs->a[i - 1]]; i--) {
            int of_a = pairs->a[i], of_b = pairs->b[i];
            pairs->a[i] = pairs->a[i - 1];
            pairs->b[i] = pairs->b[i - 1];
            pairs->a[i - 1] = of_a;
            pairs->b[i - 1] = of_b;
        }
}

/* The product over checked pairs of axes. */
static tn_status contract(tn_array **result, const tn_array *a, const tn_array *b, axes *pairs,
                          tn_stream *stream) {
    tn_array *left = NULL, *right = NULL, *product = NULL;
    int64_t shape[2 * TN_MAX_NDIM], matrix[2];
    int ndim = 0;
    tn_status status;
    const tn_array *all[2] = {a, b};
    tn_device device;
    TNI_TRY(tni_device_common(&device, 2, all));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    if (a->ndim + b->ndim - 2 * pairs->count > TN_MAX_NDIM)
        TNI_FAIL(TN_ERROR_VALUE, "the result would have %d dimensions, more than %d",
                 a->ndim + b->ndim - 2 * pairs->count, TN_MAX_NDIM);
    sort_pairs(pairs, a);
    TNI_TRY_OWNING(make_matrix(&left, a, pairs->count, pairs->a, false, &ndim, shape, stream));
    TNI_TRY_OWNING(make_matrix(&right, b, pairs->count, pairs->b, true, &ndim, shape, stream));
    if (*result) {
        TNI_TRY_OWNING(check_result(*result, tn_dtype_promote(a->dtype, b->dtype), ndim, shape));
        matrix[0] = tni_shape(left)[0];
        matrix[1] = tni_shape(right)[1];
        TNI_TRY_OWNING(
            tn_array_reshape(&product, *result, 2, matrix, TN_ORDER_C, TN_COPY_NEVER, stream));
        TNI_TRY_OWNING(tn_matmul(&product, left, right, NULL, stream));
    } else {
        TNI_TRY_OWNING(tn_matmul(&product, left, right, NULL, stream));
        TNI_TRY_OWNING(
            tn_array_reshape(result, product, ndim, shape, TN_ORDER_C, TN_COPY_NEVER, stream));
    }
cleanup:
    tn_array_release(left);
    tn_array_release(right);
    tn_array_release(product);
    return status;
}

tn_status tn_tensordot(tn_array **result, const tn_array *a, const tn_array *b, int count,
                       const int *a_axes, const int *b_axes, tn_stream *stream) {
    axes pairs = {.count = count};
    uint64_t set;
    if (*result) TNI_FAIL(TN_ERROR_VALUE, "tensordot takes no result array");
    if (count < 0 || count > TN_MAX_NDIM) TNI_FAIL(TN_ERROR_VALUE, "shape-mismatch for sum");
    for (int k = 0; k < count; k++) {
        pairs.a[k] = a_axes[k];
        pairs.b[k] = b_axes[k];
        if (pairs.a[k] < -a->ndim || pairs.a[k] >= a->ndim || pairs.b[k] < -b->ndim ||
            pairs.b[k] >= b->ndim)
            TNI_FAIL(TN_ERROR_INDEX, "tuple index out of range");
        if (pairs.a[k] < 0) pairs.a[k] += a->ndim;
        if (pairs.b[k] < 0) pairs.b[k] += b->ndim;
        if (tni_shape(a)[pairs.a[k]] != tni_shape(b)[pairs.b[k]])
            TNI_FAIL(TN_ERROR_VALUE, "shape-mismatch for sum");
    }
    if (tni_axes_check(&set, count, pairs.a, a->ndim) ||
        tni_axes_check(&set, count, pairs.b, b->ndim))
        TNI_FAIL(TN_ERROR_VALUE, "duplicate axes are not allowed in tensordot");
    return contract(result, a, b, &pairs, stream);
}

/* --- dot, inner, vdot, outer --- */

static tn_status multiply(tn_array **result, const tn_array *a, const tn_array *b,
                          tn_stream *stream) {
    const tn_operand operands[2] = {tn_operand_array(a), tn_operand_array(b)};
    return tn_elementwise(result, TN_OP_MULTIPLY, operands, NULL, stream);
}

/* With an operand of no dimensions: its product with each element of the other operand. */
static tn_status scale(tn_array **result, const tn_array *a, const tn_array *b, tn_stream *stream) {
    const tn_array *shaped = a->ndim ? a : b;
    TNI_TRY(check_result(*result, tn_dtype_promote(a->dtype, b->dtype), shaped->ndim,
                         tni_shape(shaped)));
    return multiply(result, a, b, stream);
}

/* Sums over the last axis of a and one of b. */
static tn_status sum_over(tn_array **result, const tn_array *a, const tn_array *b, int b_axis,
                          tn_stream *stream) {
    axes pairs = {.count = 1, .a = {a->ndim - 1}, .b = {b_axis}};
    return contract(result, a, b, &pairs, stream);
}

tn_status tn_dot(tn_array **result, const tn_array *a, const tn_array *b, tn_stream *stream) {
    if (a->ndim == 0 || b->ndim == 0) return scale(result, a, b, stream);
    int b_axis = b->ndim > 1 ? b->ndim - 2 : 0;
    TNI_TRY(check_aligned(a, a->ndim - 1, b, b_axis));
    if (b->ndim > 2) return sum_over(result, a, b, b_axis, stream);
    if (*result) {
        int64_t shape[TN_MAX_NDIM + 1];
        int ndim = a->ndim - 1;
        memcpy(shape, tni_shape(a), sizeof *shape * (size_t)ndim);
        if (b->ndim == 2) shape[ndim++] = tni_shape(b)[1];
        TNI_TRY(check_result(*result, tn_dtype_promote(a->dtype, b->dtype), ndim, shape));
    }
    return tn_matmul(result, a, b, NULL, stream);
}

tn_status tn_inner(tn_array **result, const tn_array *a, const tn_array *b, tn_stream *stream) {
    if (a->ndim == 0 || b->ndim == 0) return scale(result, a, b, stream);
    TNI_TRY(check_aligned(a, a->ndim - 1, b, b->ndim - 1));
    return sum_over(result, a, b, b->ndim - 1, stream);
}

/* All elements in C order as one axis, or as a matrix of one column or row. */
static tn_status flatten(tn_array **result, const tn_array *array, int ndim, int long_axis,
                         tn_stream *stream) {
    int64_t shape[2] = {1, 1};
    shape[long_axis] = array->size;
    return tn_array_reshape(result, array, ndim, shape, TN_ORDER_C, TN_COPY_IF_NEEDED, stream);
}

/* Whether a vdot may go over the axes as they are, and would copy to flatten them. */
static bool is_spread(const tn_array *a, const tn_array *b) {
    enum { FEW = 64 };
    return a->size >= FEW && a->ndim > 1 && !(a->flags & b->flags & TNI_C_CONTIGUOUS) &&
           tni_is_same_shape(a, b->ndim, tni_shape(b));
}

tn_status tn_vdot(tn_array **result, const tn_array *a, const tn_array *b, tn_stream *stream) {
    tn_array *left = NULL, *right = NULL;
    tn_status status;
    if (a->size != b->size)
        TNI_FAIL(TN_ERROR_VALUE, "cannot reshape array of size %lld into shape (%lld,)",
                 (long long)b->size, (long long)a->size);
    const tni_dot dot = {a, b, tn_dtype_promote(a->dtype, b->dtype), true};
    TNI_TRY(check_result(*result, dot.dtype, 0, NULL));
    if (is_spread(a, b)) {
        static const tn_reduce_options all = TN_REDUCE_DEFAULTS;
        bool is_done;
        TNI_TRY(tni_dot_fold(result, &is_done, &dot, &all, stream));
        if (is_done) return TN_OK;
    }
    TNI_TRY_OWNING(flatten(&left, a, 1, 0, stream));
    TNI_TRY_OWNING(flatten(&right, b, 1, 0, stream));
    TNI_TRY_OWNING(tn_vecdot(result, left, right, NULL, stream));
cleanup:
    tn_array_release(left);
    tn_array_release(right);
    return status;
}

tn_status tn_outer(tn_array **result, const tn_array *a, const tn_array *b, tn_stream *stream) {
    tn_array *left = NULL, *right = NULL;
    tn_status status;
    TNI_TRY_OWNING(flatten(&left, a, 2, 0, stream));
    TNI_TRY_OWNING(flatten(&right, b, 2, 1, stream));
    TNI_TRY_OWNING(multiply(result, left, right, stream));
cleanup:
    tn_array_release(left);
    tn_array_release(right);
    return status;
}

/* --- trace --- */

tn_status tn_trace(tn_array **result, const tn_array *a, int64_t offset, int axis1, int axis2,
                   tn_dtype dtype, tn_stream *stream) {
    static const int last = -1;
    tn_array *diagonal;
    TNI_TRY(tn_array_diagonal(&diagonal, a, offset, axis1, axis2));
    tn_reduce_options options = TN_REDUCE_DEFAULTS;
    options.axis_count = 1;
    options.axes = &last;
    options.dtype = dtype;
    tn_status status = tn_reduce(result, TN_REDUCE_SUM, diagonal, &options, stream);
    tn_array_release(diagonal);
    return status;
}
