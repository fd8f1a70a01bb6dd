/* The form "banded" on the host: Gauss' elimination with exchanges of rows, once for all right
 * sides, which are then shared out among the threads in groups of columns.
 *
 * Element (i, c) lies in column c - i + lower of row i. In place of the elements that are
 * eliminated stand the factors, and in a row's last column how far down its pivot was. */
#include "backend/host/forms/forms.h"
#include "backend/host/loops/level.h"
#include "backend/host/threads.h"
#include "forms/spline.h"

#include <math.h>

enum { GROUP = 64 }; /* columns of right sides */

static double *element(const tni_banded *call, int64_t row, int64_t column) {
    return call->matrix + row * tni_banded_columns(call->lower, call->upper) + column - row +
           call->lower;
}

static double *exchange_of(const tni_banded *call, int64_t row) {
    const int64_t columns = tni_banded_columns(call->lower, call->upper);
    return call->matrix + (row + 1) * columns - 1;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static void exchange(double *a, double *b, int64_t n) {
    for (int64_t k = 0; k < n; k++) {
        const double kept = a[k];
        a[k] = b[k];
        b[k] = kept;
    }
}

static tn_status factor(const tni_banded *call, const tni_spline_loops *loops) {
    for (int64_t j = 0; j < call->n; j++) {
        const int64_t below = least(call->n - 1 - j, call->lower);
        const int64_t right = least(call->n - 1 - j, call->lower + call->upper);
        int64_t pivot = 0;
        for (int64_t k = 1; k <= below; k++)
            if (fabs(*element(call, j + k, j)) > fabs(*element(call, j + pivot, j))) pivot = k;
        if (*element(call, j + pivot, j) == 0)
            return tni_fail(TN_ERROR_LINALG, "%s", call->failure);
        if (pivot) exchange(element(call, j, j), element(call, j + pivot, j), right + 1);
        *exchange_of(call, j) = (double)pivot;
        for (int64_t k = 1; k <= below; k++) {
            double *to = element(call, j + k, j);
            *to /= *element(call, j, j);
            loops->subtract(to + 1, element(call, j, j) + 1, *to, right);
        }
    }
    return TN_OK;
}

static void solve(void *context, int64_t begin, int64_t end) {
    const tni_banded *call = context;
    const tni_spline_loops *loops = tni_loops_level()->spline;
    const int64_t first = begin * GROUP, width = call->width;
    const int64_t count = least(end * GROUP, width) - first;
    double *b = call->b + first;
    for (int64_t j = 0; j < call->n; j++) {
        const int64_t below = least(call->n - 1 - j, call->lower);
        const int64_t pivot = (int64_t)*exchange_of(call, j);
        if (pivot) exchange(b + j * width, b + (j + pivot) * width, count);
        for (int64_t k = 1; k <= below; k++)
            loops->subtract(b + (j + k) * width, b + j * width, *element(call, j + k, j), count);
    }
    for (int64_t j = call->n - 1; j >= 0; j--) {
        const int64_t right = least(call->n - 1 - j, call->lower + call->upper);
        for (int64_t k = 1; k <= right; k++)
            loops->subtract(b + j * width, b + (j + k) * width, *element(call, j, j + k), count);
        const double diagonal = *element(call, j, j);
        for (int64_t k = 0; k < count; k++)
            b[j * width + k] /= diagonal;
    }
}

tn_status tni_host_run_banded(void *parameters) {
    tni_banded *call = parameters;
    TNI_TRY(factor(call, tni_loops_level()->spline));
    const int64_t work = call->n * (2 * call->lower + call->upper + 1) * GROUP / 2;
    tni_parallel_units((call->width + GROUP - 1) / GROUP, work, solve, call);
    return TN_OK;
}

TNI_HOST_PLAN(banded, call->n *(call->width + 4))
