/* Graphs of operations: what the public functions build, as evaluation reads it. */
#ifndef TNI_KERNEL_EXPRESSION_GRAPH_H
#define TNI_KERNEL_EXPRESSION_GRAPH_H

#include "core/rules/op.h"
#include "forms/expression.h"

#include <tenorite/expression.h>

#include <stdatomic.h>

typedef enum tni_node_kind {
    TNI_NODE_INPUT,
    TNI_NODE_CONSTANT,
    TNI_NODE_PARAMETER,
    TNI_NODE_SCALAR, /* a constant or parameter as a step reads it */
    TNI_NODE_OPERATION,
    TNI_NODE_SECOND, /* the second output of the operation before it */
    TNI_NODE_CAST,
    TNI_NODE_REDUCTION,
    TNI_NODE_STORE,
    TNI_NODE_VIEW /* shows what an operation or a reduction makes; not its own memory */
} tni_node_kind;

typedef struct tni_node_reduction {
    int8_t axis_count, axes[TN_EXPRESSION_AXES]; /* axis_count TN_AXES_ALL: every axis */
    int8_t dtype;
    bool keepdims;
    double correction;
} tni_node_reduction;

/* How a view shows an array. */
typedef struct tni_view {
    enum {
        TNI_VIEW_SLICE,
        TNI_VIEW_TRANSPOSE,
        TNI_VIEW_RESHAPE,
        TNI_VIEW_BROADCAST,
        TNI_VIEW_SQUEEZE,
        TNI_VIEW_REAL,
        TNI_VIEW_IMAGINARY,
        TNI_VIEW_LYING /* by strides, of an array that lies as is said (views.c) */
    } kind;
    int count;          /* -1: all axes, of which none is named */
    tn_index numbers[]; /* of anything but slices `start` alone: axes or sizes */
} tni_view;

typedef struct tni_node {
    uint8_t kind;
    int8_t dtype;
    bool is_weak;  /* of scalars */
    bool is_truth; /* a scalar that is read as its truth */
    int8_t loop;   /* the operation's T */
    int8_t count;
    int16_t op;    /* an operation, or a reduction of the table; of an input the given operand, -1:
                      an array that is made as one of `from`, or shows it */
    int16_t place; /* which operand; of a store: the one that is written */
    int16_t from[TNI_EXPRESSION_FROM];
    union {
        tn_scalar scalar;
        tni_node_reduction reduction;
        tni_view *view; /* of a TNI_NODE_VIEW; of an input what it shows of `from`, or NULL */
        struct {
            bool is_copy; /* of a TNI_NODE_CAST: it lies as tn_array_astype() makes it, in order K;
                             else a loop reads in another dtype what it converts */
            int16_t like; /* which value's place it takes, and lies as that; 0: none */
        } computed;       /* of what is computed */
    } of;
} tni_node;

struct tn_expression {
    atomic_int references;
    int count, capacity;
    int operand_count; /* with inputs that are views of others */
    int given_count;   /* without these */
    int output_count, store_count;
    int last_scalar;                /* one more than the TNI_NODE_SCALAR added last; 0: none */
    bool has_reductions, has_views; /* has_views: of what is computed */
    atomic_bool is_prepared;        /* its programs have been asked for (evaluate.c) */
    uint64_t hash;
    int16_t operands[TN_EXPRESSION_OPERANDS], outputs[TN_EXPRESSION_OUTPUTS];
    tni_node *nodes; /* first_nodes, or a larger block */
    tni_node first_nodes[];
};

/* Whether the node is a scalar of any kind. */
static inline bool tni_node_is_scalar(const tni_node *node) {
    return node->kind >= TNI_NODE_CONSTANT && node->kind <= TNI_NODE_SCALAR;
}

/* Whether an operation, a second output or a conversion. */
static inline bool tni_node_is_computed(const tni_node *node) {
    return node->kind >= TNI_NODE_OPERATION && node->kind <= TNI_NODE_CAST;
}

/* Whether an input is not given: it shows another one, or holds what is computed. */
static inline bool tni_node_is_derived(const tni_node *node) {
    return node->kind == TNI_NODE_INPUT && (node->of.view || node->op < 0);
}

/* Adds a node; *value is its number. */
tn_status tni_graph_add(int *value, tn_expression *e, const tni_node *node);
/* A node of which nothing but the kind and the dtype is said. */
tni_node tni_graph_begin(tni_node_kind kind, tn_dtype dtype);
tn_status tni_graph_check(const tn_expression *e, int value);
/* The next operand. */
tn_status tni_graph_add_operand(int *value, tn_expression *e, tni_node *node);

/* tn_expression_apply() with the loop that was chosen already, for values that fit it. At most
 * TNI_EXPRESSION_FROM inputs, one of them no scalar, and two outputs. */
tn_status tni_expression_add(int *values, tn_expression *expression, tn_op op,
                             const tni_loop_choice *choice, const int *inputs);

/* As tn_expression_cast(), of what is read, or stored, in another dtype: there is no copy whose
 * strides count. */
tn_status tni_expression_convert(int *value, tn_expression *expression, int from, tn_dtype dtype,
                                 tn_casting casting);

/* The scalar in the dtype, and with the meaning, that a TNI_NODE_SCALAR has. */
tn_status tni_node_convert(void *to, tn_scalar scalar, const tni_node *node);

#endif
