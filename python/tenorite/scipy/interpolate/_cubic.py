"""Cubic polynomials between points: by their derivatives, which differ in how they are chosen."""

import numpy

import tenorite as tn
from tenorite._arguments import as_array_of, on_host
from tenorite.scipy.interpolate._evaluate import column, solve_banded
from tenorite.scipy.interpolate._ppoly import PPoly

__all__ = [
    "Akima1DInterpolator",
    "CubicHermiteSpline",
    "CubicSpline",
    "PchipInterpolator",
    "pchip",
    "pchip_interpolate",
]


def _prepare(x, y, axis, dydx=None):
    """x and its steps, y with its axis of points first, the axis, and derivatives as y."""
    x, y = as_array_of(x), as_array_of(y)
    if x.dtype.kind == "c":
        raise ValueError("`x` must contain real values.")
    x = x.astype("d", copy=False)
    if dydx is not None:
        dydx = as_array_of(dydx)
        if y.shape != dydx.shape:
            raise ValueError("The shapes of `y` and `dydx` must be identical.")
    is_complex = y.dtype.kind == "c" or (dydx is not None and dydx.dtype.kind == "c")
    y = y.astype("D" if is_complex else "d", copy=False)
    axis = axis % y.ndim
    if x.ndim != 1:
        raise ValueError("`x` must be 1-dimensional.")
    if x.shape[0] < 2:
        raise ValueError("`x` must contain at least 2 elements.")
    if x.shape[0] != y.shape[axis]:
        raise ValueError(f"The length of `y` along `axis`={axis} doesn't match the length of `x`")
    for name, values in (("x", x), ("y", y), ("dydx", dydx)):
        if values is not None and not bool(tn.isfinite(values).all()):
            raise ValueError(f"`{name}` must contain only finite values.")
    dx = x[1:] - x[:-1]
    if bool((dx <= 0).any()):
        raise ValueError("`x` must be strictly increasing sequence.")
    if dydx is not None:
        dydx = tn.moveaxis(dydx.astype(y.dtype, copy=False), axis, 0)
    return x, dx, tn.moveaxis(y, axis, 0), axis, dydx


def _refuse_complex(y, name):
    if y.dtype.kind == "c":
        raise ValueError(
            f"`{name}` only works with real values for `y`. If you are trying to use the real components of the "
            f"passed array, use `np.real` on the array before passing to `{name}`."
        )


class CubicHermiteSpline(PPoly):
    """Cubic polynomials by values and derivatives at points.

    Parameters
    ----------
    x : (n,) array_like
        Places, which ascend.
    y, dydx : array_like
        Values and derivatives.
    axis : int, optional
        The axis of `y` of the points.
    extrapolate : bool or 'periodic', optional
        As of PPoly.

    Attributes
    ----------
    c, x : ndarray
    extrapolate : bool or 'periodic'
    axis : int

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import CubicHermiteSpline
    >>> CubicHermiteSpline(tn.array([0.0, 1]), tn.array([0.0, 1]), tn.array([0.0, 0]))(0.5)
    array(0.5)
    """

    def __init__(self, x, y, dydx, axis=0, extrapolate=None):
        x, dx, y, axis, dydx = _prepare(x, y, axis, dydx)
        self._set(x, dx, y, dydx, axis, True if extrapolate is None else extrapolate)

    def _set(self, x, dx, y, dydx, axis, extrapolate):
        """Of arguments that are prepared."""
        dx = column(dx, y.ndim)
        slope = (y[1:] - y[:-1]) / dx
        bend = (dydx[:-1] + dydx[1:] - 2 * slope) / dx
        self.c = tn.stack((bend / dx, (slope - dydx[:-1]) / dx - bend, dydx[:-1], y[:-1]))
        self.x = tn.ascontiguousarray(x)
        self.axis, self.extrapolate = axis, extrapolate


def _pchip_end(h0, h1, m0, m1):
    """The derivative at an end, of three points, kept in the shape of the data."""
    d = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    sign = tn.sign(m0)
    d = tn.where((sign != tn.sign(m1)) & (tn.abs(d) > 3 * tn.abs(m0)), 3 * m0, d)
    return tn.where(tn.sign(((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)) != sign, 0.0, d)


def pchip_derivatives(x, y):
    """Derivatives at points, along the first axis: harmonic means of the slopes beside them, 0
    where their signs differ (F. N. Fritsch and J. Butland, SIAM J. Sci. Stat. Comput. 5, 1984)."""
    h = column(x[1:] - x[:-1], y.ndim)
    m = (y[1:] - y[:-1]) / h
    if y.shape[0] == 2:
        return tn.concatenate((m, m))
    w1, w2 = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    is_flat = (tn.sign(m[1:]) != tn.sign(m[:-1])) | (m[1:] == 0) | (m[:-1] == 0)
    mean = (w1 / m[:-1] + w2 / m[1:]) / (w1 + w2)
    inner = tn.where(is_flat, 0.0, 1.0 / mean)
    first = _pchip_end(h[:1], h[1:2], m[:1], m[1:2])
    last = _pchip_end(h[-1:], h[-2:-1], m[-1:], m[-2:-1])
    return tn.concatenate((first, inner, last))


class PchipInterpolator(CubicHermiteSpline):
    """Cubic polynomials that do not overshoot: monotonic between points.

    Parameters
    ----------
    x : (n,) array_like
        Places, which ascend.
    y : array_like
        Real values.
    axis : int, optional
        The axis of `y` of the points.
    extrapolate : bool or 'periodic', optional
        As of PPoly.

    Attributes
    ----------
    c, x : ndarray
    extrapolate : bool or 'periodic'
    axis : int

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import PchipInterpolator
    >>> PchipInterpolator(tn.arange(4.0), tn.array([0.0, 0, 1, 1]))(tn.array([0.5, 1.5]))
    array([0. , 0.5])
    """

    def __init__(self, x, y, axis=0, extrapolate=None):
        x, dx, y, axis, _ = _prepare(x, y, axis)
        _refuse_complex(y, "PchipInterpolator")
        self._set(x, dx, y, pchip_derivatives(x, y), axis, True if extrapolate is None else extrapolate)


pchip = PchipInterpolator


def pchip_interpolate(xi, yi, x, der=0, axis=0):
    """Values or derivatives of a PchipInterpolator.

    Parameters
    ----------
    xi, yi : array_like
        Points, as of PchipInterpolator.
    x : array_like
        Where to evaluate.
    der : int or list of int, optional
        Which derivatives.
    axis : int, optional
        The axis of `yi` of the points.

    Returns
    -------
    ndarray or list of ndarray

    Raises
    ------
    ValueError
        For points that do not ascend.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import pchip_interpolate
    >>> pchip_interpolate(tn.arange(4.0), tn.arange(4.0), tn.array([0.5]), der=1)
    array([1.])
    """
    made = PchipInterpolator(xi, yi, axis=axis)
    if numpy.ndim(on_host(der)) > 0:
        return [made(x, int(nu)) for nu in der]
    return made(x, int(der))


class Akima1DInterpolator(CubicHermiteSpline):
    """Cubic polynomials whose derivatives are local means of slopes (H. Akima, J. ACM 17, 1970).

    Parameters
    ----------
    x : (n,) array_like
        Places, which ascend.
    y : array_like
        Real values.
    axis : int, optional
        The axis of `y` of the points.
    method : {'akima', 'makima'}, optional
        How slopes are weighed; the second one overshoots less.
    extrapolate : bool or 'periodic', optional
        As of PPoly, but NaN by default.

    Attributes
    ----------
    c, x : ndarray
    extrapolate : bool or 'periodic'
    axis : int

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import Akima1DInterpolator
    >>> Akima1DInterpolator(tn.arange(5.0), tn.arange(5.0))(2.5)
    array(2.5)
    """

    def __init__(self, x, y, axis=0, *, method="akima", extrapolate=None):
        if method not in {"akima", "makima"}:
            raise NotImplementedError(f"`method`={method} is unsupported.")
        x, dx, y, axis, _ = _prepare(x, y, axis)
        _refuse_complex(y, "Akima1DInterpolator")
        slope = (y[1:] - y[:-1]) / column(dx, y.ndim)
        if y.shape[0] == 2:
            dydx = tn.concatenate((slope, slope))
        else:
            dydx = self._derivatives(slope, method)
        self._set(x, dx, y, dydx, axis, False if extrapolate is None else extrapolate)

    @staticmethod
    def _derivatives(slope, method):
        """Two slopes are added at each end by a parabola."""
        left = 2 * slope[:1] - slope[1:2]
        right = 2 * slope[-1:] - slope[-2:-1]
        m = tn.concatenate((2 * left - slope[:1], left, slope, right, 2 * right - slope[-1:]))
        step = tn.abs(m[1:] - m[:-1])
        if method == "makima":
            step = step + 0.5 * tn.abs(m[1:] + m[:-1])
        after, before = step[2:], step[:-2]
        both = after + before
        if both.size == 0:
            return 0.5 * (m[3:] + m[:-3])
        weighed = m[1:-2] + before / both * (m[2:-1] - m[1:-2])
        return tn.where(both > 1e-9 * both.max(), weighed, 0.5 * (m[3:] + m[:-3]))

    def extend(self, c, x, right=True):
        """Refused: the derivatives depend on all points.

        Parameters
        ----------
        c, x : array_like
        right : bool, optional

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import Akima1DInterpolator
        >>> Akima1DInterpolator(tn.arange(5.0), tn.arange(5.0)).extend(None, None)
        Traceback (most recent call last):
            ...
        NotImplementedError: Extending a 1-D Akima interpolator is not yet implemented
        """
        raise NotImplementedError("Extending a 1-D Akima interpolator is not yet implemented")

    @classmethod
    def from_spline(cls, tck, extrapolate=None):
        """Refused.

        Parameters
        ----------
        tck : BSpline or tuple
        extrapolate : bool or 'periodic', optional

        Examples
        --------
        >>> from tenorite.scipy.interpolate import Akima1DInterpolator
        >>> Akima1DInterpolator.from_spline(None)
        Traceback (most recent call last):
            ...
        NotImplementedError: This method does not make sense for an Akima interpolator.
        """
        raise NotImplementedError("This method does not make sense for an Akima interpolator.")

    @classmethod
    def from_bernstein_basis(cls, bp, extrapolate=None):
        """Refused.

        Parameters
        ----------
        bp : BPoly
        extrapolate : bool or 'periodic', optional

        Examples
        --------
        >>> from tenorite.scipy.interpolate import Akima1DInterpolator
        >>> Akima1DInterpolator.from_bernstein_basis(None)
        Traceback (most recent call last):
            ...
        NotImplementedError: This method does not make sense for an Akima interpolator.
        """
        raise NotImplementedError("This method does not make sense for an Akima interpolator.")


# --- Cubic splines ---


def _condition(given, shape):
    """What is given for an end: (order, value), 'not-a-knot' or 'periodic'."""
    if isinstance(given, str):
        if given in ("clamped", "natural"):
            return (1 if given == "clamped" else 2), tn.zeros(shape)
        if given not in ("not-a-knot", "periodic"):
            raise ValueError(f"bc_type={given} is not allowed.")
        return given
    try:
        order, value = given
    except Exception as error:
        raise ValueError("A specified derivative value must be given in the form (order, value).") from error
    if order not in (1, 2):
        raise ValueError("The specified derivative order must be 1 or 2.")
    value = as_array_of(value)
    if value.shape != shape:
        raise ValueError(f"`deriv_value` shape {value.shape} is not the expected one {shape}.")
    return order, value


def _conditions(bc_type, y, axis):
    if isinstance(bc_type, str):
        if bc_type == "periodic" and not bool(tn.allclose(y[0], y[-1], rtol=1e-15, atol=1e-15)):
            raise ValueError(
                f"The first and last `y` point along axis {axis} must be identical (within machine precision) when "
                "bc_type='periodic'."
            )
        bc_type = (bc_type, bc_type)
    elif len(bc_type) != 2:
        raise ValueError("`bc_type` must contain 2 elements to specify start and end conditions.")
    elif any(isinstance(one, str) and one == "periodic" for one in bc_type):
        raise ValueError(
            "'periodic' `bc_type` is defined for both curve ends and cannot be used with other boundary conditions."
        )
    return [_condition(one, y.shape[1:]) for one in bc_type]


def _end_row(condition, h, slope):
    """The equation at the first point: factors of its derivative and of the next one's, and the
    right side. `h` and `slope` are those of the first two intervals."""
    if condition == "not-a-knot":
        d = h[0] + h[1]
        return h[1], d, ((h[0] + 2 * d) * h[1] * slope[0] + h[0] ** 2 * slope[1]) / d
    order, value = condition
    if order == 1:
        return 1.0, 0.0, value
    return 2 * h[0], h[0], 3 * h[0] * slope[0] - 0.5 * value * h[0] ** 2


def _periodic_derivatives(dx, slope):
    """Of three points and more: a cyclic system, whose last unknown is eliminated."""
    n = dx.shape[0]
    h = column(dx, slope.ndim)
    if n == 2:
        mean = (slope / h).sum(axis=0) / (1.0 / h).sum(axis=0)
        return tn.broadcast_to(mean, (3, *slope.shape[1:]))
    b = 3 * (h * tn.roll(slope, 1, axis=0) + tn.roll(h, 1, axis=0) * slope)
    # All but the last derivative, of a system without the corners: for the right side, and for
    # what the last one adds to it.
    rows, both = tn.zeros((n - 1, 3)), tn.zeros((n - 1, *b.shape[1:], 2), dtype=b.dtype)
    rows[:, 0], rows[1:, 2] = dx[:-1], dx[:-2]
    rows[0, 2] = dx[-1]
    rows[1:, 1] = 2 * (dx[:-2] + dx[1:-1])
    rows[0, 1] = 2 * (dx[-1] + dx[0])
    both[..., 0] = b[:-1]
    both[0, ..., 1] -= dx[0]
    both[-1, ..., 1] -= dx[-3]
    solved = solve_banded(rows, 1, 1, both)
    s, more = solved[..., 0], solved[..., 1]
    last = (b[-1] - dx[-2] * s[0] - dx[-1] * s[-1]) / (2 * (dx[-1] + dx[-2]) + dx[-2] * more[0] + dx[-1] * more[-1])
    s = s + last * more
    return tn.concatenate((s, last[None], s[:1]))


def _spline_derivatives(dx, slope, start, end):
    """The derivatives at the points, of which the second derivative is continuous: a system of
    three diagonals (de Boor, A Practical Guide to Splines, chapter IV)."""
    n = dx.shape[0] + 1
    h = column(dx, slope.ndim)
    if n == 3 and start == "not-a-knot" and end == "not-a-knot":
        middle = (h[0] * slope[1] + h[1] * slope[0]) / (h[0] + h[1])
        return tn.stack((2 * slope[0] - middle, middle, 2 * slope[1] - middle))
    rows, b = tn.zeros((n, 3)), tn.empty((n, *slope.shape[1:]), dtype=slope.dtype)
    if n > 2:
        rows[1:-1, 0] = dx[1:]
        rows[1:-1, 1] = 2 * (dx[:-1] + dx[1:])
        rows[1:-1, 2] = dx[:-1]
        b[1:-1] = 3 * (h[1:] * slope[:-1] + h[:-1] * slope[1:])
    rows[0, 1], rows[0, 2], b[0] = _end_row(start, dx[:2], slope)
    # Seen from the last point, x descends: values of second derivatives change their sign.
    mirrored = (2, -end[1]) if end != "not-a-knot" and end[0] == 2 else end
    rows[-1, 1], rows[-1, 0], b[-1] = _end_row(mirrored, dx[::-1][:2], slope[::-1])
    return solve_banded(rows, 1, 1, b)


class CubicSpline(CubicHermiteSpline):
    """A cubic spline through points: twice continuously differentiable.

    Parameters
    ----------
    x : (n,) array_like
        Places, which ascend.
    y : array_like
        Values.
    axis : int, optional
        The axis of `y` of the points.
    bc_type : str or pair, optional
        'not-a-knot' (the default), 'natural', 'clamped', 'periodic'; or of each end one of these
        or a pair (order, value) of its first or second derivative.
    extrapolate : bool or 'periodic', optional
        As of PPoly; 'periodic' by default of a periodic spline.

    Attributes
    ----------
    c, x : ndarray
    extrapolate : bool or 'periodic'
    axis : int

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import CubicSpline
    >>> x = tn.arange(6.0)
    >>> CubicSpline(x, x**3)(tn.array([0.5, 2.5]))
    array([ 0.125, 15.625])
    """

    def __init__(self, x, y, axis=0, bc_type="not-a-knot", extrapolate=None):
        x, dx, y, axis, _ = _prepare(x, y, axis)
        start, end = _conditions(bc_type, y, axis)
        if any(not isinstance(one, str) and one[1].dtype.kind == "c" for one in (start, end)):
            y = y.astype("D", copy=False)
        if extrapolate is None:
            extrapolate = "periodic" if start == "periodic" else True
        self._set(x, dx, y, self._derivatives(dx, y, start, end), axis, extrapolate)

    @staticmethod
    def _derivatives(dx, y, start, end):
        if y.size == 0:
            return tn.zeros_like(y)
        slope = (y[1:] - y[:-1]) / column(dx, y.ndim)
        if dx.shape[0] == 1:
            start, end = ((1, slope[0]) if isinstance(one, str) else one for one in (start, end))
        if isinstance(start, str) and start == "periodic":
            return _periodic_derivatives(dx, slope)
        return _spline_derivatives(dx, slope, start, end)
