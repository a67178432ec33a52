"""Examples in docstrings run, options are those of the library, and what is public is documented."""

import doctest
import importlib
import inspect

import pytest

import rafnet

MODULES = ["errors", "domains", "model", "solution", "problem", "fitting", "network", "_devices", "_texts"]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    if name == "_texts":
        pytest.importorskip("sympy", reason="left out: sympy is not installed")
    module = importlib.import_module(f"rafnet.{name}")
    failed, tried = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0 and tried > 0


def test_example_of_the_package():
    assert doctest.testmod(rafnet).failed == 0


def test_options_are_those_of_the_library():
    solver, fit = (dict(rows) for rows in (rafnet._rafnet.solver_options(), rafnet._rafnet.fit_options()))
    assert set(rafnet.problem.SolverOptions.__annotations__) == set(solver)
    assert set(rafnet.fitting.FitOptions.__annotations__) == {*fit, "threads"}
    for function, options in ((rafnet.solve, solver), (rafnet.fit, fit)):
        assert all(f"``{name}``: {said}" in function.__doc__ for name, said in options.items())


@pytest.mark.parametrize("name", [n for n in rafnet.__all__ if n not in ("__version__", "sweep", "RAFRegressor")])
def test_everything_public_says_what_it_is(name):
    value = getattr(rafnet, name)
    assert (value.__doc__ or "").strip()
    if inspect.isclass(value) and not issubclass(value, BaseException):
        for member, function in vars(value).items():
            if not member.startswith("_") and callable(function):
                assert function.__doc__, f"{name}.{member}"
