/* Compiling ahead: the usual kernels, in few programs, on all cores.
 *
 * A batch is the texts of some kernels one after the other, compiled as one program, which costs a
 * tenth of compiling each alone. If a batch does not compile, its kernels are compiled one by one.
 * What is in a cache already is left out, and nothing is compiled that could not be kept. The
 * calling thread reports and waits; the others compile. */
#include "backend/cuda/precompile/warm.h"

#include "backend/cuda/compile/cache.h"
#include "backend/cuda/launch/defer.h"
#include "core/base/alloc.h"
#include "core/base/lock.h"
#include "core/base/thread.h"
#include "kernel/cache/archive.h"
#include "kernel/cache/cache_files.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <tenorite/cuda.h>
#include <unistd.h>

enum { BATCH = 48, THREADS_MAX = 64 };

typedef struct work {
    int batches_per_arch, batches;
    int arch_count;
    int archs[TNI_MAX_DEVICES];
    atomic_int next_batch, done; /* kernels that are done */
    atomic_int changed;          /* a futex word: counts steps */
    atomic_bool is_stopped;
    atomic_int status;
    int64_t failures; /* to write, before the work began */
    pthread_mutex_t lock;
    char message[1024]; /* of the first failure */
} work;

/* The program of a kernel, exactly as tni_cache_get() would be given it. */
static void write_program(tni_source *source, const tni_usual_kernel *kernel) {
    tni_source_set_name(source, "%s", kernel->name);
    for (int k = kernel[0].first; k < kernel[1].first; k++) {
        const char *line = tni_usual_lines[tni_usual_texts[k]];
        for (const char *name; (name = strchr(line, '@')); line = name + 1) {
            tni_source_add_bytes(source, line, (size_t)(name - line));
            tni_source_add_bytes(source, source->name, strlen(source->name));
        }
        tni_source_add_bytes(source, line, strlen(line));
    }
}

static void note_failure(work *work, tn_status status) {
    pthread_mutex_lock(&work->lock);
    if (atomic_load(&work->status) == TN_OK) {
        atomic_store(&work->status, (int)status);
        strncpy(work->message, tn_error_message(), sizeof work->message - 1);
    }
    pthread_mutex_unlock(&work->lock);
}

/* What can't be kept is not worth compiling. */
static bool can_keep(work *work) {
    tn_status status = tni_cache_files_check();
    if (status == TN_OK) return true;
    note_failure(work, status);
    atomic_store(&work->is_stopped, true);
    return false;
}

/* Stops when something could not be written: the rest could not be, either. */
static void check_written(work *work) {
    tn_cuda_cache_info info;
    int error;
    if (tni_cache_files_failures(&error) == work->failures) return;
    tni_cache_files_info(info.folder, sizeof info.folder, info.reason, sizeof info.reason,
                         &info.is_writeable, &info.files, &info.bytes, &info.limit_bytes);
    note_failure(work, tni_fail(TN_ERROR_RUNTIME, "compiled kernels can't be written to %s: %s",
                                info.folder, strerror(error)));
    atomic_store(&work->is_stopped, true);
}

static void advance(work *work, int kernels) {
    atomic_fetch_add(&work->done, kernels);
    atomic_fetch_add(&work->changed, 1);
    tni_futex_wake(&work->changed, 1);
}

static tn_status compile_together(const tni_source *parts, int count, int arch) {
    const tni_source *listed[BATCH];
    tni_image image = {0};
    for (int k = 0; k < count; k++)
        listed[k] = &parts[k];
    tn_status status = tni_cache_compile_batch(&image, listed, count, arch);
    tni_image_deinit(&image);
    return status;
}

static void compile_alone(work *work, const tni_source *parts, int count, int arch) {
    for (int k = 0; k < count && !atomic_load(&work->is_stopped); k++) {
        tni_image image = {0};
        tn_status status = tni_cache_get(&image, &parts[k], arch);
        if (status != TN_OK) note_failure(work, status);
        tni_image_deinit(&image);
    }
}

static void compile_batch(work *work, int batch) {
    tni_source parts[BATCH] = {{0}};
    int arch = work->archs[batch / work->batches_per_arch], missing = 0;
    int first = batch % work->batches_per_arch * BATCH;
    int last = first + BATCH < tni_usual_count ? first + BATCH : tni_usual_count;
    for (int kernel = first; kernel < last; kernel++) {
        write_program(&parts[missing], &tni_usual_kernels[kernel]);
        if (tni_cache_has(&parts[missing], arch))
            tni_source_deinit(&parts[missing]);
        else
            missing++;
    }
    if (missing && can_keep(work)) {
        if (missing == 1 || compile_together(parts, missing, arch) != TN_OK)
            compile_alone(work, parts, missing, arch);
        check_written(work);
    }
    for (int k = 0; k < missing; k++)
        tni_source_deinit(&parts[k]);
    advance(work, last - first);
}

static void *work_off(void *context) {
    work *work = context;
    int batch;
    while (!atomic_load(&work->is_stopped) &&
           (batch = atomic_fetch_add(&work->next_batch, 1)) < work->batches)
        compile_batch(work, batch);
    return NULL;
}

static tn_status choose_archs(work *work, int count, const int *archs) {
    if (count > TNI_MAX_DEVICES)
        TNI_FAIL(TN_ERROR_VALUE, "at most %d architectures at a time", TNI_MAX_DEVICES);
    int wanted = count ? count : tn_device_count(TN_BACKEND_CUDA);
    if (wanted == 0)
        TNI_FAIL(TN_ERROR_DEVICE, "there is no GPU here: say for which architectures, as 90");
    for (int k = 0; k < wanted; k++) {
        int arch = count ? archs[k] : 0, known = 0;
        if (!count) TNI_TRY(tn_cuda_get_compute_capability(&arch, k));
        while (known < work->arch_count && work->archs[known] != arch)
            known++;
        if (known == work->arch_count) work->archs[work->arch_count++] = arch;
    }
    return TN_OK;
}

static void watch(work *work, bool (*progress)(void *context, int done, int total), void *context) {
    int total = tni_usual_count * work->arch_count;
    for (;;) {
        int seen = atomic_load(&work->changed), done = atomic_load(&work->done);
        if (progress && !progress(context, done, total)) atomic_store(&work->is_stopped, true);
        if (done >= total || atomic_load(&work->is_stopped)) return;
        tni_futex_wait(&work->changed, seen, 200000000);
    }
}

tn_status tn_cuda_cache_warm(int count, const int *archs,
                             bool (*progress)(void *context, int done, int total), void *context) {
    work work = {.lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t threads[THREADS_MAX];
    int started = 0, error;
    work.failures = tni_cache_files_failures(&error);
    TNI_TRY(choose_archs(&work, count, archs));
    work.batches_per_arch = (tni_usual_count + BATCH - 1) / BATCH;
    work.batches = work.batches_per_arch * work.arch_count;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    while (started < THREADS_MAX && started < cores && started < work.batches &&
           pthread_create(&threads[started], NULL, work_off, &work) == 0)
        started++;
    if (work.batches && !started)
        TNI_FAIL(TN_ERROR_RUNTIME, "cannot start a thread to compile kernels");
    watch(&work, progress, context);
    for (int k = 0; k < started; k++)
        pthread_join(threads[k], NULL);
    if (atomic_load(&work.status) == TN_OK) return TN_OK;
    TNI_FAIL((tn_status)atomic_load(&work.status), "%s", work.message);
}

/* --- The cache, for programs --- */

tn_status tn_cuda_cache_info_get(tn_cuda_cache_info *info) {
    tni_defer_wait();
    memset(info, 0, sizeof *info);
    tni_cache_files_info(info->folder, sizeof info->folder, info->reason, sizeof info->reason,
                         &info->is_writeable, &info->files, &info->bytes, &info->limit_bytes);
    info->archived = tni_archive_count();
    tni_cache_count(&info->hits, &info->misses, &info->loaded);
    tni_cuda_compile_statistics(&info->compile_seconds, &info->compiled);
    return TN_OK;
}

tn_status tn_cuda_cache_clear(void) {
    tni_defer_wait();
    return tni_cache_files_clear();
}

tn_status tn_cuda_cache_add_archive(const char *path) {
    return tni_archive_add(path);
}

tn_status tn_cuda_cache_pack(const char *path, int count, const int *archs, int64_t limit_bytes) {
    tni_defer_wait();
    return tni_archive_write(path, count, archs, limit_bytes);
}
