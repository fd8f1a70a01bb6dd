/* The form "image_fourier" on the host: a table of each axis, then products row by row. Tables have
 * the factor of an index, two numbers of a complex one; of an ellipsoid the square of its part of
 * the argument. */
#include "backend/host/forms/forms.h"
#include "backend/host/loops/level.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"
#include "forms/image_map.h"

#include <math.h>

enum { SLOT = 0, BLOCK = 256, GRAIN = 1 << 11, MIRRORS = 4 /* of a row, of three axes */ };

static const double PI = 3.14159265358979323846;

typedef struct filtering {
    const tni_image_fourier *call;
    int parts;    /* numbers of a table's entry */
    int64_t item; /* bytes of an element */
    double *tables[TNI_MAP_AXES];
    int axis; /* whose table is made */
} filtering;

static double frequency(const tni_image_fourier *call, int axis, int64_t at) {
    const int64_t size = call->shape[axis];
    const bool is_negative = !call->is_half[axis] && at >= (size + 1) / 2;
    return (double)(is_negative ? at - size : at) / call->n[axis];
}

static void write_table(void *context, int64_t begin, int64_t end) {
    const filtering *f = context;
    const tni_image_fourier *call = f->call;
    const int axis = f->axis;
    double *to = f->tables[axis];
    for (int64_t at = begin; at < end; at++) {
        const double x = PI * call->sizes[axis] * frequency(call, axis, at);
        switch (call->filter) {
        case TN_FOURIER_GAUSSIAN: to[at] = exp(-2 * x * x); break;
        case TN_FOURIER_UNIFORM: to[at] = x == 0 ? 1 : sin(x) / x; break;
        case TN_FOURIER_SHIFT:
            to[2 * at] = cos(2 * x);
            to[2 * at + 1] = -sin(2 * x);
            break;
        default: to[at] = x * x;
        }
    }
}

/* The Fourier transform of a line, a disc or a ball of radius 1, over its value at 0. */
static double ellipsoid(double squared, int axes) {
    const double x = sqrt(squared);
    if (x < 1e-3) return 1 - squared / (axes == 1 ? 6 : axes == 2 ? 8 : 10);
    if (axes == 1) return sin(x) / x;
    return axes == 2 ? 2 * j1(x) / x : 3 * (sin(x) - x * cos(x)) / (x * squared);
}

/* The factors of all axes but the last of a row. */
static void find_outer(const filtering *f, int64_t row, double outer[2]) {
    const tni_image_fourier *call = f->call;
    const bool is_sum = call->filter == TN_FOURIER_ELLIPSOID;
    outer[0] = is_sum ? 0 : 1;
    outer[1] = 0;
    for (int k = call->axes - 2; k >= 0; k--) {
        const double *entry = f->tables[k] + row % call->shape[k] * f->parts;
        row /= call->shape[k];
        if (f->parts == 2) {
            const double re = outer[0], im = outer[1];
            outer[0] = re * entry[0] - im * entry[1];
            outer[1] = re * entry[1] + im * entry[0];
        } else if (is_sum) {
            outer[0] += entry[0];
        } else {
            outer[0] *= entry[0];
        }
    }
}

/* Indices of an axis that are not the mirror of one before them: at and size - at have the same
 * frequency but for its sign. */
static int64_t kept_of(const tni_image_fourier *call, int axis) {
    const int64_t size = call->shape[axis];
    return call->is_half[axis] ? size : size / 2 + 1;
}

/* The rows of one argument: that of number `kept` and its mirrors. */
static int find_mirrors(const tni_image_fourier *call, int64_t kept, int64_t rows[MIRRORS]) {
    int count = 1;
    int64_t stride = 1;
    rows[0] = 0;
    for (int k = call->axes - 2; k >= 0; k--) {
        const int64_t size = call->shape[k], at = kept % kept_of(call, k);
        const int64_t other = call->is_half[k] || !at ? at : size - at;
        kept /= kept_of(call, k);
        for (int i = 0; other != at && i < count; i++)
            rows[count + i] = rows[i] + other * stride;
        for (int i = 0; i < count; i++)
            rows[i] += at * stride;
        count <<= other != at;
        stride *= size;
    }
    return count;
}

/* Blocks of columns of rows and of their mirrors. */
static void multiply_mirrors(void *context, int64_t begin, int64_t end) {
    const filtering *f = context;
    const tni_image_fourier *call = f->call;
    const tni_fourier_loops *loops = tni_loops_level()->fourier;
    const int last = call->axes - 1;
    const int64_t width = call->shape[last], kept = kept_of(call, last);
    const int64_t blocks = (kept + BLOCK - 1) / BLOCK;
    int64_t rows[MIRRORS];
    double outer[2], factors[BLOCK], reversed[BLOCK];
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t column = unit % blocks * BLOCK;
        const int64_t n = kept - column < BLOCK ? kept - column : BLOCK;
        const int count = find_mirrors(call, unit / blocks, rows);
        find_outer(f, rows[0], outer);
        for (int64_t k = 0; k < n; k++)
            factors[k] = ellipsoid(outer[0] + f->tables[last][column + k], call->axes);
        /* Columns from `least` to `most` have mirrors beyond those that are kept. */
        const int64_t least = column ? column : 1, end_of = column + n - 1;
        const int64_t most = end_of < width - kept ? end_of : width - kept;
        for (int64_t k = least; k <= most; k++)
            reversed[most - k] = factors[k - column];
        for (int i = 0; i < count; i++) {
            int64_t at = (rows[i] * width + column) * f->item;
            loops->scale(call->dtype, call->output + at, call->input + at, 1, factors, n);
            if (most < least) continue;
            at = (rows[i] * width + width - most) * f->item;
            loops->scale(call->dtype, call->output + at, call->input + at, 1, reversed,
                         most - least + 1);
        }
    }
}

static void multiply(void *context, int64_t begin, int64_t end) {
    const filtering *f = context;
    const tni_image_fourier *call = f->call;
    const tni_fourier_loops *loops = tni_loops_level()->fourier;
    const int64_t width = call->shape[call->axes - 1];
    double outer[2];
    for (int64_t at = begin, n; at < end; at += n) {
        const int64_t column = at % width;
        const double *inner = f->tables[call->axes - 1] + column * f->parts;
        char *to = call->output + at * f->item;
        const char *from = call->input + at * f->item;
        n = end - at < width - column ? end - at : width - column;
        find_outer(f, at / width, outer);
        if (f->parts == 2)
            loops->turn(call->dtype, to, from, outer, inner, n);
        else
            loops->scale(call->dtype, to, from, outer[0], inner, n);
    }
}

tn_status tni_host_run_image_fourier(void *parameters) {
    const tni_image_fourier *call = parameters;
    filtering f = {.call = call};
    int64_t entries = 0;
    f.parts = call->filter == TN_FOURIER_SHIFT ? 2 : 1;
    f.item = tn_dtype_size(call->dtype);
    for (int k = 0; k < call->axes; k++)
        entries += call->shape[k];
    double *room = tni_scratch(SLOT, (size_t)(entries * f.parts) * sizeof *room);
    if (!room) return tni_fail(TN_ERROR_MEMORY, "out of memory for the factors of a filter");
    for (f.axis = 0; f.axis < call->axes; f.axis++) {
        f.tables[f.axis] = room;
        room += call->shape[f.axis] * f.parts;
        tni_parallel_short(call->shape[f.axis], GRAIN / 32, write_table, &f);
    }
    if (call->filter != TN_FOURIER_ELLIPSOID) {
        tni_parallel_short(call->count, GRAIN, multiply, &f);
        return TN_OK;
    }
    const int64_t kept = kept_of(call, call->axes - 1);
    int64_t units = (kept + BLOCK - 1) / BLOCK;
    for (int k = 0; k < call->axes - 1; k++)
        units *= kept_of(call, k);
    tni_parallel_short(units, kept < GRAIN / 32 ? GRAIN / 32 / kept : 1, multiply_mirrors, &f);
    return TN_OK;
}

TNI_HOST_PLAN(image_fourier, call->count)
