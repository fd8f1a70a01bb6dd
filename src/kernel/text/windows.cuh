// Windows of an image, each taken by one thread: tenorite.scipy.ndimage.generic_filter.
#ifndef TNI_WINDOWS
#define TNI_WINDOWS
#include <cupy/carray.cuh>

namespace tni {
// What a program is given beside elements: the shape of the result, the strides of the padded
// image, and where the elements of a window lie after its first; all in elements.
struct window_geometry {
    const long long *shape, *strides, *places;
    int ndim, size;
    window_geometry(const long long *from, int ndim, int size)
        : shape(from), strides(from + ndim), places(from + 2 * ndim), ndim(ndim), size(size) {}
};

// Calls f(window, size, result) for each of `count` places. Windows have at most Room elements.
template <int Room, class X, class Y, class F>
TNI_CALL void each_window(const X *from, const window_geometry &g, Y *to, ptrdiff_t count,
                          const F &f) {
    const ptrdiff_t step = (ptrdiff_t)gridDim.x * blockDim.x;
    for (ptrdiff_t i = (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        const X *first = from;
        ptrdiff_t rest = i;
        for (int k = g.ndim - 1; k >= 0; k--) {
            first += rest % g.shape[k] * g.strides[k];
            rest /= g.shape[k];
        }
        X window[Room];
        for (int j = 0; j < g.size; j++) window[j] = first[g.places[j]];
        f(window, g.size, to + i);
    }
}

// The texts of a ReductionKernel, a class R, over one window, whose elements have the numbers 0 to
// size - 1.
template <class R, class X, class Y> TNI_CALL void reduce_window(X *window, int size, Y *to) {
    const ptrdiff_t sizes[] = {size, 1}, strides[] = {sizeof(X), sizeof(Y)};
    CArray<X, 1, true, true> in(window, sizes, strides);
    CArray<Y, 1, true, true> out(to, sizes + 1, strides + 1);
    CIndexer<1, true> index(shape<1>{size, {size}});
    CIndexer<0, true> no_index(shape<0>{1, {0}});
    typename R::value sum = R::start();
    for (int j = 0; j < size; j++) {
        index.set(j);
        const typename R::value next = R::map(window[j], in, index, j);
        sum = R::has_identity || j > 0 ? R::reduce(sum, next) : next;
    }
    R::write(sum, *to, out, index, no_index);
}
} // namespace tni
#endif
