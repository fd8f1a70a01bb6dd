/* The passes of a transform: butterflies of radix 2, 3, 4, 5, 7, 8, 11, 13 and of any odd prime. */

INLINE void butterfly_2(pair *t) {
    const pair first = t[0];
    t[0] = add(first, t[1]);
    t[1] = subtract(first, t[1]);
}

INLINE void butterfly_4(pair *t) {
    const pair a = add(t[0], t[2]), b = subtract(t[0], t[2]);
    const pair c = add(t[1], t[3]), d = turned(subtract(t[1], t[3]));
    t[0] = add(a, c);
    t[1] = add(b, d);
    t[2] = subtract(a, c);
    t[3] = subtract(b, d);
}

INLINE void butterfly_8(pair *t) {
    const real half = (real)0.70710678118654752440;
    pair even[4] = {t[0], t[2], t[4], t[6]}, odd[4] = {t[1], t[3], t[5], t[7]};
    butterfly_4(even);
    butterfly_4(odd);
    odd[1] = (pair){(odd[1].re + odd[1].im) * half, (odd[1].im - odd[1].re) * half};
    odd[2] = turned(odd[2]);
    odd[3] = (pair){(odd[3].im - odd[3].re) * half, (odd[3].re + odd[3].im) * -half};
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
        t[k] = add(even[k], odd[k]);
        t[k + 4] = subtract(even[k], odd[k]);
    }
}

/* Of any odd radix: elements that mirror each other go together, as sums and differences. */
INLINE void butterfly_odd(pair *t, const int radix, const element *roots) {
    enum { MOST = TNI_FFT_MOST_RADIX / 2 + 1 };
    const int half = radix / 2;
    pair sums[MOST], differences[MOST], first = t[0];
#pragma GCC unroll 6
    for (int k = 1; k <= half; k++) {
        sums[k] = add(t[k], t[radix - k]);
        differences[k] = subtract(t[k], t[radix - k]);
        t[0] = add(t[0], sums[k]);
    }
#pragma GCC unroll 6
    for (int j = 1; j <= half; j++) {
        pair a = first, b = {0 * first.re, 0 * first.im};
        int at = 0;
#pragma GCC unroll 6
        for (int k = 1; k <= half; k++) {
            at = at + j < radix ? at + j : at + j - radix;
            const real cosine = roots[2 * at], sine = roots[2 * at + 1];
            a.re += sums[k].re * cosine;
            a.im += sums[k].im * cosine;
            if (k == 1)
                b = (pair){differences[k].re * sine, differences[k].im * sine};
            else
                b = (pair){b.re + differences[k].re * sine, b.im + differences[k].im * sine};
        }
        t[j] = (pair){a.re + b.im, a.im - b.re};
        t[radix - j] = (pair){a.re - b.im, a.im + b.re};
    }
}

#define PRAGMA(text) _Pragma(#text)
#define UNROLL(count) PRAGMA(GCC unroll count)
#define PASS(name, radix, unrolled, most, BUTTERFLY)                                               \
    static void pass_##name(const tni_fft_pass *pass, const pair *from, pair *to) {                \
        const int64_t before = pass->before, after = pass->after;                                  \
        const element *roots = pass->roots;                                                        \
        (void)roots;                                                                               \
        for (int64_t k = 0; k < before; k++) {                                                     \
            const element *twiddle = pass->twiddles;                                               \
            for (int64_t i = 0; i < after; i++) {                                                  \
                pair t[most];                                                                      \
                UNROLL(unrolled)                                                                   \
                for (int j = 0; j < (radix); j++)                                                  \
                    t[j] = from[i + after * (j + (radix)*k)];                                      \
                BUTTERFLY;                                                                         \
                to[i + after * k] = t[0];                                                          \
                UNROLL(unrolled)                                                                   \
                for (int j = 1; j < (radix); j++)                                                  \
                    to[i + after * (k + before * j)] =                                             \
                        i > 0 ? times_one(t[j], twiddle + 2 * (j - 1)) : t[j];                     \
                if (twiddle) twiddle += 2 * ((radix)-1);                                           \
            }                                                                                      \
        }                                                                                          \
    }
PASS(2, 2, 2, 2, butterfly_2(t))
PASS(3, 3, 3, 3, butterfly_odd(t, 3, roots))
PASS(4, 4, 4, 4, butterfly_4(t))
PASS(5, 5, 5, 5, butterfly_odd(t, 5, roots))
PASS(7, 7, 7, 7, butterfly_odd(t, 7, roots))
PASS(8, 8, 8, 8, butterfly_8(t))
PASS(11, 11, 11, 11, butterfly_odd(t, 11, roots))
PASS(13, 13, 13, 13, butterfly_odd(t, 13, roots))
PASS(prime, pass->radix, 1, TNI_FFT_MOST_RADIX, butterfly_odd(t, pass->radix, roots))

static void run_pass(const tni_fft_pass *pass, const pair *from, pair *to) {
    switch (pass->radix) {
    case 2: pass_2(pass, from, to); break;
    case 3: pass_3(pass, from, to); break;
    case 4: pass_4(pass, from, to); break;
    case 5: pass_5(pass, from, to); break;
    case 7: pass_7(pass, from, to); break;
    case 8: pass_8(pass, from, to); break;
    case 11: pass_11(pass, from, to); break;
    case 13: pass_13(pass, from, to); break;
    default: pass_prime(pass, from, to);
    }
}

static void *run_passes(const tni_fft_lanes *plan, void *a, void *b, int first, int end) {
    for (int k = first; k < end; k++) {
        run_pass(&plan->passes[k], a, b);
        void *const other = a;
        a = b;
        b = other;
    }
    return a;
}

/* Bluestein: jk = (j^2 + k^2 - (j - k)^2) / 2 makes of the sum a convolution with a chirp. */
static void *transform(const tni_fft_lanes *plan, void *a, void *b) {
    if (!plan->inner) return run_passes(plan, a, b, 0, plan->pass_count);
    const int64_t n = plan->n, whole = plan->inner->n;
    const element *chirp = plan->chirp, *spectrum = plan->spectrum;
    pair *block = a;
    for (int64_t k = 0; k < n; k++)
        block[k] = times_one(block[k], chirp + 2 * k);
    memset(block + n, 0, (size_t)(whole - n) * sizeof *block);
    block = run_passes(plan->inner, a, b, 0, plan->inner->pass_count);
    for (int64_t k = 0; k < whole; k++) {
        const pair product = times_one(block[k], spectrum + 2 * k);
        block[k] = (pair){product.im, product.re};
    }
    block = run_passes(plan->inner, block, (void *)block == a ? b : a, 0, plan->inner->pass_count);
    for (int64_t k = 0; k < n; k++)
        block[k] = times_one((pair){block[k].im, block[k].re}, chirp + 2 * k);
    return block;
}
