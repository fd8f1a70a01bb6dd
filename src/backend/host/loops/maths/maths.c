/* Functions of our own, faster than the vector mathematics library's.
 *
 * Decides: how accurate they are: within 2.5 ULP, floats' tangent within 3 (tests/python/ulp.json
 * has each). NumPy's are within 4. Multiplications and additions are fused where the level can, so
 * the levels differ in last bits. A function has no branch, so compilers make vectors of it. */
#include "backend/host/loops/elementwise/form.h"
#include "backend/host/loops/entry.h"
#include "backend/host/loops/maths/polynomial.h"

/* The bits of a limit. Bits above a positive lowest argument count from it, so that what is below
 * is large. */
#define SIZE OWN(size_bits)(x)
#define SIZE_OF(limit) OWN(size_bits)(limit)
#define ABOVE(x, lowest) (OWN(bits)(x) - OWN(bits)(lowest))

/* Operation, the C library's function, the key of x, the largest key that ours takes. Of EVERY one
 * there is another function of ours, OWN(any_<operation>), for all arguments but NaN. */
#define EACH_MATHS(ONE, TWO, EVERY)                                                                \
    ONE(cbrt, cbrt, (SIZE - SIZE_OF(SMALLEST)) & (0 - (BITS)(x != 0)),                             \
        SIZE_OF(LARGEST) - SIZE_OF(SMALLEST))                                                      \
    EVERY(exp, exp, SIZE, SIZE_OF(EXP_LIMIT))                                                      \
    ONE(exp2, exp2, SIZE, SIZE_OF(BIAS - 1))                                                       \
    ONE(expm1, expm1, ABOVE(x, -0.0), ABOVE(EXP_LIMIT, -0.0))                                      \
    ONE(log, log, ABOVE(x, SMALLEST), ABOVE(LARGEST, SMALLEST))                                    \
    ONE(log2, log2, ABOVE(x, SMALLEST), ABOVE(LARGEST, SMALLEST))                                  \
    ONE(log10, log10, ABOVE(x, SMALLEST), ABOVE(LARGEST, SMALLEST))                                \
    ONE(log1p, log1p, ABOVE(1 + x, SMALLEST), ABOVE(LARGEST / 4, SMALLEST))                        \
    ONE(arcsin, asin, SIZE, SIZE_OF(1))                                                            \
    ONE(arccos, acos, SIZE, SIZE_OF(1))                                                            \
    ONE(arctan, atan, 0, 0)                                                                        \
    ONE(sinh, sinh, SIZE, SIZE_OF(EXP_LIMIT))                                                      \
    ONE(cosh, cosh, SIZE, SIZE_OF(EXP_LIMIT))                                                      \
    ONE(tanh, tanh, 0, 0)                                                                          \
    ONE(arcsinh, asinh, SIZE, SIZE_OF(SQUARE_LIMIT))                                               \
    ONE(arccosh, acosh, ABOVE(x, 1), ABOVE(SQUARE_LIMIT, 1))                                       \
    ONE(arctanh, atanh, SIZE, SIZE_OF(1) - 8)                                                      \
    TWO(arctan2, atan2)

#if defined(__FMA__) || defined(__aarch64__)
#define IS_FUSED 1
#else
#define IS_FUSED 0
#endif

/* Without fused operations the arguments of periodic functions lose too much, and doubles' powers
 * would need more of them. Periodic ones are floats' only. */
#if IS_FUSED
#define EACH_PERIODIC(ONE)                                                                         \
    ONE(sin, sin, SIZE, SIZE_OF(PERIODIC_LIMIT))                                                   \
    ONE(cos, cos, SIZE, SIZE_OF(PERIODIC_LIMIT))                                                   \
    ONE(tan, tan, SIZE, SIZE_OF(PERIODIC_LIMIT))                                                   \
    ONE(sinc, sinc, SIZE, SIZE_OF(PERIODIC_LIMIT / 4))
#else
#define EACH_PERIODIC(ONE)
#endif

#define S f64
#define T double
#define SINGLE 0
#define BITS tn_u64
#define MANTISSA 52
#define BIAS 1023
#define SHIFT 0x1.8p52
#define SMALLEST 0x1p-1022
#define LARGEST 0x1.fffffffffffffp1023
#define EXP_LIMIT 708
#define EXP_LOWEST -746
#define EXP_HIGHEST 710
#define LOWEST_EXPONENT -40
#define TANH_LIMIT 20
#define SQUARE_LIMIT 0x1p500
#define SQRT_HALF 0x1.6a09e667f3bcdp-1
#define LN2_HIGH 6.93147180369123816490e-01
#define LN2_LOW 1.90821492927058770002e-10
#define LOG2_E 0x1.71547652b82fep+0
#define LOG2_E_LOW 0x1.777d0ffda0d24p-56
#define LOG10_E 0x1.bcb7b1526e50ep-2
#define LOG10_E_LOW 0x1.95355baaafad3p-57
#define LOG10_2_HIGH 0x1.34413509f6p-2
#define LOG10_2_LOW 0x1.9fef311f12b36p-42
#define HALF_PI_HIGH 0x1.921fb54442d18p+0
#define HALF_PI_LOW 0x1.1a62633145c07p-54
#define CBRT_DROPPED 12
#define CBRT_MAGIC 0x553ef2aaaaaaau
#define CBRT_KEPT 0xfffffff000000000u
#include "backend/host/loops/maths/own.h"
#undef S
#undef T
#undef SINGLE
#undef BITS
#undef MANTISSA
#undef BIAS
#undef SHIFT
#undef SMALLEST
#undef LARGEST
#undef EXP_LIMIT
#undef EXP_LOWEST
#undef EXP_HIGHEST
#undef LOWEST_EXPONENT
#undef TANH_LIMIT
#undef SQUARE_LIMIT
#undef SQRT_HALF
#undef LN2_HIGH
#undef LN2_LOW
#undef LOG2_E
#undef LOG10_E
#undef LOG10_2_HIGH
#undef LOG10_2_LOW
#undef HALF_PI_HIGH
#undef HALF_PI_LOW
#undef CBRT_DROPPED
#undef CBRT_MAGIC
#undef CBRT_KEPT
#undef LOG2_E_LOW
#undef LOG10_E_LOW

#define S f32
#define T float
#define SINGLE 1
#define BITS tn_u32
#define MANTISSA 23
#define BIAS 127
#define SHIFT 0x1.8p23f
#define SMALLEST 0x1p-126f
#define LARGEST 0x1.fffffep127f
#define EXP_LIMIT 87
#define EXP_LOWEST -105
#define EXP_HIGHEST 89
#define LOWEST_EXPONENT -20
#define TANH_LIMIT 10
#define SQUARE_LIMIT 0x1p60f
#define PERIODIC_LIMIT 65536
#define SQRT_HALF 0x1.6a09e6p-1f
#define LN2_HIGH 0.693359375f
#define LN2_LOW -2.12194440e-4f
#define LOG2_E 0x1.715476p+0f
#define LOG10_E 0x1.bcb7b2p-2f
#define LOG10_2_HIGH 0x1.344p-2f
#define LOG10_2_LOW 0x1.3509f8p-18f
#define HALF_PI_HIGH 0x1.921fb4p+0f
#define HALF_PI_LOW 0x1.4442d2p-24f
#define CBRT_DROPPED 8
#define CBRT_MAGIC 0x54a240u
#define CBRT_KEPT 0xffff0000u
#include "backend/host/loops/maths/own.h"

extern const tni_loop_entry LEVEL(tni_loops_faster)[];
#define ENTRY(operation, D) {tni_op_##operation, tni_dtype_##D, own_loop_##operation##_##D},
#define ENTRIES_1(operation, library, key, largest) ENTRY(operation, f32) ENTRY(operation, f64)
#define ENTRIES_2(operation, library) ENTRY(operation, f32) ENTRY(operation, f64)
#define SINGLE_1(operation, library, key, largest) ENTRY(operation, f32)
#if IS_FUSED
#define POWERS ENTRY(power, f32) ENTRY(power, f64)
#else
#define POWERS ENTRY(power, f32)
#endif
const tni_loop_entry LEVEL(tni_loops_faster)[] = {EACH_MATHS(ENTRIES_1, ENTRIES_2, ENTRIES_1)
                                                      EACH_PERIODIC(SINGLE_1) POWERS{0, 0, NULL}};
