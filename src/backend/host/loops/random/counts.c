/* Counts of a batch, as doubles. */
#include "backend/host/loops/random/counts.h"

#include "backend/host/loops/random/gammas.h"

/* --- By inversion: how many of the sums of chances are below a number --- */

/* Of elements whose numbers are the same. A count of all sums is `beyond`. */
typedef struct table {
    double sums[TNI_RANDOM_TABLE], beyond;
    int length;
} table;

/* The numbers whose places among the sums are the counts, and the largest of them: of tables only
 * the sums below it matter. */
static double numbers_of(batch *b, const int32_t *at, int n, double *numbers) {
    words w;
    uint64_t most = 0;
    take(b, at, n, 1, w);
    for (int l = 0; l < n; l++) {
        numbers[l] = m_open64(w[0][l]);
        most = w[0][l] > most ? w[0][l] : most;
    }
    return m_open64(most);
}

static void count_by_table(const double *numbers, const int32_t *at, int n, const table *t,
                           double *values) {
    column counts;
    for (int l = 0; l < n; l++)
        counts[l] = 0;
    for (int k = 0; k < t->length; k++)
        for (int l = 0; l < n; l++)
            counts[l] += numbers[l] > t->sums[k] ? 1 : 0;
    for (int l = 0; l < n; l++)
        values[at ? at[l] : l] = counts[l] == t->length ? t->beyond : counts[l];
}

static void poisson_table(table *t, double mean, double most) {
    double chance = m_same_exp(-mean);
    t->beyond = TNI_RANDOM_TABLE;
    t->sums[0] = chance;
    for (t->length = 1; t->length < TNI_RANDOM_TABLE && t->sums[t->length - 1] < most;
         t->length++) {
        chance *= mean / (double)t->length;
        t->sums[t->length] = t->sums[t->length - 1] + chance;
        if (t->sums[t->length] == t->sums[t->length - 1]) break; /* as all that follow */
    }
}

/* n counts at most as a table goes; the sums of m_binomial_few. */
static void binomial_table(table *t, double n, double p, double most) {
    const double last = n < TNI_RANDOM_TABLE ? n : TNI_RANDOM_TABLE;
    double chance = m_same_exp(n * m_same_log1p(-p)), odds = p / (1 - p);
    t->beyond = last;
    t->sums[0] = chance;
    for (t->length = 1; t->length < last && t->sums[t->length - 1] < most; t->length++) {
        const double before = t->length - 1;
        chance *= (n - before) * odds / (before + 1);
        t->sums[t->length] = t->sums[t->length - 1] + chance;
        if (t->sums[t->length] == t->sums[t->length - 1]) break;
    }
}

/* Of means side by side, or of trials and chances. */
static void invert(int n, const uint64_t *word, const double *trials, const double *means,
                   const double *chances, double *counts) {
    column chance, sum, odds;
    for (int l = 0; !trials && l < n; l++) {
        odds[l] = means[l];
        chance[l] = m_same_exp(-means[l]);
    }
    for (int l = 0; trials && l < n; l++) {
        odds[l] = chances[l] / (1 - chances[l]);
        chance[l] = m_same_exp(trials[l] * m_same_log1p(-chances[l]));
    }
    for (int l = 0; l < n; l++) {
        sum[l] = chance[l];
        counts[l] = 0;
    }
    int64_t is_any = 1;
    for (int k = 0; is_any && k < TNI_RANDOM_TABLE; k++) {
        const double next = k + 1;
        is_any = 0;
        for (int l = 0; l < n; l++) {
            const bool is_more = m_open64(word[l]) > sum[l] && (!trials || k < trials[l]);
            counts[l] += is_more ? 1 : 0;
            is_any |= is_more;
            chance[l] *= trials ? (trials[l] - k) * odds[l] / next : odds[l] / next;
            sum[l] += chance[l];
        }
    }
}

/* --- Poisson --- */

INLINE int is_ptrs_below(const candidate *c, const facts *f, uint64_t word) {
    return m_ptrs_is_below(c->value, c->aside, &f->ptrs, word);
}

METHOD(ptrs, 1, f->ptrs = m_ptrs_of(p[0]),
       m_ptrs_try(&c.value, &c.aside, &f->ptrs, w[0][l], w[1][l]),
       m_ptrs_is_possible(c.value, c.aside, w[1][l]), is_ptrs_below, 1)

static void few_poissons(batch *b, const int32_t *at, int n, const double *means, bool same,
                         double *values) {
    column gathered, counts;
    words w;
    if (same) {
        table t;
        column drawn;
        poisson_table(&t, means[0], numbers_of(b, at, n, drawn));
        count_by_table(drawn, at, n, &t, values);
        return;
    }
    take(b, at, n, 1, w);
    invert(n, w[0], NULL, beside(gathered, means, at, n, false), NULL, counts);
    for (int l = 0; l < n; l++)
        values[at ? at[l] : l] = counts[l];
}

void poissons(batch *b, const int32_t *at, int n, const double *means, bool same, double *values) {
    const tni_random_columns numbers = {{means}, same};
    int32_t many[CHUNK], few[CHUNK];
    int manys, fews;
    SELECT(many, manys, at, n, same, means[same ? 0 : i] >= 10);
    SELECT(few, fews, at, n, same, means[same ? 0 : i] > 0 && means[same ? 0 : i] < 10);
    for (int l = 0; manys + fews < n && l < n; l++)
        values[at ? at[l] : l] = 0;
    if (manys) until_good(b, manys < n ? many : at, manys, 2, try_ptrs, &numbers, values);
    if (fews) few_poissons(b, fews < n ? few : at, fews, means, same, values);
}

DRAW(poisson) {
    poissons(b, NULL, b->count, p->of[0], p->same, values);
}

DRAW(negative_binomial) {
    column means;
    gammas(b, NULL, b->count, p->of[0], p->same, means);
    for (int l = 0; l < b->count; l++) {
        const double chance = p->of[1][p->same ? 0 : l];
        means[l] = means[l] * ((1 - chance) / chance);
    }
    poissons(b, NULL, b->count, means, false, values);
}

/* --- Binomial: of chances of at most a half --- */

INLINE int is_btrs_below(const candidate *c, const facts *f, uint64_t word) {
    return m_btrs_is_below(c->value, c->aside, &f->btrs, word);
}

METHOD(btrs, 2, f->btrs = m_btrs_of(p[0], p[1]),
       m_btrs_try(&c.value, &c.aside, &f->btrs, w[0][l], w[1][l]),
       m_btrs_is_possible(c.value, &f->btrs), is_btrs_below, 1)

static void few_binomials(batch *b, const int32_t *at, int n, const tni_random_columns *numbers,
                          double *values) {
    column trials, chances, counts;
    words w;
    if (numbers->same) {
        table t;
        column drawn;
        binomial_table(&t, numbers->of[0][0], numbers->of[1][0], numbers_of(b, at, n, drawn));
        count_by_table(drawn, at, n, &t, values);
        return;
    }
    take(b, at, n, 1, w);
    const double *ns = beside(trials, numbers->of[0], at, n, false);
    invert(n, w[0], ns, NULL, beside(chances, numbers->of[1], at, n, false), counts);
    for (int l = 0; l < n; l++)
        values[at ? at[l] : l] = counts[l];
}

DRAW(binomial) {
    column ns, less;
    const tni_random_columns numbers = {{ns, less}, p->same};
    int32_t many[CHUNK], few[CHUNK];
    int manys, fews;
    COLUMN(ns, b->count, p->same, floor(p->of[0][i]))
    COLUMN(less, b->count, p->same, p->of[1][i] > 0.5 ? 1 - p->of[1][i] : p->of[1][i])
    const bool same = p->same;
#define N ns[same ? 0 : i]
#define P less[same ? 0 : i]
    SELECT(many, manys, (int32_t *)NULL, b->count, same, N > 0 && P > 0 && !(N * P < 10));
    SELECT(few, fews, (int32_t *)NULL, b->count, same, N > 0 && P > 0 && N * P < 10);
#undef N
#undef P
    for (int l = 0; manys + fews < b->count && l < b->count; l++)
        values[l] = 0;
    if (manys) until_good(b, manys < b->count ? many : NULL, manys, 2, try_btrs, &numbers, values);
    if (fews) few_binomials(b, fews < b->count ? few : NULL, fews, &numbers, values);
    for (int l = 0; l < b->count; l++)
        if (p->of[1][same ? 0 : l] > 0.5) values[l] = ns[same ? 0 : l] - values[l];
}

/* --- Hypergeometric: of the rarer kind, in a sample of at most a half --- */

INLINE int is_hrua_good(const candidate *c, const facts *f, uint64_t word) {
    return m_hrua_is_good(c->value, &f->hrua, word);
}

METHOD(hrua, 3, f->hrua = m_hrua_of(p[0], p[1], p[2]), 0,
       m_hrua_is_possible(&c.value, &f->hrua, w[0][l], w[1][l]), is_hrua_good, 0)

/* One by one (m_hypergeometric_few). */
static void few_hypergeometrics(batch *b, const int32_t *at, int n, const tni_random_columns *p,
                                double *values) {
    column good, taken, all, sample;
    words w;
    double most = 0;
    for (int l = 0; l < n; l++) {
        const int i = p->same ? 0 : at ? at[l] : l;
        good[l] = p->of[0][i];
        taken[l] = 0;
        all[l] = p->of[0][i] + p->of[1][i];
        sample[l] = p->of[2][i];
        most = sample[l] > most ? sample[l] : most;
    }
    for (int drawn = 0; drawn < most; drawn++) {
        if (drawn % TNI_RANDOM_AHEAD == 0) take(b, at, n, TNI_RANDOM_AHEAD, w);
        const uint64_t *word = w[drawn % TNI_RANDOM_AHEAD];
        for (int l = 0; l < n; l++) {
            const double left = good[l] - taken[l];
            taken[l] += drawn < sample[l] && m_unit64(word[l]) * (all[l] - drawn) < left ? 1 : 0;
        }
    }
    for (int l = 0; l < n; l++)
        values[at ? at[l] : l] = taken[l];
}

DRAW(hypergeometric) {
    column less, more, ms;
    const tni_random_columns numbers = {{less, more, ms}, p->same};
    const double *const *of = p->of;
    const bool same = p->same;
    int32_t many[CHUNK], few[CHUNK];
    int manys, fews;
    for (int i = 0, end = same ? 1 : b->count; i < end; i++) {
        const double good = floor(of[0][i]), bad = floor(of[1][i]), sample = floor(of[2][i]);
        less[i] = good < bad ? good : bad;
        more[i] = good + bad - less[i];
        ms[i] = sample < good + bad - sample ? sample : good + bad - sample;
    }
    SELECT(few, fews, (int32_t *)NULL, b->count, same, ms[same ? 0 : i] < 10);
    SELECT(many, manys, (int32_t *)NULL, b->count, same, !(ms[same ? 0 : i] < 10));
    if (manys) until_good(b, fews ? many : NULL, manys, 2, try_hrua, &numbers, values);
    if (fews) few_hypergeometrics(b, manys ? few : NULL, fews, &numbers, values);
    for (int l = 0; l < b->count; l++) {
        const int i = same ? 0 : l;
        const double good = floor(of[0][i]), bad = floor(of[1][i]), sample = floor(of[2][i]);
        const double taken = good > bad ? ms[i] - values[l] : values[l];
        values[l] = ms[i] < sample ? good - taken : taken;
    }
}

/* --- Series --- */

METHOD(logseries, 1, (f->of[0] = p[0], f->of[1] = m_same_log1p(-p[0])),
       m_logseries_try(&c.value, f->of[0], f->of[1], w[0][l], w[1][l]), 0, NULL, 0)

DRAW(logseries) {
    until_good(b, NULL, b->count, 2, try_logseries, p, values);
}

METHOD(zipf, 1, f->zipf = m_zipf_of(p[0]), m_zipf_try(&c.value, &f->zipf, w[0][l], w[1][l]), 0,
       NULL, 0)

DRAW(zipf) {
    int32_t low[CHUNK];
    int lows;
    SELECT(low, lows, (int32_t *)NULL, b->count, p->same, !(p->of[0][p->same ? 0 : i] >= 1025));
    for (int l = 0; lows < b->count && l < b->count; l++)
        values[l] = 1;
    if (lows) until_good(b, lows < b->count ? low : NULL, lows, 2, try_zipf, p, values);
}
