"""The public names are exactly what we say they are; each says what it is."""

from __future__ import annotations

import dataclasses
import inspect

import pytest

import steiner as st

# what users, examples and programs outside this repository rely on, room by room
CONTRACT = {
    "solids": """Box Cylinder Tube Sphere SphericalShell Ellipsoid EllipticCylinder Capsule Cone Frustum Hemisphere
                 HalfCylinder Torus Wedge Prism Revolution Rod Plate Disk ConvexHull Mesh Limits Particles
                Cad union difference intersection""",
    "mass": "MassProperties Part Assembly balance",
    "algebra": "Pose Frame Twist Wrench total_wrench RigidBody",
    "robot": """Robot Link Shape Source DH Revolute Prismatic Helical Universal Cylindrical Planar Spherical Composite
                Fixed JointLimits Viscous Coulomb Stribeck BaseMotion load loads save convert gallery""",
    "judgement": "check fix compare structure structure_map base_parameters sizing capacity",
    "code": "compile export equations",
    "motion": "simulate linearise tracking contact_torques",
    "pictures": "draw report",
    "errors": "SteinerError ModelWarning",
}
NAMES = {name for names in CONTRACT.values() for name in names.split()}

# attributes and methods of a robot
ROBOT = {
    "fields": "name joint_names link_names n gravity total_mass provenance links",
    "new robots": "replace locked vector named with_payload without_payload from_dh from_poe",
    "dynamics": """inverse_dynamics rnea forward_dynamics aba mass_matrix crba coriolis_matrix velocity_forces
                   gravity_forces bias_forces friction_forces christoffel centrifugal_coriolis torque_breakdown
                   newton_euler joint_reactions static_torque regressor inverse_dynamics_derivatives
                   forward_dynamics_derivatives""",
    "kinematics and energy": "forward_kinematics jacobian kinetic_energy potential_energy center_of_mass momentum",
}
METHODS = [name for names in ROBOT.values() for name in names.split()]
ALIASES = {"rnea": "inverse_dynamics", "aba": "forward_dynamics", "crba": "mass_matrix"}


def test_the_public_names_are_those_of_the_contract():
    assert set(st.__all__) == NAMES
    assert len(st.__all__) == len(set(st.__all__))


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_public_name_exists_and_has_a_docstring(name):
    thing = getattr(st, name)
    text = inspect.getdoc(thing) or ""
    assert len(text) > 10, f"st.{name} says nothing about itself"
    assert not text.startswith(f"{name}("), "a docstring of the dataclass machinery, not of the author"
    assert name in dir(st)


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="Bocks"):
        st.Bocks  # noqa: B018


def test_importing_rooms_does_not_hide_public_names():
    """A module of the same name as a function would take its place when it is imported."""
    import importlib
    import pkgutil

    rooms = {module.name for module in pkgutil.iter_modules(st.__path__)}
    assert not rooms & NAMES
    for room in sorted(rooms - {"__main__", "cli"}):
        importlib.import_module(f"steiner.{room}")
    assert all(not inspect.ismodule(getattr(st, name)) for name in NAMES)


@pytest.mark.parametrize("name", METHODS)
def test_a_robot_has_what_the_contract_says(name):
    robot = st.load("gallery:rr")
    assert hasattr(robot, name)
    if name not in {f.name for f in dataclasses.fields(robot)}:
        assert len(inspect.getdoc(getattr(st.Robot, name)) or "") > 10


@pytest.mark.parametrize("alias", ALIASES)
def test_aliases_are_the_same_callable(alias):
    robot = st.load("gallery:rr")
    assert getattr(robot, alias) is getattr(robot, ALIASES[alias])


def test_the_version_is_that_of_the_package():
    from importlib.metadata import version

    assert st.__version__ == version("steiner")


def test_the_declared_methods_are_fresh(root):
    from tools import methods, names

    assert methods.TARGET.read_text(encoding="utf-8") == methods.text(), "run `python -m tools.methods`"
    assert names.TARGET.read_text(encoding="utf-8") == names.text(), "run `python -m tools.names`"
