/* The kernels that programs use most, for compiling ahead. */
#ifndef TNI_CUDA_PRECOMPILE_WHEEL_KERNELS_H
#define TNI_CUDA_PRECOMPILE_WHEEL_KERNELS_H

#include "kernel/source.h"

#include <tenorite/status.h>

#include <tenorite/dtype.h>

int tni_usual_count(void);
/* The program of one of them. */
void tni_usual_write(tni_source *source, int number);

/* What differs between them. `layout` is one of the kind's. */
typedef enum tni_usual_kind {
    TNI_USUAL_ELEMENTWISE, /* op; dtype of the loop, and of the first input where it differs */
    TNI_USUAL_STORED,      /* op; dtype of the loop, and as all inputs are stored */
    TNI_USUAL_COPY,        /* from dtype to other */
    TNI_USUAL_REDUCE,      /* op: a tn_reduction */
    TNI_USUAL_NORM,        /* sums of op of one input: dtype of the loop, and as it is stored */
    TNI_USUAL_DOT,         /* of two */
    TNI_USUAL_ARGREDUCE,
    TNI_USUAL_SCAN,  /* op: a tn_scan_kind */
    TNI_USUAL_RANGE, /* layout: a linspace */
    TNI_USUAL_MASK,
    TNI_USUAL_MOVE,
    TNI_USUAL_AT,   /* op; layout: few places */
    TNI_USUAL_JOIN, /* layout: runs of any length */
    TNI_USUAL_MATMUL,
    TNI_USUAL_SORT
} tni_usual_kind;

typedef struct tni_usual {
    uint8_t kind, layout;
    uint8_t number; /* of the kernels of the call */
    int8_t dtype, other;
    int16_t op;
} tni_usual;

/* Of element-wise calls and copies: which arguments are scalars, and one that is laid out
 * specially. */
typedef enum tni_usual_layout {
    TNI_FLAT,
    TNI_SCALAR_SECOND,
    TNI_SCALAR_FIRST,
    TNI_SCALAR_THIRD,
    TNI_SCALARS_BEHIND_FIRST,
    TNI_SCALARS_BEHIND_SECOND,
    TNI_SINGLE, /* the second an array of one element */
    TNI_STEPPED,
    TNI_STEPPED_SCALAR,
    TNI_TO_STEPPED,
    TNI_SCALAR_TO_STEPPED,
    TNI_ODD_STEPPED, /* and an odd number of elements */
    TNI_SCALAR_TO_ODD_STEPPED,
    TNI_ROW,
    TNI_COLUMN,
    TNI_SHORT_ROW,
    TNI_SHORT_COLUMN,
    TNI_TURNED,
    TNI_TURNED_FIRST,
    TNI_SHIFTED, /* off the alignment of a vector */
    TNI_PART,    /* of a matrix */
    TNI_PART_SCALAR,
    TNI_TO_PART,
    TNI_SCALAR_TO_PART,
    TNI_ODD_PART, /* with odd rows */
    TNI_SCALAR_TO_ODD_PART,
    TNI_USUAL_LAYOUTS
} tni_usual_layout;

/* Of reductions and scans. */
typedef enum tni_usual_shape {
    TNI_ALL,
    TNI_ALL_OF_FEW,
    TNI_LONG_ROWS,
    TNI_SQUARE_ROWS,
    TNI_SMALL_ROWS,
    TNI_TINY_ROWS,
    TNI_FEW_ROWS,
    TNI_SHORT_ROWS,
    TNI_LONG_COLUMNS,
    TNI_SQUARE_COLUMNS,
    TNI_SMALL_COLUMNS,
    TNI_TINY_COLUMNS,
    TNI_MANY_COLUMNS,
    TNI_USUAL_SHAPES
} tni_usual_shape;

/* Of masks: dtype tells the size of an element. */
typedef enum tni_usual_mask {
    TNI_MASK_COUNT,
    TNI_MASK_NONZERO,
    TNI_MASK_NONZERO_2D,
    TNI_MASK_READ,
    TNI_MASK_WRITE,
    TNI_MASK_WRITE_ONE,
    TNI_MASK_WRITE_UNCOUNTED
} tni_usual_mask;

/* Of sorts: what is sorted, and what comes out. */
typedef enum tni_usual_sort {
    TNI_SORT_LINE,
    TNI_SORT_ROWS,
    TNI_SORT_SMALL_ROWS,
    TNI_SORT_LINE_POSITIONS,
    TNI_SORT_SMALL_ROWS_POSITIONS,
    TNI_SORT_SEARCH
} tni_usual_sort;

/* Of moves by an array of indices. */
typedef enum tni_usual_move {
    TNI_MOVE_TAKE, /* fresh memory */
    TNI_MOVE_TAKE_ROWS,
    TNI_MOVE_TAKE_COLUMNS,
    TNI_MOVE_CHECK,
    TNI_MOVE_PUT,
    TNI_MOVE_PUT_FEW,
    TNI_MOVE_PUT_ONE,
    TNI_MOVE_PUT_ONE_ROWS
} tni_usual_move;

#endif
