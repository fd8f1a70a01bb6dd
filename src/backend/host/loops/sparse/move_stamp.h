/* Loops that move values. The file that includes this defines V, a type of the values' size, I, the
 * type of indexes, NONE, an index that no element has, MASKED(value, has), the value or 0, and
 * N(name). */

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

/* An element on its way through a bucket. */
typedef struct N(item) {
    V value;
    I major, minor;
} N(item);

static void N(spread)(const tni_csr_group *call, int64_t begin, int64_t end, int64_t row, int shift,
                      int64_t *cursors, void *to) {
    const I *major = call->major, *minor = call->minor, *starts = call->starts;
    const V *values = call->values;
    N(item) *items = to;
    for (int64_t k = begin; k < end; k++) {
        const I line = major[k];
        if (!minor)
            while (row < call->rows && starts[row + 1] <= k)
                row++;
        if (line < 0 || line >= call->lines || cursors[line >> shift] >= call->count) continue;
        items[cursors[line >> shift]++] = (N(item)){values[k], line, minor ? minor[k] : (I)row};
    }
}

/* The start of the first line is there. Items that a program's change has left in the wrong bucket
 * are left out. */
static int64_t N(settle)(const tni_csr_group *call, const void *from, int64_t count, int64_t first,
                         int64_t end, int64_t start, int64_t *cursors) {
    const N(item) *items = from;
    I *starts = call->to_starts, *indices = call->to_indices;
    V *values = call->to_values;
    const uint64_t lines = (uint64_t)(end - first);
    memset(cursors, 0, lines * sizeof *cursors);
    for (int64_t k = 0; k < count; k++) {
        const uint64_t line = (uint64_t)(items[k].major - first);
        if (line < lines) cursors[line]++;
    }
    int64_t place = start;
    for (uint64_t line = 0; line < lines; line++) {
        const int64_t n = cursors[line];
        if (line) starts[first + (int64_t)line] = (I)place;
        cursors[line] = place;
        place += n;
    }
    for (int64_t k = 0; k < count; k++) {
        const uint64_t line = (uint64_t)(items[k].major - first);
        if (line >= lines) continue;
        const int64_t to = cursors[line]++;
        indices[to] = items[k].minor;
        values[to] = items[k].value;
    }
    return place;
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

/* Both rows have elements left. No step waits for a guess of the processor: what is exhausted has
 * an index that none has, its last element is read once more, and its value is masked. */
static inline int64_t N(merge_both)(const tni_csr_merge *call, int64_t *place, const int64_t *end,
                                    I *indices, V *x, V *y, int64_t most) {
    const I *a = call->a.indices, *b = call->b.indices;
    const V *a_values = call->a.values, *b_values = call->b.values;
    int64_t i = place[0], j = place[1], n = 0;
    for (; n < most && (i < end[0] || j < end[1]); n++) {
        const int64_t at = i < end[0] ? i : end[0] - 1, beside = j < end[1] ? j : end[1] - 1;
        const I one = at == i ? a[at] : NONE, other = beside == j ? b[beside] : NONE;
        const bool has_one = one <= other, has_other = other <= one;
        indices[n] = has_one ? one : other;
        x[n] = MASKED(a_values[at], has_one);
        y[n] = MASKED(b_values[beside], has_other);
        i += has_one;
        j += has_other;
    }
    place[0] = i < end[0] ? i : end[0];
    place[1] = j < end[1] ? j : end[1];
    return n;
}

static inline int64_t N(merge)(const tni_csr_merge *call, int64_t *place, const int64_t *end,
                               void *to, void *to_x, void *to_y, int64_t most) {
    I *indices = to;
    V *values[2] = {to_x, to_y};
    if (place[0] < end[0] && place[1] < end[1])
        return N(merge_both)(call, place, end, indices, to_x, to_y, most);
    const int side = place[0] == end[0];
    const tni_csr *from = side ? &call->b : &call->a;
    const int64_t left = end[side] - place[side], n = left < most ? left : most;
    if (n == 0) return 0;
    memcpy(indices, (const I *)from->indices + place[side], (size_t)n * sizeof *indices);
    memcpy(values[side], (const V *)from->values + place[side], (size_t)n * sizeof(V));
    memset(values[!side], 0, (size_t)n * sizeof(V));
    place[side] += n;
    return n;
}

/* Makes one element of those that both rows have: they are neighbours, the first one's before. */
static inline int64_t N(join)(I *indices, V *x, V *y, int64_t count) {
    int64_t n = 1;
    for (int64_t k = 1; k < count; k++) {
        const bool is_second = indices[k] == indices[n - 1];
        const int64_t at = n - is_second;
        x[at] = is_second ? x[at] : x[k];
        y[at] = y[k];
        indices[at] = indices[k];
        n = at + 1;
    }
    return n;
}

#define W 4
#define S(name) N(name##_of_4)
#include "backend/host/loops/sparse/short_stamp.h"
#define W 8
#define S(name) N(name##_of_8)
#include "backend/host/loops/sparse/short_stamp.h"

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
        I *to = (I *)indices + n;
        V *to_x = (V *)x + n, *to_y = (V *)y + n;
        const int64_t counts[2] = {end[0] - place[0], end[1] - place[1]};
        const int64_t longer = counts[0] > counts[1] ? counts[0] : counts[1];
        const bool is_short = longer <= 8 && most - n >= 16 && place[0] + 8 <= call->a.count &&
                              place[1] + 8 <= call->b.count;
        if (!is_short)
            n += N(merge)(call, place, end, to, to_x, to_y, room);
        else if (longer <= 4)
            n += N(merge_of_4)(call, place, counts, to, to_x, to_y);
        else
            n += N(merge_of_8)(call, place, counts, to, to_x, to_y);
        ends[r - first] = n;
    }
    *row = r;
    return n;
}

static const tni_sparse_move_loops N(loops) = {
    N(group), N(spread), N(settle), sizeof(N(item)), N(sort), N(merge), N(merge_rows),
};

#undef V
#undef I
#undef N
