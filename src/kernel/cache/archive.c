/* An archive is a header, the records sorted by base key, and the payloads, each with a NUL after
 * it. It is mapped and searched as it lies. What the header says is checked against the file's size
 * when it is added, so that a cut file is refused and no address can leave the mapping; a record
 * and its payload are checked when they are first found, so that a damaged one is as if it were not
 * there. The package's own archives, kernels.archive and host.archive in the folder above the
 * library's, are added at the first search; TENORITE_KERNEL_ARCHIVE names another for both. */
#include "kernel/cache/archive.h"
#include "core/base/alloc.h"
#include "core/base/facts.h"
#include "core/base/forklock.h"
#include "core/base/library.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char magic[8] = "TNPACK2";

typedef struct head {
    char magic[8];
    uint64_t count;
} head;

typedef struct item {
    tni_record record;
    uint64_t offset; /* of the payload in the file */
    tni_key check;
} item;

typedef struct archive {
    struct archive *next;
    const char *data;
    size_t bytes;
    uint64_t count;
    int64_t images; /* of GPUs */
    atomic_bool is_refused;
    atomic_uchar *states; /* of the items */
    char path[];
} archive;
enum { UNKNOWN, GOOD, DAMAGED };

static _Atomic(archive *) archives; /* only ever grows at the front */
static tni_fork_lock lock = TNI_FORK_LOCK;

static const item *items_of(const char *data) {
    return (const item *)(const void *)(data + sizeof(head));
}

/* --- Reading --- */

static bool is_whole(const char *data, size_t bytes) {
    const head *head = (const void *)data;
    if (bytes < sizeof *head || memcmp(head->magic, magic, sizeof magic) != 0 ||
        head->count > (bytes - sizeof *head) / sizeof(item))
        return false;
    for (uint64_t k = 0; k < head->count; k++) {
        const item *item = &items_of(data)[k];
        if (item->offset > bytes || item->record.bytes >= bytes - item->offset) return false;
    }
    return true;
}

static bool is_known(const char *path) {
    for (archive *archive = atomic_load(&archives); archive; archive = archive->next)
        if (strcmp(archive->path, path) == 0) return true;
    return false;
}

static tn_status map_file(const char **data, size_t *bytes, const char *path) {
    struct stat facts;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) TNI_FAIL(TN_ERROR_VALUE, "can't read %s: %s", path, strerror(errno));
    void *mapped = MAP_FAILED;
    if (tni_facts_of_file(file, &facts) == 0 && facts.st_size > 0)
        mapped = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (mapped == MAP_FAILED) TNI_FAIL(TN_ERROR_VALUE, "can't map %s", path);
    if (!is_whole(mapped, (size_t)facts.st_size)) {
        munmap(mapped, (size_t)facts.st_size);
        TNI_FAIL(TN_ERROR_VALUE, "%s is not a whole archive of kernels", path);
    }
    *data = mapped;
    *bytes = (size_t)facts.st_size;
    return TN_OK;
}

static tn_status add(const char *path) {
    const char *data;
    size_t bytes, path_bytes = strlen(path) + 1;
    if (is_known(path)) return TN_OK;
    TNI_TRY(map_file(&data, &bytes, path));
    uint64_t count = ((const head *)(const void *)data)->count;
    archive *made = tni_calloc(1, sizeof *made + path_bytes + count);
    if (!made) {
        munmap((void *)(uintptr_t)data, bytes);
        return tni_fail_no_memory((int64_t)(sizeof *made + path_bytes));
    }
    made->next = atomic_load(&archives);
    made->data = data;
    made->bytes = bytes;
    made->count = count;
    for (uint64_t k = 0; k < count; k++)
        made->images += items_of(data)[k].record.kind != TNI_RECORD_HOST;
    made->states = (atomic_uchar *)made->path + path_bytes;
    memcpy(made->path, path, path_bytes);
    atomic_store_explicit(&archives, made, memory_order_release);
    return TN_OK;
}

tn_status tni_archive_add(const char *path) {
    tni_fork_lock_take(&lock);
    tn_status status = add(path);
    tni_fork_lock_give(&lock);
    return status;
}

static void add_package(void) {
    char path[1024];
    const char *given = getenv("TENORITE_KERNEL_ARCHIVE");
    if (given) {
        if (*given) tni_archive_add(given);
        return;
    }
    if (tni_library_find_beside(path, sizeof path, "../kernels.archive")) tni_archive_add(path);
    if (tni_library_find_beside(path, sizeof path, "../host.archive")) tni_archive_add(path);
}

static const archive *first_archive(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, add_package);
    return atomic_load_explicit(&archives, memory_order_acquire);
}

static int by_base(const void *a, const void *b) {
    return memcmp(&((const item *)a)->record.base, &((const item *)b)->record.base,
                  sizeof(tni_key));
}

/* Whether an item is what was packed; the answer is kept. */
static bool is_good(const archive *archive, const item *item) {
    atomic_uchar *state = &archive->states[item - items_of(archive->data)];
    if (atomic_load(state) == UNKNOWN) {
        const char *data = archive->data + item->offset;
        tni_key check = tni_record_check(&item->record, data);
        bool good =
            data[item->record.bytes] == '\0' && memcmp(&check, &item->check, sizeof check) == 0;
        atomic_store(state, good ? GOOD : DAMAGED);
    }
    return atomic_load(state) == GOOD;
}

bool tni_archive_find(tni_record *record, const char **data, const tni_key *base) {
    item wanted = {.record.base = *base};
    for (const archive *archive = first_archive(); archive; archive = archive->next) {
        if (atomic_load(&archive->is_refused)) continue;
        const item *found =
            bsearch(&wanted, items_of(archive->data), archive->count, sizeof wanted, by_base);
        if (!found || !is_good(archive, found)) continue;
        *record = found->record;
        *data = archive->data + found->offset;
        return true;
    }
    return false;
}

/* The archive that the data lies in. */
static archive *archive_of(const char *data) {
    archive *archive = atomic_load(&archives);
    while (archive && (data < archive->data || data >= archive->data + archive->bytes))
        archive = archive->next;
    return archive;
}

void tni_archive_refuse(const char *data) {
    archive *archive = archive_of(data);
    if (archive) atomic_store(&archive->is_refused, true);
}

bool tni_archive_is_refused(const char *data) {
    const archive *archive = archive_of(data);
    return archive && atomic_load(&archive->is_refused);
}

int64_t tni_archive_count(void) {
    int64_t count = 0;
    for (const archive *archive = first_archive(); archive; archive = archive->next)
        count += archive->images;
    return count;
}

/* --- Writing --- */

typedef struct packing {
    int arch_count;
    const int *archs;
    size_t count, capacity;
    struct packed {
        item item;
        char *data;
    } * list;
    tn_status status;
} packing;

static bool is_wanted(const packing *packing, const tni_record *record) {
    if (record->kind == TNI_RECORD_USER) return false;
    for (int k = 0; k < packing->arch_count; k++)
        if ((uint32_t)packing->archs[k] == record->arch) return true;
    return packing->arch_count == 0 && record->kind != TNI_RECORD_HOST;
}

static bool collect(void *context, const tni_record *record, const char *data) {
    packing *packing = context;
    if (!is_wanted(packing, record)) return true;
    if (packing->count == packing->capacity) {
        size_t capacity = packing->capacity ? 2 * packing->capacity : 64;
        void *larger = tni_realloc(packing->list, capacity * sizeof *packing->list);
        if (larger) {
            packing->list = larger;
            packing->capacity = capacity;
        }
    }
    char *copy = packing->count < packing->capacity ? tni_malloc(record->bytes + 1) : NULL;
    if (!copy) {
        packing->status = tni_fail_no_memory((int64_t)record->bytes);
        return false;
    }
    memcpy(copy, data, record->bytes);
    copy[record->bytes] = '\0';
    packing->list[packing->count++] =
        (struct packed){{*record, 0, tni_record_check(record, data)}, copy};
    return true;
}

/* Sorts by base key; of equal keys the newest compiler's comes first. */
static int by_base_and_version(const void *a, const void *b) {
    const tni_record *x = &((const struct packed *)a)->item.record;
    const tni_record *y = &((const struct packed *)b)->item.record;
    int order = memcmp(&x->base, &y->base, sizeof x->base);
    return order ? order : (x->version < y->version) - (x->version > y->version);
}

static void drop_duplicates(packing *packing) {
    size_t kept = 0;
    for (size_t k = 0; k < packing->count; k++) {
        struct packed *entry = &packing->list[k];
        if (kept && memcmp(&packing->list[kept - 1].item.record.base, &entry->item.record.base,
                           sizeof(tni_key)) == 0)
            tni_free(entry->data);
        else
            packing->list[kept++] = *entry;
    }
    packing->count = kept;
}

static bool put_all(FILE *file, packing *packing) {
    head head = {.count = packing->count};
    memcpy(head.magic, magic, sizeof magic);
    uint64_t offset = sizeof head + packing->count * sizeof(item);
    bool good = fwrite(&head, sizeof head, 1, file) == 1;
    for (size_t k = 0; good && k < packing->count; k++) {
        packing->list[k].item.offset = offset;
        offset += packing->list[k].item.record.bytes + 1;
        good = fwrite(&packing->list[k].item, sizeof(item), 1, file) == 1;
    }
    for (size_t k = 0; good && k < packing->count; k++)
        good = fwrite(packing->list[k].data, packing->list[k].item.record.bytes + 1, 1, file) == 1;
    return good;
}

static tn_status write_archive(const char *path, packing *packing) {
    char temporary[1024];
    if (snprintf(temporary, sizeof temporary, "%s.%ld.part", path, (long)getpid()) >=
        (int)sizeof temporary)
        TNI_FAIL(TN_ERROR_VALUE, "the path is too long: %s", path);
    FILE *file = fopen(temporary, "wbe");
    if (!file) TNI_FAIL(TN_ERROR_VALUE, "can't write %s: %s", path, strerror(errno));
    bool good = put_all(file, packing);
    if (fclose(file) != 0) good = false;
    if (good && rename(temporary, path) == 0) return TN_OK;
    unlink(temporary);
    TNI_FAIL(TN_ERROR_RUNTIME, "can't write %s: %s", path, strerror(errno));
}

/* TN_ERROR_VALUE if the archive would be too large. */
static tn_status check_size(const packing *packing, int64_t limit_bytes) {
    int64_t bytes = sizeof(head);
    for (size_t k = 0; k < packing->count; k++)
        bytes += (int64_t)(sizeof(item) + packing->list[k].item.record.bytes + 1);
    if (limit_bytes <= 0 || bytes <= limit_bytes) return TN_OK;
    TNI_FAIL(TN_ERROR_VALUE,
             "the archive would take %lld bytes, and %lld are allowed; pack fewer architectures",
             (long long)bytes, (long long)limit_bytes);
}

tn_status tni_archive_write(const char *path, int count, const int *archs, int64_t limit_bytes) {
    packing packing = {.arch_count = count, .archs = archs};
    tni_cache_files_each(collect, &packing);
    if (packing.status == TN_OK) {
        if (packing.count)
            qsort(packing.list, packing.count, sizeof *packing.list, by_base_and_version);
        drop_duplicates(&packing);
        packing.status = check_size(&packing, limit_bytes);
    }
    if (packing.status == TN_OK) packing.status = write_archive(path, &packing);
    for (size_t k = 0; k < packing.count; k++)
        tni_free(packing.list[k].data);
    tni_free(packing.list);
    return packing.status;
}
