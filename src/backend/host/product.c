/* Products of a matrix with its own transpose: one half is computed, the other is its mirror
 * image. */
#include "backend/host/product.h"

#include "backend/host/threads.h"

#include <string.h>

enum { MIRROR = 32 }; /* rows and columns of a square that is copied at a time */

bool tni_matmul_is_symmetric(tni_matmul_view a, tni_matmul_view b) {
    return a.data == b.data && a.row_stride == b.column_stride && a.column_stride == b.row_stride;
}

typedef struct reflection {
    tni_matmul_view out;
    int64_t side, size;
} reflection;

/* Blocks of rows; small squares at a time, for the caches' sake. */
static void mirror_blocks(void *context, int64_t begin, int64_t end) {
    const reflection *r = context;
    for (int64_t i = begin * MIRROR; i < tni_smaller(end * MIRROR, r->side); i += MIRROR)
        for (int64_t j = 0; j <= i; j += MIRROR)
            for (int64_t y = i; y < tni_smaller(i + MIRROR, r->side); y++)
                for (int64_t x = j; x < tni_smaller(j + MIRROR, y); x++)
                    memcpy(tni_matmul_at(r->out, y, x).data, tni_matmul_at(r->out, x, y).data,
                           (size_t)r->size);
}

void tni_matmul_mirror(tni_matmul_view out, int64_t side, int64_t size) {
    reflection r = {out, side, size};
    tni_parallel(tni_chunks(side, MIRROR), tni_matmul_grain(MIRROR * side / 2), mirror_blocks, &r);
}
