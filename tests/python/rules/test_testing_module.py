"""tenorite.testing: what CuPy's helpers of tests promise, apart from the comparisons."""

import random
import unittest
import warnings

import numpy as np
import pytest
import tenorite as tn
from tenorite import testing
from tenorite.testing import _attr, _condition, _loops, _random

pytestmark = pytest.mark.quick


def test_names():
    assert {*testing.__all__} <= {*dir(testing)} and all(callable(getattr(testing, name)) for name in testing.__all__)


# --- Arrays ---


@pytest.mark.parametrize("dtype", "?bHifdeFD")
@pytest.mark.parametrize("order", "CF")
def test_shaped(dtype, order):
    """Both modules get the same elements, of the kind that CuPy gives."""
    for make in (testing.shaped_arange, testing.shaped_random):
        ours, theirs = make((2, 3), tn, dtype, order=order), make((2, 3), np, dtype, order=order)
        assert type(ours) is tn.ndarray and type(theirs) is np.ndarray
        assert ours.dtype == theirs.dtype == np.dtype(dtype)
        assert (ours.get() == theirs).all() and ours.strides == theirs.strides
    for make in (testing.shaped_reverse_arange, lambda *a: testing.shaped_linspace(-1, 3, *a)):
        ours, theirs = make((2, 3), tn, dtype), make((2, 3), np, dtype)
        assert ours.dtype == theirs.dtype == np.dtype(dtype) and (ours.get() == theirs).all()


def test_shaped_values():
    assert testing.shaped_arange((2, 2), np, "?").tolist() == [[False, True], [False, True]]
    assert testing.shaped_arange((2,), np, "D").tolist() == [1 + 1j, 2 + 2j]
    assert testing.shaped_reverse_arange((3,), np, "i").tolist() == [3, 2, 1]
    assert testing.shaped_linspace(-4, 4, (2,), np, "B").tolist() == [0, 4]
    assert testing.shaped_linspace(0, 1, 3, np).tolist() == [0, 0.5, 1]
    assert testing.shaped_linspace(-4, 4, (2,), np, "?").tolist() == [False, True]
    np.random.seed(7)
    expected = (np.random.rand(2, 3) * 5).astype("f")
    assert (testing.shaped_random((2, 3), np, "f", 5, 7) == expected).all()


@pytest.mark.parametrize("xp", [np, tn])
@pytest.mark.parametrize("dtype", "fdFD")
def test_generate_matrix(xp, dtype):
    values = [[3.0, 2.0], [5.0, 0.5]]
    a = testing.generate_matrix((2, 4, 2), xp, dtype, singular_values=values)
    assert isinstance(a, xp.ndarray) and a.dtype == dtype and a.shape == (2, 4, 2)
    found = np.linalg.svd(tn.asnumpy(a), compute_uv=False)
    np.testing.assert_allclose(found, values, rtol=1e-5 if dtype in "fF" else 1e-12)


def test_generate_matrix_refuses():
    with pytest.raises(ValueError, match="too few axes"):
        testing.generate_matrix((3,), singular_values=1)
    with pytest.raises(TypeError, match="not given"):
        testing.generate_matrix((3, 3))
    with pytest.raises(TypeError, match="not supported"):
        testing.generate_matrix((3, 3), dtype="i", singular_values=1)
    with pytest.raises(ValueError, match="negative"):
        testing.generate_matrix((2, 2), singular_values=[1, -1])


def test_sparse_random_refuses():
    pytest.importorskip("scipy")
    pytest.importorskip("tenorite.scipy.sparse")
    with pytest.raises(ValueError, match="Unknown module"):
        testing.shaped_sparse_random((2, 2), np)
    assert testing.shaped_sparse_random((20, 30), density=0.5, format="csr").format == "csr"


# --- Assertions ---


@pytest.mark.parametrize(
    ("name", "near", "far"),
    [
        ("assert_allclose", 1 + 1e-9, 1.1),
        ("assert_array_almost_equal", 1 + 1e-8, 1.1),
        ("assert_array_almost_equal_nulp", np.nextafter(1, 2), 1.1),
        ("assert_array_equal", 1, 1 + 1e-9),
        ("assert_array_max_ulp", np.nextafter(1, 2), 1.1),
    ],
)
def test_assertions(name, near, far):
    check = getattr(testing, name)
    for one in (tn.ones(2), np.ones(2)):
        check(one, tn.full(2, near))
        check(one, np.full(2, near))
        with pytest.raises(AssertionError):
            check(one, tn.full(2, far))
        with pytest.raises(AssertionError):
            check(one, np.full(2, far))


def test_assertions_of_lists_and_strides():
    a = tn.ones((2, 3))
    testing.assert_array_equal(a, a.get(), strides_check=True)
    testing.assert_array_equal(a, np.asfortranarray(a.get()))
    with pytest.raises(AssertionError, match="Strides are not equal: here"):
        testing.assert_array_equal(a, np.asfortranarray(a.get()), "here", strides_check=True)
    with pytest.raises(AssertionError):
        testing.assert_array_equal(a, a.astype("f").get(), strict=True)
    testing.assert_array_list_equal([a, a], [a.get(), a])
    with pytest.raises(AssertionError, match="size"):
        testing.assert_array_list_equal([a], [a, a])
    with pytest.raises(AssertionError, match="types"):
        testing.assert_array_list_equal([a], (a,))
    testing.assert_array_less(tn.zeros(2), tn.ones(2))
    with pytest.raises(AssertionError):
        testing.assert_array_less(tn.ones(2), tn.ones(2))


def test_assert_warns():
    with testing.assert_warns(UserWarning):
        warnings.warn("mind the gap", stacklevel=1)
    with pytest.raises(AssertionError, match="RuntimeWarning"), testing.assert_warns(RuntimeWarning):
        warnings.warn("mind the gap", stacklevel=1)


def test_function_is_called():
    with testing.AssertFunctionIsCalled("random.random", return_value=7) as mock:
        assert random.random() == 7 and mock.call_count == 1
    with testing.AssertFunctionIsCalled("random.random", times_called=2, wraps=random.random):
        assert 0 <= random.random() < 1 and 0 <= random.random() < 1
    real = random.random
    with pytest.raises(AssertionError), testing.AssertFunctionIsCalled("random.random"):
        pass
    with pytest.raises(KeyError), testing.AssertFunctionIsCalled("random.random"):
        raise KeyError("the block's own error stays")
    assert random.random is real


class TestVander(testing.NumpyAliasBasicTestBase):
    func = "vander"


class TestNdim(testing.NumpyAliasValuesTestBase):
    func, args = "ndim", (3,)


def test_bases_name_both_functions():
    for case in (TestVander(), TestNdim()):
        assert case.cupy_func is getattr(tn, case.func) and case.numpy_func is getattr(np, case.func)
    assert hasattr(TestVander, "test_argspec") and hasattr(TestVander, "test_docstring")


# --- What is installed ---


def test_installed():
    assert testing.installed("numpy") and testing.installed("numpy>=1.20", "pytest")
    assert not testing.installed("numpy<1.20") and not testing.installed("numpy", "no-such-package-here")
    assert testing.numpy_satisfies(">=2.0") and not testing.numpy_satisfies("<2.0")


@testing.with_requires("numpy<1.20")
def test_with_requires_skips():
    raise AssertionError("with_requires did not skip")


@testing.with_requires("numpy>=1.20")
def test_with_requires(request):
    assert request.node.get_closest_marker("skipif")


@testing.multi_gpu(1000)
def test_multi_gpu_skips():
    raise AssertionError("multi_gpu did not skip")


@testing.multi_gpu(1)
@testing.gpu
def test_multi_gpu(request):
    assert request.node.get_closest_marker("skipif").args == (False,)


def test_gpu_limit(monkeypatch):
    monkeypatch.setattr(_attr, "_gpu_limit", 0)
    assert testing.multi_gpu(1).mark.args == (True,)

    @testing.slow
    def marked():
        pass

    assert [mark.name for mark in marked.pytestmark] == ["slow"]
    assert testing.slow().name == "slow"


# --- Sets of attributes ---


def test_product():
    assert testing.product({"b": [3], "a": (1, 2)}) == [{"a": 1, "b": 3}, {"a": 2, "b": 3}]
    assert testing.product([[{"a": 1}], [{"b": 2}, {"b": 3}]]) == [{"a": 1, "b": 2}, {"a": 1, "b": 3}]
    assert testing.product({}) == [{}]
    for wrong in ("ab", [{"a": 1}], [[1]]):
        with pytest.raises(TypeError):
            testing.product(wrong)
    assert testing.product_dict([{"a": 1}], [{"a": 2}, {"b": 3}]) == [{"a": 2}, {"a": 1, "b": 3}]


seen = []


@testing.parameterize(*testing.product({"n": [1, 2], "f": [lambda: 1]}))
class TestOfPytest:
    @pytest.fixture(autouse=True)
    def setUp(self):
        self.double = 2 * self.n

    @testing.for_orders("CF")
    @pytest.mark.parametrize("more", [0, 1])
    def test_attributes(self, order, more):
        assert self.double == 2 * self.n and self.f() == 1
        seen.append((self.n, order, more))


def test_parameterized_ran(request):
    if any(item.name.startswith("test_attributes") for item in request.session.items):
        names = [item.name for item in request.session.items if item.name.startswith("test_attributes")]
        assert any("_param_0_{f=<lambda>, n=1}" in name for name in names), names
        if not hasattr(request.config, "workerinput"):
            assert {*seen} == {(n, order, more) for n in (1, 2) for order in "CF" for more in (0, 1)}


@testing.parameterize({"a": 1}, {"a": 2})
@testing.parameterize(*testing.product({"b": [3, 4]}))
class TestOfUnittest(unittest.TestCase):
    def setUp(self):
        self.sum = self.a + self.b

    def test_sum(self):
        assert self.sum in (4, 5, 6)

    def test_failure(self):
        with self.assertRaisesRegex(AssertionError, "never"):
            raise AssertionError("never")


def test_unittest_classes():
    names = {name for name in globals() if name.startswith("TestOfUnittest")}
    assert len(names) == 5 and "TestOfUnittest_param_0_{b=3}_param_1_{a=2}" in names
    assert len(TestOfUnittest.cases) == 4


def test_failure_says_attributes():
    case = unittest.TestCase

    @testing.parameterize({"a": 17})
    class Failing(case):
        def test_it(self):
            raise KeyError("x")

    (made,) = Failing.cases
    result = made("test_it").run()
    assert "a: 17" in result.errors[0][1]
    del globals()[made.__name__]


# --- Random numbers ---


def test_fix_random():
    """The same numbers in each run, of all three sources, and the old states afterwards."""
    drawn = []

    @testing.fix_random()
    def test_it(self):
        drawn.append((random.random(), np.random.rand(), float(tn.random.rand()), testing.generate_seed()))

    random.seed(1), np.random.seed(1), tn.random.seed(1)
    expected = random.random(), np.random.rand(), float(tn.random.rand())
    random.seed(1), np.random.seed(1), tn.random.seed(1)
    test_it(None)
    assert (random.random(), np.random.rand(), float(tn.random.rand())) == expected
    test_it(None)
    assert drawn[0] == drawn[1] and 0 <= drawn[0][3] < 2**31
    with pytest.raises(AssertionError, match="not set up"):
        testing.generate_seed()
    with pytest.raises(ValueError, match="fix_random"):
        testing.fix_random()(3)


@testing.fix_random()
class TestFixedOfUnittest(unittest.TestCase):
    def setUp(self):
        self.seed = testing.generate_seed()

    def test_seed(self):
        assert _random._nest_count == 1 and isinstance(self.seed, int)


@testing.fix_random()
class TestFixed:
    def setup_method(self, method):
        self.name, self.seed = method.__name__, testing.generate_seed()

    def test_seed(self):
        assert self.name == "test_seed" and self.seed is not None and _random._nest_count == 1


@testing.fix_random()
class TestFixedWithoutSetup:
    def test_seed(self):
        assert testing.generate_seed() >= 0


# --- Repeated tests ---


def runs(decorator, outcomes):
    """How often a test of such outcomes runs, and whether it passes."""
    made = []

    @decorator
    def test_it(self):
        made.append(1)
        if outcomes[len(made) - 1] == "s":
            pytest.skip("no")
        assert outcomes[len(made) - 1] == "p"

    try:
        test_it(None)
    except AssertionError as error:
        assert "The first error message" in str(error)
        return len(made), False
    return len(made), True


def test_condition():
    assert runs(_condition.repeat(3), "ppp") == (3, True)
    assert runs(_condition.repeat(3), "pfp") == (2, False)
    assert runs(_condition.repeat(1, 3), "ppp") == (3, True)
    assert runs(_condition.retry(3), "ffp") == (3, True)
    assert runs(_condition.retry(3), "fff") == (3, False)
    assert runs(_condition.repeat_with_success_at_least(5, 3), "pfpfp") == (5, True)
    assert runs(_condition.repeat_with_success_at_least(5, 3), "fff") == (3, False)
    with pytest.raises(pytest.skip.Exception):
        runs(_condition.repeat(3), "ps")
    with pytest.raises(AssertionError):
        _condition.repeat_with_success_at_least(1, 2)


def test_condition_sets_up_anew():
    class Case(unittest.TestCase):
        ups = 0

        def setUp(self):
            type(self).ups += 1
            self.fresh = True

        @_condition.repeat(3)
        def test_it(self):
            assert self.fresh
            self.fresh = False

    assert Case("test_it").run().wasSuccessful() and Case.ups == 4


# --- Loops ---


@pytest.mark.parametrize(
    ("decorator", "codes"),
    [
        (testing.for_all_dtypes(), "dfebhilqBHILQ?FD"),
        (testing.for_all_dtypes(no_float16=True, no_bool=True, no_complex=True), "dfbhilqBHILQ"),
        (testing.for_float_dtypes(), "dfe"),
        (testing.for_float_dtypes(no_float16=True), "df"),
        (testing.for_signed_dtypes(), "bhilq"),
        (testing.for_unsigned_dtypes(), "BHILQ"),
        (testing.for_int_dtypes(), "bhilqBHILQ?"),
        (testing.for_int_dtypes(no_bool=True), "bhilqBHILQ"),
        (testing.for_complex_dtypes(), "FD"),
        (testing.for_dtypes(["i4", np.float32]), "if"),
        (testing.for_dtypes_combination("id"), "id"),
    ],
)
def test_for_dtypes(decorator, codes):
    found = []
    decorator(lambda dtype: found.append(dtype))()
    assert found == [np.dtype(code).type for code in codes]


def test_for_combinations(monkeypatch):
    def pairs(decorator):
        found = []
        decorator(lambda a, b: found.append((a, b)))()
        assert len(found) == len({*found})
        return found

    few = pairs(testing.for_all_dtypes_combination(("a", "b")))
    assert {a for a, _ in few} == {b for _, b in few} == {*_loops._make_all_dtypes(False, False, False)}
    assert len(pairs(testing.for_all_dtypes_combination(("a", "b"), full=True))) == len({a for a, _ in few}) ** 2
    monkeypatch.setenv("CUPY_TEST_FULL_COMBINATION", "1")
    assert len(pairs(testing.for_dtypes_combination("fd", ["a", "b"]))) == 4
    assert len(pairs(testing.for_signed_dtypes_combination(["a", "b"]))) == 25
    assert len(pairs(testing.for_unsigned_dtypes_combination(["a", "b"]))) == 25
    assert len(pairs(testing.for_int_dtypes_combination(["a", "b"], no_bool=True))) == 100


def test_loops_skip_and_say(capsys):
    found = []

    @testing.for_orders(["C", "F", None], "how")
    def test_it(how):
        found.append(how)
        if how == "C":
            pytest.skip("not here")
        if how is None:
            raise KeyError("x")

    with pytest.raises(KeyError):
        test_it()
    assert found == ["C", "F", None]
    out = capsys.readouterr().out
    assert "skipped: how = C (not here)" in out and out.endswith("how = None\n")
    found.clear()
    testing.for_CF_orders()(lambda order: found.append(order))()
    assert found == [None, "C", "F", "c", "f"]


def test_contiguous_axes():
    class Case:
        shape = (2, 3, 4)

        @testing.for_contiguous_axes()
        def test_it(self, axis):
            self.found.append(axis)

    case = Case()
    for order, expected in (("C", [(0, 1, 2), (1, 2), (2,)]), ("f", [(0,), (0, 1), (0, 1, 2)])):
        case.order, case.found = order, []
        case.test_it()
        assert case.found == expected
    case.order = "K"
    with pytest.raises(ValueError, match="order"):
        case.test_it()
