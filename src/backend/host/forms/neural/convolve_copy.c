#include "backend/host/forms/neural/convolve_copy.h"

#include "backend/host/forms/neural/convolve_channels.h"
#include "backend/host/forms/neural/convolve_lattice.h"
#include "backend/host/forms/reduce/folding.h"
#include "backend/host/forms/walk.h"
#include "backend/host/loops/level.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"
#include "core/base/alloc.h"
#include "core/base/error.h"

enum {
    DEPTH_MIN = 32,        /* of sums */
    KEPT_BYTES = 16 << 20, /* in memory that stays */
    COPY_BYTES = 512 << 20
};

static const tni_convolve_loops *loops_of(const tni_convolve_copy *c) {
    return &tni_loops_level()->convolve[c->dtype];
}

static int64_t places_of(const tni_convolve_copy *c) {
    int64_t places = 1;
    for (int k = 0; k < c->ndim; k++)
        places *= c->shape[k];
    return places;
}

int64_t tni_convolve_copy_bytes(const tni_convolve_copy *c) {
    return c->batch * c->channels * places_of(c) * loops_of(c)->element;
}

void tni_convolve_copy_place(tni_convolve_copy *c, char *data) {
    const int64_t element = loops_of(c)->element;
    int64_t stride = c->is_last ? c->channels * element : element;
    c->copy.data = data;
    c->outer = c->ndim - 1;
    c->row = c->shape[c->outer];
    for (int k = c->ndim - 1; k >= 0; k--) {
        c->copy.strides[k] = stride;
        stride *= c->shape[k];
    }
    c->copy.channel_stride = c->is_last ? element : stride;
    c->copy.batch_stride = c->is_last ? stride : stride * c->channels;
    for (int k = c->ndim - 1; k > 0; k--) {
        if (c->maps.strides[k - 1] != c->maps.strides[k] * c->shape[k]) break;
        c->row *= c->shape[--c->outer];
    }
}

/* Where a row lies, of all channels, and its elements as runs. */
static char *row_at(const tni_convolve_copy *c, const tni_maps *maps, int64_t number) {
    char *data = maps->data;
    for (int k = c->outer - 1; k >= 0; k--) {
        data += number % c->shape[k] * maps->strides[k];
        number /= c->shape[k];
    }
    return data + number * maps->batch_stride;
}

static tni_convolve_rows rows_of(const tni_convolve_copy *c) {
    const int64_t stride = c->maps.strides[c->ndim - 1], apart = c->maps.channel_stride;
    if (c->is_last) return (tni_convolve_rows){c->row, c->channels, stride, apart, c->channels};
    return (tni_convolve_rows){c->channels, c->row, apart, stride, places_of(c)};
}

/* Whether rows are copied as matrices are transposed. */
static bool is_transposed(const tni_convolve_copy *c) {
    const int64_t element = tn_dtype_size(c->dtype);
    return c->is_last && loops_of(c)->element == element && c->alpha == 1 && c->beta == 0 &&
           c->maps.strides[c->ndim - 1] == element && c->maps.channel_stride % element == 0;
}

static void read_rows(void *context, int64_t begin, int64_t end) {
    const tni_convolve_copy *c = context;
    const tni_convolve_loops *loops = loops_of(c);
    const tni_convolve_rows rows = rows_of(c);
    for (int64_t k = begin; k < end; k++) {
        const char *from = row_at(c, &c->maps, k);
        char *to = row_at(c, &c->copy, k);
        if (is_transposed(c))
            loops->transpose(to, c->channels, from, c->maps.channel_stride / loops->element,
                             c->channels, c->row);
        else
            loops->load_rows(to, from, &rows, 0, 0, 0);
    }
}

static void write_rows(void *context, int64_t begin, int64_t end) {
    const tni_convolve_copy *c = context;
    const tni_convolve_loops *loops = loops_of(c);
    const tni_convolve_rows rows = rows_of(c);
    for (int64_t k = begin; k < end; k++) {
        const char *from = row_at(c, &c->copy, k);
        char *to = row_at(c, &c->maps, k);
        if (is_transposed(c))
            loops->transpose(to, c->maps.channel_stride / loops->element, from, c->channels, c->row,
                             c->channels);
        else
            loops->store_rows(to, from, &rows, c->alpha, c->beta);
    }
}

void tni_convolve_copy_read(tni_convolve_copy *c) {
    tni_parallel_units(c->batch * (places_of(c) / c->row), 20 + c->channels * c->row / 2, read_rows,
                       c);
}
void tni_convolve_copy_write(tni_convolve_copy *c) {
    tni_parallel_units(c->batch * (places_of(c) / c->row), 20 + c->channels * c->row / 2,
                       write_rows, c);
}

/* --- Convolutions --- */

/* Copies of the source, the result and, of halves, the filters. */
typedef struct copies {
    tni_convolve_copy source, result, filters;
    int64_t bytes[3];
} copies;

static void describe(copies *c, const tni_convolve *call) {
    const bool is_y = call->result == TNI_CONVOLVE_Y;
    const tni_convolve_copy x = {.dtype = call->dtype,
                                 .ndim = call->ndim,
                                 .is_last = true,
                                 .batch = call->batch,
                                 .channels = call->groups * call->inputs,
                                 .shape = call->x_shape,
                                 .maps = call->x,
                                 .alpha = call->alpha,
                                 .beta = call->beta};
    tni_convolve_copy y = x;
    y.channels = call->groups * call->outputs;
    y.shape = call->y_shape;
    y.maps = call->y;
    c->source = is_y ? x : y;
    c->result = is_y ? y : x;
    c->filters = x;
    c->filters.batch = call->groups * call->outputs;
    c->filters.channels = call->inputs;
    c->filters.shape = call->w_shape;
    c->filters.maps = call->w;
    c->filters.is_last =
        tni_magnitude(call->w.channel_stride) < tni_magnitude(call->w.strides[call->ndim - 1]);
    c->bytes[0] = tni_convolve_copy_bytes(&c->source);
    c->bytes[1] = tni_convolve_copy_bytes(&c->result);
    c->bytes[2] =
        call->dtype == TN_F16 || call->dtype == TN_BF16 ? tni_convolve_copy_bytes(&c->filters) : 0;
}

bool tni_host_convolves_copies(const tni_convolve *call) {
    const bool is_y = call->result == TNI_CONVOLVE_Y;
    const int64_t lanes = tni_loops_level()->convolve[call->dtype].lanes;
    const int64_t depth = tni_convolve_taps(call) * (is_y ? call->inputs : call->outputs);
    copies c;
    if (call->result == TNI_CONVOLVE_DW || depth < DEPTH_MIN) return false;
    if ((is_y ? call->outputs : call->inputs) < 2 * lanes) return false;
    describe(&c, call);
    return c.bytes[0] + c.bytes[1] + c.bytes[2] <= COPY_BYTES;
}

tn_status tni_host_convolve_copies(const tni_convolve *call) {
    const bool is_y = call->result == TNI_CONVOLVE_Y;
    tni_convolve inner = *call;
    copies c;
    describe(&c, call);
    const int64_t bytes = c.bytes[0] + c.bytes[1] + c.bytes[2];
    const bool is_kept = bytes <= KEPT_BYTES;
    char *data = is_kept ? tni_scratch(TNI_SLOT_RESULTS, (size_t)bytes) : tni_malloc((size_t)bytes);
    if (!data) return tni_fail_no_memory(bytes);
    tni_convolve_copy_place(&c.source, data);
    tni_convolve_copy_place(&c.result, data + c.bytes[0]);
    tni_convolve_copy_read(&c.source);
    if (c.bytes[2]) {
        tni_convolve_copy_place(&c.filters, data + c.bytes[0] + c.bytes[1]);
        tni_convolve_copy_read(&c.filters);
        inner.w = c.filters.copy;
    }
    inner.dtype = call->dtype == TN_F64 ? TN_F64 : TN_F32;
    inner.x = is_y ? c.source.copy : c.result.copy;
    inner.y = is_y ? c.result.copy : c.source.copy;
    inner.alpha = 1;
    inner.beta = 0;
    tn_status status = tni_host_convolve_channels(&inner);
    if (!status) tni_convolve_copy_write(&c.result);
    if (!is_kept) tni_free(data);
    return status;
}
