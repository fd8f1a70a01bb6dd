/* Running what waits. */
#ifndef TNI_KERNEL_BACKLOG_RUN_H
#define TNI_KERNEL_BACKLOG_RUN_H

#include "kernel/backlog/backlog.h"

/* Runs the first `count` calls, with the lock held. What can't be made is lost. */
void tni_backlog_run(tni_backlog *backlog, int count, tni_look look);

#endif
