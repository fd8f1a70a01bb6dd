"""Methods of ndarray that are compositions of functions; they are added to the type at the end."""

import ctypes
import importlib
import pickle

import numpy

from tenorite import _core
from tenorite._arguments import ndarray
from tenorite._kernels import by_value
from tenorite._numpy import mathematics, printing, repetition


def clip(self, min=None, max=None, out=None, **options):
    """Elements limited to an interval; None is no limit. See tenorite.clip.

    Parameters
    ----------
    min : scalar or ndarray, optional
        The lower limit.
    max : scalar or ndarray, optional
        The upper limit.
    out : ndarray, optional
        An array of the result's shape that is written and returned.
    **options : dict
        where, dtype, casting and order, as ufuncs take them.

    Returns
    -------
    ndarray
        A new array, or `out`.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.array([1, 5, 9]).clip(2, 6)
    array([2, 5, 6])
    """
    return mathematics.clip(self, min, max, out, **options)


def conjugate(self):
    """The complex conjugate; a real array itself.

    Returns
    -------
    ndarray
        A new array, or the array itself.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.array([1 + 2j]).conjugate()
    array([1.-2.j])
    """
    return _core.conjugate(self) if self.dtype.kind == "c" else self


def reduced_view(self, dtype=None):
    """A view with as few axes as the strides allow: neighbours that are one run of memory are
    joined.

    Parameters
    ----------
    dtype : dtype, optional
        The elements' bytes are seen as of this dtype, as in view().

    Returns
    -------
    ndarray
        A view, or the array itself if it has no axes to join.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.zeros((2, 3, 4)).reduced_view().shape, cp.zeros((2, 3, 4))[:, :2].reduced_view().shape
    ((24,), (2, 8))
    """
    if dtype is not None:
        return self.view(dtype).reduced_view()
    if self.size == 0:
        return self.reshape(0)
    shape, step = [], None
    for extent, stride in zip(self.shape, self.strides):
        if extent > 1 and shape and step == stride * extent:
            shape[-1] *= extent
        elif extent > 1:
            shape.append(extent)
        step = stride if extent > 1 else step
    return self if len(shape) == self.ndim or self.ndim <= 1 else self.reshape(shape or 1)


def choose(self, choices, out=None, mode="raise"):
    """For each element k, the element of choices[k] in its place. See tenorite.choose.

    Parameters
    ----------
    choices : sequence of ndarrays
        The arrays to choose from.
    out : ndarray, optional
        An array of the result's shape that is written and returned.
    mode : {'raise', 'wrap', 'clip'}, optional
        What happens to indexes out of bounds: IndexError, modulo the size, or the nearest one.

    Returns
    -------
    ndarray
        A new array, or `out`.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.array([1, 0]).choose((cp.array([10, 20]), cp.array([30, 40])))
    array([30, 20])
    """
    indexing = importlib.import_module("tenorite._numpy.indexing")
    return indexing.choose(self, choices, out, mode)


def scatter_add(self, slices, value):
    """Adds values to the elements of an index, repeated ones as often. See tenorite.add.at.

    Parameters
    ----------
    slices : index
        What the array could be indexed with.
    value : array_like
        The values; they broadcast.

    Returns
    -------
    None
        The array is written.

    Examples
    --------
    >>> import tenorite as cp
    >>> a = cp.zeros(3)
    >>> a.scatter_add([0, 0, 2], 1)
    >>> a
    array([2., 0., 1.])
    """
    _core.add.at(self, slices, value)


def scatter_max(self, slices, value):
    """The larger of elements and values, in place of an index's elements. See
    tenorite.maximum.at.

    Parameters
    ----------
    slices : index
        What the array could be indexed with.
    value : array_like
        The values; they broadcast.

    Returns
    -------
    None
        The array is written.

    Examples
    --------
    >>> import tenorite as cp
    >>> a = cp.zeros(3)
    >>> a.scatter_max([0, 2], 5)
    >>> a
    array([5., 0., 5.])
    """
    _core.maximum.at(self, slices, value)


def scatter_min(self, slices, value):
    """The smaller of elements and values, in place of an index's elements. See
    tenorite.minimum.at.

    Parameters
    ----------
    slices : index
        What the array could be indexed with.
    value : array_like
        The values; they broadcast.

    Returns
    -------
    None
        The array is written.

    Examples
    --------
    >>> import tenorite as cp
    >>> a = cp.zeros(3)
    >>> a.scatter_min([0, 2], -5)
    >>> a
    array([-5.,  0., -5.])
    """
    _core.minimum.at(self, slices, value)


def tofile(self, fid, sep="", format="%s"):
    """Writes the elements' bytes, or with sep their text, in C order to a file. Waits.

    Parameters
    ----------
    fid : file or str
        The file.
    sep : str, optional
        What stands between the elements of a text; bytes are written if it is empty.
    format : str, optional
        How one element is written, with ``%``.

    Returns
    -------
    None
        The file is written.

    Examples
    --------
    >>> import tenorite as cp
    >>> import tempfile
    >>> file = tempfile.TemporaryFile()
    >>> cp.arange(3).tofile(file)
    >>> file.tell()
    24
    """
    self.get().tofile(fid, sep, format)


def dump(self, file):
    """Writes a pickle of the array to a file, or to one of that name. Waits.

    Parameters
    ----------
    file : str, path or file object
        The file.

    Returns
    -------
    None
        The file is written.

    Examples
    --------
    >>> import tenorite as cp
    >>> import io
    >>> file = io.BytesIO()
    >>> cp.arange(3).dump(file)
    >>> file.tell() > 0
    True
    """
    if hasattr(file, "write"):
        file.write(self.dumps())
        return
    with open(file, "wb") as opened:
        opened.write(self.dumps())


def dumps(self):
    """A pickle of the array. Waits.

    Returns
    -------
    bytes
        The pickle.

    Examples
    --------
    >>> import tenorite as cp
    >>> import pickle
    >>> pickle.loads(cp.arange(3).dumps())
    array([0, 1, 2])
    """
    return pickle.dumps(self, -1)


def setflags(self, write=None, align=None, uic=None):
    """Sets ``flags.writeable``. ValueError for another alignment, and for write-back copies, of
    which there are none.

    Parameters
    ----------
    write : bool, optional
        Whether the array may be written.
    align : bool, optional
        Only what the array is already.
    uic : bool, optional
        Only False.

    Returns
    -------
    None
        The flags are set.

    Examples
    --------
    >>> import tenorite as cp
    >>> a = cp.zeros(3)
    >>> a.setflags(write=False)
    >>> a.flags.writeable
    False
    """
    if align is not None and not align or uic:
        raise ValueError("cannot set aligned to False, or WRITEBACKIFCOPY to True")
    if write is not None:
        self.flags.writeable = write


def setfield(self, val, dtype, offset=0):
    """Writes values into a part of each element; see ndarray.getfield.

    Parameters
    ----------
    val : array or scalar
        What is written; it broadcasts and is converted as in an assignment.
    dtype : dtype
        What the part is seen as.
    offset : int, optional
        Where the part begins, in bytes from the beginning of the element.

    Examples
    --------
    >>> import tenorite as tn
    >>> a = tn.zeros(2, dtype=complex)
    >>> a.setfield(1.5, tn.float64, 8)
    >>> a
    array([0.+1.5j, 0.+1.5j])
    """
    self.getfield(dtype, offset)[...] = val


def byteswap(self, inplace=False):
    """The elements with their bytes in the opposite order, of complex numbers in each part.

    Parameters
    ----------
    inplace : bool, optional
        Whether the array itself is changed, and returned, in the place of a copy.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.array([1, 256], dtype=tn.int16).byteswap()
    array([256,   1], dtype=int16)
    """
    made = self if inplace else self.copy(order="K")
    for name in self.dtype.names or ():
        made[name].byteswap(True)
    if self.dtype.kind == "V" and self.dtype.name != "bfloat16":
        return made
    parts = 2 if self.dtype.kind == "c" else 1
    size = self.itemsize // parts
    if size > 1 and self.size:
        swapped = _view(made, (*self.shape, parts, size), numpy.uint8, 0, (*made.strides, size, 1))
        swapped[...] = swapped[..., ::-1]
    return made


def _view(array, shape, dtype, offset, strides):
    """A view of an array's memory, read-only as the array is."""
    made = _core.ndarray(shape, dtype, array.data + offset, strides=strides)
    made.flags.writeable = array.flags.writeable
    return made if type(array) is ndarray else made.view(type(array))


class _Addresses:
    """What an array's attribute ``ctypes`` is in NumPy: its address, shape and strides for ctypes.

    The address is that of the device's memory.
    """

    def __init__(self, array):
        self._array = array
        self._as_parameter_ = ctypes.c_void_p(self.data)

    @property
    def data(self):
        """The address of the first element."""
        return self._array.data.ptr

    @property
    def shape(self):
        """The shape as an array of ctypes."""
        return self.shape_as(ctypes.c_ssize_t)

    @property
    def strides(self):
        """The strides in bytes as an array of ctypes."""
        return self.strides_as(ctypes.c_ssize_t)

    def data_as(self, obj):
        """The address as another type of ctypes, such as a pointer; it keeps the array."""
        made = ctypes.cast(self._as_parameter_, obj)
        made._array = self._array
        return made

    def shape_as(self, obj):
        """The shape as an array of a type of ctypes."""
        return (obj * self._array.ndim)(*self._array.shape)

    def strides_as(self, obj):
        """The strides as an array of a type of ctypes."""
        return (obj * self._array.ndim)(*self._array.strides)


def _addresses(self):
    """Address, shape and strides for functions of ctypes; the address is the device's."""
    return _Addresses(self)


def __contains__(self, value):
    """Whether an element equals a value; waits."""
    return bool((self == value).any())


def __complex__(self):
    """The element of a 0-d array as a complex; TypeError for other arrays. Waits."""
    if self.ndim:
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    return complex(self.item())


def __bytes__(self):
    """The elements' bytes in C order; waits."""
    return self.tobytes()


def __format__(self, specification):
    """A 0-d array as its element; any other as str(), and TypeError with a specification."""
    if self.ndim == 0:
        return format(self.get()[()], specification)
    if specification:
        raise TypeError(f"unsupported format string passed to {type(self).__module__}.{type(self).__name__}.__format__")
    return str(self)


for _method in (
    byteswap,
    choose,
    clip,
    conjugate,
    dump,
    dumps,
    reduced_view,
    scatter_add,
    scatter_max,
    scatter_min,
    setfield,
    setflags,
    tofile,
    __contains__,
    __complex__,
    __bytes__,
    __format__,
):
    setattr(ndarray, _method.__name__, _method)
ndarray.conj = conjugate
ndarray.ctypes = property(_addresses)
ndarray.mdspan, ndarray.cstruct = by_value.mdspan, property(by_value.cstruct)
ndarray.repeat, ndarray.round = repetition.repeat, mathematics.round
ndarray.__repr__, ndarray.__str__ = printing.array_repr, printing.array_str
