/* Contexts, modules and functions by the driver's handles, for tenorite.cuda.driver. */
#include "cuda/driver.h"

#include "base/errors.h"
#include "cuda/cuda.h"

/* --- Contexts --- */

FUNCTION(context_get) {
    uintptr_t context;
    PARSE("");
    EXT_TRY(tn_cuda_context_get(&context));
    return PyLong_FromSize_t(context);
}

FUNCTION(context_set) {
    address context;
    PARSE("K", &context);
    EXT_TRY(tn_cuda_context_set((uintptr_t)context));
    Py_RETURN_NONE;
}

FUNCTION(context_push) {
    address context;
    PARSE("K", &context);
    EXT_TRY(tn_cuda_context_push((uintptr_t)context));
    Py_RETURN_NONE;
}

FUNCTION(context_pop) {
    uintptr_t context;
    PARSE("");
    EXT_TRY(tn_cuda_context_pop(&context));
    return PyLong_FromSize_t(context);
}

FUNCTION(context_get_device) {
    int number;
    PARSE("");
    EXT_TRY(tn_cuda_context_get_device(&number));
    return PyLong_FromLong(number);
}

FUNCTION(context_of_stream) {
    address stream;
    uintptr_t context;
    int number;
    PARSE("Ki", &stream, &number);
    EXT_TRY(tn_cuda_context_of_stream(&context, (uintptr_t)stream, number));
    return PyLong_FromSize_t(context);
}

/* --- Modules --- */

/* The bytes have a NUL behind them, as PTX needs. */
FUNCTION(module_new) {
    const char *image;
    Py_ssize_t length;
    int number;
    uintptr_t made;
    tn_status status;
    PARSE("y#i", &image, &length, &number);
    EXT_WITHOUT_GIL(status, tn_cuda_module_new(&made, image, number));
    EXT_TRY(status);
    return PyLong_FromSize_t(made);
}

FUNCTION(module_open) {
    const char *path;
    int number;
    uintptr_t made;
    tn_status status;
    PARSE("si", &path, &number);
    EXT_WITHOUT_GIL(status, tn_cuda_module_open(&made, path, number));
    EXT_TRY(status);
    return PyLong_FromSize_t(made);
}

FUNCTION(module_release) {
    address given;
    int number;
    tn_status status;
    PARSE("Ki", &given, &number);
    EXT_WITHOUT_GIL(status, tn_cuda_module_release((uintptr_t)given, number));
    EXT_TRY(status);
    Py_RETURN_NONE;
}

FUNCTION(module_get_function) {
    address given;
    const char *name;
    int number;
    uintptr_t found;
    PARSE("Ksi", &given, &name, &number);
    EXT_TRY(tn_cuda_module_get_function(&found, (uintptr_t)given, name, number));
    return PyLong_FromSize_t(found);
}

FUNCTION(module_get_variable) {
    address given;
    const char *name;
    int number;
    uintptr_t found;
    int64_t bytes;
    PARSE("Ksi", &given, &name, &number);
    EXT_TRY(tn_cuda_module_get_variable(&found, &bytes, (uintptr_t)given, name, number));
    return PyLong_FromSize_t(found);
}

/* --- Functions --- */

FUNCTION(function_get_attribute) {
    int attribute, number, value;
    address function;
    PARSE("iKi", &attribute, &function, &number);
    EXT_TRY(tn_cuda_function_get_attribute(&value, attribute, (uintptr_t)function, number));
    return PyLong_FromLong(value);
}

FUNCTION(function_set_attribute) {
    int attribute, number, value;
    address function;
    PARSE("Kiii", &function, &attribute, &value, &number);
    EXT_TRY(tn_cuda_function_set_attribute((uintptr_t)function, attribute, value, number));
    Py_RETURN_NONE;
}

FUNCTION(function_get_occupancy) {
    int threads, number, blocks;
    long long shared_bytes;
    address function;
    PARSE("KiLi", &function, &threads, &shared_bytes, &number);
    EXT_TRY(tn_cuda_function_get_occupancy(&blocks, (uintptr_t)function, threads, shared_bytes,
                                           number));
    return PyLong_FromLong(blocks);
}

FUNCTION(function_find_block) {
    int threads_max, number, blocks, threads;
    long long shared_bytes;
    address function;
    PARSE("KLii", &function, &shared_bytes, &threads_max, &number);
    EXT_TRY(tn_cuda_function_find_block(&blocks, &threads, (uintptr_t)function, shared_bytes,
                                        threads_max, number));
    return Py_BuildValue("ii", blocks, threads);
}

FUNCTION(function_launch) {
    address function, stream, params, extra;
    int number, is_cooperative;
    tn_cuda_launch launch;
    tn_status status;
    PARSE("K(III)(III)IKKKpi", &function, &launch.grid[0], &launch.grid[1], &launch.grid[2],
          &launch.block[0], &launch.block[1], &launch.block[2], &launch.shared_bytes, &stream,
          &params, &extra, &is_cooperative, &number);
    launch.stream = (uintptr_t)stream;
    launch.params = (void **)(uintptr_t)params;
    launch.extra = (void **)(uintptr_t)extra;
    launch.is_cooperative = is_cooperative;
    EXT_WITHOUT_GIL(status, tn_cuda_function_launch((uintptr_t)function, &launch, number));
    EXT_TRY(status);
    Py_RETURN_NONE;
}

PyMethodDef ext_driver_functions[] = {
    ENTRY("context_get", context_get),
    ENTRY("context_set", context_set),
    ENTRY("context_push", context_push),
    ENTRY("context_pop", context_pop),
    ENTRY("context_get_device", context_get_device),
    ENTRY("context_of_stream", context_of_stream),
    ENTRY("module_new", module_new),
    ENTRY("module_open", module_open),
    ENTRY("module_release", module_release),
    ENTRY("module_get_function", module_get_function),
    ENTRY("module_get_variable", module_get_variable),
    ENTRY("function_get_attribute", function_get_attribute),
    ENTRY("function_set_attribute", function_set_attribute),
    ENTRY("function_get_occupancy", function_get_occupancy),
    ENTRY("function_find_block", function_find_block),
    ENTRY("function_launch", function_launch),
    {NULL, NULL, 0, NULL},
};
