/* The table of operations: arity, names, dtypes of loops.
 *
 * A body has a signature: one letter an argument, inputs first ("TTb": two of T give bool).
 * At first use the table is read once into `loops[op][T]` (the signature, 0 where there is no
 * body), `arguments[op][T]` (the dtypes that it says) and `chosen[op][promoted]` (the first T in
 * table order to which the promoted dtype casts safely).
 * Choosing a loop is then: promote the inputs, look up. */
#include "core/rules/op.h"

#include "core/array/array.h"
#include "ops/table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { REORDERABLE = TNI_OP_REORDERABLE, CHECK_NEGATIVE_POWER = TNI_OP_CHECK_NEGATIVE_POWER };
enum { CLASS_UFUNC, CLASS_FUNCTION, CLASS_HELPER };
typedef enum rule { SAME, INT_TO_F64, EXPONENT } rule;
typedef enum identity { NONE, ZERO, ONE, MINUS_ONE, FALSE_, TRUE_, NEG_INF } identity;
#define FALSE FALSE_
#define TRUE TRUE_

static const struct {
    const char *name, *doc;
    int8_t inputs, outputs, identity, rule, flags, class;
} facts[TN_OP_COUNT] = {
#define OP(name, inputs, outputs, identity, rule, flags, doc)                                      \
    {#name, doc, inputs, outputs, identity, rule, flags, CLASS_UFUNC},
#define FUNCTION(name, inputs, outputs, identity, rule, flags, doc)                                \
    {#name, doc, inputs, outputs, identity, rule, flags, CLASS_FUNCTION},
#define HELPER(name, inputs, outputs, identity, rule, flags, doc)                                  \
    {#name, doc, inputs, outputs, identity, rule, flags, CLASS_HELPER},
#include "ops/ops.def"
};

_Static_assert((int)tni_op_count == (int)TN_OP_COUNT, "operations.h is not of this table");

static const struct {
    const char *alias;
    int op;
} aliases[] = {
#define ALIAS(alias, name) {#alias, tni_op_##name},
#include "ops/ops.def"
};

static const struct {
    int16_t op;
    uint16_t dtypes;
    const char *signature;
} bodies[] = {
#define BODY(signature, name, K, body, second) {tni_op_##name, tni_dtypes_##K, signature},
#include "ops/ops.def"
};

static const struct {
    int16_t op;
    uint16_t dtypes;
    const char *message;
} refusals[] = {
#define REFUSE(name, K, message) {tni_op_##name, tni_dtypes_##K, message},
#include "ops/ops.def"
};

/* The loops of comparisons of i64 with u64. */
static const int16_t mixed_of[][2] = {
    {tni_op_greater, tni_op_greater_mixed}, {tni_op_greater_equal, tni_op_greater_equal_mixed},
    {tni_op_less, tni_op_less_mixed},       {tni_op_less_equal, tni_op_less_equal_mixed},
    {tni_op_equal, tni_op_equal_mixed},     {tni_op_not_equal, tni_op_not_equal_mixed},
};

#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

static const char *loops[TN_OP_COUNT][TN_DTYPE_COUNT];
static int8_t arguments[TN_OP_COUNT][TN_DTYPE_COUNT][TN_MAX_OPERANDS];
static int8_t chosen[TN_OP_COUNT][TN_DTYPE_COUNT]; /* TN_DTYPE_NONE: none */
static int16_t mixed[TN_OP_COUNT];                 /* TN_OP_NONE: not a comparison */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static tn_dtype first_loop(int op, tn_dtype promoted) {
    if (facts[op].rule == INT_TO_F64 && promoted < TN_F16) promoted = TN_F64;
    for (int k = 0; k < LENGTH(refusals); k++)
        if (refusals[k].op == op && refusals[k].dtypes >> promoted & 1) return TN_DTYPE_NONE;
    for (int dtype = 0; dtype < TN_DTYPE_COUNT; dtype++)
        if (loops[op][dtype] && tn_dtype_can_cast(promoted, dtype, TN_CASTING_SAFE)) return dtype;
    return TN_DTYPE_NONE;
}

/* Inputs such as int8 and uint8 promote to int16, yet each casts safely to float16: then that loop
 * is the first for both. Called where the promoted integer has no loop. */
static tn_dtype first_for_each(int op, int count, const tn_operand *inputs, tn_dtype promoted) {
    for (int dtype = TN_F16; dtype < TN_DTYPE_COUNT; dtype++) {
        bool fits = loops[op][dtype] && dtype != TN_BF16;
        for (int k = 0; k < count; k++) {
            const tn_array *array = inputs[k].array;
            tn_dtype is = array ? tn_array_dtype(array) : inputs[k].scalar.dtype;
            if (!array && inputs[k].scalar.weak) is = promoted;
            fits = fits && tn_dtype_can_cast(is, dtype, TN_CASTING_SAFE);
        }
        if (fits) return dtype;
    }
    return TN_DTYPE_NONE;
}

static tn_dtype argument_dtype(char letter, tn_dtype dtype) {
    switch (letter) {
    case 'T': return dtype;
    case 'b': return TN_B8;
    case 'r': return tn_dtype_real(dtype);
    case 'u': return TN_U8;
    case 'i': return TN_I32;
    case 'l': return TN_I64;
    default: return dtype == TN_I64 ? TN_U64 : TN_I64; /* x */
    }
}

static void read_table(void) {
    for (int k = 0; k < LENGTH(bodies); k++)
        for (int dtype = 0; dtype < TN_DTYPE_COUNT; dtype++)
            if (bodies[k].dtypes >> dtype & 1) loops[bodies[k].op][dtype] = bodies[k].signature;
    for (int op = 0; op < TN_OP_COUNT; op++) {
        mixed[op] = TN_OP_NONE;
        for (int dtype = 0; dtype < TN_DTYPE_COUNT; dtype++) {
            const char *signature = loops[op][dtype] ? loops[op][dtype] : "";
            for (int k = 0; signature[k]; k++)
                arguments[op][dtype][k] = (int8_t)argument_dtype(signature[k], dtype);
            chosen[op][dtype] = (int8_t)first_loop(op, dtype);
        }
    }
    for (int k = 0; k < LENGTH(mixed_of); k++)
        mixed[mixed_of[k][0]] = mixed_of[k][1];
}

static inline void ready(void) {
    static atomic_bool is_ready; /* a load, where pthread_once would be a call */
    if (__builtin_expect(atomic_load_explicit(&is_ready, memory_order_acquire), 1)) return;
    pthread_once(&once, read_table);
    atomic_store_explicit(&is_ready, true, memory_order_release);
}

/* --- Facts --- */

static bool is_valid(tn_op op) {
    return (unsigned)op < TN_OP_COUNT;
}

tn_op tn_op_find(const char *name) {
    if (!name) return TN_OP_NONE;
    for (int op = 0; op < TN_OP_COUNT; op++)
        if (!strcmp(facts[op].name, name)) return op;
    for (int k = 0; k < LENGTH(aliases); k++)
        if (!strcmp(aliases[k].alias, name)) return aliases[k].op;
    return TN_OP_NONE;
}

const char *tn_op_name(tn_op op) {
    return is_valid(op) ? facts[op].name : "none";
}

const char *tn_op_doc(tn_op op) {
    return is_valid(op) ? facts[op].doc : "";
}

int tn_op_inputs(tn_op op) {
    return is_valid(op) ? facts[op].inputs : 0;
}

int tn_op_outputs(tn_op op) {
    return is_valid(op) ? facts[op].outputs : 0;
}

bool tn_op_is_ufunc(tn_op op) {
    return is_valid(op) && facts[op].class == CLASS_UFUNC;
}

bool tni_op_has_methods(tn_op op) {
    return is_valid(op) && facts[op].class != CLASS_FUNCTION;
}

int tni_op_flags(tn_op op) {
    return is_valid(op) ? facts[op].flags : 0;
}

bool tn_op_identity(tn_op op, tn_scalar *identity) {
    if (!is_valid(op)) return false;
    switch (facts[op].identity) {
    case ZERO: *identity = tn_scalar_weak_int(0); return true;
    case ONE: *identity = tn_scalar_weak_int(1); return true;
    case MINUS_ONE: *identity = tn_scalar_weak_int(-1); return true;
    case FALSE_: *identity = tn_scalar_bool(false); return true;
    case TRUE_: *identity = tn_scalar_bool(true); return true;
    case NEG_INF: *identity = tn_scalar_weak_float(-__builtin_inf()); return true;
    default: return false;
    }
}

bool tni_op_has_loop(tn_op op, tn_dtype dtype) {
    ready();
    return is_valid(op) && (unsigned)dtype < TN_DTYPE_COUNT && loops[op][dtype];
}

const char *tn_op_types(tn_op op, int index) {
    static _Thread_local char text[TN_MAX_OPERANDS + 3];
    ready();
    if (!is_valid(op)) return NULL;
    for (int dtype = 0; dtype < TN_DTYPE_COUNT; dtype++) {
        const char *signature = loops[op][dtype];
        if (dtype == TN_F16 && mixed[op] != TN_OP_NONE && index < 2)
            return index ? "Ll->?" : "lL->?";
        if (dtype == TN_F16 && mixed[op] != TN_OP_NONE) index -= 2;
        if (!signature) continue;
        if (index-- > 0) continue;
        int at = 0;
        for (int k = 0; signature[k]; k++) {
            if (k == facts[op].inputs) {
                text[at++] = '-';
                text[at++] = '>';
            }
            text[at++] = tn_dtype_char(argument_dtype(signature[k], dtype));
        }
        text[at] = '\0';
        return text;
    }
    return NULL;
}

/* --- Promotion --- */

bool tni_op_is_comparison(tn_op op) {
    ready();
    return mixed[op] != TN_OP_NONE;
}

static tn_dtype promote_weak(tn_dtype strong, tn_kind weak) {
    tn_kind kind = tn_dtype_kind(strong);
    switch (weak) {
    case TN_KIND_COMPLEX:
        if (kind == TN_KIND_COMPLEX) return strong;
        return kind == TN_KIND_FLOAT && strong != TN_F64 ? TN_C64 : TN_C128;
    case TN_KIND_FLOAT: return kind >= TN_KIND_FLOAT ? strong : TN_F64;
    default: return kind == TN_KIND_BOOL ? TN_I64 : strong;
    }
}

static inline tn_dtype operand_dtype(const tn_operand *operand) {
    return operand->array ? tn_array_dtype(operand->array) : operand->scalar.dtype;
}

/* Promotion of three is not associative; NumPy goes from complex down to bool, so that int8, uint8
 * and float16 give float16. */
static tn_dtype promote_by_kind(int from, int to, const tn_operand *operands) {
    tn_dtype strong = TN_DTYPE_NONE;
    for (int kind = TN_KIND_COMPLEX; kind >= TN_KIND_BOOL; kind--)
        for (int k = from; k < to; k++) {
            tn_dtype is = operand_dtype(&operands[k]);
            bool weak = !operands[k].array && operands[k].scalar.weak;
            if (weak || (int)tn_dtype_kind(is) != kind) continue;
            strong = strong == TN_DTYPE_NONE ? is : tn_dtype_promote(strong, is);
        }
    return strong;
}

/* `from` inputs on, so that where() may skip its condition. */
static tn_dtype promote(int from, int to, const tn_operand *operands) {
    tn_dtype strong = TN_DTYPE_NONE, widest = TN_DTYPE_NONE;
    for (int k = from; k < to; k++) {
        tn_dtype is = operand_dtype(&operands[k]);
        tn_dtype *into = !operands[k].array && operands[k].scalar.weak ? &widest : &strong;
        *into = *into == TN_DTYPE_NONE || *into == is ? is : tn_dtype_promote(*into, is);
    }
    if (to - from > 2) strong = promote_by_kind(from, to, operands);
    if (strong == TN_DTYPE_NONE) return widest;
    return widest == TN_DTYPE_NONE ? strong : promote_weak(strong, tn_dtype_kind(widest));
}

static bool has_stored(int count, const tn_operand *operands) {
    for (int k = 0; k < count; k++)
        if (tn_dtype_is_stored(operand_dtype(&operands[k]))) return true;
    return false;
}

tn_status tn_result_type(tn_dtype *result, int count, const tn_operand *operands) {
    if (count < 1) TNI_FAIL(TN_ERROR_VALUE, "at least one array or dtype is required");
    *result = operand_dtype(&operands[0]);
    for (int k = 1; k < count; k++)
        if (has_stored(2, (const tn_operand[]){operands[0], operands[k]}) &&
            operand_dtype(&operands[k]) != *result)
            TNI_FAIL(TN_ERROR_TYPE, "dtypes %s and %s have no common one", tn_dtype_name(*result),
                     tn_dtype_name(operand_dtype(&operands[k])));
    if (!tn_dtype_is_stored(*result)) *result = promote(0, count, operands);
    return TN_OK;
}

/* --- Choosing --- */

void tni_op_choose_exact(tni_loop_choice *choice, tn_op op, tn_dtype dtype) {
    ready();
    choice->op = op;
    choice->dtype = dtype;
    memcpy(choice->arguments, arguments[op][dtype], sizeof choice->arguments);
}

static tn_status fail_no_loop(tn_op op, tn_dtype promoted) {
    for (int k = 0; k < LENGTH(refusals) && !tn_dtype_is_stored(promoted); k++)
        if (refusals[k].op == (int)op && refusals[k].dtypes >> promoted & 1)
            return tni_fail(TN_ERROR_TYPE, "%s", refusals[k].message);
    return tni_fail(
        TN_ERROR_TYPE,
        "ufunc '%s' not supported for the input types, and the inputs could not be safely "
        "coerced to any supported types according to the casting rule ''safe''",
        facts[op].name);
}

static bool is_integer(tn_dtype dtype) {
    return dtype >= TN_I8 && dtype <= TN_U64;
}

/* A Python number is compared as the array's dtype, as it is added to it. Yet a comparison never
 * fails for an integer out of range: such an integer counts as i64 or u64, and one beyond both as
 * the infinity of its sign. */
static tn_dtype comparison_dtype(const tn_operand *operand, tn_dtype promoted) {
    tn_dtype is = operand_dtype(operand);
    if (operand->array || !operand->scalar.weak) return is;
    if (!is_integer(is) || !is_integer(promoted)) return promoted;
    if (operand->scalar.huge) return TN_F64;
    int bits = 8 * (int)tn_dtype_size(promoted);
    if (is == TN_U64) return TN_U64;
    int64_t value = operand->scalar.value.i64;
    bool is_signed = tn_dtype_kind(promoted) == TN_KIND_SIGNED;
    int64_t top = is_signed || bits == 64 ? INT64_MAX : (INT64_C(1) << bits) - 1;
    if (is_signed && bits < 64) top = (INT64_C(1) << (bits - 1)) - 1;
    int64_t bottom = is_signed ? -top - 1 : 0;
    return value >= bottom && value <= top ? promoted : TN_I64;
}

static void choose_comparison(tni_loop_choice *choice, tn_op op, const tn_operand *inputs,
                              tn_dtype promoted) {
    tn_dtype a = comparison_dtype(&inputs[0], promoted), b = comparison_dtype(&inputs[1], promoted);
    tn_dtype both = tn_dtype_promote(a, b);
    if (both == TN_F64 && is_integer(a) && is_integer(b))
        tni_op_choose_exact(choice, mixed[op], a == TN_U64 ? TN_U64 : TN_I64);
    else
        tni_op_choose_exact(choice, op, chosen[op][both]);
}

/* dtype= names the output's dtype: T itself, or, where the output is not T, what it must be. Of
 * frexp, whose outputs have two dtypes, no loop matches. */
static tn_status choose_given(tni_loop_choice *choice, tn_op op, tn_dtype promoted,
                              tn_dtype dtype) {
    int inputs = facts[op].inputs;
    const char *signature = loops[op][dtype];
    bool is_one = !signature || facts[op].outputs < 2 || signature[inputs + 1] == 'T';
    if (is_one && signature && signature[inputs] == 'T') {
        tni_op_choose_exact(choice, op, dtype);
        return TN_OK;
    }
    for (int pass = 0; pass < 2 && is_one;
         pass++) /* the promoted dtype's own loop first, then any */
        for (int loop = 0; loop < TN_DTYPE_COUNT; loop++) {
            if (!loops[op][loop] || argument_dtype(loops[op][loop][inputs], loop) != dtype)
                continue;
            if (pass == 0 && loop != chosen[op][promoted]) continue;
            tni_op_choose_exact(choice, op, loop);
            return TN_OK;
        }
    return tni_fail(TN_ERROR_TYPE,
                    "No loop matching the specified signature and casting was found for ufunc %s",
                    facts[op].name);
}

static tn_status check_inputs(const tni_loop_choice *choice, tn_op op, const tn_operand *inputs,
                              tn_casting casting) {
    for (int k = 0; k < facts[op].inputs; k++) {
        tn_dtype from = operand_dtype(&inputs[k]), to = choice->arguments[k];
        if (from == to || (op == TN_OP_WHERE && k == 0)) continue;
        if (!inputs[k].array && inputs[k].scalar.weak && /* a weak scalar has only its kind */
            promote_weak(to, tn_dtype_kind(from)) == to)
            continue;
        if (!tn_dtype_can_cast(from, to, casting))
            TNI_FAIL(TN_ERROR_CASTING,
                     "Cannot cast ufunc '%s' input %d from dtype('%s') to dtype('%s') with casting "
                     "rule '%s'",
                     facts[op].name, k, tn_dtype_name(from), tn_dtype_name(to),
                     tn_casting_name(casting));
    }
    return TN_OK;
}

/* The usual call: of two operands one dtype, or a literal that takes the other's. The dtype of its
 * loop, TN_DTYPE_NONE for any other call. */
static inline tn_dtype usual_loop(tn_op op, const tn_operand *inputs) {
    const int count = facts[op].inputs;
    if (count > 2 || facts[op].rule == EXPONENT) return TN_DTYPE_NONE;
    const tn_array *first = inputs[0].array, *second = inputs[count - 1].array;
    if (!first && !second) return TN_DTYPE_NONE;
    const tn_dtype dtype = first ? first->dtype : second->dtype;
    if (tn_dtype_is_stored(dtype)) return TN_DTYPE_NONE;
    if (first && second) {
        if (first->dtype != second->dtype) return TN_DTYPE_NONE;
    } else {
        const tn_scalar *scalar = first ? &inputs[1].scalar : &inputs[0].scalar;
        const bool takes_it = dtype >= TN_F16 ? scalar->dtype <= TN_F64
                                              : scalar->dtype == TN_I64 && mixed[op] == TN_OP_NONE;
        if (scalar->huge ||
            (scalar->dtype != dtype && !(scalar->weak && takes_it && dtype != TN_B8)))
            return TN_DTYPE_NONE;
    }
    return chosen[op][dtype] == (int)dtype ? dtype : TN_DTYPE_NONE;
}

tn_status tni_op_choose(tni_loop_choice *choice, tn_op op, const tn_operand *inputs, tn_dtype dtype,
                        tn_casting casting) {
    ready();
    if (!is_valid(op)) TNI_FAIL(TN_ERROR_VALUE, "unknown operation %d", (int)op);
    if (dtype == TN_DTYPE_NONE && (dtype = usual_loop(op, inputs)) != TN_DTYPE_NONE) {
        tni_op_choose_exact(choice, op, dtype);
        return TN_OK;
    }
    if (tn_dtype_is_stored(dtype) || has_stored(facts[op].inputs, inputs))
        return fail_no_loop(op, TN_DTYPE_COUNT);
    int count = facts[op].rule == EXPONENT ? 1 : facts[op].inputs;
    tn_dtype promoted = promote(op == TN_OP_WHERE, count, inputs);
    if (dtype != TN_DTYPE_NONE) {
        TNI_TRY(choose_given(choice, op, promoted, dtype));
    } else if (mixed[op] != TN_OP_NONE && promoted <= TN_F64) {
        choose_comparison(choice, op, inputs, promoted);
    } else {
        tn_dtype loop = chosen[op][promoted];
        if (loop != TN_DTYPE_NONE && loop != promoted && is_integer(promoted) &&
            facts[op].rule == SAME && count > 1)
            loop = first_for_each(op, count, inputs, promoted);
        if (loop == TN_DTYPE_NONE) return fail_no_loop(op, promoted);
        tni_op_choose_exact(choice, op, loop);
    }
    if (facts[op].rule == EXPONENT) {
        tn_dtype exponent = operand_dtype(&inputs[1]);
        bool weak = !inputs[1].array && inputs[1].scalar.weak;
        if (!tn_dtype_can_cast(exponent, TN_I64, TN_CASTING_SAFE))
            return fail_no_loop(op, promoted);
        if (!weak && !tn_dtype_can_cast(exponent, TN_I32, TN_CASTING_SAFE))
            tni_op_choose_exact(choice, TN_OP_LDEXP_I64, choice->dtype);
    }
    return check_inputs(choice, op, inputs, casting);
}

tn_status tn_op_resolve(tn_dtype *loop, tn_op op, const tn_operand *inputs, tn_dtype dtype,
                        tn_casting casting) {
    tni_loop_choice choice;
    TNI_TRY(tni_op_choose(&choice, op, inputs, dtype, casting));
    for (int k = 0; k < facts[op].inputs + facts[op].outputs; k++)
        loop[k] = choice.arguments[k];
    return TN_OK;
}
