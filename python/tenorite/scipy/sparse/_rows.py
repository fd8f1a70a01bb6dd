"""What matrices by compressed rows are computed by: forms of the backends, and compositions.

A matrix is the tuple (rows, columns, data, indices, indptr); a new one (data, indices, indptr).
"""

import numpy

from tenorite import _core
from tenorite._core import concatenate, cumsum, zeros

BROKEN, UNSORTED, DUPLICATES = 1, 2, 4  # what inspect() finds

# What is to be said of the structure: BROKEN, or UNSORTED and DUPLICATES.
inspect = _core._csr_inspect
# (matrix, dense, is_transposed): the product with a dense array of one axis or two.
multiply = _core._csr_multiply
# (matrix, to): adds the matrix to a dense one of its dtype.
scatter = _core._csr_scatter
# The same matrix by columns.
transpose = _core._csr_transpose
# Sorts every row in place.
sort = _core._csr_sort
# Neighbours of equal column summed.
unite = _core._csr_unite
# The product of two matrices; rows of it need not be sorted.
product = _core._csr_product
# (ufunc, dtype, a, b): ufunc(a, b) of the elements that either has, without those that are 0 then.
# Rows are sorted without duplicates.
merge = _core._csr_merge
# (rows, columns, data, row, column): elements with coordinates by sorted rows, duplicates summed.
unite_sorted = _core._csr_compress
# (matrix, chosen, first, step, count): the rows that an int64 array numbers, or (None) first,
# first + step, ..., so many.
choose = _core._csr_rows


def row_of_elements(matrix):
    """The row of every element (int64)."""
    rows, _, data, _, indptr = matrix
    marks = zeros(data.size + 1, numpy.int64)
    _core.add.at(marks, indptr[1:-1].astype(numpy.int64), 1)
    return cumsum(marks[:-1])


def sums(matrix, is_transposed):
    """The sums of the rows, or of the columns."""
    return multiply(matrix, None, is_transposed)


def without_zeros(matrix):
    """The elements that are not 0."""
    return where_true(matrix, matrix[2] != 0)


def where_true(matrix, mask):
    """The elements that a mask chooses."""
    rows, columns, data, indices, indptr = matrix
    ends = concatenate([zeros(1, numpy.int64), cumsum(mask.astype(numpy.int64))])
    return data[mask], indices[mask], ends[indptr].astype(indptr.dtype)
