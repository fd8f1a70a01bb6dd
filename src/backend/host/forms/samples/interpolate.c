/* The form "interpolate" on the host: values are shared out, each thread searches several at a
 * time. The arithmetic is NumPy's, so that results have its bits. */
#include "backend/host/forms/forms.h"
#include "backend/host/threads.h"
#include "forms/samples.h"

#include <math.h>

enum { TOGETHER = 8, STEP_NS = 2 };

/* How many points are not above each value; NaN is above none. */
static void search(int64_t *place, const tni_interpolate *call, const double *x, int n) {
    const double *xp = call->xp;
    for (int k = 0; k < n; k++)
        place[k] = 0;
    for (int64_t left = call->points, half; left > 0; left -= half) {
        half = (left + 1) / 2;
        for (int k = 0; k < n; k++)
            place[k] += xp[place[k] + half - 1] <= x[k] ? half : 0;
    }
}

/* Whether all values lie between the two points around the last one, as they do where values
 * ascend slowly. */
static bool is_near(int64_t *place, const tni_interpolate *call, const double *x, int n) {
    const int64_t last = place[TOGETHER - 1];
    if (last < 1 || last >= call->points) return false;
    const double low = call->xp[last - 1], high = call->xp[last];
    bool is_inside = true;
    for (int k = 0; k < n; k++)
        is_inside &= x[k] >= low && x[k] < high;
    for (int k = 0; is_inside && k < n; k++)
        place[k] = last;
    return is_inside;
}

/* The line through points j and j + 1 at x. Where one of them is not finite the other may help.
 * NumPy divides real numbers and multiplies complex ones by an inverse. */
static double line(double x, const double *xp, double low, double high, bool is_complex) {
    const double width = xp[1] - xp[0];
    const double slope = is_complex ? (high - low) * (1.0 / width) : (high - low) / width;
    double value = slope * (x - xp[0]) + low;
    if (__builtin_expect(value != value, 0)) {
        value = slope * (x - xp[1]) + high;
        if (value != value && low == high) value = low;
    }
    return value;
}

/* The value at x, below which `place` points lie or at. `parts` of each number, of which this is
 * `part`. */
static double value_at(const tni_interpolate *call, double x, int64_t place, int parts, int part) {
    const double *fp = call->fp + part;
    const int64_t points = call->points;
    if (x != x) return call->points == 1 ? fp[0] : part ? 0.0 : x; /* as NumPy */
    if (place == 0 && !(x < call->xp[0]))                          /* the first point is NaN */
        return points == 1 ? fp[0] : line(x, call->xp, fp[0], fp[parts], call->is_complex);
    if (place == 0) return call->has_left ? call->left[part] : fp[0];
    const double *xp = call->xp + place - 1;
    const double last = fp[(points - 1) * parts];
    if (place == points) return xp[0] == x || !call->has_right ? last : call->right[part];
    if (xp[0] == x) return fp[(place - 1) * parts];
    return line(x, xp, fp[(place - 1) * parts], fp[place * parts], call->is_complex);
}

static void interpolate(void *context, int64_t begin, int64_t end) {
    const tni_interpolate *call = context;
    const int parts = call->is_complex ? 2 : 1;
    int64_t place[TOGETHER] = {0};
    for (int64_t at = begin; at < end; at += TOGETHER) {
        const int n = end - at < TOGETHER ? (int)(end - at) : TOGETHER;
        if (!is_near(place, call, call->x + at, n)) search(place, call, call->x + at, n);
        for (int k = 0; k < n; k++)
            for (int part = 0; part < parts; part++)
                call->output[(at + k) * parts + part] =
                    value_at(call, call->x[at + k], place[k], parts, part);
    }
}

tn_status tni_host_run_interpolate(void *parameters) {
    tni_interpolate *call = parameters;
    int64_t steps = 1;
    while (steps < 63 && call->points >> steps)
        steps++;
    int64_t grain = 1000 / (STEP_NS * (steps + 4));
    tni_parallel_short(call->count, grain < TOGETHER ? TOGETHER : grain & -TOGETHER, interpolate,
                       call);
    return TN_OK;
}

TNI_HOST_PLAN(interpolate, call->count)
