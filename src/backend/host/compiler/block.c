/* The threads of a block, on fibers.
 *
 * A fiber starts as a runner: the compiled loop takes one thread after the other, from `first` on.
 * When a thread meets others (a barrier, a vote, a shuffle), the fiber becomes that thread's alone,
 * and another fiber runs the threads after it. So every thread is one of: exited, waiting, ready,
 * running, or not begun; those before the first thread of a runner that has not met anyone are
 * exited or on fibers of their own. When no fiber is ready and no thread is left to begin,
 * resolve() releases what has come together: the lanes of a warp that a mask names, the threads of
 * the block, the blocks of a grid. Threads that have exited are not waited for. If nothing can be
 * released the threads wait for each other for ever, and the launch fails.
 *
 * What a kernel does wrong (a fault, a failed assertion, a call that would end the process) ends
 * with the fiber that it ran on, which begins anew for the next block. A function over a range of
 * elements has no threads that could meet, so it runs on the stack of its caller, and its failure
 * jumps back there. */
#include "backend/host/compiler/block.h"

#include "backend/host/compiler/check.h"
#include "backend/host/compiler/faults.h"
#include "backend/host/compiler/fibers.h"
#include "core/base/alloc.h"
#include "core/base/lock.h"
#include "core/base/threadkeep.h"

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { WARP = 32, NOT_BEGUN = 0, EXITED, WAITING, READY, HANDLER_BYTES = 64 << 10 };

typedef struct member {
    tni_fiber fiber;
    struct member *next_free;
    unsigned first, thread;
    bool is_alone; /* it runs `thread` and no other */
    int kind;      /* of what its thread waits for */
    unsigned mask, source;
    uint64_t value, result;
} member;

/* Memory that a block's variables lie in. */
typedef struct chunk {
    struct chunk *next;
    size_t used, bytes;
    char *data; /* on a line of the cache */
} chunk;

typedef struct crew {
    chunk *chunks; /* the one that has room first */
    tni_shadow shadow;
    tni_fiber own; /* of the thread of the system */
    tni_block_run *run;
    const tni_host_block *block;
    unsigned total, next, exited;
    bool has_failed, is_printing, is_in_range;
    jmp_buf caller; /* of a function over a range */
    member *running, *free_members;
    member *members[TNI_BLOCK_THREADS_MAX]; /* all that were made */
    unsigned made;
    member *of_thread[TNI_BLOCK_THREADS_MAX];
    unsigned char states[TNI_BLOCK_THREADS_MAX];
    member *ready[TNI_BLOCK_THREADS_MAX]; /* a ring */
    unsigned ready_first, ready_count;
    _Alignas(16) char handler_stack[HANDLER_BYTES];
} crew;

/* In the memory that each thread has from its start: a handler of signals reads it. */
static _Thread_local crew *own_crew __attribute__((tls_model("initial-exec")));
static tni_lock message_lock;

static void drop_crew(void) {
    crew *crew = own_crew;
    own_crew = NULL;
    for (unsigned k = 0; crew && k < crew->made; k++) {
        tni_fiber_deinit(&crew->members[k]->fiber);
        tni_free(crew->members[k]);
    }
    for (chunk *one = crew ? crew->chunks : NULL, *next; one; one = next) {
        next = one->next;
        tni_free(one);
    }
    if (crew) tni_shadow_deinit(&crew->shadow);
    if (crew) tni_faults_close(crew->handler_stack);
    tni_free(crew);
}

static void stop_at_fault(const tni_fault *fault);

static crew *find_crew(void) {
    if (own_crew || !tni_thread_keeps(drop_crew)) return own_crew;
    own_crew = tni_calloc(1, sizeof *own_crew);
    if (!own_crew) return NULL;
    tni_faults_watch(stop_at_fault);
    tni_faults_open(own_crew->handler_stack, HANDLER_BYTES);
    return own_crew;
}

/* --- Failing --- */

enum { UNKNOWN = TNI_BLOCK_THREADS_MAX }; /* a thread */

/* Where it failed: the line, the thread and the block, as far as they are known. */
static void describe_place(char *place, size_t room, const crew *crew, unsigned thread,
                           const char *file, int line) {
    const tni_host_block *b = crew->block;
    const unsigned *size = b->block, *index = b->index;
    int length = file ? snprintf(place, room, " (%.80s:%d)", file, line) : 0;
    if (crew->is_in_range) return;
    if (thread != UNKNOWN)
        length +=
            snprintf(place + length, room - (size_t)length, " in thread (%u,%u,%u) of",
                     thread % size[0], thread / size[0] % size[1], thread / size[0] / size[1]);
    snprintf(place + length, room - (size_t)length, "%s block (%u,%u,%u)",
             thread == UNKNOWN ? " in" : "", index[0], index[1], index[2]);
}

static void say(crew *crew, unsigned thread, const char *format, const char *text, const char *file,
                int line) {
    char place[256] = "";
    describe_place(place, sizeof place, crew, thread, file, line);
    tni_lock_take(&message_lock);
    if (!crew->run->message[0]) {
        int length = snprintf(crew->run->message, sizeof crew->run->message, format, text);
        size_t at = (size_t)length < sizeof crew->run->message ? (size_t)length
                                                               : sizeof crew->run->message - 1;
        snprintf(crew->run->message + at, sizeof crew->run->message - at, "%s", place);
    }
    tni_lock_give(&message_lock);
    crew->has_failed = true;
}

/* --- Changing fibers --- */

static void run_threads(void *context);

static member *take_member(crew *crew) {
    member *found = crew->free_members;
    if (found) {
        crew->free_members = found->next_free;
        return found;
    }
    found = tni_calloc(1, sizeof *found);
    if (!found || !tni_fiber_init(&found->fiber, crew->made)) {
        tni_free(found);
        return NULL;
    }
    tni_fiber_prepare(&found->fiber, run_threads, found);
    crew->members[crew->made++] = found;
    return found;
}

static void give_member(crew *crew, member *member) {
    member->next_free = crew->free_members;
    crew->free_members = member;
}

/* The member becomes the runner of all threads that have not begun. */
static void begin_at_next(crew *crew, member *member) {
    member->first = crew->next;
    member->is_alone = false;
    crew->next = crew->total;
}

static void set_ready(crew *crew, member *member) {
    unsigned at = (crew->ready_first + crew->ready_count++) % TNI_BLOCK_THREADS_MAX;
    crew->states[member->thread] = READY;
    crew->ready[at] = member;
}

/* What runs next; NULL: the crew's own fiber has to look. */
static member *choose(crew *crew) {
    if (crew->has_failed) return NULL;
    if (crew->next < crew->total) {
        member *fresh = take_member(crew);
        if (fresh)
            begin_at_next(crew, fresh);
        else
            say(crew, crew->next, "cudaErrorMemoryAllocation: no memory for %s", "a thread's stack",
                NULL, 0);
        return fresh;
    }
    if (crew->ready_count == 0) return NULL;
    member *found = crew->ready[crew->ready_first];
    crew->ready_first = (crew->ready_first + 1) % TNI_BLOCK_THREADS_MAX;
    crew->ready_count--;
    return found;
}

static void leave(crew *crew, tni_fiber *from) {
    member *to = choose(crew);
    crew->running = to;
    if (to ? &to->fiber == from : &crew->own == from) return;
    tni_fiber_switch(from, to ? &to->fiber : &crew->own);
}

static void set_exited(crew *crew, unsigned from, unsigned to) {
    for (unsigned k = from; k < to; k++)
        crew->states[k] = EXITED;
    crew->exited += to - from;
}

/* The body of every member, for ever: a turn for each time that it becomes a runner. */
static void run_threads(void *context) {
    member *self = context;
    for (;;) {
        crew *crew = own_crew;
        crew->run->entry->run(crew->block, crew->run->arguments, self->first);
        if (self->is_alone)
            set_exited(crew, self->thread, self->thread + 1);
        else
            set_exited(crew, self->first, crew->total);
        if (crew->next < crew->total) {
            begin_at_next(crew, self);
            continue;
        }
        give_member(crew, self);
        leave(crew, &self->fiber);
    }
}

/* --- Meeting --- */

static unsigned lanes_of(const crew *crew, unsigned warp) {
    unsigned lanes = crew->total - warp * WARP;
    return lanes >= WARP ? 0xffffffff : (1u << lanes) - 1;
}

static unsigned lanes_alive(const crew *crew, unsigned warp) {
    unsigned alive = lanes_of(crew, warp);
    for (unsigned lane = 0; lane < WARP && alive >> lane; lane++)
        if (crew->states[warp * WARP + lane] == EXITED) alive &= ~(1u << lane);
    return alive;
}

static void stop(crew *crew);

static unsigned long long meet(int kind, unsigned thread, unsigned mask, unsigned long long value,
                               unsigned source) {
    crew *crew = own_crew;
    member *self = crew->running;
    if (crew->is_in_range) {
        say(crew, UNKNOWN, "cudaErrorLaunchFailure: %s",
            "a function of an included file waits for other threads; name threadIdx in the text",
            NULL, 0);
        stop(crew);
    }
    if (!self->is_alone) {
        self->is_alone = true;
        self->thread = thread;
        set_exited(crew, self->first, thread);
        crew->of_thread[thread] = self;
        crew->next = thread + 1;
    }
    if (kind == TNI_WARP_ACTIVE) return lanes_alive(crew, thread / WARP);
    self->kind = kind;
    self->mask = mask;
    self->value = value;
    self->source = source;
    if (kind == TNI_YIELD)
        set_ready(crew, self);
    else
        crew->states[thread] = WAITING;
    leave(crew, &self->fiber);
    return self->result;
}

/* --- Releasing --- */

static uint64_t reduce(int kind, uint64_t a, uint64_t b) {
    uint32_t x = (uint32_t)a, y = (uint32_t)b;
    switch (kind) {
    case TNI_WARP_ADD: return x + y;
    case TNI_WARP_MIN: return (int32_t)x < (int32_t)y ? x : y;
    case TNI_WARP_MAX: return (int32_t)x > (int32_t)y ? x : y;
    case TNI_WARP_UMIN: return x < y ? x : y;
    case TNI_WARP_UMAX: return x > y ? x : y;
    case TNI_WARP_AND: return x & y;
    case TNI_WARP_OR: return x | y;
    default: return x ^ y;
    }
}

/* What a lane of a group gets; `lanes` has the members of the group, NULL for others. */
static uint64_t outcome(const member *self, member *const lanes[WARP]) {
    uint64_t result = 0;
    bool is_first = true;
    if (self->kind == TNI_WARP_SHUFFLE) {
        const member *from = lanes[self->source % WARP];
        return from ? from->value : self->value;
    }
    for (unsigned lane = 0; lane < WARP; lane++) {
        const member *other = lanes[lane];
        if (!other) continue;
        if (self->kind == TNI_WARP_BALLOT)
            result |= (uint64_t)(other->value != 0) << lane;
        else if (self->kind == TNI_WARP_MATCH)
            result |= (uint64_t)(other->value == self->value) << lane;
        else
            result = is_first ? other->value : reduce(self->kind, result, other->value);
        is_first = false;
    }
    return result;
}

/* The waiting members that `self` waits for, itself included; false: some have not come. */
static bool gather(const crew *crew, unsigned warp, unsigned alive, const member *self,
                   member *lanes[WARP]) {
    unsigned wanted = (self->mask | 1u << self->thread % WARP) & alive;
    for (unsigned lane = 0; lane < WARP; lane++) {
        lanes[lane] = NULL;
        if (!(wanted >> lane & 1)) continue;
        member *other = crew->of_thread[warp * WARP + lane];
        if (crew->states[warp * WARP + lane] != WAITING || other->kind != self->kind ||
            other->mask != self->mask)
            return false;
        lanes[lane] = other;
    }
    return true;
}

static bool release_warp(crew *crew, unsigned warp) {
    unsigned alive = lanes_alive(crew, warp);
    member *lanes[WARP];
    bool has_released = false;
    for (unsigned lane = 0; lane < WARP && alive >> lane; lane++) {
        unsigned thread = warp * WARP + lane;
        if (!(alive >> lane & 1) || crew->states[thread] != WAITING ||
            crew->of_thread[thread]->kind < TNI_WARP_SYNC ||
            !gather(crew, warp, alive, crew->of_thread[thread], lanes))
            continue;
        for (unsigned k = 0; k < WARP; k++)
            if (lanes[k]) lanes[k]->result = outcome(lanes[k], lanes);
        for (unsigned k = 0; k < WARP; k++)
            if (lanes[k]) set_ready(crew, lanes[k]);
        crew->shadow.turns[warp]++;
        has_released = true;
    }
    return has_released;
}

/* Whether all threads that have not exited wait for the block, or the grid. */
static bool have_all_come(const crew *crew, bool *for_grid, unsigned *votes) {
    *for_grid = false;
    *votes = 0;
    for (unsigned k = 0; k < crew->total; k++) {
        if (crew->states[k] == EXITED) continue;
        if (crew->states[k] != WAITING || crew->of_thread[k]->kind > TNI_GRID_SYNC) return false;
        *for_grid |= crew->of_thread[k]->kind == TNI_GRID_SYNC;
        *votes += crew->of_thread[k]->value != 0;
    }
    return crew->exited < crew->total;
}

static bool release_block(crew *crew) {
    bool for_grid;
    unsigned votes, came = crew->total - crew->exited;
    if (!have_all_come(crew, &for_grid, &votes)) return false;
    if (for_grid && !crew->run->wait_for_grid) return false;
    if (for_grid && !crew->run->wait_for_grid(crew->run->context)) {
        crew->has_failed = true;
        return true;
    }
    crew->shadow.epoch++;
    for (unsigned k = 0; k < crew->total; k++) {
        if (crew->states[k] != WAITING) continue;
        member *waiting = crew->of_thread[k];
        waiting->result = waiting->kind == TNI_BLOCK_COUNT ? votes
                          : waiting->kind == TNI_BLOCK_AND ? votes == came
                                                           : votes != 0;
        set_ready(crew, waiting);
    }
    return true;
}

static void say_stuck(crew *crew) {
    unsigned thread = 0;
    while (thread < crew->total && crew->states[thread] != WAITING)
        thread++;
    bool for_grid = thread < crew->total && crew->of_thread[thread]->kind == TNI_GRID_SYNC;
    say(crew, thread, "cudaErrorLaunchFailure: %s",
        for_grid && !crew->run->wait_for_grid
            ? "a grid is synchronized in a launch that is not cooperative"
            : "threads of a block wait for each other at different barriers",
        NULL, 0);
}

static void resolve(crew *crew) {
    bool has_released = release_block(crew);
    if (has_released) return;
    for (unsigned warp = 0; warp * WARP < crew->total; warp++)
        has_released |= release_warp(crew, warp);
    if (!has_released) say_stuck(crew);
}

/* --- A block --- */

/* After a failure fibers were left in the middle: each begins anew. */
static void renew(crew *crew) {
    crew->free_members = NULL;
    for (unsigned k = 0; k < crew->made; k++) {
        tni_fiber_prepare(&crew->members[k]->fiber, run_threads, crew->members[k]);
        give_member(crew, crew->members[k]);
    }
}

bool tni_block_execute(tni_block_run *run, const tni_host_block *block) {
    crew *crew = find_crew();
    if (!crew) return false;
    crew->run = run;
    crew->block = block;
    crew->total = block->block[0] * block->block[1] * block->block[2];
    crew->next = crew->exited = crew->ready_first = crew->ready_count = 0;
    crew->has_failed = false;
    for (chunk *one = crew->chunks; one; one = one->next)
        one->used = 0;
    crew->shadow.epoch++;
    memset(crew->states, NOT_BEGUN, crew->total);
    while (!crew->has_failed && crew->exited < crew->total) {
        if (crew->next >= crew->total && crew->ready_count == 0) resolve(crew);
        if (!crew->has_failed) leave(crew, &crew->own);
    }
    if (crew->has_failed) renew(crew);
    crew->run = NULL;
    return !crew->has_failed;
}

bool tni_block_execute_range(tni_block_run *run, int64_t begin, int64_t end) {
    crew *crew = find_crew();
    if (!crew) return false;
    crew->run = run;
    crew->is_in_range = true;
    bool is_good = _setjmp(crew->caller) == 0;
    if (is_good) run->entry->range(begin, end, run->arguments);
    crew->is_in_range = false;
    crew->run = NULL;
    return is_good;
}

static int print(const char *format, va_list values) {
    crew *crew = own_crew;
    crew->run->has_printed = crew->is_printing = true;
    int result = vprintf(format, values);
    crew->is_printing = false;
    return result;
}

static void stop(crew *crew) {
    if (crew->is_in_range) _longjmp(crew->caller, 1);
    leave(crew, &crew->running->fiber);
    __builtin_trap(); /* its fiber is never gone back to */
}

/* A block has few variables; what an earlier block has left is used again. */
static void *room(size_t bytes) {
    crew *crew = own_crew;
    size_t wanted = (bytes + 63) / 64 * 64;
    for (chunk *one = crew->chunks; one; one = one->next)
        if (one->bytes - one->used >= wanted) {
            one->used += wanted;
            return one->data + one->used - wanted;
        }
    size_t least = 64 << 10, size = wanted > least ? wanted : least;
    chunk *made = tni_malloc(sizeof *made + size + 64);
    if (!made) {
        say(crew, 0, "cudaErrorMemoryAllocation: no memory for %s", "variables of a block", NULL,
            0);
        stop(crew);
    }
    char *data = (char *)(((uintptr_t)(made + 1) + 63) & ~(uintptr_t)63);
    *made = (chunk){crew->chunks, wanted, size, data};
    crew->chunks = made;
    return made->data;
}

static unsigned thread_of(const crew *crew, const unsigned index[3]) {
    const unsigned *size = crew->block->block;
    return (index[2] * size[1] + index[1]) * size[0] + index[0];
}

static void touch(const void *at, size_t bytes, int kind, const unsigned index[3]) {
    crew *crew = own_crew;
    const tni_check *check = crew && crew->run ? crew->run->check : NULL;
    char message[320];
    if (!check || !crew->running) return;
    tni_touch touch = {at, bytes, kind, thread_of(crew, index), crew->block->block};
    if (tni_check_touch(message, sizeof message, check, &crew->shadow, &touch)) return;
    say(crew, touch.thread, "cudaErrorIllegalAddress: %s", message, NULL, 0);
    stop(crew);
}

static void outside(const unsigned index[3], const char *type, long number, const char *file,
                    int line) {
    char message[320];
    snprintf(message, sizeof message, "index %ld is outside of an array %.200s", number, type);
    say(own_crew, thread_of(own_crew, index), "cudaErrorIllegalAddress: %s", message, file, line);
    stop(own_crew);
}

static void fail(unsigned thread, int kind, const char *text, const char *file, int line) {
    static const char *const formats[] = {
        [TNI_FAIL_ASSERTION] = "cudaErrorAssert: the assertion failed: %s",
        [TNI_FAIL_CALL] = "cudaErrorLaunchFailure: the kernel called %s",
        [TNI_FAIL_SURFACE] = "cudaErrorIllegalAddress: %s is read or written outside of its array"};
    crew *crew = own_crew;
    say(crew, thread, formats[kind], text, file, line);
    stop(crew);
}

/* Frames are touched page by page, so an overflow is found near the end of the stack, where nothing
 * else that is touched can be absent. */
static bool overflows(const tni_fault *fault) {
    enum { NEAR = 64 << 10 };
    return fault->stack && fault->address + NEAR > fault->stack &&
           fault->address < fault->stack + NEAR;
}

static void describe_fault(char *text, size_t room, const tni_fault *fault) {
    bool is_memory = fault->signal == SIGSEGV || fault->signal == SIGBUS;
    if (is_memory && overflows(fault))
        snprintf(text, room,
                 "cudaErrorHardwareStackError: a thread's stack is full: functions call each other "
                 "without an end, or local arrays are too large,");
    else if (is_memory)
        snprintf(text, room,
                 "cudaErrorIllegalAddress: memory that is not there is read or written, at %#llx,",
                 (unsigned long long)fault->address);
    else if (fault->signal == SIGFPE)
        snprintf(
            text, room,
            "cudaErrorLaunchFailure: an integer is divided by 0 outside of the program's text");
    else
        snprintf(text, room, "cudaErrorLaunchFailure: the kernel called %s",
                 fault->signal == SIGABRT ? "abort()" : "__builtin_trap()");
}

/* Runs as a handler of the signal. A lock of stdio would never be given back. */
static void stop_at_fault(const tni_fault *fault) {
    crew *crew = own_crew;
    char text[256];
    if (!crew || !crew->run || crew->is_printing || (!crew->running && !crew->is_in_range)) return;
    bool is_known = crew->running && crew->running->is_alone;
    describe_fault(text, sizeof text, fault);
    say(crew, is_known ? crew->running->thread : UNKNOWN, "%s", text, NULL, 0);
    tni_fault_leave(fault);
    stop(crew);
}

const tni_host_runtime tni_host_runtime_functions = {meet, print, fail, room, touch, outside};
