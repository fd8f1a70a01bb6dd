"""What parameters of stats' functions may be in drawn calls."""

import numpy as np
import scipy.stats as THEIRS
from drawn import Pair, Rule, always, seldom, side
from tenorite.scipy import stats as OURS

LENGTHS = (1, 2, 3, 3, 4, 5, 6, 9, 20)


def sample(draw, dtypes=("d", "d", "d", "f", "l", "B", "h")):
    made = draw.array(draw.shape((1, 1, 2, 2, 3), LENGTHS, 0.01), dtypes)
    if side(made, "host").dtype.kind == "f" and made.host.size and draw.chance(0.1):
        place = np.unravel_index(draw.random.randrange(made.host.size), made.host.shape)
        if made.host.flags.writeable:
            made.host[place] = np.nan
            made.device[place] = np.nan
    return made


def positive_sample(draw):
    shape = draw.shape((1, 1, 2, 2), LENGTHS, 0.0)
    return draw.like((draw.numbers.random(shape) * 3 + 0.1).astype(draw.choice("d", "d", "f")))


def like_positive(name):
    return lambda draw: draw.like(draw.numbers.random(draw.shape_of(name)) + 0.2)


def axis(draw):
    ndim = draw.ndim(
        next(name for name in ("a", "x", "scores", "f_obs", "pk", "data", "rvs", "data1") if name in draw.made)
    )
    return draw.choice(None, 0, -1, draw.integer(-ndim, ndim - 1))


def several_axes(draw):
    ndim = draw.ndim(next(name for name in ("a", "x", "pk") if name in draw.made))
    if ndim > 1 and draw.chance(0.3):
        return tuple(draw.random.sample(range(ndim), 2))
    return draw.choice(None, 0, -1)


def line(draw):
    return draw.array((draw.integer(3, 12),), ("d", "d", "f", "l"))


def pair_of(name):
    return lambda draw: draw.array(draw.shape_of(name), (side(draw.made[name], "host").dtype.char,))


def counts(draw):
    return draw.like(draw.numbers.integers(1, 20, draw.shape((1, 2), (2, 3, 4, 5), 0)))


PARAMETERS = {
    "a": sample,
    "x": sample,
    "y": pair_of("x"),
    "b": pair_of("a"),
    "axis": axis,
    "ddof": (0, 1, 2),
    "bias": (True, False),
    "fisher": (True, False),
    "nan_policy": ("propagate", "omit", "omit", "raise"),
    "keepdims": (True, False),
    "alternative": seldom(("two-sided", "less", "greater"), ("more",), 0.03),
    "order": (1, 2, 3, 4, 0),
    "center": (0.0, 1.5),
    "median_abs_deviation.center": None,
    "weights": None,
    "dtype": None,
    "rng": ((25, 75), (10, 80), (0, 100)),
    "scale": (1.0, "normal"),
    "interpolation": ("linear", "lower", "higher", "midpoint", "nearest"),
    "method": ("average", "min", "max", "dense", "ordinal"),
    "pk": positive_sample,
    "qk": like_positive("pk"),
    "base": (2, 10.0),
    "lmb": (-1.5, 0, 0.5, 2),
    "data": positive_sample,
    "proportiontocut": (0, 0.1, 0.3),
    "scores": sample,
    "compare": lambda draw: pair_of("scores")(draw),
    "popmean": (0.0, 1.5),
    "equal_var": (True, False),
    "trim": None,
    "f_obs": counts,
    "f_exp": None,
    "sum_check": None,
    "lambda_": (None, 0, 1, -1, 2, 0.5, "cressie-read", "freeman-tukey", "log-likelihood"),
    "use_continuity": (True, False),
    "variant": ("b", "c"),
    "args": None,
    "N": None,
    "data1": line,
    "data2": line,
}
for _name in ("gmean", "hmean", "gzscore", "variation", "entropy"):
    PARAMETERS[f"{_name}.a"] = positive_sample
for _name in ("gmean", "hmean"):
    PARAMETERS[f"{_name}.weights"] = like_positive("a")
for _name in ("moment", "skew", "kurtosis", "sem", "mode", "gmean", "hmean", "variation", "iqr", "entropy"):
    PARAMETERS[f"{_name}.axis"] = several_axes
for _name in ("pearsonr", "linregress", "kendalltau", "spearmanr", "mannwhitneyu"):
    PARAMETERS |= {f"{_name}.x": line, f"{_name}.method": None, f"{_name}.axis": None, f"{_name}.a": line}
PARAMETERS |= {
    "mannwhitneyu.method": ("auto", "asymptotic", "exact"),
    "mannwhitneyu.y": line,
    "kendalltau.method": ("auto", "asymptotic"),
    "spearmanr.b": always(pair_of("a")),
    "ks_2samp.method": ("auto", "exact", "asymp"),
    "ks_1samp.x": line,
    "ks_1samp.cdf": lambda draw: Pair(THEIRS.norm.cdf, OURS.norm.cdf),
    "ks_1samp.method": ("auto", "exact", "approx", "asymp"),
    "kstest.rvs": line,
    "kstest.cdf": ("norm", "expon"),
    "kstest.method": ("auto", "exact", "approx", "asymp"),
    "ttest_ind.method": None,
    "ttest_ind.b": pair_of("a"),
    "boxcox_llf.axis": (0, -1),
    # SciPy's differences of uint8 wrap
    "ttest_rel.a": lambda draw: sample(draw, ("d", "d", "f", "l")),
    "describe.a": lambda draw: sample(draw, ("d", "d", "f", "l")),  # and its n is one
    "describe.ddof": (0, 1),
    "describe.nan_policy": ("propagate", "raise"),
    "mode.nan_policy": ("propagate", "raise"),  # SciPy's counts are floats then
}

# --- Distributions ---

SHAPES = {
    "norm": (),
    "uniform": (),
    "expon": (),
    "gamma": ((0.4, 9.0),),
    "beta": ((0.5, 4.0), (0.5, 4.0)),
    "t": ((1.0, 20.0),),
    "chi2": ((0.7, 30.0),),
    "f": ((1.0, 12.0), (4.5, 20.0)),
    "lognorm": ((0.2, 1.5),),
    "poisson": ((0.1, 30.0),),
    "binom": ((1, 20), (0.05, 0.95)),
}
DISCRETE = ("poisson", "binom")
OF_PLACES = "cdf sf logcdf logsf"
OF_SHAPES = "mean var std median"


def shapes_of(distribution):
    def draw_them(draw):
        like_x = draw.made.get("x", draw.made.get("q"))
        shape = side(like_x, "host").shape if isinstance(like_x, Pair) else (draw.integer(1, 4),)
        found = []
        for low, high in SHAPES[distribution]:
            values = draw.numbers.uniform(low, high, shape if draw.chance(0.4) else ())
            values = np.floor(values) if distribution == "binom" and high > 1 else values
            found.append(draw.like(values) if values.shape else float(values))
        return found

    return draw_them


def scale_of(distribution):
    def draw_it(draw):
        found = {}
        if draw.chance(0.5):
            found["loc"] = draw.choice(0, 1, -2)
        if distribution not in DISCRETE and draw.chance(0.5):
            found["scale"] = draw.choice(1, 0.5, 3.0, -1.0)
        return found

    return draw_it


def places(distribution):
    def draw_them(draw):
        shape = draw.shape((1, 1, 2), (1, 2, 3, 5), 0.03)
        values = draw.numbers.standard_normal(shape) * 3
        if distribution in DISCRETE:
            values = np.round(np.abs(values) * 3) + draw.choice(0, 0, 0.5, -2)
        elif distribution in ("beta", "uniform"):
            values = values / 4 + 0.5
        return draw.like(values.astype(draw.choice("d", "d", "d", "f")))

    return draw_them


def shares(draw):
    return draw.like(np.r_[draw.numbers.random(draw.integer(0, 4)), draw.choice(0.0, 1.0, 0.5, -0.1)])


METHODS, NAMES = {}, []
for _name in SHAPES:
    density = "pmf logpmf" if _name in DISCRETE else "pdf logpdf"
    for _method in f"{density} {OF_PLACES} ppf isf {OF_SHAPES}".split():
        key = f"{_name}.{_method}"
        NAMES.append(key)
        PARAMETERS |= {
            f"{key}.x": places(_name),
            f"{key}.k": places(_name),
            f"{key}.q": shares,
            f"{key}.args": always(shapes_of(_name)),
            f"{key}.kwds": scale_of(_name),
        }
LEFT_OUT = {*SHAPES, "bootstrap", "permutation_test", "gaussian_kde", "multivariate_normal"}
RULES = {name: Rule(1e6, 1.0, 0, True) for name in NAMES}  # quantiles near flat ends
FUNCTIONS = [name for name in OURS.__all__ if name not in LEFT_OUT]
RULES |= {name: Rule(1e5, 1.0, 0, True) for name in FUNCTIONS}
RULES["rankdata"] = Rule(1e5, since="1.18")  # ranks in the dtype of the data
RULES["spearmanr"] = Rule(1e9)  # what a root makes of a rounding, of a coefficient of 1
RULES["ks_2samp"] = Rule(1e12)  # SciPy's exact one is 1 - 4e-5 where it is 1
NAMES += FUNCTIONS
# An alternative that does not exist is not seen where few elements give NaN, or an exact answer;
# and an error of one element is NaN for lines, 0 for more axes.
UNDEFINED = dict.fromkeys(
    ("kendalltau", "kurtosistest", "skewtest"), lambda call: call.named.get("alternative") == "more"
)
UNDEFINED["sem"] = lambda call: side(call.draw.made["a"], "host").size == 1
