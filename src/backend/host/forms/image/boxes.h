/* Boxes: what a block of outputs reads of an image, as lines in scratch memory.
 *
 * A block is some rows (of the axis before the last) and columns (of the last). Its box has, for
 * each place of the window along the outer axes, the lines that the rows' windows hold, each with
 * the columns that theirs hold: of the working dtype, side by side, filled up beyond the edges. So
 * the offset from an output's first place to another is the same for all outputs of all blocks. */
#ifndef TNI_HOST_BOXES_H
#define TNI_HOST_BOXES_H

#include "backend/host/loops.h"
#include "forms/image.h"

typedef struct tni_boxes {
    const tni_image *image;
    int64_t element;            /* bytes */
    int64_t rows, columns;      /* of a block */
    int64_t outer, lines, line; /* places of the outer axes, lines of each, elements of a line */
    int64_t row_blocks, column_blocks, blocks;
    tni_loop convert, store;
    _Alignas(8) char beyond[8]; /* of the working dtype */
} tni_boxes;

/* A block of outputs. */
typedef struct tni_block {
    int64_t at[TN_MAX_NDIM]; /* of its first output */
    int64_t rows, columns;
    char *output;
} tni_block;

/* `extra` lines of scratch memory are used beside those of a box. */
void tni_boxes_make(tni_boxes *boxes, const tni_image *image, int64_t extra);
/* Bytes of a line, of the lines of a box. */
static inline int64_t tni_line_bytes(const tni_boxes *boxes) {
    return boxes->line * boxes->element;
}
static inline int64_t tni_box_bytes(const tni_boxes *boxes) {
    return boxes->outer * boxes->lines * tni_line_bytes(boxes);
}
/* The offset, in elements, of a place in the order of the box. */
int64_t tni_place_offset(const tni_boxes *boxes, int64_t place);
void tni_block_find(tni_block *block, const tni_boxes *boxes, int64_t number);
/* Fills the box of a block. */
void tni_box_fill(char *box, const tni_boxes *boxes, const tni_block *block);
/* Writes a row of the block, of the working dtype. */
void tni_row_store(const tni_boxes *boxes, const tni_block *block, int64_t row, const char *from);

#endif
