// The bits of numbers of 16 bits, half and bfloat16, to and from float.
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
