/* The forms of peaks on the host: these are shared out, and each walks to both sides. A part of the
 * values that the walk passes as a whole is one step of it. */
#include "backend/host/forms/forms.h"
#include "backend/host/threads.h"
#include "forms/samples.h"

enum { PEAK_NS = 40, END_NS = 4 };

/* A walk from `at` until `end` (exclusive) by `step`, 1 or -1. */
typedef struct walk {
    int64_t at, end, step;
    double level; /* of the peak, or the height */
    double low;   /* the lowest value so far, and its place */
    int64_t base;
} walk;

/* Whether the walk is at the begin of a part that it may pass as a whole. */
static bool is_at_part(const tni_peak_values *of, const walk *w) {
    const int64_t begin = w->step > 0 ? 0 : TN_PEAK_PART - 1;
    return w->at % TN_PEAK_PART == begin && (w->end - w->at) * w->step >= TN_PEAK_PART &&
           w->at / TN_PEAK_PART < of->parts;
}

/* While values are not above the level: the lowest of them, and its first place. */
static void find_lowest(const tni_peak_values *of, walk *w) {
    int64_t low_part = -1; /* the part that has the lowest value */
    for (; w->at != w->end; w->at += w->step) {
        const int64_t part = w->at / TN_PEAK_PART;
        if (is_at_part(of, w) && of->highs[part] <= w->level) {
            if (of->lows[part] < w->low) {
                w->low = of->lows[part];
                low_part = part;
            }
            w->at += w->step * (TN_PEAK_PART - 1);
            continue;
        }
        const double value = of->values[w->at];
        if (!(value <= w->level)) break;
        if (value < w->low) {
            w->low = value;
            w->base = w->at;
            low_part = -1;
        }
    }
    if (low_part < 0) return;
    w->base = w->step > 0 ? low_part * TN_PEAK_PART : (low_part + 1) * TN_PEAK_PART - 1;
    while (of->values[w->base] != w->low)
        w->base += w->step;
}

/* While values are above the level: where the walk ends. */
static int64_t find_end(const tni_peak_values *of, walk w) {
    for (; w.at != w.end; w.at += w.step) {
        if (is_at_part(of, &w) && w.level < of->lows[w.at / TN_PEAK_PART])
            w.at += w.step * (TN_PEAK_PART - 1);
        else if (!(w.level < of->values[w.at]))
            break;
    }
    return w.at;
}

static void find_bases(void *context, int64_t begin, int64_t end) {
    const tni_peak_bases *call = context;
    const int64_t count = call->of.count;
    for (int64_t k = begin; k < end; k++) {
        const int64_t peak = call->peaks[k];
        if (peak < 0 || peak >= count) {
            call->prominences[k] = 0;
            call->left[k] = call->right[k] = peak;
            continue;
        }
        const double top = call->of.values[peak];
        const int64_t first = peak > call->reach ? peak - call->reach : 0;
        const int64_t last = count - 1 - peak > call->reach ? peak + call->reach : count - 1;
        walk to_left = {peak, first - 1, -1, top, top, peak};
        walk to_right = {peak, last + 1, 1, top, top, peak};
        find_lowest(&call->of, &to_left);
        find_lowest(&call->of, &to_right);
        call->prominences[k] = top - (to_left.low > to_right.low ? to_left.low : to_right.low);
        call->left[k] = to_left.base;
        call->right[k] = to_right.base;
    }
}

/* Where a line between the value at `at`, which is not above the height, and the one before it has
 * the height; `to` is the direction from which the walk came. */
static double crossing(const tni_peak_values *of, int64_t at, int64_t to, double height) {
    const double value = of->values[at];
    if (!(value < height) || at + to < 0 || at + to >= of->count) return (double)at;
    return (double)at + (double)to * ((height - value) / (of->values[at + to] - value));
}

static void find_widths(void *context, int64_t begin, int64_t end) {
    const tni_peak_widths *call = context;
    const tni_peak_values *of = &call->of;
    for (int64_t k = begin; k < end; k++) {
        const int64_t peak = call->peaks[k], first = call->left[k], last = call->right[k];
        double height = 0, left = 0, right = 0;
        if (first >= 0 && first <= peak && peak <= last && last < of->count) {
            height = of->values[peak] - call->prominences[k] * call->relative;
            const walk to_left = {.at = peak, .end = first, .step = -1, .level = height};
            const walk to_right = {.at = peak, .end = last, .step = 1, .level = height};
            left = crossing(of, find_end(of, to_left), 1, height);
            right = crossing(of, find_end(of, to_right), -1, height);
        }
        call->heights[k] = height;
        call->left_places[k] = left;
        call->right_places[k] = right;
        call->widths[k] = right - left;
    }
}

static void find_last(void *context, int64_t begin, int64_t end) {
    const tni_peak_ends *call = context;
    for (int64_t k = begin; k < end; k++) {
        int64_t at = call->places[k];
        if (at >= 0 && at < call->count) {
            const double level = call->values[at];
            while (at + 1 < call->count && call->values[at + 1] == level)
                at++;
        }
        call->ends[k] = at;
    }
}

tn_status tni_host_run_peak_ends(void *parameters) {
    tni_peak_ends *call = parameters;
    tni_parallel_units(call->number, END_NS, find_last, call);
    return TN_OK;
}

TNI_HOST_PLAN(peak_ends, call->number)

tn_status tni_host_run_peak_bases(void *parameters) {
    tni_peak_bases *call = parameters;
    tni_parallel_units(call->number, PEAK_NS, find_bases, call);
    return TN_OK;
}

TNI_HOST_PLAN(peak_bases, call->of.count)

tn_status tni_host_run_peak_widths(void *parameters) {
    tni_peak_widths *call = parameters;
    tni_parallel_units(call->number, PEAK_NS, find_widths, call);
    return TN_OK;
}

TNI_HOST_PLAN(peak_widths, call->of.count)
