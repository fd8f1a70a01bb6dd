"""Cosine and sine transforms of types 1 to 4."""

import operator

from tenorite import _core
from tenorite._arguments import as_array
from tenorite.fft._transform import norm_of
from tenorite.scipy.fft._documents import documented_real


def _transform(x, name, kind, n, axis, norm, is_inverse, orthogonalize):
    if kind not in (1, 2, 3, 4):
        raise ValueError(f"unknown {'DCT' if name == 'cosine' else 'DST'} type {kind}: 1, 2, 3 or 4")
    x = as_array(x)
    lengths = None if n is None else (operator.index(n),)
    if lengths and lengths[0] < 1:
        raise ValueError(f"Invalid number of data points ({n}) specified.")
    return _along(x, name, kind, (operator.index(axis),), lengths, norm, is_inverse, orthogonalize)


def _along(x, name, kind, axes, lengths, norm, is_inverse, orthogonalize):
    """The transforms along several axes, one by one."""
    number = norm_of(norm)
    is_weighed = norm == "ortho" if orthogonalize is None else bool(orthogonalize)
    return _core._fft_cosine(x, name == "sine", kind, axes, lengths, number, is_inverse, is_weighed)


def _whole_numbers(values, name):
    """The integers of an argument that is None, one integer or several of them."""
    try:
        several = values if values is None or hasattr(values, "__len__") else (values,)
        return None if several is None else [operator.index(one) for one in several]
    except TypeError:
        raise ValueError(f"{name} must be a scalar or iterable of integers, not {values!r}") from None


def _lengths_and_axes(x, s, axes):
    """The length along each axis of a transform of several axes; -1 leaves an axis as it is."""
    s, axes = _whole_numbers(s, "s"), _whole_numbers(axes, "axes")
    if axes is not None:
        if any(not -x.ndim <= axis < x.ndim for axis in axes):
            raise ValueError(f"axes exceeds dimensionality of input: axes {axes}, shape {x.shape}")
        if len({axis % x.ndim for axis in axes}) != len(axes):
            raise ValueError(f"all axes must be unique: axes {axes}")
        if s is not None and len(s) != len(axes):
            raise ValueError("when given, axes and shape arguments have to be of the same length")
    elif s is not None and len(s) > x.ndim:
        raise ValueError(f"shape requires more axes than are present: s {s}, shape {x.shape}")
    else:
        axes = range(x.ndim) if s is None else range(-len(s), 0)
    lengths = [x.shape[a] if n == -1 else n for a, n in zip(axes, [-1] * len(axes) if s is None else s)]
    if any(n < 1 for n in lengths):
        raise ValueError(f"invalid number of data points ({lengths}) specified")
    return tuple(axes), tuple(lengths)


def _several(x, name, kind, s, axes, norm, is_inverse, orthogonalize):
    if kind not in (1, 2, 3, 4):
        raise ValueError(f"unknown {'DCT' if name == 'cosine' else 'DST'} type {kind}: 1, 2, 3 or 4")
    x = as_array(x)
    axes, lengths = _lengths_and_axes(x, s, axes)
    return _along(x, name, kind, axes, lengths, norm, is_inverse, orthogonalize)


@documented_real
def dct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, *, orthogonalize=None):
    """The discrete cosine transform, along an axis.

    Examples
    --------
    >>> import tenorite as tn
    >>> x = tn.arange(6.0).reshape(2, 3)
    >>> y = tn.scipy.fft.dct(x)
    >>> tn.allclose(tn.scipy.fft.idct(y), x)
    array(True)
    """
    arguments = (type, n, axis, norm, False, orthogonalize)
    return _transform(x, "cosine", *arguments)


@documented_real
def dctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, *, orthogonalize=None):
    """The discrete cosine transform, along several axes.

    Examples
    --------
    >>> import tenorite as tn
    >>> x = tn.arange(6.0).reshape(2, 3)
    >>> y = tn.scipy.fft.dctn(x)
    >>> tn.allclose(tn.scipy.fft.idctn(y), x)
    array(True)
    """
    arguments = (type, s, axes, norm, False, orthogonalize)
    return _several(x, "cosine", *arguments)


@documented_real
def idct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, *, orthogonalize=None):
    """The inverse of `dct`, along an axis.

    Examples
    --------
    >>> import tenorite as tn
    >>> x = tn.arange(6.0).reshape(2, 3)
    >>> y = tn.scipy.fft.idct(x)
    >>> tn.allclose(tn.scipy.fft.dct(y), x)
    array(True)
    """
    arguments = (type, n, axis, norm, True, orthogonalize)
    return _transform(x, "cosine", *arguments)


@documented_real
def idctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, *, orthogonalize=None):
    """The inverse of `dctn`, along several axes.

    Examples
    --------
    >>> import tenorite as tn
    >>> x = tn.arange(6.0).reshape(2, 3)
    >>> y = tn.scipy.fft.idctn(x)
    >>> tn.allclose(tn.scipy.fft.dctn(y), x)
    array(True)
    """
    arguments = (type, s, axes, norm, True, orthogonalize)
    return _several(x, "cosine", *arguments)


@documented_real
def dst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, *, orthogonalize=None):
    """The discrete sine transform, along an axis.

    Examples
    --------
    >>> import tenorite as tn
    >>> x = tn.arange(6.0).reshape(2, 3)
    >>> y = tn.scipy.fft.dst(x)
    >>> tn.allclose(tn.scipy.fft.idst(y), x)
    array(True)
    """
    arguments = (type, n, axis, norm, False, orthogonalize)
    return _transform(x, "sine", *arguments)


@documented_real
def dstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, *, orthogonalize=None):
    """The discrete sine transform, along several axes.

    Examples
    --------
    >>> import tenorite as tn
    >>> x = tn.arange(6.0).reshape(2, 3)
    >>> y = tn.scipy.fft.dstn(x)
    >>> tn.allclose(tn.scipy.fft.idstn(y), x)
    array(True)
    """
    arguments = (type, s, axes, norm, False, orthogonalize)
    return _several(x, "sine", *arguments)


@documented_real
def idst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, *, orthogonalize=None):
    """The inverse of `dst`, along an axis.

    Examples
    --------
    >>> import tenorite as tn
    >>> x = tn.arange(6.0).reshape(2, 3)
    >>> y = tn.scipy.fft.idst(x)
    >>> tn.allclose(tn.scipy.fft.dst(y), x)
    array(True)
    """
    arguments = (type, n, axis, norm, True, orthogonalize)
    return _transform(x, "sine", *arguments)


@documented_real
def idstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, *, orthogonalize=None):
    """The inverse of `dstn`, along several axes.

    Examples
    --------
    >>> import tenorite as tn
    >>> x = tn.arange(6.0).reshape(2, 3)
    >>> y = tn.scipy.fft.idstn(x)
    >>> tn.allclose(tn.scipy.fft.dstn(y), x)
    array(True)
    """
    arguments = (type, s, axes, norm, True, orthogonalize)
    return _several(x, "sine", *arguments)
