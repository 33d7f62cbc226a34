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


class Pinocchio:
    """Pinocchio's model of a URDF file."""

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


class MuJoCo:
    """MuJoCo's model of a URDF or MJCF file; geometry of a URDF is left out, it has no say in dynamics."""

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


PROGRAMS: dict[str, Any] = {"pinocchio": Pinocchio, "mujoco": MuJoCo}


def opened_in(program: str, path: Path, joints: Sequence[str], gravity: np.ndarray) -> Terms:
    """The same file in another program."""
    if program not in PROGRAMS:
        raise ArgumentError(unknown("program", program, PROGRAMS))
    try:
        return PROGRAMS[program](path, joints, gravity)
    except ImportError as error:
        raise ArgumentError(f"{program} is not installed ({error}); pip install steiner[oracles]") from None


def _same_joints(program: str, ours: Sequence[str], theirs: Sequence[str]) -> None:
    if set(ours) != set(theirs):
        missing, more = sorted(set(ours) - set(theirs)), sorted(set(theirs) - set(ours))
        raise FormatError(
            f"{program} reads other joints than steiner: it lacks {', '.join(missing) or 'none'}, "
            f"and has besides {', '.join(more) or 'none'}"
        )
