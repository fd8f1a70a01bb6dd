"""Functions of the CUDA runtime under their names, for programs that call it directly.

Addresses, streams and events are numbers here, as CuPy has them. What also means something on the
host works there; the rest raises CUDARuntimeError.
"""

from tenorite import _core
from tenorite.cuda._numbers import *  # noqa: F403
from tenorite.cuda._numbers import (
    cudaErrorNotReady,
    eventBlockingSync,
    eventDefault,
    eventDisableTiming,
    eventInterprocess,
    hostAllocPortable,
    memoryTypeUnregistered,
    streamCaptureModeRelaxed,
    streamDefault,
    streamNonBlocking,
    streamPerThread,
)
from tenorite.cuda._properties import properties_of as _properties_of
from tenorite.cuda._raw import arrays as _arrays
from tenorite.cuda._raw.host_memory import of_device as _of_device
from tenorite.cuda._raw.tables import Library as _Library
from tenorite.cuda.device import Device
from tenorite.cuda.stream import Event, ExternalStream, Stream, get_elapsed_time
from tenorite.exceptions import CUDARuntimeError

is_hip = False


def __getattr__(name):
    """``cudaDevAttr...`` and ``cudaError...``, from the library's tables; ``is_host``: whether the
    current device is the host."""
    if name == "is_host":
        return Device().backend == "host"
    if name.startswith("cudaDevAttr"):
        numbers = _core._cuda_attribute_numbers()
        if name[11:] in numbers:
            return numbers[name[11:]]
    elif name.startswith("cudaError") and _core._cuda_error_number(name) != 999:
        return _core._cuda_error_number(name)
    raise AttributeError(f"module 'tenorite.cuda.runtime' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), "is_host"})


def _number():
    """The number of the current device, which has to be a GPU."""
    device = Device()
    if device.backend != "cuda":
        raise CUDARuntimeError("cudaErrorNoDevice: the current device is the host")
    return device.id


def _raw(stream):
    """A stream as the driver gets it: the thread's own one is a stream of the library."""
    return Stream.ptds.ptr if stream == streamPerThread else stream


def check_status(status):
    """Raises CUDARuntimeError for the number of a failure."""
    if status != 0:
        name, _, text = _core._cuda_error(status)
        raise CUDARuntimeError(f"{name}: {text}")


# The driver, for functions that the library has none of its own for.
_library = _Library("cuda", check_status)


# --- Devices ---


def getDeviceCount():
    """The number of devices of the primary backend."""
    return _core._device_count(None)


def getDevice():
    """The number of the current device."""
    return Device().id


def setDevice(device):
    """Makes a device current for the calling thread."""
    Device(device).use()


def deviceSynchronize():
    """Waits for the current device."""
    Device().synchronize()


def deviceGetAttribute(attrib, device):
    """An attribute by its number, as ``cudaDevAttrWarpSize``; 0 for what only a GPU has."""
    if Device(device).backend == "cuda":
        return _core._cuda_attribute(attrib, device)
    for name, number in _core._cuda_attribute_numbers().items():
        if number == attrib:
            return Device(device).attributes[name]
    raise CUDARuntimeError(f"cudaErrorInvalidValue: no attribute has the number {attrib}")


def deviceGetByPCIBusId(pciBusId):
    """The number of the device of a PCI address."""
    return _core._cuda_find_pci_bus_id(pciBusId)


def deviceGetPCIBusId(device):
    """The PCI address of a device."""
    return _core._cuda_pci_bus_id(device)


def getDeviceProperties(device):
    """A dict of a device's properties, by the names of cudaDeviceProp."""
    return _properties_of(device)


def deviceGetLimit(limit):
    """A limit of the current device, as ``cudaLimitStackSize``."""
    return _core._cuda_get_limit(limit, _number())


def deviceSetLimit(limit, value):
    """Sets a limit of the current device."""
    _core._cuda_set_limit(limit, value, _number())


def deviceGetStreamPriorityRange():
    """(least, greatest) priority of streams; those of the host have none."""
    if Device().backend == "host":
        return 0, 0
    return _core._cuda_priority_range(_number())


def deviceCanAccessPeer(device, peerDevice):
    """Whether a device can reach another one's memory; those of the host can."""
    if Device(device).backend == "host":
        Device(peerDevice).mem_info
        return int(device != peerDevice)
    return int(_core._cuda_can_access_peer(device, peerDevice))


def deviceEnablePeerAccess(peerDevice):
    """Lets the current device reach another one's memory."""
    _core._cuda_enable_peer_access(_number(), peerDevice)


def deviceDisablePeerAccess(peerDevice):
    """Ends deviceEnablePeerAccess()."""
    _core._cuda_disable_peer_access(_number(), peerDevice)


# --- Versions ---

_NO_DRIVER = 35  # cudaErrorInsufficientDriver


def driverGetVersion():
    """The driver's version: 13000 is 13.0; 0 without a driver, as CUDA says it."""
    try:
        return _core._cuda_driver_version()
    except CUDARuntimeError as error:
        if error.status != _NO_DRIVER:
            raise
        return 0


def runtimeGetVersion():
    """NVRTC's version; no runtime library is used."""
    return _core._cuda_compiler_version()


_getLocalRuntimeVersion = runtimeGetVersion


# --- Memory ---


def memGetInfo():
    """(free bytes, total bytes) of the current device."""
    return Device().mem_info


def malloc(size):
    """The address of new device memory."""
    return _of_device()._cuda_malloc(size, Device().id, False)


def mallocManaged(size, flags=1):
    """The address of new memory that host and devices share."""
    return _of_device()._cuda_malloc(size, Device().id, True)


def mallocAsync(size, stream):
    """The address of new memory of the driver's pool."""
    return _of_device()._cuda_malloc_async(size, 0, _raw(stream), Device().id)


def mallocFromPoolAsync(size, pool, stream):
    """The address of new memory of a pool of memPoolCreate()."""
    return _of_device()._cuda_malloc_async(size, pool, _raw(stream), Device().id)


def free(ptr):
    """Frees malloc() and mallocManaged()."""
    if ptr:
        _of_device()._cuda_free(ptr, Device().id)


def freeAsync(ptr, stream):
    """Frees mallocAsync() in the order of a stream."""
    _of_device()._cuda_free_async(ptr, _raw(stream), Device().id)


def mallocHost(size):
    """The address of new page-locked memory."""
    return hostAlloc(size, hostAllocPortable)


def hostAlloc(size, flags):
    """The address of new page-locked memory."""
    return _of_device()._cuda_malloc_host(size, flags)


def freeHost(ptr):
    """Frees hostAlloc()."""
    _of_device()._cuda_free_host(ptr)


def hostRegister(ptr, size, flags):
    """Makes host memory page-locked."""
    _of_device()._cuda_host_register(ptr, size, flags)


def hostUnregister(ptr):
    """Ends hostRegister()."""
    _of_device()._cuda_host_unregister(ptr)


def memcpy(dst, src, size, kind):
    """Copies and waits."""
    _of_device()._cuda_memcpy(dst, src, size, kind, False, 0, Device().id)


def memcpyAsync(dst, src, size, kind, stream):
    """Copies on a stream."""
    _of_device()._cuda_memcpy(dst, src, size, kind, True, _raw(stream), Device().id)


def memcpy2D(dst, dpitch, src, spitch, width, height, kind):
    """Copies `height` rows of `width` bytes and waits."""
    _of_device()._cuda_memcpy_2d(dst, dpitch, src, spitch, width, height, kind, False, 0, Device().id)


def memcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, stream):
    """Copies `height` rows of `width` bytes on a stream."""
    number = Device().id
    _of_device()._cuda_memcpy_2d(dst, dpitch, src, spitch, width, height, kind, True, _raw(stream), number)


def memcpyPeer(dst, dstDevice, src, srcDevice, size):
    """Copies between devices and waits."""
    _of_device()._cuda_memcpy_peer(dst, dstDevice, src, srcDevice, size, False, 0)


def memcpyPeerAsync(dst, dstDevice, src, srcDevice, size, stream):
    """Copies between devices on a stream."""
    _of_device()._cuda_memcpy_peer(dst, dstDevice, src, srcDevice, size, True, _raw(stream))


def memset(ptr, value, size):
    """Fills with a byte and waits."""
    _of_device()._cuda_memset(ptr, value, size, False, 0, Device().id)


def memsetAsync(ptr, value, size, stream):
    """Fills with a byte on a stream."""
    _of_device()._cuda_memset(ptr, value, size, True, _raw(stream), Device().id)


def memPrefetchAsync(devPtr, count, dstDevice, stream):
    """Moves managed memory to a device, -1: the host."""
    _of_device()._cuda_prefetch(devPtr, count, dstDevice, _raw(stream), Device().id)


def memAdvise(devPtr, count, advice, device):
    """Says how managed memory will be used."""
    _of_device()._cuda_advise(devPtr, count, advice, device, Device().id)


class PointerAttributes:
    """What the driver knows of an address: device, devicePointer, hostPointer, type."""

    def __init__(self, device, devicePointer, hostPointer, type=memoryTypeUnregistered):
        self.type, self.device = type, device
        self.devicePointer, self.hostPointer = devicePointer, hostPointer


def pointerGetAttributes(ptr):
    """The PointerAttributes of an address."""
    kind, number, device, host = _of_device()._cuda_pointer(ptr)
    return PointerAttributes(number, device, host, kind)


def pointerGetMemoryType(ptr):
    """Where an address lies: one of memoryTypeHost, ..."""
    return _of_device()._cuda_pointer(ptr)[0]


def deviceGetDefaultMemPool(device):
    """The handle of a device's default pool."""
    return _of_device()._cuda_pool_handle(device, True)


def deviceGetMemPool(device):
    """The handle of a device's current pool."""
    return _of_device()._cuda_pool_handle(device, False)


def deviceSetMemPool(device, pool):
    """Makes a pool a device's current one."""
    _of_device()._cuda_pool_set_current(pool, device)


class MemPoolProps:
    """What a pool is made for: the numbers of cudaMemPoolProps."""

    def __init__(self, allocType, handleType, locationType, devId):
        self.allocType, self.handleType = allocType, handleType
        self.locationType, self.devId = locationType, devId


def memPoolCreate(props):
    """The handle of a new pool of device memory."""
    if (props.allocType, props.locationType) != (1, 1):
        raise NotImplementedError("memPoolCreate: only for page-locked allocations on devices")
    return _of_device()._cuda_pool_new(props.handleType, props.devId)


def memPoolDestroy(pool):
    """Ends a pool of memPoolCreate()."""
    _of_device()._cuda_pool_release(pool)


def memPoolTrimTo(pool, size):
    """Gives memory of a pool back that is not used, down to `size` bytes."""
    _of_device()._cuda_pool_trim(size, pool, Device().id)


def memPoolGetAttribute(pool, attr):
    """A number of a pool, as ``cudaMemPoolAttrUsedMemCurrent``."""
    return _of_device()._cuda_pool_get(attr, pool, Device().id)


def memPoolSetAttribute(pool, attr, value):
    """Sets a number of a pool."""
    _of_device()._cuda_pool_set(attr, value, pool, Device().id)


def ipcGetMemHandle(devPtr):
    """64 bytes by which another process opens device memory."""
    return _core._cuda_memory_export(devPtr, _number())


def ipcOpenMemHandle(handle, flags=1):
    """The address of another process's memory."""
    return _core._cuda_memory_import(handle, _number())


def ipcCloseMemHandle(devPtr):
    """Ends ipcOpenMemHandle()."""
    _core._cuda_memory_close(devPtr, _number())


def ipcGetEventHandle(event):
    """64 bytes by which another process opens an event with ``eventInterprocess``."""
    return _core._cuda_event_export(_event(event))


def ipcOpenEventHandle(handle):
    """The number of another process's event; ends with eventDestroy()."""
    return _keep(_events, _core._import_event(Event, handle))


# --- Arrays, textures and surfaces, on the host, too ---


def _driver():
    """What calls the driver's functions on arrays; None on the host."""
    return None if Device().backend != "cuda" else _library.call


def mallocArray(descPtr, width, height, flags=0):
    """The handle of a new array of one or two dimensions; `descPtr` is the address of a
    cudaChannelFormatDesc."""
    return _arrays.make(_driver(), descPtr, width, height, 0, flags)


def malloc3DArray(descPtr, width, height, depth, flags=0):
    """The handle of a new array; a dimension that it has not is 0."""
    return _arrays.make(_driver(), descPtr, width, height, depth, flags)


def freeArray(ptr):
    """Frees mallocArray() and malloc3DArray()."""
    _arrays.end(_driver(), ptr)


def _copy_rows(array, is_to, x, y, ptr, pitch, width, height, kind, stream=None):
    """Rows of memory to an array or back; `x` and `width` are in bytes."""
    call = _driver()
    element = _arrays.element_bytes(call, array)
    if x % element or width % element:
        raise CUDARuntimeError(f"cudaErrorInvalidValue: {x} and {width} bytes are no whole elements of {element} bytes")
    given = _arrays.Copy(kind=kind)
    given.extent.width, given.extent.height, given.extent.depth = width // element, height, 1
    position, side = (given.dstPos, given.srcPtr) if is_to else (given.srcPos, given.dstPtr)
    position.x, position.y = x // element, y
    side.ptr, side.pitch, side.xsize, side.ysize = ptr, pitch, width, height
    if is_to:
        given.dstArray = array
    else:
        given.srcArray = array
    _copy_parameters(given, stream, element)


def _copy_parameters(given, stream, element=None):
    """`stream` None: the copy is waited for."""
    call = _driver()
    if call is None:  # the host's work on the arrays comes first
        (Stream.null if stream is None else _stream(stream)).synchronize()
    if element is None:
        array = given.srcArray or given.dstArray
        element = _arrays.element_bytes(call, array) if array else 1
    _arrays.copy(call, given, element, _raw(stream or 0))
    if stream is None and call:
        streamSynchronize(0)


def memcpy2DFromArray(dst, dpitch, src, wOffset, hOffset, width, height, kind):
    """Copies `height` rows of `width` bytes of an array and waits."""
    _copy_rows(src, False, wOffset, hOffset, dst, dpitch, width, height, kind)


def memcpy2DFromArrayAsync(dst, dpitch, src, wOffset, hOffset, width, height, kind, stream):
    """Copies `height` rows of `width` bytes of an array on a stream."""
    _copy_rows(src, False, wOffset, hOffset, dst, dpitch, width, height, kind, stream)


def memcpy2DToArray(dst, wOffset, hOffset, src, spitch, width, height, kind):
    """Copies `height` rows of `width` bytes to an array and waits."""
    _copy_rows(dst, True, wOffset, hOffset, src, spitch, width, height, kind)


def memcpy2DToArrayAsync(dst, wOffset, hOffset, src, spitch, width, height, kind, stream):
    """Copies `height` rows of `width` bytes to an array on a stream."""
    _copy_rows(dst, True, wOffset, hOffset, src, spitch, width, height, kind, stream)


def memcpy3D(Memcpy3DParmsPtr):
    """Copies what a cudaMemcpy3DParms at an address says, and waits."""
    _copy_parameters(_arrays.Copy.from_address(Memcpy3DParmsPtr), None)


def memcpy3DAsync(Memcpy3DParmsPtr, stream):
    """Copies what a cudaMemcpy3DParms at an address says, on a stream."""
    _copy_parameters(_arrays.Copy.from_address(Memcpy3DParmsPtr), stream)


def createTextureObject(ResDescPtr, TexDescPtr):
    """A new texture's handle; the addresses are of a cudaResourceDesc and a cudaTextureDesc."""
    resource, texture = _arrays.Resource.from_address(ResDescPtr), _arrays.Texture.from_address(TexDescPtr)
    return _arrays.make_texture(_driver(), resource, texture)


def destroyTextureObject(texObject):
    """Ends createTextureObject()."""
    _arrays.end_texture(_driver(), texObject, "Tex")


def createSurfaceObject(ResDescPtr):
    """The handle of a new surface; the address is of a cudaResourceDesc."""
    return _arrays.make_texture(_driver(), _arrays.Resource.from_address(ResDescPtr), None)


def destroySurfaceObject(surfObject):
    """Ends createSurfaceObject()."""
    _arrays.end_texture(_driver(), surfObject, "Surf")


# --- Streams, events and graphs, by number. What is made here lives until it is destroyed here. ---

_streams, _events, _graphs = {}, {}, {}


def _keep(kept, made):
    kept[made.ptr] = made
    return made.ptr


def _fail_handle(what, number):
    """What the driver says about a handle that is none, and a driver that is given one may not live
    to say."""
    raise CUDARuntimeError(f"cudaErrorInvalidResourceHandle: there is no {what} {number:#x}")


def _drop(kept, what, number):
    """The program gives up what it made here."""
    if number not in kept:
        _fail_handle(what, number)
    return kept.pop(number)


def _stream(number):
    """The Stream of a handle; a stream of a GPU may be another library's."""
    if number == streamPerThread:
        return Stream.ptds
    try:
        return ExternalStream(number)
    except ValueError:
        _fail_handle("stream", number)


def _event(number):
    """The living Event of a handle, made here or elsewhere."""
    found = _core._find_event(number)
    return _fail_handle("event", number) if found is None else found


def _graph(number):
    return _graphs.get(number) or _fail_handle("graph", number)


def streamCreate():
    """The handle of a new stream."""
    return streamCreateWithFlags(streamDefault)


def streamCreateWithFlags(flags):
    """The handle of a new stream."""
    return _keep(_streams, Stream(non_blocking=bool(flags & streamNonBlocking)))


def streamCreateWithPriority(flags, priority):
    """The handle of a new stream."""
    return _keep(_streams, Stream(non_blocking=bool(flags & streamNonBlocking), priority=priority))


def streamDestroy(stream):
    """Destroys a stream that was made here; its work runs to the end."""
    _drop(_streams, "stream made by streamCreate()", stream)


def streamSynchronize(stream):
    """Waits for the stream of a handle."""
    _stream(stream).synchronize()


def streamQuery(stream):
    """0 if the stream is idle, cudaErrorNotReady if not."""
    return 0 if _stream(stream).done else cudaErrorNotReady


def streamWaitEvent(stream, event, flags=0):
    """Later work of the stream waits for the event."""
    _stream(stream).wait_event(_event(event))


def streamGetFlags(stream):
    """``streamNonBlocking`` or ``streamDefault``."""
    _number()
    return _core._cuda_stream_flags(_stream(stream))[0]


def streamGetPriority(stream):
    """The priority of a stream, within deviceGetStreamPriorityRange()."""
    _number()
    return _core._cuda_stream_flags(_stream(stream))[1]


def streamAddCallback(stream, callback, arg, flags=0):
    """callback(stream, error_status, arg) is called after the stream's work."""
    _stream(stream).add_callback(lambda _, status, arg: callback(stream, status, arg), arg)


def launchHostFunc(stream, callback, arg):
    """callback(arg) is called after the stream's work."""
    _stream(stream).launch_host_func(callback, arg)


def streamBeginCapture(stream, mode=streamCaptureModeRelaxed):
    """Work on the stream is recorded and not done from now on."""
    _stream(stream).begin_capture(mode)


def streamEndCapture(stream):
    """The number of the graph of what was recorded; ends with graphDestroy() and
    graphExecDestroy()."""
    graph = _stream(stream).end_capture()
    _graphs[graph.graph] = _graphs[graph.graphExec] = graph
    return graph.graph


def streamIsCapturing(stream):
    """Whether the stream's work is recorded."""
    return _stream(stream).is_capturing()


def graphInstantiate(graph):
    """What graphLaunch() takes of a graph."""
    return _graph(graph).graphExec


def graphLaunch(graphExec, stream):
    """Queues the work of a graph on a stream."""
    _graph(graphExec).launch(_stream(stream))


def graphUpload(graphExec, stream):
    """Queues what the first launch would have to do before it runs."""
    _graph(graphExec).upload(_stream(stream))


def graphDebugDotPrint(graph, path, flags):
    """Writes a graph to a file in the language of dot."""
    _graph(graph)._print(path, flags)


def graphDestroy(graph):
    """Gives the graph up; what was made of it by graphInstantiate() stays."""
    _drop(_graphs, "graph", graph)


def graphExecDestroy(graphExec):
    """Ends graphInstantiate()."""
    _drop(_graphs, "graph", graphExec)


def eventCreate():
    """The number of a new event with timing."""
    return eventCreateWithFlags(eventDefault)


def eventCreateWithFlags(flags):
    """The number of a new event."""
    event = Event(
        block=bool(flags & eventBlockingSync),
        disable_timing=bool(flags & eventDisableTiming),
        interprocess=bool(flags & eventInterprocess),
    )
    return _keep(_events, event)


def eventDestroy(event):
    """Destroys an event that was made here."""
    _drop(_events, "event made by eventCreate()", event)


def eventRecord(event, stream):
    """Records an event after a stream's work."""
    _event(event).record(_stream(stream))


def eventQuery(event):
    """0 if the event has come, cudaErrorNotReady if not."""
    return 0 if _event(event).done else cudaErrorNotReady


def eventSynchronize(event):
    """Waits for an event."""
    _event(event).synchronize()


def eventElapsedTime(start, end):
    """Milliseconds between two events."""
    return get_elapsed_time(_event(start), _event(end))


# --- Profilers ---


def profilerStart():
    """Lets an attached profiler begin. On the host, which it does not watch, nothing happens.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.profiler.start()
    >>> cp.cuda.profiler.stop()
    """
    if Device().backend == "cuda":
        _core._cuda_profiler(True)


def profilerStop():
    """Lets an attached profiler end. On the host nothing happens.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.profiler.start()
    >>> cp.cuda.profiler.stop()
    """
    if Device().backend == "cuda":
        _core._cuda_profiler(False)
