/* The text of a kernel as loops over threads. */
#ifndef TNI_HOST_COMPILER_SPLIT_WRITE_H
#define TNI_HOST_COMPILER_SPLIT_WRITE_H

#include "backend/host/compiler/split/kernel.h"
#include "kernel/source.h"

/* The body between its braces. */
void tni_split_write(tni_split_kernel *kernel, tni_source *out);

#endif
