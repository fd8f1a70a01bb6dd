// CUDA's intrinsics: arithmetic with a rounding of its own, conversions, and functions of integers
// and bits.
namespace tni {
/* As the processor's word for rounding has them. */
enum { round_nearest, round_down, round_up, round_zero };
enum { mode_rn = round_nearest, mode_rd = round_down, mode_ru = round_up, mode_rz = round_zero };

// While it lives, operations round so.
struct rounding {
#ifdef __x86_64__
    unsigned before;
    rounding(int mode) {
        unsigned after;
        __asm__ volatile("stmxcsr %0" : "=m"(before));
        after = (before & ~0x6000u) | (unsigned)mode << 13;
        __asm__ volatile("ldmxcsr %0" : : "m"(after));
    }
    ~rounding() {
        __asm__ volatile("ldmxcsr %0" : : "m"(before));
    }
#else
    unsigned long before;
    rounding(int mode) {
        unsigned long after, bits = mode == round_up ? 1 : mode == round_down ? 2 : (unsigned)mode;
        __asm__ volatile("mrs %0, fpcr" : "=r"(before));
        after = (before & ~(3ul << 22)) | bits << 22;
        __asm__ volatile("msr fpcr, %0" : : "r"(after));
    }
    ~rounding() {
        __asm__ volatile("msr fpcr, %0" : : "r"(before));
    }
#endif
};
// Between the compiler's knowledge of a value before and after: volatile assembly keeps its order.
#define TNI_HIDE(value) __asm__ volatile("" : "+m"(value))
// A result that is rounded by itself, not joined with the next operation.
#if defined(__has_builtin) && __has_builtin(__builtin_assoc_barrier)
#define TNI_FENCED(value) __builtin_assoc_barrier(value)
#elif defined(__has_builtin) && __has_builtin(__arithmetic_fence)
#define TNI_FENCED(value) __arithmetic_fence(value)
#else
#define TNI_FENCED(value) (value)
#endif

/* A whole number as an integer, the nearest one where there is none; what is no number is 0, or the
 * highest bit where one of the two types has 64 bits. */
template <class T, bool is_wide, class F> static inline T to_integer(F x) {
    constexpr int bits = 8 * sizeof(T);
    constexpr bool is_signed = (T)-1 < 0;
    constexpr F end = (F)(1ull << (bits - 1)) * (is_signed ? 1 : 2);
    constexpr T top = (T)(1ull << (bits - 1)), most = is_signed ? (T)~top : (T)-1;
    if (x != x) return is_wide ? top : 0;
    return x >= end ? most : x < (is_signed ? -end : 0) ? (T)(is_signed ? top : 0) : (T)x;
}
template <class F> static inline F whole_rn(F x) {
    return rint(x);
}
template <class F> static inline F whole_rz(F x) {
    return trunc(x);
}
template <class F> static inline F whole_rd(F x) {
    return floor(x);
}
template <class F> static inline F whole_ru(F x) {
    return ceil(x);
}
} // namespace tni

#define TNI_MODE(result, name, mode, hidden, made, ...)                                            \
    static inline result name(__VA_ARGS__) {                                                       \
        tni::rounding rounding(mode);                                                              \
        hidden;                                                                                    \
        result rounded = made;                                                                     \
        TNI_HIDE(rounded);                                                                         \
        return rounded;                                                                            \
    }
#define TNI_MODES(result, name, hidden, made, ...)                                                 \
    static inline result name##_rn(__VA_ARGS__) {                                                  \
        return TNI_FENCED(made);                                                                   \
    }                                                                                              \
    TNI_MODE(result, name##_rz, tni::round_zero, hidden, made, __VA_ARGS__)                        \
    TNI_MODE(result, name##_ru, tni::round_up, hidden, made, __VA_ARGS__)                          \
    TNI_MODE(result, name##_rd, tni::round_down, hidden, made, __VA_ARGS__)
#define TNI_HIDE_2                                                                                 \
    TNI_HIDE(x);                                                                                   \
    TNI_HIDE(y)
#define TNI_HIDE_3                                                                                 \
    TNI_HIDE_2;                                                                                    \
    TNI_HIDE(z)
#define TNI_ARITHMETIC(type, prefix, fused, root)                                                  \
    TNI_MODES(type, prefix##add, TNI_HIDE_2, x + y, type x, type y)                                \
    TNI_MODES(type, prefix##sub, TNI_HIDE_2, x - y, type x, type y)                                \
    TNI_MODES(type, prefix##mul, TNI_HIDE_2, x *y, type x, type y)                                 \
    TNI_MODES(type, prefix##div, TNI_HIDE_2, x / y, type x, type y)                                \
    TNI_MODES(type, prefix##rcp, TNI_HIDE(x), 1 / x, type x)                                       \
    TNI_MODES(type, prefix##sqrt, TNI_HIDE(x), root(x), type x)                                    \
    TNI_MODES(type, fused, TNI_HIDE_3, fma(x, y, z), type x, type y, type z)
TNI_ARITHMETIC(float, __f, __fmaf, __builtin_sqrtf)
TNI_ARITHMETIC(double, __d, __fma, __builtin_sqrt)
TNI_MODES(float, __fmaf_ieee, TNI_HIDE_3, fmaf(x, y, z), float x, float y, float z)
TNI_MODES(float, __double2float, TNI_HIDE(x), (float)x, double x)
TNI_MODES(float, __int2float, TNI_HIDE(x), (float)x, int x)
TNI_MODES(float, __uint2float, TNI_HIDE(x), (float)x, unsigned x)
TNI_MODES(float, __ll2float, TNI_HIDE(x), (float)x, long long x)
TNI_MODES(float, __ull2float, TNI_HIDE(x), (float)x, unsigned long long x)
TNI_MODES(double, __ll2double, TNI_HIDE(x), (double)x, long long x)
TNI_MODES(double, __ull2double, TNI_HIDE(x), (double)x, unsigned long long x)
#undef TNI_ARITHMETIC
#undef TNI_HIDE_3
#undef TNI_HIDE_2
#undef TNI_HIDE
#undef TNI_MODES
#undef TNI_MODE
static inline double __int2double_rn(int x) {
    return x;
}
static inline double __uint2double_rn(unsigned x) {
    return x;
}
static inline float __frsqrt_rn(float x) {
    return (float)(1 / __builtin_sqrt((double)x));
}
#define TNI_ROUNDED(from, name, to, type, end, is_wide)                                            \
    static inline type __##name##2##to##_##end(from x) {                                           \
        return tni::to_integer<type, is_wide>(tni::whole_##end(x));                                \
    }
#define TNI_TO_INTEGER(from, name, to, type, is_wide)                                              \
    TNI_ROUNDED(from, name, to, type, rn, is_wide)                                                 \
    TNI_ROUNDED(from, name, to, type, rz, is_wide)                                                 \
    TNI_ROUNDED(from, name, to, type, ru, is_wide)                                                 \
    TNI_ROUNDED(from, name, to, type, rd, is_wide)
TNI_TO_INTEGER(float, float, int, int, false)
TNI_TO_INTEGER(float, float, uint, unsigned, false)
TNI_TO_INTEGER(float, float, ll, long long, true)
TNI_TO_INTEGER(float, float, ull, unsigned long long, true)
TNI_TO_INTEGER(double, double, int, int, true)
TNI_TO_INTEGER(double, double, uint, unsigned, true)
TNI_TO_INTEGER(double, double, ll, long long, true)
TNI_TO_INTEGER(double, double, ull, unsigned long long, true)
#undef TNI_TO_INTEGER
#undef TNI_ROUNDED
namespace tni {
// A float between the same two shorter numbers as a whole number is, and on neither.
template <class T> static inline float odd_float_of(T x) {
    constexpr bool is_signed = (T)-1 < 0;
    unsigned long long size = (unsigned long long)x;
    if (is_signed && x < 0) size = 0 - size;
    int lost = size >> 24 ? 40 - __builtin_clzll(size) : 0;
    unsigned long long kept = size >> lost << lost;
    float made = (float)(kept | (size != kept ? 1ull << lost : 0));
    return is_signed && x < 0 ? -made : made;
}
} // namespace tni

// --- Fast functions, which are the exact ones here ---

#define TNI_FAST(name, made)                                                                       \
    static inline float name(float x) {                                                            \
        return made;                                                                               \
    }
TNI_FAST(__expf, expf(x))
TNI_FAST(__exp10f, exp10f(x))
TNI_FAST(__logf, logf(x))
TNI_FAST(__log2f, log2f(x))
TNI_FAST(__log10f, log10f(x))
TNI_FAST(__sinf, sinf(x))
TNI_FAST(__cosf, cosf(x))
TNI_FAST(__tanf, tanf(x))
TNI_FAST(__tanhf, tanhf(x))
TNI_FAST(__saturatef, x > 0 ? x < 1 ? x : 1 : 0)
#undef TNI_FAST
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
static inline double fdivide(double x, double y) {
    return x / y;
}

// --- Integers and bits ---

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
    for (int k = 0; k < 32; k += 8) sum += (signed char)(a >> k) * (signed char)(b >> k);
    return sum;
}
static inline unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
    for (int k = 0; k < 32; k += 8) sum += (a >> k & 0xff) * (b >> k & 0xff);
    return sum;
}
static inline int __dp4a(char4 a, char4 b, int sum) {
    return sum + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
static inline unsigned __dp4a(uchar4 a, uchar4 b, unsigned sum) {
    return sum + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
// The sum of two products of halves of a word and bytes, the lower two or the higher two.
static inline int __dp2a_lo(int a, int b, int sum) {
    return sum + (short)a * (signed char)b + (short)(a >> 16) * (signed char)(b >> 8);
}
static inline int __dp2a_hi(int a, int b, int sum) {
    return __dp2a_lo(a, b >> 16, sum);
}
static inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned sum) {
    return sum + (a & 0xffff) * (b & 0xff) + (a >> 16) * (b >> 8 & 0xff);
}
static inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned sum) {
    return __dp2a_lo(a, b >> 16, sum);
}
static inline int __dp2a_lo(short2 a, char4 b, int sum) {
    return sum + a.x * b.x + a.y * b.y;
}
static inline int __dp2a_hi(short2 a, char4 b, int sum) {
    return sum + a.x * b.z + a.y * b.w;
}
static inline unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned sum) {
    return sum + a.x * b.x + a.y * b.y;
}
static inline unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned sum) {
    return sum + a.x * b.z + a.y * b.w;
}
// The place of the bit that is the `offset`-th from `base` on, upwards or downwards.
static inline unsigned __fns(unsigned mask, unsigned base, int offset) {
    if (offset == 0) return base < 32 && mask >> base & 1 ? base : ~0u;
    int step = offset > 0 ? 1 : -1, left = offset * step;
    for (int k = (int)base; k >= 0 && k < 32; k += step)
        if (mask >> k & 1 && --left == 0) return (unsigned)k;
    return ~0u;
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
// Reads and writes that tell a GPU's caches how: the processor's know by themselves.
#define TNI_READ(name)                                                                             \
    template <class T>                                                                             \
    static inline typename tni::where<tni::is_loaded<T>, T>::of name(const T *address) {           \
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
    template <class T>                                                                             \
    static inline typename tni::where<tni::is_loaded<T>>::of name(T *address, T value) {           \
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
