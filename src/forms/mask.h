/* The forms of masks: "nonzero" (how many elements are true, and where), "compress", to =
 * array[mask], and "expand", array[mask] = values, where the mask has the array's shape. (A mask of
 * fewer axes becomes indices: take and put.)
 *
 * A mask is counted in blocks of TNI_MASK_BLOCK elements in order C; offsets[b] is the number of
 * true elements before block b, and the last offset their total. With it every block knows where in
 * the result its elements go, so blocks are independent. */
#ifndef TNI_FORMS_MASK_H
#define TNI_FORMS_MASK_H

#include <tenorite/index.h>

enum { TNI_MASK_BLOCK = 4096 };

typedef struct tni_mask {
    const unsigned char *data; /* contiguous, order C */
    int64_t count;
    int64_t *offsets; /* on the device: blocks + 1 */
} tni_mask;

static inline int64_t tni_mask_blocks(int64_t count) {
    return (count + TNI_MASK_BLOCK - 1) / TNI_MASK_BLOCK;
}

/* The form "nonzero": first the counts, then, with them, the coordinates. */
typedef struct tni_nonzero {
    tni_mask mask;
    bool is_counting;           /* fill mask.offsets and do nothing else */
    int ndim;                   /* coordinates to write */
    int64_t shape[TN_MAX_NDIM]; /* of the mask */
    int64_t *to[TN_MAX_NDIM];   /* one output per axis, */
    int64_t to_stride;          /* in elements */
} tni_nonzero;

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
