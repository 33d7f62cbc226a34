"""The command line: what it writes, what it refuses, and that a refusal is a sentence and exit code 2."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from steiner.files import load
from steiner.files.motion import PIECE

HEADER = "t,joint1.q,joint2.q,joint1.qd,joint2.qd,joint1.qdd,joint2.qdd\n"
ROW = "0.5,0.1,0.2,0.3,0.4,0.5,0.6\n"
BLOCK = PIECE // 7 // 15  # rows that do not fit into one piece


def table(path: str | Path) -> tuple[list[str], np.ndarray]:
    text = Path(path).read_text().splitlines()
    return text[0].split(","), np.array([[float(x) for x in line.split(",")] for line in text[1:]])


def motion(n: int = 2, rows: int = 5, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rows, 1 + 3 * n))


def write(path: str, header: str, rows: np.ndarray) -> None:
    Path(path).write_text(header + "".join(",".join(map(repr, row)) + "\n" for row in rows.tolist()))


def test_torques_of_a_motion(steiner):
    rows = motion()
    write("motion.csv", HEADER, rows)
    code, out, err = steiner("torques", "rr", "motion.csv", "-o", "torques.csv")
    assert (code, out) == (0, "")
    assert "5 rows" in err and "torques.csv" in err
    names, values = table("torques.csv")
    assert names == ["t", "joint1.tau", "joint2.tau"]
    expected = load("gallery:rr").inverse_dynamics(rows[:, 1:3], rows[:, 3:5], rows[:, 5:7])
    np.testing.assert_array_equal(values, np.column_stack([rows[:, 0], expected]))


def test_numbered_columns_in_any_order_and_without_time(steiner):
    rows = motion()[:, 1:]
    write("motion.csv", "qdd2,qdd1,qd2,qd1,q2,q1\n", rows[:, ::-1])
    assert steiner("torques", "rr", "motion.csv", "-o", "torques.csv")[0] == 0
    names, values = table("torques.csv")
    assert names == ["joint1.tau", "joint2.tau"]
    np.testing.assert_array_equal(values, load("gallery:rr").inverse_dynamics(rows[:, :2], rows[:, 2:4], rows[:, 4:]))


def test_degrees_are_of_turning_joints_only(steiner):
    rows = motion()
    write("deg.csv", HEADER, rows)
    assert steiner("torques", "rp", "deg.csv", "-o", "torques.csv", "--units", "deg")[0] == 0
    scale = np.array([np.pi / 180, 1.0])
    q, qd, qdd = rows[:, 1:3] * scale, rows[:, 3:5] * scale, rows[:, 5:7] * scale
    np.testing.assert_array_equal(table("torques.csv")[1][:, 1:], load("gallery:rp").inverse_dynamics(q, qd, qdd))


def test_long_files_are_read_in_blocks(steiner):
    rows = motion(rows=BLOCK + 3)
    write("long.csv", HEADER, rows)
    assert steiner("torques", "rr", "long.csv", "-o", "torques.csv")[0] == 0
    values = table("torques.csv")[1]
    assert len(values) == BLOCK + 3
    np.testing.assert_array_equal(values[:, 0], rows[:, 0])


LATE = {
    # times of the rows -> what is said, and the line of the first late row
    "repeats": ([0.0, 0.1, 0.1, 0.2], "motion.csv:4: time repeats: 0.1 after 0.1\n"),
    "backwards": ([0.0, 0.2, 0.1, 0.0], "motion.csv:4: time runs backwards: 0.1 after 0.2; so do 1 rows more\n"),
    "one row": ([0.0], "motion.csv: a single row"),
    "goes on": ([0.0, 0.1, 0.2], None),
}


@pytest.mark.parametrize("case", LATE)
def test_R13_a_time_that_does_not_go_on_is_warned_about(case, steiner):
    times, says = LATE[case]
    write("motion.csv", HEADER, np.column_stack([times, motion(rows=len(times))[:, 1:]]))
    code, _, err = steiner("torques", "rr", "motion.csv", "-o", "torques.csv")
    assert code == 0 and len(table("torques.csv")[1]) == len(times)
    assert (f"warning: {says}" in err) if says else ("warning" not in err)


def test_R13_a_late_row_is_seen_across_blocks(steiner):
    rows = motion(rows=BLOCK + 2)
    rows[:, 0] = [*range(BLOCK), 5.0, 6.0]
    write("motion.csv", HEADER, rows)
    _, _, err = steiner("torques", "rr", "motion.csv", "-o", "torques.csv")
    assert f"motion.csv:{BLOCK + 2}: time runs backwards: 5.0 after {float(BLOCK - 1)}\n" in err


def test_N17_torques_that_are_no_numbers_are_refused_with_their_line(steiner):
    Path("motion.csv").write_text(HEADER + ROW + ROW.replace("0.3", "1e200"))
    code, _, err = steiner("torques", "rr", "motion.csv", "-o", "torques.csv")
    assert code == 2 and "error: motion.csv:3: the torques of this row are no finite numbers" in err
    assert not Path("torques.csv").exists()


def test_a_robot_file_comes_before_a_gallery_name(steiner):
    write("motion.csv", HEADER, motion())
    Path("rr").write_text("not a robot")
    code, _, err = steiner("torques", "rr", "motion.csv", "-o", "torques.csv")
    assert code == 2 and "no known format" in err


BAD = {
    # what is wrong: (file, line, what the message must name)
    "empty": ("", 1, ["empty", "joint1.q"]),
    "no header": ("0,0,0\n0.1,1,1\n", 1, ["header", "joint1.q"]),
    "duplicate column": ("t,q1,q1\n0,0,0\n", 1, ["'q1'", "2 times"]),
    "two names for one": ("q1,joint1.q,q2,qd1,qd2,qdd1,qdd2\n", 1, ["joint1.q", "both"]),
    "too many joints": ("t,q1,q2,q3\n0,0,0,0\n", 1, ["'q3'", "joint1.q", "found t, q1, q2, q3"]),
    "unknown column": (HEADER.replace("joint2.q,", "joint2.p,"), 1, ["'joint2.p'", "did you mean 'joint2.q'"]),
    "two positions": ("t,q1,q2\n0,0,0\n1,0,0\n", None, ["2 rows", "4 rows"]),
    "time that stands still": ("t,q1,q2\n0,0,0\n1,0,0\n1,0,0\n", 4, ["1.0 after 1.0"]),
    "no accelerations": ("t,q1,q2,qd1,qd2\n0,0,0,0,0\n", None, ["velocities without accelerations"]),
    "positions without time": ("q1,q2\n0,0\n", None, ["positions without a column t"]),
    "one joint missing": ("q1,q2,qd1,qdd1,qdd2\n", 1, ["velocities of joint2"]),
    "semicolons": ("q1;q2;qd1\n0;0;0\n", 1, ["commas"]),
    "short row": (HEADER + ROW + "1,2,3\n", 3, ["3 cells", "7"]),
    "empty cell": (HEADER + ROW + ROW.replace("0.2", ""), 3, ["joint2.q", "empty"]),
    "word": (HEADER + ROW.replace("0.2", "fast"), 2, ["joint2.q", "'fast'"]),
    "nan": (HEADER + ROW.replace("0.6", "nan"), 2, ["joint2.qdd", "'nan'"]),
    "infinite": (HEADER + ROW.replace("0.6", "1e999"), 2, ["joint2.qdd", "1e999"]),
    "python number": (HEADER + ROW.replace("0.6", "1_0"), 2, ["joint2.qdd", "1_0"]),
    "no rows": (HEADER, None, ["no row"]),
    "digits without end": (HEADER + ROW.replace("0.2", "1" * 100_000 + "x"), 2, ["joint2.q", "100001 characters"]),
    "header without end": ("q1," + "x" * 200_000, 1, ["longer than 100000 characters"]),
    "field without end": (HEADER + "1" * 200_000 + ROW, 2, ["CSV", "131072"]),
    "bad quote": (HEADER + '"0.5,0.1\n', 2, ["CSV"]),
}


@pytest.mark.parametrize("defect", BAD)
def test_a_bad_table_is_refused_with_file_line_and_column(defect, steiner):
    text, line, words = BAD[defect]
    Path("motion.csv").write_text(text)
    code, out, err = steiner("torques", "rr", "motion.csv", "-o", "torques.csv")
    assert (code, out) == (2, "")
    assert err.startswith("error: motion.csv" + (f":{line}: " if line else ""))
    assert err.count("\n") == 1 and "Traceback" not in err
    for word in words:
        assert word in err
    assert sorted(p.name for p in Path().iterdir()) == ["motion.csv"], "no half-written file"


def test_bad_rows_can_be_left_out_and_are_reported(steiner):
    Path("motion.csv").write_text(HEADER + ROW + "1,2\n" + ROW.replace("0.2", "x") + "\n" + ROW)
    code, _, err = steiner("torques", "rr", "motion.csv", "-o", "torques.csv", "--skip-bad")
    assert code == 0
    assert "motion.csv:3: has 2 cells" in err and "motion.csv:4: column 'joint2.q'" in err and "2 rows" in err
    assert len(table("torques.csv")[1]) == 2


def test_nothing_is_overwritten_without_force(steiner):
    write("motion.csv", HEADER, motion())
    Path("torques.csv").write_text("mine")
    code, _, err = steiner("torques", "rr", "motion.csv", "-o", "torques.csv")
    assert code == 2 and "torques.csv exists" in err
    assert Path("torques.csv").read_text() == "mine"
    assert steiner("torques", "rr", "motion.csv", "-o", "torques.csv", "--force")[0] == 0
    assert table("torques.csv")[0][0] == "t"


def test_an_input_is_never_overwritten_even_by_force(steiner):
    write("motion.csv", HEADER, motion())
    before = Path("motion.csv").read_bytes()
    code, _, err = steiner("torques", "rr", "motion.csv", "-o", "./motion.csv", "--force")
    assert code == 2 and "would be overwritten" in err
    assert Path("motion.csv").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["torques", "nobody", "m.csv", "-o", "o.csv"], "'nobody'"),
        (["torques", "nobody.urdf", "m.csv", "-o", "o.csv"], "nobody.urdf: no such file"),
        (["torques", "rr", "missing.csv", "-o", "o.csv"], "missing.csv: no such file"),
        (["torques", "rr", ".", "-o", "o.csv"], "not a regular file"),
        (["torques", "rr", "loop.csv", "-o", "o.csv"], "loop.csv is a symbolic link that leads nowhere"),
        (["torques", "rr", "loop.csv", "-o", "loop.csv"], "would be overwritten"),
        (["torques", "rr", "m.csv", "-o", "o.csv", "--units", "turns"], "rad or deg"),
        (["torques", "rr", "m.csv"], "--output"),
        (["torque"], "torque"),
    ],
)
def test_wrong_usage_is_exit_code_2(words, says, steiner):
    write("m.csv", HEADER, motion())
    Path("loop.csv").symlink_to("loop.csv")
    code, _, err = steiner(*words)
    assert code == 2 and says in err and "Traceback" not in err


def test_warnings_about_a_model_are_lines_on_stderr(steiner):
    write("m.csv", "q1,qd1,qdd1\n", motion(1)[:, 1:])
    Path("arm.urdf").write_text(
        '<robot name="arm"><link name="base"/><link name="l1"/>\n'
        '<joint name="j1" type="continuous"><parent link="base"/><child link="l1"/></joint></robot>'
    )
    code, _, err = steiner("torques", "arm.urdf", "m.csv", "-o", "o.csv")
    assert code == 0 and err.startswith("warning: arm.urdf:1: link 'l1': moves but has no mass")


def test_the_gallery_is_listed_for_people_and_for_programs(steiner):
    code, out, _ = steiner("gallery")
    assert code == 0 and "puma560" in out and "Stanford" in out
    code, out, _ = steiner("gallery", "--json")
    robots = {row["name"]: row for row in json.loads(out)}
    assert robots["rr"]["joints"] == ["joint1", "joint2"] and robots["puma560"]["source"].startswith("P. Corke")
    assert "Corke" in steiner("gallery", "puma560")[1]
    code, _, err = steiner("gallery", "pumba560")
    assert code == 2 and "did you mean 'puma560'" in err


def test_the_installed_program_refuses_without_a_traceback(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "steiner", "torques", "nobody", "a.csv", "-o", "b.csv"],
        capture_output=True, text=True, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 2 and done.stderr.startswith("error: ") and "Traceback" not in done.stderr
