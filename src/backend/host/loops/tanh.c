/* The hyperbolic tangent, faster than the vector maths library's.
 *
 * Algorithm (Moshier's Cephes library, tanh.c and tanhf.c, which has the coefficients but the doubles'
 * exponential): below 5/8 an odd rational function or polynomial, of whose sum with x only a tenth is
 * not exact; else 1 - 2 / (exp(2x) + 1). Both are computed and one is chosen, so the compiler makes
 * vectors. exp(2x) = s (1 + q), s a power of two and |ln(1 + q)| <= ln(2) / 2. What s + 1 + s q loses
 * in its sum corrects the quotient. At most 1.06 ULP, without fused operations, so that all levels
 * give the same bits. */
#include "backend/host/loops/entry.h"
#include "backend/host/loops/form.h"

/* (exp(r) - 1 - r) / r**2: interpolated at Chebyshev's points. */
INLINE double series_f64(double r) {
    double g = 0x1.af38a9b0ec855p-26;
    g = g * r + 0x1.289185613a3d6p-22;
    g = g * r + 0x1.71de0dae63bb3p-19;
    g = g * r + 0x1.a019b90d2ae7ap-16;
    g = g * r + 0x1.a01a01a7c41d5p-13;
    g = g * r + 0x1.6c16c1788bd90p-10;
    g = g * r + 0x1.11111111109b3p-7;
    g = g * r + 0x1.5555555553d63p-5;
    g = g * r + 0x1.5555555555556p-3;
    return g * r + 0.5;
}

INLINE float series_f32(float r) {
    float g = 1.9875691500e-4f;
    g = g * r + 1.3981999507e-3f;
    g = g * r + 8.3334519073e-3f;
    g = g * r + 4.1665795894e-2f;
    g = g * r + 1.6666665459e-1f;
    return g * r + 5.0000001201e-1f;
}

/* tanh(x) / x - 1 for small x, as a fraction, in z = x**2. */
INLINE double upper_f64(double z) {
    const double p = -9.64399179425052238628e-1;
    return ((p * z - 9.92877231001918586564e1) * z - 1.61468768441708447952e3) * z;
}

INLINE double lower_f64(double z) {
    return ((z + 1.12811678491632931402e2) * z + 2.23548839060100448583e3) * z +
           4.84406305325125486048e3;
}

INLINE float upper_f32(float z) {
    float p = -5.70498872745e-3f;
    p = p * z + 2.06390887954e-2f;
    p = p * z - 5.37397155531e-2f;
    p = p * z + 1.33314422036e-1f;
    return (p * z - 3.33332819422e-1f) * z;
}

INLINE float lower_f32(float z) {
    (void)z;
    return 1;
}

/* LIMIT: tanh is 1 from here on. Adding SHIFT rounds to an integer, in the low bits of the sum.
 * LN2_HIGH has few bits, so that its multiples are exact. */
#define TANH(D, T, BITS, MANTISSA, BIAS, LIMIT, SHIFT, LN2_HIGH, LN2_LOW)                          \
    INLINE T tanh_##D(T a) {                                                                       \
        const T x = m_fabs(a), t = x > LIMIT ? LIMIT : x, z = t * t;                               \
        const T shifted = t * (T)(2 * 1.44269504088896340736) + SHIFT, k = shifted - SHIFT;        \
        const T r = (2 * t - k * LN2_HIGH) - k * LN2_LOW, q = r + r * r * series_##D(r);           \
        const T s = TN_NAME(from_bits, D)((TN_NAME(to_bits, D)(shifted) << MANTISSA) +             \
                                          ((BITS)BIAS << MANTISSA));                               \
        const T e = (s + 1) + s * q, lost = ((s + 1) - e) + s * q;                                 \
        const int small = t < (T)0.625;                                                            \
        const T v = (small ? upper_##D(z) * t : -2) / (small ? lower_##D(z) : e);                  \
        const T correction = (small ? 0 : lost) * (v * v * (T)0.5);                                \
        return m_copysign((small ? t : 1) + (v + correction), a);                                  \
    }                                                                                              \
    FORM_1(form_##D, T, T)                                                                         \
    static void loop_##D(ARGUMENTS) {                                                              \
        form_##D(args, strides, count, tanh_##D);                                                  \
    }
TANH(f32, float, tn_u32, 23, 127, 10, 0x1.8p23f, 0.693359375f, -2.12194440e-4f)
TANH(f64, double, tn_u64, 52, 1023, 20, 0x1.8p52, 6.93147180369123816490e-01,
     1.90821492927058770002e-10)

extern const tni_loop_entry LEVEL(tni_loops_faster)[];
const tni_loop_entry LEVEL(tni_loops_faster)[] = {
    {tni_op_tanh, tni_dtype_f32, loop_f32}, {tni_op_tanh, tni_dtype_f64, loop_f64}, {0, 0, NULL}};
