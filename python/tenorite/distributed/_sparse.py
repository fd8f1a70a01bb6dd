"""Sparse matrices among ranks: each is sent as what describes it, and then its arrays.

All calls are made of one, the exchange of several matrices with several ranks.
"""

import numpy

import tenorite
from tenorite.cuda.stream import get_current_stream
from tenorite.scipy.sparse import issparse

_FORMATS = {"coo": ("data", "row", "col"), "csr": ("data", "indices", "indptr"), "csc": ("data", "indices", "indptr")}
_WORDS = 7  # format, rows, columns, the lengths of three arrays, dtypes


def _facts_of(matrix):
    parts = _parts_of(matrix)
    dtypes = ord(parts[0].dtype.char) << 8 | ord(parts[1].dtype.char)
    return [list(_FORMATS).index(matrix.format), *matrix.shape, *(part.size for part in parts), dtypes]


def _parts_of(matrix):
    if not issparse(matrix) or matrix.format not in _FORMATS:
        kind = getattr(matrix, "format", type(matrix).__name__)
        raise TypeError(f"sparse matrices among ranks are of format {', '.join(_FORMATS)}, not {kind}")
    return [tenorite.ascontiguousarray(getattr(matrix, name)) for name in _FORMATS[matrix.format]]


def _fill(matrix, facts, parts):
    """Puts what was received into a matrix."""
    format = list(_FORMATS)[facts[0]]
    if matrix.format != format:
        raise RuntimeError(f"a matrix of format {format} was sent; the one that receives has format {matrix.format}")
    data, first, second = parts
    made = (data, (first, second)) if format == "coo" else (data, first, second)
    matrix.__init__(made, shape=(facts[1], facts[2]))


def exchange(group, sent, received, stream=None):
    """Sends and receives matrices: (matrix, rank) each. Waits for what describes those received."""
    if stream is None:
        stream = get_current_stream()
    with stream:
        given = [_parts_of(matrix) for matrix, _ in sent]
        facts = [tenorite.asarray(_facts_of(matrix), dtype=numpy.int64) for matrix, _ in sent]
        room = [tenorite.empty(_WORDS, dtype=numpy.int64) for _ in received]
        group._exchange(
            [(words, rank) for words, (_, rank) in zip(facts, sent, strict=True)],
            [(words, rank) for words, (_, rank) in zip(room, received, strict=True)],
            stream,
        )
        known = [words.get().tolist() for words in room]
        made = [_room_for(words) for words in known]
        group._exchange(
            [(part, rank) for parts, (_, rank) in zip(given, sent, strict=True) for part in parts],
            [(part, rank) for parts, (_, rank) in zip(made, received, strict=True) for part in parts],
            stream,
        )
        for (matrix, _), words, parts in zip(received, known, made, strict=True):
            _fill(matrix, words, parts)


def _room_for(facts):
    data, index = chr(facts[6] >> 8), chr(facts[6] & 255)
    return [tenorite.empty(size, dtype=dtype) for size, dtype in zip(facts[3:6], (data, index, index), strict=True)]


# --- Calls that reduce ---


def _empty_like(matrix):
    return type(matrix)(matrix.shape, dtype=matrix.dtype)


def reduce(group, in_array, out_array, root, op, stream):
    """The sum or the product of all matrices, at rank `root`."""
    if op not in ("sum", "prod"):
        raise ValueError(f"sparse matrices have sum and prod, not {op}")
    ranks = range(group._n_devices)
    if group.rank != root:
        return exchange(group, [(in_array, root)], [], stream)
    given = [in_array if rank == root else _empty_like(in_array) for rank in ranks]
    exchange(group, [], [(given[rank], rank) for rank in ranks if rank != root], stream)
    total = given[0]
    for other in given[1:]:
        if other.shape != total.shape:
            raise ValueError(f"matrices of shapes {total.shape} and {other.shape} at rank {root}")
        total = total + other if op == "sum" else total.multiply(other)
    _copy(out_array, total)


def _copy(matrix, of):
    of = of.asformat(matrix.format)
    _fill(matrix, _facts_of(of), [part.copy() for part in _parts_of(of)])


def broadcast(group, in_out_array, root, stream):
    """The matrix of rank `root`, at all."""
    if group.rank != root:
        return exchange(group, [], [(in_out_array, root)], stream)
    exchange(group, [(in_out_array, rank) for rank in range(group._n_devices) if rank != root], [], stream)


def all_reduce(group, in_array, out_array, op, stream):
    """The sum or the product of all matrices, at all ranks."""
    reduce(group, in_array, out_array, 0, op, stream)
    broadcast(group, out_array, 0, stream)


def reduce_scatter(group, in_arrays, out_array, op, stream):
    """At each rank the sum or the product of the matrices that are its part."""
    if len(in_arrays) != group._n_devices:
        raise RuntimeError(f"in_array has {len(in_arrays)} matrices; it has one for each of {group._n_devices} ranks")
    for rank, matrix in enumerate(in_arrays):
        reduce(group, matrix, out_array, rank, op, stream)


def all_gather(group, in_array, out_arrays, stream):
    """All matrices, at all ranks."""
    ranks = range(group._n_devices)
    if len(out_arrays) != group._n_devices:
        raise RuntimeError(f"out_array has {len(out_arrays)} matrices; it has one for each of {group._n_devices} ranks")
    exchange(group, [(in_array, rank) for rank in ranks], [(out_arrays[rank], rank) for rank in ranks], stream)
