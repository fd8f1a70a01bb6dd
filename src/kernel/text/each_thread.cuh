// Element-wise kernels by threads: calls f(i, elements of the operands...) for all i of a shape.
//
// Each thread takes `count` elements where there is one axis, else one: all constant operands are
// loaded before the first call, so that loads overlap.
#ifndef TNI_EACH_THREAD
#define TNI_EACH_THREAD
#include <tenorite/operands.cuh>

namespace tni {
// The elements of a thread: copies of constant ones, places of others.
template <class P, int count> struct taken;
template <class T, char lies, int count> struct taken<operand<const T, 1, lies>, count> {
    T values[count];
    template <class Word>
    TNI_CALL taken(const operand<const T, 1, lies> &from, Word at, ptrdiff_t size) {
#pragma unroll
        for (int k = 0; k < count; k++) {
            const Word i = at + k * (Word)blockDim.x;
            if (i < size) values[k] = from.template along<0>(i);
        }
    }
    template <class Word> TNI_CALL const T &get(int k, Word) const {
        return values[k];
    }
};
template <class T, char lies, int count> struct taken<operand<T, 1, lies>, count> {
    const operand<T, 1, lies> &from;
    template <class Word>
    TNI_CALL taken(const operand<T, 1, lies> &given, Word, ptrdiff_t) : from(given) {}
    template <class Word> TNI_CALL T &get(int, Word i) const { return from.template along<0>(i); }
};

// The calls of a thread from element `at` on.
template <int count, bool sees_index, class Index, class Word, class F, class... Taken>
TNI_CALL void call_taken(Index &index, Word at, const F &f, const Taken &...taken) {
#pragma unroll
    for (int k = 0; k < count; k++) {
        const Word i = at + k * (Word)blockDim.x;
        if (i < index.size()) {
            if (sees_index) index.set(i);
            f((ptrdiff_t)i, taken.get(k, i)...);
        }
    }
}
template <int count, bool sees_index, bool is_small, class Word, class F, class... P>
TNI_CALL void call_from(CIndexer<1, is_small> &index, Word at, const F &f, const P &...p) {
    call_taken<count, sees_index>(index, at, f, taken<P, count>(p, at, index.size())...);
}
template <int count, bool sees_index, int Ndim, bool is_small, class Word, class F, class... P>
TNI_CALL void call_from(CIndexer<Ndim, is_small> &index, Word at, const F &f, const P &...p) {
    index.set(at);
    f((ptrdiff_t)at, *p.template from<0, Ndim>(index.get()).data...);
}

template <int count, bool sees_index, int Ndim, bool is_small, class F, class... P>
TNI_CALL void each_thread(CIndexer<Ndim, is_small> &index, const F &f, const P &...p) {
    typedef typename word<is_small>::positive Word;
    const Word tile = (Word)blockDim.x * count;
#pragma unroll 1
    for (Word at = blockIdx.x * tile + threadIdx.x; at < index.size(); at += gridDim.x * tile)
        call_from<count, sees_index>(index, at, f, p...);
}
} // namespace tni
#endif
