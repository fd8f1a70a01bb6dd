/* Loops of ufunc.at: every binary operation of the table on every dtype that is no half. */
#include "backend/host/at_loops.h"
#include "ops/scalar.h"
#include "ops/table.h"

#define KEEP(...) __VA_ARGS__
#define DROP(...)

#define D b8
#define T tn_u8
#define PICK_B KEEP
#include "backend/host/at_stamp.h"

#define D i8
#define T tn_i8
#define PICK_I KEEP
#include "backend/host/at_stamp.h"

#define D u8
#define T tn_u8
#define PICK_I KEEP
#include "backend/host/at_stamp.h"

#define D i16
#define T tn_i16
#define PICK_I KEEP
#include "backend/host/at_stamp.h"

#define D u16
#define T tn_u16
#define PICK_I KEEP
#include "backend/host/at_stamp.h"

#define D i32
#define T tn_i32
#define PICK_I KEEP
#include "backend/host/at_stamp.h"

#define D u32
#define T tn_u32
#define PICK_I KEEP
#include "backend/host/at_stamp.h"

#define D i64
#define T tn_i64
#define PICK_I KEEP
#include "backend/host/at_stamp.h"

#define D u64
#define T tn_u64
#define PICK_I KEEP
#include "backend/host/at_stamp.h"

#define D f32
#define T float
#define PICK_F KEEP
#include "backend/host/at_stamp.h"

#define D f64
#define T double
#define PICK_F KEEP
#define PICK_f64 KEEP
#include "backend/host/at_stamp.h"

#define D c64
#define T tn_c64
#define PICK_C KEEP
#define IS_COMPLEX
#include "backend/host/at_stamp.h"

#define D c128
#define T tn_c128
#define PICK_C KEEP
#define PICK_c128 KEEP
#define IS_COMPLEX
#include "backend/host/at_stamp.h"

static const tni_at_loop *const loops[TN_DTYPE_COUNT] = {
    [TN_B8] = loops_b8,     [TN_I8] = loops_i8,   [TN_U8] = loops_u8,   [TN_I16] = loops_i16,
    [TN_U16] = loops_u16,   [TN_I32] = loops_i32, [TN_U32] = loops_u32, [TN_I64] = loops_i64,
    [TN_U64] = loops_u64,   [TN_F32] = loops_f32, [TN_F64] = loops_f64, [TN_C64] = loops_c64,
    [TN_C128] = loops_c128,
};

tni_at_loop tni_at_loop_find(tn_op op, tn_dtype dtype) {
    return loops[dtype] ? loops[dtype][op] : NULL;
}
