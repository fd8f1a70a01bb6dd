"""scikit-learn takes arrays of the host: the features are made on the device."""

import tenorite as cp
from sklearn.linear_model import LinearRegression

x = cp.linspace(0, 10, 10_000)
features = cp.stack([cp.sin(x), cp.cos(x), x], axis=1)
target = features @ cp.array([1.0, -2.0, 0.5])
model = LinearRegression().fit(features.get(), target.get())
print(model.coef_.round(6))
