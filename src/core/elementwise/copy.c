/* Copies of elements that keep their dtype: the element-wise COPY form.
 *
 * Elements that are not aligned are copied as the words that they are made of (words.h), unless the
 * backend moves elements from and to any address; those that are only stored always are. So a
 * stand-in (operands.h) can be filled by such a copy. */
#include "core/elementwise/copy.h"

#include "backend/backend.h"
#include "core/array/view.h"
#include "core/array/words.h"
#include "core/base/waiting.h"
#include "core/elementwise/submit.h"
#include "core/rules/op.h"

/* The elements as they lie: aligned, or the backend takes them so. */
static tn_status copy_as_is(tn_array *to, const tn_array *from, tn_stream *stream) {
    tni_elementwise call;
    const tn_array *arrays[2] = {from, to};
    void *data[2];
    if (to->size == 0) return TN_OK;
    TNI_TRY(tni_array_access(&data[0], from, TNI_READ, stream));
    TNI_TRY(tni_array_access(&data[1], to, TNI_WRITE, stream));
    call.op = TNI_OP_COPY;
    call.dtype = to->dtype;
    call.input_count = call.output_count = 1;
    call.masked = call.is_unaligned = false;
    call.size = to->size;
    for (int k = 0; k < 2; k++) {
        call.arguments[k].data = data[k];
        call.arguments[k].dtype = call.arguments[k].loop_dtype = to->dtype;
    }
    tni_submit_describe(&call, 2, arrays, to->ndim, tni_shape(to));
    return tni_queue_elementwise(&call, stream);
}

static tn_status copy_words(tn_array *to, const tn_array *from, tn_stream *stream) {
    const tn_array *arrays[2] = {to, from};
    tn_array *squeezed[2] = {NULL, NULL};
    tni_words words = {{NULL}};
    tn_status status = TN_OK;
    for (int k = 0; k < 2 && status == TN_OK; k++) { /* makes room for one more axis */
        int64_t shape[TN_MAX_NDIM], strides[TN_MAX_NDIM];
        const int ndim = tni_array_squeezed(shape, strides, arrays[k]);
        status = tni_array_make(&squeezed[k], arrays[k]->buffer, arrays[k]->offset,
                                arrays[k]->dtype, ndim, shape, strides, true);
        arrays[k] = squeezed[k];
    }
    if (status == TN_OK) status = tni_words_open(&words, 2, arrays);
    if (status == TN_OK) status = copy_as_is(words.views[0], words.views[1], stream);
    tni_words_close(&words);
    tn_array_release(squeezed[0]);
    tn_array_release(squeezed[1]);
    return status;
}

static bool waits(const tn_array *to, const tn_array *from, tn_stream *stream) {
    tni_elementwise call;
    call.op = TNI_OP_COPY;
    call.dtype = to->dtype;
    call.input_count = call.output_count = 1;
    for (int k = 0; k < 2; k++)
        call.arguments[k].dtype = call.arguments[k].loop_dtype = to->dtype;
    return tni_waiting_get()->join_elementwise(&call, (const tn_array *const[]){from, to}, false,
                                               stream);
}

tn_status tni_copy_same(tn_array *to, const tn_array *from, tn_stream *stream) {
    bool is_aligned = to->flags & from->flags & TNI_ALIGNED,
         is_stored = tn_dtype_is_stored(to->dtype);
    if (tni_may_wait() && !is_stored && to->size > 0 && waits(to, from, stream)) return TN_OK;
    bool takes = is_aligned || (!is_stored && tni_backend_of(stream)->index->moves_unaligned);
    return takes ? copy_as_is(to, from, stream) : copy_words(to, from, stream);
}
