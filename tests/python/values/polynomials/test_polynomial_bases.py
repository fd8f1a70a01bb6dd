"""The functions and classes of series of all six bases, with NumPy's as the oracle.

The tables have a case for every name that NumPy's modules have: a name after the prefix of the
basis, or one without.
"""

import inspect
import operator
import pickle

import numpy as np
import pytest
import tenorite as tn
from oracle import Report

pytestmark = pytest.mark.quick

MODULES = {
    "polynomial": "poly",
    "chebyshev": "cheb",
    "legendre": "leg",
    "laguerre": "lag",
    "hermite": "herm",
    "hermite_e": "herme",
}
CLASSES = {
    "polynomial": "Polynomial",
    "chebyshev": "Chebyshev",
    "legendre": "Legendre",
    "laguerre": "Laguerre",
    "hermite": "Hermite",
    "hermite_e": "HermiteE",
}
SERIES = [[1, 2, 3, -1.5, 0.25], [3, 2, 1], [0.5], [0, 0, 2.0, 0], [0.0], [1j, 2, -1], [2, -1]]
X = np.linspace(-0.9, 0.9, 7)
RANDOM = np.random.default_rng(5)
CUBE = RANDOM.normal(size=(3, 4, 2))
PAIRS = [(a, b) for a in SERIES for b in SERIES]
POINTS = [0.5, 2, X, X.astype("f4"), np.arange(4), X.reshape(7, 1), [0.5, 1.0], 0.5j]


def each(values, call):
    return [lambda f, value=value: call(f, value) for value in values]


# Calls of a function by what its name has after the prefix; `a` makes an array of the module's.
CALLS = {
    "zero": [lambda f: f],
    "one": [lambda f: f],
    "x": [lambda f: f],
    "domain": [lambda f: f],
    "line": each([(1, 2), (3, 0), (0.5, -1.0)], lambda f, v: f(*v)),
    "add": each(PAIRS, lambda f, v: f(*v)),
    "sub": each(PAIRS, lambda f, v: f(*v)),
    "mul": each(PAIRS, lambda f, v: f(*v)),
    "div": each([pair for pair in PAIRS if np.any(pair[1])], lambda f, v: f(*v)),
    "mulx": each(SERIES, lambda f, v: f(v)),
    "pow": each([([1, 2, 3], k) for k in range(4)] + [([2.0], 5), ([0.5, 1j], 3)], lambda f, v: f(*v)),
    "der": each([(c, m, s) for c in SERIES for m in range(6) for s in (1, 2)], lambda f, v: f(*v))
    + [lambda f: f(CUBE, 1, axis=1), lambda f: f(CUBE.astype("f4"), 2, axis=0)],
    "int": each([(c, m, [1, 2][:m], b) for c in SERIES for m in range(4) for b in (0, 0.5)], lambda f, v: f(*v))
    + [lambda f: f(CUBE, 2, axis=1), lambda f: f(CUBE, 1, scl=3, axis=-1), lambda f: f([1, 2], k=3)],
    "val": each([(x, c) for x in POINTS for c in SERIES], lambda f, v: f(*v))
    + each(range(1, 40), lambda f, k: f(X, np.cos(np.arange(k))))
    + [
        lambda f: f(X, CUBE),
        lambda f: f(np.ones(2), CUBE, tensor=False),
        lambda f: f(X.astype("f4"), CUBE.astype("f4")),
    ],
    "val2d": [lambda f: f(X, X[::-1], CUBE), lambda f: f(0.5, 2.0, CUBE)],
    "val3d": [lambda f: f(X, X[::-1], X**2, CUBE), lambda f: f(0.5, 1.0, 2.0, CUBE)],
    "valnd": [lambda f: f((X, X[::-1]), CUBE[0])],  # in NumPy since 2.5
    "grid2d": [lambda f: f(X, [1.0, 2.0], CUBE), lambda f: f(0.5, [1.0], CUBE)],
    "grid3d": [lambda f: f(X, [1.0, 2.0], [3.0], CUBE)],
    "vander": each([(x, k) for x in POINTS for k in (0, 1, 2, 5, 11)], lambda f, v: f(*v)),
    "vander2d": [lambda f: f(X, X[::-1], [2, 3]), lambda f: f(X.reshape(7, 1), X.reshape(7, 1), (0, 1))],
    "vander3d": [lambda f: f(X, X[::-1], X**2, [1, 0, 2])],
    "fit": [
        lambda f: f(X, np.sin(X), 3),
        lambda f: f(X, np.stack([X, X**2], 1), 2),
        lambda f: f(X, np.sin(X), [1, 3]),
        lambda f: f(X, np.sin(X), 2, w=np.arange(1, 8)),
        lambda f: f(X, np.sin(X), 2, full=True),
    ],
    "fromroots": each([[], [1, 2], [0.5, -1, 2.0], [1j, -1j], [3]], lambda f, v: f(v)),
    "roots": each([c for c in SERIES if np.isrealobj(c)], lambda f, v: f(v)),
    "companion": each([c for c in SERIES if len(np.trim_zeros(c, "b")) > 1], lambda f, v: f(v)),
    "trim": each([(c, tol) for c in SERIES for tol in (0, 0.3, 5)], lambda f, v: f(*v)),
    "gauss": each([1, 2, 3, 10, 64], lambda f, v: f(v)),
    "weight": [lambda f: f(X), lambda f: f(X.astype("f4"))],
    "2poly": each(SERIES, lambda f, v: f(v)),
    "poly2": each(SERIES, lambda f, v: f(v)),
    "pts1": each([1, 2, 7], lambda f, v: f(v)),
    "pts2": each([2, 3, 7], lambda f, v: f(v)),
    "interpolate": [lambda f: f(lambda x: 2 * x**3 + 1, 4), lambda f: f(lambda x, y: x + y, 1, (3,))],
    "valfromroots": [lambda f: f(X, [1.0, 2.0]), lambda f: f(0.5, [[1.0, 2.0], [3.0, 4.0]])],
}


def part_after(name, prefix):
    """What a name has after its prefix."""
    return "poly2" if name == "poly2" + prefix else name.removeprefix(prefix)


def names():
    for module, prefix in MODULES.items():
        for name in getattr(np.polynomial, module).__all__:
            if name != CLASSES[module]:
                yield module, prefix, name


def flat(result):
    """The arrays of a result, in the tuples and lists that it has."""
    if isinstance(result, (tuple, list)):
        return [one for part in result for one in flat(part)]
    return [np.asarray(result.get() if hasattr(result, "get") else result)]


def check(call, ours, theirs, what):
    made, expected = flat(call(ours)), flat(call(theirs))
    assert len(made) == len(expected), what
    for one, other in zip(made, expected):
        # Roots that are all real are real, as in NumPy up to 2.4; later ones make them complex.
        if "roots" in what.replace("fromroots", "") and other.dtype.kind == "c" and not other.imag.any():
            other = other.real
        assert (one.dtype, one.shape) == (other.dtype, other.shape), what
        # NumPy's lagval computes 2 k + 1 - x in the dtype of x, which may be float32.
        tolerance = 2e-4 if one.dtype in ("f4", "c8") else 1e-6 if what.startswith("lagval") else 1e-9
        scale = max(1.0, float(abs(other).max(initial=0)))
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance * scale, err_msg=what)


@pytest.mark.parametrize(("module", "prefix", "name"), list(names()))
def test_as_numpy_has_it(module, prefix, name):
    ours, theirs = (getattr(getattr(m.polynomial, module), name) for m in (tn, np))
    assert name in getattr(tn.polynomial, module).__all__
    if callable(theirs):
        assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
        assert pickle.loads(pickle.dumps(ours)) is ours
    if part_after(name, prefix) == "valnd":  # NumPy 2.4 has none: test_arrays_of_the_device
        return
    for number, call in enumerate(CALLS[part_after(name, prefix)]):
        check(call, ours, theirs, f"{name}, case {number}")


@pytest.mark.parametrize(("module", "prefix"), list(MODULES.items()))
def test_arrays_of_the_device(module, prefix):
    ours, theirs = getattr(tn.polynomial, module), getattr(np.polynomial, module)
    a, b = np.array([1.0, 2, 3]), np.array([2.0, 1])
    for name in ("add", "sub", "mul", "div"):
        made = getattr(ours, prefix + name)(tn.array(a), tn.array(b))
        check(lambda f, one=name, made=made: made if f is ours else getattr(f, prefix + one)(a, b), ours, theirs, name)
    made = getattr(ours, prefix + "val")(tn.array(X), tn.array(a))
    assert isinstance(made, tn.ndarray)
    np.testing.assert_allclose(made.get(), getattr(theirs, prefix + "val")(X, a))
    points = (tn.array(X), tn.array(X), tn.array(X))  # polyvalnd and its kin: NumPy 2.4 has none
    np.testing.assert_allclose(
        getattr(ours, prefix + "valnd")(points, tn.array(CUBE)).get(), getattr(theirs, prefix + "val3d")(X, X, X, CUBE)
    )
    made = getattr(ours, prefix + "vander")(tn.array(X), 3)
    assert made.flags.f_contiguous


@pytest.mark.parametrize(("module", "prefix"), list(MODULES.items()))
def test_refusals(module, prefix):
    report = Report()
    ours, theirs = getattr(tn.polynomial, module), getattr(np.polynomial, module)
    for name, arguments in {
        "add": ([], [1]),
        "mul": ([[1]], [1]),
        "div": ([1], [0]),
        "pow": ([1, 2], -1),
        "der": ([1], -1),
        "int": ([1], 1, [1, 2]),
        "vander": ([1.0], -1),
        "val2d": ([1.0], [1.0, 2.0], [[1]]),
        "vander2d": ([1.0], [1.0], [1]),
        "companion": ([1],),
        "trim": ([1], -1),
        "fit": ([1.0], [1.0, 2.0], 1),
        "gauss": (0,),
        "sub": ([True], [1]),
    }.items():
        if hasattr(theirs, prefix + name):
            report.check(
                name,
                lambda one=name, a=arguments: getattr(ours, prefix + one)(*a),
                lambda one=name, a=arguments: getattr(theirs, prefix + one)(*a),
            )
    with pytest.raises(ValueError):
        getattr(ours, prefix + "pow")([1, 2], 17, 16)
    with pytest.raises(AttributeError):
        ours.no_such_name
    report.close(12)


def test_float16_and_long_products():
    ours, theirs = tn.polynomial.polynomial, np.polynomial.polynomial
    assert ours.polyadd(tn.ones(2, "f2"), tn.ones(3, "f2")).dtype == "f2"
    one, other = RANDOM.normal(size=400), RANDOM.normal(size=300)
    np.testing.assert_allclose(ours.polymul(tn.array(one), other).get(), theirs.polymul(one, other), atol=1e-9)


# --- Classes ---

USES = {
    "coef": lambda p, m: p.coef,
    "domain": lambda p, m: p.domain,
    "window": lambda p, m: p.window,
    "symbol": lambda p, m: p.symbol,
    "maxpower": lambda p, m: p.maxpower,
    "basis_name": lambda p, m: p.basis_name,
    "repr": lambda p, m: repr(p),
    "str": lambda p, m: str(p),
    "ascii": lambda p, m: f"{p:ascii}",
    "latex": lambda p, m: p._repr_latex_(),
    "call": lambda p, m: p(0.5),
    "call of several": lambda p, m: p([0.5, 1.0]),
    "of itself": lambda p, m: p(p).coef,
    "len": lambda p, m: len(p),
    "elements": lambda p, m: [float(one) for one in p],
    "degree": lambda p, m: p.degree(),
    "copy": lambda p, m: p.copy().coef,
    "add": lambda p, m: (p + p).coef,
    "add list": lambda p, m: (p + [1, 2]).coef,
    "radd": lambda p, m: (1 + p).coef,
    "sub": lambda p, m: (p - [1]).coef,
    "rsub": lambda p, m: (2 - p).coef,
    "mul": lambda p, m: (p * p).coef,
    "rmul": lambda p, m: (2 * p).coef,
    "div": lambda p, m: [one.coef for one in divmod(p, p.deriv())],
    "floordiv": lambda p, m: (p // [1, 2]).coef,
    "mod": lambda p, m: (p % [1, 2]).coef,
    "truediv": lambda p, m: (p / 2).coef,
    "pow": lambda p, m: (p**3).coef,
    "rdiv": lambda p, m: [one.coef for one in divmod([1, 2, 3, 4, 5], p)],
    "neg": lambda p, m: (-p).coef,
    "rfloordiv": lambda p, m: ([1, 2, 3, 4, 5, 6] // p).coef,
    "rmod": lambda p, m: ([1, 2, 3, 4, 5, 6] % p).coef,
    "pos": lambda p, m: (+p).coef,
    "mapparms": lambda p, m: p.mapparms(),
    "linspace": lambda p, m: p.linspace(5),
    "linspace of": lambda p, m: p.linspace(4, [0, 1]),
    "roots": lambda p, m: p.roots(),
    "deriv": lambda p, m: p.deriv(2).coef,
    "integ": lambda p, m: p.integ(2, [1], 1).coef,
    "trim": lambda p, m: p.trim(0.5).coef,
    "truncate": lambda p, m: p.truncate(2).coef,
    "cutdeg": lambda p, m: p.cutdeg(2).coef,
    "identity": lambda p, m: type(p).identity([0, 3]).coef,
    "basis": lambda p, m: type(p).basis(3).coef,
    "fromroots": lambda p, m: type(p).fromroots([1, 2.5]).coef,
    "fromroots of": lambda p, m: type(p).fromroots([1, 2.5], None).coef,
    "fit": lambda p, m: type(p).fit(X, X**2 + 1, 3).coef,
    "fit of": lambda p, m: type(p).fit(X, X**2, 2, []).coef,
    "fit full": lambda p, m: type(p).fit(X, np.sin(X), 2, full=True)[1],
    "fit domain": lambda p, m: type(p).fit([1.0, 1.0], [2.0, 2.0], 0).domain,
    "has_samecoef": lambda p, m: (p.has_samecoef(p + 1), p.has_samecoef(p.copy())),
    "has_samedomain": lambda p, m: (p.has_samedomain(type(p)([1])), p.has_samedomain(p)),
    "has_samewindow": lambda p, m: (p.has_samewindow(type(p)([1], window=[5, 6])), p.has_samewindow(p)),
    "has_sametype": lambda p, m: (p.has_sametype(1), p.has_sametype(p)),
    "eq": lambda p, m: (p == p.copy(), p == p + 1, p != p + 1, p == 3),
    "pickle": lambda p, m: pickle.loads(pickle.dumps(p)).coef,
    "cast": lambda p, m: m.polynomial.Legendre.cast(p).coef,
} | {
    f"convert to {name}": lambda p, m, name=name: p.convert(kind=getattr(m.polynomial, name)).coef
    for name in CLASSES.values()
}


@pytest.mark.parametrize("kind", CLASSES.values())
@pytest.mark.parametrize("use", USES)
def test_class(kind, use):
    for arguments in (([1, 2, 3, 0.25], [0, 2]), ([1.0, 2, 0.5], None, [0, 1], "t"), ([2, 1],)):
        made, expected = (USES[use](getattr(m.polynomial, kind)(*arguments), m) for m in (tn, np))
        if expected is None or isinstance(expected, (str, int)):
            assert made == expected
            continue
        check(lambda f, made=made, expected=expected: made if f is tn else expected, tn, np, use)


def test_class_of_chebyshev_interpolates():
    made, expected = (m.polynomial.Chebyshev.interpolate(lambda x: x**3, 4, [0, 2]) for m in (tn, np))
    np.testing.assert_allclose(made.coef.get(), expected.coef, atol=1e-12)
    assert (made.domain.get() == expected.domain).all()


def test_classes_refuse():
    P, C = tn.polynomial.Polynomial, tn.polynomial.Chebyshev
    p = P([1, 2])
    for call in (
        lambda: p + C([1]),
        lambda: p + P([1], [0, 1]),
        lambda: p * P([1], window=[0, 1]),
        lambda: p / p,
        lambda: p + "a",
        lambda: P([1], symbol=3),
        lambda: 1 / p,
        lambda: p / True,
    ):
        with pytest.raises(TypeError):
            call()
    for call in (
        lambda: p + P([1], symbol="y"),
        lambda: P([1], [1, 2, 3]),
        lambda: P([1], window=[1]),
        lambda: P([1], symbol="1x"),
        lambda: p.truncate(0),
        lambda: P.basis(-1),
        lambda: p**-1,
        lambda: p**101,
        lambda: f"{p:latin}",
        lambda: tn.polynomial.set_default_printstyle("latin"),
    ):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(ZeroDivisionError):
        p // 0
    with pytest.raises(TypeError):
        hash(p)


def test_arrays_give_way_to_series():
    p, x = tn.polynomial.Polynomial([1, 2]), tn.array([1.0, 2.0, 3.0])
    assert isinstance(x + p, tn.polynomial.Polynomial)
    assert (x + p).coef.get().tolist() == [2, 4, 3]
    assert (p / np.longdouble(2)).coef.get().tolist() == [0.5, 1]
    assert p.get() == np.polynomial.Polynomial([1, 2])
    assert tn.polynomial.polyutils.format_float(tn.array(2.5)) == "2.5"
    assert tn.polynomial.polyutils.trimcoef([1, 2, 1e-9], 1e-6).get().tolist() == [1, 2]


def test_gauss_of_many_nodes():
    for module, prefix in MODULES.items():
        if prefix == "poly":
            continue
        nodes, weights = getattr(getattr(tn.polynomial, module), prefix + "gauss")(170)
        assert np.isfinite(nodes.get()).all() and np.isfinite(weights.get()).all()
        assert (np.diff(np.sort(nodes.get())) > 0).all()


@pytest.mark.parametrize("name", CLASSES.values())
def test_series_beside_sequences(name):
    """Lists and tuples of coefficients are operands, on either side; what is none is refused."""
    ours, theirs = (getattr(library.polynomial, name)([1.0, 2, 3]) for library in (tn, np))
    for operation in (operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, divmod):
        for other in ([1.0, 2], (2, 3, 0, 1), [5]):
            for call in (lambda one: operation(one, other), lambda one: operation(other, one)):
                found, expected = call(ours), call(theirs)
                parts = zip(found, expected) if isinstance(expected, tuple) else [(found, expected)]
                for part, wanted in parts:
                    np.testing.assert_allclose(part.coef.get(), wanted.coef, 1e-12, 1e-12)
        for other in ([], (), {}, "ab", [[1]], np.timedelta64(5)):
            with pytest.raises(TypeError):
                operation(ours, other)
            with pytest.raises(TypeError):
                operation(other, ours)
    with pytest.raises(TypeError):
        ours / np.timedelta64(5)
