"""A new thing is one class (or function) and one line in a table: here is one of each, written from outside.

Each is registered by one line, runs through the public roads, and then keeps the contract that the table's own
things keep: the contract tests are called on it.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest
import sympy as sp
import typer
from typer.testing import CliRunner

import steiner as st
from steiner import dynamics as dy
from steiner.backends import BACKENDS, reference
from steiner.checks.rule import Remark, Rule
from steiner.checks.rules import RULES
from steiner.checks.sarif import sarif
from steiner.cli import COMMANDS, program
from steiner.cli.common import RobotArgument, find
from steiner.errors import SteinerError
from steiner.files.load import FORMATS, Format
from steiner.formulas import derivations
from steiner.formulas.examples import rr
from steiner.formulas.terms import TERMS, Term
from steiner.kernels.export import TARGETS, Job, Target
from steiner.materials import MATERIALS, Material
from steiner.model.friction import FRICTIONS, Friction
from steiner.model.joint_types import JOINTS
from steiner.model.joints import Joint
from steiner.robots import GALLERY, Exhibit
from steiner.scalar import absolute
from steiner.solids.base import Solid, diagonal
from steiner.solids.charts import Chart, cartesian
from steiner.solids.derivations import DERIVATIONS
from steiner.solids.primitives import furthest
from steiner.text.document import Document
from steiner.text.steps import Derivation
from steiner.trace import Op, operands, referred
from tests.comparing import close, floats
from tests.contracts import (
    test_backends_contract,
    test_frictions_contract,
    test_joints_contract,
    test_kernels_contract,
    test_solids_contract,
    test_tables_contract,
)
from tests.random_robots import random_body, random_pose, random_state


def contract(module: Any, *, leave: tuple[str, ...] = (), **given: Any) -> list[partial[None]]:
    """The contract tests of a module whose arguments are all given, ready to be called."""
    tests = {name: test for name, test in vars(module).items() if name.startswith("test_") and name not in leave}
    fitting = [test for test in tests.values() if set(inspect.signature(test).parameters) == given.keys()]
    assert fitting
    return [partial(test, **given) for test in fitting]


# ---- a shape ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pyramid(Solid):
    """Pyramid over a rectangle x × y in the plane z = 0, its apex above the middle."""

    x: Any
    y: Any
    height: Any
    axis: str = "z"
    frame = "base at z = 0, apex at z = height"
    POSITIVE = ("x", "y", "height")

    @classmethod
    def example(cls):
        return cls(0.3, 0.2, 0.25)

    def _measure(self) -> Any:
        return self.x * self.y * self.height / 3

    def _centre(self) -> Any:
        return (0, 0, self.height / 4)

    def _gyration(self) -> Any:
        return diagonal(self.x**2 / 20, self.y**2 / 20, 3 * self.height**2 / 80)

    def _charts(self) -> list[Chart]:
        def half(z: Any, width: Any) -> Any:
            return width * (1 - z / self.height) / 2

        def across(width: Any) -> Any:
            return lambda z, *_: (-half(z, width), half(z, width))

        return [cartesian(across(self.x), across(self.y), (0, self.height))]

    def _corners(self) -> np.ndarray:
        x, y, h = float(self.x) / 2, float(self.y) / 2, float(self.height)
        return np.array([[x, y, 0], [-x, y, 0], [-x, -y, 0], [x, -y, 0], [0, 0, h]])

    def _support(self, directions: np.ndarray) -> np.ndarray:
        return furthest(directions, *(np.broadcast_to(corner, directions.shape) for corner in self._corners()))

    def _depth(self, points: np.ndarray) -> np.ndarray:
        x, y, h = float(self.x) / 2, float(self.y) / 2, float(self.height)
        left = [(w * (1 - points[:, 2] / h) - np.abs(points[:, k])) / np.hypot(1, w / h) for k, w in ((0, x), (1, y))]
        return np.min([points[:, 2], *left], axis=0)


SHAPE_TESTS = contract(test_solids_contract, cls=Pyramid) + contract(test_solids_contract, cls=Pyramid, s=100.0)


@pytest.mark.parametrize("promise", SHAPE_TESTS, ids=lambda promise: promise.func.__name__)
def test_a_shape_keeps_the_contract_of_solids(promise):
    promise()


def test_a_shape_goes_from_the_drawing_to_the_torque():
    """With symbols and with numbers: budget, overlaps, torque by part, kernels, equations, a held joint."""

    def arm(x: Any, height: Any) -> st.Robot:
        foot = st.Part("foot", st.Box(0.1, 0.1, 0.02), material="steel", pose=st.Pose(p=(0.3, 0, -0.01)))
        roof = st.Part("roof", Pyramid(x, 0.2, height), material="aluminium", pose=st.Pose(p=(0.3, 0, 0)))
        arm = st.Link("arm", None, st.Revolute(name="hinge", axis=(0, 1, 0)), made_of=st.Assembly("arm", [foot, roof]))
        tip = Pyramid(0.1, 0.1, 0.1).of("PLA")
        hand = st.Link("hand", "arm", st.Prismatic(name="slide"), st.Pose(p=(0.6, 0, 0)), tip)
        return st.Robot("crane", [arm, hand])

    robot = arm(0.3, 0.25)
    drawing = robot.link("arm").made_of
    assert not drawing.check()
    rows = {row.path: row for row in drawing.budget().rows}
    assert rows["arm/roof"].mass == pytest.approx(2700 * 0.3 * 0.2 * 0.25 / 3, rel=1e-12)
    state = random_state(robot, 1)
    tau = robot.inverse_dynamics(*state)
    shares = robot.torque_breakdown(*state, by="part")
    assert {"arm/foot", "arm/roof", "hand"} <= shares.keys() and close(shares.total, tau, 1e-12)
    assert close(dy.inverse_dynamics(robot, *state), tau, 1e-12)
    x, height = sp.symbols("x height", positive=True)
    lettered, values = arm(x, height), {x: 0.3, height: 0.25}
    assert close([float(e.subs(values)) for e in lettered.inverse_dynamics(*state)], tau, 1e-11)
    eq = st.equations(lettered)
    known = values | dict(zip((*eq.q, *eq.qd, *eq.qdd), np.ravel(state), strict=True))
    assert close([float(e.subs(known)) for e in eq.tau], tau, 1e-11)
    held = robot.locked({"slide": state[0][1]})
    assert held.total_mass == robot.total_mass and held.n == 1


# ---- a material ------------------------------------------------------------------------------------


def test_a_material(monkeypatch):
    monkeypatch.setitem(MATERIALS, "cork board", Material("cork board", 180, "a data sheet that was read"))
    assert st.Box(1, 1, 1).of("Cork-Board").mass == 180
    test_tables_contract.test_a_material_is_found_however_it_is_spelled("cork board")
    plug = st.Assembly("plug", [st.Part("cork", st.Box(1, 1, 1), material="cork board")])
    assert plug.mass_properties.mass == 180 and plug.budget().rows[-1].mass == 180
    with pytest.raises(SteinerError, match="did you mean 'cork board'"):
        st.Box(1, 1, 1).of("cork bord")


# ---- joints ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class Jack(Joint):
    """A spindle behind a gear: turns by ratio·x and advances lead per radian."""

    NUMERIC = (*Joint.NUMERIC, "ratio", "lead")

    ratio: Any = 1.0
    lead: Any = 0.0

    def screw(self) -> tuple[Any, Any]:
        return self.ratio, self.ratio * self.lead


@dataclass(frozen=True, eq=False, kw_only=True)
class Cardan(Joint):
    """Two turning axes through one point, the second carried by the first."""

    def screws(self) -> tuple[Joint, ...]:
        return tuple(one(self, st.Revolute, f"r{axis}", axis) for axis in "xy")


@dataclass(frozen=True, eq=False, kw_only=True)
class Table(Joint):
    """Slides along x and y and turns about z, as a plate on a plane does."""

    def screws(self) -> tuple[Joint, ...]:
        slides = (one(self, st.Prismatic, axis, axis) for axis in "xy")
        return (*slides, one(self, st.Revolute, "rz", "z"))


def one(joint: Joint, kind: type[Joint], does: str, axis: str) -> Joint:
    """A screw of a joint, with the joint's numbers."""
    numbers = {name: getattr(joint, name) for name in Joint.NUMERIC}
    return kind(name=f"{joint.name}.{does}", axis=np.eye(3)["xyz".index(axis)], friction=joint.friction, **numbers)


NEW_JOINTS = {"jack": Jack, "cardan": Cardan, "table": Table}
LEAVE = ("test_a_urdf_gives_the_joint_back_or_is_refused_by_name",)
JOINT_TESTS = [name for name in vars(test_joints_contract) if name.startswith("test_") and name not in LEAVE]


@pytest.mark.parametrize("name", JOINT_TESTS)
@pytest.mark.parametrize("kind", NEW_JOINTS)
def test_a_joint_keeps_the_contract_of_joints(kind, name, monkeypatch):
    monkeypatch.setitem(JOINTS, kind, NEW_JOINTS[kind])
    test = getattr(test_joints_contract, name)
    asked = inspect.signature(test).parameters
    if name == "test_the_pose_moves_along_the_unit_twist" and len(NEW_JOINTS[kind](name="j").screws()) > 1:
        return  # for joints of one degree
    test(kind, *(["numpy"] if "backend" in asked else []))


def test_a_joint_of_one_degree_is_the_helical_joint_that_moves_alike():
    jack = Jack(name="wrist", axis=(1, 2, 3), ratio=0.4, lead=0.1, multiplier=1.5, offset=0.2, armature=0.3)
    same = st.Helical(name="wrist", axis=(1, 2, 3), pitch=0.1, multiplier=0.6, offset=0.08, armature=0.3 / 0.16)
    one, other = (robot_with(joint) for joint in (jack, same))
    state = random_state(one, 2)
    for name, count in (("rnea", 3), ("aba", 3), ("crba", 1), ("coriolis_matrix", 2), ("regressor", 3)):
        ours, theirs = (getattr(robot, name)(*state[:count]) for robot in (one, other))
        assert close(ours, theirs, 1e-11), name


def robot_with(*joints: Joint, between: tuple[str, ...] = ()) -> st.Robot:
    """A shoulder, the joints in a row (massless links in between), a hand and a tool that turns."""
    rng = np.random.default_rng(11)
    links = [st.Link("upper", None, st.Revolute(name="shoulder", axis=(1, 1, 0)), random_pose(rng), random_body(rng))]
    mount = random_pose(rng)
    for name, joint in zip(between, joints[:-1], strict=True):
        links.append(st.Link(name, links[-1].name, joint, mount))
        mount = st.Pose.identity()
    hand = random_body(rng)
    drawn = st.Assembly("hand", [st.Part("palm", body=hand), st.Part("thumb", body=random_body(rng))])
    links.append(st.Link("hand", links[-1].name, joints[-1], mount, origin=random_pose(rng, 0.1), made_of=drawn))
    links.append(st.Link("tool", "hand", st.Revolute(name="spin"), random_pose(rng), random_body(rng)))
    robot = st.Robot("arm", links, gravity=(0.5, -3, -9))
    return robot.with_payload(random_body(rng), link="hand", pose=random_pose(rng), name="camera")


@pytest.mark.parametrize("kind", ["cardan", "table"])
def test_a_joint_of_several_degrees_is_a_chain_of_screws_on_massless_links(kind):
    """In every method of the table, but for the rows and columns of the links in between, which are not there."""
    joint = NEW_JOINTS[kind](name="wrist", friction=st.Viscous(0.4), armature=0.2, multiplier=1.2, offset=0.3)
    between = tuple(f"between{k}" for k in range(len(joint.screws()) - 1))
    robot, chain = robot_with(joint), robot_with(*joint.screws(), between=between)
    assert robot.joint_names == chain.joint_names and robot.link_names == ("upper", "hand", "tool")
    q, qd, qdd = random_state(robot, 3)
    values = {"q": q, "qd": qd, "qdd": qdd, "tau": qdd}
    push = st.Wrench((1, 2, 3), (4, 5, 6), acting_on="tool", at=(0.1, 0.2, 0.3))
    real = [chain.bodies[k].name not in between for k in range(len(chain.bodies))]
    for row in dy.METHODS:
        given = [values[name] for name in row.arrays if name in values]
        options = {"external": push} if "external" in inspect.signature(row.function).parameters else {}
        ours, theirs = (getattr(arm, row.name)(*given, **options) for arm in (robot, chain))
        if row.name == "regressor":
            theirs = theirs[:, np.repeat(real, 10)]
            assert ours.shape == (robot.n, 30)
        if row.name == "newton_euler":
            assert ours.links == ("upper", "hand", "tool")
            theirs = [x[real] for x in theirs[1:-1]] + [theirs.tau]
            ours = ours[1:]
        if row.name == "joint_reactions":
            assert ours.joints == theirs.joints == robot.joint_names
            ours, theirs = ours.wrench, theirs.wrench
        if row.name == "forward_kinematics":
            ours, theirs = ours.matrix, [theirs[name].matrix for name in robot.link_names]
        if row.name == "torque_breakdown":
            assert ours.keys() == theirs.keys()
            ours, theirs = list(ours.values()), list(theirs.values())
        if isinstance(ours, tuple) and hasattr(ours, "pairs"):
            ours, theirs = ours[:2], theirs[:2]
        parts = zip(ours, theirs, strict=True) if isinstance(ours, tuple | list) else [(ours, theirs)]
        for a, b in parts:
            assert np.abs(floats(a) - floats(b)).max() <= 1e-10 * max(1, np.abs(floats(b)).max()), row.name
    pi = dy.inertial_parameters(robot)
    rotors = robot.inverse_dynamics(q, 0 * q, qdd, friction=False) - robot.gravity_forces(q)
    rotors -= robot.replace(links=without_rotors(robot)).inverse_dynamics(q, 0 * q, qdd) - robot.gravity_forces(q)
    assert close(robot.regressor(q, qd, qdd) @ floats(pi) + rotors, robot.inverse_dynamics(q, qd, qdd, friction=False))
    shares = robot.torque_breakdown(q, qd, qdd, by="part")
    assert {"upper", "hand/palm", "hand/thumb", "tool", "camera"} <= shares.keys()
    assert close(shares.total, robot.inverse_dynamics(q, qd, qdd), 1e-12)
    per_link = robot.kinetic_energy(q, qd, per_link=True)
    assert set(per_link) >= {"upper", "hand", "tool"} and not per_link.keys() & set(between)


def without_rotors(robot: st.Robot) -> tuple[st.Link, ...]:
    return tuple(
        st.Link(k.name, k.parent, k.joint.with_numbers(armature=0.0, friction=None), k.mount, k.body, k.origin)
        for k in robot.links
    )


def test_a_joint_of_several_degrees_has_no_screw_of_its_own():
    wrist = robot_with(Cardan(name="wrist")).joint("wrist")
    with pytest.raises(SteinerError, match=r"Cardan 'wrist' has several degrees of freedom.*wrist\.rx, wrist\.ry"):
        wrist.screw()


def test_a_joint_of_several_degrees_has_equations():
    body = st.MassProperties(2.0, (0.1, 0, 0.3), (0.02, 0.03, 0.04))
    robot = st.Robot("gyro", [st.Link("rotor", None, Cardan(name="wrist"), body=body)])
    eq = st.equations(robot)
    assert eq.proof.holds and [str(s) for s in eq.q] == ["q1", "q2"]
    state = random_state(robot, 4)
    known = dict(zip((*eq.q, *eq.qd, *eq.qdd), np.ravel(state), strict=True))
    assert close([float(e.subs(known)) for e in eq.tau], robot.inverse_dynamics(*state), 1e-11)


# ---- a friction model ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Drag(Friction):
    """c |q̇| q̇, as a paddle in water."""

    coefficient: Any

    def effort(self, rate: Any) -> Any:
        return self.coefficient * absolute(rate) * rate

    def slope(self, rate: Any) -> Any:
        return 2 * self.coefficient * absolute(rate)


@pytest.mark.parametrize("given", [{"model": Drag(0.7)}, {"model": Drag(0.7), "backend": "llvm"}, {"kind": "drag"}])
def test_a_friction_model_keeps_the_contract_of_frictions(given, monkeypatch):
    monkeypatch.setitem(FRICTIONS, "drag", Drag)
    for promise in contract(test_frictions_contract, **given):
        promise()


def test_a_friction_model_slows_an_arm():
    robot = test_frictions_contract.arm(Drag(0.7) + st.Viscous(0.1))
    assert robot.friction_forces([0.0], [-3.0]) == pytest.approx(-0.7 * 9 - 0.3)
    assert st.equations(robot).F.subs(sp.Symbol("qd1"), -3.0)[0] == pytest.approx(-6.6)
    assert robot.torque_breakdown([0.0], [2.0], [0.0])["friction"] == pytest.approx(0.7 * 4 + 0.2)


# ---- an algorithm ----------------------------------------------------------------------------------


def holding_cost(tree: Any, q: Any, qdd: Any) -> Any:
    """Squares of the efforts that accelerate the arm from rest, and of those that hold it."""
    moving, still = dy.mass_matrix(tree, q) @ qdd, dy.gravity_forces(tree, q)
    return moving @ moving, still @ still


ROW = dy.Algorithm(holding_cost, {"q": "n", "qdd": "n"}, ("moving", "holding"), base_parameters=True)


def test_an_algorithm(monkeypatch):
    from tools import methods

    robot = st.load("gallery:scara")
    q, qdd = np.random.default_rng(5).uniform(-1, 1, (2, 50, robot.n))
    tau = np.einsum("kij,kj->ki", robot.mass_matrix(q), qdd), robot.gravity_forces(q)
    for backend in BACKENDS:
        found = st.compile(ROW, robot, backend=backend)(q, qdd)
        assert all(close(a, (t**2).sum(axis=1), 1e-12) for a, t in zip(found, tau, strict=True))
    symbols = sp.symbols("q:4"), sp.symbols("a:4")
    formula = st.compile(ROW, st.load("gallery:rr"))(*(s[:2] for s in symbols))[0]
    assert formula.free_symbols <= {*symbols[0], *symbols[1]} and formula.diff(symbols[1][0]) != 0
    header = st.export(robot, ROW)["scara_holding_cost.h"]
    assert "moving[1]" in header and "holding[1]" in header
    for promise in contract(test_kernels_contract, algorithm=ROW, robot=test_kernels_contract.loaded()):
        promise()
    monkeypatch.setattr(methods, "METHODS", (*methods.METHODS, ROW))
    assert "def holding_cost(self, q: Numbers, qdd: Numbers" in methods.text()


# ---- derivations, terms ----------------------------------------------------------------------------


def test_a_kind_of_derivation_of_solids(monkeypatch):
    def by_slices(solid: Any) -> Derivation:
        return Derivation("Pyramid by slices", (("Slices.", (r"V = \int A\,dz",)),), solid.with_mass(1))

    monkeypatch.setitem(DERIVATIONS, Pyramid, by_slices)
    pyramid = Pyramid.example()
    assert "Pyramid by slices" in pyramid.derivation().markdown() and r"\int A" in pyramid.derivation().latex()
    assert pyramid.at(xyz=(1, 0, 0)).derivation().title == "Pyramid by slices, placed"


def test_a_kind_of_derivation_of_equations(monkeypatch):
    def by_virtual_work(eq: Any) -> Document:
        document = eq.document("tau", proof=False)
        document.text("By virtual work.")
        return document

    monkeypatch.setitem(derivations.METHODS, "virtual work", by_virtual_work)
    assert "By virtual work." in st.equations(rr()).derivation("virtual work").markdown()
    with pytest.raises(SteinerError, match="virtual work"):
        st.equations(rr()).derivation("virtual works")


def test_a_term(monkeypatch):
    def momenta(robot: Any, q: Any, qd: Any) -> Any:
        return dy.mass_matrix(robot, q) @ qd

    row = Term("Joint momenta", "Joint momenta M qd", "p", ("q", "qd"), momenta, by_rates=True)
    monkeypatch.setitem(TERMS, "p", row)
    robot = st.load("gallery:puma560")
    eq, (q, qd, _) = st.equations(robot), random_state(robot, 6)
    want = robot.mass_matrix(q) @ qd
    for text in (eq.python("p"), eq.sequence("p").python()):
        space: dict[str, Any] = {}
        exec(text, space)
        assert close(space["momenta"](q.tolist(), qd.tolist()), want, 1e-12)
    assert "Joint momenta M qd" in eq.c("p") and "Joint momenta" in eq.markdown("p")


# ---- a backend -------------------------------------------------------------------------------------


class OneByOne:
    """A backend that computes sample after sample, number after number."""

    @staticmethod
    def compile(tape: Any, dtype: Any, threads: int | None) -> Any:
        def kernel(inputs: list[np.ndarray], outputs: list[np.ndarray], count: int) -> None:
            with np.errstate(all="ignore"):
                for k in range(count):
                    rows = [x[k if len(x) > 1 else 0] for x in inputs]
                    values: list[Any] = []
                    for row in tape.rows:
                        if row[0] == Op.CONSTANT:
                            values.append(dtype.type(row[1]))
                        elif row[0] == Op.INPUT:
                            values.append(rows[row[1]][row[2]])
                        else:
                            values.append(reference.FUNCTIONS[row[0]](*(referred(values, x) for x in operands(row))))
                    for array, output in zip(outputs, tape.outputs, strict=True):
                        array[k] = [x if isinstance(x, float) else referred(values, x) for x in output.elements]

        return kernel


def test_a_backend(monkeypatch):
    monkeypatch.setitem(BACKENDS, "one by one", lambda: OneByOne)
    given = {"backend": "one by one"}
    promises = contract(test_backends_contract, leave=("test_long_graphs",), **given)
    for dtype in (np.float64, np.float32):
        promises += contract(test_backends_contract, **given, dtype=dtype, seed=3)
        for case in test_backends_contract.EDGES:
            promises += contract(test_backends_contract, **given, dtype=dtype, case=case,
                                 leave=("test_batches_of_0_to_130_equal_single_calls",))  # fmt: skip
    for promise in promises:
        promise()
    robot = st.load("gallery:scara")
    state = random_state(robot, 7)
    want = robot.inverse_dynamics(*state), st.compile("aba", robot)(*state)
    monkeypatch.setenv("STEINER_BACKEND", "one by one")
    twin = robot.replace(name="twin")
    assert close(twin.inverse_dynamics(*state), want[0], 1e-13) and close(twin.aba(*state), want[1], 1e-11)
    with pytest.raises(SteinerError, match="no backend named 'one by won'; did you mean 'one by one'"):
        st.compile("aba", robot, backend="one by won")


# ---- a target of export ----------------------------------------------------------------------------


def test_a_target_of_export(monkeypatch, tmp_path):
    def live(job: Job) -> Any:
        def function(*arrays: Any) -> list[np.ndarray]:
            found = [np.zeros((1, output.size)) for output in job.plan.tape.outputs]
            reference.evaluate(job.plan.tape, [np.reshape(x, (1, -1)) for x in arrays], found, 1)
            return [x.reshape(output.shape) for x, output in zip(found, job.plan.tape.outputs, strict=True)]

        return function

    def files(job: Job) -> dict[str, str]:
        return {f"{job.name}.txt": "\n".join([*job.notes, *map(str, job.plan.tape.rows)])}

    monkeypatch.setitem(TARGETS, "rows", Target("the rows of the tape", live, files))
    run = (lambda live, state, shape, folder: live(*state)[0]), None
    monkeypatch.setitem(test_tables_contract.RUNNERS, "rows", run)
    test_tables_contract.test_a_target_computes_what_the_library_does("rows", tmp_path)
    test_tables_contract.test_targets_say_what_they_give()
    assert "mass_matrix of the robot scara" in (tmp_path / "out" / "scara_mass_matrix.txt").read_text()
    with pytest.raises(SteinerError, match="did you mean 'rows'"):
        st.export(st.load("gallery:rr"), to="row")


# ---- a robot of the gallery ------------------------------------------------------------------------


def test_a_robot_of_the_gallery(monkeypatch, tmp_path):
    def crane() -> st.Robot:
        """A table that carries a pyramid on an arm."""
        arm = st.Link("arm", None, st.Revolute(name="hinge", axis=(0, 1, 0)), body=st.Box(1, 0.1, 0.1).of("steel"))
        top = st.Link("top", "arm", st.Prismatic(name="lift"), body=Pyramid.example().of("PLA"))
        return st.Robot("crane", [arm, top])

    monkeypatch.setitem(GALLERY, "crane", Exhibit("a crane with a pyramid", "drawn for this test, nowhere else", crane))
    assert st.gallery()["crane"] == "a crane with a pyramid"
    assert st.load("gallery:crane").joint_names == ("hinge", "lift")
    test_tables_contract.test_a_robot_of_the_gallery_obeys_the_laws("crane")
    test_tables_contract.test_a_robot_of_the_gallery_goes_through_a_file("crane", tmp_path)
    assert st.load("gallery:crane").provenance["source"] == "gallery:crane"


# ---- a file format, a rule, a command --------------------------------------------------------------


def test_a_file_format(monkeypatch, tmp_path):
    """Pendulums in a row, a length and a mass on each line: read, judged, saved and converted as any other."""

    def read(data: Any, notes: Any, *, unit: str | None = None) -> st.Robot:
        links: list[st.Link] = []
        for k, line in enumerate(data.decode().splitlines(), 1):
            length, mass = map(float, line.split())
            notes.lines[f"link 'bob{k}'"] = k
            body = st.MassProperties(mass, (length, 0, 0), (mass * 1e-3,) * 3)
            mount = st.Pose(p=(float(links[-1].body.com[0]), 0, 0)) if links else st.Pose()
            parent = links[-1].name if links else None
            links.append(st.Link(f"bob{k}", parent, st.Revolute(name=f"pin{k}", axis=(0, 1, 0)), mount, body))
        return st.Robot("row", links)

    def write(robot: Any) -> str:
        return "".join(f"{float(k.body.com[0])!r} {float(k.body.mass)!r}\n" for k in robot.links)

    row = Format("rows of pendulums", (".pend",), "robot", read, write, lambda robot: ["the names of its links"])
    monkeypatch.setitem(FORMATS, "pendulums", row)
    path = tmp_path / "row.pend"
    path.write_text("0.5 2.0\n0.25 0.0\n")
    with pytest.warns(st.ModelWarning, match=r"row\.pend:2: .*bob2"):  # the rules judge it, with file and line
        robot = st.load(path)
    assert robot.joint_names == ("pin1", "pin2") and robot.total_mass == 2 and robot.source.format == "pendulums"
    assert next(f.line for f in st.check(path) if f.link == "bob2") == 2
    with pytest.warns(st.ModelWarning, match="the names of its links"):
        st.save(robot, tmp_path / "again.pend")
    assert (tmp_path / "again.pend").read_text() == path.read_text()
    path.write_text("0.5 2.0\n0.25 1.0\n")
    st.convert(path, tmp_path / "row.urdf")
    state = np.random.default_rng(8).normal(size=(3, 2))
    assert close(st.load(tmp_path / "row.urdf").rnea(*state), st.load(path).rnea(*state), 1e-12)
    with pytest.raises(SteinerError, match=r"\.pend \(rows of pendulums\)"):
        st.load(tmp_path / "row.pendulum")


def test_a_rule(monkeypatch, tmp_path):
    """It has its say in `check`, on load, and in the list for other programs."""

    def nameless(robot: Any) -> Any:
        """Robots that nobody has named."""
        if robot.name == "robot":
            yield Remark("", "is called robot")

    monkeypatch.setitem(RULES, "nameless", Rule("ST398", "nameless", "warning", nameless, fix="think of a name"))
    arm = st.load("gallery:rr")
    assert "ST398" not in [f.code for f in st.check(arm)]
    (found,) = (f for f in st.check(arm.replace(name="robot")) if f.code == "ST398")
    assert (found.text, found.severity, found.fix, found.rule) == (
        "is called robot", "warning", "think of a name", "nameless"
    )  # fmt: skip
    path = tmp_path / "arm.yaml"
    st.save(arm.replace(name="robot"), path)
    with pytest.warns(st.ModelWarning, match="is called robot"):
        st.load(path)
    listed = sarif([found], "1.0")["runs"][0]["tool"]["driver"]["rules"]
    assert "Robots that nobody has named." in str([row for row in listed if row["id"] == "ST398"])


def test_a_command(monkeypatch):
    """It is listed, helps, takes a robot as the others do, and its errors are sentences."""

    def weight(robot: RobotArgument) -> None:
        """The mass of a robot with all that it carries, for example `steiner weight puma560`."""
        typer.echo(f"{find(robot).total_mass:.1f} kg")

    monkeypatch.setitem(COMMANDS, "weight", weight)
    run = partial(CliRunner().invoke, program(), catch_exceptions=False)
    assert "weight" in run(["--help"]).output and "puma560" in run(["weight", "--help"]).output
    mass = st.load("gallery:scara").total_mass
    assert run(["weight", "scara"]).output == f"{mass:.1f} kg\n"
    assert run(["weight", "scara", "--payload", "50"]).output == f"{mass + 50:.1f} kg\n"
    with pytest.raises(SteinerError, match=r"nowhere\.urdf"):
        run(["weight", "nowhere.urdf"])
