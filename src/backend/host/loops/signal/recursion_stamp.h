/* Recursive filters of one line (V is T) or of a vector of lines beside each other.
 *
 * Included with T, the type of an element, V, that of what is computed at once, LOOSE, V at any
 * address, and N(name). Small orders and short cascades are loops of their own, which keep the
 * state in registers: the way from one y to the next is then two operations, whatever the order. */

/* K numbers of state of each of S sections. */
#define FILTER(K, S)                                                                               \
    static void N(filter_##K##_##S)(const tni_recursion_run *run) {                                \
        const T *c = run->coefficients;                                                            \
        const T *from = run->input;                                                                \
        T *to = run->output;                                                                       \
        LOOSE *state = run->state;                                                                 \
        V z[S][K];                                                                                 \
        _Pragma("GCC unroll 8") for (int s = 0; s < S; s++)                                        \
            _Pragma("GCC unroll 8") for (int k = 0; k < K; k++) z[s][k] = state[s * (K + 1) + k];  \
        for (int64_t n = 0; n < run->count; n++) {                                                 \
            V y = *(const LOOSE *)(const void *)from;                                              \
            _Pragma("GCC unroll 8") for (int s = 0; s < S; s++) {                                  \
                const T *by = c + s * (2 * K + 1);                                                 \
                const V x = y;                                                                     \
                y = by[0] * x + z[s][0];                                                           \
                _Pragma("GCC unroll 8") for (int k = 0; k < K - 1; k++) z[s][k] =                  \
                    z[s][k + 1] + by[1 + 2 * k] * x - by[2 + 2 * k] * y;                           \
                z[s][K - 1] = by[2 * K - 1] * x - by[2 * K] * y;                                   \
            }                                                                                      \
            *(LOOSE *)(void *)to = y;                                                              \
            from += run->input_step;                                                               \
            to += run->output_step;                                                                \
        }                                                                                          \
        _Pragma("GCC unroll 8") for (int s = 0; s < S; s++)                                        \
            _Pragma("GCC unroll 8") for (int k = 0; k < K; k++) state[s * (K + 1) + k] = z[s][k];  \
    }
FILTER(1, 1)
FILTER(2, 1)
FILTER(3, 1)
FILTER(4, 1)
FILTER(5, 1)
FILTER(6, 1)
FILTER(7, 1)
FILTER(8, 1)
FILTER(2, 2)
FILTER(2, 3)
FILTER(2, 4)
#undef FILTER

/* Any order, one section: the state passes through the cache. */
static void N(filter_any)(const tni_recursion_run *run) {
    const int64_t order = run->order;
    const T *by = run->coefficients;
    const T *from = run->input;
    T *to = run->output;
    LOOSE *z = run->state;
    for (int64_t n = 0; n < run->count; n++) {
        const V x = *(const LOOSE *)(const void *)from;
        const V y = by[0] * x + z[0];
        for (int64_t k = 0; k < order; k++)
            z[k] = z[k + 1] + by[1 + 2 * k] * x - by[2 + 2 * k] * y;
        *(LOOSE *)(void *)to = y;
        from += run->input_step;
        to += run->output_step;
    }
}

/* The sections, as many at a time as there are loops for; pieces stay in the L1 cache. */
static void N(filter)(const tni_recursion_run *run) {
    static void (*const orders[])(const tni_recursion_run *) = {
        NULL,          N(filter_1_1), N(filter_2_1), N(filter_3_1), N(filter_4_1),
        N(filter_5_1), N(filter_6_1), N(filter_7_1), N(filter_8_1)};
    static void (*const cascades[])(const tni_recursion_run *) = {
        NULL, N(filter_2_1), N(filter_2_2), N(filter_2_3), N(filter_2_4)};
    enum { PIECE = 256, WIDEST = 4 };
    if (run->sections == 1) {
        (run->order <= 8 ? orders[run->order] : N(filter_any))(run);
        return;
    }
    for (int64_t done = 0; done < run->count; done += PIECE) {
        tni_recursion_run some = *run;
        const int64_t left = run->count - done;
        some.count = left < PIECE ? left : PIECE;
        some.input = (const T *)run->input + done * run->input_step;
        some.output = (T *)run->output + done * run->output_step;
        for (int64_t s = 0; s < run->sections; s += some.sections) {
            const int64_t rest = run->sections - s, most = run->order == 2 ? WIDEST : 1;
            some.sections = rest < most ? rest : most;
            some.coefficients = (const T *)run->coefficients + s * (2 * run->order + 1);
            some.state = (V *)run->state + s * (run->order + 1);
            (run->order == 2   ? cascades[some.sections]
             : run->order <= 8 ? orders[run->order]
                               : N(filter_any))(&some);
            some.input = some.output;
            some.input_step = some.output_step;
        }
    }
}
