/* Fourier transforms: what the package's modules fft and scipy.fft compute by. They check and
 * complete what they were given. */
#include "functions/fft.h"

#include "values/kinds.h"

#include <tenorite/cuda.h>
#include <tenorite/fft.h>

/* Lengths as many as axes; none: NULL. */
static tn_status check_lengths(const int64_t **lengths, const ext_shape_given *given,
                               const ext_axes_given *axes) {
    *lengths = given->count < 0 ? NULL : given->at;
    if (!*lengths || given->count == axes->count) return TN_OK;
    tn_error_set("Shape and axes have different lengths.");
    return TN_ERROR_VALUE;
}

/* kind and norm as tn_fft_kind and tn_fft_norm have them. */
EXT_CALL(fft, EXT_SIZED, (array, array), (number, kind), (truth, is_backward), (axes, axes),
         (optional_shape, lengths), (number, norm), (out, out)) {
    const int64_t *lengths;
    tn_status status = check_lengths(&lengths, &call->lengths, &call->axes);
    return status ? status
                  : tn_fft(&call->out, call->array, (tn_fft_kind)call->kind, call->is_backward,
                           call->axes.count, call->axes.at, lengths, (tn_fft_norm)call->norm, NULL);
}

EXT_CALL(fft_cosine, EXT_SIZED, (array, array), (truth, is_sine), (int64, type), (axes, axes),
         (optional_shape, lengths), (number, norm), (truth, is_inverse), (truth, is_weighed),
         (made, made)) {
    const int64_t *lengths;
    const tn_fft_cosines options = {
        .type = call->type < 1 || call->type > 4 ? 0 : (int)call->type,
        .is_sine = call->is_sine,
        .is_inverse = call->is_inverse,
        .is_weighed = call->is_weighed,
        .norm = (tn_fft_norm)call->norm,
    };
    tn_status status = check_lengths(&lengths, &call->lengths, &call->axes);
    return status ? status
                  : tn_fft_cosine(&call->made, call->array, &options, call->axes.count,
                                  call->axes.at, lengths, NULL);
}

/* --- The plans that a device keeps --- */

static tn_device device_of(int backend, int number) {
    return (tn_device){(int16_t)backend, (int16_t)number};
}

EXT_CALL(fft_cache, EXT_SHORT, (number, backend), (number, number), (made_object, facts)) {
    tn_fft_cache_facts facts;
    tn_fft_cache_get(device_of(call->backend, call->number), &facts);
    call->facts = Py_BuildValue("(LLLLLL)", (long long)facts.plans, (long long)facts.bytes,
                                (long long)facts.most_plans, (long long)facts.most_bytes,
                                (long long)facts.hits, (long long)facts.misses);
    return TN_OK;
}

EXT_CALL(fft_cache_limit, EXT_SHORT, (number, backend), (number, number), (int64, plans),
         (int64, bytes)) {
    tn_fft_cache_limit(device_of(call->backend, call->number), call->plans, call->bytes);
    return TN_OK;
}

EXT_CALL(fft_cache_clear, EXT_SHORT, (number, backend), (number, number)) {
    tn_fft_cache_clear(device_of(call->backend, call->number));
    return TN_OK;
}

/* The names of cuFFT's answers by their numbers. */
EXT_CALL(cufft_statuses, EXT_SHORT, (made_object, names)) {
    static const struct {
        int number;
        const char *name;
    } statuses[] = {
#define CUFFT_STATUS(number, name) {number, "CUFFT_" #name},
#include <tenorite/cufft.def>
    };
    call->names = PyDict_New();
    for (size_t k = 0; call->names && k < sizeof statuses / sizeof *statuses; k++) {
        PyObject *number = PyLong_FromLong(statuses[k].number);
        PyObject *name = PyUnicode_FromString(statuses[k].name);
        if (!number || !name || PyDict_SetItem(call->names, number, name)) Py_CLEAR(call->names);
        Py_XDECREF(number);
        Py_XDECREF(name);
    }
    return TN_OK;
}

EXT_FORWARD(cufft_version, tn_cuda_cufft_version(&call->version), EXT_SHORT, (made_number, version))

PyMethodDef ext_fft_functions[] = {EXT_ENTRY(fft),
                                   EXT_ENTRY(fft_cosine),
                                   EXT_ENTRY(fft_cache),
                                   EXT_ENTRY(fft_cache_limit),
                                   EXT_ENTRY(fft_cache_clear),
                                   EXT_ENTRY(cufft_statuses),
                                   EXT_ENTRY(cufft_version),
                                   {NULL, NULL, 0, NULL}};
