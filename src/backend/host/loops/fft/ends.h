/* The first pass of a transform with its load, and the last one with its store or turn: blocks of
 * columns that lie beside each other go through the second cache twice less. */

/* Memory that is asked for ahead: elements of a pass. */
enum { AHEAD = 2, LINE = 64 / sizeof(real) };

INLINE void ask_to_load(const element *at) {
    for (int k = 0; k < 2 * LANES; k += LINE)
        __builtin_prefetch((const void *)(at + k), 0, 2);
}

INLINE void ask_to_store(const element *at) {
    for (int k = 0; k < 2 * LANES; k += LINE)
        __builtin_prefetch((const void *)(at + k), 1);
}

#define ENDS(radix, BUTTERFLY)                                                                     \
    static void enter_##radix(const tni_fft_pass *pass, char *const *blocks, int count,            \
                              const tni_fft_place *from) {                                         \
        const int64_t after = pass->after, step = from->step;                                      \
        const element *re = from->re, *im = from->im;                                              \
        const bool exchanges = im < re;                                                            \
        const element *first = exchanges ? im : re, *twiddle = pass->twiddles;                     \
        for (int64_t i = 0; i < after; i++, twiddle += 2 * ((radix)-1))                            \
            for (int b = 0; b < count; b++) {                                                      \
                const element *at = first + i * step + b * 2 * LANES;                              \
                pair t[radix], *to = (pair *)(void *)blocks[b] + i;                                \
                for (int j = 0; j < (radix) && i + AHEAD < after; j++)                             \
                    ask_to_load(at + (AHEAD + after * j) * step);                                  \
                UNROLL(radix)                                                                      \
                for (int j = 0; j < (radix); j++)                                                  \
                    t[j] = ordered(load_pairs(at + after * j * step), exchanges);                  \
                BUTTERFLY;                                                                         \
                to[0] = t[0];                                                                      \
                UNROLL(radix)                                                                      \
                for (int j = 1; j < (radix); j++)                                                  \
                    to[after * j] = i > 0 ? times_one(t[j], twiddle + 2 * (j - 1)) : t[j];         \
            }                                                                                      \
    }                                                                                              \
    static void leave_##radix(const tni_fft_pass *pass, char *const *blocks, int count,            \
                              const tni_fft_place *to) {                                           \
        const int64_t before = pass->before, step = to->step;                                      \
        element *re = to->re, *im = to->im;                                                        \
        const bool exchanges = im < re;                                                            \
        element *first = exchanges ? im : re;                                                      \
        for (int64_t k = 0; k < before; k++)                                                       \
            for (int b = 0; b < count; b++) {                                                      \
                element *at = first + k * step + b * 2 * LANES;                                    \
                const pair *from = (const pair *)(const void *)blocks[b] + k * (radix);            \
                pair t[radix];                                                                     \
                for (int j = 0; j < (radix) && k + AHEAD < before; j++)                            \
                    ask_to_store(at + (AHEAD + before * j) * step);                                \
                UNROLL(radix)                                                                      \
                for (int j = 0; j < (radix); j++)                                                  \
                    t[j] = from[j];                                                                \
                BUTTERFLY;                                                                         \
                UNROLL(radix)                                                                      \
                for (int j = 0; j < (radix); j++)                                                  \
                    store_pairs(at + before * j * step, scaled(to, t[j], exchanges));              \
            }                                                                                      \
    }                                                                                              \
    static void leave_turned_##radix(const tni_fft_pass *pass, const pair *from,                   \
                                     const tni_fft_turn *turn) {                                   \
        const int64_t before = pass->before;                                                       \
        pair some[radix][LANES];                                                                   \
        for (int64_t k = 0; k < before; k += LANES) {                                              \
            for (int l = 0; l < LANES; l++, from += (radix)) {                                     \
                pair t[radix];                                                                     \
                UNROLL(radix)                                                                      \
                for (int j = 0; j < (radix); j++)                                                  \
                    t[j] = from[j];                                                                \
                BUTTERFLY;                                                                         \
                UNROLL(radix)                                                                      \
                for (int j = 0; j < (radix); j++)                                                  \
                    some[j][l] = t[j];                                                             \
            }                                                                                      \
            for (int j = 0; j < (radix); j++)                                                      \
                turn_rows(turn, some[j], k + before * j, LANES);                                   \
        }                                                                                          \
    }
ENDS(4, butterfly_4(t))
ENDS(8, butterfly_8(t))

static void enter(const tni_fft_lanes *plan, char *const *blocks, int count,
                  const tni_fft_place *from) {
    const tni_fft_pass *pass = &plan->passes[0];
    (pass->radix == 8 ? enter_8 : enter_4)(pass, blocks, count, from);
}

static void leave(const tni_fft_lanes *plan, char *const *blocks, int count,
                  const tni_fft_place *to) {
    const tni_fft_pass *pass = &plan->passes[plan->pass_count - 1];
    (pass->radix == 8 ? leave_8 : leave_4)(pass, blocks, count, to);
}

static void leave_turned(const tni_fft_lanes *plan, const void *block, const tni_fft_turn *turn) {
    const tni_fft_pass *pass = &plan->passes[plan->pass_count - 1];
    (pass->radix == 8 ? leave_turned_8 : leave_turned_4)(pass, block, turn);
}
