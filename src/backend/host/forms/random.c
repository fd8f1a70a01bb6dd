/* The form "random" on the host: threads take ranges of blocks, or of elements that are drawn. An
 * element depends on its number alone, so it does not matter which thread makes it. */
#include "forms/random.h"
#include "backend/host/forms/forms.h"
#include "backend/host/loops/level.h"
#include "backend/host/threads.h"
#include "ops/random.h"

#include <string.h>

enum { GRAIN_BLOCKS = 256, GRAIN_DRAWN = 64 };

typedef struct job {
    const tni_random *call;
    tni_random_fill_loop fill;
    tni_random_draw_loop draw;
    int64_t per_block, item_bytes;
} job;

/* The last block may have fewer elements than words. */
static void fill_blocks(void *context, int64_t begin, int64_t end) {
    const job *job = context;
    const tni_random *call = job->call;
    int64_t whole = call->count / job->per_block, bytes = job->per_block * job->item_bytes;
    int64_t stop = end < whole ? end : whole;
    job->fill(call->to + begin * bytes, begin, stop - begin, call);
    if (end == stop) return;
    char rest[32];
    job->fill(rest, whole, 1, call);
    memcpy(call->to + whole * bytes, rest,
           (size_t)((call->count - whole * job->per_block) * job->item_bytes));
}

/* Writes the parameters of elements begin .. begin + count, each a column. */
static void gather_numbers(double (*numbers)[TNI_RANDOM_CHUNK], int64_t begin, int64_t count,
                           const tni_random *call) {
    int64_t index[TN_MAX_NDIM], rest = begin;
    for (int axis = call->ndim - 1; axis >= 0; axis--) {
        index[axis] = rest % call->shape[axis];
        rest /= call->shape[axis];
    }
    for (int64_t at = 0; at < count;) {
        const int last = call->ndim - 1;
        int64_t run = count - at;
        if (last >= 0 && call->shape[last] - index[last] < run)
            run = call->shape[last] - index[last];
        for (int k = 0; k < TN_RANDOM_PARAMETERS; k++) {
            const char *from = call->arrays[k];
            for (int axis = 0; from && axis <= last; axis++)
                from += index[axis] * call->strides[k][axis];
            const int64_t stride = last >= 0 ? call->strides[k][last] : 0;
            for (int64_t l = 0; l < run; l++)
                if (from)
                    memcpy(&numbers[k][at + l], from + l * stride, sizeof(double));
                else
                    numbers[k][at + l] = call->numbers[k];
        }
        at += run;
        if (last >= 0) index[last] += run;
        for (int axis = last; axis > 0 && index[axis] == call->shape[axis]; axis--) {
            index[axis] = 0;
            index[axis - 1]++;
        }
    }
}

static void draw_elements(void *context, int64_t begin, int64_t end) {
    const job *job = context;
    const tni_random *call = job->call;
    double numbers[TN_RANDOM_PARAMETERS][TNI_RANDOM_CHUNK];
    tni_random_columns columns = {{call->numbers, call->numbers + 1, call->numbers + 2}, true};
    if (!call->arrays[0] && !call->arrays[1] && !call->arrays[2]) {
        job->draw(call->to + begin * job->item_bytes, begin, end - begin, &columns, call);
        return;
    }
    columns = (tni_random_columns){{numbers[0], numbers[1], numbers[2]}, false};
    for (int64_t at = begin; at < end; at += TNI_RANDOM_CHUNK) {
        int64_t n = end - at < TNI_RANDOM_CHUNK ? end - at : TNI_RANDOM_CHUNK;
        gather_numbers(numbers, at, n, call);
        job->draw(call->to + at * job->item_bytes, at, n, &columns, call);
    }
}

/* --- Lanes: each keeps its state, and makes every LANES-th element --- */

static void store_bounded(char *to, int64_t at, uint64_t value, int64_t bytes) {
    switch (bytes) {
    case 1: ((uint8_t *)(void *)to)[at] = (uint8_t)value; break;
    case 2: ((uint16_t *)(void *)to)[at] = (uint16_t)value; break;
    case 4: ((uint32_t *)(void *)to)[at] = (uint32_t)value; break;
    default: ((uint64_t *)(void *)to)[at] = value;
    }
}

static double floats_of(tn_draws *draws, const tni_random *call, const double *numbers) {
    const bool is_wide = call->dtype == TN_F64;
    switch (call->distribution) {
    case TN_RANDOM_UNIFORM: return is_wide ? m_lane_uniform_f64(draws) : m_lane_uniform_f32(draws);
    case TN_RANDOM_NORMAL: return is_wide ? m_lane_normal_f64(draws) : m_lane_normal_f32(draws);
    case TN_RANDOM_EXPONENTIAL:
        return is_wide ? m_lane_exponential_f64(draws) : m_lane_exponential_f32(draws);
#define TNI_DRAW_F(NAME, name)                                                                     \
    case TN_RANDOM_##NAME:                                                                         \
        return m_draw_##name(draws, numbers);
#define TNI_DRAW_I(NAME, name)
#define DRAWN(NAME, name, parameters, kind) TNI_DRAW_##kind(NAME, name)
#include <tenorite/distributions.def>
#undef TNI_DRAW_F
#undef TNI_DRAW_I
    default: return 0;
    }
}

static uint64_t integers_of(tn_draws *draws, const tni_random *call, const double *numbers) {
    switch (call->distribution) {
    case TN_RANDOM_WORDS:
        return call->dtype == TN_U32 ? m_lane_words_u32(draws) : m_lane_words_u64(draws);
    case TN_RANDOM_BOUNDED: return m_next_bounded(draws, call->span) + call->low;
#define TNI_DRAW_F(NAME, name)
#define TNI_DRAW_I(NAME, name)                                                                     \
    case TN_RANDOM_##NAME:                                                                         \
        return (uint64_t)m_draw_##name(draws, numbers);
#define DRAWN(NAME, name, parameters, kind) TNI_DRAW_##kind(NAME, name)
#include <tenorite/distributions.def>
#undef TNI_DRAW_F
#undef TNI_DRAW_I
    default: return 0;
    }
}

/* The place of a number is in the arithmetic of its dtype, as where words are a function of a
 * counter. A drawn number is placed before it is rounded. */
static void store_float(char *to, int64_t at, double value, const tni_random *call) {
    if (call->dtype == TN_F64)
        ((double *)(void *)to)[at] = value * call->scale + call->location;
    else if (tni_random_is_filled(call->distribution))
        ((float *)(void *)to)[at] = (float)value * (float)call->scale + (float)call->location;
    else
        ((float *)(void *)to)[at] = (float)(value * call->scale + call->location);
}

static void draw_lanes(void *context, int64_t begin, int64_t end) {
    const tni_random *call = ((const job *)context)->call;
    const bool is_float = tn_dtype_kind(call->dtype) == TN_KIND_FLOAT;
    bool has_arrays = call->arrays[0] || call->arrays[1] || call->arrays[2];
    double gathered[TN_RANDOM_PARAMETERS][TNI_RANDOM_CHUNK], numbers[TN_RANDOM_PARAMETERS];
    memcpy(numbers, call->numbers, sizeof numbers);
    for (int64_t lane = begin; lane < end; lane++) {
        tn_draws draws = m_draws_of_lane((int)call->generator, call->lanes, lane);
        for (int64_t at = lane; at < call->count; at += TNI_RANDOM_LANES) {
            if (has_arrays) gather_numbers(gathered, at, 1, call);
            for (int k = 0; has_arrays && k < TN_RANDOM_PARAMETERS; k++)
                numbers[k] = gathered[k][0];
            if (is_float)
                store_float(call->to, at, floats_of(&draws, call, numbers), call);
            else
                store_bounded(call->to, at, integers_of(&draws, call, numbers),
                              tn_dtype_size(call->dtype));
        }
        m_keep_lane(&draws, call->lanes, lane);
    }
}

static void run_lanes(const tni_random *call) {
    const job job = {.call = call};
    const int64_t lanes = call->count < TNI_RANDOM_LANES ? call->count : TNI_RANDOM_LANES;
    const int64_t each = (call->count + lanes - 1) / lanes;
    tni_parallel_short(lanes, each > GRAIN_DRAWN ? 1 : GRAIN_DRAWN / each, draw_lanes,
                       (void *)(uintptr_t)&job);
}

static int logarithm(int64_t bytes) {
    return bytes == 8 ? 3 : bytes == 4 ? 2 : bytes == 2 ? 1 : 0;
}

tn_status tni_host_run_random(void *params) {
    const tni_random *call = params;
    const tni_random_loops *loops = tni_loops_level()->random;
    job job = {.call = call,
               .per_block = tni_random_per_block(call),
               .item_bytes = tn_dtype_size(call->dtype)};
    if (call->generator != TN_GENERATOR_PHILOX4X32_10) {
        run_lanes(call);
        return TN_OK;
    }
    if (!tni_random_is_filled(call->distribution)) {
        job.draw = loops->draws[call->distribution];
        tni_parallel_short(call->count, GRAIN_DRAWN, draw_elements, &job);
        return TN_OK;
    }
    bool is_wide = tni_random_is_wide(call);
    job.fill = call->distribution == TN_RANDOM_BOUNDED
                   ? loops->bounded[logarithm(job.item_bytes)][is_wide]
                   : loops->fills[call->distribution][is_wide];
    tni_parallel_short((call->count + job.per_block - 1) / job.per_block, GRAIN_BLOCKS, fill_blocks,
                       &job);
    return TN_OK;
}

TNI_HOST_PLAN(random, call->count)
