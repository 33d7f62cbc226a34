"""Every rule with a file that breaks it and one that does not; what it says can be computed by hand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import steiner as st
from steiner.checks.rules import DRAWING_RULES, RULES
from steiner.findings import SEVERITIES, Finding

FILES = Path(__file__).parent / "files"
ALL = RULES | DRAWING_RULES
IN_MEMORY = {"overflow-part"}  # readers refuse such numbers; see test_rules.py


def found(rule: str, kind: str) -> list[Finding]:
    """What the rule says about one of its two files."""
    (file,) = FILES.glob(f"{rule.replace('-', '_')}_{kind}.*")
    return [finding for finding in st.check(file) if finding.rule == rule]


def only(rule: str) -> Finding:
    (finding,) = found(rule, "bad")
    return finding


def test_rules_have_numbers_and_names_of_their_own():
    codes = [rule.code for rule in ALL.values()]
    assert len(set(codes)) == len(codes) == len(RULES) + len(DRAWING_RULES)
    for name, rule in ALL.items():
        assert rule.name == name and rule.severity in SEVERITIES and rule.what.endswith(".")


@pytest.mark.parametrize("rule", sorted(ALL.keys() - IN_MEMORY))
def test_a_rule_finds_what_is_bad_and_only_that(rule):
    bad = found(rule, "bad")
    assert bad and {(f.code, f.severity) for f in bad} == {(ALL[rule].code, ALL[rule].severity)}
    for finding in bad:
        assert finding.file.endswith(("_bad.urdf", "_bad.yaml")) and finding.message.startswith(finding.file)
        if rule not in WITHOUT_PLACE:
            assert finding.line, finding.text
        if ALL[rule].severity != "note" and rule not in ("immobile", "left-out", "unreadable"):
            assert finding.fix or finding.cause
    assert not found(rule, "good")


WITHOUT_PLACE = ("mimic-free", "immobile", "overlap", "cavity-outside", "cavity-overlap", "unchecked")


# ---- what they say, computed again -------------------------------------------------------------------

BOX = np.array([2.7 * 0.005 / 12, 2.7 * 0.1625 / 12, 2.7 * 0.1625 / 12])  # 0.4 × 0.05 × 0.05 m, 2.7 kg


def test_a_tensor_about_the_origin_is_moved_by_huygens_and_steiner():
    told = only("tensor-about-origin")
    assert "the tensor is about the link's origin" in told.cause and told.cause.endswith("then it is 0% away")
    off = np.linalg.norm([0, 2.7 * 0.2**2, 2.7 * 0.2**2]) / np.linalg.norm(BOX)
    assert f"{off:.0%} away" in told.text or f"{off:.3g} times its size" in told.text
    assert f'iyy="{BOX[1]:.6g}" iyz="0" izz="{BOX[2]:.6g}"' in told.fix and "--about-centre" in told.fix


def test_a_fix_is_a_command_that_can_be_pasted_whatever_the_names():
    told = only("triangle")
    assert f"steiner fix {told.file} -o NEW --link upper --nearest-physical" in told.fix
    body = st.MassProperties.trusted(1.0, np.zeros(3), np.diag([1.0, 1, 5]))
    link = st.Link("a; rm -rf b", None, st.Revolute(name="j"), body=body, source=st.Source())
    (finding,) = st.check(st.Robot("arm", [link], source=st.Source("my arm.urdf")))
    assert "steiner fix 'my arm.urdf' -o NEW --link 'a; rm -rf b' --nearest" in finding.fix


def test_exchanged_slots_are_named():
    told = only("tensor-slots")
    assert "ixx and iyy are exchanged" in told.cause and "--swap ixx,iyy" in told.fix
    assert f'ixx="{BOX[0]:.6g}"' in told.fix


def test_products_of_the_other_sign_are_those_of_the_slanted_box():
    told = only("product-signs")
    turn = math.radians(30)
    rotation = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    tensor = rotation @ np.diag([4 * 0.02 / 12, 4 * 0.17 / 12]) @ rotation.T
    assert f'ixy="{tensor[0, 1]:.6g}"' in told.fix and tensor[0, 1] < 0


def test_a_tensor_in_other_units_is_scaled():
    told = only("tensor-unit")
    assert "kg mm²" in told.cause and f'ixx="{BOX[0]:.6g}"' in told.fix and "--unit kg*mm^2" in told.fix


def test_a_mass_in_grams_is_told_by_the_density():
    assert "grams" in only("odd-density").cause and "2700 kg/m³" in only("odd-density").cause
    told = only("density-unlikely")
    assert f"{0.03 / (0.4 * 0.05 * 0.05):.3g} kg/m³" in told.text and f"aluminium it would be {2.7:g} kg" in told.fix


def test_a_centre_outside_is_put_back_by_its_sign():
    told = only("centre-outside")
    assert "lies 200 mm outside" in told.text and "x has the other sign" in told.cause and "0 mm from" in told.cause


def test_mass_inside_a_hull_has_a_largest_second_moment():
    """All mass at both ends: (b − c)(c − a); the box with its centre in the middle along its diagonal."""
    told = only("spread-too-wide")
    words = told.text.split()
    most = float(words[words.index("most") + 1]) / 1e3
    assert 0 < most <= math.sqrt(0.2**2 + 2 * 0.025**2) + 1e-3
    ends = st.MassProperties(2.7, (0.2, 0, 0), (0, 2.7 * 0.2**2, 2.7 * 0.2**2))  # two points, at the ends
    shape = st.Box(0.4, 0.05, 0.05).at(xyz=(0.2, 0, 0))
    link = st.Link("upper", body=ends, shapes=[shape])
    assert "spread-too-wide" not in {f.rule for f in st.check(link)}
    wider = st.MassProperties(2.7, (0.2, 0, 0), 1.25 * ends.inertia)
    assert "spread-too-wide" in {f.rule for f in st.check(st.Link("upper", body=wider, shapes=[shape]))}


def test_an_impossible_tensor_comes_with_the_nearest_possible_one():
    told = only("triangle")
    second = (np.trace(np.diag([0.02, 0.02, 0.041])) / 2) * np.eye(3) - np.diag([0.02, 0.02, 0.041])
    near = np.maximum(np.diag(second), 0)
    assert f'ixx="{near[1] + near[2]:.6g}"' in told.fix and f'izz="{near[0] + near[1]:.6g}"' in told.fix


def test_gravity_is_held_against_the_motor():
    told = only("gravity-above-effort")
    words = told.text.split()
    asked = float(words[words.index("for") + 1])
    assert asked == pytest.approx(2 * 9.81 * 0.1, rel=2e-3)  # at most m g l, with the link level


def test_the_condition_of_the_mass_matrix_does_not_depend_on_units():
    told = only("ill-conditioned")
    assert "'twist' and 'turn' move nearly the same" in told.text or "'turn' and 'twist'" in told.text


def test_degrees_are_turned_into_radians():
    assert f"{math.pi / 2:.9g} rad" in only("angle-in-degrees").text
    assert f"{-math.pi / 2:.9g} rad" in only("limits-in-degrees").fix


def test_twins_and_copies_name_each_other():
    assert "0.05 kg, its twin 'finger_right' 0.06 kg" in only("twins-differ").text
    told = only("copied-tensor")
    assert "'upper' (2 kg), 'fore' (0.5 kg)" in told.text and f'ixx="{0.02 / 4:.6g}"' in told.fix


def test_numbers_of_the_size_of_round_off_are_a_point():
    def rules(inertia: tuple[float, ...]) -> set[str]:
        body = st.MassProperties.trusted(2.0, np.array([0.1, 0, 0]), np.diag(inertia))
        link = st.Link("upper", None, st.Revolute(name="j"), body=body, source=st.Source())
        return {f.rule for f in st.check(st.Robot("arm", [link]))}

    assert rules((-1e-20, 0.0, 4e-18)) == {"point-mass"}
    assert "negative-moments" in rules((-1e-9, 0.0, 4e-9))


def test_blanks_before_the_declaration_are_passed_over_with_a_warning(tmp_path):
    text = (FILES / "triangle_bad.urdf").read_text()
    file = tmp_path / "late.urdf"
    file.write_text(f"\n \n{text}")
    found = {f.rule: f for f in st.check(file)}
    assert found["left-out"].line == 3 and "blanks stand before it" in found["left-out"].text
    assert found["triangle"].line == only("triangle").line + 2
    assert {f.rule for f in st.check(FILES / "triangle_bad.urdf")} == {"triangle"}


def test_xacro_is_refused_with_the_command_that_expands_it(tmp_path):
    told = only("xacro")
    assert "xacro " in told.text and told.text.endswith(".expanded.urdf")
    template = tmp_path / "arm.urdf.xacro"
    template.write_text("<robot/>")
    (finding,) = st.check(template)
    assert finding.code == "ST003" and f"xacro {template} -o {tmp_path / 'arm'}.urdf" in finding.text
    with pytest.raises(st.SteinerError, match="xacro"):
        st.load(template)


def test_a_stray_origin_is_passed_over_as_pinocchio_and_mujoco_do():
    told = only("left-out")
    assert told.line == 5 and "'upper' <origin>: it stands outside <inertial>" in told.text
    with pytest.warns(st.ModelWarning, match="outside <inertial>"):
        robot = st.load(told.file)
    assert robot.links[1].body.com.tolist() == [0.1, 0, 0]


def test_one_power_of_ten_is_a_placeholder_where_it_repeats():
    def arm(*moments: float) -> st.Robot:
        links = [st.Link(f"link{k}", f"link{k - 1}" if k else None, st.Revolute(name=f"j{k}"),
                         st.Pose(p=(0.3, 0, 0)), st.MassProperties(1.0, (0.1, 0, 0), (m,) * 3))
                 for k, m in enumerate(moments)]  # fmt: skip
        return st.Robot("arm", links)

    def told(*moments: float) -> list[str]:
        return [f.link for f in st.check(arm(*moments)) if f.rule == "placeholder"]

    assert told(0.01, 0.02, 0.001) == [] and told(1.0, 0.02) == ["link0"]
    assert told(0.01, 0.02, 0.01) == ["link0"]  # one finding, which names both


def test_a_link_alone_is_checked_as_in_its_robot():
    body = st.MassProperties.trusted(1.0, np.zeros(3), np.diag([1.0, 1, 5]))
    link = st.Link("upper", "base", st.Revolute(name="j"), body=body, source=st.Source())
    assert [f.rule for f in st.check(link)] == ["triangle"]
    assert [f.rule for f in st.check(st.Link("plate", body=body, source=st.Source()))] == ["triangle"]


def test_the_mesh_of_a_shape_is_read_beside_the_file_of_its_link(monkeypatch):
    from steiner.checks import geometry

    asked = []

    def read(reference: str, file: str, *, scale, package_dirs):
        asked.append((reference, file, scale, package_dirs))
        if "open" in reference:
            raise st.SteinerError("an open mesh")
        return st.Mesh(*st.Box(0.4, 0.05, 0.05).mesh())

    monkeypatch.setitem(geometry.DOORS, geometry.MESHES, "a.mesh:reader")
    monkeypatch.setattr(geometry, "opened", lambda row: read)
    source = st.Source("arm.urdf", package_dirs=("meshes",))

    def rules(*shapes: st.Shape) -> set[str]:
        body = st.MassProperties(2.7, (0.5, 0, 0), tuple(BOX))
        link = st.Link("upper", None, st.Revolute(name="j"), body=body, shapes=shapes, source=source)
        return {f.rule for f in st.check(link)}

    place = st.Pose(p=(0.2, 0, 0))
    assert "centre-outside" in rules(st.Shape(file="upper.stl", pose=place, scale=(1, 1, 2)))
    assert asked == [("upper.stl", "arm.urdf", (1, 1, 2), ("meshes",))]
    assert rules(st.Shape(file="open.stl", pose=place)) == {"mesh-open"}
    both = st.Shape(file="open.stl"), st.Shape(file="upper.stl", pose=place, role="collision")
    assert "centre-outside" in rules(*both)


# ---- what stands in a file and is not read -------------------------------------------------------------


def test_meshes_are_told_by_what_is_in_their_way(tmp_path):
    text = (FILES / "mesh_open_bad.yaml").read_text()
    (tmp_path / "cut.stl").write_bytes(bytes(80) + (12).to_bytes(4, "little") + bytes(100))
    (tmp_path / "out.stl").symlink_to(FILES / "tetrahedron.stl")

    def rules(name: str) -> set[str]:
        (tmp_path / "arm.yaml").write_text(text.replace("triangle.stl", name))
        return {f.rule for f in st.check(tmp_path / "arm.yaml")}

    assert rules("cut.stl") == {"mesh-unreadable"}
    assert rules("out.stl") == rules("../arm.stl") == {"mesh-outside"}
    assert rules("package:///etc/hosts") == rules("http://127.0.0.1/a.stl") == rules(".") == {"mesh-missing"}
    assert rules("/etc/hosts") == {"absolute-path", "mesh-outside"}


def test_a_command_that_mends_another_format_converts_it_first():
    told = only("tensor-slots")  # of a YAML file
    new = told.file.replace(".yaml", ".urdf")
    assert f"steiner convert {told.file} {new} && steiner fix {new} -o NEW --link" in told.fix


def test_joints_and_centres_that_are_far_away_are_told(tmp_path):
    text = (FILES / "limits_in_degrees_good.urdf").read_text()
    for name, old, new in (("joint", '"0 0 0.3"', '"0 0 300"'), ("centre of mass", '"0.1 0 0"', '"100.1 0 0"')):
        file = tmp_path / "arm.urdf"
        file.write_text(text.replace(old, new))
        assert f"its {name} is" in next(f.text for f in st.check(file) if f.rule == "odd-size")
