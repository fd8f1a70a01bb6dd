"""CuPy's choice among libraries for reductions. Ours need none of them, so a choice is kept and
changes nothing."""

__all__ = [
    "ACCELERATOR_CUB",
    "ACCELERATOR_CUTENSOR",
    "get_reduction_accelerators",
    "get_routine_accelerators",
    "set_reduction_accelerators",
    "set_routine_accelerators",
]

ACCELERATOR_CUB, ACCELERATOR_CUTENSOR = 1, 2
_NUMBERS = {"cub": 1, "cutensor": 2, 1: 1, 2: 2}
_chosen = {"routine": [], "reduction": []}


def _set(kind, accelerators):
    for one in accelerators:
        if one not in _NUMBERS:
            raise ValueError(f"Unknown accelerator: {one}")
    _chosen[kind] = [_NUMBERS[one] for one in accelerators]


def set_routine_accelerators(accelerators):
    """Keeps the names of libraries for whole routines."""
    _set("routine", accelerators)


def set_reduction_accelerators(accelerators):
    """Keeps the names of libraries for reductions."""
    _set("reduction", accelerators)


def get_routine_accelerators():
    """The numbers of the libraries that were set for whole routines."""
    return list(_chosen["routine"])


def get_reduction_accelerators():
    """The numbers of the libraries that were set for reductions."""
    return list(_chosen["reduction"])
