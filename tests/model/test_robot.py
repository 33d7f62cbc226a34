"""The declaration: methods that exist with the class, drawings that stay, sources that are typed."""

from __future__ import annotations

import copy
import inspect
import pickle
import pydoc
import subprocess
import sys

import numpy as np
import pytest

import steiner as st
from steiner.dynamics import METHODS
from steiner.kernels.prepare import STEPS
from steiner.model.tree import Tree


def bar() -> st.Assembly:
    return st.Assembly(
        "bar",
        [
            st.Part("beam", st.Box(0.40, 0.04, 0.03), "aluminium", pose=st.Pose(p=(0.20, 0, 0))),
            st.Part("hole", st.Cylinder(0.012, 0.03), "aluminium", pose=st.Pose(p=(0.36, 0, 0)), cavity=True),
            st.Part("motor", st.Cylinder(0.02, 0.05), mass=0.25, pose=st.Pose(p=(0.40, 0, 0.04))),
        ],
    )


@pytest.fixture
def arm() -> st.Robot:
    up = (0, -1, 0)
    return st.Robot(
        "arm",
        [
            st.Link("upper", None, st.Revolute(name="shoulder", axis=up), made_of=bar()),
            st.Link("fore", "upper", st.Revolute(name="elbow", axis=up), st.Pose(p=(0.4, 0, 0)), made_of=bar()),
        ],
    )


# ---- methods -----------------------------------------------------------------------------------------


def test_W3_methods_are_there_before_anything_was_called():
    code = "import steiner as st; r = st.load('gallery:rr'); print(sorted(set(dir(r)) & set(dir(st.Robot)))); "
    code += "import sys; print([m for m in sys.modules if m.startswith('steiner.kernels')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    listed, kernels = done.stdout.splitlines()
    assert all(repr(name) in listed for row in METHODS for name in row.names)
    assert kernels == "[]"  # and nothing heavy was imported for that


def test_help_and_signatures_come_from_the_class():
    text = pydoc.render_doc(st.Robot, renderer=pydoc.plaintext)
    for row in METHODS:
        assert row.name in text
        declared = inspect.signature(getattr(st.Robot, row.name))
        assert list(declared.parameters)[:2] in (["self", "q"], ["self"])
        assert declared.return_annotation not in (inspect.Signature.empty, "Any") or row.name.endswith("_energy")


def test_a_wrong_name_is_told_with_the_nearest(arm):
    code = "import steiner as st; st.load('gallery:rr').mas_matrix"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "no attribute 'mas_matrix'. Did you mean: 'mass_matrix'?" in done.stderr
    with pytest.raises(AttributeError):
        arm.mas_matrix  # noqa: B018


def test_W2_an_error_inside_is_never_masked(arm, monkeypatch):
    from steiner import doors

    def broken(robot, name):
        raise AttributeError("inside")

    monkeypatch.setattr(doors, "opened", lambda row: broken)
    with pytest.raises(AttributeError, match="inside"):
        arm.mass_matrix  # noqa: B018


def test_robots_can_be_subclassed(arm):
    class Named(st.Robot):
        def hello(self) -> str:
            return f"I am {self.name}"

        def total(self, q):
            return self.mass_matrix(q).sum()

    mine = Named("mine", arm.links)
    assert mine.hello() == "I am mine" and isinstance(mine.replace(name="other"), Named)
    assert mine.total([0.1, 0.2]) == arm.mass_matrix([0.1, 0.2]).sum()


def test_calling_writes_into_the_robot_itself_only(arm):
    body, link = arm.bodies[0], arm.links[0]
    before = dict(body.__dict__), dict(link.__dict__)
    arm.inverse_dynamics(*np.ones((3, 2)))
    assert "inverse_dynamics" in arm.__dict__
    assert (dict(body.__dict__), dict(link.__dict__)) == before


@pytest.mark.parametrize("backend", [None, "numpy"])
def test_bound_methods_and_compiled_functions_pickle(arm, backend):
    x = np.linspace(-1, 1, 6).reshape(3, 2)
    calls = [arm.inverse_dynamics, arm.forward_kinematics] if backend is None else []
    calls += [
        st.compile("inverse_dynamics", arm, backend=backend),
        st.compile("inverse_dynamics", arm, backend=backend, parameters=["fore.mass"], derivatives=["q"]),
    ]
    for call in calls:
        arguments = x if "kinematics" not in call.__name__ else x[:1]
        twin = pickle.loads(pickle.dumps(call))
        for a, b in zip(_flat(call(*arguments)), _flat(twin(*arguments)), strict=True):
            np.testing.assert_array_equal(a, b)


def _flat(x):
    if isinstance(x, dict):
        return [a for value in x.values() for a in _flat(value)]
    if isinstance(x, tuple):
        return [a for value in x for a in _flat(value)]
    return [x.R, x.p] if isinstance(x, st.Pose) else [x]


def test_N20_prepared_trees_survive_copies(arm):
    """What was prepared for kernels is what a copy or a pickle of it gives back."""
    tree = arm.tree
    for _, step in STEPS:
        tree = step(tree)
    for twin in (copy.copy(tree), copy.deepcopy(tree), pickle.loads(pickle.dumps(tree)), tree.replace(name="x")):
        for a, b in zip(twin.bodies, tree.bodies, strict=True):
            assert a.moments.mass == b.moments.mass
            np.testing.assert_array_equal(a.moments.second, b.moments.second)


def test_a_robot_and_its_tree_are_told_apart(arm):
    assert isinstance(arm.tree, Tree) and arm.tree is arm.tree and arm.tree.tree is arm.tree
    assert arm.bodies is arm.tree.bodies and arm.places is arm.tree.places
    with pytest.raises(AttributeError):
        arm.tree.bodies = ()
    lighter = arm.tree.weightless()
    assert not lighter.gravity.any() and arm.gravity.any()


# ---- the drawing stays -------------------------------------------------------------------------------


def test_a_link_is_made_of_its_assembly(arm):
    assert arm.links[0].made_of.find("hole").part.cavity
    assert arm.links[0].body is arm.links[0].made_of.mass_properties
    shares = arm.torque_breakdown([0.3, -0.5], [1.0, 0.2], [2.0, 0.0], by="part")
    assert set(shares) >= {"upper/beam", "upper/hole", "fore/motor", "friction", "rotor", "external"}
    np.testing.assert_allclose(shares.total, arm.inverse_dynamics([0.3, -0.5], [1.0, 0.2], [2.0, 0.0]), rtol=1e-12)
    assert arm.provenance["assemblies"].keys() == {"upper", "fore"}


def test_a_link_keeps_shapes_that_have_no_say():
    box = st.Box(1, 1, 1)
    plain = st.Link("l", body=st.MassProperties(1))
    shaped = st.Link("l", body=st.MassProperties(1), shapes=[box, st.Shape(file="l.stl", role="collision")])
    assert shaped.body.mass == plain.body.mass and [s.role for s in shaped.shapes] == ["visual", "collision"]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: st.Link("l", body=bar()), "made_of="),
        (lambda: st.Link("l", made_of=bar().mass_properties), "expected an Assembly"),
        (lambda: st.Link("l", shapes=[3]), "expected solids or shapes"),
        (lambda: st.Shape(), "a solid, or the file"),
        (lambda: st.Shape(st.Box(1, 1, 1), role="sound"), "'visual' or 'collision'"),
        (lambda: st.Shape(3), "expected a solid"),
        (lambda: st.load("gallery:rr").with_payload(2.0), "expected MassProperties; a point mass is MassProperties"),
    ],
)
def test_what_is_no_link_is_refused(make, words):
    with pytest.raises(st.SteinerError, match=words):
        make()


def test_sources_are_typed_and_provenance_is_a_view():
    robot = st.load("gallery:puma560")
    assert isinstance(robot.source, st.Source) and robot.source.publication == robot.provenance["data"]
    assert st.Source("a.urdf", lines={"link l1": 12}).place("link l1") == "a.urdf:12: link l1"
    assert st.Source().view() == {} and st.Source().place("link l1") == "link l1"


def test_holding_some_of_several_coordinates_is_told(arm):
    assert arm.locked({"elbow": 0.3}).joint_names == ("shoulder",)
    with pytest.raises(st.SteinerError, match="did you mean 'elbow'"):
        arm.locked({"elbo": 0.3})


BODY = st.MassProperties(1.0, (0.1, 0.2, 0.3), (1.0, 1.0, 1.0))
FAR = {
    "Pose": lambda far: st.Pose(p=(far, 0, 0)),
    "Pose.from_rpy": lambda far: st.Pose.from_rpy((0, far, 0)),
    "Pose.from_matrix": lambda far: st.Pose.from_matrix([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, far], [0, 0, 0, 1]]),
    "Pose.from_quaternion": lambda far: st.Pose.from_quaternion((0, 0, far), quat_xyzw=(0, 0, 0, 1)),
    "at": lambda far: st.Box(1, 1, 1).at(xyz=(far, 0, 0)),
    "DH a": lambda far: st.Robot.from_dh([st.DH(a=far, body=BODY)]),
    "DH d": lambda far: st.Robot.from_dh([st.DH(d=-far, body=BODY)]),
    "screws": lambda far: st.Robot.from_poe([np.eye(4)], [np.eye(6)], [[0], [0], [1], [far], [0], [0]]),
    "Particles": lambda far: st.Particles([1, 2], [[far, 0, 0], [0, 0, 0]]),
    "MassProperties": lambda far: st.MassProperties(1.0, (far * 1e105 if far > 1e50 else far, 0, 0), (1, 1, 1)),
    "sum": lambda far: st.MassProperties(1e308) + st.MassProperties(1e308) if far > 1e50 else 0,
    "multiple": lambda far: far * 1e200 * st.MassProperties(1e100),
}


@pytest.mark.parametrize("far", [1e51, 1e155, 1e200, 1e308])
@pytest.mark.parametrize("door", FAR)
def test_N17_what_would_overflow_is_told_where_it_enters(door, far):
    with np.errstate(all="raise"), pytest.raises(st.SteinerError, match=r"too far away|overflow|not a? ?finite"):
        FAR[door](far)
        pytest.fail(f"{door} takes {far}")


@pytest.mark.parametrize("door", FAR)
def test_N17_what_is_only_far_away_passes(door):
    FAR[door](1e6)


@pytest.mark.parametrize("format, text", [
    ("urdf", '<robot name="a"><link name="b"/>\n<link name="l"/><joint name="j" type="fixed"><parent link="b"/>'
             '<child link="l"/><origin xyz="0 {} 0"/></joint></robot>'),
    ("mjcf", '<mujoco><worldbody>\n<body name="b" pos="0 {} 0"><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>'
             '<joint/></body></worldbody></mujoco>'),
    ("sdf", '<sdf version="1.9"><model name="m">\n<link name="l"><pose>0 {} 0 0 0 0</pose></link></model></sdf>'),
    ("yaml", "link:\n  parts: [{{name: p, shape: box, size: [1 m, 1 m, 1 m], mass: 9 kg, xyz: [0, {} m, 0]}}]"),
    ("yaml", "link:\n  parts: [{{name: p, shape: box, size: [1 m, 1 m, 1 m], mass: 9 kg, "
             "pattern: {{row: 2, step: [0, {} m, 0]}}}}]"),
    ("dh_csv", "# convention: standard\njoint,link,type,theta,d,a,alpha,mass\nj,l,revolute,0 rad,{} m,0 m,0 rad,1"),
    ("dh_csv", "# convention: standard\n# base: 0 {} 0 0 0 0\njoint,link,type,theta,d,a,alpha,mass\n"
               "j,l,revolute,0 rad,0 m,0 m,0 rad,1"),
])  # fmt: skip
def test_N17_a_file_says_in_which_line(format, text):
    with pytest.raises(st.SteinerError, match=r"<text>:\d: .*too far away"):
        st.loads(text.format("1e90"), format=format)


def test_values_by_name_are_plain_numbers_of_one_state_and_columns_of_a_batch():
    robot = st.load("gallery:rr")
    assert robot.named(np.array([0.25, -1.0])) == {"joint1": 0.25, "joint2": -1.0}
    assert all(type(x) is float for x in robot.named(np.array([0.25, -1.0])).values())
    batch = np.arange(12.0).reshape(2, 3, 2)
    assert (robot.named(batch)["joint2"] == batch[..., 1]).all()
    assert (robot.vector(robot.named([0.25, -1.0])) == [0.25, -1.0]).all()
