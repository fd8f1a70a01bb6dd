"""Random numbers: words against cuRAND's, distributions against NumPy's by Kolmogorov and Smirnov,
the same numbers on every device, states, choices, and each error."""

import ctypes
import doctest
import hashlib
import json
import os
import pickle
import threading
from pathlib import Path

import numpy as np
import pytest
import tenorite as tn
from tenorite import random

pytestmark = pytest.mark.quick

COUNT = 10**7 if os.environ.get("TENORITE_WHOLE") == "1" else 200_000
NEVER = 2.9  # of a test statistic with the limit law of Kolmogorov: a chance of 1e-7


def distance(ours, numpys):
    """Kolmogorov and Smirnov's, of two samples, in units of its limit law."""
    ours, numpys = np.sort(ours), np.sort(numpys)
    everywhere = np.concatenate([ours, numpys])
    below = [np.searchsorted(sample, everywhere, side="right") / sample.size for sample in (ours, numpys)]
    return np.abs(below[0] - below[1]).max() / np.sqrt(1 / ours.size + 1 / numpys.size)


# name: arguments
FLOATS = {
    "uniform": [(), (-3.0, 5.0)],
    "normal": [(), (10.0, 0.5)],
    "exponential": [(), (3.0,)],
    "gumbel": [(), (1.0, 2.0)],
    "laplace": [(), (1.0, 2.0)],
    "logistic": [(), (1.0, 2.0)],
    "lognormal": [(), (0.5, 0.25)],
    "rayleigh": [(), (2.0,)],
    "gamma": [(0.02,), (0.7,), (1.0,), (2.5, 3.0), (1e5,)],
    "beta": [(0.5, 0.5), (0.01, 0.02), (2.0, 3.0), (0.5, 3.0), (300.0, 1.0)],
    "chisquare": [(0.3,), (4.0,)],
    "f": [(3.0, 7.0)],
    "noncentral_chisquare": [(3.0, 2.0), (0.5, 2.0), (2.0, 0.0)],
    "noncentral_f": [(3.0, 7.0, 2.0)],
    "standard_cauchy": [()],
    "standard_t": [(3.0,), (0.5,)],
    "pareto": [(3.0,)],
    "power": [(0.5,), (3.0,)],
    "triangular": [(-1.0, 0.5, 3.0), (0.0, 0.0, 1.0)],
    "vonmises": [(0.5, 2.0), (3.0, 0.2), (0.0, 0.0), (1.0, 1e3), (0.0, 1e7)],
    "wald": [(2.0, 3.0), (1.0, 0.01)],
    "weibull": [(0.7,), (3.0,)],
}
INTEGERS = {
    "poisson": [(0.0,), (0.3,), (9.5,), (10.5,), (300.0,), (1e9,)],
    "binomial": [(0, 0.5), (20, 0.3), (100, 0.7), (1000, 0.5), (10**6, 1e-6), (10**9, 0.9), (10, 0.0), (10, 1.0)],
    "geometric": [(0.6,), (0.01,), (1.0,)],
    "negative_binomial": [(3, 0.5), (0.4, 0.05)],
    "hypergeometric": [(60, 40, 30), (5, 5, 3), (3, 1000, 900), (10**5, 10**4, 1000), (40, 60, 80), (0, 5, 3)],
    "logseries": [(0.6,), (0.99,)],
    "zipf": [(4.0,), (1.7,)],
}


def cases(table):
    return [pytest.param(name, args, id=f"{name}{args}") for name, many in table.items() for args in many]


@pytest.mark.parametrize("name, args", cases(FLOATS))
def test_floats(name, args):
    expected = getattr(np.random.default_rng(5), name)(*args, size=COUNT)
    for dtype in (np.float64, np.float32):
        result = getattr(random.default_rng(42), name)(*args, size=COUNT, dtype=dtype)
        assert result.dtype == dtype and result.shape == (COUNT,)
        if dtype == np.float32:
            expected = expected.astype(dtype)  # equal values fall together in both samples
        assert distance(result.get(), expected) < NEVER


@pytest.mark.parametrize("name, args", cases(INTEGERS))
def test_integers_of(name, args):
    expected = getattr(np.random.default_rng(5), name)(*args, size=COUNT)
    result = getattr(random.default_rng(42), name)(*args, size=COUNT)
    assert result.dtype == np.int64 and result.shape == (COUNT,)
    assert distance(result.get(), expected) < NEVER


def test_tails():
    """Ten million normal and exponential numbers, of which some are far out."""
    rng = random.default_rng(1)
    for dtype in (np.float32, np.float64):
        normal = rng.standard_normal(10**7, dtype=dtype)
        for limit, chance in ((2.0, 0.0455002639), (4.0, 6.33424836e-05), (5.0, 5.73303144e-07)):
            found = int((tn.absolute(normal) > limit).sum())
            assert abs(found - 1e7 * chance) < 6 * np.sqrt(1e7 * chance) + 1, (dtype, limit)
        assert abs(float(normal.mean(dtype="f8"))) < 6 / np.sqrt(1e7)
        assert abs(float((normal.astype("f8") ** 2).mean()) - 1) < 6 * np.sqrt(2 / 1e7)
        waits = rng.standard_exponential(10**7, dtype=dtype)
        assert abs(int((waits > 12).sum()) - 1e7 * np.exp(-12)) < 6 * np.sqrt(1e7 * np.exp(-12))
        assert float(waits.min()) > 0


# --- Words ---


def curand():
    from tenorite import cuda  # finds the folders of CUDA's libraries

    del cuda
    for name in ("libcurand.so.10", "/usr/local/cuda/lib64/libcurand.so.10"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return pytest.skip("cuRAND is not installed")


def words_of_curand(kind, seed, count, offset=0):
    """By its generator on the host, in the order that it promises for ever."""
    library, generator = curand(), ctypes.c_void_p()
    made = np.empty(count, np.uint32)
    assert library.curandCreateGeneratorHost(ctypes.byref(generator), kind) == 0
    assert library.curandSetPseudoRandomGeneratorSeed(generator, ctypes.c_ulonglong(seed)) == 0
    assert library.curandSetGeneratorOffset(generator, ctypes.c_ulonglong(offset)) == 0
    assert library.curandGenerate(generator, made.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(count)) == 0
    library.curandDestroyGenerator(generator)
    return made


PHILOX, XORWOW, MRG = 161, 101, 121  # in curandRngType
SEEDS = [0, 1, 42, 2**63 + 12345]


@pytest.mark.parametrize("seed", SEEDS)
def test_philox_is_curands(seed):
    """Its order is block by block of 65536 sequences; ours are blocks of sequence 0."""
    theirs = words_of_curand(PHILOX, seed, 4 << 17).reshape(-1, 65536, 4)
    ours = random.Philox4x3210(seed).random_raw(4 * len(theirs)).get().reshape(-1, 4)
    assert np.array_equal(ours, theirs[:, 0])


@pytest.mark.parametrize("name, kind, sequences", [("XORWOW", XORWOW, 4096), ("MRG32k3a", MRG, 81920)])
@pytest.mark.parametrize("seed", SEEDS)
def test_lanes_are_curands(name, kind, sequences, seed):
    """Its order is word by word of so many sequences, ours of 16384."""
    theirs = words_of_curand(kind, seed, 3 * sequences).reshape(3, sequences)
    ours = getattr(random, name)(seed).random_raw((3, 16384)).get()
    both = min(sequences, 16384)
    assert np.array_equal(ours[:, :both], theirs[:, :both])


def powered(step, bits, doublings):
    """A linear map of words over bits, as often as 2**doublings says: where it takes each bit."""
    columns = [step(1 << bit) for bit in range(bits)]
    for _ in range(doublings):
        columns = [mapped(columns, column) for column in columns]
    return columns


def mapped(columns, word):
    found = 0
    for bit, column in enumerate(columns):
        found ^= column if word >> bit & 1 else 0
    return found


def step_of_xorwow(word):
    x, *rest, v = (word >> 32 * k & 0xFFFFFFFF for k in range(5))
    t = x ^ x >> 2
    words = [*rest, v, (v ^ v << 4 ^ t ^ t << 1) & 0xFFFFFFFF]
    return sum(one << 32 * k for k, one in enumerate(words))


def states_after_jump(name, lane):
    """A state one jump of 16384 sequences on, by arithmetic on Python's integers."""
    words = [int(one) for one in lane]
    if name == "XORWOW":
        found = mapped(powered(step_of_xorwow, 160, 67 + 14), sum(one << 32 * k for k, one in enumerate(words[:5])))
        return [*(found >> 32 * k & 0xFFFFFFFF for k in range(5)), words[5]]
    found = []
    for modulus, step, half in (
        (2**32 - 209, [[0, 1, 0], [0, 0, 1], [-810728, 1403580, 0]], words[:3]),
        (2**32 - 22853, [[0, 1, 0], [0, 0, 1], [-1370589, 0, 527612]], words[3:]),
    ):
        power = np.array(step, object)
        for _ in range(76 + 14):
            power = power @ power % modulus
        found += [int(one) for one in power @ np.array(half, object) % modulus]
    return found


@pytest.mark.parametrize("name", ["XORWOW", "MRG32k3a"])
def test_jumps_of_lanes(name):
    bits = getattr(random, name)(5)
    bits.random_raw(20_000)
    lanes, jumped = bits.state["state"]["lanes"], bits.jumped()
    found = jumped.state["state"]["lanes"]
    for lane in (0, 7, 16383):
        assert found[:, lane].tolist() == states_after_jump(name, lanes[:, lane])
    assert np.array_equal(jumped.jumped(2).state["state"]["lanes"], bits.jumped(3).state["state"]["lanes"])
    assert np.array_equal(bits.jumped(0).state["state"]["lanes"], lanes)
    samples = np.stack([random.Generator(one).standard_normal(50_000).get() for one in (bits, jumped, bits.jumped(9))])
    assert np.abs(np.corrcoef(samples) - np.eye(3)).max() < 6 / np.sqrt(50_000)
    for wrong in (-1, 2**64):
        with pytest.raises(ValueError, match="jumps must be"):
            bits.jumped(wrong)


def test_jumps_reach_sequences_of_curand(seed=42):
    theirs = words_of_curand(MRG, seed, 2 * 81920).reshape(2, 81920)
    ours = random.MRG32k3a(seed).jumped(3).random_raw((2, 16384)).get()
    assert np.array_equal(ours, theirs[:, 3 * 16384 : 4 * 16384])


def test_philox_known_answer():
    """Of Random123's kat_vectors: counter 0, key 0."""
    words = [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    assert random.Philox4x3210(0).random_raw(4).tolist() == words


# --- The same numbers everywhere ---

GENERATORS = ["Philox4x3210", "XORWOW", "MRG32k3a"]
DIGESTS = json.loads(Path(__file__).with_name("random_digests.json").read_text(encoding="utf-8"))


def drawn_by_all(rng):
    for name, many in [*FLOATS.items(), *INTEGERS.items()]:
        yield name, getattr(rng, name)(*many[-1], size=1001)
    yield "integers", rng.integers(-5, 10**6, 1001)
    yield "integers64", rng.integers(-(2**62), 2**62, 1001)
    yield "float32", rng.standard_normal(1001, dtype="f4")
    yield "permutation", rng.permutation(1001)


@pytest.mark.parametrize("generator", GENERATORS)
def test_numbers_are_those_of_every_device(generator):
    """Digests of numbers drawn on the host, which a GPU must give, too."""
    rng = random.Generator(getattr(random, generator)(42))
    found = {name: hashlib.sha256(values.get().tobytes()).hexdigest()[:8] for name, values in drawn_by_all(rng)}
    assert found == DIGESTS[generator]


def test_what_numpys_random_state_refuses():
    legacy, modern = random.RandomState(3), random.default_rng(3)
    with pytest.raises(ValueError, match="nsample < 1"):
        legacy.hypergeometric(10, 10, 0, size=2)
    assert modern.hypergeometric(10, 10, 0, size=2).tolist() == [0, 0]
    with pytest.raises(ValueError, match="1-dimensional"):
        legacy.choice([[0, 1], [2, 3]], 1)
    assert modern.choice([[0, 1], [2, 3]], 1).shape == (1, 2)
    legacy.seed(np.int8(5))
    assert legacy.get_state()["state"]["seed"] == 5


def test_dirichlet_of_stacks():
    alphas = tn.asarray([[1.0, 2.0], [30.0, 4.0]])
    drawn = random.default_rng(3).dirichlet(alphas, size=5)
    assert drawn.shape == (5, 2, 2)
    assert np.allclose(drawn.sum(axis=-1).get(), 1)
    assert random.default_rng(3).dirichlet(5.0, size=(3, 2)).shape == (3, 2)
    with pytest.raises(ValueError, match="dimension"):
        random.default_rng(3).dirichlet(5.0)


@pytest.mark.parametrize("alpha", [[1e-3] * 3, [5e-324, 1e-310, 2e-320], [0.05, 0.02, 0.09], [1e-3, 0.0, 2e-3]])
@pytest.mark.parametrize("kind", [random.default_rng, random.RandomState])
def test_dirichlet_of_small_concentrations(alpha, kind):
    drawn = kind(3).dirichlet(alpha, size=COUNT).get()
    assert np.allclose(drawn.sum(axis=1), 1) and (drawn >= 0).all()
    expected = np.random.default_rng(5).dirichlet(alpha, size=COUNT)
    for k in range(3):
        assert distance(drawn[:, k].round(9), expected[:, k].round(9)) < NEVER
    both = kind(3).dirichlet(tn.asarray([alpha, [3.0, 4.0, 5.0]]), size=1000).get()
    assert np.allclose(both.sum(axis=-1), 1) and abs(both[:, 1].mean(axis=0) - [0.25, 1 / 3, 5 / 12]).max() < 0.05
    with pytest.raises(ValueError, match="alpha < 0"):
        kind(3).dirichlet([1.0, -1.0])


@pytest.mark.parametrize("generator", GENERATORS)
def test_counts_beyond_the_integers(generator):
    """The largest integer where arrays, which are not looked at, ask for more; 0 for NaN."""
    rng = random.Generator(getattr(random, generator)(3))
    most = 2**63 - 1
    assert rng.poisson(tn.asarray([1e19, np.inf, -1.0, np.nan])).tolist()[::2] == [most, 0]
    assert rng.negative_binomial(tn.asarray([1.0, 1e19]), tn.asarray([1e-40, 0.5])).tolist() == [most, most]
    assert rng.binomial(tn.asarray([-1.0, np.nan]), tn.asarray([0.7, 0.7])).tolist() == [0, 0]
    large = rng.binomial(tn.full(1000, 2.0**63), 0.75).get()
    assert abs(large / 2**63 - 0.75).max() < 1e-8
    many = random.RandomState(getattr(random, generator)(3)).hypergeometric(2**62, 2**62, 5, size=COUNT).get()
    assert distance(many, np.random.default_rng(5).binomial(5, 0.5, COUNT)) < NEVER
    ends = rng.beta(5e-324, 1e-323, size=COUNT).get()
    assert set(np.unique(ends)) == {0.0, 1.0} and abs(ends.mean() - 1 / 3) < 0.02


def test_totals_that_are_arrays():
    chances, totals = [0.2, 0.5, 0.3], np.array([[3, 10, 0], [200, 1, 7]])
    for n in (tn.asarray(totals), totals.tolist()):
        drawn = random.default_rng(3).multinomial(n, chances, size=(COUNT // 10, 2, 3)).get()
        assert drawn.shape == (COUNT // 10, 2, 3, 3) and (drawn.sum(axis=-1) == totals).all()
    assert np.allclose(drawn.mean(axis=0), totals[..., None] * chances, rtol=0.02)
    expected = np.random.default_rng(5).multinomial(200, chances, size=COUNT // 10)
    assert distance(drawn[:, 1, 0, 1], expected[:, 1]) < NEVER
    rng = random.RandomState(3)
    assert rng.multinomial(totals, chances).shape == (2, 3, 3)
    for n, error, text in (
        ([1, -1], ValueError, "n < 0"),
        ([1.5, 2], TypeError, "must be integers"),
        ([1, 2], ValueError, "broadcast"),
    ):
        with pytest.raises(error, match=text):
            rng.multinomial(n, chances, size=None if n != [1, 2] else 3)


@pytest.mark.parametrize("generator", GENERATORS[1:])
def test_generators_with_lanes(generator):
    """More elements than lanes, of arrays of parameters, of both kinds, and states."""
    bits = getattr(random, generator)(3)
    rng = random.Generator(bits)
    expected = np.random.default_rng(5)
    for dtype in ("f4", "f8"):
        assert distance(rng.standard_normal(COUNT, dtype=dtype).get(), expected.normal(size=COUNT)) < NEVER
        assert distance(rng.uniform(-2, 3, COUNT, dtype=dtype).get(), expected.uniform(-2, 3, COUNT)) < NEVER
        assert distance(rng.standard_exponential(COUNT, dtype=dtype).get(), expected.exponential(size=COUNT)) < NEVER
    kept = bits.state
    shapes = tn.asarray([0.5, 3.0])
    values = rng.gamma(shapes, size=(COUNT // 4, 2)).get()
    for k, shape in enumerate([0.5, 3.0]):
        assert distance(values[:, k], expected.gamma(shape, size=COUNT)) < NEVER
    assert distance(rng.poisson(20.0, COUNT).get(), expected.poisson(20.0, COUNT)) < NEVER
    assert distance(rng.integers(-3, 100, COUNT, dtype="i2").get(), expected.integers(-3, 100, COUNT)) < NEVER
    bits.state = kept
    assert np.array_equal(rng.gamma(shapes, size=(COUNT // 4, 2)).get(), values)
    copy = pickle.loads(pickle.dumps(bits))
    assert copy.random_raw(9).tolist() == bits.random_raw(9).tolist()
    with pytest.raises(ValueError, match=generator):
        bits.state = random.Philox4x3210(1).state


@pytest.mark.parametrize("name", ["uniform", "standard_normal", "standard_exponential"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_first_numbers_do_not_depend_on_the_size(name, dtype):
    whole = getattr(random.default_rng(3), name)(size=100_003, dtype=dtype).get()
    for size in (1, 2, 3, 4, 5, 63, 64, 255, 257, 4097):
        assert np.array_equal(getattr(random.default_rng(3), name)(size=size, dtype=dtype).get(), whole[:size])


def test_calls_do_not_overlap():
    rng = random.default_rng(3)
    values = np.concatenate([rng.random(n).get() for n in (1, 2, 3, 1000, 5)] + [rng.gamma(2.0, size=100).get()])
    assert np.unique(values).size == values.size


def test_seeds_are_independent():
    samples = np.stack(
        [random.default_rng(seed).standard_normal(50_000).get() for seed in (0, 1, 2, 2**40, [1, 2])]
        + [random.Generator(random.Philox4x3210(0).jumped()).standard_normal(50_000).get()]
    )
    correlations = np.corrcoef(samples) - np.eye(len(samples))
    assert np.abs(correlations).max() < 6 / np.sqrt(50_000)


# --- Integers ---


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_whole_range_of_a_dtype(dtype):
    low, high = (0, 1) if dtype == "?" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    values = random.default_rng(9).integers(low, high, 100_000, dtype=dtype, endpoint=True)
    assert values.dtype == dtype
    places = (values.get().astype("f8") - float(low)) / (float(high) - float(low) + 1)
    counts = np.histogram(places, bins=2 if dtype == "?" else 16, range=(0, 1))[0]
    expected = 100_000 / counts.size
    assert ((counts - expected) ** 2 / expected).sum() < 70


@pytest.mark.parametrize("span", [3 << 30, 3 << 62, 3000, 3])
def test_integers_have_no_bias(span):
    """Of 3 * 2**30 values a word modulo their number would give a third of them twice as often."""
    values = random.default_rng(11).integers(0, span, 300_000, dtype="u8").get()
    assert values.max() < span
    counts = np.bincount((values // np.uint64(span // 3)).astype("i8"), minlength=3)
    expected = 300_000 / counts.size
    assert ((counts - expected) ** 2 / expected).sum() < 60


@pytest.mark.parametrize(
    "name, parameters",
    [
        *(
            ("binomial", p)
            for p in ((1, 0.5), (10, 0.3), (9, 0.8), (150, 0.06), (1000, 0.4), (70, 0.9), (0, 0.5), (5, 1.0))
        ),
        *(("chisquare", (p,)) for p in (0.3, 2.0, 5.0)),
        *(("standard_gamma", (p,)) for p in (0.01, 0.7, 1.0, 30.0)),
        *(("poisson", (p,)) for p in (0.2, 9.5, 80.0)),
    ],
)
def test_many_are_as_one(name, parameters):
    """Numbers of one parameter are drawn many at a time, those of an array of it one by one."""
    many, one = (getattr(random.Generator(random.Philox4x3210(3)), name) for _ in range(2))
    arrays = [tn.full(3001, p) for p in parameters]
    assert (many(*parameters, size=3001) == one(*arrays)).all()


def test_bounds_that_are_arrays():
    low, high = tn.asarray([[0], [-100]]), tn.asarray([5, 1000, 2**40])
    values = random.RandomState(5).randint(low, high, size=(1000, 2, 3)).get()
    assert values.shape == (1000, 2, 3)
    assert (values >= low.get()).all() and (values < high.get()).all()
    assert values[:, 0, 0].max() == 4 and values[:, 1, 0].min() < -95
    assert random.RandomState(5).randint(low, high).shape == (2, 3)


def test_errors_of_bounds():
    rng = random.default_rng(0)
    for call, text in [
        (lambda: rng.integers(5, 5), "low >= high"),
        (lambda: rng.integers(0), "low >= high"),
        (lambda: rng.integers(6, 5, endpoint=True), "low > high"),
        (lambda: rng.integers(0, 300, dtype="i1"), "high is out of bounds for int8"),
        (lambda: rng.integers(-1, 3, dtype="u4"), "low is out of bounds for uint32"),
    ]:
        with pytest.raises(ValueError, match=text):
            call()
    with pytest.raises(TypeError, match="float64"):
        rng.integers(0, 3, dtype=float)


# --- Parameters ---


def test_parameters_that_are_arrays():
    """Element by element as if drawn alone: the mean follows the parameter."""
    shape = tn.asarray([[1.0], [50.0]])
    values = random.default_rng(4).gamma(shape[:, ::-1], tn.asarray([1.0, 2.0, 3.0])[::-1], size=(20_000, 2, 3)).get()
    expected = shape.get() * np.array([3.0, 2.0, 1.0])
    assert np.allclose(values.mean(axis=0), expected, rtol=0.06)
    assert random.default_rng(4).poisson(tn.asarray([1, 2], dtype="i4")).dtype == np.int64
    assert random.default_rng(4).normal(tn.zeros((2, 1)), [1.0, 2.0, 3.0]).shape == (2, 3)
    with pytest.raises(ValueError, match="broadcast"):
        random.default_rng(4).beta(tn.ones(3), tn.ones(2))
    with pytest.raises(ValueError, match="Output size"):
        random.default_rng(4).gamma(tn.ones((2, 3)), size=3)


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda r: r.normal(0, -1), "scale < 0"),
        (lambda r: r.gamma(-1), "shape < 0"),
        (lambda r: r.beta(0, 1), "a <= 0"),
        (lambda r: r.binomial(-1, 0.5), "n < 0"),
        (lambda r: r.binomial(1, 1.5), "p < 0, p > 1 or p is NaN"),
        (lambda r: r.poisson(-1), "lam < 0 or lam is NaN"),
        (lambda r: r.poisson(float("nan")), "lam < 0 or lam is NaN"),
        (lambda r: r.poisson(1e19), "lam value too large"),
        (lambda r: r.negative_binomial(1, 1e-19), "n too large or p too small"),
        (lambda r: r.negative_binomial(1e19, 0.5), "n too large or p too small"),
        (lambda r: random.default_rng(3).hypergeometric(2**62, 2**62, 5), "less than 1000000000"),
        (lambda r: r.geometric(0), "p <= 0, p > 1 or p contains NaNs"),
        (lambda r: r.triangular(2, 1, 3), "left > mode"),
        (lambda r: r.hypergeometric(1, 1, 3), "ngood \\+ nbad < nsample"),
        (lambda r: r.zipf(1), "a <= 1 or a is NaN"),
        (lambda r: r.logseries(1), "p < 0, p >= 1 or p is NaN"),
        (lambda r: r.normal(size=-1), "negative dimensions"),
    ],
)
def test_errors_of_parameters(call, text):
    with pytest.raises(TypeError, match="NoneType"):
        random.default_rng(0).poisson(None)
    for rng in (random.default_rng(0), random.RandomState(0)):
        with pytest.raises(ValueError, match=text):
            call(rng)


@pytest.mark.parametrize(
    "name, good, bad",
    [
        ("logseries", (0.5,), (0.0,)),
        ("logseries", (0.5,), (1.0,)),
        ("exponential", (2.0,), (-1.0,)),
        ("rayleigh", (2.0,), (-1.0,)),
        ("weibull", (2.0,), (-1.0,)),
        ("power", (2.0,), (-1.0,)),
        ("triangular", (0.0, 1.0, 2.0), (0.0, 3.0, 2.0)),
        ("noncentral_chisquare", (3.0, 1.0), (-3.0, 1.0)),
        ("noncentral_f", (3.0, 5.0, 1.0), (3.0, 5.0, -1.0)),
    ],
)
def test_errors_of_array_parameters(name, good, bad):
    draw = getattr(random.RandomState(3), name)
    assert draw(*(tn.full(2, one) for one in good), size=(3, 2)).shape == (3, 2)
    with pytest.raises(ValueError, match="<|>"):
        draw(*(tn.array([right, wrong]) for right, wrong in zip(good, bad)), size=(3, 2))


@pytest.mark.parametrize("dtype", ["f2", "i8", "u4"])
def test_other_dtypes(dtype):
    for name, parameters in (("gamma", (9.0,)), ("f", (3.0, 5.0)), ("noncentral_f", (3.0, 5.0, 1.0))):
        drawn = getattr(random.RandomState(5), name)(*parameters, size=20, dtype=dtype)
        expected = getattr(random.RandomState(5), name)(*parameters, size=20).astype(dtype)
        assert drawn.dtype == np.dtype(dtype) and bool((drawn == expected).all())
    with pytest.raises(TypeError, match="Unsupported dtype"):
        random.RandomState(5).standard_gamma(2.0, 3, dtype=dtype)


def test_outputs():
    rng = random.default_rng(8)
    out = tn.empty((3, 5), "f4")
    assert rng.random(dtype="f4", out=out) is out
    assert rng.standard_gamma(2.0, (3, 5), "f4", out) is out and bool((out > 0).all())
    with pytest.raises(TypeError, match="wrong type"):
        rng.random(out=out)
    with pytest.raises(ValueError, match="size must match out.shape"):
        rng.random(4, dtype="f4", out=out)
    with pytest.raises(ValueError, match="contiguous"):
        rng.random(dtype="f4", out=out.T)
    with pytest.raises(TypeError, match="out must be an ndarray"):
        rng.random(out=np.empty(3))
    with pytest.raises(TypeError, match="float16"):
        rng.random(3, dtype="f2")
    for size, shape in ((None, ()), ((), ()), (0, (0,)), ((2, 0), (2, 0)), (3, (3,)), ((2, 3), (2, 3))):
        assert rng.random(size).shape == rng.poisson(3.0, size).shape == rng.integers(9, size=size).shape == shape


# --- Choices ---


def test_orders():
    rng = random.default_rng(21)
    order = rng.permutation(1000)
    assert sorted(order.tolist()) == list(range(1000)) and order.tolist() != list(range(1000))
    x = tn.arange(60).reshape(5, 4, 3)
    for axis in (0, 1, -1):
        moved = rng.permutation(x, axis=axis)
        assert np.array_equal(np.sort(moved.get(), axis=axis), x.get())
    y = x.copy()
    rng.shuffle(y, axis=1)
    assert np.array_equal(np.sort(y.get(), axis=1), x.get())
    each = rng.permuted(tn.arange(400).reshape(4, 100), axis=1).get()
    assert np.array_equal(np.sort(each, axis=1), np.arange(400).reshape(4, 100))
    assert len({tuple(line % 100) for line in each.tolist() for line in [np.array(line)]}) == 4
    first = [int(random.default_rng(seed).permutation(6)[0]) for seed in range(600)]
    assert ((np.bincount(first, minlength=6) - 100) ** 2 / 100).sum() < 40


def test_choices():
    rng = random.RandomState(22)
    chances = [0.1, 0.0, 0.6, 0.3]
    counts = np.bincount(rng.choice(4, 100_000, p=chances).get(), minlength=4) / 100_000
    assert np.allclose(counts, chances, atol=0.01) and counts[1] == 0
    counts = np.bincount(rng.choice(4, 100_000).get(), minlength=4) / 100_000
    assert np.allclose(counts, 0.25, atol=0.01)
    taken = rng.choice(tn.arange(100, 110), (2, 5), replace=False)
    assert sorted(taken.ravel().tolist()) == list(range(100, 110)) and taken.shape == (2, 5)
    first = np.array([int(rng.choice(3, 1, replace=False, p=[0.7, 0.2, 0.1])[0]) for _ in range(500)])
    assert abs((first == 0).mean() - 0.7) < 0.13
    assert random.default_rng(3).choice(tn.arange(6).reshape(3, 2), 4, axis=0).shape == (4, 2)
    assert rng.choice(5).shape == ()
    for call, text in [
        (lambda: rng.choice(3, 4, replace=False), "larger sample than population"),
        (lambda: rng.choice(3, 4, p=[0.5, 0.5]), "same size"),
        (lambda: rng.choice(0, 4), "a must be greater than 0"),
    ]:
        with pytest.raises(ValueError, match=text):
            call()


def test_choices_of_few_chances():
    for count in (1, 2):
        drawn = random.default_rng(3).choice(4, count, replace=False, p=[0.5, 0, 0.5, 0])
        assert set(drawn.tolist()) <= {0, 2} and len(set(drawn.tolist())) == count
    with pytest.raises(ValueError, match="Fewer non-zero entries in p than size"):
        random.default_rng(3).choice(4, 3, replace=False, p=[0.5, 0, 0.5, 0])


def test_several_dimensions():
    rng = random.default_rng(23)
    counts = rng.multinomial(100, [0.2, 0.3, 0.5], size=20_000).get()
    assert counts.shape == (20_000, 3) and (counts.sum(axis=1) == 100).all()
    assert np.allclose(counts.mean(axis=0), [20, 30, 50], atol=0.3)
    assert np.allclose(np.cov(counts.T), [[16, -6, -10], [-6, 21, -15], [-10, -15, 25]], atol=1.0)
    parts = rng.dirichlet([1.0, 2.0, 5.0], size=20_000).get()
    assert np.allclose(parts.sum(axis=1), 1) and np.allclose(parts.mean(axis=0), [1 / 8, 2 / 8, 5 / 8], atol=0.01)
    with pytest.raises(ValueError, match="sum"):
        rng.multinomial(3, [0.9, 0.9, 0.1])


@pytest.mark.parametrize("method", ["svd", "eigh", "cholesky"])
def test_normal_numbers_of_several_dimensions(method):
    rng, cov = random.default_rng(24), np.array([[2.0, -0.5, 0.1], [-0.5, 1.0, 0.3], [0.1, 0.3, 0.5]])
    values = rng.multivariate_normal([1.0, 2.0, -3.0], cov, 100_000, method=method).get()
    assert np.allclose(values.mean(axis=0), [1, 2, -3], atol=0.03) and np.allclose(np.cov(values.T), cov, atol=0.05)
    assert rng.multivariate_normal(tn.zeros(3), tn.asarray(cov), method=method, dtype="f4").dtype == np.float32
    for args, text in [(([0.0], cov), "same length"), (([[0.0]], cov), "1 dimensional"), (([0.0], [0.0]), "square")]:
        with pytest.raises(ValueError, match=text):
            rng.multivariate_normal(*args, method=method)


def test_covariance_that_is_none():
    rng, cov = random.default_rng(24), [[1.0, 2.0], [2.0, 1.0]]
    with pytest.warns(RuntimeWarning, match="not symmetric positive-semidefinite"):
        rng.multivariate_normal([0.0, 0.0], cov)
    with pytest.raises(ValueError, match="not symmetric positive-semidefinite"):
        rng.multivariate_normal([0.0, 0.0], cov, check_valid="raise")


# --- States ---


def test_states():
    for rng in (random.RandomState(5), random.default_rng(5)):
        bits = rng.bit_generator
        kept = bits.state
        first = rng.normal(size=7).tolist()
        copy = pickle.loads(pickle.dumps(bits))
        assert copy.state == bits.state
        bits.state = kept
        assert rng.normal(size=7).tolist() == first
    with pytest.raises(ValueError, match="Philox4x3210"):
        bits.state = {"bit_generator": "MT19937"}
    copy = pickle.loads(pickle.dumps(random.RandomState(5)))
    assert copy.rand(3).tolist() == random.RandomState(5).rand(3).tolist()


def test_states_of_devices():
    random.seed(6)
    first = [random.rand(3).tolist(), random.randint(0, 9, 5).tolist(), random.randn(2, dtype="f4").tolist()]
    state = random.get_random_state().get_state()
    random.seed(6)
    assert [random.rand(3).tolist(), random.randint(0, 9, 5).tolist(), random.randn(2, dtype="f4").tolist()] == first
    assert random.get_random_state().get_state() == state
    random.set_random_state(random.RandomState(6))
    assert random.rand(3).tolist() == first[0]
    with pytest.raises(TypeError, match="RandomState"):
        random.set_random_state(3)
    random.reset_states()


@pytest.mark.parametrize("seed", [None, 0, 2**200, [1, 2, 3], np.arange(5), np.int32(7), np.random.SeedSequence(3)])
def test_seeds(seed):
    a = random.RandomState(seed).rand(4).tolist()
    same = random.RandomState(seed).rand(4).tolist() == a
    assert same == (seed is not None)


def test_bad_seeds():
    with pytest.raises(ValueError, match="non-negative"):
        random.default_rng(-1)
    for seed in (1.5, "a", np.array([1.5])):
        with pytest.raises(TypeError):
            random.RandomState(seed)
    with pytest.raises(ValueError, match="BitGenerator"):
        random.Generator(3)


def test_generators_without_a_kind():
    class Own(random.BitGenerator):
        def __init__(self):
            pass

    with pytest.raises(TypeError, match="names no _kind"):
        random.Generator(Own()).random(3)


def test_threads_share_a_generator():
    rng, parts = random.default_rng(31), []

    def draw():
        parts.extend(rng.random(64).get() for _ in range(50))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    values = np.sort(np.concatenate(parts))
    assert np.array_equal(values, np.sort(random.default_rng(31).random(values.size).get()))


# --- Documents ---


def is_of_numpy(thing):
    return (getattr(thing, "__module__", None) or "").startswith("numpy")


def documented():
    for owner in (random.RandomState, random.Generator, random.Philox4x3210, random.XORWOW, random):
        for name in dir(owner):
            thing = getattr(owner, name)
            if name[0] != "_" and callable(thing) and thing is not random.BitGenerator and not is_of_numpy(thing):
                yield pytest.param(thing, id=f"{getattr(owner, '__name__', '')}.{name}")


@pytest.mark.parametrize("thing", list(documented()))
def test_examples(thing):
    tests = doctest.DocTestFinder(recurse=False).find(thing, "example", globs={})
    assert tests and tests[0].examples
    for test in tests:
        assert doctest.DocTestRunner().run(test).failed == 0


# --- Names of old ---


def test_old_names():
    """They draw what the names that took their places draw."""
    rng = random.RandomState(12)
    state = rng.get_state()
    expected = rng.random_sample(5).tolist()
    again = random.RandomState(12)
    assert again.ranf(5).tolist() == expected
    again.set_state(state)
    assert again.random_sample(5).tolist() == expected
    assert 0 <= int(rng.tomaxint()) < 2**63 and rng.tomaxint((2, 3)).shape == (2, 3)
    for draw in (rng.random_integers, random.random_integers):
        numbers = draw(2, 4, size=300)
        assert numbers.min() == 2 and numbers.max() == 4 and draw(1) == 1
    for draw in (random.random_sample, random.ranf):
        numbers = draw((2, 3))
        assert numbers.shape == (2, 3) and 0 <= float(numbers.min()) and float(numbers.max()) < 1
