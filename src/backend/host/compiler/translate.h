/* A program in CUDA C++ as one that the system's C++ compiler takes. */
#ifndef TNI_HOST_COMPILER_TRANSLATE_H
#define TNI_HOST_COMPILER_TRANSLATE_H

#include "core/base/error.h"
#include "forms/kernel.h"
#include "kernel/source.h"

/* Writes the whole program: the runtime's text, the program's own with its line numbers, and a
 * table of its kernels. `macros` are lines that stand before the program's. `has_shared`: it has
 * dynamic shared memory. `splits`: whether kernels may be rewritten as loops over their threads; on
 * return, whether one was. */
tn_status tni_host_translate(tni_source *out, bool *has_shared, bool *splits,
                             const tni_program_text *text, const tni_source *macros);

#endif
