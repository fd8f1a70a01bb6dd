# Where this tree is built and tested: what tools/setup.sh installs is there already.
FROM debian:trixie-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        ca-certificates g++ gdb git libc6-dev libcmocka-dev libsleef3 make openmpi-bin pkg-config \
        python3 python3-dev python3-venv sudo \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 --shell /bin/bash tenorite \
    && echo 'tenorite ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/tenorite
USER tenorite
