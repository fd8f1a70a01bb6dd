/* Matrix products on CUDA: cuBLAS where it has the dtype and takes the layout, else our own tiled
 * kernel.
 *
 * A long sum into few results is cut along k: the parts are products of a batch, and a reduction
 * adds them up. Only sums that any order gives alike are cut: integers and bools. */
#include "forms/matmul.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/reduce/fold.h"
#include "backend/cuda/forms/reduce/reduce.h"
#include "backend/cuda/forms/step.h"
#include "backend/cuda/libraries/blas.h"

#include <string.h>

enum { THREADS = 256, PART = 2048 /* of k */ };

/* c + a b of the sum's type: integers wrap as unsigned ones, b8 is OR of AND, halves sum in f32. */
static void write_body(tni_source *source, const tni_form_key *key) {
    tn_dtype dtype = (tn_dtype)key->dtypes[0];
    bool is_complex = tn_dtype_kind(dtype) == TN_KIND_COMPLEX, is_integer = dtype < TN_F16;
    const char *sum = dtype == TN_B8 ? "tn_u8"
                      : is_integer   ? tn_dtype_size(dtype) == 8 ? "tn_u64" : "tn_u32"
                                     : tni_body_working(dtype);
    const char *text = dtype == TN_B8 ? "(Sum)(c | (a & b))"
                       : is_complex   ? "m_add(c, m_multiply(a, b))"
                                      : "c + a * b";
    tni_source_add(source, "typedef %s Stored;\ntypedef %s Working;\ntypedef %s Sum;\n",
                   tni_body_stored(dtype), tni_body_working(dtype), sum);
    tni_body_add_load(source, "load_working", dtype, dtype);
    tni_body_add_store(source, "save_working", dtype, dtype);
    tni_source_add(source,
                   "__device__ __forceinline__ Sum matmul_add(Sum c, Sum a, Sum b) {\n"
                   "    return %s;\n}\n",
                   text);
}

static const tni_matmul_form form = TNI_FORM(matmul, write_body);

static void plan_tiles(tni_plan *plan, const tni_matmul *call) {
    bool is_large = call->m >= 48 && call->n >= 48 && tn_dtype_size(call->dtype) <= 8;
    int tile = is_large ? 64 : 16;
    int64_t tiles_m = tni_form_ceil(call->m, tile), tiles_n = tni_form_ceil(call->n, tile);
    tni_form_key *key =
        TNI_STEP(plan, matmul, &form,
                 MACROS(.CONJUGATE = call->conjugate, .TILE = tile, .BATCH_NDIM = call->batch_ndim,
                        .WIDE_INDEX = tni_form_is_wide(call->batch_count)),
                 PARAMS(.out = call->out.data, .a = call->a.data, .b = call->b.data, .m = call->m,
                        .n = call->n, .k = call->k, .tiles_m = tiles_m, .tiles_n = tiles_n,
                        .batches = call->batch_count, .out_row = call->out.row_stride,
                        .out_column = call->out.column_stride, .a_row = call->a.row_stride,
                        .a_column = call->a.column_stride, .b_row = call->b.row_stride,
                        .b_column = call->b.column_stride,
                        .batch = TNI_SHAPE_3(call->batch_shape, call->out.batch_strides,
                                             call->a.batch_strides, call->b.batch_strides)));
    key->dtypes[0] = (int8_t)call->dtype;
    tni_plan_grid(plan, tiles_m * tiles_n * call->batch_count, THREADS);
}

/* --- Sums cut along k --- */

/* The whole parts as a batch into `parts`, [part][m][n]. */
static tni_matmul describe_parts(const tni_matmul *call, char *parts, int64_t count) {
    tni_matmul cut = *call;
    int64_t item = tn_dtype_size(call->dtype);
    cut.batch_ndim = 1;
    cut.batch_count = cut.batch_shape[0] = count;
    cut.k = PART;
    cut.out = (tni_matrix){.data = parts, .row_stride = call->n * item, .column_stride = item};
    cut.out.batch_strides[0] = call->m * call->n * item;
    cut.a.batch_strides[0] = PART * call->a.column_stride;
    cut.b.batch_strides[0] = PART * call->b.row_stride;
    return cut;
}

/* out = the sum of the parts. */
static tn_status add_parts(tni_plan *plan, const tni_matmul *call, const char *parts,
                           int64_t count) {
    int64_t item = tn_dtype_size(call->dtype);
    tni_reduce sum = {.op = TN_OP_ADD, .statistic = TNI_STATISTIC_FOLD};
    sum.input_dtype = sum.accumulator = sum.output_dtype = call->dtype;
    sum.input = parts;
    sum.output = call->out.data;
    sum.kept_ndim = 2;
    sum.kept_size = call->m * call->n;
    sum.kept_shape[0] = call->m;
    sum.kept_shape[1] = call->n;
    sum.kept_input[0] = call->n * item;
    sum.kept_input[1] = item;
    sum.kept_output[0] = call->out.row_stride;
    sum.kept_output[1] = call->out.column_stride;
    sum.reduced_ndim = 1;
    sum.reduced_size = sum.reduced_shape[0] = count;
    sum.reduced_input[0] = call->m * call->n * item;
    return tni_plan_fold(plan, &sum, TNI_FOLD_VALUE);
}

static tn_status plan_parts(tni_plan *plan, const tni_matmul *call) {
    int64_t whole = call->k / PART, rest = call->k - whole * PART,
            item = tn_dtype_size(call->dtype);
    int64_t count = whole + (rest > 0), bytes = call->m * call->n * item;
    char *parts = tni_plan_scratch(plan, count * bytes, -1);
    tni_matmul cut = describe_parts(call, parts, whole);
    plan_tiles(plan, &cut);
    if (rest > 0) {
        cut.batch_ndim = 0;
        cut.batch_count = 1;
        cut.k = rest;
        cut.out.data += whole * bytes;
        cut.a.data += whole * cut.a.batch_strides[0];
        cut.b.data += whole * cut.b.batch_strides[0];
        plan_tiles(plan, &cut);
    }
    return add_parts(plan, call, parts, count);
}

static tn_status multiply(const void *call, tn_stream *stream) {
    return tni_cublas_matmul(call, stream);
}

tn_status tni_plan_matmul(tni_plan *plan, const struct tni_matmul *call) {
    bool is_long = call->dtype < TN_F16 && call->k >= 4 * PART && call->batch_count == 1 &&
                   call->m * call->n < 64 * plan->target->multiprocessors;
    if (tni_cublas_takes(call)) {
        tni_plan_library(plan, multiply, call);
        return TN_OK;
    }
    if (is_long) return plan_parts(plan, call);
    plan_tiles(plan, call);
    return TN_OK;
}
