/* Events as core asks about them. */
#ifndef TNI_EVENT_H
#define TNI_EVENT_H

#include <tenorite/device.h>

/* Whether an event is done; failures of earlier calls stay for the program's own questions. */
tn_status tni_event_is_done(tn_event *event, bool *done);
/* Waits until an event is done or has failed; the failure stays for the program. */
void tni_event_drain(tn_event *event);

#endif
