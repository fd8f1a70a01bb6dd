/* Inner loops of sorting: what one instruction-set level offers.
 *
 * Elements become items, whose keys are unsigned integers in the order of the elements
 * (sort_keys.h). All strides are in bytes. */
#ifndef TNI_SORT_LOOPS_H
#define TNI_SORT_LOOPS_H

#include "forms/sort.h"

enum { TNI_ITEM_KINDS = 5, TNI_DIGITS = 256 };

/* A key of 8 bytes with the position of its element. An item that is packed has a key of 4 bytes
 * above a position of 4 in one integer. */
typedef struct tni_pair {
    uint64_t key, position;
} tni_pair;

/* Which ranks of a row are wanted, and the rank of the first item at hand. NULL in place of it:
 * all. */
typedef struct tni_wanted {
    const tni_ranks *ranges;
    int count;
    int64_t base;
} tni_wanted;

/* By kind of item. */
typedef struct tni_item_loops {
    /* Brings those of n items that are below some key to the start of `low` and the others to that
     * of `high`, in their order, and returns how many are below; `items` is one of both. NULL:
     * sorting by digits is faster. */
    int64_t (*halve)(void *low, void *high, const void *items, int64_t n);
    /* The bits in which keys differ from that of `other`. */
    uint64_t (*differ)(const void *items, int64_t n, const void *other);
    /* counts[d] += how many keys have the digit d = key >> shift & 255. */
    void (*count)(const void *items, int64_t n, int shift, int64_t *counts);
    /* to[places[d]++] = each item of digit d, in their order. */
    void (*move)(void *to, const void *items, int64_t n, int shift, int64_t *places);
    /* Sorts items in place, or (to_spare) into the spare room for n of them. */
    void (*sort)(void *items, void *spare, int64_t n, bool to_spare, const tni_wanted *wanted);
} tni_item_loops;

/* By dtype. `step` is 0; c128 alone has a second one, 1. */
typedef struct tni_key_loops {
    /* Items of n elements, the first of which stands at position `first`; `flip`: in descending
     * order. Step 1 renews the keys of items by the positions that they hold, from an input that
     * begins at position 0. */
    void (*load[TNI_ITEM_KINDS])(void *items, const char *from, int64_t stride, int64_t n,
                                 int64_t first, bool flip, int step);
    /* Elements of keys alone; may be in place where an element has the bytes of an item. NULL:
     * none. */
    void (*store)(char *to, int64_t stride, const void *items, int64_t n, bool flip);
    /* Elements at the positions that items hold, contiguous. */
    void (*gather[TNI_ITEM_KINDS])(char *to, const void *items, int64_t n, const char *from,
                                   int64_t stride);
    /* 1: the elements are in order already; -1: the other way round, no two of them equal; 0:
     * neither. */
    int (*order)(const char *from, int64_t stride, int64_t n, bool flip);
    /* Whether there are both -0 and 0. NULL: never. */
    bool (*has_zeros)(const char *from, int64_t stride, int64_t n);
    /* n places in `length` sorted elements for values; see tni_searchsorted. */
    void (*search)(char *to, int64_t to_stride, const char *values, int64_t value_stride, int64_t n,
                   const char *sorted, int64_t sorted_stride, int64_t length, bool is_right);
} tni_key_loops;

typedef struct tni_sort_loops {
    const tni_item_loops *items[TNI_ITEM_KINDS];
    /* The positions that items hold, as i64. */
    void (*positions[TNI_ITEM_KINDS])(char *to, int64_t stride, const void *items, int64_t n);
    const tni_key_loops *keys; /* by dtype */
} tni_sort_loops;

#endif
