"""`RAFRegressor` is an estimator of scikit-learn."""

import doctest

import numpy as np
import pytest

import rafnet

sklearn = pytest.importorskip("sklearn")

from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks


@parametrize_with_checks([rafnet.RAFRegressor(width=16, depth=2, steps=300, threads=1)])
def test_every_check_of_scikit_learn(estimator, check):
    check(estimator)


def test_examples():
    import rafnet.sklearn

    assert doctest.testmod(rafnet.sklearn) == (0, 3)


def wave(n):
    X = np.random.default_rng(0).uniform(-1, 1, (n, 2))
    return X, np.sin(4 * X[:, 0]) * X[:, 1]


def test_in_a_pipeline_and_a_search():
    X, y = wave(300)
    search = GridSearchCV(make_pipeline(StandardScaler(), rafnet.RAFRegressor(steps=300, random_state=0)), {"rafregressor__width": [4, 32]}, cv=2)
    search.fit(X, y)
    assert search.best_params_ == {"rafregressor__width": 32} and search.best_score_ > 0.95


def test_the_model_has_exact_derivatives():
    X, y = wave(400)
    model = rafnet.RAFRegressor(steps=2000, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.999
    slope = model.model_.gradient(X[:50])[:, 1]
    assert np.sqrt(np.mean((slope - np.sin(4 * X[:50, 0])) ** 2)) < 0.1  # the fit's own error
    h = 1e-6
    difference = (model.predict(X[:50] + [0, h]) - model.predict(X[:50] - [0, h])) / (2 * h)
    assert np.abs(slope - difference).max() < 1e-6


def test_several_targets():
    X, y = wave(200)
    both = rafnet.RAFRegressor(steps=500, random_state=0).fit(X, np.stack([y, -y], 1)).predict(X)
    assert both.shape == (200, 2) and np.abs(both.sum(1)).max() < 0.1


def test_beyond_the_samples_it_goes_on():
    X, y = wave(200)
    model = rafnet.RAFRegressor(steps=50, random_state=0).fit(X, y)
    assert np.isfinite(model.predict([[1.5, -2.0]])).all()


def test_what_cannot_be_is_said():
    with pytest.raises(rafnet.FitError, match="11 features"):
        rafnet.RAFRegressor().fit(np.ones((4, 11)), np.arange(4))
    with pytest.raises(rafnet.OptionError, match="the argument `width`"):
        rafnet.RAFRegressor(options={"width": 3}).fit(*wave(10))
