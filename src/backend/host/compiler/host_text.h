/* The text that the build embeds of device/: what comes before every program of the host. */
#ifndef TNI_HOST_COMPILER_HOST_TEXT_H
#define TNI_HOST_COMPILER_HOST_TEXT_H

#include <stddef.h>

typedef struct tni_host_text {
    const char *name;
    const char *text;
    size_t length; /* bytes */
} tni_host_text;

/* By name. */
extern const tni_host_text tni_host_texts[];
extern const size_t tni_host_text_count;

#endif
