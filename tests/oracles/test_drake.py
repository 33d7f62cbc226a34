"""Drake reads the same SDF files: M, C v and g of random trees, and of what the standard says by default."""

from __future__ import annotations

import numpy as np
import pytest

from steiner.files import loads
from steiner.files.sdf_write import write
from steiner.model.joint_types import Cylindrical, Planar, Spherical, Universal
from steiner.model.joints import Helical, Prismatic, Revolute
from tests.random_robots import random_robot, random_state

pytestmark = pytest.mark.heavy

HAND_WRITTEN = """
<sdf version="1.9"><model name="arm" placement_frame="foot"><pose degrees="true">0 0 1 10 20 30</pose>
  <frame name="foot"><pose>0.1 0.2 0.3 0.4 0.5 0.6</pose></frame>
  <link name="a"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>
  <frame name="f" attached_to="a"><pose degrees="true">0.1 0 0 90 0 0</pose></frame>
  <link name="b"><pose relative_to="f" rotation_format="quat_xyzw">0 0 0.2 0 0.6 0 0.8</pose>
    <inertial><pose>0.1 0 0 0 0.3 0</pose><mass>2</mass>
      <inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.15</izz><ixy>0.01</ixy></inertia></inertial></link>
  <link name="c"><pose relative_to="j">0 0.3 0 0 0 0</pose>
    <inertial><mass>3</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.15</izz></inertia></inertial></link>
  <joint name="w" type="fixed"><parent>world</parent><child>a</child></joint>
  <joint name="j" type="screw"><pose>0 0 0.1 0 0 0.2</pose><parent>f</parent><child>b</child>
    <screw_thread_pitch>0.5</screw_thread_pitch><axis><xyz expressed_in="__model__">0 1 1</xyz></axis></joint>
  <joint name="k" type="revolute"><parent>b</parent><child>c</child>
    <axis><xyz expressed_in="foot">1 2 3</xyz></axis></joint>
</model></sdf>"""


class Drake:
    """A plant of an SDF text; answers in the order of a robot's joints."""

    def __init__(self, text: str, robot) -> None:
        pytest.importorskip("pydrake", reason="Drake is not installed: pip install drake")
        from pydrake.multibody.parsing import Parser
        from pydrake.multibody.plant import MultibodyPlant

        self.plant = MultibodyPlant(0.0)
        Parser(self.plant).AddModelsFromString(text, "sdf")
        self.plant.mutable_gravity_field().set_gravity_vector(robot.gravity)
        self.plant.Finalize()
        self.context = self.plant.CreateDefaultContext()
        self.at = [self.place(name) for name in robot.joint_names]

    def place(self, name: str) -> int:
        """Of a coordinate: that of its joint, or of one of the two of a universal joint."""
        if self.plant.HasJointNamed(name):
            return self.plant.GetJointByName(name).position_start()
        joint, _, coordinate = name.rpartition(".")
        return self.plant.GetJointByName(joint).position_start() + ("rx", "ry").index(coordinate)

    def answers(self, q, qd):
        def full(x):
            out = np.zeros(len(self.at))
            out[self.at] = x
            return out

        self.plant.SetPositions(self.context, full(q))
        self.plant.SetVelocities(self.context, full(qd))
        M = self.plant.CalcMassMatrix(self.context)[np.ix_(self.at, self.at)]
        bias, g = self.plant.CalcBiasTerm(self.context), self.plant.CalcGravityGeneralizedForces(self.context)
        return M, bias[self.at], -g[self.at]


    def held(self, q, qd):
        """What holds the arm at rest against gravity and springs."""
        from pydrake.multibody.tree import MultibodyForces

        self.answers(q, 0 * qd)
        forces = MultibodyForces(self.plant)
        self.plant.CalcForceElementsContribution(self.context, forces)
        return -self.plant.CalcGeneralizedForces(self.context, forces)[self.at]


def agree(text: str, robot) -> None:
    drake = Drake(text, robot)
    for seed in range(3):
        q, qd, _ = random_state(robot, seed)
        own = robot.mass_matrix(q), robot.velocity_forces(q, qd), robot.gravity_forces(q)
        for ours, theirs in zip(own, drake.answers(q, qd), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-11 * max(1.0, float(np.abs(theirs).max())))


@pytest.mark.parametrize("seed", range(8))
def test_random_trees_of_all_joints_written_and_read_by_drake(seed):
    robot = random_robot(seed, 5, kinds=(Revolute, Prismatic, Helical), rotors=False)  # Drake's screws have none
    text = write(robot)
    agree(text, loads(text, format="sdf"))
    agree(text, robot)


@pytest.mark.parametrize("kind", [Universal, Cylindrical, Planar, Spherical])
def test_joints_of_several_degrees_are_universal_or_chains(kind):
    robot = random_robot(3, 4, kinds=(kind, Revolute), rotors=False)
    text = write(robot)
    assert ('type="universal"' in text) == (kind is Universal)
    agree(text, robot)


@pytest.mark.parametrize("seed", range(4))
def test_springs_are_those_of_drake(seed):
    robot = random_robot(seed, 5, kinds=(Revolute, Prismatic), springs=True)
    text = write(robot)
    agree(text, robot)
    drake = Drake(text, robot)
    q, qd, _ = random_state(robot, seed)
    assert np.abs(robot.spring_forces(q)).max() > 0.1
    np.testing.assert_allclose(drake.held(q, qd), robot.static_torque(q), rtol=1e-11, atol=1e-11)


def test_rotors_are_written_in_the_words_of_drake():
    robot = random_robot(1, 5, kinds=(Revolute, Prismatic), payloads=0)
    assert min(robot.joint(name).armature for name in robot.joint_names) > 0
    agree(write(robot), robot)


def test_frames_quaternions_placement_and_axes_expressed_elsewhere():
    agree(HAND_WRITTEN, loads(HAND_WRITTEN, format="sdf"))
