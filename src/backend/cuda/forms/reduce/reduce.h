/* The plan of a reduction that other forms share. */
#ifndef TNI_CUDA_FORMS_REDUCE_H
#define TNI_CUDA_FORMS_REDUCE_H

#include "backend/cuda/forms/plan.h"
#include "forms/kernel.h"

/* One reduction: `call` with the fold's kind apart, so that argument reductions come the same
 * way. */
tn_status tni_plan_fold(tni_plan *plan, const tni_reduce *call, int kind);

/* How rows are folded. */
typedef struct tni_row_geometry {
    bool is_short;  /* by a thread each, `unroll` elements at once */
    bool skips;     /* rows may begin within a vector, which lies at a multiple of its bytes */
    int width;      /* elements of a load */
    int team;       /* threads of a row */
    int unroll;     /* loads of a thread that are folded together */
    int64_t shares; /* blocks of a row */
} tni_row_geometry;
/* Of a new array. `item`: bytes of an element; with `is_permuted` its rows' results lie in another
 * order than they do. */
void tni_fold_find_geometry(tni_row_geometry *geometry, const tni_target *target, int kind,
                            int item, int64_t rows, int64_t length, bool is_permuted);
/* Of an array that is there, a call without mask and body whose axes are collapsed; false: it is
 * not folded by rows. */
bool tni_fold_find_geometry_of(tni_row_geometry *geometry, const tni_target *target, int kind,
                               const tni_reduce *call);
int tni_fold_kind_of(tni_statistic statistic);

#endif
