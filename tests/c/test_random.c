/* Random numbers through the public C functions, with failing allocations: elements against the
 * text of the distributions one by one, parts and threads, states, and what is refused. Values are
 * compared with NumPy's distributions in tests/python/values/random/test_random.py. */
#include "replay.h"

#include "backend/host/threads.h"
#include "ops/random.h"
#include <tenorite/tenorite.h>

enum { COUNT = 3001, SEED = 42, POSITION = 5 };

static const double sets[][TN_RANDOM_PARAMETERS] = {
    {0.5, 0.25, 3}, {3, 0.75, 2}, {40, 0.4, 7},    {2.5, 30, 0},
    {1e-3, 2, 0.5}, {70, 60, 25}, {12, 1e7, 1e-9}, {0.999, 0.001, 9},
};
enum { SETS = sizeof sets / sizeof *sets };

static tn_status make(tn_array **result, tn_dtype dtype, int64_t count) {
    return tn_array_new(result, dtype, 1, &count, TN_ORDER_C, NULL);
}

static tn_draw draw_of(tn_distribution distribution, const double *numbers) {
    tn_draw draw = {.distribution = distribution, .scale = 1};
    for (int k = 0; numbers && k < TN_RANDOM_PARAMETERS; k++)
        draw.numbers[k] = numbers[k];
    return draw;
}

static tn_draws draws_at(int64_t at) {
    return m_draws_of(SEED, 1 + (tn_u64)at, POSITION);
}

/* Zipf's parameter is above 1, a chance of a series or of a count between 0 and 1. */
static bool is_meant(tn_distribution distribution, const double *p) {
    switch (distribution) {
    case TN_RANDOM_ZIPF: return p[0] > 1;
    case TN_RANDOM_GEOMETRIC:
    case TN_RANDOM_LOGSERIES: return p[0] < 1;
    case TN_RANDOM_BINOMIAL:
    case TN_RANDOM_NEGATIVE_BINOMIAL: return p[0] >= 1 && p[1] < 1;
    case TN_RANDOM_HYPERGEOMETRIC: return p[0] >= 12 && p[1] >= 1 && p[2] >= 1;
    case TN_RANDOM_TRIANGULAR: return false;
    default: return true;
    }
}

/* Element by element, as a GPU draws them; NaN equals NaN. */
static void check_floats(const double *found, double (*one)(tn_draws *, const double *),
                         const double *numbers) {
    for (int64_t at = 0; at < COUNT; at++) {
        tn_draws draws = draws_at(at);
        const double expected = one(&draws, numbers);
        if (!(found[at] == expected || (found[at] != found[at] && expected != expected)))
            fail_msg("element %d is %.17g, not %.17g", (int)at, found[at], expected);
    }
}

static void check_counts(const int64_t *found, tn_i64 (*one)(tn_draws *, const double *),
                         const double *numbers) {
    for (int64_t at = 0; at < COUNT; at++) {
        tn_draws draws = draws_at(at);
        assert_int_equal(found[at], one(&draws, numbers));
    }
}

#define TNI_ONE_F(name)                                                                            \
    static double one_##name(tn_draws *draws, const double *p) {                                   \
        return m_draw_##name(draws, p);                                                            \
    }
#define TNI_ONE_I(name)                                                                            \
    static tn_i64 one_##name(tn_draws *draws, const double *p) {                                   \
        return m_draw_##name(draws, p);                                                            \
    }
#define DRAWN(NAME, name, parameters, kind) TNI_ONE_##kind(name)
#include <tenorite/distributions.def>

static tn_status check_drawn(tn_distribution distribution, const double *numbers) {
    static double floats[COUNT];
    static int64_t counts[COUNT];
    tn_generator generator = {TN_GENERATOR_PHILOX4X32_10, SEED, POSITION, NULL};
    const tn_draw draw = draw_of(distribution, numbers);
    tn_array *to = NULL;
    tn_status status = make(&to, TN_F64, COUNT);
    if (!status) status = tn_random_fill(to, &generator, &draw, NULL);
    if (status == TN_ERROR_TYPE) {
        tn_array_release(to);
        to = NULL;
        status = make(&to, TN_I64, COUNT);
        if (!status) status = tn_random_fill(to, &generator, &draw, NULL);
        if (!status) status = tn_array_read(counts, NULL, to, NULL);
    } else if (!status) {
        status = tn_array_read(floats, NULL, to, NULL);
    }
    tn_array_release(to);
    if (status) return status;
    switch (distribution) {
#define TNI_CHECK_F(name) check_floats(floats, one_##name, numbers)
#define TNI_CHECK_I(name) check_counts(counts, one_##name, numbers)
#define DRAWN(NAME, name, parameters, kind)                                                        \
    case TN_RANDOM_##NAME:                                                                         \
        TNI_CHECK_##kind(name);                                                                    \
        break;
#include <tenorite/distributions.def>
    default: break;
    }
    return TN_OK;
}

static void test_elements_are_those_of_the_text(void **state) {
    (void)state;
    for (int k = TN_RANDOM_GAMMA; k < tn_distribution_count; k++)
        for (int set = 0; set < SETS; set++)
            if (is_meant((tn_distribution)k, sets[set]))
                assert_int_equal(check_drawn((tn_distribution)k, sets[set]), TN_OK);
}

/* A column of parameters gives each element what the parameters alone give it. */
static void test_arrays_of_parameters(void **state) {
    (void)state;
    static double shapes[COUNT], found[COUNT];
    const int64_t count = COUNT;
    tn_generator generator = {TN_GENERATOR_PHILOX4X32_10, SEED, POSITION, NULL};
    tn_draw draw = draw_of(TN_RANDOM_BETA, sets[1]);
    tn_array *to = NULL, *column = NULL;
    for (int at = 0; at < COUNT; at++)
        shapes[at] = sets[at % SETS][0];
    REQUIRE_OK(make(&to, TN_F64, COUNT));
    REQUIRE_OK(tn_array_new_from_host(&column, shapes, TN_F64, 1, &count, NULL, TN_ORDER_C, NULL));
    draw.arrays[0] = column;
    REQUIRE_OK(tn_random_fill(to, &generator, &draw, NULL));
    REQUIRE_OK(tn_array_read(found, NULL, to, NULL));
    for (int at = 0; at < COUNT; at++) {
        const double numbers[TN_RANDOM_PARAMETERS] = {shapes[at], sets[1][1], 0};
        tn_draws draws = draws_at(at);
        assert_true(found[at] == m_draw_beta(&draws, numbers));
    }
cleanup:
    tn_array_release(column);
    tn_array_release(to);
}

/* One thread and four make the same numbers. */
static void test_threads(void **state) {
    (void)state;
    enum { MANY = 200003 };
    static int64_t found[2][MANY];
    for (int k = 0; k < 2; k++) {
        tn_generator generator = {TN_GENERATOR_PHILOX4X32_10, SEED, POSITION, NULL};
        const tn_draw draw = draw_of(TN_RANDOM_POISSON, sets[2]);
        tn_array *to = NULL;
        tni_thread_set_count(k ? 4 : 1);
        assert_int_equal(make(&to, TN_I64, MANY), TN_OK);
        assert_int_equal(tn_random_fill(to, &generator, &draw, NULL), TN_OK);
        assert_int_equal(tn_array_read(found[k], NULL, to, NULL), TN_OK);
        tn_array_release(to);
    }
    assert_memory_equal(found[0], found[1], sizeof found[0]);
}

/* A saved generator, which is a value, draws again what it drew; a position moves on. */
static void test_states(void **state) {
    (void)state;
    double first[9], second[9], third[9];
    tn_generator generator = {TN_GENERATOR_PHILOX4X32_10, SEED, POSITION, NULL};
    const tn_generator kept = generator;
    const tn_draw draw = draw_of(TN_RANDOM_NORMAL, NULL);
    tn_array *to = NULL;
    REQUIRE_OK(make(&to, TN_F64, 9));
    REQUIRE_OK(tn_random_fill(to, &generator, &draw, NULL));
    REQUIRE_OK(tn_array_read(first, NULL, to, NULL));
    assert_true(generator.position > kept.position);
    REQUIRE_OK(tn_random_fill(to, &generator, &draw, NULL));
    REQUIRE_OK(tn_array_read(second, NULL, to, NULL));
    generator = kept;
    REQUIRE_OK(tn_random_fill(to, &generator, &draw, NULL));
    REQUIRE_OK(tn_array_read(third, NULL, to, NULL));
    assert_memory_equal(first, third, sizeof first);
    assert_memory_not_equal(first, second, sizeof first);
cleanup:
    tn_array_release(to);
}

/* Parts of a total are those of its outcomes one by one: the first one's draws are those of its
 * distribution, and all add up. */
static void test_parts(void **state) {
    (void)state;
    enum { ROWS = 50, TOTAL = 20 };
    static const double weights[2][3] = {{0.2, 0.3, 0.5}, {3, 25, 12}};
    static const tn_distribution drawn[2] = {TN_RANDOM_BINOMIAL, TN_RANDOM_HYPERGEOMETRIC};
    const int64_t shape[] = {ROWS, 3}, rows = ROWS;
    int64_t parts[ROWS][3], first[ROWS];
    tn_array *to = NULL, *column = NULL;
    REQUIRE_OK(tn_array_new(&to, TN_I64, 2, shape, TN_ORDER_C, NULL));
    REQUIRE_OK(make(&column, TN_I64, rows));
    for (int k = 0; k < 2; k++) {
        tn_generator generator = {TN_GENERATOR_PHILOX4X32_10, SEED, POSITION, NULL};
        const tn_generator kept = generator;
        REQUIRE_OK(tn_random_parts(to, &generator, drawn[k], TOTAL, NULL, weights[k], NULL));
        REQUIRE_OK(tn_array_read(parts, NULL, to, NULL));
        assert_true(generator.position > kept.position);
        generator = kept;
        const double numbers[2][3] = {{TOTAL, 0.2, 0}, {3, 37, TOTAL}};
        const tn_draw draw = draw_of(drawn[k], numbers[k]);
        REQUIRE_OK(tn_random_fill(column, &generator, &draw, NULL));
        REQUIRE_OK(tn_array_read(first, NULL, column, NULL));
        for (int row = 0; row < ROWS; row++) {
            assert_int_equal(parts[row][0], first[row]);
            assert_int_equal(parts[row][0] + parts[row][1] + parts[row][2], TOTAL);
            for (int outcome = 0; outcome < 3; outcome++)
                assert_true(parts[row][outcome] >= 0);
        }
    }
cleanup:
    tn_array_release(to);
    tn_array_release(column);
}

static void refused(tn_status status, tn_status expected, const char *text) {
    assert_int_equal(status, expected);
    if (!strstr(tn_error_message(), text)) fail_msg("%s", tn_error_message());
}

static void test_refused(void **state) {
    (void)state;
    tn_generator generator = {TN_GENERATOR_PHILOX4X32_10, SEED, POSITION, NULL};
    tn_draw draw = draw_of(TN_RANDOM_GAMMA, sets[0]);
    tn_array *whole = NULL, *to = NULL;
    assert_int_equal(make(&whole, TN_I64, 4), TN_OK);
    assert_int_equal(make(&to, TN_F64, 4), TN_OK);
    refused(tn_random_fill(whole, &generator, &draw, NULL), TN_ERROR_TYPE, "gamma has no values");
    draw.arrays[0] = whole;
    refused(tn_random_fill(to, &generator, &draw, NULL), TN_ERROR_TYPE, "parameter 0 of gamma");
    draw = draw_of(tn_distribution_count, NULL);
    refused(tn_random_fill(to, &generator, &draw, NULL), TN_ERROR_VALUE, "no distribution");
    draw = draw_of(TN_RANDOM_UNIFORM, NULL);
    generator.kind = TN_GENERATOR_XORWOW;
    refused(tn_random_fill(to, &generator, &draw, NULL), TN_ERROR_VALUE, "lanes must be");
    refused(tn_random_parts(to, &generator, TN_RANDOM_BINOMIAL, 3, NULL, sets[0], NULL),
            TN_ERROR_VALUE, "array of int64");
    refused(tn_random_parts(whole, &generator, TN_RANDOM_GAMMA, 3, NULL, sets[0], NULL),
            TN_ERROR_VALUE, "binomial or hypergeometric");
    refused(tn_random_parts(whole, &generator, TN_RANDOM_BINOMIAL, -1, NULL, sets[0], NULL),
            TN_ERROR_VALUE, "parts of -1");
    assert_int_equal(generator.position, POSITION);
    assert_int_equal(tn_distribution_find("gamma"), TN_RANDOM_GAMMA);
    assert_int_equal(tn_distribution_find("none"), tn_distribution_count);
    assert_int_equal(tn_distribution_parameters(TN_RANDOM_HYPERGEOMETRIC), 3);
    tn_array_release(whole);
    tn_array_release(to);
}

int main(void) {
    static const replay_test tests[] = {REPLAY_NOT(test_elements_are_those_of_the_text),
                                        REPLAY(test_arrays_of_parameters),
                                        REPLAY(test_states),
                                        REPLAY(test_parts),
                                        REPLAY_NOT(test_threads),
                                        REPLAY_NOT(test_refused)};
    return REPLAY_RUN("random", tests);
}
