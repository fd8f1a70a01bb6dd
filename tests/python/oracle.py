"""NumPy as the oracle: the same call on both, and a comparison of everything that can be seen.

Values are compared in units in the last place. NaN equals NaN; the sign of zeros counts unless the
caller says otherwise. Exceptions must be of the same kind: one's class is a base of the other's.

A GPU reports some mistakes (an index out of bounds) at the next call that waits for it. So a test
that expects an exception waits within what would catch it: see settle().
"""

import contextlib
import time
import warnings

import numpy as np
import tenorite as tn

_UNSIGNED = {2: np.uint16, 4: np.uint32, 8: np.uint64}


def to_host(value):
    """Our arrays as NumPy's, in tuples and lists too; anything else as it is."""
    if isinstance(value, tn.ndarray):
        return value.get()
    if isinstance(value, (tuple, list)):
        return type(value)(to_host(one) for one in value)
    return value


def to_ours(value):
    """NumPy's arrays as ours, in tuples too; anything else as it is."""
    if isinstance(value, tuple):
        return tuple(to_ours(one) for one in value)
    return tn.array(value) if isinstance(value, np.ndarray) else value


def _ordered(values):
    """Floats as integers whose distance counts the floats between them."""
    bits = values.view(f"i{values.dtype.itemsize}").astype(np.int64)
    top = np.int64(1) << (8 * values.dtype.itemsize - 1) if values.dtype.itemsize < 8 else None
    if top is None:
        return np.where(bits < 0, np.int64(-(2**63)) - bits, bits)
    return np.where(bits < 0, -top - bits, bits)


def ulp_distance(a, b):
    """How many floats lie between a and b, element by element; 0 for two NaN, huge for one."""
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    both, one = np.isnan(a) & np.isnan(b), np.isnan(a) ^ np.isnan(b)
    first, second = _ordered(a), _ordered(b)
    low, high = np.minimum(first, second), np.maximum(first, second)
    distance = high.astype(np.uint64) - low.astype(np.uint64)  # wraps to the right number
    distance[both] = 0
    distance[one] = np.iinfo(np.uint64).max
    return distance


def _units(a, b, least):
    """The error of floats in units in the last place of b, or of `least` where b is smaller."""
    with np.errstate(all="ignore"):
        relative = np.abs(a - b) / np.spacing(np.maximum(np.abs(b), b.dtype.type(least)))
    return np.where(np.isfinite(a) & np.isfinite(b), relative, ulp_distance(a, b))


def _complex_distance(a, b, least=0.0):
    """The error of complex values in units in the last place of the larger part."""
    parts = [ulp_distance(a.real, b.real), ulp_distance(a.imag, b.imag)]
    exact = (parts[0] == 0) & (parts[1] == 0)
    with np.errstate(all="ignore"):
        size = np.maximum(np.maximum(np.abs(b.real), np.abs(b.imag)), b.real.dtype.type(least))
        error = np.maximum(np.abs(a.real - b.real), np.abs(a.imag - b.imag))
        relative = error / np.spacing(size)
    finite = np.isfinite(a) & np.isfinite(b)
    # Where something is not finite, each part counts by itself.
    return np.where(exact, 0.0, np.where(finite, relative, np.maximum(*parts).astype(float)))


def _floats(values):
    """bfloat16 as the float32 that it is the upper half of, with distances divided by 2**16."""
    return (values.astype(np.float32), 65536) if values.dtype.name == "bfloat16" else (values, 1)


def value_error(ours, theirs, ulp=0, zero_sign=True):
    """A text that says where values differ by more than `ulp`, or None. `ulp` is a number, one for
    each element, or a number with an attribute `least`: below that, units do not shrink."""
    (a, unit), (b, _) = _floats(np.atleast_1d(ours)), _floats(np.atleast_1d(theirs))
    least = getattr(ulp, "least", 0.0)
    if a.dtype.kind == "c":
        distance = _complex_distance(a, b, least)
    elif a.dtype.kind == "f":
        distance = _units(a, b, least) if least else ulp_distance(a, b) / unit
    else:
        distance = (a != b).astype(float)
    bad = distance > ulp
    if not zero_sign:
        bad &= ~((a == 0) & (b == 0))
    elif a.dtype.kind == "f":
        bad |= (a == 0) & (b == 0) & (np.signbit(a) != np.signbit(b))
    if not bad.any():
        return None
    at = tuple(int(k[0]) for k in np.nonzero(bad))
    count = int(bad.sum())
    return f"{count} of {bad.size} differ, at {at} {a[at]!r} for {b[at]!r} ({distance[at]:.4g} ULP)"


def difference(ours, theirs, ulp=0, zero_sign=True):
    """A text that says how a result differs from NumPy's in type, dtype, shape or value, or
    None."""
    if isinstance(theirs, (tuple, list)):
        if not isinstance(ours, (tuple, list)):
            return f"{type(ours)} for {type(theirs)}"
        if len(ours) != len(theirs):
            return f"{len(ours)} results for {len(theirs)}"
        found = [difference(a, b, ulp, zero_sign) for a, b in zip(ours, theirs)]
        return next((f"result {k}: {text}" for k, text in enumerate(found) if text), None)
    if not isinstance(theirs, (np.ndarray, np.generic)):
        return None if np.all(to_host(ours) == theirs) else f"{ours!r} for {theirs!r}"
    if not isinstance(ours, tn.ndarray):
        return f"{type(ours)} is no array"
    if ours.dtype != theirs.dtype:
        return f"dtype {ours.dtype} for {theirs.dtype}"
    if ours.shape != theirs.shape:
        return f"shape {ours.shape} for {theirs.shape}"
    return value_error(ours.get(), theirs, ulp, zero_sign) if theirs.size else None


def assert_same(ours, theirs, ulp=0, zero_sign=True):
    """Fails unless a result is NumPy's in dtype, shape and value."""
    text = difference(ours, theirs, ulp, zero_sign)
    assert text is None, text


@contextlib.contextmanager
def quiet():
    """NumPy without its warnings about floating-point errors, which we do not have."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def settle(result=None):
    """Waits for the device, which may raise what kernels have found; hands its argument on."""
    tn.cuda.Device().synchronize()
    return result


def comes_true(condition, seconds=30):
    """Whether a condition holds within that time. Of a GPU's stream memory is given back soon after
    it was waited for, by a thread."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.001)
    return condition()


def outcome(call):
    """(result, None) or (None, exception)."""
    try:
        with quiet():
            return settle(call()), None
    except Exception as error:  # whatever it is, it is compared
        return None, error


def same_kind(ours, theirs):
    """Whether one exception's class is a base of the other's, and not so far up that it says
    nothing."""
    shared = set(type(ours).__mro__) & set(type(theirs).__mro__)
    return bool(shared - {Exception, BaseException, object}) and (
        isinstance(ours, type(theirs)) or isinstance(theirs, type(ours))
    )


def disagreement(ours, theirs, ulp=0, zero_sign=True, any_error=False):
    """Runs both calls; a text that says how they differ in result or exception, or None.

    any_error: several things may be wrong at once, and which is reported first does not count.
    """
    expected, refused = outcome(theirs)
    made, failed = outcome(ours)
    if refused is not None or failed is not None:
        if refused is None:
            return f"raised {failed!r}"
        if failed is None:
            return f"did not raise {refused!r}"
        return None if any_error or same_kind(failed, refused) else f"raised {failed!r} for {refused!r}"
    return difference(made, expected, ulp, zero_sign)


class Report:
    """Collects disagreements of many small cases, so that one test shows all of them."""

    def __init__(self):
        self.count, self.found = 0, []

    def check(self, label, ours, theirs, ulp=0, zero_sign=True, any_error=False):
        self.count += 1
        text = disagreement(ours, theirs, ulp, zero_sign, any_error)
        if text:
            self.found.append(f"{label}: {text}")

    def close(self, least=1):
        """Fails with the first disagreements, or if fewer than `least` cases ran."""
        assert self.count >= least, f"only {self.count} cases"
        shown = "\n".join(self.found[:12])
        assert not self.found, f"{len(self.found)} of {self.count} cases disagree:\n{shown}"


def is_partition(found, host, kth):
    """Whether the kth are in place, what stands before is no larger, what stands after no
    smaller."""
    expected = np.sort(host)
    rank = np.searchsorted(expected, found)  # NaN: after all numbers
    for k in np.atleast_1d(kth):
        if not (rank[:k] <= rank[k]).all() or not (rank[k:] >= rank[k]).all():
            return False
        assert_same(tn.array(found[[k]]), expected[[k]], zero_sign=False)
    assert_same(tn.array(np.sort(found)), expected, zero_sign=False)
    return True


def bits(value):
    """What an array or a scalar holds, so that NaN and -0.0 count.

    Which of two NaNs a sum has is not said, and differs within one array.
    """
    if isinstance(value, tn.ndarray):
        host = tn.asnumpy(value)
        if host.dtype.kind in "fc":
            parts = np.array(host, order="C", ndmin=1).view(host.real.dtype)
            parts[np.isnan(parts)] = np.nan
            return host.dtype, host.shape, parts.tobytes()
        return host.dtype, host.shape, host.tobytes()
    return type(value), repr(value)
