"""Integers, and choices among elements: the other methods that Generator and RandomState share."""

import functools
import math
import operator
import warnings

import numpy
from numpy.lib.array_utils import normalize_axis_index

from tenorite import _core, linalg
from tenorite._arguments import as_array
from tenorite._numpy.indexing import where
from tenorite._numpy.sets import unique
from tenorite._numpy.shapes import broadcast_to
from tenorite.random import _drawings as drawings
from tenorite.random._arguments import check, ndarray, shape_of
from tenorite.random._methods import Distributions

_WORD = (1 << 64) - 1
# More elements than _MANY are not put into an order where less than a part in _FEW is taken.
_MANY, _FEW = 1 << 20, 16
_SMALL = 0.1  # gamma numbers of a shape that is not smaller are never 0


@functools.cache
def _least_and_most(dtype):
    if dtype.kind == "b":
        return 0, 1
    if dtype.kind not in "iu":
        raise TypeError(f"Unsupported dtype {dtype} for randint")
    facts = numpy.iinfo(dtype)
    return int(facts.min), int(facts.max)


def _as_bound(value):
    """An int, or an array of integers."""
    if isinstance(value, (int, float, numpy.number, numpy.bool_)):
        return int(value)
    value = _core.asarray(value)
    if value.dtype.kind not in "biu":
        value = value.astype(numpy.int64)
    return value


class Choices(Distributions):
    """Methods that draw integers, orders and elements."""

    def _bounded(self, low, high, size, dtype, endpoint):
        """Integers of [low, high), or of [low, high] if `endpoint`, without bias."""
        dtype = numpy.dtype(dtype)
        least, most = _least_and_most(dtype)
        low, high = (0, low) if high is None else (low, high)
        if low.__class__ is not int or high.__class__ is not int:
            low, high = _as_bound(low), _as_bound(high)
            if isinstance(low, ndarray) or isinstance(high, ndarray):
                return self._bounded_by_arrays(low, high, size, dtype, endpoint)
        last = high if endpoint else high - 1
        if low < least:
            raise ValueError(f"low is out of bounds for {dtype}")
        if last > most:
            raise ValueError(f"high is out of bounds for {dtype}")
        shape = () if size is None else shape_of(size, ())
        if low > last and 0 not in shape:
            raise ValueError("low > high" if endpoint else "low >= high")
        result = _core.empty(shape, dtype)
        if not result.size:
            return result
        return self._bit_generator._fill(result, "bounded", None, low, last - low)

    def _bounded_by_arrays(self, low, high, size, dtype, endpoint):
        """Bounds that are arrays are not looked at, since that would wait for the device."""
        wide = numpy.uint64 if dtype == numpy.uint64 else numpy.int64
        low, high = _core.asarray(low, dtype=wide), _core.asarray(high, dtype=wide)
        span = (high - low).astype(numpy.uint64)
        if not endpoint:
            span = span - numpy.uint64(1)
        result = _core.empty(shape_of(size, (span,)), numpy.int64)
        self._bit_generator._fill(result, "span", span, 0, 0)
        return (result + low.astype(numpy.int64)).astype(dtype)

    def bytes(self, length):
        """Random bytes.

        Parameters
        ----------
        length : int
            How many.

        Returns
        -------
        bytes
            On the host: the device is waited for.

        Examples
        --------
        >>> import tenorite as cp
        >>> len(cp.random.default_rng(7).bytes(10))
        10
        """
        length = operator.index(length)
        words = _core.empty((length + 3) // 4, numpy.uint32)
        return self._bit_generator._fill(words, "words", None, 0, 0).get().tobytes()[:length]

    def permutation(self, x, axis=0):
        """Put elements into a random order.

        Parameters
        ----------
        x : int or ndarray
            An int n stands for ``arange(n)``.
        axis : int, optional
            The axis along which slices are put into another order.

        Returns
        -------
        ndarray
            A new array.

        Raises
        ------
        AxisError
            For an axis that the array has not.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.random.default_rng(7).permutation(cp.zeros((2, 3)), axis=1).shape
        (2, 3)
        >>> sorted(cp.random.default_rng(7).permutation(4).tolist())
        [0, 1, 2, 3]
        """
        if isinstance(x, (int, numpy.integer)):
            return self._bit_generator._order(int(x))
        x = as_array(x)
        if axis == 0 and x.ndim:
            return x[self._bit_generator._order(len(x))]
        axis = normalize_axis_index(axis, x.ndim)
        return _core.take(x, self._bit_generator._order(x.shape[axis]), axis=axis)

    def shuffle(self, x, axis=0):
        """Put an array's slices along an axis into a random order, in place.

        Parameters
        ----------
        x : ndarray
            It is written.
        axis : int, optional
            The axis along which slices move.

        Raises
        ------
        AxisError
            For an axis that the array has not.

        Examples
        --------
        >>> import tenorite as cp
        >>> x = cp.arange(4)
        >>> cp.random.default_rng(7).shuffle(x)
        >>> sorted(x.tolist())
        [0, 1, 2, 3]
        """
        if not isinstance(x, ndarray):
            raise TypeError("The array must be tenorite.ndarray")
        if x.ndim == 0:
            raise TypeError("An array whose ndim is 0 is not supported")
        x[...] = self.permutation(x, axis)

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        """Choose among elements.

        With `p` and without replacement by the method of Efraimidis and Spirakis (2006).

        Parameters
        ----------
        a : int or ndarray
            An int n stands for ``arange(n)``.
        size : int or tuple of ints, optional
            How many, as a shape; None: one.
        replace : bool, optional
            Whether an element may be chosen again.
        p : ndarray or sequence of floats, optional
            The chance of each element; they are divided by their sum. None: all alike.
        axis : int, optional
            The axis of `a` along which slices are chosen.
        shuffle : bool, optional
            Taken for NumPy's sake: a choice without replacement is in random order in any case.

        Returns
        -------
        ndarray
            A new array.

        Raises
        ------
        ValueError
            For more elements than there are, without replacement; for chances of another length.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.random.default_rng(7).choice(10, size=3, replace=False).shape
        (3,)
        """
        if a is None:
            raise ValueError("a must be a sequence or an integer, not None")
        is_count = isinstance(a, (int, numpy.integer))
        if is_count and a <= 0 and size != 0:
            raise ValueError("a must be greater than 0 unless no samples are taken")
        if not is_count:
            a = as_array(_core.asarray(a) if isinstance(a, (list, tuple, numpy.ndarray)) else a)
            if a.ndim == 0:
                raise ValueError("a must be a sequence or an integer, not a 0-d array")
            self._check_population(a)
        places = self._places(int(a) if is_count else a.shape[axis], shape_of(size, ()), replace, p)
        return places if is_count else _core.take(a, places, axis=axis)

    def _check_population(self, a):
        """Raise ValueError for an array that `choice` does not choose from."""

    def _places(self, count, shape, replace, p):
        """Positions among `count` elements."""
        check(min(shape, default=0) >= 0, "negative dimensions are not allowed")
        wanted = math.prod(shape)
        if p is not None:
            p = p if isinstance(p, (ndarray, numpy.ndarray)) else numpy.asarray(p, dtype=numpy.float64)
            tolerance = _tolerance(p.dtype)
            p = _core.asarray(p, dtype=numpy.float64)
            if p.shape != (count,):
                raise ValueError(f"'a' and 'p' must have same size: {count} elements, p of shape {p.shape}")
            possible = _check_chances(p, tolerance)
            if not replace and possible < wanted <= count:
                raise ValueError("Fewer non-zero entries in p than size")
        if not replace and wanted > count:
            raise ValueError("Cannot take a larger sample than population when 'replace=False'")
        if wanted == 0:
            return _core.empty(shape, numpy.int64)
        if p is None and replace:
            return self._bounded(0, count, shape, numpy.int64, False)
        if p is None and wanted < count / _FEW and count > _MANY:
            return self._different(count, wanted).reshape(shape)
        if p is None:
            return self._bit_generator._order(count)[:wanted].reshape(shape)
        if replace:
            limits = _core.cumsum(p)
            drawn = drawings.random(self._bit_generator, False, shape, float, None) * limits[-1]
            places = _core.searchsorted(limits, drawn, side="right")
            return _core.minimum(places, count - 1)
        # Waits of exponential length end in the order of a choice without replacement (Efraimidis
        # and Spirakis, 2006).
        waits = drawings.standard_exponential(self._bit_generator, False, count, float, None) / p
        return _core.argsort(waits)[:wanted].reshape(shape)

    def _different(self, count, wanted):
        """Different positions among so many that an order of all of them would be a waste.

        What was drawn before is drawn anew. Waits for the device.
        """
        drawn = self._bounded(0, count, wanted, numpy.int64, False)
        while True:
            _, first = unique(drawn, return_index=True)
            if first.size == wanted:
                return drawn
            fresh = self._bounded(0, count, wanted - first.size, numpy.int64, False)
            drawn = _core.concatenate((drawn[_core.sort(first)], fresh))

    def multinomial(self, n, pvals, size=None):
        """Draw from the multinomial distribution: how often each outcome comes in n trials.

        Binomial numbers, an outcome after the other, of the trials that are left (Devroye, 1986,
        XI.4).

        Parameters
        ----------
        n : int or array of ints
            Trials; an array, which broadcasts to `size`, gives each row its own.
        pvals : sequence of floats
            Chances of the outcomes; the last one is what is left of 1.
        size : int or tuple of ints, optional
            Shape of the result, without its last axis, the outcomes'.

        Returns
        -------
        ndarray
            int64, of shape ``(*size, len(pvals))``.

        Raises
        ------
        ValueError
            If n is negative, or the chances do not add up to at most 1.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.random.default_rng(7).multinomial(10, [0.2, 0.8]).sum().item()
        10
        """
        pvals = numpy.asarray(pvals.get() if isinstance(pvals, ndarray) else pvals, dtype=numpy.float64)
        if not pvals.ndim:
            raise TypeError("pvals must be a 1-d sequence")
        check(pvals.ndim == 1, f"pvals must be a 1-d sequence, not one of {pvals.ndim} dimensions")
        pvals = pvals.tolist()
        if not isinstance(n, (int, numpy.integer)):
            n = _core.asarray(n)
            if n.dtype.kind not in "iu":
                raise TypeError(f"n must be integers, not {n.dtype}")
            n = n.astype(numpy.int64, copy=False)
        check(bool((n >= 0).all()) if isinstance(n, ndarray) else n >= 0, "n < 0")
        result = _core.empty((*shape_of(size, (n,)), len(pvals)), numpy.int64)
        return self._bit_generator._fill_parts(result, "binomial", n, pvals)

    def dirichlet(self, alpha, size=None, dtype=float):
        """Draw from the Dirichlet distribution: chances that add up to 1.

        The density is proportional to the product of ``x**(alpha - 1)``. Numbers of gamma
        distributions over their sum (Devroye, 1986, XI.4), or parts of a stick of which each breaks
        a beta number off, where all concentrations are small.

        Parameters
        ----------
        alpha : sequence of floats or ndarray
            Concentrations, above 0.
        size : int or tuple of ints, optional
            Shape of the result, without its last axis.
        dtype : {float64, float32}, optional
            Of the result.

        Returns
        -------
        ndarray
            Of shape ``(*size, len(alpha))``.

        Raises
        ------
        ValueError
            For a negative concentration.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.random.default_rng(7).dirichlet([1.0, 2.0, 3.0], size=4).shape
        (4, 3)
        """
        alpha = _core.asarray(alpha, dtype=numpy.float64)
        check(not bool((alpha < 0).any()), "alpha < 0")
        if alpha.ndim and alpha.size and bool((alpha.max(axis=-1) < _SMALL).any()):
            return self._broken_sticks(alpha, shape_of(size, ())).astype(dtype, copy=False)
        drawn = drawings.dirichlet(
            self._bit_generator, self._narrows, (*shape_of(size, ()), *alpha.shape), dtype, None, alpha
        )
        if drawn.ndim == 0:
            raise ValueError("alpha must have a dimension if size is None")
        drawn /= drawn.sum(axis=-1, keepdims=True)
        return drawn

    def _broken_sticks(self, alpha, shape):
        """Dirichlet numbers of concentrations whose gammas may all be 0: each takes its part of
        what those before it left, a beta number."""
        here, rest = alpha[..., :-1], _core.cumsum(alpha[..., ::-1], axis=-1)[..., -2::-1]
        parts = self.beta(where(rest > 0, here, 1.0), where(here > 0, rest, 1.0), (*shape, *rest.shape))
        parts = where(here > 0, where(rest > 0, parts, 1.0), 0.0)
        last = broadcast_to(where(alpha[..., -1:] > 0, 1.0, 0.0), (*parts.shape[:-1], 1))
        left = _core.concatenate((_core.ones(last.shape), _core.cumprod(1 - parts, axis=-1)), axis=-1)
        return _core.concatenate((parts, last), axis=-1) * left

    def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8, method="svd", dtype=float):
        """Draw from the normal distribution of several dimensions.

        The mean plus independent normal numbers times a factor f of the covariances, f.T @ f == cov
        (Devroye, 1986, XI.2).

        Parameters
        ----------
        mean : ndarray, shape (n,)
            Mean.
        cov : ndarray, shape (n, n)
            Covariances, symmetric and positive semidefinite.
        size : int or tuple of ints, optional
            Shape of the result, without its last axis.
        check_valid : {"warn", "raise", "ignore"}, optional
            What to do where `cov` is not symmetric and positive semidefinite.
        tol : float, optional
            How much `cov` may differ from what its factors make.
        method : {"svd", "eigh", "cholesky"}, optional
            How `cov` is factored; "cholesky" is the fastest, and needs a positive definite one.
        dtype : {float64, float32}, optional
            Of the result.

        Returns
        -------
        ndarray
            Of shape ``(*size, n)``.

        Examples
        --------
        >>> import tenorite as cp
        >>> rng = cp.random.default_rng(7)
        >>> rng.multivariate_normal(cp.zeros(2), cp.eye(2), 4, method="cholesky").shape
        (4, 2)
        """
        mean, cov = _core.asarray(mean, dtype=numpy.float64), _core.asarray(cov, dtype=numpy.float64)
        if mean.ndim != 1:
            raise ValueError("mean must be 1 dimensional")
        if cov.ndim != 2 or cov.shape[0] != cov.shape[1]:
            raise ValueError("cov must be 2 dimensional and square")
        if mean.shape[0] != cov.shape[0]:
            raise ValueError("mean and cov must have same length")
        factor = _factor(cov, check_valid, tol, method)
        drawn = drawings.standard_normal(self._bit_generator, False, (*shape_of(size, ()), mean.size), float, None)
        return (mean + drawn @ factor).astype(dtype)


def _factor(cov, check_valid, tol, method):
    """A matrix f with ``f.T @ f == cov``."""
    if check_valid not in ("warn", "raise", "ignore"):
        raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
    if method == "cholesky":
        return linalg.cholesky(cov).T
    if method == "eigh":
        values, vectors = linalg.eigh(cov)
        factor = (vectors * _core.sqrt(_core.maximum(values, 0))).T
    elif method == "svd":
        _, values, vectors = linalg.svd(cov)
        factor = _core.sqrt(values)[:, None] * vectors
    else:
        raise ValueError("method must be one of {'eigh', 'svd', 'cholesky'}")
    if check_valid != "ignore" and not bool((abs(factor.T @ factor - cov) <= tol * (1 + abs(cov))).all()):
        text = "covariance is not symmetric positive-semidefinite."
        if check_valid == "raise":
            raise ValueError(text)
        warnings.warn(text, RuntimeWarning, stacklevel=3)
    return factor


def _tolerance(dtype):
    """How far from 1 the sum of chances may be: CuPy's bound, and NumPy's for short floats."""
    rounding = numpy.finfo(dtype).eps if dtype in (numpy.float16, numpy.float32) else 0.0
    return max(1e-5, math.sqrt(rounding))


def _check_chances(p, tolerance):
    """How many chances are not 0. ValueError unless all are some, and 1 together.

    Waits for the device.
    """
    if not p.size:
        return 0
    least, total, possible = _core.stack([p.min(), p.sum(), (p != 0).sum(dtype=numpy.float64)]).tolist()
    check(not math.isnan(total), "Probabilities contain NaN")
    check(least >= 0, "probabilities are not non-negative")
    check(abs(total - 1) <= tolerance, "probabilities do not sum to 1")
    return possible
