"""Products of matrices and vectors, norms and powers, against NumPy."""

import itertools
import os

import numpy as np
import pytest
import tenorite as tn
from programs import output_of

DTYPES = [np.dtype(c) for c in "?bBhHiIlLefdFD"]
RNG = np.random.default_rng(5)


def values(shape, dtype):
    """Small integers: their products and sums are exact in most dtypes, and close in the others."""
    dtype = np.dtype(dtype)
    data = RNG.integers(-3 if dtype.kind in "ifc" else 0, 4, shape)
    if dtype.kind == "c":
        return (data + 1j * RNG.integers(-3, 4, shape)).astype(dtype)
    return data.astype(dtype)


def check(got, wanted, tolerance=1e-5):
    wanted = np.asarray(wanted)
    assert isinstance(got, tn.ndarray)
    assert got.shape == wanted.shape
    assert got.dtype == wanted.dtype
    if wanted.dtype.kind in "biu":
        np.testing.assert_array_equal(got.get(), wanted)
    else:
        np.testing.assert_allclose(got.get(), wanted, rtol=tolerance if wanted.dtype.char != "e" else 5e-3)


def both(function, *arguments, **options):
    """The result of NumPy's function, and of ours on the same arguments moved to the device."""
    moved = [tn.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
    check(getattr(tn, function)(*moved, **options), getattr(np, function)(*arguments, **options))


def same_error(function, *arguments, **options):
    """The same words, and the same exception but for NumPy's private kinds of TypeError."""
    moved = [tn.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
    with pytest.raises(Exception) as wanted:
        getattr(np, function)(*arguments, **options)
    with pytest.raises(TypeError if wanted.errisinstance(TypeError) else wanted.type) as got:
        getattr(tn, function)(*moved, **options)
    assert str(got.value).split(" with shapes")[0] == str(wanted.value).split(" with shapes")[0]


SHAPES = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3, 4)),
    ((1, 1), (1, 1)),
    ((10, 10), (10, 10)),
    ((40, 50), (50, 60)),
    ((1, 200), (200, 1)),
    ((200, 1), (1, 200)),
    ((1, 300), (300, 70)),
    ((70, 300), (300, 1)),
    ((5, 2, 3), (3, 4)),
    ((5, 2, 3), (5, 3, 4)),
    ((5, 1, 2, 3), (7, 3, 4)),
    ((3, 4), (5, 4, 2)),
    ((5, 4), (3, 4, 2)),
    ((6, 2, 4), (4,)),
    ((4,), (6, 4, 2)),
    ((0, 3), (3, 4)),
    ((2, 0), (0, 4)),
    ((2, 3), (3, 0)),
    ((0,), (0,)),
    ((5, 0, 2), (2, 3)),
    ((0, 2, 3), (3, 4)),
]


def fits(name, a, b):
    a_core, b_core = {"matmul": (1, 1), "vecdot": (1, 1), "matvec": (2, 1), "vecmat": (1, 2)}[name]
    return len(a) >= a_core and len(b) >= b_core


@pytest.mark.quick
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("a, b", SHAPES, ids=str)
def test_matmul(a, b, dtype):
    both("matmul", values(a, dtype), values(b, dtype))


@pytest.mark.parametrize("a, b", [shapes for shapes in SHAPES if 0 not in shapes[0] + shapes[1]], ids=str)
def test_bfloat16(a, b):
    """Sums are kept in float32 and rounded once: these are exact there, and have more bits than
    bfloat16."""
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    x, y = (values(shape, "f4") * 5 + 1 for shape in (a, b))
    ours = tn.matmul(tn.array(x).astype(bfloat16), tn.array(y).astype(bfloat16))
    assert ours.dtype == bfloat16 and ours.shape == np.matmul(x, y).shape
    wanted = np.matmul(x, y).astype(bfloat16).astype("f4")
    np.testing.assert_array_equal(ours.astype("f4").get(), wanted)


def test_bfloat16_layouts_and_kin():
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    x, y = values((6, 30, 40), "f4"), values((6, 40, 50), "f4")
    a, b = tn.array(x).astype(bfloat16), tn.array(y).astype(bfloat16)

    def same(ours, wanted):
        assert ours.dtype == bfloat16
        np.testing.assert_array_equal(ours.astype("f4").get(), wanted.astype(bfloat16).astype("f4"))

    same(a @ b, x @ y)
    same(b.transpose(0, 2, 1) @ a.transpose(0, 2, 1), (x @ y).transpose(0, 2, 1))
    same(a[::2, ::-1, ::2] @ b[::2, ::2, ::-1], x[::2, ::-1, ::2] @ y[::2, ::2, ::-1])
    same(tn.broadcast_to(a[0], a.shape) @ b, x[0] @ y)
    same(tn.vecdot(a, a), (x * x).sum(axis=-1))
    same(a[0].dot(b[0]), x[0].dot(y[0]))
    same(tn.matmul(a, b, out=tn.empty((6, 30, 50), bfloat16)), x @ y)
    assert (a @ tn.array(y)).dtype == np.float32


@pytest.mark.parametrize("dtype", ["f4", "F"])
def test_float32_is_not_rounded_to_tf32(dtype):
    """TF32 has 10 bits: 1 + 2**-20 would be 1 there. It is used only where TENORITE_TF32=1 asks for
    it."""
    assert os.environ.get("TENORITE_TF32", "0") != "1"
    x = np.full((64, 64), 1 + 2**-20, dtype)
    check(tn.array(x) @ tn.eye(64, dtype=dtype), x, 1e-7)
    check(tn.array(x[0]) @ tn.eye(64, dtype=dtype), x[0], 1e-7)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_kin_of_matmul(dtype):
    a, b = values((4, 5, 6), dtype), values((4, 6), dtype)
    both("vecdot", a, values((5, 6), dtype))
    both("vecdot", b[0], b[1])
    both("vecdot", a, values((4, 5, 6), dtype), axis=1)
    both("vecdot", a, values((4, 5, 6), dtype), axis=-3)
    both("matvec", a, b)
    both("matvec", a[0], b)
    both("vecmat", values((4, 5), dtype), a)
    both("vecmat", values(5, dtype), a[0])


@pytest.mark.parametrize("types", list(itertools.combinations("?bBiLefdFD", 2)), ids="".join)
def test_mixed_dtypes(types):
    a, b = values((6, 7), types[0]), values((7, 5), types[1])
    both("matmul", a, b)
    both("dot", a, b)
    both("inner", a, b.T.copy())
    both("outer", a[0], b[0])
    both("tensordot", a, b, axes=1)


LAYOUTS = {
    "C": lambda a: a,
    "F": np.asfortranarray,
    "step": lambda a: np.repeat(np.repeat(a, 2, 0), 2, 1)[::2, ::2],
    "back": lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
    "rows": lambda a: np.broadcast_to(a[:1], a.shape),
    "columns": lambda a: np.broadcast_to(a[:, :1], a.shape),
    "window": lambda a: np.pad(a, 3)[3:-3, 3:-3],
}


def move_with_strides(a):
    """The same strides on the device: a view of a moved copy of the whole buffer."""
    base = a
    while isinstance(base.base, np.ndarray):
        base = base.base
    flat = np.ndarray(
        base.nbytes // a.itemsize, a.dtype, np.ascontiguousarray(base) if base.flags.c_contiguous else base.T
    )
    moved = tn.asarray(flat)
    offset = a.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    return tn.ndarray(a.shape, a.dtype, moved.data + offset, a.strides)


@pytest.mark.parametrize("dtype", "?bilefdFD")
@pytest.mark.parametrize("of_a, of_b", list(itertools.product(LAYOUTS, LAYOUTS)))
@pytest.mark.parametrize("size", [4, 33, 130])
def test_layouts(of_a, of_b, size, dtype):
    a = LAYOUTS[of_a](values((size, size + 3), dtype))
    b = LAYOUTS[of_b](values((size + 3, size - 1), dtype))
    x, y = move_with_strides(a), move_with_strides(b)
    assert x.strides == a.strides and y.strides == b.strides
    check(x @ y, a @ b)
    check(x @ x.T, a @ a.T)
    check(y[:, 0].T @ x.T, b[:, 0] @ a.T)
    check(x @ y[:, 1], a @ b[:, 1])


@pytest.mark.parametrize("dtype", "ildD")
def test_batches(dtype):
    for m, n, k, count in [(3, 3, 3, 100), (10, 10, 10, 33), (100, 90, 80, 5), (1, 5, 4, 50), (5, 1, 4, 50)]:
        a, b = values((count, m, k), dtype), values((count, k, n), dtype)
        both("matmul", a, b)
        both("matmul", a, b[0])
        both("matmul", a[0], b)
        both("matmul", a[:, None], b[None, :3])
        x, y = tn.asarray(a), tn.asarray(b)
        check(x.transpose(1, 0, 2).transpose(1, 0, 2)[::2] @ y[::2], a[::2] @ b[::2])
        check(tn.broadcast_to(x[0], x.shape) @ y, np.broadcast_to(a[0], a.shape) @ b)


def test_order_and_dtype():
    a, b = values((30, 40), "d"), values((40, 50), "d")
    got = tn.matmul(tn.asarray(a), tn.asarray(b), order="F")
    assert got.flags.f_contiguous
    check(got, a @ b)
    both("matmul", a, b, dtype="f")
    both("matmul", a, b, dtype="i", casting="unsafe")
    same_error("matmul", a, b, dtype="i")
    same_error("matmul", a, b, dtype="F", casting="safe")


def test_given_result():
    a, b = values((4, 5), "d"), values((5, 6), "d")
    x, y = tn.asarray(a), tn.asarray(b)
    for shape, dtype in [((4, 6), "d"), ((3, 4, 6), "d"), ((4, 6), "f"), ((4, 6), "D")]:
        out = tn.zeros(shape, dtype)
        assert tn.matmul(x, y, out=out) is out
        check(out, np.broadcast_to(a @ b, shape).astype(dtype))
    out = tn.zeros((8, 12))
    tn.matmul(x, y, out[::2, ::-2])
    np.testing.assert_array_equal(out.get()[::2, ::-2], a @ b)
    assert out.get()[1::2].sum() == 0
    out = tn.zeros((4, 6))
    assert tn.matmul(x, y, out=(out,)) is out
    assert tn.dot(x, y, out=out) is out and x.dot(y, out) is out
    check(out, a @ b)


def test_result_overlaps_operands():
    a = values((60, 60), "d")
    for name in ("a", "b"):
        x = tn.asarray(a)
        tn.matmul(x, x.T, out=x) if name == "a" else tn.matmul(x.T, x, out=x)
        check(x, a @ a.T if name == "a" else a.T @ a)
    whole = tn.asarray(values((61, 60), "d"))
    host = whole.get()
    tn.matmul(whole[1:], whole[1:], out=whole[:-1])
    check(whole[:-1], host[1:] @ host[1:])
    x = tn.asarray(a)
    same = x
    x @= x
    assert x is same
    check(x, a @ a)


@pytest.mark.parametrize(
    "a, b",
    [
        ((2, 3), (4, 5)),
        ((3,), (4, 5)),
        ((2, 3), (4,)),
        ((2,), (3,)),
        ((2, 3, 4), (3, 4, 5)),
        ((8, 2, 3, 4), (3, 4, 5)),
        ((), (3,)),
        ((3,), ()),
    ],
)
def test_shapes_that_do_not_fit(a, b):
    same_error("matmul", np.ones(a), np.ones(b))


def layouts(dtype):
    """Arrays whose folds take every path: leaves, packed runs, tiles, columns, segments."""
    rng = np.random.default_rng(7)
    for shape in ((), (10,), (5000,), (300000,), (100, 7), (7, 100), (1000, 300), (30, 40, 50), (2, 70000)):
        data = rng.standard_normal(shape) * 3
        if dtype.kind == "c":
            data = data + 1j * rng.standard_normal(shape)
        x = tn.asarray(np.asarray(data).astype(dtype))
        yield x
        if shape:
            yield x[::-2]
            yield x.T
            yield tn.broadcast_to(x[:1], shape)
        if len(shape) > 1:
            yield x[:, ::3]
            yield x.swapaxes(0, 1)[::2]


def has_no_gaps(x):
    return sum((n - 1) * abs(step) for n, step in zip(x.shape, x.strides)) + x.itemsize == x.nbytes


@pytest.mark.parametrize("dtype", [np.dtype(c) for c in "efdFDiB?"], ids=str)
def test_norms_in_one_pass_have_the_bits_of_two(dtype, device):
    """On a GPU the absolute values of complex numbers may differ in their last bits."""
    for x in layouts(dtype):
        f = x.astype(float) if dtype.kind in "iub" else x
        for axis in [None, *((k,) for k in range(x.ndim))]:
            for keepdims in (False, True):
                options = {"axis": axis, "keepdims": keepdims}

                def same(order, wanted):
                    got = tn._core._vector_norm(x, order, axis, keepdims)
                    assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
                    words = (order, x.shape, x.strides, axis)
                    if device == "cuda" and dtype.kind == "c":
                        np.testing.assert_allclose(got.get(), wanted.get(), rtol=1e-6, err_msg=str(words))
                    else:
                        assert got.get().tobytes() == wanted.get().tobytes(), words

                same(1, abs(f).sum(**options))
                same(np.inf, abs(f).max(**options))
                same(-np.inf, abs(f).min(**options))
                if (axis is None or x.ndim == 1) and dtype.kind == "f" and has_no_gaps(x):
                    wanted = np.sqrt(tn.vdot(x.ravel(order="K"), x.ravel(order="K")).get())
                    got = tn._core._vector_norm(x, 2, axis, keepdims)
                    assert got.shape == (1,) * x.ndim * keepdims
                    np.testing.assert_allclose(got.get().ravel(), wanted, rtol=1e-6 if dtype.itemsize > 2 else 1e-3)
                elif dtype.kind != "c":
                    same(2, tn.sqrt((f * f).sum(**options)))


def test_errors():
    one = np.ones
    same_error("matvec", one(3), one(3))
    same_error("matvec", one((2, 3, 4)), one((7, 4)))
    same_error("vecmat", one(3), one((4, 4)))
    same_error("vecmat", one((2, 3)), one((7, 3, 4)))
    same_error("vecdot", one((2, 3)), one((7, 4, 3)))
    same_error("vecdot", one((2, 3)), one(4))
    same_error("dot", one((2, 3)), one((4, 5)))
    same_error("dot", one(3), one(4))
    same_error("dot", one((2, 3, 4)), one((5, 3, 6)))
    same_error("vdot", one(3), one(4))
    with pytest.raises(ValueError, match=r"shapes \(2,3\) and \(5,4\) not aligned: 3 \(dim 1\) != 4 \(dim 1\)"):
        tn.inner(tn.ones((2, 3)), tn.ones((5, 4)))
    same_error("tensordot", one((2, 3, 4)), one((4, 3, 5)), axes=2)
    same_error("tensordot", one((2, 3, 4)), one((4, 3, 5)), axes=5)
    same_error("tensordot", one((2, 3, 4)), one((4, 3, 5)), axes=([1, 1], [1, 1]))
    same_error("tensordot", one((2, 3, 4)), one((4, 3, 5)), axes=([7], [1]))
    same_error("trace", one(3))
    same_error("trace", one((3, 3)), axis1=0, axis2=0)
    x, y = tn.ones((2, 3)), tn.ones((3, 4))
    for out, error in [
        (tn.zeros((2, 5)), "core dimension 1"),
        (tn.zeros(2), "does not have enough"),
        (tn.broadcast_to(tn.zeros(4), (2, 4)), "read-only"),
    ]:
        with pytest.raises(ValueError, match=error):
            tn.matmul(x, y, out=out)
    for out, error in [
        (tn.zeros((2, 5)), "wrong dimensions"),
        (tn.zeros((2, 4), "f"), "not acceptable"),
        (tn.zeros((2, 4), order="F"), "not acceptable"),
    ]:
        with pytest.raises(ValueError, match=error):
            tn.dot(x, y, out=out)
    with pytest.raises(TypeError, match="Cannot cast ufunc 'matmul' output"):
        tn.matmul(x, y, out=tn.zeros((2, 4), "i"))
    with pytest.raises(ValueError, match="inplace matrix multiplication"):
        x @= tn.ones(3)


@pytest.mark.parametrize("other", [np.ones((3, 2)), [1, 2, 3], "text", None, object()], ids=lambda v: type(v).__name__)
def test_host_operands_are_refused(other):
    x = tn.ones((2, 3))
    for call in (lambda: x @ other, lambda: other @ x, lambda: tn.matmul(x, other), lambda: x.dot(other)):
        with pytest.raises(TypeError, match="Unsupported type|unsupported operand"):
            call()


@pytest.mark.two_devices
def test_devices():
    x = tn.ones((3, 3))
    with tn.cuda.Device(1):
        y = tn.ones((3, 3))
        check(tn.dot(y, 2.0), np.full((3, 3), 2.0))
    assert tn.dot(2.0, y).device == (y @ y).device == y.device
    for call in (lambda: x @ y, lambda: tn.tensordot(x, y), lambda: tn.vdot(x, y), lambda: tn.matmul(x, x, out=y)):
        with pytest.raises(ValueError, match="(?i)device.*0.*1|device.*1.*0"):
            call()


def test_axis_of_vecdot():
    same_error("vecdot", np.ones((2, 3)), np.ones((2, 3)), axis=2)
    with pytest.raises(TypeError, match="axis"):
        tn.matmul(tn.ones((2, 2)), tn.ones((2, 2)), axis=0)


def test_scalars():
    with pytest.raises(ValueError, match="does not have enough dimensions"):
        tn.ones((3, 3)) @ 2
    both("dot", values(4, "i"), 3)
    both("dot", 2.5, values((2, 3), "f"))
    both("dot", np.array(3.0), values(4, "d"))
    both("inner", values((2, 3), "d"), 2)
    both("outer", 2, 3)
    both("vdot", 2j, 3j)


@pytest.mark.parametrize("dtype", "?bildFD")
def test_dot_and_kin(dtype):
    for a, b in [
        ((3,), (3,)),
        ((2, 3, 4), (5, 4, 6)),
        ((2, 3, 4), (4,)),
        ((4,), (3, 4, 2)),
        ((2, 0), (0, 2)),
        ((500,), (500,)),
    ]:
        both("dot", values(a, dtype), values(b, dtype))
    for a, b in [((3,), (3,)), ((2, 3, 4), (5, 6, 4)), ((3,), (5, 3)), ((0,), (0,))]:
        both("inner", values(a, dtype), values(b, dtype))
    for a, b in [((3,), (3,)), ((2, 3), (3, 2)), ((200,), (200,)), ((), ()), ((0,), (0,))]:
        both("vdot", values(a, dtype), values(b, dtype))
    both("vdot", values((6, 7), dtype)[::2, ::-1], values((7, 3), dtype).T)
    both("outer", values((2, 3), dtype), values(4, dtype))
    both("kron", values((2, 3), dtype), values(4, dtype))
    both("kron", values((2, 3), dtype), values((3, 2, 2), dtype))


@pytest.mark.parametrize("dtype", "?ilfD")
@pytest.mark.parametrize(
    "axes", [0, 1, -1, ([1, 2], [1, 0]), ([2], [0]), (0, 3), ((2, 0, 1), (0, 3, 1)), ([], [])], ids=str
)
def test_tensordot(axes, dtype):
    both("tensordot", values((2, 3, 4), dtype), values((4, 3, 5, 2), dtype), axes=axes)


def test_tensordot_of_views():
    a, b = values((4, 3, 2, 5), "d"), values((5, 6, 3), "d")
    x, y = tn.asarray(a), tn.asarray(b)
    check(tn.tensordot(x.T, y.T, axes=([0, 2], [2, 0])), np.tensordot(a.T, b.T, axes=([0, 2], [2, 0])))
    both("tensordot", np.ones(()), np.ones(()), axes=0)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_trace(dtype):
    a = values((4, 5, 3), dtype)
    x = tn.asarray(a)
    for arguments in [(), (1,), (-2,), (0, 0, 2), (1, -1, 0), (9,)]:
        check(x.trace(*arguments), a.trace(*arguments))
    both("trace", a[0], dtype="d" if a.dtype.kind != "c" else "D")
    out = tn.zeros(3, a.trace().dtype)
    assert tn.trace(x, out=out) is out
    check(out, a.trace())


def test_cross():
    for a, b in [((3,), (3,)), ((4, 3), (3,))]:
        both("cross", values(a, "d"), values(b, "d"))
    # Vectors of two elements, which newer NumPy refuses, lie in a plane of three.
    for a, b in [((2,), (2,)), ((5, 2), (5, 3)), ((5, 3), (2,))]:
        x, y = values(a, "d"), values(b, "d")
        wide = [np.concatenate([v, np.zeros((*v.shape[:-1], 3 - v.shape[-1]))], -1) for v in (x, y)]
        expected = np.cross(*wide)
        if a[-1] == b[-1] == 2:
            expected = expected[..., 2]
        check(tn.cross(tn.asarray(x), tn.asarray(y)), expected)
    both("cross", values((3, 4), "d"), values((3, 4), "d"), axis=0)
    both("cross", values((3, 4), "d"), values((4, 3), "d"), axisa=0, axisc=0)
    with pytest.raises(ValueError, match="incompatible dimensions for cross product"):
        tn.cross(tn.ones(4), tn.ones(4))  # newer NumPy has other words
    for a, b in (([True, False], [1, 2, 3]), ([4, 5, 6], [True, True])):
        whole = [np.array([*one, 0][:3], np.asarray(one).dtype) for one in (a, b)]
        assert tn.cross(tn.asarray(a), tn.asarray(b)).tolist() == np.cross(*whole).tolist()


# --- numpy.linalg ---


def linalg(name, *arguments, **options):
    moved = [tn.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
    check(getattr(tn.linalg, name)(*moved, **options), getattr(np.linalg, name)(*arguments, **options))


@pytest.mark.parametrize("dtype", "ilefdFD")
@pytest.mark.parametrize("keepdims", [False, True])
def test_norm(dtype, keepdims):
    a = values((4, 5, 6), dtype)
    for ord in (None, 0, 1, 2, 3, 0.5, -1, np.inf, -np.inf):
        if ord == -1:
            a = np.abs(a) + a.dtype.type(1)
        linalg("norm", a[0, 0], ord, keepdims=keepdims)
        linalg("norm", a, ord, 1, keepdims)
        linalg("vector_norm", a, ord=2 if ord is None else ord, axis=(0, 2), keepdims=keepdims)
    for ord in (None, "fro", 1, -1, np.inf, -np.inf):
        linalg("norm", a[0], ord, keepdims=keepdims)
        linalg("norm", a, ord, (2, 0), keepdims)
        linalg("matrix_norm", a, ord="fro" if ord is None else ord, keepdims=keepdims)
    linalg("norm", a, keepdims=keepdims)
    linalg("vector_norm", a, keepdims=keepdims)


def test_norm_of_nothing():
    linalg("norm", np.ones(0))
    linalg("norm", np.ones(0), np.inf)
    linalg("norm", np.ones((3, 0)), 1)
    linalg("norm", np.ones(0), 1)


@pytest.mark.parametrize(
    "arguments", [(3,), ("foo",), (2, (0, 0)), ("fro", 0), (None, (0, 1, 2)), (None, 5), (None, "a")], ids=str
)
def test_norm_errors(arguments):
    with pytest.raises(Exception) as wanted:
        np.linalg.norm(np.ones((3, 3)), *arguments)
    with pytest.raises(wanted.type) as got:
        tn.linalg.norm(tn.ones((3, 3)), *arguments)
    assert str(got.value) == str(wanted.value)


def test_norms_of_host_data():
    with pytest.raises(TypeError, match="Unsupported type"):
        tn.linalg.norm([1, 2, 3])


@pytest.mark.parametrize("n", range(7))
def test_matrix_power(n):
    linalg("matrix_power", values((3, 4, 4), "l"), n)
    linalg("matrix_power", values((3, 3), "D"), n)


def test_matrix_power_errors():
    for a, n in [((3, 4), 1), ((3,), 1), ((3, 3), 1.5)]:
        with pytest.raises(Exception) as wanted:
            np.linalg.matrix_power(np.ones(a), n)
        with pytest.raises(wanted.type, match=str(wanted.value)):
            tn.linalg.matrix_power(tn.ones(a), n)


def test_multi_dot():
    for shapes in [
        ((3, 2), (2, 4)),
        ((3, 2), (2, 4), (4, 5)),
        ((3,), (3, 2), (2, 4), (4,)),
        ((10, 100), (100, 5), (5, 50), (50, 3)),
    ]:
        arrays = [values(shape, "d") for shape in shapes]
        check(tn.linalg.multi_dot([tn.asarray(a) for a in arrays]), np.linalg.multi_dot(arrays))
    with pytest.raises(ValueError, match="at least two"):
        tn.linalg.multi_dot([tn.ones((3, 3))])
    with pytest.raises(tn.linalg.LinAlgError):
        tn.linalg.multi_dot([tn.ones((3, 2)), tn.ones((2, 4)), tn.ones((4, 5, 2))])
    with pytest.raises(ValueError, match="not aligned"):
        tn.linalg.multi_dot([tn.ones((3, 2)), tn.ones((3, 4)), tn.ones((4, 2))])


def test_names_of_linalg():
    a, b = values((4, 3), "d"), values((4, 3), "d")
    linalg("outer", a[0], b[0])
    linalg("cross", a, b)
    linalg("vecdot", a, b)
    linalg("vecdot", a, b, axis=0)
    linalg("matrix_transpose", a)
    linalg("diagonal", values((2, 3, 4), "d"), offset=1)
    linalg("trace", values((2, 3, 4), "d"), offset=1)
    linalg("matmul", a, b.T)
    linalg("tensordot", a, b.T, axes=1)
    with pytest.raises(ValueError, match="must be one-dimensional"):
        tn.linalg.outer(tn.ones((2, 2)), tn.ones(2))
    with pytest.raises(ValueError, match="3-dimensional vectors"):
        tn.linalg.cross(tn.ones(2), tn.ones(2))
    assert tn.linalg.LinAlgError is np.linalg.LinAlgError


# --- The library and the levels ---

PROGRAM = """
import numpy as np, tenorite as tn
rng = np.random.default_rng(1)
for dtype in '?bhilefdFD':
    for m, n, k in [(3, 3, 3), (10, 10, 10), (70, 50, 60), (1, 300, 90), (300, 1, 90), (150, 140, 300)]:
        a, b = (rng.integers(0, 3, s).astype(dtype) for s in ((m, k), (k, n)))
        if dtype in 'FD':
            a = a + (1j * rng.integers(0, 3, a.shape)).astype(dtype)
        got, wanted = (tn.asarray(a) @ tn.asarray(b)).get(), a @ b
        assert got.dtype == wanted.dtype and np.array_equal(got, wanted), (dtype, m, n, k)
print(tn._core._library_path('openblas'))
"""


def run_program(**environment):
    return output_of(PROGRAM, environment).strip()


of_the_host = pytest.mark.host_only("about the host's loops and its BLAS")


@of_the_host
@pytest.mark.parametrize("isa", ["v2", "v3", "v4"])
def test_levels(isa):
    """Every instruction-set level, with a BLAS and without."""
    run_program(TENORITE_ISA=isa)
    assert run_program(TENORITE_ISA=isa, TENORITE_OPENBLAS_PATH="none.so") == ""


@of_the_host
def test_blas_of_numpy_is_found():
    from numpy import __config__

    if "openblas" not in str(__config__.CONFIG["Build Dependencies"]["blas"]["name"]):
        pytest.skip("this NumPy has no OpenBLAS")
    assert "openblas" in run_program()


@of_the_host
def test_one_thread():
    run_program(TENORITE_NUM_THREADS="1")
