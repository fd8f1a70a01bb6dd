"""Files for other systems than ours: workflows, images and the editor's container."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
IMAGES = sorted((ROOT / "docker").glob("*.Dockerfile"))

pytestmark = pytest.mark.host_only("it is about files")


def read(workflow):
    return pytest.importorskip("yaml").safe_load(workflow.read_text())


def steps_of(workflow):
    return [(job, step) for job in read(workflow)["jobs"].values() for step in job["steps"]]


def targets():
    """The commands of the Makefile."""
    return set(re.findall(r"^([a-z][a-z-]*):(?!=)", (ROOT / "Makefile").read_text(), re.MULTILINE))


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_schema(workflow):
    """By the published schema of workflows."""
    pytest.importorskip("check_jsonschema")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", workflow]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_commands_are_of_the_makefile():
    """What a job runs is a target, and each value of a matrix that it names is there."""
    ran = set()
    for workflow in WORKFLOWS:
        for job, step in steps_of(workflow):
            matrix = job.get("strategy", {}).get("matrix", {})
            for name in re.findall(r"matrix\.(\w+)", json.dumps(job)):
                assert name in matrix or all(name in row for row in matrix["include"]), (workflow.name, name)
            for command in re.findall(r"make (\$\{\{ matrix\.(\w+) \}\}|[\w-]+)", step.get("run", "")):
                ran |= set(matrix[command[1]]) if command[1] else {command[0]}
    assert ran - targets() == set()
    assert {"check", "test", "sanitize", "check-clang", "test-arm", "test-musl", "test-pythons", "docs"} <= ran


def test_each_job_checks_out_before_it_runs():
    for workflow in WORKFLOWS:
        for name, job in read(workflow)["jobs"].items():
            steps = job["steps"]
            makes = any("make " in step.get("run", "") or "docker " in step.get("run", "") for step in steps)
            assert not makes or steps[0].get("uses", "").startswith("actions/checkout@"), (workflow.name, name)


def test_pythons_are_those_of_the_classifiers():
    listed = set(re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text()))
    assert set(read(ROOT / ".github/workflows/ci.yml")["jobs"]["test"]["strategy"]["matrix"]["python"]) == listed


@pytest.mark.parametrize("image", IMAGES, ids=lambda path: path.stem)
def test_image(image, tmp_path):
    """It parses, takes files that are there and in no list of what is ignored, and is not root."""
    parser = pytest.importorskip("dockerfile_parse").DockerfileParser(path=str(tmp_path))
    parser.content = image.read_text()
    known = {"FROM", "ENV", "RUN", "COPY", "USER", "WORKDIR", "CMD", "COMMENT"}
    found = [(step["instruction"], step["value"]) for step in parser.structure]
    assert {name for name, _ in found} <= known
    assert found[0][0] in ("FROM", "COMMENT") and [value for name, value in found if name == "USER"] == ["tenorite"]
    stages = [value for name, value in found if name == "FROM"]
    names = {stage.split(" AS ")[1] for stage in stages if " AS " in stage}
    assert all(stage.split()[0] in names or re.fullmatch(r"[a-z]+:[\w.-]+", stage.split()[0]) for stage in stages)
    allowed = (ROOT / ".dockerignore").read_text().split("!")[1:]
    for value in (value for name, value in found if name == "COPY"):
        source = [word for word in value.split() if not word.startswith("--")][0]
        assert source in [line.strip() for line in allowed]
        assert source.startswith("dist/") or (ROOT / source).is_file()


NEWER = """
double exp(double);
double fmod(double, double);
float acosf(float);
long __isoc23_strtol(const char *, char **, int);
unsigned long long __isoc23_strtoull(const char *, char **, int);
int __isoc23_sscanf(const char *, const char *, ...);

int main(int count, char **words) {
    int seen = 0;
    if (__isoc23_sscanf("5", "%d", &seen) != 1 || seen != 5) return 1;
    if (__isoc23_strtol("7", 0, 10) != 7 || __isoc23_strtoull("8", 0, 10) != 8) return 2;
    return exp(count - 1) + fmod(count, 2) + acosf(count) == 2 && words ? 0 : 3;
}
"""


@pytest.mark.skipif(shutil.which("cc") is None or shutil.which("nm") is None, reason="needs a C compiler")
def test_versions_of_glibc(tmp_path):
    """Calls that headers of any newer glibc make are calls of what 2.28 has."""
    if os.confstr("CS_GNU_LIBC_VERSION") is None or os.uname().machine not in ("x86_64", "aarch64"):
        pytest.skip("the versions are those of glibc on two processors")
    (tmp_path / "newer.c").write_text(NEWER)
    command = ["cc", "-O0", "-fno-builtin", "-include", ROOT / "src/core/base/glibc.h", "newer.c", "-lm", "-o", "newer"]
    subprocess.run(command, cwd=tmp_path, check=True)
    subprocess.run([tmp_path / "newer"], check=True)
    shown = subprocess.run(["nm", "-D", tmp_path / "newer"], check=True, capture_output=True, text=True).stdout
    versions = dict(re.findall(r" U (\w+)@+GLIBC_([\d.]+)", shown))
    assert {"exp", "fmod", "acosf", "strtol", "strtoull", "__isoc99_sscanf"} <= set(versions)
    for name in set(versions) - {"__libc_start_main"}:
        assert tuple(map(int, versions[name].split("."))) <= (2, 28), name


def test_editors_container():
    described = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text())
    image = ROOT / ".devcontainer" / described["build"]["dockerfile"]
    assert f"USER {described['remoteUser']}" in image.read_text()
    assert described["postCreateCommand"].removeprefix("make ") in targets()


def test_editors_container_has_what_setup_installs():
    """So that the first build in it asks for nothing."""
    needed = set(re.findall(r"need ([a-z][\w-]+)", (ROOT / "tools/setup.sh").read_text())) - {"gcc"}
    words = set((ROOT / "docker/devcontainer.Dockerfile").read_text().split())
    assert needed - words == set()


@pytest.mark.skipif(not os.environ.get("TENORITE_IMAGES"), reason="on request: it fetches the images' bases")
@pytest.mark.parametrize("image", ["cpu", "cuda"])
def test_build(image):
    """The image's own test, run by docker or podman with the wheel in dist/."""
    if not list((ROOT / "dist").glob("*.whl")):
        pytest.skip("no wheel was made")
    builder = shutil.which("docker") or shutil.which("podman")
    command = [builder, "build", "-q", "-f", ROOT / f"docker/{image}.Dockerfile", "--target", "test", ROOT]
    subprocess.run(command, check=True)
