"""Plans as objects, under CuPy's names. The library keeps what it prepares by itself (fft.config);
an object says which transforms it is for, does them, and refuses others while it is in force."""

import itertools
import math
import threading
import weakref

import numpy

from tenorite import _core
from tenorite._numpy.stride_tricks import as_strided
from tenorite.fft import _several

COMPLEX, REAL, HERMITIAN = 0, 1, 2  # as tn_fft_kind has them
CUFFT_C2C, CUFFT_R2C, CUFFT_C2R = 0x29, 0x2A, 0x2C
CUFFT_Z2Z, CUFFT_D2Z, CUFFT_Z2D = 0x69, 0x6A, 0x6C
CUFFT_FORWARD, CUFFT_INVERSE = -1, 1

# Of each type: the kind, and the dtypes of input and output.
_TYPES = {
    CUFFT_C2C: (COMPLEX, "F", "F"),
    CUFFT_R2C: (REAL, "f", "F"),
    CUFFT_C2R: (HERMITIAN, "F", "f"),
    CUFFT_Z2Z: (COMPLEX, "D", "D"),
    CUFFT_D2Z: (REAL, "d", "D"),
    CUFFT_Z2D: (HERMITIAN, "D", "d"),
}
_NAMES = {COMPLEX: "C2C", REAL: "R2C", HERMITIAN: "C2R"}
_DOUBLE = 0x40  # of the types of float64
_NORM_OF_NONE = {False: 0, True: 2}  # which tn_fft_norm leaves a direction without a factor

local = threading.local()  # plan and manager: the plan and the callbacks in force
next_handle = itertools.count(1).__next__
plans = weakref.WeakValueDictionary()  # by handle


def type_of(kind, is_double):
    """The number of a transform's type."""
    return {COMPLEX: CUFFT_C2C, REAL: CUFFT_R2C, HERMITIAN: CUFFT_C2R}[kind] + (_DOUBLE if is_double else 0)


def get_current_plan():
    """The plan that is in force in this thread.

    Returns
    -------
    Plan1d, PlanNd or None
        That of the innermost ``with`` block.

    Examples
    --------
    >>> import tenorite as tn
    >>> with tn.scipy.fft.get_fft_plan(tn.ones(8, "F")) as plan:
    ...     tn.cuda.cufft.get_current_plan() is plan
    True
    """
    return getattr(local, "plan", None)


def devices_of_current():
    """The devices over which a complex transform of one axis goes: those of the plan in force, else
    the configuration's; None: over the array's own."""
    plan = get_current_plan()
    return _several.devices() if plan is None else getattr(plan, "gpus", None)


class Plan:
    """What both kinds of plans share; `_sides` has the layouts: for input and output the shape
    with the batch first, and the strides, in elements."""

    def __init__(self, fft_type, batch):
        if fft_type not in _TYPES:
            raise ValueError(f"{fft_type!r} is no type of a transform")
        if batch < 1:
            raise ValueError(f"batch must be positive, not {batch}")
        self.fft_type, self.batch = fft_type, batch
        self.handle = next_handle()
        self.work_area = None
        self._outer = []
        plans[self.handle] = self

    def __enter__(self):
        self._outer.append(get_current_plan())
        local.plan = self
        Plan.entered = True
        return self

    def __exit__(self, *error):
        local.plan = self._outer.pop()

    _mismatch = "Target array size does not match the plan"
    entered = False  # whether any plan, or callbacks, ever were in force

    def fft(self, a, out, direction):
        """Transforms `a` into `out`, both without gaps, without a factor.

        Parameters
        ----------
        a : ndarray
            The input, of the plan's dtype and layout.
        out : ndarray
            Where the result is written; for a complex transform it may be `a`.
        direction : {-1, 1}
            CUFFT_FORWARD or CUFFT_INVERSE; other transforms have only one direction.

        Examples
        --------
        >>> import tenorite as tn
        >>> a = tn.ones(4, "F")
        >>> tn.scipy.fft.get_fft_plan(a).fft(a, a, -1)
        >>> a.real
        array([4., 0., 0., 0.], dtype=float32)
        """
        kind, *chars = _TYPES[self.fft_type]
        if getattr(local, "manager", None) is not None:
            raise NotImplementedError("fft() of a plan does not go through callbacks")
        if kind == COMPLEX and direction not in (CUFFT_FORWARD, CUFFT_INVERSE):
            raise ValueError(f"direction must be CUFFT_FORWARD (-1) or CUFFT_INVERSE (1), not {direction!r}")
        views = []
        for name, array, char, (shape, strides) in zip(("a", "out"), (a, out), chars, self._sides()):
            if array.dtype.char != char:
                raise ValueError(f"{name} is of dtype {array.dtype}, and the plan is for dtype {char!r}")
            if not (array.flags.c_contiguous or array.flags.f_contiguous):
                raise ValueError(f"{name} must be contiguous")
            if sum((extent - 1) * stride for extent, stride in zip(shape, strides)) >= array.size:
                raise ValueError(f"{name} of shape {array.shape} has fewer elements than the plan needs: {self!r}")
            views.append(as_strided(array, shape, [stride * array.itemsize for stride in strides]))
        is_backward = kind == HERMITIAN or (kind == COMPLEX and direction == CUFFT_INVERSE)
        lengths = self._lengths()
        axes = tuple(range(1, len(lengths) + 1))
        _core._fft(views[0], kind, is_backward, axes, lengths, _NORM_OF_NONE[is_backward], views[1])

    def check_output_array(self, a, out):
        """ValueError unless `out` has the shape and the dtype of the result for `a`.

        Parameters
        ----------
        a : ndarray
            The input.
        out : ndarray
            The array to look at.

        Examples
        --------
        >>> import tenorite as tn
        >>> a = tn.ones(4, "F")
        >>> tn.scipy.fft.get_fft_plan(a).check_output_array(a, tn.empty(4, "F"))
        """
        shape, char = self._output_shape(a), _TYPES[self.fft_type][2]
        if out.shape != tuple(shape):
            raise ValueError(f"output shape mismatch: {out.shape}, not {tuple(shape)}")
        if out.dtype.char != char:
            raise ValueError(f"output dtype mismatch: {out.dtype}, not {char!r}")

    def _check(self, shape, lengths, axes, kind, is_double):
        """ValueError unless the plan is for such a transform of an array of the shape."""
        wanted = self._describe(shape, lengths, axes)
        if self.fft_type != type_of(kind, is_double) or self._facts() != wanted:
            raise ValueError(
                f"{self._mismatch}. The plan is {self!r}, the transform is {_NAMES[kind]} of lengths {tuple(lengths)} "
                f"along axes {tuple(axes)} of shape {tuple(shape)} in {'complex128' if is_double else 'complex64'}"
            )


class Plan1d(Plan):
    """Transforms of lines one after the other.

    In a ``with`` block, transforms of this thread must be such as the plan is for.

    Parameters
    ----------
    nx : int
        The length, of the real side.
    fft_type : int
        CUFFT_C2C, CUFFT_R2C, CUFFT_C2R, CUFFT_Z2Z, CUFFT_D2Z or CUFFT_Z2D.
    batch : int
        How many lines.
    devices : int or sequence of int, optional
        How many devices share the work of complex transforms, or their numbers; at least 2. Lines
        are shared out; a long line alone is too, unless its length is a prime. Arrays of
        NumPy are taken, too.
    out : ndarray, optional
        Not read.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.cuda import cufft
    >>> a = tn.ones((2, 4), "F")
    >>> plan = cufft.Plan1d(4, cufft.CUFFT_C2C, 2)
    >>> out = plan.get_output_array(a)
    >>> plan.fft(a, out, cufft.CUFFT_FORWARD)
    >>> out.real
    array([[4., 0., 0., 0.],
           [4., 0., 0., 0.]], dtype=float32)
    """

    def __init__(self, nx, fft_type, batch, *, devices=None, out=None):
        if nx < 1:
            raise ValueError(f"Invalid number of FFT data points ({nx}) specified.")
        super().__init__(fft_type, batch)
        self.nx, self.gpus = nx, None
        if devices is not None:
            self.gpus = _several.numbers_of(devices)
            if _TYPES[fft_type][0] != COMPLEX:
                raise ValueError("Currently for multiple GPUs only C2C and Z2Z are supported.")
            _several.Switch.asked = True

    def fft(self, a, out, direction):
        if self.gpus is None:
            return super().fft(a, out, direction)
        if direction not in (CUFFT_FORWARD, CUFFT_INVERSE):
            raise ValueError(f"direction must be CUFFT_FORWARD (-1) or CUFFT_INVERSE (1), not {direction!r}")
        for name, array in (("a", a), ("out", out)):
            if array.dtype.char != _TYPES[self.fft_type][1]:
                raise ValueError(f"{name} is of dtype {array.dtype}, and the plan is for {_TYPES[self.fft_type][1]!r}")
            if array.size != self.batch * self.nx:
                raise ValueError(f"{name} of shape {array.shape} has not the elements of the plan: {self!r}")
        lines, is_backward = a.reshape(self.batch, self.nx), direction == CUFFT_INVERSE
        if isinstance(a, numpy.ndarray) and isinstance(out, numpy.ndarray):
            made = _several.host_lines(lines, self.gpus, is_backward, _NORM_OF_NONE[is_backward])
        else:
            made = _several.transform(lines, self.gpus, is_backward, _NORM_OF_NONE[is_backward])
        out[...] = made.reshape(out.shape)

    fft.__doc__ = Plan.fft.__doc__

    def __repr__(self):
        return f"Plan1d(nx={self.nx}, fft_type={self.fft_type:#x}, batch={self.batch})"

    def _lengths(self):
        return (self.nx,)

    def _sides(self):
        kind = _TYPES[self.fft_type][0]
        for side in (HERMITIAN, REAL):
            extent = self.nx // 2 + 1 if kind == side else self.nx
            yield (self.batch, extent), (extent, 1)

    def _facts(self):
        return (self.nx,), self.batch

    def _describe(self, shape, lengths, axes):
        others = [n for axis, n in enumerate(shape) if axis not in axes]
        return tuple(lengths), math.prod(others)

    def _output_shape(self, a):
        kind = _TYPES[self.fft_type][0]
        return [*a.shape[:-1], self.nx // 2 + 1 if kind == REAL else self.nx if kind == HERMITIAN else a.shape[-1]]

    def get_output_array(self, a):
        """A new array for the result for `a`.

        Parameters
        ----------
        a : ndarray
            The input, of which lines are along the last axis.

        Returns
        -------
        ndarray
            Its elements are undefined.

        Examples
        --------
        >>> import tenorite as tn
        >>> plan = tn.cuda.cufft.Plan1d(8, tn.cuda.cufft.CUFFT_R2C, 2)
        >>> plan.get_output_array(tn.ones((2, 8), "f")).shape
        (2, 5)
        """
        return _core.empty(tuple(self._output_shape(a)), _TYPES[self.fft_type][2])


class PlanNd(Plan):
    """Transforms along up to three axes, in cuFFT's layouts.

    Element (x, y, z) of transform b lies at ``b * idist + ((x * embed[1] + y) * embed[2] + z) *
    istride``. In a ``with`` block, transforms of this thread must be such as the plan is for.

    Parameters
    ----------
    shape : tuple of int
        The lengths, of the real side, the slowest axis first.
    inembed : tuple of int or None
        The extents in which the input lies; None: without gaps, and istride and idist are ignored.
    istride, idist : int
        The distance of elements along the last axis, and of transforms.
    onembed, ostride, odist : tuple of int or None, int, int
        The same of the output.
    fft_type : int
        As of `Plan1d`.
    batch : int
        How many transforms.
    order : {"C", "F"}
        The order of the arrays that the plan is for.
    last_axis : int
        The axis of these arrays that is halved in real transforms.
    last_size : int or None
        Its extent in the output.

    Examples
    --------
    >>> import tenorite as tn
    >>> a = tn.ones((2, 4), "F")
    >>> plan = tn.scipy.fft.get_fft_plan(a)
    >>> out = plan.get_output_array(a)
    >>> plan.fft(a, out, tn.cuda.cufft.CUFFT_FORWARD)
    >>> out[0, 0]
    array(8.+0.j, dtype=complex64)
    """

    _mismatch = "The cuFFT plan and a.shape do not match"

    def __init__(
        self, shape, inembed, istride, idist, onembed, ostride, odist, fft_type, batch, order, last_axis, last_size
    ):
        shape = tuple(shape)
        if not 1 <= len(shape) <= 3 or min(shape) < 1:
            raise ValueError(f"a plan has 1 to 3 lengths that are positive, not {shape}")
        if (inembed is None) != (onembed is None):
            raise ValueError("inembed and onembed are both None or both given")
        super().__init__(fft_type, batch)
        self.shape, self.order, self.last_axis, self.last_size = shape, order, last_axis, last_size
        self.inembed, self.istride, self.idist = inembed, istride, idist
        self.onembed, self.ostride, self.odist = onembed, ostride, odist

    def __repr__(self):
        return f"PlanNd(shape={self.shape}, fft_type={self.fft_type:#x}, batch={self.batch}, order={self.order!r})"

    def _lengths(self):
        return self.shape

    def _side(self, is_halved, embed, stride, dist):
        extents = [*self.shape[:-1], self.shape[-1] // 2 + 1] if is_halved else list(self.shape)
        if embed is None:
            embed, stride, dist = extents, 1, math.prod(extents)
        strides = [stride]
        for extent in embed[:0:-1]:
            strides.insert(0, strides[0] * extent)
        return (self.batch, *extents), (dist, *strides)

    def _sides(self):
        kind = _TYPES[self.fft_type][0]
        yield self._side(kind == HERMITIAN, self.inembed, self.istride, self.idist)
        yield self._side(kind == REAL, self.onembed, self.ostride, self.odist)

    def _facts(self):
        return self.shape, self.batch

    def _describe(self, shape, lengths, axes):
        pairs = sorted(zip(axes, lengths), reverse=self.order == "F")
        others = [n for axis, n in enumerate(shape) if axis not in axes]
        return tuple(length for _, length in pairs), math.prod(others)

    def _output_shape(self, a):
        shape = list(a.shape)
        if _TYPES[self.fft_type][0] != COMPLEX:
            shape[self.last_axis] = self.last_size
        return shape

    def get_output_array(self, a, order="C"):
        """A new array for the result for `a`.

        Parameters
        ----------
        a : ndarray
            The input.
        order : {"C", "F"}, optional
            The order of the array.

        Returns
        -------
        ndarray
            Its elements are undefined.

        Examples
        --------
        >>> import tenorite as tn
        >>> a = tn.ones((2, 8), "f")
        >>> tn.scipy.fft.get_fft_plan(a, value_type="R2C").get_output_array(a).shape
        (2, 5)
        """
        return _core.empty(tuple(self._output_shape(a)), _TYPES[self.fft_type][2], order=order)


def check_current(given, a, lengths, axes, kind):
    """Compares a transform with the plan that it was given, or that is in force."""
    plan = get_current_plan()
    if plan is not None and given is not None:
        raise RuntimeError("Use the cuFFT plan either as a context manager or as an explicit argument.")
    plan = given if plan is None else plan
    if plan is None:
        return
    if not isinstance(plan, Plan):
        raise ValueError("expected plan to have type cufft.Plan1d or cufft.PlanNd")
    axes = [axis % a.ndim for axis in axes]
    if lengths is None:
        lengths = [a.shape[axis] for axis in axes]
        if kind == HERMITIAN:
            lengths[-1] = 2 * (lengths[-1] - 1)
    plan._check(a.shape, lengths, axes, kind, a.dtype.char not in "efF")


def make_plan(a, lengths, axes, kind, is_double):
    """The plan for arrays like a contiguous one, along axes that are the first or the last ones."""
    order = "C" if a.flags.c_contiguous else "F"
    fft_type = type_of(kind, is_double)
    batch = math.prod(n for axis, n in enumerate(a.shape) if axis not in axes)
    if len(axes) == 1:
        return Plan1d(lengths[0], fft_type, batch, devices=_several.devices() if kind == COMPLEX else None)
    last_axis, last_size = axes[-1], lengths[-1] // 2 + 1 if kind == REAL else lengths[-1]
    pairs = sorted(zip(axes, lengths), reverse=order == "F")
    found = [axis for axis, _ in pairs]
    memory = list(range(a.ndim)) if order == "C" else list(range(a.ndim))[::-1]
    is_inner, is_outer = found == memory[-len(found) :], found == memory[: len(found)]
    if not (is_inner or is_outer):
        raise ValueError(f"the axes {tuple(axes)} of a plan must be the first or the last ones in memory")
    if kind != COMPLEX and found[-1] != last_axis:
        raise ValueError(f"the last axis of a real transform ({last_axis}) must be the last of the plan in memory")
    shape = [length for _, length in pairs]
    embeds = []
    for side in (HERMITIAN, REAL):
        embeds.append((*shape[:-1], shape[-1] // 2 + 1 if kind == side else shape[-1]))
    step = 1 if is_inner else batch
    apart = [math.prod(embed) if is_inner else 1 for embed in embeds]
    return PlanNd(
        shape, embeds[0], step, apart[0], embeds[1], step, apart[1], fft_type, batch, order, last_axis, last_size
    )
