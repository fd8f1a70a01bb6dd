/* The products of convolve_loops.h for one working type: a part of convolve_loops.c, which defines
 * W and SUFFIX. */
#define NAME(name) TN_PASTE(name##_, SUFFIX)
#define VECTOR NAME(vector)
#define LANES ((int64_t)(VECTOR_BYTES / sizeof(W)))
#define LAST_LANES ((int)(16 / sizeof(W)))
#define PAIRS TN_PASTE(PAIRS_, SUFFIX)

typedef W NAME(quarter) __attribute__((vector_size(16)));
typedef W VECTOR __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(W)), may_alias));

/* `rows` x `vectors` vectors of sums at a place. Both are constants where this is inlined. */
INLINE void NAME(multiply_tile)(const tni_convolve_product *p, int64_t place, int rows,
                                int vectors) {
    const W *weights = p->weights, *source = (const W *)p->source + place;
    W *to = (W *)p->sums + place;
    VECTOR sums[MOST_SUMS];
    UNROLL(32)
    for (int k = 0; k < rows * vectors; k++)
        sums[k] = (VECTOR){0};
    for (int64_t d = 0; d < p->depth; d++, weights += rows) {
        const W *from = source + p->offsets[d];
        VECTOR values[MOST_VECTORS];
        UNROLL(8)
        for (int v = 0; v < vectors; v++)
            values[v] = *(const VECTOR *)(const void *)(from + v * LANES);
        UNROLL(8)
        for (int row = 0; row < rows; row++) {
            VECTOR weight = weights[row] - (VECTOR){0};
            UNROLL(8)
            for (int v = 0; v < vectors; v++)
                sums[row * vectors + v] += weight * values[v];
        }
    }
    UNROLL(8)
    for (int row = 0; row < rows; row++)
        UNROLL(8)
    for (int v = 0; v < vectors; v++) {
        VECTOR *at = (VECTOR *)(void *)(to + row * p->apart + v * LANES);
        VECTOR sum = sums[row * vectors + v];
        if (p->accumulates) sum += *at;
        *at = sum;
    }
}

/* Four vectors are two of two, rather than three and one. */
INLINE void NAME(multiply_rows)(const tni_convolve_product *p, int rows, int vectors) {
    int64_t place = 0, left = (p->places + LANES - 1) / LANES;
    for (; left >= vectors && !(vectors == 3 && left == 4); left -= vectors) {
        NAME(multiply_tile)(p, place, rows, vectors);
        place += vectors * LANES;
    }
    for (; left >= 2; left -= 2, place += 2 * LANES)
        NAME(multiply_tile)(p, place, rows, 2);
    if (left > 0) NAME(multiply_tile)(p, place, rows, 1);
}

static void NAME(multiply)(const tni_convolve_product *p) {
    switch (p->rows) {
    case 1: NAME(multiply_rows)(p, 1, VECTORS_OF(1)); break;
    case 2: NAME(multiply_rows)(p, 2, VECTORS_OF(2)); break;
    case 4: NAME(multiply_rows)(p, 4, VECTORS_OF(4)); break;
    default: NAME(multiply_rows)(p, MOST_ROWS, VECTORS_OF(MOST_ROWS)); break;
    }
}

/* The sum of a vector: its halves as long as these are vectors, then pairs. */
INLINE W NAME(total)(VECTOR whole) {
    NAME(quarter) last[VECTOR_BYTES / 16];
    memcpy(last, &whole, sizeof whole);
    UNROLL(2)
    for (int width = VECTOR_BYTES / 32; width > 0; width /= 2)
        UNROLL(2)
    for (int k = 0; k < width; k++)
        last[k] += last[k + width];
    W total = last[0][0] + last[0][LAST_LANES / 2];
    if (LAST_LANES == 4) total += last[0][1] + last[0][LAST_LANES - 1];
    return total;
}

INLINE void NAME(dot_tile)(const tni_convolve_dot *p, int rows, int first, int columns) {
    const W *left = p->rows, *right[TNI_DOT_COLUMNS];
    W *to = p->sums;
    VECTOR sums[TNI_DOT_ROWS * TNI_DOT_COLUMNS];
    UNROLL(32)
    for (int k = 0; k < rows * columns; k++)
        sums[k] = (VECTOR){0};
    UNROLL(8)
    for (int c = 0; c < columns; c++)
        right[c] = (const W *)p->source + p->offsets[first + c];
    for (int64_t place = 0; place < p->places; place += LANES) {
        VECTOR values[TNI_DOT_ROWS];
        UNROLL(8)
        for (int r = 0; r < rows; r++)
            values[r] = *(const VECTOR *)(const void *)(left + r * p->apart + place);
        UNROLL(8)
        for (int c = 0; c < columns; c++) {
            VECTOR other = *(const VECTOR *)(const void *)(right[c] + place);
            UNROLL(8)
            for (int r = 0; r < rows; r++)
                sums[r * columns + c] += values[r] * other;
        }
    }
    UNROLL(8)
    for (int r = 0; r < rows; r++)
        UNROLL(8)
    for (int c = 0; c < columns; c++)
        to[r * p->sums_apart + first + c] += NAME(total)(sums[r * columns + c]);
}

static void NAME(dot)(const tni_convolve_dot *p) {
    if (p->is_single) {
        NAME(dot_tile)(p, 1, 0, TNI_DOT_COLUMNS);
        return;
    }
    for (int first = 0; first < TNI_DOT_COLUMNS; first += DOT_WIDTH)
        NAME(dot_tile)(p, TNI_DOT_ROWS, first, DOT_WIDTH);
}

static void NAME(add)(void *to, const void *from, int64_t count) {
    W *sums = to;
    const W *others = from;
    for (int64_t k = 0; k < count; k++)
        sums[k] += others[k];
}

INLINE void NAME(merge_vectors)(W *to, const W *even, const W *odd) {
    const VECTOR a = *(const VECTOR *)(const void *)even, b = *(const VECTOR *)(const void *)odd;
    *(VECTOR *)(void *)to = __builtin_shufflevector(a, b, PAIRS(0));
    *(VECTOR *)(void *)(to + LANES) = __builtin_shufflevector(a, b, PAIRS(LANES / 2));
}
/* The last vectors may have what those before have, too. */
static void NAME(merge)(void *to, const void *even, const void *odd, int64_t count) {
    W *pairs = to;
    const W *first = even, *second = odd;
    const int64_t last = count / 2 - LANES;
    int64_t k = 0;
    for (; k < last; k += LANES)
        NAME(merge_vectors)(pairs + 2 * k, first + k, second + k);
    if (last >= 0) {
        NAME(merge_vectors)(pairs + 2 * last, first + last, second + last);
        k = last + LANES;
    }
    for (; 2 * k < count; k++) {
        pairs[2 * k] = first[k];
        if (2 * k + 1 < count) pairs[2 * k + 1] = second[k];
    }
}

/* A square of as many rows as a vector has lanes: each round merges rows with those half of them
 * further, which moves the first bit of a row's number to the end of the column's. */
INLINE void NAME(transpose_square)(W *to, int64_t to_apart, const W *from, int64_t from_apart) {
    VECTOR rows[VECTOR_BYTES / sizeof(W)], merged[VECTOR_BYTES / sizeof(W)];
    UNROLL(16)
    for (int k = 0; k < LANES; k++)
        rows[k] = *(const VECTOR *)(const void *)(from + k * from_apart);
    UNROLL(4)
    for (int round = 1; round < LANES; round *= 2) {
        UNROLL(8)
        for (int k = 0; k < LANES / 2; k++) {
            merged[2 * k] = __builtin_shufflevector(rows[k], rows[k + LANES / 2], PAIRS(0));
            merged[2 * k + 1] =
                __builtin_shufflevector(rows[k], rows[k + LANES / 2], PAIRS(LANES / 2));
        }
        UNROLL(16)
        for (int k = 0; k < LANES; k++)
            rows[k] = merged[k];
    }
    UNROLL(16)
    for (int k = 0; k < LANES; k++)
        *(VECTOR *)(void *)(to + k * to_apart) = rows[k];
}

/* The last squares may have what those before have, too. */
static void NAME(transpose)(void *to, int64_t to_apart, const void *from, int64_t from_apart,
                            int64_t rows, int64_t columns) {
    const W *source = from;
    W *target = to;
    if (rows < LANES || columns < LANES) {
        for (int64_t k = 0; k < rows; k++)
            for (int64_t c = 0; c < columns; c++)
                target[c * to_apart + k] = source[k * from_apart + c];
        return;
    }
    for (int64_t k = 0; k < rows; k += LANES) {
        if (k > rows - LANES) k = rows - LANES;
        for (int64_t c = 0; c < columns; c += LANES) {
            if (c > columns - LANES) c = columns - LANES;
            NAME(transpose_square)
            (target + c * to_apart + k, to_apart, source + k * from_apart + c, from_apart);
        }
    }
}

#undef PAIRS
#undef NAME
#undef VECTOR
#undef LANES
#undef LAST_LANES
