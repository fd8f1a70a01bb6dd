/* Threads of the library's own. */
#ifndef TNI_THREADSTART_H
#define TNI_THREADSTART_H

#include <tenorite/linalg.h>

/* Starts a thread that nobody joins. Signals are left to the program's threads. 0, or an error as of errno. */
int tni_thread_start(void *(*body)(void *context), void *context);

#endif
