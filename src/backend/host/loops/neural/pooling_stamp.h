/* The loops of pooling_loops.h for one working type: a part of pooling_loops.c, which defines W, an
 * integer BITS of its size, the list EVENS and SUFFIX, which this file undefines. */
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

/* --- Backward, without memory between the steps --- */

INLINE MASK NAME(is_largest)(VECTOR value, VECTOR best, bool counts_nan) {
    MASK is_it = value == best;
    if (counts_nan) is_it |= (value != value) & (best != best);
    return is_it;
}

/* What stands at `from` goes to the first of its taps that is the largest, for a vector of channels
 * or, with copies of one in all lanes, for one. */
INLINE void NAME(claim_channels)(const tni_pooling_back *p, int64_t k, bool counts_nan,
                                 bool is_one) {
    const W *source = (const W *)p->source + k, *given = (const W *)p->given + k;
    W *to = (W *)p->gradients + k;
    VECTOR best = (W)(-__builtin_inf()) - (VECTOR){0};
    for (int64_t tap = 0; tap < p->taps; tap++) {
        const W *at = source + p->offsets[tap];
        const VECTOR value = is_one ? NAME(all)(*at) : NAME(at)(at);
        best =
            counts_nan ? NAME(step_largest_or_nan)(best, value) : NAME(step_largest)(best, value);
    }
    MASK left = is_one ? (MASK)NAME(all)(*given) : (MASK)NAME(at)(given);
    for (int64_t tap = 0; tap < p->taps; tap++) {
        const W *at = source + p->offsets[tap];
        const VECTOR value = is_one ? NAME(all)(*at) : NAME(at)(at);
        const MASK is_it = NAME(is_largest)(value, best, counts_nan);
        const VECTOR share = (VECTOR)(left & is_it);
        if (is_one)
            to[p->targets[tap]] += share[0];
        else
            *(VECTOR *)(void *)(to + p->targets[tap]) += share;
        left &= ~is_it;
    }
}

INLINE void NAME(claim_place)(const tni_pooling_back *p, bool counts_nan) {
    int64_t k = 0;
    for (; k + LANES <= p->channels; k += LANES)
        NAME(claim_channels)(p, k, counts_nan, false);
    for (; k < p->channels; k++)
        NAME(claim_channels)(p, k, counts_nan, true);
}
static void NAME(claim_back)(const tni_pooling_back *place, bool counts_nan) {
    if (counts_nan)
        NAME(claim_place)(place, true);
    else
        NAME(claim_place)(place, false);
}

static void NAME(spread_back)(const tni_pooling_back *p, double count) {
    const W *given = p->given;
    int64_t k = 0;
    for (; k + LANES <= p->channels; k += LANES) {
        const VECTOR share = NAME(at)(given + k) / (W)count;
        for (int64_t tap = 0; tap < p->taps; tap++)
            *(VECTOR *)(void *)((W *)p->gradients + p->targets[tap] + k) += share;
    }
    for (; k < p->channels; k++)
        for (int64_t tap = 0; tap < p->taps; tap++)
            ((W *)p->gradients)[p->targets[tap] + k] += given[k] / (W)count;
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
        found = takes ? (BITS)tap : found;
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
            found = takes ? tap : found;
        }
    return found;
}

/* Places of a step of 2. */
INLINE void NAME(find_vector)(BITS *taps, const W *source, const tni_pooling_run *run,
                              bool counts_nan) {
    VECTOR best = NAME(all)((W)(-__builtin_inf()));
    MASK found = (BITS)-1 - (MASK){0};
    for (int64_t tap = 0; tap < run->taps; tap++) {
        const W *from = source + run->offsets[tap];
        const VECTOR value =
            __builtin_shufflevector(NAME(at)(from), NAME(at)(from + LANES - 1), EVENS);
        const MASK takes = counts_nan
                               ? ((value > best) | (value != value) | (found < 0)) & (best == best)
                               : (value > best) | ((found < 0) & (value == value));
        best = NAME(choose)(takes, value, best);
        found = (takes & ((BITS)tap - (MASK){0})) | (found & ~takes);
    }
    *(MASK *)(void *)taps = found;
}

/* The last vector may find again what the one before has found. */
INLINE void NAME(find_places)(BITS *taps, const tni_pooling_run *run, int64_t step,
                              bool counts_nan) {
    const W *source = run->source;
    const int64_t last = run->places - LANES;
    if (step != 2 || last < 0) {
        for (int64_t k = 0; k < run->places; k++)
            taps[k] = NAME(find_one)(source + k * step, run, counts_nan);
        return;
    }
    for (int64_t k = 0; k < last; k += LANES)
        NAME(find_vector)(taps + k, source + 2 * k, run, counts_nan);
    NAME(find_vector)(taps + last, source + 2 * last, run, counts_nan);
}
static void NAME(find)(void *taps, const tni_pooling_run *run, int64_t step, bool counts_nan) {
    if (counts_nan)
        NAME(find_places)(taps, run, step, true);
    else
        NAME(find_places)(taps, run, step, false);
}

static void NAME(scatter)(void *gradients, const void *given, const void *taps,
                          const int64_t *targets, int64_t step, int64_t places) {
    W *to = gradients;
    const W *from = given;
    const BITS *found = taps;
    for (int64_t k = 0; k < places; k++)
        if (found[k] >= 0) to[targets[found[k]] + k * step] += from[k];
}

extern const tni_pooling_loops LEVEL(NAME(tni_pooling_loops));
const tni_pooling_loops LEVEL(NAME(tni_pooling_loops)) = {
    .largest = NAME(largest),
    .largest_or_nan = NAME(largest_or_nan),
    .sum = NAME(sum),
    .spread = NAME(spread),
    .claim = NAME(claim),
    .claim_back = NAME(claim_back),
    .spread_back = NAME(spread_back),
    .find = NAME(find),
    .find_cut = NAME(find_cut),
    .scatter = NAME(scatter),
    .divide = NAME(divide),
};

#undef NAME
#undef VECTOR
#undef MASK
#undef LANES
#undef FOLD_BLOCK
#undef FOLD
#undef W
#undef BITS
#undef EVENS
#undef SUFFIX
