/* The forms of folds: how a leaf is folded, once per shape; an operation is an argument and inlines.
 *
 * A row keeps several running values: 8 in short rows, a few cache lines of them in long ones, so that
 * compilers use vectors and the additions of one value need not wait for the last. How many depends on
 * the type alone, not on the instruction set, so all levels give the same bits. */
#ifndef TNI_REDUCE_FORM_H
#define TNI_REDUCE_FORM_H

#include "backend/host/loops/entry.h"
#include "backend/host/loops/form.h"
#include "backend/host/loops/reduce_loops.h"

/* Names are pasted below; these let a name be made by macros first. */
#define FOLD_LANES(...) FOLD_LANES_(__VA_ARGS__)
#define FOLD_IN_ORDER(...) FOLD_IN_ORDER_(__VA_ARGS__)
#define FOLD_COLUMNS(...) FOLD_COLUMNS_(__VA_ARGS__)
#define FOLD_ENTRY(...) FOLD_ENTRY_(__VA_ARGS__)

#define NOINLINE __attribute__((noinline))

enum { LANE_BYTES = 128, SHORT_ROW = 128 };

/* The functions of one fold: op works on M, elements are X, results W; M is W unless sums of small
 * integers fit a smaller one within a leaf. */
#define FOLD_LANES_(name, X, M, W, op)                                                             \
    INLINE M name##_few(const X *x, int64_t n) {                                                   \
        M value = x[0];                                                                            \
        for (int64_t i = 1; i < n; i++)                                                            \
            value = op(value, x[i]);                                                               \
        return value;                                                                              \
    }                                                                                              \
    INLINE M name##_eight(const X *restrict x, int64_t n) {                                        \
        M lane[8];                                                                                 \
        for (int l = 0; l < 8; l++)                                                                \
            lane[l] = x[l];                                                                        \
        int64_t i = 8;                                                                             \
        for (; i + 8 <= n; i += 8)                                                                 \
            for (int l = 0; l < 8; l++)                                                            \
                lane[l] = op(lane[l], x[i + l]);                                                   \
        M even = op(op(lane[0], lane[4]), op(lane[2], lane[6]));                                   \
        M odd = op(op(lane[1], lane[5]), op(lane[3], lane[7]));                                    \
        M value = op(even, odd);                                                                   \
        for (; i < n; i++)                                                                         \
            value = op(value, x[i]);                                                               \
        return value;                                                                              \
    }                                                                                              \
    static NOINLINE M name##_many(const X *restrict x, int64_t n) {                                \
        enum { LANES = LANE_BYTES / sizeof(M) };                                                   \
        M lane[LANES];                                                                             \
        for (int l = 0; l < LANES; l++)                                                            \
            lane[l] = x[l];                                                                        \
        int64_t i = LANES;                                                                         \
        for (; i + LANES <= n; i += LANES)                                                         \
            for (int l = 0; l < LANES; l++)                                                        \
                lane[l] = op(lane[l], x[i + l]);                                                   \
        for (; i + 8 <= n; i += 8)                                                                 \
            for (int l = 0; l < 8; l++)                                                            \
                lane[l] = op(lane[l], x[i + l]);                                                   \
        for (int width = LANES / 2; width > 0; width /= 2)                                         \
            for (int l = 0; l < width; l++)                                                        \
                lane[l] = op(lane[l], lane[l + width]);                                            \
        M value = lane[0];                                                                         \
        for (; i < n; i++)                                                                         \
            value = op(value, x[i]);                                                               \
        return value;                                                                              \
    }                                                                                              \
    INLINE W name##_row(const X *x, int64_t n) {                                                   \
        return (n < 8           ? name##_few(x, n)                                                 \
                : n < SHORT_ROW ? name##_eight(x, n)                                               \
                                : name##_many(x, n));                                              \
    }

/* One running value, in order. */
#define FOLD_IN_ORDER_(name, X, M, W, op)                                                          \
    INLINE W name##_row(const X *x, int64_t n) {                                                   \
        W value = x[0];                                                                            \
        for (int64_t i = 1; i < n; i++)                                                            \
            value = op(value, x[i]);                                                               \
        return value;                                                                              \
    }

/* Four rows at once, so that out is loaded and stored a quarter as often; each column still adds up in
 * order. */
#define FOLD_COLUMNS_(name, X, W, op)                                                              \
    static void name##_rows(void *out, const char *x, int64_t count, int64_t stride, int64_t n,    \
                            const void *initial) {                                                 \
        W *to = out;                                                                               \
        const W first = initial ? *(const W *)initial : *(const X *)(const void *)x;               \
        for (int64_t r = 0; r < count; r++, x += stride) {                                         \
            W value = name##_row((const X *)(const void *)x, n);                                   \
            to[r] = initial ? op(first, value) : value;                                            \
        }                                                                                          \
    }                                                                                              \
    static void name##_columns(void *out, const char *x, int64_t count, int64_t stride,            \
                               int64_t n) {                                                        \
        W *restrict to = out;                                                                      \
        const X *restrict a = (const void *)x;                                                     \
        for (int64_t j = 0; j < n; j++)                                                            \
            to[j] = a[j];                                                                          \
        int64_t r = 1;                                                                             \
        for (; r + 4 <= count; r += 4) {                                                           \
            const X *restrict b = (const void *)(x + r * stride);                                  \
            const X *restrict c = (const void *)(x + (r + 1) * stride);                            \
            const X *restrict d = (const void *)(x + (r + 2) * stride);                            \
            const X *restrict e = (const void *)(x + (r + 3) * stride);                            \
            for (int64_t j = 0; j < n; j++)                                                        \
                to[j] = op(op(op(op(to[j], b[j]), c[j]), d[j]), e[j]);                             \
        }                                                                                          \
        for (; r < count; r++) {                                                                   \
            const X *restrict b = (const void *)(x + r * stride);                                  \
            for (int64_t j = 0; j < n; j++)                                                        \
                to[j] = op(to[j], b[j]);                                                           \
        }                                                                                          \
    }                                                                                              \
    static void name##_merge(void *earlier, const void *later, int64_t n) {                        \
        W *restrict to = earlier;                                                                  \
        const W *restrict from = later;                                                            \
        for (int64_t j = 0; j < n; j++)                                                            \
            to[j] = op(to[j], from[j]);                                                            \
    }

#define FOLD_ENTRY_(name, op, input, accumulator, W)                                               \
    {                                                                                              \
        tni_op_##op, tni_dtype_##input, tni_dtype_##accumulator, sizeof(W), name##_rows,           \
            name##_columns, name##_merge                                                           \
    }

#endif
