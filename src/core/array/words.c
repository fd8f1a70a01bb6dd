/* Elements seen as words. Axes of size 1 are kept, so that a form's axes are those of its arrays;
 * only an array of TN_MAX_NDIM axes has no room for the words. */
#include "core/array/words.h"

#include <string.h>

enum { WIDEST = 16 };

static int64_t word_bytes(int count, const tn_array *const *arrays) {
    int64_t bits = WIDEST;
    for (int k = 0; k < count; k++) {
        const tn_array *array = arrays[k];
        if (!array) continue;
        bits |= (int64_t)(intptr_t)array->buffer->data + array->offset;
        bits |= tni_dtype_size(array->dtype);
        for (int axis = 0; axis < array->ndim; axis++)
            if (tni_shape(array)[axis] != 1) bits |= tni_strides(array)[axis];
    }
    return bits & -bits;
}

static tn_dtype word_dtype(int64_t bytes) {
    switch (bytes) {
    case 1: return TN_U8;
    case 2: return TN_U16;
    case 4: return TN_U32;
    case 8: return TN_U64;
    default: return TN_C128;
    }
}

static tn_status view_words(tn_array **view, const tn_array *array, int64_t bytes) {
    const int64_t item_bytes = tni_dtype_size(array->dtype);
    int64_t shape[TN_MAX_NDIM], strides[TN_MAX_NDIM];
    int ndim = array->ndim;
    memcpy(shape, tni_shape(array), sizeof *shape * (size_t)ndim);
    memcpy(strides, tni_strides(array), sizeof *strides * (size_t)ndim);
    for (int axis = 0; axis < ndim; axis++)
        if (shape[axis] == 1) strides[axis] = item_bytes; /* one that a word divides */
    if (item_bytes != bytes) {
        if (ndim == TN_MAX_NDIM)
            TNI_FAIL(TN_ERROR_VALUE, "elements of %s can be moved in arrays of up to %d axes",
                     tn_dtype_name(array->dtype), TN_MAX_NDIM - 1);
        shape[ndim] = item_bytes / bytes;
        strides[ndim++] = bytes;
    }
    return tni_array_make(view, array->buffer, array->offset, word_dtype(bytes), ndim, shape,
                          strides, true);
}

tn_status tni_words_open(tni_words *words, int count, const tn_array *const *arrays) {
    const int64_t bytes = word_bytes(count, arrays);
    tn_status status = TN_OK;
    memset(words, 0, sizeof *words);
    for (int k = 0; k < count && status == TN_OK; k++)
        if (arrays[k]) status = view_words(&words->views[k], arrays[k], bytes);
    if (status != TN_OK) tni_words_close(words);
    return status;
}

void tni_words_close(tni_words *words) {
    for (int k = 0; k < TNI_WORDS_MAX; k++) {
        tn_array_release(words->views[k]);
        words->views[k] = NULL;
    }
}
