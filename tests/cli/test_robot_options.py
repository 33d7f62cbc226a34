"""`steiner convert`, and the options of every command that reads a ROBOT."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import steiner as st
from steiner.cli import COMMANDS
from steiner.model.robot import EARTH


def piped(monkeypatch, text: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"buffer": io.BytesIO(text)})())


READERS = sorted(COMMANDS.keys() - {"inertia", "fix", "gallery", "bench"})  # those read links, texts, nothing


@pytest.mark.parametrize("name", READERS)
def test_every_command_that_reads_a_robot_has_the_options(name, steiner):
    code, out, _ = steiner(name, "--help")
    words = ("--gravity", "--payload", "--lock", "--mimic", "--via", "ceiling")
    assert code == 0 and all(word in out for word in words)


def test_options_change_the_robot(steiner):
    loads = ["--payload", "2.5@tool0:0,0,0.1", "--payload", "500 g"]
    locks = ["--lock", "elbow_joint=90deg", "--lock", "wrist_1_joint=0.5"]
    code, out, err = steiner("convert", "ur5", "ceiling.yaml", "--gravity", "0,0,9.81", *loads, *locks)
    assert (code, out) == (0, "") and "ceiling.yaml written" in err
    arm, ur5 = st.load("ceiling.yaml"), st.load("ur5")
    assert arm.gravity.tolist() == [0, 0, 9.81] and arm.n == 4
    assert [(p.body.mass, p.link, p.pose.p.tolist()) for p in arm.payloads] == [
        (2.5, "tool0", [0, 0, 0.1]), (0.5, ur5.link_names[-1], [0, 0, 0])]  # fmt: skip
    expected = ur5.locked({"elbow_joint": np.pi / 2, "wrist_1_joint": 0.5}).replace(gravity=(0, 0, 9.81))
    expected = expected.with_payload(st.MassProperties(2.5), link="tool0", pose=st.Pose(p=(0, 0, 0.1)))
    expected = expected.with_payload(st.MassProperties(0.5))
    q = [0.1, 0.2, 0.3, 0.4]
    np.testing.assert_allclose(arm.gravity_forces(q), expected.gravity_forces(q), rtol=1e-12, atol=1e-12)


REPLICATED = """<mujoco model="many"><worldbody><replicate count="3" offset=".1 0 0"><body><joint axis="0 1 0"/>
<geom type="box" size=".1 .2 .3"/></body></replicate></worldbody></mujoco>"""


def test_mujoco_rewrites_what_is_not_read(steiner):
    pytest.importorskip("mujoco")
    Path("many.xml").write_text(REPLICATED)
    for command in (("convert", "many.xml", "many.urdf"), ("export", "many.xml", "--c", "-o", "many")):
        code, _, err = steiner(*command)
        assert code == 2 and "<replicate> is not read" in err
        code, _, err = steiner(*command, "--via", "mujoco")
        assert code == 0, err
    assert st.load("many.urdf").n == 3
    code, _, err = steiner("convert", "many.urdf", "many.sdf", "--via", "mujoco")
    assert code == 2 and "via='mujoco' has no meaning for" in err


def test_options_reach_other_commands_and_are_forgotten_after(steiner):
    Path("motion.csv").write_text("q1,q2,qd1,qd2,qdd1,qdd2\n0,0,0,0,0,0\n")
    torques = {}
    for name, options in (("moon", ["--gravity", "0,-1.62,0"]), ("floor", []), ("held", ["--payload", "1"])):
        code, _, err = steiner("torques", "rr", "motion.csv", "-o", f"{name}.csv", *options)
        assert code == 0, err
        torques[name] = np.array(Path(f"{name}.csv").read_text().splitlines()[1].split(","), dtype=float)
    assert np.allclose(torques["moon"], torques["floor"] * 1.62 / 9.81)
    assert np.all(np.abs(torques["held"]) >= np.abs(torques["floor"]))
    assert not np.allclose(torques["held"], torques["floor"])


def test_the_file_of_a_link_as_a_payload(steiner):
    Path("cup.yaml").write_text("unit: mm\nlink: {parts: [{shape: box, size: [100, 100, 100], mass: 2}]}")
    code, _, err = steiner("convert", "rr", "arm.yaml", "--payload", "cup.yaml@link2:0,0,1")
    assert code == 0, err
    (load,) = st.load("arm.yaml").payloads
    assert load.body.mass == 2 and load.pose.p.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--gravity", "9.81"], "--gravity 9.81: expected three numbers"),
        (["--gravity", "0,0,nan"], "--gravity: expected a number"),
        (["--payload", "heavy"], "--payload: expected a mass"),
        (["--payload", "1@nowhere"], "no link named 'nowhere'"),
        (["--payload", "1:0,0"], "--payload 0,0: expected three"),
        (["--lock", "j"], "--lock j: expected JOINT=VALUE"),
        (["--lock", "nope=1"], "no joint named 'nope'"),
        (["--lock", "joint1=1mm"], "--lock: '1mm'"),
        (["--mimic", "maybe"], "mimic='maybe'"),
    ],
)
def test_what_cannot_be_meant_is_one_line_and_nothing_is_written(options, words, steiner):
    st.save(st.load("rr").replace(gravity=EARTH), "rr.urdf")
    code, out, err = steiner("convert", "rr.urdf", "out.sdf", *options)
    assert (code, out) == (2, "") and words in err and err.count("\n") == 1
    assert [p.name for p in Path().iterdir()] == ["rr.urdf"]


def test_pipes(steiner, monkeypatch):
    st.save(st.load("rr").replace(gravity=EARTH), "rr.urdf")
    piped(monkeypatch, Path("rr.urdf").read_bytes())
    code, out, err = steiner("convert", "-", "-", "--from", "urdf", "--to", "sdf", "--payload", "1")
    assert code == 0 and st.loads(out, format="sdf").total_mass == st.load("rr").total_mass + 1
    assert err == "lost: that 'payload' is a payload: it becomes a fixed link\n"
    piped(monkeypatch, b"<robot>")
    code, out, err = steiner("convert", "-", "out.sdf", "--from", "urdf")
    assert (code, out) == (2, "") and err.startswith("error: <stdin>:1") and not Path("out.sdf").exists()
    code, _, err = steiner("convert", "-", "out.sdf")
    assert code == 2 and "give --from" in err
    code, _, err = steiner("convert", "rr", "-")
    assert code == 2 and "give --to" in err


def test_a_robot_comes_through_a_pipe_to_every_command_that_computes(steiner, monkeypatch):
    _, expected, _ = steiner("payload", "ur5", "--q", "0,0.5,0,-1,0,2", "--json")
    for form in ("urdf", "sdf", "robot_yaml"):
        code, text, _ = steiner("convert", "ur5", "-", "--to", form)
        assert code == 0
        piped(monkeypatch, text.encode())
        code, out, _ = steiner("payload", "-", "--q", "0,0.5,0,-1,0,2", "--json")
        assert code == 0 and json.loads(out)["mass"] == pytest.approx(json.loads(expected)["mass"], rel=1e-9)
    piped(monkeypatch, b"junk")
    code, out, err = steiner("payload", "-")
    assert (code, out) == (2, "") and err.startswith("error: <text>:1")


def test_an_existing_file_is_kept(steiner):
    Path("arm.sdf").write_text("mine")
    code, _, err = steiner("convert", "rr", "arm.sdf")
    assert code == 2 and "exists" in err and Path("arm.sdf").read_text() == "mine"
    assert steiner("convert", "rr", "arm.sdf", "--force")[0] == 0


def test_a_robot_is_checked_and_compared_as_it_is_asked_for(steiner):
    st.save(st.load("ur5"), "ur5.urdf")
    code, out, _ = steiner("check", "ur5.urdf")
    assert code == 0 and "gravity-above-effort" not in out
    code, out, _ = steiner("check", "ur5.urdf", "--payload", "30")
    assert code == 0 and "ur5.urdf:" in out and "gravity-above-effort" in out
    code, out, _ = steiner("check", "ur5.urdf", "--payload", "30", "--gravity", "0,0,0")
    assert code == 0 and "gravity-above-effort" not in out
    st.save(st.load("ur5").with_payload(st.MassProperties(2.0)), "loaded.yaml")
    code, out, _ = steiner("compare", "ur5", "ur5.urdf", "--payload", "2", "--lock", "elbow_joint=0.3", "--json")
    assert code == 0 and '"alike": true' in out
    code, _, err = steiner("compare", "ur5.urdf", "--against", "mujoco", "--payload", "2")
    assert code == 2 and "--against reads a file as it is" in err


def test_a_robot_of_a_pipe_is_checked_and_compared(steiner, monkeypatch):
    st.save(st.load("ur5"), "ur5.urdf")
    good = Path("ur5.urdf").read_bytes()
    bad = good.replace(b'<mass value="3.7"/>', b'<mass value="-3.7"/>')
    odd = good.replace(b'ixx="', b'ixx="9', 1)
    assert bad != good != odd
    for text, expected, words in ((good, 0, "nothing to look at"), (odd, 1, "ST10"), (bad, 2, "is negative")):
        piped(monkeypatch, text)
        code, out, err = steiner("check", "-")
        assert code == expected and words in out + err
    for text, expected in ((good, 0), (odd, 1)):
        piped(monkeypatch, text)
        assert steiner("compare", "-", "ur5.urdf")[0] == expected
    assert steiner("compare", "-", "-")[0] == 2
    code, _, err = steiner("check", "-", "--picture", "arm.svg")
    assert code == 2 and "needs a file" in err
