"""Connectionist temporal classification (A. Graves and others, Connectionist temporal
classification: labelling unsegmented sequence data with recurrent neural networks, 2006), in
logarithms.

The sums forward and backward are one recursion: that of the sequences and that of the sequences and
labels read from their ends run side by side as a batch twice as large, a fused pass for each step.
The labels are the host's, so that what depends on them alone is made there.
"""

import numpy

import tenorite
from tenorite.cuda._raw.dnn.descriptors import REGISTRY, check, dtype_of, flat, ints, tensor

_NONE = -numpy.inf


@tenorite.fuse
def _step(same, one, two, skips, gain, before, after):
    """`before` of a step: the paths that reach a place without the step's own probability."""
    before[...] = total = tenorite.logaddexp(tenorite.logaddexp(same, one), two + skips)
    after[...] = total + gain


@tenorite.fuse
def _shares(before, others, gain, whole):
    """The share of all paths that pass a place at a step."""
    return tenorite.exp(before + others + gain - whole)


class Labels:
    """The labels of a batch between blanks, as the recursion wants them.

    `places` (samples, most): the class of each place. `skips` (2, samples, most): 0 where a path
    may come from two places before, -inf elsewhere; second of the labels read from their ends.
    """

    def __init__(self, labels, lengths, classes):
        labels, lengths = numpy.asarray(labels), numpy.asarray(lengths)
        check(
            lengths.min(initial=0) >= 0 and lengths.sum() <= labels.size,
            f"label lengths {lengths.tolist()}: there are {labels.size} labels",
        )
        labels = labels[: lengths.sum()]
        check(
            not labels.size or 1 <= labels.min() <= labels.max() < classes,
            f"labels {labels.tolist()} are not from 1 to {classes - 1}; 0 is the blank",
        )
        most = 2 * int(lengths.max(initial=0)) + 1
        self.lengths, self.sizes = lengths, 2 * lengths + 1
        self.places = numpy.zeros((len(lengths), most), int)
        ends = numpy.cumsum(lengths)
        for row, start, end in zip(self.places, ends - lengths, ends):
            row[1 : 2 * (end - start) : 2] = labels[start:end]
        both = numpy.stack([self.places, self.reversed(self.places)])
        self.skips = numpy.full(both.shape, _NONE)
        self.skips[:, :, 2:][(both[:, :, 2:] != 0) & (both[:, :, 2:] != both[:, :, :-2])] = 0

    def reversed(self, rows):
        """Rows read from the end of each sample's places; what lies beyond stays."""
        return numpy.take_along_axis(rows, _ends(self.sizes, rows.shape[1]), 1)


def _ends(sizes, most):
    """(samples, most): the numbers from a size down to 0, and what lies beyond as it is."""
    numbers = numpy.arange(most)
    return numpy.where(numbers < sizes[:, None], sizes[:, None] - 1 - numbers, numbers)


def _sums(gains, skips):
    """The recursion: (steps, rows, places) of all paths that reach a place at a step, without the
    probability of that step and with it."""
    steps, rows, most = gains.shape
    before = tenorite.empty(gains.shape, gains.dtype)
    # Rows have two places before the first one, which no path reaches.
    after = tenorite.full((steps, rows, most + 2), _NONE, gains.dtype)
    start = tenorite.full((rows, most + 2), _NONE, gains.dtype)
    start[:, 2] = 0  # as if all paths came from the first place: they begin there or in the second
    for step in range(steps):
        last = after[step - 1] if step else start
        _step(last[:, 2:], last[:, 1:-1], last[:, :-2], skips, gains[step], before[step], after[step][:, 2:])
    return before, after[:, :, 2:]


def loss(probabilities, labels, label_lengths, lengths):
    """The costs of a batch, and the gradients by what a softmax made the probabilities of.

    `probabilities` is (steps, samples, classes). A sample that can't be aligned has the cost inf.
    Its gradients are 0, and so are those of steps beyond the end of a sample.
    """
    steps, samples, classes = probabilities.shape
    lengths, label_lengths = numpy.atleast_1d(lengths), numpy.atleast_1d(label_lengths)
    check(
        all(numpy.asarray(one).dtype.kind in "iu" for one in (labels, label_lengths, lengths) if numpy.size(one)),
        "labels and lengths have to be integers",
    )
    check(
        len(lengths) == len(label_lengths) == samples,
        f"{len(lengths)} input lengths and {len(label_lengths)} label lengths of {samples} samples",
        "BAD_PARAM_SHAPE_MISMATCH",
    )
    check(
        not samples or 0 <= lengths.min() <= lengths.max() <= steps,
        f"input lengths {lengths.tolist()} are not from 0 to {steps} steps",
    )
    known = Labels(labels, label_lengths, classes)
    dtype = numpy.dtype("float64" if probabilities.dtype == "float64" else "float32")
    if 0 in (steps, samples):
        empty = numpy.where(known.lengths == 0, 0.0, numpy.inf)
        return tenorite.asarray(empty, dtype=dtype), tenorite.zeros(probabilities.shape, dtype)
    most = known.places.shape[1]
    rows = numpy.arange(samples)
    last_steps, last_places = _ends(lengths, steps).T, _ends(known.sizes, most)
    beyond = numpy.arange(most) >= known.sizes[:, None]

    place = tenorite.asarray(known.places)
    logarithms = tenorite.log(probabilities.astype(dtype, copy=False))
    gain = logarithms[:, tenorite.asarray(rows)[:, None], place]  # (steps, samples, places)
    gain += tenorite.asarray(numpy.where(beyond, _NONE, 0), dtype=dtype)
    turn = tenorite.asarray(last_steps)[:, :, None], tenorite.asarray(rows)[:, None], tenorite.asarray(last_places)
    skips = tenorite.asarray(known.skips.reshape(2 * samples, most), dtype=dtype)
    before, after = _sums(tenorite.concatenate((gain, gain[turn]), axis=1), skips)

    whole = _whole(after[:, :samples], lengths, known.sizes, dtype)
    is_met = ~tenorite.isinf(whole)
    counts = (tenorite.asarray(numpy.arange(steps)[:, None] < lengths) & is_met)[:, :, None]
    others = before[:, samples:][turn]
    share = _shares(before[:, :samples], others, gain, tenorite.where(is_met, whole, 0)[:, None])
    gradients = tenorite.where(counts, probabilities.astype(dtype, copy=False), 0)
    _subtract(gradients, tenorite.where(counts, share, 0), known.places)
    return 0 - whole, gradients


def _whole(after, lengths, sizes, dtype):
    """The logarithm of each sample's probability: paths that end in its last two places."""
    rows = numpy.arange(len(sizes))
    steps = numpy.maximum(lengths - 1, 0)
    ends = [after[tuple(map(tenorite.asarray, (steps, rows, numpy.maximum(sizes - back, 0))))] for back in (1, 2)]
    whole = tenorite.where(tenorite.asarray(sizes > 1), tenorite.logaddexp(*ends), ends[0])
    return tenorite.where(
        tenorite.asarray(lengths > 0), whole, tenorite.asarray(numpy.where(sizes > 1, _NONE, 0), dtype=dtype)
    )


def _subtract(gradients, share, places):
    """Takes from the gradients by each class the shares of its places: a product with what says
    which places are a class's, for the classes that a sample has, so that no two sums meet."""
    found = [numpy.unique(row) for row in places]
    widest = max(map(len, found))
    # A sample with fewer classes has its first one several times, with the same sum.
    classes = numpy.stack([numpy.concatenate([one, numpy.repeat(one[:1], widest - len(one))]) for one in found])
    belongs = tenorite.asarray(places[:, :, None] == classes[:, None, :], dtype=share.dtype)
    sums = (share.transpose(1, 0, 2) @ belongs).transpose(1, 0, 2)
    where = slice(None), tenorite.arange(len(places))[:, None], tenorite.asarray(classes)
    gradients[where] = gradients[where] - sums


class CTCLoss:
    """Field of a descriptor: `number` of the dtype of costs."""

    number = None


def _set(desc, number):
    found = REGISTRY.find(desc, CTCLoss)
    dtype_of(number)
    found.number = number


def _get(desc):
    found = REGISTRY.find(desc, CTCLoss).number
    check(found is not None, "the descriptor of a CTC loss was not set")
    return found


def _check(desc, algorithm):
    check(algorithm in range(2), f"there is no algorithm {algorithm} of CTC losses")
    check(dtype_of(_get(desc)) in ("float32", "float64"), "CTC losses are float32 or float64", "NOT_SUPPORTED")


def _workspace_size(handle, probs_desc, gradients_desc, labels, label_lengths, lengths, algorithm, desc):
    _check(desc, algorithm), tensor(probs_desc)
    return 0


def _loss(
    handle,
    probs_desc,
    probs,
    labels,
    label_lengths,
    lengths,
    costs,
    gradients_desc,
    gradients,
    algorithm,
    desc,
    workspace,
    size,
):
    _check(desc, algorithm)
    given = tensor(probs_desc)
    check(len(given.shape) >= 3, f"probabilities of shape {given.shape}, not (steps, samples, classes)")
    shape = given.shape[:3]  # axes that follow have one element
    check(numpy.prod(given.shape) == numpy.prod(shape), f"probabilities of shape {given.shape} have more than 3 axes")
    sizes, ends = ints(label_lengths, shape[1]), ints(lengths, shape[1])
    found = ints(labels, sum(sizes)) or ()
    made, slopes = loss(given.over(probs, "probs").reshape(shape), found, sizes, ends)
    flat(dtype_of(_get(desc)), shape[1], costs, "costs")[...] = made
    if gradients:
        out = tensor(gradients_desc).over(gradients, "gradients")
        out[...] = slopes.reshape(out.shape)


FUNCTIONS = {
    "createCTCLossDescriptor": lambda: REGISTRY.keep(CTCLoss()),
    "destroyCTCLossDescriptor": lambda desc: REGISTRY.drop(desc, CTCLoss),
    "setCTCLossDescriptor": _set,
    "getCTCLossDescriptor": _get,
    "getCTCLossWorkspaceSize": _workspace_size,
    "CTCLoss": _loss,
}
