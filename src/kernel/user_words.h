/* Looking at the texts of a program: words, and whether brackets are closed. */
#ifndef TNI_KERNEL_USER_WORDS_H
#define TNI_KERNEL_USER_WORDS_H

#include "core/base/error.h"

#include <stdbool.h>

/* TN_ERROR_VALUE for a text that does not end what it begins, or ends what it did not begin: it
 * could leave the function that it is put in. `name` says which text it is. */
tn_status tni_words_check(const char *name, const char *text);

/* Whether one of the words (up to a NULL) stands in the text outside of comments and quotes. */
bool tni_words_have(const char *text, const char *const *words);

/* Whether a word with that beginning stands there. */
bool tni_words_begin(const char *text, const char *beginning);

/* Whether macros or files that are not looked at may add words to a text. */
bool tni_words_are_open(const char *text);

#endif
