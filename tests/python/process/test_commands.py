"""``python -m tenorite`` with words of its own."""

import pytest
import tenorite as cp
from programs import ROOT, python


def said(*arguments, **options):
    done = python("-m", "tenorite", *arguments, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_help_and_version():
    assert "written for CuPy" in said() and said() == said("--help") == said("-h")
    assert said("--version") == f"tenorite {cp.__version__}\n"


def test_errors():
    assert said("errors", "singular") == (ROOT / "docs/errors/singular.rst").read_text(encoding="utf-8")
    assert said("errors", "errors/singular") == said("errors", "singular")
    assert "singular " in said("errors") and "A matrix without an inverse" in said("errors")
    done = python("-m", "tenorite", "errors", "nothing")
    assert done.returncode == 1 and "no page 'nothing'; there are axis, " in done.stderr


def test_pages_that_messages_name():
    with pytest.raises(cp.linalg.LinAlgError) as caught:
        cp.linalg.inv(cp.zeros((2, 2))).get()
    name = caught.value.__notes__[0].split()[1].removeprefix("errors/")
    assert said("errors", name)


def test_config():
    text = said("config", variables={"TENORITE_LOG": "compile"})
    for line in ("cores ", "memory ", "Python ", "C++ compiler ", "TENORITE_LOG ", "host:0"):
        assert line in text


def test_programs_that_are_not_there(tmp_path):
    done = python("-m", "tenorite", "nothing.py", cwd=tmp_path)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "can't open file" in done.stderr and "nothing.py" in done.stderr


def test_a_programs_name_comes_first(tmp_path):
    (tmp_path / "config").write_text("print('mine')")
    assert said("config", cwd=tmp_path) == "mine\n"


def test_wheels_carry_every_page():
    listed = (ROOT / "python/tenorite/meson.build").read_text(encoding="utf-8")
    for path in (ROOT / "docs/errors").glob("*.rst"):
        assert path.stem == "index" or f"docs/errors/{path.name}'" in listed
