/* The table of kernels and of modules.
 *
 * Kernels: one hash table per device with open addressing. Entries are never removed and never
 * move; a full table is copied into one twice as large, and the old one stays for threads that
 * still read it. So a look-up takes no lock. An entry is IDLE, MAKING, COMPILED or READY. A thread
 * that finds it idle makes the kernel, others wait; after a failure it is idle again, so that a
 * program can mend the cause and retry. Where a thread of its own has compiled the kernel, the next
 * look-up makes it ready.
 * Modules: one per image and device, never unloaded, because programs may run on it at any time. */
#include "backend/cuda/launch/kernel.h"

#include "backend/cuda/compile/cache.h"
#include "backend/cuda/compile/workers.h"
#include "backend/cuda/driver/device.h"
#include "backend/cuda/driver/errors.h"
#include "backend/cuda/driver/gate.h"
#include "backend/cuda/driver/library.h"
#include "core/base/alloc.h"
#include "core/base/lock.h"
#include "core/base/thread.h"
#include "kernel/cache/archive.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { IDLE, MAKING, COMPILED, READY };
enum { FIRST_SLOTS = 256 };

typedef struct entry {
    tni_cuda_kernel kernel;
    CUmodule module;
    atomic_int state;          /* a futex word */
    atomic_bool is_background; /* a thread of its own makes it */
    struct background *background;
    uint64_t hash;
    size_t key_bytes;
    char name[192];
    unsigned char key[];
} entry;

/* A kernel that is compiled by a thread of its own, and what came of it. */
typedef struct background {
    entry *entry;
    int arch;
    tni_source source;
    tni_image image;
    tn_status status;
    char message[1024];
} background;

typedef struct table {
    struct table *older;
    size_t slots, used; /* `used` is guarded by the lock */
    _Atomic(entry *) entries[];
} table;

typedef struct module {
    struct module *next;
    tni_key key;
    CUmodule handle;
} module;

static struct {
    _Atomic(table *) table;
    pthread_mutex_t lock;
    pthread_mutex_t modules_lock;
    module *modules;
} tables[TNI_MAX_DEVICES];
static atomic_int kernel_count; /* of all devices */

int tni_cuda_kernel_count(void) {
    return atomic_load_explicit(&kernel_count, memory_order_relaxed);
}

static void init_locks(void) {
    for (int k = 0; k < TNI_MAX_DEVICES; k++) {
        pthread_mutex_init(&tables[k].lock, NULL);
        pthread_mutex_init(&tables[k].modules_lock, NULL);
    }
}

/* --- The table --- */

static uint64_t hash_of(const void *key, size_t bytes) {
    const unsigned char *from = key;
    uint64_t hash = bytes * UINT64_C(0x9e3779b97f4a7c15), word;
    for (; bytes >= 8; bytes -= 8, from += 8) {
        memcpy(&word, from, 8);
        hash = (hash ^ word) * UINT64_C(0xd6e8feb86659fd93);
        hash ^= hash >> 32;
    }
    word = 0;
    memcpy(&word, from, bytes);
    hash = (hash ^ word) * UINT64_C(0xd6e8feb86659fd93);
    return hash ^ hash >> 29;
}

static entry *look_up(const table *table, uint64_t hash, const void *key, size_t bytes) {
    if (!table) return NULL;
    for (size_t slot = hash & (table->slots - 1);; slot = (slot + 1) & (table->slots - 1)) {
        entry *found = atomic_load_explicit(&table->entries[slot], memory_order_acquire);
        if (!found) return NULL;
        if (found->hash == hash && found->key_bytes == bytes && memcmp(found->key, key, bytes) == 0)
            return found;
    }
}

static void put(table *table, entry *entry) {
    size_t slot = entry->hash & (table->slots - 1);
    while (atomic_load_explicit(&table->entries[slot], memory_order_relaxed))
        slot = (slot + 1) & (table->slots - 1);
    atomic_store_explicit(&table->entries[slot], entry, memory_order_release);
    table->used++;
}

/* A table with room for one more. Called with the lock held; NULL: out of memory. */
static table *roomy_table(int number) {
    table *old = atomic_load(&tables[number].table);
    if (old && 2 * (old->used + 1) <= old->slots) return old;
    size_t slots = old ? 2 * old->slots : FIRST_SLOTS;
    table *made = tni_calloc(1, sizeof *made + slots * sizeof made->entries[0]);
    if (!made) return NULL;
    made->slots = slots;
    made->older = old;
    for (size_t k = 0; old && k < old->slots; k++) {
        entry *entry = atomic_load(&old->entries[k]);
        if (entry) put(made, entry);
    }
    atomic_store_explicit(&tables[number].table, made, memory_order_release);
    return made;
}

/* The entry of a key, made if it is not there. */
static tn_status find_entry(entry **result, int number, uint64_t hash, const void *key,
                            size_t bytes) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init_locks);
    pthread_mutex_lock(&tables[number].lock);
    entry *found = look_up(atomic_load(&tables[number].table), hash, key, bytes);
    if (!found) {
        table *table = roomy_table(number);
        found = table ? tni_calloc(1, sizeof *found + bytes) : NULL;
        if (found) {
            found->hash = hash;
            found->key_bytes = bytes;
            memcpy(found->key, key, bytes);
            found->kernel.number = number;
            found->kernel.name = found->name;
            put(table, found);
            atomic_fetch_add_explicit(&kernel_count, 1, memory_order_relaxed);
        }
    }
    pthread_mutex_unlock(&tables[number].lock);
    *result = found;
    return found ? TN_OK : tni_fail_no_memory((int64_t)(sizeof *found + bytes));
}

/* --- Making a kernel --- */

/* What a driver says to an image that a compiler too new for it has made. */
static bool is_foreign(CUresult result) {
    static const CUresult known[] = {CUDA_ERROR_INVALID_IMAGE, CUDA_ERROR_NO_BINARY_FOR_GPU,
                                     CUDA_ERROR_INVALID_PTX, CUDA_ERROR_UNSUPPORTED_PTX_VERSION};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (known[k] == result) return true;
    return false;
}

/* An archive whose image can't be loaded here is not searched again. */
static tn_status load_image(CUmodule *module, const tni_image *image) {
    CUresult result = tni_driver.cuModuleLoadData(module, image->data);
    if (image->is_packed && is_foreign(result)) tni_archive_refuse(image->data);
    return tni_cuda_check(result, "cuModuleLoadData");
}

/* The module of an image in the current context. */
static tn_status find_module(CUmodule *result, int number, const tni_image *image) {
    tn_status status = TN_OK;
    module *known;
    tni_wait_lock(&tables[number].modules_lock);
    for (known = tables[number].modules; known; known = known->next)
        if (memcmp(&known->key, &image->key, sizeof known->key) == 0) break;
    if (!known) {
        known = tni_calloc(1, sizeof *known);
        status = known ? load_image(&known->handle, image) : tni_fail_no_memory(sizeof *known);
        if (status == TN_OK) {
            known->key = image->key;
            known->next = tables[number].modules;
            tables[number].modules = known;
        } else {
            tni_free(known);
        }
    }
    if (status == TN_OK) *result = known->handle;
    pthread_mutex_unlock(&tables[number].modules_lock);
    return status;
}

static tn_status ask(int *value, CUfunction_attribute attribute, CUfunction function) {
    return TNI_DRIVER(cuFuncGetAttribute, value, attribute, function);
}

static tn_status load_kernel(entry *entry, const tni_image *image) {
    tni_cuda_kernel *kernel = &entry->kernel;
    TNI_TRY(find_module(&entry->module, kernel->number, image));
    TNI_TRY(TNI_DRIVER(cuModuleGetFunction, &kernel->function, entry->module, entry->name));
    TNI_TRY(ask(&kernel->threads_max, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel->function));
    TNI_TRY(ask(&kernel->registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel->function));
    TNI_TRY(ask(&kernel->shared_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel->function));
    return ask(&kernel->local_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, kernel->function);
}

/* The entry's last state; threads that wait are woken. */
static void set_state(entry *entry, int state) {
    atomic_store(&entry->is_background, false);
    if (state == READY) atomic_store_explicit(&entry->kernel.is_ready, true, memory_order_release);
    atomic_store_explicit(&entry->state, state, memory_order_release);
    tni_futex_wake(&entry->state, INT_MAX);
}

static void write_source(tni_source *source, entry *entry, tni_cuda_writer write,
                         const void *context) {
    write(source, context);
    memcpy(entry->name, source->name, sizeof entry->name);
}

/* An archive whose image the driver does not take is done without. */
static tn_status load_or_compile(entry *entry, const tni_source *source, int arch) {
    tni_image image = {0};
    tn_status status;
    do {
        tni_image_deinit(&image);
        TNI_TRY_OWNING(tni_cache_get(&image, source, arch));
        status = load_kernel(entry, &image);
    } while (status != TN_OK && image.is_packed && tni_archive_is_refused(image.data));
cleanup:
    tni_image_deinit(&image);
    return status;
}

static tn_status make(entry *entry, tni_cuda_writer write, const void *context) {
    tni_cuda_device *device;
    tni_source source = {0};
    tn_status status;
    write_source(&source, entry, write, context);
    TNI_TRY_OWNING(tni_cuda_device_get(&device, entry->kernel.number));
    TNI_TRY_OWNING(load_or_compile(entry, &source, device->target.arch));
cleanup:
    tni_source_deinit(&source);
    return status;
}

/* --- In the background --- */

static void free_background(background *background) {
    tni_image_deinit(&background->image);
    tni_source_deinit(&background->source);
    tni_free(background);
}

static void end_background(background *background, tn_status status, const char *message) {
    background->status = status;
    if (status != TN_OK) snprintf(background->message, sizeof background->message, "%s", message);
    set_state(background->entry, COMPILED);
}

static void compile_alone(background *background) {
    tn_status status = tni_cache_get(&background->image, &background->source, background->arch);
    end_background(background, status, tn_error_message());
}

/* Compiles several programs as one, so that what they all include is parsed once. */
static bool compile_together(background *const *backgrounds, int count) {
    const tni_source *sources[TNI_WORKER_CONTEXTS];
    tni_image images[TNI_WORKER_CONTEXTS];
    for (int k = 0; k < count; k++) {
        sources[k] = &backgrounds[k]->source;
        if (backgrounds[k]->arch != backgrounds[0]->arch || backgrounds[k]->source.has_failed)
            return false;
    }
    if (count < 2 || tni_cache_get_batch(images, sources, count, backgrounds[0]->arch) != TN_OK)
        return false;
    for (int k = 0; k < count; k++) {
        backgrounds[k]->image = images[k];
        end_background(backgrounds[k], TN_OK, NULL);
    }
    return true;
}

static void compile(void *const *contexts, int count, bool is_dropped) {
    background *backgrounds[TNI_WORKER_CONTEXTS];
    for (int k = 0; k < count; k++)
        backgrounds[k] = contexts[k];
    if (!is_dropped && compile_together(backgrounds, count)) return;
    for (int k = 0; k < count; k++)
        if (is_dropped)
            end_background(backgrounds[k], TN_ERROR_RUNTIME, "the process ends");
        else
            compile_alone(backgrounds[k]);
}

/* Takes over what the background has made. */
static tn_status load_background(entry *entry) {
    background *background = entry->background;
    tni_cuda_scope scope;
    tn_status status = background->status;
    entry->background = NULL;
    if (status != TN_OK) {
        tni_fail(status, "%s", background->message);
    } else {
        status = tni_cuda_enter_beside(&scope, entry->kernel.number);
        if (status == TN_OK) {
            status = load_kernel(entry, &background->image);
            tni_cuda_leave(&scope);
        }
    }
    free_background(background);
    return status;
}

/* The entry is MAKING: another thread will have it COMPILED. `is_begun` false: it must be made
 * here, because nothing has to be compiled, or no other thread can. The first kernel of all is
 * compiled here unless the compiler was prepared, so that a program without a compiler hears of it
 * at once. */
static tn_status begin(bool *is_begun, entry *entry, tni_cuda_writer write, const void *context) {
    tni_cuda_device *device;
    tn_status status;
    *is_begun = false;
    background *made = tni_calloc(1, sizeof *made);
    if (!made) return tni_fail_no_memory(sizeof *made);
    write_source(&made->source, entry, write, context);
    TNI_TRY_OWNING(tni_cuda_device_get(&device, entry->kernel.number));
    made->entry = entry;
    made->arch = device->target.arch;
    if (!tni_cuda_has_compiled() || tni_cache_has(&made->source, device->target.arch)) goto cleanup;
    entry->background = made;
    atomic_store(&entry->is_background, true);
    *is_begun = tni_cuda_workers_add(compile, tni_gate.hand_on, made);
    if (*is_begun) return TN_OK;
    atomic_store(&entry->is_background, false);
    entry->background = NULL;
cleanup:
    free_background(made);
    return status;
}

/* --- Getting kernels --- */

static tn_status make_here(entry *entry, tni_cuda_writer write, const void *context) {
    tni_cuda_scope scope;
    TNI_TRY(tni_cuda_enter_beside(&scope, entry->kernel.number));
    tn_status status = make(entry, write, context);
    tni_cuda_leave(&scope);
    return status;
}

/* The maker may need what the hook gives up. */
static void wait_for_maker(entry *entry) {
    tni_break pause = tni_break_begin();
    tni_futex_wait(&entry->state, MAKING, -1);
    tni_break_end(pause);
}

/* Makes the kernel ready, or waits for the thread that does. `write` NULL: another thread has
 * begun. */
static tn_status make_once(entry *entry, tni_cuda_writer write, const void *context) {
    TNI_TRY(tni_cuda_open()); /* a child of fork has no thread that finishes a kernel */
    for (;;) {
        int state = COMPILED;
        tn_status status;
        if (atomic_compare_exchange_strong(&entry->state, &state, MAKING)) {
            status = load_background(entry);
        } else if (state == IDLE && !write) {
            TNI_FAIL(TN_ERROR_RUNTIME, "kernel %s could not be made", entry->name);
        } else if (state == IDLE && atomic_compare_exchange_strong(&entry->state, &state, MAKING)) {
            status = make_here(entry, write, context);
        } else {
            if (state == READY) return TN_OK;
            if (state == MAKING) wait_for_maker(entry);
            continue;
        }
        set_state(entry, status == TN_OK ? READY : IDLE);
        return status;
    }
}

/* The same without waiting for the compiler. */
static tn_status begin_once(entry *entry, tni_cuda_writer write, const void *context) {
    int state = IDLE;
    bool is_begun = false;
    if (atomic_compare_exchange_strong(&entry->state, &state, MAKING)) {
        tn_status status = begin(&is_begun, entry, write, context);
        if (is_begun) return TN_OK;
        if (status == TN_OK) status = make_here(entry, write, context);
        set_state(entry, status == TN_OK ? READY : IDLE);
        return status;
    }
    if (state == COMPILED || atomic_load(&entry->is_background)) return TN_OK;
    return make_once(entry, write, context);
}

static tn_status find(entry **result, int number, const void *key, size_t key_bytes) {
    if (number < 0 || number >= TNI_MAX_DEVICES || key_bytes > TNI_CUDA_KEY_MAX)
        TNI_FAIL(TN_ERROR_VALUE, "no kernel is found for device %d by %zu bytes", number,
                 key_bytes);
    uint64_t hash = hash_of(key, key_bytes);
    *result = look_up(atomic_load_explicit(&tables[number].table, memory_order_acquire), hash, key,
                      key_bytes);
    if (__builtin_expect(!*result, 0)) {
        TNI_TRY(tni_cuda_open()); /* a parent's lock may be held for ever in a child of fork */
        TNI_TRY(find_entry(result, number, hash, key, key_bytes));
    }
    return TN_OK;
}

static bool is_ready(const tni_cuda_kernel *kernel) {
    return __builtin_expect(atomic_load_explicit(&kernel->is_ready, memory_order_acquire), 1);
}

tn_status tni_cuda_kernel_get(tni_cuda_kernel **kernel, int number, tni_cuda_writer write,
                              const void *context, const void *key, size_t key_bytes) {
    entry *entry;
    TNI_TRY(find(&entry, number, key, key_bytes));
    if (!is_ready(&entry->kernel)) TNI_TRY(make_once(entry, write, context));
    *kernel = &entry->kernel;
    return TN_OK;
}

tn_status tni_cuda_kernel_look(tni_cuda_kernel **kernel, int number, const void *key,
                               size_t key_bytes) {
    entry *entry;
    TNI_TRY(find(&entry, number, key, key_bytes));
    *kernel = &entry->kernel;
    return TN_OK;
}

tn_status tni_cuda_kernel_begin(tni_cuda_kernel **kernel, int number, tni_cuda_writer write,
                                const void *context, const void *key, size_t key_bytes) {
    entry *entry;
    TNI_TRY(find(&entry, number, key, key_bytes));
    if (!is_ready(&entry->kernel))
        TNI_TRY(tni_cuda_workers_are_on() ? begin_once(entry, write, context)
                                          : make_once(entry, write, context));
    *kernel = &entry->kernel;
    return TN_OK;
}

bool tni_cuda_kernel_is_idle(const tni_cuda_kernel *kernel) {
    return atomic_load(&((const entry *)(const void *)kernel)->state) == IDLE;
}

/* The kernel is its entry's first member. */
bool tni_cuda_kernel_is_compiled(const tni_cuda_kernel *kernel) {
    return atomic_load(&((const entry *)(const void *)kernel)->state) != MAKING;
}

tn_status tni_cuda_kernel_finish(tni_cuda_kernel *kernel) {
    return is_ready(kernel) ? TN_OK : make_once((entry *)(void *)kernel, NULL, NULL);
}
