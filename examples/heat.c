/* Heat in a square plate, on Tenorite's C API alone.
 *
 *     du/dt = d2u/dx2 + d2u/dy2        on the unit square, u = 0 on its edge
 *
 * The explicit scheme: with r = dt / h^2, in each step every inner point takes r times the
 * difference between its four neighbours and four times itself. Neighbours are slices of one array,
 * shifted by a row or a column; they are views, made once, that see every step's result.
 *
 * The plate begins as sin(pi x) sin(pi y), which only decays: u(t) = exp(-2 pi^2 t) u(0). The
 * program prints the temperature in the middle beside that, and fails if they part.
 *
 *     cc heat.c $(pkg-config --cflags --libs tenorite) -lm -o heat && ./heat
 */
#include <tenorite/tenorite.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Every function that can fail returns a status; the message tells the rest. */
static void check(tn_status status, const char *call) {
    if (status == TN_OK) return;
    fprintf(stderr, "heat: %s\n      %s: %s\n", call, tn_status_name(status), tn_error_message());
    exit(EXIT_FAILURE);
}
#define CHECK(call) check(call, #call)

enum { POINTS = 129, STEPS = 3000, REPORTS = 6 }; /* points along a side, its edges included */
static const double PI = 3.14159265358979323846;

/* u[1 + down : POINTS - 1 + down, 1 + right : POINTS - 1 + right]: the inner points, moved. */
static tn_array *shifted(const tn_array *u, int down, int right) {
    const tn_index items[2] = {
        {.kind = TN_INDEX_SLICE,
         .start = 1 + down,
         .stop = POINTS - 1 + down,
         .step = 1,
         .has_start = true,
         .has_stop = true},
        {.kind = TN_INDEX_SLICE,
         .start = 1 + right,
         .stop = POINTS - 1 + right,
         .step = 1,
         .has_start = true,
         .has_stop = true},
    };
    tn_array *view;
    CHECK(tn_array_slice(&view, u, 2, items));
    return view;
}

/* to = a op b, written in place: an output that is given is not allocated. */
static void combine(tn_array *to, tn_op op, const tn_array *a, const tn_array *b) {
    const tn_operand operands[2] = {tn_operand_array(a), tn_operand_array(b)};
    CHECK(tn_elementwise(&to, op, operands, NULL, NULL));
}

/* to = a x factor; the factor is a scalar as in a Python program and does not change the dtype. */
static void scale(tn_array *to, const tn_array *a, double factor) {
    const tn_operand operands[2] = {tn_operand_array(a),
                                    tn_operand_scalar(tn_scalar_weak_float(factor))};
    CHECK(tn_elementwise(&to, TN_OP_MULTIPLY, operands, NULL, NULL));
}

/* sin(pi x) sin(pi y) at all points. */
static tn_array *first_mode(void) {
    tn_array *x, *wave, *plate = NULL;
    CHECK(tn_array_new_linspace(&x, NULL, tn_scalar_weak_float(0), tn_scalar_weak_float(PI), POINTS,
                                true, TN_F64, NULL));
    CHECK(tn_unary(&wave, TN_OP_SIN, x, NULL));
    CHECK(tn_outer(&plate, wave, wave, NULL));
    tn_array_release(x);
    tn_array_release(wave);
    return plate;
}

static double highest(const tn_array *u) {
    tn_array *maximum = NULL; /* NULL: make a result */
    tn_scalar value;
    CHECK(tn_reduce(&maximum, TN_REDUCE_MAX, u, NULL, NULL));
    CHECK(tn_array_item(&value, maximum, NULL));
    tn_array_release(maximum);
    return value.value.f64;
}

int main(void) {
    const double h = 1.0 / (POINTS - 1), r = 0.2, dt = r * h * h; /* stable for r <= 1/4 */
    tn_array *u = first_mode();
    tn_array *inner = shifted(u, 0, 0), *north = shifted(u, -1, 0), *south = shifted(u, 1, 0),
             *west = shifted(u, 0, -1), *east = shifted(u, 0, 1);
    tn_array *change, *own;
    CHECK(tn_array_new_like(&change, inner, TN_F64, 0, NULL, TN_ORDER_C, NULL));
    CHECK(tn_array_new_like(&own, inner, TN_F64, 0, NULL, TN_ORDER_C, NULL));

    char device[64];
    CHECK(tn_device_get_name(tn_device_get_current(), device, sizeof device));
    printf("%d x %d points on %s\n\n    step      time    highest      exact      error\n", POINTS,
           POINTS, device);
    double worst = 0;
    for (int step = 0; step <= STEPS; step++) {
        if (step % (STEPS / REPORTS) == 0) {
            double got = highest(u), exact = exp(-2 * PI * PI * step * dt);
            double error = fabs(got - exact) / exact;
            if (error > worst) worst = error;
            printf("%8d  %.6f  %.7f  %.7f  %.1e\n", step, step * dt, got, exact, error);
        }
        combine(change, TN_OP_ADD, north, south);
        combine(change, TN_OP_ADD, change, west);
        combine(change, TN_OP_ADD, change, east);
        scale(own, inner, 4);
        combine(change, TN_OP_SUBTRACT, change, own);
        scale(change, change, r);
        combine(inner, TN_OP_ADD, inner, change);
    }

    tn_array *const arrays[] = {own, change, east, west, south, north, inner, u};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
        tn_array_release(arrays[k]);
    if (worst < 1e-3) return EXIT_SUCCESS;
    fprintf(stderr, "heat: the numbers part from the exact solution by %.1e\n", worst);
    return EXIT_FAILURE;
}
