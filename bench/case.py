"""One measurement, as bench/cases.py and its kin list them."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    """One measurement.

    setup: statements; expression: what is timed; bytes: what it must read and write at size n;
    goal: the largest share of NumPy's time that is good enough; n: the size; torch: the expression
    for PyTorch's tensors, where it differs.
    """

    name: str
    setup: str
    expression: str
    goal: float
    n: int
    group: str
    bytes_per_n: float = 0
    torch: str | None = field(default=None)
