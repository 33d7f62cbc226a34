"""STEP files: written here by the CAD kernel, read back; units, names, placements, materials, broken files."""

from __future__ import annotations

import re
import time
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import steiner as st
from steiner.cli import main
from steiner.errors import FormatError
from steiner.files.material_table import table
from steiner.files.step import quiet
from steiner.scene.scene import Dot
from steiner.scene.subjects import scene_of
from tests.bad_input.mutations import ENDLESS

pytest.importorskip("OCP", reason="STEP files need OCP (extra cad)")
pytestmark = pytest.mark.heavy
EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "step_arm"


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """A drilled box and two pins, in three units."""
    from tools.step_examples import box, cut, cylinder, written

    folder = tmp_path_factory.mktemp("step")
    pin = cylinder(5, 40)
    parts = [("plate", cut(box(100, 60, 8), cylinder(10, 10), (50, 30, -1)), (10.0, 0, 0)),
             ("pin", pin, (20.0, 10, 8)), ("pin", pin, (80.0, 10, 8))]  # fmt: skip
    for unit in ("MM", "INCH", "M"):
        written(parts, "bracket", folder / f"{unit}.step", unit)
    return folder


def closed_form() -> st.Assembly:
    """The same by formulas."""
    plate = (st.Box(0.1, 0.06, 0.008) - st.Cylinder(0.01, 0.008)).at(xyz=(0.06, 0.03, 0.004))
    pins = [st.Part(f"pin{k}", st.Cylinder(0.005, 0.04).at(xyz=(x, 0.01, 0.028)), density=7900)
            for k, x in enumerate((0.02, 0.08))]  # fmt: skip
    return st.Assembly("bracket", [st.Part("plate", plate, density=2700), *pins])


@pytest.mark.parametrize("unit", ["MM", "INCH", "M"])
def test_every_unit_gives_the_closed_forms_in_metres_and_kilograms(drawn, unit):
    link = st.Cad.load(drawn / f"{unit}.step", materials={"plate": 2700, "pin": 7900.0})
    ours, exact = link.mass_properties, closed_form().mass_properties
    assert link.name == "bracket" and [c.name for c in link.children] == ["plate", "pin", "pin 2"]
    assert np.isclose(ours.mass, exact.mass, rtol=1e-12) and np.allclose(ours.com, exact.com, rtol=1e-12, atol=1e-14)
    assert np.abs(ours.inertia - exact.inertia).max() <= 1e-12 * np.abs(exact.inertia).max()
    assert not link.check()


def test_repeated_parts_are_measured_once_and_meshes_stand_for_them(drawn):
    link = st.Cad.load(drawn / "MM.step", material="steel")
    first, second = (link.find(name).part.solid for name in ("pin", "pin 2"))
    assert first is second
    V, F = first.mesh(3)
    mesh = st.Mesh(*st.ConvexHull(V).mesh(3))
    assert abs(mesh.volume / first.volume - 1) < 0.02 and len(F) > 30
    assert first.depth([[0, 0, 0.02]])[0] > 0 > first.depth([[0.01, 0, 0.02]])[0]


def test_materials_by_table_by_colour_and_by_default(drawn, tmp_path):
    path = drawn / "MM.step"
    (tmp_path / "m.csv").write_text("part,material\nplate,2700\npin,steel\nother,copper\n")
    (tmp_path / "m.yaml").write_text("plate: aluminium\npin: 7900\n")
    by_csv = st.Cad.load(path, materials=tmp_path / "m.csv")
    by_yaml = st.Cad.load(path, materials=str(tmp_path / "m.yaml"))
    by_map = st.Cad.load(path, materials={"plate": "aluminium"}, density=7900)
    assert by_yaml.mass == by_map.mass and by_csv.find("plate").part.density == 2700
    assert by_csv.find("pin").part.material.name == "steel"


def turn(axis, angle, shift):
    """A placement in millimetres for the kernel, and in metres for us."""
    from OCP.gp import gp_Ax1, gp_Dir, gp_Pnt, gp_Trsf, gp_Vec
    from OCP.TopLoc import TopLoc_Location

    turned, moved = gp_Trsf(), gp_Trsf()
    turned.SetRotation(gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(*axis)), angle)
    moved.SetTranslation(gp_Vec(*shift))
    moved.Multiply(turned)
    rotation = Rotation.from_rotvec(angle * np.array(axis) / np.linalg.norm(axis))
    return TopLoc_Location(moved), st.Pose(rotation.as_matrix(), np.array(shift) / 1000)


LEVELS = {
    "cell": [("plate, big", (1, 2, 3), 0.7, (1, 2, 3)), ("pin", (0, 0, 1), 0.3, (50, 6, 7)),
             ("pin", (1, 1, 0), 1.1, (-40, 8, 12))],
    "stack": [("cell", (0, 1, 0), 0.9, (100, 0, 0)), ("cell", (1, 0, 0), -2.0, (0, 100, 5)),
              ("pin", (0, 0, 1), 0, (0, 0, 50))],
    "machine": [("stack", (3, 1, 2), 2.2, (0, 0, 300)), ("stack", (0, 0, 1), 0, (400, 0, 0)),
                ("plate, big", (0, 0, 1), 1, (0, -200, 0))],
}  # fmt: skip


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """Three levels, turned and repeated, two colours; the file, and the same by formulas for two densities."""
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeCylinder
    from OCP.Quantity import Quantity_Color, Quantity_TypeOfColor
    from OCP.STEPCAFControl import STEPCAFControl_Writer
    from OCP.TCollection import TCollection_ExtendedString
    from OCP.TDataStd import TDataStd_Name
    from OCP.TDocStd import TDocStd_Document
    from OCP.UnitsMethods import UnitsMethods_LengthUnit
    from OCP.XCAFApp import XCAFApp_Application
    from OCP.XCAFDoc import XCAFDoc_ColorType, XCAFDoc_DocumentTool

    document = TDocStd_Document(TCollection_ExtendedString("XmlOcaf"))
    XCAFApp_Application.GetApplication_s().InitDocument(document)
    millimetre = UnitsMethods_LengthUnit.UnitsMethods_LengthUnit_Millimeter
    XCAFDoc_DocumentTool.SetLengthUnit_s(document, 1.0, millimetre)
    shapes = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
    colours = XCAFDoc_DocumentTool.ColorTool_s(document.Main())

    def named(label, name):
        TDataStd_Name.Set_s(label, TCollection_ExtendedString(name))
        return label

    labels = {
        "plate, big": named(shapes.AddShape(BRepPrimAPI_MakeBox(40, 30, 5).Shape(), False), "plate, big"),
        "pin": named(shapes.AddShape(BRepPrimAPI_MakeCylinder(3, 20).Shape(), False), "pin"),
    }
    for name, rgb in (("plate, big", (1, 0, 0)), ("pin", (0, 128 / 255, 1))):
        colour = Quantity_Color(*rgb, Quantity_TypeOfColor.Quantity_TOC_sRGB)
        colours.SetColor(labels[name], colour, XCAFDoc_ColorType.XCAFDoc_ColorGen)
    for level, below in LEVELS.items():
        labels[level] = named(shapes.NewShape(), level)
        for number, (child, *place) in enumerate(below):
            named(shapes.AddComponent(labels[level], labels[child], turn(*place)[0]), f"{child}:{number}")
    shapes.UpdateAssemblies()
    path = tmp_path_factory.mktemp("nested") / "machine.step"
    writer = STEPCAFControl_Writer()
    with quiet():
        writer.Transfer(document)
        writer.Write(str(path))

    def by_formulas(plate, pin):
        solids = {"plate, big": (st.Box(0.04, 0.03, 0.005).at(xyz=(0.02, 0.015, 0.0025)), plate),
                  "pin": (st.Cylinder(0.003, 0.02).at(xyz=(0, 0, 0.01)), pin)}  # fmt: skip

        def node(name, key, pose):
            if key in solids:
                return st.Part(name, solids[key][0], density=solids[key][1], pose=pose)
            below = [node(f"{child}:{k}", child, turn(*place)[1]) for k, (child, *place) in enumerate(LEVELS[key])]
            return st.Assembly(name, below, pose=pose)

        return node("machine", "machine", st.Pose(np.eye(3), np.zeros(3))).mass_properties

    return path, by_formulas(7850.0, 8960.0)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("m.csv", 'part,material\n"plate, big",steel\npin,copper\n'), ("c.csv", "#FF0000,7850\n#0080ff,copper\n"),
        ("m.yaml", "plate, big: steel\npin: 8960\n"), ("c.yaml", '"#ff0000": steel\n"*": copper\n'),
    ],
)  # fmt: skip
def test_three_levels_turned_and_repeated_are_those_of_the_formulas(name, rows, machine, tmp_path):
    path, exact = machine
    (tmp_path / name).write_text(rows)
    link = st.Cad.load(path, materials=tmp_path / name)
    body = link.mass_properties
    assert body.mass == pytest.approx(exact.mass, rel=1e-12)
    np.testing.assert_allclose(body.com, exact.com, atol=1e-12)
    np.testing.assert_allclose(body.inertia, exact.inertia, atol=1e-12 * np.abs(exact.inertia).max())
    pins = [link.find(f"stack:{j}/cell:{k}/pin:{n}").part.solid for j in (0, 1) for k in (0, 1) for n in (1, 2)]
    assert all(pin is pins[0] for pin in pins)  # measured once


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (b"plate,steel\npin,copper\nplate,brass\n", "m.csv:3: 'plate' is listed twice, as steel and as brass"),
        (b"#FF0000,steel\n#ff0000,2700\n", "m.csv:2: '#ff0000' is listed twice"),
        (b"part;material\nplate;steel\n", "m.csv:1: columns are parted by commas here, not by semicolons"),
        (b"plate\tsteel\n", "m.csv:1: columns are parted by commas"),
        (b"plate,steel,7850\n", "m.csv:1: expected `part,material`"),
        (b"plate,\n", "m.csv:1: expected `part,material`"),
        (b"plate,unobtainium\n", "m.csv:1: .*unobtainium"),
        (b"plate,-5\n", "m.csv:1: 'plate': a density of -5"),
        (b"plate,nan\n", "m.csv:1: 'plate': a density of nan"),
        (b"#ff00,steel\n", "m.csv:1: '#ff00' is no colour"),
        (b'"plate,steel\n', "m.csv:1: no CSV"),
        (b"pl\xe4te,steel\n", "no text in UTF-8"),
        (b"plate,steel\npin,\x00\n", "m.csv:2"),
    ],
)
def test_a_table_of_materials_that_is_none_is_told(rows, told, drawn, tmp_path):
    (tmp_path / "m.csv").write_bytes(rows)
    with pytest.raises(st.SteinerError, match=told):
        st.Cad.load(drawn / "MM.step", materials=tmp_path / "m.csv", density=1000)


def test_a_table_as_spreadsheets_write_it_is_read(drawn, tmp_path):
    rows = b'Part,Material\r\n"plate", steel\r\n"a, b",brass\r\npart,plywood\r\n\r\n*,2.7e3\r\n'
    (tmp_path / "m.csv").write_bytes(b"\xef\xbb\xbf" + rows)
    link = st.Cad.load(drawn / "MM.step", materials=tmp_path / "m.csv")
    assert link.find("plate").part.material.name == "steel" and link.find("pin").part.density == 2700
    (tmp_path / "m.csv").write_text("part,steel\n")  # a part of that name, no heading
    assert table(tmp_path / "m.csv") == {"part": "steel"}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "part 'plate' has no material; give materials="),
        ({"materials": {"plate": 2700}}, "part 'pin' has no material"),
        ({"materials": {"plaet": 2700}, "density": 1000}, "no part named 'plaet'.*did you mean 'plate'"),
        ({"materials": {"plate": None}, "density": 1000}, "expected a material or kg/m³"),
        ({"materials": 5}, "expected {part: material}"),
        ({"materials": {"plate": "unobtainium"}, "density": 1000}, "unobtainium"),
        ({"material": "steel", "density": 1000}, "both given"),
    ],
)
def test_what_is_not_known_of_the_matter_is_told(drawn, options, told):
    with pytest.raises(st.SteinerError, match=told):
        st.Cad.load(drawn / "MM.step", **options)


def test_a_file_without_materials_is_shown_without_masses(drawn, tmp_path, capsys, monkeypatch):
    """Shapes in their own colours or grey, no mass and no centre anywhere; the command says what is not known."""
    link = st.Cad.load(drawn / "MM.step", density=1000.0)
    scene = scene_of(link, masses=False)
    actor = scene.actors[0]
    assert actor.body is None and not any(getattr(item, "body", None) for item in actor.items)
    assert not any(isinstance(item, Dot) for item in actor.items) and scene.notes == ("masses are not known",)
    monkeypatch.setattr("sys.argv", ["steiner", "show", str(drawn / "MM.step"), "-o", str(tmp_path / "page.html")])
    with pytest.raises(SystemExit) as ended:
        main()
    told = " ".join(capsys.readouterr().err.split())
    assert not ended.value.code and "masses are not known: " in told and "MM.step: part 'plate' has no material" in told
    data = re.search(r"application/json\">(.*?)</script>", (tmp_path / "page.html").read_text())[1]
    assert "masses are not known" in data and "centre of mass" not in data and "plate" in data


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "no STEP file"),
        (b"solid cube\nendsolid", "no STEP file"),
        (b"ISO-10303-21;\nHEADER;\n", "cannot be read|holds no solid"),
        (b"ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\n#1=FOO(#2);\nENDSEC;\nEND-ISO-10303-21;\n", "be read|no solid"),
        (b"ISO-10303-21;" + b"\xff\x00" * 1000, "cannot be read|no solid"),
    ],
)
def test_broken_files_are_told(tmp_path, content, told):
    path = tmp_path / "part.step"
    path.write_bytes(content)
    with pytest.raises(st.SteinerError, match=told):
        st.Cad.load(path, material="steel")


def test_a_file_cut_in_the_middle_is_refused_or_whole(drawn, tmp_path):
    data = (drawn / "MM.step").read_bytes()
    for share in (0.3, 0.6, 0.9):
        path = tmp_path / f"{share}.step"
        path.write_bytes(data[: int(share * len(data))])
        with pytest.raises(st.SteinerError):
            st.Cad.load(path, material="steel")


def test_an_arm_of_step_files_gives_a_urdf_with_inertias(tmp_path):
    arm = st.load(EXAMPLES / "arm.yaml")
    assert arm.joint_names == ("shoulder", "elbow") and arm.link("fore").made_of is not None
    shares = arm.torque_breakdown([0.3, 0.4], [0, 0], [0, 0], by="part")
    assert np.allclose(shares.total, arm.gravity_forces([0.3, 0.4]), rtol=1e-12)
    st.save(arm, tmp_path / "arm.urdf")
    again = st.load(tmp_path / "arm.urdf")
    q = np.random.default_rng(0).uniform(-1, 1, (20, 2))
    assert np.allclose(again.mass_matrix(q), arm.mass_matrix(q), rtol=1e-13)
    assert np.allclose(again.gravity_forces(q), arm.gravity_forces(q), rtol=1e-12)


def test_the_filleted_bracket_is_its_closed_form():
    link = st.Cad.load(EXAMPLES / "bracket.step", material="steel")
    corner = 4 * (1 - np.pi / 4) * 0.01**2 * 0.008
    holes = 4 * np.pi * 0.004**2 * 0.008
    assert np.isclose(link.find("plate").part.solid.volume, 0.1 * 0.06 * 0.008 - corner - holes, rtol=1e-12)
    boss = st.Tube(0.015, 0.008, 0.03)
    found = link.find("boss").part.solid
    assert np.isclose(found.volume, boss.volume, rtol=1e-12)
    assert np.abs(found.gyration - boss.gyration).max() <= 1e-10 * boss.gyration.max()


@pytest.mark.parametrize("text", ["", "HEADER;\n" + "1" * 50_000, "HEADER;" + "(" * 100, "DATA;\n#1=\x1b[31m;"])
def test_R6_the_CAD_kernel_prints_nothing_of_its_own(text, tmp_path, capfd):
    path = tmp_path / "arm\x1b[31m.step"
    path.write_text("ISO-10303-21;\n" + text, encoding="utf-8")
    with pytest.raises(st.SteinerError, match="cannot be read as STEP"):
        st.load(path)
    assert capfd.readouterr() == ("", "")


def test_a_hub_in_its_seat_is_no_overlap_but_a_drawn_in_part_is(tmp_path):
    from tools.step_examples import box, cut, cylinder, written

    assert not st.Cad.load(EXAMPLES / "upper.step", material="steel").check()  # round faces that touch
    seat = cut(box(100, 60, 20), cylinder(21, 40), (0, 30, -10))
    for shift, told in ((0.0, 0), (2.0, 1)):
        written([("seat", seat, (0, 0, 0)), ("hub", cylinder(21, 30), (shift, 30, -5))], "a", tmp_path / "a.step")
        found = st.Cad.load(tmp_path / "a.step", material="steel").check()
        assert len(found) == told and all(f.depth == pytest.approx(shift / 1000 / 2, rel=0.6) for f in found)


def test_a_tensor_that_the_kernel_gets_wrong_is_told(drawn, monkeypatch):
    from OCP.GProp import GProp_GProps

    real = GProp_GProps.MatrixOfInertia
    monkeypatch.setattr(GProp_GProps, "MatrixOfInertia", lambda self: real(self).Multiplied(1.5))
    with pytest.warns(st.ModelWarning, match="disagree about its inertia"):
        st.Cad.load(drawn / "M.step", material="steel")


def test_a_turned_and_moved_part_keeps_its_placement(tmp_path):
    from OCP.gp import gp_Ax1, gp_Dir, gp_Pnt, gp_Trsf
    from OCP.TopLoc import TopLoc_Location

    from tools.step_examples import box, moved, written

    turn = gp_Trsf()
    turn.SetRotation(gp_Ax1(gp_Pnt(7, 8, 9), gp_Dir(0, 0, 1)), np.pi / 2)
    bar = box(100, 10, 20).Moved(TopLoc_Location(turn))
    written([("bar", moved(bar, (5, 0, 0)), (30, 0, 0))], "arm", tmp_path / "a.step")
    body = st.Cad.load(tmp_path / "a.step", density=1000).mass_properties
    exact = st.Box(0.01, 0.1, 0.02).at(xyz=(0.045, 0.051, 0.01)).with_density(1000)
    assert np.allclose(body.com, exact.com, rtol=1e-12) and np.allclose(body.inertia, exact.inertia, rtol=1e-11)


@pytest.mark.parametrize("wrong", ["nan", "1e400", "x10.", "$", "*", ".T.", "#15", "''", "(10.)", "\u0663", "\0"])
def test_N17_a_number_that_the_kernel_cannot_read_is_no_zero(wrong, tmp_path):
    """It would go on without it: a plate whose bore has no radius has another mass."""
    text = (EXAMPLES / "bracket.step").read_text()
    surface = re.search(r"CYLINDRICAL_SURFACE\('',#\d+,(10\.)\)", text)
    path = tmp_path / "a.step"
    path.write_text(text[: surface.start(1)] + wrong + text[surface.end(1) :], encoding="utf-8")
    with pytest.raises(FormatError, match=r"a\.step: .*(radius\) not a Real|is no word of it); the file is damaged"):
        st.Cad.load(path, material="steel")


@pytest.mark.parametrize("k", range(len(ENDLESS)))
@pytest.mark.filterwarnings("ignore::steiner.errors.ModelWarning")
def test_R1_texts_without_end_in_a_STEP_file_are_read_in_linear_time(k, tmp_path):
    text = (EXAMPLES / "bracket.step").read_text()
    path = tmp_path / "a.step"
    path.write_text(text)
    assert st.Cad.load(path, material="steel").mass > 0  # the kernel is loaded
    name, long = "PRODUCT('plate','plate'", ENDLESS[k].replace("'", "''")
    assert name in text
    for data in (
        text.replace(name, f"PRODUCT('{long}','{long}'"), text.replace("#15 =", f"#15 = {ENDLESS[k]}", 1),
        text.replace("CARTESIAN_POINT('',(", f"CARTESIAN_POINT('',({ENDLESS[k]}", 1),
        text.replace("CARTESIAN_POINT('',(", f"CARTESIAN_POINT('{long}',(", 1), text + ENDLESS[k], ENDLESS[k],
    ):  # fmt: skip
        path.write_text(data, encoding="utf-8")
        start = time.process_time()
        try:
            st.Cad.load(path, materials={"*": "steel"})
        except FormatError as error:
            assert str(error).startswith(f"{path}: ") and len(str(error)) < 500
        assert time.process_time() - start < 1
