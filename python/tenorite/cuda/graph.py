"""Graphs: work of streams that was recorded once and is launched many times."""

import os
import tempfile

from tenorite import _core

Graph = _core._Graph


# --- What the type asks for ---


def _describe(graph, flags=0):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "graph.dot")
        graph._print(path, flags)
        with open(path) as file:
            return file.read()
