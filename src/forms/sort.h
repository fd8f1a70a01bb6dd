/* The forms of the family "sort". Addresses, shapes and strides (bytes) are resolved, access is
 * ordered, and an output coincides exactly with its input or lies apart from it.
 *
 * The order of elements: NaN is the largest value, -0 equals 0, complex numbers compare by their
 * real and then their imaginary part, those with a NaN after the others. */
#ifndef TNI_FORMS_SORT_H
#define TNI_FORMS_SORT_H

#include "forms/line.h"

#include <stdbool.h>

enum {
    TNI_SORT_RANGES = 8,      /* of ranks that a call may ask for */
    TNI_SORT_BYTES = 256,     /* rows of this length and more are counted if elements are bytes */
    TNI_SORT_WORDS = 1 << 20, /* and of this length if they are two */
    TNI_SORT_LONG = 1 << 15   /* rows of others get a workspace from this length on */
};

/* Ranks from `first` to before `end`. */
typedef struct tni_ranks {
    int64_t first, end;
} tni_ranks;

/* output[kept, i] = the element of rank i of input[kept, :], or (gives_positions) its i64 position
 * there, for all ranks in the given ranges. The other ranks of a row hold the other elements, each
 * on its side of the ranges. Positions of equal elements ascend; elements keep that order if
 * is_stable, which matters to -0 and 0 alone. `length` and `size` (of kept) are at least 1. */
typedef struct tni_sort {
    tn_dtype dtype; /* of the input, and of an output of elements */
    bool gives_positions, is_descending, is_stable;
    TNI_LINE;
    int range_count;
    tni_ranks ranges[TNI_SORT_RANGES]; /* ascending, apart from each other, not empty */
    char *workspace;                   /* aligned to 64; NULL where tni_sort_workspace is 0, and
                                          on backends that take none */
} tni_sort;

/* An item is what is moved while a row is sorted: a key, or a key with a position. */
typedef enum tni_item_kind {
    TNI_ITEM_KEY2,
    TNI_ITEM_KEY4,
    TNI_ITEM_KEY8,
    TNI_ITEM_PACKED,
    TNI_ITEM_PAIR
} tni_item_kind;

/* Complex numbers, and zeros that keep their order, are sorted by position and then gathered. */
static inline bool tni_sort_gathers(const tni_sort *call) {
    bool is_complex = call->dtype == TN_C64 || call->dtype == TN_C128;
    return !call->gives_positions && (is_complex || (call->is_stable && call->dtype >= TN_F16));
}

static inline tni_item_kind tni_sort_item_kind(const tni_sort *call) {
    int64_t bytes = tn_dtype_size(call->dtype);
    if (call->gives_positions || tni_sort_gathers(call))
        return bytes <= 4 && call->length <= UINT32_MAX ? TNI_ITEM_PACKED : TNI_ITEM_PAIR;
    return bytes <= 2 ? TNI_ITEM_KEY2 : bytes == 4 ? TNI_ITEM_KEY4 : TNI_ITEM_KEY8;
}

static inline int64_t tni_item_bytes(tni_item_kind kind) {
    return kind == TNI_ITEM_KEY2 ? 2 : kind == TNI_ITEM_KEY4 ? 4 : kind == TNI_ITEM_PAIR ? 16 : 8;
}

/* Elements of few bits, and many of them, are counted: equal ones need not be distinguished. */
static inline bool tni_sort_counts(const tni_sort *call) {
    int64_t bytes = tn_dtype_size(call->dtype);
    if (call->gives_positions || tni_sort_gathers(call)) return false;
    return bytes == 1 ? call->length >= TNI_SORT_BYTES
                      : bytes == 2 && call->length >= TNI_SORT_WORDS;
}

/* Bytes of workspace: two rows of items, none where elements are counted. */
static inline int64_t tni_sort_workspace(const tni_sort *call) {
    if (call->length < TNI_SORT_LONG || tni_sort_counts(call)) return 0;
    return 2 * ((call->length * tni_item_bytes(tni_sort_item_kind(call)) + 127) & -64);
}

/* output[kept] (i64) = how many of the `length` sorted elements are less (is_right: less or equal)
 * than values[kept]. All of one dtype; `length` may be 0. */
typedef struct tni_searchsorted {
    tn_dtype dtype;
    bool is_right;
    char *output;
    const char *sorted, *values;
    int64_t length, sorted_stride;
    int ndim;
    int64_t size;
    int64_t shape[TN_MAX_NDIM], output_strides[TN_MAX_NDIM], value_strides[TN_MAX_NDIM];
} tni_searchsorted;

#endif
