/* Ranges on CUDA. */
#include "forms/arange.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/plan.h"

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
    tni_source_add(source,
                   "typedef %s Stored;\ntypedef %s Part;\n#define PARTS %d\n"
                   "#define RANGE_INTEGER %d\n",
                   stored, type, is_complex ? 2 : 1, is_integer);
    if (is_integer)
        tni_source_add(source, "__device__ __forceinline__ Stored range_store(Part x) {\n"
                               "    return x;\n}\n");
    else
        tni_body_add_store(source, "range_store", part, part);
}

static const tni_form form = {"arange", {"BLOCK", "RANGE_LINSPACE", "WIDE_INDEX"}, write_body, 36};

tn_status tni_plan_arange(tni_plan *plan, const struct tni_arange *call) {
    if (call->count == 0) return TN_OK;
    const int16_t numbers[TNI_FORM_MACROS] = {BLOCK, call->is_linspace};
    tni_form_key *key = tni_plan_step(plan, &form, numbers);
    key->dtypes[0] = (int8_t)call->dtype;
    tni_params_pointer(plan, call->to);
    tni_params_i64(plan, call->count);
    tni_params_put(plan, &call->start, sizeof call->start);
    tni_params_put(plan, &call->step, sizeof call->step);
    tni_params_put(plan, &call->last, sizeof call->last);
    tni_params_f64(plan, call->divisor);
    tni_params_i64(plan, call->has_last);
    tni_params_i64(plan, call->rounds_down);
    int64_t width = 16 / tn_dtype_size(call->dtype);
    int64_t blocks =
        tni_form_min(tni_form_ceil(call->count, BLOCK * width), 32 * plan->target->multiprocessors);
    tni_plan_grid(plan, blocks, BLOCK);
    return TN_OK;
}
