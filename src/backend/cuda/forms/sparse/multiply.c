/* Sparse matrices beside dense arrays on CUDA. Pieces of rows of the same work are summed, and
 * then what a row has in the pieces before its last is added; a transposed matrix is made first,
 * but for a vector, to which its elements are added by the machine's atomics. */
#include "backend/cuda/forms/sparse/csr.h"

#include <string.h>

enum { THIN_TILE = 128 /* items of a piece that a team of threads has */ };

static const tni_csr_multiply_form vector_form = TNI_FORM(csr_multiply, tni_csr_write);
static const tni_csr_multiply_dense_form dense_form = TNI_FORM(csr_multiply_dense, tni_csr_write);
static const tni_csr_carry_form carry_form = TNI_FORM(csr_carry, tni_csr_write);
static const tni_csr_scatter_form scatter_form = TNI_FORM(csr_scatter, tni_csr_write);

/* The machine's own addition to *at, or NULL. */
static const char *atomic_text(tn_dtype dtype) {
    switch (dtype) {
    case TN_I32:
    case TN_U32:
    case TN_U64:
    case TN_F32:
    case TN_F64: return "atomicAdd(at, b)";
    case TN_I64: return "atomicAdd((tn_u64 *)at, (tn_u64)b)";
    case TN_C64:
    case TN_C128: return "atomicAdd(&at->re, b.re), atomicAdd(&at->im, b.im)";
    default: return NULL;
    }
}

static void write_transpose(tni_source *source, const tni_form_key *key) {
    tni_csr_write(source, key);
    tni_source_add(source,
                   "__device__ __forceinline__ void csr_add_to(Value *at, Value b) { %s; }\n",
                   atomic_text((tn_dtype)key->dtypes[0]));
}

static const tni_csr_transpose_form transpose_form = TNI_FORM(csr_transpose, write_transpose);

/* The memory of a product: the cuts, and the carries after them. */
typedef struct memory {
    int64_t pieces;
    const char *cuts, *carries;
} memory;

/* What both products are given. */
#define OPERANDS(call, m)                                                                          \
    .starts = (call)->a.starts, .indices = (call)->a.indices, .values = (call)->a.values,          \
    .dense = (call)->dense, .output = (call)->output, .carries = (m)->carries, .cuts = (m)->cuts,  \
    .columns = (call)->a.columns, .count = (call)->a.count, .pieces = (m)->pieces,                 \
    .dense_row = (call)->dense_row, .text = TNI_CSR_TEXT

static void plan_vector(tni_plan *plan, const tni_csr_multiply *call, const memory *m) {
    tni_form_key *key =
        TNI_STEP(plan, csr_multiply, &vector_form,
                 MACROS(.BLOCK = TNI_CSR_BLOCK, .WIDE = call->is_wide, .TILE = TNI_CSR_TILE),
                 PARAMS(OPERANDS(call, m)));
    key->dtypes[0] = (int8_t)call->dtype;
    tni_csr_grid(plan, m->pieces * TNI_CSR_BLOCK);
}

static void plan_dense(tni_plan *plan, const tni_csr_multiply *call, const memory *m) {
    int lanes = 2, per = 1;
    while (lanes < 32 && lanes < call->width)
        lanes *= 2;
    while (per < 4 && lanes * per < call->width)
        per *= 2;
    const int64_t chunks = tni_form_ceil(call->width, lanes * per);
    tni_form_key *key = TNI_STEP(plan, csr_multiply_dense, &dense_form,
                                 MACROS(.BLOCK = TNI_CSR_BLOCK, .WIDE = call->is_wide,
                                        .TILE = THIN_TILE, .LANES = lanes, .PER = per),
                                 PARAMS(OPERANDS(call, m), .width = call->width, .chunks = chunks));
    key->dtypes[0] = (int8_t)call->dtype;
    tni_csr_grid(plan, m->pieces * chunks * lanes);
}

static void plan_carries(tni_plan *plan, const tni_csr_multiply *call, const memory *m) {
    const int team = call->width == 1 ? 32 : 1;
    TNI_STEP(plan, csr_carry, &carry_form,
             MACROS(.BLOCK = TNI_CSR_BLOCK, .WIDE = call->is_wide, .TEAM = team),
             PARAMS(.cuts = m->cuts, .carries = m->carries, .output = call->output,
                    .rows = call->a.rows, .pieces = m->pieces, .width = call->width))
        ->dtypes[0] = (int8_t)call->dtype;
    const int64_t threads = m->pieces * call->width * team;
    tni_plan_grid(plan, tni_form_ceil(threads, TNI_CSR_BLOCK), TNI_CSR_BLOCK);
}

/* The matrix by columns, in memory of the plan. */
static tn_status plan_transposed(tni_plan *plan, const tni_csr_multiply *call, tni_csr *made) {
    const int64_t index = tni_csr_index_bytes(call->is_wide), item = tn_dtype_size(call->dtype);
    const int64_t values = tni_csr_room(call->a.count, item),
                  indices = tni_csr_room(call->a.count, index);
    char *room =
        tni_plan_scratch(plan, values + indices + tni_csr_room(call->a.columns + 1, index), -1);
    const tni_csr_group group = {.item = item,
                                 .is_wide = call->is_wide,
                                 .lines = call->a.columns,
                                 .rows = call->a.rows,
                                 .count = call->a.count,
                                 .major = call->a.indices,
                                 .starts = call->a.starts,
                                 .values = call->a.values,
                                 .to_values = room,
                                 .to_indices = room + values,
                                 .to_starts = room + values + indices};
    *made = (tni_csr){call->a.columns, call->a.rows,     call->a.count,
                      group.to_starts, group.to_indices, group.to_values};
    return tni_plan_csr_group(plan, &group);
}

static void plan_vector_transposed(tni_plan *plan, const tni_csr_multiply *call) {
    const int64_t pieces = tni_csr_pieces(&call->a, TNI_CSR_TILE);
    const char *cuts = tni_plan_scratch(plan, (pieces + 1) * 8, -1);
    tni_plan_clear(plan, call->output, call->a.columns * tn_dtype_size(call->dtype));
    tni_csr_plan_cuts(plan, &call->a, call->is_wide, TNI_CSR_TILE, cuts);
    TNI_STEP(plan, csr_transpose, &transpose_form,
             MACROS(.BLOCK = TNI_CSR_BLOCK, .WIDE = call->is_wide, .TILE = TNI_CSR_TILE),
             PARAMS(.starts = call->a.starts, .indices = call->a.indices, .values = call->a.values,
                    .dense = call->dense, .output = call->output, .cuts = cuts,
                    .rows = call->a.rows, .columns = call->a.columns, .count = call->a.count,
                    .pieces = pieces, .dense_row = call->dense_row, .text = TNI_CSR_TEXT))
        ->dtypes[0] = (int8_t)call->dtype;
    tni_csr_grid(plan, pieces * TNI_CSR_BLOCK);
}

tn_status tni_plan_csr_multiply(tni_plan *plan, const tni_csr_multiply *call) {
    const int tile = call->width == 1 ? TNI_CSR_TILE : THIN_TILE;
    tni_csr_multiply own = *call;
    if (call->is_transposed && call->width == 1 && atomic_text(call->dtype)) {
        plan_vector_transposed(plan, call);
        return TN_OK;
    }
    if (call->is_transposed) TNI_TRY(plan_transposed(plan, call, &own.a));
    memory m = {.pieces = tni_csr_pieces(&own.a, tile)};
    const int64_t cuts = tni_csr_room(m.pieces + 1, 8);
    m.cuts = tni_plan_scratch(plan, cuts + m.pieces * own.width * tn_dtype_size(own.dtype), -1);
    m.carries = m.cuts + cuts;
    tni_csr_plan_cuts(plan, &own.a, own.is_wide, tile, m.cuts);
    if (own.width == 1)
        plan_vector(plan, &own, &m);
    else
        plan_dense(plan, &own, &m);
    plan_carries(plan, &own, &m);
    return TN_OK;
}

tn_status tni_plan_csr_scatter(tni_plan *plan, const tni_csr_scatter *call) {
    if (call->a.rows == 0) return TN_OK;
    TNI_STEP(plan, csr_scatter, &scatter_form,
             MACROS(.BLOCK = TNI_CSR_BLOCK, .WIDE = call->is_wide),
             PARAMS(.starts = call->a.starts, .indices = call->a.indices, .values = call->a.values,
                    .rows = call->a.rows, .columns = call->a.columns, .count = call->a.count,
                    .to_row = call->to_row, .to_column = call->to_column, .to = call->to,
                    .text = TNI_CSR_TEXT))
        ->dtypes[0] = (int8_t)call->dtype;
    tni_csr_grid(plan, call->a.rows * 32);
    return TN_OK;
}
