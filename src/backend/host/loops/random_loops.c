/* Loops of random numbers. Philox makes LANES blocks side by side, so that the compiler has vectors
 * of each of the four words; then each element is made of its words, again in vectors. */
#include "backend/host/loops/random_loops.h"

#include "backend/host/loops/entry.h"
#include "ops/random.h"

enum { LANES = 64 };

typedef struct lanes {
    uint32_t words[4][LANES];
} lanes;

static void make_lanes(lanes *made, uint64_t first, uint64_t key) {
    uint32_t a[LANES], b[LANES], c[LANES], d[LANES];
    for (int l = 0; l < LANES; l++) {
        uint64_t block = first + (uint64_t)l;
        a[l] = (uint32_t)block;
        b[l] = (uint32_t)(block >> 32);
        c[l] = d[l] = 0;
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

#define DRAWN(NAME, name, parameters, kind)                                                        \
    static void draw_##name(char *to, int64_t first, int64_t count, const double *numbers,         \
                            int64_t step, const tni_random *call) {                                \
        for (int64_t at = 0; at < count; at++) {                                                   \
            tn_draws draws = m_draws_of(call->key, 1 + (uint64_t)(first + at), call->block);       \
            store_##kind(to, at, m_draw_##name(&draws, numbers + at * step), call);                \
        }                                                                                          \
    }
#include <tenorite/distributions.def>

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
};
