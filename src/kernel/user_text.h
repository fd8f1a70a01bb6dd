/* The text that the build embeds of text/: what programs of both backends may include. */
#ifndef TNI_KERNEL_USER_TEXT_H
#define TNI_KERNEL_USER_TEXT_H

#include <stddef.h>

typedef struct tni_user_text {
    const char *name;
    const char *text;
    size_t length; /* bytes */
} tni_user_text;

extern const tni_user_text tni_user_texts[];
extern const size_t tni_user_text_count;

/* One by its name; NULL: there is none. */
const tni_user_text *tni_user_text_find(const char *name);

#endif
