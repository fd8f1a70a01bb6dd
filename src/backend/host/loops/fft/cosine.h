/* The steps of cosine and sine transforms (loops/cosine_loops.h) on one kind of number, ONE: real,
 * or the vector of a block. COUPLE is a complex number of these, NAME(x) the name of a function. */

INLINE COUPLE NAME(turn)(ONE re, ONE im, const element *turn) {
    const real c = turn[0], s = turn[1];
    return (COUPLE){re * c - im * s, re * s + im * c};
}

static void NAME(before_1)(const tni_cosine_step *s) {
    const ONE *x = s->from;
    ONE *to = s->to;
    const int64_t n = s->n;
    for (int64_t j = s->begin; j < s->end; j++) {
        const ONE value = x[j * s->from_step];
        const bool is_end = j == 0 || j == n - 1;
        if (s->is_sine) {
            to[j + 1] = value;
            to[2 * n + 1 - j] = -value;
            continue;
        }
        to[j] = value * (is_end ? (real)s->edge : 1);
        if (!is_end) to[2 * (n - 1) - j] = value;
    }
    if (s->is_sine && s->begin == 0) to[0] = to[n + 1] = (ONE){0};
}

static void NAME(before_2)(const tni_cosine_step *s) {
    const ONE *x = s->from;
    ONE *to = s->to;
    const int64_t n = s->n, step = s->from_step;
    const real sign = s->is_sine ? -1 : 1;
    for (int64_t j = s->begin; j < s->end; j++) {
        to[j * s->spread] = x[2 * j * step];
        if (2 * j + 1 < n) to[(n - 1 - j) * s->spread] = x[(2 * j + 1) * step] * sign;
    }
}

static void NAME(before_3)(const tni_cosine_step *s) {
    const ONE *x = s->from;
    COUPLE *to = s->to;
    const element *turns = s->turns;
    const int64_t n = s->n, step = s->is_sine ? -s->from_step : s->from_step;
    if (s->is_sine) x += (n - 1) * s->from_step;
    for (int64_t k = s->begin; k < s->end; k++) {
        if (k == 0) {
            to[0] = (COUPLE){x[0] * (real)s->edge, (ONE){0}};
            continue;
        }
        const COUPLE turned = NAME(turn)(x[k * step], x[(n - k) * step], turns + 2 * k);
        to[k] = (COUPLE){turned.re, -turned.im};
    }
}

/* Of an odd n: the number at `at` = 2 j + 1 of what mirrors itself at 4 n, and with the other sign
 * at 2 n. */
static void NAME(before_4_odd)(const tni_cosine_step *s) {
    const ONE *x = s->from;
    ONE *to = s->to;
    const int64_t n = s->n;
    for (int64_t k = s->begin; k < s->end; k++) {
        int64_t at = (n + 8 * k) % (8 * n);
        if (at > 4 * n) at = 8 * n - at;
        const real sign = at > 2 * n ? -1 : 1;
        if (at > 2 * n) at = 4 * n - at;
        const int64_t j = (at - 1) / 2;
        to[k * s->spread] = x[(s->is_sine ? n - 1 - j : j) * s->from_step] * sign;
    }
}

static void NAME(before_4)(const tni_cosine_step *s) {
    const ONE *x = s->from;
    COUPLE *to = s->to;
    const element *turns = s->turns;
    const int64_t n = s->n, step = s->from_step;
    if (n % 2) {
        NAME(before_4_odd)(s);
        return;
    }
    for (int64_t k = s->begin; k < s->end; k++) {
        const ONE even = x[2 * k * step], odd = x[(n - 1 - 2 * k) * step];
        to[k] = NAME(turn)(s->is_sine ? odd : even, s->is_sine ? even : odd, turns + 2 * k);
    }
}

static void NAME(before)(const tni_cosine_step *s) {
    switch (s->type) {
    case 1: NAME(before_1)(s); break;
    case 2: NAME(before_2)(s); break;
    case 3: NAME(before_3)(s); break;
    default: NAME(before_4)(s);
    }
}

static void NAME(after_1)(const tni_cosine_step *s) {
    const COUPLE *half = s->from;
    ONE *to = s->to;
    const real scale = (real)s->scale;
    for (int64_t k = s->begin; k < s->end; k++) {
        const bool is_end = k == 0 || k == s->n - 1;
        if (s->is_sine)
            to[k * s->to_step] = half[k + 1].im * -scale;
        else
            to[k * s->to_step] = half[k].re * (is_end ? (real)(s->scale * s->edge) : scale);
    }
}

static void NAME(after_2)(const tni_cosine_step *s) {
    const COUPLE *half = s->from;
    const element *turns = s->turns;
    const int64_t n = s->n, step = s->is_sine ? -s->to_step : s->to_step;
    const real scale = (real)s->scale;
    ONE *to = s->to;
    if (s->is_sine) to += (n - 1) * s->to_step;
    for (int64_t k = s->begin; k < s->end; k++) {
        const COUPLE turned = NAME(turn)(half[k].re, half[k].im, turns + 2 * k);
        to[k * step] = turned.re * (k == 0 ? (real)(s->scale * s->edge) : scale);
        if (k > 0 && 2 * k < n) to[(n - k) * step] = turned.im * -scale;
    }
}

static void NAME(after_3)(const tni_cosine_step *s) {
    const ONE *from = s->from;
    ONE *to = s->to;
    const int64_t n = s->n, step = s->to_step;
    const int spread = s->spread, swapped = s->swapped;
    const real scale = (real)s->scale, sign = s->is_sine ? -scale : scale;
    for (int64_t j = s->begin; j < s->end; j++) {
        to[2 * j * step] = from[(j * spread) ^ swapped] * scale;
        if (2 * j + 1 < n) to[(2 * j + 1) * step] = from[((n - 1 - j) * spread) ^ swapped] * sign;
    }
}

/* Element 2 k + 1 (modulo n) of the half, times exp(-pi i (2k + 1) / 4), of which parts are roots
 * of 1/2 that the scale has. */
static void NAME(after_4_odd)(const tni_cosine_step *s) {
    const COUPLE *half = s->from;
    ONE *to = s->to;
    const int64_t n = s->n;
    const real scale = (real)(s->scale * 0.70710678118654752440);
    for (int64_t k = s->begin; k < s->end; k++) {
        const int64_t at = (2 * k + 1) % n;
        const bool is_mirrored = at > n / 2;
        const COUPLE value = half[is_mirrored ? n - at : at];
        const real outer = s->is_sine && k % 2 ? -scale : scale;
        const real re = k % 4 == 0 || k % 4 == 3 ? outer : -outer;
        const real im = (k % 4 < 2) != is_mirrored ? outer : -outer;
        to[k * s->to_step] = value.re * re + value.im * im;
    }
}

static void NAME(after_4)(const tni_cosine_step *s) {
    const COUPLE *from = s->from;
    const element *turns = s->turns;
    const int64_t n = s->n;
    const real scale = (real)s->scale, sign = s->is_sine ? scale : -scale;
    ONE *to = s->to;
    if (n % 2) {
        NAME(after_4_odd)(s);
        return;
    }
    for (int64_t k = s->begin; k < s->end; k++) {
        const COUPLE turned = NAME(turn)(from[k].re, from[k].im, turns + 2 * k);
        to[2 * k * s->to_step] = turned.re * scale;
        to[(n - 1 - 2 * k) * s->to_step] = turned.im * sign;
    }
}

static void NAME(after)(const tni_cosine_step *s) {
    switch (s->type) {
    case 1: NAME(after_1)(s); break;
    case 2: NAME(after_2)(s); break;
    case 3: NAME(after_3)(s); break;
    default: NAME(after_4)(s);
    }
}

#undef ONE
#undef COUPLE
#undef NAME
