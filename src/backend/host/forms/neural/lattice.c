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

/* The axis to cut next: after `cut_first` the outermost one of which a box has more places than
 * `least` reaches; -1: none. */
static int axis_to_cut(const tni_lattice *lattice, int64_t least) {
    if (lattice->axes[lattice->cut_first].box > 1) return lattice->cut_first;
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

/* Points of an axis in one phase that are in the source: from `begin` to before `end`. */
typedef struct range {
    int64_t begin, end, from; /* from: the element that the first of these is */
} range;

/* Rows of a lattice in one phase: points along the last axis, for each point of the innermost other
 * one that has several. */
typedef struct filling {
    const tni_lattice *lattice;
    int inner; /* that axis */
    int64_t element, channels;
    range rows, row;
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

static void set_rows_outside(const filling *f, char *to, int64_t rows) {
    const tni_lattice *lattice = f->lattice;
    const int64_t points = lattice->axes[lattice->ndim - 1].points;
    for (int64_t k = 0; k < rows; k++)
        set_outside(f, to + k * lattice->axes[f->inner].apart * f->element, points);
}

/* The rows of one channel that are in the source, the first of which is `from`. */
static void fill_channel(const filling *f, char *to, const char *from) {
    const tni_lattice *lattice = f->lattice;
    const tni_lattice_axis *last = &lattice->axes[lattice->ndim - 1];
    const tni_lattice_axis *inner = &lattice->axes[f->inner];
    const tni_convolve_rows rows = {.rows = f->rows.end - f->rows.begin,
                                    .count = f->row.end - f->row.begin,
                                    .apart = inner->step * inner->stride,
                                    .stride = last->step * last->stride,
                                    .run_apart = inner->apart};
    set_rows_outside(f, to, f->rows.begin);
    to += f->rows.begin * inner->apart * f->element;
    lattice->loops->load_rows(to, from, &rows, f->row.begin, last->points - f->row.end,
                              lattice->outside);
    to += rows.rows * inner->apart * f->element;
    set_rows_outside(f, to, inner->points - f->rows.end);
}

/* The same of all channels, row by row. */
static void fill_channels(const filling *f, char *to, const char *from) {
    const tni_lattice *lattice = f->lattice;
    const tni_lattice_axis *last = &lattice->axes[lattice->ndim - 1];
    const tni_lattice_axis *inner = &lattice->axes[f->inner];
    const tni_convolve_rows rows = {.rows = f->channels,
                                    .count = f->row.end - f->row.begin,
                                    .apart = lattice->channel_stride,
                                    .stride = last->step * last->stride,
                                    .run_apart = lattice->size};
    for (int64_t k = 0; k < inner->points; k++, to += inner->apart * f->element) {
        if (k >= f->rows.begin && k < f->rows.end) {
            lattice->loops->load_rows(to, from, &rows, f->row.begin, last->points - f->row.end,
                                      lattice->outside);
            from += inner->step * inner->stride;
            continue;
        }
        for (int64_t channel = 0; channel < f->channels; channel++)
            set_outside(f, to + channel * lattice->size * f->element, last->points);
    }
}

/* The element that point `at` of a box is along an axis, in a phase. */
static int64_t element_of(const tni_lattice_axis *axis, int64_t begin, int64_t at, int64_t phase) {
    return (begin + at) * axis->step + axis->first + phase * axis->dilation % axis->step;
}

static range range_of(const tni_lattice_axis *axis, int64_t begin, int64_t phase) {
    const int64_t first = element_of(axis, begin, 0, phase);
    range r = {.begin = first < 0 ? (-first + axis->step - 1) / axis->step : 0,
               .end = axis->size > first ? (axis->size - first + axis->step - 1) / axis->step : 0};
    if (r.begin > axis->points) r.begin = axis->points;
    if (r.end > axis->points) r.end = axis->points;
    r.from = first + r.begin * axis->step;
    return r;
}

/* Rows of one phase of each axis. */
static void fill_phase(filling *f, char *to, const tni_lattice_box *box, const char *source,
                       const int64_t *phase) {
    const tni_lattice *lattice = f->lattice;
    const int last = lattice->ndim - 1;
    int64_t points[TNI_LATTICE_AXES];
    tni_lattice_row row = {.point = 0};
    for (int k = 0; k < lattice->ndim; k++)
        points[k] = k == f->inner ? 1 : lattice->axes[k].points;
    f->row = range_of(&lattice->axes[last], box->begin[last], phase[last]);
    f->rows = range_of(&lattice->axes[f->inner], box->begin[f->inner], phase[f->inner]);
    source +=
        f->row.from * lattice->axes[last].stride + f->rows.from * lattice->axes[f->inner].stride;
    do {
        const char *from = source;
        bool is_there = f->row.begin < f->row.end && f->rows.begin < f->rows.end;
        for (int k = 0; k < last && is_there; k++) {
            const tni_lattice_axis *axis = &lattice->axes[k];
            if (k == f->inner) continue;
            const int64_t at = element_of(axis, box->begin[k], row.at[k], phase[k]);
            is_there = at >= 0 && at < axis->size;
            from += at * axis->stride;
        }
        char *rows = to + row.point * f->element;
        if (is_there) {
            (f->channels > 1 ? fill_channels : fill_channel)(f, rows, from);
            continue;
        }
        for (int64_t k = 0; k < f->channels; k++)
            set_rows_outside(f, rows + k * lattice->size * f->element,
                             lattice->axes[f->inner].points);
    } while (tni_lattice_next(&row, lattice, points));
}

/* All phases of f->channels channels. */
static void fill_phases(filling *f, char *to, const tni_lattice_box *box, const char *source) {
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

/* The innermost axis but the last that has several points. */
static int inner_axis(const tni_lattice *lattice) {
    int axis = lattice->ndim - 2;
    while (axis > 0 && lattice->axes[axis].points == 1)
        axis--;
    return axis;
}

/* Channels that lie nearer to each other than places do are filled together. */
void tni_lattice_fill(void *to, const tni_lattice *lattice, const tni_lattice_box *box,
                      const char *source, int64_t channels) {
    const tni_lattice_axis *last = &lattice->axes[lattice->ndim - 1];
    const bool is_near = magnitude(lattice->channel_stride) < magnitude(last->stride);
    filling f = {.lattice = lattice, .element = lattice->loops->element};
    f.inner = inner_axis(lattice);
    f.channels = is_near ? channels : 1;
    for (int64_t k = 0; k < channels; k += f.channels)
        fill_phases(&f, (char *)to + k * lattice->size * f.element, box,
                    source + k * lattice->channel_stride);
    memset((char *)to + channels * lattice->size * f.element, 0,
           (size_t)(lattice->loops->slack * f.element));
}
