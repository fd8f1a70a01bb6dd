/* Where libraries that are loaded at run time lie, as far as somebody has said so. */
#ifndef TNI_LIBRARY_H
#define TNI_LIBRARY_H

#include <tenorite/library.h>

/* The path given for a library by tn_library_set_path() or else by the environment variable
 * TENORITE_<NAME>_PATH; NULL if there is none. Valid for ever. */
const char *tni_library_path(const char *name);

/* A loader says which file it took. `path` must stay valid. */
void tni_library_found(const char *name, const char *path);

#endif
