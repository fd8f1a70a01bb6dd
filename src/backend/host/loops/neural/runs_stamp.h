/* Elements of a dtype as runs of the working type, and back: a part of convolve_loops.c, which
 * defines for each dtype S and W, its stored and working types, LOAD and STORE, which convert, and
 * the names STORED and SUFFIX of both; where both are one, IS_PLAIN is 1, else LOAD_BLOCK and
 * STORE_BLOCK convert many. */
#define NAME(name) TN_PASTE(name##_, STORED)
#define VECTOR TN_PASTE(vector_, SUFFIX)
#define EVENS TN_PASTE(EVENS_, SUFFIX)
#define LANES ((int64_t)(VECTOR_BYTES / sizeof(W)))

#if IS_PLAIN
INLINE void NAME(load_each)(W *restrict to, const char *from, int64_t stride, int64_t count) {
    for (int64_t k = 0; k < count; k++)
        to[k] = *(const S *)(const void *)(from + k * stride);
}
/* The last vector copies again what the one before has. */
INLINE void NAME(copy)(void *to, const void *from, int64_t count) {
    const W *source = from;
    W *target = to;
    if (count < LANES) {
        NAME(load_each)(to, from, sizeof(S), count);
        return;
    }
    for (int64_t k = 0; k < count - LANES; k += LANES)
        *(VECTOR *)(void *)(target + k) = *(const VECTOR *)(const void *)(source + k);
    *(VECTOR *)(void *)(target + count - LANES) =
        *(const VECTOR *)(const void *)(source + count - LANES);
}
INLINE void NAME(copy_evens)(W *to, const char *from, int64_t count) {
    const W *source = (const W *)(const void *)from;
    if (count < LANES) {
        NAME(load_each)(to, from, 2 * sizeof(S), count);
        return;
    }
    for (int64_t k = 0, last = 0; !last; k += LANES) {
        last = k >= count - LANES;
        if (last) k = count - LANES;
        const VECTOR *low = (const VECTOR *)(const void *)(source + 2 * k);
        const VECTOR *high = (const VECTOR *)(const void *)(source + 2 * k + LANES - 1);
        *(VECTOR *)(void *)(to + k) = __builtin_shufflevector(*low, *high, EVENS);
    }
}
#else
INLINE void NAME(copy)(W *to, const char *from, int64_t count) {
    LOAD_BLOCK(to, from, sizeof(S), count);
}
INLINE void NAME(copy_evens)(W *to, const char *from, int64_t count) {
    W block[2 * 64];
    for (int64_t begin = 0; begin < count; begin += 64) {
        const int64_t some = count - begin < 64 ? count - begin : 64;
        NAME(copy)(block, from + 2 * begin * (int64_t)sizeof(S), 2 * some - 1);
        for (int64_t k = 0; k < some; k++)
            to[begin + k] = block[2 * k];
    }
}
#endif

INLINE void NAME(load_run)(W *to, const char *from, int64_t stride, int64_t count) {
    if (stride == (int64_t)sizeof(S))
        NAME(copy)(to, from, count);
    else if (stride == 2 * (int64_t)sizeof(S))
        NAME(copy_evens)(to, from, count);
    else
        for (int64_t k = 0; k < count; k++, from += stride) /* gathers are slower */
            to[k] = LOAD(*(const S *)(const void *)from);
}
static void NAME(read)(void *run, const char *from, int64_t stride, int64_t count) {
    NAME(load_run)(run, from, stride, count);
}
static void NAME(load_rows)(void *runs, const char *from, const tni_convolve_rows *r,
                            int64_t before, int64_t after, double outside) {
    W *to = runs;
    for (int64_t row = 0; row < r->rows; row++, from += r->apart, to += r->run_apart) {
        for (int64_t k = 0; k < before; k++)
            to[k] = (W)outside;
        NAME(load_run)(to + before, from, r->stride, r->count);
        for (int64_t k = 0; k < after; k++)
            to[before + r->count + k] = (W)outside;
    }
}

static void NAME(pick)(void *to, int64_t apart, const char *from, const int64_t *places,
                       int64_t count) {
    W *numbers = to;
    for (int64_t k = 0; k < count; k++)
        numbers[k * apart] = LOAD(*(const S *)(const void *)(from + places[k]));
}

INLINE void NAME(store_each)(char *to, int64_t stride, const W *run, int64_t count, W alpha,
                             W beta) {
    for (int64_t k = 0; k < count; k++) {
        S *at = (S *)(void *)(to + k * stride);
        *at = STORE(beta == 0 ? alpha * run[k] : alpha * run[k] + beta * LOAD(*at));
    }
}
INLINE void NAME(store_run)(char *to, int64_t stride, const W *run, int64_t count, double alpha,
                            double beta) {
    if (alpha == 1 && beta == 0 && stride == (int64_t)sizeof(S))
#if IS_PLAIN
        NAME(copy)(to, run, count);
#else
        STORE_BLOCK(to, run, sizeof(S), count);
#endif
    else if (beta == 0)
        NAME(store_each)(to, stride, run, count, (W)alpha, 0);
    else if (stride == (int64_t)sizeof(S))
        NAME(store_each)(to, sizeof(S), run, count, (W)alpha, (W)beta);
    else
        NAME(store_each)(to, stride, run, count, (W)alpha, (W)beta);
}
static void NAME(write)(char *to, int64_t stride, const void *run, int64_t count, double alpha,
                        double beta) {
    NAME(store_run)(to, stride, run, count, alpha, beta);
}
static void NAME(store_rows)(char *to, const void *runs, const tni_convolve_rows *r, double alpha,
                             double beta) {
    const W *from = runs;
    for (int64_t row = 0; row < r->rows; row++, to += r->apart, from += r->run_apart)
        NAME(store_run)(to, r->stride, from, r->count, alpha, beta);
}

#undef NAME
#undef VECTOR
#undef EVENS
#undef LANES
#undef S
#undef W
#undef LOAD
#undef STORE
#undef STORED
#undef LOAD_BLOCK
#undef STORE_BLOCK
#undef SUFFIX
#undef IS_PLAIN
