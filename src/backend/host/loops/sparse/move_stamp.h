/* Loops that move values. The file that includes this defines V, a type of the values' size, I, the
 * type of indexes, and N(name). */

/* Between counting and moving a program may change the indexes: an element whose place is not free
 * is left out. */
static void N(group)(const tni_csr_group *call, int64_t begin, int64_t end, int64_t row,
                     int64_t *cursors) {
    const I *major = call->major, *minor = call->minor, *starts = call->starts;
    const V *values = call->values;
    I *to_indices = call->to_indices;
    V *to_values = call->to_values;
    if (minor) {
        for (int64_t k = begin; k < end; k++) {
            const I line = major[k];
            if (line < 0 || line >= call->lines || cursors[line] >= call->count) continue;
            const int64_t to = cursors[line]++;
            to_indices[to] = minor[k];
            to_values[to] = values[k];
        }
        return;
    }
    for (int64_t k = begin; k < end && row < call->rows; row++) {
        const int64_t last = starts[row + 1] < end ? starts[row + 1] : end;
        for (; k < last; k++) {
            const I line = major[k];
            if (line < 0 || line >= call->lines || cursors[line] >= call->count) continue;
            const int64_t to = cursors[line]++;
            to_indices[to] = (I)row;
            to_values[to] = values[k];
        }
    }
}

static void N(insert)(I *indices, V *values, int64_t n) {
    for (int64_t k = 1; k < n; k++) {
        const I index = indices[k];
        const V value = values[k];
        int64_t to = k;
        for (; to > 0 && indices[to - 1] > index; to--) {
            indices[to] = indices[to - 1];
            values[to] = values[to - 1];
        }
        indices[to] = index;
        values[to] = value;
    }
}

/* Merges neighbouring sorted runs, twice as long in each round; the result is in one of the two
 * halves of room. */
static void N(sort_long)(I *indices, V *values, int64_t n, void *room) {
    tni_sparse_item *from = room, *to = from + n;
    for (int64_t k = 0; k < n; k++)
        from[k] = (tni_sparse_item){indices[k], (uint32_t)k};
    for (int64_t run = 1; run < n; run *= 2) {
        for (int64_t begin = 0; begin < n; begin += 2 * run) {
            const int64_t middle = begin + run < n ? begin + run : n;
            const int64_t end = begin + 2 * run < n ? begin + 2 * run : n;
            int64_t i = begin, j = middle;
            for (int64_t k = begin; k < end; k++) {
                const bool is_left = i < middle && (j == end || from[i].index <= from[j].index);
                to[k] = is_left ? from[i++] : from[j++];
            }
        }
        tni_sparse_item *other = from;
        from = to;
        to = other;
    }
    V *moved = (V *)(void *)to; /* an item is as large as the largest value */
    for (int64_t k = 0; k < n; k++)
        moved[k] = values[from[k].place];
    for (int64_t k = 0; k < n; k++) {
        indices[k] = (I)from[k].index;
        values[k] = moved[k];
    }
}

static void N(sort)(const tni_csr_sort *call, int64_t begin, int64_t end, void *room) {
    const I *starts = call->a.starts;
    for (int64_t row = begin; row < end; row++) {
        I *indices = (I *)call->indices + starts[row];
        V *values = (V *)call->values + starts[row];
        const int64_t n = starts[row + 1] - starts[row];
        bool descends = false;
        for (int64_t k = 1; k < n; k++)
            descends |= indices[k] < indices[k - 1];
        if (!descends) continue;
        if (n <= TNI_SPARSE_SHORT)
            N(insert)(indices, values, n);
        else
            N(sort_long)(indices, values, n, room);
    }
}

static inline int64_t N(merge)(const tni_csr_merge *call, int64_t *place, const int64_t *end,
                               void *to, void *to_x, void *to_y, int64_t most) {
    static const V zero;
    const I *a = call->a.indices, *b = call->b.indices;
    const V *a_values = call->a.values, *b_values = call->b.values;
    I *indices = to;
    V *x = to_x, *y = to_y;
    int64_t i = place[0], j = place[1], n = 0;
    for (; i < end[0] && j < end[1] && n < most; n++) {
        const I one = a[i], other = b[j];
        const bool has_one = one <= other, has_other = other <= one;
        indices[n] = has_one ? one : other;
        x[n] = has_one ? a_values[i] : zero;
        y[n] = has_other ? b_values[j] : zero;
        i += has_one;
        j += has_other;
    }
    for (; j == end[1] && i < end[0] && n < most; n++, i++) {
        indices[n] = a[i];
        x[n] = a_values[i];
        y[n] = zero;
    }
    for (; i == end[0] && j < end[1] && n < most; n++, j++) {
        indices[n] = b[j];
        x[n] = zero;
        y[n] = b_values[j];
    }
    place[0] = i;
    place[1] = j;
    return n;
}

static int64_t N(merge_rows)(const tni_csr_merge *call, int64_t *row, int64_t last, void *indices,
                             void *x, void *y, int64_t most, int64_t *ends) {
    const I *a = call->a.starts, *b = call->b.starts;
    const int64_t first = *row;
    int64_t n = 0, r = first;
    for (; r < last && r - first < most; r++) {
        int64_t place[2] = {a[r], b[r]};
        const int64_t end[2] = {a[r + 1], b[r + 1]};
        const int64_t room = end[0] - place[0] + end[1] - place[1];
        if (room > most - n) break;
        n += N(merge)(call, place, end, (I *)indices + n, (V *)x + n, (V *)y + n, room);
        ends[r - first] = n;
    }
    *row = r;
    return n;
}

static const tni_sparse_move_loops N(loops) = {N(group), N(sort), N(merge), N(merge_rows)};

#undef V
#undef I
#undef N
