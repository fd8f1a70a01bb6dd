/* Inner loops of histograms with bins of one width, and of the extent that the bins divide.
 *
 * All choices are masks of vectors: values in random order would mislead every branch. A place
 * becomes a whole number when the number is added from which on doubles have no fraction. */
#include "backend/host/loops/samples/bin_loops.h"

#include "backend/host/loops/entry.h"

#include <math.h>
#include <string.h>

enum { LANES = 8, VECTOR_BYTES = 64 };
typedef double doubles __attribute__((vector_size(VECTOR_BYTES)));
typedef int64_t numbers __attribute__((vector_size(VECTOR_BYTES)));
typedef float eight_f32 __attribute__((vector_size(VECTOR_BYTES / 2)));
typedef double eight_f64 __attribute__((vector_size(VECTOR_BYTES)));

static inline void guess_eight(numbers *found, const doubles *values, const tni_bin_guess *g) {
    const doubles none = {0}, whole = none + 0x1p52;
    const double doubt = g->doubt, count = (double)g->count;
    const doubles place = (*values - g->first) * g->scale;
    const numbers is_inside = (place > none + doubt) & (place < none + (count - doubt));
    const numbers is_near = (place >= none - doubt) & (place <= none + (count + doubt));
    const doubles near = (doubles)((numbers)place & is_inside), sum = near + whole;
    const doubles rest = near - (sum - whole);
    const numbers bin = (numbers)sum - (numbers)whole + (rest < none);
    const numbers is_sure = (rest > none + doubt) | (rest < none - doubt);
    const numbers within = bin | ~is_sure; /* TNI_BIN_IN_DOUBT, which is -1, where that is false */
    *found = (is_near & within) | (~is_near & (int64_t)g->count);
}

#define GUESS(name, type)                                                                          \
    static bool guess_##name(int64_t *bins, const void *data, int64_t n, const tni_bin_guess *g) { \
        const type *values = data;                                                                 \
        numbers doubts = {0};                                                                      \
        for (int64_t i = 0; i < n; i += LANES) {                                                   \
            const size_t some = n - i < LANES ? (size_t)(n - i) : LANES;                           \
            eight_##name here = {0};                                                               \
            if (some == LANES)                                                                     \
                memcpy(&here, values + i, sizeof here);                                            \
            else                                                                                   \
                memcpy(&here, values + i, some * sizeof *values);                                  \
            const doubles wide = __builtin_convertvector(here, doubles);                           \
            numbers found;                                                                         \
            guess_eight(&found, &wide, g);                                                         \
            doubts |= found;                                                                       \
            if (some == LANES)                                                                     \
                memcpy(bins + i, &found, sizeof found);                                            \
            else                                                                                   \
                memcpy(bins + i, &found, some * sizeof *bins);                                     \
        }                                                                                          \
        bool is_doubtful = false;                                                                  \
        for (int lane = 0; lane < LANES; lane++)                                                   \
            is_doubtful |= doubts[lane] < 0;                                                       \
        return is_doubtful;                                                                        \
    }
GUESS(f32, float)
GUESS(f64, double)

#define CHOOSE(vector, mask_type, mask, a, b)                                                      \
    ((vector)(((mask) & (mask_type)(a)) | (~(mask) & (mask_type)(b))))

/* Vectors of some length, of which four are looked at by turns. */
#define EXTENT(name, type, mask_type)                                                              \
    typedef type wide_##name __attribute__((vector_size(VECTOR_BYTES)));                           \
    typedef mask_type mask_##name __attribute__((vector_size(VECTOR_BYTES)));                      \
    static void extent_##name(double ends[2], const void *data, int64_t n) {                       \
        enum { WIDTH = VECTOR_BYTES / sizeof(type), TURNS = 4 };                                   \
        const type *values = data;                                                                 \
        wide_##name least[TURNS], largest[TURNS];                                                  \
        mask_##name nans = {0};                                                                    \
        type low = values[0], high = values[0];                                                    \
        bool has_nan = false;                                                                      \
        int64_t i = 0;                                                                             \
        for (int turn = 0; turn < TURNS; turn++)                                                   \
            least[turn] = largest[turn] = (wide_##name){0} + values[0];                            \
        for (; i + TURNS * WIDTH <= n; i += TURNS * WIDTH)                                         \
            for (int turn = 0; turn < TURNS; turn++) {                                             \
                wide_##name here;                                                                  \
                memcpy(&here, values + i + turn * WIDTH, sizeof here);                             \
                const mask_##name is_less = here < least[turn];                                    \
                const mask_##name is_more = here > largest[turn];                                  \
                least[turn] = CHOOSE(wide_##name, mask_##name, is_less, here, least[turn]);        \
                largest[turn] = CHOOSE(wide_##name, mask_##name, is_more, here, largest[turn]);    \
                nans |= here != here;                                                              \
            }                                                                                      \
        for (int turn = 0; turn < TURNS; turn++)                                                   \
            for (int lane = 0; lane < (int)WIDTH; lane++) {                                        \
                low = least[turn][lane] < low ? least[turn][lane] : low;                           \
                high = largest[turn][lane] > high ? largest[turn][lane] : high;                    \
                has_nan |= nans[lane] != 0;                                                        \
            }                                                                                      \
        for (; i < n; i++) {                                                                       \
            low = values[i] < low ? values[i] : low;                                               \
            high = values[i] > high ? values[i] : high;                                            \
            has_nan |= values[i] != values[i];                                                     \
        }                                                                                          \
        ends[0] = has_nan ? (double)NAN : (double)low;                                             \
        ends[1] = has_nan ? (double)NAN : (double)high;                                            \
    }
EXTENT(f32, float, int32_t)
EXTENT(f64, double, int64_t)

extern const tni_bin_loops LEVEL(tni_bin_loops);
const tni_bin_loops LEVEL(tni_bin_loops) = {guess_f32, guess_f64, extent_f32, extent_f64};
