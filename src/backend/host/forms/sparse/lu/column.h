/* A factorization on its way, column by column. */
#ifndef TNI_HOST_SPARSE_LU_COLUMN_H
#define TNI_HOST_SPARSE_LU_COLUMN_H

#include "backend/host/forms/sparse/lu/pattern.h"
#include "backend/host/loops/sparse/lu_loops.h"

/* An area that grows. */
typedef struct tni_lu_area {
    char *at;
    int64_t used, place; /* items */
    int64_t item;
} tni_lu_area;

typedef struct tni_lu_columns {
    const tni_csr_factor *call;
    const tni_lu_loops *loops;
    const tni_lu_pattern *pattern;
    const int32_t *order; /* of columns */
    int64_t n, item;
    double threshold;
    bool is_incomplete;
    /* L. `ways`: where a block leads to, once that is less than its rows. */
    tni_lu_block *blocks;
    int64_t block_count;
    tni_lu_area lists, values, ways;
    int64_t *way;
    int32_t *way_length;          /* below 0: all rows of the block */
    int32_t *block_of, *pivot_of; /* by pivot; by row, below 0: none yet */
    int32_t *row_of;              /* by pivot */
    /* U */
    int64_t *upper_starts;
    tni_lu_area upper_rows, upper_values;
    char *diagonal;
    /* The current column: its rows that have no pivot, and the blocks that it depends on. */
    char *x, *room;
    int32_t *open, *path, *entry;
    int64_t open_count, path_first;
    int32_t *row_mark, *block_mark;
    int64_t *stack; /* two for each block */
    int32_t stamp;
    /* The last columns, which are dense: from pivot `tail` on, by columns. */
    int64_t tail;
    char *dense;
} tni_lu_columns;

/* Place for `more` items after those that are used. */
tn_status tni_lu_area_grow(tni_lu_area *area, int64_t more);

/* What column number k has after all blocks before it were subtracted: of U as the last items of
 * upper_rows and upper_values, and in x of the open rows. */
tn_status tni_lu_column(tni_lu_columns *c, int64_t k);
/* Makes column k, of which `pivot` is the row, part of L and U. */
tn_status tni_lu_keep(tni_lu_columns *c, int64_t k, int32_t pivot);
tn_status tni_lu_singular(void);

#endif
