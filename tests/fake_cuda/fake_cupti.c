/* A test double of CUPTI: records of what the double of the driver does.
 *
 * Work and labels are written into two buffers, so that either may come first. Its clock is the
 * system's and a number of seconds. Labels are written for each call that has one, whichever
 * functions of the driver are watched. */
#include "fake_cupti.h"

#include "backend/cuda/stream/cupti_types.h"
#include "fake.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FN(name, params) FAKE_API int name params;
#include "backend/cuda/stream/cupti.fn"

enum {
#define FN(name, params) ID_##name,
#include "backend/cuda/stream/cupti.fn"
    FUNCTIONS
};
static const char *const names[] = {
#define FN(name, params) #name,
#include "backend/cuda/stream/cupti.fn"
};
enum { KINDS = 64, CALLBACKS = 2048, LEVELS = 64, RECORD = 208, FAILED = 999 };
enum { WORK, LABELS, BUFFERS };

typedef struct work {
    uint32_t kind, number, device, stream;
    uint64_t start, bytes;
    uint8_t direction;
    const char *name;
} work;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t version = 24, last_number;
static long calls[FUNCTIONS], failing_in[FUNCTIONS], pushed, dropped;
static bool is_on[KINDS], is_watched[CALLBACKS], are_labels_first;
static CUpti_BuffersCallbackRequestFunc request;
static CUpti_BuffersCallbackCompleteFunc complete;
static struct {
    uint8_t *bytes;
    size_t room, used;
} buffers[BUFFERS];
static _Thread_local uint64_t labels[LEVELS];
static _Thread_local int level;

/* --- For tests --- */

static int id_of(const char *function) {
    int id = 0;
    while (id < FUNCTIONS && strcmp(names[id], function) != 0)
        id++;
    if (id == FUNCTIONS) abort();
    return id;
}

void fake_cupti_set_version(uint32_t wanted) {
    version = wanted;
}

void fake_cupti_fail(const char *function, long n) {
    memset(failing_in, 0, sizeof failing_in);
    if (function) failing_in[id_of(function)] = n;
}

long fake_cupti_calls(const char *function) {
    return calls[id_of(function)];
}

void fake_cupti_set_order(bool first) {
    are_labels_first = first;
}

long fake_cupti_pushed(void) {
    return pushed;
}

long fake_cupti_enabled(void) {
    long count = 0;
    for (int k = 0; k < KINDS; k++)
        count += is_on[k];
    for (int k = 0; k < CALLBACKS; k++)
        count += is_watched[k];
    return count;
}

/* Counts a call; true: it fails. Without the lock. */
static bool fails(int id) {
    pthread_mutex_lock(&lock);
    calls[id]++;
    bool answer = failing_in[id] > 0 && --failing_in[id] == 0;
    pthread_mutex_unlock(&lock);
    return answer;
}

/* --- Records, with the lock held but where a callback is called --- */

static void hand_back(int which) {
    uint8_t *bytes = buffers[which].bytes;
    size_t room = buffers[which].room, used = buffers[which].used;
    buffers[which].bytes = NULL;
    if (!bytes) return;
    pthread_mutex_unlock(&lock);
    complete(NULL, 0, bytes, room, used);
    pthread_mutex_lock(&lock);
}

static void add(int which, const void *record, size_t bytes, size_t room) {
    if (buffers[which].bytes && buffers[which].used + room > buffers[which].room) hand_back(which);
    if (!buffers[which].bytes) {
        size_t records = 0, size = 0;
        uint8_t *made = NULL;
        pthread_mutex_unlock(&lock);
        request(&made, &size, &records);
        pthread_mutex_lock(&lock);
        buffers[which].bytes = made;
        buffers[which].room = size;
        buffers[which].used = 0;
    }
    if (!buffers[which].bytes) {
        dropped++;
        return;
    }
    memset(buffers[which].bytes + buffers[which].used, 0, room);
    memcpy(buffers[which].bytes + buffers[which].used, record, bytes);
    buffers[which].used += room;
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return UINT64_C(1000000000) * (uint64_t)time.tv_sec + (uint64_t)time.tv_nsec +
           UINT64_C(4711000000000);
}

static uint32_t id_of_stream(CUstream stream) {
    return stream ? (uint32_t)((uintptr_t)stream >> 4) : 7;
}

/* CUPTI keeps the names of kernels. */
static const char *keep_name(const char *name) {
    static char kept[512][192];
    for (int k = 0; k < 512; k++) {
        if (!kept[k][0]) strncpy(kept[k], name, sizeof kept[k] - 1);
        if (strcmp(kept[k], name) == 0) return kept[k];
    }
    abort();
}

static void *note_submitted(const char *what, size_t bytes, int device, CUstream stream) {
    uint32_t kind = !bytes                      ? CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
                    : strcmp(what, "fill") == 0 ? CUPTI_ACTIVITY_KIND_MEMSET
                                                : CUPTI_ACTIVITY_KIND_MEMCPY;
    work *made = NULL;
    pthread_mutex_lock(&lock);
    uint32_t number = ++last_number;
    if (level && is_on[CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION]) {
        tni_cupti_correlation record = {CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                                        CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, labels[level - 1],
                                        number, 0};
        add(LABELS, &record, sizeof record, sizeof record);
    }
    if (is_on[kind] && (made = malloc(sizeof *made)))
        *made = (work){.kind = kind,
                       .number = number,
                       .device = (uint32_t)device,
                       .stream = id_of_stream(stream),
                       .bytes = bytes,
                       .direction = strcmp(what, "to device") == 0 ? 1
                                    : strcmp(what, "to host") == 0 ? 2
                                                                   : 8,
                       .name = bytes ? what : keep_name(what)};
    pthread_mutex_unlock(&lock);
    if (made) made->start = now();
    return made;
}

static void note_done(void *pointer) {
    work *done = pointer;
    pthread_mutex_lock(&lock);
    if (is_on[done->kind] && done->bytes) {
        tni_cupti_memory record = {.kind = done->kind,
                                   .copyKind = done->direction,
                                   .bytes = done->bytes,
                                   .start = done->start,
                                   .end = now(),
                                   .deviceId = done->device,
                                   .streamId = done->stream,
                                   .correlationId = done->number};
        add(WORK, &record, sizeof record, RECORD);
    } else if (is_on[done->kind]) {
        tni_cupti_kernel record = {.kind = done->kind,
                                   .start = done->start,
                                   .end = now(),
                                   .deviceId = done->device,
                                   .streamId = done->stream,
                                   .correlationId = done->number,
                                   .name = done->name};
        add(WORK, &record, sizeof record, RECORD);
    }
    pthread_mutex_unlock(&lock);
    free(done);
}

static const fake_watcher watcher = {note_submitted, note_done};

/* --- CUPTI's functions --- */

int cuptiGetVersion(uint32_t *answer) {
    *answer = version;
    return fails(ID_cuptiGetVersion) ? FAILED : 0;
}

int cuptiGetTimestamp(uint64_t *ns) {
    *ns = now();
    return fails(ID_cuptiGetTimestamp) ? FAILED : 0;
}

int cuptiGetStreamIdEx(CUcontext context, CUstream stream, uint8_t is_per_thread,
                       uint32_t *number) {
    if (fails(ID_cuptiGetStreamIdEx) || !context || is_per_thread) return FAILED;
    *number = id_of_stream(stream);
    return 0;
}

int cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
                                   CUpti_BuffersCallbackCompleteFunc completed) {
    if (fails(ID_cuptiActivityRegisterCallbacks)) return FAILED;
    request = requested;
    complete = completed;
    atomic_store(&fake_cuda_watcher, &watcher);
    return 0;
}

int cuptiActivityEnable(CUpti_ActivityKind kind) {
    if (fails(ID_cuptiActivityEnable)) return FAILED;
    is_on[kind] = true;
    return 0;
}

int cuptiActivityDisable(CUpti_ActivityKind kind) {
    if (fails(ID_cuptiActivityDisable)) return FAILED;
    is_on[kind] = false;
    return 0;
}

int cuptiActivityEnableDriverApi(uint32_t function, uint8_t wanted) {
    if (fails(ID_cuptiActivityEnableDriverApi)) return FAILED;
    is_watched[function] = wanted;
    return 0;
}

int cuptiActivityEnableRuntimeApi(uint32_t function, uint8_t wanted) {
    if (fails(ID_cuptiActivityEnableRuntimeApi)) return FAILED;
    is_watched[CALLBACKS / 2 + function] = wanted;
    return 0;
}

int cuptiActivityFlushAll(uint32_t flags) {
    (void)flags;
    if (fails(ID_cuptiActivityFlushAll)) return FAILED;
    pthread_mutex_lock(&lock);
    hand_back(are_labels_first ? LABELS : WORK);
    hand_back(are_labels_first ? WORK : LABELS);
    pthread_mutex_unlock(&lock);
    return 0;
}

int cuptiActivityGetNextRecord(uint8_t *buffer, size_t bytes, CUpti_Activity **record) {
    uint8_t *next = buffer;
    if (*record)
        next = (uint8_t *)*record + ((*record)->kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION
                                         ? sizeof(tni_cupti_correlation)
                                         : RECORD);
    if (next >= buffer + bytes) return 12; /* CUPTI_ERROR_MAX_LIMIT_REACHED */
    *record = (CUpti_Activity *)(void *)next;
    return 0;
}

int cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t *count) {
    (void)context;
    (void)stream;
    if (fails(ID_cuptiActivityGetNumDroppedRecords)) return FAILED;
    *count = (size_t)dropped;
    dropped = 0;
    return 0;
}

int cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t number) {
    if (fails(ID_cuptiActivityPushExternalCorrelationId) || level == LEVELS ||
        kind != CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0)
        return FAILED;
    labels[level++] = number;
    pthread_mutex_lock(&lock);
    pushed++;
    pthread_mutex_unlock(&lock);
    return 0;
}

int cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t *number) {
    (void)kind;
    if (fails(ID_cuptiActivityPopExternalCorrelationId) || !level) return FAILED;
    *number = labels[--level];
    pthread_mutex_lock(&lock);
    pushed--;
    pthread_mutex_unlock(&lock);
    return 0;
}
