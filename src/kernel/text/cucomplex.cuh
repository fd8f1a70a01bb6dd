// cuComplex.h, where CUDA's own is not installed.
#ifndef TNI_CUCOMPLEX
#define TNI_CUCOMPLEX
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
#define TNI_CUCOMPLEX_WORDS(type, real, end, by)                                                   \
    static inline type make_##type(real x, real y) {                                               \
        return {x, y};                                                                             \
    }                                                                                              \
    static inline real cuCreal##end(type z) {                                                      \
        return z.x;                                                                                \
    }                                                                                              \
    static inline real cuCimag##end(type z) {                                                      \
        return z.y;                                                                                \
    }                                                                                              \
    static inline type cuConj##end(type z) {                                                       \
        return {z.x, -z.y};                                                                        \
    }                                                                                              \
    static inline type cuCadd##end(type a, type b) {                                               \
        return {a.x + b.x, a.y + b.y};                                                             \
    }                                                                                              \
    static inline type cuCsub##end(type a, type b) {                                               \
        return {a.x - b.x, a.y - b.y};                                                             \
    }                                                                                              \
    static inline type cuCmul##end(type a, type b) {                                               \
        return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                                     \
    }                                                                                              \
    static inline type cuCdiv##end(type a, type b) {                                               \
        real size = b.x * b.x + b.y * b.y;                                                         \
        return {(a.x * b.x + a.y * b.y) / size, (a.y * b.x - a.x * b.y) / size};                   \
    }                                                                                              \
    static inline real cuCabs##end(type z) {                                                       \
        return ::hypot(z.x, z.y);                                                                  \
    }                                                                                              \
    static inline type cuCfma##end(type a, type b, type c) {                                       \
        return cuCadd##end(cuCmul##end(a, b), c);                                                  \
    }
TNI_CUCOMPLEX_WORDS(cuFloatComplex, float, f, )
TNI_CUCOMPLEX_WORDS(cuDoubleComplex, double, , )
#undef TNI_CUCOMPLEX_WORDS
static inline cuComplex make_cuComplex(float x, float y) {
    return {x, y};
}
static inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
    return {z.x, z.y};
}
static inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
    return {(float)z.x, (float)z.y};
}
#endif
