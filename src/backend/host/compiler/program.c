/* Programs of the host: the text is translated, compiled by the system's compiler and kept in the
 * cache like a kernel of a GPU; the shared object is loaded from memory, and stays loaded.
 *
 * An image is found by the whole text, the options, the compiler's file and the processor, for it
 * is compiled for this one. Where there is no compiler, the package's archive serves, in which an
 * image is found by the program's own text and options: it is compiled for any processor.
 *
 * It is loaded through a file without a name: so nothing has to be written where the cache can't
 * be, and two modules never share their variables by accident. */
#include "backend/host/compiler/block.h"
#include "backend/host/compiler/check.h"
#include "backend/host/compiler/compiler.h"
#include "backend/host/compiler/included.h"
#include "backend/host/compiler/launch.h"
#include "backend/host/compiler/options.h"
#include "backend/host/compiler/translate.h"
#include "core/base/alloc.h"
#include "core/base/lock.h"
#include "kernel/cache/archive.h"
#include "kernel/cache/cache_files.h"
#include "kernel/raw_kernel.h"
#include "kernel/user_words.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct program {
    void *library;
    const tni_host_entry *entries; /* up to one without a name */
    bool has_shared, is_checked;
    tni_checked_program checked;
    tni_lock lock; /* of the next */
    tni_host_function *functions;
} program;

/* --- The image --- */

/* The lines that say what this processor is able to do. */
static void digest_processor(tni_digest *digest) {
    static const char *const facts[] = {"model name", "flags", "CPU part", "Features"};
    char line[4096];
    unsigned found = 0;
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && fgets(line, sizeof line, file))
        for (unsigned k = 0; k < sizeof facts / sizeof *facts; k++)
            if (!(found >> k & 1) && strncmp(line, facts[k], strlen(facts[k])) == 0) {
                tni_digest_add_text(digest, line, strlen(line));
                found |= 1u << k;
            }
    if (file) fclose(file);
}

static tni_key key_of(const tni_translation *program, const tni_host_options *options,
                      const tni_compiler *compiler) {
    tni_digest digest;
    tni_digest_init(&digest);
    tni_digest_add_text(&digest, program->main.text, program->main.length);
    for (int k = 0; k < program->file_count; k++)
        tni_digest_add_text(&digest, program->files[k].text, program->files[k].length);
    for (int k = 0; k < options->count; k++)
        tni_digest_add_text(&digest, options->list[k], strlen(options->list[k]));
    tni_digest_add_text(&digest, compiler->path, strlen(compiler->path));
    tni_digest_add(&digest, &compiler->bytes, sizeof compiler->bytes);
    tni_digest_add(&digest, &compiler->changed_ns, sizeof compiler->changed_ns);
    digest_processor(&digest);
    return tni_digest_key(&digest);
}

/* The key in archives. */
static tni_key base_of(const tni_program_text *text) {
    tni_digest digest;
    tni_digest_init(&digest);
    tni_digest_add_text(&digest, text->code, text->length);
    for (int k = 0; k < text->option_count; k++)
        tni_digest_add_text(&digest, text->options[k], strlen(text->options[k]));
    for (int k = 0; k < text->name_count; k++)
        tni_digest_add_text(&digest, text->names[k], strlen(text->names[k]));
    return tni_digest_key(&digest);
}

/* False: it is in no archive, or there is no memory. */
static bool read_packed(char **image, size_t *bytes, const tni_key *base) {
    tni_record record;
    const char *data;
    if (!tni_archive_find(&record, &data, base) || record.kind != TNI_RECORD_HOST) return false;
    *image = tni_malloc(record.bytes);
    if (*image) memcpy(*image, data, record.bytes);
    *bytes = record.bytes;
    return *image != NULL;
}

static bool read_cached(char **image, size_t *bytes, const tni_key *key) {
    tni_record record;
    if (!tni_cache_files_read(&record, image, key)) return false;
    *bytes = record.bytes;
    if (record.kind == TNI_RECORD_HOST) return true;
    tni_free(*image);
    *image = NULL;
    return false;
}

static tn_status get_image(char **image, size_t *bytes, char **log, tni_compiler *compiler,
                           const tni_program_text *text, const tni_translation *program,
                           const tni_host_options *options) {
    tni_record record = {.kind = TNI_RECORD_HOST, .base = base_of(text)};
    tn_status status = tni_compiler_find(compiler);
    if (status != TN_OK && !options->is_checked && read_packed(image, bytes, &record.base))
        return TN_OK;
    TNI_TRY(status);
    record.key = key_of(program, options, compiler);
    if (read_cached(image, bytes, &record.key)) return TN_OK;
    TNI_TRY(tni_compiler_run(image, bytes, log, compiler, &program->main, program->file_count,
                             program->files, options->count, options->list));
    record.bytes = *bytes;
    tni_cache_files_write(&record, *image);
    return TN_OK;
}

/* --- Loading --- */

/* The loader recognizes a library by the path that it was opened by, and paths of closed files are
 * used again. So the bits of a number are written into the path as "/" and "/./", which change
 * nothing but its name. */
static void write_path(char *path, int file) {
    static atomic_uint count;
    unsigned number = atomic_fetch_add(&count, 1);
    char *at = path + sprintf(path, "/proc/self/fd");
    for (; number; number /= 2)
        at += sprintf(at, number % 2 ? "/./" : "/");
    sprintf(at, "/%d", file);
}

static bool write_whole(int file, const char *data, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        ssize_t put = write(file, data + done, bytes - done);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        done += (size_t)put;
    }
    return true;
}

/* A symbol that is "unique" is one in the whole process, whatever library has it: so gcc marks the
 * static variables of inline functions and of templates. Each program has its own, of its own
 * size, as on a GPU. */
static void make_own_symbols(char *image, size_t bytes) {
    Elf64_Ehdr head;
    if (bytes < sizeof head) return;
    memcpy(&head, image, sizeof head);
    for (int k = 0; k < head.e_shnum; k++) {
        Elf64_Shdr table;
        if (head.e_shoff + (size_t)(k + 1) * sizeof table > bytes) return;
        memcpy(&table, image + head.e_shoff + (size_t)k * sizeof table, sizeof table);
        if (table.sh_type != SHT_DYNSYM || table.sh_offset + table.sh_size > bytes) continue;
        for (size_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
            char *info = image + table.sh_offset + at + offsetof(Elf64_Sym, st_info);
            if (ELF64_ST_BIND((unsigned char)*info) == STB_GNU_UNIQUE)
                *info = (char)ELF64_ST_INFO(STB_WEAK, ELF64_ST_TYPE(*info));
        }
    }
}

static tn_status load(void **library, char *image, size_t bytes) {
    char path[160];
    make_own_symbols(image, bytes);
    int file = memfd_create("tenorite-kernel", MFD_CLOEXEC);
    if (file < 0)
        TNI_FAIL(TN_ERROR_RUNTIME, "a compiled kernel can't be loaded: memfd_create: %s",
                 strerror(errno));
    write_path(path, file);
    bool is_written = write_whole(file, image, bytes);
    int error = errno;
    if (is_written) *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    close(file);
    if (!is_written)
        TNI_FAIL(TN_ERROR_RUNTIME, "a compiled kernel of %zu bytes can't be loaded: %s", bytes,
                 strerror(error));
    if (!*library) {
        const char *reason = dlerror();
        TNI_FAIL(TN_ERROR_COMPILE, "a compiled kernel can't be loaded: %.600s",
                 reason ? reason : "unknown");
    }
    return TN_OK;
}

static tn_status open_program(program *program, char *image, size_t bytes) {
    TNI_TRY(load(&program->library, image, bytes));
    const tni_host_runtime **runtime = dlsym(program->library, "tni_runtime");
    program->entries = dlsym(program->library, "tni_entries");
    if (!runtime || !program->entries) {
        dlclose(program->library);
        TNI_FAIL(TN_ERROR_COMPILE, "a compiled kernel has no table of kernels");
    }
    *runtime = &tni_host_runtime_functions;
    return TN_OK;
}

/* A rewritten text that the compiler refuses is compiled again without its splits, and then without
 * its divisions: in the end the errors are those of the user's text. A text that takes the compiler
 * too long is not tried again. */
static tn_status compile(char **image, size_t *bytes, bool *has_shared, char **log,
                         const tni_program_text *text, const tni_host_options *options,
                         const tni_source *macros, const tni_included *included) {
    tn_status status = TN_OK;
    tni_rewriting allowed = {.splits = !options->is_checked, .divides = true};
    for (bool again = true; again;) {
        tni_translation program = {.file_count = 0};
        tni_compiler compiler = {0};
        status = tni_host_translate(&program, &allowed, text, macros, included);
        again = program.done.splits || program.done.divides;
        allowed = (tni_rewriting){.divides = program.done.splits && program.done.divides};
        *has_shared = program.has_shared;
        if (status == TN_OK)
            status = get_image(image, bytes, log, &compiler, text, &program, options);
        tni_translation_deinit(&program);
        again &= status == TN_ERROR_COMPILE && !compiler.is_late;
        if (again) tni_free(*log), *log = NULL;
    }
    return status;
}

static tn_status read_included(tni_included *included, const tni_program_text *text) {
    if (text->translates_cucomplex)
        TNI_TRY(tni_included_read(included, tni_user_translation, strlen(tni_user_translation)));
    return tni_included_read(included, text->code, text->length);
}

static bool has_kernels(const tni_program_text *text, const tni_included *included) {
    static const char *const words[] = {"__global__", NULL};
    bool found = tni_words_have(text->code, words);
    for (int k = 0; k < included->count && !found; k++)
        found = included->files[k].owned && tni_words_have(included->files[k].text, words);
    return found;
}

tn_status tni_host_kernels_program_make(void **result, char **log, const tni_program_text *text,
                                        int number) {
    (void)number; /* the devices of the host are one processor */
    tni_source macros = {0};
    tni_host_options options;
    tni_included included;
    char *image = NULL;
    size_t bytes = 0;
    tn_status status;
    if (text->path)
        TNI_FAIL(
            TN_ERROR_VALUE,
            "%.300s is an image for GPUs (a cubin, a fatbin or PTX), which the host can't run: "
            "give the CUDA C++ text that it was compiled from, as RawModule(code=...)",
            text->path);
    program *made = tni_calloc(1, sizeof *made);
    if (!made) return tni_fail_no_memory(sizeof *made);
    tni_included_init(&included, &options);
    TNI_TRY_OWNING(tni_host_options_read(&options, &macros, text));
    TNI_TRY_OWNING(read_included(&included, text));
    made->is_checked = tni_kernel_is_checked() && has_kernels(text, &included);
    if (made->is_checked) tni_host_options_check(&options);
    TNI_TRY_OWNING(
        compile(&image, &bytes, &made->has_shared, log, text, &options, &macros, &included));
    TNI_TRY_OWNING(open_program(made, image, bytes));
    if (made->is_checked)
        TNI_TRY_OWNING(tni_checked_program_init(&made->checked, made->library, image, bytes));
    *result = made;
cleanup:
    if (status != TN_OK) tni_free(made);
    tni_included_deinit(&included);
    tni_source_deinit(&macros);
    tni_free(image);
    return status;
}

/* --- Functions and variables --- */

static const tni_host_entry *find_entry(const program *program, const char *name) {
    for (const tni_host_entry *entry = program->entries; entry->name; entry++)
        if (strcmp(entry->name, name) == 0) return entry;
    return NULL;
}

tn_status tni_host_kernels_function_find(void **function, void *pointer, const char *name) {
    program *program = pointer;
    const tni_host_entry *entry = find_entry(program, name);
    tni_host_function *found;
    if (!entry || (!entry->run && !entry->range))
        TNI_FAIL(TN_ERROR_VALUE,
                 "the module has no kernel %.300s: the host finds __global__ functions that are "
                 "extern \"C\", and those among the name_expressions",
                 name);
    tni_lock_take(&program->lock);
    for (found = program->functions; found; found = found->next)
        if (found->entry == entry) break;
    if (!found && (found = tni_calloc(1, sizeof *found))) {
        found->entry = entry;
        found->name = entry->name;
        found->has_shared = program->has_shared;
        found->checked = program->is_checked ? &program->checked : NULL;
        atomic_store(&found->shared_bytes, TNI_HOST_SHARED_BYTES);
        atomic_store(&found->carveout, -1);
        found->next = program->functions;
        program->functions = found;
    }
    tni_lock_give(&program->lock);
    *function = found;
    return found ? TN_OK : tni_fail_no_memory(sizeof *found);
}

/* A variable of C, whose size the table of symbols has: only glibc shows an entry of it. */
static void *find_symbol(int64_t *bytes, const program *program, const char *name) {
    void *found = dlsym(program->library, name);
#ifdef __GLIBC__
    Dl_info facts;
    const ElfW(Sym) *symbol = NULL;
    if (!found || !dladdr1(found, &facts, (void **)(uintptr_t)&symbol, RTLD_DL_SYMENT) || !symbol ||
        ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT)
        return NULL;
    *bytes = (int64_t)symbol->st_size;
    return found;
#else
    (void)bytes, (void)found;
    return NULL;
#endif
}

tn_status tni_host_kernels_global_find(uintptr_t *address, int64_t *bytes, void *pointer,
                                       const char *name) {
    program *program = pointer;
    const tni_host_entry *entry = find_entry(program, name);
    if (entry && entry->variable) {
        *address = (uintptr_t)entry->variable;
        *bytes = (int64_t)entry->variable_bytes;
        return TN_OK;
    }
    void *found = find_symbol(bytes, program, name);
    if (!found) TNI_FAIL(TN_ERROR_VALUE, "the module has no variable %.300s", name);
    *address = (uintptr_t)found;
    return TN_OK;
}

/* --- Attributes --- */

const char *tni_host_kernels_elements(void *pointer) {
    const tni_host_function *function = pointer;
    return function->checked ? function->entry->argument_elements : NULL;
}

tn_status tni_host_kernels_attribute_get(int *value, void *pointer, tn_kernel_attribute attribute) {
    tni_host_function *function = pointer;
    switch (attribute) {
    case TN_KERNEL_MAX_THREADS_PER_BLOCK: *value = TNI_BLOCK_THREADS_MAX; break;
    case TN_KERNEL_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = atomic_load(&function->shared_bytes);
        break;
    case TN_KERNEL_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = atomic_load(&function->carveout);
        break;
    default: *value = 0;
    }
    return TN_OK;
}

tn_status tni_host_kernels_attribute_set(void *pointer, tn_kernel_attribute attribute, int value) {
    tni_host_function *function = pointer;
    if (attribute == TN_KERNEL_PREFERRED_SHARED_MEMORY_CARVEOUT) {
        if (value < -1 || value > 100)
            TNI_FAIL(TN_ERROR_DEVICE, "cudaErrorInvalidValue: a carveout of %d %%", value);
        atomic_store(&function->carveout, value);
        return TN_OK;
    }
    if (attribute != TN_KERNEL_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 ||
        value > TNI_HOST_SHARED_BYTES_MAX)
        TNI_FAIL(TN_ERROR_DEVICE, "cudaErrorInvalidValue: %d bytes of shared memory, %d at most",
                 value, TNI_HOST_SHARED_BYTES_MAX);
    atomic_store(&function->shared_bytes, value);
    return TN_OK;
}

tn_status tni_host_kernels_resident_blocks(int64_t *blocks, void *function, int threads,
                                           unsigned shared_bytes) {
    (void)function, (void)threads, (void)shared_bytes;
    *blocks = TNI_HOST_RESIDENT_BLOCKS;
    return TN_OK;
}
