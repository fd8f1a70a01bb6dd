/* Evaluation, and what is reported of it. */
#ifndef TNI_KERNEL_EXPRESSION_EVALUATE_H
#define TNI_KERNEL_EXPRESSION_EVALUATE_H

#include "forms/expression.h"

#include <tenorite/explain.h>

/* What an evaluation gets beside its operands, and gives beside its outputs. */
typedef struct tni_evaluation {
    tn_explanation *explanation; /* where its groups are noted; NULL: nowhere */
    tn_explained_cost *cost;     /* what it costs is added to it; NULL: to nothing */
    bool has_begun;              /* something was queued: stores may have been written */
    tni_asked *asked;            /* nothing is: programs are asked for; NULL: all is */
    const int64_t *room;         /* bytes, of all that is made between passes; NULL: any number */
    bool lacks_room;             /* it is more: TN_ERROR_NOT_IMPLEMENTED, and nothing has begun */
} tni_evaluation;

tn_status tni_expression_run(tn_array **outputs, const tn_expression *expression,
                             const tn_operand *operands, tn_stream *stream, tni_evaluation *how);

#endif
