/* Running what waits. */
#ifndef TNI_KERNEL_BACKLOG_RUN_H
#define TNI_KERNEL_BACKLOG_RUN_H

#include "kernel/backlog/backlog.h"

/* Runs the first `wanted` calls, with the lock held. What can't be made is lost. */
void tni_backlog_run(tni_backlog *backlog, int wanted, tni_look look);
/* Runs all calls. Where the program interrupts a wait and `may_stop` it, the failure of that; what
 * has not run goes on waiting. */
tn_status tni_backlog_try(tni_backlog *backlog, tni_look look, bool may_stop);

#endif
