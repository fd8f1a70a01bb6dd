/* The blocks of a launch, spread over the pool of threads.
 *
 * Blocks begin in the order of their numbers, whichever threads run them, so that a block may wait
 * for an earlier one, as on a GPU. The blocks of a cooperative launch wait for each other, so each
 * has a thread of its own. */
#include "backend/host/compiler/launch.h"

#include "backend/host/compiler/block.h"
#include "backend/host/compiler/check.h"
#include "backend/host/stream/launch.h"
#include "backend/host/threads.h"
#include "core/base/alloc.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { CHUNKS_PER_THREAD = 32, ARGUMENTS_MAX = 1024 };

/* A launch as a stream keeps it: this, the offsets, the data. */
typedef struct task {
    tni_host_function *function;
    tni_host_block first; /* the sizes; block 0 */
    bool is_cooperative;
    unsigned shared_bytes;
    int64_t elements, grain; /* of a function over ranges */
    int count;
    size_t offsets_at, data_at;
    int extent_count; /* of arrays of a checked kernel */
    size_t extents_at;
} task;

typedef struct job {
    tni_block_run run;
    const task *task;
    int64_t blocks, chunk;
    _Atomic(int64_t) next; /* chunk */
    atomic_bool has_failed;
} job;

static tni_host_block block_at(const task *task, int64_t number) {
    tni_host_block block = task->first;
    int64_t width = block.grid[0], height = block.grid[1];
    block.index[0] = (unsigned)(number % width);
    block.index[1] = (unsigned)(number / width % height);
    block.index[2] = (unsigned)(number / width / height);
    return block;
}

static void run_block(job *job, int64_t number) {
    tni_host_block block = block_at(job->task, number);
    if (!tni_block_execute(&job->run, &block)) atomic_store(&job->has_failed, true);
}

/* The range says how many chunks are done here, not which. */
static void run_chunks(void *context, int64_t begin, int64_t end) {
    job *job = context;
    for (; begin < end; begin++) {
        int64_t at = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed) * job->chunk;
        int64_t stop = at + job->chunk < job->blocks ? at + job->chunk : job->blocks;
        for (; at < stop; at++) {
            if (atomic_load_explicit(&job->has_failed, memory_order_relaxed)) return;
            run_block(job, at);
        }
    }
}

static void run_on_pool(job *job) {
    const unsigned *size = job->task->first.block;
    int64_t threads = (int64_t)size[0] * size[1] * size[2];
    int64_t chunks = (int64_t)tni_thread_count() * CHUNKS_PER_THREAD;
    job->chunk = job->blocks / chunks > 1 ? job->blocks / chunks : 1;
    tni_parallel_units((job->blocks + job->chunk - 1) / job->chunk, job->chunk * threads,
                       run_chunks, job);
}

/* --- Cooperative launches --- */

typedef struct grid {
    job *job;
    pthread_mutex_t lock;
    pthread_cond_t released;
    int64_t next, running, waiting;
    uint64_t turn;
} grid;

static void release_if_complete(grid *grid) {
    if (grid->waiting == 0 || grid->waiting < grid->running) return;
    grid->waiting = 0;
    grid->turn++;
    pthread_cond_broadcast(&grid->released);
}

static bool wait_for_grid(void *context) {
    grid *grid = context;
    pthread_mutex_lock(&grid->lock);
    uint64_t turn = grid->turn;
    grid->waiting++;
    release_if_complete(grid);
    while (turn == grid->turn && !atomic_load(&grid->job->has_failed))
        pthread_cond_wait(&grid->released, &grid->lock);
    pthread_mutex_unlock(&grid->lock);
    return !atomic_load(&grid->job->has_failed);
}

static void *run_own_block(void *context) {
    grid *grid = context;
    pthread_mutex_lock(&grid->lock);
    int64_t number = grid->next++;
    pthread_mutex_unlock(&grid->lock);
    run_block(grid->job, number);
    pthread_mutex_lock(&grid->lock);
    grid->running--;
    release_if_complete(grid);
    if (atomic_load(&grid->job->has_failed)) pthread_cond_broadcast(&grid->released);
    pthread_mutex_unlock(&grid->lock);
    return NULL;
}

/* Threads of all blocks but the last; false: not all could be started, and the launch has failed.
 */
static bool start_blocks(grid *grid, pthread_t *threads, int64_t *started) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (*started = 0; *started < grid->job->blocks - 1; ++*started)
        if (pthread_create(&threads[*started], NULL, run_own_block, grid) != 0) break;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (*started == grid->job->blocks - 1) return true;
    snprintf(grid->job->run.message, sizeof grid->job->run.message,
             "cudaErrorMemoryAllocation: %lld threads for the blocks of a cooperative launch",
             (long long)grid->job->blocks);
    pthread_mutex_lock(&grid->lock);
    atomic_store(&grid->job->has_failed, true);
    pthread_cond_broadcast(&grid->released);
    pthread_mutex_unlock(&grid->lock);
    return false;
}

static void run_together(job *job) {
    grid grid = {job, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, job->blocks, 0, 0};
    pthread_t threads[TNI_HOST_RESIDENT_BLOCKS];
    int64_t started;
    job->run.wait_for_grid = wait_for_grid;
    job->run.context = &grid;
    if (start_blocks(&grid, threads, &started)) run_own_block(&grid);
    for (int64_t k = 0; k < started; k++)
        pthread_join(threads[k], NULL);
}

/* --- Functions over ranges --- */

static void run_range(void *context, int64_t begin, int64_t end) {
    job *job = context;
    if (atomic_load_explicit(&job->has_failed, memory_order_relaxed)) return;
    if (!tni_block_execute_range(&job->run, begin, end)) atomic_store(&job->has_failed, true);
}

/* --- A launch --- */

static tn_status run(const task *task, const void *const *arguments, const tni_check *check) {
    const unsigned *grid = task->first.grid;
    job job;
    job.run.entry = task->function->entry;
    job.run.arguments = arguments;
    job.run.wait_for_grid = NULL;
    job.run.has_printed = false;
    job.run.check = check;
    job.run.message[0] = '\0'; /* of many that are not written */
    job.task = task;
    job.blocks = (int64_t)grid[0] * grid[1] * grid[2];
    atomic_init(&job.next, 0);
    atomic_init(&job.has_failed, false);
    if (task->function->entry->range)
        tni_parallel_short(task->elements, task->grain, run_range, &job);
    else if (task->is_cooperative)
        run_together(&job);
    else
        run_on_pool(&job);
    if (job.run.has_printed) fflush(stdout);
    if (!atomic_load(&job.has_failed)) return TN_OK;
    if (!job.run.message[0]) return tni_fail_no_memory(sizeof job);
    const char *text = strstr(job.run.message, ": ");
    TNI_FAIL(TN_ERROR_DEVICE, "%.*s: kernel %s: %s", (int)(text - job.run.message), job.run.message,
             task->function->name, text + 2);
}

/* The kernel gets arrays in windows of the check. */
static tn_status run_checked(const task *task, const void *const *arguments) {
    const tni_extent *measured =
        (const void *)((const char *)task + task->extents_at); /* without addresses */
    tni_extent extents[ARGUMENTS_MAX];
    void *addresses[ARGUMENTS_MAX];
    const void *changed[ARGUMENTS_MAX];
    tni_check check = {.program = task->function->checked, .shared_bytes = task->shared_bytes};
    memcpy(changed, arguments, (size_t)task->count * sizeof *changed);
    for (int k = 0; k < task->extent_count; k++) {
        extents[k] = measured[k];
        memcpy(&extents[k].address, arguments[measured[k].argument], sizeof(void *));
    }
    TNI_TRY(tni_check_begin(&check, task->extent_count, extents));
    for (int k = 0; k < check.count; k++) {
        addresses[k] = check.extents[k].address;
        changed[check.extents[k].argument] = &addresses[k];
    }
    tn_status status = run(task, changed, &check);
    tni_check_end(&check, status == TN_OK);
    return status;
}

static tn_status work(void *params) {
    const task *task = params;
    const void *arguments[ARGUMENTS_MAX];
    const unsigned *offsets = (const void *)((const char *)params + task->offsets_at);
    for (int k = 0; k < task->count; k++)
        arguments[k] = (const char *)params + task->data_at + offsets[k];
    if (task->function->checked) return run_checked(task, arguments);
    return run(task, arguments, NULL);
}

static tn_status check_argument(const tni_host_function *function, const tni_kernel_launch *launch,
                                int k) {
    const tni_host_entry *entry = function->entry;
    unsigned given = launch->sizes[k], wanted = entry->argument_bytes[k];
    char is = launch->kinds[k], wants = entry->argument_kinds[k];
    if ((is == 'p') != (wants == 'p') && is != 's' && wants != 's' && !(is == 'i' && given == 8))
        TNI_FAIL(TN_ERROR_TYPE, "argument %d of kernel %s: %s was given, the kernel takes %s", k,
                 function->name, is == 'p' ? "an address" : "a number",
                 wants == 'p' ? "an address" : "a number");
    if (given < wanted)
        TNI_FAIL(TN_ERROR_TYPE,
                 "argument %d of kernel %s: %u bytes were given, the kernel takes %u", k,
                 function->name, given, wanted);
    if (wants == 'f' && (is != 'f' || given != wanted) && is != 's')
        TNI_FAIL(TN_ERROR_TYPE,
                 "argument %d of kernel %s: %s of %u bytes was given, the kernel takes a "
                 "floating-point number of %u bytes; a NumPy scalar says which it is",
                 k, function->name, is == 'f' ? "one" : "a whole number", given, wanted);
    return TN_OK;
}

static tn_status check(const tni_host_function *function, const tni_kernel_launch *launch) {
    const tni_host_entry *entry = function->entry;
    /* The driver lets arguments be that no parameter takes, so programs have such. */
    if (launch->count < entry->argument_count ||
        (function->checked && launch->count > entry->argument_count))
        TNI_FAIL(TN_ERROR_TYPE, "kernel %s takes %d arguments, %d were given", function->name,
                 entry->argument_count, launch->count);
    if (launch->count > ARGUMENTS_MAX)
        TNI_FAIL(TN_ERROR_VALUE, "kernel %s: %d arguments are more than %d", function->name,
                 launch->count, ARGUMENTS_MAX);
    for (int k = 0; k < entry->argument_count; k++)
        TNI_TRY(check_argument(function, launch, k));
    if (launch->shared_bytes > (unsigned)atomic_load(&function->shared_bytes))
        TNI_FAIL(TN_ERROR_DEVICE,
                 "cudaErrorInvalidValue: kernel %s: %u bytes of shared memory were asked for, "
                 "max_dynamic_shared_size_bytes is %d",
                 function->name, launch->shared_bytes, atomic_load(&function->shared_bytes));
    return TN_OK;
}

tn_status tni_host_kernels_launch(void *pointer, const tni_kernel_launch *launch,
                                  tn_stream *stream) {
    tni_host_function *function = pointer;
    if (!function->entry->range) TNI_TRY(check(function, launch));
    size_t offsets_bytes = ((size_t)launch->count * sizeof(unsigned) + 63) / 64 * 64;
    size_t head = (sizeof(task) + 63) / 64 * 64, bytes = head + offsets_bytes + launch->bytes;
    size_t extents_at = (bytes + 63) / 64 * 64;
    if (function->checked) bytes = extents_at + (size_t)launch->count * sizeof(tni_extent);
    _Alignas(64) char small[1024];
    char *made = bytes <= sizeof small ? small : tni_malloc(bytes);
    if (!made) return tni_fail_no_memory((int64_t)bytes);
    task *task = (void *)made;
    memset(task, 0, sizeof *task);
    task->function = function;
    memcpy(task->first.grid, launch->grid, sizeof launch->grid);
    memcpy(task->first.block, launch->block, sizeof launch->block);
    task->is_cooperative = launch->is_cooperative;
    task->shared_bytes = launch->shared_bytes;
    task->extents_at = extents_at;
    if (function->checked && launch->arguments)
        task->extent_count =
            tni_check_measure((void *)(made + extents_at), launch->arguments, launch->count);
    task->elements = launch->elements;
    task->grain = launch->grain;
    task->count = launch->count;
    task->offsets_at = head;
    task->data_at = head + offsets_bytes;
    memcpy(made + head, launch->offsets, (size_t)launch->count * sizeof(unsigned));
    memcpy(made + task->data_at, launch->data, launch->bytes);
    int64_t elements = launch->elements ? launch->elements : INT64_MAX;
    tni_host_plan plan = {work, task, bytes, .elements = elements};
    tn_status status = tni_host_launch(&plan, stream);
    if (made != small) tni_free(made);
    return status;
}
