/* The form "places": several index arrays made one, for a take or put along a joint axis; or taken
 * by at once.
 *
 *     places[at] = origin + sum over k of wrapped(indices[k][at]) * steps[k]
 *
 * where a negative index counts from its axis' end. The indices are looked at: the first that is
 * outside [-size, size), of the first array that has one, is what this call or a wait for the
 * stream fails with, and a place made of it is `outside`. With `dense` a place counts bytes, and
 * what is there is taken:
 *
 *     dense[at] = the item at array + places[at]
 */
#ifndef TNI_FORMS_PLACES_H
#define TNI_FORMS_PLACES_H

#include <tenorite/array.h>

enum { TNI_PLACES_INDICES = 4 };

typedef struct tni_places {
    int count; /* of the index arrays: i64, broadcast, at multiples of 8 bytes */
    const char *indices[TNI_PLACES_INDICES];
    int64_t sizes[TNI_PLACES_INDICES], steps[TNI_PLACES_INDICES];
    int64_t axes[TNI_PLACES_INDICES]; /* for messages */
    int64_t origin, outside;
    int ndim; /* axes of the indices, collapsed, in order C */
    int64_t shape[TN_MAX_NDIM], strides[TNI_PLACES_INDICES][TN_MAX_NDIM];
    int64_t *places; /* dense, in order C; no element is no call */
    bool adds;       /* to the places that an earlier call made, where they are not `outside` */
    /* Or, `places` being NULL: */
    const char *array;
    char *dense;        /* new memory, in order C */
    int64_t item_bytes; /* 1, 2, 4, 8 or 16, to which all addresses are aligned */
} tni_places;

#endif
