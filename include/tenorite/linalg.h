/* Products of matrices and vectors, with NumPy's shapes, dtypes and messages.
 *
 * In each function *result NULL on entry means that a new array is made; else it is written (out=)
 * and stays the caller's. All arrays are of one device. Inputs of two dtypes are promoted. Sums of
 * f16 and bf16 are kept in f32. A shape that does not fit is TN_ERROR_VALUE. */
#ifndef TENORITE_LINALG_H
#define TENORITE_LINALG_H

#include <tenorite/array.h>
#include <tenorite/reduce.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What may be said of a product; zero it for the defaults but for dtype (TN_DTYPE_NONE) and casting
 * (TN_CASTING_SAME_KIND). */
typedef struct tn_matmul_options {
    tn_dtype dtype;     /* of the computation, TN_DTYPE_NONE: promoted */
    tn_casting casting; /* for inputs to that dtype and from it to a given result */
    tn_order order;     /* of a result that is made here; K and A mean C */
} tn_matmul_options;
#define TN_MATMUL_DEFAULTS                                                                         \
    { TN_DTYPE_NONE, TN_CASTING_SAME_KIND, TN_ORDER_C }

/* NumPy's four products over the last axes, broadcast over the others. `options` may be NULL. A
 * given result may have more axes, any strides, another dtype (`casting`) and may overlap the
 * inputs.
 *   matmul  (n?,k),(k,m?)->(n?,m?)     vecdot  (n),(n)->()       the first conjugated
 *   matvec  (m,n),(n)->(m)             vecmat  (n),(n,m)->(m)    the first conjugated */
TN_API tn_status tn_matmul(tn_array **result, const tn_array *a, const tn_array *b,
                           const tn_matmul_options *options, tn_stream *stream);
TN_API tn_status tn_vecdot(tn_array **result, const tn_array *a, const tn_array *b,
                           const tn_matmul_options *options, tn_stream *stream);
TN_API tn_status tn_matvec(tn_array **result, const tn_array *a, const tn_array *b,
                           const tn_matmul_options *options, tn_stream *stream);
TN_API tn_status tn_vecmat(tn_array **result, const tn_array *a, const tn_array *b,
                           const tn_matmul_options *options, tn_stream *stream);

/* Sums over the last axis of a and the last but one (or only) axis of b; an operand of 0 dimensions
 * multiplies. A given result must have exactly the result's shape and dtype and be C-contiguous. */
TN_API tn_status tn_dot(tn_array **result, const tn_array *a, const tn_array *b, tn_stream *stream);
/* Sums over the last axis of both. A given result as for tn_dot. */
TN_API tn_status tn_inner(tn_array **result, const tn_array *a, const tn_array *b,
                          tn_stream *stream);
/* The sum of conj(a) b over all elements, both in C order: 0 dimensions. */
TN_API tn_status tn_vdot(tn_array **result, const tn_array *a, const tn_array *b,
                         tn_stream *stream);
/* a[i] b[j] over all elements of both in C order. A given result is as an element-wise output. */
TN_API tn_status tn_outer(tn_array **result, const tn_array *a, const tn_array *b,
                          tn_stream *stream);
/* Sums over `count` pairs of axes; the other axes of a, then those of b are left. Axes may be
 * negative. The result is a new one. */
TN_API tn_status tn_tensordot(tn_array **result, const tn_array *a, const tn_array *b, int count,
                              const int *a_axes, const int *b_axes, tn_stream *stream);
/* The sum along a diagonal of two axes; dtype TN_DTYPE_NONE: as tn_reduce's sum. */
TN_API tn_status tn_trace(tn_array **result, const tn_array *a, int64_t offset, int axis1,
                          int axis2, tn_dtype dtype, tn_stream *stream);

/* The norm of vectors along axes (of `options`, which may be NULL, only axes and keepdims count):
 * order 2 the root of the sum of squares, infinity the largest and -infinity the smallest absolute
 * value, 0 the number of elements that are not zero, another p sum(abs(x)**p)**(1/p). The result is
 * a new one of the real dtype, f64 for integers. Orders 0, 1, 2 and the infinities read the array
 * once and make no other. TN_ERROR_VALUE for order -infinity of nothing. */
TN_API tn_status tn_vector_norm(tn_array **result, const tn_array *array, double order,
                                const tn_reduce_options *options, tn_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
