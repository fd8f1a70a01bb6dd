/* Interpolated images and filters of Fourier transforms, whose arguments Python has completed. */
#include "functions/image/image_map.h"

#include "values/kinds.h"

enum { REALS = 256 };

/* A tuple of numbers; None: count -1. */
typedef struct ext_given_reals {
    int count;
    double at[REALS];
} ext_given_reals;

static int read_reals(void *to, PyObject *object, const ext_parameter *which) {
    ext_given_reals *reals = to;
    reals->count = -1;
    if (object == Py_None) return 0;
    if (!PyTuple_Check(object) || PyTuple_Size(object) > REALS)
        return ext_refuse_kind(which, "a tuple of at most 256 numbers", object);
    reals->count = (int)PyTuple_Size(object);
    for (int k = 0; k < reals->count; k++) {
        reals->at[k] = PyFloat_AsDouble(PyTuple_GetItem(object, k));
        if (reals->at[k] == -1 && PyErr_Occurred()) return -1;
    }
    return 0;
}
static const ext_kind ext_kind_reals = {.read = read_reals};

/* A number, also a complex one. */
typedef struct ext_given_value {
    bool is_complex;
    double parts[2];
} ext_given_value;

static int read_value(void *to, PyObject *object, const ext_parameter *which) {
    ext_given_value *value = to;
    (void)which;
    value->is_complex = PyComplex_Check(object);
    value->parts[0] = value->is_complex ? PyComplex_RealAsDouble(object) : PyFloat_AsDouble(object);
    value->parts[1] = value->is_complex ? PyComplex_ImagAsDouble(object) : 0;
    return value->parts[0] == -1 && PyErr_Occurred() ? -1 : 0;
}
static const ext_kind ext_kind_value = {.read = read_value};

/* The name of a mode. */
typedef tn_spline_border ext_given_border;
static int read_border(void *to, PyObject *object, const ext_parameter *which) {
    static const struct {
        const char *name;
        tn_spline_border border;
    } borders[] = {{"constant", TN_BORDER_CONSTANT},   {"mirror", TN_BORDER_MIRROR},
                   {"nearest", TN_BORDER_NEAREST},     {"reflect", TN_BORDER_REFLECT},
                   {"wrap", TN_BORDER_WRAP},           {"grid-constant", TN_BORDER_GRID_CONSTANT},
                   {"grid-wrap", TN_BORDER_GRID_WRAP}, {"grid-mirror", TN_BORDER_REFLECT}};
    (void)which;
    for (size_t k = 0; PyUnicode_Check(object) && k < sizeof borders / sizeof *borders; k++)
        if (!PyUnicode_CompareWithASCIIString(object, borders[k].name)) {
            *(tn_spline_border *)to = borders[k].border;
            return 0;
        }
    PyErr_SetString(PyExc_RuntimeError, "boundary mode not supported");
    return -1;
}
static const ext_kind ext_kind_border = {.read = read_border};

EXT_FORWARD(image_spline,
            tn_array_spline(&call->made, call->array, call->order, call->border, call->axes.count,
                            call->axes.at, call->dtype, NULL),
            EXT_SIZED, (array, array), (number, order), (border, border), (axes, axes),
            (dtype, dtype), (made, made))

static tn_status check_count(const ext_given_reals *reals, int64_t count) {
    if (reals->count == count) return TN_OK;
    tn_error_set("the numbers of a map do not fit its axes");
    return TN_ERROR_VALUE;
}

/* Axes as bits. */
static uint64_t planes_of(const ext_given_reals *axes) {
    uint64_t planes = 0;
    for (int k = 0; k < axes->count; k++)
        if (axes->at[k] >= 0 && axes->at[k] < TN_MAX_NDIM)
            planes |= UINT64_C(1) << (int)axes->at[k];
    return planes;
}

static tn_status check_value(const ext_given_value *value, const tn_array *array) {
    if (!value->is_complex || tn_dtype_kind(tn_array_dtype(array)) == TN_KIND_COMPLEX) return TN_OK;
    tn_error_set("must be real number, not complex");
    return TN_ERROR_TYPE;
}

/* Beside a matrix `zoom` has the axes that are planes, else the factor of each axis and what is
 * added after it. */
EXT_CALL(image_map, EXT_SIZED, (array, array), (number, order), (border, border), (truth, filters),
         (value, cval), (dtype, dtype), (optional_array, output), (shape, shape), (reals, matrix),
         (reals, offset), (reals, zoom), (made, made)) {
    const int ndim = tn_array_ndim(call->array);
    const bool is_apart = call->matrix.count < 0;
    const int64_t needed = is_apart ? ndim + 1 : (int64_t)ndim * call->shape.count;
    tn_status status = check_value(&call->cval, call->array);
    if (!status) status = check_count(&call->offset, ndim);
    if (!status) status = check_count(is_apart ? &call->zoom : &call->matrix, needed);
    if (status) return status;
    const tn_image_map map = {.order = call->order,
                              .border = call->border,
                              .filters = call->filters,
                              .cval = {call->cval.parts[0], call->cval.parts[1]},
                              .dtype = call->dtype,
                              .output = call->output,
                              .ndim = call->shape.count,
                              .shape = call->shape.at,
                              .matrix = is_apart ? NULL : call->matrix.at,
                              .offset = call->offset.at,
                              .zoom = call->zoom.at,
                              .shift = call->offset.at,
                              .after = is_apart ? call->zoom.at[ndim] : 0,
                              .planes = is_apart ? 0 : planes_of(&call->zoom)};
    return tn_array_map(&call->made, call->array, &map, NULL);
}

EXT_CALL(image_map_coordinates, EXT_SIZED, (array, array), (number, order), (border, border),
         (truth, filters), (value, cval), (dtype, dtype), (optional_array, output),
         (array, coordinates), (made, made)) {
    const tn_image_map map = {.order = call->order,
                              .border = call->border,
                              .filters = call->filters,
                              .cval = {call->cval.parts[0], call->cval.parts[1]},
                              .dtype = call->dtype,
                              .output = call->output};
    tn_status status = check_value(&call->cval, call->array);
    if (status) return status;
    return tn_array_map_coordinates(&call->made, call->array, call->coordinates, &map, NULL);
}

EXT_CALL(image_fourier, EXT_SIZED, (array, array), (number, filter), (reals, sizes), (int64, n),
         (number, axis), (dtype, dtype), (optional_array, output), (made, made)) {
    tn_status status = check_count(&call->sizes, tn_array_ndim(call->array));
    if (status) return status;
    return tn_array_fourier_filter(&call->made, call->array, (tn_fourier_filter)call->filter,
                                   call->sizes.at, call->n, call->axis, call->dtype, call->output,
                                   NULL);
}

PyMethodDef ext_image_map_functions[] = {
    EXT_ENTRY(image_spline),  EXT_ENTRY(image_map),  EXT_ENTRY(image_map_coordinates),
    EXT_ENTRY(image_fourier), {NULL, NULL, 0, NULL},
};
