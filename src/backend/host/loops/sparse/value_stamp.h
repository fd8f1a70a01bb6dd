/* Loops that compute. The file that includes this defines V, the type of values, ADD(sum, a) and
 * MULTIPLY_ADD(sum, a, b), I, the type of indexes, INDEX(name), a name of index_stamp.h, and
 * N(name). */

/* The sum of `n` values, of four parts. */
static inline V N(sum)(const V *values, int64_t n) {
    V sums[4], sum;
    int64_t k = 0;
    memset(&sum, 0, sizeof sum);
    if (n >= 4) {
        memset(sums, 0, sizeof sums);
        for (; k + 4 <= n; k += 4)
            for (int j = 0; j < 4; j++)
                ADD(sums[j], values[k + j]);
        ADD(sums[0], sums[2]);
        ADD(sums[1], sums[3]);
        ADD(sums[0], sums[1]);
        sum = sums[0];
    }
    for (; k < n; k++)
        ADD(sum, values[k]);
    return sum;
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
        int64_t index = indices[k];
        V product;
        __asm__("" : "+r"(index)); /* else vectors of indices are made and taken apart again */
        memset(&product, 0, sizeof product);
        MULTIPLY_ADD(product, values[k], dense[index * step]);
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

/* The results may begin where a's elements do. */
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

/* Adds an element of a times the row of b that it meets to the n elements of a row so far. */
static inline __attribute__((always_inline)) int64_t N(add_products)(const tni_csr_product *call,
                                                                     INDEX(slots) * slots, int bits,
                                                                     int64_t row, int64_t k,
                                                                     int64_t n) {
    const I *b_starts = call->b.starts, *b_indices = call->b.indices;
    const I met = ((const I *)call->a.indices)[k];
    const V value = ((const V *)call->a.values)[k], *b_values = call->b.values;
    const int64_t first = call->to.starts[row], most = call->to.starts[row + 1] - first;
    I *to_indices = (I *)call->to.indices + first;
    V *to = (V *)call->to.values + first;
    for (int64_t j = b_starts[met]; j < b_starts[met + 1]; j++) {
        bool is_new;
        INDEX(slot) *slot = INDEX(find_slot)(slots, bits, row, b_indices[j], &is_new);
        if (is_new) {
            slot->place = (I)(n < most ? n : 0);
            if (n >= most) continue; /* b has changed since it was counted */
            to_indices[n] = b_indices[j];
            memset(&to[n++], 0, sizeof *to);
        }
        MULTIPLY_ADD(to[slot->place], value, b_values[j]);
    }
    return n;
}

/* Columns are in the order in which a row touches them. */
static void N(product)(const tni_csr_product *call, int64_t begin, int64_t end, void *table) {
    const I *starts = call->a.starts, *indices = call->a.indices, *b_starts = call->b.starts;
    INDEX(slots) slots;
    slots.all = table;
    for (int64_t row = begin; row < end; row++) {
        int64_t n = 0;
        if (call->to.starts[row] == call->to.starts[row + 1]) continue;
        INDEX(begin_row)(&slots, call, row);
        for (int64_t k = starts[row]; k < starts[row + 1]; k++) {
            INDEX(fetch_ahead)(call, k, starts[end]);
            if (k + TNI_SPARSE_AHEAD < starts[end])
                __builtin_prefetch((const V *)call->b.values +
                                   b_starts[indices[k + TNI_SPARSE_AHEAD]]);
            n = slots.bits ? N(add_products)(call, &slots, slots.bits, row, k, n)
                           : N(add_products)(call, &slots, 0, row, k, n);
        }
    }
}

static const tni_sparse_value_loops N(loops) = {
    N(multiply), N(multiply_transposed), N(add), N(scatter), N(unite), N(product),
};

#undef I
#undef N
