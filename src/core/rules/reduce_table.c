/* The table of reductions, and the dtype in which an operation folds.
 *
 * NumPy's rules: the loop must give what it takes (T T -> T; comparisons and logical operations
 * only as bool bool -> bool); a dtype that the caller names is T; else a given output takes part in
 * the promotion; else sums and products of small integers are widened. */
#include "core/rules/reduce_table.h"

#include "core/rules/op.h"
#include "ops/table.h"

#include <string.h>

enum { SKIPS_NAN = TNI_SKIPS_NAN, COUNTS = TNI_COUNTS };

static const tni_reduction_fact reductions[] = {
#define REDUCTION(name, op, statistic, flags, doc)                                                 \
    {#name, doc, (tn_op)tni_op_##op, TNI_STATISTIC_##statistic, flags},
#include "ops/reduce.def"
};
static const tni_reduction_fact argreductions[] = {
#define ARGREDUCTION(name, op, flags, doc)                                                         \
    {#name, doc, (tn_op)tni_op_##op, TNI_STATISTIC_FOLD, flags},
#include "ops/reduce.def"
};
static const tni_reduction_fact scans[] = {
#define SCAN(name, op, flags, doc) {#name, doc, (tn_op)tni_op_##op, TNI_STATISTIC_FOLD, flags},
#include "ops/reduce.def"
};
_Static_assert(sizeof reductions / sizeof *reductions == TN_REDUCE_COUNT,
               "reduce.h is not of the table");
_Static_assert(sizeof argreductions / sizeof *argreductions == TN_ARGREDUCTION_COUNT,
               "reduce.h is not of the table");
_Static_assert(sizeof scans / sizeof *scans == TN_SCAN_COUNT, "reduce.h is not of the table");

static const tni_reduction_fact none = {"", "", TN_OP_NONE, TNI_STATISTIC_FOLD, 0};

const tni_reduction_fact *tni_reduction_get(tn_reduction reduction) {
    return (unsigned)reduction < TN_REDUCE_COUNT ? &reductions[reduction] : &none;
}
const tni_reduction_fact *tni_argreduction_get(tn_argreduction reduction) {
    return (unsigned)reduction < TN_ARGREDUCTION_COUNT ? &argreductions[reduction] : &none;
}
const tni_reduction_fact *tni_scan_get(tn_scan_kind scan) {
    return (unsigned)scan < TN_SCAN_COUNT ? &scans[scan] : &none;
}

const char *tn_reduction_name(tn_reduction reduction) {
    return tni_reduction_get(reduction)->name;
}
const char *tn_reduction_doc(tn_reduction reduction) {
    return tni_reduction_get(reduction)->doc;
}
const char *tn_argreduction_name(tn_argreduction reduction) {
    return tni_argreduction_get(reduction)->name;
}
const char *tn_argreduction_doc(tn_argreduction reduction) {
    return tni_argreduction_get(reduction)->doc;
}
const char *tn_scan_name(tn_scan_kind scan) {
    return tni_scan_get(scan)->name;
}
const char *tn_scan_doc(tn_scan_kind scan) {
    return tni_scan_get(scan)->doc;
}

/* --- Folds --- */

/* The listed operations as a bit set in words of 64. */
#define BIT(op, word) (tni_op_##op / 64 == word ? UINT64_C(1) << tni_op_##op % 64 : 0)
static const uint64_t trees[] = {
#define FOLD(op, K, form) BIT(op, 0) |
#include "ops/reduce.def"
    0,
#define FOLD(op, K, form) BIT(op, 1) |
#include "ops/reduce.def"
    0};
_Static_assert(TN_OP_COUNT <= 128, "the set has two words");

bool tni_op_is_ordered(tn_op op) {
    return !(trees[op / 64] >> op % 64 & 1);
}

tn_dtype tni_accumulator(tn_op op, tn_dtype loop) {
    return (loop == TN_F16 || loop == TN_BF16) && !tni_op_is_ordered(op) ? TN_F32 : loop;
}

static bool is_logical(tn_op op) {
    return op == TN_OP_LOGICAL_AND || op == TN_OP_LOGICAL_OR || op == TN_OP_LOGICAL_XOR;
}

static tn_dtype widen(tn_op op, tn_dtype dtype) {
    if (op != TN_OP_ADD && op != TN_OP_MULTIPLY) return dtype;
    switch (tn_dtype_kind(dtype)) {
    case TN_KIND_BOOL:
    case TN_KIND_SIGNED: return TN_I64;
    case TN_KIND_UNSIGNED: return TN_U64;
    default: return dtype;
    }
}

static tn_status check_operation(tn_op op, const char *method) {
    if (tn_op_inputs(op) != 2 || !tni_op_has_methods(op))
        TNI_FAIL(TN_ERROR_VALUE, "%s only supported for binary functions", method);
    if (tn_op_outputs(op) != 1)
        TNI_FAIL(TN_ERROR_VALUE, "%s only supported for functions returning a single value",
                 method);
    return TN_OK;
}

tn_status tni_reduce_dtype(tn_dtype *loop, tn_op op, tn_dtype input, tn_dtype dtype, tn_dtype out,
                           const char *method) {
    TNI_TRY(check_operation(op, method));
    if (dtype == TN_DTYPE_NONE && is_logical(op)) dtype = TN_B8;
    if (dtype == TN_DTYPE_NONE && out == TN_DTYPE_NONE) input = widen(op, input);
    bool is_truth = tni_op_has_loop(op, TN_B8) && dtype == TN_B8;
    if (is_truth) {
        *loop = TN_B8;
        return TN_OK;
    }
    tn_operand operands[2] = {{NULL, {out != TN_DTYPE_NONE ? out : input, false, false, {0}}},
                              {NULL, {input, false, false, {0}}}};
    tn_dtype chosen[TN_MAX_OPERANDS];
    TNI_TRY(tn_op_resolve(chosen, op, operands, dtype, TN_CASTING_UNSAFE));
    bool folds = chosen[0] == chosen[2] && chosen[1] == chosen[2];
    if (!folds && dtype == TN_DTYPE_NONE && input == TN_B8 && chosen[2] == TN_B8)
        chosen[2] = TN_B8; /* a comparison of truths, whatever it is written to */
    else if (!folds)
        TNI_FAIL(TN_ERROR_TYPE,
                 "No loop matching the specified signature and casting was found for ufunc %s",
                 tn_op_name(op));
    *loop = chosen[2];
    return TN_OK;
}

bool tni_op_identity_value(void *value, tn_op op, tn_dtype dtype) {
    tn_scalar identity;
    if (!tn_op_identity(op, &identity)) return false;
    if (identity.weak && identity.dtype == TN_I64 && identity.value.i64 < 0 && dtype <= TN_U64) {
        memset(value, dtype == TN_B8 ? 1 : 0xff, (size_t)tni_dtype_size(dtype)); /* -1: all bits */
        return true;
    }
    return tn_scalar_convert(value, identity, dtype) == TN_OK;
}
