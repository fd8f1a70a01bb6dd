/* The tables' enums for C files: tni_op_add, tni_inputs_add, tni_dtype_f32 and so on.
 *
 * Decides: a spelling that macros can paste from a table's lower-case names; the values are those
 * of enum tn_op and enum tn_dtype. */
#ifndef TNI_OPS_TABLE_H
#define TNI_OPS_TABLE_H

#define OP(name, inputs, outputs, identity, rule, flags, doc) tni_op_##name,
enum tni_op_name {
#include "ops/ops.def"
    tni_op_count
};

#define OP(name, inputs, outputs, identity, rule, flags, doc) tni_inputs_##name = inputs,
enum tni_op_inputs {
#include "ops/ops.def"
};

#define DTYPE(suffix, storage, working, kind, bytes, character, name) tni_dtype_##suffix,
enum tni_dtype_name {
#include "ops/dtypes.def"
    tni_dtype_count
};

/* Dtypes of a kind as a bit set; the suffix of one dtype is a kind of its own. */
enum tni_dtype_set {
    tni_dtypes_B = 1 << tni_dtype_b8,
    tni_dtypes_I = (1 << tni_dtype_f16) - (1 << tni_dtype_i8),
    tni_dtypes_F = (1 << tni_dtype_c64) - (1 << tni_dtype_f16),
    tni_dtypes_C = 1 << tni_dtype_c64 | 1 << tni_dtype_c128,
#define DTYPE(suffix, ...) tni_dtypes_##suffix = 1 << tni_dtype_##suffix,
#include "ops/dtypes.def"
};

#endif
