/* The forms "tree_query" and "tree_ball" on CUDA: a thread a row. */
#include "ops/tree.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "forms/spatial.h"

enum {
    BLOCK = 128,
    AXES_MOST = 4,    /* that a program is made for */
    NEAREST_MOST = 16 /* that registers are there for */
};

static const tni_tree_query_form query_form = TNI_FORM(tree_query, NULL);
static const tni_tree_ball_form ball_form = TNI_FORM(tree_ball, NULL);

static int16_t axes_of(const tni_tree *tree) {
    return (int16_t)(tree->axes <= AXES_MOST ? tree->axes : 0);
}

/* 1, 2, 4, 8, 16, or 0 for more. */
static int16_t nearest_of(int64_t k) {
    int16_t nearest = 1;
    while (nearest < k && nearest <= NEAREST_MOST)
        nearest = (int16_t)(2 * nearest);
    return nearest <= NEAREST_MOST ? nearest : 0;
}

tn_status tni_plan_tree_query(tni_plan *plan, const tni_tree_query *call) {
    const tni_tree *tree = &call->tree;
    const int norm = m_tree_norm(call->p);
    TNI_STEP(plan, tree_query, &query_form,
             MACROS(.BLOCK = BLOCK, .AXES = axes_of(tree), .NORM = (int16_t)norm,
                    .PERIODIC = tree->periods != NULL, .NEAREST = nearest_of(call->k)),
             PARAMS(.points = tree->points, .boxes = tree->boxes, .periods = tree->periods,
                    .x = call->x, .order = tree->order, .turns = call->turns,
                    .distances = call->distances, .numbers = call->numbers, .count = tree->count,
                    .axes = tree->axes, .levels = tree->levels, .rows = call->rows, .k = call->k,
                    .p = call->p, .limit = m_tree_power(call->bound, norm, call->p),
                    .stretch = m_tree_power(1 + call->eps, norm, call->p)));
    tni_plan_grid(plan, tni_form_ceil(call->rows, BLOCK), BLOCK);
    return TN_OK;
}

tn_status tni_plan_tree_ball(tni_plan *plan, const tni_tree_ball *call) {
    const tni_tree *tree = &call->tree;
    TNI_STEP(plan, tree_ball, &ball_form,
             MACROS(.BLOCK = BLOCK, .AXES = axes_of(tree), .NORM = (int16_t)m_tree_norm(call->p),
                    .PERIODIC = tree->periods != NULL),
             PARAMS(.points = tree->points, .boxes = tree->boxes, .periods = tree->periods,
                    .x = call->x, .radii = call->radii, .weights = call->weights,
                    .order = tree->order, .turns = call->turns, .only_after = call->only_after,
                    .starts = call->starts, .counts = call->counts, .numbers = call->numbers,
                    .sums = call->sums, .distances = call->distances, .count = tree->count,
                    .axes = tree->axes, .levels = tree->levels, .rows = call->rows,
                    .total = call->total, .p = call->p));
    tni_plan_grid(plan, tni_form_ceil(call->rows, BLOCK), BLOCK);
    return TN_OK;
}
