/* The drivers of peaks: their bases, widths and ends, which are forms of packed arrays; and which
 * are apart, which is found on the host, one peak after the other. */
#include "backend/backend.h"
#include "core/base/alloc.h"
#include "core/move/astype.h"
#include "core/samples/samples.h"
#include "forms/samples.h"

/* The arrays of a call, packed: what is given, and what is made. */
enum { GIVEN_MAX = 6, MADE_MAX = 4 };

typedef struct operands {
    int given, made;
    tn_array *packed[GIVEN_MAX], *results[MADE_MAX];
    void *from[GIVEN_MAX], *to[MADE_MAX];
    tn_stream *stream;
} operands;

static void release(operands *o) {
    for (int k = 0; k < o->given; k++)
        tn_array_release(o->packed[k]);
    for (int k = 0; k < o->made; k++)
        tn_array_release(o->results[k]);
}

/* Checks the arrays and packs them. dtypes[k] is that of array k. */
static tn_status pack(operands *o, int count, const tn_array *const *arrays,
                      const tn_dtype *dtypes) {
    tn_device device;
    for (int k = 0; k < count; k++) {
        TNI_TRY(tni_samples_check_row(arrays[k]));
        if (arrays[k]->dtype != dtypes[k])
            TNI_FAIL(TN_ERROR_TYPE, "array %d of a call about peaks is of %s, not of %s", k,
                     tn_dtype_name(arrays[k]->dtype), tn_dtype_name(dtypes[k]));
    }
    TNI_TRY(tni_device_common(&device, count, arrays));
    TNI_TRY(tni_stream_resolve(&o->stream, o->stream, device));
    for (; o->given < count; o->given++)
        TNI_TRY(
            tni_array_packed(&o->packed[o->given], arrays[o->given], dtypes[o->given], o->stream));
    return TN_OK;
}

/* Makes results of so many elements and finds all addresses. */
static tn_status make(operands *o, int count, const tn_dtype *dtypes, int64_t size) {
    for (; o->made < count; o->made++)
        TNI_TRY(
            tn_array_new(&o->results[o->made], dtypes[o->made], 1, &size, TN_ORDER_C, o->stream));
    if (size == 0) return TN_OK;
    for (int k = 0; k < o->made; k++)
        TNI_TRY(tni_array_access(&o->to[k], o->results[k], TNI_WRITE, o->stream));
    for (int k = 0; k < o->given; k++)
        TNI_TRY(tni_array_access(&o->from[k], o->packed[k], TNI_READ, o->stream));
    return TN_OK;
}

static tn_status check_parts(const tn_array *values, const tn_array *parts) {
    if (parts->size == 0 || parts->size == values->size / TN_PEAK_PART) return TN_OK;
    return tni_fail(TN_ERROR_VALUE, "the extents of parts are those of all whole parts, or none");
}

tn_status tn_array_peak_bases(tn_array **prominences, tn_array **left, tn_array **right,
                              const tn_array *values, const tn_array *lows, const tn_array *highs,
                              const tn_array *peaks, int64_t reach, tn_stream *stream) {
    enum { VALUES, LOWS, HIGHS, PEAKS, ARRAYS };
    const tn_array *arrays[ARRAYS] = {values, lows, highs, peaks};
    static const tn_dtype dtypes[ARRAYS] = {TN_F64, TN_F64, TN_F64, TN_I64};
    static const tn_dtype made[] = {TN_F64, TN_I64, TN_I64};
    operands o = {.stream = stream};
    tn_status status;
    TNI_TRY_OWNING(pack(&o, ARRAYS, arrays, dtypes));
    TNI_TRY_OWNING(check_parts(values, lows));
    if (lows->size != highs->size)
        TNI_TRY_OWNING(tni_fail(TN_ERROR_VALUE, "lows and highs are not of one length"));
    TNI_TRY_OWNING(make(&o, 3, made, peaks->size));
    if (peaks->size) {
        const tni_peak_bases call = {
            .of = {o.from[VALUES], o.from[LOWS], o.from[HIGHS], values->size, lows->size},
            .peaks = o.from[PEAKS],
            .number = peaks->size,
            .reach = reach < 0 || reach > values->size ? values->size : reach,
            .prominences = o.to[0],
            .left = o.to[1],
            .right = o.to[2]};
        TNI_TRY_OWNING(tni_queue_peak_bases(&call, o.stream));
    }
    *prominences = o.results[0];
    *left = o.results[1];
    *right = o.results[2];
    o.made = 0;
cleanup:
    release(&o);
    return status;
}

tn_status tn_array_peak_widths(tn_array *results[4], const tn_array *values, const tn_array *lows,
                               const tn_array *peaks, const tn_array *prominences,
                               const tn_array *left, const tn_array *right, double relative,
                               tn_stream *stream) {
    enum { VALUES, LOWS, PEAKS, PROMINENCES, LEFT, RIGHT, ARRAYS };
    const tn_array *arrays[ARRAYS] = {values, lows, peaks, prominences, left, right};
    static const tn_dtype dtypes[ARRAYS] = {TN_F64, TN_F64, TN_I64, TN_F64, TN_I64, TN_I64};
    static const tn_dtype made[] = {TN_F64, TN_F64, TN_F64, TN_F64};
    operands o = {.stream = stream};
    tn_status status;
    TNI_TRY_OWNING(pack(&o, ARRAYS, arrays, dtypes));
    TNI_TRY_OWNING(check_parts(values, lows));
    for (int k = PROMINENCES; k < ARRAYS; k++)
        if (arrays[k]->size != peaks->size)
            TNI_TRY_OWNING(tni_fail(TN_ERROR_VALUE, "prominences and bases are not of as many"));
    TNI_TRY_OWNING(make(&o, 4, made, peaks->size));
    if (peaks->size) {
        const tni_peak_widths call = {
            .of = {o.from[VALUES], o.from[LOWS], NULL, values->size, lows->size},
            .peaks = o.from[PEAKS],
            .left = o.from[LEFT],
            .right = o.from[RIGHT],
            .prominences = o.from[PROMINENCES],
            .number = peaks->size,
            .relative = relative,
            .widths = o.to[0],
            .heights = o.to[1],
            .left_places = o.to[2],
            .right_places = o.to[3]};
        TNI_TRY_OWNING(tni_queue_peak_widths(&call, o.stream));
    }
    for (int k = 0; k < 4; k++)
        results[k] = o.results[k];
    o.made = 0;
cleanup:
    release(&o);
    return status;
}

tn_status tn_array_peak_ends(tn_array **ends, const tn_array *values, const tn_array *places,
                             tn_stream *stream) {
    const tn_array *arrays[2] = {values, places};
    static const tn_dtype dtypes[2] = {TN_F64, TN_I64}, made[] = {TN_I64};
    operands o = {.stream = stream};
    tn_status status;
    TNI_TRY_OWNING(pack(&o, 2, arrays, dtypes));
    TNI_TRY_OWNING(make(&o, 1, made, places->size));
    if (places->size) {
        const tni_peak_ends call = {.values = o.from[0],
                                    .places = o.from[1],
                                    .count = values->size,
                                    .number = places->size,
                                    .ends = o.to[0]};
        TNI_TRY_OWNING(tni_queue_peak_ends(&call, o.stream));
    }
    *ends = o.results[0];
    o.made = 0;
cleanup:
    release(&o);
    return status;
}

/* --- Apart --- */

/* From the highest rank down, a peak that is still kept drops its neighbours. */
static tn_status keep_apart(bool *kept, const int64_t *peaks, const int64_t *order, int64_t count,
                            int64_t distance) {
    for (int64_t k = 0; k < count; k++)
        kept[k] = true;
    for (int64_t rank = count - 1; rank >= 0; rank--) {
        const int64_t at = order[rank];
        if (at < 0 || at >= count)
            TNI_FAIL(TN_ERROR_INDEX, "peak %lld is none of %lld", (long long)at, (long long)count);
        if (!kept[at]) continue;
        for (int64_t k = at - 1; k >= 0 && peaks[at] - peaks[k] < distance; k--)
            kept[k] = false;
        for (int64_t k = at + 1; k < count && peaks[k] - peaks[at] < distance; k++)
            kept[k] = false;
    }
    return TN_OK;
}

tn_status tn_array_peaks_apart(tn_array **kept, const tn_array *peaks, const tn_array *order,
                               int64_t distance, tn_stream *stream) {
    const tn_array *arrays[2] = {peaks, order};
    static const tn_dtype dtypes[2] = {TN_I64, TN_I64};
    operands o = {.stream = stream};
    const int64_t count = peaks->size;
    tn_array *made = NULL;
    char *room = NULL; /* peaks, order, flags */
    tn_status status;
    TNI_TRY_OWNING(pack(&o, 2, arrays, dtypes));
    if (order->size != count)
        TNI_TRY_OWNING(tni_fail(TN_ERROR_VALUE, "the order is not one of all peaks"));
    room = tni_malloc((size_t)count * 17 + 1);
    if (!room) TNI_TRY_OWNING(tni_fail_no_memory(count * 17 + 1));
    int64_t *numbers = (int64_t *)(void *)room;
    bool *flags = (bool *)(room + 16 * count);
    TNI_TRY_OWNING(tn_array_read(numbers, NULL, o.packed[0], o.stream));
    TNI_TRY_OWNING(tn_array_read(numbers + count, NULL, o.packed[1], o.stream));
    TNI_TRY_OWNING(tn_stream_synchronize(o.stream, -1));
    TNI_TRY_OWNING(keep_apart(flags, numbers, numbers + count, count, distance));
    TNI_TRY_OWNING(
        tn_array_new_from_host(&made, flags, TN_B8, 1, &count, NULL, TN_ORDER_C, o.stream));
    TNI_TRY_OWNING(tn_stream_synchronize(o.stream, -1));
    *kept = made;
    made = NULL;
cleanup:
    tn_array_release(made);
    tni_free(room);
    release(&o);
    return status;
}
