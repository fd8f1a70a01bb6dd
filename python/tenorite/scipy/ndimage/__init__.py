"""Images of any number of axes: functions of the names of scipy.ndimage.

Each file's names are imported when one of them is first used.
"""

from importlib import import_module as _import_module

# The names of each file.
_CONTENTS = {
    "_binary": "binary_closing binary_dilation binary_erosion binary_fill_holes binary_hit_or_miss "
    "binary_opening binary_propagation generate_binary_structure iterate_structure",
    "_filters": "convolve convolve1d correlate correlate1d gaussian_filter gaussian_filter1d "
    "gaussian_gradient_magnitude gaussian_laplace generic_gradient_magnitude generic_laplace laplace prewitt "
    "sobel uniform_filter uniform_filter1d",
    "_generic": "generic_filter generic_filter1d",
    "_morphology": "black_tophat grey_closing grey_dilation grey_erosion grey_opening morphological_gradient "
    "morphological_laplace white_tophat",
    "_ranks": "maximum_filter maximum_filter1d median_filter minimum_filter minimum_filter1d percentile_filter "
    "rank_filter",
    "_vectorized": "vectorized_filter",
    "_distance": "distance_transform_bf distance_transform_cdt distance_transform_edt",
    "_extrema": "extrema maximum maximum_position median minimum minimum_position",
    "_fourier": "fourier_ellipsoid fourier_gaussian fourier_shift fourier_uniform",
    "_interpolation": """affine_transform geometric_transform map_coordinates rotate shift spline_filter
        spline_filter1d zoom""",
    "_label": "find_objects label value_indices watershed_ift",
    "_measurements": "center_of_mass histogram labeled_comprehension mean standard_deviation sum sum_labels variance",
}
_FILES = {name: file for file, names in _CONTENTS.items() for name in names.split()}

__all__ = sorted(_FILES)


def __getattr__(name):
    if name not in _FILES:
        raise AttributeError(f"module 'tenorite.scipy.ndimage' has no attribute {name!r}")
    value = globals()[name] = getattr(_import_module(f"tenorite.scipy.ndimage.{_FILES[name]}"), name)
    return value


def __dir__():
    return sorted({*globals(), *_FILES})
