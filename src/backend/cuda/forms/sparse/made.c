/* What is counted first and then written, on CUDA: chosen rows, united neighbours, merged rows. */
#include "backend/cuda/forms/sparse/csr.h"

#include "forms/elementwise.h"

#include <string.h>

static const tni_form choose_form = {
    "csr_choose", {"BLOCK", "WIDE", "UNIT_BYTES", "PHASE"}, NULL, 178};
static const tni_form heads_form = {"csr_heads", {"BLOCK", "WIDE", "PHASE"}, NULL, 179};
static const tni_form ends_form = {"csr_ends", {"BLOCK", "WIDE"}, NULL, 180};
static const tni_form unite_form = {"csr_unite", {"BLOCK", "WIDE"}, tni_csr_write, 181};
static const tni_form merge_form = {"csr_merge", {"BLOCK", "WIDE"}, tni_csr_write, 182};

static void write_kept(tni_source *source, const tni_form_key *key) {
    const tn_dtype dtype = (tn_dtype)key->dtypes[0];
    const bool is_complex = tn_dtype_kind(dtype) == TN_KIND_COMPLEX;
    tni_source_add(source,
                   "typedef %s Value;\n"
                   "__device__ __forceinline__ bool csr_is_zero(Value a) { return %s; }\n",
                   tni_body_working(dtype), is_complex ? "a.re == 0 && a.im == 0" : "a == 0");
}

static const tni_form keep_form = {"csr_keep", {"BLOCK", "WIDE", "PHASE"}, write_kept, 183};

/* --- Chosen rows --- */

static void plan_choose(tni_plan *plan, const tni_csr_rows *call, int phase, const char *lengths) {
    tni_csr_step(plan, &choose_form, call->is_wide, (int)call->item)->numbers[3] = (int16_t)phase;
    tni_params_pointer(plan, call->a.starts);
    tni_params_pointer(plan, call->a.indices);
    tni_params_pointer(plan, call->a.values);
    tni_params_i64(plan, call->a.rows);
    tni_params_i64(plan, call->a.count);
    tni_params_pointer(plan, call->chosen);
    tni_params_i64(plan, call->rows);
    tni_params_i64(plan, call->first);
    tni_params_i64(plan, call->step);
    tni_params_pointer(plan, lengths);
    tni_params_pointer(plan, call->to.starts);
    tni_params_i64(plan, call->to.count);
    tni_params_pointer(plan, call->to.indices);
    tni_params_pointer(plan, call->to.values);
    tni_csr_end(plan, phase ? call->to.count : call->rows);
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
    tni_csr_step(plan, &heads_form, call->is_wide, phase);
    tni_params_pointer(plan, call->a.starts);
    tni_params_pointer(plan, call->a.indices);
    tni_params_i64(plan, call->a.rows);
    tni_params_i64(plan, call->a.count);
    tni_params_pointer(plan, flags);
    tni_csr_end(plan, phase ? call->a.rows : call->a.count);
}

static void plan_ends(tni_plan *plan, const tni_csr *a, const tni_csr *b, bool is_wide,
                      const char *places, int64_t *ends) {
    tni_csr_step(plan, &ends_form, is_wide, 0);
    tni_params_pointer(plan, a->starts);
    tni_params_pointer(plan, b ? b->starts : NULL);
    tni_params_pointer(plan, places);
    tni_params_i64(plan, a->rows);
    tni_params_i64(plan, a->count + (b ? b->count : 0));
    tni_params_pointer(plan, ends);
    tni_csr_end(plan, a->rows + 1);
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
    tni_csr_step(plan, &unite_form, call->is_wide, 0)->dtypes[0] = (int8_t)call->dtype;
    tni_params_pointer(plan, call->a.starts);
    tni_params_pointer(plan, call->a.indices);
    tni_params_pointer(plan, call->a.values);
    tni_params_pointer(plan, flags);
    tni_params_pointer(plan, places);
    tni_params_i64(plan, call->a.rows);
    tni_params_i64(plan, count);
    tni_params_i64(plan, call->to.count);
    tni_params_pointer(plan, call->to.indices);
    tni_params_pointer(plan, call->to.values);
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

static void put_side(tni_plan *plan, const tni_csr *side) {
    tni_params_pointer(plan, side->starts);
    tni_params_pointer(plan, side->indices);
    tni_params_pointer(plan, side->values);
    tni_params_i64(plan, side->count);
}

static void plan_merge(tni_plan *plan, const merging *m) {
    const tni_csr_merge *call = m->call;
    tni_csr_step(plan, &merge_form, call->is_wide, 0)->dtypes[0] = (int8_t)call->dtype;
    put_side(plan, &call->a);
    put_side(plan, &call->b);
    tni_params_i64(plan, call->a.rows);
    tni_params_i64(plan, call->a.columns);
    tni_params_pointer(plan, m->indices);
    tni_params_pointer(plan, m->x);
    tni_params_pointer(plan, m->y);
    tni_params_pointer(plan, m->flags);
    tni_csr_end(plan, m->count);
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
    tni_form_key *key = tni_csr_step(plan, &keep_form, call->is_wide, phase);
    key->dtypes[0] = (int8_t)call->result_dtype;
    tni_params_pointer(plan, m->indices);
    tni_params_pointer(plan, m->results);
    tni_params_pointer(plan, m->flags);
    tni_params_pointer(plan, m->places);
    tni_params_i64(plan, m->count);
    tni_params_pointer(plan, call->to.indices);
    tni_params_pointer(plan, call->to.values);
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
