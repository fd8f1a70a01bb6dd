/* Launches that wait for their kernels to be compiled. */
#ifndef TNI_CUDA_DEFER_H
#define TNI_CUDA_DEFER_H

#include "backend/cuda/launch/launch.h"

/* How many launches wait, and one for a failure that nobody has heard of. Who finds 0 need not flush. */
extern atomic_int tni_deferred;

/* Whether kernels are compiled in the background. */
bool tni_defer_is_on(void);
/* They are not any more: somebody may use the driver without us. */
void tni_defer_end(void);

/* Calls work() in another thread with this context, and with some of those that wait for the same, in their
 * order; false: there is none. At the process's end work that was not begun is called with `is_dropped`. */
enum { TNI_DEFER_CONTEXTS = 8 };
typedef void (*tni_deferred_work)(void *const *contexts, int count, bool is_dropped);
bool tni_defer_work(tni_deferred_work work, void *context);

/* Queues a launch behind those that wait; the parameters are one block of bytes, and copied. */
tn_status tni_defer_launch(tni_cuda_kernel *kernel, const unsigned grid[3], const unsigned block[3],
                           const void *params, size_t bytes, tn_stream *stream);

/* The same for bytes that are filled. */
tn_status tni_defer_fill(void *to, int value, int64_t bytes, tn_stream *stream);

/* A launch of a form: now, if nothing stands in the way. */
static inline tn_status tni_defer_or_launch(tni_cuda_kernel *kernel, const unsigned grid[3],
                                            const unsigned block[3], void *params, size_t bytes,
                                            tn_stream *stream) {
    if (__builtin_expect(atomic_load_explicit(&tni_deferred, memory_order_relaxed) ||
                             !atomic_load_explicit(&kernel->is_ready, memory_order_acquire),
                         0))
        return tni_defer_launch(kernel, grid, block, params, bytes, stream);
    return tni_cuda_launch(kernel, grid, block, 0, &params, stream);
}

/* Waits for the kernels of all launches that wait, and hands them to the driver; in the launches' own calls
 * of the driver, and in a function that a stream calls, nothing. The first failure since the last time is
 * this call's; its text counts the others. */
tn_status tni_defer_flush(void);
/* The same, but failures are for the next who asks. */
void tni_defer_wait(void);
/* The flush, for a call that otherwise enters the driver quietly. */
tn_status tni_defer_raise(void);

/* Launches that wait, and threads that compile. */
int tni_defer_count(void);
int tni_defer_thread_count(void);

#endif
