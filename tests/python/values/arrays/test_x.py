"""What cupyx holds beside scipy: updates by an index, page-locked arrays, under both names."""

import itertools

import numpy as np
import pytest
import tenorite as tn
from oracle import assert_same
from programs import python

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("dtype", ["int32", "uint64", "float32", "float64"])
@pytest.mark.parametrize("name, operation", [("add", np.add), ("max", np.maximum), ("min", np.minimum)])
def test_scatter(name, operation, dtype):
    host = np.arange(12, dtype=dtype).reshape(3, 4)
    values = np.array([5, 1, 7], dtype)
    for index in (np.array([0, 2, 0]), (np.array([0, 2, 0]), np.array([1, 1, 1])), slice(1, 3)):
        value = values if isinstance(index, tuple) else np.array(3, dtype)
        expected, ours = host.copy(), tn.array(host)
        operation.at(expected, index, value)
        mine = tuple(map(tn.array, index)) if isinstance(index, tuple) else index
        mine = tn.array(index) if isinstance(index, np.ndarray) else mine
        assert getattr(tn.x, f"scatter_{name}")(ours, mine, tn.array(value)) is None
        assert_same(ours, expected)
    with pytest.raises(TypeError, match="Unsupported type"):
        getattr(tn.x, f"scatter_{name}")(host, 0, 1)


def test_rsqrt():
    for dtype in ("int32", "float32", "float64"):
        host = np.array([1, 4, 16, 64], dtype)
        assert_same(tn.x.rsqrt(tn.array(host)), 1 / np.sqrt(host))
    host, out = np.array([1, 4], "f4"), tn.empty(2, "f8")
    assert_same(tn.x.rsqrt(tn.array(host), dtype="f8"), 1 / np.sqrt(host, dtype="f8"))
    assert tn.x.rsqrt(tn.array(host), out) is out and out.tolist() == [1, 0.5]


def test_reduced_view():
    a = np.arange(120).reshape(2, 3, 4, 5)
    for take, shape in (
        (lambda a: a, (120,)),
        (lambda a: a[:, :2], (2, 40)),
        (lambda a: a[..., :3], (24, 3)),
        (lambda a: a.T, (5, 4, 3, 2)),
        (lambda a: a[:, 1:2], (2, 20)),
        (lambda a: a[:1, :1, :1, :1], (1,)),
        (lambda a: a[:0], (0,)),
        (lambda a: a[0, 0, 0], (5,)),
        (lambda a: a[0, 0, 0, 0], ()),
        (lambda a: a[::-1], (2, 60)),
    ):
        ours = tn.array(a)
        view = take(ours).reduced_view()
        assert view.shape == shape and (view.get().ravel() == take(a).ravel()).all()
        assert view.size == 0 or view.data.ptr == take(ours).data.ptr
    assert tn.zeros((2, 3), "c8").reduced_view("f4").shape == (12,)


def test_pinned():
    for shape, dtype, order in itertools.product((0, 5, (2, 3), (), (0, 2)), ("f4", "i8", "D"), "CF"):
        like = tn.zeros(shape, dtype, order)
        for made in (
            tn.x.empty_pinned(shape, dtype, order),
            tn.x.empty_like_pinned(like),
            tn.x.zeros_pinned(shape, dtype, order),
            tn.x.zeros_like_pinned(like, shape=like.shape),
        ):
            assert type(made) is np.ndarray and made.shape == like.shape and made.dtype == like.dtype
            assert made.flags.writeable and made.flags[f"{order}_CONTIGUOUS"]
        assert not tn.x.zeros_pinned(shape, dtype, order).any()
    assert tn.x.zeros_like_pinned(like, "i1").dtype == np.int8
    strides = tn.x.empty_pinned((1, 0, 2), "d", "F").strides
    assert strides == np.empty((1, 0, 2), "d", "F").strides
    columns = tn.zeros((2, 3, 4), order="F")
    assert tn.x.empty_like_pinned(columns, shape=(4, 2)).flags.c_contiguous
    assert tn.x.empty_like_pinned(columns, shape=(4, 2), order="A").flags.f_contiguous
    with pytest.raises(ValueError, match="order must be"):
        tn.x.empty_like_pinned(like, order="X")
    with pytest.raises(TypeError, match="subok"):
        tn.x.empty_like_pinned(like, subok=True)
    made = tn.x.zeros_pinned((3, 4), "f4")
    made[...] = 3
    assert_same(tn.array(made) * 2, made * 2)


def test_under_the_name_of_cupyx(device):
    program = (
        "import tenorite; tenorite.install_as_cupy(); import cupyx, cupy; a = cupy.zeros(2); "
        "cupyx.scatter_add(a, 1, 2.0); print(a, cupyx.zeros_pinned(1))"
    )
    done = python("-c", program, variables={"TENORITE_BACKEND": device})
    assert done.returncode == 0 and done.stdout.strip() == "[0. 2.] [0.]", done.stderr
