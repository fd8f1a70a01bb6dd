/* Loops of drawn distributions: chunks of elements, each a batch. */
#include "backend/host/loops/random/counts.h"
#include "backend/host/loops/random/gammas.h"

/* --- Noncentral --- */

/* Noncentral chi-squared numbers. */
static void noncentral(batch *b, const double *degrees, const double *shifts, bool same,
                       double *values) {
    int32_t central[CHUNK], high[CHUNK], low[CHUNK];
    int centrals, highs, lows;
    column half, made;
#define D degrees[same ? 0 : i]
#define S shifts[same ? 0 : i]
    SELECT(central, centrals, (int32_t *)NULL, b->count, same, S == 0);
    SELECT(high, highs, (int32_t *)NULL, b->count, same, S != 0 && D > 1);
    SELECT(low, lows, (int32_t *)NULL, b->count, same, S != 0 && !(D > 1));
    COLUMN(half, b->count, same, S == 0 ? D / 2 : D > 1 ? (D - 1) / 2 : S / 2)
    const int32_t *const at_central = ALL_OR(central, centrals, b->count);
    const int32_t *const at_high = ALL_OR(high, highs, b->count);
    const int32_t *const at_low = ALL_OR(low, lows, b->count);
    if (centrals) gammas(b, at_central, centrals, half, same, values);
    if (highs) normals(b, at_high, highs, made);
    if (highs) gammas(b, at_high, highs, half, same, values);
    if (lows) poissons(b, at_low, lows, half, same, made);
    column shapes;
    for (int i = 0; lows && i < b->count; i++)
        shapes[i] = D / 2 + made[i];
    if (lows) gammas(b, at_low, lows, shapes, false, values);
    for (int i = 0; i < b->count; i++) {
        const double normal = S != 0 && D > 1 ? made[i] + sqrt(S) : 0;
        values[i] = 2 * values[i] + normal * normal;
    }
#undef D
#undef S
}

DRAW(noncentral_chisquare) {
    noncentral(b, p->of[0], p->of[1], p->same, values);
}

DRAW(noncentral_f) {
    column below;
    noncentral(b, p->of[0], p->of[2], p->same, values);
    half_gammas(b, p->of[1], p->same, below);
    for (int l = 0; l < b->count; l++) {
        const int i = p->same ? 0 : l;
        values[l] = values[l] * p->of[1][i] / (2 * below[l] * p->of[0][i]);
    }
}

/* --- Angles --- */

/* The second parameter is kappa, the third what m_vonmises_spread says of it. */
METHOD(vonmises, 3, (f->of[0] = p[1], f->of[1] = p[2]),
       m_vonmises_try(&c.value, f->of[0], f->of[1], w[0][l], w[1][l]), 0, NULL, 0)

DRAW(vonmises) {
    int32_t even[CHUNK], narrow[CHUNK], other[CHUNK];
    int evens, narrows, others;
    column spreads, made;
    words w;
    const double *mus = p->of[0], *kappas = p->of[1];
    const bool same = p->same;
    const tni_random_columns numbers = {{mus, kappas, spreads}, same};
#define K kappas[same ? 0 : i]
    SELECT(even, evens, (int32_t *)NULL, b->count, same, K < 1e-8);
    SELECT(narrow, narrows, (int32_t *)NULL, b->count, same, K > 1e6);
    SELECT(other, others, (int32_t *)NULL, b->count, same, !(K < 1e-8 || K > 1e6));
    COLUMN(spreads, b->count, same, m_vonmises_spread(K))
    if (evens) take(b, ALL_OR(even, evens, b->count), evens, 1, w);
    for (int l = 0; l < evens; l++)
        values[evens < b->count ? even[l] : l] = m_vonmises_even(w[0][l]);
    if (narrows) normals(b, ALL_OR(narrow, narrows, b->count), narrows, made);
    for (int l = 0; l < narrows; l++) {
        const int i = narrows < b->count ? narrow[l] : l;
        values[i] = m_vonmises_place(made[i] * sqrt(1 / K), mus[same ? 0 : i]);
    }
#undef K
    if (!others) return;
    const int32_t *const at = ALL_OR(other, others, b->count);
    until_good(b, at, others, 2, try_vonmises, &numbers, values);
    take(b, at, others, 1, w);
    for (int l = 0; l < others; l++)
        made[l] = values[at ? at[l] : l];
    for (int l = 0; l < others; l++)
        made[l] = m_vonmises_turn(made[l], w[0][l]);
    for (int l = 0; l < others; l++) {
        const int i = at ? at[l] : l;
        values[i] = m_vonmises_place(made[l], mus[same ? 0 : i]);
    }
}

/* --- Distributions that take the same number of words for every element --- */

static inline tn_draws ready_draws(words w, int l, int count) {
    tn_draws draws = m_draws_of(0, 0, 0);
    for (int k = 0; k < TNI_RANDOM_AHEAD; k++)
        draws.ahead[k] = k < count ? w[count - 1 - k][l] : 0;
    draws.ready = count;
    return draws;
}

#define EVEN(name, each)                                                                           \
    DRAW(name) {                                                                                   \
        words w;                                                                                   \
        take(b, NULL, b->count, each, w);                                                          \
        const double only[TN_RANDOM_PARAMETERS] = {p->of[0][0], p->of[1][0], p->of[2][0]};         \
        if (p->same)                                                                               \
            for (int l = 0; l < b->count; l++) {                                                   \
                tn_draws draws = ready_draws(w, l, each);                                          \
                values[l] = m_draw_##name(&draws, only);                                           \
            }                                                                                      \
        else                                                                                       \
            for (int l = 0; l < b->count; l++) {                                                   \
                const double of[TN_RANDOM_PARAMETERS] = {p->of[0][l], p->of[1][l], p->of[2][l]};   \
                tn_draws draws = ready_draws(w, l, each);                                          \
                values[l] = m_draw_##name(&draws, of);                                             \
            }                                                                                      \
    }
EVEN(cauchy, 4)
EVEN(gumbel, 1)
EVEN(laplace, 1)
EVEN(logistic, 1)
EVEN(lognormal, 2)
EVEN(pareto, 1)
EVEN(power, 1)
EVEN(rayleigh, 1)
EVEN(triangular, 1)
EVEN(wald, 3)
EVEN(weibull, 1)

/* --- The loops --- */

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

#define CHUNKS(name, store)                                                                        \
    static void loop_##name(char *to, int64_t first, int64_t count,                                \
                            const tni_random_columns *columns, const tni_random *call) {           \
        const int64_t bytes = call->dtype == TN_F32 ? 4 : 8;                                       \
        for (int64_t done = 0; done < count; done += CHUNK) {                                      \
            const int n = count - done < CHUNK ? (int)(count - done) : CHUNK;                      \
            column values;                                                                         \
            batch b;                                                                               \
            open_batch(&b, first + done, n, call);                                                 \
            LEVEL(tni_draw_##name)(&b, columns, values);                                           \
            store;                                                                                 \
        }                                                                                          \
    }
#define FLOATS(name) CHUNKS(name, store_floats(to + done * bytes, n, values, call))
#define COUNTS(name) CHUNKS(name, store_counts(to + done * bytes, n, values))
FLOATS(gamma)
FLOATS(beta)
FLOATS(chisquare)
FLOATS(f)
FLOATS(noncentral_chisquare)
FLOATS(noncentral_f)
FLOATS(cauchy)
FLOATS(student_t)
FLOATS(gumbel)
FLOATS(laplace)
FLOATS(logistic)
FLOATS(lognormal)
FLOATS(pareto)
FLOATS(power)
FLOATS(rayleigh)
FLOATS(triangular)
FLOATS(vonmises)
FLOATS(wald)
FLOATS(weibull)
COUNTS(poisson)
COUNTS(binomial)
COUNTS(negative_binomial)
COUNTS(hypergeometric)
COUNTS(logseries)
COUNTS(zipf)

/* Integers that are not all doubles. */
#define WHOLE(name, number)                                                                        \
    static void loop_##name(char *to, int64_t first, int64_t count, const tni_random_columns *p,   \
                            const tni_random *call) {                                              \
        int64_t *out = (int64_t *)(void *)to;                                                      \
        const double *row = p->of[0], only = row[0];                                               \
        for (int64_t done = 0; done < count; done += CHUNK, out += CHUNK) {                        \
            const int n = count - done < CHUNK ? (int)(count - done) : CHUNK;                      \
            batch b;                                                                               \
            words w;                                                                               \
            open_batch(&b, first + done, n, call);                                                 \
            take(&b, NULL, n, 2, w);                                                               \
            if (p->same)                                                                           \
                for (int l = 0; l < n; l++)                                                        \
                    out[l] = number(&b, only, w, l);                                               \
            else                                                                                   \
                for (int l = 0; l < n; l++)                                                        \
                    out[l] = number(&b, row[l], w, l);                                             \
        }                                                                                          \
    }

static inline int64_t geometric_of(const batch *b, double chance, words w, int l) {
    (void)b;
    return m_geometric_of(chance, w[0][l]);
}

/* A word that is rejected is rare: then what follows it is drawn. */
static inline int64_t span_of(const batch *b, double bits, words w, int l) {
    tn_draws draws = ready_draws(w, l, 2);
    draws.key = b->call->key;
    draws.sequence = b->first + (uint64_t)l;
    draws.block = b->call->block + 1;
    return m_draw_span(&draws, &bits);
}

WHOLE(geometric, geometric_of)
WHOLE(span, span_of)

extern const tni_random_draw_loop LEVEL(tni_random_draws)[tn_distribution_count];
const tni_random_draw_loop LEVEL(tni_random_draws)[tn_distribution_count] = {
#define DRAWN(NAME, name, parameters, kind) [TN_RANDOM_##NAME] = loop_##name,
#include <tenorite/distributions.def>
};
