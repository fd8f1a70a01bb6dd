"""``ndarray.flags``."""

from tenorite import _core


def _is_aligned(array):
    """Whether every element lies where its dtype may lie, as the numbers of structures may not."""
    steps = [step for size, step in zip(array.shape, array.strides, strict=True) if size > 1]
    return not array.size or all(place % array.dtype.alignment == 0 for place in (array.data.ptr, *steps))


class Flags(_core._flags):
    """Memory layout of an array, by attribute or by key.

    ``c_contiguous`` (``'C'``), ``f_contiguous`` (``'F'``), ``owndata`` (``'O'``): whether the array
    is no view of another one, ``writeable`` (``'W'``, may be set), ``aligned`` (``'A'``), ``fnc``,
    ``forc``, ``contiguous``, ``fortran``, ``behaved`` (``'B'``), ``carray`` (``'CA'``), ``farray``
    (``'FA'``), ``writebackifcopy`` (``'X'``, never), as NumPy has them.
    """

    _keys = {
        "C": "c_contiguous",
        "C_CONTIGUOUS": "c_contiguous",
        "CONTIGUOUS": "c_contiguous",
        "F": "f_contiguous",
        "F_CONTIGUOUS": "f_contiguous",
        "FORTRAN": "f_contiguous",
        "O": "owndata",
        "OWNDATA": "owndata",
        "W": "writeable",
        "WRITEABLE": "writeable",
        "FNC": "fnc",
        "FORC": "forc",
        "A": "aligned",
        "ALIGNED": "aligned",
        "B": "behaved",
        "BEHAVED": "behaved",
        "CA": "carray",
        "CARRAY": "carray",
        "FA": "farray",
        "FARRAY": "farray",
        "X": "writebackifcopy",
        "WRITEBACKIFCOPY": "writebackifcopy",
    }

    __slots__ = ()

    def __new__(cls, array, f=None, o=None):
        if f is None:
            return super().__new__(cls, array)
        made = super().__new__(_Values)
        made._values = array, f, o
        return made

    aligned = property(lambda self: _is_aligned(self._array))
    contiguous = property(lambda self: self.c_contiguous)
    fortran = property(lambda self: self.f_contiguous)
    behaved = property(lambda self: self.aligned and self.writeable)
    carray = property(lambda self: self.behaved and self.c_contiguous)
    farray = property(lambda self: self.behaved and self.fnc)
    writebackifcopy = property(lambda self: False)

    def __getitem__(self, key):
        if key not in self._keys:
            raise KeyError("Unknown flag")
        return getattr(self, self._keys[key])

    def __setitem__(self, key, value):
        if self._keys.get(key) != "writeable":
            raise KeyError("Unknown flag")
        self.writeable = value

    def __eq__(self, other):
        return isinstance(other, Flags) and self._shown() == other._shown()

    __hash__ = None

    def _shown(self):
        return self.c_contiguous, self.f_contiguous, self.owndata, self.writeable

    def __repr__(self):
        return (
            f"  C_CONTIGUOUS : {self.c_contiguous}\n  F_CONTIGUOUS : {self.f_contiguous}\n"
            f"  OWNDATA : {self.owndata}\n  WRITEABLE : {self.writeable}\n"
        )


class _Values(Flags):
    """Flags of no array: ``Flags(c, f, o)``, whose values are as given."""

    __slots__ = ("_values",)
    fnc = property(lambda self: self.f_contiguous and not self.c_contiguous)
    forc = property(lambda self: self.f_contiguous or self.c_contiguous)
    c_contiguous = property(lambda self: self._values[0])
    f_contiguous = property(lambda self: self._values[1])
    owndata = property(lambda self: self._values[2])

    def __eq__(self, other):
        return isinstance(other, _Values) and self._values == other._values

    __hash__ = None

    def __repr__(self):
        return "  C_CONTIGUOUS : {}\n  F_CONTIGUOUS : {}\n  OWNDATA : {}".format(*self._values)
