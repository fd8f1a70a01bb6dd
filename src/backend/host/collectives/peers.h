/* Whether processes live (peers.c). */
#ifndef TNI_HOST_COLLECTIVES_PEERS_H
#define TNI_HOST_COLLECTIVES_PEERS_H

#include <stdbool.h>
#include <stdint.h>

/* When a process began; -1: it has ended, or its parent has not looked at its end yet. */
int64_t tni_process_started(int process);
/* Whether the process that began then lives. */
bool tni_process_lives(int process, int64_t started);

#endif
