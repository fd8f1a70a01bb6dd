/* Loops that compute. The file that includes this defines V, the type of values, ADD(sum, a) and
 * MULTIPLY_ADD(sum, a, b), I, the type of indexes, and N(name). */

/* The sum of `n` values, of eight parts. */
static inline V N(sum)(const V *values, int64_t n) {
    V sums[8];
    int64_t k = 0;
    memset(sums, 0, sizeof sums);
    for (; k + 8 <= n; k += 8)
        for (int j = 0; j < 8; j++)
            ADD(sums[j], values[k + j]);
    for (int j = 0; k < n; k++, j++)
        ADD(sums[j], values[k]);
    for (int half = 4; half; half /= 2)
        for (int j = 0; j < half; j++)
            ADD(sums[j], sums[j + half]);
    return sums[0];
}

static void N(sum_rows)(const tni_csr_multiply *call, int64_t begin, int64_t end) {
    const I *starts = call->a.starts;
    const V *values = call->a.values;
    V *output = call->output;
    for (int64_t row = begin; row < end; row++)
        output[row] = N(sum)(values + starts[row], starts[row + 1] - starts[row]);
}

/* Products of elements with those of a vector that their indices say. */
static inline __attribute__((always_inline)) void N(products)(const tni_csr_multiply *call,
                                                              int64_t from, int64_t n, int64_t step,
                                                              V *products) {
    const I *indices = (const I *)call->a.indices + from;
    const V *values = (const V *)call->a.values + from, *dense = call->dense;
    for (int64_t k = 0; k < n; k++) {
        V product;
        memset(&product, 0, sizeof product);
        MULTIPLY_ADD(product, values[k], dense[indices[k] * step]);
        products[k] = product;
    }
}

/* The product of a long row, a stretch at a time. */
static inline __attribute__((always_inline)) V N(multiply_long)(const tni_csr_multiply *call,
                                                                int64_t row, int64_t step,
                                                                V *products) {
    const I *starts = call->a.starts;
    V sum;
    memset(&sum, 0, sizeof sum);
    for (int64_t k = starts[row]; k < starts[row + 1]; k += TNI_SPARSE_STRETCH) {
        const int64_t left = starts[row + 1] - k;
        const int64_t n = left < TNI_SPARSE_STRETCH ? left : TNI_SPARSE_STRETCH;
        N(products)(call, k, n, step, products);
        const V part = N(sum)(products, n);
        ADD(sum, part);
    }
    return sum;
}

/* Products with a vector: first those of the elements of some rows, so that the reads all over the
 * vector do not wait for the ends of rows, and then the sums of the rows. */
static inline __attribute__((always_inline)) void N(multiply_vector)(const tni_csr_multiply *call,
                                                                     int64_t begin, int64_t end,
                                                                     int64_t step) {
    const I *starts = call->a.starts;
    V products[TNI_SPARSE_STRETCH], *output = call->output;
    for (int64_t row = begin; row < end;) {
        const int64_t from = starts[row], first = row;
        while (row < end && starts[row + 1] - from <= TNI_SPARSE_STRETCH)
            row++;
        if (row == first) {
            output[row] = N(multiply_long)(call, row, step, products);
            row++;
            continue;
        }
        N(products)(call, from, starts[row] - from, step, products);
        for (int64_t r = first; r < row; r++)
            output[r] = N(sum)(products + (starts[r] - from), starts[r + 1] - starts[r]);
    }
}

/* Up to TNI_SPARSE_WIDTH columns of a row. Rows of the dense operand lie anywhere, so those of the
 * elements after the next are asked for; elements before `last` were checked. */
static inline __attribute__((always_inline)) void N(multiply_block)(const tni_csr_multiply *call,
                                                                    int64_t row, int64_t column,
                                                                    int64_t last, int width) {
    const I *starts = call->a.starts, *indices = call->a.indices;
    const V *values = call->a.values, *dense = (const V *)call->dense + column;
    const int bytes = width * (int)sizeof(V);
    V sums[TNI_SPARSE_WIDTH];
    memset(sums, 0, (size_t)bytes);
    for (int64_t k = starts[row]; k < starts[row + 1]; k++) {
        const V *from = dense + indices[k] * call->dense_row;
        const V value = values[k];
        if (k + TNI_SPARSE_AHEAD < last) {
            const void *next = dense + indices[k + TNI_SPARSE_AHEAD] * call->dense_row;
            for (int line = 0; line < bytes; line += 64)
                __builtin_prefetch((const char *)next + line);
        }
        for (int j = 0; j < width; j++)
            MULTIPLY_ADD(sums[j], value, from[j]);
    }
    memcpy((V *)call->output + row * call->width + column, sums, (size_t)bytes);
}

static void N(multiply)(const tni_csr_multiply *call, int64_t begin, int64_t end) {
    const I *starts = call->a.starts;
    if (!call->dense) {
        N(sum_rows)(call, begin, end);
        return;
    }
    if (call->width == 1) {
        if (call->dense_row == 1)
            N(multiply_vector)(call, begin, end, 1);
        else
            N(multiply_vector)(call, begin, end, call->dense_row);
        return;
    }
    const int64_t last = starts[end];
    for (int64_t row = begin; row < end; row++)
        for (int64_t column = 0; column < call->width; column += TNI_SPARSE_WIDTH) {
            const int64_t left = call->width - column;
            if (left >= TNI_SPARSE_WIDTH)
                N(multiply_block)(call, row, column, last, TNI_SPARSE_WIDTH);
            else
                N(multiply_block)(call, row, column, last, (int)left);
        }
}

static void N(multiply_transposed)(const tni_csr_multiply *call, int64_t begin, int64_t end,
                                   void *to) {
    const I *starts = call->a.starts, *indices = call->a.indices;
    const V *values = call->a.values, *dense = call->dense;
    const int64_t width = call->width;
    V *table = to;
    if (!dense) {
        for (int64_t k = starts[begin]; k < starts[end]; k++)
            ADD(table[indices[k]], values[k]);
        return;
    }
    for (int64_t row = begin; row < end; row++) {
        const V *from = dense + row * call->dense_row;
        if (width == 1) {
            const V other = *from;
            for (int64_t k = starts[row]; k < starts[row + 1]; k++)
                MULTIPLY_ADD(table[indices[k]], values[k], other);
            continue;
        }
        for (int64_t k = starts[row]; k < starts[row + 1]; k++) {
            V *sums = table + indices[k] * width;
            const V value = values[k];
            for (int64_t j = 0; j < width; j++)
                MULTIPLY_ADD(sums[j], value, from[j]);
        }
    }
}

static void N(add)(void *to, const void *from, int64_t n) {
    V *sums = to;
    const V *values = from;
    for (int64_t k = 0; k < n; k++)
        ADD(sums[k], values[k]);
}

static void N(scatter)(const tni_csr_scatter *call, int64_t begin, int64_t end) {
    const I *starts = call->a.starts, *indices = call->a.indices;
    const V *values = call->a.values;
    for (int64_t row = begin; row < end; row++) {
        V *to = (V *)call->to + row * call->to_row;
        for (int64_t k = starts[row]; k < starts[row + 1]; k++)
            ADD(to[indices[k] * call->to_column], values[k]);
    }
}

static void N(unite)(const tni_csr_unite *call, int64_t begin, int64_t end) {
    const I *starts = call->a.starts, *indices = call->a.indices;
    const V *values = call->a.values;
    for (int64_t row = begin; row < end; row++) {
        I *to_indices = (I *)call->to.indices + call->to.starts[row];
        V *to = (V *)call->to.values + call->to.starts[row];
        const V *limit = (V *)call->to.values + call->to.starts[row + 1];
        for (int64_t k = starts[row]; k < starts[row + 1] && to < limit;) {
            V sum = values[k];
            const I index = indices[k];
            for (k++; k < starts[row + 1] && indices[k] == index; k++)
                ADD(sum, values[k]);
            *to_indices++ = index;
            *to++ = sum;
        }
    }
}

/* The sum of a column, and the last row that has touched it. */
typedef struct N(entry) {
    I row;
    V sum;
} N(entry);

static void N(clear)(void *table, int64_t columns) {
    N(entry) *entries = table;
    for (int64_t column = 0; column < columns; column++)
        entries[column].row = -1;
}

/* Columns are in the order in which a row touches them. */
static void N(product)(const tni_csr_product *call, int64_t begin, int64_t end, void *table) {
    const I *starts = call->a.starts, *indices = call->a.indices;
    const I *b_starts = call->b.starts, *b_indices = call->b.indices;
    const V *values = call->a.values, *b_values = call->b.values;
    N(entry) *entries = table;
    for (int64_t row = begin; row < end; row++) {
        I *to_indices = (I *)call->to.indices + call->to.starts[row];
        V *to = (V *)call->to.values + call->to.starts[row];
        const int64_t most = call->to.starts[row + 1] - call->to.starts[row];
        int64_t n = 0;
        for (int64_t k = starts[row]; k < starts[row + 1]; k++) {
            const V value = values[k];
            for (int64_t j = b_starts[indices[k]]; j < b_starts[indices[k] + 1]; j++) {
                N(entry) *entry = &entries[b_indices[j]];
                if (entry->row != (I)row && n < most) {
                    entry->row = (I)row;
                    memset(&entry->sum, 0, sizeof entry->sum);
                    to_indices[n++] = b_indices[j];
                }
                MULTIPLY_ADD(entry->sum, value, b_values[j]);
            }
        }
        for (int64_t k = 0; k < n; k++)
            to[k] = entries[to_indices[k]].sum;
    }
}

static const tni_sparse_value_loops N(loops) = {
    N(multiply), N(multiply_transposed), N(add), N(scatter), N(unite), N(product),
    N(clear),    sizeof(N(entry)),
};

#undef I
#undef N
