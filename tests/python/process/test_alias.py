"""What a program asks of the alias, in a process of its own."""

import pytest
from programs import python

PROGRAM = """
import tenorite
tenorite.install_as_cupy()
import cupy, cupyx, numpy
import cupyx.scipy.special
a = cupy.ones(2)
assert cupyx.scipy.get_array_module(a) is cupyx.scipy
assert cupy.get_array_module(a) is cupy and cupy.get_array_module(numpy.ones(2)) is numpy
assert cupyx.scipy.get_array_module(a).special.erf(a).shape == (2,)
runtime = cupy.cuda.runtime
count = runtime.getDeviceCount()
assert [runtime.getDeviceProperties(number)["name"] for number in range(count)]
assert runtime.deviceCanAccessPeer(0, 1) == 1
cupy.show_config(_full=True)
print("whole")
"""


@pytest.mark.quick
def test_alias():
    done = python("-c", PROGRAM, variables={"TENORITE_BACKEND": "host", "TENORITE_HOST_DEVICES": "2"})
    assert done.returncode == 0 and done.stdout.endswith("whole\n"), done.stderr
