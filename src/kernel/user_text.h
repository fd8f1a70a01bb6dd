/* The text that the build embeds of text/, and of src/ops what that includes: what programs of both
 * backends may include. */
#ifndef TNI_KERNEL_USER_TEXT_H
#define TNI_KERNEL_USER_TEXT_H

#include "kernel/text.h"

extern const tni_text tni_user_texts[];
extern const size_t tni_user_text_count;

/* By what name a program includes each text. */
typedef struct tni_user_header {
    const char *name, *text;
} tni_user_header;
enum { TNI_USER_HEADERS = 12 };
extern const tni_user_header tni_user_headers[TNI_USER_HEADERS];

/* What stands before a program in which the words of cuComplex.h mean complex<T>. */
extern const char tni_user_translation[];

/* One by its name; NULL: there is none. */
const tni_text *tni_user_text_find(const char *name);

#endif
