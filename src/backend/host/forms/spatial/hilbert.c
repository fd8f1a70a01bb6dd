/* The form "hilbert" on the host: points are shared out. */
#include "backend/host/forms/forms.h"
#include "backend/host/threads.h"
#include "forms/spatial.h"
#include "ops/tree.h"

enum { AXES_MOST = 63, BIT_NS = 1 };

/* Points whose coordinates are read into columns; the last block is filled up with zeros. */
TN_FN void place_block(const tni_hilbert *call, int64_t first, int count, int axes) {
    tn_u32 at[AXES_MOST * TN_HILBERT_LANES];
    tn_i64 keys[TN_HILBERT_LANES];
    for (int j = 0; j < TN_HILBERT_LANES; j++)
        for (int k = 0; k < axes; k++)
            at[k * TN_HILBERT_LANES + j] = j < count ? call->places[(first + j) * axes + k] : 0;
    m_hilbert(keys, at, axes, call->bits, TN_HILBERT_LANES);
    memcpy(call->keys + first, keys, (size_t)count * sizeof *keys);
}

static void place(void *context, int64_t begin, int64_t end) {
    const tni_hilbert *call = context;
    for (int64_t i = begin; i < end; i += TN_HILBERT_LANES) {
        const int count = (int)(end - i < TN_HILBERT_LANES ? end - i : TN_HILBERT_LANES);
        if (call->axes == 2)
            place_block(call, i, count, 2);
        else if (call->axes == 3)
            place_block(call, i, count, 3);
        else
            place_block(call, i, count, call->axes);
    }
}

tn_status tni_host_run_hilbert(void *parameters) {
    tni_hilbert *call = parameters;
    tni_parallel_units(call->count, (int64_t)call->axes * call->bits * BIT_NS, place, call);
    return TN_OK;
}

TNI_HOST_PLAN(hilbert, call->count * call->axes)
