"""Dask: blocks that are arrays of the device."""

import dask.array as da
import tenorite as cp

x = da.from_array(cp.arange(12.0).reshape(3, 4), chunks=(3, 2), asarray=False)
total = (x * 2).sum(axis=0).compute()
print(type(total).__module__, total)
