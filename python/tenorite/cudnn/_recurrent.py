"""Recurrent networks of arrays.

Sequences lie packed: the rows of all steps one after the other, `lengths` says how many rows a step
has, and no step more than the one before. The functions that end in ``_ex`` take them as (steps,
sequences, elements), and `lengths` says how many steps a sequence has, in any order.
"""

import ctypes
import operator

import numpy

from tenorite import _core, cuda
from tenorite._arguments import beside
from tenorite._lib.documents import documenter
from tenorite.cuda import cudnn
from tenorite.cuda._raw.dnn import dropout, recurrent
from tenorite.cuda._raw.dnn.descriptors import REGISTRY
from tenorite.cudnn._descriptors import Descriptor, check_arrays, get_handle
from tenorite.cudnn._dropout import DropoutStates

__all__ = [
    "create_rnn_descriptor",
    "get_rnn_lin_layer_bias_params",
    "get_rnn_lin_layer_matrix_params",
    "rnn_backward_data",
    "rnn_backward_data_ex",
    "rnn_backward_weights",
    "rnn_backward_weights_ex",
    "rnn_forward_inference",
    "rnn_forward_inference_ex",
    "rnn_forward_training",
    "rnn_forward_training_ex",
]
_STATES = ("3-d ndarray", "The first states (layers, sequences, units); both directions of a layer follow each other.")
_CELLS = ("3-d ndarray or None", "The first states of LSTMs' cells, like `hx`; None for other networks.")
_GRADIENT = "The gradient by {}."
_documented = documenter(
    {
        "states": ("DropoutStates", "What is dropped between layers."),
        "direction_mode": ("int", "CUDNN_UNIDIRECTIONAL or CUDNN_BIDIRECTIONAL."),
        "rnn_mode": ("int", "CUDNN_RNN_RELU, CUDNN_RNN_TANH, CUDNN_LSTM or CUDNN_GRU."),
        "hx": _STATES,
        "cx": _CELLS,
        "w": ("ndarray", "The weights, as :func:`get_rnn_lin_layer_matrix_params` finds them."),
        "xs": ("ndarray", "The sequences: (rows of all steps, elements), or padded (steps, sequences, elements)."),
        "ys": ("ndarray", "The result of the pass forward."),
        "reserve_space": ("MemoryPointer", "What the pass forward kept."),
        "dhy": ("3-d ndarray or None", _GRADIENT.format("the last states; None: 0")),
        "dcy": ("3-d ndarray or None", _GRADIENT.format("the cells' last states; None: 0")),
        "dys": ("ndarray", _GRADIENT.format("`ys`")),
        "lengths": (
            "sequence of int",
            "How many rows each step has, never more than the step before; of padded sequences how many steps each "
            "sequence has.",
        ),
    },
    raises={
        "states": ("CuDNNError", "Sizes don't fit, or `lengths` grow."),
        "xs": ("TypeError, ValueError", "Arrays are of different dtypes, or `xs` has another shape."),
    },
)


def create_rnn_descriptor(hidden_size, num_layers, dropout_desc, input_mode, direction, mode, data_type, algo=None):
    """A descriptor of a recurrent network.

    Parameters
    ----------
    hidden_size : int
        Units of a layer in one direction.
    num_layers : int
        Layers; in both directions they count once.
    dropout_desc : Descriptor
        Of what is dropped between layers, with the states of a generator.
    input_mode : int
        CUDNN_LINEAR_INPUT, or CUDNN_SKIP_INPUT: the first layer has no matrices of its input.
    direction : int
        CUDNN_UNIDIRECTIONAL or CUDNN_BIDIRECTIONAL.
    mode : int
        CUDNN_RNN_RELU, CUDNN_RNN_TANH, CUDNN_LSTM or CUDNN_GRU.
    data_type : int
        CUDNN_DATA_FLOAT or another one.
    algo : int, optional
        CUDNN_RNN_ALGO_STANDARD or another one; all compute the same.

    Returns
    -------
    Descriptor
        New.

    Raises
    ------
    TypeError
        `dropout_desc` is no descriptor.
    CuDNNError
        A number is unknown.

    Examples
    --------
    >>> from tenorite import cudnn
    >>> states = cudnn.DropoutStates(None, 0)
    >>> desc = cudnn.create_rnn_descriptor(8, 2, states._desc, 0, 1, 2, 0)
    """
    if not isinstance(dropout_desc, Descriptor):
        raise TypeError(f"dropout_desc must be a Descriptor, not {type(dropout_desc)}")
    made = Descriptor(cudnn.createRNNDescriptor(), cudnn.destroyRNNDescriptor)
    algo = cudnn.CUDNN_RNN_ALGO_STANDARD if algo is None else algo
    cudnn.setRNNDescriptor_v6(
        get_handle(),
        made.value,
        hidden_size,
        num_layers,
        dropout_desc.value,
        input_mode,
        direction,
        mode,
        algo,
        data_type,
    )
    return made


def _parameter(get, handle, rnn_desc, layer, x_desc, w_desc, w, number):
    desc, address = Descriptor(cudnn.createFilterDescriptor(), cudnn.destroyFilterDescriptor), ctypes.c_size_t()
    get(
        handle,
        rnn_desc.value,
        layer,
        x_desc.value,
        w_desc.value,
        w.data.ptr,
        number,
        desc.value,
        ctypes.addressof(address),
    )
    sizes = cudnn.getFilterNdDescriptor(desc.value, 3)[-1]
    start = (address.value - w.data.ptr) // w.itemsize if address.value else 0
    return w.reshape(-1)[start : start + int(numpy.prod(sizes))]


def get_rnn_lin_layer_matrix_params(handle, rnn_desc, layer, x_desc, w_desc, w, lin_layer_id):
    """The matrix of a gate in the weights of a recurrent network.

    Parameters
    ----------
    handle : int
        A handle of cuDNN.
    rnn_desc : Descriptor
        Of the network.
    layer : int
        The layer; in both directions twice that, and one more for the second direction.
    x_desc : Descriptor
        Of the input of one step, a tensor (sequences, elements, 1).
    w_desc : Descriptor
        Of the weights, a filter.
    w : ndarray
        The weights, contiguous.
    lin_layer_id : int
        The gate: of LSTMs 0 input, 1 forget, 2 new memory, 3 output, of GRUs 0 reset, 1 update,
        2 new memory. The recurrent matrices follow in the same order.

    Returns
    -------
    1-d ndarray
        A view of `w`: the rows (units, columns) one after the other; of no elements for the input's
        matrices that CUDNN_SKIP_INPUT leaves out.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cudnn
    >>> states = cudnn.DropoutStates(None, 0)
    >>> rnn = cudnn.create_rnn_descriptor(2, 1, states._desc, 0, 0, 1, 0)
    >>> x, w = tn.zeros((4, 3, 1), "f"), tn.arange(14, dtype="f").reshape(14, 1, 1)
    >>> descs = cudnn.create_tensor_nd_descriptor(x), cudnn.create_filter_descriptor(w)
    >>> cudnn.get_rnn_lin_layer_matrix_params(cudnn.get_handle(), rnn, 0, *descs, w, 0)
    array([0., 1., 2., 3., 4., 5.], dtype=float32)
    """
    return _parameter(cudnn.getRNNLinLayerMatrixParams, handle, rnn_desc, layer, x_desc, w_desc, w, lin_layer_id)


def get_rnn_lin_layer_bias_params(handle, rnn_desc, layer, x_desc, w_desc, w, lin_layer_id):
    """The bias of a gate in the weights of a recurrent network.

    Parameters
    ----------
    handle : int
        A handle of cuDNN.
    rnn_desc : Descriptor
        Of the network.
    layer : int
        The layer; in both directions twice that, and one more for the second direction.
    x_desc : Descriptor
        Of the input of one step, a tensor (sequences, elements, 1).
    w_desc : Descriptor
        Of the weights, a filter.
    w : ndarray
        The weights, contiguous.
    lin_layer_id : int
        As :func:`get_rnn_lin_layer_matrix_params` takes it.

    Returns
    -------
    1-d ndarray
        A view of `w`, an element for each unit.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cudnn
    >>> states = cudnn.DropoutStates(None, 0)
    >>> rnn = cudnn.create_rnn_descriptor(2, 1, states._desc, 0, 0, 1, 0)
    >>> x, w = tn.zeros((4, 3, 1), "f"), tn.arange(14, dtype="f").reshape(14, 1, 1)
    >>> descs = cudnn.create_tensor_nd_descriptor(x), cudnn.create_filter_descriptor(w)
    >>> cudnn.get_rnn_lin_layer_bias_params(cudnn.get_handle(), rnn, 0, *descs, w, 1)
    array([12., 13.], dtype=float32)
    """
    return _parameter(cudnn.getRNNLinLayerBiasParams, handle, rnn_desc, layer, x_desc, w_desc, w, lin_layer_id)


# --- Functions of arrays ---


def _check(name, states, direction, mode, xs, optional=None, back=None, **arrays):
    """The described network; what is no array, or of another dtype or device, is refused.

    `back` of passes backward: an array of the result's shape, and the reserve space.
    """
    if not isinstance(states, DropoutStates):
        raise TypeError(f"cudnn.{name}: states must be DropoutStates, not {type(states)}")
    if back:
        arrays["dys" if optional else "ys"], reserve = back
        if not isinstance(reserve, cuda.MemoryPointer):
            raise TypeError(f"cudnn.{name}: reserve_space must be a MemoryPointer, not {type(reserve)}")
    arrays |= {argument: array for argument, array in (optional or {}).items() if array is not None}
    check_arrays(name, xs=xs, **arrays)
    for argument, array in arrays.items():
        if array.dtype != xs.dtype:
            raise TypeError(f"cudnn.{name}: {argument} is of {array.dtype}, xs of {xs.dtype}")
    hx, directions = arrays["hx"], 2 if direction == cudnn.CUDNN_BIDIRECTIONAL else 1
    if hx.ndim != 3:
        raise ValueError(f"cudnn.{name}: hx has shape {hx.shape}, not (layers, sequences, units)")
    wanted = *xs.shape[:-1], directions * hx.shape[2]
    if back and back[0].shape != wanted:
        raise ValueError(f"cudnn.{name}: the result's shape is {wanted}, an argument's {back[0].shape}")
    drops = REGISTRY.find(states._desc.value, dropout.Dropout)
    linear, algorithm = cudnn.CUDNN_LINEAR_INPUT, cudnn.CUDNN_RNN_ALGO_STANDARD
    return recurrent.RNN().put(
        hx.shape[2], hx.shape[0] // directions, drops, linear, direction, mode, algorithm, xs.dtype
    )


def _packed(xs, hx, lengths):
    lengths = [operator.index(length) for length in lengths]
    if xs.ndim != 2 or sum(lengths) != xs.shape[0]:
        raise ValueError(f"xs has shape {xs.shape}, not ({sum(lengths)}, elements)")
    return recurrent.Sequences.packed(lengths, hx.shape[1])


def _padded(xs, hx, lengths):
    lengths = [operator.index(length) for length in lengths]
    if xs.ndim != 3 or len(lengths) != xs.shape[1]:
        raise ValueError(f"xs has shape {xs.shape}, not (steps, {len(lengths)}, elements)")
    return recurrent.Sequences.unpacked(lengths, xs.shape[0])


def _forward(rnn, sequences, hx, cx, w, xs, has_reserve):
    """(reserve space or None, hy, cy, ys)"""
    ys = _core.ndarray((*xs.shape[:-1], hx.shape[2] * rnn.network(xs.shape[-1]).directions), xs.dtype)
    hy, cy = _core.ndarray(hx.shape, hx.dtype), _core.ndarray(0 if cx is None else cx.shape, hx.dtype)
    reserve = None
    if has_reserve:
        reserve = cuda.alloc(recurrent.reserve_size(rnn, xs.shape[-1], sequences.steps.total))
    recurrent.forward(
        rnn, sequences, xs, hx, cx, w, ys, hy, None if cx is None else cy, reserve and (reserve.ptr, reserve.mem.size)
    )
    return reserve, hy, cy, ys


def _backward_data(rnn, sequences, hx, cx, w, xs, reserve_space, dhy, dcy, dys):
    dxs, dhx = (_core.ndarray(array.shape, array.dtype) for array in (xs, hx))
    dcx = _core.ndarray(0 if cx is None else cx.shape, hx.dtype)
    reserve = reserve_space.ptr, reserve_space.mem.size
    recurrent.backward_data(rnn, sequences, dys, dhy, dcy, w, hx, cx, dxs, dhx, None if cx is None else dcx, reserve)
    return dhx, dcx, dxs


def _backward_weights(rnn, sequences, xs, hx, w, reserve_space):
    dw = _core.ndarray(w.shape, w.dtype)
    dw.fill(0)
    recurrent.backward_weights(rnn, sequences, xs, hx, dw, (reserve_space.ptr, reserve_space.mem.size))
    return dw


@_documented
@beside
def rnn_forward_inference(states, direction_mode, rnn_mode, hx, cx, w, xs, lengths):
    """What a recurrent network gives; nothing is dropped between layers.

    Returns
    -------
    hy, cy : 3-d ndarray
        The last states, `cy` without elements if there are no cells.
    ys : ndarray
        The last layer's states of all steps, (..., units), of both directions one after the
        other.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cudnn
    >>> from tenorite.cuda.cudnn import CUDNN_RNN_TANH, CUDNN_UNIDIRECTIONAL
    >>> h, w, x = tn.zeros((1, 2, 4), "f"), tn.zeros((36, 1, 1), "f"), tn.ones((5, 3), "f")
    >>> states = cudnn.DropoutStates(None, 0)
    >>> hy, cy, ys = cudnn.rnn_forward_inference(
    ...     states, CUDNN_UNIDIRECTIONAL, CUDNN_RNN_TANH, h, None, w, x, [2, 2, 1]
    ... )
    >>> ys.shape
    (5, 4)
    """
    rnn = _check("rnn_forward_inference", states, direction_mode, rnn_mode, xs, {"cx": cx}, hx=hx, w=w)
    return _forward(rnn, _packed(xs, hx, lengths), hx, cx, w, xs, False)[1:]


@_documented
@beside
def rnn_forward_training(states, direction_mode, rnn_mode, hx, cx, w, xs, lengths):
    """What a recurrent network gives, kept for the gradients.

    Returns
    -------
    reserve_space : MemoryPointer
        What the passes backward need.
    hy, cy : 3-d ndarray
        The last states, `cy` without elements if there are no cells.
    ys : ndarray
        The last layer's states of all steps, (..., units), of both directions one after the
        other.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cudnn
    >>> from tenorite.cuda.cudnn import CUDNN_RNN_TANH, CUDNN_UNIDIRECTIONAL
    >>> h, w, x = tn.zeros((1, 2, 4), "f"), tn.zeros((36, 1, 1), "f"), tn.ones((5, 3), "f")
    >>> states = cudnn.DropoutStates(None, 0)
    >>> reserve_space, hy, cy, ys = cudnn.rnn_forward_training(
    ...     states, CUDNN_UNIDIRECTIONAL, CUDNN_RNN_TANH, h, None, w, x, [2, 2, 1]
    ... )
    >>> ys.shape
    (5, 4)
    """
    rnn = _check("rnn_forward_training", states, direction_mode, rnn_mode, xs, {"cx": cx}, hx=hx, w=w)
    return _forward(rnn, _packed(xs, hx, lengths), hx, cx, w, xs, True)


@_documented
@beside
def rnn_backward_data(states, direction_mode, rnn_mode, hx, cx, w, xs, ys, reserve_space, dhy, dcy, dys, lengths):
    """The gradients of a recurrent network by its input and its first states.

    Returns
    -------
    dhx, dcx : 3-d ndarray
        By `hx` and by `cx`, the latter without elements if there are no cells.
    dxs : ndarray
        By `xs`.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cudnn
    >>> h, w, x = tn.zeros((1, 2, 4), "f"), tn.zeros((36, 1, 1), "f"), tn.ones((5, 3), "f")
    >>> states = cudnn.DropoutStates(None, 0)
    >>> kept, hy, cy, ys = cudnn.rnn_forward_training(states, 0, 1, h, None, w, x, [2, 2, 1])
    >>> dhx, dcx, dxs = cudnn.rnn_backward_data(
    ...     states, 0, 1, h, None, w, x, ys, kept, hy, None, ys, [2, 2, 1]
    ... )
    >>> dxs.shape
    (5, 3)
    """
    rnn = _check(
        "rnn_backward_data",
        states,
        direction_mode,
        rnn_mode,
        xs,
        {"cx": cx, "dhy": dhy, "dcy": dcy},
        (dys, reserve_space),
        hx=hx,
        w=w,
    )
    return _backward_data(rnn, _packed(xs, hx, lengths), hx, cx, w, xs, reserve_space, dhy, dcy, dys)


@_documented
@beside
def rnn_backward_weights(states, direction_mode, rnn_mode, xs, hx, ys, w, reserve_space, lengths):
    """The gradient of a recurrent network by its weights; the gradients by data come before.

    Returns
    -------
    ndarray
        By `w`, of its shape.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cudnn
    >>> h, w, x = tn.zeros((1, 2, 4), "f"), tn.zeros((36, 1, 1), "f"), tn.ones((5, 3), "f")
    >>> states = cudnn.DropoutStates(None, 0)
    >>> kept, hy, cy, ys = cudnn.rnn_forward_training(states, 0, 1, h, None, w, x, [2, 2, 1])
    >>> dhx, dcx, dxs = cudnn.rnn_backward_data(
    ...     states, 0, 1, h, None, w, x, ys, kept, hy, None, ys, [2, 2, 1]
    ... )
    >>> cudnn.rnn_backward_weights(states, 0, 1, x, h, ys, w, kept, [2, 2, 1]).shape
    (36, 1, 1)
    """
    rnn = _check("rnn_backward_weights", states, direction_mode, rnn_mode, xs, None, (ys, reserve_space), hx=hx, w=w)
    return _backward_weights(rnn, _packed(xs, hx, lengths), xs, hx, w, reserve_space)


@_documented
@beside
def rnn_forward_inference_ex(states, direction_mode, rnn_mode, hx, cx, w, xs, lengths):
    """What a recurrent network of padded sequences gives; nothing is dropped between layers.

    Returns
    -------
    hy, cy : 3-d ndarray
        The last states, `cy` without elements if there are no cells.
    ys : ndarray
        The last layer's states of all steps, (..., units), of both directions one after the
        other; 0 after the end of a sequence.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cudnn
    >>> from tenorite.cuda.cudnn import CUDNN_RNN_TANH, CUDNN_UNIDIRECTIONAL
    >>> h, w, x = tn.zeros((1, 2, 4), "f"), tn.zeros((36, 1, 1), "f"), tn.ones((3, 2, 3), "f")
    >>> states = cudnn.DropoutStates(None, 0)
    >>> hy, cy, ys = cudnn.rnn_forward_inference_ex(
    ...     states, CUDNN_UNIDIRECTIONAL, CUDNN_RNN_TANH, h, None, w, x, [2, 3]
    ... )
    >>> ys.shape
    (3, 2, 4)
    """
    rnn = _check("rnn_forward_inference_ex", states, direction_mode, rnn_mode, xs, {"cx": cx}, hx=hx, w=w)
    return _forward(rnn, _padded(xs, hx, lengths), hx, cx, w, xs, False)[1:]


@_documented
@beside
def rnn_forward_training_ex(states, direction_mode, rnn_mode, hx, cx, w, xs, lengths):
    """What a recurrent network of padded sequences gives, kept for the gradients.

    Returns
    -------
    reserve_space : MemoryPointer
        What the passes backward need.
    hy, cy : 3-d ndarray
        The last states, `cy` without elements if there are no cells.
    ys : ndarray
        The last layer's states of all steps, (..., units), of both directions one after the
        other; 0 after the end of a sequence.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cudnn
    >>> from tenorite.cuda.cudnn import CUDNN_RNN_TANH, CUDNN_UNIDIRECTIONAL
    >>> h, w, x = tn.zeros((1, 2, 4), "f"), tn.zeros((36, 1, 1), "f"), tn.ones((3, 2, 3), "f")
    >>> states = cudnn.DropoutStates(None, 0)
    >>> reserve_space, hy, cy, ys = cudnn.rnn_forward_training_ex(
    ...     states, CUDNN_UNIDIRECTIONAL, CUDNN_RNN_TANH, h, None, w, x, [2, 3]
    ... )
    >>> ys.shape
    (3, 2, 4)
    """
    rnn = _check("rnn_forward_training_ex", states, direction_mode, rnn_mode, xs, {"cx": cx}, hx=hx, w=w)
    return _forward(rnn, _padded(xs, hx, lengths), hx, cx, w, xs, True)


@_documented
@beside
def rnn_backward_data_ex(states, direction_mode, rnn_mode, hx, cx, w, xs, ys, reserve_space, dhy, dcy, dys, lengths):
    """The gradients of a recurrent network of padded sequences by its input and its first states.

    Returns
    -------
    dhx, dcx : 3-d ndarray
        By `hx` and by `cx`, the latter without elements if there are no cells.
    dxs : ndarray
        By `xs`. 0 after the end of a sequence.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cudnn
    >>> h, w, x = tn.zeros((1, 2, 4), "f"), tn.zeros((36, 1, 1), "f"), tn.ones((3, 2, 3), "f")
    >>> states = cudnn.DropoutStates(None, 0)
    >>> kept, hy, cy, ys = cudnn.rnn_forward_training_ex(states, 0, 1, h, None, w, x, [2, 3])
    >>> dhx, dcx, dxs = cudnn.rnn_backward_data_ex(
    ...     states, 0, 1, h, None, w, x, ys, kept, hy, None, ys, [2, 3]
    ... )
    >>> dxs.shape
    (3, 2, 3)
    """
    rnn = _check(
        "rnn_backward_data_ex",
        states,
        direction_mode,
        rnn_mode,
        xs,
        {"cx": cx, "dhy": dhy, "dcy": dcy},
        (dys, reserve_space),
        hx=hx,
        w=w,
    )
    return _backward_data(rnn, _padded(xs, hx, lengths), hx, cx, w, xs, reserve_space, dhy, dcy, dys)


@_documented
@beside
def rnn_backward_weights_ex(states, direction_mode, rnn_mode, xs, hx, ys, w, reserve_space, lengths):
    """The gradient of a recurrent network of padded sequences by its weights; those by data come
    before.

    Returns
    -------
    ndarray
        By `w`, of its shape.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cudnn
    >>> h, w, x = tn.zeros((1, 2, 4), "f"), tn.zeros((36, 1, 1), "f"), tn.ones((3, 2, 3), "f")
    >>> states = cudnn.DropoutStates(None, 0)
    >>> kept, hy, cy, ys = cudnn.rnn_forward_training_ex(states, 0, 1, h, None, w, x, [2, 3])
    >>> dhx, dcx, dxs = cudnn.rnn_backward_data_ex(
    ...     states, 0, 1, h, None, w, x, ys, kept, hy, None, ys, [2, 3]
    ... )
    >>> cudnn.rnn_backward_weights_ex(states, 0, 1, x, h, ys, w, kept, [2, 3]).shape
    (36, 1, 1)
    """
    rnn = _check("rnn_backward_weights_ex", states, direction_mode, rnn_mode, xs, None, (ys, reserve_space), hx=hx, w=w)
    return _backward_weights(rnn, _padded(xs, hx, lengths), xs, hx, w, reserve_space)
