/* Maps of a convolution as a copy in the working type, and convolutions of copies. */
#ifndef TNI_HOST_CONVOLVE_COPY_H
#define TNI_HOST_CONVOLVE_COPY_H

#include "backend/host/loops/neural/convolve_loops.h"
#include "forms/neural.h"

#include <tenorite/status.h>

#include <stdbool.h>

typedef struct tni_convolve_copy {
    tn_dtype dtype;
    int ndim;
    bool is_last; /* channels lie beside each other; else places of the last axis do */
    int64_t batch, channels;
    const int64_t *shape;
    tni_maps maps, copy; /* copy: made here */
    double alpha, beta;  /* of the way back */
    int outer;           /* axes before those that are one row, and its elements; made here */
    int64_t row;
} tni_convolve_copy;

/* Bytes of the copy. */
int64_t tni_convolve_copy_bytes(const tni_convolve_copy *c);
/* Describes the copy with its elements at `data`. */
void tni_convolve_copy_place(tni_convolve_copy *c, char *data);
/* The copy of the maps; the maps as alpha * copy + beta * maps. */
void tni_convolve_copy_read(tni_convolve_copy *c);
void tni_convolve_copy_write(tni_convolve_copy *c);

/* Whether tni_host_convolve_copies() takes a call: of so many channels that copying costs little,
 * and those beside each other are multiplied faster. */
bool tni_host_convolves_copies(const tni_convolve *call);
tn_status tni_host_convolve_copies(const tni_convolve *call);

#endif
