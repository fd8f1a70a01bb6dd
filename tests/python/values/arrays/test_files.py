"""Files: what NumPy reads and writes, from and to the device."""

import io
import pickle

import numpy as np
import pytest
import tenorite as tn
from generator import DTYPES, LAYOUTS, both, grid
from oracle import assert_same

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("dtype", DTYPES)
def test_npy(dtype, tmp_path):
    for layout in LAYOUTS:
        x, a = both(grid(dtype), layout)
        tn.save(tmp_path / "a.npy", a)
        assert_same(tn.load(tmp_path / "a.npy"), x)
        assert np.array_equal(np.load(tmp_path / "a.npy"), x, equal_nan=x.dtype.kind in "fc")


@pytest.mark.parametrize("function", ["savez", "savez_compressed"])
def test_npz(function):
    x = grid("float32")
    file = io.BytesIO()
    getattr(tn, function)(file, tn.array(x), name=tn.arange(3), host=np.ones(2))
    file.seek(0)
    with tn.load(file) as found:
        assert sorted(found) == ["arr_0", "host", "name"] and len(found) == 3 and "name" in found
        assert sorted(found.files) == sorted(found.keys()) == ["arr_0", "host", "name"] and "bogus" not in found
        assert {name: one.shape for name, one in found.items()} == {"arr_0": x.shape, "host": (2,), "name": (3,)}
        assert all(isinstance(one, tn.ndarray) for one in found.values()) and found.get("bogus") is None
        assert_same(found["arr_0"], x)
        assert_same(found["host"], np.ones(2))
        with pytest.raises(KeyError):
            found["bogus"]
        assert_same(found.f.host, np.ones(2))
        assert dir(found.f) == sorted(found.files) and found.zip is not None
        with pytest.raises(AttributeError):
            found.f.bogus
    assert found.zip is None and found.fid is None


def test_pickles_are_refused():
    """A file's pickle is run only where the program allows it."""
    file = io.BytesIO()
    np.save(file, np.array([None]), allow_pickle=True)
    file.seek(0)
    with pytest.raises(ValueError, match="allow_pickle"):
        tn.load(file)
    with pytest.raises(FileNotFoundError):
        tn.load("/nonexistent/file.npy")


def test_text(tmp_path):
    x = np.arange(6.0).reshape(2, 3)
    tn.savetxt(tmp_path / "a.txt", tn.array(x), fmt="%.3f")
    assert_same(tn.loadtxt(tmp_path / "a.txt"), x)
    assert_same(tn.genfromtxt(io.StringIO("1,2\n3,\n"), delimiter=","), np.array([[1, 2], [3, np.nan]]))
    assert_same(tn.fromstring("1 2 3", dtype=int, sep=" "), np.array([1, 2, 3]))
    assert_same(tn.fromiter((k * k for k in range(4)), dtype="i4"), np.array([0, 1, 4, 9], "i4"))
    with pytest.raises(TypeError):
        tn.loadtxt(io.StringIO("a b"), dtype=str)


@pytest.mark.parametrize("dtype", DTYPES)
def test_bytes(dtype, tmp_path):
    x, a = both(grid(dtype), "fortran")
    a.tofile(tmp_path / "raw")
    assert_same(tn.fromfile(tmp_path / "raw", dtype=dtype), x.ravel())
    a.dump(tmp_path / "pickle")
    assert_same(pickle.loads((tmp_path / "pickle").read_bytes()), x)
    assert_same(pickle.loads(a.dumps()), x)
    file = io.BytesIO()
    a.dump(file)
    assert_same(pickle.loads(file.getvalue()), x)
