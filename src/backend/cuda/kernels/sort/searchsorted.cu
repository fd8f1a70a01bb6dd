/* The places of values in sorted elements: a thread a value, which halves the span.
 *
 * The program defines what sort.cuh asks for, RIGHT 1 to count equal elements too, NDIM and
 * WIDE_INDEX. */
#define MACROS ELEMENT_BYTES, KIND, MANTISSA, DESCENDING, TIES, BLOCK, RIGHT, NDIM, WIDE_INDEX
#include "sort.cuh"

struct Params {
    const char *sorted, *values;
    char *output;
    tn_i64 length, sorted_step;
    tn_i64 count;         /* of values */
    Shape<NDIM, 2> shape; /* values, output */
};

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (tn_i64 at = (tn_i64)blockIdx.x * BLOCK + threadIdx.x; at < p.count;
         at += (tn_i64)gridDim.x * BLOCK) {
        tn_i64 offsets[2] = {0, 0};
        p.shape.walk((Index)at, offsets);
        const Key value = key_of(*(const Element *)(p.values + offsets[0]));
        tn_i64 place = 0, left = p.length;
        while (left > 0) {
            const tn_i64 half = left / 2;
            const Key seen = key_of(*(const Element *)(p.sorted + (place + half) * p.sorted_step));
            const bool is_before = RIGHT ? !is_less(value, seen) : is_less(seen, value);
            place = is_before ? place + half + 1 : place;
            left = is_before ? left - half - 1 : half;
        }
        *(tn_i64 *)(p.output + offsets[1]) = place;
    }
}
