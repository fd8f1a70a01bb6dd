/* Fourier transforms on CUDA: calls of cuFFT, and own launches for what it does not have.
 *
 * cuFFT transforms up to three axes at once: of more axes the last three go first, from the input
 * to the output, the others after them in place. Where it has no layout such as the input's, the
 * input is copied into the output or into memory of the pool; so is one that is followed by zeros,
 * a real one of which all elements are made, and a Hermitian one, which cuFFT destroys. The factor
 * is multiplied in on the way of a copy, if there is one.
 * cuFFT's real transform is forward and its Hermitian one backward; the others are their
 * conjugates. */
#include "forms/fft.h"
#include "backend/cuda/forms/fft/cosine.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/move.h"
#include "backend/cuda/forms/step.h"
#include "backend/cuda/launch/scratch.h"
#include "backend/cuda/libraries/fft.h"

#include <stdlib.h>

enum {
    FEW_CALLS = 4,          /* of cuFFT for one pass, however little each of them does */
    MANY_ELEMENTS = 1 << 17 /* of one call, which is worth a launch */
};

/* A call at work. Shapes: of the input with its zeros, and of the output. */
typedef struct work {
    const tni_fft *call;
    tn_stream *stream;
    int64_t input_shape[TN_MAX_NDIM], given[TN_MAX_NDIM], output_shape[TN_MAX_NDIM];
    tni_place input, output;
    bool is_padded;
    double factor; /* by which the result is still to be multiplied */
} work;

/* Axes of one pass; a halved one is the last. */
typedef struct group {
    tni_fft_kind kind;
    bool is_backward;
    int rank, axes[TNI_CUFFT_AXES];
} group;

static void begin(work *w, const tni_fft *call, tn_stream *stream) {
    const int last = call->ndim - 1;
    const tn_dtype real = tn_dtype_real(call->dtype);
    const bool is_real = call->kind == TNI_FFT_REAL || call->kind == TNI_FFT_WHOLE;
    w->call = call;
    w->stream = stream;
    w->factor = call->scale;
    w->is_padded = false;
    w->input.data = (char *)(uintptr_t)call->input;
    w->input.dtype = is_real ? real : call->dtype;
    w->output.data = call->output;
    w->output.dtype = call->kind == TNI_FFT_HERMITIAN ? real : call->dtype;
    for (int k = 0; k <= last; k++) {
        const int64_t n = call->dims[k].length, half = n / 2 + 1;
        const tni_fft_kind kind = k == last ? call->kind : TNI_FFT_COMPLEX;
        w->input_shape[k] = kind == TNI_FFT_HERMITIAN ? half : n;
        w->output_shape[k] = kind == TNI_FFT_REAL ? half : n;
        w->given[k] = call->dims[k].given;
        w->input.strides[k] = call->dims[k].input_stride;
        w->output.strides[k] = call->dims[k].output_stride;
        w->is_padded |= w->given[k] < w->input_shape[k];
    }
}

/* --- Passes --- */

/* One pass as calls of cuFFT: the same one from several places. */
typedef struct pass {
    tni_cufft_call one;
    int outer_count;
    struct {
        int64_t extent, input_apart, output_apart;
    } outer[TN_MAX_NDIM];
    int64_t calls;
} pass;

static bool is_of(const group *g, int axis) {
    for (int k = 0; k < g->rank; k++)
        if (g->axes[k] == axis) return true;
    return false;
}

/* The axes that are not transformed, the widest in the output first; those that are one on both
 * sides joined. */
static void add_outer(pass *p, const work *w, const group *g, const tni_place *from,
                      const tni_place *to) {
    p->outer_count = 0;
    for (int axis = 0; axis < w->call->ndim; axis++) {
        if (is_of(g, axis) || w->output_shape[axis] == 1) continue;
        int at = p->outer_count++;
        for (; at > 0 && llabs(p->outer[at - 1].output_apart) < llabs(to->strides[axis]); at--)
            p->outer[at] = p->outer[at - 1];
        p->outer[at].extent = w->output_shape[axis];
        p->outer[at].input_apart = from->strides[axis];
        p->outer[at].output_apart = to->strides[axis];
    }
    int last = 0;
    for (int k = 1; k < p->outer_count; k++) {
        const int64_t extent = p->outer[k].extent;
        if (p->outer[last].input_apart == extent * p->outer[k].input_apart &&
            p->outer[last].output_apart == extent * p->outer[k].output_apart) {
            p->outer[k].extent *= p->outer[last].extent;
            p->outer[last] = p->outer[k];
        } else {
            p->outer[++last] = p->outer[k];
        }
    }
    if (p->outer_count > 0) p->outer_count = last + 1;
}

/* Makes the longest of these axes the one along which cuFFT itself repeats. */
static void choose_count(pass *p) {
    int best = -1;
    p->one.count = p->calls = 1;
    p->one.input.apart = p->one.output.apart = 0;
    for (int k = 0; k < p->outer_count; k++)
        if (best < 0 || p->outer[k].extent >= p->outer[best].extent) best = k;
    if (best < 0) return;
    p->one.count = p->outer[best].extent;
    p->one.input.apart = p->outer[best].input_apart;
    p->one.output.apart = p->outer[best].output_apart;
    p->outer_count--;
    for (int k = best; k < p->outer_count; k++)
        p->outer[k] = p->outer[k + 1];
    for (int k = 0; k < p->outer_count; k++)
        p->calls *= p->outer[k].extent;
}

/* Describes the pass; false if cuFFT has none like it, or only in too many small calls. */
static bool describe(pass *p, const work *w, const group *g, const tni_place *from,
                     const tni_place *to) {
    const int64_t alignment = tni_cufft_alignment(w->call->dtype);
    int64_t elements = 1;
    p->one.dtype = w->call->dtype;
    p->one.kind = g->kind;
    p->one.is_backward = g->is_backward;
    p->one.rank = g->rank;
    p->one.input.address = from->data;
    p->one.output.address = to->data;
    for (int k = 0; k < g->rank; k++) {
        elements *= p->one.lengths[k] = w->call->dims[g->axes[k]].length;
        p->one.input.strides[k] = from->strides[g->axes[k]];
        p->one.output.strides[k] = to->strides[g->axes[k]];
    }
    add_outer(p, w, g, from, to);
    choose_count(p);
    for (int k = 0; k < p->outer_count; k++)
        if (p->outer[k].input_apart % alignment || p->outer[k].output_apart % alignment)
            return false;
    return (p->calls <= FEW_CALLS || elements * p->one.count >= MANY_ELEMENTS) &&
           tni_cufft_takes(&p->one);
}

static tn_status run_pass(const pass *p, tn_stream *stream) {
    for (int64_t number = 0; number < p->calls; number++) {
        tni_cufft_call one = p->one;
        int64_t rest = number;
        for (int k = p->outer_count - 1; k >= 0; k--) {
            const int64_t at = rest % p->outer[k].extent;
            rest /= p->outer[k].extent;
            one.input.address += at * p->outer[k].input_apart;
            one.output.address += at * p->outer[k].output_apart;
        }
        TNI_TRY(tni_cufft_run(&one, stream));
    }
    return TN_OK;
}

/* --- Places between the input and the output --- */

/* Strides without gaps, the axes of the group innermost; the bytes. */
static int64_t lay_out(tni_place *place, const work *w, const group *g, const int64_t *shape) {
    int64_t bytes = tn_dtype_size(place->dtype);
    place->data = NULL;
    for (int k = g->rank - 1; k >= 0; k--) {
        place->strides[g->axes[k]] = bytes;
        bytes *= shape[g->axes[k]];
    }
    for (int axis = w->call->ndim - 1; axis >= 0; axis--) {
        if (is_of(g, axis)) continue;
        place->strides[axis] = bytes;
        bytes *= shape[axis];
    }
    return bytes;
}

/* to = from, and the factor with it where both are of one dtype. */
static tn_status move(work *w, const tni_place *to, const tni_place *from, const int64_t *shape,
                      bool conjugates) {
    const int ndim = w->call->ndim;
    const bool scales = w->factor != 1 && !conjugates && to->dtype == from->dtype;
    const double factor = w->factor;
    if (!scales) return tni_cuda_move(to, from, ndim, shape, conjugates, w->stream);
    w->factor = 1;
    return tni_cuda_scale(to, from, ndim, shape, factor, w->stream);
}

/* Moves the input to where it is transformed, with its zeros. */
static tn_status take_in(work *w, const tni_place *to) {
    const bool conjugates = w->call->kind == TNI_FFT_HERMITIAN && !w->call->is_backward;
    if (to->data == w->input.data && !w->is_padded) return TN_OK;
    if (w->is_padded) TNI_TRY(tni_cuda_clear(to, w->call->ndim, w->input_shape, w->stream));
    return move(w, to, &w->input, w->given, conjugates);
}

/* The imaginary parts that are 0 in a Hermitian input, whatever stands there: of the first element
 * and, where the length is even, of the last. */
static tn_status clear_imaginary(const work *w, const tni_place *source) {
    const int axis = w->call->ndim - 1;
    int64_t shape[TN_MAX_NDIM];
    tni_place parts = *source;
    parts.dtype = w->output.dtype;
    parts.data += tn_dtype_size(parts.dtype);
    for (int k = 0; k < axis; k++)
        shape[k] = w->input_shape[k];
    shape[axis] = w->call->dims[axis].length % 2 == 0 ? 2 : 1;
    parts.strides[axis] *= w->input_shape[axis] - 1;
    return tni_cuda_clear(&parts, axis + 1, shape, w->stream);
}

/* --- The first pass --- */

enum { GIVEN, RESULT, SOURCE, TARGET, PLACES }; /* the input, the output, memory for either */

/* From where to where, the cheapest first; a complex transform can be in place. */
static const signed char complex_ways[][2] = {{GIVEN, RESULT}, {RESULT, RESULT}, {SOURCE, SOURCE}};
static const signed char other_ways[][2] = {
    {GIVEN, RESULT}, {SOURCE, RESULT}, {GIVEN, TARGET}, {SOURCE, TARGET}};

typedef struct places {
    tni_place at[PLACES];
    int64_t bytes[PLACES];
    int from, to;
} places;

static bool is_input_usable(const work *w) {
    const tni_fft *call = w->call;
    if (w->is_padded || call->kind == TNI_FFT_WHOLE) return false;
    return call->kind != TNI_FFT_HERMITIAN || (call->is_input_free && call->is_backward);
}

static void choose_places(places *p, const work *w, const group *g) {
    const bool is_complex = g->kind == TNI_FFT_COMPLEX;
    p->at[GIVEN] = w->input;
    p->at[RESULT] = w->output;
    p->at[SOURCE].dtype = is_complex ? w->call->dtype : w->input.dtype;
    p->at[TARGET].dtype = w->output.dtype;
    p->bytes[GIVEN] = p->bytes[RESULT] = 0;
    p->bytes[SOURCE] = lay_out(&p->at[SOURCE], w, g, w->input_shape);
    p->bytes[TARGET] = lay_out(&p->at[TARGET], w, g, w->output_shape);
    const int ways = is_complex ? 3 : 4;
    for (int k = 0; k < ways; k++) {
        pass tried;
        p->from = is_complex ? complex_ways[k][0] : other_ways[k][0];
        p->to = is_complex ? complex_ways[k][1] : other_ways[k][1];
        if (p->from == GIVEN && !is_input_usable(w)) continue;
        if (describe(&tried, w, g, &p->at[p->from], &p->at[p->to])) return;
    }
}

static tn_status first_pass(work *w, const group *g) {
    tni_scratch memory[PLACES] = {{NULL, NULL}};
    places p;
    pass described;
    tn_status status;
    choose_places(&p, w, g);
    for (int k = 0; k < PLACES; k++) {
        if ((k != p.from && k != p.to) || p.bytes[k] == 0) continue;
        TNI_TRY_OWNING(tni_scratch_init(&memory[k], p.bytes[k], -1, w->stream));
        p.at[k].data = memory[k].address;
    }
    const tni_place *source = &p.at[p.from], *target = &p.at[p.to];
    describe(&described, w, g, source, target);
    if (p.from != GIVEN) TNI_TRY_OWNING(take_in(w, source));
    if (g->kind == TNI_FFT_HERMITIAN) TNI_TRY_OWNING(clear_imaginary(w, source));
    TNI_TRY_OWNING(run_pass(&described, w->stream));
    status = p.to == RESULT ? TN_OK : move(w, &w->output, target, w->output_shape, false);
cleanup:
    for (int k = 0; k < PLACES; k++)
        tni_scratch_deinit(&memory[k]);
    return status;
}

/* --- Further passes --- */

/* A pass in place over what is in the output; `TNI_FFT_COMPLEX` only. */
static tn_status later_pass(work *w, const group *g) {
    tni_scratch memory = {NULL, NULL};
    tni_place between = w->output;
    pass described;
    tn_status status;
    if (describe(&described, w, g, &w->output, &w->output)) return run_pass(&described, w->stream);
    const int64_t bytes = lay_out(&between, w, g, w->output_shape);
    TNI_TRY(tni_scratch_init(&memory, bytes, -1, w->stream));
    between.data = memory.address;
    describe(&described, w, g, &between, &between);
    TNI_TRY_OWNING(move(w, &between, &w->output, w->output_shape, false));
    TNI_TRY_OWNING(run_pass(&described, w->stream));
    status = move(w, &w->output, &between, w->output_shape, false);
cleanup:
    tni_scratch_deinit(&memory);
    return status;
}

/* The next axes from `*axis` down: up to three, of which those of one element need nothing. Those
 * that are not halved are sorted by their steps in the output, the widest first. */
static void next_group(group *g, const work *w, int *axis, tni_fft_kind kind) {
    const tni_fft *call = w->call;
    const bool is_halved = kind == TNI_FFT_REAL || kind == TNI_FFT_HERMITIAN;
    int found[TNI_CUFFT_AXES] = {0};
    g->kind = is_halved ? kind : TNI_FFT_COMPLEX;
    g->is_backward = call->is_backward && call->kind != TNI_FFT_REAL;
    g->rank = 0;
    for (; *axis >= call->batch_count && g->rank < TNI_CUFFT_AXES; --*axis)
        if (call->dims[*axis].length > 1) found[g->rank++] = *axis;
    for (int k = is_halved; k < g->rank; k++) { /* found[0] is the last axis */
        const int64_t step = llabs(call->dims[found[k]].output_stride);
        int at = k - is_halved;
        for (; at > 0 && llabs(call->dims[g->axes[at - 1]].output_stride) < step; at--)
            g->axes[at] = g->axes[at - 1];
        g->axes[at] = found[k];
    }
    if (is_halved) g->axes[g->rank - 1] = found[0];
}

/* A halved axis of one element: its transform is the real number that it is. */
static tn_status run_trivial(work *w) {
    tni_place from = w->input;
    if (w->call->kind == TNI_FFT_HERMITIAN) from.dtype = w->output.dtype;
    if (w->is_padded)
        TNI_TRY(tni_cuda_clear(&w->output, w->call->ndim, w->output_shape, w->stream));
    return move(w, &w->output, &from, w->given, false);
}

static tn_status finish(work *w) {
    const int ndim = w->call->ndim;
    const double factor = w->factor;
    if (w->call->kind == TNI_FFT_REAL && w->call->is_backward)
        TNI_TRY(tni_cuda_move(&w->output, &w->output, ndim, w->output_shape, true, w->stream));
    return factor == 1
               ? TN_OK
               : tni_cuda_scale(&w->output, &w->output, ndim, w->output_shape, factor, w->stream);
}

static tn_status run(const void *params, tn_stream *stream) {
    const tni_fft *call = params;
    const int last = call->ndim - 1;
    work w;
    group g;
    int axis = last;
    begin(&w, call, stream);
    if ((call->kind == TNI_FFT_REAL || call->kind == TNI_FFT_HERMITIAN) &&
        call->dims[last].length == 1) {
        TNI_TRY(run_trivial(&w));
        axis--;
    } else {
        next_group(&g, &w, &axis, call->kind);
        TNI_TRY(g.rank > 0 ? first_pass(&w, &g) : run_trivial(&w));
    }
    while (axis >= call->batch_count) {
        next_group(&g, &w, &axis, TNI_FFT_COMPLEX);
        if (g.rank > 0) TNI_TRY(later_pass(&w, &g));
    }
    return finish(&w);
}

static tn_status run_cosine(const void *params, tn_stream *stream) {
    return tni_cuda_cosine(params, run, stream);
}

tn_status tni_plan_fft(tni_plan *plan, const struct tni_fft *call) {
    const bool is_cosine = call->kind == TNI_FFT_COSINE || call->kind == TNI_FFT_SINE;
    tni_plan_library(plan, is_cosine ? run_cosine : run, call);
    return TN_OK;
}
