"""rawkernel: Python functions that are kernels, and functions of the device."""

import functools
import warnings

import numpy

from tenorite._core import ndarray
from tenorite._kernels.raw import RawKernel
from tenorite.jit._translator import LOCATED, Program, identifier
from tenorite.jit._types import Array, type_of

__all__ = ["rawkernel"]

_MODES = ("numpy", "cuda")


def translate(function, types, mode):
    """(text, name, whether blocks may wait for each other) of a kernel."""
    program = Program(mode)
    name = identifier(function.__name__)
    try:
        text = program.text(program.kernel(function, types, name))
    except LOCATED as error:
        raise error.with_traceback(None) from error.__cause__  # the message has the place
    return text, name, program.is_cooperative


_NUMBERS = frozenset((bool, int, float, complex))
_CONTIGUOUS, _STRIDED = True, False  # an array with its shape, and with its strides, too


def _way(one, type_):
    """How an argument is given: as an array, as it is (None), or as what a function makes of it."""
    if isinstance(type_, Array):
        return _CONTIGUOUS if type_.is_contiguous else _STRIDED
    given = numpy.float32 if type_.is_short_float else type_.dtype.type
    return None if type(one) is given else given


def _key(args):
    """What the types of arguments depend on, for a dict; None: what is not seen so shortly."""
    found = []
    for one in args:
        kind = type(one)
        if kind is ndarray:
            found += (one.dtype, one.ndim, one.flags.c_contiguous)
        elif kind is int and not -(1 << 31) <= one < 1 << 31:
            return None
        elif kind in _NUMBERS or isinstance(one, (numpy.number, numpy.bool)):
            found.append(kind)
        else:
            return None
    return tuple(found)


class _JitRawKernel:
    """A Python function that is a kernel, or a function of kernels (``device=True``)."""

    def __init__(self, function, mode, device):
        if not hasattr(function, "__code__"):
            raise TypeError(f"rawkernel makes kernels of Python functions, not of {type(function).__name__}")
        functools.update_wrapper(self, function)
        self._func, self._mode, self._device = function, mode, device
        self._kernels = {}  # of the types of the arguments
        self._codes = {}
        self._launches = {}  # by _key(): the kernel, and how each argument is given

    def _emit_call(self, env, args, kwargs):
        if not self._device:
            raise TypeError(f"{self.__name__} is a kernel; a kernel calls functions of rawkernel(device=True) alone")
        return env.program.call(env, self._func, args, kwargs, self._mode)

    def _kernel_for(self, types):
        kernel = self._kernels.get(types)
        if kernel is None:
            text, name, is_cooperative = translate(self._func, types, self._mode)
            kernel = RawKernel(text, name, enable_cooperative_groups=is_cooperative)
            self._kernels[types] = kernel
            self._codes[types] = text
        return kernel

    def _prepare(self, key, args):
        """(kernel, how each argument is given) for arguments of these types, for which `key`
        stands; None stands for none."""
        if self._device:
            raise RuntimeError(f"{self.__name__} is a function of the device; kernels call it")
        types = tuple(type_of(one, self._mode) for one in args)
        found = self._kernel_for(types), [_way(one, type_) for one, type_ in zip(args, types)]
        if key is not None:
            self._launches[key] = found
        return found

    def __call__(self, grid, block, args, shared_mem=0, stream=None):
        """Launches the kernel.

        Parameters
        ----------
        grid, block : tuple of int
            How many blocks, and how many threads a block has, in one to three dimensions.
        args : tuple
            Arrays and numbers.
        shared_mem : int, optional
            Bytes of ``shared_memory(dtype, None)`` of a block.
        stream : Stream, optional
            The stream to launch on; the current one if left out.
        """
        key = _key(args)
        kernel, ways = self._launches.get(key) or self._prepare(key, args)
        given = []
        for one, way in zip(args, ways):
            if way is None:
                given.append(one)
            elif way is _CONTIGUOUS:
                given.append(one)
                given += one.shape
            elif way is _STRIDED:
                given.append(one)
                given += one.shape
                given += one.strides
            else:
                given.append(way(one))
        kernel(
            grid if isinstance(grid, tuple) else (grid,),
            block if isinstance(block, tuple) else (block,),
            tuple(given),
            shared_mem=shared_mem,
            stream=stream,
        )

    def __getitem__(self, grid_and_block):
        if not isinstance(grid_and_block, tuple) or len(grid_and_block) != 2:
            raise TypeError("a kernel is launched by kernel[grid, block](*args)")
        return functools.partial(self._launch, *grid_and_block)

    def _launch(self, grid, block, *args, **options):
        self(grid, block, args, **options)

    @property
    def cached_codes(self):
        """Texts of C++ that were made so far: a dict by the types of the arguments."""
        return dict(self._codes)

    @property
    def cached_code(self):
        """The text of C++, if calls so far had arguments of one set of types."""
        if len(self._codes) > 1:
            warnings.warn(
                "The input types of the kernel could not be inferred. Please use `.cached_codes` instead.", stacklevel=2
            )
        if not self._codes:
            raise ValueError(f"{self.__name__} was not called so far")
        return next(iter(self._codes.values()))

    def __repr__(self):
        return f"<{'device function' if self._device else 'kernel'} {self.__name__!r}>"


def rawkernel(*, mode="cuda", device=False):
    """Makes a decorator that makes a kernel of a Python function.

    The function is translated to CUDA C++ for the types of a call's arguments when they are first
    seen, and compiled as a `RawKernel` is: for GPUs, and for the host.

    Parameters
    ----------
    mode : {'cuda', 'numpy'}, optional
        The rules of dtypes: those of CUDA C++, where a literal is an ``int`` or a ``float``, or
        NumPy's.
    device : bool, optional
        Whether kernels call the function, instead of a program.

    Returns
    -------
    callable
        The decorator. A kernel is launched by ``kernel[grid, block](*args)`` or
        ``kernel(grid, block, args, shared_mem=0, stream=None)``.

    See Also
    --------
    tenorite.vectorize : A function of one element.
    tenorite.RawKernel : A kernel of CUDA C++ text.

    Notes
    -----
    A function may have assignments, ``if``, ``while``, ``for`` over ``range``, ``assert``,
    ``return``, numbers and their operations, elements of arrays, operations of tenorite on numbers
    (``tenorite.sqrt(x)``), what :mod:`tenorite.jit` has, and calls of functions of the device. A
    variable has the type of its first value. What else Python has is refused, with the place in the
    file.

    Examples
    --------
    >>> from tenorite import jit
    >>> @jit.rawkernel()
    ... def add(x, y, out):
    ...     i = jit.grid(1)
    ...     if i < out.size:
    ...         out[i] = x[i] + y[i]
    >>> x = tenorite.arange(5.0)
    >>> out = tenorite.empty_like(x)
    >>> add[2, 4](x, x, out)
    >>> out
    array([0., 2., 4., 6., 8.])
    """
    if mode not in _MODES:
        raise ValueError(f"mode must be one of {_MODES}, not {mode!r}")
    return lambda function: _JitRawKernel(function, mode, device)
