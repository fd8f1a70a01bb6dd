"""Distances of all rows of arrays."""

import numpy

import tenorite
from tenorite import _core
from tenorite.scipy.spatial.distance._metrics import METRICS, PLAIN, find, prepare

__all__ = ["cdist", "directed_hausdorff", "distance_matrix", "pairwise_distance", "pdist"]

_ndarray, _distances = _core.ndarray, _core._distances
_FLOATS, _INTEGERS = ("f", "d"), frozenset("?bBhHiIlLqQ")


def _between_shares(arrays, number, out, kwargs):
    """Jensen and Shannon's distances, of rows divided by their sums; without a sum infinite."""
    given, *_ = prepare(METRICS["jensenshannon"], arrays, kwargs, out)
    if len(given) == 2 and given[0] is given[1]:
        given = given[:1]
    sums = [one.sum(axis=1, keepdims=True) for one in given]
    shares = [one / total for one, total in zip(given, sums)]
    is_none = [total == 0 for total in sums]
    result = _distances(shares[0], shares[-1] if len(arrays) == 2 else None, number, 2.0, None, out)
    if len(arrays) == 2:
        result[is_none[0] | is_none[-1].T] = numpy.inf
    else:
        first, second = tenorite.triu_indices(len(given[0]), 1)
        result[is_none[0][first, 0] | is_none[0][second, 0]] = numpy.inf
    return result if out is None else out


def _by_function(arrays, metric, out, kwargs):
    """Distances of pairs by a function of the program, in Python."""
    a, b = arrays[0], arrays[-1]
    if len(arrays) == 2:
        pairs, shape = [(i, j) for i in range(len(a)) for j in range(len(b))], (len(a), len(b))
    else:
        pairs = [(i, j) for i in range(len(a)) for j in range(i + 1, len(a))]
        shape = (len(pairs),)
    if out is not None and out.shape != shape:
        raise ValueError("Output array has incorrect shape.")
    values = numpy.array([float(metric(a[i], b[j], **kwargs)) for i, j in pairs], "d").reshape(shape)
    made = _core.asarray(values)
    if out is None:
        return made
    out[...] = made
    return out


def _measure(arrays, metric, out, kwargs):
    found = find(metric)
    if found is None:
        return _by_function(arrays, metric, out, kwargs)
    if found.name == "jensenshannon":
        return _between_shares(arrays, found.number, out, kwargs)
    arrays, p, weights = prepare(found, arrays, kwargs, out)
    return _distances(arrays[0], arrays[1] if len(arrays) == 2 else None, found.number, p, weights, out)


def cdist(XA, XB, metric="euclidean", out=None, **kwargs):
    """Distances of each row of an array to each of another.

    Parameters
    ----------
    XA : array_like, shape (m, n)
    XB : array_like, shape (k, n)
    metric : str or callable, optional
        A name of SciPy's ('braycurtis', 'canberra', 'chebyshev', 'cityblock', 'correlation',
        'cosine', 'dice', 'euclidean', 'hamming', 'jaccard', 'jensenshannon', 'mahalanobis',
        'minkowski', 'rogerstanimoto', 'russellrao', 'seuclidean', 'sokalsneath', 'sqeuclidean',
        'yule'), one of CuPy's ('hellinger', 'kl_divergence'), or a function of two rows.
    out : ndarray, optional
        Where the distances go, in C order.
    **kwargs
        p of 'minkowski'; w, the weights of columns; V, the variances of 'seuclidean'; VI, the
        inverse covariance of 'mahalanobis'; what a function takes.

    Returns
    -------
    ndarray, shape (m, k)
        float64, or float32 for rows of float32 or float16 (as in CuPy). Equal rows are at distance
        0 exactly.

    Raises
    ------
    ValueError
        For arrays that do not fit, an unknown metric, negative weights.
    TypeError
        For a metric that is no name and no function, and what a metric does not take.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.spatial.distance import cdist
    >>> cdist(tn.array([[0.0, 0.0], [3.0, 4.0]]), tn.array([[0.0, 0.0]]))
    array([[0.],
           [5.]])
    """
    if type(XA) is _ndarray and type(XB) is _ndarray and out is None and not kwargs:
        number = PLAIN.get(metric) if type(metric) is str else None
        if number is not None and XA.dtype == XB.dtype:
            kind = XA.dtype.char
            if kind in _INTEGERS:
                XA, XB, kind = XA.astype("d"), XB.astype("d"), "d"
            if kind in _FLOATS:
                return _distances(XA, XB, number, 2.0, None, None)
    XA, XB = _core.asarray(XA), _core.asarray(XB)
    if XA.ndim != 2:
        raise ValueError("XA must be a 2-dimensional array.")
    if XB.ndim != 2:
        raise ValueError("XB must be a 2-dimensional array.")
    if XA.shape[1] != XB.shape[1]:
        raise ValueError("XA and XB must have the same number of columns (i.e. feature dimension.)")
    return _measure([XA, XB], metric, out, {name: one for name, one in kwargs.items() if one is not None})


def pdist(X, metric="euclidean", *, out=None, **kwargs):
    """Distances of all pairs of rows of an array.

    Parameters
    ----------
    X : array_like, shape (m, n)
    metric : str or callable, optional
    out : ndarray, optional
    **kwargs
        All as of `cdist`.

    Returns
    -------
    ndarray, shape (m (m - 1) / 2,)
        Of the pairs (0, 1), (0, 2), ..., (1, 2), ...; `squareform` makes a matrix of them.

    Raises
    ------
    ValueError, TypeError
        As of `cdist`.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.spatial.distance import pdist
    >>> pdist(tn.array([[0.0], [1.0], [4.0]]), "cityblock")
    array([1., 4., 3.])
    """
    X = _core.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"A 2-dimensional array must be passed. (Shape was {X.shape}).")
    return _measure([X], metric, out, {name: one for name, one in kwargs.items() if one is not None})


def pairwise_distance(X, Y, out=None, metric="euclidean", p=2.0):
    """Distances of each row of an array to each of another, as CuPy's function of that name.

    Parameters
    ----------
    X, Y : array_like, shapes (m, n) and (k, n)
    out : ndarray, optional
    metric : str, optional
    p : float, optional
        The exponent of 'minkowski'.

    Returns
    -------
    ndarray, shape (m, k)

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.spatial.distance import pairwise_distance
    >>> pairwise_distance(tn.array([[0.0, 1.0]]), tn.array([[2.0, 1.0]]), metric="minkowski", p=3)
    array([[2.]])
    """
    is_of_p = find(metric) is not None and "p" in find(metric).takes
    return cdist(X, Y, metric, out, **({"p": p} if is_of_p else {}))


def distance_matrix(x, y, p=2.0, threshold=1000000):
    """Minkowski's distances of each row of an array to each of another.

    Parameters
    ----------
    x, y : array_like, shapes (m, n) and (k, n)
    p : float, optional
        The exponent.
    threshold : int, optional
        Taken and not used: memory is that of the result.

    Returns
    -------
    ndarray, shape (m, k)

    Raises
    ------
    ValueError
        For rows of different lengths.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.spatial import distance_matrix
    >>> distance_matrix(tn.array([[0.0, 0.0]]), tn.array([[3.0, 4.0]]))
    array([[5.]])
    """
    x, y = _core.asarray(x), _core.asarray(y)
    if x.shape[-1:] != y.shape[-1:]:
        raise ValueError(
            f"x contains {x.shape[-1]}-dimensional vectors but y contains {y.shape[-1]}-dimensional vectors"
        )
    return cdist(x, y, "minkowski", p=p)


def directed_hausdorff(u, v, rng=0):
    """The largest distance of a row of an array to the nearest one of another.

    Parameters
    ----------
    u, v : array_like, shapes (m, n) and (k, n)
    rng : optional
        Taken and not used: all distances are computed, a few rows at a time.

    Returns
    -------
    (float, int, int)
        The distance, and the numbers of the two rows.

    Raises
    ------
    ValueError
        For rows of different lengths.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.spatial.distance import directed_hausdorff
    >>> directed_hausdorff(tn.array([[0.0], [4.0]]), tn.array([[0.5], [1.0]]))
    (3.0, 1, 1)
    """
    u, v = _core.asarray(u, "d"), _core.asarray(v, "d")
    if u.ndim != 2 or v.ndim != 2 or u.shape[1] != v.shape[1]:
        raise ValueError("u and v need to have the same number of columns")
    most, found = -1.0, (0, 0)
    step = max(1, (1 << 24) // max(len(v), 1))
    for first in range(0, len(u), step):
        distances = cdist(u[first : first + step], v)
        nearest = distances.min(axis=1)
        row = int(nearest.argmax())
        distance = float(nearest[row])
        if distance > most:
            most, found = distance, (first + row, int(distances[row].argmin()))
    return (max(most, 0.0), *found)
