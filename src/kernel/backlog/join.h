/* Calls that join: tni_waiting_table.join_elementwise and join_reduce (core/base/waiting.h), with
 * the thread's backlog, in which no other thread's has an array of theirs. */
#ifndef TNI_KERNEL_BACKLOG_JOIN_H
#define TNI_KERNEL_BACKLOG_JOIN_H

#include "kernel/backlog/backlog.h"

/* Whether a call of these arrays (NULL: a scalar) may wait; on the host calls of fewer than `least`
 * elements may not, unless they name arrays of the thread's backlog. */
bool tni_join_may_wait(int count, const tn_array *const *arrays, const tn_stream *stream,
                       int64_t least);

bool tni_join_elementwise(tni_backlog *backlog, const tni_elementwise *call,
                          const tn_array *const *arrays, bool made, tn_stream *stream);
bool tni_join_reduce(tni_backlog *backlog, const tni_reduce_request *request,
                     const tn_array *output, tn_stream *stream);

#endif
