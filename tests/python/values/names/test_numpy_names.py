"""Names of NumPy that CuPy lacks: nditer, nested_iters, lib, ndarray.ctypes, parts of random."""

import ctypes
import io

import numpy as np
import pytest
import tenorite as tn

pytestmark = pytest.mark.quick

CUBE = np.arange(24.0).reshape(2, 3, 4)
SEES = [
    lambda a: a,
    lambda a: a.T,
    lambda a: a[::-1, :, ::2],
    lambda a: a[1],
    lambda a: a[0, 0],
    lambda a: a[0, 0, 0],
    lambda a: a.transpose(1, 0, 2),
]


@pytest.mark.parametrize("order", "KCFA")
@pytest.mark.parametrize("flags", [(), ("external_loop",), ("multi_index",), ("c_index",), ("zerosize_ok", "ranged")])
def test_nditer_goes_as_numpys(order, flags):
    for see in SEES:
        host, ours = see(CUBE), see(tn.array(CUBE))
        theirs, made = np.nditer(host, list(flags), order=order), tn.nditer(ours, list(flags), order=order)
        assert (made.ndim, made.itersize, made.nop, made.has_index) == (
            theirs.ndim,
            theirs.itersize,
            theirs.nop,
            theirs.has_index,
        )
        assert made.has_multi_index == theirs.has_multi_index and made.iterrange == theirs.iterrange
        for one in made:
            expected = next(theirs)
            assert one.get().tolist() == expected.tolist()
            if "multi_index" in flags:
                assert made.multi_index == theirs.multi_index
            if "c_index" in flags:
                assert made.index == theirs.index
            assert made.iterindex == theirs.iterindex
        assert made.finished and next(theirs, None) is None


def test_nditer_of_several_arrays():
    a, b = tn.array(CUBE), tn.arange(4)
    with tn.nditer([a, b, None], op_dtypes=[None, None, "f8"]) as it:
        assert len(it) == 3 and it.dtypes == ("f8", "i8", "f8") and it.itersize == 24 and not it.iterationneedsapi
        for x, y, z in it:
            z[...] = x * y
        made = it.operands[2]
    assert (made == a * b).all()
    with tn.nditer(a, op_flags=["readwrite"]) as it:
        for x in it:
            x[...] = -x
        it.reset()
        it[0] = 5
        assert it[0] == 5 and it.value == 5
    assert (a.get().ravel()[1:] == -CUBE.ravel()[1:]).all()
    it = tn.nditer(tn.arange(3))
    with pytest.raises((ValueError, RuntimeError)):
        next(it)[...] = 1
    assert it.iternext() and it.value == 1 and next(it) == 2 and not it.iternext()
    it = tn.nditer(tn.array(CUBE), ["multi_index"])
    it.multi_index = (1, 2, 3)
    assert it.value == 23
    it.remove_axis(2)
    it.remove_multi_index()
    it.enable_external_loop()
    assert it.itersize == 6 and it.itviews[0].ndim in (1, 2) and not it.has_delayed_bufalloc
    it.close()
    it = tn.nditer(tn.arange(6), ["c_index"])
    it.index = 4
    assert it.value == 4
    it.iterindex = 2
    assert it.value == 2


def test_nditer_refuses():
    a = tn.arange(3)
    with pytest.raises(NotImplementedError, match="buffered"):
        tn.nditer(a, ["buffered"])
    with pytest.raises(NotImplementedError, match="updateifcopy|copy"):
        tn.nditer(a, op_flags=[["readonly", "copy"]])
    with pytest.raises(ValueError):
        tn.nditer([a, tn.arange(4)])
    with pytest.raises(ValueError):
        tn.nditer(a, ["no_such_flag"])
    with pytest.raises(ValueError):
        tn.nditer(tn.zeros(0))


def test_nested_iters():
    ours, theirs = tn.nested_iters(tn.array(CUBE), [[1], [0, 2]]), np.nested_iters(CUBE, [[1], [0, 2]])
    made = [[y.item() for y in ours[1]] for _ in ours[0]]
    assert made == [[y.item() for y in theirs[1]] for _ in theirs[0]]
    with pytest.raises(ValueError):
        tn.nested_iters(tn.array(CUBE), [[0], [0]])
    with pytest.raises(NotImplementedError):
        tn.nested_iters(tn.array(CUBE), [[0], [1]], op_dtypes=["f4"])


def test_lib():
    assert tn.lib.NumpyVersion("2.1.0") > "1.9.0" and isinstance(tn.lib.tracemalloc_domain, int)
    assert callable(tn.lib.add_docstring) and callable(tn.lib.add_newdoc)
    assert (tn.lib.scimath.sqrt(tn.array([-4.0])).get() == [2j]).all()
    assert tn.lib.array_utils.normalize_axis_index(-1, 3) == 2
    low, high = tn.lib.array_utils.byte_bounds(tn.zeros(5))
    assert high - low == 40
    file = io.BytesIO()
    tn.save(file, tn.arange(3))
    file.seek(0)
    assert tn.lib.format.read_magic(file) == (1, 0)
    assert tn.lib.npyio.NpzFile.__name__ == "NpzFile" and tn.lib.npyio.DataSource
    assert [part.get().tolist() for part in tn.lib.Arrayterator(tn.arange(5), 2)] == [[0, 1], [2, 3], [4]]
    assert callable(tn.lib.introspect.opt_func_info)

    class Wrapped(tn.lib.mixins.NDArrayOperatorsMixin):
        def __array_ufunc__(self, ufunc, method, *inputs, **options):
            return ufunc.__name__

    assert Wrapped() + tn.arange(3) == "add"


def test_types_that_no_array_has():
    for name in ("object_", "str_", "bytes_", "longdouble", "clongdouble"):
        assert not tn.issubdtype(tn.arange(3).dtype, getattr(tn, name))
    with pytest.raises(TypeError):
        tn.zeros(3, tn.object_)


def test_memmap(tmp_path):
    file = tn.memmap(tmp_path / "numbers", dtype="i4", mode="w+", shape=(3,))
    file[:] = [1, 2, 3]
    assert tn.asarray(file).get().tolist() == [1, 2, 3]


def test_ctypes():
    a = tn.array(CUBE)[:, ::2]
    found = a.ctypes
    assert found.data == a.data.ptr and tuple(found.shape) == a.shape and tuple(found.strides) == a.strides
    assert found.shape_as(ctypes.c_int)[1] == 2 and found.strides_as(ctypes.c_long)[2] == 8
    pointer = found.data_as(ctypes.POINTER(ctypes.c_double))
    assert found._as_parameter_.value == a.data.ptr
    assert ctypes.cast(pointer, ctypes.c_void_p).value == a.data.ptr


def test_state_of_the_current_device():
    state = tn.random.get_state()
    first = tn.random.rand(5)
    tn.random.set_state(state)
    assert (tn.random.rand(5) == first).all()
    one, other = (tn.random.default_rng(tn.random.SeedSequence(5)).random(3) for _ in range(2))
    assert (one == other).all()


def test_multivariate_hypergeometric():
    rng = tn.random.default_rng(3)
    colors = np.array([5, 0, 7, 3])
    made = rng.multivariate_hypergeometric(colors, 6, size=4000).get()
    assert made.dtype == np.int64 and made.shape == (4000, 4) and (made.sum(axis=1) == 6).all()
    assert (made >= 0).all() and (made <= colors).all()
    np.testing.assert_allclose(made.mean(axis=0), 6 * colors / 15, atol=0.1)
    assert rng.multivariate_hypergeometric([3, 4], 7).get().tolist() == [3, 4]
    assert rng.multivariate_hypergeometric(tn.array([2, 2]), 0, size=(2, 3), method="count").shape == (2, 3, 2)
    assert rng.multivariate_hypergeometric([], 0).shape == (0,)
    for arguments in (([-1, 2], 1), ([1, 2], -1), ([1, 2], 4), ([[1, 2]], 1), ([1.5, 2], 1), ([1], 1, None, "x")):
        with pytest.raises(ValueError):
            rng.multivariate_hypergeometric(*arguments)
        with pytest.raises(ValueError):
            np.random.default_rng().multivariate_hypergeometric(*arguments)


def test_resolve_dtypes():
    i4, i8, f4 = (np.dtype(name) for name in ("i4", "i8", "f4"))
    for name, arguments, options in (
        ("add", (f4, int, None), {}),
        ("add", (i4, i8, None), {"signature": (None, None, np.dtype("f8"))}),
        ("sin", (i4, None), {}),
        ("less", (i4, f4, None), {}),
        ("add", (None, i4, None), {"reduction": True}),
        ("divmod", (i4, f4, None, None), {}),
    ):
        assert getattr(tn, name).resolve_dtypes(arguments, **options) == getattr(np, name).resolve_dtypes(
            arguments, **options
        )
    with pytest.raises(TypeError):
        tn.add.resolve_dtypes((i4, i8, None), casting="no")
    with pytest.raises(NotImplementedError):
        tn._core._isclose_nan.resolve_dtypes((f4, f4, None))
