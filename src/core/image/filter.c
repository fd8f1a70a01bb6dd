/* The driver of windows over all axes. */
#include "backend/backend.h"
#include "core/elementwise/operands.h"
#include "core/image/image.h"
#include "core/move/astype.h"

#include <string.h>

static bool has_constant_edge(const tn_window *window, int ndim) {
    bool found = false;
    for (int k = 0; k < ndim; k++)
        found |= window->edges[k] == TN_EDGE_CONSTANT;
    return found;
}

/* How many places the window has; TN_ERROR_VALUE where other arguments do not agree with it. */
static tn_status count_places(int64_t *count, const tn_window *window, int ndim) {
    double box = 1;
    for (int k = 0; k < ndim; k++)
        box *= (double)window->size[k];
    if (box > INT32_MAX) TNI_FAIL(TN_ERROR_VALUE, "a window has at most 2^31 - 1 elements");
    *count = window->places ? window->places->size : (int64_t)box;
    if (window->places && (window->places->dtype != TN_I32 || *count < 1))
        TNI_FAIL(TN_ERROR_VALUE, "the places of a window are one or more of int32");
    if (window->weights && window->weights->size != *count)
        TNI_FAIL(TN_ERROR_VALUE, "the weights of a window are as many as its places");
    if (window->values && *count > TN_WINDOW_VALUES)
        TNI_FAIL(TN_ERROR_VALUE, "a window has at most %d values", TN_WINDOW_VALUES);
    if (window->op == TN_WINDOW_RANK && (window->rank < 0 || window->rank >= *count))
        TNI_FAIL(TN_ERROR_VALUE, "rank not within filter footprint size");
    if (window->mask && window->mask->dtype != TN_B8) TNI_FAIL(TN_ERROR_VALUE, "a mask is of bool");
    return TN_OK;
}

/* Whether values are mirrored, with which sign, as SciPy sees it. */
static int symmetry_of(const tn_window *window, int64_t count) {
    const double *values = window->values;
    if (window->op != TN_WINDOW_SUM || !values || count % 2 == 0 || count < 3) return 0;
    for (int sign = 1; sign >= -1; sign -= 2) {
        int64_t alike = 0;
        for (int64_t k = 0; k < count / 2; k++) {
            const double difference = values[k] - sign * values[count - 1 - k];
            alike += difference <= 0x1p-52 && difference >= -0x1p-52;
        }
        if (alike == count / 2) return sign;
    }
    return 0;
}

static bool has_one_axis(const tn_window *window, int ndim) {
    int axes = 0;
    for (int k = 0; k < ndim; k++)
        axes += window->size[k] > 1;
    return axes == 1 && !window->places;
}

static void choose_dtypes(tni_stencil *call, const tn_window *window, const tn_array *output,
                          const tn_array *input) {
    tni_image *image = &call->image;
    /* SciPy compares what lies beyond the edges, and adds weights, in the image's dtype. */
    const bool has_beyond = window->op == TN_WINDOW_RANK && has_constant_edge(window, input->ndim);
    image->stored = input->dtype;
    image->result = output->dtype;
    image->beyond = window->beyond;
    image->working = window->op == TN_WINDOW_SUM
                         ? tni_image_sums(input->dtype, output->dtype, window->is_wide)
                         : tni_image_order(input->dtype, window->beyond, has_beyond);
}

/* The addresses of a call that is otherwise described. */
static tn_status open_call(tni_stencil *call, const tn_array **output, const tn_array **input,
                           const tn_window *window, const tn_array *weights, const tn_array **mask,
                           tni_operands *operands) {
    void *address;
    TNI_TRY(tni_operand_open(&address, output, TNI_WRITE, operands));
    call->image.output = address;
    TNI_TRY(tni_operand_open(&address, input, TNI_READ, operands));
    call->image.input = address;
    call->mask = call->weights = NULL;
    call->places = NULL;
    if (*mask) {
        TNI_TRY(tni_operand_open(&address, mask, TNI_READ, operands));
        call->mask = address;
    }
    if (weights) {
        TNI_TRY(tni_array_access(&address, weights, TNI_READ, operands->stream));
        call->weights = address;
    }
    if (window->places) {
        const tn_array *places = window->places;
        TNI_TRY(tni_operand_open(&address, &places, TNI_READ, operands));
        call->places = address;
    }
    return TN_OK;
}

static tn_status run(tn_array *made, const tn_array *input, const tn_window *window, int64_t count,
                     tn_stream *stream) {
    const tn_array *output = made, *mask = window->mask;
    tn_array *weights = NULL, *places = NULL;
    tn_window packed = *window;
    tni_stencil call;
    tni_operands operands;
    tn_status status;
    tni_operands_init(&operands, stream);
    choose_dtypes(&call, window, output, input);
    if (window->weights)
        TNI_TRY_OWNING(tni_array_packed(&weights, window->weights, call.image.working, stream));
    if (window->places) TNI_TRY_OWNING(tni_array_packed(&places, window->places, TN_I32, stream));
    packed.places = places;
    TNI_TRY_OWNING(open_call(&call, &output, &input, &packed, weights, &mask, &operands));
    tni_image_arrange(&call.image, call.mask_strides, input, output, mask, window);
    call.op = window->op;
    call.count = count;
    call.rank = window->rank;
    call.has_values = window->values != NULL;
    if (call.has_values) memcpy(call.values, window->values, (size_t)count * sizeof(double));
    call.symmetry = has_one_axis(window, input->ndim) ? symmetry_of(window, count) : 0;
    status = tni_queue_stencil(&call, stream);
cleanup:
    status = tni_operands_close(&operands, status);
    tn_array_release(places);
    tn_array_release(weights);
    return status;
}

tn_status tn_image_filter(tn_array *output, const tn_array *input, const tn_window *window,
                          tn_stream *stream) {
    int64_t count;
    tn_array *made;
    TNI_TRY(tni_image_check(output, input, window));
    TNI_TRY(count_places(&count, window, input->ndim));
    TNI_TRY(tni_stream_resolve(&stream, stream, tn_array_device(input)));
    if (input->size == 0) return TN_OK;
    TNI_TRY(tni_image_begin(&made, output, input, stream));
    tn_status status = run(made, input, window, count, stream);
    return tni_image_finish(made, output, status, stream);
}
