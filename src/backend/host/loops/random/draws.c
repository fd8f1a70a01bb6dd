/* Loops of drawn distributions: chunks of elements, each a batch. */
#include "backend/host/loops/random/counts.h"

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

static void draw_noncentral_chisquares(batch *b, const tni_random_columns *p, double *values) {
    noncentral(b, p->of[0], p->of[1], p->same, values);
}

static void draw_noncentral_fs(batch *b, const tni_random_columns *p, double *values) {
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
static void try_vonmises(const attempt *a) {
    const double *kappas = a->numbers.of[1], *spreads = a->numbers.of[2];
    const double kappa = kappas[0], spread = spreads[0];
    if (a->numbers.same)
        for (int l = 0; l < a->n; l++)
            a->is_good[l] =
                m_vonmises_try(&a->values[l], kappa, spread, a->words[0][l], a->words[1][l]);
    if (!a->numbers.same)
        for (int l = 0; l < a->n; l++)
            a->is_good[l] = m_vonmises_try(&a->values[l], kappas[l], spreads[l], a->words[0][l],
                                           a->words[1][l]);
}

static void draw_vonmises_angles(batch *b, const tni_random_columns *p, double *values) {
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
    static void draw_##name##_numbers(batch *b, const tni_random_columns *p, double *values) {     \
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

#define CHUNKS(name, numbers, store)                                                               \
    static void loop_##name(char *to, int64_t first, int64_t count,                                \
                            const tni_random_columns *columns, const tni_random *call) {           \
        const int64_t bytes = call->dtype == TN_F32 ? 4 : 8;                                       \
        for (int64_t done = 0; done < count; done += CHUNK) {                                      \
            const int n = count - done < CHUNK ? (int)(count - done) : CHUNK;                      \
            column values;                                                                         \
            batch b;                                                                               \
            open_batch(&b, first + done, n, call);                                                 \
            draw_##numbers(&b, columns, values);                                                   \
            store;                                                                                 \
        }                                                                                          \
    }
#define FLOATS(name, numbers)                                                                      \
    CHUNKS(name, numbers, store_floats(to + done * bytes, n, values, call))
#define COUNTS(name, numbers) CHUNKS(name, numbers, store_counts(to + done * bytes, n, values))
FLOATS(gamma, gammas)
FLOATS(beta, betas)
FLOATS(chisquare, chisquares)
FLOATS(f, fs)
FLOATS(noncentral_chisquare, noncentral_chisquares)
FLOATS(noncentral_f, noncentral_fs)
FLOATS(cauchy, cauchy_numbers)
FLOATS(student_t, student_ts)
FLOATS(gumbel, gumbel_numbers)
FLOATS(laplace, laplace_numbers)
FLOATS(logistic, logistic_numbers)
FLOATS(lognormal, lognormal_numbers)
FLOATS(pareto, pareto_numbers)
FLOATS(power, power_numbers)
FLOATS(rayleigh, rayleigh_numbers)
FLOATS(triangular, triangular_numbers)
FLOATS(vonmises, vonmises_angles)
FLOATS(wald, wald_numbers)
FLOATS(weibull, weibull_numbers)
COUNTS(poisson, poissons)
COUNTS(binomial, binomials)
COUNTS(negative_binomial, negative_binomials)
COUNTS(hypergeometric, hypergeometrics)
COUNTS(logseries, logseries_numbers)
COUNTS(zipf, zipfs)

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
