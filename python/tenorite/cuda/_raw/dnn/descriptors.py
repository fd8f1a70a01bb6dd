"""Descriptors of cuDNN: plain objects, which programs know by numbers.

Where cuDNN is there, a tensor's or filter's number is that of cuDNN's descriptor, and the object
here says the same: what cuDNN lacks is computed from it. All other descriptors are either cuDNN's
or objects of this process.
"""

import ctypes
import itertools
import math

import tenorite

# Statuses after cudnn_graph.h of version 9, and what version 8 has for the same.
_STATUS_9 = (
    "SUCCESS 0 NOT_INITIALIZED 1001 SUBLIBRARY_VERSION_MISMATCH 1002 SERIALIZATION_VERSION_MISMATCH 1003 "
    "DEPRECATED 1004 LICENSE_ERROR 1005 RUNTIME_IN_PROGRESS 1006 RUNTIME_FP_OVERFLOW 1007 "
    "SUBLIBRARY_LOADING_FAILED 1008 BAD_PARAM 2000 INVALID_VALUE 2001 BAD_PARAM_NULL_POINTER 2002 "
    "BAD_PARAM_MISALIGNED_POINTER 2003 BAD_PARAM_NOT_FINALIZED 2004 BAD_PARAM_OUT_OF_BOUND 2005 "
    "BAD_PARAM_SIZE_INSUFFICIENT 2006 BAD_PARAM_STREAM_MISMATCH 2007 BAD_PARAM_SHAPE_MISMATCH 2008 "
    "BAD_PARAM_DUPLICATED_ENTRIES 2009 BAD_PARAM_ATTRIBUTE_TYPE 2010 BAD_PARAM_CUDA_GRAPH_MISMATCH 2011 "
    "BAD_PARAM_DESCRIPTOR_TYPE 2012 NOT_SUPPORTED 3000 NOT_SUPPORTED_GRAPH_PATTERN 3001 NOT_SUPPORTED_SHAPE "
    "3002 NOT_SUPPORTED_DATA_TYPE 3003 NOT_SUPPORTED_LAYOUT 3004 NOT_SUPPORTED_INCOMPATIBLE_CUDA_DRIVER 3005 "
    "NOT_SUPPORTED_INCOMPATIBLE_CUDART 3006 NOT_SUPPORTED_ARCH_MISMATCH 3007 "
    "NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING 3008 NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE 3009 "
    "NOT_SUPPORTED_SHARED_MEMORY_INSUFFICIENT 3010 NOT_SUPPORTED_PADDING 3011 NOT_SUPPORTED_BAD_LAUNCH_PARAM "
    "3012 NOT_SUPPORTED_CUDA_GRAPH_NATIVE_API 3013 NOT_SUPPORTED_INVALID_DYNAMIC_SHAPE 3014 INTERNAL_ERROR "
    "4000 INTERNAL_ERROR_COMPILATION_FAILED 4001 INTERNAL_ERROR_UNEXPECTED_VALUE 4002 "
    "INTERNAL_ERROR_HOST_ALLOCATION_FAILED 4003 INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED 4004 "
    "INTERNAL_ERROR_BAD_LAUNCH_PARAM 4005 INTERNAL_ERROR_TEXTURE_CREATION_FAILED 4006 EXECUTION_FAILED 5000 "
    "EXECUTION_FAILED_CUDA_DRIVER 5001 EXECUTION_FAILED_CUBLAS 5002 EXECUTION_FAILED_CUDART 5003 "
    "EXECUTION_FAILED_CURAND 5004"
)
_STATUS_8 = (
    "NOT_INITIALIZED 1 ALLOC_FAILED 2 BAD_PARAM 3 INTERNAL_ERROR 4 INVALID_VALUE 5 ARCH_MISMATCH 6 "
    "MAPPING_ERROR 7 EXECUTION_FAILED 8 NOT_SUPPORTED 9 LICENSE_ERROR 10 RUNTIME_PREREQUISITE_MISSING 11 "
    "RUNTIME_IN_PROGRESS 12 RUNTIME_FP_OVERFLOW 13 VERSION_MISMATCH 14"
)


def _read(text):
    words = text.split()
    return {name: int(number) for name, number in zip(words[::2], words[1::2])}


STATUS = _read(_STATUS_9)
_NAMES = {number: name for table in (_read(_STATUS_8), STATUS) for name, number in table.items()}
# The dtypes of cudnnDataType_t's numbers that are computed with.
DTYPES = {0: "float32", 1: "float64", 2: "float16", 9: "bfloat16"}
NUMBERS = {name: number for number, name in DTYPES.items()}
NCHW, NHWC = 0, 1
MOST_AXES = 8  # CUDNN_DIM_MAX


class CuDNNError(RuntimeError):
    """cuDNN reported a failure; ``status`` is its number.

    Attributes
    ----------
    status : int
        The number, of cudnnStatus_t.
    """

    def __init__(self, status, *infos):
        self.status, self._infos = status, list(infos)
        super().__init__(f"cuDNN Error: CUDNN_STATUS_{status_name(status)}")

    def add_info(self, info):
        """Adds a line to the message."""
        self._infos.append(info)

    def add_infos(self, infos):
        """Adds lines to the message."""
        self._infos.extend(infos)

    def __str__(self):
        return "\n  ".join([super().__str__(), *self._infos])

    def __reduce__(self):
        return type(self), (self.status, *self._infos)


def status_name(status):
    """The name of a status without CUDNN_STATUS_, also of version 8."""
    return _NAMES.get(status, str(status))


def fail(status, *infos):
    """Raises the error of a status, named without CUDNN_STATUS_; `infos` say what is wrong."""
    raise CuDNNError(STATUS[status], *infos)


def check(condition, info, status="BAD_PARAM"):
    """fail() if the condition is not true."""
    if not condition:
        fail(status, info)


def dtype_of(number):
    """The dtype of a number of cudnnDataType_t; a failure for one that is not computed with."""
    if number not in DTYPES:
        fail("NOT_SUPPORTED_DATA_TYPE", f"data type {number} is none of {', '.join(DTYPES.values())}")
    return tenorite.dtype(getattr(tenorite, DTYPES[number]))  # bfloat16 comes with its package


class Tensor:
    """Fields: `number` of the dtype, `shape`, `strides` in elements."""

    number = None
    shape = strides = ()

    @property
    def dtype(self):
        check(self.number is not None, "the descriptor of a tensor was not set")
        return dtype_of(self.number)

    def over(self, address, name="a tensor"):
        """The array over memory at an address."""
        return over(self.dtype, self.shape, self.strides, address, name)


class Filter(Tensor):
    """Fields: `number` of the dtype, `format`, `shape` in the order outputs, inputs, axes of space,
    and the `strides` that follow."""

    format = NCHW


def over(dtype, shape, strides, address, name="a tensor"):
    """An array over memory that another owner keeps; strides in elements."""
    if not math.prod(shape):
        return tenorite.empty(shape, dtype)
    check(address, f"the address of {name} is 0", "BAD_PARAM_NULL_POINTER")
    steps = tuple(stride * dtype.itemsize for stride in strides)
    low = sum(min((size - 1) * step, 0) for size, step in zip(shape, steps))
    span = dtype.itemsize + sum(max((size - 1) * step, 0) for size, step in zip(shape, steps)) - low
    memory = tenorite.cuda.UnownedMemory(address + low, span, None, tenorite.cuda.Device().id)
    return tenorite.ndarray(shape, dtype, tenorite.cuda.MemoryPointer(memory, -low), strides=steps)


def flat(dtype, count, address, name="memory"):
    """The array of `count` elements, one after the other, at an address."""
    return over(tenorite.dtype(dtype), (count,), (1,), address, name)


def scalar(address, dtype):
    """A factor in the host's memory: a double for tensors of float64, else a float. As a float."""
    kind = ctypes.c_double if dtype == "float64" else ctypes.c_float
    check(address, "the address of a factor is 0", "BAD_PARAM_NULL_POINTER")
    return kind.from_address(address).value


def ints(address, count):
    """Numbers of C's type int in the host's memory, as a tuple; None without an address."""
    return tuple((ctypes.c_int * count).from_address(address)) if address and count else None


class Registry:
    """Living objects by their numbers. `tell` gets what `answer_filter` sets: where cuDNN is there,
    its own descriptor is set to the same."""

    tell = None

    def __init__(self):
        self._things, self._numbers = {}, itertools.count(1)

    def __contains__(self, number):
        return number in self._things

    def keep(self, thing, number=None):
        """The number of a new object; `number` is one that cuDNN gave."""
        number = next(self._numbers) << 4 if number is None else number
        self._things[number] = thing
        return number

    def find(self, number, kind):
        """The object of a number; a failure if it is of another class, or none."""
        thing = self._things.get(number)
        if not isinstance(thing, kind):
            fail("BAD_PARAM", f"{number:#x} is no {kind.__name__.lower()}")
        return thing

    def drop(self, number, kind=object):
        """Ends an object."""
        self.find(number, kind)
        del self._things[number]


REGISTRY = Registry()


def tensor(number):
    """The tensor of a descriptor that was set."""
    found = REGISTRY.find(number, Tensor)
    found.dtype
    return found


def filters(number):
    """The filter of a descriptor that was set."""
    found = REGISTRY.find(number, Filter)
    found.dtype
    return found


# --- Tensors ---


def packed(shape, format=NCHW):
    """Strides in elements of shape (n, c, spatial ...) without gaps."""
    order = list(range(len(shape)))
    if format == NHWC and len(shape) > 2:
        order = [0, *order[2:], 1]
    strides, step = [0] * len(shape), 1
    for axis in reversed(order):
        strides[axis] = step
        step *= shape[axis]
    return tuple(strides)


def _put(thing, number, shape, strides):
    thing.number, thing.shape, thing.strides = number, tuple(shape), tuple(strides)


def _check_sizes(shape, strides, least):
    check(len(shape) >= least, f"{len(shape)} axes are less than {least}")
    check(len(shape) <= MOST_AXES, f"{len(shape)} axes are more than {MOST_AXES}", "NOT_SUPPORTED")
    check(all(size > 0 for size in shape), f"sizes {tuple(shape)} are not positive")
    check(all(strides), f"strides {tuple(strides)} are 0")


def set_tensor(desc, number, shape, strides):
    found = REGISTRY.find(desc, Tensor)
    _check_sizes(shape, strides, 2)
    _put(found, number, shape, strides)


def set_tensor_4d(desc, format, number, n, c, h, w):
    check(format in (NCHW, NHWC), f"tensor format {format} is neither NCHW nor NHWC")
    set_tensor(desc, number, (n, c, h, w), packed((n, c, h, w), format))


def get_tensor_4d(desc):
    """(dtype's number, sizes, strides); zeros for a tensor that was not set."""
    found = REGISTRY.find(desc, Tensor)
    if found.number is None:
        return (0,) * 9
    check(len(found.shape) == 4, f"the tensor has {len(found.shape)} axes, not 4")
    return (found.number, *found.shape, *found.strides)


def set_filter(desc, number, format, shape):
    check(format in (NCHW, NHWC), f"filter format {format} is neither NCHW nor NHWC")
    found = REGISTRY.find(desc, Filter)
    strides = packed(shape, format)
    _check_sizes(shape, strides, 3)
    _put(found, number, shape, strides)
    found.format = format


def answer_filter(desc, number, shape):
    """Sets a program's filter, as the answer of a function that is never cuDNN's; sizes may be 0,
    which cuDNN's own descriptor cannot have."""
    found = REGISTRY.find(desc, Filter)
    _put(found, number, shape, packed(shape))
    found.format = NCHW
    if REGISTRY.tell and all(shape):
        REGISTRY.tell(desc, number, NCHW, shape)


def get_filter(desc, requested):
    """(dtype's number, format, how many axes, sizes); zeros for a filter that was not set."""
    found = REGISTRY.find(desc, Filter)
    sizes = (*found.shape, *[0] * requested)[:requested]
    return found.number or 0, found.format, len(found.shape), sizes


FUNCTIONS = {
    "createTensorDescriptor": lambda: REGISTRY.keep(Tensor()),
    "destroyTensorDescriptor": lambda desc: REGISTRY.drop(desc, Tensor),
    "setTensor4dDescriptor": set_tensor_4d,
    "setTensor4dDescriptorEx": lambda desc, number, n, c, h, w, *strides: set_tensor(
        desc, number, (n, c, h, w), strides
    ),
    "setTensorNdDescriptor": lambda desc, number, count, dims, strides: set_tensor(
        desc, number, ints(dims, count) or (), ints(strides, count) or ()
    ),
    "getTensor4dDescriptor": get_tensor_4d,
    "createFilterDescriptor": lambda: REGISTRY.keep(Filter()),
    "destroyFilterDescriptor": lambda desc: REGISTRY.drop(desc, Filter),
    "setFilter4dDescriptor_v4": lambda desc, number, format, *shape: set_filter(desc, number, format, shape),
    "setFilterNdDescriptor_v4": lambda desc, number, format, count, dims: set_filter(
        desc, number, format, ints(dims, count) or ()
    ),
    "getFilterNdDescriptor": get_filter,
}
