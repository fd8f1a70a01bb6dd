/* The text of the kernels of matmul_loops.h, stamped once per storage type.
 *
 * Whoever includes this file defines, and it undefines again:
 *   SUFFIX            of the dtype, for names
 *   S, W              storage and working type (of complex types: of their parts)
 *   COMPLEX           0 or 1
 *   LOAD(s), STORE(w) conversions between them
 *   MUL(a, b), ADD(a, b)   on W and on vectors of W; products of bool are AND, sums OR
 *   WIDE_SUM          1 when sums must not be stored as S in between (halves)
 *   LOAD_RUN(w, s, n) optional: converts a contiguous run
 *
 * A complex product is a real one of twice the depth and twice the columns: a row of a is read as
 * (re, im) pairs, an element of b becomes the block ((re, im), (-im, re)), and a row of the result
 * comes out as pairs. So only packing knows about complex numbers. */
#ifndef TNI_MATMUL_KERNEL_H
#define TNI_MATMUL_KERNEL_H

#include "backend/host/loops/matmul_loops.h"
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

#define INLINE static inline __attribute__((always_inline))
#define UNROLL_(text) _Pragma(#text)
#define UNROLL(n) UNROLL_(GCC unroll n)

#endif

#define NAME(name) TN_PASTE(name##_, SUFFIX)
#define VECTOR NAME(vector)
#define PARTS (COMPLEX ? 2 : 1)
#define LANES ((int64_t)(VECTOR_BYTES / sizeof(W)))
#define TILE_COLUMNS (2 * LANES) /* in W */

typedef W VECTOR __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef W NAME(loose) __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias));

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
    if (rows < TILE_ROWS) memset(panel, 0, sizeof(W) * (size_t)(TILE_ROWS * depth * PARTS));
    for (int64_t row = 0; row < rows; row++) {
        W *at = panel + row;
        const char *from = a.data + row * a.row_stride;
        for (int64_t p = 0; p < depth; p++, from += a.column_stride) {
            const S *element = (const S *)(const void *)from;
            for (int part = 0; part < PARTS; part++, at += TILE_ROWS)
                *at = LOAD(element[part]);
        }
    }
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
        for (int64_t p = 0; p < depth; p++, panel += TILE_COLUMNS)
            if (columns == TILE_COLUMNS)
                NAME(load_run)(panel, NAME(at)(b, p, 0), TILE_COLUMNS);
            else
                NAME(load_run)(panel, NAME(at)(b, p, 0), columns);
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

/* tile = a b over one panel of each; the sums stay in registers. */
INLINE void NAME(multiply)(W *tile, const W *a, const W *b, int64_t depth) {
    VECTOR left[TILE_ROWS], right[TILE_ROWS];
    UNROLL(16)
    for (int i = 0; i < TILE_ROWS; i++)
        left[i] = right[i] = (VECTOR){0};
    for (int64_t p = 0; p < depth; p++, a += TILE_ROWS, b += TILE_COLUMNS) {
        VECTOR first = *(const VECTOR *)(const void *)b;
        VECTOR second = *(const VECTOR *)(const void *)(b + LANES);
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

/* Adds `count` sums in W to a run of W, or stores them. */
INLINE void NAME(put_sums)(W *to, const W *sums, int64_t count, bool accumulate) {
    if (accumulate)
        for (int64_t j = 0; j < count; j++)
            to[j] = ADD(to[j], sums[j]);
    else
        for (int64_t j = 0; j < count; j++)
            to[j] = sums[j];
}

INLINE void NAME(put_run)(S *to, const W *sums, int64_t count, bool accumulate) {
    if (accumulate)
        for (int64_t j = 0; j < count; j++)
            to[j] = STORE(ADD(LOAD(to[j]), sums[j]));
    else
        for (int64_t j = 0; j < count; j++)
            to[j] = STORE(sums[j]);
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

static void NAME(block)(tni_matmul_view out, const void *a, const void *b, int64_t rows,
                        int64_t columns, int64_t depth, bool accumulate, bool sums) {
    _Alignas(64) W tile[TILE_ROWS * 2 * VECTOR_BYTES / sizeof(W)];
    const int64_t wide = TILE_COLUMNS / PARTS;
    depth *= PARTS;
    for (int64_t j = 0; j < columns; j += wide) {
        const W *right = (const W *)b + j / wide * TILE_COLUMNS * depth;
        int64_t width = columns - j < wide ? columns - j : wide;
        for (int64_t i = 0; i < rows; i += TILE_ROWS) {
            int64_t height = rows - i < TILE_ROWS ? rows - i : TILE_ROWS;
            NAME(multiply)(tile, (const W *)a + i * depth, right, depth);
            tni_matmul_view to = out;
            to.data += i * out.row_stride + j * out.column_stride;
            if (!WIDE_SUM || !sums)
                NAME(put_tile)(to, tile, height, width, accumulate);
            else
                for (int64_t k = 0; k < height; k++, to.data += to.row_stride)
                    NAME(put_sums)
                    ((W *)(void *)to.data, tile + k * TILE_COLUMNS, width, accumulate);
        }
    }
}

#if WIDE_SUM
static void NAME(store)(tni_matmul_view out, tni_matmul_view sums, int64_t rows, int64_t columns) {
    for (int64_t i = 0; i < rows; i++) {
        const W *from = (const W *)(const void *)(sums.data + i * sums.row_stride);
        char *to = out.data + i * out.row_stride;
        for (int64_t j = 0; j < columns; j++, to += out.column_stride)
            *(S *)(void *)to = STORE(from[j]);
    }
}
#endif

/* --- Products with a vector --- */

#if COMPLEX
INLINE void NAME(multiply_add)(W sum[2], const S *a, const S *b, W sign) {
    W re = LOAD(a[0]), im = LOAD(a[1]) * sign;
    sum[0] += re * LOAD(b[0]) - im * LOAD(b[1]);
    sum[1] += re * LOAD(b[1]) + im * LOAD(b[0]);
}

static void NAME(vector_product)(char *out, int64_t out_stride, tni_matmul_view a, const char *x,
                                 int64_t x_stride, int64_t rows, int64_t depth, void *scratch) {
    (void)scratch;
    for (int64_t i = 0; i < rows; i++, out += out_stride) {
        W sums[4][2] = {{0}};
        for (int64_t p = 0; p < depth; p++)
            NAME(multiply_add)
            (sums[p & 3], NAME(at)(a, i, p), (const S *)(const void *)(x + p * x_stride), 1);
        for (int part = 0; part < 2; part++)
            ((S *)(void *)out)[part] =
                STORE(sums[0][part] + sums[1][part] + (sums[2][part] + sums[3][part]));
    }
}
#else
/* The dot product of two runs of W, in 4 vectors of sums. */
INLINE W NAME(dot_run)(const W *a, const W *b, int64_t count) {
    VECTOR sums[4] = {{0}, {0}, {0}, {0}};
    W total = 0, parts[VECTOR_BYTES / sizeof(W)];
    int64_t i = 0;
    for (; i + 4 * LANES <= count; i += 4 * LANES) {
        UNROLL(4)
        for (int k = 0; k < 4; k++) {
            VECTOR left = *(const NAME(loose) *)(const void *)(a + i + k * LANES);
            VECTOR right = *(const NAME(loose) *)(const void *)(b + i + k * LANES);
            sums[k] = ADD(sums[k], MUL(left, right));
        }
    }
    for (; i < count; i++)
        total = ADD(total, MUL(a[i], b[i]));
    VECTOR sum = ADD(ADD(sums[0], sums[1]), ADD(sums[2], sums[3]));
    memcpy(parts, &sum, sizeof sum);
    for (int64_t k = 0; k < LANES; k++)
        total = ADD(total, parts[k]);
    return total;
}

/* Rows that lie along memory: each is converted piece by piece, or read where it is. */
INLINE void NAME(vector_by_rows)(char *out, int64_t out_stride, tni_matmul_view a, const W *x,
                                 int64_t rows, int64_t depth) {
    enum { PIECE = 512 };
    _Alignas(64) W piece[PIECE];
    bool direct = WIDE_SUM == 0 && sizeof(S) == sizeof(W) && a.column_stride == (int64_t)sizeof(S);
    for (int64_t i = 0; i < rows; i++, out += out_stride) {
        W sum = 0;
        if (direct)
            sum = NAME(dot_run)((const W *)(const void *)NAME(at)(a, i, 0), x, depth);
        else
            for (int64_t p = 0; p < depth; p += PIECE) {
                int64_t count = depth - p < PIECE ? depth - p : PIECE;
                const char *from = (const char *)NAME(at)(a, i, p);
                if (a.column_stride == (int64_t)sizeof(S))
                    NAME(load_run)(piece, (const S *)(const void *)from, count);
                else
                    for (int64_t q = 0; q < count; q++, from += a.column_stride)
                        piece[q] = LOAD(*(const S *)(const void *)from);
                sum = ADD(sum, NAME(dot_run)(piece, x + p, count));
            }
        *(S *)(void *)out = STORE(sum);
    }
}

/* Columns that lie along memory: a few hundred sums at a time take column after column. */
INLINE void NAME(vector_by_columns)(char *out, int64_t out_stride, tni_matmul_view a, const W *x,
                                    int64_t rows, int64_t depth) {
    enum { PIECE = 512 };
    _Alignas(64) W sums[PIECE], column[PIECE];
    for (int64_t i = 0; i < rows; i += PIECE) {
        int64_t count = rows - i < PIECE ? rows - i : PIECE;
        memset(sums, 0, sizeof sums);
        for (int64_t p = 0; p < depth; p++) {
            const char *from = (const char *)NAME(at)(a, i, p);
            if (a.row_stride == (int64_t)sizeof(S))
                NAME(load_run)(column, (const S *)(const void *)from, count);
            else
                for (int64_t q = 0; q < count; q++, from += a.row_stride)
                    column[q] = LOAD(*(const S *)(const void *)from);
            for (int64_t q = 0; q < count; q++)
                sums[q] = ADD(sums[q], MUL(column[q], x[p]));
        }
        for (int64_t q = 0; q < count; q++, out += out_stride)
            *(S *)(void *)out = STORE(sums[q]);
    }
}

static void NAME(vector_product)(char *out, int64_t out_stride, tni_matmul_view a, const char *x,
                                 int64_t x_stride, int64_t rows, int64_t depth, void *scratch) {
    W *packed = scratch;
    if (x_stride == (int64_t)sizeof(S))
        NAME(load_run)(packed, (const S *)(const void *)x, depth);
    else
        for (int64_t p = 0; p < depth; p++, x += x_stride)
            packed[p] = LOAD(*(const S *)(const void *)x);
    int64_t along = a.column_stride < 0 ? -a.column_stride : a.column_stride;
    int64_t across = a.row_stride < 0 ? -a.row_stride : a.row_stride;
    if (rows > 1 && across < along)
        NAME(vector_by_columns)(out, out_stride, a, packed, rows, depth);
    else
        NAME(vector_by_rows)(out, out_stride, a, packed, rows, depth);
}
#endif

/* --- Tiny matrices --- */

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

static void NAME(tiny)(int64_t count, const int64_t batch_strides[3], tni_matmul_view out,
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

static const tni_matmul_kernel NAME(kernel) = {
    .rows = TILE_ROWS,
    .columns = TILE_COLUMNS / PARTS,
    .a_bytes = sizeof(W) * PARTS,
    .b_bytes = sizeof(W) * PARTS * PARTS,
    .sum_bytes = WIDE_SUM ? sizeof(W) : 0,
    .pack_a = NAME(pack_a),
    .pack_b = NAME(pack_b),
    .block = NAME(block),
#if WIDE_SUM
    .store = NAME(store),
#endif
    .vector = NAME(vector_product),
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
