"""``ndarray.flat``."""


class flatiter:
    """The elements of an array in C order, as a one-dimensional sequence that can be assigned to."""

    __array_priority__ = 100

    def __init__(self, base):
        self.base = base
        self._next = 0

    def __len__(self):
        return self.base.size

    def __iter__(self):
        return type(self)(self.base)

    def __next__(self):
        if self._next >= self.base.size:
            raise StopIteration
        self._next += 1
        return self[self._next - 1]

    @property
    def index(self):
        """How many elements have been iterated over."""
        return self._next

    @property
    def coords(self):
        """The index of the next element, per axis."""
        import numpy

        return tuple(int(k) for k in numpy.unravel_index(self._next, self.base.shape))

    def __eq__(self, other):
        return self._flat() == other

    def __ne__(self, other):
        return self._flat() != other

    def __lt__(self, other):
        return self._flat() < other

    def __le__(self, other):
        return self._flat() <= other

    def __gt__(self, other):
        return self._flat() > other

    def __ge__(self, other):
        return self._flat() >= other

    __hash__ = None

    def _flat(self):
        return self.base.ravel()

    def copy(self):
        """A one-dimensional copy."""
        return self.base.flatten()

    def __getitem__(self, key):
        """``a.flat[key]``: a copy, as in NumPy, for an int, a slice, integers or a mask."""
        return self.base.ravel()[key].copy()

    def __setitem__(self, key, value):
        """Assigns in place; a value that is too short is repeated, as in NumPy."""
        from tenorite import _core
        flat = self.base.ravel()
        if isinstance(value, _core.ndarray) and value.ndim > 0:
            target = flat[key]
            value = value.ravel()
            if value.size not in (1, target.size) and value.size > 0:
                times = -(-target.size // value.size)
                value = _core.concatenate([value] * times)[:target.size]
        flat[key] = value
        if flat.data.ptr != self.base.data.ptr or flat.size == 0:
            self.base[...] = flat.reshape(self.base.shape)
