"""The plan for arrays like one, as an object (fft/_plans.py)."""

import operator

import numpy

from tenorite._arguments import as_array
from tenorite.fft._plans import COMPLEX, HERMITIAN, REAL, make_plan

_KINDS = {"C2C": COMPLEX, "R2C": REAL, "C2R": HERMITIAN}


def get_fft_plan(a, shape=None, axes=None, value_type="C2C"):
    """A plan for transforms of arrays like one.

    Parameters
    ----------
    a : ndarray
        An array like those to be transformed, C- or F-contiguous; a NumPy array serves, too.
    shape : sequence of int, optional
        The lengths of the result, as `s` of `fftn` or `n` of `fft`.
    axes : int or sequence of int, optional
        The axes; all, or the last len(shape).
    value_type : {"C2C", "R2C", "C2R"}, optional
        Complex to complex (`fft`), real to complex (`rfft`) or complex to real (`irfft`).

    Returns
    -------
    tenorite.cuda.cufft.Plan1d or tenorite.cuda.cufft.PlanNd
        For one transform of up to 3 axes.

    Raises
    ------
    ValueError
        For an axis that the array has not.

    Examples
    --------
    >>> import tenorite as tn
    >>> a = tn.ones((4, 8), "F")
    >>> plan = tn.scipy.fft.get_fft_plan(a, axes=1)
    >>> tn.scipy.fft.fft(a, plan=plan).shape
    (4, 8)
    """
    if not isinstance(a, numpy.ndarray):
        a = as_array(a)
    if value_type not in _KINDS:
        raise ValueError(f"value_type must be one of {tuple(_KINDS)}, not {value_type!r}")
    if not (a.flags.c_contiguous or a.flags.f_contiguous):
        raise ValueError("Input array a must be contiguous")
    if isinstance(shape, int):
        shape = (shape,)
    if isinstance(axes, int):
        axes = (axes,)
    if axes is None:
        axes = range(-len(shape), 0) if shape is not None else range(a.ndim)
    axes = [operator.index(axis) for axis in axes]
    for axis in axes:
        if not -a.ndim <= axis < a.ndim:
            raise ValueError(f"The specified axes ({axes}) are out of range for {a.ndim} dimensions")
    axes = tuple(axis % a.ndim for axis in axes)
    if shape is not None and len(shape) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    if not 1 <= len(axes) <= 3:
        raise ValueError("Only up to three axes is supported")
    lengths = [a.shape[axis] for axis in axes] if shape is None else list(shape)
    if shape is None and value_type == "C2R":
        lengths[-1] = 2 * (lengths[-1] - 1)
    return make_plan(a, lengths, axes, _KINDS[value_type], a.dtype.char not in "efF")
