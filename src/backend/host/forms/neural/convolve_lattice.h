/* Lattices of convolutions, and the taps of their filters. */
#ifndef TNI_HOST_CONVOLVE_LATTICE_H
#define TNI_HOST_CONVOLVE_LATTICE_H

#include "backend/host/forms/neural/lattice.h"

enum {
    TNI_LATTICE_BYTES = 256 << 10, /* of a box, so that it stays in a core's cache */
    TNI_LATTICE_CHANNELS = 16      /* of large boxes, at least */
};

/* Axes of a lattice: those of the maps, batch first or, where rows are short, last. */
typedef struct tni_lattice_maps {
    int batch;                   /* the batch's axis */
    int spatial[TN_SPATIAL_MAX]; /* that of each spatial one */
} tni_lattice_maps;

/* The axes of a lattice whose places are those of `batch` maps with `places` of each spatial axis
 * and filters that reach further by `reach`: their sizes and order, and nothing else. */
void tni_lattice_order(tni_lattice *lattice, tni_lattice_maps *maps, int ndim, int64_t batch,
                       const int64_t *places, const int64_t *reach);
/* The lattice of x, by places of y. */
void tni_convolve_lattice(tni_lattice *lattice, tni_lattice_maps *maps, const tni_convolve *call);
/* How many channels of a box are taken together. */
int64_t tni_convolve_channels(const tni_lattice *lattice, int64_t channels);
/* Taps of a filter, and the number of tap `tap` along each axis. */
int64_t tni_convolve_taps(const tni_convolve *call);
void tni_convolve_tap(int64_t *r, const tni_convolve *call, int64_t tap);

#endif
