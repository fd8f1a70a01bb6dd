/* Exponents: an integer to a negative integer power is an error of its own, as in NumPy. All
 * exponents are looked at, by a reduction, before anything is written. */
#include "core/reduce/exponents.h"

#include "core/array/array.h"
#include "core/reduce/reduce.h"
#include "core/rules/op.h"
#include "core/rules/reduce_table.h"

static const char message[] = "Integers to negative integer powers are not allowed.";

static tn_status find_smallest(tn_array **result, const tn_array *array, tn_stream *stream) {
    static const tn_reduce_options options = TN_REDUCE_DEFAULTS;
    tni_reduce_request request = {.op = TN_OP_MINIMUM, .array = array, .options = &options};
    request.loop = request.accumulator = request.output = array->dtype;
    request.is_ordered = tni_op_is_ordered(TN_OP_MINIMUM);
    *result = NULL;
    return tni_reduce_run(result, &request, stream);
}

/* Whether an array of a signed dtype has a negative element; waits. */
static tn_status has_negative(bool *result, const tn_array *array, tn_stream *stream) {
    tn_array *smallest;
    tn_scalar value;
    *result = false;
    if (array->size == 0 || tn_dtype_kind(array->dtype) != TN_KIND_SIGNED) return TN_OK;
    TNI_TRY(find_smallest(&smallest, array, stream));
    tn_status status = tn_array_item(&value, smallest, stream);
    tn_array_release(smallest);
    TNI_TRY(status);
    int64_t least;
    TNI_TRY(tn_scalar_convert(&least, value, TN_I64));
    *result = least < 0;
    return TN_OK;
}

static tn_status check_array(const tn_array *array, tn_stream *stream) {
    bool negative;
    TNI_TRY(has_negative(&negative, array, stream));
    if (negative) TNI_FAIL(TN_ERROR_VALUE, message);
    return TN_OK;
}

tn_status tni_exponents_check(const tn_operand *exponent, tn_dtype loop, tn_stream *stream) {
    if (tn_dtype_kind(loop) != TN_KIND_SIGNED) return TN_OK;
    if (exponent->array) return check_array(exponent->array, stream);
    int64_t value;
    TNI_TRY(tn_scalar_convert(&value, exponent->scalar, TN_I64));
    if (value < 0) TNI_FAIL(TN_ERROR_VALUE, message);
    return TN_OK;
}

tn_status tni_exponents_check_fold(tn_op op, tn_dtype loop, const tn_array *array, int axis,
                                   bool has_initial, tn_stream *stream) {
    if (!(tni_op_flags(op) & TNI_OP_CHECK_NEGATIVE_POWER) || tn_dtype_kind(loop) != TN_KIND_SIGNED)
        return TN_OK;
    tn_array *exponents = NULL;
    if (!has_initial && array->ndim > 0) {
        tn_index items[TN_MAX_NDIM];
        for (int k = 0; k <= axis; k++)
            items[k] =
                (tn_index){.kind = TN_INDEX_SLICE, .step = 1, .start = 1, .has_start = k == axis};
        TNI_TRY(tn_array_slice(&exponents, array, axis + 1, items));
    }
    tn_status status = TN_OK;
    if (exponents || has_initial) status = check_array(exponents ? exponents : array, stream);
    tn_array_release(exponents);
    return status;
}
