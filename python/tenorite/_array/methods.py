"""Methods of ndarray that are compositions of functions; they are added to the type at the end."""

import operator

import numpy

from tenorite import _core
from tenorite._arguments import ndarray
from tenorite._numpy import manipulation, mathematics, printing


def clip(self, min=None, max=None, out=None, **options):
    """Elements limited to an interval; None is no limit. See tenorite.clip."""
    return mathematics.clip(self, min, max, out, **options)


def conjugate(self):
    """The complex conjugate; a real array itself."""
    return _core.conjugate(self) if self.dtype.kind == "c" else self


def choose(self, choices, out=None, mode="raise"):
    """For each element k, the element of choices[k] in its place. See tenorite.choose."""
    from tenorite._numpy.indexing import choose

    return choose(self, choices, out, mode)


def scatter_add(self, slices, value):
    """Adds values to the elements of an index, repeated ones as often. See tenorite.add.at."""
    _core.add.at(self, slices, value)


def scatter_max(self, slices, value):
    """The larger of elements and values, in place of an index's elements. See
    tenorite.maximum.at."""
    _core.maximum.at(self, slices, value)


def scatter_min(self, slices, value):
    """The smaller of elements and values, in place of an index's elements. See
    tenorite.minimum.at."""
    _core.minimum.at(self, slices, value)


def tofile(self, fid, sep="", format="%s"):
    """Writes the elements' bytes, or with sep their text, in C order to a file. Waits."""
    self.get().tofile(fid, sep, format)


def dump(self, file):
    """Writes a pickle of the array to a file, or to one of that name. Waits."""
    if hasattr(file, "write"):
        file.write(self.dumps())
        return
    with open(file, "wb") as opened:
        opened.write(self.dumps())


def dumps(self):
    """A pickle of the array. Waits."""
    import pickle

    return pickle.dumps(self, -1)


def setflags(self, write=None, align=None, uic=None):
    """Sets ``flags.writeable``. ValueError for another alignment, and for write-back copies, of
    which there are none."""
    if align is not None and not align or uic:
        raise ValueError("cannot set aligned to False, or WRITEBACKIFCOPY to True")
    if write is not None:
        self.flags.writeable = write


def getfield(self, dtype, offset=0):
    """A view of a part of each element as another dtype.

    Parameters
    ----------
    dtype : dtype
        What the part is seen as.
    offset : int, optional
        Where the part begins, in bytes from the beginning of the element. ValueError if it
        ends behind the element.

    Examples
    --------
    >>> import tenorite as tn
    >>> a = tn.array([1 + 2j, 3 + 4j])
    >>> a.getfield(tn.float64, 8)
    array([2., 4.])
    """
    dtype, offset = numpy.dtype(dtype), operator.index(offset)
    if not 0 <= offset <= self.itemsize - dtype.itemsize:
        raise ValueError(
            f"a part of {dtype.itemsize} bytes at offset {offset} does not lie in elements of {self.itemsize} bytes"
        )
    return _view(self, self.shape, dtype, offset, self.strides)


def setfield(self, val, dtype, offset=0):
    """Writes values into a part of each element; see ndarray.getfield.

    Examples
    --------
    >>> import tenorite as tn
    >>> a = tn.zeros(2, dtype=complex)
    >>> a.setfield(1.5, tn.float64, 8)
    >>> a
    array([0.+1.5j, 0.+1.5j])
    """
    getfield(self, dtype, offset)[...] = val


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
    byteswap, choose, clip, conjugate, dump, dumps, getfield, scatter_add, scatter_max, scatter_min, setfield, setflags,
    tofile, __contains__, __complex__, __bytes__, __format__,
):  # fmt: skip
    setattr(ndarray, _method.__name__, _method)
ndarray.conj = conjugate
ndarray.repeat, ndarray.round = manipulation.repeat, mathematics.round
ndarray.__repr__, ndarray.__str__ = printing.array_repr, printing.array_str
