/* Compiling a program with NVRTC. */
#ifndef TNI_CUDA_COMPILE_H
#define TNI_CUDA_COMPILE_H

#include "core/base/error.h"
#include "kernel/cache/digest.h"
#include "kernel/source.h"

#include <tenorite/status.h>

/* An image that the driver loads: a cubin, or PTX where NVRTC does not know the device. */
typedef struct tni_image {
    tni_key key; /* tells images apart; kernels of one batch share one */
    const char *data;
    size_t bytes;
    char *owned;    /* freed by tni_image_deinit(); NULL: it has another owner */
    bool is_packed; /* it comes from an archive */
} tni_image;
void tni_image_deinit(tni_image *image);

/* Compiles for an architecture (90). The text includes device text by its bare name; there are no
 * other headers. What NVRTC says stands in the message (TN_ERROR_RUNTIME), all of it in
 * tni_cuda_compile_log(). */
tn_status tni_cuda_compile(tni_image *image, const tni_source *source, int arch);

/* NVRTC's last words to the calling thread. Never NULL. */
const char *tni_cuda_compile_log(void);

/* The option that compiles for an architecture; *is_ptx: this NVRTC is too old for it and makes
 * PTX. */
tn_status tni_cuda_compile_choose(char *option, size_t size, int arch, bool *is_ptx);

/* Adds everything but the program and the compiler's version that an image depends on. */
void tni_cuda_compile_digest(tni_digest *digest, int arch);

/* Loads NVRTC and compiles a kernel of no use, after which compiling takes less. Counts for
 * nothing but the next function, and does not fail. */
void tni_cuda_compile_prepare(void);
/* Whether NVRTC was found and has compiled a program. */
bool tni_cuda_has_compiled(void);
/* Seconds and programs so far. */
void tni_cuda_compile_statistics(double *seconds, int64_t *programs);

#endif
