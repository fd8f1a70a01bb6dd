"""CuPy's room of products of distributed matrices."""

from tenorite.distributed.array import make_2d_index_map, matmul

__all__ = ["make_2d_index_map", "matmul"]
