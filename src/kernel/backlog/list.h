/* All backlogs, of threads that live and of those that ended. */
#ifndef TNI_KERNEL_BACKLOG_LIST_H
#define TNI_KERNEL_BACKLOG_LIST_H

#include "kernel/backlog/backlog.h"

/* The first of the list, which only grows at its head; NULL: there is none. */
tni_backlog *tni_backlogs_first(void);

/* A backlog that no thread has, which is used from now on; NULL: memory is out. */
tni_backlog *tni_backlogs_take(void);
/* A thread's backlog, with which no call waits, is another's to take. */
void tni_backlogs_give(tni_backlog *backlog);

#endif
