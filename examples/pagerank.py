"""PageRank of a graph whose degrees follow a power law: one program for SciPy and Tenorite.

    python examples/pagerank.py [--edges N] [--pages N] [--module numpy|tenorite|both]

A page links to pages that are popular already. The rank of a page is the share of time that a
reader spends there that follows a random link and now and then begins anew on any page. Each round
is one product of a sparse matrix with a vector, until the ranks stay.
"""

# pyright: reportArgumentType=false, reportAttributeAccessIssue=false
# SciPy's types are a guess of the checker's.

import argparse

import numpy as np
import side_by_side


def sparse_of(xp):
    """The module of sparse matrices that goes with an array module."""
    if xp is np:
        import scipy.sparse

        return scipy.sparse
    return xp.scipy.sparse


def links(pages, edges, rng):
    """From and to which page each link leads: the r-th most popular page gets links as 1 / r."""
    popularity = rng.permutation(pages)
    place = np.exp(rng.random(edges) * np.log(pages)).astype(np.int64) - 1
    return rng.integers(pages, size=edges), popularity[place]


def pagerank(xp, source, target, pages, damping=0.85, tolerance=1e-10, most=200):
    """The ranks, the number of rounds, and the ten highest ranked pages."""
    sparse = sparse_of(xp)
    source, target = xp.asarray(source), xp.asarray(target)
    ones = xp.ones(source.size)
    graph = sparse.coo_matrix((ones, (target, source)), shape=(pages, pages)).tocsr()
    out = xp.asarray(graph.sum(axis=0)).ravel()
    graph = graph @ sparse.diags([1 / xp.maximum(out, 1)], [0], format="csr")
    dangling = (out == 0).astype(np.float64)
    ranks = xp.full(pages, 1 / pages)
    rounds, change = 0, tolerance
    while rounds < most and change >= tolerance:
        rounds += 1
        lost = (ranks * dangling).sum()
        former, ranks = ranks, damping * (graph @ ranks + lost / pages) + (1 - damping) / pages
        change = float(abs(ranks - former).sum())
    return {"ranks": ranks, "rounds": xp.asarray(rounds), "links": xp.asarray(graph.nnz), "sum": ranks.sum()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--pages", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=7)
    side_by_side.add_options(parser)
    options = parser.parse_args()

    source, target = links(options.pages, options.edges, np.random.default_rng(options.seed))
    result = side_by_side.run(lambda xp: pagerank(xp, source, target, options.pages), options.module)
    print(f"{int(result['links']):,} different links, {int(result['rounds'])} rounds")
    for page in np.argsort(-result["ranks"])[:5]:
        print(f"page {page:>8}: {result['ranks'][page]:.6f}")
    print(f"the ranks add up to {float(result['sum']):.9f}")


if __name__ == "__main__":
    main()
