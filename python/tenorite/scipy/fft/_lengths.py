"""Lengths that are fast to transform."""

import operator


def next_fast_len(target, real=False):
    """The smallest length from `target` on that has no prime factor above 7.

    Parameters
    ----------
    target : int
        The least length.
    real : bool, optional
        Whether the transform is of real numbers; makes no difference.

    Returns
    -------
    int
        The length.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.fft.next_fast_len(11)
    12
    """
    target = operator.index(target)
    if target < 0:
        raise ValueError("Target length must be positive")
    if target == 0:
        return 0
    best = 1 << (target - 1).bit_length()
    seven = 1
    while seven < best:
        five = seven
        while five < best:
            three = five
            while three < best:
                whole = three << max(0, (-(-target // three) - 1).bit_length())
                best = min(best, whole)
                three *= 3
            five *= 5
        seven *= 7
    return best
