"""Distributions of vectors, and densities that samples show."""

import math

import numpy

import tenorite
from tenorite._arguments import as_array_of
from tenorite.scipy import special
from tenorite.scipy.stats._distributions import generator_of

_CHUNK = 1 << 23  # elements of the table of distances that is made at a time


class _Covariance:
    """The eigenvectors of a covariance, scaled so that they whiten; its rank and determinant."""

    def __init__(self, matrix, allow_singular):
        values, vectors = tenorite.linalg.eigh(matrix)
        sizes = values.get()
        epsilon = 1e6 * numpy.finfo(float).eps * abs(sizes).max(initial=0)
        if (sizes < -epsilon).any():
            raise ValueError("The input matrix must be symmetric positive semidefinite.")
        there = sizes > epsilon
        if not there.all() and not allow_singular:
            raise numpy.linalg.LinAlgError(
                "When `allow_singular is False`, the input matrix must be symmetric positive definite."
            )
        self.rank = int(there.sum())
        self.log_determinant = float(numpy.log(sizes[there]).sum())
        scales = numpy.where(there, 1 / numpy.sqrt(numpy.where(there, sizes, 1)), 0)
        self.whiten = vectors * tenorite.asarray(scales)
        self.color = vectors * tenorite.asarray(numpy.where(there, numpy.sqrt(abs(sizes)), 0))
        self.null = vectors[:, tenorite.asarray(numpy.flatnonzero(~there))]
        self.epsilon = epsilon


def _parameters(mean, cov):
    mean = tenorite.zeros(1) if mean is None else as_array_of(mean).astype(float, copy=False).ravel()
    cov = tenorite.ones(()) if cov is None else as_array_of(cov).astype(float, copy=False)
    dim = max(mean.size, cov.shape[0] if cov.ndim else 1)
    if mean.size == 1 and dim > 1:
        mean = tenorite.broadcast_to(mean, dim)
    if cov.ndim == 0:
        cov = cov * tenorite.eye(dim)
    elif cov.ndim == 1:
        cov = tenorite.diag(cov)
    if cov.shape != (dim, dim):
        if cov.ndim == 2 and cov.shape[0] != cov.shape[1]:
            raise ValueError(f"Array 'cov' must be square if it is two dimensional, but cov.shape = {cov.shape}.")
        raise ValueError(
            f"Dimension mismatch: array 'cov' is of shape {cov.shape}, but 'mean' is a vector of length {mean.size}."
        )
    if mean.size != dim:
        raise ValueError(f"Array 'mean' must be a vector of length {dim}.")
    return mean, cov, dim


class MultivariateNormal:
    """The normal distribution of vectors.

    Parameters
    ----------
    mean : array_like, optional
        A vector; by default 0.
    cov : array_like, optional
        A matrix, a vector of variances, or one variance.
    allow_singular : bool, optional
        Whether the covariance may be singular.
    seed : int, Generator or RandomState, optional
        For random variates.

    Returns
    -------
    FrozenMultivariateNormal
        The distribution with these parameters. Without a call the object is the family: its
        methods take the parameters after their first argument.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.multivariate_normal.pdf(cp.zeros(2), cov=cp.eye(2)).round(6)
    array(0.159155)
    """

    def __call__(self, mean=None, cov=1, allow_singular=False, seed=None):
        """The distribution with its parameters given once.

        Returns
        -------
        FrozenMultivariateNormal
        """
        return FrozenMultivariateNormal(mean, cov, allow_singular, seed)

    def logpdf(self, x, mean=None, cov=1, allow_singular=False):
        """The logarithm of `pdf`."""
        return FrozenMultivariateNormal(mean, cov, allow_singular).logpdf(x)

    def pdf(self, x, mean=None, cov=1, allow_singular=False):
        """The density.

        Parameters
        ----------
        x : array_like
            Vectors along the last axis.
        mean, cov, allow_singular
            The parameters.

        Returns
        -------
        ndarray
            Without the last axis.

        Raises
        ------
        ValueError
            If shapes do not fit, or the covariance is not positive semidefinite.
        LinAlgError
            If it is singular and may not be.
        """
        return tenorite.exp(self.logpdf(x, mean, cov, allow_singular))

    def rvs(self, mean=None, cov=1, size=1, random_state=None):
        """Random vectors along the last axis of an ndarray."""
        return FrozenMultivariateNormal(mean, cov, True).rvs(size, random_state)

    def entropy(self, mean=None, cov=1):
        """The differential entropy in nats, a float."""
        return FrozenMultivariateNormal(mean, cov, True).entropy()

    def cdf(self, x, mean=None, cov=1, allow_singular=False, **options):
        """Not implemented but for vectors of one element.

        Raises
        ------
        NotImplementedError
            For longer vectors.
        """
        return FrozenMultivariateNormal(mean, cov, allow_singular).cdf(x)


class FrozenMultivariateNormal:
    """A normal distribution of vectors whose parameters are given."""

    def __init__(self, mean=None, cov=1, allow_singular=False, seed=None):
        self.mean, self.cov, self.dim = _parameters(mean, cov)
        self.random_state, self.allow_singular = seed, allow_singular
        self._covariance = _Covariance(self.cov, allow_singular)

    def _vectors(self, x):
        x = as_array_of(x).astype(float, copy=False)
        if x.ndim == 0 or (x.ndim == 1 and self.dim == 1):
            x = x[..., None]
        return x

    def logpdf(self, x):
        """The logarithm of `pdf`."""
        covariance = self._covariance
        away = self._vectors(x) - self.mean
        distance = ((away @ covariance.whiten) ** 2).sum(axis=-1)
        made = -0.5 * (covariance.rank * math.log(2 * math.pi) + covariance.log_determinant + distance)
        if covariance.null.shape[1]:
            outside = tenorite.linalg.norm(away @ covariance.null, axis=-1) >= 1e3 * covariance.epsilon
            made = tenorite.where(outside, -math.inf, made)
        return made

    def pdf(self, x):
        """The density at vectors along the last axis."""
        return tenorite.exp(self.logpdf(x))

    def cdf(self, x):
        """Of vectors of one element, the probability of at most `x`."""
        if self.dim > 1:
            raise NotImplementedError("multivariate_normal.cdf of more than one dimension")
        return special.ndtr((self._vectors(x) - self.mean)[..., 0] / tenorite.sqrt(self.cov[0, 0]))

    def rvs(self, size=1, random_state=None):
        """Random vectors along the last axis; sizes of 1 are left out, as SciPy does."""
        rng = generator_of(self.random_state if random_state is None else random_state)
        shape = tuple(numpy.atleast_1d(size))
        drawn = rng.standard_normal((*shape, self.dim)) @ self._covariance.color.T + self.mean
        return drawn.squeeze()

    def entropy(self):
        """The differential entropy in nats, a float."""
        return 0.5 * (self._covariance.rank * (math.log(2 * math.pi) + 1) + self._covariance.log_determinant)


multivariate_normal = MultivariateNormal()


class gaussian_kde:
    """The density that samples show: a sum of normal densities of one covariance at the samples
    (B. Silverman, Density Estimation for Statistics and Data Analysis, 1986).

    Parameters
    ----------
    dataset : array_like
        Samples along the last axis, variables along the first.
    bw_method : {'scott', 'silverman'}, float or callable, optional
        The width in standard deviations; a callable takes the object.
    weights : array_like, optional
        Of the samples.

    Attributes
    ----------
    d, n : int
        Numbers of variables and of samples.
    neff : float
        The samples' effective number.
    factor : float
        The width.
    covariance, inv_cov : ndarray
        Of the summed densities, and its inverse.

    Raises
    ------
    ValueError
        If there are fewer than two samples, or weights do not fit.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> kde = stats.gaussian_kde(cp.array([0.0, 1.0, 2.0]))
    >>> kde.d, kde.n
    (1, 3)
    """

    def __init__(self, dataset, bw_method=None, weights=None):
        self.dataset = tenorite.atleast_2d(as_array_of(dataset).astype(float, copy=False))
        if not self.dataset.size > 1:
            raise ValueError("`dataset` input should have multiple elements.")
        self.d, self.n = self.dataset.shape
        if weights is not None:
            weights = tenorite.atleast_1d(as_array_of(weights)).astype(float)
            if weights.ndim != 1:
                raise ValueError("`weights` input should be one-dimensional.")
            if weights.size != self.n:
                raise ValueError("`weights` input should be of length n")
            self._weights = weights / weights.sum()
        else:
            self._weights = tenorite.full(self.n, 1 / self.n)
        self.neff = float(1 / (self._weights**2).sum())
        if self.d > self.n:
            raise ValueError(
                "Number of dimensions is greater than number of samples. This results in a singular data "
                "covariance matrix, which cannot be treated using the algorithms implemented in `gaussian_kde`. "
                "Note that `gaussian_kde` interprets each *column* of `dataset` to be a point; consider transposing "
                "the input to `dataset`."
            )
        self._data_covariance = tenorite.atleast_2d(
            tenorite.cov(self.dataset, rowvar=1, bias=False, aweights=self._weights)
        )
        self.set_bandwidth(bw_method)

    @property
    def weights(self):
        """The samples' weights, of sum 1."""
        return self._weights

    def scotts_factor(self):
        """The width of D. Scott (Multivariate Density Estimation, 1992), a float.

        Examples
        --------
        >>> import tenorite as cp
        >>> from tenorite.scipy import stats
        >>> round(stats.gaussian_kde(cp.arange(32.0)).scotts_factor(), 6)
        0.5
        """
        return self.neff ** (-1.0 / (self.d + 4))

    def silverman_factor(self):
        """The width of Silverman, a float.

        Examples
        --------
        >>> import tenorite as cp
        >>> from tenorite.scipy import stats
        >>> round(stats.gaussian_kde(cp.arange(24.0)).silverman_factor(), 6)
        0.560978
        """
        return (self.neff * (self.d + 2.0) / 4.0) ** (-1.0 / (self.d + 4))

    def set_bandwidth(self, bw_method=None):
        """Choose the width.

        Parameters
        ----------
        bw_method : {'scott', 'silverman'}, float or callable, optional
            As of the class; None: 'scott'.

        Raises
        ------
        ValueError
            For anything else.

        Examples
        --------
        >>> import tenorite as cp
        >>> from tenorite.scipy import stats
        >>> kde = stats.gaussian_kde(cp.arange(32.0))
        >>> kde.set_bandwidth(0.25)
        >>> kde.factor
        0.25
        """
        if bw_method is None or (isinstance(bw_method, str) and bw_method == "scott"):
            self.covariance_factor = self.scotts_factor
        elif isinstance(bw_method, str) and bw_method == "silverman":
            self.covariance_factor = self.silverman_factor
        elif numpy.isscalar(bw_method) and not isinstance(bw_method, str):
            self.covariance_factor = lambda: bw_method
        elif callable(bw_method):
            self.covariance_factor = lambda: bw_method(self)
        else:
            raise ValueError("`bw_method` should be 'scott', 'silverman', a scalar or a callable.")
        self.factor = self.covariance_factor()
        self.covariance = self._data_covariance * self.factor**2
        self.cho_cov = tenorite.linalg.cholesky(self.covariance)
        self.log_det = float(2 * tenorite.log(tenorite.diag(self.cho_cov) * math.sqrt(2 * math.pi)).sum())

    @property
    def inv_cov(self):
        """The inverse of the covariance."""
        return tenorite.linalg.inv(self.covariance)

    def _points(self, points):
        points = tenorite.atleast_2d(as_array_of(points).astype(float, copy=False))
        d, m = points.shape
        if d != self.d:
            if d == 1 and m == self.d:
                return points.reshape(self.d, 1)
            raise ValueError(f"points have dimension {d}, dataset has dimension {self.d}")
        return points

    def _each(self, points, function):
        """function(minus half the squared distances) of pieces of (points, samples), joined."""
        whiten = lambda x: tenorite.linalg.solve(self.cho_cov, x).T
        points, samples = whiten(points), whiten(self.dataset)
        step = max(1, _CHUNK // (self.n * self.d))
        made = []
        for start in range(0, max(len(points), 1), step):
            away = points[start : start + step, None] - samples
            made.append(function(-0.5 * (away * away).sum(axis=-1)))
        return tenorite.concatenate(made)

    def evaluate(self, points):
        """The density.

        Parameters
        ----------
        points : array_like
            Along the last axis, variables along the first.

        Returns
        -------
        ndarray
            Of the length of the points.

        Raises
        ------
        ValueError
            If the number of variables is another.

        Examples
        --------
        >>> import tenorite as cp
        >>> from tenorite.scipy import stats
        >>> kde = stats.gaussian_kde(cp.array([-1.0, 1.0]), 1.0)
        >>> kde.evaluate(cp.array([0.0])).shape
        (1,)
        """
        norm = math.exp(-self.log_det / 2)
        return self._each(self._points(points), lambda e: tenorite.exp(e) @ self._weights) * norm

    __call__ = pdf = evaluate

    def logpdf(self, x):
        """The logarithm of `evaluate`, also where that underflows.

        Parameters
        ----------
        x : array_like
            Points along the last axis, variables along the first.

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import tenorite as cp
        >>> from tenorite.scipy import stats
        >>> kde = stats.gaussian_kde(cp.array([-1.0, 1.0]))
        >>> bool(kde.logpdf(cp.array([100.0]))[0] < -1000)
        True
        """
        made = self._each(self._points(x), lambda e: special.logsumexp(e, axis=1, b=self._weights))
        return made - self.log_det / 2

    def integrate_box_1d(self, low, high):
        """The probability between two places, of one variable.

        Parameters
        ----------
        low, high : float

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If there are more variables.

        Examples
        --------
        >>> import tenorite as cp
        >>> from tenorite.scipy import stats
        >>> kde = stats.gaussian_kde(cp.array([-1.0, 1.0]))
        >>> kde.integrate_box_1d(-9.0, 0.0).__round__(6)
        0.5
        """
        if self.d != 1:
            raise ValueError("integrate_box_1d() only handles 1D pdfs")
        width = math.sqrt(float(self.covariance[0, 0]))
        ends = special.ndtr((high - self.dataset[0]) / width) - special.ndtr((low - self.dataset[0]) / width)
        return float((self._weights * ends).sum())

    def resample(self, size=None, seed=None):
        """Random variates of the density.

        Parameters
        ----------
        size : int, optional
            By default the samples' effective number.
        seed : int, Generator or RandomState, optional

        Returns
        -------
        ndarray
            Of the shape (d, size).

        Examples
        --------
        >>> import tenorite as cp
        >>> from tenorite.scipy import stats
        >>> stats.gaussian_kde(cp.array([-1.0, 1.0])).resample(5).shape
        (1, 5)
        """
        size = int(self.neff) if size is None else int(size)
        rng = generator_of(seed)
        sums = tenorite.cumsum(self._weights)
        drawn = rng.uniform(size=size) * sums[-1]
        chosen = tenorite.searchsorted(sums, drawn, "right").clip(0, self.n - 1)
        noise = self.cho_cov @ rng.standard_normal((self.d, size))
        return self.dataset[:, chosen] + noise
