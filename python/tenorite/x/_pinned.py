"""NumPy's arrays in page-locked memory, which a GPU copies from and to without a detour."""

import math

import numpy

from tenorite._lib.documents import documenter
from tenorite.cuda.pinned_memory import alloc_pinned_memory

_documented = documenter(
    {
        "a": ("ndarray or numpy.ndarray", "Whose shape and dtype it has, unless others are given."),
        "shape": ("int or tuple of int", "Its shape."),
        "dtype": ("dtype", "Its dtype."),
        "order": ("{'C', 'F'}", "The order of its elements in memory."),
        "subok": ("None", "Of no use; CuPy has it."),
    },
    ("numpy.ndarray", "The memory goes back to its pool with the last array that looks at it."),
    raises={"shape": ("ValueError", "For a negative size.")},
)
_ORDER_LIKE = ("{'C', 'F', 'A', 'K'}", "The order of its elements; 'A' and 'K' are that of `a`.")


@_documented
def empty_pinned(shape, dtype=float, order="C"):
    """A numpy.ndarray of undefined content in page-locked memory.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.x.empty_pinned((2, 3)).shape
    (2, 3)
    """
    return _in_pinned(shape, dtype, order=order)


def _in_pinned(shape, dtype, **layout):
    """An array whose base is the memory itself."""
    shape = (shape,) if numpy.isscalar(shape) else tuple(shape)
    dtype = numpy.dtype(dtype)
    memory = alloc_pinned_memory(max(math.prod(shape) * dtype.itemsize, 1))
    if 0 in shape and "order" in layout:  # NumPy's own strides, which a buffer's would not be
        layout = {"strides": numpy.empty(shape, dtype, **layout).strides}
    return numpy.ndarray(shape, dtype, buffer=memory, **layout)


@_documented
def zeros_pinned(shape, dtype=float, order="C"):
    """A numpy.ndarray of zeros in page-locked memory.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.x.zeros_pinned(2)
    array([0., 0.])
    """
    array = empty_pinned(shape, dtype, order)
    array[...] = 0
    return array


def _order_like(a, order):
    """The order that an array like `a` gets: C or F."""
    if order in ("C", "F"):
        return order
    if order not in ("A", "K", None):
        raise ValueError(f"order must be 'C', 'F', 'A' or 'K', not {order!r}")
    return "F" if a.flags.f_contiguous and not a.flags.c_contiguous else "C"


@_documented(order=_ORDER_LIKE)
def empty_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    """A numpy.ndarray of undefined content in page-locked memory, like another array.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.x.empty_like_pinned(tn.zeros((2, 3), dtype="float32")).dtype
    dtype('float32')
    """
    if subok is not None:
        raise TypeError("subok is not supported")
    shape = a.shape if shape is None else shape
    dtype = numpy.dtype(a.dtype if dtype is None else dtype)
    shape = (shape,) if numpy.isscalar(shape) else tuple(shape)
    if order in ("K", None) and len(shape) == a.ndim:
        return _in_pinned(shape, dtype, strides=_strides_like(a, shape, dtype.itemsize))
    return empty_pinned(shape, dtype, "C" if order in ("K", None) else _order_like(a, order))


def _strides_like(a, shape, itemsize):
    """Those of an array without gaps whose axes lie as those of `a` do."""
    strides = [0] * len(shape)
    for axis in sorted(range(len(shape)), key=lambda k: (abs(a.strides[k]), -k)):
        strides[axis] = itemsize
        itemsize *= shape[axis]
    return strides


@_documented(order=_ORDER_LIKE)
def zeros_like_pinned(a, dtype=None, order="K", subok=None, shape=None):
    """A numpy.ndarray of zeros in page-locked memory, like another array.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.x.zeros_like_pinned(tn.ones(2))
    array([0., 0.])
    """
    array = empty_like_pinned(a, dtype, order, subok, shape)
    array[...] = 0
    return array
