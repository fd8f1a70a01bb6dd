/* Rows that are in order before they are sorted. */
#include "backend/host/forms/sort/sort_order.h"

#include "backend/host/forms/convert.h"
#include "backend/host/loops/level.h"

#include <string.h>

enum { SHORT = 256 };

bool tni_host_sort_in_order(const tni_sort *call, const char *input, char *output) {
    const int64_t last = call->length - 1;
    const tni_key_loops *keys = &tni_loops_level()->sort->keys[call->dtype];
    if (call->length <= SHORT) return false;
    const int64_t bytes = tn_dtype_size(call->dtype);
    const bool is_one = call->input_stride == bytes && !memcmp(input, input + bytes, last * bytes);
    const int order =
        is_one ? 1 : keys->order(input, call->input_stride, call->length, call->is_descending);
    if (order == 0 || (order < 0 && input == output)) return false;
    if (call->gives_positions) {
        for (int64_t i = 0; i < call->length; i++)
            *(int64_t *)(void *)(output + i * call->output_stride) = order > 0 ? i : last - i;
    } else if (input != output) {
        const char *from = order > 0 ? input : input + last * call->input_stride;
        tni_convert(tni_cast_find(call->dtype, call->dtype), from, order * call->input_stride,
                    output, call->output_stride, call->length);
    }
    return true;
}
