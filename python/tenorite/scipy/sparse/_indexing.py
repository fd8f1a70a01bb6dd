"""Elements, lines and parts of sparse matrices by indexes, and assignment to them."""

import operator
import warnings

import numpy

from tenorite import _core
from tenorite._core import arange, asarray, concatenate, zeros
from tenorite._numpy.indexing import where
from tenorite._numpy.shapes import broadcast_to
from tenorite.scipy.sparse import _rows
from tenorite.scipy.sparse._arguments import ndarray
from tenorite.scipy.sparse._base import SparseEfficiencyWarning, _Sparse


def _as_index(one, size, axis):
    """An int from 0 on, a slice, or an int64 array."""
    if isinstance(one, slice):
        return one
    if not isinstance(one, (ndarray, numpy.ndarray, list, tuple)):
        try:
            number = operator.index(one)
        except TypeError:
            raise IndexError(f"Index dimension must be 1 or 2: {one!r} is no index") from None
        if not -size <= number < size:
            raise IndexError(f"{axis} index ({number}) out of range")
        return number % size if size else number
    array = one if isinstance(one, ndarray) else asarray(one)
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(numpy.int64)
    if array.dtype.kind == "b":
        if array.ndim != 1:
            raise IndexError("invalid index shape: a mask of one axis has one axis")
        if array.size != size:
            raise IndexError(f"boolean index did not match the {axis} axis: {array.size} instead of {size}")
        return array.nonzero()[0]
    if array.dtype.kind not in "iu":
        raise IndexError(f"arrays used as indices must be of integer type, not {array.dtype}")
    if array.ndim == 0:
        return _as_index(int(array), size, axis)
    if array.ndim > 2:
        raise IndexError("Index dimension must be 1 or 2")
    array = array.astype(numpy.int64)
    if array.size:
        least, most = int(array.min()), int(array.max())
        if most >= size:
            raise IndexError(f"{axis} index ({most}) out of range")
        if least < -size:
            raise IndexError(f"{axis} index ({least}) out of range")
        if least < 0:
            array = where(array < 0, array + size, array)
    return array


def _without_ellipsis(key, axes):
    """The indexes of a key with a slice for each axis that it leaves out; None is an axis more."""
    places = [place for place, one in enumerate(key) if one is Ellipsis]
    if len(places) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    at = places[0] if places else len(key)
    rest = key[at + 1 :]
    lacking = axes - sum(one is not None for one in (*key[:at], *rest))
    return (*key[:at], *[slice(None)] * lacking, *rest)


def _as_mask(key):
    """A mask of two axes that is the whole key but for an ellipsis, or None."""
    if isinstance(key, tuple):
        given = [one for one in key if one is not Ellipsis]
        key = given[0] if len(given) == 1 else None
    if isinstance(key, list) and key and isinstance(key[0], list):
        key = asarray(key)
    if getattr(key, "ndim", 0) != 2 or not isinstance(key, (ndarray, numpy.ndarray)) or key.dtype.kind != "b":
        return None
    return key if isinstance(key, ndarray) else asarray(key)


def _common_shape(row, column):
    try:
        return numpy.broadcast_shapes(row.shape, column.shape)
    except ValueError:
        raise IndexError(f"shape mismatch of the indexes: {row.shape} and {column.shape}") from None


def _last(keys):
    """The place of the last of each of equal keys, by ascending keys."""
    order = keys.argsort(kind="stable")
    ordered = keys[order]
    is_last = concatenate([ordered[1:] != ordered[:-1], asarray([True])])
    return order[is_last]


class _Indexed:
    """Indexing of matrices by compressed lines."""

    def _read_key(self, key):
        """Row and column index of a key, or the coordinates that a mask has."""
        if isinstance(key, _Sparse) and key.dtype.kind == "b":
            if key.shape != self._shape:
                raise IndexError(f"a mask of shape {key.shape} for a matrix of shape {self._shape}")
            row, column = key.tocsr().nonzero()
            return row.astype(numpy.int64), column.astype(numpy.int64)
        mask = _as_mask(key)
        if mask is not None:
            if mask.shape != self._shape:
                raise IndexError(f"a mask of shape {mask.shape} for a matrix of shape {self._shape}")
            return mask.nonzero()
        if not isinstance(key, tuple):
            key = (key,)
        if None in [one if one is None else 0 for one in key]:
            raise IndexError("sparse matrices have two axes: None is no index of them")
        key = _without_ellipsis(key, 2)
        if len(key) > 2:
            raise IndexError("too many indices: sparse matrices have two axes")
        return tuple(_as_index(one, size, name) for one, size, name in zip(key, self._shape, ("row", "column")))

    def __getitem__(self, key):
        row, column = self._read_key(key)
        made = self._part(row, column)
        if not self._is_array or not isinstance(made, _Sparse):
            return made
        axes = sum(1 if isinstance(one, slice) else getattr(one, "ndim", 0) for one in (row, column))
        return made.tocoo().reshape(-1) if axes == 1 else made

    def _part(self, row, column):
        is_array = [isinstance(one, ndarray) for one in (row, column)]
        if not any(is_array):
            if not isinstance(row, slice) and not isinstance(column, slice):
                return self._element(row, column)
            made = self._along(row, 0)._along(column, 1)
            return self.copy() if made is self else made
        if all(is_array):
            return self._paired(row, column)
        if (row if is_array[0] else column).ndim == 1:
            return self._along(row, 0)._along(column, 1)
        if isinstance(row, slice) or isinstance(column, slice):
            raise IndexError("Index dimension must be 1 beside a slice")
        if is_array[0]:
            return self._paired(row, zeros(row.shape, numpy.int64) + column)
        return self._paired(zeros(column.shape, numpy.int64) + row, column)

    def _element(self, row, column):
        line, across = self._swap(row, column)
        begin, end = int(self.indptr[line]), int(self.indptr[line + 1])
        mask = self.indices[begin:end] == across
        return self.data[begin:end][mask].sum(dtype=self.dtype)

    def _along(self, one, axis):
        """Lines of an axis: an int keeps the axis."""
        if isinstance(one, slice) and one == slice(None):
            return self
        if not isinstance(one, (slice, ndarray)):
            one = slice(one, one + 1)
        is_line = (axis == 0) == (self.format == "csr")
        if is_line:
            return self._chosen_lines(one)
        if isinstance(one, slice):
            return self._narrowed(one)
        _, across = self._swap(*self._shape)
        if across > 8 * (self.data.size + one.size):
            return self._picked(one)
        return self._to_other()._chosen_lines(one).asformat(self.format)

    def _chosen_lines(self, one):
        """Lines by a slice or by an int64 array."""
        lines, across = self._swap(*self._shape)
        if isinstance(one, slice):
            begin, end, step = one.indices(lines)
            count = len(range(begin, end, step))
            parts = _rows.choose(self._parts, None, begin, step, count)
        else:
            count = one.size
            parts = _rows.choose(self._parts, one, 0, 1, count)
        return self._make(parts, self._swap(count, across), self._has_canonical_format, self._has_sorted_indices)

    def _narrowed(self, one):
        """The elements of a slice of columns of a csr matrix, of rows of a csc matrix."""
        lines, across = self._swap(*self._shape)
        begin, end, step = one.indices(across)
        chosen = range(begin, end, step)
        made = self._trimmed()
        if chosen:
            least, most = min(chosen[0], chosen[-1]), max(chosen[0], chosen[-1])
            mask = (made.indices >= least) & (made.indices <= most)
            if abs(step) != 1:
                mask &= (made.indices - begin) % step == 0
        else:
            mask = zeros(made.indices.size, bool)
        data, indices, indptr = _rows.where_true(made._parts, mask)
        if step != 1:
            indices = (indices - begin) // step
        elif begin:
            indices = indices - begin
        found = self._make(
            (data, indices, indptr),
            self._swap(lines, len(chosen)),
            self._has_canonical_format,
            self._has_sorted_indices,
        )
        return found if step > 0 else found._in_order()

    def _in_order(self):
        """A new matrix with its lines sorted."""
        self._has_canonical_format = self._has_sorted_indices = None
        self.sort_indices()
        return self

    def _picked(self, numbers):
        """Columns of a csr matrix (rows of a csc matrix) by an array; no memory for all of them."""
        lines, _ = self._swap(*self._shape)
        made = self._trimmed()
        order = numbers.argsort(kind="stable")
        ordered = numbers[order]
        begins = ordered.searchsorted(made.indices)
        counts = ordered.searchsorted(made.indices, side="right") - begins
        ends = concatenate([zeros(1, numpy.int64), _core.cumsum(counts)])
        element = arange(made.data.size).repeat(counts)
        place = order[begins[element] + arange(element.size) - ends[element]]
        index = made.indices.dtype
        parts = made.data[element], place.astype(index), ends[made.indptr].astype(index)
        return self._make(parts, self._swap(lines, numbers.size))._in_order()

    def _paired(self, row, column):
        """Elements with coordinates; those of rows (n, 1) and columns (1, m) are a part."""
        if row.ndim == 2 and row.shape[1] == 1 and (column.ndim == 1 or column.shape[0] == 1):
            return self._along(row.reshape(-1), 0)._along(column.reshape(-1), 1)
        shape = _common_shape(row, column)
        row, column = broadcast_to(row, shape), broadcast_to(column, shape)
        values = self._samples(row.reshape(-1), column.reshape(-1))
        if len(shape) == 1 and (values.size or self._is_array):
            return values if self._is_array else values[None]
        return type(self)(values.reshape((1,) * (2 - len(shape)) + shape))

    def _keys(self):
        """One ascending number for every element of a matrix without duplicates."""
        _, across = self._swap(*self._shape)
        return _rows.row_of_elements(self._parts) * across + self.indices

    def _find(self, row, column):
        """Where elements with coordinates are in a matrix without duplicates, and whether."""
        line, place = self._swap(row, column)
        _, across = self._swap(*self._shape)
        keys, wanted = self._keys(), line * across + place
        found = _core.minimum(keys.searchsorted(wanted), keys.size - 1)
        return found, keys[found] == wanted

    def _has(self, row, column):
        """Whether there are elements with coordinates."""
        made = self._united()._trimmed()
        return made._find(row, column)[1] if made.data.size else zeros(row.size, bool)

    def _samples(self, row, column):
        made = self._united()._trimmed()
        if not made.data.size:
            return zeros(row.size, self.dtype)
        found, has = made._find(row, column)
        return where(has, made.data[found], zeros((), self.dtype))

    def _line(self, number, axis):
        """One row or column as a matrix of the format."""
        number, size = operator.index(number), self._shape[axis]
        if not -size <= number < size:
            raise IndexError(f"index ({number}) out of range")
        return self._along(number % size, axis)

    # --- Assignment ---

    def __setitem__(self, key, value):
        count = self._getnnz()
        self._set(key, value)
        if self._getnnz() > count:
            warnings.warn(
                f"Changing the sparsity structure of a {self.format} matrix is expensive.",
                SparseEfficiencyWarning,
                stacklevel=3 if self._is_array else 2,
            )

    def _set(self, key, value):
        row, column = self._read_key(key)
        is_column = not isinstance(column, (slice, ndarray))
        is_outer = isinstance(row, slice) or isinstance(column, slice)
        row, column = self._numbers(row, 0), self._numbers(column, 1)
        if is_outer and row.ndim == 1:
            row = row[:, None]
        shape = _common_shape(row, column)
        row, column = (broadcast_to(one, shape).reshape(-1) for one in (row, column))
        is_sparse = isinstance(value, _Sparse)
        if is_sparse:
            if value.shape != shape and 1 not in value._shape_as_2d:
                raise ValueError(f"shape mismatch in assignment: {value.shape} to {shape}")
            value = value.toarray()
        value = value if isinstance(value, ndarray) else asarray(value)
        if value.ndim > len(shape) and value.shape[0] == 1:
            value = value.reshape(value.shape[1:])
        if is_column and value.ndim == 1 and len(shape) == 2 and shape == (value.size, 1):
            value = value[:, None]
        if value.dtype.kind == "c" and self.dtype.kind != "c":
            raise TypeError(f"values of dtype {value.dtype} do not go to a sparse matrix of dtype {self.dtype}")
        try:
            value = broadcast_to(value, shape).reshape(-1)
        except ValueError:
            raise ValueError(f"shape mismatch in assignment: {value.shape} to {shape}") from None
        if is_sparse and row.size:  # zeros that are not stored become no elements
            kept = (value != 0) | self._has(row, column)
            row, column, value = row[kept], column[kept], value[kept]
        if row.size:
            self._put(row, column, value.astype(self.dtype))

    def _numbers(self, one, axis):
        if isinstance(one, slice):
            return arange(*one.indices(self._shape[axis]))
        return one if isinstance(one, ndarray) else asarray([one])

    def _put(self, row, column, values):
        """Sets elements with coordinates, of equal ones the last."""
        made = self._united()._trimmed()
        lines, across = self._swap(*self._shape)
        line, place = self._swap(row, column)
        new = line * across + place
        chosen = _last(new)
        new, values = new[chosen], values[chosen]
        keys = made._keys()
        found = _core.minimum(new.searchsorted(keys), new.size - 1)
        kept = new[found] != keys
        keys, values = concatenate([keys[kept], new]), concatenate([made.data[kept], values])
        order = keys.argsort()
        keys, values = keys[order], values[order]
        index = self.indices.dtype
        starts = keys.searchsorted(arange(lines + 1) * across).astype(index)
        self.data, self.indices, self.indptr = values, (keys % max(across, 1)).astype(index), starts
        self._has_canonical_format = self._has_sorted_indices = True
