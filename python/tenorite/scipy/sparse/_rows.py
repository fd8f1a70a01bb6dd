"""What matrices by compressed rows are computed by: forms of the backends, and compositions of
other functions on devices that lack one.

A matrix is the tuple (rows, columns, data, indices, indptr); a new one (data, indices, indptr).
"""

import numpy

from tenorite import _core
from tenorite._core import arange, asarray, concatenate, cumsum, empty, empty_like, zeros
from tenorite._numpy.indexing import where
from tenorite._numpy.sorting import lexsort

BROKEN, UNSORTED, DUPLICATES = 1, 2, 4  # what inspect() finds


def _has_forms(array):
    """All backends have the forms; tests say otherwise."""
    return True


def row_of_elements(matrix):
    """The row of every element (int64)."""
    rows, _, data, _, indptr = matrix
    marks = zeros(data.size + 1, numpy.int64)
    _core.add.at(marks, indptr[1:-1].astype(numpy.int64), 1)
    return cumsum(marks[:-1])


def _starts(counts, index):
    made = zeros(counts.size + 1, index)
    if counts.size:
        cumsum(counts, out=made[1:])
    return made


def _count(lines, numbers):
    return _core.bincount(numbers, minlength=lines)


def inspect(matrix):
    """What is to be said of the structure: BROKEN, or UNSORTED and DUPLICATES."""
    rows, columns, data, indices, indptr = matrix
    if _has_forms(data):
        return _core._csr_inspect(matrix)
    if int(indptr[0]) < 0 or int(indptr[-1]) > indices.size or bool((indptr[1:] < indptr[:-1]).any()):
        return BROKEN
    if indices.size == 0:
        return 0
    if bool((indices < 0).any()) or bool((indices >= columns).any()):
        return BROKEN
    row = row_of_elements(matrix)
    is_beside = row[1:] == row[:-1]
    found = UNSORTED * bool((is_beside & (indices[1:] < indices[:-1])).any())
    return found + DUPLICATES * bool((is_beside & (indices[1:] == indices[:-1])).any())


def multiply(matrix, dense, is_transposed):
    """The product with a dense array of one axis or two."""
    rows, columns, data, indices, indptr = matrix
    if _has_forms(data):
        return _core._csr_multiply(matrix, dense, is_transposed)
    inner, outer = (rows, columns) if is_transposed else (columns, rows)
    if dense.shape[0] != inner:
        raise ValueError(
            f"dimension mismatch: a sparse matrix of shape ({outer},{inner}) times an array whose first axis "
            f"has {dense.shape[0]} elements"
        )
    row, column = row_of_elements(matrix), indices
    source, target = (row, column) if is_transposed else (column, row)
    values = data if dense.ndim == 1 else data[:, None]
    products = values * dense.take(source, axis=0)
    made = zeros((outer, *dense.shape[1:]), products.dtype)
    _core.add.at(made, target, products)
    return made


def sums(matrix, is_transposed):
    """The sums of the rows, or of the columns."""
    rows, columns, data, indices, indptr = matrix
    if _has_forms(data):
        return _core._csr_multiply(matrix, None, is_transposed)
    made = zeros(columns if is_transposed else rows, data.dtype)
    _core.add.at(made, indices if is_transposed else row_of_elements(matrix), data)
    return made


def scatter(matrix, to):
    """Adds the matrix to a dense one of its dtype."""
    if _has_forms(to):
        _core._csr_scatter(matrix, to)
    else:
        _core.add.at(to, (row_of_elements(matrix), matrix[3]), matrix[2])


def group(rows, data, row, column):
    """Elements with coordinates by rows; those of one row keep their order."""
    if _has_forms(data):
        return _core._csr_group(rows, data, row, column)
    order = row.argsort(kind="stable")
    return data[order], column[order], _starts(_count(rows, row), column.dtype)


def transpose(matrix):
    """The same matrix by columns."""
    rows, columns, data, indices, indptr = matrix
    if _has_forms(data):
        return _core._csr_transpose(matrix)
    return group(columns, data, indices, row_of_elements(matrix).astype(indices.dtype))


def sort(matrix):
    """Sorts every row in place."""
    data, indices = matrix[2:4]
    if _has_forms(data):
        _core._csr_sort(matrix)
        return
    order = lexsort((indices, row_of_elements(matrix)))
    data[...], indices[...] = data[order], indices[order]


def unite(matrix):
    """Neighbours of equal column summed."""
    rows, columns, data, indices, indptr = matrix
    if _has_forms(data):
        return _core._csr_unite(matrix)
    if data.size == 0:
        return data, indices, indptr
    row = row_of_elements(matrix)
    first = concatenate([asarray([True]), (row[1:] != row[:-1]) | (indices[1:] != indices[:-1])])
    places = first.nonzero()[0]
    united = zeros(places.size, data.dtype)
    _core.add.at(united, cumsum(first) - 1, data)
    return united, indices[places], _starts(_count(rows, row[places]), indptr.dtype)


def product(a, b):
    """The product of two matrices; rows of it need not be sorted."""
    if _has_forms(a[2]):
        return _core._csr_product(a, b)
    rows, columns, index = a[0], b[1], a[3].dtype
    starts, lengths = b[4][:-1][a[3]], b[4][1:][a[3]] - b[4][:-1][a[3]]
    ends = cumsum(lengths.astype(numpy.int64))
    total = int(ends[-1]) if ends.size else 0
    of = row_of_elements((lengths.size, 0, empty(total, numpy.bool_), None, _starts(lengths, numpy.int64)))
    place = starts.astype(numpy.int64)[of] + arange(total) - (ends - lengths)[of]
    data = a[2][of] * b[2][place]
    starts = concatenate([zeros(1, numpy.int64), ends])[a[4]]
    made = data, b[3][place], starts.astype(index)
    sort((rows, columns, *made))
    return unite((rows, columns, *made))


def merge(ufunc, dtype, a, b):
    """ufunc(a, b) of the elements that either has, without those that are 0 then. Rows are sorted
    without duplicates."""
    if _has_forms(a[2]):
        return _core._csr_merge(ufunc, dtype, a, b)
    rows, columns = a[:2]
    index = numpy.result_type(a[3].dtype, b[3].dtype)
    none = [zeros(one[2].size, a[2].dtype) for one in (a, b)]
    row = concatenate([row_of_elements(a), row_of_elements(b)]).astype(index)
    column = concatenate([a[3], b[3]]).astype(index)
    sides = [unite_sorted(rows, columns, concatenate(pair), row, column) for pair in ((a[2], none[1]), (none[0], b[2]))]
    values = ufunc(sides[0][0], sides[1][0])
    return without_zeros((rows, columns, values, *sides[0][1:]))


def unite_sorted(rows, columns, data, row, column):
    """Elements with coordinates by sorted rows, duplicates summed."""
    if _has_forms(data):
        return _core._csr_compress(rows, columns, data, row, column)
    made = group(rows, data, row, column)
    found = inspect((rows, columns, *made))
    if found & UNSORTED:
        sort((rows, columns, *made))
        found = inspect((rows, columns, *made))
    return unite((rows, columns, *made)) if found & DUPLICATES else made


def without_zeros(matrix):
    """The elements that are not 0."""
    rows, columns, data, indices, indptr = matrix
    return where_true(matrix, data != 0)


def where_true(matrix, mask):
    """The elements that a mask chooses."""
    rows, columns, data, indices, indptr = matrix
    ends = concatenate([zeros(1, numpy.int64), cumsum(mask.astype(numpy.int64))])
    return data[mask], indices[mask], ends[indptr].astype(indptr.dtype)


def choose(matrix, chosen, first, step, count):
    """The rows that an int64 array numbers, or (None) first, first + step, ..., so many."""
    rows, columns, data, indices, indptr = matrix
    if _has_forms(data):
        return _core._csr_rows(matrix, chosen, first, step, count)
    if chosen is None:
        chosen = first + step * arange(count)
    starts = indptr.astype(numpy.int64)
    begins, lengths = starts[:-1][chosen], (starts[1:] - starts[:-1])[chosen]
    made = _starts(lengths, numpy.int64)
    total = int(made[-1])
    of = row_of_elements((count, 0, empty(total, numpy.bool_), None, made))
    place = begins[of] + arange(total) - made[:-1][of]
    return data[place], indices[place], made.astype(indptr.dtype)
