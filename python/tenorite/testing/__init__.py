"""What tests of programs that run on NumPy and on Tenorite are written with, by CuPy's names.

A test gets a module as ``xp``, runs under both, and its results are compared. Nothing here needs
pytest, apart from `slow` and from `parameterize` on classes that are no ``unittest.TestCase``.
"""

from tenorite.testing._array import (
    assert_allclose,
    assert_array_almost_equal,
    assert_array_almost_equal_nulp,
    assert_array_equal,
    assert_array_less,
    assert_array_list_equal,
    assert_array_max_ulp,
)
from tenorite.testing._attr import gpu, multi_gpu, slow
from tenorite.testing._helper import (
    AssertFunctionIsCalled,
    NumpyAliasBasicTestBase,
    NumpyAliasValuesTestBase,
    assert_warns,
    generate_matrix,
    installed,
    numpy_satisfies,
    shaped_arange,
    shaped_linspace,
    shaped_random,
    shaped_reverse_arange,
    shaped_sparse_random,
    with_requires,
)
from tenorite.testing._loops import (
    for_all_dtypes,
    for_all_dtypes_combination,
    for_CF_orders,
    for_complex_dtypes,
    for_contiguous_axes,
    for_dtypes,
    for_dtypes_combination,
    for_float_dtypes,
    for_int_dtypes,
    for_int_dtypes_combination,
    for_orders,
    for_signed_dtypes,
    for_signed_dtypes_combination,
    for_unsigned_dtypes,
    for_unsigned_dtypes_combination,
    numpy_cupy_allclose,
    numpy_cupy_array_almost_equal,
    numpy_cupy_array_almost_equal_nulp,
    numpy_cupy_array_equal,
    numpy_cupy_array_less,
    numpy_cupy_array_list_equal,
    numpy_cupy_array_max_ulp,
    numpy_cupy_equal,
    numpy_cupy_raises,
)
from tenorite.testing._parameterized import parameterize, product, product_dict
from tenorite.testing._random import fix_random, generate_seed

__all__ = [
    "AssertFunctionIsCalled", "NumpyAliasBasicTestBase", "NumpyAliasValuesTestBase", "assert_allclose",
    "assert_array_almost_equal", "assert_array_almost_equal_nulp", "assert_array_equal", "assert_array_less",
    "assert_array_list_equal", "assert_array_max_ulp", "assert_warns", "fix_random", "for_CF_orders", "for_all_dtypes",
    "for_all_dtypes_combination", "for_complex_dtypes", "for_contiguous_axes", "for_dtypes",
    "for_dtypes_combination", "for_float_dtypes", "for_int_dtypes", "for_int_dtypes_combination", "for_orders",
    "for_signed_dtypes", "for_signed_dtypes_combination", "for_unsigned_dtypes", "for_unsigned_dtypes_combination",
    "generate_matrix", "generate_seed", "gpu", "installed", "multi_gpu", "numpy_cupy_allclose",
    "numpy_cupy_array_almost_equal", "numpy_cupy_array_almost_equal_nulp", "numpy_cupy_array_equal",
    "numpy_cupy_array_less", "numpy_cupy_array_list_equal", "numpy_cupy_array_max_ulp", "numpy_cupy_equal",
    "numpy_cupy_raises", "numpy_satisfies", "parameterize", "product", "product_dict", "shaped_arange",
    "shaped_linspace", "shaped_random", "shaped_reverse_arange", "shaped_sparse_random", "slow", "with_requires",
]  # fmt: skip
