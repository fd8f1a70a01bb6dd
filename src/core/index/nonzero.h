/* Masks that were counted, and the places of their true elements. */
#ifndef TNI_NONZERO_H
#define TNI_NONZERO_H

#include "core/array/array.h"
#include "forms/mask.h"

#include <tenorite/index.h>

/* A mask that was counted: `data` holds a contiguous mask, `offsets` the counts. */
typedef struct tni_counted {
    tn_array *data;
    tn_buffer *offsets;
    tni_mask mask;
    int64_t total; /* only if it was waited for */
} tni_counted;

/* Counts an array's elements that are not zero. `wait`: for `total` too. */
tn_status tni_counted_init(tni_counted *counted, const tn_array *array, bool wait,
                           tn_stream *stream);
void tni_counted_deinit(tni_counted *counted);

/* The coordinates along all axes (outputs of ndim arrays), or one array of flat indexes. */
tn_status tni_nonzero_flat(tn_array **result, const tn_array *array, tn_stream *stream);

#endif
