/* Algorithm: a table counts how often a graph was seen, by a hash of its nodes and dtypes without
 * the values of scalars and shapes. A graph that is seen again has its programs compiled in the
 * background, and runs by single calls until they are there. The more programs there are, the
 * oftener a graph has to be seen first, and after MOST none is begun. Another table keeps which
 * graphs with which shapes and strides have found their programs. Both forget the older of two that
 * have one place. */
#include "kernel/backlog/seen.h"

#include "core/array/array.h"
#include "kernel/backlog/figures.h"

#include <pthread.h>

enum { PLACES = 4096, MOST = 1024 };

static struct {
    uint64_t hash;
    uint32_t count;
} seen[PLACES];
static uint64_t ready[PLACES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0xff51afd7ed558ccd);
    return hash ^ hash >> 32;
}

static uint64_t hash_arrays(uint64_t hash, const tn_expression *e, const tn_operand *operands) {
    for (int k = 0; k < tn_expression_operand_count(e); k++) {
        const tn_array *array = operands[k].array;
        if (!array) continue;
        hash = mix(hash, (uint64_t)array->ndim << 8 | (uint64_t)(array->offset & 63));
        for (int axis = 0; axis < array->ndim; axis++) {
            hash = mix(hash, (uint64_t)tni_shape(array)[axis]);
            hash = mix(hash, (uint64_t)tni_strides(array)[axis]);
        }
    }
    return hash | 1; /* 0: a place that is free */
}

static uint64_t hash_graph(const tn_expression *e, tn_device device) {
    return mix(tn_expression_hash(e), (uint64_t)device.number) | 1;
}

uint64_t tni_seen_hash(const tn_expression *e, const tn_operand *operands, tn_device device) {
    return hash_arrays(hash_graph(e, device), e, operands);
}

static uint32_t times_wanted(int64_t programs) {
    uint32_t times = 2;
    for (int64_t many = 64; many < MOST && programs >= many; many *= 2)
        times *= 2;
    return times;
}

static uint32_t count(uint64_t hash) {
    pthread_mutex_lock(&lock);
    uint32_t *times = &seen[hash % PLACES].count;
    if (seen[hash % PLACES].hash != hash) *times = 0;
    seen[hash % PLACES].hash = hash;
    const uint32_t counted = *times < UINT32_MAX ? ++*times : *times;
    pthread_mutex_unlock(&lock);
    return counted;
}

static bool is_known(uint64_t hash) {
    pthread_mutex_lock(&lock);
    const bool known = ready[hash % PLACES] == hash;
    pthread_mutex_unlock(&lock);
    return known;
}

static void note(uint64_t hash) {
    pthread_mutex_lock(&lock);
    ready[hash % PLACES] = hash;
    pthread_mutex_unlock(&lock);
}

bool tni_seen_is_ready(const tn_expression *expression, const tn_operand *operands,
                       tn_stream *stream, bool by_chance, tni_evaluation *how) {
    if (stream->device.backend == TN_BACKEND_HOST) return true;
    const uint64_t graph = hash_graph(expression, stream->device);
    const uint64_t whole = hash_arrays(graph, expression, operands);
    if (is_known(whole)) return true;
    atomic_int_least64_t *programs = &tni_backlog_counted.programs;
    const int64_t made = atomic_load_explicit(programs, memory_order_relaxed);
    tni_asked asked = {made < MOST, 0, 0};
    tni_evaluation ask = {NULL, NULL, false, &asked, how->room, false};
    if (by_chance || count(graph) < times_wanted(made)) return false;
    tn_status status = tni_expression_run(NULL, expression, operands, stream, &ask);
    how->lacks_room = ask.lacks_room;
    tni_backlog_add(programs, asked.begun);
    if (status != TN_OK || asked.missing) return false;
    note(whole);
    return true;
}
