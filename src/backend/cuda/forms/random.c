/* Random numbers on CUDA: filled distributions by blocks of words, drawn ones by elements, and of
 * these some by attempts. */
#include "forms/random.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/step.h"

enum { BLOCK = 256, BLOCKS_AT_ONCE = 8, LANES_BLOCK = 64, TRIAL_BLOCK = 128, TRIALS_AT_ONCE = 8 };

static const char *const names[] = {
#define FILLED(NAME, name) #name,
#define DRAWN(NAME, name, parameters, kind) #name,
#include <tenorite/distributions.def>
};

/* The distribution is the key's dtypes[1]. */
static void write_fill(tni_source *source, const tni_form_key *key) {
    static const char *const unsigned_of[] = {
        [1] = "tn_u8", [2] = "tn_u16", [4] = "tn_u32", [8] = "tn_u64"};
    tn_dtype dtype = (tn_dtype)key->dtypes[0];
    bool is_float = tn_dtype_kind(dtype) == TN_KIND_FLOAT;
    const char *type = is_float ? tni_body_stored(dtype) : unsigned_of[tn_dtype_size(dtype)];
    bool is_bounded = key->dtypes[1] == TN_RANDOM_BOUNDED;
    tni_source_add(source, "typedef %s Stored;\n", type);
    tni_source_define(source, "RANDOM_BOUNDED", " %d", is_bounded);
    if (is_bounded) return;
    tni_source_add(source,
                   "__device__ __forceinline__ void random_make(Stored *to, const tn_u32 *w) {\n"
                   "    m_fill_%s_%s(to, w);\n}\n",
                   names[key->dtypes[1]], tn_dtype_suffix(dtype));
}

static void write_draw(tni_source *source, const tni_form_key *key) {
    tn_dtype dtype = (tn_dtype)key->dtypes[0];
    bool is_float = tn_dtype_kind(dtype) == TN_KIND_FLOAT;
    tni_source_add(source,
                   "typedef %s Stored;\n"
                   "__device__ __forceinline__ Stored random_draw(tn_draws *draws, const double "
                   "*numbers, double location, double scale) {\n"
                   "    return (Stored)(m_draw_%s(draws, numbers)%s);\n}\n",
                   tni_body_stored(dtype), names[key->dtypes[1]],
                   is_float ? " * scale + location" : "");
}

static bool is_tried(tn_distribution distribution) {
    return distribution == TN_RANDOM_GAMMA || distribution == TN_RANDOM_POISSON ||
           distribution == TN_RANDOM_BINOMIAL;
}

static void write_trial(tni_source *source, const tni_form_key *key) {
    tn_dtype dtype = (tn_dtype)key->dtypes[0];
    bool is_float = tn_dtype_kind(dtype) == TN_KIND_FLOAT;
    const char *name = names[key->dtypes[1]];
    tni_source_add(source, "typedef %s Stored;\ntypedef tn_%s_trial Trial;\ntypedef %s Drawn;\n",
                   tni_body_stored(dtype), name, is_float ? "double" : "tn_i64");
    tni_source_define(source, "RANDOM_READY", " m_%s_trial_of", name);
    tni_source_define(source, "RANDOM_ATTEMPT", " m_%s_attempt", name);
}

/* The expression of an element of a lane; the kind of the generator is one of the form's
 * numbers. */
static void write_lanes(tni_source *source, const tni_form_key *key) {
    tn_dtype dtype = (tn_dtype)key->dtypes[0];
    const tn_distribution distribution = (tn_distribution)key->dtypes[1];
    const char *type = tni_body_stored(dtype), *name = names[distribution];
    bool is_float = tn_dtype_kind(dtype) == TN_KIND_FLOAT;
    static const char element[] = "RANDOM_ELEMENT";
    tni_source_add(source, "typedef %s Stored;\n", type);
    if (distribution == TN_RANDOM_BOUNDED)
        tni_source_define(source, element,
                          " (Stored)(m_next_bounded(draws, params.span) + params.low)");
    else if (!tni_random_is_filled(distribution))
        tni_source_define(source, element, " (Stored)(m_draw_%s(draws, p)%s)", name,
                          is_float ? " * params.scale + params.location" : "");
    else
        tni_source_define(source, element, " m_lane_%s_%s(draws)%s", name, tn_dtype_suffix(dtype),
                          is_float ? " * (Stored)params.scale + (Stored)params.location" : "");
}

static const tni_random_fill_form fill_form = TNI_FORM(random_fill, write_fill);
static const tni_random_draw_form draw_form = TNI_FORM(random_draw, write_draw);
static const tni_random_trial_form trial_form = TNI_FORM(random_trial, write_trial);
static const tni_random_lanes_form lanes_form = TNI_FORM(random_lanes, write_lanes);

/* What the steps of all distributions are given. */
#define NUMBERS(call)                                                                              \
    .to = (call)->to, .count = (call)->count, .key = (call)->key, .block = (call)->block,          \
    .location = (call)->location, .scale = (call)->scale

static void set_dtypes(tni_form_key *key, const tni_random *call) {
    key->dtypes[0] = (int8_t)call->dtype;
    key->dtypes[1] = (int8_t)call->distribution;
}

static void plan_fill(tni_plan *plan, const tni_random *call) {
    const int64_t per_block = tni_random_per_block(call);
    const uint64_t mask = per_block == 4 ? UINT32_MAX : UINT64_MAX;
    const uint64_t bound = (call->span + 1) & mask,
                   least = bound ? ((0 - bound) & mask) % bound : 0;
    tni_form_key *key = TNI_STEP(plan, random_fill, &fill_form,
                                 MACROS(.BLOCK = BLOCK, .PER = per_block, .WIDE_INDEX = 1),
                                 PARAMS(NUMBERS(call), .low = call->low, .span = call->span,
                                        .bound = bound, .least = least));
    set_dtypes(key, call);
    tni_plan_grid(plan,
                  tni_form_min(tni_form_ceil(call->count, BLOCK * 4),
                               BLOCKS_AT_ONCE * plan->target->multiprocessors),
                  BLOCK);
}

/* The parameters of a distribution, which are numbers or arrays, and the shape of these. */
#define STRIDES(call)                                                                              \
    const int64_t *const strides[] = {(call)->strides[0], (call)->strides[1], (call)->strides[2]}
#define DRAWN(call)                                                                                \
    .arrays = (const void *const *)(call)->arrays, .numbers = (call)->numbers,                     \
    .shape = TNI_SHAPE_ANY((call)->shape, strides)

static bool has_arrays(const tni_random *call) {
    return call->arrays[0] || call->arrays[1] || call->arrays[2];
}

#define DRAWN_MACROS(call, block)                                                                  \
    .BLOCK = block, .NDIM = has_arrays(call) ? (call)->ndim : 0,                                   \
    .WIDE_INDEX = tni_form_is_wide((call)->count), .RANDOM_PARAMETERS = TN_RANDOM_PARAMETERS

/* Of an element's own sequence, element by element. */
static void plan_draw(tni_plan *plan, const tni_random *call) {
    STRIDES(call);
    tni_form_key *key = TNI_STEP(plan, random_draw, &draw_form, MACROS(DRAWN_MACROS(call, BLOCK)),
                                 PARAMS(NUMBERS(call), DRAWN(call)));
    set_dtypes(key, call);
    tni_plan_grid(plan,
                  tni_form_min(tni_form_ceil(call->count, BLOCK),
                               BLOCKS_AT_ONCE * (int64_t)plan->target->multiprocessors),
                  BLOCK);
}

/* The same attempt by attempt. */
static void plan_trial(tni_plan *plan, const tni_random *call) {
    STRIDES(call);
    tni_form_key *key =
        TNI_STEP(plan, random_trial, &trial_form,
                 MACROS(DRAWN_MACROS(call, TRIAL_BLOCK), .HAS_ARRAYS = has_arrays(call)),
                 PARAMS(NUMBERS(call), DRAWN(call)));
    set_dtypes(key, call);
    tni_plan_grid(plan,
                  tni_form_min(tni_form_ceil(call->count, TRIAL_BLOCK),
                               TRIALS_AT_ONCE * (int64_t)plan->target->multiprocessors),
                  TRIAL_BLOCK);
}

/* Of the sequence of an element's lane. */
static void plan_lanes(tni_plan *plan, const tni_random *call) {
    STRIDES(call);
    tni_form_key *key =
        TNI_STEP(plan, random_lanes, &lanes_form,
                 MACROS(DRAWN_MACROS(call, LANES_BLOCK), .GENERATOR = call->generator),
                 PARAMS(NUMBERS(call), DRAWN(call), .low = call->low, .span = call->span,
                        .lanes = call->lanes));
    set_dtypes(key, call);
    tni_plan_grid(
        plan,
        tni_form_min(tni_form_ceil(call->count, LANES_BLOCK), TN_GENERATOR_LANES / LANES_BLOCK),
        LANES_BLOCK);
}

tn_status tni_plan_random(tni_plan *plan, const struct tni_random *call) {
    if (call->count == 0) return TN_OK;
    if (call->generator != TN_GENERATOR_PHILOX4X32_10)
        plan_lanes(plan, call);
    else if (tni_random_is_filled(call->distribution))
        plan_fill(plan, call);
    else if (is_tried(call->distribution))
        plan_trial(plan, call);
    else
        plan_draw(plan, call);
    return TN_OK;
}
