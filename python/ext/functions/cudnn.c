/* Plans of cuDNN's graph interface, as capsules, and what calls of one kind have in common, as
 * bytes: tenorite.cudnn keeps plans by these. */
#include "functions/cudnn.h"

#include "values/kinds.h"

#include <stdlib.h>
#include <string.h>
#include <tenorite/cudnn.h>

EXT_CAPSULE_KINDS(cudnn_plan, tn_cudnn_plan, tn_cudnn_plan_release)

/* --- Keys --- */

enum { AXES = 8, ARRAYS = 3, LISTS = 3, WORDS = 8 + ARRAYS * 2 * AXES + LISTS * (AXES + 1) };

typedef struct key {
    int64_t words[WORDS];
    int count;
} key;

static void add(key *k, int count, const int64_t *numbers) {
    memcpy(k->words + k->count, numbers, sizeof *numbers * (size_t)count);
    k->count += count;
}

static void add_list(key *k, ext_given_optional_shape *list, int axes) {
    if (list->count < 0)
        for (list->count = 0; list->count < axes; list->count++)
            list->at[list->count] = 1;
    const int64_t count = list->count;
    add(k, 1, &count);
    if (count > 0) add(k, list->count, list->at);
}

/* Whether arrays of one dtype, device and number of axes lie on a GPU, and none is empty. */
static bool add_arrays(key *k, const tn_array *const arrays[ARRAYS]) {
    const tn_device device = tn_array_device(arrays[0]);
    const tn_dtype dtype = tn_array_dtype(arrays[0]);
    const int ndim = tn_array_ndim(arrays[0]);
    if (device.backend != TN_BACKEND_CUDA || ndim > AXES) return false;
    add(k, 3, (int64_t[]){device.number, dtype, ndim});
    for (int a = 0; a < ARRAYS; a++) {
        const tn_device other = tn_array_device(arrays[a]);
        if (other.backend != device.backend || other.number != device.number ||
            tn_array_dtype(arrays[a]) != dtype || tn_array_ndim(arrays[a]) != ndim ||
            tn_array_size(arrays[a]) == 0)
            return false;
        add(k, ndim, tn_array_shape(arrays[a]));
        add(k, ndim, tn_array_strides(arrays[a]));
    }
    return true;
}

/* Bytes that are equal for calls that one plan serves, or None where no plan can: shapes, strides,
 * dtype and device of the arrays, lists for each axis (dilations may be None), the layouts of maps
 * and filters, other numbers of the caller's, and whether the environment allows TF32. */
EXT_CALL(cudnn_key, EXT_SHORT, (array, first), (array, second), (array, result), (shape, pads),
         (shape, strides), (optional_shape, dilations), (int64, groups), (int64, maps),
         (int64, filters), (int64, choices), (made_object, key)) {
    key k = {.count = 0};
    const char *tf32 = getenv("TENORITE_TF32");
    ext_given_optional_shape *lists[LISTS] = {&call->pads, &call->strides, &call->dilations};
    bool fits = add_arrays(&k, (const tn_array *const[]){call->first, call->second, call->result});
    for (int l = 0; l < LISTS; l++)
        fits &= lists[l]->count <= AXES;
    if (!fits) {
        call->key = Py_NewRef(Py_None);
        return TN_OK;
    }
    for (int l = 0; l < LISTS; l++)
        add_list(&k, lists[l], call->pads.count);
    add(&k, 5,
        (int64_t[]){call->groups, call->maps, call->filters, call->choices,
                    tf32 && strcmp(tf32, "1") == 0});
    call->key = PyBytes_FromStringAndSize((const char *)k.words,
                                          (Py_ssize_t)(sizeof *k.words * (size_t)k.count));
    return call->key ? TN_OK : TN_ERROR_CALLBACK;
}

/* --- Plans --- */

EXT_CALL(cudnn_plan, EXT_SHORT, (handle, handle), (handle, descriptor), (int64, workspace),
         (number, alignment), (number, device), (made_cudnn_plan, plan)) {
    const tn_cudnn_plan_facts facts = {call->handle, call->descriptor, call->workspace,
                                       call->alignment, call->device};
    return tn_cudnn_plan_new(&call->plan, &facts);
}

enum { PARTS_MAX = 16 };

EXT_CALL(cudnn_plan_adopt, EXT_SHORT, (cudnn_plan, plan), (tuple, descriptors)) {
    uintptr_t numbers[PARTS_MAX];
    const Py_ssize_t count = PyTuple_Size(call->descriptors);
    for (Py_ssize_t k = 0; k < count && k < PARTS_MAX; k++)
        numbers[k] = (uintptr_t)PyLong_AsUnsignedLongLong(PyTuple_GetItem(call->descriptors, k));
    if (PyErr_Occurred()) return TN_ERROR_CALLBACK;
    return tn_cudnn_plan_adopt(call->plan, numbers, (int)(count < PARTS_MAX ? count : PARTS_MAX));
}

EXT_FORWARD(cudnn_run,
            tn_cudnn_plan_run(&call->answer, call->plan, call->first, call->second, call->result,
                              NULL),
            EXT_LONG, (cudnn_plan, plan), (array, first), (array, second), (array, result),
            (made_number, answer))

PyMethodDef ext_cudnn_functions[] = {EXT_ENTRY(cudnn_key),
                                     EXT_ENTRY(cudnn_plan),
                                     EXT_ENTRY(cudnn_plan_adopt),
                                     EXT_ENTRY(cudnn_run),
                                     {NULL, NULL, 0, NULL}};
