"""``python -m tenorite.tools.install_library --library nccl --cuda 12.x`` installs a library.

CuPy downloads archives of NVIDIA's; here pip installs the wheel of PyPI that holds the library,
where the package finds it by itself.
"""

import argparse
import json
import subprocess
import sys

__all__ = ["library_records", "main"]

_WHEELS = {"cutensor": "cutensor-cu{major}", "nccl": "nvidia-nccl-cu{major}"}
_MAJORS = ("12", "13")
# For each library, the versions of CUDA that there is a wheel for.
library_records = {
    library: [{"cuda": f"{major}.x", "package": wheel.format(major=major)} for major in _MAJORS]
    for library, wheel in _WHEELS.items()
}


def _cuda(text):
    major = text.split(".")[0]
    if major not in _MAJORS:
        allowed = ", ".join(f"{one}.x" for one in _MAJORS)
        raise argparse.ArgumentTypeError(f"CUDA {text!r} is none of {allowed}")
    return major


def main(args=None):
    """Install a library that is used where it is there.

    Parameters
    ----------
    args : list of str, optional
        Those of the command line: ``--library``, ``--cuda``, ``--prefix`` and ``--action``.

    Returns
    -------
    int
        The exit status: 0, or that of pip.

    Examples
    --------
    >>> from tenorite.tools import install_library
    >>> install_library.main(["--library", "nccl", "--cuda", "12.x", "--action", "dump"])
    {"library": "nccl", "cuda": "12.x", "package": "nvidia-nccl-cu12"}
    0
    """
    parser = argparse.ArgumentParser(prog="python -m tenorite.tools.install_library", description=__doc__)
    parser.add_argument("--library", required=True, choices=sorted(_WHEELS))
    parser.add_argument("--cuda", required=True, type=_cuda, help="version of CUDA: 12.x or 13.x")
    parser.add_argument("--prefix", help="folder for the library; the environment's packages if not given")
    parser.add_argument("--action", choices=("install", "dump"), default="install", help="dump: say what it is")
    given = parser.parse_args(args)
    package = _WHEELS[given.library].format(major=given.cuda)
    if given.action == "dump":
        print(json.dumps({"library": given.library, "cuda": f"{given.cuda}.x", "package": package}))
        return 0
    target = ["--target", given.prefix] if given.prefix else []
    return subprocess.run([sys.executable, "-m", "pip", "install", *target, package], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
