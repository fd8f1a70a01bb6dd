"""Ready-made memory hooks."""

from tenorite.cuda.memory_hooks import debug_print, line_profile
from tenorite.cuda.memory_hooks.debug_print import DebugPrintHook
from tenorite.cuda.memory_hooks.line_profile import LineProfileHook

__all__ = ["DebugPrintHook", "LineProfileHook", "debug_print", "line_profile"]
