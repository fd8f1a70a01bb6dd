/* Inner loops of sparse matrices, stamped by the type of indexes and by the type or the size of
 * values. Signed integers are computed as unsigned ones, which wrap. */
#include "backend/host/loops/sparse/sparse_loops.h"

#include "backend/host/loops/entry.h"

#include <string.h>

enum {
    TNI_SPARSE_SHORT = 24,
    TNI_SPARSE_WIDTH = 64,
    TNI_SPARSE_AHEAD = 6,
    TNI_SPARSE_LONG = 32,      /* a row whose sum has parts */
    TNI_SPARSE_STRETCH = 1024, /* elements of such a row that are summed together */
    TNI_SPARSE_FAR = 512       /* elements that memory takes about as long for as for one */
};

/* An element of a row that is sorted. */
typedef struct tni_sparse_item {
    int64_t index;
    int64_t place;
} tni_sparse_item;

/* A value of 16 bytes that is only moved. */
typedef struct tni_sparse_pair {
    uint64_t parts[2];
} tni_sparse_pair;

/* --- Indexes alone --- */

#define I int32_t
#define U uint32_t
#define N(name) name##_narrow
#include "backend/host/loops/sparse/index_stamp.h"
#define I int64_t
#define U uint64_t
#define N(name) name##_wide
#include "backend/host/loops/sparse/index_stamp.h"

/* --- Moves --- */

#define MASKED(value, has) ((V)((value) & (V) - (V)(has)))
#define NONE INT32_MAX
#define V uint8_t
#define I int32_t
#define N(name) name##_narrow_1
#include "backend/host/loops/sparse/move_stamp.h"
#define V uint16_t
#define I int32_t
#define N(name) name##_narrow_2
#include "backend/host/loops/sparse/move_stamp.h"
#define V uint32_t
#define I int32_t
#define N(name) name##_narrow_4
#include "backend/host/loops/sparse/move_stamp.h"
#define V uint64_t
#define I int32_t
#define N(name) name##_narrow_8
#include "backend/host/loops/sparse/move_stamp.h"
#undef NONE
#define NONE INT64_MAX
#define V uint8_t
#define I int64_t
#define N(name) name##_wide_1
#include "backend/host/loops/sparse/move_stamp.h"
#define V uint16_t
#define I int64_t
#define N(name) name##_wide_2
#include "backend/host/loops/sparse/move_stamp.h"
#define V uint32_t
#define I int64_t
#define N(name) name##_wide_4
#include "backend/host/loops/sparse/move_stamp.h"
#define V uint64_t
#define I int64_t
#define N(name) name##_wide_8
#include "backend/host/loops/sparse/move_stamp.h"
#undef NONE
#undef MASKED
static inline tni_sparse_pair tni_sparse_masked(tni_sparse_pair value, bool has) {
    const uint64_t mask = -(uint64_t)has;
    return (tni_sparse_pair){{value.parts[0] & mask, value.parts[1] & mask}};
}
#define MASKED(value, has) tni_sparse_masked(value, has)
#define NONE INT32_MAX
#define V tni_sparse_pair
#define I int32_t
#define N(name) name##_narrow_16
#include "backend/host/loops/sparse/move_stamp.h"
#undef NONE
#define NONE INT64_MAX
#define V tni_sparse_pair
#define I int64_t
#define N(name) name##_wide_16
#include "backend/host/loops/sparse/move_stamp.h"
#undef NONE
#undef MASKED

/* --- Values --- */

#define ADD(sum, a) ((sum) |= (a))
#define MULTIPLY_ADD(sum, a, b) ((sum) |= (tn_u8)((a) & (b)))
#define V tn_u8
#define STAMPED b8
#include "backend/host/loops/sparse/both_stamp.h"
#undef ADD
#undef MULTIPLY_ADD

#define ADD(sum, a) ((sum) = (V)((sum) + (a)))
#define MULTIPLY_ADD(sum, a, b) ((sum) = (V)((sum) + (uint32_t)(a) * (uint32_t)(b)))
#define V tn_u8
#define STAMPED u8
#include "backend/host/loops/sparse/both_stamp.h"
#define V tn_u16
#define STAMPED u16
#include "backend/host/loops/sparse/both_stamp.h"
#define V tn_u32
#define STAMPED u32
#include "backend/host/loops/sparse/both_stamp.h"
#undef MULTIPLY_ADD
#define MULTIPLY_ADD(sum, a, b) ((sum) += (a) * (b))
#define V tn_u64
#define STAMPED u64
#include "backend/host/loops/sparse/both_stamp.h"
#define V float
#define STAMPED f32
#include "backend/host/loops/sparse/both_stamp.h"
#define V double
#define STAMPED f64
#include "backend/host/loops/sparse/both_stamp.h"
#undef ADD
#undef MULTIPLY_ADD

#define ADD(sum, a) ((sum).re += (a).re, (sum).im += (a).im)
#define MULTIPLY_ADD(sum, a, b)                                                                    \
    ((sum).re += (a).re * (b).re - (a).im * (b).im, (sum).im += (a).re * (b).im + (a).im * (b).re)
#define V tn_c64
#define STAMPED c64
#include "backend/host/loops/sparse/both_stamp.h"
#define V tn_c128
#define STAMPED c128
#include "backend/host/loops/sparse/both_stamp.h"

enum { PARTS = 16 };
#define V float
#define N(name) name##_f32
#include "backend/host/loops/sparse/vector_stamp.h"
#define V double
#define N(name) name##_f64
#include "backend/host/loops/sparse/vector_stamp.h"

#define MOVES(width)                                                                               \
    {                                                                                              \
        &loops_##width##_1, &loops_##width##_2, &loops_##width##_4, &loops_##width##_8,            \
            &loops_##width##_16                                                                    \
    }
#define VALUES(name)                                                                               \
    { &loops_narrow_##name, &loops_wide_##name }
static const tni_sparse_value_loops *const values[tni_dtype_count][2] = {
    [TN_B8] = VALUES(b8),     [TN_I8] = VALUES(u8),   [TN_U8] = VALUES(u8),
    [TN_I16] = VALUES(u16),   [TN_U16] = VALUES(u16), [TN_I32] = VALUES(u32),
    [TN_U32] = VALUES(u32),   [TN_I64] = VALUES(u64), [TN_U64] = VALUES(u64),
    [TN_F32] = VALUES(f32),   [TN_F64] = VALUES(f64), [TN_C64] = VALUES(c64),
    [TN_C128] = VALUES(c128),
};
extern const tni_sparse_loops LEVEL(tni_sparse_loops);
const tni_sparse_loops LEVEL(tni_sparse_loops) = {{&loops_narrow, &loops_wide},
                                                  {MOVES(narrow), MOVES(wide)},
                                                  values,
                                                  {&vector_loops_f32, &vector_loops_f64}};
