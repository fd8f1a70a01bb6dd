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

/* The last `count` elements of lines without gaps, fewer than LANES. */
static void load_row_ends(pair *block, const element *first, const tni_fft_place *from, int64_t k,
                          int64_t count, bool exchanges) {
    const int64_t reach = reach_of(from, 2 * (k + count));
    element area[2 * LANES] = {0};
    vector re[LANES], im[LANES];
    for (int l = 0; l < LANES; l++) {
        const int64_t at = 2 * k + l * from->apart;
        pair some = {{0}, {0}};
        if (l < from->lanes)
            some = load_pairs(readable(first + at, 2 * count, 2 * LANES, reach - at, area));
        re[l] = some.re;
        im[l] = some.im;
    }
    transpose(re);
    transpose(im);
    for (int l = 0; l < count; l++)
        block[k + l] = ordered((pair){re[l], im[l]}, exchanges);
}

/* Lines without gaps: LANES elements of each at a time. */
static void load_rows(pair *block, const element *first, const tni_fft_place *from, int64_t count,
                      bool exchanges) {
    int64_t k = 0;
    for (; k + LANES <= count; k += LANES) {
        vector re[LANES], im[LANES];
        for (int l = 0; l < LANES; l++) {
            pair some = {{0}, {0}};
            if (l < from->lanes) some = load_pairs(first + 2 * k + l * from->apart);
            re[l] = some.re;
            im[l] = some.im;
        }
        transpose(re);
        transpose(im);
#pragma GCC unroll 16
        for (int l = 0; l < LANES; l++)
            block[k + l] = ordered((pair){re[l], im[l]}, exchanges);
    }
    if (count - k > FEW)
        load_row_ends(block, first, from, k, count - k, exchanges);
    else
        load_some(block, from, k, count);
}

/* The same of real numbers: parts of the elements come from lines of their own. */
static void load_real_rows(pair *block, const tni_fft_place *from, int64_t count) {
    const int64_t reach = reach_of(from, count);
    for (int part = 0; part < 2; part++) {
        const element *first = part ? from->im : from->re;
        for (int64_t k = 0; k < count; k += LANES) {
            const int64_t left = count - k < LANES ? count - k : LANES;
            element area[LANES] = {0};
            vector rows[LANES];
            for (int l = 0; l < LANES; l++) {
                const int64_t at = k + l * from->apart, there = left == LANES ? left : reach - at;
                rows[l] = (vector){0};
                if (first && l < from->lanes)
                    rows[l] = load_loose(readable(first + at, left, LANES, there, area));
            }
            if (first) transpose(rows);
            for (int l = 0; l < left; l++)
                *(part ? &block[k + l].im : &block[k + l].re) = rows[l];
        }
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
    else if (from->step == 1 && from->lanes > 1 && count > FEW)
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

/* LANES numbers, of which `left` or fewer are wanted: where all may be written, what lies behind is
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

/* The last `count` elements of lines without gaps, before all others of these lines. */
static void store_row_ends(element *first, const tni_fft_place *to, const pair *block, int64_t k,
                           int64_t count, bool exchanges) {
    const int64_t reach = reach_of(to, 2 * (k + count));
    vector re[LANES], im[LANES];
    for (int l = 0; l < LANES; l++) {
        const pair some = l < count ? scaled(to, block[k + l], exchanges) : (pair){{0}, {0}};
        re[l] = some.re;
        im[l] = some.im;
    }
    transpose(re);
    transpose(im);
    for (int l = 0; l < to->lanes; l++) {
        const int64_t at = 2 * k + l * to->apart;
        element area[2 * LANES];
        if (at + 2 * LANES <= reach) {
            store_pairs(first + at, (pair){re[l], im[l]});
        } else {
            store_pairs(area, (pair){re[l], im[l]});
            memcpy(first + at, area, (size_t)(2 * count) * sizeof(real));
        }
    }
}

/* Elements of a line go up (step 2) or down. */
static void store_rows(element *first, const tni_fft_place *to, const pair *block, int64_t count,
                       bool exchanges) {
    const int64_t whole = count - count % LANES;
    if (count - whole > FEW && to->step == 2)
        store_row_ends(first, to, block, whole, count - whole, exchanges);
    else
        store_some(to, block, whole, count);
    for (int64_t k = 0; k < whole; k += LANES) {
        element *at = first + (to->step == 2 ? 2 * k : -2 * (k + LANES - 1));
        vector re[LANES], im[LANES];
#pragma GCC unroll 16
        for (int l = 0; l < LANES; l++) {
            const pair some = scaled(to, block[k + l], exchanges);
            re[l] = some.re;
            im[l] = some.im;
        }
        transpose(re);
        transpose(im);
        for (int l = 0; l < to->lanes; l++) {
            const pair some = {re[l], im[l]};
            store_pairs(at + l * to->apart, to->step == 2 ? some : reversed(some));
        }
    }
}

/* Real numbers: parts of the elements go to lines of their own. */
static void store_real_rows(const tni_fft_place *to, const pair *block, int64_t count) {
    const int64_t reach = reach_of(to, count), whole = count - count % LANES;
    for (int part = 0; part < 2; part++) {
        element *first = part ? to->im : to->re;
        if (!first) continue;
        const real scale = (real)(part ? to->scale_im : to->scale_re);
        for (int64_t k = whole; k >= 0; k -= LANES) {
            const int64_t left = count - k < LANES ? count - k : LANES;
            vector rows[LANES];
            for (int l = 0; l < LANES; l++) {
                rows[l] = (vector){0};
                if (l < left) rows[l] = (part ? block[k + l].im : block[k + l].re) * scale;
            }
            transpose(rows);
            for (int l = 0; l < to->lanes && left > 0; l++) {
                const int64_t at = k + l * to->apart;
                write_some(first + at, rows[l], left, left == LANES ? left : reach - at);
            }
        }
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
    else if (to->step == 1 && to->lanes > 1 && count > FEW)
        store_real_rows(to, block, count);
    else
        store_some(to, block, 0, count);
}

static void turn(const tni_fft_turn *t) {
    const pair *from = t->from, *twiddles = t->twiddles;
    const element *bases = t->bases;
    element *to = t->to;
    for (int64_t k = 0; k < t->count; k += LANES, to += t->to_apart) {
        const int rows = t->count - k < LANES ? (int)(t->count - k) : LANES;
        vector re[LANES], im[LANES];
        for (int l = 0; l < LANES; l++) {
            pair some = {{0}, {0}};
            if (l < rows) {
                some = times(from[k + l], twiddles[k + l]);
                if (bases) some = times_one(some, bases + 2 * (k + l));
            }
            re[l] = some.re;
            im[l] = some.im;
        }
        transpose(re);
        transpose(im);
        pair *block = (pair *)(void *)to;
        for (int l = 0; l < t->columns; l++)
            block[l] = (pair){re[l], im[l]};
    }
}
