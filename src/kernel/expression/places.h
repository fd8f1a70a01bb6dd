/* What an evaluation knows of each node of a graph, and of the groups that run together. */
#ifndef TNI_KERNEL_EXPRESSION_PLACES_H
#define TNI_KERNEL_EXPRESSION_PLACES_H

#include "core/array/array.h"
#include "kernel/expression/graph.h"

#include <tenorite/explain.h>

_Static_assert(TN_EXPRESSION_OPERANDS <= 64, "a bit for each operand");

enum { TNI_SHAPES = 16, TNI_ORDERS = 8, TNI_NEVER = INT16_MAX, TNI_HALVINGS = 9 };

/* How an array lies that an operation makes: C, F, or an entry of `orders` and TNI_LIES_OTHERWISE.
 */
enum { TNI_LIES_C, TNI_LIES_F, TNI_LIES_OTHERWISE };

typedef struct tni_shape_entry {
    int ndim;
    int64_t shape[TN_MAX_NDIM];
} tni_shape_entry;

/* What an evaluation knows of a node. */
typedef struct tni_place {
    tn_array *array; /* an input's, or what was made for others to read; NULL: none */
    tn_array *shown; /* of a view, or of what stands for one (pushed.c): how its array will lie, in
                        memory that is not its own */
    int16_t level;   /* of the group that it is in */
    int16_t group;   /* that computes it; -1: none does */
    int8_t shape;    /* an entry of `shapes`; -1: a scalar */
    int8_t lies;     /* how its array would lie if the node ran by itself */
    bool is_needed;  /* an output or a store depends on it */
    bool is_output;
    bool is_kept;    /* others than its group read it, or it is an output: it is in memory */
    bool is_owned;   /* `array` is the evaluation's */
    tni_value value; /* its number in the call of `stamp` */
    int16_t stamp;   /* the call for which `value` is set; -1: none */
    int16_t readers; /* nodes that read it, and one more for an output (fold.c) */
    int16_t inside;  /* of those, the ones that enter a reduction */
    int16_t entered; /* one more than the group that took it as an input last; 0: none did */
    int16_t reader;  /* the group that alone reads it; -1: none, -2: several (regroup.c) */
    int16_t last;    /* the place in `order` of the last group that reads it; TNI_NEVER: none is */
    int8_t halvings; /* of the room that its group may have (schedule.c) */
} tni_place;

/* Nodes of one shape: one call of the form. Or one reduction, and nodes that enter it; or a store
 * that others see. */
typedef struct tni_group {
    int16_t level, shape;
    int16_t steps;
    int16_t inputs, outputs; /* arrays of its call, as far as is known */
    int16_t scalars;
    int16_t halvings;     /* the most of its nodes */
    int16_t alone;        /* a reduction or a store, which is all of it; -1: none */
    int16_t floor;        /* the lowest level after the last store that others see */
    int16_t first, count; /* its nodes among `members`; of a reduction those that enter it */
    int16_t at;           /* its place in `order`; -1: none, it has no nodes */
    int16_t stores; /* the store, a group of its own, that it writes itself; -1: none. Of that group
                       the store, too */
} tni_group;

typedef struct tni_schedule {
    const tn_expression *expression;
    const tn_operand *operands;
    tn_stream *stream;
    tn_explanation *explanation; /* NULL: none is wanted */
    tn_explained_cost *cost;     /* the same; the cost of what was noted last is in noted_cost */
    tn_explained_cost noted_cost;
    tni_place *places;
    tni_group *groups; /* twice as many as there are nodes, at most */
    int16_t *members;  /* room for as many */
    int16_t *order;    /* of groups; room for as many */
    int group_count, shape_count, order_count, lies_count;
    int member_count;
    int floor;            /* the lowest level of the nodes that come next */
    uint64_t overlapping; /* operands that are stored to, and overlap others or themselves */
    int pushes;           /* how often views were pushed (pushed.c) */
    uint64_t cuts;        /* where it is cut for debugging (cuts.h); 0: nowhere */
    bool may_store_early; /* no reduction can refuse any more */
    bool has_begun;       /* a store may have been written */
    tni_asked *asked;     /* programs are asked for, and nothing runs; NULL: all runs */
    const int64_t *room;  /* as in tni_evaluation */
    bool lacks_room;
    int16_t last_store[TN_EXPRESSION_OPERANDS]; /* the node that stores last; -1: none */
    int16_t stored_by[TN_EXPRESSION_OPERANDS];  /* the group that stores; -1: none does */
    tni_shape_entry shapes[TNI_SHAPES];
    int8_t orders[TNI_ORDERS][TN_MAX_NDIM]; /* axes, slowest first */
} tni_schedule;

/* How much memory places, groups, members and order of a node take, which lie in this order. */
enum { TNI_SCHEDULE_BYTES = sizeof(tni_place) + 2 * (sizeof(tni_group) + 2 * sizeof(int16_t)) };

/* The node whose value a node's operand is: stores pass on what they store, unless each node runs
 * by itself. */
static inline int tni_place_source(const tni_schedule *s, int node) {
    const tni_node *nodes = s->expression->nodes;
    while (nodes[node].kind == TNI_NODE_STORE && !(s->overlapping >> nodes[node].place & 1))
        node = nodes[node].from[0];
    return node;
}

/* The node that makes what a node's operand is, which may be shown by views. */
static inline int tni_place_maker(const tni_schedule *s, int node) {
    const tni_node *nodes = s->expression->nodes;
    while (nodes[node].kind == TNI_NODE_VIEW)
        node = nodes[node].from[0];
    return node;
}

/* Nothing that an evaluation made stays. */
void tni_place_forget(tni_schedule *s);

/* The array of a value that is in memory. */
const tn_array *tni_place_array(const tni_schedule *s, int node);

/* Whether no two elements of an array lie at one place, as far as its strides tell. */
bool tni_place_is_spread(const tn_array *array);

/* How many elements a value has. */
int64_t tni_place_size(const tni_schedule *s, int node);

/* A node as a step, whose operands have their numbers. */
void tni_place_step(tni_expression_step *step, const tni_schedule *s, int n);

/* How many inputs a group's call has more with a node, which are marked as the group's if it takes
 * the node. */
typedef struct tni_input_counts {
    int arrays, scalars;
} tni_input_counts;
tni_input_counts tni_place_add_inputs(tni_schedule *s, int n, int group, bool takes);
/* Whether a group's call has room for a node; and the node as one of it. */
bool tni_place_has_room(tni_schedule *s, int n, int group);
void tni_place_join(tni_schedule *s, int n, int group);

/* A TNI_NODE_SCALAR as its dtype is stored; and an array that is all of it. */
tn_status tni_place_scalar(unsigned char value[16], const tni_schedule *s, const tni_node *node);
/* Whether it is the same in each evaluation. */
static inline bool tni_place_is_constant(const tni_schedule *s, const tni_node *node) {
    return s->expression->nodes[node->from[0]].kind == TNI_NODE_CONSTANT;
}
tn_status tni_place_fill(tn_array *to, const tni_schedule *s, const tni_node *node);

/* The array of a value that is in memory, or of a TNI_NODE_SCALAR, which is made in no
 * dimension. */
tn_status tni_place_need_array(const tn_array **array, tni_schedule *s, int node);

#endif
