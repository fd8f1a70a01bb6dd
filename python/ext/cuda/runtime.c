/* What only the CUDA backend has, as plain functions of numbers: tenorite.cuda.runtime and .driver,
 * tenorite.cache and tenorite.show_config() are made of them. Names begin with _cuda_. */
#include "cuda/runtime.h"

#include "base/hold.h"
#include "cuda/table.h"
#include "device/event.h"
#include "device/pointer.h"
#include "device/stream_object.h"

#include <stdlib.h>

/* --- Libraries and errors --- */

static tn_status libraries(ext_value *given) {
    tn_cuda_library_info info;
    PyObject *list = PyList_New(0);
    for (int k = 0; list && tn_cuda_library(&info, k, given[0].number); k++) {
        PyObject *entry = Py_BuildValue("sOOsis", info.name, info.is_found ? Py_True : Py_False,
                                        info.is_loaded ? Py_True : Py_False, info.path,
                                        info.version, info.advice);
        if (!entry || PyList_Append(list, entry)) Py_CLEAR(list);
        Py_XDECREF(entry);
    }
    given[0].object = list;
    return TN_OK;
}

static tn_status add_library_root(ext_value *given) {
    return tn_cuda_add_library_root(given[0].text);
}

static tn_status compiler_version(ext_value *given) {
    return tn_cuda_compiler_version(&given[0].number);
}

static tn_status driver_version(ext_value *given) {
    return tn_cuda_driver_version(&given[0].number);
}

static tn_status error(ext_value *given) {
    int number = given[0].number;
    given[0].object = Py_BuildValue("sss", tn_cuda_error_name(number),
                                    tn_cuda_driver_error_name(number), tn_cuda_error_text(number));
    return TN_OK;
}

static tn_status error_number(ext_value *given) {
    given[0].number = tn_cuda_error_find(given[0].text);
    return TN_OK;
}

/* --- Devices --- */

static tn_status attribute(ext_value *given) {
    return tn_cuda_get_attribute(&given[0].number, given[0].number, given[1].number);
}

static int add_number(PyObject *all, const char *name, int value) {
    PyObject *object = PyLong_FromLong(value);
    int failed = object ? PyDict_SetItemString(all, name, object) : -1;
    Py_XDECREF(object);
    return failed;
}

/* Attributes that the driver does not know are left out. */
static tn_status attributes(ext_value *given) {
    int number = given[0].number, attribute, value;
    const char *name;
    PyObject *all = PyDict_New();
    for (int k = 0; all && tn_cuda_attribute(&name, &attribute, k); k++)
        if (tn_cuda_get_attribute(&value, attribute, number) == TN_OK &&
            add_number(all, name, value))
            Py_CLEAR(all);
    given[0].object = all;
    return TN_OK;
}

static tn_status attribute_numbers(ext_value *given) {
    int attribute;
    const char *name;
    PyObject *all = PyDict_New();
    for (int k = 0; all && tn_cuda_attribute(&name, &attribute, k); k++)
        if (add_number(all, name, attribute)) Py_CLEAR(all);
    given[0].object = all;
    return TN_OK;
}

static tn_status compute_capability(ext_value *given) {
    return tn_cuda_get_compute_capability(&given[0].number, given[0].number);
}

static tn_status pci_bus_id(ext_value *given) {
    char text[32];
    tn_status status = tn_cuda_get_pci_bus_id(text, sizeof text, given[0].number);
    if (!status) given[0].object = PyUnicode_FromString(text);
    return status;
}

static tn_status find_pci_bus_id(ext_value *given) {
    return tn_cuda_find_pci_bus_id(&given[0].number, given[0].text);
}

static tn_status uuid(ext_value *given) {
    unsigned char uuid[16];
    tn_status status = tn_cuda_get_uuid(uuid, given[0].number);
    if (!status) given[0].object = PyBytes_FromStringAndSize((const char *)uuid, sizeof uuid);
    return status;
}

static tn_status total_memory(ext_value *given) {
    return tn_cuda_get_total_memory(&given[0].bytes, given[0].number);
}

static tn_status get_limit(ext_value *given) {
    size_t value;
    tn_status status = tn_cuda_get_limit(&value, given[0].number, given[1].number);
    given[0].handle = value;
    return status;
}

static tn_status set_limit(ext_value *given) {
    return tn_cuda_set_limit(given[0].number, (size_t)given[1].size, given[2].number);
}

static tn_status priority_range(ext_value *given) {
    int least, greatest;
    tn_status status = tn_cuda_get_priority_range(&least, &greatest, given[0].number);
    if (!status) given[0].object = Py_BuildValue("ii", least, greatest);
    return status;
}

static tn_status can_access_peer(ext_value *given) {
    return tn_cuda_can_access_peer(&given[0].truth, given[0].number, given[1].number);
}

static tn_status enable_peer_access(ext_value *given) {
    return tn_cuda_enable_peer_access(given[0].number, given[1].number);
}

static tn_status disable_peer_access(ext_value *given) {
    return tn_cuda_disable_peer_access(given[0].number, given[1].number);
}

/* --- Memory --- */

static tn_status memcpy_raw(ext_value *given) {
    return tn_cuda_memcpy(given[0].handle, given[1].handle, given[2].bytes, given[3].number,
                          given[4].number, given[5].handle, given[6].number);
}

static tn_status memcpy_2d(ext_value *given) {
    return tn_cuda_memcpy_2d(given[0].handle, given[1].bytes, given[2].handle, given[3].bytes,
                             given[4].bytes, given[5].bytes, given[6].number, given[7].number,
                             given[8].handle, given[9].number);
}

static tn_status memcpy_peer(ext_value *given) {
    return tn_cuda_memcpy_peer(given[0].handle, given[1].number, given[2].handle, given[3].number,
                               given[4].bytes, given[5].number, given[6].handle);
}

static tn_status memset_raw(ext_value *given) {
    return tn_cuda_memset(given[0].handle, given[1].number, given[2].bytes, given[3].number,
                          given[4].handle, given[5].number);
}

static tn_status malloc_raw(ext_value *given) {
    return given[2].number
               ? tn_cuda_malloc_managed(&given[0].handle, given[0].bytes, given[1].number)
               : tn_cuda_malloc(&given[0].handle, given[0].bytes, given[1].number);
}

static tn_status free_raw(ext_value *given) {
    return tn_cuda_free(given[0].handle, given[1].number);
}

/* pool 0: the current one */
static tn_status malloc_async(ext_value *given) {
    return tn_cuda_malloc_from_pool(&given[0].handle, given[0].bytes, given[1].handle,
                                    given[2].handle, given[3].number);
}

static tn_status free_async(ext_value *given) {
    return tn_cuda_free_async(given[0].handle, given[1].handle, given[2].number);
}

static tn_status malloc_host(ext_value *given) {
    return tn_cuda_malloc_host(&given[0].handle, given[0].bytes, given[1].flags);
}

static tn_status free_host(ext_value *given) {
    return tn_cuda_free_host(given[0].handle);
}

static tn_status host_register(ext_value *given) {
    return tn_cuda_host_register(given[0].handle, given[1].bytes, given[2].flags);
}

static tn_status host_unregister(ext_value *given) {
    return tn_cuda_host_unregister(given[0].handle);
}

static tn_status prefetch(ext_value *given) {
    return tn_cuda_prefetch(given[0].handle, given[1].bytes, given[2].number, given[3].handle,
                            given[4].number);
}

static tn_status advise(ext_value *given) {
    return tn_cuda_advise(given[0].handle, given[1].bytes, given[2].number, given[3].number,
                          given[4].number);
}

static tn_status pointer(ext_value *given) {
    tn_cuda_pointer facts;
    tn_status status = tn_cuda_get_pointer(&facts, given[0].handle);
    if (!status)
        given[0].object = Py_BuildValue("iiKK", facts.kind, facts.number,
                                        (unsigned long long)facts.device_address,
                                        (unsigned long long)facts.host_address);
    return status;
}

static tn_status memory_export(ext_value *given) {
    unsigned char handle[64];
    tn_status status = tn_cuda_memory_export(handle, given[0].handle, given[1].number);
    if (!status) given[0].object = PyBytes_FromStringAndSize((const char *)handle, sizeof handle);
    return status;
}

static tn_status memory_import(ext_value *given) {
    const unsigned char *handle = (const unsigned char *)given[0].text;
    if (given[1].size == 64)
        return tn_cuda_memory_import(&given[0].handle, handle, given[2].number);
    PyErr_Format(PyExc_ValueError, "a handle has 64 bytes, not %zd", given[1].size);
    return TN_ERROR_CALLBACK;
}

static tn_status memory_close(ext_value *given) {
    return tn_cuda_memory_close(given[0].handle, given[1].number);
}

static tn_status event_export(ext_value *given) {
    unsigned char handle[64];
    tn_event *event = ext_event(given[0].object);
    tn_status status = event ? tn_cuda_event_export(handle, event) : TN_ERROR_CALLBACK;
    if (!status) given[0].object = PyBytes_FromStringAndSize((const char *)handle, sizeof handle);
    return status;
}

/* --- Streams --- */

static tn_status stream_flags(ext_value *given) {
    tn_stream *stream;
    unsigned flags;
    int priority;
    if (ext_stream(given[0].object, &stream)) return TN_ERROR_CALLBACK;
    if (!stream || tn_stream_device(stream).backend != TN_BACKEND_CUDA) {
        PyErr_SetString(PyExc_ValueError, "a stream of a GPU is needed");
        return TN_ERROR_CALLBACK;
    }
    tn_status status = tn_cuda_stream_get_flags(&flags, stream);
    if (!status) status = tn_cuda_stream_get_priority(&priority, stream);
    if (!status) given[0].object = Py_BuildValue("Ii", flags, priority);
    return status;
}

/* --- The driver's pools --- */

/* (attribute, pool, number); pool 0: the current one. */
static tn_status pool_get(ext_value *given) {
    return tn_cuda_pool_get(&given[0].bytes, given[0].number, given[1].handle, given[2].number);
}

static tn_status pool_set(ext_value *given) {
    return tn_cuda_pool_set(given[0].number, given[1].bytes, given[2].handle, given[3].number);
}

static tn_status pool_trim(ext_value *given) {
    return tn_cuda_pool_trim(given[0].bytes, given[1].handle, given[2].number);
}

static tn_status pool_new(ext_value *given) {
    return tn_cuda_pool_new(&given[0].handle, given[0].number, given[1].number);
}

static tn_status pool_release(ext_value *given) {
    return tn_cuda_pool_release(given[0].handle);
}

static tn_status pool_handle(ext_value *given) {
    return given[1].number ? tn_cuda_pool_default(&given[0].handle, given[0].number)
                           : tn_cuda_pool_current(&given[0].handle, given[0].number);
}

static tn_status pool_set_current(ext_value *given) {
    return tn_cuda_pool_set_current(given[0].handle, given[1].number);
}

/* _cuda_pool_memory(type, size): a MemoryPointer to memory of the driver's pool, for the current
 * stream. */
static tn_status pool_memory(ext_value *given) {
    PyTypeObject *type = (PyTypeObject *)given[0].object;
    tn_buffer *buffer;
    tn_status status = tn_buffer_new_from(&buffer, tn_cuda_allocator_async(), given[1].bytes, NULL);
    if (!status) given[0].object = ext_pointer(type, buffer, 0);
    return status;
}

/* --- Profilers --- */

static tn_status profiler(ext_value *given) {
    return given[0].number ? tn_cuda_profiler_start() : tn_cuda_profiler_stop();
}

static tn_status range_push(ext_value *given) {
    tn_cuda_range_push(given[0].text);
    return TN_OK;
}

static tn_status range_pop(ext_value *given) {
    (void)given;
    tn_cuda_range_pop();
    return TN_OK;
}

static tn_status mark(ext_value *given) {
    tn_cuda_mark(given[0].text);
    return TN_OK;
}

static tn_status range_start(ext_value *given) {
    given[0].count = tn_cuda_range_start(given[0].text);
    return TN_OK;
}

static tn_status range_end(ext_value *given) {
    tn_cuda_range_end(given[0].count);
    return TN_OK;
}

static tn_status has_ranges(ext_value *given) {
    given[0].truth = tn_cuda_has_ranges();
    return TN_OK;
}

/* --- The kernel cache --- */

static tn_status cache_info(ext_value *given) {
    tn_cuda_cache_info info;
    tn_status status = tn_cuda_cache_info_get(&info);
    if (status) return status;
    given[0].object = Py_BuildValue(
        "{ss ss sO sL sL sL sL sL sL sL sd}", "folder", info.folder, "reason", info.reason,
        "writeable", info.is_writeable ? Py_True : Py_False, "files", (long long)info.files,
        "bytes", (long long)info.bytes, "limit", (long long)info.limit_bytes, "archived",
        (long long)info.archived, "hits", (long long)info.hits, "misses", (long long)info.misses,
        "compiled", (long long)info.compiled, "compile_seconds", info.compile_seconds);
    return TN_OK;
}

static tn_status cache_clear(ext_value *given) {
    (void)given;
    return tn_cuda_cache_clear();
}

static tn_status cache_add_archive(ext_value *given) {
    return tn_cuda_cache_add_archive(given[0].text);
}

enum { ARCHS_MAX = 32 };

/* A tuple of numbers; the count, or -1. */
static int read_archs(int archs[ARCHS_MAX], PyObject *tuple) {
    Py_ssize_t count = PyTuple_Size(tuple);
    if (count < 0) return -1;
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

static tn_status cache_pack(ext_value *given) {
    int archs[ARCHS_MAX], count = read_archs(archs, given[1].object);
    return count < 0 ? TN_ERROR_CALLBACK
                     : tn_cuda_cache_pack(given[0].text, count, archs, given[2].bytes);
}

/* Called without the GIL: tells Python how far it is, and stops when that fails or says so. */
static bool tell_progress(void *callable, int done, int total) {
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

static tn_status cache_warm(ext_value *given) {
    int archs[ARCHS_MAX], count = read_archs(archs, given[0].object);
    if (count < 0) return TN_ERROR_CALLBACK;
    tn_status status;
    EXT_WITHOUT_GIL(status, tn_cuda_cache_warm(count, archs, tell_progress, given[1].object));
    return PyErr_Occurred() ? TN_ERROR_CALLBACK : status;
}

ext_function ext_cuda_functions[] = {
    EXT_ENTRY("libraries", "p", EXT_OBJECT, libraries),
    EXT_ENTRY("add_library_root", "s", EXT_NONE, add_library_root),
    EXT_ENTRY("compiler_version", "", EXT_NUMBER, compiler_version),
    EXT_ENTRY("driver_version", "", EXT_NUMBER, driver_version),
    EXT_ENTRY("error", "i", EXT_OBJECT, error),
    EXT_ENTRY("error_number", "s", EXT_NUMBER, error_number),
    EXT_ENTRY("attribute", "ii", EXT_NUMBER, attribute),
    EXT_ENTRY("attributes", "i", EXT_OBJECT, attributes),
    EXT_ENTRY("attribute_numbers", "", EXT_OBJECT, attribute_numbers),
    EXT_ENTRY("compute_capability", "i", EXT_NUMBER, compute_capability),
    EXT_ENTRY("pci_bus_id", "i", EXT_OBJECT, pci_bus_id),
    EXT_ENTRY("find_pci_bus_id", "s", EXT_NUMBER, find_pci_bus_id),
    EXT_ENTRY("uuid", "i", EXT_OBJECT, uuid),
    EXT_ENTRY("total_memory", "i", EXT_BYTES, total_memory),
    EXT_ENTRY("get_limit", "ii", EXT_HANDLE, get_limit),
    EXT_ENTRY("set_limit", "ini", EXT_NONE, set_limit),
    EXT_ENTRY("priority_range", "i", EXT_OBJECT, priority_range),
    EXT_ENTRY("can_access_peer", "ii", EXT_TRUTH, can_access_peer),
    EXT_ENTRY("enable_peer_access", "ii", EXT_NONE, enable_peer_access),
    EXT_ENTRY("disable_peer_access", "ii", EXT_NONE, disable_peer_access),
    EXT_LONG_ENTRY("memcpy", "KKLipKi", EXT_NONE, memcpy_raw),
    EXT_LONG_ENTRY("memcpy_2d", "KLKLLLipKi", EXT_NONE, memcpy_2d),
    EXT_LONG_ENTRY("memcpy_peer", "KiKiLpK", EXT_NONE, memcpy_peer),
    EXT_LONG_ENTRY("memset", "KiLpKi", EXT_NONE, memset_raw),
    EXT_ENTRY("malloc", "Lip", EXT_HANDLE, malloc_raw),
    EXT_LONG_ENTRY("free", "Ki", EXT_NONE, free_raw),
    EXT_ENTRY("malloc_async", "LKKi", EXT_HANDLE, malloc_async),
    EXT_ENTRY("free_async", "KKi", EXT_NONE, free_async),
    EXT_ENTRY("malloc_host", "LI", EXT_HANDLE, malloc_host),
    EXT_ENTRY("free_host", "K", EXT_NONE, free_host),
    EXT_ENTRY("host_register", "KLI", EXT_NONE, host_register),
    EXT_ENTRY("host_unregister", "K", EXT_NONE, host_unregister),
    EXT_ENTRY("prefetch", "KLiKi", EXT_NONE, prefetch),
    EXT_ENTRY("advise", "KLiii", EXT_NONE, advise),
    EXT_ENTRY("pointer", "K", EXT_OBJECT, pointer),
    EXT_ENTRY("memory_export", "Ki", EXT_OBJECT, memory_export),
    EXT_ENTRY("memory_import", "y#i", EXT_HANDLE, memory_import),
    EXT_ENTRY("memory_close", "Ki", EXT_NONE, memory_close),
    EXT_ENTRY("event_export", "O", EXT_OBJECT, event_export),
    EXT_ENTRY("stream_flags", "O", EXT_OBJECT, stream_flags),
    EXT_ENTRY("pool_get", "iKi", EXT_BYTES, pool_get),
    EXT_ENTRY("pool_set", "iLKi", EXT_NONE, pool_set),
    EXT_ENTRY("pool_trim", "LKi", EXT_NONE, pool_trim),
    EXT_ENTRY("pool_new", "ii", EXT_HANDLE, pool_new),
    EXT_ENTRY("pool_release", "K", EXT_NONE, pool_release),
    EXT_ENTRY("pool_handle", "ip", EXT_HANDLE, pool_handle),
    EXT_ENTRY("pool_set_current", "Ki", EXT_NONE, pool_set_current),
    EXT_ENTRY("pool_memory", "OL", EXT_OBJECT, pool_memory),
    EXT_ENTRY("profiler", "p", EXT_NONE, profiler),
    EXT_ENTRY("range_push", "s", EXT_NONE, range_push),
    EXT_ENTRY("range_pop", "", EXT_NONE, range_pop),
    EXT_ENTRY("mark", "s", EXT_NONE, mark),
    EXT_ENTRY("range_start", "s", EXT_COUNT, range_start),
    EXT_ENTRY("range_end", "K", EXT_NONE, range_end),
    EXT_ENTRY("has_ranges", "", EXT_TRUTH, has_ranges),
    EXT_ENTRY("cache_info", "", EXT_OBJECT, cache_info),
    EXT_ENTRY("cache_clear", "", EXT_NONE, cache_clear),
    EXT_ENTRY("cache_add_archive", "s", EXT_NONE, cache_add_archive),
    EXT_ENTRY("cache_pack", "sOL", EXT_NONE, cache_pack),
    EXT_ENTRY("cache_warm", "OO", EXT_NONE, cache_warm),
    {{NULL, NULL, 0, NULL}, NULL, EXT_NONE, false, NULL},
};
