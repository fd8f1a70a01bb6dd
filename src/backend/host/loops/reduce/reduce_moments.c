/* Leaves of second moments: the mean first, then the squared distances from it, while the leaf lies
 * in the cache. The mean is rounded to the elements' type, and what that loses is put right by the
 * sum of the distances: squares - (sum of distances)^2 / n. Leaves are merged in double, by Chan's
 * formula.
 *
 * There are three kinds, that differ in which elements take part: all; those that are not NaN;
 * those whose byte in a second array is not 0. */
#include "backend/host/loops/reduce/reduce_form.h"

enum { GROUP = 256 /* columns that are worked on at once */, SHORT = 64 };

/* The text of functions, one statement a line. */
/* clang-format off */

#define ALL(element, i)   1
#define NUMBER(element, i) (element == element)
#define MARKED(element, i) (is[i] != 0)

/* What all kinds share. Elements per vector of running sums are the same at every level. */
#define MOMENT(S, T)                                                                               \
    enum { LANES_##S = LANE_BYTES / sizeof(T) };                                                   \
    INLINE T sum_of_lanes_##S(T *lane) {                                                           \
        for (int width = LANES_##S / 2; width > 0; width /= 2)                                     \
            for (int l = 0; l < width; l++) lane[l] += lane[l + width];                            \
        return lane[0];                                                                            \
    }                                                                                              \
    INLINE tni_moment moment_of_##S(T n, T sum, T mean, T distances, T squares) {                  \
        double lost = n > 0 ? (double)distances / (double)n : 0;                                   \
        double exact = (double)squares - (double)distances * lost;                                 \
        tni_moment moment = {(double)n, (double)mean + lost, exact < 0 ? 0 : exact, (double)sum};  \
        return moment;                                                                             \
    }                                                                                              \
    INLINE tni_moment moment_few_##S(const T *x, int64_t n) {                                      \
        double sum = 0, squares = 0;                                                               \
        for (int64_t i = 0; i < n; i++) sum += (double)x[i];                                       \
        const double mean = sum / (double)n;                                                       \
        for (int64_t i = 0; i < n; i++) {                                                          \
            double distance = (double)x[i] - mean;                                                 \
            squares += distance * distance;                                                        \
        }                                                                                          \
        tni_moment moment = {(double)n, mean, squares, sum};                                       \
        return moment;                                                                             \
    }

#define MOMENT_KIND(kind, S, T, TAKES)                                                             \
    static NOINLINE tni_moment kind##_row_##S(const T *restrict x, const uint8_t *restrict is,     \
                                              int64_t n) {                                         \
        enum { LANES = LANES_##S };                                                                \
        T lane[LANES], there[LANES], off[LANES], square[LANES];                                    \
        const int64_t whole = n - n % LANES;                                                       \
        (void)is;                                                                                  \
        for (int l = 0; l < LANES; l++) lane[l] = there[l] = off[l] = square[l] = 0;               \
        for (int64_t i = 0; i < whole; i += LANES)                                                 \
            AS_LOOP for (int l = 0; l < LANES; l++) {                                              \
                T element = x[i + l];                                                              \
                lane[l] += TAKES(element, i + l) ? element : 0;                                    \
                there[l] += (T)TAKES(element, i + l);                                              \
            }                                                                                      \
        T sum = sum_of_lanes_##S(lane), count = sum_of_lanes_##S(there);                           \
        for (int64_t i = whole; i < n; i++) {                                                      \
            sum += TAKES(x[i], i) ? x[i] : 0;                                                      \
            count += (T)TAKES(x[i], i);                                                            \
        }                                                                                          \
        const T mean = count > 0 ? sum / count : 0;                                                \
        for (int64_t i = 0; i < whole; i += LANES)                                                 \
            AS_LOOP for (int l = 0; l < LANES; l++) {                                              \
                T element = x[i + l], distance = TAKES(element, i + l) ? element - mean : 0;       \
                off[l] += distance;                                                                \
                square[l] += distance * distance;                                                  \
            }                                                                                      \
        T distances = sum_of_lanes_##S(off), squares = sum_of_lanes_##S(square);                   \
        for (int64_t i = whole; i < n; i++) {                                                      \
            T distance = TAKES(x[i], i) ? x[i] - mean : 0;                                         \
            distances += distance;                                                                 \
            squares += distance * distance;                                                        \
        }                                                                                          \
        return moment_of_##S(count, sum, mean, distances, squares);                                \
    }                                                                                              \
    /* Rows of columns, `is_stride` bytes apart in the second array. */                            \
    INLINE void kind##_over_##S(tni_moment *to, const char *x, const uint8_t *marks,               \
                                int64_t count, int64_t stride, int64_t is_stride, int64_t n) {     \
        T sum[GROUP], there[GROUP], off[GROUP], square[GROUP];                                     \
        for (int64_t from = 0; from < n; from += GROUP, to += GROUP, x += GROUP * sizeof(T)) {     \
            const int64_t width = n - from < GROUP ? n - from : GROUP;                             \
            for (int64_t j = 0; j < width; j++) sum[j] = there[j] = off[j] = square[j] = 0;        \
            for (int64_t r = 0; r < count; r++) {                                                  \
                const T *restrict row = (const void *)(x + r * stride);                            \
                const uint8_t *restrict is = marks + r * is_stride + from;                         \
                (void)is;                                                                          \
                for (int64_t j = 0; j < width; j++) {                                              \
                    T element = row[j];                                                            \
                    sum[j] += TAKES(element, j) ? element : 0;                                     \
                    there[j] += (T)TAKES(element, j);                                              \
                }                                                                                  \
            }                                                                                      \
            for (int64_t j = 0; j < width; j++) {                                                  \
                to[j].sum = (double)sum[j];                                                        \
                sum[j] /= there[j] > 0 ? there[j] : 1;                                             \
            }                                                                                      \
            for (int64_t r = 0; r < count; r++) {                                                  \
                const T *restrict row = (const void *)(x + r * stride);                            \
                const uint8_t *restrict is = marks + r * is_stride + from;                         \
                (void)is;                                                                          \
                for (int64_t j = 0; j < width; j++) {                                              \
                    T element = row[j], distance = TAKES(element, j) ? element - sum[j] : 0;       \
                    off[j] += distance;                                                            \
                    square[j] += distance * distance;                                              \
                }                                                                                  \
            }                                                                                      \
            for (int64_t j = 0; j < width; j++) {                                                  \
                double total = to[j].sum;                                                          \
                to[j] = moment_of_##S(there[j], 0, sum[j], off[j], square[j]);                     \
                to[j].sum = total;                                                                 \
            }                                                                                      \
        }                                                                                          \
    }

/* A kind that looks at the elements alone, as a fold. */
#define MOMENT_FOLD(kind, S, T, TAKES, SHORT_ROW)                                                  \
    MOMENT_KIND(kind, S, T, TAKES)                                                                 \
    static void kind##_rows_##S(void *out, const char *x, int64_t count, int64_t stride,           \
                                int64_t n, const void *initial) {                                  \
        tni_moment *to = out;                                                                      \
        (void)initial;                                                                             \
        for (int64_t r = 0; r < count; r++, x += stride) {                                         \
            const T *row = (const void *)x;                                                        \
            to[r] = n < SHORT_ROW ? moment_few_##S(row, n) : kind##_row_##S(row, NULL, n);         \
        }                                                                                          \
    }                                                                                              \
    static void kind##_columns_##S(void *out, const char *x, int64_t count, int64_t stride,        \
                                   int64_t n) {                                                    \
        kind##_over_##S(out, x, (const uint8_t *)x, count, stride, 0, n);                          \
    }

#define MOMENT_MARKED(S, T)                                                                        \
    MOMENT_KIND(marked, S, T, MARKED)                                                              \
    static void marked_rows_##S(void *out, const char *x, const uint8_t *marks, int64_t count,     \
                                int64_t n) {                                                       \
        tni_moment *to = out;                                                                      \
        for (int64_t r = 0; r < count; r++)                                                        \
            to[r] = marked_row_##S((const T *)(const void *)x + r * n, marks + r * n, n);          \
    }                                                                                              \
    static void marked_columns_##S(void *out, const char *x, const uint8_t *marks, int64_t count,  \
                                   int64_t n) {                                                    \
        marked_over_##S(out, x, marks, count, n * (int64_t)sizeof(T), n, n);                       \
    }
/* clang-format on */

MOMENT(f32, float)
MOMENT_FOLD(all, f32, float, ALL, SHORT)
MOMENT_FOLD(number, f32, float, NUMBER, 0)
MOMENT_MARKED(f32, float)

MOMENT(f64, double)
MOMENT_FOLD(all, f64, double, ALL, SHORT)
MOMENT_FOLD(number, f64, double, NUMBER, 0)
MOMENT_MARKED(f64, double)

/* An empty part leaves the other as it is. */
static void merge(void *earlier, const void *later, int64_t n) {
    tni_moment *to = earlier;
    const tni_moment *from = later;
    for (int64_t j = 0; j < n; j++) {
        double count = to[j].count + from[j].count;
        double share = count > 0 ? from[j].count / count : 0;
        double distance = share > 0 ? from[j].mean - to[j].mean : 0;
        to[j].mean += distance * share;
        to[j].squares += from[j].squares + distance * distance * share * to[j].count;
        to[j].count = count;
        to[j].sum += from[j].sum;
    }
}

#define ENTRY(kind, S)                                                                             \
    {                                                                                              \
        tni_op_add, tni_dtype_##S, tni_dtype_##S, sizeof(tni_moment), kind##_rows_##S,             \
            kind##_columns_##S, merge, NULL                                                        \
    }

extern const tni_fold *const LEVEL(tni_folds)[];
extern const tni_reduce_loops LEVEL(tni_reduce_loops);
const tni_reduce_loops LEVEL(tni_reduce_loops) = {
    .folds = LEVEL(tni_folds),
    .moments = {ENTRY(all, f32), ENTRY(all, f64)},
    .number_moments = {ENTRY(number, f32), ENTRY(number, f64)},
    .marked_rows = {marked_rows_f32, marked_rows_f64},
    .marked_columns = {marked_columns_f32, marked_columns_f64},
};
