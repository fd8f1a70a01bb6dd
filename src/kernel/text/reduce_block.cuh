// Reductions by blocks of threads, for texts that name threads or whose fold needs parameters: a
// block has `width` outputs side by side and its other threads go over the elements; a tree in
// shared memory ends it.
#ifndef TNI_REDUCE_BLOCK
#define TNI_REDUCE_BLOCK
#include <tenorite/reduction.cuh>

namespace tni {
// Makes outputs: get(output) is what a thread has of one, put(output, total) what becomes of it.
template <int block, class Program, class Get, class Put>
TNI_CALL void fold_outputs(const Program &program, int width, const Get &get, const Put &put) {
    typedef decltype(program._tni_start()) Total;
    __shared__ __align__(16) char bytes[sizeof(Total) * block];
    Total *const totals = (Total *)bytes;
    const int x = threadIdx.x % width, y = threadIdx.x / width, height = blockDim.x / width;
    const ptrdiff_t outs = program._tni_outs_shape.size;
    for (ptrdiff_t first = (ptrdiff_t)blockIdx.x * width; first < outs;
         first += (ptrdiff_t)gridDim.x * width) {
        const ptrdiff_t i = first + x;
        totals[threadIdx.x] = i < outs ? get(i, y, height) : program._tni_start();
        __syncthreads();
        for (int half = height / 2; half > 0; half /= 2) {
            if (y < half) totals[threadIdx.x].merge(program, totals[threadIdx.x + half * width]);
            __syncthreads();
        }
        if (y == 0 && i < outs) put(i, totals[threadIdx.x]);
        __syncthreads();
    }
}

// The elements J, J + step, ... below `end` of output i, whose operands begin with it.
template <class Program, class... P>
TNI_CALL auto fold_elements(const Program &program, ptrdiff_t J, ptrdiff_t end, int step,
                            ptrdiff_t i, const P &...p) -> decltype(program._tni_start()) {
    auto sum = program._tni_start();
#pragma unroll 4
    for (; J < end; J += step) {
        const element_place<Program> at(program, J);
        sum.add(program, program._tni_map(
                             J, i, *p.template from<0, Program::_tni_reduced>(at.index).data...));
    }
    return sum;
}
template <int block, class Program, class... P>
TNI_CALL void reduce_block(const Program &program, const parts &parts, const P &...p) {
    typedef decltype(program._tni_start()) Total;
    const ptrdiff_t begin = blockIdx.y * parts.length, length = begin + parts.length;
    const ptrdiff_t end = length < parts.elements ? length : parts.elements;
    fold_outputs<block>(
        program, parts.width,
        [&](ptrdiff_t i, int y, int height) -> Total {
            const output_place<Program> at(program, i);
            return fold_elements(
                program, begin + y, end, height, i,
                p.template from<Program::_tni_reduced, Program::_tni_outs>(at.index)...);
        },
        [&](ptrdiff_t i, const Total &total) {
            const ptrdiff_t outs = program._tni_outs_shape.size;
            if (parts.count > 1)
                ((Total *)parts.totals)[blockIdx.y * outs + i] = total;
            else
                program._tni_write(i, total);
        });
}
// The outputs of the totals of parts.
template <int block, class Program>
TNI_CALL void finish_block(const Program &program, const parts &parts) {
    typedef decltype(program._tni_start()) Total;
    fold_outputs<block>(
        program, parts.width,
        [&](ptrdiff_t i, int y, int height) -> Total {
            Total sum = program._tni_start();
            for (ptrdiff_t at = y; at < parts.count; at += height)
                sum.merge(program, ((Total *)parts.totals)[at * program._tni_outs_shape.size + i]);
            return sum;
        },
        [&](ptrdiff_t i, const Total &total) { program._tni_write(i, total); });
}
} // namespace tni
#endif
