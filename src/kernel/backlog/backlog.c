/* The life of backlogs, and what looks at them.
 *
 * Decides: which threads' calls wait, and which backlogs a look runs. A backlog is made for the
 * first call of a thread that waits, and passes to a later thread when that one ends.
 *
 * Around a fork the locks of all backlogs are held and nothing waits, so that the child has neither
 * calls of threads that it lacks, nor a lock that one of these held. */
#include "kernel/backlog/backlog.h"

#include "core/base/threadkeep.h"
#include "core/base/wait.h"
#include "core/memory/hooks.h"
#include "kernel/backlog/entries.h"
#include "kernel/backlog/faster.h"
#include "kernel/backlog/figures.h"
#include "kernel/backlog/idle.h"
#include "kernel/backlog/join.h"
#include "kernel/backlog/list.h"
#include "kernel/backlog/run.h"

#include <string.h>

enum { LEAST_MEASURED = 1 << 16 };

static atomic_bool process_waits;
static atomic_int_least64_t least = LEAST_MEASURED;

static bool is_on(void) {
    return !tni_self.runs_backlog && !tni_has_hooks() && !tni_self.has_allocator &&
           (tni_self.waits > 0 ||
            (tni_self.waits == 0 && atomic_load_explicit(&process_waits, memory_order_relaxed)));
}

/* --- Looks --- */

static void run_all(tni_backlog *b, tni_look look) {
    if (tni_backlog_count(b) > 0) tni_backlog_run(b, tni_backlog_count(b), look);
}

/* For one buffer. A thread that works off a stream can't wait for that stream, and what was called
 * after the last call that names the buffer may have to. */
static tn_status run_for(tni_entry *entry, tni_look look, bool may_stop) {
    tni_backlog *b = entry->owner;
    const uint64_t last =
        entry->last_read > entry->last_write ? entry->last_read : entry->last_write;
    if (tni_backlog_count(b) == 0) return TN_OK;
    if (!tni_self.works_off || last <= b->first) return tni_backlog_try(b, look, may_stop);
    tni_backlog_run(b, (int)(last - b->first), look);
    return TN_OK;
}

/* The failure of an interruption, where that `may_stop` it. */
static tn_status settle(tn_buffer *buffer, tni_look look, bool may_stop) {
    tn_status status = TN_OK;
    while (!tni_self.runs_backlog && status == TN_OK) {
        void *known = atomic_load_explicit(&buffer->waiting, memory_order_acquire);
        if (!known || tni_is_lost(known)) break;
        tni_backlog *b = ((tni_entry *)known)->owner;
        tni_wait_lock(&b->lock);
        if (atomic_load_explicit(&buffer->waiting, memory_order_relaxed) == known)
            status = run_for(known, look, may_stop);
        pthread_mutex_unlock(&b->lock);
    }
    return status;
}

/* Reading does no harm to what is only wanted. */
static bool is_due(tn_buffer *buffer) {
    bool due = false;
    void *known = atomic_load_explicit(&buffer->waiting, memory_order_acquire);
    if (!known || tni_is_lost(known) || tni_self.runs_backlog) return false;
    tni_entry *entry = known;
    tni_wait_lock(&entry->owner->lock);
    if (atomic_load_explicit(&buffer->waiting, memory_order_relaxed) == known)
        due = entry->last_write > entry->owner->first;
    pthread_mutex_unlock(&entry->owner->lock);
    return due;
}

/* A handler of signals, within a wait of a run: what waits can't run before that run goes on. */
static tn_status refuse_interrupted(const tn_buffer *buffer) {
    void *known = atomic_load_explicit(&buffer->waiting, memory_order_acquire);
    if (!tni_self.is_interrupted || !known || tni_is_lost(known)) return TN_OK;
    return tni_fail(TN_ERROR_RUNTIME, "a signal's handler uses an array that calls wait for, while "
                                      "it interrupts their run");
}

static tn_status look_at(tni_look look, tn_buffer *buffer, bool writes) {
    if (tni_self.runs_backlog) return refuse_interrupted(buffer);
    if (writes || is_due(buffer)) TNI_TRY(settle(buffer, look, look != TNI_LOOK_ADDRESS));
    return tni_lost_repeat(buffer);
}

static bool is_meant(const tni_backlog *b, const tn_stream *stream, const tn_device *device) {
    if (stream) return b->stream == stream;
    return !device || (b->stream && tn_device_is_equal(b->stream->device, *device));
}

static tni_backlog *held; /* and those after it, by the thread that forks */

static void before_fork(void) {
    if (tni_self.holds_backlogs) return;
    tni_backlog *first = tni_backlogs_first();
    for (tni_backlog *b = first; b; b = b->next) {
        tni_wait_lock(&b->lock);
        run_all(b, TNI_LOOK_FORK);
    }
    held = first;
    tni_self.holds_backlogs = true;
}

static void after_fork(void) {
    if (!tni_self.holds_backlogs) return;
    tni_self.holds_backlogs = false;
    for (tni_backlog *b = held; b; b = b->next)
        pthread_mutex_unlock(&b->lock);
}

static void look(tni_look why, const tn_stream *stream, const tn_device *device) {
    if (tni_self.runs_backlog) return;
    if (why == TNI_LOOK_FORK) {
        before_fork();
        return;
    }
    for (tni_backlog *b = tni_backlogs_first(); b; b = b->next) {
        if (tni_backlog_count(b) == 0) continue;
        tni_wait_lock(&b->lock);
        if (is_meant(b, stream, device)) run_all(b, why);
        pthread_mutex_unlock(&b->lock);
    }
}

/* A graph that is one pass may keep an array that is as large as the new one, and numbers of rows:
 * a quarter more is no reason to cut it. */
static void look_at_memory(int64_t bytes) {
    tni_backlog *b = tni_self.backlog;
    if (!b || tni_self.runs_backlog || tni_backlog_count(b) == 0) return;
    tni_wait_lock(&b->lock);
    if (b->kept_bytes > bytes + bytes / 4) run_all(b, TNI_LOOK_POOL_GROWTH);
    pthread_mutex_unlock(&b->lock);
}

/* --- References --- */

/* A backlog that is busy finds out by itself, when it runs, which buffers it alone has. */
static bool release(tn_buffer *buffer) {
    void *known = atomic_load_explicit(&buffer->waiting, memory_order_acquire);
    if (!known || tni_is_lost(known)) return false;
    tni_backlog *b = ((tni_entry *)known)->owner;
    if (pthread_mutex_trylock(&b->lock) != 0) return false;
    bool is_entry = atomic_load_explicit(&buffer->waiting, memory_order_relaxed) == known;
    if (is_entry && atomic_fetch_sub_explicit(&buffer->references, 1, memory_order_acq_rel) == 2)
        tni_entry_note_death(known);
    pthread_mutex_unlock(&b->lock);
    return is_entry;
}

static bool is_awaited(const tn_array *array) {
    void *known = atomic_load_explicit(&array->buffer->waiting, memory_order_acquire);
    return known && !tni_is_lost(known) && ((tni_entry *)known)->owner == tni_self.backlog;
}

/* --- Life --- */

static void end_thread(void) {
    tni_backlog *b = tni_self.backlog;
    if (!b) return;
    tni_wait_lock(&b->lock);
    run_all(b, TNI_LOOK_THREAD_END);
    pthread_mutex_unlock(&b->lock);
    tni_self.backlog = NULL;
    tni_backlogs_give(b);
}

static tni_backlog *find_own(void) {
    if (tni_self.backlog) return tni_self.backlog;
    if (tni_self.holds_backlogs || !tni_thread_keeps(end_thread)) return NULL;
    tni_self.backlog = tni_backlogs_take();
    return tni_self.backlog;
}

/* --- Joining --- */

/* What most calls of few elements are on the host: nothing of theirs can wait. */
static inline bool is_small(int count, const tn_array *const *arrays, const tn_stream *stream) {
    const int64_t enough = atomic_load_explicit(&least, memory_order_relaxed);
    bool is_large = stream->device.backend != TN_BACKEND_HOST ||
                    (tni_self.backlog && tni_backlog_count(tni_self.backlog) > 0);
    for (int k = 0; k < count; k++)
        is_large |= arrays[k] && arrays[k]->size >= enough;
    return !is_large;
}

/* Notes what a call is; whether such a call is better computed at once, where nothing waits. */
static bool is_better_alone(tni_backlog *b, uint64_t what, const tn_array *made,
                            const tn_stream *stream) {
    if (!stream->is_immediate) return false;
    b->offered[2] = b->offered[1];
    b->offered[1] = b->offered[0];
    b->offered[0] = (what << 40) + (uint64_t)made->size;
    return tni_backlog_count(b) == 0 && tni_faster_is_eager(tni_backlog_known(b));
}

/* The thread's backlog, if such a call may wait; NULL: it may not. What other threads' backlogs
 * have of its arrays runs first. The last array is an output. */
static tni_backlog *may_join(uint64_t what, int count, const tn_array *const *arrays,
                             const tn_stream *stream) {
    if (is_small(count, arrays, stream)) return NULL;
    if (!is_on() || !tni_join_may_wait(count, arrays, stream, atomic_load(&least))) return NULL;
    tni_backlog *b = find_own();
    if (b && is_better_alone(b, what, arrays[count - 1], stream)) return NULL;
    for (int k = 0; k < count && b; k++)
        if (arrays[k] && tni_buffer_is_awaited(arrays[k]->buffer) && !is_awaited(arrays[k]))
            (void)settle(arrays[k]->buffer, TNI_LOOK_JOIN, false);
    return b;
}

static bool join_elementwise(const tni_elementwise *call, const tn_array *const *arrays, bool made,
                             tn_stream *stream) {
    const uint64_t what = (uint64_t)call->op << 8 | (uint64_t)call->dtype;
    tni_backlog *b = may_join(what, call->input_count + call->output_count, arrays, stream);
    return b && tni_join_elementwise(b, call, arrays, made, stream);
}

static bool join_reduce(const tni_reduce_request *request, const tn_array *output,
                        tn_stream *stream) {
    /* No host's pass takes in a fold of all of an array that is in memory. */
    if (output->size == 1 && stream->device.backend == TN_BACKEND_HOST &&
        !is_awaited(request->array))
        return false;
    const uint64_t what = (uint64_t)request->op << 8 | (uint64_t)request->loop | 1 << 20;
    tni_backlog *b = may_join(what, 2, (const tn_array *const[]){request->array, output}, stream);
    return b && tni_join_reduce(b, request, output, stream);
}

/* --- The program's choice --- */

static void after_fork_child(void) {
    tni_idle_forget();
    after_fork();
}

static void watch_forks(void) {
    pthread_atfork(NULL, after_fork, after_fork_child);
}

static void begin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static const tni_waiting_table table = {
        .join_elementwise = join_elementwise,
        .join_reduce = join_reduce,
        .is_awaited = is_awaited,
        .look_at = look_at,
        .look = look,
        .look_at_memory = look_at_memory,
        .release = release,
        .forget = tni_lost_forget,
    };
    pthread_once(&once, watch_forks);
    atomic_store_explicit(&tni_waiting, &table, memory_order_release);
}

/* The thread's calls wait no longer. */
static void stop(void) {
    tni_backlog *b = tni_self.backlog;
    if (!b || tni_backlog_count(b) == 0 || tni_self.runs_backlog) return;
    tni_wait_lock(&b->lock);
    run_all(b, TNI_LOOK_STOPPED);
    pthread_mutex_unlock(&b->lock);
}

tn_status tn_backlog_use(tn_waiting waiting) {
    if (waiting == TN_WAITING_ON) {
        begin();
        if (!find_own()) return tni_fail_no_memory(sizeof(tni_backlog));
    }
    if (waiting == TN_WAITING_EAGER) stop();
    tni_self.waits = (int8_t)waiting;
    return TN_OK;
}

tn_waiting tn_backlog_used(void) {
    return (tn_waiting)tni_self.waits;
}

void tn_backlog_use_in_process(bool waits, int64_t least_elements) {
    atomic_store(&least, least_elements < 0 ? LEAST_MEASURED : least_elements);
    tni_faster_use(least_elements < 0); /* what is not measured does not depend on times */
    if (waits) begin();
    atomic_store(&process_waits, waits);
}

bool tn_backlog_used_in_process(void) {
    return atomic_load(&process_waits);
}

void tn_backlog_set_patience(int64_t nanoseconds) {
    tni_idle_set_patience(nanoseconds);
}

tn_status tn_stream_run(tn_stream *stream) {
    TNI_TRY(tni_stream_or_current(&stream));
    tni_look_stream(TNI_LOOK_ASKED, stream);
    return TN_OK;
}

bool tn_array_is_due(const tn_array *array) {
    return is_due(array->buffer);
}

/* --- Figures --- */

static int64_t get(const atomic_int_least64_t *counter) {
    return atomic_load_explicit(counter, memory_order_relaxed);
}

void tn_backlog_get_figures(tn_backlog_figures *figures) {
    const tni_backlog_counters *c = &tni_backlog_counted;
    *figures = (tn_backlog_figures){
        .joined = get(&c->joined),
        .runs = get(&c->runs),
        .graphs = get(&c->graphs),
        .programs = get(&c->programs),
        .single_calls = get(&c->single_calls),
        .dropped = get(&c->dropped),
        .lost = get(&c->lost),
        .launches = get(&c->launches),
        .bytes = get(&c->bytes),
        .single_launches = get(&c->single_launches),
        .single_bytes = get(&c->single_bytes),
    };
    for (const tni_backlog *b = tni_backlogs_first(); b; b = b->next)
        figures->waiting += tni_backlog_count(b);
}

bool tn_backlog_last_run(tn_backlog_run *run, int ago) {
    tni_backlog *b = tni_self.backlog;
    if (!b || tni_self.runs_backlog || (unsigned)ago >= TNI_WAITING_REASONS) return false;
    tni_wait_lock(&b->lock);
    *run = b->runs[ago];
    pthread_mutex_unlock(&b->lock);
    return run->calls > 0;
}

bool tn_backlog_get_call(tn_backlog_call *call, int number) {
    tni_backlog *b = tni_self.backlog;
    if (!b || tni_self.runs_backlog || number < 0) return false;
    tni_wait_lock(&b->lock);
    const bool is_there = number < tni_backlog_count(b);
    if (is_there) {
        const tni_waiting_call *of = &b->calls[number];
        const tn_array *made = tni_slot_array(of->arguments[of->input_count].slot);
        *call = (tn_backlog_call){tni_call_name(of), (tn_dtype)made->dtype, made->ndim, {0}};
        memcpy(call->shape, tni_shape(made), sizeof(int64_t) * (size_t)made->ndim);
    }
    pthread_mutex_unlock(&b->lock);
    return is_there;
}
