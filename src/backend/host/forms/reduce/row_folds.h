/* Folds of rows within one pass over them (fused_rows.c): planned once for all rows, with the bits
 * of the form "reduce". */
#ifndef TNI_HOST_ROW_FOLDS_H
#define TNI_HOST_ROW_FOLDS_H

#include "backend/host/forms/operations.h"
#include "backend/host/forms/reduce/folding.h"
#include "forms/fused_rows.h"

/* Where a value has the rows of a block: from one element to the next, and from row to row. */
typedef struct tni_row_place {
    char *at;
    int64_t stride, row;
    bool streams; /* written past the caches */
} tni_row_place;

/* It stays where it is. */
typedef struct tni_row_folding {
    tni_reduce call; /* but for where the rows are */
    tni_folding folding;
    bool is_leaf; /* rows that are packed are a leaf each, as loops read them */
} tni_row_folding;

void tni_row_fold_begin(tni_row_folding *f, const tni_row_fold *fold, int64_t length);

tn_status tni_row_fold_run(tni_row_folding *f, const tni_row_place *from, const tni_row_place *to,
                           int64_t rows);

/* What a chain does that folds so, as it makes the elements (tni_operation_fold); 0: nothing. */
uint8_t tni_row_fold_in_chain(const tni_row_fold *fold, int64_t length);

enum { TNI_NO_FOLD = UINT8_MAX };

/* Runs a chain over rows of `length` elements, with the folds of what it makes. `places` is where
 * values are; folds[number[v]] makes value v, which is a number of rows, or TNI_NO_FOLD. */
void tni_row_folds_in_chain(const tni_operation *operation, const tni_row_place *places,
                            tni_row_folding *folds, const uint8_t *number, int64_t rows,
                            int64_t length);

#endif
