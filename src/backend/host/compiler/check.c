/* Arrays of a checked launch lie in windows of address space of their own, far apart, so that an
 * index that leaves an array finds no other; what lies outside of them and of shared memory is not
 * judged. For each byte of shared memory a mark keeps the last threads that read and wrote it, and
 * when: the epoch of the block, which grows at its barriers, and the turn of the warp, which grows
 * where its lanes meet. Two threads race if one of them writes and neither has grown between. */
#include "backend/host/compiler/check.h"

#include "backend/host/compiler/device/meetings.h"
#include "core/base/alloc.h"

#include <ctype.h>
#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MANY = 0xffff, WARP = 32 };
#define GUARD ((size_t)4 << 30) /* bytes on both sides of an array */

typedef struct tni_mark {
    uint32_t write_epoch, read_epoch;
    uint16_t writer, reader, write_turn, read_turn;
    bool is_atomic;
} tni_mark;

struct tni_window {
    char *memory, *place; /* reserved; what the kernel gets for `from` */
    size_t reserved, bytes;
    char *from;
};

/* --- The names of shared variables --- */

/* The last name of a mangled one, as in _ZZ6kernelPfE4tile. */
static void read_name(tni_shared_name *name, const char *mangled) {
    const char *last = mangled;
    int length = (int)strlen(mangled);
    for (const char *at = mangled; strncmp(mangled, "_Z", 2) == 0 && *at; at++) {
        if (!isdigit((unsigned char)*at)) continue;
        char *after;
        long count = strtol(at, &after, 10);
        if (count <= 0 || count > (long)strlen(after)) break;
        last = after;
        length = (int)count;
        at = after + count - 1;
    }
    snprintf(name->name, sizeof name->name, "%.*s", length, last);
}

static bool is_of_runtime(const char *name) {
    static const char *const names[] = {"threadIdx", "blockIdx", "blockDim", "gridDim",
                                        "tni_is_last"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(name, names[k]) == 0) return true;
    return false;
}

static tn_status add_name(tni_checked_program *program, const char *mangled,
                          const Elf64_Sym *fact) {
    tni_shared_name name = {.offset = fact->st_value, .bytes = fact->st_size};
    read_name(&name, mangled);
    name.is_dynamic = strcmp(name.name, "tni_dynamic_shared") == 0;
    if (is_of_runtime(name.name)) return TN_OK;
    tni_shared_name *larger =
        tni_realloc(program->list, (size_t)(program->count + 1) * sizeof *larger);
    if (!larger) return tni_fail_no_memory(sizeof *larger);
    program->list = larger;
    program->list[program->count++] = name;
    return TN_OK;
}

tn_status tni_checked_program_init(tni_checked_program *program, void *library, const char *image,
                                   size_t bytes) {
    Elf64_Ehdr head;
    *program = (tni_checked_program){.library = library};
    if (bytes < sizeof head) return TN_OK;
    memcpy(&head, image, sizeof head);
    for (int k = 0; k < head.e_shnum; k++) {
        Elf64_Shdr table, names;
        if (head.e_shoff + (size_t)(k + 1) * sizeof table > bytes) break;
        memcpy(&table, image + head.e_shoff + (size_t)k * sizeof table, sizeof table);
        if (table.sh_type != SHT_SYMTAB || table.sh_offset + table.sh_size > bytes) continue;
        memcpy(&names, image + head.e_shoff + table.sh_link * sizeof names, sizeof names);
        for (size_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
            Elf64_Sym fact;
            memcpy(&fact, image + table.sh_offset + at, sizeof fact);
            if (ELF64_ST_TYPE(fact.st_info) == STT_TLS)
                TNI_TRY(add_name(program, image + names.sh_offset + fact.st_name, &fact));
        }
    }
    return TN_OK;
}

/* --- Windows --- */

int tni_check_measure(tni_extent *extents, const tni_kernel_launch *launch) {
    int found = 0;
    for (int k = 0; launch->arguments && k < launch->count; k++) {
        const tn_array *array = launch->arguments[k].array;
        if (!array) continue;
        tn_dtype dtype = tn_array_dtype(array);
        tni_extent one = {
            .argument = k, .item = tn_dtype_size(dtype), .dtype = tn_dtype_name(dtype)};
        one.high = one.item;
        for (int d = 0; d < tn_array_ndim(array); d++) {
            int64_t count_of = tn_array_shape(array)[d], stride = tn_array_strides(array)[d];
            if (count_of == 0) one.item = -1;
            *(stride < 0 ? &one.low : &one.high) += (count_of - 1) * stride;
        }
        if (one.item < 0) one.item = tn_dtype_size(dtype), one.low = one.high = 0;
        one.low -= launch->shifts ? launch->shifts[k] : 0;
        one.high -= launch->shifts ? launch->shifts[k] : 0;
        extents[found++] = one;
    }
    return found;
}

static int by_place(const void *a, const void *b) {
    const tni_extent *x = a, *y = b;
    uintptr_t p = (uintptr_t)(x->address + x->low), q = (uintptr_t)(y->address + y->low);
    return (p > q) - (p < q);
}

static tn_status open_window(tni_window *window) {
    size_t offset = (uintptr_t)window->from % 4096;
    window->reserved = (2 * GUARD + window->bytes + 2 * 4096) / 4096 * 4096;
    void *memory =
        mmap(NULL, window->reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return tni_fail_no_memory((int64_t)window->reserved);
    window->memory = memory;
    window->place = window->memory + GUARD + offset;
    if (mprotect(window->memory + GUARD, offset + window->bytes, PROT_READ | PROT_WRITE) != 0)
        return tni_fail_no_memory((int64_t)window->bytes);
    memcpy(window->place, window->from, window->bytes);
    return TN_OK;
}

/* Arrays that share memory share a window. */
static tn_status open_windows(tni_check *check) {
    for (int k = 0, next; k < check->count; k = next) {
        tni_extent *first = &check->extents[k];
        char *from = first->address + first->low, *end = first->address + first->high;
        for (next = k + 1; next < check->count; next++) {
            tni_extent *other = &check->extents[next];
            if (other->address + other->low >= end && other->high > other->low) break;
            if (other->address + other->high > end) end = other->address + other->high;
        }
        tni_window *window = &check->windows[check->window_count++];
        *window = (tni_window){.from = from, .bytes = (size_t)(end - from)};
        TNI_TRY(open_window(window));
        for (int j = k; j < next; j++)
            check->extents[j].address = window->place + (check->extents[j].address - from);
    }
    return TN_OK;
}

tn_status tni_check_begin(tni_check *check, int count, const tni_extent *extents) {
    size_t bytes = (size_t)count * sizeof *extents;
    check->count = check->window_count = 0;
    check->extents = tni_malloc(bytes + 1);
    check->windows = tni_calloc((size_t)count + 1, sizeof *check->windows);
    if (!check->extents || !check->windows) {
        tni_check_end(check, false);
        return tni_fail_no_memory((int64_t)bytes);
    }
    memcpy(check->extents, extents, bytes);
    qsort(check->extents, (size_t)count, sizeof *extents, by_place);
    check->count = count;
    tn_status status = open_windows(check);
    if (status != TN_OK) tni_check_end(check, false);
    return status;
}

void tni_check_end(tni_check *check, bool is_good) {
    for (int k = 0; k < check->window_count; k++) {
        tni_window *window = &check->windows[k];
        if (is_good) memcpy(window->from, window->place, window->bytes);
        if (window->memory) munmap(window->memory, window->reserved);
    }
    tni_free(check->extents);
    tni_free(check->windows);
}

/* --- Arrays --- */

static bool touch_array(char *message, size_t room, const tni_check *check,
                        const tni_touch *touch) {
    const tni_extent *nearest = NULL;
    int64_t distance = INT64_MAX;
    const tni_window *window = NULL;
    for (int k = 0; k < check->window_count && !window; k++)
        if (touch->at >= check->windows[k].memory &&
            touch->at < check->windows[k].memory + check->windows[k].reserved)
            window = &check->windows[k];
    for (int k = 0; window && k < check->count; k++) {
        const tni_extent *one = &check->extents[k];
        if (one->address < window->memory || one->address >= window->memory + window->reserved)
            continue;
        int64_t at = touch->at - one->address, after = at + (int64_t)touch->bytes;
        if (at >= one->low && after <= one->high) return true;
        int64_t apart = at < one->low ? one->low - at : after - one->high;
        if (apart < distance) distance = apart, nearest = one;
    }
    if (!nearest) return true;
    int64_t at = touch->at - nearest->address, item = nearest->item;
    int64_t index = at >= 0 ? at / item : -((item - 1 - at) / item);
    snprintf(message, room, "argument %d: index %lld is %s, the array of %s has %lld to %lld,",
             nearest->argument, (long long)index,
             touch->kind == TNI_TOUCH_READ ? "read" : "written", nearest->dtype,
             (long long)(nearest->low / item), (long long)(nearest->high / item - 1));
    return false;
}

/* --- Shared memory --- */

void tni_shadow_deinit(tni_shadow *shadow) {
    tni_free(shadow->marks);
}

/* Where this thread has a library's shared memory, which only glibc tells. */
static void *find_base(void *library) {
    void *base = NULL;
#ifdef __GLIBC__
    if (dlinfo(library, RTLD_DI_TLS_DATA, &base) != 0) return NULL;
#else
    (void)library;
#endif
    return base;
}

static bool has_marks(tni_shadow *shadow, const tni_checked_program *program) {
    size_t wanted = 0;
    if (shadow->library == program->library) return shadow->marks != NULL;
    for (int k = 0; k < program->count; k++)
        if (program->list[k].offset + program->list[k].bytes > wanted)
            wanted = program->list[k].offset + program->list[k].bytes;
    void *base = find_base(program->library);
    if (!base) return false;
    if (wanted > shadow->count) {
        tni_free(shadow->marks);
        shadow->marks = tni_calloc(wanted, sizeof *shadow->marks);
        shadow->count = shadow->marks ? wanted : 0;
    }
    shadow->base = base;
    shadow->library = shadow->marks ? program->library : NULL;
    shadow->epoch++;
    return shadow->marks != NULL;
}

/* Whether a mark of another thread has nothing between it and now. */
static bool meets(const tni_shadow *shadow, const tni_touch *touch, uint32_t epoch, uint16_t other,
                  uint16_t turn) {
    if (epoch != shadow->epoch || other == touch->thread) return false;
    bool is_neighbour = other != MANY && other / WARP == touch->thread / WARP;
    return !is_neighbour || turn == shadow->turns[touch->thread / WARP];
}

static void write_mark(tni_mark *mark, const tni_shadow *shadow, const tni_touch *touch) {
    uint16_t thread = (uint16_t)touch->thread, turn = shadow->turns[thread / WARP];
    if (touch->kind != TNI_TOUCH_READ) {
        mark->write_epoch = shadow->epoch;
        mark->writer = thread;
        mark->write_turn = turn;
        mark->is_atomic = touch->kind == TNI_TOUCH_ATOMIC;
        return;
    }
    bool has_other = mark->read_epoch == shadow->epoch && mark->reader != thread &&
                     meets(shadow, touch, mark->read_epoch, mark->reader, mark->read_turn);
    mark->read_epoch = shadow->epoch;
    mark->reader = has_other ? MANY : thread;
    mark->read_turn = turn;
}

static void describe(char *message, size_t room, const tni_shared_name *name, size_t offset,
                     const tni_touch *touch, int other, bool has_written) {
    static const char *const verbs[] = {"reads", "writes", "changes"};
    char place[64] = "another thread";
    const unsigned *size = touch->size;
    unsigned t = (unsigned)other;
    if (other != MANY)
        snprintf(place, sizeof place, "thread (%u,%u,%u)", t % size[0], t / size[0] % size[1],
                 t / size[0] / size[1]);
    snprintf(message, room,
             "a race: the thread %s byte %zu of the shared variable %s, which %s has %s, without a "
             "barrier between,",
             verbs[touch->kind], offset, name->is_dynamic ? "extern[]" : name->name, place,
             has_written ? "written" : "read");
}

static bool touch_shared(char *message, size_t room, const tni_check *check, tni_shadow *shadow,
                         const tni_touch *touch, const tni_shared_name *name, size_t offset) {
    if (name->is_dynamic && offset + touch->bytes > check->shared_bytes) {
        snprintf(message, room, "byte %zu of dynamic shared memory is %s, which has %u bytes,",
                 offset, touch->kind == TNI_TOUCH_READ ? "read" : "written", check->shared_bytes);
        return false;
    }
    for (size_t k = 0; k < touch->bytes && name->offset + offset + k < shadow->count; k++) {
        tni_mark *mark = &shadow->marks[name->offset + offset + k];
        bool is_write = touch->kind != TNI_TOUCH_READ;
        bool are_atomic = mark->is_atomic && touch->kind == TNI_TOUCH_ATOMIC;
        bool after_write =
            !are_atomic && meets(shadow, touch, mark->write_epoch, mark->writer, mark->write_turn);
        bool after_read =
            is_write && meets(shadow, touch, mark->read_epoch, mark->reader, mark->read_turn);
        if (after_write || after_read) {
            describe(message, room, name, offset + k, touch,
                     after_write ? mark->writer : mark->reader, after_write);
            return false;
        }
        write_mark(mark, shadow, touch);
    }
    return true;
}

bool tni_check_touch(char *message, size_t room, const tni_check *check, tni_shadow *shadow,
                     const tni_touch *touch) {
    if (!touch_array(message, room, check, touch)) return false;
    if (check->program->count == 0 || !has_marks(shadow, check->program)) return true;
    for (int k = 0; k < check->program->count; k++) {
        const tni_shared_name *name = &check->program->list[k];
        const char *begin = shadow->base + name->offset;
        if (touch->at >= begin && touch->at < begin + name->bytes)
            return touch_shared(message, room, check, shadow, touch, name,
                                (size_t)(touch->at - begin));
    }
    return true;
}
