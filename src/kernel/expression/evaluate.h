/* Evaluation, as those see it who want to know how it went. */
#ifndef TNI_KERNEL_EXPRESSION_EVALUATE_H
#define TNI_KERNEL_EXPRESSION_EVALUATE_H

#include <tenorite/explain.h>

/* tn_expression_evaluate(); notes its groups where `explanation` is not NULL. */
tn_status tni_expression_run(tn_array **outputs, const tn_expression *expression,
                             const tn_operand *operands, tn_stream *stream,
                             tn_explanation *explanation);

#endif
