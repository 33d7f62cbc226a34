"""The benchmark measures only what agrees, and its tables hang together."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from bench.cases import CASES
from bench.measure import Row, check, loops_for, measured
from steiner import Robot


class Fake:
    """A peer that returns a constant."""

    def __init__(self, name: str, value: float) -> None:
        self.name, self.value = name, value

    def loops(self, case):
        return True

    def one(self, case, arrays):
        return (lambda _: tuple(np.full(shape, self.value) for shape in case.shapes(2)), None)

    def many(self, case, arrays):
        return lambda: tuple(np.full((len(arrays[0]), *shape), self.value) for shape in case.shapes(2))


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.key)
def test_every_case_is_a_method_of_robots(case):
    assert callable(getattr(Robot, case.key).__get__) and case.title and case.tolerance <= 1e-12


@pytest.mark.parametrize("batch", [1, 16])
def test_what_disagrees_is_not_measured(batch):
    robot = SimpleNamespace(name="two", n=2)
    good = measured(CASES[0], batch, [Fake("steiner", 1.0), Fake("peer", 1.0)], robot, repeats=1, at_least=1e-5)
    assert set(good.ns) == {"steiner", "peer"} and good.ratio["peer"] > 0
    assert good.python_loop == (["steiner", "peer"] if batch > 1 else []), "loops are marked as such"
    with pytest.raises(SystemExit, match="peer differs"):
        measured(CASES[0], batch, [Fake("steiner", 1.0), Fake("peer", 1.0 + 1e-9)], robot, repeats=1, at_least=1e-5)


def test_a_peer_that_gives_nan_is_not_measured():
    works = {"steiner": lambda: np.ones(2), "peer": lambda: np.array([1.0, np.nan])}
    with pytest.raises(SystemExit):
        check(CASES[0], Row("", 2, "", "", 1), works, 2)


def test_quick_work_is_repeated_until_the_clock_can_see_it():
    assert loops_for(lambda: None, 0.001) > 1000


def test_the_table_in_the_readme_is_the_one_that_was_measured():
    from tools import speed

    readme = speed.README.read_text(encoding="utf-8")
    assert speed.written(readme) == readme, "run `python -m tools.speed`"
    assert speed.START in readme and "| panda | inverse dynamics |" in readme
