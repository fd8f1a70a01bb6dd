/* Products with a vector: a part of matmul_kernel.h, which stamps it.
 *
 * A few hundred rows and a piece of the depth at a time. Rows that lie along memory are dotted with
 * x; columns that do are added up, each times its element of x. A row of complex numbers is read as
 * one of reals: it is dotted with (re, -im) and with (im, re) of x, and a column is added up times
 * re and times im. */

/* The last products of two runs, fewer than a vector holds: of the vectors that end where the runs
 * do, without what was added before. */
INLINE VECTOR NAME(last_products)(const W *a_end, const W *b_end, int64_t count) {
    static const int64_t kept[16] = {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};
    const char *window = (const char *)(kept + 8) - VECTOR_BYTES + count * (int64_t)sizeof(W);
    VECTOR left = *(const NAME(loose) *)(const void *)(a_end - LANES);
    VECTOR right = *(const NAME(loose) *)(const void *)(b_end - LANES);
    VECTOR products = MUL(left, right);
    NAME(bits) mask = *(const NAME(loose_bits) *)(const void *)window;
    return (VECTOR)((NAME(bits))products & mask);
}

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
    for (; i + LANES <= count; i += LANES) {
        VECTOR left = *(const NAME(loose) *)(const void *)(a + i);
        VECTOR right = *(const NAME(loose) *)(const void *)(b + i);
        sums[0] = ADD(sums[0], MUL(left, right));
    }
    if (i > 0 && i < count)
        sums[1] = ADD(sums[1], NAME(last_products)(a + count, b + count, count - i));
    if (i == 0)
        for (; i < count; i++)
            total = ADD(total, MUL(a[i], b[i]));
    VECTOR sum = ADD(ADD(sums[0], sums[1]), ADD(sums[2], sums[3]));
    memcpy(parts, &sum, sizeof sum);
    UNROLL(8)
    for (int64_t width = LANES / 2; width > 0; width /= 2)
        for (int64_t k = 0; k < width; k++)
            parts[k] = ADD(parts[k], parts[k + width]);
    return ADD(total, parts[0]);
}

/* `count` elements as a run of W: where they lie, or converted into `buffer`. */
INLINE const W *NAME(run_of)(W *buffer, const char *from, int64_t stride, int64_t count) {
    bool is_run = stride == (int64_t)(sizeof(S) * PARTS);
    if (is_run && !WIDE_SUM && sizeof(S) == sizeof(W)) return (const W *)(const void *)from;
    if (is_run) {
        NAME(load_run)(buffer, (const S *)(const void *)from, count * PARTS);
        return buffer;
    }
    for (int64_t k = 0; k < count; k++, from += stride)
        for (int part = 0; part < PARTS; part++)
            buffer[k * PARTS + part] = LOAD(((const S *)(const void *)from)[part]);
    return buffer;
}

/* x as factors of the real and (complex) of the imaginary part of the result; `sign` of a's
 * imaginary part. */
INLINE const W *NAME(factors_of)(W factors[2][PIECE * 2], const char *x, int64_t stride,
                                 int64_t count, W sign) {
    const W *run = NAME(run_of)(factors[0], x, stride, count);
#if COMPLEX
    for (int64_t k = 0; k < count; k++) {
        W re = run[2 * k], im = run[2 * k + 1];
        factors[0][2 * k] = re;
        factors[0][2 * k + 1] = -sign * im;
        factors[1][2 * k] = im;
        factors[1][2 * k + 1] = sign * re;
    }
    return factors[0];
#else
    (void)sign;
    return run;
#endif
}

/* sums[part] += columns of a times their factors. */
static void NAME(add_columns)(W sums[2][SOME_ROWS * 2], tni_matmul_view a, int64_t rows,
                              const W *const factors[2], int64_t depth) {
    W buffers[4][SOME_ROWS * 2];
    const W *column[4];
    int64_t p = 0, length = rows * PARTS;
    for (; p + 4 <= depth; p += 4) {
        for (int k = 0; k < 4; k++)
            column[k] =
                NAME(run_of)(buffers[k], (const char *)NAME(at)(a, 0, p + k), a.row_stride, rows);
        for (int part = 0; part < PARTS; part++) {
            const W *x = factors[part] + p * PARTS;
            for (int64_t q = 0; q < length; q++) {
                W first = ADD(MUL(column[0][q], x[0]), MUL(column[1][q], x[PARTS]));
                W second = ADD(MUL(column[2][q], x[2 * PARTS]), MUL(column[3][q], x[3 * PARTS]));
                W both = ADD(first, second);
                sums[part][q] = ADD(sums[part][q], both);
            }
        }
    }
    for (; p < depth; p++) {
        column[0] = NAME(run_of)(buffers[0], (const char *)NAME(at)(a, 0, p), a.row_stride, rows);
        for (int part = 0; part < PARTS; part++)
            for (int64_t q = 0; q < length; q++)
                sums[part][q] = ADD(sums[part][q], MUL(column[0][q], factors[part][p * PARTS]));
    }
}

/* sums[part][i * PARTS] += row i of a times the factors. */
static void NAME(add_rows)(W sums[2][SOME_ROWS * 2], tni_matmul_view a, int64_t rows,
                           const W *const factors[2], int64_t depth) {
    W buffer[PIECE * 2];
    for (int64_t i = 0; i < rows; i++) {
        const W *row =
            NAME(run_of)(buffer, (const char *)NAME(at)(a, i, 0), a.column_stride, depth);
        for (int part = 0; part < PARTS; part++) {
            W sum = NAME(dot_run)(row, factors[part], depth * PARTS);
            sums[part][i * PARTS] = ADD(sums[part][i * PARTS], sum);
        }
    }
}

/* Sums of `rows` rows as elements, or (`wide`) as W. */
INLINE void NAME(put_vector)(char *out, int64_t out_stride, const W sums[2][SOME_ROWS * 2],
                             int64_t rows, bool wide) {
    for (int64_t i = 0; i < rows; i++, out += out_stride)
        for (int part = 0; part < PARTS; part++)
            if (wide)
                ((W *)(void *)out)[part] = sums[part][i * PARTS];
            else
                ((S *)(void *)out)[part] = STORE(sums[part][i * PARTS]);
}

static void NAME(vector_product)(char *out, int64_t out_stride, tni_matmul_view a, const char *x,
                                 int64_t x_stride, int64_t rows, int64_t depth, bool conjugate,
                                 bool wide) {
    W sums[2][SOME_ROWS * 2], packed[2][PIECE * 2], sign = conjugate ? (W)-1 : 1;
    int64_t along = a.column_stride < 0 ? -a.column_stride : a.column_stride;
    int64_t across = a.row_stride < 0 ? -a.row_stride : a.row_stride;
    bool by_columns = rows > 1 && across < along;
    for (int64_t i = 0; i < rows; i += SOME_ROWS, out += SOME_ROWS * out_stride) {
        int64_t some = rows - i < SOME_ROWS ? rows - i : SOME_ROWS;
        memset(sums[0], 0, sizeof(W) * (size_t)(some * PARTS));
        memset(sums[PARTS - 1], 0, sizeof(W) * (size_t)(some * PARTS));
        for (int64_t p = 0; p < depth; p += PIECE) {
            int64_t count = depth - p < PIECE ? depth - p : PIECE;
            const W *const factors[2] = {
                NAME(factors_of)(packed, x + p * x_stride, x_stride, count, sign), packed[1]};
            tni_matmul_view piece = a;
            piece.data += i * a.row_stride + p * a.column_stride;
            (by_columns ? NAME(add_columns) : NAME(add_rows))(sums, piece, some, factors, count);
        }
#if COMPLEX
        for (int64_t q = 0; by_columns && q < 2 * some; q += 2) {
            sums[0][q] -= sign * sums[1][q + 1];
            sums[1][q] += sign * sums[0][q + 1];
        }
#endif
        NAME(put_vector)(out, out_stride, (const W(*)[SOME_ROWS * 2]) sums, some, wide);
    }
}

static void NAME(add_sums)(char *out, const void *given, int64_t count) {
    const W *sums = given;
    for (int part = 0; part < PARTS; part++) {
        W total = 0;
        for (int64_t k = 0; k < count; k++)
            total = ADD(total, sums[k * PARTS + part]);
        ((S *)(void *)out)[part] = STORE(total);
    }
}
