"""ComplexWarning wherever NumPy warns that imaginary parts are dropped, and nowhere else."""

import warnings

import numpy
import pytest
import tenorite

REDUCTIONS = ["sum", "prod", "mean", "nansum", "nanprod", "nanmean"]
SPREADS = ["var", "std", "nanvar", "nanstd"]


def complexes(xp):
    return xp.arange(6).reshape(2, 3).astype("F") * (1 + 2j)


def reals(xp):
    return xp.zeros((2, 3), "f")


def calls():
    for name in REDUCTIONS + SPREADS + ["max", "min", "all", "any"]:
        dtypes = "fdi?D" if "sum" in name or "prod" in name else "fdD" if name in REDUCTIONS + SPREADS else ""
        for dtype in dtypes:
            yield f"{name} as {dtype}", lambda xp, n=name, d=dtype: getattr(xp, n)(complexes(xp), dtype=d)
        if name not in SPREADS:
            yield f"{name} into f", lambda xp, n=name: getattr(xp, n)(complexes(xp), axis=0, out=xp.zeros(3, "f"))
        yield f"{name} into D", lambda xp, n=name: getattr(xp, n)(complexes(xp), axis=0, out=xp.zeros(3, "D"))
        if not name.startswith("nan"):
            yield f"method {name}", lambda xp, n=name: getattr(complexes(xp), n)(axis=0, out=xp.zeros(3, "d"))
    for name in ("cumsum", "cumprod"):
        yield name, lambda xp, n=name: getattr(complexes(xp), n)(dtype="f")
    for name in ("negative", "sqrt", "conjugate", "absolute", "isnan", "real"):
        if name != "real":
            yield f"{name} unsafe", lambda xp, n=name: getattr(xp, n)(complexes(xp), out=reals(xp), casting="unsafe")
    yield "add unsafe", lambda xp: xp.add(complexes(xp), 1, dtype="f", casting="unsafe")
    yield "equal unsafe", lambda xp: xp.equal(complexes(xp), 1, casting="unsafe")
    yield "multiply unsafe", lambda xp: xp.multiply(complexes(xp), complexes(xp), reals(xp), casting="unsafe")
    yield "add.reduce", lambda xp: xp.add.reduce(complexes(xp), dtype="f")
    yield "add.reduce into", lambda xp: xp.add.reduce(complexes(xp), out=(xp.zeros(3, "f"),))
    yield "add.accumulate", lambda xp: xp.add.accumulate(complexes(xp), dtype="f")
    yield "add.reduceat", lambda xp: xp.add.reduceat(complexes(xp), xp.array([0, 1]), dtype="f")
    for name in ("array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray"):
        yield name, lambda xp, n=name: getattr(xp, n)(complexes(xp), dtype="f")
        yield f"{name} of bool", lambda xp, n=name: getattr(xp, n)(complexes(xp), dtype="?")
    yield "astype", lambda xp: complexes(xp).astype("f")
    yield "full", lambda xp: xp.full(3, 1j, "f")
    yield "full of an array", lambda xp: xp.full((2, 3), complexes(xp), "f")
    yield "full_like", lambda xp: xp.full_like(reals(xp), 1j)
    yield "put", lambda xp: reals(xp).put(xp.array([0]), complexes(xp)[0, :1])
    yield "trace", lambda xp: xp.trace(complexes(xp), dtype="f")
    yield "trace into", lambda xp: complexes(xp).trace(out=xp.zeros((), "f"))


CALLS = dict(calls())


def outcome(function, xp):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        value = function(xp)
    value = tenorite.asnumpy(value) if isinstance(value, tenorite.ndarray) else value
    return any(one.category is numpy.exceptions.ComplexWarning for one in seen), value


@pytest.mark.parametrize("name", CALLS)
def test_as_numpy(name):
    warned, value = outcome(CALLS[name], tenorite)
    expected, wanted = outcome(CALLS[name], numpy)
    assert warned == expected
    if wanted is not None and name.split()[0] not in SPREADS:  # NumPy's mean is real there
        numpy.testing.assert_allclose(value, wanted, rtol=1e-5)


def test_as_an_error():
    """Where the warning is an exception nothing is written."""
    out = tenorite.full(3, 7, "f")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for call in (
            lambda: tenorite.sum(complexes(tenorite), axis=0, out=out),
            lambda: tenorite.negative(complexes(tenorite)[0], out=out, casting="unsafe"),
            lambda: out.put(tenorite.array([0]), 1j),
            lambda: tenorite.full(3, 1j, "f"),
            lambda: tenorite.asarray(complexes(tenorite), dtype="d"),
        ):
            with pytest.raises(numpy.exceptions.ComplexWarning):
                call()
    assert out.get().tolist() == [7, 7, 7]


def test_a_warning_may_run_anything():
    """What is called to show a warning may drop the arguments' memory."""
    a, out = complexes(tenorite), tenorite.zeros(3, "f")

    def show(*_, **__):
        a.shape = (6,)
        a.shape = (2, 3)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = show
        tenorite.sum(a, axis=0, out=out)
        tenorite.add(a[0], a[0], out=out, casting="unsafe")
    assert out.get().tolist() == [0, 2, 4]
