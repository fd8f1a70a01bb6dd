/* Images as lines along the last axis. Steps that differ along the last axis alone lead to one
 * line. */
#include "backend/host/forms/image/lines.h"

#include <string.h>

int tni_lines_beside(tni_line_beside *lines, int *along, const tni_neighbour *steps, int count,
                     int ndim, const int64_t *shape) {
    int found = 0;
    *along = 0;
    for (int k = 0; k < count; k++) {
        const int8_t *at = steps[k].at;
        const size_t outer = (size_t)(ndim - 1);
        int64_t offset = 0;
        bool is_own = true;
        int line = 0;
        for (int axis = 0; axis < ndim - 1; axis++) {
            offset = offset * shape[axis] + at[axis];
            is_own = is_own && at[axis] == 0;
        }
        if (is_own) {
            *along |= 1 << (at[ndim - 1] + 1);
            continue;
        }
        while (line < found && memcmp(lines[line].at, at, outer) != 0)
            line++;
        if (line == found) {
            memcpy(lines[found].at, at, outer);
            lines[found].offset = offset;
            lines[found++].steps = 0;
        }
        lines[line].steps |= 1 << (at[ndim - 1] + 1);
    }
    return found;
}

void tni_line_place(int64_t *place, int64_t line, int ndim, const int64_t *shape) {
    for (int axis = ndim - 2; axis >= 0; axis--) {
        place[axis] = line % shape[axis];
        line /= shape[axis];
    }
}
