/* How many forks lie between the first process and this one. Queues, records and events of another
 * count belong to a parent process. */
#ifndef TNI_HOST_STREAM_FORKS_H
#define TNI_HOST_STREAM_FORKS_H

#include <tenorite/status.h>

unsigned tni_host_forks(void);
/* A child begins; queues.c calls this before another thread can be. */
void tni_host_forks_add(void);

#endif
