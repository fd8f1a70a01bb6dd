"""A table of pandas' whose columns are computed on the device."""

import pandas as pd
import tenorite as cp

table = pd.DataFrame({"shop": [2, 0, 1, 0, 2, 2], "sold": [5, 1, 4, 2, 8, 2], "price": [2.5, 9.0, 4.0, 8.0, 2.0, 3.0]})

# A column is an array of the host: asarray copies it to the device.
shop, sold, price = (cp.asarray(table[name].to_numpy()) for name in ("shop", "sold", "price"))
revenue = sold * price
by_shop = cp.bincount(shop, weights=revenue)

# get() copies results back; pandas keeps the names of rows and columns.
table["revenue"] = revenue.get()
print(table.groupby("shop")["revenue"].sum().to_dict())
print(pd.Series(by_shop.get(), name="revenue").to_dict())
