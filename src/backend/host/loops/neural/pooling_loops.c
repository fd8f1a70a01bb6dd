/* Inner loops of pooling. A fold keeps a block of places in registers while it goes over taps. */
#include "backend/host/loops/neural/pooling_loops.h"

#include "backend/host/loops/entry.h"

enum { BLOCK_BYTES = 256 };

#define LARGER(best, value) ((value) > (best) ? (value) : (best))
#define LARGER_OR_NAN(best, value) ((value) > (best) || (value) != (value) ? (value) : (best))
#define SUM(best, value) ((best) + (value))

#define FOLD(name, W, FIRST, STEP)                                                                 \
    static void name(void *results, const tni_pooling_run *run) {                                  \
        enum { BLOCK = BLOCK_BYTES / sizeof(W) };                                                  \
        W *to = results;                                                                           \
        const W *source = run->source;                                                             \
        int64_t place = 0;                                                                         \
        for (; place + BLOCK <= run->places; place += BLOCK) {                                     \
            W best[BLOCK];                                                                         \
            for (int k = 0; k < BLOCK; k++)                                                        \
                best[k] = (W)(FIRST);                                                              \
            for (int64_t tap = 0; tap < run->taps; tap++) {                                        \
                const W *from = source + run->offsets[tap] + place;                                \
                for (int k = 0; k < BLOCK; k++)                                                    \
                    best[k] = STEP(best[k], from[k]);                                              \
            }                                                                                      \
            for (int k = 0; k < BLOCK; k++)                                                        \
                to[place + k] = best[k];                                                           \
        }                                                                                          \
        for (int64_t k = place; k < run->places; k++)                                              \
            to[k] = (W)(FIRST);                                                                    \
        for (int64_t tap = 0; tap < run->taps; tap++) {                                            \
            const W *from = source + run->offsets[tap];                                            \
            for (int64_t k = place; k < run->places; k++)                                          \
                to[k] = STEP(to[k], from[k]);                                                      \
        }                                                                                          \
    }

#define STAMP(suffix, W)                                                                           \
    FOLD(largest_##suffix, W, -__builtin_inf(), LARGER)                                            \
    FOLD(largest_or_nan_##suffix, W, -__builtin_inf(), LARGER_OR_NAN)                              \
    FOLD(sum_##suffix, W, 0, SUM)                                                                  \
    static void spread_##suffix(void *gradients, const void *left, const tni_pooling_run *run) {   \
        const W *from = left;                                                                      \
        for (int64_t tap = 0; tap < run->taps; tap++) {                                            \
            W *to = (W *)gradients + run->offsets[tap];                                            \
            for (int64_t k = 0; k < run->places; k++)                                              \
                to[k] += from[k];                                                                  \
        }                                                                                          \
    }                                                                                              \
    static void claim_##suffix(void *gradients, void *left, const void *largest,                   \
                               const tni_pooling_run *run) {                                       \
        W *restrict rest = left;                                                                   \
        const W *best = largest;                                                                   \
        for (int64_t tap = 0; tap < run->taps; tap++) {                                            \
            W *restrict to = (W *)gradients + run->offsets[tap];                                   \
            const W *value = (const W *)run->source + run->offsets[tap];                           \
            for (int64_t k = 0; k < run->places; k++) {                                            \
                const bool is_it =                                                                 \
                    (value[k] == best[k]) | ((value[k] != value[k]) & (best[k] != best[k]));       \
                const W given = is_it ? rest[k] : 0;                                               \
                to[k] += given;                                                                    \
                rest[k] = is_it ? 0 : rest[k];                                                     \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void divide_##suffix(void *run, const void *counts, double outer, int64_t count) {      \
        W *to = run;                                                                               \
        const W *by = counts;                                                                      \
        for (int64_t k = 0; k < count; k++)                                                        \
            to[k] /= (W)outer * by[k];                                                             \
    }                                                                                              \
    extern const tni_pooling_loops LEVEL(tni_pooling_loops_##suffix);                              \
    const tni_pooling_loops LEVEL(tni_pooling_loops_##suffix) = {                                  \
        .largest = largest_##suffix,                                                               \
        .largest_or_nan = largest_or_nan_##suffix,                                                 \
        .sum = sum_##suffix,                                                                       \
        .spread = spread_##suffix,                                                                 \
        .claim = claim_##suffix,                                                                   \
        .divide = divide_##suffix,                                                                 \
    };

STAMP(f32, float)
STAMP(f64, double)
