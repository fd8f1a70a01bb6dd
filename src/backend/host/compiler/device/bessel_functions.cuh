// Bessel functions of orders 0 and 1; J and Y are faster than the system's. Absolute errors are of
// 1e-15 by the size of the wave, sqrt(2 / (pi x)).
namespace tni {
/* The wave of order n beyond x = 5: Hankel's expansion, its two series as quotients. The angle
 * x - (2 n + 1) pi / 4 is never made: the sum and the difference of sine and cosine are exact. */
static inline double bessel_wave(int n, double x, bool is_second) {
    if (x > 1.7976931348623157e308) return 0;
    double w = 5 / x, z = w * w, p, q;
    if (n == 0) {
        p = poly(z, 1.0, 6.802667630723373, 15.437256359087677, 14.633209315454586,
                 5.945353909732726, 0.9523427063856948, 0.04739108388115543,
                 0.0003584136023869305) /
            poly(z, 1.0, 6.805480130723371, 15.456217328596084, 14.675495368561025,
                 5.984089028849121, 0.9670112961805111, 0.04939860999468244, 0.0004236864291294446);
        q = poly(z, -0.125, -1.2465781258555886, -4.392045461165668, -6.978361587408645,
                 -5.295922908735264, -1.8727234429221664, -0.27758838251561885, -0.0133032598256724,
                 -8.798639297380234e-05) /
            poly(z, 1.0, 9.996062506844703, 35.367739421908155, 56.62765031043193,
                 43.60012359635769, 15.86579650995559, 2.5021665706835305, 0.14032608369781494,
                 0.0017047194372539444);
    } else {
        p = poly(z, 1.0, 6.712964057342073, 14.991274357041247, 13.93520247929148,
                 5.528856906896333, 0.8619303787902591, 0.04208768764749777,
                 0.00035460844952988935) /
            poly(z, 1.0, 6.708276557342074, 14.960060023569195, 13.866581581885843,
                 5.4670359258516825, 0.8389608160947604, 0.03900954643896773,
                 0.0002566084715982522);
        q = poly(z, 0.375, 3.7042266813099127, 12.909933953358314, 20.261924051644915,
                 15.171144512804084, 5.292357411236331, 0.7769371457378755, 0.037655381958727946,
                 0.0002951008367637036) /
            poly(z, 1.0, 9.888875316826432, 34.53346578989494, 54.398135828689014,
                 41.01364455861345, 14.507189368922047, 2.1954304721067586, 0.1150333075355048,
                 0.0012081267336733383);
    }
    double s, c, size = 0.56418958354775628695 / sqrt(x);
    q /= x;
    s = sin(x);
    c = cos(x);
    double even = n == 0 ? c + s : s - c, odd = n == 0 ? s - c : -(s + c);
    return size * (is_second ? p * odd + q * even : p * even - q * odd);
}
} // namespace tni
static inline double j0(double x) {
    double z = x * x;
    if (!(fabs(x) <= 5)) return x != x ? x : tni::bessel_wave(0, fabs(x), false);
    double first = z - 5.783185962946784 - 4.123247343506204e-16;
    return first * (z - 30.471262343662087 + 2.366534485750659e-16) *
           tni::poly(z, 0.005674693325155617, -0.0001948847053246938, 2.5648618332143054e-06,
                     -1.6961325764834802e-08, 6.083791147648852e-11, -1.1484073580797105e-13,
                     9.126730433862949e-17) /
           tni::poly(z, 1.0, 0.009924351079041932, 4.820102710367854e-05, 1.4875148139837183e-07,
                     3.13096345259008e-10, 4.3592069253042646e-13, 3.235511690772513e-16);
}
static inline double j1(double x) {
    double z = x * x;
    if (!(fabs(x) <= 5)) return x != x ? x : copysign(1.0, x) * tni::bessel_wave(1, fabs(x), false);
    return x * (z - 14.681970642123893 + 9.858177825793294e-17) *
           tni::poly(z, -0.03405537391318949, 0.0015691392764380697, -2.6427577077154247e-05,
                     2.1582566810408873e-07, -9.29956536513293e-10, 2.0626900148950837e-12,
                     -1.891541850512054e-15) /
           tni::poly(z, 1.0, 0.010813138593486482, 5.760536530710651e-05, 1.9653853327338114e-07,
                     4.617207725959555e-10, 7.261490391313737e-13, 6.187395467540346e-16);
}
static inline double y0(double x) {
    double z = x * x;
    if (!(x > 0)) return x == 0 ? -__builtin_inf() : __builtin_nan("");
    if (x > 5) return tni::bessel_wave(0, x, true);
    double rest = tni::poly(z, -0.07380429510868723, 0.17667162663916924, -0.0138313915285647,
                            0.00034947173765964665, -3.917836371661963e-06, 2.1675720406185212e-08,
                            -5.845558767424013e-11, 6.21209734172799e-14) /
                  tni::poly(z, 1.0, 0.012660377401096703, 8.106174424404022e-05,
                            3.452532955167018e-07, 1.0754884672424267e-09, 2.506992283441979e-12,
                            4.177058195961827e-15, 4.023985760117264e-18);
    return 0.63661977236758134308 * log(x) * j0(x) + rest;
}
static inline double y1(double x) {
    double z = x * x;
    if (!(x > 0)) return x == 0 ? -__builtin_inf() : __builtin_nan("");
    if (x > 5) return tni::bessel_wave(1, x, true);
    double rest =
        tni::poly(z, -0.19605709064623894, 0.052550265391754974, -0.002465055410844686,
                  4.6805965755746014e-05, -4.534542243365383e-07, 2.488031084689637e-09,
                  -8.076914234367981e-12, 1.5448639486502525e-14, -1.621438571921491e-17,
                  7.278041163923498e-21) /
        tni::poly(z, 1.0, 0.009172954483958466, 4.2274000377879e-05, 1.294361437513219e-07,
                  2.9266810341605254e-10, 5.1183325774152e-13, 7.004425543039264e-16,
                  7.334949683940467e-19, 5.426970882908241e-22, 2.2109358299951003e-25);
    return 0.63661977236758134308 * (log(x) * j1(x) - 1 / x) + x * rest;
}
TNI_OF_DOUBLE(j0)
TNI_OF_DOUBLE(j1)
TNI_OF_DOUBLE(y0)
TNI_OF_DOUBLE(y1)
namespace tni {
/* The modified function of order 0 or 1, of x >= 0: its series, all of one sign, or Hankel's. */
static inline double bessel_i(int order, double x) {
    double term = 1, sum = 1;
    if (x < 30) {
        for (int k = 1; term > sum * 1e-17; k++) sum += term *= x * x / 4 / (k * (k + order));
        return order ? sum * x / 2 : sum;
    }
    if (x > 1.7976931348623157e308) return x;
    for (int k = 1; k < 30 && fabs(term) > 1e-17; k++)
        sum += term *= ((2 * k - 1) * (2 * k - 1) - 4 * order) / (8 * k * x);
    double root = exp(x / 2);
    return root * (root * (sum / sqrt(6.28318530717958647693 * x)));
}
} // namespace tni
static inline double cyl_bessel_i0(double x) {
    return x != x ? x : tni::bessel_i(0, fabs(x));
}
static inline double cyl_bessel_i1(double x) {
    return x != x ? x : copysign(tni::bessel_i(1, fabs(x)), x);
}
TNI_OF_DOUBLE(cyl_bessel_i0)
TNI_OF_DOUBLE(cyl_bessel_i1)
