/* Waiting in slices, so that a program's hook can look at its signals. */
#ifndef TNI_WAIT_H
#define TNI_WAIT_H

#include <tenorite/device.h>

/* Calls `slice` with a part of the time until it answers anything but TN_TIMEOUT or `timeout_ns`
 * (negative: for ever) is over. Without a hook that is one call. */
tn_status tni_wait(tn_status (*slice)(const void *context, int64_t timeout_ns), const void *context,
                   int64_t timeout_ns);
/* The same for ever, and no hook can end it. */
void tni_wait_out(tn_status (*slice)(const void *context, int64_t timeout_ns), const void *context);
/* Looks again and again until something is done, or has failed: a synchronization would take the failure
 * from whom it is for, and an event can fail to be made. For what happens seldom. */
void tni_drain(bool (*is_done)(const void *context), const void *context);

#endif
