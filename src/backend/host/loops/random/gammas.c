/* Normal and gamma numbers of a batch, and what is made of them. */
#include "backend/host/loops/random/gammas.h"

void normals(batch *b, const int32_t *at, int n, double *values) {
    column some;
    words w;
    take(b, at, n, 2, w);
    double *to = at ? some : values;
    for (int l = 0; l < n; l++)
        to[l] = m_normal_pair_f64(w[0][l], w[1][l]).re;
    for (int l = 0; at && l < n; l++)
        values[at[l]] = some[l];
}

INLINE int look_at_gamma(candidate *c, double depth, words w, int l) {
    const tn_gamma_try t = m_gamma_try(depth, w[0][l], w[1][l], w[2][l]);
    c->value = t.cube;
    c->aside = t.square;
    c->is_possible = t.is_possible;
    return m_gamma_is_inside(&t);
}

INLINE int is_gamma_below(const candidate *c, const facts *f, uint64_t word) {
    const tn_gamma_try t = {c->value, c->aside, m_open64(word), 1};
    return m_gamma_is_below(&t, f->of[0]);
}

METHOD(gammas, 1, f->of[0] = m_gamma_depth(p[0]), look_at_gamma(&c, f->of[0], w, l), c.is_possible,
       is_gamma_below, 2)

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

void gammas(batch *b, const int32_t *at, int n, const double *shapes, bool same, double *values) {
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

METHOD(joehnk, 2, memcpy(f, p, sizeof *p * 2),
       m_joehnk_try(&c.value, f->of[0], f->of[1], w[0][l], w[1][l]), 0, NULL, 0)

DRAW(beta) {
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

DRAW(gamma) {
    gammas(b, NULL, b->count, p->of[0], p->same, values);
}

void half_gammas(batch *b, const double *degrees, bool same, double *values) {
    column half;
    COLUMN(half, b->count, same, degrees[i] / 2)
    gammas(b, NULL, b->count, half, same, values);
}

DRAW(chisquare) {
    half_gammas(b, p->of[0], p->same, values);
    for (int l = 0; l < b->count; l++)
        values[l] = 2 * values[l];
}

DRAW(f) {
    column below;
    half_gammas(b, p->of[0], p->same, values);
    half_gammas(b, p->of[1], p->same, below);
    for (int l = 0; l < b->count; l++) {
        const int i = p->same ? 0 : l;
        values[l] = values[l] * p->of[1][i] / (below[l] * p->of[0][i]);
    }
}

DRAW(student_t) {
    column below;
    normals(b, NULL, b->count, values);
    half_gammas(b, p->of[0], p->same, below);
    for (int l = 0; l < b->count; l++)
        values[l] = sqrt(p->of[0][p->same ? 0 : l] / 2) * values[l] / sqrt(below[l]);
}
