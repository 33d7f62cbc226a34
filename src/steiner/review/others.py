"""Other programs' reading of a robot file, asked for the same terms in the same order of joints.

A new program is one class and one line in `PROGRAMS`; it is imported when it is asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from steiner.errors import ArgumentError, FormatError, unknown

# fixed links stay bodies, nothing is balanced or merged
_COMPILER = b'<mujoco><compiler fusestatic="false" balanceinertia="false" boundmass="0" boundinertia="0"/></mujoco>'
_LOOKS = re.compile(rb"<(visual|collision)\b(?:[^>]*/>|.*?</\1\s*>)", re.DOTALL)


class Terms(Protocol):
    """Who can be asked for the terms of the equations of motion, one pose at a time."""

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """M(q)."""
        ...

    def velocity_forces(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """C(q, q̇) q̇."""
        ...

    def gravity_forces(self, q: np.ndarray) -> np.ndarray:
        """g(q)."""
        ...

    def spring_forces(self, q: np.ndarray) -> np.ndarray:
        """What holds the joints against their springs."""
        ...


class Pinocchio:
    """Pinocchio's model of a URDF file, which has no springs."""

    package = "pin"

    def __init__(self, path: Path, joints: Sequence[str], gravity: np.ndarray) -> None:
        import pinocchio as pin

        self._pin: Any = pin
        try:
            self._model = self._pin.buildModelFromUrdf(str(path))
        except Exception as error:  # its bindings raise what their C++ throws
            raise FormatError(f"{path}: Pinocchio cannot read it: {error}") from None
        model: Any = self._model
        _same_joints("Pinocchio", joints, list(model.names)[1:])
        model.gravity.linear = np.asarray(gravity, dtype=float)
        self._data = model.createData()
        self._ids = [model.getJointId(name) for name in joints]
        self._v = np.array([model.idx_vs[i] for i in self._ids], dtype=int)

    def _q(self, q: np.ndarray) -> np.ndarray:
        full = self._pin.neutral(self._model)
        for value, i in zip(q, self._ids, strict=True):
            at, size = self._model.idx_qs[i], self._model.nqs[i]
            full[at : at + size] = [value] if size == 1 else [np.cos(value), np.sin(value)]  # continuous joints
        return full

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """M(q)."""
        upper = np.triu(self._pin.crba(self._model, self._data, self._q(q)))
        full = upper + np.triu(upper, 1).T
        return full[np.ix_(self._v, self._v)]

    def velocity_forces(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """C(q, q̇) q̇."""
        full = np.zeros(self._model.nv)
        full[self._v] = qd
        bias = self._pin.nonLinearEffects(self._model, self._data, self._q(q), full)[self._v].copy()
        return bias - self.gravity_forces(q)

    def gravity_forces(self, q: np.ndarray) -> np.ndarray:
        """g(q)."""
        return self._pin.computeGeneralizedGravity(self._model, self._data, self._q(q))[self._v].copy()

    def spring_forces(self, q: np.ndarray) -> np.ndarray:
        """None."""
        return np.zeros(len(self._v))


class MuJoCo:
    """MuJoCo's model of a URDF or MJCF file; geometry of a URDF is left out, it has no say in dynamics."""

    package = "mujoco"

    def __init__(self, path: Path, joints: Sequence[str], gravity: np.ndarray) -> None:
        import mujoco

        self._mujoco: Any = mujoco
        try:
            if path.suffix.lower() == ".urdf":
                text, end = _LOOKS.sub(b"", path.read_bytes()), b"</robot>"
                at = text.rfind(end)
                text = (text[:at] + _COMPILER + text[at:]).decode("utf-8", "replace")
                model = self._mujoco.MjModel.from_xml_string(text)
            else:
                model = self._mujoco.MjModel.from_xml_path(str(path))
        except ValueError as error:
            raise FormatError(f"{path}: MuJoCo cannot read it: {str(error).splitlines()[0]}") from None
        self._model = model
        _same_joints("MuJoCo", joints, [model.joint(i).name for i in range(model.njnt)])
        model.opt.gravity[:] = np.asarray(gravity, dtype=float)
        found = [model.joint(name) for name in joints]
        self._q = np.array([int(j.qposadr[0]) for j in found], dtype=int)
        self._v = np.array([int(j.dofadr[0]) for j in found], dtype=int)
        self._data = self._mujoco.MjData(model)

    def _bias(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        self._data.qpos[self._q], self._data.qvel[self._v] = q, qd
        self._mujoco.mj_forward(self._model, self._data)
        return self._data.qfrc_bias[self._v].copy()

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """M(q)."""
        self._bias(q, np.zeros(len(self._v)))
        full = np.zeros((self._model.nv, self._model.nv))
        try:
            self._mujoco.mj_fullM(self._model, self._data, full)
        except TypeError:  # before MuJoCo 4
            self._mujoco.mj_fullM(self._model, full, self._data.qM)
        return full[np.ix_(self._v, self._v)]

    def velocity_forces(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """C(q, q̇) q̇."""
        return self._bias(q, qd) - self.gravity_forces(q)

    def gravity_forces(self, q: np.ndarray) -> np.ndarray:
        """g(q)."""
        return self._bias(q, np.zeros(len(self._v)))

    def spring_forces(self, q: np.ndarray) -> np.ndarray:
        """Those of joints and tendons."""
        self._bias(q, np.zeros(len(self._v)))
        return -self._data.qfrc_spring[self._v]


class Drake:
    """Drake's plant of a URDF, SDF or MJCF file; a root that nothing holds is welded where the file puts it."""

    package = "drake"

    def __init__(self, path: Path, joints: Sequence[str], gravity: np.ndarray) -> None:
        from pydrake.multibody.parsing import Parser  # type: ignore[import-not-found]
        from pydrake.multibody.plant import MultibodyPlant  # type: ignore[import-not-found]

        self._plant: Any = MultibodyPlant(0.0)
        plant: Any = self._plant
        try:
            Parser(plant).AddModels(str(path))
        except (RuntimeError, ValueError) as error:
            raise FormatError(f"{path}: Drake cannot read it: {str(error).splitlines()[0]}") from None
        try:
            placed = plant.GetDefaultFloatingBaseBodyPose
        except AttributeError:  # before Drake 1.50
            placed = plant.GetDefaultFreeBodyPose
        held = {plant.get_joint(i).child_body().index() for i in plant.GetJointIndices()}
        for body in map(plant.get_body, self._bodies()):
            if body.index() not in held:
                plant.WeldFrames(plant.world_frame(), body.body_frame(), placed(body))
        plant.mutable_gravity_field().set_gravity_vector(np.asarray(gravity, dtype=float))
        plant.Finalize()
        found = [plant.get_joint(i) for i in plant.GetJointIndices()]
        moving = {joint.name(): joint for joint in found if joint.num_velocities()}
        _same_joints("Drake", joints, list(moving))
        self._q = np.array([moving[name].position_start() for name in joints], dtype=int)
        self._v = np.array([moving[name].velocity_start() for name in joints], dtype=int)
        self._context: Any = plant.CreateDefaultContext()

    def _bodies(self) -> list[Any]:
        from pydrake.multibody.tree import BodyIndex  # type: ignore[import-not-found]

        return [BodyIndex(i) for i in range(1, self._plant.num_bodies())]  # 0 is the world

    def _set(self, q: np.ndarray, qd: np.ndarray | float = 0.0) -> None:
        positions, speeds = np.zeros(self._plant.num_positions()), np.zeros(self._plant.num_velocities())
        positions[self._q], speeds[self._v] = q, qd
        self._plant.SetPositions(self._context, positions)
        self._plant.SetVelocities(self._context, speeds)

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """M(q)."""
        self._set(q)
        return self._plant.CalcMassMatrix(self._context)[np.ix_(self._v, self._v)]

    def velocity_forces(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """C(q, q̇) q̇: Drake's bias has no gravity in it."""
        self._set(q, qd)
        return self._plant.CalcBiasTerm(self._context)[self._v]

    def gravity_forces(self, q: np.ndarray) -> np.ndarray:
        """g(q): Drake counts what gravity does to the joints."""
        self._set(q)
        return -self._plant.CalcGravityGeneralizedForces(self._context)[self._v]

    def spring_forces(self, q: np.ndarray) -> np.ndarray:
        """What force elements do at rest beside gravity, which is one of them."""
        from pydrake.multibody.tree import MultibodyForces  # type: ignore[import-not-found]

        gravity, forces = self.gravity_forces(q), MultibodyForces(self._plant)
        self._plant.CalcForceElementsContribution(self._context, forces)
        return -self._plant.CalcGeneralizedForces(self._context, forces)[self._v] - gravity


PROGRAMS: dict[str, Any] = {"pinocchio": Pinocchio, "mujoco": MuJoCo, "drake": Drake}


def opened_in(program: str, path: Path, joints: Sequence[str], gravity: np.ndarray) -> Terms:
    """The same file in another program."""
    if program not in PROGRAMS:
        raise ArgumentError(unknown("program", program, PROGRAMS))
    asked = PROGRAMS[program]
    try:
        return asked(path, joints, gravity)
    except ImportError as error:
        raise ArgumentError(f"{program} is not installed ({error}); pip install {asked.package}") from None


def _same_joints(program: str, ours: Sequence[str], theirs: Sequence[str]) -> None:
    if set(ours) != set(theirs):
        missing, more = sorted(set(ours) - set(theirs)), sorted(set(theirs) - set(ours))
        raise FormatError(
            f"{program} reads other joints than steiner: it lacks {', '.join(missing) or 'none'}, "
            f"and has besides {', '.join(more) or 'none'}"
        )
