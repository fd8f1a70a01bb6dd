/* The kernel cache on disk: a folder with one file per record, named by its key.
 *
 * The folder is TENORITE_CACHE_DIR, else tenorite/kernels in XDG_CACHE_HOME or ~/.cache; an empty
 * TENORITE_CACHE_DIR means none. It is made with mode 0700, and used only if it belongs to us or to
 * root and no other user may write to it, because what it holds runs on the device with our rights.
 * A file is written under another name and renamed, so readers see all of it or nothing, however
 * many processes write; its header tells whether it is whole and ours. Reading renews its time of
 * change, and when the folder grows beyond TENORITE_CACHE_SIZE bytes (512 MiB) the oldest files go.
 * What other processes write is seen when the sizes are added up, after each sixteenth of the limit
 * at the latest. */
#include "kernel/cache/cache_files.h"
#include "core/base/alloc.h"
#include "core/base/facts.h"
#include "core/base/forklock.h"
#include "core/base/lock.h"
#include "core/trace/trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_BYTES = 1024, NAME_BYTES = 48 };
static const char magic[8] = "TNKERN2";
static const char suffix[] = ".kernel", temporary_suffix[] = ".part";
static const int64_t default_limit = (int64_t)512 << 20;
static const int64_t image_bytes_max = (int64_t)256 << 20;

typedef struct header {
    char magic[8];
    tni_record record;
    tni_key check; /* of the record above and of the payload */
} header;

static struct {
    tni_fork_lock lock;
    atomic_bool is_known;
    char path[PATH_BYTES]; /* "" if there is none */
    char reason[256];
    bool is_writeable;
    int64_t limit;
    atomic_llong counted_bytes; /* when the sizes were last added up */
    atomic_llong written_bytes; /* since then */
} folder = {.lock = TNI_FORK_LOCK};

/* --- The folder --- */

static bool choose_path(char *path) {
    const char *given = getenv("TENORITE_CACHE_DIR");
    const char *user = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = 0;
    if (given)
        length = snprintf(path, PATH_BYTES, "%s", given);
    else if (user && user[0] == '/')
        length = snprintf(path, PATH_BYTES, "%s/tenorite/kernels", user);
    else if (home && home[0] == '/')
        length = snprintf(path, PATH_BYTES, "%s/.cache/tenorite/kernels", home);
    return length > 0 && length < PATH_BYTES - NAME_BYTES;
}

/* Makes a folder and those above it. */
static void make_folders(const char *path) {
    char part[PATH_BYTES];
    snprintf(part, sizeof part, "%s", path);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(part, 0700);
        *slash = '/';
    }
    mkdir(part, 0700);
}

static void refuse(const char *format, const char *path) {
    snprintf(folder.reason, sizeof folder.reason, format, path);
    folder.path[0] = '\0';
}

static int64_t choose_limit(void) {
    const char *text = getenv("TENORITE_CACHE_SIZE");
    char *end;
    long long bytes = text ? strtoll(text, &end, 10) : 0;
    return text && end != text && *end == '\0' && bytes >= 0 ? bytes : default_limit;
}

static void look_at_folder(void) {
    char path[PATH_BYTES] = "";
    struct stat facts;
    folder.reason[0] = folder.path[0] = '\0';
    folder.is_writeable = false;
    folder.limit = choose_limit();
    atomic_store(&folder.counted_bytes, folder.limit); /* the first write adds the sizes up */
    atomic_store(&folder.written_bytes, 0);
    if (!choose_path(path)) {
        refuse("no folder is given%s", "");
        return;
    }
    make_folders(path);
    memcpy(folder.path, path, sizeof folder.path);
    if (tni_facts_of_path(path, &facts) != 0)
        refuse("%.200s can't be made or read", path);
    else if (!S_ISDIR(facts.st_mode))
        refuse("%.200s is not a folder", path);
    else if (facts.st_uid != geteuid() && facts.st_uid != 0)
        refuse("%.200s belongs to another user", path);
    else if (facts.st_mode & (S_IWGRP | S_IWOTH))
        refuse("other users may write to %.200s", path);
    else if (!(folder.is_writeable = access(path, W_OK | X_OK) == 0))
        snprintf(folder.reason, sizeof folder.reason, "the folder is read-only");
}

static bool has_folder(void) {
    if (!atomic_load_explicit(&folder.is_known, memory_order_acquire)) {
        tni_fork_lock_take(&folder.lock);
        if (!atomic_load(&folder.is_known)) {
            look_at_folder();
            atomic_store_explicit(&folder.is_known, true, memory_order_release);
        }
        tni_fork_lock_give(&folder.lock);
    }
    return folder.path[0] != '\0';
}

void tni_cache_files_reset(void) {
    atomic_store(&folder.is_known, false);
}

/* --- Records --- */

/* The folder's path is NAME_BYTES shorter than PATH_BYTES. */
static void path_of_file(char path[PATH_BYTES], const char *name) {
    size_t length = strlen(folder.path);
    memcpy(path, folder.path, length);
    path[length] = '/';
    snprintf(path + length + 1, NAME_BYTES, "%s", name);
}

static void path_of(char path[PATH_BYTES], const tni_key *key) {
    char name[NAME_BYTES];
    for (int k = 0; k < 16; k++)
        snprintf(name + 2 * k, 3, "%02x", key->bytes[k]);
    memcpy(name + 32, suffix, sizeof suffix);
    path_of_file(path, name);
}

tni_key tni_record_check(const tni_record *record, const void *data) {
    tni_key seed = {{0}};
    return tni_checksum(data, record->bytes, tni_checksum(record, sizeof *record, seed));
}

static bool read_all(int file, void *data, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        ssize_t got = read(file, (char *)data + done, bytes - done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        done += (size_t)got;
    }
    return true;
}

static bool write_all(int file, const void *data, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        ssize_t put = write(file, (const char *)data + done, bytes - done);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        done += (size_t)put;
    }
    return true;
}

/* Reads an open file; NULL if it is not a whole record. *is_ours: memory was too short to look at
 * it, so nothing is wrong with it. */
static char *read_record(int file, tni_record *record, bool *is_ours) {
    header header;
    struct stat facts;
    *is_ours = false;
    if (tni_facts_of_file(file, &facts) != 0 || facts.st_size < (off_t)sizeof header ||
        facts.st_size > (off_t)image_bytes_max || !read_all(file, &header, sizeof header) ||
        memcmp(header.magic, magic, sizeof magic) != 0 ||
        header.record.bytes != (uint64_t)facts.st_size - sizeof header)
        return NULL;
    char *data = tni_malloc(header.record.bytes + 1);
    if (!data) {
        *is_ours = true;
        return NULL;
    }
    tni_key check = {{0}};
    if (read_all(file, data, header.record.bytes)) check = tni_record_check(&header.record, data);
    if (memcmp(&check, &header.check, sizeof check) != 0) {
        tni_free(data);
        return NULL;
    }
    data[header.record.bytes] = '\0';
    *record = header.record;
    return data;
}

static bool read_file_of(tni_record *record, char **data, const tni_key *key) {
    char path[PATH_BYTES];
    bool is_ours;
    if (!has_folder()) return false;
    path_of(path, key);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    char *payload = read_record(file, record, &is_ours);
    bool is_good = payload && memcmp(&record->key, key, sizeof *key) == 0;
    if (is_good) futimens(file, NULL); /* where that is not allowed, it ages */
    close(file);
    if (!is_good) {
        if (!is_ours) unlink(path);
        tni_free(payload);
        return false;
    }
    *data = payload;
    return true;
}

bool tni_cache_files_read(tni_record *record, char **data, const tni_key *key) {
    int64_t begun = tni_trace_begin(TNI_TRACE_ON | TNI_LOG_CACHE);
    bool is_found = read_file_of(record, data, key);
    if (begun) {
        char path[PATH_BYTES], text[PATH_BYTES + 32];
        path_of(path, key);
        const char *name = strrchr(path, '/');
        snprintf(text, sizeof text, "%s %s", is_found ? "hit" : "miss", name ? name + 1 : path);
        tni_trace_end(&(tni_traced){.kind = TN_TRACE_CACHE,
                                    .begun = begun,
                                    .text = text,
                                    .bytes = is_found ? (int64_t)record->bytes : 0});
    }
    return is_found;
}

/* --- Size --- */

typedef struct file {
    char name[NAME_BYTES];
    int64_t bytes;
    struct timespec time;
} file;

typedef struct listing {
    file *files;
    size_t count, capacity;
    int64_t bytes;
} listing;

static bool ends_with(const char *name, const char *end) {
    size_t length = strlen(name), end_length = strlen(end);
    return length > end_length && strcmp(name + length - end_length, end) == 0;
}

/* A writer that died leaves its file after. */
static void remove_leftover(int directory, const char *name, const struct stat *facts) {
    enum { AN_HOUR = 3600 };
    if (ends_with(name, temporary_suffix) && time(NULL) - facts->st_mtime > AN_HOUR)
        unlinkat(directory, name, 0);
}

static bool list_file(listing *listing, const char *name, const struct stat *facts) {
    if (listing->count == listing->capacity) {
        size_t capacity = listing->capacity ? 2 * listing->capacity : 256;
        file *larger = tni_realloc(listing->files, capacity * sizeof *larger);
        if (!larger) return false;
        listing->files = larger;
        listing->capacity = capacity;
    }
    file *entry = &listing->files[listing->count++];
    memcpy(entry->name, name, strlen(name) + 1); /* shorter than NAME_BYTES */
    entry->bytes = facts->st_size;
    entry->time = facts->st_mtim;
    listing->bytes += facts->st_size;
    return true;
}

bool tni_cache_files_is_empty(void) {
    DIR *directory = has_folder() ? opendir(folder.path) : NULL;
    bool is_empty = true;
    if (!directory) return true;
    for (struct dirent *entry; is_empty && (entry = readdir(directory));)
        is_empty = !ends_with(entry->d_name, suffix);
    closedir(directory);
    return is_empty;
}

static void list_folder(listing *listing) {
    struct stat facts;
    memset(listing, 0, sizeof *listing);
    DIR *directory = opendir(folder.path);
    if (!directory) return;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (tni_facts_of_entry(dirfd(directory), entry->d_name, &facts) != 0 ||
            !S_ISREG(facts.st_mode))
            continue;
        if (strlen(entry->d_name) < NAME_BYTES && ends_with(entry->d_name, suffix)) {
            if (!list_file(listing, entry->d_name, &facts)) break;
        } else {
            remove_leftover(dirfd(directory), entry->d_name, &facts);
        }
    }
    closedir(directory);
}

static int by_time(const void *a, const void *b) {
    const struct timespec *x = &((const file *)a)->time, *y = &((const file *)b)->time;
    if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
    return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

static void remove_file(const char *name) {
    char path[PATH_BYTES];
    path_of_file(path, name);
    unlink(path);
}

/* Brings the folder below its limit, with an eighth to spare so that this is seldom. Bytes that
 * other processes write meanwhile count as written since, even if they are in the listing. */
static void trim(void) {
    listing listing;
    atomic_store(&folder.written_bytes, 0);
    list_folder(&listing);
    if (listing.bytes > folder.limit) {
        qsort(listing.files, listing.count, sizeof *listing.files, by_time);
        for (size_t k = 0; k < listing.count && listing.bytes > folder.limit / 8 * 7; k++) {
            remove_file(listing.files[k].name);
            listing.bytes -= listing.files[k].bytes;
        }
    }
    int64_t bytes = listing.bytes < folder.limit ? listing.bytes : folder.limit;
    atomic_store(&folder.counted_bytes, bytes); /* more: files that can't be deleted */
    tni_free(listing.files);
}

static bool is_full(void) {
    int64_t written = atomic_load(&folder.written_bytes);
    return written > folder.limit / 16 ||
           atomic_load(&folder.counted_bytes) + written > folder.limit;
}

/* One thread trims for all: it looks again when it is done, so that no thread's last write goes
 * unseen. */
static void keep_limit(void) {
    static atomic_bool is_busy;
    while (is_full() && !atomic_exchange(&is_busy, true)) {
        trim();
        atomic_store(&is_busy, false);
    }
}

/* --- Writing --- */

tn_status tni_cache_files_check(void) {
    if (!has_folder())
        TNI_FAIL(TN_ERROR_RUNTIME,
                 "compiled kernels can't be kept: %s; name a folder in TENORITE_CACHE_DIR",
                 folder.reason);
    if (!folder.is_writeable)
        TNI_FAIL(TN_ERROR_RUNTIME,
                 "compiled kernels can't be kept: %s is read-only; name another folder in "
                 "TENORITE_CACHE_DIR",
                 folder.path);
    if (folder.limit == 0)
        TNI_FAIL(TN_ERROR_RUNTIME, "compiled kernels can't be kept: TENORITE_CACHE_SIZE is 0");
    return TN_OK;
}

static bool write_file(const char *path, const header *header, const void *data) {
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return false;
    bool good =
        write_all(file, header, sizeof *header) && write_all(file, data, header->record.bytes);
    int error = errno;
    if (close(file) != 0 && good) {
        error = errno;
        good = false;
    }
    if (!good) unlink(path);
    errno = error;
    return good;
}

static struct {
    atomic_llong count;
    atomic_int error;
} failures;

static void note_failure(int error) {
    atomic_store(&failures.error, error);
    atomic_fetch_add(&failures.count, 1);
}

int64_t tni_cache_files_failures(int *error) {
    *error = atomic_load(&failures.error);
    return atomic_load(&failures.count);
}

bool tni_cache_files_write(const tni_record *record, const void *data) {
    static atomic_uint number;
    char path[PATH_BYTES], temporary[PATH_BYTES], name[NAME_BYTES];
    header header = {.record = *record};
    if (!has_folder() || !folder.is_writeable || folder.limit == 0) return false;
    memcpy(header.magic, magic, sizeof magic);
    header.check = tni_record_check(record, data);
    path_of(path, &record->key);
    snprintf(name, sizeof name, "%ld-%u-%lld%s", (long)getpid(), atomic_fetch_add(&number, 1),
             (long long)tni_now_ns() % 1000000007, temporary_suffix);
    path_of_file(temporary, name);
    bool is_written = write_file(temporary, &header, data);
    if (!is_written || rename(temporary, path) != 0) {
        note_failure(errno);
        if (is_written) unlink(temporary);
        return false;
    }
    atomic_fetch_add(&folder.written_bytes, (int64_t)(sizeof header + record->bytes));
    keep_limit();
    return true;
}

/* --- All of them --- */

void tni_cache_files_each(bool (*visit)(void *context, const tni_record *record, const char *data),
                          void *context) {
    listing listing;
    bool goes_on = true, is_ours;
    if (!has_folder()) return;
    list_folder(&listing);
    for (size_t k = 0; goes_on && k < listing.count; k++) {
        char path[PATH_BYTES];
        tni_record record;
        path_of_file(path, listing.files[k].name);
        int file = open(path, O_RDONLY | O_CLOEXEC);
        char *data = file < 0 ? NULL : read_record(file, &record, &is_ours);
        if (file >= 0) close(file);
        if (data) goes_on = visit(context, &record, data);
        tni_free(data);
    }
    tni_free(listing.files);
}

void tni_cache_files_info(char *path, size_t path_bytes, char *reason, size_t reason_bytes,
                          bool *is_writeable, int64_t *files, int64_t *bytes, int64_t *limit) {
    listing listing = {0};
    if (has_folder()) list_folder(&listing);
    snprintf(path, path_bytes, "%s", folder.path);
    snprintf(reason, reason_bytes, "%s", folder.reason);
    *is_writeable = folder.is_writeable;
    *files = (int64_t)listing.count;
    *bytes = listing.bytes;
    *limit = folder.limit;
    tni_free(listing.files);
}

tn_status tni_cache_files_clear(void) {
    listing listing;
    if (!has_folder()) return TN_OK;
    if (!folder.is_writeable)
        TNI_FAIL(TN_ERROR_RUNTIME, "the kernel cache %s can't be cleared: it is read-only",
                 folder.path);
    list_folder(&listing);
    for (size_t k = 0; k < listing.count; k++)
        remove_file(listing.files[k].name);
    tni_free(listing.files);
    return TN_OK;
}
