"""CuPy's chunks, whose constructor has the event after which the array is there. An array of ours
waits by itself."""

from tenorite.distributed.array import _index
from tenorite.distributed.array._array import DistributedArray, _Chunk as _ChunkOfOurs

__all__ = ["_Chunk"]


def _Chunk(array, ready, index, updates=None, prevent_gc=None):
    """A chunk of an array at a place."""
    sizes = tuple(each.stop for each in index)
    return _ChunkOfOurs(array, _index.normalized(index, sizes))


DistributedArray._chunks_map = property(lambda self: self._chunks)
DistributedArray._to_op_mode = DistributedArray.change_mode
