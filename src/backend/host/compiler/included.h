/* The files that a program of the host includes: this library's own, and those of the program,
 * which its -I options find. */
#ifndef TNI_HOST_COMPILER_INCLUDED_H
#define TNI_HOST_COMPILER_INCLUDED_H

#include "backend/host/compiler/options.h"
#include "core/base/error.h"
#include "kernel/headers.h"

typedef struct tni_included_file {
    const char *path, *text;
    size_t length;
    char *owned; /* path and text of a file of the program's */
} tni_included_file;

typedef struct tni_included {
    const tni_host_options *options;
    tni_included_file *files;
    int count, capacity;
    bool has_std; /* headers of cuda::std are among what is included */
} tni_included;

void tni_included_init(tni_included *included, const tni_host_options *options);

/* Reads what a text of the program includes, and what that includes. Which of it the preprocessor
 * leaves out is not known, so that a file that can't be read is no error. */
tn_status tni_included_read(tni_included *included, const char *text, size_t length);
void tni_included_deinit(tni_included *included);

/* The number of the file that the file numbered `from` includes, -1 for the program itself; -1: it
 * is none of them. */
int tni_included_find(const tni_included *included, const tni_include *include, int from);

/* Whether a text of the host's own is before a program only if that includes it. */
bool tni_host_text_is_included(const tni_text *text);

#endif
