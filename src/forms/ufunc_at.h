/* The form "ufunc_at": an operation applied at index arrays, in order. */
#ifndef TNI_FORMS_UFUNC_AT_H
#define TNI_FORMS_UFUNC_AT_H

#include <tenorite/elementwise.h>

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

#endif
