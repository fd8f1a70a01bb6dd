"""Calls with arguments that make no sense: an exception of a kind that says so, and the process
lives."""

import random

import numpy as np
import pytest
import tenorite as tn


class Raises:
    """Fails whatever it is asked."""

    def __index__(self):
        raise ZeroDivisionError

    __bool__ = __float__ = __len__ = __iter__ = __index__


class Liar(list):
    """A list that tells another length than it has."""

    def __len__(self):
        return 10


class Endless:
    """A sequence of sizes that no memory has."""

    def __len__(self):
        return 2

    def __getitem__(self, index):
        if index > 1:
            raise IndexError
        return 1 << 40


def arguments():
    a = tn.arange(6.0).reshape(2, 3)
    return [
        None,
        True,
        False,
        0,
        1,
        -1,
        2,
        3,
        2**42,
        2**63 - 1,
        -(2**63),
        2**64,
        10**30,
        1.5,
        np.nan,
        np.inf,
        1j,
        "",
        "x",
        "f4",
        "C",
        b"x",
        (),
        (1,),
        (0, 1),
        (2, 3),
        (1,) * 70,
        [],
        [1],
        [[1, 2], [3]],
        Liar([1]),
        Raises(),
        Endless(),
        {},
        set(),
        object(),
        int,
        tn.ndarray,
        np.ndarray,
        np.float64,
        np.dtype("f4"),
        np.dtype("M8[s]"),
        np.dtype([("a", "i4")]),
        np.array(3),
        np.ones(3),
        np.int8(3),
        np.float16(1),
        np.str_("x"),
        np.datetime64("2020"),
        slice(None),
        slice(1, 2, 0),
        slice("a"),
        ...,
        len,
        a,
        a.T,
        a[:0],
        tn.array(3),
        tn.array([True, False]),
        tn.arange(3),
        tn.arange(3, dtype="u1"),
        tn.ones(3, "c8"),
        a.flat,
        a.flags,
        a.data,
        tn.add,
        tn,
        range(3),
        memoryview(b"abc"),
        tn.cuda.Device(0),
        tn.cuda.Stream(non_blocking=True),
    ]


KEYWORDS = (
    "axis",
    "dtype",
    "out",
    "keepdims",
    "where",
    "initial",
    "order",
    "casting",
    "copy",
    "shape",
    "device",
    "mode",
    "stream",
    "subok",
    "axes",
    "ddof",
    "decimals",
    "n",
    "k",
)
# What writes files, changes the process, or makes arrays as large as it is asked.
LEFT_OUT = set(
    "show_config set_printoptions set_string_function setbufsize "
    "install_as_cupy printoptions load loadtxt genfromtxt fromfile fromregex save savez "
    "savez_compressed savetxt DataSource tri eye identity indices tril_indices triu_indices diag_indices "
    "mask_indices bartlett blackman hamming hanning kaiser vander tofile dump "
    "mdspan".split()  # CuPy's RuntimeError for shapes that kernels cannot take
)
EXPECTED = (
    TypeError,
    ValueError,
    IndexError,
    OverflowError,
    NotImplementedError,
    AttributeError,
    KeyError,
    ZeroDivisionError,
    MemoryError,
    BufferError,
    StopIteration,
    tn.linalg.LinAlgError,
)


def functions():
    for name in dir(tn):
        value = getattr(tn, name)
        if callable(value) and not isinstance(value, type) and name not in LEFT_OUT and name[0] != "_":
            yield name, lambda arrays, value=value: value
    for name in tn.linalg.__all__:
        yield f"linalg.{name}", lambda arrays, name=name: getattr(tn.linalg, name)
    for ufunc in (tn.add, tn.maximum, tn.sin, tn.divmod, tn.ldexp, tn.less, tn.logical_and):
        for method in ("reduce", "accumulate", "reduceat", "outer", "at"):
            yield f"{ufunc.__name__}.{method}", lambda arrays, u=ufunc, m=method: getattr(u, m)
    skipped = {"__class__", "__init_subclass__", "__subclasshook__", "__setattr__", "__delattr__", "__getattribute__"}
    for name in sorted(set(dir(tn.ndarray)) - skipped - LEFT_OUT):
        if callable(getattr(tn.ndarray, name)):
            yield f"a.{name}", lambda arrays, name=name: getattr(random.choice(arrays), name)


@pytest.fixture
def little_memory():
    """A limit, for sizes that some memory would have."""
    pool = tn.get_default_memory_pool()
    pool.set_limit(size=256 << 20)
    yield
    pool.set_limit(size=0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(4))
def test_calls_that_make_no_sense(little_memory, seed):
    random.seed(seed)
    calls, pool = list(functions()), arguments()
    for _ in range(4000):
        name, find = random.choice(calls)
        a = tn.arange(6.0).reshape(2, 3)
        function = find([a, a.T, tn.array(3), a[:0], tn.ones(3, "c8"), tn.broadcast_to(a, (2, 2, 3))])
        given = random.choices(pool, k=random.choice([0, 1, 1, 2, 2, 2, 3, 4, 5]))
        named = {random.choice(KEYWORDS): random.choice(pool) for _ in range(random.choice([0, 0, 0, 1, 2]))}
        try:
            function(*given, **named)
        except EXPECTED:
            pass
        except BaseException as error:
            raise AssertionError(f"{name}(*{given!r}, **{named!r})") from error
    assert tn.add(a, 1).sum() == 21
