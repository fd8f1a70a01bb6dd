/* Plans and launches of the host.
 *
 * Both backends use the two words alike. A plan says what a call becomes, as data: on the host the
 * function that does the work, its parameters and how much work it is; on CUDA the programs, the
 * grids and the packed parameters (cuda/forms/plan.h). Planning touches neither a stream nor the
 * elements of arrays. A launch gives a plan to a stream.
 *
 * On the host a plan's parameters are self-contained: a copy of their bytes, and of those that the
 * plan names beside them, means the same later, in another thread. The parameters of a form are the
 * call itself, which core has resolved. The cutting of the work into tiles and threads is left to
 * the run, which may be in another thread than the call. */
#ifndef TNI_HOST_LAUNCH_H
#define TNI_HOST_LAUNCH_H

#include "core/base/error.h"
#include "core/stream/stream.h"

typedef struct tni_host_plan {
    tn_status (*run)(void *params); /* may change its parameters; NULL: there is nothing to do */
    const void *params;
    size_t bytes; /* of the parameters */
    /* What the parameters point to; NULL: nothing. In a copy it lies right after them, and the
     * work on that is run_copy. */
    const void *more;
    size_t more_bytes;
    tn_status (*run_copy)(void *params);
    int64_t elements; /* how much work it is; a few may be run by the thread that launches them */
    bool is_foreign;  /* the work calls functions of the program: on a queue only workers run it */
} tni_host_plan;

/* The launch on a stream that is not immediate. */
tn_status tni_host_launch_queued(const tni_host_plan *plan, tn_stream *stream);

/* Runs a plan at once, in the caller, on the immediate stream. Another stream copies the parameters
 * and runs the plan in order, by a worker or by a thread that waits for the stream. Where nothing
 * is queued and the elements are few, the work is done when this returns. A capture records the
 * plan. A failure of work on another stream is kept by the stream, with its message, and reported
 * by the next wait. */
static inline tn_status tni_host_launch(const tni_host_plan *plan, tn_stream *stream) {
    if (stream->is_immediate) return plan->run((void *)(uintptr_t)plan->params);
    return tni_host_launch_queued(plan, stream);
}

#endif
