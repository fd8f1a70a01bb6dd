"""Cosine and sine transforms of types 1 to 4: on the host in C, on CUDA each by a Fourier transform
of about its length."""

import operator

import numpy

from tenorite import _core
from tenorite._arguments import as_array
from tenorite._core import concatenate
from tenorite._numpy.rearranging import moveaxis
from tenorite.fft._transform import COMPLEX, HERMITIAN, REAL, norm_of

_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}
_ROOT2 = 2**0.5


def _turns(count, step, start, like):
    """exp(-i pi (start + step k)) for k below count, in the complex dtype beside `like`."""
    angles = -numpy.pi * (start + step * numpy.arange(count, dtype=numpy.float64))
    return _core.asarray(numpy.exp(1j * angles).astype("F" if like.dtype == "f" else "D"))


def _signs(x):
    """x with every second element negated, along the last axis."""
    x = x.copy()
    x[..., 1::2] = -x[..., 1::2]
    return x


def _half(x):
    return _core._fft(x, REAL, False, (-1,), None, 0, None)


def _cosine_1(x):
    if x.shape[-1] < 2:
        raise ValueError("DCT-I is not defined for size < 2")
    return _half(concatenate([x, x[..., -2:0:-1]], axis=-1)).real


def _cosine_2(x):
    n = x.shape[-1]
    ordered = concatenate([x[..., ::2], x[..., 1::2][..., ::-1]], axis=-1)
    made = _half(ordered) * _turns(n // 2 + 1, 0.5 / n, 0, x)
    return 2 * concatenate([made.real, -made.imag[..., 1 : (n + 1) // 2][..., ::-1]], axis=-1)


def _cosine_3(x):
    n = x.shape[-1]
    m = n // 2 + 1
    mirrored = _core.empty((*x.shape[:-1], m), x.dtype)
    mirrored[..., 0] = 0
    mirrored[..., 1:] = x[..., : -m : -1]
    made = (x[..., :m] - 1j * mirrored) * _turns(m, 0.5 / n, 0, x).conj()
    ordered = _core._fft(made, HERMITIAN, True, (-1,), (n,), 2, None)
    result = _core.empty(x.shape, x.dtype)
    result[..., ::2] = ordered[..., : (n + 1) // 2]
    result[..., 1::2] = ordered[..., (n + 1) // 2 :][..., ::-1]
    return result


def _cosine_4(x):
    n = x.shape[-1]
    made = _core._fft(x * _turns(n, 0.5 / n, 0, x), COMPLEX, False, (-1,), (2 * n,), 0, None)
    return 2 * (made[..., :n] * _turns(n, 0.5 / n, 0.25 / n, x)).real


def _sine_1(x):
    zero = _core.zeros((*x.shape[:-1], 1), x.dtype)
    made = _half(concatenate([zero, x, zero, -x[..., ::-1]], axis=-1))
    return -made.imag[..., 1:-1]


def _sine_2(x):
    return _cosine_2(_signs(x))[..., ::-1]


def _sine_3(x):
    return _signs(_cosine_3(x[..., ::-1]))


def _sine_4(x):
    return _signs(_cosine_4(x[..., ::-1]))


_KINDS = {
    ("cosine", 1): _cosine_1, ("cosine", 2): _cosine_2, ("cosine", 3): _cosine_3, ("cosine", 4): _cosine_4,
    ("sine", 1): _sine_1, ("sine", 2): _sine_2, ("sine", 3): _sine_3, ("sine", 4): _sine_4,
}  # fmt: skip


def _resized(x, n):
    """The last axis cut, or followed by zeros."""
    if x.shape[-1] >= n:
        return x[..., :n]
    return concatenate([x, _core.zeros((*x.shape[:-1], n - x.shape[-1]), x.dtype)], axis=-1)


def _weighted(x, name, kind, is_before):
    """The ends that orthogonal transforms weigh: before with root 2, after with its inverse."""
    ends = {
        ("cosine", 1, True): (0, -1), ("cosine", 1, False): (0, -1), ("cosine", 2, False): (0,),
        ("cosine", 3, True): (0,), ("sine", 2, False): (-1,), ("sine", 3, True): (-1,),
    }.get((name, kind, is_before))  # fmt: skip
    if not ends:
        return x
    x = x.copy()
    for end in ends:
        x[..., end] *= _ROOT2 if is_before else 1 / _ROOT2
    return x


def _transform(x, name, kind, n, axis, norm, is_inverse, orthogonalize):
    if kind not in _INVERSE:
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
    if x.device.backend == "host":
        return _core._fft_cosine(x, name == "sine", kind, axes, lengths, number, is_inverse, is_weighed)
    for k, axis in enumerate(axes):
        x = _composed(x, name, kind, lengths[k] if lengths else None, axis, number, is_inverse, is_weighed)
    return x


def _composed(x, name, kind, n, axis, number, is_inverse, is_weighed):
    """The transform along one axis, from steps before and after a Fourier transform."""
    if x.dtype.kind == "c":
        parts = [_composed(part, name, kind, n, axis, number, is_inverse, is_weighed) for part in (x.real, x.imag)]
        return parts[0] + 1j * parts[1]
    x = moveaxis(x.astype("f" if x.dtype.char in "ef" else "d", copy=False), axis, -1)
    if n is not None:
        x = _resized(x, n)
    length = x.shape[-1]
    if length < 1:
        raise ValueError(f"Invalid number of data points ({length}) specified.")
    if is_inverse:
        kind = _INVERSE[kind]
    if is_weighed:
        x = _weighted(x, name, kind, True)
    result = _KINDS[name, kind](x) if x.size else _core.zeros(x.shape, x.dtype)
    whole = 2 * (length + (0 if kind != 1 else -1 if name == "cosine" else 1))
    if number == 1:
        result = result * (1 / whole**0.5)
    elif (number == 0) == is_inverse:
        result = result * (1 / whole)
    if is_weighed:
        result = _weighted(result, name, kind, False)
    return moveaxis(result, -1, axis)


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
    if kind not in _INVERSE:
        raise ValueError(f"unknown {'DCT' if name == 'cosine' else 'DST'} type {kind}: 1, 2, 3 or 4")
    x = as_array(x)
    axes, lengths = _lengths_and_axes(x, s, axes)
    return _along(x, name, kind, axes, lengths, norm, is_inverse, orthogonalize)


def dct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, *, orthogonalize=None):
    """The discrete cosine transform, along an axis.

    Parameters
    ----------
    x : ndarray
        Real numbers; of complex ones both parts are transformed.
    type : {1, 2, 3, 4}, optional
        Which of the transforms.
    n : int, optional
        The length: the input is cut or followed by zeros.
    axis : int, optional
        The axis; the last one if not given.
    norm : {"backward", "ortho", "forward"}, optional
        Which transform has the factor 1/(2n): the inverse ("backward"), both its root, or the
        other.
    overwrite_x : bool, optional
        Whether the input may be lost; it never is.
    orthogonalize : bool, optional
        Whether the ends are weighed such that the matrix is orthogonal; for norm "ortho" if not
        given.

    Returns
    -------
    ndarray
        float32 of halves and float32, else float64; complex of complex numbers.

    Raises
    ------
    AxisError
        For an axis that the array has not.

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


def dctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, *, orthogonalize=None):
    """The discrete cosine transform, along several axes.

    Parameters
    ----------
    x : ndarray
        Real numbers; of complex ones both parts are transformed.
    type : {1, 2, 3, 4}, optional
        Which of the transforms.
    s : sequence of ints, optional
        The lengths along the axes: the input is cut or followed by zeros.
    axes : sequence of ints, optional
        The axes; the last len(s), or all.
    norm : {"backward", "ortho", "forward"}, optional
        Which transform has the factor 1/(2n): the inverse ("backward"), both its root, or the
        other.
    overwrite_x : bool, optional
        Whether the input may be lost; it never is.
    orthogonalize : bool, optional
        Whether the ends are weighed such that the matrix is orthogonal; for norm "ortho" if not
        given.

    Returns
    -------
    ndarray
        float32 of halves and float32, else float64; complex of complex numbers.

    Raises
    ------
    ValueError
        For an axis that the array has not.

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


def idct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, *, orthogonalize=None):
    """The inverse of `dct`, along an axis.

    Parameters
    ----------
    x : ndarray
        Real numbers; of complex ones both parts are transformed.
    type : {1, 2, 3, 4}, optional
        Which of the transforms.
    n : int, optional
        The length: the input is cut or followed by zeros.
    axis : int, optional
        The axis; the last one if not given.
    norm : {"backward", "ortho", "forward"}, optional
        Which transform has the factor 1/(2n): the inverse ("backward"), both its root, or the
        other.
    overwrite_x : bool, optional
        Whether the input may be lost; it never is.
    orthogonalize : bool, optional
        Whether the ends are weighed such that the matrix is orthogonal; for norm "ortho" if not
        given.

    Returns
    -------
    ndarray
        float32 of halves and float32, else float64; complex of complex numbers.

    Raises
    ------
    AxisError
        For an axis that the array has not.

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


def idctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, *, orthogonalize=None):
    """The inverse of `dctn`, along several axes.

    Parameters
    ----------
    x : ndarray
        Real numbers; of complex ones both parts are transformed.
    type : {1, 2, 3, 4}, optional
        Which of the transforms.
    s : sequence of ints, optional
        The lengths along the axes: the input is cut or followed by zeros.
    axes : sequence of ints, optional
        The axes; the last len(s), or all.
    norm : {"backward", "ortho", "forward"}, optional
        Which transform has the factor 1/(2n): the inverse ("backward"), both its root, or the
        other.
    overwrite_x : bool, optional
        Whether the input may be lost; it never is.
    orthogonalize : bool, optional
        Whether the ends are weighed such that the matrix is orthogonal; for norm "ortho" if not
        given.

    Returns
    -------
    ndarray
        float32 of halves and float32, else float64; complex of complex numbers.

    Raises
    ------
    ValueError
        For an axis that the array has not.

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


def dst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, *, orthogonalize=None):
    """The discrete sine transform, along an axis.

    Parameters
    ----------
    x : ndarray
        Real numbers; of complex ones both parts are transformed.
    type : {1, 2, 3, 4}, optional
        Which of the transforms.
    n : int, optional
        The length: the input is cut or followed by zeros.
    axis : int, optional
        The axis; the last one if not given.
    norm : {"backward", "ortho", "forward"}, optional
        Which transform has the factor 1/(2n): the inverse ("backward"), both its root, or the
        other.
    overwrite_x : bool, optional
        Whether the input may be lost; it never is.
    orthogonalize : bool, optional
        Whether the ends are weighed such that the matrix is orthogonal; for norm "ortho" if not
        given.

    Returns
    -------
    ndarray
        float32 of halves and float32, else float64; complex of complex numbers.

    Raises
    ------
    AxisError
        For an axis that the array has not.

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


def dstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, *, orthogonalize=None):
    """The discrete sine transform, along several axes.

    Parameters
    ----------
    x : ndarray
        Real numbers; of complex ones both parts are transformed.
    type : {1, 2, 3, 4}, optional
        Which of the transforms.
    s : sequence of ints, optional
        The lengths along the axes: the input is cut or followed by zeros.
    axes : sequence of ints, optional
        The axes; the last len(s), or all.
    norm : {"backward", "ortho", "forward"}, optional
        Which transform has the factor 1/(2n): the inverse ("backward"), both its root, or the
        other.
    overwrite_x : bool, optional
        Whether the input may be lost; it never is.
    orthogonalize : bool, optional
        Whether the ends are weighed such that the matrix is orthogonal; for norm "ortho" if not
        given.

    Returns
    -------
    ndarray
        float32 of halves and float32, else float64; complex of complex numbers.

    Raises
    ------
    ValueError
        For an axis that the array has not.

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


def idst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, *, orthogonalize=None):
    """The inverse of `dst`, along an axis.

    Parameters
    ----------
    x : ndarray
        Real numbers; of complex ones both parts are transformed.
    type : {1, 2, 3, 4}, optional
        Which of the transforms.
    n : int, optional
        The length: the input is cut or followed by zeros.
    axis : int, optional
        The axis; the last one if not given.
    norm : {"backward", "ortho", "forward"}, optional
        Which transform has the factor 1/(2n): the inverse ("backward"), both its root, or the
        other.
    overwrite_x : bool, optional
        Whether the input may be lost; it never is.
    orthogonalize : bool, optional
        Whether the ends are weighed such that the matrix is orthogonal; for norm "ortho" if not
        given.

    Returns
    -------
    ndarray
        float32 of halves and float32, else float64; complex of complex numbers.

    Raises
    ------
    AxisError
        For an axis that the array has not.

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


def idstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, *, orthogonalize=None):
    """The inverse of `dstn`, along several axes.

    Parameters
    ----------
    x : ndarray
        Real numbers; of complex ones both parts are transformed.
    type : {1, 2, 3, 4}, optional
        Which of the transforms.
    s : sequence of ints, optional
        The lengths along the axes: the input is cut or followed by zeros.
    axes : sequence of ints, optional
        The axes; the last len(s), or all.
    norm : {"backward", "ortho", "forward"}, optional
        Which transform has the factor 1/(2n): the inverse ("backward"), both its root, or the
        other.
    overwrite_x : bool, optional
        Whether the input may be lost; it never is.
    orthogonalize : bool, optional
        Whether the ends are weighed such that the matrix is orthogonal; for norm "ortho" if not
        given.

    Returns
    -------
    ndarray
        float32 of halves and float32, else float64; complex of complex numbers.

    Raises
    ------
    ValueError
        For an axis that the array has not.

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
