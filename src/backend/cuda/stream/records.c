/* Records of failures, and when one becomes an error.
 *
 * Decides: a failure is raised by the first wait of any kind for work of the device once a kernel
 * has reported it, because the awaited work may itself have waited for that kernel. The record lies
 * in pinned memory, which the kernel writes and the host reads without a call to the driver.
 * Areas live for ever in a list that only grows at its front. The list's lock is taken when an area
 * is looked up, and when a record is read that is set; a wait only looks whether one is. */
#include "backend/cuda/stream/records.h"

#include "core/base/error.h"
#include "core/base/wait.h"
#include "ops/failures.h"

#include <pthread.h>
#include <tenorite/elementwise.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(tni_area *) areas;

tni_area *tni_areas_lock(void) {
    tni_wait_lock(&lock);
    return atomic_load(&areas);
}

void tni_areas_unlock(void) {
    pthread_mutex_unlock(&lock);
}

void tni_areas_add(tni_area *area) {
    area->next = atomic_load(&areas);
    atomic_store(&areas, area);
}

static tn_status fail(tn_failure kind, int64_t axis, int64_t index, int64_t size) {
    const char *text = (const char *)(uintptr_t)index;
    switch (kind) {
    case TN_FAILURE_MATRIX: return tni_fail(TN_ERROR_LINALG, "%s", text);
    case TN_FAILURE_STRUCTURE: return tni_fail(TN_ERROR_VALUE, "%s", text);
    case TN_FAILURE_SEGMENT:
        return tni_fail(TN_ERROR_INDEX, "index %lld out-of-bounds in %s.reduceat [0, %lld)",
                        (long long)index, tn_op_name((tn_op)axis), (long long)size);
    case TN_FAILURE_INDEX: break;
    }
    return tni_fail(TN_ERROR_INDEX, "index %lld is out of bounds for axis %lld with size %lld",
                    (long long)index, (long long)axis, (long long)size);
}

static bool has_record(const tni_area *area, int number) {
    return area->number == number &&
           atomic_load_explicit(&area->record->is_set, memory_order_acquire);
}

/* Takes a record, so that the next bad index is kept again: it is unset before the epoch that
 * allows the next. Another thread may have taken it meanwhile; then there is nothing to raise. */
static tn_status raise(int number) {
    tni_area *found = tni_areas_lock();
    while (found && !has_record(found, number))
        found = found->next;
    int64_t kind = 0, axis = 0, index = 0, size = 0;
    if (found) {
        kind = found->record->kind;
        axis = found->record->axis;
        index = found->record->index;
        size = found->record->size;
        atomic_store(&found->record->is_set, 0);
        atomic_fetch_add(&found->record->epoch, 1);
    }
    tni_areas_unlock();
    return found ? fail((tn_failure)kind, axis, index, size) : TN_OK;
}

tn_status tni_records_check(int number) {
    for (const tni_area *each = atomic_load_explicit(&areas, memory_order_acquire); each;
         each = each->next)
        if (__builtin_expect(has_record(each, number), 0)) return raise(number);
    return TN_OK;
}

/* A record that is set stays to be raised. Memory that running work may still touch is never handed
 * on. */
void tni_records_drop_stream(const tn_stream *stream, bool is_done) {
    for (tni_area *each = tni_areas_lock(); each; each = each->next) {
        if (atomic_load(&each->stream) != stream) continue;
        atomic_store(&each->stream, NULL);
        each->is_idle = is_done && !atomic_load(&each->graph);
    }
    tni_areas_unlock();
}

void tni_records_drop_graph(const struct tn_graph *graph) {
    for (tni_area *each = tni_areas_lock(); each; each = each->next) {
        if (atomic_load(&each->graph) != graph) continue;
        atomic_store(&each->graph, NULL);
        atomic_store(&each->stream, NULL);
        each->is_idle = true;
    }
    tni_areas_unlock();
}
