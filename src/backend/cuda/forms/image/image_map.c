/* The form "image_map" on CUDA: a kernel whose threads share the weights of rows and columns where
 * places depend on one index each, else a thread an output. */
#include "forms/image_map.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"

enum { BLOCK = 128, ROWS = 8 };
enum { AT_F64, AT_F32, AFFINE, APART };

/* dtypes[]: of the coefficients, of the result. */
static void write_body(tni_source *source, const tni_form_key *key) {
    const tn_dtype dtype = (tn_dtype)key->dtypes[0], output = (tn_dtype)key->dtypes[1];
    const bool is_float = tn_dtype_kind(output) == TN_KIND_FLOAT;
    tni_source_add(source, "typedef %s Real;\ntypedef %s Stored;\n", tni_body_working(dtype),
                   tni_body_stored(output));
    tni_source_define(source, "image_weights", " m_spline_weights_%s", tn_dtype_suffix(dtype));
    tni_body_add_store(source, "image_cast", is_float ? dtype : TN_F64, output);
}

static const tni_image_map_form map_form = TNI_FORM(image_map, write_body);
static const tni_image_zoom_form zoom_form = TNI_FORM(image_zoom, write_body);

static int16_t bits_of(tn_dtype dtype) {
    const tn_kind kind = tn_dtype_kind(dtype);
    return kind == TN_KIND_BOOL   ? 1
           : kind < TN_KIND_FLOAT ? (int16_t)(8 * tn_dtype_size(dtype))
                                  : 0;
}

/* Whether an offset in the input or a number of the result needs 64 bits. */
static bool is_wide(const tni_image_map *call) {
    int64_t farthest = call->count * call->inner;
    for (int h = 0; h < call->mapped; h++)
        if (call->sizes[h] * call->steps[h] > farthest) farthest = call->sizes[h] * call->steps[h];
    return tni_form_is_wide(farthest);
}

static tni_form_key *plan_zoom(tni_plan *plan, const tni_image_map *call, const int64_t *of) {
    const int64_t width = call->shape[call->axes - 1], rows = call->count / width;
    const int64_t groups = tni_form_ceil(width, BLOCK);
    tni_form_key *key =
        TNI_STEP(plan, image_zoom, &zoom_form,
                 MACROS(.BLOCK = BLOCK, .WIDE_INDEX = is_wide(call),
                        .MAPPED = (int16_t)call->mapped, .NDIM = (int16_t)call->axes,
                        .ORDER = (int16_t)call->order, .BITS = bits_of(call->output),
                        .IS_SIGNED = tn_dtype_kind(call->output) == TN_KIND_SIGNED),
                 PARAMS(.input = call->input, .result = call->result, .rows = rows, .width = width,
                        .border = call->border, .after = call->after, .pad = call->pad,
                        .sizes = call->sizes, .steps = call->steps, .of = of, .walk = call->walk,
                        .offset = call->offset, .zoom = call->zoom, .outside = call->outside,
                        .shape = call->shape, .groups = groups));
    tni_plan_grid(plan, groups * tni_form_ceil(rows, ROWS), BLOCK);
    return key;
}

static tni_form_key *plan_points(tni_plan *plan, const tni_image_map *call, const int64_t *of) {
    const int16_t places = call->places == TNI_MAP_AFFINE  ? AFFINE
                           : call->places == TNI_MAP_APART ? APART
                           : call->is_single               ? AT_F32
                                                           : AT_F64;
    tni_form_key *key = TNI_STEP(
        plan, image_map, &map_form,
        MACROS(.BLOCK = BLOCK, .WIDE_INDEX = is_wide(call), .MAPPED = (int16_t)call->mapped,
               .NDIM = (int16_t)call->axes, .ORDER = (int16_t)call->order, .PLACES = places,
               .BITS = bits_of(call->output),
               .IS_SIGNED = tn_dtype_kind(call->output) == TN_KIND_SIGNED),
        PARAMS(.input = call->input, .result = call->result, .coordinates = call->coordinates,
               .count = call->count, .inner = call->inner, .parts = call->parts,
               .border = call->border, .after = call->after, .pad = call->pad, .sizes = call->sizes,
               .steps = call->steps, .of = of, .walk = call->walk, .matrix = call->matrix,
               .offset = call->offset, .zoom = call->zoom, .outside = call->outside,
               .shape = call->shape));
    tni_plan_grid(plan, tni_form_ceil(call->count, BLOCK), BLOCK);
    return key;
}

tn_status tni_plan_image_map(tni_plan *plan, const tni_image_map *call) {
    int64_t of[TNI_MAP_AXES] = {0};
    const int last = call->mapped - 1;
    for (int h = 0; h < call->mapped && call->places == TNI_MAP_APART; h++)
        of[h] = call->of[h];
    const bool is_zoom =
        call->places == TNI_MAP_APART && call->inner == 1 && call->of[last] == call->axes - 1;
    tni_form_key *key = is_zoom ? plan_zoom(plan, call, of) : plan_points(plan, call, of);
    key->dtypes[0] = (int8_t)call->dtype;
    key->dtypes[1] = (int8_t)call->output;
    return TN_OK;
}
