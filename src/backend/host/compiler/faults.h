/* Signals that the mistakes of a kernel raise. */
#ifndef TNI_HOST_COMPILER_FAULTS_H
#define TNI_HOST_COMPILER_FAULTS_H

#include <stddef.h>
#include <stdint.h>

typedef struct tni_fault {
    int signal;
    uintptr_t address, stack; /* what was reached for, and the end of the stack; 0: unknown */
    const void *context;      /* the handler's own */
} tni_fault;

/* From the first call on `stop` takes each such signal, in the thread that raised it. It returns if
 * that thread runs no kernel: the signal goes where it went before. */
void tni_faults_watch(void (*stop)(const tni_fault *fault));
/* Makes the thread one outside of a handler again, for a `stop` that never returns. */
void tni_fault_leave(const tni_fault *fault);

/* The calling thread gets a stack for handlers, unless it has one; its own may be full. */
void tni_faults_open(char *stack, size_t bytes);
void tni_faults_close(const char *stack);

#endif
