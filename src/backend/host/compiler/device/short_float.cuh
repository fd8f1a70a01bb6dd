// What cuda_fp16.h and cuda_bf16.h have in common: numbers of 16 bits, which are computed with as
// float, pairs of them, and their functions by the names that CUDA has for either type.
#ifndef TNI_SHORT_FLOAT
namespace tni {
/* x by its neighbour towards zero or away from it, where `mode` says so. */
template <float to_float(unsigned short), unsigned short from_float(float)>
static inline unsigned short round_short(float x, int mode) {
    unsigned short nearest = from_float(x);
    float found = __builtin_fabsf(to_float(nearest)), size = __builtin_fabsf(x);
    bool is_shorter = mode == round_zero || mode == (x > 0 ? round_down : round_up);
    if (mode != round_nearest && is_shorter && found > size) nearest--;
    if (mode != round_nearest && !is_shorter && found < size) nearest++;
    return nearest;
}
/* A float between the same two numbers of 16 bits as x is, and on neither: its last bit is odd. */
static inline float odd_float(double x) {
    float nearest = (float)x;
    if (!(nearest != x) || x != x) return nearest;
    unsigned bits = unpack<unsigned>(pack(nearest));
    bits -= __builtin_fabs(nearest) > __builtin_fabs(x);
    return unpack<float>(pack(bits | 1));
}
/* The same of x + y. */
static inline float odd_sum(double x, double y) {
    double sum = x + y, part = sum - x, rest = (x - (sum - part)) + (y - part);
    if (!(rest != 0) || rest != rest) return odd_float(sum);
    unsigned long long bits = pack(sum);
    bits -= (rest > 0) != (sum > 0);
    return odd_float(unpack<double>(bits | 1));
}
template <class T> static inline T between_0_and_1(T x) {
    float value = (float)x;
    return value > 0 ? value < 1 ? x : T(1.0f) : T(0.0f);
}
template <class T> static inline T not_negative(T x) {
    float value = (float)x;
    return value != value ? T(__builtin_nanf("")) : value > 0 ? x : T(0.0f);
}
template <class T> static inline T larger(T a, T b) {
    float x = (float)a, y = (float)b;
    if (x != x || y != y) return x != x ? b : a;
    return x > y || (x == y && !__builtin_signbit(x)) ? a : b;
}
template <class T> static inline T smaller(T a, T b) {
    float x = (float)a, y = (float)b;
    if (x != x || y != y) return x != x ? b : a;
    return x < y || (x == y && __builtin_signbit(x)) ? a : b;
}
template <class T> static inline T larger_or_nan(T a, T b) {
    return (float)a != (float)a || (float)b != (float)b ? T(__builtin_nanf("")) : larger(a, b);
}
template <class T> static inline T smaller_or_nan(T a, T b) {
    return (float)a != (float)a || (float)b != (float)b ? T(__builtin_nanf("")) : smaller(a, b);
}
} // namespace tni

#define TNI_OF_ONE(type, type2, name, name2, made)                                                 \
    static inline type name(type a) {                                                              \
        return made;                                                                               \
    }                                                                                              \
    static inline type2 name2(type2 a) {                                                           \
        return {name(a.x), name(a.y)};                                                             \
    }
#define TNI_OF_TWO(type, type2, name, name2, made)                                                 \
    static inline type name(type a, type b) {                                                      \
        return made;                                                                               \
    }                                                                                              \
    static inline type2 name2(type2 a, type2 b) {                                                  \
        return {name(a.x, b.x), name(a.y, b.y)};                                                   \
    }
#define TNI_OF_THREE(type, type2, name, name2, made)                                               \
    static inline type name(type a, type b, type c) {                                              \
        return made;                                                                               \
    }                                                                                              \
    static inline type2 name2(type2 a, type2 b, type2 c) {                                         \
        return {name(a.x, b.x, c.x), name(a.y, b.y, c.y)};                                         \
    }
#define TNI_COMPARED(type, type2, name, made)                                                      \
    static inline bool __h##name(type a, type b) {                                                 \
        return made;                                                                               \
    }                                                                                              \
    static inline type2 __h##name##2(type2 a, type2 b) {                                           \
        return {type((float)__h##name(a.x, b.x)), type((float)__h##name(a.y, b.y))};               \
    }                                                                                              \
    static inline unsigned __h##name##2_mask(type2 a, type2 b) {                                   \
        return (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0);      \
    }                                                                                              \
    static inline bool __hb##name##2(type2 a, type2 b) {                                           \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                         \
    }
#define TNI_OPERATOR(type, type2, operator_, changing)                                             \
    static inline type operator operator_(type a, type b) {                                        \
        return type((float)a operator_(float) b);                                                  \
    }                                                                                              \
    static inline type &operator changing(type &a, type b) {                                       \
        return a = a operator_ b;                                                                  \
    }                                                                                              \
    static inline type2 operator operator_(type2 a, type2 b) {                                     \
        return {a.x operator_ b.x, a.y operator_ b.y};                                             \
    }                                                                                              \
    static inline type2 &operator changing(type2 &a, type2 b) {                                    \
        return a = a operator_ b;                                                                  \
    }
#define TNI_COMPARISON(type, type2, operator_)                                                     \
    static inline bool operator operator_(type a, type b) {                                        \
        return (float)a operator_(float) b;                                                        \
    }                                                                                              \
    static inline bool operator operator_(type2 a, type2 b) {                                      \
        return a.x operator_ b.x && a.y operator_ b.y;                                             \
    }
#define TNI_STEP(type, type2, operator_, by)                                                       \
    static inline type &operator operator_(type &a) {                                              \
        return a = type((float)a + by);                                                            \
    }                                                                                              \
    static inline type operator operator_(type &a, int) {                                          \
        type before = a;                                                                           \
        operator_ a;                                                                               \
        return before;                                                                             \
    }                                                                                              \
    static inline type2 &operator operator_(type2 &a) {                                            \
        operator_ a.x, operator_ a.y;                                                              \
        return a;                                                                                  \
    }                                                                                              \
    static inline type2 operator operator_(type2 &a, int) {                                        \
        type2 before = a;                                                                          \
        operator_ a;                                                                               \
        return before;                                                                             \
    }
#define TNI_INTEGER_ROUNDED(type, word, integer, name, end)                                        \
    static inline integer __##word##2##name##_##end(type x) {                                      \
        return tni::to_integer<integer, sizeof(integer) == 8>(tni::whole_##end((float)x));         \
    }                                                                                              \
    static inline type __##name##2##word##_##end(integer x) {                                      \
        return type::of(tni::odd_float_of(x), tni::mode_##end);                                    \
    }
#define TNI_INTEGER(type, word, integer, name)                                                     \
    TNI_INTEGER_ROUNDED(type, word, integer, name, rn)                                             \
    TNI_INTEGER_ROUNDED(type, word, integer, name, rz)                                             \
    TNI_INTEGER_ROUNDED(type, word, integer, name, rd)                                             \
    TNI_INTEGER_ROUNDED(type, word, integer, name, ru)
#define TNI_SHORT_TYPE(type, type2, to_float, from_float)                                          \
    struct __align__(2) type {                                                                     \
        unsigned short x;                                                                          \
        type() = default;                                                                          \
        type(float value) : x(tni::from_float(value)) {}                                           \
        type(double value) : x(tni::from_float(tni::odd_float(value))) {}                          \
        template <class T, class = typename tni::where<tni::is_integer<T>>::of>                    \
        type(T value) : x(tni::from_float(tni::odd_float_of(value))) {}                            \
        static type of(float value, int mode) {                                                    \
            type made;                                                                             \
            made.x = tni::round_short<tni::to_float, tni::from_float>(value, mode);                \
            return made;                                                                           \
        }                                                                                          \
        operator float() const {                                                                   \
            return tni::to_float(x);                                                               \
        }                                                                                          \
    };                                                                                             \
    struct __align__(4) type2 {                                                                    \
        type x, y;                                                                                 \
        type2() = default;                                                                         \
        type2(type x, type y) : x(x), y(y) {}                                                      \
    };                                                                                             \
    namespace tni {                                                                                \
    template <> constexpr bool is_short<type> = true;                                              \
    template <> constexpr bool is_short<type2> = true;                                             \
    }
#define TNI_SHORT_CONVERSIONS(type, type2, word)                                                   \
    static inline type __float2##word(float x) {                                                   \
        return type(x);                                                                            \
    }                                                                                              \
    static inline type __float2##word##_rn(float x) {                                              \
        return type(x);                                                                            \
    }                                                                                              \
    static inline type __float2##word##_rz(float x) {                                              \
        return type::of(x, tni::round_zero);                                                       \
    }                                                                                              \
    static inline type __float2##word##_rd(float x) {                                              \
        return type::of(x, tni::round_down);                                                       \
    }                                                                                              \
    static inline type __float2##word##_ru(float x) {                                              \
        return type::of(x, tni::round_up);                                                         \
    }                                                                                              \
    static inline type __double2##word(double x) {                                                 \
        return type(x);                                                                            \
    }                                                                                              \
    static inline float __##word##2float(type x) {                                                 \
        return (float)x;                                                                           \
    }                                                                                              \
    TNI_INTEGER(type, word, int, int)                                                              \
    TNI_INTEGER(type, word, unsigned, uint)                                                        \
    TNI_INTEGER(type, word, short, short)                                                          \
    TNI_INTEGER(type, word, unsigned short, ushort)                                                \
    TNI_INTEGER(type, word, long long, ll)                                                         \
    TNI_INTEGER(type, word, unsigned long long, ull)                                               \
    static inline signed char __##word##2char_rz(type x) {                                         \
        return tni::to_integer<signed char, false>((float)x);                                      \
    }                                                                                              \
    static inline unsigned char __##word##2uchar_rz(type x) {                                      \
        return tni::to_integer<unsigned char, false>((float)x);                                    \
    }                                                                                              \
    static inline short __##word##_as_short(type x) {                                              \
        return (short)x.x;                                                                         \
    }                                                                                              \
    static inline unsigned short __##word##_as_ushort(type x) {                                    \
        return x.x;                                                                                \
    }                                                                                              \
    static inline type __ushort_as_##word(unsigned short x) {                                      \
        type made;                                                                                 \
        made.x = x;                                                                                \
        return made;                                                                               \
    }                                                                                              \
    static inline type __short_as_##word(short x) {                                                \
        return __ushort_as_##word((unsigned short)x);                                              \
    }                                                                                              \
    static inline type2 __halves2##word##2(type x, type y) {                                       \
        return {x, y};                                                                             \
    }                                                                                              \
    static inline type2 __##word##2##word##2(type x) {                                             \
        return {x, x};                                                                             \
    }                                                                                              \
    static inline type2 __float2##word##2_rn(float x) {                                            \
        return {type(x), type(x)};                                                                 \
    }                                                                                              \
    static inline type2 __floats2##word##2_rn(float x, float y) {                                  \
        return {type(x), type(y)};                                                                 \
    }                                                                                              \
    static inline type2 __float22##word##2_rn(float2 x) {                                          \
        return {type(x.x), type(x.y)};                                                             \
    }                                                                                              \
    static inline float2 __##word##22float2(type2 x) {                                             \
        return {(float)x.x, (float)x.y};                                                           \
    }                                                                                              \
    static inline type __low2##word(type2 x) {                                                     \
        return x.x;                                                                                \
    }                                                                                              \
    static inline type __high2##word(type2 x) {                                                    \
        return x.y;                                                                                \
    }                                                                                              \
    static inline type2 __low2##word##2(type2 x) {                                                 \
        return {x.x, x.x};                                                                         \
    }                                                                                              \
    static inline type2 __high2##word##2(type2 x) {                                                \
        return {x.y, x.y};                                                                         \
    }                                                                                              \
    static inline type2 __lows2##word##2(type2 x, type2 y) {                                       \
        return {x.x, y.x};                                                                         \
    }                                                                                              \
    static inline type2 __highs2##word##2(type2 x, type2 y) {                                      \
        return {x.y, y.y};                                                                         \
    }
#define TNI_SHORT_FLOAT(type, type2)                                                               \
    static inline float __low2float(type2 x) {                                                     \
        return (float)x.x;                                                                         \
    }                                                                                              \
    static inline float __high2float(type2 x) {                                                    \
        return (float)x.y;                                                                         \
    }                                                                                              \
    static inline type2 __lowhigh2highlow(type2 x) {                                               \
        return {x.y, x.x};                                                                         \
    }                                                                                              \
    TNI_OPERATOR(type, type2, +, +=)                                                               \
    TNI_OPERATOR(type, type2, -, -=)                                                               \
    TNI_OPERATOR(type, type2, *, *=)                                                               \
    TNI_OPERATOR(type, type2, /, /=)                                                               \
    TNI_COMPARISON(type, type2, ==)                                                                \
    TNI_COMPARISON(type, type2, !=)                                                                \
    TNI_COMPARISON(type, type2, <)                                                                 \
    TNI_COMPARISON(type, type2, >)                                                                 \
    TNI_COMPARISON(type, type2, <=)                                                                \
    TNI_COMPARISON(type, type2, >=)                                                                \
    TNI_OF_ONE(type, type2, operator+, operator+, a)                                               \
    TNI_OF_ONE(type, type2, operator-, operator-, type(-(float)a))                                 \
    TNI_STEP(type, type2, ++, 1.0f)                                                                \
    TNI_STEP(type, type2, --, -1.0f)                                                               \
    TNI_OF_ONE(type, type2, __hneg, __hneg2, -a)                                                   \
    TNI_OF_ONE(type, type2, __habs, __habs2, type(fabsf((float)a)))                                \
    TNI_OF_TWO(type, type2, __hadd, __hadd2, a + b)                                                \
    TNI_OF_TWO(type, type2, __hsub, __hsub2, a - b)                                                \
    TNI_OF_TWO(type, type2, __hmul, __hmul2, a *b)                                                 \
    TNI_OF_TWO(type, type2, __hdiv, __h2div, a / b)                                                \
    TNI_OF_TWO(type, type2, __hadd_rn, __hadd2_rn, a + b)                                          \
    TNI_OF_TWO(type, type2, __hsub_rn, __hsub2_rn, a - b)                                          \
    TNI_OF_TWO(type, type2, __hmul_rn, __hmul2_rn, a *b)                                           \
    TNI_OF_TWO(type, type2, __hadd_sat, __hadd2_sat, tni::between_0_and_1(a + b))                  \
    TNI_OF_TWO(type, type2, __hsub_sat, __hsub2_sat, tni::between_0_and_1(a - b))                  \
    TNI_OF_TWO(type, type2, __hmul_sat, __hmul2_sat, tni::between_0_and_1(a *b))                   \
    TNI_OF_THREE(type, type2, __hfma, __hfma2,                                                     \
                 type(tni::odd_sum((double)(float)a *(float)b, (double)(float)c)))                 \
    TNI_OF_THREE(type, type2, __hfma_sat, __hfma2_sat, tni::between_0_and_1(__hfma(a, b, c)))      \
    TNI_OF_THREE(type, type2, __hfma_relu, __hfma2_relu, tni::not_negative(__hfma(a, b, c)))       \
    TNI_OF_TWO(type, type2, __hmax, __hmax2, tni::larger(a, b))                                    \
    TNI_OF_TWO(type, type2, __hmin, __hmin2, tni::smaller(a, b))                                   \
    TNI_OF_TWO(type, type2, __hmax_nan, __hmax2_nan, tni::larger_or_nan(a, b))                     \
    TNI_OF_TWO(type, type2, __hmin_nan, __hmin2_nan, tni::smaller_or_nan(a, b))                    \
    TNI_COMPARED(type, type2, eq, (float)a == (float)b)                                            \
    TNI_COMPARED(type, type2, ne, (float)a<(float)b || (float)a>(float) b)                         \
    TNI_COMPARED(type, type2, lt, (float)a < (float)b)                                             \
    TNI_COMPARED(type, type2, le, (float)a <= (float)b)                                            \
    TNI_COMPARED(type, type2, gt, (float)a > (float)b)                                             \
    TNI_COMPARED(type, type2, ge, (float)a >= (float)b)                                            \
    TNI_COMPARED(type, type2, equ, !((float)a < (float)b || (float)a > (float)b))                  \
    TNI_COMPARED(type, type2, neu, (float)a != (float)b)                                           \
    TNI_COMPARED(type, type2, ltu, !((float)a >= (float)b))                                        \
    TNI_COMPARED(type, type2, leu, !((float)a > (float)b))                                         \
    TNI_COMPARED(type, type2, gtu, !((float)a <= (float)b))                                        \
    TNI_COMPARED(type, type2, geu, !((float)a < (float)b))                                         \
    static inline bool __hisnan(type a) {                                                          \
        return (float)a != (float)a;                                                               \
    }                                                                                              \
    static inline type2 __hisnan2(type2 a) {                                                       \
        return {type((float)__hisnan(a.x)), type((float)__hisnan(a.y))};                           \
    }                                                                                              \
    static inline int __hisinf(type a) {                                                           \
        return isinf((float)a) ? (float)a > 0 ? 1 : -1 : 0;                                        \
    }                                                                                              \
    static inline type2 __hcmadd(type2 a, type2 b, type2 c) {                                      \
        return {__hfma(-a.y, b.y, __hfma(a.x, b.x, c.x)),                                          \
                __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};                                          \
    }                                                                                              \
    TNI_OF_ONE(type, type2, hceil, h2ceil, type(ceilf((float)a)))                                  \
    TNI_OF_ONE(type, type2, hfloor, h2floor, type(floorf((float)a)))                               \
    TNI_OF_ONE(type, type2, htrunc, h2trunc, type(truncf((float)a)))                               \
    TNI_OF_ONE(type, type2, hrint, h2rint, type(rintf((float)a)))                                  \
    TNI_OF_ONE(type, type2, hsqrt, h2sqrt, type(sqrtf((float)a)))                                  \
    TNI_OF_ONE(type, type2, hrsqrt, h2rsqrt, type(rsqrtf((float)a)))                               \
    TNI_OF_ONE(type, type2, hlog, h2log, type(logf((float)a)))                                     \
    TNI_OF_ONE(type, type2, hlog2, h2log2, type(log2f((float)a)))                                  \
    TNI_OF_ONE(type, type2, hlog10, h2log10, type(log10f((float)a)))                               \
    TNI_OF_ONE(type, type2, hexp, h2exp, type(expf((float)a)))                                     \
    TNI_OF_ONE(type, type2, hexp2, h2exp2, type(exp2f((float)a)))                                  \
    TNI_OF_ONE(type, type2, hexp10, h2exp10, type(exp10f((float)a)))                               \
    TNI_OF_ONE(type, type2, hcos, h2cos, type(cosf((float)a)))                                     \
    TNI_OF_ONE(type, type2, hsin, h2sin, type(sinf((float)a)))                                     \
    TNI_OF_ONE(type, type2, htanh, h2tanh, type(tanhf((float)a)))                                  \
    TNI_OF_ONE(type, type2, htanh_approx, h2tanh_approx, type(tanhf((float)a)))                    \
    TNI_OF_ONE(type, type2, hrcp, h2rcp, type(1 / (float)a))                                       \
    static inline type atomicAdd(type *a, type v) {                                                \
        return tni::change(a, [=](type x) { return x + v; });                                      \
    }                                                                                              \
    static inline type2 atomicAdd(type2 *a, type2 v) {                                             \
        type x = atomicAdd(&a->x, v.x), y = atomicAdd(&a->y, v.y);                                 \
        return {x, y};                                                                             \
    }                                                                                              \
    TNI_SHUFFLES(type)                                                                             \
    TNI_SHUFFLES(type2)
#endif
