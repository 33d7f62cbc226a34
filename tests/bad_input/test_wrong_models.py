"""What cannot be meant is told where it is given, in a sentence, and not by what fails later."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
import sympy as sp

import steiner as st
from steiner import spatial

BODY = st.MassProperties(1.0, (0.1, 0.02, 0.03), (0.02, 0.03, 0.025))


def arm() -> st.Robot:
    return st.Robot.from_dh([st.DH(d=0.1 * k, a=0.3, alpha=(0.5, -1.1, 0.7)[k], body=BODY) for k in range(3)])


def bare() -> st.Robot:
    return st.Robot("bare", [st.Link("base", body=BODY)])


def massless() -> st.Robot:
    links = [st.Link("a", None, st.Revolute(name="j1"), body=BODY), st.Link("b", "a", st.Revolute(name="j2"))]
    return st.Robot("massless", links)


WRONG = {
    "payload": ([2.0, 2, None, "x", (1, (0, 0, 0)), st.Box(1, 1, 1)], lambda x: arm().with_payload(x)),
    "friction": ([0.1, (0.1, 0.2), "viscous", st.Viscous, [st.Viscous(0.1)]], lambda x: st.Revolute(friction=x)),
    "friction of a row": ([0.1, "viscous", st.Viscous], lambda x: st.Robot.from_dh([st.DH(friction=x, body=BODY)])),
    "limits": ([1.0, "ab", {"lower": -1}, (1, -1), ("a", "b"), (1, 2, 3, 4, 5)], lambda x: st.Prismatic(limits=x)),
    "armature": ([None, "1", math.nan, [1], -1.0], lambda x: st.Revolute(armature=x)),
    "gravity": ([np.zeros((2, 3)), np.zeros((3, 1)), 9.81, None, "down"], lambda x: arm().replace(gravity=x)),
    "name": ([None, 3, b"a"], lambda x: st.Link(x, body=BODY)),
}


@pytest.mark.parametrize("what", WRONG)
def test_W1_what_a_model_cannot_be_made_of_is_refused_at_once(what):
    values, make = WRONG[what]
    for value in values:
        with pytest.raises(st.SteinerError):
            make(value)


@pytest.mark.parametrize("held", [
    ["joint1"], "joint1", None, 1, [("joint1", 0.1)], {"joint1": [1]}, {"joint1": None}, {1: 0.1},
    {"joint1": math.nan}, {"x": 0},
])  # fmt: skip
def test_W6_what_is_no_joint_with_its_value_cannot_be_held(held):
    with pytest.raises(st.SteinerError, match=r"joint|expected"):
        arm().locked(held)


RAW = {
    "structure of symbols": lambda: st.structure(arm(), sp.symbols("a b c")),
    "structure of a singular M": lambda: st.structure(massless(), [0.0, 0.0]),
    "structure of NaN": lambda: st.structure(arm(), [math.nan, 0, 0]),
    "structure of infinity": lambda: st.structure(arm(), [0, math.inf, 0]),
    "map of NaN": lambda: st.structure_map(arm(), [math.nan, 0, 0], ("joint1", "joint2")),
    "acceleration of what has no mass": lambda: massless().forward_dynamics([0.0] * 2, [0.0] * 2, [0.0] * 2),
    "picture of a number": lambda: st.draw(5),
    "picture of nothing": lambda: st.draw(None),
    "file of a body": lambda: st.save(BODY, "x.urdf"),
    "file of a solid": lambda: st.save(st.Box(1, 1, 1), "x.yaml"),
    "density without coordinates": lambda: st.Box(1, 1, 1).with_density(lambda: 1),
    "density of words": lambda: st.Box(1, 1, 1).with_density(lambda x, y, z: "a"),
    "density of NaN": lambda: st.Box(1, 1, 1).with_density(lambda x, y, z: math.nan),
    "parameters of nothing": lambda: st.base_parameters(None),
    "equations of nothing": lambda: st.equations(None),
    "findings of nothing": lambda: st.check(None),
    "no path": lambda: st.load(None),
}


@pytest.mark.parametrize("what", RAW)
def test_W8_what_cannot_be_done_is_told_in_a_sentence(what, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(st.SteinerError):
        RAW[what]()
    assert not list(tmp_path.iterdir())


def test_W8_robots_without_joints_and_densities_by_functions_are_fine():
    assert st.base_parameters(bare()).count == 0 and bare().mass_matrix([]).shape == (0, 0)
    assert st.Box(1, 1, 1).with_density(lambda x, y, z: 1 + 12 * x * x).mass == pytest.approx(2, rel=1e-12)
    assert st.draw(arm())


def test_W12_what_is_printed_is_short_and_free_of_noise():
    drawing = st.Assembly("arm", [st.Part(f"p{k}", st.Box(0.1, 0.1, 0.1), density=1000) for k in range(50)])
    assert max(len(str(drawing)), len(repr(drawing))) < 200
    told = str(st.base_parameters(st.load("gallery:puma560")))
    assert "e-1" not in told and len(told) < 6000


# ---- warnings -----------------------------------------------------------------------------------------

ODD = {
    "an impossible body": lambda: st.Link("a", body=st.MassProperties(1, inertia=(1, 1, 2.5))),
    "an impossible payload": lambda: arm().with_payload(st.MassProperties(1, inertia=(1, 1, 2.5))),
    "an impossible part": lambda: st.Part("a", body=st.MassProperties(1, inertia=(1, 1, 2.5))),
    "a joint locked in degrees": lambda: arm().locked({"joint1": 90}),
    "gravity in millimetres": lambda: arm().replace(gravity=(0, 0, -9810)),
    "rpy in degrees": lambda: st.Pose.from_rpy((0, 0, 0), (90, 0, 0)),
    "a solid turned by degrees": lambda: st.Box(1, 1, 1).at(rpy=(0, 0, -45)),
    "alpha in degrees": lambda: st.Robot.from_dh([st.DH(alpha=90, body=BODY)]),
    "theta in degrees": lambda: st.Robot.from_dh([st.DH(theta=45, body=BODY)], convention="modified"),
    "an offset in degrees": lambda: st.Revolute(offset=-90),
    "limits in degrees": lambda: st.Revolute(name="elbow", limits=(-150, 90)),
    "one limit in degrees": lambda: st.Revolute(limits=st.JointLimits(None, 180)),
}


@pytest.mark.parametrize("what", ODD)
def test_N19_impossible_bodies_and_degrees_warn_once(what):
    with pytest.warns(st.ModelWarning, match=r"no body|degrees|other units") as told:
        ODD[what]()
    assert len(told) == 1


def test_N19_what_is_usual_and_all_calls_are_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        st.Revolute(limits=(-4 * math.pi, 4 * math.pi), offset=math.pi)
        st.Prismatic(limits=(-150, 90), offset=90)
        st.Helical(limits=(-300, 300), pitch=0.001)
        arm().inverse_dynamics([0, -45, 90], [0, 0, 0], [0, 0, 0])
        arm().with_payload(BODY)
        arm().locked({"joint1": -4 * math.pi})
        arm().replace(gravity=(0, 0, -274))
        assert not arm().replace(gravity=(0, 0, -9810)).replace(name="told before").is_symbolic
        st.Robot("lift", [st.Link("a", None, st.Prismatic(name="lift"), body=BODY)]).locked({"lift": 90})
        st.Part("a", body=BODY)


# ---- numbers that are none, beside the methods of robots ----------------------------------------------

NONE = {
    "None": np.array([None, 0.1, 0.2], dtype=object), "text": np.array(["1", 0.1, 0.2], dtype=object),
    "texts": np.array(["1", "2", "3"]), "bytes": np.array([b"1", b"2", b"3"]), "list": [None, 0.1, 0.2],
    "masked": np.ma.array([1.0, 2, 3], mask=[0, 1, 0]), "complex": np.array([1j, 0, 0]),
    "dates": np.array(["2020-01-01"] * 3, dtype="M8[s]"), "spans": np.array([1, 2, 3], dtype="m8[s]"),
    "void": np.zeros(3, dtype="V8"), "nested": np.array([[0.1], 0.1, 0.2], dtype=object), "ragged": [[1, 2], [3], 4],
}  # fmt: skip
TAKES = {
    "com": lambda x: st.MassProperties(1.0, x, (1, 1, 1)), "inertia": lambda x: st.MassProperties(1.0, (0, 0, 0), x),
    "about": lambda x: st.MassProperties(1.0, (0, 0, 0), (1, 1, 1), about=x), "p": lambda x: st.Pose(p=x),
    "rpy": lambda x: st.Pose.from_rpy((0, 0, 0), x), "twist": st.Twist, "wrench": lambda x: st.Wrench(force=x),
    "axis": lambda x: st.Prismatic(axis=x), "gravity": lambda x: arm().replace(gravity=x), "base": st.BaseMotion,
    "at": lambda x: st.Box(1, 1, 1).at(xyz=x), "masses": lambda x: st.Particles(x, np.eye(3)), "skew": spatial.skew,
    "named": lambda x: arm().named(x), "structure": lambda x: st.structure(arm(), x), "Ad": spatial.Ad,
    "moment": BODY.moment_about, "tensor": BODY.inertia_about, "apply": st.Pose().apply, "log": spatial.log,
    "ad": spatial.ad, "exp": spatial.exp,
}  # fmt: skip


@pytest.mark.parametrize("what", TAKES)
def test_N10_what_is_no_number_is_refused_wherever_vectors_are_taken(what):
    for kind, values in NONE.items():
        with pytest.raises(st.SteinerError):
            TAKES[what](values)
            pytest.fail(f"{kind} taken")
