/* What event.c gives to other files. */
#ifndef TNI_EVENT_H
#define TNI_EVENT_H

#include <tenorite/linalg.h>

/* The backend's entry, which leaves failures of earlier calls to others. */
tn_status tni_event_is_done(tn_event *event, bool *done);
/* Waits until an event is done or has failed, and leaves the failure to whom it is for. */
void tni_event_drain(tn_event *event);

#endif
