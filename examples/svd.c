/* A singular value decomposition, on Tenorite's C API alone.
 *
 *     a = u s vh
 *
 * of the matrix a[i, j] = sin((i + 1) (j + 1) / 40), which is nearly of a low rank. The program
 * prints the first singular values and how many of them keep a to six digits. It fails if u s vh is
 * not a, or u's columns are not orthonormal, to within what LAPACK's own tests allow.
 *
 *     cc svd.c $(pkg-config --cflags --libs tenorite) -lm -o svd && ./svd
 */
#include <tenorite/tenorite.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Every function that can fail returns a status; the message tells the rest. */
static void check(tn_status status, const char *call) {
    if (status == TN_OK) return;
    fprintf(stderr, "svd: %s\n     %s: %s\n", call, tn_status_name(status), tn_error_message());
    exit(EXIT_FAILURE);
}
#define CHECK(call) check(call, #call)

enum { ROWS = 60, COLUMNS = 40, SHOWN = 5 };

/* What LAPACK's tests of its singular values allow (TESTING/svd.in), in units of rounding for each
 * row: libraries and CPUs round in different orders. */
#define ROUNDING (35 * ROWS * DBL_EPSILON)

static tn_array *matrix(void) {
    static double elements[ROWS][COLUMNS];
    const int64_t shape[2] = {ROWS, COLUMNS};
    tn_array *a;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            elements[i][j] = sin((i + 1) * (j + 1) / 40.0);
    CHECK(tn_array_new_from_host(&a, elements, TN_F64, 2, shape, NULL, TN_ORDER_C, NULL));
    return a;
}

/* The root of the sum of the squares of a - b. */
static double distance(const tn_array *a, const tn_array *b) {
    tn_array *difference = NULL, *norm = NULL;
    tn_scalar value;
    CHECK(tn_binary(&difference, TN_OP_SUBTRACT, a, b, NULL));
    CHECK(tn_vector_norm(&norm, difference, 2, NULL, NULL));
    CHECK(tn_array_item(&value, norm, NULL));
    tn_array_release(difference);
    tn_array_release(norm);
    return value.value.f64;
}

/* How far u s vh is from a. */
static double residual(const tn_array *a, const tn_array *u, const tn_array *s,
                       const tn_array *vh) {
    tn_array *scaled = NULL, *product = NULL;
    CHECK(tn_binary(&scaled, TN_OP_MULTIPLY, u, s, NULL));
    CHECK(tn_matmul(&product, scaled, vh, NULL, NULL));
    double found = distance(a, product);
    tn_array_release(scaled);
    tn_array_release(product);
    return found;
}

/* How far the products of u's columns are from the identity. */
static double obliqueness(const tn_array *u) {
    tn_array *transposed, *product = NULL, *eye;
    CHECK(tn_array_transpose(&transposed, u, 2, (const int[]){1, 0}));
    CHECK(tn_matmul(&product, transposed, u, NULL, NULL));
    CHECK(tn_array_new_eye(&eye, COLUMNS, COLUMNS, 0, TN_F64, TN_ORDER_C, NULL));
    double found = distance(product, eye);
    tn_array_release(transposed);
    tn_array_release(product);
    tn_array_release(eye);
    return found;
}

int main(void) {
    tn_array *a = matrix(), *u, *s, *vh;
    double values[COLUMNS];
    int kept = 0;
    CHECK(tn_linalg_svd(&u, &s, &vh, a, false, NULL));
    CHECK(tn_array_read(values, NULL, s, NULL));
    CHECK(tn_stream_synchronize(NULL, -1));
    printf("singular values of %d x %d:", ROWS, COLUMNS);
    for (int k = 0; k < SHOWN; k++)
        printf(" %.4f", values[k]);
    while (kept < COLUMNS && values[kept] > 1e-6 * values[0])
        kept++;
    printf(" ...\n%d of %d keep six digits\n", kept, COLUMNS);

    const double error = residual(a, u, s, vh), oblique = obliqueness(u);
    tn_array_release(a);
    tn_array_release(u);
    tn_array_release(s);
    tn_array_release(vh);
    if (error <= ROUNDING * values[0] && oblique <= ROUNDING) {
        printf("u s vh is the matrix, and u's columns are orthonormal\n");
        return EXIT_SUCCESS;
    }
    fprintf(stderr, "svd: off by %.1e, u by %.1e\n", error, oblique);
    return EXIT_FAILURE;
}
