/* The forms of folds: how a leaf is folded, once per shape; an operation is an argument and
 * inlines.
 *
 * A row of floats keeps several running values: 8 in short rows, some cache lines of them in long
 * ones, so that compilers use vectors and the additions of one value need not wait for the last.
 * How many depends on the type alone, not on the instruction set, so all levels give the same bits.
 * Folds that are exact in any grouping are plain loops, which compilers regroup themselves. */
#ifndef TNI_REDUCE_FORM_H
#define TNI_REDUCE_FORM_H

#include "backend/host/loops/elementwise/form.h"
#include "backend/host/loops/entry.h"
#include "backend/host/loops/reduce/reduce_loops.h"

/* Names are pasted below; these let a name be made by macros first. */
#define FOLD_EXACT(...) FOLD_EXACT_(__VA_ARGS__)
#define FOLD_LANES(...) FOLD_LANES_(__VA_ARGS__)
#define FOLD_EXTREME(...) FOLD_EXTREME_(__VA_ARGS__)
#define FOLD_IN_ORDER(...) FOLD_IN_ORDER_(__VA_ARGS__)
#define FOLD_COLUMNS(...) FOLD_COLUMNS_(__VA_ARGS__)
#define FOLD_READ_COLUMNS(...) FOLD_READ_COLUMNS_(__VA_ARGS__)
#define FOLD_ENTRY(...) FOLD_ENTRY_(__VA_ARGS__)

#define NOINLINE __attribute__((noinline))

/* A loop of few turns that is to become vectors, not be written out: written out, its conditions
 * could not be seen to be alike. */
#if defined(__clang__)
#define AS_LOOP
#else
#define AS_LOOP _Pragma("GCC unroll 1")
#endif

enum { LANE_BYTES = TNI_LANE_BYTES, SHORT_ROW = TNI_SHORT_ROW, FEW = 16 };

/* The text of functions, one statement a line. */
/* clang-format off */

/* The functions of one fold: op works on M, elements are X, results W; M is W unless sums of small
 * integers fit a smaller one within a leaf. */
#define FOLD_EXACT_(name, X, M, W, op, token)                                                      \
    static NOINLINE M name##_many(const X *restrict x, int64_t n) {                                \
        M value = x[0];                                                                            \
        for (int64_t i = 1; i < n; i++) value = op(value, x[i]);                                   \
        return value;                                                                              \
    }                                                                                              \
    INLINE W name##_row(const X *x, int64_t n) {                                                   \
        if (n >= FEW) return name##_many(x, n);                                                    \
        M value = x[0];                                                                            \
        AS_LOOP for (int64_t i = 1; i < n; i++) {                                                  \
            value = op(value, x[i]);                                                               \
            __asm__ volatile(""); /* no vectors for so few */                                      \
        }                                                                                          \
        return value;                                                                              \
    }                                                                                              \
    FOLD_COLUMNS_(name, X, W, op)

#define ROW_OF_LANES_(name, T, op, HINT)                                                           \
    INLINE T name##_few(const T *x, int64_t n) {                                                   \
        T value = x[0];                                                                            \
        for (int64_t i = 1; i < n; i++) value = op(value, x[i]);                                   \
        return value;                                                                              \
    }                                                                                              \
    INLINE T name##_eight(const T *restrict x, int64_t n) {                                        \
        T lane[8];                                                                                 \
        for (int l = 0; l < 8; l++) lane[l] = x[l];                                                \
        int64_t i = 8;                                                                             \
        for (; i + 8 <= n; i += 8)                                                                 \
            HINT for (int l = 0; l < 8; l++) lane[l] = op(lane[l], x[i + l]);                      \
        T even = op(op(lane[0], lane[4]), op(lane[2], lane[6]));                                   \
        T odd = op(op(lane[1], lane[5]), op(lane[3], lane[7]));                                    \
        T value = op(even, odd);                                                                   \
        for (; i < n; i++) value = op(value, x[i]);                                                \
        return value;                                                                              \
    }                                                                                              \
    /* Of running values, and of n elements after those that they have. */                         \
    INLINE T name##_close(T *restrict lane, const T *restrict x, int64_t n) {                      \
        int64_t i = 0;                                                                             \
        for (; i + 8 <= n; i += 8)                                                                 \
            for (int l = 0; l < 8; l++) lane[l] = op(lane[l], x[i + l]);                           \
        for (int width = LANE_BYTES / (int)sizeof(T) / 2; width > 0; width /= 2)                   \
            for (int l = 0; l < width; l++) lane[l] = op(lane[l], lane[l + width]);                \
        T value = lane[0];                                                                         \
        for (; i < n; i++) value = op(value, x[i]);                                                \
        return value;                                                                              \
    }                                                                                              \
    static void name##_close_lanes(void *out, tni_lanes *lanes, int64_t n) {                       \
        *(T *)out = name##_close((void *)lanes->running, (const void *)lanes->rest,                \
                                 n % (LANE_BYTES / (int)sizeof(T)));                               \
    }                                                                                              \
    static NOINLINE T name##_many(const T *restrict x, int64_t n) {                                \
        enum { LANES = LANE_BYTES / sizeof(T) };                                                   \
        T lane[LANES];                                                                             \
        for (int l = 0; l < LANES; l++) lane[l] = x[l];                                            \
        int64_t i = LANES;                                                                         \
        for (; i + LANES <= n; i += LANES)                                                         \
            HINT for (int l = 0; l < LANES; l++) lane[l] = op(lane[l], x[i + l]);                  \
        return name##_close(lane, x + i, n - i);                                                   \
    }                                                                                              \
    INLINE T name##_row(const T *x, int64_t n) {                                                   \
        return n < 8 ? name##_few(x, n) : n < SHORT_ROW ? name##_eight(x, n) : name##_many(x, n);  \
    }                                                                                              \
    FOLD_COLUMNS_(name, T, T, op)

#define FOLD_LANES_(name, X, M, W, op, token) ROW_OF_LANES_(name, W, op, )

/* The table's bodies in the words that compilers turn into one instruction for numbers and a
 * choice: the new value b first, for it is NaN or not whatever came before. */
#define EXTREME_maximum(a, b, T) T number = b > a ? b : a; return b != b ? b : number;
#define EXTREME_minimum(a, b, T) T number = b < a ? b : a; return b != b ? b : number;
#define EXTREME_fmax(a, b, T)    T number = b > a ? b : a; return a != a ? b : number;
#define EXTREME_fmin(a, b, T)    T number = b < a ? b : a; return a != a ? b : number;
#define FOLD_EXTREME_(name, X, M, W, op, token)                                                    \
    INLINE W name##_choice(W a, W b) { EXTREME_##token(a, b, W) }                                  \
    ROW_OF_LANES_(name, W, name##_choice, AS_LOOP)

/* One running value, in order. */
#define FOLD_IN_ORDER_(name, X, M, W, op, token)                                                   \
    INLINE W name##_row(const X *x, int64_t n) {                                                   \
        W value = x[0];                                                                            \
        for (int64_t i = 1; i < n; i++) value = op(value, x[i]);                                   \
        return value;                                                                              \
    }                                                                                              \
    FOLD_COLUMNS_(name, X, W, op)

/* Four rows at once, so that out is loaded and stored a quarter as often; each column still adds up
 * in order. read(x): what an element counts as. */
#define FOLD_READ_COLUMNS_(name, X, W, op, read)                                                   \
    static void name##_rows(void *out, const char *x, int64_t count, int64_t stride, int64_t n,    \
                            const void *initial) {                                                 \
        W *to = out;                                                                               \
        const W first = initial ? *(const W *)initial : read(*(const X *)(const void *)x);         \
        for (int64_t r = 0; r < count; r++, x += stride) {                                         \
            W value = name##_row((const X *)(const void *)x, n);                                   \
            to[r] = initial ? op(first, value) : value;                                            \
        }                                                                                          \
    }                                                                                              \
    static void name##_columns(void *out, const char *x, int64_t count, int64_t stride,            \
                               int64_t n) {                                                        \
        W *restrict to = out;                                                                      \
        const X *restrict a = (const void *)x;                                                     \
        for (int64_t j = 0; j < n; j++) to[j] = read(a[j]);                                        \
        int64_t r = 1;                                                                             \
        for (; r + 4 <= count; r += 4) {                                                           \
            const X *restrict b = (const void *)(x + r * stride);                                  \
            const X *restrict c = (const void *)(x + (r + 1) * stride);                            \
            const X *restrict d = (const void *)(x + (r + 2) * stride);                            \
            const X *restrict e = (const void *)(x + (r + 3) * stride);                            \
            for (int64_t j = 0; j < n; j++)                                                        \
                to[j] = op(op(op(op(to[j], read(b[j])), read(c[j])), read(d[j])), read(e[j]));     \
        }                                                                                          \
        for (; r < count; r++) {                                                                   \
            const X *restrict b = (const void *)(x + r * stride);                                  \
            for (int64_t j = 0; j < n; j++) to[j] = op(to[j], read(b[j]));                         \
        }                                                                                          \
    }                                                                                              \
    static void name##_merge(void *earlier, const void *later, int64_t n) {                        \
        W *restrict to = earlier;                                                                  \
        const W *restrict from = later;                                                            \
        for (int64_t j = 0; j < n; j++) to[j] = op(to[j], from[j]);                                \
    }
#define AS_IT_IS(x) (x)
#define FOLD_COLUMNS_(name, X, W, op) FOLD_READ_COLUMNS_(name, X, W, op, AS_IT_IS)

#define FOLD_ENTRY_(name, op, input, accumulator, W, close)                                        \
    {tni_op_##op, tni_dtype_##input, tni_dtype_##accumulator, sizeof(W),                           \
     name##_rows, name##_columns, name##_merge, close}
#define CLOSE_EXACT(name)    NULL
#define CLOSE_LANES(name)    TN_PASTE(name, _close_lanes)
#define CLOSE_EXTREME(name)  TN_PASTE(name, _close_lanes)
#define CLOSE_PARTS(name)    NULL
#define CLOSE_IN_ORDER(name) NULL
/* clang-format on */

#endif
