"""What holds for every command of the table, and `steiner check`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from steiner.cli import COMMANDS
from steiner.doors import opened

# how a command is called on a file that does not exist; a new command adds its line
MISSING = {
    "report": ["nowhere.urdf", "-o", "out.html"],
    "inertia": ["nowhere.yaml"],
    "torques": ["nowhere.urdf", "motion.csv", "-o", "out.csv"],
    "simulate": ["nowhere.urdf", "-o", "out.csv"],
    "payload": ["nowhere.urdf"],
    "size": ["nowhere.urdf", "motion.csv"],
    "equations": ["nowhere.urdf"],
    "export": ["nowhere.urdf", "--c", "-o", "out"],
    "check": ["nowhere.urdf"],
    "convert": ["nowhere.urdf", "out.sdf"],
    "fix": ["nowhere.urdf", "-o", "out.urdf", "--link", "l", "--unit", "g"],
    "compare": ["nowhere.urdf", "nowhere.urdf"],
    "show": ["nowhere.urdf", "-o", "out.html"],
    "bench": ["nowhere.urdf"],
    "gallery": ["nowhere"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_teaches_with_an_example(name, steiner):
    code, out, err = steiner(name, "--help")
    assert code == 0 and not err
    assert "Example:" in out and f"steiner {name} " in out
    assert opened(COMMANDS[name]).__doc__
    assert COMMANDS[name].startswith(f"cli.{name}:"), "one file per command"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_refuses_what_does_not_exist_in_one_line(name, steiner):
    code, out, err = steiner(name, *MISSING[name])
    assert (code, out) == (2, "")
    assert err.startswith("error: ") and "nowhere" in err and err.count("\n") == 1 and "Traceback" not in err
    assert not list(Path().iterdir())


NO_ROBOT = {"inertia", "check", "convert", "fix", "show", "gallery"}  # take links as well, or say it in their own words


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in NO_ROBOT])
def test_a_link_is_not_taken_for_a_robot(name, steiner):
    Path("nowhere.yaml").write_text("link: {parts: [{shape: sphere, radius: 5 cm, density: 1000}]}")
    words = [word.replace("nowhere.urdf", "nowhere.yaml") for word in MISSING[name]]
    code, _, err = steiner(name, *words)
    assert code == 2 and "nowhere.yaml holds no robot but a link" in err


def test_the_program_lists_its_commands(steiner):
    code, out, _ = steiner("--help")
    assert code == 0 and all(f" {name} " in out for name in COMMANDS) and "steiner gallery" in out


# ---- check -----------------------------------------------------------------------------------

GOOD = '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/>'
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'


def arm(inertia: str = GOOD, limit: str = LIMIT, mass: str = "1") -> None:
    Path("arm.urdf").write_text(
        '<robot name="arm">\n<link name="base"/>\n'
        f'<link name="l1"><inertial><mass value="{mass}"/>\n{inertia}</inertial></link>\n'
        f'<joint name="j1" type="revolute"><parent link="base"/><child link="l1"/>\n{limit}</joint></robot>'
    )


def test_a_good_file_is_fine(steiner):
    arm()
    assert steiner("check", "arm.urdf", "--strict") == (0, "arm.urdf: nothing to look at\n", "")


def test_errors_are_exit_code_1_and_lines_on_stdout(steiner):
    arm(inertia=GOOD.replace('ixy="0"', 'ixy="5"'))
    code, out, err = steiner("check", "arm.urdf")
    assert (code, err) == (1, "")
    first, last = out.splitlines()
    assert first.startswith("error: arm.urdf:4: link 'l1' inertia: no body has 1.0 kg")
    assert first.endswith("[ST103 negative-moments]") and last == "arm.urdf: 1 error"


def test_warnings_count_when_strict(steiner):
    arm(limit='<limit lower="2" upper="1" effort="1" velocity="1"/>')
    code, out, _ = steiner("check", "arm.urdf")
    assert code == 0 and "warning: arm.urdf:6: joint 'j1' limit: lower 2.0 exceeds upper 1.0" in out
    assert steiner("check", "arm.urdf", "--strict")[0] == 1


def test_a_file_that_cannot_be_read_is_exit_code_2(steiner):
    arm(mass="1.5 kg")
    code, out, err = steiner("check", "arm.urdf")
    assert (code, err) == (2, "")
    assert out.startswith("fatal: arm.urdf:3: link 'l1' <inertial> <mass>: ") and "1.5 kg" in out


def test_findings_for_programs(steiner):
    arm(inertia=GOOD.replace('izz="0.01"', 'izz="0.05"'))
    code, out, _ = steiner("check", "arm.urdf", "--json")
    report = json.loads(out)
    (finding,) = report["findings"]
    assert code == report["exit_code"] == 1 and report["file"] == "arm.urdf"
    assert (finding["code"], finding["rule"], finding["line"], finding["link"]) == ("ST104", "triangle", 4, "l1")


def test_links_and_the_gallery_are_checked_too(steiner):
    parts = "[{shape: box, size: [1, 1, 1], mass: 8 mg}, {shape: sphere, radius: 1, mass: 8 mg}]"
    Path("link.yaml").write_text(f"link: {{parts: {parts}}}")
    code, out, _ = steiner("check", "link.yaml", "--unit", "mm")
    assert code == 0 and "[ST605 overlap]" in out and "1 warning" in out
    code, out, _ = steiner("check", "puma560")
    assert code == 1 and "'link3'" in out


def test_findings_for_code_hosts(steiner):
    arm(inertia=GOOD.replace('izz="0.01"', 'izz="0.05"'))
    code, out, _ = steiner("check", "arm.urdf", "--sarif")
    assert code == 1 and json.loads(out)["runs"][0]["results"][0]["ruleId"] == "ST104"
    assert steiner("check", "arm.urdf", "--sarif", "--json")[0] == 2


def test_inertia_ellipsoids_over_the_links(steiner):
    arm()
    assert steiner("check", "arm.urdf", "--picture", "arm.svg")[0] == 0
    assert "inertia ellipsoid" in Path("arm.svg").read_text()


# ---- show, and the program itself ------------------------------------------------------------


def test_robots_links_and_meshes_are_shown(steiner):
    arm()
    Path("part.yaml").write_text("link: {parts: [{shape: sphere, radius: 5 cm, density: 1000}]}")
    Path("part.off").write_text("OFF\n4 4 0\n0 0 0\n10 0 0\n0 20 0\n0 0 30\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n")
    for words in (["arm.urdf", "--q", "0.5"], ["part.yaml"], ["part.off", "--unit", "mm"], ["desk", "--payload", "1"]):
        code, out, err = steiner("show", *words, "-o", "page.html", "--force")
        assert (code, out) == (0, "") and err.endswith("page.html written\n"), err
        assert Path("page.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    code, _, err = steiner("show", "arm.urdf", "-o", "page.html")
    assert code == 2 and "page.html exists" in err
    code, _, err = steiner("show", "part.yaml", "--q", "1", "-o", "other.html")
    assert code == 2 and "no joints to move" in err and not Path("other.html").exists()


def test_the_program_tells_its_version_and_completes(steiner, monkeypatch):
    import steiner as st

    assert steiner("--version") == (0, f"steiner {st.__version__}\n", "")
    code, out, _ = steiner("-h")
    assert code == 0 and out == steiner("--help")[1]
    assert steiner("torques", "-h")[0] == 0
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("bash", "/bin/bash"))  # whoever runs the tests
    code, out, _ = steiner("--show-completion")
    assert code == 0 and "steiner" in out


def test_times_are_measured(steiner):
    arm()
    words = ["arm.urdf", "--batch", "1", "--batch", "100", "--algorithm", "mass_matrix", "--json"]
    code, out, err = steiner("bench", *words)
    assert code == 0, err
    found = json.loads(out)
    (row,) = found["rows"]
    assert found["joints"] == 1 and 0 < row["100"] < row["1"] < 1e6 and row["first_call_ms"] > 0
    code, out, _ = steiner("bench", "rr", "--batch", "10")
    assert code == 0 and "forward_dynamics" in out and "batch of 10, ns" in out
    for words in (["--batch", "0"], ["--algorithm", "masses"], ["--algorithm", "jacobian"]):
        code, _, err = steiner("bench", "rr", *words)
        assert code == 2 and words[0] in err
