/* What only the CUDA backend has, as plain functions of numbers: tenorite.cuda.runtime and .driver,
 * tenorite.cache and tenorite.show_config() are made of them. Names begin with _cuda_. */
#include "cuda/runtime.h"

#include "base/hold.h"
#include "base/kinds.h"
#include "device/event.h"
#include "device/kinds.h"
#include "device/pointer.h"

#include <stdlib.h>

/* --- Libraries and errors --- */

EXT_CALL(cuda_libraries, EXT_SHORT, (truth, loads), (made_object, list)) {
    tn_cuda_library_info info;
    PyObject *list = PyList_New(0);
    for (int k = 0; list && tn_cuda_library(&info, k, call->loads); k++) {
        PyObject *entry = Py_BuildValue("sOOsis", info.name, info.is_found ? Py_True : Py_False,
                                        info.is_loaded ? Py_True : Py_False, info.path,
                                        info.version, info.advice);
        if (!entry || PyList_Append(list, entry)) Py_CLEAR(list);
        Py_XDECREF(entry);
    }
    call->list = list;
    return TN_OK;
}

EXT_FORWARD(cuda_add_library_root, tn_cuda_add_library_root(call->path), EXT_SHORT, (text, path))
EXT_FORWARD(cuda_compiler_version, tn_cuda_compiler_version(&call->version), EXT_SHORT,
            (made_number, version))
EXT_FORWARD(cuda_driver_version, tn_cuda_driver_version(&call->version), EXT_SHORT,
            (made_number, version))

EXT_CALL(cuda_error, EXT_SHORT, (number, error), (made_object, names)) {
    call->names =
        Py_BuildValue("sss", tn_cuda_error_name(call->error),
                      tn_cuda_driver_error_name(call->error), tn_cuda_error_text(call->error));
    return TN_OK;
}

EXT_CALL(cuda_error_number, EXT_SHORT, (text, name), (made_number, error)) {
    call->error = tn_cuda_error_find(call->name);
    return TN_OK;
}

/* --- Devices --- */

EXT_FORWARD(cuda_attribute, tn_cuda_get_attribute(&call->value, call->attribute, call->device),
            EXT_SHORT, (number, attribute), (number, device), (made_number, value))

static int add_number(PyObject *all, const char *name, int value) {
    PyObject *object = PyLong_FromLong(value);
    int failed = object ? PyDict_SetItemString(all, name, object) : -1;
    Py_XDECREF(object);
    return failed;
}

/* Attributes that the driver does not know are left out. */
EXT_CALL(cuda_attributes, EXT_SHORT, (number, device), (made_object, all)) {
    int attribute, value;
    const char *name;
    call->all = PyDict_New();
    for (int k = 0; call->all && tn_cuda_attribute(&name, &attribute, k); k++)
        if (tn_cuda_get_attribute(&value, attribute, call->device) == TN_OK &&
            add_number(call->all, name, value))
            Py_CLEAR(call->all);
    return TN_OK;
}

EXT_CALL(cuda_attribute_numbers, EXT_SHORT, (made_object, all)) {
    int attribute;
    const char *name;
    call->all = PyDict_New();
    for (int k = 0; call->all && tn_cuda_attribute(&name, &attribute, k); k++)
        if (add_number(call->all, name, attribute)) Py_CLEAR(call->all);
    return TN_OK;
}

EXT_FORWARD(cuda_compute_capability, tn_cuda_get_compute_capability(&call->value, call->device),
            EXT_SHORT, (number, device), (made_number, value))
EXT_FORWARD(cuda_find_pci_bus_id, tn_cuda_find_pci_bus_id(&call->device, call->text), EXT_SHORT,
            (text, text), (made_number, device))
EXT_FORWARD(cuda_total_memory, tn_cuda_get_total_memory(&call->bytes, call->device), EXT_SHORT,
            (number, device), (made_int64, bytes))
EXT_FORWARD(cuda_get_limit, tn_cuda_get_limit(&call->value, call->limit, call->device), EXT_SHORT,
            (number, limit), (number, device), (made_handle, value))
EXT_FORWARD(cuda_set_limit, tn_cuda_set_limit(call->limit, (size_t)call->value, call->device),
            EXT_SHORT, (number, limit), (int64, value), (number, device))
EXT_FORWARD(cuda_priority_range,
            tn_cuda_get_priority_range(&call->least, &call->greatest, call->device), EXT_SHORT,
            (number, device), (made_number, least), (made_number, greatest))
EXT_FORWARD(cuda_can_access_peer, tn_cuda_can_access_peer(&call->can, call->device, call->peer),
            EXT_SHORT, (number, device), (number, peer), (made_truth, can))
EXT_FORWARD(cuda_enable_peer_access, tn_cuda_enable_peer_access(call->device, call->peer),
            EXT_SHORT, (number, device), (number, peer))
EXT_FORWARD(cuda_disable_peer_access, tn_cuda_disable_peer_access(call->device, call->peer),
            EXT_SHORT, (number, device), (number, peer))

EXT_CALL(cuda_pci_bus_id, EXT_SHORT, (number, device), (made_object, text)) {
    char text[32];
    tn_status status = tn_cuda_get_pci_bus_id(text, sizeof text, call->device);
    if (!status) call->text = PyUnicode_FromString(text);
    return status;
}

EXT_CALL(cuda_uuid, EXT_SHORT, (number, device), (made_object, bytes)) {
    unsigned char uuid[16];
    tn_status status = tn_cuda_get_uuid(uuid, call->device);
    if (!status) call->bytes = PyBytes_FromStringAndSize((const char *)uuid, sizeof uuid);
    return status;
}

/* --- Memory --- */

EXT_FORWARD(cuda_memcpy,
            tn_cuda_memcpy(call->to, call->from, call->bytes, call->kind, call->is_async,
                           call->stream, call->device),
            EXT_LONG, (handle, to), (handle, from), (int64, bytes), (number, kind),
            (truth, is_async), (handle, stream), (number, device))
EXT_FORWARD(cuda_memcpy_2d,
            tn_cuda_memcpy_2d(call->to, call->to_pitch, call->from, call->from_pitch, call->width,
                              call->height, call->kind, call->is_async, call->stream, call->device),
            EXT_LONG, (handle, to), (int64, to_pitch), (handle, from), (int64, from_pitch),
            (int64, width), (int64, height), (number, kind), (truth, is_async), (handle, stream),
            (number, device))
EXT_FORWARD(cuda_memcpy_peer,
            tn_cuda_memcpy_peer(call->to, call->to_device, call->from, call->from_device,
                                call->bytes, call->is_async, call->stream),
            EXT_LONG, (handle, to), (number, to_device), (handle, from), (number, from_device),
            (int64, bytes), (truth, is_async), (handle, stream))
EXT_FORWARD(cuda_memset,
            tn_cuda_memset(call->to, call->value, call->bytes, call->is_async, call->stream,
                           call->device),
            EXT_LONG, (handle, to), (number, value), (int64, bytes), (truth, is_async),
            (handle, stream), (number, device))
EXT_FORWARD(cuda_malloc,
            (call->is_managed ? tn_cuda_malloc_managed : tn_cuda_malloc)(&call->address,
                                                                         call->bytes, call->device),
            EXT_SHORT, (int64, bytes), (number, device), (truth, is_managed),
            (made_handle, address))
EXT_FORWARD(cuda_free, tn_cuda_free(call->address, call->device), EXT_LONG, (handle, address),
            (number, device))
/* pool 0: the current one */
EXT_FORWARD(cuda_malloc_async,
            tn_cuda_malloc_from_pool(&call->address, call->bytes, call->pool, call->stream,
                                     call->device),
            EXT_SHORT, (int64, bytes), (handle, pool), (handle, stream), (number, device),
            (made_handle, address))
EXT_FORWARD(cuda_free_async, tn_cuda_free_async(call->address, call->stream, call->device),
            EXT_SHORT, (handle, address), (handle, stream), (number, device))
EXT_FORWARD(cuda_malloc_host, tn_cuda_malloc_host(&call->address, call->bytes, call->flags),
            EXT_SHORT, (int64, bytes), (flags, flags), (made_handle, address))
EXT_FORWARD(cuda_free_host, tn_cuda_free_host(call->address), EXT_SHORT, (handle, address))
EXT_FORWARD(cuda_host_register, tn_cuda_host_register(call->address, call->bytes, call->flags),
            EXT_SHORT, (handle, address), (int64, bytes), (flags, flags))
EXT_FORWARD(cuda_host_unregister, tn_cuda_host_unregister(call->address), EXT_SHORT,
            (handle, address))
EXT_FORWARD(cuda_prefetch,
            tn_cuda_prefetch(call->address, call->bytes, call->to, call->stream, call->device),
            EXT_SHORT, (handle, address), (int64, bytes), (number, to), (handle, stream),
            (number, device))
EXT_FORWARD(cuda_advise,
            tn_cuda_advise(call->address, call->bytes, call->advice, call->about, call->device),
            EXT_SHORT, (handle, address), (int64, bytes), (number, advice), (number, about),
            (number, device))

EXT_CALL(cuda_pointer, EXT_SHORT, (handle, address), (made_number, kind), (made_number, device),
         (made_handle, device_address), (made_handle, host_address)) {
    tn_cuda_pointer facts = {0};
    tn_status status = tn_cuda_get_pointer(&facts, call->address);
    call->kind = (int)facts.kind;
    call->device = facts.number;
    call->device_address = facts.device_address;
    call->host_address = facts.host_address;
    return status;
}

EXT_FORWARD(cuda_memory_export, tn_cuda_memory_export(call->shared.at, call->address, call->device),
            EXT_SHORT, (handle, address), (number, device), (made_shared, shared))
EXT_FORWARD(cuda_memory_import,
            tn_cuda_memory_import(&call->address, call->shared.at, call->device), EXT_SHORT,
            (shared, shared), (number, device), (made_handle, address))
EXT_FORWARD(cuda_memory_close, tn_cuda_memory_close(call->address, call->device), EXT_SHORT,
            (handle, address), (number, device))
EXT_FORWARD(cuda_event_export, tn_cuda_event_export(call->shared.at, call->event), EXT_SHORT,
            (event, event), (made_shared, shared))

/* --- Streams --- */

EXT_CALL(cuda_stream_flags, EXT_SHORT, (stream, stream), (made_handle, flags),
         (made_number, priority)) {
    if (!call->stream || tn_stream_device(call->stream).backend != TN_BACKEND_CUDA) {
        PyErr_SetString(PyExc_ValueError, "a stream of a GPU is needed");
        return TN_ERROR_CALLBACK;
    }
    unsigned flags = 0;
    tn_status status = tn_cuda_stream_get_flags(&flags, call->stream);
    call->flags = flags;
    return status ? status : tn_cuda_stream_get_priority(&call->priority, call->stream);
}

/* --- The driver's pools; pool 0: the current one --- */

EXT_FORWARD(cuda_pool_get,
            tn_cuda_pool_get(&call->value, call->attribute, call->pool, call->device), EXT_SHORT,
            (number, attribute), (handle, pool), (number, device), (made_int64, value))
EXT_FORWARD(cuda_pool_set, tn_cuda_pool_set(call->attribute, call->value, call->pool, call->device),
            EXT_SHORT, (number, attribute), (int64, value), (handle, pool), (number, device))
EXT_FORWARD(cuda_pool_trim, tn_cuda_pool_trim(call->kept, call->pool, call->device), EXT_SHORT,
            (int64, kept), (handle, pool), (number, device))
EXT_FORWARD(cuda_pool_new, tn_cuda_pool_new(&call->pool, call->handle_types, call->device),
            EXT_SHORT, (number, handle_types), (number, device), (made_handle, pool))
EXT_FORWARD(cuda_pool_release, tn_cuda_pool_release(call->pool), EXT_SHORT, (handle, pool))
EXT_FORWARD(cuda_pool_handle,
            (call->is_default ? tn_cuda_pool_default : tn_cuda_pool_current)(&call->pool,
                                                                             call->device),
            EXT_SHORT, (number, device), (truth, is_default), (made_handle, pool))
EXT_FORWARD(cuda_pool_set_current, tn_cuda_pool_set_current(call->pool, call->device), EXT_SHORT,
            (handle, pool), (number, device))

/* A MemoryPointer to memory of the driver's pool, for the current stream. */
EXT_CALL(cuda_pool_memory, EXT_SHORT, (object, type), (int64, bytes), (made_object, pointer)) {
    tn_buffer *buffer;
    tn_status status = tn_buffer_new_from(&buffer, tn_cuda_allocator_async(), call->bytes, NULL);
    if (!status) call->pointer = ext_pointer((PyTypeObject *)call->type, buffer, 0);
    return status;
}

/* --- Profilers --- */

EXT_FORWARD(cuda_profiler, call->starts ? tn_cuda_profiler_start() : tn_cuda_profiler_stop(),
            EXT_SHORT, (truth, starts))
EXT_FORWARD(cuda_range_push, (tn_cuda_range_push(call->text), TN_OK), EXT_SHORT, (text, text))
EXT_FORWARD(cuda_range_pop, (tn_cuda_range_pop(), TN_OK), EXT_SHORT)
EXT_FORWARD(cuda_mark, (tn_cuda_mark(call->text), TN_OK), EXT_SHORT, (text, text))
EXT_FORWARD(cuda_range_end, (tn_cuda_range_end(call->range), TN_OK), EXT_SHORT, (handle, range))

EXT_CALL(cuda_range_start, EXT_SHORT, (text, text), (made_handle, range)) {
    call->range = tn_cuda_range_start(call->text);
    return TN_OK;
}

EXT_CALL(cuda_has_ranges, EXT_SHORT, (made_truth, has)) {
    call->has = tn_cuda_has_ranges();
    return TN_OK;
}

/* --- The kernel cache --- */

EXT_CALL(cuda_cache_info, EXT_SHORT, (made_object, facts)) {
    tn_cuda_cache_info info;
    tn_status status = tn_cuda_cache_info_get(&info);
    if (status) return status;
    call->facts = Py_BuildValue(
        "{ss ss sO sL sL sL sL sL sL sL sd}", "folder", info.folder, "reason", info.reason,
        "writeable", info.is_writeable ? Py_True : Py_False, "files", (long long)info.files,
        "bytes", (long long)info.bytes, "limit", (long long)info.limit_bytes, "archived",
        (long long)info.archived, "hits", (long long)info.hits, "misses", (long long)info.misses,
        "compiled", (long long)info.compiled, "compile_seconds", info.compile_seconds);
    return TN_OK;
}

EXT_FORWARD(cuda_cache_clear, tn_cuda_cache_clear(), EXT_SHORT)
EXT_FORWARD(cuda_cache_add_archive, tn_cuda_cache_add_archive(call->path), EXT_SHORT, (text, path))

enum { ARCHS_MAX = 32 };

/* A tuple of numbers; the count, or -1. */
static int read_archs(int archs[ARCHS_MAX], PyObject *tuple) {
    Py_ssize_t count = PyTuple_Size(tuple);
    if (count > ARCHS_MAX) {
        PyErr_Format(PyExc_ValueError, "at most %d architectures", ARCHS_MAX);
        return -1;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        archs[k] = (int)PyLong_AsLong(PyTuple_GetItem(tuple, k));
        if (PyErr_Occurred()) return -1;
    }
    return (int)count;
}

EXT_CALL(cuda_cache_pack, EXT_SHORT, (text, path), (tuple, archs), (int64, limit_bytes)) {
    int archs[ARCHS_MAX], count = read_archs(archs, call->archs);
    return count < 0 ? TN_ERROR_CALLBACK
                     : tn_cuda_cache_pack(call->path, count, archs, call->limit_bytes);
}

/* Called without the GIL: tells Python how far it is, and stops when that fails or says so. */
static bool report_progress(void *callable, int done, int total) {
    ext_python python = ext_python_open();
    PyObject *answer = NULL;
    bool goes_on = !PyErr_CheckSignals();
    if (goes_on && callable != Py_None) {
        answer = PyObject_CallFunction(callable, "ii", done, total);
        goes_on = answer != NULL;
    }
    Py_XDECREF(answer);
    ext_python_close(python);
    return goes_on;
}

EXT_CALL(cuda_cache_warm, EXT_SHORT, (tuple, archs), (object, progress)) {
    int archs[ARCHS_MAX], count = read_archs(archs, call->archs);
    if (count < 0) return TN_ERROR_CALLBACK;
    tn_status status;
    EXT_WITHOUT_GIL(status, tn_cuda_cache_warm(count, archs, report_progress, call->progress));
    return PyErr_Occurred() ? TN_ERROR_CALLBACK : status;
}

PyMethodDef ext_cuda_functions[] = {EXT_ENTRY(cuda_libraries),
                                    EXT_ENTRY(cuda_add_library_root),
                                    EXT_ENTRY(cuda_compiler_version),
                                    EXT_ENTRY(cuda_driver_version),
                                    EXT_ENTRY(cuda_error),
                                    EXT_ENTRY(cuda_error_number),
                                    EXT_ENTRY(cuda_attribute),
                                    EXT_ENTRY(cuda_attributes),
                                    EXT_ENTRY(cuda_attribute_numbers),
                                    EXT_ENTRY(cuda_compute_capability),
                                    EXT_ENTRY(cuda_find_pci_bus_id),
                                    EXT_ENTRY(cuda_total_memory),
                                    EXT_ENTRY(cuda_get_limit),
                                    EXT_ENTRY(cuda_set_limit),
                                    EXT_ENTRY(cuda_priority_range),
                                    EXT_ENTRY(cuda_can_access_peer),
                                    EXT_ENTRY(cuda_enable_peer_access),
                                    EXT_ENTRY(cuda_disable_peer_access),
                                    EXT_ENTRY(cuda_pci_bus_id),
                                    EXT_ENTRY(cuda_uuid),
                                    EXT_ENTRY(cuda_memcpy),
                                    EXT_ENTRY(cuda_memcpy_2d),
                                    EXT_ENTRY(cuda_memcpy_peer),
                                    EXT_ENTRY(cuda_memset),
                                    EXT_ENTRY(cuda_malloc),
                                    EXT_ENTRY(cuda_free),
                                    EXT_ENTRY(cuda_malloc_async),
                                    EXT_ENTRY(cuda_free_async),
                                    EXT_ENTRY(cuda_malloc_host),
                                    EXT_ENTRY(cuda_free_host),
                                    EXT_ENTRY(cuda_host_register),
                                    EXT_ENTRY(cuda_host_unregister),
                                    EXT_ENTRY(cuda_prefetch),
                                    EXT_ENTRY(cuda_advise),
                                    EXT_ENTRY(cuda_pointer),
                                    EXT_ENTRY(cuda_memory_export),
                                    EXT_ENTRY(cuda_memory_import),
                                    EXT_ENTRY(cuda_memory_close),
                                    EXT_ENTRY(cuda_event_export),
                                    EXT_ENTRY(cuda_stream_flags),
                                    EXT_ENTRY(cuda_pool_get),
                                    EXT_ENTRY(cuda_pool_set),
                                    EXT_ENTRY(cuda_pool_trim),
                                    EXT_ENTRY(cuda_pool_new),
                                    EXT_ENTRY(cuda_pool_release),
                                    EXT_ENTRY(cuda_pool_handle),
                                    EXT_ENTRY(cuda_pool_set_current),
                                    EXT_ENTRY(cuda_pool_memory),
                                    EXT_ENTRY(cuda_profiler),
                                    EXT_ENTRY(cuda_range_push),
                                    EXT_ENTRY(cuda_range_pop),
                                    EXT_ENTRY(cuda_mark),
                                    EXT_ENTRY(cuda_range_end),
                                    EXT_ENTRY(cuda_range_start),
                                    EXT_ENTRY(cuda_has_ranges),
                                    EXT_ENTRY(cuda_cache_info),
                                    EXT_ENTRY(cuda_cache_clear),
                                    EXT_ENTRY(cuda_cache_add_archive),
                                    EXT_ENTRY(cuda_cache_pack),
                                    EXT_ENTRY(cuda_cache_warm),
                                    {NULL, NULL, 0, NULL}};
