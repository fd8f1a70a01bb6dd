/* The programs of reductions. */
#ifndef TNI_KERNEL_TEMPLATES_REDUCTION_TEXT_H
#define TNI_KERNEL_TEMPLATES_REDUCTION_TEXT_H

#include "kernel/source.h"
#include "kernel/templates/resolve.h"

/* What the programs of reductions and their launches agree on: threads of a block on GPUs, totals
 * of a unit of one output on host, bytes of a total where its type is the program's own. */
enum { TNI_REDUCTION_BLOCK = 256, TNI_REDUCTION_LANES = 32, TNI_TOTAL_BYTES = 128 };

/* Bytes of a value, as far as is known: an upper bound where its type is the program's own. */
int64_t tni_reduction_value_bytes(const tni_resolved *call);
/* How many neighbouring outputs a unit on host has at most. */
int tni_reduction_columns(const tni_resolved *call);

/* How a reduction is parted; reduction.cuh has the same. */
typedef struct tni_parts {
    void *totals;
    int64_t elements, length, count, width;
} tni_parts;

/* The program: a kernel of the template's symbol, on host a function over ranges by that name; and
 * tni_finish, which makes outputs of the totals of parts. */
void tni_write_reduction(tni_source *source, const tni_resolved *call);

#endif
