"""vectorize: a Python function of one element, as a kernel over all of them."""

import inspect

import numpy

from tenorite import _core
from tenorite._kernels.elementwise import ElementwiseKernel
from tenorite._kernels.raw import RawKernel
from tenorite._kernels.signatures import read_signature
from tenorite._numpy.shapes import broadcast_to
from tenorite.jit import _translator as translator
from tenorite.jit._types import Array, Constant, Scalar, Tuple, Value, is_number, number_type

__all__ = ["vectorize"]


def _read_otypes(otypes):
    """The dtypes of the outputs, or None: those that the function returns."""
    if otypes is None or (isinstance(otypes, str) and not otypes):
        return None
    if isinstance(otypes, str):
        for char in otypes:
            if char not in numpy.typecodes["All"]:
                raise ValueError(f"Invalid otype specified: {char}")
    elif not numpy.iterable(otypes):
        raise ValueError("Invalid otype specification")
    return tuple(numpy.dtype(one) for one in otypes)


class vectorize:
    """A function of numbers as a function of arrays, which runs as one kernel.

    The function is translated to C++ for the dtypes of a call when they are first seen, and
    compiled as an `ElementwiseKernel` is, for GPUs and for the host.

    Parameters
    ----------
    pyfunc : callable, optional
        A function of numbers. Without it, what is made is a decorator.
    otypes : str or sequence of dtype, optional
        The dtypes of the outputs; those that the function returns if left out.
    doc : str, optional
        The documentation; the function's if left out.
    excluded : set of int or str, optional
        Arguments that the function gets whole: arrays, which it indexes itself.
    cache : bool, optional
        Has no effect: kernels are kept.
    signature : str, optional
        The axes that the function gets whole, as ``"(n),(n)->()"``. Outputs are numbers.

    See Also
    --------
    tenorite.jit.rawkernel : What a function may have, and kernels with threads of their own.
    tenorite.x.GeneralizedUFunc : Functions of arrays with a signature.
    ElementwiseKernel : The operation in C++.

    Notes
    -----
    Differs from NumPy: the function is compiled for the elements' dtypes, so its statements are
    those of `tenorite.jit`; with a signature it is called for each row. What it finds outside of
    its arguments (the object of a method, globals) is what was there when it was translated.

    Examples
    --------
    >>> @tenorite.vectorize
    ... def clipped_difference(a, b):
    ...     if a > b:
    ...         return a - b
    ...     return 0
    >>> clipped_difference(tenorite.arange(5), 2)
    array([0, 0, 0, 1, 2])
    """

    def __init__(self, pyfunc=None, otypes=None, doc=None, excluded=None, cache=False, signature=None):
        self.otypes, self.cache = _read_otypes(otypes), bool(cache)
        self.excluded = set() if excluded is None else set(excluded)
        if not all(isinstance(one, (int, str)) for one in self.excluded):
            raise TypeError("excluded must hold numbers and names of arguments")
        self.signature = signature
        self._core_axes = None if signature is None else _read_signature(signature)
        self._doc, self._kernels = doc, {}
        self.pyfunc = None
        if pyfunc is not None:
            self._begin(pyfunc)

    def _begin(self, pyfunc):
        pyfunc = getattr(pyfunc, "_func", pyfunc)  # a function of jit.rawkernel(device=True)
        if not hasattr(pyfunc, "__code__") and hasattr(type(pyfunc).__call__, "__code__"):
            pyfunc = pyfunc.__call__
        if not hasattr(pyfunc, "__code__"):
            raise TypeError(f"vectorize translates Python functions, no {type(pyfunc).__name__}; write one with def")
        self.pyfunc, self.__name__ = pyfunc, pyfunc.__name__
        self.__doc__ = pyfunc.__doc__ if self._doc is None else self._doc
        self._parameters = inspect.signature(pyfunc)
        if any(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in self._parameters.parameters.values()):
            raise NotImplementedError(f"{pyfunc.__name__} has * or ** parameters; name them one by one")

    def __call__(self, *args, **kwargs):
        """Calls the function for every element of the arguments, which broadcast together.

        Parameters
        ----------
        *args, **kwargs : array or number
            The arguments of the function.

        Returns
        -------
        ndarray or tuple of ndarray
            What it returns.
        """
        if self.pyfunc is None:
            (pyfunc,) = args
            self._begin(pyfunc)
            return self
        bound = self._parameters.bind(*args, **kwargs)
        names = list(self._parameters.parameters)
        given = list(bound.arguments)
        is_whole = [name in self.excluded or names.index(name) in self.excluded for name in given]
        values = [_argument(one, whole) for one, whole in zip(bound.arguments.values(), is_whole)]
        if self.signature is not None:
            return self._call_over_axes(given, values, is_whole)
        return self._call_elements(given, values, is_whole)

    # --- Elements ---

    def _call_elements(self, names, values, is_whole):
        types = tuple(_type_of(value, whole) for value, whole in zip(values, is_whole))
        key = tuple(names), types
        if key not in self._kernels:
            self._kernels[key] = self._make_kernel(names, types)
        kernel, types = self._kernels[key]
        arrays = [value for value, type_ in zip(values, types) if not isinstance(type_, Constant)]
        if any(isinstance(value, _core.ndarray) and not whole for value, whole in zip(values, is_whole)):
            return kernel(*arrays)
        results = kernel(*arrays, size=1)
        return tuple(one.reshape(()) for one in results) if isinstance(results, tuple) else results.reshape(())

    def _function(self, program, names, values):
        """(text of a call, its value's type) of the function."""
        one = translator.Function(program, self.pyfunc, "numpy")
        values = one.bind([], dict(zip(names, values)))
        try:
            name, type_ = program.device_function(self.pyfunc, values, "numpy")
        except translator.LOCATED as error:
            raise error.with_traceback(None) from error.__cause__
        text = f"{name}({', '.join(value.text for value in values if isinstance(value, Value))})"
        outputs = type_.types if isinstance(type_, Tuple) else (type_,)
        if type_ == translator.VOID or not all(isinstance(one, Scalar) for one in outputs):
            raise TypeError(f"{self.__name__} must return numbers, not {type_}")
        if self.otypes is not None and len(self.otypes) != len(outputs):
            raise ValueError(f"otypes has {len(self.otypes)} dtypes, but {self.__name__} returns {len(outputs)} values")
        wanted = outputs if self.otypes is None else tuple(map(Scalar, self.otypes))
        if not isinstance(type_, Tuple):
            return [(f"{translator.operations.convert(text, type_, wanted[0])}", wanted[0])], ""
        parts = [
            (translator.operations.convert(f"tni_item<{k}>::of(result)", old, new), new)
            for k, (old, new) in enumerate(zip(outputs, wanted))
        ]
        return parts, f"auto result = {text};"

    def _make_kernel(self, names, types):
        program = translator.Program("numpy")
        values = [type_ if isinstance(type_, Constant) else Value(f"in{k}", type_) for k, type_ in enumerate(types)]
        parts, before = self._function(program, names, values)
        given = [
            f"{'raw ' if isinstance(one.type, Array) else ''}{_text(one.type)} {one.text}"
            for one in values
            if isinstance(one, Value)
        ]
        outputs = [f"{type_} out{k}" for k, (_, type_) in enumerate(parts)]
        operation = before + "; ".join(f"out{k} = {text}" for k, (text, _) in enumerate(parts))
        kernel = ElementwiseKernel(
            ", ".join(given),
            ", ".join(outputs),
            operation,
            "vectorized_" + _plain(self.__name__),
            preamble=program.text(""),
        )
        return kernel, types

    # --- Axes ---

    def _call_over_axes(self, names, values, is_whole):
        if any(is_whole):
            raise NotImplementedError("excluded= and signature= at a time; give the array axes in the signature")
        if len(values) != len(self._core_axes):
            raise TypeError(f"wrong number of positional arguments: expected {len(self._core_axes)}, got {len(values)}")
        arrays = [_core.asarray(value) for value in values]
        lengths = {}
        for name, array, axes in zip(names, arrays, self._core_axes):
            if array.ndim < len(axes):
                raise ValueError(
                    f"{array.ndim}-dimensional argument {name} does not have enough dimensions for all "
                    f"core dimensions {axes!r}"
                )
            for axis, length in zip(axes, array.shape[array.ndim - len(axes) :]):
                if lengths.setdefault(axis, length) != length:
                    raise ValueError(f"inconsistent size for core dimension {axis!r}: {length} vs {lengths[axis]}")
        outer = numpy.broadcast_shapes(
            *[one.shape[: one.ndim - len(axes)] for one, axes in zip(arrays, self._core_axes)]
        )
        arrays = [
            broadcast_to(one, outer + one.shape[one.ndim - len(axes) :]) for one, axes in zip(arrays, self._core_axes)
        ]
        key = len(outer), tuple(one.dtype for one in arrays)
        if key not in self._kernels:
            self._kernels[key] = self._make_axes_kernel(names, arrays, len(outer))
        kernel, types = self._kernels[key]
        results = [_core.empty(outer, type_.dtype) for type_ in types]
        size = int(numpy.prod(outer))
        if size:
            given = [size, *outer]
            for array in arrays:
                given += [array, *array.strides, *array.shape[len(outer) :]]
            kernel(((size + 127) // 128,), (128,), tuple(given + results))
        return results[0] if len(results) == 1 else tuple(results)

    def _make_axes_kernel(self, names, arrays, ndim):
        """A thread for each call of the function, which sees the axes of the signature alone."""
        program = translator.Program("numpy")
        values, declared, lines = [], ["long long size", *(f"long long n{k}" for k in range(ndim))], []
        for axis in reversed(range(ndim)):
            lines.append(f"long long i{axis} = rest % n{axis}; rest /= n{axis};")
        for k, (array, axes) in enumerate(zip(arrays, self._core_axes)):
            type_ = Array(array.dtype, len(axes), False)
            declared += [
                f"{type_.item} *d{k}",
                *(f"long long s{k}_{axis}" for axis in range(ndim + len(axes))),
                *(f"long long m{k}_{axis}" for axis in range(len(axes))),
            ]
            place = " + ".join(["(char *)d" + str(k), *(f"i{axis} * s{k}_{axis}" for axis in range(ndim))])
            place = f"({type_.item} *)({place})"
            if axes:
                shape = ", ".join(f"m{k}_{axis}" for axis in range(len(axes)))
                strides = ", ".join(f"s{k}_{ndim + axis}" for axis in range(len(axes)))
                lines += [
                    f"const ptrdiff_t shape{k}[] = {{{shape}}}, strides{k}[] = {{{strides}}};",
                    f"{type_} in{k}({place}, shape{k}, strides{k});",
                ]
            else:
                lines.append(f"{type_.item} in{k} = *{place};")
            values.append(Value(f"in{k}", type_ if axes else type_.item))
        parts, before = self._function(program, names, values)
        lines += [before, *(f"out{k}[i] = {text};" for k, (text, _) in enumerate(parts))]
        declared += [f"{type_} *out{k}" for k, (_, type_) in enumerate(parts)]
        name = "vectorized_" + _plain(self.__name__)
        body = "\n    ".join(
            [
                "long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x, rest = i;",
                "if (i >= size) return;",
                *lines,
            ]
        )
        text = f'extern "C" __global__ void {name}({", ".join(declared)}) {{\n    {body}\n}}\n'
        return RawKernel(program.text(text), name), [type_ for _, type_ in parts]

    def __repr__(self):
        return f"<tenorite.vectorize of {getattr(self, '__name__', None)}>"


def _text(type_):
    return str(type_.item) if isinstance(type_, Array) else str(type_)


def _plain(name):
    return "".join(one if one.isascii() and (one.isalnum() or one == "_") else "_" for one in name)


def _argument(value, is_whole):
    """What the kernel gets of an argument."""
    if isinstance(value, _core.ndarray) or is_number(value):
        return value
    if is_whole and not (isinstance(value, (list, tuple)) or hasattr(value, "__array__")):
        return Constant(value)
    return _core.asarray(value)


def _type_of(value, is_whole):
    if isinstance(value, Constant):
        return value
    if isinstance(value, _core.ndarray):
        return Array(value.dtype, value.ndim, value.flags.c_contiguous) if is_whole else Scalar(value.dtype)
    return number_type(value, "numpy")


def _read_signature(signature):
    """The axes of each input."""
    inputs, outputs = read_signature(signature)
    if any(outputs):
        raise NotImplementedError(
            f"the signature {signature!r} has outputs with axes, but a function of vectorize returns "
            "numbers; write tenorite.x.GeneralizedUFunc, or a kernel of jit.rawkernel"
        )
    return inputs
