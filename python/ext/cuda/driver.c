/* Contexts, modules and functions by the driver's handles, for tenorite.cuda.driver. */
#include "cuda/driver.h"

#include "base/hold.h"
#include "cuda/table.h"

/* --- Contexts --- */

static tn_status context_get(ext_value *given) {
    return tn_cuda_context_get(&given[0].handle);
}

static tn_status context_set(ext_value *given) {
    return tn_cuda_context_set(given[0].handle);
}

static tn_status context_push(ext_value *given) {
    return tn_cuda_context_push(given[0].handle);
}

static tn_status context_pop(ext_value *given) {
    return tn_cuda_context_pop(&given[0].handle);
}

static tn_status context_get_device(ext_value *given) {
    return tn_cuda_context_get_device(&given[0].number);
}

static tn_status context_of_stream(ext_value *given) {
    return tn_cuda_context_of_stream(&given[0].handle, given[0].handle, given[1].number);
}

/* --- Modules --- */

/* The bytes have a NUL behind them, as PTX needs. */
static tn_status module_new(ext_value *given) {
    return tn_cuda_module_new(&given[0].handle, given[0].text, given[2].number);
}

static tn_status module_open(ext_value *given) {
    return tn_cuda_module_open(&given[0].handle, given[0].text, given[1].number);
}

static tn_status module_release(ext_value *given) {
    return tn_cuda_module_release(given[0].handle, given[1].number);
}

static tn_status module_get_function(ext_value *given) {
    return tn_cuda_module_get_function(&given[0].handle, given[0].handle, given[1].text,
                                       given[2].number);
}

static tn_status module_get_variable(ext_value *given) {
    int64_t bytes;
    return tn_cuda_module_get_variable(&given[0].handle, &bytes, given[0].handle, given[1].text,
                                       given[2].number);
}

/* --- Functions --- */

static tn_status function_get_attribute(ext_value *given) {
    return tn_cuda_function_get_attribute(&given[0].number, given[0].number, given[1].handle,
                                          given[2].number);
}

static tn_status function_set_attribute(ext_value *given) {
    return tn_cuda_function_set_attribute(given[0].handle, given[1].number, given[2].number,
                                          given[3].number);
}

static tn_status function_get_occupancy(ext_value *given) {
    return tn_cuda_function_get_occupancy(&given[0].number, given[0].handle, given[1].number,
                                          given[2].bytes, given[3].number);
}

static tn_status function_find_block(ext_value *given) {
    int blocks, threads;
    tn_status status = tn_cuda_function_find_block(
        &blocks, &threads, given[0].handle, given[1].bytes, given[2].number, given[3].number);
    if (!status) given[0].object = Py_BuildValue("ii", blocks, threads);
    return status;
}

/* (function, grid, block, bytes of shared memory, stream, parameters, extra, cooperative,
 * device) */
static tn_status function_launch(ext_value *given) {
    tn_cuda_launch launch = {
        .grid = {given[1].flags, given[2].flags, given[3].flags},
        .block = {given[4].flags, given[5].flags, given[6].flags},
        .shared_bytes = given[7].flags,
        .stream = given[8].handle,
        .params = (void **)given[9].handle,
        .extra = (void **)given[10].handle,
        .is_cooperative = given[11].number,
    };
    return tn_cuda_function_launch(given[0].handle, &launch, given[12].number);
}

/* --- Functions of other libraries --- */

static tn_status symbol(ext_value *given) {
    return tn_cuda_symbol(&given[0].handle, given[0].text, given[1].text);
}

/* A whole number, negative ones as well, or a float. */
static bool read_argument(tn_cuda_arguments *to, int *words, int *reals, PyObject *value) {
    bool is_real = PyFloat_Check(value);
    if (is_real ? *reals == TN_CUDA_REALS : *words == TN_CUDA_WORDS)
        PyErr_SetString(PyExc_ValueError, "too many arguments for a function of CUDA");
    else if (is_real)
        to->reals[(*reals)++] = PyFloat_AsDouble(value);
    else
        to->words[(*words)++] = PyLong_AsUnsignedLongLongMask(value);
    return !PyErr_Occurred();
}

/* (address, tuple of arguments, device) */
static tn_status call(ext_value *given) {
    tn_cuda_arguments arguments = {0};
    PyObject *all = given[1].object;
    uintptr_t function = given[0].handle;
    int words = 0, reals = 0;
    tn_status status;
    if (!PyTuple_Check(all)) {
        PyErr_SetString(PyExc_TypeError, "the arguments of a function of CUDA must be a tuple");
        return TN_ERROR_CALLBACK;
    }
    for (Py_ssize_t k = 0; k < PyTuple_Size(all); k++)
        if (!read_argument(&arguments, &words, &reals, PyTuple_GetItem(all, k)))
            return TN_ERROR_CALLBACK;
    EXT_WITHOUT_GIL(status, tn_cuda_call(&given[0].count, function, &arguments, given[2].number));
    return status;
}

ext_function ext_driver_functions[] = {
    EXT_ENTRY("context_get", "", EXT_HANDLE, context_get),
    EXT_ENTRY("context_set", "K", EXT_NONE, context_set),
    EXT_ENTRY("context_push", "K", EXT_NONE, context_push),
    EXT_ENTRY("context_pop", "", EXT_HANDLE, context_pop),
    EXT_ENTRY("context_get_device", "", EXT_NUMBER, context_get_device),
    EXT_ENTRY("context_of_stream", "Ki", EXT_HANDLE, context_of_stream),
    EXT_LONG_ENTRY("module_new", "y#i", EXT_HANDLE, module_new),
    EXT_LONG_ENTRY("module_open", "si", EXT_HANDLE, module_open),
    EXT_LONG_ENTRY("module_release", "Ki", EXT_NONE, module_release),
    EXT_ENTRY("module_get_function", "Ksi", EXT_HANDLE, module_get_function),
    EXT_ENTRY("module_get_variable", "Ksi", EXT_HANDLE, module_get_variable),
    EXT_ENTRY("function_get_attribute", "iKi", EXT_NUMBER, function_get_attribute),
    EXT_ENTRY("function_set_attribute", "Kiii", EXT_NONE, function_set_attribute),
    EXT_ENTRY("function_get_occupancy", "KiLi", EXT_NUMBER, function_get_occupancy),
    EXT_ENTRY("function_find_block", "KLii", EXT_OBJECT, function_find_block),
    EXT_LONG_ENTRY("function_launch", "K(III)(III)IKKKpi", EXT_NONE, function_launch),
    EXT_ENTRY("symbol", "ss", EXT_HANDLE, symbol),
    EXT_ENTRY("call", "KOi", EXT_COUNT, call),
    {{NULL, NULL, 0, NULL}, NULL, EXT_NONE, false, NULL},
};
