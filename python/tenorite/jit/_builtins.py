"""What only kernels can call: threads, barriers, shared memory, atomic operations, shuffles."""

import inspect

import numpy

from tenorite.jit import _operations as operations
from tenorite.jit._types import INT32, UINT32, Array, Constant, CType, Dim3, Object, Pointer, Scalar, Value


def _signature(emit):
    """The signature of a function of kernels: without the translator, defaults as they are
    written."""
    found = inspect.signature(emit)
    parameters = list(found.parameters.values())[1:]
    plain = [one.replace(default=one.default.value) if isinstance(one.default, Constant) else one for one in parameters]
    return found.replace(parameters=plain)


class Builtin:
    """A function of kernels. `emit` gets the translator of a function, and values."""

    def __init__(self, name, emit, doc, signature=None):
        self.__name__ = self.__qualname__ = name
        self.emit = emit
        self.__doc__ = doc
        self.__signature__ = _signature(emit) if signature is None else inspect.signature(signature)

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"{self.__name__} can be called in a kernel alone")

    def __repr__(self):
        return f"<function {self.__name__} of kernels>"


def builtin(doc):
    return lambda emit: Builtin(emit.__name__.strip("_"), emit, doc)


class BuiltinVariable:
    """A variable of kernels: threadIdx, blockIdx, blockDim, gridDim."""

    def __init__(self, name, doc):
        self.__name__, self.__doc__ = name, doc
        self.value = Value(name, Dim3())

    def __getattr__(self, name):
        if name in ("x", "y", "z"):
            raise RuntimeError(f"{self.__name__} can be read in a kernel alone")
        raise AttributeError(name)

    def __repr__(self):
        return f"<variable {self.__name__} of kernels>"


threadIdx = BuiltinVariable("threadIdx", "The place of the thread in its block: x, y, z.")
blockIdx = BuiltinVariable("blockIdx", "The place of the block in the grid: x, y, z.")
blockDim = BuiltinVariable("blockDim", "How many threads a block has: x, y, z.")
gridDim = BuiltinVariable("gridDim", "How many blocks the grid has: x, y, z.")
warpsize = 32


def constant(value, name, kinds=int):
    """The value of an argument that must be known when the kernel is translated."""
    if not isinstance(value, Constant):
        raise TypeError(f"{name} must be a constant, which is known when the kernel is translated")
    if kinds is not None and (not isinstance(value.value, kinds) or isinstance(value.value, bool)):
        raise TypeError(f"{name} must be an integer, not {value.value!r}")
    return value.value


def number(env, value, type=None):
    """A scalar value, of `type` if it is given."""
    if type is not None:
        return operations.cast(value, type)
    value = env.value(value)
    if not isinstance(value.type, Scalar):
        raise TypeError(f"a {value.type} is no number")
    return value


# --- Threads ---


def _dims(text):
    def emit(env, ndim):
        ndim = constant(ndim, "ndim")
        if not 1 <= ndim <= 3:
            raise ValueError("Only ndim=1,2,3 are supported")
        values = [Value(text.replace("?", axis), UINT32) for axis in "xyz"[:ndim]]
        return values[0] if ndim == 1 else env.tuple(values)

    return emit


def _ndim(ndim):
    """The signature of grid and gridsize."""


grid = Builtin(
    "grid",
    _dims("(threadIdx.? + blockIdx.? * blockDim.?)"),
    """The place of the thread in the grid, in one to three dimensions.

Parameters
----------
ndim : int
    How many dimensions, 1 to 3.

Returns
-------
int or tuple
    ``threadIdx.x + blockIdx.x * blockDim.x``, and of ``y`` and ``z``.

Examples
--------
>>> @tenorite.jit.rawkernel()
... def count(out):
...     i = tenorite.jit.grid(1)
...     out[i] = i
>>> out = tenorite.zeros(4, "i")
>>> count[2, 2](out)
>>> out
array([0, 1, 2, 3], dtype=int32)
""",
    _ndim,
)

gridsize = Builtin(
    "gridsize",
    _dims("(blockDim.? * gridDim.?)"),
    """How many threads the grid has, in one to three dimensions.

Parameters
----------
ndim : int
    How many dimensions, 1 to 3.

Returns
-------
int or tuple
    ``blockDim.x * gridDim.x``, and of ``y`` and ``z``.

Examples
--------
>>> @tenorite.jit.rawkernel()
... def twice(x):
...     for i in range(tenorite.jit.grid(1), x.size, tenorite.jit.gridsize(1)):
...         x[i] *= 2
>>> x = tenorite.arange(5)
>>> twice[1, 2](x)
>>> x
array([0, 2, 4, 6, 8])
""",
    _ndim,
)

_RANK = "((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x)"


@builtin("""The number of the thread in its warp.

Returns
-------
int
    The number, from 0 to 31.

Examples
--------
>>> from tenorite import jit
>>> @jit.rawkernel()
... def lanes(out):
...     out[jit.grid(1)] = jit.laneid()
>>> out = tenorite.zeros(34, "i")
>>> lanes[1, 34](out)
>>> out[30:]
array([30, 31,  0,  1], dtype=int32)
""")
def laneid(env):
    return Value(f"({_RANK} % 32u)", UINT32)


_REVERSE = """

Examples
--------
>>> from tenorite import jit
>>> @jit.rawkernel()
... def reverse(x):
...     i = jit.threadIdx.x
...     mine = jit.shared_memory(tenorite.float64, 4)
...     mine[i] = x[i]
...     jit.syncthreads()
...     x[i] = mine[3 - i]
>>> x = tenorite.arange(4.0)
>>> reverse[1, 4](x)
>>> x
array([3., 2., 1., 0.])
"""


@builtin("Waits for all threads of the block." + _REVERSE)
def syncthreads(env):
    return env.command("__syncthreads()")


@builtin(
    """Waits for threads of the warp.

Parameters
----------
mask : int, optional
    Which threads: a bit for each.
"""
    + _REVERSE.replace("syncthreads", "syncwarp")
)
def syncwarp(env, mask=Constant(0xFFFFFFFF)):
    return env.command(f"__syncwarp((unsigned)({_mask(env, mask)}))")


# --- Memory of a block ---


def _size(size):
    size = constant(size, "size", None)
    if size is None:
        return None
    lengths = size if isinstance(size, tuple) else (size,)
    if not lengths or not all(isinstance(one, (int, numpy.integer)) and one > 0 for one in lengths):
        raise ValueError(f"size must be a positive integer, a tuple of them, or None, not {size!r}")
    return tuple(map(int, lengths))


def _item(dtype):
    dtype = constant(dtype, "dtype", None)
    return dtype if isinstance(dtype, CType) else Scalar(dtype)


@builtin(
    """An array that the threads of a block share.

Parameters
----------
dtype : dtype
    The dtype of its elements.
size : int, tuple of int, or None
    How many there are; the shape of several dimensions; None: what the launch gives
    (``shared_mem=``).
alignment : int, optional
    What its address is a multiple of, in bytes.

Returns
-------
array
    The array, which is indexed as others are. What it holds is anything.
"""
    + _REVERSE
)
def shared_memory(env, dtype, size, alignment=Constant(None)):
    item, shape = _item(dtype), _size(size)
    alignment = constant(alignment, "alignment", None)
    if alignment is not None and (not isinstance(alignment, int) or alignment < 1 or alignment & (alignment - 1)):
        raise ValueError(f"alignment must be a power of two, not {alignment!r}")
    align = "" if alignment is None else f"__align__({alignment}) "
    return env.block_array(item, shape, align)


@builtin("""An array of the thread alone.

Parameters
----------
dtype : dtype
    The dtype of its elements.
size : int or tuple of int
    How many there are, or the shape.

Returns
-------
array
    The array, which is indexed as others are. What it holds is anything.

Examples
--------
>>> @tenorite.jit.rawkernel()
... def backwards(x):
...     mine = tenorite.jit.local_memory(tenorite.float64, 3)
...     for i in range(3):
...         mine[i] = x[i]
...     for i in range(3):
...         x[i] = mine[2 - i]
>>> x = tenorite.arange(3.0)
>>> backwards[1, 1](x)
>>> x
array([2., 1., 0.])
""")
def local_memory(env, dtype, size):
    item, shape = _item(dtype), _size(size)
    if shape is None:
        raise ValueError("local memory has a size that is known: size must be an integer or a tuple of them")
    return env.thread_array(item, shape)


# --- Atomic operations ---

_WORDS = {"i4", "u4", "i8", "u8"}
_ATOMICS = {
    "add": (_WORDS | {"f2", "f4", "f8", "c8", "c16"}, "adds `value` to", 8),
    "sub": (_WORDS, "subtracts `value` from", -2),
    "exch": (_WORDS | {"f4", "f8"}, "puts `value` into", 5),
    "min": (_WORDS | {"f4", "f8"}, "puts `value`, if it is smaller, into", 3),
    "max": (_WORDS | {"f4", "f8"}, "puts `value`, if it is larger, into", 5),
    "inc": ({"u4"}, "counts up, or begins again with 0 after `value`,", 4),
    "dec": ({"u4"}, "counts down, or begins again with `value` after 0,", 2),
    "cas": (_WORDS | {"u2"}, "puts `desired`, if `expected` is there, into", 7),
    "and": (_WORDS, "combines bit by bit (and) `value` with", 1),
    "or": (_WORDS, "combines bit by bit (or) `value` with", 7),
    "xor": (_WORDS, "combines bit by bit (exclusive or) `value` with", 6),
}


_ATOMIC_DOC = """In one step {what} an element of an array.

Parameters
----------
array : array
    The array, or shared memory.
index : int or tuple of int
    Which element.
{names} : number
    What the operation is given.

Returns
-------
number
    What was there before.

Examples
--------
>>> from tenorite import jit
>>> @jit.rawkernel()
... def change(x):
...     jit.atomic_{name}(x, 1, {given})
>>> x = tenorite.full(2, 3, "{dtype}")
>>> change[1, 1](x)
>>> int(x[1])
{after}
"""


def _atomic_text(name, item, place, values):
    """CUDA has operations of signed words of 64 bits only where the sign matters."""
    code = item.dtype.str[1:]
    if name == "sub" and code in ("i8", "u8"):
        return f"({item})atomicAdd((uint64 *)&{place}, (uint64)(0 - {values[0]}))"
    if name == "exch" and code == "f8":
        return f"__longlong_as_double((long long)atomicExch((uint64 *)&{place}, (uint64)__double_as_longlong({values[0]})))"
    function = {"cas": "atomicCAS"}.get(name, "atomic" + name.capitalize())
    if code == "i8" and name in ("exch", "cas", "and", "or", "xor"):
        given = ", ".join(f"(uint64){value}" for value in values)
        return f"({item}){function}((uint64 *)&{place}, {given})"
    return f"{function}(&{place}, {', '.join(values)})"


def _atomic(name):
    codes, what, after = _ATOMICS[name]
    arguments = "array, index, expected, desired" if name == "cas" else "array, index, value"

    def emit(env, array, index, value, desired=None):
        array = env.value(array)
        if not isinstance(array.type, (Array, Pointer)):
            raise TypeError("The first argument must be of array type.")
        if (desired is None) == (name == "cas"):
            raise TypeError(f"atomic_{name} takes ({arguments})")
        place = env.element(array, index)
        item = place.type
        if not isinstance(item, Scalar) or item.dtype.str[1:] not in codes:
            names = ", ".join(sorted(numpy.dtype(code).name for code in codes))
            raise TypeError(f"`atomic_{name}` does not support {item} input; it has {names}")
        values = [operations.cast(one, item).text for one in ([value] if desired is None else [value, desired])]
        return Value(_atomic_text(name, item, place.text, values), item, False)

    signature = (lambda array, index, expected, desired: None) if name == "cas" else lambda array, index, value: None
    return Builtin(
        f"atomic_{name}",
        emit,
        _ATOMIC_DOC.format(
            name=name,
            what=what,
            after=after,
            **(
                {"names": "expected, desired", "given": "3, 7", "dtype": "i"}
                if name == "cas"
                else {"names": "value", "given": "5", "dtype": "I" if name in ("inc", "dec") else "i"}
            ),
        ),
        signature,
    )


atomic_add, atomic_sub, atomic_exch, atomic_min = map(_atomic, ("add", "sub", "exch", "min"))
atomic_max, atomic_inc, atomic_dec, atomic_cas = map(_atomic, ("max", "inc", "dec", "cas"))
atomic_and, atomic_or, atomic_xor = map(_atomic, ("and", "or", "xor"))


# --- Shuffles ---


_SHUFFLE_DOC = """{doc}

Parameters
----------
mask : int
    Which threads take part: a bit for each.
var : number
    What the thread gives.
val_id : int
    Which lane.
width : int, optional
    How many threads are a group: 2, 4, 8, 16 or 32.

Returns
-------
number
    What the other thread gave.

Examples
--------
>>> from tenorite import jit
>>> @jit.rawkernel()
... def exchange(x):
...     i = jit.threadIdx.x
...     x[i] = jit.shfl{name}_sync(0xffffffff, x[i], 1)
>>> x = tenorite.arange(32)
>>> exchange[1, 32](x)
>>> x[:4]
array({after})
"""


def _mask(env, mask):
    mask = number(env, mask)
    if mask.type.kind not in "iu":
        raise TypeError(f"mask must be an integer, not {mask.type}")
    return mask


def _shuffle(name, after, doc):
    def emit(env, mask, var, given, width=Constant(32)):
        if isinstance(width, Constant) and width.value not in (2, 4, 8, 16, 32):
            raise ValueError(f"width must be 2, 4, 8, 16 or 32, not {width.value}")
        width = number(env, width, INT32)
        mask = _mask(env, mask)
        var = number(env, var)
        amount = number(env, given, INT32 if name in ("", "_xor") else UINT32)
        if var.type.dtype.itemsize > 8 or var.type.kind == "c":
            raise TypeError(
                f"a warp exchanges numbers of 8 bytes at most, not {var.type}; exchange the real and the imaginary part"
            )
        text = f"__shfl{name}_sync((unsigned)({mask}), {{}}, {amount}, {width})"
        if var.type.dtype.itemsize < 4:
            # Numbers of less than 32 bits travel as one of them.
            wide = Scalar("f4") if var.type.kind == "f" else INT32
            inner = text.format(operations.convert(var.text, var.type, wide))
            return Value(operations.convert(inner, wide, var.type), var.type, False)
        return Value(text.format(var.text), var.type, False)

    return Builtin(
        f"shfl{name}_sync",
        emit,
        _SHUFFLE_DOC.format(name=name, doc=doc, after=after),
        lambda mask, var, val_id, width=32: None,
    )


shfl_sync = _shuffle("", [1, 1, 1, 1], "The value of `var` in the lane `val_id`.")
shfl_up_sync = _shuffle("_up", [0, 0, 1, 2], "The value of `var` in the lane `val_id` places below.")
shfl_down_sync = _shuffle("_down", [1, 2, 3, 4], "The value of `var` in the lane `val_id` places above.")
shfl_xor_sync = _shuffle(
    "_xor", [1, 0, 3, 2], "The value of `var` in the lane whose number differs by the bits `val_id`."
)


class RangeType(Builtin):
    """range(stop), range(start, stop, step=1), with unroll=."""


def _range(start, stop=None, step=1, *, unroll=None):
    """The signature of a range."""


range = RangeType(
    "range",
    None,
    """The range of a loop in a kernel, as Python's, with the loop unrolled on request.

Parameters
----------
start, stop, step : int
    As those of Python's `range`, with one and with two arguments, too.
unroll : int or bool, optional
    How often the body is repeated in a turn; True: the compiler decides; False: never. The others
    must be constants then.

Examples
--------
>>> @tenorite.jit.rawkernel()
... def total(x, out):
...     sum = tenorite.float64(0)
...     for i in tenorite.jit.range(4, unroll=True):
...         sum += x[i]
...     out[0] = sum
>>> out = tenorite.zeros(1)
>>> total[1, 1](tenorite.arange(4.0), out)
>>> out
array([6.])
""",
    _range,
)


def group(text, methods):
    """A group of threads, of cooperative_groups: {name: (C++ method, type)}."""
    return Object(text, methods)
