"""cuFFT under CuPy's names: plans as objects, numbers and errors. On the host the same objects run
the host's transforms. Callbacks, halves and transforms over several GPUs are not supported."""

import numpy

from tenorite import _core
from tenorite._lib.documents import documenter as _documenter
from tenorite.cuda import stream as stream
from tenorite.cuda.memory import MemoryPointer, UnownedMemory
from tenorite.exceptions import CUDARuntimeError as _CUDARuntimeError
from tenorite.fft._plans import (
    CUFFT_C2C,
    CUFFT_C2R,
    CUFFT_D2Z,
    CUFFT_FORWARD,
    CUFFT_INVERSE,
    CUFFT_R2C,
    CUFFT_Z2D,
    CUFFT_Z2Z,
    Plan1d,
    PlanNd,
    get_current_plan,
    next_handle,
    plans,
)

__all__ = [
    "CuFFTError",
    "Plan1d",
    "PlanNd",
    "XtExec",
    "XtPlanNd",
    "check_result",
    "create",
    "execC2C",
    "execC2R",
    "execD2Z",
    "execR2C",
    "execZ2D",
    "execZ2Z",
    "getVersion",
    "get_current_plan",
    "multi_gpu_execC2C",
    "multi_gpu_execZ2Z",
    "setAutoAllocation",
    "setCallback",
    "setJITCallback",
    "stream",
]

CUFFT_CB_LD_COMPLEX, CUFFT_CB_LD_COMPLEX_DOUBLE, CUFFT_CB_LD_REAL, CUFFT_CB_LD_REAL_DOUBLE = range(4)
CUFFT_CB_ST_COMPLEX, CUFFT_CB_ST_COMPLEX_DOUBLE, CUFFT_CB_ST_REAL, CUFFT_CB_ST_REAL_DOUBLE = range(4, 8)

__all__ += [_name for _name in dir() if _name.startswith("CUFFT_")]

_STATUSES = _core._cufft_statuses()
_INVALID_PLAN = 1
# Types of XtPlanNd by the characters of input and output.
_XT_TYPES = {"FF": CUFFT_C2C, "fF": CUFFT_R2C, "Ff": CUFFT_C2R, "DD": CUFFT_Z2Z, "dD": CUFFT_D2Z, "Dd": CUFFT_Z2D}


class CuFFTError(_CUDARuntimeError):
    """cuFFT reported a failure.

    Parameters
    ----------
    result : int
        Its number.

    Examples
    --------
    >>> import tenorite as tn
    >>> str(tn.cuda.cufft.CuFFTError(8))
    'CUFFT_INVALID_SIZE'
    """

    def __init__(self, result):
        RuntimeError.__init__(self, _STATUSES.get(result, f"unknown status {result}"))
        self.result = result

    def __reduce__(self):
        return type(self), (self.result,)


def check_result(result):
    """Raises CuFFTError for an answer of cuFFT that is no success.

    Parameters
    ----------
    result : int
        The answer.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.cuda.cufft.check_result(0)
    """
    if result != 0:
        raise CuFFTError(result)


def getVersion():
    """The version of cuFFT, which is loaded for it.

    Returns
    -------
    int
        1000 times the major version, 100 times the minor one, and the patch.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.cuda.cufft.getVersion()  # doctest: +SKIP
    12000
    """
    return _core._cufft_version()


def create():
    """A new handle, of which no plan is made.

    Returns
    -------
    int
        The handle; the `handle` of a plan is another.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.cuda.cufft.create() != tn.cuda.cufft.create()
    True
    """
    return next_handle()


def setAutoAllocation(plan, auto_allocate):
    """Says whether cuFFT allocates work areas by itself: it never does, the memory pool has them.

    Parameters
    ----------
    plan : int
        A handle.
    auto_allocate : bool
        False.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.cuda.cufft.setAutoAllocation(tn.cuda.cufft.create(), False)
    """
    if auto_allocate:
        raise NotImplementedError("work areas are taken from the memory pool (auto_allocate=True)")


_documented = _documenter(
    {
        "plan": ("int", "The `handle` of a plan."),
        "idata": ("int", "The address of the input."),
        "odata": ("int", "The address of the output."),
        "direction": ("int", "CUFFT_FORWARD or CUFFT_INVERSE."),
    }
)


def _at(address, side, char):
    """An array over memory of the program that a side of a plan needs."""
    shape, strides = side
    count = 1 + sum((extent - 1) * stride for extent, stride in zip(shape, strides))
    itemsize = {"f": 4, "d": 8, "F": 8, "D": 16}[char]
    memory = UnownedMemory(address, count * itemsize, None)
    return _core.ndarray((count,), char, memptr=MemoryPointer(memory, 0))


def _execute(handle, fft_type, idata, odata, direction):
    plan = plans.get(handle)
    if plan is None or plan.fft_type != fft_type:
        raise CuFFTError(_INVALID_PLAN)
    chars = next(pair for pair, number in _XT_TYPES.items() if number == fft_type)
    a, out = (_at(*side) for side in zip((idata, odata), plan._sides(), chars))
    plan.fft(a, a if idata == odata else out, direction)


@_documented
def execC2C(plan, idata, odata, direction):
    """Does the plan of a handle on addresses: complex64 to complex64.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.cuda import cufft
    >>> a = tn.ones(4, "F")
    >>> plan = cufft.Plan1d(4, cufft.CUFFT_C2C, 1)
    >>> cufft.execC2C(plan.handle, a.data.ptr, a.data.ptr, cufft.CUFFT_FORWARD)
    >>> a.real
    array([4., 0., 0., 0.], dtype=float32)
    """
    _execute(plan, CUFFT_C2C, idata, odata, direction)


@_documented
def execZ2Z(plan, idata, odata, direction):
    """Does the plan of a handle on addresses: complex128 to complex128.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.cuda import cufft
    >>> a = tn.ones(4, "D")
    >>> plan = cufft.Plan1d(4, cufft.CUFFT_Z2Z, 1)
    >>> cufft.execZ2Z(plan.handle, a.data.ptr, a.data.ptr, cufft.CUFFT_FORWARD)
    >>> a.real
    array([4., 0., 0., 0.])
    """
    _execute(plan, CUFFT_Z2Z, idata, odata, direction)


@_documented
def execR2C(plan, idata, odata):
    """Does the plan of a handle on addresses: float32 to complex64.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.cuda import cufft
    >>> a, out = tn.ones(4, "f"), tn.empty(3, "F")
    >>> plan = cufft.Plan1d(4, cufft.CUFFT_R2C, 1)
    >>> cufft.execR2C(plan.handle, a.data.ptr, out.data.ptr)
    >>> out.real
    array([4., 0., 0.], dtype=float32)
    """
    _execute(plan, CUFFT_R2C, idata, odata, CUFFT_FORWARD)


@_documented
def execD2Z(plan, idata, odata):
    """Does the plan of a handle on addresses: float64 to complex128.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.cuda import cufft
    >>> a, out = tn.ones(4, "d"), tn.empty(3, "D")
    >>> plan = cufft.Plan1d(4, cufft.CUFFT_D2Z, 1)
    >>> cufft.execD2Z(plan.handle, a.data.ptr, out.data.ptr)
    >>> out.real
    array([4., 0., 0.])
    """
    _execute(plan, CUFFT_D2Z, idata, odata, CUFFT_FORWARD)


@_documented
def execC2R(plan, idata, odata):
    """Does the plan of a handle on addresses: complex64 to float32.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.cuda import cufft
    >>> a, out = tn.ones(3, "F"), tn.empty(4, "f")
    >>> plan = cufft.Plan1d(4, cufft.CUFFT_C2R, 1)
    >>> cufft.execC2R(plan.handle, a.data.ptr, out.data.ptr)
    >>> out
    array([4., 0., 0., 0.], dtype=float32)
    """
    _execute(plan, CUFFT_C2R, idata, odata, CUFFT_INVERSE)


@_documented
def execZ2D(plan, idata, odata):
    """Does the plan of a handle on addresses: complex128 to float64.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.cuda import cufft
    >>> a, out = tn.ones(3, "D"), tn.empty(4, "d")
    >>> plan = cufft.Plan1d(4, cufft.CUFFT_Z2D, 1)
    >>> cufft.execZ2D(plan.handle, a.data.ptr, out.data.ptr)
    >>> out
    array([4., 0., 0., 0.])
    """
    _execute(plan, CUFFT_Z2D, idata, odata, CUFFT_INVERSE)


class XtPlanNd(PlanNd):
    """A plan of cuFFT's extended interface, of float32 and float64 only.

    Parameters
    ----------
    shape, inembed, istride, idist : tuple of int, tuple of int, int, int
        As of `PlanNd`.
    idtype : dtype
        Of the input.
    onembed, ostride, odist : tuple of int, int, int
        As of `PlanNd`.
    odtype : dtype
        Of the output.
    batch : int
        How many transforms.
    exectype : dtype
        In which it is computed: complex64 or complex128, as the complex side is.
    order : {"C", "F"}
        The order of the arrays that the plan is for.
    last_axis, last_size : int, int or None
        As of `PlanNd`.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.cuda import cufft
    >>> plan = cufft.XtPlanNd((4,), (4,), 1, 4, "F", (4,), 1, 4, "F", 1, "F", order="C", last_axis=-1, last_size=None)
    >>> plan.fft_type == cufft.CUFFT_C2C
    True
    """

    def __init__(
        self,
        shape,
        inembed,
        istride,
        idist,
        idtype,
        onembed,
        ostride,
        odist,
        odtype,
        batch,
        exectype,
        *,
        order,
        last_axis,
        last_size,
    ):
        chars = numpy.dtype(idtype).char + numpy.dtype(odtype).char
        if chars not in _XT_TYPES:
            raise NotImplementedError(f"a transform from dtype {idtype} to dtype {odtype}")
        if numpy.dtype(exectype).char != max(chars, key="fdFD".index):
            raise ValueError(f"exectype {exectype} is not that of the complex side")
        super().__init__(
            shape,
            inembed,
            istride,
            idist,
            onembed,
            ostride,
            odist,
            _XT_TYPES[chars],
            batch,
            order,
            last_axis,
            last_size,
        )


@_documented
def XtExec(plan, idata, odata, direction):
    """Does the plan of a handle on addresses, whatever its type is.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.cuda import cufft
    >>> a = tn.ones(4, "F")
    >>> plan = cufft.Plan1d(4, cufft.CUFFT_C2C, 1)
    >>> cufft.XtExec(plan.handle, a.data.ptr, a.data.ptr, cufft.CUFFT_FORWARD)
    >>> a.real
    array([4., 0., 0., 0.], dtype=float32)
    """
    known = plans.get(plan)
    if known is None:
        raise CuFFTError(_INVALID_PLAN)
    _execute(plan, known.fft_type, idata, odata, direction)


def _refuse(what, instead=""):
    raise NotImplementedError(f"{what} of cuFFT are not supported{instead}")


_CALLBACKS = (
    "callbacks",
    ": code that a compiler made for a GPU runs nowhere else. Give its text to "
    "tenorite.fft.config.set_cufft_callbacks(cb_load=..., cb_store=...), which compiles it for GPU and host",
)


def multi_gpu_execC2C(plan, idata, odata, direction):
    """Transforms over several GPUs are not supported: NotImplementedError.

    Parameters
    ----------
    plan, idata, odata, direction
        As of `execC2C`.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.cuda.cufft.multi_gpu_execC2C(0, 0, 0, 1)
    Traceback (most recent call last):
    NotImplementedError: transforms over several GPUs of cuFFT are not supported
    """
    _refuse("transforms over several GPUs")


def multi_gpu_execZ2Z(plan, idata, odata, direction):
    """Transforms over several GPUs are not supported: NotImplementedError.

    Parameters
    ----------
    plan, idata, odata, direction
        As of `execZ2Z`.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.cuda.cufft.multi_gpu_execZ2Z(0, 0, 0, 1)
    Traceback (most recent call last):
    NotImplementedError: transforms over several GPUs of cuFFT are not supported
    """
    _refuse("transforms over several GPUs")


def setCallback(plan, cb_load_ptr, cb_store_ptr, cb_load_aux_ptr=0, cb_store_aux_ptr=0):
    """Callbacks that a program has compiled itself are not supported: NotImplementedError.

    `fft.config.set_cufft_callbacks` takes their text.

    Parameters
    ----------
    plan : int
        A handle.
    cb_load_ptr, cb_store_ptr, cb_load_aux_ptr, cb_store_aux_ptr : int
        Addresses of the functions, and of what they get.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.cuda.cufft.setCallback(0, 0, 0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    NotImplementedError: callbacks of cuFFT are not supported: ...
    """
    _refuse(*_CALLBACKS)


def setJITCallback(plan, name, lto_callback_fatbin, callback_type, callerInfo):
    """Callbacks that a program has compiled itself are not supported: NotImplementedError.

    `fft.config.set_cufft_callbacks` takes their text.

    Parameters
    ----------
    plan : int
        A handle.
    name, lto_callback_fatbin, callback_type, callerInfo
        The function's name and image, its place, and what it gets.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.cuda.cufft.setJITCallback(0, "", b"", 0, 0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    NotImplementedError: callbacks of cuFFT are not supported: ...
    """
    _refuse(*_CALLBACKS)
