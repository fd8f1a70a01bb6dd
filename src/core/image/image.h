/* What the drivers of the family share: an image and its window as forms take them. */
#ifndef TNI_CORE_IMAGE_H
#define TNI_CORE_IMAGE_H

#include "core/array/array.h"
#include "forms/image.h"

/* Fills in all but dtypes, addresses and `beyond`: the axes of the image in the order of the forms.
 * `strides` are those of the mask, which follow; NULL: none. */
void tni_image_arrange(tni_image *image, int64_t *mask_strides, const tn_array *input,
                       const tn_array *output, const tn_array *mask, const tn_window *window);

/* TN_ERROR_VALUE for an output or a mask of another shape or device, for a read-only output, and
 * for a window with sizes below 1; TN_ERROR_TYPE for complex elements. */
tn_status tni_image_check(const tn_array *output, const tn_array *input, const tn_window *window);

static inline bool tni_image_is_narrow(tn_dtype dtype) {
    return dtype == TN_F32 || dtype == TN_F16 || dtype == TN_BF16;
}

/* The dtype in which sums over elements of a dtype are computed: single precision where neither
 * they nor results have more. Whole results are cut off, which shows any rounding. */
static inline tn_dtype tni_image_sums(tn_dtype stored, tn_dtype result, bool is_wide) {
    const bool is_narrow = tni_image_is_narrow(stored) && tni_image_is_narrow(result);
    return is_narrow && !is_wide ? TN_F32 : TN_F64;
}

/* The dtype in which elements are compared with each other and with `beyond`. */
tn_dtype tni_image_order(tn_dtype dtype, double beyond, bool has_beyond);

/* The same elements in memory that the output does not share: the output itself, or a new array
 * that tni_image_finish() copies to it. */
tn_status tni_image_begin(tn_array **made, tn_array *output, const tn_array *input,
                          tn_stream *stream);
/* Gives up `made`, and the status of what was done. */
tn_status tni_image_finish(tn_array *made, tn_array *output, tn_status status, tn_stream *stream);

#endif
