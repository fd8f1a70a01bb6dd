"""Einstein's summation: parsed here, contracted pair by pair with matmul, vecdot and multiply.

A label is a letter, or for an axis of the ellipsis its place from the right, an int. What a
contraction does to its operands depends on labels and shapes alone, and is remembered.
"""

import functools
import importlib
import math
import os

import numpy

from tenorite import _core
from tenorite._arguments import as_array, beside, ndarray

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_IS_ORDER = frozenset("CFAKcfak")
# Whether pairs that would be transposed first go to cuTENSOR, where it is installed.
_WANTS_CUTENSOR = "cutensor" in os.environ.get("TENORITE_ACCELERATORS", "").split(",")


# --- Reading ---


def _letters_of(sublist):
    """The letters of the numbers of a list, as [0, Ellipsis, 1]."""
    if isinstance(sublist, str) or not hasattr(sublist, "__iter__"):
        raise TypeError("each subscript must be either an integer or an ellipsis")
    found = []
    for one in sublist:
        if one is Ellipsis:
            found.append("...")
            continue
        if not hasattr(one, "__index__"):
            raise TypeError("each subscript must be either an integer or an ellipsis")
        if not 0 <= int(one) < len(_LETTERS):
            raise ValueError("subscript is not within the valid range [0, 52)")
        found.append(_LETTERS[int(one)])
    return "".join(found)


def _split_arguments(arguments):
    """(subscripts, operands) of either form of a call."""
    if not arguments:
        raise ValueError(
            "must specify the einstein sum subscripts string and at least one operand, or at least one "
            "operand and its corresponding subscripts list"
        )
    if isinstance(arguments[0], str):
        if len(arguments) < 2:
            raise ValueError("must specify the einstein sum subscripts string and at least one operand")
        return arguments[0], arguments[1:]
    if len(arguments) < 2:
        raise ValueError("must provide at least an operand and a subscripts list to einsum")
    count = len(arguments) // 2
    text = ",".join(_letters_of(arguments[2 * k + 1]) for k in range(count))
    return text + (f"->{_letters_of(arguments[-1])}" if len(arguments) % 2 else ""), arguments[: 2 * count : 2]


def _read_term(term, ndim, where):
    """The labels of one term, of an operand of `ndim` axes, or of the output (None)."""
    head, dots, tail = term.partition("...")
    for one in head + tail:
        if one == ".":
            raise ValueError(
                f"einstein sum subscripts string contains a '.' that is not part of an ellipsis ('...') in {where}"
            )
        if one not in _LETTERS:
            raise ValueError(f"invalid subscript '{one}' in einstein sum subscripts string, subscripts must be letters")
    if ndim is None:
        return tuple(head), bool(dots), tuple(tail)
    rest = ndim - len(head) - len(tail)
    if rest < 0:
        raise ValueError(f"einstein sum subscripts string contains too many subscripts for {where}")
    if rest and not dots:
        raise ValueError(
            "operand has more dimensions than subscripts given in einstein sum, but no '...' ellipsis "
            "provided to broadcast the extra dimensions."
        )
    return (*head, *range(-rest, 0), *tail)


def _parse(subscripts, ndims):
    """(labels of each operand, labels of the output) of operands with so many axes."""
    text, arrow, output = subscripts.replace(" ", "").partition("->")
    terms = text.split(",")
    if ("-" in text + output or ">" in text + output) and not set("->") & set(text):
        raise ValueError("einstein sum subscripts string includes more than one output")
    if set("->") & set(text + output):
        raise ValueError("einstein sum subscript string does not contain proper '->' output specified")
    if len(terms) != len(ndims):
        more, fewer = ("fewer", "than") if len(ndims) < len(terms) else ("more", "than")
        raise ValueError(
            f"{more} operands provided to einstein sum function {fewer} specified in the subscripts string"
        )
    inputs = tuple(_read_term(term, ndim, f"operand {k}") for k, (term, ndim) in enumerate(zip(terms, ndims)))
    every = [label for labels in inputs for label in labels]
    dots = sorted({label for label in every if isinstance(label, int)})
    if not arrow:
        once = sorted(label for label in set(every) if isinstance(label, str) and every.count(label) == 1)
        return inputs, (*dots, *once)
    head, has_dots, tail = _read_term(output, None, "the output")
    for label in head + tail:
        if label not in every:
            raise ValueError(
                f"einstein sum subscripts string included output subscript '{label}' which never appeared in an input"
            )
        if (head + tail).count(label) > 1:
            raise ValueError(f"einstein sum subscripts string includes output subscript '{label}' multiple times")
    if dots and not has_dots:
        raise ValueError(
            "output has more dimensions than subscripts given in einstein sum, but no '...' ellipsis "
            "provided to broadcast the extra dimensions."
        )
    return inputs, (*head, *dots, *tail)


def _check_sizes(inputs, shapes):
    """ValueError unless axes of one label have one size, or size 1 in other operands."""
    sizes = {}
    for labels, shape in zip(inputs, shapes):
        own = {}
        for label, size in zip(labels, shape):
            if own.setdefault(label, size) != size:
                raise ValueError(
                    f"dimensions in single operand for collapsing index '{label}' don't match ({own[label]} != {size})"
                )
            if size != 1 and sizes.setdefault(label, size) != size:
                raise ValueError(
                    f"operands could not be broadcast together: label '{label}' has sizes {sizes[label]} "
                    f"and {size} in shapes {', '.join(map(str, shapes))}"
                )


# --- One operand ---


def _sum(array, axes):
    return array.any(axes) if array.dtype.kind == "b" else array.sum(axes, dtype=array.dtype)


def _place_of(order):
    """An order of axes for transpose(), None where they stay."""
    return None if order == sorted(order) else order


class _Diagonal:
    """A view of an operand with one axis for each of its labels."""

    def __init__(self, labels, shape):
        self.labels = tuple(dict.fromkeys(labels))
        self.shape = tuple(shape[labels.index(one)] for one in self.labels)
        left, self.pairs = list(labels), []
        for one in self.labels:
            while left.count(one) > 1:
                i = left.index(one)
                j = left.index(one, i + 1)
                self.pairs.append((i, j))
                left = [*left[:i], *left[i + 1 : j], *left[j + 1 :], one]
        self.order = _place_of([left.index(one) for one in self.labels])

    def __call__(self, array):
        can_write = array.flags.writeable
        for i, j in self.pairs:
            array = array.diagonal(0, i, j)
        if can_write:
            array.flags.writeable = True
        return array if self.order is None else array.transpose(self.order)


# --- Two operands ---


class _Side:
    """What becomes of an operand: axes that are summed, the order of the others, the shape."""

    def __init__(self, labels, own_shape, summed, order, shape):
        self.summed = tuple(k for k, one in enumerate(labels) if one in summed)
        left = [one for one in labels if one not in summed]
        self.order = [left.index(one) for one in order]
        self.order += [k for k in range(len(left)) if k not in self.order]  # of size 1
        self.order = _place_of(self.order)
        self.shape = shape
        self.is_idle = not self.summed and self.order is None and shape == own_shape

    def __call__(self, array):
        if self.summed:
            array = _sum(array, self.summed)
        if self.order is not None:
            array = array.transpose(self.order)
        return array if array.shape == self.shape else array.reshape(self.shape)


def _matmul_complex_rows(a, b):
    return _core.matmul(a[..., None, :], b[..., :, None])[..., 0, 0]


def _pair(labels_a, shape_a, labels_b, shape_b, kept, is_complex):
    """(left, right, product, shape, labels) of the contraction of two operands to labels in `kept`.

    product(left(a), right(b)) has the elements of the result, of which `shape` is the shape.
    """
    sizes_a, sizes_b = dict(zip(labels_a, shape_a)), dict(zip(labels_b, shape_b))
    sizes = {
        one: max(sizes_a.get(one, 1), sizes_b.get(one, 1)) if 0 not in (sizes_a.get(one), sizes_b.get(one)) else 0
        for one in (*labels_a, *labels_b)
    }
    own_a = [one for one in labels_a if one in kept or one in sizes_b and sizes_b[one] == sizes_a[one]]
    own_a = [one for one in own_a if sizes_a[one] == sizes[one]]
    own_b = [one for one in labels_b if (one in kept or one in own_a) and sizes_b[one] == sizes[one]]
    own_a = [one for one in own_a if one in kept or one in own_b]
    summed_a = {one for one in labels_a if one not in own_a and one not in kept}
    summed_b = {one for one in labels_b if one not in own_b and one not in kept}
    batch = [one for one in kept if one in own_a and one in own_b]
    inner = [one for one in own_a if one not in kept]
    free_a = [one for one in kept if one in own_a and one not in own_b]
    free_b = [one for one in kept if one in own_b and one not in own_a]

    def size(labels):
        return math.prod(sizes[one] for one in labels)

    heads = tuple(sizes[one] for one in batch)
    if not inner:
        result = [one for one in kept if one in sizes]
        left = _Side(
            labels_a,
            shape_a,
            summed_a,
            [one for one in result if one in own_a],
            tuple(sizes[one] if one in own_a else 1 for one in result),
        )
        right = _Side(
            labels_b,
            shape_b,
            summed_b,
            [one for one in result if one in own_b],
            tuple(sizes[one] if one in own_b else 1 for one in result),
        )
        return left, right, _core.multiply, tuple(sizes[one] for one in result), tuple(result)
    if not free_a and not free_b:
        shape = (*heads, size(inner))
        left = _Side(labels_a, shape_a, summed_a, batch + inner, shape)
        right = _Side(labels_b, shape_b, summed_b, batch + inner, shape)
        product = _matmul_complex_rows if is_complex else _core.vecdot
        return left, right, product, heads, tuple(batch)
    left = _Side(labels_a, shape_a, summed_a, batch + free_a + inner, (*heads, size(free_a), size(inner)))
    right = _Side(labels_b, shape_b, summed_b, batch + inner + free_b, (*heads, size(inner), size(free_b)))
    result = batch + free_a + free_b
    return left, right, _core.matmul, tuple(sizes[one] for one in result), tuple(result)


def _contract(a, b, labels, shape):
    """The product of a pair by cuTENSOR; None where it has none: other dtypes, repeated axes."""
    cutensor = importlib.import_module("tenorite.cutensor")
    if not cutensor.serves(a, b):
        return None
    sizes = dict(zip(labels[0], a.shape))
    if any(sizes.setdefault(label, size) != size for label, size in zip(labels[1], b.shape)):
        return None
    modes = [[ord(one) if isinstance(one, str) else 256 - one for one in each] for each in labels]
    return cutensor.contraction(1, a, modes[0], b, modes[1], 0, _core.empty(shape, a.dtype), modes[2])


# --- All operands ---


def _path(subscripts, shapes, optimize):
    """Which operands to contract, one after the other, as numpy.einsum_path has it."""
    if len(shapes) < 3 and isinstance(optimize, bool):
        return [(0, 1)] if len(shapes) == 2 else []
    stand_ins = [numpy.broadcast_to(numpy.empty((), "f4"), shape) for shape in shapes]
    optimize = list(optimize) if isinstance(optimize, tuple) and optimize[0] == "einsum_path" else optimize or "greedy"
    path = numpy.einsum_path(subscripts, *stand_ins, optimize=optimize)[0][1:]
    return path if len(shapes) > 1 else []


class _Program:
    """What a call does to operands of these shapes: diagonals, pairs, the last sum and order.

    Operands and results of pairs stand in one list; a step names two and puts its result after.
    """

    def __init__(self, subscripts, shapes, is_complex, optimize):
        inputs, output = _parse(subscripts, tuple(map(len, shapes)))
        _check_sizes(inputs, shapes)
        self.terms, self.shapes, self.output = list(inputs), list(shapes), output
        self.diagonals, self.steps, self.labels = [], [], []
        for k, labels in enumerate(inputs):
            if len(set(labels)) < len(labels):
                diagonal = _Diagonal(labels, shapes[k])
                self.diagonals.append((k, diagonal))
                self.terms[k], self.shapes[k] = diagonal.labels, diagonal.shape
        left = list(range(len(inputs)))
        for places in _path(subscripts, shapes, optimize):
            taken = [left.pop(k) for k in sorted(places, reverse=True)][::-1]
            while len(taken) > 1:
                taken[:2] = [self._add_step(*taken[:2], left + taken[2:], is_complex)]
            left += taken
        labels = self.terms[left[0]]
        self.last_sum = tuple(k for k, one in enumerate(labels) if one not in output)
        kept = [one for one in labels if one in output]
        self.last_order = _place_of([kept.index(one) for one in output])
        self.is_view = not self.steps and not self.last_sum
        self.direct = self._find_direct()

    def _add_step(self, i, j, others, is_complex):
        later = {one for k in others for one in self.terms[k]}
        both = dict.fromkeys((*self.terms[i], *self.terms[j]))
        kept = self.output + tuple(one for one in both if one in later and one not in self.output)
        first = next((one for one in kept if (one in self.terms[i]) != (one in self.terms[j])), None)
        if first in self.terms[j]:
            i, j = j, i  # so that the result needs no transposition
        *step, labels = _pair(self.terms[i], self.shapes[i], self.terms[j], self.shapes[j], kept, is_complex)
        self.steps.append((i, j, *step))
        self.labels.append((self.terms[i], self.terms[j], labels))
        self.terms.append(labels)
        self.shapes.append(step[-1])
        return len(self.terms) - 1

    def _find_direct(self):
        """The product of both operands as they are, if it is the result, else None."""
        if len(self.steps) != 1 or self.diagonals or self.last_sum or self.last_order:
            return None
        i, j, left, right, product, shape = self.steps[0]
        is_whole = product is not _core.matmul or shape == (*left.shape[:-1], right.shape[-1])
        return product if i < j and left.is_idle and right.is_idle and is_whole else None

    def __call__(self, operands):
        for k, diagonal in self.diagonals:
            operands[k] = diagonal(operands[k])
        for k, (i, j, left, right, product, shape) in enumerate(self.steps):
            a, b = operands[i], operands[j]
            if _WANTS_CUTENSOR and not (left.is_idle and right.is_idle):
                made = _contract(a, b, self.labels[k], shape)
                if made is not None:
                    operands.append(made)
                    continue
            made = product(a if left.is_idle else left(a), b if right.is_idle else right(b))
            operands.append(made if made.shape == shape else made.reshape(shape))
        made = operands[-1]
        if self.last_sum:
            made = _sum(made, self.last_sum)
        return made if self.last_order is None else made.transpose(self.last_order)


_program = functools.lru_cache(1024)(_Program)


# --- The functions ---


def _convert(operands, dtype, casting):
    """The operands in one dtype: that to which they promote, or `dtype`."""
    dtype = _core._result_type(*operands) if dtype is None else _core._result_type(dtype)
    for k, one in enumerate(operands):
        if one.dtype != dtype and not _core._can_cast(one.dtype, dtype, casting):
            raise TypeError(
                f"einsum: operand {k} can't be cast from {one.dtype!r} to {dtype!r} according to the rule '{casting}'"
            )
    return [one if one.dtype == dtype else one.astype(dtype) for one in operands]


def _deliver(result, out, order, casting, operands):
    if out is None:
        if order in "Kk":
            return result
        wants_f = order in "Ff" or order in "Aa" and all(one.flags.f_contiguous for one in operands)
        return _core.asarray(result, order="F" if wants_f else "C")
    if not isinstance(out, ndarray):
        raise TypeError(f"einsum: out must be a tenorite.ndarray, not {type(out)}")
    if not _core._can_cast(result.dtype, out.dtype, casting):
        raise TypeError(
            f"einsum: the result can't be cast from {result.dtype!r} to {out.dtype!r} of out according to "
            f"the rule '{casting}'"
        )
    if out.shape != result.shape:
        raise ValueError(f"einsum: out has shape {out.shape}, the result has {result.shape}")
    out[...] = result
    return out


def _call(program, operands):
    """A new list of arrays of one dtype in, an array or a view of the first out."""
    first = operands[0]
    result = program(operands)
    return result.view() if result is first and program.is_view else result


def _call_plain(subscripts, first, *others):
    """The result of a call without keywords, of arrays of one dtype; None: anything else."""
    if type(subscripts) is not str or type(first) is not ndarray:
        return None
    if not others:
        return _call(_program(subscripts, (first.shape,), False, False), [first])
    dtype = first.dtype
    for one in others:
        if type(one) is not ndarray or one.dtype is not dtype:
            return None
    shapes = (first.shape, *[one.shape for one in others])
    program = _program(subscripts, shapes, dtype.kind == "c", False)
    return program.direct(first, *others) if program.direct else program([first, *others])


def einsum(*operands, out=None, optimize=False, dtype=None, order="K", casting="safe"):
    """Sums of products of elements, as the labels of axes say (Einstein's summation).

    Parameters
    ----------
    *operands
        The subscripts, as ``"ij,jk->ik"``, and the arrays; or each array followed by the list of
        its labels (ints below 52, `Ellipsis`), and at last, optionally, the list of the result's.
        A label that the result lacks is summed over; one that an operand has twice takes a
        diagonal. Without ``->`` the result has the labels that appear once, in alphabetical order.
    out : ndarray, optional
        Where the result is stored; it must have the result's shape.
    optimize : bool, str, tuple or list, optional
        How the order of contractions is found, as in `einsum_path`; the default is "greedy".
    dtype : dtype, optional
        What operands are converted to; the default is the one to which they promote.
    order : {"K", "C", "F", "A"}, optional
        The order of a result that is no view. "A": Fortran's if all operands have it.
    casting : str, optional
        The rule that conversions must obey.

    Returns
    -------
    ndarray
        A view of a single operand of which nothing is summed, else a new array.

    Raises
    ------
    ValueError
        For subscripts that are none, or do not fit the operands.
    TypeError
        For operands that are no arrays, and conversions that `casting` does not allow.

    See Also
    --------
    einsum_path : The order of contractions.
    tensordot, matmul, vecdot : What pairs are contracted with.

    Examples
    --------
    >>> a = tenorite.arange(6).reshape(2, 3)
    >>> tenorite.einsum("ij,kj->ik", a, a)
    array([[ 5, 14],
           [14, 50]])
    >>> tenorite.einsum("ij->j", a)
    array([3, 5, 7])
    >>> tenorite.einsum("ii->i", tenorite.eye(2))
    array([1., 1.])
    """
    if out is None and optimize is False and dtype is None and order == "K" and casting == "safe" and len(operands) > 1:
        result = _call_plain(*operands)
        if result is not None:
            return result
    return _call_any(operands, out, optimize, dtype, order, casting)


@beside
def _call_any(operands, out, optimize, dtype, order, casting):
    subscripts, operands = _split_arguments(operands)
    operands = [as_array(one) for one in operands]
    if not isinstance(order, str) or order not in _IS_ORDER:
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    _core._can_cast(bool, bool, casting)  # refuses what is no rule
    dtype = None if dtype is None else numpy.dtype(dtype)
    optimize = tuple(optimize) if isinstance(optimize, list) else optimize
    if len(operands) == 1 and out is None:
        program = _program(subscripts, (operands[0].shape,), False, optimize)
        if program.is_view:  # in the operand's own dtype, as in NumPy
            return _call(program, operands)
    first = operands[0].dtype
    is_plain = dtype is None and casting == "safe" and all(one.dtype is first for one in operands)
    converted = list(operands) if is_plain else _convert(operands, dtype, casting)
    program = _program(subscripts, tuple([one.shape for one in operands]), converted[0].dtype.kind == "c", optimize)
    return _deliver(program(converted), out, order, casting, operands)


def einsum_path(*operands, optimize="greedy", einsum_call=False):
    """The order in which `einsum` best contracts its operands, and a text that says what it costs.

    Parameters
    ----------
    *operands
        As `einsum` takes them; only the shapes count.
    optimize : bool, str, tuple or list, optional
        "greedy" (or True), "optimal", False for all operands at once, a tuple of one of these and
        the largest size of what is made on the way, or a path, which is checked and described.
    einsum_call : bool, optional
        NumPy's own use; it must be False.

    Returns
    -------
    path : list
        ``"einsum_path"`` and tuples of the places of operands that are contracted together; the
        result is put after the others.
    text : str
        The contractions, and how much less work they are than one loop over all labels.

    Examples
    --------
    >>> a, b = tenorite.ones((2, 10)), tenorite.ones((10, 10))
    >>> tenorite.einsum_path("ij,jk,kl->il", a, b, b)[0]
    ['einsum_path', (0, 1), (0, 1)]
    """
    if einsum_call:
        raise ValueError("einsum_path: einsum_call is NumPy's own and must be False")
    subscripts, arrays = _split_arguments(operands)
    stand_ins = [numpy.broadcast_to(numpy.empty((), one.dtype), one.shape) for one in map(as_array, arrays)]
    return numpy.einsum_path(subscripts, *stand_ins, optimize=optimize)
