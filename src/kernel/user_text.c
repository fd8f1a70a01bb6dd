/* Looking texts up; there are a handful. */
#include "kernel/user_text.h"

#include <string.h>

const tni_text *tni_user_text_find(const char *name) {
    for (size_t k = 0; k < tni_user_text_count; k++)
        if (strcmp(tni_user_texts[k].name, name) == 0) return &tni_user_texts[k];
    return NULL;
}
