"""Times of a GPU's work in a timeline, on the doubles: by CUPTI's records, or by events."""

import json

import pytest
from programs import DOUBLES, needs_doubles, on_double, python

PROGRAM = """
import sys
import numpy as np
import tenorite as cp
from tenorite.cuda import Stream

a = cp.ones((300, 200), np.float32)
stream = Stream()
with stream:
    stream.begin_capture()
    b = a * 2
    graph = stream.end_capture()
warm = a + 1
cp.cuda.Device().synchronize()
with cp.profiler.trace(sys.argv[1]):
    with cp.profiler.time_range("part"):
        kept = a + 1  # the kernel
    cp.asarray(np.arange(100_000.0))  # the copy
    graph.launch(stream)
    stream.synchronize()
"""


@needs_doubles
@pytest.mark.parametrize("way", ["cupti", "events", "unwanted", "injected"])
def test_timeline(tmp_path, way):
    program, file = tmp_path / "program.py", tmp_path / "run.json"
    program.write_text(PROGRAM)
    others = {"unwanted": {}, "injected": {"TENORITE_CUPTI": "1", "CUDA_INJECTION64_PATH": "/another"}}
    library = DOUBLES / ("libno_cupti.so" if way == "events" else "libfake_cupti.so")
    variables = on_double(
        tmp_path / "kernels", TENORITE_CUPTI_PATH=str(library), **others.get(way, {"TENORITE_CUPTI": "1"})
    )
    done = python(program, file, variables=variables)
    assert done.returncode == 0, done.stderr
    events = [event for event in json.loads(file.read_text())["traceEvents"] if event["ph"] == "X"]
    kernels = [event for event in events if event["cat"] == "kernel"]
    lines = PROGRAM.splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "# the kernel" in text)
    first = kernels[0]
    assert f"program.py:{line} " in first["args"]["line"] and first["dur"] >= 0
    assert first["args"]["device"] == "cuda:0"
    launches = [event for event in events if event["cat"] == "launch" and event["name"] == first["name"]]
    assert launches and launches[0]["args"]["stream"] == first["args"]["stream"]
    # Work of CUPTI's records begins after its launch does, on the clock of all other events.
    assert first["ts"] >= launches[0]["ts"] - 1
    copies = [event for event in events if event["cat"] == "work" and event["name"] == "copy to the device"]
    if way == "cupti":
        (copy,) = [event for event in copies if event["args"]["bytes"] == 800_000]
        assert copy["args"]["GB/s"] > 0 and "program.py" in copy["args"]["line"]
    else:
        assert not copies and [event["name"] for event in kernels][-1] == "a graph"
