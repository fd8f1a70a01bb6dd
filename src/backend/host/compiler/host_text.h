/* The text that the build embeds of device/: what comes before every program of the host. */
#ifndef TNI_HOST_COMPILER_HOST_TEXT_H
#define TNI_HOST_COMPILER_HOST_TEXT_H

#include "kernel/text.h"

/* In the order in which they stand before a program. */
extern const tni_text tni_host_texts[];
extern const size_t tni_host_text_count;

#endif
