/* The kernels that programs use most.
 *
 * Decides: which operations, dtypes, layouts and shapes are worth compiling ahead, as rules, the
 * likeliest first. wheel_calls.c makes up the call that wants such a kernel.
 * Algorithm: the list is made once, from the rules; a kernel that two of them name stays once. */
#include "backend/cuda/precompile/wheel_kernels.h"

#include "backend/cuda/precompile/wheel_calls.h"
#include "core/rules/op.h"
#include "core/rules/reduce_table.h"

#include <pthread.h>
#include <string.h>

#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

enum { LIST_MAX = 4096, NAME_MAX = 80 };

static tni_usual list[LIST_MAX];
static char names[LIST_MAX][NAME_MAX];
static int list_length;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* --- Rules --- */

#define B8 (1 << TN_B8)
#define I32 (1 << TN_I32)
#define I64 (1 << TN_I64)
#define F16 (1 << TN_F16)
#define F32 (1 << TN_F32)
#define F64 (1 << TN_F64)
enum { COMMON = I64 | F32 | F64, ALL = B8 | I32 | F16 | COMMON };

static const tn_dtype dtypes[] = {TN_F32, TN_F64, TN_I64, TN_I32, TN_B8, TN_F16};

#define LAYOUT(name) (1 << TNI_##name)
enum {
    SCALARS = LAYOUT(SCALAR_SECOND),
    BROADCASTS =
        LAYOUT(SINGLE) | LAYOUT(ROW) | LAYOUT(COLUMN) | LAYOUT(SHORT_ROW) | LAYOUT(SHORT_COLUMN),
    TURNS = LAYOUT(TURNED) | LAYOUT(TURNED_FIRST),
    PARTS = LAYOUT(PART) | LAYOUT(PART_SCALAR),
    STEPS = LAYOUT(STEPPED) | LAYOUT(STEPPED_SCALAR),
    MOVED = LAYOUT(FLAT) | LAYOUT(SCALAR_FIRST) | LAYOUT(TURNED) | LAYOUT(STEPPED) |
            LAYOUT(TO_STEPPED) | LAYOUT(SCALAR_TO_STEPPED) | LAYOUT(PART) | LAYOUT(TO_PART) |
            LAYOUT(SCALAR_TO_PART) | LAYOUT(ODD_STEPPED) | LAYOUT(SCALAR_TO_ODD_STEPPED) |
            LAYOUT(ODD_PART) | LAYOUT(SCALAR_TO_ODD_PART),
    PARTS_OF_ALL = LAYOUT(ALL) | LAYOUT(ALL_OF_FEW),
    MAIN_SHAPES = PARTS_OF_ALL | LAYOUT(LONG_ROWS) | LAYOUT(LONG_COLUMNS),
    EVERY_SHAPE = LAYOUT(USUAL_SHAPES) - 1
};

/* The numbers of a rule's operations, reductions or scans, ended by NONE. */
enum { RULE_MAX = 8, NONE = -1000 };
typedef struct rule {
    int16_t ops[RULE_MAX];
    int dtypes, layouts;
} rule;

/* Beside these, every operation of the table on contiguous arrays, and on one and a scalar. */
static const rule elementwise_rules[] = {
    {{TN_OP_ADD, TN_OP_SUBTRACT, TN_OP_MULTIPLY, TN_OP_DIVIDE, NONE},
     COMMON,
     LAYOUT(SCALAR_FIRST) | LAYOUT(SHIFTED) | BROADCASTS | STEPS | PARTS | TURNS},
    {{TN_OP_MAXIMUM, TN_OP_MINIMUM, TN_OP_POWER, TN_OP_FLOOR_DIVIDE, TN_OP_REMAINDER, NONE},
     COMMON,
     LAYOUT(SCALAR_FIRST)},
    {{TN_OP_GREATER, TN_OP_LESS, TN_OP_EQUAL, NONE}, COMMON, LAYOUT(SINGLE)},
    {{TN_OP_WHERE, NONE},
     COMMON,
     LAYOUT(SCALAR_SECOND) | LAYOUT(SCALAR_THIRD) | LAYOUT(SCALARS_BEHIND_FIRST)},
    {{TN_OP_CLIP, NONE}, COMMON, LAYOUT(SCALARS_BEHIND_FIRST)},
    {{TN_OP_NAN_TO_NUM, NONE}, F32 | F64, LAYOUT(SCALARS_BEHIND_FIRST)},
    {{TN_OP_ISCLOSE, TN_OP_ISCLOSE_NAN, NONE}, F32 | F64, LAYOUT(SCALARS_BEHIND_SECOND)},
};

/* Integers that become floats, the first operand of a loop on f64; single ones beside double
 * ones. */
static const rule mixed_rules[] = {
    {{TN_OP_ADD, TN_OP_SUBTRACT, TN_OP_MULTIPLY, TN_OP_DIVIDE, TN_OP_POWER, NONE},
     I64 | F32,
     LAYOUT(FLAT)},
    {{TN_OP_ADD, TN_OP_SUBTRACT, TN_OP_MULTIPLY, TN_OP_DIVIDE, TN_OP_POWER, NONE}, I64, SCALARS},
};
static const rule stored_rules[] = {
    {{TN_OP_DIVIDE, TN_OP_SQRT, TN_OP_EXP, TN_OP_LOG, TN_OP_SIN, TN_OP_COS, NONE},
     I64 | I32,
     LAYOUT(FLAT)},
    {{TN_OP_ISCLOSE, TN_OP_ISCLOSE_NAN, NONE}, I64, LAYOUT(SCALARS_BEHIND_SECOND)},
};

static const rule reduce_rules[] = {
    {{TN_REDUCE_SUM, TN_REDUCE_MEAN, TN_REDUCE_MAX, TN_REDUCE_MIN, NONE}, COMMON, EVERY_SHAPE},
    {{TN_REDUCE_SUM, TN_REDUCE_ALL, TN_REDUCE_ANY, TN_REDUCE_COUNT_NONZERO, NONE}, B8, MAIN_SHAPES},
    {{TN_REDUCE_SUM, TN_REDUCE_MEAN, TN_REDUCE_MAX, TN_REDUCE_MIN, NONE}, I32 | F16, PARTS_OF_ALL},
};

/* Sums of absolute values and of squares; those of integers are f64. */
static const rule norm_rules[] = {
    {{TN_OP_ABSOLUTE, TN_OP_MULTIPLY, NONE}, F32 | F64, MAIN_SHAPES},
};
static const rule stored_norm_rules[] = {
    {{TN_OP_ABSOLUTE, TN_OP_MULTIPLY, NONE}, I64 | I32, PARTS_OF_ALL | LAYOUT(LONG_ROWS)},
};
static const rule dot_rules[] = {{{TN_OP_MULTIPLY, NONE}, COMMON | I32, MAIN_SHAPES}};

static const rule argreduce_rules[] = {
    {{TN_ARGMAX, TN_ARGMIN, NONE}, COMMON, MAIN_SHAPES | LAYOUT(SQUARE_ROWS) | LAYOUT(SMALL_ROWS)},
    {{TN_NANARGMAX, TN_NANARGMIN, NONE}, F32 | F64, MAIN_SHAPES},
};

static const rule scan_rules[] = {
    {{TN_SCAN_CUMSUM, NONE}, COMMON, EVERY_SHAPE & ~LAYOUT(TINY_ROWS)},
    {{TN_SCAN_CUMSUM, NONE}, B8 | I32, PARTS_OF_ALL},
    {{TN_SCAN_CUMPROD, NONE}, COMMON, PARTS_OF_ALL},
};

static const rule range_rules[] = {{{NONE + 1, NONE}, COMMON | I32, 1}, {{NONE + 1, NONE}, F64, 2}};

static const rule mask_rules[] = {
    {{NONE + 1, NONE}, B8, LAYOUT(MASK_COUNT) | LAYOUT(MASK_NONZERO) | LAYOUT(MASK_NONZERO_2D)},
    {{NONE + 1, NONE},
     B8 | F32 | F64,
     LAYOUT(MASK_READ) | LAYOUT(MASK_WRITE) | LAYOUT(MASK_WRITE_ONE) |
         LAYOUT(MASK_WRITE_UNCOUNTED)},
};

static const rule move_rules[] = {
    {{NONE + 1, NONE},
     B8 | F32 | F64,
     LAYOUT(MOVE_TAKE) | LAYOUT(MOVE_TAKE_ROWS) | LAYOUT(MOVE_TAKE_COLUMNS) | LAYOUT(MOVE_CHECK) |
         LAYOUT(MOVE_PUT) | LAYOUT(MOVE_PUT_FEW) | LAYOUT(MOVE_PUT_ONE) |
         LAYOUT(MOVE_PUT_ONE_ROWS)},
};

static const rule at_rules[] = {
    {{TN_OP_ADD, NONE}, COMMON | I32, 3},
    {{TN_OP_MAXIMUM, TN_OP_MINIMUM, NONE}, COMMON, 1},
};

static const rule join_rules[] = {{{NONE + 1, NONE}, B8 | F16 | F32 | F64, 3}};

static const rule matmul_rules[] = {{{NONE + 1, NONE}, I64 | I32, 1}};

static const rule sort_rules[] = {
    {{NONE + 1, NONE},
     COMMON,
     LAYOUT(SORT_LINE) | LAYOUT(SORT_ROWS) | LAYOUT(SORT_SMALL_ROWS) | LAYOUT(SORT_LINE_POSITIONS) |
         LAYOUT(SORT_SMALL_ROWS_POSITIONS) | LAYOUT(SORT_SEARCH)},
};

/* --- The list --- */

static bool is_listed(const char *name) {
    for (int k = 0; k < list_length; k++)
        if (strncmp(names[k], name, NAME_MAX - 1) == 0) return true;
    return false;
}

/* Adds the kernels of a call; a kernel's name has the digest of all that it depends on. */
static void add(tni_usual_kind kind, int layout, tn_dtype dtype, tn_dtype other, int op) {
    for (int number = 0; number < 3 && list_length < LIST_MAX; number++) {
        tni_usual usual = {(uint8_t)kind, (uint8_t)layout, (uint8_t)number,
                           (int8_t)dtype, (int8_t)other,   (int16_t)op};
        tni_source source = {0};
        tni_usual_write_call(&source, &usual);
        bool is_there = source.text && !source.has_failed;
        if (is_there && !is_listed(source.name)) {
            memcpy(names[list_length], source.name, NAME_MAX - 1);
            list[list_length++] = usual;
        }
        tni_source_deinit(&source);
        if (!is_there) return;
    }
}

/* Whether the operation has a loop for the dtype: division of integers, for one, has none. */
static bool has_loop(tni_usual_kind kind, int op, tn_dtype dtype) {
    bool is_op = kind == TNI_USUAL_ELEMENTWISE || kind == TNI_USUAL_STORED || kind == TNI_USUAL_AT;
    return !is_op || tni_op_has_loop((tn_op)op, dtype);
}

/* `stored`: the rule's dtypes are those of what is stored, and the loop's is f64. */
static void add_rule(tni_usual_kind kind, const rule *rule, bool stored) {
    for (int d = 0; d < LENGTH(dtypes); d++)
        for (const int16_t *op = rule->ops; rule->dtypes >> dtypes[d] & 1 && *op != NONE; op++)
            for (int layout = 0; rule->layouts >> layout; layout++)
                if (rule->layouts >> layout & 1 && has_loop(kind, *op, stored ? TN_F64 : dtypes[d]))
                    add(kind, layout, stored ? TN_F64 : dtypes[d], dtypes[d], *op);
}

static void add_rules(tni_usual_kind kind, const rule *rules, int count, bool stored) {
    for (int k = 0; k < count; k++)
        add_rule(kind, &rules[k], stored);
}

/* Whether a reduction has kernels of its own. Integers have no NaN, so skipping it changes
 * nothing. */
static bool has_own_kernel(tn_reduction reduction, tn_dtype dtype) {
    const tni_reduction_fact *fact = tni_reduction_get(reduction);
    return fact->statistic != TNI_STATISTIC_PTP && !(fact->flags & TNI_SKIPS_NAN && dtype < TN_F16);
}

static void add_operations(void) {
    for (int d = 0; d < LENGTH(dtypes); d++)
        for (int op = 0; op < TN_OP_COUNT; op++) {
            if (!tni_op_has_loop((tn_op)op, dtypes[d])) continue;
            add(TNI_USUAL_ELEMENTWISE, TNI_FLAT, dtypes[d], dtypes[d], op);
            if (tn_op_inputs((tn_op)op) == 2)
                add(TNI_USUAL_ELEMENTWISE, TNI_SCALAR_SECOND, dtypes[d], dtypes[d], op);
        }
}

static void add_copies(void) {
    for (int d = 0; d < LENGTH(dtypes); d++) {
        for (int layout = 0; MOVED >> layout; layout++)
            if (MOVED >> layout & 1) add(TNI_USUAL_COPY, layout, dtypes[d], dtypes[d], 0);
        for (int to = 0; to < LENGTH(dtypes); to++)
            add(TNI_USUAL_COPY, TNI_FLAT, dtypes[d], dtypes[to], 0);
    }
}

static void add_reductions(void) {
    add_rules(TNI_USUAL_REDUCE, reduce_rules, LENGTH(reduce_rules), false);
    for (int fold = 0; fold < TN_REDUCE_COUNT; fold++)
        for (int d = 0; d < LENGTH(dtypes); d++) {
            rule rule = {{(int16_t)fold, NONE}, 1 << dtypes[d] & COMMON, MAIN_SHAPES};
            if (has_own_kernel((tn_reduction)fold, dtypes[d]))
                add_rule(TNI_USUAL_REDUCE, &rule, false);
        }
}

static void make_list(void) {
    add_copies();
    add_operations();
    add_rules(TNI_USUAL_ELEMENTWISE, elementwise_rules, LENGTH(elementwise_rules), false);
    add_rules(TNI_USUAL_ELEMENTWISE, mixed_rules, LENGTH(mixed_rules), true);
    add_rules(TNI_USUAL_STORED, stored_rules, LENGTH(stored_rules), true);
    add_reductions();
    add_rules(TNI_USUAL_NORM, norm_rules, LENGTH(norm_rules), false);
    add_rules(TNI_USUAL_NORM, stored_norm_rules, LENGTH(stored_norm_rules), true);
    add_rules(TNI_USUAL_DOT, dot_rules, LENGTH(dot_rules), false);
    add_rules(TNI_USUAL_ARGREDUCE, argreduce_rules, LENGTH(argreduce_rules), false);
    add_rules(TNI_USUAL_SCAN, scan_rules, LENGTH(scan_rules), false);
    add_rules(TNI_USUAL_RANGE, range_rules, LENGTH(range_rules), false);
    add_rules(TNI_USUAL_MASK, mask_rules, LENGTH(mask_rules), false);
    add_rules(TNI_USUAL_MOVE, move_rules, LENGTH(move_rules), false);
    add_rules(TNI_USUAL_AT, at_rules, LENGTH(at_rules), false);
    add_rules(TNI_USUAL_JOIN, join_rules, LENGTH(join_rules), false);
    add_rules(TNI_USUAL_MATMUL, matmul_rules, LENGTH(matmul_rules), false);
    add_rules(TNI_USUAL_SORT, sort_rules, LENGTH(sort_rules), false);
}

int tni_usual_count(void) {
    pthread_once(&once, make_list);
    return list_length;
}

void tni_usual_write(tni_source *source, int number) {
    pthread_once(&once, make_list);
    tni_usual_write_call(source, &list[number]);
}
