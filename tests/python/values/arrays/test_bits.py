"""Bits and bytes of elements: packbits, unpackbits, byteswap, fields, and resize of arrays."""

import numpy as np
import pytest
import tenorite as tn
from oracle import assert_same

RANDOM = np.random.default_rng(7)
SHAPES = [(), (0,), (1,), (7,), (8,), (9,), (1000,), (3, 17), (3, 17, 4), (2, 0, 3)]


def _flags(dtype, shape):
    return np.asarray(RANDOM.integers(0, 3, shape)).astype(dtype)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("bitorder", ["big", "little"])
def test_packbits(shape, bitorder):
    for dtype in "?bBhHiIlL":
        host = _flags(dtype, shape)
        for axis in (None, *range(-len(shape), len(shape))):
            options = {"axis": axis, "bitorder": bitorder}
            assert_same(tn.packbits(tn.array(host), **options), np.packbits(host, **options))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("bitorder", ["big", "little"])
def test_unpackbits(shape, bitorder):
    host = np.asarray(RANDOM.integers(0, 256, shape)).astype("u1")
    array = tn.array(host)
    for axis in (None, *range(-len(shape), len(shape))):
        bits = 8 * (host.size if axis is None or not shape else shape[axis])
        for count in (None, 0, 1, 5, 8, 13, 40, -1, -8):
            options = {"axis": axis, "bitorder": bitorder, "count": count}
            if count is not None and count < -bits:
                with pytest.raises(ValueError, match="leaves out more"):
                    tn.unpackbits(array, **options)
                continue
            expected = np.unpackbits(host, **options)
            if host.size == 0:  # NumPy leaves memory unset
                expected = np.zeros_like(expected)
            assert_same(tn.unpackbits(array, **options), expected)


def test_bits_of_much():
    host = RANDOM.random(1_000_003) > 0.5
    packed = tn.packbits(tn.array(host))
    assert_same(packed, np.packbits(host))
    assert_same(tn.unpackbits(packed, count=host.size), host.view("u1"))
    view = host[:999_000].reshape(999, 1000)[::2, ::-3]
    assert_same(tn.packbits(tn.array(view), axis=0), np.packbits(view, axis=0))


def test_bits_refused():
    with pytest.raises(TypeError, match="integer or boolean"):
        tn.packbits(tn.zeros(3))
    with pytest.raises(TypeError, match="unsigned byte"):
        tn.unpackbits(tn.zeros(3, dtype=int))
    with pytest.raises(ValueError, match="bitorder must be either"):
        tn.packbits(tn.zeros(3, dtype=bool), bitorder="middle")
    with pytest.raises(TypeError, match="bitorder"):
        tn.packbits(tn.zeros(3, dtype=bool), bitorder=1)
    with pytest.raises(tn.exceptions.AxisError):
        tn.packbits(tn.zeros(3, dtype=bool), axis=1)
    with pytest.raises(TypeError, match="Unsupported type"):
        tn.packbits([1, 2])


@pytest.mark.parametrize("dtype", "?bBhHiIlLefdFD")
def test_byteswap(dtype):
    host = np.asarray(RANDOM.integers(0, 200, (3, 4, 5))).astype(dtype)
    for view in (lambda a: a, lambda a: a.T, lambda a: a[::2, ::-1], lambda a: a[1, 1, 1:1], lambda a: a[1, 2, 3, ...]):
        theirs, ours = host.copy(), tn.array(host)
        assert view(ours).byteswap().get().tobytes() == view(theirs).byteswap().tobytes()
        view(theirs).byteswap(inplace=True)
        view(ours).byteswap(inplace=True)
        assert ours.get().tobytes() == theirs.tobytes()


def test_fields():
    host = np.arange(6).reshape(2, 3) * (1 + 2j)
    array = tn.array(host)
    assert_same(array.getfield("f4", 4), host.getfield("f4", 4))
    assert_same(array.T[1].getfield("f8", 8), host.T[1].getfield("f8", 8))
    array.setfield(tn.arange(3), "f8", 8)
    host.setfield(np.arange(3), "f8", 8)
    assert_same(array, host)
    for offset in (-1, 9):
        with pytest.raises(ValueError, match="does not lie in elements of 16 bytes"):
            array.getfield("f8", offset)
    array.flags.writeable = False
    assert not array.getfield("f4").flags.writeable


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("shape", [(2, 3), (3, 3), (7,), (1, 2), (0,), ()])
def test_resize(order, shape):
    theirs = np.array([[1.0, 2, 3], [4, 5, 6]], order=order)
    ours = tn.array(theirs, order=order)
    shown = ours[0]
    theirs.resize(shape, refcheck=False)
    assert ours.resize(shape) is None
    assert_same(ours, theirs)
    assert_same(shown, np.array([1.0, 2, 3]))


def test_resize_refused():
    array = tn.zeros((2, 3))
    with pytest.raises(ValueError, match="does not own its data"):
        array[0].resize(2)
    with pytest.raises(ValueError, match="negative"):
        array.resize(2, -3)
    with pytest.raises(TypeError):
        array.resize(2, order="C")
    array.resize()
    array.resize(None)
    assert array.shape == (2, 3)


# --- Names that NumPy 2 no longer has ---


def test_find_common_type():
    assert tn.find_common_type([tn.float32], [tn.int64, tn.float64]) == tn.float32
    assert tn.find_common_type([tn.float32], [complex]) == tn.complex128
    assert tn.find_common_type([], [int, "f4"]) == tn.float64
    assert tn.find_common_type(["i4", "i8"], []) == tn.int64
    assert tn.find_common_type([], []) is None


def test_texts(capsys):
    assert tn.safe_eval("[1, 2.5]") == [1, 2.5]
    with pytest.raises(ValueError):
        tn.safe_eval("open('x')")
    tn.disp("one", linefeed=False)
    tn.who({"a": tn.zeros((2, 3)), "b": 1})
    printed = capsys.readouterr().out
    assert printed.startswith("one") and "48" in printed and "2 x 3" in printed
    tn.who({})
    assert capsys.readouterr().out == "\nUpper bound on total bytes  =       0\n"
    tn.set_string_function(lambda a: f"an array of {a.size}")
    try:
        assert repr(tn.zeros(3)) == "an array of 3"
    finally:
        tn.set_string_function(None)
    assert repr(tn.zeros(1)) == "array([0.])"
    with pytest.raises(NotImplementedError):
        tn.set_string_function(None, repr=False)
    with pytest.raises(TypeError, match="function or None"):
        tn.set_string_function({})
