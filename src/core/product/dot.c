/* Dot products as reductions with a body of one or two steps.
 *
 * As in matrix products, sums of halves are kept in f32 and rounded once, integers wrap, and b8 is
 * OR of AND. */
#include "core/product/dot.h"

#include "core/reduce/mapped.h"
#include "core/rules/reduce_table.h"

tn_status tni_dot_fold(tn_array **result, bool *is_done, const tni_dot *dot,
                       const tn_reduce_options *options, tn_stream *stream) {
    const tn_array *inputs[2] = {dot->a, dot->b};
    bool is_truth = dot->dtype == TN_B8, is_half = dot->dtype == TN_F16 || dot->dtype == TN_BF16;
    tni_reduce_request request = {.op = is_truth ? TN_OP_LOGICAL_OR : TN_OP_ADD,
                                  .statistic = TNI_STATISTIC_FOLD,
                                  .output = dot->dtype,
                                  .options = options};
    int a = 0;
    tni_map map;
    request.loop = is_half ? TN_F32 : dot->dtype;
    request.accumulator = tni_accumulator(request.op, request.loop);
    tni_map_init(&map, 2, inputs);
    if (dot->conjugates && tn_dtype_kind(dot->dtype) == TN_KIND_COMPLEX)
        a = tni_map_add(&map, TN_OP_CONJUGATE, request.loop, 0, -1);
    tni_map_add(&map, is_truth ? TN_OP_LOGICAL_AND : TN_OP_MULTIPLY, request.loop, a, 1);
    return tni_reduce_mapped(result, &request, &map, is_done, stream);
}
