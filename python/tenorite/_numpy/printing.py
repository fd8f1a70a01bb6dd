"""Arrays as text: NumPy's own printing of a copy in host memory."""

import numpy

from tenorite import _core
from tenorite._arguments import also_named, host_view, ndarray

_WHOLE_BYTES = 1 << 16


def printable(a, threshold=None, edgeitems=None):
    """A numpy.ndarray that prints as `a` does: the elements that NumPy would show are copied.

    Of a large array only the edges are: the rest of the result is memory that is never touched.
    """
    if not isinstance(a, ndarray):
        return numpy.asarray(a)
    options = numpy.get_printoptions()
    threshold = options["threshold"] if threshold is None else threshold
    edge = options["edgeitems"] if edgeitems is None else edgeitems
    if a.size <= threshold or a.nbytes <= _WHOLE_BYTES or edge < 1:
        return _named(a, a.get(order="A"))
    if a.device.backend == "host" and a.dtype.kind in "biufc":
        return _named(a, host_view(a))
    places = []
    shape, dtype = a.shape, a.dtype
    for axis, count in enumerate(shape):
        if count > 2 * edge:
            lead = (slice(None),) * axis
            a = _core.concatenate([a[(*lead, slice(edge))], a[(*lead, slice(-edge, None))]], axis)
            place = numpy.arange(2 * edge)
            place[edge:] += count - 2 * edge
        else:
            place = numpy.arange(count)
        places.append(place.reshape((-1,) + (1,) * (len(shape) - axis - 1)))
    host = numpy.empty(shape, dtype)
    host[tuple(places)] = a.get()
    return _named(a, host)


def _named(a, host):
    """NumPy prints the class of a subclass; `host` gets one of the same name."""
    if type(a) is ndarray:
        return host
    return host.view(type(type(a).__name__, (numpy.ndarray,), {}))


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """An array's repr() as text, "array([1, 2])", as numpy.array_repr of its copy. Waits.

    Parameters
    ----------
    arr : ndarray
        The elements.
    max_line_width : int, optional
        The width at which lines break.
    precision : int, optional
        How many digits are shown.
    suppress_small : bool, optional
        Whether numbers near zero are shown as zero.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.array_repr(cp.array([1, 2]))
    'array([1, 2])'
    """
    return numpy.array_repr(printable(arr), max_line_width, precision, suppress_small)


@also_named(arr="a")
def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    """An array's str() as text, "[1 2]", as numpy.array_str of its copy. Waits.

    Parameters
    ----------
    a : ndarray
        The elements.
    max_line_width : int, optional
        The width at which lines break.
    precision : int, optional
        How many digits are shown.
    suppress_small : bool, optional
        Whether numbers near zero are shown as zero.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.array_str(cp.array([1, 2]))
    '[1 2]'
    """
    return numpy.array_str(printable(a), max_line_width, precision, suppress_small)


def array2string(a, *args, **kwargs):
    """An array as text, with all arguments of numpy.array2string. Waits.

    Parameters
    ----------
    a : ndarray
        The elements.
    *args : tuple
        As NumPy's function of this name takes them.
    **kwargs : dict
        As NumPy's function of this name takes them.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.array2string(cp.array([1, 2]))
    '[1 2]'
    """
    host = printable(a, kwargs.get("threshold"), kwargs.get("edgeitems"))
    return numpy.array2string(host, *args, **kwargs)


def format_float_positional(x, *args, **kwargs):
    """A number, or array of one element, in positional notation, as NumPy's function.

    Parameters
    ----------
    x : scalar or 0-d ndarray
        The number.
    *args : tuple
        As NumPy's function of this name takes them.
    **kwargs : dict
        As NumPy's function of this name takes them.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.format_float_positional(cp.float32(0.1))
    '0.1'
    """
    return numpy.format_float_positional(x.item() if isinstance(x, ndarray) else x, *args, **kwargs)


def format_float_scientific(x, *args, **kwargs):
    """A number, or array of one element, in scientific notation, as NumPy's function.

    Parameters
    ----------
    x : scalar or 0-d ndarray
        The number.
    *args : tuple
        As NumPy's function of this name takes them.
    **kwargs : dict
        As NumPy's function of this name takes them.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.format_float_scientific(cp.float32(0.1))
    '1.e-01'
    """
    return numpy.format_float_scientific(x.item() if isinstance(x, ndarray) else x, *args, **kwargs)


def base_repr(number, base=2, padding=0):
    """An integer as text in a base, as NumPy's function.

    Parameters
    ----------
    number : int
        The number; a negative one has a minus sign.
    base : int, optional
        The base, 2 to 36.
    padding : int, optional
        How many zeros are added on the left.

    Returns
    -------
    str
        The text.

    Raises
    ------
    ValueError
        If `base` is beyond 2 to 36.

    See Also
    --------
    tenorite.binary_repr : Base 2, with two's complements.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.base_repr(255, 16), cp.base_repr(-5, 3, padding=2)
    ('FF', '-0012')
    """
    return numpy.base_repr(number, base, padding)


def binary_repr(num, width=None):
    """An integer as binary text, as NumPy's function.

    Parameters
    ----------
    num : int
        The number. Without a width a negative one has a minus sign.
    width : int, optional
        The number of digits; a negative number is its two's complement then.

    Returns
    -------
    str
        The text.

    Raises
    ------
    ValueError
        If the number needs more digits than `width`.

    See Also
    --------
    tenorite.base_repr : Any base.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.binary_repr(5), cp.binary_repr(-3), cp.binary_repr(-3, width=4)
    ('101', '-11', '1101')
    """
    return numpy.binary_repr(num, width)
