/* Leaves of second moments: the mean first, then the squared distances from it, while the leaf lies in
 * the cache. The mean is rounded to the elements' type, and what that loses is put right by the sum of
 * the distances: squares - (sum of distances)^2 / n. Leaves are merged in double, by Chan's formula. */
#include "backend/host/loops/reduce_form.h"

/* Elements per vector of running sums; as for folds, the same at every level. */
/* clang-format off: the text of functions, one statement a line. */
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
    static NOINLINE tni_moment moment_many_##S(const T *restrict x, int64_t n) {                   \
        enum { LANES = LANES_##S };                                                                \
        T lane[LANES], off[LANES], square[LANES];                                                  \
        for (int l = 0; l < LANES; l++) lane[l] = off[l] = square[l] = 0;                          \
        int64_t whole = n - n % LANES;                                                             \
        for (int64_t i = 0; i < whole; i += LANES)                                                 \
            for (int l = 0; l < LANES; l++) lane[l] += x[i + l];                                   \
        T sum = sum_of_lanes_##S(lane);                                                            \
        for (int64_t i = whole; i < n; i++) sum += x[i];                                           \
        const T mean = sum / (T)n;                                                                 \
        for (int64_t i = 0; i < whole; i += LANES)                                                 \
            AS_LOOP for (int l = 0; l < LANES; l++) {                                                      \
                T distance = x[i + l] - mean;                                                      \
                off[l] += distance;                                                                \
                square[l] += distance * distance;                                                  \
            }                                                                                      \
        T distances = sum_of_lanes_##S(off), squares = sum_of_lanes_##S(square);                   \
        for (int64_t i = whole; i < n; i++) {                                                      \
            T distance = x[i] - mean;                                                              \
            distances += distance;                                                                 \
            squares += distance * distance;                                                        \
        }                                                                                          \
        return moment_of_##S((T)n, sum, mean, distances, squares);                                 \
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
    }                                                                                              \
    static void moment_rows_##S(void *out, const char *x, int64_t count, int64_t stride,           \
                                int64_t n, const void *initial) {                                  \
        tni_moment *to = out;                                                                      \
        (void)initial;                                                                             \
        for (int64_t r = 0; r < count; r++, x += stride) {                                         \
            const T *row = (const void *)x;                                                        \
            to[r] = n < 64 ? moment_few_##S(row, n) : moment_many_##S(row, n);                     \
        }                                                                                          \
    }                                                                                              \
    /* Columns in groups that stay in registers or at least in the first cache. */                 \
    static void moment_columns_##S(void *out, const char *x, int64_t count, int64_t stride,        \
                                   int64_t n) {                                                    \
        enum { GROUP = 256 };                                                                      \
        tni_moment *to = out;                                                                      \
        T sum[GROUP], off[GROUP], square[GROUP];                                                   \
        for (int64_t from = 0; from < n; from += GROUP, to += GROUP, x += GROUP * sizeof(T)) {     \
            int64_t width = n - from < GROUP ? n - from : GROUP;                                   \
            for (int64_t j = 0; j < width; j++) sum[j] = off[j] = square[j] = 0;                   \
            for (int64_t r = 0; r < count; r++) {                                                  \
                const T *restrict row = (const void *)(x + r * stride);                            \
                for (int64_t j = 0; j < width; j++) sum[j] += row[j];                              \
            }                                                                                      \
            for (int64_t j = 0; j < width; j++) {                                                  \
                to[j].sum = (double)sum[j];                                                        \
                sum[j] /= (T)count;                                                                \
            }                                                                                      \
            for (int64_t r = 0; r < count; r++) {                                                  \
                const T *restrict row = (const void *)(x + r * stride);                            \
                for (int64_t j = 0; j < width; j++) {                                              \
                    T distance = row[j] - sum[j];                                                  \
                    off[j] += distance;                                                            \
                    square[j] += distance * distance;                                              \
                }                                                                                  \
            }                                                                                      \
            for (int64_t j = 0; j < width; j++) {                                                  \
                double total = to[j].sum;                                                          \
                to[j] = moment_of_##S((T)count, 0, sum[j], off[j], square[j]);                     \
                to[j].sum = total;                                                                 \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void valid_rows_##S(void *out, const char *x, const uint8_t *valid, int64_t count,      \
                               int64_t n) {                                                        \
        enum { LANES = LANES_##S };                                                                \
        tni_moment *to = out;                                                                      \
        for (int64_t r = 0; r < count; r++, valid += n) {                                          \
            const T *restrict row = (const T *)(const void *)x + r * n;                            \
            const uint8_t *restrict is = valid;                                                    \
            T lane[LANES] = {0}, there[LANES] = {0}, off[LANES] = {0}, square[LANES] = {0};        \
            int64_t whole = n - n % LANES;                                                         \
            for (int64_t i = 0; i < whole; i += LANES)                                             \
                AS_LOOP for (int l = 0; l < LANES; l++) {                                          \
                    T element = row[i + l];                                                        \
                    lane[l] += is[i + l] ? element : 0;                                            \
                    there[l] += (T)is[i + l];                                                      \
                }                                                                                  \
            T sum = sum_of_lanes_##S(lane), left = sum_of_lanes_##S(there);                        \
            for (int64_t i = whole; i < n; i++) {                                                  \
                sum += is[i] ? row[i] : 0;                                                         \
                left += (T)is[i];                                                                  \
            }                                                                                      \
            const T mean = left > 0 ? sum / left : 0;                                              \
            for (int64_t i = 0; i < whole; i += LANES)                                             \
                AS_LOOP for (int l = 0; l < LANES; l++) {                                          \
                    T element = row[i + l], distance = is[i + l] ? element - mean : 0;             \
                    off[l] += distance;                                                            \
                    square[l] += distance * distance;                                              \
                }                                                                                  \
            T distances = sum_of_lanes_##S(off), squares = sum_of_lanes_##S(square);               \
            for (int64_t i = whole; i < n; i++) {                                                  \
                T distance = is[i] ? row[i] - mean : 0;                                            \
                distances += distance;                                                             \
                squares += distance * distance;                                                    \
            }                                                                                      \
            to[r] = moment_of_##S(left, sum, mean, distances, squares);                            \
        }                                                                                          \
    }                                                                                              \
    static void valid_columns_##S(void *out, const char *x, const uint8_t *valid, int64_t count,   \
                                  int64_t n) {                                                     \
        enum { GROUP = 256 };                                                                      \
        tni_moment *to = out;                                                                      \
        T sum[GROUP], there[GROUP], off[GROUP], square[GROUP];                                     \
        for (int64_t from = 0; from < n; from += GROUP, to += GROUP) {                             \
            int64_t width = n - from < GROUP ? n - from : GROUP;                                   \
            for (int64_t j = 0; j < width; j++) sum[j] = there[j] = off[j] = square[j] = 0;        \
            for (int64_t r = 0; r < count; r++) {                                                  \
                const T *restrict row = (const T *)(const void *)x + r * n + from;                 \
                const uint8_t *restrict is = valid + r * n + from;                                 \
                for (int64_t j = 0; j < width; j++) {                                              \
                    T element = row[j];                                                            \
                    sum[j] += is[j] ? element : 0;                                                 \
                    there[j] += (T)is[j];                                                          \
                }                                                                                  \
            }                                                                                      \
            for (int64_t j = 0; j < width; j++) {                                                  \
                to[j].sum = (double)sum[j];                                                        \
                sum[j] /= there[j] > 0 ? there[j] : 1;                                             \
            }                                                                                      \
            for (int64_t r = 0; r < count; r++) {                                                  \
                const T *restrict row = (const T *)(const void *)x + r * n + from;                 \
                const uint8_t *restrict is = valid + r * n + from;                                 \
                for (int64_t j = 0; j < width; j++) {                                              \
                    T element = row[j], distance = is[j] ? element - sum[j] : 0;                   \
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

/* clang-format on */

MOMENT(f32, float)
MOMENT(f64, double)

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

static const tni_fold moments[] = {
    {tni_op_add, tni_dtype_f32, tni_dtype_f32, sizeof(tni_moment), moment_rows_f32,
     moment_columns_f32, merge},
    {tni_op_add, tni_dtype_f64, tni_dtype_f64, sizeof(tni_moment), moment_rows_f64,
     moment_columns_f64, merge},
    {.op = -1}};

extern const tni_fold *const LEVEL(tni_folds)[];
extern const tni_reduce_loops LEVEL(tni_reduce_loops);
const tni_reduce_loops LEVEL(tni_reduce_loops) = {LEVEL(tni_folds),  moments,
                                                  valid_rows_f32,    valid_rows_f64,
                                                  valid_columns_f32, valid_columns_f64};
