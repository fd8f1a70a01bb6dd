/* The driver of batch normalisation: arrays as the form takes them, dense maps and parameters that
 * lie side by side in the dtype of the computation. */
#include "backend/backend.h"
#include "core/move/astype.h"
#include "core/neural/maps.h"

#include <string.h>

enum { PARAMETERS = 7 };

/* An array of a call, and what the form gets. */
typedef struct operand {
    tn_array *given, *held;
    bool is_written, is_read;
} operand;

typedef struct norm {
    const char *function;
    tni_batch_norm form;
    bool per_activation, is_last; /* the maps' channels lie beside each other */
    tn_dtype working;
    int64_t channels;
    operand maps[3], parameters[PARAMETERS];
    const char *names[PARAMETERS];
    tn_stream *stream;
} norm;

enum { X, DY, RESULT };

static tn_array *in(const tn_array *array) {
    return (tn_array *)(uintptr_t)array;
}

/* The order of the axes in memory: the channels second, or last. */
static void order_of(const norm *n, int ndim, int *order) {
    for (int k = 0; k < ndim; k++)
        order[k] = !n->is_last || k == 0 ? k : k < ndim - 1 ? k + 1 : 1;
}

static bool is_dense(const norm *n, const tn_array *array) {
    int order[TN_MAX_NDIM];
    int64_t step = (int64_t)tn_dtype_size((tn_dtype)array->dtype);
    order_of(n, array->ndim, order);
    for (int k = array->ndim - 1; k >= 0; k--) {
        const int64_t size = tni_shape(array)[order[k]];
        if (size != 1 && tni_strides(array)[order[k]] != step) return false;
        step *= size;
    }
    return array->flags & TNI_ALIGNED;
}

static tn_status check_maps(norm *n) {
    static const char *const names[3] = {"x", "dy", "the result"};
    const tn_array *arrays[3 + PARAMETERS], *x = n->maps[X].given;
    for (int k = 0; k < 3; k++) {
        const tn_array *array = arrays[k] = n->maps[k].given;
        if (!array) continue;
        TNI_TRY(tni_array_check_numbers(array));
        if (array->dtype != TN_F16 && array->dtype != TN_BF16 && array->dtype != TN_F32 &&
            array->dtype != TN_F64)
            TNI_FAIL(TN_ERROR_TYPE, "%s: %s must be float16, bfloat16, float32 or float64, not %s",
                     n->function, names[k], tn_dtype_name((tn_dtype)array->dtype));
        if (array->dtype != x->dtype)
            TNI_FAIL(TN_ERROR_TYPE, "%s: %s is %s, but x is %s", n->function, names[k],
                     tn_dtype_name((tn_dtype)array->dtype), tn_dtype_name((tn_dtype)x->dtype));
        if (array->ndim != x->ndim ||
            memcmp(tni_shape(array), tni_shape(x), sizeof(int64_t) * x->ndim) != 0)
            return tni_maps_fail_shape(n->function, names[k], array, tni_shape(x));
    }
    if (x->ndim < 2 || x->size == 0)
        TNI_FAIL(TN_ERROR_VALUE, "%s: x must have elements along 2 axes and more", n->function);
    TNI_TRY(tni_array_check_writeable(n->maps[RESULT].given));
    n->working = x->dtype == TN_F64 ? TN_F64 : TN_F32;
    n->channels = n->per_activation ? x->size / tni_shape(x)[0] : tni_shape(x)[1];
    for (int k = 0; k < PARAMETERS; k++)
        arrays[3 + k] = n->parameters[k].given;
    tn_device device;
    TNI_TRY(tni_device_common(&device, 3 + PARAMETERS, arrays));
    return tni_stream_resolve(&n->stream, n->stream, device);
}

static tn_status check_parameters(const norm *n) {
    for (int k = 0; k < PARAMETERS; k++) {
        const tn_array *array = n->parameters[k].given;
        if (!array) continue;
        TNI_TRY(tni_array_check_numbers(array));
        if (array->size != n->channels)
            TNI_FAIL(TN_ERROR_VALUE, "%s: %s has %lld elements, x has %lld parameters", n->function,
                     n->names[k], (long long)array->size, (long long)n->channels);
        if (n->parameters[k].is_written) TNI_TRY(tni_array_check_writeable(array));
    }
    return TN_OK;
}

/* Whether an array meets one that is written. */
static bool is_changed(const norm *n, const operand *one) {
    const tn_array *given = one->given;
    for (int k = 0; k < PARAMETERS; k++) {
        const operand *other = &n->parameters[k];
        if (other != one && other->given && other->is_written &&
            tni_array_may_meet(given, other->given))
            return true;
    }
    if (one == &n->maps[RESULT]) return false;
    const tni_overlap overlap = tni_array_overlap(n->maps[RESULT].given, given);
    const bool is_map = one == &n->maps[X] || one == &n->maps[DY];
    return overlap == TNI_OVERLAP_PARTIAL || (overlap == TNI_OVERLAP_EXACT && !is_map);
}

static tn_status hold_map(norm *n, operand *map) {
    if (!map->given) return TN_OK;
    if (is_dense(n, map->given) && !is_changed(n, map)) {
        map->held = tn_array_retain(map->given);
        return TN_OK;
    }
    int order[TN_MAX_NDIM];
    const tn_array *given = map->given;
    order_of(n, given->ndim, order);
    TNI_TRY(tni_array_new_ordered(&map->held, (tn_dtype)given->dtype, given->ndim, tni_shape(given),
                                  order, n->stream));
    return map->is_written ? TN_OK : tn_array_assign(map->held, given, TN_CASTING_SAFE, n->stream);
}

static tn_status hold_parameter(norm *n, operand *one) {
    const tn_array *given = one->given;
    if (!given) return TN_OK;
    if (given->dtype == n->working && given->flags & TNI_C_CONTIGUOUS &&
        given->flags & TNI_ALIGNED && !is_changed(n, one)) {
        one->held = tn_array_retain(one->given);
        return TN_OK;
    }
    return tn_array_astype(&one->held, given, n->working, TN_ORDER_C, TN_CASTING_UNSAFE,
                           TN_COPY_ALWAYS, n->stream);
}

static tn_status open_one(void *address, const operand *one, tn_stream *stream) {
    void *found = NULL;
    if (one->held)
        TNI_TRY(tni_array_access(&found, one->held,
                                 !one->is_written ? TNI_READ
                                 : one->is_read   ? TNI_READ_WRITE
                                                  : TNI_WRITE,
                                 stream));
    memcpy(address, &found, sizeof found);
    return TN_OK;
}

static tn_status queue(norm *n, void *const places[PARAMETERS]) {
    tni_batch_norm *form = &n->form;
    const tn_array *x = n->maps[X].given;
    void *const of_maps[3] = {&form->x, &form->dy, &form->result};
    for (int k = 0; k < 3; k++)
        TNI_TRY(open_one(of_maps[k], &n->maps[k], n->stream));
    for (int k = 0; k < PARAMETERS; k++)
        if (n->parameters[k].held) TNI_TRY(open_one(places[k], &n->parameters[k], n->stream));
    form->dtype = (tn_dtype)x->dtype;
    form->channels = n->channels;
    form->outer = tni_shape(x)[0];
    form->inner = x->size / form->outer / form->channels;
    if (n->is_last) {
        form->outer *= form->inner;
        form->inner = 1;
    }
    return tni_queue_batch_norm(form, n->stream);
}

static tn_status give_back(const operand *one, tn_stream *stream) {
    if (!one->is_written || !one->held || one->held == one->given) return TN_OK;
    return tn_array_assign(one->given, one->held, TN_CASTING_UNSAFE, stream);
}

static tn_status run(norm *n, void *const places[PARAMETERS]) {
    tn_status status = check_maps(n);
    if (!status) status = check_parameters(n);
    if (status) return status;
    n->is_last = !n->per_activation && !is_dense(n, n->maps[X].given);
    if (n->is_last && !is_dense(n, n->maps[X].given)) n->is_last = false;
    for (int k = 0; k < 3 && !status; k++)
        status = hold_map(n, &n->maps[k]);
    for (int k = 0; k < PARAMETERS && !status; k++)
        status = hold_parameter(n, &n->parameters[k]);
    if (!status) status = queue(n, places);
    for (int k = 0; k < PARAMETERS && !status; k++)
        status = give_back(&n->parameters[k], n->stream);
    if (!status) status = give_back(&n->maps[RESULT], n->stream);
    for (int k = 0; k < 3; k++)
        tn_array_release(n->maps[k].held);
    for (int k = 0; k < PARAMETERS; k++)
        tn_array_release(n->parameters[k].held);
    return status;
}

tn_status tn_batch_norm_forward(tn_array *y, tn_array *mean, tn_array *inverse,
                                tn_array *running_mean, tn_array *running_variance,
                                const tn_array *x, const tn_array *scale, const tn_array *bias,
                                const tn_batch_norm_options *options, tn_stream *stream) {
    norm n = {.function = "batch_norm_forward",
              .form = {.way = TNI_BATCH_NORM_FORWARD,
                       .epsilon = options->epsilon,
                       .factor = options->factor},
              .per_activation = options->per_activation,
              .maps = {{in(x)}, {NULL}, {y, .is_written = true}},
              .parameters = {{in(scale)},
                             {in(bias)},
                             {mean, .is_written = true},
                             {inverse, .is_written = true},
                             {running_mean, .is_written = true, .is_read = true},
                             {running_variance, .is_written = true, .is_read = true}},
              .names = {"scale", "bias", "mean", "inverse", "running_mean", "running_variance"},
              .stream = stream};
    void *const places[PARAMETERS] = {&n.form.scale,        &n.form.bias,
                                      &n.form.mean,         &n.form.inverse,
                                      &n.form.running_mean, &n.form.running_variance};
    if (!running_mean != !running_variance)
        TNI_FAIL(TN_ERROR_VALUE, "%s: one of the running values is missing", n.function);
    return run(&n, places);
}

tn_status tn_batch_norm_given(tn_array *y, const tn_array *x, const tn_array *scale,
                              const tn_array *bias, const tn_array *mean, const tn_array *variance,
                              const tn_batch_norm_options *options, tn_stream *stream) {
    norm n = {.function = "batch_norm_given",
              .form = {.way = TNI_BATCH_NORM_GIVEN, .epsilon = options->epsilon},
              .per_activation = options->per_activation,
              .maps = {{in(x)}, {NULL}, {y, .is_written = true}},
              .parameters = {{in(scale)}, {in(bias)}, {in(mean)}, {in(variance)}},
              .names = {"scale", "bias", "mean", "variance"},
              .stream = stream};
    void *const places[PARAMETERS] = {&n.form.scale, &n.form.bias, &n.form.mean, &n.form.inverse};
    return run(&n, places);
}

tn_status tn_batch_norm_backward(tn_array *dx, tn_array *dscale, tn_array *dbias, const tn_array *x,
                                 const tn_array *dy, const tn_array *scale, const tn_array *mean,
                                 const tn_array *inverse, const tn_batch_norm_options *options,
                                 tn_stream *stream) {
    norm n = {.function = "batch_norm_backward",
              .form = {.way = TNI_BATCH_NORM_BACKWARD},
              .per_activation = options->per_activation,
              .maps = {{in(x)}, {in(dy)}, {dx, .is_written = true}},
              .parameters = {{in(scale)},
                             {in(mean)},
                             {in(inverse)},
                             {dscale, .is_written = true},
                             {dbias, .is_written = true}},
              .names = {"scale", "mean", "inverse", "dscale", "dbias"},
              .stream = stream};
    void *const places[PARAMETERS] = {&n.form.scale, &n.form.mean, &n.form.inverse, &n.form.dscale,
                                      &n.form.dbias};
    return run(&n, places);
}
