"""Sparse solvers and graphs in a process in which SciPy cannot be imported."""

from programs import python

PROGRAM = """
import sys

class Refuses:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "scipy":
            raise ModuleNotFoundError("No module named 'scipy'", name="scipy")

sys.meta_path.insert(0, Refuses())
import tenorite as tn
from tenorite.scipy import sparse
from tenorite.scipy.sparse import csgraph, linalg

n = 30
line = sparse.diags([-tn.ones(n - 1), tn.full(n, 2.0), -tn.ones(n - 1)], [-1, 0, 1])
a = (sparse.kron(sparse.identity(n), line) + sparse.kron(line, sparse.identity(n))).tocsr()
b = tn.ones(n * n)
for x in (linalg.spsolve(a, b), linalg.splu(a.tocsc()).solve(b), linalg.factorized(a)(b),
          linalg.cg(a, b, rtol=1e-12)[0]):
    assert abs(a @ x - b).max() < 1e-8
assert linalg.spilu(a).solve(b).shape == b.shape
t = sparse.tril(a)
assert abs(t @ linalg.spsolve_triangular(t, b) - b).max() < 1e-8
assert linalg.eigsh(a, k=3)[0].shape == (3,) and linalg.svds(a, k=2)[1].shape == (2,)
assert csgraph.connected_components(a)[0] == 1
assert float(csgraph.dijkstra(abs(a), indices=0)[-1]) == 2 * n - 2
assert csgraph.minimum_spanning_tree(abs(a)).nnz == n * n - 1
try:
    a.get()
except ImportError as error:
    assert "pip install scipy" in str(error)
else:
    raise AssertionError("a matrix of SciPy's without SciPy")
print("fine")
"""


def test_solvers_and_graphs_without_scipy():
    done = python("-c", PROGRAM)
    assert done.returncode == 0 and done.stdout == "fine\n", done.stderr
