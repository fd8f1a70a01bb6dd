/* Running a compiler: a folder of its own under TMPDIR with the text, the result and what it says,
 * a process group of its own, and an end to its time. There is no shell in between, so nothing in a
 * path or option is read as anything else. */
#include "backend/host/compiler/compiler.h"

#include "core/base/alloc.h"
#include "core/base/facts.h"
#include "core/base/library.h"
#include "core/base/lock.h"
#include "core/trace/trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FOLDER_BYTES = 768, LOG_BYTES_MAX = 1 << 20, OPTIONS_MAX = 256, SECONDS = 120 };
extern char **environ;

/* --- Finding --- */

static bool is_program(tni_compiler *compiler) {
    struct stat facts;
    if (tni_facts_of_path(compiler->path, &facts) != 0 || !S_ISREG(facts.st_mode) ||
        access(compiler->path, X_OK) != 0)
        return false;
    compiler->bytes = facts.st_size;
    compiler->changed_ns = facts.st_mtim.tv_sec * INT64_C(1000000000) + facts.st_mtim.tv_nsec;
    return true;
}

static bool find_in_path(tni_compiler *compiler, const char *name) {
    const char *path = getenv("PATH");
    if (strchr(name, '/')) {
        int length = snprintf(compiler->path, TNI_COMPILER_PATH, "%s", name);
        return length < TNI_COMPILER_PATH && is_program(compiler);
    }
    for (const char *end; path && *path; path = *end ? end + 1 : end) {
        end = strchrnul(path, ':');
        int length = snprintf(compiler->path, TNI_COMPILER_PATH, "%.*s/%s", (int)(end - path),
                              end == path ? "." : path, name);
        if (length < TNI_COMPILER_PATH && is_program(compiler)) return true;
    }
    return false;
}

tn_status tni_compiler_find(tni_compiler *compiler) {
    static const char *const names[] = {"c++", "g++", "clang++"};
    const char *given = getenv("TENORITE_CXX");
    memset(compiler, 0, sizeof *compiler);
    if (given && *given) {
        if (find_in_path(compiler, given)) return TN_OK;
        TNI_FAIL(TN_ERROR_COMPILE,
                 "the C++ compiler of TENORITE_CXX, %.300s, is not there; see "
                 "errors/missing-library in the documentation",
                 given);
    }
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (find_in_path(compiler, names[k])) return TN_OK;
    if (tni_library_find_beside(compiler->path, TNI_COMPILER_PATH, "../../ziglang/zig") &&
        is_program(compiler)) {
        compiler->subcommand = "c++";
        return TN_OK;
    }
    TNI_FAIL(
        TN_ERROR_COMPILE,
        "kernels on the host need a C++ compiler, and there is no c++, g++ or clang++: install "
        "g++ or clang (apt-get install g++), or pip install ziglang, or name one in "
        "TENORITE_CXX; see errors/missing-library in the documentation");
}

/* --- A folder --- */

static bool make_folder(char folder[FOLDER_BYTES]) {
    const char *base = getenv("TMPDIR");
    int length =
        snprintf(folder, FOLDER_BYTES - 32, "%s/tenorite-XXXXXX", base && *base ? base : "/tmp");
    return length < FOLDER_BYTES - 32 && mkdtemp(folder);
}

/* Compilers that were ended leave files of their own there. */
static void remove_folder(const char *folder) {
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        unlinkat(dirfd(directory), entry->d_name, 0);
    if (directory) closedir(directory);
    rmdir(folder);
}

static void path_in(char path[TNI_COMPILER_PATH], const char *folder, const char *name) {
    snprintf(path, TNI_COMPILER_PATH, "%s/%s", folder, name);
}

static tn_status write_text(const char *path, const tni_source *text) {
    FILE *file = fopen(path, "wbe");
    bool good = file && fwrite(text->text, 1, text->length, file) == text->length;
    if (file) good &= fclose(file) == 0;
    if (good) return TN_OK;
    TNI_FAIL(TN_ERROR_COMPILE, "a program of %zu bytes can't be written to %s: %s", text->length,
             path, strerror(errno));
}

/* A file as memory of tni_malloc() with a NUL after it, cut at `limit`. NULL: it is empty or can't
 * be read, or there is no memory (errno is ENOMEM). */
static char *read_file(const char *path, size_t *bytes, size_t limit) {
    struct stat facts;
    char *data = NULL;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return NULL;
    if (tni_facts_of_file(file, &facts) == 0 && facts.st_size > 0) {
        size_t wanted = (size_t)facts.st_size < limit ? (size_t)facts.st_size : limit, done = 0;
        data = tni_malloc(wanted + 1);
        for (ssize_t got = 1; data && done < wanted && got > 0; done += got > 0 ? (size_t)got : 0)
            got = read(file, data + done, wanted - done);
        if (data) data[done] = '\0';
        if (!data) errno = ENOMEM;
        *bytes = done;
    }
    close(file);
    return data;
}

/* --- A process --- */

/* The program's environment with another folder for temporary files. */
static char **make_environment(char *folder_variable) {
    size_t count = 0, kept = 0;
    while (environ && environ[count])
        count++;
    char **made = tni_malloc((count + 2) * sizeof *made);
    if (!made) return NULL;
    for (size_t k = 0; k < count; k++)
        if (strncmp(environ[k], "TMPDIR=", 7) != 0) made[kept++] = environ[k];
    made[kept++] = folder_variable;
    made[kept] = NULL;
    return made;
}

static int start(pid_t *process, char **words, char **environment, const char *log) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, defaults;
    sigemptyset(&none);
    sigfillset(&defaults);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    int error = posix_spawn(process, words[0], &files, &attributes, words, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

static int64_t time_limit_ns(void) {
    const char *text = getenv("TENORITE_COMPILE_SECONDS");
    double seconds = text ? strtod(text, NULL) : 0;
    if (!(seconds > 0 && seconds < 1e6)) seconds = SECONDS;
    return (int64_t)(seconds * 1e9);
}

/* Waits for its end; false: its time was over, and it was ended with all that it had started. */
static bool wait_for(pid_t process, int *outcome) {
    int64_t end = tni_now_ns() + time_limit_ns();
    struct timespec nap = {0, 500000};
    *outcome = 0;
    for (;;) {
        pid_t ended = waitpid(process, outcome, WNOHANG);
        if (ended == process) return true;
        if (ended < 0 && errno != EINTR)
            return true; /* the program takes no note of its children */
        if (tni_now_ns() > end) break;
        nanosleep(&nap, NULL);
    }
    kill(-process, SIGKILL);
    kill(process, SIGKILL);
    while (waitpid(process, outcome, 0) < 0 && errno == EINTR) {}
    return false;
}

static tn_status run_process(const char *folder, char **words, bool *is_late) {
    char variable[TNI_COMPILER_PATH], log[TNI_COMPILER_PATH];
    pid_t process;
    int outcome;
    snprintf(variable, sizeof variable, "TMPDIR=%s", folder);
    path_in(log, folder, "log");
    char **environment = make_environment(variable);
    if (!environment) return tni_fail_no_memory(sizeof variable);
    int error = start(&process, words, environment, log);
    tni_free(environment);
    if (error) TNI_FAIL(TN_ERROR_COMPILE, "%s can't be run: %s", words[0], strerror(error));
    *is_late = !wait_for(process, &outcome);
    if (*is_late)
        TNI_FAIL(TN_ERROR_COMPILE,
                 "%s was ended after %.0f seconds (TENORITE_COMPILE_SECONDS allows more)", words[0],
                 (double)time_limit_ns() * 1e-9);
    if (WIFSIGNALED(outcome))
        TNI_FAIL(TN_ERROR_COMPILE, "%s was ended by signal %d", words[0], WTERMSIG(outcome));
    if (outcome != 0)
        TNI_FAIL(TN_ERROR_COMPILE, "%s could not compile it (exit status %d)", words[0],
                 WEXITSTATUS(outcome));
    return TN_OK;
}

/* --- Compiling --- */

static tn_status run_in(const char *folder, char **image, size_t *bytes, tni_compiler *compiler,
                        const tni_source *text, int file_count, const tni_source *files,
                        int option_count, const char *const *options) {
    char source[TNI_COMPILER_PATH], result[TNI_COMPILER_PATH];
    const char *words[OPTIONS_MAX + 8];
    int count = 0;
    if (option_count > OPTIONS_MAX)
        TNI_FAIL(TN_ERROR_VALUE, "%d options are more than %d", option_count, OPTIONS_MAX);
    path_in(source, folder, "kernel.cpp");
    path_in(result, folder, "kernel.so");
    words[count++] = compiler->path;
    if (compiler->subcommand) words[count++] = compiler->subcommand;
    for (int k = 0; k < option_count; k++)
        words[count++] = options[k];
    words[count++] = "-o";
    words[count++] = result;
    words[count++] = source;
    words[count] = NULL;
    TNI_TRY(write_text(source, text));
    for (int k = 0; k < file_count; k++) {
        char name[64], path[TNI_COMPILER_PATH];
        snprintf(name, sizeof name, TNI_COMPILER_INCLUDED, k);
        path_in(path, folder, name);
        TNI_TRY(write_text(path, &files[k]));
    }
    TNI_TRY(run_process(folder, (char **)(uintptr_t)words, &compiler->is_late));
    errno = 0;
    *image = read_file(result, bytes, SIZE_MAX);
    if (!*image && errno == ENOMEM) return tni_fail_no_memory(TNI_COMPILER_PATH);
    if (!*image) TNI_FAIL(TN_ERROR_COMPILE, "%s ended well and left no program", compiler->path);
    return TN_OK;
}

static void trace_run(int64_t begun, const tni_source *text) {
    tni_trace_end(&(tni_traced){.kind = TN_TRACE_COMPILE,
                                .begun = begun,
                                .text = text->name[0] ? text->name : "a kernel for the host",
                                .bytes = (int64_t)text->length});
}

tn_status tni_compiler_run(char **image, size_t *bytes, char **log, tni_compiler *compiler,
                           const tni_source *text, int file_count, const tni_source *files,
                           int option_count, const char *const *options) {
    char folder[FOLDER_BYTES], path[TNI_COMPILER_PATH], first[600];
    size_t log_bytes = 0;
    if (!make_folder(folder))
        TNI_FAIL(TN_ERROR_COMPILE, "no folder can be made in %s to compile in: %s",
                 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", strerror(errno));
    int64_t begun = tni_trace_begin(TNI_TRACE_ON | TNI_LOG_COMPILE | TNI_LOG_SLOW);
    tn_status status =
        run_in(folder, image, bytes, compiler, text, file_count, files, option_count, options);
    if (begun) trace_run(begun, text);
    path_in(path, folder, "log");
    *log = read_file(path, &log_bytes, LOG_BYTES_MAX);
    remove_folder(folder);
    if (status != TN_ERROR_COMPILE || !*log) return status;
    snprintf(first, sizeof first, "%s", *log);
    TNI_FAIL(status, "%.300s\n%s", tn_error_message(), first);
}
