/* The device's complex functions (ops/complex_functions.h), compiled for the host and held against
 * the C library's: special values alike, and no further from it than 8 units in the last place of
 * the larger part. */
#include "replay.h"

#include <complex.h>
#undef I

#define TN_OWN_COMPLEX
#include "ops/scalar.h"

static const double specials[] = {
    0.0,   -0.0,   1.0,     -1.0,     0.5,    -0.5,      2.0,       -3.0,     0.7,       1e-3,
    3.5,   88.0,   -88.5,   104.0,    1e4,    -1e4,      1e15,      1e-30,    3e38,      -3e38,
    1e-45, -1e-45, 1.7e308, -1.7e308, 5e-324, 1.0000001, 0.9999999, INFINITY, -INFINITY, NAN};
enum { SPECIALS = sizeof specials / sizeof *specials, RANDOM = 20000 };

static double spread(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    double exponent = (double)(*seed >> 8 & 0xfff) / 4096 * 12 - 7;
    return ((*seed >> 31) ? -1 : 1) * exp(exponent) * (1 + (double)(*seed & 0xff) / 256);
}

static bool is_special_alike(double a, double b) {
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    return (isinf(a) || isinf(b)) && a == b;
}

/* Both parts against the larger one's unit; a part that is not finite must be the same. */
static bool is_near(double re, double im, double want_re, double want_im, double epsilon,
                    double smallest) {
    bool re_special = is_special_alike(re, want_re), im_special = is_special_alike(im, want_im);
    double size =
        fmax(isfinite(want_re) ? fabs(want_re) : 0, isfinite(want_im) ? fabs(want_im) : 0);
    double bound = 8 * fmax(size * epsilon, smallest);
    return (re_special || fabs(re - want_re) <= bound) &&
           (im_special || fabs(im - want_im) <= bound);
}

#define CHECK(name, function, Z, T, suffix, epsilon, smallest)                                     \
    static void check_##name##_##suffix(double re, double im) {                                    \
        Z a = {(T)re, (T)im};                                                                      \
        T _Complex z;                                                                              \
        memcpy(&z, &a, sizeof z);                                                                  \
        Z ours = m_##name##_##suffix(a), want;                                                     \
        z = function(z);                                                                           \
        memcpy(&want, &z, sizeof z);                                                               \
        if (!is_near(ours.re, ours.im, want.re, want.im, epsilon, smallest))                       \
            fail_msg(#name " of (%.17g, %.17g), " #suffix ": (%.17g, %.17g) for (%.17g, %.17g)",   \
                     (double)a.re, (double)a.im, (double)ours.re, (double)ours.im,                 \
                     (double)want.re, (double)want.im);                                            \
    }
#define TEST(name, function)                                                                       \
    CHECK(name, function##f, tn_c64, float, c64, 1.2e-7, 1.5e-45)                                  \
    CHECK(name, function, tn_c128, double, c128, 2.3e-16, 5e-324)                                  \
    static void test_##name(void **state) {                                                        \
        (void)state;                                                                               \
        for (int k = 0; k < SPECIALS * SPECIALS; k++) {                                            \
            check_##name##_c64(specials[k / SPECIALS], specials[k % SPECIALS]);                    \
            check_##name##_c128(specials[k / SPECIALS], specials[k % SPECIALS]);                   \
        }                                                                                          \
        unsigned seed = 1;                                                                         \
        for (int k = 0; k < RANDOM; k++) {                                                         \
            double re = spread(&seed), im = spread(&seed);                                         \
            check_##name##_c64(re, im);                                                            \
            check_##name##_c128(re, im);                                                           \
        }                                                                                          \
    }
TEST(sqrt, csqrt)
TEST(exp, cexp)
TEST(log, clog)
TEST(sin, csin)
TEST(cos, ccos)
TEST(tan, ctan)
TEST(asin, casin)
TEST(acos, cacos)
TEST(atan, catan)
TEST(sinh, csinh)
TEST(cosh, ccosh)
TEST(tanh, ctanh)
TEST(asinh, casinh)
TEST(acosh, cacosh)
TEST(atanh, catanh)

/* Powers against the C library's: what the logarithm misses by is multiplied, and turns the result
 * when it is large, so huge angles are left out. */
static void check_pow(tn_c128 a, tn_c128 b) {
    double _Complex x, y;
    tn_c128 want, ours = m_general_pow_c128(a, b);
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    double size = cabs(y) * cabs(clog(x));
    if (isfinite(size) && size > 1e6) return;
    x = cpow(x, y);
    memcpy(&want, &x, sizeof want);
    double epsilon = isfinite(size) ? 2.3e-16 * (1 + size) : 2.3e-16;
    if (!is_near(ours.re, ours.im, want.re, want.im, epsilon, 5e-324))
        fail_msg("pow of (%.17g, %.17g), (%.17g, %.17g): (%.17g, %.17g) for (%.17g, %.17g)", a.re,
                 a.im, b.re, b.im, ours.re, ours.im, want.re, want.im);
}

static void test_pow(void **state) {
    static const double parts[] = {0.0,   -0.0, 1.0,      -0.5,      3.0,
                                   1e-15, 1e15, INFINITY, -INFINITY, NAN};
    enum { PARTS = sizeof parts / sizeof *parts, POINTS = PARTS * PARTS };
    (void)state;
    for (int k = 0; k < POINTS * POINTS; k++) {
        int i = k / POINTS, j = k % POINTS;
        tn_c128 a = {parts[i / PARTS], parts[i % PARTS]}, b = {parts[j / PARTS], parts[j % PARTS]};
        if (a.re != 0 || a.im != 0) check_pow(a, b); /* m_pow takes powers of zero apart */
    }
}

int main(void) {
    static const replay_test tests[] = {
        REPLAY_NOT(test_sqrt),  REPLAY_NOT(test_exp),   REPLAY_NOT(test_log),
        REPLAY_NOT(test_sin),   REPLAY_NOT(test_cos),   REPLAY_NOT(test_tan),
        REPLAY_NOT(test_asin),  REPLAY_NOT(test_acos),  REPLAY_NOT(test_atan),
        REPLAY_NOT(test_sinh),  REPLAY_NOT(test_cosh),  REPLAY_NOT(test_tanh),
        REPLAY_NOT(test_asinh), REPLAY_NOT(test_acosh), REPLAY_NOT(test_atanh),
        REPLAY_NOT(test_pow),
    };
    return REPLAY_RUN("complex", tests);
}
