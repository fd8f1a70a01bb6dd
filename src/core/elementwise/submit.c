/* The description of calls whose arguments are broadcast or strided: collapsed to as few axes as
 * there can be. */
#include "core/elementwise/submit.h"

#include "core/array/layout.h"
#include "core/array/view.h"

#include <string.h>

void tni_submit_describe_strided(tni_elementwise *call, int count, const tn_array *const *arrays,
                                 int ndim, const int64_t *shape) {
    int64_t *strides[TN_MAX_OPERANDS + 1] = {NULL}, offsets[TN_MAX_OPERANDS + 1] = {0};
    for (int k = 0; k < count; k++) {
        strides[k] = call->arguments[k].strides;
        if (arrays[k])
            tni_strides_broadcast(strides[k], arrays[k], ndim);
        else
            memset(strides[k], 0, sizeof(int64_t) * (size_t)ndim);
    }
    memcpy(call->shape, shape, sizeof(int64_t) * (size_t)ndim);
    call->ndim = tni_layout_collapse(ndim, call->shape, count, strides, offsets, true);
    for (int k = 0; k < count; k++)
        if (arrays[k]) call->arguments[k].data += offsets[k];
}
