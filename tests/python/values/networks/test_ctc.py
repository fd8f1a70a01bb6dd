"""CTC losses against sums over all paths, in float64, and finite differences."""

import itertools

import numpy as np
import pytest
import tenorite as tn
from tenorite import cudnn
from tenorite.cuda import cudnn as raw

RANDOM = np.random.default_rng(29)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def by_all_paths(x, label):
    """The loss of one sample and its gradient by `x`, (steps, classes)."""
    steps, classes = x.shape
    p, total, passed = softmax(x), 0.0, np.zeros(x.shape)
    for path in itertools.product(range(classes), repeat=steps):
        read = [one for k, one in enumerate(path) if one and (not k or path[k - 1] != one)]
        if read == list(label):
            share = np.prod(p[range(steps), path])
            total += share
            passed[range(steps), path] += share
    return (-np.log(total), p - passed / total) if total else (np.inf, np.zeros(x.shape))


def by_sums(p, label):
    """The loss of one sample, by the sums forward of Graves' paper, scaled at each step."""
    places = [0]
    for one in label:
        places += [one, 0]
    sums, loss = np.zeros(len(places)), 0.0
    for step, row in enumerate(p):
        before = sums.copy() if step else np.eye(len(places))[0]
        for k, place in enumerate(places):
            total = before[k] + (before[k - 1] if k else 0)
            if k > 1 and place and place != places[k - 2]:
                total += before[k - 2]
            sums[k] = total * row[place]
        loss -= np.log(sums.sum())
        sums /= sums.sum()
    return loss - np.log(sums[-2:].sum())


def packed(labels):
    return np.concatenate([*labels, []]).astype("i"), np.array([len(one) for one in labels], "i")


def run(p, labels, lengths, algo=0):
    return cudnn.ctc_loss(p, *packed(labels), np.array(lengths, "i"), algo)


@pytest.mark.parametrize(("dtype", "bound"), [("float64", 1e-12), ("float32", 1e-5)])
@pytest.mark.parametrize("algo", [0, 1])
def test_all_paths(dtype, bound, algo):
    """Among them labels twice, none, such that can't be aligned, and samples without a step."""
    labels = [[1, 2], [1, 1], [], [2], [1, 2, 1], [1, 1, 1, 2], [2, 2, 2], [], [1]]
    lengths = [5, 4, 3, 1, 5, 5, 5, 0, 0]
    x = RANDOM.normal(size=(5, len(labels), 3))
    loss, gradients = run(tn.asarray(softmax(x), dtype=dtype), labels, lengths, algo)
    assert loss.dtype == gradients.dtype == dtype
    for k, (label, length) in enumerate(zip(labels, lengths)):
        expected, slopes = by_all_paths(x[:length, k], label)
        np.testing.assert_allclose(loss[k].get(), expected, rtol=bound, atol=bound)
        np.testing.assert_allclose(gradients[:length, k].get(), slopes, atol=bound)
        assert not gradients[length:, k].any()


def test_long_sequences():
    """Whose probabilities are below what a float64 holds."""
    x = RANDOM.normal(size=(400, 3, 40))
    labels, lengths = [RANDOM.integers(1, 40, count) for count in (50, 1, 120)], [400, 350, 300]
    loss, gradients = run(tn.asarray(softmax(x)), labels, lengths)
    for k, (label, length) in enumerate(zip(labels, lengths)):
        np.testing.assert_allclose(loss[k].get(), by_sums(softmax(x[:length, k]), label), rtol=1e-10)
        for _ in range(2):
            step, one = int(RANDOM.integers(length)), int(RANDOM.integers(40))
            found = []
            for sign in (1, -1):
                moved = x[:length, k].copy()
                moved[step, one] += sign * 1e-4
                found.append(by_sums(softmax(moved), label))
            np.testing.assert_allclose(gradients[step, k, one].get(), (found[0] - found[1]) / 2e-4, atol=1e-6)


def test_probabilities_of_zero():
    """A class that can't be takes its paths with it, and makes no NaN."""
    p = np.array([[0.5, 0.5, 0], [0.5, 0.25, 0.25], [0, 0.5, 0.5]])[:, None]
    loss, gradients = run(tn.asarray(p), [[1]], [3])
    # Paths 111, 011, and 001 of the label.
    np.testing.assert_allclose(loss.get(), -np.log(0.5 * 0.25 * 0.5 + 0.5 * 0.25 * 0.5 + 0.5 * 0.5 * 0.5))
    assert not tn.isnan(gradients).any()
    loss, gradients = run(tn.asarray(p), [[2, 1, 2]], [3])
    assert loss[0] == np.inf and not gradients.any()


def test_strided_probabilities():
    x = RANDOM.normal(size=(6, 3, 4))
    p, labels = softmax(x), [[1, 3], [2], [3, 3]]
    expected = run(tn.asarray(p), labels, [6, 6, 6])
    turned = tn.asarray(np.ascontiguousarray(p.transpose(1, 2, 0))).transpose(2, 0, 1)
    for one, other in zip(run(turned, labels, [6, 6, 6]), expected):
        assert one.tobytes() == other.tobytes()


def test_addresses():
    x = RANDOM.normal(size=(5, 2, 3))
    p = tn.asarray(softmax(x), dtype="f")
    labels, sizes = packed([[1, 2], [2]])
    lengths = np.array([5, 4], "i")
    costs, gradients = tn.empty(2, "f"), tn.empty_like(p)
    desc, of = raw.createCTCLossDescriptor(), cudnn.create_tensor_descriptor(p)
    with pytest.raises(raw.CuDNNError, match="was not set"):
        raw.getCTCLossDescriptor(desc)
    raw.setCTCLossDescriptor(desc, raw.CUDNN_DATA_FLOAT)
    assert raw.getCTCLossDescriptor(desc) == raw.CUDNN_DATA_FLOAT
    host = labels.ctypes.data, sizes.ctypes.data, lengths.ctypes.data
    size = raw.getCTCLossWorkspaceSize(cudnn.get_handle(), of.value, of.value, *host, 0, desc)
    space = tn.empty(size, "b")
    raw.CTCLoss(
        cudnn.get_handle(),
        of.value,
        p.data.ptr,
        *host,
        costs.data.ptr,
        of.value,
        gradients.data.ptr,
        0,
        desc,
        space.data.ptr,
        size,
    )
    expected = cudnn.ctc_loss(p, labels, sizes, lengths, 0)
    assert costs.tobytes() == expected[0].tobytes() and gradients.tobytes() == expected[1].tobytes()
    raw.destroyCTCLossDescriptor(desc)


def test_refusals():
    p = tn.full((4, 2, 3), 1 / 3)
    for labels, lengths, text in (
        ([[1], [3]], [4, 4], r"labels \[1, 3\] are not from 1 to 2; 0 is the blank"),
        ([[0], [1]], [4, 4], "0 is the blank"),
        ([[1], [1]], [5, 4], r"input lengths \[5, 4\] are not from 0 to 4 steps"),
        ([[1]], [4, 4], "2 input lengths and 1 label lengths of 2 samples"),
    ):
        with pytest.raises(raw.CuDNNError, match=text):
            run(p, labels, lengths)
    with pytest.raises(raw.CuDNNError, match="there are 1 labels"):
        cudnn.ctc_loss(p, np.array([1], "i"), np.array([1, 1], "i"), np.array([4, 4], "i"), 0)
    with pytest.raises(raw.CuDNNError, match="no algorithm 2"):
        run(p, [[1], [1]], [4, 4], 2)
    with pytest.raises(raw.CuDNNError, match="float16"):
        run(p.astype("e"), [[1], [1]], [4, 4])
    with pytest.raises(ValueError, match=r"probs has shape \(4, 6\)"):
        run(p.reshape(4, 6), [[1], [1]], [4, 4])
