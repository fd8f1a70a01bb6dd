/* The text that the build embeds of text/: what programs of both backends may include. */
#ifndef TNI_KERNEL_USER_TEXT_H
#define TNI_KERNEL_USER_TEXT_H

#include "kernel/text.h"

extern const tni_text tni_user_texts[];
extern const size_t tni_user_text_count;

/* One by its name; NULL: there is none. */
const tni_text *tni_user_text_find(const char *name);

#endif
