"""Sparse matrices by compressed rows."""

from tenorite.scipy.sparse._compressed import _Compressed
from tenorite.scipy.sparse._documents import documented
from tenorite.scipy.sparse._kinds import sparray, spmatrix
from tenorite.scipy.sparse._vectors import _Vectors


class _Rows(_Compressed):
    format = "csr"

    @staticmethod
    def _swap(*pair):
        """Lines and places in them of rows and columns; an array of one axis is one row."""
        return pair if len(pair) == 2 else (1, *pair)


@documented
class csr_matrix(_Rows, spmatrix):
    """A sparse matrix by compressed rows.

    Parameters
    ----------
    arg1
        An array of two axes; a sparse matrix, SciPy's too; a shape; (data, (row, column)); or
        (data, indices, indptr), where row r has the elements indptr[r] to before indptr[r + 1].

    Examples
    --------
    >>> import tenorite as tn
    >>> a = tn.scipy.sparse.csr_matrix((tn.array([1.0, 2.0]), ([0, 1], [1, 0])), shape=(2, 2))
    >>> a @ tn.array([10.0, 20.0])
    array([20., 20.])
    """

    def getrow(self, i):
        """Row i, as a matrix of one row.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]])).getrow(1).toarray()
        array([[2., 3.]])
        """
        return self._line(i, 0)

    def getcol(self, j):
        """Column j, as a matrix of one column.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.scipy.sparse.csr_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]])).getcol(1).toarray()
        array([[0.],
               [3.]])
        """
        return self._line(j, 1)


@documented
class csr_array(_Vectors, _Rows, sparray):
    """A sparse array of one axis or two by compressed rows; its operators are those of arrays.

    Parameters
    ----------
    arg1
        As of csr_matrix.

    Examples
    --------
    >>> import tenorite as tn
    >>> a = tn.scipy.sparse.csr_array(tn.array([[0.0, 2.0], [3.0, 0.0]]))
    >>> (a * a).toarray()
    array([[0., 4.],
           [9., 0.]])
    """

    _allow_nd = (1, 2)


@documented
def isspmatrix_csr(x):
    """Whether an object is a csr_matrix.

    Returns
    -------
    bool

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.isspmatrix_csr(tn.scipy.sparse.eye(3, format="csr"))
    True
    """
    return isinstance(x, csr_matrix)
