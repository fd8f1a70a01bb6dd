"""tenorite.cuda.runtime and .driver: functions that programs call by the runtime API's names."""

import ctypes
import gc
import os
import pickle
import threading

import numpy
import pytest
import tenorite
from tenorite import cuda
from tenorite.exceptions import CUDARuntimeError
from together import gate

runtime, driver = cuda.runtime, cuda.driver
CUDADriverError = driver.CUDADriverError

PROPERTIES = set(
    """
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
""".split()
)


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
    opened = gate(stream)
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


@pytest.mark.parametrize(
    "call",
    [
        runtime.eventQuery,
        runtime.eventSynchronize,
        runtime.eventDestroy,
        runtime.ipcGetEventHandle,
        lambda event: runtime.eventRecord(event, 0),
        lambda event: runtime.streamWaitEvent(0, event),
        lambda event: runtime.eventElapsedTime(event, event),
        runtime.streamDestroy,
        runtime.graphInstantiate,
        runtime.graphDestroy,
        runtime.graphExecDestroy,
        lambda graph: runtime.graphLaunch(graph, 0),
    ],
)
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
    for call in (
        lambda: runtime.streamGetFlags(0),
        lambda: runtime.deviceGetLimit(0),
        lambda: runtime.ipcGetMemHandle(0),
    ):
        with pytest.raises(CUDARuntimeError, match="the host"):
            call()


def test_memory_of_the_host_that_is_none(device):
    if device != "host":
        pytest.skip("a driver has its own words")
    a, b = runtime.malloc(16), runtime.hostAlloc(16, 0)
    pool = runtime.deviceGetDefaultMemPool(0)
    calls = {
        "cudaErrorInvalidValue": [
            lambda: runtime.free(b),
            lambda: runtime.freeHost(a),
            lambda: runtime.free(12345),
            lambda: runtime.hostAlloc(8, 99),
            lambda: runtime.hostRegister(0, 8, 0),
            lambda: runtime.memAdvise(a, 16, 77, 0),
            lambda: runtime.memPoolDestroy(pool),
            lambda: runtime.memPoolGetAttribute(pool, 99),
            lambda: runtime.memPoolTrimTo(12345, 0),
            lambda: runtime.memPoolSetAttribute(pool, runtime.cudaMemPoolAttrUsedMemCurrent, 1),
        ],
        "cudaErrorInvalidDevice": [
            lambda: runtime.memcpyPeer(a, 0, a, 99, 8),
            lambda: runtime.memPrefetchAsync(a, 16, 10**8, 0),
            lambda: runtime.deviceGetMemPool(99),
        ],
        "cudaErrorInvalidResourceHandle": [lambda: runtime.memcpyAsync(a, b, 8, 4, 12345)],
    }
    for name, several in calls.items():
        for call in several:
            with pytest.raises(CUDARuntimeError, match=name):
                call()
    runtime.free(a)
    runtime.freeHost(b)
    with pytest.raises(CUDARuntimeError, match="cudaErrorInvalidValue"):
        runtime.free(a)


def test_properties_of_the_host(device):
    """Programs ask for these at their start; what only a GPU has is 0."""
    facts = runtime.getDeviceProperties(0)
    assert PROPERTIES <= set(facts), sorted(PROPERTIES - set(facts))
    assert isinstance(facts["name"], bytes) and facts["multiProcessorCount"] > 0 and len(facts["uuid"]) == 16
    assert facts["totalGlobalMem"] > 0 and len(facts["maxThreadsDim"]) == len(facts["maxGridSize"]) == 3
    if device == "host":
        assert facts["totalGlobalMem"] == runtime.memGetInfo()[1] and facts["major"] == 0
        assert runtime.deviceGetStreamPriorityRange() == (0, 0) and runtime.deviceCanAccessPeer(0, 0) == 0
    with pytest.raises(CUDARuntimeError):
        runtime.getDeviceProperties(1000)
    assert isinstance(runtime.driverGetVersion(), int)


def test_attributes_of_the_host(device):
    """All names of the driver, so that programs find what they ask for; kernels are held to the
    sizes."""
    attributes, numbers = cuda.Device().attributes, cuda._core._cuda_attribute_numbers()
    assert set(attributes) <= set(numbers) and {"ComputeMode", "MaxSharedMemoryPerBlock"} <= set(attributes)
    assert all(type(value) is int for value in attributes.values())
    assert attributes["MaxThreadsPerBlock"] >= attributes["WarpSize"] > 0
    if device != "host":
        return
    assert set(attributes) == set(numbers)
    for name, number in numbers.items():
        assert runtime.deviceGetAttribute(number, 0) == attributes[name]
    kernel = tenorite.RawKernel('extern "C" __global__ void k() {}', "k")
    assert kernel.max_dynamic_shared_size_bytes == attributes["MaxSharedMemoryPerBlock"]
    kernel.max_dynamic_shared_size_bytes = attributes["MaxSharedMemoryPerBlockOptin"]
    with pytest.raises(CUDARuntimeError):
        kernel.max_dynamic_shared_size_bytes = attributes["MaxSharedMemoryPerBlockOptin"] + 1
    block = tuple(attributes[f"MaxBlockDim{axis}"] for axis in "XYZ")
    for shape in ((block[0], 1, 1), (1, block[1], 1), (1, 1, block[2])):
        kernel((1,), shape, ())
        with pytest.raises(CUDARuntimeError):
            kernel((1,), tuple(n + 1 if n > 1 else 1 for n in shape), ())


def test_whether_it_is_the_host(device):
    assert runtime.is_host is (device == "host") and "is_host" in dir(runtime)
    assert tenorite.is_available() is True and cuda.is_available() is True


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
    """The names of CuPy 14."""
    facts = runtime.getDeviceProperties(0)
    assert PROPERTIES <= set(facts), sorted(PROPERTIES - set(facts))
    attributes = cuda.Device().attributes
    for name, attribute in (
        ("surfaceAlignment", "SurfaceAlignment"),
        ("regsPerBlock", "MaxRegistersPerBlock"),
        ("persistingL2CacheMaxSize", "MaxPersistingL2CacheSize"),
        ("computePreemptionSupported", "ComputePreemptionSupported"),
    ):
        assert facts[name] == attributes[attribute]
    assert facts["maxTexture1DLayered"] == (
        attributes["MaxTexture1DLayeredWidth"],
        attributes["MaxTexture1DLayeredLayers"],
    )


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


def test_copies(device):
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
    is_reached = device == "host"  # to the host all memory is the device's
    kind = runtime.memoryTypeDevice if is_reached else runtime.memoryTypeUnregistered
    assert runtime.pointerGetMemoryType(host_address(source)) == kind
    runtime.free(a)
    runtime.free(b)
    runtime.free(0)


def test_copies_of_rows(device):
    source = numpy.arange(40, dtype="int32").reshape(5, 8)
    target = numpy.zeros((5, 8), "int32")
    a = runtime.malloc(5 * 64)
    stream = cuda.Stream()
    runtime.memcpy2D(a, 64, host_address(source), 32, 32, 5, runtime.memcpyHostToDevice)
    runtime.memcpy2DAsync(host_address(target), 32, a + 8, 64, 12, 5, runtime.memcpyDeviceToHost, stream.ptr)
    stream.synchronize()
    numpy.testing.assert_array_equal(target[:, :3], source[:, 2:5])
    assert (target[:, 3:] == 0).all()
    runtime.memcpy2D(a, 64, a + 4, 64, 4, 5, runtime.memcpyDeviceToDevice)
    runtime.memcpy2D(host_address(target), 32, a, 64, 4, 5, runtime.memcpyDeviceToHost)
    numpy.testing.assert_array_equal(target[:, 0], source[:, 1])
    with pytest.raises(CUDARuntimeError):
        runtime.memcpy2D(a, 4, a, 64, 8, 5, runtime.memcpyDeviceToDevice)  # rows that overlap
    with pytest.raises(CUDARuntimeError):
        runtime.memcpy2D(a, 64, a, 4, 8, 5, runtime.memcpyDeviceToDevice)
    with pytest.raises(CUDARuntimeError, match="cudaErrorInvalidMemcpyDirection"):
        runtime.memcpy2D(a, 64, a, 64, 8, 5, 77)
    runtime.free(a)


def test_host_memory(device):
    a = runtime.hostAlloc(4096, runtime.hostAllocPortable)
    assert runtime.pointerGetMemoryType(a) == runtime.memoryTypeHost
    runtime.freeHost(a)
    memory = numpy.zeros(1 << 16)
    runtime.hostRegister(host_address(memory), memory.nbytes, runtime.hostRegisterDefault)
    assert runtime.pointerGetMemoryType(host_address(memory)) == runtime.memoryTypeHost
    assert cuda.pinned_memory.is_memory_pinned(host_address(memory)) == (device == "cuda")
    with pytest.raises(CUDARuntimeError, match="cudaErrorHostMemoryAlreadyRegistered"):
        runtime.hostRegister(host_address(memory), memory.nbytes, 0)
    runtime.hostUnregister(host_address(memory))
    with pytest.raises(CUDARuntimeError, match="cudaErrorHostMemoryNotRegistered"):
        runtime.hostUnregister(host_address(memory))


def test_managed_memory(device):
    a = runtime.mallocManaged(4096)
    assert runtime.pointerGetMemoryType(a) == runtime.memoryTypeManaged
    runtime.memAdvise(a, 4096, runtime.cudaMemAdviseSetReadMostly, 0)
    runtime.memPrefetchAsync(a, 4096, 0, cuda.Stream.null.ptr)
    runtime.deviceSynchronize()
    runtime.free(a)


def test_memory_goes_back_after_its_stream(device):
    """freeAsync() ends memory for the program at once, and for the stream when its work is done."""
    if device == "cuda" and not cuda.Device().attributes["MemoryPoolsSupported"]:
        pytest.skip("the GPU has no memory pools")
    stream, target = cuda.Stream(), numpy.zeros(1000)
    a = runtime.mallocAsync(8000, stream.ptr)
    runtime.memsetAsync(a, 255, 8000, stream.ptr)
    runtime.memcpyPeerAsync(a, 0, a + 4000, 0, 4000, stream.ptr)
    runtime.memcpyAsync(host_address(target), a, 8000, runtime.memcpyDeviceToHost, stream.ptr)
    runtime.freeAsync(a, stream.ptr)
    stream.synchronize()
    assert numpy.isnan(target).all()


def test_pool_of_the_driver(device):
    if device == "cuda" and not cuda.Device().attributes["MemoryPoolsSupported"]:
        pytest.skip("the GPU has no memory pools")
    pool = cuda.MemoryAsyncPool("default")
    before = pool.used_bytes()
    kept = pool.malloc(1 << 20)
    assert kept.ptr and pool.used_bytes() >= before + (1 << 20) and pool.total_bytes() >= pool.used_bytes()
    del kept
    pool.free_all_blocks()
    assert pool.used_bytes() == before
    old = pool.get_limit()
    pool.set_limit(size=1 << 30)
    assert pool.get_limit() == 1 << 30
    pool.set_limit(fraction=0.5)
    assert pool.get_limit() == cuda.Device().mem_info[1] // 2
    pool.set_limit(size=old)
    for limits in ({}, {"size": -1}, {"fraction": 1.5}, {"size": 1, "fraction": 0.5}):
        with pytest.raises(ValueError):
            pool.set_limit(**limits)
    with pytest.raises(NotImplementedError):
        pool.n_free_blocks()


def test_pools(device):
    if device == "cuda" and not cuda.Device().attributes["MemoryPoolsSupported"]:
        pytest.skip("the GPU has no memory pools")
    stream = cuda.Stream()
    before = runtime.deviceGetMemPool(0)
    assert runtime.deviceGetDefaultMemPool(0)
    properties = runtime.MemPoolProps(
        runtime.cudaMemAllocationTypePinned, runtime.cudaMemHandleTypeNone, runtime.cudaMemLocationTypeDevice, 0
    )
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
    opened = gate(own)
    assert runtime.streamQuery(runtime.streamPerThread) == runtime.cudaErrorNotReady
    runtime.memsetAsync(a.data.ptr, 3, 1000, runtime.streamPerThread)
    opened.set()
    own.synchronize()
    assert (a.get() == 3).all()


DOUBLE = "TENORITE_FAKE_CUDA" in os.environ  # the driver's test double runs no kernels

PTX = b"""
.version 6.4
.target sm_75
.address_size 64
.visible .global .align 4 .u32 counter;
.visible .entry set_all(.param .u64 p, .param .u32 v)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p];
    ld.param.u32 %r1, [v];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd3, %r2, 4;
    add.s64 %rd2, %rd2, %rd3;
    st.global.u32 [%rd2], %r1;
    ret;
}
"""


@pytest.fixture
def module(gpu):
    loaded = driver.moduleLoadData(PTX)
    yield loaded
    driver.moduleUnload(loaded)


def test_contexts(gpu):
    own = driver.ctxGetCurrent()
    assert own != 0 and driver.ctxGetDevice() == 0
    assert driver.streamGetCtx(cuda.Stream().ptr) == driver.streamGetCtx(runtime.streamPerThread) == own
    driver.ctxSetCurrent(own)
    driver.ctxPushCurrent(own)
    assert driver.ctxGetCurrent() == driver.ctxPopCurrent() == driver.ctxGetCurrent() == own
    driver.ctxSetCurrent(0)
    assert tenorite.zeros(3).device == cuda.Device(0) and driver.ctxGetCurrent() == own


def test_context_of_a_new_thread(gpu):
    seen = []
    thread = threading.Thread(target=lambda: seen.append(driver.ctxGetCurrent()))
    thread.start()
    thread.join()
    assert seen == [driver.ctxGetCurrent()]


def test_launches(module):
    kernel = driver.moduleGetFunction(module, "set_all")
    a = tenorite.zeros(64, "i4")
    address, value = ctypes.c_void_p(a.data.ptr), ctypes.c_uint32(7)
    arguments = (ctypes.c_void_p * 2)(ctypes.addressof(address), ctypes.addressof(value))
    driver.launchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, cuda.Stream.null.ptr, ctypes.addressof(arguments), 0)
    assert DOUBLE or (a.get() == 7).all()
    value.value = 8
    if cuda.Device().attributes["CooperativeLaunch"]:
        driver.launchCooperativeKernel(
            kernel, 1, 1, 1, 32, 1, 1, 0, runtime.streamPerThread, ctypes.addressof(arguments)
        )
        cuda.Stream.ptds.synchronize()
        assert DOUBLE or (a.get() == [8] * 32 + [7] * 32).all()
    with pytest.raises(CUDADriverError) as caught:
        driver.launchKernel(kernel, 1, 1, 1, 2048, 1, 1, 0, 0, ctypes.addressof(arguments), 0)
    assert caught.value.status == driver.CUDA_ERROR_INVALID_VALUE
    assert "CUDA_ERROR_INVALID_VALUE: invalid argument (cuLaunchKernel)" in str(caught.value)


def test_kernels_facts(module):
    kernel = driver.moduleGetFunction(module, "set_all")
    threads = driver.funcGetAttribute(driver.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel)
    assert 32 <= threads <= 1024
    dynamic = driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    driver.funcSetAttribute(kernel, dynamic, 1024)
    assert DOUBLE or driver.funcGetAttribute(dynamic, kernel) == 1024
    assert driver.occupancyMaxActiveBlocksPerMultiprocessor(kernel, 256, 0) >= 1
    blocks, best = driver.occupancyMaxPotentialBlockSize(kernel, 0, 0)
    assert blocks >= 1 and 32 <= best <= threads
    assert driver.occupancyMaxPotentialBlockSize(kernel, 0, 64)[1] <= 64
    address = driver.moduleGetGlobal(module, "counter")
    if not DOUBLE:
        runtime.memset(address, 0, 4)
    with pytest.raises(CUDADriverError) as caught:
        driver.funcSetAttribute(kernel, dynamic, 1 << 30)
    assert caught.value.status == 1


def test_modules_of_files(gpu, tmp_path):
    path = tmp_path / "kernel.ptx"
    path.write_bytes(PTX)
    loaded = driver.moduleLoad(str(path))
    assert driver.moduleGetFunction(loaded, "set_all")
    driver.moduleUnload(loaded)
    with pytest.raises(CUDADriverError, match="CUDA_ERROR_FILE_NOT_FOUND") as caught:
        driver.moduleLoad(str(tmp_path / "nothing"))
    assert caught.value.status == 301
    with pytest.raises(CUDADriverError, match="cuModuleLoadData") as caught:
        driver.moduleLoadData(b"no image at all")
    # The driver guesses what it might have been.
    assert caught.value.status in (200, 209, 218, 222, 300)


@pytest.mark.parametrize(
    "call",
    [
        lambda: driver.moduleUnload(0),
        lambda: driver.moduleGetFunction(0, "x"),
        lambda: driver.moduleGetGlobal(0, "x"),
        lambda: driver.funcGetAttribute(0, 0),
        lambda: driver.launchKernel(0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0),
        lambda: driver.occupancyMaxPotentialBlockSize(0, 0, 0),
    ],
)
def test_driver_without_a_handle(gpu, call):
    with pytest.raises(CUDADriverError, match="CUDA_ERROR_INVALID_HANDLE") as caught:
        call()
    assert caught.value.status == 400


def test_driver_on_the_host(device):
    if device != "host":
        pytest.skip("a GPU has it")
    assert driver.ctxGetCurrent() == driver.ctxGetDevice() == 0
    for call in (lambda: driver.moduleLoadData(b"x"), lambda: driver.ctxSetCurrent(1), driver.ctxPopCurrent):
        with pytest.raises(CUDADriverError, match="CUDA_ERROR_NO_DEVICE: .* the host") as caught:
            call()
        assert caught.value.status == 100


def test_versions():
    assert driver.get_build_version() == 0 or 12000 <= driver.get_build_version() < 99000
    if driver.get_build_version():
        assert cuda.get_local_runtime_version() == runtime.runtimeGetVersion() == driver.get_build_version()
    driver.check_status(0)
    with pytest.raises(CUDADriverError) as caught:
        driver.check_status(1)
    assert caught.value.status == 1


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
