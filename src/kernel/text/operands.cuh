// What kernels of templates walk: operands of the call, element by element.
#ifndef TNI_OPERANDS
#define TNI_OPERANDS
#include <cupy/carray.cuh>

// Makes a lambda part of its loop.
#define TNI_WITHIN __attribute__((always_inline))

namespace tni {
// An element `bytes` after another.
template <class T> TNI_CALL T &after(T *data, ptrdiff_t bytes) {
    return *(T *)((const char *)data + bytes);
}
template <int count> TNI_CALL ptrdiff_t dot(const ptrdiff_t *index, const ptrdiff_t *strides) {
    ptrdiff_t sum = 0;
#pragma unroll
    for (int k = 0; k < count; k++) sum += index[k] * strides[k];
    return sum;
}

// An array over the shape of the call; T is const where the texts get a copy of an element. How it
// lies is a letter of resolve.h: u the last axis without gaps, z one element along it, s any other;
// l and t: a reduction's form loads it.
template <class T, int Ndim, char lies> struct operand {
    T *data;
    ptrdiff_t strides[room(Ndim)];
    // Element k along an axis.
    template <int axis> TNI_CALL T &along(ptrdiff_t k) const {
        return lies == 'u' ? data[k] : lies == 'z' ? *data : after(data, k * strides[axis]);
    }
    // The same operand from another place on, in the axes from `first` on.
    template <int first, int count> TNI_CALL operand from(const ptrdiff_t *index) const {
        operand moved = *this;
        moved.data = &after(data, dot<count>(index, strides + first));
        return moved;
    }
};
} // namespace tni
#endif
