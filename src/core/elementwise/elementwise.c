/* The driver of element-wise operations: from operands to one call of a backend.
 *
 * Steps: choose the loop (op.c), broadcast, check or make the outputs, copy inputs that an output
 * would overwrite, pass the door, describe every argument (submit.h), hand over.
 *
 * Invariant: nothing is written before everything that can fail has been checked, but for the
 * backend's own failure. */
#include "core/elementwise/elementwise.h"

#include "backend/backend.h"
#include "core/array/layout.h"
#include "core/array/view.h"
#include "core/base/waiting.h"
#include "core/elementwise/copy.h"
#include "core/elementwise/operands.h"
#include "core/elementwise/submit.h"
#include "core/rules/op.h"

#include <math.h>
#include <string.h>

typedef struct plan {
    tni_elementwise call;
    const tn_array *arrays[TN_MAX_OPERANDS + 1]; /* NULL: a scalar */
    tn_array *owned[TN_MAX_OPERANDS + 1];        /* copies and new outputs, to be released */
    int count;                                   /* arguments, the mask included */
    int ndim;
    int64_t shape[TN_MAX_NDIM];
    tn_device device;
    tn_stream *stream;
    tni_exponents_checker *checker; /* NULL: the operation is no power */
} plan;

/* --- Shapes --- */

/* The broadcast shape of the inputs and the mask. */
static tn_status broadcast(plan *p, int input_count) {
    const tn_array *first = NULL;
    bool same = true;
    int ndims[TN_MAX_OPERANDS + 1], used = 0;
    const int64_t *shapes[TN_MAX_OPERANDS + 1];
    for (int k = 0; k < p->count; k++) {
        const tn_array *array = p->arrays[k];
        if (!array || (k >= input_count && k != p->count - 1)) continue;
        if (k >= input_count && !p->call.masked) continue;
        ndims[used] = array->ndim;
        shapes[used++] = tni_shape(array);
        if (!first)
            first = array;
        else if (same)
            same = tni_is_same_shape(array, first->ndim, tni_shape(first));
    }
    if (!same) return tn_shape_broadcast(&p->ndim, p->shape, used, ndims, shapes);
    p->ndim = first ? first->ndim : 0;
    for (int axis = 0; axis < p->ndim; axis++)
        p->shape[axis] = tni_shape(first)[axis];
    return TN_OK;
}

/* A given output fixes the shape: the inputs must broadcast to it. */
static tn_status check_output(plan *p, const tn_array *output) {
    char text[TNI_SHAPE_TEXT], other[TNI_SHAPE_TEXT];
    if (!(output->flags & TNI_WRITEABLE)) TNI_FAIL(TN_ERROR_VALUE, "output array is read-only");
    if (tni_is_same_shape(output, p->ndim, p->shape)) return TN_OK;
    int64_t shape[TN_MAX_NDIM];
    int ndim, ndims[2] = {p->ndim, output->ndim};
    const int64_t *shapes[2] = {p->shape, tni_shape(output)};
    TNI_TRY(tn_shape_broadcast(&ndim, shape, 2, ndims, shapes));
    if (!tni_is_same_shape(output, ndim, shape))
        TNI_FAIL(
            TN_ERROR_VALUE,
            "non-broadcastable output operand with shape %s doesn't match the broadcast shape %s",
            tni_shape_text(text, output->ndim, tni_shape(output)),
            tni_shape_text(other, ndim, shape));
    p->ndim = ndim;
    memcpy(p->shape, shape, sizeof *shape * (size_t)ndim);
    return TN_OK;
}

/* --- Outputs --- */

/* C or F when all full-sized inputs are so (or nothing decides), else by the inputs' strides. */
static tn_status make_output(tn_array **result, plan *p, int input_count, tn_dtype dtype,
                             tn_order order) {
    uint8_t common = TNI_C_CONTIGUOUS | TNI_F_CONTIGUOUS;
    for (int k = 0; k < input_count; k++)
        if (p->arrays[k] && p->arrays[k]->ndim == p->ndim)
            common &= p->arrays[k]->flags;
        else if (p->arrays[k] && p->arrays[k]->ndim)
            common &= TNI_C_CONTIGUOUS;
    if (order == TN_ORDER_A) order = common == TNI_F_CONTIGUOUS ? TN_ORDER_F : TN_ORDER_C;
    if (order == TN_ORDER_K && (p->ndim < 2 || common & TNI_C_CONTIGUOUS)) order = TN_ORDER_C;
    if (order == TN_ORDER_K && common & TNI_F_CONTIGUOUS) order = TN_ORDER_F;
    if (order != TN_ORDER_K)
        return tn_array_new(result, dtype, p->ndim, p->shape, order, p->stream);
    int64_t strides[TN_MAX_OPERANDS][TN_MAX_NDIM];
    const int64_t *known[TN_MAX_OPERANDS];
    int used = 0, axes[TN_MAX_NDIM];
    for (int k = 0; k < input_count; k++) {
        if (!p->arrays[k]) continue;
        tni_strides_broadcast(strides[used], p->arrays[k], p->ndim);
        known[used] = strides[used];
        used++;
    }
    tni_layout_order(axes, p->ndim, used, known);
    return tni_array_new_ordered(result, dtype, p->ndim, p->shape, axes, p->stream);
}

static tn_status copy_of(tn_array **result, const tn_array *array, tn_stream *stream) {
    TNI_TRY(tn_array_new_like(result, array, array->dtype, 0, NULL, TN_ORDER_K, stream));
    tn_status status = tni_copy_elements(*result, array, stream);
    if (status) tn_array_release(*result);
    return status;
}

/* Copies each input (and the mask) that shares memory with a given output, unless element for
 * element; a mask or an input of another dtype or order would change while it is read. */
static tn_status copy_overlapping(plan *p, int input_count, int output_count) {
    for (int o = input_count; o < input_count + output_count; o++)
        for (int k = 0; k < p->count; k++) {
            bool is_output = k >= input_count && k < input_count + output_count;
            const tn_array *input = p->arrays[k];
            if (is_output || !input || p->owned[o] || k == o) continue;
            tni_overlap overlap = tni_array_overlap(p->arrays[o], input);
            if (overlap == TNI_OVERLAP_NONE) continue;
            if (overlap == TNI_OVERLAP_EXACT && output_count == 1 && k < input_count) continue;
            if (p->owned[k]) continue; /* copied for another output */
            TNI_TRY(copy_of(&p->owned[k], input, p->stream));
            p->arrays[k] = p->owned[k];
        }
    for (int a = input_count; a < input_count + output_count; a++)
        for (int b = a + 1; b < input_count + output_count; b++)
            if (!p->owned[a] && !p->owned[b] && tn_array_may_overlap(p->arrays[a], p->arrays[b]))
                TNI_FAIL(TN_ERROR_VALUE, "output arrays %d and %d share memory", a - input_count,
                         b - input_count);
    return TN_OK;
}

/* --- The call --- */

/* `made`: the outputs are new, and lie as the operation makes them. */
static __attribute__((cold, noinline)) bool waits(const plan *p, bool made) {
    return !p->call.masked &&
           tni_waiting_get()->join_elementwise(&p->call, p->arrays, made, p->stream);
}

static inline tn_status run(plan *p, int input_count, int output_count, bool made) {
    tni_elementwise *call = &p->call;
    tni_operands operands;
    tn_status status;
    call->size = 1;
    for (int axis = 0; axis < p->ndim; axis++)
        call->size *= p->shape[axis];
    if (call->size == 0 || (tni_may_wait() && waits(p, made))) return TN_OK;
    tni_operands_init(&operands, p->stream);
    operands.reports_unaligned = true;
    operands.only_moves =
        call->op == TNI_OP_COPY && call->arguments[0].dtype == call->arguments[1].dtype;
    for (int k = 0; k < p->count; k++) {
        bool writes = k >= input_count && k < input_count + output_count;
        tni_access access = !writes ? TNI_READ : call->masked ? TNI_READ_WRITE : TNI_WRITE;
        void *data = NULL;
        if (p->arrays[k]) TNI_TRY_OWNING(tni_operand_open(&data, &p->arrays[k], access, &operands));
        call->arguments[k].data = data;
    }
    call->is_unaligned = operands.is_unaligned;
    tni_submit_describe(call, p->count, p->arrays, p->ndim, p->shape);
    status = tni_queue_elementwise(call, p->stream);
cleanup:
    return tni_operands_close(&operands, status);
}

/* --- Copies --- */

/* `from` NULL: the value in the call. */
static tn_status run_copy(plan *p, tn_array *to, const tn_array *from, tn_dtype dtype) {
    p->count = 2;
    p->ndim = to->ndim;
    memcpy(p->shape, tni_shape(to), sizeof(int64_t) * (size_t)to->ndim);
    p->arrays[0] = from;
    p->arrays[1] = to;
    p->call.op = TNI_OP_COPY;
    p->call.dtype = dtype;
    p->call.input_count = p->call.output_count = 1;
    p->call.masked = false;
    p->call.arguments[0].dtype = p->call.arguments[0].loop_dtype = dtype;
    p->call.arguments[1].dtype = p->call.arguments[1].loop_dtype = to->dtype;
    return run(p, 1, 1, false);
}

tn_status tni_copy_elements(tn_array *to, const tn_array *from, tn_stream *stream) {
    plan p;
    if (to->dtype == from->dtype) return tni_copy_same(to, from, stream);
    p.stream = stream;
    return run_copy(&p, to, from, from->dtype);
}

tn_status tn_array_fill(tn_array *to, tn_scalar value, tn_stream *stream) {
    plan p;
    if (!(to->flags & TNI_WRITEABLE))
        TNI_FAIL(TN_ERROR_VALUE, "assignment destination is read-only");
    TNI_TRY(tni_stream_resolve(&p.stream, stream, to->buffer->device));
    TNI_TRY(tn_scalar_convert(p.call.arguments[0].value, value, to->dtype));
    if (to->size == 1 && p.stream->is_immediate) { /* a[k] = value */
        void *data;
        TNI_TRY(tni_array_access(&data, to, TNI_WRITE, p.stream));
        tni_element_move(data, p.call.arguments[0].value, to->dtype);
        return TN_OK;
    }
    return run_copy(&p, to, NULL, to->dtype);
}

/* --- Calls that waited --- */

tn_status tni_elementwise_again(const tni_elementwise *call, const tn_array *const *arrays,
                                tn_stream *stream) {
    plan p;
    const int count = call->input_count + call->output_count;
    const tn_array *output = arrays[call->input_count];
    p.stream = stream;
    if (call->op == TNI_OP_COPY && arrays[0] && arrays[0]->dtype == output->dtype)
        return tni_copy_same((tn_array *)(uintptr_t)output, arrays[0], stream);
    p.call.op = call->op;
    p.call.dtype = call->dtype;
    p.call.input_count = call->input_count;
    p.call.output_count = call->output_count;
    p.call.masked = false;
    p.count = count;
    p.ndim = output->ndim;
    memcpy(p.shape, tni_shape(output), sizeof(int64_t) * (size_t)output->ndim);
    for (int k = 0; k < count; k++) {
        p.arrays[k] = arrays[k];
        p.call.arguments[k].dtype = call->arguments[k].dtype;
        p.call.arguments[k].loop_dtype = call->arguments[k].loop_dtype;
        memcpy(p.call.arguments[k].value, call->arguments[k].value, sizeof call->arguments->value);
    }
    return run(&p, call->input_count, call->output_count, false);
}

/* --- Operations --- */

static bool is_empty(const plan *p) {
    for (int axis = 0; axis < p->ndim; axis++)
        if (p->shape[axis] == 0) return true;
    return false;
}

/* For the logical operations a Python integer is its truth, and so fits any dtype; a comparison of
 * integers with a huge one is one with an infinity. */
static tn_scalar loop_scalar_of(tn_scalar scalar, tn_op op, const tn_array *other) {
    bool logical = op == TN_OP_LOGICAL_AND || op == TN_OP_LOGICAL_OR || op == TN_OP_LOGICAL_XOR;
    if (logical && scalar.weak && tn_dtype_kind(scalar.dtype) <= TN_KIND_UNSIGNED)
        return tn_scalar_bool(scalar.value.i64 != 0);
    if (scalar.huge && other && tn_dtype_kind(other->dtype) < TN_KIND_FLOAT &&
        tni_op_is_comparison(op))
        return tn_scalar_weak_float(copysign(INFINITY, scalar.value.f64));
    return scalar;
}

/* The value of a scalar input, whose dtype in the loop is known. */
static tn_status convert_scalar(tni_argument *argument, tn_op op, int input_count,
                                const tn_operand *inputs, int k) {
    const tn_array *other = input_count == 2 ? inputs[!k].array : NULL;
    const tn_scalar *scalar = &inputs[k].scalar;
    if (scalar->dtype != argument->loop_dtype || scalar->huge)
        return tn_scalar_convert(argument->value, loop_scalar_of(*scalar, op, other),
                                 argument->loop_dtype);
    tni_element_move(argument->value, scalar->value.bytes, scalar->dtype);
    return TN_OK;
}

tn_status tni_mask_check(const tn_array *mask) {
    if (mask->dtype == TN_B8) return TN_OK;
    return tni_fail(
        TN_ERROR_CASTING,
        "Cannot cast array data from dtype('%s') to dtype('bool') according to the rule 'safe'",
        tn_dtype_name(mask->dtype));
}

static tn_status prepare_mask(plan *p, tn_array *mask, int at) {
    p->call.masked = mask != NULL;
    if (!mask) return TN_OK;
    TNI_TRY(tni_mask_check(mask));
    p->arrays[at] = mask;
    p->call.arguments[at].dtype = p->call.arguments[at].loop_dtype = TN_B8;
    return TN_OK;
}

static tn_status prepare(plan *p, tn_array **outputs, const tni_loop_choice *choice, tn_op op,
                         const tn_operand *inputs, const tn_elementwise_options *options,
                         tn_stream *stream) {
    int input_count = tn_op_inputs(op), output_count = tn_op_outputs(op);
    tni_elementwise *call = &p->call;
    for (int k = 0; k < input_count; k++)
        p->arrays[k] = inputs[k].array;
    for (int k = 0; k < output_count; k++)
        p->arrays[input_count + k] = outputs[k];
    p->count = input_count + output_count + (options->where != NULL);
    memset(p->owned, 0, sizeof p->owned);
    TNI_TRY(prepare_mask(p, options->where, p->count - 1));
    TNI_TRY(tni_device_common(&p->device, p->count, p->arrays));
    TNI_TRY(tni_stream_resolve(&p->stream, stream, p->device));
    TNI_TRY(broadcast(p, input_count));
    for (int k = 0; k < output_count; k++)
        if (outputs[k]) TNI_TRY(check_output(p, outputs[k]));
    for (int k = 0; k < input_count; k++) {
        tni_argument *argument = &call->arguments[k];
        argument->loop_dtype = choice->arguments[k];
        argument->dtype = inputs[k].array ? (tn_dtype)inputs[k].array->dtype : argument->loop_dtype;
        if (!inputs[k].array) TNI_TRY(convert_scalar(argument, op, input_count, inputs, k));
    }
    for (int k = 0; k < output_count; k++) {
        tni_argument *argument = &call->arguments[input_count + k];
        argument->loop_dtype = choice->arguments[input_count + k];
        argument->dtype = outputs[k] ? (tn_dtype)outputs[k]->dtype : argument->loop_dtype;
        if (!tn_dtype_can_cast(argument->loop_dtype, argument->dtype, options->casting))
            TNI_FAIL(
                TN_ERROR_CASTING,
                "Cannot cast ufunc '%s' output from dtype('%s') to dtype('%s') with casting rule "
                "'%s'",
                tn_op_name(op), tn_dtype_name(argument->loop_dtype), tn_dtype_name(argument->dtype),
                tn_casting_name(options->casting));
    }
    if (p->checker && tni_op_flags(op) & TNI_OP_CHECK_NEGATIVE_POWER && !is_empty(p))
        TNI_TRY(p->checker(&inputs[1], choice->dtype, p->stream));
    return TN_OK;
}

static tn_status run_any(tn_array **outputs, tn_op op, const tn_operand *inputs,
                         const tni_loop_choice *choice, const tn_elementwise_options *options,
                         tni_exponents_checker *checker, tn_stream *stream) {
    plan p;
    p.checker = checker;
    TNI_TRY(prepare(&p, outputs, choice, op, inputs, options, stream));
    int input_count = tn_op_inputs(op), output_count = tn_op_outputs(op);
    p.call.op = choice->op;
    p.call.dtype = choice->dtype;
    p.call.input_count = input_count;
    p.call.output_count = output_count;
    bool given = false;
    tn_status status = TN_OK;
    for (int k = 0; k < output_count; k++) {
        int at = input_count + k;
        given |= outputs[k] != NULL;
        if (outputs[k]) continue;
        TNI_TRY_OWNING(
            make_output(&p.owned[at], &p, input_count, choice->arguments[at], options->order));
        p.arrays[at] = p.owned[at];
    }
    if (given) TNI_TRY_OWNING(copy_overlapping(&p, input_count, output_count));
    TNI_TRY_OWNING(run(&p, input_count, output_count, !given));
    for (int k = 0; k < output_count; k++)
        if (!outputs[k]) outputs[k] = tn_array_retain(p.owned[input_count + k]);
cleanup:
    for (int k = 0; k < p.count; k++)
        tn_array_release(p.owned[k]);
    return status;
}

/* --- Single elements --- */

/* The stream of a call of operands without axes, where work is done when it is queued; NULL:
 * another call. */
static inline tn_stream *single_stream(int input_count, const tn_operand *inputs,
                                       const tn_array *output, tn_dtype output_dtype) {
    const uint8_t needed = TNI_WRITEABLE | TNI_ALIGNED;
    const tn_array *first = output;
    if (output &&
        (output->ndim || output->dtype != output_dtype || (output->flags & needed) != needed))
        return NULL;
    for (int k = 0; k < input_count; k++) {
        const tn_array *array = inputs[k].array;
        if (!array) continue;
        if (array->ndim) return NULL;
        if (!first) first = array;
        if (!tn_device_is_equal(array->buffer->device, first->buffer->device)) return NULL;
    }
    tn_stream *stream = first ? tn_stream_get_current(first->buffer->device) : NULL;
    return stream && stream->is_immediate ? stream : NULL;
}

/* An element that the loop can't read where it lies becomes a value of the call. */
static inline tn_status open_single(tni_argument *argument, const tn_array *array,
                                    tn_stream *stream) {
    void *data;
    TNI_TRY(tni_array_access(&data, array, TNI_READ, stream));
    argument->data = data;
    if (__builtin_expect(array->dtype == argument->loop_dtype && array->flags & TNI_ALIGNED, 1))
        return TN_OK;
    tn_scalar read = {array->dtype, false, false, {0}};
    tni_element_move(read.value.bytes, data, array->dtype);
    if (read.dtype == TN_B8) read.value.bytes[0] = read.value.bytes[0] != 0;
    argument->data = NULL;
    return tn_scalar_convert(argument->value, read, argument->loop_dtype);
}

/* Whether the output shares memory with an input does not matter: it is written last. */
static tn_status run_single(tn_array *output, tn_op op, const tni_loop_choice *choice,
                            int input_count, const tn_operand *inputs, tn_stream *stream) {
    tni_elementwise call;
    void *data;
    for (int k = 0; k <= input_count; k++) {
        tni_argument *argument = &call.arguments[k];
        argument->data = NULL;
        argument->dtype = argument->loop_dtype = choice->arguments[k];
        if (k == input_count) break;
        if (inputs[k].array)
            TNI_TRY(open_single(argument, inputs[k].array, stream));
        else
            TNI_TRY(convert_scalar(argument, op, input_count, inputs, k));
    }
    TNI_TRY(tni_array_access(&data, output, TNI_WRITE, stream));
    call.arguments[input_count].data = data;
    call.op = choice->op;
    call.dtype = choice->dtype;
    call.input_count = input_count;
    call.output_count = 1;
    call.masked = call.is_unaligned = false;
    call.ndim = 0;
    call.size = 1;
    return tni_queue_elementwise(&call, stream);
}

/* Whether an input is a result of the thread's waiting calls, which the call may join. */
static __attribute__((cold, noinline)) bool is_awaited(int input_count, const tn_operand *inputs) {
    for (int k = 0; k < input_count; k++)
        if (inputs[k].array && tni_waiting_get()->is_awaited(inputs[k].array)) return true;
    return false;
}

tn_status tni_elementwise_run(tn_array **outputs, tn_op op, const tn_operand *inputs,
                              const tn_elementwise_options *options, tni_exponents_checker *checker,
                              tn_stream *stream) {
    static const tn_elementwise_options defaults = TN_ELEMENTWISE_DEFAULTS;
    tni_loop_choice choice;
    if (!options) options = &defaults;
    TNI_TRY(tni_op_choose(&choice, op, inputs, options->dtype, options->casting));
    const int input_count = tn_op_inputs(op);
    const tn_dtype dtype = choice.arguments[input_count];
    tn_stream *single = NULL;
    if (!stream && !options->where && tn_op_outputs(op) == 1)
        single = single_stream(input_count, inputs, outputs[0], dtype);
    if (tni_may_wait() && single && is_awaited(input_count, inputs)) single = NULL;
    if (!single) return run_any(outputs, op, inputs, &choice, options, checker, stream);
    if (checker && tni_op_flags(op) & TNI_OP_CHECK_NEGATIVE_POWER)
        TNI_TRY(checker(&inputs[1], choice.dtype, single));
    tn_array *output = outputs[0];
    if (!output) TNI_TRY(tni_array_new_element(&output, dtype, single));
    const tn_status status = run_single(output, op, &choice, input_count, inputs, single);
    if (status == TN_OK)
        outputs[0] = output;
    else if (!outputs[0])
        tn_array_release(output);
    return status;
}

tn_status tni_unary(tn_array **result, tn_op op, const tn_array *a, tn_stream *stream) {
    tn_operand inputs[1] = {tn_operand_array(a)};
    *result = NULL;
    return tni_elementwise_run(result, op, inputs, NULL, NULL, stream);
}

tn_status tni_binary(tn_array **result, tn_op op, const tn_array *a, const tn_array *b,
                     tn_stream *stream) {
    tn_operand inputs[2] = {tn_operand_array(a), tn_operand_array(b)};
    *result = NULL;
    return tni_elementwise_run(result, op, inputs, NULL, NULL, stream);
}
