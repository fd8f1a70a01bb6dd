/* A total that is shared out at random: of what is left each outcome draws its part, and the last
 * one takes the rest (Devroye, 1986, XI.4). */
#include "core/array/array.h"
#include "core/base/error.h"

#include <tenorite/create.h>
#include <tenorite/elementwise.h>
#include <tenorite/random.h>

/* What is left of the total for each element of the result, as integers and as a parameter. */
typedef struct shares {
    tn_array *parts; /* an outcome after the other */
    tn_array *left, *trials;
} shares;

/* The numbers of outcome k's draw, and the parameter that is an array. `rest` is the weight of the
 * outcomes from k on, from which that of k is taken. */
static void place(tn_draw *draw, double weight, double *rest, const tn_array *trials) {
    if (draw->distribution == TN_RANDOM_BINOMIAL) {
        const double chance = *rest > 0 ? weight / *rest : 0;
        *rest -= weight;
        draw->arrays[0] = trials;
        draw->numbers[1] = chance < 1 ? chance : 1;
    } else {
        *rest -= weight;
        draw->numbers[0] = weight;
        draw->numbers[1] = *rest;
        draw->arrays[2] = trials;
    }
}

static tn_status draw_part(const shares *all, int64_t at, tn_generator *generator,
                           const tn_draw *draw, tn_stream *stream) {
    const tn_index items[] = {{.kind = TN_INDEX_INTEGER, .start = at}};
    tn_array *part = NULL, *left = all->left;
    tn_status status;
    TNI_TRY_OWNING(tn_array_slice(&part, all->parts, 1, items));
    TNI_TRY_OWNING(tn_array_assign(all->trials, all->left, TN_CASTING_UNSAFE, stream));
    TNI_TRY_OWNING(tn_random_fill(part, generator, draw, stream));
    const tn_operand operands[] = {tn_operand_array(left), tn_operand_array(part)};
    TNI_TRY_OWNING(tn_elementwise(&left, TN_OP_SUBTRACT, operands, NULL, stream));
cleanup:
    tn_array_release(part);
    return status;
}

static tn_status keep_rest(const shares *all, int64_t at, tn_stream *stream) {
    const tn_index items[] = {{.kind = TN_INDEX_INTEGER, .start = at}};
    tn_array *part;
    TNI_TRY(tn_array_slice(&part, all->parts, 1, items));
    tn_status status = tn_array_assign(part, all->left, TN_CASTING_UNSAFE, stream);
    tn_array_release(part);
    return status;
}

/* What is left of all: the totals, in the shape of the result without its last axis. */
static tn_status copy_totals(tn_array *left, const tn_array *totals, const tn_array *result,
                             tn_stream *stream) {
    const int ndim = result->ndim - 1;
    tn_array *view = NULL, *wide = NULL;
    tn_status status;
    TNI_TRY_OWNING(
        tn_array_reshape(&view, left, ndim, tni_shape(result), TN_ORDER_C, TN_COPY_NEVER, stream));
    TNI_TRY_OWNING(tn_array_broadcast_to(&wide, totals, ndim, tni_shape(result)));
    TNI_TRY_OWNING(tn_array_assign(view, wide, TN_CASTING_NO, stream));
cleanup:
    tn_array_release(view);
    tn_array_release(wide);
    return status;
}

static tn_status make_shares(shares *all, int64_t total, const tn_array *totals,
                             const tn_array *result, const int64_t *shape, tn_stream *stream) {
    const int64_t count = shape[0], transposed[] = {shape[1], count};
    TNI_TRY(tn_array_new(&all->parts, TN_I64, 2, transposed, TN_ORDER_C, stream));
    TNI_TRY(tn_array_new_full(&all->left, TN_I64, 1, &count, tn_scalar_weak_int(total), TN_ORDER_C,
                              stream));
    if (totals) TNI_TRY(copy_totals(all->left, totals, result, stream));
    return tn_array_new(&all->trials, TN_F64, 1, &count, TN_ORDER_C, stream);
}

static tn_status check(const tn_array *result, tn_distribution distribution, int64_t total) {
    if (distribution != TN_RANDOM_BINOMIAL && distribution != TN_RANDOM_HYPERGEOMETRIC)
        TNI_FAIL(TN_ERROR_VALUE,
                 "random: parts are binomial or hypergeometric, not distribution %d",
                 (int)distribution);
    if (total < 0) TNI_FAIL(TN_ERROR_VALUE, "random: parts of %lld", (long long)total);
    if (result->dtype != TN_I64 || result->ndim < 1)
        TNI_FAIL(TN_ERROR_VALUE,
                 "random: parts go to an array of int64 with an axis of outcomes, not to one of %s "
                 "of %d dimensions",
                 tn_dtype_name(result->dtype), result->ndim);
    return TN_OK;
}

tn_status tn_random_parts(tn_array *result, tn_generator *generator, tn_distribution distribution,
                          int64_t total, const tn_array *totals, const double *weights,
                          tn_stream *stream) {
    TNI_TRY(check(result, distribution, total));
    const int64_t outcomes = tni_shape(result)[result->ndim - 1];
    const int64_t shape[] = {outcomes ? result->size / outcomes : 0, outcomes};
    shares all = {NULL, NULL, NULL};
    tn_array *transposed = NULL, *rows = NULL;
    tn_draw draw = {.distribution = distribution, .scale = 1};
    double rest = distribution == TN_RANDOM_BINOMIAL ? 1 : 0;
    tn_status status = TN_OK;
    if (!result->size) return TN_OK;
    for (int64_t k = 0; k < outcomes && distribution != TN_RANDOM_BINOMIAL; k++)
        rest += weights[k];
    TNI_TRY_OWNING(make_shares(&all, total, totals, result, shape, stream));
    for (int64_t k = 0; k < outcomes - 1; k++) {
        place(&draw, weights[k], &rest, all.trials);
        TNI_TRY_OWNING(draw_part(&all, k, generator, &draw, stream));
    }
    TNI_TRY_OWNING(keep_rest(&all, outcomes - 1, stream));
    TNI_TRY_OWNING(tn_array_transpose(&transposed, all.parts, 2, NULL));
    TNI_TRY_OWNING(tn_array_reshape(&rows, result, 2, shape, TN_ORDER_C, TN_COPY_NEVER, stream));
    TNI_TRY_OWNING(tn_array_assign(rows, transposed, TN_CASTING_NO, stream));
cleanup:
    tn_array_release(all.parts);
    tn_array_release(all.left);
    tn_array_release(all.trials);
    tn_array_release(transposed);
    tn_array_release(rows);
    return status;
}
