/* A program in CUDA C++ as one that the system's C++ compiler takes. */
#ifndef TNI_HOST_COMPILER_TRANSLATE_H
#define TNI_HOST_COMPILER_TRANSLATE_H

#include "backend/host/compiler/included.h"
#include "core/base/error.h"
#include "forms/kernel.h"
#include "kernel/source.h"

typedef struct tni_rewriting {
    bool splits;  /* kernels as loops over their threads */
    bool divides; /* divisions of integers, as a GPU divides */
} tni_rewriting;

/* Zero is empty. */
typedef struct tni_translation {
    tni_source main, *files; /* file k is included as TNI_COMPILER_INCLUDED with k */
    int file_count;
    bool has_shared; /* dynamic shared memory */
    tni_rewriting done;
} tni_translation;

/* Writes the whole program: the runtime's text, the program's own with its line numbers, and a
 * table of its kernels. `macros` are lines that stand before the program's. `allowed`: what may be
 * rewritten of the program's own texts. */
tn_status tni_host_translate(tni_translation *result, const tni_rewriting *allowed,
                             const tni_program_text *text, const tni_source *macros,
                             const tni_included *included);
void tni_translation_deinit(tni_translation *translation);

#endif
