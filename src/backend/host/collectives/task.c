/* Calls that are done together: a task.
 *
 * Algorithm: all calls of a task are advanced in turn until they are done, so that a message and
 * the one it waits for may be in one task, and ranks of one thread in one group. A call of a
 * communicator begins when the collective before it in the task is done; of messages, when the
 * earlier one of the same direction and peer is. Where nothing moves, the thread looks about for
 * some microseconds, then yields, then sleeps until the bell of the shared memory; every 20 ms it
 * looks whether the ranks that it waits for live.
 *
 * Tasks of one communicator run in the order in which they were launched, whatever their streams:
 * each draws a ticket of each of its communicators, all in one step, and queues itself in the same
 * step. So no two tasks wait for each other's turn. A recorded task draws its tickets when it runs.
 *
 * A failure breaks the group for all its ranks, in this process and in others: what went through
 * the shared memory is half done. */
#include "backend/host/collectives/task.h"

#include "backend/host/stream/launch.h"
#include "backend/host/stream/workers.h"
#include "core/base/alloc.h"
#include "core/base/error.h"
#include "core/base/lock.h"
#include "core/base/wait.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

typedef struct task {
    int count;
    bool has_tickets;
    bool is_queued; /* runs in a worker: no hook around the wait */
    tni_step steps[];
} task;

static tni_lock tickets;

/* --- Turns --- */

/* Whether step `k` is the first one of its communicator in the task. */
static bool is_first(const task *task, int k) {
    for (int j = 0; j < k; j++)
        if (task->steps[j].communicator == task->steps[k].communicator) return false;
    return true;
}

/* Called with the lock of tickets held. */
static void draw_tickets(task *task) {
    for (int k = 0; k < task->count; k++) {
        tni_step *step = &task->steps[k];
        tni_rank *rank = tni_rank_find(step->communicator);
        if (!rank) continue;
        step->ticket = is_first(task, k) ? rank->next_ticket++ : rank->next_ticket - 1;
        tni_rank_release(rank);
    }
    task->has_tickets = true;
}

static bool has_turn(const tni_step *step) {
    return atomic_load_explicit(&step->rank->serving, memory_order_acquire) == step->ticket;
}

static void pass_turns(task *task) {
    for (int k = 0; k < task->count; k++) {
        tni_step *step = &task->steps[k];
        if (!step->rank || !is_first(task, k)) continue;
        while (!has_turn(step)) /* after a failure: tasks before this one fail, too */
            sched_yield();
        atomic_fetch_add(&step->rank->serving, 1);
    }
}

void tni_task_drain(const tni_rank *rank) {
    for (;;) {
        tni_lock_take(&tickets);
        bool is_done = atomic_load(&rank->serving) == rank->next_ticket;
        tni_lock_give(&tickets);
        if (is_done) return;
        tni_break pause = tni_break_begin();
        sched_yield();
        tni_break_end(pause);
    }
}

/* --- Running --- */

/* Whether a step before this one must be done first. */
static bool is_held_up(const task *task, int k) {
    const tni_step *step = &task->steps[k];
    if (!has_turn(step)) return true;
    for (int j = 0; j < k; j++) {
        const tni_step *before = &task->steps[j];
        if (before->is_done || before->communicator != step->communicator) continue;
        bool is_message = step->call.kind >= TN_SEND, was_message = before->call.kind >= TN_SEND;
        if (is_message != was_message || (is_message && (before->call.kind != step->call.kind ||
                                                         before->call.root != step->call.root)))
            continue;
        return true;
    }
    return false;
}

/* Advances each step once; `left` is how many are not done. The step that fails is `*at`. */
static tn_status advance_all(task *task, bool *moved, int *left, int *at) {
    *left = 0;
    for (int k = 0; k < task->count; k++) {
        tni_step *step = &task->steps[k];
        if (step->is_done) continue;
        if (!is_held_up(task, k)) {
            *at = k;
            TNI_TRY(tni_step_advance(step, moved));
        }
        *left += !step->is_done;
    }
    return TN_OK;
}

typedef struct run {
    task *task;
    int64_t moved_ns, looked_ns; /* when something moved last, and when peers were looked at */
    tni_step *failed;            /* NULL: no step in particular */
} run;

static tn_status fail_step(run *run, tni_step *step, const char *why) {
    char text[TNI_FAILURE_TEXT];
    run->failed = step;
    tni_step_describe(text, step);
    return tni_fail_collective(TNI_NCCL_REMOTE, "%s: %s", text, why);
}

/* Fails where nothing will ever move again. A peer's part may have come before its end, so the
 * steps are advanced once more after each look. */
static tn_status look_around(run *run) {
    const int64_t limit_ns = tni_collective_timeout_ns();
    char why[TNI_FAILURE_TEXT];
    int64_t now_ns = tni_now_ns();
    run->looked_ns = now_ns;
    for (int k = 0; k < run->task->count; k++) {
        tni_step *step = &run->task->steps[k];
        if (step->is_done || is_held_up(run->task, k)) continue;
        const char *failure = tni_segment_failure(&step->rank->segment);
        if (failure) return fail_step(run, step, failure);
        if (step->rank->is_ended) return fail_step(run, step, "the communicator is aborted");
        if (limit_ns >= 0 && now_ns - run->moved_ns > limit_ns) {
            snprintf(why, sizeof why, "rank %d did not come within %g s (TENORITE_NCCL_TIMEOUT)",
                     step->awaited, (double)limit_ns / 1e9);
            return fail_step(run, step, why);
        }
        if (step->awaited < 0 || tni_rank_may_come(step->rank, step->awaited, why)) continue;
        bool moved = false;
        run->failed = step;
        TNI_TRY(tni_step_advance(step, &moved));
        if (!moved) return fail_step(run, step, why);
    }
    return TN_OK;
}

/* Sleeps until something comes to the group of the first step that waits. */
static void sleep_once(task *task) {
    const int64_t nap_ns = 5000000;
    bool moved = false;
    int left, at;
    const tni_step *step = task->steps;
    while (step->is_done)
        step++;
    const tni_segment *segment = &step->rank->segment;
    bool is_alone = task->count == 1 && has_turn(step);
    int bell = atomic_load(&segment->shared->bell);
    atomic_fetch_add(&segment->shared->sleepers, 1);
    tn_status status = advance_all(task, &moved, &left, &at);
    if (status == TN_OK && !moved && left > 0)
        tni_segment_sleep(segment, bell, is_alone ? nap_ns : nap_ns / 50);
    atomic_fetch_sub(&segment->shared->sleepers, 1);
}

/* A slice of the wait for all steps. */
static tn_status run_slice(const void *context, int64_t timeout_ns) {
    enum { SPINS = 300, YIELDS = 350, LOOKS = 16 };
    const int64_t look_ns = 20000000;
    run *run = (struct run *)(uintptr_t)context;
    int64_t begun_ns = tni_now_ns();
    int left = 1, at = 0;
    for (int idle = 0;;) {
        bool moved = false;
        tn_status status = advance_all(run->task, &moved, &left, &at);
        if (status != TN_OK) {
            run->failed = &run->task->steps[at];
            return status;
        }
        if (left == 0) return TN_OK;
        idle = moved ? 0 : idle + 1;
        if (idle < SPINS) {
            if (!moved) tni_pause();
            if (!moved || timeout_ns < 0) continue;
        } else if (idle < YIELDS) {
            sched_yield();
        } else {
            sleep_once(run->task);
        }
        int64_t now_ns = tni_now_ns();
        if (moved) run->moved_ns = now_ns;
        if (now_ns - run->looked_ns > look_ns) TNI_TRY(look_around(run));
        if (timeout_ns >= 0 && now_ns - begun_ns >= timeout_ns) return TN_TIMEOUT;
    }
}

static tn_status find_ranks(task *task) {
    for (int k = 0; k < task->count; k++) {
        tni_step *step = &task->steps[k];
        step->rank = tni_rank_find(step->communicator);
        if (!step->rank)
            return tni_fail_collective(
                TNI_NCCL_ARGUMENT, "%s: the communicator was destroyed before the call was done",
                tni_step_name(step));
    }
    return TN_OK;
}

/* Tells all groups of the task that they are broken. */
static void break_groups(const run *run) {
    const char *text = tn_error_message(), *words = strstr(text, "; ");
    for (int k = 0; k < run->task->count; k++)
        if (run->task->steps[k].rank)
            tni_segment_break(&run->task->steps[k].rank->segment, words ? words + 2 : text);
}

static tn_status run_task(task *task) {
    int64_t now_ns = tni_now_ns();
    run run = {task, now_ns, now_ns, NULL};
    tn_status status = find_ranks(task);
    if (status == TN_OK && !task->has_tickets) {
        tni_lock_take(&tickets);
        draw_tickets(task);
        tni_lock_give(&tickets);
    }
    for (int k = 0; k < task->count && status == TN_OK; k++)
        status = tni_rank_check(task->steps[k].rank);
    if (status == TN_OK)
        status = task->is_queued ? run_slice(&run, -1) : tni_wait(run_slice, &run, -1);
    if (status != TN_OK) break_groups(&run);
    pass_turns(task);
    for (int k = 0; k < task->count; k++)
        if (task->steps[k].rank) tni_rank_release(task->steps[k].rank);
    return status;
}

static tn_status run_queued(void *params) {
    bool has_left = tni_workers_leave();
    tn_status status = run_task(params);
    if (has_left) tni_workers_return();
    return status;
}

/* --- Launching --- */

static size_t task_bytes(int count) {
    return sizeof(task) + (size_t)count * sizeof(tni_step);
}

/* The steps of one stream; of immediate ones, all of them. */
static task *gather(const tni_step *steps, tn_stream *const *streams, int count,
                    const tn_stream *of) {
    task *made = tni_malloc(task_bytes(count));
    if (!made) return NULL;
    made->count = 0;
    made->has_tickets = false;
    made->is_queued = of != NULL;
    for (int k = 0; k < count; k++)
        if (of ? streams[k] == of : streams[k]->is_immediate) made->steps[made->count++] = steps[k];
    return made;
}

static tn_status queue_stream(const tni_step *steps, tn_stream *const *streams, int count,
                              tn_stream *stream) {
    task *made = gather(steps, streams, count, stream);
    if (!made) return tni_fail_no_memory((int64_t)task_bytes(count));
    tni_host_plan plan = {run_queued, made, task_bytes(made->count), .is_foreign = true};
    tni_lock_take(&tickets);
    if (!tni_stream_capture(stream)) draw_tickets(made);
    tn_status status = tni_host_launch_queued(&plan, stream);
    tni_lock_give(&tickets);
    tni_free(made);
    return status;
}

tn_status tni_task_launch(const tni_step *steps, tn_stream *const *streams, int count) {
    tn_status status = TN_OK;
    task *now = gather(steps, streams, count, NULL);
    if (!now) return tni_fail_no_memory((int64_t)task_bytes(count));
    if (now->count > 0) {
        tni_lock_take(&tickets);
        draw_tickets(now);
        tni_lock_give(&tickets);
    }
    for (int k = 0; k < count && status == TN_OK; k++) {
        bool is_seen = streams[k]->is_immediate;
        for (int j = 0; j < k && !is_seen; j++)
            is_seen = streams[j] == streams[k];
        if (!is_seen) status = queue_stream(steps, streams, count, streams[k]);
    }
    if (now->count > 0) {
        tn_status done = run_task(now);
        if (status == TN_OK) status = done;
    }
    tni_free(now);
    return status;
}
