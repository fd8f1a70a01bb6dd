/* Finding and opening libraries.
 *
 * A library of CUDA is looked for in this order, for the preferred file first and then for the
 * others: the path that tn_library_set_path() or TENORITE_<NAME>_PATH gives, and then nowhere else;
 * a copy that the process has loaded already; the folders of PyPI's wheels below the roots that
 * tn_cuda_add_library_root() was given; CONDA_PREFIX; the system's loader; CUDA_PATH, CUDA_HOME
 * and /usr/local/cuda. Files are opened by their versioned names only, because wheels have no
 * others. The driver comes from the system alone.
 *
 * A library of the host is looked for in this order: the path that is given, and then nowhere else;
 * a copy that the process has loaded already and whose name has the mark; a copy that this
 * library's package carries; the system's loader.
 *
 * A library is never closed. Every path is set at most once, so it stays valid for ever. */
#include "core/base/library.h"

#include "core/base/alloc.h"
#include "core/base/error.h"
#include "core/base/forklock.h"

#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenorite/library.h>
#include <unistd.h>

/* clang-format off */
static const tni_library_facts facts[TNI_LIBRARY_COUNT] = {
#define LIBRARY(ID, name, variable, files, folders, packages, companion, mark) \
    [TNI_LIBRARY_##ID] = {name, variable, files, folders, packages, companion, mark},
#include "core/base/libraries.def"
};
/* clang-format on */

static struct { _Atomic(const char *) given, found; } paths[TNI_LIBRARY_COUNT];

const tni_library_facts *tni_library_facts_of(tni_library which) {
    return &facts[which];
}

/* --- Paths --- */

/* The library of a name that programs may use; TNI_LIBRARY_COUNT: there is none. */
static tni_library find_name(const char *name) {
    int which = 0;
    while (which < TNI_LIBRARY_COUNT &&
           !(facts[which].variable && strcmp(facts[which].name, name) == 0))
        which++;
    return (tni_library)which;
}

tn_status tn_library_set_path(const char *name, const char *path) {
    tni_library which = find_name(name);
    if (which == TNI_LIBRARY_COUNT) TNI_FAIL(TN_ERROR_VALUE, "no library is called '%s'", name);
    size_t bytes = strlen(path) + 1;
    char *copy = tni_malloc(bytes);
    if (!copy) return tni_fail_no_memory((int64_t)bytes);
    memcpy(copy, path, bytes);
    const char *none = NULL;
    if (!atomic_compare_exchange_strong(&paths[which].given, &none, copy)) {
        bool same = strcmp(none, copy) == 0;
        tni_free(copy);
        if (!same) TNI_FAIL(TN_ERROR_VALUE, "the path of '%s' is set already", name);
    }
    return TN_OK;
}

const char *tn_library_get_path(const char *name) {
    tni_library which = find_name(name);
    return which == TNI_LIBRARY_COUNT ? NULL : atomic_load(&paths[which].found);
}

/* The path given for a library by tn_library_set_path() or else by its environment variable; NULL
 * if there is none. Valid for ever. */
static const char *path_of(tni_library which) {
    if (!facts[which].variable) return NULL;
    const char *given = atomic_load(&paths[which].given);
    if (!given) given = getenv(facts[which].variable);
    return given && *given ? given : NULL;
}

void tni_library_found(tni_library which, const char *path) {
    atomic_store(&paths[which].found, path);
}

/* --- Roots of wheels --- */

typedef struct root {
    struct root *next;
    char path[];
} root;
static root *roots, **last_root = &roots;
static tni_fork_lock roots_lock = TNI_FORK_LOCK;

bool tni_library_add_root(const char *path) {
    size_t bytes = strlen(path) + 1;
    tni_fork_lock_take(&roots_lock);
    root *known = roots;
    while (known && strcmp(known->path, path) != 0)
        known = known->next;
    root *made = known ? NULL : tni_malloc(sizeof *made + bytes);
    if (made) {
        made->next = NULL;
        memcpy(made->path, path, bytes);
        *last_root = made;
        last_root = &made->next;
    }
    tni_fork_lock_give(&roots_lock);
    return known || made;
}

/* --- Places --- */

bool tni_library_find_beside(char *path, size_t bytes, const char *relative) {
    Dl_info own;
    if (!dladdr((void *)(uintptr_t)tni_library_find_beside, &own) || !own.dli_fname) return false;
    const char *slash = strrchr(own.dli_fname, '/');
    int length = slash ? (int)(slash - own.dli_fname) : 1;
    int needed = snprintf(path, bytes, "%.*s/%s", length, slash ? own.dli_fname : ".", relative);
    return needed > 0 && (size_t)needed < bytes && access(path, R_OK) == 0;
}

bool tni_library_find_neighbour(char *found, size_t bytes, const char *path, const char *prefix) {
    const char *slash = strrchr(path, '/');
    char folder[TNI_LIBRARY_PATH];
    if (!slash || (size_t)(slash - path) >= sizeof folder) return false;
    memcpy(folder, path, (size_t)(slash - path));
    folder[slash - path] = '\0';
    DIR *directory = opendir(folder);
    if (!directory) return false;
    bool is_found = false;
    for (struct dirent *entry; !is_found && (entry = readdir(directory));)
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
            is_found = snprintf(found, bytes, "%s/%s", folder, entry->d_name) < (int)bytes;
    closedir(directory);
    return is_found;
}

static bool visit_file(const char *folder, const char *inner, const char *file,
                       tni_library_visitor visit, void *context) {
    char path[TNI_LIBRARY_PATH];
    if (!folder || !*folder || !inner) return false;
    int length = snprintf(path, sizeof path, "%s/%s/%s", folder, inner, file);
    return length < (int)sizeof path && access(path, R_OK) == 0 && visit(path, true, context);
}

bool tni_library_is_loaded(const char *path) {
    void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (handle) dlclose(handle); /* only the count goes down again */
    return handle != NULL;
}

static bool visit_wheels(const tni_library_facts *library, int version, tni_library_visitor visit,
                         void *context) {
    const char *file = library->files[version];
    if (tni_library_is_loaded(file)) return visit(file, false, context);
    tni_fork_lock_take(&roots_lock);
    const root *first = roots;
    tni_fork_lock_give(&roots_lock);
    for (const root *root = first; root; root = root->next)
        if (visit_file(root->path, library->folders[version], file, visit, context)) return true;
    if (visit_file(getenv("CONDA_PREFIX"), "lib", file, visit, context)) return true;
    if (visit(file, false, context)) return true;
    const char *toolkits[] = {getenv("CUDA_PATH"), getenv("CUDA_HOME"), "/usr/local/cuda"};
    for (size_t k = 0; k < sizeof toolkits / sizeof *toolkits; k++)
        if (visit_file(toolkits[k], "lib64", file, visit, context) ||
            visit_file(toolkits[k], "lib", file, visit, context) ||
            visit_file(toolkits[k], "extras/CUPTI/lib64", file, visit, context))
            return true;
    return false;
}

static _Atomic(int (*)(void)) preference;

void tni_library_set_preference(int (*first_file)(void)) {
    atomic_store(&preference, first_file);
}

int tni_library_first_file(void) {
    int (*first_file)(void) = atomic_load(&preference);
    return first_file ? first_file() : 0;
}

/* Keeps the path of the first loaded library whose file name has the mark. */
typedef struct loaded {
    const char *mark;
    char path[TNI_LIBRARY_PATH];
} loaded;

static int look_at(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    loaded *loaded = context;
    const char *name = strrchr(info->dlpi_name, '/');
    if (!name || !strstr(name, loaded->mark)) return 0;
    snprintf(loaded->path, sizeof loaded->path, "%s", info->dlpi_name);
    return 1;
}

static bool visit_host(const tni_library_facts *library, tni_library_visitor visit, void *context) {
    loaded loaded = {.mark = library->mark};
    char carried[TNI_LIBRARY_PATH];
    if (library->mark && dl_iterate_phdr(look_at, &loaded) && visit(loaded.path, true, context))
        return true;
    if (tni_library_find_beside(carried, sizeof carried, library->files[0]) &&
        visit(carried, true, context))
        return true;
    for (int k = 0; k < TNI_LIBRARY_FILES && library->files[k]; k++)
        if (visit(library->files[k], false, context)) return true;
    return false;
}

bool tni_library_visit(tni_library which, tni_library_visitor visit, void *context) {
    const tni_library_facts *library = &facts[which];
#ifdef TNI_TEST_HOOKS
    const char *fake = which == TNI_LIBRARY_DRIVER ? getenv("TENORITE_FAKE_CUDA") : NULL;
    if (fake) return visit(fake, true, context);
#endif
    const char *given = path_of(which);
    if (given) return visit(given, true, context);
    if (!library->folders[0])
        return which == TNI_LIBRARY_DRIVER ? visit(library->files[0], false, context)
                                           : visit_host(library, visit, context);
    int first = tni_library_first_file(), count = 2;
    for (int k = 0; k < count; k++)
        if (visit_wheels(library, (first + k) % count, visit, context)) return true;
    for (int k = count; k < TNI_LIBRARY_FILES && library->files[k]; k++)
        if (visit_wheels(library, k, visit, context)) return true;
    return false;
}

/* --- Opening --- */

const char *tni_library_origin(void *handle, const char *path) {
    struct link_map *map = NULL;
    bool is_known = dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0];
    return is_known ? map->l_name : path;
}

/* The library opens its companion by a bare name, and some would find another copy's. */
static void open_companion(const tni_library_facts *library, const char *path) {
    char companion[TNI_LIBRARY_PATH];
    if (library->companion &&
        tni_library_find_neighbour(companion, sizeof companion, path, library->companion))
        dlopen(companion, RTLD_NOW | RTLD_LOCAL);
}

typedef struct opening {
    tni_library which;
    void *handle;
    char *path;
} opening;

static bool open_one(const char *path, bool is_file, void *context) {
    opening *opening = context;
    const tni_library_facts *library = &facts[opening->which];
    if (is_file) open_companion(library, path);
    opening->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!opening->handle) return false;
    path = tni_library_origin(opening->handle, path);
    if (!is_file) open_companion(library, path);
    snprintf(opening->path, TNI_LIBRARY_PATH, "%s", path);
    return true;
}

void *tni_library_open(tni_library which, char *path) {
    opening opening = {which, NULL, path};
    return tni_library_visit(which, open_one, &opening) ? opening.handle : NULL;
}

void *tni_library_symbol(void *handle, const char *prefix, const char *name, const char *suffix) {
    char symbol[128];
    snprintf(symbol, sizeof symbol, "%s%s%s", prefix, name, suffix);
    return dlsym(handle, symbol);
}

const char *tni_library_bind(void *handle, const char *prefix, const char *suffix,
                             const tni_symbol *symbols, size_t count, void *table) {
    for (size_t k = 0; k < count; k++) {
        void *address = tni_library_symbol(handle, prefix, symbols[k].name, suffix);
        if (!address && !symbols[k].is_optional) return symbols[k].name;
        memcpy((char *)table + symbols[k].offset, &address, sizeof address);
    }
    return NULL;
}
