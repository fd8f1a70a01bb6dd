/* The form "searchsorted" on the host: values are shared out, each thread searches several at a
 * time. */
#include "backend/host/forms/forms.h"
#include "backend/host/forms/reduce/folding.h"
#include "backend/host/loops/level.h"
#include "backend/host/threads.h"
#include "forms/sort.h"

enum { STEP_NS = 4 };

typedef struct searching {
    const tni_searchsorted *call;
    const tni_key_loops *keys;
    int64_t width; /* values of one row, 1 without an axis */
    int64_t stride, output_stride;
    int outer_ndim;
} searching;

static void search_values(void *context, int64_t begin, int64_t end) {
    const searching *s = context;
    const tni_searchsorted *call = s->call;
    tni_walk walk;
    tni_walk_start(&walk, s->outer_ndim, call->shape, call->value_strides, call->output_strides,
                   begin / s->width);
    for (int64_t at = begin % s->width, left = end - begin; left > 0; at = 0) {
        int64_t n = s->width - at < left ? s->width - at : left;
        s->keys->search(call->output + walk.offsets[1] + at * s->output_stride, s->output_stride,
                        call->values + walk.offsets[0] + at * s->stride, s->stride, n, call->sorted,
                        call->sorted_stride, call->length, call->is_right);
        left -= n;
        if (left > 0) tni_walk_next(&walk);
    }
}

tn_status tni_host_run_searchsorted(void *parameters) {
    const tni_searchsorted *call = parameters;
    const int last = call->ndim - 1;
    searching s = {call, &tni_loops_level()->sort->keys[call->dtype], 1, 0, 0, 0};
    if (call->ndim > 0) {
        s.width = call->shape[last];
        s.stride = call->value_strides[last];
        s.output_stride = call->output_strides[last];
        s.outer_ndim = last;
    }
    int64_t steps = 1;
    while (steps < 63 && call->length >> steps)
        steps++;
    int64_t grain = 1000 / (STEP_NS * steps);
    tni_parallel_short(call->size, grain < 8 ? 8 : grain & -8, search_values, &s);
    return TN_OK;
}

TNI_HOST_PLAN(searchsorted, call->size)
