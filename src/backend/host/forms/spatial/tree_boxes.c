/* The form "tree_boxes" on the host: subtrees are shared out, then the levels above them follow. */
#include "backend/host/forms/forms.h"
#include "backend/host/forms/spatial/tree.h"
#include "backend/host/threads.h"

enum { TOP_LEVELS = 7 };

typedef struct boxing {
    const tni_tree_boxes *call;
    tn_tree_view view;
    int top; /* the level of the subtrees */
} boxing;

static double *box_of(const boxing *b, int64_t node) {
    return b->call->boxes + node * 2 * b->view.axes;
}

static void widen(double *box, const double *low, const double *high, int axes) {
    for (int k = 0; k < axes; k++) {
        if (low[k] < box[k]) box[k] = low[k];
        if (high[k] > box[axes + k]) box[axes + k] = high[k];
    }
}

/* Of a leaf. */
static void cover_points(const boxing *b, int64_t node) {
    const int axes = b->view.axes;
    double *box = box_of(b, node);
    const int64_t begin = m_tree_start(&b->view, (tn_u32)node, b->view.levels);
    const int64_t end = m_tree_start(&b->view, (tn_u32)node + 1, b->view.levels);
    for (int k = 0; k < axes; k++)
        box[k] = INFINITY, box[axes + k] = -INFINITY;
    for (int64_t i = begin; i < end; i++)
        widen(box, b->view.points + i * axes, b->view.points + i * axes, axes);
}

/* Of a node whose children are done. */
static void cover_children(const boxing *b, int64_t node) {
    const int axes = b->view.axes;
    double *box = box_of(b, node);
    const double *left = box_of(b, 2 * node), *right = box_of(b, 2 * node + 1);
    memcpy(box, left, 2 * (size_t)axes * sizeof *box);
    widen(box, right, right + axes, axes);
}

static void cover_subtrees(void *context, int64_t begin, int64_t end) {
    const boxing *b = context;
    for (int64_t root = begin; root < end; root++)
        for (int level = b->view.levels; level >= b->top; level--) {
            const int64_t first = (root + ((int64_t)1 << b->top)) << (level - b->top);
            const int64_t last = first + ((int64_t)1 << (level - b->top));
            for (int64_t node = first; node < last; node++)
                (level == b->view.levels ? cover_points : cover_children)(b, node);
        }
}

tn_status tni_host_run_tree_boxes(void *parameters) {
    const tni_tree_boxes *call = parameters;
    boxing b = {.call = call, .view = tni_host_tree_view(&call->tree, 2)};
    b.top = b.view.levels < TOP_LEVELS ? b.view.levels : TOP_LEVELS;
    memset(call->boxes, 0, 2 * (size_t)b.view.axes * sizeof *call->boxes);
    const int64_t roots = (int64_t)1 << b.top;
    tni_parallel_units(roots, (b.view.count / roots + 1) * b.view.axes, cover_subtrees, &b);
    for (int64_t node = roots - 1; node >= 1; node--)
        cover_children(&b, node);
    return TN_OK;
}

TNI_HOST_PLAN(tree_boxes, call->tree.count * call->tree.axes)
