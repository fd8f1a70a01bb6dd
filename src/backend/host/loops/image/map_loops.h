/* Values of splines at places: what one instruction-set level offers for f32 and for f64. */
#ifndef TNI_MAP_LOOPS_H
#define TNI_MAP_LOOPS_H

#include "forms/image_map.h"

enum {
    TNI_MAP_BLOCK = 64,     /* outputs at a time */
    TNI_MAP_COLUMNS = 1024, /* outputs of a row that share tables */
    TNI_MAP_ROW = 1 << 14   /* elements of the input's row that these may be made of */
};

/* Outputs of a row whose places depend on their column alone. Output j is the sum over k of
 * weights[k][j] * row[taps[k][j]], where the row has the input's elements [low, high) and after
 * them the one that stands for all outside. */
typedef struct tni_map_columns {
    int64_t first, count, low, high;
    bool has_outside;
    unsigned char is_outside[TNI_MAP_COLUMNS];
    int32_t taps[(TN_SPLINE_ORDER + 1) * TNI_MAP_COLUMNS];
    double weights[(TN_SPLINE_ORDER + 1) * TNI_MAP_COLUMNS]; /* of the loops' type */
    double row[TNI_MAP_ROW + 1];
} tni_map_columns;

typedef struct tni_map_loops {
    /* Outputs [begin, begin + count), at most TNI_MAP_BLOCK of one row of the result. */
    void (*points)(const tni_image_map *call, int64_t begin, int64_t count, void *values);
    /* The tables of outputs [first, first + count); false where they need too many elements. */
    bool (*columns)(const tni_image_map *call, tni_map_columns *columns);
    /* Their values in a row of the result. */
    void (*row)(const tni_image_map *call, tni_map_columns *columns, int64_t row, void *values);
    /* n values as integers of so many bits, or (bits 1) as 0 and 1. */
    void (*integers)(double *to, const void *values, int64_t n, int bits, bool is_signed);
} tni_map_loops;

#endif
