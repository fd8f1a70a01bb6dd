"""Filters, cepstra and radar, under the names that CuPy has in cupyx.signal.

A file is imported when one of its names is first used.
"""

from tenorite._lib.lazy import homes_of as _homes_of, lazy_names as _lazy_names

# File -> names.
_CONTENTS = {
    "_cepstra": "complex_cepstrum inverse_complex_cepstrum minimum_phase real_cepstrum",
    "_filtering": "channelize_poly firfilter firfilter2 firfilter_zi freq_shift",
    "_orders": "convolve1d2o convolve1d3o",
    "_radar": "ca_cfar cfar_alpha mvdr pulse_compression pulse_doppler",
}
_HOMES = _homes_of(_CONTENTS)

__all__ = sorted(_HOMES)
__getattr__, __dir__ = _lazy_names(__name__, _HOMES)
