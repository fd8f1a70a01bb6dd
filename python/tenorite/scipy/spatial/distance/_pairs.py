"""Distances of two vectors: one call of the core each."""

import numpy

import tenorite
from tenorite import _core
from tenorite.scipy.spatial.distance._documents import documented
from tenorite.scipy.spatial.distance._metrics import METRICS, PLAIN, prepare
from tenorite.scipy.special import rel_entr

__all__ = [
    "braycurtis",
    "canberra",
    "chebyshev",
    "cityblock",
    "correlation",
    "cosine",
    "dice",
    "euclidean",
    "hamming",
    "hellinger",
    "jaccard",
    "jensenshannon",
    "kl_divergence",
    "mahalanobis",
    "minkowski",
    "rogerstanimoto",
    "russellrao",
    "seuclidean",
    "sokalsneath",
    "sqeuclidean",
    "yule",
]


_ndarray = _core.ndarray


def _vector(u):
    u = _core.asarray(u)
    if u.ndim != 1:
        raise ValueError("Input vector should be 1-D.")
    return u


def _distance(name, u, v, p=None, w=None, **kwargs):
    """The distance as an array without axes."""
    if type(u) is _ndarray and type(v) is _ndarray and name in PLAIN and w is None:
        if u.ndim == v.ndim == 1 and u.dtype == v.dtype and u.dtype.char in ("f", "d"):
            return _core._distances(u[None], v[None], PLAIN[name], 2.0 if p is None else p, None, None)[0, 0]
    u, v = _vector(u), _vector(v)
    if u.shape != v.shape:
        raise ValueError("The 1d arrays must have equal lengths.")
    if "c" in (u.dtype.kind, v.dtype.kind) and name in ("euclidean", "minkowski", "cityblock", "chebyshev"):
        u, v = abs(u - v), _core.zeros(u.shape)
    given = {key: one for key, one in {"p": p, "w": w, **kwargs}.items() if one is not None}
    rows, power, weights = prepare(METRICS[name], [u[None, :], v[None, :]], given, None)
    return _core._distances(rows[0], rows[1], METRICS[name].number, power, weights, None)[0, 0]


@documented
def braycurtis(u, v, w=None):
    """Bray and Curtis's distance: the sum of ``|u - v|`` over the sum of ``|u + v|``.

    Examples
    --------
    >>> from tenorite.scipy.spatial import distance
    >>> distance.braycurtis([1, 0, 0], [0, 1, 0])
    array(1.)
    """
    return _distance("braycurtis", u, v, w=w)


@documented
def canberra(u, v, w=None):
    """The Canberra distance: the sum of ``|u - v| / (|u| + |v|)``, without places where both are 0.

    Examples
    --------
    >>> from tenorite.scipy.spatial import distance
    >>> distance.canberra([1, 0, 0], [0, 1, 0])
    array(2.)
    """
    return _distance("canberra", u, v, w=w)


@documented
def chebyshev(u, v, w=None):
    """Chebyshev's distance: the largest ``|u - v|`` of a weight above 0.

    Examples
    --------
    >>> from tenorite.scipy.spatial import distance
    >>> distance.chebyshev([1, 0, 5], [0, 1, 0])
    array(5.)
    """
    return _distance("chebyshev", u, v, w=w)


@documented
def cityblock(u, v, w=None):
    """The Manhattan distance: the sum of ``|u - v|``.

    Examples
    --------
    >>> from tenorite.scipy.spatial import distance
    >>> distance.cityblock([1, 0, 0], [0, 1, 0])
    array(2.)
    """
    return _distance("cityblock", u, v, w=w)


@documented
def correlation(u, v, w=None, centered=True):
    """1 less the correlation of two vectors.

    Raises
    ------
    ValueError
        For vectors of other axes or lengths, and negative weights.
    TypeError
        For complex vectors.

    Examples
    --------
    >>> from tenorite.scipy.spatial import distance
    >>> distance.correlation([1, 0, 1], [1, 1, 0])
    array(1.5)
    """
    u, v = _vector(u), _vector(v)
    if "c" in (u.dtype.kind, v.dtype.kind):
        raise TypeError("`u` and `v` must be real.")
    return _distance("correlation" if centered else "cosine", u, v, w=w)


@documented
def cosine(u, v, w=None):
    """1 less the cosine of the angle between two vectors.

    Examples
    --------
    >>> from tenorite.scipy.spatial import distance
    >>> distance.cosine([1, 0, 0], [0, 1, 0])
    array(1.)
    """
    return _distance("cosine", u, v, w=w)


@documented
def dice(u, v, w=None):
    """Dice's dissimilarity of flags.

    Examples
    --------
    >>> from tenorite.scipy.spatial import distance
    >>> distance.dice([True, False], [True, True])
    array(0.33333333)
    """
    return _distance("dice", u, v, w=w)


@documented
def euclidean(u, v, w=None):
    """The Euclidean distance.

    Examples
    --------
    >>> from tenorite.scipy.spatial import distance
    >>> distance.euclidean([0, 0], [3, 4])
    array(5.)
    """
    return _distance("euclidean", u, v, w=w)


@documented
def hamming(u, v, w=None):
    """The share of places where two vectors differ.

    Examples
    --------
    >>> from tenorite.scipy.spatial import distance
    >>> distance.hamming([1, 0], [1, 1])
    array(0.5)
    """
    return _distance("hamming", u, v, w=w)


@documented
def hellinger(u, v):
    """Hellinger's distance: the Euclidean one of square roots, over the square root of 2.

    Raises
    ------
    ValueError
        For vectors of other axes or lengths.

    Examples
    --------
    >>> from tenorite.scipy.spatial import distance
    >>> distance.hellinger([1.0, 0.0], [0.0, 1.0])
    array(1.)
    """
    return _distance("hellinger", u, v)


@documented
def jaccard(u, v, w=None):
    """Jaccard's dissimilarity of flags: the share of places where one is true that one alone is.

    Examples
    --------
    >>> from tenorite.scipy.spatial import distance
    >>> distance.jaccard([True, False], [True, True])
    array(0.5)
    """
    return _distance("jaccard", u, v, w=w)


@documented
def jensenshannon(p, q, base=None, *, axis=0, keepdims=False):
    """Jensen and Shannon's distance of distributions, which are divided by their sums first.

    Returns
    -------
    ndarray
        float64, or float32 for arrays of float32.

    Raises
    ------
    AxisError
        For an axis that there is not.

    Examples
    --------
    >>> from tenorite.scipy.spatial import distance
    >>> distance.jensenshannon([1.0, 0.0], [0.0, 1.0], 2.0)
    array(1.)
    """
    p, q = _core.asarray(p), _core.asarray(q)
    p, q = p / p.sum(axis=axis, keepdims=True), q / q.sum(axis=axis, keepdims=True)
    mean = (p + q) / 2.0
    divergence = (rel_entr(p, mean) + rel_entr(q, mean)).sum(axis=axis, keepdims=keepdims)
    if base is not None:
        divergence = divergence / numpy.log(base)
    return tenorite.sqrt(tenorite.maximum(divergence, 0) / 2.0)


@documented
def kl_divergence(u, v):
    """Kullback and Leibler's divergence: the sum of ``u log(u / v)``.

    Raises
    ------
    ValueError
        For vectors of other axes or lengths.

    Examples
    --------
    >>> from tenorite.scipy.spatial import distance
    >>> distance.kl_divergence([1.0, 0.0], [0.5, 0.5])
    array(0.69314718)
    """
    return _distance("kl_divergence", u, v)


@documented
def mahalanobis(u, v, VI):
    """Mahalanobis's distance.

    Returns
    -------
    ndarray, shape ()

    Raises
    ------
    ValueError
        For vectors of other axes or lengths.

    Examples
    --------
    >>> from tenorite.scipy.spatial import distance
    >>> distance.mahalanobis([1, 0], [0, 0], [[4.0, 0.0], [0.0, 1.0]])
    array(2.)
    """
    return _distance("mahalanobis", u, v, VI=tenorite.atleast_2d(_core.asarray(VI)))


@documented
def minkowski(u, v, p=2, w=None):
    """Minkowski's distance: the root of the sum of ``w |u - v|^p``.

    Raises
    ------
    ValueError
        For vectors of other axes or lengths, negative weights, and p not above 0.

    Examples
    --------
    >>> from tenorite.scipy.spatial import distance
    >>> distance.minkowski([0, 0], [3, 4], 1)
    array(7.)
    """
    return _distance("minkowski", u, v, p=p, w=w)


@documented
def rogerstanimoto(u, v, w=None):
    """Rogers and Tanimoto's dissimilarity of flags.

    Examples
    --------
    >>> from tenorite.scipy.spatial import distance
    >>> distance.rogerstanimoto([True, False], [True, True])
    array(0.66666667)
    """
    return _distance("rogerstanimoto", u, v, w=w)


@documented
def russellrao(u, v, w=None):
    """Russell and Rao's dissimilarity of flags: the share of places where not both are true.

    Examples
    --------
    >>> from tenorite.scipy.spatial import distance
    >>> distance.russellrao([True, False], [True, True])
    array(0.5)
    """
    return _distance("russellrao", u, v, w=w)


@documented
def seuclidean(u, v, V):
    """The Euclidean distance of vectors whose places have variances.

    Returns
    -------
    ndarray, shape ()

    Raises
    ------
    TypeError
        For variances of another length.
    ValueError
        For vectors of other axes or lengths.

    Examples
    --------
    >>> from tenorite.scipy.spatial import distance
    >>> distance.seuclidean([1, 0], [0, 0], [0.25, 1.0])
    array(2.)
    """
    u, v, V = _vector(u), _vector(v), _vector(V)
    if V.shape != u.shape or u.shape != v.shape:
        raise TypeError("V must be a 1-D array of the same dimension as u and v.")
    return _distance("seuclidean", u, v, V=V)


@documented
def sokalsneath(u, v, w=None):
    """Sokal and Sneath's dissimilarity of flags.

    Returns
    -------
    ndarray, shape ()

    Raises
    ------
    ValueError
        For vectors of other axes or lengths, negative weights, and vectors without a true place.

    Examples
    --------
    >>> from tenorite.scipy.spatial import distance
    >>> distance.sokalsneath([True, False], [True, True])
    array(0.66666667)
    """
    made = _distance("sokalsneath", u, v, w=w)
    if bool(tenorite.isnan(made)):
        raise ValueError("Sokal-Sneath dissimilarity is not defined for vectors that are entirely false.")
    return made


@documented
def sqeuclidean(u, v, w=None):
    """The square of the Euclidean distance.

    Examples
    --------
    >>> from tenorite.scipy.spatial import distance
    >>> distance.sqeuclidean([0, 0], [3, 4])
    array(25.)
    """
    return _distance("sqeuclidean", u, v, w=w)


@documented
def yule(u, v, w=None):
    """Yule's dissimilarity of flags.

    Examples
    --------
    >>> from tenorite.scipy.spatial import distance
    >>> distance.yule([True, False, True], [True, True, False])
    array(2.)
    """
    return _distance("yule", u, v, w=w)
