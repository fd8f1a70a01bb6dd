/* The loops of pooling_loops.h for one working type: a part of pooling_loops.c, which defines W, an
 * integer BITS of its size and SUFFIX, which this file undefines. */
#define NAME(name) TN_PASTE(name##_, SUFFIX)
#define VECTOR NAME(vector)
#define MASK NAME(mask)
#define LANES ((int64_t)(VECTOR_BYTES / sizeof(W)))

typedef W VECTOR __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(W)), may_alias));
typedef BITS MASK __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(W)), may_alias));

INLINE VECTOR NAME(at)(const W *from) {
    return *(const VECTOR *)(const void *)from;
}
INLINE VECTOR NAME(all)(W value) {
    return value - (VECTOR){0};
}
INLINE VECTOR NAME(choose)(MASK takes, VECTOR a, VECTOR b) {
    return (VECTOR)(((MASK)a & takes) | ((MASK)b & ~takes));
}
INLINE VECTOR NAME(step_largest)(VECTOR best, VECTOR value) {
    return NAME(choose)(value > best, value, best);
}
INLINE VECTOR NAME(step_largest_or_nan)(VECTOR best, VECTOR value) {
    return NAME(choose)((value > best) | (value != value), value, best);
}
INLINE VECTOR NAME(step_sum)(VECTOR sum, VECTOR value) {
    return sum + value;
}

/* Results of `vectors` vectors of places. */
#define FOLD_BLOCK(name)                                                                           \
    INLINE void NAME(block_##name)(W * to, const tni_pooling_run *run, int64_t place,              \
                                   VECTOR first, int vectors) {                                    \
        VECTOR results[VECTORS];                                                                   \
        for (int v = 0; v < vectors; v++)                                                          \
            results[v] = first;                                                                    \
        for (int64_t tap = 0; tap < run->taps; tap++) {                                            \
            const W *from = (const W *)run->source + run->offsets[tap] + place;                    \
            for (int v = 0; v < vectors; v++)                                                      \
                results[v] = NAME(step_##name)(results[v], NAME(at)(from + v * LANES));            \
        }                                                                                          \
        for (int v = 0; v < vectors; v++)                                                          \
            *(VECTOR *)(void *)(to + place + v * LANES) = results[v];                              \
    }

/* The places after the last whole vector are computed as a vector of their own. */
#define FOLD(name, begin)                                                                          \
    FOLD_BLOCK(name)                                                                               \
    static void NAME(name)(void *results, const tni_pooling_run *run) {                            \
        const VECTOR first = (W)(begin) - (VECTOR){0};                                             \
        int64_t place = 0;                                                                         \
        for (; place + VECTORS * LANES <= run->places; place += VECTORS * LANES)                   \
            NAME(block_##name)(results, run, place, first, VECTORS);                               \
        for (; place + LANES <= run->places; place += LANES)                                       \
            NAME(block_##name)(results, run, place, first, 1);                                     \
        for (; place < run->places; place++) {                                                     \
            VECTOR result = first;                                                                 \
            for (int64_t tap = 0; tap < run->taps; tap++) {                                        \
                const W value = ((const W *)run->source)[run->offsets[tap] + place];               \
                result = NAME(step_##name)(result, value - (VECTOR){0});                           \
            }                                                                                      \
            ((W *)results)[place] = result[0];                                                     \
        }                                                                                          \
    }

FOLD(largest, -__builtin_inf())
FOLD(largest_or_nan, -__builtin_inf())
FOLD(sum, 0)

static void NAME(spread)(void *gradients, const void *left, const tni_pooling_run *run) {
    const W *from = left;
    for (int64_t tap = 0; tap < run->taps; tap++) {
        W *restrict to = (W *)gradients + run->offsets[tap];
        for (int64_t k = 0; k < run->places; k++)
            to[k] += from[k];
    }
}

/* Gives what is left to the places whose value is the largest. */
INLINE void NAME(claim_tap)(W *to, W *left, const W *best, const W *value, int64_t places) {
    int64_t k = 0;
    for (; k + LANES <= places; k += LANES) {
        const VECTOR a = NAME(at)(value + k), b = NAME(at)(best + k);
        const MASK rest = (MASK)NAME(at)(left + k), is_it = (a == b) | ((a != a) & (b != b));
        *(VECTOR *)(void *)(to + k) += (VECTOR)(rest & is_it);
        *(MASK *)(void *)(left + k) = rest & ~is_it;
    }
    for (; k < places; k++) {
        if (value[k] != best[k] && (value[k] == value[k] || best[k] == best[k])) continue;
        to[k] += left[k];
        left[k] = 0;
    }
}

static void NAME(claim)(void *gradients, void *left, const void *largest,
                        const tni_pooling_run *run) {
    for (int64_t tap = 0; tap < run->taps; tap++)
        NAME(claim_tap)
    ((W *)gradients + run->offsets[tap], left, largest, (const W *)run->source + run->offsets[tap],
     run->places);
}

static void NAME(divide)(void *run, const void *counts, double outer, int64_t count) {
    W *to = run;
    const W *by = counts;
    for (int64_t k = 0; k < count; k++)
        to[k] /= (W)outer * by[k];
}

static void NAME(divide_run)(void *to, const void *from, double by, int64_t count) {
    W *results = to;
    const W *numbers = from;
    for (int64_t k = 0; k < count; k++)
        results[k] = numbers[k] / (W)by;
}

/* --- Backward in two steps: each window finds its tap, each element what it is given --- */

/* `vectors` vectors of an element, which lie `apart`. */
INLINE void NAME(share_vectors)(const tni_pooling_share *p, int64_t element, int64_t at,
                                int vectors, int64_t apart, bool is_found) {
    const int64_t begin = p->first[element], end = p->first[element + 1];
    W *to = (W *)p->to + element * p->apart + at;
    VECTOR sums[2 * VECTORS];
    for (int v = 0; v < vectors; v++)
        sums[v] = (VECTOR){0};
    for (int64_t row = 0; row < p->rows; row++)
        for (int64_t k = begin; k < end; k++) {
            const int64_t place = p->windows[k].place;
            const BITS tap = (BITS)(p->taps[row] + p->windows[k].tap);
            const W *given = (const W *)p->given[row] + place * p->given_apart + at;
            const BITS *found =
                is_found ? (const BITS *)p->found[row] + place * p->found_apart + at : NULL;
            for (int v = 0; v < vectors; v++) {
                VECTOR value = NAME(at)(given + v * apart);
                if (is_found) {
                    const MASK is_it = *(const MASK *)(const void *)(found + v * apart) == tap;
                    value = (VECTOR)((MASK)value & is_it);
                }
                sums[v] += value;
            }
        }
    for (int v = 0; v < vectors; v++)
        *(VECTOR *)(void *)(to + v * apart) = sums[v];
}

INLINE void NAME(share_one)(const tni_pooling_share *p, int64_t element, int64_t at) {
    W sum = 0;
    for (int64_t row = 0; row < p->rows; row++)
        for (int64_t k = p->first[element]; k < p->first[element + 1]; k++) {
            const int64_t place = p->windows[k].place;
            const BITS tap = (BITS)(p->taps[row] + p->windows[k].tap);
            if (!p->found || ((const BITS *)p->found[row])[place * p->found_apart + at] == tap)
                sum += ((const W *)p->given[row])[place * p->given_apart + at];
        }
    ((W *)p->to)[element * p->apart + at] = sum;
}

/* The last vector may compute again what the one before has. */
INLINE void NAME(share_elements)(const tni_pooling_share *p, bool is_found) {
    for (int64_t element = 0; element < p->elements; element++) {
        int64_t k = 0;
        const int64_t last = p->channels - LANES;
        for (; k + 2 * VECTORS * LANES <= p->channels; k += 2 * VECTORS * LANES)
            NAME(share_vectors)(p, element, k, 2 * VECTORS, LANES, is_found);
        for (; k + VECTORS * LANES <= p->channels; k += VECTORS * LANES)
            NAME(share_vectors)(p, element, k, VECTORS, LANES, is_found);
        for (; k < last; k += 2 * LANES)
            NAME(share_vectors)
        (p, element, k, 2, last - k < LANES ? last - k : LANES, is_found);
        if (last >= 0 && k < p->channels)
            NAME(share_vectors)(p, element, last, 1, 0, is_found);
        else
            for (; k < p->channels; k++)
                NAME(share_one)(p, element, k);
    }
}
static void NAME(share)(const tni_pooling_share *p) {
    if (p->found)
        NAME(share_elements)(p, true);
    else
        NAME(share_elements)(p, false);
}

INLINE BITS NAME(name_of)(const tni_pooling_run *run, int64_t tap) {
    return (BITS)(run->names ? run->names[tap] : tap);
}

/* Without branches, which would depend on the elements. */
INLINE BITS NAME(find_one)(const W *source, const tni_pooling_run *run, bool counts_nan) {
    W best = (W)(-__builtin_inf());
    BITS found = -1;
    for (int64_t tap = 0; tap < run->taps; tap++) {
        const W value = source[run->offsets[tap]];
        const BITS is_nan = value != value, is_first = found < 0;
        const BITS takes = counts_nan ? ((value > best) | is_nan | is_first) & (best == best)
                                      : (value > best) | (is_first & !is_nan);
        best = takes ? value : best;
        found = takes ? NAME(name_of)(run, tap) : found;
    }
    return found;
}

/* Of a window of which only the columns from `low` to before `high`, of `width`, are there. */
static int64_t NAME(find_cut)(const void *source, const tni_pooling_run *run, int64_t width,
                              int64_t low, int64_t high, bool counts_nan) {
    const W *from = source;
    W best = 0;
    int64_t found = -1;
    for (int64_t row = 0; row < run->taps; row += width)
        for (int64_t tap = row + low; tap < row + high; tap++) {
            const W value = from[run->offsets[tap]];
            const int64_t is_nan = value != value, is_first = found < 0;
            const int64_t takes = counts_nan
                                      ? is_first | ((best == best) & ((value > best) | is_nan))
                                      : (is_first & !is_nan) | (value > best && !is_first);
            best = takes ? value : best;
            found = takes ? NAME(name_of)(run, tap) : found;
        }
    return found;
}

INLINE void NAME(find_vector)(BITS *taps, const W *source, const tni_pooling_run *run,
                              bool counts_nan) {
    VECTOR best = NAME(all)((W)(-__builtin_inf()));
    MASK found = (BITS)-1 - (MASK){0};
    for (int64_t tap = 0; tap < run->taps; tap++) {
        const VECTOR value = NAME(at)(source + run->offsets[tap]);
        const MASK takes = counts_nan
                               ? ((value > best) | (value != value) | (found < 0)) & (best == best)
                               : (value > best) | ((found < 0) & (value == value));
        best = NAME(choose)(takes, value, best);
        found = (takes & (NAME(name_of)(run, tap) - (MASK){0})) | (found & ~takes);
    }
    *(MASK *)(void *)taps = found;
}

/* The same of one vector or of several that lie `apart`, where no element is NaN and one is above
 * -infinity. Negative lanes of what it returns say that this is not so. */
INLINE MASK NAME(find_vectors)(BITS *taps, const W *source, const tni_pooling_run *run, int vectors,
                               int64_t apart, bool counts_nan) {
    VECTOR best[VECTORS];
    MASK found[VECTORS], strange = {0};
    for (int v = 0; v < vectors; v++) {
        best[v] = NAME(all)((W)(-__builtin_inf()));
        found[v] = (BITS)-1 - (MASK){0};
    }
    for (int64_t tap = 0; tap < run->taps; tap++) {
        const W *from = source + run->offsets[tap];
        const MASK name = NAME(name_of)(run, tap) - (MASK){0};
        for (int v = 0; v < vectors; v++) {
            const VECTOR value = NAME(at)(from + v * apart);
            const MASK takes = value > best[v];
            if (counts_nan) strange |= value != value;
            best[v] = NAME(choose)(takes, value, best[v]);
            found[v] = (takes & name) | (found[v] & ~takes);
        }
    }
    for (int v = 0; v < vectors; v++) {
        strange |= found[v];
        *(MASK *)(void *)(taps + v * apart) = found[v];
    }
    return strange;
}

/* The last vector may find again what the one before has found. */
INLINE bool NAME(find_places)(BITS *taps, const tni_pooling_run *run, bool counts_nan) {
    const W *source = run->source;
    const int64_t last = run->places - LANES;
    MASK strange = {0};
    BITS any = 0;
    int64_t k = 0;
    for (; k + VECTORS * LANES <= run->places; k += VECTORS * LANES)
        strange |= NAME(find_vectors)(taps + k, source + k, run, VECTORS, LANES, counts_nan);
    for (; k < last; k += 2 * LANES) {
        const int64_t apart = last - k < LANES ? last - k : LANES;
        strange |= NAME(find_vectors)(taps + k, source + k, run, 2, apart, counts_nan);
    }
    if (k < run->places)
        strange |= NAME(find_vectors)(taps + last, source + last, run, 1, 0, counts_nan);
    for (int lane = 0; lane < LANES; lane++)
        any |= strange[lane];
    if (any >= 0) return false;
    for (k = 0; k < last; k += LANES)
        NAME(find_vector)(taps + k, source + k, run, counts_nan);
    NAME(find_vector)(taps + last, source + last, run, counts_nan);
    return true;
}
static bool NAME(find)(void *taps, const tni_pooling_run *run, bool counts_nan) {
    if (run->places < LANES) {
        for (int64_t k = 0; k < run->places; k++)
            ((BITS *)taps)[k] = NAME(find_one)((const W *)run->source + k, run, counts_nan);
        return true;
    }
    return counts_nan ? NAME(find_places)(taps, run, true) : NAME(find_places)(taps, run, false);
}

extern const tni_pooling_loops LEVEL(NAME(tni_pooling_loops));
const tni_pooling_loops LEVEL(NAME(tni_pooling_loops)) = {
    .largest = NAME(largest),
    .largest_or_nan = NAME(largest_or_nan),
    .sum = NAME(sum),
    .spread = NAME(spread),
    .claim = NAME(claim),
    .share = NAME(share),
    .find = NAME(find),
    .find_cut = NAME(find_cut),
    .divide = NAME(divide),
    .divide_run = NAME(divide_run),
};

#undef NAME
#undef VECTOR
#undef MASK
#undef LANES
#undef FOLD_BLOCK
#undef FOLD
#undef W
#undef BITS
#undef SUFFIX
