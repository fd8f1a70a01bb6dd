"""Statistics, under the names of scipy.stats: distributions, samples, correlations, tests.

Everything but the probabilities of Kolmogorov and Smirnov is computed on the array's device.
"""

from tenorite.scipy.stats._correlation import kendalltau, linregress, pearsonr, rankdata, spearmanr
from tenorite.scipy.stats._descriptive import (
    boxcox_llf,
    describe,
    entropy,
    gmean,
    gzscore,
    hmean,
    iqr,
    kurtosis,
    median_abs_deviation,
    mode,
    moment,
    sem,
    skew,
    trim_mean,
    variation,
    zmap,
    zscore,
)
from tenorite.scipy.stats._distributions import beta, binom, chi2, expon, f, gamma, lognorm, norm, poisson, t, uniform
from tenorite.scipy.stats._multivariate import gaussian_kde, multivariate_normal
from tenorite.scipy.stats._resampling import bootstrap, permutation_test
from tenorite.scipy.stats._tests import (
    chisquare,
    jarque_bera,
    ks_1samp,
    ks_2samp,
    kstest,
    kurtosistest,
    mannwhitneyu,
    normaltest,
    power_divergence,
    skewtest,
    ttest_1samp,
    ttest_ind,
    ttest_rel,
)

__all__ = sorted(name for name in globals() if not name.startswith("_"))
