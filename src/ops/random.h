/* Random numbers: a counter-based generator, and the distributions that are made of its words.
 *
 * Decides: which words an element is made of. The words of Philox 4x32-10 (Salmon, Moraes, Dror and
 * Shaw, SC11) are a function of a key, a sequence and a block, four words a block. A *filled*
 * distribution takes the same number of words for every element, from one sequence; a *drawn* one
 * takes a sequence for each element and as many words as its method asks for. So an element's value
 * depends on no other's, nor on how many threads make them.
 * Invariant: for a seed, a sequence and an offset the words are those of cuRAND's generator of that
 * name. Methods that reject stop after ATTEMPTS, which they reach with a chance below 2**-64.
 * Sources of the methods stand beside them. */
#ifndef TNI_OPS_RANDOM_H
#define TNI_OPS_RANDOM_H

#include "random_maths.h"

enum {
    TNI_RANDOM_ATTEMPTS = 512,
    TNI_RANDOM_TABLE = 128, /* counts by inversion are below it: of a mean below 10 they are */
    TNI_RANDOM_AHEAD = 4    /* words of 64 bits */
};

typedef struct tn_words {
    tn_u32 at[4];
} tn_words;

TN_FN tn_u64 m_product(tn_u32 a, tn_u32 b) {
#ifdef TN_DEVICE
    tn_u64 product; /* one instruction, where the product of wide numbers may become three */
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
    return product;
#else
    return (tn_u64)a * b;
#endif
}

TN_FN tn_words m_philox(tn_u64 block, tn_u64 sequence, tn_u64 key) {
    tn_u32 a = (tn_u32)block, b = (tn_u32)(block >> 32), c = (tn_u32)sequence;
    tn_u32 d = (tn_u32)(sequence >> 32), k = (tn_u32)key, l = (tn_u32)(key >> 32);
    for (int round = 0; round < 10; round++) {
        tn_u64 p = m_product(0xd2511f53u, a), q = m_product(0xcd9e8d57u, c);
        a = (tn_u32)(q >> 32) ^ b ^ k;
        b = (tn_u32)q;
        c = (tn_u32)(p >> 32) ^ d ^ l;
        d = (tn_u32)p;
        k += 0x9e3779b9u;
        l += 0xbb67ae85u;
    }
    tn_words words;
    words.at[0] = a;
    words.at[1] = b;
    words.at[2] = c;
    words.at[3] = d;
    return words;
}

/* --- Filled: four words at a time --- */

TN_FN tn_u64 m_word64(tn_u32 low, tn_u32 high) {
    return low | (tn_u64)high << 32;
}

/* In [0, 1), every multiple of 2**-24, or of 2**-53. */
TN_FN float m_unit32(tn_u32 word) {
    return (float)(tn_i32)(word >> 8) * 5.9604644775390625e-08f;
}
TN_FN double m_unit64(tn_u64 word) {
    return (double)(tn_i64)(word >> 11) * 1.1102230246251565404e-16;
}
/* In (0, 1): the middle of an interval of 2**-52. */
TN_FN double m_open64(tn_u64 word) {
    return ((double)(tn_i64)(word >> 12) + 0.5) * 2.220446049250313080847e-16;
}

/* Two independent normal numbers (Box and Muller, 1958). */
TN_FN tn_c64 m_normal_pair_f32(tn_u32 radius, tn_u32 angle) {
    float r = m_rootf(-2 * m_same_open_logf(radius));
    tn_c64 at = m_same_circlef(angle);
    at.re *= r;
    at.im *= r;
    return at;
}
TN_FN tn_c128 m_normal_pair_f64(tn_u64 radius, tn_u64 angle) {
    double r = sqrt(-2 * m_same_log(m_open64(radius)));
    tn_c128 at = m_same_circle(m_unit64(angle));
    at.re *= r;
    at.im *= r;
    return at;
}

/* Exponential numbers, by inversion. */
TN_FN float m_wait32(tn_u32 word) {
    return -m_same_open_logf(word);
}
TN_FN double m_wait64(tn_u64 word) {
    return -m_same_log(m_open64(word));
}

/* m_fill_<distribution>_<dtype>(to, words): 4 or 2 elements of four words. */
TN_FN void m_fill_uniform_f32(float *to, const tn_u32 *w) {
    for (int k = 0; k < 4; k++)
        to[k] = m_unit32(w[k]);
}
TN_FN void m_fill_uniform_f64(double *to, const tn_u32 *w) {
    for (int k = 0; k < 2; k++)
        to[k] = m_unit64(m_word64(w[2 * k], w[2 * k + 1]));
}
TN_FN void m_fill_normal_f32(float *to, const tn_u32 *w) {
    for (int k = 0; k < 4; k += 2) {
        tn_c64 pair = m_normal_pair_f32(w[k], w[k + 1]);
        to[k] = pair.re;
        to[k + 1] = pair.im;
    }
}
TN_FN void m_fill_normal_f64(double *to, const tn_u32 *w) {
    tn_c128 pair = m_normal_pair_f64(m_word64(w[0], w[1]), m_word64(w[2], w[3]));
    to[0] = pair.re;
    to[1] = pair.im;
}
TN_FN void m_fill_exponential_f32(float *to, const tn_u32 *w) {
    for (int k = 0; k < 4; k++)
        to[k] = m_wait32(w[k]);
}
TN_FN void m_fill_exponential_f64(double *to, const tn_u32 *w) {
    for (int k = 0; k < 2; k++)
        to[k] = m_wait64(m_word64(w[2 * k], w[2 * k + 1]));
}
TN_FN void m_fill_words_u32(tn_u32 *to, const tn_u32 *w) {
    for (int k = 0; k < 4; k++)
        to[k] = w[k];
}
TN_FN void m_fill_words_u64(tn_u64 *to, const tn_u32 *w) {
    for (int k = 0; k < 2; k++)
        to[k] = m_word64(w[2 * k], w[2 * k + 1]);
}

/* --- Generators with a state: XORWOW (Marsaglia, 2003), MRG32k3a (L'Ecuyer, 1999) --- */

enum { TNI_PHILOX, TNI_XORWOW, TNI_MRG32K3A };
/* Element i of a call takes the next words of sequence i modulo LANES, whose state lies in column
 * i modulo LANES of LANE_WORDS rows. */
enum { TNI_RANDOM_LANES = 16384, TNI_LANE_WORDS = 6 };

TN_FN tn_u32 m_next_xorwow(tn_u32 *s) {
    tn_u32 t = s[0] ^ (s[0] >> 2);
    for (int k = 0; k < 4; k++)
        s[k] = s[k + 1];
    s[4] ^= (s[4] << 4) ^ t ^ (t << 1);
    s[5] += 362437;
    return s[4] + s[5];
}

#define M_MRG_1 4294967087u
#define M_MRG_2 4294944443u
/* 32 bits of a value in 1 .. M_MRG_1, scaled as cuRAND does. */
TN_FN tn_u32 m_next_mrg32k3a(tn_u32 *s) {
    tn_u32 a = (tn_u32)((1403580ull * s[1] + 810728ull * (M_MRG_1 - s[0])) % M_MRG_1);
    tn_u32 b = (tn_u32)((527612ull * s[5] + 1370589ull * (M_MRG_2 - s[3])) % M_MRG_2);
    s[0] = s[1];
    s[1] = s[2];
    s[2] = a;
    s[3] = s[4];
    s[4] = s[5];
    s[5] = b;
    double value = (double)(a > b ? a - b : a - b + M_MRG_1) * 1.000000048662;
    return value < 4294967295.0 ? (tn_u32)value : ~(tn_u32)0;
}

/* --- Drawn: words of an element's own sequence, or of its lane --- */

typedef struct tn_draws {
    int kind;
    tn_u64 key, sequence, block;
    tn_words words;
    int left; /* pairs of `words` that were not taken */
    tn_u32 lane[TNI_LANE_WORDS];
#ifndef TN_DEVICE
    /* The first words of an element, the last one of them first, where vectors made them. */
    tn_u64 ahead[TNI_RANDOM_AHEAD];
    int ready;
#endif
} tn_draws;

TN_FN tn_draws m_draws_of(tn_u64 key, tn_u64 sequence, tn_u64 block) {
    tn_draws draws;
    draws.kind = TNI_PHILOX;
    draws.key = key;
    draws.sequence = sequence;
    draws.block = block;
    for (int k = 0; k < 4; k++)
        draws.words.at[k] = 0;
    draws.left = 0;
    for (int k = 0; k < TNI_LANE_WORDS; k++)
        draws.lane[k] = 0;
#ifndef TN_DEVICE
    draws.ready = 0;
#endif
    return draws;
}
/* The states of a lane, from its column of all states. */
TN_FN tn_draws m_draws_of_lane(int kind, const tn_u32 *states, tn_i64 lane) {
    tn_draws draws = m_draws_of(0, 0, 0);
    draws.kind = kind;
#ifndef TN_DEVICE
    for (int k = 0; k < TNI_RANDOM_AHEAD; k++)
        draws.ahead[k] = 0;
#endif
    for (int k = 0; k < TNI_LANE_WORDS; k++)
        draws.lane[k] = states[k * TNI_RANDOM_LANES + lane];
    return draws;
}
TN_FN void m_keep_lane(const tn_draws *draws, tn_u32 *states, tn_i64 lane) {
    for (int k = 0; k < TNI_LANE_WORDS; k++)
        states[k * TNI_RANDOM_LANES + lane] = draws->lane[k];
}

/* Of a lane. */
TN_FN tn_u32 m_next32(tn_draws *draws) {
    return draws->kind == TNI_XORWOW ? m_next_xorwow(draws->lane) : m_next_mrg32k3a(draws->lane);
}

TN_CALLED tn_words m_philox_called(tn_u64 block, tn_u64 sequence, tn_u64 key) {
    return m_philox(block, sequence, key);
}
TN_FN tn_u64 m_next64(tn_draws *draws) {
#ifndef TN_DEVICE
    if (draws->ready) return draws->ahead[--draws->ready];
#endif
    if (draws->kind != TNI_PHILOX) {
        tn_u32 low = m_next32(draws);
        return m_word64(low, m_next32(draws));
    }
    if (draws->left == 0) {
        draws->words = m_philox_called(draws->block++, draws->sequence, draws->key);
        draws->left = 2;
    }
    draws->left--;
    return draws->left ? m_word64(draws->words.at[0], draws->words.at[1])
                       : m_word64(draws->words.at[2], draws->words.at[3]);
}

TN_FN double m_next_unit(tn_draws *draws) {
    return m_unit64(m_next64(draws));
}
TN_FN double m_next_open(tn_draws *draws) {
    return m_open64(m_next64(draws));
}
TN_FN double m_next_exponential(tn_draws *draws) {
    return m_wait64(m_next64(draws));
}
TN_FN double m_next_normal(tn_draws *draws) {
    tn_u64 radius = m_next64(draws), angle = m_next64(draws);
    return m_normal_pair_f64(radius, angle).re;
}

/* An integer in [0, last] of 64 bits without bias (Lemire, 2019). */
#ifndef TN_DEVICE
__extension__ typedef unsigned __int128 tn_u128;
#endif
TN_FN tn_u64 m_high64(tn_u64 a, tn_u64 b) {
#ifdef TN_DEVICE
    return __umul64hi(a, b);
#else
    return (tn_u64)((tn_u128)a * b >> 64);
#endif
}
TN_FN tn_u64 m_next_bounded(tn_draws *draws, tn_u64 last) {
    tn_u64 count = last + 1, word = m_next64(draws);
    if (count == 0) return word;
    if (word * count < count) { /* least < count: most words need no remainder */
        tn_u64 least = (0 - count) % count;
        for (int k = 0; k < TNI_RANDOM_ATTEMPTS && word * count < least; k++)
            word = m_next64(draws);
    }
    return m_high64(word, count);
}
TN_FN tn_i64 m_draw_span(tn_draws *draws, const double *p) {
    return (tn_i64)m_next_bounded(draws, M_BITS(p[0]));
}

/* Marsaglia and Tsang, 2000; shapes below 1 by their section 6. Attempts have no jumps, here and
 * below, so that a compiler may make vectors of many. */
TN_FN double m_gamma_depth(double shape) {
    return (shape < 1 ? shape + 1 : shape) - 1.0 / 3;
}
typedef struct tn_gamma_try {
    double cube, square, u;
    int is_possible;
} tn_gamma_try;
TN_FN tn_gamma_try m_gamma_try(double d, tn_u64 radius, tn_u64 angle, tn_u64 word) {
    tn_gamma_try made;
    double x = m_normal_pair_f64(radius, angle).re;
    double v = 1 + x / sqrt(9 * d), root = v > 0 ? v : 1;
    made.cube = root * root * root;
    made.square = x * x;
    made.u = m_open64(word);
    made.is_possible = v > 0;
    return made;
}
/* Most values are good by the first of these. */
TN_FN int m_gamma_is_inside(const tn_gamma_try *t) {
    return t->is_possible & (t->u < 1 - 0.0331 * t->square * t->square);
}
TN_FN int m_gamma_is_below(const tn_gamma_try *t, double d) {
    return t->is_possible &
           (m_same_log(t->u) < 0.5 * t->square + d * (1 - t->cube + m_same_log(t->cube)));
}
/* What makes a number of a shape below 1 of one of the shape and 1. */
TN_FN double m_gamma_boost(double shape, tn_u64 word) {
    return m_same_exp(-m_wait64(word) / shape);
}
/* One attempt; whether it is good. */
TN_FN int m_gamma_attempt_at(double *value, tn_draws *draws, double d) {
    tn_u64 radius = m_next64(draws), angle = m_next64(draws);
    tn_gamma_try t = m_gamma_try(d, radius, angle, m_next64(draws));
    *value = t.cube;
    return m_gamma_is_inside(&t) || m_gamma_is_below(&t, d);
}
TN_CALLED double m_gamma_of(tn_draws *draws, double shape) {
    if (!(shape > 0)) return shape == 0 ? 0 : TN_NAN;
    double d = m_gamma_depth(shape), v = 1;
    for (int k = 0; k < TNI_RANDOM_ATTEMPTS; k++)
        if (m_gamma_attempt_at(&v, draws, d)) break;
    if (shape >= 1) return d * v;
    return d * v * m_gamma_boost(shape, m_next64(draws));
}
TN_FN double m_draw_gamma(tn_draws *draws, const double *p) {
    return m_gamma_of(draws, p[0]);
}
TN_FN double m_draw_chisquare(tn_draws *draws, const double *p) {
    return 2 * m_gamma_of(draws, p[0] / 2);
}
TN_FN double m_draw_f(tn_draws *draws, const double *p) {
    double above = m_gamma_of(draws, p[0] / 2) * p[1];
    return above / (m_gamma_of(draws, p[1] / 2) * p[0]);
}

/* Joehnk, 1964, where both shapes are at most 1; else a ratio of gammas. */
TN_FN int m_joehnk_try(double *value, double a, double b, tn_u64 first, tn_u64 second) {
    double up = (a < 1e-250) & (b < 1e-250) ? 1e200 : 1; /* quotients of neither are infinite */
    double x = -m_wait64(first) / (a * up), y = -m_wait64(second) / (b * up);
    double power = m_same_exp(x > y ? y - x : x - y);
    *value = (x > y ? 1 : power) / (1 + power);
    return m_same_exp(x) + m_same_exp(y) <= 1;
}
TN_FN double m_draw_beta(tn_draws *draws, const double *p) {
    if (p[0] > 1 || p[1] > 1) {
        double a = m_gamma_of(draws, p[0]), b = m_gamma_of(draws, p[1]);
        return a / (a + b);
    }
    double value = 0;
    for (int k = 0; k < TNI_RANDOM_ATTEMPTS; k++) {
        tn_u64 first = m_next64(draws);
        if (m_joehnk_try(&value, p[0], p[1], first, m_next64(draws))) break;
    }
    return value;
}

TN_FN double m_draw_cauchy(tn_draws *draws, const double *p) {
    (void)p;
    double above = m_next_normal(draws);
    return above / m_next_normal(draws);
}
TN_FN double m_draw_student_t(tn_draws *draws, const double *p) {
    double normal = m_next_normal(draws);
    return sqrt(p[0] / 2) * normal / sqrt(m_gamma_of(draws, p[0] / 2));
}
TN_FN double m_draw_gumbel(tn_draws *draws, const double *p) {
    (void)p;
    return -m_same_log(m_next_exponential(draws));
}
TN_FN double m_draw_laplace(tn_draws *draws, const double *p) {
    (void)p;
    double u = m_next_open(draws);
    return u < 0.5 ? m_same_log(2 * u) : -m_same_log(2 - 2 * u);
}
TN_FN double m_draw_logistic(tn_draws *draws, const double *p) {
    (void)p;
    double u = m_next_open(draws);
    return m_same_log(u / (1 - u));
}
TN_FN double m_draw_lognormal(tn_draws *draws, const double *p) {
    return m_same_exp(p[0] + p[1] * m_next_normal(draws));
}
TN_FN double m_draw_pareto(tn_draws *draws, const double *p) {
    return m_same_expm1(m_next_exponential(draws) / p[0]);
}
TN_FN double m_draw_power(tn_draws *draws, const double *p) {
    return m_same_pow(-m_same_expm1(-m_next_exponential(draws)), 1 / p[0]);
}
TN_FN double m_draw_rayleigh(tn_draws *draws, const double *p) {
    (void)p;
    return sqrt(2 * m_next_exponential(draws));
}
TN_FN double m_draw_weibull(tn_draws *draws, const double *p) {
    return m_pick(p[0] == 0, 0, m_same_pow(m_next_exponential(draws), 1 / p[0]));
}
/* By inversion: parameters left, mode, right. */
TN_FN double m_draw_triangular(tn_draws *draws, const double *p) {
    double u = m_next_unit(draws), base = p[2] - p[0], left = p[1] - p[0], right = p[2] - p[1];
    return u * base <= left ? p[0] + sqrt(u * left * base) : p[2] - sqrt((1 - u) * right * base);
}
/* Michael, Schucany and Haas, 1976: parameters mean and scale. */
TN_FN double m_draw_wald(tn_draws *draws, const double *p) {
    double normal = m_next_normal(draws), y = p[0] * normal * normal;
    double x = p[0] * (1 - 2 / (1 + sqrt(1 + 4 * p[1] / y)));
    return m_next_unit(draws) * (p[0] + x) <= p[0] ? x : p[0] * p[0] / x;
}
/* Best and Fisher, 1979: parameters mu and kappa; the result is in [-pi, pi]. */
#define M_PI_64 3.14159265358979323846
TN_FN double m_vonmises_spread(double kappa) {
    double root = 1 + sqrt(1 + 4 * kappa * kappa), rho = (root - sqrt(2 * root)) / (2 * kappa);
    return kappa < 1e-5 ? 1 / kappa + kappa : (1 + rho * rho) / (2 * rho);
}
/* The cosine of the angle. */
TN_FN int m_vonmises_try(double *cosine, double kappa, double s, tn_u64 first, tn_u64 second) {
    double z = m_same_circle(m_unit64(first) / 2).re, w = (1 + s * z) / (s + z);
    double y = kappa * (s - w), v = m_open64(second);
    *cosine = w;
    return (y * (2 - y) - v >= 0) | (m_same_log(y / v) + 1 - y >= 0);
}
TN_FN double m_vonmises_turn(double cosine, tn_u64 word) {
    double w = cosine, angle = m_same_angle(sqrt(w < 1 ? 1 - w * w : 0), w);
    return m_unit64(word) < 0.5 ? -angle : angle;
}
TN_FN double m_vonmises_place(double angle, double mu) {
    angle += mu;
    return angle - 2 * M_PI_64 * floor((angle + M_PI_64) / (2 * M_PI_64));
}
TN_FN double m_vonmises_even(tn_u64 word) {
    return M_PI_64 * (2 * m_unit64(word) - 1);
}
TN_FN double m_draw_vonmises(tn_draws *draws, const double *p) {
    double kappa = p[1], w = 0;
    if (kappa < 1e-8) return m_vonmises_even(m_next64(draws));
    if (kappa > 1e6) return m_vonmises_place(m_next_normal(draws) * sqrt(1 / kappa), p[0]);
    double s = m_vonmises_spread(kappa);
    for (int k = 0; k < TNI_RANDOM_ATTEMPTS; k++) {
        tn_u64 first = m_next64(draws);
        if (m_vonmises_try(&w, kappa, s, first, m_next64(draws))) break;
    }
    return m_vonmises_place(m_vonmises_turn(w, m_next64(draws)), p[0]);
}

/* --- Integers --- */

/* A count as an integer: the largest one for what is beyond it, 0 for what is below 0 and NaN. */
TN_FN tn_i64 m_count(double value) {
    int is_beyond = value >= 9.2233720368547748e18;
    tn_i64 within = (tn_i64)m_pick((value > 0) & !is_beyond, value, 0);
    return is_beyond ? (tn_i64)(~(tn_u64)0 >> 1) : within;
}

/* Poisson: by inversion below 10, PTRS above (Hoermann, 1993). */
typedef struct tn_ptrs {
    double mean, a, b, most, inverse, log_mean;
} tn_ptrs;
TN_FN tn_ptrs m_ptrs_of(double mean) {
    tn_ptrs p;
    p.mean = mean;
    p.b = 0.931 + 2.53 * sqrt(mean);
    p.a = -0.059 + 0.02483 * p.b;
    p.most = 0.9277 - 3.6224 / (p.b - 2);
    p.inverse = 1.1239 + 1.1328 / (p.b - 3.4);
    p.log_mean = m_same_log(mean);
    return p;
}
/* Whether an attempt is good without another look; `us` is left for that look. */
TN_FN int m_ptrs_try(double *count, double *us, const tn_ptrs *p, tn_u64 first, tn_u64 second) {
    double u = m_open64(first) - 0.5;
    *us = 0.5 - (u < 0 ? -u : u);
    *count = floor((2 * p->a / *us + p->b) * u + p->mean + 0.43);
    return (*us >= 0.07) & (m_open64(second) <= p->most);
}
TN_FN int m_ptrs_is_possible(double k, double us, tn_u64 second) {
    return (k >= 0) & ((us >= 0.013) | (m_open64(second) <= us));
}
TN_FN int m_ptrs_is_below(double k, double us, const tn_ptrs *p, tn_u64 second) {
    double bound = m_same_log(m_open64(second) * p->inverse / (p->a / (us * us) + p->b));
    return bound <= -p->mean + k * p->log_mean - m_same_lgamma(k + 1);
}
TN_FN int m_ptrs_attempt(double *k, tn_draws *draws, const tn_ptrs *p) {
    tn_u64 first = m_next64(draws), second = m_next64(draws);
    double us;
    if (m_ptrs_try(k, &us, p, first, second)) return 1;
    return m_ptrs_is_possible(*k, us, second) && m_ptrs_is_below(*k, us, p, second);
}
TN_FN double m_poisson_few(tn_draws *draws, double mean) {
    if (!(mean > 0)) return 0;
    double u = m_next_open(draws), chance = m_same_exp(-mean), sum = chance;
    tn_i64 count = 0;
    while (u > sum && count < TNI_RANDOM_TABLE) {
        chance *= mean / (double)++count;
        sum += chance;
    }
    return (double)count;
}
TN_CALLED double m_poisson_of(tn_draws *draws, double mean) {
    if (!(mean >= 10)) return m_poisson_few(draws, mean);
    const tn_ptrs p = m_ptrs_of(mean);
    double k = mean;
    for (int attempt = 0; attempt < TNI_RANDOM_ATTEMPTS; attempt++)
        if (m_ptrs_attempt(&k, draws, &p)) break;
    return k;
}
TN_FN tn_i64 m_draw_poisson(tn_draws *draws, const double *p) {
    return m_count(m_poisson_of(draws, p[0]));
}
TN_FN double m_draw_noncentral_chisquare(tn_draws *draws, const double *p) {
    if (p[1] == 0) return 2 * m_gamma_of(draws, p[0] / 2);
    if (p[0] > 1) {
        double normal = m_next_normal(draws) + sqrt(p[1]);
        return 2 * m_gamma_of(draws, (p[0] - 1) / 2) + normal * normal;
    }
    double more = m_poisson_of(draws, p[1] / 2);
    return 2 * m_gamma_of(draws, p[0] / 2 + more);
}
TN_FN double m_draw_noncentral_f(tn_draws *draws, const double *p) {
    double of[2];
    of[0] = p[0];
    of[1] = p[2];
    double above = m_draw_noncentral_chisquare(draws, of) * p[1];
    return above / (2 * m_gamma_of(draws, p[1] / 2) * p[0]);
}
TN_FN tn_i64 m_draw_negative_binomial(tn_draws *draws, const double *p) {
    return m_count(m_poisson_of(draws, m_gamma_of(draws, p[0]) * ((1 - p[1]) / p[1])));
}

/* By inversion. */
TN_FN tn_i64 m_geometric_of(double p, tn_u64 word) {
    double value = ceil(-m_wait64(word) / m_same_log1p(-p));
    int is_beyond = value >= 9.2233720368547748e18, is_one = (p >= 1) | (value < 1);
    tn_i64 within = (tn_i64)(is_beyond | is_one ? 1 : value);
    return is_one ? 1 : is_beyond ? (tn_i64)(~(tn_u64)0 >> 1) : within;
}
TN_FN tn_i64 m_draw_geometric(tn_draws *draws, const double *p) {
    return p[0] >= 1 ? 1 : m_geometric_of(p[0], m_next64(draws));
}

/* log(n! / sqrt(2 pi n) / (n / e)**n) + log of what n + 1 differs by: the tail of Stirling's
 * formula. */
TN_FN double m_stirling_tail(double n) {
    double far = m_same_stirling(n + 1);
#ifdef TN_DEVICE
    if (n >= 7) return far;
#endif
    double near =
        m_same_lgamma(n + 1) - ((n + 0.5) * m_same_log(n + 1) - (n + 1) + 0.91893853320467274178);
    return n >= 7 ? far : near;
}

/* BTRS (Hoermann, 1993), for n * p of at least 10 and p of at most a half. An attempt has no jumps,
 * as that of gammas; what it does not take at once the bound may. */
typedef struct tn_btrs {
    double n, r, a, b, c, most, alpha, m;
} tn_btrs;
TN_FN tn_btrs m_btrs_of(double n, double p) {
    double q = 1 - p, r = p / q, root = sqrt(n * p * q), b = 1.15 + 2.53 * root;
    double a = -0.0873 + 0.0248 * b + 0.01 * p, c = n * p + 0.5, most = 0.92 - 4.2 / b;
    double alpha = (2.83 + 5.1 / b) * root, m = floor((n + 1) * p);
    tn_btrs made = {n, r, a, b, c, most, alpha, m};
    return made;
}
TN_FN int m_btrs_try(double *k, double *side, const tn_btrs *t, tn_u64 first, tn_u64 second) {
    double u = m_open64(first) - 0.5, v = m_open64(second);
    double us = 0.5 - (u < 0 ? -u : u), value = floor((2 * t->a / us + t->b) * u + t->c);
    *side = us;
    *k = value;
    return (value >= 0) & (value <= t->n) & (us >= 0.07) & (v <= t->most);
}
TN_FN int m_btrs_is_possible(double k, const tn_btrs *t) {
    return (k >= 0) & (k <= t->n);
}
/* What all bounds of a distribution have in common. */
typedef struct tn_btrs_mode {
    double first, tail, other;
} tn_btrs_mode;
TN_FN tn_btrs_mode m_btrs_mode_of(const tn_btrs *t) {
    double n = t->n, m = t->m;
    tn_btrs_mode mode;
    mode.first = (m + 0.5) * m_same_log((m + 1) / (t->r * (n - m + 1)));
    mode.tail = m_stirling_tail(m);
    mode.other = m_stirling_tail(n - m);
    return mode;
}
TN_FN int m_btrs_is_within(double k, double us, const tn_btrs *t, const tn_btrs_mode *mode,
                           tn_u64 second) {
    double n = t->n, r = t->r, m = t->m, v = m_open64(second);
    double bound = mode->first + (n + 1) * m_same_log1p((k - m) / (n - k + 1)) +
                   (k + 0.5) * m_same_log(r * (n - k + 1) / (k + 1)) + mode->tail + mode->other -
                   m_stirling_tail(k) - m_stirling_tail(n - k);
    return m_same_log(v * t->alpha / (t->a / (us * us) + t->b)) <= bound;
}
TN_FN int m_btrs_is_below(double k, double us, const tn_btrs *t, tn_u64 second) {
    tn_btrs_mode mode = m_btrs_mode_of(t);
    return m_btrs_is_within(k, us, t, &mode, second);
}
TN_FN int m_btrs_attempt(double *k, tn_draws *draws, const tn_btrs *t, const tn_btrs_mode *mode) {
    tn_u64 first = m_next64(draws), second = m_next64(draws);
    double us;
    if (m_btrs_try(k, &us, t, first, second)) return 1;
    return m_btrs_is_possible(*k, t) && m_btrs_is_within(*k, us, t, mode, second);
}

/* By inversion, for n * p below 10. */
TN_FN tn_i64 m_binomial_few(tn_draws *draws, double n, double p) {
    double u = m_next_open(draws), chance = m_same_exp(n * m_same_log1p(-p)), odds = p / (1 - p);
    double sum = chance, count = 0;
    while (u > sum && count < n && count < TNI_RANDOM_TABLE) {
        chance *= (n - count) * odds / (count + 1);
        sum += chance;
        count += 1;
    }
    return (tn_i64)count;
}
TN_FN tn_i64 m_draw_binomial(tn_draws *draws, const double *p) {
    double n = floor(p[0]), less = p[1] > 0.5 ? 1 - p[1] : p[1], k = 0;
    if (n > 0 && less > 0 && n * less < 10) k = (double)m_binomial_few(draws, n, less);
    if (n * less >= 10) {
        const tn_btrs t = m_btrs_of(n, less);
        const tn_btrs_mode mode = m_btrs_mode_of(&t);
        for (int attempt = 0; attempt < TNI_RANDOM_ATTEMPTS; attempt++)
            if (m_btrs_attempt(&k, draws, &t, &mode)) break;
    }
    return m_count(p[1] > 0.5 ? n - k : k);
}

/* One by one where few are taken; else HRUA (Stadlober, 1989). Parameters good, bad, sample. */
TN_FN tn_i64 m_hypergeometric_few(tn_draws *draws, double good, double all, double sample) {
    double taken = 0;
    for (; sample > 0 && good - taken > 0; sample--, all--)
        if (m_next_unit(draws) * all < good - taken) taken++;
    return (tn_i64)taken;
}
TN_FN double m_log_factorials(double k, double less, double m, double more) {
    return m_same_lgamma(k + 1) + m_same_lgamma(less - k + 1) + m_same_lgamma(m - k + 1) +
           m_same_lgamma(more - m + k + 1);
}
typedef struct tn_hrua {
    double less, more, m, center, scale, at_mode, end;
} tn_hrua;
TN_FN tn_hrua m_hrua_of(double less, double more, double m) {
    tn_hrua made;
    double all = less + more, part = less / all, center = m * part + 0.5;
    double width = sqrt((all - m) * m * part * (1 - part) / (all - 1) + 0.5);
    double mode = floor((m + 1) * (less + 1) / (all + 2)), far = floor(center + 16 * width);
    double end = (m < less ? m : less) + 1;
    made.less = less;
    made.more = more;
    made.m = m;
    made.center = center;
    made.scale = 1.7155277699214135 * width + 0.8989161620588988;
    made.at_mode = m_log_factorials(mode, less, m, more);
    made.end = far < end ? far : end;
    return made;
}
TN_FN int m_hrua_is_possible(double *k, const tn_hrua *h, tn_u64 first, tn_u64 second) {
    double w = h->center + h->scale * (m_unit64(second) - 0.5) / m_open64(first);
    *k = floor(w);
    return (w >= 0) & (w < h->end);
}
TN_FN int m_hrua_is_good(double k, const tn_hrua *h, tn_u64 first) {
    double x = m_open64(first), t = h->at_mode - m_log_factorials(k, h->less, h->m, h->more);
    int is_inside = x * (4 - x) - 3 <= t, is_outside = x * (x - t) >= 1;
    return is_inside | (!is_outside & (2 * m_same_log(x) <= t));
}
TN_FN tn_i64 m_hypergeometric_many(tn_draws *draws, double less, double more, double m) {
    tn_hrua h = m_hrua_of(less, more, m);
    double k = 0;
    for (int attempt = 0; attempt < TNI_RANDOM_ATTEMPTS; attempt++) {
        tn_u64 first = m_next64(draws), second = m_next64(draws);
        if (m_hrua_is_possible(&k, &h, first, second) && m_hrua_is_good(k, &h, first)) break;
    }
    return m_count(k);
}
TN_FN tn_i64 m_draw_hypergeometric(tn_draws *draws, const double *p) {
    double good = floor(p[0]), bad = floor(p[1]), all = good + bad, sample = floor(p[2]);
    double m = sample < all - sample ? sample : all - sample, less = good < bad ? good : bad;
    double taken;
    if (m < 10)
        taken = (double)m_hypergeometric_few(draws, less, all, m);
    else
        taken = (double)m_hypergeometric_many(draws, less, all - less, m);
    if (good > bad) taken = m - taken;
    return m_count(m < sample ? good - taken : taken);
}

/* Kemp, 1981; `r` is log(1 - p). */
TN_FN int m_logseries_try(double *value, double p, double r, tn_u64 first, tn_u64 second) {
    double v = m_open64(first), q = -m_same_expm1(r * m_unit64(second));
    double far = floor(1 + m_same_log(v) / m_same_log(q));
    *value = v >= p ? 1 : v <= q * q ? far : v >= q ? 1 : 2;
    return *value >= 1;
}
TN_FN tn_i64 m_draw_logseries(tn_draws *draws, const double *p) {
    double r = m_same_log1p(-p[0]), value = 1;
    for (int k = 0; k < TNI_RANDOM_ATTEMPTS; k++) {
        tn_u64 first = m_next64(draws);
        if (m_open64(first) >= p[0]) return 1;
        if (m_logseries_try(&value, p[0], r, first, m_next64(draws))) return m_count(value);
    }
    return 1;
}

/* Devroye, 1986, X.6. */
typedef struct tn_zipf {
    double less, b, least;
} tn_zipf;
TN_FN tn_zipf m_zipf_of(double a) {
    tn_zipf made;
    made.less = a - 1;
    made.b = m_same_pow(2, made.less);
    made.least = m_same_pow(9.2233720368547748e18, -made.less);
    return made;
}
TN_FN int m_zipf_try(double *value, const tn_zipf *z, tn_u64 first, tn_u64 second) {
    double mix = m_unit64(first), u = mix * z->least + (1 - mix);
    double x = floor(m_same_pow(u, -1 / z->less)), t = m_same_pow(1 + 1 / x, z->less);
    *value = x;
    return (x >= 1) & (x < 9.2233720368547748e18) &
           (m_unit64(second) * x * (t - 1) / (z->b - 1) <= t / z->b);
}
TN_FN tn_i64 m_draw_zipf(tn_draws *draws, const double *p) {
    if (p[0] >= 1025) return 1;
    tn_zipf z = m_zipf_of(p[0]);
    double value;
    for (int k = 0; k < TNI_RANDOM_ATTEMPTS; k++) {
        tn_u64 first = m_next64(draws);
        if (m_zipf_try(&value, &z, first, m_next64(draws))) return m_count(value);
    }
    return 1;
}

/* --- Filled distributions, an element at a time, of a lane's words --- */

TN_FN tn_u32 m_lane_words_u32(tn_draws *draws) {
    return m_next32(draws);
}
TN_FN tn_u64 m_lane_words_u64(tn_draws *draws) {
    return m_next64(draws);
}
TN_FN float m_lane_uniform_f32(tn_draws *draws) {
    return m_unit32(m_next32(draws));
}
TN_FN double m_lane_uniform_f64(tn_draws *draws) {
    return m_next_unit(draws);
}
TN_FN float m_lane_normal_f32(tn_draws *draws) {
    tn_u32 radius = m_next32(draws);
    return m_normal_pair_f32(radius, m_next32(draws)).re;
}
TN_FN double m_lane_normal_f64(tn_draws *draws) {
    return m_next_normal(draws);
}
TN_FN float m_lane_exponential_f32(tn_draws *draws) {
    return m_wait32(m_next32(draws));
}
TN_FN double m_lane_exponential_f64(tn_draws *draws) {
    return m_next_exponential(draws);
}

#endif
