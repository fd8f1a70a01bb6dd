// What reductions of templates stand on. The class Program of a kernel has
//   the operands, scalars and raw arrays by their names, and the shapes: _tni_shape, of which
//       _tni_reduced axes are reduced, then _tni_outs of the outputs, and _tni_outs_shape
//   _tni_is_small                  32 bits hold every index
//   _tni_reduce(a, b)              the fold of two values
//   _tni_start()                   a total of nothing
//   _tni_map(J, i, inputs...)      the value of the J-th element that output i is made of
//   _tni_write(i, total)           output i
// Outputs are made in parts where they are few: each part leaves a total in memory, and a second
// kernel makes outputs of the totals.
#ifndef TNI_REDUCTION
#define TNI_REDUCTION
#include <tenorite/operands.cuh>

namespace tni {
// How a reduction is parted: totals of `count` parts of `length` elements each, of `elements`;
// outputs that a block has side by side.
struct parts {
    void *totals;
    ptrdiff_t elements, length, count, width;
};
// What a reduction has so far. Without an identity the first value is its start.
template <class V, bool starts> struct total;
template <class V> struct total<V, true> {
    typedef V type;
    static const bool has_identity = true;
    V value;
    TNI_CALL void put(const V &only) { value = only; }
    template <class P> TNI_CALL void add(const P &program, const V &next) {
        value = program._tni_reduce(value, next);
    }
    template <class P> TNI_CALL void merge(const P &program, const total &next) {
        value = program._tni_reduce(value, next.value);
    }
};
template <class V> struct total<V, false> {
    typedef V type;
    static const bool has_identity = false;
    V value;
    bool has_value;
    TNI_CALL total() : has_value(false) {}
    TNI_CALL void put(const V &only) {
        value = only;
        has_value = true;
    }
    template <class P> TNI_CALL void add(const P &program, const V &next) {
        value = has_value ? program._tni_reduce(value, next) : next;
        has_value = true;
    }
    template <class P> TNI_CALL void merge(const P &program, const total &next) {
        if (next.has_value) add(program, next.value);
    }
};
// The place of an output in the axes of outputs.
template <class Program> struct output_place {
    ptrdiff_t index[room(Program::_tni_outs)];
    TNI_CALL output_place(const Program &program, ptrdiff_t i) {
        unravel<Program::_tni_is_small, Program::_tni_outs>(i, program._tni_outs_shape.shape,
                                                            index);
    }
    template <class T, int Ndim, char lies> TNI_CALL T &of(const operand<T, Ndim, lies> &p) const {
        return *p.template from<Program::_tni_reduced, Program::_tni_outs>(index).data;
    }
};
// The place of an element among those that an output is made of.
template <class Program> struct element_place {
    ptrdiff_t index[room(Program::_tni_reduced)];
    TNI_CALL element_place(const Program &program, ptrdiff_t J) {
        unravel<Program::_tni_is_small, Program::_tni_reduced>(J, program._tni_shape.shape, index);
    }
};
} // namespace tni
#endif
