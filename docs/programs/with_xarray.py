"""xarray: names of axes around an array of the device, which stays there."""

import tenorite as cp
import xarray as xr

field = xr.DataArray(cp.arange(6.0).reshape(2, 3), dims=("time", "place"))
mean = field.mean("time")
print(mean.dims, type(mean.data).__module__, mean.data)
