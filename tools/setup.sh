#!/bin/sh
# Make a bare Debian able to build this tree: system packages through apt-get, and only the missing
# ones; Python packages into .venv. Running it again costs a second.
#
#     tools/setup.sh          (PYTHON chooses the interpreter; else the first that is new enough)
set -eu
cd "$(dirname "$0")/.."

say() { printf 'setup: %s\n' "$*" >&2; }
has() { command -v "$1" >/dev/null 2>&1; }
is_new() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
require_new() {
    is_new "$1" && return
    say "$1 is older than Python 3.11; set PYTHON to a newer one"
    exit 1
}

missing=
need() { missing="$missing $1"; }
has cc || has gcc || need gcc
# Kernels that users write for the host are C++.
has c++ || has g++ || need g++
[ -e /usr/include/stdio.h ] || need libc6-dev
has pkg-config || need pkg-config
pkg-config --exists cmocka 2>/dev/null || [ -e /usr/include/cmocka.h ] || need libcmocka-dev

python=${PYTHON:-python3}
if [ -z "${PYTHON:-}" ] && has python3 && ! is_new python3; then
    for other in python3.14 python3.13 python3.12 python3.11; do
        if has "$other"; then python=$other && break; fi
    done
fi
has "$python" || need python3
if has "$python"; then
    require_new "$python"
    # Beside the system's own, interpreters have packages of their own names: python3.12-venv.
    "$python" -c 'import ensurepip, venv' 2>/dev/null || need "$(basename "$python")-venv"
    "$python" -c 'import os, sysconfig
os.stat(os.path.join(sysconfig.get_paths()["include"], "Python.h"))' 2>/dev/null ||
        need "$(basename "$python")-dev"
else
    need python3-venv
    need python3-dev
fi
# What starts the processes of programs with MPI.
has mpirun || need openmpi-bin
# Vector mathematics of the host backend, loaded at run time; without it libm serves.
find /usr/lib /usr/local/lib /lib64 -name 'libsleef.so.3' 2>/dev/null | grep -q . || need libsleef3

if [ -n "$missing" ]; then
    as_root=
    if [ "$(id -u)" != 0 ]; then
        if has sudo; then as_root=sudo; else
            say "missing:$missing; neither root nor sudo, so install them by hand"
            exit 1
        fi
    fi
    if ! has apt-get; then
        say "missing:$missing; no apt-get here, so install them by hand"
        exit 1
    fi
    say "installing$missing"
    export DEBIAN_FRONTEND=noninteractive
    $as_root apt-get update -qq
    # shellcheck disable=SC2086
    $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi

require_new "$python"
if ! cmp -s tools/requirements.txt .venv/requirements.txt; then
    # One whose making was cut short has no pip.
    .venv/bin/python -m pip --version >/dev/null 2>&1 || "$python" -m venv --clear .venv
    say "installing Python packages into .venv"
    .venv/bin/python -m pip install -q --disable-pip-version-check -r tools/requirements.txt
    cp tools/requirements.txt .venv/requirements.txt
fi
