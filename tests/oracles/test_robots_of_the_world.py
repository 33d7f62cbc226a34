"""Robot files of the world, on a fixed base: M, C v and g as Pinocchio and MuJoCo compute them from the same file.

The files are those of the wheel example-robot-data, if it is installed, and of folders that the environment variable
STEINER_ROBOT_FILES names (unpacked wheels of pybullet, robosuite, …).
"""

from __future__ import annotations

import os
import re
import warnings
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest

import steiner as st
from steiner import dynamics

pytestmark = pytest.mark.heavy

FEWEST = 25  # robots of example-robot-data that both read
ODD = {  # what Pinocchio reads and is refused here, with the reason
    "alex_psyonic_hands.urdf": "no joint named 'index_q1'",  # mimics a joint that is not there
    "spirit40newer.urdf": "a second <axis>",  # MuJoCo refuses it too
}
LOOKS = re.compile(r"<(visual|collision)\b.*?</\1>|<(visual|collision)\b[^>]*/>", re.DOTALL)
COMPILER = '<mujoco><compiler fusestatic="false"/></mujoco>'


def files() -> list[Path]:
    folders = [Path(folder) for folder in os.environ.get("STEINER_ROBOT_FILES", "").split(os.pathsep) if folder]
    try:
        home = distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")
        folders.insert(0, Path(str(home)))
    except PackageNotFoundError:
        pass
    found = [path for folder in folders for path in sorted(folder.rglob("*.urdf")) if "random_urdfs" not in path.parts]
    if not found:
        pytest.skip("no robot files: pip install example-robot-data, or name folders in STEINER_ROBOT_FILES")
    return found


def ours(robot: st.Robot, q: np.ndarray, qd: np.ndarray) -> list[np.ndarray]:
    """By the texts of the algorithms: no kernel is compiled for a single state."""
    texts = (dynamics.mass_matrix, (q,)), (dynamics.velocity_forces, (q, qd)), (dynamics.gravity_forces, (q,))
    return [np.asarray(f(robot, *given), dtype=float) for f, given in texts]


def by_pinocchio(path: Path, robot: st.Robot, q: np.ndarray, qd: np.ndarray) -> list[np.ndarray]:
    import pinocchio as pin

    from tests.oracles.pinocchio_bridge import Oracle

    model = pin.buildModelFromUrdf(str(path))
    oracle = Oracle(model, robot.joint_names)
    data, at = model.createData(), oracle.v
    M = np.triu(pin.crba(model, data, oracle.q(q)))
    g = np.array(pin.computeGeneralizedGravity(model, data, oracle.q(q)))
    bias = pin.nonLinearEffects(model, data, oracle.q(q), oracle.dot(qd)) - g
    return [(M + np.triu(M, 1).T)[np.ix_(at, at)], bias[at], g[at]]


def by_mujoco(path: Path, robot: st.Robot, q: np.ndarray, qd: np.ndarray) -> list[np.ndarray]:
    import mujoco

    text = re.sub(r"(<robot\b[^>]*>)", rf"\1{COMPILER}", LOOKS.sub("", path.read_text()), count=1)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    model.dof_armature[:] = 0
    at = [model.joint(name).qposadr[0] for name in robot.joint_names]
    data.qpos[at] = q
    mujoco.mj_forward(model, data)
    M, g = np.zeros((model.nv, model.nv)), data.qfrc_bias.copy()
    mujoco.mj_fullM(model, data, M)
    data.qvel[at] = qd
    mujoco.mj_forward(model, data)
    return [M[np.ix_(at, at)], (data.qfrc_bias - g)[at], g[at]]


def difference(own: list[np.ndarray], other: list[np.ndarray], qd: np.ndarray) -> float:
    """Largest difference, relative to the size of what is compared: C v by M v², for wheels that have none."""
    M, bias, g = (float(np.abs(x).max()) for x in other)
    sizes = (M, max(bias, M * float(np.abs(qd).max()) ** 2, g), max(g, M))
    return max(float(np.abs(a - b).max()) / (size or 1.0) for a, b, size in zip(own, other, sizes, strict=True))


@pytest.mark.parametrize(("reader", "limit"), [(by_pinocchio, 1e-10), (by_mujoco, 1e-10)], ids=["pinocchio", "mujoco"])
def test_the_robots_of_the_world_move_as_others_say(reader, limit, capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo leaves its log where it is called
    pytest.importorskip("pinocchio" if reader is by_pinocchio else "mujoco", reason="the oracles are not installed")
    agree, wrong, refused, unread = [], {}, {}, []
    for path in files():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                robot = st.load(path, snap=False)
            except st.SteinerError as error:
                robot, refused[path] = None, str(error)
        if robot is None or robot.n == 0:
            continue
        q, qd = np.random.default_rng(0).uniform(-1, 1, (2, robot.n))
        try:
            other = reader(path, robot, q, qd)
        except (ValueError, RuntimeError, AssertionError, KeyError, IndexError):
            unread.append(path.name)
            continue
        off = difference(ours(robot, q, qd), other, qd)
        agree.append(path.name)
        if not off < limit:
            wrong[path.name] = off
    capfd.readouterr()  # what the others say about the files
    print(f"{len(agree)} robots compared, {len(unread)} not read by the other, {len(refused)} refused here")
    print("not read by the other:", *unread)
    for path, reason in refused.items():
        print("refused:", path.name, reason[len(str(path)) :][:120])
    assert not wrong
    assert len(agree) >= FEWEST
    for path, reason in refused.items():
        if path.name in ODD:
            assert ODD[path.name] in reason
