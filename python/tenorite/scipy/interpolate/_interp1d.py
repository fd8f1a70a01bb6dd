"""interp1d: lines, steps and splines between points."""

import math

import numpy

import tenorite as tn
from tenorite._arguments import as_array_of
from tenorite.scipy.interpolate._evaluate import EXTRAPOLATE, FILL, POWERS, evaluate_reporting
from tenorite.scipy.interpolate._make_spline import make_interp_spline
from tenorite.scipy.interpolate._polyint import Interpolator

__all__ = ["interp1d"]

_ORDERS = {"zero": 0, "slinear": 1, "quadratic": 2, "cubic": 3}
_KINDS = ("linear", "nearest", "nearest-up", "previous", "next")


def _is_extrapolate(fill_value):
    return isinstance(fill_value, str) and fill_value == "extrapolate"


def _broadcast_up_to(value, shape, name):
    """The value for each of the flattened others."""
    value = as_array_of(value)
    ends = zip(shape[::-1], value.shape[::-1])
    if value.ndim > len(shape) or any(size not in (1, wanted) for wanted, size in ends):
        raise ValueError(f"{name} argument must be able to broadcast up to shape {shape} but had shape {value.shape}")
    return tn.broadcast_to(value, shape).ravel()


class interp1d(Interpolator):
    """A function through points.

    Parameters
    ----------
    x : (n,) array_like
        Places.
    y : array_like
        Values.
    kind : str or int, optional
        'linear' (the default), 'nearest', 'nearest-up', 'previous', 'next'; or a spline: 'zero',
        'slinear', 'quadratic', 'cubic' or its degree.
    axis : int, optional
        The axis of `y` of the points.
    copy : bool, optional
        Whether arrays are copied.
    bounds_error : bool, optional
        Whether an x beyond the points is an error; by default unless there is a `fill_value`.
    fill_value : array_like, (array_like, array_like) or 'extrapolate', optional
        What stands beyond the points, or before and after them.
    assume_sorted : bool, optional
        Whether x ascends.

    Attributes
    ----------
    x, y : ndarray
    axis : int
    fill_value : array_like, tuple or 'extrapolate'
    bounds_error : bool

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import interp1d
    >>> f = interp1d(tn.array([0.0, 1, 2]), tn.array([0.0, 1, 4]), fill_value="extrapolate")
    >>> f(tn.array([0.5, 1.5, 3.0]))
    array([0.5, 2.5, 7. ])
    """

    def __init__(
        self, x, y, kind="linear", axis=-1, copy=True, bounds_error=None, fill_value=math.nan, assume_sorted=False
    ):
        x, y = as_array_of(x), as_array_of(y)
        self._set_values(y, x, axis)
        self.bounds_error, self.copy = bounds_error, copy
        order = _ORDERS.get(kind, kind) if not isinstance(kind, bool) else kind
        if not isinstance(order, int | numpy.integer) and kind not in _KINDS:
            raise NotImplementedError(f"{kind} is unsupported: Use fitpack routines for other types.")
        if x.ndim != 1:
            raise ValueError("the x array must have exactly one dimension.")
        if y.ndim == 0:
            raise ValueError("the y array must have at least one dimension.")
        if not assume_sorted:
            order_of = tn.argsort(x, kind="stable")
            x, y = x[order_of], tn.take(y, order_of, axis=axis)
        elif copy:
            x, y = x.copy(), y.copy()
        if y.dtype.kind not in "fc":
            y = y.astype("d")
        self.axis, self.x, self.y = self._y_axis, x, y
        self._y = self._flat(y)
        self._choose(kind, order, fill_value)

    def _choose(self, kind, order, fill_value):
        """What evaluates; sets the value beyond the points."""
        least = 1
        if kind == "linear":
            self._table = self._lines()
            self._call = self._call_linear
        elif kind in ("nearest", "nearest-up"):
            half = self.x / 2.0
            self._steps = half[1:] + half[:-1], "left" if kind == "nearest" else "right", 0, 0
            self._call = self._call_steps
        elif kind in ("previous", "next"):
            is_next = kind == "next"
            beside = tn.nextafter(self.x.astype("d"), math.inf if is_next else -math.inf)
            self._steps = (beside, "right", 0, 0) if is_next else (beside, "left", 1, -1)
            self._call = self._call_steps
            if _is_extrapolate(fill_value):
                self._let_extrapolate()
                end = tn.take(self.y, 0 if is_next else -1, axis=self.axis)
                fill_value = (end, math.nan) if is_next else (math.nan, end)
        else:
            least = order + 1
            self._call = self._spline_of(order)
        if self.x.shape[0] < least:
            raise ValueError(f"x and y arrays must have at least {least} entries")
        self.fill_value = fill_value

    def _lines(self):
        """Slopes and values at the starts of intervals; a lone point is a constant."""
        x, y = self.x.astype("d"), self._y.astype(self.dtype)
        if x.shape[0] < 2:
            return tn.concatenate((x, x)), tn.stack((y * 0, y))
        slopes = (y[1:] - y[:-1]) / (x[1:] - x[:-1])[:, None]
        return x, tn.stack((slopes, y[:-1]))

    def _spline_of(self, order):
        x, y, is_nan = self.x, self._y, False
        if order > 1:
            no_x = tn.isnan(x)
            if bool(no_x.any()):
                if bool(no_x.all()):
                    raise ValueError("`x` array is all-nan")
                ends = [float(tn.nanmin(x)), float(tn.nanmax(x))]
                x, is_nan = tn.linspace(*ends, x.shape[0]), True
            if bool(tn.isnan(y).any()):
                y, is_nan = tn.ones_like(y), True
        spline = make_interp_spline(x, y, k=order, check_finite=False)
        return (lambda x: spline(x) * math.nan) if is_nan else spline

    @property
    def fill_value(self):
        """What stands beyond the points."""
        return self._fill_value

    @fill_value.setter
    def fill_value(self, fill_value):
        self._extrapolate = _is_extrapolate(fill_value)
        if self._extrapolate:
            self._let_extrapolate()
        else:
            shape = self.y.shape[: self.axis] + self.y.shape[self.axis + 1 :] or (1,)
            if isinstance(fill_value, tuple) and len(fill_value) == 2:
                names = "fill_value (below)", "fill_value (above)"
                self._beyond = [_broadcast_up_to(*given) for given in zip(fill_value, (shape, shape), names)]
            else:
                self._beyond = [_broadcast_up_to(fill_value, shape, "fill_value")] * 2
            if self.bounds_error is None:
                self.bounds_error = True
        self._is_plain = isinstance(fill_value, int | float) and not self._extrapolate
        self._fill_value = fill_value

    def _let_extrapolate(self):
        if self.bounds_error:
            raise ValueError("Cannot extrapolate and raise at the same time.")
        self.bounds_error = False

    def _call_linear(self, x):
        knots, table = self._table
        beyond, fill = (FILL, float(self._fill_value)) if self._is_plain else (EXTRAPOLATE, math.nan)
        y, is_outside = evaluate_reporting(x.astype("d", copy=False), ((knots, 2, 0),), table, POWERS, beyond, fill)
        if self.bounds_error and bool(is_outside[0]):
            self._raise_beyond(x)
        return y

    def _call_steps(self, x):
        edges, side, least, shift = self._steps
        at = tn.searchsorted(edges, x, side=side)
        return self._y[tn.clip(at, least, self.x.shape[0] - 1 - shift) + shift]

    def _raise_beyond(self, x):
        """ValueError where an x is before or after all points."""
        for is_beyond, side, word, end in (
            (x < self.x[0], "below", "minimum", self.x[0]),
            (x > self.x[-1], "above", "maximum", self.x[-1]),
        ):
            if bool(is_beyond.any()):
                raise ValueError(
                    f"A value ({x[is_beyond.argmax()]}) in x_new is {side} the interpolation range's {word} "
                    f"value ({end})."
                )

    def _evaluate(self, x):
        y = self._call(x)
        # Of single precision all of it is computed in double and rounded once.
        if self._call == self._call_linear:
            y = y.astype(tn.result_type(self.x.dtype, self.y.dtype, x.dtype), copy=False)
            if self._is_plain:
                return y
        if self._extrapolate:
            return y
        if self.bounds_error:
            self._raise_beyond(x)
        for is_beyond, value in zip((x < self.x[0], x > self.x[-1]), self._beyond):
            y = tn.where(is_beyond[:, None], value.astype(y.dtype), y)
        return y
