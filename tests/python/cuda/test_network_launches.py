"""What recurrent networks, CTC losses, dropout and spatial transformers launch on CUDA, compiled by
the real NVRTC and counted by the driver's double: a step is one launch beside its product."""

import json

import pytest
from programs import DOUBLES, needs_doubles, on_double, output_of

pytestmark = needs_doubles

PROGRAM = """
import ctypes, json, os
import numpy as np
import tenorite as tn
from tenorite import cudnn
from tenorite.cuda._raw.dnn import spatial

FAKE = ctypes.CDLL(os.environ["TENORITE_FAKE_CUDA"])


def launches(call):
    call()  # what is compiled, is compiled once
    tn.cuda.Device().synchronize()
    before = FAKE.fake_cuda_launches()
    call()
    tn.cuda.Device().synchronize()
    return FAKE.fake_cuda_launches() - before


def network(mode, dtype, steps):
    states, units, rows = cudnn.DropoutStates(None, 1), 16, 4
    states.set_dropout_ratio(0.5)
    gates = (1, 1, 4, 3)[mode]
    w = tn.zeros(2 * gates * units * (2 * units + 2), dtype)
    h, x = tn.zeros((2, rows, units), dtype), tn.zeros((steps * rows, units), dtype)
    c, lengths = h if mode == 2 else None, [rows] * steps
    first = states, 0, mode
    kept, hy, cy, ys = cudnn.rnn_forward_training(*first, h, c, w, x, lengths)

    def back():
        cudnn.rnn_backward_data(*first, h, c, w, x, ys, kept, h, c, ys, lengths)

    return (launches(lambda: cudnn.rnn_forward_inference(*first, h, c, w, x, lengths)), launches(back),
            launches(lambda: cudnn.rnn_backward_weights(*first, x, h, ys, w, kept, lengths)))


def ctc(steps):
    p, ones = tn.full((steps, 2, 5), 0.2, "f"), np.ones(2, "i")
    return launches(lambda: cudnn.ctc_loss(p, ones, ones, steps * ones, 0))


def by_step(call):
    one, other = np.array(call(12)), np.array(call(22))
    return ((other - one) / 10).tolist()


found = {f"{mode}": by_step(lambda steps: network(mode, "efdf"[mode], steps)) for mode in range(4)}
found["ctc"] = by_step(ctc)
states, x = cudnn.DropoutStates(None, 1), tn.ones((64, 100), "f")
kept, y = states.forward(None, x, 0.5)
found["dropout"] = launches(lambda: states.forward(None, x, 0.5)), launches(lambda: states.backward(None, x, 0.5, kept))
image, grid = tn.ones((2, 3, 8, 8)), spatial.grid(tn.ones((2, 2, 3)), 8, 8)
spatial.sample_backward(image, spatial.sample(image, grid), grid)
spatial.grid_backward(grid)
tn.cuda.Device().synchronize()
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    paths = {"TENORITE_CUBLAS_PATH": str(DOUBLES / "libfake_cublas.so"), "TENORITE_CUDNN_PATH": "none"}
    variables = on_double(tmp_path_factory.mktemp("cache"), **paths)
    del variables["TENORITE_NVRTC_PATH"]
    return json.loads(output_of(PROGRAM, variables))


@pytest.mark.parametrize("mode", range(4))
def test_a_step_is_one_launch(found, mode):
    """In each of two layers; a GRU's way back adds what its product gives."""
    forward, back, weights = found[f"{mode}"]
    assert forward == 2 and back == (4 if mode == 3 else 2) and weights == 0


def test_others(found):
    assert found["ctc"] == 1 and found["dropout"][1] == 1 and found["dropout"][0] <= 6
