/* Some ranks of long rows without sorting the others. */
#ifndef TNI_CUDA_FORMS_SORT_SELECT_H
#define TNI_CUDA_FORMS_SORT_SELECT_H

#include "backend/cuda/forms/plan.h"
#include "forms/sort.h"

enum { TNI_SELECT_PIVOTS = 8, TNI_SELECT_SORTED = 2 };

/* What is selected: the elements of the ranks `pivots` part each row in classes of smaller, equal
 * and larger elements; the ranges `sorted` are then sorted by themselves. */
typedef struct tni_selection {
    int pivot_count, sorted_count;
    int64_t pivots[TNI_SELECT_PIVOTS];
    tni_ranks sorted[TNI_SELECT_SORTED];
    char *elements; /* where positions are given: the rows' elements in the positions' order */
} tni_selection;

/* Whether selecting is less work than sorting; ranges of up to `longest` ranks can be sorted. */
bool tni_selection_choose(tni_selection *s, const tni_sort *call, int64_t longest);
/* Plans to part the rows. */
void tni_plan_parts(tni_plan *plan, tni_selection *s, const tni_sort *call);
/* Plans to sort a range of positions: `order` (i64, packed rows) says which of them comes first. */
void tni_plan_follow(tni_plan *plan, const tni_sort *call, tni_ranks range, const char *order);

#endif
