/* Threads that compile kernels while the program goes on. */
#ifndef TNI_CUDA_COMPILE_WORKERS_H
#define TNI_CUDA_COMPILE_WORKERS_H

#include <tenorite/status.h>

#include <stdbool.h>

/* Whether kernels are compiled in the background, and an end to that. Work that was begun goes
 * on. */
bool tni_cuda_workers_are_on(void);
void tni_cuda_workers_end(void);

/* Work on some contexts together. At the process's end work that was not begun is called with
 * `is_dropped`. */
enum { TNI_WORKER_CONTEXTS = 8 };
typedef void (*tni_worker_function)(void *const *contexts, int count, bool is_dropped);

/* Calls work() in another thread with this context, and with some of those that wait for the same
 * function, in their order; then hand_on(), which may wait for other threads only where `waits`.
 * False: there is no thread. */
bool tni_cuda_workers_add(tni_worker_function work, void (*hand_on)(bool waits), void *context);

/* Threads that run. */
int tni_cuda_workers_count(void);

#endif
