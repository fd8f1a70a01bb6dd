"""The device text of array[indices] = elements, run on the host as a RawKernel's, against a loop.

No GPU is needed.
"""

import numpy as np
import pytest
import tenorite as tn
from device_text import bounds, launch
from test_sort_text import pytestmark  # noqa: F401

BLOCK, UNROLL, STEPS = 64, 2, 3


def put(array, indices, values, looks, blocks=3):
    """Whether the indices were good."""
    array_, indices_, values_ = map(tn.array, (array, indices, values))
    size, count = array.size, indices.size
    seen, owners = tn.zeros(size // 16 + 1, "u4"), tn.full(size, -77, "i4")
    clashes, bound = tn.full(count // 32 + 1, 0xFFFFFFFF, "u4"), bounds()
    for step in range(STEPS):
        macros = {
            "BLOCK": BLOCK,
            "INDEX_MODE": 0,
            "UNIT_BYTES": array.itemsize,
            "UNROLL": UNROLL,
            "STEP": step,
            "LOOKS": looks,
        }
        launch(
            "put_last",
            macros,
            blocks,
            BLOCK,
            array=array_,
            dense=values_,
            indices=indices_,
            count=count,
            axis_size=size,
            axis_stride=array.itemsize,
            axis=0,
            dense_stride=array.itemsize,
            index_stride=8,
            bounds=bound,
            seen=seen,
            owners=owners,
            clashes=clashes,
            body="typedef tn_i64 IndexType;\n",
        )
    return array_.get(), not bound[0][0]


@pytest.mark.parametrize("looks", [0, 1])
@pytest.mark.parametrize(("size", "count"), [(1, 500), (7, 1), (40, 1000), (100_000, 3000), (3000, 3000)])
def test_text_puts(size, count, looks):
    rng = np.random.default_rng(size + count)
    array, values = rng.normal(size=size), rng.normal(size=count)
    indices = rng.integers(-size, size, count)
    wanted = array.copy()
    for index, value in zip(indices, values, strict=True):
        wanted[index] = value
    got, is_good = put(array, indices, values, looks)
    np.testing.assert_array_equal(got, wanted)
    assert is_good


@pytest.mark.parametrize("bad", [40, -41])
def test_text_writes_nothing_where_an_index_is_bad(bad):
    array, indices = np.arange(40.0), np.arange(300) % 40
    indices[250] = bad
    got, is_good = put(array, indices, np.ones(300), 0)
    np.testing.assert_array_equal(got, array)
    assert not is_good
