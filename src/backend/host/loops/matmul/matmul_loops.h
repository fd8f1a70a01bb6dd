/* Inner loops of matrix products: what one instruction-set level offers for one storage type.
 *
 * A product runs over packed operands: panels of a few rows of a, of a few columns of b, stored as
 * the working type with the depth outermost, padded with zeros. `block` multiplies panels;
 * `row` and `dot` serve products with a vector, where packing would cost more than the product;
 * `tiny` serves matrices of a few elements. Strides are in bytes. */
#ifndef TNI_MATMUL_LOOPS_H
#define TNI_MATMUL_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

/* Rows by columns; of the operand b, depth by columns. */
typedef struct tni_matmul_view {
    char *data;
    int64_t row_stride, column_stride;
} tni_matmul_view;

typedef struct tni_matmul_kernel {
    int16_t rows, columns;    /* of one tile, in elements of the result */
    int16_t a_bytes, b_bytes; /* of one packed element of a and of b */
    int16_t sum_bytes;        /* of one sum in the working type */
    bool rounds_sums;         /* a stored element holds less than a sum (halves) */

    /* Packs elements [0, rows) x [0, depth) of a, rows <= the tile's. */
    void (*pack_a)(void *panel, tni_matmul_view a, int64_t rows, int64_t depth);
    /* Packs elements [0, depth) x [0, columns) of b, columns <= the tile's. */
    void (*pack_b)(void *panel, tni_matmul_view b, int64_t depth, int64_t columns);
    /* out (+)= a b for whole panels laid one after the other. out holds stored elements, or
     * (`wide`) sums in C order, whose strides the view gives as well. */
    void (*block)(tni_matmul_view out, const void *a, const void *b, int64_t rows, int64_t columns,
                  int64_t depth, bool accumulate, bool wide);
    /* Adds sums to sums; stores sums as elements. */
    void (*merge)(void *to, const void *from, int64_t count);
    void (*store)(tni_matmul_view out, tni_matmul_view sums, int64_t rows, int64_t columns);
    /* out[i] = sum over p of a[i, p] x[p], of any strides; as elements, or (`wide`) as sums.
     * `conjugate`: of a, where the type is complex. */
    void (*vector)(char *out, int64_t out_stride, tni_matmul_view a, const char *x,
                   int64_t x_stride, int64_t rows, int64_t depth, bool conjugate, bool wide);
    /* Stores the total of `count` sums as one element. */
    void (*add_sums)(char *out, const void *sums, int64_t count);
    /* `count` products of tiny matrices; batch strides of out, a and b. `conjugate` as above. */
    void (*tiny)(int64_t count, const int64_t batch_strides[3], tni_matmul_view out,
                 tni_matmul_view a, tni_matmul_view b, int64_t rows, int64_t columns, int64_t depth,
                 bool conjugate);
} tni_matmul_kernel;

#endif
