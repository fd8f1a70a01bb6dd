/* Quicksort of one KIND of item with the parameters of sort_items.h.
 *
 * A part lies in one of two rooms, `own`, and comes out in one of them. It is divided by a key:
 * what lies below goes to the room in which the part comes out, the rest to the other one, each in
 * its order, so that equal keys keep theirs. Both are divided again, each with what is left of the
 * other room as its second one. The key is of a sorted sample: the middle one, or where some ranks
 * are wanted, one that leaves little beside them. It is known between which keys a part lies: one
 * key alone needs no sorting. */
#define V TN_PASTE(vector_, W)
#define LOOSE TN_PASTE(loose_, W)
#define WORD TN_PASTE(TN_PASTE(uint, W), _t)
#define CUT(key) ((WORD)((key) >> LOW << LOW))
#define UNIT ((WORD)((WORD)1 << LOW))

/* How many keys lie below `split`. */
DIVIDED static int64_t NAME(divide)(ITEM *low, ITEM *high, const ITEM *from, int64_t n,
                                    WORD split) {
    const V bound = (V){0} + split;
    int64_t i = 0, below = 0;
    for (; i + HELD <= n; i += HELD) {
        const V v = *(const LOOSE *)(from + i);
        const uint32_t mask = NAME(below)(v, bound);
        *(LOOSE *)(low + below) = NAME(squeeze)(v, mask);
        *(LOOSE *)(high + (i - below)) = NAME(squeeze)(v, ~mask);
        below += __builtin_popcount(mask) / NAME(BITS);
    }
    for (; i < n; i++) {
        const ITEM item = from[i];
        low[below] = item;
        high[i - below] = item;
        below += KEY(item) < split;
    }
    return below;
}

/* Fills a sorted sample of the keys and returns its length. */
static int NAME(sample)(WORD *sample, const ITEM *from, int64_t n, int most) {
    const int count = n < 64 * most ? 8 : most;
    const int64_t apart = n / count;
    for (int k = 0; k < count; k++) /* at no even distance: keys may come in periods */
        sample[k] = CUT(KEY(from[k * apart + ((uint32_t)k * 40503u % 65536u * apart >> 16)]));
    TN_PASTE(network_, W)(sample, sample, count);
    return count;
}

static int64_t NAME(halve)(void *low, void *high, const void *items, int64_t n) {
    WORD sample[TNI_SAMPLE];
    const int count = NAME(sample)(sample, items, n, TNI_SAMPLE);
    return NAME(divide)(low, high, items, n, sample[count / 2]);
}

/* Which one of a sample of n keys divides: with one in sixteen of them to spare. */
static int NAME(choose)(int n, int64_t length, const tni_wanted *wanted) {
    if (!wanted) return n / 2;
    int64_t first = length, end = 0;
    for (int k = 0; k < wanted->count; k++) {
        const int64_t from = wanted->ranges[k].first - wanted->base,
                      to = wanted->ranges[k].end - wanted->base;
        if (from >= length || to <= 0) continue;
        if (from < first) first = from > 0 ? from : 0;
        if (to > end) end = to < length ? to : length;
    }
    const int64_t above = end * n / length + 1 + n / 16, below = first * n / length - n / 16;
    if (above < n && length - end >= first) return (int)above;
    return below > 0 && first > length - end ? (int)below : n / 2;
}

static void NAME(sort_part)(ITEM *own, ITEM *other, int64_t n, bool to_other, WORD least, WORD most,
                            int depth, const tni_wanted *wanted) {
    tni_wanted here = wanted ? *wanted : (tni_wanted){0};
    for (;; depth--) {
        ITEM *out = to_other ? other : own, *rest = to_other ? own : other;
        if (n <= FEW) {
            PLACE_FEW(out, rest, own, (int)n);
            return;
        }
        WORD sample[TNI_SAMPLE];
        const int count = NAME(sample)(sample, own, n, wanted ? TNI_SAMPLE : TNI_SAMPLE / 4);
        const bool is_one =
            least == most || (sample[0] == sample[count - 1] && NAME(differ)(own, n, own) == 0);
        if (is_one || (wanted && !is_wanted(&here, n))) {
            if (to_other) memcpy(other, own, (size_t)n * sizeof *own);
            return;
        }
        if (depth == 0) {
            NAME(sort_by_radix)(own, other, n, to_other, wanted ? &here : NULL);
            return;
        }
        WORD split = sample[NAME(choose)(count, n, wanted ? &here : NULL)];
        if (split == sample[0] && split < most) split += UNIT; /* it may be the least */
        const int64_t below = NAME(divide)(out, rest, own, n, split);
        if (below > 0) NAME(sort_part)
        (out, rest + (n - below), below, false, least, (WORD)(split - UNIT), depth - 1,
         wanted ? &here : NULL);
        own = rest;
        other = out + below;
        to_other = true;
        n -= below;
        least = split;
        here.base += below;
        if (n == 0) return;
    }
}

static void NAME(quicksort)(void *items, void *spare, int64_t n, bool to_spare,
                            const tni_wanted *wanted) {
    const int depth = 2 * (64 - __builtin_clzll((uint64_t)n));
    NAME(sort_part)(items, spare, n, to_spare, 0, CUT((WORD) ~(WORD)0), depth, wanted);
}

#undef V
#undef LOOSE
#undef WORD
#undef CUT
#undef UNIT
