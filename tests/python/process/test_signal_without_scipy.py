"""Signals in a process in which SciPy cannot be imported: what is not SciPy's own works."""

from programs import python

PROGRAM = """
import sys

class Refuses:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "scipy":
            raise ModuleNotFoundError("No module named 'scipy'", name="scipy")

sys.meta_path.insert(0, Refuses())
import tenorite as tn
assert not any(name.startswith("tenorite.scipy") for name in sys.modules)
from tenorite.scipy import signal

x = tn.sin(tn.arange(1000.0) ** 1.2)
for name in ("welch", "periodogram", "spectrogram", "stft"):
    assert getattr(signal, name)(x)[0].size
assert signal.istft(signal.stft(x)[2])[1].shape == (1024,)
assert signal.coherence(x, x)[1].shape == (129,)
for name in set(signal.windows.__all__) - {"dpss", "get_window"}:
    arguments = {"general_cosine": [[0.5, 0.5]], "general_gaussian": [1, 2], "chebwin": [60], "gaussian": [2]}
    arguments |= dict.fromkeys(("kaiser", "kaiser_bessel_derived", "general_hamming"), [0.5])
    assert getattr(signal.windows, name)(8, *arguments.get(name, [])).shape == (8,), name
assert signal.find_peaks(x, height=0, threshold=0, distance=3, prominence=0, width=0, plateau_size=1)[0].size
assert signal.argrelmax(x)[0].size and signal.cwt(x, signal.ricker, [3]).shape == (1, 1000)
assert signal.czt(x).shape == x.shape and signal.chirp(x, 1, 2, 3).shape == x.shape
assert signal.lombscargle(tn.arange(9.0), x[:9], x[:9] + 2).shape == (9,)
assert signal.freqz(signal.firwin(9, 0.3), [1.0, 0.2])[1].shape == (512,)
assert signal.ShortTimeFFT.from_window("hann", 1.0, 16, 8).stft(x).shape[0] == 9
assert signal.max_len_seq(5)[0].shape == (31,)
for call in (lambda: signal.butter(3, 0.2), lambda: signal.lti([1.0], [1.0, 1.0]), lambda: signal.windows.dpss(8, 2),
             lambda: signal.find_peaks_cwt(x, [1]), lambda: signal.freqs([1.0], [1.0, 1.0])):
    try:
        call()
    except ImportError as error:
        assert "pip install scipy" in str(error) and "tenorite.scipy.signal." in str(error), error
    else:
        raise AssertionError("SciPy's function without SciPy")
print("fine")
"""


def test_signals_without_scipy():
    done = python("-c", PROGRAM)
    assert done.returncode == 0 and done.stdout == "fine\n", done.stderr
