/* Building graphs: each call adds a node, and what it needs before it.
 *
 * Conversions are nodes too, so that every operand of an operation has the dtype that its loop
 * reads. The hash is kept while nodes are added, over all that tells one graph from another. */
#include "kernel/expression/graph.h"

#include "core/array/scalar.h"
#include "core/base/alloc.h"
#include "core/base/error.h"
#include "core/rules/op.h"
#include "core/rules/reduce_table.h"

#include <string.h>

enum { FIRST_CAPACITY = 32, MOST_NODES = 4096, CASTS_SEEN = 16 };

/* --- Life --- */

tn_status tn_expression_new(tn_expression **result) {
    size_t bytes = sizeof **result + FIRST_CAPACITY * sizeof(tni_node);
    tn_expression *made = tni_malloc(bytes);
    if (!made) return tni_fail_no_memory((int64_t)bytes);
    atomic_init(&made->references, 1);
    made->count = made->operand_count = made->given_count = 0;
    made->output_count = made->store_count = 0;
    made->last_scalar = 0;
    made->capacity = FIRST_CAPACITY;
    made->has_reductions = made->has_views = false;
    atomic_init(&made->is_prepared, false);
    made->hash = UINT64_C(0x9e3779b97f4a7c15);
    made->nodes = made->first_nodes;
    *result = made;
    return TN_OK;
}

tn_expression *tn_expression_retain(tn_expression *expression) {
    atomic_fetch_add_explicit(&expression->references, 1, memory_order_relaxed);
    return expression;
}

void tn_expression_release(tn_expression *expression) {
    if (!expression) return;
    if (atomic_fetch_sub_explicit(&expression->references, 1, memory_order_acq_rel) != 1) return;
    for (int n = 0; n < expression->count; n++)
        if (expression->nodes[n].kind == TNI_NODE_VIEW ||
            tni_node_is_derived(&expression->nodes[n]))
            tni_free(expression->nodes[n].of.view);
    if (expression->nodes != expression->first_nodes) tni_free(expression->nodes);
    tni_free(expression);
}

/* --- Nodes --- */

static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
    return hash ^ hash >> 32;
}

static uint64_t hash_view(uint64_t hash, const tni_view *view) {
    if (!view) return mix(hash, TNI_NODE_INPUT);
    hash = mix(hash, (uint64_t)view->kind | (uint64_t)(uint32_t)view->count << 32);
    for (int k = 0; k < view->count; k++) {
        const tn_index *item = &view->numbers[k];
        hash = mix(mix(hash, (uint64_t)item->start), (uint64_t)item->stop);
        hash = mix(mix(hash, (uint64_t)item->step), (uint64_t)item->kind |
                                                        (uint64_t)item->has_start << 8 |
                                                        (uint64_t)item->has_stop << 9);
    }
    return hash;
}

/* All that the node says, in three words and what is of its kind. */
static void hash_node(tn_expression *e, const tni_node *node) {
    uint64_t from = 0, hash = e->hash;
    memcpy(&from, node->from, sizeof node->from);
    hash = mix(hash, (uint64_t)node->kind | (uint64_t)(uint8_t)node->dtype << 8 |
                         (uint64_t)(uint8_t)node->loop << 16 | (uint64_t)node->is_weak << 24 |
                         (uint64_t)node->is_truth << 25 | (uint64_t)(uint16_t)node->op << 32 |
                         (uint64_t)(uint16_t)node->place << 48);
    hash = mix(hash, from);
    if (node->kind == TNI_NODE_CONSTANT || node->kind == TNI_NODE_SCALAR) {
        uint64_t words[2];
        memcpy(words, node->of.scalar.value.bytes, sizeof words);
        hash = mix(mix(hash, words[0]), words[1] ^ (uint64_t)node->of.scalar.huge << 63);
    } else if (node->kind == TNI_NODE_VIEW || tni_node_is_derived(node)) {
        hash = hash_view(hash, node->of.view);
    } else if (tni_node_is_computed(node)) {
        hash = mix(hash, (uint64_t)node->of.computed.is_copy |
                             (uint64_t)(uint16_t)node->of.computed.like << 1);
    } else if (node->kind == TNI_NODE_REDUCTION) {
        const tni_node_reduction *r = &node->of.reduction;
        uint64_t axes, correction;
        memcpy(&axes, r->axes, sizeof axes);
        memcpy(&correction, &r->correction, sizeof correction);
        hash = mix(mix(hash, axes), correction);
        hash = mix(hash, (uint64_t)(uint8_t)r->axis_count | (uint64_t)(uint8_t)r->dtype << 8 |
                             (uint64_t)r->keepdims << 16);
    }
    e->hash = hash;
}

static tn_status grow(tn_expression *e) {
    if (e->count >= MOST_NODES)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "an expression of more than %d values", MOST_NODES);
    bool is_first = e->nodes == e->first_nodes;
    size_t bytes = 2 * (size_t)e->capacity * sizeof *e->nodes;
    tni_node *nodes = tni_realloc(is_first ? NULL : e->nodes, bytes);
    if (!nodes) return tni_fail_no_memory((int64_t)bytes);
    if (is_first) memcpy(nodes, e->nodes, (size_t)e->count * sizeof *nodes);
    e->nodes = nodes;
    e->capacity *= 2;
    return TN_OK;
}

tn_status tni_graph_add(int *value, tn_expression *e, const tni_node *node) {
    if (e->count == e->capacity) TNI_TRY(grow(e));
    hash_node(e, node);
    *value = e->count;
    e->nodes[e->count++] = *node;
    return TN_OK;
}

tni_node tni_graph_begin(tni_node_kind kind, tn_dtype dtype) {
    tni_node node;
    memset(&node, 0, sizeof node);
    node.kind = (uint8_t)kind;
    node.dtype = (int8_t)dtype;
    return node;
}

tn_status tni_graph_check(const tn_expression *e, int value) {
    if (value >= 0 && value < e->count) return TN_OK;
    return tni_fail(TN_ERROR_VALUE, "%d is no value of the expression", value);
}

static tn_status check_dtype(tn_dtype dtype) {
    if (dtype >= 0 && dtype < TN_DTYPE_COUNT) return TN_OK;
    return tni_fail(TN_ERROR_VALUE, "invalid dtype %d", (int)dtype);
}

/* --- Operands and constants --- */

tn_status tni_graph_add_operand(int *value, tn_expression *e, tni_node *node) {
    if (e->operand_count == TN_EXPRESSION_OPERANDS)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "an expression of more than %d operands",
                 TN_EXPRESSION_OPERANDS);
    TNI_TRY(check_dtype((tn_dtype)node->dtype));
    node->place = (int16_t)e->operand_count;
    if (!tni_node_is_derived(node)) node->op = (int16_t)e->given_count;
    TNI_TRY(tni_graph_add(value, e, node));
    e->operands[e->operand_count++] = (int16_t)*value;
    e->given_count += !tni_node_is_derived(node);
    return TN_OK;
}

tn_status tn_expression_input(int *value, tn_expression *expression, tn_dtype dtype) {
    tni_node node = tni_graph_begin(TNI_NODE_INPUT, dtype);
    return tni_graph_add_operand(value, expression, &node);
}

tn_status tn_expression_parameter(int *value, tn_expression *expression, tn_dtype dtype,
                                  bool weak) {
    tni_node node = tni_graph_begin(TNI_NODE_PARAMETER, dtype);
    node.is_weak = weak;
    return tni_graph_add_operand(value, expression, &node);
}

tn_status tn_expression_constant(int *value, tn_expression *expression, tn_scalar scalar) {
    TNI_TRY(check_dtype(scalar.dtype));
    if (scalar.huge)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "an integer beyond 64 bits in an expression");
    tni_node node = tni_graph_begin(TNI_NODE_CONSTANT, scalar.dtype);
    node.is_weak = scalar.weak;
    node.of.scalar.dtype = scalar.dtype;
    node.of.scalar.weak = scalar.weak;
    size_t used =
        scalar.weak ? (scalar.dtype == TN_C128 ? 16 : 8) : (size_t)tn_dtype_size(scalar.dtype);
    memcpy(node.of.scalar.value.bytes, scalar.value.bytes, used);
    return tni_graph_add(value, expression, &node);
}

/* --- Operations --- */

tn_status tni_node_convert(void *to, tn_scalar scalar, const tni_node *node) {
    if (node->is_truth) scalar = tn_scalar_bool(scalar.value.u64 != 0);
    return tn_scalar_convert(to, scalar, (tn_dtype)node->dtype);
}

/* The node as the rules of dtypes see it. A parameter counts as one that fits any dtype; whether
 * its value does is seen when it is there. Made where it belongs: a copy would wait for what was
 * just written. */
static void set_operand(tn_operand *operand, const tni_node *node) {
    operand->array = NULL;
    if (node->kind == TNI_NODE_CONSTANT) {
        operand->scalar = node->of.scalar;
        return;
    }
    operand->scalar.dtype = (tn_dtype)node->dtype;
    operand->scalar.weak = node->is_weak;
    operand->scalar.huge = false;
    operand->scalar.value.c128[0] = operand->scalar.value.c128[1] = 0;
}

/* Whether a step reads both scalars as the same value. A constant's is known by its bytes. */
static bool is_same_scalar(const tn_expression *e, const tni_node *a, const tni_node *b) {
    if (a->dtype != b->dtype || a->is_truth != b->is_truth) return false;
    if (a->from[0] == b->from[0]) return true;
    return e->nodes[a->from[0]].kind == TNI_NODE_CONSTANT &&
           e->nodes[b->from[0]].kind == TNI_NODE_CONSTANT &&
           !memcmp(a->of.scalar.value.bytes, b->of.scalar.value.bytes,
                   sizeof a->of.scalar.value.bytes);
}

/* The scalar as a step reads it; a constant is converted once and for all. Each value is one node:
 * `place` of a scalar is one more than the scalar before it. */
static tn_status add_scalar(int *value, tn_expression *e, int from, tn_dtype dtype, bool truth) {
    tni_node node = tni_graph_begin(TNI_NODE_SCALAR, dtype);
    node.from[0] = (int16_t)from;
    node.is_truth = truth;
    if (e->nodes[from].kind == TNI_NODE_CONSTANT)
        TNI_TRY(tni_node_convert(node.of.scalar.value.bytes, e->nodes[from].of.scalar, &node));
    for (*value = e->last_scalar - 1; *value >= 0; *value = e->nodes[*value].place - 1)
        if (is_same_scalar(e, &e->nodes[*value], &node)) return TN_OK;
    node.place = (int16_t)e->last_scalar;
    TNI_TRY(tni_graph_add(value, e, &node));
    e->last_scalar = *value + 1;
    return TN_OK;
}

/* Whether the value is what an operand's array holds at that time. */
static bool is_in_memory(const tni_node *node) {
    return node->kind == TNI_NODE_INPUT || node->kind == TNI_NODE_STORE;
}

static tn_status add_conversion(int *value, tn_expression *e, int from, tn_dtype dtype,
                                bool is_copy) {
    tni_node node = tni_graph_begin(TNI_NODE_CAST, dtype);
    node.of.computed.is_copy = is_copy;
    node.loop = e->nodes[from].dtype;
    node.count = 1;
    node.from[0] = (int16_t)from;
    node.op = TNI_OP_COPY;
    return tni_graph_add(value, e, &node);
}

/* A conversion that was added a few nodes ago serves again: x * x in another dtype. One of an
 * array does not serve after a store, since operands may share memory. */
static tn_status add_cast(int *value, tn_expression *e, int from, tn_dtype dtype, bool is_copy) {
    *value = from;
    if (e->nodes[from].dtype == (int8_t)dtype) return TN_OK;
    for (int n = e->count - 1; n > from && n >= e->count - CASTS_SEEN; n--) {
        const tni_node *node = &e->nodes[n];
        if (node->kind == TNI_NODE_STORE && is_in_memory(&e->nodes[from])) break;
        if (node->kind != TNI_NODE_CAST || node->from[0] != from || node->dtype != (int8_t)dtype ||
            node->of.computed.is_copy != is_copy || node->of.computed.like)
            continue;
        *value = n;
        return TN_OK;
    }
    return add_conversion(value, e, from, dtype, is_copy);
}

static bool is_logical(tn_op op) {
    return op == TN_OP_LOGICAL_AND || op == TN_OP_LOGICAL_OR || op == TN_OP_LOGICAL_XOR;
}

/* An input of an operation in the dtype of its loop. */
static tn_status add_input(int *value, tn_expression *e, int from, tn_dtype dtype, bool truth) {
    if (!tni_node_is_scalar(&e->nodes[from])) return add_cast(value, e, from, dtype, false);
    return add_scalar(value, e, from, dtype, truth);
}

/* Whether an integer exponent is a constant that is not negative: there is nothing to look at. */
static bool is_known_exponent(const tni_node *node) {
    if (node->kind != TNI_NODE_CONSTANT) return false;
    int64_t value;
    if (tn_scalar_convert(&value, node->of.scalar, TN_I64)) return false;
    return value >= 0 && tn_dtype_kind(node->of.scalar.dtype) <= TN_KIND_UNSIGNED;
}

static tn_status choose(tni_loop_choice *choice, tn_expression *e, tn_op op, const int *inputs,
                        tn_dtype dtype, tn_casting casting) {
    int count = tn_op_inputs(op);
    tn_operand operands[TN_MAX_OPERANDS];
    bool has_array = false;
    for (int k = 0; k < count; k++) {
        TNI_TRY(tni_graph_check(e, inputs[k]));
        const tni_node *node = &e->nodes[inputs[k]];
        set_operand(&operands[k], node);
        has_array |= !tni_node_is_scalar(node);
    }
    if (!has_array)
        TNI_FAIL(TN_ERROR_VALUE, "%s of scalars alone in an expression", tn_op_name(op));
    TNI_TRY(tni_op_choose(choice, op, operands, dtype, casting));
    if (tni_op_flags(op) & TNI_OP_CHECK_NEGATIVE_POWER && choice->dtype < TN_F16 &&
        !is_known_exponent(&e->nodes[inputs[1]]))
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "%s of integers in an expression", tn_op_name(op));
    return TN_OK;
}

tn_status tn_expression_apply(int *values, tn_expression *expression, tn_op op, const int *inputs,
                              tn_dtype dtype, tn_casting casting) {
    tni_loop_choice choice;
    if (tn_op_inputs(op) == 0) TNI_FAIL(TN_ERROR_VALUE, "unknown operation %d", (int)op);
    if (tn_op_inputs(op) > TNI_EXPRESSION_FROM || tn_op_outputs(op) > 2)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "%s in an expression", tn_op_name(op));
    TNI_TRY(choose(&choice, expression, op, inputs, dtype, casting));
    return tni_expression_add(values, expression, op, &choice, inputs);
}

tn_status tni_expression_add(int *values, tn_expression *expression, tn_op op,
                             const tni_loop_choice *of, const int *inputs) {
    const tni_loop_choice choice = *of;
    int from[TN_MAX_OPERANDS], count = tn_op_inputs(op), outputs = tn_op_outputs(op);
    for (int k = 0; k < count; k++) {
        const tni_node *node = &expression->nodes[inputs[k]];
        bool truth = is_logical(op) && node->is_weak &&
                     tn_dtype_kind((tn_dtype)node->dtype) <= TN_KIND_UNSIGNED;
        TNI_TRY(add_input(&from[k], expression, inputs[k], choice.arguments[k], truth));
    }
    tni_node node = tni_graph_begin(TNI_NODE_OPERATION, choice.arguments[count]);
    node.loop = (int8_t)choice.dtype;
    node.count = (int8_t)count;
    node.op = (int16_t)choice.op;
    for (int k = 0; k < count; k++)
        node.from[k] = (int16_t)from[k];
    TNI_TRY(tni_graph_add(&values[0], expression, &node));
    if (outputs == 1) return TN_OK;
    node = tni_graph_begin(TNI_NODE_SECOND, choice.arguments[count + 1]);
    node.count = 1;
    node.from[0] = (int16_t)values[0];
    return tni_graph_add(&values[1], expression, &node);
}

static tn_status check_cast(const tn_expression *e, int from, tn_dtype dtype, tn_casting casting) {
    TNI_TRY(tni_graph_check(e, from));
    TNI_TRY(check_dtype(dtype));
    const tni_node *node = &e->nodes[from];
    if (tni_node_is_scalar(node))
        TNI_FAIL(TN_ERROR_VALUE, "a conversion of a scalar in an expression");
    if (!tn_dtype_can_cast((tn_dtype)node->dtype, dtype, casting))
        TNI_FAIL(TN_ERROR_CASTING,
                 "Cannot cast array data from dtype('%s') to dtype('%s') according to the rule "
                 "'%s'",
                 tn_dtype_name((tn_dtype)node->dtype), tn_dtype_name(dtype),
                 tn_casting_name(casting));
    return TN_OK;
}

static tn_status convert(int *value, tn_expression *e, int from, tn_dtype dtype, tn_casting casting,
                         bool is_copy) {
    TNI_TRY(check_cast(e, from, dtype, casting));
    const tni_node *node = &e->nodes[from];
    if (!is_in_memory(node) || node->dtype != (int8_t)dtype)
        return add_cast(value, e, from, dtype, is_copy);
    return add_conversion(value, e, from, dtype, is_copy);
}

tn_status tn_expression_cast(int *value, tn_expression *expression, int from, tn_dtype dtype,
                             tn_casting casting) {
    return convert(value, expression, from, dtype, casting, true);
}

tn_status tni_expression_convert(int *value, tn_expression *expression, int from, tn_dtype dtype,
                                 tn_casting casting) {
    return convert(value, expression, from, dtype, casting, false);
}

tn_status tn_expression_assign(int *value, tn_expression *expression, int to, int from,
                               tn_casting casting, bool takes) {
    TNI_TRY(tni_graph_check(expression, to));
    if (is_in_memory(&expression->nodes[to]) || tni_node_is_scalar(&expression->nodes[to]))
        TNI_FAIL(TN_ERROR_VALUE, "%d is not computed by the expression", to);
    const tn_dtype dtype = (tn_dtype)expression->nodes[to].dtype;
    TNI_TRY(check_cast(expression, from, dtype, casting));
    tni_node *node = &expression->nodes[from];
    *value = from;
    if (!takes || node->kind != TNI_NODE_OPERATION || node->dtype != (int8_t)dtype) {
        TNI_TRY(add_conversion(value, expression, from, dtype, true));
        node = &expression->nodes[*value];
    }
    node->of.computed.like = (int16_t)to;
    expression->hash = mix(expression->hash, (uint64_t)to);
    return TN_OK;
}

/* --- Reductions --- */

/* The dtype of a reduction's result, as tn_reduce() makes it. */
static tn_status find_reduced(tn_dtype *result, tn_reduction reduction, tn_dtype input,
                              tn_dtype dtype) {
    const tni_reduction_fact *fact = tni_reduction_get(reduction);
    switch (reduction) {
    case TN_REDUCE_SUM:
    case TN_REDUCE_PROD:
    case TN_REDUCE_MAX:
    case TN_REDUCE_MIN:
        return tni_reduce_dtype(result, fact->op, input, dtype, TN_DTYPE_NONE, "reduce");
    case TN_REDUCE_ALL:
    case TN_REDUCE_ANY: *result = TN_B8; return TN_OK;
    case TN_REDUCE_MEAN:
        *result = dtype != TN_DTYPE_NONE ? dtype : input < TN_F16 ? TN_F64 : input;
        return TN_OK;
    case TN_REDUCE_VAR:
    case TN_REDUCE_STD:
        if (dtype != TN_DTYPE_NONE) break;
        *result = input < TN_F16 ? TN_F64 : tn_dtype_real(input);
        return TN_OK;
    default: break;
    }
    return tni_fail(TN_ERROR_NOT_IMPLEMENTED, "%s in an expression", tn_reduction_name(reduction));
}

tn_status tn_expression_reduce(int *value, tn_expression *expression, tn_reduction reduction,
                               int from, const tn_reduce_options *options) {
    static const tn_reduce_options defaults = TN_REDUCE_DEFAULTS;
    if (!options) options = &defaults;
    TNI_TRY(tni_graph_check(expression, from));
    if (tni_node_is_scalar(&expression->nodes[from]))
        TNI_FAIL(TN_ERROR_VALUE, "a reduction of a scalar in an expression");
    if (options->where || options->initial || options->without_identity ||
        options->axis_count > TN_EXPRESSION_AXES)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "options of %s in an expression",
                 tn_reduction_name(reduction));
    tn_dtype dtype;
    TNI_TRY(
        find_reduced(&dtype, reduction, (tn_dtype)expression->nodes[from].dtype, options->dtype));
    tni_node node = tni_graph_begin(TNI_NODE_REDUCTION, dtype);
    node.op = (int16_t)reduction;
    node.count = 1;
    node.from[0] = (int16_t)from;
    node.of.reduction.axis_count = (int8_t)options->axis_count;
    for (int k = 0; k < options->axis_count; k++) {
        if (options->axes[k] < -TN_MAX_NDIM || options->axes[k] >= TN_MAX_NDIM)
            TNI_FAIL(TN_ERROR_AXIS, "axis %d is out of bounds", options->axes[k]);
        node.of.reduction.axes[k] = (int8_t)options->axes[k];
    }
    node.of.reduction.dtype = (int8_t)options->dtype;
    node.of.reduction.keepdims = options->keepdims;
    node.of.reduction.correction = options->correction;
    TNI_TRY(tni_graph_add(value, expression, &node));
    expression->has_reductions = true;
    return TN_OK;
}

/* --- Stores and outputs --- */

tn_status tn_expression_store(int *value, tn_expression *expression, int to, int from,
                              tn_casting casting) {
    TNI_TRY(tni_graph_check(expression, to));
    TNI_TRY(tni_graph_check(expression, from));
    if (expression->nodes[to].kind != TNI_NODE_INPUT)
        TNI_FAIL(TN_ERROR_VALUE, "%d is no input of the expression", to);
    tn_dtype dtype = (tn_dtype)expression->nodes[to].dtype;
    int converted;
    if (tni_node_is_scalar(&expression->nodes[from]))
        TNI_TRY(add_scalar(&converted, expression, from, dtype, false));
    else
        TNI_TRY(tni_expression_convert(&converted, expression, from, dtype, casting));
    tni_node node = tni_graph_begin(TNI_NODE_STORE, dtype);
    node.count = 1;
    node.from[0] = (int16_t)converted;
    node.place = expression->nodes[to].place;
    TNI_TRY(tni_graph_add(value, expression, &node));
    expression->store_count++;
    return TN_OK;
}

tn_status tn_expression_hold(int *value, tn_expression *expression, int from) {
    TNI_TRY(tni_graph_check(expression, from));
    const tni_node *made = &expression->nodes[from];
    if (!tni_node_is_computed(made) && made->kind != TNI_NODE_REDUCTION)
        TNI_FAIL(TN_ERROR_VALUE, "%d is not computed by the expression", from);
    tni_node node = tni_graph_begin(TNI_NODE_INPUT, (tn_dtype)made->dtype);
    node.op = -1;
    node.from[0] = (int16_t)from;
    return tni_graph_add_operand(value, expression, &node);
}

tn_status tn_expression_output(tn_expression *expression, int value) {
    TNI_TRY(tni_graph_check(expression, value));
    const tni_node *node = &expression->nodes[value];
    bool is_memory = is_in_memory(node) &&
                     tni_node_is_derived(&expression->nodes[expression->operands[node->place]]);
    if (!is_memory && !tni_node_is_computed(node) && node->kind != TNI_NODE_REDUCTION &&
        node->kind != TNI_NODE_VIEW)
        TNI_FAIL(TN_ERROR_VALUE, "an output of an expression is what it computes");
    if (expression->output_count == TN_EXPRESSION_OUTPUTS)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "an expression of more than %d outputs",
                 TN_EXPRESSION_OUTPUTS);
    for (int k = 0; k < expression->output_count && !is_memory; k++)
        if (expression->outputs[k] == value && node->kind != TNI_NODE_VIEW) {
            TNI_TRY(add_conversion(&value, expression, value,
                                   (tn_dtype)expression->nodes[value].dtype, true));
            break;
        }
    expression->outputs[expression->output_count++] = (int16_t)value;
    expression->hash = mix(expression->hash, (uint64_t)value);
    return TN_OK;
}

/* --- Looking --- */

tn_dtype tn_expression_dtype(const tn_expression *expression, int value) {
    return value >= 0 && value < expression->count ? (tn_dtype)expression->nodes[value].dtype
                                                   : TN_DTYPE_NONE;
}

int tn_expression_operand_count(const tn_expression *expression) {
    return expression->given_count;
}

int tn_expression_output_count(const tn_expression *expression) {
    return expression->output_count;
}

uint64_t tn_expression_hash(const tn_expression *expression) {
    return expression->hash;
}
