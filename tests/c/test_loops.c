/* The compiled loops: every operation and dtype in every layout gives, element by element, what it
 * gives for that element alone, writes nothing else, and may write over an input. meson runs this
 * once per instruction-set level. */
#include "replay.h"

#include "backend/host/loops.h"
#include "core/rules/op.h"

#include <math.h>

enum { COUNT = 133, OPERANDS = 6, ITEM = 16, STEP = 3, GUARD = 0xa5 };

typedef enum layout { PLAIN, STRIDED, REVERSED, SCALAR, LAYOUTS } layout;

/* An operand: COUNT elements somewhere in memory that has room for every layout. */
typedef struct operand {
    tn_dtype dtype;
    _Alignas(ITEM) char memory[ITEM * COUNT * STEP];
    char *start;
    int64_t stride;
} operand;

typedef struct work {
    int inputs, operands;
    tni_loop loop;
    tn_dtype dtypes[TN_MAX_OPERANDS];
    _Alignas(ITEM) char values[OPERANDS][ITEM * COUNT]; /* of inputs, and what outputs must be */
} work;

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

static void fill(char *values, tn_dtype dtype, tn_op op, int number) {
    int64_t size = tn_dtype_size(dtype);
    for (int k = 0; k < COUNT; k++) {
        uint64_t bits[2] = {next_random(), next_random()};
        if (dtype == TN_B8) bits[0] &= 1;
        if (op == TN_OP_POWER && number == 1 && dtype < TN_F16) bits[0] &= 7;
        bool is_small = k % 3 != 0 && dtype >= TN_F32;
        double small[2] = {(double)(bits[0] % 4096) / 256 - 8, (double)(bits[1] % 4096) / 256 - 8};
        float smaller[2] = {(float)small[0], (float)small[1]};
        bool is_double = dtype == TN_F64 || dtype == TN_C128;
        const void *from = !is_small ? (void *)bits : is_double ? (void *)small : (void *)smaller;
        memcpy(values + k * size, from, (size_t)size);
    }
}

static void place(operand *o, tn_dtype dtype, layout layout, const char *values) {
    int64_t size = tn_dtype_size(dtype);
    memset(o->memory, GUARD, sizeof o->memory);
    o->dtype = dtype;
    o->stride = layout == PLAIN     ? size
                : layout == SCALAR  ? 0
                : layout == STRIDED ? STEP * size
                                    : -size;
    o->start = o->memory + (layout == REVERSED ? (COUNT - 1) * size : 0);
    for (int k = 0; values && k < (layout == SCALAR ? 1 : COUNT); k++)
        memcpy(o->start + k * o->stride, values + k * size, (size_t)size);
}

/* The same bits, or NaN in the same parts. */
static bool is_same(tn_dtype dtype, const char *a, const char *b) {
    if (memcmp(a, b, (size_t)tn_dtype_size(dtype)) == 0) return true;
    if (dtype < TN_F16) return false;
    double parts[2][2];
    tni_loop widen = tni_cast_find(dtype, TN_C128);
    widen((char *[]){(char *)a, (char *)parts[0]}, (int64_t[]){0, 0}, 1);
    widen((char *[]){(char *)b, (char *)parts[1]}, (int64_t[]){0, 0}, 1);
    for (int k = 0; k < 2; k++) {
        bool are_nan = isnan(parts[0][k]) && isnan(parts[1][k]);
        if (!are_nan && memcmp(&parts[0][k], &parts[1][k], sizeof(double)) != 0) return false;
    }
    return true;
}

/* What each element gives alone, with operands of the given layouts (only SCALAR matters). */
static void expect(work *w, const layout *layouts) {
    for (int k = 0; k < COUNT; k++) {
        char *args[OPERANDS];
        int64_t strides[OPERANDS];
        for (int o = 0; o < w->operands; o++) {
            strides[o] = tn_dtype_size(w->dtypes[o]);
            args[o] = w->values[o] + (o < w->inputs && layouts[o] == SCALAR ? 0 : k * strides[o]);
        }
        w->loop(args, strides, 1);
    }
}

static void check_output(const work *w, const operand *o, int number, tn_op op, tn_dtype dtype) {
    int64_t size = tn_dtype_size(o->dtype);
    static bool is_written[sizeof o->memory];
    memset(is_written, 0, sizeof is_written);
    for (int k = 0; k < COUNT; k++) {
        const char *at = o->start + k * o->stride;
        memset(is_written + (at - o->memory), 1, (size_t)size);
        if (!is_same(o->dtype, at, w->values[number] + k * size))
            fail_msg("%s of %s: output %d, element %d, stride %d", tn_op_name(op),
                     tn_dtype_suffix(dtype), number, k, (int)o->stride);
    }
    for (size_t k = 0; k < sizeof o->memory; k++)
        if (!is_written[k] && (unsigned char)o->memory[k] != GUARD)
            fail_msg("%s of %s writes outside its output", tn_op_name(op), tn_dtype_suffix(dtype));
}

/* One call; `over` is the input that the first output coincides with, or -1. */
static void check_call(work *w, const layout *layouts, int over, tn_op op, tn_dtype dtype) {
    static operand operands[OPERANDS];
    char *args[OPERANDS];
    int64_t strides[OPERANDS];
    for (int o = 0; o < w->operands; o++) {
        place(&operands[o], w->dtypes[o], layouts[o], o < w->inputs ? w->values[o] : NULL);
        args[o] = operands[o].start;
        strides[o] = operands[o].stride;
    }
    operand *first = &operands[over < 0 ? w->inputs : over];
    args[w->inputs] = first->start;
    strides[w->inputs] = first->stride;
    w->loop(args, strides, COUNT);
    check_output(w, first, w->inputs, op, dtype);
    for (int o = w->inputs + 1; o < w->operands; o++)
        check_output(w, &operands[o], o, op, dtype);
}

/* One element whose strides are all 0, as arrays without dimensions have them. */
static void check_single(work *w, tn_op op, tn_dtype dtype) {
    static _Alignas(ITEM) char results[OPERANDS][ITEM];
    char *args[OPERANDS];
    int64_t strides[OPERANDS] = {0};
    for (int o = 0; o < w->operands; o++)
        args[o] = o < w->inputs ? w->values[o] : results[o];
    w->loop(args, strides, 1);
    for (int o = w->inputs; o < w->operands; o++)
        if (!is_same(w->dtypes[o], results[o], w->values[o]))
            fail_msg("%s of %s: one element", tn_op_name(op), tn_dtype_suffix(dtype));
}

/* Reduction and accumulation, which go from element to element (the halves reduce in float). */
static void check_in_turn(work *w, tn_op op, tn_dtype dtype) {
    int64_t size = tn_dtype_size(dtype);
    static _Alignas(ITEM) char run[ITEM * (COUNT + 1)], one_by_one[ITEM * (COUNT + 1)];
    memcpy(run, w->values[0], (size_t)size);
    memcpy(one_by_one, run, (size_t)size);
    for (int k = 0; k < COUNT; k++)
        w->loop(
            (char *[]){one_by_one + k * size, w->values[1] + k * size, one_by_one + (k + 1) * size},
            (int64_t[]){size, size, size}, 1);
    w->loop((char *[]){run, w->values[1], run + size}, (int64_t[]){size, size, size}, COUNT);
    for (int k = 0; k <= COUNT; k++)
        if (!is_same(dtype, run + k * size, one_by_one + k * size))
            fail_msg("%s of %s accumulates wrongly", tn_op_name(op), tn_dtype_suffix(dtype));
    w->loop((char *[]){run, w->values[1], run}, (int64_t[]){0, size, 0}, COUNT);
    if (dtype != TN_F16 && dtype != TN_BF16 && !is_same(dtype, run, one_by_one + COUNT * size))
        fail_msg("%s of %s reduces wrongly", tn_op_name(op), tn_dtype_suffix(dtype));
}

static void check_operation(work *w, tn_op op, tn_dtype dtype) {
    tni_loop_choice choice;
    tni_op_choose_exact(&choice, op, dtype);
    w->inputs = tn_op_inputs(op);
    w->operands = w->inputs + tn_op_outputs(op);
    for (int o = 0; o < w->operands; o++)
        w->dtypes[o] = choice.arguments[o];
    for (int o = 0; o < w->inputs; o++)
        fill(w->values[o], w->dtypes[o], op, o);
    int inputs = 1;
    for (int o = 0; o < w->inputs; o++)
        inputs *= LAYOUTS;
    for (int number = 0; number < inputs; number++) {
        layout layouts[OPERANDS];
        for (int o = 0, rest = number; o < w->inputs; o++, rest /= LAYOUTS)
            layouts[o] = (layout)(rest % LAYOUTS);
        expect(w, layouts);
        check_single(w, op, dtype);
        for (int out = PLAIN; out <= REVERSED; out++) {
            for (int o = w->inputs; o < w->operands; o++)
                layouts[o] = (layout)out;
            check_call(w, layouts, -1, op, dtype);
        }
        for (int o = 0; o < w->inputs; o++)
            if (w->dtypes[o] == w->dtypes[w->inputs] && layouts[o] != SCALAR)
                check_call(w, layouts, o, op, dtype);
    }
    bool reduces =
        w->inputs == 2 && w->operands == 3 && w->dtypes[1] == dtype && w->dtypes[2] == dtype;
    if (reduces) check_in_turn(w, op, dtype);
}

static void test_every_loop(void **state) {
    (void)state;
    static work w;
    int loops = 0;
    for (int op = 0; op < TN_OP_COUNT; op++) {
        for (int dtype = 0; dtype < TN_DTYPE_COUNT; dtype++) {
            w.loop = tni_loop_find(op, dtype);
            assert_int_equal(w.loop != NULL, tni_op_has_loop((tn_op)op, (tn_dtype)dtype));
            if (!w.loop) continue;
            check_operation(&w, (tn_op)op, (tn_dtype)dtype);
            loops++;
        }
    }
    assert_true(loops > 800);
}

static void test_every_conversion(void **state) {
    (void)state;
    static work w;
    w.inputs = 1;
    w.operands = 2;
    for (int from = 0; from < TN_DTYPE_COUNT; from++) {
        for (int to = 0; to < TN_DTYPE_COUNT; to++) {
            w.loop = tni_cast_find(from, to);
            w.dtypes[0] = (tn_dtype)from;
            w.dtypes[1] = (tn_dtype)to;
            fill(w.values[0], (tn_dtype)from, TN_OP_NONE, 0);
            for (int number = 0; number < LAYOUTS * SCALAR; number++) {
                layout layouts[2] = {(layout)(number % LAYOUTS), (layout)(number / LAYOUTS)};
                expect(&w, layouts);
                check_call(&w, layouts, -1, TN_OP_POSITIVE, (tn_dtype)from);
            }
        }
    }
}

/* Moves of items at all strides, the distances that have vectors among them. */
static void test_every_move(void **state) {
    (void)state;
    static operand from, to;
    for (int dtype = 0; dtype < TN_DTYPE_COUNT; dtype++) {
        int64_t size = tn_dtype_size((tn_dtype)dtype), middle = (int64_t)sizeof from.memory / 2;
        for (size_t k = 0; k < sizeof from.memory; k++)
            from.memory[k] = (char)next_random();
        for (int64_t count = 0; count < 67; count += 1 + count / 8) {
            for (int number = 0; number < 49; number++) {
                int64_t strides[2] = {(number % 7 - 3) * size, (number / 7 - 3) * size};
                if (strides[1] == 0) continue;
                memset(to.memory, GUARD, sizeof to.memory);
                char *start = from.memory + middle, *end = to.memory + middle;
                tni_cast_find(dtype, dtype)((char *[]){start, end}, strides, count);
                for (int64_t k = 0; k < count; k++) {
                    assert_memory_equal(end + k * strides[1], start + k * strides[0], (size_t)size);
                    memset(end + k * strides[1], GUARD, (size_t)size);
                }
                for (size_t k = 0; k < sizeof to.memory; k++)
                    assert_int_equal((unsigned char)to.memory[k], GUARD);
            }
        }
    }
}

/* What looks at the bits of a half gives what it gives for the float. */
static void test_bits_of_halves(void **state) {
    (void)state;
    static const tn_op ops[] = {TN_OP_ABSOLUTE,   TN_OP_FABS,     TN_OP_NEGATIVE, TN_OP_POSITIVE,
                                TN_OP_REAL,       TN_OP_SIGNBIT,  TN_OP_ISNAN,    TN_OP_ISINF,
                                TN_OP_ISFINITE,   TN_OP_ISPOSINF, TN_OP_ISNEGINF, TN_OP_CONJUGATE,
                                TN_OP_LOGICAL_NOT};
    static uint16_t halves[65536], made[65536], expected[65536];
    static float floats[65536];
    for (int k = 0; k < 65536; k++)
        halves[k] = (uint16_t)k;
    for (tn_dtype dtype = TN_F16; dtype <= TN_BF16; dtype++) {
        for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
            tni_loop_choice choice;
            tni_op_choose_exact(&choice, ops[o], dtype);
            int64_t size = tn_dtype_size(choice.arguments[1]);
            tni_loop_find(ops[o], dtype)((char *[]){(char *)halves, (char *)made},
                                         (int64_t[]){2, size}, 65536);
            tni_cast_find(dtype, TN_F32)((char *[]){(char *)halves, (char *)floats},
                                         (int64_t[]){2, 4}, 65536);
            char *result = size == 1 ? (char *)expected : (char *)floats;
            tni_loop_find(ops[o], TN_F32)((char *[]){(char *)floats, result},
                                          (int64_t[]){4, size == 1 ? 1 : 4}, 65536);
            if (size == 2)
                tni_cast_find(TN_F32, dtype)((char *[]){result, (char *)expected},
                                             (int64_t[]){4, 2}, 65536);
            for (int k = 0; k < 65536; k++)
                if (!is_same(choice.arguments[1], (char *)made + k * size,
                             (char *)expected + k * size))
                    fail_msg("%s of %s: %04x", tn_op_name(ops[o]), tn_dtype_suffix(dtype), k);
        }
    }
}

static void test_level(void **state) {
    (void)state;
    const char *wanted = getenv("TENORITE_ISA"), *level = tni_loops_isa();
    print_message("level %s, asked for %s\n", level, wanted ? wanted : "the best");
    assert_true(strlen(level) > 1);
}

static void test_stream_copy(void **state) {
    (void)state;
    static char from[4096], to[4096 + 64];
    for (size_t k = 0; k < sizeof from; k++)
        from[k] = (char)next_random();
    for (size_t bytes = 0; bytes < sizeof from; bytes += bytes / 7 + 1) {
        for (size_t shift = 0; shift < 64; shift += 13) {
            memset(to, GUARD, sizeof to);
            tni_stream_copy(to + shift, from + shift % 5, bytes - bytes % 8);
            assert_memory_equal(to + shift, from + shift % 5, bytes - bytes % 8);
            assert_int_equal((unsigned char)to[shift + bytes - bytes % 8], GUARD);
        }
    }
}

int main(void) {
    static const replay_test tests[] = {
        REPLAY_NOT(test_level),
        REPLAY_NOT(test_every_loop),
        REPLAY_NOT(test_every_conversion),
        REPLAY_NOT(test_every_move),
        REPLAY_NOT(test_bits_of_halves),
        REPLAY_NOT(test_stream_copy),
    };
    return REPLAY_RUN("loops", tests);
}
