/* Steps as compiled loops. Sums, differences, products and quotients of floats are pairs where one
 * of two alone reads the other, and a square root may follow: one loop (loops/joined_loops.h). */
#include "backend/host/forms/operations.h"

#include "backend/host/loops/level.h"
#include "core/array/dtype.h"
#include "core/base/error.h"
#include "forms/fused_rows.h"

#include <string.h>

static tni_loop find_loop(const tni_expression_step *step, int made) {
    if (step->op == (int)TNI_OP_FOLD) return NULL;
    if (step->op == (int)TNI_OP_COPY) return tni_cast_find(step->dtype, made);
    return tni_loop_find(step->op, step->dtype);
}

tn_status tni_operations_find(tni_operations *o, const tni_steps *of) {
    int value = of->value;
    o->count = of->count;
    for (int k = 0; k < of->count; k++) {
        const tni_expression_step *step = &of->steps[k];
        tni_operation *made = &o->list[k];
        made->loop = find_loop(step, of->dtypes[value]);
        if (!made->loop && step->op != (int)TNI_OP_FOLD)
            TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "%s of %s has no loop on host",
                     tn_op_name((tn_op)step->op), tn_dtype_name((tn_dtype)step->dtype));
        made->ends = NULL;
        made->count = step->count;
        made->made = step->made;
        made->value = (tni_value)value;
        memcpy(made->from, step->from, sizeof made->from);
        value += step->made;
    }
    return TN_OK;
}

/* --- Pairs --- */

/* Which of the operations that have pairs a step is; -1: none. */
static int pair_op(const tni_expression_step *step) {
    if (step->dtype != TN_F32 && step->dtype != TN_F64) return -1;
    switch (step->op) {
    case TN_OP_ADD: return TNI_JOINED_ADD;
    case TN_OP_SUBTRACT: return TNI_JOINED_SUBTRACT;
    case TN_OP_MULTIPLY: return TNI_JOINED_MULTIPLY;
    case TN_OP_DIVIDE: return TNI_JOINED_DIVIDE;
    default: return -1;
    }
}

/* The operation that makes a value which one step alone reads; NULL: there is none. */
static tni_operation *find_maker(tni_operations *o, const uint16_t *readers, int reader,
                                 int value) {
    for (int k = 0; k < reader && readers[value] == 1; k++)
        if (o->list[k].value == value && o->list[k].made == 1) return &o->list[k];
    return NULL;
}

/* Makes of a step one operation with what it reads, on the given side. */
static bool join(tni_operations *o, const tni_steps *of, const bool *is_row,
                 const uint16_t *readers, int at, int side) {
    const tni_expression_step *step = &of->steps[at];
    tni_operation *both = &o->list[at];
    tni_operation *first = find_maker(o, readers, at, step->from[side]);
    int second_op = pair_op(step);
    if (!first || (is_row && is_row[first->value] != is_row[both->value])) return false;
    if (step->op == TN_OP_SQRT && first->ends) {
        memcpy(both->from, first->from, sizeof both->from);
        both->loop = first->ends[1];
    } else {
        int first_op = pair_op(&of->steps[first - o->list]);
        if (first_op < 0 || second_op < 0 || first->ends) return false;
        tni_value other = both->from[1 - side];
        memcpy(both->from, first->from, 2 * sizeof *both->from);
        both->from[2] = other;
        both->ends = tni_loops_level()->joined[step->dtype == TN_F64][first_op][second_op][side];
        both->loop = both->ends[0];
    }
    both->count = 3;
    first->made = 0;
    return true;
}

void tni_operations_join(tni_operations *o, const tni_steps *of, const bool *is_row) {
    uint16_t readers[TNI_EXPRESSION_VALUES] = {0};
    for (int k = 0; k < of->count; k++)
        for (int j = 0; j < of->steps[k].count; j++)
            readers[of->steps[k].from[j]]++;
    for (int k = 0; k < of->output_count; k++)
        readers[of->outputs[k]] = UINT16_MAX;
    for (int k = 0; k < of->count; k++)
        if (of->steps[k].count > 2 || !join(o, of, is_row, readers, k, 0))
            if (of->steps[k].count == 2) join(o, of, is_row, readers, k, 1);
    int kept = 0;
    for (int k = 0; k < of->count; k++)
        if (o->list[k].made > 0) o->list[kept++] = o->list[k];
    o->count = kept;
}

/* --- Slots --- */

void tni_operations_find_uses(int16_t *last_use, int value_count, const tni_operations *o) {
    for (int value = 0; value < value_count; value++)
        last_use[value] = -1;
    for (int k = 0; k < o->count; k++)
        for (int j = 0; j < o->list[k].count; j++)
            last_use[o->list[k].from[j]] = (int16_t)k;
}

static bool is_output(const tni_steps *of, int value) {
    for (int k = 0; k < of->output_count; k++)
        if (of->outputs[k] == value) return true;
    return false;
}

/* A slot that dies with an operation serves its result only where that makes one value of the same
 * size: loops allow that. Unary operations are left out, since mathematics copy theirs then. */
int tni_operations_choose_slots(uint16_t *slots, int count, int16_t *last_use,
                                const tni_operations *o, const tni_steps *of, const bool *placed) {
    uint16_t free_slots[TNI_EXPRESSION_VALUES];
    int free_count = 0;
    for (int k = 0; k < o->count; k++) {
        const tni_operation *step = &o->list[k];
        int value = step->value, size = (int)tni_dtype_size((tn_dtype)of->dtypes[value]);
        for (int pass = 0; pass < 2; pass++) {
            for (int made = 0; pass == 1 && made < step->made; made++)
                if (!placed[value + made])
                    slots[value + made] = free_count ? free_slots[--free_count] : (uint16_t)count++;
            for (int j = 0; j < step->count; j++) {
                int from = step->from[j];
                bool fits = step->made == 1 && step->count > 1 &&
                            (int)tni_dtype_size((tn_dtype)of->dtypes[from]) == size;
                bool dies =
                    last_use[from] == k && slots[from] != TNI_NO_SLOT && !is_output(of, from);
                if (!dies || fits != (pass == 0)) continue;
                free_slots[free_count++] = slots[from];
                last_use[from] = -1; /* once, for x * x */
            }
        }
    }
    return count;
}

/* --- Running --- */

void tni_operations_run(const tni_operations *o, char *const *values, const int64_t *strides,
                        int64_t n) {
    for (int k = 0; k < o->count; k++) {
        const tni_operation *step = &o->list[k];
        char *at[TNI_EXPRESSION_FROM + 2];
        int64_t by[TNI_EXPRESSION_FROM + 2];
        for (int j = 0; j < step->count; j++) {
            at[j] = values[step->from[j]];
            by[j] = strides[step->from[j]];
        }
        for (int j = 0; j < step->made; j++) {
            at[step->count + j] = values[step->value + j];
            by[step->count + j] = strides[step->value + j];
        }
        step->loop(at, by, n);
    }
}
