"""MuJoCo reads the same files: M and C q̇ + g of random MJCF models, of written robots and of real ones agree."""

from __future__ import annotations

import dataclasses
import os
import warnings
from pathlib import Path

import numpy as np
import pytest

import steiner as st
from steiner import dynamics as dy
from steiner.errors import ModelWarning, SteinerError
from steiner.files.mjcf_write import write
from steiner.model.joints import Helical
from tests.comparing import close, floats
from tests.random_robots import EVERY, random_pose, random_robot, random_state

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install steiner[oracles]")

mujoco.set_mju_user_warning(lambda text: None)  # which MuJoCo would write to a file in the current folder
REAL = "STEINER_MJCF"  # names a folder of MJCF models, such as the unzipped wheels of robosuite and robosuite-models
SAID = [kind for kind in EVERY if kind is not Helical]


def difference(robot: st.Robot, model, seed: int = 0) -> float:
    """The largest difference of M, of C q̇ + g and of springs, relative to their size."""
    data = mujoco.MjData(model)
    assert model.nv == robot.n
    named = [model.joint(k).name for k in range(model.njnt)]
    left = [name for name in robot.joint_names if name not in named]  # nameless ones keep their order
    at = [robot.joint_names.index(name or left.pop(0)) for name in named]
    q, qd, _ = random_state(robot, seed)
    data.qpos[:], data.qvel[:] = q[at], qd[at]
    mujoco.mj_forward(model, data)
    theirs = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, theirs)
    M = floats(dy.mass_matrix(robot, q))[np.ix_(at, at)]
    bias = floats(dy.bias_forces(robot, q, qd))[at]
    pull, size = floats(dy.spring_forces(robot, q))[at], np.abs(theirs).max()
    tied = np.any(model.tendon_stiffness)  # springs of tendons are none of ours
    return max(
        np.abs(M - theirs).max() / size,
        0.0 if tied else np.abs(pull + data.qfrc_spring).max() / max(np.abs(data.qfrc_spring).max(), 1e-3 * size),
        np.abs(bias - data.qfrc_bias).max() / max(np.abs(data.qfrc_bias).max(), 1e-3 * size),
    )


# ---- random files ----------------------------------------------------------------------------------


class Drawn:
    """A random MJCF model with what the format offers: classes, frames, all orientations, geoms, joints anywhere."""

    def __init__(self, seed: int) -> None:
        self.rng, self.count = np.random.default_rng(seed), 0
        self.degrees = seed % 2 == 0
        self.sequence = ["xyz", "ZYX", "zxz", "XyZ"][seed % 4]
        compiler = f'angle="{"degree" if self.degrees else "radian"}" eulerseq="{self.sequence}"'
        compiler += ' inertiafromgeom="true"' * (seed % 5 == 3) + ' settotalmass="7.5"' * (seed % 7 == 2)
        compiler += ' inertiagrouprange="0 2"' * (seed % 3 == 1)
        self.text = f"""<mujoco model="drawn{seed}"><compiler {compiler}/><option gravity="{self.n(3)}"/>
<default><joint armature="0.02"/><geom density="700"/><default class="thin"><geom type="capsule" size=".03 .2"/>
<joint type="slide" axis="1 2 0" stiffness="2" springref=".3"/>
<default class="thinner"><geom size=".01 .1" mass=".3"/></default></default></default>
<worldbody><geom type="plane" size="1 1 1"/>{"".join(self.body(0) for _ in range(2))}</worldbody></mujoco>"""

    def n(self, count: int, size: float = 1.0) -> str:
        return " ".join(repr(x) for x in (self.rng.normal(size=count) * size).tolist())

    def pick(self, *options: str) -> str:
        return options[self.rng.integers(len(options))]

    def turned(self) -> str:
        angle = 60 if self.degrees else 1
        return self.pick(
            "", f'quat="{self.n(4)}"', f'axisangle="{self.n(3)} {self.n(1, angle)}"', f'euler="{self.n(3, angle)}"',
            f'xyaxes="{self.n(6)}"', f'zaxis="{self.n(3)}"', 'zaxis="0 0 -1"', 'xyaxes="0 1 0 -1 0 0"',
        )  # fmt: skip

    def geom(self) -> str:
        sizes = " ".join(repr(x) for x in self.rng.uniform(0.02, 0.2, 3).tolist())
        kind = self.pick("sphere", "capsule", "cylinder", "ellipsoid", "box")
        place = f'pos="{self.n(3, 0.2)}" {self.turned()}'
        weight = self.pick("", 'mass="0.7"', 'density="300"', 'group="3"')
        return self.pick(
            f'<geom type="{kind}" size="{sizes}" {place} {weight}/>',
            f'<geom class="thin" {place} {weight}/>', f'<geom class="thinner" {place}/>',
            f'<geom type="{self.pick("capsule", "cylinder", "box", "ellipsoid")}" size=".04" fromto="{self.n(6)}"/>',
        )  # fmt: skip

    def joint(self) -> str:
        self.count += 1
        kind = self.pick("", 'type="slide"', 'class="thin"')
        where = self.pick("", f'pos="{self.n(3, 0.2)}"')
        ref = self.pick("", f'ref="{self.n(1, 20 if self.degrees else 0.4)}"')
        axis = f'axis="{self.n(3)}"' if kind != 'class="thin"' else ""
        rotor = self.pick("", 'armature=".3"')
        spring = self.pick("", 'stiffness="3"', f'stiffness="{abs(self.rng.normal())}" damping=".4"',
                           f'springdamper="{self.rng.uniform(0.1, 2)} {self.rng.uniform(0.3, 3)}"')  # fmt: skip
        slack = self.pick("", f'springref="{self.n(1, 20 if self.degrees else 0.4)}"')
        return f'<joint name="j{self.count}" {kind} {where} {ref} {axis} {rotor} {spring} {slack}/>'

    def framed(self, inner: str) -> str:
        return f'<frame pos="{self.n(3, 0.3)}" {self.turned()}>{inner}</frame>' if self.rng.random() < 0.3 else inner

    def body(self, depth: int) -> str:
        name = f"b{self.count}_{depth}_{self.rng.integers(10**9)}"
        joints = "".join(self.framed(self.joint()) for _ in range(self.rng.choice([0, 1, 1, 2, 3])))
        moments = " ".join(map(repr, np.sort(self.rng.uniform(0.01, 0.02, 3)).tolist()))
        stated = self.pick(
            f'<inertial pos="{self.n(3, 0.1)}" mass="1.3" diaginertia="{moments}" {self.turned()}/>',
            f'<inertial pos="{self.n(3, 0.1)}" mass="2" fullinertia="0.02 0.03 0.04 0.001 -0.002 0.003"/>', "",
        )  # fmt: skip
        geoms = "".join(self.framed(self.geom()) for _ in range(1 + self.rng.integers(3))) + '<geom size=".05"/>'
        below = "".join(self.framed(self.body(depth + 1)) for _ in range(self.rng.integers(3 - depth)))
        around = self.pick("", 'childclass="thin"') if depth else ""
        if around:
            geoms = geoms.replace('<geom size=".05"/>', '<geom type="sphere" size=".05"/>')
        head = f'<body name="{name}" pos="{self.n(3, 0.4)}" {self.turned()} {around}>'
        return f"{head}{stated}{joints}{geoms}{below}</body>"


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_random_files_agree(first):
    for seed in range(first, first + 10):
        text = Drawn(seed).text
        model = mujoco.MjModel.from_xml_string(text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            robot = st.loads(text, format="mjcf", snap=False)
        assert abs(robot.total_mass / model.body_subtreemass[0] - 1) < 1e-12, seed
        if robot.n:
            assert difference(robot, model, seed) < 2e-12, seed  # MuJoCo diagonalises full tensors to 1e-12
            assert passive_difference(robot, model, seed) < 1e-11, seed
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # MuJoCo's own words too
                rewritten = st.loads(text, format="mjcf", snap=False, via="mujoco")
            assert passive_difference(rewritten, model, seed) < 1e-11, seed


def passive_difference(robot: st.Robot, model, seed: int) -> float:
    """Of what springs and dampers do, of inverse dynamics and of free accelerations, relative to their size."""
    data = mujoco.MjData(model)
    at = [robot.joint_names.index(model.joint(k).name) for k in range(model.njnt)]
    q, qd, qdd = random_state(robot, seed)
    data.qpos[:], data.qvel[:], data.qacc[:] = q[at], qd[at], qdd[at]
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT  # bodies that touch
    mujoco.mj_inverse(model, data)
    pulls = data.qfrc_passive.copy(), data.qfrc_inverse.copy()
    mujoco.mj_forward(model, data)
    ours = (
        -floats(dy.spring_forces(robot, q) + dy.friction_forces(robot, q, qd)),
        floats(dy.inverse_dynamics(robot, q, qd, qdd)),
        floats(dy.forward_dynamics(robot, q, qd, np.zeros(robot.n))),
    )
    pairs = zip((x[at] for x in ours), (*pulls, data.qacc_smooth), strict=True)
    return max(float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-3)) for a, b in pairs)


def test_the_random_files_hold_what_they_should():
    """Each word of the format that the reader knows, in some file that moves."""
    whole = "".join(Drawn(seed).text for seed in range(60))
    words = ("frame", "fromto", "axisangle", "euler", "xyaxes", "zaxis", "quat", "childclass", "ref=", "fullinertia")
    for word in (*words, "settotalmass", "inertiagrouprange", "stiffness", "springref", "springdamper", "damping"):
        assert whole.count(word) > 5, word


# ---- what we write ---------------------------------------------------------------------------------


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_written_robots_agree_and_come_back(first, tmp_path):
    """Joints of several degrees, payloads, fixed links, rotors, springs, friction, frames off the joints, shapes."""
    for seed in range(first, first + 10):
        robot = random_robot(
            seed, 2 + seed % 5, kinds=tuple(SAID), friction=True, fixed=seed % 3, payloads=seed % 3, springs=True
        )
        pose = random_pose(np.random.default_rng(seed))
        shapes = (st.Box(0.1, 0.2, 0.3), st.Shape(st.Cylinder(0.1, 0.3, axis="x"), pose=pose))
        robot = robot.replace(links=tuple(dataclasses.replace(k, shapes=shapes) for k in robot.links))
        with pytest.warns(ModelWarning, match="the friction of joint"):  # Coulomb with a width
            st.save(robot, tmp_path / f"{seed}.xml")
        text = (tmp_path / f"{seed}.xml").read_text()
        assert difference(robot, mujoco.MjModel.from_xml_string(text), seed) < 1e-12
        again = st.load(tmp_path / f"{seed}.xml")
        at = [robot.joint_names.index(name) for name in again.joint_names]
        q, qd, _ = random_state(robot, seed)
        for function, state in ((dy.mass_matrix, (q,)), (dy.velocity_forces, (q, qd)), (dy.gravity_forces, (q,)),
                                (dy.spring_forces, (q,))):  # fmt: skip
            ours, theirs = floats(function(robot, *state)), floats(function(again, *(x[at] for x in state)))
            ours = ours[np.ix_(at, at)] if ours.ndim == 2 else ours[at]
            assert np.abs(ours - theirs).max() <= 1e-14 * max(np.abs(ours).max(), 1.0)
        for link in again.links:
            if link.name in robot.link_names:
                looks = [[s.solid.with_mass(1).moved(s.pose) for s in k.shapes] for k in (link, robot.link(link.name))]
                assert len(looks[0]) == 2
                assert all(close(a.pseudo, b.pseudo, 1e-13) for a, b in zip(*looks, strict=True))


def test_passive_efforts_agree():
    """Damping and dry friction as MuJoCo has them."""
    rng = np.random.default_rng(5)
    robot = random_robot(5, 4, kinds=(st.Revolute, st.Prismatic), rotors=False, fixed=0)
    links = [
        dataclasses.replace(k, joint=dataclasses.replace(k.joint, friction=st.Viscous(rng.uniform(0.1, 1))))
        if k.joint.moves else k
        for k in robot.links
    ]  # fmt: skip
    robot = robot.replace(links=tuple(links))
    model = mujoco.MjModel.from_xml_string(write(robot))
    data = mujoco.MjData(model)
    at = [robot.joint_names.index(model.joint(k).name) for k in range(model.njnt)]
    q, qd, _ = random_state(robot, 5)
    data.qpos[:], data.qvel[:] = q[at], qd[at]
    mujoco.mj_forward(model, data)
    assert np.abs(data.qfrc_passive + robot.friction_forces(q, qd)[at]).max() < 1e-13


# ---- joints of URDF that both of them read alike ---------------------------------------------------

PLANAR = """<robot name="cart"><link name="base"/>
<link name="cart"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="2"/>
<inertia ixx="0.05" ixy="0.01" ixz="0" iyy="0.06" iyz="0.004" izz="0.07"/></inertial></link>
<joint name="plane" type="planar"><parent link="base"/><child link="cart"/><origin xyz="0 0 0.1" rpy="0.3 0.2 0.1"/>
<axis xyz="0 0 1"/></joint><mujoco><compiler fusestatic="false"/></mujoco></robot>"""


def test_planar_joints_of_urdf_move_as_in_mujoco_and_pinocchio():
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed: pip install steiner[oracles]")
    robot, model = st.loads(PLANAR, format="urdf"), mujoco.MjModel.from_xml_string(PLANAR)
    assert robot.joint_names == ("plane.x", "plane.y", "plane.rz")
    data, theirs = mujoco.MjData(model), np.zeros((3, 3))
    q, qd = np.array([0.3, -0.2, 0.7]), np.array([0.5, 0.4, -0.6])
    data.qpos[:], data.qvel[:] = q, qd
    mujoco.mj_forward(model, data)
    mujoco.mj_fullM(model, data, theirs)
    assert close(robot.mass_matrix(q), theirs, 1e-14) and close(robot.bias_forces(q, qd), data.qfrc_bias, 1e-14)
    other = pin.buildModelFromXML(PLANAR)
    state = other.createData()
    pin.forwardKinematics(other, state, np.array([*q[:2], np.cos(q[2]), np.sin(q[2])]))
    assert close(robot.forward_kinematics(q, "cart").matrix, state.oMi[1].homogeneous, 1e-14)


# ---- meshes in files -------------------------------------------------------------------------------

CORNERS = np.array([[0, 0], [0.3, 0], [0.3, 0.1], [0.1, 0.1], [0.1, 0.4], [0, 0.4]])  # an angle: it has a dent
MESHED = """<mujoco><asset><mesh name="m" file="{}.stl" scale="1 -2 1" {}/></asset><worldbody><body name="b"><joint/>
<geom type="mesh" mesh="m" density="700" pos=".1 .2 .3" euler="10 20 30"/></body></worldbody></mujoco>"""


def write_stl(path: Path, vertices, faces) -> None:
    rows = np.zeros(len(faces), dtype=[("normal", "<3f4"), ("corners", "<9f4"), ("more", "<u2")])
    rows["corners"] = vertices[faces].reshape(-1, 9)
    path.write_bytes(bytes(80) + np.uint32(len(faces)).tobytes() + rows.tobytes())


def mesh_files(folder: Path) -> None:
    """A dented one and a convex one, both far from the origin."""
    n = len(CORNERS)
    vertices = np.array([[*p, z] for z in (0.0, 0.2) for p in CORNERS]) + [0.5, -0.3, 0.2]
    bottom = np.array([(0, k, k + 1) for k in range(1, n - 1)])
    sides = [(i, j, k) for i in range(n) for j, k in (((i + 1) % n, (i + 1) % n + n), ((i + 1) % n + n, i + n))]
    write_stl(folder / "dent.stl", vertices, np.vstack([bottom[:, ::-1], bottom + n, sides]))
    cloud = np.random.default_rng(0).normal(size=(14, 3)) * [0.1, 0.2, 0.15] + [0.7, 0.1, -0.4]
    write_stl(folder / "hull.stl", *map(np.asarray, st.ConvexHull(cloud).mesh()))


@pytest.mark.parametrize(
    ("mesh", "mode"),  # MuJoCo takes "legacy" where a file says nothing: right for shapes without dents only
    [("hull", None), ("hull", "legacy"), ("hull", "exact"), ("hull", "convex"), ("dent", "exact"), ("dent", "convex")],
)
def test_bodies_of_mesh_files_weigh_what_mujoco_says(mesh, mode, tmp_path):
    mesh_files(tmp_path)
    (tmp_path / "arm.xml").write_text(MESHED.format(mesh, f'inertia="{mode}"' if mode else ""))
    theirs = mujoco.MjModel.from_xml_path(str(tmp_path / "arm.xml")).body("b")
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, theirs.iquat)
    R = turn.reshape(3, 3)
    tensor = R @ np.diag(theirs.inertia) @ R.T
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a mirroring scale is nothing to tell
        ours = st.load(tmp_path / "arm.xml").link("b").body
    assert ours.mass == pytest.approx(theirs.mass[0], rel=1e-13) and np.abs(ours.com - theirs.ipos).max() < 1e-13
    assert np.abs(ours.inertia - tensor).max() < 1e-8 * np.abs(tensor).max()  # principal axes: half of the digits


def test_a_mesh_that_looks_inward_is_told(tmp_path):
    vertices, faces = map(np.asarray, st.Box(1, 2, 3).mesh())
    write_stl(tmp_path / "hull.stl", vertices + 1, faces[:, ::-1])
    (tmp_path / "arm.xml").write_text(MESHED.format("hull", ""))
    with pytest.warns(ModelWarning, match=r"hull.stl.*point inward"):
        assert st.load(tmp_path / "arm.xml").link("b").body.mass == pytest.approx(700 * 6 * 2)


@pytest.mark.parametrize("mode", ["legacy", "shell"])
def test_what_mujoco_fills_or_leaves_hollow_is_refused(mode, tmp_path):
    mesh_files(tmp_path)
    (tmp_path / "arm.xml").write_text(MESHED.format("dent", f'inertia="{mode}"'))
    with pytest.raises(SteinerError, match=r"dents|shell"):
        st.load(tmp_path / "arm.xml")
    assert st.load(tmp_path / "arm.xml", via="mujoco").n == 1


# ---- through MuJoCo's compiler ---------------------------------------------------------------------


def test_mujoco_rewrites_what_is_not_read(tmp_path):
    text = """<mujoco><compiler inertiafromgeom="true"/><worldbody><replicate count="3" offset=".1 0 0">
<body><joint axis="0 1 0" damping="0.2"/><geom type="box" size=".1 .2 .3" shellinertia="true"/></body></replicate>
</worldbody></mujoco>"""
    path = tmp_path / "many.xml"
    path.write_text(text)
    with pytest.raises(SteinerError, match=r"many.xml:1: .*<replicate> is not read.*via=\"mujoco\""):
        st.load(path)
    robot = st.load(path, via="mujoco")
    assert robot.n == 3 and difference(robot, mujoco.MjModel.from_xml_path(str(path))) < 1e-12
    assert st.loads(text, format="mjcf", via="mujoco").n == 3
    path.write_text(text.replace("<worldbody>", '<asset><mesh name="m" file="../secret.stl"/></asset><worldbody>'))
    with pytest.raises(SteinerError, match="outside the folder"):
        st.load(path, via="mujoco")
    path.write_text("<mujoco><worldbody><body><joint type='hinge'/></body></worldbody></mujoco>")
    with pytest.raises(SteinerError, match=r"MuJoCo cannot compile it: .*moving bodies"):
        st.load(path, via="mujoco")
    with pytest.raises(SteinerError, match="expected 'mujoco'"):
        st.load(path, via="drake")


# ---- real ones -------------------------------------------------------------------------------------


def real_files() -> list[Path]:
    folder = os.environ.get(REAL, "")
    return sorted(Path(folder).rglob("*.xml")) if folder else []


@pytest.mark.heavy
@pytest.mark.parametrize("via", [None, "mujoco"])
def test_real_files_agree(via):
    """Every file of the folder that both programs read; at least twenty of them move."""
    files = real_files()
    if not files:
        pytest.skip(f"no MJCF models: unzip the wheels of robosuite and robosuite-models and set {REAL} to the folder")
    agreed = []
    for file in files:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            try:
                robot = st.load(file, snap=False, via=via)
                model = mujoco.MjModel.from_xml_path(str(file))
            except (SteinerError, ValueError):
                continue
        if isinstance(robot, st.Robot) and robot.source.format == "mjcf" and robot.n:
            assert difference(robot, model) < 1e-12, file
            agreed.append(file)
    assert len(agreed) >= 20
