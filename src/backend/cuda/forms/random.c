/* Random numbers on CUDA: filled distributions by blocks of words, drawn ones by elements, and of
 * these some by attempts. */
#include "forms/random.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/plan.h"

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
    tni_source_add(source, "typedef %s Stored;\n#define RANDOM_BOUNDED %d\n", type, is_bounded);
    if (is_bounded) {
        tni_source_add(source, "/* m_fill_bounded */\n");
        return;
    }
    tni_source_add(source,
                   "__device__ __forceinline__ void random_make(Stored *to, const tn_u32 *w) {\n"
                   "    m_fill_%s_%s(to, w);\n}\n"
                   "__device__ __forceinline__ Stored random_place(Stored x, double location, "
                   "double scale) {\n    return %s;\n}\n",
                   names[key->dtypes[1]], tn_dtype_suffix(dtype),
                   is_float ? "x * (Stored)scale + (Stored)location" : "x");
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
    tni_source_add(source,
                   "typedef %s Stored;\ntypedef tn_%s_trial Trial;\n"
                   "__device__ __forceinline__ Trial random_ready(const double *numbers) {\n"
                   "    return m_%s_trial_of(numbers);\n}\n"
                   "__device__ __forceinline__ int random_attempt(Stored *to, tn_draws *draws, "
                   "const Trial *trial, double location, double scale) {\n"
                   "    %s value = 0;\n    int is_good = m_%s_attempt(&value, draws, trial);\n"
                   "    *to = (Stored)(value%s);\n    return is_good;\n}\n",
                   tni_body_stored(dtype), name, name, is_float ? "double" : "tn_i64", name,
                   is_float ? " * scale + location" : "");
}

/* The expression of an element of a lane; the kind of the generator is one of the form's
 * numbers. */
static void write_lanes(tni_source *source, const tni_form_key *key) {
    tn_dtype dtype = (tn_dtype)key->dtypes[0];
    const tn_distribution distribution = (tn_distribution)key->dtypes[1];
    const char *type = tni_body_stored(dtype), *name = names[distribution];
    bool is_float = tn_dtype_kind(dtype) == TN_KIND_FLOAT;
    tni_source_add(source, "/* m_draw_ */\ntypedef %s Stored;\n#define RANDOM_ELEMENT ", type);
    if (distribution == TN_RANDOM_BOUNDED)
        tni_source_add(source, "(Stored)(m_next_bounded(draws, params.span) + params.low)\n");
    else if (!tni_random_is_filled(distribution))
        tni_source_add(source, "(Stored)(m_draw_%s(draws, p)%s)\n", name,
                       is_float ? " * params.scale + params.location" : "");
    else
        tni_source_add(source, "m_lane_%s_%s(draws)%s\n", name, tn_dtype_suffix(dtype),
                       is_float ? " * (Stored)params.scale + (Stored)params.location" : "");
}

static const tni_form fill_form = {"random_fill", {"BLOCK", "PER", "WIDE_INDEX"}, write_fill, 80};
static const tni_form draw_form = {"random_draw", {"BLOCK", "NDIM", "WIDE_INDEX"}, write_draw, 81};
static const tni_form trial_form = {
    "random_trial", {"BLOCK", "NDIM", "WIDE_INDEX", "HAS_ARRAYS"}, write_trial, 83};
static const tni_form lanes_form = {
    "random_lanes", {"BLOCK", "NDIM", "WIDE_INDEX", "GENERATOR"}, write_lanes, 82};

static void put_numbers(tni_plan *plan, const tni_random *call) {
    tni_params_pointer(plan, call->to);
    tni_params_i64(plan, call->count);
    tni_params_put(plan, &call->key, sizeof call->key);
    tni_params_put(plan, &call->block, sizeof call->block);
    tni_params_f64(plan, call->location);
    tni_params_f64(plan, call->scale);
}

static void plan_fill(tni_plan *plan, const tni_random *call) {
    const int64_t per_block = tni_random_per_block(call);
    const int16_t numbers[TNI_FORM_MACROS] = {BLOCK, (int16_t)per_block, 1};
    tni_form_key *key = tni_plan_step(plan, &fill_form, numbers);
    key->dtypes[0] = (int8_t)call->dtype;
    key->dtypes[1] = (int8_t)call->distribution;
    const uint64_t mask = per_block == 4 ? UINT32_MAX : UINT64_MAX;
    const uint64_t bound = (call->span + 1) & mask,
                   least = bound ? ((0 - bound) & mask) % bound : 0;
    put_numbers(plan, call);
    tni_params_i64(plan, (int64_t)call->low);
    tni_params_i64(plan, (int64_t)call->span);
    tni_params_i64(plan, (int64_t)bound);
    tni_params_i64(plan, (int64_t)least);
    tni_plan_grid(plan,
                  tni_form_min(tni_form_ceil(call->count, BLOCK * 4),
                               BLOCKS_AT_ONCE * plan->target->multiprocessors),
                  BLOCK);
}

/* Of an element's own sequence, element by element or (trials) attempt by attempt, or (lanes) of
 * its lane's. */
static void plan_draw(tni_plan *plan, const tni_random *call, const tni_form *form) {
    bool has_arrays = call->arrays[0] || call->arrays[1] || call->arrays[2];
    const int ndim = has_arrays ? call->ndim : 0;
    const bool wide = tni_form_is_wide(call->count), is_of_lanes = form == &lanes_form;
    const bool is_of_trials = form == &trial_form;
    const int block = is_of_lanes ? LANES_BLOCK : is_of_trials ? TRIAL_BLOCK : BLOCK;
    const int16_t numbers[TNI_FORM_MACROS] = {(int16_t)block, (int16_t)ndim, wide,
                                              is_of_trials ? has_arrays : (int16_t)call->generator};
    const int64_t *const strides[] = {call->strides[0], call->strides[1], call->strides[2]};
    tni_form_key *key = tni_plan_step(plan, form, numbers);
    key->dtypes[0] = (int8_t)call->dtype;
    key->dtypes[1] = (int8_t)call->distribution;
    put_numbers(plan, call);
    for (int k = 0; k < TN_RANDOM_PARAMETERS; k++)
        tni_params_pointer(plan, call->arrays[k]);
    tni_params_put(plan, call->numbers, sizeof call->numbers);
    if (is_of_lanes) {
        tni_params_i64(plan, (int64_t)call->low);
        tni_params_i64(plan, (int64_t)call->span);
        tni_params_pointer(plan, call->lanes);
    }
    tni_params_shape(plan, ndim, call->shape, TN_RANDOM_PARAMETERS, strides, wide);
    const int64_t blocks = tni_form_ceil(call->count, block);
    const int at_once = is_of_trials ? TRIALS_AT_ONCE : BLOCKS_AT_ONCE;
    const int64_t most = is_of_lanes ? TN_GENERATOR_LANES / LANES_BLOCK
                                     : at_once * (int64_t)plan->target->multiprocessors;
    tni_plan_grid(plan, tni_form_min(blocks, most), block);
}

tn_status tni_plan_random(tni_plan *plan, const struct tni_random *call) {
    if (call->count == 0) return TN_OK;
    if (call->generator != TN_GENERATOR_PHILOX4X32_10)
        plan_draw(plan, call, &lanes_form);
    else if (tni_random_is_filled(call->distribution))
        plan_fill(plan, call);
    else
        plan_draw(plan, call, is_tried(call->distribution) ? &trial_form : &draw_form);
    return TN_OK;
}
