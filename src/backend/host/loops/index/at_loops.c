/* Loops of ufunc.at: every binary operation of the table on every dtype that is no half. */
#include "backend/host/loops/index/at_loops.h"
#include "backend/host/loops/entry.h"

#include <tenorite/dtype.h>

#define STAMP "backend/host/loops/index/at_stamp.h"
#include "backend/host/loops/each_dtype.h"

extern const tni_at_loop *const LEVEL(tni_at_loops)[];
const tni_at_loop *const LEVEL(tni_at_loops)[] = {
    [TN_B8] = loops_b8,     [TN_I8] = loops_i8,   [TN_U8] = loops_u8,   [TN_I16] = loops_i16,
    [TN_U16] = loops_u16,   [TN_I32] = loops_i32, [TN_U32] = loops_u32, [TN_I64] = loops_i64,
    [TN_U64] = loops_u64,   [TN_F32] = loops_f32, [TN_F64] = loops_f64, [TN_C64] = loops_c64,
    [TN_C128] = loops_c128,
};
