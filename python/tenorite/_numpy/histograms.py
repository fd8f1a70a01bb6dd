"""Histograms, and where their bins begin and end.

Edges are made on the host, by NumPy, from a few numbers: so they have its bits. Counting is the
core's.
"""

import operator
import warnings

import numpy

from tenorite import _core
from tenorite._arguments import also_named, as_array, as_array_of, beside, is_scalar, ndarray
from tenorite._numpy.quantiles import percentile

# --- The width of bins, as the rules of NumPy's names have it ---


def _number(array):
    """An array of one element as a scalar of NumPy. Waits."""
    return array.get()[()]


def _extent(a):
    """The least and the largest value as scalars of NumPy of the array's dtype."""
    if a.dtype.kind in "biuf":
        return tuple(a.dtype.type(end) for end in _core._extent(a))
    return _number(a.min()), _number(a.max())


def _unsigned_difference(high, low):
    """high - low; of signed integers as an unsigned one, which does not overflow."""
    dtype = numpy.result_type(high, low)
    if dtype.kind != "i":
        return numpy.subtract(high, low, dtype=dtype)
    high, low = numpy.asarray(high, dtype=dtype), numpy.asarray(low, dtype=dtype)
    return numpy.subtract(high, low, casting="unsafe", dtype=numpy.dtype(f"u{dtype.itemsize}"))


def _width_sqrt(x, ptp, ends):
    return ptp / numpy.sqrt(x.size)


def _width_sturges(x, ptp, ends):
    return ptp / (numpy.log2(x.size) + 1.0)


def _width_rice(x, ptp, ends):
    return ptp / (2.0 * x.size ** (1.0 / 3))


def _width_scott(x, ptp, ends):
    return (24.0 * numpy.pi**0.5 / x.size) ** (1.0 / 3.0) * _number(x.std())


def _width_stone(x, ptp, ends):
    """By the least estimate of the error over numbers of bins, each of which takes a histogram."""
    n = x.size
    if n <= 1 or ptp == 0:
        return 0

    def error(bins):
        share = histogram(x, bins=bins, range=ends)[0].get() / n
        return (2 - (n + 1) * share.dot(share)) / (ptp / bins)

    most = max(100, int(numpy.sqrt(n)))
    bins = min(range(1, most + 1), key=error)
    if bins == most:
        warnings.warn("The number of bins estimated may be suboptimal.", RuntimeWarning, stacklevel=5)
    return ptp / bins


def _width_doane(x, ptp, ends):
    if x.size > 2:
        spread = numpy.sqrt(6.0 * (x.size - 2) / ((x.size + 1.0) * (x.size + 3)))
        deviation = _number(x.std())
        if deviation > 0.0:
            skew = _number((((x - x.mean()) / deviation) ** 3).mean())
            return ptp / (1.0 + numpy.log2(x.size) + numpy.log2(1.0 + numpy.absolute(skew) / spread))
    return 0.0


def _width_fd(x, ptp, ends):
    quartiles = percentile(x, [75, 25]).get()
    return 2.0 * (quartiles[0] - quartiles[1]) * x.size ** (-1.0 / 3.0)


def _width_auto(x, ptp, ends):
    least = max(_width_fd(x, ptp, ends), _width_sqrt(x, ptp, ends) / 2)
    return min(least, _width_sturges(x, ptp, ends))


_WIDTHS = {
    "auto": _width_auto,
    "doane": _width_doane,
    "fd": _width_fd,
    "rice": _width_rice,
    "scott": _width_scott,
    "sqrt": _width_sqrt,
    "stone": _width_stone,
    "sturges": _width_sturges,
}

# --- Edges ---


def _outer_edges(a, ends):
    """Where the bins begin and end: as given, or the extent of the values. Waits for that."""
    if ends is not None:
        first, last = (_number(end) if isinstance(end, ndarray) else end for end in ends)
        if first > last:
            raise ValueError("max must be larger than min in range parameter.")
        if not (numpy.isfinite(first) and numpy.isfinite(last)):
            raise ValueError(f"supplied range of [{first}, {last}] is not finite")
    elif a.size == 0:
        first, last = 0, 1
    else:
        first, last = _extent(a)
        if not (numpy.isfinite(first) and numpy.isfinite(last)):
            raise ValueError(f"autodetected range of [{first}, {last}] is not finite")
    if first == last:
        first, last = first - 0.5, last + 0.5
    return first, last


def _estimate(a, rule, ends, weights):
    """How many bins a rule asks for between its outer edges, and those."""
    if rule not in _WIDTHS:
        raise ValueError(f"{rule!r} is not a valid estimator for `bins`")
    if weights is not None:
        raise TypeError("Automated estimation of the number of bins is not supported for weighted data")
    first, last = _outer_edges(a, ends)
    if ends is not None:
        a = a[(a >= first) & (a <= last)]
    if a.size == 0:
        return 1, first, last
    low, high = _extent(a)
    width = _WIDTHS[rule](a, _unsigned_difference(high, low), (first, last))
    if not width:
        return 1, first, last
    if a.dtype.kind in "iu" and width < 1:
        width = 1
    return int(numpy.ceil(_unsigned_difference(last, first) / width)), first, last


def _given_edges(bins):
    """Edges that the program gives, of the device, which ascend. Waits if they lie there."""
    # A view keeps its shape, whatever becomes of the program's array meanwhile.
    edges = bins.view() if isinstance(bins, ndarray) else numpy.asarray(bins)
    if edges.ndim != 1:
        raise ValueError("`bins` must be 1d, when an array")
    if bool((edges[:-1] > edges[1:]).any()):
        raise ValueError("`bins` must increase monotonically, when an array")
    return edges if isinstance(edges, ndarray) else _core.asarray(edges)


def _make_edges(a, bins, ends, weights):
    """The edges, and (first, scale) where they lie evenly, else None."""
    if isinstance(bins, str):
        count, first, last = _estimate(a, bins, ends, weights)
    elif isinstance(bins, (list, tuple)) or getattr(bins, "ndim", 0) > 0:
        return _given_edges(bins), None
    else:
        try:
            count = operator.index(bins)
        except TypeError as error:
            raise TypeError("`bins` must be an integer, a string, or an array") from error
        if count < 1:
            raise ValueError("`bins` must be positive, when an integer")
        first, last = _outer_edges(a, ends)
    dtype = numpy.result_type(first, last, a.dtype)
    if dtype.kind in "iub":
        dtype = numpy.result_type(dtype, float)
    edges = numpy.linspace(first, last, count + 1, endpoint=True, dtype=dtype)
    if (edges[:-1] >= edges[1:]).any():
        raise ValueError(f"Too many bins for data range. Cannot create {count} finite-sized bins.")
    return _core.asarray(edges), (first, last, count)


def _even(ends):
    """What guesses the bin of a value: its distance from the first edge, times a scale."""
    if ends is None:
        return None
    first, last, count = float(ends[0]), float(ends[1]), ends[2]
    width = last - first
    return first, count / width if width > 0 else 0.0


def _read_sample(a, weights):
    """Values and weights as rows. Of bools no edges are made, so they become integers."""
    a = as_array(a)
    if a.dtype == numpy.bool_:
        warnings.warn(
            f"Converting input from {a.dtype} to {numpy.uint8} for compatibility.", RuntimeWarning, stacklevel=4
        )
        a = a.astype(numpy.uint8)
    if weights is not None:
        weights = as_array(weights)
        if weights.shape != a.shape:
            raise ValueError("weights should have the same shape as a.")
        weights = weights.ravel()
    return a.ravel(), weights


# --- Counting ---


def _by_sorting(a, edges, weights):
    """Of complex numbers, whose order the core's bins do not know."""
    order = _core.argsort(a)
    a, edges = a[order], edges.astype(numpy.result_type(a.dtype, edges.dtype))
    ends = _core.concatenate((_core.searchsorted(a, edges[:-1], "left"), _core.searchsorted(a, edges[-1:], "right")))
    if weights is None:
        return _core.diff(ends)
    total = _core.concatenate((_core.zeros(1, dtype=weights.dtype), weights[order].cumsum().astype(weights.dtype)))
    return _core.diff(total[ends])


def _count(a, edges, even, weights):
    if edges.size < 2:
        return _core.zeros(0, dtype=numpy.intp if weights is None else weights.dtype)
    if a.dtype.kind == "c" or edges.dtype.kind == "c":
        return _by_sorting(a, edges, weights)
    if weights is None or weights.dtype == numpy.float64:
        return _core._histogram(a, edges, even, weights)
    if weights.dtype.kind == "c":
        result = _core.empty(edges.size - 1, dtype=weights.dtype)
        result.real = _core._histogram(a, edges, even, weights.real)
        result.imag = _core._histogram(a, edges, even, weights.imag)
        return result
    if weights.dtype.kind == "b" and even is None:
        raise TypeError("weights of dtype bool can't be summed between edges")
    return _core._histogram(a, edges, even, weights).astype(weights.dtype)


@beside
def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of the bins that histogram would count in.

    Parameters
    ----------
    a : ndarray
        The values; all dimensions count as one.
    bins : int, str, or sequence
        How many bins of one width, a rule ("auto", "doane", "fd", "rice", "scott", "sqrt", "stone",
        "sturges"), or ascending edges.
    range : (float, float), optional
        Where the bins begin and end; the extent of the values if not given.
    weights : ndarray, optional
        Of no use here but for the refusals of histogram.

    Returns
    -------
    ndarray
        One edge more than there are bins.

    Raises
    ------
    ValueError
        For bins that are no positive number, unknown or descend, and for an infinite range.
    TypeError
        For bins of another type, and for a rule beside weights.

    Notes
    -----
    The rules' widths: Sturges (1926), Doane (1976), Scott (1979), Freedman and Diaconis (1981),
    Stone (1984), Rice (twice the cube root of the number of values) and its square root.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.histogram_bin_edges(tn.array([0, 0, 0, 1, 2, 3, 3, 4, 5]), bins=5)
    array([0., 1., 2., 3., 4., 5.])
    """
    a, weights = _read_sample(a, weights)
    return _make_edges(a, bins, range, weights)[0]


@also_named(x="a")
@beside
def histogram(a, bins=10, range=None, density=None, weights=None):
    """How many values fall into each bin.

    Parameters
    ----------
    a : ndarray
        The values; all dimensions count as one. NaN is in no bin.
    bins, range
        As in histogram_bin_edges. The last bin includes its upper edge.
    density : bool, optional
        Whether the integral over the bins shall be 1.
    weights : ndarray, optional
        What each value counts, in the shape of `a`.

    Returns
    -------
    hist : ndarray
        int64, or of the dtype of the weights; float64 with density.
    bin_edges : ndarray
        One edge more than there are bins.

    Raises
    ------
    ValueError
        As histogram_bin_edges, and for weights of another shape.
    TypeError
        As histogram_bin_edges.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.histogram(tn.array([1, 2, 1]), bins=[0, 1, 2, 3])
    (array([0, 2, 1]), array([0, 1, 2, 3]))
    """
    a, weights = _read_sample(a, weights)
    edges, ends = _make_edges(a, bins, range, weights)
    counts = _count(a, edges, _even(ends), weights)
    if density:
        return counts / _core.diff(edges).astype(float) / counts.sum(), edges
    return counts, edges


# --- Several dimensions ---


def _read_points(sample):
    """The coordinates of points, one row for each dimension."""
    if isinstance(sample, ndarray) and sample.ndim == 2:
        return [sample[:, k] for k in range(sample.shape[1])]
    if isinstance(sample, ndarray):
        return [sample.reshape(-1)] if sample.ndim < 2 else _refuse_points(sample)
    rows = [as_array(row) for row in sample]
    if rows and all(is_scalar(row) for row in sample):
        return [_core.stack(rows)]
    if any(row.ndim != 1 or row.shape != rows[0].shape for row in rows):
        raise ValueError(
            "a sample that is a sequence holds rows of one length, not arrays of the shapes "
            + ", ".join(str(row.shape) for row in rows)
        )
    dtype = numpy.result_type(*(row.dtype for row in rows))
    return [row.astype(dtype, copy=False) for row in rows]


def _read_sequence(values):
    """The items of a sequence as a list; what is no sequence, as it is."""
    if isinstance(values, (ndarray, numpy.ndarray)):
        return values
    try:
        len(values)
    except TypeError:
        return values
    return list(values)


def _refuse_points(sample):
    raise ValueError(f"a sample has the shape (points, dimensions), not {sample.shape}")


def _edges_along(k, row, bins, ends):
    """The edges of one dimension."""
    if isinstance(bins, (list, tuple)) or getattr(bins, "ndim", 0) == 1:
        edges = bins if isinstance(bins, ndarray) else numpy.asarray(bins)
        if bool((edges[:-1] > edges[1:]).any()):
            raise ValueError(f"`bins[{k}]` must be monotonically increasing, when an array")
        return edges if isinstance(edges, ndarray) else _core.asarray(edges)
    if getattr(bins, "ndim", 0) > 1:
        raise ValueError(f"`bins[{k}]` must be a scalar or 1d array")
    if bins < 1:
        raise ValueError(f"`bins[{k}]` must be positive, when an integer")
    first, last = _outer_edges(row, ends)
    try:
        count = operator.index(bins)
    except TypeError as error:
        raise TypeError(f"`bins[{k}]` must be an integer, when a scalar") from error
    return _core.asarray(numpy.linspace(first, last, count + 1))


def _places(rows, edges):
    """The number of each point's bin in the table of all, which has a bin more at both ends of each
    dimension."""
    places = None
    for row, along in zip(rows, edges):
        place = _core.searchsorted(along, row, "right")
        place -= row == along[-1]  # the last bin includes its upper edge
        places = place if places is None else places * (along.size + 1) + place
    return places


@beside
def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """How many points fall into each bin of a grid.

    Parameters
    ----------
    sample : ndarray or sequence of ndarray
        Of shape (points, dimensions), or the coordinates along each dimension.
    bins : int or sequence
        How many bins there are in all dimensions, or for each one a number or ascending edges.
    range : sequence, optional
        For each dimension None, or where its bins begin and end.
    density : bool, optional
        Whether the integral over the grid shall be 1.
    weights : ndarray, optional
        What each point counts.

    Returns
    -------
    H : ndarray
        float64, an axis for each dimension.
    edges : list of ndarray
        The edges along each dimension.

    Raises
    ------
    ValueError
        For bins, ranges or weights that do not fit the sample.
    TypeError
        For a number of bins that is no integer.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.histogramdd(tn.array([[0.0, 0.0], [1.0, 1.0], [1.0, 0.9]]), bins=2)[0]
    array([[1., 0.],
           [0., 2.]])
    """
    # Before the sample, since reading what is no array may run Python code.
    bins, range = _read_sequence(bins), _read_sequence(range)
    rows = _read_points(sample)
    dimensions = len(rows)
    if not dimensions:
        raise ValueError("histogramdd: the points of the sample have no coordinates")
    try:
        if len(bins) != dimensions:
            raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    except TypeError:
        bins = dimensions * [bins]
    if range is None:
        range = (None,) * dimensions
    elif len(range) != dimensions:
        raise ValueError("range argument must have one entry per dimension")
    edges = [_edges_along(k, row, bins[k], range[k]) for k, row in enumerate(rows)]
    shape = tuple(along.size + 1 for along in edges)
    weights = None if weights is None else as_array_of(weights)
    table = _core.bincount(_places(rows, edges), weights, int(numpy.prod(shape)))
    table = table.reshape(shape).astype(float)[dimensions * (slice(1, -1),)]
    if density:
        total = table.sum()
        for k, along in enumerate(edges):
            table = table / _core.diff(along).reshape((-1,) + (1,) * (dimensions - 1 - k))
        table = table / total
    return table, edges


@beside
def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """How many points fall into each bin of a plane.

    Parameters
    ----------
    x, y : ndarray
        The coordinates of the points.
    bins : int, sequence, or two of them
        How many bins there are along both axes, ascending edges along both, or those of each axis.
    range : sequence, optional
        Where the bins of each axis begin and end.
    density, weights
        As in histogramdd.

    Returns
    -------
    H : ndarray
        float64; x goes along the first axis.
    xedges, yedges : ndarray
        The edges along each axis.

    Raises
    ------
    ValueError
        As histogramdd, and for coordinates of two lengths.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.histogram2d(tn.array([0.0, 1.0, 1.0]), tn.array([0.0, 1.0, 0.9]), bins=2)[0]
    array([[1., 0.],
           [0., 2.]])
    """
    x, y = as_array(x), as_array(y)
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    try:
        count = len(bins)
    except TypeError:
        count = 1
    if count not in (1, 2):
        bins = [bins, bins]
    table, edges = histogramdd([x, y], bins, range, density, weights)
    return table, edges[0], edges[1]
