"""Fused operations of tenorite.cudnn against their formulas; names and numbers of both modules."""

import pickle

import numpy as np
import pytest
import tenorite as tn
from tenorite import cudnn
from tenorite.cuda import cudnn as raw
from tenorite.cudnn import _descriptors

RANDOM = np.random.default_rng(9)
EPS = 1e-3
# The labels that a pack of these operations has.
LABELS = {0: (0, 1, 2, 3, 5, 7, 8), 1: (0, 1, 2, 4, 6), 3: (1, 2, 10, 11, 14, 15, 103)}


def close(got, expected):
    np.testing.assert_allclose(tn.asnumpy(got), expected, rtol=1e-5, atol=1e-5)


def draw(*shape):
    return RANDOM.uniform(0.5, 2, shape).astype("f4")


def execute(ops, const, variant):
    plan, pack = cudnn.create_fused_ops_plan(ops), cudnn.create_fused_ops_const_param_pack(ops, const)
    assert cudnn.make_fused_ops_plan(plan, pack) >= 0
    there = [pair for pair in variant if pair[0] in LABELS.get(ops, [pair[0]])]
    cudnn.fused_ops_execute(plan, cudnn.create_fused_ops_variant_param_pack(ops, there))


def parameters(shape):
    """A descriptor of scale and bias."""
    made = cudnn.create_uninitialized_tensor_descriptor()
    raw.setTensor4dDescriptor(made.value, 0, 0, *shape)
    return made


def on_ours():
    if raw._library.serves():
        pytest.skip("cuDNN has these for half precision and NHWC alone")


def test_statistics():
    on_ours()
    x = draw(4, 3, 2, 2)
    shape, axes = (1, 3, 1, 1), (0, 2, 3)
    arrays = {name: tn.asarray(draw(*shape)) for name in ("scale", "bias", "mean", "var", "kept", "inverse", "a", "b")}
    mean, var = arrays["mean"].get(), arrays["var"].get()
    desc = parameters(shape)
    sums, squares = tn.asarray(x.sum(axes, keepdims=True)), tn.asarray((x * x).sum(axes, keepdims=True))
    const = [
        (raw.CUDNN_PARAM_BN_MODE, raw.CUDNN_BATCHNORM_SPATIAL),
        *((label, desc) for label in (raw.CUDNN_PARAM_YSTATS_DESC, raw.CUDNN_PARAM_BN_SCALEBIAS_MEANVAR_DESC)),
        (raw.CUDNN_PARAM_BN_EQSCALEBIAS_DESC, desc),
        (raw.CUDNN_PARAM_YSUM_PLACEHOLDER, raw.CUDNN_PTR_16B_ALIGNED),
    ]
    variant = [
        (raw.CUDNN_PTR_YSUM, sums),
        (raw.CUDNN_PTR_YSQSUM, squares),
        (raw.CUDNN_PTR_BN_SCALE, arrays["scale"]),
        (raw.CUDNN_PTR_BN_BIAS, arrays["bias"]),
        (raw.CUDNN_PTR_BN_RUNNING_MEAN, arrays["mean"]),
        (raw.CUDNN_PTR_BN_RUNNING_VAR, arrays["var"]),
        (raw.CUDNN_PTR_BN_SAVED_MEAN, arrays["kept"]),
        (raw.CUDNN_PTR_BN_SAVED_INVSTD, arrays["inverse"]),
        (raw.CUDNN_PTR_BN_EQSCALE, arrays["a"]),
        (raw.CUDNN_PTR_BN_EQBIAS, arrays["b"]),
        (raw.CUDNN_SCALAR_INT64_T_BN_ACCUMULATION_COUNT, 16),
        (raw.CUDNN_SCALAR_DOUBLE_BN_EXP_AVG_FACTOR, 0.25),
        (raw.CUDNN_SCALAR_DOUBLE_BN_EPSILON, EPS),
    ]
    execute(raw.CUDNN_FUSED_BN_FINALIZE_STATISTICS_TRAINING, const, variant)
    inverse = 1 / np.sqrt(x.var(axes, keepdims=True) + EPS)
    scale, bias = arrays["scale"].get(), arrays["bias"].get()
    close(arrays["kept"], x.mean(axes, keepdims=True))
    close(arrays["inverse"], inverse)
    close(arrays["mean"], 0.75 * mean + 0.25 * x.mean(axes, keepdims=True))
    close(arrays["var"], 0.75 * var + 0.25 * x.var(axes, keepdims=True, ddof=1))
    close(arrays["a"].get() * x + arrays["b"].get(), scale * (x - x.mean(axes, keepdims=True)) * inverse + bias)
    execute(raw.CUDNN_FUSED_BN_FINALIZE_STATISTICS_INFERENCE, const, variant)
    mean, var = arrays["mean"].get(), arrays["var"].get()
    close(arrays["a"].get() * x + arrays["b"].get(), scale * (x - mean) / np.sqrt(var + EPS) + bias)


def test_convolutions():
    on_ours()
    x, w, scale, bias = draw(2, 3, 4, 4), draw(2, 3, 1, 1), draw(1, 3, 1, 1), draw(1, 3, 1, 1) - 2
    entering = np.maximum(x * scale + bias, 0)
    y, sums, squares = tn.empty((2, 2, 4, 4), "f4"), tn.empty((1, 2, 1, 1), "f4"), tn.empty((1, 2, 1, 1), "f4")
    arrays = [tn.asarray(one) for one in (x, w, scale, bias)]
    const = [
        (raw.CUDNN_PARAM_XDESC, cudnn.create_tensor_descriptor(arrays[0])),
        (raw.CUDNN_PARAM_WDESC, cudnn.create_filter_descriptor(arrays[1])),
        (raw.CUDNN_PARAM_DWDESC, cudnn.create_filter_descriptor(arrays[1])),
        (raw.CUDNN_PARAM_YDESC, cudnn.create_tensor_descriptor(y)),
        (raw.CUDNN_PARAM_DYDESC, cudnn.create_tensor_descriptor(y)),
        (raw.CUDNN_PARAM_YSTATS_DESC, cudnn.create_tensor_descriptor(sums)),
        (raw.CUDNN_PARAM_BN_EQSCALEBIAS_DESC, cudnn.create_tensor_descriptor(arrays[2])),
        (raw.CUDNN_PARAM_ACTIVATION_DESC, cudnn.create_activation_descriptor(raw.CUDNN_ACTIVATION_RELU)),
        (raw.CUDNN_PARAM_CONV_DESC, cudnn.create_convolution_descriptor((0, 0), (1, 1), np.dtype("f4"))),
    ]
    dw = tn.empty(w.shape, "f4")
    variant = [
        (raw.CUDNN_PTR_XDATA, arrays[0]),
        (raw.CUDNN_PTR_WDATA, arrays[1]),
        (raw.CUDNN_PTR_BN_EQSCALE, arrays[2]),
        (raw.CUDNN_PTR_BN_EQBIAS, arrays[3]),
        (raw.CUDNN_PTR_YDATA, y),
        (raw.CUDNN_PTR_DYDATA, y),
        (raw.CUDNN_PTR_DWDATA, dw),
        (raw.CUDNN_PTR_YSUM, sums),
        (raw.CUDNN_PTR_YSQSUM, squares),
    ]
    execute(raw.CUDNN_FUSED_SCALE_BIAS_ACTIVATION_CONV_BNSTATS, const, variant)
    expected = np.einsum("bchw,oc->bohw", entering, w[..., 0, 0])
    close(y, expected)
    close(sums.get().ravel(), expected.sum((0, 2, 3)))
    close(squares.get().ravel(), (expected**2).sum((0, 2, 3)))
    execute(raw.CUDNN_FUSED_SCALE_BIAS_ACTIVATION_WGRAD, const, variant)
    np.testing.assert_allclose(dw.get()[..., 0, 0], np.einsum("bchw,bohw->oc", entering, expected), rtol=1e-5)


def test_packs():
    ops = raw.CUDNN_FUSED_BN_FINALIZE_STATISTICS_TRAINING
    x = tn.ones((1, 3, 1, 1), "f4")
    const = cudnn.create_fused_ops_const_param_pack(
        ops, [(raw.CUDNN_PARAM_BN_MODE, 1), (raw.CUDNN_PARAM_BN_EQSCALEBIAS_DESC, cudnn.create_tensor_descriptor(x))]
    )
    assert cudnn.get_fused_ops_const_param_pack_attribute(const, raw.CUDNN_PARAM_BN_MODE) == (1, 0)
    cudnn.set_fused_ops_const_param_pack_attribute(const, raw.CUDNN_PARAM_BN_MODE, 2)
    assert cudnn.get_fused_ops_const_param_pack_attribute(const, raw.CUDNN_PARAM_BN_MODE) == (2, 0)
    found, is_null = cudnn.get_fused_ops_const_param_pack_attribute(const, raw.CUDNN_PARAM_BN_EQSCALEBIAS_DESC)
    assert not is_null and raw.getTensor4dDescriptor(found)[:5] == (0, 1, 3, 1, 1)
    raw.destroyTensorDescriptor(found)
    variant = cudnn.create_fused_ops_variant_param_pack(ops, [(raw.CUDNN_PTR_BN_SCALE, x)])
    get = cudnn.get_fused_ops_variant_param_pack_attribute
    assert get(variant.value, raw.CUDNN_PTR_BN_SCALE) == x.data.ptr
    for label, value in ((100, 12), (101, 34), (102, 0.5), (103, 0.25)):
        cudnn.set_fused_ops_variant_param_pack_attribute(variant, label, value)
        assert get(variant.value, label) == value
    for label in (raw.CUDNN_PTR_XDATA, raw.CUDNN_PTR_DZDATA, 104):
        with pytest.raises(raw.CuDNNError, match="BAD_PARAM"):
            cudnn.set_fused_ops_variant_param_pack_attribute(variant, label, x)
    on_ours()
    for call in (
        lambda: cudnn.create_fused_ops_plan(7),
        lambda: cudnn.fused_ops_execute(cudnn.create_fused_ops_plan(ops), variant),
        lambda: cudnn.make_fused_ops_plan(cudnn.create_fused_ops_plan(ops + 1), const),
        lambda: execute(raw.CUDNN_FUSED_DACTIVATION_FORK_DBATCHNORM, [], []),
        lambda: execute(ops, [], []),
    ):
        with pytest.raises(raw.CuDNNError, match="CUDNN_STATUS_"):
            call()


def test_names():
    """Numbers of cuDNN's headers; handles; an error that is pickled."""
    assert raw.available and raw.getVersion() >= 8000 and raw.get_build_version() >= 8000
    assert (raw.CUDNN_DATA_FLOAT, raw.CUDNN_DATA_DOUBLE, raw.CUDNN_DATA_HALF) == (0, 1, 2)
    error = pickle.loads(pickle.dumps(raw.CuDNNError(1)))
    assert error.status == 1 and str(error) == str(raw.CuDNNError(1))
    handle, stream = raw.create(), tn.cuda.Stream()
    raw.setStream(handle, stream.ptr)
    assert raw.getStream(handle) == stream.ptr
    raw.destroy(handle)
    assert cudnn.get_handle() == cudnn.get_handle()
    cudnn.reset_handles()
    assert cudnn.get_handle()
    assert cudnn.get_data_type(np.dtype("f2")) == 2
    with pytest.raises(TypeError, match="not supported in cuDNN"):
        cudnn.get_data_type(np.dtype("i4"))


def test_what_is_kept(monkeypatch):
    """A descriptor that was just asked for stays when another one is made."""
    monkeypatch.setattr(_descriptors, "KEPT", 2)
    kept = {key: _descriptors.keep("of this test", key, object) for key in "ab"}
    assert _descriptors.keep("of this test", "a", object) is kept["a"]
    _descriptors.keep("of this test", "c", object)
    assert _descriptors.keep("of this test", "a", object) is kept["a"]
    assert _descriptors.keep("of this test", "b", object) is not kept["b"]


def test_kept_descriptors():
    x, ended = tn.ones((2, 3)), []
    cudnn.Descriptor(5, ended.append)
    cudnn.Descriptor(0, ended.append)
    assert ended == [5] and not cudnn.is_tensor_core_available(np.dtype("f4"))
    assert cudnn.create_tensor_nd_descriptor(x) is cudnn.create_tensor_nd_descriptor(x + 1)
    assert cudnn.create_tensor_nd_descriptor(tn.ones((0, 2))).value == 0
    for make in (cudnn.create_tensor_descriptor, cudnn.create_tensor_nd_descriptor):
        with pytest.raises(ValueError, match="c-contiguous"):
            make(tn.ones((2, 3)).T)
    with pytest.raises(ValueError, match="unknown cudnnTensorFormat"):
        cudnn.create_tensor_descriptor(tn.ones((1, 2, 3, 4)), 5)
    with pytest.raises(ValueError, match="same length"):
        cudnn.create_convolution_descriptor((1, 1), (1,), np.dtype("f4"))
    with pytest.raises(ValueError, match="same length"):
        cudnn.create_pooling_descriptor((1, 1), (1,), (0, 0), 0)
