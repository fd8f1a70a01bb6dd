"""Arrays as the structs that kernels take by value."""

import struct

import numpy

__all__ = ["cstruct", "mdspan"]


class ByValue:
    """The bytes of a struct, as an argument of RawKernel; keeps the array that it points to."""

    size = 1

    def __init__(self, array, data):
        self.array, self._data = array, data

    def tobytes(self):
        """The bytes as the kernel gets them."""
        return self._data


def cstruct(self):
    """The array as the ``CArray`` of ``cupy/carray.cuh``: an argument for RawKernel.

    The kernel takes ``CArray<T, ndim>`` by value, with the array's size, shape and strides, so that
    views of any layout are indexed right.

    Returns
    -------
    ByValue
        The struct.

    Examples
    --------
    >>> import tenorite as cp
    >>> kernel = cp.RawKernel('''#include <cupy/carray.cuh>
    ... extern "C" __global__ void twice(CArray<int, 1> x) { x[threadIdx.x] *= 2; }''', "twice")
    >>> x = cp.arange(6, dtype="i")
    >>> kernel((1,), (3,), (x[::2].cstruct,))
    >>> x
    array([0, 1, 4, 3, 8, 5], dtype=int32)
    """
    shape, strides = self.shape or (0,), self.strides or (0,)  # CArray has room for one
    return ByValue(self, struct.pack(f"P{1 + 2 * len(shape)}n", self.data.ptr, self.size, *shape, *strides))


def mdspan(self, index_type=None, allow_unsafe=False):
    """The array as a ``cuda::std::mdspan`` of C++: an argument for RawKernel.

    The kernel takes ``cuda::std::mdspan<T, cuda::std::dextents<I, ndim>,
    cuda::std::layout_stride>`` by value.

    Parameters
    ----------
    index_type : dtype, optional
        What I is: int32 or int64; int64 if left out.
    allow_unsafe : bool, optional
        Whether strides may be zero or negative, which C++ does not allow, and whether an array may
        have more elements than the index type can count.

    Returns
    -------
    ByValue
        The struct.

    Examples
    --------
    >>> import tenorite as cp
    >>> len(cp.zeros((3, 4)).mdspan(index_type="int32").tobytes())
    24
    """
    wanted = numpy.dtype("int64" if index_type is None else index_type)
    if wanted not in (numpy.dtype("int32"), numpy.dtype("int64")):
        raise ValueError(f"index_type is int32 or int64, not {wanted}")
    if any(stride % self.itemsize for stride in self.strides):
        raise ValueError(f"the strides {self.strides} are not multiples of the {self.itemsize} bytes of an element")
    strides = [stride // self.itemsize for stride in self.strides]
    if not allow_unsafe:
        for axis, (length, stride) in enumerate(zip(self.shape, strides)):
            if length == 0:
                raise RuntimeError(
                    f"mdspan: the {axis}-th dimension has size zero, the shape is {self.shape}; "
                    "allow_unsafe=True lets it pass"
                )
            if stride <= 0 and length > 1:
                raise RuntimeError(
                    f"mdspan: the {axis}-th dimension has non-positive stride, the strides are "
                    f"{self.strides}; allow_unsafe=True lets it pass"
                )
        reach = sum((length - 1) * stride for length, stride in zip(self.shape, strides)) if self.size else 0
        if max(reach, self.size) > numpy.iinfo(wanted).max:
            raise ValueError(
                f"the reach of an array of shape {self.shape} and strides {self.strides} exceeds {wanted} "
                f"maximum, {numpy.iinfo(wanted).max}"
            )
    letter = "i" if wanted.itemsize == 4 else "q"
    data = struct.pack(f"P{2 * self.ndim}{letter}", self.data.ptr, *self.shape, *strides)
    return ByValue(self, data + bytes(-len(data) % 8))
