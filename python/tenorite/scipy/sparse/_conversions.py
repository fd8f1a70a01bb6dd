"""Sparse matrices in other formats, dtypes and shapes."""

import math

import numpy

from tenorite._core import zeros
from tenorite.scipy.sparse._arguments import check_dtype, check_shape, index_dtype, is_dense
from tenorite.scipy.sparse._base import _Sparse, class_of


class _Converted(_Sparse):
    """A sparse matrix that becomes another."""

    def tocsr(self, copy=False):
        """The same matrix by compressed rows.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.tocsr().format
        'csr'
        """
        raise NotImplementedError(f"a {self.format} matrix as csr")

    def tocoo(self, copy=False):
        """The same matrix as coordinates.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.tocoo().format
        'coo'
        """
        return self.tocsr().tocoo(copy=copy)

    def tocsc(self, copy=False):
        """The same matrix by compressed columns.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.tocsc().format
        'csc'
        """
        return self.tocsr().tocsc()

    def todia(self, copy=False):
        """The same matrix by diagonals.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.todia().format
        'dia'
        """
        return self.tocoo().todia(copy=copy)

    def asformat(self, format, copy=False):
        """The same matrix in another format: 'coo', 'csr', 'csc', 'dia', or None for its own.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.asformat("coo").format
        'coo'
        """
        if format is None or format == self.format:
            return self.copy() if copy else self
        convert = getattr(self, f"to{format}", None) if isinstance(format, str) else None
        if convert is None:
            raise ValueError(f"Format {format} is unknown.")
        return convert(copy=copy)

    def _like(self, format):
        """The class of another format of the same kind, matrix or array."""
        return class_of(format, self._is_array)

    def get(self, stream=None):
        """The matrix as one of SciPy's in the host's memory.

        stream: the stream on which elements are copied; the current one without.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.get().toarray()
        array([[1., 0.],
               [2., 3.]])
        """
        raise NotImplementedError

    def toarray(self, order=None, out=None):
        """The matrix as an array of two axes.

        order: 'C' (the default, of each format) or 'F', how the array lies. out: an array of the
        matrix' shape and dtype, which is filled instead.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.toarray()
        array([[1., 0.],
               [2., 3.]])
        """
        if out is None:
            out = zeros(self.shape, self.dtype, order=order or "C")
        elif order is not None:
            raise ValueError("order cannot be specified if out is not None")
        elif not is_dense(out) or out.shape != self.shape or out.dtype != self.dtype:
            raise ValueError("out array must be same dtype and shape as sparse array")
        else:
            out[...] = 0
        self._add_to(out)
        return out

    def todense(self, order=None, out=None):
        """The matrix as an array of two axes, as toarray() gives it.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.todense()
        array([[1., 0.],
               [2., 3.]])
        """
        return self.toarray(order, out)

    def _add_to(self, out):
        self.tocsr()._add_to(out)

    def tobsr(self, blocksize=None, copy=False):
        """Not there: there is no format of blocks.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> try:
        ...     A.tobsr()
        ... except NotImplementedError as error:
        ...     print(error)
        the format bsr
        """
        raise NotImplementedError("the format bsr")

    def todok(self, copy=False):
        """Not there: there is no format of dictionaries.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> try:
        ...     A.todok()
        ... except NotImplementedError as error:
        ...     print(error)
        the format dok
        """
        raise NotImplementedError("the format dok")

    def tolil(self, copy=False):
        """Not there: there is no format of lists.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> try:
        ...     A.tolil()
        ... except NotImplementedError as error:
        ...     print(error)
        the format lil
        """
        raise NotImplementedError("the format lil")

    def copy(self):
        """A copy that shares no memory.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.copy().toarray()
        array([[1., 0.],
               [2., 3.]])
        """
        return self._with_data(self.data.copy(), copy=True)

    def astype(self, dtype, casting="unsafe", copy=True):
        """The matrix with values of another dtype.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.astype("f").dtype
        dtype('float32')
        """
        dtype = check_dtype(dtype)
        if dtype == self.dtype:
            return self.copy() if copy else self
        if not numpy.can_cast(self.dtype, dtype, casting):
            raise TypeError(f"Cannot cast from {self.dtype!r} to {dtype!r} according to the rule '{casting}'")
        return self._with_data(self.data.astype(dtype), copy=copy)

    def conj(self, copy=True):
        """Every element conjugated.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.conj().toarray()
        array([[1., 0.],
               [2., 3.]])
        """
        if self.dtype.kind == "c":
            return self._with_data(self.data.conj(), copy=copy)
        return self.copy() if copy else self

    def conjugate(self, copy=True):
        """Every element conjugated.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.conjugate().toarray()
        array([[1., 0.],
               [2., 3.]])
        """
        return self.conj(copy=copy)

    def reshape(self, *shape, order="C", copy=False):
        """The same elements in another shape, of which one number may be -1, as coordinates.

        order: 'C' or 'F', how elements are counted.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.reshape(1, 4).toarray()
        array([[1., 0., 2., 3.]])
        """
        if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
            (shape,) = shape
        if order not in ("C", "F"):
            raise ValueError("'order' must be 'C' or 'F'")
        shape = self._shape_of_all(shape)
        if shape == self._shape:
            return self.copy() if copy else self
        made = self.tocoo()
        rows, columns = self._shape_as_2d
        row, column = made.row.astype(numpy.int64), made.col.astype(numpy.int64)
        place = row * columns + column if order == "C" else column * rows + row
        found = self._like("coo")((made.data, tuple(_places(place, shape, order))), shape=shape, copy=copy)
        index = numpy.result_type(index_dtype(max(shape)), made.row.dtype)
        found.row, found.col = found.row.astype(index, copy=False), found.col.astype(index, copy=False)
        return found

    def resize(self, *shape):
        """Gives the matrix another shape, in place: elements outside of it are left out.

        Raises
        ------
        ValueError
            For a size below 0, or another number of axes.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.resize(1, 3)
        >>> A.toarray()
        array([[1., 0., 0.]])
        """
        shape = check_shape(
            shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape, (self.ndim,)
        )
        made = self.tocoo()
        rows, columns = shape if len(shape) == 2 else (1, *shape)
        kept = (made.row < rows) & (made.col < columns)
        places = (made.row[kept], made.col[kept])[2 - len(shape) :]
        found = self._like("coo")((made.data[kept], places), shape=shape).asformat(self.format)
        self.__dict__.update(found.__dict__)

    def _shape_of_all(self, shape):
        """A shape of all elements, in which one size may be -1."""
        allowed = (1, 2) if self._is_array else (2,)
        if len(shape) not in allowed:
            raise ValueError(f"shape must have length in {allowed}, not be {tuple(shape)}")
        size = math.prod(self._shape)
        shape = list(shape)
        if shape.count(-1) == 1:
            others = math.prod(one for one in shape if one != -1)
            if others <= 0 or size % others:
                raise ValueError(f"cannot reshape array of size {size} into shape {tuple(shape)}")
            shape[shape.index(-1)] = size // others
        shape = check_shape(shape, allowed)
        if math.prod(shape) != size:
            raise ValueError(f"cannot reshape array of size {size} into shape {shape}")
        return shape


def _places(place, shape, order):
    """The coordinates in a shape of elements that are counted in an order."""
    if len(shape) == 1:
        return (place,)
    if order == "C":
        return place // shape[1], place % shape[1]
    return place % shape[0], place // shape[0]
