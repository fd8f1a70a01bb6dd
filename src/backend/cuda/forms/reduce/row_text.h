/* What the two device texts of the form "fused_rows" share: how arguments lie, and the functions
 * that a graph writes. */
#ifndef TNI_CUDA_FORMS_ROW_TEXT_H
#define TNI_CUDA_FORMS_ROW_TEXT_H

#include "backend/cuda/forms/step.h"
#include "forms/fused_rows.h"

enum { TNI_ROW_AXES = 8 };

/* How an argument lies: packed, along the row alone, one number a row, one number; or, as its
 * strides say, rows that are packed, rows in any way, and numbers of rows. */
typedef enum tni_row_way {
    TNI_WAY_ELEMENTS,
    TNI_WAY_ALONG,
    TNI_WAY_ROWS,
    TNI_WAY_ONE,
    TNI_WAY_SCALAR,
    TNI_WAY_RUNS,
    TNI_WAY_APART,
    TNI_WAY_ROWS_APART
} tni_row_way;

tni_row_way tni_row_way_of(const tni_fused_rows *call, int argument);
/* How many arguments lie as their strides say, of the first `count`. */
int tni_row_count_apart(const tni_fused_rows *call, int count);

/* Whether all rows of an argument begin at multiples of so many bytes. */
bool tni_row_begins_evenly(const tni_fused_rows *call, int argument, int64_t bytes);

int tni_row_fold_kind(const tni_row_fold *fold);

/* --- Parameters --- */

/* Those that both kernels have. */
typedef struct tni_row_params {
    const void *data[TNI_EXPRESSION_ARGUMENTS], *values[TNI_EXPRESSION_ARGUMENTS];
    const void *initials[TNI_ROW_FOLDS];
    unsigned char identities[TNI_ROW_FOLDS][16];
    int64_t has_initials[TNI_ROW_FOLDS];
    double corrections[TNI_ROW_FOLDS];
    int64_t strides[TNI_EXPRESSION_ARGUMENTS * TNI_ROW_AXES];
} tni_row_params;
void tni_row_set_params(tni_row_params *params, const tni_fused_rows *call);

/* Of all that the text of the functions depends on: of the steps, then of the folds and ways. */
void tni_row_digest(uint64_t digests[4], const tni_fused_rows *call);

/* --- Text: of values that are arrays of G::elements, or one number of a row --- */

/* The folds' namespaces, and the functions of the steps. */
void tni_row_write_head(tni_source *source, const tni_fused_rows *call);

/* How a value's elements are read and stored. `aligned`: arguments by bits. */
typedef struct tni_row_text {
    const tni_fused_rows *call;
    uint64_t aligned;
    bool is_short; /* the block's rows pass through shared memory */
} tni_row_text;
void tni_row_write_input(tni_source *source, const tni_row_text *text, int input);
/* A step that is no fold, which makes the values from number `value` on. */
void tni_row_write_step(tni_source *source, const tni_row_text *text, int step, int value);
void tni_row_write_output(tni_source *source, const tni_row_text *text, int output);
/* The bytes from an argument's first element to the row's, as text. */
void tni_row_write_start(tni_source *source, const tni_fused_rows *call, int argument,
                         const char *row);

#endif
