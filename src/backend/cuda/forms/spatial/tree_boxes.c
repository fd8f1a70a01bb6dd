/* The form "tree_boxes" on CUDA: a block a subtree, in a few launches from the leaves up. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "forms/spatial.h"

enum { BLOCK = 256, LEVELS_AT_ONCE = 8 };

static const tni_tree_boxes_form form = TNI_FORM(tree_boxes, NULL);

tn_status tni_plan_tree_boxes(tni_plan *plan, const tni_tree_boxes *call) {
    const tni_tree *tree = &call->tree;
    int bottom = tree->levels, top;
    do {
        top = bottom > LEVELS_AT_ONCE ? bottom - LEVELS_AT_ONCE : 0;
        TNI_STEP(plan, tree_boxes, &form, MACROS(.BLOCK = BLOCK),
                 PARAMS(.points = tree->points, .boxes = call->boxes, .count = tree->count,
                        .axes = tree->axes, .levels = tree->levels, .top = top, .bottom = bottom));
        tni_plan_grid(plan, (int64_t)1 << top, BLOCK);
        bottom = top - 1;
    } while (top > 0);
    return TN_OK;
}
