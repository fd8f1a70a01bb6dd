/* Blocks: from memory, to memory, and from rows to columns. */

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

/* Lines without gaps: LANES elements of each at a time. */
static int64_t load_rows(pair *block, const element *first, const tni_fft_place *from,
                         int64_t count, bool exchanges) {
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
    return k;
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
    else {
        if (from->step == 2 && is_pair) k = load_rows(block, first, from, count, is_exchanged);
        load_some(block, from, k, count);
    }
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

static int64_t store_rows(element *first, const tni_fft_place *to, const pair *block, int64_t count,
                          bool exchanges) {
    int64_t k = 0;
    for (; k + LANES <= count; k += LANES) {
        vector re[LANES], im[LANES];
#pragma GCC unroll 16
        for (int l = 0; l < LANES; l++) {
            const pair some = scaled(to, block[k + l], exchanges);
            re[l] = some.re;
            im[l] = some.im;
        }
        transpose(re);
        transpose(im);
        for (int l = 0; l < to->lanes; l++)
            store_pairs(first + 2 * k + l * to->apart, (pair){re[l], im[l]});
    }
    return k;
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
    else {
        if (to->step == 2 && is_pair) k = store_rows(first, to, block, count, is_exchanged);
        store_some(to, block, k, count);
    }
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
