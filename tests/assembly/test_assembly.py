"""Parts and assemblies: sums, budgets, measured values, findings, and a brute-force oracle."""

from __future__ import annotations

import json
import math
import time

import numpy as np
import pytest
import sympy as sp

from steiner.assembly.balancing import balance
from steiner.assembly.sums import combined
from steiner.assembly.tree import Assembly, Part
from steiner.errors import GeometryError, ModelError, ModelWarning, SteinerError
from steiner.inertia import MassProperties
from steiner.materials import MATERIALS, Material, material
from steiner.solids.charts import samples
from steiner.solids.shapes import SOLIDS, Box, Cylinder, Disk, Particles, Rod, Sphere, Tube
from steiner.spatial import Pose
from tests.comparing import close


def drilled(name="block", **kwargs):
    return Assembly(
        name,
        [
            Part("box", Box(0.12, 0.1, 0.06), material="aluminium"),
            Part("hole", Cylinder(0.02, 0.06), material="aluminium", cavity=True),
        ],
        **kwargs,
    )


# ---- the oracle: point clouds ------------------------------------------------------------------------


def cloud(solid, order):
    """The solid as Gauss points with volumes: no closed form, no theorem of Steiner."""
    nodes, weights = np.polynomial.legendre.leggauss(order)
    points, volumes = [], []
    for chart in solid.charts:
        for values, weight in samples(chart, nodes, weights):
            points.append([float(x) for x in chart.point(*values)])
            volumes.append(weight * float(chart.jacobian(*values)))
    return np.array(points), np.array(volumes)


@pytest.fixture(scope="module")
def clouds():
    found = {}
    for cls in SOLIDS:
        solid = cls.example()
        if solid.dimension == 3:
            found[cls.__name__] = (solid, *cloud(solid, 12))
    return found


def random_assembly(rng, clouds, count):
    """Parts in nested elements at random poses, with cavities inside boxes; and the same as points."""
    every, masses, parts = [], [], []
    names = sorted(clouds)
    for k in range(count):
        pose = Pose.from_rpy(rng.uniform(-2, 2, 3), rng.uniform(-3, 3, 3))
        density = float(rng.uniform(500, 8000))
        if rng.random() < 0.3:  # a box with a ball cut out
            size = rng.uniform(0.2, 0.6, 3)
            hole = float(size.min() * 0.4)
            inner = [Part("box", Box(*size), density=density), Part("hole", Sphere(hole), density=density, cavity=True)]
            parts.append(Assembly(f"n{k}", inner, pose=pose))
            for solid, sign in ((Box(*size), 1), (Sphere(hole), -1)):
                points, volumes = cloud(solid, 2 if sign > 0 else 12)
                every.append(pose.apply(points))
                masses.append(sign * density * volumes)
        else:
            solid, points, volumes = clouds[names[rng.integers(len(names))]]
            parts.append(Part(f"n{k}", solid, density=density, pose=pose))
            every.append(pose.apply(points))
            masses.append(density * volumes)
    outer = Pose.from_rpy(rng.uniform(-1, 1, 3), rng.uniform(-3, 3, 3))
    half = len(parts) // 2
    whole = [Assembly("first", parts[:half], pose=outer), *parts[half:]] if half else parts
    split = sum(2 if isinstance(p, Assembly) else 1 for p in parts[:half])
    every = [outer.apply(p) if k < split else p for k, p in enumerate(every)]
    return Assembly("random", whole), np.vstack(every), np.concatenate(masses)


@pytest.mark.parametrize("count", [1, 2, 7, 30, 200])
def test_random_assemblies_agree_with_a_point_cloud(clouds, count):
    rng = np.random.default_rng(count)
    asm, points, masses = random_assembly(rng, clouds, count)
    total = masses.sum()
    centre = masses @ points / total
    d = points - centre
    second = (d * masses[:, None]).T @ d
    expected = np.trace(second) * np.eye(3) - second
    body = asm.mass_properties
    assert body.mass == pytest.approx(total, rel=1e-11)
    assert close(body.com, centre, 1e-10)
    assert close(body.inertia, expected, 1e-10)


def test_far_from_the_origin_the_tensor_keeps_its_digits():
    near = drilled()
    far = Assembly("far", [drilled(pose=Pose.from_rpy((1000, 2000, -500), (0.3, 0.2, 0.1)))])
    R = Pose.from_rpy(rpy=(0.3, 0.2, 0.1)).R
    assert close(R.T @ far.mass_properties.inertia @ R, near.mass_properties.inertia, 1e-12)


def test_time_grows_linearly_with_parts():
    box = Box(0.1, 0.2, 0.3)

    def seconds(n):
        start = time.process_time()
        parts = [Part(f"p{k}", box, density=1000.0, pose=Pose.from_rpy((0.1 * k, 0, 0))) for k in range(n)]
        body = Assembly("row", parts).mass_properties
        assert body.mass == pytest.approx(6.0 * n)
        return time.process_time() - start

    seconds(100)
    small, large = min(seconds(500) for _ in range(3)), seconds(5000)
    assert large < 10 * small * 3  # a quadratic sum would take ten times longer still


def test_a_thousand_levels_are_no_problem():
    node = drilled("core")
    for k in range(1000):
        node = Assembly(f"level{k}", [node], pose=Pose.from_rpy((0.001, 0, 0)))
    assert node.mass == pytest.approx(drilled().mass)
    assert node.com()[0] == pytest.approx(0.999)
    assert len(node.budget().rows) == 1003 and node.origins["mass"] == "formula"


# ---- parts -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Part("p"), "neither a solid nor a body"),
        (lambda: Part("p", Box(1, 1, 1)), "how heavy"),
        (lambda: Part("p", Box(1, 1, 1), density=1, mass=1), "density and mass"),
        (lambda: Part("p", body=MassProperties(1), mass=1), "no solid"),
        (lambda: Part("p", Box(1, 1, 1), mass=1, cavity=True), "density or material"),
        (lambda: Part("p", body=MassProperties(1), cavity=True), "density or material"),
        (lambda: Part("p", Box(1, 1, 1), material="unobtainium"), "no material named"),
        (lambda: Part("p", Box(1, 1, 1), material="stel"), "did you mean 'steel'"),
        (lambda: Part("p", Box(1, 1, 1), density=math.nan), "not a finite number"),
        (lambda: Part("p", Box(1, 1, 1), density=-5), "cavity=True"),
        (lambda: Part("p", "box", density=1), "expected a solid"),
        (lambda: Part("", Box(1, 1, 1), density=1), "name"),
        (lambda: Part("a/b", Box(1, 1, 1), density=1), "name"),
        (lambda: Part("p", Box(1, 1, 1), density=1, pose=(0, 0, 0)), "Pose"),
        (lambda: Part("p", Box(1, 1, 1), density=1, provenance="guess"), "provenance"),
        (lambda: Part("p", Rod(1), density=7).mass_properties, "with_linear_density"),
        (lambda: Part("p", Disk(1), linear_density=7).mass_properties, "has no linear_density"),
        (lambda: Assembly("a", []), "is empty"),
        (lambda: Assembly("a", [Box(1, 1, 1)]), "parts and assemblies"),
        (lambda: Assembly("a", [Part("p", Box(0.1, 0.1, 0.1), mass=1)] * 2), "two children are named 'p'"),
        (lambda: drilled().find("boxx"), "did you mean"),
        (lambda: drilled().budget(about="centre"), "expected 'own'"),
        (lambda: drilled().weighed(-1), "expected a mass > 0"),
        (lambda: drilled().budget("own").contribution("box"), "about='link'"),
        (lambda: drilled().budget().row("lid"), "no row named"),
    ],
)
def test_what_does_not_hang_together_is_refused_in_words(make, says):
    with pytest.raises(SteinerError, match=says):
        make()


def test_idealised_parts_take_their_own_densities():
    assert Part("wire", Rod(2.0), linear_density=0.5).mass_properties.mass == 1.0
    assert Part("lid", Disk(1.0), area_density=2.0).mass_properties.mass == pytest.approx(2 * math.pi)


def test_a_cavity_removes_exactly_what_the_part_would_add_and_may_be_refilled():
    body = drilled().mass_properties
    cut = Box(0.12, 0.1, 0.06).of("aluminium") - Cylinder(0.02, 0.06).of("aluminium")
    assert body.mass == pytest.approx(cut.mass, rel=1e-15) and close(body.inertia, cut.inertia)
    refilled = Assembly("refilled", [*drilled().children, Part("pin", Cylinder(0.02, 0.06), material="steel")])
    plain = Box(0.12, 0.1, 0.06).of("aluminium") + Cylinder(0.02, 0.06).with_density(7850 - 2700)
    assert close(refilled.mass_properties.inertia, plain.inertia)
    assert refilled.check() == []
    fat = Assembly("fat", [*drilled().children, Part("pin", Cylinder(0.025, 0.06), material="steel")])
    assert [f.code for f in fat.check()] == ["overlap"]


def test_a_cavity_has_a_negative_volume():
    assert drilled().volume == pytest.approx(0.12 * 0.1 * 0.06 - math.pi * 0.02**2 * 0.06, rel=1e-14)
    assert drilled().find("hole").part.volume == pytest.approx(-math.pi * 0.02**2 * 0.06, rel=1e-14)


def test_frames_of_turned_elements_follow_one_another():
    """A part at (1, 0, 0) of an element that is turned by 90° about z and sits at (0, 0, 2): it is at (0, 1, 2)."""
    part = Part("p", Box(0.3, 0.2, 0.1), mass=1.0, pose=Pose(p=(1, 0, 0)))
    link = Assembly("link", [Assembly("e", [part], pose=Pose.from_rpy((0, 0, 2), (0, 0, math.pi / 2)))])
    assert close(link.pose_of("p").p, (0, 1, 2)) and close(link.com(), (0, 1, 2))
    assert close(link.budget("own").row("p").inertia, np.diag([0.1, 0.05, 0.13]) / 12)  # x and y have changed places
    assert close(link.com(frame="e"), (1, 0, 0))
    parents = link.budget("parent").row("p").inertia  # the element's centre is the part's, wherever both are seen from
    assert close(parents, np.diag([0.1, 0.05, 0.13]) / 12)


def test_values_in_place_of_symbols_keep_cuts_cuts():
    a = sp.Symbol("a", positive=True)
    link = Assembly("link", [Part("plate", Box(2 * a, a, a) - Cylinder(a / 4, a), density=1000)])
    assert link.subs({a: 0.1}).mass == pytest.approx(1000 * (2e-3 - math.pi * 0.025**2 * 0.1), rel=1e-13)


def test_a_cavity_that_leaves_nothing_physical_raises_with_its_name():
    too_big = Assembly(
        "link", [Part("box", Box(0.1, 0.1, 0.1), density=1000), Part("void", Sphere(1), density=1000, cavity=True)]
    )
    with pytest.raises(GeometryError, match=r"total mass is -4187\.79 kg.*link/void"):
        _ = too_big.mass_properties
    outside = Assembly(
        "link",
        [
            Part("box", Box(0.1, 0.1, 0.1), density=1000),
            Part("void", Box(0.05, 0.05, 0.05), density=1000, cavity=True, pose=Pose.from_rpy((1, 0, 0))),
        ],
    )
    with pytest.raises(GeometryError, match="lie inside"):
        _ = outside.mass_properties
    group = Assembly("holes", [Part("h", Cylinder(0.01, 0.06), density=2700, cavity=True)])
    plate = Assembly("plate", [Part("p", Box(0.1, 0.1, 0.06), density=2700), group])  # a pattern of holes is an element
    assert plate.mass == pytest.approx(2700 * (0.1 * 0.1 * 0.06 - math.pi * 1e-4 * 0.06))


# ---- overlaps ----------------------------------------------------------------------------------------


def test_overlaps_and_cuts_outside_are_reported_by_name_and_change_nothing():
    parts = [
        Part("left", Box(0.2, 0.1, 0.1), mass=1.0),
        Part("right", Box(0.2, 0.1, 0.1), mass=1.0, pose=Pose.from_rpy((0.19, 0, 0))),
        Part("beside", Box(0.2, 0.1, 0.1), mass=1.0, pose=Pose.from_rpy((0, 0.1, 0))),
        Part("bore", Cylinder(0.01, 0.12), density=100, cavity=True),
        Part("motor", body=MassProperties(1.0)),
    ]
    asm = Assembly("link", parts)
    before = asm.mass_properties
    found = {f.code: f for f in asm.check()}
    assert set(found) == {"overlap", "cavity-outside", "unchecked"}
    assert found["overlap"].parts == ("link/left", "link/right")
    assert found["overlap"].depth == pytest.approx(0.01, rel=1e-6)
    assert found["cavity-outside"].depth == pytest.approx(0.01, rel=1e-6)
    assert "counted twice" in str(found["overlap"])
    assert asm.mass_properties is before
    two = Assembly(
        "two",
        [
            parts[0],
            *(
                Part(n, Cylinder(0.01, 0.1), density=10, cavity=True, pose=Pose.from_rpy((x, 0, 0)))
                for n, x in (("a", 0), ("b", 0.005))
            ),
        ],
    )
    assert [f.code for f in two.check()] == ["cavity-overlap"]


def test_overlaps_within_a_part_are_reported_with_its_path():
    crossed = Part("cross", Box(1, 0.1, 0.1) + Box(0.1, 1, 0.1), density=1000)
    plate = Box(1, 1, 0.1) - Cylinder(0.1, 0.1).at(xyz=(0.5, 0, 0))
    pierced = Part("plate", plate, density=1000, pose=Pose(p=(0, 0, 1)))
    found = Assembly("link", [Assembly("hub", [crossed]), pierced]).check()
    assert [f.code for f in found] == ["overlap", "cavity-outside"]
    assert found[0].parts == ("link/hub/cross: Box 1", "link/hub/cross: Box 2")
    assert found[1].parts == ("link/plate: Cylinder 2",)


def test_many_separate_parts_are_compared_with_their_neighbours_only():
    parts = [Part(f"p{k}", Sphere(0.04), mass=1.0, pose=Pose.from_rpy((0.1 * k, 0, 0))) for k in range(2000)]
    start = time.process_time()
    assert Assembly("row", parts).check() == []
    assert time.process_time() - start < 5


# ---- budget ------------------------------------------------------------------------------------------


def test_the_budget_lists_every_node_and_adds_up():
    link = Assembly(
        "link",
        [drilled("A", pose=Pose.from_rpy((-0.2, 0, 0))), Part("B", Tube(0.03, 0.02, 0.3, axis="x"), material="steel")],
    )
    table = link.budget()
    assert [r.path for r in table.rows] == ["link", "link/A", "link/A/box", "link/A/hole", "link/B"]
    assert [r.kind for r in table.rows] == ["assembly", "assembly", "part", "cavity", "part"]
    leaves = [table.row("A/box"), table.row("A/hole"), table.row("B")]
    assert sum(r.mass for r in leaves) == pytest.approx(link.mass)
    assert close(sum(r.inertia for r in leaves), link.mass_properties.inertia)
    assert close(table.row("link").inertia, link.mass_properties.inertia)
    assert close(link.budget("own").row("B").inertia, Tube(0.03, 0.02, 0.3, axis="x").of("steel").inertia)
    assert close(link.budget("frame").row("A/box").inertia, Box(0.12, 0.1, 0.06).of("aluminium").inertia)
    parent = link.budget("parent").row("A")
    assert close(parent.inertia, table.row("A").inertia)


def test_the_budget_in_all_its_forms():
    link = Assembly("link", [drilled("A"), Part("R&D_1", Rod(0.2), mass=0.1)])
    table = link.budget()
    text = table.text()
    assert (
        "kg m²" in text
        and "aluminium" in text
        and "− hole" in text
        and len({len(x) for x in text.splitlines()[2:3]}) == 1
    )
    assert table.markdown().count("\n| ") == len(table.rows) + 2
    latex = table.latex()
    assert latex.startswith(r"\begin{tabular}") and r"R\&D\_1" in latex and latex.count(r"\\") == len(table.rows) + 1
    page = table.html()
    assert page.count("<tr>") == len(table.rows) + 1 and "R&amp;D_1" in page and link._repr_html_() == page
    parsed = json.loads(table.json())
    assert parsed["mass_kg"] == link.mass and parsed["rows"][2]["inertia_kg_m2"][0][0] == table.rows[2].inertia[0, 0]
    assert [r["path"] for r in table.records()] == [r.path for r in table.rows]
    assert "Budget of 'link'" in repr(table)


def test_the_budget_of_a_symbolic_link_keeps_its_symbols():
    rho, w = sp.symbols("rho w", positive=True)
    link = Assembly("link", [Part("cube", Box(w, w, w), density=rho)])
    table = link.budget()
    assert table.row("cube").mass == rho * w**3
    assert "rho*w**3" in table.text() and r"\rho" in table.latex()
    assert json.loads(table.json())["rows"][1]["mass_kg"] == "rho*w**3"
    assert link.subs({rho: 1000, w: 0.1}).mass == pytest.approx(1.0)


def test_weighed_keeps_the_centre_rescales_the_tensor_and_says_what_is_missing():
    link = Assembly("link", [drilled("A", pose=Pose.from_rpy((0.1, 0, 0))), Part("B", Rod(0.2), mass=0.5)])
    heavier = link.weighed(link.mass * 1.1)
    body, computed = heavier.mass_properties, link.mass_properties
    assert body.mass == pytest.approx(1.1 * computed.mass)
    assert close(body.com, computed.com) and close(body.inertia, 1.1 * computed.inertia)
    assert heavier.unaccounted == pytest.approx(0.1 * computed.mass)
    table = heavier.budget()
    missing = table.row("(unaccounted)")
    assert missing.mass == pytest.approx(0.1 * computed.mass) and missing.kind == "unaccounted"
    leaves = [table.row(n) for n in ("A", "B", "(unaccounted)")]
    assert close(sum(r.inertia for r in leaves), body.inertia)
    assert heavier.origins["mass"] == "measured" and heavier.origins["inertia"] == "formula"
    nested = Assembly("robot", [heavier])
    assert nested.mass == pytest.approx(body.mass) and "unaccounted" in nested.budget().text()


def test_K5_a_weighed_box_is_a_box_of_that_mass():
    """m (b² + c²)/12 with the mass on the scale, wherever the box sits and at every level."""
    box = Part("box", Box(0.3, 0.2, 0.1), density=1000, pose=Pose(p=(0.4, 0, 0)))
    for link in (Assembly("link", [box]).weighed(9), Assembly("link", [Assembly("e", [box]).weighed(9)])):
        body = link.mass_properties
        assert body.mass == 9 and close(body.com, (0.4, 0, 0))
        assert close(body.inertia, np.diag([9 * 0.05, 9 * 0.1, 9 * 0.13]) / 12)
        assert close(body.inertia_about((0, 0, 0))[2, 2], 9 * (0.13 / 12 + 0.16))
        assert link.find("box").part.mass_properties.mass == pytest.approx(6)
    heavier = Assembly("link", [box]).weighed(9)
    assert heavier.unaccounted == pytest.approx(3)
    assert heavier.difference.inertia[2, 2] == pytest.approx(3 * 0.13 / 12)
    missing = heavier.budget("frame").row("(unaccounted)")  # about the link's origin: 9 kg's less 6 kg's
    assert close(missing.com, (0.4, 0, 0)) and missing.inertia[2, 2] == pytest.approx(3 * (0.13 / 12 + 0.16))


def test_K5_weighed_keeps_the_centre_of_a_measured_body():
    pendulum = MassProperties(2, (0.01, 0, 0.02), [0.1, 0.2, 0.25])
    for link in (drilled().measured(pendulum, "cad"), Assembly("motor", body=pendulum, provenance="cad")):
        weighed = link.weighed(3)
        assert weighed.mass == 3 and close(weighed.com(), pendulum.com)
        assert close(weighed.mass_properties.inertia, 1.5 * pendulum.inertia)
        assert weighed.origins == {"mass": "measured", "com": "cad", "inertia": "cad"}


def test_nodes_are_found_by_name_or_path_and_ambiguity_is_named():
    link = Assembly("link", [drilled("A"), drilled("B", pose=Pose.from_rpy((1, 0, 0)))])
    assert link.find("A").path == "link/A"
    assert link.find("B/box").pose.p[0] == 1
    with pytest.raises(ModelError, match="link/A/box, link/B/box"):
        link.find("box")
    assert link.com(frame="B")[0] == link.com(frame=link.children[1])[0] == pytest.approx(-0.5)


def test_a_part_itself_names_its_frame():
    first, second = (Part("screw", Box(0.1, 0.1, 0.1), mass=1, pose=Pose(p=(k, 0, 0))) for k in (1, 5))
    link = Assembly("link", [Assembly("left", [first]), Assembly("right", [second])])
    assert close(link.com(frame=second), (-2, 0, 0)) and close(link.com(frame=first), (2, 0, 0))
    with pytest.raises(ModelError, match="give the path"):
        link.com(frame="screw")
    with pytest.raises(ModelError, match="no part named 3"):
        link.com(frame=3)


def test_provenance_of_every_number():
    link = Assembly(
        "link",
        [
            Part("formula", Box(1, 1, 1), density=10),
            Part("scale", Box(1, 1, 1), mass=10, provenance="measured"),
            Part("plain", Box(1, 1, 1), mass=10),
            Part("cad", body=MassProperties(1, inertia=[1, 1, 1]), provenance="cad"),
        ],
    )
    rows = {r.name: r.provenance for r in link.budget().rows}
    assert rows["formula"] == {"mass": "formula", "com": "formula", "inertia": "formula"}
    assert rows["scale"] == {"mass": "measured", "com": "formula", "inertia": "formula"}
    assert rows["plain"]["mass"] == "given"
    assert rows["cad"]["inertia"] == "cad"
    assert rows["link"] == {
        "mass": "cad + formula + given + measured",
        "com": "cad + formula",
        "inertia": "cad + formula",
    }


def test_combined_of_nothing_and_of_massless_bodies():
    assert combined([]).mass == 0
    both = combined([MassProperties(0, (0, 0, 0), [0, 0.35, 0]), MassProperties(0, (1, 0, 0), [0, 0, 1])])
    assert both.mass == 0 and both.inertia[1, 1] == 0.35 and both.inertia[2, 2] == 1


def test_balance_refuses_what_it_cannot_read():
    arm = Assembly("arm", [Part("bar", Box(1, 0.1, 0.1), mass=1.0), drilled("A")])
    for unknowns, targets, says in (
        ([], {"x": 0}, "no unknowns"),
        ([("bar", "mass")], {}, "no targets"),
        ([("bar", "mass")], {"u": 0}, "expected x, y or z"),
        ([("bar", "colour")], {"x": 0}, "expected"),
        ([("lid", "mass")], {"x": 0}, "no part named"),
        ([("arm", "mass")], {"x": 0}, "whole assembly"),
        ([("A", "mass")], {"x": 0}, "is an assembly"),
        ([3.0], {"x": 0}, "expected a symbol"),
    ):
        with pytest.raises(ModelError, match=says):
            balance(arm, unknowns, targets)
    moved = balance(arm, [("A", "x")], {"x": 0.2})
    assert moved.applied().com()[0] == pytest.approx(0.2)
    assert balance(arm, [("A", "x")], {"y": 0}).solutions == ({},)
    bound = balance(arm, [("A", "x")], {"x": 0.2}, bounds={("A", "x"): (0, 0.1)})
    assert not bound.solved and "outside" in str(bound)
    with pytest.raises(ModelError, match="no solution"):
        bound.applied()


# ---- materials ---------------------------------------------------------------------------------------


def test_materials_have_sources_and_sane_densities():
    assert len(MATERIALS) >= 30
    for name, entry in MATERIALS.items():
        assert entry.name == name and len(entry.source) >= 8
        assert 400 < entry.density < 20_000
    assert material("Aluminum").name == "aluminium" and material("aluminum 6061").density == 2700
    assert material("stainless_steel-304").density == 8000
    assert material(Material("my foam", 30.0)).density == 30.0
    with pytest.raises(GeometryError, match="density of air"):
        Material("air", -1)


def test_particles_add_up():
    cloud_ = Particles([1.0, 2.0], [(1000.0, 0, 0), (1000.1, 0, 0)])
    body = cloud_.mass_properties
    assert body.inertia[1, 1] == pytest.approx(2 / 3 * 0.1**2, rel=1e-9)
    for masses, points, says in (
        ([1.0], [(0, 0, 0), (1, 1, 1)], "positions"),
        ([-1.0], [(0, 0, 0)], "negative"),
        ([0.0], [(0, 0, 0)], "total mass is 0"),
        ([math.inf], [(0, 0, 0)], "not finite"),
    ):
        with pytest.raises(SteinerError, match=says):
            Particles(masses, points)


# ---- not of this world -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("solid", "matter", "says"),
    [
        (Box(0.1, 0.1, 0.1), {"mass": 31}, r"part 'p': 31 kg in 0.001 m³ is 3.1e\+04 kg/m³; expected 5 to 30000"),
        (Box(0.1, 0.1, 0.1), {"density": 4.9}, "4.9 kg/m³"),
        (Box(120, 100, 60), {"material": "steel"}, "a size of 120 m; expected 10 µm to 100 m"),
        (Sphere(51) - Sphere(50), {"density": 1000}, "a size of 102 m"),
        (Sphere(4e-6), {"density": 1000}, "a size of 8e-06 m"),
        (Rod(120), {"mass": 1}, "a size of 120 m"),
    ],
)
def test_N18_a_part_that_is_not_of_this_world_warns_once(solid, matter, says):
    with pytest.warns(ModelWarning, match=says) as told:
        part = Part("p", solid, **matter)
    assert len(told) == 1 and told[0].filename == __file__
    assert part.at(xyz=(1, 0, 0)).mass_properties.mass == part.mass_properties.mass  # not told again
    with pytest.warns(ModelWarning, match=says):
        Part("p", solid.at(xyz=(0.1, 0, 0)), **matter)  # another solid is


def test_N18_what_is_of_this_world_is_silent():
    Part("p", Box(99, 1, 1), density=5)
    Part("p", Sphere(5.1e-6), density=30_000)
    Part("p", Rod(99), mass=0)
    x = sp.Symbol("x", positive=True)
    Part("p", Box(x, 120, 1), density=1e9)
    Part("p", Box(1, 1, 1), density=1e9 * sp.Symbol("rho", positive=True))
    Part("p", body=MassProperties(1e5))
