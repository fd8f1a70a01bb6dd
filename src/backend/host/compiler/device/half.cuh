// half and bfloat16: numbers of 16 bits, which are computed with as float.
#if defined(__F16C__) && defined(__clang__)
#if !__has_builtin(__builtin_ia32_vcvtph2ps)
#define TNI_HALF_OF_COMPILER // as clang has it since it has no such function
#endif
#endif
namespace tni {
static inline float half_to_float(unsigned short bits) {
#ifdef TNI_HALF_OF_COMPILER
    _Float16 half;
    __builtin_memcpy(&half, &bits, sizeof half);
    return half;
#elif defined(__F16C__)
    return __builtin_ia32_vcvtph2ps((short __attribute__((vector_size(16)))){(short)bits})[0];
#else
    unsigned sign = (unsigned)(bits & 0x8000) << 16, rest = bits & 0x7fff;
    if (rest >= 0x7c00) return unpack<float>(pack(sign | 0x7f800000u | (rest & 0x3ff) << 13));
    float small = unpack<float>(pack(rest << 13)) * 5.192296858534828e33f; // 2 to the power 112
    return unpack<float>(pack(sign | unpack<unsigned>(pack(small))));
#endif
}
static inline unsigned short float_to_half(float value) {
#ifdef TNI_HALF_OF_COMPILER
    const _Float16 half = (_Float16)value;
    unsigned short bits;
    __builtin_memcpy(&bits, &half, sizeof bits);
    return bits;
#elif defined(__F16C__)
    return (unsigned short)__builtin_ia32_vcvtps2ph((float __attribute__((vector_size(16)))){value},
                                                    0)[0];
#else
    unsigned bits = unpack<unsigned>(pack(value)), sign = bits >> 16 & 0x8000,
             rest = bits & 0x7fffffff;
    if (rest > 0x7f800000u) return (unsigned short)(sign | 0x7e00 | (rest >> 13 & 0x3ff));
    if (rest >= 0x477ff000u) return (unsigned short)(sign | 0x7c00);
    if (rest < 0x38800000u) // adding 0.5 rounds to multiples of the smallest half
        return (unsigned short)(sign | (unpack<unsigned>(pack(unpack<float>(pack(rest)) + 0.5f)) -
                                        0x3f000000u));
    return (unsigned short)(sign | ((rest - 0x38000000u + 0xfff + (rest >> 13 & 1)) >> 13));
#endif
}
static inline float bfloat_to_float(unsigned short bits) {
    return unpack<float>(pack((unsigned)bits << 16));
}
static inline unsigned short float_to_bfloat(float value) {
    unsigned bits = unpack<unsigned>(pack(value));
    if ((bits & 0x7fffffff) > 0x7f800000u) return (unsigned short)(bits >> 16 | 0x40);
    return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
} // namespace tni

#define TNI_SHORT_FLOAT(type, to_float, from_float)                                                \
    struct type {                                                                                  \
        unsigned short x;                                                                          \
        type() = default;                                                                          \
        template <class T, class = typename tni::where<tni::is_real<T> || tni::is_integer<T>>::of> \
        type(T value) : x(tni::from_float((float)value)) {}                                        \
        operator float() const { return tni::to_float(x); }                                        \
        type &operator+=(type b) { return *this = type((float)*this + (float)b); }                 \
        type &operator-=(type b) { return *this = type((float)*this - (float)b); }                 \
        type &operator*=(type b) { return *this = type((float)*this * (float)b); }                 \
        type &operator/=(type b) { return *this = type((float)*this / (float)b); }                 \
    };                                                                                             \
    static inline type operator+(type a, type b) {                                                 \
        return type((float)a + (float)b);                                                          \
    }                                                                                              \
    static inline type operator-(type a, type b) {                                                 \
        return type((float)a - (float)b);                                                          \
    }                                                                                              \
    static inline type operator*(type a, type b) {                                                 \
        return type((float)a * (float)b);                                                          \
    }                                                                                              \
    static inline type operator/(type a, type b) {                                                 \
        return type((float)a / (float)b);                                                          \
    }                                                                                              \
    static inline type operator-(type a) {                                                         \
        return type(-(float)a);                                                                    \
    }                                                                                              \
    static inline bool operator==(type a, type b) {                                                \
        return (float)a == (float)b;                                                               \
    }                                                                                              \
    static inline bool operator!=(type a, type b) {                                                \
        return (float)a != (float)b;                                                               \
    }                                                                                              \
    static inline bool operator<(type a, type b) {                                                 \
        return (float)a < (float)b;                                                                \
    }                                                                                              \
    static inline bool operator>(type a, type b) {                                                 \
        return (float)a > (float)b;                                                                \
    }                                                                                              \
    static inline bool operator<=(type a, type b) {                                                \
        return (float)a <= (float)b;                                                               \
    }                                                                                              \
    static inline bool operator>=(type a, type b) {                                                \
        return (float)a >= (float)b;                                                               \
    }                                                                                              \
    static inline type __hadd(type a, type b) {                                                    \
        return a + b;                                                                              \
    }                                                                                              \
    static inline type __hsub(type a, type b) {                                                    \
        return a - b;                                                                              \
    }                                                                                              \
    static inline type __hmul(type a, type b) {                                                    \
        return a * b;                                                                              \
    }                                                                                              \
    static inline type __hdiv(type a, type b) {                                                    \
        return a / b;                                                                              \
    }                                                                                              \
    static inline type __hneg(type a) {                                                            \
        return -a;                                                                                 \
    }                                                                                              \
    static inline type __habs(type a) {                                                            \
        return type(fabsf((float)a));                                                              \
    }                                                                                              \
    static inline type __hfma(type a, type b, type c) {                                            \
        return type(fmaf((float)a, (float)b, (float)c));                                           \
    }                                                                                              \
    static inline type __hmax(type a, type b) {                                                    \
        return type(fmaxf((float)a, (float)b));                                                    \
    }                                                                                              \
    static inline type __hmin(type a, type b) {                                                    \
        return type(fminf((float)a, (float)b));                                                    \
    }                                                                                              \
    static inline bool __heq(type a, type b) {                                                     \
        return a == b;                                                                             \
    }                                                                                              \
    static inline bool __hne(type a, type b) {                                                     \
        return a != b;                                                                             \
    }                                                                                              \
    static inline bool __hlt(type a, type b) {                                                     \
        return a < b;                                                                              \
    }                                                                                              \
    static inline bool __hle(type a, type b) {                                                     \
        return a <= b;                                                                             \
    }                                                                                              \
    static inline bool __hgt(type a, type b) {                                                     \
        return a > b;                                                                              \
    }                                                                                              \
    static inline bool __hge(type a, type b) {                                                     \
        return a >= b;                                                                             \
    }                                                                                              \
    static inline bool __hisnan(type a) {                                                          \
        return isnan((float)a);                                                                    \
    }                                                                                              \
    static inline type hexp(type a) {                                                              \
        return type(expf((float)a));                                                               \
    }                                                                                              \
    static inline type hlog(type a) {                                                              \
        return type(logf((float)a));                                                               \
    }                                                                                              \
    static inline type hsqrt(type a) {                                                             \
        return type(sqrtf((float)a));                                                              \
    }                                                                                              \
    static inline type hrsqrt(type a) {                                                            \
        return type(rsqrtf((float)a));                                                             \
    }                                                                                              \
    static inline type hsin(type a) {                                                              \
        return type(sinf((float)a));                                                               \
    }                                                                                              \
    static inline type hcos(type a) {                                                              \
        return type(cosf((float)a));                                                               \
    }
TNI_SHORT_FLOAT(__half, half_to_float, float_to_half)
TNI_SHORT_FLOAT(__nv_bfloat16, bfloat_to_float, float_to_bfloat)
#undef TNI_SHORT_FLOAT
typedef __half half;
typedef __nv_bfloat16 nv_bfloat16;
static inline half __float2half(float x) {
    return half(x);
}
static inline half __float2half_rn(float x) {
    return half(x);
}
static inline float __half2float(half x) {
    return (float)x;
}
static inline half __double2half(double x) {
    return half((float)x);
}
static inline half __int2half_rn(int x) {
    return half((float)x);
}
static inline int __half2int_rn(half x) {
    return (int)rintf((float)x);
}
static inline unsigned short __half_as_ushort(half x) {
    return x.x;
}
static inline half __ushort_as_half(unsigned short x) {
    half made;
    made.x = x;
    return made;
}
static inline nv_bfloat16 __float2bfloat16(float x) {
    return nv_bfloat16(x);
}
static inline nv_bfloat16 __float2bfloat16_rn(float x) {
    return nv_bfloat16(x);
}
static inline float __bfloat162float(nv_bfloat16 x) {
    return (float)x;
}
struct __align__(4) __half2 {
    __half x, y;
};
struct __align__(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
};
typedef __half2 half2;
static inline half2 make_half2(half x, half y) {
    return {x, y};
}
static inline half2 __halves2half2(half x, half y) {
    return {x, y};
}
static inline half2 __hadd2(half2 a, half2 b) {
    return {a.x + b.x, a.y + b.y};
}
static inline half2 __hmul2(half2 a, half2 b) {
    return {a.x * b.x, a.y * b.y};
}
static inline half2 __hfma2(half2 a, half2 b, half2 c) {
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
static inline half __low2half(half2 a) {
    return a.x;
}
static inline half __high2half(half2 a) {
    return a.y;
}
static inline float2 __half22float2(half2 a) {
    return {(float)a.x, (float)a.y};
}
static inline half2 __float22half2_rn(float2 a) {
    return {half(a.x), half(a.y)};
}
namespace tni {
template <> constexpr char kind_of<__half> = 'f';
template <> constexpr char kind_of<__nv_bfloat16> = 's';
} // namespace tni
