"""tenorite.cuda.runtime and .driver: functions that programs call by the runtime API's names."""

import gc
import pickle
import threading

import numpy
import pytest

import tenorite
from tenorite import cuda
from tenorite.exceptions import CUDARuntimeError

runtime, driver = cuda.runtime, cuda.driver

PROPERTIES = set("""
name totalGlobalMem sharedMemPerBlock regsPerBlock warpSize maxThreadsPerBlock maxThreadsDim maxGridSize clockRate
totalConstMem major minor textureAlignment texturePitchAlignment multiProcessorCount kernelExecTimeoutEnabled
integrated canMapHostMemory computeMode maxTexture1D maxTexture2D maxTexture3D concurrentKernels ECCEnabled
pciBusID pciDeviceID pciDomainID tccDriver memoryClockRate memoryBusWidth l2CacheSize
maxThreadsPerMultiProcessor isMultiGpuBoard cooperativeLaunch cooperativeMultiDeviceLaunch deviceOverlap
maxTexture1DMipmap maxTexture1DLinear maxTexture1DLayered maxTexture2DMipmap maxTexture2DLinear
maxTexture2DLayered maxTexture2DGather maxTexture3DAlt maxTextureCubemap maxTextureCubemapLayered maxSurface1D
maxSurface1DLayered maxSurface2D maxSurface2DLayered maxSurface3D maxSurfaceCubemap maxSurfaceCubemapLayered
surfaceAlignment asyncEngineCount unifiedAddressing streamPrioritiesSupported globalL1CacheSupported
localL1CacheSupported sharedMemPerMultiprocessor regsPerMultiprocessor managedMemory multiGpuBoardGroupID
hostNativeAtomicSupported singleToDoublePrecisionPerfRatio pageableMemoryAccess concurrentManagedAccess
computePreemptionSupported canUseHostPointerForRegisteredMem sharedMemPerBlockOptin
pageableMemoryAccessUsesHostPageTables directManagedMemAccessFromHost uuid luid luidDeviceNodeMask
persistingL2CacheMaxSize maxBlocksPerMultiProcessor accessPolicyMaxWindowSize reservedSharedMemPerBlock
""".split())


@pytest.fixture
def gpu(device):
    if device != "cuda":
        pytest.skip("of GPUs only")


def host_address(array):
    return array.ctypes.data


# --- On every device ---


def test_devices():
    assert runtime.getDeviceCount() >= 1 and runtime.getDevice() == 0
    free, total = runtime.memGetInfo()
    assert 0 < free <= total
    runtime.deviceSynchronize()
    assert runtime.is_hip is False
    runtime.check_status(0)
    with pytest.raises(CUDARuntimeError, match="cudaErrorInvalidValue"):
        runtime.check_status(runtime.cudaErrorInvalidValue)


def test_numbers():
    assert (runtime.memcpyHostToDevice, runtime.memcpyDefault) == (1, 4)
    assert runtime.cudaDevAttrWarpSize == 10 and runtime.cudaErrorIllegalAddress == 700
    assert runtime.streamCaptureModeRelaxed == 2 and runtime.errorInvalidValue == 1
    with pytest.raises(AttributeError):
        runtime.cudaDevAttrNoSuchThing
    with pytest.raises(AttributeError):
        runtime.noSuchFunction


def test_streams_and_events_by_number():
    stream = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    start, stop = runtime.eventCreate(), runtime.eventCreateWithFlags(runtime.eventDefault)
    calls, opened = [], threading.Event()
    runtime.launchHostFunc(stream, lambda event: event.wait(20), opened)
    runtime.streamAddCallback(stream, lambda *arguments: calls.append(arguments), "x")
    runtime.eventRecord(start, stream)
    runtime.eventRecord(stop, stream)
    assert runtime.streamQuery(stream) == runtime.eventQuery(stop) == runtime.cudaErrorNotReady
    other = runtime.streamCreate()
    runtime.streamWaitEvent(other, stop)
    assert runtime.streamQuery(other) == runtime.cudaErrorNotReady
    opened.set()
    runtime.eventSynchronize(stop)
    runtime.streamSynchronize(stream)  # the event comes a moment before its stream is idle
    runtime.streamSynchronize(other)
    assert calls == [(stream, 0, "x")]
    assert runtime.eventElapsedTime(start, stop) >= 0
    assert runtime.streamQuery(stream) == runtime.eventQuery(start) == 0
    assert not runtime.streamIsCapturing(stream)
    for number in (runtime.streamLegacy, runtime.streamPerThread, 0):
        runtime.streamSynchronize(number)
    for event in (start, stop):
        runtime.eventDestroy(event)
    for one in (stream, other):
        runtime.streamDestroy(one)
    for call in (runtime.streamDestroy, runtime.streamDestroy):
        with pytest.raises(CUDARuntimeError, match="cudaErrorInvalidResourceHandle") as caught:
            call(stream)
        assert caught.value.status == 400


def test_events_and_streams_by_the_handles_of_objects():
    stream, other = cuda.Stream(non_blocking=True), cuda.Stream()
    start, stop = cuda.Event(), cuda.Event()
    opened = threading.Event()
    stream.launch_host_func(lambda event: event.wait(20), opened)
    runtime.eventRecord(start.ptr, stream.ptr)
    runtime.eventRecord(stop.ptr, stream.ptr)
    assert runtime.eventQuery(stop.ptr) == runtime.streamQuery(stream.ptr) == runtime.cudaErrorNotReady
    runtime.streamWaitEvent(other.ptr, stop.ptr)
    assert runtime.streamQuery(other.ptr) == runtime.cudaErrorNotReady
    opened.set()
    runtime.eventSynchronize(stop.ptr)
    runtime.streamSynchronize(other.ptr)
    assert runtime.eventQuery(start.ptr) == 0
    assert runtime.eventElapsedTime(start.ptr, stop.ptr) >= 0
    with pytest.raises(CUDARuntimeError, match="cudaErrorInvalidResourceHandle"):
        runtime.eventDestroy(start.ptr)  # it is the object's


@pytest.mark.parametrize("call", [
    runtime.eventQuery, runtime.eventSynchronize, runtime.eventDestroy, runtime.ipcGetEventHandle,
    lambda event: runtime.eventRecord(event, 0), lambda event: runtime.streamWaitEvent(0, event),
    lambda event: runtime.eventElapsedTime(event, event),
    runtime.streamDestroy, runtime.graphInstantiate, runtime.graphDestroy, runtime.graphExecDestroy,
    lambda graph: runtime.graphLaunch(graph, 0),
])  # fmt: skip
def test_handles_of_nothing(call):
    """The driver is not asked about them: it would crash."""
    gone = cuda.Event()
    for number in (12345, gone.ptr + 1, 0):
        with pytest.raises(CUDARuntimeError, match="cudaErrorInvalidResourceHandle") as caught:
            call(number)
        assert caught.value.status == runtime.cudaErrorInvalidResourceHandle == 400


def test_events_that_are_gone():
    events = [cuda.Event() for _ in range(5)]
    handles = [event.ptr for event in events]
    for number in (2, 4, 0, 1):  # in the middle, at both ends
        events[number] = None
        left = [event.ptr for event in events if event]
        assert all(runtime.eventQuery(handle) == 0 for handle in left)
        with pytest.raises(CUDARuntimeError, match="cudaErrorInvalidResourceHandle"):
            runtime.eventQuery(handles[number])


def test_streams_of_nothing(device):
    if device != "host":
        pytest.skip("a stream of a GPU may be another library's, which only the driver knows")
    for call in (runtime.streamSynchronize, runtime.streamQuery, runtime.streamIsCapturing):
        with pytest.raises(CUDARuntimeError, match="cudaErrorInvalidResourceHandle: there is no stream"):
            call(12345)


def test_what_the_host_has_not(device):
    if device != "host":
        pytest.skip("a GPU has it")
    for call in (lambda: runtime.malloc(10), lambda: runtime.memset(0, 0, 1),
                 lambda: runtime.streamGetFlags(0), lambda: runtime.deviceGetLimit(0)):  # fmt: skip
        with pytest.raises(CUDARuntimeError, match="the host"):
            call()


# --- On GPUs ---


def test_properties(gpu):
    facts = runtime.getDeviceProperties(0)
    assert isinstance(facts["name"], bytes) and facts["warpSize"] > 0 and facts["totalGlobalMem"] > 0
    assert len(facts["maxThreadsDim"]) == 3 and facts["multiProcessorCount"] > 0
    value = runtime.deviceGetAttribute(runtime.cudaDevAttrMultiProcessorCount, 0)
    assert value == facts["multiProcessorCount"] == cuda.Device().attributes["MultiProcessorCount"]
    assert runtime.driverGetVersion() == cuda.driver.driverGetVersion() >= 12000
    assert facts["maxTexture2D"][1] > 0 and facts["reservedSharedMemPerBlock"] >= 0
    assert len(facts["uuid"]) == 16 and facts["luidDeviceNodeMask"] == 0
    assert runtime.deviceGetByPCIBusId(runtime.deviceGetPCIBusId(0)) == 0
    least, greatest = runtime.deviceGetStreamPriorityRange()
    assert greatest <= least
    limit = runtime.deviceGetLimit(runtime.cudaLimitPrintfFifoSize)
    runtime.deviceSetLimit(runtime.cudaLimitPrintfFifoSize, limit)
    assert cuda.driver.ctxGetDevice() == 0 and cuda.driver.ctxGetCurrent() != 0


def test_property_names(gpu):
    """Those of CuPy 14."""
    facts = runtime.getDeviceProperties(0)
    assert PROPERTIES <= set(facts), sorted(PROPERTIES - set(facts))
    attributes = cuda.Device().attributes
    for name, attribute in (("surfaceAlignment", "SurfaceAlignment"), ("regsPerBlock", "MaxRegistersPerBlock"),
                            ("persistingL2CacheMaxSize", "MaxPersistingL2CacheSize"),
                            ("computePreemptionSupported", "ComputePreemptionSupported")):  # fmt: skip
        assert facts[name] == attributes[attribute]
    assert facts["maxTexture1DLayered"] == (
        attributes["MaxTexture1DLayeredWidth"], attributes["MaxTexture1DLayeredLayers"]
    )  # fmt: skip


def test_device_of_a_pci_address(gpu):
    device = cuda.Device.from_pci_bus_id(cuda.Device(0).pci_bus_id)
    assert type(device) is cuda.Device and device == cuda.Device(0)

    class Own(cuda.Device):
        pass

    assert type(Own.from_pci_bus_id(device.pci_bus_id)) is Own
    with pytest.raises(CUDARuntimeError):
        cuda.Device.from_pci_bus_id("ffff:ff:1f.7")
    with pytest.raises(TypeError):
        cuda.Device.from_pci_bus_id(0)


def test_stream_facts(gpu):
    least, greatest = runtime.deviceGetStreamPriorityRange()
    stream = runtime.streamCreateWithPriority(runtime.streamNonBlocking, greatest)
    assert runtime.streamGetFlags(stream) == runtime.streamNonBlocking
    assert runtime.streamGetPriority(stream) == greatest
    assert runtime.streamGetFlags(runtime.streamPerThread) == runtime.streamDefault
    runtime.streamDestroy(stream)


def test_copies(gpu):
    source, target = numpy.arange(1000), numpy.zeros(1000, int)
    a, b = runtime.malloc(8000), runtime.malloc(8000)
    stream = cuda.Stream()
    runtime.memcpy(a, host_address(source), 8000, runtime.memcpyHostToDevice)
    runtime.memcpyAsync(b, a, 8000, runtime.memcpyDeviceToDevice, stream.ptr)
    runtime.memsetAsync(b, 0, 80, stream.ptr)
    runtime.memcpyAsync(host_address(target), b, 8000, runtime.memcpyDeviceToHost, stream.ptr)
    stream.synchronize()
    assert (target[:10] == 0).all() and (target[10:] == source[10:]).all()
    runtime.memset(a, 1, 8000)
    runtime.memcpyAsync(b, a, 8000, runtime.memcpyDefault, runtime.streamPerThread)
    runtime.streamSynchronize(runtime.streamPerThread)
    runtime.memcpy(host_address(target), b, 8000, runtime.memcpyDeviceToHost)
    assert (target == 0x0101010101010101).all()
    with pytest.raises(CUDARuntimeError, match="cudaErrorInvalidMemcpyDirection"):
        runtime.memcpy(a, b, 8, 9)
    facts = runtime.pointerGetAttributes(a)
    assert facts.type == runtime.memoryTypeDevice == runtime.pointerGetMemoryType(a)
    assert facts.device == 0 and facts.devicePointer == a
    assert runtime.pointerGetMemoryType(host_address(source)) == runtime.memoryTypeUnregistered
    runtime.free(a)
    runtime.free(b)
    runtime.free(0)


def test_copies_of_rows(gpu):
    source = numpy.arange(40, dtype="int32").reshape(5, 8)
    target = numpy.zeros((5, 8), "int32")
    a = runtime.malloc(5 * 64)
    stream = cuda.Stream()
    runtime.memcpy2D(a, 64, host_address(source), 32, 32, 5, runtime.memcpyHostToDevice)
    runtime.memcpy2DAsync(host_address(target), 32, a + 8, 64, 12, 5, runtime.memcpyDeviceToHost,
                          stream.ptr)  # fmt: skip
    stream.synchronize()
    numpy.testing.assert_array_equal(target[:, :3], source[:, 2:5])
    assert (target[:, 3:] == 0).all()
    runtime.memcpy2D(a, 64, a + 4, 64, 4, 5, runtime.memcpyDeviceToDevice)
    runtime.memcpy2D(host_address(target), 32, a, 64, 4, 5, runtime.memcpyDeviceToHost)
    numpy.testing.assert_array_equal(target[:, 0], source[:, 1])
    with pytest.raises(CUDARuntimeError):
        runtime.memcpy2D(a, 4, a, 64, 8, 5, runtime.memcpyDeviceToDevice)  # rows that overlap
    with pytest.raises(CUDARuntimeError, match="cudaErrorInvalidMemcpyDirection"):
        runtime.memcpy2D(a, 64, a, 64, 8, 5, 77)
    runtime.free(a)


def test_host_memory(gpu):
    a = runtime.hostAlloc(4096, runtime.hostAllocPortable)
    assert runtime.pointerGetMemoryType(a) == runtime.memoryTypeHost
    runtime.freeHost(a)
    memory = numpy.zeros(1 << 16)
    runtime.hostRegister(host_address(memory), memory.nbytes, runtime.hostRegisterDefault)
    assert runtime.pointerGetMemoryType(host_address(memory)) == runtime.memoryTypeHost
    assert cuda.pinned_memory.is_memory_pinned(host_address(memory))
    with pytest.raises(CUDARuntimeError, match="cudaErrorHostMemoryAlreadyRegistered"):
        runtime.hostRegister(host_address(memory), memory.nbytes, 0)
    runtime.hostUnregister(host_address(memory))
    with pytest.raises(CUDARuntimeError, match="cudaErrorHostMemoryNotRegistered"):
        runtime.hostUnregister(host_address(memory))


def test_managed_memory(gpu):
    a = runtime.mallocManaged(4096)
    assert runtime.pointerGetMemoryType(a) == runtime.memoryTypeManaged
    runtime.memAdvise(a, 4096, runtime.cudaMemAdviseSetReadMostly, 0)
    runtime.memPrefetchAsync(a, 4096, 0, cuda.Stream.null.ptr)
    runtime.deviceSynchronize()
    runtime.free(a)


def test_pools(gpu):
    if not cuda.Device().attributes["MemoryPoolsSupported"]:
        pytest.skip("the GPU has no memory pools")
    stream = cuda.Stream()
    before = runtime.deviceGetMemPool(0)
    assert runtime.deviceGetDefaultMemPool(0)
    properties = runtime.MemPoolProps(runtime.cudaMemAllocationTypePinned, runtime.cudaMemHandleTypeNone,
                                      runtime.cudaMemLocationTypeDevice, 0)  # fmt: skip
    pool = runtime.memPoolCreate(properties)
    used, threshold = runtime.cudaMemPoolAttrUsedMemCurrent, runtime.cudaMemPoolAttrReleaseThreshold
    runtime.memPoolSetAttribute(pool, threshold, 1 << 20)
    assert runtime.memPoolGetAttribute(pool, threshold) == 1 << 20
    assert runtime.memPoolGetAttribute(pool, used) == 0
    a = runtime.mallocFromPoolAsync(1 << 16, pool, stream.ptr)
    assert runtime.memPoolGetAttribute(pool, used) >= 1 << 16
    runtime.memsetAsync(a, 0, 1 << 16, stream.ptr)
    runtime.freeAsync(a, stream.ptr)
    stream.synchronize()
    assert runtime.memPoolGetAttribute(pool, used) == 0
    runtime.memPoolTrimTo(pool, 0)
    runtime.deviceSetMemPool(0, pool)
    assert runtime.deviceGetMemPool(0) == pool
    b = runtime.mallocAsync(1000, stream.ptr)
    assert runtime.memPoolGetAttribute(pool, used) >= 1000
    runtime.freeAsync(b, stream.ptr)
    runtime.deviceSetMemPool(0, before)
    stream.synchronize()
    runtime.memPoolDestroy(pool)
    with pytest.raises(NotImplementedError):
        runtime.memPoolCreate(runtime.MemPoolProps(1, 0, runtime.cudaMemLocationTypeHost, 0))


def test_the_thread_s_stream_is_one(gpu):
    """The number 2 and Stream.ptds mean the same stream, whose own number is another."""
    a = tenorite.zeros(1000, "int8")
    own = cuda.Stream.ptds
    assert own.ptr > runtime.streamPerThread
    opened = threading.Event()
    own.launch_host_func(lambda event: event.wait(20), opened)
    assert runtime.streamQuery(runtime.streamPerThread) == runtime.cudaErrorNotReady
    runtime.memsetAsync(a.data.ptr, 3, 1000, runtime.streamPerThread)
    opened.set()
    own.synchronize()
    assert (a.get() == 3).all()


def test_profile(gpu):
    with cuda.profile():
        tenorite.zeros(3)
    cuda.profiler.start()
    cuda.profiler.stop()


def test_stream_of_memory(gpu):
    stream = cuda.Stream()
    with stream:
        memory = cuda.malloc_async(1000).mem
    assert memory.stream_ref() is stream
    del stream
    gc.collect()
    assert memory.stream_ref() is None  # it is weak
    assert cuda.malloc_async(1000).mem.stream_ref() == cuda.Stream.null


def test_driver_error(gpu):
    error = cuda.driver.CUDADriverError(1)
    assert error.status == 1 and "CUDA_ERROR_INVALID_VALUE: invalid argument" in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert again.status == 1 and str(again) == str(error)
    with pytest.raises(CUDARuntimeError) as caught:
        runtime.free(12345)
    assert caught.value.status == runtime.cudaErrorInvalidValue
    assert pickle.loads(pickle.dumps(caught.value)).status == caught.value.status
