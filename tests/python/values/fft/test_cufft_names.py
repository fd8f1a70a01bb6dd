"""tenorite.cuda.cufft: plans as objects, handles, errors; and plans that are in force, as CuPy has
them."""

import doctest
import importlib
import pickle
import threading

import numpy as np
import pytest
import tenorite as tn
from tenorite.cuda import cufft
from tenorite.scipy import fft, fftpack

RNG = np.random.default_rng(7)
TYPES = {"C2C": ("F", "D"), "R2C": ("f", "d"), "C2R": ("F", "D")}
TYPES = [(value_type, char) for value_type, chars in TYPES.items() for char in chars]
BY_NUMPY = {"C2C": np.fft.fftn, "R2C": np.fft.rfftn, "C2R": np.fft.irfftn}


def values(shape, char):
    data = RNG.standard_normal(shape)
    return (data + 1j * RNG.standard_normal(shape) if char in "FD" else data).astype(char)


@pytest.mark.parametrize("value_type, char", TYPES)
@pytest.mark.parametrize("shape, axes", [((5, 8), 1), ((4, 6, 8), (1, 2)), ((4, 6, 8), (0, 1, 2)), ((3, 4, 6), (0, 1))])
@pytest.mark.parametrize("order", "CF")
def test_plans(value_type, char, shape, axes, order):
    """Plans compute without a factor what NumPy computes."""
    if order == "F" and (value_type != "C2C" or axes == 1):
        pytest.skip("the halved axis lies first in memory")
    data = values(shape, char)
    a = tn.array(np.asarray(data, order=order), order=order)
    plan = fft.get_fft_plan(a, axes=axes, value_type=value_type)
    assert isinstance(plan, cufft.Plan1d if axes == 1 else cufft.PlanNd)
    several = (axes,) if axes == 1 else axes
    out = plan.get_output_array(a) if axes == 1 else plan.get_output_array(a, order)
    plan.check_output_array(a, out)
    plan.fft(a, out, cufft.CUFFT_FORWARD)
    norm = "forward" if value_type == "C2R" else None
    wanted = BY_NUMPY[value_type](data, axes=several, norm=norm)
    assert out.shape == wanted.shape and np.allclose(out.get(), wanted, rtol=1e-4, atol=1e-3)
    if value_type == "C2C":
        plan.fft(out, out, cufft.CUFFT_INVERSE)
        count = np.prod([shape[axis] for axis in several])
        assert np.allclose(out.get() / count, data, rtol=1e-4, atol=1e-4)


def test_layouts():
    """Lines that lie apart, beside each other, and in larger arrays."""
    data = values((6, 4), "D")
    a, out = tn.array(data), tn.empty((6, 4), "D")
    cufft.PlanNd((6,), (6,), 4, 1, (6,), 4, 1, cufft.CUFFT_Z2Z, 4, "C", 0, None).fft(a, out, -1)
    assert np.allclose(out.get(), np.fft.fft(data, axis=0))
    inner = tn.zeros((2, 3), "D")
    cufft.PlanNd((2, 3), (6, 4), 1, 24, (2, 3), 1, 6, cufft.CUFFT_Z2Z, 1, "C", 1, None).fft(a, inner, -1)
    assert np.allclose(inner.get(), np.fft.fft2(data[:2, :3]))
    with pytest.raises(ValueError, match="fewer elements"):
        cufft.PlanNd((2, 3), (6, 40), 1, 24, (2, 3), 1, 6, cufft.CUFFT_Z2Z, 1, "C", 1, None).fft(a, inner, -1)


def test_in_force():
    a = tn.array(values((4, 8), "F"))
    plan = fft.get_fft_plan(a, axes=1)
    assert cufft.get_current_plan() is None
    seen = []
    with plan:
        assert cufft.get_current_plan() is plan
        thread = threading.Thread(target=lambda: seen.append(cufft.get_current_plan()))
        thread.start()
        thread.join()
        wanted = np.fft.fft(a.get())
        for transform in (tn.fft.fft, fft.fft, fftpack.fft):
            assert np.allclose(transform(a).get(), wanted, atol=1e-4)
        with fft.get_fft_plan(a) as other:
            assert cufft.get_current_plan() is other
            tn.fft.fft2(a)
        for wrong in (
            lambda: tn.fft.fft(a, 5),
            lambda: tn.fft.fft(a, axis=0),
            lambda: tn.fft.rfft(a.real),
            lambda: tn.fft.fft2(a),
            lambda: tn.fft.fft(a.astype("D")),
            lambda: fft.fft(a[:2]),
        ):
            with pytest.raises(ValueError, match="does not match the plan"):
                wrong()
        with pytest.raises(RuntimeError, match="context manager or as an explicit argument"):
            fft.fft(a, plan=plan)
    assert seen == [None] and cufft.get_current_plan() is None
    with pytest.raises(ValueError, match="expected plan"):
        fft.fft(a, plan="plan")


@pytest.mark.parametrize(
    "name, chars", [("C2C", "FF"), ("Z2Z", "DD"), ("R2C", "fF"), ("D2Z", "dD"), ("C2R", "Ff"), ("Z2D", "Dd")]
)
def test_handles(name, chars):
    data = values((3, 8 if chars[0] in "fd" or chars[1] in "FD" else 5), chars[0])
    a = tn.array(data)
    plan = cufft.Plan1d(8, getattr(cufft, "CUFFT_" + name), 3)
    out = plan.get_output_array(a)
    direction = (cufft.CUFFT_FORWARD,) if name in ("C2C", "Z2Z") else ()
    getattr(cufft, "exec" + name)(plan.handle, a.data.ptr, out.data.ptr, *direction)
    wanted = out.get()
    plan.fft(a, out, cufft.CUFFT_FORWARD)
    assert np.array_equal(out.get(), wanted) and np.any(wanted)
    layout = (plan.shape if hasattr(plan, "shape") else (8,), None, 1, 1)
    xt = cufft.XtPlanNd(
        *layout,
        chars[0],
        None,
        1,
        1,
        chars[1],
        3,
        "F" if name.endswith(("C", "R")) else "D",
        order="C",
        last_axis=1,
        last_size=out.shape[1],
    )
    other = xt.get_output_array(a)
    cufft.XtExec(xt.handle, a.data.ptr, other.data.ptr, cufft.CUFFT_FORWARD)
    assert np.array_equal(other.get(), wanted)


def test_refused():
    a, out = tn.ones(8, "F"), tn.ones(8, "F")
    plan = cufft.Plan1d(8, cufft.CUFFT_C2C, 1)
    for wrong in (
        lambda: plan.fft(a.astype("D"), out, 1),
        lambda: plan.fft(a[:4], out, 1),
        lambda: plan.fft(a[::2], out, 1),
        lambda: plan.fft(a, out, 0),
        lambda: cufft.Plan1d(0, cufft.CUFFT_C2C, 1),
        lambda: cufft.Plan1d(8, 7, 1),
        lambda: cufft.Plan1d(8, cufft.CUFFT_C2C, 0),
        lambda: plan.check_output_array(a, tn.ones(9, "F")),
        lambda: plan.check_output_array(a, tn.ones(8, "D")),
        lambda: fft.get_fft_plan(tn.ones((2, 3, 4), "F"), axes=(0, 2)),
        lambda: fft.get_fft_plan(tn.ones((2, 3, 4)), axes=(1, 0), value_type="R2C"),
    ):
        with pytest.raises(ValueError):
            wrong()
    for wrong in (
        lambda: cufft.setAutoAllocation(1, True),
        lambda: cufft.XtPlanNd((8,), None, 1, 1, "e", None, 1, 1, "e", 1, "e", order="C", last_axis=0, last_size=8),
    ):
        with pytest.raises(NotImplementedError):
            wrong()
    for wrong in (lambda: cufft.execC2C(cufft.create(), 0, 0, 1), lambda: cufft.check_result(1)):
        with pytest.raises(cufft.CuFFTError, match="CUFFT_INVALID_PLAN") as caught:
            wrong()
        again = pickle.loads(pickle.dumps(caught.value))
        assert again.result == 1 and isinstance(again, RuntimeError)


def test_names():
    """CuPy's names, beside modules and numbers of them."""
    names = """CUFFT_CB_LD_COMPLEX CUFFT_CB_LD_COMPLEX_DOUBLE CUFFT_CB_LD_REAL CUFFT_CB_LD_REAL_DOUBLE
    CUFFT_CB_ST_COMPLEX CUFFT_CB_ST_COMPLEX_DOUBLE CUFFT_CB_ST_REAL CUFFT_CB_ST_REAL_DOUBLE""".split()
    assert [getattr(cufft, name) for name in names] == list(range(8))
    assert set(cufft.__all__) <= set(dir(cufft))


@pytest.mark.parametrize("module", ["tenorite.cuda.cufft", "tenorite.fft._plans"])
def test_examples(module):
    result = doctest.testmod(importlib.import_module(module), optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    assert result.failed == 0 and result.attempted > 0
