/* Calls of the extension as events: the name is the package's function that the program has called,
 * where there is one, and what it uses of the extension. */
#include "base/trace.h"

#include "base/object.h"

#include <stdio.h>
#include <string.h>

enum { ARRAYS = 4, FEW_NS = 20000 };

int64_t ext_trace_begin(void) {
    if (!ext_is_traced()) return 0;
    int64_t begun = tn_trace_begin();
    if (begun) ext_origin_enter();
    return begun;
}

void ext_trace_end(int64_t begun, const char *name, PyObject *const *arguments, Py_ssize_t count,
                   PyObject *result) {
    if (!begun) return;
    const tn_array *arrays[ARRAYS] = {NULL};
    char text[256];
    ext_origin place;
    int found = 0;
    for (Py_ssize_t k = 0; k < count && found < ARRAYS - 1; k++)
        if (arguments[k] && ext_is_array(arguments[k])) arrays[found++] = ext_array(arguments[k]);
    if (result && ext_is_array(result)) arrays[found++] = ext_array(result);
    if (!found && tn_trace_elapsed(begun) < FEW_NS) name = NULL; /* mere bookkeeping */
    if (name && ext_origin_get(&place) && place.function) {
        const char *function = tn_trace_text(place.function);
        snprintf(text, sizeof text, strcmp(function, name) ? "%s: %s" : "%s", function, name);
        name = text;
    }
    tn_trace_end(begun, name, arrays, found);
    ext_origin_leave();
}

PyObject *ext_trace_fast(ext_fast_function function, const char *name, PyObject *self,
                         PyObject *const *arguments, Py_ssize_t count, PyObject *keywords) {
    int64_t begun = ext_trace_begin();
    PyObject *result = function(self, arguments, count, keywords), *objects[ARRAYS] = {self};
    Py_ssize_t all = 1;
    while (all < ARRAYS && all <= count) {
        objects[all] = arguments[all - 1];
        all++;
    }
    ext_trace_end(begun, name, objects, all, result);
    return result;
}

PyObject *ext_trace_row(ext_row_function function, const char *name, PyObject *self,
                        PyObject *const *arguments, Py_ssize_t count) {
    int64_t begun = ext_trace_begin();
    PyObject *result = function(self, arguments, count);
    ext_trace_end(begun, name, arguments, count, result);
    return result;
}
