/* The forms "peak_bases", "peak_widths" and "peak_ends" on CUDA: a warp a peak. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "forms/samples.h"

enum { BLOCK = 128, WARP = 32, BLOCKS_PER_MULTIPROCESSOR = 32 };

static const tni_peak_bases_form bases_form = TNI_FORM(peak_bases, NULL);
static const tni_peak_ends_form ends_form = TNI_FORM(peak_ends, NULL);
static const tni_peak_widths_form widths_form = TNI_FORM(peak_widths, NULL);

static void plan_warps(tni_plan *plan, int64_t number) {
    const int64_t most = (int64_t)plan->target->multiprocessors * BLOCKS_PER_MULTIPROCESSOR;
    tni_plan_grid(plan, tni_form_min(tni_form_ceil(number, BLOCK / WARP), most), BLOCK);
}

tn_status tni_plan_peak_bases(tni_plan *plan, const tni_peak_bases *call) {
    const tni_peak_values *of = &call->of;
    TNI_STEP(plan, peak_bases, &bases_form, MACROS(.BLOCK = BLOCK, .PART = TN_PEAK_PART),
             PARAMS(.values = of->values, .lows = of->lows, .highs = of->highs,
                    .peaks = call->peaks, .prominences = call->prominences, .left = call->left,
                    .right = call->right, .count = of->count, .parts = of->parts,
                    .number = call->number, .reach = call->reach));
    plan_warps(plan, call->number);
    return TN_OK;
}

tn_status tni_plan_peak_ends(tni_plan *plan, const tni_peak_ends *call) {
    TNI_STEP(plan, peak_ends, &ends_form, MACROS(.BLOCK = BLOCK, .PART = TN_PEAK_PART),
             PARAMS(.values = call->values, .places = call->places, .ends = call->ends,
                    .count = call->count, .number = call->number));
    plan_warps(plan, call->number);
    return TN_OK;
}

tn_status tni_plan_peak_widths(tni_plan *plan, const tni_peak_widths *call) {
    const tni_peak_values *of = &call->of;
    TNI_STEP(plan, peak_widths, &widths_form, MACROS(.BLOCK = BLOCK, .PART = TN_PEAK_PART),
             PARAMS(.values = of->values, .lows = of->lows, .peaks = call->peaks,
                    .left = call->left, .right = call->right, .prominences = call->prominences,
                    .widths = call->widths, .heights = call->heights,
                    .left_places = call->left_places, .right_places = call->right_places,
                    .count = of->count, .parts = of->parts, .number = call->number,
                    .relative = call->relative));
    plan_warps(plan, call->number);
    return TN_OK;
}
