"""Special functions, under the names that CuPy has in cupyx.scipy.special.

A function is compiled when it is first called on arrays of a dtype, as an ElementwiseKernel is.
"""

from tenorite import _core
from tenorite._core import _sinc as sinc, rint
from tenorite.scipy.special._elementwise import FUNCTIONS as _FUNCTIONS
from tenorite.scipy.special._kernels import widened as _widened
from tenorite.scipy.special._several import ellipj, lambertw, shichi, sici, sph_harm, sph_harm_y, spherical_yn
from tenorite.scipy.special._sums import log_softmax, logsumexp, multigammaln, softmax

globals().update(_FUNCTIONS)
globals().update({_name: _widened(getattr(_core, _name)) for _name in ("cbrt", "exp2", "expm1", "log1p")})
psi = digamma  # noqa: F821
round = rint

__all__ = sorted(
    [
        "cbrt",
        "ellipj",
        "exp2",
        "expm1",
        "lambertw",
        "log1p",
        "log_softmax",
        "logsumexp",
        "multigammaln",
        "psi",
        "round",
        "shichi",
        "sici",
        "sinc",
        "softmax",
        "sph_harm",
        "sph_harm_y",
        "spherical_yn",
        *_FUNCTIONS,
    ]
)
