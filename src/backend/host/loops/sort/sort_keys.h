/* Keys: unsigned integers in the order of the elements that they stand for. A NaN is the
 * largest. */
#ifndef TNI_SORT_KEYS_H
#define TNI_SORT_KEYS_H

#include <stdbool.h>
#include <stdint.h>

/* key_<dtype>(bits), bits_<dtype>(key) back; whole_<dtype>(bits): the same bits, but 0 for -0. */
#define TNI_INTEGER_KEYS(dtype, type, top)                                                         \
    static inline type key_##dtype(type bits) {                                                    \
        return (type)(bits ^ (type)(top));                                                         \
    }                                                                                              \
    static inline type bits_##dtype(type key) {                                                    \
        return (type)(key ^ (type)(top));                                                          \
    }                                                                                              \
    static inline type whole_##dtype(type bits) {                                                  \
        return bits;                                                                               \
    }

/* Negative numbers have all bits inverted, the others the topmost. */
#define TNI_FLOAT_KEYS(dtype, type, top, infinity, nan)                                            \
    static inline type key_##dtype(type bits) {                                                    \
        type inverted = bits & (top) ? (type)~bits : (type)(bits | (top));                         \
        return (bits & (type)((top)-1)) > (infinity) ? (type) ~(type)0 : inverted;                 \
    }                                                                                              \
    static inline type bits_##dtype(type key) {                                                    \
        type inverted = key & (top) ? (type)(key ^ (top)) : (type)~key;                            \
        return key == (type) ~(type)0 ? (type)(nan) : inverted;                                    \
    }                                                                                              \
    static inline type whole_##dtype(type bits) {                                                  \
        return bits == (top) ? 0 : bits;                                                           \
    }

TNI_INTEGER_KEYS(b8, uint8_t, 0)
TNI_INTEGER_KEYS(i8, uint8_t, 0x80)
TNI_INTEGER_KEYS(u8, uint8_t, 0)
TNI_INTEGER_KEYS(i16, uint16_t, 0x8000)
TNI_INTEGER_KEYS(u16, uint16_t, 0)
TNI_INTEGER_KEYS(i32, uint32_t, UINT32_C(1) << 31)
TNI_INTEGER_KEYS(u32, uint32_t, 0)
TNI_INTEGER_KEYS(i64, uint64_t, UINT64_C(1) << 63)
TNI_INTEGER_KEYS(u64, uint64_t, 0)
TNI_FLOAT_KEYS(f16, uint16_t, 0x8000, 0x7C00, 0x7E00)
TNI_FLOAT_KEYS(bf16, uint16_t, 0x8000, 0x7F80, 0x7FC0)
TNI_FLOAT_KEYS(f32, uint32_t, UINT32_C(1) << 31, UINT32_C(0x7F800000), UINT32_C(0x7FC00000))
TNI_FLOAT_KEYS(f64, uint64_t, UINT64_C(1) << 63, UINT64_C(0x7FF) << 52, UINT64_C(0x7FF8) << 48)

/* Both keys of a complex number. Keys with a NaN stand after all others: first those whose
 * imaginary part is one, by the real part, then those whose real part is one, by the imaginary
 * part, then those of two. */
#define TNI_COMPLEX_KEYS(dtype, part, type)                                                        \
    typedef struct tni_keys_##dtype {                                                              \
        type high, low;                                                                            \
    } tni_keys_##dtype;                                                                            \
    static inline tni_keys_##dtype keys_##dtype(type real, type imag) {                            \
        const type nan = (type) ~(type)0;                                                          \
        real = key_##part(whole_##part(real));                                                     \
        imag = key_##part(whole_##part(imag));                                                     \
        tni_keys_##dtype keys = {real, imag};                                                      \
        if (imag == nan && real != nan) keys = (tni_keys_##dtype){nan - 2, real};                  \
        if (real == nan) keys = (tni_keys_##dtype){imag == nan ? nan : nan - 1, imag};             \
        return keys;                                                                               \
    }
TNI_COMPLEX_KEYS(c64, f32, uint32_t)
TNI_COMPLEX_KEYS(c128, f64, uint64_t)

#endif
