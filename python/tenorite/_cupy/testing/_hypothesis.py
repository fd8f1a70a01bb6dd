"""Tests of hypotheses about random numbers."""

import numpy
import tenorite


def chi_square_test(observed, expected, alpha=0.05, df=None):
    """Whether counts may come from a distribution, by Pearson's chi-square test.

    Parameters
    ----------
    observed : array_like
        Counts of each category.
    expected : array_like
        Counts that the distribution lets expect.
    alpha : float, optional
        How often counts that do come from it are refused.
    df : int, optional
        Degrees of freedom: one less than there are categories.

    Returns
    -------
    bool
        False where the counts are too far off.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite._cupy.testing._hypothesis import chi_square_test
    >>> chi_square_test([11, 9], [10, 10]), chi_square_test([19, 1], [10, 10])
    (True, False)
    """
    observed, expected = numpy.asarray(observed), numpy.asarray(expected)
    df = observed.size - 1 if df is None else df
    statistic = float(((observed - expected) ** 2 / expected).sum())
    return float(tenorite.scipy.special.chdtrc(float(df), statistic)) > alpha
