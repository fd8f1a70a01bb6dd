/* Calls of communicators: what they are given is checked, arrays are opened through the door, and
 * the backend queues the call. */
#include "backend/backend.h"
#include "core/array/array.h"
#include "core/collective/communicator.h"

static const struct {
    const char *name;
    bool sends, receives, reduces, has_root;
} kinds[] = {
    [TN_ALL_REDUCE] = {"allReduce", true, true, true, false},
    [TN_REDUCE] = {"reduce", true, true, true, true},
    [TN_BROADCAST] = {"broadcast", true, true, false, true},
    [TN_REDUCE_SCATTER] = {"reduceScatter", true, true, true, false},
    [TN_ALL_GATHER] = {"allGather", true, true, false, false},
    [TN_SEND] = {"send", true, false, false, true},
    [TN_RECEIVE] = {"recv", false, true, false, true},
};

static bool is_number(tn_dtype dtype) {
    return dtype == TN_I8 || dtype == TN_U8 || (dtype >= TN_I32 && dtype <= TN_F64);
}

static tn_status check(const tn_collective *call, int count) {
    if ((unsigned)call->kind >= sizeof kinds / sizeof *kinds)
        TNI_FAIL(TN_ERROR_VALUE, "%d is no kind of a collective", (int)call->kind);
    const char *name = kinds[call->kind].name;
    if (call->count < 0)
        return tni_fail_collective(TNI_NCCL_ARGUMENT, "%s: count is %lld", name,
                                   (long long)call->count);
    if (!is_number(call->dtype))
        return tni_fail_collective(TNI_NCCL_ARGUMENT, "%s: datatype %s is none of NCCL's", name,
                                   tn_dtype_name(call->dtype));
    if (kinds[call->kind].reduces && (unsigned)call->op > TN_AVG)
        return tni_fail_collective(TNI_NCCL_ARGUMENT, "%s: op %d is none of NCCL's", name,
                                   (int)call->op);
    if (kinds[call->kind].has_root && (call->root < 0 || call->root >= count))
        return tni_fail_collective(TNI_NCCL_ARGUMENT, "%s: %s %d of %d ranks", name,
                                   call->kind < TN_SEND ? "root" : "peer", call->root, count);
    return TN_OK;
}

/* A default stream means that of the communicator's device. */
static tn_status find_stream(tn_stream **stream, tn_device device) {
    if (*stream && (*stream)->is_default && (*stream)->device.backend == device.backend)
        *stream = tn_stream_default(device);
    return tni_stream_resolve(stream, *stream, device);
}

tn_status tn_collective_start(tn_communicator *communicator, const tn_collective *call,
                              tn_stream *stream) {
    int count, rank;
    void *of;
    TNI_TRY(tni_communicator_open(&of, communicator));
    TNI_TRY(communicator->backend->facts(&count, &rank, of));
    TNI_TRY(check(call, count));
    TNI_TRY(find_stream(&stream, communicator->device));
    return communicator->backend->start(of, call, stream);
}

/* --- Arrays --- */

/* How many elements the call reads and writes, of which an array must have so many. */
static tn_status check_size(const tn_collective *call, const tn_array *array, bool is_sent,
                            int count) {
    tn_collective_kind many = is_sent ? TN_REDUCE_SCATTER : TN_ALL_GATHER;
    int64_t parts = call->kind == many ? count : 1;
    if (call->count < 0 || array->size / parts >= call->count) return TN_OK;
    return tni_fail_collective(TNI_NCCL_ARGUMENT,
                               "%s: an array of %lld elements; %d x %lld of %d ranks are %s",
                               kinds[call->kind].name, (long long)array->size, (int)parts,
                               (long long)call->count, count, is_sent ? "sent" : "received");
}

static tn_status open_array(void **address, tn_dtype *dtype, const tn_array *array,
                            tni_access access, const char *name, tn_communicator *communicator,
                            tn_stream *stream) {
    if (!tn_array_is_c_contiguous(array) && !tn_array_is_f_contiguous(array))
        TNI_FAIL(TN_ERROR_RUNTIME,
                 "%s: the elements of an array must lie side by side (C or F order)", name);
    if (!tn_device_is_equal(tn_array_device(array), communicator->device))
        TNI_FAIL(TN_ERROR_VALUE, "%s: an array of device %d, and the communicator's is %d", name,
                 tn_array_device(array).number, communicator->device.number);
    if (access == TNI_WRITE) TNI_TRY(tni_array_check_writeable(array));
    if (*dtype != TN_DTYPE_NONE && *dtype != (tn_dtype)array->dtype)
        TNI_FAIL(TN_ERROR_TYPE, "%s: an array of %s, and one of %s", name, tn_dtype_name(*dtype),
                 tn_dtype_name((tn_dtype)array->dtype));
    *dtype = (tn_dtype)array->dtype;
    return tni_array_access(address, array, access, stream);
}

tn_status tn_collective_start_arrays(tn_communicator *communicator, const tn_collective *call,
                                     const tn_array *send, tn_array *receive, tn_stream *stream) {
    tn_collective opened = *call;
    tn_dtype dtype = TN_DTYPE_NONE;
    void *address = NULL;
    if ((unsigned)call->kind >= sizeof kinds / sizeof *kinds)
        TNI_FAIL(TN_ERROR_VALUE, "%d is no kind of a collective", (int)call->kind);
    const char *name = kinds[call->kind].name;
    int count, rank;
    TNI_TRY(tni_communicator_open(&address, communicator));
    TNI_TRY(communicator->backend->facts(&count, &rank, address));
    TNI_TRY(find_stream(&stream, communicator->device));
    if (send) TNI_TRY(check_size(call, send, true, count));
    if (receive) TNI_TRY(check_size(call, receive, false, count));
    if (send) {
        TNI_TRY(open_array(&address, &dtype, send, TNI_READ, name, communicator, stream));
        opened.send = address;
    }
    if (receive) {
        TNI_TRY(open_array(&address, &dtype, receive, TNI_WRITE, name, communicator, stream));
        opened.receive = address;
    }
    opened.dtype = dtype;
    if (!kinds[call->kind].reduces && !is_number(dtype)) { /* only moved: bytes of any dtype */
        opened.dtype = TN_U8;
        opened.count *= tn_dtype_size(dtype);
    } else if (dtype == TN_C64 || dtype == TN_C128) {
        opened.dtype = dtype == TN_C64 ? TN_F32 : TN_F64;
        opened.count *= 2;
    }
    return tn_collective_start(communicator, &opened, stream);
}
