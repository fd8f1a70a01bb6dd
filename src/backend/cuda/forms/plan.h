/* Plans: what a call will launch, as data.
 *
 * A form turns a call and a target into a plan: for each launch the program's form and key, the
 * grid, the block and the packed parameters; and for all of them the memory that they need. That
 * calls nothing of the driver.
 * tni_plan_launch() then finds the kernels, takes the memory, writes its addresses into the
 * parameters, and launches in order.
 *
 * Parameters are packed one after the other, each a multiple of 8 bytes, in the order of the
 * kernel's struct Params (step.h). A plan lies on the stack; of its parameters only the bytes are
 * touched that its steps fill. */
#ifndef TNI_CUDA_FORMS_PLAN_H
#define TNI_CUDA_FORMS_PLAN_H

#include "backend/cuda/driver/device.h"
#include "backend/cuda/forms/program.h"
#include "forms/expression.h"

enum {
    TNI_PLAN_STEPS =
        17, /* of one plan at most: op.at checks each of its indices, a sort has 16 digits */
    TNI_PLAN_BYTES = 40960, /* of the parameters of all steps: they have 64 axes at most */
    TNI_PLAN_SLOTS = 128,
    TNI_PLAN_SCRATCH = 6 /* a sort has 2, a transposed product the others */
};

/* One launch; with no form in its key a call of a library, or bytes that are filled. */
typedef struct tni_step {
    tni_form_key key;
    tni_form_body body; /* where the key has only a digest of it */
    unsigned blocks, threads;
    bool is_cooperative;                                   /* all blocks run at the same time */
    unsigned params_at, params_bytes;                      /* in the plan's `params` */
    tn_status (*run)(const void *call, tn_stream *stream); /* NULL: bytes are filled with zeros */
    const void *call;
    void *to;
    int64_t bytes;
} tni_step;

/* A place in the parameters that is written when the memory is there. */
typedef struct tni_slot {
    unsigned at;
    enum { TNI_SLOT_SCRATCH, TNI_SLOT_COUNTERS, TNI_SLOT_LOCKS, TNI_SLOT_BOUNDS } kind;
} tni_slot;

/* Memory of the pool for the time of the launches. */
typedef struct tni_scratch_need {
    int64_t bytes;
    int fill; /* the bytes' value before the first launch; -1: any */
} tni_scratch_need;

typedef struct tni_plan {
    const tni_target *target;
    int step_count, slot_count, scratch_count;
    bool needs_workspace, needs_bounds;
    bool may_refuse;  /* core does without: where its programs can't be made, or launched with so
                        many registers, launching it is TN_ERROR_NOT_IMPLEMENTED */
    tni_asked *asked; /* launching it asks for its programs alone; NULL: it launches */
    unsigned bytes;   /* of `params`, so far */
    tni_scratch_need scratch[TNI_PLAN_SCRATCH];
    tni_slot slots[TNI_PLAN_SLOTS];
    tni_step steps[TNI_PLAN_STEPS];
    _Alignas(16) unsigned char params[TNI_PLAN_BYTES];
} tni_plan;

static inline void tni_plan_init(tni_plan *plan, const tni_target *target) {
    plan->target = target;
    plan->step_count = plan->slot_count = plan->scratch_count = 0;
    plan->needs_workspace = plan->needs_bounds = plan->may_refuse = false;
    plan->asked = NULL;
    plan->bytes = 0;
}

/* Launches a plan that was made for the stream's device. */
tn_status tni_plan_launch(tni_plan *plan, tn_stream *stream);

/* --- Steps --- */

/* Begins a launch, for TNI_STEP of step.h: its parameters follow, then tni_plan_grid(). The key has
 * the values of the form's macros and no op; what else the program depends on is set in it. */
tni_form_key *tni_plan_step(tni_plan *plan, const tni_form *form, const void *macros, size_t bytes);
/* Ends a launch: `blocks` blocks of one dimension, cut to what a grid can be, since forms loop. */
void tni_plan_grid(tni_plan *plan, int64_t blocks, int threads);
/* The launch that was ended last fails unless all its blocks run at the same time. */
static inline void tni_plan_cooperative(tni_plan *plan) {
    plan->steps[plan->step_count - 1].is_cooperative = true;
}
/* A call of a library in the launches' order; `call` stays until the plan is launched. */
void tni_plan_library(tni_plan *plan, tn_status (*run)(const void *call, tn_stream *stream),
                      const void *call);
/* Bytes that are set to zero in the launches' order. */
void tni_plan_clear(tni_plan *plan, void *to, int64_t bytes);

/* --- Memory --- */

/* Memory of the pool for the launches, released after them in the stream's order. The address
 * stands for it: a parameter may be it, or one within the memory, and launching replaces
 * it. It is as aligned as the pool's blocks. */
char *tni_plan_scratch(tni_plan *plan, int64_t bytes, int fill);

/* --- Arithmetic of forms --- */

/* Whether a linear index needs 64 bits. */
static inline bool tni_form_is_wide(int64_t count) {
    return count >= INT32_MAX - (1 << 20); /* a thread steps past the end by less */
}
static inline int64_t tni_form_ceil(int64_t count, int64_t size) {
    return (count + size - 1) / size;
}
static inline int64_t tni_form_min(int64_t a, int64_t b) {
    return a < b ? a : b;
}
/* The largest power of two up to `limit` that divides an address or a stride (0: all of them). */
static inline int tni_form_alignment(int64_t value, int limit) {
    int64_t lowest = value & -value;
    return lowest == 0 || lowest > limit ? limit : (int)lowest;
}

#endif
