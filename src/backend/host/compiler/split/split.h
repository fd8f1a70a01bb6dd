/* Kernels whose threads run in loops between barriers. */
#ifndef TNI_HOST_COMPILER_SPLIT_H
#define TNI_HOST_COMPILER_SPLIT_H

#include "kernel/source.h"

/* Writes the text of a program with the bodies of kernels rewritten, where that is sound: such a
 * body runs all threads of a block, in a loop of its own for the statements between two barriers.
 * Every other text is written as it is. Lines keep their numbers. `macros` are the lines that will
 * stand before the program, or NULL. False: no kernel was rewritten, and `out` is empty. */
bool tni_host_split(tni_source *out, const char *text, size_t length, const char *macros);

#endif
