/* The form "extent" on CUDA: blocks write their ends, one more block those of all. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "forms/samples.h"

enum { BLOCK = 256, BLOCKS_PER_MULTIPROCESSOR = 8, VALUES = 8, PAIR_BYTES = 16 };
enum { OF_VALUES, OF_ENDS };

/* dtypes[]: of the values, of the ends. */
static void write_body(tni_source *source, const tni_form_key *key) {
    const tn_dtype stored = (tn_dtype)key->dtypes[0], working = (tn_dtype)key->dtypes[1];
    tni_source_add(source, "typedef %s Stored;\ntypedef %s Working;\n", tni_body_stored(stored),
                   tni_body_working(working));
    tni_body_add_load(source, "extent_load", stored, working);
}

static const tni_extent_form form = TNI_FORM(extent, write_body);

static void plan_phase(tni_plan *plan, int phase, tn_dtype stored, tn_dtype working,
                       const char *values, char *ends, int64_t count, int64_t stride,
                       int64_t blocks) {
    tni_form_key *key =
        TNI_STEP(plan, extent, &form, MACROS(.BLOCK = BLOCK, .PHASE = phase, .WIDE_INDEX = 1),
                 PARAMS(.values = values, .ends = ends, .count = count, .stride = stride));
    key->dtypes[0] = (int8_t)stored;
    key->dtypes[1] = (int8_t)working;
    tni_plan_grid(plan, blocks, BLOCK);
}

tn_status tni_plan_extent(tni_plan *plan, const tni_extent *call) {
    const tn_dtype working = tni_extent_dtype(call->dtype);
    const int64_t blocks =
        tni_form_min(tni_form_ceil(call->count, BLOCK * VALUES),
                     (int64_t)plan->target->multiprocessors * BLOCKS_PER_MULTIPROCESSOR);
    char *ends = blocks == 1 ? call->result : tni_plan_scratch(plan, blocks * PAIR_BYTES, -1);
    plan_phase(plan, OF_VALUES, call->dtype, working, call->values, ends, call->count, call->stride,
               blocks);
    if (blocks > 1)
        plan_phase(plan, OF_ENDS, working, working, ends, call->result, 2 * blocks, PAIR_BYTES / 2,
                   1);
    return TN_OK;
}
