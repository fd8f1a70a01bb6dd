/* Running folds of a block of contiguous elements.
 *
 * A running fold waits for each step before the next. So the block is cut into eight parts that run
 * side by side; then each part but the first is raised by what came before it, and all by the
 * offset and the base. What is combined when depends on the block's length alone. Sums of
 * non-negative numbers never fall: where one part ends and the next begins the same total stands.
 * Products of floats keep their order, for a part might overflow where the whole does not. */
#include "backend/host/loops/reduce_form.h"

enum { PARTS = 8 };

/* The text of functions, one statement a line. */
/* clang-format off */
#define IN_PARTS(name, T, op)                                                                      \
    static void name(char *out, const char *x, int64_t n, const void *offset, const void *base,    \
                     void *total) {                                                                \
        T *restrict to = (void *)out;                                                              \
        const T *restrict a = (const void *)x;                                                     \
        const int64_t length = n / PARTS;                                                          \
        T running[PARTS], raise = a[0];                                                            \
        if (!out) { /* the total alone, by the same steps */                                       \
            for (int part = 0; part < PARTS; part++) running[part] = a[part * length];             \
            for (int64_t i = 1; i < length; i++)                                                   \
                for (int part = 0; part < PARTS; part++)                                           \
                    running[part] = op(running[part], a[part * length + i]);                       \
            for (int part = 0; part < PARTS && length > 0; part++)                                 \
                raise = part == 0 ? running[0] : op(raise, running[part]);                         \
            for (int64_t i = length > 0 ? PARTS * length : 1; i < n; i++) raise = op(raise, a[i]); \
            *(T *)total = raise;                                                                   \
            return;                                                                                \
        }                                                                                          \
        for (int part = 0; part < PARTS; part++)                                                   \
            running[part] = to[part * length] = a[part * length];                                  \
        for (int64_t i = 1; i < length; i++)                                                       \
            for (int part = 0; part < PARTS; part++) {                                             \
                running[part] = op(running[part], a[part * length + i]);                           \
                to[part * length + i] = running[part];                                             \
            }                                                                                      \
        for (int part = 1; part < PARTS && length > 0; part++) {                                   \
            T *restrict at = to + part * length;                                                   \
            raise = part == 1 ? running[0] : op(raise, running[part - 1]);                         \
            for (int64_t i = 0; i < length; i++) at[i] = op(raise, at[i]);                         \
        }                                                                                          \
        if (length > 0) raise = to[PARTS * length - 1];                                            \
        else to[0] = a[0];                                                                         \
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
    IN_PARTS(add_##S, T, PLUS)                                                                     \
    IN_PARTS(multiply_##S, T, TIMES)                                                               \
    IN_PARTS(maximum_##S, T, greater_##S)                                                          \
    IN_PARTS(minimum_##S, T, smaller_##S)
#define FLOAT(S, T)                                                                                \
    INLINE T greater_##S(T a, T b){EXTREME_maximum(a, b, T)} INLINE T smaller_##S(T a, T b){       \
        EXTREME_minimum(a, b, T)} IN_PARTS(add_##S, T, PLUS) IN_ORDER(multiply_##S, T, TIMES)      \
        IN_PARTS(maximum_##S, T, greater_##S) IN_PARTS(minimum_##S, T, smaller_##S)
#define COMPLEX(S, T)                                                                              \
    IN_PARTS(add_##S, T, m_add)                                                                    \
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
