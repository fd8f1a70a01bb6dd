"""Arrays that are spread over the devices of one process, under the names of CuPy's
cupyx.distributed.array.

A distributed array consists of chunks: arrays of devices, each of which is a part of the whole.
Parts may overlap. In the mode REPLICA equal elements lie there; in another mode (SUM, MAX ...) the
element of the whole is what the operation makes of all that lie there.
"""

from tenorite.distributed.array._array import DistributedArray, distributed_array
from tenorite.distributed.array._index import make_2d_index_map
from tenorite.distributed.array._modes import MAX, MIN, PROD, REPLICA, SUM, Mode
from tenorite.distributed.array._product import matmul

__all__ = [
    "MAX",
    "MIN",
    "PROD",
    "REPLICA",
    "SUM",
    "DistributedArray",
    "Mode",
    "distributed_array",
    "make_2d_index_map",
    "matmul",
]
