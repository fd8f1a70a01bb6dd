/* The gate: what a call looks at before it reaches the driver, as data.
 *
 * The files above this folder know why a call must wait or is refused; they set a flag here, or
 * hang a function into the hooks. A call of the driver so needs nothing above this folder. */
#ifndef TNI_CUDA_DRIVER_GATE_H
#define TNI_CUDA_DRIVER_GATE_H

#include "core/base/error.h"
#include "core/base/thread.h"

#include <stdatomic.h>

/* Launches that wait for their kernels, and one more for a failure that no call has reported yet.
 * While it is 0 a call need not flush. */
extern atomic_int tni_deferred;

/* Functions of the program that streams have yet to call; a futex word. The driver may make a call
 * wait for them (its queue is full, or memory is not page-locked), so a call that enters the driver
 * then gives up the interpreter's lock. */
extern atomic_int tni_cuda_pending;

/* Captures during which the driver refuses what might spoil them, unless the calling thread is
 * relaxed. */
extern atomic_int tni_cuda_strict_captures;

/* What files above the driver do at its gate; backend.c fills it before the program begins. */
typedef struct tni_gate_hooks {
    tn_status (*flush)(void); /* launches what waits; the first failure is the caller's */
    void (*wait)(void);       /* launches what waits; a failure stays for the next flush */
    void (*end)(void);        /* launches what waits; from now on nothing waits any more */
    /* Launches what has its kernel; while another thread does so, it waits only where `waits`. */
    void (*hand_on)(bool waits);
    void (*prepare_begin)(void), (*prepare_end)(void); /* around the making of a context */
} tni_gate_hooks;
extern tni_gate_hooks tni_gate;

/* Whether this thread is calling a program's function on behalf of a stream. */
bool tni_cuda_in_callback(void);
void tni_cuda_set_in_callback(bool is_calling);

/* The device whose context is current or was entered last in this thread; -1: none. */
int tni_cuda_entered(void);
void tni_cuda_set_entered(int number);

/* Devices whose context an error has destroyed. */
extern atomic_bool tni_cuda_broken[TNI_MAX_DEVICES];
/* Notes that a device's context is of no more use, with the current message as the reason. */
void tni_cuda_set_broken(int number);
/* The error that repeats the reason. */
tn_status tni_cuda_fail_broken(int number);

#endif
