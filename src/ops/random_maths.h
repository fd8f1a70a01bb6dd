/* Elementary functions whose bits are the same on every machine: made of sums, products, quotients
 * and square roots alone, which IEEE 754 rounds in one way, and compiled without contraction.
 *
 * Decides: the logarithms, exponentials and angles that random numbers are made of (random.h), so
 * that a seed gives the same numbers on the host and on a GPU. Errors are at most 2 ulp.
 * Source of the polynomials: fdlibm (Sun Microsystems, 1993) for double, Cephes (S. Moshier) and
 * FreeBSD's msun for float; the asymptotic series of log-gamma is Stirling's (Abramowitz and Stegun
 * 6.1.41). */
#ifndef TNI_OPS_RANDOM_MATHS_H
#define TNI_OPS_RANDOM_MATHS_H

#include "scalar.h"

/* A function that on the device stays one, for programs that call it from many places: else most
 * of their compilation is its copies. */
#ifdef TN_DEVICE
#define TN_CALLED template <int = 0> __device__ __noinline__
#else
#define TN_CALLED TN_FN
#endif

#define M_BITS(x) TN_NAME(to_bits, f64)(x)
#define M_FROM(x) TN_NAME(from_bits, f64)(x)
#define M_BITS32(x) TN_NAME(to_bits, f32)(x)
#define M_FROM32(x) TN_NAME(from_bits, f32)(x)

/* One of two values, both of which are computed: a compiler moves neither after a jump, and so
 * can make vectors of what calls this. */
TN_FN double m_pick(int is_first, double first, double second) {
    tn_u64 mask = (tn_u64)0 - (tn_u64)(is_first != 0);
    return M_FROM((M_BITS(first) & mask) | (M_BITS(second) & ~mask));
}

/* log(x) of a normal x > 0. */
TN_FN double m_same_log(double x) {
    tn_u64 bits =
        M_BITS(x) + 0x00095f6200000000; /* so that the fraction is in sqrt(1/2)..sqrt(2) */
    tn_i32 exponent = (tn_i32)(bits >> 52) - 1023;
    double f = M_FROM((bits & 0x000fffffffffffff) + 0x3fe6a09e00000000) - 1;
    double s = f / (2 + f), z = s * s, w = z * z;
    double even = w * (3.999999999940941908e-01 +
                       w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
    double odd = z * (6.666666666666735130e-01 +
                      w * (2.857142874366239149e-01 +
                           w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
    double half = 0.5 * f * f, k = exponent;
    return k * 6.93147180369123816490e-01 -
           ((half - (s * (half + (even + odd)) + k * 1.90821492927058770002e-10)) - f);
}

/* A quotient and a square root of floats from whose making nothing leaves the normal range (but a
 * root of 0), rounded as IEEE 754 asks: on the device the machine's own steps, without its branches
 * for what does. */
#ifdef TN_DEVICE
TN_FN float m_quotientf(float a, float b) {
    float near;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(near) : "f"(b));
    near = __fmaf_rn(__fmaf_rn(-b, near, 1), near, near);
    const float quotient = a * near;
    return __fmaf_rn(near, __fmaf_rn(-b, quotient, a), quotient);
}
TN_FN float m_rootf(float a) {
    float near; /* finite for 0, too, so that the root is 0 */
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(near) : "f"(fmaxf(a, 1e-30f)));
    const float root = a * near;
    return __fmaf_rn(__fmaf_rn(-root, root, a), near * 0.5f, root);
}
#else
TN_FN float m_quotientf(float a, float b) {
    return a / b;
}
TN_FN float m_rootf(float a) {
    return sqrtf(a);
}
#endif

/* log((n + 1 / 4) / 2**31), the middle of an interval of (0, 1), for n = word / 2. */
TN_FN float m_same_open_logf(tn_u32 word) {
    tn_u32 bits = M_BITS32((float)(tn_i32)(word >> 1) + 0.25f) + 0x004afb0d;
    float k = (float)((tn_i32)(bits >> 23) - (127 + 31));
    float f = M_FROM32((bits & 0x007fffff) + 0x3f3504f3) - 1;
    float s = m_quotientf(f, 2 + f), z = s * s, w = z * z;
    float even = w * (0.40000972152f + w * 0.24279078841f);
    float odd = z * (0.66666662693f + w * 0.28498786688f);
    float half = 0.5f * f * f;
    return k * 6.9313812256e-01f -
           ((half - (s * (half + (even + odd)) + k * 9.0580006145e-06f)) - f);
}

/* exp(x); 0 and infinity beyond the range, subnormal results are 0. */
TN_FN double m_same_exp(double x) {
    const tn_u64 sign = (tn_u64)1 << 63;
    int is_within = (x > -708) & (x <= 709.7);
    double within = m_pick(is_within, x, 0);
    double half = M_FROM(M_BITS(0.5) | (M_BITS(within) & sign));
    tn_i32 k = (tn_i32)(within * 1.44269504088896338700 + half);
    double high = within - k * 6.93147180369123816490e-01, low = k * 1.90821492927058770002e-10;
    double r = high - low, t = r * r;
    double c =
        r - t * (1.66666666666666019037e-01 +
                 t * (-2.77777777770155933842e-03 +
                      t * (6.61375632143793436117e-05 +
                           t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))));
    double y = 1 - ((low - (r * c) / (2 - c)) - high);
    double beyond = x > 709.7 ? TN_INFINITY : x != x ? x : 0;
    return m_pick(is_within, M_FROM(M_BITS(y) + ((tn_u64)(tn_i64)k << 52)), beyond);
}

/* log(1 + x) for x > -1 and exp(x) - 1, by Kahan's correction of the rounded sum. */
TN_FN double m_same_log1p(double x) {
    double u = 1 + x;
    double value = m_same_log(u) * (x / (u - 1));
    return u == 1 ? x : value;
}

TN_FN double m_same_expm1(double x) {
    double u = m_same_exp(x);
    double value = (u - 1) * (x / m_same_log(u));
    value = ((u - 1 == -1) | (u > 1e300)) ? u - 1 : value;
    return u == 1 ? x : value;
}

/* x ** y for x >= 0. */
TN_FN double m_same_pow(double x, double y) {
    return m_pick(x == 0, y == 0 ? 1 : 0, m_same_exp(m_same_log(x) * y));
}

/* sin and cos of |x| <= pi / 4. */
TN_FN double m_same_small_sin(double x) {
    double z = x * x;
    return x + x * z *
                   (-1.66666666666666324348e-01 +
                    z * (8.33333333332248946124e-03 +
                         z * (-1.98412698298579493134e-04 +
                              z * (2.75573137070700676789e-06 +
                                   z * (-2.50507602534068634195e-08 +
                                        z * 1.58969099521155010221e-10)))));
}

TN_FN double m_same_small_cos(double x) {
    double z = x * x;
    return 1 - 0.5 * z +
           z * z *
               (4.16666666666666019037e-02 +
                z * (-1.38888888888741095749e-03 +
                     z * (2.48015872894767294178e-05 +
                          z * (-2.75573143513906633035e-07 +
                               z * (2.08757232129817482790e-09 +
                                    z * -1.13596475577881948265e-11)))));
}

/* The cosine and the sine of turns * 2 * pi, for turns in [0, 1]. */
TN_FN tn_c128 m_same_circle(double turns) {
    tn_i32 quarter = (tn_i32)(turns * 4 + 0.5);
    double x = (turns - quarter * 0.25) * 6.28318530717958647693;
    double s = m_same_small_sin(x), c = m_same_small_cos(x);
    double even = quarter & 1 ? s : c, odd = quarter & 1 ? c : s;
    tn_c128 at;
    at.re = (quarter + 1) & 2 ? -even : even;
    at.im = quarter & 2 ? -odd : odd;
    return at;
}

/* The cosine and the sine of a word's upper 24 bits, as a part of a turn. */
TN_FN tn_c64 m_same_circlef(tn_u32 word) {
    tn_u32 quarter = (word + 0x20000000u) >> 30;                      /* the nearest one */
    float x = (float)((tn_i32)(word << 2) >> 10) * 3.7450702829e-07f; /* 2 pi / 2**24 */
    float z = x * x;
    float s = x + x * z * (-1.6666654611e-1f + z * (8.3321608736e-3f + z * -1.9515295891e-4f));
    float c =
        1 - 0.5f * z +
        z * z * (4.166664568298827e-2f + z * (-1.388731625493765e-3f + z * 2.443315711809948e-5f));
    float even = quarter & 1 ? s : c, odd = quarter & 1 ? c : s;
    tn_c64 at;
    at.re = (quarter + 1) & 2 ? -even : even;
    at.im = quarter & 2 ? -odd : odd;
    return at;
}

/* The angle of a point with y >= 0, in [0, pi]. */
TN_FN double m_same_angle(double y, double x) {
    double a = x < 0 ? -x : x, big = y > a ? y : a, small = y > a ? a : y;
    double ratio = small / big, far = (ratio - 1) / (ratio + 1);
    int is_far = ratio > 0.41421356237309503; /* tan(pi / 8) */
    double q = is_far ? far : ratio, shift = is_far ? 0.78539816339744830962 : 0;
    double z = q * q, w = z * z;
    double even =
        z * (3.33333333333329318027e-01 +
             w * (1.42857142725034663711e-01 +
                  w * (9.09088713343650656196e-02 +
                       w * (6.66107313738753120669e-02 +
                            w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02)))));
    double odd =
        w * (-1.99999999998764832476e-01 +
             w * (-1.11111104054623557880e-01 +
                  w * (-7.69187620504482999495e-02 +
                       w * (-5.83357013379057348645e-02 + w * -3.65315727442169155270e-02))));
    double angle = shift + (q - q * (even + odd));
    angle = y > a ? 1.57079632679489661923 - angle : angle;
    angle = x < 0 ? 3.14159265358979323846 - angle : angle;
    return big == 0 ? 0 : angle;
}

/* What Stirling's formula leaves of log-gamma: log(gamma(x)) - (x - 1/2) log(x) + x - log(2 pi)
 * / 2, for x >= 7. */
TN_FN double m_same_stirling(double x) {
    double z = 1 / (x * x);
    return (1.0 / 12 +
            z * (-1.0 / 360 +
                 z * (1.0 / 1260 + z * (-1.0 / 1680 + z * (1.0 / 1188 + z * (-691.0 / 360360 +
                                                                             z * (1.0 / 156))))))) /
           x;
}

/* One step of the recurrence to x >= 7. */
TN_FN void m_lgamma_step(double *product, double *x) {
    int is_low = *x < 7;
    *product = is_low ? *product * *x : *product;
    *x = is_low ? *x + 1 : *x;
}
/* log(gamma(x)) of x > 0. */
TN_CALLED double m_same_lgamma(double x) {
    double product = 1;
#ifdef TN_DEVICE
    if (x >= 7) return (x - 0.5) * m_same_log(x) - x + 0.91893853320467274178 + m_same_stirling(x);
#endif
    m_lgamma_step(&product, &x); /* seven at most */
    m_lgamma_step(&product, &x);
    m_lgamma_step(&product, &x);
    m_lgamma_step(&product, &x);
    m_lgamma_step(&product, &x);
    m_lgamma_step(&product, &x);
    m_lgamma_step(&product, &x);
    double value = (x - 0.5) * m_same_log(x) - x + 0.91893853320467274178 + m_same_stirling(x);
    double less = value - m_same_log(product);
    return product == 1 ? value : less;
}

#endif
