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

static void N(count_product)(const tni_csr_product *call, int64_t begin, int64_t end, void *room,
                             int64_t *counts) {
    I *marks = room;
    const I *starts = call->a.starts, *indices = call->a.indices;
    const I *b_starts = call->b.starts, *b_indices = call->b.indices;
    for (int64_t row = begin; row < end; row++) {
        int64_t n = 0;
        for (int64_t k = starts[row]; k < starts[row + 1]; k++)
            for (int64_t j = b_starts[indices[k]]; j < b_starts[indices[k] + 1]; j++) {
                n += marks[b_indices[j]] != (I)row;
                marks[b_indices[j]] = (I)row;
            }
        counts[row] = n;
    }
}

static void N(tally)(const void *major, int64_t begin, int64_t end, int shift, int64_t *tallies) {
    const I *lines = major;
    for (int64_t k = begin; k < end; k++)
        tallies[lines[k] >> shift]++;
}

static const tni_sparse_index_loops N(loops) = {
    N(ascends), N(inside), N(at), N(find), N(order), N(count_united), N(count_product), N(tally),
};

#undef I
#undef U
#undef N
