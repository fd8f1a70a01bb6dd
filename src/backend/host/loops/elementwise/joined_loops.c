/* Pairs of operations on f32 and f64, and square roots of them, for one level.
 *
 * Algorithm: whole vectors, then single elements. An operand that is the same for all elements is
 * spread over a vector once, which the loop reads at a step of 0: so one loop serves every mixture
 * of arrays and scalars. */
#include "backend/host/loops/elementwise/joined_loops.h"

#include "backend/host/loops/entry.h"
#include "backend/host/loops/vector_bytes.h"

#define VECTOR(T) vector_##T
#define LOOSE(T) loose_##T
#define TYPES(T, root)                                                                             \
    typedef T VECTOR(T) __attribute__((vector_size(VECTOR_BYTES)));                                \
    typedef T LOOSE(T) __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias));          \
    static inline __attribute__((always_inline)) VECTOR(T) roots_##T(VECTOR(T) a) {                \
        VECTOR(T) result;                                                                          \
        for (int k = 0; k < (int)(VECTOR_BYTES / sizeof(T)); k++)                                  \
            result[k] = root(a[k]);                                                                \
        return result;                                                                             \
    }                                                                                              \
    static inline __attribute__((always_inline)) T root_##T(T a) {                                 \
        return root(a);                                                                            \
    }
TYPES(float, __builtin_sqrtf)
TYPES(double, __builtin_sqrt)

#define add(a, b) ((a) + (b))
#define subtract(a, b) ((a) - (b))
#define multiply(a, b) ((a) * (b))
#define divide(a, b) ((a) / (b))
#define left(op, a, b) op(a, b)
#define right(op, a, b) op(b, a)
#define plain(T, a) a
#define plains(T, a) a
#define root(T, a) root_##T(a)
#define roots(T, a) roots_##T(a)

#define STAMP(T, first, second, side, end)                                                         \
    static void first##_##second##_##side##_##end##_##T(char *const *args, const int64_t *strides, \
                                                        int64_t count) {                           \
        enum { LANES = VECTOR_BYTES / sizeof(T) };                                                 \
        VECTOR(T) all[3];                                                                          \
        const char *from[3];                                                                       \
        int64_t steps[3];                                                                          \
        for (int k = 0; k < 3; k++) {                                                              \
            steps[k] = strides[k] ? VECTOR_BYTES : 0;                                              \
            all[k] = *(const T *)args[k] - (VECTOR(T)){0};                                         \
            from[k] = strides[k] ? args[k] : (const char *)&all[k];                                \
        }                                                                                          \
        char *r = args[3];                                                                         \
        int64_t i = 0;                                                                             \
        for (; i + LANES <= count; i += LANES, r += VECTOR_BYTES) {                                \
            const VECTOR(T) a = *(const LOOSE(T) *)from[0], b = *(const LOOSE(T) *)from[1];        \
            const VECTOR(T) c = *(const LOOSE(T) *)from[2];                                        \
            *(LOOSE(T) *)r = end##s(T, side(second, first(a, b), c));                              \
            for (int k = 0; k < 3; k++)                                                            \
                from[k] += steps[k];                                                               \
        }                                                                                          \
        for (; i < count; i++, r += sizeof(T)) {                                                   \
            const T a = *(const T *)(args[0] + i * strides[0]);                                    \
            const T b = *(const T *)(args[1] + i * strides[1]);                                    \
            const T c = *(const T *)(args[2] + i * strides[2]);                                    \
            *(T *)r = end(T, side(second, first(a, b), c));                                        \
        }                                                                                          \
    }

#define EACH_END(T, first, second, side)                                                           \
    STAMP(T, first, second, side, plain) STAMP(T, first, second, side, root)
#define EACH_SIDE(T, first, second)                                                                \
    EACH_END(T, first, second, left) EACH_END(T, first, second, right)
#define EACH_SECOND(T, first)                                                                      \
    EACH_SIDE(T, first, add)                                                                       \
    EACH_SIDE(T, first, subtract) EACH_SIDE(T, first, multiply) EACH_SIDE(T, first, divide)
#define EACH_FIRST(T)                                                                              \
    EACH_SECOND(T, add) EACH_SECOND(T, subtract) EACH_SECOND(T, multiply) EACH_SECOND(T, divide)
EACH_FIRST(float)
EACH_FIRST(double)

#define ENDS(T, first, second, side)                                                               \
    { first##_##second##_##side##_plain_##T, first##_##second##_##side##_root_##T }
#define SIDES(T, first, second)                                                                    \
    { ENDS(T, first, second, left), ENDS(T, first, second, right) }
#define ROW(T, first)                                                                              \
    {                                                                                              \
        [TNI_JOINED_ADD] = SIDES(T, first, add),                                                   \
        [TNI_JOINED_SUBTRACT] = SIDES(T, first, subtract),                                         \
        [TNI_JOINED_MULTIPLY] = SIDES(T, first, multiply),                                         \
        [TNI_JOINED_DIVIDE] = SIDES(T, first, divide)                                              \
    }
#define TABLE(T)                                                                                   \
    {                                                                                              \
        [TNI_JOINED_ADD] = ROW(T, add), [TNI_JOINED_SUBTRACT] = ROW(T, subtract),                  \
        [TNI_JOINED_MULTIPLY] = ROW(T, multiply), [TNI_JOINED_DIVIDE] = ROW(T, divide)             \
    }
extern const tni_joined_loops LEVEL(tni_joined_loops)[2];
const tni_joined_loops LEVEL(tni_joined_loops)[2] = {TABLE(float), TABLE(double)};
