"""Group-by, join and percentiles of a table of a million rows: one program for NumPy and Tenorite.

    python examples/tabular.py [--rows N] [--module numpy|tenorite|both]

A table of sales (customer, product, amount) is made and joined to a table of customers by their
number; of each region it says how much was sold, of each product the largest sale, and of all
customers the percentiles of what they spent.
"""

import argparse

import numpy as np
import side_by_side

REGIONS, PRODUCTS = 12, 50


def tables(rows, seed):
    """NumPy arrays: the columns of the sales, and those of the customers in no order."""
    rng = np.random.default_rng(seed)
    customers = rng.permutation(np.arange(10, 10 + 3 * (rows // 20 + 1), 3))
    sales = {
        "customer": rng.choice(np.append(customers, 5), rows),  # 5 is no customer
        "product": (PRODUCTS * rng.beta(2, 5, rows)).astype(np.int32),
        "amount": rng.integers(100, 100_000, rows),  # in cents
    }
    return sales, {"customer": customers, "region": rng.integers(REGIONS, size=len(customers))}


def join(xp, keys, table_keys):
    """For each key its row in the table, and whether there is one."""
    order = xp.argsort(table_keys)
    at = xp.searchsorted(table_keys, keys, sorter=order)
    rows = order[xp.minimum(at, len(order) - 1)]
    return rows, table_keys[rows] == keys


def report(xp, sales, people):
    sales = {name: xp.asarray(column) for name, column in sales.items()}
    people = {name: xp.asarray(column) for name, column in people.items()}

    rows, found = join(xp, sales["customer"], people["customer"])
    region, amount = people["region"][rows[found]], sales["amount"][found]
    by_region = xp.bincount(region, minlength=REGIONS)
    sold = xp.zeros(REGIONS, dtype=xp.int64)
    xp.add.at(sold, region, amount)

    # The largest sale of each product: the last row of each group in order of product and amount.
    order = xp.lexsort(xp.stack([sales["amount"], sales["product"]]))
    product = sales["product"][order]
    names, first, counts = xp.unique(product, return_index=True, return_counts=True)
    largest = sales["amount"][order][first + counts - 1]

    customer, which = xp.unique(sales["customer"][found], return_inverse=True)
    spent = xp.zeros(len(customer), dtype=xp.int64)
    xp.add.at(spent, which, amount)
    best = xp.sort(spent)[::-1][:5]
    return {
        "sales of regions": by_region,
        "sold in regions": sold,
        "products": names,
        "largest": largest,
        "strangers": (~found).sum(),
        "percentiles": xp.percentile(spent, xp.array([5, 25, 50, 75, 95])),
        "best": best,
        "spread": spent.std(),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=7)
    side_by_side.add_options(parser)
    options = parser.parse_args()

    sales, people = tables(options.rows, options.seed)
    result = side_by_side.run(lambda xp: report(xp, sales, people), options.module)
    print(f"{options.rows:,} sales, {result['strangers']} of them to strangers")
    for region, (count, cents) in enumerate(zip(result["sales of regions"], result["sold in regions"])):
        print(f"region {region:2}: {count:7,} sales, {cents / 100:15,.2f}")
    print(f"the largest sale of product {result['products'][0]}: {result['largest'][0] / 100:,.2f}")
    for share, cents in zip((5, 25, 50, 75, 95), result["percentiles"]):
        print(f"{share:2} % of the customers spent less than {cents / 100:,.2f}")


if __name__ == "__main__":
    main()
