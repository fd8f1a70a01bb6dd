"""Docstrings: what parameters of the same name mean for all graphs, once."""

from tenorite._lib.documents import documenter

_PARAMETERS = {
    "csgraph": ("sparse matrix or array", "N x N."),
    "directed": ("bool", "Whether an edge leads from i to j alone."),
    "i_start": ("int", ""),
    "overwrite": ("bool", "No use is made of this permission."),
    "return_predecessors": ("bool", ""),
}

documented = documenter(_PARAMETERS)
