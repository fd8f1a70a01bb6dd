/* Flags of an array. An object of the type keeps the array's object and asks it at each look, so
 * that it shows what the array is now. The package derives from the type what `ndarray.flags` is,
 * and objects that have no array, whose values the package knows. */
#include "array/flags.h"

#include "base/hold.h"
#include "base/object.h"
#include "base/types.h"

#include <stddef.h>
#include <structmember.h>

typedef struct flags {
    PyObject_HEAD
    PyObject *array; /* NULL: flags of no array */
} flags;

static flags *data_of(PyObject *object) {
    return (flags *)object;
}

static void dealloc(PyObject *self) {
    Py_CLEAR(data_of(self)->array);
    ext_free(self);
}

static PyObject *make(PyTypeObject *type, PyObject *array) {
    PyObject *made = ext_alloc(type);
    if (!made) return NULL;
    Py_XINCREF(array);
    data_of(made)->array = array;
    return made;
}

PyObject *ext_flags(PyObject *array) {
    static PyObject *type;
    if (!type && !(type = ext_import("tenorite._array.flags", "Flags"))) return NULL;
    return make((PyTypeObject *)type, array);
}

/* flags(array=None) */
static PyObject *construct(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"array", NULL};
    PyObject *array = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O!:flags", (char **)(uintptr_t)names,
                                     ext_ndarray_type, &array))
        return NULL;
    return make(type, array);
}

/* --- Values --- */

typedef enum flag { C_CONTIGUOUS, F_CONTIGUOUS, OWNDATA, WRITEABLE, FNC, FORC } flag;

static PyObject *get_flag(PyObject *self, void *closure) {
    PyObject *object = data_of(self)->array;
    if (!object) return PyErr_Format(PyExc_AttributeError, "these are flags of no array");
    const tn_array *array = ext_array(object);
    const bool is_c = tn_array_is_c_contiguous(array), is_f = tn_array_is_f_contiguous(array);
    switch ((flag)(intptr_t)closure) {
    case C_CONTIGUOUS: return PyBool_FromLong(is_c);
    case F_CONTIGUOUS: return PyBool_FromLong(is_f);
    case OWNDATA: return PyBool_FromLong(!ext_base(object));
    case WRITEABLE: return PyBool_FromLong(tn_array_is_writeable(array));
    case FNC: return PyBool_FromLong(is_f && !is_c);
    case FORC: break;
    }
    return PyBool_FromLong(is_f || is_c);
}

static int set_writeable(PyObject *self, PyObject *value, void *closure) {
    (void)closure;
    PyObject *object = data_of(self)->array;
    if (!value || !object) {
        PyErr_SetString(PyExc_AttributeError, value ? "these are flags of no array"
                                                    : "Cannot delete flags writeable attribute");
        return -1;
    }
    const int is_writeable = PyObject_IsTrue(value);
    if (is_writeable < 0) return -1;
    PyObject *base = ext_base(object);
    if (is_writeable && base && ext_is_array(base) && !tn_array_is_writeable(ext_array(base))) {
        PyErr_SetString(PyExc_ValueError, "cannot set WRITEABLE flag to True of this array");
        return -1;
    }
    tn_array_set_writeable(ext_array(object), is_writeable);
    return 0;
}

/* --- The type --- */

#define FLAG(name, which, doc)                                                                     \
    { name, get_flag, NULL, doc, (void *)(intptr_t)which }
static PyGetSetDef attributes[] = {
    FLAG("c_contiguous", C_CONTIGUOUS, "Whether the elements lie in C's order without gaps."),
    FLAG("f_contiguous", F_CONTIGUOUS, "Whether they lie in Fortran's order without gaps."),
    FLAG("owndata", OWNDATA, "Whether the array is no view of another one."),
    FLAG("fnc", FNC, "Whether they lie in Fortran's order and not in C's."),
    FLAG("forc", FORC, "Whether they lie in Fortran's order or in C's."),
    {"writeable", get_flag, set_writeable, "Whether the elements can be assigned to.",
     (void *)(intptr_t)WRITEABLE},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef members[] = {
    {"_array", T_OBJECT_EX, offsetof(flags, array), READONLY, "The array."},
    {NULL, 0, 0, 0, NULL},
};

int ext_flags_init(PyObject *module) {
    static char doc[] = "flags(array=None)\n--\n\nFlags of an array.";
    static PyType_Slot slots[] = {
        {Py_tp_doc, doc},
        {Py_tp_new, (void *)construct},
        {Py_tp_dealloc, (void *)dealloc},
        {Py_tp_getset, attributes},
        {Py_tp_members, members},
        {0, NULL},
    };
    static PyType_Spec spec = {"tenorite.flags", sizeof(flags), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    return ext_add_type(module, &spec, NULL) ? 0 : -1; /* it stays, as all types do */
}
