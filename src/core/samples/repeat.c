/* Slices along an axis, each as often as a count says. On a stream that runs at once they are
 * written one after the other; else their positions are found first, and then taken. */
#include "core/array/array.h"
#include "core/array/shape.h"
#include "core/stream/stream.h"

#include <tenorite/index.h>
#include <tenorite/reduce.h>
#include <tenorite/samples.h>

#include <string.h>

static tn_status check_ends(int64_t least, int64_t largest, int64_t size) {
    if (least < 0) TNI_FAIL(TN_ERROR_VALUE, "repeats may not contain negative values.");
    return (double)largest * (double)size < 0x1p60 ? TN_OK : tni_fail_too_big();
}

/* --- By positions --- */

/* The positions [0, size) by how often each comes: where a stretch ends a one is counted, and
 * positions are the running sums of these. */
static tn_status spread(tn_array **places, const tn_array *counts, tn_stream *stream) {
    static const int first_axis = 0;
    tn_array *ends = NULL, *total_view = NULL, *marks = NULL, *inner = NULL, *sums = NULL;
    tn_scalar total;
    tn_index last = {.kind = TN_INDEX_INTEGER, .start = -1};
    tn_index items = {
        .kind = TN_INDEX_SLICE, .step = 1, .stop = counts->size - 1, .has_stop = true};
    int64_t number;
    tn_status status;
    TNI_TRY_OWNING(tn_scan(&ends, TN_SCAN_CUMSUM, counts, &first_axis, TN_I64, false, stream));
    TNI_TRY_OWNING(tn_array_slice(&total_view, ends, 1, &last));
    TNI_TRY_OWNING(tn_array_item(&total, total_view, stream));
    TNI_TRY_OWNING(tn_array_slice(&inner, ends, 1, &items));
    TNI_TRY_OWNING(tn_scalar_convert(&number, total, TN_I64));
    TNI_TRY_OWNING(tn_array_bincount(&marks, inner, NULL, number, stream));
    TNI_TRY_OWNING(tn_scan(&sums, TN_SCAN_CUMSUM, marks, &first_axis, TN_I64, false, stream));
    items.stop = number;
    TNI_TRY_OWNING(tn_array_slice(places, sums, 1, &items));
cleanup:
    tn_array_release(sums);
    tn_array_release(marks);
    tn_array_release(inner);
    tn_array_release(total_view);
    tn_array_release(ends);
    return status;
}

static tn_status repeat_by_places(tn_array **result, const tn_array *array, int axis,
                                  const tn_array *counts, tn_stream *stream) {
    tn_scalar ends[2];
    int64_t least, largest;
    tn_array *places, *made = NULL;
    TNI_TRY(tn_array_extent(&ends[0], &ends[1], counts, stream));
    TNI_TRY(tn_scalar_convert(&least, ends[0], TN_I64));
    TNI_TRY(tn_scalar_convert(&largest, ends[1], TN_I64));
    TNI_TRY(check_ends(least, largest, counts->size));
    TNI_TRY(spread(&places, counts, stream));
    tn_status status = tn_array_take(&made, array, places, axis, TN_INDEX_RAISE, stream);
    tn_array_release(places);
    *result = made;
    return status;
}

/* --- At once --- */

/* One slice of `bytes` bytes `times` times, for sizes that the compiler knows. */
static inline char *write_slice(char *to, const char *from, size_t bytes, int64_t times) {
    for (; times > 0; times--, to += bytes)
        memcpy(to, from, bytes);
    return to;
}

static char *write_row(char *to, const char *from, size_t bytes, int64_t size,
                       const int64_t *counts) {
    switch (bytes) {
#define OF_SIZE(number)                                                                            \
    case number:                                                                                   \
        for (int64_t k = 0; k < size; k++)                                                         \
            to = write_slice(to, from + k * number, number, counts[k]);                            \
        return to;
        OF_SIZE(1)
        OF_SIZE(2)
        OF_SIZE(4)
        OF_SIZE(8)
        OF_SIZE(16)
#undef OF_SIZE
    }
    for (int64_t k = 0; k < size; k++)
        to = write_slice(to, from + (size_t)k * bytes, bytes, counts[k]);
    return to;
}

static tn_status count_all(int64_t *total, const int64_t *counts, int64_t size) {
    int64_t least = 0, largest = 0;
    *total = 0;
    for (int64_t k = 0; k < size; k++) {
        least = counts[k] < least ? counts[k] : least;
        largest = counts[k] > largest ? counts[k] : largest;
    }
    TNI_TRY(check_ends(least, largest, size));
    for (int64_t k = 0; k < size; k++)
        *total += counts[k];
    return TN_OK;
}

/* Of an array and counts in order C. */
static tn_status repeat_at_once(tn_array **result, const tn_array *array, int axis,
                                const tn_array *counts, tn_stream *stream) {
    int64_t shape[TN_MAX_NDIM], outer = 1;
    void *from, *to, *times;
    tn_array *made;
    TNI_TRY(tni_array_access(&times, counts, TNI_READ, stream));
    for (int k = 0; k < array->ndim; k++) {
        shape[k] = tni_shape(array)[k];
        outer *= k < axis ? shape[k] : 1;
    }
    TNI_TRY(count_all(&shape[axis], times, counts->size));
    TNI_TRY(tn_array_new(&made, array->dtype, array->ndim, shape, TN_ORDER_C, stream));
    tn_status status = tni_array_access(&from, array, TNI_READ, stream);
    if (!status) status = tni_array_access(&to, made, TNI_WRITE, stream);
    if (status) {
        tn_array_release(made);
        return status;
    }
    const int64_t rows = outer * counts->size;
    const int64_t bytes = rows ? array->size / rows * tni_dtype_size(array->dtype) : 0;
    char *next = to;
    for (int64_t k = 0; bytes && k < outer; k++)
        next = write_row(next, (const char *)from + k * counts->size * bytes, (size_t)bytes,
                         counts->size, times);
    *result = made;
    return TN_OK;
}

tn_status tn_array_repeat_each(tn_array **result, const tn_array *array, int axis,
                               const tn_array *counts, tn_stream *stream) {
    tn_device device;
    TNI_TRY(tn_axis_check(&axis, array->ndim));
    if (counts->ndim != 1 || counts->dtype != TN_I64 || counts->size != tni_shape(array)[axis])
        TNI_FAIL(TN_ERROR_VALUE, "the counts of a repetition are one axis of int64, a count for "
                                 "each of the slices");
    TNI_TRY(tni_device_common(&device, 2, (const tn_array *const[]){array, counts}));
    TNI_TRY(tni_stream_resolve(&stream, stream, device));
    const bool is_dense = array->flags & counts->flags & TNI_C_CONTIGUOUS;
    const bool is_aligned = array->flags & TNI_ALIGNED || tn_dtype_is_stored(array->dtype);
    if (stream->is_immediate && !tni_stream_capture(stream) && is_dense && is_aligned &&
        counts->flags & TNI_ALIGNED)
        return repeat_at_once(result, array, axis, counts, stream);
    tn_array *made = NULL;
    if (counts->size == 0) {
        TNI_TRY(tn_array_take(&made, array, counts, axis, TN_INDEX_RAISE, stream));
        *result = made;
        return TN_OK;
    }
    return repeat_by_places(result, array, axis, counts, stream);
}
