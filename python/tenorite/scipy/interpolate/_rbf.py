"""Interpolation by radial basis functions."""

import functools
import itertools
import warnings

import numpy

import tenorite as tn
from tenorite import _core
from tenorite._arguments import as_array_of
from tenorite.scipy.interpolate._evaluate import as_double

__all__ = ["RBFInterpolator"]

_BUDGET = 1 << 24  # elements of a matrix of distances at a time


def _thin_plate(square):
    made = _core.log(square)
    made *= square
    made *= 0.5
    made[square == 0] = 0.0
    return made


# Functions of the square of the distance.
_KERNELS = {
    "linear": lambda square: -tn.sqrt(square),
    "thin_plate_spline": _thin_plate,
    "cubic": lambda square: square * tn.sqrt(square),
    "quintic": lambda square: -(square * square) * tn.sqrt(square),
    "multiquadric": lambda square: -tn.sqrt(square + 1.0),
    "inverse_multiquadric": lambda square: 1.0 / tn.sqrt(square + 1.0),
    "inverse_quadratic": lambda square: 1.0 / (square + 1.0),
    "gaussian": lambda square: tn.exp(-square),
}
_AVAILABLE = set(_KERNELS)
_SCALE_INVARIANT = {"linear", "thin_plate_spline", "cubic", "quintic"}
_LEAST_DEGREE = {"multiquadric": 0, "linear": 0, "thin_plate_spline": 1, "cubic": 1, "quintic": 2}


@functools.cache
def _powers_of(ndim, degree):
    """The exponents of the variables in each monomial up to a degree."""
    rows = [
        [chosen.count(axis) for axis in range(ndim)]
        for total in range(degree + 1)
        for chosen in itertools.combinations_with_replacement(range(ndim), total)
    ]
    return tuple(rows)


def _squares(x, y):
    """Squares of distances between points of two stacks: (..., n, m)."""
    total = None
    for axis in range(x.shape[-1]):
        step = x[..., None, axis] - y[..., None, :, axis]
        step *= step
        if total is None:
            total = step
        else:
            total += step
    return total


def _monomials(x, powers):
    """The monomials of points: (..., n, monomials)."""
    columns = []
    for row in powers:
        column = None
        for axis, power in enumerate(row):
            if power:
                factor = x[..., axis] if power == 1 else x[..., axis] ** power
                column = factor if column is None else column * factor
        column = tn.ones(x.shape[:-1]) if column is None else column
        columns.append(column)
    return tn.stack(columns, axis=-1) if columns else tn.zeros((*x.shape[:-1], 0))


class RBFInterpolator:
    """A sum of radial functions around points and of a polynomial.

    Parameters
    ----------
    y : (n, d) array_like
        Points.
    d : (n, ...) array_like
        Their values.
    neighbors : int, optional
        How many points nearby determine a value; all by default.
    smoothing : float or (n,) array_like, optional
        0 interpolates.
    kernel : str, optional
        'linear', 'thin_plate_spline' (the default), 'cubic', 'quintic', 'multiquadric',
        'inverse_multiquadric', 'inverse_quadratic', 'gaussian'.
    epsilon : float, optional
        The scale of distances; the last four kernels need it.
    degree : int, optional
        That of the polynomial; -1 is none.

    Attributes
    ----------
    y, d, smoothing : ndarray
    kernel : str
    epsilon : float
    neighbors : int or None
    powers : numpy.ndarray
        The exponents of the monomials.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import RBFInterpolator
    >>> y = tn.array([[0.0, 0], [1, 0], [0, 1], [1, 1]])
    >>> RBFInterpolator(y, y[:, 0] + 2 * y[:, 1])(tn.array([[0.5, 0.25]])).round(6)
    array([1.])
    """

    def __init__(self, y, d, neighbors=None, smoothing=0.0, kernel="thin_plate_spline", epsilon=None, degree=None):
        self.y = as_array_of(y).astype("d", copy=False)
        if self.y.ndim != 2:
            raise ValueError("`y` must be a 2-dimensional array.")
        count, ndim = self.y.shape
        d = as_double(d)
        if d.shape[0] != count:
            raise ValueError(f"Expected the first axis of `d` to have length {count}.")
        self.d_shape, self.d_dtype = d.shape[1:], d.dtype
        self.d = d.reshape(count, -1).view("d")
        self._is_smooth = not isinstance(smoothing, int | float) or smoothing != 0
        smoothing = as_array_of(smoothing).astype("d", copy=False)
        if smoothing.shape not in ((), (count,)):
            raise ValueError(f"Expected `smoothing` to be a scalar or have shape ({count},).")
        self.smoothing = tn.broadcast_to(smoothing, (count,))
        self.kernel, self.epsilon = self._read_kernel(kernel, epsilon)
        degree = self._read_degree(degree)
        self.neighbors = None if neighbors is None else int(min(neighbors, count))
        self._powers = _powers_of(ndim, degree)
        self.powers = numpy.array(self._powers, dtype="q").reshape(-1, ndim)
        if len(self._powers) > (self.neighbors or count):
            raise ValueError(
                f"At least {len(self._powers)} data points are required when `degree` is {degree} and the number of "
                f"dimensions is {ndim}."
            )
        if self.neighbors is None:
            self._shift, self._scale, self._coeffs = self._solve(self.y, self.d, self.smoothing)
        else:
            self._tree = tn.scipy.spatial.KDTree(self.y)

    @staticmethod
    def _read_kernel(kernel, epsilon):
        kernel = kernel.lower()
        if kernel not in _AVAILABLE:
            raise ValueError(f"`kernel` must be one of {_AVAILABLE}.")
        if epsilon is not None:
            return kernel, float(epsilon)
        if kernel not in _SCALE_INVARIANT:
            raise ValueError(f"`epsilon` must be specified if `kernel` is not one of {_SCALE_INVARIANT}.")
        return kernel, 1.0

    def _read_degree(self, degree):
        least = _LEAST_DEGREE.get(self.kernel, -1)
        if degree is None:
            return max(least, 0)
        degree = int(degree)
        if degree < -1:
            raise ValueError("`degree` must be at least -1.")
        if -1 < degree < least:
            warnings.warn(
                f"`degree` should not be below {least} except -1 when `kernel` is '{self.kernel}'."
                "The interpolant may not be uniquely solvable, and the smoothing parameter may have an unintuitive "
                "effect.",
                UserWarning,
                stacklevel=3,
            )
        return degree

    def _rows(self, x, y, shift, scale):
        """The factors of the coefficients at points, of one system or of several."""
        return tn.concatenate((self._radial(x, y), _monomials((x - shift) / scale, self._powers)), axis=-1)

    def _radial(self, x, y):
        if self.epsilon != 1.0:
            x, y = x * self.epsilon, y * self.epsilon
        return _KERNELS[self.kernel](_squares(x, y))

    def _solve(self, y, d, smoothing):
        """Shift and scale of the polynomial, and the coefficients; of points (..., n, ndim)."""
        low, high = y.min(axis=-2, keepdims=True), y.max(axis=-2, keepdims=True)
        shift, scale = (high + low) / 2, (high - low) / 2
        scale[scale == 0] = 1.0
        n, more = y.shape[-2], self.powers.shape[0]
        matrix = _core.empty((*y.shape[:-2], n + more, n + more))
        matrix[..., :n, :n] = self._radial(y, y)
        if more:
            monomials = _monomials((y - shift) / scale, self._powers)
            matrix[..., :n, n:] = monomials
            matrix[..., n:, :n] = monomials.swapaxes(-1, -2)
            matrix[..., n:, n:] = 0.0
        if self._is_smooth:
            at = tn.arange(n)
            matrix[..., at, at] += smoothing
        right = _core.zeros((*y.shape[:-2], n + more, d.shape[-1]))
        right[..., :n, :] = d
        try:
            return shift, scale, tn.linalg.solve(matrix, right)
        except tn.linalg.LinAlgError as error:
            raise tn.linalg.LinAlgError(self._singular((y - shift) / scale)) from error

    def _singular(self, x):
        more = len(self._powers)
        rank = int(tn.linalg.matrix_rank(_monomials(x, self._powers)).min()) if more else 0
        if rank >= more:
            return "Singular matrix."
        return (
            "Singular matrix. The matrix of monomials evaluated at the data point coordinates does not have full "
            f"column rank ({rank}/{more})."
        )

    def __call__(self, x):
        """The values at points.

        Parameters
        ----------
        x : (m, d) array_like

        Returns
        -------
        (m, ...) ndarray
        """
        x = as_array_of(x).astype("d", copy=False)
        if x.ndim != 2:
            raise ValueError("`x` must be a 2-dimensional array.")
        if x.shape[1] != self.y.shape[1]:
            raise ValueError(f"Expected the second axis of `x` to have length {self.y.shape[1]}.")
        if self.neighbors is None:
            made = self._chunk_evaluator(x, self.y, self._shift, self._scale, self._coeffs)
        else:
            made = self._of_neighbors(x)
        return made.view(self.d_dtype).reshape((x.shape[0], *self.d_shape))

    def _chunk_evaluator(self, x, y, shift, scale, coeffs, memory_budget=_BUDGET):
        """The values at x of functions around y; its name and parameters are SciPy's."""
        chunk = max(memory_budget // (y.shape[0] + len(self._powers)), 1)
        made = [
            self._of_some(x[begin : begin + chunk], y, shift, scale, coeffs)
            for begin in range(0, max(x.shape[0], 1), chunk)
        ]
        return made[0] if len(made) == 1 else tn.concatenate(made)

    def _of_some(self, x, y, shift, scale, coeffs):
        count = y.shape[0]
        made = self._radial(x, y) @ coeffs[:count]
        if self._powers:
            made += _monomials((x - shift) / scale, self._powers) @ coeffs[count:]
        return made

    def _of_neighbors(self, x):
        """A system for each set of neighbours, many at a time."""
        made = tn.empty((x.shape[0], self.d.shape[1]))
        if x.shape[0] == 0:
            return made
        _, near = self._tree.query(x, self.neighbors)
        near = tn.sort(as_array_of(near).reshape(x.shape[0], -1), axis=1)
        side = near.shape[1] + len(self._powers)
        chunk = max(_BUDGET // side**2, 1)
        for begin in range(0, x.shape[0], chunk):
            sets, of_x = tn.unique(near[begin : begin + chunk], axis=0, return_inverse=True)
            of_x, some = of_x.ravel(), x[begin : begin + chunk]
            y = self.y[sets]
            shift, scale, coeffs = self._solve(y, self.d[sets], self.smoothing[sets])
            rows = self._rows(some[:, None, :], y[of_x], shift[of_x], scale[of_x])
            made[begin : begin + chunk] = (rows @ coeffs[of_x])[:, 0]
        return made
