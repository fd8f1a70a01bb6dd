/* Conversions from bool and the integers. */
#include "backend/host/loops/half_block.h"

#define D b8
#define A tn_u8
#define T tn_u8
#define TO_WORKING(x) x
#define PICK_B KEEP
#include "backend/host/loops/cast_stamp.h"

#define D i8
#define A tn_i8
#define T tn_i8
#define TO_WORKING(x) x
#define PICK_I KEEP
#include "backend/host/loops/cast_stamp.h"

#define D u8
#define A tn_u8
#define T tn_u8
#define TO_WORKING(x) x
#define PICK_I KEEP
#include "backend/host/loops/cast_stamp.h"

#define D i16
#define A tn_i16
#define T tn_i16
#define TO_WORKING(x) x
#define PICK_I KEEP
#include "backend/host/loops/cast_stamp.h"

#define D u16
#define A tn_u16
#define T tn_u16
#define TO_WORKING(x) x
#define PICK_I KEEP
#include "backend/host/loops/cast_stamp.h"

#define D i32
#define A tn_i32
#define T tn_i32
#define TO_WORKING(x) x
#define PICK_I KEEP
#include "backend/host/loops/cast_stamp.h"

#define D u32
#define A tn_u32
#define T tn_u32
#define TO_WORKING(x) x
#define PICK_I KEEP
#include "backend/host/loops/cast_stamp.h"

#define D i64
#define A tn_i64
#define T tn_i64
#define TO_WORKING(x) x
#define PICK_I KEEP
#include "backend/host/loops/cast_stamp.h"

#define D u64
#define A tn_u64
#define T tn_u64
#define TO_WORKING(x) x
#define PICK_I KEEP
#include "backend/host/loops/cast_stamp.h"
