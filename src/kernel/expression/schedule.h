/* Which nodes of a graph run together, for the shapes of one evaluation. */
#ifndef TNI_KERNEL_EXPRESSION_SCHEDULE_H
#define TNI_KERNEL_EXPRESSION_SCHEDULE_H

#include "core/array/array.h"
#include "kernel/expression/graph.h"

enum { TNI_SHAPES = 16 };

typedef struct tni_shape_entry {
    int ndim;
    int64_t shape[TN_MAX_NDIM];
} tni_shape_entry;

/* What an evaluation knows of a node. */
typedef struct tni_place {
    tn_array *array; /* an input's, or what was made for others to read; NULL: none */
    int16_t level;   /* groups run in this order */
    int16_t group;   /* -1: in none */
    int8_t shape;    /* an entry of `shapes`; -1: a scalar */
    bool is_needed;  /* an output or a store depends on it */
    bool is_kept;    /* others than its group read it, or it is an output */
    bool is_owned;   /* `array` is the evaluation's */
    tni_value value; /* its number in the call of `stamp` */
    int16_t stamp;   /* the call for which `value` is set; -1: none */
    int16_t readers; /* nodes that read it, and one more for an output (fold.c) */
    int16_t inside;  /* of those, the ones that enter a reduction */
    int16_t entered; /* one more than the group that took it as an input last; 0: none did */
    int16_t reached; /* one more than the value whose sources were found through it last */
    int16_t last;    /* the level of the last group or reduction that reads it */
} tni_place;

/* Nodes of one level and one shape: one call of the form. */
typedef struct tni_group {
    int16_t level, shape; /* of one that is folded: the reduction's level */
    int16_t steps;
    int16_t inputs, outputs; /* of its call, as far as is known */
    bool is_folded;          /* it enters the reduction that reads it */
} tni_group;

typedef struct tni_schedule {
    const tn_expression *expression;
    const tn_operand *operands;
    tn_stream *stream;
    tni_place *places;
    tni_group *groups; /* as many as there are nodes, at most */
    int group_count, shape_count, levels;
    int most_steps, most_inputs; /* of a group */
    /* Every node by itself, in the order of the graph: stored arrays overlap others. */
    bool is_in_order;
    int16_t last_store[TN_EXPRESSION_OPERANDS]; /* the node that stores last; -1: none */
    tni_shape_entry shapes[TNI_SHAPES];
} tni_schedule;

/* Fills in places and groups; `places` are zeroed, `operands` checked. */
tn_status tni_schedule_make(tni_schedule *s);

/* The node whose value a node's operand is: stores pass on what they store, unless each node runs
 * by itself. */
int tni_schedule_source(const tni_schedule *s, int node);

/* The array of a value that is in memory. */
const tn_array *tni_schedule_array(const tni_schedule *s, int node);

/* A TNI_NODE_SCALAR as its dtype is stored; and an array that is all of it. */
tn_status tni_schedule_scalar(unsigned char value[16], const tni_schedule *s, const tni_node *node);
tn_status tni_schedule_fill(tn_array *to, const tni_schedule *s, const tni_node *node);

/* The array of a value that is in memory, or of a TNI_NODE_SCALAR, which is made in no
 * dimension. */
tn_status tni_schedule_need_array(const tn_array **array, tni_schedule *s, int node);

#endif
