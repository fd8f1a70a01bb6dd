/* The forms "compress", to = array[mask], and "expand", array[mask] = values, where the mask has the
 * array's shape. (A mask of fewer axes becomes indices: take and put.) */
#ifndef TNI_COMPRESS_H
#define TNI_COMPRESS_H

#include "core/index/index.h"
#include "core/index/nonzero.h"

typedef struct tni_compress {
    tni_mask mask;
    int64_t item_bytes;
    const char *from;
    int ndim; /* axes of `from`, collapsed, in order C: their product is mask.count */
    int64_t shape[TN_MAX_NDIM], strides[TN_MAX_NDIM];
    char *to; /* contiguous */
} tni_compress;

typedef struct tni_expand {
    tni_mask mask; /* offsets NULL: values_stride is 0 */
    int64_t item_bytes;
    char *to;
    int ndim;
    int64_t shape[TN_MAX_NDIM], strides[TN_MAX_NDIM];
    const char *values; /* NULL: the one value below */
    int64_t values_stride;
    _Alignas(16) unsigned char value[16];
} tni_expand;

#endif
