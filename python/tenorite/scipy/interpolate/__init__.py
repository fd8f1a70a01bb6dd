"""Interpolation, under the names that CuPy has in cupyx.scipy.interpolate, and more of SciPy's.

All is computed in double precision, as in SciPy. Results stay on the device; what SciPy would
refuse after a look at elements (places that do not ascend, points outside) is looked at here, too,
for which a GPU is waited for. What is sequential by nature (knots of smoothing splines, roots)
is found on the host.
"""

from tenorite.scipy.interpolate._bspline import BSpline, splantider, splder
from tenorite.scipy.interpolate._cubic import (
    Akima1DInterpolator,
    CubicHermiteSpline,
    CubicSpline,
    PchipInterpolator,
    pchip,
    pchip_interpolate,
)
from tenorite.scipy.interpolate._fitpack import (
    InterpolatedUnivariateSpline,
    LSQUnivariateSpline,
    RectBivariateSpline,
    SmoothBivariateSpline,
    UnivariateSpline,
)
from tenorite.scipy.interpolate._grid import RegularGridInterpolator, interpn
from tenorite.scipy.interpolate._interp1d import interp1d
from tenorite.scipy.interpolate._make_spline import make_interp_spline, make_lsq_spline
from tenorite.scipy.interpolate._ndbspline import NdBSpline
from tenorite.scipy.interpolate._ndppoly import NdPPoly
from tenorite.scipy.interpolate._polyint import (
    BarycentricInterpolator,
    KroghInterpolator,
    barycentric_interpolate,
    krogh_interpolate,
)
from tenorite.scipy.interpolate._ppoly import BPoly, PPoly
from tenorite.scipy.interpolate._rbf import RBFInterpolator
from tenorite.scipy.interpolate._scattered import (
    CloughTocher2DInterpolator,
    LinearNDInterpolator,
    NearestNDInterpolator,
    griddata,
)

__all__ = [
    "Akima1DInterpolator",
    "BPoly",
    "BSpline",
    "BarycentricInterpolator",
    "CloughTocher2DInterpolator",
    "CubicHermiteSpline",
    "CubicSpline",
    "InterpolatedUnivariateSpline",
    "KroghInterpolator",
    "LSQUnivariateSpline",
    "LinearNDInterpolator",
    "NdBSpline",
    "NdPPoly",
    "NearestNDInterpolator",
    "PPoly",
    "PchipInterpolator",
    "RBFInterpolator",
    "RectBivariateSpline",
    "RegularGridInterpolator",
    "SmoothBivariateSpline",
    "UnivariateSpline",
    "barycentric_interpolate",
    "griddata",
    "interp1d",
    "interpn",
    "krogh_interpolate",
    "make_interp_spline",
    "make_lsq_spline",
    "pchip",
    "pchip_interpolate",
    "splantider",
    "splder",
]
