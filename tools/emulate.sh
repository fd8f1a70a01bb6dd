#!/bin/sh
# Run a program of another processor with qemu-user, on one core of this machine.
#
#     tools/emulate.sh QEMU ARGUMENTS...
#
# QEMU 7.2 puts no barrier between a store and a later load that are both sequentially consistent
# (stlr, ldar), which x86 then exchanges: a thread may sleep for good. On one core no thread sees
# that. The threads are four all the same.
set -eu
export TENORITE_NUM_THREADS="${TENORITE_NUM_THREADS:-4}"
core=$(python3 -c 'import os; cores = sorted(os.sched_getaffinity(0)); print(cores[os.getppid() % len(cores)])')
exec taskset -c "$core" "$@"
