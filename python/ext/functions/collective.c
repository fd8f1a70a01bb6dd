/* Communicators, for tenorite.cuda.nccl and tenorite.distributed. Numbers of dtypes are NCCL's. */
#include "functions/collective.h"

#include "device/kinds.h"
#include "values/kinds.h"

#include <stdlib.h>
#include <string.h>
#include <tenorite/collective.h>

EXT_CAPSULE_KINDS(communicator, tn_communicator, tn_communicator_release)

static tn_backend backend_of(void) {
    return (tn_backend)tn_device_get_current().backend;
}

static tn_dtype dtype_of(int number) {
    static const tn_dtype dtypes[] = {TN_I8,  TN_U8,  TN_I32, TN_U32, TN_I64,
                                      TN_U64, TN_F16, TN_F32, TN_F64, TN_BF16};
    const int count = sizeof dtypes / sizeof *dtypes;
    return number >= 0 && number < count ? dtypes[number] : TN_DTYPE_NONE;
}

EXT_FORWARD(collective_version, tn_collective_version(&call->version, backend_of()), EXT_LONG,
            (made_number, version))
EXT_FORWARD(collective_group_begin, tn_collective_group_begin(backend_of()), EXT_LONG)
EXT_FORWARD(collective_group_end, tn_collective_group_end(backend_of()), EXT_LONG)

EXT_CALL(communicator_key, EXT_SHORT, (made_object, bytes)) {
    tn_communicator_key key;
    tn_status status;
    EXT_WITHOUT_GIL(status, tn_communicator_key_new(&key, backend_of()));
    if (!status) call->bytes = PyBytes_FromStringAndSize(key.bytes, sizeof key.bytes);
    return status;
}

/* The options as five numbers and a name; the name "" and unset numbers: as NCCL chooses. */
static const tn_communicator_config *config_of(tn_communicator_config *config, bool has_config,
                                               const ext_shape_given *numbers, const char *name) {
    int values[5];
    for (int k = 0; k < 5; k++)
        values[k] = k < numbers->count ? (int)numbers->at[k] : TN_COLLECTIVE_UNSET;
    *config = (tn_communicator_config){values[0], values[1], values[2],
                                       values[3], values[4], *name ? name : NULL};
    return has_config ? config : NULL;
}

EXT_CALL(communicator_new, EXT_LONG, (number, count), (bytes, key), (number, rank),
         (truth, has_config), (shape, numbers), (text, net_name), (made_communicator, made)) {
    tn_communicator_config config;
    tn_communicator_key key;
    if (call->key.count != sizeof key.bytes) {
        tn_error_set("a unique id has 128 numbers");
        return TN_ERROR_VALUE;
    }
    memcpy(key.bytes, call->key.at, sizeof key.bytes);
    return tn_communicator_new(
        &call->made, tn_device_get_current(), call->count, &key, call->rank,
        config_of(&config, call->has_config, &call->numbers, call->net_name));
}

/* A list of communicators, for devices by number. */
EXT_CALL(communicator_new_all, EXT_SHORT, (shape, numbers), (made_object, list)) {
    tn_communicator *made[TN_MAX_NDIM] = {NULL};
    int numbers[TN_MAX_NDIM], count = call->numbers.count;
    tn_status status;
    for (int k = 0; k < count; k++)
        numbers[k] = (int)call->numbers.at[k];
    EXT_WITHOUT_GIL(status, tn_communicator_new_all(made, backend_of(), count, numbers));
    if (status) return status;
    call->list = PyList_New(0);
    for (int k = 0; k < count; k++) {
        PyObject *capsule = give_communicator(&made[k], NULL, NULL);
        if (!capsule || !call->list || PyList_Append(call->list, capsule)) Py_CLEAR(call->list);
        Py_XDECREF(capsule);
    }
    return TN_OK;
}

/* None: the rank is of no color. */
static PyObject *give_split(void *from, PyObject *object, PyObject *first) {
    if (!*(tn_communicator **)from) return Py_NewRef(Py_None);
    return give_communicator(from, object, first);
}
typedef tn_communicator *ext_given_made_split;
static const ext_kind ext_kind_made_split = {
    .give = give_split, .release = release_communicator, .pointers = 1};

EXT_CALL(communicator_split, EXT_LONG, (communicator, communicator), (number, color),
         (number, order), (truth, has_config), (shape, numbers), (text, net_name),
         (made_split, made)) {
    tn_communicator_config config;
    return tn_communicator_split(
        &call->made, call->communicator, call->color, call->order,
        config_of(&config, call->has_config, &call->numbers, call->net_name));
}

/* (ranks, rank, device, handle) */
EXT_CALL(communicator_facts, EXT_SHORT, (communicator, communicator), (made_object, facts)) {
    tn_communicator_facts facts;
    tn_status status = tn_communicator_get(&facts, call->communicator);
    if (!status)
        call->facts = Py_BuildValue("(iiiK)", facts.count, facts.rank, facts.device.number,
                                    (unsigned long long)facts.handle);
    return status;
}

EXT_FORWARD(communicator_check, tn_communicator_check(call->communicator), EXT_LONG,
            (communicator, communicator))
EXT_FORWARD(communicator_finish, tn_communicator_finish(call->communicator, call->aborts), EXT_LONG,
            (communicator, communicator), (truth, aborts))

EXT_CALL(collective, EXT_LONG, (communicator, communicator), (number, kind), (address, send),
         (address, receive), (int64, count), (number, dtype), (number, op), (number, root),
         (stream, stream)) {
    const tn_collective collective = {
        .kind = (tn_collective_kind)call->kind,
        .send = call->send,
        .receive = call->receive,
        .count = call->count,
        .dtype = dtype_of(call->dtype),
        .op = (tn_collective_op)call->op,
        .root = call->root,
    };
    return tn_collective_start(call->communicator, &collective, call->stream);
}

EXT_CALL(collective_arrays, EXT_LONG, (communicator, communicator), (number, kind),
         (optional_array, send), (optional_array, receive), (int64, count), (number, op),
         (number, root), (stream, stream)) {
    const tn_collective collective = {
        .kind = (tn_collective_kind)call->kind,
        .count = call->count,
        .op = (tn_collective_op)call->op,
        .root = call->root,
    };
    return tn_collective_start_arrays(call->communicator, &collective, call->send, call->receive,
                                      call->stream);
}

PyMethodDef ext_collective_functions[] = {EXT_ENTRY(collective),
                                          EXT_ENTRY(collective_arrays),
                                          EXT_ENTRY(collective_group_begin),
                                          EXT_ENTRY(collective_group_end),
                                          EXT_ENTRY(collective_version),
                                          EXT_ENTRY(communicator_check),
                                          EXT_ENTRY(communicator_facts),
                                          EXT_ENTRY(communicator_finish),
                                          EXT_ENTRY(communicator_key),
                                          EXT_ENTRY(communicator_new),
                                          EXT_ENTRY(communicator_new_all),
                                          EXT_ENTRY(communicator_split),
                                          {NULL, NULL, 0, NULL}};
