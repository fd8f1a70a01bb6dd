/* The statements and variables of a kernel. */
#ifndef TNI_HOST_COMPILER_SPLIT_PARSE_H
#define TNI_HOST_COMPILER_SPLIT_PARSE_H

#include "backend/host/compiler/split/kernel.h"

/* Fails (`has_failed`) at what it does not know. */
void tni_split_parse(tni_split_kernel *kernel);

#endif
