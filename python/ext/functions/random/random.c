/* Random numbers: the generators of words as objects, which fill arrays.
 *
 * A call holds the generator's lock, a threading.RLock that programs see: a long call gives up the
 * GIL, and another thread must not draw from the same position meanwhile. A short call of a
 * generator without lanes holds the GIL to its end. It takes the lock only if a program has seen
 * the lock, or while a long call has it. */
#include "functions/random/random.h"

#include "base/errors.h"
#include "base/object.h"
#include "base/types.h"
#include "values/kinds.h"

#include <string.h>
#include <structmember.h>

typedef struct words {
    PyObject_HEAD
    tn_generator_kind kind;
    bool has_kind;
    unsigned long long seed, position;
    bool is_seen; /* the lock, by a program */
    int holders;  /* calls that have the lock */
    PyObject *lock, *acquire, *release;
} words;

static PyTypeObject *words_type;

enum { SHORT = 4096 }; /* elements: EXT_LONG_CALL keeps the GIL for fewer */

/* A generator by its name, in the order of tn_generator_kind. */
typedef tn_generator_kind ext_given_generator;
static int read_generator(void *to, PyObject *name, const ext_parameter *which) {
    static const char *const names[] = {"Philox4x3210", "XORWOW", "MRG32k3a"};
    (void)which;
    for (int k = 0; k < 3; k++)
        if (PyUnicode_Check(name) && !PyUnicode_CompareWithASCIIString(name, names[k])) {
            *(tn_generator_kind *)to = (tn_generator_kind)k;
            return 0;
        }
    PyErr_Format(PyExc_ValueError, "there is no generator %R", name);
    return -1;
}
static const ext_kind ext_kind_generator = {.read = read_generator};

/* The states of all lanes, as bytes for Python. */
enum { STATES = TN_GENERATOR_ROWS * TN_GENERATOR_LANES };

static tn_status make_states(PyObject **made, uint32_t **states) {
    *made = PyBytes_FromStringAndSize(NULL, sizeof **states * STATES);
    *states = *made ? (uint32_t *)(void *)PyBytes_AsString(*made) : NULL;
    return *made ? TN_OK : TN_ERROR_CALLBACK;
}

/* The first states of a generator with lanes. */
EXT_CALL(random_lanes, EXT_SHORT, (generator, kind), (handle, seed), (made_object, states)) {
    uint32_t *states;
    tn_status status = make_states(&call->states, &states);
    if (!status) status = tn_generator_make_lanes(states, call->kind, call->seed);
    if (status) Py_CLEAR(call->states);
    return status;
}

/* States further on. */
EXT_CALL(random_jumped, EXT_SHORT, (generator, kind), (bytes, states), (handle, jumps),
         (made_object, jumped)) {
    uint32_t *states;
    if (call->states.count != (int64_t)sizeof *states * STATES) {
        PyErr_Format(PyExc_TypeError, "%lld bytes are no states", (long long)call->states.count);
        return TN_ERROR_CALLBACK;
    }
    tn_status status = make_states(&call->jumped, &states);
    if (!status) {
        memcpy(states, call->states.at, (size_t)call->states.count);
        status = tn_generator_jump_lanes(states, call->kind, call->jumps);
    }
    if (status) Py_CLEAR(call->jumped);
    return status;
}

int ext_random_distribution(PyObject *name, tn_draw *draw) {
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(name, &size);
    if (!text) return -1;
    draw->distribution = tn_distribution_find(text);
    if (draw->distribution < tn_distribution_count) return 0;
    PyErr_Format(PyExc_ValueError, "there is no distribution %R", name);
    return -1;
}

/* --- The generators --- */

/* The subclass names its kind; BitGenerator itself has none, and its __init__ refuses to be
 * called. */
static PyObject *words_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    (void)arguments, (void)keywords;
    PyObject *made = ext_alloc(type), *name = NULL;
    if (!made) return NULL;
    words *self = (words *)made;
    PyObject *lock_type = ext_import("threading", "RLock");
    PyObject *kind = PyUnicode_FromString("_kind");
    int failed = !lock_type || !kind || !(self->lock = PyObject_CallNoArgs(lock_type)) ||
                 !(self->acquire = PyObject_GetAttrString(self->lock, "acquire")) ||
                 !(self->release = PyObject_GetAttrString(self->lock, "release")) ||
                 ext_find((PyObject *)type, kind, &name) ||
                 (name && read_generator(&self->kind, name, NULL));
    self->has_kind = name != NULL;
    Py_XDECREF(lock_type);
    Py_XDECREF(kind);
    Py_XDECREF(name);
    if (!failed) return made;
    Py_DECREF(made);
    return NULL;
}

static void words_dealloc(PyObject *object) {
    words *self = (words *)object;
    Py_CLEAR(self->lock);
    Py_CLEAR(self->acquire);
    Py_CLEAR(self->release);
    ext_free(object);
}

/* Once no more Python runs. */
static void lend_arrays(PyObject *const *parameters, tn_draw *draw) {
    for (int k = 0; k < tn_distribution_parameters(draw->distribution); k++)
        if (parameters[k]) draw->arrays[k] = ext_array(parameters[k]);
}

/* What one call of a generator fills an array with: numbers, or parts of a total. */
typedef struct filling {
    tn_draw *draw;
    PyObject *const *parameters;
    int64_t total;
    PyObject *totals;      /* an ndarray, or None for the total */
    const double *weights; /* of parts */
} filling;

static tn_status apply(tn_array *array, tn_generator *generator, const filling *call) {
    if (!call->weights) return tn_random_fill(array, generator, call->draw, NULL);
    const tn_array *totals = ext_is_array(call->totals) ? ext_array(call->totals) : NULL;
    return tn_random_parts(array, generator, call->draw->distribution, call->total, totals,
                           call->weights, NULL);
}

static tn_status fill_array(words *self, PyObject *result, PyObject *lanes, const filling *call) {
    tn_generator generator = {self->kind, self->seed, self->position, NULL};
    tn_status status;
    if (!call->weights) lend_arrays(call->parameters, call->draw);
    if (lanes) generator.lanes = ext_array(lanes);
    tn_array *array = ext_array(result);
    EXT_LONG_CALL(status, tn_array_size(array) * 8, apply(array, &generator, call));
    if (!status) self->position = generator.position;
    return status;
}

/* The states of a generator that has some, on the result's device. */
static int find_lanes(PyObject *object, PyObject *result, PyObject **lanes) {
    *lanes = NULL;
    if (((words *)object)->kind == TN_GENERATOR_PHILOX4X32_10) return 0;
    *lanes = PyObject_CallMethod(object, "_lanes_beside", "O", result);
    return *lanes ? 0 : -1;
}

static bool needs_lock(const words *self, PyObject *result, const filling *call) {
    if (self->is_seen || self->holders || self->kind != TN_GENERATOR_PHILOX4X32_10) return true;
    for (int k = 0; call->parameters && k < TN_RANDOM_PARAMETERS; k++)
        if (call->parameters[k]) return true;
    return call->weights || tn_array_size(ext_array(result)) >= SHORT;
}

static int take_lock(words *self) {
    PyObject *locked = PyObject_CallNoArgs(self->acquire);
    if (!locked) return -1;
    Py_DECREF(locked);
    self->holders++;
    return 0;
}

/* An exception that is set stays. */
static int give_lock(words *self) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    self->holders--;
    PyObject *unlocked = PyObject_CallNoArgs(self->release);
    Py_XDECREF(unlocked);
    if (type) PyErr_Restore(type, value, traceback);
    return unlocked ? 0 : -1;
}

static int fill_alone(PyObject *object, PyObject *result, const filling *call) {
    PyObject *lanes;
    if (find_lanes(object, result, &lanes)) return -1;
    tn_status status = fill_array((words *)object, result, lanes, call);
    if (status) ext_raise(status);
    Py_XDECREF(lanes);
    return status ? -1 : 0;
}

static int fill_locked(PyObject *object, PyObject *result, const filling *call) {
    words *self = (words *)object;
    if (!self->has_kind) {
        PyErr_Format(PyExc_TypeError, "%R names no _kind of generator", Py_TYPE(object));
        return -1;
    }
    if (!needs_lock(self, result, call)) return fill_alone(object, result, call);
    if (take_lock(self)) return -1;
    int failed = fill_alone(object, result, call);
    return give_lock(self) || failed ? -1 : 0;
}

int ext_random_fill(PyObject *object, PyObject *result, tn_draw *draw,
                    PyObject *const *parameters) {
    const filling call = {.draw = draw, .parameters = parameters};
    if (PyObject_TypeCheck(object, words_type)) return fill_locked(object, result, &call);
    PyErr_Format(PyExc_TypeError, "a BitGenerator is needed, not %R", Py_TYPE(object));
    return -1;
}

static int read_distribution(void *to, PyObject *object, const ext_parameter *which) {
    tn_draw draw;
    (void)which;
    if (ext_random_distribution(object, &draw)) return -1;
    *(tn_distribution *)to = draw.distribution;
    return 0;
}
typedef tn_distribution ext_given_distribution;
static const ext_kind ext_kind_distribution = {.read = read_distribution};

/* Writes random numbers to every element; parameter: an array, or None. Gives the array back. */
EXT_CALL(fill, EXT_SHORT, (ndarray, result), (distribution, distribution), (object, parameter),
         (handle, low), (handle, span), (made_object, filled)) {
    tn_draw draw = {.distribution = call->distribution,
                    .scale = 1,
                    .low = (int64_t)call->low,
                    .span = call->span};
    PyObject *parameters[TN_RANDOM_PARAMETERS] = {NULL};
    if (ext_is_array(call->parameter)) parameters[0] = call->parameter;
    if (ext_random_fill(call->self, call->result, &draw, parameters)) return TN_ERROR_CALLBACK;
    call->filled = Py_NewRef(call->result);
    return TN_OK;
}

static bool has_outcomes(PyObject *result, Py_ssize_t count) {
    const tn_array *array = ext_array(result);
    const int ndim = tn_array_ndim(array);
    return ndim && tn_array_shape(array)[ndim - 1] == count;
}

/* Counts of a multinomial distribution; the last one is what is left of 1. */
static int check_chances(const double *chances, Py_ssize_t count) {
    double sum = 0;
    for (Py_ssize_t k = 0; k < count; k++) {
        if (!(chances[k] >= 0 && chances[k] <= 1)) {
            PyErr_SetString(PyExc_ValueError, "pvals < 0, pvals > 1 or pvals contains NaNs");
            return -1;
        }
        if (k < count - 1) sum += chances[k];
    }
    if (sum <= 1 + 1e-12) return 0;
    PyErr_SetString(PyExc_ValueError, "sum(pvals[:-1]) > 1.0");
    return -1;
}

static int read_weights(PyObject *list, const tn_draw *draw, double *weights) {
    const Py_ssize_t count = PyList_Size(list);
    for (Py_ssize_t k = 0; k < count; k++)
        weights[k] = PyFloat_AsDouble(PyList_GetItem(list, k));
    if (PyErr_Occurred()) return -1;
    return draw->distribution == TN_RANDOM_BINOMIAL ? check_chances(weights, count) : 0;
}

/* Shares a total, an int or an array of int64, out among the outcomes of the last axis, whose
 * weights are a list of floats. Gives the array back. */
EXT_CALL(fill_parts, EXT_SHORT, (ndarray, result), (distribution, distribution), (object, total),
         (object, weights), (made_object, filled)) {
    tn_draw draw = {.distribution = call->distribution, .scale = 1};
    const Py_ssize_t count = PyList_Size(call->weights);
    if (count < 0) return TN_ERROR_CALLBACK;
    double *weights = PyMem_Malloc(sizeof *weights * (size_t)(count + 1));
    if (!weights) return PyErr_NoMemory(), TN_ERROR_CALLBACK;
    const bool is_array = ext_is_array(call->total);
    const filling filling = {&draw, NULL, is_array ? 0 : PyLong_AsLongLong(call->total),
                             call->total, weights};
    int failed = PyErr_Occurred() ? -1 : read_weights(call->weights, &draw, weights);
    if (!failed && !has_outcomes(call->result, count)) {
        PyErr_SetString(PyExc_TypeError, "_fill_parts() needs an ndarray with an axis of outcomes");
        failed = -1;
    }
    if (!failed) failed = fill_locked(call->self, call->result, &filling);
    PyMem_Free(weights);
    if (!failed) call->filled = Py_NewRef(call->result);
    return failed ? TN_ERROR_CALLBACK : TN_OK;
}

/* A random order of so many elements: that of as many words of 40 bits, of which equal ones are
 * rare, and a sort passes over five bytes instead of eight. */
EXT_CALL(order, EXT_SHORT, (int64, count), (made, order)) {
    static const tn_sort_options options = TN_SORT_DEFAULTS;
    tn_draw draw = {.distribution = TN_RANDOM_BOUNDED, .scale = 1, .span = ((uint64_t)1 << 40) - 1};
    const filling filling = {&draw, (PyObject *[TN_RANDOM_PARAMETERS]){NULL}, 0, Py_None, NULL};
    tn_array *made;
    tn_status status = tn_array_new(&made, TN_U64, 1, &call->count, TN_ORDER_C, NULL);
    if (status) return status;
    PyObject *keys = ext_wrap(made);
    if (!keys || fill_locked(call->self, keys, &filling)) {
        Py_XDECREF(keys);
        return TN_ERROR_CALLBACK;
    }
    EXT_LONG_CALL(status, call->count,
                  tn_array_argsort(&call->order, ext_array(keys), &options, NULL));
    Py_DECREF(keys);
    return status;
}

/* At a seed and a position, both at once. */
EXT_CALL(restart, EXT_SHORT, (handle, seed), (handle, position)) {
    words *self = (words *)call->self;
    if (take_lock(self)) return TN_ERROR_CALLBACK;
    self->seed = call->seed;
    self->position = call->position;
    return give_lock(self) ? TN_ERROR_CALLBACK : TN_OK;
}

static PyObject *words_lock(PyObject *object, void *closure) {
    words *self = (words *)object;
    (void)closure;
    self->is_seen = true;
    Py_INCREF(self->lock);
    return self->lock;
}

static PyGetSetDef words_attributes[] = {
    {"lock", words_lock, NULL, "Held while words are drawn.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef words_members[] = {
    {"_seed", T_ULONGLONG, offsetof(words, seed), 0, NULL},
    {"_position", T_ULONGLONG, offsetof(words, position), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyMethodDef words_methods[] = {
    EXT_ENTRY(fill),    EXT_ENTRY(fill_parts), EXT_ENTRY(order),
    EXT_ENTRY(restart), {NULL, NULL, 0, NULL},
};

int ext_random_init(PyObject *module) {
    static PyType_Slot slots[] = {
        {Py_tp_new, (void *)words_new}, {Py_tp_dealloc, (void *)words_dealloc},
        {Py_tp_members, words_members}, {Py_tp_getset, words_attributes},
        {Py_tp_methods, words_methods}, {0, NULL},
    };
    static PyType_Spec spec = {"tenorite.Words", sizeof(words), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    words_type = ext_add_type(module, &spec, NULL);
    return words_type ? 0 : -1;
}

PyMethodDef ext_random_functions[] = {
    EXT_ENTRY(random_lanes),
    EXT_ENTRY(random_jumped),
    {NULL, NULL, 0, NULL},
};
