"""create_ufunc: element-wise functions of a program's own, with a routine in C++ for each set of
dtypes."""

import re

import numpy

import tenorite
from tenorite import _core
from tenorite._kernels.elementwise import ElementwiseKernel
from tenorite._kernels.parameters import ParameterInfo, type_name
from tenorite._kernels.reduction import ReductionKernel
from tenorite.jit._operations import cast
from tenorite.jit._types import Scalar, Value

__all__ = ["ElementwiseKernel", "ParameterInfo", "ReductionKernel", "create_ufunc", "ufunc"]

ufunc = _core.ufunc


class Op:
    """One of the dtypes' sets, and its routine; `error` is called instead, if it is given."""

    def __init__(self, given, routine):
        text, own = given if isinstance(given, tuple) else (given, routine)
        inputs, outputs = text.split("->")
        self.inputs = tuple(map(numpy.dtype, inputs))
        self.outputs = tuple(map(numpy.dtype, outputs))
        self.text = text
        self.error = None if own is None or isinstance(own, (str, tuple)) else own
        if isinstance(own, tuple):
            whole = routine if isinstance(routine, tuple) else (None,) * len(own)
            own = tuple(one if one is not None else other for one, other in zip(own, whole))
        self.routine = own

    def takes(self, dtypes):
        """Whether arguments may become the inputs; a type of Python is a number without a dtype."""
        for given, want in zip(dtypes, self.inputs):
            if isinstance(given, numpy.dtype):
                if not numpy.can_cast(given, want):
                    return False
            elif {bool: 0, int: 1, float: 2, complex: 3}[given] > {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}[want.kind]:
                return False
        return True


def dtype_of(argument):
    """The dtype of an argument, or Python's type of a number."""
    if isinstance(argument, (bool, numpy.generic)) or not isinstance(argument, (int, float, complex)):
        return argument.dtype if hasattr(argument, "dtype") else numpy.asarray(argument).dtype
    return type(argument)


def find(name, ops, dtypes, dtype=None):
    """The first operation that takes the arguments, or the one that gives `dtype`."""
    for op in ops:
        if op.outputs[0] == numpy.dtype(dtype) if dtype is not None else op.takes(dtypes):
            if op.error is not None:
                op.error()
            return op
    given = ", ".join(str(one) if isinstance(one, numpy.dtype) else one.__name__ for one in dtypes)
    raise TypeError(f"Wrong type ({given}) of arguments for {name}; it has {', '.join(op.text for op in ops)}")


class KernelUfunc:
    """An element-wise function whose routines are a program's own; what create_ufunc gives."""

    def __init__(self, name, ops, routine, preamble, doc, default_casting, loop_prep):
        self.name = self.__name__ = name
        self._ops = tuple(Op(one, routine) for one in ops)
        self._preamble, self._loop_prep, self.__doc__ = preamble, loop_prep, doc
        self._casting = default_casting or "same_kind"
        self.nin, self.nout = len(self._ops[0].inputs), len(self._ops[0].outputs)
        self.nargs = self.nin + self.nout
        self.types = [op.text for op in self._ops]
        self._kernels = {}

    ntypes = property(lambda self: len(self._ops), doc="How many sets of dtypes there are.")

    def __repr__(self):
        return f"<ufunc '{self.name}'>"

    def _body(self, op):
        """The routine as statements."""
        if isinstance(op.routine, tuple):
            return " ".join(f"out{k} = {one};" for k, one in enumerate(op.routine))
        return op.routine + ";"

    def _kernel(self, op, dtypes):
        key = op.text, dtypes
        if key not in self._kernels:
            given = ", ".join(f"{type_name(one)} x{k}" for k, one in enumerate(dtypes))
            made = ", ".join(f"{type_name(one)} y{k}" for k, one in enumerate(op.outputs))
            types = [f"typedef {type_name(one)} in{k}_type;" for k, one in enumerate(op.inputs)]
            types += [f"typedef {type_name(one)} out{k}_type;" for k, one in enumerate(op.outputs)]
            lines = [f"in{k}_type in{k} = in{k}_type(x{k});" for k in range(self.nin)]
            lines += [f"out{k}_type out{k};" for k in range(self.nout)]
            lines += [self._body(op), *(f"y{k} = out{k};" for k in range(self.nout))]
            self._kernels[key] = ElementwiseKernel(
                given,
                made,
                "\n".join(lines),
                re.sub(r"\W", "_", self.name),
                preamble="\n".join([*types, self._preamble]),
                loop_prep=self._loop_prep,
                return_tuple=True,
            )
        return self._kernels[key]

    def __call__(self, *args, out=None, where=True, dtype=None, casting=None, order="K", subok=True, **unknown):
        """Calls the routine for every element; arguments are those of NumPy's ufuncs."""
        if unknown:
            raise TypeError(f"Wrong arguments {', '.join(unknown)}")
        if not self.nin <= len(args) <= self.nargs:
            raise TypeError(
                f"Wrong number of arguments for {self.name}: it takes {self.nin} to {self.nargs}, not {len(args)}"
            )
        for one in args:
            if hasattr(one, "__cupy_override_elementwise_kernel__"):
                return one.__cupy_override_elementwise_kernel__(self, *args)
        outs = args[self.nin :] or (out if isinstance(out, tuple) else (out,))
        outs = (*outs, *[None] * (self.nout - len(outs)))
        dtypes = tuple(dtype_of(one) for one in args[: self.nin])
        op = find(self.name, self._ops, dtypes, dtype)
        given = [
            tenorite.asarray(one) if not hasattr(one, "dtype") and not isinstance(kind, type) else one
            for one, kind in zip(args, dtypes)
        ]
        kinds = tuple(one if isinstance(one, numpy.dtype) else want for one, want in zip(dtypes, op.inputs))
        if not any(isinstance(one, _core.ndarray) for one in given):
            given[0] = tenorite.asarray(given[0], kinds[0])
        results = self._kernel(op, kinds)(*given)
        results = tuple(self._store(*pair, where, casting or self._casting) for pair in zip(results, outs))
        return results[0] if self.nout == 1 else results

    def _store(self, result, out, where, casting):
        if out is None:
            return result
        if not numpy.can_cast(result.dtype, out.dtype, casting):
            raise TypeError(
                f"output (typecode '{result.dtype.char}') could not be coerced to provided output parameter "
                f"(typecode '{out.dtype.char}') according to the casting rule \"{casting}\""
            )
        tenorite.copyto(out, result, casting="unsafe", where=where)
        return out

    def _emit_ufunc(self, env, values):
        """A call in a translated function."""
        if self.nout != 1:
            raise NotImplementedError(f"{self.name} has {self.nout} results; a kernel takes operations of one")
        kinds = tuple(type(one.value) if not isinstance(one, Value) else one.type.dtype for one in values)
        kinds = tuple(
            one if isinstance(one, numpy.dtype) or one in (bool, int, float, complex) else numpy.dtype(one)
            for one in kinds
        )
        op = find(self.name, self._ops, kinds)
        name = f"tni_{re.sub(r'[^0-9A-Za-z]', '_', self.name)}_{op.text.replace('->', '_')}"
        given = ", ".join(f"{type_name(one)} in{k}" for k, one in enumerate(op.inputs))
        types = [f"typedef {type_name(one)} in{k}_type;" for k, one in enumerate(op.inputs)]
        out = type_name(op.outputs[0])
        env.add_preamble(self._preamble)
        env.add_preamble(
            f"__device__ inline {out} {name}({given}) {{\n    {' '.join(types)} typedef {out} out0_type;\n"
            f"    out0_type out0;\n    {self._body(op)}\n    return out0;\n}}\n"
        )
        texts = [cast(one, Scalar(want), "unsafe").text for one, want in zip(values, op.inputs)]
        return Value(f"{name}({', '.join(texts)})", Scalar(op.outputs[0]), False)


def create_ufunc(
    name,
    ops,
    routine=None,
    preamble="",
    doc="",
    default_casting=None,
    loop_prep="",
    out_ops=None,
    cutensor_op=None,
    scatter_op=None,
):
    """Makes an element-wise function with a routine in C++.

    Parameters
    ----------
    name : str
        Its name.
    ops : tuple
        The dtypes, as ``"ff->f"``, or tuples of such and the routine of them.
    routine : str or tuple of str, optional
        What computes ``out0`` of ``in0``, as ``"out0 = in0 + in1"``; a tuple has a value of each
        output.
    preamble : str, optional
        Lines before the kernel.
    doc : str, optional
        The documentation.
    default_casting : str, optional
        Which conversions to given outputs are allowed.
    loop_prep : str, optional
        Lines before the loop.
    out_ops, cutensor_op, scatter_op : optional
        Have no effect.

    Returns
    -------
    KernelUfunc
        The function.

    Examples
    --------
    >>> from tenorite._cupy._core import create_ufunc
    >>> twice = create_ufunc("twice", ("l->l", "d->d"), "out0 = in0 + in0")
    >>> twice(tenorite.arange(3))
    array([0, 2, 4])
    """
    return KernelUfunc(name, ops, routine, preamble, doc, default_casting, loop_prep)
