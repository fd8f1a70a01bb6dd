"""Promotion and casting, against NumPy."""

import itertools

import numpy as np
import pytest
import tenorite as tn
from generator import DTYPES
from oracle import Report, same_kind

WEAK = [True, 0, 1, -1, 2**40, 2**63, 1.5, 1j]
STRONG = [np.int8(1), np.uint64(1), np.float16(1), np.float64(1), np.complex64(1), np.bool_(True)]


def test_promote_types():
    for a, b in itertools.product(DTYPES, DTYPES):
        assert tn.promote_types(a, b) == np.promote_types(a, b), (a, b)


def test_result_type_of_three():
    for three in itertools.product(DTYPES, DTYPES, DTYPES):
        assert tn.result_type(*three) == np.result_type(*three), three
    assert tn.result_type("i1", "u1", "f2", "f2") == np.float16


def test_result_type_of_scalars():
    report = Report()
    for dtype, scalar in itertools.product(DTYPES, WEAK + STRONG):
        report.check(
            f"{dtype} {scalar!r}",
            lambda: tn.result_type(tn.empty(0, dtype), scalar),
            lambda: np.result_type(np.empty(0, dtype), scalar),
        )
    # Int64 for NumPy beside another.
    usual = [value for value in WEAK + STRONG if not (type(value) is int and value == 2**63)]
    for a, b in itertools.product(usual, usual):
        report.check(f"{a!r} {b!r}", lambda: tn.result_type(a, b), lambda: np.result_type(a, b))
    report.check("nothing", lambda: tn.result_type(), lambda: np.result_type())
    report.close()


def test_zero_dimensional_arrays_are_strong():
    assert tn.result_type(tn.array(1.0), tn.ones(3, "f4")) == np.float64
    assert (tn.array(1.0) + tn.ones(3, "f4")).dtype == np.float64


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_can_cast(casting):
    for a, b in itertools.product(DTYPES, DTYPES):
        assert tn.can_cast(a, b, casting) == np.can_cast(a, b, casting), (a, b)
        assert tn.can_cast(tn.empty(0, a), b, casting) == np.can_cast(a, b, casting)


def test_can_cast_refuses():
    for bad in (1, 2.0, 1j):
        with pytest.raises(TypeError, match="NEP 50|Python ints"):
            tn.can_cast(bad, "f4")
    with pytest.raises(ValueError, match="casting"):
        tn.can_cast("f4", "f8", "perhaps")


def test_bfloat16():
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    assert tn.bfloat16 is bfloat16
    assert tn.promote_types(bfloat16, "f2") == np.float32
    assert tn.promote_types(bfloat16, "f4") == np.float32
    assert tn.result_type(tn.empty(0, bfloat16), 1.0) == bfloat16
    assert tn.can_cast(bfloat16, "f4") and not tn.can_cast("f4", bfloat16)
    assert tn.can_cast("f4", bfloat16, "same_kind")
    assert float(tn.finfo(bfloat16).max) == pytest.approx(3.39e38, rel=1e-2)
    assert tn.finfo(tn.empty(0, bfloat16)).bits == 16


def test_limits():
    for dtype in ("f2", "f4", "f8", "c8", "c16"):
        assert tn.finfo(tn.empty(0, dtype)).eps == np.finfo(dtype).eps
    for dtype in ("i1", "u8"):
        assert tn.iinfo(dtype).max == np.iinfo(dtype).max


@pytest.mark.parametrize("bad", ["S3", "U2", "O", "g", "G"])
def test_unsupported_dtypes(bad):
    for call in (tn.empty, tn.zeros, tn.ones):
        with pytest.raises(TypeError):
            call(3, dtype=bad)
    for call in (lambda: tn.ones(3).astype(bad), lambda: tn.array(np.zeros(3, bad))):
        with pytest.raises(TypeError):
            call()
    # These ask of dtypes alone, and answer as NumPy does.
    for name in ("result_type", "promote_types", "can_cast"):
        assert getattr(tn, name)(bad, "f4") == getattr(np, name)(bad, "f4")


def test_names_are_numpys_own():
    for name in ("bool_", "int8", "uint64", "float16", "complex128", "intp", "single", "dtype", "number"):
        assert getattr(tn, name) is getattr(np, name)
    assert tn.pi == np.pi and tn.newaxis is None and tn.isdtype(tn.float32, "real floating")
    assert tn.issubdtype(tn.ones(1).dtype, tn.floating)


def test_min_scalar_and_common_type():
    assert tn.min_scalar_type(300) == np.min_scalar_type(300)
    assert tn.min_scalar_type(tn.ones(1, "i2")) == np.int16
    for pair in (("f4", "i4"), ("f2", "f2"), ("c8", "f8"), ("i1",)):
        ours = tn.common_type(*(tn.ones(1, d) for d in pair))
        assert ours is np.common_type(*(np.ones(1, d) for d in pair)), pair
    with pytest.raises(TypeError) as ours:
        tn.common_type(tn.ones(1, "?"))
    with pytest.raises(TypeError) as theirs:
        np.common_type(np.ones(1, "?"))
    assert same_kind(ours.value, theirs.value)
