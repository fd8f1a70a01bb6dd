/* Elements that are drawn together, each from its own sequence, by the methods of ops/random.h.
 *
 * A function of a batch takes the elements `at` (NULL: all `n` of them, in order), and reads and
 * writes columns, in which element i has place i. Elements differ in how many words they have taken.
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

/* One attempt of n elements side by side: their values, and whether those are good. */
typedef struct attempt {
    int n;
    uint64_t (*words)[CHUNK];
    tni_random_columns numbers;
    double *values;
    int64_t *is_good;
} attempt;

/* Runs attempts, each of `count` words, until all elements are good. */
static void until_good(batch *b, const int32_t *at, int n, int count,
                       void (*try)(const attempt *), const tni_random_columns *numbers,
                       double *values) {
    int32_t left[CHUNK];
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
        int rest = 0;
        for (int l = 0; at && l < n; l++)
            values[at[l]] = some[l];
        for (int l = 0; l < n; l++) {
            left[rest] = at ? at[l] : l;
            rest += !is_good[l];
        }
        at = left;
        n = rest;
    }
}

/* The second look at values of an attempt: those `maybe`, until then good or not, of which a
 * function says whether they are good. Gives how many they are, and their places. */
static inline int second_looks(int32_t *places, const attempt *a, const int64_t *is_maybe) {
    int count = 0;
    for (int l = 0; l < a->n; l++) {
        places[count] = l;
        count += is_maybe[l] != 0;
    }
    return count;
}

/* --- Sets of elements --- */

/* Those of `at` where a condition on i holds; `condition` may use i. */
#define SELECT(to, count, at, n, condition)                                                        \
    do {                                                                                           \
        (count) = 0;                                                                               \
        for (int l_ = 0; l_ < (n); l_++) {                                                         \
            const int i = (at) ? (at)[l_] : l_;                                                    \
            (to)[count] = i;                                                                       \
            (count) += (condition) != 0;                                                           \
        }                                                                                          \
    } while (0)

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
        ((int64_t *)(void *)to)[l] = (int64_t)values[l];
}

#endif
