/* Records of events: flags that the host's queues raise and wait for (record.c). */
#ifndef TNI_HOST_RECORD_H
#define TNI_HOST_RECORD_H

#include "core/base/lock.h"

#include <tenorite/status.h>

/* A place in the list of what a record resumes; it lies with what waits. */
typedef struct tni_parked {
    struct tni_parked *next;
    void (*resume)(struct tni_parked *parked);
} tni_parked;

typedef struct tni_record {
    atomic_int references;
    atomic_int state; /* a futex word */
    unsigned forks;
    tni_lock lock; /* guards `parked` and the raising */
    tni_parked *parked;
    int64_t time_ns; /* at which it was raised */
} tni_record;

/* With `references` references; NULL: no memory. */
tni_record *tni_record_new(int references);
void tni_record_retain(tni_record *record);
/* NULL is allowed. */
void tni_record_release(tni_record *record);

/* Notes the time, wakes what sleeps and resumes what is parked. */
void tni_record_raise(tni_record *record);
/* NULL is raised. */
bool tni_record_is_raised(const tni_record *record);
/* Of a parent process, where its work stays: nothing raises it here. */
bool tni_record_is_lost(const tni_record *record);
/* Sleeps until it is raised; TN_TIMEOUT, or TN_ERROR_FORKED where it is lost. */
tn_status tni_record_wait(tni_record *record, int64_t timeout_ns);
/* Calls parked->resume(parked) once it is raised, in the raising thread. False if it is raised
 * already. After true the memory may be gone. */
bool tni_record_park(tni_record *record, tni_parked *parked);

#endif
