/* cuDNN's execution plans: what its graph interface has prepared for arrays of one kind, to be run
 * again and again. tenorite.cudnn makes them by the library's own functions. */
#ifndef TENORITE_CUDNN_H
#define TENORITE_CUDNN_H

#include <tenorite/array.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_cudnn_plan tn_cudnn_plan;

/* What a plan is: `descriptor` is a finalized CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR of a graph
 * whose two inputs and whose result have the unique ids 1, 2 and 3; `handle` is cuDNN's, and lives
 * until the last run; `device` is a number of CUDA's. */
typedef struct tn_cudnn_plan_facts {
    uintptr_t handle, descriptor;
    int64_t workspace; /* bytes */
    int alignment;     /* of the three addresses, in bytes, a power of 2 */
    int device;
} tn_cudnn_plan_facts;

/* TN_ERROR_DEVICE: the library lacks functions of the graph interface. The descriptor belongs to
 * the plan if there is one. */
TN_API tn_status tn_cudnn_plan_new(tn_cudnn_plan **result, const tn_cudnn_plan_facts *facts);
/* Gives a plan the descriptors that its own refers to, `count` of them: they end after it, in their
 * order. Once at most. */
TN_API tn_status tn_cudnn_plan_adopt(tn_cudnn_plan *plan, const uintptr_t *descriptors, int count);
/* Graphs that recorded a run keep the plan. NULL is allowed. */
TN_API void tn_cudnn_plan_release(tn_cudnn_plan *plan);

/* Answers of ours, none of cuDNN's: an address is not aligned as the plan needs it; the result
 * overlaps an input. */
enum { TN_CUDNN_MISALIGNED = -1, TN_CUDNN_OVERLAPS = -2 };

/* Queues a run, with workspace of the pool; may be captured. *answer is cuDNN's status, 0 where the
 * run was queued; after any other nothing was, but for a failure inside of cudnnBackendExecute.
 * TN_ERROR_VALUE: an array lies on another device, or the result is read-only. TN_ERROR_MEMORY: the
 * workspace can't be had. */
TN_API tn_status tn_cudnn_plan_run(int *answer, tn_cudnn_plan *plan, const tn_array *first,
                                   const tn_array *second, tn_array *result, tn_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
