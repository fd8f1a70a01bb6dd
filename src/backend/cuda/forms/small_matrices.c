/* Small real matrices by our own kernels: which calls take that way, and the launch.
 *
 * Decides: elimination takes a thread a matrix, if that is less time, in nanoseconds estimated from
 * the operations, than the library's calls for all matrices one after the other. Everything else
 * takes a group of lanes a matrix, and always, so that a matrix is decomposed alike alone and in
 * any stack. */
#include "backend/cuda/forms/small_matrices.h"

#include "backend/cuda/forms/plan.h"
#include "backend/cuda/launch/scratch.h"

enum {
    BLOCK = 64,
    MOST_SIDE = 32,
    LIBRARY_NS = 30000, /* a library's call, which is mostly its launches */
    FACTOR_NS = 10      /* a step of a thread that factors, or solves with factors */
};
/* As the kernels name them, each from 0 on. */
typedef enum operation { LU, LU_SOLVE, CHOLESKY, QR, EIGH, SVD } operation;

/* A call of any form; areas: elements that a thread works on where a matrix has but one. */
typedef struct small_call {
    operation operation;
    tn_dtype dtype;
    bool has_vectors, upper;
    int64_t count, m, n, columns, areas;
    void *a, *vectors, *values, *other;
    const void *pivots;
    const char *failure;
} small_call;

void tni_write_real(tni_source *source, const tni_form_key *key) {
    bool is_wide = key->dtypes[0] == TN_F64 || key->dtypes[0] == TN_C128;
    tni_source_add(source, "typedef %s Real;\n", is_wide ? "double" : "float");
}

static const tni_form thread_form = {"small_matrices", {"BLOCK", "OPERATION"}, tni_write_real, 161};
static const tni_form group_form = {
    "group_matrices", {"BLOCK", "OPERATION", "VECTORS", "SIDE"}, tni_write_real, 230};

static bool is_worth(const small_call *call) {
    if (call->dtype != TN_F32 && call->dtype != TN_F64) return false;
    if (call->m > MOST_SIDE || call->n > MOST_SIDE) return false;
    if (call->operation >= CHOLESKY) return call->count > 0;
    if (call->count < 2 || call->columns > 2 * MOST_SIDE) return false;
    const int64_t columns = call->operation == LU ? call->n : call->columns;
    return call->n * call->n * columns * FACTOR_NS < call->count * LIBRARY_NS;
}

static tn_status begin(tni_plan *plan, tn_stream *stream) {
    const tni_target *target;
    TNI_TRY(tni_cuda_target_get(&target, stream->device.number));
    tni_plan_init(plan, target);
    return TN_OK;
}

static tn_status launch_threads(const small_call *call, char *scratch, tn_stream *stream) {
    tni_plan plan;
    TNI_TRY(begin(&plan, stream));
    const int16_t numbers[TNI_FORM_MACROS] = {BLOCK, (int16_t)call->operation};
    tni_plan_step(&plan, &thread_form, numbers)->dtypes[0] = (int8_t)call->dtype;
    tni_params_pointer(&plan, call->a);
    tni_params_pointer(&plan, call->vectors);
    tni_params_pointer(&plan, call->pivots);
    tni_params_pointer(&plan, scratch);
    tni_params_i64(&plan, call->count);
    tni_params_i64(&plan, call->n);
    tni_params_i64(&plan, call->columns);
    tni_params_i64(&plan, (int64_t)(uintptr_t)call->failure);
    tni_params_bounds(&plan);
    tni_plan_grid(&plan, tni_form_ceil(call->count, BLOCK), BLOCK);
    return tni_plan_launch(&plan, stream);
}

static tn_status launch_groups(const small_call *call, tn_stream *stream) {
    tni_plan plan;
    int side = 4;
    while (side < call->m || side < call->n)
        side *= 2;
    TNI_TRY(begin(&plan, stream));
    const int16_t numbers[TNI_FORM_MACROS] = {BLOCK, (int16_t)(call->operation - CHOLESKY),
                                              call->has_vectors, (int16_t)side};
    tni_plan_step(&plan, &group_form, numbers)->dtypes[0] = (int8_t)call->dtype;
    tni_params_pointer(&plan, call->a);
    tni_params_pointer(&plan, call->vectors);
    tni_params_pointer(&plan, call->values);
    tni_params_pointer(&plan, call->other);
    tni_params_i64(&plan, call->count);
    tni_params_i64(&plan, call->m);
    tni_params_i64(&plan, call->n);
    tni_params_i64(&plan, call->columns);
    tni_params_i64(&plan, call->upper);
    tni_params_i64(&plan, (int64_t)(uintptr_t)call->failure);
    tni_params_bounds(&plan);
    tni_plan_grid(&plan, tni_form_ceil(call->count, BLOCK / side), BLOCK);
    return tni_plan_launch(&plan, stream);
}

static tn_status run(const small_call *call, bool *is_done, tn_stream *stream) {
    tni_scratch scratch = {NULL, NULL};
    *is_done = is_worth(call);
    if (!*is_done) return TN_OK;
    if (call->operation >= CHOLESKY) return launch_groups(call, stream);
    const int64_t bytes = call->count * call->areas * tn_dtype_size(call->dtype);
    TNI_TRY(tni_scratch_init(&scratch, bytes, -1, stream));
    tn_status status = launch_threads(call, scratch.address, stream);
    tni_scratch_deinit(&scratch);
    return status;
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
                              .areas = n * n + n,
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
                              .areas = n * n + n * columns + n,
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
