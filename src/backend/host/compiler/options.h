/* The options of a program, as the system's compiler takes them. */
#ifndef TNI_HOST_COMPILER_OPTIONS_H
#define TNI_HOST_COMPILER_OPTIONS_H

#include "core/base/error.h"
#include "forms/kernel.h"
#include "kernel/source.h"

enum { TNI_HOST_OPTIONS_MAX = 200 };

typedef struct tni_host_options {
    const char *list[TNI_HOST_OPTIONS_MAX];
    int count;
    bool is_checked; /* each access of memory is judged */
} tni_host_options;

/* Ours, then the program's: folders as they are, what has a meaning here by its meaning, what GPUs
 * alone have left out. Macros become lines of text in `macros`, to stand after the runtime, which
 * they would change otherwise. Another option is TN_ERROR_COMPILE with its name. */
tn_status tni_host_options_read(tni_host_options *options, tni_source *macros,
                                const tni_program_text *text);

/* Makes a kernel of them that is checked. */
void tni_host_options_check(tni_host_options *options);

#endif
