/* cuFFT: loading it, its plans, and the description of transforms in its terms.
 *
 * Decides: cuFFT allocates no work areas; a transform takes one from our pool, which has it back in
 * the stream's order. The bytes of a kept plan are those of its work area.
 * Invariants: a plan's stream and work area are set, and its transform is queued, under the plan's
 * lock: what is queued has both. A graph keeps the plans of what it has recorded, for
 * their tables lie in the device's memory.
 * cuFFT's layouts: along the last axis elements lie `stride` elements apart; along each other axis
 * a multiple (embed) of the distance along the next one; transforms `apart`. All are positive. */
#include "backend/cuda/libraries/fft.h"

#include "backend/cuda/driver/device.h"
#include "backend/cuda/driver/library.h"
#include "backend/cuda/driver/queues.h"
#include "backend/cuda/launch/scratch.h"
#include "backend/cuda/libraries/failure.h"
#include "backend/fft_plans.h"
#include "core/base/alloc.h"
#include "core/base/thread.h"
#include "core/stream/stream.h"

#include <tenorite/cuda.h>
#include <tenorite/graph.h>
#include <tenorite/memory.h>

#include <pthread.h>
#include <stdio.h>

enum { C2C = 0x29, R2C = 0x2a, C2R = 0x2c, DOUBLE = 0x40 /* of the types of f64 */ };
enum { FORWARD = -1, INVERSE = 1 };
enum { ALLOC_FAILED = 2 };

/* --- The library --- */

typedef struct functions {
#define FN(name, params) int(*name) params;
#include "backend/cuda/libraries/cufft.fn"
} functions;

static functions cufft;
static const tni_symbol symbols[] = {
#define FN(name, params) {#name, offsetof(functions, name), false},
#include "backend/cuda/libraries/cufft.fn"
};

static const char *const statuses[] = {
#define CUFFT_STATUS(number, name) [number] = "CUFFT_" #name,
#include <tenorite/cufft.def>
};
enum { STATUSES = sizeof statuses / sizeof *statuses };

static tn_status check(int answer, const char *function, const tn_stream *stream) {
    char text[160];
    if (__builtin_expect(answer == 0, 1)) return TN_OK;
    snprintf(text, sizeof text, "%s: %s", function,
             answer > 0 && answer < STATUSES ? statuses[answer] : "an unknown status");
    return tni_library_fail("cuFFT", text, answer, answer == ALLOC_FAILED, stream);
}
#define CUFFT(function, ...) check(cufft.function(__VA_ARGS__), #function, stream)

static tn_status load(void) {
    return tni_cuda_library_load(TNI_LIBRARY_CUFFT, symbols, sizeof symbols / sizeof *symbols,
                                 &cufft);
}

tn_status tn_cuda_cufft_version(int *version) {
    TNI_TRY(load());
    const int answer = cufft.cufftGetVersion(version);
    if (answer == 0) return TN_OK;
    return tni_fail(TN_ERROR_DEVICE, "cuFFT failed: cufftGetVersion (status %d)", answer);
}

/* --- Layouts --- */

/* A side in elements. */
typedef struct layout {
    long long stride, apart, embed[TNI_CUFFT_AXES];
    bool is_plain; /* without gaps, the axes in order */
} layout;

/* False if cuFFT has no such layout. An axis of one element has no stride. */
static bool describe(layout *result, const tni_cufft_side *side, const int64_t *extents, int rank,
                     int64_t count, int64_t item) {
    int64_t step = item, whole = 1; /* bytes along the axis; elements without gaps */
    bool is_plain = true;
    result->stride = 0;
    for (int k = rank - 1; k >= 0; k--) {
        const int64_t least = k == rank - 1 ? item : step * extents[k + 1];
        const int64_t wanted = extents[k] > 1 ? side->strides[k] : least;
        if (wanted < least || wanted % (k == rank - 1 ? item : step)) return false;
        if (k < rank - 1) result->embed[k + 1] = wanted / step;
        if (k == rank - 1) result->stride = wanted / item;
        is_plain &= wanted == least;
        step = wanted;
        whole *= extents[k];
    }
    result->embed[0] = extents[0];
    result->apart = count > 1 ? side->apart / item : step / item * extents[0];
    result->is_plain = is_plain && result->apart == whole;
    return count == 1 || (side->apart > 0 && side->apart % item == 0);
}

typedef struct layouts {
    layout input, output;
} layouts;

static bool describe_both(layouts *result, const tni_cufft_call *call) {
    const int64_t item = tni_cufft_alignment(call->dtype);
    const int last = call->rank - 1;
    int64_t half[TNI_CUFFT_AXES];
    for (int k = 0; k <= last; k++)
        half[k] = k == last ? call->lengths[k] / 2 + 1 : call->lengths[k];
    const bool is_real = call->kind == TNI_FFT_REAL, is_hermitian = call->kind == TNI_FFT_HERMITIAN;
    return describe(&result->input, &call->input, is_hermitian ? half : call->lengths, call->rank,
                    call->count, is_real ? item / 2 : item) &&
           describe(&result->output, &call->output, is_real ? half : call->lengths, call->rank,
                    call->count, is_hermitian ? item / 2 : item);
}

bool tni_cufft_takes(const tni_cufft_call *call) {
    layouts unused;
    const uintptr_t places = (uintptr_t)call->input.address | (uintptr_t)call->output.address;
    return places % (uintptr_t)tni_cufft_alignment(call->dtype) == 0 &&
           describe_both(&unused, call);
}

/* --- Plans --- */

typedef struct plan {
    tni_fft_plan head;
    int number, handle;
    size_t area_bytes;
    pthread_mutex_t lock;
} plan;

/* A child of fork has none of the parent's device. */
static void destroy(tni_fft_plan *head) {
    plan *p = (plan *)head;
    tni_cuda_scope scope;
    if (!tni_cuda_is_forked() && tni_cuda_enter_quietly(&scope, p->number) == TN_OK) {
        cufft.cufftDestroy(p->handle);
        tni_cuda_leave(&scope);
    }
    pthread_mutex_destroy(&p->lock);
    tni_free(p);
}

static void release(void *context) {
    tni_fft_plan_release(context);
}

static int type_of(const tni_cufft_call *call) {
    const int type = call->kind == TNI_FFT_REAL ? R2C : call->kind == TNI_FFT_HERMITIAN ? C2R : C2C;
    return type + (call->dtype == TN_C128 ? DOUBLE : 0);
}

/* Sizes as cuFFT reads them: it takes layouts without gaps as NULL. */
static int make_plan(int handle, const tni_cufft_call *call, layouts *l, size_t *bytes) {
    const bool is_plain = l->input.is_plain && l->output.is_plain;
    long long lengths[TNI_CUFFT_AXES];
    for (int k = 0; k < call->rank; k++)
        lengths[k] = call->lengths[k];
    return cufft.cufftMakePlanMany64(handle, call->rank, lengths, is_plain ? NULL : l->input.embed,
                                     l->input.stride, l->input.apart,
                                     is_plain ? NULL : l->output.embed, l->output.stride,
                                     l->output.apart, type_of(call), call->count, bytes);
}

/* cuFFT allocates tables by itself: where our pool has all memory, it gives back what it can. */
static tn_status prepare(plan *p, const tni_cufft_call *call, layouts *l, tn_stream *stream) {
    TNI_TRY(CUFFT(cufftSetAutoAllocation, p->handle, 0));
    int answer = make_plan(p->handle, call, l, &p->area_bytes);
    if (answer == ALLOC_FAILED && !tni_stream_capture(stream)) {
        tn_pool_trim(tn_pool_default(), stream->device, NULL);
        TNI_TRY(CUFFT(cufftDestroy, p->handle));
        p->handle = -1;
        TNI_TRY(CUFFT(cufftCreate, &p->handle));
        TNI_TRY(CUFFT(cufftSetAutoAllocation, p->handle, 0));
        answer = make_plan(p->handle, call, l, &p->area_bytes);
    }
    return check(answer,
                 tni_stream_capture(stream)
                     ? "cufftMakePlanMany64, in a capture (a transform before it makes the plan)"
                     : "cufftMakePlanMany64",
                 stream);
}

static tn_status make(plan **result, const tni_fft_key *key, const tni_cufft_call *call, layouts *l,
                      tn_stream *stream) {
    plan *p = tni_calloc(1, sizeof *p);
    if (!p) return tni_fail_no_memory(sizeof *p);
    p->number = stream->device.number;
    tn_status status = CUFFT(cufftCreate, &p->handle);
    if (status != TN_OK) {
        tni_free(p);
        return status;
    }
    pthread_mutex_init(&p->lock, NULL);
    p->head.key = *key;
    p->head.destroy = destroy;
    atomic_init(&p->head.users, 1);
    status = prepare(p, call, l, stream);
    if (status != TN_OK) {
        destroy(&p->head);
        return status;
    }
    p->head.bytes = (int64_t)p->area_bytes;
    tni_fft_cache_add(stream->device, &p->head);
    *result = p;
    return TN_OK;
}

/* Finds or makes the plan, of which the caller becomes a user. In the device's context. */
static tn_status get(plan **result, const tni_cufft_call *call, tn_stream *stream) {
    tni_fft_key key = {{type_of(call), call->rank, call->count}};
    layouts l;
    int at = 3;
    describe_both(&l, call);
    for (int k = 0; k < call->rank; k++)
        key.words[at++] = call->lengths[k];
    for (int side = 0; side < 2; side++) {
        const layout *one = side ? &l.output : &l.input;
        key.words[at++] = one->stride;
        key.words[at++] = one->apart;
        for (int k = 1; k < call->rank; k++)
            key.words[at++] = one->embed[k];
    }
    *result = (plan *)tni_fft_cache_find(stream->device, &key);
    if (*result) return TN_OK;
    return make(result, &key, call, &l, stream);
}

/* --- Transforms --- */

static int execute(int handle, const tni_cufft_call *call) {
    void *input = call->input.address, *output = call->output.address;
    const bool is_wide = call->dtype == TN_C128;
    if (call->kind == TNI_FFT_REAL)
        return (is_wide ? cufft.cufftExecD2Z : cufft.cufftExecR2C)(handle, input, output);
    if (call->kind == TNI_FFT_HERMITIAN)
        return (is_wide ? cufft.cufftExecZ2D : cufft.cufftExecC2R)(handle, input, output);
    return (is_wide ? cufft.cufftExecZ2Z : cufft.cufftExecC2C)(
        handle, input, output, call->is_backward ? INVERSE : FORWARD);
}

static tn_status run_locked(plan *p, const tni_cufft_call *call, void *area, tn_stream *stream) {
    TNI_TRY(CUFFT(cufftSetStream, p->handle, tni_cuda_stream_handle(stream)));
    if (area) TNI_TRY(CUFFT(cufftSetWorkArea, p->handle, area));
    tni_cuda_stream_note(stream, "cufftExec", 0, (unsigned[3]){0}, (unsigned[3]){0});
    return check(execute(p->handle, call), "cufftExec", stream);
}

/* The recorded transform lives as long as the graph. */
static tn_status keep(plan *p, tn_stream *stream) {
    if (!tni_stream_capture(stream)) return TN_OK;
    atomic_fetch_add(&p->head.users, 1);
    const tn_status status = tn_capture_keep(stream, release, &p->head);
    if (status != TN_OK) tni_fft_plan_release(&p->head);
    return status;
}

static tn_status run(const tni_cufft_call *call, tn_stream *stream) {
    tni_scratch area = {NULL, NULL};
    plan *p = NULL;
    tn_status status;
    TNI_TRY(load());
    TNI_TRY(get(&p, call, stream));
    if (p->area_bytes > 0)
        TNI_TRY_OWNING(tni_scratch_init(&area, (int64_t)p->area_bytes, -1, stream));
    TNI_TRY_OWNING(keep(p, stream));
    tni_wait_lock(&p->lock);
    status = run_locked(p, call, area.address, stream);
    pthread_mutex_unlock(&p->lock);
cleanup:
    tni_scratch_deinit(&area);
    tni_fft_plan_release(&p->head);
    return status;
}

tn_status tni_cufft_run(const tni_cufft_call *call, tn_stream *stream) {
    tni_cuda_scope scope;
    TNI_TRY(tni_cuda_enter(&scope, stream->device.number));
    const tn_status status = run(call, stream);
    tni_cuda_leave(&scope);
    return status;
}
