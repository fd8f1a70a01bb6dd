/* The device text that the build embeds: src/ops and cuda/kernels, each under its bare file name.
 *
 * Decides: how a C file reaches the text that NVRTC reads.
 * Invariant: names are unique and sorted; a text is NUL-terminated and length leaves that NUL out.
 * tools/embed.py writes the definitions (device_text.c in the build tree). */
#ifndef TNI_BACKEND_CUDA_DEVICE_TEXT_H
#define TNI_BACKEND_CUDA_DEVICE_TEXT_H

#include "kernel/text.h"

extern const tni_text tni_device_texts[];
extern const size_t tni_device_text_count;

#endif
