/* How boxes are cut so that they stay in the L2 cache, and how they are filled. */
#include "backend/host/forms/image/boxes.h"

#include "backend/host/forms/convert.h"
#include "backend/host/loops/level.h"

#include <string.h>

enum { BOX_BYTES = 256 << 10, LINE_BYTES = 8 << 10, COLUMNS_LEAST = 64, BLOCKS = 16 };

static int64_t lesser(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* How many rows a block of so many columns has for its box to stay in the cache. */
static int64_t fitting_rows(const tni_boxes *b, int64_t columns, int64_t width, int64_t height,
                            int64_t extra) {
    const int64_t bytes = (columns + width - 1) * b->element + TNI_IMAGE_SLACK;
    return (BOX_BYTES / bytes - extra) / b->outer - (height - 1);
}

/* Lines that the rows of a block share should not be many more than its rows. */
static void cut(tni_boxes *b, int64_t extra) {
    const tni_image *image = b->image;
    const int row = image->ndim - 2, column = image->ndim - 1;
    const int64_t height = image->size[row], width = image->size[column];
    const int64_t least = lesser(2 * (height - 1) + 1, image->shape[row]);
    b->columns = lesser(image->shape[column], LINE_BYTES / b->element);
    while (b->columns > COLUMNS_LEAST && b->columns > 2 * (width - 1) &&
           fitting_rows(b, b->columns, width, height, extra) < least)
        b->columns = (b->columns + 1) / 2;
    b->rows = fitting_rows(b, b->columns, width, height, extra);
    if (b->rows < least) b->rows = least;
    const int64_t fair = (image->shape[row] + BLOCKS - 1) / BLOCKS;
    if (b->rows > fair) b->rows = fair > least ? fair : least;
    b->rows = lesser(b->rows, image->shape[row]);
    b->lines = b->rows + height - 1;
    const int64_t slack = TNI_IMAGE_SLACK / b->element, unit = 64 / b->element;
    b->line = (b->columns + width - 1 + slack + unit - 1) / unit * unit;
    b->row_blocks = (image->shape[row] + b->rows - 1) / b->rows;
    b->column_blocks = (image->shape[column] + b->columns - 1) / b->columns;
}

void tni_boxes_make(tni_boxes *b, const tni_image *image, int64_t extra) {
    b->image = image;
    b->element = tn_dtype_size(image->working);
    b->outer = b->blocks = 1;
    for (int k = 0; k < image->ndim - 2; k++) {
        b->outer *= image->size[k];
        b->blocks *= image->shape[k];
    }
    b->convert = tni_cast_find(image->stored, image->working);
    b->store = tni_cast_find(image->working, image->result);
    double beyond = image->beyond;
    tni_convert(tni_cast_find(TN_F64, image->working), &beyond, 0, b->beyond, 0, 1);
    cut(b, extra);
    b->blocks *= b->row_blocks * b->column_blocks;
}

int64_t tni_place_offset(const tni_boxes *b, int64_t place) {
    const tni_image *image = b->image;
    const int row = image->ndim - 2;
    int64_t outer = 0;
    for (int k = 0; k < row; k++)
        outer = outer * image->size[k] + place / image->order[k] % image->size[k];
    const int64_t y = place / image->order[row] % image->size[row];
    const int64_t x = place / image->order[row + 1] % image->size[row + 1];
    return (outer * b->lines + y) * b->line + x;
}

void tni_block_find(tni_block *block, const tni_boxes *b, int64_t number) {
    const tni_image *image = b->image;
    const int row = image->ndim - 2, column = image->ndim - 1;
    block->at[column] = number % b->column_blocks * b->columns;
    number /= b->column_blocks;
    block->at[row] = number % b->row_blocks * b->rows;
    number /= b->row_blocks;
    for (int k = row - 1; k >= 0; k--) {
        block->at[k] = number % image->shape[k];
        number /= image->shape[k];
    }
    block->rows = lesser(b->rows, image->shape[row] - block->at[row]);
    block->columns = lesser(b->columns, image->shape[column] - block->at[column]);
    block->output = image->output;
    for (int k = 0; k < image->ndim; k++)
        block->output += block->at[k] * image->output_strides[k];
}

static void fill_beyond(char *to, const tni_boxes *b, int64_t count) {
    switch (b->element) {
    case 1: memset(to, b->beyond[0], (size_t)count); return;
    case 2:
        for (int64_t k = 0; k < count; k++)
            memcpy(to + 2 * k, b->beyond, 2);
        return;
    case 4:
        for (int64_t k = 0; k < count; k++)
            memcpy(to + 4 * k, b->beyond, 4);
        return;
    default:
        for (int64_t k = 0; k < count; k++)
            memcpy(to + 8 * k, b->beyond, 8);
    }
}

/* Elements from their places in the image. */
static void bring(char *to, const tni_boxes *b, const char *from, int64_t stride, int64_t count) {
    tni_convert(b->convert, from, stride, to, b->element, count);
}

/* The elements [first, first + count) of a line, of which some lie beyond its ends. */
static void fill_line(char *to, const tni_boxes *b, const char *from, int64_t first,
                      int64_t count) {
    const tni_image *image = b->image;
    const int axis = image->ndim - 1;
    const int64_t size = image->shape[axis], stride = image->input_strides[axis];
    int64_t begin = first < 0 ? lesser(-first, count) : 0;
    int64_t end = first + count > size ? size - first : count;
    if (end < begin) end = begin = first < 0 ? count : 0;
    if (begin < end)
        bring(to + begin * b->element, b, from + (first + begin) * stride, stride, end - begin);
    for (int64_t k = 0; k < count; k = k + 1 == begin ? end : k + 1) {
        if (k == begin && begin < end) k = end;
        if (k >= count) break;
        const int64_t at = tni_image_index(first + k, size, image->edges[axis]);
        char *here = to + k * b->element;
        if (at < 0)
            memcpy(here, b->beyond, (size_t)b->element);
        else if (at >= first + begin && at < first + end)
            memcpy(here, to + (at - first) * b->element, (size_t)b->element);
        else
            bring(here, b, from + at * stride, stride, 1);
    }
}

/* The first element of a row of the image, for a place of the outer axes; NULL: beyond. */
static const char *outer_row(const tni_image *image, const tni_block *block, int64_t place) {
    const char *from = image->input;
    for (int k = image->ndim - 3; k >= 0; k--) {
        const int64_t at = block->at[k] - image->low[k] + place % image->size[k];
        const int64_t index = tni_image_index(at, image->shape[k], image->edges[k]);
        if (index < 0) return NULL;
        from += index * image->input_strides[k];
        place /= image->size[k];
    }
    return from;
}

/* What loops read beyond a line's elements is 0: whatever memory holds may be numbers too small for
 * a full fraction, whose sums take a hundred times as long. */
void tni_box_fill(char *box, const tni_boxes *b, const tni_block *block) {
    const tni_image *image = b->image;
    const int row = image->ndim - 2, column = image->ndim - 1;
    const int64_t lines = block->rows + image->size[row] - 1;
    const int64_t width = block->columns + image->size[column] - 1;
    const int64_t top = block->at[row] - image->low[row];
    const int64_t left = block->at[column] - image->low[column];
    for (int64_t place = 0; place < b->outer; place++) {
        const char *from = outer_row(image, block, place);
        for (int64_t line = 0; line < lines; line++) {
            char *to = box + (place * b->lines + line) * tni_line_bytes(b);
            const int64_t at =
                from ? tni_image_index(top + line, image->shape[row], image->edges[row]) : -1;
            if (at < 0)
                fill_beyond(to, b, width);
            else
                fill_line(to, b, from + at * image->input_strides[row], left, width);
            memset(to + width * b->element, 0, (size_t)((b->line - width) * b->element));
        }
    }
}

void tni_row_store(const tni_boxes *b, const tni_block *block, int64_t row, const char *from) {
    const tni_image *image = b->image;
    const int64_t stride = image->output_strides[image->ndim - 1];
    char *to = block->output + row * image->output_strides[image->ndim - 2];
    tni_convert(b->store, from, b->element, to, stride, block->columns);
}
