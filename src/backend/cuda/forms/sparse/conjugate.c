/* Conjugate gradients on CUDA: all steps of a call in one launch. */
#include "backend/cuda/forms/sparse/csr.h"

enum {
    TILE = 1024, /* items of a piece: fewer than of a product alone, so that all blocks have some */
    PER = 4,     /* blocks of a multiprocessor that run at the same time, whatever its kind */
    PHASES = 3   /* sums of each block */
};

static const tni_csr_conjugate_form conjugate_form = TNI_FORM(csr_conjugate, tni_csr_write);

/* What the steps need beside the caller's vectors. */
typedef struct memory {
    int64_t pieces, blocks;
    char *arrivals, *sums, *cuts, *carries;
} memory;

static void take_memory(memory *m, tni_plan *plan, const tni_csr_conjugate *call) {
    m->pieces = tni_csr_pieces(&call->a, TILE);
    m->blocks = tni_form_min(m->pieces, (int64_t)PER * plan->target->multiprocessors);
    const int64_t sums = tni_csr_room(PHASES * m->blocks, 8), cuts = tni_csr_room(m->pieces + 1, 8);
    m->arrivals = tni_plan_scratch(plan, sizeof(unsigned), 0);
    m->sums = tni_plan_scratch(plan, sums + cuts + m->pieces * tn_dtype_size(call->dtype), -1);
    m->cuts = m->sums + sums;
    m->carries = m->cuts + cuts;
}

tn_status tni_plan_csr_conjugate(tni_plan *plan, const tni_csr_conjugate *call) {
    memory m;
    take_memory(&m, plan, call);
    tni_csr_plan_cuts(plan, &call->a, call->is_wide, TILE, m.cuts);
    tni_form_key *key = TNI_STEP(
        plan, csr_conjugate, &conjugate_form,
        MACROS(.BLOCK = TNI_CSR_BLOCK, .WIDE = call->is_wide, .TILE = TILE, .PER = PER,
               .INVERSE = call->inverse != NULL),
        PARAMS(.starts = call->a.starts, .indices = call->a.indices, .values = call->a.values,
               .inverse = call->inverse, .x = call->x, .residual = call->r, .dense = call->p,
               .output = call->q, .carries = m.carries, .numbers = call->numbers, .sums = m.sums,
               .arrivals = m.arrivals, .cuts = m.cuts, .rows = call->a.rows,
               .columns = call->a.columns, .count = call->a.count, .pieces = m.pieces,
               .dense_row = 1, .steps = call->steps, .limit = call->limit, .text = TNI_CSR_TEXT));
    key->dtypes[0] = (int8_t)call->dtype;
    tni_csr_grid(plan, m.blocks * TNI_CSR_BLOCK);
    tni_plan_cooperative(plan);
    return TN_OK;
}
