"""Filters, cepstra and radar, under the names that CuPy has in cupyx.signal.

A file is imported when one of its names is first used.
"""

import importlib as _importlib

# File -> names.
_CONTENTS = {
    "_cepstra": "complex_cepstrum inverse_complex_cepstrum minimum_phase real_cepstrum",
    "_filtering": "channelize_poly firfilter firfilter2 firfilter_zi freq_shift",
    "_orders": "convolve1d2o convolve1d3o",
    "_radar": "ca_cfar cfar_alpha mvdr pulse_compression pulse_doppler",
}
_HOMES = {_name: _file for _file, _names in _CONTENTS.items() for _name in _names.split()}

__all__ = sorted(_HOMES)


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module 'tenorite.signal' has no attribute {name!r}")
    found = getattr(_importlib.import_module(f"tenorite.signal.{_HOMES[name]}"), name)
    found.__module__ = __name__
    globals()[name] = found
    return found


def __dir__():
    return sorted({*globals(), *__all__})
