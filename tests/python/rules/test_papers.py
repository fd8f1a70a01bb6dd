"""Papers against the tree: the map of ARCHITECTURE.md, the length of papers, and their links."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAPERS = [*ROOT.glob("*.md"), *ROOT.glob("src/**/README.md")]
# Top folders whose inner folders the map leaves to the reader.
CLOSED = {"bench", "examples", "docs", "tools"}

pytestmark = pytest.mark.skipif(not (ROOT / "ARCHITECTURE.md").exists(), reason="the tree alone has papers")


def folders_of_map(text):
    """The folders that the first indented block names: names that end with / before two spaces."""
    found, above = set(), []
    block = re.search(r"^## The rooms\n(?:(?! {4}).*\n)+((?: {4}.*\n)+)", text, re.MULTILINE)[1]
    for line in block.splitlines():
        indent = len(line) - len(line.lstrip())
        while above and above[-1][0] >= indent:
            above.pop()
        parent = above[-1][1] if above else ""
        names = re.split(r"  +", line.strip())[0].split()
        for name in names:
            assert name.endswith("/"), line
            found.add(parent + name.rstrip("/"))
        above.append((indent, parent + names[-1]))
    return found


def folders_of_tree():
    """Folders with files of the project, of the top folders that the map opens."""
    found = set()
    for top in ("include", "src", "python", "tests", *CLOSED):
        for path in (ROOT / top).rglob("*"):
            parts = path.relative_to(ROOT).parts[:-1]
            is_made = any(part.startswith((".", "__")) for part in parts) or path.is_symlink()
            if path.is_dir() or is_made or path.suffix in (".so", ".pyc"):
                continue
            for length in range(1, len(parts) + 1):
                if length > 1 and parts[0] in CLOSED:
                    break
                found.add("/".join(parts[:length]))
    return found - {"include"}


def test_the_map_has_every_folder():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named, there = folders_of_map(text), folders_of_tree()
    assert not there - named, "folders that the map does not name"
    assert not named - there, "folders of the map that are not there"


def test_architecture_is_read_in_one_sitting():
    assert (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").count("\n") <= 250


@pytest.mark.parametrize("paper", PAPERS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_and_widths(paper):
    text = paper.read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
        assert (paper.parent / target).exists(), target
    wide = [line for line in text.splitlines() if len(line) > 100 and not line.startswith(("|", "[!", "!["))]
    assert not wide


def test_files_that_papers_name():
    """A path with a folder and a suffix is a file of the tree, or the end of its path."""
    everything = {
        path.relative_to(ROOT).as_posix()
        for top in ("include", "src", "python", "tests", "tools", "bench", "examples")
        for path in (ROOT / top).rglob("*.*")
    }
    for paper in PAPERS:
        text = paper.read_text(encoding="utf-8")
        for name in re.findall(r"`((?:[\w.]+/)+[\w.]+\.(?:c|h|cu|cuh|def|py|fn|params))`", text):
            assert any(f"/{path}".endswith(f"/{name}") for path in everything), (paper.name, name)
