/* Small real matrices by our own kernel: which calls take that way, and the launch.
 *
 * Decides: always, however many there are, so that a matrix is decomposed alike alone and in any
 * stack. A matrix has a group of lanes. */
#include "backend/cuda/forms/linalg/small_matrices.h"

#include "backend/cuda/forms/step.h"

enum { BLOCK = 64, MOST_SIDE = 32, MOST_COLUMNS = 64 /* of a right side */ };
/* As the kernel names them. */
typedef enum operation { LU, LU_SOLVE, CHOLESKY, QR, EIGH, SVD } operation;

/* A call of any form. */
typedef struct small_call {
    operation operation;
    tn_dtype dtype;
    bool has_vectors, upper;
    int64_t count, m, n, columns;
    void *a, *vectors, *values, *other;
    const void *pivots;
    const char *failure;
} small_call;

void tni_write_real(tni_source *source, const tni_form_key *key) {
    bool is_wide = key->dtypes[0] == TN_F64 || key->dtypes[0] == TN_C128;
    tni_source_add(source, "typedef %s Real;\n", is_wide ? "double" : "float");
}

static const tni_group_matrices_form form = TNI_FORM(group_matrices, tni_write_real);

static bool is_fit(const small_call *call) {
    return (call->dtype == TN_F32 || call->dtype == TN_F64) && call->count > 0 &&
           call->m <= MOST_SIDE && call->n <= MOST_SIDE && call->columns <= MOST_COLUMNS;
}

static tn_status launch(const small_call *call, tn_stream *stream) {
    const tni_target *target;
    tni_plan plan;
    int side = 4;
    while (side < call->m || side < call->n)
        side *= 2;
    TNI_TRY(tni_cuda_target_get(&target, stream->device.number));
    tni_plan_init(&plan, target);
    TNI_STEP(&plan, group_matrices, &form,
             MACROS(.BLOCK = BLOCK, .OPERATION = call->operation, .VECTORS = call->has_vectors,
                    .SIDE = side),
             PARAMS(.a = call->a, .vectors = call->vectors, .values = call->values,
                    .other = call->other, .pivots = call->pivots, .count = call->count,
                    .m = call->m, .n = call->n, .columns = call->columns, .upper = call->upper,
                    .text = (int64_t)(uintptr_t)call->failure))
        ->dtypes[0] = (int8_t)call->dtype;
    tni_plan_grid(&plan, tni_form_ceil(call->count, BLOCK / side), BLOCK);
    return tni_plan_launch(&plan, stream);
}

static tn_status run(const small_call *call, bool *is_done, tn_stream *stream) {
    *is_done = is_fit(call);
    return *is_done ? launch(call, stream) : TN_OK;
}

tn_status tni_small_cholesky(const tni_cholesky *call, bool *is_done, tn_stream *stream) {
    const int64_t n = call->n;
    const small_call small = {.operation = CHOLESKY,
                              .dtype = call->dtype,
                              .upper = call->upper,
                              .count = call->count,
                              .m = n,
                              .n = n,
                              .a = call->a,
                              .failure = call->failure};
    return run(&small, is_done, stream);
}

tn_status tni_small_lu(const tni_lu *call, bool *is_done, tn_stream *stream) {
    const int64_t n = call->n;
    const small_call small = {.operation = LU,
                              .dtype = call->dtype,
                              .count = call->m == n ? call->count : 0,
                              .m = call->m,
                              .n = n,
                              .a = call->a,
                              .pivots = call->pivots,
                              .failure = call->failure};
    return run(&small, is_done, stream);
}

tn_status tni_small_lu_solve(const tni_lu_solve *call, bool *is_done, tn_stream *stream) {
    const int64_t n = call->n, columns = call->columns;
    const small_call small = {.operation = LU_SOLVE,
                              .dtype = call->dtype,
                              .count = call->transposition == TNI_PLAIN ? call->count : 0,
                              .m = n,
                              .n = n,
                              .columns = columns,
                              .a = (char *)(uintptr_t)call->lu,
                              .vectors = call->b,
                              .pivots = call->pivots};
    return run(&small, is_done, stream);
}

tn_status tni_small_qr(const tni_qr *call, bool *is_done, tn_stream *stream) {
    const int64_t m = call->m, n = call->n, columns = call->q ? call->columns : 0;
    const small_call small = {.operation = QR,
                              .dtype = call->dtype,
                              .has_vectors = call->q != NULL,
                              .count = call->count,
                              .m = m,
                              .n = n,
                              .columns = columns,
                              .a = call->a,
                              .vectors = call->q,
                              .values = call->tau};
    return run(&small, is_done, stream);
}

tn_status tni_small_eigh(const tni_eigh *call, bool *is_done, tn_stream *stream) {
    const int64_t n = call->n;
    const small_call small = {.operation = EIGH,
                              .dtype = call->dtype,
                              .has_vectors = call->vectors,
                              .upper = call->upper,
                              .count = call->count,
                              .m = n,
                              .n = n,
                              .a = call->a,
                              .values = call->w,
                              .failure = call->failure};
    return run(&small, is_done, stream);
}

/* Not where u or vh has columns for which there is no singular value. */
tn_status tni_small_svd(const tni_svd *call, bool *is_done, tn_stream *stream) {
    const int64_t m = call->m, n = call->n;
    const bool is_thin = !call->u || !call->full || m == n;
    const small_call small = {.operation = SVD,
                              .dtype = call->dtype,
                              .has_vectors = call->u != NULL,
                              .count = is_thin ? call->count : 0,
                              .m = m,
                              .n = n,
                              .a = call->a,
                              .vectors = call->u,
                              .values = call->s,
                              .other = call->vh,
                              .failure = call->failure};
    return run(&small, is_done, stream);
}
