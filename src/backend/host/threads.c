/* The pool of threads after tni_parallel().
 *
 * A region splits [0, count) into one share per thread, contiguous, so that a thread meets the same
 * memory again in the next loop. Each takes pieces off the front of its own share, and helps with
 * the others' when it is through: a thread that woke late, or never, holds none up.
 *
 * `state` is the whole protocol: a region number, an open bit, how many workers joined and how many
 * are still inside. The caller writes the region, opens it and works. A worker that sees a new
 * number joins by adding itself to both counts, only while the region is open and not full; so once
 * the caller has closed it and `inside` is 0, no worker touches the region any more. Workers spin
 * for about 20 us after a region and then sleep on `signal_word`; the caller wakes them only if
 * some sleep.
 *
 * A region is opened only where it gains. The first grain of short work runs in the caller and is
 * timed: what is left is shared if it takes `share_ns`, and sleeping workers are woken if it takes
 * `wake_ns`. On a busy machine a worker without a processor costs more than it gives, and one that
 * spins may cost the caller its own. So while the machine is busy only work of `busy_share_ns` is
 * shared. Three things tell: fewer processors are idle than the kernel has threads for, looked up
 * once in a while; a worker was interrupted for long while it spun; a caller waited for a worker
 * for longer than it had worked. After the latter two sharing pauses twice as long each time that
 * the next try fails, too.
 *
 * One region runs at a time. A caller that finds the pool taken, or is inside a region already,
 * runs its loop alone. A child of fork has no workers and starts its own. */
#include "backend/host/threads.h"

#include "backend/host/table.h"
#include "core/base/lock.h"
#include "core/base/threadstart.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS_MAX = 256, PIECES_PER_SHARE = 8 };
static const int64_t spin_ns = 20000, interruption_ns = 200000;
/* Work that is worth another thread that spins, one that sleeps, one on a busy machine. */
static const int64_t share_ns = 4000, wake_ns = 30000, busy_share_ns = 10000000;
static const int64_t try_ns = 2000; /* short units that are timed together */
/* A look at what else runs takes 5 us, so work of `look_work_ns` lies between two. */
static const int64_t look_ns = 5000000, look_work_ns = 500000;
static const int64_t pause_min_ns = 10000000, pause_max_ns = 320000000;

/* state: number << 32 | open << 31 | joined << 16 | inside */
#define OPEN ((uint64_t)1 << 31)
#define JOINED ((uint64_t)1 << 16)
#define NUMBER(s) ((s) >> 32)
#define COUNT(s) ((int)((s) >> 16 & 0x7fff)) /* of workers that joined */
#define INSIDE(s) ((int)((s)&0xffff))

typedef struct share {
    _Alignas(64) _Atomic(int64_t) next;
    int64_t end;
} share;

static struct {
    void (*task)(void *context, int64_t begin, int64_t end);
    void *context;
    int64_t piece;
    int threads;
    share shares[THREADS_MAX];
} region;

static _Alignas(64) _Atomic(uint64_t) state;
static _Alignas(64) atomic_int signal_word; /* the region's number, for sleepers */
static atomic_int sleepers;
static _Alignas(64) atomic_int is_taken; /* a region runs, or workers are being started */
static atomic_int places;                /* for workers in the region */
static atomic_int caller_sleeps;         /* until `inside` is 0 */
static int workers;                      /* started so far; guarded by is_taken */
static atomic_int chosen_count;          /* tni_thread_set_count; 0: automatic */
static _Atomic(int64_t) alone_until;     /* the end of the last pause of sharing */
static _Atomic(int64_t) pause_ns;        /* how long it was */
static _Atomic(int64_t) next_look, work_since_look;
static atomic_int idle_processors = THREADS_MAX; /* beside the caller's, at the last look */
static _Thread_local bool is_inside;

/* --- How many --- */

/* CPU time that a control group allows, in whole processors; 0: no limit. */
static int quota_processors(void) {
    long long quota = -1, period = 0;
    FILE *file = fopen("/sys/fs/cgroup/cpu.max", "re");
    if (file) {
        if (fscanf(file, "%lld %lld", &quota, &period) != 2) quota = -1;
        fclose(file);
    } else {
        file = fopen("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "re");
        if (file && fscanf(file, "%lld", &quota) != 1) quota = -1;
        if (file) fclose(file);
        file = fopen("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "re");
        if (file && fscanf(file, "%lld", &period) != 1) period = 0;
        if (file) fclose(file);
    }
    if (quota <= 0 || period <= 0) return 0;
    return (int)((quota + period - 1) / period);
}

static int usable_processors(void) {
    int count = 0;
#ifdef __linux__
    cpu_set_t *set = CPU_ALLOC(8192);
    size_t bytes = CPU_ALLOC_SIZE(8192);
    if (set && sched_getaffinity(0, bytes, set) == 0) count = CPU_COUNT_S(bytes, set);
    CPU_FREE(set);
#endif
    if (count <= 0) count = (int)sysconf(_SC_NPROCESSORS_ONLN);
    int quota = quota_processors();
    return quota > 0 && quota < count ? quota : count;
}

static int hold(long count) {
    return count < 1 ? 1 : count > THREADS_MAX ? THREADS_MAX : (int)count;
}

int tni_thread_count(void) {
    static atomic_int automatic;
    int count = atomic_load_explicit(&chosen_count, memory_order_relaxed);
    if (count > 0) return count;
    count = atomic_load_explicit(&automatic, memory_order_relaxed);
    if (count > 0) return count;
    const char *wish = getenv("TENORITE_NUM_THREADS");
    long number = wish ? strtol(wish, NULL, 10) : 0;
    count = hold(number > 0 ? number : usable_processors());
    atomic_store_explicit(&automatic, count, memory_order_relaxed);
    return count;
}

void tni_thread_set_count(int count) {
    atomic_store(&chosen_count, count > 0 ? hold(count) : 0);
}

/* --- Whether --- */

static int64_t load_relaxed(_Atomic(int64_t) *value) {
    return atomic_load_explicit(value, memory_order_relaxed);
}

static void store_relaxed(_Atomic(int64_t) *to, int64_t value) {
    atomic_store_explicit(to, value, memory_order_relaxed);
}

static bool is_pausing(int64_t now) {
    return now < load_relaxed(&alone_until);
}

/* Sharing has cost more than it gave. Several threads may say so at a time. */
static void begin_pause(void) {
    int64_t now = tni_now_ns(), since = now - load_relaxed(&alone_until);
    if (since < 0) return;
    int64_t pause = load_relaxed(&pause_ns);
    pause = since < pause ? 2 * pause : pause_min_ns;
    if (pause > pause_max_ns) pause = pause_max_ns;
    store_relaxed(&pause_ns, pause);
    store_relaxed(&alone_until, now + pause);
}

/* How many threads of the machine want a processor now, the caller included; 0: not known. */
static int count_running(void) {
    char text[128];
    int file = open("/proc/loadavg", O_RDONLY | O_CLOEXEC), running;
    if (file < 0) return 0;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = 0;
    return sscanf(text, "%*s %*s %*s %d", &running) == 1 ? running : 0;
}

/* Looks what else runs, after `work_ns` more of work that may be shared. */
static void look_around(int64_t now, int64_t work_ns) {
    static atomic_int processors;
    work_ns += load_relaxed(&work_since_look);
    store_relaxed(&work_since_look, work_ns);
    if (work_ns < look_work_ns || now < load_relaxed(&next_look)) return;
    store_relaxed(&work_since_look, 0);
    store_relaxed(&next_look, now + look_ns);
    if (processors == 0) processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
    int others = count_running() - 1 - (workers - sleepers);
    int idle = processors - 1 - (others > 0 ? others : 0);
    idle_processors = idle;
    if (idle < 1 && !is_pausing(now)) store_relaxed(&alone_until, now + look_ns);
}

/* --- Work --- */

/* Takes pieces of one share until it is empty. */
static void work_share(share *share) {
    for (;;) {
        int64_t begin = atomic_load_explicit(&share->next, memory_order_relaxed);
        if (begin >= share->end) return;
        begin = atomic_fetch_add_explicit(&share->next, region.piece, memory_order_relaxed);
        if (begin >= share->end) return;
        int64_t left = share->end - begin;
        region.task(region.context, begin, begin + (left < region.piece ? left : region.piece));
    }
}

static void work_region(int first) {
    int threads = region.threads;
    for (int k = 0; k < threads; k++)
        work_share(&region.shares[(first + k) % threads]);
}

/* Joins the open region of `seen`; false if it is closed or full. */
static bool join(uint64_t seen) {
    while (seen & OPEN && COUNT(seen) < atomic_load_explicit(&places, memory_order_relaxed))
        if (atomic_compare_exchange_weak_explicit(&state, &seen, seen + JOINED + 1,
                                                  memory_order_acq_rel, memory_order_acquire))
            return true;
    return false;
}

static void leave(void) {
    uint64_t before = atomic_fetch_sub_explicit(&state, 1, memory_order_seq_cst);
    if (INSIDE(before) == 1 && !(before & OPEN) &&
        atomic_exchange_explicit(&caller_sleeps, 0, memory_order_seq_cst))
        tni_futex_wake(&caller_sleeps, 1);
}

/* Waits for a region other than `number`: spins for a while, then sleeps. */
static uint64_t wait_for_region(uint64_t number) {
    int64_t now = tni_now_ns(), end = now + spin_ns;
    for (unsigned turn = 1;; turn++) {
        uint64_t seen = atomic_load_explicit(&state, memory_order_acquire);
        if (NUMBER(seen) != number) return seen;
        if (turn % 64) {
            tni_pause();
            continue;
        }
        int64_t before = now;
        now = tni_now_ns();
        if (now - before > interruption_ns) begin_pause();
        if (now < end) continue;
        atomic_fetch_add_explicit(&sleepers, 1, memory_order_seq_cst);
        tni_futex_wait(&signal_word, (int)(uint32_t)number, -1);
        atomic_fetch_sub_explicit(&sleepers, 1, memory_order_relaxed);
        now = tni_now_ns();
    }
}

static void *worker(void *context) {
    int index = (int)(intptr_t)context;
    uint64_t number = 0; /* the first region that a worker sees may be its first to join */
    is_inside = true;
    for (;;) {
        uint64_t seen = wait_for_region(number);
        number = NUMBER(seen);
        if (!join(seen)) continue;
        work_region(index);
        leave();
    }
    return NULL;
}

static void forget_workers(void) {
    uint64_t number = NUMBER(atomic_load(&state));
    atomic_store(&state, number << 32);
    atomic_store(&signal_word, (int)(uint32_t)number);
    atomic_store(&sleepers, 0);
    atomic_store(&caller_sleeps, 0);
    atomic_store(&is_taken, 0);
    workers = 0;
    is_inside = false;
}

/* Starts workers up to `wanted`; fewer are there if the system refuses. */
static void start_workers(int wanted) {
    static bool watching;
    if (!watching) watching = pthread_atfork(NULL, NULL, forget_workers) == 0;
    while (workers < wanted && tni_thread_start(worker, (void *)(intptr_t)(workers + 1)) == 0)
        workers++;
}

/* Cuts [done, count) into shares of whole grains, and says how large a piece is. */
static void cut(int64_t done, int64_t count, int64_t grain, int threads) {
    int64_t grains = (count - done + grain - 1) / grain;
    int64_t piece = grains / ((int64_t)threads * PIECES_PER_SHARE);
    region.piece = grain * (piece > 0 ? piece : 1);
    region.threads = threads;
    atomic_store_explicit(&places, threads - 1, memory_order_relaxed);
    for (int k = 0; k < threads; k++) {
        int64_t begin = grains / threads * k + grains % threads * k / threads;
        int64_t end = grains / threads * (k + 1) + grains % threads * (k + 1) / threads;
        atomic_store_explicit(&region.shares[k].next, done + begin * grain, memory_order_relaxed);
        region.shares[k].end = k == threads - 1 ? count : done + end * grain;
    }
}

/* Closes the region, which was opened then, and waits until every worker that joined has left. */
static void close_region(int64_t opened) {
    uint64_t seen = atomic_fetch_and_explicit(&state, ~OPEN, memory_order_seq_cst);
    int64_t closed = tni_now_ns();
    bool slept = false;
    for (unsigned turn = 1; INSIDE(seen) != 0; turn++) {
        tni_pause();
        if (turn % 64 == 0 && (slept || tni_now_ns() > closed + spin_ns)) {
            slept = true;
            atomic_store_explicit(&caller_sleeps, 1, memory_order_seq_cst);
            if (INSIDE(atomic_load_explicit(&state, memory_order_seq_cst)) != 0)
                tni_futex_wait(&caller_sleeps, 1, -1);
            atomic_store_explicit(&caller_sleeps, 0, memory_order_relaxed);
        }
        seen = atomic_load_explicit(&state, memory_order_acquire);
    }
    int64_t worked = closed - opened;
    if (slept && tni_now_ns() - closed > worked) begin_pause();
    look_around(closed, worked);
}

typedef void task_of(void *context, int64_t begin, int64_t end);

/* Runs [done, count) in a region, if the pool is free. */
static void share_out(int64_t done, int64_t count, int64_t grain, int threads, int64_t now,
                      bool wakes, task_of *task, void *context) {
    int free_pool = 0, others = atomic_load_explicit(&idle_processors, memory_order_relaxed);
    if (others > 0 && threads > others + 1) threads = others + 1;
    if (threads == 1 || !atomic_compare_exchange_strong_explicit(
                            &is_taken, &free_pool, 1, memory_order_acquire, memory_order_relaxed)) {
        task(context, done, count);
        return;
    }
    if (workers < threads - 1) start_workers(threads - 1);
    cut(done, count, grain, threads);
    region.task = task;
    region.context = context;
    uint64_t number = (NUMBER(atomic_load_explicit(&state, memory_order_relaxed)) + 1) & UINT32_MAX;
    atomic_store_explicit(&state, number << 32 | OPEN, memory_order_seq_cst);
    atomic_store_explicit(&signal_word, (int)(uint32_t)number, memory_order_seq_cst);
    if (wakes && atomic_load_explicit(&sleepers, memory_order_seq_cst) > 0)
        tni_futex_wake(&signal_word, threads - 1);
    is_inside = true;
    work_region(0);
    is_inside = false;
    close_region(now);
    atomic_store_explicit(&is_taken, 0, memory_order_release);
}

/* `tries`: the first grain says whether sharing the rest gains. */
static void run(int64_t count, int64_t grain, bool tries, task_of *task, void *context) {
    if (count <= 0) return;
    if (grain < 1) grain = 1;
    int64_t grains = (count - 1) / grain + 1, done = 0;
    int threads = is_inside || grains == 1 ? 1 : tni_thread_count();
    if (threads == 1) {
        task(context, 0, count);
        return;
    }
    bool wakes = true;
    int64_t now = tni_now_ns();
    if (tries || is_pausing(now)) {
        int64_t begun = now;
        task(context, 0, done = grain);
        now = tni_now_ns();
        double left_ns = (double)(now - begun) * (double)--grains;
        if (left_ns >= (double)share_ns)
            look_around(now, left_ns < (double)look_work_ns ? (int64_t)left_ns : look_work_ns);
        if (left_ns < (double)(is_pausing(now) ? busy_share_ns : share_ns)) {
            task(context, done, count);
            return;
        }
        wakes = left_ns >= (double)wake_ns;
        if (left_ns < (double)(threads * share_ns)) threads = 1 + (int)(left_ns / (double)share_ns);
    }
    if (threads > grains) threads = (int)grains;
    share_out(done, count, grain, threads, now, wakes, task, context);
}

void tni_parallel(int64_t count, int64_t grain, task_of *task, void *context) {
    run(count, grain, false, task, context);
}

void tni_parallel_short(int64_t count, int64_t grain, task_of *task, void *context) {
    run(count, grain, true, task, context);
}

void tni_parallel_units(int64_t count, int64_t ns, task_of *task, void *context) {
    bool tries = ns <= wake_ns || count >= (int64_t)2 * PIECES_PER_SHARE * tni_thread_count();
    run(count, try_ns / (ns > 0 ? ns : 1), tries, task, context);
}
