/* Inner loops of sparse matrices: what one instruction-set level offers. They take the structs of
 * forms/sparse.h and a range of rows whose starts and indices were checked. */
#ifndef TNI_SPARSE_LOOPS_H
#define TNI_SPARSE_LOOPS_H

#include "forms/sparse.h"

enum { TNI_SPARSE_SLOTS = 2048 };

/* What only looks at indexes. */
typedef struct tni_sparse_index_loops {
    /* Whether starts[0 .. n] ascend, from not below 0 to not above `count`. */
    bool (*ascends)(const void *starts, int64_t n, int64_t count);
    /* Whether all of n indices are below `bound`. */
    bool (*inside)(const void *indices, int64_t n, int64_t bound);
    int64_t (*at)(const void *indexes, int64_t k);
    /* The first of `rows` + 1 starts that is at least `element`. */
    int64_t (*find)(const void *starts, int64_t rows, int64_t element);
    /* TNI_CSR_UNSORTED and TNI_CSR_DUPLICATES of rows. */
    int64_t (*order)(const tni_csr *a, int64_t begin, int64_t end);
    /* How many elements rows of a result have: counts[row] of united rows, and of a product.
     * `table` has a slot for each column of b, which is not yet of any row here, and may be NULL
     * where no row is summed of more than TNI_SPARSE_SLOTS / 4 products. */
    void (*count_united)(const tni_csr *a, int64_t begin, int64_t end, int64_t *counts);
    int64_t (*most_products)(const tni_csr_product *call, int64_t begin, int64_t end);
    void (*count_product)(const tni_csr_product *call, int64_t begin, int64_t end, void *table,
                          int64_t *counts);
    /* The same with a bit for each column of b, all of them 0 before and after. */
    void (*count_by_bits)(const tni_csr_product *call, int64_t begin, int64_t end, uint64_t *bits,
                          int64_t *counts);
    /* tallies[major[k] >> shift] += 1 for elements of a group. */
    void (*tally)(const void *major, int64_t begin, int64_t end, int shift, int64_t *tallies);
    int64_t slot; /* bytes of one; all bits set are of no row */
} tni_sparse_index_loops;

/* What only moves values, by their size. */
typedef struct tni_sparse_move_loops {
    /* Elements begin to end of a group go to cursors[major], which advance; `row` is that of the
     * first one. */
    void (*group)(const tni_csr_group *call, int64_t begin, int64_t end, int64_t row,
                  int64_t *cursors);
    /* Large groups go through buckets of 2^shift lines each. Elements as of `group` become items of
     * their buckets, at cursors[bucket]. The items of the lines [first, end) become their elements
     * from `start` on, of which the end is returned; `cursors` has place for each line. */
    void (*spread)(const tni_csr_group *call, int64_t begin, int64_t end, int64_t row, int shift,
                   int64_t *cursors, void *items);
    int64_t (*settle)(const tni_csr_group *call, const void *items, int64_t count, int64_t first,
                      int64_t end, int64_t start, int64_t *cursors);
    int64_t item; /* bytes of an item */
    /* Sorts rows; `room` has place for the longest (32 bytes an element). */
    void (*sort)(const tni_csr_sort *call, int64_t begin, int64_t end, void *room);
    /* The next elements of two rows merged, up to `most`: indices, and the values of both or 0.
     * place[0 .. 1] advance to end[0 .. 1]. Returns how many. */
    int64_t (*merge)(const tni_csr_merge *call, int64_t *place, const int64_t *end, void *indices,
                     void *x, void *y, int64_t most);
    /* Whole rows from *row to before `last`, as many as fit: `most` elements of both, and rows.
     * ends[0 ..]: how many elements there are up to the end of each. */
    int64_t (*merge_rows)(const tni_csr_merge *call, int64_t *row, int64_t last, void *indices,
                          void *x, void *y, int64_t most, int64_t *ends);
} tni_sparse_move_loops;

/* What computes. */
typedef struct tni_sparse_value_loops {
    void (*multiply)(const tni_csr_multiply *call, int64_t begin, int64_t end);
    /* The product with a vector, and sums: nothing was checked, since each start and each index is
     * read once. False if one was out of range. */
    bool (*multiply_vector)(const tni_csr_multiply *call, int64_t begin, int64_t end);
    /* table[indices] += rows of the dense operand. */
    void (*multiply_transposed)(const tni_csr_multiply *call, int64_t begin, int64_t end,
                                void *table);
    void (*add)(void *to, const void *from, int64_t n); /* to[k] += from[k] */
    void (*scatter)(const tni_csr_scatter *call, int64_t begin, int64_t end);
    void (*unite)(const tni_csr_unite *call, int64_t begin, int64_t end);
    /* `table` as in count_product. */
    void (*product)(const tni_csr_product *call, int64_t begin, int64_t end, void *table);
} tni_sparse_value_loops;

/* A step of conjugate gradients, as in forms/sparse.h. */
typedef struct tni_vector_step {
    void *x, *r;
    const void *p, *q, *inverse;
    double alpha;
} tni_vector_step;

/* What iterative methods do with vectors, in one pass each. */
typedef struct tni_vector_loops {
    double (*dot)(const void *a, const void *b, int64_t n);
    /* p = r + factor p, or (inverse) p = inverse r + factor p. */
    void (*turn)(void *p, const void *r, const void *inverse, double factor, int64_t n);
    /* x += alpha p and r -= alpha q. sums: of r r, and of r inverse r. */
    void (*advance)(const tni_vector_step *step, int64_t begin, int64_t end, double *sums);
} tni_vector_loops;

typedef struct tni_sparse_loops {
    const tni_sparse_index_loops *indexes[2];         /* by is_wide */
    const tni_sparse_move_loops *moves[2][5];         /* and the logarithm of the item's size */
    const tni_sparse_value_loops *const (*values)[2]; /* by dtype, is_wide */
    const tni_vector_loops *vectors[2];               /* of f32 and of f64 */
} tni_sparse_loops;

#endif
