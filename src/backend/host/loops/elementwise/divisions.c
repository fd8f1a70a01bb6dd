/* Integers divided by one number: a multiplication and shifts instead of divisions.
 *
 * Of a divisor d >= 2 with 2^(L-1) < d <= 2^L, m = floor(2^(N-1+L) / d) + 1 gives the quotient of
 * every u <= 2^(N-1) as u * m >> N-1 + L (Granlund and Montgomery). A negative dividend has as its
 * floored quotient the complement of that of its own complement; by -d the opposite of a dividend
 * is divided. Unsigned dividends need one bit more of m, which an addition makes up for. Other
 * divisors, and pairs of numbers, are divided as ever. */
#include "backend/host/loops/entry.h"

enum { WORTH = 16 }; /* elements for which a divisor is prepared */

__extension__ typedef unsigned __int128 tn_u128;

static inline uint32_t high_32(uint32_t a, uint32_t b) {
    return (uint32_t)((uint64_t)a * b >> 32);
}

/* The upper half of a product; of four products of halves where vectors have these. */
static inline uint64_t high_64(uint64_t a, uint64_t b) {
#ifdef __AVX2__
    const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    const uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    return a1 * b1 + (middle >> 32) + ((a0 * b1 + (uint32_t)middle) >> 32);
#else
    return (uint64_t)((tn_u128)a * b >> 64);
#endif
}

#define PREPARE_SIGNED(D, T, U, WIDE, BITS, CLZ)                                                   \
    typedef struct divisor_##D {                                                                   \
        U magic;                                                                                   \
        int shift;                                                                                 \
        bool is_negative;                                                                          \
        T number;                                                                                  \
    } divisor_##D;                                                                                 \
    static inline bool prepare_##D(divisor_##D *d, const char *at, int64_t stride, int64_t n) {    \
        d->number = *(const T *)(const void *)at;                                                  \
        d->is_negative = d->number < 0;                                                            \
        const U size = d->is_negative ? -(U)d->number : (U)d->number;                              \
        if (stride != 0 || size < 2 || n < WORTH) return false;                                    \
        d->shift = BITS - 1 - CLZ(size - 1);                                                       \
        d->magic = (U)(((WIDE)1 << (BITS + d->shift)) / size + 1);                                 \
        return true;                                                                               \
    }                                                                                              \
    static inline T quotient_##D(T a, divisor_##D d) {                                             \
        const T sign = d.is_negative ? -(T)(a > 0) : a >> (BITS - 1);                              \
        const U size = (d.is_negative ? -(U)a : (U)a) ^ (U)sign;                                   \
        return (T)(high_##BITS(size, d.magic) >> d.shift) ^ sign;                                  \
    }

#define PREPARE_UNSIGNED(D, T, WIDE, BITS, CLZ)                                                    \
    typedef struct divisor_##D {                                                                   \
        T magic;                                                                                   \
        int shift;                                                                                 \
        T number;                                                                                  \
    } divisor_##D;                                                                                 \
    static inline bool prepare_##D(divisor_##D *d, const char *at, int64_t stride, int64_t n) {    \
        d->number = *(const T *)(const void *)at;                                                  \
        if (stride != 0 || d->number < 2 || n < WORTH) return false;                               \
        d->shift = BITS - 1 - CLZ(d->number - 1);                                                  \
        const WIDE above = ((WIDE)2 << d->shift) - d->number;                                      \
        d->magic = (T)((above << BITS) / d->number + 1);                                           \
        return true;                                                                               \
    }                                                                                              \
    static inline T quotient_##D(T a, divisor_##D d) {                                             \
        const T high = high_##BITS(a, d.magic);                                                    \
        return (high + ((a - high) >> 1)) >> d.shift;                                              \
    }

/* One result of a pair: vectors of the bodies of ops, of which i64 has none. */
#define QUOTIENT_i32 m_floor_divide
#define QUOTIENT_u32 m_floor_divide
#define QUOTIENT_u64 m_floor_divide
#define QUOTIENT_i64 pair_quotient
#define REST_i32 m_remainder
#define REST_u32 m_remainder
#define REST_u64 m_remainder
#define REST_i64 pair_rest
#define BELOW_SIGNED(a) ((a) < 0)
#define BELOW_UNSIGNED(a) 0

/* Of a pair of numbers one division gives both. What the sign of a rest decides has no pattern that
 * a processor could foresee, so nothing branches. IS_BELOW: whether a T is below 0. */
#define STAMP(D, T, U, IS_BELOW)                                                                   \
    static inline void pair_##D(T *quotient, T *rest, T a, T b) {                                  \
        const T cut = TN_NAME(quotient, D)(a, b), left = b == 0 ? 0 : (T)((U)a - (U)cut * (U)b);   \
        const U crosses = (left != 0) & (IS_BELOW(left) != IS_BELOW(b));                           \
        *quotient = (T)((U)cut - crosses);                                                         \
        *rest = (T)((U)left + ((0 - crosses) & (U)b));                                             \
    }                                                                                              \
    static inline T rest_##D(T a, T quotient, divisor_##D d) {                                     \
        return (T)((U)a - (U)quotient * (U)d.number);                                              \
    }                                                                                              \
    static void floor_divide_##D(char *const *args, const int64_t *strides, int64_t n) {           \
        EACH_WITH(D, T, 2, AT(T, 2) = quotient_##D(AT(T, 0), d),                                   \
                  AT(T, 2) = QUOTIENT_##D(AT(T, 0), AT(T, 1)))                                     \
    }                                                                                              \
    static void remainder_##D(char *const *args, const int64_t *strides, int64_t n) {              \
        EACH_WITH(D, T, 2, AT(T, 2) = rest_##D(AT(T, 0), quotient_##D(AT(T, 0), d), d),            \
                  AT(T, 2) = REST_##D(AT(T, 0), AT(T, 1)))                                         \
    }                                                                                              \
    static inline void both_##D(T *quotient, T *rest, T a, divisor_##D d) {                        \
        *quotient = quotient_##D(a, d);                                                            \
        *rest = rest_##D(a, *quotient, d);                                                         \
    }                                                                                              \
    static void divmod_##D(char *const *args, const int64_t *strides, int64_t n) {                 \
        EACH_WITH(D, T, 3, both_##D(&AT(T, 2), &AT(T, 3), AT(T, 0), d),                            \
                  pair_##D(&AT(T, 2), &AT(T, 3), AT(T, 0), AT(T, 1)))                              \
    }

/* Element i of an argument. */
#define AT(T, k) (*(T *)(void *)(args[k] + i * step_##k))
#define EACH_WITH(D, T, last, by_one, by_each)                                                     \
    divisor_##D d;                                                                                 \
    if (!prepare_##D(&d, args[1], strides[1], n)) {                                                \
        const int64_t step_0 = strides[0], step_1 = strides[1], step_2 = strides[2],               \
                      step_3 = strides[last];                                                      \
        (void)step_1, (void)step_3;                                                                \
        for (int64_t i = 0; i < n; i++)                                                            \
            by_each;                                                                               \
    } else if (strides[0] == sizeof(T) && strides[2] == sizeof(T)) {                               \
        const int64_t step_0 = sizeof(T), step_2 = sizeof(T), step_3 = strides[last];              \
        (void)step_3;                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            by_one;                                                                                \
    } else {                                                                                       \
        const int64_t step_0 = strides[0], step_2 = strides[2], step_3 = strides[last];            \
        (void)step_3;                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            by_one;                                                                                \
    }

PREPARE_SIGNED(i32, tn_i32, uint32_t, uint64_t, 32, __builtin_clz)
PREPARE_SIGNED(i64, tn_i64, uint64_t, tn_u128, 64, __builtin_clzll)
PREPARE_UNSIGNED(u32, tn_u32, uint64_t, 32, __builtin_clz)
PREPARE_UNSIGNED(u64, tn_u64, tn_u128, 64, __builtin_clzll)

static inline void pair_i64(tn_i64 *quotient, tn_i64 *rest, tn_i64 a, tn_i64 b);
static inline tn_i64 pair_quotient(tn_i64 a, tn_i64 b) {
    tn_i64 quotient, rest;
    pair_i64(&quotient, &rest, a, b);
    return quotient;
}
static inline tn_i64 pair_rest(tn_i64 a, tn_i64 b) {
    tn_i64 quotient, rest;
    pair_i64(&quotient, &rest, a, b);
    return rest;
}

STAMP(i32, tn_i32, uint32_t, BELOW_SIGNED)
STAMP(i64, tn_i64, uint64_t, BELOW_SIGNED)
STAMP(u32, tn_u32, uint32_t, BELOW_UNSIGNED)
STAMP(u64, tn_u64, uint64_t, BELOW_UNSIGNED)

#define ENTRIES(D)                                                                                 \
    {tni_op_floor_divide, tni_dtype_##D, floor_divide_##D},                                        \
        {tni_op_remainder, tni_dtype_##D, remainder_##D}, {                                        \
        tni_op_divmod, tni_dtype_##D, divmod_##D                                                   \
    }

extern const tni_loop_entry LEVEL(tni_loops_divisions)[];
const tni_loop_entry LEVEL(tni_loops_divisions)[] = {
    ENTRIES(i32), ENTRIES(i64), ENTRIES(u32), ENTRIES(u64), {0, 0, NULL}};
