/* Plans: how a length is cut into factors, and the tables of twiddles. */
#include "backend/host/forms/fft/plan.h"

#include "backend/host/forms/fft/line.h"
#include "backend/host/forms/fft/roots.h"
#include "backend/host/loops.h"
#include "backend/host/loops/level.h"
#include "core/base/alloc.h"

#include <string.h>

enum {
    BLOCK_BYTES = 3 << 19, /* of a block of lines */
    TABLE_BYTES = 1 << 18, /* of a line's twiddles, if each block of columns has its own */
    MOST_SIDE = 1 << 13    /* of the matrix that a line is, where there is a choice */
};

static const tni_fft_loops *loops_of(int64_t part) {
    return tni_loops_level()->fft[part == 8];
}

/* Memory of the plan, aligned for vectors. */
static tn_status own(void *result, tni_fft_host_plan *plan, int64_t bytes) {
    const size_t whole = (size_t)bytes + TNI_FFT_VECTOR_BYTES;
    char *given = tni_calloc(1, whole);
    if (!given) return tni_fail_no_memory(whole);
    plan->owned[plan->owned_count++] = given;
    plan->head.bytes += (int64_t)whole;
    given += TNI_FFT_VECTOR_BYTES - (uintptr_t)given % TNI_FFT_VECTOR_BYTES;
    memcpy(result, &given, sizeof given);
    return TN_OK;
}

static void destroy(tni_fft_plan *head) {
    tni_fft_host_plan *plan = (tni_fft_host_plan *)head;
    if (plan->convolved) tni_fft_plan_release(&plan->convolved->head);
    for (int k = 0; k < plan->owned_count; k++)
        tni_free(plan->owned[k]);
    tni_free(plan);
}

/* The radices of n in the order of their passes; 0 if a factor is too large. */
static int factor(int *radices, int64_t n) {
    int count = 0, twos = 0;
    for (; n % 2 == 0; n /= 2)
        twos++;
    for (; twos == 3 || twos > 4; twos -= 3)
        radices[count++] = 8;
    for (; twos > 1; twos -= 2)
        radices[count++] = 4;
    if (twos > 0) radices[count++] = 2;
    for (int radix = 3; n > 1 && radix <= TNI_FFT_MOST_RADIX; radix += 2)
        for (; n % radix == 0; n /= radix)
            radices[count++] = radix;
    return n == 1 ? count : 0;
}

/* The work of a transform of n elements on one vector, in about the time of a pass; -1 if it is no
 * product of small factors. */
static double passes_of(int64_t n) {
    int radices[TNI_FFT_MOST_PASSES];
    const int count = factor(radices, n);
    double sum = 0;
    if (count == 0 && n > 1) return -1;
    for (int k = 0; k < count; k++)
        sum += radices[k] <= 8 ? 1 : radices[k] / 7.0;
    return sum;
}

/* The next product of 2, 3 and 5 that is at least n. */
static int64_t smooth_from(int64_t n) {
    int64_t best = INT64_MAX;
    for (int64_t fives = 1; fives < best && fives <= 5 * n; fives *= 5)
        for (int64_t threes = fives; threes < best && threes <= 3 * n; threes *= 3) {
            int64_t whole = threes;
            while (whole < n)
                whole *= 2;
            if (whole < best) best = whole;
        }
    return best;
}

static tn_status make_pass(tni_fft_host_plan *plan, tni_fft_pass *pass,
                           const tni_fft_roots *roots) {
    char *twiddles = NULL, *small = NULL;
    tni_fft_roots of_radix;
    const int64_t radix = pass->radix;
    if (pass->after > 1) {
        TNI_TRY(own(&twiddles, plan, pass->after * (radix - 1) * 2 * plan->part));
        for (int64_t i = 0; i < pass->after; i++)
            for (int64_t j = 1; j < radix; j++)
                tni_fft_root(roots, i * j * pass->before % roots->n, twiddles,
                             i * (radix - 1) + j - 1, plan->part);
        pass->twiddles = twiddles;
    }
    if (radix % 2 == 0) return TN_OK;
    TNI_TRY(own(&small, plan, radix * 2 * plan->part));
    TNI_TRY(tni_fft_roots_begin(&of_radix, radix));
    for (int64_t k = 0; k < radix; k++) /* the sign of exp(+...) */
        tni_fft_root(&of_radix, (radix - k) % radix, small, k, plan->part);
    tni_fft_roots_end(&of_radix);
    pass->roots = small;
    return TN_OK;
}

/* Whether the pass is one of several that can load, or store. */
static bool is_end(const tni_fft_lanes *lanes, int pass) {
    return lanes->pass_count > 1 &&
           (lanes->passes[pass].radix == 4 || lanes->passes[pass].radix == 8);
}

static tn_status make_passes(tni_fft_lanes **result, tni_fft_host_plan *plan, int64_t n) {
    int radices[TNI_FFT_MOST_PASSES];
    tni_fft_lanes *lanes = NULL;
    tni_fft_roots roots;
    tn_status status = TN_OK;
    int64_t before = 1;
    TNI_TRY(own(&lanes, plan, sizeof *lanes));
    lanes->n = lanes->room = n;
    lanes->pass_count = factor(radices, n);
    TNI_TRY(tni_fft_roots_begin(&roots, n));
    for (int k = 0; k < lanes->pass_count && status == TN_OK; k++) {
        tni_fft_pass *pass = &lanes->passes[k];
        pass->radix = radices[k];
        pass->before = before;
        before *= radices[k];
        pass->after = n / before;
        status = make_pass(plan, pass, &roots);
    }
    tni_fft_roots_end(&roots);
    lanes->enters = is_end(lanes, 0);
    lanes->leaves = is_end(lanes, lanes->pass_count - 1);
    *result = lanes;
    return status;
}

/* The chirp of Bluestein's convolution, and in `area` (of `whole` complex numbers, zeros) its
 * conjugate divided by `whole`, from both ends. */
static tn_status make_chirp(tni_fft_host_plan *plan, char **chirp, char *area, int64_t n,
                            int64_t whole) {
    tni_fft_roots roots;
    const int64_t part = plan->part;
    TNI_TRY(own(chirp, plan, n * 2 * part));
    TNI_TRY(tni_fft_roots_begin(&roots, 2 * n));
    int64_t square = 0; /* k^2 modulo 2 n */
    for (int64_t k = 0; k < n; k++) {
        const int64_t other = (2 * n - square) % (2 * n);
        tni_fft_root(&roots, square, *chirp, k, part);
        tni_fft_root(&roots, other, area, k, part);
        if (k > 0) tni_fft_root(&roots, other, area, whole - k, part);
        square = (square + 2 * k + 1) % (2 * n);
    }
    tni_fft_roots_end(&roots);
    for (int64_t k = 0; k < 2 * whole; k++)
        if (part == 4)
            ((float *)(void *)area)[k] /= (float)whole;
        else
            ((double *)(void *)area)[k] /= (double)whole;
    return TN_OK;
}

static tn_status make_lanes_chirp(tni_fft_lanes **result, tni_fft_host_plan *plan, int64_t n) {
    const tni_fft_loops *loops = plan->loops;
    tni_fft_lanes *lanes = NULL, *inner = NULL;
    char *chirp = NULL, *spectrum = NULL, *a = NULL, *b = NULL;
    const int64_t whole = smooth_from(2 * n - 1), line = 2 * plan->part;
    TNI_TRY(own(&lanes, plan, sizeof *lanes));
    TNI_TRY(make_passes(&inner, plan, whole));
    TNI_TRY(own(&spectrum, plan, whole * line));
    TNI_TRY(make_chirp(plan, &chirp, spectrum, n, whole));
    const int64_t bytes = whole * line * loops->lanes;
    TNI_TRY(own(&a, plan, bytes));
    TNI_TRY(own(&b, plan, bytes));
    tni_fft_place place = {spectrum, spectrum + plan->part, 2, 0, 1, 1, 1};
    loops->load(a, &place, whole);
    loops->store(&place, loops->transform(inner, a, b), whole);
    for (int k = 0; k < 2; k++) {
        tni_free(plan->owned[--plan->owned_count]);
        plan->head.bytes -= bytes + TNI_FFT_VECTOR_BYTES;
    }
    *lanes = (tni_fft_lanes){
        .n = n, .room = whole, .inner = inner, .chirp = chirp, .spectrum = spectrum};
    *result = lanes;
    return TN_OK;
}

/* The best two factors of n as a matrix: by the passes over blocks, the idle lanes counted in. */
static bool cut(int64_t *rows, int64_t n, int64_t lanes) {
    double best = -1;
    for (int64_t side = 2; side * side <= n; side++) {
        if (n % side) continue;
        for (int exchanged = 0; exchanged < 2; exchanged++) {
            const int64_t r = exchanged ? n / side : side, c = n / r;
            const double row_passes = passes_of(c), column_passes = passes_of(r);
            if (row_passes < 0 || column_passes < 0) continue;
            double cost =
                (double)((c + lanes - 1) / lanes * lanes) / (double)c * (column_passes + 3) +
                (double)((r + lanes - 1) / lanes * lanes) / (double)r * (row_passes + 2);
            if ((r > c ? r : c) > MOST_SIDE) cost *= 1.5;
            if (best < 0 || cost < best) {
                best = cost;
                *rows = r;
            }
        }
    }
    return best > 0;
}

/* Twiddles exp(-2 pi i row column / n) in the form of blocks: for each block of columns, or for the
 * first and factors that lead from it to the others. */
static tn_status make_twiddles(tni_fft_host_plan *plan) {
    const int64_t lanes = plan->loops->lanes, part = plan->part, n = plan->n;
    const int64_t rows = plan->rows, blocks = (plan->columns + lanes - 1) / lanes;
    const bool is_whole = blocks * lanes * rows * 2 * part <= TABLE_BYTES;
    const int64_t tables = is_whole ? blocks : 1;
    tni_fft_roots roots;
    TNI_TRY(own(&plan->twiddles, plan, tables * lanes * rows * 2 * part));
    if (!is_whole) TNI_TRY(own(&plan->bases, plan, blocks * rows * 2 * part));
    TNI_TRY(tni_fft_roots_begin(&roots, n));
    for (int64_t column = 0; column < tables * lanes; column++)
        for (int64_t row = 0; row < rows; row++) {
            double root[2];
            tni_fft_root(&roots, row * column % n, root, 0, 8);
            const int64_t at = (column / lanes * rows + row) * 2 * lanes + column % lanes;
            if (part == 8) {
                ((double *)(void *)plan->twiddles)[at] = root[0];
                ((double *)(void *)plan->twiddles)[at + lanes] = root[1];
            } else {
                ((float *)(void *)plan->twiddles)[at] = (float)root[0];
                ((float *)(void *)plan->twiddles)[at + lanes] = (float)root[1];
            }
        }
    for (int64_t block = 0; plan->bases && block < blocks; block++)
        for (int64_t row = 0; row < rows; row++)
            tni_fft_root(&roots, row * block * lanes % n, plan->bases, block * rows + row, part);
    tni_fft_roots_end(&roots);
    return TN_OK;
}

static tn_status make_line(tni_fft_host_plan *plan) {
    const int64_t n = plan->n;
    if (passes_of(n) >= 0 && cut(&plan->rows, n, plan->loops->lanes)) {
        plan->columns = n / plan->rows;
        TNI_TRY(make_passes(&plan->first, plan, plan->rows));
        if (plan->rows == plan->columns)
            plan->second = plan->first;
        else
            TNI_TRY(make_passes(&plan->second, plan, plan->columns));
        return make_twiddles(plan);
    }
    const int64_t whole = smooth_from(2 * n - 1);
    const tni_fft_wish wish = {.n = whole, .part = plan->part, .way = TNI_FFT_LINE};
    TNI_TRY(tni_fft_host_plan_get(&plan->convolved, &wish));
    TNI_TRY(own(&plan->spectrum, plan, whole * 2 * plan->part));
    TNI_TRY(make_chirp(plan, &plan->chirp, plan->spectrum, n, whole));
    const tni_fft_place place = {plan->spectrum, plan->spectrum + plan->part, 2, 0, 1, 1, 1};
    return tni_fft_line(plan->convolved, &place, &place);
}

/* The turns of cosines of type 4: exp(-pi i (8k + 1) / 8n), of others exp(-pi i k / 2n). */
static tn_status make_turns(tni_fft_host_plan *plan, int type, int64_t n) {
    const int64_t step = type == 4 ? 8 : 1, first = type == 4 ? 1 : 0;
    tni_fft_roots roots;
    TNI_TRY(own(&plan->turns, plan, (n / 2 + 1) * 2 * plan->part));
    TNI_TRY(tni_fft_roots_begin(&roots, type == 4 ? 16 * n : 4 * n));
    for (int64_t k = 0; k <= n / 2; k++)
        tni_fft_root(&roots, step * k + first, plan->turns, k, plan->part);
    tni_fft_roots_end(&roots);
    return TN_OK;
}

static tn_status make(tni_fft_host_plan *plan, const tni_fft_wish *wish) {
    tni_fft_roots roots;
    const int64_t n = plan->n;
    if (wish->way == TNI_FFT_LINE)
        TNI_TRY(make_line(plan));
    else if (passes_of(n) >= 0)
        TNI_TRY(make_passes(&plan->first, plan, n));
    else
        TNI_TRY(make_lanes_chirp(&plan->first, plan, n));
    if (wish->type) TNI_TRY(make_turns(plan, wish->type, wish->cosines));
    if (!wish->is_half) return TN_OK;
    TNI_TRY(own(&plan->halves, plan, (n / 2 + 1) * 2 * plan->part));
    TNI_TRY(tni_fft_roots_begin(&roots, 2 * n));
    for (int64_t k = 0; k <= n / 2; k++)
        tni_fft_root(&roots, k, plan->halves, k, plan->part);
    tni_fft_roots_end(&roots);
    return TN_OK;
}

tn_status tni_fft_host_plan_get(tni_fft_host_plan **result, const tni_fft_wish *wish) {
    const tn_device host = {TN_BACKEND_HOST, 0};
    const tni_fft_key key = {
        {wish->n, wish->part, wish->way, wish->is_half, wish->type, wish->cosines}};
    *result = (tni_fft_host_plan *)tni_fft_cache_find(host, &key);
    if (*result) return TN_OK;
    tni_fft_host_plan *plan = tni_calloc(1, sizeof *plan);
    if (!plan) return tni_fail_no_memory(sizeof *plan);
    plan->head.key = key;
    atomic_init(&plan->head.users, 1);
    plan->head.bytes = sizeof *plan;
    plan->head.destroy = destroy;
    plan->loops = loops_of(wish->part);
    plan->part = wish->part;
    plan->n = wish->n;
    tn_status status = make(plan, wish);
    if (status != TN_OK) {
        tni_fft_plan_release(&plan->head);
        return status;
    }
    tni_fft_cache_add(host, &plan->head);
    *result = plan;
    return TN_OK;
}

bool tni_fft_fits_block(int64_t n, int64_t part) {
    return n * 2 * part * loops_of(part)->lanes <= BLOCK_BYTES;
}

bool tni_fft_is_line(int64_t n, int64_t part) {
    int64_t rows;
    const int64_t lanes = loops_of(part)->lanes;
    return n >= 4 * lanes && (passes_of(n) < 0 || cut(&rows, n, lanes));
}

int tni_fft_lane_count(int64_t part) {
    return loops_of(part)->lanes;
}
