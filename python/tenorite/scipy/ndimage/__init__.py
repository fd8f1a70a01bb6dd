"""Functions of images, under the names that SciPy and CuPy have in scipy.ndimage.

Images are arrays of any number of axes, on any device.
"""

import importlib as _importlib

_CONTENTS = {
    "_distance": "distance_transform_bf distance_transform_cdt distance_transform_edt",
    "_extrema": "extrema maximum maximum_position median minimum minimum_position",
    "_label": "find_objects label value_indices watershed_ift",
    "_measurements": "center_of_mass histogram labeled_comprehension mean standard_deviation sum sum_labels variance",
}

__all__ = []
for _file, _names in _CONTENTS.items():
    _module = _importlib.import_module(f"tenorite.scipy.ndimage.{_file}")
    globals().update({_name: getattr(_module, _name) for _name in _names.split()})
    __all__ += _names.split()
__all__.sort()
