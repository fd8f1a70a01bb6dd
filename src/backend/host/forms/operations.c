/* Steps as compiled loops.
 *
 * Arithmetic, comparisons and choices are a chain where each step alone reads what the one before
 * it made, at the place of its last step; bools are masks there. Chains that follow each other are
 * one operation, with what some of them make and others read in places of its own. */
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
    tni_value *to = o->to;
    o->count = of->count;
    o->link_count = o->from_count = 0;
    for (int k = 0; k < of->count; k++) {
        const tni_expression_step *step = &of->steps[k];
        tni_operation *made = &o->list[k];
        made->loop = find_loop(step, of->dtypes[value]);
        if (!made->loop && step->op != (int)TNI_OP_FOLD)
            TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "%s of %s has no loop on host",
                     tn_op_name((tn_op)step->op), tn_dtype_name((tn_dtype)step->dtype));
        made->chain = NULL;
        made->folds = 0;
        made->from = step->from;
        made->count = step->count;
        made->made = step->made;
        made->to = to;
        for (int j = 0; j < step->made; j++)
            *to++ = (tni_value)value++;
    }
    o->to_count = (int)(to - o->to);
    return TN_OK;
}

/* --- Chains --- */

/* What a step is in a chain of floats, of integers with and without a sign, and of masks; by the
 * operand that the chain is: the first or another. */
enum { FLOATS, INTEGERS, NATURALS };
typedef struct link_row {
    uint8_t ops[3][2], of_masks;
} link_row;
#define ROW(a, b, c, d, e, f, of_masks)                                                            \
    {                                                                                              \
        {{TNI_CHAIN_##a, TNI_CHAIN_##b},                                                           \
         {TNI_CHAIN_##c, TNI_CHAIN_##d},                                                           \
         {TNI_CHAIN_##e, TNI_CHAIN_##f}},                                                          \
            TNI_CHAIN_##of_masks                                                                   \
    }
static const link_row links[tni_op_count] = {
    [TN_OP_ADD] = ROW(ADD, ADD, ADD, ADD, ADD, ADD, NONE),
    [TN_OP_SUBTRACT] =
        ROW(SUBTRACT, SUBTRACT_FROM, SUBTRACT, SUBTRACT_FROM, SUBTRACT, SUBTRACT_FROM, NONE),
    [TN_OP_MULTIPLY] = ROW(MULTIPLY, MULTIPLY, MULTIPLY, MULTIPLY, MULTIPLY, MULTIPLY, NONE),
    [TN_OP_DIVIDE] = ROW(DIVIDE, DIVIDE_INTO, NONE, NONE, NONE, NONE, NONE),
    [TN_OP_SQUARE] = ROW(SQUARE, NONE, SQUARE, NONE, SQUARE, NONE, NONE),
    [TN_OP_NEGATIVE] = ROW(NEGATE, NONE, NEGATE, NONE, NEGATE, NONE, NONE),
    [TN_OP_ABSOLUTE] = ROW(ABSOLUTE, NONE, ABSOLUTE, NONE, NONE, NONE, NONE),
    [TN_OP_FABS] = ROW(ABSOLUTE, NONE, NONE, NONE, NONE, NONE, NONE),
    [TN_OP_SQRT] = ROW(SQRT, NONE, NONE, NONE, NONE, NONE, NONE),
    [TN_OP_RECIPROCAL] = ROW(RECIPROCAL, NONE, NONE, NONE, NONE, NONE, NONE),
    [TN_OP_MAXIMUM] = ROW(MAXIMUM, MAXIMUM_OF, MAXIMUM, MAXIMUM, MAXIMUM_U, MAXIMUM_U, NONE),
    [TN_OP_MINIMUM] = ROW(MINIMUM, MINIMUM_OF, MINIMUM, MINIMUM, MINIMUM_U, MINIMUM_U, NONE),
    [TN_OP_CLIP] = ROW(MAXIMUM_OF, MINIMUM_OF, MAXIMUM, MINIMUM, MAXIMUM_U, MINIMUM_U,
                       NONE), /* for its two limits */
    [TN_OP_LESS] = ROW(LESS, GREATER, LESS, GREATER, LESS_U, GREATER_U, NONE),
    [TN_OP_LESS_EQUAL] = ROW(LESS_EQUAL, GREATER_EQUAL, LESS_EQUAL, GREATER_EQUAL, LESS_EQUAL_U,
                             GREATER_EQUAL_U, NONE),
    [TN_OP_GREATER] = ROW(GREATER, LESS, GREATER, LESS, GREATER_U, LESS_U, NONE),
    [TN_OP_GREATER_EQUAL] = ROW(GREATER_EQUAL, LESS_EQUAL, GREATER_EQUAL, LESS_EQUAL,
                                GREATER_EQUAL_U, LESS_EQUAL_U, NONE),
    [TN_OP_EQUAL] = ROW(EQUAL, EQUAL, EQUAL, EQUAL, EQUAL, EQUAL, NONE),
    [TN_OP_NOT_EQUAL] = ROW(NOT_EQUAL, NOT_EQUAL, NOT_EQUAL, NOT_EQUAL, NOT_EQUAL, NOT_EQUAL, NONE),
    [TN_OP_WHERE] = ROW(SELECT, SELECT_OTHER, SELECT, SELECT_OTHER, SELECT, SELECT_OTHER, NONE),
    [TN_OP_LEFT_SHIFT] = ROW(NONE, NONE, LEFT_SHIFT, NONE, LEFT_SHIFT, NONE, NONE),
    [TN_OP_RIGHT_SHIFT] = ROW(NONE, NONE, RIGHT_SHIFT, NONE, RIGHT_SHIFT_U, NONE, NONE),
    [TN_OP_BITWISE_AND] = ROW(NONE, NONE, AND, AND, AND, AND, AND),
    [TN_OP_BITWISE_OR] = ROW(NONE, NONE, OR, OR, OR, OR, OR),
    [TN_OP_BITWISE_XOR] = ROW(NONE, NONE, XOR, XOR, XOR, XOR, XOR),
    [TN_OP_INVERT] = ROW(NONE, NONE, NOT, NONE, NOT, NONE, NOT),
    [TN_OP_LOGICAL_AND] = ROW(NONE, NONE, NONE, NONE, NONE, NONE, AND),
    [TN_OP_LOGICAL_OR] = ROW(NONE, NONE, NONE, NONE, NONE, NONE, OR),
    [TN_OP_LOGICAL_XOR] = ROW(NONE, NONE, NONE, NONE, NONE, NONE, XOR),
    [TN_OP_LOGICAL_NOT] = ROW(NONE, NONE, NONE, NONE, NONE, NONE, NOT),
};

static const uint8_t folds[tni_op_count] = {
    [TN_OP_ADD] = TNI_CHAIN_FOLD_ADD,         [TN_OP_MULTIPLY] = TNI_CHAIN_FOLD_MULTIPLY,
    [TN_OP_MAXIMUM] = TNI_CHAIN_FOLD_MAXIMUM, [TN_OP_MINIMUM] = TNI_CHAIN_FOLD_MINIMUM,
    [TN_OP_FMAX] = TNI_CHAIN_FOLD_FMAX,       [TN_OP_FMIN] = TNI_CHAIN_FOLD_FMIN,
};

uint8_t tni_operation_fold(tn_op op) {
    return (int)op < (int)tni_op_count ? folds[op] : 0;
}

/* Of which elements the chain is that a step is a link of, or NONE; which step it goes on from, or
 * NONE, and whether one goes on from it; how many steps read each value, how many of them are folds
 * that its chain does, and whether it is an output. */
enum { NONE = -1, SELF = -2 };
typedef struct chains {
    const tni_steps *of;
    const tni_join *how;
    int8_t types[TNI_EXPRESSION_STEPS];
    int8_t wanted[TNI_EXPRESSION_VALUES];
    int16_t before[TNI_EXPRESSION_STEPS];
    bool goes_on[TNI_EXPRESSION_STEPS];
    uint16_t readers[TNI_EXPRESSION_VALUES];
    uint8_t folds[TNI_EXPRESSION_VALUES];
    bool is_output[TNI_EXPRESSION_VALUES];
} chains;

static bool is_alike(const chains *c, int value, int other) {
    return !c->how->kinds || c->how->kinds[value] == c->how->kinds[other];
}

/* What a step does of running values; 0: it is no such fold. */
static uint8_t fold_of(const chains *c, const tni_expression_step *step) {
    return step->op == (int)TNI_OP_FOLD && c->how->folds ? c->how->folds[step->dtype] : 0;
}

/* Whether the chain that makes what a step folds does that, too. */
static bool is_within(const chains *c, int step) {
    return fold_of(c, &c->of->steps[step]) && c->folds[c->of->steps[step].from[0]] > 0;
}

/* TNI_CHAIN_F32 and so on, or NONE. */
static int type_of(int dtype) {
    switch (dtype) {
    case TN_F32: return TNI_CHAIN_F32;
    case TN_F64: return TNI_CHAIN_F64;
    case TN_I32:
    case TN_U32: return TNI_CHAIN_I32;
    case TN_I64:
    case TN_U64: return TNI_CHAIN_I64;
    default: return NONE;
    }
}

/* What a step does in its chain, by a row of its operation. */
static const uint8_t *ops_of(const tni_expression_step *step) {
    const int dtype = step->dtype;
    return links[step->op].ops[dtype == TN_U32 || dtype == TN_U64   ? NATURALS
                               : dtype == TN_I32 || dtype == TN_I64 ? INTEGERS
                                                                    : FLOATS];
}

/* Of bools, the chain in which all that read them are links, if they are masks; NONE: something
 * wants bytes, or choices alone, of arrays, which cost less by bytes. */
static void find_wanted(chains *c, const tni_operations *o) {
    enum { UNREAD = -2 };
    const tni_steps *of = c->of;
    memset(c->wanted, UNREAD, sizeof c->wanted);
    for (int k = of->count; k-- > 0;) {
        const tni_expression_step *step = &of->steps[k];
        const tni_value *from = step->from, made = o->list[k].to[0];
        int type = NONE;
        if (c->is_output[made]) c->wanted[made] = NONE;
        if (step->op == (int)TNI_OP_COPY)
            type = type_of(of->dtypes[made]);
        else if (step->op == (int)TN_OP_WHERE &&
                 (!c->is_output[made] || from[1] >= of->value || from[2] >= of->value))
            type = type_of(step->dtype);
        else if (step->op >= 0 && step->op < (int)tni_op_count && links[step->op].of_masks)
            type = c->wanted[made];
        for (int j = 0; j < step->count; j++)
            c->wanted[from[j]] =
                (int8_t)(c->wanted[from[j]] == UNREAD || c->wanted[from[j]] == type ? type : NONE);
    }
}

/* Whether a value is a mask in a chain, which is of elements of this type. */
static bool is_mask(const chains *c, const int16_t *maker, int value, int type) {
    return c->of->dtypes[value] == TN_B8 && maker[value] != NONE && c->types[maker[value]] == type;
}

/* The chain that a step may be a link of, or NONE (maker: which step makes a value, of those that
 * are links). */
static int find_type(const chains *c, const int16_t *maker, int k, int made) {
    const tni_expression_step *step = &c->of->steps[k];
    const tni_value *from = step->from;
    const bool is_copy = step->op == (int)TNI_OP_COPY, makes_bools = c->of->dtypes[made] == TN_B8;
    const bool reads_bools = step->dtype == TN_B8;
    const int type =
        makes_bools ? c->wanted[made] : type_of(is_copy ? c->of->dtypes[made] : step->dtype);
    if (type < 0 || (!is_copy && (step->op < 0 || step->op >= (int)tni_op_count))) return NONE;
    if (is_copy) return reads_bools && is_mask(c, maker, from[0], type) ? type : NONE;
    bool is_link =
        reads_bools ? links[step->op].of_masks : type_of(step->dtype) == type && ops_of(step)[0];
    for (int j = 0; j < step->count; j++)
        if (reads_bools || (step->op == (int)TN_OP_WHERE && j == 0))
            is_link &= is_mask(c, maker, from[j], type);
    if (step->count == 3) is_link &= from[1] != from[2] && from[0] != from[1] && from[0] != from[2];
    return is_link ? type : NONE;
}

/* Whether the value so far may be a step's operand j. */
static bool may_be(const tni_expression_step *step, int j) {
    if (step->op == (int)TN_OP_WHERE) return j > 0;
    if (step->op == (int)TN_OP_CLIP) return j == 0;
    return j == 0 || step->dtype == TN_B8 || ops_of(step)[1];
}

/* A step goes on from the one that makes what it alone reads. */
static void find_chains(chains *c, const tni_operations *o) {
    const tni_steps *of = c->of;
    int16_t maker[TNI_EXPRESSION_VALUES]; /* of a value, the step that is a link, or NONE */
    memset(maker, 0xff, sizeof maker);    /* NONE */
    memset(c->readers, 0, sizeof c->readers);
    memset(c->folds, 0, sizeof c->folds);
    memset(c->is_output, 0, sizeof c->is_output);
    for (int k = 0; k < of->output_count; k++)
        c->is_output[of->outputs[k]] = true;
    find_wanted(c, o);
    for (int k = 0; k < of->count; k++) {
        const tni_expression_step *step = &of->steps[k];
        const tni_value made = o->list[k].to[0];
        c->types[k] = (int8_t)find_type(c, maker, k, made);
        if (c->types[k] != NONE) maker[made] = (int16_t)k;
        for (int j = 0; j < step->count; j++)
            c->readers[step->from[j]] += j == 0 || step->from[j] != step->from[0];
        if (fold_of(c, step)) c->folds[step->from[0]] += maker[step->from[0]] != NONE;
    }
    for (int k = 0; k < of->count; k++) {
        const tni_expression_step *step = &of->steps[k];
        c->before[k] = NONE;
        c->goes_on[k] = false;
        for (int j = 0; c->types[k] != NONE && j < step->count && c->before[k] == NONE; j++) {
            const tni_value from = step->from[j];
            if (c->readers[from] == 1 && !c->is_output[from] && may_be(step, j) &&
                is_alike(c, from, *o->list[k].to) && maker[from] != NONE &&
                c->types[maker[from]] == c->types[k])
                c->before[k] = maker[from];
        }
        if (c->before[k] != NONE) c->goes_on[c->before[k]] = true;
    }
}

/* Several chains that are one operation, while its links are written. */
typedef struct writer {
    const chains *c;
    tni_operation_link *link;
    tni_value *from;
    uint16_t readers[TNI_EXPRESSION_VALUES]; /* of these chains, which have not read it yet */
    int8_t place[TNI_EXPRESSION_VALUES];     /* of a value that these chains make, else NONE */
    int at_hand;                             /* what the chain before has made, or NONE */
    bool is_taken[TNI_OPERATION_CHAINS];
} writer;

/* The steps of the chain that ends with `last`, the last one first. */
static int list_steps(int16_t *steps, const chains *c, int last) {
    int count = 0;
    for (int k = last; k != NONE; k = c->before[k])
        steps[count++] = (int16_t)k;
    return count;
}

static void add_link(writer *w, int op, int place) {
    *w->link++ = (tni_operation_link){(uint8_t)op, (uint8_t)place};
}

/* A link with an operand (NONE: the value so far alone, SELF: the value so far), which is within
 * where these chains have made it. Bools from elsewhere become masks first. */
static void add_operand(writer *w, int op, int value) {
    const int place = value < 0 ? TNI_OPERATION_CHAINS : w->place[value];
    const bool is_here = op == TNI_CHAIN_BEGIN && value == w->at_hand;
    const bool is_outside = place == NONE && !is_here;
    if (value == SELF) add_link(w, TNI_CHAIN_STORE, place);
    if (is_outside && w->c->of->dtypes[value] == TN_B8) {
        add_link(w, TNI_CHAIN_EXPAND, TNI_IN_ARRAY);
        add_link(w, TNI_CHAIN_OTHER, TNI_OPERATION_CHAINS);
        add_link(w, op, TNI_OPERATION_CHAINS);
    } else if (!is_here) {
        add_link(w, op, is_outside ? TNI_IN_ARRAY : place);
    }
    if (is_outside)
        *w->from++ = (tni_value)value;
    else if (value >= 0 && place != NONE && --w->readers[value] == 0)
        w->is_taken[place] = false;
}

static void count_reader(writer *w, int op, int value) {
    (void)op;
    if (value >= 0) w->readers[value]++;
}

/* Keeps what a chain has made where others of these chains read it. */
static void add_place(writer *w, int value) {
    int place = 0;
    while (w->is_taken[place])
        place++;
    w->is_taken[place] = true;
    w->place[value] = (int8_t)place;
    add_link(w, TNI_CHAIN_STORE, place);
}

/* What the chain that ends with `last` begins with. */
static int begin_of(const chains *c, int last) {
    while (c->before[last] != NONE)
        last = c->before[last];
    return c->of->steps[last].from[c->of->steps[last].op == (int)TN_OP_WHERE];
}

/* What the links of a step do, of which the value so far is `made`. */
static void walk_step(writer *w, const tni_expression_step *step, int made,
                      void (*take)(writer *w, int op, int operand)) {
    const tni_value *from = step->from;
    if (step->op == (int)TNI_OP_COPY) {
        take(w, TNI_CHAIN_ONE, NONE);
        return;
    }
    const uint8_t masks[2] = {links[step->op].of_masks, links[step->op].of_masks};
    const uint8_t *ops = step->dtype == TN_B8 ? masks : ops_of(step);
    const int other = from[0] == made; /* of two operands */
    if (step->op == (int)TN_OP_WHERE) {
        take(w, ops[from[1] != made], from[0]);
        take(w, TNI_CHAIN_OTHER, from[from[1] == made ? 2 : 1]);
    } else if (step->op == (int)TN_OP_CLIP) {
        take(w, ops[0], from[1]);
        take(w, ops[1], from[2]);
    } else if (step->count == 1) {
        take(w, ops[0], NONE);
    } else if (from[0] == from[1] && ops[0] == TNI_CHAIN_MULTIPLY) {
        take(w, TNI_CHAIN_SQUARE, NONE);
    } else {
        take(w, ops[!other], from[0] == from[1] ? SELF : from[other]);
    }
}

/* What the links of a chain do, in their order. */
static void walk_chain(writer *w, const tni_operation *list, int last,
                       void (*take)(writer *w, int op, int operand)) {
    int16_t steps[TNI_EXPRESSION_STEPS];
    int count = list_steps(steps, w->c, last), made = begin_of(w->c, last);
    take(w, TNI_CHAIN_BEGIN, made);
    for (; count-- > 0; made = list[steps[count]].to[0])
        walk_step(w, &w->c->of->steps[steps[count]], made, take);
}

/* Folds of a value that its chain has made: steps, each with its result. */
static void add_folds(tni_operations *o, writer *w, tni_operation *made, int value) {
    const tni_steps *of = w->c->of;
    for (int k = 0, left = w->c->folds[value]; left > 0; k++) {
        if (of->steps[k].from[0] != value || !fold_of(w->c, &of->steps[k])) continue;
        add_link(w, fold_of(w->c, &of->steps[k]), TNI_IN_ARRAY);
        o->to[o->to_count++] = o->list[k].to[0];
        made->folds++;
        left--;
    }
}

/* What a chain has made becomes an array: stored, or `last` is done with it. */
static void add_result(tni_operations *o, writer *w, int value, uint8_t last) {
    if (w->c->of->dtypes[value] == TN_B8) {
        add_link(w, TNI_CHAIN_STORE, TNI_OPERATION_CHAINS);
        add_link(w, TNI_CHAIN_NARROW, TNI_IN_ARRAY);
        add_link(w, TNI_CHAIN_OTHER, TNI_OPERATION_CHAINS);
    } else {
        add_link(w, last ? last : TNI_CHAIN_STORE, TNI_IN_ARRAY);
    }
    o->to[o->to_count++] = (tni_value)value;
}

/* One operation, list[0], of chains that end with ends[0 .. count - 1]. */
static void make_operation(tni_operations *o, const chains *c, const int16_t *ends, int count) {
    writer w = {.c = c, .link = &o->links[o->link_count], .from = &o->from[o->from_count]};
    const int first = o->to_count;
    tni_operation made = {.links = w.link, .from = w.from, .to = &o->to[first]};
    memset(w.place, 0xff, sizeof w.place); /* NONE */
    w.at_hand = NONE;
    for (int k = 0; k < count; k++)
        walk_chain(&w, o->list, ends[k], count_reader);
    for (int k = 0; k < count; k++) {
        const int value = o->list[ends[k]].to[0];
        const bool is_last = c->how->last && c->is_output[value];
        const bool is_begun = k + 1 < count && begin_of(c, ends[k + 1]) == value;
        const bool is_made =
            c->is_output[value] || c->readers[value] - c->folds[value] > w.readers[value];
        walk_chain(&w, o->list, ends[k], add_operand);
        if (w.readers[value] > is_begun) add_place(&w, value);
        w.at_hand = is_begun ? value : NONE;
        if (is_made) {
            add_result(o, &w, value, is_last ? c->how->last : 0);
            made.folds += is_last;
        }
        add_folds(o, &w, &made, value);
    }
    add_link(&w, TNI_CHAIN_END, 0);
    made.chain = tni_loops_level()->chains[c->types[ends[0]]];
    made.count = (int16_t)(w.from - made.from);
    made.made = (int16_t)(o->to_count - first);
    o->link_count += (int)(w.link - made.links);
    o->from_count += made.count;
    o->list[ends[count - 1]] = made;
}

/* Whether a step alone is a chain. */
static bool is_chain(const chains *c, const tni_operations *o, int step) {
    const tni_value made = o->list[step].to[0];
    return c->types[step] != NONE && (c->before[step] != NONE || c->folds[made] > 0 ||
                                      (c->is_output[made] && c->of->dtypes[made] != TN_B8 &&
                                       (c->how->streams || c->how->last)));
}

/* Whether the step is the end of a chain that may be one operation with that which ends before: no
 * step that has been done within a chain lies between them, for what it makes may be read. */
static bool is_like(const chains *c, const tni_operations *o, int before, int step) {
    if (c->types[step] == NONE || c->types[before] != c->types[step] ||
        !is_alike(c, *o->list[before].to, *o->list[step].to))
        return false;
    for (int k = before + 1; c->how->folds && k < step; k++)
        if (is_within(c, k)) return false;
    return true;
}

void tni_operations_join(tni_operations *o, const tni_steps *of, const tni_join *how) {
    chains c = {.of = of, .how = how};
    int16_t ends[TNI_EXPRESSION_STEPS];
    int kept = 0, count = 0;
    find_chains(&c, o);
    for (int k = 0; k < of->count; k++)
        if (!c.goes_on[k] && !is_within(&c, k)) ends[count++] = (int16_t)k;
    for (int k = 0, next; k < count; k = next) {
        next = k + 1;
        while (next < count && next - k < TNI_OPERATION_CHAINS &&
               is_like(&c, o, ends[next - 1], ends[next]))
            next++;
        if (next - k > 1 || is_chain(&c, o, ends[k])) make_operation(o, &c, &ends[k], next - k);
        ends[kept++] = ends[next - 1];
    }
    for (int k = 0; k < kept; k++)
        o->list[k] = o->list[ends[k]];
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
        int size = (int)tni_dtype_size((tn_dtype)of->dtypes[step->to[0]]);
        for (int pass = 0; pass < 2; pass++) {
            for (int made = 0; pass == 1 && made < step->made; made++)
                if (!placed[step->to[made]])
                    slots[step->to[made]] =
                        free_count ? free_slots[--free_count] : (uint16_t)count++;
            for (int j = 0; j < step->count; j++) {
                int from = step->from[j];
                bool fits = step->made == 1 && (step->count > 1 || step->chain) &&
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

/* Two links that are one: a product and the sum after it where that is there, and what is chosen
 * beside the value so far. */
static void join_links(tni_link *first, const tni_link *second) {
    const int op = first->code / TNI_CHAIN_KINDS, kind = second->code % TNI_CHAIN_KINDS;
    const int after = second->code / TNI_CHAIN_KINDS;
    if (op == TNI_CHAIN_SELECT || op == TNI_CHAIN_SELECT_OTHER)
        first->code = op * TNI_CHAIN_KINDS + kind;
    else if (after == TNI_CHAIN_ADD && op == TNI_CHAIN_SQUARE)
        first->code = TNI_CHAIN_SQUARE_ADD * TNI_CHAIN_KINDS + kind;
    else if (after == TNI_CHAIN_ADD &&
             first->code == TNI_CHAIN_MULTIPLY * TNI_CHAIN_KINDS + TNI_CHAIN_NUMBER)
        first->code = TNI_CHAIN_SCALE_ADD * TNI_CHAIN_KINDS + kind;
}

static void run_chain(const tni_operation *operation, char *const *at, const int64_t *by,
                      int64_t n) {
    _Alignas(64) char places[(TNI_OPERATION_CHAINS + 1) * TNI_CHAIN_PLACE_BYTES];
    tni_link made[TNI_OPERATION_LINKS];
    int count = 0, read = 0, stored = operation->count;
    for (; operation->links[count].op != TNI_CHAIN_END; count++) {
        const tni_operation_link *link = &operation->links[count];
        int op = link->op, kind = TNI_CHAIN_MEMORY, walks = 0;
        char *operand;
        if (link->place != TNI_IN_ARRAY) {
            operand = &places[link->place * TNI_CHAIN_PLACE_BYTES];
        } else {
            const int j = op < TNI_CHAIN_STORE ? read++ : stored++;
            operand = at[j];
            walks = -1;
            if (op < TNI_CHAIN_STORE && by[j] == 0) kind = TNI_CHAIN_NUMBER, walks = 0;
            if (op == TNI_CHAIN_STORE && by[j] == TNI_STREAMED) op = TNI_CHAIN_STREAM;
            if (op >= TNI_CHAIN_FOLD_ADD && by[j] != TNI_FOLDED) op = TNI_CHAIN_STORE;
        }
        made[count] = (tni_link){operand, op * TNI_CHAIN_KINDS + kind, walks};
        if (count > 0) join_links(&made[count - 1], &made[count]);
    }
    made[count] = (tni_link){NULL, TNI_CHAIN_END * TNI_CHAIN_KINDS, 0};
    operation->chain(made, n);
}

void tni_operation_run(const tni_operation *operation, char *const *at, const int64_t *by,
                       int64_t n) {
    if (operation->chain)
        run_chain(operation, at, by, n);
    else
        operation->loop(at, by, n);
}

void tni_operations_run(const tni_operations *o, char *const *values, const int64_t *strides,
                        int64_t n) {
    char *at[TNI_OPERATION_ARGUMENTS];
    int64_t by[TNI_OPERATION_ARGUMENTS];
    for (int k = 0; k < o->count; k++) {
        const tni_operation *step = &o->list[k];
        for (int j = 0; j < step->count; j++) {
            at[j] = values[step->from[j]];
            by[j] = strides[step->from[j]];
        }
        for (int j = 0; j < step->made; j++) {
            at[step->count + j] = values[step->to[j]];
            by[step->count + j] = strides[step->to[j]];
        }
        tni_operation_run(step, at, by, n);
    }
}
