"""Recurrent networks against the equations of cuDNN's documentation, sequence by sequence and gate
by gate in float64, and their gradients against finite differences."""

import ctypes
import itertools

import numpy as np
import pytest
import tenorite as tn
from tenorite import cudnn
from tenorite.cuda import cudnn as raw

RELU, TANH, LSTM, GRU = MODES = range(4)
GATES = {RELU: 1, TANH: 1, LSTM: 4, GRU: 3}
BOUNDS = {"float16": 4e-3, "float32": 2e-5, "float64": 1e-12}
RANDOM = np.random.default_rng(29)
PASSES = {
    False: (
        cudnn.rnn_forward_inference,
        cudnn.rnn_forward_training,
        cudnn.rnn_backward_data,
        cudnn.rnn_backward_weights,
    ),
    True: (
        cudnn.rnn_forward_inference_ex,
        cudnn.rnn_forward_training_ex,
        cudnn.rnn_backward_data_ex,
        cudnn.rnn_backward_weights_ex,
    ),
}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class Reference:
    """A network with its weights taken apart: (pseudo layer, gate) -> matrix, bias."""

    def __init__(self, mode, inputs, units, layers, directions=1, skips=False):
        self.mode, self.inputs, self.units, self.layers, self.directions = mode, inputs, units, layers, directions
        self.skips, self.gates = skips, GATES[mode]
        self.matrices, self.biases, at = {}, {}, 0
        for pseudo in range(layers * directions):
            width = inputs if pseudo < directions else directions * units
            for number in range(2 * self.gates):
                columns = units if number >= self.gates else 0 if skips and pseudo < directions else width
                self.matrices[pseudo, number] = slice(at, at + units * columns), (units, columns)
                at += units * columns
        for key in self.matrices:
            self.biases[key] = slice(at, at + units)
            at += units
        self.size = at

    def step(self, w, pseudo, x, h, c):
        def part(number, value):
            where, shape = self.matrices[pseudo, number]
            return (w[where].reshape(shape) @ value if shape[1] else value) + w[self.biases[pseudo, number]]

        given = [part(number, x) for number in range(self.gates)]
        before = [part(self.gates + number, h) for number in range(self.gates)]
        if self.mode == GRU:
            reset, update = sigmoid(given[0] + before[0]), sigmoid(given[1] + before[1])
            return (1 - update) * np.tanh(given[2] + reset * before[2]) + update * h, c
        total = [a + b for a, b in zip(given, before)]
        if self.mode == LSTM:
            c = sigmoid(total[1]) * c + sigmoid(total[0]) * np.tanh(total[2])
            return sigmoid(total[3]) * np.tanh(c), c
        return (np.maximum(total[0], 0) if self.mode == RELU else np.tanh(total[0])), c

    def run(self, sequences, hx, cx, w, masks=None):
        """Results of all sequences, and the last states; `masks` by layer and sequence."""
        hy, cy, results = np.empty_like(hx), np.empty_like(hx), []
        for number, x in enumerate(sequences):
            for layer in range(self.layers):
                if layer and masks:
                    x = x * masks[layer][number]
                y = np.empty((len(x), self.directions * self.units))
                for direction in range(self.directions):
                    pseudo = layer * self.directions + direction
                    h, c = hx[pseudo, number], None if cx is None else cx[pseudo, number]
                    for step in range(len(x))[:: -1 if direction else 1]:
                        h, c = self.step(w, pseudo, x[step], h, c)
                        y[step, direction * self.units : (direction + 1) * self.units] = h
                    hy[pseudo, number] = h
                    if c is not None:
                        cy[pseudo, number] = c
                x = y
            results.append(x)
        return results, hy, cy


class Case:
    """A network, sequences and gradients by all results, of chance; `lengths` of the sequences."""

    def __init__(self, mode, lengths, layers=1, directions=1, inputs=3, units=4, dtype="float64", skips=False):
        self.reference = Reference(mode, inputs, units, layers, directions, skips)
        self.mode, self.lengths, self.dtype, self.directions = mode, lengths, dtype, directions
        self.batches = [sum(length > step for length in lengths) for step in range(max(lengths))]
        shape = layers * directions, len(lengths), units

        def draw(*shape):
            return RANDOM.normal(0, 0.6, shape).astype(dtype).astype("float64")

        self.w, self.sequences = draw(self.reference.size), [draw(length, inputs) for length in lengths]
        self.hx, self.dhy = draw(*shape), draw(*shape)
        self.cx, self.dcy = (draw(*shape), draw(*shape)) if mode == LSTM else (None, None)
        self.dys = [draw(length, directions * units) for length in lengths]
        self.masks = None

    def packed(self, sequences):
        rows = [sequences[k][step] for step, batch in enumerate(self.batches) for k in range(batch)]
        return np.array(rows)

    def taken_apart(self, rows):
        found, rows = [[] for _ in self.lengths], iter(rows)
        for batch in self.batches:
            for k in range(batch):
                found[k].append(next(rows))
        return [np.array(one) for one in found]

    def padded(self, sequences, fill=0):
        found = np.full((max(self.lengths), len(self.lengths), sequences[0].shape[1]), fill, "float64")
        for k, one in enumerate(sequences):
            found[: len(one), k] = one
        return found

    def expected(self):
        return self.reference.run(self.sequences, self.hx, self.cx, self.w, self.masks)

    def loss(self):
        ys, hy, cy = self.expected()
        total = sum((y * dy).sum() for y, dy in zip(ys, self.dys)) + (hy * self.dhy).sum()
        return total + (0 if self.cx is None else (cy * self.dcy).sum())

    def slope(self, array, place, step=1e-5):
        """The derivative by an element, by finite differences."""
        kept, found = array.flat[place], []
        for sign in (1, -1):
            array.flat[place] = kept + sign * step
            found.append(self.loss())
        array.flat[place] = kept
        return (found[0] - found[1]) / (2 * step)

    def assert_slopes(self, array, got, bound=1e-6, most=12):
        places = RANDOM.permutation(array.size)[:most]
        expected = [self.slope(array, place) for place in places]
        np.testing.assert_allclose(tn.asnumpy(got).ravel()[places], expected, rtol=bound, atol=bound)

    def arrays(self, *names):
        found = [getattr(self, name) for name in names]
        return [None if one is None else tn.asarray(one, dtype=self.dtype) for one in found]

    def near(self, got, expected):
        bound = BOUNDS[self.dtype]
        assert got.dtype == self.dtype and got.shape == expected.shape
        np.testing.assert_allclose(tn.asnumpy(got).astype("float64"), expected, rtol=bound, atol=bound)


def run(case, ratio=0.0, is_padded=False):
    """All passes through the public functions: results and gradients by their names."""
    lay = case.padded if is_padded else case.packed
    states = cudnn.DropoutStates(None, 5)
    states.set_dropout_ratio(ratio)
    first = states, case.directions - 1, case.mode
    lengths = np.array(case.lengths if is_padded else case.batches, "i")
    hx, cx, w, dhy, dcy = case.arrays("hx", "cx", "w", "dhy", "dcy")
    xs, dys = (tn.asarray(lay(one), dtype=case.dtype) for one in (case.sequences, case.dys))
    infer, learn, by_data, by_weights = PASSES[is_padded]
    reserve, hy, cy, ys = learn(*first, hx, cx, w, xs, lengths)
    dhx, dcx, dxs = by_data(*first, hx, cx, w, xs, ys, reserve, dhy, dcy, dys, lengths)
    dw = by_weights(*first, xs, hx, ys, w, reserve, lengths)
    inference = infer(*first, hx, cx, w, xs, lengths)
    return {"hy": hy, "cy": cy, "ys": ys, "dhx": dhx, "dcx": dcx, "dxs": dxs, "dw": dw, "inference": inference}


@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize("mode", MODES)
def test_forward(mode, dtype):
    for layers, directions, lengths in itertools.product((1, 2), (1, 2), ([3, 3], [4, 2, 1])):
        case = Case(mode, lengths, layers, directions, dtype=dtype)
        got, (ys, hy, cy) = run(case), case.expected()
        case.near(got["ys"], case.packed(ys))
        case.near(got["hy"], hy)
        for one, other in zip(got["inference"], (got["hy"], got["cy"], got["ys"])):
            assert one.tobytes() == other.tobytes()
        if mode == LSTM:
            case.near(got["cy"], cy)
        else:
            assert got["cy"].shape == got["dcx"].shape == (0,)


@pytest.mark.parametrize("is_padded", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_gradients(mode, is_padded):
    for layers, directions, lengths in ((1, 1, [3, 3]), (2, 2, [4, 2, 1]), (3, 1, [2, 1])):
        case = Case(mode, lengths, layers, directions, inputs=2, units=3)
        got = run(case, is_padded=is_padded)
        case.assert_slopes(case.w, got["dw"], most=20)
        case.assert_slopes(case.hx, got["dhx"])
        if mode == LSTM:
            case.assert_slopes(case.cx, got["dcx"])
        dxs = tn.asnumpy(got["dxs"])
        parts = [dxs[:length, k] for k, length in enumerate(lengths)] if is_padded else case.taken_apart(dxs)
        for x, dx in zip(case.sequences, parts):
            case.assert_slopes(x, tn.asarray(np.ascontiguousarray(dx)))


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("mode", MODES)
def test_gradients_of_other_dtypes(mode, dtype):
    """As those in float64, within the rounding errors."""
    case = Case(mode, [5, 5, 2], 2, 2, dtype=dtype)
    got = run(case)
    case.dtype = "float64"
    expected = run(case)
    for name in ("dhx", "dcx", "dxs", "dw"):
        assert got[name].dtype == dtype
        scale = BOUNDS[dtype] * 10
        np.testing.assert_allclose(tn.asnumpy(got[name]), tn.asnumpy(expected[name]), rtol=scale, atol=scale)


def test_padded_sequences_in_any_order():
    for mode, directions in itertools.product(MODES, (1, 2)):
        case = Case(mode, [1, 4, 0, 3], 2, directions)
        got, (ys, hy, cy) = run(case, is_padded=True), case.expected()
        case.near(got["ys"], case.padded(ys))
        case.near(got["hy"], hy)
        if mode == LSTM:
            case.near(got["cy"], cy)
        case.assert_slopes(case.w, got["dw"])
        case.assert_slopes(case.hx, got["dhx"])
        assert not tn.asnumpy(got["dxs"])[1:, 0].any() and not tn.asnumpy(got["dxs"])[:, 2].any()


@pytest.mark.parametrize("mode", MODES)
def test_dropout_between_layers(mode):
    """The masks are found by what a first layer that is the identity lets through."""
    lengths, units = [6, 6, 6], 8
    case = Case(RELU, lengths, 2, units=units, inputs=units)
    identity = np.zeros(case.reference.size)
    for pseudo in range(2):
        where, shape = case.reference.matrices[pseudo, 0]
        identity[where] = np.eye(units).ravel()
    states = cudnn.DropoutStates(None, 7)
    states.set_dropout_ratio(0.25)
    ones, zero = tn.ones((18, units)), tn.zeros((2, 3, units))
    mask = cudnn.rnn_forward_training(states, 0, RELU, zero, None, tn.asarray(identity), ones, case.batches)[3]
    assert set(np.round(tn.asnumpy(mask).ravel(), 12)) == {0, round(4 / 3, 12)}

    case = Case(mode, lengths, 2, units=units)
    states = cudnn.DropoutStates(None, 7)
    states.set_dropout_ratio(0.25)
    hx, cx, w, dhy, dcy = case.arrays("hx", "cx", "w", "dhy", "dcy")
    xs, dys = tn.asarray(case.packed(case.sequences)), tn.asarray(case.packed(case.dys))
    reserve, hy, cy, ys = cudnn.rnn_forward_training(states, 0, mode, hx, cx, w, xs, case.batches)
    case.masks = [None, case.taken_apart(tn.asnumpy(mask))]
    case.near(ys, case.packed(case.expected()[0]))
    dhx, dcx, dxs = cudnn.rnn_backward_data(states, 0, mode, hx, cx, w, xs, ys, reserve, dhy, dcy, dys, case.batches)
    case.assert_slopes(case.hx, dhx)
    case.assert_slopes(case.w, cudnn.rnn_backward_weights(states, 0, mode, xs, hx, ys, w, reserve, case.batches))
    case.masks = None  # nothing is dropped in inference
    got = cudnn.rnn_forward_inference(states, 0, mode, hx, cx, w, xs, case.batches)
    case.near(got[2], case.packed(case.expected()[0]))


@pytest.mark.parametrize("mode", MODES)
def test_graphs(mode):
    """All passes are captured; each launch drops other elements, as calls do."""
    case = Case(mode, [4, 3, 1], 2, units=4, inputs=4)
    hx, cx, w, dhy, dcy = case.arrays("hx", "cx", "w", "dhy", "dcy")
    xs, dys = tn.asarray(case.packed(case.sequences)), tn.asarray(case.packed(case.dys))
    captured, called = cudnn.DropoutStates(None, 3), cudnn.DropoutStates(None, 3)

    def step(states):
        states.set_dropout_ratio(0.5)
        kept, hy, cy, ys = cudnn.rnn_forward_training(states, 0, mode, hx, cx, w, xs, case.batches)
        cudnn.rnn_backward_data(states, 0, mode, hx, cx, w, xs, ys, kept, dhy, dcy, dys, case.batches)
        return cudnn.rnn_backward_weights(states, 0, mode, xs, hx, ys, w, kept, case.batches)

    found, stream = tn.empty_like(w), tn.cuda.Stream(non_blocking=True)
    expected = [step(called).tobytes() for _ in range(3)]
    tn.cuda.Device().synchronize()
    with stream:
        stream.begin_capture()
        found[...] = step(captured)
        graph = stream.end_capture()
        for one in expected:
            graph.launch()
            stream.synchronize()
            assert found.tobytes() == one
    assert len(set(expected)) == 3


# --- By handles, descriptors and addresses ---


class Described:
    """Descriptors of a network and of its arrays, which it keeps."""

    def __init__(self, case, algo=0):
        self.case, self.kept = case, []
        self.handle, self.states = cudnn.get_handle(), cudnn.DropoutStates(None, 1)
        reference = case.reference
        self.rnn = cudnn.create_rnn_descriptor(
            reference.units,
            reference.layers,
            self.states._desc,
            int(reference.skips),
            reference.directions - 1,
            reference.mode,
            cudnn.get_data_type(np.dtype(case.dtype)),
            algo,
        )

    def tensor(self, array):
        """(descriptor, address)"""
        self.kept += [array, cudnn.create_tensor_nd_descriptor(array)]
        return self.kept[-1].value, array.data.ptr

    def filter(self, array):
        self.kept += [array, cudnn.create_filter_descriptor(array.reshape(-1, 1, 1))]
        return self.kept[-1].value, array.data.ptr

    def steps(self, array):
        found, start = [], 0
        for batch in self.case.batches:
            found.append(self.tensor(array[start : start + batch].reshape(batch, -1, 1))[0])
            start += batch
        self.kept += [array, (ctypes.c_size_t * len(found))(*found)]
        return ctypes.addressof(self.kept[-1]), array.data.ptr

    def data(self, array, layout, lengths, fill=None):
        desc = raw.createRNNDataDescriptor()
        lengths = np.array(lengths, "i")
        steps, batch = array.shape[:2] if layout == 0 else array.shape[1::-1]
        if layout == 1:
            steps, batch = max(lengths), len(lengths)
        self.kept += [array, lengths, fill]
        raw.setRNNDataDescriptor(
            desc,
            cudnn.get_data_type(array.dtype),
            layout,
            int(steps),
            int(batch),
            array.shape[-1],
            lengths.ctypes.data,
            0 if fill is None else fill.ctypes.data,
        )
        return desc, array.data.ptr


@pytest.mark.parametrize("skips", [False, True])
def test_addresses(skips):
    """The functions of steps' descriptors; first states may be left out, and weights add up."""
    for mode, directions in itertools.product(MODES, (1, 2)):
        case = Case(mode, [4, 2, 2], 2, directions, inputs=4, units=4, skips=skips)
        case.hx[...] = 0
        if mode == LSTM:
            case.cx[...] = 0
        made = Described(case, algo=1)
        w, dhy = case.arrays("w", "dhy")
        x, dy = (tn.asarray(case.packed(one)) for one in (case.sequences, case.dys))
        y, dx, dw = tn.empty_like(dy), tn.empty_like(x), tn.ones(len(case.w))
        hy, dhx, none = tn.empty_like(dhy), tn.empty_like(dhy), (0, 0)
        steps, first = len(case.batches), (made.handle, made.rnn.value)
        assert raw.getRNNParamsSize(*first, made.tensor(x[:3].reshape(3, 4, 1))[0], 1) == 8 * len(case.w)
        size = raw.getRNNTrainingReserveSize(*first, steps, made.steps(x)[0])
        work = raw.getRNNWorkspaceSize(*first, steps, made.steps(x)[0])
        space, workspace = tn.empty(size, "b"), tn.empty(work, "b")
        tail = workspace.data.ptr, work, space.data.ptr, size
        given = *made.steps(x), *none, *none, *made.filter(w), *made.steps(y)
        raw.RNNForwardTraining(*first, steps, *given, *made.tensor(hy), *none, *tail)
        ys, last, _ = case.expected()
        case.near(y, case.packed(ys))
        case.near(hy, last)
        y[...] = 0
        raw.RNNForwardInference(*first, steps, *given, *none, *none, *tail[:2])
        case.near(y, case.packed(ys))
        raw.RNNBackwardData(
            *first,
            steps,
            *made.steps(y),
            *made.steps(dy),
            *made.tensor(dhy),
            *none,
            *made.filter(w),
            *none,
            *none,
            *made.steps(dx),
            *made.tensor(dhx),
            *none,
            *tail,
        )
        raw.RNNBackwardWeights(
            *first, steps, *made.steps(x), *none, *made.steps(y), *tail[:2], *made.filter(dw), *tail[2:]
        )
        if mode == LSTM:
            case.dcy[...] = 0
        case.assert_slopes(case.hx, dhx)
        case.assert_slopes(case.w, dw - 1)
        for k, part in enumerate(case.taken_apart(tn.asnumpy(dx))):
            case.assert_slopes(case.sequences[k], tn.asarray(part))


@pytest.mark.parametrize("layout", [0, 1, 2])
def test_layouts(layout):
    """Steps first, packed, sequences first; what lies after a sequence gets the fill."""
    for mode, fill in itertools.product(MODES, (None, np.array([-7.0]))):
        case = Case(mode, [4, 3, 1], 2, 2)
        made = Described(case)
        raw.setRNNPaddingMode(made.rnn.value, 1)
        assert raw.getRNNPaddingMode(made.rnn.value) == 1

        def lay(sequences, fill=0, case=case):
            if layout == 1:
                return case.packed(sequences)
            found = case.padded(sequences, fill)
            return found if layout == 0 else np.ascontiguousarray(found.swapaxes(0, 1))

        w, hx, cx, dhy, dcy = case.arrays("w", "hx", "cx", "dhy", "dcy")
        x, dy = tn.asarray(lay(case.sequences)), tn.asarray(lay(case.dys))
        y, dx, dw, dhx = tn.full(dy.shape, np.nan), tn.full(x.shape, np.nan), tn.zeros(len(case.w)), tn.empty_like(hx)
        none, first = (0, 0), (made.handle, made.rnn.value)
        steps = (ctypes.c_size_t * 4)(*[made.tensor(tn.empty((3, 3, 1)))[0]] * 4)
        size = raw.getRNNTrainingReserveSize(*first, 4, ctypes.addressof(steps))
        space = tn.empty(size, "b")
        tail = 0, 0, space.data.ptr, size
        lengths = case.lengths
        states = *made.tensor(hx), *(none if cx is None else made.tensor(cx))
        given = *made.data(x, layout, lengths), *states, *made.filter(w), *made.data(y, layout, lengths, fill)
        raw.RNNForwardTrainingEx(*first, *given, *none, *none, *[0] * 8, *tail)
        ys = case.expected()[0]
        case.near(y, lay(ys, 0 if fill is None else -7))
        y[...] = 1
        raw.RNNForwardInferenceEx(*first, *given, *none, *none, *[0] * 8, 0, 0)
        case.near(y, lay(ys, 0 if fill is None else -7))
        raw.RNNBackwardDataEx(
            *first,
            *made.data(y, layout, lengths),
            *made.data(dy, layout, lengths),
            *none,
            *made.tensor(dhy),
            *(none if dcy is None else made.tensor(dcy)),
            *made.filter(w),
            *states,
            *made.data(dx, layout, lengths),
            *made.tensor(dhx),
            *none,
            *none,
            *tail,
        )
        raw.RNNBackwardWeightsEx(
            *first,
            *made.data(x, layout, lengths),
            *made.tensor(hx),
            *made.data(y, layout, lengths),
            0,
            0,
            *made.filter(dw),
            *tail[2:],
        )
        case.assert_slopes(case.hx, dhx)
        case.assert_slopes(case.w, dw)
        assert not tn.isnan(dx).any()


def test_descriptor_of_sequences():
    made = Described(Case(TANH, [2, 1]))
    desc, _ = made.data(tn.zeros((2, 2, 5), "f"), 0, [2, 1], np.array([3], "f"))
    found = np.zeros(9, "i")
    at = [found[k:].ctypes.data for k in range(9)]
    raw.getRNNDataDescriptor(desc, *at[:5], 2, at[5], at[7])
    assert found[:7].tolist() == [0, 0, 2, 2, 5, 2, 1] and found[7:8].view("f") == 3
    raw.destroyRNNDataDescriptor(desc)
    with pytest.raises(raw.CuDNNError, match="is no rnndata"):
        raw.destroyRNNDataDescriptor(desc)
    plan = raw.createPersistentRNNPlan(made.rnn.value, 4, 0)
    raw.setPersistentRNNPlan(made.rnn.value, plan)
    raw.destroyPersistentRNNPlan(plan)


def test_descriptors_by_number():
    """The older call describes the same network; without dropout it needs no states."""
    x, w, address = tn.zeros((2, 3, 1), "f"), tn.zeros((200, 1, 1), "f"), ctypes.c_size_t()
    descs = cudnn.create_tensor_nd_descriptor(x), cudnn.create_filter_descriptor(w), raw.createFilterDescriptor()
    drops = raw.createDropoutDescriptor()
    raw.setDropoutDescriptor(drops, cudnn.get_handle(), 0.0, 0, 0, 0)
    for put in (
        lambda rnn: raw.setRNNDescriptor_v5(rnn, 4, 1, drops, 0, 0, GRU, 0),
        lambda rnn: raw.setRNNDescriptor_v6(cudnn.get_handle(), rnn, 4, 1, 0, 0, 0, GRU, 2, 0),
    ):
        rnn = raw.createRNNDescriptor()
        with pytest.raises(raw.CuDNNError, match="was not set"):
            raw.getRNNParamsSize(cudnn.get_handle(), rnn, descs[0].value, 0)
        put(rnn)
        assert raw.getRNNParamsSize(cudnn.get_handle(), rnn, descs[0].value, 0) == 4 * (3 * 4 * (3 + 4) + 6 * 4)
        given = cudnn.get_handle(), rnn, 0, descs[0].value, descs[1].value, w.data.ptr, 4
        raw.getRNNLinLayerMatrixParams(*given, descs[2], ctypes.addressof(address))
        assert raw.getFilterNdDescriptor(descs[2], 3) == (0, 0, 3, (1, 4, 4))
        assert address.value == w.data.ptr + 4 * (3 * 4 * 3 + 16)
        raw.getRNNLinLayerBiasParams(*given, descs[2], ctypes.addressof(address))
        assert raw.getFilterNdDescriptor(descs[2], 3) == (0, 0, 3, (1, 4, 1))
        assert address.value == w.data.ptr + 4 * (3 * 4 * (3 + 4) + 16)
        raw.destroyRNNDescriptor(rnn)
    raw.destroyDropoutDescriptor(drops)
    raw.destroyFilterDescriptor(descs[2])


@pytest.mark.parametrize("skips", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_parameters(mode, skips):
    """Matrices and biases lie one after the other, matrices first."""
    case = Case(mode, [1], 2, 2, inputs=4, units=4, skips=skips)
    made, w = Described(case), tn.asarray(case.w)
    x = made.tensor(tn.zeros((1, 4, 1)))
    descs = made.kept[-1], cudnn.create_filter_descriptor(w.reshape(-1, 1, 1))
    for (pseudo, number), (where, shape) in case.reference.matrices.items():
        got = cudnn.get_rnn_lin_layer_matrix_params(made.handle, made.rnn, pseudo, *descs, w, number)
        assert got.base is w and got.size == np.prod(shape)
        np.testing.assert_array_equal(tn.asnumpy(got), case.w[where])
        got = cudnn.get_rnn_lin_layer_bias_params(made.handle, made.rnn, pseudo, *descs, w, number)
        np.testing.assert_array_equal(tn.asnumpy(got), case.w[case.reference.biases[pseudo, number]])
    assert x[1]
    for pseudo, number in ((4, 0), (-1, 0), (0, 2 * GATES[mode]), (0, -1)):
        with pytest.raises(raw.CuDNNError, match="there is no"):
            cudnn.get_rnn_lin_layer_bias_params(made.handle, made.rnn, pseudo, *descs, w, number)


def test_refusals():
    case = Case(LSTM, [3, 2], dtype="float32")
    states = cudnn.DropoutStates(None, 0)
    hx, cx, w = case.arrays("hx", "cx", "w")
    xs = tn.asarray(case.packed(case.sequences), dtype="f")

    def forward(hx=hx, cx=cx, w=w, xs=xs, lengths=(2, 2, 1), mode=LSTM):
        return cudnn.rnn_forward_training(states, 0, mode, hx, cx, w, xs, lengths)

    with pytest.raises(TypeError, match="w is of float64, xs of float32"):
        forward(w=w.astype("d"))
    with pytest.raises(TypeError):
        forward(*(one.astype("i") for one in (hx, cx, w, xs)))
    with pytest.raises(TypeError, match=r"cudnn\.rnn_forward_training: hx must be a tenorite\.ndarray"):
        forward(hx=None)
    with pytest.raises(TypeError, match="states must be DropoutStates"):
        cudnn.rnn_forward_training(None, 0, LSTM, hx, cx, w, xs, [2, 2, 1])
    with pytest.raises(TypeError, match="dropout_desc must be a Descriptor"):
        cudnn.create_rnn_descriptor(4, 1, 0, 0, 0, 1, 0)
    with pytest.raises(ValueError, match=r"xs has shape \(5, 3\), not \(6, elements\)"):
        forward(lengths=[2, 2, 2])
    with pytest.raises(ValueError, match="hx has shape"):
        forward(hx=hx[0])
    with pytest.raises(raw.CuDNNError, match="grow"):
        forward(lengths=[1, 2, 2])
    with pytest.raises(raw.CuDNNError, match="weights"):
        forward(w=w[:-1])
    with pytest.raises(raw.CuDNNError, match="there is no mode 4"):
        forward(mode=4)
    with pytest.raises(raw.CuDNNError, match="states of shape"):
        forward(cx=cx[:, :1])
    reserve, hy, cy, ys = forward()
    with pytest.raises(TypeError, match="reserve_space must be a MemoryPointer"):
        cudnn.rnn_backward_weights(states, 0, LSTM, xs, hx, ys, w, None, [2, 2, 1])
    with pytest.raises(ValueError, match=r"the result's shape is \(5, 4\), an argument's \(4, 4\)"):
        cudnn.rnn_backward_data(states, 0, LSTM, hx, cx, w, xs, ys, reserve, hy, cy, ys[1:], [2, 2, 1])
    small = tn.cuda.UnownedMemory(reserve.ptr, 16, reserve)
    with pytest.raises(raw.CuDNNError, match="bytes of reserve space"):
        cudnn.rnn_backward_weights(states, 0, LSTM, xs, hx, ys, w, tn.cuda.MemoryPointer(small, 0), [2, 2, 1])
    with pytest.raises(raw.CuDNNError, match="not from 0 to 3"):
        cudnn.rnn_forward_inference_ex(states, 0, LSTM, hx, cx, w, tn.zeros((3, 2, 3), "f"), [4, 1])
    with pytest.raises(raw.CuDNNError, match="skips its matrix"):
        made = Described(Case(TANH, [1], inputs=4, units=4, skips=True))
        raw.getRNNParamsSize(made.handle, made.rnn.value, made.tensor(tn.zeros((1, 3, 1)))[0], 0)
