/* Libraries that Tenorite loads when it first needs them. */
#ifndef TENORITE_LIBRARY_H
#define TENORITE_LIBRARY_H

#include <tenorite/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Says where a library lies ("openblas"), before its first use: later calls change nothing. The
 * path is copied. It goes before the environment's TENORITE_OPENBLAS_PATH and whatever would be
 * found otherwise. TN_ERROR_VALUE for an unknown name and for a second path. */
TN_API tn_status tn_library_set_path(const char *name, const char *path);

/* The path of a library that has been loaded; NULL before, where there is none, and for an unknown
 * name. Valid for ever. */
TN_API const char *tn_library_get_path(const char *name);

#ifdef __cplusplus
}
#endif
#endif
