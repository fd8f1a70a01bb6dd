"""GeneralizedUFunc: a function of arrays with a signature, over stacks of them."""

import numpy

from tenorite import _core
from tenorite._kernels.signatures import read_signature
from tenorite._numpy.rearranging import moveaxis
from tenorite._numpy.shapes import broadcast_to, expand_dims
from tenorite.exceptions import AxisError

__all__ = ["GeneralizedUFunc"]


class _Loop:
    """A function for dtypes: their letters, as in "dd->d"."""

    def __init__(self, text, function, nin, nout):
        sides = text.replace(" ", "").split("->")
        if len(sides) != 2:
            raise ValueError(f"signature {text} for dtypes is invalid")
        for letters, count, what in zip(sides, (nin, nout), ("inputs", "outputs")):
            if len(letters) != count:
                raise ValueError(
                    f"signature {text} for dtypes is invalid: number of {what} is not consistent with the "
                    "general signature"
                )
        self.inputs, self.outputs = (tuple(map(numpy.dtype, letters)) for letters in sides)
        self.text, self.function = "->".join(sides), function


def _move(array, axes, destination):
    return moveaxis(array, axes, destination) if axes else array


class GeneralizedUFunc:
    """A function of arrays, over stacks of them.

    The signature names the axes that the function needs, its core; axes before them broadcast
    together, and the function is called for each of their places.

    Parameters
    ----------
    func : callable
        The function. It gets an array for each input.
    signature : str
        The core axes of inputs and outputs, as ``"(m,n),(n)->(m)"``. Axes of equal names have equal
        lengths; a number is a length; a name with a question mark may be absent.
    supports_batched : bool, optional
        Whether the function takes whole stacks.
    supports_out : bool, optional
        Whether the function takes ``out=``.
    signatures : sequence, optional
        The dtypes that there are, as ``"dd->d"``, or tuples of such and the function of them.
    name : str, optional
        The name; the function's if left out.
    doc : str, optional
        The documentation.

    See Also
    --------
    tenorite.vectorize : A function of numbers as one kernel.

    Examples
    --------
    >>> spread = tenorite.x.GeneralizedUFunc(lambda x: x.max() - x.min(), "(n)->()")
    >>> a = tenorite.arange(6.0).reshape(2, 3)
    >>> spread(a)
    array([2., 2.])
    >>> spread(a, axis=0)
    array([3., 3., 3.])
    """

    def __init__(
        self, func, signature, *, supports_batched=False, supports_out=False, signatures=None, name=None, doc=None
    ):
        if not callable(func):
            raise TypeError(f"func must be callable, not {type(func).__name__}")
        self._func, self._signature = func, signature
        self._inputs, self._outputs = read_signature(signature)
        self.nin, self.nout = len(self._inputs), len(self._outputs)
        self.nargs = self.nin + self.nout
        self._supports_batched, self._supports_out = bool(supports_batched), bool(supports_out)
        self.__name__ = getattr(func, "__name__", "gufunc") if name is None else name
        self.__doc__ = doc
        loops = [(one, func) if isinstance(one, str) else tuple(one) for one in signatures or ()]
        self._loops = [_Loop(text, one, self.nin, self.nout) for text, one in loops]

    signature = property(lambda self: self._signature, doc="The signature.")
    types = property(lambda self: [one.text for one in self._loops], doc="The dtypes that there are.")

    def __repr__(self):
        return f"<GeneralizedUFunc {self.__name__!r} {self._signature}>"

    # --- Axes ---

    def _read_axes(self, axes, axis, keepdims):
        """[axes of each argument that are its core], where they are given."""
        cores = [*self._inputs, *self._outputs]
        if axes is not None and axis is not None:
            raise TypeError("cannot specify both 'axis' and 'axes'")
        if keepdims and (any(self._outputs) or len({len(one) for one in self._inputs}) > 1):
            raise TypeError(f"{self.__name__} does not support keepdims: its signature is {self._signature}")
        if axis is not None:
            names = {name for core in cores for name in core}
            if len(names) != 1 or any(len(core) > 1 for core in cores):
                raise ValueError(
                    f"{self.__name__}: axis can only be used with a single shared core dimension, not with "
                    f"the {len(names)} ones of the signature {self._signature}"
                )
            axes = [(axis,) if core or (keepdims and k >= self.nin) else () for k, core in enumerate(cores)]
        if axes is None:
            return None
        if not isinstance(axes, list):
            raise TypeError("axes should be a list.")
        if len(axes) == self.nin and not any(self._outputs):
            axes = [*axes, *([axes[0] if keepdims else ()] * self.nout)]
        if len(axes) != self.nargs:
            raise ValueError(
                f"axes should be a list with an entry for all {self.nargs} inputs and outputs; entries for "
                "outputs can only be omitted if none of them has core axes."
            )
        return [one if isinstance(one, tuple) else (int(one),) for one in axes]

    def _core_of(self, k, array, given, lengths):
        """An input with its core after, absent axes left out; `lengths` gets theirs."""
        core = self._inputs[k]
        absent = [name for name in core if name.endswith("?")][: max(len(core) - array.ndim, 0)]
        core = [name for name in core if name not in absent]
        if array.ndim < len(core):
            raise ValueError(
                f"{self.__name__}: Input operand {k} does not have enough dimensions (has {array.ndim}, gufunc "
                f"core with signature {self._signature} requires {len(core)})"
            )
        if given is not None:
            if len(given) != len(core):
                raise AxisError(
                    f"{self.__name__}: operand {k} has {len(core)} core dimensions, but {len(given)} "
                    "dimensions are specified by axes tuple."
                )
            array = _move(array, given, tuple(range(-len(core), 0)))
        for name in absent:
            self._check_length(k, name, None, lengths)
        for name, length in zip(core, array.shape[array.ndim - len(core) :]):
            if name.endswith("|") and length == 1:
                lengths.setdefault(f"1 of {name[:-1]}", 1)
            else:
                self._check_length(k, name.rstrip("|"), length, lengths)
        return array, len(core)

    def _check_length(self, k, name, length, lengths):
        """Notes a length of an input's core (None: it is absent), which all of its name have."""
        known = lengths.setdefault(name, int(name) if name.isdigit() else length)
        if known != length:
            has, is_known = ("absent" if one is None else one for one in (length, known))
            raise ValueError(
                f"{self.__name__}: Input operand {k} has a mismatch in its core dimension {name!r}, with "
                f"gufunc signature {self._signature} (size {has} is different from {is_known})"
            )

    # --- Dtypes ---

    def _find_loop(self, arrays, dtype, signature, casting):
        """(function, dtypes of the inputs or None, dtypes of the outputs or None)."""
        if signature is not None and not isinstance(signature, str):
            sides = [
                "".join(numpy.dtype(one).char for one in part)
                for part in (signature[: self.nin], signature[self.nin :])
            ]
            signature = "->".join(sides)
        if not self._loops:
            outputs = None if dtype is None else (numpy.dtype(dtype),) * self.nout
            if signature is not None:
                loop = _Loop(signature, self._func, self.nin, self.nout)
                return self._func, loop.inputs, loop.outputs
            return self._func, None, outputs
        for loop in self._loops:
            if signature is not None and loop.text != signature.replace(" ", ""):
                continue
            if dtype is not None and any(one != numpy.dtype(dtype) for one in loop.outputs):
                continue
            rule = casting if signature is not None or dtype is not None or casting in ("no", "equiv") else "safe"
            if all(numpy.can_cast(one.dtype, want, rule) for one, want in zip(arrays, loop.inputs)):
                return loop.function, loop.inputs, loop.outputs
        if signature is None and dtype is None:
            return self._func, None, None
        given = ", ".join(one.dtype.name for one in arrays)
        raise TypeError(
            f"No loop matching the specified signature and casting was found for gufunc {self.__name__} "
            f"({given}); it has {', '.join(self.types)}"
        )

    # --- Calls ---

    def __call__(
        self,
        *args,
        axes=None,
        axis=None,
        keepdims=False,
        out=None,
        casting="same_kind",
        dtype=None,
        order="K",
        subok=True,
        signature=None,
    ):
        """Calls the function over stacks.

        Parameters
        ----------
        *args : array or number
            The inputs, and the outputs if they are given.
        axes : list of tuple of int, optional
            The core axes of each input and output; the last ones if left out.
        axis : int, optional
            The core axis of all, where there is one.
        keepdims : bool, optional
            Whether axes of the core that outputs lack stay, with the length 1.
        out : array or tuple of array, optional
            Where the results go.
        casting : str, optional
            Which conversions are allowed.
        dtype : dtype, optional
            The dtype of the results.
        order : {'K', 'A', 'C', 'F'}, optional
            The layout of new results.
        subok : bool, optional
            Has no effect.
        signature : str or tuple of dtype, optional
            Which dtypes are computed with, as ``"dd->d"``.

        Returns
        -------
        ndarray or tuple of ndarray
            The results.
        """
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(
                f"{self.__name__} takes {self.nin} inputs, and {self.nout} outputs if they are given, not "
                f"{len(args)} arguments"
            )
        if len(args) == self.nargs and self.nout:
            if out is not None:
                raise TypeError("cannot specify 'out' as both a positional and keyword argument")
            args, out = args[: self.nin], args[self.nin :]
        outs = self._read_out(out)
        if order not in ("C", "F", "A", "K"):
            raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
        arrays = [_core.asarray(one) for one in args]
        where = self._read_axes(axes, axis, keepdims)
        lengths, cores = {}, []
        for k, array in enumerate(arrays):
            arrays[k], core = self._core_of(k, array, None if where is None else where[k], lengths)
            cores.append(core)
        if isinstance(signature, str) and "->" not in signature:
            dtype, signature = signature, None
        if order == "A":
            order = "F" if all(one.flags.fnc for one in arrays) else "C"
        function, inputs, outputs = self._find_loop(arrays, dtype, signature, casting)
        if inputs is not None:
            arrays = [one.astype(want, copy=False) for one, want in zip(arrays, inputs)]
        outer = numpy.broadcast_shapes(*[one.shape[: one.ndim - core] for one, core in zip(arrays, cores)])
        arrays = [broadcast_to(one, outer + one.shape[one.ndim - core :]) for one, core in zip(arrays, cores)]
        targets = self._targets(outs, where, keepdims, outer, lengths, len(self._inputs[0]) if self._inputs else 0)
        absent = {name for name, length in lengths.items() if length is None}
        for name in [one for one in lengths if one.startswith("1 of ")]:
            lengths.setdefault(name[5:], lengths.pop(name))
        results = self._apply(function, arrays, outer, targets, absent)
        rule = "unsafe" if dtype is not None else casting
        results = [
            self._finish(k, one, target, outputs, rule if target is None else casting, order)
            for k, (one, target) in enumerate(zip(results, targets))
        ]
        results = [self._placed(k, one, outs, where, keepdims, outer, lengths) for k, one in enumerate(results)]
        return results[0] if self.nout == 1 else tuple(results)

    def _read_out(self, out):
        outs = (None,) * self.nout if out is None else out if isinstance(out, tuple) else (out,)
        if len(outs) != self.nout:
            raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
        for one in outs:
            if one is not None and not isinstance(one, _core.ndarray):
                raise TypeError(f"out must be arrays of tenorite, not {type(one).__name__}")
        return outs

    def _core_axes(self, k, where, keepdims, lengths):
        """(names of the output's core, where it goes)."""
        core = [name for name in self._outputs[k] if lengths.get(name, 0) is not None]
        if keepdims:
            core = [1] * len(self._inputs[0])
        axes = None if where is None else where[self.nin + k]
        if axes is not None and len(axes) != len(core):
            raise AxisError(
                f"{self.__name__}: operand {self.nin + k} has {len(core)} core dimensions, but {len(axes)} "
                "dimensions are specified by axes tuple."
            )
        return core, axes

    def _targets(self, outs, where, keepdims, outer, lengths, kept):
        """Views of the given outputs with their cores after; None: to be made."""
        targets = []
        for k, out in enumerate(outs):
            core, axes = self._core_axes(k, where, keepdims, lengths)
            if out is not None:
                out = _move(out, axes, tuple(range(-len(core), 0)))
                if keepdims:
                    out = out.reshape(out.shape[: out.ndim - kept])
                if out.shape[: len(outer)] != outer:
                    raise ValueError(
                        f"{self.__name__}: output operand {k} has the shape {out.shape}, whose first axes "
                        f"must be {outer}"
                    )
            targets.append(out)
        return targets

    def _expanded(self, function, arrays, absent, targets=None):
        """The results of one call, where axes that are absent have the length 1 meanwhile."""
        if targets:
            function(*arrays, out=targets[0] if self.nout == 1 else tuple(targets))
            return targets
        if not absent:
            return self._parts(function(*arrays))
        arrays = list(arrays)
        for k, core in enumerate(self._inputs):
            places = tuple(place - len(core) for place, name in enumerate(core) if name in absent)
            arrays[k] = expand_dims(arrays[k], places)
        results = self._parts(function(*arrays))
        for k, core in enumerate(self._outputs):
            places = tuple(place - len(core) for place, name in enumerate(core) if name in absent)
            results[k] = results[k].squeeze(places)
        return results

    def _apply(self, function, arrays, outer, targets, absent):
        """The results of all places, one array for each output."""
        given = self._supports_out and not absent and all(one is not None for one in targets)
        if self._supports_batched or not outer:
            return self._expanded(function, arrays, absent, targets if given else None)
        if 0 in outer:
            raise ValueError(
                f"{self.__name__} has no stack of {outer} to call its function for; give "
                "supports_batched=True if the function takes stacks"
            )
        made = targets if given else None
        for place in numpy.ndindex(outer):
            into = [one[place] for one in targets] if given else None
            parts = self._expanded(function, [one[place] for one in arrays], absent, into)
            if made is None:
                made = [_core.empty(outer + one.shape, one.dtype) for one in parts]
            for whole, part in zip(made, parts if not given else ()):
                whole[place] = part
        return made

    def _parts(self, found):
        parts = found if isinstance(found, (tuple, list)) else (found,)
        if len(parts) != self.nout:
            raise ValueError(
                f"{self.__name__}: the function returned {len(parts)} results, the signature "
                f"{self._signature} has {self.nout}"
            )
        return [_core.asarray(one) for one in parts]

    def _finish(self, k, result, target, outputs, casting, order):
        """The result in its dtype, or in the array that was given."""
        if target is not None:
            if result is not target:
                if not numpy.can_cast(result.dtype, target.dtype, casting):
                    raise TypeError(
                        f"Cannot cast {self.__name__} output {k} from {result.dtype} to {target.dtype} with "
                        f"casting rule {casting!r}"
                    )
                target[...] = result
            return target
        if outputs is not None and result.dtype != outputs[k]:
            if not numpy.can_cast(result.dtype, outputs[k], casting):
                raise TypeError(
                    f"Cannot cast {self.__name__} output {k} from {result.dtype} to {outputs[k]} with "
                    f"casting rule {casting!r}"
                )
            result = result.astype(outputs[k])
        return result.copy(order) if order in "CF" else result

    def _placed(self, k, result, outs, where, keepdims, outer, lengths):
        """A result with its core where it belongs; a given output as it was given."""
        if outs[k] is not None:
            return outs[k]
        core, axes = self._core_axes(k, where, keepdims, lengths)
        if keepdims:
            result = result.reshape(result.shape + (1,) * len(core))
        if result.ndim != len(outer) + len(core):
            raise ValueError(
                f"{self.__name__}: output {k} has {result.ndim - len(outer)} core dimensions, the signature "
                f"{self._signature} has {len(core)}"
            )
        for name, length in zip(core, result.shape[len(outer) :]):
            known = lengths.get(name, length) if not keepdims else 1
            if known != length:
                raise ValueError(
                    f"{self.__name__}: output {k} has the length {length} in the core dimension {name!r}, "
                    f"inputs have {known}"
                )
        return _move(result, tuple(range(-len(core), 0)), axes) if axes else result
