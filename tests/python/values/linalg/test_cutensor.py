"""cuTENSOR's operations on arrays and by handles and addresses, against NumPy."""

import ctypes
import gc
import itertools

import numpy as np
import pytest
import tenorite as tn
from tenorite import cutensor
from tenorite.cuda import cutensor as raw

DTYPES = ["float16", "float32", "float64", "complex64", "complex128"]
BOUNDS = {"float16": 1e-2, "float32": 2e-5, "float64": 1e-12, "complex64": 2e-5, "complex128": 1e-12}
RANDOM = np.random.default_rng(5)


def made(shape, dtype):
    a = RANDOM.uniform(0.5, 1.5, shape)
    return (a + 1j * RANDOM.uniform(-1, 1, shape) if np.dtype(dtype).kind == "c" else a).astype(dtype)


def laid(a, layout):
    """A device array of these values in one of several layouts."""
    if layout == "C":
        return tn.asarray(a)
    if layout == "F":
        return tn.asarray(np.ascontiguousarray(a.T)).T
    if layout == "strided":
        whole = tn.zeros(tuple(2 * size for size in a.shape), a.dtype)
        whole[tuple(slice(None, None, 2) for _ in a.shape)] = tn.asarray(a)
        return whole[tuple(slice(None, None, 2) for _ in a.shape)]
    back = tuple(slice(None, None, -1) for _ in a.shape)
    return tn.asarray(np.ascontiguousarray(a[back]))[back]


def near(got, expected, dtype):
    bound = BOUNDS[np.dtype(dtype).name]
    scale = max(np.abs(expected).max(), 1) if expected.size else 1
    np.testing.assert_allclose(tn.asnumpy(got), expected, rtol=bound, atol=bound * scale)


@pytest.mark.parametrize("layout", ["C", "F", "strided", "negative"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_contraction(dtype, layout):
    wide = np.result_type(dtype, "f8")
    for a_modes, b_modes, c_modes in [
        ("abc", "cdb", "da"),
        ("ab", "bc", "ac"),
        ("a", "a", ""),
        ("ab", "cd", "dbca"),
        ("xab", "xbc", "cxa"),
        ("ab", "b", "a"),
        ("abc", "d", "db"),
    ]:
        sizes = dict(zip("abcdx", (3, 4, 5, 2, 6)))
        a, b, c = (made([sizes[one] for one in modes], dtype) for modes in (a_modes, b_modes, c_modes))
        for alpha, beta in [(1, 0), (2.5, 0), (0, 2), (2, -1.5)]:
            out = laid(c, layout) if c.ndim else tn.asarray(c)
            x, y = laid(a, layout), laid(b, layout)
            got = cutensor.contraction(alpha, x, a_modes, y, b_modes, beta, out, c_modes)
            assert got is out
            product = np.einsum(f"{a_modes},{b_modes}->{c_modes}", a.astype(wide), b.astype(wide))
            near(out, alpha * product + beta * c, dtype)


def test_operators():
    x = made((4, 3), "f8")
    a = tn.asarray(x)
    expected = {
        raw.OP_SQRT: np.sqrt,
        raw.OP_RELU: lambda v: np.maximum(v, 0),
        raw.OP_CONJ: np.conj,
        raw.OP_RCP: np.reciprocal,
        raw.OP_SIGMOID: lambda v: 1 / (1 + np.exp(-v)),
        raw.OP_TANH: np.tanh,
        raw.OP_EXP: np.exp,
        raw.OP_LOG: np.log,
        raw.OP_ABS: np.abs,
        raw.OP_NEG: np.negative,
        raw.OP_SIN: np.sin,
        raw.OP_COS: np.cos,
        raw.OP_TAN: np.tan,
        raw.OP_SINH: np.sinh,
        raw.OP_COSH: np.cosh,
        raw.OP_ATAN: np.arctan,
        raw.OP_ASINH: np.arcsinh,
        raw.OP_CEIL: np.ceil,
        raw.OP_FLOOR: np.floor,
        39: lambda v: v * np.tanh(np.log1p(np.exp(v))),
        40: lambda v: v / (1 + np.exp(-v)),
        41: lambda v: np.log1p(np.exp(v)),
        42: lambda v: v / (1 + np.abs(v)),
    }
    for op, function in expected.items():
        got = cutensor.elementwise_binary(2, a, "ij", 0, a, "ij", op_A=op)
        near(got, 2 * function(x), "f8")
    inside = x / 2
    for op, function in {raw.OP_ASIN: np.arcsin, raw.OP_ACOS: np.arccos, raw.OP_ATANH: np.arctanh}.items():
        near(cutensor.elementwise_binary(1, tn.asarray(inside), "ij", 0, a, "ij", op_A=op), function(inside), "f8")
    near(cutensor.elementwise_binary(1, a + 1, "ij", 0, a, "ij", op_A=raw.OP_ACOSH), np.arccosh(x + 1), "f8")


@pytest.mark.parametrize("layout", ["C", "F", "strided", "negative"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_elementwise(dtype, layout):
    a, b, c = made((3,), dtype), made((4, 3), dtype), made((3, 5, 4), dtype)
    wide = a[:, None, None].astype(np.result_type(dtype, "f8"))
    x, y, z = (laid(one, layout) for one in (a, b, c))
    middle = b.T[:, None, :]
    got = cutensor.elementwise_trinary(2, x, "i", 3, y, "ki", -1, z, "ijk", op_AB=raw.OP_MUL)
    near(got, 2 * wide * 3 * middle - c, dtype)
    out = laid(c, layout)
    assert cutensor.elementwise_binary(1, y, "ki", 2, z, "ijk", out) is out
    near(out, middle + 2 * c, dtype)
    if np.dtype(dtype).kind != "c":
        got = cutensor.elementwise_trinary(1, x, "i", 1, y, "ki", 1, z, "ijk", op_AB=raw.OP_MAX, op_ABC=raw.OP_MIN)
        near(got, np.minimum(np.maximum(a[:, None, None], middle), c), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_reduction(dtype):
    a, c = made((4, 3, 5), dtype), made((5, 4), dtype)
    wide = a.astype(np.result_type(dtype, "f8"))
    folds = {raw.OP_ADD: np.sum, raw.OP_MUL: np.prod}
    if np.dtype(dtype).kind != "c":
        folds |= {raw.OP_MAX: np.max, raw.OP_MIN: np.min}
    for layout, (op, fold) in itertools.product(["C", "F", "strided", "negative"], folds.items()):
        out = laid(c, layout)
        got = cutensor.reduction(2, laid(a, layout), "ijk", 3, out, "ki", op_reduce=op)
        assert got is out
        near(out, 2 * fold(wide, 1).T + 3 * c, dtype)
    total = tn.zeros((), dtype)
    near(cutensor.reduction(1, tn.asarray(a), "ijk", 0, total, "", op_A=raw.OP_CONJ), wide.conj().sum(), dtype)


def test_factor_of_zero_reads_nothing():
    nothing = tn.full((3,), np.nan)
    a = tn.arange(3.0)
    assert cutensor.contraction(1, a, "i", a, "i", 0, nothing[:1].reshape(()), "").get() == 5
    np.testing.assert_array_equal(cutensor.elementwise_binary(0, nothing, "i", 1, a, "i").get(), [0, 1, 2])
    np.testing.assert_array_equal(cutensor.elementwise_binary(0, nothing, "i", 0, nothing, "i").get(), 0)


def test_mixed_dtypes():
    a, b = made((3, 4), "f8"), made((4, 2), "c16")
    out = tn.zeros((3, 2), "c16")
    near(cutensor.contraction(1, tn.asarray(a), "ij", tn.asarray(b), "jk", 0, out, "ik"), a @ b, "c16")


def test_empty():
    out = tn.ones((2, 3))
    none = tn.zeros((2, 0)), tn.zeros((0, 3))
    np.testing.assert_array_equal(cutensor.contraction(1, none[0], "ij", none[1], "jk", 2, out, "ik").get(), 2)
    row = tn.ones(3)
    np.testing.assert_array_equal(cutensor.reduction(5, none[1], "jk", 0, row, "k", op_reduce=raw.OP_MUL).get(), 5)
    with pytest.raises(ValueError, match="no elements"):
        cutensor.reduction(1, none[1], "jk", 0, row, "k", op_reduce=raw.OP_MAX)
    assert cutensor.elementwise_binary(1, none[0], "ij", 1, none[0], "ij").shape == (2, 0)


def test_refusals():
    a, b = tn.ones((2, 3)), tn.ones((4, 5))
    for call, error, text in [
        (
            lambda: cutensor.contraction(1, a, "ij", b, "jk", 0, b, "ik"),
            ValueError,
            "axis 106 .* size 3 in A and 4 in B",
        ),
        (lambda: cutensor.contraction(1, a, "i", b, "jk", 0, b, "ik"), ValueError, "ndim mismatch: A"),
        (
            lambda: cutensor.contraction(1, a.get(), "ij", b, "jk", 0, b, "ik"),
            TypeError,
            "A must be a tenorite.ndarray",
        ),
        (lambda: cutensor.reduction(1, a.astype("i4"), "ij", 0, b, "kl"), TypeError, "not int32"),
        (lambda: cutensor.elementwise_binary(1, a, "ij", 1, b, "kl"), raw.CuTensorError, "INVALID_VALUE"),
        (lambda: cutensor.elementwise_binary(1, a, "ij", 1, a, "ij", op_A=99), raw.CuTensorError, "INVALID_VALUE"),
        (lambda: cutensor.elementwise_binary(1, a, "ij", 1, a, "ij", b), ValueError, r"out has shape \(4, 5\)"),
        (lambda: cutensor.check_availability("nothing"), ValueError, "nothing"),
        (lambda: raw.destroyPlan(12345), raw.CuTensorError, "INVALID_VALUE"),
        (lambda: cutensor.ndarray_mg(np.zeros((2, 3)), block_size=[1]), ValueError, "block_size"),
    ]:
        with pytest.raises(error, match=text):
            call()


def test_handles_and_addresses():
    """A program that calls cuTENSOR itself."""
    a, b, d = tn.asarray(made((3, 4), "f4")), tn.asarray(made((4, 5), "f4")), tn.zeros((3, 5), "f4")
    handle = raw.create()
    modes = [(ctypes.c_int32 * 2)(*map(ord, one)) for one in ("ik", "kj", "ij")]
    descriptors = []
    for one in (a, b, d):
        extent, stride = (ctypes.c_int64 * 2)(*one.shape), (ctypes.c_int64 * 2)(*(step // 4 for step in one.strides))
        address = ctypes.addressof(extent), ctypes.addressof(stride)
        descriptors.append(raw.createTensorDescriptor(handle, 2, *address, raw.R_32F, 4))
    x, y, z = zip(descriptors, map(ctypes.addressof, modes))
    desc = raw.createContraction(
        handle, *x, raw.OP_IDENTITY, *y, raw.OP_IDENTITY, *z, raw.OP_IDENTITY, *z, raw.COMPUTE_DESC_32F
    )
    pref = raw.createPlanPreference(handle, raw.ALGO_DEFAULT, raw.JIT_MODE_NONE)
    size = raw.estimateWorkspaceSize(handle, desc, pref, raw.WORKSPACE_RECOMMENDED)
    plan = raw.createPlan(handle, desc, pref, size)
    space = tn.empty(max(size, 1), "u1")
    factors = np.array([2, 0], "f4")
    alpha, beta = factors.ctypes.data, factors.ctypes.data + 4
    pointers = a.data.ptr, b.data.ptr, beta, d.data.ptr, d.data.ptr
    raw.contract(handle, plan, alpha, *pointers, space.data.ptr, size)
    near(d, 2 * a.get() @ b.get(), "f4")
    for end, numbers in [
        (raw.destroyPlan, [plan]),
        (raw.destroyPlanPreference, [pref]),
        (raw.destroyOperationDescriptor, [desc]),
        (raw.destroyTensorDescriptor, descriptors),
        (raw.destroy, [handle]),
    ]:
        for number in numbers:
            end(number)


def test_blocks_over_devices():
    a = made((5, 7), "f8")
    place = cutensor.ndarray_mg(a, block_size=[2, 3])
    out = tn.zeros((7, 5))
    cutensor.copyMg(out, "ji", place, "ij")
    near(out, a.T, "f8")
    # Blocks of two rows that two pieces of memory hold in turn.
    pieces = [tn.zeros((6, 4)), tn.zeros((4, 4))]
    split = cutensor.ndarray_mg(pieces, extent=[9, 4], element_stride=[4, 1], block_size=[2, 4], device_count=[2, 1])
    b = made((9, 4), "f8")
    cutensor.copyMg(split, "ij", b, "ij")
    near(pieces[0], np.concatenate([b[0:2], b[4:6], b[8:9], np.zeros((1, 4))]), "f8")
    near(pieces[1], np.concatenate([b[2:4], b[6:8]]), "f8")
    result = np.zeros((9, 9))
    cutensor.contractionMg(2, split, "ik", split, "jk", 0, result, "ij")
    near(result, 2 * b @ b.T, "f8")
    host, devices = cutensor.contractionMgWorkspace(1, split, "ik", split, "jk", 0, result, "ij")
    assert host >= 0 and len(devices) == 1


def test_nothing_is_kept():
    pool = tn.get_default_memory_pool()
    a = tn.ones((50, 50))
    cutensor.contraction(1, a, "ij", a, "jk", 0, a.copy(), "ik")
    gc.collect()
    before, plans = pool.used_bytes(), len(raw._plans._things)
    for _ in range(20):
        cutensor.contraction(1, a, "ij", a, "jk", 0, a.copy(), "ik")
    gc.collect()
    assert pool.used_bytes() == before and len(raw._plans._things) == plans


def addresses(modes):
    kept = [(ctypes.c_int32 * len(one))(*map(ord, one)) for one in modes]
    return kept, [ctypes.addressof(one) for one in kept]


def planned(desc):
    handle = tn.cuda.Device().cutensor_handle
    pref = raw.createPlanPreference(handle, raw.ALGO_DEFAULT, raw.JIT_MODE_NONE)
    size = raw.estimateWorkspaceSize(handle, desc, pref, raw.WORKSPACE_MAX)
    plan = raw.createPlan(handle, desc, pref, size)
    needed = np.zeros(1, "u8")
    raw.planGetAttribute(handle, plan, raw.PLAN_REQUIRED_WORKSPACE, needed.ctypes.data, 8)
    assert needed[0] <= size
    return handle, plan


def test_other_operations_by_addresses():
    a, b, c = made((3, 4), "f8"), made((4,), "f8"), made((4, 3), "f8")
    x, y, z = map(tn.asarray, (a, b, c))
    p, q, r = (cutensor.create_tensor_descriptor(one).ptr for one in (x, y, z))
    kept, (ij, j, ji) = addresses(("ij", "j", "ji"))
    factors = np.array([2.0, 3.0, 5.0])
    first, second, third = (factors.ctypes.data + 8 * k for k in range(3))
    same, compute = raw.OP_IDENTITY, raw.COMPUTE_DESC_64F
    out = tn.zeros((4, 3))
    handle = tn.cuda.Device().cutensor_handle
    handle, plan = planned(raw.createPermutation(handle, p, ij, same, r, ji, compute))
    raw.permute(handle, plan, first, x.data.ptr, out.data.ptr)
    near(out, 2 * a.T, "f8")
    binary = raw.createElementwiseBinary(handle, p, ij, same, r, ji, same, r, ji, raw.OP_MUL, compute)
    _, plan = planned(binary)
    raw.elementwiseBinaryExecute(handle, plan, first, x.data.ptr, second, z.data.ptr, out.data.ptr)
    near(out, 2 * a.T * 3 * c, "f8")
    operators = raw.OP_ADD, raw.OP_ADD, compute
    trinary = raw.createElementwiseTrinary(handle, p, ij, same, q, j, same, r, ji, same, r, ji, *operators)
    _, plan = planned(trinary)
    inputs = first, x.data.ptr, second, y.data.ptr, third, z.data.ptr
    raw.elementwiseTrinaryExecute(handle, plan, *inputs, out.data.ptr)
    near(out, 2 * a.T + 3 * b[:, None] + 5 * c, "f8")
    _, plan = planned(raw.createReduction(handle, p, ij, same, q, j, same, q, j, raw.OP_MAX, compute))
    row, space = tn.zeros(4), tn.empty(4096, "u1")
    raw.reduce(handle, plan, first, x.data.ptr, second, y.data.ptr, row.data.ptr, space.data.ptr, 4096)
    near(row, 2 * a.max(0) + 3 * b, "f8")
    assert len(kept) == 3 and (raw.get_version() > 0) == (raw.get_cudart_version() > 0)


def test_descriptors():
    """What programs make by the names of the module and hand to functions of addresses."""
    a, b = tn.asarray(made((3, 4), "f8")), tn.asarray(made((4,), "f8"))
    p, q = cutensor.create_tensor_descriptor(a), cutensor.create_tensor_descriptor(b)
    assert p is cutensor.create_tensor_descriptor(a + 1) and isinstance(p, cutensor.TensorDescriptor)
    m, n = cutensor.create_mode("i", "j"), cutensor.create_mode("j")
    assert isinstance(m, cutensor.Mode) and m is cutensor.create_mode("i", "j") and m != n
    same = raw.OP_IDENTITY
    made_here = [
        cutensor.create_elementwise_binary(q, n, same, p, m, same, p, m, raw.OP_ADD),
        cutensor.create_elementwise_trinary(q, n, same, p, m, same, p, m, same, p, m, raw.OP_ADD, raw.OP_MUL),
        cutensor.create_reduction(p, m, same, q, n, same, raw.OP_ADD),
        cutensor.create_contraction(
            p, m, same, q, n, same, cutensor.create_tensor_descriptor(b[:3]), cutensor.create_mode("i"), same
        ),
    ]
    pref = cutensor.create_plan_preference()
    assert isinstance(pref, cutensor.PlanPreference)
    for desc in made_here:
        assert isinstance(desc, cutensor.OperationDescriptor)
        size = raw.estimateWorkspaceSize(cutensor.CutensorHandle().ptr, desc.ptr, pref.ptr, raw.WORKSPACE_MAX)
        plan = cutensor.create_plan(desc, pref, size)
        assert isinstance(plan, cutensor.Plan) and plan.ptr
        assert desc._scalar_dtype(tn.cuda.Device().cutensor_handle) == "f8"
    empty = cutensor.OperationDescriptor()
    handle = tn.cuda.Device().cutensor_handle
    binary = q.ptr, n.data, same, p.ptr, m.data, same, p.ptr, m.data, raw.OP_ADD, raw.COMPUTE_DESC_64F
    empty.create_elementwise_binary(handle, *binary)
    assert empty.ptr
    for name in ("create_elementwise_trinary", "create_reduction", "create_contraction"):
        assert callable(getattr(empty, name))
    with pytest.raises(ValueError, match="2 labels for a tensor of 1 axes"):
        cutensor.create_reduction(p, m, same, q, m, same, raw.OP_ADD)


def test_blocks_by_descriptors():
    a = cutensor.to_mg_ndarray(made((4, 6), "f8"))
    assert cutensor.to_mg_ndarray(a) is a and a.block_stride is None
    out = cutensor.to_mg_ndarray(np.zeros((6, 4)))
    p, q = cutensor.create_mg_tensor_descriptor(a), cutensor.create_mg_tensor_descriptor(out)
    m, n = cutensor.create_mode("i", "j"), cutensor.create_mode("j", "i")
    copy = cutensor.create_mg_copy_descriptor(q, n, p, m)
    none = np.zeros(1, "i8")
    kinds = [
        (p, cutensor.MgTensorDescriptor),
        (copy, cutensor.MgCopyDescriptor),
        (cutensor.create_mg_copy_plan(copy, none, 0), cutensor.MgCopyPlan),
        (cutensor.MgHandle([tn.cuda.Device().id]), cutensor.MgHandle),
    ]
    square = cutensor.create_mg_tensor_descriptor(cutensor.to_mg_ndarray(np.zeros((4, 4))))
    k = cutensor.create_mode("i", "k")
    pairs = p, m, p, cutensor.create_mode("k", "j"), square, k, square, k
    product, find = cutensor.create_mg_contraction_descriptor(*pairs), cutensor.create_mg_contraction_find()
    kinds += [
        (product, cutensor.MgContractionDescriptor),
        (find, cutensor.MgContractionFind),
        (cutensor.create_mg_contraction_plan(product, find, none, 0), cutensor.MgContractionPlan),
    ]
    assert all(isinstance(one, kind) and one.ptr for one, kind in kinds)
    host, sizes = cutensor.copyMgWorkspace(out, "ji", a, "ij")
    assert host >= 0 and sizes.shape == (1,)
    names = (
        "createMg destroyMg createMgTensorDescriptor createMgCopyDescriptor getMgCopyWorkspace createMgCopyPlan "
        "createMgContractionDescriptor createMgContractionFind getMgContractionWorkspace createMgContractionPlan "
        "destroyMgTensorDescriptor destroyMgCopyDescriptor destroyMgCopyPlan destroyMgContractionDescriptor "
        "destroyMgContractionFind destroyMgContractionPlan"
    )
    assert all(callable(getattr(raw, name)) for name in names.split())
