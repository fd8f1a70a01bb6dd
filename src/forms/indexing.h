/* The forms "take" and "put": elements by integer indices along one axis.
 *
 * An *array* walked along one axis by an array of indices, beside a *dense* array that has
 * the indices' places in that axis' stead. Axes before the indexed one are outer, those after it
 * inner; each group is collapsed on its own, the indices are one axis. Element by element
 *
 *     dense[outer, j, inner]  <->  array[outer, indices[j], inner]
 */
#ifndef TNI_FORMS_INDEXING_H
#define TNI_FORMS_INDEXING_H

#include <tenorite/index.h>

typedef struct tni_indexing {
    int64_t item_bytes;
    char *array;
    int64_t axis_size, axis_stride;
    char *dense;
    int64_t dense_stride; /* from one index to the next */
    const char *indices;
    tn_dtype index_dtype; /* any integer; u64 is read as i64 */
    int64_t index_count, index_stride;
    tn_index_mode mode;
    int axis; /* for messages */
    int outer_ndim, ndim;
    int64_t shape[TN_MAX_NDIM]; /* outer, then inner axes */
    int64_t array_strides[TN_MAX_NDIM], dense_strides[TN_MAX_NDIM];
} tni_indexing;

/* An index, aligned, of any integer dtype; u64 is read as i64. */
static inline int64_t tni_index_read(tn_dtype dtype, const void *at) {
    switch (dtype) {
    case TN_I8: return *(const int8_t *)at;
    case TN_U8: return *(const uint8_t *)at;
    case TN_I16: return *(const int16_t *)at;
    case TN_U16: return *(const uint16_t *)at;
    case TN_I32: return *(const int32_t *)at;
    case TN_U32: return *(const uint32_t *)at;
    default: return *(const int64_t *)at;
    }
}

/* The form "take": dense = array[indices]. */
typedef struct tni_take {
    tni_indexing form;
    bool is_fresh; /* dense is new memory: it may be written before a bad index is found */
} tni_take;

/* The form "put": array[indices] = dense. */
typedef struct tni_put {
    tni_indexing form; /* dense NULL: the one value below, and all dense strides are 0 */
    _Alignas(16) unsigned char value[16];
} tni_put;

#endif
