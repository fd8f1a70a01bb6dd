"""Files: NumPy reads and writes them, and the elements go to the device or come from it."""

from collections.abc import Mapping

import numpy

from tenorite import _core
from tenorite._host import asnumpy


def _to_device(made):
    """What a file held. NumPy writes bfloat16, which it does not know, as two bytes without a
    name."""
    if not isinstance(made, numpy.ndarray):
        return made
    return _core.array(made.view(_core.empty(0, "bfloat16").dtype) if made.dtype.str == "|V2" else made)


class NpzFile(Mapping):
    """The arrays of an .npz file by name, each read and brought to the device when it is asked for.

    ``files`` lists the names.
    """

    def __init__(self, file):
        self.npz_file = file
        self.files = file.files

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.close()

    def __getitem__(self, key):
        return _to_device(self.npz_file[key])

    def __contains__(self, key):
        return key in self.npz_file

    def __iter__(self):
        return iter(self.npz_file)

    def __len__(self):
        return len(self.npz_file)

    def close(self):
        """Closes the file."""
        self.npz_file.close()


def load(file, mmap_mode=None, allow_pickle=None, **options):
    """The array of an .npy file, the arrays of an .npz file, or what a pickle holds, as numpy.load.

    allow_pickle: True to read pickles, which can run any code. ValueError, OSError.
    """
    made = numpy.load(file, mmap_mode, bool(allow_pickle), **options)
    if isinstance(made, numpy.lib.npyio.NpzFile):
        return NpzFile(made)
    return _to_device(made)


def save(file, arr, allow_pickle=None):
    """Writes an array to an .npy file."""
    numpy.save(file, asnumpy(arr, order="A"), bool(allow_pickle))


def savez(file, *args, **kwds):
    """Writes arrays to an .npz file, under the keywords' names or arr_0, arr_1, ..."""
    numpy.savez(file, *map(asnumpy, args), **{name: asnumpy(one) for name, one in kwds.items()})


def savez_compressed(file, *args, **kwds):
    """As savez, compressed."""
    numpy.savez_compressed(file, *map(asnumpy, args), **{name: asnumpy(one) for name, one in kwds.items()})


def savetxt(fname, X, *args, **kwargs):
    """Writes a matrix or vector as text, with all arguments of numpy.savetxt."""
    numpy.savetxt(fname, asnumpy(X), *args, **kwargs)


def _reader(name, what):
    function = getattr(numpy, name)

    def read(*args, **kwargs):
        return _core.array(function(*args, **kwargs))

    read.__name__ = read.__qualname__ = name
    read.__doc__ = f"An array {what}, with all arguments of numpy.{name}."
    return read


loadtxt = _reader("loadtxt", "of the numbers in a text file")
genfromtxt = _reader("genfromtxt", "of the numbers in a text file in which some are missing")
fromfile = _reader("fromfile", "of the bytes, or numbers, of a file")
fromstring = _reader("fromstring", "of the numbers in a text")
fromiter = _reader("fromiter", "of the values of an iterable")
fromregex = _reader("fromregex", "of what a regular expression finds in a file")
