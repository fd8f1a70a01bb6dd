"""Images of any number of axes: functions of the names of scipy.ndimage.

Each file's names are imported when one of them is first used.
"""

from tenorite._lib.lazy import homes_of as _homes_of, lazy_names as _lazy_names

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
_HOMES = _homes_of(_CONTENTS)

__all__ = sorted(_HOMES)
__getattr__, __dir__ = _lazy_names(__name__, _HOMES)
