"""Distances of elements from the nearest one that is 0."""

import math
import operator

import numpy

from tenorite import _core
from tenorite._arguments import as_array, beside
from tenorite._numpy.grids import unravel_index
from tenorite._numpy.indexing import where
from tenorite.scipy.ndimage._structure import structure_of

__all__ = ["distance_transform_bf", "distance_transform_cdt", "distance_transform_edt"]

_EUCLIDEAN, _TAXICAB, _CHESSBOARD = range(3)
_METRICS = {
    "euclidean": _EUCLIDEAN,
    "taxicab": _TAXICAB,
    "cityblock": _TAXICAB,
    "manhattan": _TAXICAB,
    "chessboard": _CHESSBOARD,
}
# What is nearest where no element is 0 (enum tn_distance_none).
_BEFORE, _FIRST, _ITSELF = range(3)
# What indices may be written to: those of SciPy, and of CuPy.
_INDICES = ["int32", "int16", "uint16", "uint32", "int64", "uint64"]


def _check(return_distances, return_indices, distances, indices):
    """Refuses outputs that are not asked for, in SciPy's words."""
    found = []
    if not return_distances and not return_indices:
        found.append("at least one of return_distances/return_indices must be True")
    if isinstance(distances, _core.ndarray) and not return_distances:
        found.append("return_distances must be True if distances is supplied")
    if isinstance(indices, _core.ndarray) and not return_indices:
        found.append("return_indices must be True if indices is supplied")
    if found:
        raise RuntimeError(", ".join(found))


def _check_output(array, name, shape, dtypes):
    if isinstance(array, _core.ndarray):
        if array.shape != shape:
            raise RuntimeError(f"{name} array has wrong shape")
        if array.dtype not in dtypes:
            raise RuntimeError(f"{name} array must be {numpy.dtype(dtypes[0])}")


def _check_bands(numbers, size):
    """Refuses numbers of bands that CuPy does, whose blocks have 32 threads."""
    first, second, third = map(operator.index, numbers)
    if min(first, second, third) < 1 or second & (second - 1):
        raise ValueError(f"block_params must be from 1 on, the second a power of 2, not {tuple(numbers)}")
    step = math.lcm(32, first, second, third)
    if max(first, second, third) > -(-size // step) * step // 32:
        raise ValueError(f"block_params {tuple(numbers)} are too large for {size} elements along an axis")


def _samplings(sampling, rank):
    """How far elements are apart along each axis, as bytes of float64; none for 1."""
    if sampling is None:
        return b""
    several = list(sampling) if numpy.iterable(sampling) else [sampling] * rank
    if len(several) != rank:
        raise RuntimeError("sequence argument must have length equal to input rank")
    return numpy.asarray(several, dtype=numpy.float64).tobytes()


def _deliver(pairs):
    """Of each pair of an array and the one it goes to, the first where there is no other."""
    results = []
    for made, output in pairs:
        if isinstance(output, _core.ndarray):
            output[...] = made
        elif made is not None:
            results.append(made)
    return tuple(results) if len(results) == 2 else results[0] if results else None


@beside
def distance_transform_edt(
    input,
    sampling=None,
    return_distances=True,
    return_indices=False,
    distances=None,
    indices=None,
    *,
    block_params=None,
    float64_distances=True,
):
    """Euclidean distances from the nearest element that is 0.

    Parameters
    ----------
    input : array_like
        An image of any number of axes.
    sampling : float or sequence of float, optional
        How far elements are apart, along all axes or each. By default 1.
    return_distances, return_indices : bool, optional
        What is asked for.
    distances : ndarray of float64, optional
        Where the distances go; of the image's shape.
    indices : ndarray of integers, optional
        Where the indices go; an axis more than the image, with as many elements as it has axes.
    block_params : sequence of 3 int, optional
        CuPy's numbers of bands: checked, and not used.
    float64_distances : bool, optional
        False: distances are float32.

    Returns
    -------
    distances : ndarray of float64 or float32
        Only if it is asked for and not given.
    indices : ndarray of int32
        Along each axis the index of the nearest element that is 0; of several that are as near any
        one. Only if it is asked for and not given.

    Raises
    ------
    RuntimeError
        Nothing is asked for, an output has another shape or dtype, or `sampling` another length.
    ValueError
        `block_params` are none: numbers from 1 on that the longest axis has room for, of which the
        second is a power of 2.

    Notes
    -----
    Exact, by one pass along each axis, of which the time does not depend on the distances: lower
    envelopes of parabolas on the host, searches among as many sites as a line has elements on a
    GPU. Where no element is 0, distances are measured to index -1 of the first axis and 0 of the
    others, as SciPy does.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.distance_transform_edt(tn.array([[0, 1, 1], [1, 1, 1]]))
    array([[0.        , 1.        , 2.        ],
           [1.        , 1.41421356, 2.23606798]])
    """
    _check(return_distances, return_indices, distances, indices)
    input = as_array(input)
    if input.ndim == 0:
        input = input.reshape(1)
    if block_params is not None:
        _check_bands(block_params, max(input.shape))
    spaces = _samplings(sampling, input.ndim)
    _check_output(indices, "indices", (input.ndim, *input.shape), _INDICES)
    _check_output(distances, "distances", input.shape, ["float64" if float64_distances else "float32"])
    far, places = _core._distance(input, _EUCLIDEAN, spaces, _BEFORE, bool(return_indices))
    if not float64_distances:
        far = far.astype("float32")
    if distances is None and indices is None and not return_indices:
        return far
    return _deliver([(far if return_distances else None, distances), (places, indices)])


@beside
def distance_transform_cdt(
    input, metric="chessboard", return_distances=True, return_indices=False, distances=None, indices=None
):
    """Distances in steps from the nearest element that is 0.

    Parameters
    ----------
    input : array_like
        An image of any number of axes.
    metric : {'chessboard', 'taxicab', 'cityblock', 'manhattan'} or array_like, optional
        Which steps there are: along axes and diagonals, or along one axis; or three flags along
        each axis, of which the first half counts, for both directions.
    return_distances, return_indices : bool, optional
        What is asked for.
    distances : ndarray of int32, optional
        Where the distances go; of the image's shape.
    indices : ndarray of int32, optional
        Where the indices go; an axis more than the image, with as many elements as it has axes.

    Returns
    -------
    distances : ndarray of int32
        -1 where no element is 0. Only if it is asked for and not given.
    indices : ndarray of int32
        Along each axis the index of the nearest element that is 0; of several that are as near any
        one. Only if it is asked for and not given.

    Raises
    ------
    ValueError
        The metric is unknown, or does not have three flags along an axis; an output has another
        shape or dtype.
    RuntimeError
        Nothing is asked for, or the metric has another number of axes.

    Notes
    -----
    Steps of other structures than the two named are followed in one walk through all elements and
    one back, which is sequential: the host does it for every device.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.distance_transform_cdt(tn.array([[0, 1, 1], [1, 1, 1]]), "taxicab")
    array([[0, 1, 2],
           [1, 2, 3]], dtype=int32)
    """
    _check(return_distances, return_indices, distances, indices)
    input = as_array(input)
    number, flags = _read_metric(metric, input.ndim)
    if isinstance(distances, _core.ndarray):
        if distances.dtype != "int32":
            raise ValueError("distances must be of int32 type")
        if distances.shape != input.shape:
            raise ValueError("distances has wrong shape")
    if isinstance(indices, _core.ndarray):
        if indices.dtype != "int32":
            raise ValueError("indices array must be int32")
        if indices.shape != (input.ndim, *input.shape):
            raise ValueError("indices array has wrong shape")
    if number is not None:
        far, places = _core._distance(input, number, b"", _ITSELF, bool(return_indices))
        far = far.astype("i") if return_distances else None
    else:
        far, flat = _core._chamfer(input, flags, bool(return_indices))
        places = flat if flat is None else _core.stack(unravel_index(flat, input.shape)).astype("i")
    return _deliver([(far if return_distances else None, distances), (places, indices)])


def _read_metric(metric, rank):
    """The number of a metric, or None and a structure's flags."""
    if isinstance(metric, str):
        if metric == "euclidean" or metric not in _METRICS:
            raise ValueError("invalid metric provided")
        return _METRICS[metric], None
    flags = numpy.asarray(metric.get() if isinstance(metric, _core.ndarray) else metric)
    if any(size != 3 for size in flags.shape):
        raise ValueError("metric sizes must be equal to 3")
    if flags.ndim != rank:
        raise RuntimeError("structure and input must have equal rank")
    flags = (flags != 0).tobytes()
    half = len(flags) // 2
    for number, connectivity in (_TAXICAB, 1), (_CHESSBOARD, rank):
        if rank and flags[:half] == structure_of(rank, connectivity)[:half]:
            return number, None
    return None, flags


@beside
def distance_transform_bf(
    input, metric="euclidean", sampling=None, return_distances=True, return_indices=False, distances=None, indices=None
):
    """Distances from the nearest element that is 0, by one of three metrics.

    Parameters
    ----------
    input : array_like
        An image of any number of axes.
    metric : {'euclidean', 'taxicab', 'cityblock', 'manhattan', 'chessboard'}, optional
    sampling : float or sequence of float, optional
        How far elements are apart, along all axes or each, for the Euclidean metric. By default 1.
    return_distances, return_indices : bool, optional
        What is asked for.
    distances : ndarray, optional
        Where the distances go; of the image's shape and the result's dtype.
    indices : ndarray of int32, optional
        Where the indices go; an axis more than the image, with as many elements as it has axes.

    Returns
    -------
    distances : ndarray
        Of float64 for the Euclidean metric, else of uint32; the largest that there is where no
        element is 0. Only if it is asked for and not given.
    indices : ndarray of int32
        Along each axis the index of the nearest element that is 0; of several that are as near any
        one. Only if it is asked for and not given.

    Raises
    ------
    RuntimeError
        The metric is unknown, nothing is asked for, an output has another shape or dtype, or
        `sampling` another length.

    Notes
    -----
    SciPy compares all elements ("brute force"). The result is the same, by one pass along each
    axis.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.distance_transform_bf(tn.array([[0, 1, 1], [1, 1, 1]]), "chessboard")
    array([[0, 1, 2],
           [1, 1, 2]], dtype=uint32)
    """
    _check(return_distances, return_indices, distances, indices)
    input = as_array(input)
    number = _METRICS.get(metric.lower())
    if number is None:
        raise RuntimeError("distance metric not supported")
    spaces = _samplings(sampling, input.ndim)
    spaces = spaces if number == _EUCLIDEAN else b""
    dtype = numpy.dtype(numpy.float64 if number == _EUCLIDEAN else numpy.uint32)
    _check_output(distances, "distances", input.shape, [dtype])
    _check_output(indices, "indices", (input.ndim, *input.shape), ["int32"])
    far, places = _core._distance(input, number, spaces, _FIRST, bool(return_indices))
    if return_distances:
        most = numpy.sqrt(numpy.finfo("d").max) if number == _EUCLIDEAN else numpy.iinfo("I").max
        far = where(far < numpy.inf, far, most).astype(dtype, copy=False)
    return _deliver([(far if return_distances else None, distances), (places, indices)])
