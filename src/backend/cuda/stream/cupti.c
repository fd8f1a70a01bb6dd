/* Times of kernels and copies by CUPTI.
 *
 * Decides: which records are asked for. A kernel, a copy or a fill is a record of its own; where
 * the call that queued it had a label, CUPTI writes a second one with the label and the same
 * number. Either may come first, in buffers that CUPTI asks for and gives back in any thread. The
 * first waits for the second in a table that has a place for each of the last SLOTS numbers; what
 * has to leave it, or is alone at the end, becomes an event without a label, whose stream is found
 * by CUPTI's number for it.
 * Invariant: all but `outstanding` is guarded by `lock`, under which CUPTI is only asked for the
 * records of a buffer. */
#include "backend/cuda/stream/cupti.h"

#include "backend/cuda/driver/device.h"
#include "backend/cuda/driver/library.h"
#include "backend/cuda/driver/queues.h"
#include "backend/cuda/stream/cupti_types.h"
#include "core/base/alloc.h"
#include "core/base/wait.h"
#include "core/stream/stream.h"
#include "core/trace/record.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 1 << 16, STREAMS = 1024, BUFFERS = 64, BUFFER = 1 << 19 };
/* Versions of CUPTI whose records begin as cupti.def says: of CUDA 12.0 to 12.9, and of 13. */
enum { OLDEST = 18, OLDEST_OF_13 = 130000, NEWEST_OF_13 = 139999 };

typedef struct tni_cupti_functions {
#define FN(name, params) int(*name) params;
#include "backend/cuda/stream/cupti.fn"
} tni_cupti_functions;
static tni_cupti_functions cupti;
static const tni_symbol symbols[] = {
#define FN(name, params) {#name, offsetof(tni_cupti_functions, name), false},
#define OPTIONAL(name, params) {#name, offsetof(tni_cupti_functions, name), true},
#include "backend/cuda/stream/cupti.fn"
};

/* A number of CUPTI's, and what has come of it. */
typedef struct slot {
    uint32_t number;
    bool has_label, has_work;
    uint64_t label;
    int64_t begun, ended, bytes;
    uint32_t name, stream; /* CUPTI's number of the stream */
    int16_t device;
    uint8_t kind; /* a tn_trace_kind */
} slot;

typedef struct stream_name {
    int16_t device;
    uint32_t id;     /* CUPTI's */
    uint64_t number; /* ours; 0: the entry is free */
} stream_name;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static slot *slots; /* NULL: nothing is recorded */
static stream_name streams[STREAMS];
static unsigned stream_count;
static int64_t offset_ns; /* from CUPTI's clock to ours */
static atomic_int outstanding;

/* --- Streams by CUPTI's numbers --- */

static uint64_t stream_of(int16_t device, uint32_t id) {
    for (unsigned k = 0; k < STREAMS && streams[k].number; k++)
        if (streams[k].device == device && streams[k].id == id) return streams[k].number;
    return UINT64_C(1) << 32 | id; /* one that never was ours: no number of ours is so high */
}

static void learn(const tn_stream *stream) {
    static atomic_uint_least64_t last; /* no need to look again */
    uint64_t number = tni_stream_number(stream);
    uint32_t id;
    if (number == atomic_load_explicit(&last, memory_order_relaxed)) return;
    CUcontext context = tni_cuda_devices[stream->device.number].context;
    CUstream handle = tni_cuda_stream_handle(stream);
    if (!context || cupti.cuptiGetStreamIdEx(context, handle, 0, &id) != 0) return;
    tni_wait_lock(&lock);
    unsigned at = 0;
    while (at < STREAMS && streams[at].number &&
           (streams[at].device != stream->device.number || streams[at].id != id))
        at++; /* a stream may have the handle, and so the number, of one that has ended */
    if (at == STREAMS) at = stream_count++ % STREAMS;
    streams[at] = (stream_name){stream->device.number, id, number};
    pthread_mutex_unlock(&lock);
    atomic_store_explicit(&last, number, memory_order_relaxed);
}

/* --- Events --- */

static void note(const slot *work, bool has_label, uint64_t label) {
    uint32_t name = has_label ? (uint32_t)(label >> 48) : 0;
    tni_trace_end(&(tni_traced){.kind = (tn_trace_kind)work->kind,
                                .begun = work->begun,
                                .ended = work->ended,
                                .name = name ? name : work->name,
                                .place = has_label ? (uint32_t)(label >> 32 & 0xffff) : 0,
                                .bytes = work->bytes,
                                .number = has_label ? label & UINT32_MAX
                                                    : stream_of(work->device, work->stream),
                                .device = {TN_BACKEND_CUDA, work->device},
                                .is_of_stream = true});
}

/* The place of a number; what waited there under another one has waited long enough. */
static slot *place_of(uint32_t number) {
    slot *found = &slots[number % SLOTS];
    if (found->number == number) return found;
    if (found->has_work) note(found, false, 0);
    *found = (slot){.number = number};
    return found;
}

static void take_label(const tni_cupti_correlation *record) {
    if (record->externalKind != CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0) return;
    slot *found = place_of(record->correlationId);
    if (found->has_work) note(found, true, record->externalId);
    found->has_work = false;
    found->has_label = true;
    found->label = record->externalId;
}

/* A launch of a graph is the number of all its kernels. */
static void take_work(uint32_t number, const slot *work) {
    slot *found = place_of(number);
    if (found->has_label) {
        note(work, true, found->label);
        return;
    }
    if (found->has_work) note(found, false, 0);
    *found = *work;
    found->number = number;
    found->has_work = true;
}

static void take_kernel(const tni_cupti_kernel *record) {
    if (!record->start || !record->end) {
        tni_record_lose(1);
        return;
    }
    take_work(record->correlationId,
              &(slot){.begun = (int64_t)record->start + offset_ns,
                      .ended = (int64_t)record->end + offset_ns,
                      .name = tn_trace_name(record->name ? record->name : "a kernel"),
                      .stream = record->streamId,
                      .device = (int16_t)record->deviceId,
                      .kind = TN_TRACE_KERNEL});
}

static void take_memory(const tni_cupti_memory *record) {
    const char *name = record->kind == CUPTI_ACTIVITY_KIND_MEMSET            ? "fill"
                       : record->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD ? "copy to the device"
                       : record->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH ? "copy to the host"
                                                                             : "copy";
    if (!record->start || !record->end) {
        tni_record_lose(1);
        return;
    }
    take_work(record->correlationId, &(slot){.begun = (int64_t)record->start + offset_ns,
                                             .ended = (int64_t)record->end + offset_ns,
                                             .bytes = (int64_t)record->bytes,
                                             .name = tn_trace_name(name),
                                             .stream = record->streamId,
                                             .device = (int16_t)record->deviceId,
                                             .kind = TN_TRACE_WORK});
}

static void take(const CUpti_Activity *record) {
    switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: take_label((const void *)record); break;
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: take_kernel((const void *)record); break;
    case CUPTI_ACTIVITY_KIND_MEMCPY:
    case CUPTI_ACTIVITY_KIND_MEMSET: take_memory((const void *)record); break;
    default: break;
    }
}

/* --- Buffers, in threads of CUPTI's own or in one that flushes --- */

static void lend_buffer(uint8_t **buffer, size_t *bytes, size_t *records) {
    *records = 0;
    *bytes = 0;
    *buffer = NULL; /* then CUPTI drops records, and counts them */
    if (atomic_fetch_add(&outstanding, 1) < BUFFERS) *buffer = tni_malloc(BUFFER);
    if (*buffer)
        *bytes = BUFFER;
    else
        atomic_fetch_sub(&outstanding, 1);
}

static void take_buffer(CUcontext context, uint32_t stream, uint8_t *buffer, size_t bytes,
                        size_t valid) {
    (void)context;
    (void)stream;
    (void)bytes;
    CUpti_Activity *record = NULL;
    if (!buffer) return;
    pthread_mutex_lock(&lock);
    while (slots && valid && cupti.cuptiActivityGetNextRecord(buffer, valid, &record) == 0)
        take(record);
    pthread_mutex_unlock(&lock);
    tni_free(buffer);
    atomic_fetch_sub(&outstanding, 1);
}

/* --- From begin to end --- */

static const int kinds[] = {CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                            CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                            CUPTI_ACTIVITY_KIND_MEMSET};
/* Functions of the driver whose calls get a record, beside which the label's stands. */
static const uint32_t functions[] = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,       CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,     CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,        CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync,        CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2, CUPTI_DRIVER_TRACE_CBID_cuMemcpyPeerAsync,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpy2DAsync_v2,   CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async,
};

/* Those by which libraries launch. */
static const uint32_t runtime_functions[] = {
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_ptsz_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_ptsz_v11060,
};

static bool is_usable;

static void look(void) {
    uint32_t version = 0;
    const char *wish = getenv("TENORITE_CUPTI");
    if (!wish || strcmp(wish, "1") != 0 || getenv("CUDA_INJECTION64_PATH")) return;
    if (tni_cuda_library_load(TNI_LIBRARY_CUPTI, symbols, sizeof symbols / sizeof *symbols,
                              &cupti) != TN_OK)
        return;
    if (cupti.cuptiGetVersion(&version) != 0) return;
    is_usable = (version >= OLDEST && version < OLDEST_OF_13) ||
                (version >= OLDEST_OF_13 && version <= NEWEST_OF_13);
}

static int watch_each(int (*watch)(uint32_t function, uint8_t is_on), const uint32_t *list,
                      size_t count, bool is_on) {
    int error = 0;
    for (size_t k = 0; watch && k < count; k++)
        error |= watch(list[k], is_on);
    return error;
}

/* Functions one by one, where that is possible, else all of the driver. */
static bool watch_calls(bool is_on) {
    if (!cupti.cuptiActivityEnableDriverApi)
        return (is_on ? cupti.cuptiActivityEnable
                      : cupti.cuptiActivityDisable)(CUPTI_ACTIVITY_KIND_DRIVER) == 0;
    return (watch_each(cupti.cuptiActivityEnableDriverApi, functions,
                       sizeof functions / sizeof *functions, is_on) |
            watch_each(cupti.cuptiActivityEnableRuntimeApi, runtime_functions,
                       sizeof runtime_functions / sizeof *runtime_functions, is_on)) == 0;
}

static void disable(size_t count) {
    watch_calls(false);
    while (count-- > 0)
        cupti.cuptiActivityDisable(kinds[count]);
}

static bool enable(void) {
    size_t count = sizeof kinds / sizeof *kinds, done = 0;
    while (done < count && cupti.cuptiActivityEnable(kinds[done]) == 0)
        done++;
    if (done == count && watch_calls(true)) return true;
    disable(done);
    return false;
}

/* The least time between two looks at our clock, around one at CUPTI's. */
static bool compare_clocks(void) {
    int64_t best = INT64_MAX;
    for (int k = 0; k < 5; k++) {
        uint64_t theirs;
        int64_t before = tni_now_ns();
        if (cupti.cuptiGetTimestamp(&theirs) != 0) return false;
        int64_t took = tni_now_ns() - before;
        if (took >= best) continue;
        best = took;
        offset_ns = before + took / 2 - (int64_t)theirs;
    }
    return true;
}

bool tni_cupti_begin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, look);
    if (!is_usable) return false;
    slot *made = tni_calloc(SLOTS, sizeof *made);
    if (!made) return false;
    pthread_mutex_lock(&lock);
    slots = made;
    pthread_mutex_unlock(&lock);
    if (cupti.cuptiActivityRegisterCallbacks(lend_buffer, take_buffer) == 0 && compare_clocks() &&
        enable())
        return true;
    pthread_mutex_lock(&lock);
    slots = NULL;
    pthread_mutex_unlock(&lock);
    tni_free(made);
    return false;
}

void tni_cupti_end(void) {
    size_t dropped = 0;
    cupti.cuptiActivityFlushAll(0);
    cupti.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    disable(sizeof kinds / sizeof *kinds);
    if (cupti.cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped) == 0 && dropped)
        tni_record_lose((int64_t)dropped);
    pthread_mutex_lock(&lock);
    for (int k = 0; k < SLOTS; k++)
        if (slots[k].has_work) note(&slots[k], false, 0);
    tni_free(slots);
    slots = NULL;
    pthread_mutex_unlock(&lock);
}

void tni_cupti_push(const tn_stream *stream, uint64_t label) {
    learn(stream);
    cupti.cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, label);
}

void tni_cupti_pop(void) {
    uint64_t label;
    if (!is_usable) return;
    cupti.cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &label);
}
