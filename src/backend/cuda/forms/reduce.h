/* What reduce.c gives to other files. */
#ifndef TNI_CUDA_FORMS_REDUCE_H
#define TNI_CUDA_FORMS_REDUCE_H

#include "forms/reduce.h"

#include <tenorite/linalg.h>

/* One reduction as the forms get it: `call` with the fold's kind apart, so that argument reductions
 * come the same way. */
tn_status tni_fold_run(const tni_reduce *call, int kind, tn_stream *stream);

#endif
