/* Views of computed values as views of what these are computed of. */
#ifndef TNI_KERNEL_EXPRESSION_PUSHED_H
#define TNI_KERNEL_EXPRESSION_PUSHED_H

#include "kernel/expression/places.h"

enum {
    TNI_PUSHED_NODES = 128, /* more than a graph has, at most */
    TNI_PUSHED_MOST = 3     /* times that views are pushed of what views were pushed to */
};

/* A graph with other views: its operands are those of the first, and after them `made_count` that
 * are the graph's own. */
typedef struct tni_pushed {
    tn_expression *expression; /* NULL: no view is pushed */
    tn_operand operands[TN_EXPRESSION_OPERANDS];
    int made_count;
    int count;                         /* nodes that stand for views */
    int16_t nodes[TNI_PUSHED_NODES];   /* these */
    tn_array *shown[TNI_PUSHED_NODES]; /* how the views would lie */
} tni_pushed;

/* Of a schedule whose shapes are known (tni_schedule_look). What is made is released by
 * tni_pushed_close(), also after a failure. */
tn_status tni_pushed_open(tni_pushed *pushed, const tni_schedule *s);
void tni_pushed_close(tni_pushed *pushed);

#endif
