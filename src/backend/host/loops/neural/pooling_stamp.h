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

extern const tni_pooling_loops LEVEL(NAME(tni_pooling_loops));
const tni_pooling_loops LEVEL(NAME(tni_pooling_loops)) = {
    .largest = NAME(largest),
    .largest_or_nan = NAME(largest_or_nan),
    .sum = NAME(sum),
    .spread = NAME(spread),
    .claim = NAME(claim),
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
#undef SUFFIX
