/* Normal and gamma numbers of a batch, and what is made of them. */
#ifndef TNI_BACKEND_HOST_LOOPS_RANDOM_GAMMAS_H
#define TNI_BACKEND_HOST_LOOPS_RANDOM_GAMMAS_H

#include "backend/host/loops/random/batch.h"

static void normals(batch *b, const int32_t *at, int n, double *values) {
    column some;
    words w;
    take(b, at, n, 2, w);
    double *to = at ? some : values;
    for (int l = 0; l < n; l++)
        to[l] = m_normal_pair_f64(w[0][l], w[1][l]).re;
    for (int l = 0; at && l < n; l++)
        values[at[l]] = some[l];
}

static void try_gammas(const attempt *a) {
    const double *shapes = a->numbers.of[0];
    const double depth = m_gamma_depth(shapes[0]);
    column squares, us, depths;
    int64_t is_maybe[CHUNK];
    int32_t places[CHUNK];
    if (!a->numbers.same)
        for (int l = 0; l < a->n; l++)
            depths[l] = m_gamma_depth(shapes[l]);
    if (a->numbers.same)
        for (int l = 0; l < a->n; l++)
            depths[l] = depth;
    for (int l = 0; l < a->n; l++) {
        tn_gamma_try t = m_gamma_try(depths[l], a->words[0][l], a->words[1][l], a->words[2][l]);
        a->values[l] = t.cube;
        squares[l] = t.square;
        us[l] = t.u;
        a->is_good[l] = m_gamma_is_inside(&t);
        is_maybe[l] = t.is_possible & !m_gamma_is_inside(&t);
    }
    const int count = places_of(places, is_maybe, a->n, true);
    column cubes;
    int64_t is_below[CHUNK];
    for (int k = 0; k < count; k++) { /* places[k] is at least k */
        squares[k] = squares[places[k]];
        us[k] = us[places[k]];
        depths[k] = depths[places[k]];
        cubes[k] = a->values[places[k]];
    }
    for (int k = 0; k < count; k++) {
        const tn_gamma_try t = {cubes[k], squares[k], us[k], 1};
        is_below[k] = m_gamma_is_below(&t, depths[k]);
    }
    for (int k = 0; k < count; k++)
        a->is_good[places[k]] = is_below[k];
}

/* Multiplies numbers of shapes below 1. */
static void boost_gammas(batch *b, const int32_t *at, int n, const double *shapes, bool same,
                         double *values) {
    column gathered, powers;
    words w;
    take(b, at, n, 1, w);
    const double *of = beside(gathered, shapes, at, n, same), only = shapes[0];
    if (same)
        for (int l = 0; l < n; l++)
            powers[l] = m_gamma_boost(only, w[0][l]);
    if (!same)
        for (int l = 0; l < n; l++)
            powers[l] = m_gamma_boost(of[l], w[0][l]);
    for (int l = 0; l < n; l++)
        values[at ? at[l] : l] *= powers[l];
}

static void gammas(batch *b, const int32_t *at, int n, const double *shapes, bool same,
                   double *values) {
    const tni_random_columns numbers = {{shapes}, same};
    int32_t good[CHUNK], low[CHUNK];
    int goods, lows;
    SELECT(good, goods, at, n, same, shapes[same ? 0 : i] > 0);
    SELECT(low, lows, at, n, same, shapes[same ? 0 : i] > 0 && shapes[same ? 0 : i] < 1);
    for (int l = 0; goods < n && l < n; l++) {
        const int i = at ? at[l] : l;
        values[i] = shapes[same ? 0 : i] == 0 ? 0 : TN_NAN;
    }
    const int32_t *const those = goods < n ? good : at;
    until_good(b, those, goods, 3, try_gammas, &numbers, values);
    const double depth = m_gamma_depth(shapes[0]);
    if (same)
        for (int l = 0; !those && l < goods; l++)
            values[l] *= depth;
    for (int l = 0; !(same && !those) && l < goods; l++) {
        const int i = those ? those[l] : l;
        values[i] *= m_gamma_depth(shapes[same ? 0 : i]);
    }
    if (lows) boost_gammas(b, lows < n ? low : at, lows, shapes, same, values);
}

/* A column made of others: EXPRESSION of i, for one element if all are the same. */
#define COLUMN(to, count, same, expression)                                                        \
    for (int i = 0, end_ = (same) ? 1 : (count); i < end_; i++)                                    \
        (to)[i] = (expression);

static void try_joehnk(const attempt *t) {
    const double *a = t->numbers.of[0], *b = t->numbers.of[1], one = a[0], other = b[0];
    if (t->numbers.same)
        for (int l = 0; l < t->n; l++)
            t->is_good[l] = m_joehnk_try(&t->values[l], one, other, t->words[0][l], t->words[1][l]);
    if (!t->numbers.same)
        for (int l = 0; l < t->n; l++)
            t->is_good[l] = m_joehnk_try(&t->values[l], a[l], b[l], t->words[0][l], t->words[1][l]);
}

static void draw_betas(batch *b, const tni_random_columns *p, double *values) {
    const double *one = p->of[0], *other = p->of[1];
    const bool same = p->same;
    int32_t large[CHUNK], small[CHUNK];
    int larges, smalls;
    column more;
    SELECT(large, larges, (int32_t *)NULL, b->count, same,
           one[same ? 0 : i] > 1 || other[same ? 0 : i] > 1);
    SELECT(small, smalls, (int32_t *)NULL, b->count, same,
           !(one[same ? 0 : i] > 1 || other[same ? 0 : i] > 1));
    if (smalls) until_good(b, larges ? small : NULL, smalls, 2, try_joehnk, p, values);
    if (!larges) return;
    const int32_t *const at = smalls ? large : NULL;
    gammas(b, at, larges, one, same, values);
    gammas(b, at, larges, other, same, more);
    for (int l = 0; l < larges; l++) {
        const int i = at ? at[l] : l;
        values[i] = values[i] / (values[i] + more[i]);
    }
}

static void draw_gammas(batch *b, const tni_random_columns *p, double *values) {
    gammas(b, NULL, b->count, p->of[0], p->same, values);
}

/* Of half as many degrees of freedom. */
static void half_gammas(batch *b, const double *degrees, bool same, double *values) {
    column half;
    COLUMN(half, b->count, same, degrees[i] / 2)
    gammas(b, NULL, b->count, half, same, values);
}

static void draw_chisquares(batch *b, const tni_random_columns *p, double *values) {
    half_gammas(b, p->of[0], p->same, values);
    for (int l = 0; l < b->count; l++)
        values[l] = 2 * values[l];
}

static void draw_fs(batch *b, const tni_random_columns *p, double *values) {
    column below;
    half_gammas(b, p->of[0], p->same, values);
    half_gammas(b, p->of[1], p->same, below);
    for (int l = 0; l < b->count; l++) {
        const int i = p->same ? 0 : l;
        values[l] = values[l] * p->of[1][i] / (below[l] * p->of[0][i]);
    }
}

static void draw_student_ts(batch *b, const tni_random_columns *p, double *values) {
    column below;
    normals(b, NULL, b->count, values);
    half_gammas(b, p->of[0], p->same, below);
    for (int l = 0; l < b->count; l++)
        values[l] = sqrt(p->of[0][p->same ? 0 : l] / 2) * values[l] / sqrt(below[l]);
}

#endif
