/* Positions of extremes: the search in a row, and the step from row to row of columns.
 *
 * The fold says what beats what: x beats the best so far if op(best, x) is x and x is not equal to
 * it. For maximum and minimum a NaN beats all numbers and is beaten by nothing; for fmax and fmin
 * numbers beat NaN. Equal elements do not beat, so the first one stays. */
#include "backend/host/loops/reduce/reduce_form.h"

#define BEATS_maximum(x, best) ((x) > (best) || ((x) != (x) && (best) == (best)))
#define BEATS_minimum(x, best) ((x) < (best) || ((x) != (x) && (best) == (best)))
#define BEATS_fmax(x, best) ((x) > (best) || ((best) != (best) && (x) == (x)))
#define BEATS_fmin(x, best) ((x) < (best) || ((best) != (best) && (x) == (x)))

/* Of bytes that are seen as bools any but 0 is true. */
#define BEATS_TRUTH_maximum(x, best) (((x) != 0) > ((best) != 0))
#define BEATS_TRUTH_minimum(x, best) (((x) != 0) < ((best) != 0))
#define TRUTH_EQUAL(a, b) (((a) != 0) == ((b) != 0))

/* Written without branches: no processor foresees which element of random ones beats the best. */
#define COMPLEX_LESS(a, b) (((a).re < (b).re) | (((a).re == (b).re) & ((a).im < (b).im)))
#define COMPLEX_NAN(a) (((a).re != (a).re) | ((a).im != (a).im))
#define BEATS_COMPLEX_maximum(x, best)                                                             \
    ((!COMPLEX_NAN(best)) & (COMPLEX_NAN(x) | COMPLEX_LESS(best, x)))
#define BEATS_COMPLEX_minimum(x, best)                                                             \
    ((!COMPLEX_NAN(best)) & (COMPLEX_NAN(x) | COMPLEX_LESS(x, best)))
#define BEATS_COMPLEX_fmax(x, best)                                                                \
    ((!COMPLEX_NAN(x)) & (COMPLEX_NAN(best) | COMPLEX_LESS(best, x)))
#define BEATS_COMPLEX_fmin(x, best)                                                                \
    ((!COMPLEX_NAN(x)) & (COMPLEX_NAN(best) | COMPLEX_LESS(x, best)))

/* Blocks of comparisons that compilers turn into vectors: whether one is equal, and then which is
 * the first, without a branch for each. A row of up to `most` is compared as a whole, without any
 * branch that no processor foresees; truths are not, for they end early. */
#define LOCATE_BLOCKS(size, is_equal)                                                              \
    for (; i + (size) <= n; i += (size)) {                                                         \
        int hits = 0, first = (size);                                                              \
        for (int l = 0; l < (size); l++)                                                           \
            hits |= is_equal(a[i + l], b);                                                         \
        if (!hits) continue;                                                                       \
        for (int l = 0; l < (size); l++) {                                                         \
            int at = is_equal(a[i + l], b) ? l : (size);                                           \
            first = at < first ? at : first;                                                       \
        }                                                                                          \
        return i + first;                                                                          \
    }
#define LOCATE(S, T, is_nan, is_equal, most)                                                       \
    static int64_t locate_##S(const char *x, int64_t n, const char *value) {                       \
        const T *restrict a = (const void *)x;                                                     \
        const T b = *(const T *)(const void *)value;                                               \
        int64_t i = 0;                                                                             \
        if (is_nan(b)) {                                                                           \
            while (i < n && !is_nan(a[i]))                                                         \
                i++;                                                                               \
            return i;                                                                              \
        }                                                                                          \
        if (n <= (most)) {                                                                         \
            int first = (int)n;                                                                    \
            for (int l = 0; l < (int)n; l++) {                                                     \
                const int at = is_equal(a[l], b) ? l : (int)n;                                     \
                first = at < first ? at : first;                                                   \
            }                                                                                      \
            return first;                                                                          \
        }                                                                                          \
        LOCATE_BLOCKS(64, is_equal)                                                                \
        LOCATE_BLOCKS(16, is_equal)                                                                \
        while (i < n && !is_equal(a[i], b))                                                        \
            i++;                                                                                   \
        return i;                                                                                  \
    }
#define NEVER_NAN(a) 0
#define REAL_NAN(a) ((a) != (a))
#define REAL_EQUAL(a, b) ((a) == (b))
#define COMPLEX_EQUAL(a, b) (((a).re == (b).re) & ((a).im == (b).im))

#define POSITION(op, S, T, beats)                                                                  \
    static int64_t find_##op##_##S(const char *x, int64_t n) {                                     \
        const T *a = (const void *)x;                                                              \
        T best = a[0];                                                                             \
        int64_t position = 0;                                                                      \
        for (int64_t i = 1; i < n; i++)                                                            \
            if (beats(a[i], best)) {                                                               \
                best = a[i];                                                                       \
                position = i;                                                                      \
            }                                                                                      \
        return position;                                                                           \
    }                                                                                              \
    static void update_##op##_##S(char *so_far, int64_t *restrict position, const char *x,         \
                                  int64_t n, int64_t row) {                                        \
        T *restrict best = (void *)so_far;                                                         \
        const T *restrict a = (const void *)x;                                                     \
        for (int64_t j = 0; j < n; j++) {                                                          \
            T now = a[j], before = best[j];                                                        \
            int better = beats(now, before);                                                       \
            best[j] = better ? now : before;                                                       \
            position[j] = better ? row : position[j];                                              \
        }                                                                                          \
    }

#define REAL(S, T, is_nan, most)                                                                   \
    LOCATE(S, T, is_nan, REAL_EQUAL, most)                                                         \
    POSITION(maximum, S, T, BEATS_maximum)                                                         \
    POSITION(minimum, S, T, BEATS_minimum)
#define FLOAT(S, T)                                                                                \
    REAL(S, T, REAL_NAN, SHORT_ROW)                                                                \
    POSITION(fmax, S, T, BEATS_fmax)                                                               \
    POSITION(fmin, S, T, BEATS_fmin)
#define COMPLEX(S, T)                                                                              \
    LOCATE(S, T, m_isnan, COMPLEX_EQUAL, SHORT_ROW)                                                \
    POSITION(maximum, S, T, BEATS_COMPLEX_maximum)                                                 \
    POSITION(minimum, S, T, BEATS_COMPLEX_minimum)                                                 \
    POSITION(fmax, S, T, BEATS_COMPLEX_fmax)                                                       \
    POSITION(fmin, S, T, BEATS_COMPLEX_fmin)

LOCATE(b8, tn_u8, NEVER_NAN, TRUTH_EQUAL, 0)
POSITION(maximum, b8, tn_u8, BEATS_TRUTH_maximum)
POSITION(minimum, b8, tn_u8, BEATS_TRUTH_minimum)
REAL(i8, tn_i8, NEVER_NAN, SHORT_ROW)
REAL(u8, tn_u8, NEVER_NAN, SHORT_ROW)
REAL(i16, tn_i16, NEVER_NAN, SHORT_ROW)
REAL(u16, tn_u16, NEVER_NAN, SHORT_ROW)
REAL(i32, tn_i32, NEVER_NAN, SHORT_ROW)
REAL(u32, tn_u32, NEVER_NAN, SHORT_ROW)
REAL(i64, tn_i64, NEVER_NAN, SHORT_ROW)
REAL(u64, tn_u64, NEVER_NAN, SHORT_ROW)
FLOAT(f32, float)
FLOAT(f64, double)
COMPLEX(c64, tn_c64)
COMPLEX(c128, tn_c128)

#define ENTRY(op, S)                                                                               \
    { tni_op_##op, tni_dtype_##S, find_##op##_##S, locate_##S, update_##op##_##S }
#define ENTRIES_REAL(S) ENTRY(maximum, S), ENTRY(minimum, S)
#define ENTRIES_FLOAT(S) ENTRIES_REAL(S), ENTRY(fmax, S), ENTRY(fmin, S)

extern const tni_position_loops LEVEL(tni_position_loops)[];
const tni_position_loops LEVEL(tni_position_loops)[] = {
    ENTRIES_REAL(b8),    ENTRIES_REAL(i8),   ENTRIES_REAL(u8),   ENTRIES_REAL(i16),
    ENTRIES_REAL(u16),   ENTRIES_REAL(i32),  ENTRIES_REAL(u32),  ENTRIES_REAL(i64),
    ENTRIES_REAL(u64),   ENTRIES_FLOAT(f32), ENTRIES_FLOAT(f64), ENTRIES_FLOAT(c64),
    ENTRIES_FLOAT(c128), {.op = -1}};
