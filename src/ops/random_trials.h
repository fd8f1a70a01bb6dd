/* Distributions by one attempt at a time, for machines whose threads go side by side: a thread
 * whose attempt is good goes on to its next element while others make another.
 *
 * m_<distribution>_trial_of(parameters) is what all attempts have in common;
 * m_<distribution>_attempt(value, draws, trial) makes one, and says whether it is good.
 * Invariant: an element's first good attempt is what m_draw_<distribution>() of random.h gives. */
#ifndef TNI_OPS_RANDOM_TRIALS_H
#define TNI_OPS_RANDOM_TRIALS_H

#include "random.h"

typedef struct tn_gamma_trial {
    double shape, depth;
} tn_gamma_trial;
TN_FN tn_gamma_trial m_gamma_trial_of(const double *p) {
    tn_gamma_trial t;
    t.shape = p[0];
    t.depth = m_gamma_depth(p[0]);
    return t;
}
TN_FN int m_gamma_attempt(double *value, tn_draws *draws, const tn_gamma_trial *t) {
    *value = t->shape == 0 ? 0 : TN_NAN;
    if (!(t->shape > 0)) return 1;
    if (!m_gamma_attempt_at(value, draws, t->depth)) return 0;
    *value *= t->depth;
    if (t->shape < 1) *value *= m_gamma_boost(t->shape, m_next64(draws));
    return 1;
}

typedef struct tn_poisson_trial {
    double mean;
    tn_ptrs many;
} tn_poisson_trial;
TN_FN tn_poisson_trial m_poisson_trial_of(const double *p) {
    tn_poisson_trial t = {0};
    t.mean = p[0];
    if (p[0] >= 10) t.many = m_ptrs_of(p[0]);
    return t;
}
TN_FN int m_poisson_attempt(tn_i64 *value, tn_draws *draws, const tn_poisson_trial *t) {
    double k;
    if (!(t->mean >= 10)) {
        *value = (tn_i64)m_poisson_few(draws, t->mean);
        return 1;
    }
    if (!m_ptrs_attempt(&k, draws, &t->many)) return 0;
    *value = m_count(k);
    return 1;
}

/* n is 0 where nothing is drawn, and `less` the smaller chance. */
typedef struct tn_binomial_trial {
    double n, less;
    int is_many, is_mirrored;
    tn_btrs many;
    tn_btrs_mode mode;
} tn_binomial_trial;
TN_FN tn_binomial_trial m_binomial_trial_of(const double *p) {
    tn_binomial_trial t = {0};
    double n = floor(p[0]);
    t.is_mirrored = p[1] > 0.5;
    t.less = t.is_mirrored ? 1 - p[1] : p[1];
    t.n = n > 0 ? n : 0;
    t.is_many = n * t.less >= 10;
    if (t.is_many) {
        t.many = m_btrs_of(n, t.less);
        t.mode = m_btrs_mode_of(&t.many);
    }
    return t;
}
TN_FN int m_binomial_attempt(tn_i64 *value, tn_draws *draws, const tn_binomial_trial *t) {
    double k = 0;
    if (t->is_many) {
        if (!m_btrs_attempt(&k, draws, &t->many, &t->mode)) return 0;
    } else if (t->n > 0 && t->less > 0) {
        k = (double)m_binomial_few(draws, t->n, t->less);
    }
    *value = m_count(t->is_mirrored ? t->n - k : k);
    return 1;
}

#endif
