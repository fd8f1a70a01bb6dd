/* How a file of loops makes them known: lists of entries, one list per dtype and level, NULL-ended.
 *
 * Invariant: TNI_ISA is in the name of every symbol that these files export, so that one process
 * holds all levels. */
#ifndef TNI_BACKEND_HOST_LOOPS_ENTRY_H
#define TNI_BACKEND_HOST_LOOPS_ENTRY_H

#include "backend/host/loops.h"
#include "ops/scalar.h"
#include "ops/table.h"

#ifndef TNI_ISA
#define TNI_ISA generic
#endif

#define LEVEL(name) TN_PASTE(TN_PASTE(name, _), TNI_ISA)

typedef struct tni_loop_entry {
    short op, dtype; /* of a conversion: from, to */
    tni_loop loop;
} tni_loop_entry;

/* Receives a loop that stands in for the one of this operation and dtype. */
typedef void (*tni_loop_setter)(int op, int dtype, tni_loop loop);

/* The types by suffix: tni_stored_f16 is tn_u16, tni_working_f16 is float. */
#define DTYPE(suffix, storage, working, kind, bytes, character, name)                              \
    typedef storage tni_stored_##suffix;                                                           \
    typedef working tni_working_##suffix;
#include "ops/dtypes.def"

/* PICK_<K>(text) is the text if the dtype D (a suffix) is of kind K or is K itself, else
 * nothing. */
#define PICK_B PICK(D, B)
#define PICK_I PICK(D, I)
#define PICK_F PICK(D, F)
#define PICK_C PICK(D, C)
#define PICK_i64 PICK(D, i64)
#define PICK_u64 PICK(D, u64)
#define PICK_f16 PICK(D, f16)
#define PICK_bf16 PICK(D, bf16)
#define PICK_f64 PICK(D, f64)
#define PICK_c128 PICK(D, c128)

#define KEEP(...) __VA_ARGS__
#define DROP(...)
#define PICK(dtype, kind) PICK_(dtype, kind)
#define PICK_(dtype, kind) SECOND_OF(IS_##dtype##_##kind, DROP, )
#define SECOND_OF(...) SECOND_OF_(__VA_ARGS__)
#define SECOND_OF_(first, second, ...) second
#define IS_b8_B , KEEP
#define IS_i8_I , KEEP
#define IS_u8_I , KEEP
#define IS_i16_I , KEEP
#define IS_u16_I , KEEP
#define IS_i32_I , KEEP
#define IS_u32_I , KEEP
#define IS_i64_I , KEEP
#define IS_u64_I , KEEP
#define IS_i64_i64 , KEEP
#define IS_u64_u64 , KEEP
#define IS_f16_F , KEEP
#define IS_bf16_F , KEEP
#define IS_f32_F , KEEP
#define IS_f64_F , KEEP
#define IS_f64_f64 , KEEP
#define IS_c64_C , KEEP
#define IS_c128_C , KEEP
#define IS_c128_c128 , KEEP

#endif
