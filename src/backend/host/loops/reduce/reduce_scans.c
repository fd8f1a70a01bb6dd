/* Running folds of a block of contiguous elements.
 *
 * A running fold waits for each step before the next. So the block is cut into eight parts that run
 * side by side; then each part but the first is raised by what came before it, and all by the
 * offset and the base. What is combined when depends on the block's length alone. Sums of
 * non-negative numbers never fall: where one part ends and the next begins the same total stands.
 * Products of floats keep their order, for a part might overflow where the whole does not. */
#include "backend/host/loops/reduce/reduce_form.h"

enum { PARTS = 8 };

/* The parts of a sum run in vectors of 32 bytes, one element of each part beside the other: a few
 * elements of a part fill half a vector, and the halves are transposed, before and after. */
#if defined(__AVX__)
#include <immintrin.h>

/* Rows of four (of two) in each half become columns. */
INLINE void turn_4(__m256 v[4]) {
    __m256 a = _mm256_unpacklo_ps(v[0], v[1]), b = _mm256_unpackhi_ps(v[0], v[1]);
    __m256 c = _mm256_unpacklo_ps(v[2], v[3]), d = _mm256_unpackhi_ps(v[2], v[3]);
    v[0] = _mm256_shuffle_ps(a, c, 0x44);
    v[1] = _mm256_shuffle_ps(a, c, 0xee);
    v[2] = _mm256_shuffle_ps(b, d, 0x44);
    v[3] = _mm256_shuffle_ps(b, d, 0xee);
}
INLINE void turn_8(__m256 v[2]) {
    __m256d a = _mm256_castps_pd(v[0]), b = _mm256_castps_pd(v[1]);
    v[0] = _mm256_castpd_ps(_mm256_unpacklo_pd(a, b));
    v[1] = _mm256_castpd_ps(_mm256_unpackhi_pd(a, b));
}

/* Sums of T from element `i` on, as far as halves are full; where it stopped. */
#define RUN_VECTORS(S, T)                                                                          \
    typedef T vector_##S __attribute__((vector_size(32)));                                         \
    INLINE int64_t vectors_##S(T *to, const T *a, int64_t i, int64_t length, T *running) {         \
        enum { HALF = 16 / sizeof(T), WHOLE = 2 * HALF };                                          \
        vector_##S sums[PARTS / WHOLE];                                                            \
        memcpy(sums, running, sizeof sums);                                                        \
        for (; i + HALF <= length; i += HALF)                                                      \
            for (int group = 0; group < PARTS / WHOLE; group++) {                                  \
                __m256 v[HALF];                                                                    \
                const T *from = a + group * WHOLE * length + i;                                    \
                for (int k = 0; k < HALF; k++)                                                     \
                    v[k] = _mm256_loadu2_m128(                                                     \
                        (const float *)(const void *)(from + (k + HALF) * length),                 \
                        (const float *)(const void *)(from + k * length));                         \
                TURN(v, T);                                                                        \
                for (int k = 0; k < HALF; k++)                                                     \
                    v[k] = (__m256)(sums[group] += (vector_##S)v[k]);                              \
                if (!to) continue;                                                                 \
                TURN(v, T);                                                                        \
                T *at = to + group * WHOLE * length + i;                                           \
                for (int k = 0; k < HALF; k++)                                                     \
                    _mm256_storeu2_m128((float *)(void *)(at + (k + HALF) * length),               \
                                        (float *)(void *)(at + k * length), v[k]);                 \
            }                                                                                      \
        memcpy(running, sums, sizeof sums);                                                        \
        return i;                                                                                  \
    }
#define TURN(v, T) (sizeof(T) == 4 ? turn_4(v) : turn_8(v))
RUN_VECTORS(f32, float)
RUN_VECTORS(f64, double)
RUN_VECTORS(i32, tn_i32)
RUN_VECTORS(u32, tn_u32)
RUN_VECTORS(i64, tn_i64)
RUN_VECTORS(u64, tn_u64)
#define VECTORS(S) vectors_##S
#else
#define VECTORS(S) no_vectors
#define no_vectors(to, a, i, length, running) (i)
#endif
#define ELEMENTS(to, a, i, length, running) (i)

/* The text of functions, one statement a line. */
/* clang-format off */
#define IN_PARTS(name, T, op, vectors)                                                             \
    INLINE void name##_run(T *restrict to, const T *restrict a, int64_t length, T *running) {      \
        for (int64_t i = vectors(to, a, 1, length, running); i < length; i++)                      \
            for (int part = 0; part < PARTS; part++) {                                             \
                running[part] = op(running[part], a[part * length + i]);                           \
                if (to) to[part * length + i] = running[part];                                     \
            }                                                                                      \
    }                                                                                              \
    static void name(char *out, const char *x, int64_t n, const void *offset, const void *base,    \
                     void *total) {                                                                \
        T *restrict to = (void *)out;                                                              \
        const T *restrict a = (const void *)x;                                                     \
        const int64_t length = n / PARTS;                                                          \
        T running[PARTS], raise = a[0];                                                            \
        if (length <= 1 && out && !offset) { /* parts of one element: the same, step by step */    \
            to[0] = raise;                                                                         \
            for (int64_t i = 1; i < n; i++) to[i] = raise = op(raise, a[i]);                       \
            *(T *)total = raise;                                                                   \
            return;                                                                                \
        }                                                                                          \
        for (int part = 0; part < PARTS; part++) running[part] = a[part * length];                 \
        if (!out) { /* the total alone, by the same steps */                                       \
            name##_run(NULL, a, length, running);                                                  \
            for (int part = 0; part < PARTS && length > 0; part++)                                 \
                raise = part == 0 ? running[0] : op(raise, running[part]);                         \
            for (int64_t i = length > 0 ? PARTS * length : 1; i < n; i++) raise = op(raise, a[i]); \
            *(T *)total = raise;                                                                   \
            return;                                                                                \
        }                                                                                          \
        for (int part = 0; part < PARTS; part++) to[part * length] = running[part];                \
        name##_run(to, a, length, running);                                                        \
        for (int part = 1; part < PARTS && length > 0; part++) {                                   \
            T *restrict at = to + part * length;                                                   \
            raise = part == 1 ? running[0] : op(raise, running[part - 1]);                         \
            for (int64_t i = 0; i < length; i++) at[i] = op(raise, at[i]);                         \
        }                                                                                          \
        if (length > 0) raise = to[PARTS * length - 1];                                            \
        for (int64_t i = length > 0 ? PARTS * length : 1; i < n; i++)                              \
            to[i] = raise = op(raise, a[i]);                                                       \
        *(T *)total = raise;                                                                       \
        if (offset && base) {                                                                      \
            const T before = *(const T *)offset, first = *(const T *)base;                         \
            for (int64_t i = 0; i < n; i++) to[i] = op(first, op(before, to[i]));                  \
        } else if (offset || base) {                                                               \
            const T before = *(const T *)(offset ? offset : base);                                 \
            for (int64_t i = 0; i < n; i++) to[i] = op(before, to[i]);                             \
        }                                                                                          \
    }

#define IN_ORDER(name, T, op)                                                                      \
    static void name(char *out, const char *x, int64_t n, const void *offset, const void *base,    \
                     void *total) {                                                                \
        T *restrict to = (void *)out;                                                              \
        const T *restrict a = (const void *)x;                                                     \
        T running = a[0];                                                                          \
        (void)base;                                                                                \
        if (offset) running = op(*(const T *)offset, running);                                     \
        to[0] = running;                                                                           \
        for (int64_t i = 1; i < n; i++) to[i] = running = op(running, a[i]);                       \
        *(T *)total = running;                                                                     \
    }
/* clang-format on */

#define PLUS(a, b) ((a) + (b))
#define TIMES(a, b) ((a) * (b))

#define INTEGER(S, T)                                                                              \
    INLINE T greater_##S(T a, T b) {                                                               \
        return b > a ? b : a;                                                                      \
    }                                                                                              \
    INLINE T smaller_##S(T a, T b) {                                                               \
        return b < a ? b : a;                                                                      \
    }                                                                                              \
    IN_PARTS(add_##S, T, PLUS, VECTORS(S))                                                         \
    IN_PARTS(multiply_##S, T, TIMES, ELEMENTS)                                                     \
    IN_PARTS(maximum_##S, T, greater_##S, ELEMENTS)                                                \
    IN_PARTS(minimum_##S, T, smaller_##S, ELEMENTS)
#define FLOAT(S, T)                                                                                \
    INLINE T greater_##S(T a, T b){EXTREME_maximum(a, b, T)} INLINE T smaller_##S(T a, T b){       \
        EXTREME_minimum(a, b, T)} IN_PARTS(add_##S, T, PLUS, VECTORS(S))                           \
        IN_ORDER(multiply_##S, T, TIMES) IN_PARTS(maximum_##S, T, greater_##S, ELEMENTS)           \
            IN_PARTS(minimum_##S, T, smaller_##S, ELEMENTS)
#define COMPLEX(S, T)                                                                              \
    IN_PARTS(add_##S, T, m_add, ELEMENTS)                                                          \
    IN_ORDER(multiply_##S, T, m_multiply)

INTEGER(i32, tn_i32)
INTEGER(u32, tn_u32)
INTEGER(i64, tn_i64)
INTEGER(u64, tn_u64)
FLOAT(f32, float)
FLOAT(f64, double)
COMPLEX(c64, tn_c64)
COMPLEX(c128, tn_c128)

#define SUM(S, ordered)                                                                            \
    {tni_op_add, tni_dtype_##S, false, add_##S}, {                                                 \
        tni_op_multiply, tni_dtype_##S, ordered, multiply_##S                                      \
    }
#define EXTREMES(S)                                                                                \
    {tni_op_maximum, tni_dtype_##S, false, maximum_##S}, {                                         \
        tni_op_minimum, tni_dtype_##S, false, minimum_##S                                          \
    }
extern const tni_scan_loops LEVEL(tni_scan_loops)[];
const tni_scan_loops LEVEL(tni_scan_loops)[] = {
    SUM(i32, false), SUM(u32, false), SUM(i64, false), SUM(u64, false), SUM(f32, true),
    SUM(f64, true),  SUM(c64, true),  SUM(c128, true), EXTREMES(i32),   EXTREMES(u32),
    EXTREMES(i64),   EXTREMES(u64),   EXTREMES(f32),   EXTREMES(f64),   {.op = -1}};
