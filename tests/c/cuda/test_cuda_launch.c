/* Kernels and the cache of the CUDA backend, on test doubles of the driver and of NVRTC: look-up by
 * key, compiling once, in parallel, and again after damage; launches, and the messages about
 * them. */
#include "emulated.h"
#include "replay.h"

#include "backend/cuda/compile/cache.h"
#include "backend/cuda/launch/launch.h"
#include "core/base/alloc.h"
#include "core/base/forklock.h"
#include "fake_cuda.h"
#include "kernel/cache/archive.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <tenorite/tenorite.h>
#include <unistd.h>

long fake_nvrtc_compilations(void);
int fake_nvrtc_most_at_once(void);

static const tn_device cuda0 = {TN_BACKEND_CUDA, 0};
static char folder[] = "/tmp/tenorite-test-XXXXXX";

static void write_scale(tni_source *source, const void *context) {
    int number = *(const int *)context;
    tni_source_set_name(source, "scale_%d", number);
    tni_source_add(source,
                   "/* %d */\nextern \"C\" __global__ void scale_%d(float *x, int n, "
                   "double a) {} // params 8 4 8\n",
                   number, number);
}

static void write_wrong(tni_source *source, const void *context) {
    (void)context;
    tni_source_set_name(source, "wrong");
    tni_source_add(source, "#error\nextern \"C\" __global__ void wrong() {}\n");
}

/* A key that no other test has. */
static int fresh(void) {
    static int last = 1000;
    return ++last;
}

static tn_status get(tni_cuda_kernel **kernel, int number, int device) {
    return tni_cuda_kernel_get(kernel, device, write_scale, &number, &number, sizeof number);
}

/* --- Kernels --- */

static void test_found_again(void **state) {
    (void)state;
    tni_cuda_kernel *first, *again, *other;
    int number = fresh();
    long compiled = fake_nvrtc_compilations();
    REQUIRE_OK(get(&first, number, 0));
    assert_int_equal(first->threads_max, 1024);
    REQUIRE_OK(get(&again, number, 0));
    assert_ptr_equal(first, again);
    REQUIRE_OK(get(&other, number, 1)); /* another context, the same image */
    assert_ptr_not_equal(first, other);
    assert_true(fake_nvrtc_compilations() <= compiled + 2); /* + 1, or no memory to read it */
cleanup:
    return;
}

static void test_many(void **state) {
    (void)state;
    tni_cuda_kernel *kernels[600];
    int numbers[600];
    for (int k = 0; k < 600; k++) {
        int key[2] = {-5, numbers[k] = fresh()};
        assert_int_equal(tni_cuda_kernel_get(&kernels[k], 0, write_scale, &key[1], key, sizeof key),
                         TN_OK);
    }
    for (int k = 0; k < 600; k++) {
        tni_cuda_kernel *again;
        int key[2] = {-5, numbers[k]};
        assert_int_equal(tni_cuda_kernel_get(&again, 0, write_scale, &key[1], key, sizeof key),
                         TN_OK);
        assert_ptr_equal(again, kernels[k]);
    }
}

static void test_launch(void **state) {
    (void)state;
    tni_cuda_kernel *kernel;
    fake_launch seen;
    int number = fresh(), n = 77;
    double a = 2.5;
    void *x = (void *)0x1234500, *params[] = {&x, &n, &a};
    char name[32];
    long before = fake_cuda_launches();
    REQUIRE_OK(get(&kernel, number, 0));
    REQUIRE_OK(tni_cuda_launch(kernel, (unsigned[]){5, 2, 1}, (unsigned[]){256, 1, 1}, 100000,
                               params, tn_stream_default(cuda0)));
    assert_int_equal(fake_cuda_launches(), before + 1);
    assert_true(fake_cuda_get_launch(&seen, before));
    snprintf(name, sizeof name, "scale_%d", number);
    assert_string_equal(seen.name, name);
    assert_int_equal(seen.grid[0], 5);
    assert_int_equal(seen.grid[1], 2);
    assert_int_equal(seen.shared_bytes, 100000);
    assert_int_equal(seen.param_bytes, 24);
    assert_memory_equal(seen.params, &x, 8);
    assert_memory_equal(seen.params + 8, &n, 4);
    assert_memory_equal(seen.params + 16, &a, 8);
    REQUIRE_OK(tni_cuda_launch(kernel, (unsigned[]){0, 1, 1}, (unsigned[]){256, 1, 1}, 0, params,
                               tn_stream_default(cuda0)));
    assert_int_equal(fake_cuda_launches(), before + 1); /* nothing to do */
    REQUIRE_STATUS(tni_cuda_launch(kernel, (unsigned[]){1, 1, 1}, (unsigned[]){2048, 1, 1}, 0,
                                   params, tn_stream_default(cuda0)),
                   TN_ERROR_DEVICE);
    assert_non_null(strstr(tn_error_message(), name));
    assert_non_null(strstr(tn_error_message(), "(2048,1,1)"));
cleanup:
    tn_device_synchronize(cuda0, -1);
}

static void test_wrong_program(void **state) {
    (void)state;
    tni_cuda_kernel *kernel;
    char key = 'w';
    REQUIRE_STATUS(tni_cuda_kernel_get(&kernel, 0, write_wrong, NULL, &key, 1), TN_ERROR_RUNTIME);
    assert_non_null(strstr(tn_error_message(), "kernel wrong (sm_90)"));
    assert_non_null(strstr(tn_error_message(), "#error directive"));
    assert_non_null(strstr(tni_cuda_compile_log(), "program(1)"));
    REQUIRE_STATUS(tni_cuda_kernel_get(&kernel, 0, write_wrong, NULL, &key, 1),
                   TN_ERROR_RUNTIME); /* it is tried again */
cleanup:
    return;
}

/* --- Forks --- */

static atomic_bool is_enough;

/* Each takes locks of the caches and of the libraries again and again. */
static void *use_folder(void *unused) {
    do {
        tn_cuda_cache_info info;
        tni_cache_reset();
        tn_cuda_cache_info_get(&info);
    } while (!atomic_load(&is_enough));
    return unused;
}
static void *use_files(void *unused) {
    do {
        tni_archive_add("/nowhere");
        tn_cuda_add_library_root("/nowhere");
    } while (!atomic_load(&is_enough));
    return unused;
}

/* A child can take what a thread of its parent held. */
static void test_fork_under_locks(void **state) {
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* the locks of the sanitizer's own allocator are not free in a child */
#endif
    pthread_t threads[2];
    int answer = 0, hung = 0;
    atomic_store(&is_enough, false);
    pthread_create(&threads[0], NULL, use_folder, NULL);
    pthread_create(&threads[1], NULL, use_files, NULL);
    for (int k = 0; k < 100; k++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(5);
            atomic_store(&is_enough, true);
            use_folder(NULL);
            use_files(NULL);
            _exit(0);
        }
        waitpid(child, &answer, 0);
        hung += !WIFEXITED(answer) || WEXITSTATUS(answer) != 0;
        if (hung) break;
    }
    atomic_store(&is_enough, true);
    for (int k = 0; k < 2; k++)
        pthread_join(threads[k], NULL);
    assert_int_equal(hung, 0);
}

static tni_fork_lock held = TNI_FORK_LOCK;
static pthread_barrier_t is_held;

static void *hold(void *unused) {
    tni_fork_lock_take(&held);
    pthread_barrier_wait(&is_held); /* it has it */
    pthread_barrier_wait(&is_held); /* the child has been */
    tni_fork_lock_give(&held);
    return unused;
}

static void test_fork_lock(void **state) {
    (void)state;
    pthread_t thread;
    int answer = 1;
    pthread_barrier_init(&is_held, NULL, 2);
    pthread_create(&thread, NULL, hold, NULL);
    pthread_barrier_wait(&is_held);
    pid_t child = fork();
    if (child == 0) {
        alarm(5);
        tni_fork_lock_take(&held);
        tni_fork_lock_give(&held);
        _exit(0);
    }
    waitpid(child, &answer, 0);
    pthread_barrier_wait(&is_held);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&is_held);
    assert_true(WIFEXITED(answer) && WEXITSTATUS(answer) == 0);
    tni_fork_lock_take(&held); /* the parent's is as it was */
    tni_fork_lock_give(&held);
}

/* --- Threads --- */

typedef struct greedy {
    tni_cuda_kernel *kernel;
    pthread_barrier_t *start;
    size_t shared_bytes;
    tn_status status;
} greedy;

static void *launch_greedily(void *context) {
    greedy *own = context;
    int n = 1;
    double a = 1;
    void *x = NULL, *params[] = {&x, &n, &a};
    pthread_barrier_wait(own->start);
    own->status = tni_cuda_launch(own->kernel, (unsigned[]){1, 1, 1}, (unsigned[]){32, 1, 1},
                                  own->shared_bytes, params, tn_stream_default(cuda0));
    return NULL;
}

/* Who is allowed more shared memory stays so while another thread asks for less. */
static void test_shared_race(void **state) {
    (void)state;
    enum { ROUNDS = 60, THREADS = 4 };
    for (int round = 0; round < ROUNDS; round++) {
        tni_cuda_kernel *kernel;
        pthread_t threads[THREADS];
        pthread_barrier_t start;
        greedy greedies[THREADS];
        assert_int_equal(get(&kernel, fresh(), 0), TN_OK);
        pthread_barrier_init(&start, NULL, THREADS);
        for (int k = 0; k < THREADS; k++) {
            greedies[k] = (greedy){kernel, &start, 50000 + 40000 * (size_t)k, TN_OK};
            pthread_create(&threads[k], NULL, launch_greedily, &greedies[k]);
        }
        for (int k = 0; k < THREADS; k++)
            pthread_join(threads[k], NULL);
        pthread_barrier_destroy(&start);
        for (int k = 0; k < THREADS; k++)
            assert_int_equal(greedies[k].status, TN_OK);
    }
    assert_int_equal(tn_device_synchronize(cuda0, -1), TN_OK);
}

static int shared_number;

static void *get_same(void *kernel) {
    return (void *)(intptr_t)get(kernel, shared_number, 0);
}

static void *get_own(void *number) {
    tni_cuda_kernel *kernel;
    return (void *)(intptr_t)get(&kernel, *(int *)number, 0);
}

static void test_threads(void **state) {
    (void)state;
    enum { THREADS = 6 };
    pthread_t threads[THREADS];
    tni_cuda_kernel *kernels[THREADS];
    int numbers[THREADS];
    void *status;
    setenv("FAKE_NVRTC_MS", "50", 1);
    shared_number = fresh();
    long compiled = fake_nvrtc_compilations();
    for (int k = 0; k < THREADS; k++)
        pthread_create(&threads[k], NULL, get_same, &kernels[k]);
    for (int k = 0; k < THREADS; k++) {
        pthread_join(threads[k], &status);
        assert_null(status);
        assert_ptr_equal(kernels[k], kernels[0]);
    }
    assert_int_equal(fake_nvrtc_compilations(), compiled + 1);
    for (int k = 0; k < THREADS; k++) {
        numbers[k] = fresh();
        pthread_create(&threads[k], NULL, get_own, &numbers[k]);
    }
    for (int k = 0; k < THREADS; k++)
        pthread_join(threads[k], &status);
    assert_int_equal(fake_nvrtc_compilations(), compiled + 1 + THREADS);
    assert_true(fake_nvrtc_most_at_once() > 1);
    unsetenv("FAKE_NVRTC_MS");
}

/* --- The cache --- */

static tn_status get_image_for(int number, int arch) {
    tni_source source = {0};
    tni_image image = {0};
    write_scale(&source, &number);
    tn_status status = tni_cache_get(&image, &source, arch);
    if (status == TN_OK && memcmp(image.data, "FAKE\nscale_", 11) != 0) status = TN_ERROR_VALUE;
    tni_image_deinit(&image);
    tni_source_deinit(&source);
    return status;
}

static tn_status get_image(int number) {
    return get_image_for(number, 90);
}

/* The path of the only file of the folder that was made last. */
static void find_newest(char *path, size_t size) {
    struct stat facts;
    struct timespec newest = {0, 0};
    DIR *directory = opendir(folder);
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.') continue;
        fstatat(dirfd(directory), entry->d_name, &facts, 0);
        if (facts.st_mtim.tv_sec < newest.tv_sec ||
            (facts.st_mtim.tv_sec == newest.tv_sec && facts.st_mtim.tv_nsec < newest.tv_nsec))
            continue;
        newest = facts.st_mtim;
        snprintf(path, size, "%s/%s", folder, entry->d_name);
    }
    closedir(directory);
}

static void test_cached(void **state) {
    (void)state;
    int number = fresh();
    long compiled = fake_nvrtc_compilations();
    tn_cuda_cache_info info;
    REQUIRE_OK(get_image(number));
    assert_int_equal(fake_nvrtc_compilations(), compiled + 1);
    REQUIRE_OK(get_image(number));
    assert_true(fake_nvrtc_compilations() <= compiled + 2); /* + 1, or no memory to read it */
    REQUIRE_OK(tn_cuda_cache_info_get(&info));
    assert_string_equal(info.folder, folder);
    assert_true(info.is_writeable);
    if (tni_alloc_fail_pending() || replay_failing == 0) assert_true(info.files > 0);
cleanup:
    return;
}

static void damage(const char *path, int how) {
    int file = open(path, O_RDWR);
    struct stat facts;
    assert_true(file >= 0);
    fstat(file, &facts);
    if (how == 0) assert_int_equal(ftruncate(file, facts.st_size / 2), 0);
    if (how == 1) assert_int_equal(ftruncate(file, 0), 0);
    if (how == 2) assert_int_equal(pwrite(file, "x", 1, facts.st_size - 3), 1);
    if (how == 3) assert_int_equal(pwrite(file, "something else", 14, 0), 14);
    close(file);
}

static void test_damaged(void **state) {
    (void)state;
    char path[512];
    for (int how = 0; how < 4; how++) {
        int number = fresh();
        long compiled = fake_nvrtc_compilations();
        usleep(20000); /* times of files are coarse */
        assert_int_equal(get_image(number), TN_OK);
        find_newest(path, sizeof path);
        damage(path, how);
        assert_int_equal(get_image(number), TN_OK); /* compiled again, and replaced */
        assert_int_equal(fake_nvrtc_compilations(), compiled + 2);
        assert_int_equal(get_image(number), TN_OK);
        assert_int_equal(fake_nvrtc_compilations(), compiled + 2);
    }
}

static void test_processes(void **state) {
    (void)state;
    enum { PROCESSES = 16 };
    pid_t children[PROCESSES];
    int number = fresh(), answer;
    for (int k = 0; k < PROCESSES; k++)
        if ((children[k] = fork()) == 0) _exit(get_image(number) == TN_OK ? 0 : 1);
    for (int k = 0; k < PROCESSES; k++) {
        waitpid(children[k], &answer, 0);
        assert_true(WIFEXITED(answer) && WEXITSTATUS(answer) == 0);
    }
    long compiled = fake_nvrtc_compilations();
    assert_int_equal(get_image(number), TN_OK);
    assert_int_equal(fake_nvrtc_compilations(), compiled);
}

/* The sizes are added up now and then: limits on both sides of such a sum. */
static void test_bounded(void **state) {
    (void)state;
    static const int limits[] = {4000, 3900, 3800, 3700};
    for (int k = 0; k < 4; k++) {
        tn_cuda_cache_info info;
        char text[16];
        int first = fresh();
        assert_int_equal(tn_cuda_cache_clear(), TN_OK);
        snprintf(text, sizeof text, "%d", limits[k]);
        setenv("TENORITE_CACHE_SIZE", text, 1);
        tni_cache_reset();
        for (int n = 0; n < 60; n++) {
            assert_int_equal(get_image(fresh()), TN_OK);
            assert_int_equal(tn_cuda_cache_info_get(&info), TN_OK);
            assert_int_equal(info.limit_bytes, limits[k]);
            assert_true(info.bytes > 0 && info.bytes <= limits[k]);    /* at any time */
            if (n % 4 == 0) assert_int_equal(get_image(first), TN_OK); /* in use */
            usleep(2000);
        }
        long compiled = fake_nvrtc_compilations();
        assert_int_equal(get_image(first), TN_OK); /* used last, so it stayed */
        assert_int_equal(fake_nvrtc_compilations(), compiled);
    }
    unsetenv("TENORITE_CACHE_SIZE");
    tni_cache_reset();
}

static void test_folders(void **state) {
    (void)state;
    tn_cuda_cache_info info;
    int number = fresh();
    assert_int_equal(get_image(number), TN_OK);
    chmod(folder, 0777); /* anybody could put something there */
    tni_cache_reset();
    assert_int_equal(tn_cuda_cache_info_get(&info), TN_OK);
    assert_string_equal(info.folder, "");
    assert_non_null(strstr(info.reason, "other users may write"));
    assert_int_equal(get_image(number), TN_OK); /* works without */
    chmod(folder, 0500);
    tni_cache_reset();
    long compiled = fake_nvrtc_compilations();
    assert_int_equal(get_image(number), TN_OK); /* read */
    assert_int_equal(fake_nvrtc_compilations(), compiled);
    chmod(folder, 0700);
    setenv("TENORITE_CACHE_DIR", "", 1);
    tni_cache_reset();
    assert_int_equal(tn_cuda_cache_info_get(&info), TN_OK);
    assert_string_equal(info.folder, "");
    assert_int_equal(get_image(number), TN_OK);
    setenv("TENORITE_CACHE_DIR", folder, 1);
    tni_cache_reset();
}

/* What many threads write at a time is bounded, too, once the last has written. */
static void test_bounded_threads(void **state) {
    (void)state;
    enum { THREADS = 4, ROUNDS = 25 };
    pthread_t threads[THREADS];
    int numbers[THREADS];
    tn_cuda_cache_info info;
    void *status;
    setenv("TENORITE_CACHE_SIZE", "4000", 1);
    tni_cache_reset();
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < THREADS; k++) {
            numbers[k] = fresh();
            pthread_create(&threads[k], NULL, get_own, &numbers[k]);
        }
        for (int k = 0; k < THREADS; k++)
            pthread_join(threads[k], &status);
        assert_int_equal(tn_cuda_cache_info_get(&info), TN_OK);
        assert_true(info.bytes <= 4000);
    }
    unsetenv("TENORITE_CACHE_SIZE");
    tni_cache_reset();
}

static bool has_mode(const char *path, mode_t mode) {
    struct stat facts;
    return stat(path, &facts) == 0 && (facts.st_mode & 0777) == mode;
}

/* Whatever the umask: no other user reads or writes what is made. */
static void test_modes(void **state) {
    (void)state;
    char above[64], inner[80], path[512];
    int number = fresh();
    snprintf(above, sizeof above, "%s/above", folder);
    snprintf(inner, sizeof inner, "%s/kernels", above);
    mode_t before = umask(0);
    setenv("TENORITE_CACHE_DIR", inner, 1);
    tni_cache_reset();
    assert_int_equal(get_image(number), TN_OK);
    umask(before);
    assert_true(has_mode(above, 0700));
    assert_true(has_mode(inner, 0700));
    DIR *directory = opendir(inner);
    int files = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", inner, entry->d_name);
        assert_true(has_mode(path, 0600));
        files++;
    }
    closedir(directory);
    assert_int_equal(files, 1);
    setenv("TENORITE_CACHE_DIR", folder, 1);
    tni_cache_reset();
}

enum { NOBODY = 65534 };

/* What another user owns is not used: he could put kernels there. */
static void test_foreign_folder(void **state) {
    (void)state;
    tn_cuda_cache_info info;
    int number = fresh();
    assert_int_equal(get_image(number), TN_OK);
    if (geteuid() != 0 || chown(folder, NOBODY, NOBODY) != 0) skip(); /* only root gives away */
    tni_cache_reset();
    assert_int_equal(tn_cuda_cache_info_get(&info), TN_OK);
    assert_string_equal(info.folder, "");
    assert_false(info.is_writeable);
    assert_non_null(strstr(info.reason, "belongs to another user"));
    long compiled = fake_nvrtc_compilations();
    assert_int_equal(get_image(number), TN_OK);
    assert_int_equal(fake_nvrtc_compilations(), compiled + 1);
    assert_int_equal(chown(folder, 0, 0), 0);
    tni_cache_reset();
    compiled = fake_nvrtc_compilations();
    assert_int_equal(get_image(number), TN_OK);
    assert_int_equal(fake_nvrtc_compilations(), compiled);
}

/* In a child that is not root: the folder is read and not written, and `warm` refuses before it
 * compiles. The number of what is wrong; 0: all is well. */
static int use_read_only(int number) {
    tn_cuda_cache_info info;
    int64_t files;
    int arch = 80;
    (void)arch;
    if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)) return 1;
    tni_cache_reset();
    if (tn_cuda_cache_info_get(&info) != TN_OK || strcmp(info.folder, folder) != 0) return 2;
    if (info.is_writeable || !strstr(info.reason, "read-only")) return 3;
    files = info.files;
    long compiled = fake_nvrtc_compilations();
    if (get_image(number) != TN_OK || fake_nvrtc_compilations() != compiled) return 4;
    if (get_image(fresh()) != TN_OK || fake_nvrtc_compilations() != compiled + 1) return 5;
    if (tn_cuda_cache_info_get(&info) != TN_OK || info.files != files) return 6;
#ifndef __SANITIZE_THREAD__ /* it knows no threads in a child of fork */
    if (tn_cuda_cache_warm(1, &arch, NULL, NULL) != TN_ERROR_RUNTIME) return 7;
    if (!strstr(tn_error_message(), "is read-only")) return 8;
    if (fake_nvrtc_compilations() != compiled + 1) return 9;
#endif
    if (tn_cuda_cache_clear() != TN_ERROR_RUNTIME) return 10;
    return 0;
}

static void test_read_only_folder(void **state) {
    (void)state;
    int number = fresh(), answer;
    skip_emulated();
    assert_int_equal(get_image(number), TN_OK);
    if (geteuid() == 0) assert_int_equal(chown(folder, NOBODY, NOBODY), 0);
    chmod(folder, 0500);
    DIR *directory = opendir(folder); /* its files have to be readable to the child */
    for (struct dirent *entry; geteuid() == 0 && (entry = readdir(directory));)
        fchownat(dirfd(directory), entry->d_name, NOBODY, NOBODY, AT_SYMLINK_NOFOLLOW);
    closedir(directory);
    pid_t child = fork();
    if (child == 0) _exit(use_read_only(number));
    assert_int_equal(waitpid(child, &answer, 0), child);
    if (geteuid() == 0) assert_int_equal(chown(folder, 0, 0), 0);
    chmod(folder, 0700);
    assert_true(WIFEXITED(answer));
    assert_int_equal(WEXITSTATUS(answer), 0);
    tni_cache_reset();
}

static void test_batch(void **state) {
    (void)state;
    enum { PARTS = 3 };
    tni_source parts[PARTS] = {{0}};
    const tni_source *listed[PARTS];
    tni_image image = {0}, found[PARTS] = {{.data = NULL}};
    for (int k = 0; k < PARTS; k++) {
        int number = fresh();
        write_scale(&parts[k], &number);
        listed[k] = &parts[k];
    }
    long compiled = fake_nvrtc_compilations();
    assert_int_equal(tni_cache_compile_batch(&image, listed, PARTS, 90), TN_OK);
    assert_int_equal(fake_nvrtc_compilations(), compiled + 1);
    for (int k = 0; k < PARTS; k++) {
        assert_true(tni_cache_has(&parts[k], 90));
        assert_int_equal(tni_cache_get(&found[k], &parts[k], 90), TN_OK);
        assert_memory_equal(&found[k].key, &found[0].key, sizeof(tni_key)); /* one module */
        assert_non_null(strstr(found[k].data, parts[k].name));
    }
    assert_int_equal(fake_nvrtc_compilations(), compiled + 1);
    for (int k = 0; k < PARTS; k++) {
        tni_image_deinit(&found[k]);
        tni_source_deinit(&parts[k]);
    }
    tni_image_deinit(&image);
}

/* An archive of what compute capability `arch` needs for the fresh kernel `number`, whose files are
 * gone then. */
static void pack_one(char path[600], int number, int arch) {
    assert_int_equal(tn_cuda_cache_clear(), TN_OK);
    assert_int_equal(get_image_for(number, arch), TN_OK);
    snprintf(path, 600, "%s/%d-%d.archive", folder, number, arch);
    assert_int_equal(tn_cuda_cache_pack(path, 1, (int[]){arch}, 0), TN_OK);
    assert_int_equal(tn_cuda_cache_clear(), TN_OK);
}

static void test_archive(void **state) {
    (void)state;
    char path[600];
    int number = fresh();
    pack_one(path, number, 90);
    assert_int_equal(tn_cuda_cache_add_archive(path), TN_OK);
    assert_true(tni_archive_count() > 0);
    long compiled = fake_nvrtc_compilations();
    assert_int_equal(get_image(number), TN_OK);
    assert_int_equal(fake_nvrtc_compilations(), compiled);
    assert_int_equal(get_image_for(number, 100), TN_OK); /* another generation */
    assert_int_equal(get_image_for(number, 80), TN_OK);  /* older */
    assert_int_equal(fake_nvrtc_compilations(), compiled + 2);
    snprintf(path, sizeof path, "%s/cut.archive", folder);
    FILE *file = fopen(path, "wb");
    fputs("TNPACK2\0not much more", file);
    fclose(file);
    assert_int_equal(tn_cuda_cache_add_archive(path), TN_ERROR_VALUE);
    assert_int_equal(tn_cuda_cache_add_archive("/nonexistent"), TN_ERROR_VALUE);
}

/* Compute capability 8.6 and 8.9 run what was compiled for 8.0, but 8.7 is another kind of
 * machine. */
static void test_archive_of_older(void **state) {
    (void)state;
    char path[600];
    int number = fresh();
    pack_one(path, number, 80);
    assert_int_equal(tn_cuda_cache_add_archive(path), TN_OK);
    long compiled = fake_nvrtc_compilations();
    assert_int_equal(get_image_for(number, 86), TN_OK);
    assert_int_equal(get_image_for(number, 89), TN_OK);
    assert_int_equal(fake_nvrtc_compilations(), compiled);
    assert_int_equal(get_image_for(number, 87), TN_OK);
    assert_int_equal(fake_nvrtc_compilations(), compiled + 1);
    assert_int_equal(get_image_for(number, 75), TN_OK);
    assert_int_equal(fake_nvrtc_compilations(), compiled + 2);
}

static void test_archive_too_large(void **state) {
    (void)state;
    char path[600];
    int archs[] = {90};
    assert_int_equal(get_image(fresh()), TN_OK);
    snprintf(path, sizeof path, "%s/large.archive", folder);
    assert_int_equal(tn_cuda_cache_pack(path, 1, archs, 100), TN_ERROR_VALUE);
    assert_non_null(strstr(tn_error_message(), "pack fewer architectures"));
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(tn_cuda_cache_pack(path, 1, archs, 40 << 20), TN_OK);
    assert_int_equal(access(path, F_OK), 0);
}

/* One changed byte anywhere after the head: the kernel is compiled, or another one's byte it
 * was. */
static void test_archive_damaged(void **state) {
    (void)state;
    char path[600];
    for (int back = 3; back < 100; back += 24) {
        int number = fresh();
        pack_one(path, number, 90);
        int file = open(path, O_RDWR);
        off_t end = lseek(file, 0, SEEK_END);
        assert_int_equal(pwrite(file, "x", 1, end - back), 1);
        close(file);
        long compiled = fake_nvrtc_compilations();
        if (tn_cuda_cache_add_archive(path) != TN_OK) continue; /* an offset or a size */
        assert_int_equal(get_image(number), TN_OK);
        assert_int_equal(fake_nvrtc_compilations(), compiled + 1);
    }
}

/* A driver that is too old for the package's compiler refuses its images: this machine's are
 * compiled. */
static void test_archive_foreign(void **state) {
    (void)state;
    char path[600];
    tni_cuda_kernel *kernel;
    int number = fresh();
    pack_one(path, number, 90);
    assert_int_equal(tn_cuda_cache_add_archive(path), TN_OK);
    long compiled = fake_nvrtc_compilations();
    fake_cuda_fail("cuModuleLoadData", 1, CUDA_ERROR_INVALID_IMAGE);
    assert_int_equal(get(&kernel, number, 0), TN_OK);
    assert_int_equal(fake_nvrtc_compilations(), compiled + 1);
    number = fresh();
    pack_one(path, number, 90);
    assert_int_equal(tn_cuda_cache_add_archive(path), TN_OK);
    fake_cuda_fail("cuModuleLoadData", 1, CUDA_ERROR_OUT_OF_MEMORY); /* has nothing to do with it */
    assert_int_not_equal(get(&kernel, number, 0), TN_OK);
    compiled = fake_nvrtc_compilations();
    assert_int_equal(get(&kernel, number, 0), TN_OK);
    assert_int_equal(fake_nvrtc_compilations(), compiled);
}

static void test_warm(void **state) {
    (void)state;
    int arch = 80;
    assert_int_equal(tn_cuda_cache_warm(1, &arch, NULL, NULL), TN_OK);
}

static int remove_folder(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

int main(void) {
    static const replay_test tests[] = {REPLAY(test_found_again),
                                        REPLAY_NOT(test_many),
                                        REPLAY(test_launch),
                                        REPLAY(test_wrong_program),
                                        REPLAY_NOT(test_fork_under_locks),
                                        REPLAY_NOT(test_fork_lock),
                                        REPLAY_NOT(test_shared_race),
                                        REPLAY_NOT(test_threads),
                                        REPLAY(test_cached),
                                        REPLAY_NOT(test_damaged),
                                        REPLAY_NOT(test_processes),
                                        REPLAY_NOT(test_bounded),
                                        REPLAY_NOT(test_bounded_threads),
                                        REPLAY_NOT(test_folders),
                                        REPLAY_NOT(test_modes),
                                        REPLAY_NOT(test_foreign_folder),
                                        REPLAY_NOT(test_read_only_folder),
                                        REPLAY_NOT(test_batch),
                                        REPLAY_NOT(test_archive),
                                        REPLAY_NOT(test_warm),
                                        REPLAY_NOT(test_archive_of_older),
                                        REPLAY_NOT(test_archive_too_large),
                                        REPLAY_NOT(test_archive_damaged),
                                        REPLAY_NOT(test_archive_foreign)};
    if (!mkdtemp(folder)) return 1;
    setenv("TENORITE_CACHE_DIR", folder, 1);
    int failed = REPLAY_RUN("cuda_launch", tests);
    return remove_folder() || failed;
}
