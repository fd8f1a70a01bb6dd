"""Linear algebra in the main namespace, which is products; those of matrices and vectors are in
C."""

from tenorite import _core
from tenorite._arguments import as_array, as_array_of
from tenorite._numpy._documents import documented
from tenorite._numpy.rearranging import moveaxis


@documented
def kron(a, b):
    """The Kronecker product: blocks of b, each multiplied by an element of a.

    Of arrays of several dimensions the one with fewer gets leading axes of size 1.

    Parameters
    ----------
    a : ndarray
        The first operand.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.kron(cp.array([1, 10]), cp.array([1, 2]))
    array([ 1,  2, 10, 20])
    """
    a, b = as_array(a), as_array(b)
    ndim = max(a.ndim, b.ndim)
    if not a.ndim or not b.ndim:
        return a * b
    a_shape = (1,) * (ndim - a.ndim) + a.shape
    b_shape = (1,) * (ndim - b.ndim) + b.shape
    a = a.reshape([size for pair in zip(a_shape, (1,) * ndim) for size in pair])
    b = b.reshape([size for pair in zip((1,) * ndim, b_shape) for size in pair])
    return (a * b).reshape([m * n for m, n in zip(a_shape, b_shape)])


@documented
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The cross product of vectors of 2 or 3 elements, which lie along axisa and axisb.

    Of two vectors of 2 elements only the third component, and no axis for it; else the result's
    vectors lie along axisc. axis: all three of them. ValueError for vectors of other sizes.

    Parameters
    ----------
    a : ndarray
        The first vectors.
    axisa : int, optional
        The axis of the vectors of `a`.
    axisb : int, optional
        The axis of the vectors of `b`.
    axisc : int, optional
        The axis of the vectors of the result.
    axis : int, optional
        The axis of the vectors in all three.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cross(cp.array([1, 0, 0]), cp.array([0, 1, 0]))
    array([0, 0, 1])
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = as_array_of(a), as_array_of(b)
    if not a.ndim or not b.ndim:
        raise ValueError("At least one array has zero dimension")
    a, b = moveaxis(a, axisa, -1), moveaxis(b, axisb, -1)
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    (a0, a1, *a2), (b0, b1, *b2) = _components(a), _components(b)
    third = a0 * b1 - a1 * b0
    if not a2 and not b2:
        return third
    first, second = (
        [a1 * b2[0], -(a0 * b2[0])]
        if not a2
        else [-(a2[0] * b1), a2[0] * b0]
        if not b2
        else [a1 * b2[0] - a2[0] * b1, a2[0] * b0 - a0 * b2[0]]
    )
    return moveaxis(_core.stack([first, second, third], axis=-1), -1, axisc)


def _components(vectors):
    return [vectors[..., k] for k in range(vectors.shape[-1])]
