/* Libraries that are loaded when they are first needed, by one loader for all (libraries.def).
 *
 * A `.fn` list names each function of a library and its prototype once. A file that wants a library
 * makes from the list a struct of pointers and an array of tni_symbol, and has it filled. */
#ifndef TNI_LIBRARY_H
#define TNI_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

typedef enum tni_library {
#define LIBRARY(ID, name, variable, files, folders, packages, companion, mark) TNI_LIBRARY_##ID,
#include "core/base/libraries.def"
    TNI_LIBRARY_COUNT
} tni_library;

enum { TNI_LIBRARY_FILES = 4, TNI_LIBRARY_PATH = 1024 };

/* A line of the list. */
typedef struct tni_library_facts {
    const char *name, *variable;
    const char *files[TNI_LIBRARY_FILES];
    const char *folders[TNI_LIBRARY_FILES];
    const char *packages[TNI_LIBRARY_FILES];
    const char *companion, *mark;
} tni_library_facts;

const tni_library_facts *tni_library_facts_of(tni_library which);

/* Notes the file that a library was taken from. `path` must stay valid. */
void tni_library_found(tni_library which, const char *path);

/* --- Places --- */

/* Folders below which wheels of PyPI lie. False: no memory. */
bool tni_library_add_root(const char *path);
/* Says which of a library's files comes first (its place in the list); NULL: the first. */
void tni_library_set_preference(int (*first_file)(void));
int tni_library_first_file(void);

/* Looks at one place after the other until `visit` has taken one. `path` is a file, or a bare name
 * for the system's loader. False: no place was taken. */
typedef bool (*tni_library_visitor)(const char *path, bool is_file, void *context);
bool tni_library_visit(tni_library which, tni_library_visitor visit, void *context);

/* The path of a file that lies at `relative` from the folder of this library, as a package carries
 * it. False: there is none that can be read, or `path` is too short. */
bool tni_library_find_beside(char *path, size_t bytes, const char *relative);
/* The path of a file in the folder of `path` whose name begins with `prefix`. False: there is
 * none. */
bool tni_library_find_neighbour(char *found, size_t bytes, const char *path, const char *prefix);

/* --- Opening --- */

/* Whether the process has loaded a file already. */
bool tni_library_is_loaded(const char *path);
/* Where an open library lies; `path` itself if the system does not say. */
const char *tni_library_origin(void *handle, const char *path);
/* Opens a library from the first place that has it, and notes the path in `path`
 * (TNI_LIBRARY_PATH bytes). NULL: no place has it. It stays open. */
void *tni_library_open(tni_library which, char *path);

typedef struct tni_symbol {
    const char *name;
    size_t offset; /* of its pointer in the table */
    bool is_optional;
} tni_symbol;

/* The address of a function whose name has this prefix and suffix; NULL: there is none. */
void *tni_library_symbol(void *handle, const char *prefix, const char *name, const char *suffix);
/* Fills a table of functions, the names in this style. Returns the first that is missing, or
 * NULL. */
const char *tni_library_bind(void *handle, const char *prefix, const char *suffix,
                             const tni_symbol *symbols, size_t count, void *table);

#endif
