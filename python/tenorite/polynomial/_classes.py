"""The classes of series: coefficients with the interval of x that they are for.

One class has all of it; the six are made from the table of bases. Texts are those of the class of
the same name in NumPy, to which `get` converts.
"""

import numbers

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of, beside, ndarray
from tenorite._lib.documents import documenter
from tenorite.polynomial import _bases, _coefficients, _functions
from tenorite.polynomial.polyutils import as_int, as_series, getdomain, mapdomain, mapparms, read_series, trimcoef

__all__ = ["Chebyshev", "Hermite", "HermiteE", "Laguerre", "Legendre", "Polynomial", "set_default_printstyle"]

_ON = {
    name: beside(getattr(_functions, name))
    for name in ("add", "sub", "mul", "div", "power", "der", "integral", "fit", "roots", "fromroots", "val")
}


_documented = documenter(
    {
        "deg": ("int", "The degree, at least 0."),
        "domain": ("array_like", "The domain, that of the class if left out."),
        "m": ("int", "How often."),
        "other": ("series", "Another one."),
        "symbol": ("str", "The name of the variable."),
        "window": ("array_like", "The window, that of the class if left out."),
    },
    ("series of the same class", ""),
)


class _Interval:
    """The ends of an interval of x, as an array of two."""

    def __get__(self, instance, owner):
        return _core.array(owner._basis.domain)


class _Letter:
    """What a polynomial of the basis is called in texts; None for powers."""

    def __get__(self, instance, owner):
        return owner._basis.letter


def _ends(value, what):
    (ends,) = as_series([value], trim=False)
    if ends.size != 2:
        raise ValueError(f"{what} has wrong number of elements.")
    return ends


def _host(value):
    return value.get() if isinstance(value, ndarray) else numpy.asarray(value)


class _Series:
    """What the six classes share."""

    __hash__ = None
    __array_ufunc__ = None
    _basis = _bases.POWER
    maxpower = 100
    basis_name = _Letter()
    domain = _Interval()
    window = _Interval()

    def __init__(self, coef, domain=None, window=None, symbol="x"):
        (self.coef,) = as_series([coef], trim=False)
        if domain is not None:
            self.domain = _ends(domain, "Domain")
        if window is not None:
            self.window = _ends(window, "Window")
        if not isinstance(symbol, str):
            raise TypeError("Symbol must be a non-empty string")
        if not symbol.isidentifier():
            raise ValueError("Symbol string must be a valid Python identifier")
        self._symbol = symbol

    @property
    def symbol(self):
        """The name of the variable."""
        return self._symbol

    def _made(self, coef):
        """A series of the same interval with other coefficients."""
        own = vars(self)
        return type(self)(coef, own.get("domain"), own.get("window"), self._symbol)

    def _ends_of(self, name):
        """The domain or the window, on the host."""
        own = vars(self).get(name)
        return numpy.array(self._basis.domain) if own is None else _host(own)

    # --- What it is ---

    @_documented
    def copy(self):
        """A copy with coefficients of its own.

        Examples
        --------
        >>> tenorite.polynomial.Polynomial([1, 2]).copy().coef
        array([1., 2.])
        """
        return self._made(self.coef.copy())

    def get(self):
        """The object of NumPy's class of the same name. Waits.

        Returns
        -------
        object of numpy.polynomial

        Examples
        --------
        >>> tenorite.polynomial.Polynomial([1, 2]).get()
        Polynomial([1., 2.], domain=[-1.,  1.], window=[-1.,  1.], symbol='x')
        """
        kind = getattr(numpy.polynomial, self._basis.kind)
        return kind(_host(self.coef), self._ends_of("domain"), self._ends_of("window"), self._symbol)

    def degree(self):
        """The degree: one less than there are coefficients.

        Returns
        -------
        int

        Examples
        --------
        >>> tenorite.polynomial.Polynomial([1, 2, 0]).degree()
        2
        """
        return len(self) - 1

    @_documented
    def has_samecoef(self, other):
        """Whether the coefficients are equal.

        Returns
        -------
        bool

        Examples
        --------
        >>> p = tenorite.polynomial.Polynomial([1, 2])
        >>> p.has_samecoef(p.copy())
        True
        """
        return len(self) == len(other) and bool((_host(self.coef) == _host(other.coef)).all())

    @_documented
    def has_samedomain(self, other):
        """Whether the domains are equal.

        Returns
        -------
        bool

        Examples
        --------
        >>> p = tenorite.polynomial.Polynomial([1, 2])
        >>> p.has_samedomain(tenorite.polynomial.Polynomial([1], domain=[0, 1]))
        False
        """
        return bool((self._ends_of("domain") == other._ends_of("domain")).all())

    @_documented
    def has_samewindow(self, other):
        """Whether the windows are equal.

        Returns
        -------
        bool

        Examples
        --------
        >>> p = tenorite.polynomial.Polynomial([1, 2])
        >>> p.has_samewindow(p)
        True
        """
        return bool((self._ends_of("window") == other._ends_of("window")).all())

    def has_sametype(self, other):
        """Whether the other is of the same class.

        Parameters
        ----------
        other : object
            Anything.

        Returns
        -------
        bool

        Examples
        --------
        >>> tenorite.polynomial.Polynomial([1]).has_sametype(tenorite.polynomial.Legendre([1]))
        False
        """
        return isinstance(other, type(self))

    def __len__(self):
        return len(self.coef)

    def __iter__(self):
        return iter(self.coef)

    def __eq__(self, other):
        return (
            self.has_sametype(other)
            and self.has_samedomain(other)
            and self.has_samewindow(other)
            and self.has_samecoef(other)
            and self._symbol == other._symbol
        )

    def __getstate__(self):
        return {name: value.copy() if isinstance(value, ndarray) else value for name, value in vars(self).items()}

    def __repr__(self):
        return repr(self.get())

    def __str__(self):
        return str(self.get())

    def __format__(self, format_spec):
        return format(self.get(), format_spec)

    def _repr_latex_(self):
        return self.get()._repr_latex_()

    # --- Arithmetic ---

    def _coefficients_of(self, other):
        """The coefficients of a series that may be combined with this one, or what is given."""
        if not isinstance(other, _Series):
            return other
        if not self.has_sametype(other):
            raise TypeError("Polynomial types differ")
        if not self.has_samedomain(other):
            raise TypeError("Domains differ")
        if not self.has_samewindow(other):
            raise TypeError("Windows differ")
        if self._symbol != other._symbol:
            raise ValueError("Polynomial symbols differ")
        return other.coef

    def _combined(self, name, one, other):
        try:
            one, other = (_core.asarray(part) if isinstance(part, (list, tuple)) else part for part in (one, other))
            made = _ON[name](self._basis, one, other)
        except (TypeError, ValueError):
            return NotImplemented
        return tuple(self._made(part) for part in made) if isinstance(made, tuple) else self._made(made)

    def __neg__(self):
        return self._made(-self.coef)

    def __pos__(self):
        return self

    def __add__(self, other):
        return self._combined("add", self.coef, self._coefficients_of(other))

    def __radd__(self, other):
        return self._combined("add", other, self.coef)

    def __sub__(self, other):
        return self._combined("sub", self.coef, self._coefficients_of(other))

    def __rsub__(self, other):
        return self._combined("sub", other, self.coef)

    def __mul__(self, other):
        return self._combined("mul", self.coef, self._coefficients_of(other))

    def __rmul__(self, other):
        return self._combined("mul", other, self.coef)

    def __divmod__(self, other):
        return self._combined("div", self.coef, self._coefficients_of(other))

    def __rdivmod__(self, other):
        return self._combined("div", other, self.coef)

    def __floordiv__(self, other):
        made = self.__divmod__(other)
        return made if made is NotImplemented else made[0]

    def __rfloordiv__(self, other):
        made = self.__rdivmod__(other)
        return made if made is NotImplemented else made[0]

    def __mod__(self, other):
        made = self.__divmod__(other)
        return made if made is NotImplemented else made[1]

    def __rmod__(self, other):
        made = self.__rdivmod__(other)
        return made if made is NotImplemented else made[1]

    def __truediv__(self, other):
        if isinstance(other, bool) or not (
            isinstance(other, numbers.Number) or isinstance(other, ndarray) and not other.ndim
        ):
            raise TypeError(f"unsupported types for true division: '{type(self)}', '{type(other)}'")
        return self.__floordiv__(other)

    def __rtruediv__(self, other):
        return NotImplemented

    def __pow__(self, other):
        return self._made(_ON["power"](self._basis, self.coef, other, self.maxpower))

    # --- Values ---

    def __call__(self, arg):
        if isinstance(arg, (_Series, numpy.polynomial.polynomial.ABCPolyBase)):
            return self._after(arg)
        off, scl = self.mapparms()
        x = arg if isinstance(arg, (numbers.Number, numpy.generic)) else as_array_of(arg)
        return _ON["val"](self._basis, off + scl * x, self.coef)

    def _after(self, inner):
        """The series of this one at another."""
        off, scl = self.mapparms()
        series, argument = read_series([self.coef, (inner * scl + off).coef], trim=False)

        def times(value):
            return _coefficients.multiply(inner._basis, argument, value)

        made = _coefficients.clenshaw(self._basis, series, times, numpy.ones(1, series.dtype))
        return inner._made(_core.asarray(made))

    def mapparms(self):
        """The constant and the factor of the linear map of the domain to the window.

        Returns
        -------
        tuple of two scalars

        Examples
        --------
        >>> off, scl = tenorite.polynomial.Polynomial([1], domain=[0, 4]).mapparms()
        >>> float(off), float(scl)
        (-1.0, 0.5)
        """
        return mapparms(self._ends_of("domain"), self._ends_of("window"))

    def linspace(self, n=100, domain=None):
        """Points at equal distances in the domain, and the values there.

        Parameters
        ----------
        n : int, optional
            How many.
        domain : array_like, optional
            Another interval.

        Returns
        -------
        tuple of two ndarrays
            The points and the values.

        Examples
        --------
        >>> tenorite.polynomial.Polynomial([1, 2]).linspace(3)
        (array([-1.,  0.,  1.]), array([-1.,  1.,  3.]))
        """
        first, last = (self._ends_of("domain") if domain is None else _host(domain)).tolist()
        with self.coef.device:
            points = _core.linspace(first, last, n)
        return points, self(points)

    def roots(self):
        """The roots, in the domain's terms, ascending.

        Returns
        -------
        ndarray

        Examples
        --------
        >>> tenorite.polynomial.Polynomial([-4, 2]).roots()
        array([2.])
        """
        found = _ON["roots"](self._basis, self.coef)
        return mapdomain(found, self._ends_of("window"), self._ends_of("domain"))

    # --- Other series of this one ---

    @_documented
    def deriv(self, m=1):
        """The m-th derivative.

        Examples
        --------
        >>> tenorite.polynomial.Polynomial([1, 2, 3]).deriv().coef
        array([2., 6.])
        """
        return self._made(_ON["der"](self._basis, self.coef, m, self.mapparms()[1]))

    @_documented
    def integ(self, m=1, k=[], lbnd=None):
        """The m-th antiderivative.

        Parameters
        ----------
        k : scalar or sequence of scalars, optional
            The values at lbnd after each integration.
        lbnd : scalar, optional
            Where they are taken; 0 of the window if left out.

        Examples
        --------
        >>> tenorite.polynomial.Polynomial([1, 2, 3]).integ().coef
        array([0., 1., 1., 1.])
        """
        off, scl = self.mapparms()
        bound = 0 if lbnd is None else off + scl * lbnd
        return self._made(_ON["integral"](self._basis, self.coef, m, k, bound, 1.0 / scl))

    @_documented
    def trim(self, tol=0):
        """The series without coefficients at its end of at most tol.

        Parameters
        ----------
        tol : float, optional
            The tolerance.

        Examples
        --------
        >>> tenorite.polynomial.Polynomial([1, 2, 0]).trim().coef
        array([1., 2.])
        """
        return self._made(trimcoef(self.coef, tol))

    @_documented
    def truncate(self, size):
        """The first coefficients alone.

        Parameters
        ----------
        size : int
            How many, at least 1.

        Examples
        --------
        >>> tenorite.polynomial.Polynomial([1, 2, 3]).truncate(2).coef
        array([1., 2.])
        """
        count = int(size)
        if count != size or count < 1:
            raise ValueError("size must be a positive integer")
        return self._made(self.coef[:count])

    @_documented
    def cutdeg(self, deg):
        """The coefficients up to a degree alone.

        Examples
        --------
        >>> tenorite.polynomial.Polynomial([1, 2, 3]).cutdeg(1).coef
        array([1., 2.])
        """
        return self.truncate(deg + 1)

    @_documented
    def convert(self, domain=None, kind=None, window=None):
        """The same polynomial as a series of another class, domain or window.

        Parameters
        ----------
        kind : class, optional
            The class, that of this one if left out.

        Returns
        -------
        series of the class

        Examples
        --------
        >>> tenorite.polynomial.Polynomial([0, 0, 1]).convert(kind=tenorite.polynomial.Chebyshev).coef
        array([0.5, 0. , 0.5])
        """
        kind = type(self) if kind is None else kind
        return self(kind.identity(domain, window=window, symbol=self._symbol))

    # --- Making ---

    @classmethod
    def _intervals(cls, domain, window):
        """The domain and the window on the host, those of the class where none is given."""
        given = (cls._basis.domain if one is None else one for one in (domain, window))
        return tuple(_host(one) for one in given)

    @classmethod
    @_documented
    def identity(cls, domain=None, window=None, symbol="x"):
        """The series of x itself.

        Returns
        -------
        series of the class

        Examples
        --------
        >>> tenorite.polynomial.Polynomial.identity()(3.0)
        array(3.)
        """
        ends = cls._intervals(domain, window)
        off, scl = mapparms(ends[1], ends[0])
        return cls(_functions.line(cls._basis, float(off), float(scl)), domain, window, symbol)

    @classmethod
    @_documented
    def basis(cls, deg, domain=None, window=None, symbol="x"):
        """The polynomial of a degree of the basis.

        Returns
        -------
        series of the class

        Examples
        --------
        >>> tenorite.polynomial.Polynomial.basis(2).coef
        array([0., 0., 1.])
        """
        degree = int(deg)
        if degree != deg or degree < 0:
            raise ValueError("deg must be non-negative integer")
        return cls([0] * degree + [1], domain, window, symbol)

    @classmethod
    @_documented
    def cast(cls, series, domain=None, window=None):
        """A series of another class as one of this class; see convert.

        Parameters
        ----------
        series : series
            The other.

        Returns
        -------
        series of the class

        Examples
        --------
        >>> C, P = tenorite.polynomial.Chebyshev, tenorite.polynomial.Polynomial
        >>> C.cast(P([0, 0, 1])).coef
        array([0.5, 0. , 0.5])
        """
        return series.convert(domain, cls, window)

    @classmethod
    @_documented
    def fromroots(cls, roots, domain=[], window=None, symbol="x"):
        """The series with these roots, of which the highest power of x has the factor 1.

        Parameters
        ----------
        roots : array_like
            The roots.
        domain : array_like, optional
            The domain; [] for that of the class, None for the smallest that holds the roots.

        Returns
        -------
        series of the class

        Examples
        --------
        >>> tenorite.polynomial.Polynomial.fromroots([1, 2]).coef
        array([ 2., -3.,  1.])
        """
        (roots,) = as_series([roots], trim=False)
        domain = getdomain(roots) if domain is None else cls._chosen(domain)
        off, scl = mapparms(*cls._intervals(domain, window))
        coef = _ON["fromroots"](cls._basis, off + scl * roots) / scl ** len(roots)
        return cls(coef, domain, window, symbol)

    @classmethod
    def _chosen(cls, domain):
        """None, which stands for the domain of the class, for an empty list."""
        return None if isinstance(domain, list) and not domain else domain

    @classmethod
    @_documented
    def fit(cls, x, y, deg, domain=None, rcond=None, full=False, w=None, window=None, symbol="x"):
        """The series of a degree, or of some degrees, with the least squares of differences.

        Parameters
        ----------
        x, y : array_like
            The points.
        deg : int or sequence of ints
            The degree, or the degrees that the series has.
        domain : array_like, optional
            The domain; [] for that of the class, None for the smallest that holds the points.
        rcond : float, optional
            Singular values below this share of the largest one count as zero.
        full : bool, optional
            Whether residuals, rank, singular values and rcond are given back, too.
        w : array_like, optional
            Weights of the points.

        Returns
        -------
        series of the class, or tuple
            The series, and the list of what was asked for.

        Examples
        --------
        >>> p = tenorite.polynomial.Polynomial.fit([0.0, 1.0, 2.0], [1.0, 3.0, 5.0], 1)
        >>> p(3.0).round(9)
        array(7.)
        """
        if domain is None:
            domain = getdomain(x).get()
            domain = domain + numpy.array([-1, 1]) if domain[0] == domain[1] else domain
        domain = cls._chosen(domain)
        ends = cls._intervals(domain, window)
        made = _ON["fit"](cls._basis, mapdomain(as_array_of(x), *ends), y, deg, rcond, full, w)
        coef, status = made if full else (made, None)
        series = cls(coef, domain, window, symbol)
        return (series, status) if full else series


_DOCUMENT = """A series of {words} polynomials with an interval of x.

    Values of x in the domain are mapped linearly to the window before the series is evaluated.

    Parameters
    ----------
    coef : array_like
        The coefficients, that of the constant first.
    domain : array_like, optional
        The ends of the domain.
    window : array_like, optional
        The ends of the window.
    symbol : str, optional
        The name of the variable.

    Examples
    --------
    >>> p = tenorite.polynomial.{kind}([1.0, 2.0, 3.0])
    >>> (p + p).coef
    array([2., 4., 6.])
    >>> p.degree()
    2
    """


def _class_of(basis):
    body = {"_basis": basis, "__doc__": _DOCUMENT.format(words=basis.words, kind=basis.kind)}
    body["__module__"] = f"tenorite.polynomial.{basis.module}"
    return type(basis.kind, (_Series,), body)


Polynomial = _class_of(_bases.POWER)
Legendre = _class_of(_bases.LEGENDRE)
Laguerre = _class_of(_bases.LAGUERRE)
Hermite = _class_of(_bases.HERMITE)
HermiteE = _class_of(_bases.HERMITE_E)


class Chebyshev(_class_of(_bases.CHEBYSHEV)):
    __doc__ = _DOCUMENT.format(words=_bases.CHEBYSHEV.words, kind="Chebyshev")
    __module__ = "tenorite.polynomial.chebyshev"

    @classmethod
    def interpolate(cls, func, deg, domain=None, args=()):
        """The series that has the values of a function at Chebyshev's points of the first kind.

        Parameters
        ----------
        func : callable
            It is given the points as an array, and then `args`.
        deg : int
            The degree.
        domain : array_like, optional
            The domain, that of the class if left out.
        args : tuple, optional
            Further arguments of `func`.

        Returns
        -------
        series of the class

        Examples
        --------
        >>> tenorite.polynomial.Chebyshev.interpolate(lambda x: 2 * x + 1, 1).coef.round(9)
        array([1., 2.])
        """
        ends = cls._intervals(domain, None)
        coef = _functions.chebinterpolate(lambda x: func(mapdomain(x, ends[1], ends[0]), *args), as_int(deg, "deg"))
        return cls(coef, domain)


def set_default_printstyle(style):
    """How series are written by str() and print, NumPy's classes included.

    Parameters
    ----------
    style : {'ascii', 'unicode'}
        With or without superscripts. ValueError for others.

    Examples
    --------
    >>> tenorite.polynomial.set_default_printstyle("ascii")
    >>> print(tenorite.polynomial.Polynomial([1, 2]))
    1.0 + 2.0 x
    >>> tenorite.polynomial.set_default_printstyle("unicode")
    """
    numpy.polynomial.set_default_printstyle(style)
