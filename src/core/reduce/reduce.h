/* The forms reduce, argreduce, scan, reduceat and ufunc_at, as a backend gets them: addresses,
 * shapes, strides (bytes) and dtypes resolved, access ordered, outputs apart from inputs. Each form
 * is a description of one kernel; its body is the operation `op` of the table on `accumulator`. */
#ifndef TNI_REDUCE_H
#define TNI_REDUCE_H

#include "core/array/array.h"

#include <tenorite/elementwise.h>
#include <tenorite/reduce.h>

enum { TNI_SKIPS_NAN = 1, TNI_COUNTS = 2 };

/* What becomes of a fold: itself; divided by the count; the second moment. */
typedef enum tni_statistic {
    TNI_STATISTIC_FOLD,
    TNI_STATISTIC_MEAN,
    TNI_STATISTIC_VAR,
    TNI_STATISTIC_STD,
    TNI_STATISTIC_PTP /* in tables only: two folds and a difference */
} tni_statistic;

/* output[kept] = statistic over the reduced axes of input[kept, reduced].
 *
 * An element is read as `input_dtype`, made an `accumulator` (with TNI_COUNTS: 1 or 0, b8 before),
 * and dropped where the mask is false or, with TNI_SKIPS_NAN, where it is NaN. Kept and reduced
 * axes are collapsed apart; `reduced` axes are in the array's order if the fold is ordered, else in
 * any. reduced_size is at least 1. The second moment is real: f32 or f64 accumulators, no
 * initial. */
typedef struct tni_reduce {
    tn_op op;
    tni_statistic statistic;
    int flags;       /* TNI_SKIPS_NAN, TNI_COUNTS */
    bool is_ordered; /* strictly from the first element to the last */
    bool has_initial;
    tn_dtype input_dtype, accumulator, output_dtype;
    double correction;
    _Alignas(16) unsigned char initial[16]; /* of the accumulator's dtype */
    char *output;
    const char *input;
    const char *mask; /* b8; NULL: none */
    int kept_ndim, reduced_ndim;
    int64_t kept_size, reduced_size;
    int64_t kept_shape[TN_MAX_NDIM], reduced_shape[TN_MAX_NDIM];
    int64_t kept_output[TN_MAX_NDIM], kept_input[TN_MAX_NDIM], kept_mask[TN_MAX_NDIM];
    int64_t reduced_input[TN_MAX_NDIM], reduced_mask[TN_MAX_NDIM];
} tni_reduce;

/* output[kept] (i64) = position of the first extreme among the elements of input[kept, reduced] in
 * C order of the reduced axes; -1 where all are NaN and NaN is skipped. op is maximum, minimum,
 * fmax or fmin; the latter two skip NaN. */
typedef struct tni_argreduce {
    tn_op op;
    tn_dtype input_dtype;
    char *output;
    const char *input;
    int kept_ndim, reduced_ndim;
    int64_t kept_size, reduced_size;
    int64_t kept_shape[TN_MAX_NDIM], reduced_shape[TN_MAX_NDIM];
    int64_t kept_output[TN_MAX_NDIM], kept_input[TN_MAX_NDIM];
    int64_t reduced_input[TN_MAX_NDIM];
} tni_argreduce;

/* output[kept, i] = fold of input[kept, 0 .. i]. `length` and `size` (of kept) are at least 1. */
typedef struct tni_scan {
    tn_op op;
    int flags; /* TNI_SKIPS_NAN */
    tn_dtype input_dtype, accumulator, output_dtype;
    char *output;
    const char *input;
    int64_t length, output_stride, input_stride;
    int ndim;
    int64_t size;
    int64_t shape[TN_MAX_NDIM], output_strides[TN_MAX_NDIM], input_strides[TN_MAX_NDIM];
} tni_scan;

/* output[kept, i] = fold of input[kept, indices[i] .. indices[i + 1]), the last one to the end; of
 * the single element indices[i] where that is empty. Indices are contiguous i64 and not yet checked
 * against `length`: one outside fails with TN_ERROR_INDEX before anything is written. */
typedef struct tni_reduceat {
    tn_op op;
    bool is_ordered;
    tn_dtype input_dtype, accumulator, output_dtype;
    char *output;
    const char *input;
    const char *indices;
    int64_t index_count, length, output_stride, input_stride;
    int ndim;
    int64_t size;
    int64_t shape[TN_MAX_NDIM], output_strides[TN_MAX_NDIM], input_strides[TN_MAX_NDIM];
} tni_reduceat;

enum { TNI_AT_INDICES = 16 };

/* For each position p of `shape`, in C order: x = array[strides . p + sum of indices[k][p] x its
 * stride]; x = op(x, operand[p]), or op(x) when the operation is unary. The index arrays hold i64,
 * not yet checked: one outside [-size, size) fails with TN_ERROR_INDEX before anything is written.
 * `op` and `dtype` name the loop; arguments[] are the dtypes of its inputs and its output. */
typedef struct tni_ufunc_at {
    tn_op op;
    tn_dtype dtype;
    tn_dtype arguments[3];
    bool is_binary;
    tn_dtype array_dtype, operand_dtype;
    char *array;
    const char *operand;
    int index_count;
    struct {
        const char *data;
        int axis; /* of the array, for messages */
        int64_t size, stride;
        int64_t strides[TN_MAX_NDIM];
    } indices[TNI_AT_INDICES];
    int ndim;
    int64_t size;
    int64_t shape[TN_MAX_NDIM], array_strides[TN_MAX_NDIM], operand_strides[TN_MAX_NDIM];
} tni_ufunc_at;

/* The facts of a reduction of the table. */
typedef struct tni_reduction_fact {
    const char *name, *doc;
    tn_op op;
    tni_statistic statistic;
    int flags;
} tni_reduction_fact;
const tni_reduction_fact *tni_reduction_get(tn_reduction reduction);
const tni_reduction_fact *tni_argreduction_get(tn_argreduction reduction);
const tni_reduction_fact *tni_scan_get(tn_scan_kind scan);

/* Whether folds with the operation may be computed in any grouping: NumPy's "reorderable". */
bool tni_op_is_ordered(tn_op op);

/* The dtype in which op folds an array of `input`: as NumPy's reduce, accumulate and reduceat find
 * it. `dtype` is the caller's wish, `out` the dtype of a given output (TN_DTYPE_NONE: none);
 * `method` is for messages. Fails for operations that are not binary with one output. */
tn_status tni_reduce_dtype(tn_dtype *loop, tn_op op, tn_dtype input, tn_dtype dtype, tn_dtype out,
                           const char *method);

/* The operation's identity in a dtype; false if it has none. All bits for -1 of an unsigned
 * dtype. */
bool tni_op_identity_value(void *value, tn_op op, tn_dtype dtype);

/* The dtype in which partial results are kept: f32 for the halves unless the fold is ordered. */
tn_dtype tni_accumulator(tn_op op, tn_dtype loop);

/* Negative integers as exponents are refused as in element-wise calls; waits for signed integers.
 * The first element along the axis is a base, unless the fold has an initial value. */
tn_status tni_reduce_check_power(tn_op op, tn_dtype loop, const tn_array *array, int axis,
                                 bool has_initial, tn_stream *stream);

#endif
