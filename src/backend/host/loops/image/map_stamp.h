/* Values of splines at places, computed in T (suffix S): included by map_loops.c, which has what
 * the types share. Orders are constants of the functions that are inlined. */
#define NAME(name) TN_PASTE(TN_PASTE(name, _), S)

/* --- Points --- */

/* The weights of all points along an axis; b->at become the first elements. */
static inline __attribute__((always_inline)) void NAME(weigh)(const tni_image_map *call, block *b,
                                                              int axis, T (*w)[TAPS], int order) {
    const double step = (double)call->steps[axis], size = (double)call->sizes[axis];
    double *at = b->at[axis];
    for (int64_t i = 0; i < b->count; i++) {
        const double middle = m_spline_middle(at[i], order);
        TN_LOCAL(spline_weights, S)(w[i], (T)(at[i] - middle), order);
        at[i] = middle - order / 2;
        b->offset[i] += at[i] * step;
        b->is_edge[i] |= (at[i] < 0) | (at[i] + order >= size);
    }
}

/* A point whose taps are all elements, of one number each. */
static inline __attribute__((always_inline)) T NAME(inside)(const tni_image_map *call,
                                                            const T *from,
                                                            const T (*const *w)[TAPS], int64_t i,
                                                            int order, int mapped) {
    const int64_t step = call->steps[mapped - 1];
    int64_t offset = 0;
    int number[TNI_MAP_AXES] = {0};
    T sums[TAPS] = {0}, sum = 0;
    for (;;) {
        T weight = 1;
        for (int h = 0; h < mapped - 2; h++)
            weight *= w[h][i][number[h]];
        for (int k = 0; k <= (mapped > 1 ? order : 0); k++) {
            const T *row = from + offset + (mapped > 1 ? k * call->steps[mapped - 2] : 0);
            const T factor = mapped > 2   ? weight * w[mapped - 2][i][k]
                             : mapped > 1 ? w[mapped - 2][i][k]
                                          : 1;
            if (step == 1)
                for (int l = 0; l <= order; l++)
                    sums[l] += factor * row[l];
            else
                for (int l = 0; l <= order; l++)
                    sums[l] += factor * row[l * step];
        }
        int h = mapped - 3;
        for (; h >= 0; h--) {
            offset += call->steps[h];
            if (++number[h] <= order) break;
            offset -= number[h] * call->steps[h];
            number[h] = 0;
        }
        if (h < 0) break;
    }
    for (int l = 0; l <= order; l++)
        sum += sums[l] * w[mapped - 1][i][l];
    return sum;
}

/* Any point, of `inner` numbers. */
static void NAME(anywhere)(const tni_image_map *call, const T *from, const block *b,
                           const T (*const *w)[TAPS], int64_t i, T *values) {
    int64_t taps[TNI_MAP_AXES][TAPS];
    int number[TNI_MAP_AXES] = {0};
    const int order = call->order, mapped = call->mapped;
    for (int h = 0; h < mapped; h++)
        for (int k = 0; k <= order; k++)
            taps[h][k] = m_spline_tap((int64_t)b->at[h][i] + k, call->sizes[h], call->border);
    for (int c = 0; c < call->inner; c++)
        values[c] = 0;
    for (;;) {
        int64_t offset = 0;
        T weight = 1;
        bool is_element = true;
        for (int h = 0; h < mapped; h++) {
            const int64_t tap = taps[h][number[h]];
            weight *= w[h][i][number[h]];
            offset += tap * call->steps[h];
            is_element &= tap >= 0;
        }
        for (int c = 0; c < call->inner; c++)
            values[c] +=
                weight * (is_element ? from[offset + c] : (T)call->outside[c % call->parts]);
        int h = mapped - 1;
        for (; h >= 0; h--) {
            if (++number[h] <= order) break;
            number[h] = 0;
        }
        if (h < 0) break;
    }
}

static inline __attribute__((always_inline)) void NAME(points_of)(const tni_image_map *call,
                                                                  int64_t begin, int64_t count,
                                                                  T *values, int order,
                                                                  int mapped) {
    T room[TNI_MAP_AXES][TNI_MAP_BLOCK][TAPS];
    const T(*w[TNI_MAP_AXES])[TAPS];
    const T *from = (const T *)(const void *)call->input;
    const int inner = call->inner;
    block b;
    b.count = count;
    find_places(call, &b, begin);
    memset(b.offset, 0, (size_t)count * sizeof *b.offset);
    memset(b.is_edge, inner > 1, (size_t)count);
    memset(b.is_outside, 0, (size_t)count);
    for (int h = 0; h < mapped; h++) {
        w[h] = (const T(*)[TAPS])room[h];
        fold_places(call, &b, h);
        NAME(weigh)(call, &b, h, room[h], order);
    }
    for (int64_t i = 0; i < count; i++) {
        const T *here = from + b.base + i * b.step;
        if (b.is_outside[i])
            for (int c = 0; c < inner; c++)
                values[i * inner + c] = (T)call->outside[c % call->parts];
        else if (b.is_edge[i])
            NAME(anywhere)(call, here, &b, w, i, values + i * inner);
        else
            values[i] = NAME(inside)(call, here + (int64_t)b.offset[i], w, i, order, mapped);
    }
}

#define POINTS(order)                                                                              \
    static void NAME(points_##order)(const tni_image_map *call, int64_t begin, int64_t count,      \
                                     T *values) {                                                  \
        if (call->mapped == 2)                                                                     \
            NAME(points_of)(call, begin, count, values, order, 2);                                 \
        else                                                                                       \
            NAME(points_of)(call, begin, count, values, order, call->mapped);                      \
    }
POINTS(0)
POINTS(1)
POINTS(2)
POINTS(3)
POINTS(4)
POINTS(5)
#undef POINTS

static void NAME(points)(const tni_image_map *call, int64_t begin, int64_t count, void *values) {
    static void (*const all[])(const tni_image_map *, int64_t, int64_t,
                               T *) = {NAME(points_0), NAME(points_1), NAME(points_2),
                                       NAME(points_3), NAME(points_4), NAME(points_5)};
    all[call->order](call, begin, count, values);
}

/* --- Rows --- */

static bool NAME(columns)(const tni_image_map *call, tni_map_columns *c) {
    const int axis = call->mapped - 1, order = call->order;
    const int64_t size = call->sizes[axis];
    T *weights = (T *)(void *)c->weights;
    c->low = size;
    c->high = 0;
    c->has_outside = false;
    for (int64_t j = 0; j < c->count; j++) {
        double at = folded(call, axis, place_apart(call, axis, c->first + j));
        T w[TAPS];
        c->is_outside[j] = at == M_SPLINE_NOWHERE;
        c->has_outside |= c->is_outside[j] != 0;
        if (c->is_outside[j]) at = 0;
        const double middle = m_spline_middle(at, order);
        TN_LOCAL(spline_weights, S)(w, (T)(at - middle), order);
        for (int k = 0; k <= order; k++) {
            const int64_t tap = m_spline_tap((int64_t)middle - order / 2 + k, size, call->border);
            weights[k * TNI_MAP_COLUMNS + j] = w[k];
            if (tap >= 0 && tap < c->low) c->low = tap;
            if (tap >= c->high) c->high = tap + 1;
        }
    }
    if (c->high < c->low) c->low = c->high;
    const int64_t span = c->high - c->low;
    if (span > TNI_MAP_ROW || span > 64 + 16 * c->count) return false;
    for (int64_t j = 0; j < c->count; j++) {
        double at = folded(call, axis, place_apart(call, axis, c->first + j));
        if (c->is_outside[j]) at = 0;
        const int64_t first = (int64_t)m_spline_middle(at, order) - order / 2;
        for (int k = 0; k <= order; k++) {
            const int64_t tap = m_spline_tap(first + k, size, call->border);
            c->taps[k * TNI_MAP_COLUMNS + j] = (int32_t)(tap < 0 ? span : tap - c->low);
        }
    }
    return true;
}

/* The other axes of a row: weights and taps of each, in numbers; false: all of it is outside. */
static bool NAME(row_taps)(const tni_image_map *call, const int64_t *index, T (*w)[TAPS],
                           int64_t (*taps)[TAPS]) {
    const int order = call->order;
    for (int h = 0; h < call->mapped - 1; h++) {
        const int64_t size = call->sizes[h];
        const double at = folded(call, h, place_apart(call, h, index[call->of[h]]));
        if (at == M_SPLINE_NOWHERE) return false;
        const double middle = m_spline_middle(at, order);
        TN_LOCAL(spline_weights, S)(w[h], (T)(at - middle), order);
        for (int k = 0; k <= order; k++) {
            taps[h][k] = m_spline_tap((int64_t)middle - order / 2 + k, size, call->border);
            if (taps[h][k] >= 0) taps[h][k] *= call->steps[h];
        }
    }
    return true;
}

/* row[x] += factor * the sum over k of w[k] * from[k][x]. */
static inline __attribute__((always_inline)) void NAME(add_rows)(T *restrict row, T factor,
                                                                 const T *w, const T *const *from,
                                                                 int64_t n, int order) {
    T all[TAPS];
    for (int k = 0; k <= order; k++)
        all[k] = factor * w[k];
    for (int64_t x = 0; x < n; x++) {
        T sum = row[x];
        for (int k = 0; k <= order; k++)
            sum += all[k] * from[k][x];
        row[x] = sum;
    }
}

/* The elements that the columns are made of, summed along all other axes. */
static inline __attribute__((always_inline)) void NAME(join_rows)(const tni_image_map *call,
                                                                  const tni_map_columns *c, T *row,
                                                                  const T *from, T (*w)[TAPS],
                                                                  int64_t (*taps)[TAPS],
                                                                  int order) {
    const int axis = call->mapped - 2;
    const int64_t n = c->high - c->low;
    int number[TNI_MAP_AXES] = {0};
    T rest = 0;
    memset(row, 0, (size_t)n * sizeof *row);
    for (;;) {
        const T *lines[TAPS];
        T used[TAPS], factor = 1;
        int64_t offset = 0;
        bool is_element = true;
        int h = 0;
        for (; h < axis; h++) {
            factor *= w[h][number[h]];
            is_element &= taps[h][number[h]] >= 0;
            offset += taps[h][number[h]];
        }
        for (int k = 0; k <= order; k++) {
            const bool is_there = is_element && taps[axis][k] >= 0;
            used[k] = is_there ? w[axis][k] : 0;
            rest += is_there ? 0 : factor * w[axis][k];
            lines[k] = from + c->low + (is_there ? offset + taps[axis][k] : 0);
        }
        NAME(add_rows)(row, factor, used, lines, n, order);
        for (h = axis - 1; h >= 0; h--) {
            if (++number[h] <= order) break;
            number[h] = 0;
        }
        if (h < 0) break;
    }
    if (rest != 0)
        for (int64_t x = 0; x < n; x++)
            row[x] += rest * (T)call->outside[0];
}

static inline __attribute__((always_inline)) void NAME(row_of)(const tni_image_map *call,
                                                               tni_map_columns *c, int64_t at,
                                                               T *restrict values, int order) {
    int64_t index[TNI_MAP_AXES], taps[TNI_MAP_AXES][TAPS];
    T w[TNI_MAP_AXES][TAPS], *row = (T *)(void *)c->row;
    const T *weights = (const T *)(const void *)c->weights, outside = (T)call->outside[0];
    const int64_t base = index_of(call, at * call->shape[call->axes - 1], index);
    const T *from = (const T *)(const void *)call->input + base;
    const int64_t n = c->high - c->low;
    if (!NAME(row_taps)(call, index, w, taps)) {
        for (int64_t j = 0; j < c->count; j++)
            values[j] = outside;
        return;
    }
    if (call->mapped > 1)
        NAME(join_rows)(call, c, row, from, w, taps, order);
    else
        memcpy(row, from + c->low, (size_t)n * sizeof *row);
    row[n] = outside;
    for (int64_t j = 0; j < c->count; j++) {
        T sum = weights[j] * row[c->taps[j]];
        for (int k = 1; k <= order; k++)
            sum += weights[k * TNI_MAP_COLUMNS + j] * row[c->taps[k * TNI_MAP_COLUMNS + j]];
        values[j] = sum;
    }
    for (int64_t j = 0; c->has_outside && j < c->count; j++)
        values[j] = c->is_outside[j] ? outside : values[j];
}

static void NAME(row)(const tni_image_map *call, tni_map_columns *c, int64_t at, void *values) {
    switch (call->order) {
    case 0: NAME(row_of)(call, c, at, values, 0); break;
    case 1: NAME(row_of)(call, c, at, values, 1); break;
    case 2: NAME(row_of)(call, c, at, values, 2); break;
    case 3: NAME(row_of)(call, c, at, values, 3); break;
    case 4: NAME(row_of)(call, c, at, values, 4); break;
    default: NAME(row_of)(call, c, at, values, 5); break;
    }
}

/* --- Results --- */

static void NAME(integers)(double *to, const void *values, int64_t n, int bits, bool is_signed) {
    const T *from = values;
    if (bits == 1)
        for (int64_t i = 0; i < n; i++)
            to[i] = !(from[i] > -1 && from[i] < 1);
    else
        for (int64_t i = 0; i < n; i++)
            to[i] = m_spline_rounded((double)from[i], bits, is_signed);
}

#undef NAME
#undef T
#undef S
