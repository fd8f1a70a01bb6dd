/* The boxes of a tree (forms/spatial.h): a block a subtree whose root is on the level `top`, from
 * the level `bottom` up, which has leaves, or nodes whose boxes are there. The program defines
 * BLOCK. */
#define MACROS BLOCK

struct Params {
    const double *points;
    double *boxes;
    tn_i64 count, axes, levels, top, bottom;
};

/* The least and the largest coordinate along an axis of the points of a leaf. */
__device__ __forceinline__ void cover_points(const Params &p, tn_i64 node, tn_i64 axis) {
    const tn_i64 place = node - ((tn_i64)1 << p.levels);
    const tn_i64 begin = place * p.count >> p.levels, end = (place + 1) * p.count >> p.levels;
    double low = p.points[begin * p.axes + axis], high = low;
    for (tn_i64 i = begin + 1; i < end; i++) {
        const double at = p.points[i * p.axes + axis];
        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    p.boxes[node * 2 * p.axes + axis] = low;
    p.boxes[(node * 2 + 1) * p.axes + axis] = high;
}

__device__ __forceinline__ void cover_children(const Params &p, tn_i64 node, tn_i64 axis) {
    const double *left = p.boxes + 4 * node * p.axes + axis, *right = left + 2 * p.axes;
    const double low = left[0], other = right[0];
    const double high = left[p.axes], other_high = right[p.axes];
    p.boxes[node * 2 * p.axes + axis] = other < low ? other : low;
    p.boxes[(node * 2 + 1) * p.axes + axis] = other_high > high ? other_high : high;
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const tn_i64 roots = (tn_i64)1 << p.top;
    for (tn_i64 root = blockIdx.x; root < roots; root += gridDim.x)
        for (tn_i64 level = p.bottom; level >= p.top; level--) {
            const tn_i64 first = (root + roots) << (level - p.top);
            const tn_i64 count = p.axes << (level - p.top);
            for (tn_i64 k = threadIdx.x; k < count; k += BLOCK) {
                if (level == p.levels)
                    cover_points(p, first + k / p.axes, k % p.axes);
                else
                    cover_children(p, first + k / p.axes, k % p.axes);
            }
            __syncthreads();
        }
    if (blockIdx.x == 0 && p.top == 0)
        for (tn_i64 k = threadIdx.x; k < 2 * p.axes; k += BLOCK) p.boxes[k] = 0;
}
