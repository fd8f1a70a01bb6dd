"""Places of chunks: a range for each axis, and what two of them have in common."""

import collections
import math


def normalized(index, shape):
    """An index of slices (and integers, ellipses) as a range for each axis."""
    items = index if isinstance(index, tuple) else (index,)
    if Ellipsis in items:
        at = items.index(Ellipsis)
        items = items[:at] + (slice(None),) * (len(shape) - len(items) + 1) + items[at + 1 :]
    if len(items) > len(shape):
        raise IndexError(f"too many indices for a distributed array of shape {shape}: {index}")
    items += (slice(None),) * (len(shape) - len(items))
    return tuple(_range(item, size, axis) for axis, (item, size) in enumerate(zip(items, shape, strict=True)))


def _range(item, size, axis):
    if isinstance(item, slice):
        made = range(*item.indices(size))
        if item.step is not None and item.step < 0:
            raise ValueError(f"the step along axis {axis} must be positive, not {item.step}")
        return made
    number = item.__index__()
    if not -size <= number < size:
        raise IndexError(f"index {number} is out of bounds for axis {axis} with size {size}")
    return range(number % size, number % size + 1)


def slices(place):
    """The ranges as slices."""
    return tuple(slice(each.start, each.stop, each.step) for each in place)


def _common(a, b):
    """The numbers that are in both ranges, as a range; None: there are none."""
    if not a or not b:
        return None
    common = math.gcd(a.step, b.step)
    if (b.start - a.start) % common:
        return None
    step = a.step // common * b.step
    # The least number of both, were they endless: a.start + k * a.step == b.start (mod b.step)
    turns = b.step // common
    k = (b.start - a.start) // common * pow(a.step // common, -1, turns) % turns if turns > 1 else 0
    first = a.start + k * a.step
    least = max(a.start, b.start)
    if first < least:
        first += -(-(least - first) // step) * step
    found = range(first, min(a[-1], b[-1]) + 1, step)
    return found or None


def intersection(a, b):
    """What two places have in common, as a place; None: nothing."""
    found = tuple(_common(one, other) for one, other in zip(a, b, strict=True))
    return None if None in found else found


def inside(part, place):
    """The index of a part within the chunk of a place."""
    index = []
    for small, large in zip(part, place, strict=True):
        step = small.step // large.step if len(small) > 1 else 1
        first = (small.start - large.start) // large.step
        index.append(slice(first, first + (len(small) - 1) * step + 1, step))
    return tuple(index)


def sizes(place):
    """The shape of a chunk."""
    return tuple(map(len, place))


def make_2d_index_map(i_partitions, j_partitions, devices):
    """The places of blocks of a matrix.

    Parameters
    ----------
    i_partitions : list of int
        Where blocks begin and end along the rows, from 0.
    j_partitions : list of int
        Where they do along the columns.
    devices : list of list of set of int
        The devices that have the block at each place of the grid.

    Returns
    -------
    dict
        From a device to the indices of its blocks, for `distributed_array`.

    Raises
    ------
    ValueError
        If the partitions do not grow, or there are not as many sets as blocks.

    Examples
    --------
    >>> from tenorite.distributed.array import make_2d_index_map
    >>> make_2d_index_map([0, 2, 4], [0, 3], [[{0}], [{1}]])
    {0: [(slice(0, 2, None), slice(0, 3, None))], 1: [(slice(2, 4, None), slice(0, 3, None))]}
    """
    for name, partitions in (("i_partitions", i_partitions), ("j_partitions", j_partitions)):
        if partitions[0] != 0 or sorted(set(partitions)) != list(partitions):
            raise ValueError(f"{name} must begin with 0 and grow, not be {partitions}")
    rows, columns = len(i_partitions) - 1, len(j_partitions) - 1
    if len(devices) != rows or any(len(row) != columns for row in devices):
        raise ValueError(f"devices must have {rows} rows of {columns} sets")
    found = collections.defaultdict(list)
    for i in range(rows):
        for j in range(columns):
            block = slice(*i_partitions[i : i + 2]), slice(*j_partitions[j : j + 2])
            for device in devices[i][j]:
                found[device].append(block)
    return dict(found)
