"""What the functions of samples share: axes, NaN, the tails of a test."""

import math

import numpy

import tenorite
from tenorite._arguments import as_array_of
from tenorite.scipy import special

POLICIES = ("omit", "propagate", "raise")
ALTERNATIVES = ("two-sided", "less", "greater")


def as_floats(a):
    """An array of floats or complex numbers; other dtypes as float64."""
    a = as_array_of(a)
    return a if a.dtype.kind in "fc" else a.astype(float)


def check_policy(nan_policy):
    if nan_policy not in POLICIES:
        raise ValueError(f"nan_policy must be one of {{{', '.join(map(repr, POLICIES))}}}")


def check_alternative(alternative):
    if alternative not in ALTERNATIVES:
        raise ValueError("`alternative` must be 'less', 'greater', or 'two-sided'.")


def has_nan(a):
    return a.dtype.kind in "fc" and bool(tenorite.isnan(a).any())


def refuse_nan(*arrays):
    if any(has_nan(a) for a in arrays):
        raise ValueError("The input contains nan values")


def _with_axes_last(a, axis):
    """The array with some axes joined as its last one, and its shape with these of size 1."""
    if axis is None:
        return a.reshape(-1), (1,) * a.ndim
    axes = tenorite.lib.array_utils.normalize_axis_tuple(axis, a.ndim)
    kept = tuple(1 if k in axes else n for k, n in enumerate(a.shape))
    if len(axes) == 1:
        return tenorite.moveaxis(a, axes[0], -1), kept
    moved = tenorite.moveaxis(a, axes, range(-len(axes), 0))
    others = moved.shape[: a.ndim - len(axes)]
    return moved.reshape(*others, math.prod(a.shape[k] for k in axes)), kept


def _broadcast(*arrays):
    try:
        return tenorite.broadcast_arrays(*arrays)
    except ValueError:
        raise ValueError("Array shapes are incompatible for broadcasting.") from None


def over_lines(
    function,
    arrays,
    axis=0,
    nan_policy="propagate",
    keepdims=False,
    is_paired=False,
    is_of_one=False,
    keeps_single=True,
):
    """The tuple of arrays that function(*arrays) makes of the last axes of its arguments.

    Arrays broadcast but for the axes of the samples; one number is a sample of one element.
    is_of_one: the function takes one line of each. keeps_single: results for arrays of single
    precision are of that, too.
    Under "omit" NaN are left out line by line; of paired samples the elements where either is NaN.
    """
    check_policy(nan_policy)
    arrays = [a if a.ndim else a.reshape(1) for a in arrays]
    if len(arrays) > 1 and axis is not None:
        ndim = max(a.ndim for a in arrays)
        arrays = [a.reshape((1,) * (ndim - a.ndim) + a.shape) for a in arrays]
        if is_paired:
            arrays = _broadcast(*arrays)
    moved = [_with_axes_last(a, axis) for a in arrays]
    kept = max((shape for _, shape in moved), key=len)
    arrays = [a for a, _ in moved]
    if nan_policy == "raise":
        refuse_nan(*arrays)
    leaves_out = nan_policy == "omit" and any(has_nan(a) for a in arrays)
    if leaves_out or is_of_one:
        results = _each_line(function, arrays, is_paired, leaves_out)
    else:
        results = function(*arrays)
    dtype = tenorite.result_type(*arrays)
    if keeps_single and dtype in (numpy.float16, numpy.float32):
        results = [one.astype(dtype) if one.dtype == numpy.float64 else one for one in results]
    if keepdims:
        ndim = len(kept)
        shape = tenorite.broadcast_shapes(*(shape for _, shape in moved)) if ndim else ()
        results = tuple(one.reshape(shape) for one in results)
    return tuple(results)


def _each_line(function, arrays, is_paired, leaves_out):
    arrays = _broadcast(*arrays) if is_paired else arrays
    outer = tenorite.broadcast_shapes(*(a.shape[:-1] for a in arrays))
    lines = math.prod(outer)
    if not lines:
        return tuple(tenorite.empty(outer, one.dtype) for one in function(*(a.ravel()[:0] for a in arrays)))
    arrays = [tenorite.broadcast_to(a, (*outer, a.shape[-1])).reshape(lines, a.shape[-1]) for a in arrays]
    made = []
    for line in zip(*arrays):
        if leaves_out:
            are_there = [~tenorite.isnan(one) for one in line]
            if is_paired:
                both = are_there[0]
                for one in are_there[1:]:
                    both = both & one
                are_there = [both] * len(line)
            line = [one[there] for one, there in zip(line, are_there)]
        made.append(function(*line))
    return tuple(tenorite.stack(tenorite.broadcast_arrays(*ones)).reshape(outer) for ones in zip(*made))


def moment_of(a, order, center=None):
    """Mean of powers of the distances from `center`, or from the mean, along the last axis."""
    center = a.mean(axis=-1, keepdims=True) if center is None else center
    away = a - center
    return (away * away if order == 2 else away**order).mean(axis=-1)


def _normal_of_student(t, df):
    """The normal variate of the same probability for many degrees of freedom (G. Hill, Student's
    t-Distribution, Communications of the ACM, 1970, algorithm 395)."""
    a = df - 0.5
    b, y = 48 * a * a, a * tenorite.log1p(t * t / df)
    inner = (((-0.4 * y - 3.3) * y - 24) * y - 85.5) / (0.8 * y * y + 100 + b) + y + 3
    return tenorite.where(tenorite.isinf(df) | tenorite.isinf(t), abs(t), (inner / b + 1) * tenorite.sqrt(y))


def student_below(t, df):
    """The distribution function of Student's t (Abramowitz and Stegun, 26.7.1)."""
    df = tenorite.asarray(df, dtype=float)
    half = 0.5 * special.betainc(0.5 * df, tenorite.asarray(0.5), df / (df + t * t))
    half = tenorite.where(df > 1e4, special.ndtr(-_normal_of_student(t, df)), half)
    return tenorite.where(t < 0, half, 1 - half)


def tails(below, statistic, alternative):
    """The probability beyond a statistic of a symmetric distribution."""
    check_alternative(alternative)
    if alternative == "less":
        return below(statistic)
    if alternative == "greater":
        return below(-statistic)
    return 2 * below(-abs(statistic))
