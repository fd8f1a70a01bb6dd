/* Norms of vectors: reductions of what operations make of the elements, in one pass.
 *
 * The sum of squares of complex numbers is that of their parts, which are read as real numbers with
 * one more axis of size 2. That of a whole array without gaps is a dot product with itself, which
 * is faster still on the host. Only orders that need a power of each element are several passes. */
#include "backend/backend.h"
#include "core/array/layout.h"
#include "core/elementwise/elementwise.h"
#include "core/reduce/mapped.h"
#include "core/reduce/reductions.h"
#include "core/rules/op.h"
#include "core/stream/stream.h"

#include <tenorite/linalg.h>

#include <math.h>
#include <string.h>

/* Norms of integers and truths are f64. */
static tn_dtype loop_of(const tn_array *array) {
    return array->dtype < TN_F16 ? TN_F64 : (tn_dtype)array->dtype;
}

/* The fold with `op` of the elements, absolute, or squared, which makes a root of the fold. */
static tn_status fold_of(tn_array **result, tn_op op, tn_op step, const tn_array *array,
                         const tn_reduce_options *options, tn_stream *stream) {
    tni_map map;
    tn_dtype loop = loop_of(array);
    tni_map_init(&map, 1, &array);
    tni_map_add(&map, step, loop, 0, step == TN_OP_MULTIPLY ? 0 : -1);
    tni_reduce_request request = {.op = op, .statistic = TNI_STATISTIC_FOLD, .options = options};
    request.flags = step == TN_OP_MULTIPLY ? TNI_ROOT : 0;
    request.loop = request.output = tn_dtype_real(loop);
    request.accumulator = tni_accumulator(op, request.loop);
    *result = NULL;
    return tni_reduce_mapped(result, &request, &map, NULL, stream);
}

/* All elements as one axis, in the order in which they lie; NULL: there are gaps or repetitions, or
 * not all axes are reduced. */
static tn_status flatten(tn_array **flat, const tn_array *array, const tn_reduce_options *options) {
    uint64_t reduced;
    int64_t shape[TN_MAX_NDIM], strides[TN_MAX_NDIM], offset = 0, item;
    *flat = NULL;
    TNI_TRY(tni_reduce_axes(&reduced, array, options, true));
    if (__builtin_popcountll(reduced) != array->ndim) return TN_OK;
    item = tn_dtype_size(array->dtype);
    memcpy(shape, tni_shape(array), sizeof *shape * (size_t)array->ndim);
    memcpy(strides, tni_strides(array), sizeof *strides * (size_t)array->ndim);
    int ndim = tni_layout_collapse(array->ndim, shape, 1, (int64_t *[]){strides}, &offset, true);
    if (array->size == 0 || ndim > 1 || (ndim == 1 && strides[0] != item)) return TN_OK;
    return tni_array_make(flat, array->buffer, array->offset + offset, array->dtype, 1,
                          &array->size, &item, false);
}

/* The root of a dot product with itself. */
static tn_status root_of_dot(tn_array **result, const tn_array *array, const tn_array *flat,
                             const tn_reduce_options *options, tn_stream *stream) {
    tn_array *sum = NULL, *shaped = NULL;
    int64_t ones[TN_MAX_NDIM];
    tn_status status;
    TNI_TRY_OWNING(tn_vecdot(&sum, flat, flat, NULL, stream));
    int ndim = options->keepdims ? array->ndim : 0;
    for (int axis = 0; axis < ndim; axis++)
        ones[axis] = 1;
    TNI_TRY_OWNING(tn_array_reshape(&shaped, sum, ndim, ones, TN_ORDER_C, TN_COPY_NEVER, stream));
    status = tni_unary(result, TN_OP_SQRT, shaped, stream);
cleanup:
    tn_array_release(sum);
    tn_array_release(shaped);
    return status;
}

static tn_status root_of_real(tn_array **result, const tn_array *array,
                              const tn_reduce_options *options, tn_stream *stream) {
    tn_array *flat = NULL;
    TNI_TRY(tni_stream_resolve(&stream, stream, tn_array_device(array)));
    if (array->dtype >= TN_F16 && !tni_backend_of(stream)->product->folds_vectors)
        TNI_TRY(flatten(&flat, array, options));
    if (!flat) return fold_of(result, TN_OP_ADD, TN_OP_MULTIPLY, array, options, stream);
    tn_status status = root_of_dot(result, array, flat, options, stream);
    tn_array_release(flat);
    return status;
}

static tn_status root_of_squares(tn_array **result, const tn_array *array,
                                 const tn_reduce_options *options, tn_stream *stream) {
    tn_array *parts = NULL, *root = NULL;
    tn_reduce_options all = *options;
    const int last = -1;
    int axes[TN_MAX_NDIM + 1];
    tn_status status;
    if (tn_dtype_kind(array->dtype) == TN_KIND_COMPLEX) {
        TNI_TRY(tni_reduce_list_axes(axes, &all.axis_count, array, options));
        all.axes = axes;
        axes[all.axis_count++] = array->ndim;
        TNI_TRY_OWNING(tni_parts_of(&parts, array));
        array = parts;
    }
    if (parts && options->keepdims) {
        TNI_TRY_OWNING(root_of_real(&root, array, &all, stream));
        status = tn_array_squeeze(result, root, 1, &last);
    } else {
        status = root_of_real(result, array, &all, stream);
    }
cleanup:
    tn_array_release(parts);
    tn_array_release(root);
    return status;
}

/* How many elements are not zero. */
static tn_status count(tn_array **result, const tn_array *array, const tn_reduce_options *options,
                       tn_stream *stream) {
    tn_array *counts = NULL;
    TNI_TRY(tn_reduce(&counts, TN_REDUCE_COUNT_NONZERO, array, options, stream));
    tn_status status = tn_array_astype(result, counts, tn_dtype_real(loop_of(array)), TN_ORDER_C,
                                       TN_CASTING_UNSAFE, TN_COPY_ALWAYS, stream);
    tn_array_release(counts);
    return status;
}

static tn_status raise(tn_array **result, const tn_array *array, double exponent,
                       tn_stream *stream) {
    tn_operand inputs[2] = {tn_operand_array(array),
                            tn_operand_scalar(tn_scalar_weak_float(exponent))};
    *result = NULL;
    return tni_elementwise_run(result, TN_OP_POWER, inputs, NULL, NULL, stream);
}

/* sum(abs(x)**order)**(1 / order) */
static tn_status by_powers(tn_array **result, const tn_array *array, double order,
                           const tn_reduce_options *options, tn_stream *stream) {
    tn_array *floats = NULL, *magnitudes = NULL, *powers = NULL, *sum = NULL;
    tn_status status;
    TNI_TRY_OWNING(tn_array_astype(&floats, array, loop_of(array), TN_ORDER_K, TN_CASTING_UNSAFE,
                                   TN_COPY_IF_NEEDED, stream));
    TNI_TRY_OWNING(tni_unary(&magnitudes, TN_OP_ABSOLUTE, floats, stream));
    TNI_TRY_OWNING(raise(&powers, magnitudes, order, stream));
    TNI_TRY_OWNING(tn_reduce(&sum, TN_REDUCE_SUM, powers, options, stream));
    status = raise(result, sum, 1 / order, stream);
cleanup:
    tn_array_release(floats);
    tn_array_release(magnitudes);
    tn_array_release(powers);
    tn_array_release(sum);
    return status;
}

tn_status tn_vector_norm(tn_array **result, const tn_array *array, double order,
                         const tn_reduce_options *options, tn_stream *stream) {
    static const tn_reduce_options defaults = TN_REDUCE_DEFAULTS;
    const tn_scalar zero = tn_scalar_weak_float(0);
    tn_reduce_options own = options ? *options : defaults;
    own.where = NULL;
    own.initial = NULL;
    own.dtype = TN_DTYPE_NONE;
    own.without_identity = false;
    *result = NULL;
    TNI_TRY(tni_array_check_numbers(array));
    if (order == 2) return root_of_squares(result, array, &own, stream);
    if (order == 1) return fold_of(result, TN_OP_ADD, TN_OP_ABSOLUTE, array, &own, stream);
    if (order == 0) return count(result, array, &own, stream);
    if (order == -INFINITY)
        return fold_of(result, TN_OP_MINIMUM, TN_OP_ABSOLUTE, array, &own, stream);
    if (order != INFINITY) return by_powers(result, array, order, &own, stream);
    own.initial = &zero;
    return fold_of(result, TN_OP_MAXIMUM, TN_OP_ABSOLUTE, array, &own, stream);
}
