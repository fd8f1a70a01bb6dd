"""The transforms under the names of CuPy's ``cupy.fft._fft``.

CuPy has one function for plans of one axis and another for plans of several. Here both do the
same, and ``_default_fft_func`` says which CuPy takes.
"""

from tenorite.fft import _plans, _transform, config

_KINDS = {"C2C": _plans.COMPLEX, "R2C": _plans.REAL, "C2R": _plans.HERMITIAN}
# The directions that cuFFT has.
FORWARD, INVERSE = -1, 1


def _fft(a, s, axes, norm, direction, value_type="C2C", overwrite_x=False, plan=None, out=None):
    """The transform along one axis after the other."""
    return _transform.several(a, s, axes, norm, out, _KINDS[value_type], direction == INVERSE)


def _fftn(a, s, axes, norm, direction, value_type="C2C", order="A", plan=None, overwrite_x=False, out=None):
    """The transform along several axes by one plan."""
    return _transform.several(a, s, axes, norm, out, _KINDS[value_type], direction == INVERSE)


def _convert_fft_type(dtype, value_type):
    """cuFFT's number of a transform between these dtypes."""
    return _plans.type_of(_KINDS[value_type], dtype.char not in "efF")


def _default_fft_func(a, s=None, axes=None, plan=None, value_type="C2C"):
    """``_fftn`` where one plan serves: up to three neighbouring axes, the first or the last of the
    array's among them. A plan that is in force decides."""
    if (current := _plans.get_current_plan()) is not None:
        return _fft if isinstance(current, _plans.Plan1d) else _fftn
    if a.ndim == 1 or not config._is_planned_along_several:
        return _fft
    if axes is None:
        axes = range(a.ndim) if s is None else range(-len(s), 0)
    axes = [axis % a.ndim for axis in axes]
    # The real side of a transform is the last axis named.
    ordered = sorted(axes) if value_type == "C2C" else [*sorted(axes[:-1]), *axes[-1:]]
    if not 1 < len(ordered) <= 3 or not (0 in ordered or a.ndim - 1 in ordered):
        return _fft
    are_neighbours = all(after - before == 1 for before, after in zip(ordered, ordered[1:]))
    return _fftn if are_neighbours else _fft


def _size_last_transform_axis(shape, s, axes):
    """Elements along the last axis of a transform."""
    if s is not None and s[-1] is not None:
        return s[-1]
    return shape[-1 if axes is None else axes[-1]]
