/* Conjugate gradients: three passes a step, each shared by all threads. The product with the matrix
 * takes the product of its result along while that is in the cache, and the new residual the square
 * of its length. Partial sums are added in the order of the rows, so that the number of threads
 * changes nothing. */
#include "backend/host/forms/sparse/rows.h"
#include "backend/host/loops/level.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"

#include <math.h>
#include <stdatomic.h>

enum { BLOCK = 1 << 12, SLOT_SUMS = 1 };

typedef struct stepping {
    const tni_csr_conjugate *call;
    const tni_sparse_value_loops *values;
    const tni_vector_loops *vectors;
    int64_t item, blocks;
    tni_vector_step step;
    double factor;
    double *sums; /* two for each block, one for each piece of rows */
    atomic_bool is_bad;
    tni_sparse_rows rows;
} stepping;

static int64_t block_end(const stepping *s, int64_t block) {
    const int64_t end = (block + 1) * BLOCK, n = s->call->a.rows;
    return end < n ? end : n;
}

static void turn_blocks(void *context, int64_t begin, int64_t end) {
    const stepping *s = context;
    const tni_csr_conjugate *call = s->call;
    const int64_t from = begin * BLOCK, n = block_end(s, end - 1) - from, at = from * s->item;
    s->vectors->turn((char *)call->p + at, (const char *)call->r + at,
                     call->inverse ? (const char *)call->inverse + at : NULL, s->factor, n);
}

static void multiply_pieces(void *context, int64_t begin, int64_t end) {
    stepping *s = context;
    const tni_csr_conjugate *call = s->call;
    const tni_csr_multiply product = {call->dtype, call->is_wide, false,  call->a, 1, 1,
                                      1,           call->p,       call->q};
    for (int64_t k = begin; k < end; k++) {
        const int64_t row = s->rows.cuts[k], next = s->rows.cuts[k + 1], at = row * s->item;
        if (!s->values->multiply_vector(&product, row, next)) atomic_store(&s->is_bad, true);
        s->sums[k] = s->vectors->dot((char *)call->p + at, (char *)call->q + at, next - row);
    }
}

static void advance_blocks(void *context, int64_t begin, int64_t end) {
    const stepping *s = context;
    for (int64_t k = begin; k < end; k++)
        s->vectors->advance(&s->step, k * BLOCK, block_end(s, k), s->sums + 2 * k);
}

static double sum(const double *sums, int64_t n, int step) {
    double total = 0;
    for (int64_t k = 0; k < n; k++)
        total += sums[k * step];
    return total;
}

static void advance(stepping *s) {
    double *numbers = s->call->numbers;
    s->factor = numbers[TNI_CONJUGATE_FACTOR];
    tni_parallel(s->blocks, 1, turn_blocks, s);
    tni_parallel(s->rows.pieces, 1, multiply_pieces, s);
    const double before = numbers[TNI_CONJUGATE_PRODUCT];
    s->step.alpha = before / sum(s->sums, s->rows.pieces, 1);
    tni_parallel(s->blocks, 1, advance_blocks, s);
    numbers[TNI_CONJUGATE_SQUARE] = sum(s->sums, s->blocks, 2);
    numbers[TNI_CONJUGATE_PRODUCT] = sum(s->sums + 1, s->blocks, 2);
    numbers[TNI_CONJUGATE_FACTOR] = numbers[TNI_CONJUGATE_PRODUCT] / before;
    numbers[TNI_CONJUGATE_DONE] += 1;
}

tn_status tni_host_run_csr_conjugate(void *parameters) {
    const tni_csr_conjugate *call = parameters;
    stepping s = {.call = call, .item = tn_dtype_size(call->dtype)};
    s.vectors = tni_loops_level()->sparse->vectors[call->dtype == TN_F64];
    s.blocks = (call->a.rows + BLOCK - 1) / BLOCK;
    s.step = (tni_vector_step){call->x, call->r, call->p, call->q, call->inverse, 0};
    atomic_init(&s.is_bad, false);
    TNI_TRY(tni_sparse_values(&s.values, call->dtype, call->is_wide));
    tni_sparse_cut(&s.rows, &call->a, call->is_wide, TNI_SPARSE_PIECES);
    const size_t room = (size_t)(2 * s.blocks + s.rows.pieces) * sizeof(double);
    s.sums = tni_scratch(SLOT_SUMS, room);
    if (!s.sums) return tni_fail_no_memory((int64_t)room);
    for (int64_t k = 0; k < call->steps; k++) {
        if (sqrt(call->numbers[TNI_CONJUGATE_SQUARE]) <= call->limit) break;
        advance(&s);
        if (atomic_load(&s.is_bad)) return tni_sparse_fail();
    }
    return TN_OK;
}

TNI_HOST_PLAN(csr_conjugate, (call->a.count + 8 * call->a.rows) * call->steps)
