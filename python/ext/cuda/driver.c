/* Contexts, modules and functions by the driver's handles, for tenorite.cuda.driver. */
#include "cuda/driver.h"

#include "base/hold.h"
#include "base/kinds.h"

/* --- Contexts --- */

EXT_FORWARD(cuda_context_get, tn_cuda_context_get(&call->context), EXT_SHORT,
            (made_handle, context))
EXT_FORWARD(cuda_context_set, tn_cuda_context_set(call->context), EXT_SHORT, (handle, context))
EXT_FORWARD(cuda_context_push, tn_cuda_context_push(call->context), EXT_SHORT, (handle, context))
EXT_FORWARD(cuda_context_pop, tn_cuda_context_pop(&call->context), EXT_SHORT,
            (made_handle, context))
EXT_FORWARD(cuda_context_get_device, tn_cuda_context_get_device(&call->device), EXT_SHORT,
            (made_number, device))
EXT_FORWARD(cuda_context_of_stream,
            tn_cuda_context_of_stream(&call->context, call->stream, call->device), EXT_SHORT,
            (handle, stream), (number, device), (made_handle, context))

/* --- Modules --- */

/* The bytes have a NUL after them, as PTX needs. */
EXT_FORWARD(cuda_module_new, tn_cuda_module_new(&call->module, call->image.at, call->device),
            EXT_LONG, (bytes, image), (number, device), (made_handle, module))
EXT_FORWARD(cuda_module_open, tn_cuda_module_open(&call->module, call->path, call->device),
            EXT_LONG, (text, path), (number, device), (made_handle, module))
EXT_FORWARD(cuda_module_release, tn_cuda_module_release(call->module, call->device), EXT_LONG,
            (handle, module), (number, device))
EXT_FORWARD(cuda_module_get_function,
            tn_cuda_module_get_function(&call->function, call->module, call->name, call->device),
            EXT_SHORT, (handle, module), (text, name), (number, device), (made_handle, function))

EXT_CALL(cuda_module_get_variable, EXT_SHORT, (handle, module), (text, name), (number, device),
         (made_handle, address)) {
    int64_t bytes;
    return tn_cuda_module_get_variable(&call->address, &bytes, call->module, call->name,
                                       call->device);
}

/* --- Functions --- */

EXT_FORWARD(cuda_function_get_attribute,
            tn_cuda_function_get_attribute(&call->value, call->attribute, call->function,
                                           call->device),
            EXT_SHORT, (number, attribute), (handle, function), (number, device),
            (made_number, value))
EXT_FORWARD(cuda_function_set_attribute,
            tn_cuda_function_set_attribute(call->function, call->attribute, call->value,
                                           call->device),
            EXT_SHORT, (handle, function), (number, attribute), (number, value), (number, device))
EXT_FORWARD(cuda_function_get_occupancy,
            tn_cuda_function_get_occupancy(&call->blocks, call->function, call->threads,
                                           call->shared_bytes, call->device),
            EXT_SHORT, (handle, function), (number, threads), (int64, shared_bytes),
            (number, device), (made_number, blocks))
EXT_FORWARD(cuda_function_find_block,
            tn_cuda_function_find_block(&call->blocks, &call->threads, call->function,
                                        call->shared_bytes, call->threads_max, call->device),
            EXT_SHORT, (handle, function), (int64, shared_bytes), (number, threads_max),
            (number, device), (made_number, blocks), (made_number, threads))

EXT_CALL(cuda_function_launch, EXT_LONG, (handle, function), (extent, grid), (extent, block),
         (flags, shared_bytes), (handle, stream), (handle, params), (handle, extra),
         (truth, is_cooperative), (number, device)) {
    const unsigned *grid = call->grid.at, *block = call->block.at;
    tn_cuda_launch launch = {
        .grid = {grid[0], grid[1], grid[2]},
        .block = {block[0], block[1], block[2]},
        .shared_bytes = call->shared_bytes,
        .stream = call->stream,
        .params = (void **)call->params,
        .extra = (void **)call->extra,
        .is_cooperative = call->is_cooperative,
    };
    return tn_cuda_function_launch(call->function, &launch, call->device);
}

/* --- Functions of other libraries --- */

EXT_FORWARD(cuda_symbol, tn_cuda_symbol(&call->address, call->library, call->name), EXT_SHORT,
            (text, library), (text, name), (made_handle, address))

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

EXT_CALL(cuda_call, EXT_SHORT, (handle, address), (tuple, arguments), (number, device),
         (made_handle, answer)) {
    tn_cuda_arguments arguments = {0};
    int words = 0, reals = 0;
    tn_status status;
    for (Py_ssize_t k = 0; k < PyTuple_Size(call->arguments); k++)
        if (!read_argument(&arguments, &words, &reals, PyTuple_GetItem(call->arguments, k)))
            return TN_ERROR_CALLBACK;
    EXT_WITHOUT_GIL(status, tn_cuda_call(&call->answer, call->address, &arguments, call->device));
    return status;
}

PyMethodDef ext_driver_functions[] = {EXT_ENTRY(cuda_context_get),
                                      EXT_ENTRY(cuda_context_set),
                                      EXT_ENTRY(cuda_context_push),
                                      EXT_ENTRY(cuda_context_pop),
                                      EXT_ENTRY(cuda_context_get_device),
                                      EXT_ENTRY(cuda_context_of_stream),
                                      EXT_ENTRY(cuda_module_new),
                                      EXT_ENTRY(cuda_module_open),
                                      EXT_ENTRY(cuda_module_release),
                                      EXT_ENTRY(cuda_module_get_function),
                                      EXT_ENTRY(cuda_module_get_variable),
                                      EXT_ENTRY(cuda_function_get_attribute),
                                      EXT_ENTRY(cuda_function_set_attribute),
                                      EXT_ENTRY(cuda_function_get_occupancy),
                                      EXT_ENTRY(cuda_function_find_block),
                                      EXT_ENTRY(cuda_function_launch),
                                      EXT_ENTRY(cuda_symbol),
                                      EXT_ENTRY(cuda_call),
                                      {NULL, NULL, 0, NULL}};
