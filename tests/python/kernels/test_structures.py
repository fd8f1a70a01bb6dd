"""Structures in kernels of programs: elements of reductions, and values of RawKernel."""

import numpy as np
import pytest
import tenorite as tn

PAIR = np.dtype([("x", "f4"), ("n", "i4")])
TRIPLE = np.dtype([("a", "i1"), ("b", "f8"), ("c", "i2")], align=True)


def pairs(*shape):
    host = np.zeros(shape, PAIR)
    host["x"] = np.arange(host.size).reshape(shape) % 13
    host["n"] = np.arange(host.size).reshape(shape) % 7
    return host


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("shape", [(3, 4), (200, 70), (1, 5)])
def test_reduction_of_a_field(shape, axis):
    kernel = tn.ReductionKernel("T p", "int64 y", "p.n", "a + b", "y = a", "0", "sum_of_field")
    host = pairs(*shape)
    for view in (np.s_[:], np.s_[::-1], np.s_[:, ::2]):
        found = kernel(tn.array(host)[view], axis=axis)
        assert (found.get() == host[view]["n"].sum(axis=axis)).all()


def test_reduction_to_a_structure():
    kernel = tn.ReductionKernel("T p", "T y", "p", "a.x < b.x ? b : a", "y = a", None, "largest")
    host = pairs(50, 40)
    host["x"] += np.random.default_rng(3).random((50, 40), "f4")
    found = kernel(tn.array(host), axis=1)
    assert found.dtype == PAIR
    assert (found.get() == np.take_along_axis(host, host["x"].argmax(axis=1)[:, None], 1)[:, 0]).all()
    whole = kernel(tn.array(host)).get()
    assert whole == host.ravel()[host["x"].argmax()]


def test_fields_by_number():
    """``T::field_count`` and ``x.at<0>()``, as in CuPy; what C++ has no type of has no at()."""
    kernel = tn.ElementwiseKernel(
        "T in",
        "T out",
        "static_assert(T::field_count == 2); out.at<1>() = 2 - in.at<1>(); out.x = in.at<0>()",
        "by_number",
    )
    found, host = kernel(tn.array(pairs(3, 5))).get(), pairs(3, 5)
    assert (found["x"] == host["x"]).all() and (found["n"] == 2 - host["n"]).all()
    dtype = np.dtype([("z", "c8"), ("row", "i2", (3,)), ("day", "M8[D]"), ("half", "f2")], align=True)
    host = np.zeros(4, dtype)
    host["row"], host["day"] = np.arange(12).reshape(4, 3), np.arange(4)
    sums = tn.ElementwiseKernel("T in", "int64 y", "y = in.at<1>()[2] + in.at<2>() + 100 * T::field_count", "of_rows")
    assert (sums(tn.array(host)).get() == host["row"][:, 2] + np.arange(4) + 400).all()
    for program in ("y = in.at<3>()", "y = in.at<4>()"):
        with pytest.raises(tn.exceptions.CompileException):
            tn.ElementwiseKernel("T in", "int64 y", program, "none")(tn.array(host))


def test_fields_that_share_bytes_have_no_type():
    shared = np.dtype({"names": ["a", "b"], "formats": ["i4", "i2"], "offsets": [0, 2], "itemsize": 4})
    kernel = tn.ReductionKernel("T p", "int64 y", "p.a", "a + b", "y = a", "0", "shared")
    for _ in range(2):
        with pytest.raises(TypeError, match="have no C type"):
            kernel(tn.zeros(3, shared))


@pytest.mark.parametrize("dtype", [PAIR, TRIPLE, np.dtype([("x", "f4", (2, 3)), ("n", "u1")])])
def test_structures_by_value(dtype):
    """Their bytes come to the kernel as they lie; NumPy copies no bytes between fields."""
    code = f"""
    struct Given {{ unsigned char bytes[{dtype.itemsize}]; }};
    extern "C" __global__ void copy(unsigned char *to, Given given, int times) {{
        for (int k = threadIdx.x; k < {dtype.itemsize}; k += blockDim.x) to[k] = given.bytes[k] * times;
    }}"""
    kernel = tn.RawKernel(code, "copy")
    host = np.frombuffer(np.arange(3 * dtype.itemsize, dtype="u1").tobytes(), dtype)
    for given in (host[1], host[1:2], np.array(host[1], dtype)):
        to = tn.zeros(dtype.itemsize, "u1")
        kernel((1,), (32,), (to, given, np.int32(1)))
        assert to.get().view(dtype)[0] == host[1]


def test_fields_of_a_structure_by_value():
    kernel = tn.RawKernel(
        """
        struct Triple { signed char a; double b; short c; };
        extern "C" __global__ void f(double *to, double before, Triple t, float after) {
            to[0] = before; to[1] = t.a; to[2] = t.b; to[3] = t.c; to[4] = after;
        }""",
        "f",
    )
    to = tn.zeros(5)
    kernel((1,), (1,), (to, 0.5, np.array((-3, 2.25, 700), TRIPLE)[()], np.float32(4.5)))
    assert to.get().tolist() == [0.5, -3, 2.25, 700, 4.5]


def test_dates_and_arrays_of_structures():
    kernel = tn.RawKernel(
        """
        struct Pair { float x; int n; };
        extern "C" __global__ void g(Pair *to, long long date, Pair one) {
            to[threadIdx.x].x += one.x; to[threadIdx.x].n = (int)date;
        }""",
        "g",
    )
    to = tn.array(pairs(4))
    kernel((1,), (4,), (to, np.datetime64(77, "s"), np.array((0.5, 9), PAIR)[()]))
    assert to.get().tolist() == [(k + 0.5, 77) for k in range(4)]


def test_values_that_are_no_structure_of_one_element():
    kernel = tn.RawKernel('extern "C" __global__ void h(int *to, int given) {}', "h")
    for given in (pairs(2), "text", object()):
        with pytest.raises(TypeError):
            kernel((1,), (1,), (tn.zeros(1, "i4"), given))


POINT = np.dtype([("a", "i1"), ("b", "f8"), ("c", "i2"), ("d", "f4", (5,))])


@pytest.mark.parametrize("dtype", [PAIR, TRIPLE, POINT, POINT.newbyteorder(), np.dtype("V24")])
def test_values_of_element_wise_kernels(dtype):
    """Structures of NumPy's go by value, as numbers do, also for a parameter that is raw."""
    host = np.frombuffer(np.arange(3 * dtype.itemsize, dtype="u1").tobytes(), dtype)
    native = host.astype(dtype.newbyteorder("="))
    copy = tn.ElementwiseKernel("T given, int32 x", "T y", "y = given", "copy_given")
    raw = tn.ElementwiseKernel("raw T given, int32 x", "T y", "y = given", "copy_raw")
    for given in (host[1], np.array(host[1], dtype)):
        for kernel in (copy, raw):
            found = kernel(given, tn.arange(5, dtype="i4"))
            assert found.dtype == native.dtype and found.shape == (5,)
            assert all(str(one) == str(native[1]) for one in found.get())  # no gaps


def test_fields_and_dates_of_element_wise_kernels():
    kernel = tn.ElementwiseKernel("P p, D from, D to, float64 x", "float64 y", "y = p.x * x + p.n + (to - from)")
    p, days = np.array((0.5, 7), PAIR)[()], np.array(["2026-11-20", "2026-11-26"], "M8[D]")
    assert kernel(p, days[0], days[1], tn.arange(3.0)).get().tolist() == [13, 13.5, 14]
    dates = tn.array(days)
    assert kernel(p, days[0], dates, tn.zeros(2)).get().tolist() == [7, 13]
    with pytest.raises(TypeError, match="parameter to is"):
        kernel(p, days[0], np.datetime64(3, "s"), tn.zeros(2))
    number = tn.ElementwiseKernel("float64 given, float64 x", "float64 y", "y = x")
    for given in (p, days[0]):
        with pytest.raises(TypeError, match="parameter given is"):
            number(given, tn.zeros(2))
    with pytest.raises(TypeError):
        kernel(np.array([p, p]), days[0], days[1], tn.zeros(2))  # more than one
    with pytest.raises(TypeError, match="have no C type"):
        shared = np.dtype({"names": ["a", "b"], "formats": ["i4", "i2"], "offsets": [0, 2], "itemsize": 4})
        kernel(np.zeros((), shared), days[0], days[1], tn.zeros(2))


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_values_of_reductions(axis):
    kernel = tn.ReductionKernel("P p, float64 x", "float64 y", "x * p.x + p.n", "a + b", "y = a", "0", "weighted")
    host = np.arange(70 * 90.0).reshape(70, 90)
    for p in (np.array((0.5, 7), PAIR)[()], np.array((2, -1), PAIR)):
        found = kernel(p, tn.array(host), axis=axis)
        assert (found.get() == (host * p["x"] + p["n"]).sum(axis=axis)).all()
    many = tn.ReductionKernel("T p, int64 x", "int64 y", "p.a + p.c + x", "a + b", "y = a", "0", "of_many")
    value = np.zeros((), POINT)
    value["a"], value["c"] = 3, -5
    assert many(value, tn.arange(10)) == 25
