"""Linear operators: what can be multiplied by vectors, whatever it is made of."""

import inspect

import numpy

from tenorite import _core
from tenorite._arguments import ndarray
from tenorite.scipy.sparse import issparse

__all__ = ["LinearOperator", "aslinearoperator"]


class LinearOperator:
    """A matrix that is known by its products.

    A subclass has ``_matvec`` or ``_matmat``, and ``_rmatvec`` or ``_adjoint`` if the adjoint's
    products are wanted; calling the class itself makes one of functions.

    Parameters
    ----------
    shape : tuple of int
    matvec : callable
        The product with a vector.
    rmatvec : callable, optional
        The adjoint's product with a vector.
    matmat : callable, optional
        The product with a matrix; by default column by column.
    dtype : dtype, optional
        Of the products; without it that of a product with zeros.
    rmatmat : callable, optional
        The adjoint's product with a matrix.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse.linalg import LinearOperator
    >>> double = LinearOperator((2, 2), lambda x: 2 * x, dtype="d")
    >>> double @ tn.array([1.0, 3.0])
    array([2., 6.])
    """

    ndim = 2
    __array_ufunc__ = None  # an array on the left leaves products to __rmatmul__ and __rmul__

    def __new__(cls, *args, **kwargs):
        if cls is LinearOperator:
            return super().__new__(_Functions)
        made = super().__new__(cls)
        if cls._matvec is LinearOperator._matvec and cls._matmat is LinearOperator._matmat:
            raise TypeError("a LinearOperator needs _matvec or _matmat")
        return made

    def __init__(self, dtype, shape):
        try:
            rows, columns = (int(one) for one in shape)
        except (TypeError, ValueError):
            raise ValueError(f"invalid shape {shape!r} (must be 2-d)") from None
        self.dtype = None if dtype is None else numpy.dtype(dtype)
        self.shape = (rows, columns)

    def _init_dtype(self):
        if self.dtype is None:
            self.dtype = self.matvec(_core.zeros(self.shape[1])).dtype

    # What a subclass has.

    def _matvec(self, x):
        return self._matmat(x.reshape(-1, 1))

    def _matmat(self, X):
        columns = [self.matvec(X[:, k]).reshape(-1, 1) for k in range(X.shape[1])]
        return _core.concatenate(columns, axis=1) if columns else _core.empty((self.shape[0], 0), self.dtype)

    def _rmatvec(self, x):
        if type(self)._adjoint is LinearOperator._adjoint:
            raise NotImplementedError("this LinearOperator has no rmatvec")
        return self.H.matvec(x)

    def _rmatmat(self, X):
        if type(self)._adjoint is not LinearOperator._adjoint:
            return self.H.matmat(X)
        columns = [self.rmatvec(X[:, k]).reshape(-1, 1) for k in range(X.shape[1])]
        return _core.concatenate(columns, axis=1) if columns else _core.empty((self.shape[1], 0), self.dtype)

    def _adjoint(self):
        return _Adjoint(self)

    def _transpose(self):
        return _Transposed(self)

    # Products.

    def _vector(self, x, size, multiply, result):
        if x.shape not in ((size,), (size, 1)):
            raise ValueError(f"dimension mismatch: operator of shape {self.shape}, vector of shape {x.shape}")
        y = multiply(x)
        return y.reshape(result) if x.ndim == 1 else y.reshape(result, 1)

    def matvec(self, x):
        """The product with a vector of shape (N,) or (N, 1).

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.linalg.aslinearoperator(cp.array([[1.0, 2.0], [3.0, 4.0]]))
        >>> A.matvec(cp.ones(2))
        array([3., 7.])
        """
        return self._vector(x, self.shape[1], self._matvec, self.shape[0])

    def rmatvec(self, x):
        """The adjoint's product with a vector of shape (M,) or (M, 1).

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.linalg.aslinearoperator(cp.array([[1.0, 2.0], [3.0, 4.0]]))
        >>> A.rmatvec(cp.ones(2))
        array([4., 6.])
        """
        return self._vector(x, self.shape[0], self._rmatvec, self.shape[1])

    def _matrix(self, X, size, multiply):
        if X.ndim != 2 or X.shape[0] != size:
            raise ValueError(f"dimension mismatch: operator of shape {self.shape}, matrix of shape {X.shape}")
        return multiply(X)

    def matmat(self, X):
        """The product with a matrix.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.linalg.aslinearoperator(cp.array([[1.0, 2.0], [3.0, 4.0]]))
        >>> A.matmat(cp.eye(2))
        array([[1., 2.],
               [3., 4.]])
        """
        return self._matrix(X, self.shape[1], self._matmat)

    def rmatmat(self, X):
        """The adjoint's product with a matrix.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.linalg.aslinearoperator(cp.array([[1.0, 2.0], [3.0, 4.0]]))
        >>> A.rmatmat(cp.eye(2))
        array([[1., 3.],
               [2., 4.]])
        """
        return self._matrix(X, self.shape[0], self._rmatmat)

    def dot(self, x):
        """The product with a number, a vector, a matrix or an operator.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.linalg.aslinearoperator(cp.array([[1.0, 2.0], [3.0, 4.0]]))
        >>> A.dot(cp.ones(2))
        array([3., 7.])
        """
        if isinstance(x, LinearOperator):
            return _Product(self, x)
        if numpy.isscalar(x):
            return _Scaled(self, x)
        if x.ndim == 1 or x.ndim == 2 and x.shape[1] == 1:
            return self.matvec(x)
        if x.ndim == 2:
            return self.matmat(x)
        raise ValueError(f"expected a vector or a matrix, got {x.ndim} dimensions")

    def _dot_from_left(self, x):
        if numpy.isscalar(x):
            return _Scaled(self, x)
        if x.ndim == 1:
            return self.T.matvec(x)
        if x.ndim == 2:
            return self.T.matmat(x.T).T
        raise ValueError(f"expected a vector or a matrix, got {x.ndim} dimensions")

    def __call__(self, x):
        return self @ x

    def __mul__(self, x):
        return self.dot(x)

    def __rmul__(self, x):
        return self._dot_from_left(x)

    def __matmul__(self, x):
        if numpy.isscalar(x):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self.dot(x)

    def __rmatmul__(self, x):
        if numpy.isscalar(x):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self._dot_from_left(x)

    def __truediv__(self, x):
        if not numpy.isscalar(x):
            raise ValueError("Can only divide a linear operator by a scalar.")
        return _Scaled(self, 1.0 / x)

    def __pow__(self, p):
        return _Power(self, p) if numpy.isscalar(p) else NotImplemented

    def __add__(self, x):
        return _Sum(self, x) if isinstance(x, LinearOperator) else NotImplemented

    def __neg__(self):
        return _Scaled(self, -1)

    def __sub__(self, x):
        return self + -x if isinstance(x, LinearOperator) else NotImplemented

    def __repr__(self):
        dtype = "unspecified dtype" if self.dtype is None else f"dtype={self.dtype}"
        return f"<{self.shape[0]}x{self.shape[1]} {type(self).__name__} with {dtype}>"

    def adjoint(self):
        """The operator of the conjugated transpose; also ``H``.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.linalg.aslinearoperator(cp.array([[1.0, 2.0], [3.0, 4.0]]))
        >>> A.adjoint().matvec(cp.ones(2))
        array([4., 6.])
        """
        return self._adjoint()

    H = property(adjoint)

    def transpose(self):
        """The operator of the transpose; also ``T``.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.linalg.aslinearoperator(cp.array([[1.0, 2.0], [3.0, 4.0]]))
        >>> A.transpose().matvec(cp.ones(2))
        array([4., 6.])
        """
        return self._transpose()

    T = property(transpose)


class _Functions(LinearOperator):
    """An operator of functions."""

    def __init__(self, shape, matvec, rmatvec=None, matmat=None, dtype=None, rmatmat=None):
        super().__init__(dtype, shape)
        self.args = ()
        self._functions = (matvec, rmatvec, matmat, rmatmat)
        self._init_dtype()

    def _matvec(self, x):
        return self._functions[0](x)

    def _matmat(self, X):
        function = self._functions[2]
        return super()._matmat(X) if function is None else function(X)

    def _rmatvec(self, x):
        if self._functions[1] is None:
            raise NotImplementedError("rmatvec is not defined")
        return self._functions[1](x)

    def _rmatmat(self, X):
        function = self._functions[3]
        return super()._rmatmat(X) if function is None else function(X)

    def _adjoint(self):
        matvec, rmatvec, matmat, rmatmat = self._functions
        if rmatvec is None:
            return _Adjoint(self)
        return _Functions((self.shape[1], self.shape[0]), rmatvec, matvec, rmatmat, self.dtype, matmat)


LinearOperator.__signature__ = inspect.signature(_Functions)


class _Matrix(LinearOperator):
    """The operator of an array or of a sparse matrix."""

    def __init__(self, A):
        super().__init__(A.dtype, A.shape)
        self.A = A
        self.args = (A,)
        self._adjoint_matrix = None

    def _matvec(self, x):
        return self.A @ x

    _matmat = _matvec

    def _adjoint(self):
        if self._adjoint_matrix is None:
            transposed = self.A.T
            self._adjoint_matrix = _Matrix(transposed.conj() if self.dtype.kind == "c" else transposed)
            self._adjoint_matrix._adjoint_matrix = self
        return self._adjoint_matrix


class _Composed(LinearOperator):
    """An operator of others, which are its `args`."""

    def __init__(self, shape, *args):
        known = [one.dtype for one in args if isinstance(one, LinearOperator) and one.dtype is not None]
        kept = [one for one in args if isinstance(one, (int, float, complex, numpy.generic))]
        super().__init__(numpy.result_type(*known, *kept) if known else None, shape)
        self.args = args


class _Adjoint(_Composed):
    def __init__(self, A):
        super().__init__((A.shape[1], A.shape[0]), A)
        self._matvec, self._rmatvec = A.rmatvec, A.matvec
        self._matmat, self._rmatmat = A.rmatmat, A.matmat

    def _matvec(self, x):
        raise NotImplementedError  # each object has its own

    def _adjoint(self):
        return self.args[0]


class _Transposed(_Composed):
    def __init__(self, A):
        super().__init__((A.shape[1], A.shape[0]), A)

    def _matvec(self, x):
        return self.args[0].rmatvec(x.conj()).conj()

    def _rmatvec(self, x):
        return self.args[0].matvec(x.conj()).conj()

    def _matmat(self, X):
        return self.args[0].rmatmat(X.conj()).conj()

    def _rmatmat(self, X):
        return self.args[0].matmat(X.conj()).conj()


class _Sum(_Composed):
    def __init__(self, A, B):
        if A.shape != B.shape:
            raise ValueError(f"cannot add {A} and {B}: shape mismatch")
        super().__init__(A.shape, A, B)

    def _matvec(self, x):
        return self.args[0].matvec(x) + self.args[1].matvec(x)

    def _rmatvec(self, x):
        return self.args[0].rmatvec(x) + self.args[1].rmatvec(x)

    def _matmat(self, X):
        return self.args[0].matmat(X) + self.args[1].matmat(X)

    def _rmatmat(self, X):
        return self.args[0].rmatmat(X) + self.args[1].rmatmat(X)

    def _adjoint(self):
        return self.args[0].H + self.args[1].H


class _Product(_Composed):
    def __init__(self, A, B):
        if A.shape[1] != B.shape[0]:
            raise ValueError(f"cannot multiply {A} and {B}: shape mismatch")
        super().__init__((A.shape[0], B.shape[1]), A, B)

    def _matvec(self, x):
        return self.args[0].matvec(self.args[1].matvec(x))

    def _rmatvec(self, x):
        return self.args[1].rmatvec(self.args[0].rmatvec(x))

    def _matmat(self, X):
        return self.args[0].matmat(self.args[1].matmat(X))

    def _rmatmat(self, X):
        return self.args[1].rmatmat(self.args[0].rmatmat(X))

    def _adjoint(self):
        return self.args[1].H @ self.args[0].H


class _Scaled(_Composed):
    def __init__(self, A, alpha):
        super().__init__(A.shape, A, alpha)

    def _matvec(self, x):
        return self.args[1] * self.args[0].matvec(x)

    def _rmatvec(self, x):
        return numpy.conj(self.args[1]) * self.args[0].rmatvec(x)

    def _matmat(self, X):
        return self.args[1] * self.args[0].matmat(X)

    def _rmatmat(self, X):
        return numpy.conj(self.args[1]) * self.args[0].rmatmat(X)

    def _adjoint(self):
        return self.args[0].H * numpy.conj(self.args[1])


class _Power(_Composed):
    def __init__(self, A, p):
        if A.shape[0] != A.shape[1]:
            raise ValueError(f"square LinearOperator expected, got {A}")
        if not isinstance(p, (int, numpy.integer)) or p < 0:
            raise ValueError(f"non-negative integer expected as power, got {p!r}")
        super().__init__(A.shape, A)
        self.args = (A, p)

    def _times(self, multiply, x):
        x = x.copy()
        for _ in range(self.args[1]):
            x = multiply(x)
        return x

    def _matvec(self, x):
        return self._times(self.args[0].matvec, x)

    def _rmatvec(self, x):
        return self._times(self.args[0].rmatvec, x)

    def _matmat(self, X):
        return self._times(self.args[0].matmat, X)

    def _rmatmat(self, X):
        return self._times(self.args[0].rmatmat, X)

    def _adjoint(self):
        return self.args[0].H ** self.args[1]


class _Identity(LinearOperator):
    """The operator of ones on the diagonal."""

    def __init__(self, shape, dtype=None):
        super().__init__(dtype, shape)

    def _matvec(self, x):
        return x

    _rmatvec = _matmat = _rmatmat = _matvec

    def _adjoint(self):
        return self


def aslinearoperator(A):
    """The operator of an array, of a sparse matrix, or of an object with `shape` and `matvec`.

    Parameters
    ----------
    A : 2-d ndarray, sparse matrix, LinearOperator or object

    Returns
    -------
    LinearOperator

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse.linalg import aslinearoperator
    >>> aslinearoperator(tn.eye(2)).matvec(tn.array([1.0, 3.0]))
    array([1., 3.])
    """
    if isinstance(A, LinearOperator):
        return A
    if isinstance(A, ndarray):
        if A.ndim > 2:
            raise ValueError("array must have ndim <= 2")
        if A.ndim < 2:
            A = A.reshape(1, -1)
        return _Matrix(A)
    if issparse(A):
        return _Matrix(A.tocsr() if A.format != "csr" else A)
    if hasattr(A, "shape") and hasattr(A, "matvec"):
        return LinearOperator(
            A.shape,
            A.matvec,
            rmatvec=getattr(A, "rmatvec", None),
            dtype=getattr(A, "dtype", None),
            rmatmat=getattr(A, "rmatmat", None),
        )
    raise TypeError(f"type not understood: {type(A).__name__} is no array, sparse matrix or linear operator")
