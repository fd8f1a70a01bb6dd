/* Plans: steps and needs, written down; and their launch. */
#include "backend/cuda/forms/plan.h"

#include "backend/cuda/launch/defer.h"
#include "backend/cuda/launch/kernel.h"
#include "backend/cuda/launch/scratch.h"
#include "backend/cuda/launch/workspace.h"
#include "core/stream/stream.h"

#include <tenorite/cuda.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* --- Steps --- */

tni_form_key *tni_plan_step(tni_plan *plan, const tni_form *form, const void *macros,
                            size_t bytes) {
    tni_step *step = &plan->steps[plan->step_count++];
    step->body.write = NULL;
    step->is_cooperative = false;
    memset(&step->key, 0, sizeof step->key);
    step->key.form = form;
    step->key.op = -1;
    memcpy(step->key.macros, macros, bytes);
    plan->bytes = (plan->bytes + 15) & ~15u;
    step->params_at = plan->bytes;
    return &step->key;
}

void tni_plan_grid(tni_plan *plan, int64_t blocks, int threads) {
    tni_step *step = &plan->steps[plan->step_count - 1];
    step->blocks = (unsigned)tni_form_min(blocks, INT_MAX);
    step->threads = (unsigned)threads;
    step->params_bytes = plan->bytes - step->params_at;
}

void tni_plan_library(tni_plan *plan, tn_status (*run)(const void *call, tn_stream *stream),
                      const void *call) {
    tni_step *step = &plan->steps[plan->step_count++];
    step->key.form = NULL;
    step->run = run;
    step->call = call;
}

void tni_plan_clear(tni_plan *plan, void *to, int64_t bytes) {
    tni_step *step = &plan->steps[plan->step_count++];
    step->key.form = NULL;
    step->run = NULL;
    step->to = to;
    step->bytes = bytes;
}

/* --- Memory --- */

/* An address of scratch memory before that is there: 16 bits that no address has, 8 of its number,
 * 40 of the place within. */
enum { NUMBER_SHIFT = 40 };

char *tni_plan_scratch(tni_plan *plan, int64_t bytes, int fill) {
    uintptr_t number = (uintptr_t)plan->scratch_count++;
    plan->scratch[number] = (tni_scratch_need){bytes, fill};
    return (char *)((uintptr_t)0xfffe << 48 | number << NUMBER_SHIFT);
}

static uintptr_t place_of(uintptr_t address, const tni_scratch *scratch) {
    uintptr_t within = address & (((uintptr_t)1 << NUMBER_SHIFT) - 1);
    return (uintptr_t)scratch[address >> NUMBER_SHIFT & 0xff].address + within;
}

/* --- Launching --- */

static tn_status find_kernel(tni_cuda_kernel **kernel, const tni_step *step, int number) {
    const tni_program program = {&step->key, step->body};
    TNI_TRY(tni_cuda_kernel_begin(kernel, number, tni_program_write, &program, &step->key,
                                  sizeof step->key));
    if (step->is_cooperative)
        atomic_store_explicit(&(*kernel)->is_cooperative, true, memory_order_relaxed);
    return TN_OK;
}

/* --- Refusals --- */

/* What other programs do instead need not be reported by a later call. */
static tn_status refuse(const char *why) {
    char text[256];
    snprintf(text, sizeof text, "%s", why);
    return tni_fail(TN_ERROR_NOT_IMPLEMENTED, "%s", text);
}

/* Waits for the compiler, so that nothing has been launched when the call is refused. */
static tn_status find_or_refuse(tni_cuda_kernel **kernel, const tni_step *step, int number) {
    TNI_TRY(tni_cuda_kernel_look(kernel, number, &step->key, sizeof step->key));
    if (atomic_load_explicit(&(*kernel)->is_refused, memory_order_relaxed))
        return refuse("a program that could not be compiled before");
    tn_status status = find_kernel(kernel, step, number);
    if (status == TN_OK) status = tni_cuda_kernel_finish(*kernel);
    if (status == TN_ERROR_MEMORY) return status;
    if (status == TN_OK && (unsigned)(*kernel)->threads_max >= step->threads) return TN_OK;
    if (status != TN_ERROR_DEVICE) /* a library or an image that may be there next time */
        atomic_store_explicit(&(*kernel)->is_refused, true, memory_order_relaxed);
    return refuse(status ? tn_error_message() : "its registers leave room for too few threads");
}

/* A failure is that of a program that can't be made. */
static tn_status ask_for(tni_asked *asked, const tni_step *step, int number) {
    tni_cuda_kernel *kernel;
    TNI_TRY(tni_cuda_kernel_look(&kernel, number, &step->key, sizeof step->key));
    if (atomic_load_explicit(&kernel->is_refused, memory_order_relaxed))
        return refuse("a program that could not be compiled before");
    const bool is_idle = tni_cuda_kernel_is_idle(kernel);
    tn_status status = TN_OK;
    if (is_idle && asked->begins) {
        asked->begun++;
        status = find_kernel(&kernel, step, number);
    }
    bool is_there = atomic_load_explicit(&kernel->is_ready, memory_order_acquire);
    if (status == TN_OK && !is_there && !is_idle && tni_cuda_kernel_is_compiled(kernel)) {
        status = tni_cuda_kernel_finish(kernel);
        is_there = status == TN_OK;
    }
    asked->missing += !is_there;
    if (status == TN_OK || status == TN_ERROR_MEMORY) return status;
    if (status != TN_ERROR_DEVICE)
        atomic_store_explicit(&kernel->is_refused, true, memory_order_relaxed);
    return refuse(tn_error_message());
}

static tn_status ask(const tni_plan *plan, int number) {
    for (int k = 0; k < plan->step_count; k++)
        if (plan->steps[k].key.form) TNI_TRY(ask_for(plan->asked, &plan->steps[k], number));
    return TN_OK;
}

static tn_status launch_step(tni_plan *plan, const tni_step *step, tni_cuda_kernel *kernel,
                             tn_stream *stream) {
    const unsigned grid[3] = {step->blocks, 1, 1}, block[3] = {step->threads, 1, 1};
    if (__builtin_expect(!step->key.form, 0))
        return step->run ? step->run(step->call, stream)
                         : tni_cuda_fill(step->to, 0, step->bytes, stream);
    return tni_defer_or_launch(kernel, grid, block, plan->params + step->params_at,
                               step->params_bytes, stream);
}

static tn_status launch_steps(tni_plan *plan, tni_cuda_kernel *const *kernels, tn_stream *stream) {
    for (int k = 0; k < plan->step_count; k++)
        TNI_TRY(launch_step(plan, &plan->steps[k], kernels[k], stream));
    return TN_OK;
}

/* Writes what the slots wait for into the parameters. */
static void fill_slots(tni_plan *plan, const tni_scratch *scratch, const tni_workspace *workspace,
                       const tni_bounds *bounds) {
    for (int k = 0; k < plan->slot_count; k++) {
        unsigned char *at = plan->params + plan->slots[k].at;
        uintptr_t address;
        switch (plan->slots[k].kind) {
        case TNI_SLOT_SCRATCH:
            memcpy(&address, at, sizeof address);
            address = place_of(address, scratch);
            memcpy(at, &address, sizeof address);
            break;
        case TNI_SLOT_COUNTERS: memcpy(at, &workspace->counters, sizeof address); break;
        case TNI_SLOT_LOCKS: memcpy(at, &workspace->locks, sizeof address); break;
        case TNI_SLOT_BOUNDS: memcpy(at, bounds, sizeof *bounds); break;
        }
    }
}

static tn_status launch_with_memory(tni_plan *plan, tni_cuda_kernel *const *kernels,
                                    tn_stream *stream) {
    tni_scratch scratch[TNI_PLAN_SCRATCH] = {{NULL, NULL}};
    tni_workspace workspace = {NULL, NULL};
    tni_bounds bounds;
    tn_status status;
    if (plan->needs_bounds) TNI_TRY(tni_bounds_begin(&bounds, stream));
    if (plan->needs_workspace) TNI_TRY(tni_workspace_get(&workspace, stream));
    for (int k = 0; k < plan->scratch_count; k++)
        TNI_TRY_OWNING(
            tni_scratch_init(&scratch[k], plan->scratch[k].bytes, plan->scratch[k].fill, stream));
    fill_slots(plan, scratch, &workspace, &bounds);
    status = launch_steps(plan, kernels, stream);
cleanup:
    for (int k = 0; k < plan->scratch_count; k++)
        tni_scratch_deinit(&scratch[k]);
    return status;
}

/* All kernels are found before the first launch, so that a program that can't be made fails a call
 * that has written nothing; and kernels that must be compiled are compiled together. */
tn_status tni_plan_launch(tni_plan *plan, tn_stream *stream) {
    enum { OUT_OF_RESOURCES = 701 }; /* cudaErrorLaunchOutOfResources */
    tni_cuda_kernel *kernels[TNI_PLAN_STEPS];
    if (plan->asked) return ask(plan, stream->device.number);
    for (int k = 0; k < plan->step_count; k++) {
        kernels[k] = NULL;
        if (plan->steps[k].key.form)
            TNI_TRY((plan->may_refuse ? find_or_refuse : find_kernel)(&kernels[k], &plan->steps[k],
                                                                      stream->device.number));
    }
    tn_status status = plan->slot_count ? launch_with_memory(plan, kernels, stream)
                                        : launch_steps(plan, kernels, stream);
    if (__builtin_expect(status == TN_ERROR_DEVICE, 0) && plan->may_refuse &&
        tn_cuda_last_error() == OUT_OF_RESOURCES)
        return refuse(tn_error_message());
    return status;
}
