"""Arrays of more than 2**31 elements: every index must be of 64 bits."""

import gc

import numpy as np
import pytest
import tenorite as tn

SIZE = 2**31 + 1001

pytestmark = pytest.mark.huge


@pytest.fixture(scope="module", autouse=True)
def memory_goes_back():
    yield
    gc.collect()
    tn.get_default_memory_pool().free_all_blocks()


def test_add_reduce_slice_copy():
    a = tn.ones(SIZE, "i1")
    assert a.size == SIZE and a.nbytes == SIZE
    a[-1] = 5
    a[2**31] = 7
    assert a[2**31].item() == 7 and a[-1].item() == 5 and a[SIZE - 2].item() == 1
    b = a + a
    assert b[2**31].item() == 14 and b[-1].item() == 10 and b[0].item() == 2
    assert a.sum(dtype="i8").item() == SIZE + 6 + 4
    assert a.argmax().item() == 2**31 and a.max().item() == 7
    assert tn.count_nonzero(a).item() == SIZE
    tail = a[2**31 - 5 :]
    assert tail.size == 1006 and tail[5].item() == 7
    assert tail.copy().tolist() == tail.get().tolist()
    b[...] = a[::-1]
    assert b[0].item() == 5 and b[SIZE - 1 - 2**31].item() == 7
    del tail


def test_strided_and_wide():
    a = tn.zeros((2, SIZE), "i1")
    a[1] = 3
    assert a[1, -1].item() == 3 and a[0, -1].item() == 0
    assert a[:, 2**31 :].sum().item() == 3 * 1001
    assert a[1, ::-2][-1].item() == 3
    assert a.T[2**31].tolist() == [0, 3]
    assert a.any(axis=1).tolist() == [False, True]
    a[1, 2**31 :] += 1
    assert a[1, 2**31 - 1 : 2**31 + 1].tolist() == [3, 4]
    assert a.reshape(-1)[SIZE + 2**31].item() == 4


def test_take_and_mask():
    a = tn.zeros(SIZE, "i1")
    at = tn.array([2**31, 2**31 + 1000, -1, 0])
    a[at] = tn.array([1, 2, 3, 4], "i1")
    assert a[at].tolist() == [1, 3, 3, 4]
    assert np.array([x.get() for x in a.nonzero()]).tolist() == [[0, 2**31, 2**31 + 1000]]
