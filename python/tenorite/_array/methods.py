"""Methods of ndarray that are compositions of functions; they are added to the type at the end."""

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
    choose, clip, conjugate, dump, dumps, scatter_add, scatter_max, scatter_min, setflags, tofile, __contains__,
    __complex__, __bytes__, __format__,
):  # fmt: skip
    setattr(ndarray, _method.__name__, _method)
ndarray.conj = conjugate
ndarray.repeat, ndarray.round = manipulation.repeat, mathematics.round
ndarray.__repr__, ndarray.__str__ = printing.array_repr, printing.array_str
