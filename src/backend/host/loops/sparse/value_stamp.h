/* Loops that compute. The file that includes this defines V, the type of values, ADD(sum, a) and
 * MULTIPLY_ADD(sum, a, b), I, the type of indexes, and N(name). */

/* Products with a vector. */
static void N(multiply_vector)(const tni_csr_multiply *call, int64_t begin, int64_t end) {
    const I *starts = call->a.starts, *indices = call->a.indices;
    const V *values = call->a.values, *dense = call->dense;
    const int64_t step = call->dense_row;
    V *output = call->output;
    if (step == 1) {
        for (int64_t row = begin; row < end; row++) {
            V sum = {0};
            for (int64_t k = starts[row]; k < starts[row + 1]; k++)
                MULTIPLY_ADD(sum, values[k], dense[indices[k]]);
            output[row] = sum;
        }
        return;
    }
    for (int64_t row = begin; row < end; row++) {
        V sum = {0};
        for (int64_t k = starts[row]; k < starts[row + 1]; k++)
            MULTIPLY_ADD(sum, values[k], dense[indices[k] * step]);
        output[row] = sum;
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
    if (call->width == 1) {
        N(multiply_vector)(call, begin, end);
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

/* The columns that a row touches are linked from the last to the first. */
static void N(product)(const tni_csr_product *call, int64_t begin, int64_t end, void *room,
                       int64_t *links) {
    const I *starts = call->a.starts, *indices = call->a.indices;
    const I *b_starts = call->b.starts, *b_indices = call->b.indices;
    const V *values = call->a.values, *b_values = call->b.values;
    V *sums = room;
    for (int64_t row = begin; row < end; row++) {
        I *to_indices = (I *)call->to.indices + call->to.starts[row];
        V *to = (V *)call->to.values + call->to.starts[row];
        const V *limit = (V *)call->to.values + call->to.starts[row + 1];
        int64_t last = TNI_SPARSE_LAST;
        for (int64_t k = starts[row]; k < starts[row + 1]; k++) {
            const V value = values[k];
            for (int64_t j = b_starts[indices[k]]; j < b_starts[indices[k] + 1]; j++) {
                const int64_t column = b_indices[j];
                MULTIPLY_ADD(sums[column], value, b_values[j]);
                if (links[column] == -1) {
                    links[column] = last;
                    last = column;
                }
            }
        }
        while (last != TNI_SPARSE_LAST) {
            const int64_t column = last;
            if (to < limit) {
                *to_indices++ = (I)column;
                *to++ = sums[column];
            }
            last = links[column];
            links[column] = -1;
            sums[column] = (V){0};
        }
    }
}

static const tni_sparse_value_loops N(loops) = {
    N(multiply), N(multiply_transposed), N(add), N(scatter), N(unite), N(product),
};

#undef I
#undef N
