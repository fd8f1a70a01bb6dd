"""Covariances and correlations of variables."""

import warnings

import numpy

from tenorite import _core
from tenorite._arguments import also_named, as_array, as_array_of, beside, ndarray
from tenorite._numpy._documents import documented


@also_named(a="m")
@beside
@documented
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """The covariance matrix of variables (rows, or columns if not rowvar) from observations.

    y: more variables. ddof (default: 1, 0 with bias) is subtracted from the number of observations,
    fweights say how often each counts, aweights how much. ValueError, TypeError.

    Parameters
    ----------
    m : ndarray
        Variables and observations.
    bias : bool, optional
        Whether the divisor is N, else N - 1.
    ddof : float, optional
        The divisor is ``N - ddof``.
    fweights : ndarray of ints, optional
        How often each observation counts.
    aweights : ndarray, optional
        The weight of each observation.

    Notes
    -----
    The sum of ``(x - mean(x)) * conj(y - mean(y))`` over ``N - ddof``, each observation times its
    weights.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cov(cp.array([[1., 2., 3.], [3., 2., 1.]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    m = as_array_of(m)
    if m.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    if y is not None and as_array_of(y).ndim > 2:
        raise ValueError("y has more than 2 dimensions")
    parts = [m] if y is None else [m, as_array_of(y)]
    dtype = numpy.result_type(*(part.dtype for part in parts), float) if dtype is None else numpy.dtype(dtype)
    if m.ndim == 2 and not m.shape[0 if rowvar else 1]:
        return _core.empty((0, 0))
    if not rowvar:  # one row of more variables stays a row, as in NumPy
        parts = [one.T if one.ndim == 2 and (one is m or one.shape[0] != 1) else one for one in parts]
    parts = [part.astype(dtype).reshape((1, -1) if part.ndim < 2 else part.shape) for part in parts]
    x = _core.concatenate(parts, axis=0) if len(parts) > 1 else parts[0]
    if dtype.kind not in "fc":
        raise TypeError(f"cov: dtype must be float or complex, which means need, not {dtype}")
    ddof = int(bias == 0) if ddof is None else ddof
    weights = _cov_weights(x, fweights, aweights)
    if weights is None:
        mean, factor = x.mean(1), x.shape[1]
    else:
        mean, total = _core.average(x, 1, weights, returned=True)
        factor = total[0]
    if aweights is not None and ddof:
        factor = factor - ddof * (weights * as_array(aweights)).sum() / factor
    else:
        factor = factor - ddof
    if not isinstance(factor, ndarray) and factor <= 0:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=2)
    x = x - mean[:, None]
    other = (x if weights is None else x * weights).T.conj()
    made = x @ other
    made *= _core.divide(1, _core.maximum(factor, 0.0))
    return made.squeeze()


def _cov_weights(x, fweights, aweights):
    weights = None
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is None:
            continue
        given = as_array(given)
        if name == "fweights" and given.dtype.kind not in "iu" and not bool((given == _core.rint(given)).all()):
            raise TypeError("fweights must be integer")
        if given.ndim > 1:
            raise RuntimeError(f"cannot handle multidimensional {name}")
        if given.size != x.shape[1]:
            raise RuntimeError(f"incompatible numbers of samples and {name}")
        if bool((given < 0).any()):
            raise ValueError(f"{name} cannot be negative")
        weights = given if weights is None else weights * given
    return weights


@also_named(a="x")
@beside
@documented
def corrcoef(x, y=None, rowvar=True, bias=None, ddof=None, *, dtype=None):
    """The correlation coefficients of variables: their covariances over their standard
    deviations.

    Parameters
    ----------
    x : ndarray
        Variables and observations.
    bias, ddof : optional
        Have no effect; deprecated.

    Notes
    -----
    ``cov[i, j] / sqrt(cov[i, i] * cov[j, j])``, cut to [-1, 1] (Pearson, 1895).

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.corrcoef(cp.array([[1., 2., 3.], [3., 2., 1.]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    if bias is not None or ddof is not None:
        warnings.warn("bias and ddof have no effect and are deprecated", DeprecationWarning, stacklevel=3)
    covariance = cov(x, y, rowvar, dtype=dtype)
    if covariance.ndim == 0:
        return covariance / covariance
    deviation = _core.sqrt(covariance.diagonal().real)
    result = covariance / deviation[:, None] / deviation
    for part in (result.real, result.imag) if result.dtype.kind == "c" else (result,):
        _core._clip(part, -1, 1, out=part)
    return result


@beside
def moment_about(name, a, correction, axis, dtype, out, keepdims, where, mean):
    """var, std, nanvar and nanstd (the name) about a mean that is given."""
    a, mean = as_array(a), as_array(mean)
    taken = where if where is not None else True
    if name.startswith("nan") and a.dtype.kind in "fc":
        taken = ~_core.isnan(a) if taken is True else taken & ~_core.isnan(a)
    off = a - mean
    if name.startswith("nan") and a.dtype.kind in "fc":
        if dtype is not None and numpy.dtype(dtype).kind not in "fc":
            raise TypeError("If a is inexact, then dtype must be inexact")
        off = (off.real if a.dtype.kind == "f" else off).astype(a.dtype, copy=False)  # as NumPy
    squares = off.real**2 + off.imag**2 if off.dtype.kind == "c" else off * off
    if dtype is None and a.dtype.kind not in "fc":
        dtype = float
    total = squares.sum(axis, dtype=dtype, keepdims=bool(keepdims), where=taken)
    if taken is True:
        count = a.size // max(total.size, 1) if a.size else 0
        if count <= correction:
            dot = "." if name.startswith("nan") else ""
            warnings.warn(f"Degrees of freedom <= 0 for slice{dot}", RuntimeWarning, stacklevel=4)
    else:
        marks = _core._broadcast_to(as_array(taken), a.shape, False)
        count = marks.sum(axis, keepdims=bool(keepdims))
    divisor = _core.maximum(count - correction, 0)
    found = (total / divisor).astype(total.dtype, copy=False)
    found = _core.sqrt(found) if name.endswith("std") else found
    if out is None:
        return found
    out[...] = found
    return out
