/* Threads of the library's own. */
#ifndef TNI_THREADSTART_H
#define TNI_THREADSTART_H

/* Starts a thread that is never joined, with all signals blocked: they are for the program's
 * threads. Returns 0, or an error as of errno. */
int tni_thread_start(void *(*body)(void *context), void *context);

#endif
