"""`steiner payload` and `steiner size`: they print what the package says."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import steiner as st

MOTORS = """name,rated_torque [mNm],peak_torque [N m],rated_speed [rpm],max_speed [rpm],ratios,mass [g]
small,120,0.4,3000,5000,50 100 160,250
large,1200,4,2500,4000,50 100 160,1800
"""


@pytest.fixture(scope="module")
def ur5():
    return st.load("gallery:ur5")


def written(arm, name="motion.csv", scale=1.0, **changes):
    rows = st.trajectory.quintic(np.zeros(arm.n), np.full(arm.n, 0.8), 1.0).sample(0.1)
    with Path(name).open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["t", *(f"{joint}.{x}" for x in ("q", "qd", "qdd") for joint in arm.joint_names)])
        writer.writerows(np.column_stack([rows.t, *(x * scale for x in rows[1:])]).tolist())
    return rows


def test_size_prints_what_the_package_says(steiner, ur5):
    rows = written(ur5)
    Path("motors.csv").write_text(MOTORS)
    code, out, err = steiner("size", "ur5", "motion.csv", "--catalogue", "motors.csv", "--json")
    found = st.sizing(ur5, rows, "motors.csv")
    assert (code, err) == (0, "") and json.loads(out) == json.loads(found.json())
    assert json.loads(out)["joints"][1]["peak_torque"] == pytest.approx(found.peak_torque[1], rel=1e-14)
    code, out, err = steiner("size", "ur5", "motion.csv", "--catalogue", "motors.csv", "--by", "link")
    assert code == 0 and all(name in out for name in ur5.joint_names)
    assert found.limiting.joint in out.partition("limiting: ")[2] and "large" in out and "upper_arm_link" in out


def test_angles_in_degrees(steiner, ur5):
    written(ur5, "deg.csv", 180 / np.pi)
    written(ur5)
    degrees = steiner("size", "ur5", "deg.csv", "--units", "deg", "--json")[1]
    radians = steiner("size", "ur5", "motion.csv", "--json")[1]
    pairs = zip(json.loads(degrees)["joints"], json.loads(radians)["joints"], strict=True)
    assert all(a["peak_torque"] == pytest.approx(b["peak_torque"], rel=1e-9) for a, b in pairs)
    found = steiner("payload", "ur5", "--json", "--q", "0,10,20,30,40,50", "--units", "deg")[1]
    assert json.loads(found)["q"] == pytest.approx(np.radians([0, 10, 20, 30, 40, 50]), rel=1e-12)


def test_payload_at_a_pose_along_a_motion_and_over_the_workspace(steiner, ur5):
    rows = written(ur5)
    cases = [
        (("--q", "0,0,0,0,0,0"), st.capacity(ur5, np.zeros(6))),
        (("--trajectory", "motion.csv", "--margin", "1.2"), st.capacity(ur5, rows, margin=1.2)),
        (("--workspace", "50", "--seed", "4"), st.capacity(ur5, samples=50, seed=4)),
        (("--q", "0,0,0,0,0,0", "--link", "forearm_link", "--com", "0,0,0.1", "--effort", "90,90,90,9,9,9"),
         st.capacity(ur5, np.zeros(6), link="forearm_link", com=(0, 0, 0.1), effort=[90, 90, 90, 9, 9, 9])),
    ]  # fmt: skip
    for words, found in cases:
        code, out, err = steiner("payload", "ur5", *words, "--json")
        assert (code, err) == (0, "") and json.loads(out) == json.loads(found.json())
        code, out, _ = steiner("payload", "ur5", *words)
        assert code == 0 and found.joint in out and f"{found.mass:.4g} kg" in out


def test_pictures_are_written_and_not_over_another(steiner, ur5):
    pytest.importorskip("matplotlib")
    written(ur5)
    for picture, start, words in (
        ("map.svg", b"<?xml", ("payload", "ur5", "--workspace", "200")),
        ("cloud.png", b"\x89PNG", ("size", "ur5", "motion.csv")),
    ):
        code, _, err = steiner(*words, "--picture", picture)
        assert code == 0 and f"{picture} written" in err
        content = Path(picture).read_bytes()
        assert content.startswith(start)
        code, out, err = steiner(*words, "--picture", picture)
        assert (code, out) == (2, "") and "exists" in err and Path(picture).read_bytes() == content
    before = Path("map.svg").read_bytes()
    assert steiner("payload", "ur5", "--workspace", "200", "--picture", "map.svg", "--force")[0] == 0
    assert Path("map.svg").read_bytes() == before  # the same picture is the same file


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("payload", "ur5", "--q", "0,0"), "--q: 2 numbers; ur5 has 6 joints"),
        (("payload", "ur5", "--q", "0,0,x,0,0,0"), "expected numbers with commas"),
        (("payload", "ur5", "--q", "0,0,nan,0,0,0"), "expected numbers with commas"),
        (("payload", "ur5", "--q", "0,0,0,0,0,0", "--workspace", "5"), "exclude one another"),
        (("payload", "ur5", "--workspace", "0"), "samples=0"),
        (("payload", "rr"), "no joint of rr states an effort limit"),
        (("payload", "ur5", "--units", "grad", "--q", "0,0,0,0,0,0"), "expected rad or deg"),
        (("payload", "ur5", "--link", "hand"), "no link named 'hand'"),
        (("payload", "ur5", "--picture", "map.txt"), "a picture is written as .svg"),
        (("payload", "ur5", "--margin", "-1"), "margin=-1"),
        (("size", "ur5", "none.csv"), "none.csv"),
        (("size", "ur5", "timeless.csv"), "no column t"),
        (("size", "ur5", "short.csv"), "no row of numbers"),
        (("size", "rr", "motion.csv"), "motion.csv:1"),
        (("size", "ur5", "motion.csv", "--catalogue", "none.csv"), "none.csv"),
        (("size", "ur5", "motion.csv", "--margin", "0"), "margin=0"),
        (("size", "ur5", "motion.csv", "--by", "colour"), "no share named 'colour'"),
    ],
)
def test_bad_input_is_a_sentence(steiner, ur5, words, told):
    written(ur5)
    lines = Path("motion.csv").read_text().splitlines()
    Path("short.csv").write_text(lines[0])
    Path("timeless.csv").write_text("\n".join(line.partition(",")[2] for line in lines))
    code, out, err = steiner(*words)
    assert (code, out) == (2, "") and told in err and "Traceback" not in err
    assert not list(Path().glob("map*"))
