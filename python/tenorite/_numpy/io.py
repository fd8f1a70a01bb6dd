"""Files: NumPy reads and writes them, and the elements go to the device or come from it."""

from collections.abc import Mapping

import numpy

from tenorite import _core
from tenorite._arguments.host import asnumpy
from tenorite._numpy._documents import documented


def _to_device(made):
    """What a file held. NumPy writes bfloat16, which it does not know, as two bytes without a
    name."""
    if not isinstance(made, numpy.ndarray):
        return made
    return _core.array(made.view(_core.empty(0, "bfloat16").dtype) if made.dtype.str == "|V2" else made)


class _ByName:
    """The arrays of a file as attributes."""

    def __init__(self, file):
        self._file = file

    def __getattr__(self, name):
        try:
            return self._file[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self):
        return list(self._file)


class NpzFile(Mapping):
    """The arrays of an .npz file by name, each read and brought to the device when it is asked for.

    ``files`` lists the names, and ``f`` has the arrays as attributes. ``fid`` and ``zip`` are the
    open file and what reads it; None when they are closed.
    """

    def __init__(self, file):
        self.npz_file = file
        self.files = file.files

    f = property(lambda self: _ByName(self))
    fid = property(lambda self: self.npz_file.fid)
    zip = property(lambda self: self.npz_file.zip)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.close()

    def __repr__(self):
        return f"<NpzFile with {', '.join(self.files) or 'no arrays'}>"

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


@documented
def load(file, mmap_mode=None, allow_pickle=None, **options):
    """The array of an .npy file, the arrays of an .npz file, or what a pickle holds, as numpy.load.

    allow_pickle: True to read pickles, which can run any code. ValueError, OSError.

    Parameters
    ----------
    mmap_mode : None
        Accepted as NumPy has it; the elements are copied to the device.
    allow_pickle : bool, optional
        Whether arrays of objects may be read or written; they have no place here.
    **options : dict
        As numpy.load takes them.

    Returns
    -------
    ndarray or NpzFile
        The array, or the arrays of an archive by their names.

    Notes
    -----
    Differs from NumPy: the arrays are the device's, those of an .npz file as well.

    Examples
    --------
    >>> import tenorite as cp
    >>> import io
    >>> file = io.BytesIO()
    >>> cp.save(file, cp.arange(3))
    >>> _ = file.seek(0)
    >>> cp.load(file)
    array([0, 1, 2])
    """
    made = numpy.load(file, mmap_mode, bool(allow_pickle), **options)
    if isinstance(made, numpy.lib.npyio.NpzFile):
        return NpzFile(made)
    return _to_device(made)


@documented
def save(file, arr, allow_pickle=None):
    """Writes an array to an .npy file.

    Parameters
    ----------
    allow_pickle : bool, optional
        Whether arrays of objects may be read or written; they have no place here.

    Returns
    -------
    None
        The file is written.

    Notes
    -----
    Differs from NumPy: the array is copied to the host first, which waits for it.

    Examples
    --------
    >>> import tenorite as cp
    >>> import io
    >>> file = io.BytesIO()
    >>> cp.save(file, cp.arange(3))
    >>> _ = file.seek(0)
    >>> cp.load(file)
    array([0, 1, 2])
    """
    numpy.save(file, asnumpy(arr, order="A"), bool(allow_pickle))


@documented
def savez(file, *args, **kwds):
    """Writes arrays to an .npz file, under the keywords' names or arr_0, arr_1, ...

    Parameters
    ----------
    *args : ndarray
        The arrays, named ``arr_0``, ``arr_1`` and so on.
    **kwds : ndarray
        The arrays, by their names in the file.

    Returns
    -------
    None
        The file is written.

    Examples
    --------
    >>> import tenorite as cp
    >>> import io
    >>> file = io.BytesIO()
    >>> cp.savez(file, x=cp.arange(3))
    >>> _ = file.seek(0)
    >>> cp.load(file)['x']
    array([0, 1, 2])
    """
    numpy.savez(file, *map(asnumpy, args), **{name: asnumpy(one) for name, one in kwds.items()})


@documented
def savez_compressed(file, *args, **kwds):
    """As savez, compressed.

    Parameters
    ----------
    *args : ndarray
        The arrays, named ``arr_0``, ``arr_1`` and so on.
    **kwds : ndarray
        The arrays, by their names in the file.

    Returns
    -------
    None
        The file is written.

    Examples
    --------
    >>> import tenorite as cp
    >>> import io
    >>> file = io.BytesIO()
    >>> cp.savez_compressed(file, x=cp.arange(3))
    >>> _ = file.seek(0)
    >>> cp.load(file)['x']
    array([0, 1, 2])
    """
    numpy.savez_compressed(file, *map(asnumpy, args), **{name: asnumpy(one) for name, one in kwds.items()})


def savetxt(fname, X, *args, **kwargs):
    """Writes a matrix or vector as text, with all arguments of numpy.savetxt.

    Parameters
    ----------
    fname : str, path or file object
        The file.
    X : ndarray
        One or two dimensions.
    *args : tuple
        As NumPy's function of this name takes them.
    **kwargs : dict
        As NumPy's function of this name takes them.

    Returns
    -------
    None
        The file is written.

    Examples
    --------
    >>> import tenorite as cp
    >>> import io
    >>> file = io.StringIO()
    >>> cp.savetxt(file, cp.arange(3), fmt='%d')
    >>> file.getvalue()
    '0\\n1\\n2\\n'
    """
    numpy.savetxt(fname, asnumpy(X), *args, **kwargs)


_READER = """An array {what}, with all arguments of numpy.{name}.

Parameters
----------
*args : tuple
    As numpy.{name} takes them.
**kwargs : dict
    As numpy.{name} takes them.

Returns
-------
ndarray
    A new array on the current device.

Examples
--------
>>> import io, tenorite as cp
{example}
"""


def _reader(name, what, example):
    function = getattr(numpy, name)

    def read(*args, **kwargs):
        return _core.array(function(*args, **kwargs))

    read.__name__ = read.__qualname__ = name
    read.__doc__ = _READER.format(name=name, what=what, example=example)
    return read


loadtxt = _reader("loadtxt", "of the numbers in a text file", ">>> cp.loadtxt(io.StringIO('1 2'))\narray([1., 2.])")
genfromtxt = _reader(
    "genfromtxt",
    "of the numbers in a text file in which some are missing",
    ">>> cp.genfromtxt(io.StringIO('1,,3'), delimiter=',')\narray([ 1., nan,  3.])",
)
fromfile = _reader(
    "fromfile",
    "of the bytes, or numbers, of a file",
    """>>> import tempfile
>>> with tempfile.TemporaryFile() as file:
...     cp.arange(3).tofile(file)
...     _ = file.seek(0)
...     cp.fromfile(file, dtype=cp.int64)
array([0, 1, 2])""",
)
fromstring = _reader("fromstring", "of the numbers in a text", ">>> cp.fromstring('1 2', sep=' ')\narray([1., 2.])")
fromiter = _reader(
    "fromiter",
    "of the values of an iterable",
    ">>> cp.fromiter((i * i for i in range(3)), dtype=cp.int64)\narray([0, 1, 4])",
)
fromregex = _reader(
    "fromregex",
    "of what a regular expression finds in a file",
    ">>> cp.fromregex(io.StringIO('1 2'), r'(.)', [('x', 'i8')])['x']  # doctest: +SKIP\narray([1, 2])",
)
