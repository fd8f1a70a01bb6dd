/* The tables' enums for C files: tni_op_add, tni_dtype_f32 and so on.
 *
 * Decides: a spelling that macros can paste from a table's lower-case names; the values are those of
 * enum tn_op and enum tn_dtype. */
#ifndef TNI_OPS_TABLE_H
#define TNI_OPS_TABLE_H

#define OP(name, inputs, outputs, identity, rule, flags, doc) tni_op_##name,
enum tni_op_name {
#include "ops/ops.def"
    tni_op_count
};

#define DTYPE(suffix, storage, working, kind, bytes, character, name) tni_dtype_##suffix,
enum tni_dtype_name {
#include "ops/dtypes.def"
    tni_dtype_count
};

#endif
