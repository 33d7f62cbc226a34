"""Plans on disk: found again for the same algorithm on the same robot, and for nothing else."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
from dataclasses import dataclass

import numpy as np
import pytest
import sympy as sp

import steiner as st
from steiner.backends import remembered
from steiner.dynamics import METHODS
from steiner.errors import TraceError
from steiner.kernels import memory, prepare
from steiner.kernels.arguments import declaration, documentation, signature
from steiner.kernels.call import NOT_OPTIONS, Call, Plan
from steiner.model.methods import Methods
from steiner.records import record
from steiner.trace import Remembered, Tape


@pytest.fixture
def counted(tmp_path, monkeypatch):
    """A cache of its own, as in a process without hooks; the traces that are made."""
    monkeypatch.setenv("STEINER_CACHE", str(tmp_path))
    monkeypatch.setattr(memory, "program", lambda: "this one")
    traced, real = [], prepare.trace
    monkeypatch.setattr(prepare, "trace", lambda *args: traced.append(1) or real(*args))
    return traced


def arm(**changes) -> st.Robot:
    return st.load("gallery:puma560").replace(**changes)


def planned(robot: st.Robot, name: str) -> Plan:
    """The plan of a method with its default options."""
    call = Call(robot, vars(Methods)[name])
    own = inspect.signature(call).parameters
    arrays = [array for array in call.arrays if own[array].default is inspect.Parameter.empty]
    return call.plan("key", arrays, (), {k: p.default for k, p in own.items() if k not in (*call.arrays, *NOT_OPTIONS)})


def state(robot: st.Robot, name: str) -> list[np.ndarray]:
    """Arguments of a method that takes joint vectors."""
    own = inspect.signature(getattr(robot, name)).parameters.values()
    count = sum(parameter.default is parameter.empty for parameter in own)
    return list(np.random.default_rng(4).normal(size=(count, robot.n)))


@pytest.mark.parametrize("row", METHODS, ids=lambda row: row.name)
def test_a_plan_that_is_found_again_is_the_one_that_was_traced(row, counted):
    first = planned(arm(), row.name)
    made = len(counted)
    second = planned(arm(), row.name)
    tape, other = first.tape, second.tape
    if not first.structure.plain:
        assert type(other) is Tape
        return
    assert isinstance(other, Remembered) and len(counted) == made, "no trace"
    for name in ("inputs", "length", "shapes", "fingerprint"):
        assert getattr(tape, name) == getattr(other, name)
    numbers = [np.zeros(shape) for shape in tape.shapes]
    assert type(first.structure.rebuilt(numbers, ())) is type(second.structure.rebuilt(numbers, ()))
    assert (other.rows, other.outputs) == (tape.rows, tape.outputs) and len(counted) == made + 1
    assert type(pickle.loads(pickle.dumps(other))) is Tape
    with pytest.raises(AttributeError):
        _ = other.nothing


@pytest.mark.parametrize("name", ["inverse_dynamics", "mass_matrix", "inverse_dynamics_derivatives", "kinetic_energy"])
def test_results_have_the_same_bits(name, counted):
    first, second = (np.concatenate([np.ravel(getattr(one, name)(*state(one, name)))]) for one in (arm(), arm()))
    assert first.tobytes() == second.tobytes()


@dataclass(frozen=True, eq=False, kw_only=True)
class Strange(st.Revolute):
    """A joint of a user's, whose class may do anything."""


@record(eq=False, kw_only=True)
class Stranger(st.Revolute):
    """The same, declared as ours are."""


def test_every_number_and_name_of_a_robot_is_in_the_key():
    robot = arm()
    link = robot.links[2]
    body = link.body

    def with_link(**changes):
        return robot.replace(links=(*robot.links[:2], dataclasses.replace(link, **changes), *robot.links[3:]))

    def joint(**changes):
        return with_link(joint=dataclasses.replace(link.joint, **changes))

    others = [
        robot,
        robot.replace(name="twin"),
        robot.replace(gravity=(0, 0, -9.8)),
        robot.replace(gravity=np.nextafter(robot.gravity, 0)),
        robot.with_payload(st.MassProperties(1.0)),
        with_link(body=st.MassProperties(body.mass, body.com, body.inertia * (1 + 1e-15))),
        with_link(mount=link.mount @ st.Pose(p=(0, 1e-12, 0))),
        with_link(origin=st.Pose(p=(1e-9, 0, 0))),
        joint(armature=0.1), joint(friction=st.Viscous(0.1)), joint(friction=st.Coulomb(0.1)),
        joint(friction=st.Viscous(0.2)), joint(stiffness=1.0), joint(stiffness=1.0, rest=0.1), joint(offset=0.1),
        joint(name="other"),
    ]  # fmt: skip
    keys = [memory.told(one.tree) for one in others]
    assert None not in keys and len(set(keys)) == len(keys)
    assert memory.told(arm().tree) == keys[0]


def test_symbols_and_classes_of_others_are_in_no_key():
    robot = arm()
    link = robot.links[2]
    assert memory.told(robot.replace(gravity=(0, 0, -sp.Symbol("g"))).tree) is None
    for kind in (Strange, Stranger):
        strange = dataclasses.replace(link, joint=kind(name="j"))
        assert memory.told(robot.replace(links=(*robot.links[:2], strange, *robot.links[3:])).tree) is None


def test_where_texts_may_be_changed_nothing_is_remembered():
    """As here: pytest's own hook stands before Python's finder."""
    memory.program.cache_clear()
    assert memory.program() is None


def test_a_memory_of_another_tape_is_told_as_soon_as_it_is_traced(counted, monkeypatch):
    planned(arm(), "gravity_forces")

    def wrong(key, make):
        kept = remembered(key, make)
        return kept.replace(kept.split(b"\n")[0], b"0" * 64) if key.startswith("plan|") else kept

    monkeypatch.setattr(memory, "remembered", wrong)
    plan = planned(arm(), "gravity_forces")
    with pytest.raises(TraceError, match="empty the cache"):
        _ = plan.tape.rows


@pytest.mark.parametrize("row", METHODS, ids=lambda row: row.name)
def test_a_declared_method_says_what_its_algorithm_says(row):
    method = vars(Methods)[row.name]
    assert declaration(method) == (signature(row), documentation(row))
    assert method.arrays == row.arrays
