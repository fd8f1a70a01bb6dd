/* The driver of recursive filters. A real filter of complex lines is one of twice as many real
 * lines, which stand beside each other. */
#include "backend/backend.h"
#include "core/move/astype.h"
#include "core/signal/signal.h"
#include "forms/signal.h"

enum { SECTIONS_MAX = 8 }; /* of low orders; else 1 */

/* Arrays of a call as the form takes them. */
typedef struct filtering {
    tn_array *coefficients, *input, *initial;
    tn_array *output, *final;
    int axis;
} filtering;

static void filtering_release(filtering *f) {
    tn_array_release(f->coefficients);
    tn_array_release(f->input);
    tn_array_release(f->initial);
    tn_array_release(f->output);
    tn_array_release(f->final);
}

static tn_status check(const tn_array *coefficients, const tn_array *array) {
    TNI_TRY(tni_array_check_numbers(coefficients));
    TNI_TRY(tni_signal_check_dtype(array->dtype));
    const int64_t *shape = tni_shape(coefficients);
    if (coefficients->ndim != 3 || shape[0] < 1 || shape[1] != 2 || shape[2] < 2)
        TNI_FAIL(TN_ERROR_VALUE, "coefficients must be [sections, 2, order + 1]");
    if (tn_dtype_kind(coefficients->dtype) == TN_KIND_COMPLEX &&
        tn_dtype_kind(array->dtype) != TN_KIND_COMPLEX)
        TNI_FAIL(TN_ERROR_TYPE, "a complex filter needs a complex array");
    return TN_OK;
}

/* The shape of states. */
static int shape_states(int64_t *shape, const tn_array *coefficients, const tn_array *array,
                        int axis) {
    shape[0] = tni_shape(coefficients)[0];
    for (int k = 0; k < array->ndim; k++)
        shape[k + 1] = k == axis ? tni_shape(coefficients)[2] - 1 : tni_shape(array)[k];
    return array->ndim + 1;
}

static tn_status check_initial(const tn_array *initial, int ndim, const int64_t *shape) {
    bool is_same = initial->ndim == ndim;
    for (int k = 0; is_same && k < ndim; k++)
        is_same = tni_shape(initial)[k] == shape[k];
    if (!is_same)
        TNI_FAIL(TN_ERROR_VALUE, "initial states must have the shape of the array, with the "
                                 "order in the place of the axis, for each section");
    return TN_OK;
}

/* A long cascade is several calls, in place after the first: a plan of CUDA has a few launches. */
static tn_status queue_sections(tni_recursion *call, tn_stream *stream) {
    const int64_t sections = call->sections, item = tn_dtype_size(call->dtype);
    const int64_t wide = tn_dtype_kind(call->dtype) == TN_KIND_COMPLEX ? 16 : 8;
    const int64_t states = call->outer * call->order * call->inner * item;
    const int64_t most = call->order <= 2 ? SECTIONS_MAX : 1;
    for (int64_t done = 0; done < sections; done += call->sections) {
        call->sections = sections - done < most ? sections - done : most;
        TNI_TRY(tni_queue_recursion(call, stream));
        call->input = call->output;
        call->coefficients += call->sections * 2 * (call->order + 1) * wide;
        if (call->initial) call->initial += call->sections * states;
        if (call->final) call->final += call->sections * states;
    }
    return TN_OK;
}

static tn_status run(filtering *f, const tni_signal_lines *lines, bool is_reversed, bool splits,
                     tn_stream *stream) {
    void *addresses[5] = {NULL, NULL, NULL, NULL, NULL};
    const tn_array *arrays[5] = {f->coefficients, f->input, f->initial, f->output, f->final};
    for (int k = 0; k < 5; k++)
        if (arrays[k])
            TNI_TRY(
                tni_array_access(&addresses[k], arrays[k], k < 3 ? TNI_READ : TNI_WRITE, stream));
    const tn_dtype dtype = f->input->dtype;
    tni_recursion call = {.dtype = splits ? tn_dtype_real(dtype) : dtype,
                          .is_reversed = is_reversed,
                          .sections = tni_shape(f->coefficients)[0],
                          .order = tni_shape(f->coefficients)[2] - 1,
                          .outer = lines->outer,
                          .length = lines->length,
                          .inner = lines->inner,
                          .coefficients = addresses[0],
                          .input = addresses[1],
                          .initial = addresses[2],
                          .output = addresses[3],
                          .final = addresses[4]};
    return queue_sections(&call, stream);
}

/* States after no element at all. */
static tn_status keep_states(filtering *f, tn_stream *stream) {
    if (!f->final || f->final->size == 0) return TN_OK;
    if (f->initial) return tn_array_assign(f->final, f->initial, TN_CASTING_SAFE, stream);
    return tn_array_fill(f->final, (tn_scalar){.dtype = TN_F64}, stream);
}

static tn_status filter(filtering *f, bool wants_final, const tn_array *coefficients,
                        const tn_array *array, const tn_recursion_options *options,
                        tn_stream *stream) {
    int64_t states[TN_MAX_NDIM + 1];
    const bool is_complex = tn_dtype_kind(array->dtype) == TN_KIND_COMPLEX;
    const bool splits = is_complex && tn_dtype_kind(coefficients->dtype) != TN_KIND_COMPLEX;
    const tn_dtype wide = is_complex && !splits ? TN_C128 : TN_F64;
    tni_signal_lines lines;
    f->axis = options->axis;
    TNI_TRY(tni_signal_lines_of(&lines, &f->axis, array, splits));
    if (array->ndim == TN_MAX_NDIM) TNI_FAIL(TN_ERROR_VALUE, "too many dimensions");
    const int ndim = shape_states(states, coefficients, array, f->axis);
    if (options->initial) TNI_TRY(check_initial(options->initial, ndim, states));
    TNI_TRY(tni_array_packed(&f->coefficients, coefficients, wide, stream));
    TNI_TRY(tni_array_packed(&f->input, array, array->dtype, stream));
    if (options->initial)
        TNI_TRY(tni_array_packed(&f->initial, options->initial, array->dtype, stream));
    TNI_TRY(
        tn_array_new(&f->output, array->dtype, array->ndim, tni_shape(array), TN_ORDER_C, stream));
    if (wants_final)
        TNI_TRY(tn_array_new(&f->final, array->dtype, ndim, states, TN_ORDER_C, stream));
    if (array->size == 0) return keep_states(f, stream);
    return run(f, &lines, options->is_reversed, splits, stream);
}

tn_status tn_array_recursion(tn_array **result, tn_array **final, const tn_array *coefficients,
                             const tn_array *array, const tn_recursion_options *options,
                             tn_stream *stream) {
    const tn_array *arrays[3] = {coefficients, array, options->initial};
    filtering f = {NULL, NULL, NULL, NULL, NULL, 0};
    tn_device device;
    TNI_TRY(check(coefficients, array));
    TNI_TRY(tni_device_common(&device, options->initial ? 3 : 2, arrays));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    tn_status status = filter(&f, final != NULL, coefficients, array, options, stream);
    if (status == TN_OK) {
        *result = tn_array_retain(f.output);
        if (final) *final = tn_array_retain(f.final);
    }
    filtering_release(&f);
    return status;
}
