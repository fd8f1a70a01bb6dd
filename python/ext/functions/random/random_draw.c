/* Distributions as Python calls them: an object for each method, which reads the parameters,
 * makes the result and fills it.
 *
 * A rule says what a parameter is for and between which numbers it lies. Numbers are checked here;
 * everything else is made an array, and looked at where the rule asks for it, by read_parameter()
 * of random/_arguments.py, which knows the same rules. */
#include "functions/random/random_draw.h"

#include "base/arguments.h"
#include "base/dtypes.h"
#include "base/errors.h"
#include "base/object.h"
#include "base/types.h"
#include "functions/random/random.h"

#include <string.h>

enum { MOST_RULES = 5 };

/* What a parameter is for. LOW and HIGH are the ends of an interval. */
typedef enum role { PARAMETER, LOCATION, SCALE, LOW, HIGH } role;

typedef struct rule {
    role role;
    double least, most;
    bool looks;                           /* at the elements of arrays */
    PyObject *text, *text_above, *object; /* borrowed of the drawing's tuple */
} rule;

typedef struct drawing {
    PyObject_HEAD
    tn_draw draw;
    bool is_integer, is_any_dtype, is_narrowed;
    int count;
    rule rules[MOST_RULES];
    PyObject *name, *tuple;
} drawing;

/* What one call has read. */
typedef struct reading {
    tn_draw draw;
    PyObject *values[MOST_RULES]; /* those that are no numbers, owned: ndarrays */
    double numbers[MOST_RULES];
    tn_dtype dtype;
    bool is_cast; /* into the dtype that was asked for */
    int ndim;
    int64_t shape[TN_MAX_NDIM];
} reading;

/* --- A drawing --- */

static int read_rule(PyObject *object, rule *rule) {
    static const char letters[] = "pslab";
    static const role roles[] = {PARAMETER, SCALE, LOCATION, LOW, HIGH};
    const char *letter, *at;
    PyObject *looks;
    if (!PyArg_ParseTuple(object, "sddOOO", &letter, &rule->least, &rule->most, &rule->text,
                          &rule->text_above, &looks))
        return -1;
    if (!*letter || !(at = strchr(letters, *letter))) {
        PyErr_Format(PyExc_ValueError, "there is no role '%s' of a parameter", letter);
        return -1;
    }
    rule->role = roles[at - letters];
    rule->object = object;
    rule->looks = looks == Py_True;
    return 0;
}

/* _Drawing(distribution, rules, kind): kind is "f", "w" of floats that come in any real dtype,
 * "n" of those that do so for RandomState alone, or "i". */
static PyObject *drawing_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    PyObject *name, *rules;
    const char *kind;
    (void)keywords;
    if (!PyArg_ParseTuple(arguments, "UO!s", &name, &PyTuple_Type, &rules, &kind)) return NULL;
    PyObject *made = ext_alloc(type);
    if (!made) return NULL;
    drawing *self = (drawing *)made;
    Py_INCREF(name), self->name = name;
    Py_INCREF(rules), self->tuple = rules;
    self->draw.scale = 1;
    self->count = (int)PyTuple_Size(rules);
    self->is_integer = *kind == 'i';
    self->is_any_dtype = *kind == 'w';
    self->is_narrowed = *kind == 'n' || *kind == 'w';
    int failed = ext_random_distribution(name, &self->draw);
    if (!failed && self->count > MOST_RULES) {
        PyErr_SetString(PyExc_ValueError, "a drawing has at most 5 rules");
        failed = -1;
    }
    for (int k = 0; k < self->count && !failed; k++)
        failed = read_rule(PyTuple_GetItem(rules, k), &self->rules[k]);
    if (!failed) return made;
    Py_DECREF(made);
    return NULL;
}

static void drawing_dealloc(PyObject *object) {
    drawing *self = (drawing *)object;
    Py_CLEAR(self->name);
    Py_CLEAR(self->tuple);
    ext_free(object);
}

/* --- A call: what it is given --- */

static PyObject *call_arguments(const char *name, PyObject *first, PyObject *second) {
    PyObject *function = ext_import("tenorite.random._arguments", name);
    if (!function) return NULL;
    PyObject *result = PyObject_CallFunctionObjArgs(function, first, second, NULL);
    Py_DECREF(function);
    return result;
}

static int read_value(PyObject *object, const rule *rule, double *number, PyObject **array) {
    PyObject *value = NULL;
    *array = NULL;
    if (!rule->looks && ext_is_array(object) && tn_array_dtype(ext_array(object)) == TN_F64) {
        Py_INCREF(object);
        *array = object;
        return 0;
    }
    if (!PyFloat_Check(object) && !PyLong_Check(object)) {
        object = value = call_arguments("read_parameter", object, rule->object);
        if (!value) return -1;
        if (ext_is_array(value)) {
            *array = value;
            return 0;
        }
    }
    *number = PyFloat_AsDouble(object);
    Py_XDECREF(value);
    if (*number == -1 && PyErr_Occurred()) return -1;
    if (rule->text == Py_None || (*number >= rule->least && *number <= rule->most)) return 0;
    PyErr_SetObject(PyExc_ValueError, *number > rule->most ? rule->text_above : rule->text);
    return -1;
}

static int refuse_dtype(const drawing *self, tn_dtype dtype) {
    PyErr_Format(PyExc_TypeError, "Unsupported dtype %s for %U%s", tn_dtype_name(dtype), self->name,
                 self->is_integer ? "" : ": it gives float32 and float64");
    return -1;
}

/* `narrows`: the generator is one that converts the numbers of most distributions. */
static int read_dtype(const drawing *self, PyObject *dtype, bool narrows, bool has_out,
                      reading *reading) {
    const tn_dtype drawn = self->is_integer ? TN_I64 : TN_F64;
    reading->is_cast = false;
    reading->dtype = drawn;
    if (dtype == (PyObject *)(self->is_integer ? &PyLong_Type : &PyFloat_Type)) return 0;
    if (ext_dtype(dtype, &reading->dtype)) return -1;
    if (reading->dtype == TN_DTYPE_NONE) reading->dtype = TN_F64;
    if (reading->dtype == drawn || (!self->is_integer && reading->dtype == TN_F32)) return 0;
    const tn_kind kind = tn_dtype_kind(reading->dtype);
    const bool is_allowed =
        self->is_integer || (!has_out && ((narrows && self->is_narrowed) ||
                                          (self->is_any_dtype && kind != TN_KIND_BOOL)));
    if (!is_allowed || kind > TN_KIND_FLOAT) return refuse_dtype(self, reading->dtype);
    reading->is_cast = true;
    reading->dtype = drawn;
    return 0;
}

/* Whether the arrays lie in the last axes of the shape, with the same lengths. */
static bool arrays_fit(const drawing *self, const reading *reading) {
    for (int k = 0; k < self->count; k++) {
        if (!reading->values[k]) continue;
        const tn_array *array = ext_array(reading->values[k]);
        const int before = reading->ndim - tn_array_ndim(array);
        if (before < 0) return false;
        for (int axis = before; axis < reading->ndim; axis++)
            if (tn_array_shape(array)[axis - before] != reading->shape[axis]) return false;
    }
    return true;
}

/* The shape that `size` says, or that of the arrays: shape_of() where there are arrays that don't
 * fit it, or where size is neither an int nor a tuple. */
static int read_size(const drawing *self, PyObject *size, reading *reading) {
    bool has_arrays = false;
    for (int k = 0; k < self->count; k++)
        has_arrays |= reading->values[k] != NULL;
    if (size == Py_None && !has_arrays) {
        reading->ndim = 0;
        return 0;
    }
    PyObject *shape = NULL, *arrays = NULL;
    const bool is_plain = PyLong_Check(size) || PyTuple_Check(size);
    if (has_arrays && is_plain && !ext_shape(size, &reading->ndim, reading->shape) &&
        arrays_fit(self, reading))
        return 0;
    PyErr_Clear();
    if (has_arrays || !is_plain) {
        arrays = PyList_New(0);
        int failed = !arrays;
        for (int k = 0; k < self->count && !failed; k++)
            if (reading->values[k]) failed = PyList_Append(arrays, reading->values[k]);
        if (!failed) shape = call_arguments("shape_of", size, arrays);
        Py_XDECREF(arrays);
        if (!shape) return -1;
        size = shape;
    }
    int failed = ext_shape(size, &reading->ndim, reading->shape);
    Py_XDECREF(shape);
    if (failed && PyErr_ExceptionMatches(PyExc_OverflowError))
        PyErr_SetString(PyExc_ValueError, "Maximum allowed dimension exceeded");
    return failed;
}

/* --- A call: the numbers --- */

/* Where the value of the rule with that role is, or -1. */
static int find_role(const drawing *self, role role) {
    for (int k = 0; k < self->count; k++)
        if (self->rules[k].role == role) return k;
    return -1;
}

/* A value as an object (new reference). */
static PyObject *value_object(const reading *reading, int at) {
    if (!reading->values[at]) return PyFloat_FromDouble(reading->numbers[at]);
    Py_INCREF(reading->values[at]);
    return reading->values[at];
}

/* An interval of numbers becomes a location and a scale. */
static int place_interval(const drawing *self, reading *reading) {
    const int low = find_role(self, LOW), high = find_role(self, HIGH);
    if (low < 0) return 0;
    if (!reading->values[low] && !reading->values[high]) {
        reading->draw.location = reading->numbers[low];
        reading->draw.scale = reading->numbers[high] - reading->numbers[low];
        return 0;
    }
    PyObject *from = value_object(reading, low), *to = value_object(reading, high);
    PyObject *width = from && to ? PyNumber_Subtract(to, from) : NULL;
    Py_XDECREF(from);
    Py_XDECREF(to);
    if (!width) return -1;
    Py_XDECREF(reading->values[high]);
    reading->values[high] = width;
    return 0;
}

/* Numbers go into the draw. */
static void place_numbers(const drawing *self, reading *reading, PyObject **parameters) {
    int count = 0;
    const int location = find_role(self, LOCATION), scale = find_role(self, SCALE);
    const bool is_placed =
        (location < 0 || !reading->values[location]) && (scale < 0 || !reading->values[scale]);
    if (is_placed && location >= 0) reading->draw.location = reading->numbers[location];
    if (is_placed && scale >= 0) reading->draw.scale = reading->numbers[scale];
    for (int k = 0; k < self->count; k++)
        if (self->rules[k].role == PARAMETER) {
            reading->draw.numbers[count] = reading->numbers[k];
            parameters[count++] = reading->values[k];
        }
}

static int apply(PyObject **result, binaryfunc operation, const reading *reading, int at) {
    PyObject *value = value_object(reading, at);
    PyObject *changed = value ? operation(*result, value) : NULL;
    Py_XDECREF(value);
    if (!changed) return -1;
    Py_DECREF(*result);
    *result = changed;
    return 0;
}

/* A location and a scale of which one is an array come afterwards. */
static int place_arrays(const drawing *self, const reading *reading, PyObject **result) {
    const bool is_interval = find_role(self, LOW) >= 0;
    const int location = find_role(self, is_interval ? LOW : LOCATION);
    const int scale = find_role(self, is_interval ? HIGH : SCALE);
    const bool has_arrays =
        (location >= 0 && reading->values[location]) || (scale >= 0 && reading->values[scale]);
    if (!has_arrays) return 0;
    if (scale >= 0 && apply(result, PyNumber_InPlaceMultiply, reading, scale)) return -1;
    return location >= 0 ? apply(result, PyNumber_InPlaceAdd, reading, location) : 0;
}

static PyObject *make_result(const reading *reading) {
    tn_array *made;
    EXT_TRY(tn_array_new(&made, reading->dtype, reading->ndim, reading->shape, TN_ORDER_C, NULL));
    return ext_wrap(made);
}

static PyObject *check_out(PyObject *out, PyObject *size, PyObject *dtype, const drawing *self) {
    PyObject *function = ext_import("tenorite.random._arguments", "check_out");
    if (!function) return NULL;
    PyObject *result = PyObject_CallFunctionObjArgs(function, out, size, dtype, self->name, NULL);
    Py_DECREF(function);
    return result;
}

static PyObject *cast(PyObject *result, PyObject *dtype) {
    if (!result) return NULL;
    PyObject *other = PyObject_CallMethod(result, "astype", "O", dtype);
    Py_DECREF(result);
    return other;
}

/* words, narrows, size, dtype, out, *values */
enum { WORDS, NARROWS, SIZE, DTYPE, OUT, VALUES };

static int read_call(const drawing *self, PyObject *const *given, reading *reading) {
    for (int k = 0; k < self->count; k++)
        if (read_value(given[VALUES + k], &self->rules[k], &reading->numbers[k],
                       &reading->values[k]))
            return -1;
    if (read_dtype(self, given[DTYPE], given[NARROWS] == Py_True, given[OUT] != Py_None, reading) ||
        read_size(self, given[SIZE], reading))
        return -1;
    return place_interval(self, reading);
}

static PyObject *draw(const drawing *self, PyObject *const *given, reading *reading) {
    PyObject *parameters[MOST_RULES] = {NULL};
    PyObject *result = given[OUT] == Py_None
                           ? make_result(reading)
                           : check_out(given[OUT], given[SIZE], given[DTYPE], self);
    if (!result) return NULL;
    place_numbers(self, reading, parameters);
    if (ext_random_fill(given[WORDS], result, &reading->draw, parameters) ||
        place_arrays(self, reading, &result)) {
        Py_DECREF(result);
        return NULL;
    }
    return reading->is_cast ? cast(result, given[DTYPE]) : result;
}

static PyObject *drawing_call(PyObject *object, PyObject *arguments, PyObject *keywords) {
    const drawing *self = (drawing *)object;
    PyObject *given[VALUES + MOST_RULES];
    reading reading = {.draw = self->draw};
    if (keywords || PyTuple_Size(arguments) != VALUES + self->count) {
        PyErr_Format(PyExc_TypeError, "%U takes %d arguments", self->name, VALUES + self->count);
        return NULL;
    }
    for (int k = 0; k < VALUES + self->count; k++)
        given[k] = PyTuple_GetItem(arguments, k);
    PyObject *result = read_call(self, given, &reading) ? NULL : draw(self, given, &reading);
    for (int k = 0; k < self->count; k++)
        Py_XDECREF(reading.values[k]);
    return result;
}

int ext_random_draw_init(PyObject *module) {
    static PyType_Slot slots[] = {
        {Py_tp_new, (void *)drawing_new},
        {Py_tp_dealloc, (void *)drawing_dealloc},
        {Py_tp_call, (void *)drawing_call},
        {0, NULL},
    };
    static PyType_Spec spec = {"tenorite.Drawing", sizeof(drawing), 0, Py_TPFLAGS_DEFAULT, slots};
    PyTypeObject *type = ext_add_type(module, &spec, NULL);
    Py_XDECREF((PyObject *)type);
    return type ? 0 : -1;
}
