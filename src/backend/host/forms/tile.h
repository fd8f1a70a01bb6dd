/* One tile of an element-wise call (tiling.h). */
#ifndef TNI_HOST_FORMS_TILE_H
#define TNI_HOST_FORMS_TILE_H

#include "backend/host/forms/tiling.h"

/* The tile's position: addresses of all arguments at its first element. */
typedef struct tni_tile {
    char *data[TNI_MAX_ARGUMENTS];
    int64_t rows, columns;
} tni_tile;

/* Computes a tile. `stages`: tiling->stage_bytes of the calling thread's. */
void tni_tile_run(const tni_tiling *tiling, const tni_tile *t, char *stages);

/* `count` elements, converted, then copies of what is there, each twice as long as the last, until
 * there are `bytes`. */
void tni_tile_repeat(char *to, int64_t size, int64_t bytes, char *from, int64_t stride,
                     int64_t count, tni_loop convert);

#endif
