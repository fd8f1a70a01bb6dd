"""Structures, void, dates and durations: elements that are stored, moved, compared and sorted."""

import copy
import ctypes
import io
import pickle

import numpy as np
import pytest
import tenorite as tn

NESTED = np.dtype([("x", "f4"), ("y", "i8", (2,)), ("z", [("a", "u1"), ("b", "c16")])])
DTYPES = [
    NESTED,
    np.dtype([("i", "i2"), ("b", "?")]),
    np.dtype("V5"),
    np.dtype("V8"),
    np.dtype("M8[D]"),
    np.dtype("m8[3ms]"),
    np.dtype([("t", "M8[s]"), ("v", "f8")], align=True),
]
RANDOM = np.random.default_rng(11)


def _filled(dtype, shape):
    bits = RANDOM.integers(0, 2, (*shape, dtype.itemsize), dtype="u1")
    return bits.reshape(-1).view(dtype).reshape(shape)


def _same(ours, theirs):
    assert isinstance(ours, tn.ndarray) and ours.dtype == theirs.dtype and ours.shape == theirs.shape
    assert ours.get().tobytes() == theirs.tobytes()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_made(dtype):
    host = _filled(dtype, (3, 4))
    for made in (tn.array(host), tn.asarray(host), tn.asarray(tn.array(host)), tn.array(tn.array(host))):
        _same(made, host)
        assert (made.ndim, made.size, made.itemsize, made.nbytes) == (2, 12, dtype.itemsize, host.nbytes)
        assert made.strides == host.strides and len(made) == 3 and made.flags.c_contiguous
    _same(tn.zeros((2, 3), dtype=dtype), np.zeros((2, 3), dtype))
    _same(tn.zeros_like(tn.array(host)), np.zeros_like(host))
    assert tn.empty(3, dtype).shape == (3,) and tn.empty_like(tn.array(host)).shape == (3, 4)
    _same(tn.full((2, 2), host[0, 0], dtype=dtype), np.full((2, 2), host[0, 0], dtype))
    _same(tn.asarray(host[1, 1]), np.asarray(host[1, 1]))
    _same(tn.array(host[:0]), host[:0])
    _same(tn.array(host.astype(dtype.newbyteorder(">"))), host)
    _same(tn.frombuffer(host.tobytes(), dtype), host.ravel())


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_moved(dtype):
    host = _filled(dtype, (3, 4))
    ours = tn.array(host)
    mask = np.arange(12).reshape(3, 4) % 3 == 0
    keys = [1, -1, (1, 2), slice(None, None, -2), (slice(None), 3), (..., 0), None, ([0, 2], [1, 1]), [2, 0, 0], ...]
    for key in keys:
        _same(ours[key], np.asarray(host[key]))
    _same(ours[tn.array(mask)], host[mask])
    _same(ours[tn.array(mask[:, 0])], host[mask[:, 0]])
    for move in (
        lambda a: a.T,
        lambda a: a.reshape(2, -1),
        lambda a: a.ravel(),
        lambda a: a.copy(),
        lambda a: a[:, ::2].T.copy(),
        lambda a: a.swapaxes(0, -1),
        lambda a: a[:1].squeeze(),
        lambda a: a.flatten(),
        copy.deepcopy,
    ):
        _same(move(ours), move(host))
    _same(tn.concatenate([ours, ours[:1]]), np.concatenate([host, host[:1]]))
    _same(tn.concatenate([ours, ours], axis=-1), np.concatenate([host, host], axis=-1))
    _same(tn.stack([ours, ours], axis=1), np.stack([host, host], axis=1))
    _same(tn.take(ours, tn.array([2, 0]), axis=1), np.take(host, [2, 0], axis=1))
    view, ours_view = host[:, 1:3], ours[:, 1:3]
    view[...] = host[:, :1]
    ours_view[...] = ours[:, :1]
    host[0], ours[0] = host[2], ours[2]
    host[mask], ours[tn.array(mask)] = host[1, 1], ours[1, 1]
    _same(ours, host)
    ours[...] = host[0, 0]
    assert bool((ours == tn.array(host[0, 0])).all()) or dtype.kind in "Mm"


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_transferred(dtype):
    host = _filled(dtype, (3, 4))
    ours = tn.array(host)
    assert tn.asnumpy(ours).tobytes() == host.tobytes() and ours.tobytes() == host.tobytes()
    out = np.empty_like(host)
    assert ours.get(out=out) is out and out.tobytes() == host.tobytes()
    _same(pickle.loads(pickle.dumps(ours)), host)
    file = io.BytesIO()
    tn.save(file, ours)
    file.seek(0)
    _same(tn.load(file), host)
    assert repr(ours) == repr(host) and str(ours) == str(host)
    assert str(ours[0, 0].item()) == str(host[0, 0].item()) and str(ours.tolist()) == str(host.tolist())
    _same(tn.array(np.frombuffer(host.tobytes(), "u1")).view(dtype), host.ravel())
    assert ours.view("u1").get().tobytes() == host.tobytes() and ours.view("u1").shape == host.view("u1").shape


def test_parts_of_structures():
    """What is between the fields of a view, or belongs to other fields, is not written."""
    dtype = [("a", "i4"), ("b", "f8"), ("c", "i2", (2,))]
    host = np.zeros((2, 3), dtype)
    host["a"], host["b"], host["c"] = np.arange(6).reshape(2, 3), 7, 9
    ours = tn.array(host)
    for array in (host, ours):
        array[["a", "c"]] = array[["a", "c"]][:, ::-1].copy()
        part = array[["c"]]
        part[..., 0] = part[0, 1]
    _same(ours, host)
    part = ours[["c"]]  # NumPy writes all bytes here
    part[1, [0, 2]] = part[0, 1]
    host["c"][1, [0, 2]] = host["c"][0, 1]
    _same(ours, host)
    _same(tn.concatenate([ours[["a", "c"]], ours[["a", "c"]]]), np.concatenate([host[["a", "c"]], host[["a", "c"]]]))
    for array, module in ((host, np), (ours, tn)):
        array[0] = module.arange(3)
    _same(ours, host)
    dates = tn.zeros(2, "M8[D]")
    dates[...] = tn.array([1.5, np.nan])
    assert dates.get().tolist() == np.array(["1970-01-02", "NaT"], "M8[D]").tolist()


@pytest.mark.parametrize("dtype", [one for one in DTYPES if one.kind != "V" or one.names], ids=str)
def test_ones_and_byteswap(dtype):
    _same(tn.ones((2, 3), dtype), np.ones((2, 3), dtype))
    _same(tn.ones_like(tn.zeros(3, dtype)), np.ones_like(np.zeros(3, dtype)))
    host = np.ones((2, 3), dtype)
    ours = tn.array(host)
    _same(ours[:, ::2].byteswap(), host[:, ::2].byteswap())
    _same(ours, host)
    assert ours[1:].byteswap(inplace=True).base is not None
    host[1:].byteswap(inplace=True)
    _same(ours, host)


def test_setfield():
    host = np.ones(3, "i4,f8")
    ours = tn.array(host)
    for array in (host, ours):
        array.setfield(5, "i4", 0)
    _same(ours, host)


def test_sorted_by_fields():
    host = np.array([(3, 1.0), (1, 2.0), (3, 0.0), (1, 1.0)], "i4,f8")
    ours = tn.array(host)
    for order in ("f1", ["f1", "f0"], ["f0"], None):
        _same(tn.sort(ours, order=order), np.sort(host, order=order))
        assert tn.argsort(ours, order=order).tolist() == np.argsort(host, order=order).tolist()
    with pytest.raises(ValueError, match="has no fields"):
        tn.sort(tn.arange(3), order="f1")
    with pytest.raises(TypeError, match="Unsupported type"):
        tn.sort([1, 2], order="f1")


def test_fields():
    host = np.zeros((2, 3), NESTED)
    ours = tn.array(host)
    for array, module in ((host, np), (ours, tn)):
        array["x"] = module.arange(6, dtype="f4").reshape(2, 3)
        array["y"][1] = 7
        array["z"]["b"][0] = 1j
        array[0, 1] = (5, (1, 2), (3, 4j))
    _same(ours, host)
    assert isinstance(ours["x"], tn.ndarray) and (ours["x"] * 2).sum() == 2 * host["x"].sum()
    assert ours["y"].shape == (2, 3, 2) and ours["y"].strides == host["y"].strides
    _same(ours[["x", "z"]], host[["x", "z"]])
    _same(ours["z"][:, 1], host["z"][:, 1])
    _same(
        tn.array([(1, 2.5), (3, 4)], dtype=[("i", "i4"), ("f", "f8")]),
        np.array([(1, 2.5), (3, 4)], "i4,f8").astype([("i", "i4"), ("f", "f8")]),
    )
    with pytest.raises(ValueError, match="no field of name q"):
        ours["q"]
    with pytest.raises(IndexError, match="too many indices"):
        ours[0, 0, 0]
    with pytest.raises(IndexError, match="only arrays of structures"):
        tn.zeros(2, "V4")["x"]
    ours.flags.writeable = False
    assert not ours["x"].flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        ours["x"][0] = 1


def test_compared():
    host = np.zeros(4, NESTED)
    host["y"][2, 1], host["x"][3] = 1, np.nan
    first, second = tn.array(host), tn.zeros(4, NESTED)
    np.testing.assert_array_equal((first == second).get(), host == np.zeros(4, NESTED))
    np.testing.assert_array_equal((first != second).get(), host != np.zeros(4, NESTED))
    np.testing.assert_array_equal(tn.equal(first, first).get(), host == host)
    assert (tn.zeros(3, "V5") == tn.zeros(3, "V5")).all()
    with pytest.raises(TypeError, match="common dtype"):
        first == tn.zeros(4, [("q", "f4")])
    with pytest.raises(TypeError, match="not defined"):
        first < second


@pytest.mark.parametrize("kind", "Mm")
def test_times(kind):
    host = np.array([5, "NaT", -3, 5, 100, "NaT", 0], f"{kind}8[s]")
    other = np.array([4, "NaT", -3, "NaT", 101, 1, 0], f"{kind}8[s]").astype(f"{kind}8[ms]")
    ours, second = tn.array(host), tn.array(other)
    for compare in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
        np.testing.assert_array_equal(getattr(ours, compare)(second).get(), getattr(host, compare)(other))
    np.testing.assert_array_equal((ours >= host[0]).get(), host >= host[0])
    np.testing.assert_array_equal(tn.isnat(ours).get(), np.isnat(host))
    np.testing.assert_array_equal(np.isnat(ours).get(), np.isnat(host))
    np.testing.assert_array_equal(ours.argsort().get(), host.argsort(kind="stable"))
    _same(tn.sort(ours), np.sort(host))
    _same(tn.sort(tn.array(host.reshape(1, 7)), axis=0), host.reshape(1, 7))
    for unit in ("ms", "m", "h", "7s", "D", "W", "M", "Y"):
        _same(ours.astype(f"{kind}8[{unit}]"), host.astype(f"{kind}8[{unit}]"))
    np.testing.assert_array_equal(ours.astype("i8").get(), host.astype("i8"))
    _same(tn.arange(3).astype(f"{kind}8[s]"), np.arange(3).astype(f"{kind}8[s]"))
    _same(tn.arange(3).view(f"{kind}8[s]"), np.arange(3).view(f"{kind}8[s]"))
    np.testing.assert_array_equal(ours.view("i8").get(), host.view("i8"))
    if kind == "M":
        with pytest.raises(TypeError):
            ours + ours
        with pytest.raises(TypeError, match="sum"):
            tn.sum(ours)
    with pytest.raises(OverflowError, match="datetime units s and as"):
        ours.astype(f"{kind}8[as]")
    with pytest.raises(TypeError, match="only stored"):
        tn.sin(ours)
    with pytest.raises(TypeError, match="isnat"):
        tn.isnat(tn.zeros(3))


def test_converted():
    host = _filled(np.dtype([("a", "i4"), ("b", "f8")]), (3,))
    _same(tn.array(host).astype([("a", "i8"), ("c", "f4")]), host.astype([("a", "i8"), ("c", "f4")]))
    with pytest.raises(TypeError, match="Cannot cast"):
        tn.array(host).astype("f8")
    with pytest.raises(TypeError, match="Cannot cast"):
        tn.array(host).astype([("a", "i2"), ("b", "f8")], casting="safe")


@pytest.mark.parametrize("dtype", ["O", "S3", "U2", [("a", "O")], "V0"])
def test_refused(dtype):
    with pytest.raises(TypeError, match="Unsupported dtype"):
        tn.zeros(3, dtype=dtype)


def test_kernel():
    """A kernel gets the address of the elements, also where there is one."""
    text = r"""
    struct pair { int a; double b; };
    extern "C" __global__ void twice(pair *p, int n) {
        int k = blockIdx.x * blockDim.x + threadIdx.x;
        if (k < n) p[k].b = 2 * p[k].a;
    }"""
    dtype = tn.make_aligned_dtype([("a", "i4"), ("b", "f8")])
    kernel = tn.RawKernel(text, "twice")
    for count in (1, 5):
        pairs = tn.zeros(count, dtype)
        pairs["a"] = tn.arange(count, dtype="i4") + 3
        kernel((1,), (32,), (pairs, np.int32(count)))
        assert pairs["b"].get().tolist() == [2.0 * (k + 3) for k in range(count)]


def test_elementwise_kernels():
    """Structures as types of C: nested, with arrays, gaps, dates; unaligned, raw, as outputs."""
    inner = [("c", "u1"), ("t", "M8[s]")]
    host = np.zeros((2, 3), [("a", "i4"), ("b", "f8", (2,)), ("z", inner), ("w", "c8")])
    host["a"], host["b"] = np.arange(6).reshape(2, 3), 1.5
    text = "y = x; y.a = x.a * 2; y.b[1] = x.b[0] * s; y.z.c = 7; y.z.t = 60; y.w[1] = 4"
    made = tn.ElementwiseKernel("T x, float64 s", "T y", text, "structures")(tn.array(host)[:, ::-1], 3.0)
    host = host[:, ::-1].copy()
    host["a"], host["b"][..., 1], host["z"]["c"], host["z"]["t"], host["w"] = host["a"] * 2, 4.5, 7, 60, 4j
    _same(made, host)
    raw = tn.ElementwiseKernel("raw T x", "float64 y", "y = x[i].a + 0.5", "raw_structures")
    assert raw(made, size=6).tolist() == (host["a"].ravel() + 0.5).tolist()
    gaps = np.dtype({"names": ["q", "v"], "formats": ["u1", "f8"], "offsets": [2, 3], "itemsize": 13})
    written = tn.zeros(4 * 13 + 1, "u1")[1:].view(gaps)
    tn.ElementwiseKernel("float64 x", "T y", "y.v = x", "written")(tn.arange(4.0), written)
    assert written["v"].tolist() == [0, 1, 2, 3]


def test_make_aligned_dtype():
    made = tn.make_aligned_dtype([("a", "u1"), ("b", "c16"), ("c", "f4", (3,)), ("d", [("e", "u1"), ("f", "f8")])])
    assert [made.fields[name][1] for name in "abcd"] == [0, 16, 32, 48] and made.itemsize == 64
    assert made["d"].fields["f"][1] == 8
    assert tn.make_aligned_dtype("u1,f4") == np.dtype("u1,f4", align=True)
    assert tn.make_aligned_dtype("u1,f4", alignment=16).itemsize == 16
    with pytest.raises(ValueError, match="power of two"):
        tn.make_aligned_dtype("u1,f4", alignment=3)
    for dtype in ("c16", "V3", "(2,)f4"):
        with pytest.raises(ValueError, match="only supports structured dtypes"):
            tn.make_aligned_dtype(dtype)


@pytest.mark.parametrize("dtype", ["?", "i1", "i4", "f8", "c16"])
def test_numbers_become_void_and_structures(dtype):
    host = np.array([[0, 1, 2], [3, 4, 5]]).astype(dtype)
    for x in (host, host.T, host[:, ::2], host[:0]):
        a = tn.array(x)
        for to in ("V1", "V4", "V16", "V20"):
            assert a.astype(to).tolist() == x.astype(to).tolist()
            assert a.astype("V4").astype(to).tolist() == x.astype("V4").astype(to).tolist()
        if dtype != "c16":  # discarded imaginary parts warn
            for to in ("i4,f8", [("a", "f4", (2,)), ("b", [("c", "i8")])]):
                assert repr(a.astype(to)) == repr(x.astype(to))
                with pytest.raises(TypeError):
                    a.astype(to, casting="same_kind")
            for to in ("f8", "V2"):
                assert a.astype([("a", "i2")]).astype(to).tolist() == x.astype([("a", "i2")]).astype(to).tolist()
    made, expected = tn.zeros(3, "V8"), np.zeros(3, "V8")
    tn.copyto(made, tn.array(host[1]), casting="unsafe")
    np.copyto(expected, host[1], casting="unsafe")
    assert made.tolist() == expected.tolist()
    with pytest.raises(TypeError):
        tn.zeros(3, "i4,i4").astype("V8")


@pytest.mark.parametrize("shape", [(3,), (2, 3), (1, 3), (3, 1), (0, 2), ()])
def test_contiguity_of_structures(shape):
    a, x = tn.zeros(shape, "i4,i4"), np.zeros(shape, "i4,i4")
    for one, other in ((a, x), (a.T, x.T), (a[..., ::2], x[..., ::2]) if shape else (a, x)):
        for flag in ("c_contiguous", "f_contiguous", "fnc", "forc"):
            assert getattr(one.flags, flag) == getattr(other.flags, flag), (shape, flag)


SIZES = [3, 5, 7, 12, 24, 1000]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (7,), (3, 4), (2, 3, 4)])
def test_every_size_and_shape(size, shape):
    """Packed elements of odd sizes: views of negative steps, copies, keys, joins, order F."""
    dtype = np.dtype([("head", "u1"), ("tail", "u1", (size - 1,))])
    host = np.frombuffer(RANDOM.bytes(int(np.prod(shape)) * size), dtype).reshape(shape).copy()
    ours = tn.array(host)
    assert type(ours) is tn.ndarray
    _same(ours, host)
    _same(ours["tail"], host["tail"])
    for key in [(), None, Ellipsis] + [(..., slice(None, None, -1)), slice(None, None, -2)] * bool(shape):
        _same(ours[key], np.asarray(host[key]))
        _same(ours[key].copy(), np.asarray(host[key]).copy())
        _same(ours[key]["tail"], np.asarray(host[key]["tail"]))
    for order in "CFAK":
        made = ours.T.copy(order)
        _same(made, host.T.copy(order))
        assert made.strides == host.T.copy(order).strides
    if shape:
        index = np.array([[1, 0], [-1, 1]]) % max(shape[0], 1)
        mask = RANDOM.integers(0, 2, shape).astype(bool)
        if shape[0]:
            _same(ours[tn.array(index)], host[index])
            ours[tn.array(index[0])], host[index[0]] = ours[::-1][: len(index[0])], host[::-1][: len(index[0])].copy()
        _same(ours[tn.array(mask)], host[mask])
        ours[tn.array(mask)], host[mask] = tn.zeros((), dtype), np.zeros((), dtype)
        _same(tn.concatenate([ours, ours[::-1]]), np.concatenate([host, host[::-1]]))
        _same(tn.repeat(ours, 2, axis=0), np.repeat(host, 2, axis=0))
    _same(ours, host)


def test_overlapping_fields_and_padding():
    """Assignments between parts of one memory, and bytes that belong to no field."""
    dtype = np.dtype({"names": ["a", "b"], "formats": ["i2", "i4"], "offsets": [1, 5], "itemsize": 11})
    bits = RANDOM.bytes(8 * 11)
    host = np.frombuffer(bits, dtype).copy()
    ours = tn.array(np.frombuffer(bits, "V11")).view(dtype)
    for array in (host, ours):
        array[1:] = array[:-1]
        array["b"][::-1] = array["b"]
        array[["b", "a"]] = array[::-1]
        array[2] = (3, 4)
        array[5:] = array[4]
    assert ours.tolist() == host.tolist() and ours.tobytes() == host.tobytes()
    pairs, own = np.arange(12, dtype="i4"), tn.arange(12, dtype="i4")
    for array in (pairs, own):
        array.view("i4,i4")["f0"] = array.view("i4,i4")["f1"][::-1]
    assert own.tolist() == pairs.tolist()


def test_flat_resize_choose_and_subclasses():
    host = np.array([(1, 2.5), (3, 4.5), (5, 6.5)], [("sum", "i4"), ("T", "f8")])
    ours = tn.array(host)
    assert str([one.item() for one in ours.flat]) == str(host.tolist())
    _same(ours.flat[::2], host.flat[::2])
    for array in (host, ours):
        array.flat[1] = (7, 8)
        array["sum"] += 1
        array["T"][0] = 9
    _same(ours, host)
    _same(ours["T"], host["T"])
    own = ours.copy()
    own.resize((2, 2))
    made = host.copy()
    made.resize((2, 2))
    _same(own, made)
    choices = [ours, ours[::-1].copy()]
    _same(tn.array([0, 1, 1]).choose(choices), np.array([0, 1, 1]).choose([host, host[::-1]]))

    class Own(tn.ndarray):
        pass

    part = ours.view(Own)
    assert [type(one) for one in (part[0], part["sum"], part[["T"]], part.copy(), part[[1, 0]])] == [Own] * 5
    assert part["T"].base is ours
    record = np.dtype((np.record, host.dtype))
    assert tn.zeros(2, record).get().dtype.type is np.record is tn.zeros(2, record).dtype.type


def test_what_leaves_the_library():
    ours = tn.array(np.array([(1, 2.5)], "i4,f8"))
    with pytest.raises(BufferError, match="DLPack only has numbers"):
        ours.__dlpack__()
    with pytest.raises(BufferError, match="datetime64"):
        tn.zeros(2, "M8[s]").__dlpack__()
    for call in (lambda: float(tn.zeros((), "V4")), lambda: tn.array([1])[ours], lambda: tn.fft.fft(ours)):
        with pytest.raises((TypeError, IndexError)):
            call()


def test_a_dtype_that_a_program_in_c_makes_is_no_row_of_numpys():
    path = next((line.split()[-1] for line in open("/proc/self/maps") if "libtenorite" in line), None)
    if path is None or not hasattr(ctypes.CDLL(path), "tn_dtype_new"):
        pytest.skip("the library is not a file of its own")
    made = ctypes.c_int()
    new = ctypes.CDLL(path).tn_dtype_new
    new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64]
    assert new(ctypes.byref(made), b"of C", 12) == 0
    for name in ("after", "later"):  # dtypes that Python meets first after it
        dtype = np.dtype([(name, "i4"), ("gap of " + name, "f8")], align=True)
        host = np.array([(1, 2.5), (3, 4.5)], dtype)
        found = tn.array(host)
        assert found.dtype == dtype
        assert found.get().tolist() == host.tolist()
