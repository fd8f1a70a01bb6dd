"""Compiled kernels are found again: on disk, and in the archive that a package carries, by programs
that have no compiler. The driver is the test double, so any machine will do; results are not looked
at."""

import json

import pytest
import tenorite
from programs import DOUBLES, needs_doubles, on_double, python

DOUBLE = DOUBLES / "libfake_nvrtc.so"

pytestmark = needs_doubles

ADD = """
a = tn.ones(1000, dtype="f4")
b = a + a
"""

# What programs begin with. Each line is one whose kernels `warm` must know.
USUAL = """
a = tn.zeros(1000); a = tn.ones(1000, dtype="i4"); a = tn.full((3, 3), 7)
a = tn.arange(1000); a = tn.arange(0, 1, 0.1, dtype="f4"); a = tn.linspace(0, 1, 50); a = tn.eye(3)
a, b = tn.empty((1000, 1000), dtype=dtype), tn.empty((1000, 1000), dtype=dtype)
c = a + b; c = a - b; c = a * b; c = a / b; c = a // b; c = a % 3; c = a**2
c = a + 1; c = 1 - a; c = 2 * a; c = a / 2; c = a + 2.5
c = -a; c = abs(a); a += b; a *= 2; a[:] = 0; a[0] = 1; a[1:5] = 2
c = a.T.copy(); c = a.T + b; c = a + b.T; c = a + a[0]; c = a + a[:, :1]
c = a[::2] + 1; c = a[:, ::2] * 2; c = a[::2].copy(); c = a[:, 0].copy(); c = a.reshape(-1)[1:] - a.reshape(-1)[:-1]
c = a.astype("f8"); c = a.astype("i4"); c = a.astype(bool)
c = tn.sqrt(a); c = tn.exp(a); c = tn.sin(a); c = tn.maximum(a, 0); c = tn.maximum(0, a); c = tn.minimum(a, b)
c = a < b; c = a > 0; c = a == b; c = (a > 0) & (b > 0); c = ~(a > 0); c = tn.isnan(a)
c = tn.where(a > 0, a, b); c = tn.where(a > 0, a, 0); c = tn.clip(a, 0, 1)
c = a.sum(); c = a.mean(); c = a.var(); c = a.max(); c = a.min(); c = a.prod(); c = a.argmax()
c = a.sum(axis=0); c = a.mean(axis=0); c = a.max(axis=0); c = a.std(axis=0)
c = a.sum(axis=1); c = a.mean(axis=1); c = a.min(axis=1); c = a.argmax(axis=1)
c = tn.empty((100, 100), dtype=dtype).sum(axis=1); c = tn.empty((4, 4), dtype=dtype).sum(axis=0)
c = (a > 0).sum(); c = (a > 0).any(); c = (a > 0).all(); c = tn.count_nonzero(a); c = tn.allclose(a, b)
c = a.cumsum(); c = a.cumsum(axis=0); c = a.cumsum(axis=1)
a[a > 0] = 1; i = tn.arange(10); c = a[i]; c = tn.take(a, i, axis=1); a[i] = 0; tn.add.at(a[0], i, 1)
c = tn.concatenate((a, b)); c = tn.stack((a, b)); c = tn.arange(10000).reshape(1000, -1).T * 2
x = tn.linspace(-20, 20, 5); c = tn.maximum(0, x) + tn.log1p(tn.exp(-abs(x)))
"""

END = """
import json
maps = open("/proc/self/maps").read()
print(json.dumps(dict(tn.cache.info(), has_compiler="nvrtc" in maps)))
"""


def install_compiler(folder, version):
    """A folder as NVRTC's wheel has it: a file's name tells the version without loading
    anything."""
    folder.mkdir()
    path = folder / f"libnvrtc.so.{version.split('.')[0]}"
    path.symlink_to(DOUBLE)
    (folder / f"libnvrtc-builtins.so.{version}").touch()
    return path


@pytest.fixture(scope="module")
def compiler(tmp_path_factory):
    return install_compiler(tmp_path_factory.mktemp("nvrtc") / "lib", "13.0")


def run(program, folder, compiler="", archive="", succeeds=True):
    """What the cache says at a program's end, or the program's last words."""
    variables = on_double(
        folder, TENORITE_KERNEL_ARCHIVE=str(archive), TENORITE_NVRTC_PATH=str(compiler) or "/nonexistent"
    )
    done = python("-c", "import tenorite as tn\n" + program + END, variables=variables)
    if not succeeds:
        assert done.returncode == 1
        return done.stderr.splitlines()[-1]
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def pack(folder, path, compiler, program=ADD, archs=None):
    run(f"{program}\ntn.cache.pack({str(path)!r}, {archs!r})", folder, compiler)
    return path


def test_first_use_compiles_and_second_finds(tmp_path, compiler):
    first = run(ADD, tmp_path / "cache", compiler)
    assert first["compiled"] == first["misses"] == 2  # ones and add
    assert first["has_compiler"]
    second = run(ADD, tmp_path / "cache", compiler)
    assert (second["compiled"], second["misses"], second["hits"]) == (0, 0, 2)
    assert not second["has_compiler"]  # it is large, and loaded only if something must be compiled


@pytest.mark.parametrize("unknown", ["--no-cache", "--no-cache --minimal"])
def test_older_compilers_know_fewer_options(tmp_path, compiler, monkeypatch, unknown):
    monkeypatch.setenv("FAKE_NVRTC_UNKNOWN", unknown)
    assert run(ADD, tmp_path / "cache", compiler)["compiled"] == 2


@pytest.mark.parametrize("has_compiler", [True, False])
def test_archive_serves_without_compiler(tmp_path, compiler, has_compiler):
    archive = pack(tmp_path / "other", tmp_path / "kernels.archive", compiler)
    info = run(ADD, tmp_path / "cache", compiler if has_compiler else "", archive)
    assert (info["compiled"], info["misses"], info["hits"]) == (0, 0, 2)
    assert info["files"] == 0
    assert not info["has_compiler"]


def test_archive_serves_other_compilers(tmp_path, compiler):
    """The user's NVRTC is another version than the package's."""
    archive = pack(tmp_path / "other", tmp_path / "kernels.archive", compiler)
    another = install_compiler(tmp_path / "lib", "12.1")
    for folder in ("other", "cache"):
        info = run(ADD, tmp_path / folder, another, archive)
        assert (info["compiled"], info["hits"]) == (0, 2)
    info = run(ADD, tmp_path / "other", another)  # on disk they are others
    assert info["compiled"] == 2


def test_without_compiler_and_archive_it_says_what_to_install(tmp_path):
    message = run(ADD, tmp_path / "cache", succeeds=False)
    assert "libnvrtc" in message and "pip install nvidia-cuda-nvrtc" in message


@pytest.mark.parametrize("damage", ["cut", "zeroed", "text", "empty", "missing"])
def test_damaged_archive_is_ignored(tmp_path, compiler, damage):
    archive = pack(tmp_path / "other", tmp_path / "kernels.archive", compiler)
    data = archive.read_bytes()
    archive.unlink()
    if damage != "missing":
        half = len(data) // 2
        archive.write_bytes(
            {
                "cut": data[:half],
                "zeroed": data[:half] + bytes(len(data) - half),
                "text": b"no archive at all",
                "empty": b"",
            }[damage]
        )
    info = run(ADD, tmp_path / "cache", compiler, archive)
    assert 1 <= info["compiled"] <= 2


def test_too_large_archive_is_refused(tmp_path, compiler):
    path = tmp_path / "kernels.archive"
    message = run(f"{ADD}\ntn.cache.pack({str(path)!r}, limit=100)", tmp_path / "cache", compiler, succeeds=False)
    assert message.startswith("ValueError: ") and "100 are allowed" in message
    assert not path.exists()


@pytest.fixture(scope="module")
def warmed(tmp_path_factory, compiler):
    """An archive of all that `warm` compiles, as `make wheel ARCHS=sm_90` packs it."""
    folder = tmp_path_factory.mktemp("warmed")
    return pack(
        folder / "cache",
        folder / "kernels.archive",
        compiler,
        "tn.cache.warm(archs='sm_90', progress=False)",
        ["sm_90"],
    )


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_usual_programs_compile_nothing(tmp_path, compiler, warmed, dtype):
    program = "".join(
        f"{line}\nassert tn.cache.info()['misses'] == 0, {line!r}\n"
        for line in [f"dtype = {dtype!r}", *"; ".join(USUAL.strip().splitlines()).split("; ")]
    )
    info = run(program, tmp_path / "cache", compiler, warmed)
    assert info["compiled"] == 0
    assert info["hits"] > 80


def test_archive_of_older_architecture(tmp_path, compiler):
    """Kernels packed for 8.0 are of no use to 9.0: another generation."""
    archive = pack(
        tmp_path / "other", tmp_path / "kernels.archive", compiler, "tn.cache.warm(archs=80, progress=False)", [80]
    )
    info = run(ADD, tmp_path / "cache", compiler, archive)
    assert info["archived"] > 100
    assert info["compiled"] == 2


def test_program_may_end_while_kernels_are_compiled(tmp_path, compiler):
    variables = on_double(
        tmp_path, TENORITE_NVRTC_PATH=str(compiler), TENORITE_COMPILE_THREADS="2", FAKE_NVRTC_MS="100"
    )
    program = "import tenorite as tn\na = tn.empty(10)\nb = a + a; b = a - a; b = a * a; b = a / a; b = abs(a)"
    done = python("-c", program, variables=variables)
    assert (done.returncode, done.stderr) == (0, "")
    # The first, and what two threads had begun; how much more depends on the machine. Kernels that
    # were compiled together are a file for all and one for each.
    assert 1 <= len(list(tmp_path.glob("*.kernel"))) <= 5 + 2


def test_missing_compiler_is_heard_of_at_the_call(tmp_path):
    message = run(
        "a = tn.empty(10)\ntry:\n    a + a\nexcept RuntimeError as e:\n    assert 'nvrtc' in str(e)\n"
        "else:\n    raise SystemExit(3)",
        tmp_path / "cache",
    )
    assert message["compiled"] == 0


# --- Warming ---


def test_progress_is_told(tmp_path, compiler):
    run(
        """
seen = []
tn.cache.warm(archs=90, progress=lambda done, total: seen.append((done, total)))
done, totals = zip(*seen)
assert list(done) == sorted(done) and len(set(totals)) == 1 and done[-1] == totals[0] > 100
tn.cache.warm(archs=["sm_90", "9.0", 90], progress=None)
assert tn.cache.info()["compiled"] > 0
""",
        tmp_path,
        compiler,
    )


def test_progress_that_fails_ends_it(tmp_path, compiler):
    message = run(
        """
def refuse(done, total):
    raise KeyError("no more")
tn.cache.warm(archs=90, progress=refuse)
""",
        tmp_path,
        compiler,
        succeeds=False,
    )
    assert message == "KeyError: 'no more'"


def test_progress_is_printed(tmp_path, compiler):
    run(
        """
import contextlib, io
said = io.StringIO()
with contextlib.redirect_stderr(said):
    tn.cache.warm(archs=90)
last = said.getvalue().split("\\r")[-1]
done, _, total = last.split()[1:4]
assert last == f"tenorite: {total} of {total} kernels compiled\\n" and done == total, last
said.truncate(0)
with contextlib.redirect_stderr(said):
    tn.cache.warm(archs=80, progress=False)
assert said.getvalue() == ""
""",
        tmp_path,
        compiler,
    )


@pytest.mark.parametrize("arch", ["sm_90a", "90a", "", "nine", "9.0.1", "-90", "compute_90", 9.05, None])
def test_architectures_that_are_none(arch):
    with pytest.raises(ValueError, match="is no architecture: give a compute capability as 90, '9.0' or 'sm_90'"):
        tenorite.cache.warm(archs=[arch])


def test_what_can_not_be_kept_is_not_compiled(tmp_path, compiler):
    (tmp_path / "file").touch()
    for folder, variables, reason in (
        ("", "", "compiled kernels can't be kept: no folder is given"),
        (tmp_path / "file", "", f"compiled kernels can't be kept: {tmp_path}/file is not a folder"),
        (tmp_path / "cache", "os.environ['TENORITE_CACHE_SIZE'] = '0'", "TENORITE_CACHE_SIZE is 0"),
    ):
        run(
            f"""
import os
{variables}
try:
    tn.cache.warm(archs=90, progress=False)
except RuntimeError as error:
    assert {reason!r} in str(error), error
else:
    raise SystemExit(3)
assert tn.cache.info()["compiled"] == 0
""",
            folder,
            compiler,
        )


def test_kernels_that_can_not_be_written(tmp_path, compiler):
    """A full disk, as far as a limit on the size of files can stand for one."""
    run(
        """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200, resource.RLIM_INFINITY))
try:
    tn.cache.warm(archs=90, progress=False)
except RuntimeError as error:
    assert "can't be written to" in str(error) and "File too large" in str(error), error
else:
    raise SystemExit(3)
""",
        tmp_path,
        compiler,
    )
    assert not list(tmp_path.glob("*.kernel"))
