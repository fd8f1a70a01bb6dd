"""var, std, nanvar and nanstd about a mean that the caller gives."""

import numpy as np
import pytest
import tenorite as tn
from oracle import assert_same, quiet

HOSTS = [
    np.arange(12.0).reshape(3, 4),
    np.arange(12).reshape(3, 4),
    np.arange(12).reshape(3, 4) * (1 - 2j),
    np.linspace(-1, 3, 24, dtype="f4").reshape(2, 3, 4),
    np.array([[1.0, np.nan, 3.0], [4.0, 5.0, 9.0]]),
]


@pytest.mark.parametrize("name", ["var", "std", "nanvar", "nanstd"])
@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1)])
def test_given_mean(name, host, axis):
    average = np.nanmean(host, axis=axis, keepdims=True)
    for options in ({}, {"ddof": 1}, {"correction": 1}, {"keepdims": True}):
        with quiet():
            expected = getattr(np, name)(host, axis=axis, mean=average, **options)
        given = getattr(tn, name)(tn.asarray(host), axis=axis, mean=tn.asarray(average), **options)
        assert_same(given, expected, ulp=8)


def test_where_out_and_dtype():
    host = np.arange(12.0).reshape(3, 4)
    mask = host % 3 > 0
    average = host.mean(axis=0, where=mask, keepdims=True)
    a, known = tn.asarray(host), tn.asarray(average)
    expected = host.var(axis=0, mean=average, where=mask)
    assert_same(a.var(axis=0, mean=known, where=tn.asarray(mask)), expected, ulp=8)
    out = tn.empty(4)
    assert a.var(axis=0, mean=known, where=tn.asarray(mask), out=out) is out
    assert_same(out, expected, ulp=8)
    assert_same(a.std(axis=0, mean=known, dtype="f4"), host.std(axis=0, mean=average, dtype="f4"), ulp=8)
    assert a.var(mean=None).item() == host.var()


def test_about_any_number():
    """The mean need not be one."""
    assert_same(tn.arange(4.0).var(mean=tn.asarray(5.0)), np.arange(4.0).var(mean=np.float64(5.0)), ulp=8)
    with pytest.raises(ValueError, match="ddof and correction"):
        tn.arange(4.0).var(mean=tn.asarray(5.0), ddof=1, correction=2)
