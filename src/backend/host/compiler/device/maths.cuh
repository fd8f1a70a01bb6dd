// CUDA's mathematical functions, which are the system's, and the intrinsics of integers and bits.
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
TNI_UNARY(cos) TNI_UNARY(tan) TNI_UNARY(asin) TNI_UNARY(acos) TNI_UNARY(atan) TNI_UNARY(sinh)
    TNI_UNARY(cosh) TNI_UNARY(tanh) TNI_UNARY(asinh) TNI_UNARY(acosh) TNI_UNARY(atanh)
        TNI_UNARY(exp) TNI_UNARY(exp2) TNI_UNARY(expm1) TNI_UNARY(log) TNI_UNARY(log2)
            TNI_UNARY(log10) TNI_UNARY(log1p) TNI_UNARY(logb) TNI_UNARY(sqrt) TNI_UNARY(cbrt)
                TNI_UNARY(ceil) TNI_UNARY(floor) TNI_UNARY(trunc) TNI_UNARY(round) TNI_UNARY(rint)
                    TNI_UNARY(nearbyint) TNI_UNARY(fabs) TNI_UNARY(erf) TNI_UNARY(erfc)
                        TNI_UNARY(lgamma) TNI_BINARY(pow) TNI_BINARY(atan2)
                                TNI_BINARY(fmod) TNI_BINARY(hypot) TNI_BINARY(copysign)
                                    TNI_BINARY(fdim) TNI_BINARY(fmax) TNI_BINARY(fmin)
                                        TNI_BINARY(nextafter) TNI_BINARY(remainder)
#undef TNI_UNARY
#undef TNI_BINARY

// What the system's library of vector functions has (TNI_MVEC: 1 the first of them, 2 all), loops
// call for several elements at a time.
#if defined(TNI_MVEC) && defined(__x86_64__) && !defined(__clang__)
#define TNI_VECTOR_1(name)                                                                         \
    extern "C" __attribute__((simd("notinbranch"))) double name(double) noexcept;                  \
    extern "C" __attribute__((simd("notinbranch"))) float name##f(float) noexcept;
#define TNI_VECTOR_2(name)                                                                         \
    extern "C" __attribute__((simd("notinbranch"))) double name(double, double) noexcept;          \
    extern "C" __attribute__((simd("notinbranch"))) float name##f(float, float) noexcept;
TNI_VECTOR_1(sin)
TNI_VECTOR_1(cos)
TNI_VECTOR_1(exp)
TNI_VECTOR_1(log)
TNI_VECTOR_2(pow)
#if TNI_MVEC > 1
TNI_VECTOR_1(acos)
TNI_VECTOR_1(acosh)
TNI_VECTOR_1(asin)
TNI_VECTOR_1(asinh)
TNI_VECTOR_1(atan)
TNI_VECTOR_1(atanh)
TNI_VECTOR_1(cbrt)
TNI_VECTOR_1(cosh)
TNI_VECTOR_1(erf)
TNI_VECTOR_1(erfc)
TNI_VECTOR_1(exp2)
TNI_VECTOR_1(expm1)
TNI_VECTOR_1(log10)
TNI_VECTOR_1(log1p)
TNI_VECTOR_1(log2)
TNI_VECTOR_1(sinh)
TNI_VECTOR_1(tan)
TNI_VECTOR_1(tanh)
TNI_VECTOR_2(atan2)
TNI_VECTOR_2(hypot)
#endif
#undef TNI_VECTOR_1
#undef TNI_VECTOR_2
#endif
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
namespace tni {
// x as half turns, reduced to where the sine's argument is exact
template <class T> static inline T half_turns(T x) {
    return x - 2 * rint(x / 2);
}
constexpr double pi = 3.14159265358979323846;
} // namespace tni
static inline double sinpi(double x) {
    return sin(tni::half_turns(x) * tni::pi);
}
static inline double cospi(double x) {
    return cos(tni::half_turns(x) * tni::pi);
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
static inline double normcdf(double x) {
    return 0.5 * erfc(-x * 0.70710678118654752440);
}
static inline double norm3d(double x, double y, double z) {
    return sqrt(x * x + y * y + z * z);
}
static inline double norm4d(double x, double y, double z, double w) {
    return sqrt(x * x + y * y + z * z + w * w);
}
static inline double norm(int n, const double *x) {
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += x[k] * x[k];
    return sqrt(sum);
}
static inline float normf(int n, const float *x) {
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += (double)x[k] * x[k];
    return (float)sqrt(sum);
}
// Of double precision inside, so that no square overflows; then the reciprocals.
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
    static inline bool isnan(type x) {                                                             \
        return __builtin_isnan(x);                                                                 \
    }                                                                                              \
    static inline bool isinf(type x) {                                                             \
        return __builtin_isinf(x);                                                                 \
    }                                                                                              \
    static inline bool isfinite(type x) {                                                          \
        return __builtin_isfinite(x);                                                              \
    }                                                                                              \
    static inline bool signbit(type x) {                                                           \
        return __builtin_signbit(x);                                                               \
    }
TNI_TEST(float)
TNI_TEST(double)
#undef TNI_TEST
#define TNI_EXTREMES(type)                                                                         \
    static inline type min(type a, type b) {                                                       \
        return b < a ? b : a;                                                                      \
    }                                                                                              \
    static inline type max(type a, type b) {                                                       \
        return a < b ? b : a;                                                                      \
    }
TNI_EXTREMES(int)
TNI_EXTREMES(unsigned) TNI_EXTREMES(long) TNI_EXTREMES(unsigned long) TNI_EXTREMES(long long)
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

// --- Intrinsics ---

static inline float __expf(float x) {
    return expf(x);
}
static inline float __exp10f(float x) {
    return powf(10, x);
}
static inline float exp10f(float x) {
    return powf(10, x);
}
static inline double exp10(double x) {
    return pow(10.0, x);
}
static inline float __logf(float x) {
    return logf(x);
}
static inline float __log2f(float x) {
    return log2f(x);
}
static inline float __log10f(float x) {
    return log10f(x);
}
static inline float __sinf(float x) {
    return sinf(x);
}
static inline float __cosf(float x) {
    return cosf(x);
}
static inline float __tanf(float x) {
    return tanf(x);
}
static inline void __sincosf(float x, float *s, float *c) {
    sincosf(x, s, c);
}
static inline float __powf(float x, float y) {
    return powf(x, y);
}
static inline float __fdividef(float x, float y) {
    return x / y;
}
static inline float fdividef(float x, float y) {
    return x / y;
}
static inline float __saturatef(float x) {
    return x > 0 ? x < 1 ? x : 1 : 0;
}
static inline float __fadd_rn(float x, float y) {
    return x + y;
}
static inline float __fsub_rn(float x, float y) {
    return x - y;
}
static inline float __fmul_rn(float x, float y) {
    return x * y;
}
static inline float __fdiv_rn(float x, float y) {
    return x / y;
}
static inline float __fmaf_rn(float x, float y, float z) {
    return fmaf(x, y, z);
}
static inline float __fsqrt_rn(float x) {
    return sqrtf(x);
}
static inline float __frsqrt_rn(float x) {
    return 1 / sqrtf(x);
}
static inline float __frcp_rn(float x) {
    return 1 / x;
}
static inline double __dadd_rn(double x, double y) {
    return x + y;
}
static inline double __dsub_rn(double x, double y) {
    return x - y;
}
static inline double __drcp_rn(double x) {
    return 1 / x;
}
static inline double __dmul_rn(double x, double y) {
    return x * y;
}
static inline double __ddiv_rn(double x, double y) {
    return x / y;
}
static inline double __fma_rn(double x, double y, double z) {
    return fma(x, y, z);
}
static inline double __dsqrt_rn(double x) {
    return sqrt(x);
}

static inline int __popc(unsigned x) {
    return __builtin_popcount(x);
}
static inline int __popcll(unsigned long long x) {
    return __builtin_popcountll(x);
}
static inline int __clz(int x) {
    return x ? __builtin_clz((unsigned)x) : 32;
}
static inline int __clzll(long long x) {
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
static inline int __ffs(int x) {
    return __builtin_ffs(x);
}
static inline int __ffsll(long long x) {
    return __builtin_ffsll(x);
}
static inline unsigned __brev(unsigned x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
static inline unsigned long long __brevll(unsigned long long x) {
    return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
static inline int __mul24(int a, int b) {
    return (a << 8 >> 8) * (b << 8 >> 8);
}
static inline unsigned __umul24(unsigned a, unsigned b) {
    return (a & 0xffffff) * (b & 0xffffff);
}
static inline int __mulhi(int a, int b) {
    return (int)((long long)a * b >> 32);
}
static inline unsigned __umulhi(unsigned a, unsigned b) {
    return (unsigned)((unsigned long long)a * b >> 32);
}
static inline long long __mul64hi(long long a, long long b) {
    return (long long)((__int128)a * b >> 64);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
// Means without an overflow, and sums of absolute differences.
static inline int __hadd(int a, int b) {
    return (int)(((long long)a + b) >> 1);
}
static inline int __rhadd(int a, int b) {
    return (int)(((long long)a + b + 1) >> 1);
}
static inline unsigned __uhadd(unsigned a, unsigned b) {
    return (unsigned)(((unsigned long long)a + b) >> 1);
}
static inline unsigned __urhadd(unsigned a, unsigned b) {
    return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}
static inline unsigned __sad(int a, int b, unsigned sum) {
    return sum + (a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b);
}
static inline unsigned __usad(unsigned a, unsigned b, unsigned sum) {
    return sum + (a < b ? b - a : a - b);
}
// The sum of four products of bytes.
static inline int __dp4a(int a, int b, int sum) {
    for (int k = 0; k < 32; k += 8)
        sum += (signed char)(a >> k) * (signed char)(b >> k);
    return sum;
}
static inline unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
    for (int k = 0; k < 32; k += 8)
        sum += (a >> k & 0xff) * (b >> k & 0xff);
    return sum;
}
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
    unsigned long long both = (unsigned long long)y << 32 | x;
    unsigned result = 0;
    for (int k = 0; k < 4; k++)
        result |= (unsigned)(both >> (s >> (4 * k) & 7) * 8 & 0xff) << (8 * k);
    return result;
}
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
    return (unsigned)(((unsigned long long)high << 32 | low) << (by & 31) >> 32);
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
    return (unsigned)(((unsigned long long)high << 32 | low) >> (by & 31));
}
// A shift by 32 or more is one by 32.
static inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned by) {
    return by < 32 ? __funnelshift_l(low, high, by) : low;
}
static inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned by) {
    return by < 32 ? __funnelshift_r(low, high, by) : high;
}
static inline int __float_as_int(float x) {
    return tni::unpack<int>(tni::pack(x));
}
static inline unsigned __float_as_uint(float x) {
    return tni::unpack<unsigned>(tni::pack(x));
}
static inline float __int_as_float(int x) {
    return tni::unpack<float>(tni::pack(x));
}
static inline float __uint_as_float(unsigned x) {
    return tni::unpack<float>(tni::pack(x));
}
static inline long long __double_as_longlong(double x) {
    return tni::unpack<long long>(tni::pack(x));
}
static inline double __longlong_as_double(long long x) {
    return tni::unpack<double>(tni::pack(x));
}
static inline int __double2hiint(double x) {
    return (int)(tni::pack(x) >> 32);
}
static inline int __double2loint(double x) {
    return (int)tni::pack(x);
}
static inline double __hiloint2double(int high, int low) {
    return tni::unpack<double>((unsigned long long)(unsigned)high << 32 | (unsigned)low);
}
#define TNI_ROUNDED(from, name, to, type)                                                          \
    static inline type __##name##2##to##_rn(from x) {                                              \
        return (type)rint(x);                                                                      \
    }                                                                                              \
    static inline type __##name##2##to##_rz(from x) {                                              \
        return (type)x;                                                                            \
    }                                                                                              \
    static inline type __##name##2##to##_rd(from x) {                                              \
        return (type)floor(x);                                                                     \
    }                                                                                              \
    static inline type __##name##2##to##_ru(from x) {                                              \
        return (type)ceil(x);                                                                      \
    }                                                                                              \
    static inline from __##to##2##name##_rn(type x) {                                              \
        return (from)x;                                                                            \
    }
TNI_ROUNDED(float, float, int, int)
TNI_ROUNDED(float, float, uint, unsigned)
TNI_ROUNDED(float, float, ll, long long)
TNI_ROUNDED(float, float, ull, unsigned long long)
TNI_ROUNDED(double, double, int, int)
TNI_ROUNDED(double, double, uint, unsigned)
TNI_ROUNDED(double, double, ll, long long)
TNI_ROUNDED(double, double, ull, unsigned long long)
#undef TNI_ROUNDED
static inline float __double2float_rn(double x) {
    return (float)x;
}
// Reads and writes that tell a GPU's caches how: the processor's know by themselves.
#define TNI_READ(name)                                                                             \
    template <class T> static inline T name(const T *address) {                                    \
        return *address;                                                                           \
    }
TNI_READ(__ldg)
TNI_READ(__ldca)
TNI_READ(__ldcg)
TNI_READ(__ldcs)
TNI_READ(__ldcv)
TNI_READ(__ldlu)
#undef TNI_READ
#define TNI_WRITE(name)                                                                            \
    template <class T> static inline void name(T *address, T value) {                              \
        *address = value;                                                                          \
    }
TNI_WRITE(__stcg)
TNI_WRITE(__stcs)
TNI_WRITE(__stwb)
TNI_WRITE(__stwt)
#undef TNI_WRITE
static inline long long clock64() {
#ifdef __x86_64__
    return (long long)__builtin_ia32_rdtsc();
#else
    long long ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#endif
}
static inline long clock() {
    return (long)clock64();
}

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif
#ifndef INFINITY
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#endif
