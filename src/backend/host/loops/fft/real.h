/* Transforms of real numbers by those of half as many complex ones, made of pairs. */

/* Elements k and half - k of the result from those of the transform: the sum of the evens' and of
 * the odds' transforms times exp(-pi i k / half). */
INLINE void split_two(pair *a, pair *b, pair root) {
    const real half = (real)0.5;
    const pair even = {(a->re + b->re) * half, (a->im - b->im) * half};
    const pair odd = times((pair){(a->im + b->im) * half, (b->re - a->re) * half}, root);
    *a = add(even, odd);
    *b = (pair){even.re - odd.re, odd.im - even.im};
}

INLINE void join_two(pair *a, pair *b, pair root) {
    const pair even = {a->re + b->re, a->im - b->im}, left = {a->re - b->re, a->im + b->im};
    const pair odd = times(left, (pair){root.re, -root.im});
    *a = (pair){even.im + odd.re, even.re - odd.im};
    *b = (pair){odd.re - even.im, even.re + odd.im};
}

INLINE pair spread(const element *one) {
    return (pair){one[0] - (vector){0}, one[1] - (vector){0}};
}

static void split(void *at, int64_t half, const void *roots) {
    pair *block = at, first = block[0];
    const element *root = roots;
    block[0] = (pair){first.re + first.im, first.re * 0};
    block[half] = (pair){first.re - first.im, first.re * 0};
    for (int64_t k = 1; k <= half / 2; k++) {
        pair a = block[k], b = block[half - k];
        split_two(&a, &b, spread(root + 2 * k));
        block[k] = a;
        if (half - k != k) block[half - k] = b;
    }
}

static void join(void *at, int64_t half, const void *roots) {
    pair *block = at, first = block[0], last = block[half];
    const element *root = roots;
    block[0] = (pair){first.re - last.re, first.re + last.re};
    for (int64_t k = 1; k <= half / 2; k++) {
        pair a = block[k], b = block[half - k];
        join_two(&a, &b, spread(root + 2 * k));
        block[k] = a;
        if (half - k != k) block[half - k] = b;
    }
}

/* Numbers [begin, end) from 1 upwards and those from half - 1 downwards, LANES at a time; the few
 * that are left one by one. */
#define LINE(name, from, to)                                                                       \
    int64_t k = begin > 1 ? begin : 1;                                                             \
    for (; k + LANES <= end && k + LANES <= half / 2; k += LANES) {                                \
        const int64_t mirrored = half - k - LANES + 1;                                             \
        pair a = load_pairs((from) + 2 * k), b = reversed(load_pairs((from) + 2 * mirrored));      \
        name(&a, &b, load_pairs(root + 2 * k));                                                    \
        store_pairs((to) + 2 * k, a);                                                              \
        store_pairs((to) + 2 * mirrored, reversed(b));                                             \
    }                                                                                              \
    for (; k < end; k++) {                                                                         \
        pair a = spread((from) + 2 * k), b = spread((from) + 2 * (half - k));                      \
        name(&a, &b, spread(root + 2 * k));                                                        \
        (to)[2 * (half - k)] = b.re[0];                                                            \
        (to)[2 * (half - k) + 1] = b.im[0];                                                        \
        (to)[2 * k] = a.re[0];                                                                     \
        (to)[2 * k + 1] = a.im[0];                                                                 \
    }

static void split_line(void *to, const void *from, int64_t half, const void *roots, int64_t begin,
                       int64_t end) {
    element *line = to;
    const element *given = from, *root = roots;
    if (begin == 0) {
        const real re = given[0], im = given[1];
        line[0] = re + im;
        line[2 * half] = re - im;
        line[1] = line[2 * half + 1] = 0;
    }
    LINE(split_two, given, line)
}

static void join_line(void *to, const void *from, int64_t half, const void *roots, int64_t begin,
                      int64_t end) {
    element *line = to;
    const element *given = from, *root = roots;
    if (begin == 0) {
        const real first = given[0], last = given[2 * half];
        line[0] = first - last;
        line[1] = first + last;
    }
    LINE(join_two, given, line)
}

static void conjugate(void *at, int64_t count) {
    pair *block = at;
    for (int64_t k = 0; k < count; k++)
        block[k].im = -block[k].im;
}

/* Of lines that went as the two parts of complex ones: b of the imaginary parts. n is odd. */
static void part_lines(void *at, void *other, int64_t n) {
    const real half = (real)0.5;
    pair *a = at, *b = other;
    b[0] = (pair){a[0].im, {0}};
    a[0].im = (vector){0};
    for (int64_t k = 1; k <= n / 2; k++) {
        const pair z = a[k], w = a[n - k];
        a[k] = (pair){(z.re + w.re) * half, (z.im - w.im) * half};
        b[k] = (pair){(z.im + w.im) * half, (w.re - z.re) * half};
    }
}

static void join_lines(void *at, const void *other, int64_t n, bool conjugates) {
    const real sign = conjugates ? -1 : 1;
    pair *a = at;
    const pair *b = other;
    a[0].im = b[0].re;
    for (int64_t k = 1; k <= n / 2; k++) {
        const pair x = {a[k].re, a[k].im * sign}, y = {b[k].re, b[k].im * sign};
        a[k] = (pair){x.re - y.im, x.im + y.re};
        a[n - k] = (pair){x.re + y.im, y.re - x.im};
    }
}

static void mirror(void *at, int64_t n) {
    pair *block = at;
    block[0].im = (vector){0};
    for (int64_t k = 1; k <= (n - 1) / 2; k++)
        block[n - k] = (pair){block[k].re, -block[k].im};
}

static void multiply(void *to, const void *a, const void *b, int64_t count) {
    element *line = to;
    const element *x = a, *y = b;
    int64_t k = 0;
    for (; k + LANES <= count; k += LANES)
        store_pairs(line + 2 * k, times(load_pairs(x + 2 * k), load_pairs(y + 2 * k)));
    for (; k < count; k++) {
        const real re = x[2 * k] * y[2 * k] - x[2 * k + 1] * y[2 * k + 1];
        const real im = x[2 * k] * y[2 * k + 1] + x[2 * k + 1] * y[2 * k];
        line[2 * k] = re;
        line[2 * k + 1] = im;
    }
}
