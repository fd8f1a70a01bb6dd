/* Images as forms take them.
 *
 * Axes that the window does not extend over are joined with their neighbours where both arrays walk
 * the two by one stride. Then the axis of the smallest stride that is not short becomes the last
 * one, which loops run along, and axes of the window come right before it. */
#include "core/image/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONG = 16 }; /* elements that a loop is worth */

/* One axis of all arrays. */
typedef struct axis {
    int64_t shape, input, output, mask, size, low, order;
    tn_image_edge edge;
} axis;

static bool is_plain(const axis *a) {
    return a->size == 1 && a->low == 0;
}

static bool are_one(const axis *a, const axis *b) {
    return is_plain(a) && is_plain(b) && a->input == b->shape * b->input &&
           a->output == b->shape * b->output && a->mask == b->shape * b->mask;
}

/* Adds an axis after those there are, or to the last of them. */
static int append(axis *axes, int count, const axis *next) {
    if (next->shape == 1 && is_plain(next)) return count;
    if (count > 0 && are_one(&axes[count - 1], next)) {
        axes[count - 1].shape *= next->shape;
        axes[count - 1].input = next->input;
        axes[count - 1].output = next->output;
        axes[count - 1].mask = next->mask;
        return count;
    }
    axes[count] = *next;
    return count + 1;
}

static int choose_last(const axis *axes, int count) {
    int best = count - 1;
    for (int k = count - 2; k >= 0; k--) {
        const bool is_long = axes[k].shape >= LONG, was_long = axes[best].shape >= LONG;
        if (is_long != was_long ? is_long
                                : llabs(axes[k].input) < llabs(axes[best].input) && is_long)
            best = k;
    }
    return best;
}

static void put(tni_image *image, int64_t *mask_strides, const axis *a) {
    const int k = image->ndim++;
    image->shape[k] = a->shape;
    image->input_strides[k] = a->input;
    image->output_strides[k] = a->output;
    image->size[k] = a->size;
    image->low[k] = a->low;
    image->order[k] = a->order;
    image->edges[k] = (int8_t)a->edge;
    if (mask_strides) mask_strides[k] = a->mask;
}

void tni_image_arrange(tni_image *image, int64_t *mask_strides, const tn_array *input,
                       const tn_array *output, const tn_array *mask, const tn_window *window) {
    static const axis none = {.shape = 1, .size = 1, .order = 1};
    axis axes[TN_MAX_NDIM + 2];
    int64_t orders[TN_MAX_NDIM], order = 1;
    int count = 0;
    for (int k = input->ndim - 1; k >= 0; k--) {
        orders[k] = order;
        order *= window->size[k];
    }
    for (int k = 0; k < input->ndim; k++) {
        const axis next = {tni_shape(input)[k],
                           tni_strides(input)[k],
                           tni_strides(output)[k],
                           mask ? tni_strides(mask)[k] : 0,
                           window->size[k],
                           window->low[k],
                           orders[k],
                           window->edges[k]};
        count = append(axes, count, &next);
    }
    const int last = count ? choose_last(axes, count) : -1;
    image->ndim = 0;
    for (int k = count; k < 2; k++)
        put(image, mask_strides, &none);
    for (int windows = 0; windows < 2; windows++)
        for (int k = 0; k < count; k++)
            if (k != last && is_plain(&axes[k]) == !windows) put(image, mask_strides, &axes[k]);
    if (last >= 0) put(image, mask_strides, &axes[last]);
}

static tn_status check_shape(const tn_array *array, const tn_array *input, const char *name) {
    if (array->ndim == input->ndim &&
        !memcmp(tni_shape(array), tni_shape(input), (size_t)input->ndim * sizeof(int64_t)))
        return TN_OK;
    return tni_fail(TN_ERROR_VALUE, "%s shape not correct", name);
}

tn_status tni_image_check(const tn_array *output, const tn_array *input, const tn_window *window) {
    const tn_array *arrays[5] = {output, input, window->mask, window->places, window->weights};
    tn_device device;
    TNI_TRY(tni_device_common(&device, 5, arrays));
    TNI_TRY(tni_array_check_numbers(input));
    TNI_TRY(tni_array_check_numbers(output));
    if (tn_dtype_kind(input->dtype) == TN_KIND_COMPLEX ||
        tn_dtype_kind(output->dtype) == TN_KIND_COMPLEX)
        TNI_FAIL(TN_ERROR_TYPE, "Complex type not supported");
    TNI_TRY(check_shape(output, input, "output"));
    if (window->mask) TNI_TRY(check_shape(window->mask, input, "mask"));
    TNI_TRY(tni_array_check_writeable(output));
    for (int k = 0; k < input->ndim; k++)
        if (window->size[k] < 1)
            TNI_FAIL(TN_ERROR_VALUE, "a window has one element or more along each axis");
    return TN_OK;
}

/* Whether a dtype has the value. */
static bool has_value(tn_dtype dtype, double value) {
    const tn_kind kind = tn_dtype_kind(dtype);
    const int bits = (int)(8 * tn_dtype_size(dtype));
    if (kind == TN_KIND_FLOAT) return true; /* rounded */
    if (kind == TN_KIND_BOOL) return value == 0 || value == 1;
    if (value != floor(value)) return false;
    const double end = kind == TN_KIND_SIGNED ? ldexp(1, bits - 1) : ldexp(1, bits);
    return value < end && value >= (kind == TN_KIND_SIGNED ? -end : 0);
}

tn_dtype tni_image_order(tn_dtype dtype, double beyond, bool has_beyond) {
    if (dtype == TN_F16 || dtype == TN_BF16) return TN_F32;
    return has_beyond && !has_value(dtype, beyond) ? TN_F64 : dtype;
}

tn_status tni_image_begin(tn_array **made, tn_array *output, const tn_array *input,
                          tn_stream *stream) {
    if (tn_array_may_overlap(output, input))
        return tn_array_new(made, output->dtype, output->ndim, tni_shape(output), TN_ORDER_C,
                            stream);
    *made = tn_array_retain(output);
    return TN_OK;
}

tn_status tni_image_finish(tn_array *made, tn_array *output, tn_status status, tn_stream *stream) {
    if (!status && made != output)
        status = tn_array_assign(output, made, TN_CASTING_UNSAFE, stream);
    tn_array_release(made);
    return status;
}
