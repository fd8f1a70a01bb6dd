/* Inner loops of indexing: what one instruction-set level offers, in three tables.
 *
 * Tables by item size have an entry for 1, 2, 4, 8 and 16 bytes (tni_item_class). Addresses need no
 * alignment. All strides and offsets are in bytes. */
#ifndef TNI_INDEX_LOOPS_H
#define TNI_INDEX_LOOPS_H

#include "forms/arange.h"
#include "forms/indexing.h"

enum { TNI_ITEM_CLASSES = 5 };

/* index_moves.c: integer indices. */
typedef struct tni_move_loops {
    /* offsets[j] = index j, made valid as `mode` says, x axis_stride. True if an index is out of
     * bounds (TN_INDEX_RAISE); offsets mean nothing then. NULL for dtypes that can't index. */
    bool (*resolve[TN_DTYPE_COUNT])(int64_t *offsets, const char *indices, int64_t index_stride,
                                    int64_t count, int64_t axis_size, int64_t axis_stride,
                                    tn_index_mode mode);
    /* to[j * to_stride] = from[offsets[j]], and to[offsets[j]] = from[j * from_stride] in order. */
    void (*gather[TNI_ITEM_CLASSES])(char *to, int64_t to_stride, const char *from,
                                     const int64_t *offsets, int64_t count);
    void (*scatter[TNI_ITEM_CLASSES])(char *to, const int64_t *offsets, const char *from,
                                      int64_t from_stride, int64_t count);
    /* gather where most items are not in the cache, to contiguous places; and the same from
     * contiguous i64 indices of contiguous items, to[j] = from[index j], true if one is out of
     * bounds. NULL where there is nothing better. */
    void (*gather_far[TNI_ITEM_CLASSES])(char *to, const char *from, const int64_t *offsets,
                                         int64_t count);
    bool (*take_far[TNI_ITEM_CLASSES])(char *to, const char *from, const char *indices,
                                       int64_t count, int64_t axis_size);
    /* gather and scatter for runs of `bytes` bytes. */
    void (*gather_runs)(char *to, int64_t to_stride, const char *from, const int64_t *offsets,
                        int64_t count, int64_t bytes);
    void (*scatter_runs)(char *to, const int64_t *offsets, const char *from, int64_t from_stride,
                         int64_t count, int64_t bytes);
} tni_move_loops;

/* index_masks.c: bytes that are 0 or not. */
typedef struct tni_mask_loops {
    /* How many are not 0. */
    int64_t (*count)(const unsigned char *mask, int64_t count);
    /* Appends the elements whose mask is true to [to, end) and gives the place after them; nothing
     * at or after `end` is written. */
    char *(*compress[TNI_ITEM_CLASSES])(char *to, char *end, const char *from, int64_t from_stride,
                                        const unsigned char *mask, int64_t count);
    /* Hands the next value to each element whose mask is true; gives the next value not used. */
    const char *(*expand[TNI_ITEM_CLASSES])(char *to, int64_t to_stride, const unsigned char *mask,
                                            int64_t count, const char *values,
                                            int64_t values_stride);
    /* The same with one value for all. */
    void (*expand_one[TNI_ITEM_CLASSES])(char *to, int64_t to_stride, const unsigned char *mask,
                                         int64_t count, const char *value);
    /* Appends first + (the position of each true byte) to [to, end), as above. */
    int64_t *(*positions)(int64_t *to, int64_t *end, const unsigned char *mask, int64_t count,
                          int64_t first);
    /* positions[j] = positions[j] / size, and the remainder to to[j * to_stride] (in elements). */
    void (*divide)(int64_t *positions, int64_t count, int64_t size, int64_t *to, int64_t to_stride);
} tni_mask_loops;

/* index_fills.c: elements first, first + 1, ... of a range, contiguous. */
typedef struct tni_fill_loops {
    void (*arange[TN_DTYPE_COUNT])(char *to, int64_t first, int64_t count, const tni_arange *range);
    void (*linspace[TN_DTYPE_COUNT])(char *to, int64_t first, int64_t count,
                                     const tni_arange *range); /* f64 and c128 */
} tni_fill_loops;

/* The entry of an item size that is a power of two up to 16; -1 for others. */
static inline int tni_item_class(int64_t bytes) {
    switch (bytes) {
    case 1: return 0;
    case 2: return 1;
    case 4: return 2;
    case 8: return 3;
    case 16: return 4;
    default: return -1;
    }
}

/* Items by size, at any address. */
typedef uint8_t tni_item1 __attribute__((may_alias));
typedef uint16_t tni_item2 __attribute__((may_alias, aligned(1)));
typedef uint32_t tni_item4 __attribute__((may_alias, aligned(1)));
typedef uint64_t tni_item8 __attribute__((may_alias, aligned(1)));
typedef uint64_t tni_item16 __attribute__((vector_size(16), may_alias, aligned(1)));

#endif
