"""Parts of images that are connected: their labels, boxes, elements, and markers that grow."""

import numpy

from tenorite import _core
from tenorite._arguments import as_array, beside
from tenorite._numpy.rearranging import moveaxis
from tenorite.scipy.ndimage._structure import read_structure, structure_of

__all__ = ["find_objects", "label", "value_indices", "watershed_ift"]


def _symmetric(structure, rank):
    if structure is None:
        return structure_of(rank, 1)
    flags = read_structure(structure, rank)
    if not (flags == numpy.flip(flags)).all():
        raise AssertionError("Structuring element is not symmetric")
    return flags.tobytes()


def _fastest(output):
    """The axis along which SciPy walks through an output first: that of the least stride above 0,
    unless the first stride is below 0."""
    fastest, least = 0, 0
    for axis, stride in enumerate(output.strides):
        if least == 0 or 0 < stride < least:
            fastest, least = axis, stride
    return fastest


@beside
def label(input, structure=None, output=None):
    """Label the connected parts of what is not 0.

    Parameters
    ----------
    input : array_like
        An image of any number of axes.
    structure : array_like, optional
        Three flags along each axis: which of the elements around one are its neighbours. The
        structure equals its mirror image. By default those that differ along one axis.
    output : dtype or ndarray, optional
        The dtype of the labels, or where they go.

    Returns
    -------
    labeled_array : ndarray
        Labels 1, 2, ... in the order of the parts' first elements, and 0 elsewhere; int32 by
        default, int64 for 2 ** 31 - 2 elements or more. Only without an array for `output`.
    num_features : int
        How many parts there are.

    Raises
    ------
    TypeError
        The image is complex.
    RuntimeError
        The structure has another number of axes, or the labels do not fit into `output`.
    ValueError
        The structure does not have three flags along an axis; `output` has another shape.

    Notes
    -----
    One pass of union-find (path halving, atomic on a GPU); the number of launches does not depend
    on the image. The call waits for the number of parts.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.label(tn.array([[1, 1, 0, 1], [0, 0, 0, 1], [1, 0, 0, 0]]))
    (array([[1, 1, 0, 2],
           [0, 0, 0, 2],
           [3, 0, 0, 0]], dtype=int32), 3)
    """
    input = as_array(input)
    if output is None:
        return _core._label(input, _symmetric(structure, input.ndim))
    flags = _symmetric(structure, input.ndim)
    is_given = isinstance(output, _core.ndarray)
    if is_given and output.shape != input.shape:
        raise ValueError("output shape not correct")
    dtype = output.dtype if is_given else numpy.dtype(output)
    if dtype.kind == "c" or dtype == numpy.float16:
        raise TypeError("No matching signature found")
    axis = _fastest(output) if is_given and input.ndim else input.ndim - 1
    if axis != input.ndim - 1:
        cube = numpy.frombuffer(flags, bool).reshape((3,) * input.ndim)
        flags = numpy.moveaxis(cube, axis, -1).tobytes()
        input = moveaxis(input, axis, -1)
    labels, count = _core._label(input, flags)
    if dtype.kind in "iu" and count > numpy.iinfo(dtype).max:
        raise RuntimeError("insufficient bit-depth in requested output type")
    if axis != input.ndim - 1:
        labels = moveaxis(labels, -1, axis)
    if not is_given:
        return labels.astype(dtype), count
    output[...] = labels
    return count


def find_objects(input, max_label=0):
    """Find the box around each label.

    Parameters
    ----------
    input : ndarray of int
        Labels, as `label` gives them.
    max_label : int, optional
        The largest label to look for; below 1 the largest that there is.

    Returns
    -------
    list of tuples of slices
        For label 1, 2, ... a slice for each axis; None for a label that no element has.

    Raises
    ------
    TypeError
        The labels are no integers.
    ValueError
        There are no elements, and no `max_label`.

    Notes
    -----
    The call waits for the boxes.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.find_objects(tn.array([[0, 1, 1], [0, 1, 3]]))
    [(slice(0, 2, None), slice(1, 3, None)), None, (slice(1, 2, None), slice(2, 3, None))]
    """
    input = as_array(input)
    if input.size == 0 and max_label < 1:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    if input.dtype.kind not in "iu":
        if input.dtype.kind == "c":
            raise TypeError("Complex type not supported")
        if max_label < 1:
            raise TypeError(f"'numpy.{input.dtype.name}' object cannot be interpreted as an integer")
        if input.dtype.kind == "f":
            input = (input - 1).astype("i8") + 1  # what is cut off is the place, as in SciPy
    return _core._find_objects(input, max_label)


def value_indices(arr, *, ignore_value=None, adaptive_index_dtype=False):
    """Find the elements that have each value.

    Parameters
    ----------
    arr : ndarray of int
    ignore_value : int, optional
        A value that is left out.
    adaptive_index_dtype : bool, optional
        Indices have the smallest dtype, with a sign, that has room for the longest axis.

    Returns
    -------
    dict
        For each value, in their order, a tuple of arrays of int64: the indices along each axis of
        the elements that have it, in order C.

    Raises
    ------
    ValueError
        The values are no integers.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.value_indices(tn.array([[3, 0], [0, 3]]))[3]
    (array([0, 1]), array([0, 1]))
    """
    arr = as_array(arr)
    if arr.dtype.kind not in "iu":
        raise ValueError("Parameter 'arr' must be an integer array")
    found = _core._value_indices(arr, adaptive_index_dtype)
    found = _value_indices(arr, adaptive_index_dtype) if found is None else found
    if ignore_value is not None:
        found.pop(int(arr.dtype.type(ignore_value)), None)
    return found


@beside
def _value_indices(arr, is_adaptive):
    """The same by the functions of arrays, for those of GPUs."""
    if arr.size == 0:
        return {}
    flat = arr.ravel()
    order = flat.argsort(kind="stable")
    ordered = flat[order]
    lasts = _core.nonzero(ordered[1:] != ordered[:-1])[0]
    values, ends = [*ordered[lasts].tolist(), ordered[-1].item()], [*(lasts + 1).tolist(), arr.size]
    indices, rest = [], order
    for size in arr.shape[:0:-1]:
        rest, index = _core.divmod(rest, size)
        indices.append(index)
    indices = (rest, *indices[::-1]) if arr.ndim else ()
    if is_adaptive:
        dtype = numpy.min_scalar_type(-max(arr.shape, default=1))
        indices = [index.astype(dtype) for index in indices]
    begins = [0, *ends[:-1]]
    parts = [[index[begin:end] for begin, end in zip(begins, ends)] for index in indices]
    return dict(zip(values, zip(*parts) if parts else [()]))


@beside
def watershed_ift(input, markers, structure=None, output=None):
    """Grow markers over an image along the paths whose highest step is lowest.

    Parameters
    ----------
    input : ndarray of uint8 or uint16
    markers : ndarray of int
        Of the image's shape: labels where parts grow from, 0 elsewhere. Labels below 0 are the
        background and grow last.
    structure : array_like, optional
        Three flags along each axis: which of the elements around one are its neighbours. By default
        those that differ along one axis.
    output : ndarray of int, optional
        Where the labels go.

    Returns
    -------
    ndarray
        The label of each element; of the markers' dtype.

    Raises
    ------
    TypeError
        The image is of another dtype.
    RuntimeError
        The markers or `output` are no signed integers or have another shape; the structure has
        another number of axes, or not three flags along an axis.

    Notes
    -----
    The image foresting transform, which is sequential: the host computes it for every device. As in
    SciPy, the element after a row's end is the next row's first, so parts may grow round the edge.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> image = tn.array([[5, 5, 9, 1, 1]], dtype="u1")
    >>> ndimage.watershed_ift(image, tn.array([[1, 0, 0, 0, 2]]))
    array([[1, 1, 1, 2, 2]])
    """
    input, markers = as_array(input), as_array(markers)
    if input.dtype.name not in ("uint8", "uint16"):
        raise TypeError("only 8 and 16 unsigned inputs are supported")
    flags = (
        structure_of(input.ndim, 1)
        if structure is None
        else read_structure(structure, input.ndim, RuntimeError).tobytes()
    )
    if input.shape != markers.shape:
        raise RuntimeError("input and markers must have equal shape")
    if markers.dtype.kind != "i":
        raise RuntimeError("marker should be of integer type")
    is_given = isinstance(output, _core.ndarray)
    if is_given and output.dtype.kind != "i":
        raise RuntimeError("output should be of integer type")
    if is_given and output.shape != input.shape:
        raise RuntimeError("output shape not correct")
    labels = _core._watershed(input, markers, flags)
    if not is_given:
        return labels.astype(markers.dtype)
    output[...] = labels
    return output
