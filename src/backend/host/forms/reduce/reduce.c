/* The form reduce on the host: which fold, which shape of work, and what becomes of the results.
 *
 * Reductions whose operation folds in any grouping are trees (reduce_rows.c, reduce_columns.c),
 * moments too; the others go from left to right (reduce_ordered.c). A small contiguous array is one
 * leaf and is folded here without a plan. */
#include "backend/host/forms/reduce/reduce.h"

#include "backend/host/forms/forms.h"
#include "backend/host/forms/reduce/folding.h"
#include "backend/host/forms/reduce/reduce_columns.h"
#include "backend/host/forms/reduce/reduce_ordered.h"
#include "backend/host/forms/reduce/reduce_rows.h"
#include "backend/host/forms/reduce/reduce_until.h"
#include "backend/host/forms/run_body.h"

#include <string.h>

/* --- Small ones, and chains --- */

/* What a chain does that folds the elements of rows as it makes them (tni_operation_fold). */
static uint8_t in_chain(const tni_folding *folding) {
    const tni_reduce *call = folding->call;
    const tn_dtype x = (tn_dtype)folding->fold->input;
    const bool is_float = x == TN_F32 || x == TN_F64;
    return is_float && folding->fold->close && !folding->staged && !folding->is_moment &&
                   call->reduced_size >= TNI_SHORT_ROW
               ? tni_operation_fold(call->op)
               : 0;
}

/* One leaf that lies as the kernel wants it. */
static bool fold_small(const tni_folding *folding) {
    const tni_reduce *call = folding->call;
    if (call->kept_size != 1 || call->reduced_ndim != 1 || folding->staged || folding->is_mapped ||
        call->reduced_size > folding->leaf || call->reduced_input[0] != folding->item)
        return false;
    _Alignas(16) char result[sizeof(tni_moment)];
    char *to = folding->is_final ? call->output : result;
    folding->fold->rows(to, call->input, 1, 0, call->reduced_size, folding->initial);
    if (!folding->is_final) tni_folding_finish(folding, result, 1, call->output, 0);
    return true;
}

/* --- Axes --- */

/* Whether a fold of an element with itself is the element. */
static bool is_idempotent(const tni_reduce *call) {
    return call->statistic == TNI_STATISTIC_FOLD && !(call->flags & TNI_COUNTS) &&
           tni_deciding_truth(call->op) >= 0;
}

static bool is_repeated(const tni_reduce *call, int axis) {
    return call->reduced_input[axis] == 0 && (!call->mask || call->reduced_mask[axis] == 0);
}

static bool is_tidy(const tni_reduce *call) {
    if (!tni_axes_are_sorted(call->kept_ndim, call->kept_input)) return false;
    if (!is_idempotent(call)) return true;
    for (int axis = 0; axis < call->reduced_ndim; axis++)
        if (is_repeated(call, axis)) return false;
    return true;
}

/* Kept axes as the input lies in memory, the fastest last (core puts them as the output lies); no
 * reduced axis along which an idempotent fold would meet the same elements again. */
static void tidy(tni_reduce *call) {
    int64_t *const lists[] = {call->kept_input, call->kept_output, call->kept_shape,
                              call->mask ? call->kept_mask : NULL};
    tni_axes_sort(call->kept_ndim, 4, lists);
    if (!is_idempotent(call)) return;
    int left = 0;
    for (int axis = 0; axis < call->reduced_ndim; axis++) {
        if (is_repeated(call, axis)) {
            call->reduced_size /= call->reduced_shape[axis];
            continue;
        }
        call->reduced_shape[left] = call->reduced_shape[axis];
        call->reduced_input[left] = call->reduced_input[axis];
        if (call->mask) call->reduced_mask[left] = call->reduced_mask[axis];
        left++;
    }
    call->reduced_ndim = left;
}

tn_status tni_host_reduce_run(const tni_reduce *call) {
    enum { FEW = 32 };
    tni_folding folding;
    tni_body_program program;
    tni_reduce tidied;
    bool is_tree = !call->is_ordered && tni_folding_plan(&folding, call);
    if (is_tree && fold_small(&folding)) return TN_OK;
    if (!is_tidy(call)) {
        tidied = *call;
        tidy(&tidied);
        call = &tidied;
    }
    if (!is_tree) return tni_fold_ordered(call);
    folding.call = call;
    folding.program = &program;
    program.folds = false;
    const bool by_columns = tni_fold_prefers_columns(&folding);
    if (call->body)
        tni_host_body_prepare(&program, call->body, by_columns ? 0 : in_chain(&folding));
    if (by_columns) return tni_fold_columns(&folding);
    if (folding.stop < 0 || call->reduced_size <= FEW) return tni_fold_rows(&folding);
    tni_fold_until(&folding);
    return TN_OK;
}

tn_status tni_host_run_reduce(void *parameters) {
    return tni_host_reduce_run(parameters);
}

/* A copy of a call, with the body after it. */
static tn_status run_copy(void *parameters) {
    tni_reduce *call = parameters;
    call->body = (const tni_body *)(call + 1);
    return tni_host_reduce_run(call);
}

tni_host_plan tni_host_plan_reduce(const tni_reduce *call) {
    tni_host_plan plan = {tni_host_run_reduce, call, sizeof *call,
                          .elements = call->kept_size * call->reduced_size};
    if (call->body) {
        plan.more = call->body;
        plan.more_bytes = tni_body_bytes(call->body);
        plan.run_copy = run_copy;
    }
    return plan;
}
