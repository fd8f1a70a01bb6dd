"""Sparse arrays of one axis, which are rows of a matrix to all that computes with them."""

import functools

import numpy

from tenorite._core import zeros
from tenorite.scipy.sparse import _indexing
from tenorite.scipy.sparse._arguments import ndarray
from tenorite.scipy.sparse._base import _Sparse
from tenorite.scipy.sparse._kinds import sparray


def _is_vector(value):
    return isinstance(value, _Sparse) and len(value._shape) == 1


def _with_rows(name):
    """An operator that arrays of one axis compute as rows; two of them give one axis again."""

    @functools.wraps(getattr(sparray, name))
    def run(self, other):
        is_one = len(self._shape) == 1
        if not is_one and not _is_vector(other):
            return getattr(super(_Vectors, self), name)(other)
        made = getattr(self._row(), name)(other._row() if _is_vector(other) else other)
        is_one = is_one and getattr(other, "ndim", 0) < 2
        if not is_one or not isinstance(made, (_Sparse, ndarray)):
            return made
        return made[0] if isinstance(made, ndarray) else made._vector()

    return run


def _of_two_axes(name):
    """A method that arrays of one axis lack."""

    @functools.wraps(getattr(sparray, name))
    def run(self, *args, **kwargs):
        if len(self._shape) == 1:
            raise ValueError(f"{name}() needs two axes, but the array has the shape {self._shape}")
        return getattr(super(_Vectors, self), name)(*args, **kwargs)

    return run


class _Vectors(_Sparse):
    """Sparse arrays of one axis or two, or of two that meet those of one."""

    locals().update(
        {
            name: _with_rows(name)
            for name in (
                "__add__",
                "__radd__",
                "__sub__",
                "__rsub__",
                "__truediv__",
                "__eq__",
                "__ne__",
                "__lt__",
                "__gt__",
                "__le__",
                "__ge__",
                "_multiply",
                "maximum",
                "minimum",
            )
        }
    )
    locals().update({name: _of_two_axes(name) for name in ("tocsc", "todia", "diagonal", "trace", "setdiag")})

    __hash__ = None

    @property
    def ndim(self):
        """The number of axes: one or two."""
        return len(self._shape)

    def _shaped(self, shape):
        """The same elements, shared, in a shape that differs by an axis of one."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made._shape = shape
        return made

    def _row(self):
        """An array of one axis as one of one row, which shares its elements."""
        return self._shaped(self._shape_as_2d)

    def _vector(self):
        """An array of one row as one of one axis, which shares its elements."""
        return self._shaped(self._shape[1:])

    def transpose(self, axes=None, copy=False):
        """The transposed array; one axis stays as it is. Elements are shared unless it is a copy.

        Raises
        ------
        ValueError
            For an axis that the array has not.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_array(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.transpose().toarray()
        array([[1., 2.],
               [0., 3.]])
        >>> A[0].transpose().shape
        (2,)
        """
        if len(self._shape) == 2:
            return super().transpose(axes, copy)
        if axes is not None and tuple(axes) not in ((0,), (-1,)):
            raise ValueError(f"axes {axes} are none of an array of shape {self._shape}")
        return self.copy() if copy else self

    def _matmul(self, other):
        if len(self._shape) == 2 or not isinstance(other, _Sparse):
            return super()._matmul(other)
        if _is_vector(other) and self._shape == other._shape:
            return self.multiply(other).sum()
        made = self._row()._matmul(other)
        return made if _is_vector(made) else made.tocoo()._vector()

    # --- Elements by indexes ---

    def __getitem__(self, key):
        parts = key if isinstance(key, tuple) else (key,)
        added = [place for place, one in enumerate(parts) if one is None]
        if added:
            return self._with_new_axes(parts)
        if len(self._shape) == 1:
            return self._taken(self._only_index(parts))
        if self.format == "coo":
            made = self.tocsr()[key]
            return made.tocoo() if isinstance(made, _Sparse) else made
        return super().__getitem__(key)

    def _with_new_axes(self, parts):
        """Elements with axes of one where the key has None, of which results have two at most."""
        made = self[tuple(one for one in parts if one is not None)]
        sizes = iter(made.shape)
        shape = []
        for one in _indexing._without_ellipsis(parts, len(self._shape)):
            is_number = one is not None and not isinstance(one, (slice, ndarray, numpy.ndarray, list))
            shape += [] if is_number else [1] if one is None else [next(sizes, 1)]
        shape += list(sizes)
        if len(shape) > 2:
            raise IndexError(f"an index of sparse arrays gives two axes at most, not {len(shape)}")
        if not isinstance(made, _Sparse):
            return type(self)(made.reshape(shape))
        return made.reshape(tuple(shape))

    def _only_index(self, parts):
        """The one index of an array of one axis: an int, a slice or an array."""
        if len(parts) == 1 and isinstance(parts[0], _Sparse) and parts[0].dtype.kind == "b":
            mask = parts[0]
            if mask._shape != self._shape:
                raise IndexError(f"bool index 0 has shape {mask._shape} instead of {self._shape}")
            return mask.nonzero()[0].astype(numpy.int64)
        parts = _indexing._without_ellipsis(parts, 1)
        if len(parts) != 1:
            raise IndexError(f"too many indices: tuple index out of range for the shape {self._shape}")
        return _indexing._as_index(parts[0], self._shape[0], "array")

    def _taken(self, one):
        row = self._row().tocsr()
        if not isinstance(one, (slice, ndarray)):
            return row._element(0, one)
        if isinstance(one, ndarray) and one.ndim == 2:
            return row._paired(zeros(one.shape, numpy.int64), one).asformat(self.format)
        return row._along(one, 1)._vector().asformat(self.format)

    def __setitem__(self, key, value):
        made = self.tocsr() if self.format == "coo" else self
        if len(self._shape) == 1:
            key = (0, self._only_index(key if isinstance(key, tuple) else (key,)))
            made = made._row()
            made[key] = value
            made = made._vector()
        elif made is self:
            super().__setitem__(key, value)
            return
        else:
            made[key] = value
        self.__dict__.update(made.asformat(self.format).__dict__)
