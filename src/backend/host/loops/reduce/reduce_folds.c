/* The folds of every dtype, and the sums of small integers in wider ones. */
#include "backend/host/loops/reduce/reduce_form.h" /* before T is anything */

#define STAMP "backend/host/loops/reduce/reduce_stamp.h"
#include "backend/host/loops/each_dtype.h"

/* --- Widening sums: within a leaf the sums of 8 and 16 bit numbers fit 32 bits --- */

#define PLUS(a, b) ((a) + (b))
#define WIDE(input, X, M, W) FOLD_EXACT(wide_##input, X, M, W, PLUS, add)
WIDE(i8, tn_i8, tn_i32, tn_i64)
WIDE(i16, tn_i16, tn_i32, tn_i64)
WIDE(i32, tn_i32, tn_i64, tn_i64)
WIDE(u8, tn_u8, tn_u32, tn_u64)
WIDE(u16, tn_u16, tn_u32, tn_u64)
WIDE(u32, tn_u32, tn_u64, tn_u64)

/* Truths, which are bytes other than 0, are counted in bytes, which a leaf cannot overflow. */
#define IS_TRUE(x) ((x) != 0)
INLINE tn_i64 wide_b8_row(const tn_u8 *restrict x, int64_t n) {
    enum { LANES = LANE_BYTES };
    tn_u8 lane[LANES] = {0};
    int64_t i = 0;
    tn_i64 total = 0;
    if (n >= LANES) {
        for (; i + LANES <= n; i += LANES)
            for (int l = 0; l < LANES; l++)
                lane[l] = (tn_u8)(lane[l] + IS_TRUE(x[i + l]));
        tn_i32 sum = 0;
        for (int l = 0; l < LANES; l++)
            sum += lane[l];
        total = sum;
    }
    for (; i < n; i++)
        total += IS_TRUE(x[i]);
    return total;
}
_Static_assert(TNI_LEAF / LANE_BYTES < 256, "the counts of a leaf fit a byte");
FOLD_READ_COLUMNS(wide_b8, tn_u8, tn_i64, PLUS, IS_TRUE)

static const tni_fold widening[] = {FOLD_ENTRY(wide_b8, add, b8, i64, tn_i64, NULL),
                                    FOLD_ENTRY(wide_i8, add, i8, i64, tn_i64, NULL),
                                    FOLD_ENTRY(wide_i16, add, i16, i64, tn_i64, NULL),
                                    FOLD_ENTRY(wide_i32, add, i32, i64, tn_i64, NULL),
                                    FOLD_ENTRY(wide_u8, add, u8, u64, tn_u64, NULL),
                                    FOLD_ENTRY(wide_u16, add, u16, u64, tn_u64, NULL),
                                    FOLD_ENTRY(wide_u32, add, u32, u64, tn_u64, NULL),
                                    {.op = -1}};

extern const tni_fold *const LEVEL(tni_folds)[];
const tni_fold *const LEVEL(tni_folds)[] = {folds_b8,  folds_i8,  folds_u8,   folds_i16, folds_u16,
                                            folds_i32, folds_u32, folds_i64,  folds_u64, folds_f32,
                                            folds_f64, folds_c64, folds_c128, widening,  NULL};
