/* The plan of a reduction that other forms share. */
#ifndef TNI_CUDA_FORMS_REDUCE_H
#define TNI_CUDA_FORMS_REDUCE_H

#include "backend/cuda/forms/plan.h"
#include "forms/kernel.h"

/* One reduction: `call` with the fold's kind apart, so that argument reductions come the same
 * way. */
tn_status tni_plan_fold(tni_plan *plan, const tni_reduce *call, int kind);

/* How the form of rows folds contiguous ones that begin aligned. */
typedef struct tni_row_geometry {
    int width;      /* elements of a load */
    int team;       /* threads of a row */
    int unroll;     /* loads of a thread that are folded together */
    int64_t shares; /* blocks of a row */
} tni_row_geometry;
/* False where such rows are not folded by that form. `item`: bytes of an element. */
bool tni_fold_find_geometry(tni_row_geometry *geometry, const tni_target *target, int kind,
                            int item, int64_t rows, int64_t length);
int tni_fold_kind_of(tni_statistic statistic);

#endif
