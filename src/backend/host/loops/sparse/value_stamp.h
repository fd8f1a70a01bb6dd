/* Loops that compute. The file that includes this defines V, the type of values, ADD(sum, a) and
 * MULTIPLY_ADD(sum, a, b), I, the type of indexes, INDEX(name), a name of index_stamp.h, and
 * N(name). */

/* What a product with a vector reads. */
typedef struct N(reading) {
    const I *indices;
    const V *values, *dense;
    int64_t step;
    uint64_t last;
} N(reading);

/* Adds element k, times that of the vector if there is one. Its index is read once; false if it is
 * out of range. */
static inline __attribute__((always_inline)) bool N(add_element)(const N(reading) * from, V *sum,
                                                                 int64_t k) {
    if (!from->dense) {
        ADD(*sum, from->values[k]);
        return true;
    }
    uint64_t index = (uint64_t)(int64_t)from->indices[k];
    __asm__("" : "+r"(index));
    if (__builtin_expect(index > from->last, 0)) return false;
    MULTIPLY_ADD(*sum, from->values[k], from->dense[(int64_t)index * from->step]);
    return true;
}

/* Asks for what lies far ahead of element k. */
static inline __attribute__((always_inline)) void N(ask)(const N(reading) * from, int64_t k) {
    if (from->dense) __builtin_prefetch(from->indices + k + TNI_SPARSE_FAR);
    __builtin_prefetch(from->values + k + TNI_SPARSE_FAR);
}

/* A stretch of a long row, in four parts. */
static inline __attribute__((always_inline)) bool N(add_stretch)(const N(reading) * from, V *sum,
                                                                 int64_t k, int64_t end) {
    V sums[4];
    memset(sums, 0, sizeof sums);
    while (k + 16 <= end) {
        N(ask)(from, k);
        for (int block = 0; block < 4; block++, k += 4)
            for (int j = 0; j < 4; j++)
                if (!N(add_element)(from, &sums[j], k + j)) return false;
    }
    for (; k < end; k++)
        if (!N(add_element)(from, &sums[0], k)) return false;
    ADD(sums[0], sums[2]);
    ADD(sums[1], sums[3]);
    ADD(sums[0], sums[1]);
    ADD(*sum, sums[0]);
    return true;
}

/* The sum of elements `k` to `end`. */
static inline __attribute__((always_inline)) bool N(add_row)(const N(reading) * from, V *sum,
                                                             int64_t k, int64_t end) {
    memset(sum, 0, sizeof *sum);
    if (end - k < TNI_SPARSE_LONG) {
        N(ask)(from, k);
        for (; k < end; k++)
            if (!N(add_element)(from, sum, k)) return false;
        return true;
    }
    for (; k < end; k += TNI_SPARSE_STRETCH) {
        const int64_t next = k + TNI_SPARSE_STRETCH;
        if (!N(add_stretch)(from, sum, k, next < end ? next : end)) return false;
    }
    return true;
}

static inline __attribute__((always_inline)) bool N(multiply_rows)(N(reading) from,
                                                                   const tni_csr_multiply *call,
                                                                   int64_t begin, int64_t end) {
    const I *starts = call->a.starts;
    V *output = call->output;
    int64_t at = starts[begin];
    const int64_t last = from.dense && call->a.columns == 0 ? at : call->a.count;
    if (at < 0 || at > last) return false;
    for (int64_t row = begin; row < end; row++) {
        int64_t next = starts[row + 1];
        V sum;
        __asm__("" : "+r"(next));
        if (next < at || next > last || !N(add_row)(&from, &sum, at, next)) return false;
        output[row] = sum;
        at = next;
    }
    return true;
}

static bool N(multiply_vector)(const tni_csr_multiply *call, int64_t begin, int64_t end) {
    N(reading)
    from = {.indices = call->a.indices,
            .values = call->a.values,
            .dense = call->dense,
            .step = call->dense_row,
            .last = (uint64_t)call->a.columns - 1};
    if (!call->dense) {
        from.dense = NULL;
        return N(multiply_rows)(from, call, begin, end);
    }
    if (from.step == 1) return N(multiply_rows)(from, call, begin, end); /* with the step known */
    return N(multiply_rows)(from, call, begin, end);
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
            V sum;                   /* from 0 on, as that of several */
            memset(&sum, 0, sizeof sum);
            MULTIPLY_ADD(sum, value, b_values[j]);
            to_indices[n] = b_indices[j];
            to[n++] = sum;
        } else {
            MULTIPLY_ADD(to[slot->place], value, b_values[j]);
        }
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
    N(multiply), N(multiply_vector), N(multiply_transposed), N(add), N(scatter),
    N(unite),    N(product),
};

#undef I
#undef N
