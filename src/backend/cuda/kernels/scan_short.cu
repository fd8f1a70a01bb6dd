/* Running folds along many short rows: a team of lanes takes a row, an element a lane.
 *
 * The program defines what scan_rows.cu asks for, and TEAM lanes (a power of two up to 32), at least the
 * length of a row. */
#include "access.cuh"

struct Params {
    const char *input;
    char *output;
    tn_i64 rows, length;
    tn_i64 input_step, output_step;
    Shape<KEPT_NDIM, 2> kept;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    const int lane = threadIdx.x % TEAM;
    const tn_i64 teams = BLOCK / TEAM;
    for (tn_i64 first = blockIdx.x * teams; first < p.rows; first += gridDim.x * teams) {
        const tn_i64 row = first + threadIdx.x / TEAM;
        const bool there = row < p.rows && lane < p.length;
        tn_i64 offsets[2] = {0, 0};
        Accumulator value = fold_neutral();
        if (there) {
            p.kept.walk((Index)row, offsets);
            value = scan_load(*(const Input *)(p.input + offsets[0] + lane * p.input_step));
        }
#pragma unroll
        for (int by = 1; by < TEAM; by *= 2) {
            Accumulator other = shuffle_up(value, by, TEAM);
            if (lane >= by) value = fold_op(other, value);
        }
        if (there) *(Output *)(p.output + offsets[1] + lane * p.output_step) = fold_store(value);
    }
}
