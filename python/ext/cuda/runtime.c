/* What only the CUDA backend has, as plain functions of numbers: tenorite.cuda.runtime and .driver,
 * tenorite.cache and tenorite.show_config() are made of them. Names begin with _cuda_. */
#include "cuda/runtime.h"

#include "base/errors.h"
#include "cuda/cuda.h"
#include "device/event.h"
#include "device/pointer.h"
#include "device/stream_object.h"

#include <stdlib.h>

/* --- Libraries and errors --- */

FUNCTION(libraries) {
    int load;
    tn_cuda_library_info info;
    PARSE("p", &load);
    PyObject *list = PyList_New(0);
    for (int k = 0; list && tn_cuda_library(&info, k, load); k++) {
        PyObject *entry = Py_BuildValue("sOOsis", info.name, info.is_found ? Py_True : Py_False,
                                        info.is_loaded ? Py_True : Py_False, info.path,
                                        info.version, info.advice);
        if (!entry || PyList_Append(list, entry)) Py_CLEAR(list);
        Py_XDECREF(entry);
    }
    return list;
}

FUNCTION(add_library_root) {
    const char *path;
    PARSE("s", &path);
    EXT_TRY(tn_cuda_add_library_root(path));
    Py_RETURN_NONE;
}

FUNCTION(compiler_version) {
    int version;
    PARSE("");
    EXT_TRY(tn_cuda_compiler_version(&version));
    return PyLong_FromLong(version);
}

FUNCTION(driver_version) {
    int version;
    PARSE("");
    EXT_TRY(tn_cuda_driver_version(&version));
    return PyLong_FromLong(version);
}

FUNCTION(error) {
    int number;
    PARSE("i", &number);
    return Py_BuildValue("sss", tn_cuda_error_name(number), tn_cuda_driver_error_name(number),
                         tn_cuda_error_text(number));
}

FUNCTION(error_number) {
    const char *name;
    PARSE("s", &name);
    return PyLong_FromLong(tn_cuda_error_find(name));
}

/* --- Devices --- */

FUNCTION(attribute) {
    int attribute, number, value;
    PARSE("ii", &attribute, &number);
    EXT_TRY(tn_cuda_get_attribute(&value, attribute, number));
    return PyLong_FromLong(value);
}

/* Those that the driver does not know are left out. */
FUNCTION(attributes) {
    int number, attribute, value;
    const char *name;
    PARSE("i", &number);
    PyObject *all = PyDict_New();
    for (int k = 0; all && tn_cuda_attribute(&name, &attribute, k); k++) {
        if (tn_cuda_get_attribute(&value, attribute, number) != TN_OK) continue;
        PyObject *object = PyLong_FromLong(value);
        if (!object || PyDict_SetItemString(all, name, object)) Py_CLEAR(all);
        Py_XDECREF(object);
    }
    return all;
}

FUNCTION(attribute_numbers) {
    int attribute;
    const char *name;
    PARSE("");
    PyObject *all = PyDict_New();
    for (int k = 0; all && tn_cuda_attribute(&name, &attribute, k); k++) {
        PyObject *object = PyLong_FromLong(attribute);
        if (!object || PyDict_SetItemString(all, name, object)) Py_CLEAR(all);
        Py_XDECREF(object);
    }
    return all;
}

FUNCTION(compute_capability) {
    int number, capability;
    PARSE("i", &number);
    EXT_TRY(tn_cuda_get_compute_capability(&capability, number));
    return PyLong_FromLong(capability);
}

FUNCTION(pci_bus_id) {
    int number;
    char text[32];
    PARSE("i", &number);
    EXT_TRY(tn_cuda_get_pci_bus_id(text, sizeof text, number));
    return PyUnicode_FromString(text);
}

FUNCTION(find_pci_bus_id) {
    int number;
    const char *text;
    PARSE("s", &text);
    EXT_TRY(tn_cuda_find_pci_bus_id(&number, text));
    return PyLong_FromLong(number);
}

FUNCTION(uuid) {
    int number;
    unsigned char uuid[16];
    PARSE("i", &number);
    EXT_TRY(tn_cuda_get_uuid(uuid, number));
    return PyBytes_FromStringAndSize((const char *)uuid, sizeof uuid);
}

FUNCTION(total_memory) {
    int number;
    int64_t bytes;
    PARSE("i", &number);
    EXT_TRY(tn_cuda_get_total_memory(&bytes, number));
    return PyLong_FromLongLong(bytes);
}

FUNCTION(get_limit) {
    int limit, number;
    size_t value;
    PARSE("ii", &limit, &number);
    EXT_TRY(tn_cuda_get_limit(&value, limit, number));
    return PyLong_FromSize_t(value);
}

FUNCTION(set_limit) {
    int limit, number;
    Py_ssize_t value;
    PARSE("ini", &limit, &value, &number);
    EXT_TRY(tn_cuda_set_limit(limit, (size_t)value, number));
    Py_RETURN_NONE;
}

FUNCTION(priority_range) {
    int number, least, greatest;
    PARSE("i", &number);
    EXT_TRY(tn_cuda_get_priority_range(&least, &greatest, number));
    return Py_BuildValue("ii", least, greatest);
}

FUNCTION(can_access_peer) {
    int number, peer;
    bool can;
    PARSE("ii", &number, &peer);
    EXT_TRY(tn_cuda_can_access_peer(&can, number, peer));
    return PyBool_FromLong(can);
}

FUNCTION(enable_peer_access) {
    int number, peer;
    PARSE("ii", &number, &peer);
    EXT_TRY(tn_cuda_enable_peer_access(number, peer));
    Py_RETURN_NONE;
}

FUNCTION(disable_peer_access) {
    int number, peer;
    PARSE("ii", &number, &peer);
    EXT_TRY(tn_cuda_disable_peer_access(number, peer));
    Py_RETURN_NONE;
}

/* --- Memory --- */

FUNCTION(memcpy_raw) {
    address to, from, stream;
    long long bytes;
    int kind, is_async, number;
    tn_status status;
    PARSE("KKLipKi", &to, &from, &bytes, &kind, &is_async, &stream, &number);
    EXT_WITHOUT_GIL(status, tn_cuda_memcpy((uintptr_t)to, (uintptr_t)from, bytes, kind, is_async,
                                           (uintptr_t)stream, number));
    EXT_TRY(status);
    Py_RETURN_NONE;
}

FUNCTION(memcpy_2d) {
    address to, from, stream;
    long long to_pitch, from_pitch, width, height;
    int kind, is_async, number;
    tn_status status;
    PARSE("KLKLLLipKi", &to, &to_pitch, &from, &from_pitch, &width, &height, &kind, &is_async,
          &stream, &number);
    EXT_WITHOUT_GIL(status,
                    tn_cuda_memcpy_2d((uintptr_t)to, to_pitch, (uintptr_t)from, from_pitch, width,
                                      height, kind, is_async, (uintptr_t)stream, number));
    EXT_TRY(status);
    Py_RETURN_NONE;
}

FUNCTION(memcpy_peer) {
    address to, from, stream;
    long long bytes;
    int to_number, from_number, is_async;
    tn_status status;
    PARSE("KiKiLpK", &to, &to_number, &from, &from_number, &bytes, &is_async, &stream);
    EXT_WITHOUT_GIL(status, tn_cuda_memcpy_peer((uintptr_t)to, to_number, (uintptr_t)from,
                                                from_number, bytes, is_async, (uintptr_t)stream));
    EXT_TRY(status);
    Py_RETURN_NONE;
}

FUNCTION(memset_raw) {
    address to, stream;
    long long bytes;
    int value, is_async, number;
    tn_status status;
    PARSE("KiLpKi", &to, &value, &bytes, &is_async, &stream, &number);
    EXT_WITHOUT_GIL(
        status, tn_cuda_memset((uintptr_t)to, value, bytes, is_async, (uintptr_t)stream, number));
    EXT_TRY(status);
    Py_RETURN_NONE;
}

FUNCTION(malloc_raw) {
    long long bytes;
    int number, is_managed;
    uintptr_t given;
    PARSE("Lip", &bytes, &number, &is_managed);
    EXT_TRY(is_managed ? tn_cuda_malloc_managed(&given, bytes, number)
                       : tn_cuda_malloc(&given, bytes, number));
    return PyLong_FromSize_t(given);
}

FUNCTION(free_raw) {
    address given;
    int number;
    tn_status status;
    PARSE("Ki", &given, &number);
    EXT_WITHOUT_GIL(status, tn_cuda_free((uintptr_t)given, number));
    EXT_TRY(status);
    Py_RETURN_NONE;
}

/* pool 0: the current one */
FUNCTION(malloc_async) {
    long long bytes;
    address pool, stream;
    int number;
    uintptr_t given;
    PARSE("LKKi", &bytes, &pool, &stream, &number);
    EXT_TRY(tn_cuda_malloc_from_pool(&given, bytes, (uintptr_t)pool, (uintptr_t)stream, number));
    return PyLong_FromSize_t(given);
}

FUNCTION(free_async) {
    address given, stream;
    int number;
    PARSE("KKi", &given, &stream, &number);
    EXT_TRY(tn_cuda_free_async((uintptr_t)given, (uintptr_t)stream, number));
    Py_RETURN_NONE;
}

FUNCTION(malloc_host) {
    long long bytes;
    unsigned flags;
    uintptr_t given;
    PARSE("LI", &bytes, &flags);
    EXT_TRY(tn_cuda_malloc_host(&given, bytes, flags));
    return PyLong_FromSize_t(given);
}

FUNCTION(free_host) {
    address given;
    PARSE("K", &given);
    EXT_TRY(tn_cuda_free_host((uintptr_t)given));
    Py_RETURN_NONE;
}

FUNCTION(host_register) {
    address given;
    long long bytes;
    unsigned flags;
    PARSE("KLI", &given, &bytes, &flags);
    EXT_TRY(tn_cuda_host_register((uintptr_t)given, bytes, flags));
    Py_RETURN_NONE;
}

FUNCTION(host_unregister) {
    address given;
    PARSE("K", &given);
    EXT_TRY(tn_cuda_host_unregister((uintptr_t)given));
    Py_RETURN_NONE;
}

FUNCTION(prefetch) {
    address given, stream;
    long long bytes;
    int to, number;
    PARSE("KLiKi", &given, &bytes, &to, &stream, &number);
    EXT_TRY(tn_cuda_prefetch((uintptr_t)given, bytes, to, (uintptr_t)stream, number));
    Py_RETURN_NONE;
}

FUNCTION(advise) {
    address given;
    long long bytes;
    int advice, about, number;
    PARSE("KLiii", &given, &bytes, &advice, &about, &number);
    EXT_TRY(tn_cuda_advise((uintptr_t)given, bytes, advice, about, number));
    Py_RETURN_NONE;
}

FUNCTION(pointer) {
    address given;
    tn_cuda_pointer facts;
    PARSE("K", &given);
    EXT_TRY(tn_cuda_get_pointer(&facts, (uintptr_t)given));
    return Py_BuildValue("iiKK", facts.kind, facts.number, (address)facts.device_address,
                         (address)facts.host_address);
}

FUNCTION(memory_export) {
    address given;
    int number;
    unsigned char handle[64];
    PARSE("Ki", &given, &number);
    EXT_TRY(tn_cuda_memory_export(handle, (uintptr_t)given, number));
    return PyBytes_FromStringAndSize((const char *)handle, sizeof handle);
}

FUNCTION(memory_import) {
    const char *handle;
    Py_ssize_t length;
    int number;
    uintptr_t opened;
    PARSE("y#i", &handle, &length, &number);
    if (length != 64)
        return PyErr_Format(PyExc_ValueError, "a handle has 64 bytes, not %zd", length);
    EXT_TRY(tn_cuda_memory_import(&opened, (const unsigned char *)handle, number));
    return PyLong_FromSize_t(opened);
}

FUNCTION(memory_close) {
    address given;
    int number;
    PARSE("Ki", &given, &number);
    EXT_TRY(tn_cuda_memory_close((uintptr_t)given, number));
    Py_RETURN_NONE;
}

FUNCTION(event_export) {
    PyObject *event;
    unsigned char handle[64];
    PARSE("O", &event);
    if (!ext_event(event)) return NULL;
    EXT_TRY(tn_cuda_event_export(handle, ext_event(event)));
    return PyBytes_FromStringAndSize((const char *)handle, sizeof handle);
}

/* --- Streams --- */

FUNCTION(stream_flags) {
    PyObject *object;
    tn_stream *stream;
    unsigned flags;
    int priority;
    PARSE("O", &object);
    if (ext_stream(object, &stream)) return NULL;
    if (!stream || tn_stream_device(stream).backend != TN_BACKEND_CUDA)
        return PyErr_Format(PyExc_ValueError, "a stream of a GPU is needed");
    EXT_TRY(tn_cuda_stream_get_flags(&flags, stream));
    EXT_TRY(tn_cuda_stream_get_priority(&priority, stream));
    return Py_BuildValue("Ii", flags, priority);
}

/* --- The driver's pools --- */

/* (attribute, pool, number); pool 0: the current one. */
FUNCTION(pool_get) {
    int attribute, number;
    address pool;
    int64_t value;
    PARSE("iKi", &attribute, &pool, &number);
    EXT_TRY(tn_cuda_pool_get(&value, attribute, (uintptr_t)pool, number));
    return PyLong_FromLongLong(value);
}

FUNCTION(pool_set) {
    int attribute, number;
    address pool;
    long long value;
    PARSE("iLKi", &attribute, &value, &pool, &number);
    EXT_TRY(tn_cuda_pool_set(attribute, value, (uintptr_t)pool, number));
    Py_RETURN_NONE;
}

FUNCTION(pool_trim) {
    long long keep;
    address pool;
    int number;
    PARSE("LKi", &keep, &pool, &number);
    EXT_TRY(tn_cuda_pool_trim(keep, (uintptr_t)pool, number));
    Py_RETURN_NONE;
}

FUNCTION(pool_new) {
    int handle_types, number;
    uintptr_t pool;
    PARSE("ii", &handle_types, &number);
    EXT_TRY(tn_cuda_pool_new(&pool, handle_types, number));
    return PyLong_FromSize_t(pool);
}

FUNCTION(pool_release) {
    address pool;
    PARSE("K", &pool);
    EXT_TRY(tn_cuda_pool_release((uintptr_t)pool));
    Py_RETURN_NONE;
}

FUNCTION(pool_handle) {
    int number, is_default;
    uintptr_t pool;
    PARSE("ip", &number, &is_default);
    EXT_TRY(is_default ? tn_cuda_pool_default(&pool, number) : tn_cuda_pool_current(&pool, number));
    return PyLong_FromSize_t(pool);
}

FUNCTION(pool_set_current) {
    address pool;
    int number;
    PARSE("Ki", &pool, &number);
    EXT_TRY(tn_cuda_pool_set_current((uintptr_t)pool, number));
    Py_RETURN_NONE;
}

/* _cuda_pool_memory(type, size): a MemoryPointer to memory of the driver's pool, for the current stream. */
FUNCTION(pool_memory) {
    PyObject *type;
    long long bytes;
    tn_buffer *buffer;
    PARSE("OL", &type, &bytes);
    EXT_TRY(tn_buffer_new_from(&buffer, tn_cuda_allocator_async(), bytes, NULL));
    return ext_pointer((PyTypeObject *)type, buffer, 0);
}

/* --- Profilers --- */

FUNCTION(profiler) {
    int start;
    PARSE("p", &start);
    EXT_TRY(start ? tn_cuda_profiler_start() : tn_cuda_profiler_stop());
    Py_RETURN_NONE;
}

FUNCTION(range_push) {
    const char *text;
    PARSE("s", &text);
    tn_cuda_range_push(text);
    Py_RETURN_NONE;
}

FUNCTION(range_pop) {
    PARSE("");
    tn_cuda_range_pop();
    Py_RETURN_NONE;
}

FUNCTION(mark) {
    const char *text;
    PARSE("s", &text);
    tn_cuda_mark(text);
    Py_RETURN_NONE;
}

FUNCTION(range_start) {
    const char *text;
    PARSE("s", &text);
    return PyLong_FromUnsignedLongLong(tn_cuda_range_start(text));
}

FUNCTION(range_end) {
    unsigned long long range;
    PARSE("K", &range);
    tn_cuda_range_end(range);
    Py_RETURN_NONE;
}

FUNCTION(has_ranges) {
    PARSE("");
    return PyBool_FromLong(tn_cuda_has_ranges());
}

/* --- The kernel cache --- */

FUNCTION(cache_info) {
    tn_cuda_cache_info info;
    PARSE("");
    EXT_TRY(tn_cuda_cache_info_get(&info));
    return Py_BuildValue("{ss ss sO sL sL sL sL sL sL sL sd}", "folder", info.folder, "reason",
                         info.reason, "writeable", info.is_writeable ? Py_True : Py_False, "files",
                         (long long)info.files, "bytes", (long long)info.bytes, "limit",
                         (long long)info.limit_bytes, "archived", (long long)info.archived, "hits",
                         (long long)info.hits, "misses", (long long)info.misses, "compiled",
                         (long long)info.compiled, "compile_seconds", info.compile_seconds);
}

FUNCTION(cache_clear) {
    PARSE("");
    EXT_TRY(tn_cuda_cache_clear());
    Py_RETURN_NONE;
}

FUNCTION(cache_add_archive) {
    const char *path;
    PARSE("s", &path);
    EXT_TRY(tn_cuda_cache_add_archive(path));
    Py_RETURN_NONE;
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

FUNCTION(cache_pack) {
    const char *path;
    PyObject *tuple;
    long long limit_bytes;
    int archs[ARCHS_MAX];
    PARSE("sOL", &path, &tuple, &limit_bytes);
    int count = read_archs(archs, tuple);
    if (count < 0) return NULL;
    EXT_TRY(tn_cuda_cache_pack(path, count, archs, limit_bytes));
    Py_RETURN_NONE;
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

FUNCTION(cache_warm) {
    PyObject *tuple, *progress;
    int archs[ARCHS_MAX];
    tn_status status;
    PARSE("OO", &tuple, &progress);
    int count = read_archs(archs, tuple);
    if (count < 0) return NULL;
    EXT_WITHOUT_GIL(status, tn_cuda_cache_warm(count, archs, tell_progress, progress));
    if (PyErr_Occurred()) return NULL;
    EXT_TRY(status);
    Py_RETURN_NONE;
}

PyMethodDef ext_cuda_functions[] = {
    ENTRY("libraries", libraries),
    ENTRY("add_library_root", add_library_root),
    ENTRY("compiler_version", compiler_version),
    ENTRY("driver_version", driver_version),
    ENTRY("error", error),
    ENTRY("error_number", error_number),
    ENTRY("attribute", attribute),
    ENTRY("attributes", attributes),
    ENTRY("attribute_numbers", attribute_numbers),
    ENTRY("compute_capability", compute_capability),
    ENTRY("pci_bus_id", pci_bus_id),
    ENTRY("find_pci_bus_id", find_pci_bus_id),
    ENTRY("uuid", uuid),
    ENTRY("total_memory", total_memory),
    ENTRY("get_limit", get_limit),
    ENTRY("set_limit", set_limit),
    ENTRY("priority_range", priority_range),
    ENTRY("can_access_peer", can_access_peer),
    ENTRY("enable_peer_access", enable_peer_access),
    ENTRY("disable_peer_access", disable_peer_access),
    ENTRY("memcpy", memcpy_raw),
    ENTRY("memcpy_2d", memcpy_2d),
    ENTRY("memcpy_peer", memcpy_peer),
    ENTRY("memset", memset_raw),
    ENTRY("malloc", malloc_raw),
    ENTRY("free", free_raw),
    ENTRY("malloc_async", malloc_async),
    ENTRY("free_async", free_async),
    ENTRY("malloc_host", malloc_host),
    ENTRY("free_host", free_host),
    ENTRY("host_register", host_register),
    ENTRY("host_unregister", host_unregister),
    ENTRY("prefetch", prefetch),
    ENTRY("advise", advise),
    ENTRY("pointer", pointer),
    ENTRY("memory_export", memory_export),
    ENTRY("memory_import", memory_import),
    ENTRY("memory_close", memory_close),
    ENTRY("event_export", event_export),
    ENTRY("stream_flags", stream_flags),
    ENTRY("pool_get", pool_get),
    ENTRY("pool_set", pool_set),
    ENTRY("pool_trim", pool_trim),
    ENTRY("pool_new", pool_new),
    ENTRY("pool_release", pool_release),
    ENTRY("pool_handle", pool_handle),
    ENTRY("pool_set_current", pool_set_current),
    ENTRY("pool_memory", pool_memory),
    ENTRY("profiler", profiler),
    ENTRY("range_push", range_push),
    ENTRY("range_pop", range_pop),
    ENTRY("mark", mark),
    ENTRY("range_start", range_start),
    ENTRY("range_end", range_end),
    ENTRY("has_ranges", has_ranges),
    ENTRY("cache_info", cache_info),
    ENTRY("cache_clear", cache_clear),
    ENTRY("cache_add_archive", cache_add_archive),
    ENTRY("cache_pack", cache_pack),
    ENTRY("cache_warm", cache_warm),
    {NULL, NULL, 0, NULL},
};
