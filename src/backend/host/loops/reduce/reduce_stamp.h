/* Stamps the folds of one dtype, from the tables of operations and of reductions. Included with D
 * the suffix and PART_TYPE (complex only) defined. Defines the list folds_<D>. */
#include "backend/host/loops/reduce/reduce_form.h"

#define T TN_PASTE(tni_working_, D)
/* clang-format off */
#define FIRST(name) TN_PASTE(TN_PASTE(body_##name, _), D)
#define NAME(name) TN_PASTE(TN_PASTE(fold_##name, _), D)

#define BINARY(name, K, body)                                                                      \
    PICK_##K(INLINE T FIRST(name)(T a, T b) { return (T)(body); })
#define COMPARE(name, K, body) BINARY(name, K, body)
#ifdef PART_TYPE
#undef BINARY
#define BINARY(name, K, body)                                                                      \
    PICK_##K(INLINE T FIRST(name)(T a, T b) { return body; })
#undef COMPARE
#define COMPARE(name, K, body)
/* The sum of complex numbers as sums of parts side by side: even places real, odd imaginary. */
#define FOLD_PARTS(...) FOLD_PARTS_(__VA_ARGS__)
#define FOLD_PARTS_(name, X, M, W, op, token)                                                      \
    INLINE W name##_lanes(const PART_TYPE *restrict x, int64_t end, int lanes, PART_TYPE *lane) {  \
        int64_t i = lanes;                                                                         \
        for (int l = 0; l < lanes; l++) lane[l] = x[l];                                            \
        for (; i + lanes <= end; i += lanes)                                                       \
            for (int l = 0; l < lanes; l++) lane[l] += x[i + l];                                   \
        for (; i < end; i += 2)                                                                    \
            for (int l = 0; l < 2; l++) lane[l] += x[i + l];                                       \
        for (int width = lanes / 2; width > 1; width /= 2)                                         \
            for (int l = 0; l < width; l++) lane[l] += lane[l + width];                            \
        W value = {lane[0], lane[1]};                                                              \
        return value;                                                                              \
    }                                                                                              \
    static NOINLINE W name##_many(const PART_TYPE *x, int64_t end) {                               \
        enum { LANES = LANE_BYTES / sizeof(PART_TYPE) };                                           \
        PART_TYPE lane[LANES];                                                                     \
        return name##_lanes(x, end, LANES, lane);                                                  \
    }                                                                                              \
    INLINE W name##_row(const X *numbers, int64_t n) {                                             \
        PART_TYPE lane[8];                                                                         \
        const PART_TYPE *x = (const void *)numbers;                                                \
        if (n >= SHORT_ROW / 2) return name##_many(x, 2 * n);                                      \
        if (n >= 4) return name##_lanes(x, 2 * n, 8, lane);                                        \
        W value = numbers[0];                                                                      \
        for (int64_t i = 1; i < n; i++) value = op(value, numbers[i]);                             \
        return value;                                                                              \
    }                                                                                              \
    FOLD_COLUMNS_(name, X, W, op)
#endif
#include "ops/ops.def"

#define FOLD(op, K, form) PICK_##K(FOLD_##form(NAME(op), T, T, T, FIRST(op), op))
#include "ops/reduce.def"

#define FOLD(op, K, form) PICK_##K(FOLD_ENTRY(NAME(op), op, D, D, T, CLOSE_##form(NAME(op))), )
/* clang-format on */
static const tni_fold TN_PASTE(folds_, D)[] = {
#include "ops/reduce.def"
    {.op = -1}};

#undef FIRST
#undef NAME
#undef D
#undef T
#undef PART_TYPE
#undef FOLD_PARTS
#undef FOLD_PARTS_
