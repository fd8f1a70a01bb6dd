/* Compiled once: images by what they are made of, in archives and on disk. */
#ifndef TNI_CUDA_CACHE_H
#define TNI_CUDA_CACHE_H

#include "backend/cuda/compile/compile.h"

#include <tenorite/status.h>

/* The image that holds a program's kernel, from an archive, from disk, or compiled and kept. */
tn_status tni_cache_get(tni_image *image, const tni_source *source, int arch);

/* Whether tni_cache_get() would find it without compiling. */
bool tni_cache_has(const tni_source *source, int arch);

/* Whether there is nothing to find. */
bool tni_cache_is_empty(void);

/* Compiles programs as one, one after the other, and keeps the image for each of them. */
tn_status tni_cache_compile_batch(tni_image *image, const tni_source *const *parts, int count,
                                  int arch);

/* The images of programs that are in no cache, compiled as one; they share their data, which lives
 * as long as the process. Where it fails nothing is said of which: compile each alone. */
tn_status tni_cache_get_batch(tni_image *images, const tni_source *const *parts, int count,
                              int arch);

/* Programs that were found, that were not, and that were asked for. */
void tni_cache_count(int64_t *found, int64_t *missed, int64_t *asked);

/* For tests: looks at the environment again. */
void tni_cache_reset(void);

#endif
