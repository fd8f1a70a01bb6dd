/* Queues of the host's streams.
 *
 * Tasks run strictly in order. `submitted` and `completed` count them (a task that runs is not
 * completed); a queue is done when they are equal, and a wait is for `completed` to reach what
 * `submitted` was. The first failure of a task is kept, with its message, until a wait reports it;
 * later tasks run all the same.
 *
 * A queue with tasks has one turn (workers.h), which comes with the first task and ends when none
 * is left. Only what has the turn looks at `taken`, runs tasks and completes them:
 *   - a worker, until the queue is empty, or after a millisecond if other turns wait for a worker;
 *   - a thread that waits for the queue and finds the turn listed: it runs what it waits for
 *     itself, but for functions of the program, which expect a thread of their own;
 *   - a thread that queues more while many turns are listed: it runs the oldest turn for a
 *     millisecond;
 *   - a thread that has small work for an idle queue: it runs that itself;
 *   - a record that the next task waits for: the queue is parked, and no thread waits. The thread
 *     that raises the record takes the turn over, and lists it again if there is work.
 * A record is queued before any wait for it, so of all unfinished tasks the oldest never waits:
 * whatever the number of workers, streams that wait for each other don't hang.
 *
 * In a child of fork a queue that was made before has no turn. It answers TN_ERROR_FORKED, except
 * that a queue without work left is done.
 *
 * Order of locks: a queue's, then the workers'. A record's lock is taken alone. */
#include "backend/host/stream/queue.h"

#include "backend/host/stream/failure.h"
#include "backend/host/stream/queues.h"
#include "backend/host/stream/workers.h"
#include "core/base/alloc.h"
#include "core/base/thread.h"
#include "core/trace/trace.h"

#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

typedef struct task {
    struct task *next;
    tn_status (*work)(void *params); /* NULL: the parameters are a `waiting` */
    bool is_foreign;                 /* calls functions of the program */
    tni_trace_label label;
    _Alignas(16) char params[];
} task;

typedef struct waiting {
    tni_parked parked; /* the first member: the record knows this */
    tni_queue *queue;
    tni_record *record; /* retained */
} waiting;

struct tni_queue {
    tni_turn turn; /* the first member: workers know this */
    tni_queue_entry entry;

    tni_lock lock; /* guards the next three, and what writes `wake_at` */
    bool has_turn;
    task *first, **last;
    atomic_int advanced;          /* a futex word, for waits */
    atomic_uint_fast64_t wake_at; /* how many completed tasks the first of them waits for */

    task *taken; /* before `first`; this and entry.completed are of what has the turn */
    tni_failure failure;
};

static atomic_uint_fast64_t followers; /* tasks that were queued by tasks */
static const int64_t spin_ns = 10000, share_ns = 1000000;
static _Thread_local tni_queue *own; /* the queue that this thread works off */

/* --- Life --- */

static void work_turn(tni_turn *turn);

static tni_queue *queue_of(tni_queue_entry *entry) {
    return entry ? (tni_queue *)(void *)((char *)entry - offsetof(tni_queue, entry)) : NULL;
}

static void forget_in_child(void) {
    own = NULL;
    tni_workers_forget();
}
static void watch_forks(void) {
    pthread_atfork(NULL, NULL, forget_in_child);
}

tni_queue *tni_queue_new(int number) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    tni_queue *made = tni_malloc(sizeof *made);
    if (!made) return NULL;
    memset(made, 0, offsetof(tni_queue, failure.message));
    made->turn.work = work_turn;
    made->last = &made->first;
    atomic_init(&made->wake_at, UINT64_MAX);
    tni_queues_add(&made->entry, number);
    return made;
}

static void retain(tni_queue *queue) {
    atomic_fetch_add_explicit(&queue->entry.references, 1, memory_order_relaxed);
}

void tni_queue_release(tni_queue *gone) {
    if (tni_queues_release(&gone->entry)) tni_free(gone);
}

tni_queue *tni_queue_next(tni_queue *before, int number) {
    tni_queue_entry *next =
        tni_queues_next(before ? &before->entry : NULL, number, own ? &own->entry : NULL);
    if (before) tni_queue_release(before);
    return queue_of(next);
}

bool tni_queue_is_forked(const tni_queue *queue) {
    return tni_queues_are_forked(&queue->entry);
}

uint64_t tni_queue_followers(void) {
    return atomic_load_explicit(&followers, memory_order_relaxed);
}

/* --- Working off. The caller has the turn. --- */

/* The next task, which stays where it is; NULL: none is left, and the turn is over. */
static task *find_task(tni_queue *queue) {
    task *next = queue->taken;
    if (next) return next;
    tni_lock_take(&queue->lock);
    next = queue->taken = queue->first;
    queue->first = NULL;
    queue->last = &queue->first;
    queue->has_turn = next != NULL;
    tni_lock_give(&queue->lock);
    return next; /* without one, `taken` may be another's by now */
}

static void complete(tni_queue *queue, tn_status status) {
    if (status != TN_OK) tni_failure_keep(&queue->failure, status);
    uint64_t completed = atomic_load_explicit(&queue->entry.completed, memory_order_relaxed) + 1;
    atomic_store(&queue->entry.completed,
                 completed); /* before the look at `wake_at`: see wait_until() */
    if (completed < atomic_load(&queue->wake_at)) return;
    tni_lock_take(&queue->lock);
    atomic_store(&queue->wake_at, UINT64_MAX);
    atomic_fetch_add(&queue->advanced, 1);
    tni_lock_give(&queue->lock);
    tni_futex_wake(&queue->advanced, INT_MAX);
}

static void finish_task(tni_queue *queue, tn_status status) {
    task *task = queue->taken;
    queue->taken = task->next;
    if (!task->work) tni_record_release(((waiting *)task->params)->record);
    tni_free(task);
    complete(queue, status);
}

/* How far a thread goes that is no worker. */
typedef struct bounds {
    uint64_t completed;  /* so many are enough */
    int64_t deadline_ns; /* -1: none */
} bounds;

/* Runs no tasks, but passes waits that are over. */
static const bounds nothing = {0, -1};

/* Whether the turn is given up before `task`. */
static bool must_stop(tni_queue *queue, const task *task, const bounds *bounds,
                      int64_t *shared_since_ns) {
    if (bounds)
        return task->is_foreign || atomic_load(&queue->entry.completed) >= bounds->completed ||
               (bounds->deadline_ns >= 0 && tni_now_ns() >= bounds->deadline_ns);
    if (!tni_workers_are_short()) return false;
    int64_t now = tni_now_ns();
    if (*shared_since_ns == 0) *shared_since_ns = now;
    return now - *shared_since_ns > share_ns;
}

/* Does a task's work, on the stream's track of a trace. */
static tn_status run_work(const tni_queue *queue, const tni_trace_label *label,
                          tn_status (*work)(void *params), void *params) {
    int64_t begun = label->name ? tni_trace_begin(TNI_TRACE_ON) : 0;
    tn_status status = work(params);
    if (begun)
        tni_trace_end(&(tni_traced){.kind = TN_TRACE_WORK,
                                    .begun = begun,
                                    .name = label->name,
                                    .place = label->place,
                                    .number = label->stream,
                                    .device = {TN_BACKEND_HOST, queue->entry.number},
                                    .is_of_stream = true});
    return status;
}

/* Runs tasks until the turn is over, given up or parked; the queue may be gone then. `bounds` is
 * NULL in a worker. */
static void work_off(tni_queue *queue, const bounds *bounds) {
    tni_queue *outer = own;
    bool works_off = tni_self.works_off;
    int64_t shared_since_ns = 0;
    task *task;
    own = queue;
    tni_self.works_off = true;
    while ((task = find_task(queue))) {
        tn_status status = TN_OK;
        if (!task->work) {
            waiting *waiting = (void *)task->params;
            if (tni_record_park(waiting->record, &waiting->parked)) break;
        } else if (must_stop(queue, task, bounds, &shared_since_ns)) {
            tni_workers_give(&queue->turn);
            break;
        } else {
            status = run_work(queue, &task->label, task->work, task->params);
            if (tni_queue_is_forked(queue)) break; /* this is a child's only thread now */
        }
        finish_task(queue, status);
    }
    own = outer;
    tni_self.works_off = works_off;
    if (task) return;
    tni_workers_end();
    tni_queue_release(queue);
}

static void work_turn(tni_turn *turn) {
    work_off((tni_queue *)turn, NULL);
}

/* Called by the thread that raised the record. */
static void resume(tni_parked *parked) {
    tni_queue *queue = ((waiting *)parked)->queue;
    finish_task(queue, TN_OK);
    work_off(queue, &nothing);
}

/* --- Queueing --- */

static task *task_new(tn_status (*work)(void *params), const void *params, size_t bytes) {
    task *made = tni_malloc(sizeof *made + bytes);
    if (!made) return NULL;
    made->next = NULL;
    made->work = work;
    made->is_foreign = false;
    made->label = tni_trace_work;
    memcpy(made->params, params, bytes);
    return made;
}

/* Where many turns wait for a worker, a thread that queues more of them works off the oldest. Else
 * a program that makes streams faster than they are worked off would fill the memory. */
static void relieve(void) {
    tni_turn *oldest = tni_workers_take_excess();
    if (oldest) work_off((tni_queue *)oldest, &(bounds){UINT64_MAX, tni_now_ns() + share_ns});
}

/* Takes the task over, even where it fails. With the first one a turn begins: where that is a wait,
 * it goes to the record without a worker. */
static tn_status append(tni_queue *queue, task *task) {
    tn_status status = TN_OK;
    bool is_wait = !task->work;
    tni_lock_take(&queue->lock);
    bool is_first = !queue->has_turn;
    *queue->last = task;
    queue->last = &task->next;
    if (own) atomic_fetch_add_explicit(&followers, 1, memory_order_relaxed);
    if (is_first) {
        retain(queue);
        status = is_wait ? tni_workers_begin() : tni_workers_add(&queue->turn);
    }
    if (status == TN_OK) {
        queue->has_turn = true;
        atomic_fetch_add_explicit(&queue->entry.submitted, 1, memory_order_relaxed);
    } else {
        atomic_fetch_sub_explicit(&queue->entry.references, 1, memory_order_relaxed);
        queue->first = NULL;
        queue->last = &queue->first;
    }
    tni_lock_give(&queue->lock);
    if (status != TN_OK) tni_free(task);
    if (status == TN_OK && is_first) {
        if (is_wait)
            work_off(queue, &nothing);
        else
            relieve();
    }
    return status;
}

static tn_status fail_forked(const tni_queue *queue) {
    return tni_fail(
        TN_ERROR_FORKED,
        "the stream %p was made before fork; its work stays in the parent process, make "
        "a new stream in the child",
        (const void *)queue);
}

bool tni_queue_run(tni_queue *queue, tn_status (*work)(void *params), void *params) {
    if (tni_queue_is_forked(queue)) return false;
    tni_lock_take(&queue->lock);
    bool is_idle = !queue->has_turn;
    if (is_idle) {
        queue->has_turn = true;
        retain(queue);
        atomic_fetch_add_explicit(&queue->entry.submitted, 1, memory_order_relaxed);
    }
    tni_lock_give(&queue->lock);
    if (!is_idle) return false;
    tni_workers_hold();
    complete(queue, run_work(queue, &tni_trace_work, work, params));
    work_off(queue, &nothing); /* others may have queued something meanwhile */
    return true;
}

tn_status tni_queue_submit(tni_queue *queue, tn_status (*work)(void *params), const void *params,
                           size_t bytes, bool is_foreign) {
    if (tni_queue_is_forked(queue)) return fail_forked(queue);
    task *task = task_new(work, params, bytes);
    if (!task) return tni_fail_no_memory((int64_t)(sizeof *task + bytes));
    task->is_foreign = is_foreign;
    return append(queue, task);
}

static tn_status fail_for_lost(void *params) {
    tni_record *record = *(void **)params;
    tn_status status = tni_record_wait(record, -1);
    tni_record_release(record);
    return status;
}

tn_status tni_queue_submit_wait(tni_queue *queue, tni_record *record) {
    if (tni_queue_is_forked(queue)) return fail_forked(queue);
    waiting waiting = {{NULL, resume}, queue, record};
    bool is_lost = tni_record_is_lost(record);
    task *task = is_lost ? task_new(fail_for_lost, &record, sizeof record)
                         : task_new(NULL, &waiting, sizeof waiting);
    if (!task) return tni_fail_no_memory((int64_t)(sizeof *task + sizeof waiting));
    tni_record_retain(record);
    tn_status status = append(queue, task);
    if (status != TN_OK) tni_record_release(record);
    return status;
}

/* --- Waiting --- */

bool tni_queue_is_own(const tni_queue *queue) {
    return queue == own;
}

bool tni_queue_is_done(tni_queue *queue) {
    uint64_t submitted = atomic_load_explicit(&queue->entry.submitted, memory_order_relaxed);
    return atomic_load_explicit(&queue->entry.completed, memory_order_acquire) >= submitted;
}

/* Looks for a moment whether enough is completed: sleeping and waking cost more than most tasks. */
static void spin(tni_queue *queue, uint64_t completed) {
    for (int64_t end = tni_now_ns() + spin_ns; tni_now_ns() < end;)
        for (int turn = 0; turn < 32; turn++) {
            if (atomic_load_explicit(&queue->entry.completed, memory_order_relaxed) >= completed)
                return;
            tni_pause();
        }
}

/* Sleeps until so many tasks are completed. */
static tn_status wait_until(tni_queue *queue, uint64_t completed, int64_t deadline_ns) {
    while (atomic_load(&queue->entry.completed) < completed) {
        tni_lock_take(&queue->lock);
        if (completed < atomic_load(&queue->wake_at)) atomic_store(&queue->wake_at, completed);
        int advanced = atomic_load(&queue->advanced);
        tni_lock_give(&queue->lock);
        /* What completes from here on sees `wake_at`. */
        if (atomic_load(&queue->entry.completed) >= completed) break;
        int64_t left = deadline_ns < 0 ? -1 : deadline_ns - tni_now_ns();
        if (deadline_ns >= 0 && left <= 0) TNI_FAIL(TN_TIMEOUT, "the stream is still busy");
        tni_futex_wait(&queue->advanced, advanced, left);
    }
    return TN_OK;
}

tn_status tni_queue_synchronize(tni_queue *queue, int64_t deadline_ns, bool helps, bool reports) {
    if (tni_queue_is_forked(queue)) return tni_queue_is_done(queue) ? TN_OK : fail_forked(queue);
    uint64_t target = atomic_load(&queue->entry.submitted);
    if (helps && !tni_queue_is_done(queue) && tni_workers_take(&queue->turn))
        work_off(queue, &(bounds){target, deadline_ns});
    if (atomic_load(&queue->entry.completed) < target &&
        (deadline_ns < 0 || deadline_ns - tni_now_ns() > spin_ns))
        spin(queue, target);
    TNI_TRY(wait_until(queue, target, deadline_ns));
    return reports ? tni_failure_report(&queue->failure) : TN_OK;
}
