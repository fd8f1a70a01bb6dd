"""Reductions of warps and blocks in kernels, under the names of CUB; their text is our own."""

import numpy

from tenorite.jit import _operations as operations
from tenorite.jit._builtins import constant
from tenorite.jit._types import INT32, Constant, CType, Object, Scalar, Value

__all__ = ["BlockReduce", "Max", "Min", "Sum", "WarpReduce"]


class _Operation:
    def __call__(self, a, b):
        raise RuntimeError(f"cub.{type(self).__name__} can be used in a kernel alone")


class Sum(_Operation):
    """The sum of two numbers, for ``Reduce``.

    Examples
    --------
    >>> from tenorite import jit
    >>> @jit.rawkernel()
    ... def reduce(x, out):
    ...     block = jit.cub.BlockReduce[tenorite.float64, 4]
    ...     memory = jit.shared_memory(block.TempStorage, 1)
    ...     result = block(memory[0]).Reduce(x[jit.threadIdx.x], jit.cub.Sum())
    ...     if jit.threadIdx.x == 0:
    ...         out[0] = result
    >>> out = tenorite.zeros(1)
    >>> reduce[1, 4](tenorite.arange(4.0), out)
    >>> float(out[0])
    6.0
    """

    text = "tni_sum()"


class Max(_Operation):
    """The largest of two numbers, for ``Reduce``.

    Examples
    --------
    >>> from tenorite import jit
    >>> @jit.rawkernel()
    ... def reduce(x, out):
    ...     block = jit.cub.BlockReduce[tenorite.float64, 4]
    ...     memory = jit.shared_memory(block.TempStorage, 1)
    ...     result = block(memory[0]).Reduce(x[jit.threadIdx.x], jit.cub.Max())
    ...     if jit.threadIdx.x == 0:
    ...         out[0] = result
    >>> out = tenorite.zeros(1)
    >>> reduce[1, 4](tenorite.arange(4.0), out)
    >>> float(out[0])
    3.0
    """

    text = "tni_max()"


class Min(_Operation):
    """The smallest of two numbers, for ``Reduce``.

    Examples
    --------
    >>> from tenorite import jit
    >>> @jit.rawkernel()
    ... def reduce(x, out):
    ...     block = jit.cub.BlockReduce[tenorite.float64, 4]
    ...     memory = jit.shared_memory(block.TempStorage, 1)
    ...     result = block(memory[0]).Reduce(x[jit.threadIdx.x], jit.cub.Min())
    ...     if jit.threadIdx.x == 0:
    ...         out[0] = result
    >>> out = tenorite.zeros(1)
    >>> reduce[1, 4](tenorite.arange(4.0), out)
    >>> float(out[0])
    0.0
    """

    text = "tni_min()"


class _Reducer(Object):
    """An object of a kernel that reduces a number of each thread."""

    def __init__(self, reduction):
        self.reduction = reduction
        super().__init__(reduction.TempStorage.text, {})

    def method(self, value, name):
        """Sum and Reduce, for the translator."""
        reduce, everything = self.reduction.reduce, Constant(1 << 30)
        if name == "Sum":
            return lambda env, input, valid_items=everything: reduce(env, value, input, Sum.text, valid_items)
        if name == "Reduce":
            return lambda env, input, reduction_op, valid_items=everything: reduce(
                env, value, input, _text_of(reduction_op), valid_items
            )
        return None


class _Reduction:
    """WarpReduce[T] or BlockReduce[T, n]."""

    def __init__(self, item, threads, is_warp):
        self._item, self._is_warp = item, is_warp
        # Sums of short floats round once.
        self._inner = Scalar("f4") if item.is_short_float else item
        self.TempStorage = CType(f"tni_storage<{self._inner}, {threads}>")

    def __call__(self, temp_storage):
        raise RuntimeError("a reduction of cub can be made in a kernel alone")

    def _emit_call(self, env, args, kwargs):
        if len(args) != 1 or kwargs:
            raise TypeError("a reduction of cub takes one argument, temp_storage")
        storage = args[0]
        if not isinstance(storage, Value) or storage.type != self.TempStorage:
            raise TypeError("temp_storage must be an element of jit.shared_memory(TempStorage, size)")
        env.add_preamble("#include <tenorite/cub.cuh>")
        return Value(storage.text, _Reducer(self))

    def reduce(self, env, storage, given, operation, valid):
        value = operations.cast(operations.cast(given, self._item), self._inner)
        count = operations.cast(valid, INT32, "unsafe")
        is_warp = "true" if self._is_warp else "false"
        result = Value(f"tni_reduce<{is_warp}>({storage}, {value}, {operation}, {count})", self._inner, False)
        return operations.cast(result, self._item, "unsafe")


def _text_of(given):
    operation = constant(given, "reduction_op", None)
    operation = operation() if isinstance(operation, type) and issubclass(operation, _Operation) else operation
    if not isinstance(operation, _Operation):
        raise TypeError(f"reduction_op must be cub.Sum(), cub.Max() or cub.Min(), not {operation!r}")
    return operation.text


class _WarpReduce:
    """``WarpReduce[dtype]``: reductions over the threads of a warp; its first thread gets the
    result."""

    def __getitem__(self, dtype):
        return _Reduction(Scalar(dtype), 32, True)


class _BlockReduce:
    """``BlockReduce[dtype, threads]``: reductions over the threads of a block; its first thread
    gets the result."""

    def __getitem__(self, dtype_and_threads):
        dtype, threads = dtype_and_threads
        if not isinstance(threads, (int, numpy.integer)) or threads < 1:
            raise TypeError(f"BlockReduce[dtype, threads]: threads must be a positive integer, not {threads!r}")
        return _Reduction(Scalar(dtype), int(threads), False)


WarpReduce, BlockReduce = _WarpReduce(), _BlockReduce()
