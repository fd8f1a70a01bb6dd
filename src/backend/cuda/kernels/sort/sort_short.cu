/* Sorting rows of up to TEAM elements: a thread an element, whose rank is the number of elements
 * before it.
 *
 * The program defines what sort.cuh asks for, TEAM threads of a row (a power of two), POSITIONS 1
 * to give positions, KEPT_NDIM and WIDE_INDEX.
 * Invariant: a block has read its rows before it writes them. */
#define MACROS                                                                                     \
    ELEMENT_BYTES, KIND, MANTISSA, DESCENDING, TIES, KEPT_NDIM, WIDE_INDEX, BLOCK, TEAM, POSITIONS
#include "sort.cuh"

#define ROWS (BLOCK / TEAM)

struct Params {
    const char *input;
    char *output;
    tn_i64 rows, length;
    tn_i64 input_step, output_step;
    Shape<KEPT_NDIM, 2> kept;
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ Key keys[BLOCK];
    const int place = (int)threadIdx.x % TEAM;
    const Key *others = keys + (threadIdx.x - place);
    const tn_i64 step = (tn_i64)gridDim.x * ROWS;
    for (tn_i64 first = (tn_i64)blockIdx.x * ROWS; first < p.rows; first += step) {
        const tn_i64 row = first + threadIdx.x / TEAM;
        const bool has_one = row < p.rows && place < p.length;
        tn_i64 offsets[2] = {0, 0};
        Element element;
        Key key;
        if (has_one) {
            p.kept.walk((Index)row, offsets);
            element = *(const Element *)(p.input + offsets[0] + place * p.input_step);
            key = key_of(element);
            keys[threadIdx.x] = key;
        }
        __syncthreads();
        if (has_one) {
            int rank = 0;
#pragma unroll 4
            for (int k = 0; k < (int)p.length; k++) {
                const Key other = others[k];
                rank += k < place ? !is_less(key, other) : is_less(other, key);
            }
            char *to = p.output + offsets[1] + rank * p.output_step;
#if POSITIONS
            *(tn_i64 *)to = place;
#else
            *(Element *)to = element;
#endif
        }
        __syncthreads();
    }
}
