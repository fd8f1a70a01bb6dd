/* Pieces of rows, rows of elements and running sums, for the forms of sparse matrices. */
#include "backend/cuda/forms/sparse/csr.h"

#include "forms/scan.h"

#include <string.h>

const char tni_csr_broken[] = TNI_CSR_BROKEN;

static const tni_csr_cuts_form cuts_form = TNI_FORM(csr_cuts, NULL);
static const tni_csr_look_form look_form = TNI_FORM(csr_look, NULL);

void tni_csr_write(tni_source *source, const tni_form_key *key) {
    const tn_dtype dtype = (tn_dtype)key->dtypes[0];
    tni_source_add(source, "typedef %s Value;\n", tni_body_working(dtype));
    tni_body_add_binary(source, "csr_multiply", TN_OP_MULTIPLY, dtype);
    tni_body_add_binary(source, "csr_add", TN_OP_ADD, dtype);
}

int64_t tni_csr_pieces(const tni_csr *a, int tile) {
    const int64_t pieces = tni_form_ceil(a->rows + a->count, tile);
    return pieces > 0 ? pieces : 1;
}

void tni_csr_plan_cuts(tni_plan *plan, const tni_csr *a, bool is_wide, int tile, const char *cuts) {
    const int64_t pieces = tni_csr_pieces(a, tile);
    TNI_STEP(plan, csr_cuts, &cuts_form,
             MACROS(.BLOCK = TNI_CSR_BLOCK, .WIDE = is_wide, .TILE = tile),
             PARAMS(.starts = a->starts, .rows = a->rows, .pieces = pieces, .cuts = cuts));
    tni_plan_grid(plan, tni_form_ceil((pieces + 1) * 32, TNI_CSR_BLOCK), TNI_CSR_BLOCK);
}

static void plan_look(tni_plan *plan, const tni_csr *a, bool is_wide, const char *cuts, char *to,
                      int64_t *flags) {
    const int64_t pieces = tni_csr_pieces(a, TNI_CSR_TILE);
    TNI_STEP(
        plan, csr_look, &look_form,
        MACROS(.BLOCK = TNI_CSR_BLOCK, .WIDE = is_wide, .TILE = TNI_CSR_TILE, .LOOK = to != NULL),
        PARAMS(.starts = a->starts, .indices = a->indices, .cuts = cuts, .rows = a->rows,
               .columns = a->columns, .count = a->count, .pieces = pieces, .to = to, .flags = flags,
               .text = TNI_CSR_TEXT));
    tni_csr_grid(plan, pieces * TNI_CSR_BLOCK);
}

void tni_csr_plan_rows(tni_plan *plan, const tni_csr *a, bool is_wide, const char *cuts, char *to) {
    tni_csr_plan_cuts(plan, a, is_wide, TNI_CSR_TILE, cuts);
    plan_look(plan, a, is_wide, cuts, to, NULL);
}

tn_status tni_plan_csr_inspect(tni_plan *plan, const tni_csr_inspect *call) {
    const int64_t pieces = tni_csr_pieces(&call->a, TNI_CSR_TILE);
    const char *cuts = tni_plan_scratch(plan, (pieces + 1) * 8, -1);
    tni_plan_clear(plan, call->flags, sizeof *call->flags);
    tni_csr_plan_cuts(plan, &call->a, call->is_wide, TNI_CSR_TILE, cuts);
    plan_look(plan, &call->a, call->is_wide, cuts, NULL, call->flags);
    return TN_OK;
}

tn_status tni_csr_plan_sums(tni_plan *plan, tn_dtype dtype, const char *from, char *to,
                            int64_t count) {
    if (count == 0) return TN_OK;
    tni_scan call;
    memset(&call, 0, sizeof call);
    call.op = TN_OP_ADD;
    call.input_dtype = dtype;
    call.accumulator = call.output_dtype = TN_I64;
    call.output = to;
    call.input = from;
    call.length = count;
    call.output_stride = 8;
    call.input_stride = tn_dtype_size(dtype);
    call.size = 1;
    return tni_plan_scan(plan, &call);
}
