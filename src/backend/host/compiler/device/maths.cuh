// CUDA's mathematical functions, which are the system's where it has them.
#define TNI_UNARY(name)                                                                            \
    extern "C" double name(double) noexcept;                                                       \
    extern "C" float name##f(float) noexcept;                                                      \
    static inline float name(float x) {                                                            \
        return name##f(x);                                                                         \
    }                                                                                              \
    template <class T> static inline typename tni::as_double<T>::of name(T x) {                    \
        return name((double)x);                                                                    \
    }
#define TNI_BINARY(name)                                                                           \
    extern "C" double name(double, double) noexcept;                                               \
    extern "C" float name##f(float, float) noexcept;                                               \
    static inline float name(float x, float y) {                                                   \
        return name##f(x, y);                                                                      \
    }                                                                                              \
    template <class T, class U> static inline typename tni::as_double<T, U>::of name(T x, U y) {   \
        return name((double)x, (double)y);                                                         \
    }

namespace tni {
// double, for arguments of which the float function is none's: a whole number, or two types
template <class T, class U = T>
struct as_double : where<(is_integer<T> || is_integer<U>)&&(is_integer<T> || is_real<T>)&&(
                             is_integer<U> || is_real<U>),
                         double> {};
template <> struct as_double<float, double> : where<true, double> {};
template <> struct as_double<double, float> : where<true, double> {};
} // namespace tni

TNI_UNARY(sin)
TNI_UNARY(cos)
TNI_UNARY(tan)
TNI_UNARY(asin)
TNI_UNARY(acos)
TNI_UNARY(atan)
TNI_UNARY(sinh)
TNI_UNARY(cosh)
TNI_UNARY(tanh)
TNI_UNARY(asinh)
TNI_UNARY(acosh)
TNI_UNARY(atanh)
TNI_UNARY(exp)
TNI_UNARY(exp2)
TNI_UNARY(expm1)
TNI_UNARY(log)
TNI_UNARY(log2)
TNI_UNARY(log10)
TNI_UNARY(log1p)
TNI_UNARY(logb)
TNI_UNARY(sqrt)
TNI_UNARY(cbrt)
TNI_UNARY(ceil)
TNI_UNARY(floor)
TNI_UNARY(trunc)
TNI_UNARY(round)
TNI_UNARY(rint)
TNI_UNARY(nearbyint)
TNI_UNARY(fabs)
TNI_UNARY(erf)
TNI_UNARY(erfc)
TNI_UNARY(lgamma)
TNI_BINARY(pow)
TNI_BINARY(atan2)
TNI_BINARY(fmod)
TNI_BINARY(hypot)
TNI_BINARY(copysign)
TNI_BINARY(fdim)
TNI_BINARY(fmax)
TNI_BINARY(fmin)
TNI_BINARY(nextafter)
TNI_BINARY(remainder)
#undef TNI_UNARY
#undef TNI_BINARY

extern "C" {
double fma(double, double, double) noexcept;
float fmaf(float, float, float) noexcept;
double ldexp(double, int) noexcept;
float ldexpf(float, int) noexcept;
double frexp(double, int *) noexcept;
float frexpf(float, int *) noexcept;
double modf(double, double *) noexcept;
float modff(float, float *) noexcept;
double jn(int, double) noexcept;
double yn(int, double) noexcept;
float jnf(int, float) noexcept;
float ynf(int, float) noexcept;
double scalbn(double, int) noexcept;
float scalbnf(float, int) noexcept;
double scalbln(double, long) noexcept;
float scalblnf(float, long) noexcept;
double remquo(double, double, int *) noexcept;
float remquof(float, float, int *) noexcept;
double nan(const char *) noexcept;
float nanf(const char *) noexcept;
long lround(double) noexcept;
long lroundf(float) noexcept;
long long llround(double) noexcept;
long long llroundf(float) noexcept;
long lrint(double) noexcept;
long lrintf(float) noexcept;
long long llrint(double) noexcept;
long long llrintf(float) noexcept;
int ilogb(double) noexcept;
int ilogbf(float) noexcept;
int abs(int) noexcept;
long labs(long) noexcept;
long long llabs(long long) noexcept;
}
static inline float fma(float x, float y, float z) {
    return fmaf(x, y, z);
}
static inline float ldexp(float x, int n) {
    return ldexpf(x, n);
}
static inline float frexp(float x, int *n) {
    return frexpf(x, n);
}
static inline float modf(float x, float *n) {
    return modff(x, n);
}
// The float functions by the names of those of double.
static inline float pow(float x, int n) {
    return powf(x, (float)n);
}
static inline float scalbn(float x, int n) {
    return scalbnf(x, n);
}
static inline float scalbln(float x, long n) {
    return scalblnf(x, n);
}
static inline float remquo(float x, float y, int *n) {
    return remquof(x, y, n);
}
static inline int ilogb(float x) {
    return ilogbf(x);
}
static inline long lround(float x) {
    return lroundf(x);
}
static inline long lrint(float x) {
    return lrintf(x);
}
static inline long long llround(float x) {
    return llroundf(x);
}
static inline long long llrint(float x) {
    return llrintf(x);
}
static inline float jn(int n, float x) {
    return jnf(n, x);
}
static inline float yn(int n, float x) {
    return ynf(n, x);
}
static inline float exp10f(float x) {
    return (float)pow(10.0, (double)x);
}
static inline double exp10(double x) {
    return pow(10.0, x);
}
static inline float exp10(float x) {
    return exp10f(x);
}
static inline float abs(float x) {
    return __builtin_fabsf(x);
}
static inline double abs(double x) {
    return __builtin_fabs(x);
}
static inline long abs(long x) {
    return __builtin_labs(x);
}
static inline long long abs(long long x) {
    return __builtin_llabs(x);
}

static inline double rsqrt(double x) {
    return 1 / __builtin_sqrt(x);
}
static inline float rsqrtf(float x) {
    return 1 / __builtin_sqrtf(x);
}
static inline float rsqrt(float x) {
    return rsqrtf(x);
}
static inline double rcbrt(double x) {
    return 1 / cbrt(x);
}
static inline float rcbrtf(float x) {
    return 1 / cbrtf(x);
}
static inline float rcbrt(float x) {
    return rcbrtf(x);
}
namespace tni {
// The sine of x half turns, `quarters` on: what is left of whole quarters of a turn is exact.
static inline double sine_of(double x, double quarters) {
    constexpr double pi = 3.14159265358979323846;
    double whole = rint(2 * x), part = (x - whole / 2) * pi, turned = whole + quarters;
    double quarter = turned - 4 * floor(turned / 4);
    double size = quarter == 1 || quarter == 3 ? cos(part) : sin(part);
    return (quarter > 1 ? -size : size) + 0.0;
}
} // namespace tni
static inline double sinpi(double x) {
    return x == rint(x) ? copysign(0.0, x) : tni::sine_of(x, 0);
}
static inline double cospi(double x) {
    return tni::sine_of(x, 1);
}
static inline float sinpif(float x) {
    return (float)sinpi((double)x);
}
static inline float cospif(float x) {
    return (float)cospi((double)x);
}
static inline float sinpi(float x) {
    return sinpif(x);
}
static inline float cospi(float x) {
    return cospif(x);
}
static inline void sincospi(double x, double *s, double *c) {
    *s = sinpi(x);
    *c = cospi(x);
}
static inline void sincospif(float x, float *s, float *c) {
    *s = sinpif(x);
    *c = cospif(x);
}
static inline void sincospi(float x, float *s, float *c) {
    sincospif(x, s, c);
}
static inline void sincos(double x, double *s, double *c) {
    *s = sin(x);
    *c = cos(x);
}
static inline void sincosf(float x, float *s, float *c) {
    *s = sinf(x);
    *c = cosf(x);
}
static inline void sincos(float x, float *s, float *c) {
    sincosf(x, s, c);
}
// x / -sqrt(2) is made of two parts, for erfc is steep.
static inline double normcdf(double x) {
    constexpr double high = -0.70710678118654752440, low = 4.8336466567264567e-17;
    double t = x * high, rest = fma(x, high, -t) + x * low;
    double slope = 1.12837916709551257390 * exp(-t * t);
    return 0.5 * (erfc(t) - (fabs(t) < 30 ? slope * rest : 0));
}
static inline double norm3d(double x, double y, double z) {
    return hypot(hypot(x, y), z);
}
static inline double norm4d(double x, double y, double z, double w) {
    return hypot(hypot(x, y), hypot(z, w));
}
// Divided by the largest first, so that no square overflows.
static inline double norm(int n, const double *x) {
    double most = 0, sum = 0;
    for (int k = 0; k < n; k++) most = fmax(most, fabs(x[k]));
    double by = most > 0 && most <= 1.7976931348623157e308 ? most : 1;
    for (int k = 0; k < n; k++) sum += (x[k] / by) * (x[k] / by);
    return by * sqrt(sum);
}
static inline float normf(int n, const float *x) {
    double sum = 0;
    for (int k = 0; k < n; k++) sum += (double)x[k] * x[k];
    return (float)sqrt(sum);
}
static inline float norm3df(float x, float y, float z) {
    return (float)norm3d(x, y, z);
}
static inline float norm4df(float x, float y, float z, float w) {
    return (float)norm4d(x, y, z, w);
}
static inline double rhypot(double x, double y) {
    return 1 / hypot(x, y);
}
static inline float rhypotf(float x, float y) {
    return 1 / hypotf(x, y);
}
static inline float rhypot(float x, float y) {
    return rhypotf(x, y);
}
static inline double rnorm3d(double x, double y, double z) {
    return 1 / norm3d(x, y, z);
}
static inline float rnorm3df(float x, float y, float z) {
    return (float)rnorm3d(x, y, z);
}
static inline double rnorm4d(double x, double y, double z, double w) {
    return 1 / norm4d(x, y, z, w);
}
static inline float rnorm4df(float x, float y, float z, float w) {
    return (float)rnorm4d(x, y, z, w);
}
static inline double rnorm(int n, const double *x) {
    return 1 / norm(n, x);
}
static inline float rnormf(int n, const float *x) {
    return 1 / normf(n, x);
}

#define TNI_TEST(type)                                                                             \
    static inline int isnan(type x) {                                                              \
        return __builtin_isnan(x);                                                                 \
    }                                                                                              \
    static inline int isinf(type x) {                                                              \
        return __builtin_isinf(x);                                                                 \
    }                                                                                              \
    static inline int isfinite(type x) {                                                           \
        return __builtin_isfinite(x);                                                              \
    }                                                                                              \
    static inline int signbit(type x) {                                                            \
        return __builtin_signbit(x) != 0;                                                          \
    }
TNI_TEST(float)
TNI_TEST(double)
#undef TNI_TEST
#define TNI_TEST(name, type, made)                                                                 \
    static inline int name(type x) {                                                               \
        return made;                                                                               \
    }
TNI_TEST(__isnan, double, isnan(x))
TNI_TEST(__isinf, double, isinf(x))
TNI_TEST(__finite, double, isfinite(x))
TNI_TEST(__signbit, double, signbit(x))
TNI_TEST(__isnanf, float, isnan(x))
TNI_TEST(__isinff, float, isinf(x))
TNI_TEST(__finitef, float, isfinite(x))
TNI_TEST(__signbitf, float, signbit(x))
#undef TNI_TEST
#define TNI_EXTREMES(type)                                                                         \
    static inline type min(type a, type b) {                                                       \
        return b < a ? b : a;                                                                      \
    }                                                                                              \
    static inline type max(type a, type b) {                                                       \
        return a < b ? b : a;                                                                      \
    }
TNI_EXTREMES(int)
TNI_EXTREMES(unsigned)
TNI_EXTREMES(long)
TNI_EXTREMES(unsigned long)
TNI_EXTREMES(long long)
TNI_EXTREMES(unsigned long long)
#undef TNI_EXTREMES
// As fmin and fmax: of a NaN and a number the number.
static inline float min(float a, float b) {
    return b < a || a != a ? b : a;
}
static inline float max(float a, float b) {
    return a < b || a != a ? b : a;
}
static inline double min(double a, double b) {
    return b < a || a != a ? b : a;
}
static inline double max(double a, double b) {
    return a < b || a != a ? b : a;
}
static inline double min(double a, float b) {
    return min(a, (double)b);
}
static inline double min(float a, double b) {
    return min((double)a, b);
}
static inline double max(double a, float b) {
    return max(a, (double)b);
}
static inline double max(float a, double b) {
    return max((double)a, b);
}
template <class T, class U>
static inline typename tni::where<tni::is_integer<T> && tni::is_integer<U>, decltype(T() + U())>::of
min(T a, U b) {
    typedef decltype(a + b) both;
    return (both)b < (both)a ? (both)b : (both)a;
}
template <class T, class U>
static inline typename tni::where<tni::is_integer<T> && tni::is_integer<U>, decltype(T() + U())>::of
max(T a, U b) {
    typedef decltype(a + b) both;
    return (both)a < (both)b ? (both)b : (both)a;
}

static inline unsigned umin(unsigned a, unsigned b) {
    return min(a, b);
}
static inline unsigned umax(unsigned a, unsigned b) {
    return max(a, b);
}
static inline long long llmin(long long a, long long b) {
    return min(a, b);
}
static inline long long llmax(long long a, long long b) {
    return max(a, b);
}
static inline unsigned long long ullmin(unsigned long long a, unsigned long long b) {
    return min(a, b);
}
static inline unsigned long long ullmax(unsigned long long a, unsigned long long b) {
    return max(a, b);
}
