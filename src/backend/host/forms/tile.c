/* One tile of an element-wise call: its arguments brought to where the loop finds them, the loop,
 * and what it gave brought back. Copies that need no loop are made here, too. */
#include "backend/host/forms/tile.h"

#include "backend/host/forms/steps.h"

#include <string.h>

void tni_tile_repeat(char *to, int64_t size, int64_t bytes, char *from, int64_t stride,
                     int64_t count, tni_loop convert) {
    convert((char *[]){from, to}, (int64_t[]){stride, size}, count);
    for (int64_t done = count * size; done < bytes; done *= 2)
        memcpy(to + done, to, (size_t)(done < bytes - done ? done : bytes - done));
}

/* Converts from one stride to another. */
static void convert(const tni_part *p, char *from, int64_t from_size, int64_t from_stride, char *to,
                    int64_t to_size, int64_t to_stride, int64_t count) {
    char *args[] = {from, to};
    int64_t strides[] = {from_stride, to_stride}, sizes[] = {from_size, to_size};
    if (tni_steps_are_apart(from_stride, from_size, 1, count) ||
        tni_steps_are_apart(to_stride, to_size, 1, count))
        tni_steps_run(p->convert, 1, 2, sizes, args, strides, count);
    else
        p->convert(args, strides, count);
}

/* Moves elements of an unaligned argument to or from the spare stage. */
static void move(const tni_part *p, char *from, int64_t from_stride, char *to, int64_t to_stride,
                 int64_t count) {
    p->move((char *[]){from, to}, (int64_t[]){from_stride, to_stride}, count);
}

/* Converts `count` columns of an input into its stage. */
static void load(const tni_part *p, char *data, int64_t row, int64_t column, char *stage,
                 char *spare, int64_t count) {
    char *from = data + row * p->row + column * p->column;
    int64_t stride = p->column;
    if (p->move) {
        move(p, from, stride, spare, p->size, count);
        from = spare;
        stride = p->size;
    }
    convert(p, from, p->size, stride, stage, p->loop_size, p->loop_size, count);
}

/* Moves `count` columns of an output out of its stage where the mask says so. `spare`: room for
 * those that the mask leaves, where they lie unaligned. */
static void choose(const tni_tiling *tiling, const tni_part *p, char *of_mask, char *to,
                   char *stage, char *spare, int64_t count) {
    const tni_part *mask = &tiling->parts[tiling->operands];
    char *from = stage, *chosen = p->move ? spare : to;
    int64_t stride = p->move ? p->size : p->column;
    if (p->convert) {
        from = stage + tiling->piece * p->loop_size;
        p->convert((char *[]){stage, from}, (int64_t[]){p->loop_size, p->size}, count);
    }
    if (p->move) move(p, to, p->column, spare, p->size, count);
    p->choose((char *[]){of_mask, from, chosen, chosen},
              (int64_t[]){mask->column, p->size, stride, stride}, count);
    if (p->move) move(p, spare, p->size, to, p->column, count);
}

/* Moves `count` columns of output k out of its stage. */
static void store(const tni_tiling *tiling, const tni_tile *t, int k, int64_t row, int64_t column,
                  char *stage, char *spare, int64_t count) {
    const tni_part *p = &tiling->parts[k], *mask = &tiling->parts[tiling->operands];
    char *to = t->data[k] + row * p->row + column * p->column;
    if (p->how == TNI_STREAMED) {
        tni_stream_copy(to, stage, (size_t)(count * p->size));
    } else if (tiling->call.masked) {
        char *of_mask = t->data[tiling->operands] + row * mask->row + column * mask->column;
        choose(tiling, p, of_mask, to, stage, spare, count);
    } else if (p->move) {
        convert(p, stage, p->loop_size, p->loop_size, spare, p->size, p->size, count);
        move(p, spare, p->size, to, p->column, count);
    } else {
        convert(p, stage, p->loop_size, p->loop_size, to, p->size, p->column, count);
    }
}

/* Transposes an input's tile into its stage, converted if need be. */
static void load_transposed(const tni_tiling *tiling, const tni_tile *t, int k, char *stages) {
    const tni_part *p = &tiling->parts[k];
    char *stage = stages + p->stage, *raw = p->convert ? stages + tiling->spare : stage;
    tni_transpose(&(tni_transposition){.to = raw,
                                       .from = t->data[k],
                                       .to_row = t->columns * p->size,
                                       .from_row = p->row,
                                       .from_column = p->column,
                                       .item_bytes = p->size,
                                       .rows = t->rows,
                                       .columns = t->columns});
    if (p->convert)
        p->convert((char *[]){raw, stage}, (int64_t[]){p->size, p->loop_size},
                   t->rows * t->columns);
}

/* --- Copies that need no loop --- */

/* The source lies as the result does, or was transposed into a stage. */
static bool is_plain_copy(const tni_tiling *tiling) {
    const tni_part *from = &tiling->parts[0];
    return tiling->call.op == TNI_OP_COPY && tiling->parts[1].how == TNI_STREAMED &&
           !tiling->repeats_value && from->data && !from->convert &&
           tiling->call.arguments[0].dtype == tiling->call.arguments[1].dtype &&
           (from->how == TNI_TRANSPOSED || from->column == from->size);
}

static void transpose_tile(const tni_tiling *tiling, const tni_tile *t) {
    const tni_part *from = &tiling->parts[0], *to = &tiling->parts[1];
    tni_transpose(&(tni_transposition){.to = t->data[1],
                                       .from = t->data[0],
                                       .to_row = to->row,
                                       .from_row = from->row,
                                       .from_column = from->column,
                                       .item_bytes = to->size,
                                       .rows = t->rows,
                                       .columns = t->columns,
                                       .streams = tiling->bypasses_cache});
}

static void copy_rows(const tni_tiling *tiling, const tni_tile *t, const char *from,
                      int64_t from_row) {
    int64_t bytes = t->columns * tiling->parts[0].size, rows = t->rows;
    if (tiling->parts[1].row == bytes && from_row == bytes) { /* one run */
        bytes *= rows;
        rows = 1;
    }
    for (int64_t row = 0; row < rows; row++)
        tni_stream_copy(t->data[1] + row * tiling->parts[1].row, from + row * from_row,
                        (size_t)bytes);
}

/* The row is one value: converted once. A value of all rows is doubled until it is a piece, which
 * is put down repeatedly; so is one of a row that bypasses the caches. */
static void fill_rows(const tni_tiling *tiling, const tni_tile *t, char *stage) {
    const tni_part *from = &tiling->parts[0], *to = &tiling->parts[1];
    const int64_t columns = t->columns;
    int64_t piece = (columns < tiling->piece ? columns : tiling->piece) * to->size;
    for (int64_t row = 0; row < t->rows; row++) {
        char *value = from->data ? t->data[0] + row * from->row
                                 : (char *)(uintptr_t)tiling->call.arguments[0].value;
        if (from->row != 0 && !tiling->bypasses_cache) {
            tiling->loop((char *[]){value, stage}, (int64_t[]){0, to->size}, 1);
            to->convert((char *[]){stage, t->data[1] + row * to->row}, (int64_t[]){0, to->size},
                        columns);
            continue;
        }
        if (row == 0 || from->row != 0)
            tni_tile_repeat(stage, to->size, piece, value, 0, 1, tiling->loop);
        char *at = t->data[1] + row * to->row;
        for (int64_t left = columns * to->size, bytes; left > 0; left -= bytes, at += bytes) {
            bytes = left < piece ? left : piece;
            if (tiling->bypasses_cache)
                tni_stream_copy(at, stage, (size_t)bytes);
            else
                memcpy(at, stage, (size_t)bytes);
        }
    }
}

/* Where the loop finds each operand: at base + row * down + column * along. */
typedef struct places {
    char *base[TNI_MAX_ARGUMENTS];
    int64_t down[TNI_MAX_ARGUMENTS], along[TNI_MAX_ARGUMENTS], strides[TNI_MAX_ARGUMENTS];
    int64_t sizes[TNI_MAX_ARGUMENTS];
    bool are_apart;
} places;

static void find_places(places *p, const tni_tiling *tiling, const tni_tile *t, char *stages) {
    p->are_apart = false;
    for (int k = 0; k < tiling->operands; k++) {
        const tni_part *of = &tiling->parts[k];
        p->base[k] = stages + of->stage;
        p->strides[k] = of->loop_size;
        p->down[k] = p->along[k] = 0;
        if (!of->data) {
            p->base[k] = (char *)(uintptr_t)tiling->call.arguments[k].value;
            p->strides[k] = 0;
        } else if (of->how == TNI_DIRECT) {
            p->base[k] = t->data[k];
            p->down[k] = of->row;
            p->strides[k] = p->along[k] = of->column;
        } else if (of->how == TNI_TRANSPOSED) {
            load_transposed(tiling, t, k, stages);
            p->down[k] = t->columns * of->loop_size;
            p->along[k] = of->loop_size;
        } else if (of->how == TNI_REPEATED) {
            int64_t bytes = tiling->piece * of->loop_size;
            if (bytes > t->columns * t->rows * of->loop_size)
                bytes = t->columns * t->rows * of->loop_size;
            tni_tile_repeat(p->base[k], of->loop_size, bytes, t->data[k], of->column, t->columns,
                            of->convert);
        } else if (!tni_tiling_is_output(tiling, k) && of->column == 0) {
            p->strides[k] = 0;
        }
        p->sizes[k] = of->loop_size;
        if (tni_call_is_blind(&tiling->call)) p->strides[0] = 0;
        p->are_apart |= tni_steps_are_apart(p->strides[k], of->loop_size, tiling->call.input_count,
                                            tiling->columns);
    }
    p->are_apart &= !tni_call_is_move(&tiling->call);
}

/* Runs the loop over the tile, a piece of a row at a time. */
void tni_tile_run(const tni_tiling *tiling, const tni_tile *t, char *stages) {
    const int operands = tiling->operands;
    char *spare = stages + tiling->spare;
    places p;
    if (tiling->transposes_in_place) {
        transpose_tile(tiling, t);
        return;
    }
    find_places(&p, tiling, t, stages);
    if (tiling->repeats_value || is_plain_copy(tiling)) {
        if (tiling->repeats_value)
            fill_rows(tiling, t, p.base[1]);
        else
            copy_rows(tiling, t, p.base[0], p.down[0]);
        return;
    }
    int64_t rows = tiling->merges_rows ? 1 : t->rows,
            columns = tiling->merges_rows ? t->rows * t->columns : t->columns;
    for (int64_t row = 0; row < rows; row++) {
        char *at[TNI_MAX_ARGUMENTS];
        for (int k = 0; k < operands; k++)
            at[k] = p.base[k] + row * p.down[k];
        for (int64_t column = 0; column < columns; column += tiling->piece) {
            int64_t count = columns - column < tiling->piece ? columns - column : tiling->piece;
            for (int i = 0; i < tiling->loads; i++) {
                int k = tiling->load[i];
                bool constant = p.strides[k] == 0; /* converted once a row */
                if (!constant || column == 0)
                    load(&tiling->parts[k], t->data[k], row, column, at[k], spare,
                         constant ? 1 : count);
            }
            if (p.are_apart)
                tni_steps_run(tiling->loop, tiling->call.input_count, operands, p.sizes, at,
                              p.strides, count);
            else
                tiling->loop(at, p.strides, count);
            for (int i = 0; i < tiling->stores; i++)
                store(tiling, t, tiling->store[i], row, column, at[tiling->store[i]], spare, count);
            for (int k = 0; k < operands; k++)
                at[k] += count * p.along[k];
        }
    }
}
