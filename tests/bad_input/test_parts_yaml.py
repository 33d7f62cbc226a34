"""Files of parts and links that deserve an error: the text names file, line and key, and nothing is run."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from steiner.errors import FormatError, SteinerError
from steiner.files.link_yaml import load_assembly, load_materials, loads_assembly

HEAD = "link:\n  parts:\n"

# text of the file -> what the message must name
BAD = {
    "nan": (HEAD + "  - {shape: box, size: [.nan, 1, 1], density: 1000}", ["x.yaml:3", "size", "finite"]),
    "infinite": (HEAD + "  - {shape: box, size: [.inf, 1, 1], density: 1000}", ["x.yaml:3", "size"]),
    "overflow": (HEAD + "  - {shape: box, size: [1e999, 1, 1], density: 1000}", ["x.yaml:3", "size"]),
    "negative radius": (HEAD + "  - {shape: cylinder, radius: -0.1, height: 1, density: 1}", ["x.yaml:3", "radius"]),
    "zero edge": (HEAD + "  - {shape: box, size: [1, 0, 1], density: 1}", ["x.yaml:3", "size"]),
    "negative density": (HEAD + "  - {shape: sphere, radius: 1, density: -1}", ["x.yaml:3", "density"]),
    "void bigger than solid": (
        HEAD + "  - {shape: box, size: [0.1,0.1,0.1], density: 1000}\n"
        "  - {shape: sphere, radius: 1, density: 1000, op: subtract}",
        ["x.yaml:2", "total mass is -4187.79 kg", "sphere1"],
    ),
    "unknown shape": (HEAD + "  - {shape: bx, size: [1,1,1], density: 1}", ["x.yaml:3", "did you mean 'box'"]),
    "unknown key": (
        HEAD + "  - {shape: box, sizes: [1,1,1], density: 1}",
        ["x.yaml:3", "sizes", "did you mean 'size'"],
    ),
    "key of another shape": (HEAD + "  - {shape: sphere, radius: 1, height: 1, density: 1}", ["x.yaml:3", "height"]),
    "missing dimension": (HEAD + "  - {shape: cylinder, radius: 1, density: 1}", ["x.yaml:3", "needs height"]),
    "too few values": (HEAD + "  - {shape: box, size: [1, 1], density: 1}", ["x.yaml:3", "size", "3 values"]),
    "text for a number": (HEAD + "  - {shape: sphere, radius: big, density: 1}", ["x.yaml:3", "radius", "120 mm"]),
    "boolean for a number": (HEAD + "  - {shape: sphere, radius: true, density: 1}", ["x.yaml:3", "radius"]),
    "list for a number": (HEAD + "  - {shape: sphere, radius: [1], density: 1}", ["x.yaml:3", "radius"]),
    "comma decimal": (HEAD + "  - {shape: sphere, radius: '1,5', density: 1}", ["x.yaml:3", "radius", "1,5"]),
    "wrong unit": (HEAD + "  - {shape: sphere, radius: 5 kg, density: 1}", ["x.yaml:3", "radius", "kg", "mm"]),
    "unknown unit of the file": ("unit: furlong\nlink: {parts: []}", ["x.yaml:1", "unit", "furlong"]),
    "two masses": (HEAD + "  - {shape: sphere, radius: 1, density: 1, mass: 1}", ["x.yaml:3", "density and mass"]),
    "no mass": (HEAD + "  - {shape: sphere, radius: 1}", ["x.yaml:3", "how heavy"]),
    "unknown material": (HEAD + "  - {shape: sphere, radius: 1, material: stel}", ["x.yaml:3", "did you mean 'steel'"]),
    "cavity with a mass": (HEAD + "  - {shape: sphere, radius: 1, mass: 1, cavity: true}", ["x.yaml:3", "density"]),
    "cavity is no boolean": (
        HEAD + "  - {shape: sphere, radius: 1, density: 1, cavity: maybe}",
        ["x.yaml:3", "true or false"],
    ),
    "unknown op": (HEAD + "  - {shape: sphere, radius: 1, density: 1, op: minus}", ["x.yaml:3", "add or subtract"]),
    "rod with a density": (HEAD + "  - {shape: rod, length: 1, density: 1}", ["x.yaml:3", "with_linear_density"]),
    "inner above outer": (HEAD + "  - {shape: tube, outer: 1, inner: 2, height: 1, density: 1}", ["x.yaml:3", "inner"]),
    "crossing polygon": (
        HEAD + "  - {shape: prism, polygon: [[0,0],[2,2],[2,0],[0,1]], height: 1, density: 1}",
        ["x.yaml:3", "cross"],
    ),
    "open mesh": (
        HEAD
        + "  - {shape: mesh, vertices: [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], "
        "faces: [[0,2,1],[0,1,3],[1,2,3],[0,2,3]], density: 1}",
        ["x.yaml:3", "disagree"],
    ),
    "bad axis": (HEAD + "  - {shape: cylinder, radius: 1, height: 1, axis: w, density: 1}", ["x.yaml:3", "axis"]),
    "two of one name": (
        HEAD + "  - &a {name: a, shape: sphere, radius: 1, density: 1}\n  - *a",
        ["x.yaml:2", "two children are named 'a'"],
    ),
    "slash in a name": (HEAD + "  - {name: a/b, shape: sphere, radius: 1, density: 1}", ["x.yaml:3", "a/b"]),
    "asymmetric tensor": (
        HEAD + "  - {body: {mass: 1, inertia: [[1,0.5,0],[0,1,0],[0,0,1]]}}",
        ["x.yaml:3", "not symmetric"],
    ),
    "tensor of wrong shape": (HEAD + "  - {body: {mass: 1, inertia: [1, 2]}}", ["x.yaml:3", "inertia", "3×3"]),
    "body without mass": (HEAD + "  - {body: {com: [0,0,0]}}", ["x.yaml:3", "mass"]),
    "neither shape nor body": (HEAD + "  - {name: a}", ["x.yaml:3", "`shape`"]),
    "unknown provenance": (
        HEAD + "  - {shape: sphere, radius: 1, density: 1, provenance: guess}",
        ["x.yaml:3", "measured"],
    ),
    "no link": ("materials: {foam: 30}", ["x.yaml:1", "link"]),
    "robot keys": ("robot: {joints: []}", ["x.yaml:1", "robot"]),
    "empty link": ("link: {parts: []}", ["x.yaml:1", "empty"]),
    "list at the top": ("- 1", ["x.yaml", "list"]),
    "nothing": ("", ["x.yaml", "nothing"]),
    "parts are no list": ("link: {parts: 3}", ["x.yaml:1", "list"]),
    "item is no part": (HEAD + "  - 3", ["x.yaml:2", "item 1"]),
    "duplicate key": (HEAD + "  - {shape: box, shape: box}", ["x.yaml:3", "duplicate"]),
    "broken YAML": ("link: [", ["x.yaml:1", "not YAML"]),
    "two documents": ("link: {parts: []}\n---\nlink: {}", ["x.yaml", "not YAML"]),
    "tag": ("link: {parts: !!python/name:os.system 3}", ["x.yaml", "tag"]),
    "set": ("link: !!set {a, b}", ["x.yaml:1", "tag"]),
    "ordered map": ("link: !!omap\n  - parts: []", ["x.yaml:1", "tag"]),
    "binary": (HEAD + "  - {shape: !!binary aGk=}", ["x.yaml", "tag"]),
    "list for a shape": (HEAD + "  - {shape: [box], size: [1, 1, 1], density: 1}", ["x.yaml:3", "shape", "['box']"]),
    "list for a unit": ("unit: [mm]\nlink: {parts: []}", ["x.yaml:1", "unit", "['mm']"]),
    "merged key": (
        HEAD + "  - &a {name: a, shape: box, size: [1, 1, 1], density: 1}\n  - {<<: *a, name: b, shape: sphere}",
        ["x.yaml:4", "size", "radius"],
    ),
    "hundreds of digits": (HEAD + f"  - {{shape: sphere, radius: 1{'0' * 400}, density: 1}}", ["x.yaml:3", "radius"]),
    "thousands of digits": (HEAD + f"  - {{shape: sphere, radius: 1{'0' * 5000}, density: 1}}", ["x.yaml", "digits"]),
    "hexadecimal without end": (HEAD + f"  - {{shape: sphere, radius: 0x{'f' * 5000}, density: 1}}", ["x.yaml:3"]),
    "hexadecimal key": (f"? 0x{'f' * 5000}\n: 3", ["x.yaml:1", "digits"]),
    "digits without end": (HEAD + f"  - {{shape: sphere, radius: {'1' * 100_000}, density: 1}}", ["x.yaml", "digits"]),
    "quantity without end": (
        HEAD + f"  - {{shape: sphere, radius: {'1' * 100_000} mm, density: 1}}",
        ["x.yaml:3", "radius", "100003 characters"],
    ),
    "brackets without end": ("[" * 3000, ["x.yaml", "nested"]),
    "too large": (HEAD + "  - {shape: sphere, radius: 1e200, density: 1}", ["x.yaml:3", "radius", "1e+200"]),
    "too small": (HEAD + "  - {shape: sphere, radius: 1e-200, density: 1}", ["x.yaml:3", "radius", "1e-200"]),
    "too heavy": (HEAD + "  - {shape: sphere, radius: 1e9, density: 1e300}", ["x.yaml:3", "too large"]),
    "only a cavity": ("part: {shape: sphere, radius: 1, density: 1, cavity: true}", ["x.yaml:1", "total mass is -4"]),
    "point of a tensor": (HEAD + "  - {body: {mass: 1, inertia: [1, 1, 1], about: [1, 0]}}", ["x.yaml:3", "3 values"]),
    "list for a key": ("link: {? [1, 2] : 3, ? [[1], 2] : 3}", ["x.yaml"]),
    "boolean for a material": ("materials: {true: {density: -1}}\nlink: {parts: []}", ["x.yaml:1", "materials.True"]),
    "itself": ("link: &a {parts: [*a]}", ["x.yaml"]),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_refused_with_file_line_and_key(name):
    text, must_name = BAD[name]
    start = time.process_time()
    with pytest.raises(SteinerError) as caught:
        loads_assembly(text, "x.yaml", unit="m")
    assert time.process_time() - start < 1
    for word in must_name:
        assert word in str(caught.value), f"{word!r} is not in: {caught.value}"
    assert "Traceback" not in str(caught.value) and "\n" not in str(caught.value)


def test_an_anchor_that_is_set_anew_is_the_later_one():
    ball = "    - {{name: {}, shape: sphere, radius: {}, density: 1000}}\n"
    parts = "".join(ball.format(*row) for row in (("a", "&r 10"), ("b", "&r 20"), ("c", "*r")))
    link = loads_assembly("unit: mm\nlink:\n  parts:\n" + parts, "x.yaml")
    assert link.find("c").part.solid.radius == pytest.approx(0.02)


def test_a_file_cannot_run_code(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "evil.yaml"
    file.write_text('!!python/object/apply:os.system ["touch steiner_pwned"]\n')
    with pytest.raises(FormatError, match="not allowed"):
        load_assembly(file)
    assert not (tmp_path / "steiner_pwned").exists()


def test_R8_aliases_cannot_blow_up():
    levels = ["a0: &a0 [1,1,1,1,1,1,1,1,1]"]
    levels += [f"a{k}: &a{k} [{','.join([f'*a{k - 1}'] * 9)}]" for k in range(1, 12)]
    start = time.process_time()
    with pytest.raises(FormatError, match=r"too large|no key named"):
        loads_assembly("\n".join(levels), "bomb.yaml")
    assert time.process_time() - start < 2


def test_deep_nesting_and_binary_and_missing_files(tmp_path: Path):
    deep = "link: {parts: " + "[{parts: " * 150 + "1" + "}]" * 150 + "}"
    with pytest.raises(FormatError, match="nested too deeply"):
        loads_assembly(deep, "deep.yaml")
    with pytest.raises(FormatError, match="not UTF-8"):
        loads_assembly(b"\xff\xfe\x00link", "binary.yaml")
    with pytest.raises(FormatError, match="no such file"):
        load_assembly(tmp_path / "none.yaml")
    with pytest.raises(FormatError, match="not a regular file"):
        load_assembly(tmp_path)


def test_a_misspelt_option_or_key_is_told_where_nothing_needs_it(tmp_path: Path):
    text = HEAD + "  - {shape: sphere, radius: 1, density: 1}"
    file = tmp_path / "ball.yaml"
    file.write_text(f"unit: m\n{text}")
    with pytest.raises(SteinerError, match="no material named 'stel'; did you mean 'steel'"):
        load_assembly(file, material="stel")
    with pytest.raises(SteinerError, match="'furlong' is no unit of length"):
        load_assembly(file, unit="furlong")
    file.write_text("materails: {foam: 30}")
    with pytest.raises(SteinerError, match="did you mean 'materials'"):
        load_materials(file)
