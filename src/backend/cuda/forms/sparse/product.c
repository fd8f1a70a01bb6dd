/* The product of two sparse matrices on CUDA: a warp a row, or (of long rows) a block, with room
 * for all terms, from which the rows are packed. */
#include "backend/cuda/forms/sparse/csr.h"

enum {
    SHORT = 256,       /* terms of a row that a warp has a table for in shared memory */
    SHORT_BLOCK = 128, /* threads */
    TABLE_SHARE = 4    /* slots for each term of a long row */
};

static const tni_form terms_form = {"csr_terms", {"BLOCK", "WIDE", "SHORT"}, NULL, 192};
static const tni_form product_form = {
    "csr_product", {"BLOCK", "WIDE", "SHORT", "TEAM"}, tni_csr_write, 193};
static const tni_form pack_form = {"csr_pack", {"BLOCK", "WIDE", "UNIT_BYTES"}, NULL, 194};

/* running[k + 1] = the sum of numbers[0 .. k], and running[0] = 0. */
static tn_status plan_running(tni_plan *plan, const char *numbers, int64_t *running, int64_t rows) {
    tni_plan_clear(plan, running, sizeof *running);
    return tni_csr_plan_sums(plan, TN_I64, numbers, (char *)(running + 1), rows);
}

static tn_status plan_terms(tni_plan *plan, const tni_csr_product *call) {
    const int64_t rows = call->a.rows, bytes = tni_csr_room(rows, 8);
    const char *numbers = tni_plan_scratch(plan, 2 * bytes, -1);
    tni_csr_step(plan, &terms_form, call->is_wide, SHORT);
    tni_params_pointer(plan, call->a.starts);
    tni_params_pointer(plan, call->a.indices);
    tni_params_pointer(plan, call->b.starts);
    tni_params_i64(plan, rows);
    tni_params_i64(plan, call->b.rows);
    tni_params_i64(plan, call->a.count);
    tni_params_i64(plan, call->b.count);
    tni_params_pointer(plan, numbers);
    tni_params_pointer(plan, numbers + bytes);
    tni_csr_end(plan, rows * 32);
    TNI_TRY(plan_running(plan, numbers, call->room.terms, rows));
    return plan_running(plan, numbers + bytes, call->room.long_terms, rows);
}

static void plan_rows(tni_plan *plan, const tni_csr_product *call, int block, int team,
                      const char *counts) {
    const int64_t index = tni_csr_index_bytes(call->is_wide);
    const int64_t slots = team == 32 ? 0 : TABLE_SHARE * call->room.long_count;
    const char *keys =
        slots ? tni_plan_scratch(plan, tni_csr_room(slots, index) + 4 * slots, -1) : NULL;
    const int16_t numbers[TNI_FORM_MACROS] = {(int16_t)block, call->is_wide, SHORT, (int16_t)team};
    tni_plan_step(plan, &product_form, numbers)->dtypes[0] = (int8_t)call->dtype;
    tni_params_pointer(plan, call->a.starts);
    tni_params_pointer(plan, call->a.indices);
    tni_params_pointer(plan, call->a.values);
    tni_params_pointer(plan, call->b.starts);
    tni_params_pointer(plan, call->b.indices);
    tni_params_pointer(plan, call->b.values);
    tni_params_i64(plan, call->a.rows);
    tni_params_i64(plan, call->b.rows);
    tni_params_i64(plan, call->b.columns);
    tni_params_i64(plan, call->a.count);
    tni_params_i64(plan, call->b.count);
    tni_params_pointer(plan, call->room.terms);
    tni_params_pointer(plan, call->room.long_terms);
    tni_params_pointer(plan, call->room.indices);
    tni_params_pointer(plan, call->room.values);
    tni_params_pointer(plan, counts);
    tni_params_pointer(plan, keys);
    tni_params_pointer(plan, slots ? keys + tni_csr_room(slots, index) : NULL);
    tni_csr_end(plan, 0);
    tni_plan_grid(plan, tni_form_ceil(call->a.rows, block / team), block);
}

static void plan_pack(tni_plan *plan, const tni_csr_product *call) {
    tni_csr_step(plan, &pack_form, call->is_wide, (int)tn_dtype_size(call->dtype));
    tni_params_pointer(plan, call->room.terms);
    tni_params_pointer(plan, call->to.starts);
    tni_params_i64(plan, call->a.rows);
    tni_params_pointer(plan, call->room.indices);
    tni_params_pointer(plan, call->room.values);
    tni_params_pointer(plan, call->to.indices);
    tni_params_pointer(plan, call->to.values);
    tni_plan_grid(plan, tni_form_ceil(call->a.rows * 32, TNI_CSR_BLOCK), TNI_CSR_BLOCK);
}

tn_status tni_plan_csr_product(tni_plan *plan, const tni_csr_product *call) {
    const int64_t rows = call->a.rows;
    if (!call->room.is_there) return plan_terms(plan, call);
    if (call->to.starts) {
        plan_pack(plan, call);
        return TN_OK;
    }
    const char *counts = tni_plan_scratch(plan, tni_csr_room(rows, 8), 0);
    if (rows) plan_rows(plan, call, SHORT_BLOCK, 32, counts);
    if (call->room.long_count) plan_rows(plan, call, TNI_CSR_BLOCK, TNI_CSR_BLOCK, counts);
    return plan_running(plan, counts, call->to.ends, rows);
}
