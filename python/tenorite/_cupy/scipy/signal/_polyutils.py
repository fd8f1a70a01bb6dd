"""CuPy's private name of products of linear factors, which partial fractions are made of."""

import tenorite

__all__ = ["_compute_factors"]


def _compute_factors(roots, multiplicity, include_powers=False):
    """For each root the polynomial of all others, each as often as it is a root, and that of all;
    with powers also those in which the root itself is once, twice ..., the highest first."""
    whole = [root for root, count in zip(roots, multiplicity) for _ in range(int(count))]
    factors, first = [], 0
    for root, count in zip(roots, multiplicity):
        others = whole[:first] + whole[first + int(count) :]
        powers = range(int(count) - 1 if include_powers else 0, -1, -1)
        factors += [tenorite.poly(tenorite.asarray([*others, *[root] * power])) for power in powers]
        first += int(count)
    return factors, tenorite.poly(tenorite.asarray(whole))
