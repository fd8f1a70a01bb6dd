/* Running folds along an axis whose neighbours lie far apart, and those in strict order:
 * neighbouring threads walk neighbouring lines.
 *
 * The program defines Input, Accumulator, Output, scan_load, fold_op, fold_neutral, fold_store,
 * ROWS elements of a line that a thread has at once, KEPT_NDIM, WIDE_INDEX, GROUP, PLACE_BYTES.
 * LOOK 0: a line is one thread's; ORDERED 1: its first element begins the fold. LOOK 1, where lines
 * are too few to fill the device: LANES lines and BLOCK / LANES x ROWS elements of each are a
 * block's tile, and blocks look back.
 *
 * Algorithm of LOOK: a thread scans its ROWS elements in registers, the threads of a line follow
 * through shared memory, tiles as in scan.cuh, but each line looks back by itself: GROUP tiles make
 * a group, as many groups a section. All tiles of the same elements begin before those of later
 * ones. */
#define MACROS BLOCK, LOOK, GROUP, ORDERED, LANES, ROWS, KEPT_NDIM, WIDE_INDEX, PLACE_BYTES
#include "scan.cuh"

struct Params {
    const char *input;
    char *output;
    tn_i64 lines, length;
    tn_i64 input_step, output_step;
#if LOOK
    tn_i64 line_blocks;
    Place *tiles, *groups, *sections; /* [tile][line] */
#endif
    Shape<KEPT_NDIM, 2> kept;
};

#if LOOK

#define DEPTH (BLOCK / LANES)
#define TILE (DEPTH * ROWS)

/* The fold of the first `count` places of a line, in their order. */
__device__ __forceinline__ Accumulator collect_line(const Place *places, tn_i64 step, int count) {
    Place seen[GROUP - 1];
#pragma unroll
    for (int k = 0; k < GROUP - 1; k++)
        if (k < count) seen[k] = look_at(places + k * step);
    Accumulator value = fold_neutral();
#pragma unroll
    for (int k = 0; k < GROUP - 1; k++) {
        if (k >= count) break;
        while (!seen[k].flag) seen[k] = look_at(places + k * step);
        value = fold_op(value, seen[k].value);
    }
    return value;
}

/* The fold of a line's elements before tile `tile`, whose own fold is `own`. */
__device__ __forceinline__ Accumulator look_back_line(const Params &p, tn_i64 line, tn_i64 tile,
                                                      const Accumulator &own) {
    const tn_i64 group = tile / GROUP, section = group / GROUP;
    const int place = (int)(tile % GROUP), group_place = (int)(group % GROUP);
    const bool ends_group = place == GROUP - 1;
    const bool ends_section = ends_group && group_place == GROUP - 1;
    if (!ends_group) publish(p.tiles + tile * p.lines + line, own);
    Accumulator before = collect_line(p.tiles + group * GROUP * p.lines + line, p.lines, place);
    if (ends_group && !ends_section)
        publish(p.groups + group * p.lines + line, fold_op(before, own));
    before = fold_op(
        collect_line(p.groups + section * GROUP * p.lines + line, p.lines, group_place), before);
    if (section > 0) {
        const Place *earlier = p.sections + (section - 1) * p.lines + line;
        Place seen = look_at(earlier);
        while (!seen.flag) seen = look_at(earlier);
        before = fold_op(seen.value, before);
    }
    if (ends_section) publish(p.sections + section * p.lines + line, fold_op(before, own));
    return before;
}

/* The fold of what lies before this thread in the tile; `own` becomes that of the whole line's
 * part. */
__device__ __forceinline__ Accumulator scan_depth(Accumulator &own, Accumulator *shared, int lane,
                                                  int depth) {
    Accumulator value = own;
#pragma unroll 1
    for (int by = 1; by < DEPTH; by *= 2) {
        shared[threadIdx.x] = value;
        __syncthreads();
        if (depth >= by) value = fold_op(shared[threadIdx.x - by * LANES], value);
        __syncthreads();
    }
    shared[threadIdx.x] = value;
    __syncthreads();
    own = shared[(DEPTH - 1) * LANES + lane];
    return depth ? shared[threadIdx.x - LANES] : fold_neutral();
}

extern "C" __global__ void __launch_bounds__(BLOCK, 4) KERNEL(const __grid_constant__ Params p) {
    __shared__ Accumulator shared[BLOCK];
    const int lane = threadIdx.x % LANES, depth = threadIdx.x / LANES;
    const tn_i64 tile = blockIdx.x / (unsigned)p.line_blocks;
    const tn_i64 line = blockIdx.x % (unsigned)p.line_blocks * (tn_i64)LANES + lane;
    const tn_i64 first = tile * TILE + depth * ROWS;
    tn_i64 offsets[2] = {0, 0};
    Input loaded[ROWS];
    Accumulator x[ROWS];
    tn_i64 left = line < p.lines && first < p.length ? p.length - first : 0;
    const int count = left < ROWS ? (int)left : ROWS;
    if (line < p.lines) p.kept.walk((Index)line, offsets);
    const char *from = p.input + offsets[0] + first * p.input_step;
#pragma unroll
    for (int k = 0; k < ROWS; k++)
        loaded[k] = k < count ? *(const Input *)(from + k * p.input_step) : Input();
    Accumulator own = fold_neutral();
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
        if (k < count) own = fold_op(own, scan_load(loaded[k]));
        x[k] = own;
    }
    Accumulator before = scan_depth(own, shared, lane, depth);
    __syncthreads();
    if (depth == 0 && line < p.lines) shared[lane] = look_back_line(p, line, tile, own);
    __syncthreads();
    before = fold_op(shared[lane], before);
    char *to = p.output + offsets[1] + first * p.output_step;
#pragma unroll
    for (int k = 0; k < ROWS; k++)
        if (k < count) *(Output *)(to + k * p.output_step) = fold_store(fold_op(before, x[k]));
}

#else

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const tn_i64 line = blockIdx.x * (tn_i64)BLOCK + threadIdx.x;
    if (line >= p.lines) return;
    tn_i64 offsets[2] = {0, 0};
    p.kept.walk((Index)line, offsets);
    const char *from = p.input + offsets[0];
    char *to = p.output + offsets[1];
    Accumulator value = fold_neutral();
#if ORDERED
    bool has_value = false;
#endif
#pragma unroll 1
    for (tn_i64 at = 0; at < p.length; at += ROWS) {
        Input x[ROWS];
#pragma unroll
        for (int u = 0; u < ROWS; u++)
            x[u] = at + u < p.length ? *(const Input *)(from + u * p.input_step) : Input();
#pragma unroll
        for (int u = 0; u < ROWS; u++) {
            if (at + u >= p.length) break;
#if ORDERED
            value = has_value ? fold_op(value, scan_load(x[u])) : scan_load(x[u]);
            has_value = true;
#else
            value = fold_op(value, scan_load(x[u]));
#endif
            *(Output *)(to + u * p.output_step) = fold_store(value);
        }
        from += ROWS * p.input_step;
        to += ROWS * p.output_step;
    }
}

#endif
