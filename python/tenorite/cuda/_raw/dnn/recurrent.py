"""cuDNN's functions of recurrent networks, of cuDNN 7 and 8 as CuPy names them.

cuDNN 9 has none of them, so that they are these everywhere, on all backends. Each is a function of
arrays, which programs with arrays call (`forward`, `backward_data`, `backward_weights`), and one of
addresses, which lays arrays over these.

Half precision is computed in single. No function needs workspace: its memory is the pool's. The
reserve space holds a `network.Kept` in the dtype of the computation.
"""

import ctypes

import numpy

import tenorite
from tenorite.cuda._raw.dnn import cells, dropout
from tenorite.cuda._raw.dnn.descriptors import (
    REGISTRY,
    answer_filter,
    check,
    dtype_of,
    filters,
    flat,
    ints,
    over,
    tensor,
)
from tenorite.cuda._raw.dnn.network import Kept, Network, Steps

_LINEAR_INPUT, _SKIP_INPUT = range(2)
_UNIDIRECTIONAL, _BIDIRECTIONAL = range(2)
SEQ_MAJOR_UNPACKED, SEQ_MAJOR_PACKED, BATCH_MAJOR_UNPACKED = range(3)
_PADDED_IO_DISABLED, _PADDED_IO_ENABLED = range(2)
_ALGORITHMS = range(3)


# --- Descriptors ---


class RNN:
    """Fields of an RNN descriptor; `mode` None: it was not set."""

    mode = None
    padding = _PADDED_IO_DISABLED

    def put(self, units, layers, drops, input_mode, direction, mode, algorithm, dtype):
        """Sets the fields; `drops` is the dropout.Dropout between layers, or None."""
        check(units > 0 and layers > 0, f"an RNN of {layers} layers of {units} units")
        for name, value, known in (
            ("input mode", input_mode, range(2)),
            ("direction", direction, range(2)),
            ("mode", mode, cells.GATES),
            ("algorithm", algorithm, _ALGORITHMS),
        ):
            check(value in known, f"there is no {name} {value} of an RNN")
        self.units, self.layers, self.dropout, self.dtype = units, layers, drops, dtype
        self.input_mode, self.direction, self.mode = input_mode, direction, mode
        return self

    def network(self, inputs):
        """The network of inputs of so many elements."""
        check(self.mode is not None, "the descriptor of an RNN was not set")
        check(
            self.input_mode == _LINEAR_INPUT or inputs == self.units,
            f"an input of {inputs} elements skips its matrix, but there are {self.units} units",
        )
        return Network(
            self.mode, inputs, self.units, self.layers, self.direction == _BIDIRECTIONAL, self.input_mode == _SKIP_INPUT
        )

    @property
    def computed(self):
        """The dtype of the computation."""
        return numpy.dtype("float64" if self.dtype == "float64" else "float32")

    @property
    def has_mask(self):
        return self.layers > 1 and self.dropout is not None and self.dropout.ratio > 0

    def drop(self, shape):
        """What the results between layers are multiplied by."""
        keeps = dropout.draw(self.dropout.array(), shape, self.dropout.ratio)
        return keeps * self.computed.type(dropout.scale(self.dropout.ratio))


class RNNData:
    """Fields of the descriptor of sequences; `number` (of the dtype) None: it was not set."""

    number = fill = None

    def sequences(self):
        """The order of the sequences' rows."""
        check(self.number is not None, "the descriptor of sequences was not set")
        if self.layout != SEQ_MAJOR_PACKED:
            return Sequences.unpacked(self.lengths, self.most, self.layout == BATCH_MAJOR_UNPACKED)
        check(sorted(self.lengths, reverse=True) == list(self.lengths), "packed sequences: a longer one follows")
        return Sequences.packed(
            [sum(length > step for length in self.lengths) for step in range(self.most)], self.batch
        )

    def over(self, address, name):
        """The array of the sequences, (rows, elements) or with two axes for the rows."""
        shape = sum(self.lengths), self.vector
        if self.layout == SEQ_MAJOR_UNPACKED:
            shape = self.most, self.batch, self.vector
        elif self.layout == BATCH_MAJOR_UNPACKED:
            shape = self.batch, self.most, self.vector
        return over(dtype_of(self.number), shape, _packed(shape), address, name)


class PersistentPlan:
    """A plan of the persistent algorithm, which computes as the others do."""


def _packed(shape):
    strides = [1]
    for size in shape[:0:-1]:
        strides.insert(0, strides[0] * size)
    return tuple(strides)


def _set(desc, units, layers, dropout_desc, input_mode, direction, mode, algorithm, number):
    drops = REGISTRY.find(dropout_desc, dropout.Dropout) if dropout_desc else None
    REGISTRY.find(desc, RNN).put(units, layers, drops, input_mode, direction, mode, algorithm, dtype_of(number))


def _set_v5(desc, units, layers, dropout_desc, input_mode, direction, mode, number):
    _set(desc, units, layers, dropout_desc, input_mode, direction, mode, 0, number)


def _set_v6(handle, desc, units, layers, dropout_desc, input_mode, direction, mode, algorithm, number):
    _set(desc, units, layers, dropout_desc, input_mode, direction, mode, algorithm, number)


def _set_padding(desc, mode):
    check(mode in (_PADDED_IO_DISABLED, _PADDED_IO_ENABLED), f"there is no padding mode {mode} of an RNN")
    REGISTRY.find(desc, RNN).padding = mode


def _new_plan(desc, batch, number):
    REGISTRY.find(desc, RNN)
    dtype_of(number)
    check(batch > 0, f"a plan for {batch} sequences")
    return REGISTRY.keep(PersistentPlan())


def _set_plan(desc, plan):
    REGISTRY.find(desc, RNN), REGISTRY.find(plan, PersistentPlan)


def _set_data(desc, number, layout, most, batch, vector, lengths, fill):
    data = REGISTRY.find(desc, RNNData)
    dtype = dtype_of(number)
    check(layout in range(3), f"there is no layout {layout} of sequences")
    check(most > 0 and batch > 0 and vector > 0, f"{batch} sequences of {most} steps of {vector} elements")
    found = ints(lengths, batch)
    check(found is not None, "the address of the sequences' lengths is 0", "BAD_PARAM_NULL_POINTER")
    check(0 <= min(found) and max(found) <= most, f"lengths {found} are not from 0 to {most}")
    data.layout, data.most, data.batch, data.vector, data.lengths = layout, most, batch, vector, found
    data.fill = ctypes.string_at(fill, dtype.itemsize) if fill else None
    data.number = number


def _get_data(desc, number, layout, most, batch, vector, requested, lengths, fill):
    data = REGISTRY.find(desc, RNNData)
    check(data.number is not None, "the descriptor of sequences was not set")
    for address, value in (
        (number, data.number),
        (layout, data.layout),
        (most, data.most),
        (batch, data.batch),
        (vector, data.vector),
    ):
        ctypes.c_int.from_address(address).value = value
    count = min(requested, data.batch)
    if count:
        (ctypes.c_int * count).from_address(lengths)[:] = data.lengths[:count]
    if data.fill and fill:
        ctypes.memmove(fill, data.fill, len(data.fill))


# --- Sequences ---


class Sequences:
    """Where the rows of sequences lie: `steps` of the packed ones, and what packs others.

    `order` are the sequences from the longest on, `rows` those of each step one after the other, of
    rows that lie as (steps, sequences); both None: they lie packed.
    """

    def __init__(self, steps, order=None, rows=None, is_batch_major=False):
        self.steps, self._order, self._rows, self._is_batch_major = steps, order, rows, is_batch_major

    @classmethod
    def packed(cls, batches, rows):
        """So many sequences of packed rows, and how many rows a step has."""
        check(
            all(0 <= b <= a for a, b in zip((rows, *batches), batches)),
            f"batch sizes {list(batches)} grow, or are more than {rows} sequences",
        )
        return cls(Steps(batches, rows))

    @classmethod
    def unpacked(cls, lengths, most, is_batch_major=False):
        """Sequences of these lengths, which all lie as `most` steps."""
        lengths = numpy.asarray(lengths, int)
        check(
            not lengths.size or 0 <= lengths.min() <= lengths.max() <= most,
            f"lengths {lengths.tolist()} are not from 0 to {most} steps",
        )
        batches = [int((lengths > step).sum()) for step in range(most)]
        steps, order, rows = Steps(batches, len(lengths)), None, None
        if steps.total != most * len(lengths):
            order = numpy.argsort(-lengths, kind="stable")
            rows = numpy.concatenate([step * len(lengths) + order[:batch] for step, batch in enumerate(batches)])
            order, rows = tenorite.asarray(order), tenorite.asarray(rows)
        return cls(steps, order, rows, is_batch_major)

    def _flat(self, x):
        """(rows, elements); a view where no sequences lie one after the other."""
        if self._is_batch_major:
            x = x.swapaxes(0, 1)
        return x.reshape(-1, x.shape[-1])

    def pack(self, x):
        """Packed rows."""
        found = self._flat(x)
        return found if self._rows is None else found[self._rows]

    def unpack(self, packed, out, fill=None):
        """Writes packed rows to where they lie; what lies between becomes `fill`, or 0."""
        if self._rows is None and not self._is_batch_major:
            out.reshape(packed.shape)[...] = packed
            return
        lies = out.swapaxes(0, 1) if self._is_batch_major else out
        whole = packed
        if self._rows is not None:
            whole = tenorite.full(
                (lies.shape[0] * lies.shape[1], lies.shape[2]), 0 if fill is None else fill, out.dtype
            )
            whole[self._rows] = packed.astype(out.dtype, copy=False)
        lies[...] = whole.reshape(lies.shape)

    def sort(self, states):
        """States (layers, sequences, units) in the order of the packed sequences."""
        return states if self._order is None or states is None else states[:, self._order]

    def put(self, states, out):
        """Writes states in the order of the packed sequences to `out`, if that is an array."""
        if out is not None and self._order is None:
            out[...] = states
        elif out is not None:
            out[:, self._order] = states.astype(out.dtype, copy=False)


# --- Functions of arrays ---


def _states(rnn, sequences, states, network, is_own=False):
    """First or last states in the dtype of the computation; without an array they are 0."""
    shape = network.layers * network.directions, sequences.steps.rows, network.units
    if states is None:
        return tenorite.zeros(shape, rnn.computed)
    check(states.shape == shape, f"states of shape {states.shape}, not {shape}", "BAD_PARAM_SHAPE_MISMATCH")
    found = sequences.sort(states).astype(rnn.computed, copy=False)
    return found.copy() if is_own and tenorite.may_share_memory(found, states) else found


def _weights(rnn, w, network, copy=False):
    check(w.size >= network.size, f"{w.size} weights: the network has {network.size}", "BAD_PARAM_SIZE_INSUFFICIENT")
    return w.reshape(-1)[: network.size].astype(rnn.computed, copy=copy)


def reserve_size(rnn, inputs, total):
    """Bytes of reserve space for so many rows of all steps."""
    return Kept(rnn.network(inputs), total).size * rnn.computed.itemsize


def _kept(rnn, network, total, reserve):
    kept = Kept(network, total)
    if reserve is None:
        return kept.over(tenorite.empty(kept.size, rnn.computed))
    address, size = reserve
    needed = kept.size * rnn.computed.itemsize
    check(size >= needed, f"{size} bytes of reserve space, not {needed}", "BAD_PARAM_SIZE_INSUFFICIENT")
    return kept.over(flat(rnn.computed, kept.size, address, "the reserve space"))


def forward(rnn, sequences, x, hx, cx, w, y, hy, cy, reserve=None, fill=None):
    """Computes the network into `y`, `hy` and `cy`, the last two if they are arrays.

    `reserve` is the address and size of the reserve space; with it results between layers are
    dropped as the descriptor says, and the passes backward may follow.
    """
    network = rnn.network(x.shape[-1])
    steps = sequences.steps
    kept = _kept(rnn, network, steps.total, reserve)
    cells_before = _states(rnn, sequences, cx, network) if network.has_cell else None
    found, last, last_cells = network.forward(
        steps,
        sequences.pack(x).astype(rnn.computed, copy=False),
        _states(rnn, sequences, hx, network),
        cells_before,
        _weights(rnn, w, network),
        kept,
        rnn.drop if reserve is not None and rnn.has_mask else None,
    )
    sequences.unpack(found, y, fill)
    sequences.put(last, hy)
    if network.has_cell:
        sequences.put(last_cells, cy)


def backward_data(rnn, sequences, dy, dhy, dcy, w, hx, cx, dx, dhx, dcx, reserve):
    """Computes the gradients into `dx`, `dhx` and `dcx`, the last two if they are arrays."""
    network = rnn.network(dx.shape[-1])
    kept = _kept(rnn, network, sequences.steps.total, reserve)
    dh = _states(rnn, sequences, dhy, network, is_own=True)
    dc = _states(rnn, sequences, dcy, network, is_own=True) if network.has_cell else None
    found = network.backward_data(
        sequences.steps,
        _states(rnn, sequences, hx, network),
        _states(rnn, sequences, cx, network) if network.has_cell else None,
        _weights(rnn, w, network),
        kept,
        sequences.pack(dy).astype(rnn.computed, copy=False),
        dh,
        dc,
        rnn.has_mask,
    )
    sequences.unpack(found, dx)
    sequences.put(dh, dhx)
    if network.has_cell:
        sequences.put(dc, dcx)


def backward_weights(rnn, sequences, x, hx, dw, reserve):
    """Adds the gradient by the weights to `dw`; backward_data() comes before."""
    network = rnn.network(x.shape[-1])
    kept = _kept(rnn, network, sequences.steps.total, reserve)
    sums = _weights(rnn, dw, network, copy=True)
    network.backward_weights(
        sequences.steps,
        sequences.pack(x).astype(rnn.computed, copy=False),
        _states(rnn, sequences, hx, network),
        kept,
        sums,
        rnn.has_mask,
    )
    dw.reshape(-1)[: network.size] = sums


# --- Functions of addresses ---


def _steps(descs, count):
    """The tensors of all steps, of an address of their descriptors."""
    check(descs and count > 0, f"the descriptors of {count} steps", "BAD_PARAM_NULL_POINTER")
    found = [tensor(number) for number in (ctypes.c_size_t * count).from_address(descs)]
    check(
        len({(one.number, one.shape[1:]) for one in found}) == 1 and len(found[0].shape) > 1,
        "the steps differ in dtype or vector size, or have less than two axes",
    )
    return found


def _packed_rows(descs, count, address, name):
    """The packed sequences of the steps' descriptors, and their array (rows, elements)."""
    found = _steps(descs, count)
    batches = [one.shape[0] for one in found]
    shape = sum(batches), found[0].shape[1]
    array = over(found[0].dtype, shape, _packed(shape), address, name)
    return Sequences.packed(batches, batches[0]), array


def _states_over(desc, address, name):
    return tensor(desc).over(address, name) if address else None


def _weights_over(desc, address):
    found = filters(desc)
    return flat(found.dtype, int(numpy.prod(found.shape)), address, "the weights")


def _run_forward(rnn, sequences, x, states, w_desc, w, y, results, reserve=None, fill=None):
    rnn = REGISTRY.find(rnn, RNN)
    given = [_states_over(*of, name) for of, name in zip(states, ("hx", "cx"))]
    made = [_states_over(*of, name) for of, name in zip(results, ("hy", "cy"))]
    forward(rnn, sequences, x, *given, _weights_over(w_desc, w), y, *made, reserve, fill)


def _forward_inference(
    handle, rnn, count, x_desc, x, hx_desc, hx, cx_desc, cx, w_desc, w, y_desc, y, hy_desc, hy, cy_desc, cy, *work
):
    sequences, array = _packed_rows(x_desc, count, x, "x")
    out = _packed_rows(y_desc, count, y, "y")[1]
    states, results = ((hx_desc, hx), (cx_desc, cx)), ((hy_desc, hy), (cy_desc, cy))
    # With workspace alone it is inference, else the last two are the reserve space.
    _run_forward(rnn, sequences, array, states, w_desc, w, out, results, work[2:] or None)


def _forward_ex(
    handle,
    rnn,
    x_desc,
    x,
    hx_desc,
    hx,
    cx_desc,
    cx,
    w_desc,
    w,
    y_desc,
    y,
    hy_desc,
    hy,
    cy_desc,
    cy,
    k_desc,
    keys,
    c_desc,
    c_attention,
    i_desc,
    i_attention,
    q_desc,
    queries,
    *work,
):
    _no_attention(keys, c_attention, i_attention, queries)
    data, out = REGISTRY.find(x_desc, RNNData), REGISTRY.find(y_desc, RNNData)
    sequences = _alike(data, out)
    made = out.over(y, "y")
    fill = None if out.fill is None else numpy.frombuffer(out.fill, made.dtype)[0]
    states, results = ((hx_desc, hx), (cx_desc, cx)), ((hy_desc, hy), (cy_desc, cy))
    _run_forward(rnn, sequences, data.over(x, "x"), states, w_desc, w, made, results, work[2:] or None, fill)


def _no_attention(*addresses):
    check(not any(addresses), "attention: keys, queries and their results have to be 0", "NOT_SUPPORTED")


def _alike(data, *others):
    """The sequences of descriptors that agree."""
    for other in others:
        check(
            (data.number, data.layout, data.most, data.lengths)
            == (other.number, other.layout, other.most, other.lengths),
            "the descriptors of sequences differ in dtype, layout or lengths",
            "BAD_PARAM_SHAPE_MISMATCH",
        )
    return data.sequences()


def _run_backward(rnn, sequences, dy, after, w_desc, w, first, dx, results, reserve):
    given = [_states_over(*of, name) for of, name in zip(after, ("dhy", "dcy"))]
    before = [_states_over(*of, name) for of, name in zip(first, ("hx", "cx"))]
    made = [_states_over(*of, name) for of, name in zip(results, ("dhx", "dcx"))]
    rnn = REGISTRY.find(rnn, RNN)
    backward_data(rnn, sequences, dy, *given, _weights_over(w_desc, w), *before, dx, *made, reserve)


def _backward_data(
    handle,
    rnn,
    count,
    y_desc,
    y,
    dy_desc,
    dy,
    dhy_desc,
    dhy,
    dcy_desc,
    dcy,
    w_desc,
    w,
    hx_desc,
    hx,
    cx_desc,
    cx,
    dx_desc,
    dx,
    dhx_desc,
    dhx,
    dcx_desc,
    dcx,
    workspace,
    workspace_size,
    reserve,
    reserve_size,
):
    sequences, given = _packed_rows(dy_desc, count, dy, "dy")
    made = _packed_rows(dx_desc, count, dx, "dx")[1]
    after, first = ((dhy_desc, dhy), (dcy_desc, dcy)), ((hx_desc, hx), (cx_desc, cx))
    results = (dhx_desc, dhx), (dcx_desc, dcx)
    _run_backward(rnn, sequences, given, after, w_desc, w, first, made, results, (reserve, reserve_size))


def _backward_data_ex(
    handle,
    rnn,
    y_desc,
    y,
    dy_desc,
    dy,
    dc_desc,
    dc_attention,
    dhy_desc,
    dhy,
    dcy_desc,
    dcy,
    w_desc,
    w,
    hx_desc,
    hx,
    cx_desc,
    cx,
    dx_desc,
    dx,
    dhx_desc,
    dhx,
    dcx_desc,
    dcx,
    dk_desc,
    dkeys,
    workspace,
    workspace_size,
    reserve,
    reserve_size,
):
    _no_attention(dc_attention, dkeys)
    given, made = REGISTRY.find(dy_desc, RNNData), REGISTRY.find(dx_desc, RNNData)
    sequences = _alike(given, made)
    after, first = ((dhy_desc, dhy), (dcy_desc, dcy)), ((hx_desc, hx), (cx_desc, cx))
    results = (dhx_desc, dhx), (dcx_desc, dcx)
    arrays = given.over(dy, "dy"), made.over(dx, "dx")
    _run_backward(rnn, sequences, arrays[0], after, w_desc, w, first, arrays[1], results, (reserve, reserve_size))


def _backward_weights(
    handle, rnn, count, x_desc, x, hx_desc, hx, y_desc, y, workspace, workspace_size, dw_desc, dw, reserve, reserve_size
):
    sequences, array = _packed_rows(x_desc, count, x, "x")
    rnn, states, sums = REGISTRY.find(rnn, RNN), _states_over(hx_desc, hx, "hx"), _weights_over(dw_desc, dw)
    backward_weights(rnn, sequences, array, states, sums, (reserve, reserve_size))


def _backward_weights_ex(
    handle, rnn, x_desc, x, hx_desc, hx, y_desc, y, workspace, workspace_size, dw_desc, dw, reserve, reserve_size
):
    data = REGISTRY.find(x_desc, RNNData)
    rnn, states, sums = REGISTRY.find(rnn, RNN), _states_over(hx_desc, hx, "hx"), _weights_over(dw_desc, dw)
    backward_weights(rnn, data.sequences(), data.over(x, "x"), states, sums, (reserve, reserve_size))


def _params_size(handle, rnn, x_desc, number):
    shape = tensor(x_desc).shape
    check(len(shape) > 1, f"the input's tensor has shape {shape}, not (sequences, elements, ...)")
    return REGISTRY.find(rnn, RNN).network(shape[1]).size * dtype_of(number).itemsize


def _reserve_size(handle, rnn, count, x_desc):
    found = _steps(x_desc, count)
    return reserve_size(REGISTRY.find(rnn, RNN), found[0].shape[1], sum(one.shape[0] for one in found))


def _workspace_size(handle, rnn, count, x_desc):
    REGISTRY.find(rnn, RNN), _steps(x_desc, count)
    return 0


def parameter(rnn, inputs, layer, number, is_bias):
    """Where a matrix or bias begins in the weights, and its sizes as a filter has them."""
    network = rnn.network(inputs)
    check(0 <= layer < network.layers * network.directions, f"there is no pseudo layer {layer}")
    check(0 <= number < 2 * network.gates, f"there is no linear layer {number} of {2 * network.gates}")
    if is_bias:
        return network.bias(layer, number), (1, network.units, 1)
    start, shape = network.matrix(layer, number)
    return start, (1, *shape)


def _lin_layer(is_bias):
    def get(handle, rnn, layer, x_desc, w_desc, w, number, desc, address):
        weights = filters(w_desc)
        start, shape = parameter(REGISTRY.find(rnn, RNN), tensor(x_desc).shape[1], layer, number, is_bias)
        answer_filter(desc, weights.number, shape)
        is_there = 0 not in shape
        ctypes.c_size_t.from_address(address).value = w + start * weights.dtype.itemsize if is_there else 0

    return get


FUNCTIONS = {
    "createRNNDescriptor": lambda: REGISTRY.keep(RNN()),
    "destroyRNNDescriptor": lambda desc: REGISTRY.drop(desc, RNN),
    "setRNNDescriptor_v5": _set_v5,
    "setRNNDescriptor_v6": _set_v6,
    "setRNNPaddingMode": _set_padding,
    "getRNNPaddingMode": lambda desc: REGISTRY.find(desc, RNN).padding,
    "createPersistentRNNPlan": _new_plan,
    "setPersistentRNNPlan": _set_plan,
    "destroyPersistentRNNPlan": lambda plan: REGISTRY.drop(plan, PersistentPlan),
    "createRNNDataDescriptor": lambda: REGISTRY.keep(RNNData()),
    "destroyRNNDataDescriptor": lambda desc: REGISTRY.drop(desc, RNNData),
    "setRNNDataDescriptor": _set_data,
    "getRNNDataDescriptor": _get_data,
    "getRNNParamsSize": _params_size,
    "getRNNWorkspaceSize": _workspace_size,
    "getRNNTrainingReserveSize": _reserve_size,
    "getRNNLinLayerMatrixParams": _lin_layer(False),
    "getRNNLinLayerBiasParams": _lin_layer(True),
    "RNNForwardInference": _forward_inference,
    "RNNForwardTraining": _forward_inference,
    "RNNForwardInferenceEx": _forward_ex,
    "RNNForwardTrainingEx": _forward_ex,
    "RNNBackwardData": _backward_data,
    "RNNBackwardDataEx": _backward_data_ex,
    "RNNBackwardWeights": _backward_weights,
    "RNNBackwardWeightsEx": _backward_weights_ex,
}
