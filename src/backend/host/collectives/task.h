/* Calls that are done together (task.c). */
#ifndef TNI_HOST_COLLECTIVES_TASK_H
#define TNI_HOST_COLLECTIVES_TASK_H

#include "backend/host/collectives/step.h"
#include "core/stream/stream.h"

/* Does calls together, or queues them: those of immediate streams here and now, the others on their
 * streams. `streams` has one for each call. The calls are copied. */
tn_status tni_task_launch(const tni_step *steps, tn_stream *const *streams, int count);

/* Waits until the calls that were queued for a communicator are done. */
void tni_task_drain(const tni_rank *rank);

#endif
