/* Coordinates that become rows, rows that become columns, rows that are sorted. */
#include "core/memory/buffer.h"
#include "core/move/astype.h"
#include "core/sparse/csr.h"

/* New arrays for `count` elements of `lines` lines. */
static tn_status make(tn_csr_arrays *made, tni_csr_group *call, tn_dtype dtype, tn_stream *stream) {
    const tn_dtype index = tni_csr_index(call->is_wide);
    *made = (tn_csr_arrays){NULL, NULL, NULL};
    call->item = tn_dtype_size(dtype);
    tn_status status;
    TNI_TRY_OWNING(tni_csr_new(&made->data, &call->to_values, dtype, call->count, stream));
    TNI_TRY_OWNING(tni_csr_new(&made->indices, &call->to_indices, index, call->count, stream));
    TNI_TRY_OWNING(tni_csr_new(&made->indptr, &call->to_starts, index, call->lines + 1, stream));
    return TN_OK;
cleanup:
    tni_csr_arrays_release(made);
    return status;
}

static tn_status run(tn_csr_arrays *result, tni_csr_group *call, tn_dtype dtype,
                     tn_stream *stream) {
    tn_csr_arrays made;
    TNI_TRY(make(&made, call, dtype, stream));
    const tn_status status = tni_queue_csr_group(call, stream);
    if (status)
        tni_csr_arrays_release(&made);
    else
        *result = made;
    return status;
}

/* The arrays of elements with coordinates. */
static tn_status open_elements(tn_array *packed[3], tni_csr_group *call, const tn_array *data,
                               const tn_array *row, const tn_array *column, tn_stream **stream) {
    const tn_array *arrays[3] = {data, row, column};
    tn_device device;
    TNI_TRY(tni_device_common(&device, 3, arrays));
    TNI_TRY(tni_stream_resolve(stream, *stream, device));
    for (int k = 0; k < 3; k++)
        if (arrays[k]->ndim != 1 || arrays[k]->size != data->size)
            TNI_FAIL(TN_ERROR_VALUE, "row, column, and data array must all be the same length");
    if (call->lines < 0)
        TNI_FAIL(TN_ERROR_VALUE, "a sparse matrix of %lld rows", (long long)call->lines);
    call->is_wide = row->dtype == TN_I64 || column->dtype == TN_I64 || data->size > INT32_MAX;
    call->count = data->size;
    for (int k = 0; k < 3; k++)
        TNI_TRY(tni_array_packed(&packed[k], arrays[k],
                                 k ? tni_csr_index(call->is_wide) : data->dtype, *stream));
    TNI_TRY(tni_csr_open(&call->values, packed[0], TNI_READ, *stream));
    TNI_TRY(tni_csr_open(&call->major, packed[1], TNI_READ, *stream));
    TNI_TRY(tni_csr_open(&call->minor, packed[2], TNI_READ, *stream));
    static const int64_t none = 0;
    if (!call->minor) call->minor = &none; /* of no elements */
    return TN_OK;
}

static void release_elements(tn_array *packed[3]) {
    for (int k = 0; k < 3; k++)
        tn_array_release(packed[k]);
}

tn_status tn_csr_group(tn_csr_arrays *result, int64_t rows, const tn_array *data,
                       const tn_array *row, const tn_array *column, tn_stream *stream) {
    tn_array *packed[3] = {NULL, NULL, NULL};
    tni_csr_group call = {.lines = rows};
    tn_status status;
    TNI_TRY_OWNING(open_elements(packed, &call, data, row, column, &stream));
    status = run(result, &call, data->dtype, stream);
cleanup:
    release_elements(packed);
    return status;
}

/* What a form has made and said of sorted rows. */
typedef struct sorted {
    tn_csr_arrays made;
    int64_t flags, count; /* count: of the elements */
} sorted;

static tn_status read_sorted(sorted *s, const tni_csr_group *call, const tn_array *found,
                             tn_stream *stream) {
    union {
        int64_t wide;
        int32_t narrow;
    } last = {0};
    const int64_t bytes = tn_dtype_size(tni_csr_index(call->is_wide));
    TNI_TRY(tn_buffer_read(&s->flags, found->buffer, 0, sizeof s->flags, stream));
    TNI_TRY(tn_buffer_read(&last, s->made.indptr->buffer, call->lines * bytes, bytes, stream));
    TNI_TRY(tn_stream_synchronize(stream, -1));
    s->count = call->is_wide ? last.wide : last.narrow;
    return s->flags & TNI_CSR_BAD ? tni_fail(TN_ERROR_VALUE, TNI_CSR_BROKEN) : TN_OK;
}

/* Sorted rows without duplicates. */
static tn_status unite_sorted(tn_csr_arrays *result, const sorted *s, const tni_csr_group *call,
                              tn_stream *stream) {
    if (s->flags & TNI_CSR_DUPLICATES) {
        const tn_csr all = {call->lines, call->columns, s->made.data, s->made.indices,
                            s->made.indptr};
        return tn_csr_unite(result, &all, stream);
    }
    tn_csr_arrays made = {NULL, NULL, NULL};
    tn_status status;
    TNI_TRY_OWNING(tni_csr_shorten(&made.data, s->made.data, s->count, stream));
    TNI_TRY_OWNING(tni_csr_shorten(&made.indices, s->made.indices, s->count, stream));
    made.indptr = tn_array_retain(s->made.indptr);
    *result = made;
    return TN_OK;
cleanup:
    tni_csr_arrays_release(&made);
    return status;
}

tn_status tn_csr_compress(tn_csr_arrays *result, int64_t rows, int64_t columns,
                          const tn_array *data, const tn_array *row, const tn_array *column,
                          tn_stream *stream) {
    tn_array *packed[3] = {NULL, NULL, NULL}, *found = NULL;
    sorted s = {{NULL, NULL, NULL}, 0, 0};
    tni_csr_group call = {.lines = rows, .columns = columns, .dtype = data->dtype};
    tn_status status;
    if (columns < 0)
        TNI_FAIL(TN_ERROR_VALUE, "a sparse matrix of %lld columns", (long long)columns);
    TNI_TRY_OWNING(open_elements(packed, &call, data, row, column, &stream));
    TNI_TRY_OWNING(tni_csr_new(&found, &call.flags, TN_I64, 1, stream));
    TNI_TRY_OWNING(run(&s.made, &call, data->dtype, stream));
    TNI_TRY_OWNING(read_sorted(&s, &call, found, stream));
    status = unite_sorted(result, &s, &call, stream);
cleanup:
    tni_csr_arrays_release(&s.made);
    tn_array_release(found);
    release_elements(packed);
    return status;
}

tn_status tn_csr_transpose(tn_csr_arrays *result, const tn_csr *a, tn_stream *stream) {
    tni_csr_held held = {{0}, NULL, NULL, NULL};
    tni_csr_group call = {.lines = a->columns, .rows = a->rows};
    tn_status status;
    TNI_TRY(tni_csr_begin(&stream, &call.is_wide, 1, &a, NULL));
    TNI_TRY_OWNING(tni_csr_hold(&held, a, TN_DTYPE_NONE, call.is_wide, stream));
    call.count = held.csr.count;
    call.major = held.csr.indices;
    call.starts = held.csr.starts;
    call.values = held.csr.values;
    status = run(result, &call, a->data->dtype, stream);
cleanup:
    tni_csr_release(&held);
    return status;
}

static bool is_packed(const tn_array *array) {
    const int needed = TNI_C_CONTIGUOUS | TNI_ALIGNED | TNI_WRITEABLE;
    return (array->flags & needed) == needed;
}

tn_status tn_csr_sort(const tn_csr *a, tn_stream *stream) {
    tni_csr_held held = {{0}, NULL, NULL, NULL};
    tni_csr_sort call;
    tn_status status;
    TNI_TRY(tni_csr_begin(&stream, &call.is_wide, 1, &a, NULL));
    if (!is_packed(a->data) || !is_packed(a->indices))
        TNI_FAIL(TN_ERROR_VALUE, "data and indices that are sorted must be packed and writeable");
    call.is_wide = a->indices->dtype == TN_I64;
    TNI_TRY_OWNING(tni_csr_hold(&held, a, TN_DTYPE_NONE, call.is_wide, stream));
    call.item = tn_dtype_size(a->data->dtype);
    call.a = held.csr;
    TNI_TRY_OWNING(tni_csr_open(&call.indices, a->indices, TNI_READ_WRITE, stream));
    TNI_TRY_OWNING(tni_csr_open(&call.values, a->data, TNI_READ_WRITE, stream));
    status = tni_queue_csr_sort(&call, stream);
cleanup:
    tni_csr_release(&held);
    return status;
}
