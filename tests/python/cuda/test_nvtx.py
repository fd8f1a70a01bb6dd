"""tenorite.cuda.nvtx on a double that counts, and without NVTX."""

from programs import DOUBLES, needs_doubles, output_of

DOUBLE = DOUBLES / "libfake_nvtx.so"


def run(program, nvtx):
    return output_of("from tenorite.cuda import nvtx\n" + program, {"TENORITE_NVTX_PATH": str(nvtx)}).split()


@needs_doubles
def test_ranges_and_marks():
    said = run(
        f"""
import ctypes
assert "fake_nvtx" not in open("/proc/self/maps").read()  # loaded when it is needed
assert nvtx.available is True
nvtx.Mark("one")
nvtx.MarkC("two", 0xff)
nvtx.RangePush("three")
nvtx.RangePushC("four")
nvtx.RangePop()
number = nvtx.RangeStart("five")
nvtx.RangeEnd(number)
nvtx.RangeEnd(number + 1)  # none of ours
double = ctypes.CDLL({str(DOUBLE)!r})
double.fake_nvtx_text.restype = ctypes.c_char_p
names = b"nvtxMarkA nvtxRangePushA nvtxRangePop nvtxRangeStartA nvtxRangeEnd".split()
print(*(double.fake_nvtx_calls(name) for name in names), double.fake_nvtx_text().decode())
""",
        DOUBLE,
    )
    assert said == ["2", "2", "1", "1", "1", "five"]


def test_without_nvtx():
    assert run(
        """
print(nvtx.available, nvtx.RangeStart("x"), nvtx.Mark("x"), nvtx.RangePush("x"), nvtx.RangePop(),
      nvtx.RangeEnd(0))
""",
        "/nonexistent",
    ) == ["False", "0", "None", "None", "None", "None"]
