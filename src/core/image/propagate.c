/* The driver of what spreads as far as a mask lets it.
 *
 * A first look at all windows finds what is set at once. From there the backend goes on by itself,
 * or looks are repeated until some of them find nothing new. */
#include "backend/backend.h"
#include "core/image/image.h"
#include "core/move/astype.h"

#include <tenorite/elementwise.h>
#include <tenorite/reduce.h>

#include <string.h>

enum { LOOKS = 8 }; /* between two questions to the device */

/* Whether two arrays of b8 differ; waits. */
static tn_status differ(bool *answer, const tn_array *a, const tn_array *b, tn_stream *stream) {
    tn_array *marks = NULL, *any = NULL;
    tn_scalar scalar;
    tn_status status;
    TNI_TRY_OWNING(tn_binary(&marks, TN_OP_NOT_EQUAL, a, b, stream));
    TNI_TRY_OWNING(tn_reduce(&any, TN_REDUCE_ANY, marks, NULL, stream));
    TNI_TRY_OWNING(tn_array_item(&scalar, any, stream));
    status = tn_scalar_convert(answer, scalar, TN_B8);
cleanup:
    tn_array_release(any);
    tn_array_release(marks);
    return status;
}

/* From `next`, which is the first look at `image`. Both are overwritten; the end is in `next`. */
static tn_status look_again(tn_array *next, tn_array *image, const tn_window *window,
                            tn_stream *stream) {
    bool is_new = true;
    while (is_new) {
        for (int k = 0; k < LOOKS; k += 2) {
            TNI_TRY(tn_image_filter(image, next, window, stream));
            TNI_TRY(tn_image_filter(next, image, window, stream));
        }
        TNI_TRY(differ(&is_new, image, next, stream));
    }
    return TN_OK;
}

static tn_status spread(tn_array *next, const tn_array *image, const tn_window *window,
                        tn_stream *stream) {
    tn_array *fresh = NULL, *allowed = NULL, *places = NULL;
    tni_propagate call;
    void *addresses[4] = {NULL, NULL, NULL, NULL};
    tn_status status;
    TNI_TRY_OWNING(tn_binary(&fresh, TN_OP_NOT_EQUAL, next, image, stream));
    TNI_TRY_OWNING(tni_array_access(&addresses[0], next, TNI_READ_WRITE, stream));
    TNI_TRY_OWNING(tni_array_access(&addresses[1], fresh, TNI_READ, stream));
    if (window->mask) {
        TNI_TRY_OWNING(tni_array_packed(&allowed, window->mask, TN_B8, stream));
        TNI_TRY_OWNING(tni_array_access(&addresses[2], allowed, TNI_READ, stream));
    }
    call.count = 1;
    call.ndim = next->ndim;
    for (int k = 0; k < next->ndim; k++) {
        call.shape[k] = tni_shape(next)[k];
        call.size[k] = window->size[k];
        call.low[k] = window->low[k];
        call.count *= window->size[k];
    }
    if (window->places) {
        TNI_TRY_OWNING(tni_array_packed(&places, window->places, TN_I32, stream));
        TNI_TRY_OWNING(tni_array_access(&addresses[3], places, TNI_READ, stream));
        call.count = places->size;
    }
    call.image = addresses[0];
    call.fresh = addresses[1];
    call.allowed = addresses[2];
    call.places = addresses[3];
    status = tni_queue_propagate(&call, stream);
cleanup:
    tn_array_release(places);
    tn_array_release(allowed);
    tn_array_release(fresh);
    return status;
}

tn_status tn_image_propagate(tn_array *image, const tn_array *mask, const tn_window *window,
                             tn_stream *stream) {
    tn_array *next = NULL, *first = NULL;
    tn_status status;
    tn_window masked = *window;
    masked.op = TN_WINDOW_MOST;
    masked.mask = mask;
    if (image->dtype != TN_B8) TNI_FAIL(TN_ERROR_VALUE, "the image that is spread is of bool");
    TNI_TRY(tni_image_check(image, image, &masked));
    TNI_TRY(tni_stream_resolve(&stream, stream, tn_array_device(image)));
    if (image->size == 0) return TN_OK;
    TNI_TRY_OWNING(tn_array_new(&next, TN_B8, image->ndim, tni_shape(image), TN_ORDER_C, stream));
    TNI_TRY_OWNING(tn_image_filter(next, image, &masked, stream));
    if (tni_backend_of(stream)->image->propagate) {
        TNI_TRY_OWNING(spread(next, image, &masked, stream));
    } else {
        TNI_TRY_OWNING(tni_array_packed(&first, image, TN_B8, stream));
        TNI_TRY_OWNING(look_again(next, first, &masked, stream));
    }
    status = tn_array_assign(image, next, TN_CASTING_UNSAFE, stream);
cleanup:
    tn_array_release(first);
    tn_array_release(next);
    return status;
}
