"""Windows by their names."""

import numbers

from tenorite.scipy.signal._documents import documented
from tenorite.scipy.signal.windows import _cosines, _shapes
from tenorite.scipy.signal.windows._values import RETURNS

# Function: its names, and whether it takes parameters (None: it may).
_WINDOWS = {
    _cosines.barthann: ("barthann brthan bth", False),
    _shapes.bartlett: ("bartlett bart brt", False),
    _cosines.blackman: ("blackman black blk", False),
    _cosines.blackmanharris: ("blackmanharris blackharr bkh", False),
    _cosines.bohman: ("bohman bman bmn", False),
    _shapes.boxcar: ("boxcar box ones rect rectangular", False),
    _shapes.chebwin: ("chebwin cheb", True),
    _cosines.cosine: ("cosine halfcosine", False),
    _shapes.dpss: ("dpss", True),
    _shapes.exponential: ("exponential poisson", None),
    _cosines.flattop: ("flattop flat flt", False),
    _shapes.gaussian: ("gaussian gauss gss", True),
    _cosines.general_cosine: ("general_cosine", True),
    _shapes.general_gaussian: ("general_gaussian general_gauss ggs", True),
    _cosines.general_hamming: ("general_hamming", True),
    _cosines.hamming: ("hamming hamm ham", False),
    _cosines.hann: ("hann han", False),
    _shapes.kaiser: ("kaiser ksr", True),
    _shapes.kaiser_bessel_derived: ("kaiser_bessel_derived kbd", True),
    _shapes.lanczos: ("lanczos sinc", False),
    _cosines.nuttall: ("nuttall nutl nut", False),
    _shapes.parzen: ("parzen parz par", False),
    _shapes.taylor: ("taylor taylorwin", None),
    _shapes.triang: ("triangle triang tri", False),
    _cosines.tukey: ("tukey tuk", None),
}
_BY_NAME = {name: (function, takes) for function, (names, takes) in _WINDOWS.items() for name in names.split()}
# These names have spaces, too.
_BY_NAME |= {name.replace("_", " "): _BY_NAME[name] for name in _BY_NAME if "_" in name}


@documented(
    "The window of a name and a length.",
    RETURNS,
    """>>> from tenorite.scipy import signal
    >>> signal.get_window("triang", 4, fftbins=False)
    array([0.25, 0.75, 0.75, 0.25])
    >>> signal.get_window(("kaiser", 4.0), 9).shape
    (9,)""",
    "A name may end in ``_periodic`` or ``_symmetric``, whatever `fftbins` is.",
    ("ValueError", "For a name that there is not, parameters that it does not take, and no positive length."),
)
def get_window(window, Nx, fftbins=True):
    if not (Nx > 0 and isinstance(Nx, numbers.Integral)):
        raise ValueError(f"Parameter {Nx=} is not a positive integer")
    if not isinstance(fftbins, bool):
        raise ValueError(f"Parameter {fftbins=} is not of type bool!")
    if not isinstance(window, str | tuple):
        try:
            beta = float(window)
        except Exception as failure:
            raise ValueError(f"Parameter {window=} must be a tuple, a string or a float!") from failure
        return _shapes.kaiser(Nx, beta, not fftbins)
    if isinstance(window, tuple) and not isinstance(window[0], str):
        raise ValueError(f"First tuple entry of parameter {window=} is not a str!")
    name, *parameters = (window,) if isinstance(window, str) else window
    sym = not fftbins
    for ending, is_symmetric in (("_symmetric", True), ("_periodic", False)):
        if name.endswith(ending):
            name, sym = name.removesuffix(ending), is_symmetric
            break
    if name not in _BY_NAME:
        raise ValueError(f"Invalid window name '{name}' in parameter {window=}!")
    function, takes = _BY_NAME[name]
    if parameters and takes is False:
        raise ValueError(f"'{name}' does not allow parameters, but {window=}!")
    if not parameters and takes:
        raise ValueError(f"'{name}' must have parameters, but {window=}!")
    if function is _shapes.dpss and len(parameters) != 1:
        raise ValueError(f"Window {name} must have one parameter but {window=}")
    return function(Nx, *parameters, sym=sym)


get_window.__module__ = "tenorite.scipy.signal.windows"
