/* The form "image_spline" on CUDA: a thread filters a piece of a line in a tile in shared memory.
 * Tiles have so many rows that what the halo costs is small, and no more than 48 KiB. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"
#include "forms/image_map.h"

enum { BLOCK_F32 = 64, BLOCK_F64 = 32, PIECE = 64, BESIDE_LEAST = 16 };

static void write_body(tni_source *source, const tni_form_key *key) {
    tni_source_add(source, "typedef %s Real;\n", tni_body_working((tn_dtype)key->dtypes[0]));
}

static const tni_image_spline_form form = TNI_FORM(image_spline, write_body);

tn_status tni_plan_image_spline(tni_plan *plan, const tni_image_spline *call) {
    double poles[2];
    const int block = call->dtype == TN_F32 ? BLOCK_F32 : BLOCK_F64;
    const int count = tni_spline_poles(call->order, poles);
    const int halo = tni_spline_halo(call->order, call->dtype);
    const int64_t padded = call->length + 2 * call->pad;
    const int64_t least = tni_form_ceil(padded, PIECE), piece = tni_form_ceil(padded, least);
    const int64_t pieces = tni_form_ceil(padded, piece);
    const bool is_beside = call->inner >= BESIDE_LEAST;
    const int64_t groups = tni_form_ceil(call->inner, block);
    const int64_t tiles = is_beside ? call->outer * pieces * groups
                                    : tni_form_ceil(call->outer * call->inner * pieces, block);
    tni_form_key *key =
        TNI_STEP(plan, image_spline, &form,
                 MACROS(.BLOCK = (int16_t)block, .ROWS = (int16_t)(PIECE + 2 * halo),
                        .POLES = (int16_t)count, .BESIDE = is_beside),
                 PARAMS(.input = call->input, .output = call->output, .outer = call->outer,
                        .length = call->length, .inner = call->inner, .pad = call->pad,
                        .fold = call->fold, .is_constant = call->is_constant, .parts = call->parts,
                        .pieces = pieces, .piece = piece, .halo = halo, .tiles = tiles,
                        .groups = groups, .outside = call->outside, .poles = poles));
    key->dtypes[0] = (int8_t)call->dtype;
    tni_plan_grid(plan, tiles, block);
    return TN_OK;
}
