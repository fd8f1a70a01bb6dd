#include "backend/host/forms/neural/lattice.h"

#include <string.h>

/* Lays a channel of a box out. Gives its size. */
static int64_t channel_size(tni_lattice *lattice) {
    int64_t size = 1;
    for (int k = lattice->ndim - 1; k >= 0; k--) {
        tni_lattice_axis *axis = &lattice->axes[k];
        const int64_t halo = axis->box < axis->places ? axis->halo : 0;
        axis->points = axis->box + halo + axis->reach;
        axis->apart = size;
        size *= axis->points;
    }
    for (int k = lattice->ndim - 1; k >= 0; k--) {
        lattice->axes[k].phase_apart = size;
        size *= lattice->axes[k].phases;
    }
    return size;
}

/* The axis to cut next: the outermost one of which a box has more places than `least` reaches; -1:
 * none. */
static int axis_to_cut(const tni_lattice *lattice, int64_t least) {
    for (int k = 0; k < lattice->ndim; k++) {
        const tni_lattice_axis *axis = &lattice->axes[k];
        if (axis->box > 1 && axis->box > least * axis->reach) return k;
    }
    return -1;
}

/* The next vectors after the last place are read, so that a lattice has more at its end. */
void tni_lattice_cut(tni_lattice *lattice, int64_t channels, int64_t bytes) {
    const tni_convolve_loops *loops = lattice->loops;
    const int64_t limit = bytes / loops->element / channels;
    for (int k = 0; k < lattice->ndim; k++)
        lattice->axes[k].box = lattice->axes[k].places;
    int64_t size = channel_size(lattice);
    /* Boxes overlap by their reach: short of memory only are they shorter than that. */
    for (int64_t least = 1; least >= 0; least--) {
        int cut;
        while (size > (least ? limit : 16 * limit) && (cut = axis_to_cut(lattice, least)) >= 0) {
            lattice->axes[cut].box = (lattice->axes[cut].box + 1) / 2;
            size = channel_size(lattice);
        }
    }
    lattice->boxes = 1;
    lattice->places = 1;
    for (int k = 0; k < lattice->ndim; k++) {
        tni_lattice_axis *axis = &lattice->axes[k];
        axis->boxes = (axis->places + axis->box - 1) / axis->box;
        lattice->boxes *= axis->boxes;
        if (axis->boxes == 1) axis->halo = 0;
        lattice->places += (axis->box + axis->halo - 1) * axis->apart;
    }
    lattice->apart = (lattice->places + loops->lanes - 1) / loops->lanes * loops->lanes;
    lattice->size = size;
}

void tni_lattice_find(tni_lattice_box *box, const tni_lattice *lattice, int64_t number) {
    for (int k = lattice->ndim - 1; k >= 0; k--) {
        const tni_lattice_axis *axis = &lattice->axes[k];
        box->begin[k] = number % axis->boxes * axis->box;
        const int64_t left = axis->places - box->begin[k];
        box->count[k] = (left < axis->box ? left : axis->box) + axis->halo;
        box->begin[k] -= axis->halo;
        number /= axis->boxes;
    }
}

bool tni_lattice_next(tni_lattice_row *row, const tni_lattice *lattice, const int64_t *count) {
    for (int k = lattice->ndim - 2; k >= 0; k--) {
        row->point += lattice->axes[k].apart;
        if (++row->at[k] < count[k]) return true;
        row->point -= row->at[k] * lattice->axes[k].apart;
        row->at[k] = 0;
    }
    return false;
}

/* --- Filling --- */

/* A row of a lattice: its points along the last axis in one phase. */
typedef struct filling {
    const tni_lattice *lattice;
    int64_t element, channels;
    char *to;           /* of the first channel */
    const char *source; /* the row's, the last axis at 0; NULL: all of it is outside */
    int64_t begin, end; /* points that are in the source */
    int64_t from;       /* where the first of these is, along the last axis */
} filling;

static void set_outside(const filling *f, char *to, int64_t count) {
    if (f->lattice->outside == 0) {
        memset(to, 0, (size_t)(count * f->element));
    } else if (f->element == sizeof(float)) {
        for (int64_t k = 0; k < count; k++)
            ((float *)(void *)to)[k] = (float)f->lattice->outside;
    } else {
        for (int64_t k = 0; k < count; k++)
            ((double *)(void *)to)[k] = f->lattice->outside;
    }
}

static void fill_row(const filling *f) {
    const tni_lattice *lattice = f->lattice;
    const tni_lattice_axis *last = &lattice->axes[lattice->ndim - 1];
    char *to = f->to;
    for (int64_t channel = 0; channel < f->channels; channel++, to += lattice->size * f->element) {
        if (!f->source || f->begin >= f->end) {
            set_outside(f, to, last->points);
            continue;
        }
        const char *from = f->source + channel * lattice->channel_stride + f->from * last->stride;
        set_outside(f, to, f->begin);
        lattice->loops->load(to + f->begin * f->element, from, last->step * last->stride,
                             f->end - f->begin);
        set_outside(f, to + f->end * f->element, last->points - f->end);
    }
}

/* The element that point `at` of a box is along an axis, in a phase. */
static int64_t element_of(const tni_lattice_axis *axis, int64_t begin, int64_t at, int64_t phase) {
    return (begin + at) * axis->step + axis->first + phase * axis->dilation % axis->step;
}

/* Rows of one phase of each axis. */
static void fill_phase(filling *f, char *to, const tni_lattice_box *box, const char *source,
                       const int64_t *phase) {
    const tni_lattice *lattice = f->lattice;
    const int end = lattice->ndim - 1;
    const tni_lattice_axis *last = &lattice->axes[end];
    int64_t points[TNI_LATTICE_AXES];
    tni_lattice_row row = {.point = 0};
    for (int k = 0; k < lattice->ndim; k++)
        points[k] = lattice->axes[k].points;
    const int64_t first = element_of(last, box->begin[end], 0, phase[end]);
    f->begin = first < 0 ? (-first + last->step - 1) / last->step : 0;
    f->end = last->size > first ? (last->size - first + last->step - 1) / last->step : 0;
    if (f->begin > last->points) f->begin = last->points;
    if (f->end > last->points) f->end = last->points;
    f->from = first + f->begin * last->step;
    do {
        f->source = source;
        for (int k = 0; k < end && f->source; k++) {
            const tni_lattice_axis *axis = &lattice->axes[k];
            const int64_t at = element_of(axis, box->begin[k], row.at[k], phase[k]);
            f->source = at < 0 || at >= axis->size ? NULL : f->source + at * axis->stride;
        }
        f->to = to + row.point * f->element;
        fill_row(f);
    } while (tni_lattice_next(&row, lattice, points));
}

/* All phases of f->channels channels. */
static void fill_channels(filling *f, char *to, const tni_lattice_box *box, const char *source) {
    const tni_lattice *lattice = f->lattice;
    int64_t phase[TNI_LATTICE_AXES] = {0}, offset = 0;
    int k;
    do {
        fill_phase(f, to + offset * f->element, box, source, phase);
        for (k = lattice->ndim - 1; k >= 0; k--) {
            offset += lattice->axes[k].phase_apart;
            if (++phase[k] < lattice->axes[k].phases) break;
            offset -= phase[k] * lattice->axes[k].phase_apart;
            phase[k] = 0;
        }
    } while (k >= 0);
}

static int64_t magnitude(int64_t stride) {
    return stride < 0 ? -stride : stride;
}

/* Channels that lie nearer to each other than places do are filled row by row. */
void tni_lattice_fill(void *to, const tni_lattice *lattice, const tni_lattice_box *box,
                      const char *source, int64_t channels) {
    const tni_lattice_axis *last = &lattice->axes[lattice->ndim - 1];
    const bool is_near = magnitude(lattice->channel_stride) < magnitude(last->stride);
    filling f = {.lattice = lattice, .element = lattice->loops->element};
    f.channels = is_near ? channels : 1;
    for (int64_t k = 0; k < channels; k += f.channels)
        fill_channels(&f, (char *)to + k * lattice->size * f.element, box,
                      source + k * lattice->channel_stride);
    memset((char *)to + channels * lattice->size * f.element, 0,
           (size_t)(lattice->loops->slack * f.element));
}
