"""Views with strides of one's own, and windows that slide over an array."""

from numpy.lib.array_utils import normalize_axis_tuple

from tenorite import _core
from tenorite._arguments import as_array, as_array_of


def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    """A view of an array's memory from its first element, with another shape and strides (bytes).

    strides None: the array's, or order C of the shape if the array is in that order. ValueError if
    the view would reach outside of the memory.
    """
    x = as_array(x)
    shape = x.shape if shape is None else shape
    if strides is None:
        strides = None if x.flags.c_contiguous else x.strides
    made = _core.ndarray(shape, x.dtype, x.data, strides=strides)
    if subok and type(x) is not _core.ndarray:
        made = made.view(type(x))
    if not writeable or not x.flags.writeable:
        made.flags.writeable = False
    return made


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """A view of all windows of a shape that fit into an array; the window's axes come last.

    window_shape: an int or a tuple, one size per axis in `axis` (default: all axes). ValueError for
    sizes that are negative, too many or larger than the axis.
    """
    x = as_array_of(x)
    window = tuple(window_shape) if hasattr(window_shape, "__len__") else (window_shape,)
    if any(size < 0 for size in window):
        raise ValueError("`window_shape` cannot contain negative values")
    if axis is None:
        axes = tuple(range(x.ndim))
        if len(window) != len(axes):
            raise ValueError(
                "Since axis is `None`, must provide window_shape for all dimensions of `x`; got "
                f"{len(window)} window_shape elements and `x.ndim` is {x.ndim}."
            )
    else:
        axes = normalize_axis_tuple(axis, x.ndim, allow_duplicate=True)
        if len(window) != len(axes):
            raise ValueError(
                f"Must provide matching length window_shape and axis; got {len(window)} window_shape "
                f"elements and {len(axes)} axes elements."
            )
    left = list(x.shape)
    for axis, size in zip(axes, window):
        if left[axis] < size:
            raise ValueError("window shape cannot be larger than input array shape")
        left[axis] -= size - 1
    strides = x.strides + tuple(x.strides[axis] for axis in axes)
    return as_strided(x, (*left, *window), strides, subok, writeable)
