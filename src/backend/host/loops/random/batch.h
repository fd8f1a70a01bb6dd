/* Elements that are drawn together, each from its own sequence, by the methods of ops/random.h.
 *
 * A function of a batch takes the elements `at` (NULL: all `n` of them, in order), and reads and
 * writes columns, in which element i has place i. Each element has taken as many words as it needs.
 * Words and what is made of them lie side by side, so that loops over them are vectors. */
#ifndef TNI_BACKEND_HOST_LOOPS_RANDOM_BATCH_H
#define TNI_BACKEND_HOST_LOOPS_RANDOM_BATCH_H

#include "backend/host/loops/entry.h"
#include "backend/host/loops/random/loops.h"
#include "ops/random.h"

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
#define take LEVEL(tni_random_take)
void take(batch *b, const int32_t *at, int n, int count, words made);

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
#define until_good LEVEL(tni_random_until_good)
void until_good(batch *b, const int32_t *at, int n, int count, void (*try)(const attempt *),
                const tni_random_columns *numbers, double *values);

/* The places of flags that are set, or of those that are not; how many they are. */
#define places_of LEVEL(tni_random_places_of)
int places_of(int32_t *places, const int64_t *flags, int n, bool set);

/* What a method makes of an element's numbers. */
typedef union facts {
    double of[TN_RANDOM_PARAMETERS];
    tn_ptrs ptrs;
    tn_btrs btrs;
    tn_hrua hrua;
    tn_zipf zipf;
} facts;

/* A value that may be good, and what a second look needs of it. */
typedef struct candidate {
    double value, aside;
    int is_good, is_possible;
} candidate;

/* A method of rejection. The first look at element l's words decides for most; what it leaves
 * possible is looked at again, elements that are so side by side. */
typedef void (*facts_of)(facts *f, const double *numbers);
typedef candidate (*first_look)(const facts *f, words w, int l);
typedef int (*second_look)(const candidate *c, const facts *f, uint64_t word);

#define INLINE static inline __attribute__((always_inline))

/* The facts of element l; a column beyond the `count` of the method is not there. */
INLINE void make_facts(facts *f, facts_of make, int count, const double *const *of, int l) {
    const double numbers[TN_RANDOM_PARAMETERS] = {of[0][l], count > 1 ? of[1][l] : 0,
                                                  count > 2 ? of[2][l] : 0};
    make(f, numbers);
}

/* The second look, which reads row `word` of the words. */
INLINE void look_again(const attempt *a, int count, facts_of make, second_look look, int word,
                       const facts *only, double *asides, const int64_t *is_possible) {
    int32_t places[CHUNK];
    const int n = places_of(places, is_possible, a->n, true);
    const bool same = a->numbers.same;
    column values, gathered[TN_RANDOM_PARAMETERS];
    const double *const of[TN_RANDOM_PARAMETERS] = {gathered[0], gathered[1], gathered[2]};
    uint64_t seconds[CHUNK];
    int64_t is_good[CHUNK];
    for (int k = 0; k < n; k++) { /* places[k] is at least k */
        const int l = places[k];
        values[k] = a->values[l];
        asides[k] = asides[l];
        seconds[k] = a->words[word][l];
        for (int p = 0; p < count; p++)
            gathered[p][k] = a->numbers.of[p][same ? 0 : l];
    }
    if (same)
        for (int k = 0; k < n; k++)
            is_good[k] = look(&(candidate){values[k], asides[k], false, true}, only, seconds[k]);
    if (!same)
        for (int k = 0; k < n; k++) {
            facts each;
            make_facts(&each, make, count, of, k);
            is_good[k] = look(&(candidate){values[k], asides[k], false, true}, &each, seconds[k]);
        }
    for (int k = 0; k < n; k++)
        a->is_good[places[k]] = is_good[k];
}

/* An attempt by a method of `count` numbers, the first of them; `second` may be NULL. */
INLINE void try_method(const attempt *a, int count, facts_of make, first_look first,
                       second_look second, int word) {
    const double *const *of = a->numbers.of;
    facts only;
    column asides;
    int64_t is_possible[CHUNK];
    make_facts(&only, make, count, of, 0);
    if (a->numbers.same)
        for (int l = 0; l < a->n; l++) {
            const candidate c = first(&only, a->words, l);
            a->values[l] = c.value;
            a->is_good[l] = c.is_good;
            if (second) asides[l] = c.aside;
            if (second) is_possible[l] = c.is_possible;
        }
    if (!a->numbers.same)
        for (int l = 0; l < a->n; l++) {
            facts each;
            make_facts(&each, make, count, of, l);
            const candidate c = first(&each, a->words, l);
            a->values[l] = c.value;
            a->is_good[l] = c.is_good;
            if (second) asides[l] = c.aside;
            if (second) is_possible[l] = c.is_possible;
        }
    if (second) look_again(a, count, make, second, word, &only, asides, is_possible);
}

/* Stamps try_<name>: MAKE sets the facts f of numbers p; GOOD gives a value and what is aside from
 * words w[...][l], and whether the value is good; POSSIBLE whether else it may be. */
#define METHOD(name, count, make, good, possible, second, word)                                    \
    INLINE void name##_facts(facts *f, const double *p) {                                          \
        make;                                                                                      \
    }                                                                                              \
    INLINE candidate name##_first(const facts *f, words w, int l) {                                \
        candidate c;                                                                               \
        c.is_good = good;                                                                          \
        c.is_possible = (!c.is_good) & (possible);                                                 \
        return c;                                                                                  \
    }                                                                                              \
    static void try_##name(const attempt *a) {                                                     \
        try_method(a, count, name##_facts, name##_first, second, word);                            \
    }

/* --- Sets of elements --- */

/* The entries of `at` where a condition on i holds; `condition` may use i. If numbers are the same
 * for all elements it holds for all or none, and only `count` is written. */
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

/* A column made of others: EXPRESSION of i, for one element if all are the same. */
#define COLUMN(to, count, same, expression)                                                        \
    for (int i = 0, end_ = (same) ? 1 : (count); i < end_; i++)                                    \
        (to)[i] = (expression);

/* --- Distributions --- */

/* The numbers of a distribution, for all elements of a batch. */
#define DRAW(name)                                                                                 \
    void LEVEL(tni_draw_##name)(batch * b, const tni_random_columns *p, double *values)
#define DRAWN(NAME, name, parameters, kind) DRAW(name);
#include <tenorite/distributions.def>

#endif
