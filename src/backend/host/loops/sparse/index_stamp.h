/* Loops over indexes alone. The file that includes this defines I, the type of indexes, U, its
 * unsigned type, and N(name). */

static bool N(ascends)(const void *from, int64_t n, int64_t count) {
    const I *starts = from;
    bool is_good = starts[0] >= 0 && starts[n] <= count;
    for (int64_t k = 0; k < n; k++)
        is_good &= starts[k] <= starts[k + 1];
    return is_good;
}

static bool N(inside)(const void *from, int64_t n, int64_t bound) {
    const I *indices = from;
    U most = 0;
    for (int64_t k = 0; k < n; k++)
        most = (U)indices[k] > most ? (U)indices[k] : most;
    return n == 0 || (uint64_t)most < (uint64_t)bound;
}

static int64_t N(at)(const void *indexes, int64_t k) {
    return ((const I *)indexes)[k];
}

static int64_t N(find)(const void *from, int64_t rows, int64_t element) {
    const I *starts = from;
    int64_t low = 0;
    for (int64_t left = rows; left > 0;) {
        const int64_t half = left / 2;
        const bool is_below = starts[low + half] < element;
        low = is_below ? low + half + 1 : low;
        left = is_below ? left - half - 1 : half;
    }
    return low;
}

static int64_t N(order)(const tni_csr *a, int64_t begin, int64_t end) {
    const I *starts = a->starts, *indices = a->indices;
    bool descends = false, repeats = false;
    for (int64_t row = begin; row < end; row++)
        for (int64_t k = starts[row] + 1; k < starts[row + 1]; k++) {
            descends |= indices[k] < indices[k - 1];
            repeats |= indices[k] == indices[k - 1];
        }
    return (descends ? TNI_CSR_UNSORTED : 0) | (repeats ? TNI_CSR_DUPLICATES : 0);
}

static void N(count_united)(const tni_csr *a, int64_t begin, int64_t end, int64_t *counts) {
    const I *starts = a->starts, *indices = a->indices;
    for (int64_t row = begin; row < end; row++) {
        int64_t n = starts[row] < starts[row + 1];
        for (int64_t k = starts[row] + 1; k < starts[row + 1]; k++)
            n += indices[k] != indices[k - 1];
        counts[row] = n;
    }
}

/* Where a row of a product has a column: in a small table by hash, of which the column is -1 where
 * it is free, or in one of all columns, of which the column is the number of the row. */
typedef struct N(slot) {
    I column, place;
} N(slot);

typedef struct N(slots) {
    N(slot) * all;
    int bits; /* of the small table's size, or 0: the table of all columns */
    N(slot) few[TNI_SPARSE_SLOTS];
} N(slots);

/* At least four slots for each product that a row is summed of, for the next row. */
static inline void N(begin_row)(N(slots) * slots, const tni_csr_product *call, int64_t row) {
    const I *starts = call->a.starts, *indices = call->a.indices, *b_starts = call->b.starts;
    int64_t most = 0;
    for (int64_t k = starts[row]; k < starts[row + 1]; k++)
        most += b_starts[indices[k] + 1] - b_starts[indices[k]];
    slots->bits = 0;
    if (most > TNI_SPARSE_SLOTS / 4) return;
    slots->bits = 4;
    while ((1 << slots->bits) < 4 * most)
        slots->bits++;
    memset(slots->few, 0xff, sizeof *slots->few << slots->bits);
}

/* The slot of a column, and whether the row has it for the first time. */
static inline __attribute__((always_inline)) N(slot) *
    N(find_slot)(N(slots) * slots, int bits, int64_t row, I column, bool *is_new) {
    if (!bits) {
        N(slot) *slot = &slots->all[column];
        *is_new = slot->column != (I)row;
        slot->column = (I)row;
        return slot;
    }
    const uint32_t mask = ((uint32_t)1 << bits) - 1;
    uint32_t at = (uint32_t)column * 0x9e3779b1u >> (32 - bits);
    while (slots->few[at].column != column && slots->few[at].column != -1)
        at = (at + 1) & mask;
    *is_new = slots->few[at].column != column;
    slots->few[at].column = column;
    return &slots->few[at];
}

static int64_t N(most_products)(const tni_csr_product *call, int64_t begin, int64_t end) {
    const I *starts = call->a.starts, *indices = call->a.indices, *b_starts = call->b.starts;
    int64_t most = 0;
    for (int64_t row = begin; row < end; row++) {
        int64_t n = 0;
        for (int64_t k = starts[row]; k < starts[row + 1]; k++)
            n += b_starts[indices[k] + 1] - b_starts[indices[k]];
        most = n > most ? n : most;
    }
    return most;
}

/* Asks for the row of b that an element far ahead needs, and further ahead for its starts. */
static inline void N(fetch_ahead)(const tni_csr_product *call, int64_t k, int64_t last) {
    const I *indices = call->a.indices, *b_starts = call->b.starts;
    if (k + 2 * TNI_SPARSE_AHEAD < last)
        __builtin_prefetch(&b_starts[indices[k + 2 * TNI_SPARSE_AHEAD]]);
    if (k + TNI_SPARSE_AHEAD < last)
        __builtin_prefetch((const I *)call->b.indices + b_starts[indices[k + TNI_SPARSE_AHEAD]]);
}

static void N(count_product)(const tni_csr_product *call, int64_t begin, int64_t end, void *table,
                             int64_t *counts) {
    const I *starts = call->a.starts, *indices = call->a.indices;
    const I *b_starts = call->b.starts, *b_indices = call->b.indices;
    N(slots) slots;
    slots.all = table;
    for (int64_t row = begin; row < end; row++) {
        int64_t n = 0;
        N(begin_row)(&slots, call, row);
        for (int64_t k = starts[row]; k < starts[row + 1]; k++) {
            N(fetch_ahead)(call, k, starts[end]);
            for (int64_t j = b_starts[indices[k]]; j < b_starts[indices[k] + 1]; j++) {
                bool is_new;
                N(find_slot)(&slots, slots.bits, row, b_indices[j], &is_new);
                n += is_new;
            }
        }
        counts[row] = n;
    }
}

/* The same where all columns have a bit each in a table, which is clear before and after. */
static void N(count_by_bits)(const tni_csr_product *call, int64_t begin, int64_t end,
                             uint64_t *bits, int64_t *counts) {
    const I *starts = call->a.starts, *indices = call->a.indices;
    const I *b_starts = call->b.starts, *b_indices = call->b.indices;
    for (int64_t row = begin; row < end; row++) {
        int64_t n = 0;
        for (int64_t k = starts[row]; k < starts[row + 1]; k++) {
            N(fetch_ahead)(call, k, starts[end]);
            for (int64_t j = b_starts[indices[k]]; j < b_starts[indices[k] + 1]; j++) {
                uint64_t *word = &bits[b_indices[j] >> 6];
                const uint64_t bit = (uint64_t)1 << (b_indices[j] & 63);
                n += !(*word & bit);
                *word |= bit;
            }
        }
        for (int64_t k = starts[row]; k < starts[row + 1]; k++)
            for (int64_t j = b_starts[indices[k]]; j < b_starts[indices[k] + 1]; j++)
                bits[b_indices[j] >> 6] = 0;
        counts[row] = n;
    }
}

static void N(tally)(const void *major, int64_t begin, int64_t end, int shift, int64_t *tallies) {
    const I *lines = major;
    for (int64_t k = begin; k < end; k++)
        tallies[lines[k] >> shift]++;
}

static const tni_sparse_index_loops N(loops) = {
    N(ascends),       N(inside),        N(at),
    N(find),          N(order),         N(count_united),
    N(most_products), N(count_product), N(count_by_bits),
    N(tally),         sizeof(N(slot)),
};

#undef I
#undef U
#undef N
