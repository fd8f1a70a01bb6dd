// Element-wise kernels by ranges: calls f(i, elements of the operands...) for all i of a range, row
// by row, so that the inner loop has fixed strides and the compiler vectorises it.
#ifndef TNI_EACH_RANGE
#define TNI_EACH_RANGE
#include <tenorite/operands.cuh>

namespace tni {
// A row of an operand. A constant element that is all of it is read once.
template <class P> struct row;
template <class T, int Ndim, char lies> struct row<operand<T, Ndim, lies>> {
    operand<T, Ndim, lies> first;
    TNI_CALL row(const operand<T, Ndim, lies> &p, const ptrdiff_t *index)
        : first(p.template from<0, Ndim>(index)) {}
    TNI_CALL T &get(ptrdiff_t k) const { return first.template along<Ndim - 1>(k); }
};
template <class T, int Ndim> struct row<operand<const T, Ndim, 'z'>> {
    const T value;
    TNI_CALL row(const operand<const T, Ndim, 'z'> &p, const ptrdiff_t *index)
        : value(*p.template from<0, Ndim>(index).data) {}
    TNI_CALL const T &get(ptrdiff_t) const { return value; }
};

// `is_apart`: no call writes what another one reads or writes.
// Where places are of 32 bits (`Place`) the compiler makes vectors of divisions of them, too.
template <bool sees_index, bool is_apart, class Place, class Index, class F, class... Row>
TNI_CALL void each_of_row(Index &index, Place at, Place count, const F &f, const Row &...row) {
    const auto call = [&](Place k) TNI_WITHIN {
        if (sees_index) index.set(at + k);
        f((ptrdiff_t)(at + k), row.get(k)...);
    };
    if (is_apart) {
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
        for (Place k = 0; k < count; k++) call(k);
    } else {
        for (Place k = 0; k < count; k++) call(k);
    }
}
template <bool sees_index, bool is_apart, int Ndim, bool is_small, class F, class... P>
TNI_CALL void each_range(tni_range range, CIndexer<Ndim, is_small> &index, const F &f,
                         const P &...p) {
    for (ptrdiff_t at = range.begin; at < range.end;) {
        index.set(at);
        ptrdiff_t count = index.shape()[Ndim - 1] - index.get()[Ndim - 1];
        if (count > range.end - at) count = range.end - at;
        if (at + count <= 0x7fffffff)
            each_of_row<sees_index, is_apart, int>(index, (int)at, (int)count, f,
                                                   row<P>(p, index.get())...);
        else
            each_of_row<sees_index, is_apart, ptrdiff_t>(index, at, count, f,
                                                         row<P>(p, index.get())...);
        at += count;
    }
}
} // namespace tni
#endif
