"""Build the site: what is written by hand, and what programs make of the package and the headers.

    python docs/build.py FOLDER

FOLDER/source is what Sphinx reads, FOLDER/html what it writes. A warning is an error. Nothing is
fetched.
"""

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path[:0] = [str(DOCS), str(ROOT / "tools")]

import make_c_reference  # noqa: E402
import make_gallery  # noqa: E402
import make_names  # noqa: E402
import make_papers  # noqa: E402
import make_reference  # noqa: E402
import make_sources  # noqa: E402
import make_tables  # noqa: E402


def main(folder):
    """Make the source and let Sphinx build the pages."""
    source = Path(folder) / "source"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, source, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    for name in ("conf.py", "links.py", "pages.py"):
        shutil.copy(DOCS / name, source)
    shutil.copytree(DOCS / "programs", source / "programs", dirs_exist_ok=True)
    shutil.copytree(ROOT / "examples", source / "examples")
    shutil.copy(ROOT / "pyproject.toml", source)
    make_papers.main(source)
    (source / "made").mkdir()
    with ThreadPoolExecutor() as pool:  # the gallery's programs run beside the rest
        gallery = pool.submit(make_gallery.main, source / "made")
        write_pages(source)
        gallery.result()
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-j", "auto", "-b", "html"]
    subprocess.run([*command, source, Path(folder) / "html"], check=True)
    make_sources.main(source / "reference", Path(folder) / "html/source")
    print(f"{folder}/html/index.html")


def write_pages(source):
    """Write the pages that are made of the package, the figures and the headers."""
    make_tables.main(source / "made")
    make_tables.special(source / "made" / "special.rst")
    make_reference.main(source / "reference")
    make_names.main(source / "names.rst")
    make_c_reference.main(source / "c")


if __name__ == "__main__":
    main(*sys.argv[1:])
