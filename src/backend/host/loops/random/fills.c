/* Loops of filled distributions, an element or a pair of which is made of each word of a stream.
 * The words of some blocks are made first, then the elements, both in vectors. */
#include "backend/host/loops/random/words.h"

enum { BLOCKS = 64 };

/* The words of blocks that follow each other, in the order of the stream. */
typedef union stream {
    uint32_t narrow[4 * BLOCKS];
    uint64_t wide[2 * BLOCKS];
} stream;

static inline void make_stream(stream *made, uint64_t block, uint64_t key) {
    uint64_t blocks[BLOCKS], sequences[BLOCKS], low[BLOCKS], high[BLOCKS];
    for (int l = 0; l < BLOCKS; l++) {
        blocks[l] = block + (uint64_t)l;
        sequences[l] = 0;
    }
    philox_blocks(low, high, BLOCKS, blocks, sequences, key);
    for (int l = 0; l < BLOCKS; l++) {
        made->wide[2 * l] = low[l];
        made->wide[2 * l + 1] = high[l];
    }
}

/* STATEMENTS make the elements `made` of a step of words, from word `at` of the stream on, in
 * `count` steps of `each` elements. */
#define FILL(name, type, per, each, statements)                                                    \
    static void fill_##name(char *to, int64_t first, int64_t blocks, const tni_random *call) {     \
        type *out = (type *)(void *)to;                                                            \
        stream stream;                                                                             \
        for (int64_t done = 0; done < blocks; done += BLOCKS) {                                    \
            const int n = blocks - done < BLOCKS ? (int)(blocks - done) : BLOCKS;                  \
            make_stream(&stream, call->block + (uint64_t)(first + done), call->key);               \
            type *const group = out + done * per;                                                  \
            for (int l = 0; l < n * per; l += each) {                                              \
                type made[each];                                                                   \
                statements for (int k = 0; k < each; k++) group[l + k] = made[k];                  \
            }                                                                                      \
        }                                                                                          \
    }
#define PLACE(type) *(type)call->scale + (type)call->location

FILL(uniform_f32, float, 4, 1, made[0] = m_unit32(stream.narrow[l]) PLACE(float);)
FILL(uniform_f64, double, 2, 1, made[0] = m_unit64(stream.wide[l]) PLACE(double);)
FILL(exponential_f32, float, 4, 1, made[0] = m_wait32(stream.narrow[l]) PLACE(float);)
FILL(exponential_f64, double, 2, 1, made[0] = m_wait64(stream.wide[l]) PLACE(double);)
FILL(normal_f32, float, 4, 2,
     const tn_c64 pair = m_normal_pair_f32(stream.narrow[l], stream.narrow[l + 1]);
     made[0] = pair.re PLACE(float); made[1] = pair.im PLACE(float);)
FILL(normal_f64, double, 2, 2,
     const tn_c128 pair = m_normal_pair_f64(stream.wide[l], stream.wide[l + 1]);
     made[0] = pair.re PLACE(double); made[1] = pair.im PLACE(double);)
FILL(words_u32, uint32_t, 4, 1, made[0] = stream.narrow[l];)
FILL(words_u64, uint64_t, 2, 1, made[0] = stream.wide[l];)

/* --- Bounded integers (Lemire, 2019): rejected words are rare, and then drawn anew --- */

static uint64_t again(const tni_random *call, int64_t at) {
    tn_draws draws = m_draws_of(call->key, 1 + (uint64_t)at, call->block);
    return m_next_bounded(&draws, call->span);
}

#define BOUNDED(bits)                                                                              \
    static void bounded_##bits##_of_1(char *to, int64_t first, int64_t blocks,                     \
                                      const tni_random *call) {                                    \
        uint##bits##_t *out = (uint##bits##_t *)(void *)to;                                        \
        const uint32_t count = (uint32_t)call->span + 1, least = count ? (0 - count) % count : 0;  \
        const uint64_t low = call->low;                                                            \
        stream stream;                                                                             \
        for (int64_t done = 0; done < blocks; done += BLOCKS, out += 4 * BLOCKS) {                 \
            const int n = blocks - done < BLOCKS ? 4 * (int)(blocks - done) : 4 * BLOCKS;          \
            make_stream(&stream, call->block + (uint64_t)(first + done), call->key);               \
            uint32_t is_any_bad = 0;                                                               \
            for (int l = 0; l < n; l++) {                                                          \
                const uint64_t product = (uint64_t)stream.narrow[l] * count;                       \
                const uint64_t value = count ? product >> 32 : stream.narrow[l];                   \
                out[l] = (uint##bits##_t)(low + value);                                            \
                is_any_bad |= (uint32_t)product < least;                                           \
            }                                                                                      \
            for (int l = 0; is_any_bad && l < n; l++)                                              \
                if (stream.narrow[l] * count < least)                                              \
                    out[l] = (uint##bits##_t)(low + again(call, (first + done) * 4 + l));          \
        }                                                                                          \
    }                                                                                              \
    static void bounded_##bits##_of_2(char *to, int64_t first, int64_t blocks,                     \
                                      const tni_random *call) {                                    \
        uint##bits##_t *out = (uint##bits##_t *)(void *)to;                                        \
        const uint64_t count = call->span + 1, least = count ? (0 - count) % count : 0;            \
        stream stream;                                                                             \
        for (int64_t done = 0; done < blocks; done += BLOCKS, out += 2 * BLOCKS) {                 \
            const int n = blocks - done < BLOCKS ? 2 * (int)(blocks - done) : 2 * BLOCKS;          \
            make_stream(&stream, call->block + (uint64_t)(first + done), call->key);               \
            for (int l = 0; l < n; l++) {                                                          \
                uint64_t value = stream.wide[l];                                                   \
                if (__builtin_expect(value * count < least, 0))                                    \
                    value = again(call, (first + done) * 2 + l);                                   \
                else if (count)                                                                    \
                    value = m_high64(value, count);                                                \
                out[l] = (uint##bits##_t)(call->low + value);                                      \
            }                                                                                      \
        }                                                                                          \
    }
BOUNDED(8)
BOUNDED(16)
BOUNDED(32)
BOUNDED(64)

extern const tni_random_draw_loop LEVEL(tni_random_draws)[tn_distribution_count];
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
    .draws = LEVEL(tni_random_draws),
};
