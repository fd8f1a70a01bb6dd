/* One column of a factorization (Gilbert and Peierls, Sparse partial pivoting in time proportional
 * to arithmetic operations, 1988), with blocks of columns that have the same rows (Demmel et al., A
 * supernodal approach to sparse partial pivoting, 1999) and with structures that are pruned
 * (Eisenstat and Liu, Exploiting structural symmetry in unsymmetric sparse symbolic factorization,
 * 1992): where row and column of a pivot meet, a path through the pivot reaches the rest. */
#include "backend/host/forms/sparse/lu/column.h"
#include "core/base/alloc.h"
#include "core/base/error.h"

#include <string.h>

tn_status tni_lu_singular(void) {
    TNI_FAIL(TN_ERROR_RUNTIME, "Factor is exactly singular");
}

tn_status tni_lu_area_grow(tni_lu_area *area, int64_t more) {
    if (more <= area->place - area->used) return TN_OK;
    const int64_t place = (area->used + more) * 3 / 2 + 64;
    char *at = tni_realloc(area->at, (size_t)(place * area->item));
    if (!at) return tni_fail_no_memory(place * area->item);
    area->at = at;
    area->place = place;
    return TN_OK;
}

/* --- Where a column leads to --- */

/* Notes a row: true if it leads to a block that is new. */
static bool note(tni_lu_columns *c, int32_t row, int32_t *block) {
    const int32_t pivot = c->pivot_of[row];
    if (pivot < 0) {
        if (c->row_mark[row] != c->stamp) {
            c->row_mark[row] = c->stamp;
            c->open[c->open_count++] = row;
        }
        return false;
    }
    const int32_t b = *block = c->block_of[pivot];
    if (c->block_mark[b] == c->stamp) {
        if (pivot < c->entry[b]) c->entry[b] = pivot;
        return false;
    }
    c->block_mark[b] = c->stamp;
    c->entry[b] = pivot;
    return true;
}

/* The rows that a block leads to. */
static const int32_t *way_of(const tni_lu_columns *c, int32_t b, int64_t *length) {
    const tni_lu_block *block = &c->blocks[b];
    if (c->way_length[b] >= 0) {
        *length = c->way_length[b];
        return (const int32_t *)(void *)c->ways.at + c->way[b];
    }
    *length = block->height - block->width;
    return (const int32_t *)(void *)c->lists.at + block->list + block->width;
}

/* Depth first from a block. The path is written from its end, so that a block comes before those
 * that it leads to. */
static void follow(tni_lu_columns *c, int32_t block) {
    int64_t top = 0, length;
    c->stack[0] = block;
    c->stack[1] = 0;
    while (top >= 0) {
        const int32_t b = (int32_t)c->stack[2 * top];
        const int32_t *way = way_of(c, b, &length);
        int64_t at = c->stack[2 * top + 1];
        int32_t next = -1;
        while (at < length && !note(c, way[at], &next))
            at++;
        if (at < length) {
            c->stack[2 * top + 1] = at + 1;
            top++;
            c->stack[2 * top] = next;
            c->stack[2 * top + 1] = 0;
        } else {
            c->path[--c->path_first] = b;
            top--;
        }
    }
}

tn_status tni_lu_column(tni_lu_columns *c, int64_t k) {
    const tni_lu_pattern *p = c->pattern;
    const int32_t column = c->order[k];
    const int64_t begin = p->starts[column], count = p->starts[column + 1] - begin;
    c->stamp++;
    c->open_count = 0;
    c->path_first = c->n;
    for (int64_t at = begin; at < begin + count; at++) {
        int32_t block;
        if (note(c, p->rows[at], &block)) follow(c, block);
    }
    int64_t more = 0;
    for (int64_t at = c->path_first; at < c->n; at++) {
        const tni_lu_block *block = &c->blocks[c->path[at]];
        more += block->first + block->width - c->entry[c->path[at]];
    }
    TNI_TRY(tni_lu_area_grow(&c->upper_rows, more));
    TNI_TRY(tni_lu_area_grow(&c->upper_values, more));
    c->loops->scatter(c->x, p->rows + begin, (const char *)c->call->a.values + begin * c->item,
                      count);
    tni_lu_sweep sweep = {.blocks = c->blocks,
                          .lists = (const int32_t *)(void *)c->lists.at,
                          .values = c->values.at,
                          .path = c->path + c->path_first,
                          .entry = c->entry,
                          .count = c->n - c->path_first,
                          .x = c->x,
                          .room = c->room,
                          .to_rows = (int32_t *)(void *)c->upper_rows.at,
                          .to_values = c->upper_values.at,
                          .written = c->upper_rows.used};
    c->loops->eliminate(&sweep);
    c->upper_rows.used = c->upper_values.used = sweep.written;
    return TN_OK;
}

/* --- What is kept of it --- */

/* The column becomes the next one of the last block, whose rows it has. */
static tn_status widen(tni_lu_columns *c, int64_t k, int32_t pivot) {
    tni_lu_block *block = &c->blocks[c->block_count - 1];
    int32_t *list = (int32_t *)(void *)c->lists.at + block->list, at = block->width;
    const int64_t height = block->height, width = block->width;
    TNI_TRY(tni_lu_area_grow(&c->values, height));
    char *values = c->values.at + block->values * c->item;
    while (list[at] != pivot)
        at++;
    if (at != width) {
        list[at] = list[width];
        list[width] = pivot;
        for (int64_t i = 0; i < width; i++)
            c->loops->exchange(values, i * height + at, i * height + width);
    }
    c->loops->divide(values + (width * height + width + 1) * c->item, c->diagonal + k * c->item,
                     c->x, list + width + 1, height - width - 1, pivot);
    c->values.used += height;
    block->width++;
    c->block_of[k] = (int32_t)(c->block_count - 1);
    return TN_OK;
}

static tn_status begin_block(tni_lu_columns *c, int64_t k, int32_t pivot) {
    const int64_t height = c->open_count;
    TNI_TRY(tni_lu_area_grow(&c->values, height));
    TNI_TRY(tni_lu_area_grow(&c->lists, height));
    int32_t *list = (int32_t *)(void *)c->lists.at + c->lists.used, written = 0;
    list[written++] = pivot;
    for (int64_t at = 0; at < c->open_count; at++)
        if (c->open[at] != pivot) list[written++] = c->open[at];
    c->loops->divide(c->values.at + (c->values.used + 1) * c->item, c->diagonal + k * c->item, c->x,
                     list + 1, height - 1, pivot);
    c->way_length[c->block_count] = -1;
    c->block_mark[c->block_count] = 0;
    c->block_of[k] = (int32_t)c->block_count;
    c->blocks[c->block_count++] =
        (tni_lu_block){c->lists.used, c->values.used, (int32_t)k, 1, (int32_t)height};
    c->lists.used += height;
    c->values.used += height;
    return TN_OK;
}

/* Shortens the way of a block that has the pivot's row. */
static tn_status prune(tni_lu_columns *c, int32_t b, int32_t pivot) {
    const tni_lu_block *block = &c->blocks[b];
    const int32_t *list = (const int32_t *)(void *)c->lists.at + block->list;
    int64_t at = block->width;
    while (at < block->height && list[at] != pivot)
        at++;
    if (at == block->height) return TN_OK;
    TNI_TRY(tni_lu_area_grow(&c->ways, block->height - block->width));
    int32_t *way = (int32_t *)(void *)c->ways.at + c->ways.used, length = 0;
    for (at = block->width; at < block->height; at++)
        if (c->pivot_of[list[at]] >= 0) way[length++] = list[at];
    c->way[b] = c->ways.used;
    c->way_length[b] = length;
    c->ways.used += length;
    return TN_OK;
}

tn_status tni_lu_keep(tni_lu_columns *c, int64_t k, int32_t pivot) {
    const int32_t last = (int32_t)c->block_count - 1;
    const tni_lu_block *block = &c->blocks[last];
    if (!c->is_incomplete && last >= 0 && c->block_mark[last] == c->stamp &&
        block->height - block->width == c->open_count)
        TNI_TRY(widen(c, k, pivot));
    else
        TNI_TRY(begin_block(c, k, pivot));
    c->pivot_of[pivot] = (int32_t)k;
    c->row_of[k] = pivot;
    c->upper_starts[k + 1] = c->upper_rows.used;
    for (int64_t at = c->path_first; at < c->n && !c->is_incomplete; at++)
        if (c->path[at] < c->block_count - 1 && c->way_length[c->path[at]] < 0)
            TNI_TRY(prune(c, c->path[at], pivot));
    return TN_OK;
}
