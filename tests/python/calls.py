"""The same calls on NumPy and on ours, over layouts: what differs is collected and shown."""

import numpy as np
import tenorite as tn
from generator import both
from oracle import Report

USUAL = ("contiguous", "fortran", "negative", "empty")
MANY = (*USUAL, "strided", "broadcast rows", "unaligned", "0-d", "one element", "no rows")


def compare(calls, *hosts, layouts=USUAL, ulp=0, zero_sign=True):
    """Runs each call with NumPy's module and arrays, and with ours; both get fresh arrays.

    calls: functions of (module, *arrays) by label, or lines of text that see the module as `m` and
    the arrays as `a`, `b`, `c`.
    """
    report = Report()
    if isinstance(calls, str):
        lines = [line.strip() for line in calls.strip().splitlines()]
        calls = {line: _function(line) for line in lines if line and not line.startswith("#")}
    for layout in layouts:
        for label, call in calls.items():
            pairs = [both(host, layout) for host in hosts]
            theirs, ours = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
            if layout != "broadcast rows":
                theirs = [one.copy(order="K") if one.base is not None and one.size < 2 else one for one in theirs]
            report.check(f"{label} {layout}", lambda: call(tn, *ours), lambda: call(np, *theirs), ulp, zero_sign)
    report.close()


def _function(line):
    compiled = compile(line, line, "eval")
    return lambda m, *arrays: eval(compiled, {"m": m, "np": np, **dict(zip("abcd", arrays))})
