/* The form reduceat on the host: each segment is a reduction of its own.
 *
 * Indices are checked first. Segments of one contiguous row are folded leaf by leaf without a plan;
 * all others are handed to the form reduce, each as a call with the segment as the reduced axis.
 * Threads share segments, or, where there are few, what is in one. */
#include "backend/host/forms/convert.h"
#include "backend/host/forms/forms.h"
#include "backend/host/forms/reduce/folding.h"
#include "backend/host/forms/reduce/reduce.h"
#include "backend/host/forms/reduce/reduce_level.h"
#include "backend/host/threads.h"

#include <stdatomic.h>
#include <string.h>

enum { SEGMENT_NS = 20 }; /* of one without elements */

typedef struct segments {
    const tni_reduceat *call;
    const int64_t *indices;
    const tni_fold *fold; /* for segments that are leaves as they lie; NULL: none */
    tni_loop store;
    atomic_int status;
} segments;

static tn_status check_indices(const tni_reduceat *call) {
    const int64_t *indices = (const void *)call->indices;
    for (int64_t k = 0; k < call->index_count; k++)
        if (indices[k] < 0 || indices[k] >= call->length)
            TNI_FAIL(TN_ERROR_INDEX, "index %lld out-of-bounds in %s.reduceat [0, %lld)",
                     (long long)indices[k], tn_op_name(call->op), (long long)call->length);
    return TN_OK;
}

static void describe(tni_reduce *part, const tni_reduceat *call) {
    part->body = NULL;
    part->is_unaligned = false;
    part->op = call->op;
    part->statistic = TNI_STATISTIC_FOLD;
    part->flags = 0;
    part->is_ordered = call->is_ordered;
    part->has_initial = false;
    part->input_dtype = call->input_dtype;
    part->accumulator = call->accumulator;
    part->output_dtype = call->output_dtype;
    part->mask = NULL;
    part->kept_ndim = call->ndim;
    part->kept_size = call->size;
    for (int axis = 0; axis < call->ndim; axis++) {
        part->kept_shape[axis] = call->shape[axis];
        part->kept_input[axis] = call->input_strides[axis];
        part->kept_output[axis] = call->output_strides[axis];
    }
    part->reduced_ndim = 1;
    part->reduced_input[0] = call->input_stride;
}

static bool fold_leaf(const segments *s, const char *x, int64_t n, char *output) {
    if (!s->fold || n > TNI_LEAF) return false;
    _Alignas(16) char result[16];
    s->fold->rows(result, x, 1, 0, n, NULL);
    tni_convert(s->store, result, 0, output, 0, 1);
    return true;
}

static void fold_segments(void *context, int64_t begin, int64_t end) {
    segments *s = context;
    const tni_reduceat *call = s->call;
    tni_reduce part;
    describe(&part, call);
    for (int64_t k = begin; k < end; k++) {
        int64_t from = s->indices[k];
        int64_t to = k + 1 < call->index_count ? s->indices[k + 1] : call->length;
        part.reduced_shape[0] = part.reduced_size = to > from ? to - from : 1;
        part.input = call->input + from * call->input_stride;
        part.output = call->output + k * call->output_stride;
        if (fold_leaf(s, part.input, part.reduced_size, part.output)) continue;
        tn_status status = tni_host_reduce_run(&part);
        if (status != TN_OK) atomic_store(&s->status, (int)status);
    }
}

tn_status tni_host_run_reduceat(void *parameters) {
    const tni_reduceat *call = parameters;
    TNI_TRY(check_indices(call));
    segments s = {.call = call, .indices = (const void *)call->indices};
    atomic_init(&s.status, TN_OK);
    bool is_row = call->size == 1 && call->input_stride == tn_dtype_size(call->input_dtype);
    if (is_row && !call->is_ordered)
        s.fold = tni_host_fold_find(call->op, call->input_dtype, call->accumulator);
    if (s.fold && s.fold->input != (short)call->input_dtype) s.fold = NULL;
    s.store = tni_cast_find(call->accumulator, call->output_dtype);
    int64_t elements = call->length / call->index_count * call->size;
    if (call->index_count < 4 * tni_thread_count())
        fold_segments(&s, 0, call->index_count);
    else
        tni_parallel_units(call->index_count, SEGMENT_NS + elements, fold_segments, &s);
    tn_status status = (tn_status)atomic_load(&s.status);
    if (status == TN_ERROR_MEMORY) return tni_fail_no_memory(TNI_LEAF);
    return status;
}

TNI_HOST_PLAN(reduceat, call->size *(call->length + call->index_count))
