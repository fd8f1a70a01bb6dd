"""Products of distributed matrices, by blocks."""

import tenorite
from tenorite.cuda.device import Device
from tenorite.distributed.array import _array, _modes
from tenorite.distributed.array._array import DistributedArray


def _blocks(array, inner):
    """{(leading axes, rows or columns, inner): {device: chunk}} of a matrix."""
    found = {}
    for device, chunk in array._all():
        *leading, first, second = chunk.place
        outer, along = (first, second) if inner == 1 else (second, first)
        found.setdefault((tuple(leading), outer, along), {})[device] = chunk
    return found


def _check_shapes(a, b):
    if a.shape[-1] != b.shape[-2] or a.shape[:-2] != b.shape[:-2]:
        raise ValueError(f"matmul of distributed arrays of shapes {a.shape} and {b.shape}")


def _check_cuts(of_a, of_b):
    inner_a, inner_b = ({along for _, _, along in blocks} for blocks in (of_a, of_b))
    if inner_a != inner_b:
        cut = [sorted((each.start, each.stop) for each in inner) for inner in (inner_a, inner_b)]
        raise RuntimeError(
            f"Inconsistent cuts: the columns of the first matrix are cut at {cut[0]}, the rows of the second at {cut[1]}"
        )


def _with_axis(array, at):
    """A distributed array of one axis with another one of length 1."""

    def reshape(_, chunk):
        place = [*chunk.place]
        place.insert(at, range(1))
        return _array._Chunk(chunk.array.reshape(tuple(map(len, place))), tuple(place))

    return array._like(reshape, array.mode, (1, *array.shape) if at == 0 else (*array.shape, 1))


def _without_axes(array, axes):
    """A distributed array without axes of length 1."""

    def reshape(_, chunk):
        place = tuple(one for axis, one in enumerate(chunk.place) if axis not in axes)
        return _array._Chunk(chunk.array.reshape(tuple(map(len, place))), place)

    return array._like(reshape, array.mode, tuple(n for axis, n in enumerate(array.shape) if axis not in axes))


def _home(of_a, of_b, work):
    """The device that multiplies two blocks: the least busy that has both, or the first one."""
    both = [device for device in of_a if device in of_b] or list(of_a)
    return min(both, key=lambda device: work.get(device, 0))


def matmul(a, b):
    """The matrix product of distributed matrices.

    Parameters
    ----------
    a, b : DistributedArray
        Matrices, stacks of them, or vectors. The columns of `a` are cut as the rows of `b`.

    Returns
    -------
    DistributedArray
        The product, in the mode SUM: each device has the products of its blocks.

    Raises
    ------
    ValueError
        If shapes do not fit.
    RuntimeError
        If blocks do not fit.

    Notes
    -----
    Two blocks are multiplied by a device that has both; where none has, the second is copied.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.distributed.array import distributed_array, matmul
    >>> a = distributed_array(cp.eye(2), {0: [slice(0, 1), slice(1, 2)]})
    >>> b = distributed_array(cp.ones((2, 2)), {0: slice(0, 2)})
    >>> matmul(a, b).get()
    array([[1., 1.],
           [1., 1.]])
    """
    if not isinstance(a, DistributedArray) or not isinstance(b, DistributedArray):
        raise TypeError(f"matmul of distributed arrays, not {type(a).__name__} and {type(b).__name__}")
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError(f"matmul of distributed arrays of shapes {a.shape} and {b.shape}")
    a, b = a.change_mode(_modes.REPLICA), b.change_mode(_modes.REPLICA)
    if a.ndim == 1 or b.ndim == 1:
        rows, columns = _with_axis(a, 0) if a.ndim == 1 else a, _with_axis(b, 1) if b.ndim == 1 else b
        made, last = matmul(rows, columns), max(a.ndim, b.ndim, 2) - 1
        axes = [axis for axis, of in ((last - 1, a), (last, b)) if of.ndim == 1]
        return _without_axes(made, axes)
    _check_shapes(a, b)
    of_a, of_b = _blocks(a, 1), _blocks(b, 0)
    _check_cuts(of_a, of_b)
    work, sums = {}, {}
    for (leading, rows, along), left in of_a.items():
        for (others, columns, inner), right in of_b.items():
            if leading != others or along != inner:
                continue
            device = _home(left, right, work)
            work[device] = work.get(device, 0) + len(rows) * len(columns) * len(inner)
            with Device(device):
                second = right.get(device) or next(iter(right.values()))
                made = left[device].array @ _array._to(device, second.array)
                place = (*leading, rows, columns)
                own = sums.setdefault(device, {})
                own[place] = own[place] + made if place in own else made
    chunks = {device: [_array._Chunk(array, place) for place, array in own.items()] for device, own in sums.items()}
    dtype = tenorite.result_type(a.dtype, b.dtype)
    return DistributedArray((*a.shape[:-1], b.shape[-1]), dtype, chunks, _modes.SUM, a._comms)
