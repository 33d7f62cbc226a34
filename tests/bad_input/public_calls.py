"""Everything public that can be called, found by reflection, with arguments that fit each by its name."""

from __future__ import annotations

import inspect
import math
import random
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

import steiner as st
from steiner.robots import build
from steiner.solids.base import Solid
from tests.kernels.wrong_values import ANYTHING

URDF = '<robot name="a"><link name="l"><inertial><mass value="1"/></inertial></link></robot>'
OPERATORS = ("__add__", "__sub__", "__mul__", "__rmul__", "__matmul__", "__neg__", "__call__")
# unchecked by contract; texts that algorithms run with every kind of number
UNCHECKED = {"trusted", "mapped", "with_numbers", "of_solids", "effort", "slope", "sliding"}
TEXTS = {"Revolute.pose", "Prismatic.pose", "Helical.pose", "Fixed.pose"}
NUMBERS = np.array([0.1, 0.2, 0.3])
BOX = st.Box(0.1, 0.2, 0.3)
BODY = st.MassProperties(1.0, (0.0, 0.0, 0.1), (0.01, 0.01, 0.01))


@cache
def arm() -> st.Robot:
    """Three joints, as many numbers as the strange values have."""
    return build("planar3")


@cache
def drawing() -> st.Assembly:
    """A plate with a hole and a motor."""
    parts = [
        st.Part("plate", BOX, material="steel"),
        st.Part("hole", st.Cylinder(0.01, 0.3), material="steel", cavity=True),
        st.Part("motor", body=BODY, pose=st.Pose(p=(0.2, 0, 0))),
    ]
    return st.Assembly("link", parts)


@cache
def moved() -> Any:
    """A motion of that arm."""
    return st.trajectory.quintic(NUMBERS, -NUMBERS, 1.0)


MOTOR = {"name": "m", "rated_torque": 1.0, "peak_torque": 2.0, "rated_speed": 300.0, "max_speed": 400.0}


# what a parameter of that name may be; every call gets most of its arguments from here
FITTING: dict[str, tuple[Any, ...]] = {
    "robot": (arm,), "q": (NUMBERS, sp.symbols("a b c")), "qd": (NUMBERS,), "qdd": (NUMBERS,), "tau": (NUMBERS,),
    "name": ("tool", "steel"), "links": ([st.Link("a", None, st.Revolute(name="j"), body=BODY)],), "body": (BODY,),
    "parent": (None, "a"), "joint": (st.Revolute(name="j"), "revolute"), "mount": (st.Pose(),), "pose": (st.Pose(),),
    "origin": (st.Pose(),), "made_of": (None, drawing), "shapes": ((), [BOX]), "payloads": ((),), "solid": (BOX,),
    "material": (None, "steel"), "density": (1000.0, None), "mass": (1.0, None), "cavity": (False,),
    "provenance": (None, "measured"), "children": ([st.Part("p", BOX, mass=1)],), "link": ("tool", None),
    "com": ((0, 0, 0.1),), "inertia": ((1, 1, 1),), "about": ("com", "own", "link", (0, 0, 1)), "products": ("tensor",),
    "R": (np.eye(3),), "T": (np.eye(4),), "p": ((0, 0, 1),), "xyz": ((0, 0, 1), None), "rpy": ((0, 0, 1), None),
    "axis": ("x", "z", (0, 0, 1)), "points": ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],), "resolution": (8,),
    "polygon": ([(0, 0), (1, 0), (0, 1)],), "profile": ([(1, 0), (2, 0), (1, 1)],), "holes": ((),), "radius": (0.1,),
    "height": (0.3,), "angle": (2 * math.pi, 1.0), "inner": (0.05,), "outer": (0.1,), "major": (0.3,), "minor": (0.1,),
    "vertices": ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],),
    "faces": ([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],),
    "bounds": (("z", 0, 1), ("y", 0, 1), ("x", 0, 1), None), "masses": ([1.0, 2.0],), "length": (0.5,),
    "positions": ([[0, 0, 0], [1, 0, 0]],), "directions": (np.eye(3),), "gravity": ((0, 0, -9.81), True),
    "rows": ([st.DH(a=0.3, body=BODY)],), "convention": ("standard",), "values": ({"joint1": 0.1}, {sp.Symbol("x"): 1}),
    "Mlist": ([np.eye(4)] * 2,), "Glist": ([np.eye(6)],), "Slist": (np.eye(6)[:, :1],),
    "twist": (st.Twist((0, 0, 1), (1, 0, 0)),),
    "wrench": (st.Wrench(),), "external": (None, st.Wrench(force=(1, 0, 0), acting_on="tool")),
    "friction": (True, None),
    "exerted_by_robot": (None, st.Wrench(force=(1, 0, 0), acting_on="tool")), "out": (None, np.zeros(3)),
    "limits": (None, (-1, 1), st.JointLimits(-1, 1)), "lower": (-1,), "upper": (1,), "frame": ("space", "motor", None),
    "source": ("gallery:rr", "arm.urdf", None, arm), "path": ("out.urdf", "out.svg"), "text": (URDF,),
    "format": ("urdf", None), "unit": ("mm", None), "model": (arm, drawing), "to": ("c", "python"), "folder": ("out",),
    "fn": ("mass_matrix", lambda robot, q: q * 2), "algorithm": ("gravity_forces",), "backend": (None, "numpy"),
    "parameters": ((), ["link1.mass"], np.arange(1.0, 11.0)), "assembly": (drawing,), "unknowns": ([("motor", "x")],),
    "targets": ({"x": 0},), "samples": (4,), "duration": (0.1,), "joints": (("joint1", "joint2"),),
    "threads": (None, 1),
    "quantity": ("condition", "manipulability"), "ranges": (((0, 1), (0, 1)),), "role": ("visual",), "rate": (0.1,),
    "angular": ((0, 0, 1),), "linear": ((0, 0, 1),), "force": ((0, 0, 1), True), "moment": ((0, 0, 1),), "at": (None,),
    "acting_on": ("tool",), "axes": ("world",), "value": (0.3,), "acceleration": (np.zeros(6),), "tolerance": (1e-9,),
    "pseudo": (np.eye(4),), "moments": ((1, (0, 0, 0), np.eye(3)),), "point": (None, (0, 0, 1)), "dtype": (float, None),
    "motion": (moved,), "catalogue": (None, [MOTOR]), "where": ("workspace", NUMBERS, moved), "effort": (NUMBERS * 99,),
    "margin": (1.5,), "pause": (0.5,), "dt": (0.1, None), "seed": (1,), "plane": ("xz", None), "figure": (None,),
    "trajectory": (None, moved), "payload": (None, 0.5, BODY), "units": ("rad",),
    "derivatives": ((), None), "mimic": ("free",), "snap": (True,), "by": ("term",), "scale": (None, 2.0),
}  # fmt: skip

# what only an instance of each class can be asked
SPECIMENS: dict[str, Callable[[], Any]] = {
    "Frame": lambda: st.Frame("f"), "BaseMotion": st.BaseMotion,
    "MassProperties": lambda: BODY, "Part": lambda: drawing().children[0], "Assembly": drawing, "Robot": arm,
    "Pose": lambda: st.Pose.from_rpy((0, 0, 1), (0.1, 0.2, 0.3)), "Twist": lambda: st.Twist((0, 0, 1), (1, 0, 0)),
    "Wrench": lambda: st.Wrench(force=(1, 0, 0), acting_on="tool"), "RigidBody": lambda: st.RigidBody(BODY),
    "Link": lambda: arm().links[1], "Shape": lambda: st.Shape(BOX), "DH": lambda: st.DH(a=0.3, body=BODY),
    "Revolute": lambda: st.Revolute(name="j"), "Prismatic": lambda: st.Prismatic(name="j"), "Fixed": st.Fixed,
    "Helical": lambda: st.Helical(name="j", pitch=0.01), "JointLimits": lambda: st.JointLimits(-1, 1),
    "Viscous": lambda: st.Viscous(0.1), "Coulomb": lambda: st.Coulomb(0.1), "Source": lambda: st.Source("arm.urdf"),
    "Stribeck": lambda: st.Stribeck(0.1, 0.2, 0.3), "Universal": lambda: st.Universal(name="j"),
    "Cylindrical": lambda: st.Cylindrical(name="j"), "Planar": lambda: st.Planar(name="j"),
    "Spherical": lambda: st.Spherical(name="j"),
    "Composite": lambda: st.Composite(name="j", joints=(st.Revolute(name="a"), st.Prismatic(name="b"))),
    "Particles": lambda: st.Particles([1.0, 2.0], [[0, 0, 0], [1, 0, 0]]),
}  # fmt: skip
# what public functions give back, and can be asked further
RESULTS: dict[str, Callable[[], Any]] = {
    "Compound": lambda: st.Box(1, 1, 1) - st.Sphere(0.1), "Placed": lambda: BOX.at(xyz=(0, 0, 1)),
    "Budget": lambda: drawing().budget(), "Derivation": lambda: BOX.derivation(),
    "Balance": lambda: st.balance(drawing(), [("motor", "x")], {"x": 0.01}),
    "Structure": lambda: st.structure(arm(), NUMBERS), "BaseParameters": lambda: st.base_parameters(arm()),
    "StructureMap": lambda: st.structure_map(arm(), NUMBERS, ("joint2", "joint3"), samples=4),
    "Sizing": lambda: st.sizing(arm(), moved(), [MOTOR], dt=0.1),
    "Capacity": lambda: st.capacity(arm(), samples=9, effort=NUMBERS * 99),
    "Compiled": lambda: st.compile("gravity_forces", arm(), parameters=["link1.mass"]),
    "Equations": lambda: st.equations(build("rr")),
}  # fmt: skip


class Callee(NamedTuple):
    """Something that can be called, by its public name."""

    name: str
    of: Callable[[], Any]
    parameters: tuple[inspect.Parameter, ...]


def specimen(name: str) -> Callable[[], Any]:
    """An instance of a public class; a new class needs a line in `SPECIMENS` unless it has an example."""
    cls = getattr(st, name)
    return cls.example if isinstance(cls, type) and issubclass(cls, Solid) else SPECIMENS[name]


def callees() -> Iterator[Callee]:
    """Every public function, class, method and operator."""
    for name in st.__all__:
        public = getattr(st, name)
        if inspect.isclass(public) and issubclass(public, BaseException | Warning):
            continue
        yield Callee(name, lambda public=public: public, _parameters(public))
        if inspect.isclass(public):
            yield from _methods(name, cache(specimen(name)))
    for name, make in RESULTS.items():
        yield from _methods(name, cache(make))
        if callable(made := make()):
            yield Callee(f"{name}.__call__", cache(make), _parameters(made))


def _methods(name: str, made: Callable[[], Any]) -> Iterator[Callee]:
    for method in dir(made()):
        if method in UNCHECKED or (method.startswith("_") and method not in OPERATORS):
            continue
        if f"{name}.{method}" in TEXTS or hasattr(tuple, method):  # a named tuple has them of Python
            continue
        if not callable(value := inspect.getattr_static(type(made()), method, None)) and not hasattr(value, "__func__"):
            continue
        if parameters := _parameters(getattr(made(), method)):
            yield Callee(f"{name}.{method}", lambda made=made, method=method: getattr(made(), method), parameters)


def _parameters(function: Any) -> tuple[inspect.Parameter, ...]:
    try:
        return tuple(inspect.signature(function).parameters.values())
    except ValueError:  # of the interpreter's own
        return (inspect.Parameter("x", inspect.Parameter.POSITIONAL_ONLY),)


# ---- arguments ---------------------------------------------------------------------------------------


STRANGERS: dict[str, Callable[[], Any]] = {
    **ANYTHING,
    "nan": lambda: math.nan, "infinity": lambda: -math.inf, "zero": lambda: 0, "minus one": lambda: -1,
    "half": lambda: -0.5, "1e400": lambda: 10**400, "1e-320": lambda: 1e-320, "1e300": lambda: 1e300,
    "true": lambda: True,
    "complex number": lambda: 1 + 2j, "empty text": lambda: "", "null": lambda: "a\x00b", "lone": lambda: "\ud800",
    "path": lambda: Path("nowhere/there.urdf"), "long text": lambda: "x" * 100_000, "slash": lambda: "a/b",
    "a box": lambda: BOX, "a body": lambda: BODY, "a robot": arm, "a drawing": drawing,
    "a link": lambda: arm().links[0],
    "a symbol": lambda: sp.Symbol("x"), "a root": lambda: sp.sqrt(-1), "a function": lambda: (lambda *a, **k: 0),
    "a broken function": lambda: (lambda *a: 1 / 0), "dict": dict, "numbered": lambda: {1: 2, None: 3},
    "pair": lambda: (1, 2),
    "three": lambda: (1, 2, 3), "rows of three": lambda: np.ones((2, 3)), "square": lambda: np.eye(3),
    "four": lambda: np.eye(4),
    "nans": lambda: np.full((3, 3), np.nan), "iterator": lambda: iter([1, 2, 3]), "lists": lambda: [[], [[]]],
    "of parts": lambda: [("plate", "mass"), None], "pairs": lambda: {"x": "y"}, "type": lambda: st.Box,
    "bytes": lambda: b"\xff",
}  # fmt: skip


def arguments(callee: Callee, pick: random.Random) -> tuple[list[Any], dict[str, Any], str]:
    """Arguments for a call, some of them strange, and a description of the call."""
    positional: list[Any] = []
    named: dict[str, Any] = {}
    words: list[str] = []
    strange = pick.choice((0.15, 0.3, 1.0))
    for p in callee.parameters:
        if p.default is not p.empty and pick.random() < 0.6:
            continue
        repeat = pick.randint(0, 3) if p.kind is p.VAR_POSITIONAL else 1
        for _ in range(repeat):
            word, value = _argument(p.name, pick, strange)
            words.append(f"{p.name}={word}")
            if p.kind is p.VAR_KEYWORD:
                named[pick.choice(("gravity", "name", "links", "colour"))] = value
            elif p.kind is p.KEYWORD_ONLY or named or p.default is not p.empty:
                named[p.name] = value
            else:
                positional.append(value)
    if pick.random() < 0.02:
        named["no_such_option"] = 1
    return positional, named, f"{callee.name}({', '.join(words)})"


def _argument(name: str, pick: random.Random, strange: float) -> tuple[str, Any]:
    if pick.random() < strange:
        word = pick.choice(list(STRANGERS))
        return f"<{word}>", STRANGERS[word]()
    value = pick.choice(FITTING.get(name, (1.0,)))
    return "ok", value() if value is arm or value is drawing else value
