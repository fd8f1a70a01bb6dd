/* Leaves of second moments: the mean first, then the squared distances from it, while the leaf lies in
 * the cache. The mean is rounded to the elements' type, and what that loses is put right by the sum of
 * the distances: squares - (sum of distances)^2 / n. Leaves are merged in double, by Chan's formula. */
#include "backend/host/loops/reduce_form.h"

/* Elements per vector of running sums; as for folds, the same at every level. */
#define MOMENT(S, T)                                                                               \
    enum { LANES_##S = LANE_BYTES / sizeof(T) };                                                   \
    INLINE T sum_of_lanes_##S(T *lane) {                                                           \
        for (int width = LANES_##S / 2; width > 0; width /= 2)                                     \
            for (int l = 0; l < width; l++) lane[l] += lane[l + width];                            \
        return lane[0];                                                                            \
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
            for (int l = 0; l < LANES; l++) {                                                      \
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
        double lost = (double)distances / (double)n;                                               \
        double exact = (double)squares - (double)distances * lost;                                 \
        tni_moment moment = {(double)n, (double)mean + lost, exact < 0 ? 0 : exact};               \
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
        tni_moment moment = {(double)n, mean, squares};                                            \
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
            for (int64_t j = 0; j < width; j++) sum[j] /= (T)count;                                \
            for (int64_t r = 0; r < count; r++) {                                                  \
                const T *restrict row = (const void *)(x + r * stride);                            \
                for (int64_t j = 0; j < width; j++) {                                              \
                    T distance = row[j] - sum[j];                                                  \
                    off[j] += distance;                                                            \
                    square[j] += distance * distance;                                              \
                }                                                                                  \
            }                                                                                      \
            for (int64_t j = 0; j < width; j++) {                                                  \
                double lost = (double)off[j] / (double)count;                                      \
                double exact = (double)square[j] - (double)off[j] * lost;                          \
                to[j].count = (double)count;                                                       \
                to[j].mean = (double)sum[j] + lost;                                                \
                to[j].squares = exact < 0 ? 0 : exact;                                             \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void valid_columns_##S(void *out, const char *x, const uint8_t *valid, int64_t count,   \
                                  int64_t n) {                                                     \
        tni_moment *to = out;                                                                      \
        const T *elements = (const void *)x;                                                       \
        for (int64_t j = 0; j < n; j++) to[j].count = to[j].mean = to[j].squares = 0;              \
        for (int64_t r = 0; r < count; r++)                                                        \
            for (int64_t j = 0; j < n; j++) {                                                      \
                to[j].count += valid[r * n + j];                                                   \
                to[j].mean += valid[r * n + j] ? (double)elements[r * n + j] : 0;                  \
            }                                                                                      \
        for (int64_t j = 0; j < n; j++) to[j].mean /= to[j].count > 0 ? to[j].count : 1;           \
        for (int64_t r = 0; r < count; r++)                                                        \
            for (int64_t j = 0; j < n; j++) {                                                      \
                double distance = (double)elements[r * n + j] - to[j].mean;                        \
                to[j].squares += valid[r * n + j] ? distance * distance : 0;                       \
            }                                                                                      \
    }

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
const tni_reduce_loops LEVEL(tni_reduce_loops) = {LEVEL(tni_folds), moments, valid_columns_f32,
                                                  valid_columns_f64};
