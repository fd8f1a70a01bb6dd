/* What the drivers of the family share: their arrays as forms take them. */
#ifndef TNI_SPATIAL_H
#define TNI_SPATIAL_H

#include "backend/backend.h"
#include "core/array/array.h"
#include "forms/spatial.h"

#include <tenorite/spatial.h>

/* An argument: what it must be, and (once it is open) where its elements lie side by side. */
typedef struct tni_spatial_given {
    const char *name;
    const tn_array *array; /* NULL: absent, and so is its address */
    tn_dtype dtype;
    int ndim;
    int64_t rows, columns; /* -1: any number */
    void *address;         /* the address of the pointer that is set, or NULL */
    tn_array *packed;
} tni_spatial_given;

/* Resolves the stream of the arguments, checks and opens them for reading. */
tn_status tni_spatial_open(int count, tni_spatial_given *given, tn_stream **stream);
void tni_spatial_close(int count, tni_spatial_given *given);

/* A new array of order C, opened for writing. */
tn_status tni_spatial_new(tn_array **result, void *address, tn_dtype dtype, int ndim, int64_t rows,
                          int64_t columns, tn_stream *stream);

/* The arguments that a tree is, from given[0] on: TNI_SPATIAL_TREE of them. Fills in the numbers of
 * `to`; its addresses come with tni_spatial_open. */
enum { TNI_SPATIAL_TREE = 4, TNI_SPATIAL_LEVELS = 30 /* of a tree, at most */ };
tn_status tni_spatial_tree(tni_spatial_given *given, tni_tree *to, const tn_tree *tree);

/* TN_ERROR_VALUE unless a tree of so many points may have so many levels. */
tn_status tni_spatial_check_levels(int levels, int64_t count);

#define TNI_SPATIAL_COUNT(given) ((int)(sizeof(given) / sizeof *(given)))

#endif
