"""What ``import cupy_backends`` finds in a process that a program under the alias has started."""

from tenorite._cupy.alias import become

become(__name__)
