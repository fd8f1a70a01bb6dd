"""Memory by address on the host: what the functions of the driver do there, under the names and
with the arguments that the core has them, so that tenorite.cuda.runtime calls either.

The host reaches all memory, so an address that was not handed out here counts as the device's.
Copies and fills are operations of the streams. A pool of the driver is a MemoryPool.
"""

import itertools
import sys

from tenorite import _core
from tenorite.cuda import _numbers as cuda
from tenorite.cuda.stream import ExternalStream
from tenorite.exceptions import CUDARuntimeError


def of_device():
    """What has the functions on memory for the current device: the core, whose are the driver's,
    or this."""
    return _core if _core._Device().backend == "cuda" else sys.modules[__name__]


def _fail(name, text):
    raise CUDARuntimeError(f"{name}: {text}")


def _check_number(number):
    if not 0 <= number < _core._device_count("host"):
        _fail("cudaErrorInvalidDevice", f"the host has no device {number}")


# --- Memory that is handed out ---

_made = {}  # address: (what owns the memory, its type)


def _keep(owner, kind):
    _made[owner.ptr] = owner, kind
    return owner.ptr


def _drop(address, kinds):
    found = _made.get(address)
    if found is None or found[1] not in kinds:
        _fail("cudaErrorInvalidValue", f"there is no memory of that kind at {address:#x}")
    return _made.pop(address)[0]


def _cuda_malloc(size, number, is_managed):
    if not size:
        return 0
    with _core._Device(number):
        return _keep(_core._Memory(size), cuda.memoryTypeManaged if is_managed else cuda.memoryTypeDevice)


def _cuda_free(address, number):
    kept = _drop(address, (cuda.memoryTypeDevice, cuda.memoryTypeManaged))
    _core._Device(number).synchronize()  # as the driver's function waits for the device
    del kept


def _cuda_malloc_async(size, pool, stream, number):
    with _core._Device(number), ExternalStream(stream):
        return _keep(_pool(pool, number).pool.malloc(size).mem, cuda.memoryTypeDevice) if size else 0


def _cuda_free_async(address, stream, number):
    _stream_of(stream).launch_host_func(_nothing, _drop(address, (cuda.memoryTypeDevice,)))


def _nothing(kept):
    """What the stream calls when memory is no longer used; until then it keeps the argument."""


# --- Page-locked memory: to the host all memory is the same ---

_registered = {}  # address: bytes


def _cuda_malloc_host(size, flags):
    if flags & ~(cuda.hostAllocPortable | cuda.hostAllocMapped | cuda.hostAllocWriteCombined):
        _fail("cudaErrorInvalidValue", f"there are no flags {flags:#x} of hostAlloc")
    return _keep(_core._PinnedMemory(size), cuda.memoryTypeHost) if size else 0


def _cuda_free_host(address):
    if address:
        _drop(address, (cuda.memoryTypeHost,))


def _cuda_host_register(address, size, flags):
    if address in _registered:
        _fail("cudaErrorHostMemoryAlreadyRegistered", "part or all of the memory is registered already")
    if not address or not size:
        _fail("cudaErrorInvalidValue", f"{size} bytes at {address:#x} can't be registered")
    _registered[address] = size


def _cuda_host_unregister(address):
    if _registered.pop(address, None) is None:
        _fail("cudaErrorHostMemoryNotRegistered", f"the memory at {address:#x} is not registered")


def _cuda_pointer(address):
    kind = cuda.memoryTypeHost if address in _registered else _made.get(address, (None, cuda.memoryTypeDevice))[1]
    return kind, _core._Device().id, address, address


# --- Copies and fills ---


def _stream_of(number):
    try:
        return ExternalStream(number)
    except ValueError:
        _fail("cudaErrorInvalidResourceHandle", f"there is no stream {number:#x}")


def _memory_at(address, size, number):
    return _core._MemoryPointer(_core._UnownedMemory(address, size, None, number), 0)


def _queue(is_async, stream, number, work):
    """Calls `work` with the stream current, and waits unless the call is asynchronous."""
    with _core._Device(number):
        used = _stream_of(stream)
        with used:
            work()
        if not is_async:
            used.synchronize()


def _check_kind(kind):
    if not cuda.memcpyHostToHost <= kind <= cuda.memcpyDefault:
        _fail("cudaErrorInvalidMemcpyDirection", f"there is no direction {kind} of copies")


def _bytes_at(address, shape, steps, number):
    size = (shape[0] - 1) * steps[0] + shape[1]
    return _core.ndarray(shape, "uint8", _memory_at(address, size, number), steps)


def _cuda_memcpy(to, source, size, kind, is_async, stream, number):
    _check_kind(kind)
    if size:
        _queue(
            is_async,
            stream,
            number,
            lambda: _memory_at(to, size, number).copy_from_device_async(_memory_at(source, size, number), size),
        )


def _cuda_memcpy_2d(to, to_pitch, source, pitch, width, height, kind, is_async, stream, number):
    _check_kind(kind)
    if width > to_pitch or width > pitch:
        _fail("cudaErrorInvalidPitchValue", f"rows of {width} bytes don't fit pitches of {to_pitch} and {pitch}")

    def work():
        rows = _bytes_at(to, (height, width), (to_pitch, 1), number)
        rows[...] = _bytes_at(source, (height, width), (pitch, 1), number)

    if width and height:
        _queue(is_async, stream, number, work)


def _cuda_memcpy_peer(to, to_number, source, number, size, is_async, stream):
    _check_number(to_number)
    _check_number(number)
    _cuda_memcpy(to, source, size, cuda.memcpyDefault, is_async, stream, number)


def _cuda_memset(address, value, size, is_async, stream, number):
    if size:
        _queue(is_async, stream, number, lambda: _memory_at(address, size, number).memset_async(value & 255, size))


def _cuda_prefetch(address, size, to, stream, number):
    """Memory is where it is; the device has to be one, or the host of a GPU, -1."""
    _stream_of(stream)
    if to != -1:
        _check_number(to)


def _cuda_advise(address, size, advice, device, number):
    if not 1 <= advice <= 6:
        _fail("cudaErrorInvalidValue", f"there is no advice {advice}")
    if device != -1:
        _check_number(device)


# --- Pools ---


_SETTINGS = {
    cuda.cudaMemPoolReuseFollowEventDependencies: 1,
    cuda.cudaMemPoolReuseAllowOpportunistic: 1,
    cuda.cudaMemPoolReuseAllowInternalDependencies: 1,
    cuda.cudaMemPoolAttrReleaseThreshold: 0,
}
_FACTS = {
    cuda.cudaMemPoolAttrReservedMemCurrent: "total_bytes",
    cuda.cudaMemPoolAttrReservedMemHigh: "peak_total_bytes",
    cuda.cudaMemPoolAttrUsedMemCurrent: "used_bytes",
    cuda.cudaMemPoolAttrUsedMemHigh: "peak_used_bytes",
}


class _Pool:
    """A pool, and what a program sets of it."""

    def __init__(self, pool):
        self.pool, self.settings = pool, dict(_SETTINGS)


_handles = itertools.count(2)
_DEFAULT = 1
_pools, _current = {_DEFAULT: _Pool(_core._default_memory_pool)}, {}


def _pool(handle, number):
    """The pool of a handle; 0: the current one of a device."""
    handle = handle or _current.get(number, _DEFAULT)
    if handle not in _pools:
        _fail("cudaErrorInvalidValue", f"there is no memory pool {handle:#x}")
    return _pools[handle]


def _cuda_pool_memory(kind, size):
    """Memory of the current pool; it is the pool's own kind."""
    return _pool(0, _core._Device().id).pool.malloc(size)


def _cuda_pool_handle(number, is_default):
    _check_number(number)
    return _DEFAULT if is_default else _current.get(number, _DEFAULT)


def _cuda_pool_set_current(handle, number):
    _check_number(number)
    _pool(handle, number)
    _current[number] = handle


def _cuda_pool_new(handle_type, number):
    _check_number(number)
    handle = next(_handles)
    _pools[handle] = _Pool(_core._MemoryPool())
    return handle


def _cuda_pool_release(handle):
    if handle == _DEFAULT:
        _fail("cudaErrorInvalidValue", "the default pool of a device can't be destroyed")
    _pool(handle, 0)
    del _pools[handle]
    for number in [number for number, current in _current.items() if current == handle]:
        del _current[number]


def _cuda_pool_trim(size, handle, number):
    pool = _pool(handle, number).pool
    if pool.total_bytes() > size:
        pool.free_all_blocks()


def _cuda_pool_get(attribute, handle, number):
    pool = _pool(handle, number)
    if attribute in pool.settings:
        return pool.settings[attribute]
    if attribute not in _FACTS:
        _fail("cudaErrorInvalidValue", f"memory pools have no attribute {attribute}")
    return pool.pool.statistics()[_FACTS[attribute]]


def _cuda_pool_set(attribute, value, handle, number):
    pool = _pool(handle, number)
    if attribute not in pool.settings:
        _fail("cudaErrorInvalidValue", f"attribute {attribute} of a memory pool can't be set")
    pool.settings[attribute] = value
