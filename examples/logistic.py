"""Logistic regression by Newton's method, with types that an editor and a type checker follow.

    python examples/logistic.py [--samples N] [--features N]

The program makes samples of two classes, fits a model on most of them and says how many of the
others it tells apart. NumPy fits the same model, and the weights must agree. It passes
``mypy --strict`` and pyright: an array of another dtype, a wrong keyword or a misspelt method is
found before the program runs.
"""

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np
import tenorite as cp
from tenorite.typing import NDArray

Floats = NDArray[np.float64]
Labels = NDArray[np.bool]


@dataclass(frozen=True)
class Samples:
    """Rows of features, and the class of each row."""

    features: Floats
    labels: Labels

    def __len__(self) -> int:
        return self.features.shape[0]

    def split(self, share: float) -> tuple["Samples", "Samples"]:
        """The first rows and the rest of them, as views."""
        count = round(share * len(self))
        first = Samples(self.features[:count], self.labels[:count])
        return first, Samples(self.features[count:], self.labels[count:])


@dataclass
class Model:
    """Weights of the features, the last one that of a constant."""

    weights: Floats
    steps: int = 0

    def chances(self, features: Floats) -> Floats:
        """The chance of the class True, for each row."""
        return 1 / (1 + cp.exp(-(with_constant(features) @ self.weights)))

    def accuracy(self, samples: Samples) -> float:
        """The share of rows whose class is the likelier one."""
        right = (self.chances(samples.features) > 0.5) == samples.labels
        return float(right.mean())


def with_constant(features: Floats) -> Floats:
    """The features, and a column of ones."""
    ones: Floats = cp.ones((features.shape[0], 1))
    return cp.concatenate((features, ones), axis=1)


def make_samples(count: int, width: int, seed: int = 7) -> Samples:
    """Normal numbers, whose classes hang on a hidden direction and on chance."""
    rng = cp.random.default_rng(seed)
    features: Floats = rng.standard_normal((count, width))
    direction: Floats = rng.uniform(-2, 2, size=width)
    noise: Floats = rng.gumbel(size=count) - rng.gumbel(size=count)
    return Samples(features, features @ direction + 0.5 + noise > 0)


def fit(samples: Samples, penalty: float = 1.0, most_steps: int = 25, tolerance: float = 1e-10) -> Model:
    """The model of the least penalised loss, by Newton's method."""
    rows = with_constant(samples.features)
    targets = samples.labels.astype(cp.float64)
    ridge: Floats = penalty * cp.eye(rows.shape[1])
    model = Model(cp.zeros(rows.shape[1]))
    for _ in range(most_steps):
        chances = model.chances(samples.features)
        slope = rows.T @ (chances - targets) + penalty * model.weights
        curvature = (rows.T * (chances * (1 - chances))) @ rows + ridge
        step = cp.linalg.solve(curvature, slope)
        model = Model(model.weights - step, model.steps + 1)
        if float(abs(step).max()) < tolerance:
            break
    return model


def slope_of_numpy(samples: Samples, model: Model, penalty: float = 1.0) -> float:
    """How far from zero the loss's slope is at a model, as NumPy computes it."""
    rows: np.ndarray[Any, np.dtype[np.float64]] = np.c_[cp.asnumpy(samples.features), np.ones(len(samples))]
    weights = cp.asnumpy(model.weights)
    chances = 1 / (1 + np.exp(-(rows @ weights)))
    slope = rows.T @ (chances - cp.asnumpy(samples.labels)) + penalty * weights
    return float(np.abs(slope).max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--samples", type=int, default=200_000)
    parser.add_argument("--features", type=int, default=20)
    options = parser.parse_args()
    train, test = make_samples(options.samples, options.features).split(0.8)
    model = fit(train)
    print(f"{len(train)} samples of {options.features} features: {model.steps} steps of Newton's method")
    print(f"right: {model.accuracy(train):.1%} of these, {model.accuracy(test):.1%} of {len(test)} others")
    slope = slope_of_numpy(train, model)
    assert slope < 1e-6 * len(train), slope
    print("the slope that NumPy finds there is zero")


if __name__ == "__main__":
    main()
