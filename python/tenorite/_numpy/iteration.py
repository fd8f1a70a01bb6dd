"""Iteration over the elements of several arrays at once, on the host: nditer and nested_iters.

In which order elements come, how arrays broadcast, and what is refused is NumPy's: an iterator of
NumPy's runs over arrays of the same shapes and strides, of which no element is ever touched. Its
pointers become views of our arrays, so a step costs a view, and reading its element a wait.
"""

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of, ndarray

_REFUSED = ("buffered", "growinner", "delay_bufalloc", "copy_if_overlap")


class _Like:
    """An array of NumPy's that has shape, strides and dtype of one of ours, and memory that is
    reserved and not used."""

    def __init__(self, array):
        self.array = array
        steps = [stride * (n - 1) for n, stride in zip(array.shape, array.strides) if n]
        below, above = sum(-one for one in steps if one < 0), sum(one for one in steps if one > 0)
        memory = numpy.empty(below + above + array.itemsize, numpy.uint8)
        self.host = numpy.ndarray(array.shape, array.dtype, memory, below, array.strides)
        self.host.flags.writeable = array.flags.writeable
        self.first = self.host.__array_interface__["data"][0]

    def view_of(self, part):
        """The view of our array where NumPy's has `part`."""
        offset = part.__array_interface__["data"][0] - self.first
        made = _core.ndarray(part.shape, self.array.dtype, self.array.data + offset, strides=part.strides)
        made.flags.writeable = part.flags.writeable
        return made


def _operands(op):
    several = isinstance(op, (tuple, list)) and any(one is None or isinstance(one, ndarray) for one in op)
    return [one if one is None else as_array_of(one) for one in (op if several else [op])], several


def _check(flags, op_flags, **others):
    if not isinstance(flags, (list, tuple)):
        raise ValueError("Iterator global flags must be a list or tuple of strings")
    found = [name for name in _REFUSED if name in flags]
    found += [name for one in op_flags or () for name in ([one] if isinstance(one, str) else one) if "copy" in name]
    found += [name for name, value in others.items() if value is not None]
    if found:
        raise NotImplementedError(f"nditer: {', '.join(found)}: elements of a device are not copied to a buffer")


def _shared(name):
    return property(lambda self: getattr(self._iterator, name), doc=f"`{name}` of NumPy's nditer.")


class nditer:
    """Elements of arrays, one after the other, as views without axes; the arrays broadcast.

    Parameters
    ----------
    op : ndarray or sequence of ndarrays
        What is iterated over; None where an array is to be made, of a dtype of `op_dtypes`.
    flags : sequence of str, optional
        As NumPy has them, but for those of buffers (NotImplementedError).
    op_flags : list of lists of str, optional
        For each array "readonly" (the default), "readwrite" or "writeonly".
    op_dtypes : dtype or sequence of dtypes, optional
        The dtypes of the arrays that are made.
    order : {'K', 'C', 'F', 'A'}, optional
        The order of the elements; K is that of the memory.
    casting : str, optional
        Nothing is cast; for NumPy's programs.
    op_axes : list of lists of ints, optional
        The axes of each array that belong to the iterator's.
    itershape : tuple of ints, optional
        The iterator's shape.
    buffersize : int, optional
        There is no buffer; for NumPy's programs.

    Examples
    --------
    >>> import tenorite as cp
    >>> a = cp.array([[1, 2], [3, 4]])
    >>> [int(x) for x in cp.nditer(a, order="F")]
    [1, 3, 2, 4]
    >>> with cp.nditer(a, op_flags=["readwrite"]) as it:
    ...     for x in it:
    ...         x[...] = 2 * x
    >>> a
    array([[2, 4],
           [6, 8]])
    """

    def __init__(
        self,
        op,
        flags=(),
        op_flags=None,
        op_dtypes=None,
        order="K",
        casting="safe",
        op_axes=None,
        itershape=None,
        buffersize=0,
    ):
        arrays, self._is_several = _operands(op)
        _check(flags, op_flags)
        likes = [one if one is None else _Like(one) for one in arrays]
        dtypes = op_dtypes if op_dtypes is None or any(one is None for one in arrays) else None
        given = {"op_axes": op_axes, "itershape": itershape}
        made = numpy.nditer(
            [one if one is None else one.host for one in likes],
            list(flags),
            op_flags,
            dtypes,
            order,
            casting,
            **{name: value for name, value in given.items() if value is not None},
        )
        self._hold(made, likes)

    def _hold(self, iterator, likes):
        self._iterator, self._likes = iterator, likes
        self._is_first = True
        for place, (one, host) in enumerate(zip(likes, iterator.operands)):
            if one is None:
                order = "F" if host.flags.f_contiguous and not host.flags.c_contiguous else "C"
                likes[place] = _Like(_core.empty(host.shape, host.dtype, order=order))
                likes[place].first = host.__array_interface__["data"][0]

    @property
    def operands(self):
        """The arrays."""
        return tuple(one.array for one in self._likes)

    @property
    def value(self):
        """The views at the present place: one, or a tuple."""
        found = self._iterator.value
        if len(self._likes) == 1:
            return self._likes[0].view_of(found)
        return tuple(one.view_of(part) for one, part in zip(self._likes, found))

    def __getitem__(self, key):
        made = self.value
        return ((made,) if len(self._likes) == 1 else made)[key]

    def __setitem__(self, key, value):
        self[key][...] = value

    def __len__(self):
        return len(self._likes)

    def __iter__(self):
        return self

    def __next__(self):
        if self._is_first:
            self._is_first = False
            if self._iterator.finished:
                raise StopIteration
        elif not self._iterator.iternext():
            raise StopIteration
        return self.value

    def iternext(self):
        """Goes to the next place.

        Returns
        -------
        bool
            Whether there is one.

        Examples
        --------
        >>> import tenorite as cp
        >>> it = cp.nditer(cp.arange(2))
        >>> it.iternext(), it.iternext()
        (True, False)
        """
        return self._iterator.iternext()

    def reset(self):
        """Goes back to the first place.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.nditer(cp.arange(2)).reset()
        """
        self._is_first = True
        self._iterator.reset()

    def close(self):
        """Ends the iteration; also what ``with`` does at its end.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.nditer(cp.arange(2)).close()
        """
        self._iterator.close()

    def remove_axis(self, i):
        """Removes an axis from the iteration; see NumPy's nditer.

        Parameters
        ----------
        i : int
            The axis.

        Examples
        --------
        >>> import tenorite as cp
        >>> it = cp.nditer(cp.ones((2, 3)), ["multi_index"])
        >>> it.remove_axis(1)
        >>> it.itersize
        2
        """
        self._iterator.remove_axis(i)

    def remove_multi_index(self):
        """Stops to follow the position, which makes longer runs possible.

        Examples
        --------
        >>> import tenorite as cp
        >>> it = cp.nditer(cp.ones((2, 3)), ["multi_index"])
        >>> it.remove_multi_index()
        >>> it.has_multi_index
        False
        """
        self._iterator.remove_multi_index()

    def enable_external_loop(self):
        """Gives runs of elements as arrays of one dimension from here on.

        Examples
        --------
        >>> import tenorite as cp
        >>> it = cp.nditer(cp.ones((2, 3)))
        >>> it.enable_external_loop()
        >>> next(it).shape
        (6,)
        """
        self._iterator.enable_external_loop()

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.close()

    @property
    def multi_index(self):
        """The position in all axes; the flag of that name must be given."""
        return self._iterator.multi_index

    @multi_index.setter
    def multi_index(self, value):
        self._iterator.multi_index = value

    @property
    def index(self):
        """The position in the flat array; a flag says in which order."""
        return self._iterator.index

    @index.setter
    def index(self, value):
        self._iterator.index = value

    @property
    def iterindex(self):
        """How many places lie before the present one."""
        return self._iterator.iterindex

    @iterindex.setter
    def iterindex(self, value):
        self._iterator.iterindex = value

    @property
    def itviews(self):
        """The arrays as the iteration sees them, with its axes."""
        return tuple(one.view_of(part) for one, part in zip(self._likes, self._iterator.itviews))

    @property
    def dtypes(self):
        """The dtypes of the arrays."""
        return tuple(one.array.dtype for one in self._likes)

    finished, shape, ndim, itersize = (_shared(name) for name in ("finished", "shape", "ndim", "itersize"))
    nop, has_index, has_multi_index = (_shared(name) for name in ("nop", "has_index", "has_multi_index"))
    iterrange, iterationneedsapi, has_delayed_bufalloc = (
        _shared(name) for name in ("iterrange", "iterationneedsapi", "has_delayed_bufalloc")
    )


def nested_iters(op, axes, flags=(), op_flags=None, op_dtypes=None, order="K", casting="safe", buffersize=0):
    """Iterators over groups of axes, one within the other, as `nditer` gives them.

    A step of an outer one moves the inner ones to the elements that belong to it.

    Parameters
    ----------
    op : ndarray or sequence of ndarrays
        What is iterated over.
    axes : list of lists of ints
        The axes of each iterator, the outermost first.
    flags : sequence of str, optional
        As nditer has them.
    op_flags : list of lists of str, optional
        As nditer has them.
    op_dtypes : dtype or sequence of dtypes, optional
        Must be left out: nothing is cast.
    order : {'K', 'C', 'F', 'A'}, optional
        The order of the elements.
    casting : str, optional
        Nothing is cast; for NumPy's programs.
    buffersize : int, optional
        There is no buffer; for NumPy's programs.

    Returns
    -------
    tuple of nditers

    Raises
    ------
    ValueError
        For axes that an array has not, or that come twice.

    Examples
    --------
    >>> import tenorite as cp
    >>> i, j = cp.nested_iters(cp.array([[1, 2], [3, 4]]), [[1], [0]])
    >>> [[int(x) for x in j] for _ in i]
    [[1, 3], [2, 4]]
    """
    arrays, _ = _operands(op)
    _check(flags, op_flags, op_dtypes=op_dtypes)
    likes = [_Like(one) for one in arrays]
    found = numpy.nested_iters([one.host for one in likes], axes, list(flags), op_flags, None, order, casting)
    made = []
    for one in found:
        each = nditer.__new__(_Nested)
        each._hold(one, list(likes))
        made.append(each)
    return tuple(made)


class _Nested(nditer):
    """One of several, which the step of an outer one puts back to its first place."""

    def __iter__(self):
        self._is_first = True
        return self
