"""Numbers of the runtime API that programs pass, under the names of tenorite.cuda.runtime."""

memcpyHostToHost, memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice, memcpyDefault = range(5)
streamDefault, streamNonBlocking, streamLegacy, streamPerThread = 0, 1, 1, 2
streamCaptureModeGlobal, streamCaptureModeThreadLocal, streamCaptureModeRelaxed = range(3)
streamCaptureStatusNone, streamCaptureStatusActive, streamCaptureStatusInvalidated = range(3)
eventDefault, eventBlockingSync, eventDisableTiming, eventInterprocess = 0, 1, 2, 4
hostAllocDefault, hostAllocPortable, hostAllocMapped, hostAllocWriteCombined = 0, 1, 2, 4
hostRegisterDefault, hostRegisterPortable, hostRegisterMapped, hostRegisterIoMemory = 0, 1, 2, 4
memoryTypeUnregistered, memoryTypeHost, memoryTypeDevice, memoryTypeManaged = range(4)
cudaMemoryTypeHost, cudaMemoryTypeDevice = 1, 2
cudaCpuDeviceId, cudaInvalidDeviceId = -1, -2
cudaIpcMemLazyEnablePeerAccess = 1
deviceAttributeComputeCapabilityMajor, deviceAttributeComputeCapabilityMinor = 75, 76

cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder = range(4)
cudaFilterModePoint, cudaFilterModeLinear = 0, 1
cudaReadModeElementType, cudaReadModeNormalizedFloat = 0, 1
cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned = 0, 1
cudaChannelFormatKindFloat, cudaChannelFormatKindNone = 2, 3
cudaResourceTypeArray, cudaResourceTypeMipmappedArray = 0, 1
cudaResourceTypeLinear, cudaResourceTypePitch2D = 2, 3
cudaArrayDefault, cudaArraySurfaceLoadStore = 0, 2
# Of CUDA 12.
cudaDevAttrCooperativeMultiDeviceLaunch, cudaDevAttrMaxTimelineSemaphoreInteropSupported = 96, 114

cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize = 0, 1, 2
cudaLimitDevRuntimeSyncDepth, cudaLimitDevRuntimePendingLaunchCount = 3, 4
cudaLimitMaxL2FetchGranularity = 5

cudaMemAttachGlobal, cudaMemAttachHost, cudaMemAttachSingle = 1, 2, 4
cudaMemAdviseSetReadMostly, cudaMemAdviseUnsetReadMostly = 1, 2
cudaMemAdviseSetPreferredLocation, cudaMemAdviseUnsetPreferredLocation = 3, 4
cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy = 5, 6
cudaMemAllocationTypePinned = 1
cudaMemHandleTypeNone, cudaMemHandleTypePosixFileDescriptor = 0, 1
cudaMemLocationTypeInvalid, cudaMemLocationTypeDevice, cudaMemLocationTypeHost = 0, 1, 2
cudaMemLocationTypeHostNuma, cudaMemLocationTypeHostNumaCurrent = 3, 4
cudaMemPoolReuseFollowEventDependencies, cudaMemPoolReuseAllowOpportunistic = 1, 2
cudaMemPoolReuseAllowInternalDependencies, cudaMemPoolAttrReleaseThreshold = 3, 4
cudaMemPoolAttrReservedMemCurrent, cudaMemPoolAttrReservedMemHigh = 5, 6
cudaMemPoolAttrUsedMemCurrent, cudaMemPoolAttrUsedMemHigh = 7, 8

cudaGraphDebugDotFlagsVerbose, cudaGraphDebugDotFlagsKernelNodeParams = 1, 4
cudaGraphDebugDotFlagsMemcpyNodeParams, cudaGraphDebugDotFlagsMemsetNodeParams = 8, 16
cudaGraphDebugDotFlagsHostNodeParams, cudaGraphDebugDotFlagsEventNodeParams = 32, 64
cudaGraphDebugDotFlagsExtSemasSignalNodeParams, cudaGraphDebugDotFlagsExtSemasWaitNodeParams = 128, 256
cudaGraphDebugDotFlagsKernelNodeAttributes, cudaGraphDebugDotFlagsHandles = 512, 1024
cudaGraphDebugDotFlagsConditionalNodeParams = 32768

CUDA_R_32F, CUDA_R_64F, CUDA_R_16F, CUDA_R_8I, CUDA_C_32F, CUDA_C_64F, CUDA_C_16F, CUDA_C_8I = range(8)
CUDA_R_8U, CUDA_C_8U, CUDA_R_16BF = 8, 9, 14

cudaErrorInvalidValue, cudaErrorMemoryAllocation, cudaErrorInvalidDevice = 1, 2, 101
cudaErrorInvalidResourceHandle, cudaErrorNotReady = 400, 600
cudaErrorPeerAccessAlreadyEnabled, cudaErrorPeerAccessNotEnabled = 704, 705
cudaErrorHostMemoryNotRegistered = 713
cudaErrorContextIsDestroyed, cudaErrorInvalidMemcpyDirection = 709, 21
errorInvalidValue, errorMemoryAllocation, errorInvalidResourceHandle = 1, 2, 400
errorPeerAccessAlreadyEnabled, errorContextIsDestroyed = 704, 709
