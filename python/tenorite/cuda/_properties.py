"""The members of runtime.getDeviceProperties()."""

from tenorite import _core
from tenorite.cuda.device import Device

# cudaDeviceProp's names, in its order, and those of the attributes that they are; a tuple of
# attributes where it has an array. What a driver does not know is left out.
_PROPERTIES = {
    "sharedMemPerBlock": "MaxSharedMemoryPerBlock",
    "regsPerBlock": "MaxRegistersPerBlock",
    "warpSize": "WarpSize",
    "memPitch": "MaxPitch",
    "maxThreadsPerBlock": "MaxThreadsPerBlock",
    "maxThreadsDim": ("MaxBlockDimX", "MaxBlockDimY", "MaxBlockDimZ"),
    "maxGridSize": ("MaxGridDimX", "MaxGridDimY", "MaxGridDimZ"),
    "clockRate": "ClockRate",
    "totalConstMem": "TotalConstantMemory",
    "major": "ComputeCapabilityMajor",
    "minor": "ComputeCapabilityMinor",
    "textureAlignment": "TextureAlignment",
    "texturePitchAlignment": "TexturePitchAlignment",
    "deviceOverlap": "GpuOverlap",
    "multiProcessorCount": "MultiProcessorCount",
    "kernelExecTimeoutEnabled": "KernelExecTimeout",
    "integrated": "Integrated",
    "canMapHostMemory": "CanMapHostMemory",
    "computeMode": "ComputeMode",
    "maxTexture1D": "MaxTexture1DWidth",
    "maxTexture1DMipmap": "MaxTexture1DMipmappedWidth",
    "maxTexture1DLinear": "MaxTexture1DLinearWidth",
    "maxTexture2D": ("MaxTexture2DWidth", "MaxTexture2DHeight"),
    "maxTexture2DMipmap": ("MaxTexture2DMipmappedWidth", "MaxTexture2DMipmappedHeight"),
    "maxTexture2DLinear": ("MaxTexture2DLinearWidth", "MaxTexture2DLinearHeight", "MaxTexture2DLinearPitch"),
    "maxTexture2DGather": ("MaxTexture2DGatherWidth", "MaxTexture2DGatherHeight"),
    "maxTexture3D": ("MaxTexture3DWidth", "MaxTexture3DHeight", "MaxTexture3DDepth"),
    "maxTexture3DAlt": ("MaxTexture3DWidthAlt", "MaxTexture3DHeightAlt", "MaxTexture3DDepthAlt"),
    "maxTextureCubemap": "MaxTextureCubemapWidth",
    "maxTexture1DLayered": ("MaxTexture1DLayeredWidth", "MaxTexture1DLayeredLayers"),
    "maxTexture2DLayered": ("MaxTexture2DLayeredWidth", "MaxTexture2DLayeredHeight", "MaxTexture2DLayeredLayers"),
    "maxTextureCubemapLayered": ("MaxTextureCubemapLayeredWidth", "MaxTextureCubemapLayeredLayers"),
    "maxSurface1D": "MaxSurface1DWidth",
    "maxSurface2D": ("MaxSurface2DWidth", "MaxSurface2DHeight"),
    "maxSurface3D": ("MaxSurface3DWidth", "MaxSurface3DHeight", "MaxSurface3DDepth"),
    "maxSurface1DLayered": ("MaxSurface1DLayeredWidth", "MaxSurface1DLayeredLayers"),
    "maxSurface2DLayered": ("MaxSurface2DLayeredWidth", "MaxSurface2DLayeredHeight", "MaxSurface2DLayeredLayers"),
    "maxSurfaceCubemap": "MaxSurfaceCubemapWidth",
    "maxSurfaceCubemapLayered": ("MaxSurfaceCubemapLayeredWidth", "MaxSurfaceCubemapLayeredLayers"),
    "surfaceAlignment": "SurfaceAlignment",
    "concurrentKernels": "ConcurrentKernels",
    "ECCEnabled": "EccEnabled",
    "pciBusID": "PciBusId",
    "pciDeviceID": "PciDeviceId",
    "pciDomainID": "PciDomainId",
    "tccDriver": "TccDriver",
    "asyncEngineCount": "AsyncEngineCount",
    "unifiedAddressing": "UnifiedAddressing",
    "memoryClockRate": "MemoryClockRate",
    "memoryBusWidth": "GlobalMemoryBusWidth",
    "l2CacheSize": "L2CacheSize",
    "persistingL2CacheMaxSize": "MaxPersistingL2CacheSize",
    "maxThreadsPerMultiProcessor": "MaxThreadsPerMultiProcessor",
    "streamPrioritiesSupported": "StreamPrioritiesSupported",
    "globalL1CacheSupported": "GlobalL1CacheSupported",
    "localL1CacheSupported": "LocalL1CacheSupported",
    "sharedMemPerMultiprocessor": "MaxSharedMemoryPerMultiprocessor",
    "regsPerMultiprocessor": "MaxRegistersPerMultiprocessor",
    "managedMemory": "ManagedMemory",
    "isMultiGpuBoard": "IsMultiGpuBoard",
    "multiGpuBoardGroupID": "MultiGpuBoardGroupID",
    "hostNativeAtomicSupported": "HostNativeAtomicSupported",
    "singleToDoublePrecisionPerfRatio": "SingleToDoublePrecisionPerfRatio",
    "pageableMemoryAccess": "PageableMemoryAccess",
    "concurrentManagedAccess": "ConcurrentManagedAccess",
    "computePreemptionSupported": "ComputePreemptionSupported",
    "canUseHostPointerForRegisteredMem": "CanUseHostPointerForRegisteredMem",
    "cooperativeLaunch": "CooperativeLaunch",
    "sharedMemPerBlockOptin": "MaxSharedMemoryPerBlockOptin",
    "pageableMemoryAccessUsesHostPageTables": "PageableMemoryAccessUsesHostPageTables",
    "directManagedMemAccessFromHost": "DirectManagedMemAccessFromHost",
    "maxBlocksPerMultiProcessor": "MaxBlocksPerMultiprocessor",
    "accessPolicyMaxWindowSize": "MaxAccessPolicyWindowSize",
    "reservedSharedMemPerBlock": "ReservedSharedMemoryPerBlock",
    "hostRegisterSupported": "HostRegisterSupported",
    "sparseCudaArraySupported": "SparseCudaArraySupported",
    "hostRegisterReadOnlySupported": "HostRegisterReadOnlySupported",
    "timelineSemaphoreInteropSupported": "TimelineSemaphoreInteropSupported",
    "memoryPoolsSupported": "MemoryPoolsSupported",
    "gpuDirectRDMASupported": "GPUDirectRDMASupported",
    "gpuDirectRDMAFlushWritesOptions": "GPUDirectRDMAFlushWritesOptions",
    "gpuDirectRDMAWritesOrdering": "GPUDirectRDMAWritesOrdering",
    "memoryPoolSupportedHandleTypes": "MemoryPoolSupportedHandleTypes",
    "deferredMappingCudaArraySupported": "DeferredMappingCudaArraySupported",
    "ipcEventSupported": "IpcEventSupport",
    "clusterLaunch": "ClusterLaunch",
}

# The first two are of Windows; CUDA 13 has the third no more, nor have we.
_PROPERTIES_OF_NONE = {"luid": b"", "luidDeviceNodeMask": 0, "cooperativeMultiDeviceLaunch": 0}


def _property(facts, key):
    """The value of an attribute, of a tuple of them, or None."""
    if isinstance(key, str):
        return facts.get(key)
    values = tuple(map(facts.get, key))
    return None if None in values else values


def _host_properties(device):
    """The properties of the host: 0 is what only a GPU has."""
    facts = device.attributes
    found = {name: _property(facts, key) for name, key in _PROPERTIES.items()}
    return found | {"name": device.name.encode(), "uuid": bytes(16), "totalGlobalMem": device.mem_info[1]}


def properties_of(device):
    """A dict of a device's properties, by the names of cudaDeviceProp."""
    if Device(device).backend == "host":
        return _host_properties(Device(device)) | _PROPERTIES_OF_NONE
    facts = _core._cuda_attributes(device)
    found = {name: _property(facts, key) for name, key in _PROPERTIES.items()}
    found = {name: value for name, value in found.items() if value is not None}
    found["name"] = Device(device).name.encode()
    found["uuid"] = _core._cuda_uuid(device)
    found["totalGlobalMem"] = _core._cuda_total_memory(device)
    return found | _PROPERTIES_OF_NONE
