"""cuTENSOR's functions of one device without cuTENSOR: by einsum, reductions and fused programs.

A descriptor, an operation or a plan is an object here and a number for the program. An operation is
read into a function of scalars and arrays (`Operation.run`), which programs with arrays call as it
is; functions of addresses lay arrays over these first.
"""

import ctypes
import functools
import itertools
import math

import numpy

import tenorite

IDENTITY, ADD, MUL, MAX, MIN = 1, 3, 5, 6, 7
SUCCESS, INVALID_VALUE, NOT_SUPPORTED = 0, 7, 15
COMPUTE_64F = 0x10
# The dtypes of cudaDataType_t's numbers.
DTYPES = {2: "float16", 14: "bfloat16", 0: "float32", 1: "float64", 4: "complex64", 5: "complex128"}
NUMBERS = {name: number for number, name in DTYPES.items()}
# Operators of one element, after cutensor/types.h; the identity is none of them.
UNARY = {
    2: lambda x: tenorite.sqrt(x),
    8: lambda x: tenorite.maximum(x, 0),
    9: lambda x: tenorite.conj(x),
    10: lambda x: tenorite.reciprocal(x),
    11: lambda x: tenorite.reciprocal(tenorite.exp(-x) + 1),
    12: lambda x: tenorite.tanh(x),
    22: lambda x: tenorite.exp(x),
    23: lambda x: tenorite.log(x),
    24: lambda x: tenorite.absolute(x),
    25: lambda x: tenorite.negative(x),
    26: lambda x: tenorite.sin(x),
    27: lambda x: tenorite.cos(x),
    28: lambda x: tenorite.tan(x),
    29: lambda x: tenorite.sinh(x),
    30: lambda x: tenorite.cosh(x),
    31: lambda x: tenorite.arcsin(x),
    32: lambda x: tenorite.arccos(x),
    33: lambda x: tenorite.arctan(x),
    34: lambda x: tenorite.arcsinh(x),
    35: lambda x: tenorite.arccosh(x),
    36: lambda x: tenorite.arctanh(x),
    37: lambda x: tenorite.ceil(x),
    38: lambda x: tenorite.floor(x),
    39: lambda x: x * tenorite.tanh(tenorite.logaddexp(x, 0)),
    40: lambda x: x * tenorite.reciprocal(tenorite.exp(-x) + 1),
    41: lambda x: tenorite.logaddexp(x, 0),
    42: lambda x: x / (tenorite.absolute(x) + 1),
}
BINARY = {
    ADD: lambda x, y: x + y,
    MUL: lambda x, y: x * y,
    MAX: lambda x, y: tenorite.maximum(x, y),
    MIN: lambda x, y: tenorite.minimum(x, y),
}
FOLDS = {ADD: "sum", MUL: "prod", MAX: "max", MIN: "min"}
_ONLY_REAL = frozenset({8, 37, 38, 39, 41, MAX, MIN})


def strided(dtype, shape, strides, address, device=None):
    """An array over memory that another owner keeps; strides in elements."""
    itemsize = dtype.itemsize
    span = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides))
    number = tenorite.cuda.Device().id if device is None else device
    memory = tenorite.cuda.UnownedMemory(address, max(span, 1) * itemsize, None, number)
    steps = tuple(stride * itemsize for stride in strides)
    return tenorite.ndarray(shape, dtype, tenorite.cuda.MemoryPointer(memory, 0), strides=steps)


class Tensor:
    """Sizes, strides in elements and a dtype; `modes` are its axes' labels in an operation."""

    def __init__(self, shape, strides, dtype, modes=(), op=IDENTITY):
        self.shape, self.strides, self.dtype = tuple(shape), tuple(strides), dtype
        self.modes, self.op = tuple(modes), op

    def over(self, address):
        return strided(self.dtype, self.shape, self.strides, address)

    def sizes(self):
        return dict(zip(self.modes, self.shape))


class Refused(ValueError):
    """An operation that there is not; `status` is cuTENSOR's number for it."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


def _check(condition, text, status=INVALID_VALUE):
    if not condition:
        raise Refused(status, text)


class Operation:
    """What an operation computes of its tensors; `kind` is a name of `_KINDS`.

    `run(scalars, arrays)` gets one scalar for each input that has one, the inputs, and the output.
    """

    def __init__(self, kind, tensors, combine, compute):
        self.kind, self.tensors, self.combine, self.compute = kind, tensors, tuple(combine), compute
        self.output = tensors[-1]
        self._check_operators()
        self._check_modes()
        wide = self.output.dtype.itemsize // (2 if self.output.dtype.kind == "c" else 1) == 8
        real = "f8" if wide or compute == COMPUTE_64F else "f4"
        self.scalar_dtype = numpy.result_type(real, "c8") if self.output.dtype.kind == "c" else numpy.dtype(real)
        self.run = functools.partial(_KINDS[kind], self)

    def _check_operators(self):
        is_complex = any(tensor.dtype.kind == "c" for tensor in self.tensors)
        for op in [tensor.op for tensor in self.tensors[:-1]]:
            _check(op == IDENTITY or op in UNARY, f"{op} is no operator of one element")
            _check(not (is_complex and op in _ONLY_REAL), f"operator {op} has no complex kind", NOT_SUPPORTED)
        for op in self.combine:
            _check(op in BINARY, f"{op} is no operator of two elements")
            _check(not (is_complex and op in _ONLY_REAL), f"operator {op} has no complex kind", NOT_SUPPORTED)

    def _check_modes(self):
        sizes = {}
        for tensor in self.tensors:
            for mode, size in zip(tensor.modes, tensor.shape):
                known = sizes.setdefault(mode, size)
                _check(known == size, f"mode {mode} has sizes {known} and {size}")
        last = self.output.modes
        _check(len(set(last)) == len(last), f"the output has a mode twice: {last}")
        inputs = self.tensors[:-1]
        if self.kind in ("contraction", "reduction"):
            given = {mode for tensor in inputs[:-1] for mode in tensor.modes}
            _check(set(last) <= given, f"modes {sorted(set(last) - given)} of the output are in no input")
            _check(inputs[-1].modes == last, f"C has modes {inputs[-1].modes}, D has {last}")
        else:
            for tensor in inputs:
                extra = set(tensor.modes) - set(last)
                _check(not extra, f"modes {sorted(extra)} are not in the output")
                _check(len(set(tensor.modes)) == len(tensor.modes), f"an input has a mode twice: {tensor.modes}")

    def scalars_at(self, addresses):
        """The scalars in the host's memory; one without an address is 0."""
        dtype = self.scalar_dtype
        memory = [(ctypes.c_char * dtype.itemsize).from_address(one) if one else None for one in addresses]
        return [dtype.type(0) if one is None else numpy.frombuffer(one, dtype)[0] for one in memory]

    def aligned(self, k, array):
        """Input k with the output's axes; of size 1 where it has none."""
        modes = self.tensors[k].modes
        array = array.transpose([modes.index(mode) for mode in self.output.modes if mode in modes])
        return array[tuple(slice(None) if mode in modes else None for mode in self.output.modes)]


@functools.lru_cache(256)
def _combined(ops, combine, present):
    """The fused function of scalars, inputs and output: inputs that are not `present` have the
    factor 0 and are not read."""
    count = sum(present)

    def store(*values):
        scalars, arrays, out = iter(values[:count]), iter(values[count:-2]), values[-1]
        total = None
        for k, op in enumerate(ops):
            if present[k]:
                term = next(arrays)
                term = next(scalars) * (term if op == IDENTITY else UNARY[op](term))
            else:
                term = values[-2]
            total = term if k == 0 else BINARY[combine[k - 1]](total, term)
        out[...] = total

    return tenorite.fuse()(store)


def _combine(operation, ops, combine, scalars, arrays, out):
    present = tuple(bool(scalar != 0) for scalar in scalars)
    zero = operation.scalar_dtype.type(0)
    given = [scalar for scalar, is_there in zip(scalars, present) if is_there]
    used = [array for array, is_there in zip(arrays, present) if is_there]
    if not used:
        value = functools.reduce(lambda total, op: BINARY[op](total, zero), combine, zero)
        out[...] = value
        return
    _combined(tuple(ops), tuple(combine), present)(*given, *used, zero, out)


def _run_elementwise(operation, scalars, arrays):
    *inputs, out = arrays
    aligned = [operation.aligned(k, array) for k, array in enumerate(inputs)]
    ops = [tensor.op for tensor in operation.tensors[:-1]]
    _combine(operation, ops, operation.combine, scalars, aligned, out)


def _applied(tensor, array, dtype):
    if tensor.op != IDENTITY:
        array = UNARY[tensor.op](array)
    return array if array.dtype == dtype else array.astype(dtype)


def _working(operation):
    dtype = operation.output.dtype
    if operation.compute == COMPUTE_64F:
        return numpy.result_type(dtype, "f8")
    return dtype


def _run_contraction(operation, scalars, arrays):
    a, b, c, out = arrays
    left, right, last, _ = operation.tensors
    alpha, beta = scalars
    product = None
    if alpha != 0:
        labels = {mode: k for k, mode in enumerate(dict.fromkeys(left.modes + right.modes))}
        lists = [[labels[mode] for mode in modes] for modes in (left.modes, right.modes, operation.output.modes)]
        dtype = _working(operation)
        a, b = _applied(left, a, dtype), _applied(right, b, dtype)
        product = tenorite.einsum(a, lists[0], b, lists[1], lists[2])
        if alpha == 1 and beta == 0:
            out[...] = product
            return
    _combine(operation, (IDENTITY, last.op), (ADD,), scalars, (product, c), out)


def _run_reduction(operation, scalars, arrays):
    a, c, out = arrays
    first, last, _ = operation.tensors
    alpha, _ = scalars
    folded = None
    if alpha != 0:
        axes = tuple(k for k, mode in enumerate(first.modes) if mode not in operation.output.modes)
        left = [mode for mode in first.modes if mode in operation.output.modes]
        folded = _applied(first, a, _working(operation))
        if axes:
            folded = getattr(folded, FOLDS[operation.combine[0]])(axes)
        folded = folded.transpose([left.index(mode) for mode in operation.output.modes])
    _combine(operation, (IDENTITY, last.op), (ADD,), scalars, (folded, c), out)


_KINDS = {"contraction": _run_contraction, "reduction": _run_reduction, "elementwise": _run_elementwise}


class Plans:
    """cuTENSOR's functions by its module's names; `fail(status)` raises for a status."""

    def __init__(self, fail):
        self._fail, self._things, self._numbers = fail, {}, itertools.count(1)

    def keep(self, thing):
        number = next(self._numbers) << 4
        self._things[number] = thing
        return number

    def find(self, number, kind):
        thing = self._things.get(number)
        if not isinstance(thing, kind):
            self._fail(INVALID_VALUE)
        return thing

    def _drop(self, number):
        if self._things.pop(number, None) is None:
            self._fail(INVALID_VALUE)

    def describe(self, handle, count, extent, stride, number, alignment):
        """The number of a descriptor; without strides the tensor is contiguous, and its first axis
        the densest."""
        if number not in DTYPES:
            self._fail(NOT_SUPPORTED)
        shape = list((ctypes.c_int64 * count).from_address(extent)) if count else []
        if stride and count:
            strides = list((ctypes.c_int64 * count).from_address(stride))
        else:
            strides = [math.prod(shape[:k]) for k in range(count)]
        if any(size <= 0 for size in shape) or any(step < 0 for step in strides):
            self._fail(INVALID_VALUE)
        return self.keep(Tensor(shape, strides, tenorite.dtype(DTYPES[number])))

    def operation(self, kind, inputs, output, combine, compute):
        """Of (descriptor, address of modes, operator) of each input, and of the output."""
        tensors = []
        for number, modes, op in [*inputs, (*output, IDENTITY)]:
            tensor = self.find(number, Tensor)
            count = len(tensor.shape)
            labels = (ctypes.c_int32 * count).from_address(modes) if count else ()
            tensors.append(Tensor(tensor.shape, tensor.strides, tensor.dtype, labels, op))
        try:
            return self.keep(Operation(kind, tensors, combine, compute))
        except Refused as refused:
            self._fail(refused.status)

    def execute(self, plan, scalars, addresses):
        operation = self.find(plan, Operation)
        values = operation.scalars_at(scalars)
        arrays = [tensor.over(one) if one else None for tensor, one in zip(operation.tensors, addresses)]
        factors = [values[0], *values] if operation.kind == "contraction" else values
        if arrays[-1] is None or any(array is None and factor != 0 for factor, array in zip(factors, arrays)):
            self._fail(INVALID_VALUE)
        operation.run(values, arrays)

    def functions(self):
        """{name: function} with the parameters of `tenorite.cuda.cutensor`."""
        drop, keep, execute, operation = self._drop, self.keep, self.execute, self.operation
        return {
            "create": lambda: keep(object()),
            "destroy": drop,
            "createTensorDescriptor": self.describe,
            "destroyTensorDescriptor": drop,
            "destroyOperationDescriptor": drop,
            "destroyPlanPreference": drop,
            "destroyPlan": drop,
            "createElementwiseTrinary": lambda h, a, ma, oa, b, mb, ob, c, mc, oc, d, md, ab, abc, compute: operation(
                "elementwise", [(a, ma, oa), (b, mb, ob), (c, mc, oc)], (d, md), (ab, abc), compute
            ),
            "createElementwiseBinary": lambda h, a, ma, oa, c, mc, oc, d, md, op, compute: operation(
                "elementwise", [(a, ma, oa), (c, mc, oc)], (d, md), (op,), compute
            ),
            "createPermutation": lambda h, a, ma, oa, b, mb, compute: operation(
                "elementwise", [(a, ma, oa)], (b, mb), (), compute
            ),
            "createContraction": lambda h, a, ma, oa, b, mb, ob, c, mc, oc, d, md, compute: operation(
                "contraction", [(a, ma, oa), (b, mb, ob), (c, mc, oc)], (d, md), (), compute
            ),
            "createReduction": lambda h, a, ma, oa, c, mc, oc, d, md, op, compute: operation(
                "reduction", [(a, ma, oa), (c, mc, oc)], (d, md), (op,), compute
            ),
            "createPlanPreference": lambda handle, algo, jitMode: keep((algo, jitMode)),
            "createPlan": lambda handle, desc, pref, workspaceSizeLimit: keep(self.find(desc, Operation)),
            "estimateWorkspaceSize": lambda handle, desc, planPref, workspacePref: 0,
            "planGetAttribute": self._attribute,
            "elementwiseTrinaryExecute": lambda h, plan, alpha, a, beta, b, gamma, c, d: execute(
                plan, (alpha, beta, gamma), (a, b, c, d)
            ),
            "elementwiseBinaryExecute": lambda h, plan, alpha, a, gamma, c, d: execute(plan, (alpha, gamma), (a, c, d)),
            "permute": lambda h, plan, alpha, a, b: execute(plan, (alpha,), (a, b)),
            "contract": lambda h, plan, alpha, a, b, beta, c, d, workspace, size: execute(
                plan, (alpha, beta), (a, b, c, d)
            ),
            "reduce": lambda h, plan, alpha, a, beta, c, d, workspace, size: execute(plan, (alpha, beta), (a, c, d)),
        }

    def _attribute(self, handle, plan, attr, buf, sizeInBytes):
        self.find(plan, Operation)
        if attr != 0 or sizeInBytes != 8:  # the bytes of workspace that a plan needs
            self._fail(INVALID_VALUE)
        ctypes.c_uint64.from_address(buf).value = 0
