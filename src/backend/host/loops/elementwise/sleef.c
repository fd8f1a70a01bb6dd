/* Loops that call the vector maths library (sleef.fn).
 *
 * Decides: how any layout becomes whole vectors. The last vector is filled up with a copy of its
 * first element, so that a result depends on its own inputs alone. Where a result is not finite,
 * libm computes it again: SLEEF overflows early in some functions (asinh, log1p), and its fmod
 * gives NaN for large quotients. Sine, cosine and tangent reduce a whole vector by the
 * method that its largest element needs; a vector whose elements need different ones is computed
 * once for each, so that here too an element does not feel its neighbours.
 * A loop is stamped per function because a loop gets no context to carry the function's address. */
#include "backend/host/loops/elementwise/form.h"
#include "backend/host/loops/entry.h"

#include <dlfcn.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* IS_FINITE_<D>: whether every lane of a vector is finite; x - x is 0 for those alone.
 * BELOW_<D>: a bit for each lane whose magnitude is below a limit. */
#if defined(__AVX512F__)
enum { VECTOR_BYTES = 64 };
#define IS_FINITE_f32(x) (_mm512_cmp_ps_mask((x) - (x), _mm512_setzero_ps(), _CMP_EQ_OQ) == 0xffff)
#define IS_FINITE_f64(x) (_mm512_cmp_pd_mask((x) - (x), _mm512_setzero_pd(), _CMP_EQ_OQ) == 0xff)
#define BELOW_f32(x, limit)                                                                        \
    (int)_mm512_cmp_ps_mask(_mm512_abs_ps(x), _mm512_set1_ps(limit), _CMP_LT_OQ)
#define BELOW_f64(x, limit)                                                                        \
    (int)_mm512_cmp_pd_mask(_mm512_abs_pd(x), _mm512_set1_pd(limit), _CMP_LT_OQ)
#define F32_LANES "f16_"
#define F64_LANES "d8_"
#define EXTENSION "avx512f"
#elif defined(__AVX2__)
enum { VECTOR_BYTES = 32 };
#define IS_FINITE_f32(x)                                                                           \
    (_mm256_movemask_ps(_mm256_cmp_ps((x) - (x), _mm256_setzero_ps(), _CMP_EQ_OQ)) == 0xff)
#define IS_FINITE_f64(x)                                                                           \
    (_mm256_movemask_pd(_mm256_cmp_pd((x) - (x), _mm256_setzero_pd(), _CMP_EQ_OQ)) == 0xf)
#define BELOW_f32(x, limit)                                                                        \
    _mm256_movemask_ps(_mm256_cmp_ps(_mm256_andnot_ps(_mm256_set1_ps(-0.0f), x),                   \
                                     _mm256_set1_ps(limit), _CMP_LT_OQ))
#define BELOW_f64(x, limit)                                                                        \
    _mm256_movemask_pd(_mm256_cmp_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), x),                    \
                                     _mm256_set1_pd(limit), _CMP_LT_OQ))
#define F32_LANES "f8_"
#define F64_LANES "d4_"
#define EXTENSION "avx2"
#elif defined(__SSE4_1__)
enum { VECTOR_BYTES = 16 };
#define IS_FINITE_f32(x) (_mm_movemask_ps(_mm_cmpeq_ps((x) - (x), _mm_setzero_ps())) == 0xf)
#define IS_FINITE_f64(x) (_mm_movemask_pd(_mm_cmpeq_pd((x) - (x), _mm_setzero_pd())) == 0x3)
#define BELOW_f32(x, limit)                                                                        \
    _mm_movemask_ps(_mm_cmplt_ps(_mm_andnot_ps(_mm_set1_ps(-0.0f), x), _mm_set1_ps(limit)))
#define BELOW_f64(x, limit)                                                                        \
    _mm_movemask_pd(_mm_cmplt_pd(_mm_andnot_pd(_mm_set1_pd(-0.0), x), _mm_set1_pd(limit)))
#define F32_LANES "f4_"
#define F64_LANES "d2_"
#define EXTENSION "sse4"
#elif defined(__aarch64__)
enum { VECTOR_BYTES = 16 };
#define F32_LANES "f4_"
#define F64_LANES "d2_"
#define EXTENSION "advsimd"
#define IS_FINITE_f32(x) (vminvq_u32(vceqzq_f32((x) - (x))) != 0)
#define IS_FINITE_f64(x) (vminvq_u32(vreinterpretq_u32_u64(vceqzq_f64((x) - (x)))) != 0)
#define BELOW_f32(x, limit) lanes_below_f32(x, limit)
#define BELOW_f64(x, limit) lanes_below_f64(x, limit)
#include <arm_neon.h>
INLINE int lanes_below_f32(float32x4_t x, float limit) {
    int mask = 0;
    for (int k = 0; k < 4; k++)
        mask |= (m_fabs(x[k]) < limit) << k;
    return mask;
}
INLINE int lanes_below_f64(float64x2_t x, double limit) {
    return (m_fabs(x[0]) < limit) | (m_fabs(x[1]) < limit) << 1;
}
#endif

void LEVEL(tni_sleef_bind)(void *library, tni_loop_setter set);

#ifndef EXTENSION

void LEVEL(tni_sleef_bind)(void *library, tni_loop_setter set) {
    (void)library, (void)set;
}

#else

typedef float vector_f32 __attribute__((vector_size(VECTOR_BYTES)));
typedef double vector_f64 __attribute__((vector_size(VECTOR_BYTES)));

/* SLEEF's own limits between its methods of reduction to one period. */
#define SMALL_f32 125
#define MEDIUM_f32 39000
#define SMALL_f64 15
#define MEDIUM_f64 1e14

/* The next vector of an operand, `size` elements of it; and one put back. */
#define MOVES(D, T)                                                                                \
    enum { LANES_##D = VECTOR_BYTES / sizeof(T) };                                                 \
    INLINE vector_##D load_##D(const char *from, int64_t stride, int64_t size) {                   \
        vector_##D vector;                                                                         \
        if (stride == sizeof(T) && size == LANES_##D) {                                            \
            memcpy(&vector, from, sizeof vector);                                                  \
        } else {                                                                                   \
            T lanes[LANES_##D];                                                                    \
            const T first = *(const T *)from;                                                      \
            for (int64_t i = 0; i < LANES_##D; i++)                                                \
                lanes[i] = first;                                                                  \
            for (int64_t i = 1; stride != 0 && i < size; i++)                                      \
                lanes[i] = READ(T, from, stride);                                                  \
            memcpy(&vector, lanes, sizeof vector);                                                 \
        }                                                                                          \
        return vector;                                                                             \
    }                                                                                              \
    INLINE void store_##D(char *to, vector_##D vector, int64_t stride, int64_t size) {             \
        if (stride == sizeof(T) && size == LANES_##D) {                                            \
            memcpy(to, &vector, sizeof vector);                                                    \
        } else {                                                                                   \
            T lanes[LANES_##D];                                                                    \
            memcpy(lanes, &vector, sizeof lanes);                                                  \
            for (int64_t i = 0; i < size; i++)                                                     \
                AT(T, to, stride) = lanes[i];                                                      \
        }                                                                                          \
    }                                                                                              \
    /* One of the methods, for the lanes in `mask`; they stand in for the others too. */           \
    static vector_##D call_some_##D(vector_##D (*function)(vector_##D), vector_##D a, int mask,    \
                                    vector_##D r) {                                                \
        if (mask == 0) return r;                                                                   \
        vector_##D some = a;                                                                       \
        const T one = a[__builtin_ctz((unsigned)mask)];                                            \
        for (int k = 0; k < LANES_##D; k++)                                                        \
            if (!(mask >> k & 1)) some[k] = one;                                                   \
        some = function(some);                                                                     \
        for (int k = 0; k < LANES_##D; k++)                                                        \
            if (mask >> k & 1) r[k] = some[k];                                                     \
        return r;                                                                                  \
    }                                                                                              \
    INLINE vector_##D call_periodic_##D(vector_##D (*function)(vector_##D), vector_##D a) {        \
        const int all = (1 << LANES_##D) - 1;                                                      \
        int small = BELOW_##D(a, SMALL_##D);                                                       \
        if (__builtin_expect(small == all, 1)) return function(a);                                 \
        int medium = BELOW_##D(a, MEDIUM_##D) & ~small, large = all & ~small & ~medium;            \
        if (medium == all || large == all) return function(a);                                     \
        vector_##D r = call_some_##D(function, a, small, a);                                       \
        r = call_some_##D(function, a, medium, r);                                                 \
        return call_some_##D(function, a, large, r);                                               \
    }                                                                                              \
    INLINE void run_1_##D(ARGUMENTS, vector_##D (*function)(vector_##D), T (*precise)(T),          \
                          int periodic) {                                                          \
        const int64_t sa = strides[0], sr = strides[1];                                            \
        for (int64_t i = 0; i < count; i += LANES_##D) {                                           \
            int64_t size = count - i < LANES_##D ? count - i : LANES_##D;                          \
            vector_##D a = load_##D(args[0] + i * sa, sa, size);                                   \
            vector_##D r = periodic ? call_periodic_##D(function, a) : function(a);                \
            if (__builtin_expect(!IS_FINITE_##D(r), 0))                                            \
                for (int k = 0; k < LANES_##D; k++)                                                \
                    if (!m_isfinite(r[k])) r[k] = precise(a[k]);                                   \
            store_##D(args[1] + i * sr, r, sr, size);                                              \
        }                                                                                          \
    }                                                                                              \
    INLINE void run_2_##D(ARGUMENTS, vector_##D (*function)(vector_##D, vector_##D),               \
                          T (*precise)(T, T)) {                                                    \
        const int64_t sa = strides[0], sb = strides[1], sr = strides[2];                           \
        int in_turn = sr == 0 || (args[2] == args[0] + sa && sa != 0); /* reduce, accumulate */    \
        const int64_t lanes = in_turn ? 1 : LANES_##D;                                             \
        for (int64_t i = 0; i < count; i += lanes) {                                               \
            int64_t size = count - i < lanes ? count - i : lanes;                                  \
            vector_##D a = load_##D(args[0] + i * sa, sa, size);                                   \
            vector_##D b = load_##D(args[1] + i * sb, sb, size), r = function(a, b);               \
            if (__builtin_expect(!IS_FINITE_##D(r), 0))                                            \
                for (int k = 0; k < LANES_##D; k++)                                                \
                    if (!m_isfinite(r[k])) r[k] = precise(a[k], b[k]);                             \
            store_##D(args[2] + i * sr, r, sr, size);                                              \
        }                                                                                          \
    }
MOVES(f32, float)
MOVES(f64, double)

#define STAMP_1(operation, function, periodic, D)                                                  \
    static vector_##D (*operation##_##D)(vector_##D);                                              \
    static void loop_##operation##_##D(ARGUMENTS) {                                                \
        run_1_##D(args, strides, count, operation##_##D, m_##function##_##D, periodic);            \
    }
#define STAMP_2(operation, function, D)                                                            \
    static vector_##D (*operation##_##D)(vector_##D, vector_##D);                                  \
    static void loop_##operation##_##D(ARGUMENTS) {                                                \
        run_2_##D(args, strides, count, operation##_##D, m_##function##_##D);                      \
    }
#define SLEEF_1(operation, function, mark)                                                         \
    STAMP_1(operation, function, 0, f32) STAMP_1(operation, function, 0, f64)
#define SLEEF_PERIODIC(operation, function, mark)                                                  \
    STAMP_1(operation, function, 1, f32) STAMP_1(operation, function, 1, f64)
#define SLEEF_2(operation, function, mark)                                                         \
    STAMP_2(operation, function, f32) STAMP_2(operation, function, f64)
#include "backend/host/sleef.fn"

/* The angle of x + iy is arctan2(y, x), wherever its parts lie; that of a real x arctan2(0, x). */
#define ANGLES(D, T, Z)                                                                            \
    static void loop_angle_##Z(ARGUMENTS) {                                                        \
        loop_arctan2_##D((char *[]){args[0] + sizeof(T), args[0], args[1]},                        \
                         (int64_t[]){strides[0], strides[0], strides[1]}, count);                  \
    }                                                                                              \
    static void loop_angle_##D(ARGUMENTS) {                                                        \
        T zero = 0;                                                                                \
        loop_arctan2_##D((char *[]){(char *)&zero, args[0], args[1]},                              \
                         (int64_t[]){0, strides[0], strides[1]}, count);                           \
    }
ANGLES(f32, float, c64)
ANGLES(f64, double, c128)

/* POSIX lets a data pointer from dlsym hold a function; ISO C only through its bytes. */
static void bind(void *function, void *library, const char *name, int op, int dtype, tni_loop loop,
                 tni_loop_setter set) {
    void *found = dlsym(library, name);
    if (!found) return;
    memcpy(function, &found, sizeof found);
    set(op, dtype, loop);
}

#define BIND(operation, D, name)                                                                   \
    bind(&operation##_##D, library, name, tni_op_##operation, tni_dtype_##D,                       \
         loop_##operation##_##D, set);
#define SLEEF_1(operation, function, mark)                                                         \
    BIND(operation, f32, "Sleef_" #function F32_LANES #mark EXTENSION)                             \
    BIND(operation, f64, "Sleef_" #function F64_LANES #mark EXTENSION)
#define SLEEF_2(operation, function, mark) SLEEF_1(operation, function, mark)

void LEVEL(tni_sleef_bind)(void *library, tni_loop_setter set) {
#include "backend/host/sleef.fn"
    if (arctan2_f32) {
        set(tni_op_angle, tni_dtype_f32, loop_angle_f32);
        set(tni_op_angle, tni_dtype_c64, loop_angle_c64);
    }
    if (arctan2_f64) {
        set(tni_op_angle, tni_dtype_f64, loop_angle_f64);
        set(tni_op_angle, tni_dtype_c128, loop_angle_c128);
    }
}

#endif
