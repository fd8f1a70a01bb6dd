/* argmax and its kin on CUDA: a fold whose state is a position and a value. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/reduce/fold.h"
#include "backend/cuda/forms/reduce/reduce.h"

#include <string.h>

/* The reduction with the same axes. The positions are written as they are. */
tn_status tni_plan_argreduce(tni_plan *plan, const tni_argreduce *call) {
    tni_reduce fold;
    fold.body = NULL;
    fold.is_unaligned = false;
    bool skips = (call->op == TN_OP_FMAX || call->op == TN_OP_FMIN) && call->input_dtype >= TN_F16;
    fold.op = call->op;
    fold.statistic = TNI_STATISTIC_FOLD;
    fold.flags = skips ? TNI_SKIPS_NAN : 0;
    fold.is_ordered = false;
    fold.has_initial = false;
    fold.input_dtype = fold.accumulator = call->input_dtype;
    fold.output_dtype = TN_I64;
    fold.correction = 0;
    memset(fold.initial, 0, sizeof fold.initial);
    fold.output = call->output;
    fold.input = call->input;
    fold.mask = NULL;
    fold.kept_ndim = call->kept_ndim;
    fold.reduced_ndim = call->reduced_ndim;
    fold.kept_size = call->kept_size;
    fold.reduced_size = call->reduced_size;
    memcpy(fold.kept_shape, call->kept_shape, sizeof fold.kept_shape);
    memcpy(fold.reduced_shape, call->reduced_shape, sizeof fold.reduced_shape);
    memcpy(fold.kept_output, call->kept_output, sizeof fold.kept_output);
    memcpy(fold.kept_input, call->kept_input, sizeof fold.kept_input);
    memcpy(fold.reduced_input, call->reduced_input, sizeof fold.reduced_input);
    return tni_plan_fold(plan, &fold, TNI_FOLD_ARG);
}
