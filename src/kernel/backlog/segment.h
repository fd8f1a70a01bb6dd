/* A segment: calls that follow each other and run as one expression. */
#ifndef TNI_KERNEL_BACKLOG_SEGMENT_H
#define TNI_KERNEL_BACKLOG_SEGMENT_H

#include "kernel/backlog/backlog.h"
#include "kernel/backlog/faster.h"

/* Runs the longest segment of calls from `from` on, before `end`, that is worth a graph. `count`
 * receives how many calls it has, those that are not `needed` too, and `done` whether they have
 * run. Where they have not, the arrays are as before, and the calls run by themselves. `timed` ends
 * when they have. Returns whether the run was not interrupted. */
bool tni_segment_run(int *count, bool *done, tni_timed *timed, tni_backlog *backlog,
                     const bool *needed, int from, int end);

#endif
