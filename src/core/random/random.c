/* The driver of random numbers: checks, parameters broadcast to the result, and the position of the
 * generator after the call. */
#include <tenorite/random.h>

#include "backend/backend.h"
#include "core/array/layout.h"
#include "core/elementwise/operands.h"
#include "forms/random.h"

#include <string.h>

/* Blocks that a drawn element, or a bounded one that is drawn again, uses at most: two words for
 * each of its attempts, or 64 waits for a small count. */
enum { BLOCKS_DRAWN = 1 << 16 };

static const struct {
    const char *name;
    int parameters;
    char kind; /* F or I of a drawn one, else 0 */
} facts[] = {
#define FILLED(NAME, name) {#name, 0, 0},
#define DRAWN(NAME, name, parameters, kind) {#name, parameters, #kind[0]},
#include <tenorite/distributions.def>
};

tn_distribution tn_distribution_find(const char *name) {
    int k = 0;
    while (k < tn_distribution_count && strcmp(facts[k].name, name))
        k++;
    return (tn_distribution)k;
}

int tn_distribution_parameters(tn_distribution distribution) {
    return facts[distribution].parameters;
}

static bool takes_dtype(tn_distribution distribution, tn_dtype dtype) {
    switch (distribution) {
    case TN_RANDOM_WORDS: return dtype == TN_U32 || dtype == TN_U64;
    case TN_RANDOM_BOUNDED: return tn_dtype_kind(dtype) <= TN_KIND_UNSIGNED;
    default:
        return facts[distribution].kind == 'I' ? dtype == TN_I64
                                               : dtype == TN_F32 || dtype == TN_F64;
    }
}

static tn_status check(const tn_array *result, const tn_draw *draw) {
    if ((unsigned)draw->distribution >= tn_distribution_count)
        TNI_FAIL(TN_ERROR_VALUE, "random: there is no distribution %d", (int)draw->distribution);
    const char *name = facts[draw->distribution].name;
    if (!takes_dtype(draw->distribution, result->dtype))
        TNI_FAIL(TN_ERROR_TYPE, "random: %s has no values of dtype %s", name,
                 tn_dtype_name(result->dtype));
    if (!(result->flags & TNI_WRITEABLE)) TNI_FAIL(TN_ERROR_VALUE, "output array is read-only");
    if (!tn_array_is_c_contiguous(result))
        TNI_FAIL(TN_ERROR_VALUE, "Supplied output array must be contiguous, writable, aligned, and "
                                 "in machine byte-order.");
    const tn_dtype wanted = draw->distribution == TN_RANDOM_SPAN ? TN_U64 : TN_F64;
    for (int k = 0; k < facts[draw->distribution].parameters; k++)
        if (draw->arrays[k] && draw->arrays[k]->dtype != wanted)
            TNI_FAIL(TN_ERROR_TYPE, "random: parameter %d of %s has dtype %s, not %s", k, name,
                     tn_dtype_name(draw->arrays[k]->dtype), tn_dtype_name(wanted));
    return TN_OK;
}

static tn_status check_generator(const tn_generator *generator) {
    const tn_array *lanes = generator->lanes;
    if (generator->kind == TN_GENERATOR_PHILOX4X32_10) {
        if (lanes) TNI_FAIL(TN_ERROR_VALUE, "random: Philox has no lanes");
        return TN_OK;
    }
    if (!lanes || lanes->dtype != TN_U32 || lanes->ndim != 2 ||
        tni_shape(lanes)[0] != TN_GENERATOR_ROWS || tni_shape(lanes)[1] != TN_GENERATOR_LANES ||
        !tn_array_is_c_contiguous(lanes) || !(lanes->flags & TNI_WRITEABLE))
        TNI_FAIL(TN_ERROR_VALUE,
                 "random: the lanes must be a writeable uint32 array of shape "
                 "(%d, %d), contiguous in order C",
                 TN_GENERATOR_ROWS, TN_GENERATOR_LANES);
    return TN_OK;
}

static void advance(tn_generator *generator, const tni_random *call) {
    int64_t per_block = tni_random_per_block(call);
    if (call->generator != TN_GENERATOR_PHILOX4X32_10) return;
    if (tni_random_is_filled(call->distribution))
        generator->position += (uint64_t)((call->count + per_block - 1) / per_block);
    if (call->distribution == TN_RANDOM_BOUNDED || !tni_random_is_filled(call->distribution))
        generator->position += BLOCKS_DRAWN;
}

/* `views` are the parameters that are arrays, in the result's shape. */
static tn_status run(const tn_array *result, const tn_array *lanes, tni_random *call,
                     const tn_array *const *views, tn_stream *stream) {
    tni_operands operands;
    int64_t *strides[TN_RANDOM_PARAMETERS];
    void *to, *from;
    tn_status status;
    tni_operands_init(&operands, stream);
    TNI_TRY_OWNING(tni_operand_open(&to, &result, TNI_WRITE, &operands));
    call->to = to;
    if (lanes) {
        TNI_TRY_OWNING(tni_array_access(&from, lanes, TNI_READ_WRITE, stream));
        call->lanes = from;
    }
    memcpy(call->shape, tni_shape(result), (size_t)result->ndim * sizeof *call->shape);
    for (int k = 0; k < TN_RANDOM_PARAMETERS; k++) {
        strides[k] = call->strides[k];
        memset(call->strides[k], 0, (size_t)result->ndim * sizeof *call->shape);
        call->arrays[k] = NULL;
        if (!views[k]) continue;
        const tn_array *view = views[k];
        TNI_TRY_OWNING(tni_operand_open(&from, &view, TNI_READ, &operands));
        call->arrays[k] = from;
        memcpy(call->strides[k], tni_strides(view), (size_t)view->ndim * sizeof *call->shape);
    }
    call->ndim =
        tni_layout_collapse(result->ndim, call->shape, TN_RANDOM_PARAMETERS, strides, NULL, false);
    status = tni_queue_random(call, stream);
cleanup:
    return tni_operands_close(&operands, status);
}

tn_status tn_random_fill(tn_array *result, tn_generator *generator, const tn_draw *draw,
                         tn_stream *stream) {
    const tn_array *all[] = {result, generator->lanes, draw->arrays[0], draw->arrays[1],
                             draw->arrays[2]};
    tn_array *views[TN_RANDOM_PARAMETERS] = {NULL};
    tn_device device;
    tn_status status = TN_OK;
    TNI_TRY(check(result, draw));
    TNI_TRY(check_generator(generator));
    TNI_TRY(tni_device_common(&device, 5, all));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    if (result->size == 0) return TN_OK;
    tni_random call = {.distribution = draw->distribution,
                       .dtype = result->dtype,
                       .count = result->size,
                       .key = generator->seed,
                       .block = generator->position,
                       .generator = generator->kind,
                       .location = draw->location,
                       .scale = draw->scale,
                       .low = (uint64_t)draw->low,
                       .span = draw->span};
    memcpy(call.numbers, draw->numbers, sizeof call.numbers);
    for (int k = 0; k < facts[draw->distribution].parameters; k++)
        if (draw->arrays[k])
            TNI_TRY_OWNING(
                tn_array_broadcast_to(&views[k], draw->arrays[k], result->ndim, tni_shape(result)));
    TNI_TRY_OWNING(run(result, generator->lanes, &call, (const tn_array *const *)views, stream));
    advance(generator, &call);
cleanup:
    for (int k = 0; k < TN_RANDOM_PARAMETERS; k++)
        tn_array_release(views[k]);
    return status;
}
