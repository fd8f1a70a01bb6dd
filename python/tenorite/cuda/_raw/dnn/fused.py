"""Fused operations of cuDNN: packs of parameters, and plans of them.

Four of the seven are computed, which are those that cuDNN's manual calls supported; a plan of
another one is CUDNN_STATUS_NOT_SUPPORTED. A pack keeps objects of descriptors, so that these may
end before it.
"""

import copy
import ctypes

import tenorite
from tenorite.cuda._raw.dnn import convolution
from tenorite.cuda._raw.dnn.arithmetic import store, working
from tenorite.cuda._raw.dnn.convolution import Convolution
from tenorite.cuda._raw.dnn.descriptors import REGISTRY, Filter, Tensor, check, fail
from tenorite.cuda._raw.dnn.elementwise import Activation, activate

CONV_BNSTATS, WGRAD, FINALIZE_TRAINING, FINALIZE_INFERENCE = range(4)
_COUNT = 7
# Labels of the constant pack, after cudnnFusedOpsConstParamLabel_t.
_XDESC, _EQ_DESC, _ACTIVATION_DESC, _CONV_DESC = 0, 3, 6, 7
_WDESC, _DWDESC, _YDESC, _DYDESC, _STATS_DESC, _BN_DESC = 8, 10, 12, 14, 16, 19
DESCRIPTOR_KINDS = {
    _ACTIVATION_DESC: Activation,
    _CONV_DESC: Convolution,
    **dict.fromkeys((_WDESC, _DWDESC), Filter),
    **dict.fromkeys((_XDESC, _EQ_DESC, _YDESC, _DYDESC, _STATS_DESC, _BN_DESC, 26, 28, 31, 33, 35), Tensor),
}
_LAST_CONST = 38
# Labels of the variant pack, after cudnnFusedOpsVariantParamLabel_t.
_PTR_X, _PTR_EQ_SCALE, _PTR_EQ_BIAS, _PTR_W, _PTR_DW, _PTR_Y, _PTR_DY, _PTR_SUM, _PTR_SQUARES = range(9)
_PTR_SCALE, _PTR_BIAS, _PTR_SAVED_MEAN, _PTR_SAVED_INVERSE, _PTR_MEAN, _PTR_VARIANCE = range(10, 16)
# The pointers that the packs of each operations have, as cuDNN 9 takes them.
_POINTERS = (
    (0, 1, 2, 3, 5, 7, 8, 9),
    (0, 1, 2, 4, 6, 9),
    (1, 2, *range(7, 16)),
    (1, 2, 9, 10, 11, 14, 15),
    (0, 1, 3, 5, 9, 16, 17, 18),
    (0, 1, 2, 5, 9, 16, 17, 18, 19),
    (0, 6, *range(9, 14), *range(19, 24)),
)
_COUNT_OF_VALUES, _FACTOR, _EPSILON = 101, 102, 103
# The same of numbers; the bytes of a workspace are in all of them.
_NUMBERS = {FINALIZE_TRAINING: (101, 102, 103), FINALIZE_INFERENCE: (103,), 6: (103,)}
SCALARS = {100: ctypes.c_size_t, _COUNT_OF_VALUES: ctypes.c_int64, _FACTOR: ctypes.c_double, _EPSILON: ctypes.c_double}


class ConstPack:
    """Fields: `ops`, and by labels the `values`: objects of descriptors, numbers."""

    def __init__(self, ops):
        self.ops, self.values = ops, {}

    def of(self, label, what):
        check(label in self.values, f"the pack lacks the descriptor of {what}")
        return self.values[label]


class VariantPack:
    """Fields: `ops`, and by labels the `values`: addresses, numbers."""

    def __init__(self, ops):
        self.ops, self.values = ops, {}


class Plan:
    """Fields: `ops`, the constant `pack` that it was made of."""

    def __init__(self, ops):
        self.ops, self.pack = ops, None


def _create(kind, ops):
    check(0 <= ops < _COUNT, f"there are no fused operations {ops}")
    return REGISTRY.keep(kind(ops))


def _set_const(desc, label, param):
    pack = REGISTRY.find(desc, ConstPack)
    check(0 <= label <= _LAST_CONST, f"there is no label {label}")
    if not param:
        pack.values.pop(label, None)
    elif label in DESCRIPTOR_KINDS:
        pack.values[label] = copy.copy(REGISTRY.find(param, DESCRIPTOR_KINDS[label]))
    else:
        pack.values[label] = ctypes.c_int.from_address(param).value


def _get_const(desc, label, param):
    """Whether the pack lacks a descriptor; else it is stored in that one. A number, 0 if it was not
    set, is stored at `param`."""
    pack = REGISTRY.find(desc, ConstPack)
    check(0 <= label <= _LAST_CONST, f"there is no label {label}")
    if label in DESCRIPTOR_KINDS:
        if label not in pack.values:
            return 1
        vars(REGISTRY.find(param, DESCRIPTOR_KINDS[label])).update(vars(pack.values[label]))
    else:
        ctypes.c_int.from_address(param).value = pack.values.get(label, 0)
    return 0


def _check_label(label, ops):
    is_there = label in _POINTERS[ops] or label == 100 or label in _NUMBERS.get(ops, ())
    check(is_there, f"the pack of operations {ops} has no label {label}")


def _set_variant(desc, label, address):
    pack = REGISTRY.find(desc, VariantPack)
    _check_label(label, pack.ops)
    check(address or label not in SCALARS, "the address of a number is 0", "BAD_PARAM_NULL_POINTER")
    pack.values[label] = SCALARS[label].from_address(address).value if label in SCALARS else address


def _get_variant(desc, label, address):
    pack = REGISTRY.find(desc, VariantPack)
    _check_label(label, pack.ops)
    check(address, "the address of the answer is 0", "BAD_PARAM_NULL_POINTER")
    SCALARS.get(label, ctypes.c_size_t).from_address(address).value = pack.values.get(label, 0)


def _make(handle, desc, const):
    """The bytes of workspace that the plan needs."""
    plan, pack = REGISTRY.find(desc, Plan), REGISTRY.find(const, ConstPack)
    check(plan.ops == pack.ops, f"a plan of operations {plan.ops}, a pack of {pack.ops}")
    if plan.ops not in _RUN:
        fail("NOT_SUPPORTED", f"fused operations {plan.ops} have no plan")
    plan.pack = copy.copy(pack)
    plan.pack.values = dict(pack.values)
    return 0


def _execute(handle, desc, variant):
    plan, pack = REGISTRY.find(desc, Plan), REGISTRY.find(variant, VariantPack)
    check(plan.pack is not None, "the plan was not made")
    check(plan.ops == pack.ops, f"a plan of operations {plan.ops}, a pack of {pack.ops}")
    _RUN[plan.ops](plan.pack, pack.values)


def _entering(const, values):
    """x times a scale plus a bias, where there are these, and its activation, if there is one."""
    x = const.of(_XDESC, "x").over(values.get(_PTR_X, 0), "x")
    found = x.astype(working(x.dtype))
    if values.get(_PTR_EQ_SCALE):
        params = const.of(_EQ_DESC, "the scale")
        scale, bias = params.over(values[_PTR_EQ_SCALE]), params.over(values.get(_PTR_EQ_BIAS, 0), "the bias")
        found = found * scale.astype(found.dtype) + bias.astype(found.dtype)
    if _ACTIVATION_DESC in const.values:
        activated = tenorite.empty_like(found)
        activate(activated, found, const.values[_ACTIVATION_DESC])
        found = activated
    return found.astype(x.dtype, copy=False)


def _convolve_with_sums(const, values):
    conv = const.of(_CONV_DESC, "the convolution")
    x, w = _entering(const, values), const.of(_WDESC, "w").over(values.get(_PTR_W, 0), "w")
    y = const.of(_YDESC, "y").over(values.get(_PTR_Y, 0), "y")
    convolution.check_shapes(x, w, y, conv)
    convolution.forward(y, x, w, conv)
    if values.get(_PTR_SUM):
        stats = const.of(_STATS_DESC, "the sums")
        axes, wide = (0, *range(2, y.ndim)), y.astype(working(y.dtype))
        stats.over(values[_PTR_SUM])[...] = wide.sum(axes, keepdims=True)
        stats.over(values.get(_PTR_SQUARES, 0), "the sums of squares")[...] = (wide * wide).sum(axes, keepdims=True)


def _gradient_of_filters(const, values):
    conv = const.of(_CONV_DESC, "the convolution")
    x, dy = _entering(const, values), const.of(_DYDESC, "dy").over(values.get(_PTR_DY, 0), "dy")
    dw = const.of(_DWDESC, "dw").over(values.get(_PTR_DW, 0), "dw")
    convolution.check_shapes(x, dw, dy, conv)
    convolution.backward_filter(dw, x, dy, conv)


def _finish(const, values, mean, inverse):
    """Stores the scale and the bias that a normalisation is."""
    params, equal = const.of(_BN_DESC, "scale and bias"), const.of(_EQ_DESC, "the scale that is made")
    scale, bias = params.over(values.get(_PTR_SCALE, 0), "scale"), params.over(values.get(_PTR_BIAS, 0), "bias")
    made = scale * inverse
    equal.over(values.get(_PTR_EQ_SCALE, 0), "the scale that is made")[...] = made
    equal.over(values.get(_PTR_EQ_BIAS, 0), "the bias that is made")[...] = bias - mean * made


def _finalize_training(const, values):
    params, stats = const.of(_BN_DESC, "scale and bias"), const.of(_STATS_DESC, "the sums")
    count = values.get(_COUNT_OF_VALUES, 0)
    check(count > 0, f"the sums are of {count} values")
    dtype = params.dtype
    total = stats.over(values.get(_PTR_SUM, 0), "the sums").astype(dtype)
    squares = stats.over(values.get(_PTR_SQUARES, 0), "the sums of squares").astype(dtype)
    mean = total * dtype.type(1 / count)
    variance = tenorite.maximum(squares * dtype.type(1 / count) - mean * mean, 0)
    inverse = 1 / tenorite.sqrt(variance + dtype.type(values.get(_EPSILON, 0.0)))
    factor = values.get(_FACTOR, 0.0)
    for label, value in ((_PTR_MEAN, mean), (_PTR_VARIANCE, variance * (count / max(count - 1, 1)))):
        if values.get(label):
            store(params.over(values[label]), value, factor, 1 - factor)
    for label, value in ((_PTR_SAVED_MEAN, mean), (_PTR_SAVED_INVERSE, inverse)):
        if values.get(label):
            params.over(values[label])[...] = value
    _finish(const, values, mean, inverse)


def _finalize_inference(const, values):
    params = const.of(_BN_DESC, "scale and bias")
    mean = params.over(values.get(_PTR_MEAN, 0), "the running mean")
    variance = params.over(values.get(_PTR_VARIANCE, 0), "the running variance")
    inverse = 1 / tenorite.sqrt(variance + params.dtype.type(values.get(_EPSILON, 0.0)))
    _finish(const, values, mean, inverse)


_RUN = {
    CONV_BNSTATS: _convolve_with_sums,
    WGRAD: _gradient_of_filters,
    FINALIZE_TRAINING: _finalize_training,
    FINALIZE_INFERENCE: _finalize_inference,
}
FUNCTIONS = {
    "createFusedOpsConstParamPack": lambda ops: _create(ConstPack, ops),
    "createFusedOpsVariantParamPack": lambda ops: _create(VariantPack, ops),
    "createFusedOpsPlan": lambda ops: _create(Plan, ops),
    "destroyFusedOpsConstParamPack": lambda desc: REGISTRY.drop(desc, ConstPack),
    "destroyFusedOpsVariantParamPack": lambda desc: REGISTRY.drop(desc, VariantPack),
    "destroyFusedOpsPlan": lambda desc: REGISTRY.drop(desc, Plan),
    "setFusedOpsConstParamPackAttribute": _set_const,
    "getFusedOpsConstParamPackAttribute": _get_const,
    "setFusedOpsVariantParamPackAttribute": _set_variant,
    "getFusedOpsVariantParamPackAttribute": _get_variant,
    "makeFusedOpsPlan": _make,
    "fusedOpsExecute": _execute,
}
