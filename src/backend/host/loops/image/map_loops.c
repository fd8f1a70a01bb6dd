/* Values of splines at places, for f32 and f64: map_stamp.h twice, with the places, which are f64
 * in both. */
#include "backend/host/loops/image/map_loops.h"

#include "backend/host/loops/entry.h"
#include "ops/spline.h"

#include <string.h>

enum { TAPS = TN_SPLINE_ORDER + 1 };

/* A block of outputs. Where one lies is the sum of first[axis][i] * steps[axis] and of base + i *
 * step, in numbers. */
typedef struct block {
    int64_t count, base, step;
    double at[TNI_MAP_AXES][TNI_MAP_BLOCK]; /* places, then the first elements about them */
    double offset[TNI_MAP_BLOCK];           /* of the first tap */
    unsigned char is_edge[TNI_MAP_BLOCK];   /* taps are beyond an edge */
    unsigned char is_outside[TNI_MAP_BLOCK];
} block;

static int64_t index_of(const tni_image_map *call, int64_t at, int64_t *index) {
    int64_t base = 0;
    for (int k = call->axes - 1; k >= 0; k--) {
        index[k] = at % call->shape[k];
        at /= call->shape[k];
        base += index[k] * call->walk[k];
    }
    return base;
}

static inline double place_apart(const tni_image_map *call, int axis, int64_t index) {
    return ((double)index + call->offset[axis]) * call->zoom[axis] + call->after + call->pad;
}

/* A place in range, or M_SPLINE_NOWHERE. */
static inline double folded(const tni_image_map *call, int axis, double at) {
    const int64_t size = call->sizes[axis];
    return at >= 0 && at <= (double)(size - 1) ? at : m_spline_place(at, size, call->border);
}

static void find_affine(const tni_image_map *call, block *b, const int64_t *index) {
    const int last = call->axes - 1;
    for (int h = 0; h < call->mapped; h++) {
        const double *row = call->matrix + h * call->axes;
        double sum = call->offset[h];
        for (int k = 0; k < last; k++)
            sum += (double)index[k] * row[k];
        for (int64_t i = 0; i < b->count; i++)
            b->at[h][i] = sum + (double)(index[last] + i) * row[last] + call->pad;
    }
}

static void find_places(const tni_image_map *call, block *b, int64_t begin) {
    int64_t index[TNI_MAP_AXES];
    if (call->places == TNI_MAP_AT) {
        b->base = b->step = 0;
        for (int h = 0; h < call->mapped; h++) {
            const int64_t from = h * call->count + begin;
            const float *singles = (const float *)(const void *)call->coordinates;
            const double *doubles = (const double *)(const void *)call->coordinates;
            for (int64_t i = 0; i < b->count; i++)
                b->at[h][i] =
                    (call->is_single ? (double)singles[from + i] : doubles[from + i]) + call->pad;
        }
        return;
    }
    b->base = index_of(call, begin, index);
    b->step = call->walk[call->axes - 1];
    if (call->places == TNI_MAP_AFFINE) {
        find_affine(call, b, index);
        return;
    }
    for (int h = 0; h < call->mapped; h++) {
        const int64_t first = index[call->of[h]], step = call->of[h] == call->axes - 1;
        for (int64_t i = 0; i < b->count; i++)
            b->at[h][i] = place_apart(call, h, first + step * i);
    }
}

/* Places in range; b->is_outside where there is none. */
static void fold_places(const tni_image_map *call, block *b, int axis) {
    const double last = (double)(call->sizes[axis] - 1);
    double *at = b->at[axis];
    int beyond = 0;
    for (int64_t i = 0; i < b->count; i++)
        beyond |= !(at[i] >= 0) | !(at[i] <= last);
    if (!beyond) return;
    for (int64_t i = 0; i < b->count; i++) {
        at[i] = folded(call, axis, at[i]);
        if (at[i] != M_SPLINE_NOWHERE) continue;
        b->is_outside[i] = 1;
        at[i] = 0;
    }
}

#define T float
#define S f32
#include "backend/host/loops/image/map_stamp.h"
#define T double
#define S f64
#include "backend/host/loops/image/map_stamp.h"

extern const tni_map_loops LEVEL(tni_map_loops)[2];
const tni_map_loops LEVEL(tni_map_loops)[2] = {
    {points_f32, columns_f32, row_f32, integers_f32},
    {points_f64, columns_f64, row_f64, integers_f64},
};
