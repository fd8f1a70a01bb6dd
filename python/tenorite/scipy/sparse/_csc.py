"""Sparse matrices by compressed columns."""

from tenorite.scipy.sparse._compressed import _Compressed
from tenorite.scipy.sparse._documents import documented
from tenorite.scipy.sparse._kinds import sparray, spmatrix
from tenorite.scipy.sparse._vectors import _Vectors


class _Columns(_Compressed):
    format = "csc"

    @staticmethod
    def _swap(rows, columns):
        return columns, rows


@documented
class csc_matrix(_Columns, spmatrix):
    """A sparse matrix by compressed columns.

    Parameters
    ----------
    arg1
        An array of two axes; a sparse matrix, SciPy's too; a shape; (data, (row, column)); or
        (data, indices, indptr), where column c has the elements indptr[c] to before indptr[c + 1].

    Examples
    --------
    >>> import tenorite as tn
    >>> a = tn.scipy.sparse.csc_matrix((tn.array([1.0, 2.0]), ([0, 1], [1, 0])), shape=(2, 2))
    >>> a @ tn.array([10.0, 20.0])
    array([20., 20.])
    """

    def getrow(self, i):
        """Row i, as a csr matrix of one row.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csc_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.getrow(1).toarray()
        array([[2., 3.]])
        """
        return self._line(i, 0).tocsr()

    def getcol(self, j):
        """Column j, as a matrix of one column.

        Examples
        --------
        >>> import tenorite as cp
        >>> A = cp.scipy.sparse.csc_matrix(cp.array([[1.0, 0.0], [2.0, 3.0]]))
        >>> A.getcol(0).toarray()
        array([[1.],
               [2.]])
        """
        return self._line(j, 1)


@documented
class csc_array(_Vectors, _Columns, sparray):
    """A sparse array of two axes by compressed columns; its operators are those of arrays.

    Parameters
    ----------
    arg1
        As of csc_matrix.

    Examples
    --------
    >>> import tenorite as tn
    >>> a = tn.scipy.sparse.csc_array(tn.array([[0.0, 2.0], [3.0, 0.0]]))
    >>> (a * a).toarray()
    array([[0., 4.],
           [9., 0.]])
    """


@documented
def isspmatrix_csc(x):
    """Whether an object is a csc_matrix.

    Returns
    -------
    bool

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.isspmatrix_csc(tn.scipy.sparse.eye(3, format="csc"))
    True
    """
    return isinstance(x, csc_matrix)
