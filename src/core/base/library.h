/* Where libraries that are loaded at run time lie: what the program or its environment says, and
 * what this library's package carries. */
#ifndef TNI_LIBRARY_H
#define TNI_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <tenorite/library.h>

/* The path given for a library by tn_library_set_path() or else by the environment variable
 * TENORITE_<NAME>_PATH; NULL if there is none. Valid for ever. */
const char *tni_library_path(const char *name);

/* The path of a file that lies at `relative` from the folder of this library, as a package carries
 * it. false: there is none that can be read, or `path` is too short. */
bool tni_library_find_beside(char *path, size_t bytes, const char *relative);

/* A loader says which file it took. `path` must stay valid. */
void tni_library_found(const char *name, const char *path);

#endif
