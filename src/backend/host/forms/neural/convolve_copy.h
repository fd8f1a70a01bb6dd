/* Maps of a convolution as a copy in the working type. */
#ifndef TNI_HOST_CONVOLVE_COPY_H
#define TNI_HOST_CONVOLVE_COPY_H

#include "backend/host/loops/neural/convolve_loops.h"
#include "forms/neural.h"

typedef struct tni_convolve_copy {
    const tni_convolve_loops *loops; /* of the maps' dtype */
    int ndim;
    bool is_last; /* channels lie beside each other; else places of the last axis do */
    int64_t batch, channels;
    const int64_t *shape;
    tni_maps maps, copy; /* copy: made here */
    double alpha, beta;  /* of the way back */
} tni_convolve_copy;

/* Bytes of the copy. */
int64_t tni_convolve_copy_bytes(const tni_convolve_copy *c);
/* Describes the copy with its elements at `data`. */
void tni_convolve_copy_place(tni_convolve_copy *c, char *data);
/* The copy of the maps; the maps as alpha * copy + beta * maps. */
void tni_convolve_copy_read(tni_convolve_copy *c);
void tni_convolve_copy_write(tni_convolve_copy *c);

#endif
