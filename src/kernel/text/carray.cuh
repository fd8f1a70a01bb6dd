// cupy/carray.cuh: arrays and indexes as kernels see them, and numbers of 16 bits. Both compilers
// read it; the host's runtime has the conversions of its own.
#ifndef TNI_CARRAY
#define TNI_CARRAY
#include <cupy/atomics.cuh>
#include <cupy/complex.cuh>
#include <math_constants.h>

#ifndef __TENORITE_HOST__
namespace tni {
inline float half_to_float(unsigned short bits) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}
inline unsigned short float_to_half(float value) {
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}
inline float bfloat_to_float(unsigned short bits) {
    return __uint_as_float((unsigned)bits << 16);
}
inline unsigned short float_to_bfloat(float value) {
    unsigned bits = __float_as_uint(value);
    if ((bits & 0x7fffffff) > 0x7f800000u) return (unsigned short)(bits >> 16 | 0x40);
    return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
} // namespace tni
#endif

// Computed with as float: a float is made of each operand.
#define TNI_SHORT_NUMBER(type, to_float, from_float)                                               \
    struct type {                                                                                  \
        unsigned short x;                                                                          \
        type() = default;                                                                          \
        template <class T> type(T value) : x(tni::from_float((float)value)) {}                     \
        operator float() const { return tni::to_float(x); }                                        \
        type &operator+=(float b) { return *this = type((float)*this + b); }                       \
        type &operator-=(float b) { return *this = type((float)*this - b); }                       \
        type &operator*=(float b) { return *this = type((float)*this * b); }                       \
        type &operator/=(float b) { return *this = type((float)*this / b); }                       \
    };                                                                                             \
    inline type atomicAdd(type *address, type value) {                                             \
        return tni::change(address, [=](type old) { return type((float)old + (float)value); });    \
    }                                                                                              \
    inline type min(type a, type b) {                                                              \
        return (float)b < (float)a ? b : a;                                                        \
    }                                                                                              \
    inline type max(type a, type b) {                                                              \
        return (float)b > (float)a ? b : a;                                                        \
    }
TNI_SHORT_NUMBER(float16, half_to_float, float_to_half)
TNI_SHORT_NUMBER(bfloat16, bfloat_to_float, float_to_bfloat)
#undef TNI_SHORT_NUMBER

#define TNI_CALL inline __attribute__((always_inline))

#define CUPY_FOR(i, n)                                                                             \
    for (ptrdiff_t i = (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x; i < (n);                  \
         i += (ptrdiff_t)blockDim.x * gridDim.x)

typedef signed char int8;
typedef unsigned char uint8;
typedef short int16;
typedef unsigned short uint16;
typedef int int32;
typedef unsigned int uint32;
typedef long long int64;
typedef unsigned long long uint64;
typedef float float32;
typedef double float64;
typedef complex<float> complex64;
typedef complex<double> complex128;

namespace tni {
constexpr int room(int count) {
    return count > 0 ? count : 1;
}
template <bool is_small> struct word {
    typedef long long type;
    typedef unsigned long long positive;
};
template <> struct word<true> {
    typedef int type;
    typedef unsigned positive;
};
template <int Ndim> struct shape { ptrdiff_t size, shape[room(Ndim)]; };
// The place of an index in each axis; the last axis is the fastest.
template <bool is_small, int Ndim>
TNI_CALL void unravel(ptrdiff_t i, const ptrdiff_t *shape, ptrdiff_t *index) {
    typedef typename word<is_small>::positive positive;
    positive rest = (positive)i;
#pragma unroll
    for (int k = Ndim - 1; k > 0; k--) {
        positive length = (positive)shape[k], next = rest / length;
        index[k] = (ptrdiff_t)(rest - next * length);
        rest = next;
    }
    if (Ndim > 0) index[0] = (ptrdiff_t)rest;
}
} // namespace tni

// The shape that a kernel goes over, and a place in it.
template <int Ndim, bool is_small = false> class CIndexer {
  public:
    static const int ndim = Ndim;
    typedef ptrdiff_t index_t[tni::room(Ndim)];
    TNI_CALL explicit CIndexer(const tni::shape<Ndim> &from) : size_(from.size) {
#pragma unroll
        for (int k = 0; k < Ndim; k++) shape_[k] = from.shape[k], index_[k] = 0;
    }
    TNI_CALL ptrdiff_t size() const {
        return size_;
    }
    TNI_CALL const ptrdiff_t *shape() const {
        return shape_;
    }
    TNI_CALL void set(ptrdiff_t i) {
        tni::unravel<is_small, Ndim>(i, shape_, index_);
    }
    TNI_CALL const index_t &get() const {
        return index_;
    }

  private:
    ptrdiff_t size_, shape_[tni::room(Ndim)], index_[tni::room(Ndim)];
};

// A whole array. Strides are in bytes.
template <class T, int Ndim, bool is_contiguous = false, bool is_small = false> class CArray {
  public:
    static const int ndim = Ndim;
    static const bool c_contiguous = is_contiguous;
    CArray() = default;
    TNI_CALL CArray(T *data, const ptrdiff_t *shape, const ptrdiff_t *strides)
        : data_(data), size_(1) {
#pragma unroll
        for (int k = 0; k < Ndim; k++) {
            size_ *= shape[k];
            shape_[k] = shape[k];
            strides_[k] = strides[k];
        }
    }
    TNI_CALL ptrdiff_t size() const {
        return size_;
    }
    TNI_CALL const ptrdiff_t *shape() const {
        return shape_;
    }
    TNI_CALL const ptrdiff_t *strides() const {
        return strides_;
    }
    TNI_CALL T *data() {
        return data_;
    }
    TNI_CALL const T *data() const {
        return data_;
    }
    template <class I> TNI_CALL T &operator[](const I *index) {
        return *at(index);
    }
    template <class I> TNI_CALL const T &operator[](const I *index) const {
        return *at(index);
    }
    TNI_CALL T &operator[](ptrdiff_t i) {
        return *find(i);
    }
    TNI_CALL const T &operator[](ptrdiff_t i) const {
        return *find(i);
    }
    TNI_CALL T *begin() {
        return data_;
    }
    TNI_CALL const T *begin() const {
        return data_;
    }
    TNI_CALL T *end() {
        return data_ + size_;
    }
    TNI_CALL const T *end() const {
        return data_ + size_;
    }

  private:
    template <class I> TNI_CALL T *at(const I *index) const {
        ptrdiff_t offset = 0;
#pragma unroll
        for (int k = 0; k < Ndim; k++) offset += (ptrdiff_t)index[k] * strides_[k];
        return (T *)((char *)data_ + offset);
    }
    TNI_CALL T *find(ptrdiff_t i) const {
        if (is_contiguous || Ndim == 0) return data_ + i;
        if (Ndim == 1) return (T *)((char *)data_ + i * strides_[0]);
        ptrdiff_t index[tni::room(Ndim)];
        tni::unravel<is_small, Ndim>(i, shape_, index);
        return at(index);
    }
    T *data_;
    ptrdiff_t size_, shape_[tni::room(Ndim)], strides_[tni::room(Ndim)];
};
#endif
