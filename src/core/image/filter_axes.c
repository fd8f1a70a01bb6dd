/* The driver of windows over one axis after the other. Results between two go to a temporary array
 * and to the output by turns, so that the last one goes to the output. */
#include "backend/backend.h"
#include "core/elementwise/operands.h"
#include "core/image/image.h"

/* A window over all axes that extends over one. */
typedef struct single {
    int64_t size[TN_MAX_NDIM], low[TN_MAX_NDIM];
    tn_image_edge edges[TN_MAX_NDIM];
    tn_window window;
} single;

static void make_single(single *s, tn_window_op op, const tn_axis_window *axis, double beyond,
                        bool is_wide, int ndim) {
    for (int k = 0; k < ndim; k++) {
        s->size[k] = k == axis->axis ? axis->size : 1;
        s->low[k] = k == axis->axis ? axis->low : 0;
        s->edges[k] = k == axis->axis ? axis->edge : TN_EDGE_NEAREST;
    }
    s->window = (tn_window){.op = op,
                            .size = s->size,
                            .low = s->low,
                            .edges = s->edges,
                            .beyond = beyond,
                            .is_wide = is_wide};
}

/* Weights that are given: a stencil. */
static tn_status run_weighted(tn_array *output, const tn_array *input, tn_window *window,
                              const tn_axis_window *axis, tn_stream *stream) {
    tn_array *weights = NULL;
    if (axis->size <= TN_WINDOW_VALUES)
        window->values = axis->values;
    else
        TNI_TRY(tn_array_new_from_host(&weights, axis->values, TN_F64, 1, &axis->size, NULL,
                                       TN_ORDER_C, stream));
    window->weights = weights;
    tn_status status = tn_image_filter(output, input, window, stream);
    tn_array_release(weights);
    return status;
}

static tn_status run_slide(tn_array *made, const tn_array *input, const tn_window *window,
                           const tn_axis_window *axis, tn_stream *stream) {
    const tn_array *output = made;
    void *address;
    tni_slide call;
    tni_operands operands;
    tn_status status;
    tni_operands_init(&operands, stream);
    TNI_TRY_OWNING(tni_operand_open(&address, &output, TNI_WRITE, &operands));
    call.image.output = address;
    TNI_TRY_OWNING(tni_operand_open(&address, &input, TNI_READ, &operands));
    call.image.input = address;
    call.image.stored = input->dtype;
    call.image.result = output->dtype;
    call.image.beyond = window->beyond;
    call.image.working =
        window->op == TN_WINDOW_SUM
            ? tni_image_sums(input->dtype, output->dtype, window->is_wide)
            : tni_image_order(input->dtype, window->beyond, axis->edge == TN_EDGE_CONSTANT);
    tni_image_arrange(&call.image, NULL, input, output, NULL, window);
    call.op = window->op;
    call.divisor = (double)axis->size;
    status = tni_queue_slide(&call, stream);
cleanup:
    return tni_operands_close(&operands, status);
}

/* One window, from an array to one of other memory. */
static tn_status run_axis(tn_array *output, const tn_array *input, tn_window_op op,
                          const tn_axis_window *axis, double beyond, bool is_wide,
                          tn_stream *stream) {
    single s;
    make_single(&s, op, axis, beyond, is_wide, input->ndim);
    TNI_TRY(tni_image_check(output, input, &s.window));
    if (axis->values) return run_weighted(output, input, &s.window, axis, stream);
    return input->size ? run_slide(output, input, &s.window, axis, stream) : TN_OK;
}

static tn_status run_all(tn_array *output, const tn_array *input, tn_window_op op, int count,
                         const tn_axis_window *windows, double beyond, bool is_wide,
                         tn_stream *stream) {
    tn_array *other = NULL;
    tn_status status = TN_OK;
    if (count > 1)
        TNI_TRY(tn_array_new(&other, output->dtype, output->ndim, tni_shape(output), TN_ORDER_C,
                             stream));
    for (int k = 0; k < count && !status; k++) {
        tn_array *to = (count - 1 - k) % 2 ? other : output;
        const tn_array *from = k == 0 ? input : to == output ? other : output;
        status = run_axis(to, from, op, &windows[k], beyond, is_wide, stream);
    }
    tn_array_release(other);
    return status;
}

tn_status tn_image_filter_axes(tn_array *output, const tn_array *input, tn_window_op op, int count,
                               const tn_axis_window *windows, double beyond, bool is_wide,
                               tn_stream *stream) {
    tn_array *made;
    for (int k = 0; k < count; k++) {
        int axis = windows[k].axis;
        TNI_TRY(tn_axis_check(&axis, input->ndim));
        if (axis != windows[k].axis || windows[k].size < 1 || windows[k].size > INT32_MAX)
            TNI_FAIL(TN_ERROR_VALUE, "a window is along an axis and has one element or more");
    }
    TNI_TRY(tni_array_check_writeable(output));
    TNI_TRY(tni_stream_resolve(&stream, stream, tn_array_device(input)));
    if (count == 0) return tn_array_assign(output, input, TN_CASTING_UNSAFE, stream);
    /* The first result lies in the output if the number of windows is odd. */
    TNI_TRY(tni_image_begin(&made, output, input, stream));
    tn_status status = run_all(made, input, op, count, windows, beyond, is_wide, stream);
    return tni_image_finish(made, output, status, stream);
}
