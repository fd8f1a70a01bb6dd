/* The form "label" on CUDA: a forest over the elements, whose trees neighbours unite, first in
 * tiles, then numbers of the roots. The number of launches depends on the structure alone. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "forms/measure.h"

enum {
    BLOCK = 256,
    ELEMENTS = 4,      /* of a thread, where each is read once */
    TILES = 2048,      /* of roots, at most */
    TILE_LEAST = 2048, /* elements */
    STEPS = 64,        /* to neighbours, of one launch */
    FEW_STEPS = 8,
    SIDE = 32,         /* of a tile */
    LENGTH_LEAST = 16, /* of the lines of tiles */
    AXES = 31,         /* for which a code has room */
    LAUNCHES = 8       /* that unite */
};

static const tni_label_tiles_form tiles_form = TNI_FORM(label_tiles, NULL);
static const tni_label_runs_form runs_form = TNI_FORM(label_runs, NULL);
static const tni_label_merge_form merge_form = TNI_FORM(label_merge, NULL);
static const tni_label_count_form count_form = TNI_FORM(label_count, NULL);
static const tni_label_number_form number_form = TNI_FORM(label_number, NULL);
static const tni_label_write_form write_form = TNI_FORM(label_write, NULL);

/* Steps to neighbours, as kernels get them. */
typedef struct steps {
    int count;
    int64_t offsets[LAUNCHES * STEPS];
    uint64_t codes[LAUNCHES * STEPS];
    bool is_joined;
    /* Those to the line before along the last axis but one: 1 back, 2 straight on, 4 ahead. */
    int up;
} steps;

/* Whether two steps differ along the last axis alone. */
static bool is_level(const tni_neighbour *step, const tni_neighbour *level, int ndim) {
    for (int axis = 0; axis < ndim - 1; axis++)
        if (step->at[axis] != level->at[axis]) return false;
    return level->at[ndim - 1] == 0;
}

static void add_step(steps *s, const tni_label *call, const tni_neighbour *step) {
    uint64_t code = 0;
    int64_t offset = 0;
    bool is_along = true, is_planar = call->ndim > 1;
    for (int axis = 0; axis < call->ndim; axis++) {
        code |= (uint64_t)(step->at[axis] + 1) << 2 * axis;
        offset = offset * call->shape[axis] + step->at[axis];
        is_along = is_along && (step->at[axis] == 0 || axis == call->ndim - 1);
        is_planar = is_planar && (step->at[axis] == 0 || axis >= call->ndim - 2);
    }
    if (is_along) {
        s->is_joined = true;
        return;
    }
    for (int k = 0; k < call->step_count; k++)
        if (is_level(step, &call->steps[k], call->ndim)) code |= UINT64_C(1) << 63;
    if (is_planar) {
        code |= UINT64_C(1) << 62;
        s->up |= 1 << (step->at[call->ndim - 1] + 1);
    }
    s->offsets[s->count] = offset;
    s->codes[s->count++] = code;
}

/* Trees within tiles, or, where an image has not the shape, within warps. */
static bool plan_begin(tni_plan *plan, const tni_label *call, const steps *s, char *parents,
                       int64_t count, bool wide) {
    const int64_t length = call->shape[call->ndim - 1], lines = count / length;
    const int64_t across = tni_form_ceil(length, SIDE), tiles = tni_form_ceil(lines, SIDE) * across;
    if (length < LENGTH_LEAST || lines < LENGTH_LEAST) {
        TNI_STEP(plan, label_runs, &runs_form,
                 MACROS(.BLOCK = BLOCK, .WIDE_INDEX = wide, .JOINED = s->is_joined),
                 PARAMS(.mask = call->mask, .parents = parents, .count = count, .length = length));
        tni_plan_grid(plan, tni_form_ceil(count, BLOCK * ELEMENTS), BLOCK);
        return false;
    }
    TNI_STEP(plan, label_tiles, &tiles_form,
             MACROS(.BLOCK = BLOCK, .WIDE_INDEX = wide, .JOINED = s->is_joined),
             PARAMS(.mask = call->mask, .parents = parents, .lines = lines, .length = length,
                    .tiles = tiles, .tiles_in_line = across, .plane = call->shape[call->ndim - 2],
                    .steps = s->up));
    tni_plan_grid(plan, tiles, BLOCK);
    return true;
}

static void plan_merge(tni_plan *plan, const tni_label *call, const steps *s, int first,
                       char *parents, int64_t count, bool wide, bool is_tiled) {
    const int left = s->count - first, some = left < STEPS ? left : STEPS;
    const int room = some <= FEW_STEPS ? FEW_STEPS : STEPS;
    TNI_STEP(plan, label_merge, &merge_form,
             MACROS(.BLOCK = BLOCK, .WIDE_INDEX = wide, .JOINED = s->is_joined, .NDIM = call->ndim,
                    .TILED = is_tiled, .STEPS = room),
             PARAMS(.mask = call->mask, .parents = parents, .count = count, .step_count = some,
                    .axes = call->shape, .offsets = s->offsets + first, .codes = s->codes + first));
    tni_plan_grid(plan, tni_form_ceil(count, BLOCK), BLOCK);
}

/* The roots are counted tile by tile, then numbered. */
static void plan_numbers(tni_plan *plan, const tni_label *call, char *parents, int64_t count,
                         bool wide) {
    int64_t tile = tni_form_ceil(count, TILES);
    tile = tni_form_ceil(tile < TILE_LEAST ? TILE_LEAST : tile, BLOCK) * BLOCK;
    const int64_t tiles = tni_form_ceil(count, tile);
    char *roots = tni_plan_scratch(plan, tiles * 8, -1);
    TNI_STEP(plan, label_count, &count_form, MACROS(.BLOCK = BLOCK, .WIDE_INDEX = wide),
             PARAMS(.parents = parents, .roots = roots, .count = count, .tile = tile));
    tni_plan_grid(plan, tiles, BLOCK);
    TNI_STEP(plan, label_number, &number_form, MACROS(.BLOCK = BLOCK, .WIDE_INDEX = wide),
             PARAMS(.parents = parents, .roots = roots, .total = call->count, .count = count,
                    .tile = tile));
    tni_plan_grid(plan, tiles, BLOCK);
}

tn_status tni_plan_label(tni_plan *plan, const tni_label *call) {
    const int64_t count = tni_image_elements(call->ndim, call->shape);
    const bool wide = tni_form_is_wide(count);
    steps s;
    s.count = 0;
    s.is_joined = false;
    s.up = 0;
    if (call->ndim >= AXES || call->step_count > LAUNCHES * STEPS)
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED,
                 "labels of %d axes and %d neighbours before each element are not implemented on "
                 "cuda",
                 call->ndim, call->step_count);
    for (int k = 0; k < call->step_count; k++)
        add_step(&s, call, &call->steps[k]);
    char *parents = tni_plan_scratch(plan, count * (wide ? 8 : 4), -1);
    const bool is_tiled = plan_begin(plan, call, &s, parents, count, wide);
    for (int first = 0; first < s.count || first == 0; first += STEPS)
        plan_merge(plan, call, &s, first, parents, count, wide, is_tiled);
    plan_numbers(plan, call, parents, count, wide);
    TNI_STEP(plan, label_write, &write_form,
             MACROS(.BLOCK = BLOCK, .WIDE_INDEX = wide, .WIDE_LABEL = call->is_wide),
             PARAMS(.parents = parents, .labels = call->labels, .count = count));
    tni_plan_grid(plan, tni_form_ceil(count, BLOCK), BLOCK);
    return TN_OK;
}
