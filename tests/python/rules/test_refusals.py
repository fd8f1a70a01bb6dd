"""What is refused says why and names a way out; what NumPy refuses is refused, and what it takes is
taken."""

import io

import numpy as np
import pytest
import tenorite as tn
from calls import compare
from oracle import assert_same
from programs import output_of

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("dtype", [">i2", ">u4", ">i8", ">f4", ">f8", ">c8", ">c16", ">f2"])
def test_other_order_of_bytes(dtype):
    """Elements that come in are swapped; no array is made in an order that it would not keep."""
    x = np.array([1, 258, 3], dtype)
    native = x.astype(x.dtype.newbyteorder("="))
    assert_same(tn.frombuffer(x.tobytes(), dtype), native)
    assert_same(tn.frombuffer(x.tobytes(), dtype, count=1, offset=x.itemsize), native[1:2])
    assert_same(tn.asarray(x), native)
    file = io.BytesIO()
    np.save(file, x)
    file.seek(0)
    assert_same(tn.load(file), native)
    a = tn.zeros(3, native.dtype)
    a[...] = x
    assert_same(a, native)
    assert tn.result_type(x.dtype, "i1") == np.result_type(native.dtype, "i1")
    for call in (
        lambda: a.view(dtype),
        lambda: tn.zeros(3, dtype),
        lambda: a.astype(dtype),
        lambda: tn.asarray(x, dtype),
        lambda: a.sum(dtype=dtype),
        lambda: tn.ndarray(3, dtype),
    ):
        with pytest.raises(TypeError, match="Unsupported dtype .*: arrays keep the machine's byte-order"):
            call()
    with pytest.raises(ValueError):
        tn.frombuffer(b"123", dtype if x.itemsize % 3 else ">i2")


def test_files_of_bfloat16():
    pytest.importorskip("ml_dtypes")
    a = tn.arange(5, dtype="bfloat16").reshape(5, 1)
    file = io.BytesIO()
    tn.save(file, a)
    file.seek(0)
    assert_same(tn.load(file), a.get())
    for save in (tn.savez, tn.savez_compressed):
        file = io.BytesIO()
        save(file, a=a, b=a.T)
        file.seek(0)
        with tn.load(file) as found:
            assert_same(found["a"], a.get())
            assert_same(found["b"], a.T.get())


def test_as_numpy_takes_them():
    """Lists, arrays of the device and scalars where NumPy takes them, and its refusals
    elsewhere."""
    x = np.arange(6.0).reshape(2, 3)
    compare(
        """
        m.tril(a > 2)
        m.triu(a > 2, 1)
        m.tril([[1, 2], [3, 4]])
        m.vander([1, 2, 3], 2)
        m.append([1, 2], [3])
        m.resize([1, 2], (2, 3))
        m.tile([1, 2], 2)
        m.tile(a, m.array([2, 1]))
        m.tile(a, m.array(2))
        m.roll(a, m.array(1))
        m.roll(a, m.array([1, 2]), (0, 1))
        m.repeat(a, 1.5)
        m.repeat(a, m.array(2), 0)
        m.repeat(a, m.array([1.5]))
        m.array_split(a, m.array(2))
        m.array_split(a, m.array([1, 2]))
        m.split(a, m.array([1.0, 2.0]))
        m.take(a, m.array([1.0]))
        m.take(a, [1.0])
        m.take(a, [])
        m.take(a, m.array([True]))
        a.take(m.array([0.0]))
        m.put(a.copy(), m.array([1.0]), 1)
        m.put(a.copy(), m.array([1], "u8"), 1)
        m.sum(a, axis=True)
        m.sum(a, axis=(True,))
        m.cumsum(a, axis=True)
        m.take(a, 0, axis=True)
        m.repeat(a, 2, axis=True)
        m.transpose(a, (True, False))
        m.zeros((True, 2))
        m.zeros(3, a)
        m.zeros(3, dtype=a)
        m.around(a, 1.5)
        m.ndim([a, a])
        m.shape([a, a])
        m.size([a, a])
        m.size([a, a], 1)
        m.iscomplexobj([a, a])
        m.isrealobj([a, a * 1j])
        m.gradient(a > 2)
        m.choose(a > 2, [a, -a])
        m.choose(m.array([1, 0]), [[1, 2], [3, 4]])
        m.choose(a, [a, -a])
        m.select([a > 2, a > 1], [[[1, 2, 3]], a])
        m.select([[True, False]], [[1, 2]], 3)
        m.trapezoid(a, m.arange(12.0).reshape(2, 2, 3) ** 2)
        m.trapezoid(a[0], a)
        m.squeeze(m.array(1), 0)
        m.squeeze(m.array(1), -1)
        m.squeeze(m.array(1), 1)
        a.swapaxes(0, 5)
        """,
        x,
        layouts=("contiguous", "fortran"),
    )


def test_place_of_lists():
    for mask, values in (
        ([True, False, True], [1, 2]),
        (np.array([True, True, False]), np.arange(1.0)),
        ([0, 0, 1], 5),
    ):
        a, x = tn.zeros(3), np.zeros(3)
        tn.place(a, mask, values)
        np.place(x, mask, values)
        assert_same(a, x)


@pytest.mark.parametrize("name", ["fft", "rfft", "fft2", "ifftn", "irfft2", "hfft"])
def test_messages_name_the_function_that_was_called(name):
    with pytest.raises(TypeError, match=rf"argument 'a' of {name}\(\)"):
        getattr(tn.fft, name)(np.ones((2, 2)))


def test_messages_name_function_argument_and_way_out():
    a = tn.ones(3)
    for call, kind, words in [
        (
            lambda: tn.add(a, [1, 2, 3]),
            TypeError,
            "<class 'list'> for argument 'x2' of add(): data of the host comes to the device with tenorite.asarray(x)",
        ),
        (lambda: tn.sin([1]), TypeError, "<class 'list'> for argument 'x' of sin(): "),
        (lambda: tn.sum([1, 2]), TypeError, "<class 'list'> for argument 'a' of sum(): "),
        (lambda: tn.take(np.ones(2), 0), TypeError, "<class 'numpy.ndarray'> for argument 'a' of take(): "),
        (lambda: tn.flip([1]), TypeError, "<class 'list'> for argument 'm' of flip(): "),
        (lambda: tn.where([True], 1, 2), TypeError, "<class 'list'> for argument 'condition' of where(): "),
        (
            lambda: tn.sum(k for k in range(3)),
            TypeError,
            "<class 'generator'> for argument 'a' of sum(): tenorite.fromiter(x, dtype)",
        ),
        (lambda: tn.add(a, {1, 2}), TypeError, "a set has no order; tenorite.asarray(sorted(x))"),
        (lambda: tn.add(a, None), TypeError, "None is no array and no number"),
        (lambda: tn.add(a, "abc"), TypeError, "a text is no number"),
        (lambda: tn.add(a, {1: 2}), TypeError, "tenorite.asarray(list(x.values()))"),
        (lambda: tn.add(a, abs), TypeError, "call it first"),
        (lambda: tn.asarray({1, 2}), TypeError, "for argument 'a' of asarray(): a set has no order"),
        (lambda: tn.asarray(None), TypeError, "for argument 'a' of asarray(): None is no array"),
        (lambda: tn.asarray("abc"), TypeError, "for argument 'a' of asarray(): a text is no number"),
        (lambda: tn.asarray(k for k in range(3)), TypeError, "tenorite.fromiter(x, dtype)"),
        (lambda: tn.full(3, None), TypeError, "for argument 'fill_value' of full(): None is no array"),
        (lambda: tn.asarray([None]), TypeError, "Unsupported dtype object: elements are bools"),
        (lambda: tn.asarray(2**64), OverflowError, "uint64 at 2**64 - 1; float(x) is the nearest float64"),
        (lambda: a + [1, 2, 3], TypeError, "Unsupported type <class 'list'>: data of the host"),
        (lambda: a.swapaxes(0, 5), np.exceptions.AxisError, "axis2: axis 5 is out of bounds for array of dimension 1"),
        (lambda: a.set(np.ones(4)), ValueError, "the host array's shape does not match the array's: (4,) is not (3,)"),
        (lambda: tn.copyto(a, {1}), TypeError, "a set has no order"),
        (lambda: tn.copyto(a, {1}, where=a > 0), TypeError, "for argument 'src' of copyto()"),
    ]:
        with pytest.raises(kind) as caught:
            call()
        assert words in str(caught.value)
    assert a.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    "variable, value, allowed",
    [
        ("TENORITE_BACKEND", "hots", "'host' and 'cuda' are allowed"),
        ("TENORITE_HOST_DEVICES", "abc", "1 to 64 are allowed"),
        ("TENORITE_HOST_DEVICES", "0", "1 to 64 are allowed"),
        ("TENORITE_HOST_DEVICES", "65", "1 to 64 are allowed"),
        ("TENORITE_HOST_DEVICES", "2x", "1 to 64 are allowed"),
    ],
)
def test_variables_of_the_environment(variable, value, allowed):
    """The first use says what is wrong; the import alone does not look."""
    program = "import tenorite as tn\nfor _ in range(2):\n    try: tn.zeros(2)\n    except ValueError as e: print(e)\n"
    variables = {"TENORITE_BACKEND": "host", variable: value}
    printed = output_of(program, variables=variables).splitlines()
    assert len(printed) == 2 and printed[0] == printed[1]
    assert printed[0].startswith(f"{variable}={value} is no ") and printed[0].endswith(allowed)


def test_help():
    import pydoc

    for one in (tn.sin, tn.sin.reduce, tn.ufunc, tn.ndarray, tn.sum):
        assert pydoc.render_doc(one)
    assert tn.sin.__module__ == tn.ufunc.__module__ == "tenorite"
    assert "tenorite - Tenorite" in pydoc.plain(pydoc.render_doc(tn))


def test_profilers_of_the_host():
    if tn.cuda.Device().backend != "host":
        pytest.skip("the host alone has nothing to watch")
    with tn.cuda.profile():
        tn.cuda.profiler.start()
        tn.cuda.profiler.stop()
    assert not hasattr(tn.cuda.Device(0), "pci_bus_id")


@pytest.mark.parametrize(
    "make",
    [
        lambda: tn.array(np.array([1], object)),
        lambda: tn.zeros(2, ">i4"),
        lambda: tn.empty(2, "V"),
        lambda: tn.zeros(2, "3i4"),
    ],
)
def test_a_refused_dtype_is_numpys_error_and_cupys(make):
    for kind in (TypeError, ValueError):
        with pytest.raises(kind, match="Unsupported dtype"):
            make()
