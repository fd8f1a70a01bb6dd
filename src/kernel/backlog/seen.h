/* Which graphs have been seen, and whether their programs are there. */
#ifndef TNI_KERNEL_BACKLOG_SEEN_H
#define TNI_KERNEL_BACKLOG_SEEN_H

#include "core/stream/stream.h"
#include "kernel/expression/evaluate.h"

#include <tenorite/expression.h>

/* Of a graph, and of how its arrays lie: of all that a program and its time may depend on, but for
 * the values of scalars. Not 0. */
uint64_t tni_seen_hash(const tn_expression *expression, const tn_operand *operands,
                       tn_device device);

/* Whether a graph runs now. On a device that compiles it does when it was seen often enough and its
 * programs are there; they are begun to be compiled where they are not. A graph that was cut off by
 * chance does not count. `how` says how much room an evaluation has, and receives whether it lacks
 * some. */
bool tni_seen_is_ready(const tn_expression *expression, const tn_operand *operands,
                       tn_stream *stream, bool by_chance, tni_evaluation *how);

#endif
