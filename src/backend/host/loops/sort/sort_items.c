/* Sorting items.
 *
 * On a level with vectors few items go through a sorting network in registers, and more are divided
 * by quicksort until they are few. If that makes no headway, and on other levels, they are split by
 * the topmost digit in which their keys differ, digit by digit until they are few (then they are
 * inserted one by one or merged) or lie in the cache, where going through all digits from the least
 * on is faster if those are not many. A digit has 8 bits, or fewer where that is enough. Items with
 * a position keep their order where keys are equal: dividing and splitting do, and networks compare
 * the position below the key. */
#include "backend/host/loops/entry.h"
#include "backend/host/loops/sort/sort_loops.h"

#ifdef __AVX2__
#include "backend/host/loops/sort/sort_vectors.h"
#else
#define INLINE static inline __attribute__((always_inline))
#endif

#include <string.h>

enum { CACHED_BYTES = 256 << 10 };

/* Counts become places. */
INLINE void sum_counts(int64_t *counts) {
    int64_t sum = 0;
    for (int digit = 0; digit < TNI_DIGITS; digit++) {
        int64_t count = counts[digit];
        counts[digit] = sum;
        sum += count;
    }
}

/* Bits of the topmost digit: little more than few items need not become many parts. */
INLINE int digit_width(int64_t n, int64_t few) {
    return n < 2 * few ? 3 : 8;
}

static bool is_wanted(const tni_wanted *wanted, int64_t n) {
    for (int k = 0; k < wanted->count; k++)
        if (wanted->ranges[k].first < wanted->base + n && wanted->base < wanted->ranges[k].end)
            return true;
    return false;
}

#define INSERT(suffix, type, KEY)                                                                  \
    static void insert_##suffix(type *to, const type *from, int n) {                               \
        for (int i = 0; i < n; i++) {                                                              \
            const type item = from[i];                                                             \
            int at = i;                                                                            \
            for (; at > 0 && KEY(to[at - 1]) > KEY(item); at--)                                    \
                to[at] = to[at - 1];                                                               \
            to[at] = item;                                                                         \
        }                                                                                          \
    }

#define ITSELF(item) (item)
#define KEY_OF_PAIR(item) ((item).key)

typedef uint16_t item_2 __attribute__((may_alias));
typedef uint32_t item_4 __attribute__((may_alias));
typedef uint64_t item_8 __attribute__((may_alias));
typedef struct item_16 {
    uint64_t key, position;
} __attribute__((may_alias)) item_16;

#ifdef __AVX2__
#define W 16
#include "backend/host/loops/sort/sort_network.h"
#define W 32
#include "backend/host/loops/sort/sort_network.h"
#define W 64
#include "backend/host/loops/sort/sort_network.h"
#define PLACE_2(to, other, from, n) network_16(to, from, n)
#define PLACE_4(to, other, from, n) network_32(to, from, n)
#define PLACE_8(to, other, from, n) network_64(to, from, n)
/* The larger networks of AVX2 take as long as dividing once more. */
enum {
    FEW_VECTORS = TNI_NETWORK_VECTORS * (VECTOR_BYTES / 32),
    FEW_2 = FEW_VECTORS * LANES_16,
    FEW_4 = FEW_VECTORS * LANES_32,
    FEW_8 = FEW_VECTORS * LANES_64
};
#else
INSERT(2, item_2, ITSELF)
INSERT(4, item_4, ITSELF)
INSERT(8, item_8, ITSELF)
#define PLACE_2(to, other, from, n) insert_2(to, from, n)
#define PLACE_4(to, other, from, n) insert_4(to, from, n)
#define PLACE_8(to, other, from, n) insert_8(to, from, n)
enum { FEW_2 = 40, FEW_4 = 40, FEW_8 = 40 };
#endif
INSERT(16, item_16, KEY_OF_PAIR)

/* Few pairs: runs that are inserted, then merged two by two, to and fro. */
enum { RUN = 16 };

static void merge_runs(item_16 *to, const item_16 *a, const item_16 *b, const item_16 *end) {
    const item_16 *middle = b;
    while (a < middle && b < end) {
        const bool is_second = b->key < a->key;
        *to++ = is_second ? *b : *a;
        b += is_second;
        a += !is_second;
    }
    memcpy(to, a, (size_t)(middle - a) * sizeof *a);
    memcpy(to + (middle - a), b, (size_t)(end - b) * sizeof *b);
}

static void merge_sort(item_16 *to, item_16 *other, const item_16 *from, int n) {
    bool is_swapped = false;
    for (int width = RUN; width < n; width *= 2)
        is_swapped = !is_swapped;
    item_16 *now = is_swapped ? other : to, *next = is_swapped ? to : other;
    for (int at = 0; at < n; at += RUN)
        insert_16(now + at, from + at, n - at < RUN ? n - at : RUN);
    for (int width = RUN; width < n; width *= 2) {
        for (int at = 0; at < n; at += 2 * width) {
            const int middle = at + width < n ? at + width : n,
                      end = middle + width < n ? middle + width : n;
            merge_runs(next + at, now + at, now + middle, now + end);
        }
        item_16 *old = now;
        now = next;
        next = old;
    }
}

#ifdef __AVX2__
/* Through a network of the upper bits in which keys differ, with places below; merged if these bits
 * do not tell all apart. */
enum { FEW_PAIRS = FEW_8 };
static void place_pairs(item_16 *to, item_16 *other, const item_16 *from, int n) {
    uint64_t places[FEW_PAIRS] = {0}, bits = 0;
    for (int i = 1; i < n; i++)
        bits |= from[i].key ^ from[0].key;
    const int common = bits ? __builtin_clzll(bits) : 0;
    for (int i = 0; i < n; i++)
        places[i] = (from[i].key << common & -(uint64_t)FEW_PAIRS) | (uint64_t)i;
    network_64(places, places, n);
    item_16 *sorted = to == from ? other : to;
    bool is_sorted = true;
    for (int i = 0; i < n; i++) {
        sorted[i] = from[places[i] % FEW_PAIRS];
        is_sorted &= i == 0 || sorted[i - 1].key <= sorted[i].key;
    }
    if (!is_sorted)
        merge_sort(to, other, from, n);
    else if (sorted != to)
        memcpy(to, sorted, (size_t)n * sizeof *to);
}
#else
#define HELD_2 0
#define LANES_32 0
#define LANES_64 0
#define COMPRESSES_2
enum { FEW_PAIRS = 512 };
#define place_pairs merge_sort
#endif

/* --- By kind --- */

#define KIND key2
#define ITEM item_2
#define KEY ITSELF
#define W 16
#define LOW 0
#define FEW FEW_2
#define DIGIT_PASSES 2
#define PLACE_FEW PLACE_2
#define HELD HELD_2
#define DIVIDED COMPRESSES_2
#define CAN_DIVIDE __builtin_cpu_supports("avx512vbmi2")
#include "backend/host/loops/sort/sort_items.h"

#define KIND key4
#define ITEM item_4
#define KEY ITSELF
#define W 32
#define LOW 0
#define FEW FEW_4
#define DIGIT_PASSES 4
#define PLACE_FEW PLACE_4
#define HELD LANES_32
#define DIVIDED
#define CAN_DIVIDE true
#include "backend/host/loops/sort/sort_items.h"

#define KIND key8
#define ITEM item_8
#define KEY ITSELF
#define W 64
#define LOW 0
#define FEW FEW_8
#define DIGIT_PASSES 8
#define PLACE_FEW PLACE_8
#define HELD LANES_64
#define DIVIDED
#define CAN_DIVIDE true
#include "backend/host/loops/sort/sort_items.h"

#define KIND packed
#define ITEM item_8
#define KEY ITSELF
#define W 64
#define LOW 32
#define FEW FEW_8
#define DIGIT_PASSES 8
#define PLACE_FEW PLACE_8
#define HELD LANES_64
#define DIVIDED
#define CAN_DIVIDE true
#include "backend/host/loops/sort/sort_items.h"

#define KIND pair
#define ITEM item_16
#define KEY KEY_OF_PAIR
#define W 64
#define LOW 0
#define FEW FEW_PAIRS
#define DIGIT_PASSES 8
#define PLACE_FEW place_pairs
#define HELD (LANES_64 / 2)
#define DIVIDED
#define CAN_DIVIDE true
#include "backend/host/loops/sort/sort_items.h"
