/* What the host has for the headers that a program includes. */
#ifndef TNI_HOST_COMPILER_KNOWN_HEADERS_H
#define TNI_HOST_COMPILER_KNOWN_HEADERS_H

#include "kernel/text.h"

#include <stdbool.h>

typedef struct tni_host_include {
    const char *name; /* not ended by a NUL */
    size_t length;
    bool is_quoted;
} tni_host_include;

/* The name that a directive includes, from its # on; false: it is no #include of a name. */
bool tni_host_include_read(tni_host_include *result, const char *directive, const char *end);

/* Whether the runtime's text has all that is in the header. */
bool tni_host_include_is_built_in(const tni_host_include *include);

/* The text of this library that a program includes by that name; NULL: there is none. */
const tni_text *tni_host_include_text(const tni_host_include *include);

/* Whether only programs that include it have the text. */
bool tni_host_text_is_included(const tni_text *text);

/* Whether it is a header of what GPUs alone have, as mma.h. */
bool tni_host_include_is_absent(const tni_host_include *include);

/* Whether the compiler's own library has the header of cuda::std, and by what name: "array" for
 * <cuda/std/array>. */
bool tni_host_include_is_std(const tni_host_include *include, tni_host_include *own);

/* Whether a kernel of a program that includes it can be judged by its text: one of the above. */
bool tni_host_include_is_known(const tni_host_include *include);

#endif
