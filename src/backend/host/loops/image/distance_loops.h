/* Inner loops of distances from the nearest 0, along one axis after the other. The values that go
 * from an axis to the next are squares for the Euclidean metric, else distances; infinite where no
 * 0 was found yet. */
#ifndef TNI_DISTANCE_LOOPS_H
#define TNI_DISTANCE_LOOPS_H

#include <tenorite/measure.h>

/* Columns along the first axis, side by side; strides are in elements. */
typedef struct tni_distance_columns {
    const char *mask;
    double *values;
    int32_t *nearest; /* NULL: not wanted; -1: none */
    int64_t length, stride, columns;
    double sampling;
    bool is_squared;
    int32_t *room; /* of (length + 1) * columns */
} tni_distance_columns;

/* Elements that a copy of a line has room for before it, and after it. */
enum { TNI_DISTANCE_PAD = 16, TNI_DISTANCE_END = 64 + TNI_DISTANCE_PAD };

/* A line along another axis, side by side. */
typedef struct tni_distance_line {
    double *values;   /* those of the axes before become those with this one */
    int32_t *nearest; /* whose value each element has; -1: none. NULL: not wanted */
    int64_t length;
    double sampling;
    double *padded; /* room for a copy */
    /* What the lower envelope is made of: sites, where each begins, their values; length each. */
    int32_t *sites, *begins;
    double *site_values;
} tni_distance_line;

typedef struct tni_distance_loops {
    void (*columns)(const tni_distance_columns *c);
    void (*line[3])(const tni_distance_line *l); /* by metric */
    void (*roots)(double *values, int64_t count);
} tni_distance_loops;

#endif
