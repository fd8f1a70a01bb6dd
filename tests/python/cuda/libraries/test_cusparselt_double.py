"""Products with pruned matrices on a GPU whose cuSPARSELt is absent, or is another library: the
functions of Tenorite's own serve, in captures, too."""

import pytest
from programs import DOUBLES, needs_doubles, on_double, output_of

pytestmark = needs_doubles

PROGRAM = """
import tenorite as tn
from tenorite import cusparselt
from tenorite.cuda import cusparselt as raw
a, b = tn.ones((8, 16), "f2"), tn.ones((16, 4), "f2")
print(raw._library.serves())
try:
    raw.init(raw.Handle())
except (NotImplementedError, tn.cuda.runtime.CUDARuntimeError) as error:
    print("cusparselt" in str(error).lower())
def run(): return cusparselt.matmul(packed, b)
packed = cusparselt.compress(cusparselt.prune(a))
assert run().shape == (8, 4)
stream = tn.cuda.Stream()
stream.synchronize()
with stream:
    run()
    stream.begin_capture()
    made = run()
    graph = stream.end_capture()
graph.launch(stream)
stream.synchronize()
print(made.shape)
"""


@pytest.mark.parametrize("path", ["none.so", "libfake_cufft.so"])
def test_absent(tmp_path, path):
    given = on_double(
        tmp_path, TENORITE_CUSPARSELT_PATH=str(DOUBLES / path), TENORITE_CUBLAS_PATH=str(DOUBLES / "libfake_cublas.so")
    )
    assert output_of(PROGRAM, given).splitlines() == ["False", "True", "(8, 4)"]
