/* A text that the build embeds (tools/embed.py). */
#ifndef TNI_KERNEL_TEXT_H
#define TNI_KERNEL_TEXT_H

#include <stddef.h>

typedef struct tni_text {
    const char *name; /* "scalar.h": what an #include in the text of a program says */
    const char *text; /* ends with a NUL, which is not counted */
    size_t length;    /* bytes */
} tni_text;

#endif
