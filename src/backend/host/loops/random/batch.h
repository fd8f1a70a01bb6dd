/* Elements that are drawn together, each from its own sequence, by the methods of ops/random.h.
 *
 * A function of a batch takes the elements `at` (NULL: all `n` of them, in order), and reads and
 * writes columns, in which element i has place i. Each element has taken as many words as it needs.
 * Words and what is made of them lie side by side, so that loops over them are vectors. */
#ifndef TNI_BACKEND_HOST_LOOPS_RANDOM_BATCH_H
#define TNI_BACKEND_HOST_LOOPS_RANDOM_BATCH_H

#include "backend/host/loops/random/words.h"

enum { CHUNK = TNI_RANDOM_CHUNK };

typedef struct batch {
    const tni_random *call;
    uint64_t first; /* the sequence of the first element */
    int count;
    int32_t taken[CHUNK]; /* words of 64 bits, by each element */
} batch;

typedef double column[CHUNK];
typedef uint64_t words[TNI_RANDOM_AHEAD + 2][CHUNK];

static inline void open_batch(batch *b, int64_t first, int count, const tni_random *call) {
    b->call = call;
    b->first = 1 + (uint64_t)first;
    b->count = count;
    memset(b->taken, 0, (size_t)count * sizeof *b->taken);
}

/* The next words of each element, up to TNI_RANDOM_AHEAD of them, each in a row. */
static void take(batch *b, const int32_t *at, int n, int count, words made) {
    uint64_t blocks[CHUNK], sequences[CHUNK], is_odd[CHUNK], is_any_odd = 0;
    const int padded = whole_vectors(n);
    for (int l = 0; l < n; l++) {
        const int i = at ? at[l] : l;
        const uint64_t taken = (uint64_t)b->taken[i];
        blocks[l] = b->call->block + taken / 2;
        sequences[l] = b->first + (uint64_t)i;
        is_any_odd |= is_odd[l] = taken & 1;
        b->taken[i] += count;
    }
    for (int l = n; l < padded; l++)
        blocks[l] = sequences[l] = 0;
    for (int k = 0; k < count + (int)is_any_odd; k += 2) {
        philox_blocks(made[k], made[k + 1], padded, blocks, sequences, b->call->key);
        for (int l = 0; l < padded; l++)
            blocks[l]++;
    }
    for (int k = 0; is_any_odd && k < count; k++)
        for (int l = 0; l < n; l++)
            made[k][l] = is_odd[l] ? made[k + 1][l] : made[k][l];
}

/* Elements of a number's column beside each other; a column of numbers that are the same stays. */
static inline const double *beside(column to, const double *from, const int32_t *at, int n,
                                   bool same) {
    if (!at || same) return from;
    for (int l = 0; l < n; l++)
        to[l] = from[at[l]];
    return to;
}

/* --- Rejection --- */

/* The places of flags that are set, or of those that are not; how many they are. */
static int places_of(int32_t *places, const int64_t *flags, int n, bool set) {
    int count = 0, l = 0;
#if defined(__AVX512F__) && defined(__AVX512VL__)
    __m256i at = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    for (; l + 8 <= n; l += 8, at = _mm256_add_epi32(at, _mm256_set1_epi32(8))) {
        const __m512i eight = _mm512_loadu_si512(flags + l);
        const __mmask8 mask = _mm512_test_epi64_mask(eight, eight) ^ (set ? 0 : 0xff);
        _mm256_storeu_si256((__m256i_u *)(places + count), _mm256_maskz_compress_epi32(mask, at));
        count += __builtin_popcount(mask);
    }
#endif
    for (; l < n; l++) {
        places[count] = l;
        count += (flags[l] != 0) == set;
    }
    return count;
}

/* One attempt of n elements side by side: their values, and whether those are good. */
typedef struct attempt {
    int n;
    uint64_t (*words)[CHUNK];
    tni_random_columns numbers;
    double *values;
    int64_t *is_good;
} attempt;

/* Runs attempts, each of `count` words, until all elements are good. */
static void until_good(batch *b, const int32_t *at, int n, int count, void (*try)(const attempt *),
                       const tni_random_columns *numbers, double *values) {
    int32_t left[CHUNK], places[CHUNK];
    column gathered[TN_RANDOM_PARAMETERS], some;
    int64_t is_good[CHUNK];
    words made;
    for (int k = 0; n > 0 && k < TNI_RANDOM_ATTEMPTS; k++) {
        attempt a = {n, made, *numbers, at ? some : values, is_good};
        take(b, at, n, count, made);
        for (int p = 0; p < TN_RANDOM_PARAMETERS; p++)
            if (numbers->of[p])
                a.numbers.of[p] = beside(gathered[p], numbers->of[p], at, n, numbers->same);
        try(&a);
        for (int l = 0; at && l < n; l++)
            values[at[l]] = some[l];
        n = places_of(places, is_good, n, false);
        for (int l = 0; l < n; l++)
            left[l] = at ? at[places[l]] : places[l]; /* places[l] is at least l */
        at = left;
    }
}

/* --- Sets of elements --- */

/* Those of `at` where a condition on i holds; `condition` may use i. If numbers are the same for
 * all elements it holds for all or none, and only `count` is written. */
#define SELECT(to, count, at, n, same, condition)                                                  \
    do {                                                                                           \
        (count) = 0;                                                                               \
        for (int l_ = 0, end_ = (same) ? 1 : (n); l_ < end_; l_++) {                               \
            const int i = (at) && !(same) ? (at)[l_] : l_;                                         \
            (to)[count] = i;                                                                       \
            (count) += (condition) != 0;                                                           \
        }                                                                                          \
        if (same) (count) *= (n);                                                                  \
    } while (0)
/* Selected elements, or NULL if they are all that there are. */
#define ALL_OR(selected, count, of) ((count) < (of) ? (selected) : NULL)

/* --- What is drawn goes to its place --- */

static void store_floats(char *to, int n, const double *values, const tni_random *call) {
    const double scale = call->scale, location = call->location;
    if (call->dtype == TN_F64)
        for (int l = 0; l < n; l++)
            ((double *)(void *)to)[l] = values[l] * scale + location;
    else
        for (int l = 0; l < n; l++)
            ((float *)(void *)to)[l] = (float)(values[l] * scale + location);
}

static void store_counts(char *to, int n, const double *values) {
    for (int l = 0; l < n; l++)
        ((int64_t *)(void *)to)[l] = m_count(values[l]);
}

#endif
