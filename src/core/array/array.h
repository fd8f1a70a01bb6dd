/* Inside of arrays, and the one door to their elements.
 *
 * Only core/memory/buffer.c and core/array/array.c read `data` of a buffer. All other code asks the
 * door, tni_array_access(): its caller says on which stream the elements will be read or written;
 * the door orders that stream after earlier users on other streams, and gives the address. */
#ifndef TNI_ARRAY_H
#define TNI_ARRAY_H

#include "core/array/dtype.h"
#include "core/base/alloc.h"
#include "core/base/error.h"
#include "core/memory/buffer.h"

#include <tenorite/array.h>

/* ALIGNED: the address and all strides are multiples of the element's size. Elements that are only
 * stored never are: what looks no further than this flag does not take them for numbers. */
enum { TNI_C_CONTIGUOUS = 1, TNI_F_CONTIGUOUS = 2, TNI_WRITEABLE = 4, TNI_ALIGNED = 8 };

struct tn_array {
    atomic_int references;
    int16_t dtype;
    uint8_t ndim;
    uint8_t flags;
    tn_buffer *buffer;
    int64_t offset; /* bytes to the first element */
    int64_t size;   /* elements */
    int64_t dims[]; /* shape, then strides in bytes */
};

static inline const int64_t *tni_shape(const tn_array *array) {
    return array->dims;
}
static inline const int64_t *tni_strides(const tn_array *array) {
    return array->dims + array->ndim;
}

/* The door. `stream` is not NULL; `address` receives the first element's address. */
static inline tn_status tni_array_access(void **address, const tn_array *array, tni_access access,
                                         tn_stream *stream) {
    void *data;
    TNI_TRY(tni_buffer_access(&data, array->buffer, access, stream));
    *address = (char *)data + array->offset;
    return TN_OK;
}

/* A view with everything given and nothing checked; retains the buffer. Flags are computed. */
tn_status tni_array_make(tn_array **result, tn_buffer *buffer, int64_t offset, tn_dtype dtype,
                         int ndim, const int64_t *shape, const int64_t *strides, bool writeable);

/* Ends a function that made an array: it becomes the result, or is released where the function
 * failed. Returns the status. */
static inline tn_status tni_array_deliver(tn_array **result, tn_array *made, tn_status status) {
    if (status == TN_OK)
        *result = made;
    else
        tn_array_release(made);
    return status;
}

/* A fresh array without axes, of a dtype that is valid. `stream` is not NULL. */
tn_status tni_array_new_element(tn_array **result, tn_dtype dtype, tn_stream *stream);

/* A fresh array whose axes lie in memory in this order, slowest first. `stream` is not NULL. */
tn_status tni_array_new_ordered(tn_array **result, tn_dtype dtype, int ndim, const int64_t *shape,
                                const int *order, tn_stream *stream);

/* TN_ERROR_VALUE for an array that is read-only, as the destination of an assignment. */
tn_status tni_array_check_writeable(const tn_array *array);

/* TN_ERROR_TYPE for elements that are only stored (tn_dtype_new), with which nothing computes. What
 * opens its operands (elementwise/operands.h) gets it there, too. */
tn_status tni_array_check_numbers(const tn_array *array);

/* The device shared by all (NULL entries are skipped), else TN_ERROR_VALUE naming both. */
tn_status tni_device_common(tn_device *device, int count, const tn_array *const *arrays);

/* Like tn_array_may_overlap(), but false for arrays that lie in each other's gaps, too, as columns
 * of one matrix and the parts of complex numbers do. */
bool tni_array_may_meet(const tn_array *a, const tn_array *b);

/* Whether elements of one array may share bytes, as those of a window that slides do: false where
 * each stride is beyond what lies within the shorter ones. */
bool tni_array_may_repeat(const tn_array *array);

/* "exact same view or no overlap at all" is what loops need of an output and an input. A view whose
 * elements may share bytes is not exact: what was written would be read again. */
typedef enum tni_overlap { TNI_OVERLAP_NONE, TNI_OVERLAP_EXACT, TNI_OVERLAP_PARTIAL } tni_overlap;
tni_overlap tni_array_overlap(const tn_array *output, const tn_array *input);

#endif
