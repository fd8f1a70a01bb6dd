/* Blocks: from memory, to memory, and from rows to columns. */

/* So many elements are faster one by one than as vectors. */
enum { FEW = 2 };

/* Elements [begin, end), one by one. */
static void load_some(pair *block, const tni_fft_place *from, int64_t begin, int64_t end) {
    const element *re = from->re, *im = from->im;
    for (int64_t k = begin; k < end; k++) {
        element *parts = (element *)(void *)(block + k);
        for (int l = 0; l < from->lanes; l++) {
            const int64_t at = k * from->step + l * from->apart;
            parts[l] = re[at];
            parts[LANES + l] = im ? im[at] : 0;
        }
        for (int l = from->lanes; l < LANES; l++)
            parts[l] = parts[LANES + l] = 0;
    }
}

INLINE pair ordered(pair a, bool exchanges) {
    return exchanges ? (pair){a.im, a.re} : a;
}

/* How far the numbers of a block's lines go on without gaps; nowhere if there are gaps. */
INLINE int64_t reach_of(const tni_fft_place *place, int64_t numbers) {
    return place->apart == numbers ? numbers * place->lanes : INT64_MIN / 2;
}

/* A place from which `room` numbers can be read: `at`, if so many lie there, or a copy. */
INLINE const element *readable(const element *at, int64_t numbers, int64_t room, int64_t left,
                               element *area) {
    if (room <= left) return at;
    memcpy(area, at, (size_t)(numbers < room ? numbers : room) * sizeof(real));
    return area;
}

/* Numbers of lines and the vectors of a block that have them: number k of all lines is the vector
 * at (k * spread) ^ flip. */
typedef struct numbers {
    vector *at;
    int spread, flip;
    bool is_down;   /* pairs of numbers lie in memory from the last to the first */
    real scales[2]; /* of the even and odd ones that are written */
} numbers;

/* Whether lines are so short, without gaps and all there, that splitting evens from odds a few
 * times sorts them. */
INLINE bool is_dense(const tni_fft_place *place, int64_t count) {
    return place->lanes == LANES && place->apart == count && count <= LANES / 2 &&
           (count & (count - 1)) == 0;
}

/* A function of dense lines with their count as a constant. */
#define BY_COUNT(function, numbers, first)                                                         \
    switch (count) {                                                                               \
    case 1: function(numbers, first, 1); break;                                                    \
    case 2: function(numbers, first, 2); break;                                                    \
    case 4: function(numbers, first, 4); break;                                                    \
    default: function(numbers, first, 8);                                                          \
    }

INLINE void load_dense(const numbers *to, const element *first, const int count) {
    vector rows[8], other[8];
#pragma GCC unroll 8
    for (int k = 0; k < count; k++)
        rows[k] = load_loose(first + k * LANES);
#pragma GCC unroll 8
    for (int done = 1; done < count; done *= 2) {
#pragma GCC unroll 8
        for (int k = 0; k < count / 2; k++) {
            other[k] = SHUFFLE(rows[2 * k], rows[2 * k + 1], EVEN);
            other[k + count / 2] = SHUFFLE(rows[2 * k], rows[2 * k + 1], ODD);
        }
#pragma GCC unroll 8
        for (int k = 0; k < count; k++)
            rows[k] = other[k];
    }
#pragma GCC unroll 8
    for (int k = 0; k < count; k++)
        to->at[(k * to->spread) ^ to->flip] = rows[k];
}

/* Numbers [k, k + left) of all lines: LANES, or the last ones. */
INLINE void load_chunk(const numbers *to, const element *first, const tni_fft_place *from,
                       int64_t k, int64_t left, int64_t reach) {
    vector rows[LANES];
    for (int l = 0; l < LANES; l++) {
        const int64_t at = k + l * from->apart;
        element area[LANES] = {0};
        rows[l] = (vector){0};
        if (l < from->lanes)
            rows[l] = left == LANES
                          ? load_loose(first + at)
                          : load_loose(readable(first + at, left, LANES, reach - at, area));
    }
    transpose(rows);
#pragma GCC unroll 16
    for (int l = 0; l < LANES; l++)
        if (l < left) to->at[((k + l) * to->spread) ^ to->flip] = rows[l];
}

/* Lines of numbers that lie one after the other. */
INLINE void load_lines(const numbers *to, const element *first, const tni_fft_place *from,
                       int64_t count) {
    const int64_t reach = reach_of(from, count);
    int64_t k = 0;
    if (is_dense(from, count)) {
        BY_COUNT(load_dense, to, first)
        return;
    }
    for (; k + LANES <= count; k += LANES)
        load_chunk(to, first, from, k, LANES, reach);
    if (k < count) load_chunk(to, first, from, k, count - k, reach);
}

static void load_rows(pair *block, const element *first, const tni_fft_place *from, int64_t count,
                      bool exchanges) {
    const numbers to = {.at = (vector *)(void *)block, .spread = 1, .flip = exchanges};
    if (count > FEW || is_dense(from, 2 * count))
        load_lines(&to, first, from, 2 * count);
    else
        load_some(block, from, 0, count);
}

/* The same of real numbers: parts of the elements come from lines of their own. */
static void load_real_rows(pair *block, const tni_fft_place *from, int64_t count) {
    for (int part = 0; part < 2; part++) {
        const element *first = part ? from->im : from->re;
        const numbers to = {.at = (vector *)(void *)block + part, .spread = 2};
        if (first)
            load_lines(&to, first, from, count);
        else
            for (int64_t k = 0; k < count; k++)
                to.at[2 * k] = (vector){0};
    }
}

static void load(void *to, const tni_fft_place *from, int64_t count) {
    pair *block = to;
    const element *re = from->re, *im = from->im;
    const bool is_exchanged = im && im == re - 1, is_pair = im && (im == re + 1 || is_exchanged);
    const element *first = is_exchanged ? im : re;
    int64_t k = 0;
    if (from->lanes == LANES && from->apart == 2 && is_pair)
        for (; k < count; k++)
            block[k] = ordered(load_pairs(first + k * from->step), is_exchanged);
    else if (from->lanes == LANES && from->apart == 1)
        for (; k < count; k++) {
            block[k].re = load_loose(re + k * from->step);
            block[k].im = im ? load_loose(im + k * from->step) : (vector){0};
        }
    else if (from->lanes == LANES && from->apart == -2 && is_pair)
        for (; k < count; k++)
            block[k] = ordered(reversed(load_pairs(first + k * from->step - 2 * (LANES - 1))),
                               is_exchanged);
    else if (from->step == 2 && is_pair)
        load_rows(block, first, from, count, is_exchanged);
    else if (from->step == 1 && from->lanes > 1 && (count > FEW || is_dense(from, count)))
        load_real_rows(block, from, count);
    else
        load_some(block, from, 0, count);
}

static void store_some(const tni_fft_place *to, const pair *block, int64_t begin, int64_t end) {
    element *re = to->re, *im = to->im;
    const real scale_re = (real)to->scale_re, scale_im = (real)to->scale_im;
    for (int64_t k = begin; k < end; k++) {
        const element *parts = (const element *)(const void *)(block + k);
        for (int l = 0; l < to->lanes; l++) {
            const int64_t at = k * to->step + l * to->apart;
            re[at] = parts[l] * scale_re;
            if (im) im[at] = parts[LANES + l] * scale_im;
        }
    }
}

INLINE pair scaled(const tni_fft_place *to, pair a, bool exchanges) {
    const vector re = a.re * (real)to->scale_re, im = a.im * (real)to->scale_im;
    return exchanges ? (pair){im, re} : (pair){re, im};
}

/* LANES numbers, of which `left` or fewer are wanted: where all may be written, what lies after is
 * written again later. */
INLINE void write_some(element *at, vector value, int64_t wanted, int64_t left) {
    element area[LANES];
    if (LANES <= left) {
        store_loose(at, value);
    } else {
        store_loose(area, value);
        memcpy(at, area, (size_t)wanted * sizeof(real));
    }
}

INLINE void store_dense(const numbers *of, element *first, const int count) {
    vector rows[8], other[8];
#pragma GCC unroll 8
    for (int k = 0; k < count; k++)
        rows[k] = of->at[(k * of->spread) ^ of->flip] * of->scales[k % 2];
#pragma GCC unroll 8
    for (int done = 1; done < count; done *= 2) {
#pragma GCC unroll 8
        for (int k = 0; k < count / 2; k++) {
            other[2 * k] = SHUFFLE(rows[k], rows[k + count / 2], LOW);
            other[2 * k + 1] = SHUFFLE(rows[k], rows[k + count / 2], HIGH);
        }
#pragma GCC unroll 8
        for (int k = 0; k < count; k++)
            rows[k] = other[k];
    }
#pragma GCC unroll 8
    for (int k = 0; k < count; k++)
        store_loose(first + k * LANES, rows[k]);
}

/* Numbers [k, k + left) of all lines. */
INLINE void store_chunk(const numbers *of, element *first, const tni_fft_place *to, int64_t k,
                        int64_t left, int64_t reach) {
    vector rows[LANES];
#pragma GCC unroll 16
    for (int l = 0; l < LANES; l++) {
        const int64_t at = of->is_down ? k + left - 2 - (l & ~1) + (l & 1) : k + l;
        rows[l] = (vector){0};
        if (l < left) rows[l] = of->at[(at * of->spread) ^ of->flip] * of->scales[l % 2];
    }
    transpose(rows);
    for (int l = 0; l < to->lanes; l++) {
        const int64_t at = (of->is_down ? 2 - k - left : k) + l * to->apart;
        write_some(first + at, rows[l], left, left == LANES ? LANES : reach - at);
    }
}

/* The ends of lines go before all others: what is written after them is written again. */
INLINE void store_lines(const numbers *of, element *first, const tni_fft_place *to, int64_t count) {
    const int64_t whole = count - count % LANES;
    const int64_t reach = of->is_down ? INT64_MIN / 2 : reach_of(to, count);
    if (!of->is_down && is_dense(to, count)) {
        BY_COUNT(store_dense, of, first)
        return;
    }
    if (whole < count) store_chunk(of, first, to, whole, count - whole, reach);
    for (int64_t k = whole - LANES; k >= 0; k -= LANES)
        store_chunk(of, first, to, k, LANES, reach);
}

/* Elements of a line go up (step 2) or down. */
static void store_rows(element *first, const tni_fft_place *to, const pair *block, int64_t count,
                       bool exchanges) {
    const bool is_up = to->step == 2;
    const numbers of = {.at = (vector *)(uintptr_t)block,
                        .spread = 1,
                        .flip = exchanges,
                        .is_down = !is_up,
                        .scales = {(real)(exchanges ? to->scale_im : to->scale_re),
                                   (real)(exchanges ? to->scale_re : to->scale_im)}};
    if (count > FEW || (is_up && is_dense(to, 2 * count)))
        store_lines(&of, first, to, 2 * count);
    else
        store_some(to, block, 0, count);
}

/* Real numbers: parts of the elements go to lines of their own. */
static void store_real_rows(const tni_fft_place *to, const pair *block, int64_t count) {
    for (int part = 0; part < 2; part++) {
        element *first = part ? to->im : to->re;
        const real scale = (real)(part ? to->scale_im : to->scale_re);
        const numbers of = {
            .at = (vector *)(uintptr_t)block + part, .spread = 2, .scales = {scale, scale}};
        if (first) store_lines(&of, first, to, count);
    }
}

static void store(const tni_fft_place *to, const void *from, int64_t count) {
    const pair *block = from;
    element *re = to->re, *im = to->im;
    const bool is_exchanged = im && im == re - 1, is_pair = im && (im == re + 1 || is_exchanged);
    element *first = is_exchanged ? im : re;
    int64_t k = 0;
    if (to->lanes == LANES && to->apart == 2 && is_pair)
        for (; k < count; k++)
            store_pairs(first + k * to->step, scaled(to, block[k], is_exchanged));
    else if (to->lanes == LANES && to->apart == 1)
        for (; k < count; k++) {
            store_loose(re + k * to->step, block[k].re * (real)to->scale_re);
            if (im) store_loose(im + k * to->step, block[k].im * (real)to->scale_im);
        }
    else if (to->lanes == LANES && to->apart == -2 && is_pair)
        for (; k < count; k++)
            store_pairs(first + k * to->step - 2 * (LANES - 1),
                        reversed(scaled(to, block[k], is_exchanged)));
    else if ((to->step == 2 || to->step == -2) && is_pair)
        store_rows(first, to, block, count, is_exchanged);
    else if (to->step == 1 && to->lanes > 1 && (count > FEW || is_dense(to, count)))
        store_real_rows(to, block, count);
    else
        store_some(to, block, 0, count);
}

/* Rows [k, k + rows) of the turn, LANES or the last ones, from `from` on. */
INLINE void turn_rows(const tni_fft_turn *t, const pair *from, int64_t k, int rows) {
    const pair *twiddles = (const pair *)t->twiddles + k;
    const element *bases = t->bases ? (const element *)t->bases + 2 * k : NULL;
    pair *to = (pair *)(void *)((element *)t->to + k / LANES * t->to_apart);
    vector re[LANES], im[LANES];
    for (int l = 0; l < LANES; l++) {
        pair some = {{0}, {0}};
        if (l < rows) {
            some = times(from[l], twiddles[l]);
            if (bases) some = times_one(some, bases + 2 * l);
        }
        re[l] = some.re;
        im[l] = some.im;
    }
    transpose(re);
    transpose(im);
    for (int l = 0; l < t->columns; l++)
        to[l] = (pair){re[l], im[l]};
}

static void turn(const tni_fft_turn *t) {
    const pair *from = t->from;
    for (int64_t k = 0; k < t->count; k += LANES)
        turn_rows(t, from + k, k, t->count - k < LANES ? (int)(t->count - k) : LANES);
}
