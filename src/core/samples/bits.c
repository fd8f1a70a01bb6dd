/* The drivers of packed bits: the axis is brought to the end, the rows are packed one after the
 * other, and the axis of the result goes back. */
#include "backend/backend.h"
#include "core/move/astype.h"
#include "core/samples/samples.h"
#include "forms/samples.h"

/* The axes of an array with one moved: `to_end` from its place to the end, else back. */
static void move_axis(int *axes, int ndim, int axis, bool to_end) {
    for (int k = 0, next = 0; k < ndim; k++) {
        if (to_end)
            axes[k] = k == ndim - 1 ? axis : k < axis ? k : k + 1;
        else
            axes[k] = k == axis ? ndim - 1 : next++;
    }
}

/* The elements as bytes (dtype u8 or b8) with the axis last, side by side. */
static tn_status make_rows(tn_array **rows, const tn_array *array, const int *axis,
                           tn_stream *stream) {
    static const int64_t flat = -1;
    int axes[TN_MAX_NDIM];
    tn_array *transposed = NULL;
    const bool is_byte = tni_dtype_size(array->dtype) == 1;
    if (!axis) {
        TNI_TRY(
            tn_array_reshape(&transposed, array, 1, &flat, TN_ORDER_C, TN_COPY_IF_NEEDED, stream));
    } else {
        move_axis(axes, array->ndim, *axis, true);
        TNI_TRY(tn_array_transpose(&transposed, array, array->ndim, axes));
    }
    tn_status status =
        tni_array_packed(rows, transposed, is_byte ? transposed->dtype : TN_B8, stream);
    tn_array_release(transposed);
    return status;
}

/* A row's elements became `length`; the axis goes back to its place. */
static tn_status restore(tn_array **result, tn_array *made, const int *axis, tn_stream *stream) {
    int axes[TN_MAX_NDIM];
    tn_array *transposed = NULL;
    if (!axis || *axis == made->ndim - 1) {
        *result = tn_array_retain(made);
        return TN_OK;
    }
    move_axis(axes, made->ndim, *axis, false);
    TNI_TRY(tn_array_transpose(&transposed, made, made->ndim, axes));
    tn_status status = tn_array_astype(result, transposed, TN_U8, TN_ORDER_C, TN_CASTING_UNSAFE,
                                       TN_COPY_ALWAYS, stream);
    tn_array_release(transposed);
    return status;
}

/* What both forms are given. */
typedef struct job {
    const char *input;
    char *output;
    int64_t rows, from, to; /* elements of a row */
    bool packs, is_little;
} job;

static tn_status queue(const job *j, tn_stream *stream) {
    if (j->packs) {
        const tni_packbits call = {j->input, j->output, j->rows, j->from, j->is_little};
        return tni_queue_packbits(&call, stream);
    }
    const tni_unpackbits call = {j->input, j->output, j->rows, j->from, j->to, j->is_little};
    return tni_queue_unpackbits(&call, stream);
}

static tn_status run(tn_array **result, const tn_array *rows, job *j, tn_stream *stream) {
    int64_t shape[TN_MAX_NDIM];
    tn_array *made = NULL;
    void *address;
    tn_status status;
    for (int k = 0; k < rows->ndim - 1; k++)
        shape[k] = tni_shape(rows)[k];
    shape[rows->ndim - 1] = j->to;
    TNI_TRY(tn_array_new(&made, TN_U8, rows->ndim, shape, TN_ORDER_C, stream));
    if (made->size == 0) {
        *result = made;
        return TN_OK;
    }
    j->rows = made->size / j->to;
    TNI_TRY_OWNING(tni_array_access(&address, made, TNI_WRITE, stream));
    j->output = address;
    TNI_TRY_OWNING(tni_array_access(&address, rows, TNI_READ, stream));
    j->input = address;
    status = queue(j, stream);
cleanup:
    return tni_array_deliver(result, made, status);
}

static tn_status convert(tn_array **result, const tn_array *array, const int *axis,
                         const int64_t *count, bool packs, bool is_little, tn_stream *stream) {
    tn_array *rows = NULL, *made = NULL;
    tn_status status;
    int place = axis ? *axis : 0;
    job j = {.packs = packs, .is_little = is_little};
    if (axis) TNI_TRY(tn_axis_check(&place, array->ndim > 0 ? array->ndim : 1));
    if (array->ndim == 0) axis = NULL; /* its one element, as NumPy */
    TNI_TRY(tni_stream_resolve(&stream, stream, tn_array_device(array)));
    TNI_TRY(make_rows(&rows, array, axis ? &place : NULL, stream));
    j.from = tni_shape(rows)[rows->ndim - 1];
    j.to = packs ? (j.from + 7) / 8 : j.from * 8;
    if (count && *count < -j.to) {
        status =
            tni_fail(TN_ERROR_VALUE, "count %lld leaves out more than the %lld bits of the axis",
                     (long long)*count, (long long)j.to);
        goto cleanup;
    }
    if (count) j.to = *count < 0 ? j.to + *count : *count;
    TNI_TRY_OWNING(run(&made, rows, &j, stream));
    status = restore(result, made, axis ? &place : NULL, stream);
cleanup:
    tn_array_release(made);
    tn_array_release(rows);
    return status;
}

tn_status tn_array_packbits(tn_array **result, const tn_array *array, const int *axis,
                            bool is_little, tn_stream *stream) {
    if (tn_dtype_kind(array->dtype) >= TN_KIND_FLOAT)
        TNI_FAIL(TN_ERROR_TYPE,
                 "Expected an input array of integer or boolean data type, not of %s",
                 tn_dtype_name(array->dtype));
    return convert(result, array, axis, NULL, true, is_little, stream);
}

tn_status tn_array_unpackbits(tn_array **result, const tn_array *array, const int *axis,
                              const int64_t *count, bool is_little, tn_stream *stream) {
    if (array->dtype != TN_U8)
        TNI_FAIL(TN_ERROR_TYPE, "Expected an input array of unsigned byte data type, not of %s",
                 tn_dtype_name(array->dtype));
    return convert(result, array, axis, count, false, is_little, stream);
}
