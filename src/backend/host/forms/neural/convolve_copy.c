#include "backend/host/forms/neural/convolve_copy.h"

#include "backend/host/threads.h"

static int64_t places_of(const tni_convolve_copy *c) {
    int64_t places = 1;
    for (int k = 0; k < c->ndim; k++)
        places *= c->shape[k];
    return places;
}

int64_t tni_convolve_copy_bytes(const tni_convolve_copy *c) {
    return c->batch * c->channels * places_of(c) * c->loops->element;
}

void tni_convolve_copy_place(tni_convolve_copy *c, char *data) {
    int64_t stride = c->loops->element;
    c->copy.data = data;
    if (c->is_last) {
        c->copy.channel_stride = stride;
        stride *= c->channels;
    }
    for (int k = c->ndim - 1; k >= 0; k--) {
        c->copy.strides[k] = stride;
        stride *= c->shape[k];
    }
    if (!c->is_last) {
        c->copy.channel_stride = stride;
        stride *= c->channels;
    }
    c->copy.batch_stride = stride;
}

/* Where a row of the last axis lies, of all channels, and its elements as runs. */
static char *row_at(const tni_convolve_copy *c, const tni_maps *maps, int64_t number) {
    char *data = maps->data;
    for (int k = c->ndim - 2; k >= 0; k--) {
        data += number % c->shape[k] * maps->strides[k];
        number /= c->shape[k];
    }
    return data + number * maps->batch_stride;
}

static tni_convolve_rows rows_of(const tni_convolve_copy *c) {
    const int64_t size = c->shape[c->ndim - 1], stride = c->maps.strides[c->ndim - 1];
    if (c->is_last)
        return (tni_convolve_rows){.rows = size,
                                   .count = c->channels,
                                   .apart = stride,
                                   .stride = c->maps.channel_stride,
                                   .run_apart = c->channels};
    return (tni_convolve_rows){.rows = c->channels,
                               .count = size,
                               .apart = c->maps.channel_stride,
                               .stride = stride,
                               .run_apart = places_of(c)};
}

static void read_rows(void *context, int64_t begin, int64_t end) {
    const tni_convolve_copy *c = context;
    const tni_convolve_rows rows = rows_of(c);
    for (int64_t k = begin; k < end; k++)
        c->loops->load_rows(row_at(c, &c->copy, k), row_at(c, &c->maps, k), &rows, 0, 0, 0);
}

static void write_rows(void *context, int64_t begin, int64_t end) {
    const tni_convolve_copy *c = context;
    const tni_convolve_rows rows = rows_of(c);
    for (int64_t k = begin; k < end; k++)
        c->loops->store_rows(row_at(c, &c->maps, k), row_at(c, &c->copy, k), &rows, c->alpha,
                             c->beta);
}

static void run(tni_convolve_copy *c, void (*task)(void *context, int64_t begin, int64_t end)) {
    const int64_t size = c->shape[c->ndim - 1];
    tni_parallel_units(c->batch * (places_of(c) / size), 20 + c->channels * size, task, c);
}

void tni_convolve_copy_read(tni_convolve_copy *c) {
    run(c, read_rows);
}
void tni_convolve_copy_write(tni_convolve_copy *c) {
    run(c, write_rows);
}
