"""Labels of axes, descriptors of tensors and operations, plans: kept for each thread and device."""

import ctypes
import functools
import threading

import numpy

from tenorite import _core
from tenorite._arguments import ndarray
from tenorite.cuda import cutensor
from tenorite.cuda._raw.tensors import DTYPES, NUMBERS, Operation
from tenorite.cuda.device import Device
from tenorite.cutensor._documents import described

# Descriptors and plans of one kind that a handle keeps; the oldest go first.
_KEPT = 1024
_SCALAR_TYPE = 1  # CUTENSOR_OPERATION_DESCRIPTOR_SCALAR_TYPE
_COMPUTE = {
    "float16": cutensor.COMPUTE_DESC_32F,
    "bfloat16": cutensor.COMPUTE_DESC_32F,
    "float32": cutensor.COMPUTE_DESC_32F,
    "complex64": cutensor.COMPUTE_DESC_32F,
    "float64": cutensor.COMPUTE_DESC_64F,
    "complex128": cutensor.COMPUTE_DESC_64F,
}


class _Owned:
    """A number that cuTENSOR gave; it is given back with the object."""

    _end = None

    def __init__(self, number):
        self._number = number

    @property
    def ptr(self):
        """The handle or descriptor, an int."""
        return self._number

    def __del__(self):
        number, self._number = getattr(self, "_number", 0), 0
        if number and self._end is not None:
            try:
                type(self)._end(number)
            except Exception:
                pass


class CutensorHandle(_Owned):
    """A handle of cuTENSOR, with the descriptors and plans that were made for it.

    Attributes
    ----------
    ptr : int
        The handle.

    Examples
    --------
    >>> from tenorite import cutensor
    >>> cutensor.CutensorHandle().ptr != 0
    True
    """

    _end = cutensor.destroy

    def __init__(self):
        super().__init__(cutensor.create())
        self._kept = {}

    def _keep(self, kind, key, make):
        """What `make` made for the key before, or makes now."""
        found = self._kept.setdefault(kind, {})
        if key not in found:
            while len(found) >= _KEPT:
                del found[next(iter(found))]
            found[key] = make()
        return found[key]


_handles = threading.local()


def get_handle():
    """The handle of this thread and the current device."""
    device = Device()
    key = device.backend, device.id
    found = vars(_handles)
    if key not in found:
        found[key] = CutensorHandle()
    return found[key]


# --- Labels ---


class Mode:
    """The labels of a tensor's axes; `create_mode` keeps one for equal labels.

    Parameters
    ----------
    mode : sequence of int or str
        A label for each axis; a str has one character.

    Attributes
    ----------
    ndim : int
        How many axes.
    data : int
        The address of the labels, int32.

    Examples
    --------
    >>> from tenorite import cutensor
    >>> cutensor.Mode(("x", 7))
    mode(120, 7)
    """

    def __init__(self, mode):
        self.labels = tuple(ord(one) if isinstance(one, str) else int(one) for one in mode)
        self.ndim = len(self.labels)
        self._array = (ctypes.c_int32 * max(self.ndim, 1))(*self.labels)
        self.data = ctypes.addressof(self._array)

    def __repr__(self):
        return f"mode({', '.join(map(str, self.labels))})"

    def __eq__(self, other):
        return isinstance(other, Mode) and self.labels == other.labels

    def __hash__(self):
        return hash(self.labels)


_mode = functools.lru_cache(4096)(Mode)


def create_mode(*mode):
    """The labels of a tensor's axes.

    Parameters
    ----------
    *mode : int or str
        A label for each axis, a number or a character.

    Returns
    -------
    Mode
        The same object for the same labels.

    Examples
    --------
    >>> from tenorite import cutensor
    >>> cutensor.create_mode("x", "y")
    mode(120, 121)
    """
    return _mode(mode)


def as_mode(mode):
    """A Mode of what a function accepts as one."""
    return mode if isinstance(mode, Mode) else _mode(tuple(mode))


# --- Tensors, operations, plans ---


def type_number(dtype):
    """cudaDataType_t's number of a dtype that cuTENSOR has."""
    number = NUMBERS.get(dtype.name)
    if number is None:
        raise TypeError(f"cutensor: arrays have one of the dtypes {', '.join(NUMBERS)}, not {dtype}")
    return number


def compute_number(dtype, compute_desc):
    """One of COMPUTE_DESC_...; 0 stands for that of the output's dtype."""
    return compute_desc or _COMPUTE[dtype.name]


class TensorDescriptor(_Owned):
    """What cuTENSOR knows of a tensor.

    Parameters
    ----------
    handle : int
        A handle.
    num_modes : int
        How many axes.
    extent, stride : int
        Addresses of the sizes and of the strides in elements, int64.
    cutensor_dtype : int
        A number of cudaDataType_t, as ``cutensor.R_32F``.
    alignment_req : int, optional
        What the addresses of such tensors are multiples of, in bytes.

    Attributes
    ----------
    ptr : int
        The descriptor.
    cutensor_dtype : int
        The number of its dtype.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite import cutensor
    >>> cutensor.create_tensor_descriptor(cp.ones(3)).ptr != 0
    True
    """

    _end = cutensor.destroyTensorDescriptor

    def __init__(self, handle, num_modes, extent, stride, cutensor_dtype, alignment_req=256):
        super().__init__(
            cutensor.createTensorDescriptor(handle, num_modes, extent, stride, cutensor_dtype, alignment_req)
        )
        self.cutensor_dtype, self.ndim = cutensor_dtype, num_modes


def _alignment(array):
    address = array.data.ptr
    return min(256, address & -address) if address else 256


def create_tensor_descriptor(a):
    """The descriptor of an array, the same for arrays of one shape, layout and dtype.

    Parameters
    ----------
    a : ndarray
        Of float16, bfloat16, float32, float64, complex64 or complex128.

    Returns
    -------
    TensorDescriptor
        What cuTENSOR's functions take.

    Raises
    ------
    TypeError
        For what is no array, and for another dtype.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite import cutensor
    >>> cutensor.create_tensor_descriptor(cp.zeros((2, 3), "f4")).cutensor_dtype
    0
    """
    if not isinstance(a, ndarray):
        raise TypeError(f"cutensor: a tensor must be a tenorite.ndarray, not {type(a)}")
    number, handle = type_number(a.dtype), get_handle()
    steps = tuple(step // a.itemsize for step in a.strides)
    key = a.shape, steps, number, _alignment(a)

    def make():
        count = max(a.ndim, 1)
        extent, stride = (ctypes.c_int64 * count)(*a.shape), (ctypes.c_int64 * count)(*steps)
        return TensorDescriptor(handle.ptr, a.ndim, ctypes.addressof(extent), ctypes.addressof(stride), number, key[-1])

    return handle._keep("tensor", key, make)


class OperationDescriptor(_Owned):
    """What cuTENSOR knows of an operation; the ``create_...`` functions of the module make them.

    Attributes
    ----------
    ptr : int
        The descriptor.

    Examples
    --------
    >>> from tenorite import cutensor
    >>> cutensor.OperationDescriptor().ptr
    0
    """

    _end = cutensor.destroyOperationDescriptor

    def __init__(self):
        super().__init__(0)

    def create_elementwise_binary(self, *arguments):
        """`tenorite.cuda.cutensor.createElementwiseBinary`, for this object.

        Examples
        --------
        >>> import tenorite as cp
        >>> from tenorite import cutensor
        >>> from tenorite.cuda import cutensor as raw
        >>> a, b = cp.ones((3, 4)), cp.ones(4)
        >>> p, q = map(cutensor.create_tensor_descriptor, (a, b))
        >>> i, j = cutensor.create_mode("i", "j"), cutensor.create_mode("j")
        >>> handle = cp.cuda.Device().cutensor_handle
        >>> desc = cutensor.OperationDescriptor()
        >>> desc.create_elementwise_binary(
        ...     handle, q.ptr, j.data, 1, p.ptr, i.data, 1, p.ptr, i.data, 3, raw.COMPUTE_DESC_64F
        ... )
        >>> desc.ptr != 0
        True
        """
        self._number = cutensor.createElementwiseBinary(*arguments)

    def create_elementwise_trinary(self, *arguments):
        """`tenorite.cuda.cutensor.createElementwiseTrinary`, for this object.

        Examples
        --------
        >>> import tenorite as cp
        >>> from tenorite import cutensor
        >>> from tenorite.cuda import cutensor as raw
        >>> a, b = cp.ones((3, 4)), cp.ones(4)
        >>> p, q = map(cutensor.create_tensor_descriptor, (a, b))
        >>> i, j = cutensor.create_mode("i", "j"), cutensor.create_mode("j")
        >>> handle = cp.cuda.Device().cutensor_handle
        >>> operand = p.ptr, i.data, raw.OP_IDENTITY
        >>> last = p.ptr, i.data, raw.OP_ADD, raw.OP_ADD, raw.COMPUTE_DESC_64F
        >>> desc = cutensor.OperationDescriptor()
        >>> desc.create_elementwise_trinary(handle, *operand, *operand, *operand, *last)
        >>> desc.ptr != 0
        True
        """
        self._number = cutensor.createElementwiseTrinary(*arguments)

    def create_reduction(self, *arguments):
        """`tenorite.cuda.cutensor.createReduction`, for this object.

        Examples
        --------
        >>> import tenorite as cp
        >>> from tenorite import cutensor
        >>> from tenorite.cuda import cutensor as raw
        >>> a, b = cp.ones((3, 4)), cp.ones(4)
        >>> p, q = map(cutensor.create_tensor_descriptor, (a, b))
        >>> i, j = cutensor.create_mode("i", "j"), cutensor.create_mode("j")
        >>> handle = cp.cuda.Device().cutensor_handle
        >>> operands = p.ptr, i.data, raw.OP_IDENTITY, q.ptr, j.data, raw.OP_IDENTITY, q.ptr, j.data
        >>> desc = cutensor.OperationDescriptor()
        >>> desc.create_reduction(handle, *operands, raw.OP_ADD, raw.COMPUTE_DESC_64F)
        >>> desc.ptr != 0
        True
        """
        self._number = cutensor.createReduction(*arguments)

    def create_contraction(self, *arguments):
        """`tenorite.cuda.cutensor.createContraction`, for this object.

        Examples
        --------
        >>> import tenorite as cp
        >>> from tenorite import cutensor
        >>> from tenorite.cuda import cutensor as raw
        >>> a, b = cp.ones((3, 4)), cp.ones(4)
        >>> p, q = map(cutensor.create_tensor_descriptor, (a, b))
        >>> i, j = cutensor.create_mode("i", "j"), cutensor.create_mode("j")
        >>> handle = cp.cuda.Device().cutensor_handle
        >>> operand, out = (p.ptr, i.data, raw.OP_IDENTITY), (q.ptr, j.data)
        >>> desc = cutensor.OperationDescriptor()
        >>> desc.create_contraction(
        ...     handle, *operand, *operand, *out, raw.OP_IDENTITY, *out, raw.COMPUTE_DESC_64F
        ... )
        >>> desc.ptr != 0
        True
        """
        self._number = cutensor.createContraction(*arguments)

    def _scalar_dtype(self, handle):
        """The dtype of the scalars that the operation is called with."""
        if not cutensor._library.serves():
            return cutensor._plans.find(self.ptr, Operation).scalar_dtype
        number = ctypes.c_int32()
        cutensor._library.call(
            "cutensorOperationDescriptorGetAttribute", handle, self.ptr, _SCALAR_TYPE, ctypes.addressof(number), 4
        )
        return numpy.dtype(DTYPES[number.value])


def _create(name, tensors, operators, compute_desc):
    """tensors: (descriptor, Mode, operator) of the inputs, (descriptor, Mode) of the output."""
    handle = get_handle()
    words = []
    for desc, mode, *op in tensors:
        if mode.ndim != desc.ndim:
            raise ValueError(f"cutensor: {mode} has {mode.ndim} labels for a tensor of {desc.ndim} axes")
        words += [desc.ptr, mode.data, *op]
    compute = compute_desc or _COMPUTE[DTYPES[tensors[-1][0].cutensor_dtype]]
    key = name, *((desc.ptr, mode, *op) for desc, mode, *op in tensors), *operators, compute

    def make():
        made = OperationDescriptor()
        getattr(made, name)(handle.ptr, *words, *operators, compute)
        made.parts = tensors
        return made

    return handle._keep("operation", key, make)


@described
def create_elementwise_binary(desc_A, mode_A, op_A, desc_C, mode_C, op_C, desc_D, mode_D, op_AC, compute_desc=0):
    """The operation ``D = op_AC(alpha * op_A(A), gamma * op_C(C))``.

    Returns
    -------
    OperationDescriptor
        For `create_plan`.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite import cutensor
    >>> from tenorite.cuda import cutensor as raw
    >>> a, b = cp.ones((3, 4)), cp.ones(4)
    >>> p, q = map(cutensor.create_tensor_descriptor, (a, b))
    >>> i, j = cutensor.create_mode("i", "j"), cutensor.create_mode("j")
    >>> cutensor.create_elementwise_binary(q, j, raw.OP_IDENTITY, p, i, raw.OP_SQRT, p, i, raw.OP_ADD).ptr != 0
    True
    """
    tensors = [(desc_A, mode_A, op_A), (desc_C, mode_C, op_C), (desc_D, mode_D)]
    return _create("create_elementwise_binary", tensors, (op_AC,), compute_desc)


@described
def create_elementwise_trinary(
    desc_A, mode_A, op_A, desc_B, mode_B, op_B, desc_C, mode_C, op_C, desc_D, mode_D, op_AB, op_ABC, compute_desc=0
):
    """The operation ``D = op_ABC(op_AB(alpha * op_A(A), beta * op_B(B)), gamma * op_C(C))``.

    Returns
    -------
    OperationDescriptor
        For `create_plan`.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite import cutensor
    >>> from tenorite.cuda import cutensor as raw
    >>> a, b = cp.ones((3, 4)), cp.ones(4)
    >>> p, q = map(cutensor.create_tensor_descriptor, (a, b))
    >>> i, j = cutensor.create_mode("i", "j"), cutensor.create_mode("j")
    >>> cutensor.create_elementwise_trinary(
    ...     q, j, raw.OP_IDENTITY, p, i, raw.OP_SQRT, p, i, raw.OP_NEG, p, i, raw.OP_ADD, raw.OP_MUL
    ... ).ptr != 0
    True
    """
    tensors = [(desc_A, mode_A, op_A), (desc_B, mode_B, op_B), (desc_C, mode_C, op_C), (desc_D, mode_D)]
    return _create("create_elementwise_trinary", tensors, (op_AB, op_ABC), compute_desc)


@described
def create_reduction(desc_A, mode_A, op_A, desc_C, mode_C, op_C, op_reduce, compute_desc=0):
    """The operation ``C = alpha * op_reduce(op_A(A)) + beta * op_C(C)``.

    Returns
    -------
    OperationDescriptor
        For `create_plan`.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite import cutensor
    >>> from tenorite.cuda import cutensor as raw
    >>> a, b = cp.ones((3, 4)), cp.ones(4)
    >>> p, q = map(cutensor.create_tensor_descriptor, (a, b))
    >>> i, j = cutensor.create_mode("i", "j"), cutensor.create_mode("j")
    >>> cutensor.create_reduction(p, i, raw.OP_IDENTITY, q, j, raw.OP_IDENTITY, raw.OP_ADD).ptr != 0
    True
    """
    tensors = [(desc_A, mode_A, op_A), (desc_C, mode_C, op_C), (desc_C, mode_C)]
    return _create("create_reduction", tensors, (op_reduce,), compute_desc)


@described
def create_contraction(desc_A, mode_A, op_A, desc_B, mode_B, op_B, desc_C, mode_C, op_C, compute_desc=0):
    """The operation ``C = alpha * op_A(A) * op_B(B) + beta * op_C(C)``, a contraction.

    Returns
    -------
    OperationDescriptor
        For `create_plan`.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite import cutensor
    >>> from tenorite.cuda import cutensor as raw
    >>> a, b = cp.ones((3, 4)), cp.ones(4)
    >>> p, q = map(cutensor.create_tensor_descriptor, (a, b))
    >>> i, j = cutensor.create_mode("i", "j"), cutensor.create_mode("j")
    >>> cutensor.create_contraction(
    ...     p, i, raw.OP_IDENTITY, p, i, raw.OP_IDENTITY, q, j, raw.OP_IDENTITY
    ... ).ptr != 0
    True
    """
    tensors = [(desc_A, mode_A, op_A), (desc_B, mode_B, op_B), (desc_C, mode_C, op_C), (desc_C, mode_C)]
    return _create("create_contraction", tensors, (), compute_desc)


class PlanPreference(_Owned):
    """How cuTENSOR looks for an algorithm.

    Parameters
    ----------
    handle : int
        A handle.
    algo : int
        ``tenorite.cuda.cutensor.ALGO_...``.
    jit_mode : int
        ``tenorite.cuda.cutensor.JIT_MODE_...``.

    Attributes
    ----------
    ptr : int
        The preference.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite import cutensor
    >>> cutensor.create_plan_preference().ptr != 0
    True
    """

    _end = cutensor.destroyPlanPreference

    def __init__(self, handle, algo, jit_mode):
        super().__init__(cutensor.createPlanPreference(handle, algo, jit_mode))


@described
def create_plan_preference(algo=cutensor.ALGO_DEFAULT, jit_mode=cutensor.JIT_MODE_NONE):
    """How cuTENSOR looks for an algorithm.

    Returns
    -------
    PlanPreference
        For `create_plan`.

    Examples
    --------
    >>> from tenorite import cutensor
    >>> cutensor.create_plan_preference().ptr != 0
    True
    """
    handle = get_handle()
    return handle._keep("preference", (algo, jit_mode), lambda: PlanPreference(handle.ptr, algo, jit_mode))


class Plan(_Owned):
    """An operation that is ready to run.

    Parameters
    ----------
    handle, desc, pref : int
        A handle, an operation's descriptor and a preference.
    ws_limit : int
        The bytes of memory beside the tensors that the plan may use.

    Attributes
    ----------
    ptr : int
        The plan.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite import cutensor
    >>> from tenorite.cuda import cutensor as raw
    >>> a, b = cp.ones((3, 4)), cp.ones(4)
    >>> p, q = map(cutensor.create_tensor_descriptor, (a, b))
    >>> i, j = cutensor.create_mode("i", "j"), cutensor.create_mode("j")
    >>> desc = cutensor.create_reduction(p, i, raw.OP_IDENTITY, q, j, raw.OP_IDENTITY, raw.OP_ADD)
    >>> cutensor.create_plan(desc, cutensor.create_plan_preference(), 1 << 20).ptr != 0
    True
    """

    _end = cutensor.destroyPlan

    def __init__(self, handle, desc, pref, ws_limit):
        super().__init__(cutensor.createPlan(handle, desc, pref, ws_limit))
        needed = ctypes.c_uint64()
        cutensor.planGetAttribute(handle, self.ptr, cutensor.PLAN_REQUIRED_WORKSPACE, ctypes.addressof(needed), 8)
        self.workspace = needed.value

    def _run(self, name, handle, scalars, arrays):
        """Executes the plan with arrays and scalars of the right dtype, by the function `name`."""
        if not cutensor._library.serves():
            cutensor._plans.find(self.ptr, Operation).run([one.value for one in scalars], arrays)
            return
        words, addresses = [one.ptr for one in scalars], [array.data.ptr for array in arrays]
        if name == "contract":
            a, b, c, d = addresses
            memory = _core.empty(max(self.workspace, 1), "u1")
            cutensor.contract(handle, self.ptr, words[0], a, b, words[1], c, d, memory.data.ptr, self.workspace)
        elif name == "reduce":
            a, c, d = addresses
            memory = _core.empty(max(self.workspace, 1), "u1")
            cutensor.reduce(handle, self.ptr, words[0], a, words[1], c, d, memory.data.ptr, self.workspace)
        else:
            *inputs, d = addresses
            pairs = [word for pair in zip(words, inputs) for word in pair]
            getattr(cutensor, name)(handle, self.ptr, *pairs, d)


@described
def create_plan(desc, pref, ws_limit=0):
    """An operation that is ready to run.

    Returns
    -------
    Plan
        For the functions of `tenorite.cuda.cutensor` that execute plans.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite import cutensor
    >>> from tenorite.cuda import cutensor as raw
    >>> a, b = cp.ones((3, 4)), cp.ones(4)
    >>> p, q = map(cutensor.create_tensor_descriptor, (a, b))
    >>> i, j = cutensor.create_mode("i", "j"), cutensor.create_mode("j")
    >>> desc = cutensor.create_reduction(p, i, raw.OP_IDENTITY, q, j, raw.OP_IDENTITY, raw.OP_ADD)
    >>> cutensor.create_plan(desc, cutensor.create_plan_preference(), 1 << 20).ptr != 0
    True
    """
    handle = get_handle()
    return handle._keep("plan", (desc.ptr, pref.ptr, ws_limit), lambda: Plan(handle.ptr, desc.ptr, pref.ptr, ws_limit))


class _Scalar:
    """A factor in the dtype that an operation wants, with an address."""

    def __init__(self, value, dtype):
        self.dtype = numpy.dtype(dtype)
        self._array = numpy.array(value, self.dtype)
        self.value, self.ptr = self._array[()], self._array.ctypes.data

    def __repr__(self):
        return f"scalar({self.value.item()}, dtype={self.dtype.name})"
