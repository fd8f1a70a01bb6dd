/* The text of the kernels of matmul_loops.h, stamped once per storage type.
 *
 * Whoever includes this file defines, and it undefines again:
 *   SUFFIX            of the dtype, for names
 *   S, W              storage and working type (of complex types: of their parts)
 * and where they are not as for plain numbers:
 *   COMPLEX           1
 *   LOAD(s), STORE(w) conversions between S and W
 *   MUL(a, b), ADD(a, b)   on W and on vectors of W; products of bool are AND, sums OR
 *   WIDE_SUM          1 when sums must not be stored as S in between (halves)
 *   LOAD_RUN(w, s, n) converts a contiguous run
 *
 * A complex product is a real one of twice the depth and twice the columns: a row of a is read as
 * (re, im) pairs, an element of b becomes the block ((re, im), (-im, re)), and a row of the result
 * comes out as pairs. So only packing knows about complex numbers. */
#ifndef TNI_MATMUL_KERNEL_H
#define TNI_MATMUL_KERNEL_H

#include "backend/host/loops/matmul/matmul_loops.h"
#include "ops/types.h"

#include <stddef.h>
#include <string.h>

/* Products need not agree with the device to the last bit (a BLAS decides for itself), so here, and
 * only here, a multiplication and an addition may become one instruction. */
#ifdef __clang__
#pragma clang fp contract(fast)
#else
#pragma GCC optimize("fp-contract=fast")
#endif

/* Tiles as large as the registers hold: ROWS x 2 vectors of sums, 2 of b, one of a. */
#if defined(__AVX512BW__)
enum { VECTOR_BYTES = 64, TILE_ROWS = 12 };
#elif defined(__AVX2__)
enum { VECTOR_BYTES = 32, TILE_ROWS = 6 };
#else
enum { VECTOR_BYTES = 16, TILE_ROWS = 4 };
#endif

/* How much of a row of a is packed before the next row's turn; how far ahead rows of b are
 * fetched. */
enum { PACK_DEPTH = 16, FETCH_ROWS = 8 };

/* Of one round of a product with a vector. */
enum { SOME_ROWS = 256, PIECE = 1024 };

#define INLINE static inline __attribute__((always_inline))
#define UNROLL_(text) _Pragma(#text)
#define UNROLL(n) UNROLL_(GCC unroll n)

#endif

#ifndef COMPLEX
#define COMPLEX 0
#endif
#ifndef LOAD
#define LOAD(s) (s)
#endif
#ifndef STORE
#define STORE(w) (w)
#endif
#ifndef MUL
#define MUL(a, b) ((a) * (b))
#endif
#ifndef ADD
#define ADD(a, b) ((a) + (b))
#endif
#ifndef WIDE_SUM
#define WIDE_SUM 0
#endif

#define NAME(name) TN_PASTE(name##_, SUFFIX)
#define VECTOR NAME(vector)
#define PARTS (COMPLEX ? 2 : 1)
#define LANES ((int64_t)(VECTOR_BYTES / sizeof(W)))
#define TILE_COLUMNS (2 * LANES) /* in W */

typedef W VECTOR __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef W NAME(loose) __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias));
typedef unsigned char NAME(bits) __attribute__((vector_size(VECTOR_BYTES)));
typedef NAME(bits) NAME(loose_bits) __attribute__((aligned(1), may_alias));

/* --- Packing --- */

INLINE const S *NAME(at)(tni_matmul_view view, int64_t row, int64_t column) {
    return (const S *)(const void *)(view.data + row * view.row_stride +
                                     column * view.column_stride);
}

INLINE void NAME(load_run)(W *to, const S *from, int64_t count) {
#ifdef LOAD_RUN
    LOAD_RUN(to, from, count);
#else
    for (int64_t i = 0; i < count; i++)
        to[i] = LOAD(from[i]);
#endif
}

static void NAME(pack_a)(void *to, tni_matmul_view a, int64_t rows, int64_t depth) {
    W *panel = to;
    for (int64_t begin = 0; begin < depth; begin += PACK_DEPTH) {
        int64_t count = depth - begin < PACK_DEPTH ? depth - begin : PACK_DEPTH;
        for (int64_t row = 0; row < rows; row++) {
            W *at = panel + begin * PARTS * TILE_ROWS + row;
            const char *from = (const char *)NAME(at)(a, row, begin);
            for (int64_t p = 0; p < count; p++, from += a.column_stride) {
                const S *element = (const S *)(const void *)from;
                for (int part = 0; part < PARTS; part++, at += TILE_ROWS)
                    *at = LOAD(element[part]);
            }
        }
    }
    if (rows == TILE_ROWS) return;
    for (int64_t p = 0; p < depth * PARTS; p++, panel += TILE_ROWS)
        for (int64_t row = rows; row < TILE_ROWS; row++)
            panel[row] = 0;
}

#if COMPLEX
static void NAME(pack_b)(void *to, tni_matmul_view b, int64_t depth, int64_t columns) {
    W *panel = to;
    if (2 * columns < TILE_COLUMNS)
        memset(panel, 0, sizeof(W) * (size_t)(2 * depth * TILE_COLUMNS));
    for (int64_t p = 0; p < depth; p++, panel += 2 * TILE_COLUMNS)
        for (int64_t j = 0; j < columns; j++) {
            const S *element = NAME(at)(b, p, j);
            panel[2 * j] = LOAD(element[0]);
            panel[2 * j + 1] = LOAD(element[1]);
            panel[TILE_COLUMNS + 2 * j] = -LOAD(element[1]);
            panel[TILE_COLUMNS + 2 * j + 1] = LOAD(element[0]);
        }
}
#else
static void NAME(pack_b)(void *to, tni_matmul_view b, int64_t depth, int64_t columns) {
    W *panel = to;
    if (columns < TILE_COLUMNS) memset(panel, 0, sizeof(W) * (size_t)(depth * TILE_COLUMNS));
    if (b.column_stride == (int64_t)sizeof(S)) {
        for (int64_t p = 0; p < depth; p++, panel += TILE_COLUMNS) {
            const char *ahead = (const char *)NAME(at)(b, p + FETCH_ROWS, 0);
            __builtin_prefetch(ahead);
            __builtin_prefetch(ahead + 64);
            if (columns == TILE_COLUMNS)
                NAME(load_run)(panel, NAME(at)(b, p, 0), TILE_COLUMNS);
            else
                NAME(load_run)(panel, NAME(at)(b, p, 0), columns);
        }
        return;
    }
    for (int64_t j = 0; j < columns; j++) {
        const char *from = b.data + j * b.column_stride;
        for (int64_t p = 0; p < depth; p++, from += b.row_stride)
            panel[p * TILE_COLUMNS + j] = LOAD(*(const S *)(const void *)from);
    }
}
#endif

/* --- Blocks --- */

/* tile = a b over one panel of each; the sums stay in registers. Meanwhile memory from `next` on
 * comes nearer, `step` bytes for each turn. */
INLINE void NAME(multiply)(W *tile, const W *a, const W *b, int64_t depth, const char *next,
                           int64_t step) {
    VECTOR left[TILE_ROWS], right[TILE_ROWS];
    UNROLL(16)
    for (int i = 0; i < TILE_ROWS; i++)
        left[i] = right[i] = (VECTOR){0};
    for (int64_t p = 0; p < depth; p++, a += TILE_ROWS, b += TILE_COLUMNS) {
        VECTOR first = *(const VECTOR *)(const void *)b;
        VECTOR second = *(const VECTOR *)(const void *)(b + LANES);
        __builtin_prefetch(next, 0, 2);
        next += step;
        UNROLL(16)
        for (int i = 0; i < TILE_ROWS; i++) {
            VECTOR factor = a[i] - (VECTOR){0}; /* a broadcast; 0 + a would not be one for -0.0 */
            left[i] = ADD(left[i], MUL(factor, first));
            right[i] = ADD(right[i], MUL(factor, second));
        }
    }
    UNROLL(16)
    for (int i = 0; i < TILE_ROWS; i++) {
        *(VECTOR *)(void *)(tile + i * TILE_COLUMNS) = left[i];
        *(VECTOR *)(void *)(tile + i * TILE_COLUMNS + LANES) = right[i];
    }
}

/* Stores `count` sums as elements (parts of complex ones), or adds them. */
INLINE void NAME(put_run)(S *to, const W *sums, int64_t count, bool accumulate) {
    if (accumulate)
        for (int64_t j = 0; j < count; j++)
            to[j] = STORE(ADD(LOAD(to[j]), sums[j]));
    else
        for (int64_t j = 0; j < count; j++)
            to[j] = STORE(sums[j]);
}

/* The same of sums in W, which `merge` adds and `store` turns into elements. */
INLINE void NAME(put_sums)(W *to, const W *sums, int64_t count, bool accumulate) {
    if (accumulate)
        for (int64_t j = 0; j < count; j++)
            to[j] = ADD(to[j], sums[j]);
    else
        for (int64_t j = 0; j < count; j++)
            to[j] = sums[j];
}

/* The first rows x columns (elements) of a tile into the result. */
INLINE void NAME(put_tile)(tni_matmul_view out, const W *tile, int64_t rows, int64_t columns,
                           bool accumulate) {
    for (int64_t i = 0; i < rows; i++, tile += TILE_COLUMNS) {
        char *to = out.data + i * out.row_stride;
        if (out.column_stride == (int64_t)(sizeof(S) * PARTS)) {
            if (columns * PARTS == TILE_COLUMNS)
                NAME(put_run)((S *)(void *)to, tile, TILE_COLUMNS, accumulate);
            else
                NAME(put_run)((S *)(void *)to, tile, columns * PARTS, accumulate);
        } else
            for (int64_t j = 0; j < columns; j++, to += out.column_stride)
                NAME(put_run)((S *)(void *)to, tile + j * PARTS, PARTS, accumulate);
    }
}

/* Asks for the lines where a tile is going to be put. */
INLINE void NAME(fetch_tile)(tni_matmul_view out, int64_t rows, int64_t columns) {
    const int64_t bytes = columns * (int64_t)sizeof(S) * PARTS;
    if (out.column_stride != (int64_t)(sizeof(S) * PARTS)) return;
    for (int64_t i = 0; i < rows; i++) {
        const char *row = out.data + i * out.row_stride;
        for (int64_t at = 0; at < bytes; at += 64)
            __builtin_prefetch(row + at, 1, 3);
        __builtin_prefetch(row + bytes - 1, 1, 3);
    }
}

static void NAME(block)(tni_matmul_view out, const void *a, const void *b, int64_t rows,
                        int64_t columns, int64_t depth, bool accumulate, bool wide) {
    _Alignas(64) W tile[TILE_ROWS * 2 * VECTOR_BYTES / sizeof(W)];
    const int64_t across = TILE_COLUMNS / PARTS;
    depth *= PARTS;
    for (int64_t j = 0; j < columns; j += across) {
        const W *right = (const W *)b + j / across * TILE_COLUMNS * depth;
        int64_t width = columns - j < across ? columns - j : across;
        /* While the panels of a pass by, the next panel of b is fetched. */
        const char *next = (const char *)(right + TILE_COLUMNS * depth);
        int64_t step = TILE_COLUMNS * (int64_t)sizeof(W) * TILE_ROWS / (rows + TILE_ROWS - 1);
        for (int64_t i = 0; i < rows; i += TILE_ROWS) {
            int64_t height = rows - i < TILE_ROWS ? rows - i : TILE_ROWS;
            tni_matmul_view to = out;
            to.data += i * out.row_stride + j * out.column_stride;
            if (!wide) NAME(fetch_tile)(to, height, width);
            NAME(multiply)(tile, (const W *)a + i * depth, right, depth, next, step);
            next += step * depth;
            if (!wide) {
                NAME(put_tile)(to, tile, height, width, accumulate);
                continue;
            }
            for (int64_t k = 0; k < height; k++, to.data += to.row_stride) {
                W *sums = (W *)(void *)to.data;
                NAME(put_sums)(sums, tile + k * TILE_COLUMNS, width * PARTS, accumulate);
            }
        }
    }
}

static void NAME(merge)(void *to, const void *from, int64_t count) {
    NAME(put_sums)(to, from, count * PARTS, true);
}

static void NAME(store)(tni_matmul_view out, tni_matmul_view sums, int64_t rows, int64_t columns) {
    for (int64_t i = 0; i < rows; i++) {
        const W *from = (const W *)(const void *)(sums.data + i * sums.row_stride);
        char *to = out.data + i * out.row_stride;
        for (int64_t j = 0; j < columns; j++, to += out.column_stride)
            NAME(put_run)((S *)(void *)to, from + j * PARTS, PARTS, false);
    }
}

#include "backend/host/loops/matmul/matmul_vector.h"

/* --- Tiny matrices --- */

#if COMPLEX
INLINE void NAME(multiply_add)(W sum[2], const S *a, const S *b, W sign) {
    W re = LOAD(a[0]), im = LOAD(a[1]) * sign;
    sum[0] += re * LOAD(b[0]) - im * LOAD(b[1]);
    sum[1] += re * LOAD(b[1]) + im * LOAD(b[0]);
}
#endif

INLINE void NAME(tiny_element)(S *out, const char *a, const char *b, int64_t a_stride,
                               int64_t b_stride, int64_t depth, bool conjugate) {
#if COMPLEX
    W sum[2] = {0, 0}, sign = conjugate ? -1 : 1;
    for (int64_t p = 0; p < depth; p++, a += a_stride, b += b_stride)
        NAME(multiply_add)(sum, (const S *)(const void *)a, (const S *)(const void *)b, sign);
    out[0] = STORE(sum[0]);
    out[1] = STORE(sum[1]);
#else
    (void)conjugate;
    W sum = 0;
    for (int64_t p = 0; p < depth; p++, a += a_stride, b += b_stride)
        sum = ADD(sum, MUL(LOAD(*(const S *)(const void *)a), LOAD(*(const S *)(const void *)b)));
    *out = STORE(sum);
#endif
}

INLINE void NAME(tiny_loop)(int64_t count, const int64_t *batch_strides, tni_matmul_view out,
                            tni_matmul_view a, tni_matmul_view b, int64_t rows, int64_t columns,
                            int64_t depth, bool conjugate) {
    for (int64_t k = 0; k < count; k++) {
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++)
                NAME(tiny_element)
        ((S *)(void *)(uintptr_t)NAME(at)(out, i, j), a.data + i * a.row_stride,
         b.data + j * b.column_stride, a.column_stride, b.row_stride, depth, conjugate);
        out.data += batch_strides[0];
        a.data += batch_strides[1];
        b.data += batch_strides[2];
    }
}

/* Of the sizes of geometry, loops of known length. */
static void NAME(tiny)(int64_t count, const int64_t batch_strides[3], tni_matmul_view out,
                       tni_matmul_view a, tni_matmul_view b, int64_t rows, int64_t columns,
                       int64_t depth, bool conjugate) {
    int64_t side = rows == depth && (columns == depth || columns == 1) ? depth : 0;
#define TINY(m, n) NAME(tiny_loop)(count, batch_strides, out, a, b, m, n, m, false)
    if (!conjugate && side == 2 && columns == 2)
        TINY(2, 2);
    else if (!conjugate && side == 3 && columns == 3)
        TINY(3, 3);
    else if (!conjugate && side == 4 && columns == 4)
        TINY(4, 4);
    else if (!conjugate && side == 3)
        TINY(3, 1);
    else if (!conjugate && side == 4)
        TINY(4, 1);
    else
        NAME(tiny_loop)(count, batch_strides, out, a, b, rows, columns, depth, conjugate);
#undef TINY
}

static const tni_matmul_kernel NAME(kernel) = {
    .rows = TILE_ROWS,
    .columns = TILE_COLUMNS / PARTS,
    .a_bytes = sizeof(W) * PARTS,
    .b_bytes = sizeof(W) * PARTS * PARTS,
    .sum_bytes = sizeof(W) * PARTS,
    .rounds_sums = WIDE_SUM,
    .pack_a = NAME(pack_a),
    .pack_b = NAME(pack_b),
    .block = NAME(block),
    .merge = NAME(merge),
    .store = NAME(store),
    .vector = NAME(vector_product),
    .add_sums = NAME(add_sums),
    .tiny = NAME(tiny),
};

#undef NAME
#undef VECTOR
#undef PARTS
#undef LANES
#undef TILE_COLUMNS
#undef SUFFIX
#undef S
#undef W
#undef COMPLEX
#undef LOAD
#undef STORE
#undef MUL
#undef ADD
#undef WIDE_SUM
#undef LOAD_RUN
