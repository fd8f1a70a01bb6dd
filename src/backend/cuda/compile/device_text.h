/* The device text that the build embeds: src/ops and cuda/kernels, each under its bare file name.
 *
 * Decides: how a C file reaches the text that NVRTC reads.
 * Invariant: names are unique and sorted; a text is NUL-terminated and length leaves that NUL out.
 * tools/embed.py writes the definitions (device_text.c in the build tree). */
#ifndef TNI_BACKEND_CUDA_DEVICE_TEXT_H
#define TNI_BACKEND_CUDA_DEVICE_TEXT_H

#include <tenorite/status.h>

#include <stddef.h>

typedef struct tni_device_text {
    const char *name; /* "scalar.h": what an #include in device text says */
    const char *text;
    size_t length; /* bytes */
} tni_device_text;

extern const tni_device_text tni_device_texts[];
extern const size_t tni_device_text_count;

#endif
