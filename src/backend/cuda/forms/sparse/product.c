/* The product of two sparse matrices on CUDA: a warp a row, or (of long rows) a block, with room
 * for all terms, from which the rows are packed. */
#include "backend/cuda/forms/sparse/csr.h"

enum {
    SHORT = 256,       /* terms of a row that a warp has a table for in shared memory */
    SHORT_BLOCK = 128, /* threads */
    TABLE_SHARE = 4    /* slots for each term of a long row */
};

static const tni_csr_terms_form terms_form = TNI_FORM(csr_terms, NULL);
static const tni_csr_product_form product_form = TNI_FORM(csr_product, tni_csr_write);
static const tni_csr_pack_form pack_form = TNI_FORM(csr_pack, NULL);

/* running[k + 1] = the sum of numbers[0 .. k], and running[0] = 0. */
static tn_status plan_running(tni_plan *plan, const char *numbers, int64_t *running, int64_t rows) {
    tni_plan_clear(plan, running, sizeof *running);
    return tni_csr_plan_sums(plan, TN_I64, numbers, (char *)(running + 1), rows);
}

static tn_status plan_terms(tni_plan *plan, const tni_csr_product *call) {
    const int64_t rows = call->a.rows, bytes = tni_csr_room(rows, 8);
    const char *numbers = tni_plan_scratch(plan, 2 * bytes, -1);
    TNI_STEP(plan, csr_terms, &terms_form,
             MACROS(.BLOCK = TNI_CSR_BLOCK, .WIDE = call->is_wide, .SHORT = SHORT),
             PARAMS(.a_starts = call->a.starts, .a_indices = call->a.indices,
                    .b_starts = call->b.starts, .rows = rows, .inner = call->b.rows,
                    .a_count = call->a.count, .b_count = call->b.count, .terms = numbers,
                    .long_terms = numbers + bytes, .text = TNI_CSR_TEXT));
    tni_csr_grid(plan, rows * 32);
    TNI_TRY(plan_running(plan, numbers, call->room.terms, rows));
    return plan_running(plan, numbers + bytes, call->room.long_terms, rows);
}

static void plan_rows(tni_plan *plan, const tni_csr_product *call, int block, int team,
                      const char *counts) {
    const int64_t index = tni_csr_index_bytes(call->is_wide);
    const int64_t slots = team == 32 ? 0 : TABLE_SHARE * call->room.long_count;
    const char *keys =
        slots ? tni_plan_scratch(plan, tni_csr_room(slots, index) + 4 * slots, -1) : NULL;
    TNI_STEP(
        plan, csr_product, &product_form,
        MACROS(.BLOCK = block, .WIDE = call->is_wide, .SHORT = SHORT, .TEAM = team),
        PARAMS(.a_starts = call->a.starts, .a_indices = call->a.indices, .a_values = call->a.values,
               .b_starts = call->b.starts, .b_indices = call->b.indices, .b_values = call->b.values,
               .rows = call->a.rows, .inner = call->b.rows, .columns = call->b.columns,
               .a_count = call->a.count, .b_count = call->b.count, .terms = call->room.terms,
               .long_terms = call->room.long_terms, .indices = call->room.indices,
               .values = call->room.values, .counts = counts, .keys = keys,
               .places = slots ? keys + tni_csr_room(slots, index) : NULL, .text = TNI_CSR_TEXT))
        ->dtypes[0] = (int8_t)call->dtype;
    tni_plan_grid(plan, tni_form_ceil(call->a.rows, block / team), block);
}

static void plan_pack(tni_plan *plan, const tni_csr_product *call) {
    TNI_STEP(plan, csr_pack, &pack_form,
             MACROS(.BLOCK = TNI_CSR_BLOCK, .WIDE = call->is_wide,
                    .UNIT_BYTES = tn_dtype_size(call->dtype)),
             PARAMS(.from = call->room.terms, .to = call->to.starts, .rows = call->a.rows,
                    .indices = call->room.indices, .values = call->room.values,
                    .to_indices = call->to.indices, .to_values = call->to.values));
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
