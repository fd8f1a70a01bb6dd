"""create_reduction_func: reductions of a program's own, with a routine in C++ for each dtype."""

import numpy

import tenorite
from tenorite import _core
from tenorite._cupy._core._kernel import Op, dtype_of, find
from tenorite._kernels.parameters import type_name
from tenorite._kernels.reduction import ReductionKernel

__all__ = ["ReductionKernel", "create_reduction_func"]


class SimpleReductionKernel:
    """A reduction of one array; what create_reduction_func gives."""

    def __init__(self, name, ops, routine, identity, preamble):
        self.name = self.__name__ = name
        self._ops = tuple(Op(one, routine) for one in ops)
        self._preamble = preamble
        self.identity = "" if identity is None else str(identity)
        self._kernels = {}

    @property
    def cached_codes(self):
        """Programs that were made so far: a dict of texts by the dtypes of all parameters."""
        return {dtypes: code for kernel in self._kernels.values() for dtypes, code in kernel.cached_codes.items()}

    _cached_codes = cached_codes

    def __repr__(self):
        return f"<reduction {self.name!r}>"

    def _kernel(self, op):
        if op.text not in self._kernels:
            before, between, after, kind = op.routine
            given, made = type_name(op.inputs[0]), type_name(op.outputs[0])
            types = f"typedef {given} in0_type;\ntypedef {made} out0_type;\ntypedef {given} type_in0_raw;\n"
            self._kernels[op.text] = ReductionKernel(
                f"{given} in0",
                f"{made} out0",
                before,
                between,
                after,
                self.identity,
                self.name,
                reduce_type=kind,
                preamble=types + f"typedef {made} type_out0_raw;\n" + self._preamble,
            )
        return self._kernels[op.text]

    def __call__(self, a, axis=None, dtype=None, out=None, keepdims=False):
        """Reduces an array along axes; arguments are those of NumPy's reductions."""
        if hasattr(a, "__cupy_override_reduction_kernel__"):
            return a.__cupy_override_reduction_kernel__(self, axis, dtype, out, keepdims)
        if not isinstance(a, _core.ndarray):
            if not any(hasattr(a, name) for name in ("__cupy_get_ndarray__", "__cuda_array_interface__")):
                raise TypeError(f"Argument 'a' has incorrect type (expected tenorite.ndarray, got {type(a).__name__})")
            a = tenorite.asarray(a)
        op = find(self.name, self._ops, (dtype_of(a),), dtype)
        if self.identity == "" and a.size == 0:
            raise ValueError(f"zero-size array to reduction operation {self.name} which has no identity")
        result = self._kernel(op)(a.astype(op.inputs[0], copy=False), axis=axis, keepdims=keepdims)
        if out is None:
            return result
        if not numpy.can_cast(result.dtype, out.dtype, "same_kind"):
            raise TypeError(f"{self.name} gives {result.dtype}, which out of {out.dtype} can't hold")
        if out.shape != result.shape:
            raise ValueError(f"out has the shape {out.shape}, the result {result.shape}")
        out[...] = result
        return out


def create_reduction_func(name, ops, routine=None, identity=None, preamble="", sort_reduce_axis=True):
    """Makes a reduction with a routine in C++.

    Parameters
    ----------
    name : str
        Its name.
    ops : tuple
        The dtypes, as ``"f->f"``, or tuples of such and the routine of them.
    routine : tuple of str, optional
        What is reduced (of ``in0``), how two values ``a`` and ``b`` are combined, what gives
        ``out0`` of ``a``, and the type in between or None.
    identity : scalar, optional
        The value of no elements; None: there is none.
    preamble : str, optional
        Lines before the kernel.
    sort_reduce_axis : bool, optional
        Has no effect.

    Returns
    -------
    SimpleReductionKernel
        The reduction.

    Examples
    --------
    >>> from tenorite._cupy._core import create_reduction_func
    >>> squares = create_reduction_func(
    ...     "squares", ("l->l", "d->d"), ("in0 * in0", "a + b", "out0 = a", None), 0)
    >>> squares(tenorite.arange(4))
    array(14)
    """
    return SimpleReductionKernel(name, ops, routine, identity, preamble)
