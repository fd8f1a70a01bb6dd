/* Modules and kernels of the program's own text, on every backend.
 *
 * Programs: equal text, options and names are one program of the process, compiled and loaded once
 * a device. It is never unloaded, because launches of it may run at any time, so what it made is
 * read without a lock. A launch packs its arguments into one block of bytes, each where any type
 * may lie, and with room after it for a kernel that reads more than it was given. */
#include "kernel/raw_kernel.h"

#include "backend/backend.h"
#include "core/array/array.h"
#include "core/base/forklock.h"
#include "core/base/threadkeep.h"
#include "core/memory/buffer.h"
#include "kernel/pointer_types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct program {
    struct program *next;
    uint64_t hash;
    tni_program_text text; /* its own copies */
    tni_fork_lock lock;    /* of making */
    _Atomic(void *) made[TNI_STREAM_SLOTS];
} program;

struct tn_module {
    atomic_int references;
    bool is_cooperative;
    program *program;
};

struct tn_kernel {
    atomic_int references;
    tn_module *module;
    _Atomic(void *) functions[TNI_STREAM_SLOTS];
    _Atomic(tni_pointer_types *) types; /* NULL: no array was given yet */
    char name[];
};

static tni_fork_lock programs_lock = TNI_FORK_LOCK;
static program *programs;

/* --- What the compiler said --- */

static _Thread_local char *last_log;

static void drop_log(void) {
    tni_free(last_log);
    last_log = NULL;
}

static void keep_log(char *log) {
    drop_log();
    if (log && tni_thread_keeps(drop_log))
        last_log = log;
    else
        tni_free(log);
}

const char *tn_module_log(void) {
    return last_log ? last_log : "";
}

/* --- Programs --- */

static uint64_t hash_text(uint64_t hash, const char *text) {
    for (; text && *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

static uint64_t hash_source(const tn_module_source *source) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325) + source->translates_cucomplex;
    hash = hash_text(hash_text(hash, source->code), source->path);
    for (int k = 0; k < source->option_count; k++)
        hash = hash_text(hash, source->options[k]);
    for (int k = 0; k < source->name_count; k++)
        hash = hash_text(hash, source->names[k]);
    return hash;
}

static bool is_same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool are_same(int count, const char *const *a, const char *const *b) {
    for (int k = 0; k < count; k++)
        if (strcmp(a[k], b[k]) != 0) return false;
    return true;
}

static bool is_same(const program *program, uint64_t hash, const tn_module_source *source) {
    const tni_program_text *text = &program->text;
    return program->hash == hash && is_same_text(text->code, source->code) &&
           is_same_text(text->path, source->path) && text->option_count == source->option_count &&
           text->name_count == source->name_count &&
           text->translates_cucomplex == source->translates_cucomplex &&
           are_same(text->option_count, text->options, source->options) &&
           are_same(text->name_count, text->names, source->names);
}

static size_t text_bytes(const char *text) {
    return text ? strlen(text) + 1 : 0;
}

static char *copy_text(char **room, const char *text) {
    size_t bytes = text_bytes(text);
    char *copy = bytes ? memcpy(*room, text, bytes) : NULL;
    *room += bytes;
    return copy;
}

/* A program in one block: the struct, the pointers to options and names, the texts. */
static program *make_program(uint64_t hash, const tn_module_source *source) {
    int count = source->option_count + source->name_count;
    size_t bytes = text_bytes(source->code) + text_bytes(source->path);
    for (int k = 0; k < count; k++)
        bytes += text_bytes(k < source->option_count ? source->options[k]
                                                     : source->names[k - source->option_count]);
    program *made = tni_calloc(1, sizeof *made + (size_t)count * sizeof(char *) + bytes);
    if (!made) {
        tni_fail_no_memory((int64_t)(sizeof *made + bytes));
        return NULL;
    }
    const char **list = (const char **)(made + 1);
    char *room = (char *)(list + count);
    made->hash = hash;
    pthread_mutex_init(&made->lock.mutex, NULL);
    made->text = (tni_program_text){.option_count = source->option_count,
                                    .name_count = source->name_count,
                                    .options = list,
                                    .names = list + source->option_count,
                                    .translates_cucomplex = source->translates_cucomplex};
    made->text.code = copy_text(&room, source->code);
    made->text.length = source->code ? strlen(source->code) : 0;
    made->text.path = copy_text(&room, source->path);
    for (int k = 0; k < count; k++)
        list[k] =
            copy_text(&room, k < source->option_count ? source->options[k]
                                                      : source->names[k - source->option_count]);
    return made;
}

static program *find_program(const tn_module_source *source) {
    uint64_t hash = hash_source(source);
    program *found;
    tni_fork_lock_take(&programs_lock);
    for (found = programs; found; found = found->next)
        if (is_same(found, hash, source)) break;
    if (!found && (found = make_program(hash, source))) {
        found->next = programs;
        programs = found;
    }
    tni_fork_lock_give(&programs_lock);
    return found;
}

static tn_status check_device(tn_device device, const tni_kernels **kernels) {
    const tni_backend *backend = tni_backend_get((tn_backend)device.backend);
    if (!backend || device.number < 0 ||
        device.number >= tn_device_count((tn_backend)device.backend))
        TNI_FAIL(TN_ERROR_VALUE, "there is no device %s:%d",
                 tn_backend_name((tn_backend)device.backend), (int)device.number);
    if (!backend->kernels)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "kernels of programs on %s", backend->name);
    *kernels = backend->kernels;
    return TN_OK;
}

/* What the program is on a device. */
static tn_status open_program(void **result, program *program, tn_device device,
                              const tni_kernels *kernels) {
    _Atomic(void *) *place = &program->made[tni_stream_slot(device)];
    tn_status status = TN_OK;
    char *log = NULL;
    *result = atomic_load_explicit(place, memory_order_acquire);
    if (*result) return TN_OK;
    tni_fork_lock_take(&program->lock);
    *result = atomic_load_explicit(place, memory_order_acquire);
    if (!*result) {
        void *made;
        status = kernels->program_make(&made, &log, &program->text, device.number);
        if (status == TN_OK) {
            atomic_store_explicit(place, made, memory_order_release);
            *result = made;
        }
        keep_log(log);
    }
    tni_fork_lock_give(&program->lock);
    return status;
}

/* --- Modules --- */

static tn_status check_names(int count, const char *const *texts, const char *what) {
    for (int k = 0; k < count; k++)
        if (!texts[k] || !*texts[k] || strpbrk(texts[k], "\n\r"))
            TNI_FAIL(TN_ERROR_VALUE, "%s %d is empty or has several lines", what, k);
    return TN_OK;
}

tn_status tn_module_new(tn_module **result, const tn_module_source *source) {
    if (!source->code == !source->path)
        TNI_FAIL(TN_ERROR_VALUE, "a module has either code or a path");
    TNI_TRY(check_names(source->option_count, source->options, "option"));
    TNI_TRY(check_names(source->name_count, source->names, "name expression"));
    tn_module *made = tni_calloc(1, sizeof *made);
    if (!made) return tni_fail_no_memory(sizeof *made);
    made->program = find_program(source);
    if (!made->program) {
        tni_free(made);
        return TN_ERROR_MEMORY;
    }
    atomic_init(&made->references, 1);
    made->is_cooperative = source->is_cooperative;
    *result = made;
    return TN_OK;
}

tn_module *tn_module_retain(tn_module *module) {
    atomic_fetch_add_explicit(&module->references, 1, memory_order_relaxed);
    return module;
}

void tn_module_release(tn_module *module) {
    if (module && atomic_fetch_sub_explicit(&module->references, 1, memory_order_acq_rel) == 1)
        tni_free(module);
}

tn_status tn_module_compile(tn_module *module, tn_device device) {
    const tni_kernels *kernels;
    void *program;
    TNI_TRY(check_device(device, &kernels));
    return open_program(&program, module->program, device, kernels);
}

tn_status tn_module_get_global(uintptr_t *address, int64_t *bytes, tn_module *module,
                               const char *name, tn_device device) {
    const tni_kernels *kernels;
    void *program;
    TNI_TRY(check_device(device, &kernels));
    TNI_TRY(open_program(&program, module->program, device, kernels));
    return kernels->global_find(address, bytes, program, name);
}

/* --- Kernels --- */

tn_status tn_kernel_raw_new(tn_kernel **result, tn_module *module, const char *name) {
    size_t bytes = strlen(name) + 1;
    TNI_TRY(check_names(1, &name, "the kernel's name"));
    tn_kernel *made = tni_calloc(1, sizeof *made + bytes);
    if (!made) return tni_fail_no_memory((int64_t)(sizeof *made + bytes));
    atomic_init(&made->references, 1);
    made->module = tn_module_retain(module);
    memcpy(made->name, name, bytes);
    *result = made;
    return TN_OK;
}

tn_kernel *tn_kernel_retain(tn_kernel *kernel) {
    atomic_fetch_add_explicit(&kernel->references, 1, memory_order_relaxed);
    return kernel;
}

void tn_kernel_release(tn_kernel *kernel) {
    if (!kernel || atomic_fetch_sub_explicit(&kernel->references, 1, memory_order_acq_rel) != 1)
        return;
    tn_module_release(kernel->module);
    tni_free(atomic_load(&kernel->types));
    tni_free(kernel);
}

/* The function on a device. */
static tn_status open_kernel(void **function, tn_kernel *kernel, tn_device device,
                             const tni_kernels *kernels) {
    _Atomic(void *) *place = &kernel->functions[tni_stream_slot(device)];
    void *program;
    *function = atomic_load_explicit(place, memory_order_acquire);
    if (__builtin_expect(*function != NULL, 1)) return TN_OK;
    TNI_TRY(open_program(&program, kernel->module->program, device, kernels));
    TNI_TRY(kernels->function_find(function, program, kernel->name));
    atomic_store_explicit(place, *function, memory_order_release);
    return TN_OK;
}

tn_status tni_kernel_open(void **function, const tni_kernels **kernels, tn_kernel *kernel,
                          tn_device device) {
    TNI_TRY(check_device(device, kernels));
    return open_kernel(function, kernel, device, *kernels);
}

bool tn_kernel_is_ready(const tn_kernel *kernel, tn_device device) {
    return atomic_load_explicit(&kernel->functions[tni_stream_slot(device)],
                                memory_order_relaxed) != NULL;
}

static tn_status check_attribute(tn_kernel_attribute attribute) {
    if ((unsigned)attribute >= TN_KERNEL_ATTRIBUTE_COUNT)
        TNI_FAIL(TN_ERROR_VALUE, "a kernel has no attribute %d", (int)attribute);
    return TN_OK;
}

tn_status tn_kernel_get_attribute(int *value, tn_kernel *kernel, tn_kernel_attribute attribute,
                                  tn_device device) {
    const tni_kernels *kernels;
    void *function;
    TNI_TRY(check_attribute(attribute));
    TNI_TRY(check_device(device, &kernels));
    TNI_TRY(open_kernel(&function, kernel, device, kernels));
    return kernels->attribute_get(value, function, attribute);
}

tn_status tn_kernel_set_attribute(tn_kernel *kernel, tn_kernel_attribute attribute, int value,
                                  tn_device device) {
    const tni_kernels *kernels;
    void *function;
    TNI_TRY(check_attribute(attribute));
    TNI_TRY(check_device(device, &kernels));
    TNI_TRY(open_kernel(&function, kernel, device, kernels));
    return kernels->attribute_set(function, attribute, value);
}

tn_status tn_kernel_get_resident_blocks(int64_t *blocks, tn_kernel *kernel, int threads,
                                        unsigned shared_bytes, tn_device device) {
    const tni_kernels *kernels;
    void *function;
    TNI_TRY(check_device(device, &kernels));
    TNI_TRY(open_kernel(&function, kernel, device, kernels));
    return kernels->resident_blocks(blocks, function, threads, shared_bytes);
}

bool tni_kernel_is_checked(void) {
    const char *wish = getenv("TENORITE_KERNEL_CHECK");
    return wish && *wish && strcmp(wish, "0") != 0;
}

/* --- Arguments --- */

enum { SMALL_COUNT = 32, SMALL_BYTES = 2048, ROOM = 16, BYTES_MAX = 32764 };

typedef struct pack {
    int count;
    unsigned *offsets, *sizes;
    char *kinds, *data;
    size_t bytes;
    void *owned; /* NULL: all lies in the arrays below */
    unsigned small_offsets[SMALL_COUNT], small_sizes[SMALL_COUNT];
    char small_kinds[SMALL_COUNT];
    _Alignas(64) char small_data[SMALL_BYTES];
} pack;

static int64_t size_of(const tn_kernel_argument *argument) {
    return argument->array || argument->buffer ? (int64_t)sizeof(void *) : argument->bytes;
}

static size_t aligned(size_t at, size_t to) {
    return (at + to - 1) / to * to;
}

/* Room for the arguments, and where each lies. */
static tn_status pack_init(pack *pack, const char *name, int count,
                           const tn_kernel_argument *arguments) {
    size_t values = 0, bytes = 0;
    for (int k = 0; k < count; k++) {
        int64_t size = size_of(&arguments[k]);
        if (size < 0 || size > BYTES_MAX || (values += (size_t)size) > BYTES_MAX)
            TNI_FAIL(TN_ERROR_VALUE, "kernel %s: its arguments take more than %d bytes", name,
                     BYTES_MAX);
        bytes = aligned(bytes, size >= 32 ? 64 : 16) + (size_t)size + ROOM;
    }
    pack->count = count;
    pack->bytes = bytes;
    pack->owned = NULL;
    pack->offsets = pack->small_offsets;
    pack->sizes = pack->small_sizes;
    pack->kinds = pack->small_kinds;
    pack->data = pack->small_data;
    if (count > SMALL_COUNT || bytes > SMALL_BYTES) {
        size_t head = aligned((size_t)count * (2 * sizeof(unsigned) + 1), 64);
        char *room = pack->owned = tni_malloc(head + bytes + 64);
        if (!room) return tni_fail_no_memory((int64_t)(head + bytes));
        pack->offsets = (unsigned *)(void *)room;
        pack->sizes = pack->offsets + count;
        pack->kinds = (char *)(pack->sizes + count);
        pack->data = (char *)aligned((size_t)(uintptr_t)(room + head), 64);
    }
    return TN_OK;
}

static tn_status address_of(void **address, const tn_kernel_argument *argument, tn_stream *stream) {
    if (argument->array) return tni_array_access(address, argument->array, TNI_READ_WRITE, stream);
    TNI_TRY(tni_buffer_access(address, argument->buffer, TNI_READ_WRITE, stream));
    *address = (char *)*address + argument->offset;
    return TN_OK;
}

static tn_status check_place(const char *name, int k, const tn_kernel_argument *argument,
                             tn_stream *stream) {
    tn_device device = stream->device;
    if (argument->array) device = tn_array_device(argument->array);
    if (argument->buffer) device = argument->buffer->device;
    if (!tn_device_is_equal(device, stream->device))
        TNI_FAIL(TN_ERROR_VALUE, "argument %d of kernel %s lies on %s:%d, the launch is on %s:%d",
                 k, name, tn_backend_name((tn_backend)device.backend), (int)device.number,
                 stream->backend->name, (int)stream->device.number);
    return TN_OK;
}

static tn_status pack_fill(pack *pack, const char *name, const tn_kernel_argument *arguments,
                           tn_stream *stream) {
    size_t at = 0;
    for (int k = 0; k < pack->count; k++)
        TNI_TRY(check_place(name, k, &arguments[k], stream));
    for (int k = 0; k < pack->count; k++) {
        const tn_kernel_argument *argument = &arguments[k];
        size_t size = (size_t)size_of(argument), next = aligned(at, size >= 32 ? 64 : 16);
        bool is_address = argument->array || argument->buffer;
        void *address;
        memset(pack->data + at, 0, next - at);
        at = next;
        if (is_address) TNI_TRY(address_of(&address, argument, stream));
        memcpy(pack->data + at, is_address ? &address : argument->value, size);
        memset(pack->data + at + size, 0, ROOM);
        pack->offsets[k] = (unsigned)at;
        pack->sizes[k] = (unsigned)size;
        pack->kinds[k] = is_address ? 'p' : argument->kind;
        at += size + ROOM;
    }
    return TN_OK;
}

/* What the kernel's pointers point at: read at the first launch. */
static tn_status find_types(tni_pointer_types **result, tn_kernel *kernel, void *function,
                            const tni_kernels *kernels) {
    const tni_program_text *text = &kernel->module->program->text;
    const char *wish = getenv("TENORITE_KERNEL_TYPES");
    bool is_wanted = !wish || strcmp(wish, "0") != 0;
    tni_pointer_types *made =
        tni_pointer_types_read(is_wanted ? text->code : NULL, kernel->name, text->option_count,
                               text->options, is_wanted ? kernels->elements(function) : NULL);
    if (!made) return tni_fail_no_memory(sizeof *made);
    *result = NULL;
    if (atomic_compare_exchange_strong(&kernel->types, result, made))
        *result = made;
    else
        tni_free(made);
    return TN_OK;
}

static tn_status check_types(tn_kernel *kernel, void *function, const tni_kernels *kernels,
                             int count, const tn_kernel_argument *arguments) {
    tni_pointer_types *types = atomic_load_explicit(&kernel->types, memory_order_acquire);
    if (__builtin_expect(!types, 0)) TNI_TRY(find_types(&types, kernel, function, kernels));
    for (int k = 0; k < count && k < types->count; k++)
        if (arguments[k].array)
            TNI_TRY(tni_pointer_types_check(types, kernel->name, k, arguments[k].array));
    return TN_OK;
}

/* --- Launching --- */

static tn_status check_sizes(const char *name, const unsigned grid[3], const unsigned block[3]) {
    static const unsigned grid_max[3] = {INT32_MAX, 65535, 65535}, block_max[3] = {1024, 1024, 64};
    for (int k = 0; k < 3; k++)
        if (grid[k] > grid_max[k] || block[k] > block_max[k] || block[k] == 0)
            TNI_FAIL(TN_ERROR_DEVICE,
                     "cudaErrorInvalidConfiguration: kernel %s: a grid of (%u,%u,%u) blocks of "
                     "(%u,%u,%u) threads",
                     name, grid[0], grid[1], grid[2], block[0], block[1], block[2]);
    if (block[0] * block[1] * block[2] > 1024)
        TNI_FAIL(TN_ERROR_DEVICE,
                 "cudaErrorInvalidConfiguration: kernel %s: blocks of %u threads; 1024 at most",
                 name, block[0] * block[1] * block[2]);
    return TN_OK;
}

static tn_status check_resident(const tn_kernel *kernel, void *function,
                                const tni_kernel_launch *launch, const tni_kernels *kernels) {
    const unsigned *block = launch->block, *grid = launch->grid;
    int64_t blocks, wanted = (int64_t)grid[0] * grid[1] * grid[2];
    int threads = (int)(block[0] * block[1] * block[2]);
    TNI_TRY(kernels->resident_blocks(&blocks, function, threads, launch->shared_bytes));
    if (wanted > blocks)
        TNI_FAIL(
            TN_ERROR_VALUE,
            "kernel %s: a cooperative launch of %lld blocks of %d threads; %lld such blocks run "
            "at a time",
            kernel->name, (long long)wanted, threads, (long long)blocks);
    return TN_OK;
}

/* Bytes of the arrays among the arguments. */
static int64_t bytes_of(int count, const tn_kernel_argument *arguments) {
    int64_t bytes = 0;
    for (int k = 0; k < count; k++)
        if (arguments[k].array) bytes += tn_array_bytes(arguments[k].array);
    return bytes;
}

tn_status tn_kernel_launch(tn_kernel *kernel, const unsigned grid[3], const unsigned block[3],
                           int count, const tn_kernel_argument *arguments, unsigned shared_bytes,
                           tn_stream *stream) {
    tn_device device = stream ? stream->device : tn_device_get_current();
    const tni_kernels *kernels;
    void *function;
    pack pack;
    tn_status status;
    TNI_TRY(check_device(device, &kernels));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    TNI_TRY(check_sizes(kernel->name, grid, block));
    TNI_TRY(open_kernel(&function, kernel, device, kernels));
    TNI_TRY(check_types(kernel, function, kernels, count, arguments));
    if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0) return TN_OK;
    TNI_TRY(pack_init(&pack, kernel->name, count, arguments));
    tni_kernel_launch launch = {.grid = {grid[0], grid[1], grid[2]},
                                .block = {block[0], block[1], block[2]},
                                .shared_bytes = shared_bytes,
                                .is_cooperative = kernel->module->is_cooperative,
                                .count = count,
                                .offsets = pack.offsets,
                                .sizes = pack.sizes,
                                .kinds = pack.kinds,
                                .data = pack.data,
                                .bytes = pack.bytes,
                                .arguments = arguments};
    if (launch.is_cooperative) TNI_TRY_OWNING(check_resident(kernel, function, &launch, kernels));
    TNI_TRY_OWNING(pack_fill(&pack, kernel->name, arguments, stream));
    int64_t begun = tni_trace_kernel_begin(kernel->name, stream);
    status = kernels->launch(function, &launch, stream);
    if (begun) tni_trace_kernel_end(begun, kernel->name, bytes_of(count, arguments), stream);
cleanup:
    tni_free(pack.owned);
    return status;
}
