/* The loops of sort_items.c for one KIND of item, of the type ITEM with the key KEY(item) of W
 * bits, of which those below LOW do not count; PLACE_FEW(to, other, from, n) sorts up to FEW items;
 * `from` is either of the other two. HELD items fill a vector of this level, 0: there are none;
 * DIVIDED is an attribute of a function that has their instructions, CAN_DIVIDE whether the
 * processor has them. Undefines all. */
#define NAME(what) TN_PASTE(TN_PASTE(what, _), KIND)

static uint64_t NAME(differ)(const void *items, int64_t n, const void *other) {
    const ITEM *a = items;
    const uint64_t one = KEY(*(const ITEM *)other);
    uint64_t bits = 0;
    for (int64_t i = 0; i < n; i++)
        bits |= KEY(a[i]) ^ one;
    return bits >> LOW << LOW;
}

static void NAME(count)(const void *items, int64_t n, int shift, int64_t *counts) {
    const ITEM *a = items;
    for (int64_t i = 0; i < n; i++)
        counts[KEY(a[i]) >> shift & (TNI_DIGITS - 1)]++;
}

static void NAME(move)(void *to, const void *items, int64_t n, int shift, int64_t *places) {
    const ITEM *a = items;
    ITEM *b = to;
    for (int64_t i = 0; i < n; i++)
        b[places[KEY(a[i]) >> shift & (TNI_DIGITS - 1)]++] = a[i];
}

/* Moves items by one digit; places[d] is then the end of those of digit d. */
static void NAME(split)(ITEM *to, const ITEM *items, int64_t n, int shift, int64_t *places) {
    memset(places, 0, TNI_DIGITS * sizeof *places);
    NAME(count)(items, n, shift, places);
    sum_counts(places);
    NAME(move)(to, items, n, shift, places);
}

/* The digits from the least on, to and fro. */
static void NAME(sort_by_digits)(ITEM *a, ITEM *b, int64_t n, bool to_spare, int low, int high) {
    int64_t places[TNI_DIGITS];
    ITEM *from = a, *to = b;
    for (int shift = low; shift <= high; shift += 8) {
        NAME(split)(to, from, n, shift, places);
        ITEM *old = from;
        from = to;
        to = old;
    }
    if (from != (to_spare ? b : a)) memcpy(to, from, (size_t)n * sizeof *a);
}

static void NAME(sort_by_radix)(void *items, void *spare, int64_t n, bool to_spare,
                                const tni_wanted *wanted) {
    ITEM *a = items, *b = spare;
    if (n <= FEW) {
        PLACE_FEW(to_spare ? b : a, to_spare ? a : b, a, (int)n);
        return;
    }
    const uint64_t bits = NAME(differ)(a, n, a);
    if (bits == 0) {
        if (to_spare) memcpy(b, a, (size_t)n * sizeof *a);
        return;
    }
    const int low = __builtin_ctzll(bits), high = 63 - __builtin_clzll(bits);
    const int passes = (high - low + 8) / 8;
    if (passes == 1 || (passes <= DIGIT_PASSES && n * (int64_t)sizeof *a <= CACHED_BYTES)) {
        NAME(sort_by_digits)(a, b, n, to_spare, low, high);
        return;
    }
    const int width = digit_width(n, FEW);
    const int shift = high - width + 1;
    /* Of a digit that is narrower the bits above are those that all keys share. */
    const int64_t first = (int64_t)(KEY(*a) >> shift & (TNI_DIGITS - 1)) >> width << width;
    int64_t ends[TNI_DIGITS];
    NAME(split)(b, a, n, shift, ends);
    for (int64_t digit = first, begin = 0; digit < first + (1 << width); begin = ends[digit++]) {
        const int64_t count = ends[digit] - begin;
        if (count == 0) continue;
        tni_wanted part;
        if (wanted) {
            part = *wanted;
            part.base += begin;
        }
        if (!wanted || is_wanted(&part, count))
            NAME(sort_by_radix)(b + begin, a + begin, count, !to_spare, wanted ? &part : NULL);
        else if (!to_spare)
            memcpy(a + begin, b + begin, (size_t)count * sizeof *a);
    }
}

#if HELD
#include "backend/host/loops/sort/sort_quick.h"
#define HALVE NAME(halve)
#else
#define HALVE NULL
#endif

static void NAME(sort)(void *items, void *spare, int64_t n, bool to_spare,
                       const tni_wanted *wanted) {
#if HELD
    if (CAN_DIVIDE) {
        NAME(quicksort)(items, spare, n, to_spare, wanted);
        return;
    }
#endif
    NAME(sort_by_radix)(items, spare, n, to_spare, wanted);
}

extern const tni_item_loops LEVEL(TN_PASTE(TN_PASTE(tni_, KIND), _loops));
const tni_item_loops LEVEL(TN_PASTE(TN_PASTE(tni_, KIND), _loops)) = {
    HALVE, NAME(differ), NAME(count), NAME(move), NAME(sort)};

#undef NAME
#undef KIND
#undef ITEM
#undef KEY
#undef LOW
#undef FEW
#undef DIGIT_PASSES
#undef PLACE_FEW
#undef W
#undef HELD
#undef HALVE
#undef DIVIDED
#undef CAN_DIVIDE
