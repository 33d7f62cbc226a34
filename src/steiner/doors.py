"""Upward doors: methods whose work is done in a room above (or beside) the class that has them.

The rows of `DOORS` are the only imports by name in the package; every other import points down.  `door` makes a
method of a row; `method` makes one of an algorithm, whose callable the robot keeps.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from steiner.locks import LOCK

# class.method -> room:function; "number.sympy": who teaches a foreign kind of number to `steiner.scalar`; "check.file",
# "check.mesh" and "check.mesh_file": who reads the file that `steiner.checks` is asked about, and finds its meshes;
# "catalogue.file": who reads the motors that `steiner.analysis` chooses from
DOORS = {
    "number.sympy": "symbolic:exact",
    "Robot.from_dh": "model.dh:from_dh",
    "Robot.from_poe": "model.poe:from_poe",
    "Robot.to_dh": "model.conversions:to_dh",
    "Robot.to_poe": "model.conversions:to_poe",
    "Robot.parameter": "model.parameters:parameter",
    "Robot.independent": "model.parameters:independent",
    "Robot.inverse_kinematics": "motion.reach:inverse_kinematics",
    "Robot.with_parameters": "model.parameters:with_parameters",
    "Solid.at": "solids.compound:placed",
    "Solid.__add__": "solids.compound:joined",
    "Solid.__sub__": "solids.compound:cut",
    "Solid.hollow": "solids.hollow:hollow",
    "Solid.check": "solids.overlap:check",
    "Cad.load": "files.step:load_cad",
    "Mesh.load": "files.mesh:load_mesh",
    "Mesh.diagnose": "solids.mesh_diagnose:diagnose",
    "Limits.turned": "solids.turned:turned",
    "Solid.with_varying_density": "solids.varying:with_varying_density",
    "Solid.derivation": "solids.derivations:derive",
    "Assembly.budget": "assembly.budget:budget",
    "Assembly.derivation": "assembly.derive:derive",
    "Assembly.check": "assembly.overlap:check",
    "Assembly.subs": "assembly.substitute:substituted",
    "Assembly.replaced": "assembly.edits:replaced",
    "Assembly.without": "assembly.edits:without",
    "Assembly.compare": "assembly.edits:compared",
    "Equations.document": "formulas.summary:summary",
    "Equations.derivation": "formulas.derivations:derive",
    "Equations.sketch": "scene.sketch:sketch",
    "Robot.show": "scene.show:show_robot",
    "Solid.show": "scene.show:show_still",
    "Assembly.show": "scene.show:show_still",
    "Part.show": "scene.show:show_still",
    "Link.show": "scene.show:show_still",
    "Particles.show": "scene.show:show_still",
    "MassProperties.show": "scene.show:show_still",
    "Motion.show": "scene.show:show_motion",
    "check.file": "files.load:examined",
    "check.mesh": "files.mesh:shape_mesh",
    "check.mesh_file": "files.mesh:located",
    "catalogue.file": "files.motors:read",
    "StructureMap.plot": "scene.maps:plot",
    "Robot.simulate": "motion.simulate:simulate",
    "Motion.plot": "scene.motions:plot",
    "Capacity.plot": "scene.maps:plot_capacity",
    "Sizing.plot": "scene.maps:plot_sizing",
}
ALGORITHM = "kernels.call:bound"  # the callable of an algorithm of the table, on a robot

F = TypeVar("F", bound=Callable[..., Any])


@functools.cache
def opened(row: str | Callable[..., Any]) -> Any:
    """What a row leads to; a function leads to itself."""
    if not isinstance(row, str):
        return row
    room, _, name = row.partition(":")
    with LOCK:
        return getattr(importlib.import_module(f"steiner.{room}"), name)


def door(declared: F) -> F:
    """The method of a row of `DOORS`; its declaration gives signature and help."""
    row = DOORS[declared.__qualname__]

    @functools.wraps(declared)
    def through(*args: Any, **kwargs: Any) -> Any:
        return opened(row)(*args, **kwargs)

    return through  # type: ignore[return-value]


class Method:
    """An algorithm as a method: its callable is made on first use and kept by the robot, which makes calls quick.

    Its declaration says all of it that a caller sees; `arrays` are its arrays and their lengths, "n" one per joint.
    """

    def __init__(self, declared: Callable[..., Any], arrays: dict[str, str | int]) -> None:
        functools.update_wrapper(self, declared)
        self.name, self.arrays = declared.__name__, arrays
        self._names: list[str] = []

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self.__wrapped__)  # type: ignore[attr-defined]

    def __set_name__(self, owner: type, name: str) -> None:
        self._names.append(name)

    def __get__(self, robot: Any, owner: type | None = None) -> Any:
        if robot is None:
            return self
        call = opened(ALGORITHM)(robot, self)
        robot.__dict__.update(dict.fromkeys(self._names, call))
        return call

    def __call__(self, robot: Any, /, *args: Any, **kwargs: Any) -> Any:
        """`Robot.inverse_dynamics(robot, q, …)`, as with any method."""
        return self.__get__(robot)(*args, **kwargs)


def method(**arrays: str | int) -> Callable[[F], F]:
    """An algorithm of the table, of these arrays, as a method of the robot."""
    return lambda declared: Method(declared, arrays)  # type: ignore[return-value]
