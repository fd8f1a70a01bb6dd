/* Compiled once: images by what they are made of, in archives and on disk. */
#ifndef TNI_CUDA_CACHE_H
#define TNI_CUDA_CACHE_H

#include "backend/cuda/compile.h"

/* The image that holds a program's kernel, from an archive, from disk, or compiled and kept. */
tn_status tni_cache_get(tni_image *image, const tni_source *source, int arch);

/* Whether tni_cache_get() would find it without compiling. */
bool tni_cache_has(const tni_source *source, int arch);

/* Whether there is nothing to find. */
bool tni_cache_is_empty(void);

/* Keeps one image for several programs that were compiled together into it. */
tn_status tni_cache_put_batch(const tni_image *image, const tni_source *whole,
                              const tni_source *parts, int count, int arch);

/* For tests: looks at the environment again. */
void tni_cache_reset(void);

#endif
