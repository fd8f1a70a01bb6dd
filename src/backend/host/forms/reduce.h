/* What reduce.c gives to other files. */
#ifndef TNI_HOST_FORMS_REDUCE_H
#define TNI_HOST_FORMS_REDUCE_H

#include "backend/host/forms/folding.h"

/* Partial results of outputs along one kept axis become elements of the output. */
void tni_folding_finish(const tni_folding *folding, void *parts, int64_t count, char *output,
                        int64_t output_stride);
/* Of an operation on truths: the one that decides, which nothing changes any more; -1: none. */
int tni_deciding_truth(tn_op op);
/* The form reduce, in the calling thread and its helpers. */
tn_status tni_host_reduce_run(const tni_reduce *call);

#endif
