/* Conjugate gradients on CUDA: all steps of a call in one launch. */
#include "backend/cuda/forms/sparse/csr.h"

enum {
    TILE = 1024, /* items of a piece: fewer than of a product alone, so that all blocks have some */
    PER = 4,     /* blocks of a multiprocessor that run at the same time, whatever its kind */
    PHASES = 3   /* sums of each block */
};

static const tni_form conjugate_form = {
    "csr_conjugate", {"BLOCK", "WIDE", "TILE", "PER", "INVERSE"}, tni_csr_write, 191};

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

static void put_params(tni_plan *plan, const tni_csr_conjugate *call, const memory *m) {
    tni_params_pointer(plan, call->a.starts);
    tni_params_pointer(plan, call->a.indices);
    tni_params_pointer(plan, call->a.values);
    tni_params_pointer(plan, call->inverse);
    tni_params_pointer(plan, call->x);
    tni_params_pointer(plan, call->r);
    tni_params_pointer(plan, call->p);
    tni_params_pointer(plan, call->q);
    tni_params_pointer(plan, m->carries);
    tni_params_pointer(plan, call->numbers);
    tni_params_pointer(plan, m->sums);
    tni_params_pointer(plan, m->arrivals);
    tni_params_pointer(plan, m->cuts);
    tni_params_i64(plan, call->a.rows);
    tni_params_i64(plan, call->a.columns);
    tni_params_i64(plan, call->a.count);
    tni_params_i64(plan, m->pieces);
    tni_params_i64(plan, 1); /* from an element of the direction to the next */
    tni_params_i64(plan, call->steps);
    tni_params_f64(plan, call->limit);
}

tn_status tni_plan_csr_conjugate(tni_plan *plan, const tni_csr_conjugate *call) {
    memory m;
    take_memory(&m, plan, call);
    tni_csr_plan_cuts(plan, &call->a, call->is_wide, TILE, m.cuts);
    tni_form_key *key = tni_csr_step(plan, &conjugate_form, call->is_wide, TILE);
    key->dtypes[0] = (int8_t)call->dtype;
    key->numbers[3] = PER;
    key->numbers[4] = call->inverse != NULL;
    put_params(plan, call, &m);
    tni_csr_end(plan, m.blocks * TNI_CSR_BLOCK);
    tni_plan_cooperative(plan);
    return TN_OK;
}
