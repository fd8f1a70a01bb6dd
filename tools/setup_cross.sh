#!/bin/sh
# Make a Debian able to build this tree for another system: compilers and emulators through apt-get,
# and the libraries of the other system below the build folder.
#
#     tools/setup_cross.sh aarch64 FOLDER     for 64-bit Arm, run by qemu-user
#     tools/setup_cross.sh musl FOLDER        for this processor, with musl in the place of glibc
#
# FOLDER gets cross.ini, which Meson reads.
set -eu
system=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
tools=$(cd "$(dirname "$0")" && pwd)

say() { printf 'setup: %s\n' "$*" >&2; }
missing=
need() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
case $system in
aarch64)
    need aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
    need qemu-aarch64 qemu-user
    [ -e /usr/aarch64-linux-gnu/include/stdio.h ] || missing="$missing libc6-dev-arm64-cross"
    ;;
musl) need musl-gcc musl-tools ;;
*) say "no such system: $system" && exit 1 ;;
esac
if [ -n "$missing" ]; then
    as_root=
    [ "$(id -u)" = 0 ] || as_root=sudo
    say "installing$missing"
    $as_root apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi

# Packages of another architecture, unpacked into FOLDER/system, with lists of their own: nothing of
# this machine's packages changes.
unpack() {
    architecture=$1
    shift
    [ -e "$folder/system/usr/include/cmocka.h" ] && return
    mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial" "$folder/system"
    : >"$folder/apt/status"
    options="-o APT::Architecture=$architecture -o APT::Architectures=$architecture
        -o Dir::State::lists=$folder/apt/lists -o Dir::State::status=$folder/apt/status
        -o Dir::Cache::archives=$folder/apt/archives -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
        -o Dir::Etc::sourcelist=/etc/apt/sources.list.d/debian.sources -o Dir::Etc::sourceparts=-"
    [ -e /etc/apt/sources.list.d/debian.sources ] || options=${options%-o Dir::Etc::sourcelist*}
    # shellcheck disable=SC2086
    apt-get $options -o APT::Sandbox::User=root update -qq
    # shellcheck disable=SC2086
    (cd "$folder/apt" && apt-get $options -o APT::Sandbox::User=root download -qq "$@")
    for package in "$folder"/apt/*.deb; do dpkg -x "$package" "$folder/system"; done
}

if [ "$system" = aarch64 ]; then
    unpack arm64 libcmocka0 libcmocka-dev
    lib=$folder/system/usr/lib/aarch64-linux-gnu
    cat >"$folder/cross.ini" <<END
[binaries]
c = 'aarch64-linux-gnu-gcc'
ar = 'aarch64-linux-gnu-ar'
strip = 'aarch64-linux-gnu-strip'
pkg-config = 'pkg-config'
exe_wrapper = ['$tools/emulate.sh', 'qemu-aarch64', '-L', '/usr/aarch64-linux-gnu', '-E', 'LD_LIBRARY_PATH=$lib']

[properties]
pkg_config_libdir = '$lib/pkgconfig'
sys_root = '$folder/system'

[built-in options]
c_link_args = ['-L$lib']

[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
END
else
    # The headers of the kernel are those of this machine, after musl's own.
    cat >"$folder/cross.ini" <<END
[binaries]
c = 'musl-gcc'
ar = 'ar'
strip = 'strip'
pkg-config = 'false'

[built-in options]
c_args = ['-idirafter', '/usr/include', '-idirafter', '/usr/include/$(uname -m)-linux-gnu']

[host_machine]
system = 'linux'
cpu_family = '$(uname -m)'
cpu = '$(uname -m)'
endian = 'little'
END
fi
