/* A program in CUDA C++ as one that the system's C++ compiler takes. */
#ifndef TNI_HOST_COMPILER_TRANSLATE_H
#define TNI_HOST_COMPILER_TRANSLATE_H

#include "backend/host/compiler/included.h"
#include "core/base/error.h"
#include "forms/kernel.h"
#include "kernel/source.h"

/* Zero is empty. */
typedef struct tni_translation {
    tni_source main, *files; /* file k is included as TNI_COMPILER_INCLUDED with k */
    int file_count;
    bool has_shared; /* dynamic shared memory */
    bool is_split;   /* a kernel was rewritten as loops over its threads */
} tni_translation;

/* Writes the whole program: the runtime's text, the program's own with its line numbers, and a
 * table of its kernels. `macros` are lines that stand before the program's. `splits`: whether
 * kernels may be rewritten. */
tn_status tni_host_translate(tni_translation *result, bool splits, const tni_program_text *text,
                             const tni_source *macros, const tni_included *included);
void tni_translation_deinit(tni_translation *translation);

#endif
