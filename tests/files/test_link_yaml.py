"""YAML of materials, parts and links: units, every shape, published schema."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from steiner.errors import FormatError, ModelWarning, SteinerError
from steiner.files.link_yaml import load_assembly, load_materials, loads_assembly
from steiner.files.quantity import quantity
from steiner.files.schema import schema
from steiner.files.shapes import SHAPES
from steiner.solids.shapes import SOLIDS, Limits

ROOT = Path(__file__).parent.parent.parent

LINK = """
unit: mm
materials:
  casting: {density: 2.65 g/cm^3, source: data sheet}
  foam: 30 kg/m³
link:
  name: forearm
  parts:
    - {name: tube, shape: tube, outer: 30, inner: 26 mm, height: 0.4 m, axis: x, material: casting}
    - {name: bore, shape: cylinder, radius: 1, height: 4, material: casting, cavity: true,
       xyz: [0, 28, 0], rpy: [90 deg, 0, 0]}
    - {name: motor, body: {mass: 1.2 kg, com: [0, 0, 10], inertia: [900 kg*mm^2, 1e-3, 8e-4]}, provenance: measured}
    - name: wrist
      xyz: [0.4 m, 0, 0]
      rpy: [0, 90 deg, 0]
      parts:
        - {shape: box, size: [40, 30, 20], material: steel}
        - {shape: box, x: 10, y: 10, z: 10, material: foam, xyz: [0, 0, 15]}
"""


def test_a_link_with_units_elements_cavities_and_a_measured_body(tmp_path):
    file = tmp_path / "forearm.yaml"
    file.write_text(LINK, encoding="utf-8")
    link = load_assembly(file)
    assert link.name == "forearm"
    rows = {r.path: r for r in link.budget().rows}
    assert rows["forearm/tube"].mass == pytest.approx(2650 * math.pi * (0.03**2 - 0.026**2) * 0.4, rel=1e-14)
    assert rows["forearm/bore"].mass < 0 and rows["forearm/bore"].com[1] == 0.028
    assert rows["forearm/motor"].provenance["mass"] == "measured"
    assert link.find("motor").part.body.inertia[0, 0] == pytest.approx(9e-4, rel=1e-15)
    assert rows["forearm/wrist/box1"].mass == pytest.approx(7850 * 24e-6, rel=1e-14)
    assert np.allclose(rows["forearm/wrist/box2"].com, [0.415, 0, 0])
    assert link.find("tube").part.material.source == "data sheet"
    assert load_materials(file)["foam"].density == 30
    assert "kg m²" in link.budget().text()
    assert json.loads(link.budget().json())["name"] == "forearm"


def test_weighed_links_and_single_parts():
    link = loads_assembly("link: {weighed: 2 kg, parts: [{shape: sphere, radius: 5 cm, density: 2.7 g/cm^3}]}")
    assert link.mass == 2.0 and link.unaccounted == pytest.approx(2 - 2700 * 4 / 3 * math.pi * 0.05**3)
    part = loads_assembly("part: {name: pin, shape: rod, length: 1 in, linear_density: 2 g/m}")
    assert part.mass == pytest.approx(0.002 * 0.0254) and part.name == "pin"
    assert loads_assembly("part: {shape: sphere, radius: 1, mass: 10 mg}", unit="mm").volume == pytest.approx(
        4 / 3 * math.pi * 1e-9
    )


def test_options_fill_in_what_the_file_leaves_open(tmp_path):
    file = tmp_path / "block.yaml"
    file.write_text(
        "link: {parts: [{shape: box, size: [10, 20, 30]}, {shape: box, size: [10, 20, 30], xyz: [5, 0, 0]}]}"
    )
    with pytest.raises(FormatError, match="how heavy"):
        load_assembly(file, unit="mm")
    assert load_assembly(file, unit="mm", density=1000).mass == pytest.approx(0.012)
    assert load_assembly(file, unit="mm", material="steel").mass == pytest.approx(0.0942)
    assert load_assembly(file, unit="mm", mass=0.2).mass == 0.2
    with pytest.raises(SteinerError, match="density and mass"):
        load_assembly(file, density=1000, mass=1)
    filled = load_assembly(file, unit="mm", density=1000)
    assert filled.origins == {"mass": "default", "com": "formula", "inertia": "formula"}


def test_a_tensor_about_a_point_is_given_in_the_units_of_the_file():
    body = "{mass: 2 kg, com: [0, 0, 100], inertia: [1, 1, 1], about: [0, 0, 600]}"
    link = loads_assembly(f"unit: mm\nlink: {{parts: [{{body: {body}}}]}}")
    assert np.allclose(np.diag(link.mass_properties.inertia), [0.5, 0.5, 1], rtol=1e-14)


def test_an_impossible_measured_body_loads_with_a_warning():
    said = r"<text>:3: part '<text>/hand/part1' body: no body has 1.0 kg with principal moments 1, 1, 5 kg m²"
    text = "link:\n  parts:\n  - {name: hand, parts: [{body: {mass: 1, inertia: [1, 1, 5]}}]}"
    with pytest.warns(ModelWarning, match=said) as caught:
        link = loads_assembly(text, "<text>")
    assert caught[0].filename == __file__
    assert link.mass_properties.inertia[2, 2] == 5


def written(cls):
    """The example of a shape as it would stand in a file."""
    solid = cls.example()
    shape = next(s for s in SHAPES.values() if s.solid is cls)

    def plain(value):
        if isinstance(value, np.ndarray):
            value = value.tolist()
        return [plain(v) for v in value] if isinstance(value, tuple | list) else value

    values = {key: plain(getattr(solid, key)) for key in shape.kinds if key != "axis"}
    body = ", ".join(f"{k}: {json.dumps(v)}" for k, v in values.items())
    return solid, f"link: {{parts: [{{name: p, shape: {shape.name}, {body}, mass: 2 kg}}]}}"


@pytest.mark.parametrize("cls", [c for c in SOLIDS if c is not Limits], ids=lambda c: c.__name__)
def test_every_shape_can_be_written_in_a_file(cls):
    solid, text = written(cls)
    body = loads_assembly(text, unit="m").mass_properties
    expected = solid.with_mass(2.0)
    assert np.allclose(body.com, expected.com, rtol=1e-14, atol=0)
    assert np.allclose(body.inertia, expected.inertia, rtol=1e-13, atol=1e-18)


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("120 mm", "length", 0.12),
        ("-3.5e1mm", "length", -0.035),
        (".5 in", "length", 0.0127),
        ("7 µm", "length", 7e-6),
        ("2.7 g/cm^3", "density", 2700),
        ("2.7 g/cm³", "density", 2700),
        ("2.7 g/cm3", "density", 2700),
        ("7850", "density", 7850),
        ("90 deg", "angle", math.pi / 2),
        ("180°", "angle", math.pi),
        ("350 kg*mm^2", "inertia", 3.5e-4),
        ("350 kg·mm²", "inertia", 3.5e-4),
        ("350 kg mm^2", "inertia", 3.5e-4),
        ("350 kg/mm^2", "inertia", None),
        ("3 lb", "mass", 3 * 0.45359237),
    ],
)
def test_numbers_with_units(text, kind, value):
    if value is None:
        with pytest.raises(FormatError, match="no unit of inertia"):
            quantity(text, kind)
    else:
        assert quantity(text, kind) == pytest.approx(value, rel=1e-15)


def test_millimetres_give_the_float_a_person_would_write():
    assert [quantity(f"{k} mm", "length") for k in (120, 35, 7, 1)] == [0.12, 0.035, 0.007, 0.001]


def test_the_published_schema_is_the_one_of_the_code():
    published = ROOT / "docs" / "link.schema.json"
    current = json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"
    assert published.read_text(encoding="utf-8") == current, (
        "write docs/link.schema.json again: python -m steiner.files.schema"
    )
    assert {s["title"] for s in schema()["$defs"]["part"]["oneOf"]} == {*SHAPES, "measured body"}


def test_the_schema_accepts_the_example_and_refuses_a_misspelt_key():
    jsonschema = pytest.importorskip("jsonschema")
    from ruamel.yaml import YAML

    data = json.loads(json.dumps(YAML(typ="safe").load(LINK)))
    jsonschema.validate(data, schema())
    jsonschema.validate({"materials": {"foam": "30 kg/m^3"}}, schema())  # a file of materials alone
    data["link"]["parts"][0]["colour"] = "red"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, schema())


def test_N18_bare_lengths_without_a_unit_are_refused():
    text = "link:\n  parts:\n  - {{name: a, shape: box, size: {size}, xyz: {xyz}, density: 1000}}"
    bare = text.format(size="[120, 100, 60]", xyz="[0, 0, 0]")
    with pytest.raises(FormatError, match=r"^<text>:3: link.parts\[0\].size: 120 has no unit.*`unit: mm`.*--unit"):
        loads_assembly(bare)
    assert loads_assembly(bare, unit="mm").mass == loads_assembly("unit: mm\n" + bare).mass == pytest.approx(0.72)
    own = text.format(size="[120 mm, 10 cm, 0.06 m]", xyz="[0, 0.0, 0]")  # nothing is nothing in every unit
    assert loads_assembly(own).mass == pytest.approx(0.72)
    with pytest.raises(FormatError, match=r"xyz: 2 has no unit"):
        loads_assembly(text.format(size="[120 mm, 10 cm, 0.06 m]", xyz="[0, 0, 2]"))
    with pytest.raises(FormatError, match=r"com: -2.5 has no unit"):
        loads_assembly("part: {body: {mass: 1, com: [0, 0, -2.5], inertia: [1, 1, 1]}}")


def test_N18_a_file_of_bodies_not_of_this_world_warns_with_its_line():
    text = "unit: m\nlink:\n  parts:\n  - {name: a, shape: box, size: [120, 100, 60], density: 1000}"
    with pytest.warns(ModelWarning, match=r"^<text>:4: part '<text>/a': a size of 120 m") as told:
        loads_assembly(text)
    assert len(told) == 1
