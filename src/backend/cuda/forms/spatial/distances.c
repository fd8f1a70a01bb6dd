/* The form "distances" on CUDA: a block a tile of pairs; a thread a pair of a quadratic form. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "forms/spatial.h"

enum { BLOCK = 256, TILE = 64 };

static void write_type(tni_source *source, const tni_form_key *key) {
    tni_source_add(source, "typedef %s T;\n", tni_body_stored((tn_dtype)key->dtypes[0]));
}

static const tni_distances_form form = TNI_FORM(distances, write_type);
static const tni_distances_quadratic_form quadratic_form =
    TNI_FORM(distances_quadratic, write_type);

static void plan_quadratic(tni_plan *plan, const tni_distances *call) {
    tni_form_key *key =
        TNI_STEP(plan, distances_quadratic, &quadratic_form,
                 MACROS(.BLOCK = BLOCK, .END = call->end, .PAIRS = call->b == NULL),
                 PARAMS(.a = call->a, .b = call->b, .matrix = call->weights, .output = call->output,
                        .count_a = call->count_a, .count_b = call->count_b,
                        .columns = call->columns, .scale = call->scale));
    key->dtypes[0] = (int8_t)call->dtype;
    tni_plan_grid(plan, tni_form_ceil(call->count_a * call->count_b, BLOCK), BLOCK);
}

tn_status tni_plan_distances(tni_plan *plan, const tni_distances *call) {
    const int64_t tiles_b = tni_form_ceil(call->count_b, TILE);
    if (call->sum == TN_SUM_QUADRATIC) {
        plan_quadratic(plan, call);
        return TN_OK;
    }
    tni_form_key *key =
        TNI_STEP(plan, distances, &form,
                 MACROS(.BLOCK = BLOCK, .SUM = call->sum, .END = call->end,
                        .WEIGHTED = call->weights != NULL, .NORM = call->norm,
                        .PAIRS = call->b == NULL, .STRETCH = TNI_METRIC_STRETCH),
                 PARAMS(.a = call->a, .b = call->b, .weights = call->weights,
                        .output = call->output, .count_a = call->count_a, .count_b = call->count_b,
                        .columns = call->columns, .tiles_b = tiles_b, .p = call->p,
                        .scale = call->scale, .total = call->total, .inverse = 1 / call->p));
    key->dtypes[0] = (int8_t)call->dtype;
    tni_plan_grid(plan, tni_form_ceil(call->count_a, TILE) * tiles_b, BLOCK);
    return TN_OK;
}
