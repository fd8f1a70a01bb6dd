/* Cosine and sine transforms on CUDA. */
#include "backend/cuda/forms/fft/cosine.h"

#include "backend/cuda/forms/move.h"
#include "backend/cuda/forms/step.h"
#include "backend/cuda/launch/scratch.h"
#include "core/array/layout.h"
#include "kernel/body.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256 };

/* Lines of the caller's array, and those of the transform between. */
typedef struct work {
    const tni_fft *call;
    const tni_fft_axis *axis;
    tn_dtype real;
    int64_t n, lines;
    tni_fft inner;
} work;

static void write_real(tni_source *source, const tni_form_key *key) {
    tni_source_add(source, "typedef %s Real;\n", tni_body_working((tn_dtype)key->dtypes[0]));
}

static const tni_cosine_form form = TNI_FORM(cosine, write_real);

/* --- The transform between --- */

static bool is_complex(const work *w) {
    return w->call->type == 4 && w->n % 2 == 0;
}

/* Numbers of a line of the transform on one side, which are complex if it is no real side. */
static int64_t extent_of(const work *w, bool is_before, bool *is_real) {
    const int64_t length = w->inner.dims[1].length;
    *is_real = w->inner.kind == (is_before ? TNI_FFT_REAL : TNI_FFT_HERMITIAN);
    return *is_real || is_complex(w) ? length : length / 2 + 1;
}

/* Bytes of a side's line and of a number. */
static int64_t line_bytes(const work *w, bool is_before, int64_t *item) {
    bool is_real;
    const int64_t extent = extent_of(w, is_before, &is_real);
    *item = tn_dtype_size(is_real ? w->real : w->call->dtype);
    return extent * *item;
}

static void begin(work *w, const tni_fft *call) {
    const int64_t n = call->dims[call->ndim - 1].length;
    w->call = call;
    w->axis = &call->dims[call->ndim - 1];
    w->real = tn_dtype_real(call->dtype);
    w->n = n;
    w->lines = 1;
    for (int k = 0; k < call->batch_count; k++)
        w->lines *= call->dims[k].length;
    const bool is_sine = call->kind == TNI_FFT_SINE;
    tni_fft *inner = &w->inner;
    *inner = (tni_fft){.dtype = call->dtype, .scale = 1, .ndim = 2, .batch_count = 1};
    inner->kind = call->type == 3 ? TNI_FFT_HERMITIAN
                  : is_complex(w) ? TNI_FFT_COMPLEX
                                  : TNI_FFT_REAL;
    inner->is_backward = call->type == 3;
    inner->is_input_free = true;
    inner->dims[0].length = inner->dims[0].given = w->lines;
    inner->dims[1].length = call->type == 1 ? 2 * (is_sine ? n + 1 : n - 1)
                            : is_complex(w) ? n / 2
                                            : n;
    bool unused;
    inner->dims[1].given = extent_of(w, true, &unused);
    inner->dims[0].input_stride = line_bytes(w, true, &inner->dims[1].input_stride);
    inner->dims[0].output_stride = line_bytes(w, false, &inner->dims[1].output_stride);
}

/* --- The steps --- */

/* How many numbers a step counts: of the real side of type 1, of halves of types 2 and 3. */
static int64_t count_of(const work *w, bool is_before) {
    const int64_t n = w->n;
    switch (w->call->type) {
    case 1: return n;
    case 2: return is_before ? (n + 1) / 2 : n / 2 + 1;
    case 3: return is_before ? n / 2 + 1 : (n + 1) / 2;
    default: return n % 2 ? n : n / 2;
    }
}

static double edge_of(const work *w, bool is_before) {
    const double root2 = 1.41421356237309504880;
    const int type = w->call->type;
    const bool has_edge = w->call->is_weighed && (type == 1 || type == (is_before ? 3 : 2));
    return !has_edge ? 1 : is_before ? root2 : 1 / root2;
}

/* The lines' axes in the caller's array, the closest last; their number. */
static int collapse(const work *w, bool is_before, int64_t *shape, int64_t *strides,
                    int64_t *offset) {
    for (int k = 0; k < w->call->batch_count; k++) {
        const tni_fft_axis *dim = &w->call->dims[k];
        shape[k] = dim->length;
        strides[k] = dim->output_stride;
        strides[TN_MAX_NDIM + k] = dim->input_stride;
    }
    int64_t *const both[2] = {strides, strides + TN_MAX_NDIM}, offsets[2] = {0};
    const int ndim = tni_layout_collapse(w->call->batch_count, shape, 2, both, offsets, true);
    *offset = offsets[is_before];
    if (is_before) memcpy(strides, strides + TN_MAX_NDIM, (size_t)ndim * sizeof *strides);
    return ndim;
}

static tn_status run_step(const work *w, bool is_before, const char *scratch, tn_stream *stream) {
    const double scales[] = {1, 2, 1, 2};
    const tni_fft *call = w->call;
    int64_t shape[TN_MAX_NDIM], strides[2 * TN_MAX_NDIM], offset, item;
    const int64_t count = count_of(w, is_before), total = w->lines * count;
    const int64_t apart = line_bytes(w, is_before, &item);
    const int ndim = collapse(w, is_before, shape, strides, &offset);
    const tni_target *target;
    tni_plan plan;
    TNI_TRY(tni_cuda_target_get(&target, stream->device.number));
    tni_plan_init(&plan, target);
    tni_form_key *key = TNI_STEP(
        &plan, cosine, &form,
        MACROS(.BLOCK = BLOCK, .WIDE_INDEX = tni_form_is_wide(total), .NDIM = ndim,
               .TYPE = call->type, .SINE = call->kind == TNI_FFT_SINE, .AFTER = !is_before),
        PARAMS(.line = (is_before ? call->input : call->output) + offset, .scratch = scratch,
               .step = is_before ? w->axis->input_stride : w->axis->output_stride, .n = w->n,
               .given = w->axis->given, .total = total, .apart = apart / item,
               .scale = call->scale * scales[call->type - 1], .edge = edge_of(w, is_before),
               .count = count, .shape = TNI_SHAPE_1(shape, strides)));
    key->dtypes[0] = (int8_t)w->real;
    tni_plan_grid(&plan, tni_form_ceil(total, BLOCK), BLOCK);
    return tni_plan_launch(&plan, stream);
}

/* Lines whose elements are next to each other, more or less. */
static tn_status along(const tni_fft *call, tni_cuda_transform *transform, tn_stream *stream) {
    tni_scratch from = {NULL, NULL}, to = {NULL, NULL};
    int64_t item;
    work w;
    tn_status status;
    begin(&w, call);
    TNI_TRY(tni_scratch_init(&from, w.lines * line_bytes(&w, true, &item), -1, stream));
    char *result = from.address;
    if (!is_complex(&w)) { /* a complex transform is in place */
        TNI_TRY_OWNING(tni_scratch_init(&to, w.lines * line_bytes(&w, false, &item), -1, stream));
        result = to.address;
    }
    w.inner.input = from.address;
    w.inner.output = result;
    TNI_TRY_OWNING(run_step(&w, true, from.address, stream));
    TNI_TRY_OWNING(transform(&w.inner, stream));
    status = run_step(&w, false, result, stream);
cleanup:
    tni_scratch_deinit(&to);
    tni_scratch_deinit(&from);
    return status;
}

/* Whether lines are nearer to each other than their elements are. */
static bool is_across(const tni_fft *call) {
    const int64_t step = llabs(call->dims[call->ndim - 1].output_stride);
    for (int k = 0; k < call->batch_count; k++)
        if (call->dims[k].length > 1 && llabs(call->dims[k].output_stride) < step) return true;
    return false;
}

/* One side of the call as a place with a shape. */
static void describe(tni_place *place, int64_t *shape, const tni_fft *call, bool is_input) {
    place->data = is_input ? (char *)(uintptr_t)call->input : call->output;
    place->dtype = tn_dtype_real(call->dtype);
    for (int k = 0; k < call->ndim; k++) {
        const tni_fft_axis *dim = &call->dims[k];
        place->strides[k] = is_input ? dim->input_stride : dim->output_stride;
        shape[k] = is_input ? dim->given : dim->length;
    }
}

/* By way of memory in which the lines lie one after the other: a move that turns is less than a
 * transform of elements apart. */
static tn_status across(const tni_fft *call, tni_cuda_transform *transform, tn_stream *stream) {
    const int ndim = call->ndim;
    int64_t given[TN_MAX_NDIM + 1], shape[TN_MAX_NDIM + 1];
    int64_t bytes = tn_dtype_size(tn_dtype_real(call->dtype));
    tni_scratch memory = {NULL, NULL};
    tni_place input, output, transposed;
    tni_fft own = *call;
    tn_status status;
    describe(&input, given, call, true);
    describe(&output, shape, call, false);
    transposed.dtype = input.dtype;
    for (int k = ndim - 1; k >= 0; k--) {
        transposed.strides[k] = own.dims[k].input_stride = own.dims[k].output_stride = bytes;
        bytes *= shape[k];
    }
    TNI_TRY(tni_scratch_init(&memory, bytes, -1, stream));
    own.input = own.output = transposed.data = memory.address;
    TNI_TRY_OWNING(tni_cuda_move(&transposed, &input, ndim, given, false, stream));
    TNI_TRY_OWNING(along(&own, transform, stream));
    status = tni_cuda_move(&output, &transposed, ndim, shape, false, stream);
cleanup:
    tni_scratch_deinit(&memory);
    return status;
}

tn_status tni_cuda_cosine(const tni_fft *call, tni_cuda_transform *transform, tn_stream *stream) {
    return is_across(call) && call->ndim <= TN_MAX_NDIM ? across(call, transform, stream)
                                                        : along(call, transform, stream);
}
