/* Images as lines along the last axis, and the lines beside each. */
#ifndef TNI_HOST_IMAGE_LINES_H
#define TNI_HOST_IMAGE_LINES_H

#include <tenorite/status.h>

#include "forms/measure.h"

/* A line beside others: where it is along all axes but the last, how many lines further, and which
 * steps lead there (TNI_LABEL_BACK ...). */
typedef struct tni_line_beside {
    int8_t at[TN_MAX_NDIM];
    int64_t offset;
    int steps;
} tni_line_beside;

/* Collects the lines to which steps lead, not the line itself; *along receives the steps along
 * that. `lines` has room for all steps. Returns how many lines there are. */
int tni_lines_beside(tni_line_beside *lines, int *along, const tni_neighbour *steps, int count,
                     int ndim, const int64_t *shape);

/* The place of a line along all axes but the last. */
void tni_line_place(int64_t *place, int64_t line, int ndim, const int64_t *shape);
/* Moves on by a line. */
static inline void tni_line_next(int64_t *place, int ndim, const int64_t *shape) {
    for (int axis = ndim - 2; axis >= 0; axis--) {
        if (++place[axis] < shape[axis]) return;
        place[axis] = 0;
    }
}

/* Whether the image has a line beside the one at this place. */
static inline bool tni_line_has(const tni_line_beside *line, const int64_t *place, int ndim,
                                const int64_t *shape) {
    for (int axis = 0; axis < ndim - 1; axis++) {
        const int64_t at = place[axis] + line->at[axis];
        if (at < 0 || at >= shape[axis]) return false;
    }
    return true;
}

#endif
