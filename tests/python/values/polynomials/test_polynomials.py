"""Polynomials of both of NumPy's forms, and emath, with NumPy as the oracle."""

import doctest

import numpy as np
import pytest
import tenorite as tn
from oracle import Report, assert_same, to_host
from tenorite import _numpy

pytestmark = pytest.mark.quick

SERIES = [[1, 2, 3], [3, 2], [0.5], [0, 0, 2, 1], [1, 0, 0], [2.0, -1, 0.5, 4], [1j, 2], [0], [1, -3, 3, -1]]
DTYPES = ("int32", "int64", "float32", "float64", "complex64", "complex128")


def arrays():
    for values in SERIES:
        for dtype in DTYPES:
            if np.can_cast(np.asarray(values).dtype, dtype, "same_kind"):
                yield np.asarray(values).astype(dtype)


@pytest.mark.parametrize("name", ["polyadd", "polysub", "polymul", "polydiv"])
def test_arithmetic(name):
    report = Report()
    for x in arrays():
        for y in arrays():
            if name == "polydiv" and (not y.any() or y.reshape(-1)[0] == 0):
                continue
            report.check(
                f"{name} {x!r} {y!r}",
                lambda: getattr(tn, name)(tn.array(x), tn.array(y)),
                lambda: getattr(np, name)(x, y),
                ulp=64,
                zero_sign=False,
            )
    report.check("lists", lambda: getattr(tn, name)([1.0, 2], [3.0]), lambda: getattr(np, name)([1.0, 2], [3.0]))
    report.close(1000)


def test_calculus():
    report = Report()
    for x in arrays():
        a = tn.array(x)
        for m in (-1, 0, 1, 2, 5):
            report.check(f"der {x!r} {m}", lambda: tn.polyder(a, m), lambda: np.polyder(x, m))
            report.check(f"int {x!r} {m}", lambda: tn.polyint(a, m), lambda: np.polyint(x, m), ulp=4)
        report.check(f"int {x!r} k", lambda: tn.polyint(a, 2, k=[3, 4]), lambda: np.polyint(x, 2, k=[3, 4]), ulp=4)
        report.check(f"int {x!r} k=5", lambda: tn.polyint(a, 3, 5), lambda: np.polyint(x, 3, 5), ulp=4)
        report.check(f"int {x!r} few", lambda: tn.polyint(a, 3, [5, 6]), lambda: np.polyint(x, 3, [5, 6]))
    report.close(400)


def test_values():
    report = Report()
    for p in arrays():
        for x in (
            np.arange(-3, 4),
            np.linspace(-2, 2, 6).reshape(2, 3),
            np.float32([0.5, 3]),
            np.array(2),
            np.zeros((0, 2)),
            np.array([1j]),
        ):
            report.check(
                f"{p!r} at {x!r}",
                lambda: tn.polyval(tn.array(p), tn.array(x)),
                lambda: np.polyval(p, x),
                ulp=64,
                zero_sign=False,
            )
    report.check("empty", lambda: tn.polyval(tn.zeros(0), tn.arange(3)), lambda: np.polyval(np.zeros(0), np.arange(3)))
    report.check("scalars", lambda: tn.polyval([3, 0, 1], 5), lambda: np.polyval([3, 0, 1], 5))
    report.close(200)


def test_poly1d():
    p, q = tn.poly1d([0, 1, 2, 3]), tn.poly1d(tn.array([2.0, 1]))
    x, y = np.poly1d([0, 1, 2, 3]), np.poly1d([2.0, 1])
    calls = [
        lambda p, q: p + q,
        lambda p, q: p - q,
        lambda p, q: p * q,
        lambda p, q: p / q,
        lambda p, q: 2 * p,
        lambda p, q: p * 2,
        lambda p, q: p / 2,
        lambda p, q: p + 1,
        lambda p, q: 1 + p,
        lambda p, q: 1 - p,
        lambda p, q: p**3,
        lambda p, q: p**0,
        lambda p, q: -p,
        lambda p, q: p.deriv(),
        lambda p, q: p.integ(2, 1),
        lambda p, q: p(q),
        lambda p, q: 5 / q,
    ]
    for call in calls:
        ours, theirs = call(p, q), call(x, y)
        for one, other in zip(*(made if isinstance(made, tuple) else (made,) for made in (ours, theirs))):
            assert isinstance(one, tn.poly1d)
            assert_same(one.coeffs, other.coeffs)
    assert (p.order, p.o, len(p), p.variable) == (2, 2, 2, "x") and p[0].item() == 3 and p[7].item() == 0
    assert_same(p(tn.arange(4.0)), x(np.arange(4.0)))
    assert_same(tn.arange(3) * p, np.arange(3) * x)  # an array's operator is elementwise
    assert_same((np.arange(3) * p).coeffs, (np.poly1d(np.arange(3)) * x).coeffs)
    assert_same(tn.add(p, p), np.add(x, x))
    assert_same((np.float64(2) - p).coeffs, (2.0 - x).coeffs)
    for scalar in (lambda: tn.polyval(5, q), lambda: tn.polyval(tn.array(5), 2), lambda: q**2.0, lambda: np.sin(q)):
        with pytest.raises(TypeError):
            scalar()
    assert p == tn.poly1d(p) and p != q and p.c is p.coef is p.coefficients and str(p) == str(x)
    assert isinstance(p.get(), np.poly1d) and p.get() == x
    p[4] = 7
    x[4] = 7
    assert_same(p.coeffs, x.coeffs)
    p.set(np.poly1d([5, 4, 3, 2, 1], variable="z"))
    assert p.coeffs.tolist() == [5, 4, 3, 2, 1] and p.variable == "z"
    assert_same(tn.poly1d([1.0, 2], r=True).coeffs, np.poly1d([1.0, 2], r=True).coeffs)
    assert [one.item() for one in q] == [2, 1] and repr(q) == "poly1d([2., 1.])"
    for call, kind in [
        (lambda: q**-1, ValueError),
        (lambda: tn.poly1d([[1, 2], [3, 4]]), ValueError),
        (lambda: hash(q), TypeError),
        (lambda: q.set(3), TypeError),
        (lambda: q.__setitem__(-1, 2), ValueError),
    ]:
        with pytest.raises(kind):
            call()


def test_roots_need_eigenvalues(monkeypatch):
    """With eigvals the roots are NumPy's; without, the refusal names it."""
    assert tn.roots([0, 0]).shape == (0,) and tn.roots([1, 0, 0]).tolist() == [0, 0]
    if not hasattr(tn.linalg, "eigvals"):
        with pytest.raises(NotImplementedError, match="roots needs linalg.eigvals"):
            tn.roots([1, 2, 3])
        with pytest.raises(NotImplementedError, match="polyroots needs linalg.eigvals"):
            tn.polynomial.polynomial.polyroots([1, 2, 3])
        with pytest.raises(NotImplementedError, match="linalg.eigvals"):
            tn.poly(tn.eye(2))
    monkeypatch.setattr(tn.linalg, "eigvals", lambda a: tn.array(np.linalg.eigvals(a.get())), raising=False)
    for p in ([1, -6, 11, -6], [0, 1, -3, 2, 0, 0], [1.0, 0, 1], [2.0, 1]):
        assert np.allclose(np.sort_complex(tn.roots(p).get()), np.sort_complex(np.roots(p)))
        assert np.allclose(np.sort_complex(tn.poly1d(p).r.get()), np.sort_complex(np.roots(p)))
    ours, theirs = tn.polynomial.polynomial.polyroots([6.0, -5, 1]), np.polynomial.polynomial.polyroots([6.0, -5, 1])
    assert np.allclose(ours.get(), theirs)
    matrix = np.array([[0, 1 / 3], [-1 / 2, 0]])
    assert np.allclose(tn.poly(tn.array(matrix)).get(), np.poly(matrix))


def test_fit_needs_least_squares(monkeypatch):
    x, y = np.linspace(0, 3, 12), np.cos(np.linspace(0, 3, 12))
    if not hasattr(tn.linalg, "lstsq"):
        with pytest.raises(NotImplementedError, match="polyfit needs linalg.lstsq"):
            tn.polyfit(tn.array(x), tn.array(y), 2)
    solve = lambda a, b, rcond: tuple(tn.asarray(one) for one in np.linalg.lstsq(a.get(), b.get(), rcond))
    monkeypatch.setattr(tn.linalg, "lstsq", solve, raising=False)
    monkeypatch.setattr(tn.linalg, "inv", lambda a: tn.array(np.linalg.inv(a.get())), raising=False)
    for options in ({}, {"w": np.arange(1.0, 13)}, {"full": True}, {"cov": True}, {"cov": "unscaled"}):
        ours = tn.polyfit(
            tn.array(x), tn.array(y), 3, **{k: tn.array(v) if k == "w" else v for k, v in options.items()}
        )
        theirs = np.polyfit(x, y, 3, **options)
        for one, other in zip(*(made if isinstance(made, tuple) else (made,) for made in (ours, theirs))):
            assert np.allclose(to_host(one), other), options
    for bad in ((x[:3], y, 1), (x, y, -1), (x.reshape(3, 4), y, 1), (x[:0], y[:0], 1)):
        with pytest.raises((TypeError, ValueError)):
            tn.polyfit(tn.array(bad[0]), tn.array(bad[1]), bad[2])


def test_poly():
    for zeros in ([1, 2, 3], [-0.5, 0, 0.5], [1j, -1j], [1j, 2], [0, 0, 0], [2]):
        assert_same(tn.poly(zeros), np.poly(zeros), ulp=4)
    assert tn.poly([]) == 1.0
    with pytest.raises(ValueError):
        tn.poly(tn.zeros((2, 3)))


def test_power_series():
    ours, theirs = tn.polynomial.polynomial, np.polynomial.polynomial
    report = Report()
    for x in arrays():
        for y in arrays():
            for name in ("polyadd", "polysub", "polymul", "polydiv"):
                report.check(
                    f"{name} {x!r} {y!r}",
                    lambda: getattr(ours, name)(tn.array(x), tn.array(y)),
                    lambda: getattr(theirs, name)(x, y),
                    ulp=64,
                    zero_sign=False,
                )
    for x in arrays():
        a = tn.array(x)
        for label, call in {
            "mulx": lambda m, c: m.polymulx(c),
            "pow": lambda m, c: m.polypow(c, 3),
            "pow 0": lambda m, c: m.polypow(c, 0),
            "pow -1": lambda m, c: m.polypow(c, -1),
            "pow max": lambda m, c: m.polypow(c, 3, 2),
            "der": lambda m, c: m.polyder(c),
            "der 2": lambda m, c: m.polyder(c, 2, scl=3),
            "der 9": lambda m, c: m.polyder(c, 9),
            "int": lambda m, c: m.polyint(c),
            "int 2": lambda m, c: m.polyint(c, 2, [1, 2], lbnd=1, scl=2),
            "int many": lambda m, c: m.polyint(c, 1, [1, 2]),
            "der 0": lambda m, c: m.polyder(c, 0),
            "val": lambda m, c: m.polyval(2.0, c),
            "trim": lambda m, c: m.polytrim(c),
            "trim 2": lambda m, c: m.polytrim(c, 2),
            "trim -": lambda m, c: m.polytrim(c, -1),
            "companion": lambda m, c: m.polycompanion(c),
            "from roots": lambda m, c: m.polyfromroots(c),
            "val from roots": lambda m, c: m.polyvalfromroots(2.0, c),
        }.items():
            report.check(f"{label} {x!r}", lambda: call(ours, a), lambda: call(theirs, x), ulp=64, zero_sign=False)
    x, c = np.linspace(-1, 1, 6).reshape(2, 3), np.arange(12.0).reshape(4, 3)
    a, b = tn.array(x), tn.array(c)
    report.check("tensor", lambda: ours.polyval(a, b), lambda: theirs.polyval(x, c), ulp=8)
    report.check(
        "no tensor", lambda: ours.polyval(a, b, tensor=False), lambda: theirs.polyval(x, c, tensor=False), ulp=8
    )
    report.check("vander", lambda: ours.polyvander(a, 3), lambda: theirs.polyvander(x, 3), ulp=4)
    report.check("vander 0", lambda: ours.polyvander(a, 0), lambda: theirs.polyvander(x, 0))
    report.check("vander -1", lambda: ours.polyvander(a, -1), lambda: theirs.polyvander(x, -1))
    report.check("der axis", lambda: ours.polyder(b, axis=1), lambda: theirs.polyder(c, axis=1))
    report.check("int axis", lambda: ours.polyint(b, axis=1), lambda: theirs.polyint(c, axis=1), ulp=4)
    report.check("line", lambda: ours.polyline(1.0, 2), lambda: theirs.polyline(1.0, 2))
    report.check(
        "roots of tensor",
        lambda: ours.polyvalfromroots(a, b),
        lambda: theirs.polyvalfromroots(x, c),
        ulp=16,
        zero_sign=False,
    )
    report.close(3000)


def _made(shape):
    return np.random.default_rng(1).normal(size=shape)


SEVERAL = [
    ("polyval2d", [_made((5,)), _made((5,)), _made((3, 4))]),
    ("polyval2d", [2.0, 3, [[1, 2], [3, 4]]]),
    ("polyval2d", [_made((2, 3)), _made((2, 3)), _made((3, 4, 2))]),
    ("polyval2d", [_made(3), _made(4), _made((2, 2))]),
    ("polyval3d", [_made((5,)), _made((5,)), _made((5,)), _made((3, 4, 2))]),
    ("polygrid2d", [_made(3), _made(4), _made((2, 2, 3))]),
    ("polygrid3d", [_made(3), _made(4), _made(2), _made((2, 3, 2))]),
    ("polyvander2d", [_made((2, 3)), _made((2, 3)), [2, 3]]),
    ("polyvander3d", [_made(4), _made(4), _made(4), (1, 2, 0)]),
    ("polyvander2d", [_made(3), _made(3), [1]]),
]


@pytest.mark.parametrize("name, args", SEVERAL)
def test_several_variables(name, args):
    ours, theirs = getattr(tn.polynomial.polynomial, name), getattr(np.polynomial.polynomial, name)
    device = [tn.array(one) if isinstance(one, np.ndarray) else one for one in args]
    report = Report()
    report.check(name, lambda: ours(*device), lambda: theirs(*args), 16)
    report.close()


@pytest.mark.parametrize("deg", [3, [1, 3], 0])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("shape", [(20,), (20, 2)])
def test_series_fit(deg, weighted, shape):
    x, y, w = np.linspace(-1, 1, 20), _made(shape), 1 + np.arange(20.0) if weighted else None
    made = tn.polynomial.polynomial.polyfit(tn.array(x), tn.array(y), deg, w=None if w is None else tn.array(w))
    expected = np.polynomial.polynomial.polyfit(x, y, deg, w=w)
    assert made.shape == expected.shape and np.allclose(made.get(), expected, atol=1e-12)


def test_series_fit_refuses():
    fit, x = tn.polynomial.polynomial.polyfit, tn.arange(4.0)
    report = Report()
    for arguments in [
        ([1.0], [1.0], -1),
        ([[1.0]], [1.0], 0),
        ([], [1.0], 0),
        ([1.0], [[[1.0]]], 0),
        ([1.0, 2], [1.0], 0),
        ([1.0], [1.0], [[1]]),
        ([1.0], [1.0], []),
        ([1.0], [1.0], 1.5),
    ]:
        report.check(arguments, lambda: fit(*arguments), lambda: np.polynomial.polynomial.polyfit(*arguments))
    report.close()
    with pytest.raises(TypeError, match="x and w"):
        fit(x, x, 1, w=tn.ones(3))
    with pytest.warns(np.exceptions.RankWarning):
        fit(tn.ones(4), x, 2)
    assert len(fit(x, x, 1, full=True)[1]) == 4


def test_polyutils():
    ours, theirs = tn.polynomial.polyutils, np.polynomial.polyutils
    report = Report()
    for x in arrays():
        a = tn.array(x)
        report.check(f"trimseq {x!r}", lambda: ours.trimseq(a), lambda: np.asarray(theirs.trimseq(x)))
        for trim in (True, False):
            report.check(
                f"series {x!r}", lambda: ours.as_series([a, [1, 2]], trim), lambda: theirs.as_series([x, [1, 2]], trim)
            )
        report.check(f"domain {x!r}", lambda: ours.getdomain(a), lambda: theirs.getdomain(x))
        report.check(
            f"map {x!r}", lambda: ours.mapdomain(a, (-1, 1), (0, 4.0)), lambda: theirs.mapdomain(x, (-1, 1), (0, 4.0))
        )
    report.check("empty", lambda: ours.as_series([[]]), lambda: theirs.as_series([[]]))
    report.check("matrix", lambda: ours.as_series([np.ones((2, 2))]), lambda: theirs.as_series([np.ones((2, 2))]))
    report.close(100)


def test_mapped_parameters():
    for old, new in (((-1, 1), (0, 4)), ((2, 3), (5, -5)), ((0, 1), (0, 2j))):
        ours, expected = (m.polynomial.polyutils.mapparms(old, new) for m in (tn, np))
        assert ours == expected


@pytest.mark.parametrize("name", tn.emath.__all__)
def test_emath(name):
    report = Report()
    values = [[-4, 2, 1], [0.25, 0.5, 1.0], [-0.5, 2.0, -3.0], [1j, -2.0], 4, -1.0, [2, 4], [[-1.0, 0.5]]]
    for value in values:
        for dtype in ("int8", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"):
            if not np.can_cast(np.asarray(value).dtype, dtype, "same_kind"):
                continue
            x = np.asarray(value).astype(dtype)
            first = {"logn": (2,), "power": ()}.get(name, ())
            for last in ((2,), (-2,), (0.5,)) if name == "power" else ((),):
                call = lambda m, a: getattr(m.emath, name)(*first, a, *last)
                report.check(
                    f"{name} {x!r} {last}", lambda: call(tn, tn.array(x)), lambda: call(np, x), ulp=64, zero_sign=False
                )
    report.close(20)


def test_examples():
    """The examples of these functions run as they stand."""
    names = " ".join(_numpy.CONTENTS[chapter] for chapter in ("polynomials", "einsum", "floating_errors")).split()
    found = {name: getattr(tn, name) for name in names}
    for module in (tn.emath, tn.polynomial.polynomial, tn.polynomial.polyutils):
        found |= {f"{module.__name__}.{name}": getattr(module, name) for name in module.__all__}
    runner, parser = doctest.DocTestRunner(), doctest.DocTestParser()
    for name, function in found.items():
        example = parser.get_doctest(function.__doc__, {"tenorite": tn}, name, None, 0)
        assert example.examples, f"{name} has no example"
        assert not runner.run(example).failed, name


def test_what_other_projects_expect():
    """No wait before coefficients are looked at; dtypes, warnings and refusals are NumPy's."""
    coefficients = tn.array([0, 1, 2])
    with tn.x.allow_synchronize(False):
        p = tn.poly1d(coefficients)
        p[5]
        p[0] = 7
    assert p.coeffs.get().tolist() == [1, 7] and p.order == 1
    p[3] = 4
    assert p.coeffs.get().tolist() == [4, 0, 1, 7]
    for dtype in ("?", "i1", "f4", "F"):
        q = np.array([1, 0, 1]).astype(dtype)
        made, expected = (m.polyval(m.poly1d(m.array(q)), m.poly1d(m.array(q))) for m in (tn, np))
        assert_same(made.coeffs, expected.coeffs)
        assert_same(tn.polyval(tn.array(q), tn.array([True, False])), np.polyval(q, np.array([True, False])))
    with pytest.warns(np.exceptions.RankWarning):
        tn.polyfit(tn.arange(5.0), tn.arange(5.0), 6)
    with pytest.raises(TypeError):
        tn.polyfit(tn.arange(5.0), tn.arange(5.0), 2, w=tn.ones(5, "F"))
    with pytest.raises(TypeError):
        tn.roots(tn.array(3.0))
    rows = tn.arange(8).reshape(2, 2, 2)
    assert_same(
        tn.apply_along_axis(lambda x: (x.sum(), x.max()), 1, rows),
        np.apply_along_axis(lambda x: (x.sum(), x.max()), 1, rows.get()),
    )
