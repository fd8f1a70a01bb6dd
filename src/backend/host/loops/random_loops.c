/* Loops of random numbers. Philox makes LANES blocks side by side, so that the compiler has vectors
 * of each of the four words; then each element is made of its words, again in vectors. */
#include "backend/host/loops/random_loops.h"

#include "backend/host/loops/entry.h"
#include "ops/random.h"

enum { LANES = 64 };

typedef struct lanes {
    uint32_t words[4][LANES];
} lanes;

/* Blocks `block`, `block + by` and so on, of sequences that start alike. */
static void make_words(lanes *made, uint64_t block, uint64_t by, uint64_t sequence,
                       uint64_t sequence_by, uint64_t key) {
    uint32_t a[LANES], b[LANES], c[LANES], d[LANES];
    for (int l = 0; l < LANES; l++) {
        uint64_t at = block + (uint64_t)l * by, of = sequence + (uint64_t)l * sequence_by;
        a[l] = (uint32_t)at;
        b[l] = (uint32_t)(at >> 32);
        c[l] = (uint32_t)of;
        d[l] = (uint32_t)(of >> 32);
    }
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int round = 0; round < 10; round++) {
        for (int l = 0; l < LANES; l++) {
            uint64_t p = (uint64_t)0xd2511f53u * a[l], q = (uint64_t)0xcd9e8d57u * c[l];
            a[l] = (uint32_t)(q >> 32) ^ b[l] ^ k0;
            b[l] = (uint32_t)q;
            c[l] = (uint32_t)(p >> 32) ^ d[l] ^ k1;
            d[l] = (uint32_t)p;
        }
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    memcpy(made->words[0], a, sizeof a);
    memcpy(made->words[1], b, sizeof b);
    memcpy(made->words[2], c, sizeof c);
    memcpy(made->words[3], d, sizeof d);
}

static void make_lanes(lanes *made, uint64_t first, uint64_t key) {
    make_words(made, first, 1, 0, 0, key);
}

/* --- Filled --- */

/* STATEMENTS make the PER elements `made` of the four words `w`. */
#define FILL(name, type, per, statements)                                                          \
    static void fill_##name(char *to, int64_t first, int64_t blocks, const tni_random *call) {     \
        type *out = (type *)(void *)to;                                                            \
        lanes lanes;                                                                               \
        for (int64_t done = 0; done < blocks; done += LANES) {                                     \
            const int n = blocks - done < LANES ? (int)(blocks - done) : LANES;                    \
            make_lanes(&lanes, call->block + (uint64_t)(first + done), call->key);                 \
            type columns[per][LANES];                                                              \
            for (int l = 0; l < LANES; l++) {                                                      \
                const uint32_t w[4] = {lanes.words[0][l], lanes.words[1][l], lanes.words[2][l],    \
                                       lanes.words[3][l]};                                         \
                type made[per];                                                                    \
                statements for (int k = 0; k < per; k++) columns[k][l] = made[k];                  \
            }                                                                                      \
            for (int l = 0; l < n; l++)                                                            \
                for (int k = 0; k < per; k++)                                                      \
                    out[(done + l) * per + k] = columns[k][l];                                     \
        }                                                                                          \
    }
#define FILL_FLOAT(name)                                                                           \
    FILL(name##_f32, float, 4, m_fill_##name##_f32(made, w);                                       \
         for (int k = 0; k < 4; k++) made[k] =                                                     \
             made[k] * (float)call->scale + (float)call->location;)                                \
    FILL(name##_f64, double, 2, m_fill_##name##_f64(made, w);                                      \
         for (int k = 0; k < 2; k++) made[k] = made[k] * call->scale + call->location;)
FILL_FLOAT(uniform)
FILL_FLOAT(normal)
FILL_FLOAT(exponential)
FILL(words_u32, uint32_t, 4, m_fill_words_u32(made, w);)
FILL(words_u64, uint64_t, 2, m_fill_words_u64(made, w);)

/* --- Bounded integers (Lemire, 2019): rejected words are rare, and then drawn anew --- */

typedef struct bounds {
    uint64_t count, least; /* count 0: every word is good */
} bounds;

static inline uint64_t again(const tni_random *call, int64_t at) {
    tn_draws draws = m_draws_of(call->key, 1 + (uint64_t)at, call->block);
    return m_next_bounded(&draws, call->span);
}

static inline uint64_t bounded32(uint32_t word, const bounds *b, const tni_random *call,
                                 int64_t at) {
    if (b->count == 0) return word;
    uint64_t product = word * b->count;
    if (__builtin_expect((uint32_t)product < b->least, 0)) return again(call, at);
    return product >> 32;
}

static inline uint64_t bounded64(uint64_t word, const bounds *b, const tni_random *call,
                                 int64_t at) {
    if (b->count == 0) return word;
    if (__builtin_expect(word * b->count < b->least, 0)) return again(call, at);
    return m_high64(word, b->count);
}

#define BOUNDED(bits)                                                                              \
    static void bounded_##bits##_of_1(char *to, int64_t first, int64_t blocks,                     \
                                      const tni_random *call) {                                    \
        uint##bits##_t *out = (uint##bits##_t *)(void *)to;                                        \
        const uint64_t count = (call->span + 1) & UINT32_MAX;                                      \
        const bounds b = {count, count ? ((0 - count) & UINT32_MAX) % count : 0};                  \
        lanes lanes;                                                                               \
        for (int64_t at = 0; at < blocks * 4; at++) {                                              \
            const int l = (int)(at / 4 % LANES);                                                   \
            if (at % (4 * LANES) == 0)                                                             \
                make_lanes(&lanes, call->block + (uint64_t)(first + at / 4), call->key);           \
            out[at] = (uint##bits##_t)(                                                            \
                call->low + bounded32(lanes.words[at % 4][l], &b, call, first * 4 + at));          \
        }                                                                                          \
    }                                                                                              \
    static void bounded_##bits##_of_2(char *to, int64_t first, int64_t blocks,                     \
                                      const tni_random *call) {                                    \
        uint##bits##_t *out = (uint##bits##_t *)(void *)to;                                        \
        const uint64_t count = call->span + 1;                                                     \
        const bounds b = {count, count ? (0 - count) % count : 0};                                 \
        lanes lanes;                                                                               \
        for (int64_t at = 0; at < blocks * 2; at++) {                                              \
            const int l = (int)(at / 2 % LANES), k = (int)(at % 2) * 2;                            \
            if (at % (2 * LANES) == 0)                                                             \
                make_lanes(&lanes, call->block + (uint64_t)(first + at / 2), call->key);           \
            uint64_t word = m_word64(lanes.words[k][l], lanes.words[k + 1][l]);                    \
            out[at] = (uint##bits##_t)(call->low + bounded64(word, &b, call, first * 2 + at));     \
        }                                                                                          \
    }
BOUNDED(8)
BOUNDED(16)
BOUNDED(32)
BOUNDED(64)

/* --- Drawn --- */

static inline void store_F(char *to, int64_t at, double value, const tni_random *call) {
    if (call->dtype == TN_F64)
        ((double *)(void *)to)[at] = value * call->scale + call->location;
    else
        ((float *)(void *)to)[at] = (float)(value * call->scale + call->location);
}

static inline void store_I(char *to, int64_t at, int64_t value, const tni_random *call) {
    (void)call;
    ((int64_t *)(void *)to)[at] = value;
}

/* The draws of lane l, whose first block was made in a vector. */
static inline tn_draws draws_of(const lanes *words, int l, int64_t at, const tni_random *call) {
    tn_draws draws = m_draws_of(call->key, 1 + (uint64_t)at, call->block + 1);
    for (int k = 0; k < 4; k++)
        draws.words.at[k] = words->words[k][l];
    draws.left = 2;
    return draws;
}

#define DRAWN(NAME, name, parameters, kind)                                                        \
    static void draw_##name(char *to, int64_t first, int64_t count, const double *numbers,         \
                            int64_t step, const tni_random *call) {                                \
        lanes words;                                                                               \
        for (int64_t at = 0; at < count; at++) {                                                   \
            const int l = (int)(at % LANES);                                                       \
            if (l == 0)                                                                            \
                make_words(&words, call->block, 0, 1 + (uint64_t)(first + at), 1, call->key);      \
            tn_draws draws = draws_of(&words, l, first + at, call);                                \
            store_##kind(to, at, m_draw_##name(&draws, numbers + at * step), call);                \
        }                                                                                          \
    }
#include <tenorite/distributions.def>

/* --- Drawn, many at a time: the first attempts of LANES elements in vectors. What is not good then
 * is drawn from its first word on, by the function that draws one. --- */

static inline uint64_t pair(const lanes *lanes, int l, int half) {
    return m_word64(lanes->words[2 * half][l], lanes->words[2 * half + 1][l]);
}

/* Of one positive shape, times a factor. */
static void make_gammas(char *to, int64_t first, int64_t count, double shape, double factor,
                        const tni_random *call) {
    const double depth = m_gamma_depth(shape);
    lanes words[2];
    double values[LANES], powers[LANES];
    int32_t is_good[LANES];
    for (int64_t done = 0; done < count; done += LANES) {
        const int n = count - done < LANES ? (int)(count - done) : LANES;
        for (int k = 0; k < 2; k++)
            make_words(&words[k], call->block + (uint64_t)k, 0, 1 + (uint64_t)(first + done), 1,
                       call->key);
        for (int l = 0; l < LANES; l++)
            is_good[l] = m_gamma_try(&values[l], depth, pair(&words[0], l, 0),
                                     pair(&words[0], l, 1), pair(&words[1], l, 0));
        for (int l = 0; shape < 1 && l < LANES; l++)
            powers[l] = m_same_log(m_open64(pair(&words[1], l, 1))) / shape;
        for (int l = 0; l < n; l++) {
            double value = depth * values[l];
            if (__builtin_expect(!is_good[l], 0)) {
                tn_draws draws = draws_of(&words[0], l, first + done + l, call);
                value = m_gamma_of(&draws, shape);
            } else if (shape < 1) {
                value = value * m_same_exp(powers[l]);
            }
            store_F(to, done + l, factor * value, call);
        }
    }
}

static void gamma_of_one_shape(char *to, int64_t first, int64_t count, const double *numbers,
                               int64_t step, const tni_random *call) {
    if (step || !(numbers[0] > 0))
        draw_gamma(to, first, count, numbers, step, call);
    else
        make_gammas(to, first, count, numbers[0], 1, call);
}

static void chisquare_of_one(char *to, int64_t first, int64_t count, const double *numbers,
                             int64_t step, const tni_random *call) {
    if (step || !(numbers[0] > 0))
        draw_chisquare(to, first, count, numbers, step, call);
    else
        make_gammas(to, first, count, numbers[0] / 2, 2, call);
}

/* Counts by inversion: how many of the sums of chances are below a number. A count of all of them
 * is `beyond`. Where turned_from is not negative, the result is so much less the count. */
typedef struct table {
    double sums[TNI_RANDOM_TABLE];
    int length;
    int64_t beyond, turned_from;
} table;

static void count_by_table(char *to, int64_t first, int64_t count, const table *t,
                           const tni_random *call) {
    double numbers[LANES];
    lanes words;
    int64_t counts[LANES];
    for (int64_t done = 0; done < count; done += LANES) {
        const int n = count - done < LANES ? (int)(count - done) : LANES;
        make_words(&words, call->block, 0, 1 + (uint64_t)(first + done), 1, call->key);
        for (int l = 0; l < LANES; l++) {
            numbers[l] = m_open64(pair(&words, l, 0));
            counts[l] = 0;
        }
        for (int k = 0; k < t->length; k++)
            for (int l = 0; l < LANES; l++)
                counts[l] += numbers[l] > t->sums[k];
        for (int l = 0; l < n; l++) {
            if (__builtin_expect(counts[l] == t->length, 0)) counts[l] = t->beyond;
            store_I(to, done + l, t->turned_from < 0 ? counts[l] : t->turned_from - counts[l],
                    call);
        }
    }
}

static void poisson_by_table(char *to, int64_t first, int64_t count, double mean,
                             const tni_random *call) {
    table t = {.length = 1, .beyond = TNI_RANDOM_TABLE, .turned_from = -1};
    double chance = m_same_exp(-mean);
    t.sums[0] = chance;
    for (; t.length < TNI_RANDOM_TABLE && t.sums[t.length - 1] < 1; t.length++) {
        chance *= mean / (double)t.length;
        t.sums[t.length] = t.sums[t.length - 1] + chance;
        if (t.sums[t.length] == t.sums[t.length - 1]) break; /* all that follow are the same */
    }
    count_by_table(to, first, count, &t, call);
}

/* n counts at most as a table goes; the sums of m_binomial_few. */
static void binomial_by_table(char *to, int64_t first, int64_t count, double n, double p,
                              int64_t turned_from, const tni_random *call) {
    const double most = n < TNI_RANDOM_TABLE ? n : TNI_RANDOM_TABLE;
    table t = {.length = 1, .beyond = (int64_t)most, .turned_from = turned_from};
    double chance = m_same_exp(n * m_same_log1p(-p)), odds = p / (1 - p);
    t.sums[0] = chance;
    for (; t.length < most; t.length++) {
        const double before = t.length - 1;
        chance *= (n - before) * odds / (before + 1);
        t.sums[t.length] = t.sums[t.length - 1] + chance;
        if (t.sums[t.length] == t.sums[t.length - 1]) break;
    }
    count_by_table(to, first, count, &t, call);
}

static void binomial_of_one(char *to, int64_t first, int64_t count, const double *numbers,
                            int64_t step, const tni_random *call) {
    const double all = floor(numbers[0]), p = numbers[1], less = p > 0.5 ? 1 - p : p;
    const int64_t turned_from = p > 0.5 ? (int64_t)all : -1;
    if (step || !(all > 0) || !(less > 0)) {
        draw_binomial(to, first, count, numbers, step, call);
        return;
    }
    if (all * less < 10) {
        binomial_by_table(to, first, count, all, less, turned_from, call);
        return;
    }
    const tn_btrs btrs = m_btrs_of(all, less);
    lanes words;
    double values[LANES], sides[LANES];
    int32_t is_good[LANES];
    for (int64_t done = 0; done < count; done += LANES) {
        const int n = count - done < LANES ? (int)(count - done) : LANES;
        make_words(&words, call->block, 0, 1 + (uint64_t)(first + done), 1, call->key);
        for (int l = 0; l < LANES; l++)
            is_good[l] =
                m_btrs_try(&values[l], &sides[l], &btrs, m_open64(pair(&words, l, 0)) - 0.5,
                           m_open64(pair(&words, l, 1)));
        for (int l = 0; l < n; l++) {
            int64_t value = (int64_t)values[l];
            if (__builtin_expect(!is_good[l], 0)) {
                tn_draws draws = draws_of(&words, l, first + done + l, call);
                value = m_binomial_many(&draws, &btrs);
            }
            store_I(to, done + l, p > 0.5 ? turned_from - value : value, call);
        }
    }
}

static void poisson_of_one_mean(char *to, int64_t first, int64_t count, const double *numbers,
                                int64_t step, const tni_random *call) {
    const double mean = numbers[0];
    if (step || !(mean > 0)) {
        draw_poisson(to, first, count, numbers, step, call);
        return;
    }
    if (mean < 10) {
        poisson_by_table(to, first, count, mean, call);
        return;
    }
    const tn_ptrs ptrs = m_ptrs_of(mean);
    lanes words;
    double values[LANES], sides[LANES];
    int32_t is_good[LANES];
    for (int64_t done = 0; done < count; done += LANES) {
        const int n = count - done < LANES ? (int)(count - done) : LANES;
        make_words(&words, call->block, 0, 1 + (uint64_t)(first + done), 1, call->key);
        for (int l = 0; l < LANES; l++)
            is_good[l] =
                m_ptrs_try(&values[l], &sides[l], &ptrs, pair(&words, l, 0), pair(&words, l, 1));
        for (int l = 0; l < n; l++) {
            int64_t value = (int64_t)values[l];
            if (__builtin_expect(!is_good[l], 0)) {
                tn_draws draws = draws_of(&words, l, first + done + l, call);
                value = m_ptrs_of_draws(&draws, &ptrs);
            }
            store_I(to, done + l, value, call);
        }
    }
}

extern const tni_random_loops LEVEL(tni_random_loops);
const tni_random_loops LEVEL(tni_random_loops) = {
    .fills =
        {
            [TN_RANDOM_WORDS] = {fill_words_u32, fill_words_u64},
            [TN_RANDOM_UNIFORM] = {fill_uniform_f32, fill_uniform_f64},
            [TN_RANDOM_NORMAL] = {fill_normal_f32, fill_normal_f64},
            [TN_RANDOM_EXPONENTIAL] = {fill_exponential_f32, fill_exponential_f64},
        },
    .bounded =
        {
            {bounded_8_of_1, bounded_8_of_2},
            {bounded_16_of_1, bounded_16_of_2},
            {bounded_32_of_1, bounded_32_of_2},
            {bounded_64_of_1, bounded_64_of_2},
        },
    .draws =
        {
#define DRAWN(NAME, name, parameters, kind) [TN_RANDOM_##NAME] = draw_##name,
#include <tenorite/distributions.def>
        },
    .many = {[TN_RANDOM_GAMMA] = gamma_of_one_shape,
             [TN_RANDOM_CHISQUARE] = chisquare_of_one,
             [TN_RANDOM_POISSON] = poisson_of_one_mean,
             [TN_RANDOM_BINOMIAL] = binomial_of_one},
};
