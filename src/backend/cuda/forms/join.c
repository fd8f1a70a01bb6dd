/* Joining on CUDA: one launch for up to TNI_JOIN_PARTS arrays, in the largest units that all
 * allow. */
#include "forms/join.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/program.h"

#include <string.h>

enum { BLOCK = 256, UNROLL = 4 };

static const tni_form join_form = {
    "join", {"BLOCK", "UNIT_BYTES", "UNROLL", "WIDE_INDEX"}, NULL, 60};

tn_status tni_cuda_join(const tni_join *call, tn_stream *stream) {
    int64_t bits = (int64_t)(uintptr_t)call->to | call->row_bytes, row = 0;
    tni_form_key key = {0};
    tni_form_params params;
    tni_cuda_kernel *kernel;
    for (int k = 0; k < call->count; k++) {
        bits |= (int64_t)(uintptr_t)call->parts[k].from | call->parts[k].run_bytes;
        row += call->parts[k].run_bytes;
    }
    int unit = tni_form_alignment(bits, 16);
    int64_t count = call->rows * (row / unit);
    const int numbers[] = {BLOCK, unit, UNROLL, tni_form_is_wide(count)};
    key.op = -1;
    for (int k = 0; k < 4; k++)
        key.numbers[k] = (int16_t)numbers[k];
    TNI_TRY(tni_form_get(&kernel, &join_form, &key, stream));
    tni_form_begin(&params);
    tni_form_put_pointer(&params, call->to);
    tni_form_put_i64(&params, count);
    tni_form_put_i64(&params, call->row_bytes);
    tni_form_put_i64(&params, call->count);
    tni_form_put_axis(&params, row / unit, numbers[3]);
    int64_t first = 0;
    for (int k = 0; k < TNI_JOIN_PARTS; k++) {
        int64_t units = k < call->count ? call->parts[k].run_bytes / unit : 0;
        tni_form_put_pointer(&params, k < call->count ? call->parts[k].from : NULL);
        tni_form_put_i64(&params, first);
        tni_form_put_i64(&params, units);
        first += units;
    }
    return tni_form_launch(kernel, tni_form_ceil(count, BLOCK * UNROLL), BLOCK, &params, stream);
}
