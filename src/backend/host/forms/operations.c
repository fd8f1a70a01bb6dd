/* Steps as compiled loops.
 *
 * Arithmetic of floats is a chain where each step alone reads what the one before it made, at the
 * place of its last step. Chains that follow each other are one operation, with what some of them
 * make and others read in places of its own. */
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

/* What a step is in a chain, by its operation and by the operand that the chain is. */
static const struct {
    bool is_link;
    uint8_t ops[2];
} links[tni_op_count] = {
    [TN_OP_ADD] = {true, {TNI_CHAIN_ADD, TNI_CHAIN_ADD}},
    [TN_OP_SUBTRACT] = {true, {TNI_CHAIN_SUBTRACT, TNI_CHAIN_SUBTRACT_FROM}},
    [TN_OP_MULTIPLY] = {true, {TNI_CHAIN_MULTIPLY, TNI_CHAIN_MULTIPLY}},
    [TN_OP_DIVIDE] = {true, {TNI_CHAIN_DIVIDE, TNI_CHAIN_DIVIDE_INTO}},
    [TN_OP_SQUARE] = {true, {TNI_CHAIN_MULTIPLY}},
    [TN_OP_SQRT] = {true, {TNI_CHAIN_SQRT}},
    [TN_OP_NEGATIVE] = {true, {TNI_CHAIN_NEGATE}},
    [TN_OP_ABSOLUTE] = {true, {TNI_CHAIN_ABSOLUTE}},
};

static bool is_link(const tni_expression_step *step) {
    return (step->dtype == TN_F32 || step->dtype == TN_F64) && step->op >= 0 &&
           step->op < (int)tni_op_count && links[step->op].is_link;
}

static const uint8_t folds[tni_op_count] = {
    [TN_OP_ADD] = TNI_CHAIN_FOLD_ADD,         [TN_OP_MULTIPLY] = TNI_CHAIN_FOLD_MULTIPLY,
    [TN_OP_MAXIMUM] = TNI_CHAIN_FOLD_MAXIMUM, [TN_OP_MINIMUM] = TNI_CHAIN_FOLD_MINIMUM,
    [TN_OP_FMAX] = TNI_CHAIN_FOLD_FMAX,       [TN_OP_FMIN] = TNI_CHAIN_FOLD_FMIN,
};

uint8_t tni_operation_fold(tn_op op) {
    return (int)op < (int)tni_op_count ? folds[op] : 0;
}

/* Which step of a chain each step goes on from, or NONE, and whether one goes on from it; how many
 * steps read each value, how many of them are folds that its chain does, and whether it is an
 * output. */
enum { NONE = -1 };
typedef struct chains {
    const tni_steps *of;
    const tni_join *how;
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

/* A step goes on from the one that makes what it alone reads. */
static void find_chains(chains *c, const tni_operations *o) {
    const tni_steps *of = c->of;
    int16_t maker[TNI_EXPRESSION_VALUES]; /* of a value, the step that is a link, or NONE */
    memset(maker, 0xff, sizeof maker);
    memset(c->readers, 0, sizeof c->readers);
    memset(c->folds, 0, sizeof c->folds);
    memset(c->is_output, 0, sizeof c->is_output);
    for (int k = 0; k < of->output_count; k++)
        c->is_output[of->outputs[k]] = true;
    for (int k = 0; k < of->count; k++) {
        const tni_expression_step *step = &of->steps[k];
        const tni_value made = o->list[k].to[0];
        if (is_link(step)) maker[made] = (int16_t)k;
        for (int j = 0; j < step->count; j++)
            c->readers[step->from[j]] += j == 0 || step->from[j] != step->from[0];
        if (fold_of(c, step)) c->folds[step->from[0]] += maker[step->from[0]] != NONE;
    }
    for (int k = 0; k < of->count; k++) {
        const tni_expression_step *step = &of->steps[k];
        c->before[k] = NONE;
        c->goes_on[k] = false;
        for (int j = 0; is_link(step) && j < step->count && c->before[k] == NONE; j++) {
            const tni_value from = step->from[j];
            if (c->readers[from] == 1 && !c->is_output[from] && is_alike(c, from, *o->list[k].to))
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

/* The value that a step reads beside what the chain has made, or NONE. */
static int other_value(const tni_expression_step *step, int made) {
    if (step->count == 1 || step->from[0] == step->from[1]) return NONE;
    return step->from[step->from[0] == made];
}

static void add_link(writer *w, int op, int kind, int place) {
    *w->link++ = (tni_operation_link){(uint8_t)(op * TNI_CHAIN_KINDS + kind), (uint8_t)place};
}

/* A link with an operand (NONE: the value so far), which is within where these chains have made
 * it. */
static void add_operand(writer *w, int op, int value) {
    const int place = value == NONE ? NONE : w->place[value];
    const bool is_here = op == TNI_CHAIN_BEGIN && value == w->at_hand;
    if (value == NONE)
        add_link(w, op, TNI_CHAIN_SELF, 0);
    else if (!is_here)
        add_link(w, op, place == NONE ? TNI_CHAIN_ARRAY : TNI_CHAIN_PLACE, place);
    if (place == NONE && value != NONE && !is_here)
        *w->from++ = (tni_value)value;
    else if (place != NONE && --w->readers[value] == 0)
        w->is_taken[place] = false;
}

static void count_reader(writer *w, int op, int value) {
    (void)op;
    if (value != NONE) w->readers[value]++;
}

/* Keeps what a chain has made where others of these chains read it. */
static void add_place(writer *w, int value) {
    int place = 0;
    while (w->is_taken[place])
        place++;
    w->is_taken[place] = true;
    w->place[value] = (int8_t)place;
    add_link(w, TNI_CHAIN_STORE, TNI_CHAIN_PLACE, place);
}

/* What the chain that ends with `last` begins with. */
static int begin_of(const chains *c, int last) {
    while (c->before[last] != NONE)
        last = c->before[last];
    return c->of->steps[last].from[0];
}

/* What the links of a chain do, in their order. */
static void walk_chain(writer *w, const tni_operation *list, int last,
                       void (*take)(writer *w, int op, int operand)) {
    int16_t steps[TNI_EXPRESSION_STEPS];
    const tni_expression_step *of = w->c->of->steps;
    int count = list_steps(steps, w->c, last), made = of[steps[count - 1]].from[0];
    take(w, TNI_CHAIN_BEGIN, made);
    for (; count-- > 0; made = list[steps[count]].to[0]) {
        const tni_expression_step *step = &of[steps[count]];
        const int other = other_value(step, made);
        take(w, links[step->op].ops[other != NONE && step->from[0] != made], other);
    }
}

/* Folds of a value that its chain has made: steps, each with its result. */
static void add_folds(tni_operations *o, writer *w, tni_operation *made, int value) {
    const tni_steps *of = w->c->of;
    for (int k = 0, left = w->c->folds[value]; left > 0; k++) {
        if (of->steps[k].from[0] != value || !fold_of(w->c, &of->steps[k])) continue;
        add_link(w, fold_of(w->c, &of->steps[k]), TNI_CHAIN_ARRAY, 0);
        o->to[o->to_count++] = o->list[k].to[0];
        made->folds++;
        left--;
    }
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
            add_link(&w, is_last ? c->how->last : TNI_CHAIN_STORE, TNI_CHAIN_ARRAY, 0);
            o->to[o->to_count++] = (tni_value)value;
            made.folds += is_last;
        }
        add_folds(o, &w, &made, value);
    }
    add_link(&w, TNI_CHAIN_END, TNI_CHAIN_ARRAY, 0);
    made.chain = tni_loops_level()->chains[c->of->steps[ends[0]].dtype == TN_F64];
    made.count = (int16_t)(w.from - made.from);
    made.made = (int16_t)(o->to_count - first);
    o->link_count += (int)(w.link - made.links);
    o->from_count += made.count;
    o->list[ends[count - 1]] = made;
}

/* Whether a step alone is a chain. */
static bool is_chain(const chains *c, const tni_operations *o, int step) {
    const tni_value made = o->list[step].to[0];
    return is_link(&c->of->steps[step]) &&
           (c->before[step] != NONE || c->folds[made] > 0 ||
            (c->is_output[made] && (c->how->streams || c->how->last)));
}

/* Whether the step is the end of a chain that may be one operation with that which ends before: no
 * step that has been done within a chain lies between them, for what it makes may be read. */
static bool is_like(const chains *c, const tni_operations *o, int before, int step) {
    const tni_expression_step *a = &c->of->steps[before], *b = &c->of->steps[step];
    if (!is_link(a) || !is_link(b) || a->dtype != b->dtype ||
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

/* A product and the sum after it are one link of two where that is there. */
static void join_links(tni_link *first, const tni_link *second) {
    const int op = first->code / TNI_CHAIN_KINDS, kind = first->code % TNI_CHAIN_KINDS;
    const bool is_square = kind == TNI_CHAIN_SELF, is_scale = kind == TNI_CHAIN_NUMBER;
    const int added = second->code - TNI_CHAIN_ADD * TNI_CHAIN_KINDS;
    if (op != TNI_CHAIN_MULTIPLY || added < 0 || added >= TNI_CHAIN_KINDS ||
        added == TNI_CHAIN_SELF || !(is_square || is_scale))
        return;
    first->code =
        (is_square ? TNI_CHAIN_SQUARE_ADD : TNI_CHAIN_SCALE_ADD) * TNI_CHAIN_KINDS + added;
}

static void run_chain(const tni_operation *operation, char *const *at, const int64_t *by,
                      int64_t n) {
    _Alignas(64) char places[TNI_OPERATION_CHAINS * TNI_CHAIN_PLACE_BYTES];
    tni_link made[TNI_OPERATION_LINKS];
    int count = 0, read = 0, stored = operation->count;
    for (;; count++) {
        const tni_operation_link *link = &operation->links[count];
        int op = link->code / TNI_CHAIN_KINDS, kind = link->code % TNI_CHAIN_KINDS;
        const int j = op >= TNI_CHAIN_STORE ? stored : read;
        char *operand = NULL;
        if (op == TNI_CHAIN_END) break;
        if (kind == TNI_CHAIN_PLACE) operand = &places[link->place * TNI_CHAIN_PLACE_BYTES];
        if (kind == TNI_CHAIN_ARRAY) {
            operand = at[j];
            if (op < TNI_CHAIN_STORE && by[j] == 0) kind = TNI_CHAIN_NUMBER;
            if (op == TNI_CHAIN_STORE && by[j] == TNI_STREAMED) op = TNI_CHAIN_STREAM;
            if (op > TNI_CHAIN_STREAM && by[j] != TNI_FOLDED) op = TNI_CHAIN_STORE;
            read += op < TNI_CHAIN_STORE;
            stored += op >= TNI_CHAIN_STORE;
        }
        made[count] = (tni_link){operand, op * TNI_CHAIN_KINDS + kind};
        if (count > 0) join_links(&made[count - 1], &made[count]);
    }
    made[count] = (tni_link){NULL, TNI_CHAIN_END * TNI_CHAIN_KINDS};
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
