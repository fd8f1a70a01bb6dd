/* Calls of programs in a trace: with the dtypes and shapes of arrays. */
#include "core/array/array.h"
#include "core/trace/trace.h"

void tn_trace_end(int64_t begun, const char *name, const tn_array *const *arrays, int count) {
    if (!begun) return;
    tni_traced event = {.begun = begun, .text = name};
    for (int k = 0; k < count; k++) {
        const tn_array *array = arrays[k];
        if (!array) continue;
        tni_trace_shape(&event, array->dtype, array->ndim, tni_shape(array));
        event.bytes += tn_array_bytes(array);
    }
    tni_trace_end_call(&event);
}
