/* The form "distance" on CUDA: a scan along the first axis, then a launch for each other axis. Its
 * blocks have a line, or some side by side, in shared memory; lines that are too long for it lie in
 * memory of the launch. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "forms/measure.h"

enum {
    SCAN_BLOCK = 1024,
    SCAN_LANES = 32,
    LEAST_LANES = 8,
    LINE_BLOCK = 256,
    SHARED = 4096,  /* elements of a block's lines in shared memory */
    MOST_LANES = 4, /* a sector of memory */
    LONG_BLOCKS = 4 /* of a multiprocessor, where lines are long */
};

static const tni_distance_scan_form scan_form = TNI_FORM(distance_scan, NULL);
static const tni_distance_lines_form lines_form = TNI_FORM(distance_lines, NULL);

static void plan_scan(tni_plan *plan, const tni_distance *call, int64_t elements) {
    const int64_t length = call->shape[0], columns = elements / length;
    int lanes = 1;
    while (lanes < SCAN_LANES && lanes < columns)
        lanes *= 2;
    /* A block for each multiprocessor, as long as a row of its columns fills a sector. */
    while (lanes > LEAST_LANES && columns / lanes < plan->target->multiprocessors)
        lanes /= 2;
    /* No band without a row, as far as whole warps go. */
    int block = SCAN_BLOCK;
    while (block > 32 && block / lanes > length)
        block /= 2;
    TNI_STEP(plan, distance_scan, &scan_form,
             MACROS(.BLOCK = block, .LANES = lanes, .METRIC = call->metric, .NONE = call->none,
                    .NDIM = call->ndim, .IS_LAST = call->ndim == 1),
             PARAMS(.mask = call->mask, .values = call->distances, .indices = call->indices,
                    .length = length, .columns = columns, .sampling = call->sampling[0],
                    .shape = call->shape, .samplings = call->sampling));
    tni_plan_grid(plan, tni_form_ceil(columns, lanes), block);
}

static void plan_lines(tni_plan *plan, const tni_distance *call, int64_t elements, int axis,
                       int64_t inner) {
    const int64_t length = call->shape[axis];
    int room = 32, lanes = 1;
    while (room < length && room < SHARED)
        room *= 2;
    const bool is_long = room < length;
    while (!is_long && lanes < MOST_LANES && lanes < inner && room * lanes < SHARED)
        lanes *= 2;
    const int64_t side = tni_form_ceil(inner, lanes), tiles = elements / (length * inner) * side;
    const int64_t most = (int64_t)plan->target->multiprocessors * LONG_BLOCKS;
    const int64_t blocks = is_long ? tni_form_min(tiles, most) : tiles;
    char *values = is_long ? tni_plan_scratch(plan, blocks * length * 8, -1) : NULL;
    char *sites = is_long ? tni_plan_scratch(plan, blocks * length * 4, -1) : NULL;
    TNI_STEP(plan, distance_lines, &lines_form,
             MACROS(.BLOCK = LINE_BLOCK, .LANES = lanes, .LENGTH = is_long ? 0 : room,
                    .METRIC = call->metric, .NONE = call->none, .NDIM = call->ndim,
                    .IS_LAST = axis == call->ndim - 1),
             PARAMS(.values = call->distances, .indices = call->indices, .room = values,
                    .sites = sites, .tiles = tiles, .side = side, .length = length, .inner = inner,
                    .axis = axis, .elements = elements, .sampling = call->sampling[axis],
                    .shape = call->shape, .samplings = call->sampling));
    tni_plan_grid(plan, blocks, LINE_BLOCK);
}

/* Axes of one element change no distance; but the last launch finishes. */
tn_status tni_plan_distance(tni_plan *plan, const tni_distance *call) {
    const int64_t elements = tni_image_elements(call->ndim, call->shape);
    int64_t inner = elements / call->shape[0];
    int long_axes = 0;
    for (int axis = 1; axis < call->ndim; axis++)
        long_axes += call->shape[axis] > SHARED;
    if (call->ndim > TNI_PLAN_STEPS || 2 * long_axes > TNI_PLAN_SCRATCH)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED,
                 "distances of %d axes, %d of them longer than %d, are not implemented on cuda",
                 call->ndim, long_axes, SHARED);
    plan_scan(plan, call, elements);
    for (int axis = 1; axis < call->ndim; axis++) {
        inner /= call->shape[axis];
        plan_lines(plan, call, elements, axis, inner);
    }
    return TN_OK;
}
