"""Tensors in blocks over several devices and the host's memory, their copies and contractions."""

import ctypes

import numpy

from tenorite import _core
from tenorite._arguments import ndarray
from tenorite.cuda import cutensor
from tenorite.cuda._raw.tensors import DTYPES
from tenorite.cuda.device import Device
from tenorite.cuda.stream import get_current_stream
from tenorite.cutensor._descriptors import _Owned, _Scalar, as_mode, compute_number, get_handle, type_number
from tenorite.cutensor._documents import spread


def _int64(values):
    return (ctypes.c_int64 * max(len(values), 1))(*values)


def _address(array):
    return 0 if array is None else ctypes.addressof(array)


class MgHandle(_Owned):
    """A handle of cuTENSORMg.

    Parameters
    ----------
    devices : sequence of int
        The devices that share the work.

    Attributes
    ----------
    ptr : int
        The handle.
    num_devices : int
        How many devices.
    devices : tuple of int
        Their numbers.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite import cutensor
    >>> cutensor.MgHandle([cp.cuda.Device().id]).ptr != 0
    True
    """

    _end = cutensor.destroyMg

    def __init__(self, devices):
        self.devices = tuple(devices)
        self.num_devices = len(self.devices)
        numbers = (ctypes.c_int32 * max(self.num_devices, 1))(*self.devices)
        super().__init__(cutensor.createMg(self.num_devices, ctypes.addressof(numbers)))


class MgTensorDescriptor(_Owned):
    """What cuTENSORMg knows of a tensor; addresses are those of int64 numbers, 0 for the default.

    Parameters
    ----------
    handle : int
        A handle.
    num_modes : int
        How many axes.
    extent, element_stride, block_size, block_stride, device_count : int
        Addresses of the sizes, of the strides of elements and of blocks in elements, of the blocks'
        sizes, and (int32) of the numbers of devices along each axis.
    num_device, devices : int
        How many devices, and the address of their numbers (int32).
    cutensor_dtype : int
        A number of cudaDataType_t.

    Attributes
    ----------
    ptr : int
        The descriptor.
    cutensor_dtype : int
        The number of its dtype.

    Examples
    --------
    >>> import numpy
    >>> from tenorite import cutensor
    >>> a, b = map(cutensor.to_mg_ndarray, (numpy.ones((2, 3)), numpy.zeros((3, 2))))
    >>> p, q = map(cutensor.create_mg_tensor_descriptor, (a, b))
    >>> i, j = cutensor.create_mode("i", "j"), cutensor.create_mode("j", "i")
    >>> p.ptr != 0
    True
    """

    _end = cutensor.destroyMgTensorDescriptor

    def __init__(
        self,
        handle,
        num_modes,
        extent,
        element_stride,
        block_size,
        block_stride,
        device_count,
        num_device,
        devices,
        cutensor_dtype,
    ):
        parts = extent, element_stride, block_size, block_stride, device_count, num_device, devices, cutensor_dtype
        super().__init__(cutensor.createMgTensorDescriptor(handle, num_modes, *parts))
        self.cutensor_dtype = cutensor_dtype


class MgCopyDescriptor(_Owned):
    """What cuTENSORMg knows of a copy: descriptors and the addresses of labels.

    Parameters
    ----------
    handle, descDst, modeDst, descSrc, modeSrc : int
        As of `tenorite.cuda.cutensor.createMgCopyDescriptor`.

    Attributes
    ----------
    ptr : int
        The descriptor.

    Examples
    --------
    >>> import numpy
    >>> from tenorite import cutensor
    >>> a, b = map(cutensor.to_mg_ndarray, (numpy.ones((2, 3)), numpy.zeros((3, 2))))
    >>> p, q = map(cutensor.create_mg_tensor_descriptor, (a, b))
    >>> i, j = cutensor.create_mode("i", "j"), cutensor.create_mode("j", "i")
    >>> cutensor.create_mg_copy_descriptor(q, j, p, i).ptr != 0
    True
    """

    _end = cutensor.destroyMgCopyDescriptor

    def __init__(self, handle, descDst, modeDst, descSrc, modeSrc):
        super().__init__(cutensor.createMgCopyDescriptor(handle, descDst, modeDst, descSrc, modeSrc))


class MgCopyPlan(_Owned):
    """A copy that is ready to run.

    Parameters
    ----------
    handle, desc, workspaceDeviceSize, workspaceHostSize : int
        As of `tenorite.cuda.cutensor.createMgCopyPlan`.

    Attributes
    ----------
    ptr : int
        The plan.

    Examples
    --------
    >>> import numpy
    >>> from tenorite import cutensor
    >>> a, b = map(cutensor.to_mg_ndarray, (numpy.ones((2, 3)), numpy.zeros((3, 2))))
    >>> p, q = map(cutensor.create_mg_tensor_descriptor, (a, b))
    >>> i, j = cutensor.create_mode("i", "j"), cutensor.create_mode("j", "i")
    >>> copy = cutensor.create_mg_copy_descriptor(q, j, p, i)
    >>> cutensor.create_mg_copy_plan(copy, numpy.zeros(1, "i8"), 0).ptr != 0
    True
    """

    _end = cutensor.destroyMgCopyPlan

    def __init__(self, handle, desc, workspaceDeviceSize, workspaceHostSize):
        super().__init__(cutensor.createMgCopyPlan(handle, desc, workspaceDeviceSize, workspaceHostSize))


class MgContractionDescriptor(_Owned):
    """What cuTENSORMg knows of a contraction: descriptors and the addresses of labels.

    Parameters
    ----------
    handle, descA, modeA, descB, modeB, descC, modeC, descD, modeD, compute : int
        As of `tenorite.cuda.cutensor.createMgContractionDescriptor`.

    Attributes
    ----------
    ptr : int
        The descriptor.

    Examples
    --------
    >>> import numpy
    >>> from tenorite import cutensor
    >>> a, b = map(cutensor.to_mg_ndarray, (numpy.ones((2, 3)), numpy.zeros((3, 2))))
    >>> p, q = map(cutensor.create_mg_tensor_descriptor, (a, b))
    >>> i, j = cutensor.create_mode("i", "j"), cutensor.create_mode("j", "i")
    >>> c = cutensor.create_mg_tensor_descriptor(cutensor.to_mg_ndarray(numpy.zeros((2, 2))))
    >>> k = cutensor.create_mode("i", "k")
    >>> product = cutensor.create_mg_contraction_descriptor(p, i, q, cutensor.create_mode("j", "k"), c, k, c, k)
    >>> product.ptr != 0
    True
    """

    _end = cutensor.destroyMgContractionDescriptor

    def __init__(self, handle, descA, modeA, descB, modeB, descC, modeC, descD, modeD, compute):
        tensors = descA, modeA, descB, modeB, descC, modeC, descD, modeD
        super().__init__(cutensor.createMgContractionDescriptor(handle, *tensors, compute))


class MgContractionFind(_Owned):
    """How cuTENSORMg looks for an algorithm.

    Parameters
    ----------
    handle, algo : int
        As of `tenorite.cuda.cutensor.createMgContractionFind`.

    Attributes
    ----------
    ptr : int
        The preference.

    Examples
    --------
    >>> from tenorite import cutensor
    >>> cutensor.create_mg_contraction_find().ptr != 0
    True
    """

    _end = cutensor.destroyMgContractionFind

    def __init__(self, handle, algo):
        super().__init__(cutensor.createMgContractionFind(handle, algo))


class MgContractionPlan(_Owned):
    """A contraction that is ready to run.

    Parameters
    ----------
    handle, desc, find, workspaceDeviceSize, workspaceHostSize : int
        As of `tenorite.cuda.cutensor.createMgContractionPlan`.

    Attributes
    ----------
    ptr : int
        The plan.

    Examples
    --------
    >>> import numpy
    >>> from tenorite import cutensor
    >>> a, b = map(cutensor.to_mg_ndarray, (numpy.ones((2, 3)), numpy.zeros((3, 2))))
    >>> p, q = map(cutensor.create_mg_tensor_descriptor, (a, b))
    >>> i, j = cutensor.create_mode("i", "j"), cutensor.create_mode("j", "i")
    >>> c = cutensor.create_mg_tensor_descriptor(cutensor.to_mg_ndarray(numpy.zeros((2, 2))))
    >>> k = cutensor.create_mode("i", "k")
    >>> product = cutensor.create_mg_contraction_descriptor(p, i, q, cutensor.create_mode("j", "k"), c, k, c, k)
    >>> find = cutensor.create_mg_contraction_find()
    >>> cutensor.create_mg_contraction_plan(product, find, numpy.zeros(1, "i8"), 0).ptr != 0
    True
    """

    _end = cutensor.destroyMgContractionPlan

    def __init__(self, handle, desc, find, workspaceDeviceSize, workspaceHostSize):
        super().__init__(cutensor.createMgContractionPlan(handle, desc, find, workspaceDeviceSize, workspaceHostSize))


class ndarray_mg:
    """A tensor in blocks, which axes hand to devices in turn.

    Parameters
    ----------
    x : numpy.ndarray, ndarray or list of ndarray
        The memory: the host's, a device's, or a piece for each device.
    extent : sequence of int, optional
        The sizes of the tensor; of one array its shape is the default.
    element_stride : sequence of int, optional
        Elements from one to the next along each axis; of one array its strides are the default.
    block_size : sequence of int, optional
        The sizes of a block; the default is one block.
    block_stride : sequence of int, optional
        Elements from one block to the next along each axis.
    device_count : sequence of int, optional
        How many devices each axis is distributed over.

    Examples
    --------
    >>> import numpy
    >>> from tenorite import cutensor
    >>> cutensor.ndarray_mg(numpy.zeros((4, 6)), block_size=[2, 3]).extent
    [4, 6]
    """

    def __init__(self, x, *, extent=None, element_stride=None, block_size=None, block_stride=None, device_count=None):
        self.parts = list(x) if isinstance(x, (list, tuple)) else [x]
        for one in self.parts:
            if not isinstance(one, (ndarray, numpy.ndarray)):
                raise TypeError(f"ndarray_mg: x must be arrays of NumPy or Tenorite, not {type(one)}")
        first = self.parts[0]
        is_one = len(self.parts) == 1
        if extent is None and not is_one:
            raise ValueError("ndarray_mg: extent must be given for a list of arrays")
        self.dtype = first.dtype
        self._extent = list(first.shape if extent is None else extent)
        if element_stride is None and is_one:
            element_stride = [step // first.itemsize for step in first.strides]
        self._element_stride = None if element_stride is None else list(element_stride)
        self._block_size = None if block_size is None else list(block_size)
        self._block_stride = None if block_stride is None else list(block_stride)
        self._device_count = [1] * self.ndim if device_count is None else list(device_count)
        for name in ("element_stride", "block_size", "block_stride", "device_count"):
            given = getattr(self, "_" + name)
            if given is not None and len(given) != self.ndim:
                raise ValueError(f"ndarray_mg: {name} {given} must have a number for each axis of {self._extent}")

    @property
    def extent(self):
        """The sizes, a list of int."""
        return self._extent

    @property
    def element_stride(self):
        """Elements from one to the next along each axis, or None."""
        return self._element_stride

    @property
    def block_size(self):
        """The sizes of a block, or None: one block."""
        return self._block_size

    @property
    def block_stride(self):
        """Elements from one block to the next along each axis, or None."""
        return self._block_stride

    @property
    def device_count(self):
        """How many devices each axis is distributed over."""
        return self._device_count

    @property
    def devices(self):
        """The number of each piece's device; the host's memory has CUTENSOR_MG_DEVICE_HOST."""
        host = cutensor.CUTENSOR_MG_DEVICE_HOST
        return [one.device.id if isinstance(one, ndarray) else host for one in self.parts]

    @property
    def ptr(self):
        """The address of each piece."""
        return [one.data.ptr if isinstance(one, ndarray) else one.ctypes.data for one in self.parts]

    @property
    def ndim(self):
        """How many axes."""
        return len(self._extent)


def to_mg_ndarray(x, **kwgs):
    """The tensor itself, or an `ndarray_mg` of arrays.

    Parameters
    ----------
    x : ndarray_mg, numpy.ndarray, ndarray or list of ndarray
        The tensor.
    **kwgs
        As of `ndarray_mg`.

    Returns
    -------
    ndarray_mg
        A view of the memory of x.

    Examples
    --------
    >>> import numpy
    >>> from tenorite import cutensor
    >>> cutensor.to_mg_ndarray(numpy.zeros(3)).devices
    [-1]
    """
    return x if isinstance(x, ndarray_mg) else ndarray_mg(x, **kwgs)


def _handle(devices):
    numbers = tuple(devices) if devices is not None else (Device().id,)
    return get_handle()._keep("mg", numbers, lambda: MgHandle(numbers))


@spread
def create_mg_tensor_descriptor(a, devices=None):
    """The descriptor of a tensor in blocks.

    Returns
    -------
    MgTensorDescriptor
        For the functions below.

    Examples
    --------
    >>> import numpy
    >>> from tenorite import cutensor
    >>> a, b = map(cutensor.to_mg_ndarray, (numpy.ones((2, 3)), numpy.zeros((3, 2))))
    >>> p, q = map(cutensor.create_mg_tensor_descriptor, (a, b))
    >>> i, j = cutensor.create_mode("i", "j"), cutensor.create_mode("j", "i")
    >>> p.cutensor_dtype
    1
    """
    handle = _handle(devices)
    lists = [a.extent, a.element_stride, a.block_size, a.block_stride]
    arrays = [None if one is None else _int64(one) for one in lists]
    counts = (ctypes.c_int32 * max(a.ndim, 1))(*a.device_count)
    numbers = (ctypes.c_int32 * len(a.parts))(*a.devices)
    return MgTensorDescriptor(
        handle.ptr,
        a.ndim,
        *map(_address, arrays),
        _address(counts),
        len(a.parts),
        _address(numbers),
        type_number(a.dtype),
    )


@spread
def create_mg_copy_descriptor(descDst, modeDst, descSrc, modeSrc, devices=None):
    """The descriptor of a copy.

    Returns
    -------
    MgCopyDescriptor
        For `create_mg_copy_plan`.

    Examples
    --------
    >>> import numpy
    >>> from tenorite import cutensor
    >>> a, b = map(cutensor.to_mg_ndarray, (numpy.ones((2, 3)), numpy.zeros((3, 2))))
    >>> p, q = map(cutensor.create_mg_tensor_descriptor, (a, b))
    >>> i, j = cutensor.create_mode("i", "j"), cutensor.create_mode("j", "i")
    >>> cutensor.create_mg_copy_descriptor(q, j, p, i).ptr != 0
    True
    """
    return MgCopyDescriptor(_handle(devices).ptr, descDst.ptr, modeDst.data, descSrc.ptr, modeSrc.data)


@spread
def create_mg_copy_plan(desc, workspaceDeviceSize, workspaceHostSize, devices=None):
    """A copy that is ready to run.

    Returns
    -------
    MgCopyPlan
        For `copyMg`.

    Examples
    --------
    >>> import numpy
    >>> from tenorite import cutensor
    >>> a, b = map(cutensor.to_mg_ndarray, (numpy.ones((2, 3)), numpy.zeros((3, 2))))
    >>> p, q = map(cutensor.create_mg_tensor_descriptor, (a, b))
    >>> i, j = cutensor.create_mode("i", "j"), cutensor.create_mode("j", "i")
    >>> copy = cutensor.create_mg_copy_descriptor(q, j, p, i)
    >>> cutensor.create_mg_copy_plan(copy, numpy.zeros(1, "i8"), 0).ptr != 0
    True
    """
    return MgCopyPlan(_handle(devices).ptr, desc.ptr, workspaceDeviceSize.ctypes.data, workspaceHostSize)


@spread
def create_mg_contraction_descriptor(
    descA, modeA, descB, modeB, descC, modeC, descD, modeD, compute_desc=0, devices=None
):
    """The descriptor of a contraction.

    Returns
    -------
    MgContractionDescriptor
        For `create_mg_contraction_plan`.

    Examples
    --------
    >>> import numpy
    >>> from tenorite import cutensor
    >>> a, b = map(cutensor.to_mg_ndarray, (numpy.ones((2, 3)), numpy.zeros((3, 2))))
    >>> p, q = map(cutensor.create_mg_tensor_descriptor, (a, b))
    >>> i, j = cutensor.create_mode("i", "j"), cutensor.create_mode("j", "i")
    >>> c = cutensor.create_mg_tensor_descriptor(cutensor.to_mg_ndarray(numpy.zeros((2, 2))))
    >>> k = cutensor.create_mode("i", "k")
    >>> product = cutensor.create_mg_contraction_descriptor(p, i, q, cutensor.create_mode("j", "k"), c, k, c, k)
    >>> product.ptr != 0
    True
    """
    compute = compute_desc or compute_number(_dtype_of(descD), 0)
    descriptors, modes = (descA, descB, descC, descD), (modeA, modeB, modeC, modeD)
    pairs = [word for desc, mode in zip(descriptors, modes) for word in (desc.ptr, mode.data)]
    return MgContractionDescriptor(_handle(devices).ptr, *pairs, compute)


def _dtype_of(desc):
    return numpy.dtype(DTYPES[desc.cutensor_dtype])


@spread
def create_mg_contraction_find(algo=cutensor.CUTENSORMG_ALGO_DEFAULT, devices=None):
    """How an algorithm is looked for.

    Returns
    -------
    MgContractionFind
        For `create_mg_contraction_plan`.

    Examples
    --------
    >>> from tenorite import cutensor
    >>> cutensor.create_mg_contraction_find().ptr != 0
    True
    """
    return MgContractionFind(_handle(devices).ptr, algo)


@spread
def create_mg_contraction_plan(desc, find, workspaceDeviceSize, workspaceHostSize, devices=None):
    """A contraction that is ready to run.

    Returns
    -------
    MgContractionPlan
        For `contractionMg`.

    Examples
    --------
    >>> import numpy
    >>> from tenorite import cutensor
    >>> a, b = map(cutensor.to_mg_ndarray, (numpy.ones((2, 3)), numpy.zeros((3, 2))))
    >>> p, q = map(cutensor.create_mg_tensor_descriptor, (a, b))
    >>> i, j = cutensor.create_mode("i", "j"), cutensor.create_mode("j", "i")
    >>> c = cutensor.create_mg_tensor_descriptor(cutensor.to_mg_ndarray(numpy.zeros((2, 2))))
    >>> k = cutensor.create_mode("i", "k")
    >>> product = cutensor.create_mg_contraction_descriptor(p, i, q, cutensor.create_mode("j", "k"), c, k, c, k)
    >>> find = cutensor.create_mg_contraction_find()
    >>> cutensor.create_mg_contraction_plan(product, find, numpy.zeros(1, "i8"), 0).ptr != 0
    True
    """
    sizes = workspaceDeviceSize.ctypes.data
    return MgContractionPlan(_handle(devices).ptr, desc.ptr, find.ptr, sizes, workspaceHostSize)


class _Space:
    """Memory beside the tensors: of each device, and of the host."""

    def __init__(self, handle, device_sizes, host_size, device_buffers, host_buffer):
        if device_buffers is None:
            device_buffers = []
            for number, size in zip(handle.devices, device_sizes):
                with Device(number):
                    device_buffers.append(_core.empty(max(int(size), 1), "u1"))
        self.kept = device_buffers, numpy.empty(max(host_size, 1), "u1") if host_buffer is None else host_buffer
        self.pointers = (ctypes.c_size_t * len(device_buffers))(*(one.data.ptr for one in device_buffers))
        self.device, self.host = ctypes.addressof(self.pointers), self.kept[1].ctypes.data


def _streams(handle, streams):
    if streams is None:
        streams = []
        for number in handle.devices:
            with Device(number):
                streams.append(get_current_stream())
    if len(streams) != handle.num_devices:
        raise ValueError(f"{len(streams)} streams were given for {handle.num_devices} devices")
    return (ctypes.c_size_t * len(streams))(*(one.ptr for one in streams))


def _pointers(tensor):
    return (ctypes.c_size_t * len(tensor.ptr))(*tensor.ptr)


def _copy_parts(dst, mode_Dst, src, mode_Src, devices):
    dst, src, handle = to_mg_ndarray(dst), to_mg_ndarray(src), _handle(devices)
    descriptors = create_mg_tensor_descriptor(dst, devices), create_mg_tensor_descriptor(src, devices)
    modes = as_mode(mode_Dst), as_mode(mode_Src)
    _check_modes("copyMg", (dst, src), modes)
    desc = create_mg_copy_descriptor(descriptors[0], modes[0], descriptors[1], modes[1], devices)
    sizes = numpy.zeros(handle.num_devices, numpy.int64)
    host = cutensor.getMgCopyWorkspace(handle.ptr, desc.ptr, sizes.ctypes.data)
    return handle, dst, src, (*descriptors, desc), sizes, host


def _check_modes(name, tensors, modes):
    for tensor, mode in zip(tensors, modes):
        if tensor.ndim != mode.ndim:
            raise ValueError(f"{name}: ndim mismatch: a tensor has sizes {tensor.extent}, its labels are {mode!r}")


@spread
def copyMgWorkspace(dst, mode_Dst, src, mode_Src, devices=None):
    """The memory that `copyMg` needs beside the tensors.

    Returns
    -------
    hostBufSize : int
        Bytes of the host's memory.
    deviceBufSize : numpy.ndarray
        Bytes for each device.

    Examples
    --------
    >>> import numpy
    >>> from tenorite import cutensor
    >>> a, b = map(cutensor.to_mg_ndarray, (numpy.ones((2, 3)), numpy.zeros((3, 2))))
    >>> host, devices = cutensor.copyMgWorkspace(b, "ji", a, "ij")
    >>> host >= 0, len(devices)
    (True, 1)
    """
    *_, sizes, host = _copy_parts(dst, mode_Dst, src, mode_Src, devices)
    return host, sizes


@spread
def copyMg(dst, mode_Dst, src, mode_Src, deviceBuf=None, hostBuf=None, streams=None, devices=None):
    """Copies a tensor to another, whose axes may lie in another order and on other devices.

    Examples
    --------
    >>> import numpy
    >>> import tenorite as cp
    >>> from tenorite import cutensor
    >>> a = cp.empty((2, 3))
    >>> cutensor.copyMg(a, "ij", numpy.arange(6.0).reshape(3, 2), "ji")
    >>> a
    array([[0., 2., 4.],
           [1., 3., 5.]])
    """
    handle, dst, src, kept, sizes, host = _copy_parts(dst, mode_Dst, src, mode_Src, devices)
    space = _Space(handle, sizes, host, deviceBuf, hostBuf)
    plan = create_mg_copy_plan(kept[-1], sizes, host, devices)
    queues, targets, sources = _streams(handle, streams), _pointers(dst), _pointers(src)
    cutensor._copyMg(
        handle.ptr, plan.ptr, _address(targets), _address(sources), space.device, space.host, _address(queues)
    )


def _contraction_parts(tensors, modes, compute_desc, ws_pref, devices):
    handle = _handle(devices)
    tensors, modes = [to_mg_ndarray(one) for one in tensors], [as_mode(one) for one in modes]
    _check_modes("contractionMg", tensors, modes)
    kept = [create_mg_tensor_descriptor(one, devices) for one in tensors]
    pairs = [part for pair in zip(kept, modes) for part in pair]
    desc = create_mg_contraction_descriptor(*pairs, compute_desc, devices)
    find = create_mg_contraction_find(devices=devices)
    sizes = numpy.zeros(handle.num_devices, numpy.int64)
    host = cutensor.getMgContractionWorkspace(handle.ptr, desc.ptr, find.ptr, ws_pref, sizes.ctypes.data)
    return handle, tensors, (kept, find, desc), sizes, host


@spread
def contractionMgWorkspace(
    alpha,
    A,
    modeA,
    B,
    modeB,
    beta,
    C,
    modeC,
    D=None,
    modeD=None,
    compute_desc=0,
    ws_pref=cutensor.WORKSPACE_RECOMMENDED,
    devices=None,
):
    """The memory that `contractionMg` needs beside the tensors.

    Returns
    -------
    hostBufSize : int
        Bytes of the host's memory.
    deviceBufSize : numpy.ndarray
        Bytes for each device.

    Examples
    --------
    >>> import numpy
    >>> from tenorite import cutensor
    >>> a, b = map(cutensor.to_mg_ndarray, (numpy.ones((2, 3)), numpy.zeros((3, 2))))
    >>> c = numpy.zeros((2, 2))
    >>> host, devices = cutensor.contractionMgWorkspace(1, a, "ij", b, "jk", 0, c, "ik")
    >>> host >= 0, len(devices)
    (True, 1)
    """
    tensors, modes = (A, B, C, C if D is None else D), (modeA, modeB, modeC, modeC if modeD is None else modeD)
    *_, sizes, host = _contraction_parts(tensors, modes, compute_desc, ws_pref, devices)
    return host, sizes


@spread
def contractionMg(
    alpha,
    A,
    modeA,
    B,
    modeB,
    beta,
    C,
    modeC,
    D=None,
    modeD=None,
    compute_desc=0,
    ws_pref=cutensor.WORKSPACE_RECOMMENDED,
    deviceBuf=None,
    hostBuf=None,
    streams=None,
    devices=None,
):
    """The contraction ``D = alpha * A * B + beta * C`` of tensors on several devices.

    Examples
    --------
    >>> import numpy
    >>> import tenorite as cp
    >>> from tenorite import cutensor
    >>> a, c = cutensor.ndarray_mg(numpy.ones((4, 6)), block_size=[2, 3]), cp.zeros((4, 4))
    >>> cutensor.contractionMg(1, a, "ik", a, "jk", 0, c, "ij")
    >>> c[0]
    array([6., 6., 6., 6.])
    """
    tensors, modes = (A, B, C, C if D is None else D), (modeA, modeB, modeC, modeC if modeD is None else modeD)
    handle, tensors, kept, sizes, host = _contraction_parts(tensors, modes, compute_desc, ws_pref, devices)
    space = _Space(handle, sizes, host, deviceBuf, hostBuf)
    plan = create_mg_contraction_plan(kept[2], kept[1], sizes, host, devices)
    queues, pointers = _streams(handle, streams), [_pointers(one) for one in tensors]
    dtype = tensors[-1].dtype
    scalar = numpy.result_type(dtype, "f4") if dtype.kind in "fc" else numpy.dtype("f4")
    factors = [_Scalar(one, scalar) for one in (alpha, beta)]
    a, b, c, d = map(_address, pointers)
    cutensor._contractMg(
        handle.ptr, plan.ptr, factors[0].ptr, a, b, factors[1].ptr, c, d, space.device, space.host, _address(queues)
    )
