/* What the drivers of images share: their elements as flags, and structures as steps. */
#include "core/image/neighbours.h"

#include "core/base/alloc.h"
#include "core/move/astype.h"

#include <string.h>

/* The step of a place in a structure. */
static void read_step(tni_neighbour *step, int64_t place, int ndim) {
    for (int axis = ndim - 1; axis >= 0; axis--) {
        step->at[axis] = (int8_t)(place % 3 - 1);
        place /= 3;
    }
}

tn_status tni_neighbours_read(tni_neighbour **steps, int *count, const bool *structure, int ndim,
                              bool is_both) {
    int64_t places = 1, found = 0;
    for (int axis = 0; axis < ndim; axis++)
        places *= 3;
    const int64_t end = is_both ? places : places / 2;
    for (int64_t place = 0; place < end; place++)
        found += structure[place] && place != places / 2;
    tni_neighbour *made = tni_malloc((size_t)(found + 1) * sizeof *made);
    if (!made) return tni_fail_no_memory((found + 1) * (int64_t)sizeof *made);
    *steps = made;
    *count = (int)found;
    for (int64_t place = 0; place < end; place++)
        if (structure[place] && place != places / 2) read_step(made++, place, ndim);
    return TN_OK;
}

tn_status tni_image_mask(tn_array **mask, const tn_array *array, tn_stream *stream) {
    return tni_array_packed(mask, array, TN_B8, stream);
}

int tni_image_shape(int64_t *shape, const tn_array *array) {
    shape[0] = 1;
    for (int axis = 0; axis < array->ndim; axis++)
        shape[axis] = tni_shape(array)[axis];
    return array->ndim ? array->ndim : 1;
}
