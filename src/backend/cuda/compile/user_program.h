/* Programs of the user's own text, compiled by NVRTC and cached. */
#ifndef TNI_CUDA_COMPILE_USER_PROGRAM_H
#define TNI_CUDA_COMPILE_USER_PROGRAM_H

#include "core/base/error.h"
#include "forms/kernel.h"

/* An image with the names by which it knows the program's name expressions, in their order. */
typedef struct tni_user_image {
    char *owned;       /* all below lies in it; of tni_malloc() */
    const char *names; /* one after the other, each with a NUL */
    const char *image; /* for the driver */
} tni_user_image;

/* From the cache, or compiled for an architecture (90). `log` gets what NVRTC said (of
 * tni_malloc()), also on failure (TN_ERROR_COMPILE). */
tn_status tni_user_program_get(tni_user_image *result, char **log, const tni_program_text *text,
                               int arch);

#endif
