/* Lines of programs.
 *
 * Algorithm: frames are walked outwards until one is not of this package. What a code object's file
 * says is kept in a table by the object's address, and a line's text in another by code object and
 * instruction; an entry holds its code object, so that an address means the same object. */
#include "base/origin.h"

#include <stdio.h>
#include <string.h>

enum { CODES = 1024, LINES = 4096, FRAMES_MOST = 200 };

typedef struct code_entry {
    PyObject *code;
    bool is_ours;
    uint32_t name; /* 0: of a function within another, as a decorator's wrapper */
} code_entry;
typedef struct line_entry {
    PyObject *code;
    long at;
    uint32_t line;
} line_entry;

static const unsigned nothing;
const unsigned *ext_trace_flag = &nothing;
bool ext_logs_places;
static code_entry codes[CODES]; /* both guarded by the GIL */
static line_entry lines[LINES];
static PyObject *name_back, *name_at;
static char own_folder[1024];
static _Thread_local int depth;
static _Thread_local ext_origin current;

static uint64_t mix(const void *code, long at) {
    return ((uint64_t)(uintptr_t)code / 16 + (uint64_t)at * 31) * UINT64_C(0x9e3779b97f4a7c15) >>
           40;
}

/* A text of a code object; it lives as long as *owner. */
static const char *text_of(PyObject *code, const char *name, PyObject **owner) {
    *owner = PyObject_GetAttrString(code, name);
    const char *text = *owner ? PyUnicode_AsUTF8AndSize(*owner, NULL) : NULL;
    if (!text) PyErr_Clear();
    return text ? text : "?";
}

static const code_entry *find_code(PyObject *code) {
    code_entry *entry = &codes[mix(code, 0) % CODES];
    if (entry->code == code) return entry;
    PyObject *file, *function, *old = entry->code;
    const char *path = text_of(code, "co_filename", &file);
    const char *name = text_of(code, "co_qualname", &function);
    const char *dot = strrchr(name, '.');
    size_t bytes = strlen(own_folder);
    bool is_ours = bytes && strncmp(path, own_folder, bytes) == 0;
    uint32_t number = strstr(name, "<locals>") ? 0 : tn_trace_name(dot ? dot + 1 : name);
    *entry = (code_entry){Py_NewRef(code), is_ours, number};
    Py_XDECREF(file);
    Py_XDECREF(function);
    Py_XDECREF(old);
    return entry;
}

static long instruction_of(PyObject *frame) {
    PyObject *at = PyObject_GetAttr(frame, name_at);
    long number = at ? PyLong_AsLong(at) : -1;
    Py_XDECREF(at);
    if (PyErr_Occurred()) PyErr_Clear();
    return number;
}

static uint32_t find_line(PyObject *frame, PyObject *code) {
    char text[600];
    long at = instruction_of(frame);
    line_entry *entry = &lines[mix(code, at) % LINES];
    if (entry->code == code && entry->at == at) return entry->line;
    PyObject *file, *function, *old = entry->code;
    int number = PyFrame_GetLineNumber((PyFrameObject *)frame);
    PyOS_snprintf(text, sizeof text, "%s:%d (%s)", text_of(code, "co_filename", &file), number,
                  text_of(code, "co_name", &function));
    uint32_t line = tn_trace_name(text);
    *entry = (line_entry){Py_NewRef(code), at, line};
    Py_XDECREF(file);
    Py_XDECREF(function);
    Py_XDECREF(old);
    return line;
}

/* The package's folder is known when it has been imported. */
void ext_origin_init(void) {
    PyObject *owner = NULL;
    if (!name_back) name_back = PyUnicode_InternFromString("f_back");
    if (!name_at) name_at = PyUnicode_InternFromString("f_lasti");
    PyObject *module = own_folder[0] ? NULL : PyImport_ImportModule("tenorite");
    if (module) {
        snprintf(own_folder, sizeof own_folder, "%s", text_of(module, "__file__", &owner));
        char *end = strrchr(own_folder, '/');
        if (end)
            end[1] = 0;
        else
            own_folder[0] = 0;
    }
    Py_XDECREF(owner);
    Py_XDECREF(module);
    PyErr_Clear();
    ext_trace_flag = tn_trace_flag();
}

ext_origin ext_origin_find(void) {
    ext_origin place = {0, 0};
    if (!name_back) ext_origin_init(); /* lines of TENORITE_LOG want it without a trace */
    PyObject *frame = (PyObject *)PyEval_GetFrame();
    Py_XINCREF(frame);
    for (int steps = 0; frame && frame != Py_None && steps < FRAMES_MOST; steps++) {
        PyObject *code = (PyObject *)PyFrame_GetCode((PyFrameObject *)frame);
        const code_entry *entry = find_code(code);
        if (!entry->is_ours)
            place.line = find_line(frame, code);
        else if (entry->name)
            place.function = entry->name;
        Py_DECREF(code);
        if (place.line) break;
        PyObject *back = PyObject_GetAttr(frame, name_back);
        Py_DECREF(frame);
        frame = back;
    }
    Py_XDECREF(frame);
    if (PyErr_Occurred()) PyErr_Clear();
    return place;
}

void ext_origin_enter(void) {
    if (depth++ == 0) current = ext_origin_find();
}

void ext_origin_leave(void) {
    depth--;
}

bool ext_origin_get(ext_origin *place) {
    *place = current;
    return depth > 0;
}
