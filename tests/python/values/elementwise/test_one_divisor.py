"""Integers divided by one number, and by as many."""

import numpy as np
import pytest
import tenorite as tn
from oracle import assert_same, quiet


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64"])
def test_one_divisor(dtype):
    least, largest = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    random = np.random.default_rng(3)
    powers = [1 << shift for shift in range(largest.bit_length())]
    near = {power + step for power in powers for step in (-1, 0, 1) if power + step <= largest}
    divisors = {*near, *map(int, random.integers(2, largest, 60, dtype)), largest, least}
    if least < 0:
        divisors |= {-divisor for divisor in divisors if divisor > 1} | {-1, -7}
    divisors = sorted(divisors)
    for divisor in divisors:
        ends = {0, least, largest, least + 1, divisor - 1, divisor, divisor + 1, 2 * divisor, 2 * divisor - 1}
        ends = [one for end in ends for one in (end, -end, ~end) if least <= one <= largest]
        host = np.concatenate(
            (random.integers(least, largest, 20, dtype), np.array(ends, dtype), np.arange(-9, 9).astype(dtype))
        )
        ours, one = tn.asarray(host), tn.asarray(np.array(divisor, dtype))
        with quiet():
            for step in (1, -2):
                expected = np.divmod(host[::step], np.array(divisor, dtype))
                for found, wanted in zip(tn.divmod(ours[::step], one), expected):
                    assert_same(found, wanted)
                assert_same(ours[::step] // one, expected[0])
                assert_same(ours[::step] % one, expected[1])
        ours //= one
        assert_same(ours[::step], expected[0])


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64"])
def test_many_divisors(dtype):
    host = np.arange(-60, 60).astype(dtype)
    divisors = np.roll(host, 7)
    with quiet():
        for found, wanted in zip(tn.divmod(tn.asarray(host), tn.asarray(divisors)), np.divmod(host, divisors)):
            assert_same(found, wanted)
        assert_same(tn.floor_divide.reduce(tn.asarray(host[70:])), np.floor_divide.reduce(host[70:]))


@pytest.mark.parametrize("dtype", ["i4", "i8", "u4", "u8"])
@pytest.mark.parametrize("step", [1, 2])
def test_pairs(dtype, step):
    """A divisor for each number: the ends of the dtype by each other, both signs, and zeros."""
    facts = np.iinfo(dtype)
    ends = [0, 1, 2, 7, facts.max, facts.max - 1, facts.min, facts.min + 1, facts.max // 2]
    ends += [-1, -2, -7] if facts.min else []
    a, b = (axis.ravel().repeat(step) for axis in np.meshgrid(np.array(ends, dtype), np.array(ends, dtype)))
    ours = [tn.asarray(one)[::step] for one in (a, b)]
    for name in ("floor_divide", "remainder", "divmod"):
        with np.errstate(all="ignore"):
            expected = getattr(np, name)(a[::step], b[::step])
        found = getattr(tn, name)(*ours)
        for one, other in zip(found, expected) if name == "divmod" else [(found, expected)]:
            np.testing.assert_array_equal(one.get(), other, err_msg=name)
