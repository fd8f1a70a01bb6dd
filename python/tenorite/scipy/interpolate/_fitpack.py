"""Smoothing splines: SciPy's FITPACK chooses knots and coefficients on the host, the values are
computed on the device."""

import tenorite as tn
from tenorite import _core
from tenorite._arguments import host_view, ndarray, on_host
from tenorite.scipy.interpolate._bspline import BSpline, derive, integrate
from tenorite.scipy.interpolate._documents import documented
from tenorite.scipy.interpolate._evaluate import (
    CLAMP,
    EXTRAPOLATE,
    FILL,
    KNOTS,
    as_x,
    evaluate,
    evaluate_reporting,
    of_scipy,
)

__all__ = [
    "InterpolatedUnivariateSpline",
    "LSQUnivariateSpline",
    "RectBivariateSpline",
    "SmoothBivariateSpline",
    "UnivariateSpline",
]

_EXTENSIONS = {0: 0, "extrapolate": 0, 1: 1, "zeros": 1, 2: 2, "raise": 2, 3: 3, "const": 3}
_RAISE, _CONSTANT = 2, 3
_BEYOND = {0: EXTRAPOLATE, 1: FILL, _RAISE: EXTRAPOLATE, _CONSTANT: CLAMP}


def _extension(ext):
    try:
        return _EXTENSIONS[ext]
    except KeyError as error:
        raise ValueError(f"Unknown extrapolation mode {ext}.") from error


@documented
class UnivariateSpline:
    """A spline close to points, of as few knots as a sum of squares allows.

    The knots are chosen by SciPy on the host.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import UnivariateSpline
    >>> x = tn.linspace(0, 3, 20)
    >>> spline = UnivariateSpline(x, x**3, s=0)
    >>> spline(1.5).round(6), spline.integral(0, 2), spline.derivatives(1.0).round(6)
    (array(3.375), array(4.), array([1., 3., 6., 6.]))
    >>> spline.derivative()(1.0).round(6), spline.antiderivative()(2.0).round(6)
    (array(3.), array(4.))
    >>> spline.get_knots().size, spline.get_coeffs().size, spline.get_residual() < 1e-9
    (18, 20, True)
    >>> UnivariateSpline(x, x - 1, s=0).roots().round(6)
    array([1.])
    >>> spline.set_smoothing_factor(0.1)
    """

    def __init__(self, x, y, w=None, bbox=(None, None), k=3, s=None, ext=0, check_finite=False):
        self._fit("UnivariateSpline", x, y, w=w, bbox=bbox, k=k, s=s, ext=ext, check_finite=check_finite)

    def _fit(self, name, *args, **options):
        """Of arguments of SciPy's class."""
        near, k = None, options["k"]
        count = len(args[0]) if hasattr(args[0], "__len__") else 1
        if isinstance(k, int) and 1 <= k <= 5 and count <= k:  # SciPy's wrapper loses memory then
            raise ValueError(f"a spline of degree {k} needs more than {k} points, not {count}")
        options["bbox"] = list(options["bbox"])
        for key, one in options.items():
            if isinstance(one, ndarray):
                near, options[key] = one, one.get()
        given = []
        for one in reversed(args):
            if isinstance(one, ndarray):
                near, one = one, host_view(one)
            given.append(one)
        self._near = near
        self._host = of_scipy(name)(*reversed(given), **options)
        self._take_over()

    def _take_over(self):
        self.ext = self._host.ext
        self._k = self._host._eval_args[2]
        for name in ("_t", "_c", "_integral"):
            self.__dict__.pop(name, None)
        own, of_host = type(self), _CLASSES[type(self._host).__name__]
        if own is not of_host and own in _CLASSES.values():
            self.__class__ = of_host

    def _ends(self):
        """The interval of the spline, on the host."""
        knots = self._host._eval_args[0]
        return float(knots[self._k]), float(knots[-self._k - 1])

    def __getattr__(self, name):
        """Knots and coefficients come to the device when they are first used; the integral from the
        first knot is then computed."""
        if name == "_integral":
            self._integral = BSpline.construct_fast(self._t, self._c, self._k, extrapolate=False).antiderivative()
            return self._integral
        if name not in ("_t", "_c"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self._t, self._c = _beside(self._near, *self._host._eval_args[:2])
        return self.__dict__[name]

    @documented
    @staticmethod
    def validate_input(x, y, w, bbox, k, s, ext, check_finite):
        """The arguments as SciPy reads them, on the host.

        Returns
        -------
        x, y, w, bbox : numpy.ndarray
        ext : int

        Examples
        --------
        >>> from tenorite.scipy.interpolate import UnivariateSpline
        >>> UnivariateSpline.validate_input([1.0, 2], [3.0, 4], None, [0, 3], 1, 0, "zeros", True)[-1]
        1
        """
        given = map(on_host, (x, y, w, bbox))
        return of_scipy("UnivariateSpline").validate_input(*given, k, s, ext, check_finite)

    @classmethod
    def _of_tck(cls, t, c, k, ext):
        self = cls.__new__(cls)
        self._t, self._c, self._k, self.ext, self._near = t, c, k, ext, t
        self._host = of_scipy("UnivariateSpline")._from_tck((t.get(), c.get(), k), ext)
        return self

    @documented
    def set_smoothing_factor(self, s):
        """Go on with another sum of squares, from the knots there are.

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import InterpolatedUnivariateSpline
        >>> x = tn.arange(6.0)
        >>> spline = InterpolatedUnivariateSpline(x, x**2 - 2)
        >>> spline.set_smoothing_factor(1.0)
        >>> spline.get_knots()
        array([0., 5.])
        """
        self._host.set_smoothing_factor(float(s))
        self._take_over()

    @documented
    def __call__(self, x, nu=0, ext=None):
        """The values of a derivative.

        Returns
        -------
        ndarray
        """
        x = as_x(x)
        if x.size == 0:
            return tn.zeros(0)
        if not 0 <= nu <= self._k:
            raise ValueError(f"0<=der={nu}<=k={self._k} must hold")
        ext = self.ext if ext is None else _extension(ext)
        axes = ((self._t, self._k + 1, nu),)
        if ext != _RAISE:
            beyond = EXTRAPOLATE if nu and ext == _CONSTANT else _BEYOND[ext]  # as FITPACK
            return evaluate(x, axes, self._c, KNOTS, beyond, 0.0)
        values, is_outside = evaluate_reporting(x, axes, self._c, KNOTS, EXTRAPOLATE)
        if bool(is_outside[0]):
            raise ValueError("Found x value not in the domain")
        return values

    def get_knots(self):
        """The knots, those at the ends once.

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import InterpolatedUnivariateSpline
        >>> x = tn.arange(6.0)
        >>> spline = InterpolatedUnivariateSpline(x, x**2 - 2)
        >>> spline.get_knots()
        array([0., 2., 3., 5.])
        """
        return self._t[self._k : self._t.shape[0] - self._k]

    def get_coeffs(self):
        """The coefficients.

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import InterpolatedUnivariateSpline
        >>> x = tn.arange(6.0)
        >>> spline = InterpolatedUnivariateSpline(x, x**2 - 2)
        >>> spline.get_coeffs().size
        6
        """
        return self._c[: self._t.shape[0] - self._k - 1]

    def get_residual(self):
        """The sum of squares of weighted residuals.

        Returns
        -------
        float

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import InterpolatedUnivariateSpline
        >>> x = tn.arange(6.0)
        >>> spline = InterpolatedUnivariateSpline(x, x**2 - 2)
        >>> spline.get_residual() < 1e-9
        True
        """
        return self._host.get_residual()

    @documented
    def integral(self, a, b):
        """The integral from a to b; the spline is 0 beyond its interval.

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import InterpolatedUnivariateSpline
        >>> x = tn.arange(6.0)
        >>> spline = InterpolatedUnivariateSpline(x, x**2 - 2)
        >>> spline.integral(0, 3).round(6)
        array(3.)
        """
        first, last = self._ends()
        values = self._integral(tn.asarray([min(max(float(one), first), last) for one in (a, b)]))
        return values[1] - values[0]

    @documented
    def derivatives(self, x):
        """The value and all derivatives at a point.

        Returns
        -------
        (k + 1,) ndarray

        Raises
        ------
        ValueError
            For a point outside of the knots.

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import InterpolatedUnivariateSpline
        >>> x = tn.arange(6.0)
        >>> spline = InterpolatedUnivariateSpline(x, x**2 - 2)
        >>> spline.derivatives(1.0)[:3].round(6)
        array([-1.,  2.,  2.])
        """
        first, last = self._ends()
        if not bool((first <= x) & (x <= last)):
            raise ValueError("Invalid input data. t(k)<=x<=t(n-k+1) must hold.")
        x = as_x(x)
        return tn.stack([self(x, nu, 0) for nu in range(self._k + 1)])

    def roots(self):
        """The zeros of a cubic spline, found on the host by SciPy.

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import InterpolatedUnivariateSpline
        >>> x = tn.arange(6.0)
        >>> spline = InterpolatedUnivariateSpline(x, x**2 - 2)
        >>> spline.roots().round(6)
        array([1.414214])
        """
        return tn.asarray(self._host.roots())

    @documented
    def derivative(self, n=1):
        """A derivative as a spline.

        Returns
        -------
        UnivariateSpline

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import InterpolatedUnivariateSpline
        >>> x = tn.arange(6.0)
        >>> spline = InterpolatedUnivariateSpline(x, x**2 - 2)
        >>> spline.derivative()(2.0).round(6)
        array(4.)
        """
        return UnivariateSpline._of_tck(*derive(self._t, self._c, self._k, n), 1 if self.ext == 3 else self.ext)

    @documented
    def antiderivative(self, n=1):
        """An integral as a spline.

        Returns
        -------
        UnivariateSpline

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import InterpolatedUnivariateSpline
        >>> x = tn.arange(6.0)
        >>> spline = InterpolatedUnivariateSpline(x, x**2 - 2)
        >>> spline.antiderivative()(3.0).round(6)
        array(3.)
        """
        return UnivariateSpline._of_tck(*integrate(self._t, self._c, self._k, n), self.ext)


@documented
class InterpolatedUnivariateSpline(UnivariateSpline):
    """A spline through points, found by SciPy on the host.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import InterpolatedUnivariateSpline
    >>> x = tn.arange(5.0)
    >>> InterpolatedUnivariateSpline(x, x**2)(2.5).round(6)
    array(6.25)
    """

    def __init__(self, x, y, w=None, bbox=(None, None), k=3, ext=0, check_finite=False):
        self._fit("InterpolatedUnivariateSpline", x, y, w=w, bbox=bbox, k=k, ext=ext, check_finite=check_finite)


@documented
class LSQUnivariateSpline(UnivariateSpline):
    """A spline of given knots that is closest to points, found by SciPy on the host.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import LSQUnivariateSpline
    >>> x = tn.arange(9.0)
    >>> LSQUnivariateSpline(x, 2 * x, tn.array([4.0]))(2.5).round(6)
    array(5.)
    """

    def __init__(self, x, y, t, w=None, bbox=(None, None), k=3, ext=0, check_finite=False):
        self._fit("LSQUnivariateSpline", x, y, t, w=w, bbox=bbox, k=k, ext=ext, check_finite=check_finite)


_CLASSES = {one.__name__: one for one in (UnivariateSpline, InterpolatedUnivariateSpline, LSQUnivariateSpline)}


def _beside(near, *arrays):
    """NumPy's arrays on the device of an array, or the current one."""
    if near is None or _core._is_near(near):
        return [tn.asarray(one) for one in arrays]
    with near.device:
        return [tn.asarray(one) for one in arrays]


class _BivariateSpline:
    """What splines of two variables share."""

    def _take_over(self, host, near):
        self._host, self._near = host, near
        self.fp = host.fp
        self.degrees = tuple(map(int, host.degrees))

    def __getattr__(self, name):
        """Knots and coefficients come to the device when they are first used."""
        if name not in ("tck", "_table"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self.tck = tuple(_beside(self._near, *self._host.tck))
        sizes = [t.shape[0] - k - 1 for t, k in zip(self.tck, self.degrees)]
        self._table = self.tck[2].reshape(sizes)
        return self.__dict__[name]

    @documented
    def __call__(self, x, y, dx=0, dy=0, grid=True):
        """The values of a derivative; beyond the knots that at the border.

        Returns
        -------
        ndarray
        """
        x, y = as_x(x), as_x(y)
        if grid:
            for name, one in (("x", x), ("y", y)):
                if one.size >= 2 and bool((one[1:] < one[:-1]).any()):
                    raise ValueError(f"{name} must be strictly increasing when `grid` is True")
        axes = tuple((t, k + 1, int(nu)) for t, k, nu in zip(self.tck, self.degrees, (dx, dy)))
        if grid:  # along one variable for all coefficients of the other
            lines = evaluate(x.ravel(), axes[:1], self._table, KNOTS, CLAMP)
            return evaluate(y.ravel(), axes[1:], lines.T, KNOTS, CLAMP).T
        x, y = tn.broadcast_arrays(x, y)
        return evaluate(tn.stack((x, y), axis=-1), axes, self._table, KNOTS, CLAMP)

    @documented
    def ev(self, xi, yi, dx=0, dy=0):
        """The values of a derivative at points.

        Returns
        -------
        ndarray
        """
        return self(xi, yi, dx, dy, grid=False)

    @documented
    def integral(self, xa, xb, ya, yb):
        """The integral over a rectangle, found on the host by SciPy.

        Returns
        -------
        float

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import SmoothBivariateSpline
        >>> x = tn.arange(16.0)
        >>> spline = SmoothBivariateSpline(x // 4, x % 4, x // 4 + x % 4, kx=1, ky=1)
        >>> round(spline.integral(0, 1, 0, 1), 6)
        1.0
        """
        return self._host.integral(xa, xb, ya, yb)

    def get_residual(self):
        """The sum of squares of weighted residuals.

        Returns
        -------
        float

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import SmoothBivariateSpline
        >>> x = tn.arange(16.0)
        >>> spline = SmoothBivariateSpline(x // 4, x % 4, x // 4 + x % 4, kx=1, ky=1)
        >>> spline.get_residual() < 1e-9
        True
        """
        return self.fp

    def get_knots(self):
        """The knots of both variables.

        Returns
        -------
        tuple of ndarray

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import SmoothBivariateSpline
        >>> x = tn.arange(16.0)
        >>> spline = SmoothBivariateSpline(x // 4, x % 4, x // 4 + x % 4, kx=1, ky=1)
        >>> spline.get_knots()[0]
        array([0., 0., 3., 3.])
        """
        return self.tck[:2]

    def get_coeffs(self):
        """The coefficients.

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import SmoothBivariateSpline
        >>> x = tn.arange(16.0)
        >>> spline = SmoothBivariateSpline(x // 4, x % 4, x // 4 + x % 4, kx=1, ky=1)
        >>> spline.get_coeffs().round(6)
        array([0., 3., 3., 6.])
        """
        return self.tck[2]


@documented
class RectBivariateSpline(_BivariateSpline):
    """A spline of two variables through values on a grid, or close to them; found by SciPy on the
    host.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import RectBivariateSpline
    >>> x = tn.arange(5.0)
    >>> spline = RectBivariateSpline(x, x, x[:, None] * x)
    >>> spline.ev(1.5, 2.0).round(6), spline(1.5, 2.0).shape
    (array(3.), (1, 1))
    >>> round(spline.integral(0, 1, 0, 1), 6), spline.get_residual() < 1e-9
    (0.25, True)
    >>> spline.get_knots()[0].size, spline.get_coeffs().size
    (9, 25)
    """

    def __init__(self, x, y, z, bbox=(None,) * 4, kx=3, ky=3, s=0, maxit=20):
        near = next((one for one in (x, y, z) if isinstance(one, tn.ndarray)), None)
        given = (host_view(one) if isinstance(one, ndarray) else one for one in (x, y, z))
        host = of_scipy("RectBivariateSpline")(*given, list(on_host(bbox)), kx, ky, s, maxit)
        self._take_over(host, near)


@documented
class SmoothBivariateSpline(_BivariateSpline):
    """A spline of two variables close to scattered points, found by SciPy on the host.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import SmoothBivariateSpline
    >>> x = tn.arange(16.0)
    >>> spline = SmoothBivariateSpline(x // 4, x % 4, x // 4 + x % 4, kx=1, ky=1)
    >>> spline.ev(1.5, 2.0).round(6)
    array(3.5)
    """

    def __init__(self, x, y, z, w=None, bbox=(None,) * 4, kx=3, ky=3, s=None, eps=1e-16):
        near = next((one for one in (x, y, z) if isinstance(one, tn.ndarray)), None)
        given = map(on_host, (x, y, z, w))
        self._take_over(of_scipy("SmoothBivariateSpline")(*given, list(on_host(bbox)), kx, ky, s, eps), near)
