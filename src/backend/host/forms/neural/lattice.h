/* A source of a convolution or of pooling as a lattice: a box of it as runs of the working type, in
 * which each tap of a filter is an offset.
 *
 * A result has places along each axis, batch and channels also being axes. Tap r of place q reads
 * the source at q step + r dilation + first. Elements that are a multiple of `step` apart form a
 * phase, which taps r, r + phases, ... read. A lattice has [channel][phase, axis by axis][point,
 * axis by axis], with zeros for points outside of the source; then tap r of a place lies at the
 * place's point, `advance` points further, in phase r % phases. So places that follow each other in
 * a lattice need no copies of their windows, at the cost of points that are no place of a result,
 * between the end of a row and the next.
 *
 * A box is a piece of the places; all boxes of a lattice are laid out alike. */
#ifndef TNI_HOST_LATTICE_H
#define TNI_HOST_LATTICE_H

#include "backend/host/loops/neural/convolve_loops.h"
#include "forms/neural.h"

enum { TNI_LATTICE_AXES = TN_SPATIAL_MAX + 2 };

typedef struct tni_lattice_axis {
    int64_t places, size;       /* of the result, of the source */
    int64_t step, first;        /* elements of the source */
    int64_t phases, dilation;   /* phase k begins k dilation % step elements after `first` */
    int64_t reach;              /* points that the last tap lies further than its place */
    int64_t stride;             /* of the source, in bytes */
    int64_t halo;               /* places before a box that it has, too; 0 where one box has all */
    int64_t box, boxes;         /* places of a box; boxes along the axis */
    int64_t points;             /* of a box, with the reach */
    int64_t apart, phase_apart; /* from a point and from a phase to the next, in elements */
} tni_lattice_axis;

typedef struct tni_lattice {
    const tni_convolve_loops *loops;
    int ndim;
    int64_t channel_stride; /* of the source, in bytes */
    double outside;         /* what points outside of the source are */
    tni_lattice_axis axes[TNI_LATTICE_AXES];
    /* Made by tni_lattice_cut(). */
    int64_t boxes;  /* in all */
    int64_t size;   /* of a channel, in elements, with what is read after the last place */
    int64_t places; /* from the first point to after the last place of a box */
    int64_t apart;  /* the same as a whole number of vectors */
} tni_lattice;

/* Of a box: where its places begin along each axis, and how many there are, with the halo. It may
 * begin before place 0. */
typedef struct tni_lattice_box {
    int64_t begin[TNI_LATTICE_AXES], count[TNI_LATTICE_AXES];
} tni_lattice_box;

/* Cuts the places into boxes so that `channels` of one have at most about `bytes`. */
void tni_lattice_cut(tni_lattice *lattice, int64_t channels, int64_t bytes);
void tni_lattice_find(tni_lattice_box *box, const tni_lattice *lattice, int64_t number);
/* The offset of a tap of one axis that lies in a phase and `advance` points further. */
static inline int64_t tni_lattice_offset(const tni_lattice_axis *axis, int64_t phase,
                                         int64_t advance) {
    return phase * axis->phase_apart + advance * axis->apart;
}
/* The same of tap r by its place. */
static inline int64_t tni_lattice_tap(const tni_lattice_axis *axis, int64_t r) {
    return tni_lattice_offset(axis, r % axis->phases, r * axis->dilation / axis->step);
}
/* Fills `channels` of a box from `source`, the first channel's first element. */
void tni_lattice_fill(void *to, const tni_lattice *lattice, const tni_lattice_box *box,
                      const char *source, int64_t channels);

/* A walk over the rows (the places along the last axis) of a box. */
typedef struct tni_lattice_row {
    int64_t at[TNI_LATTICE_AXES]; /* places before the last axis, from the box's begin */
    int64_t point;                /* of the row's first place */
} tni_lattice_row;
/* To the next row that has all of its axes below `count`; false: there is none. */
bool tni_lattice_next(tni_lattice_row *row, const tni_lattice *lattice, const int64_t *count);

#endif
