"""Distributed arrays: their making, their modes, and what is done chunk by chunk."""

import importlib
import warnings

import numpy

import tenorite
from tenorite._lib.documents import documenter
from tenorite.cuda.device import Device
from tenorite.distributed.array import _index, _modes
from tenorite.distributed.array._modes import REPLICA
from tenorite.exceptions import PerformanceWarning

_documented = documenter(
    {
        "axis": ("int or tuple of int", "The axes; all without it."),
        "out": ("None", "Refused."),
        "keepdims": ("bool", "Whether they stay, of size 1."),
    },
    returns=("DistributedArray", "A new array."),
    raises={"axis": ("AxisError", "If there is no such axis.")},
)


class _Chunk:
    """An array of a device, and its place in the whole: a range for each axis."""

    __slots__ = ("array", "place")

    def __init__(self, array, place):
        self.array, self.place = array, place


def _to(device, array):
    return array if array.device.id == device else array.to_device(device)


class DistributedArray:
    """An array that is spread over devices; `distributed_array` makes it.

    Parameters
    ----------
    shape : tuple of int
        The shape of the whole.
    dtype : dtype
        The dtype.
    chunks : dict
        From a device to its chunks.
    mode : Mode, optional
        What elements that several chunks have mean.
    comms : dict, optional
        Communicators by device, which are kept; chunks travel from device to device without.

    Notes
    -----
    Element-wise functions take distributed arrays of one shape, and scalars; they make an array in
    the mode REPLICA. Where index maps differ, elements travel to the places of the first array,
    with a PerformanceWarning. ``sum``, ``prod``, ``max`` and ``min`` along an axis make an array
    whose mode is the operation. It is no `ndarray`: what is not named here, `get` and a function
    of arrays do.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.distributed.array import distributed_array
    >>> a = distributed_array(cp.arange(6.0), {0: [slice(0, 3), slice(3, 6)]})
    >>> (a * 2).sum(axis=0).get()
    array(30.)
    """

    __array_priority__ = 102

    def __init__(self, shape, dtype, chunks, mode=REPLICA, comms=None):
        self.shape, self.dtype = tuple(shape), numpy.dtype(dtype)
        self._chunks, self._mode, self._comms = chunks, mode, comms

    def __repr__(self):
        return f"<DistributedArray {self.shape} {self.dtype} {self._mode} on devices {sorted(self._chunks)}>"

    # --- What is known ---

    @property
    def ndim(self):
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self):
        """The number of elements of the whole."""
        return int(numpy.prod(self.shape, dtype=numpy.int64))

    @property
    def mode(self):
        """What elements that several chunks have mean."""
        return self._mode

    @property
    def devices(self):
        """The numbers of the devices."""
        return self._chunks.keys()

    @property
    def index_map(self):
        """From a device to the indices of its chunks: tuples of slices."""
        return {device: [_index.slices(chunk.place) for chunk in chunks] for device, chunks in self._chunks.items()}

    def all_chunks(self):
        """From a device to the arrays of its chunks.

        Returns
        -------
        dict
            Lists of arrays, which are the chunks themselves.

        Examples
        --------
        >>> import tenorite as cp
        >>> a = cp.distributed.array.distributed_array(cp.arange(4), {0: slice(0, 4)})
        >>> a.all_chunks()
        {0: [array([0, 1, 2, 3])]}
        """
        return {device: [chunk.array for chunk in chunks] for device, chunks in self._chunks.items()}

    def _all(self):
        return [(device, chunk) for device, chunks in self._chunks.items() for chunk in chunks]

    def _lies_as(self, other):
        """Whether both have chunks in the same places of the same devices."""
        return self._chunks.keys() == other._chunks.keys() and all(
            [chunk.place for chunk in chunks] == [chunk.place for chunk in other._chunks[device]]
            for device, chunks in self._chunks.items()
        )

    def _like(self, function, mode, shape=None):
        """A new array, each chunk of which is function(device, chunk), made on its device."""
        made = {}
        for device, chunks in self._chunks.items():
            with Device(device):
                made[device] = [function(device, chunk) for chunk in chunks]
        dtype = next((chunk.array.dtype for chunks in made.values() for chunk in chunks), self.dtype)
        return DistributedArray(self.shape if shape is None else shape, dtype, made, mode, self._comms)

    # --- Modes and places ---

    def change_mode(self, mode):
        """The same array in another mode.

        Parameters
        ----------
        mode : Mode
            The mode.

        Returns
        -------
        DistributedArray
            This one, if that is its mode; else a new one.

        Examples
        --------
        >>> import tenorite as cp
        >>> from tenorite.distributed.array import SUM, distributed_array
        >>> a = distributed_array(cp.ones(3), {0: [slice(0, 2), slice(1, 3)]}, mode=SUM)
        >>> a.change_mode(cp.distributed.array.REPLICA).all_chunks()
        {0: [array([1., 1.]), array([1., 1.])]}
        """
        if not isinstance(mode, _modes.Mode):
            raise TypeError(f"mode must be a Mode, not {type(mode).__name__}")
        if mode is self._mode:
            return self
        made = self if self._mode is REPLICA else self._replicas()
        return made if mode is REPLICA else made._once(mode)

    def _replicas(self):
        """Each chunk gets from all others what they have of its elements."""
        operation = getattr(tenorite, self._mode.ufunc)
        everything = self._all()

        def joined(device, chunk):
            array = chunk.array.copy()
            for _, other in everything:
                part = None if other is chunk else _index.intersection(chunk.place, other.place)
                if part is not None:
                    own = _index.inside(part, chunk.place)
                    array[own] = operation(array[own], _to(device, other.array[_index.inside(part, other.place)]))
            return _Chunk(array, chunk.place)

        return self._like(joined, REPLICA)

    def _once(self, mode):
        """Of replicas the first stays, and the others become the identity."""
        if mode.is_idempotent:
            return DistributedArray(self.shape, self.dtype, self._chunks, mode, self._comms)
        before = []

        def first(device, chunk):
            common = [_index.intersection(chunk.place, place) for place in before]
            parts = [part for part in common if part is not None]
            before.append(chunk.place)
            array = chunk.array.copy() if parts else chunk.array
            for part in parts:
                array[_index.inside(part, chunk.place)] = mode.identity(array.dtype)
            return _Chunk(array, chunk.place)

        return self._like(first, mode)

    def reshard(self, index_map):
        """The same array, otherwise spread.

        Parameters
        ----------
        index_map : dict
            As of `distributed_array`.

        Returns
        -------
        DistributedArray
            A new one, in the same mode.

        Raises
        ------
        ValueError
            If a chunk has elements that no chunk of this array has.

        Examples
        --------
        >>> import tenorite as cp
        >>> a = cp.distributed.array.distributed_array(cp.arange(4), {0: [slice(0, 3), slice(3, 4)]})
        >>> a.reshard({0: [slice(0, 1), slice(1, 4)]}).all_chunks()
        {0: [array([0]), array([1, 2, 3])]}
        """
        source = self.change_mode(REPLICA)
        chunks = {device: [] for device in index_map}
        for device, place in _places(index_map, self.shape):
            with Device(device):
                chunks[device].append(_Chunk(_assembled(source, device, place), place))
        made = DistributedArray(self.shape, self.dtype, chunks, REPLICA, self._comms)
        return made.change_mode(self._mode)

    def get(self, stream=None, order="C", out=None, blocking=True):
        """The whole as a NumPy array.

        Parameters
        ----------
        stream : Stream, optional
            Where the chunks are copied; the current one without it.
        order : {'C', 'F'}, optional
            How the result lies in memory.
        out : numpy.ndarray, optional
            What receives.
        blocking : bool, optional
            Of no meaning: the result is there.

        Returns
        -------
        numpy.ndarray
            The elements.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.distributed.array.distributed_array(cp.arange(3), {0: slice(0, 3)}).get()
        array([0, 1, 2])
        """
        made = numpy.empty(self.shape, self.dtype, order) if out is None else out
        if made.shape != self.shape or made.dtype != self.dtype:
            raise ValueError(f"out is {made.dtype} {made.shape}; the array is {self.dtype} {self.shape}")
        is_there = numpy.zeros(self.shape, bool)
        for device, chunk in self.change_mode(REPLICA)._all():
            with Device(device):
                made[_index.slices(chunk.place)] = chunk.array.get(stream=stream)
            is_there[_index.slices(chunk.place)] = True
        if not is_there.all():
            raise ValueError(f"no chunk has element {tuple(map(int, numpy.argwhere(~is_there)[0]))}")
        return made

    def _copy_to_host(self, stream, order):
        return self.get(stream, order)

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion to a host NumPy array via __array__ is not allowed; use get()")

    # --- Element by element ---

    def _check_alike(self, other):
        if other.shape != self.shape:
            raise RuntimeError(f"distributed arrays of shapes {self.shape} and {other.shape}; they are not broadcast")

    def _like_me(self, other):
        """An operand of the same operation, in the places of this array's chunks."""
        if not isinstance(other, DistributedArray) or other is self:
            return other
        self._check_alike(other)
        if other._lies_as(self):
            return other
        warnings.warn(
            "Peer access: an operand has another index_map, so its elements travel from device to device; "
            "reshard() once avoids it",
            PerformanceWarning,
            stacklevel=4,
        )
        return other.reshard(self.index_map)

    def _elementwise(self, function, arguments):
        arguments = [
            one.change_mode(REPLICA) if isinstance(one, DistributedArray) else _scalar(one) for one in arguments
        ]
        leader = next(one for one in arguments if isinstance(one, DistributedArray))
        arguments = [leader._like_me(one) for one in arguments]
        count = dict.fromkeys(leader._chunks, -1)

        def apply(device, chunk):
            count[device] += 1
            at = count[device]
            given = [one._chunks[device][at].array if isinstance(one, DistributedArray) else one for one in arguments]
            return _Chunk(function(*given), chunk.place)

        return leader._like(apply, REPLICA)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if method == "reduce":
            kinds = {"add": self.sum, "multiply": self.prod, "maximum": self.max, "minimum": self.min}
            if ufunc.__name__ in kinds and len(inputs) == 1 and set(kwargs) <= {"axis", "dtype"}:
                return kinds[ufunc.__name__](**kwargs)
        if method != "__call__" or kwargs.pop("out", None) or ufunc.nout != 1:
            raise NotImplementedError(f"{ufunc.__name__}.{method} of distributed arrays, or with out=")
        own = getattr(tenorite, ufunc.__name__)
        return self._elementwise(lambda *given: own(*given, **kwargs), inputs)

    def __tenorite_function__(self, name, args, kwargs):
        if name in ("sum", "prod", "max", "min"):
            return getattr(self, name)(*args[1:], **kwargs)
        raise RuntimeError(f"{name} does not support distributed arrays; get() makes an array of the host")

    def __cupy_override_elementwise_kernel__(self, kernel, *args, **kwargs):
        if kwargs.pop("size", None) is not None or kwargs.pop("out", None) is not None:
            raise NotImplementedError("a kernel of distributed arrays with size= or an output that is given")
        return self._elementwise(lambda *given: kernel(*given, **kwargs), args)

    def __cupy_override_reduction_kernel__(self, kernel, axis, dtype, out, keepdims):
        raise NotImplementedError("a program's reduction of distributed arrays; sum, prod, max and min are there")

    # --- Reductions ---

    def _reduced(self, mode, name, axis, dtype, keepdims):
        axes = range(self.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
        axes = {each + self.ndim if each < 0 else each for each in axes}
        if not axes <= set(range(self.ndim)):
            raise numpy.exceptions.AxisError(f"axis {axis} is out of bounds for array of dimension {self.ndim}")
        source = self.change_mode(REPLICA) if self._mode is not mode else self
        options = {} if dtype is None else {"dtype": dtype}

        def reduce(device, chunk):
            array = getattr(chunk.array, name)(axis=tuple(sorted(axes)), keepdims=keepdims, **options)
            place = [range(1) if k in axes else each for k, each in enumerate(chunk.place) if keepdims or k not in axes]
            return _Chunk(tenorite.asarray(array), tuple(place))

        shape = [1 if k in axes else size for k, size in enumerate(self.shape) if keepdims or k not in axes]
        return source.change_mode(mode)._like(reduce, mode, tuple(shape))

    @_documented
    def sum(self, axis=None, dtype=None, out=None, keepdims=False):
        """The sum along axes, in the mode SUM. `out` is not there.

        Examples
        --------
        >>> import tenorite as cp
        >>> a = cp.distributed.array.distributed_array(cp.arange(1, 5), {0: [slice(0, 2), slice(2, 4)]})
        >>> a.sum().get()
        array(10)
        """
        _refuse_out(out)
        return self._reduced(_modes.SUM, "sum", axis, dtype, keepdims)

    @_documented
    def prod(self, axis=None, dtype=None, out=None, keepdims=False):
        """The product along axes, in the mode PROD. `out` is not there.

        Examples
        --------
        >>> import tenorite as cp
        >>> a = cp.distributed.array.distributed_array(cp.arange(1, 5), {0: [slice(0, 2), slice(2, 4)]})
        >>> a.prod().get()
        array(24)
        """
        _refuse_out(out)
        return self._reduced(_modes.PROD, "prod", axis, dtype, keepdims)

    @_documented
    def max(self, axis=None, out=None, keepdims=False):
        """The greatest element along axes, in the mode MAX. `out` is not there.

        Examples
        --------
        >>> import tenorite as cp
        >>> a = cp.distributed.array.distributed_array(cp.arange(1, 5), {0: [slice(0, 2), slice(2, 4)]})
        >>> a.max().get()
        array(4)
        """
        _refuse_out(out)
        return self._reduced(_modes.MAX, "max", axis, None, keepdims)

    @_documented
    def min(self, axis=None, out=None, keepdims=False):
        """The least element along axes, in the mode MIN. `out` is not there.

        Examples
        --------
        >>> import tenorite as cp
        >>> a = cp.distributed.array.distributed_array(cp.arange(1, 5), {0: [slice(0, 2), slice(2, 4)]})
        >>> a.min().get()
        array(1)
        """
        _refuse_out(out)
        return self._reduced(_modes.MIN, "min", axis, None, keepdims)

    def astype(self, dtype):
        """The same array in another dtype.

        Parameters
        ----------
        dtype : dtype
            The dtype.

        Returns
        -------
        DistributedArray
            A new array.

        Examples
        --------
        >>> import tenorite as cp
        >>> a = cp.distributed.array.distributed_array(cp.arange(1, 5), {0: [slice(0, 2), slice(2, 4)]})
        >>> a.astype("float32").dtype
        dtype('float32')
        """
        return self._elementwise(lambda chunk: chunk.astype(dtype), [self])

    def __matmul__(self, other):
        return importlib.import_module("tenorite.distributed.array._product").matmul(self, other)


def _refuse_out(out):
    if out is not None:
        raise NotImplementedError("reductions of distributed arrays with out=")


def _scalar(value):
    if isinstance(value, tenorite.ndarray) or getattr(value, "ndim", 0):
        raise RuntimeError(
            "Mixing a distributed array with a non-distributed one in an operation: "
            f"{type(value).__name__} {getattr(value, 'shape', '')}; distributed_array() spreads it"
        )
    return value


# Operators are the functions of their names.
_OPERATORS = dict(
    zip(
        "add sub mul truediv floordiv mod pow and or xor lshift rshift".split(),
        "add subtract multiply true_divide floor_divide remainder power bitwise_and bitwise_or bitwise_xor left_shift "
        "right_shift".split(),
    )
)
_COMPARISONS = dict(lt="less", le="less_equal", gt="greater", ge="greater_equal", eq="equal", ne="not_equal")
_SIGNS = {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}


def _operator(function, swaps=False):
    def operate(self, *other):
        given = (*other, self) if swaps else (self, *other)
        return self._elementwise(getattr(tenorite, function), given)

    return operate


for _name, _function in (_OPERATORS | _COMPARISONS | _SIGNS).items():
    setattr(DistributedArray, f"__{_name}__", _operator(_function))
for _name, _function in _OPERATORS.items():
    setattr(DistributedArray, f"__r{_name}__", _operator(_function, swaps=True))
DistributedArray.__hash__ = None


# --- Making ---


def _places(index_map, shape):
    """(device, place) of each chunk."""
    for device, indices in index_map.items():
        for index in indices if isinstance(indices, list) else [indices]:
            yield device, _index.normalized(index, shape)


def _assembled(source, device, place):
    """The elements of a place on a device, from the chunks that have them."""
    array = tenorite.empty(_index.sizes(place), source.dtype)
    left = array.size
    if left == 0:
        return array
    is_there = numpy.zeros(array.shape, bool)
    for _, chunk in sorted(source._all(), key=lambda one: one[0] != device):
        part = _index.intersection(place, chunk.place)
        if part is None:
            continue
        own = _index.inside(part, place)
        if not is_there[own].all():
            array[own] = _to(device, chunk.array[_index.inside(part, chunk.place)])
            is_there[own] = True
    if not is_there.all():
        raise ValueError(f"no chunk has all elements of {_index.slices(place)}, which device {device} is to have")
    return array


def distributed_array(array, index_map, mode=REPLICA, comms=None):
    """Spreads an array over devices.

    Parameters
    ----------
    array : ndarray, numpy.ndarray, DistributedArray or array_like
        The whole.
    index_map : dict
        From a device's number to an index, or a list of indices: of slices, integers and tuples of
        these. Chunks are copies.
    mode : Mode, optional
        What elements that several chunks have mean.
    comms : dict, optional
        Communicators by device, which are kept.

    Returns
    -------
    DistributedArray
        The array.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.distributed.array import distributed_array
    >>> distributed_array(cp.arange(4), {0: [slice(0, 2), slice(2, 4)]})
    <DistributedArray (4,) int64 REPLICA on devices [0]>
    """
    if isinstance(array, DistributedArray):
        made = array if array.index_map == index_map else array.reshard(index_map)
        return made.change_mode(mode)
    if not isinstance(array, tenorite.ndarray):
        array = numpy.asarray(array)
    chunks = {device: [] for device in index_map}
    for device, place in _places(index_map, array.shape):
        part = array[_index.slices(place)]
        with Device(device):
            own = tenorite.array(part) if isinstance(part, numpy.ndarray) else _to(device, part)
            chunks[device].append(_Chunk(own.copy() if own is part or own.base is not None else own, place))
    made = DistributedArray(array.shape, array.dtype, chunks, REPLICA, comms)
    return made.change_mode(mode)
