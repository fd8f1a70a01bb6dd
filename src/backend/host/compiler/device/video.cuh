// CUDA's SIMD intrinsics: two numbers of 16 bits or four of 8 in a word, and those of dynamic
// programming (DPX).
namespace tni {
static inline int lane_of(unsigned word, int at, int bits, bool is_signed) {
    int high = (int)(word << (32 - bits - at));
    return is_signed ? high >> (32 - bits) : (int)((unsigned)high >> (32 - bits));
}
static inline int clamped(int x, int bits, bool is_signed) {
    int most = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
    int least = is_signed ? -most - 1 : 0;
    return x > most ? most : x < least ? least : x;
}
static inline unsigned sum_of_differences(unsigned a, unsigned b, int bits, bool is_signed) {
    unsigned sum = 0;
    for (int at = 0; at < 32; at += bits) {
        int x = lane_of(a, at, bits, is_signed), y = lane_of(b, at, bits, is_signed);
        sum += (unsigned)(x < y ? y - x : x - y);
    }
    return sum;
}
} // namespace tni

// What is made of each two lanes x and y.
#define TNI_LANES_OF(name, width, is_signed, second, made, ...)                                    \
    static inline unsigned name(__VA_ARGS__) {                                                     \
        enum { bits = width };                                                                     \
        unsigned result = 0;                                                                       \
        for (int at = 0; at < 32; at += bits) {                                                    \
            int x = tni::lane_of(a, at, bits, is_signed);                                          \
            int y = tni::lane_of(second, at, bits, is_signed);                                     \
            result |= ((unsigned)(made) << (32 - bits)) >> (32 - bits - at);                       \
        }                                                                                          \
        return result;                                                                             \
    }
#define TNI_LANES(name, is_signed, made)                                                           \
    TNI_LANES_OF(name##2, 16, is_signed, b, made, unsigned a, unsigned b)                          \
    TNI_LANES_OF(name##4, 8, is_signed, b, made, unsigned a, unsigned b)
#define TNI_LANES_OF_ONE(name, made)                                                               \
    TNI_LANES_OF(name##2, 16, true, a, made, unsigned a)                                           \
    TNI_LANES_OF(name##4, 8, true, a, made, unsigned a)
TNI_LANES_OF_ONE(__vabs, x < 0 ? -x : x)
TNI_LANES_OF_ONE(__vabsss, tni::clamped(x < 0 ? -x : x, bits, true))
TNI_LANES_OF_ONE(__vneg, -x)
TNI_LANES_OF_ONE(__vnegss, tni::clamped(-x, bits, true))
TNI_LANES(__vadd, true, x + y)
TNI_LANES(__vaddss, true, tni::clamped(x + y, bits, true))
TNI_LANES(__vaddus, false, tni::clamped(x + y, bits, false))
TNI_LANES(__vsub, true, x - y)
TNI_LANES(__vsubss, true, tni::clamped(x - y, bits, true))
TNI_LANES(__vsubus, false, tni::clamped(x - y, bits, false))
TNI_LANES(__vavgs, true, (x + y + (x + y >= 0)) >> 1)
TNI_LANES(__vavgu, false, (x + y + 1) >> 1)
TNI_LANES(__vhaddu, false, (x + y) >> 1)
TNI_LANES(__vmaxs, true, x > y ? x : y)
TNI_LANES(__vmaxu, false, x > y ? x : y)
TNI_LANES(__vmins, true, x < y ? x : y)
TNI_LANES(__vminu, false, x < y ? x : y)
TNI_LANES(__vabsdiffs, true, x < y ? y - x : x - y)
TNI_LANES(__vabsdiffu, false, x < y ? y - x : x - y)
#define TNI_LANES_COMPARED(name, is_signed, made)                                                  \
    TNI_LANES(__vcmp##name, is_signed, -(int)(made))                                               \
    TNI_LANES(__vset##name, is_signed, made)
TNI_LANES_COMPARED(eq, true, x == y)
TNI_LANES_COMPARED(ne, true, x != y)
TNI_LANES_COMPARED(ges, true, x >= y)
TNI_LANES_COMPARED(geu, false, x >= y)
TNI_LANES_COMPARED(gts, true, x > y)
TNI_LANES_COMPARED(gtu, false, x > y)
TNI_LANES_COMPARED(les, true, x <= y)
TNI_LANES_COMPARED(leu, false, x <= y)
TNI_LANES_COMPARED(lts, true, x < y)
TNI_LANES_COMPARED(ltu, false, x < y)
#undef TNI_LANES_COMPARED
#undef TNI_LANES_OF_ONE
#undef TNI_LANES
#undef TNI_LANES_OF
static inline unsigned __vsads2(unsigned a, unsigned b) {
    return tni::sum_of_differences(a, b, 16, true);
}
static inline unsigned __vsadu2(unsigned a, unsigned b) {
    return tni::sum_of_differences(a, b, 16, false);
}
static inline unsigned __vsads4(unsigned a, unsigned b) {
    return tni::sum_of_differences(a, b, 8, true);
}
static inline unsigned __vsadu4(unsigned a, unsigned b) {
    return tni::sum_of_differences(a, b, 8, false);
}

/* The larger or smaller of two words, of three, and of a sum and a third. */
#define TNI_DPX(m, is_better, end, type)                                                           \
    static inline type __vi##m##3_##end(type a, type b, type c) {                                  \
        return m(m(a, b), c);                                                                      \
    }                                                                                              \
    static inline type __viadd##m##_##end(type a, type b, type c) {                                \
        return m((type)((unsigned)a + (unsigned)b), c);                                            \
    }                                                                                              \
    static inline type __vib##m##_##end(type a, type b, bool *is_first) {                          \
        *is_first = a is_better b;                                                                 \
        return m(a, b);                                                                            \
    }
#define TNI_DPX_RELU(m)                                                                            \
    static inline int __vi##m##_s32_relu(int a, int b) {                                           \
        return max(m(a, b), 0);                                                                    \
    }                                                                                              \
    static inline int __vi##m##3_s32_relu(int a, int b, int c) {                                   \
        return max(__vi##m##3_s32(a, b, c), 0);                                                    \
    }                                                                                              \
    static inline int __viadd##m##_s32_relu(int a, int b, int c) {                                 \
        return max(__viadd##m##_s32(a, b, c), 0);                                                  \
    }                                                                                              \
    static inline unsigned __vi##m##_s16x2_relu(unsigned a, unsigned b) {                          \
        return __vmaxs2(__v##m##s2(a, b), 0);                                                      \
    }                                                                                              \
    static inline unsigned __vi##m##3_s16x2_relu(unsigned a, unsigned b, unsigned c) {             \
        return __vmaxs2(__vi##m##3_s16x2(a, b, c), 0);                                             \
    }                                                                                              \
    static inline unsigned __viadd##m##_s16x2_relu(unsigned a, unsigned b, unsigned c) {           \
        return __vmaxs2(__viadd##m##_s16x2(a, b, c), 0);                                           \
    }
#define TNI_DPX_LANES(m, compared, end, kind)                                                      \
    static inline unsigned __vi##m##3_##end##16x2(unsigned a, unsigned b, unsigned c) {            \
        return __v##m##kind##2(__v##m##kind##2(a, b), c);                                          \
    }                                                                                              \
    static inline unsigned __viadd##m##_##end##16x2(unsigned a, unsigned b, unsigned c) {          \
        return __v##m##kind##2(__vadd2(a, b), c);                                                  \
    }                                                                                              \
    static inline unsigned __vib##m##_##end##16x2(unsigned a, unsigned b, bool *high, bool *low) { \
        unsigned is_first = __vset##compared##kind##2(a, b);                                       \
        *high = is_first >> 16;                                                                    \
        *low = is_first & 1;                                                                       \
        return __v##m##kind##2(a, b);                                                              \
    }
TNI_DPX(max, >=, s32, int)
TNI_DPX(max, >=, u32, unsigned)
TNI_DPX(min, <=, s32, int)
TNI_DPX(min, <=, u32, unsigned)
TNI_DPX_LANES(max, ge, s, s)
TNI_DPX_LANES(max, ge, u, u)
TNI_DPX_LANES(min, le, s, s)
TNI_DPX_LANES(min, le, u, u)
TNI_DPX_RELU(max)
TNI_DPX_RELU(min)
#undef TNI_DPX_LANES
#undef TNI_DPX_RELU
#undef TNI_DPX
