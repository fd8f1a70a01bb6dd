/* The reduction of what ranks have sent (fold.c). */
#ifndef TNI_HOST_COLLECTIVES_FOLD_H
#define TNI_HOST_COLLECTIVES_FOLD_H

#include <tenorite/collective.h>

/* out[i] = parts[0][i] op parts[1][i] ... in the order of ranks; `out` overlaps no part. */
void tni_collective_fold(char *out, const char *const *parts, int count, int64_t elements,
                         tn_dtype dtype, tn_collective_op op);
/* Divides by a number of ranks; integers towards zero. */
void tni_collective_divide(char *out, int count, int64_t elements, tn_dtype dtype);

#endif
