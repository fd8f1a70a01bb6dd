"""Plans as objects. The library keeps and finds its plans itself (fft.config); these say for which
transform they were asked, and a transform of another kind refuses them."""

import operator

from tenorite._arguments import as_array

_TYPES = ("C2C", "R2C", "C2R")


class Plan:
    """What `get_fft_plan` makes: for which shape, axes, kind and dtype.

    It may be given to a transform as ``plan=``, or be in force in a ``with`` block; transforms find
    what they have prepared in either case without it.

    Parameters
    ----------
    shape : tuple of int
        The lengths along the axes.
    axes : tuple of int
        The axes.
    value_type : {"C2C", "R2C", "C2R"}
        The kind.
    dtype : dtype
        Of the complex side.

    Examples
    --------
    >>> import tenorite as tn
    >>> plan = tn.scipy.fft.get_fft_plan(tn.ones(8, "F"))
    >>> plan.shape, plan.value_type
    ((8,), 'C2C')
    """

    def __init__(self, shape, axes, value_type, dtype):
        self.shape, self.axes, self.value_type, self.dtype = tuple(shape), tuple(axes), value_type, dtype

    def __repr__(self):
        return f"Plan(shape={self.shape}, axes={self.axes}, value_type={self.value_type!r}, dtype={self.dtype})"

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def check(self, lengths, axes, value_type, dtype):
        """ValueError if the plan is for another transform.

        Raises
        ------
        ValueError
            For an axis that the array has not.

        Examples
        --------
        >>> import tenorite as cp
        >>> plan = cp.scipy.fft.get_fft_plan(cp.ones(8, "F"))
        >>> plan.check((8,), (0,), "C2C", plan.dtype)
        """
        if (self.shape, self.axes, self.value_type, self.dtype) != (tuple(lengths), tuple(axes), value_type, dtype):
            raise ValueError(
                f"the plan is for {self.value_type} of lengths {self.shape} along axes {self.axes} in {self.dtype}, "
                f"and the transform is {value_type} of lengths {tuple(lengths)} along axes {tuple(axes)} in {dtype}"
            )


def get_fft_plan(a, shape=None, axes=None, value_type="C2C"):
    """A plan for transforms of arrays like one.

    Parameters
    ----------
    a : ndarray
        An array like those to be transformed, C- or F-contiguous.
    shape : sequence of int, optional
        The lengths of the result, as `s` of `fftn` or `n` of `fft`.
    axes : int or sequence of int, optional
        The axes; all, or the last len(shape).
    value_type : {"C2C", "R2C", "C2R"}, optional
        Complex to complex (`fft`), real to complex (`rfft`) or complex to real (`irfft`).

    Returns
    -------
    Plan
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
    a = as_array(a)
    if value_type not in _TYPES:
        raise ValueError(f"value_type must be one of {_TYPES}, not {value_type!r}")
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
    return Plan(lengths, axes, value_type, "complex64" if a.dtype.char in "efF" else "complex128")
