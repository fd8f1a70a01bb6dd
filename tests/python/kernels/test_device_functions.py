"""CUDA's functions and intrinsics that no system has, in kernels of programs."""

import numpy
import pytest
import tenorite

X = 0.3
MATHS = {
    "erfcx(x)": 0.7345993346,
    "erfinv(x)": 0.2724627147,
    "erfcinv(x)": 0.7328690780,
    "normcdfinv(x)": -0.5244005127,
    "normcdf(x)": 0.6179114222,
    "rhypot(x, 0.4)": 2,
    "norm4d(x, 0.4, 1.2, 0)": 1.3,
    "rnorm3d(x, 0.4, 1.2)": 1 / 1.3,
    "rnorm4d(x, 0.4, 1.2, 0)": 1 / 1.3,
    "scalbn(x, 3)": 2.4,
    "(double)lround(2.5)": 3,
    "(double)llround(-2.5)": -3,
    "erfinv(1.0)": numpy.inf,
    "erfcinv(2.0)": -numpy.inf,
    "erfinv(1.5)": numpy.nan,
    "erfcx(-30.0)": numpy.inf,
    "(double)erfinv((float)x)": 0.2724627147,
    "(double)normcdfinvf(0.5f)": 0,
    "(double)jnf(0, 0.0f)": 1,
    "(double)normf(2, pair)": 5,
    "(double)rnormf(2, pair)": 0.2,
    '(double)nan("")': numpy.nan,
}
INTEGERS = {
    "__hadd(-3, 0)": -2,
    "__rhadd(-3, 0)": -1,
    "__uhadd(4294967295u, 1u)": 2**31,
    "__urhadd(2u, 3u)": 3,
    "__sad(-2, 5, 10u)": 17,
    "__usad(5u, 2u, 10u)": 13,
    "__dp4a(0x01ff0203, 0x02020202, 1)": 11,
    "__dp4a(0x01ff0203u, 0x02020202u, 1u)": 523,
    "umin(1u, 2u)": 1,
    "llmax(-1ll, -2ll)": -1,
    "__funnelshift_lc(5u, 7u, 40u)": 5,
    "__funnelshift_rc(5u, 7u, 40u)": 7,
    "__ldcg(numbers)": 11,
}


def run(type, expressions, dtype):
    lines = "".join(f"out[{k}] = {one};\n" for k, one in enumerate(expressions))
    text = f"""
    #ifdef __TENORITE_HOST__ // NVRTC knows no header of the system
    #include <math.h>
    #endif
    extern "C" __global__ void device_functions({type} *out, double x, const int *numbers, const float *pair) {{
    {lines} __stcg(&out[{len(expressions)}], ({type})1); }}"""
    out = tenorite.zeros(len(expressions) + 1, dtype)
    arguments = (out, X, tenorite.asarray([11], "i4"), tenorite.asarray([3, 4], "f4"))
    tenorite.RawKernel(text, "device_functions")((1,), (1,), arguments)
    assert out[-1] == 1
    return out[:-1].get()


def test_mathematical_functions():
    numpy.testing.assert_allclose(run("double", MATHS, "f8"), list(MATHS.values()), rtol=1e-6)


def test_intrinsics_of_integers():
    assert run("long long", INTEGERS, "i8").tolist() == list(INTEGERS.values())


@pytest.mark.parametrize("text", ["int32 n", "raw int32 n"])
def test_a_parameter_of_the_name_n(text):
    """n is the number of elements unless a parameter has the name."""
    kernel = tenorite.ElementwiseKernel(
        f"int64 x, {text}", "int64 y", f"y = x + {'n[0]' if 'raw' in text else 'n'}", "of_n"
    )
    n = tenorite.asarray([40], "i4") if "raw" in text else 40
    assert kernel(tenorite.arange(3), n).tolist() == [40, 41, 42]
    assert tenorite.ElementwiseKernel("int64 x", "int64 y", "y = x + n", "all")(tenorite.arange(3)).tolist() == [
        3,
        4,
        5,
    ]
