/* Reading Python's arguments: names, ints, shapes, axes and the small enumerations. */
#include "base/arguments.h"

#include "base/errors.h"

#include <stdio.h>
#include <string.h>

/* --- Names --- */

/* Of "first|second", or of a name alone. */
static void copy_first(char *to, const char *name) {
    size_t length = strcspn(name, "|");
    if (length >= EXT_NAME_BYTES) length = EXT_NAME_BYTES - 1;
    memcpy(to, name, length);
    to[length] = 0;
}

/* Whether the keyword is the first or second name of "first|second". */
static bool is_either(PyObject *keyword, const char *name) {
    char first[EXT_NAME_BYTES];
    const char *bar = strchr(name, '|');
    if (!bar) return false;
    copy_first(first, name);
    return !PyUnicode_CompareWithASCIIString(keyword, first) ||
           !PyUnicode_CompareWithASCIIString(keyword, bar + 1);
}

static int find_name(const char *const *names, PyObject *keyword) {
    for (int k = 0; names[k]; k++)
        if (!PyUnicode_CompareWithASCIIString(keyword, names[k] + (names[k][0] == '*'))) return k;
    for (int k = 0; names[k]; k++)
        if (is_either(keyword, names[k] + (names[k][0] == '*'))) return k;
    return -1;
}

/* What was read last, in a ring: a refusal that follows names the argument of the last call that
 * has read any, from place `first` on. The objects are only compared. */
enum { NOTED = 16 };
static struct {
    struct {
        const char *function, *name;
        PyObject *value;
    } places[NOTED];
    unsigned count, first;
} parsed;

void ext_note(const char *function, const char *name, PyObject *value) {
    const unsigned last = (parsed.count - 1) % NOTED, at = parsed.count % NOTED;
    if (parsed.places[last].function != function) parsed.first = parsed.count;
    parsed.count++;
    parsed.places[at].function = function;
    parsed.places[at].name = name;
    parsed.places[at].value = value;
}

const char *ext_parsed(PyObject *object, char argument[EXT_NAME_BYTES]) {
    const unsigned noted = parsed.count - parsed.first;
    for (unsigned k = 1; object && k <= noted && k <= NOTED; k++) {
        const unsigned at = (parsed.count - k) % NOTED;
        if (parsed.places[at].value != object) continue;
        copy_first(argument, parsed.places[at].name + (parsed.places[at].name[0] == '*'));
        return parsed.places[at].function;
    }
    return NULL;
}

int ext_parse(const char *function, PyObject *const *arguments, Py_ssize_t count,
              PyObject *keywords, const char *const *names, int required, PyObject **values) {
    int total = 0, positional = -1;
    for (; names[total]; total++) {
        values[total] = NULL;
        if (names[total][0] == '*' && positional < 0) positional = total;
    }
    if (positional < 0) positional = total;
    if (count > positional) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %d positional arguments (%zd given)",
                     function, positional, count);
        return -1;
    }
    for (Py_ssize_t k = 0; k < count; k++)
        values[k] = arguments[k];
    Py_ssize_t named = keywords ? PyTuple_Size(keywords) : 0;
    for (Py_ssize_t k = 0; k < named; k++) {
        PyObject *keyword = PyTuple_GetItem(keywords, k);
        int at = find_name(names, keyword);
        if (at < 0 || values[at]) {
            PyErr_Format(PyExc_TypeError,
                         at < 0 ? "%s() got an unexpected keyword argument '%U'"
                                : "%s() got multiple values for argument '%U'",
                         function, keyword);
            return -1;
        }
        values[at] = arguments[count + k];
    }
    for (int k = 0; k < required; k++)
        if (!values[k]) {
            char name[EXT_NAME_BYTES];
            copy_first(name, names[k]);
            PyErr_Format(PyExc_TypeError, "%s() missing required argument '%s' (pos %d)", function,
                         name, k + 1);
            return -1;
        }
    parsed.first = parsed.count;
    for (int k = 0; k < total; k++)
        if (values[k]) ext_note(function, names[k], values[k]);
    return 0;
}

/* --- Integers --- */

int ext_int64(PyObject *object, int64_t *value) {
    long long read;
    if (!object) return 0;
    if (PyLong_CheckExact(object)) {
        read = PyLong_AsLongLong(object);
    } else {
        PyObject *index = PyNumber_Index(object);
        if (!index) return -1;
        read = PyLong_AsLongLong(index);
        Py_DECREF(index);
    }
    if (read == -1 && PyErr_Occurred()) return -1;
    *value = read;
    return 0;
}

int ext_address(PyObject *object, void **address) {
    static const char *const attributes[] = {"value", "ptr"}; /* ctypes.c_void_p, pointers */
    PyObject *number = NULL;
    if (PyIndex_Check(object)) {
        number = PyNumber_Index(object);
    } else {
        for (int k = 0; k < 2 && !number; k++) {
            number = PyObject_GetAttrString(object, attributes[k]);
            if (!number && !PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
            if (!number) PyErr_Clear();
        }
        if (!number) PyErr_Format(PyExc_TypeError, "an address is needed, not %R", Py_TYPE(object));
    }
    if (!number) return -1;
    *address = number == Py_None ? NULL : PyLong_AsVoidPtr(number);
    Py_DECREF(number);
    return PyErr_Occurred() ? -1 : 0;
}

/* A bool is an int to Python, and here a mistake. */
static int read_number(PyObject *object, int64_t *value) {
    if (!object || !PyBool_Check(object)) return ext_int64(object, value);
    PyErr_SetString(PyExc_TypeError, "an integer is required, not a bool");
    return -1;
}

/* The ints of a sequence (or one int) into `values`, at most `limit`. -1 on failure, else how
 * many. */
static int read_ints(PyObject *object, int64_t *values, int limit, const char *what) {
    if (PyLong_Check(object) || (PyIndex_Check(object) && !PySequence_Check(object)))
        return read_number(object, values) ? -1 : 1;
    int is_tuple = PyTuple_Check(object);
    if (!is_tuple && (!PySequence_Check(object) || PyUnicode_Check(object))) {
        if (PyIndex_Check(object)) return read_number(object, values) ? -1 : 1;
        PyErr_Format(PyExc_TypeError,
                     "expected a sequence of integers or a single integer, got '%R'", object);
        return -1;
    }
    Py_ssize_t count = is_tuple ? PyTuple_Size(object) : PySequence_Size(object);
    if (count < 0) { /* 0-d arrays are sequences without a length */
        if (!PyIndex_Check(object) || !PyErr_ExceptionMatches(PyExc_TypeError)) return -1;
        PyErr_Clear();
        return read_number(object, values) ? -1 : 1;
    }
    if (count > limit) {
        PyErr_Format(PyExc_ValueError,
                     "maximum supported dimension for an ndarray is currently %d, found %zd %s",
                     TN_MAX_NDIM, count, what);
        return -1;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *item = is_tuple ? PyTuple_GetItem(object, k) : PySequence_GetItem(object, k);
        if (!item) return -1;
        int failed = read_number(item, &values[k]);
        if (!is_tuple) Py_DECREF(item);
        if (failed) return -1;
    }
    return (int)count;
}

int ext_shape(PyObject *object, int *ndim, int64_t *shape) {
    int count = read_ints(object, shape, TN_MAX_NDIM, "sizes");
    if (count < 0) return -1;
    *ndim = count;
    return 0;
}

/* `name`: of the argument, or "". */
static int fail_axis(const char *name, int64_t axis, int ndim) {
    char text[128];
    int length = snprintf(text, sizeof text, "%s%saxis %lld is out of bounds", name,
                          *name ? ": " : "", (long long)axis);
    if (ndim >= 0)
        snprintf(text + length, sizeof text - (size_t)length, " for array of dimension %d", ndim);
    tn_error_set(text);
    ext_raise(TN_ERROR_AXIS);
    return -1;
}

/* No array has an axis that is no C int. */
static int narrow(int64_t axis, int *result) {
    if (axis < INT32_MIN || axis > INT32_MAX) return fail_axis("", axis, -1);
    *result = (int)axis;
    return 0;
}

int ext_axis_number(PyObject *object, int64_t *number) {
    return read_number(object, number);
}

int ext_axes(PyObject *object, int *count, int *axes) {
    int64_t values[TN_MAX_NDIM];
    if (!object || object == Py_None) {
        *count = -1;
        return 0;
    }
    if (PyList_Check(object)) {
        PyErr_SetString(PyExc_TypeError, "'list' object cannot be interpreted as an integer");
        return -1;
    }
    *count = read_ints(object, values, TN_MAX_NDIM, "axes");
    if (*count < 0) return -1;
    for (int k = 0; k < *count; k++)
        if (narrow(values[k], &axes[k])) return -1;
    return 0;
}

int ext_axis(PyObject *object, int *axis) {
    int64_t value = *axis;
    return ext_axis_number(object, &value) ? -1 : narrow(value, axis);
}

int ext_check_named_axis(const char *name, int64_t number, int ndim, int *axis) {
    if (number < -ndim || number >= ndim) return fail_axis(name, number, ndim);
    *axis = (int)(number < 0 ? number + ndim : number);
    return 0;
}

int ext_check_axis(int64_t number, int ndim, int *axis) {
    return ext_check_named_axis("", number, ndim, axis);
}

/* The values may be borrowed, and making the tuple may collect garbage. */
PyObject *ext_tuple(int count, const int64_t *values) {
    int64_t held[TN_MAX_NDIM];
    memcpy(held, values, (size_t)count * sizeof *held);
    PyObject *tuple = PyTuple_New(count);
    for (int k = 0; tuple && k < count; k++) {
        PyObject *item = PyLong_FromLongLong(held[k]);
        if (!item) {
            Py_DECREF(tuple);
            return NULL;
        }
        PyTuple_SetItem(tuple, k, item);
    }
    return tuple;
}

/* --- Enumerations --- */

static int fail_not_text(const char *argument, PyObject *object) {
    PyObject *name = PyType_GetName(Py_TYPE(object));
    if (name) PyErr_Format(PyExc_TypeError, "%s must be str, not %U", argument, name);
    Py_XDECREF(name);
    return -1;
}

int ext_order(PyObject *object, tn_order *order, tn_order absent) {
    static const struct {
        const char *name;
        tn_order order;
    } orders[] = {{"C", TN_ORDER_C}, {"F", TN_ORDER_F}, {"A", TN_ORDER_A}, {"K", TN_ORDER_K},
                  {"c", TN_ORDER_C}, {"f", TN_ORDER_F}, {"a", TN_ORDER_A}, {"k", TN_ORDER_K}};
    *order = absent;
    if (!object || object == Py_None) return 0;
    if (!PyUnicode_Check(object)) {
        return fail_not_text("order", object);
    }
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++)
        if (!PyUnicode_CompareWithASCIIString(object, orders[k].name)) {
            *order = orders[k].order;
            return 0;
        }
    PyErr_Format(PyExc_ValueError, "order must be one of 'C', 'F', 'A', or 'K' (got %R)", object);
    return -1;
}

int ext_casting(PyObject *object, tn_casting *casting, tn_casting absent) {
    *casting = absent;
    if (!object) return 0;
    if (!PyUnicode_Check(object)) return fail_not_text("casting", object);
    for (int k = 0; k <= TN_CASTING_UNSAFE; k++)
        if (!PyUnicode_CompareWithASCIIString(object, tn_casting_name(k))) {
            *casting = k;
            return 0;
        }
    PyErr_Format(PyExc_ValueError,
                 "casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe' (got %R)",
                 object);
    return -1;
}

int ext_copy(PyObject *object, tn_copy *copy, tn_copy absent) {
    *copy = absent;
    if (!object) return 0;
    if (object == Py_None) {
        *copy = TN_COPY_IF_NEEDED;
        return 0;
    }
    if (PyUnicode_Check(object)) {
        PyErr_SetString(PyExc_ValueError, "strings are not allowed for 'copy' keyword. Use "
                                          "True/False/None instead.");
        return -1;
    }
    int truth = PyObject_IsTrue(object);
    if (truth < 0) return -1;
    *copy = truth ? TN_COPY_ALWAYS : TN_COPY_NEVER;
    return 0;
}

int ext_bool(PyObject *object, bool *value, bool absent) {
    *value = absent;
    if (!object) return 0;
    int truth = PyObject_IsTrue(object);
    if (truth < 0) return -1;
    *value = truth;
    return 0;
}

int ext_pack(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords,
             PyObject **positional, PyObject **named) {
    const Py_ssize_t first = self != NULL;
    *named = PyDict_New();
    *positional = PyTuple_New(count + first);
    if (!*named || !*positional) return -1;
    for (Py_ssize_t k = 0; k < count + first; k++) {
        PyObject *one = k < first ? self : arguments[k - first];
        Py_INCREF(one);
        if (PyTuple_SetItem(*positional, k, one)) return -1;
    }
    const Py_ssize_t by_name = keywords ? PyTuple_Size(keywords) : 0;
    for (Py_ssize_t k = 0; k < by_name; k++)
        if (PyDict_SetItem(*named, PyTuple_GetItem(keywords, k), arguments[count + k])) return -1;
    return 0;
}
