/* From the arguments of a call to types, shape and layout. */
#include "kernel/templates/resolve.h"

#include "core/array/layout.h"
#include "core/array/shape.h"
#include "core/array/view.h"
#include "forms/kernel.h"

#include <string.h>

/* --- Types --- */

static bool is_array(const tn_template_call *given, int k) {
    return k < given->count && given->operands[k].array;
}

static const char *name_of(const tni_resolved *call) {
    return call->kernel->texts[TNI_TEXT_NAME];
}

static const tn_parameter *parameter_of(const tni_resolved *call, int k) {
    return &call->kernel->parameters.list[k];
}

/* Every parameter of this type has the dtype now. */
static void settle(tni_resolved *call, const char *type, tn_dtype dtype) {
    for (int k = 0; k < call->count; k++)
        if (strcmp(parameter_of(call, k)->type, type) == 0) call->types[k] = dtype;
}

static tn_status check_type(const tni_resolved *call, int k, tn_dtype dtype) {
    if (!tn_dtype_is_stored(dtype) || tn_dtype_has_type(dtype)) return TN_OK;
    TNI_FAIL(TN_ERROR_TYPE, "kernel %s: parameter %s: elements of dtype %s have no C type",
             name_of(call), parameter_of(call, k)->name, tn_dtype_name(dtype));
}

static tn_status read_array(tni_resolved *call, const tn_template_call *given, int k) {
    const tn_parameter *parameter = parameter_of(call, k);
    tn_dtype dtype = tn_array_dtype(given->operands[k].array);
    TNI_TRY(check_type(call, k, dtype));
    if (call->types[k] == TN_DTYPE_NONE) settle(call, parameter->type, dtype);
    if (call->types[k] != dtype)
        TNI_FAIL(TN_ERROR_TYPE,
                 "Type is mismatched: kernel %s: parameter %s is %s (%s), the array is %s",
                 name_of(call), parameter->name, tn_dtype_name(call->types[k]), parameter->type,
                 tn_dtype_name(dtype));
    return TN_OK;
}

/* A number for a raw parameter goes by value, as for any other, and has no index. */
static tn_status check_scalar(const tni_resolved *call, const tn_template_call *given, int k) {
    const tn_parameter *parameter = parameter_of(call, k);
    const tn_scalar *scalar = &given->operands[k].scalar;
    if (k >= call->kernel->parameters.inputs)
        TNI_FAIL(TN_ERROR_TYPE, "kernel %s: parameter %s is an output, which has to be an array",
                 name_of(call), parameter->name);
    const bool is_stored = tn_dtype_is_stored(scalar->dtype) || tn_dtype_is_stored(call->types[k]);
    if (is_stored && scalar->dtype != call->types[k])
        TNI_FAIL(TN_ERROR_TYPE,
                 "Type is mismatched: kernel %s: parameter %s is %s (%s), the value is %s",
                 name_of(call), parameter->name, tn_dtype_name(call->types[k]), parameter->type,
                 tn_dtype_name(scalar->dtype));
    if (is_stored) return check_type(call, k, scalar->dtype);
    if (tn_dtype_kind(scalar->dtype) == TN_KIND_COMPLEX &&
        tn_dtype_kind(call->types[k]) != TN_KIND_COMPLEX)
        TNI_FAIL(TN_ERROR_TYPE, "kernel %s: parameter %s is %s, a complex number was given",
                 name_of(call), parameter->name, tn_dtype_name(call->types[k]));
    return TN_OK;
}

static tn_status check_count(const tni_resolved *call, const tn_template_call *given) {
    int inputs = call->kernel->parameters.inputs;
    if (given->count == inputs || given->count == call->count) return TN_OK;
    TNI_FAIL(TN_ERROR_TYPE,
             "Wrong number of arguments for '%s'. It must be either %d or %d (with outputs), but "
             "given %d.",
             name_of(call), inputs, call->count, given->count);
}

tn_status tni_resolve_types(tni_resolved *call, const tn_template_call *given) {
    int inputs = call->kernel->parameters.inputs;
    TNI_TRY(check_count(call, given));
    for (int k = 0; k < call->count; k++)
        call->types[k] = parameter_of(call, k)->dtype;
    for (int k = inputs; k < given->count; k++)
        if (is_array(given, k)) TNI_TRY(read_array(call, given, k));
    for (int k = 0; k < inputs; k++)
        if (is_array(given, k)) TNI_TRY(read_array(call, given, k));
    for (int k = 0; k < inputs; k++)
        if (!is_array(given, k) && call->types[k] == TN_DTYPE_NONE)
            settle(call, parameter_of(call, k)->type, given->operands[k].scalar.dtype);
    for (int k = 0; k < given->count; k++)
        if (!is_array(given, k)) TNI_TRY(check_scalar(call, given, k));
    for (int k = inputs; k < call->count; k++)
        if (call->types[k] == TN_DTYPE_NONE)
            TNI_FAIL(TN_ERROR_TYPE,
                     "kernel %s: nothing says what the type %s of output %s is; give the output",
                     name_of(call), parameter_of(call, k)->type, parameter_of(call, k)->name);
    return TN_OK;
}

/* --- Shapes --- */

tn_status tni_resolve_shape(tni_resolved *call, const tn_template_call *given) {
    int ndims[TNI_PARAMETERS_MAX], count = 0;
    const int64_t *shapes[TNI_PARAMETERS_MAX];
    for (int k = 0; k < given->count; k++) {
        const tn_array *array = given->operands[k].array;
        if (!array || parameter_of(call, k)->is_raw) continue;
        ndims[count] = array->ndim;
        shapes[count++] = tni_shape(array);
    }
    if (given->size >= 0 && count > 0)
        TNI_FAIL(TN_ERROR_VALUE,
                 "Specified 'size' can be used only if all of the ndarray are 'raw'. (kernel %s)",
                 name_of(call));
    if (given->size < 0 && count == 0)
        TNI_FAIL(TN_ERROR_VALUE,
                 "Loop size is undecided. (kernel %s: no array says it, give size=)",
                 name_of(call));
    call->ndim = 1;
    call->shape[0] = given->size;
    if (count > 0) TNI_TRY(tn_shape_broadcast(&call->ndim, call->shape, count, ndims, shapes));
    return tni_shape_size(&call->size, call->ndim, call->shape, 1);
}

/* --- Layout --- */

static char lies_along(const tni_resolved *call, int k, int axis) {
    int64_t stride = call->strides[k][axis];
    if (call->shape[axis] == 1 || stride == tn_dtype_size(call->types[k])) return TNI_LIES_UNIT;
    return stride == 0 ? TNI_LIES_SAME : TNI_LIES_STRIDED;
}

/* Whether 32 bits hold every index of the shape and of raw arrays. */
static bool fits_in_32_bits(const tni_resolved *call) {
    bool fits = call->size <= INT32_MAX;
    for (int k = 0; k < call->count; k++)
        fits &= !call->arrays[k] || call->arrays[k]->size <= INT32_MAX;
    return fits;
}

static int list_walked(tni_resolved *call, int64_t **strides, int *which) {
    int count = 0;
    for (int k = 0; k < call->count; k++) {
        call->offsets[k] = 0;
        if (!tni_is_walked(call, k)) continue;
        which[count] = k;
        strides[count++] = call->strides[k];
    }
    return count;
}

static void classify(tni_resolved *call) {
    for (int k = 0; k < call->count; k++)
        call->lies[k] = !call->arrays[k]                ? TNI_LIES_SCALAR
                        : parameter_of(call, k)->is_raw ? TNI_LIES_RAW
                                                        : TNI_LIES_STRIDED;
}

static bool is_flat(const tni_resolved *call) {
    int common = TNI_C_CONTIGUOUS | (call->kernel->sees_order ? 0 : TNI_F_CONTIGUOUS);
    for (int k = 0; k < call->count; k++) {
        const tn_array *array = call->arrays[k];
        if (!tni_is_walked(call, k)) continue;
        if (array->ndim != call->ndim || array->size != call->size) return false;
        common &= array->flags;
    }
    return common != 0;
}

static void collapse(tni_resolved *call) {
    int64_t *strides[TNI_PARAMETERS_MAX], shifts[TNI_PARAMETERS_MAX] = {0};
    int which[TNI_PARAMETERS_MAX];
    int count = list_walked(call, strides, which);
    for (int k = 0; k < count; k++)
        tni_strides_broadcast(strides[k], call->arrays[which[k]], call->ndim);
    if (call->kernel->keeps_axes && call->kernel->sees_index) return;
    call->ndim = tni_layout_collapse(call->ndim, call->shape, count, strides, shifts,
                                     !call->kernel->sees_order);
    for (int k = 0; k < count; k++)
        call->offsets[which[k]] = shifts[k];
}

/* One axis at least, so that every program has one. */
static void add_axis(tni_resolved *call) {
    if (call->ndim > 0) return;
    call->ndim = 1;
    call->shape[0] = 1;
    for (int k = 0; k < call->count; k++)
        call->strides[k][0] = 0;
}

void tni_resolve_layout(tni_resolved *call) {
    classify(call);
    call->is_small = fits_in_32_bits(call);
    if (is_flat(call) && !(call->kernel->keeps_axes && call->kernel->sees_index)) {
        call->ndim = 1;
        call->shape[0] = call->size;
        for (int k = 0; k < call->count; k++) {
            call->offsets[k] = 0;
            if (!tni_is_walked(call, k)) continue;
            call->strides[k][0] = tn_dtype_size(call->types[k]);
            call->lies[k] = TNI_LIES_UNIT;
        }
        return;
    }
    collapse(call);
    add_axis(call);
    for (int k = 0; k < call->count; k++)
        if (tni_is_walked(call, k) && (call->on_host || call->ndim == 1))
            call->lies[k] = lies_along(call, k, call->ndim - 1);
}

/* --- Reductions --- */

/* The axes of one half of a reduction, made as few as they can be. Returns how many. */
static int collapse_half(tni_resolved *call, int first, int count) {
    int64_t copies[TNI_PARAMETERS_MAX][TN_MAX_NDIM], *strides[TNI_PARAMETERS_MAX] = {NULL};
    int64_t shape[TN_MAX_NDIM], shifts[TNI_PARAMETERS_MAX] = {0};
    int which[TNI_PARAMETERS_MAX], walked = 0;
    memcpy(shape, call->shape + first, (size_t)count * sizeof *shape);
    for (int k = 0; k < call->count; k++) {
        if (!tni_is_walked(call, k)) continue;
        memcpy(copies[walked], call->strides[k] + first, (size_t)count * sizeof *shape);
        strides[walked] = copies[walked];
        which[walked++] = k;
    }
    int made =
        tni_layout_collapse(count, shape, walked, strides, shifts, !call->kernel->sees_order);
    memcpy(call->shape + first, shape, (size_t)made * sizeof *shape);
    for (int k = 0; k < walked; k++) {
        memcpy(call->strides[which[k]] + first, copies[k], (size_t)made * sizeof *shape);
        call->offsets[which[k]] += shifts[k];
    }
    return made;
}

/* Moves the axes from `from` on to `to`, below it. */
static void move_axes(tni_resolved *call, int to, int from, int count) {
    memmove(call->shape + to, call->shape + from, (size_t)count * sizeof *call->shape);
    for (int k = 0; k < call->count; k++)
        memmove(call->strides[k] + to, call->strides[k] + from,
                (size_t)count * sizeof *call->shape);
}

static void collapse_halves(tni_resolved *call) {
    int outs = call->ndim - call->reduced;
    if (call->kernel->keeps_axes || call->kernel->sees_index) return;
    int reduced = collapse_half(call, 0, call->reduced);
    move_axes(call, reduced, call->reduced, outs);
    call->reduced = reduced;
    call->ndim = reduced + collapse_half(call, reduced, outs);
}

/* The strides of a parameter with the reduced axes first. An output has none there. */
static void order_axes(tni_resolved *call, int k, int ndim, uint64_t axes) {
    const tn_array *array = call->arrays[k];
    int64_t whole[TN_MAX_NDIM];
    int at = 0, kept = 0;
    bool is_output = k >= call->kernel->parameters.inputs;
    if (!is_output) tni_strides_broadcast(whole, array, ndim);
    for (int axis = 0; axis < ndim; axis++)
        if (axes >> axis & 1) call->strides[k][at++] = is_output ? 0 : whole[axis];
    for (int axis = 0; axis < ndim; axis++) {
        if (axes >> axis & 1) continue;
        call->strides[k][at++] =
            is_output ? tni_strides(array)[call->keepdims ? axis : kept] : whole[axis];
        kept++;
    }
}

/* Whether the first input's elements lie closer along the outputs than along the reduced axes. */
static bool is_in_columns(const tni_resolved *call) {
    if (call->reduced == 0 || call->ndim == call->reduced) return false;
    for (int k = 0; k < call->kernel->parameters.inputs; k++) {
        if (!tni_is_walked(call, k)) continue;
        int64_t out = call->strides[k][call->ndim - 1], in = call->strides[k][call->reduced - 1];
        out = out < 0 ? -out : out;
        in = in < 0 ? -in : in;
        if (out != in) return out != 0 && (in == 0 || out < in);
    }
    return false;
}

void tni_resolve_reduction(tni_resolved *call, uint64_t axes) {
    int64_t shape[TN_MAX_NDIM];
    int at = 0, ndim = call->ndim;
    classify(call);
    call->is_small = fits_in_32_bits(call);
    memcpy(shape, call->shape, sizeof shape);
    for (int axis = 0; axis < ndim; axis++)
        if (axes >> axis & 1) call->shape[at++] = shape[axis];
    call->reduced = at;
    for (int axis = 0; axis < ndim; axis++)
        if (!(axes >> axis & 1)) call->shape[at++] = shape[axis];
    for (int k = 0; k < call->count; k++) {
        call->offsets[k] = 0;
        if (tni_is_walked(call, k)) order_axes(call, k, ndim, axes);
    }
    collapse_halves(call);
    call->in_columns = is_in_columns(call);
    int axis = call->in_columns ? call->ndim - 1 : call->reduced - 1;
    for (int k = 0; k < call->kernel->parameters.inputs; k++)
        if (tni_is_walked(call, k) && call->on_host)
            call->lies[k] = axis < 0 ? TNI_LIES_UNIT : lies_along(call, k, axis);
}

/* Whether the input is the same along an axis that has several elements. */
static bool repeats(const tni_resolved *call, int k) {
    for (int axis = 0; axis < call->ndim; axis++)
        if (call->shape[axis] > 1 && call->strides[k][axis] == 0) return true;
    return false;
}

static bool lies_as(const tni_resolved *call, int k, int leader) {
    int64_t size = tn_dtype_size(call->types[k]), other = tn_dtype_size(call->types[leader]);
    for (int axis = 0; axis < call->ndim; axis++) {
        int64_t stride = call->strides[k][axis];
        if (call->shape[axis] > 1 &&
            (stride % size != 0 || stride / size * other != call->strides[leader][axis]))
            return false;
    }
    return true;
}

int tni_resolve_leader(tni_resolved *call) {
    int leader = -1;
    for (int k = call->kernel->parameters.inputs - 1; k >= 0; k--)
        if (tni_is_walked(call, k) && (leader < 0 || !repeats(call, k) || repeats(call, leader)))
            leader = k;
    if (leader < 0) return leader;
    call->lies[leader] = TNI_LIES_LEADING;
    for (int k = 0, count = 1; k < call->kernel->parameters.inputs; k++) {
        if (k == leader || !tni_is_walked(call, k) || !lies_as(call, k, leader)) continue;
        if (count++ < TNI_FOLD_TOGETHER) call->lies[k] = TNI_LIES_TOGETHER;
    }
    return leader;
}
