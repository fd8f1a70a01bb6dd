/* Forms as events of a trace: names, operands and bytes.
 *
 * Decides: work on an immediate stream is done when its call returns, so the call is the event; on
 * any other stream the call is the handing over, and the work an event of its own, by the name that
 * the thread has set before (tni_trace_work). */
#include "backend/backend.h"
#include "forms/body.h"
#include "forms/elementwise.h"
#include "forms/indexing.h"
#include "forms/matmul.h"
#include "forms/reduce.h"

#include <stdio.h>
#include <string.h>

static const char *const form_names[TNI_TRACED_FORMS] = {
#define HELD(family, form) [TNI_TRACED_##form] = #form,
#include "forms/forms.def"
};

/* --- What is known of a call --- */

static void describe_elementwise(tni_traced *event, const tni_elementwise *call) {
    int count = call->input_count + call->output_count + call->masked;
    event->text = call->op == TNI_OP_COPY ? "convert" : tn_op_name(call->op);
    for (int k = 0; k < count; k++) {
        const tni_argument *argument = &call->arguments[k];
        if (!argument->data) continue;
        tni_trace_shape(event, argument->dtype, call->ndim, call->shape);
        event->bytes += call->size * tn_dtype_size(argument->dtype);
    }
}

static void describe_reduce(tni_traced *event, const tni_reduce *call) {
    static const char *const statistics[] = {NULL, "mean", "var", "std", "ptp"};
    const char *own = statistics[call->statistic % 5];
    event->text = own ? own : call->op == TN_OP_ADD ? "sum" : tn_op_name(call->op);
    int64_t shape[] = {call->kept_size, call->reduced_size};
    tni_trace_shape(event, call->input_dtype, 2, shape);
    event->bytes = call->kept_size * call->reduced_size * tn_dtype_size(call->input_dtype) +
                   call->kept_size * tn_dtype_size(call->output_dtype);
}

static void describe_matmul(tni_traced *event, const tni_matmul *call) {
    int64_t a[] = {call->batch_count, call->m, call->k},
            b[] = {call->batch_count, call->k, call->n};
    tni_trace_shape(event, call->dtype, 3, a);
    tni_trace_shape(event, call->dtype, 3, b);
    event->bytes = call->batch_count * tn_dtype_size(call->dtype) *
                   (call->m * call->k + call->k * call->n + call->m * call->n);
}

static void describe_indexing(tni_traced *event, const tni_indexing *form) {
    int64_t size = 1;
    for (int axis = 0; axis < form->ndim; axis++)
        size *= form->shape[axis];
    tni_trace_shape(event, form->index_dtype, 1, &form->index_count);
    event->bytes =
        form->index_count * (tn_dtype_size(form->index_dtype) + 2 * size * form->item_bytes);
}

static void describe(tni_traced *event, tni_traced_form form, const void *call) {
    event->text = form_names[form];
    switch ((int)form) {
    case TNI_TRACED_elementwise: describe_elementwise(event, call); break;
    case TNI_TRACED_reduce: describe_reduce(event, call); break;
    case TNI_TRACED_matmul: describe_matmul(event, call); break;
    case TNI_TRACED_take: describe_indexing(event, &((const tni_take *)call)->form); break;
    case TNI_TRACED_put: describe_indexing(event, &((const tni_put *)call)->form); break;
    default: break;
    }
}

/* --- Events --- */

static void begin(uint32_t name, const tn_stream *stream) {
    tni_trace_work =
        (tni_trace_label){name, tni_trace_place(), (uint32_t)tni_stream_number(stream)};
    tni_trace_report(stream, true);
}

static void end(tni_traced *event, const tn_stream *stream) {
    event->kind = stream->is_immediate ? TN_TRACE_WORK : TN_TRACE_LAUNCH;
    event->number = tni_stream_number(stream);
    event->device = stream->device;
    event->place = tni_trace_work.place;
    tni_trace_report(stream, false);
    tni_trace_work = (tni_trace_label){0, 0, 0};
    tni_trace_end(event);
}

int64_t tni_trace_form_begin(tni_traced_form form, const void *call, const tn_stream *stream) {
    tni_traced event = {0};
    int64_t begun = tni_trace_begin(TNI_TRACE_ON);
    if (!begun) return 0;
    if (!stream->is_immediate) describe(&event, form, call);
    begin(stream->is_immediate ? 0 : tn_trace_name(event.text), stream);
    return begun;
}

void tni_trace_form_end(int64_t begun, tni_traced_form form, const void *call,
                        const tn_stream *stream) {
    if (!begun) return;
    tni_traced event = {.begun = begun, .ended = tni_now_ns()};
    describe(&event, form, call);
    end(&event, stream);
}

int64_t tni_trace_kernel_begin(const char *name, const tn_stream *stream) {
    int64_t begun = tni_trace_begin(TNI_TRACE_ON);
    if (begun) begin(tn_trace_name(name), stream);
    return begun;
}

void tni_trace_kernel_end(int64_t begun, const char *name, int64_t bytes, const tn_stream *stream) {
    end(&(tni_traced){.begun = begun, .text = name, .bytes = bytes}, stream);
}
