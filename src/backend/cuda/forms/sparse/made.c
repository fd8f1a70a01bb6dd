/* What is counted first and then written, on CUDA: chosen rows, united neighbours, merged rows. */
#include "backend/cuda/forms/sparse/csr.h"

#include "forms/elementwise.h"

#include <string.h>

static const tni_csr_choose_form choose_form = TNI_FORM(csr_choose, NULL);
static const tni_csr_heads_form heads_form = TNI_FORM(csr_heads, NULL);
static const tni_csr_ends_form ends_form = TNI_FORM(csr_ends, NULL);
static const tni_csr_unite_form unite_form = TNI_FORM(csr_unite, tni_csr_write);
static const tni_csr_merge_form merge_form = TNI_FORM(csr_merge, tni_csr_write);

static void write_kept(tni_source *source, const tni_form_key *key) {
    const tn_dtype dtype = (tn_dtype)key->dtypes[0];
    const bool is_complex = tn_dtype_kind(dtype) == TN_KIND_COMPLEX;
    tni_source_add(source,
                   "typedef %s Value;\n"
                   "__device__ __forceinline__ bool csr_is_zero(Value a) { return %s; }\n",
                   tni_body_working(dtype), is_complex ? "a.re == 0 && a.im == 0" : "a == 0");
}

static const tni_csr_keep_form keep_form = TNI_FORM(csr_keep, write_kept);

/* --- Chosen rows --- */

static void plan_choose(tni_plan *plan, const tni_csr_rows *call, int phase, const char *lengths) {
    TNI_STEP(plan, csr_choose, &choose_form,
             MACROS(.BLOCK = TNI_CSR_BLOCK, .WIDE = call->is_wide, .UNIT_BYTES = call->item,
                    .PHASE = phase),
             PARAMS(.starts = call->a.starts, .indices = call->a.indices, .values = call->a.values,
                    .a_rows = call->a.rows, .a_count = call->a.count, .chosen = call->chosen,
                    .rows = call->rows, .first = call->first, .step = call->step,
                    .lengths = lengths, .to_starts = call->to.starts, .count = call->to.count,
                    .to_indices = call->to.indices, .to_values = call->to.values,
                    .text = TNI_CSR_TEXT));
    tni_csr_grid(plan, phase ? call->to.count : call->rows);
}

tn_status tni_plan_csr_rows(tni_plan *plan, const tni_csr_rows *call) {
    if (call->to.starts) {
        if (call->to.count) plan_choose(plan, call, 1, NULL);
        return TN_OK;
    }
    tni_plan_clear(plan, call->to.ends, sizeof *call->to.ends);
    if (call->rows == 0) return TN_OK;
    const char *lengths = tni_plan_scratch(plan, call->rows * 8, -1);
    plan_choose(plan, call, 0, lengths);
    return tni_csr_plan_sums(plan, TN_I64, lengths, (char *)(call->to.ends + 1), call->rows);
}

/* --- United neighbours --- */

static void plan_heads(tni_plan *plan, const tni_csr_unite *call, int phase, const char *flags) {
    TNI_STEP(plan, csr_heads, &heads_form,
             MACROS(.BLOCK = TNI_CSR_BLOCK, .WIDE = call->is_wide, .PHASE = phase),
             PARAMS(.starts = call->a.starts, .indices = call->a.indices, .rows = call->a.rows,
                    .count = call->a.count, .flags = flags, .text = TNI_CSR_TEXT));
    tni_csr_grid(plan, phase ? call->a.rows : call->a.count);
}

static void plan_ends(tni_plan *plan, const tni_csr *a, const tni_csr *b, bool is_wide,
                      const char *places, int64_t *ends) {
    TNI_STEP(plan, csr_ends, &ends_form, MACROS(.BLOCK = TNI_CSR_BLOCK, .WIDE = is_wide),
             PARAMS(.starts = a->starts, .beside = b ? b->starts : NULL, .places = places,
                    .rows = a->rows, .count = a->count + (b ? b->count : 0), .ends = ends,
                    .text = TNI_CSR_TEXT));
    tni_csr_grid(plan, a->rows + 1);
}

tn_status tni_plan_csr_unite(tni_plan *plan, const tni_csr_unite *call) {
    const int64_t count = call->a.count;
    char *places = tni_plan_scratch(plan, tni_csr_room(count, 8) + count + 8, -1);
    char *flags = places + tni_csr_room(count, 8);
    if (count) {
        plan_heads(plan, call, 0, flags);
        if (call->a.rows) plan_heads(plan, call, 1, flags);
    }
    TNI_TRY(tni_csr_plan_sums(plan, TN_U8, flags, places, count));
    if (!call->to.starts) {
        plan_ends(plan, &call->a, NULL, call->is_wide, places, call->to.ends);
        return TN_OK;
    }
    if (count == 0) return TN_OK;
    TNI_STEP(plan, csr_unite, &unite_form, MACROS(.BLOCK = TNI_CSR_BLOCK, .WIDE = call->is_wide),
             PARAMS(.starts = call->a.starts, .indices = call->a.indices, .values = call->a.values,
                    .flags = flags, .places = places, .rows = call->a.rows, .count = count,
                    .to_count = call->to.count, .to_indices = call->to.indices,
                    .to_values = call->to.values))
        ->dtypes[0] = (int8_t)call->dtype;
    tni_plan_grid(plan, tni_form_ceil(count, TNI_CSR_BLOCK), TNI_CSR_BLOCK);
    return TN_OK;
}

/* --- Merged rows --- */

/* The elements of both matrices, each in a place of its own. */
typedef struct merging {
    const tni_csr_merge *call;
    int64_t count;
    char *places, *flags, *indices, *x, *y, *results;
} merging;

static void take_memory(merging *m, tni_plan *plan) {
    const int64_t item = tn_dtype_size(m->call->dtype);
    const int64_t longs = tni_csr_room(m->count, 8), flags = tni_csr_room(m->count, 1);
    const int64_t indices = tni_csr_room(m->count, tni_csr_index_bytes(m->call->is_wide));
    const int64_t values = tni_csr_room(m->count, item);
    const int64_t results = tni_csr_room(m->count, tn_dtype_size(m->call->result_dtype));
    m->places = tni_plan_scratch(plan, longs + flags + indices + 2 * values + results + 8, 0);
    m->flags = m->places + longs;
    m->indices = m->flags + flags;
    m->x = m->indices + indices;
    m->y = m->x + values;
    m->results = m->y + values;
}

static void plan_merge(tni_plan *plan, const merging *m) {
    const tni_csr_merge *call = m->call;
    tni_form_key *key = TNI_STEP(
        plan, csr_merge, &merge_form, MACROS(.BLOCK = TNI_CSR_BLOCK, .WIDE = call->is_wide),
        PARAMS(.a_starts = call->a.starts, .a_indices = call->a.indices, .a_values = call->a.values,
               .a_count = call->a.count, .b_starts = call->b.starts, .b_indices = call->b.indices,
               .b_values = call->b.values, .b_count = call->b.count, .rows = call->a.rows,
               .columns = call->a.columns, .indices = m->indices, .x = m->x, .y = m->y,
               .flags = m->flags, .text = TNI_CSR_TEXT));
    key->dtypes[0] = (int8_t)call->dtype;
    tni_csr_grid(plan, m->count);
}

static tn_status plan_operation(tni_plan *plan, const merging *m) {
    char *const data[3] = {m->x, m->y, m->results};
    tni_elementwise call;
    memset(&call, 0, sizeof call);
    call.op = (tn_op)m->call->op;
    call.dtype = m->call->dtype;
    call.input_count = 2;
    call.output_count = call.ndim = 1;
    call.size = call.shape[0] = m->count;
    for (int k = 0; k < 3; k++) {
        tni_argument *argument = &call.arguments[k];
        argument->dtype = argument->loop_dtype = k < 2 ? m->call->dtype : m->call->result_dtype;
        argument->strides[0] = tn_dtype_size(argument->dtype);
        argument->data = data[k];
    }
    return tni_plan_elementwise(plan, &call);
}

static void plan_keep(tni_plan *plan, const merging *m, int phase) {
    const tni_csr_merge *call = m->call;
    tni_form_key *key = TNI_STEP(
        plan, csr_keep, &keep_form,
        MACROS(.BLOCK = TNI_CSR_BLOCK, .WIDE = call->is_wide, .PHASE = phase),
        PARAMS(.indices = m->indices, .values = m->results, .flags = m->flags, .places = m->places,
               .count = m->count, .to_indices = call->to.indices, .to_values = call->to.values));
    key->dtypes[0] = (int8_t)call->result_dtype;
    tni_plan_grid(plan, tni_form_ceil(m->count, TNI_CSR_BLOCK), TNI_CSR_BLOCK);
}

tn_status tni_plan_csr_merge(tni_plan *plan, const tni_csr_merge *call) {
    merging m = {.call = call, .count = call->a.count + call->b.count};
    take_memory(&m, plan);
    if (m.count) {
        plan_merge(plan, &m);
        TNI_TRY(plan_operation(plan, &m));
        plan_keep(plan, &m, 0);
        TNI_TRY(tni_csr_plan_sums(plan, TN_U8, m.flags, m.places, m.count));
        plan_keep(plan, &m, 1);
    }
    plan_ends(plan, &call->a, &call->b, call->is_wide, m.places, call->to.ends);
    return TN_OK;
}
