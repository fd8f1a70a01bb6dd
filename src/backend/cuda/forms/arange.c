/* Ranges on CUDA. */
#include "forms/arange.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"

enum { BLOCK = 256 };

/* Integers wrap in the unsigned type of their width; parts of complex numbers are stored one by
 * one. */
static void write_body(tni_source *source, const tni_form_key *key) {
    static const char *const unsigned_of[] = {
        [1] = "tn_u8", [2] = "tn_u16", [4] = "tn_u32", [8] = "tn_u64"};
    tn_dtype dtype = (tn_dtype)key->dtypes[0];
    bool is_integer = dtype < TN_F16, is_complex = tn_dtype_kind(dtype) == TN_KIND_COMPLEX;
    tn_dtype part = tn_dtype_real(dtype);
    const char *type = is_integer ? unsigned_of[tn_dtype_size(dtype)] : tni_body_working(part);
    const char *stored = is_integer ? type : tni_body_stored(part);
    tni_source_add(source, "typedef %s Stored;\ntypedef %s Part;\n", stored, type);
    tni_source_define(source, "PARTS", " %d", is_complex ? 2 : 1);
    tni_source_define(source, "RANGE_INTEGER", " %d", is_integer);
    if (is_integer)
        tni_source_add(source, "__device__ __forceinline__ Stored range_store(Part x) {\n"
                               "    return x;\n}\n");
    else
        tni_body_add_store(source, "range_store", part, part);
}

static const tni_arange_form form = TNI_FORM(arange, write_body);

tn_status tni_plan_arange(tni_plan *plan, const struct tni_arange *call) {
    if (call->count == 0) return TN_OK;
    tni_form_key *key =
        TNI_STEP(plan, arange, &form,
                 MACROS(.BLOCK = BLOCK, .RANGE_LINSPACE = call->is_linspace, .WIDE_INDEX = 0),
                 PARAMS(.to = call->to, .count = call->count,
                        .start = TNI_BYTES(&call->start, sizeof call->start),
                        .step = TNI_BYTES(&call->step, sizeof call->step),
                        .last = TNI_BYTES(&call->last, sizeof call->last), .divisor = call->divisor,
                        .has_last = call->has_last, .rounds_down = call->rounds_down));
    key->dtypes[0] = (int8_t)call->dtype;
    int64_t width = 16 / tn_dtype_size(call->dtype);
    int64_t blocks =
        tni_form_min(tni_form_ceil(call->count, BLOCK * width), 32 * plan->target->multiprocessors);
    tni_plan_grid(plan, blocks, BLOCK);
    return TN_OK;
}
