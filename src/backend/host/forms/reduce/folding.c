/* The steps that all folds share: which fold it is, partial results merged as a tree, the stage,
 * where elements are brought into the form that the folds read, and results made of what the folds
 * gave. */
#include "backend/host/forms/reduce/folding.h"

#include "backend/host/forms/convert.h"
#include "backend/host/forms/reduce/reduce_level.h"
#include "backend/host/forms/run_body.h"

#include <math.h>
#include <string.h>

/* --- Plan --- */

/* The value that a dropped element counts as: the identity, or the initial value, which a fold may
 * meet again without changing (only extremes have no identity). */
static void choose_neutral(tni_folding *folding) {
    const tni_reduce *call = folding->call;
    if (!tni_op_identity_value(folding->neutral, call->op, (tn_dtype)folding->fold->input))
        memcpy(folding->neutral, call->initial, sizeof call->initial);
}

bool tni_folding_plan(tni_folding *folding, const tni_reduce *call) {
    tn_dtype element = call->flags & TNI_COUNTS ? TN_B8 : call->input_dtype;
    folding->call = call;
    folding->loops = tni_host_reduce_loops();
    bool skips_nan = call->flags & TNI_SKIPS_NAN;
    folding->drops = call->mask || skips_nan;
    folding->is_moment = call->statistic == TNI_STATISTIC_VAR ||
                         call->statistic == TNI_STATISTIC_STD ||
                         (call->statistic == TNI_STATISTIC_MEAN && folding->drops);
    folding->fold = folding->is_moment ? tni_host_moment_find(call->accumulator, skips_nan)
                                       : tni_host_fold_find(call->op, element, call->accumulator);
    if (folding->is_moment && !call->mask) folding->drops = false; /* the kernel looks for itself */
    if (!folding->fold) return false;
    tn_dtype x = (tn_dtype)folding->fold->input;
    folding->item = tni_dtype_size(call->input_dtype);
    folding->x = tni_dtype_size(x);
    folding->work = folding->fold->work_bytes;
    folding->convert = tni_cast_find(call->input_dtype, x);
    folding->gather =
        call->input_dtype != x ? tni_cast_find(call->input_dtype, call->input_dtype) : NULL;
    folding->staged = call->input_dtype != x || folding->drops;
    folding->is_unaligned = call->is_unaligned && !call->body;
    folding->is_mapped = call->body || call->is_unaligned;
    bool is_free = x < TN_F16 && folding->fold->accumulator == (short)x;
    folding->leaf = is_free && !folding->staged && !folding->is_mapped ? TNI_LONG_LEAF : TNI_LEAF;
    folding->again = folding->is_moment
                         ? NULL
                         : tni_host_fold_find(call->op, call->accumulator, call->accumulator);
    folding->initial = call->has_initial && !folding->is_moment ? call->initial : NULL;
    folding->is_final = call->statistic == TNI_STATISTIC_FOLD && !(call->flags & TNI_ROOT) &&
                        folding->fold->accumulator == (short)call->output_dtype;
    folding->stop = folding->fold->accumulator == TN_B8 ? tni_deciding_truth(call->op) : -1;
    if (folding->drops && !folding->is_moment) choose_neutral(folding);
    return true;
}

/* --- Trees --- */

void tni_fold_tree(const tni_fold *fold, void *parts, int64_t count, int64_t bytes, int64_t n) {
    for (int64_t gap = 1; gap < count; gap *= 2)
        for (int64_t k = 0; k + gap < count; k += 2 * gap)
            fold->merge((char *)parts + k * bytes, (char *)parts + (k + gap) * bytes, n);
}

void tni_fold_batch(const tni_folding *folding, void *result, void *parts, int64_t count) {
    if (folding->again) {
        folding->again->rows(result, parts, 1, 0, count, NULL);
        return;
    }
    tni_fold_tree(folding->fold, parts, count, folding->work, 1);
    memcpy(result, parts, (size_t)folding->work);
}

void tni_fold_begin(const tni_folding *folding, void *value) {
    _Alignas(16) char first[sizeof(tni_moment)];
    if (!folding->initial) return;
    memcpy(first, folding->initial, (size_t)folding->work);
    folding->fold->merge(first, value, 1);
    memcpy(value, first, (size_t)folding->work);
}

/* --- Running values --- */

/* What an operation of floats makes of each value that value, -0 and infinities included. */
static double nothing_yet(tn_op op) {
    switch (op) {
    case TN_OP_ADD: return -0.0;
    case TN_OP_MULTIPLY: return 1;
    case TN_OP_MAXIMUM: return -(double)INFINITY;
    case TN_OP_MINIMUM: return (double)INFINITY;
    default: return (double)NAN; /* of fmax and fmin */
    }
}

void tni_fold_begin_lanes(const tni_folding *folding, tni_lanes *lanes) {
    const double value = nothing_yet(folding->call->op);
    float *singles = (void *)lanes->running;
    double *doubles = (void *)lanes->running;
    if (folding->fold->input == TN_F32)
        for (int l = 0; l < TNI_LANE_BYTES / 4; l++)
            singles[l] = (float)value;
    else
        for (int l = 0; l < TNI_LANE_BYTES / 8; l++)
            doubles[l] = value;
}

/* --- The stage --- */

#define AT(type, base, stride) (*(type *)(void *)((base) + i * (stride)))

/* clang-format off */
/* Where the mask is false the element becomes the neutral one. Written without branches; the loops
 * of contiguous elements are apart for the compiler. */
#define PUT_NEUTRAL(type)                                                                          \
    {                                                                                              \
        const type other = *(const type *)neutral;                                                 \
        if (to_stride == sizeof(type) && mask_stride == 1) {                                       \
            type *restrict x = (void *)to;                                                         \
            const uint8_t *restrict is = (const void *)mask;                                       \
            for (int64_t i = 0; i < n; i++) x[i] = is[i] ? x[i] : other;                           \
        } else {                                                                                   \
            for (int64_t i = 0; i < n; i++) {                                                      \
                type *x = &AT(type, to, to_stride);                                                \
                *x = mask[i * mask_stride] ? *x : other;                                           \
            }                                                                                      \
        }                                                                                          \
    }

/* clang-format on */

typedef struct pair {
    uint64_t low, high;
} pair;

static void put_neutral(char *to, int64_t to_stride, const char *mask, int64_t mask_stride,
                        int64_t n, int64_t bytes, const void *neutral) {
    switch (bytes) {
    case 1: PUT_NEUTRAL(uint8_t) break;
    case 2: PUT_NEUTRAL(uint16_t) break;
    case 4: PUT_NEUTRAL(uint32_t) break;
    case 8: PUT_NEUTRAL(uint64_t) break;
    default: PUT_NEUTRAL(pair) break;
    }
}

/* clang-format off */
#define REPLACE_NAN(type, is_nan)                                                                  \
    {                                                                                              \
        const type other = *(const type *)neutral;                                                 \
        if (to_stride == sizeof(type)) {                                                           \
            type *restrict x = (void *)to;                                                         \
            for (int64_t i = 0; i < n; i++) {                                                      \
                type a = x[i];                                                                     \
                x[i] = is_nan ? other : a;                                                         \
            }                                                                                      \
        } else {                                                                                   \
            for (int64_t i = 0; i < n; i++) {                                                      \
                type a = AT(type, to, to_stride);                                                  \
                AT(type, to, to_stride) = is_nan ? other : a;                                      \
            }                                                                                      \
        }                                                                                          \
    }

/* clang-format on */

static void replace_nan(char *to, int64_t to_stride, int64_t n, tn_dtype dtype,
                        const void *neutral) {
    switch (dtype) {
    case TN_F32: REPLACE_NAN(float, a != a) break;
    case TN_F64: REPLACE_NAN(double, a != a) break;
    case TN_C64: REPLACE_NAN(tn_c64, a.re != a.re || a.im != a.im) break;
    case TN_C128: REPLACE_NAN(tn_c128, a.re != a.re || a.im != a.im) break;
    default: break;
    }
}

/* Elements that lie apart are brought together first: the vectors of a conversion reach them
 * then. */
static void convert_apart(const tni_folding *folding, char *to, int64_t to_stride,
                          const char *input, int64_t input_stride, int64_t n) {
    enum { PIECE = 512 };
    _Alignas(64) char spare[PIECE * 16];
    int64_t item = folding->item;
    for (int64_t i = 0; i < n; i += PIECE) {
        int64_t count = n - i < PIECE ? n - i : PIECE;
        tni_convert(folding->gather, input + i * input_stride, input_stride, spare, item, count);
        tni_convert(folding->convert, spare, item, to + i * to_stride, to_stride, count);
    }
}

/* Elements that a body makes: at once as X, or converted a piece at a time. */
static void load_mapped(const tni_folding *folding, char *to, int64_t to_stride, const char *input,
                        int64_t input_stride, int64_t n) {
    enum { PIECE = 512 };
    _Alignas(64) char spare[PIECE * 16];
    const tni_reduce *call = folding->call;
    int64_t item = folding->item, first = (input - call->input) / item, step = input_stride / item;
    if (call->input_dtype == (tn_dtype)folding->fold->input) {
        tni_host_body_run(folding->program, to, to_stride, first, step, n);
        return;
    }
    for (int64_t i = 0; i < n; i += PIECE) {
        int64_t count = n - i < PIECE ? n - i : PIECE;
        tni_host_body_run(folding->program, spare, item, first + i * step, step, count);
        tni_convert(folding->convert, spare, item, to + i * to_stride, to_stride, count);
    }
}

void tni_stage_run(const tni_folding *folding, char *to, int64_t to_stride, const char *input,
                   int64_t input_stride, const char *mask, int64_t mask_stride, int64_t n) {
    enum { FEW = 32 };
    bool is_apart = input_stride != folding->item && input_stride != 0 && n >= FEW;
    if (folding->is_mapped && !folding->is_unaligned)
        load_mapped(folding, to, to_stride, input, input_stride, n);
    else if ((is_apart || folding->is_unaligned) && folding->gather)
        convert_apart(folding, to, to_stride, input, input_stride, n);
    else
        tni_convert(folding->convert, input, input_stride, to, to_stride, n);
    if (!folding->drops || folding->is_moment) return;
    if (mask) put_neutral(to, to_stride, mask, mask_stride, n, folding->x, folding->neutral);
    if (folding->call->flags & TNI_SKIPS_NAN)
        replace_nan(to, to_stride, n, folding->fold->input, folding->neutral);
}

#define MARK_NUMBERS(type)                                                                         \
    for (int64_t i = 0; i < n; i++)                                                                \
        marks[i] = ((const type *)x)[i] == ((const type *)x)[i];

void tni_stage_mark(const tni_folding *folding, uint8_t *marks, const char *stage, const char *mask,
                    int64_t mask_stride, int64_t n) {
    const void *x = stage;
    if (!(folding->call->flags & TNI_SKIPS_NAN))
        memset(marks, 1, (size_t)n);
    else if (folding->fold->input == TN_F32)
        MARK_NUMBERS(float)
    else
        MARK_NUMBERS(double)
    for (int64_t i = 0; i < n; i++)
        marks[i] &= mask[i * mask_stride] != 0;
}

/* --- Results --- */

#define DIVIDE(type)                                                                               \
    for (int64_t i = 0; i < n; i++)                                                                \
        ((type *)parts)[i] /= (type)count;

/* Sums become means; integers through double, in place (every integer sum has 8 bytes at most, so a
 * buffer of doubles is filled from after). */
static tn_dtype divide(tn_dtype accumulator, void *parts, int64_t n, double count) {
    switch (accumulator) {
    case TN_F32: DIVIDE(float) return TN_F32;
    case TN_F64: DIVIDE(double) return TN_F64;
    case TN_C64: n *= 2; DIVIDE(float) return TN_C64;
    case TN_C128: n *= 2; DIVIDE(double) return TN_C128;
    default: break;
    }
    tni_loop convert = tni_cast_find(accumulator, TN_F64);
    int64_t size = tni_dtype_size(accumulator);
    for (int64_t i = n - 1; i >= 0; i--) {
        double sum;
        tni_convert(convert, (char *)parts + i * size, 0, &sum, 0, 1);
        ((double *)parts)[i] = sum / count;
    }
    return TN_F64;
}

/* Moments become variances or deviations, or the means of what was not dropped, in place. As NumPy:
 * nothing over nothing is NaN, and a correction that leaves no degree of freedom gives x / 0 (but
 * NaN where NaN are skipped). */
static void finish_moments(const tni_folding *folding, void *parts, int64_t n) {
    const tni_reduce *call = folding->call;
    const tni_moment *moments = parts;
    double *values = parts;
    for (int64_t i = 0; i < n; i++) {
        tni_moment moment = moments[i];
        double freedom = moment.count - call->correction;
        if (call->statistic == TNI_STATISTIC_MEAN) {
            values[i] = moment.sum / moment.count; /* 0 / 0 where nothing is left */
            continue;
        }
        bool is_undefined = moment.count == 0 || (call->flags & TNI_SKIPS_NAN && freedom <= 0);
        if (freedom < 0) freedom = 0;
        double variance = is_undefined ? (double)NAN : moment.squares / freedom;
        values[i] = call->statistic == TNI_STATISTIC_STD ? sqrt(variance) : variance;
    }
}

void tni_folding_finish(const tni_folding *folding, void *parts, int64_t count, char *output,
                        int64_t output_stride) {
    const tni_reduce *call = folding->call;
    tn_dtype from = folding->fold->accumulator;
    if (folding->is_moment) {
        finish_moments(folding, parts, count);
        from = TN_F64;
    } else if (call->statistic == TNI_STATISTIC_MEAN) {
        from = divide(from, parts, count, (double)call->reduced_size);
    }
    tni_convert(tni_cast_find(from, call->output_dtype), parts, tni_dtype_size(from), output,
                output_stride, count);
    if (call->flags & TNI_ROOT)
        tni_convert(tni_loop_find(TN_OP_SQRT, call->output_dtype), output, output_stride, output,
                    output_stride, count);
}

int tni_deciding_truth(tn_op op) {
    switch (op) {
    case TN_OP_LOGICAL_OR:
    case TN_OP_BITWISE_OR:
    case TN_OP_MAXIMUM:
    case TN_OP_FMAX: return 1;
    case TN_OP_LOGICAL_AND:
    case TN_OP_BITWISE_AND:
    case TN_OP_MINIMUM:
    case TN_OP_FMIN: return 0;
    default: return -1;
    }
}
