"""``ndarray.flags``."""

from tenorite import _core


class Flags:
    """Memory layout of an array, by attribute or by key.

    ``c_contiguous`` (``'C'``), ``f_contiguous`` (``'F'``), ``owndata`` (``'O'``): whether the array
    is no view of another one, ``writeable`` (``'W'``, may be set), ``aligned`` (``'A'``), ``fnc``,
    ``forc``, ``contiguous``, ``fortran``, ``behaved`` (``'B'``), ``carray`` (``'CA'``), ``farray``
    (``'FA'``), ``writebackifcopy`` (``'X'``, never), as NumPy has them.
    """

    _keys = {
        'C': 'c_contiguous', 'C_CONTIGUOUS': 'c_contiguous', 'CONTIGUOUS': 'c_contiguous',
        'F': 'f_contiguous', 'F_CONTIGUOUS': 'f_contiguous', 'FORTRAN': 'f_contiguous',
        'O': 'owndata', 'OWNDATA': 'owndata', 'W': 'writeable', 'WRITEABLE': 'writeable',
        'FNC': 'fnc', 'FORC': 'forc', 'A': 'aligned', 'ALIGNED': 'aligned', 'B': 'behaved', 'BEHAVED': 'behaved',
        'CA': 'carray', 'CARRAY': 'carray', 'FA': 'farray', 'FARRAY': 'farray',
        'X': 'writebackifcopy', 'WRITEBACKIFCOPY': 'writebackifcopy',
    }

    def __init__(self, array, f=None, o=None):
        if f is None:
            self._array = array
        else:
            self.__class__, self._values = _Values, (array, f, o)

    c_contiguous = property(lambda self: _core.flag_values(self._array)[0])
    f_contiguous = property(lambda self: _core.flag_values(self._array)[1])
    owndata = property(lambda self: _core.flag_values(self._array)[2])
    aligned = property(lambda self: self._array.data.ptr % self._array.dtype.alignment == 0)
    fnc = property(lambda self: self.f_contiguous and not self.c_contiguous)
    forc = property(lambda self: self.f_contiguous or self.c_contiguous)

    contiguous = property(lambda self: self.c_contiguous)
    fortran = property(lambda self: self.f_contiguous)
    behaved = property(lambda self: self.aligned and self.writeable)
    carray = property(lambda self: self.behaved and self.c_contiguous)
    farray = property(lambda self: self.behaved and self.f_contiguous and not self.c_contiguous)
    writebackifcopy = property(lambda self: False)

    @property
    def writeable(self):
        return _core.flag_values(self._array)[3]

    @writeable.setter
    def writeable(self, value):
        _core.set_writeable(self._array, value)

    def __getitem__(self, key):
        if key not in self._keys:
            raise KeyError('Unknown flag')
        return getattr(self, self._keys[key])

    def __setitem__(self, key, value):
        if self._keys.get(key) != 'writeable':
            raise KeyError('Unknown flag')
        self.writeable = value

    def __eq__(self, other):
        return isinstance(other, Flags) and (
            _core.flag_values(self._array) == _core.flag_values(other._array))

    __hash__ = None

    def __repr__(self):
        return (f'  C_CONTIGUOUS : {self.c_contiguous}\n  F_CONTIGUOUS : {self.f_contiguous}\n'
                f'  OWNDATA : {self.owndata}\n  WRITEABLE : {self.writeable}\n')


class StorageFlags(Flags):
    """Those of an array whose elements are rows of bytes."""

    def __init__(self, storage):
        super().__init__(storage._bytes)
        self._layout = storage.shape, storage.strides, storage.itemsize

    def _is_dense(self, is_c):
        shape, strides, expected = self._layout
        for axis in range(len(shape))[:: -1 if is_c else 1]:
            if shape[axis] != 1 and strides[axis] != expected:
                return 0 in shape
            expected *= shape[axis]
        return True

    c_contiguous = property(lambda self: self._is_dense(True))
    f_contiguous = property(lambda self: self._is_dense(False))


class _Values(Flags):
    """Flags of no array: ``Flags(c, f, o)``, whose values are as given."""

    c_contiguous = property(lambda self: self._values[0])
    f_contiguous = property(lambda self: self._values[1])
    owndata = property(lambda self: self._values[2])

    def __eq__(self, other):
        return isinstance(other, _Values) and self._values == other._values

    __hash__ = None

    def __repr__(self):
        return '  C_CONTIGUOUS : {}\n  F_CONTIGUOUS : {}\n  OWNDATA : {}'.format(*self._values)
