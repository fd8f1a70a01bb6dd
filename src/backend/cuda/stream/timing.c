/* Times of kernels by the device's clock: by CUPTI where it is found (cupti.c), else by a pair of
 * the driver's events around each launch.
 *
 * Decides: which of the two, when the first work of a trace is launched. A device has a ring of
 * pairs. A pair is used again when its kernel is done, which makes its times known; while it is
 * not, launches are not timed. Streams that are captured are not timed either. The times are
 * counted from an event that was recorded, and waited for, on a stream of its own before the first
 * launch.
 * Invariant: a pair belongs to the thread that has changed its state to BUSY. */
#include "backend/cuda/stream/timing.h"

#include "backend/cuda/driver/device.h"
#include "backend/cuda/driver/errors.h"
#include "backend/cuda/driver/queues.h"
#include "backend/cuda/stream/cupti.h"
#include "core/base/alloc.h"
#include "core/base/wait.h"
#include "core/stream/capture.h"
#include "core/stream/stream.h"
#include "core/trace/trace.h"

#include <pthread.h>

enum { PAIRS = 1024 };
enum { FREE, BUSY, RECORDED };

struct tni_cuda_timing {
    atomic_int state;
    CUevent start, stop;
    uint32_t name, place;
    uint64_t stream;
};

typedef struct clock_of_device {
    CUevent base;
    int64_t base_ns;
    atomic_uint next;
    tni_cuda_timing pairs[PAIRS];
} device_clock;

static _Atomic(device_clock *) clocks[TNI_MAX_DEVICES];
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

enum { UNDECIDED, BY_EVENTS, BY_CUPTI, ENDED };
static atomic_int way = ENDED;     /* of the trace that is under way */
static tni_cuda_timing cupti_pair; /* stands for work that CUPTI times */

/* --- The clock of a device, which has been entered --- */

static void destroy_event(CUevent event) {
    if (!event) return;
    tni_driver.cuEventDestroy_v2(event);
    tni_cuda_count_handle(-1);
}

static CUevent make_event(void) {
    CUevent event = NULL;
    if (tni_driver.cuEventCreate(&event, 0) != CUDA_SUCCESS) return NULL;
    tni_cuda_count_handle(1);
    return event;
}

static bool set_base(device_clock *clock) {
    CUstream own = NULL;
    clock->base = make_event();
    if (!clock->base) return false;
    if (tni_driver.cuStreamCreateWithPriority(&own, CU_STREAM_NON_BLOCKING, 0) != CUDA_SUCCESS)
        return false;
    bool is_good = tni_driver.cuEventRecord(clock->base, own) == CUDA_SUCCESS &&
                   tni_driver.cuEventSynchronize(clock->base) == CUDA_SUCCESS;
    clock->base_ns = tni_now_ns();
    tni_driver.cuStreamDestroy_v2(own);
    return is_good;
}

static device_clock *make_clock(int number) {
    device_clock *clock = tni_calloc(1, sizeof *clock);
    if (!clock) return NULL;
    if (set_base(clock)) {
        atomic_store(&clocks[number], clock);
        return clock;
    }
    destroy_event(clock->base);
    tni_free(clock);
    return NULL;
}

static device_clock *find_clock(int number) {
    device_clock *clock = atomic_load(&clocks[number]);
    if (clock) return clock;
    tni_wait_lock(&making);
    clock = atomic_load(&clocks[number]);
    if (!clock) clock = make_clock(number);
    pthread_mutex_unlock(&making);
    return clock;
}

/* --- Pairs --- */

static void note(const device_clock *clock, const tni_cuda_timing *pair, int number) {
    float since = 0, took = 0;
    if (tni_driver.cuEventElapsedTime(&since, clock->base, pair->start) != CUDA_SUCCESS ||
        tni_driver.cuEventElapsedTime(&took, pair->start, pair->stop) != CUDA_SUCCESS)
        return;
    int64_t begun = clock->base_ns + (int64_t)((double)since * 1e6);
    tni_trace_end(&(tni_traced){.kind = TN_TRACE_KERNEL,
                                .begun = begun,
                                .ended = begun + (int64_t)((double)took * 1e6),
                                .name = pair->name,
                                .place = pair->place,
                                .number = pair->stream,
                                .device = {TN_BACKEND_CUDA, (int16_t)number},
                                .is_of_stream = true});
}

/* Whether the pair became the caller's: it is free, or its kernel is done. */
static bool take(const device_clock *clock, tni_cuda_timing *pair, int number) {
    int state = FREE;
    if (atomic_compare_exchange_strong(&pair->state, &state, BUSY)) return true;
    if (state != RECORDED || !atomic_compare_exchange_strong(&pair->state, &state, BUSY))
        return false;
    if (tni_driver.cuEventQuery(pair->stop) != CUDA_SUCCESS) {
        atomic_store(&pair->state, RECORDED);
        return false;
    }
    note(clock, pair, number);
    return true;
}

/* --- By CUPTI --- */

static int find_way(void) {
    int found = atomic_load(&way);
    if (found != UNDECIDED) return found;
    tni_wait_lock(&making);
    found = atomic_load(&way);
    if (found == UNDECIDED) {
        found = tni_cupti_begin() ? BY_CUPTI : BY_EVENTS;
        atomic_store(&way, found);
    }
    pthread_mutex_unlock(&making);
    return found;
}

/* Around a form, or a copy: kernels of libraries and copies, which have no name of
 * their own, get its place. A trace may end within: then the label is taken away all the same, and
 * one that was not put there is not missed. */
static void label_around(const tn_stream *stream, bool is_beginning) {
    if (stream->device.backend != TN_BACKEND_CUDA) return;
    int found = find_way();
    if (!is_beginning && found != BY_EVENTS)
        tni_cupti_pop();
    else if (is_beginning && found == BY_CUPTI)
        tni_cupti_push(stream, tni_cupti_label(0, tni_trace_work.place, tni_trace_work.stream));
}

/* --- What is timed --- */

tni_cuda_timing *tni_cuda_timing_begin(tn_stream *stream, const char *name) {
    int number = stream->device.number, found = find_way();
    if (tni_stream_capture(stream) || found == ENDED) return NULL;
    if (found == BY_CUPTI) {
        uint32_t own = name ? tn_trace_name(name) : 0;
        tni_cupti_push(stream, tni_cupti_label(own, tni_trace_work.place,
                                               (uint32_t)tni_stream_number(stream)));
        return &cupti_pair;
    }
    device_clock *clock = find_clock(number);
    if (!clock) return NULL;
    tni_cuda_timing *pair = &clock->pairs[atomic_fetch_add(&clock->next, 1) % PAIRS];
    if (!take(clock, pair, number)) return NULL;
    if (!pair->start) pair->start = make_event();
    if (!pair->stop) pair->stop = make_event();
    if (!pair->start || !pair->stop ||
        tni_driver.cuEventRecord(pair->start, tni_cuda_stream_handle(stream)) != CUDA_SUCCESS) {
        atomic_store(&pair->state, FREE);
        return NULL;
    }
    pair->name = tn_trace_name(name ? name : "a graph");
    pair->place = tni_trace_work.place;
    pair->stream = tni_stream_number(stream);
    return pair;
}

void tni_cuda_timing_end(tni_cuda_timing *pair, tn_stream *stream) {
    if (!pair) return;
    if (pair == &cupti_pair) {
        tni_cupti_pop();
        return;
    }
    bool is_good =
        tni_driver.cuEventRecord(pair->stop, tni_cuda_stream_handle(stream)) == CUDA_SUCCESS;
    atomic_store(&pair->state, is_good ? RECORDED : FREE);
}

/* --- The end of a trace --- */

typedef struct question {
    CUevent event;
    int number;
} question;

static bool is_over(const void *context) {
    const question *question = context;
    tni_cuda_scope scope;
    if (tni_cuda_enter_quietly(&scope, question->number) != TN_OK) return true;
    CUresult answer = tni_driver.cuEventQuery(question->event);
    tni_cuda_leave(&scope);
    return answer != CUDA_ERROR_NOT_READY;
}

/* What was recorded before the trace began is of no use to it. */
static void settle_pair(device_clock *clock, tni_cuda_timing *pair, int number, bool is_noted) {
    int state = RECORDED;
    tni_cuda_scope scope;
    if (!atomic_compare_exchange_strong(&pair->state, &state, BUSY)) return;
    if (is_noted) tni_drain(is_over, &(question){pair->stop, number});
    if (is_noted && tni_cuda_enter_quietly(&scope, number) == TN_OK) {
        note(clock, pair, number);
        tni_cuda_leave(&scope);
    }
    atomic_store(&pair->state, FREE);
}

/* While work is recorded into a graph nothing may be asked, so nothing is waited for. */
static bool is_idle(const void *context) {
    const int *number = context;
    tni_cuda_scope scope;
    if (tni_capture_is_under_way() || tni_cuda_enter_quietly(&scope, *number) != TN_OK) return true;
    CUresult answer = tni_cuda_queues_ask(*number);
    tni_cuda_leave(&scope);
    return answer != CUDA_ERROR_NOT_READY;
}

static void gather(bool is_beginning) {
    bool is_by_cupti = atomic_load(&way) == BY_CUPTI;
    for (int number = 0; is_by_cupti && number < TNI_MAX_DEVICES; number++)
        if (atomic_load(&tni_cuda_devices[number].is_ready)) tni_drain(is_idle, &number);
    atomic_store(&way, is_beginning ? UNDECIDED : ENDED);
    if (is_by_cupti) tni_cupti_end();
    for (int number = 0; number < TNI_MAX_DEVICES; number++) {
        device_clock *clock = atomic_load(&clocks[number]);
        for (int k = 0; clock && k < PAIRS; k++)
            settle_pair(clock, &clock->pairs[k], number, !is_beginning);
    }
}

__attribute__((constructor)) static void offer(void) {
    atomic_store(&tni_trace_gather, gather);
    atomic_store(&tni_trace_around, label_around);
}
