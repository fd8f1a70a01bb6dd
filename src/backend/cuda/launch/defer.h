/* Launches that wait for their kernels to be compiled. */
#ifndef TNI_CUDA_LAUNCH_DEFER_H
#define TNI_CUDA_LAUNCH_DEFER_H

#include "backend/cuda/driver/gate.h"
#include "backend/cuda/launch/launch.h"

/* Queues a launch after those that wait; the parameters are one block of bytes, and copied. */
tn_status tni_defer_launch(tni_cuda_kernel *kernel, const unsigned grid[3], const unsigned block[3],
                           const void *params, size_t bytes, tn_stream *stream);

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

/* Fills bytes, in the order of the launches. */
tn_status tni_cuda_fill(void *to, int value, int64_t bytes, tn_stream *stream);

/* Waits for the kernels of all launches that wait, and hands them to the driver; within such a
 * launch's own calls of the driver, and in a function that a stream calls, it does nothing. The
 * first failure since the last report becomes this call's; its text counts the others. */
tn_status tni_defer_flush(void);
/* The same, but failures stay for the next flush. */
void tni_defer_wait(void);
/* The flush, for a call that otherwise enters the driver quietly. */
tn_status tni_defer_raise(void);
/* Launches what waits; from now on nothing waits, because the program may use the driver without
 * us. */
void tni_defer_end(void);
/* Launches what has its kernel. While another thread does so, it waits only where `waits`. */
void tni_defer_hand_on(bool waits);

/* Launches that wait. */
int tni_defer_count(void);

#endif
