/* Statuses as Python exceptions. The exception's name is in tenorite/status.def; it is looked up
 * once, in builtins, numpy.exceptions, numpy.linalg or the package itself. */
#include "base/errors.h"

#include "base/types.h"

#include "base/ext.h"

#include <string.h>

static PyObject *exceptions[TN_STATUS_COUNT];

static PyObject *find_exception(const char *name) {
    static const struct {
        const char *name, *module;
    } elsewhere[] = {
        {"AxisError", "numpy.exceptions"},           {"LinAlgError", "numpy.linalg"},
        {"OutOfMemoryError", "tenorite.exceptions"}, {"CUDARuntimeError", "tenorite.exceptions"},
        {"CompileException", "tenorite.exceptions"}, {"NcclError", "tenorite.exceptions"},
    };
    const char *module_name = "builtins";
    for (size_t k = 0; k < sizeof elsewhere / sizeof *elsewhere; k++)
        if (!strcmp(name, elsewhere[k].name)) module_name = elsewhere[k].module;
    return ext_import(module_name, name);
}

/* --- The pages of the documentation --- */

/* Words of NumPy and of CUDA stay as they are, so a note below them names the page of the
 * documentation that says what to do. The first part that a message has gives the page. Messages
 * in words of this library name their page themselves. */
static const struct {
    const char *part, *page;
} pages[] = {
    {"see errors/", NULL},
    {"could not be broadcast together", "broadcast"},
    {"could not broadcast", "broadcast"},
    {"cannot reshape array", "reshape"},
    {"is out of bounds for axis", "index-out-of-bounds"},
    {"is out of bounds for array of dimension", "axis"},
    {"The truth value of an", "truth"},
    {"which has no identity", "empty"},
    {"of an empty sequence", "empty"},
    {"Singular matrix", "singular"},
    {"positive definite", "singular"},
    {"Cannot cast", "casting"},
    {"not supported for the input types", "no-loop"},
    {"(cuda:0 of 0)", "no-gpu"},
    {"cudaErrorNoDevice", "no-gpu"},
    {"cudaErrorInvalidDevice:", "no-device"},
    {"cudaErrorIllegalAddress", "sticky"},
    {"cudaErrorLaunchFailure", "sticky"},
    {"cudaErrorMisalignedAddress", "sticky"},
    {"cudaErrorAssert", "sticky"},
};

static const char *page_of(const char *message) {
    for (size_t k = 0; k < sizeof pages / sizeof *pages; k++)
        if (strstr(message, pages[k].part)) return pages[k].page;
    return NULL;
}

/* Takes `made`; without a page there is no note. */
static void raise_noted(PyObject *made, const char *page) {
    if (!made) return;
    PyObject *note = page ? PyUnicode_FromFormat("see errors/%s in the documentation", page) : NULL;
    PyObject *notes = note ? PyList_New(1) : NULL;
    if (notes) {
        PyList_SetItem(notes, 0, note);
        if (PyObject_SetAttrString(made, "__notes__", notes)) PyErr_Clear();
        Py_DECREF(notes);
    } else {
        Py_XDECREF(note);
        PyErr_Clear();
    }
    PyErr_SetObject((PyObject *)Py_TYPE(made), made);
    Py_DECREF(made);
}

void ext_raise_words(PyObject *exception, const char *words) {
    const char *page = page_of(words);
    if (page)
        raise_noted(PyObject_CallFunction(exception, "s", words), page);
    else
        PyErr_SetString(exception, words);
}

/* --- Exceptions --- */

static PyObject *raise_memory(PyObject *exception) {
    int64_t requested, used, cached, limit;
    tn_error_memory(&requested, &used, &cached, &limit);
    PyObject *made =
        PyObject_CallFunction(exception, "sLLLL", tn_error_message(), (long long)requested,
                              (long long)used, (long long)cached, (long long)limit);
    if (made) {
        PyErr_SetObject(exception, made);
        Py_DECREF(made);
    }
    return NULL;
}

PyObject *ext_raise(tn_status status) {
    if (PyErr_Occurred()) return NULL;
    if ((unsigned)status >= TN_STATUS_COUNT) status = TN_ERROR_RUNTIME;
    if (!exceptions[status]) {
        exceptions[status] = find_exception(tn_status_exception(status));
        if (!exceptions[status]) return NULL;
    }
    if (status == TN_ERROR_MEMORY) return raise_memory(exceptions[status]);
    const char *message = tn_error_message();
    ext_raise_words(exceptions[status], *message ? message : tn_status_text(status));
    return NULL;
}

/* --- Exceptions that are put aside --- */

ext_error ext_error_take(void) {
    ext_error error;
    PyErr_Fetch(&error.type, &error.value, &error.traceback);
    return error;
}

void ext_error_put_back(ext_error error) {
    PyErr_Restore(error.type, error.value, error.traceback);
}

void ext_error_drop(ext_error error) {
    Py_XDECREF(error.type);
    Py_XDECREF(error.value);
    Py_XDECREF(error.traceback);
}

void ext_error_settle(ext_error error, bool is_answered) {
    if (is_answered || PyErr_Occurred())
        ext_error_drop(error);
    else
        ext_error_put_back(error);
}

bool ext_visit_open(ext_visit *visit) {
    if (!Py_IsInitialized()) return false;
    visit->python = ext_python_open();
    visit->error = ext_error_take();
    return true;
}

void ext_visit_close(const ext_visit *visit) {
    ext_error_put_back(visit->error);
    ext_python_close(visit->python);
}

/* --- Warnings --- */

int ext_warn_complex(tn_dtype from, tn_dtype to) {
    tn_kind kind = tn_dtype_kind(to);
    if (tn_dtype_kind(from) != TN_KIND_COMPLEX || kind == TN_KIND_COMPLEX || kind == TN_KIND_BOOL)
        return 0;
    PyObject *module = PyImport_ImportModule("numpy.exceptions");
    PyObject *category = module ? PyObject_GetAttrString(module, "ComplexWarning") : NULL;
    int failed = category ? PyErr_WarnEx(category,
                                         "Casting complex values to real discards the "
                                         "imaginary part",
                                         1)
                          : -1;
    Py_XDECREF(category);
    Py_XDECREF(module);
    return failed;
}
