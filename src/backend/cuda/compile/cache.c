/* Where an image comes from: an archive, the folder, an archive for older devices, or the compiler.
 *
 * The base key is a digest of all texts, options and the architecture; with the compiler's version
 * it is the key in the folder. Archives are found by the base key alone, so that a package's
 * kernels serve with any NVRTC, and with none. What was compiled for compute capability 8.0 runs on
 * 8.9, too, so a package need not carry kernels for each. Kernels that were compiled together share
 * one image; each has a link to it. */
#include "backend/cuda/compile/cache.h"

#include "backend/cuda/driver/library.h"
#include "core/base/alloc.h"
#include "core/base/forklock.h"
#include "kernel/cache/archive.h"

#include <stdatomic.h>
#include <string.h>

static atomic_llong hits, misses, loaded;

static tni_record record_of(const tni_source *source, int arch) {
    tni_record record = {.kind = TNI_RECORD_IMAGE, .arch = (uint32_t)arch};
    tni_digest digest;
    tni_digest_init(&digest);
    tni_cuda_compile_digest(&digest, arch);
    tni_digest_add_text(&digest, source->name, strlen(source->name));
    tni_digest_add_text(&digest, source->text, source->length);
    record.base = tni_digest_key(&digest);
    return record;
}

/* Completes a record by what depends on the compiler. */
static void set_version(tni_record *record, int version) {
    tni_digest digest;
    record->version = (uint32_t)version;
    tni_digest_init(&digest);
    tni_digest_add(&digest, &record->base, sizeof record->base);
    tni_digest_add(&digest, &record->version, sizeof record->version);
    record->key = tni_digest_key(&digest);
}

static bool is_link(const tni_record *record, tni_link *link, const char *data) {
    if (record->kind != TNI_RECORD_LINK || record->bytes != sizeof *link) return false;
    memcpy(link, data, sizeof *link);
    return true;
}

static bool find_in_archive(tni_image *image, const tni_key *base) {
    tni_record record;
    tni_link link;
    const char *data;
    if (!tni_archive_find(&record, &data, base)) return false;
    if (is_link(&record, &link, data) && !tni_archive_find(&record, &data, &link.base))
        return false;
    if (record.kind != TNI_RECORD_IMAGE) return false;
    *image = (tni_image){record.base, data, record.bytes, NULL, true};
    return true;
}

/* Devices that are built in with a processor run their own images alone. */
static bool is_embedded(int arch) {
    static const int known[] = {53, 62, 72, 87, 101, 110};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (known[k] == arch) return true;
    return false;
}

/* An image for an older device of the same generation. */
static bool find_older(tni_image *image, const tni_source *source, int arch) {
    if (is_embedded(arch)) return false;
    for (int older = arch - 1; older / 10 == arch / 10; older--) {
        if (is_embedded(older)) continue;
        tni_record record = record_of(source, older);
        if (find_in_archive(image, &record.base)) return true;
    }
    return false;
}

/* Images of batches, read or made once for all their kernels and kept for ever. */
typedef struct batch {
    struct batch *next;
    tni_key key;
    tni_image image;
} batch;
static batch *batches;
static int64_t batch_bytes;
static tni_fork_lock batches_lock = TNI_FORK_LOCK;
static const int64_t batch_bytes_max = 64 << 20;

static bool find_batch(tni_image *image, const tni_key *key) {
    batch *known = batches;
    while (known && memcmp(&known->key, key, sizeof *key) != 0)
        known = known->next;
    if (known) *image = known->image;
    return known != NULL;
}

/* Takes the image's data over, if there is room. Called with the lock held. */
static bool keep_batch(tni_image *image, const tni_key *key) {
    batch *made = batch_bytes < batch_bytes_max ? tni_malloc(sizeof *made) : NULL;
    if (!made) return false;
    image->owned = NULL;
    *made = (batch){batches, *key, *image};
    batches = made;
    batch_bytes += (int64_t)image->bytes;
    return true;
}

/* Reads the image, and keeps it if it can. Called with the lock held. */
static bool read_batch(tni_image *image, const tni_key *key) {
    tni_record record;
    char *data;
    if (!tni_cache_files_read(&record, &data, key)) return false;
    *image = (tni_image){record.base, data, record.bytes, data, false};
    if (record.kind != TNI_RECORD_IMAGE) {
        tni_image_deinit(image);
        return false;
    }
    (void)keep_batch(image, key);
    return true;
}

static bool find_linked(tni_image *image, const tni_key *key) {
    tni_fork_lock_take(&batches_lock);
    bool found = find_batch(image, key) || read_batch(image, key);
    tni_fork_lock_give(&batches_lock);
    return found;
}

static bool find_in_folder(tni_image *image, const tni_key *key) {
    tni_record record;
    tni_link link;
    char *data;
    if (!tni_cache_files_read(&record, &data, key)) return false;
    if (is_link(&record, &link, data)) {
        tni_free(data);
        return find_linked(image, &link.key);
    }
    if (record.kind != TNI_RECORD_IMAGE) {
        tni_free(data);
        return false;
    }
    *image = (tni_image){record.base, data, record.bytes, data, false};
    return true;
}

tn_status tni_cache_get(tni_image *image, const tni_source *source, int arch) {
    int version = 0;
    if (source->has_failed || !source->text) return tni_fail_no_memory((int64_t)source->length);
    tni_record record = record_of(source, arch);
    atomic_fetch_add(&loaded, 1);
    bool is_found = find_in_archive(image, &record.base);
    tn_status status = is_found ? TN_OK : tni_nvrtc_version(&version); /* it may not be installed */
    if (version) set_version(&record, version);
    if (is_found || (version && find_in_folder(image, &record.key)) ||
        find_older(image, source, arch)) {
        atomic_fetch_add(&hits, 1);
        return TN_OK;
    }
    atomic_fetch_add(&misses, 1);
    if (status != TN_OK) return status;
    TNI_TRY(tni_cuda_compile(image, source, arch));
    image->key = record.base;
    record.bytes = image->bytes;
    tni_cache_files_write(&record, image->data);
    return TN_OK;
}

bool tni_cache_has(const tni_source *source, int arch) {
    int version;
    tni_image image;
    if (source->has_failed || !source->text) return false;
    tni_record record = record_of(source, arch);
    if (find_in_archive(&image, &record.base)) return true;
    if (tni_nvrtc_version(&version) != TN_OK) return false;
    set_version(&record, version);
    if (!find_in_folder(&image, &record.key)) return false;
    tni_image_deinit(&image);
    return true;
}

bool tni_cache_is_empty(void) {
    return tni_archive_count() == 0 && tni_cache_files_is_empty();
}

/* --- Several at once --- */

/* Whether one before it is the same program: another device's kernel. */
static bool is_repeated(const tni_source *const *parts, int at) {
    const tni_source *part = parts[at];
    for (int k = 0; part->text && k < at; k++)
        if (parts[k]->length == part->length &&
            memcmp(parts[k]->text, part->text, part->length) == 0)
            return true;
    return false;
}

/* The image under its own key, and a link to it under that of each part. */
static void write_batch(tni_record *record, const tni_image *image, const tni_source *const *parts,
                        int count) {
    record->bytes = image->bytes;
    if (!tni_cache_files_write(record, image->data)) return; /* nothing to link to */
    tni_link link = {record->base, record->key};
    for (int k = 0; k < count; k++) {
        if (is_repeated(parts, k)) continue;
        tni_record part = record_of(parts[k], (int)record->arch);
        set_version(&part, (int)record->version);
        part.kind = TNI_RECORD_LINK;
        part.bytes = sizeof link;
        tni_cache_files_write(&part, &link);
    }
}

static tn_status compile_batch(tni_image *image, tni_record *record, const tni_source *const *parts,
                               int count, int arch) {
    tni_source whole = {0};
    int version;
    tn_status status;
    TNI_TRY(tni_nvrtc_version(&version));
    for (int k = 0; k < count; k++)
        if (!is_repeated(parts, k)) tni_source_add(&whole, "%s\n", parts[k]->text);
    tni_source_set_name(&whole, "batch");
    TNI_TRY_OWNING(tni_cuda_compile(image, &whole, arch));
    *record = record_of(&whole, arch);
    set_version(record, version);
    image->key = record->base;
    write_batch(record, image, parts, count);
cleanup:
    tni_source_deinit(&whole);
    return status;
}

tn_status tni_cache_compile_batch(tni_image *image, const tni_source *const *parts, int count,
                                  int arch) {
    tni_record record;
    return compile_batch(image, &record, parts, count, arch);
}

tn_status tni_cache_get_batch(tni_image *images, const tni_source *const *parts, int count,
                              int arch) {
    tni_record record;
    tni_image image = {0};
    tni_fork_lock_take(&batches_lock);
    bool is_kept = batch_bytes < batch_bytes_max;
    tni_fork_lock_give(&batches_lock);
    if (is_kept) {
        TNI_TRY(compile_batch(&image, &record, parts, count, arch));
        tni_fork_lock_take(&batches_lock);
        is_kept = keep_batch(&image, &record.key);
        tni_fork_lock_give(&batches_lock);
    }
    if (!is_kept) {
        int64_t bytes = (int64_t)image.bytes;
        tni_image_deinit(&image);
        return tni_fail_no_memory(bytes);
    }
    for (int k = 0; k < count; k++)
        images[k] = image;
    atomic_fetch_add(&loaded, count);
    atomic_fetch_add(&misses, count);
    return TN_OK;
}

void tni_cache_reset(void) {
    tni_cache_files_reset();
}

void tni_cache_count(int64_t *found, int64_t *missed, int64_t *asked) {
    *found = atomic_load(&hits);
    *missed = atomic_load(&misses);
    *asked = atomic_load(&loaded);
}
