"""`RAFRegressor`: a fit of `rafnet.fit` as an estimator of scikit-learn, for pipelines, searches and cross-validation.

    from rafnet.sklearn import RAFRegressor          # or rafnet.RAFRegressor
    model = RAFRegressor(activation="sine-gaussian", steps=2000).fit(X, y)
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ._optional import need
from .errors import FitError, OptionError

need("sklearn", "RAFRegressor")

from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = ["RAFRegressor"]

MOST_FEATURES = 10


class RAFRegressor(MultiOutputMixin, RegressorMixin, BaseEstimator):
    """A fully connected network with reproducing activation functions, for up to ten features and any number of targets.

    Features and targets are scaled by themselves. ``options`` are further ones of :func:`rafnet.fit`, by name.

    Parameters
    ----------
    activation : a set's name, such as "tanh", "psg", "sine-gaussian", or a text in x such as "a*sin(b*x); b = 30"
    width : neurons of a layer
    depth : activated layers
    steps : steps of training
    lr : learning rate at the start; None for the usual one
    batch : samples of a step; None for the usual number
    threads : threads, 0 for one for each core; the answer does not depend on it
    options : a dictionary of further options, or None
    random_state : a number for the same fit every time, a generator, or None

    Attributes
    ----------
    model_ : the fitted function, with exact derivatives: ``model_.gradient(X)``
    n_features_in_ : how many features there were

    >>> import numpy as np
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> RAFRegressor(steps=500, random_state=0).fit(X, np.sin(6 * X[:, 0])).score(X, np.sin(6 * X[:, 0])) > 0.99
    True
    """

    def __init__(
        self,
        activation: str = "tanh",
        *,
        width: int = 64,
        depth: int = 3,
        steps: int = 2000,
        lr: float | None = None,
        batch: int | None = None,
        threads: int = 0,
        options: dict[str, Any] | None = None,
        random_state: Any = None,
    ) -> None:
        self.activation = activation
        self.width = width
        self.depth = depth
        self.steps = steps
        self.lr = lr
        self.batch = batch
        self.threads = threads
        self.options = options
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Fits the network to the rows of X and their targets."""
        from . import fit as fitted

        X, y = validate_data(self, X, y, dtype=np.float64, multi_output=True, y_numeric=True)
        y = np.asarray(y, dtype=np.float64)
        if X.shape[1] > MOST_FEATURES:
            raise FitError(f"X has {X.shape[1]} features, and a fit takes at most {MOST_FEATURES}", hint="choose the features that matter first")
        taken = {"seed", "activation", "width", "depth", "steps", "lr", "batch", "threads"} & set(self.options or {})
        if taken:
            name = min(taken)
            raise OptionError(f"options={{{name!r}: …}} says what the argument `{name}` says", hint="pass the argument", option=name)
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        self.single_ = y.ndim == 1
        asked = {"width": self.width, "depth": self.depth, "steps": self.steps, "lr": self.lr, "batch": self.batch}
        given: Any = {"activation": self.activation, "threads": self.threads, "seed": int(seed), **asked, **(self.options or {})}
        self.model_ = fitted(y, points=X, kind="table", progress=False, **given)
        return self

    def predict(self, X: Any) -> Any:
        """The network's values at the rows of X."""
        check_is_fitted(self, "model_")
        X = validate_data(self, X, dtype=np.float64, reset=False)
        values = self.model_.on(outside="continued").at(X)
        return values if self.single_ else values.reshape(len(X), -1)
