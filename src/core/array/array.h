/* Inside of buffers and arrays, and the one door to storage.
 *
 * Only core/memory/buffer.c and core/array/array.c read `data` of a buffer. Everyone else asks the door,
 * tni_array_access(), which says on which stream the elements will be read or written, orders that
 * stream after earlier users on other streams, and gives the address. */
#ifndef TNI_ARRAY_H
#define TNI_ARRAY_H

#include "core/base/alloc.h"
#include "core/base/error.h"
#include "core/stream/stream.h"

#include <tenorite/linalg.h>

#include <tenorite/array.h>

struct
    tni_buffer_users; /* streams other than `home` that used the buffer; core/memory/buffer_users.h */

struct tn_buffer {
    atomic_int references;
    tn_device device;
    void *data;
    int64_t bytes;
    _Atomic(uint64_t) home; /* the number of the stream it was made for; 0 for unowned memory */
    _Atomic(struct tni_buffer_users *) users;
    tn_allocator allocator; /* where the memory goes back to; allocate NULL: unowned */
    void (*release)(void *context);
    void *release_context;
};

static inline uint64_t tni_buffer_home(const tn_buffer *buffer) {
    return atomic_load_explicit(&buffer->home, memory_order_relaxed);
}

/* ALIGNED: the address and all strides are multiples of the element's size. */
enum { TNI_C_CONTIGUOUS = 1, TNI_F_CONTIGUOUS = 2, TNI_WRITEABLE = 4, TNI_ALIGNED = 8 };

struct tn_array {
    atomic_int references;
    int8_t dtype;
    uint8_t ndim;
    uint8_t flags;
    tn_buffer *buffer;
    int64_t offset; /* bytes to the first element */
    int64_t size;   /* elements */
    int64_t dims[]; /* shape, then strides in bytes */
};

/* tn_dtype_size() of a dtype that is one. */
static inline int64_t tni_dtype_size(int dtype) {
    static const int8_t sizes[TN_DTYPE_COUNT] = {
#define DTYPE(suffix, storage, working, kind, bytes, character, name) bytes,
#include "ops/dtypes.def"
    };
    return sizes[dtype];
}

static inline const int64_t *tni_shape(const tn_array *array) {
    return array->dims;
}
static inline const int64_t *tni_strides(const tn_array *array) {
    return array->dims + array->ndim;
}

typedef enum tni_access { TNI_READ, TNI_WRITE, TNI_READ_WRITE } tni_access;

/* The door. `stream` is not NULL; `address` receives the first element's address. */
tn_status tni_array_access(void **address, const tn_array *array, tni_access access,
                           tn_stream *stream);

/* A view with everything given and nothing checked; retains the buffer. Flags are computed. */
tn_status tni_array_make(tn_array **result, tn_buffer *buffer, int64_t offset, tn_dtype dtype,
                         int ndim, const int64_t *shape, const int64_t *strides, bool writeable);

/* A fresh array whose axes lie in memory in this order, slowest first. `stream` is not NULL. */
tn_status tni_array_new_ordered(tn_array **result, tn_dtype dtype, int ndim, const int64_t *shape,
                                const int *order, tn_stream *stream);

/* The public check under an internal name. */
static inline tn_status tni_axis_check(int *axis, int ndim) {
    return tn_axis_check(axis, ndim);
}

/* The device shared by all (NULL entries are skipped), else TN_ERROR_VALUE naming both. */
tn_status tni_device_common(tn_device *device, int count, const tn_array *const *arrays);

/* "exact same view or no overlap at all" is what loops need of an output and an input. */
typedef enum tni_overlap { TNI_OVERLAP_NONE, TNI_OVERLAP_EXACT, TNI_OVERLAP_PARTIAL } tni_overlap;
tni_overlap tni_array_overlap(const tn_array *output, const tn_array *input);

#endif
